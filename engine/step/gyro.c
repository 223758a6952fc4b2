// Free rotation by the energy-momentum rule (Simo and Wong 1991, midpoint form).
//
// In the body's frame the momentum turns about the body: Pi' = Pi x W. Take the implicit midpoint
//     Pi1 - Pi0 = tau Pm x W,   Pm = (Pi0 + Pi1)/2 = I W,
// which is Pi1 = Q^T Pi0 with the Cayley rotation Q of tau W. Then |Pi| is kept because Q is a rotation, the energy
// because Pi1 - Pi0 is orthogonal to W, and the momentum in the world, R1 Pi1 = R0 Q Q^T Pi0, is kept because R turns
// by the same Q. Eliminating Pi1 leaves three equations:  I W + t W x (I W) = Pi0,  t = tau/2, solved in principal axes
// for W; then Pi1 = 2 I W - Pi0. A Cayley rotation turns by 2 atan(t |W|), too little for a fast spin, so t is chosen
// such that it turns by h |W|: t = tan(h |W| / 2) / |W|, with the |W| of the start. Energy and momentum are kept for
// any t, provided that the body turns by Q itself: so the velocity that is handed back is the one whose rotation over h
// is Q, the quaternion (1, t W). Fast spins take several sub-steps, for the rule's phase error is of order (h W)^2.
#include "engine/step/gyro.h"
#include "engine/base/mat3.h"

static const double turn_per_substep = 0.1; // rad
enum { MAX_SUBSTEPS = 1000, FEW_SUBSTEPS = 3, MAX_NEWTON = 8 };

static CairnVec3 times(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// t for a turn of about turn_per_substep: h/2 tan(x)/x with x = turn/2, by its series (exact to 1e-15 there).
static double half_tau(double h, double turn_squared) {
    double x2 = 0.25 * turn_squared;
    return 0.5 * h * (1 + x2 * (1.0 / 3 + x2 * (2.0 / 15 + x2 * (17.0 / 315 + x2 * (62.0 / 2835)))));
}

// atan(x) / x for x of at most 0.16, by its series to 1e-17; two short sums instead of a long one.
static double atan_ratio(double x2) {
    double y = x2 * x2;
    double even = 1 + y * (1.0 / 5 + y * (1.0 / 9 + y * (1.0 / 13 + y * (1.0 / 17))));
    double odd = 1.0 / 3 + y * (1.0 / 7 + y * (1.0 / 11 + y * (1.0 / 15 + y * (1.0 / 19))));
    return even - x2 * odd;
}

// The rule's W from the angular velocity at the start, in principal axes. Each equation is divided by its moment:
//     W + g (W2 W3, W3 W1, W1 W2) = start,   g = t ((I3 - I2)/I1, (I1 - I3)/I2, (I2 - I1)/I3),
// and the moments of a body make each |g| at most t. So W = start - g (...) contracts by t |W|, one part in twenty: a
// few rounds of it cost as much as a step of Newton, and then one or two of those are exact.
static CairnVec3 midpoint_velocity(CairnVec3 g, CairnVec3 start) {
    CairnVec3 w = start;
    for (int k = 0; k < 4; k++) {
        w = cairn_sub(start, times(g, (CairnVec3){w.y * w.z, w.z * w.x, w.x * w.y}));
    }
    for (int k = 0; k < MAX_NEWTON; k++) {
        CairnVec3 f = cairn_sub(cairn_add(w, times(g, (CairnVec3){w.y * w.z, w.z * w.x, w.x * w.y})), start);
        // The derivative is (1, a w3, a w2), (b w3, 1, b w1), (c w2, c w1, 1) in rows; by Cramer's rule.
        CairnVec3 c1 = {1, g.y * w.z, g.z * w.y}, c2 = {g.x * w.z, 1, g.z * w.x}, c3 = {g.x * w.y, g.y * w.x, 1};
        CairnVec3 c23 = cairn_cross(c2, c3);
        double inverse = 1.0 / cairn_dot(c1, c23);
        CairnVec3 step = cairn_scale(inverse, (CairnVec3){cairn_dot(f, c23), cairn_dot(c1, cairn_cross(f, c3)),
                                                          cairn_dot(c1, cairn_cross(c2, f))});
        w = cairn_sub(w, step);
        // The remaining error is t |W| times the square of this step: below rounding.
        if (!(cairn_length_squared(step) > 1e-16 * cairn_length_squared(w))) {
            break;
        }
    }
    return w;
}

// The rotation of so many sub-steps: principal axes at the end in those at the start. Not normalised; every factor is 1
// + t^2 W^2.
static CairnQuat turn_of(CairnVec3 moments, CairnVec3 start, double dt, int substeps) {
    CairnVec3 ratios = {(moments.z - moments.y) / moments.x, (moments.x - moments.z) / moments.y,
                        (moments.y - moments.x) / moments.z};
    CairnVec3 w = start;
    CairnQuat total = cairn_quat_identity();
    for (int k = 0; k < substeps; k++) {
        double t = half_tau(dt, dt * dt * cairn_length_squared(w));
        CairnVec3 mean = midpoint_velocity(cairn_scale(t, ratios), w), turn = cairn_scale(t, mean);
        CairnQuat turned = {1, turn.x, turn.y, turn.z};
        total = k == 0 ? turned : cairn_quat_mul(total, turned);
        w = cairn_sub(cairn_scale(2, mean), w);
    }
    return total;
}

// The rotation as a velocity; among those that differ by whole turns the one nearest to the spin.
static CairnVec3 nearest_velocity(CairnQuat turn, CairnVec3 start, double h) {
    CairnVec3 v = cairn_quat_log(cairn_quat_normalize(turn));
    double angle = cairn_length(v);
    CairnVec3 axis = cairn_normalize_or(v, cairn_normalize(start));
    double along = h * cairn_dot(axis, start);
    double whole = 2 * CAIRN_PI * round((along - angle) / (2 * CAIRN_PI));
    return cairn_scale((angle + whole) / h, axis);
}

CairnVec3 cairn_gyro_mean_velocity(const CairnMat3 *axes, CairnVec3 moments, CairnVec3 angular_velocity, double h) {
    double turn_squared = h * h * cairn_length_squared(angular_velocity);
    if (!(turn_squared > 1e-24)) { // the change of direction would be of order turn^2: below rounding
        return angular_velocity;
    }
    int substeps = 1;
    double dt = h;
    if (turn_squared > turn_per_substep * turn_per_substep) {
        double turn = sqrt(turn_squared), wanted = ceil(turn / turn_per_substep);
        substeps = wanted < MAX_SUBSTEPS ? (int)wanted : MAX_SUBSTEPS;
        // A spin for which all sub-steps are too few keeps momentum and energy still, and its whole turns; its axis
        // walks too slowly.
        dt = fmin(h / substeps, 2 * turn_per_substep * h / turn);
    }
    CairnVec3 start = cairn_mat3_transpose_mul(*axes, angular_velocity);
    CairnQuat q = turn_of(moments, start, dt, substeps);
    if (substeps > FEW_SUBSTEPS) {
        return cairn_mat3_mul(*axes, nearest_velocity(q, start, h));
    }
    CairnVec3 tangent = cairn_scale(1 / q.w, (CairnVec3){q.x, q.y, q.z}); // tan(angle / 2) along the axis
    return cairn_mat3_mul(*axes, cairn_scale(2 / h * atan_ratio(cairn_length_squared(tangent)), tangent));
}
