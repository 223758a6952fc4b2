// Programs: which of the shaders' texts make which program, and when.
#include "demos/viewer/gpu.h"
#include "demos/viewer/painter.h"
#include "demos/viewer/shaders.h"

// Each is made when it is first needed: most pictures need five.
static CairnStatus need(CairnPainter *painter, CairnProgram first, CairnProgram last) {
    static const char *const names[] = {"shadow",         "backdrop",    "solid",         "striped",      "ground",
                                        "plain backdrop", "plain solid", "plain striped", "plain ground", "deep discs",
                                        "discs",          "points",      "shadow points", "shadow discs"};
    const char *solid = cairn_shader_solid_vertex, *fragment = cairn_shader_solid_fragment;
    const struct {
        const char *vertex, *head, *fragment;
    } texts[] = {{cairn_shader_shadow_vertex, "", cairn_shader_shadow_fragment},
                 {cairn_shader_backdrop_vertex, cairn_shader_light, cairn_shader_backdrop_fragment},
                 {solid, cairn_shader_light, fragment},
                 {solid, cairn_shader_light_stripes, fragment},
                 {cairn_shader_ground_vertex, cairn_shader_light, cairn_shader_ground_fragment},
                 {cairn_shader_backdrop_vertex, cairn_shader_light_plain, cairn_shader_backdrop_fragment},
                 {solid, cairn_shader_light_plain, fragment},
                 {solid, cairn_shader_light_plain_stripes, fragment},
                 {cairn_shader_ground_vertex, cairn_shader_light_plain, cairn_shader_ground_fragment},
                 {solid, cairn_shader_light_deep_discs, fragment},
                 {solid, cairn_shader_light_discs, fragment},
                 {cairn_shader_points_vertex, cairn_shader_light_plain, cairn_shader_points_fragment},
                 {cairn_shader_shadow_points_vertex, "", cairn_shader_shadow_points_fragment},
                 {cairn_shader_shadow_vertex, "", cairn_shader_shadow_discs_fragment}};
    for (int i = (int)first; i <= (int)last; i++) {
        if (!painter->programs[i]) {
            CAIRN_TRY(
                cairn_gpu_program(names[i], texts[i].vertex, texts[i].head, texts[i].fragment, &painter->programs[i]));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_painter_need(CairnPainter *painter, bool is_smooth, const int *starts) {
    bool has_points = starts[CAIRN_DRAWN_POINT + 1] > starts[CAIRN_DRAWN_POINT];
    bool has_discs = starts[CAIRN_DRAWN_DISC + 1] > starts[CAIRN_DRAWN_DISC];
    CAIRN_TRY(need(painter, CAIRN_PROGRAM_SHADOW, CAIRN_PROGRAM_SHADOW));
    CAIRN_TRY(is_smooth ? need(painter, CAIRN_PROGRAM_BACKDROP, CAIRN_PROGRAM_GROUND)
                        : need(painter, CAIRN_PROGRAM_PLAIN_BACKDROP, CAIRN_PROGRAM_PLAIN_GROUND));
    if (has_points || (has_discs && !is_smooth)) {
        CAIRN_TRY(need(painter, CAIRN_PROGRAM_DISCS, CAIRN_PROGRAM_SHADOW_POINTS));
    }
    if (has_discs) {
        CAIRN_TRY(need(painter, CAIRN_PROGRAM_SHADOW_DISCS, CAIRN_PROGRAM_SHADOW_DISCS));
    }
    return has_discs && is_smooth ? need(painter, CAIRN_PROGRAM_DEEP_DISCS, CAIRN_PROGRAM_DEEP_DISCS) : cairn_ok();
}
