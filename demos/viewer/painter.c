#include "demos/program/render/render_shade.h"
#include "demos/viewer/painter_passes.h"
#include <stdlib.h>
#include <string.h>

// ---- open and close ----

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
    cairn_painter_close_maps(painter);
    glDeleteBuffers(1, &painter->instances);
    glDeleteVertexArrays(1, &painter->empty);
    *painter = (CairnPainter){0};
}

CairnStatus cairn_painter_upload(CairnPainter *painter, const CairnDrawnMeshStore *store) {
    if (painter->mesh_count == store->count) {
        return cairn_ok();
    }
    struct CairnPainterMesh *meshes = realloc(painter->meshes, (size_t)store->count * sizeof *meshes);
    if (!meshes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d meshes", store->count);
    }
    painter->meshes = meshes;
    for (int i = painter->mesh_count; i < store->count; i++) {
        const CairnDrawnMesh *geometry = &store->items[i];
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

bool cairn_painter_has_points(const int *starts) {
    return starts[CAIRN_DRAWN_POINT + 1] > starts[CAIRN_DRAWN_POINT];
}

// Of the smooth program the one that is meant.
static GLuint program_of(const CairnPainter *painter, const CairnPainting *painting, CairnProgram smooth) {
    return painter
        ->programs[painting->look->is_smooth ? smooth : smooth + CAIRN_PROGRAM_PLAIN_SOLID - CAIRN_PROGRAM_SOLID];
}

void cairn_painter_group(CairnPainter *painter, int g, int first, int count) {
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

void cairn_painter_solid(CairnPainter *painter, int g, int first, int count) {
    if (painter->meshes[g].is_closed) {
        glEnable(GL_CULL_FACE);
    }
    cairn_painter_group(painter, g, first, count);
    glDisable(GL_CULL_FACE);
}

void cairn_painter_points(CairnPainter *painter, const int *starts) {
    int g = CAIRN_DRAWN_POINT;
    glEnable(GL_PROGRAM_POINT_SIZE);
    cairn_painter_group(painter, g, starts[g], starts[g + 1] - starts[g]);
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

// The ball that the sun's map covers: what lies near the camera's target, in coarse steps of size so that shadows do
// not swim.
static void make_matrices(const CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices) {
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
    matrices->texel = 2 * e / (float)cairn_painter_maps(painter, painting)->size;
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

void cairn_painter_float(GLuint program, const char *name, double x) {
    glUniform1f(glGetUniformLocation(program, name), (float)x);
}

void cairn_painter_toward(GLuint program, CairnVec3 v, double is_point) {
    glUniform4f(glGetUniformLocation(program, "u_toward"), (float)v.x, (float)v.y, (float)v.z, (float)is_point);
}

void cairn_painter_use(const CairnPainter *painter, GLuint program, const CairnPainting *painting,
                       CairnMatrices *matrices) {
    const CairnPainterMaps *maps = cairn_painter_maps(painter, painting);
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
    cairn_painter_toward(program, painting->camera.eye, 1);
    cairn_painter_float(program, "u_texel", (double)matrices->texel);
    glUniformMatrix4fv(glGetUniformLocation(program, "u_sky"), 1, GL_FALSE, matrices->sky[0]);
    cairn_painter_float(program, "u_spread", painting->look->occlusion ? (double)matrices->spread : 0);
    // Off the surface, so that it does not meet itself: farther where the map is read by whole texels.
    cairn_painter_float(program, "u_sky_lift", (painting->look->is_smooth ? 3 : 7) * (double)matrices->texel);
    glUniform1i(glGetUniformLocation(program, "u_shadow"), 0);
    glUniform1i(glGetUniformLocation(program, "u_above"), 1);
    glActiveTexture(GL_TEXTURE1);
    bool makes_map = program == painter->programs[CAIRN_PROGRAM_SHADOW] ||
                     program == painter->programs[CAIRN_PROGRAM_SHADOW_POINTS] ||
                     program == painter->programs[CAIRN_PROGRAM_SHADOW_DISCS];
    glBindTexture(GL_TEXTURE_2D, makes_map ? 0 : maps->sky);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, makes_map ? 0 : maps->sun);
}

static void draw_ground(const CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices) {
    GLuint program = program_of(painter, painting, CAIRN_PROGRAM_GROUND);
    const CairnCamera *camera = &painting->camera;
    CairnTints tints = cairn_tints();
    CairnVec3 toward_target = cairn_sub(camera->target, camera->eye);
    double stage = 2.6 * fmax(cairn_length(toward_target), painting->range);
    cairn_painter_use(painter, program, painting, matrices);
    glBindVertexArray(painter->empty);
    for (int i = 0; i < painting->sight->item_count; i++) {
        const CairnSightItem *item = &painting->sight->items[i];
        if (item->kind != CAIRN_PRIMITIVE_PLANE) {
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
        set_vec3(program, "u_forward", cairn_normalize(toward_target));
        CairnColor body_color = {(double)item->color[0], (double)item->color[1], (double)item->color[2]};
        CairnColor ground = painting->theme->ground ? cairn_color(painting->theme->ground) : body_color;
        set_color(program, "u_color", ground);
        set_color(program, "u_field", painting->theme->ground ? cairn_color_mix(ground, body_color, 0.3) : tints.field);
        set_color(program, "u_line", painting->theme->ground ? cairn_color(painting->theme->top) : tints.line);
        cairn_painter_float(program, "u_stage", stage);
        cairn_painter_float(program, "u_grid", painting->grid);
        cairn_painter_float(program, "u_pixel", 2 * tan(camera->fov * CAIRN_PI / 360) / painting->height);
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
        cairn_painter_group(painter, marks->items[first].geometry, first, i - first);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    return cairn_ok();
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
    cairn_painter_float(painter->programs[CAIRN_PROGRAM_POINTS], "u_zoom", 0.5 * painting->height / half);
}

// Balls and capsules, which may have stripes.
static bool is_striped(int geometry) {
    return geometry == CAIRN_DRAWN_SPHERE || geometry == CAIRN_DRAWN_SPHERE_COARSE || geometry == CAIRN_DRAWN_CAPSULE ||
           geometry == CAIRN_DRAWN_CAPSULE_COARSE;
}

// What sets its own depth is tested late, which takes a processor four times as long: so discs do where edges are
// smooth alone.
static void draw_bodies(CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices,
                        const int *starts) {
    int disc = CAIRN_DRAWN_DISC, discs = starts[disc + 1] - starts[disc];
    for (int kind = 0; kind < 2; kind++) {
        cairn_painter_use(painter,
                          program_of(painter, painting, kind == 0 ? CAIRN_PROGRAM_SOLID : CAIRN_PROGRAM_STRIPED),
                          painting, matrices);
        for (int g = 0; g < painter->mesh_count; g++) {
            if (g != disc && g != CAIRN_DRAWN_POINT && is_striped(g) == (kind == 1)) {
                cairn_painter_solid(painter, g, starts[g], starts[g + 1] - starts[g]);
            }
        }
    }
    if (discs > 0) {
        cairn_painter_use(painter,
                          painting->look->is_smooth ? painter->programs[CAIRN_PROGRAM_DEEP_DISCS]
                                                    : painter->programs[CAIRN_PROGRAM_DISCS],
                          painting, matrices);
        cairn_painter_group(painter, disc, starts[disc], discs);
    }
    if (cairn_painter_has_points(starts)) {
        cairn_painter_use(painter, painter->programs[CAIRN_PROGRAM_POINTS], painting, matrices);
        set_rays(painter, painting);
        cairn_painter_points(painter, starts);
    }
}

// Last, as far away as there is, so that only what is seen of it is drawn.
static void draw_backdrop(const CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices) {
    cairn_painter_use(painter, program_of(painter, painting, CAIRN_PROGRAM_BACKDROP), painting, matrices);
    glBindVertexArray(painter->empty);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}

static void draw_solids(CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices,
                        const int *starts) {
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

CairnPainterBox cairn_painting_box(const CairnPainting *painting) {
    return (CairnPainterBox){painting->x, painting->y, painting->width, painting->height};
}

CairnStatus cairn_painter_begin(CairnPainter *painter, const CairnPainting *painting) {
    CAIRN_TRY(cairn_instances_sort(&painter->solids, painting, painter->mesh_count));
    const int *starts = painter->solids.starts;
    CAIRN_TRY(cairn_painter_need(painter, painting->look->is_smooth, starts));
    cairn_painter_size_maps(painter, painting, cairn_painter_has_points(starts));
    glBindBuffer(GL_ARRAY_BUFFER, painter->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)starts[painter->mesh_count] * sizeof(CairnInstance)),
                 painter->solids.data, GL_STREAM_DRAW);
    if (!painting->is_over) {
        CairnMatrices matrices;
        make_matrices(painter, painting, &matrices);
        glEnable(GL_DEPTH_TEST);
        cairn_painter_draw_maps(painter, painting, &matrices, starts);
    }
    return cairn_ok();
}

static void aim(const CairnPainting *painting, CairnPainterBox box) {
    glEnable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, painting->frame);
    glViewport(painting->x, painting->y, painting->width, painting->height);
    glEnable(GL_SCISSOR_TEST);
    glScissor(box.x, box.y, box.width, box.height);
}

static void end_pass(void) {
    glDisable(GL_SCISSOR_TEST);
    glBindVertexArray(0);
}

void cairn_painter_piece(CairnPainter *painter, const CairnPainting *painting, CairnPainterBox box) {
    CairnMatrices matrices;
    make_matrices(painter, painting, &matrices);
    aim(painting, box);
    draw_solids(painter, painting, &matrices, painter->solids.starts);
    end_pass();
}

CairnStatus cairn_painter_end(CairnPainter *painter, const CairnPainting *painting) {
    if (painting->is_over) {
        return cairn_ok();
    }
    CairnMatrices matrices;
    make_matrices(painter, painting, &matrices);
    aim(painting, cairn_painting_box(painting));
    cairn_painter_use(painter, program_of(painter, painting, CAIRN_PROGRAM_SOLID), painting, &matrices);
    CairnStatus status = draw_marks(painter, painting);
    end_pass();
    return status;
}

CairnStatus cairn_painter_draw(CairnPainter *painter, const CairnPainting *painting) {
    CAIRN_TRY(cairn_painter_begin(painter, painting));
    cairn_painter_piece(painter, painting, cairn_painting_box(painting));
    return cairn_painter_end(painter, painting);
}
