#include "bench/collision_scene.h"
#include "solvers/sweeps/pgs.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double draw(uint64_t *random, double low, double high) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*random >> 11) * 0x1p-53;
}

static CairnVec3 draw_vec3(uint64_t *random, double size) {
    double x = draw(random, -size, size), y = draw(random, -size, size);
    return (CairnVec3){x, y, draw(random, -size, size)};
}

static bool allocate(BenchScene *scene, int capacity) {
    size_t n = (size_t)capacity;
    scene->bodies = calloc(n, sizeof *scene->bodies);
    scene->velocities = calloc(n, sizeof *scene->velocities);
    bool is_done = scene->bodies != NULL && scene->velocities != NULL;
    for (int f = 0; f < BENCH_FRAMES; f++) {
        scene->frames[f] = calloc(n, sizeof *scene->frames[f]);
        is_done = is_done && scene->frames[f] != NULL;
    }
    return is_done;
}

void bench_scene_free(BenchScene *scene) {
    free(scene->bodies);
    free(scene->velocities);
    for (int f = 0; f < BENCH_FRAMES; f++) {
        free(scene->frames[f]);
    }
    *scene = (BenchScene){0};
}

static void add(BenchScene *scene, CairnShapeDef shape, bool is_static, CairnVec3 p, CairnQuat q) {
    scene->frames[0][scene->body_count] = (CairnTransform){p, q};
    scene->bodies[scene->body_count++] = (BenchBody){shape, is_static};
    scene->moving_count += is_static ? 0 : 1;
}

static const CairnQuat upright = {1, 0, 0, 0};

// A floor whose top is z = 0, and four walls around a square of `side`.
static void add_pit(BenchScene *scene, double side, double height) {
    double w = side + 4;
    add(scene, cairn_box(w, w, 2), true, (CairnVec3){0, 0, -1}, upright);
    for (int k = 0; k < 4 && height > 0; k++) {
        double sign = k % 2 == 0 ? 1 : -1, at = sign * (0.5 * side + 1);
        bool along_x = k < 2;
        add(scene, along_x ? cairn_box(2, w, height) : cairn_box(w, 2, height), true,
            (CairnVec3){along_x ? at : 0, along_x ? 0 : at, 0.5 * height}, upright);
    }
}

static CairnStatus make_world(const BenchScene *scene, double damping, CairnWorld **world, CairnBodyId *ids) {
    CairnWorldDef def = cairn_world_def();
    def.thread_count = 2;
    CairnStatus status = cairn_world_create(&def, world);
    for (int i = 0; i < scene->body_count && cairn_is_ok(status); i++) {
        CairnBodyDef body = cairn_body_def();
        body.type = scene->bodies[i].is_static ? CAIRN_BODY_STATIC : CAIRN_BODY_DYNAMIC;
        body.position = scene->frames[0][i].p;
        body.orientation = scene->frames[0][i].q;
        body.linear_damping = body.angular_damping = damping;
        status = cairn_body_add(*world, &body, &scene->bodies[i].shape, &ids[i]);
    }
    CairnPgsOptions options = {.iterations = 6, .omega = 1}; // poses that look right are all that is wanted
    return cairn_is_ok(status) ? cairn_world_set_solver(*world, &cairn_solver_pgs, &options) : status;
}

static void read_frame(const BenchScene *scene, const CairnWorld *world, const CairnBodyId *ids, int frame) {
    for (int i = 0; i < scene->body_count; i++) {
        CairnBodyState state;
        if (cairn_is_ok(cairn_body_get(world, ids[i], &state))) {
            scene->frames[frame][i] = (CairnTransform){state.position, state.orientation};
            scene->velocities[i] = state.velocity;
        }
    }
}

// Let the bodies move from where they are for `steps`, and keep the last frames.
static bool simulate(BenchScene *scene, int steps, double damping) {
    CairnWorld *world = NULL;
    CairnBodyId *ids = calloc((size_t)scene->body_count, sizeof *ids);
    CairnStatus status =
        ids != NULL ? make_world(scene, damping, &world, ids) : cairn_error(CAIRN_OUT_OF_MEMORY, "bench");
    for (int k = 0; k < steps && cairn_is_ok(status); k++) {
        status = cairn_world_step(world, 1.0 / 60, NULL);
        int frame = k - (steps - BENCH_FRAMES);
        if (frame >= 0 && cairn_is_ok(status)) {
            read_frame(scene, world, ids, frame);
        }
    }
    cairn_world_destroy(world);
    free(ids);
    return cairn_is_ok(status);
}

bool bench_scene_settled_spheres(BenchScene *scene, int count) {
    uint64_t random = 1;
    int side = (int)ceil(cbrt(count) * 0.9);
    *scene = (BenchScene){.name = "spheres, settled"};
    if (!allocate(scene, count + 5)) {
        return false;
    }
    add_pit(scene, side * 1.02, 2.0 * count / (side * side));
    for (int i = 0; i < count; i++) {
        double step = 1.01, half = 0.5 * (side - 1);
        CairnVec3 p = {step * (i % side - half), step * (i / side % side - half), 0.5 + step * (i / (side * side))};
        double radius = draw(&random, 0.42, 0.5);
        add(scene, cairn_sphere(radius), false, cairn_add(p, draw_vec3(&random, 0.5 - radius)), upright);
    }
    return simulate(scene, 300, 1.0); // half of them slower than 2 cm/s by then, one in a thousand faster than 0.3 m/s
}

bool bench_scene_falling_mix(BenchScene *scene, int count) {
    uint64_t random = 2;
    int side = (int)ceil(cbrt(count) * 0.9);
    *scene = (BenchScene){.name = "mixed, falling"};
    if (!allocate(scene, count + 5)) {
        return false;
    }
    add_pit(scene, side * 1.25, 0);
    for (int i = 0; i < count; i++) {
        double step = 1.2, half = 0.5 * (side - 1), s = draw(&random, 0.8, 1.0);
        CairnVec3 p = {step * (i % side - half), step * (i / side % side - half), 0.8 + step * (i / (side * side))};
        CairnVec3 axis = cairn_normalize_or(draw_vec3(&random, 1), (CairnVec3){1, 0, 0});
        CairnShapeDef shape = i % 3 == 0   ? cairn_sphere(0.5 * s)
                              : i % 3 == 1 ? cairn_box(0.8 * s, 0.7 * s, 0.9 * s)
                                           : cairn_cylinder(0.4 * s, 0.8 * s);
        add(scene, shape, false, cairn_add(p, draw_vec3(&random, 0.05)),
            cairn_quat_axis_angle(axis, draw(&random, 0, 3)));
    }
    return simulate(scene, 45, 0);
}

bool bench_scene_log_tower(BenchScene *scene, int logs) {
    *scene = (BenchScene){.name = "log tower"};
    if (!allocate(scene, logs + 1)) {
        return false;
    }
    add_pit(scene, 20, 0);
    const double radius = 0.1, length = 2.0;
    for (int i = 0; i < logs; i++) { // four to a layer, crosswise
        int layer = i / 4;
        double across = 0.5 * (i % 4 - 1.5), z = radius + layer * (2 * radius - 0.002);
        bool along_x = layer % 2 == 0;
        CairnVec3 axis = along_x ? (CairnVec3){0, 1, 0} : (CairnVec3){1, 0, 0};
        add(scene, cairn_cylinder(radius, length), false, (CairnVec3){along_x ? 0 : across, along_x ? across : 0, z},
            cairn_quat_axis_angle(axis, 0.5 * CAIRN_PI));
    }
    uint64_t random = 3;
    for (int f = 1; f < BENCH_FRAMES; f++) {
        for (int i = 0; i < scene->body_count; i++) {
            CairnTransform pose = scene->frames[0][i];
            pose.p = cairn_add(pose.p, draw_vec3(&random, scene->bodies[i].is_static ? 0 : 1e-5));
            scene->frames[f][i] = pose;
        }
    }
    return true;
}

bool bench_scene_block(BenchScene *scene, int count) {
    uint64_t random = 4;
    int side = (int)ceil(cbrt(count));
    *scene = (BenchScene){.name = "block of spheres"};
    if (!allocate(scene, count + 1)) {
        return false;
    }
    add_pit(scene, 1.1 * side, 0);
    // Rows one above the other and pushed together by 1 % of a diameter: about three points a body, as in a heap.
    for (int i = 0; i < count; i++) {
        double step = 0.99, half = 0.5 * (side - 1);
        CairnVec3 p = {step * (i % side - half), step * (i / side % side - half), 0.49 + step * (i / (side * side))};
        add(scene, cairn_sphere(0.5), false, cairn_add(p, draw_vec3(&random, 0.004)), upright);
    }
    for (int f = 1; f < BENCH_FRAMES; f++) {
        for (int i = 0; i < scene->body_count; i++) {
            CairnTransform pose = scene->frames[0][i];
            pose.p = cairn_add(pose.p, draw_vec3(&random, scene->bodies[i].is_static ? 0 : 1e-4));
            scene->frames[f][i] = pose;
        }
    }
    return true;
}
