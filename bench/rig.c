#include "bench/rig.h"

#include <math.h>
#include <stdlib.h>

void bench_rig_free(BenchRig *rig) {
    free(rig->bodies);
    free(rig->joints);
    *rig = (BenchRig){0};
}

static bool begin(BenchRig *rig, const char *name, int bodies, int joints) {
    *rig = (BenchRig){.name = name, .friction = 0.6};
    rig->bodies = calloc((size_t)bodies, sizeof *rig->bodies);
    rig->joints = calloc((size_t)joints + 1, sizeof *rig->joints);
    if (rig->bodies == NULL || rig->joints == NULL) {
        bench_rig_free(rig);
        return false;
    }
    return true;
}

static BenchRigBody *add(BenchRig *rig, CairnShapeDef shape, CairnVec3 position, double mass) {
    BenchRigBody *body = &rig->bodies[rig->body_count++];
    *body = (BenchRigBody){.has_shape = true, .shape = shape, .mass = mass};
    body->shape.friction = rig->friction;
    body->pose = (CairnTransform){.p = position, .q = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), 0)};
    return body;
}

bool bench_rig_tower(BenchRig *rig) {
    enum { LAYERS = 40, ACROSS = 4 };
    // The least overlap that makes every engine see a contact in its first step (of bodies that just touch, some see
    // none).
    static const double radius = 0.2, length = 2, overlap = 1e-5;
    if (!begin(rig, "log tower", LAYERS * ACROSS + 2, 0)) {
        return false;
    }
    add(rig, cairn_half_space(), cairn_vec3(0, 0, 0), 0);
    for (int i = 0; i < LAYERS; i++) {
        for (int k = 0; k < ACROSS; k++) {
            double across = 0.5 * (k - 1.5), z = radius + (2 * radius - overlap) * i - overlap;
            CairnVec3 at = i % 2 == 0 ? cairn_vec3(0, across, z) : cairn_vec3(across, 0, z);
            CairnVec3 axis = i % 2 == 0 ? cairn_vec3(0, 1, 0) : cairn_vec3(1, 0, 0);
            add(rig, cairn_cylinder(radius, length), at, 50)->pose.q = cairn_quat_axis_angle(axis, CAIRN_PI / 2);
        }
    }
    add(rig, cairn_box(2, 2, 0.5), cairn_vec3(0, 0, (2 * radius - overlap) * LAYERS - overlap + 0.25), 2500);
    return true;
}

// Corners of a rock: points on a sphere, unevenly pulled in.
enum { CORNERS = 14, ROCKS = 4 };

static const CairnVec3 *rock(int kind) {
    static CairnVec3 points[ROCKS][CORNERS];
    uint64_t random = 41 + (uint64_t)kind;
    for (int i = 0; i < CORNERS; i++) {
        double z = 1 - (2.0 * i + 1) / CORNERS, r = sqrt(1 - z * z), turn = 2.4 * i;
        double size = cairn_scene_random(&random, 0.2, 0.27);
        points[kind][i] = cairn_vec3(size * r * cos(turn), size * r * sin(turn), size * z);
    }
    return points[kind];
}

bool bench_rig_pile(BenchRig *rig, int rocks) {
    enum { SIDE = 6 };
    if (!begin(rig, "rock pile", rocks + 1, 0)) {
        return false;
    }
    uint64_t random = 5;
    add(rig, cairn_half_space(), cairn_vec3(0, 0, 0), 0);
    for (int i = 0; i < rocks; i++) {
        const CairnShapeDef shapes[4] = {cairn_box(0.45, 0.4, 0.35), cairn_sphere(0.23), cairn_cylinder(0.2, 0.4),
                                         cairn_hull(rock(i / 4 % ROCKS), CORNERS)};
        int layer = i / (SIDE * SIDE), row = i / SIDE % SIDE;
        CairnVec3 at = cairn_vec3(0.55 * (i % SIDE) + cairn_scene_random(&random, -0.04, 0.04),
                                  0.55 * row + cairn_scene_random(&random, -0.04, 0.04), 0.4 + 0.6 * layer);
        CairnVec3 turn = {cairn_scene_random(&random, -0.6, 0.6), cairn_scene_random(&random, -0.6, 0.6),
                          cairn_scene_random(&random, -3, 3)};
        add(rig, shapes[i % 4], at, 180)->pose.q = cairn_quat_exp(turn);
    }
    return true;
}

bool bench_rig_chain(BenchRig *rig, int links, double angle, double load) {
    static const double length = 0.2, mass = 0.25, radius = 0.25;
    if (!begin(rig, "chain", links + 1, links + 1)) {
        return false;
    }
    CairnVec3 along = {sin(angle), 0, -cos(angle)};
    double across = mass * length * length / 12, ball = 0.4 * load * radius * radius;
    for (int i = 0; i <= links; i++) {
        bool is_load = i == links;
        BenchRigBody *body = &rig->bodies[rig->body_count++];
        body->mass = is_load ? load : mass;
        body->inertia = is_load ? cairn_vec3(ball, ball, ball) : cairn_vec3(across, across, 0.01 * across);
        body->pose.p = cairn_scale(length * (is_load ? i : i + 0.5), along);
        body->pose.q = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), -angle);
        rig->joints[rig->joint_count++] = (BenchRigJoint){i - 1, i, cairn_scale(length * i, along)};
    }
    return true;
}

CairnStatus bench_rig_world(const BenchRig *rig, const CairnSolver *solver, const void *options, int threads,
                            CairnWorld **world, CairnBodyId *ids) {
    CairnWorldDef def = cairn_world_def();
    def.thread_count = threads;
    CAIRN_TRY(cairn_world_create(&def, world));
    CAIRN_TRY(cairn_world_set_solver(*world, solver, options));
    CairnBodyId *body_ids = ids != NULL ? ids : calloc((size_t)rig->body_count, sizeof *body_ids);
    CairnStatus status = body_ids != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    for (int i = 0; i < rig->body_count && cairn_is_ok(status); i++) {
        const BenchRigBody *body = &rig->bodies[i];
        CairnBodyDef body_def = cairn_body_def();
        body_def.type = body->mass > 0 ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_STATIC;
        body_def.position = body->pose.p;
        body_def.orientation = body->pose.q;
        body_def.mass = body->mass;
        body_def.inertia = body->has_shape ? cairn_vec3(0, 0, 0) : body->inertia;
        status = body->has_shape ? cairn_body_add(*world, &body_def, &body->shape, &body_ids[i])
                                 : cairn_body_create(*world, &body_def, &body_ids[i]);
    }
    for (int i = 0; i < rig->joint_count && cairn_is_ok(status); i++) {
        const BenchRigJoint *joint = &rig->joints[i];
        CairnJointDef joint_def = cairn_joint_def(CAIRN_JOINT_BALL);
        joint_def.body_a = joint->a >= 0 ? body_ids[joint->a] : (CairnBodyId){0, 0, 0};
        joint_def.body_b = body_ids[joint->b];
        status = cairn_joint_place(*world, &joint_def, joint->point, cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0));
        if (cairn_is_ok(status)) {
            status = cairn_joint_create(*world, &joint_def, NULL);
        }
    }
    if (ids == NULL) {
        free(body_ids);
    }
    return status;
}

// Where the joint's point has gone with one of its bodies.
static CairnVec3 carried(const BenchRig *rig, const CairnTransform *poses, int body, CairnVec3 point) {
    if (body < 0) {
        return point;
    }
    CairnTransform from = rig->bodies[body].pose;
    CairnVec3 local = cairn_unrotate(from.q, cairn_sub(point, from.p));
    return cairn_add(poses[body].p, cairn_rotate(poses[body].q, local));
}

double bench_rig_gap(const BenchRig *rig, const CairnTransform *poses, double *sum) {
    double largest = 0;
    *sum = 0;
    for (int i = 0; i < rig->joint_count; i++) {
        const BenchRigJoint *joint = &rig->joints[i];
        double gap = cairn_length(
            cairn_sub(carried(rig, poses, joint->a, joint->point), carried(rig, poses, joint->b, joint->point)));
        largest = gap <= largest ? largest : gap; // NaN comes through
        *sum += gap;
    }
    return largest;
}

double bench_rig_sunk(const BenchRig *rig, const CairnTransform *poses) {
    int last = rig->body_count - 1;
    return rig->bodies[last].pose.p.z - poses[last].p.z;
}

double bench_rig_drift(const BenchRig *rig, const CairnTransform *poses) {
    double largest = 0;
    for (int i = 0; i < rig->body_count; i++) {
        CairnVec3 moved = cairn_sub(poses[i].p, rig->bodies[i].pose.p);
        double side = hypot(moved.x, moved.y);
        largest = side <= largest ? largest : side;
    }
    return largest;
}
