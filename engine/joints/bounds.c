// Bounds of how a joint's coordinates change, from how far its bodies move and turn: they show without any rotation
// that two motions are as good as one.
//
// Bodies move by u = (ways, rotation vectors); phi(u) - phi(0) - J u is c(u), and c(u) - c(u') is the integral of
// dphi(u) - dphi(0) along the line between the two. With a rotation R(a) = exp([a]x): |R(a) - 1| <= |a|, |dR(a) delta|
// <= |delta| and |(dR(a) - dR(0)) delta| <= 3/2 |a| |delta|.
#include "engine/joints/kinds.h"

// n . R(a)^T (D + t + R(b) r_B) less a constant, for each component: D is from centre to centre, r_B the arm of B.
static double bound_offset(const CairnJointBody bodies[2], const CairnJointMotions *m) {
    double between = cairn_length(cairn_sub(bodies[1].center, bodies[0].center));
    double arm = cairn_length(cairn_sub(bodies[1].frame.p, bodies[1].center));
    double a = m->turn[0], b = m->turn[1];
    return m->turn_apart[0] * (1.5 * a * (between + arm) + b * arm + m->way) + m->way_apart * a +
           m->turn_apart[1] * (a + 1.5 * b) * arm;
}

// |X| with X = D + t + R(b) r_B - R(a) r_A: its direction turns by no more than twice the way of its ends over its
// length.
static double bound_distance(const CairnJointBody bodies[2], const CairnJointMotions *m) {
    double length = cairn_length(cairn_sub(bodies[1].frame.p, bodies[0].frame.p));
    double arm_a = cairn_length(cairn_sub(bodies[0].frame.p, bodies[0].center));
    double arm_b = cairn_length(cairn_sub(bodies[1].frame.p, bodies[1].center));
    double way = m->way + arm_a * m->turn[0] + arm_b * m->turn[1];
    double apart = m->way_apart + arm_a * m->turn_apart[0] + arm_b * m->turn_apart[1];
    double bent = 1.5 * (arm_a * m->turn[0] * m->turn_apart[0] + arm_b * m->turn[1] * m->turn_apart[1]);
    return length > 0 ? 2 * way / length * apart + bent : HUGE_VAL;
}

// Cosines n . R(a)^T R(b) m, and twice the parts of a quaternion as long as these keep their sign; other angles are
// singular somewhere.
static double bound_angle(const CairnJointCore *core, int axis, const CairnJointBody bodies[2],
                          const CairnJointMotions *m) {
    const CairnAngle *angles = cairn_joint_angles(&core->def);
    CairnQuat p = bodies[0].frame.q, q = bodies[1].frame.q;
    double a = m->turn[0], b = m->turn[1], w = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
    bool is_small = angles == cairn_small_angles && fabs(w) > a + b;
    if (!is_small && !angles[axis - CAIRN_RX].is_cosine) {
        return HUGE_VAL;
    }
    return m->turn_apart[0] * (1.5 * a + b) + m->turn_apart[1] * (a + 1.5 * b);
}

void cairn_joint_bound_changes(const CairnJointInput *input, const CairnJointRow *rows, int row_count,
                               const CairnJointMotions *motions, double *linear, double *angular) {
    const CairnJointCore *core = input->core;
    bool is_gear = core->def.type == CAIRN_JOINT_GEAR;
    *linear = *angular = is_gear ? HUGE_VAL : 0;
    for (int r = 0; r < row_count && !is_gear; r++) {
        int axis = rows[r].axis;
        if (rows[r].role != CAIRN_ROW_LOCK || (axis<CAIRN_RX && * linear> 0)) {
            continue; // one bound for all lengths
        }
        if (axis >= CAIRN_RX) {
            *angular = cairn_max(*angular, bound_angle(core, axis, input->bodies, motions));
        } else if (cairn_joint_kinds[core->def.type].lengths->is_straight) {
            *linear = bound_offset(input->bodies, motions);
        } else {
            *linear = bound_distance(input->bodies, motions);
        }
    }
}
