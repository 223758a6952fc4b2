#include "demos/scenes/builders_rod.h"

enum { CLASSES = 32, FIRST = 32 }; // a segment's class is its number modulo CLASSES, a bit from FIRST on

CairnRod cairn_rod(void) {
    return (CairnRod){.count = 40,
                      .radius = 0.004,
                      .density = 1000,
                      .young = 1e6,
                      .poisson = 0.49,
                      .loss = 0.01,
                      .friction = 0.4,
                      .has_shapes = true,
                      .group = -1,
                      .group_size = 1,
                      .category = 2,
                      .mask = 0xffffffff};
}

static CairnStatus check(const CairnRod *rod) {
    const double numbers[] = {rod->radius, rod->density, rod->young};
    static const char *const names[] = {"radius", "density", "young"};
    for (int i = 0; i < 3; i++) {
        if (!(numbers[i] > 0) || !isfinite(numbers[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "rod: %s = %g must be positive", names[i], numbers[i]);
        }
    }
    if (!(rod->poisson > -1 && rod->poisson <= 0.5)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "rod: poisson = %g must be in (-1, 0.5]", rod->poisson);
    }
    if (rod->count < 1 || rod->group_size < 1) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "rod: count = %d and group_size = %d must be at least 1", rod->count,
                           rod->group_size);
    }
    return cairn_ok();
}

static void set_spring(const CairnRod *rod, CairnAxis *axis, double stiffness) {
    axis->mode = CAIRN_AXIS_FREE;
    axis->drive = CAIRN_DRIVE_SPRING;
    axis->stiffness = stiffness;
    axis->damping = rod->loss * stiffness;
}

// The springs of a piece of rod of this length; x of the joint is its direction.
static CairnJointDef spring(const CairnRod *rod, double length) {
    double square = rod->radius * rod->radius, area = CAIRN_PI * square, second = 0.25 * area * square,
           shear = rod->young / (2 * (1 + rod->poisson)), round = 6 * (1 + rod->poisson) / (7 + 6 * rod->poisson);
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
    set_spring(rod, &joint.axes[CAIRN_X], rod->young * area / length);
    set_spring(rod, &joint.axes[CAIRN_Y], round * shear * area / length);
    set_spring(rod, &joint.axes[CAIRN_Z], round * shear * area / length);
    set_spring(rod, &joint.axes[CAIRN_RX], shear * 2 * second / length);
    set_spring(rod, &joint.axes[CAIRN_RY], rod->young * second / length);
    set_spring(rod, &joint.axes[CAIRN_RZ], rod->young * second / length);
    return joint;
}

// Segments know each other by their classes alone: each meets all classes but those of the segments that lie within
// little more than a diameter of it.
static CairnFilter filter_of(const CairnRod *rod, int i, double length) {
    uint64_t all = ~(uint64_t)0 << FIRST, near = 0;
    int reach = (int)(2.5 * rod->radius / length) + 2; // with what a contact's margin adds
    for (int k = -reach; k <= reach; k++) {
        near |= (uint64_t)1 << (FIRST + (i + k % CLASSES + CLASSES) % CLASSES);
    }
    CairnFilter filter = {rod->category & ~all, rod->mask & ~all & ~rod->category};
    if (rod->meets_itself) {
        filter.category |= (uint64_t)1 << (FIRST + i % CLASSES);
        filter.mask |= all & ~near;
    }
    return filter;
}

static CairnStatus add_segment(CairnWorld *world, const CairnRod *rod, int i, CairnVec3 from, CairnVec3 to,
                               CairnBodyId *id) {
    CairnVec3 along = cairn_sub(to, from);
    double length = cairn_length(along), square = rod->radius * rod->radius;
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_add_scaled(from, 0.5, along);
    body.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(along));
    body.mass = rod->density * CAIRN_PI * square * length;
    double across = body.mass * (0.25 * square + length * length / 12);
    body.inertia = cairn_vec3(across, across, 0.5 * body.mass * square);
    body.linear_damping = body.angular_damping = rod->damping;
    body.group = rod->group < 0 ? -1 : rod->group + i / rod->group_size;
    CAIRN_TRY(cairn_body_create(world, &body, id));
    if (!rod->has_shapes) {
        return cairn_ok();
    }
    CairnShapeDef capsule = cairn_capsule(rod->radius, length);
    capsule.friction = rod->friction;
    capsule.filter = filter_of(rod, i, length);
    return cairn_shape_create(world, *id, &capsule, NULL);
}

static CairnStatus join(CairnWorld *world, CairnJointDef *joint, CairnVec3 point, CairnQuat turn, CairnJointId *id) {
    CAIRN_TRY(cairn_joint_place(world, joint, point, cairn_rotate(turn, cairn_vec3(0, 0, 1)),
                                cairn_rotate(turn, cairn_vec3(1, 0, 0))));
    return cairn_joint_create(world, joint, id);
}

CairnStatus cairn_build_elastic(CairnWorld *world, const CairnRod *rod, const CairnVec3 *points, CairnBodyId *ids) {
    CAIRN_TRY(check(rod));
    double last = 0;
    for (int i = 0; i < rod->count; i++) {
        double length = cairn_length(cairn_sub(points[i + 1], points[i]));
        CAIRN_TRY(add_segment(world, rod, i, points[i], points[i + 1], &ids[i]));
        if (i > 0) {
            CairnBodyState before;
            CAIRN_TRY(cairn_body_get(world, ids[i - 1], &before));
            CairnJointDef joint = spring(rod, 0.5 * (last + length));
            joint.body_a = ids[i - 1];
            joint.body_b = ids[i];
            CAIRN_TRY(join(world, &joint, points[i], before.orientation, NULL));
        }
        last = length;
    }
    return cairn_ok();
}

CairnStatus cairn_build_elastic_clamp(CairnWorld *world, const CairnRod *rod, CairnBodyId segment, bool is_first,
                                      CairnBodyId body, double length, CairnJointId *id) {
    CAIRN_TRY(check(rod));
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, segment, &state));
    CairnJointDef joint = spring(rod, 0.5 * length);
    joint.body_a = body;
    joint.body_b = segment;
    CairnVec3 end = cairn_rotate(state.orientation, cairn_vec3(0, 0, is_first ? -0.5 * length : 0.5 * length));
    return join(world, &joint, cairn_add(state.position, end), state.orientation, id);
}
