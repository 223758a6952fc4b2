#include "demos/viewer/painter.h"
#include "demos/program/render_shade.h"
#include "demos/viewer/gpu.h"
#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

// Texels a side of the sun's map: with soft shadows, with hard ones, and where the picture has fewer pixels itself.
enum { MAP_SOFT = 2048, MAP_HARD = 1024, MAP_COARSE = 512 };

typedef struct Matrices {
    mat4 camera, light, sky;
    float texel;  // of the shadow map, metres
    float spread; // of the sky's light, share of its map
} Matrices;

// ---- open and close ----

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

static void close_maps(CairnPainter *painter) {
    GLuint maps[] = {painter->map, painter->sky}, frames[] = {painter->map_frame, painter->sky_frame};
    glDeleteTextures(2, maps);
    glDeleteFramebuffers(2, frames);
}

// Between texels it is read softly where a graphics card does that, or where an edge of shadow would be seen.
static void read_map(GLuint map, bool is_soft) {
    glBindTexture(GL_TEXTURE_2D, map);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, is_soft ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, is_soft ? GL_LINEAR : GL_NEAREST);
}

static void size_maps(CairnPainter *painter, const CairnPainting *painting, bool has_many) {
    bool is_smooth = painting->look->is_smooth;
    int size = is_smooth ? MAP_SOFT : painting->is_coarse ? MAP_COARSE : MAP_HARD;
    if (size != painter->map_size) {
        close_maps(painter);
        open_map(size, &painter->map, &painter->map_frame);
        open_map(size / 2, &painter->sky, &painter->sky_frame);
        painter->map_size = size;
    }
    read_map(painter->map, is_smooth || !has_many);
    read_map(painter->sky, is_smooth);
}

CairnStatus cairn_painter_open(CairnPainter *painter) {
    *painter = (CairnPainter){0};
    glGenBuffers(1, &painter->instances);
    glGenVertexArrays(1, &painter->empty);
    return cairn_ok();
}

void cairn_painter_close(CairnPainter *painter) {
    for (int i = 0; i < painter->mesh_count; i++) {
        glDeleteVertexArrays(1, &painter->meshes[i].array);
        glDeleteBuffers(1, &painter->meshes[i].buffer);
    }
    free(painter->meshes);
    cairn_instances_free(&painter->solids);
    for (int i = 0; i < CAIRN_PROGRAM_COUNT; i++) {
        glDeleteProgram(painter->programs[i]);
    }
    cairn_marks_free(&painter->marks);
    close_maps(painter);
    glDeleteBuffers(1, &painter->instances);
    glDeleteVertexArrays(1, &painter->empty);
    *painter = (CairnPainter){0};
}

CairnStatus cairn_painter_upload(CairnPainter *painter, const CairnGeometryStore *store) {
    if (painter->mesh_count == store->count) {
        return cairn_ok();
    }
    struct CairnPainterMesh *meshes = realloc(painter->meshes, (size_t)store->count * sizeof *meshes);
    if (!meshes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d meshes", store->count);
    }
    painter->meshes = meshes;
    for (int i = painter->mesh_count; i < store->count; i++) {
        const CairnGeometry *geometry = &store->items[i];
        meshes[i].vertex_count = geometry->vertex_count;
        meshes[i].is_closed = geometry->is_closed;
        glGenVertexArrays(1, &meshes[i].array);
        glBindVertexArray(meshes[i].array);
        glGenBuffers(1, &meshes[i].buffer);
        glBindBuffer(GL_ARRAY_BUFFER, meshes[i].buffer);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)geometry->vertex_count * sizeof *geometry->vertices),
                     geometry->vertices, GL_STATIC_DRAW);
        glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(CairnVertex), (const void *)0);
        glVertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, sizeof(CairnVertex), (const void *)offsetof(CairnVertex, end));
        glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, sizeof(CairnVertex),
                              (const void *)offsetof(CairnVertex, normal));
        bool is_point = geometry->vertex_count == 1; // an instance is a vertex
        for (GLuint k = is_point ? 3 : 0; k < 7; k++) {
            glEnableVertexAttribArray(k);
            glVertexAttribDivisor(k, k >= 3 && !is_point);
        }
    }
    glBindVertexArray(0);
    painter->mesh_count = store->count;
    return cairn_ok();
}

static bool has_points(const int *starts) {
    return starts[CAIRN_GEOMETRY_POINT + 1] > starts[CAIRN_GEOMETRY_POINT];
}

// Of the smooth program the one that is meant.
static GLuint program_of(const CairnPainter *painter, const CairnPainting *painting, CairnProgram smooth) {
    return painter
        ->programs[painting->look->is_smooth ? smooth : smooth + CAIRN_PROGRAM_PLAIN_SOLID - CAIRN_PROGRAM_SOLID];
}

// ---- what is drawn with the same geometry lies together ----

static void draw_group(CairnPainter *painter, int g, int first, int count) {
    if (count == 0) {
        return;
    }
    glBindVertexArray(painter->meshes[g].array);
    glBindBuffer(GL_ARRAY_BUFFER, painter->instances);
    for (GLuint k = 0; k < 4; k++) {
        glVertexAttribPointer(3 + k, 4, GL_FLOAT, GL_FALSE, sizeof(CairnInstance),
                              (const void *)((size_t)first * sizeof(CairnInstance) + k * 4 * sizeof(float)));
    }
    if (painter->meshes[g].vertex_count > 1) {
        glDrawArraysInstanced(GL_TRIANGLES, 0, painter->meshes[g].vertex_count, count);
    } else { // instances of one vertex would cost a processor a round each
        glDrawArrays(GL_POINTS, 0, count);
    }
    painter->draw_calls++;
}

// Solids: the backs of those that are closed are not seen, and half of the triangles need not be drawn.
static void draw_solid(CairnPainter *painter, int g, int first, int count) {
    if (painter->meshes[g].is_closed) {
        glEnable(GL_CULL_FACE);
    }
    draw_group(painter, g, first, count);
    glDisable(GL_CULL_FACE);
}

// For a map: nobody counts the corners of a shadow.
static void draw_meshes(CairnPainter *painter, const int *starts, bool is_smooth) {
    for (int g = 0; g < painter->mesh_count; g++) {
        if (g != CAIRN_GEOMETRY_POINT && g != CAIRN_GEOMETRY_DISC) {
            draw_solid(painter, is_smooth ? g : cairn_geometry_coarse(g), starts[g], starts[g + 1] - starts[g]);
        }
    }
}

static void draw_points(CairnPainter *painter, const int *starts) {
    int g = CAIRN_GEOMETRY_POINT;
    glEnable(GL_PROGRAM_POINT_SIZE);
    draw_group(painter, g, starts[g], starts[g + 1] - starts[g]);
    glDisable(GL_PROGRAM_POINT_SIZE);
}

// ---- cameras ----

static void to_float(CairnVec3 v, vec3 out) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void look(CairnVec3 eye, CairnVec3 target, mat4 view) {
    vec3 e, t;
    to_float(eye, e);
    to_float(target, t);
    bool is_upright = eye.x == target.x && eye.y == target.y;
    glm_lookat(e, t, is_upright ? (vec3){0, 1, 0} : (vec3){0, 0, 1}, view);
}

// The ball that the sun's map covers: what lies near the camera's target, in coarse steps of size so that shadows do not swim.
static void make_matrices(const CairnPainter *painter, const CairnPainting *painting, Matrices *matrices) {
    const CairnSight *sight = painting->sight;
    const CairnCamera *camera = &painting->camera;
    double distance = cairn_length(cairn_sub(camera->eye, camera->target)), range = fmax(2 * distance, painting->range);
    mat4 view, lens;
    look(camera->eye, camera->target, view);
    glm_perspective((float)(camera->fov * CAIRN_PI / 180), (float)painting->width / (float)painting->height,
                    (float)(0.02 * distance), (float)(12 * range), lens);
    glm_mat4_mul(lens, view, matrices->camera);
    double extent = 0.1 * painting->range;
    for (int i = 0; i < sight->item_count; i++) {
        const CairnSightItem *item = &sight->items[i];
        CairnVec3 p = {(double)item->position[0], (double)item->position[1], (double)item->position[2]};
        double away = cairn_length(cairn_sub(p, camera->target)) + (double)item->reach;
        extent = away < range && away > extent && item->reach > 0 ? away : extent;
    }
    extent = pow(1.25, ceil(log(extent) / log(1.25)));
    look(cairn_add_scaled(camera->target, 2 * extent, painting->sun), camera->target, view);
    float e = (float)extent;
    glm_ortho(-e, e, -e, e, 0.5f * e, 4 * e, lens);
    glm_mat4_mul(lens, view, matrices->light);
    matrices->texel = 2 * e / (float)painter->map_size;
    look(cairn_add_scaled(camera->target, 2 * extent, cairn_vec3(0, 0, 1)), camera->target, view);
    glm_mat4_mul(lens, view, matrices->sky);
    matrices->spread = (float)(0.035 * painting->range / (2 * extent));
}

// ---- passes ----

static void set_vec3(GLuint program, const char *name, CairnVec3 v) {
    glUniform3f(glGetUniformLocation(program, name), (float)v.x, (float)v.y, (float)v.z);
}

static void set_color(GLuint program, const char *name, CairnColor c) {
    set_vec3(program, name, cairn_vec3(c.r, c.g, c.b));
}

static void set_float(GLuint program, const char *name, double x) {
    glUniform1f(glGetUniformLocation(program, name), (float)x);
}

// What discs face: a point (share 1), or what lies in a direction (share 0).
static void set_toward(GLuint program, CairnVec3 v, double share) {
    glUniform4f(glGetUniformLocation(program, "u_toward"), (float)v.x, (float)v.y, (float)v.z, (float)share);
}

// A program, and what they all know of the view. Names that a program does not have are ignored (location -1).
static void use(const CairnPainter *painter, GLuint program, const CairnPainting *painting, Matrices *matrices) {
    CairnTints tints = cairn_tints();
    if (painting->theme->top) {
        tints.top = cairn_color(painting->theme->top);
        tints.bottom = cairn_color(painting->theme->bottom);
    }
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "u_camera"), 1, GL_FALSE, matrices->camera[0]);
    glUniformMatrix4fv(glGetUniformLocation(program, "u_light"), 1, GL_FALSE, matrices->light[0]);
    glUniform4f(glGetUniformLocation(program, "u_viewport"), (float)painting->x, (float)painting->y,
                (float)painting->width, (float)painting->height);
    set_color(program, "u_top", tints.top);
    set_color(program, "u_bottom", tints.bottom);
    set_color(program, "u_cream", tints.cream);
    set_vec3(program, "u_sun", painting->sun);
    set_vec3(program, "u_eye", painting->camera.eye);
    set_toward(program, painting->camera.eye, 1);
    set_float(program, "u_texel", (double)matrices->texel);
    glUniformMatrix4fv(glGetUniformLocation(program, "u_sky"), 1, GL_FALSE, matrices->sky[0]);
    set_float(program, "u_spread", painting->look->occlusion ? (double)matrices->spread : 0);
    // Off the surface, so that it does not meet itself: farther where the map is read by whole texels.
    set_float(program, "u_sky_lift", (painting->look->is_smooth ? 3 : 7) * (double)matrices->texel);
    glUniform1i(glGetUniformLocation(program, "u_shadow"), 0);
    glUniform1i(glGetUniformLocation(program, "u_above"), 1);
    glActiveTexture(GL_TEXTURE1);
    bool makes_map = program == painter->programs[CAIRN_PROGRAM_SHADOW] ||
                     program == painter->programs[CAIRN_PROGRAM_SHADOW_POINTS] ||
                     program == painter->programs[CAIRN_PROGRAM_SHADOW_DISCS];
    glBindTexture(GL_TEXTURE_2D, makes_map ? 0 : painter->sky);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, makes_map ? 0 : painter->map);
}

static void draw_ground(const CairnPainter *painter, const CairnPainting *painting, Matrices *matrices) {
    GLuint program = program_of(painter, painting, CAIRN_PROGRAM_GROUND);
    const CairnCamera *camera = &painting->camera;
    CairnTints tints = cairn_tints();
    CairnVec3 way = cairn_sub(camera->target, camera->eye);
    double stage = 2.6 * fmax(cairn_length(way), painting->range);
    use(painter, program, painting, matrices);
    glBindVertexArray(painter->empty);
    for (int i = 0; i < painting->sight->item_count; i++) {
        const CairnSightItem *item = &painting->sight->items[i];
        if (item->kind != CAIRN_PART_PLANE) {
            continue;
        }
        const float *p = item->position, *q = item->turn;
        CairnQuat turn = {(double)q[3], (double)q[0], (double)q[1], (double)q[2]};
        CairnVec3 origin = {(double)p[0], (double)p[1], (double)p[2]};
        CairnVec3 normal = cairn_rotate(turn, cairn_vec3(0, 0, 1));
        double above = cairn_dot(normal, cairn_sub(camera->target, origin));
        if (cairn_dot(normal, cairn_sub(camera->eye, origin)) < 0) {
            continue; // from below, what stands on it is seen
        }
        set_vec3(program, "u_origin", origin);
        set_vec3(program, "u_right", cairn_rotate(turn, cairn_vec3(1, 0, 0)));
        set_vec3(program, "u_front", cairn_rotate(turn, cairn_vec3(0, 1, 0)));
        set_vec3(program, "u_middle", cairn_add_scaled(camera->target, -above, normal));
        set_vec3(program, "u_target", camera->target);
        set_vec3(program, "u_forward", cairn_normalize(way));
        CairnColor own = {(double)item->color[0], (double)item->color[1], (double)item->color[2]};
        CairnColor ground = painting->theme->ground ? cairn_color(painting->theme->ground) : own;
        set_color(program, "u_color", ground);
        set_color(program, "u_field", painting->theme->ground ? cairn_color_mix(ground, own, 0.3) : tints.field);
        set_color(program, "u_line", painting->theme->ground ? cairn_color(painting->theme->top) : tints.line);
        set_float(program, "u_stage", stage);
        set_float(program, "u_grid", painting->grid);
        set_float(program, "u_pixel", 2 * tan(camera->fov * CAIRN_PI / 360) / painting->height);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

static void fill_mark(const CairnMark *mark, CairnInstance instance) {
    CairnColor c = cairn_color(mark->rgb);
    float width = (float)mark->width;
    float values[16] = {(float)mark->at.x,
                        (float)mark->at.y,
                        (float)mark->at.z,
                        CAIRN_SURFACE_ARROW,
                        (float)mark->turn.x,
                        (float)mark->turn.y,
                        (float)mark->turn.z,
                        (float)mark->turn.w,
                        width,
                        width,
                        (float)mark->half,
                        0,
                        (float)c.r,
                        (float)c.g,
                        (float)c.b,
                        mark->alpha};
    memcpy(instance, values, sizeof values);
}

// They act inside the pile, so they are drawn over it.
static CairnStatus draw_marks(CairnPainter *painter, const CairnPainting *painting) {
    CairnMarking marking = {.sight = painting->sight,
                            .first = painting->first,
                            .look = painting->look,
                            .eye = painting->camera.eye,
                            .force_length = painting->force_length,
                            .selected = painting->selected};
    CairnMarks *marks = &painter->marks;
    CAIRN_TRY(cairn_marks_make(marks, &marking));
    CAIRN_TRY(cairn_instances_room(&painter->solids, marks->count));
    for (int i = 0; i < marks->count; i++) {
        fill_mark(&marks->items[i], painter->solids.data[i]);
    }
    glBindBuffer(GL_ARRAY_BUFFER, painter->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)marks->count * sizeof(CairnInstance)), painter->solids.data,
                 GL_STREAM_DRAW);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (int first = 0, i = 0; i < marks->count; first = i) {
        bool is_clear = marks->items[first].alpha < 1;
        while (i < marks->count && marks->items[i].geometry == marks->items[first].geometry &&
               (marks->items[i].alpha < 1) == is_clear) {
            i++;
        }
        glDepthMask(is_clear ? GL_FALSE : GL_TRUE);
        draw_group(painter, marks->items[first].geometry, first, i - first);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    return cairn_ok();
}

// A program that makes a map, with that map's light.
static void use_for_map(const CairnPainter *painter, GLuint program, const CairnPainting *painting, Matrices *matrices,
                        bool is_sky) {
    use(painter, program, painting, matrices);
    set_toward(program, is_sky ? cairn_vec3(0, 0.01, 1) : painting->sun, 0);
    set_float(program, "u_zoom", (is_sky ? 0.5 : 1) / (double)matrices->texel);
    if (is_sky) {
        glUniformMatrix4fv(glGetUniformLocation(program, "u_light"), 1, GL_FALSE, matrices->sky[0]);
    }
}

static void draw_map(CairnPainter *painter, const CairnPainting *painting, Matrices *matrices, const int *starts,
                     bool is_sky) {
    int size = is_sky ? painter->map_size / 2 : painter->map_size;
    glBindFramebuffer(GL_FRAMEBUFFER, is_sky ? painter->sky_frame : painter->map_frame);
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, size, size);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 4);
    use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW], painting, matrices, is_sky);
    draw_meshes(painter, starts, painting->look->is_smooth);
    int disc = CAIRN_GEOMETRY_DISC, discs = starts[disc + 1] - starts[disc];
    if (discs > 0) {
        use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW_DISCS], painting, matrices, is_sky);
        draw_group(painter, disc, starts[disc], discs);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    if (has_points(starts)) {
        use_for_map(painter, painter->programs[CAIRN_PROGRAM_SHADOW_POINTS], painting, matrices, is_sky);
        draw_points(painter, starts);
    }
}

static CairnPainterMaps maps_of(const CairnPainter *painter, const CairnPainting *painting, Matrices *matrices) {
    CairnPainterMaps maps;
    memset(&maps, 0, sizeof maps); // compared with what lies between its fields
    maps.sight = painting->sight;
    maps.serial = painting->sight->serial;
    maps.size = painter->map_size;
    maps.has_sky = painting->look->occlusion;
    maps.is_smooth = painting->look->is_smooth;
    memcpy(maps.light, matrices->light, sizeof maps.light);
    memcpy(maps.sky, matrices->sky, sizeof maps.sky);
    return maps;
}

// The same but for what has moved.
static bool is_alike(const CairnPainterMaps *a, const CairnPainterMaps *b) {
    CairnPainterMaps then;
    memcpy(&then, a, sizeof then);
    then.sight = b->sight;
    then.serial = b->serial;
    return memcmp(&then, b, sizeof then) == 0;
}

// A picture that is coarse anyway gets one map at a time: the other one is a picture behind, which nobody sees in what moves.
static void draw_maps(CairnPainter *painter, const CairnPainting *painting, Matrices *matrices, const int *starts) {
    CairnPainterMaps maps = maps_of(painter, painting, matrices);
    bool is_same = memcmp(&maps, &painter->maps, sizeof maps) == 0, has_sky = painting->look->occlusion;
    if (is_same && !painter->has_old_map) {
        return;
    }
    bool takes_turns = has_sky && painting->is_coarse && painting->is_alone && is_alike(&painter->maps, &maps);
    if (!takes_turns || !painter->sky_is_next) {
        draw_map(painter, painting, matrices, starts, false);
    }
    if (has_sky && (!takes_turns || painter->sky_is_next)) {
        draw_map(painter, painting, matrices, starts, true);
    }
    memcpy(&painter->maps, &maps, sizeof maps);
    painter->has_old_map = takes_turns && !is_same;
    painter->sky_is_next = takes_turns && !painter->sky_is_next;
}

// The rays through a picture, for balls that are points.
static void set_rays(const CairnPainter *painter, const CairnPainting *painting) {
    const CairnCamera *camera = &painting->camera;
    double half = tan(0.5 * camera->fov * CAIRN_PI / 180);
    CairnVec3 ahead = cairn_normalize(cairn_sub(camera->target, camera->eye));
    CairnVec3 right = cairn_normalize_or(cairn_cross(ahead, cairn_vec3(0, 0, 1)), cairn_vec3(1, 0, 0));
    set_vec3(painter->programs[CAIRN_PROGRAM_POINTS], "u_ahead", ahead);
    set_vec3(painter->programs[CAIRN_PROGRAM_POINTS], "u_across",
             cairn_scale(half * painting->width / painting->height, right));
    set_vec3(painter->programs[CAIRN_PROGRAM_POINTS], "u_up", cairn_scale(half, cairn_cross(right, ahead)));
    set_float(painter->programs[CAIRN_PROGRAM_POINTS], "u_zoom", 0.5 * painting->height / half);
}

// Balls and capsules, which may have stripes.
static bool is_striped(int geometry) {
    return geometry == CAIRN_GEOMETRY_SPHERE || geometry == CAIRN_GEOMETRY_SPHERE_COARSE ||
           geometry == CAIRN_GEOMETRY_CAPSULE || geometry == CAIRN_GEOMETRY_CAPSULE_COARSE;
}

// What sets its own depth is tested late, which takes a processor four times as long: so discs do where edges are smooth alone.
static void draw_bodies(CairnPainter *painter, const CairnPainting *painting, Matrices *matrices, const int *starts) {
    int disc = CAIRN_GEOMETRY_DISC, discs = starts[disc + 1] - starts[disc];
    for (int kind = 0; kind < 2; kind++) {
        use(painter, program_of(painter, painting, kind == 0 ? CAIRN_PROGRAM_SOLID : CAIRN_PROGRAM_STRIPED), painting,
            matrices);
        for (int g = 0; g < painter->mesh_count; g++) {
            if (g != disc && g != CAIRN_GEOMETRY_POINT && is_striped(g) == (kind == 1)) {
                draw_solid(painter, g, starts[g], starts[g + 1] - starts[g]);
            }
        }
    }
    if (discs > 0) {
        use(painter,
            painting->look->is_smooth ? painter->programs[CAIRN_PROGRAM_DEEP_DISCS]
                                      : painter->programs[CAIRN_PROGRAM_DISCS],
            painting, matrices);
        draw_group(painter, disc, starts[disc], discs);
    }
    if (has_points(starts)) {
        use(painter, painter->programs[CAIRN_PROGRAM_POINTS], painting, matrices);
        set_rays(painter, painting);
        draw_points(painter, starts);
    }
}

// Last, as far away as there is, so that only what is seen of it is drawn.
static void draw_backdrop(const CairnPainter *painter, const CairnPainting *painting, Matrices *matrices) {
    use(painter, program_of(painter, painting, CAIRN_PROGRAM_BACKDROP), painting, matrices);
    glBindVertexArray(painter->empty);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}

static void draw_solids(CairnPainter *painter, const CairnPainting *painting, Matrices *matrices, const int *starts) {
    if (painting->is_over) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        draw_bodies(painter, painting, matrices, starts);
        glDisable(GL_BLEND);
        return;
    }
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_bodies(painter, painting, matrices, starts);
    draw_ground(painter, painting, matrices);
    draw_backdrop(painter, painting, matrices);
}

CairnStatus cairn_painter_draw(CairnPainter *painter, const CairnPainting *painting) {
    CAIRN_TRY(cairn_instances_sort(&painter->solids, painting, painter->mesh_count));
    const int *starts = painter->solids.starts;
    CAIRN_TRY(cairn_painter_need(painter, painting->look->is_smooth, starts));
    size_maps(painter, painting, has_points(starts));
    glBindBuffer(GL_ARRAY_BUFFER, painter->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)starts[painter->mesh_count] * sizeof(CairnInstance)),
                 painter->solids.data, GL_STREAM_DRAW);
    Matrices matrices;
    make_matrices(painter, painting, &matrices);
    glEnable(GL_DEPTH_TEST);
    if (!painting->is_over) {
        draw_maps(painter, painting, &matrices, starts);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, painting->frame);
    glViewport(painting->x, painting->y, painting->width, painting->height);
    glEnable(GL_SCISSOR_TEST);
    glScissor(painting->x, painting->y, painting->width, painting->height);
    draw_solids(painter, painting, &matrices, starts);
    use(painter, program_of(painter, painting, CAIRN_PROGRAM_SOLID), painting, &matrices);
    CairnStatus status = painting->is_over ? cairn_ok() : draw_marks(painter, painting);
    glDisable(GL_SCISSOR_TEST);
    glBindVertexArray(0);
    return status;
}
