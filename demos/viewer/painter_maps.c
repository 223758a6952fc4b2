// Maps: what the sun sees, and what the sky sees, for the light of the picture.
#include "demos/viewer/painter_passes.h"
#include <string.h>

// Texels a side of the sun's map: with soft shadows, with hard ones, and where the picture has fewer pixels itself.
enum { MAP_SOFT = 2048, MAP_HARD = 1024, MAP_COARSE = 512 };

static void open_map(int size, GLuint *map, GLuint *frame) {
    glGenTextures(1, map);
    glBindTexture(GL_TEXTURE_2D, *map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, *frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, *map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void close_maps(CairnPainterMaps *maps) {
    GLuint textures[] = {maps->sun, maps->sky}, frames[] = {maps->sun_frame, maps->sky_frame};
    glDeleteTextures(2, textures);
    glDeleteFramebuffers(2, frames);
    *maps = (CairnPainterMaps){0};
}

void cairn_painter_close_maps(CairnPainter *painter) {
    close_maps(&painter->maps[0]);
    close_maps(&painter->maps[1]);
}

const CairnPainterMaps *cairn_painter_maps(const CairnPainter *painter, const CairnPainting *painting) {
    return &painter->maps[!painting->is_coarse];
}

// Between texels it is read softly where a graphics card does that, or where an edge of shadow would be seen.
static void read_map(GLuint map, bool is_soft) {
    glBindTexture(GL_TEXTURE_2D, map);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, is_soft ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, is_soft ? GL_LINEAR : GL_NEAREST);
}

void cairn_painter_size_maps(CairnPainter *painter, const CairnPainting *painting, bool has_many) {
    CairnPainterMaps *maps = &painter->maps[!painting->is_coarse];
    bool is_smooth = painting->look->is_smooth;
    int size = is_smooth ? MAP_SOFT : painting->is_coarse ? MAP_COARSE : MAP_HARD;
    if (size != maps->size) {
        close_maps(maps);
        open_map(size, &maps->sun, &maps->sun_frame);
        open_map(size / 2, &maps->sky, &maps->sky_frame);
        maps->size = size;
    }
    read_map(maps->sun, is_smooth || !has_many);
    read_map(maps->sky, is_smooth);
}

// For a map, where the corners of a coarse outline are not visible.
static void draw_meshes(CairnPainter *painter, const int *starts, bool is_smooth) {
    for (int g = 0; g < painter->mesh_count; g++) {
        if (g != CAIRN_DRAWN_POINT && g != CAIRN_DRAWN_DISC) {
            cairn_painter_solid(painter, is_smooth ? g : cairn_drawn_mesh_coarse(g), starts[g],
                                starts[g + 1] - starts[g]);
        }
    }
}

// A program that makes a map, with that map's light.
static void use_for_map(const CairnPainter *painter, GLuint program, const CairnPainting *painting,
                        CairnMatrices *matrices, bool is_sky) {
    cairn_painter_use(painter, program, painting, matrices);
    cairn_painter_toward(program, is_sky ? cairn_vec3(0, 0.01, 1) : painting->sun, 0);
    cairn_painter_float(program, "u_zoom", (is_sky ? 0.5 : 1) / (double)matrices->texel);
    if (is_sky) {
        glUniformMatrix4fv(glGetUniformLocation(program, "u_light"), 1, GL_FALSE, matrices->sky[0]);
    }
}

static void draw_map(CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices, const int *starts,
                     bool is_sky) {
    const CairnPainterMaps *maps = cairn_painter_maps(painter, painting);
    int size = is_sky ? maps->size / 2 : maps->size;
    glBindFramebuffer(GL_FRAMEBUFFER, is_sky ? maps->sky_frame : maps->sun_frame);
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, size, size);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 4);
    use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW], painting, matrices, is_sky);
    draw_meshes(painter, starts, painting->look->is_smooth);
    int disc = CAIRN_DRAWN_DISC, discs = starts[disc + 1] - starts[disc];
    if (discs > 0) {
        use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW_DISCS], painting, matrices, is_sky);
        cairn_painter_group(painter, disc, starts[disc], discs);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    if (cairn_painter_has_points(starts)) {
        use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW_POINTS], painting, matrices, is_sky);
        cairn_painter_points(painter, starts);
    }
}

static CairnMapped mapped_of(int size, const CairnPainting *painting, CairnMatrices *matrices) {
    CairnMapped mapped;
    memset(&mapped, 0, sizeof mapped); // compared with what lies between its fields
    mapped.sight = painting->sight;
    mapped.serial = painting->sight->serial;
    mapped.size = size;
    mapped.has_sky = painting->look->occlusion;
    mapped.is_smooth = painting->look->is_smooth;
    memcpy(mapped.light, matrices->light, sizeof mapped.light);
    memcpy(mapped.sky, matrices->sky, sizeof mapped.sky);
    return mapped;
}

// Whether two maps are equal but for the sight and its serial.
static bool is_alike(const CairnMapped *a, const CairnMapped *b) {
    CairnMapped then;
    memcpy(&then, a, sizeof then);
    then.sight = b->sight;
    then.serial = b->serial;
    return memcmp(&then, b, sizeof then) == 0;
}

// A picture that is coarse anyway gets one map at a time: the other one is a picture behind, which is not visible in
// motion.
void cairn_painter_draw_maps(CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices,
                             const int *starts) {
    CairnPainterMaps *maps = &painter->maps[!painting->is_coarse], *others = &painter->maps[painting->is_coarse];
    CairnMapped mapped = mapped_of(maps->size, painting, matrices);
    bool is_same = memcmp(&mapped, &maps->mapped, sizeof mapped) == 0, has_sky = painting->look->occlusion;
    if (is_same && !maps->has_old) {
        return;
    }
    if (others->mapped.serial != mapped.serial) { // they are older than a picture behind by the time they are used
        memset(&others->mapped, 0, sizeof others->mapped);
    }
    bool takes_turns = has_sky && painting->is_coarse && painting->is_alone && is_alike(&maps->mapped, &mapped);
    if (!takes_turns || !maps->sky_is_next) {
        draw_map(painter, painting, matrices, starts, false);
    }
    if (has_sky && (!takes_turns || maps->sky_is_next)) {
        draw_map(painter, painting, matrices, starts, true);
    }
    memcpy(&maps->mapped, &mapped, sizeof mapped);
    maps->has_old = takes_turns && !is_same;
    maps->sky_is_next = takes_turns && !maps->sky_is_next;
}
