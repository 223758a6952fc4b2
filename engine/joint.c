// Joints in a world: made, linked to their bodies, read, taken apart. What a joint does is in engine/joints.
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include "engine/joints/kinds.h"
#include "engine/sleep.h"

// ---- bodies as joints see them ----

static void fill_body(const CairnStore *store, int body, const CairnTransform *frame, CairnJointBody *view) {
    view->inverse_mass = 0;
    view->inverse_inertia = (CairnMat3){0};
    if (body < 0) {
        view->center = frame->p;
        view->frame = *frame;
        view->velocity = (CairnVec6){0};
        return;
    }
    const CairnBody *b = &store->bodies[body];
    view->center = b->center;
    view->frame = cairn_transform_mul(cairn_body_frame(b), *frame);
    view->velocity = (CairnVec6){b->velocity, b->angular_velocity};
}

static void add_mass(const CairnStore *store, int body, CairnJointBody *view) {
    const CairnBody *b = body >= 0 ? &store->bodies[body] : NULL;
    if (b != NULL && b->type == CAIRN_BODY_DYNAMIC && b->model->has_mass) {
        view->inverse_mass = 1.0 / b->model->mass;
        CairnMat3 axes = cairn_body_axes(b);
        view->inverse_inertia = cairn_inertia_of_axes(&axes, cairn_inverse_moments(b));
    }
}

static void fill_pair(const CairnStore *store, const CairnJoint *joint, CairnJointBody bodies[2]) {
    fill_body(store, joint->bodies[0], &joint->core.def.frame_a, &bodies[0]);
    fill_body(store, joint->bodies[1], &joint->core.def.frame_b, &bodies[1]);
}

// The joints whose bodies a joint acts on: itself, or the two that a gear ties. Returns how many.
static int find_tied(const CairnStore *store, int index, const CairnJoint *tied[2]) {
    const CairnJointDef *def = &store->joints[index].core.def;
    if (def->type != CAIRN_JOINT_GEAR) {
        tied[0] = &store->joints[index];
        return 1;
    }
    tied[0] = &store->joints[def->joint_a.index - 1];
    tied[1] = &store->joints[def->joint_b.index - 1];
    return 2;
}

void cairn_world_joint_pose(const CairnStore *store, int index, double h, CairnJointInput *input) {
    const CairnJoint *tied[2];
    int count = find_tied(store, index, tied);
    input->core = &store->joints[index].core;
    input->gear_a = count == 2 ? &tied[0]->core : NULL;
    input->gear_b = count == 2 ? &tied[1]->core : NULL;
    input->h = h;
    for (int k = 0; k < count; k++) {
        fill_pair(store, tied[k], &input->bodies[2 * k]);
    }
}

void cairn_world_joint_input(const CairnStore *store, int index, double h, CairnJointInput *input) {
    const CairnJoint *tied[2];
    int count = find_tied(store, index, tied);
    cairn_world_joint_pose(store, index, h, input);
    bool weighs = cairn_joint_weighs(&input->core->def);
    for (int k = 0; k < 2 * count && weighs; k++) {
        add_mass(store, tied[k / 2]->bodies[k % 2], &input->bodies[k]);
    }
}

bool cairn_store_joins(const CairnStore *store, int body_a, int body_b) {
    for (int e = store->bodies[body_a].first_joint; e >= 0; e = store->joints[e / 2].next[e % 2]) {
        const CairnJoint *joint = &store->joints[e / 2];
        if (joint->bodies[1 - e % 2] == body_b && !joint->core.def.collide_connected) {
            return true;
        }
    }
    return false;
}

// ---- create and destroy ----

// The body of an id, -1 for the null id (the world).
static CairnStatus find_side(const CairnWorld *world, CairnBodyId id, const char *field, int *index) {
    *index = -1;
    if (cairn_body_is_null(id)) {
        return cairn_ok();
    }
    CairnStatus status = cairn_world_find_body(world, id, index);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "joint: %s: %s", field, status.message);
}

static CairnStatus find_bodies(const CairnWorld *world, const CairnJointDef *def, int bodies[2]) {
    CAIRN_TRY(find_side(world, def->body_a, "body_a", &bodies[0]));
    CAIRN_TRY(find_side(world, def->body_b, "body_b", &bodies[1]));
    if (bodies[1] < 0) {
        return cairn_error(CAIRN_INVALID_ID, "joint: body_b is null (only body_a may be: the world)");
    }
    if (bodies[0] == bodies[1]) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: body_a and body_b are the same body, %u", def->body_b.index);
    }
    bool moves_a = bodies[0] >= 0 && world->store.bodies[bodies[0]].type == CAIRN_BODY_DYNAMIC;
    if (!moves_a && world->store.bodies[bodies[1]].type != CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: neither body_a nor body_b (%u) is dynamic",
                           def->body_b.index);
    }
    return cairn_ok();
}

static CairnStatus find_geared(const CairnWorld *world, const CairnJointDef *def) {
    int a, b;
    CairnStatus status = cairn_world_find_joint(world, def->joint_a, &a);
    if (!cairn_is_ok(status)) {
        return cairn_error(status.code, "joint: joint_a: %s", status.message);
    }
    status = cairn_world_find_joint(world, def->joint_b, &b);
    if (!cairn_is_ok(status)) {
        return cairn_error(status.code, "joint: joint_b: %s", status.message);
    }
    const int sides[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        CairnJointType type = world->store.joints[sides[k]].core.def.type;
        if (cairn_joint_kinds[type].gear_axis < 0) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "joint: joint_%c is a %s: a gear couples revolute, prismatic, cylindrical, wheel",
                               'a' + k, cairn_joint_type_name(type));
        }
    }
    return cairn_ok();
}

static void link(CairnStore *store, int index, int side) {
    CairnJoint *joint = &store->joints[index];
    int body = joint->bodies[side];
    if (body >= 0) {
        joint->next[side] = store->bodies[body].first_joint;
        store->bodies[body].first_joint = 2 * index + side;
    }
}

static void unlink_side(CairnStore *store, int index, int side) {
    CairnJoint *joint = &store->joints[index];
    if (joint->bodies[side] < 0) {
        return;
    }
    int *edge = &store->bodies[joint->bodies[side]].first_joint;
    while (*edge != 2 * index + side) {
        edge = &store->joints[*edge / 2].next[*edge % 2];
    }
    *edge = joint->next[side];
}

static void wake_sides(CairnWorld *world, int index) {
    for (int k = 0; k < 2; k++) {
        int body = world->store.joints[index].bodies[k];
        if (body >= 0) {
            cairn_world_wake(world, body);
        }
    }
}

// A gear has no bodies itself: it wakes those of the joints that it couples.
static void wake_joint(CairnWorld *world, int index) {
    const CairnJointDef *def = &world->store.joints[index].core.def;
    if (def->type == CAIRN_JOINT_GEAR) {
        wake_sides(world, (int)def->joint_a.index - 1);
        wake_sides(world, (int)def->joint_b.index - 1);
    }
    wake_sides(world, index);
}

CairnStatus cairn_joint_create(CairnWorld *world, const CairnJointDef *def, CairnJointId *id) {
    if (world == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: world is NULL");
    }
    CAIRN_TRY(cairn_joint_check(def));
    int bodies[2] = {-1, -1};
    if (def->type == CAIRN_JOINT_GEAR) {
        CAIRN_TRY(find_geared(world, def));
    } else {
        CAIRN_TRY(find_bodies(world, def, bodies));
    }
    CairnStore *store = &world->store;
    int needed;
    if (!cairn_pool_prepare(&store->joint_pool, &world->allocator, &needed) ||
        !cairn_memory_reserve(&world->allocator, &store->joints, &store->joint_capacity, needed, sizeof(CairnJoint))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "joint: no memory for joint %d", needed);
    }
    int index = cairn_pool_take(&store->joint_pool);
    CairnJoint *joint = &store->joints[index];
    *joint = (CairnJoint){.core.def = *def, .bodies = {bodies[0], bodies[1]}, .next = {-1, -1}};
    joint->core.def.frame_a.q = cairn_quat_normalize(def->frame_a.q);
    joint->core.def.frame_b.q = cairn_quat_normalize(def->frame_b.q);
    link(store, index, 0);
    link(store, index, 1);
    wake_joint(world, index);
    CairnJointInput input;
    cairn_world_joint_input(store, index, 0, &input);
    cairn_joint_begin(&joint->core, &input);
    world->joint_changes += 1;
    world->has_problem = false;
    if (id != NULL) {
        *id = cairn_world_joint_id(world, index);
    }
    return cairn_ok();
}

static bool is_geared_to(const CairnStore *store, int gear, int joint) {
    const CairnJointDef *def = &store->joints[gear].core.def;
    return cairn_pool_is_alive(&store->joint_pool, gear) && def->type == CAIRN_JOINT_GEAR &&
           ((int)def->joint_a.index - 1 == joint || (int)def->joint_b.index - 1 == joint);
}

void cairn_world_remove_joint(CairnWorld *world, int index) {
    CairnStore *store = &world->store;
    if (store->joints[index].core.def.type != CAIRN_JOINT_GEAR) {
        for (int g = 0; g < store->joint_pool.count; g++) {
            if (is_geared_to(store, g, index)) {
                cairn_pool_give(&store->joint_pool, g); // a gear is in no body's list
            }
        }
    }
    wake_joint(world, index);
    unlink_side(store, index, 0);
    unlink_side(store, index, 1);
    cairn_pool_give(&store->joint_pool, index);
    world->joint_changes += 1;
    world->has_problem = false;
}

CairnStatus cairn_joint_destroy(CairnWorld *world, CairnJointId id) {
    int index;
    CAIRN_TRY(cairn_world_find_joint(world, id, &index));
    cairn_world_remove_joint(world, index);
    return cairn_ok();
}

// ---- read and change ----

CairnStatus cairn_joint_get(const CairnWorld *world, CairnJointId id, CairnJointState *state) {
    int index;
    CAIRN_TRY(cairn_world_find_joint(world, id, &index));
    if (state == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: state is NULL");
    }
    const CairnStore *store = &world->store;
    const CairnJoint *joint = &store->joints[index];
    CairnJointInput input;
    cairn_world_joint_input(store, index, store->last_h > 0 ? store->last_h : 1, &input);
    *state = (CairnJointState){.is_active = true};
    cairn_joint_measure(&input, state);
    if (joint->row_count > 0) {
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        int count = cairn_joint_rows(&input, rows);
        if (count == joint->row_count) { // a change of the definition since the step has made the impulses meaningless
            cairn_joint_forces(&input, rows, count, joint->lambda, state);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_joint_get_def(const CairnWorld *world, CairnJointId id, CairnJointDef *def) {
    int index;
    CAIRN_TRY(cairn_world_find_joint(world, id, &index));
    if (def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: def is NULL");
    }
    *def = world->store.joints[index].core.def;
    return cairn_ok();
}

// Do both make the same rows? A drive's numbers may change every step; its impulse is still the best guess for the
// next.
static bool has_same_rows(const CairnAxis *a, const CairnAxis *b) {
    return a->mode == b->mode && a->drive == b->drive && isfinite(a->lower) == isfinite(b->lower) &&
           isfinite(a->upper) == isfinite(b->upper) && (a->lower == a->upper) == (b->lower == b->upper);
}

CairnStatus cairn_joint_set_axis(CairnWorld *world, CairnJointId id, int axis, const CairnAxis *settings) {
    int index;
    CAIRN_TRY(cairn_world_find_joint(world, id, &index));
    if (axis < CAIRN_X || axis >= CAIRN_AXIS_COUNT || settings == NULL) {
        return settings == NULL ? cairn_error(CAIRN_INVALID_ARGUMENT, "joint: settings is NULL")
                                : cairn_error(CAIRN_INVALID_ARGUMENT,
                                              "joint: axis is %d, must be CAIRN_X (0) ... CAIRN_RZ (5)", axis);
    }
    CairnJointDef changed = world->store.joints[index].core.def;
    changed.axes[axis] = *settings;
    CAIRN_TRY(cairn_joint_check(&changed));
    CairnJoint *joint = &world->store.joints[index];
    if (!has_same_rows(&joint->core.def.axes[axis], settings)) {
        joint->row_count = 0; // the impulses were those of other rows
    }
    wake_joint(world, index);
    world->joint_changes += 1;
    joint->core.def = changed;
    return cairn_ok();
}

// ---- placing ----

static CairnTransform into(const CairnStore *store, int body, CairnTransform world_frame) {
    if (body < 0) {
        return world_frame;
    }
    CairnTransform local =
        cairn_transform_mul(cairn_transform_inverse(cairn_body_frame(&store->bodies[body])), world_frame);
    local.q = cairn_quat_normalize(local.q);
    return local;
}

// The rotation whose x axis is `x` and whose y axis is as near to `y` as it can be.
static CairnQuat frame_of_axes(CairnVec3 x, CairnVec3 y) {
    CairnVec3 t1, t2;
    cairn_tangents(x, &t1, &t2);
    y = cairn_normalize_or(cairn_add_scaled(y, -cairn_dot(x, y), x), t1);
    CairnQuat turn = cairn_quat_between((CairnVec3){1, 0, 0}, x);
    CairnVec3 turned = cairn_rotate(turn, (CairnVec3){0, 1, 0});
    double angle = atan2(cairn_dot(cairn_cross(turned, y), x), cairn_dot(turned, y));
    return cairn_quat_normalize(cairn_quat_mul(cairn_quat_axis_angle(x, angle), turn));
}

CairnStatus cairn_joint_place(const CairnWorld *world, CairnJointDef *def, CairnVec3 point, CairnVec3 x, CairnVec3 y) {
    if (world == NULL || def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: %s is NULL", world == NULL ? "world" : "def");
    }
    int a, b;
    CAIRN_TRY(find_side(world, def->body_a, "body_a", &a));
    CAIRN_TRY(find_side(world, def->body_b, "body_b", &b));
    if (!cairn_vec3_is_finite(point) || !cairn_vec3_is_finite(y)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: point or y is not finite");
    }
    double length = cairn_length(x);
    if (!(length > 0) || !isfinite(length)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: x is (%g, %g, %g), must have a direction", x.x, x.y, x.z);
    }
    CairnTransform frame = {point, frame_of_axes(cairn_scale(1 / length, x), y)};
    def->frame_a = into(&world->store, a, frame);
    def->frame_b = into(&world->store, b, frame);
    return cairn_ok();
}
