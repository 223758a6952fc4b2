#include "demos/scenes/builders_cable.h"
#include "demos/scenes/builders_chain.h"

CairnCable cairn_cable(void) {
    return (CairnCable){.count = 40,
                        .radius = 0.02,
                        .mass = 0.1,
                        .bending = 2,
                        .twisting = 2,
                        .loss = 0.05,
                        .compliance = 1e-10,
                        .friction = 0.2,
                        .group = -1,
                        .filter = {1, ~(uint64_t)0}};
}

static CairnStatus join(CairnWorld *world, const CairnCable *cable, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                        CairnQuat turn) {
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
    joint.body_a = a;
    joint.body_b = b;
    for (int i = CAIRN_X; i <= CAIRN_Z; i++) {
        joint.axes[i].compliance = cable->compliance;
    }
    for (int i = CAIRN_RX; i <= CAIRN_RZ; i++) { // the link's axis is its z
        joint.axes[i].mode = CAIRN_AXIS_FREE;
        joint.axes[i].drive = CAIRN_DRIVE_SPRING;
        joint.axes[i].stiffness = i == CAIRN_RZ ? cable->twisting : cable->bending;
        joint.axes[i].damping = cable->loss;
    }
    CAIRN_TRY(cairn_joint_place(world, &joint, point, cairn_rotate(turn, cairn_vec3(1, 0, 0)),
                                cairn_rotate(turn, cairn_vec3(0, 1, 0))));
    return cairn_joint_create(world, &joint, NULL);
}

CairnStatus cairn_build_cable(CairnWorld *world, const CairnCable *cable, const CairnVec3 *points, CairnBodyId *ids) {
    if (cable->count < 1) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "cable: count = %d must be at least 1", cable->count);
    }
    CairnShapeDef capsule = cairn_capsule(cable->radius, 1);
    capsule.friction = cable->friction;
    capsule.filter = cable->filter;
    for (int i = 0; i < cable->count; i++) {
        CairnBodyDef body = cairn_body_def();
        body.mass = cable->mass;
        body.group = cable->group;
        body.linear_damping = body.angular_damping = cable->damping;
        CAIRN_TRY(cairn_build_bar(world, body, capsule, points[i], points[i + 1], &ids[i]));
        if (i > 0) {
            CairnBodyState last;
            CAIRN_TRY(cairn_body_get(world, ids[i - 1], &last));
            CAIRN_TRY(join(world, cable, ids[i - 1], ids[i], points[i], last.orientation));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_build_cable_tie(CairnWorld *world, const CairnCable *cable, CairnBodyId link, CairnBodyId body,
                                  CairnVec3 point) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, link, &state));
    return join(world, cable, body, link, point, state.orientation);
}

CairnStatus cairn_cable_segment(const CairnWorld *world, CairnBodyId link, double length, CairnVec3 *from,
                                CairnVec3 *to) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, link, &state));
    CairnVec3 half = cairn_rotate(state.orientation, cairn_vec3(0, 0, 0.5 * length));
    *from = cairn_sub(state.position, half);
    *to = cairn_add(state.position, half);
    return cairn_ok();
}

// The nearest points of two lines, each then pulled into its segment in turn.
double cairn_segment_distance(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d) {
    CairnVec3 u = cairn_sub(b, a), v = cairn_sub(d, c), w = cairn_sub(a, c);
    double uu = cairn_dot(u, u), vv = cairn_dot(v, v), uv = cairn_dot(u, v), uw = cairn_dot(u, w), vw = cairn_dot(v, w);
    double area = uu * vv - uv * uv, s = area > 1e-12 * uu * vv ? cairn_clamp((uv * vw - vv * uw) / area, 0, 1) : 0;
    double t = cairn_clamp((uv * s + vw) / vv, 0, 1);
    s = cairn_clamp((uv * t - uw) / uu, 0, 1);
    return cairn_length(cairn_add(w, cairn_sub(cairn_scale(s, u), cairn_scale(t, v))));
}

// The solid angle of a triangle seen from the origin (Van Oosterom and Strackee).
static double solid_angle(CairnVec3 p, CairnVec3 q, CairnVec3 r) {
    double a = cairn_length(p), b = cairn_length(q), c = cairn_length(r);
    double below = a * b * c + cairn_dot(p, q) * c + cairn_dot(p, r) * b + cairn_dot(q, r) * a;
    return 2 * atan2(cairn_dot(p, cairn_cross(q, r)), below);
}

// The differences of points of two segments fill a parallelogram; its solid angle from the origin over 4 pi is Gauss'
// integral.
double cairn_segment_linking(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d) {
    CairnVec3 p = cairn_sub(c, a), q = cairn_sub(c, b), r = cairn_sub(d, b), s = cairn_sub(d, a);
    return (solid_angle(p, q, r) + solid_angle(p, r, s)) / (4 * CAIRN_PI);
}
