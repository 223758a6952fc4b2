// Free rotation by the energy-momentum rule (Simo and Wong 1991, midpoint form).
//
// In the body's frame the momentum turns about the body: Pi' = Pi x W. Take the implicit midpoint
//     Pi1 - Pi0 = tau Pm x W,   Pm = (Pi0 + Pi1)/2 = I W,
// which is Pi1 = Q^T Pi0 with the Cayley rotation Q of tau W. Then |Pi| is kept because Q is a rotation, the energy because
// Pi1 - Pi0 is orthogonal to W, and the momentum in the world, R1 Pi1 = R0 Q Q^T Pi0, is kept because R turns by the same Q.
// Eliminating Pi1 leaves three equations:  I W + tau/2 W x (I W) = Pi0,  solved by Newton in principal axes. A Cayley rotation
// turns by 2 atan(tau |W| / 2), too little for a fast spin, so tau is chosen such that it turns by h |W|:
// tau = 2 tan(h |W| / 2) / |W|, with the |W| of the start. Energy and momentum are kept for any tau, provided that the body turns
// by Q itself: so the velocity that is handed back is the one whose rotation over h is Q. Fast spins take several sub-steps, for
// the rule's phase error is of order (h W)^2.
#include "engine/gyro.h"
#include "engine/base/mat3.h"

static const double turn_per_substep = 0.1; // rad
enum { MAX_SUBSTEPS = 1000, MAX_NEWTON = 8 };

static CairnVec3 times(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static CairnVec3 over(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){a.x / b.x, a.y / b.y, a.z / b.z};
}

// tau / 2 for a turn of at most turn_per_substep: h/2 tan(x)/x with x = turn/2, by its series (exact to 1e-15 there).
static double half_tau(double h, double turn_squared) {
    double x2 = 0.25 * turn_squared;
    return 0.5 * h * (1 + x2 * (1.0 / 3 + x2 * (2.0 / 15 + x2 * (17.0 / 315 + x2 * (62.0 / 2835)))));
}

// The velocity whose rotation over h is the Cayley rotation of 2 t W: W scaled by 2 atan(t |W|) / (h |W|).
static CairnVec3 cayley_velocity(CairnVec3 w, double t, double h) {
    double x2 = t * t * cairn_length_squared(w), ratio; // atan(x) / x, by its series to 1e-16 where x is small
    if (x2 < 0.0036) {
        ratio = 1 - x2 * (1.0 / 3 - x2 * (1.0 / 5 - x2 * (1.0 / 7 - x2 * (1.0 / 9 - x2 / 11))));
    } else {
        ratio = atan(sqrt(x2)) / sqrt(x2);
    }
    return cairn_scale(2 * t / h * ratio, w);
}

// Solve I W + t W x (I W) = momentum for W, all in principal axes; w is the angular velocity that has this momentum. Answers
// the velocity that turns by the rule's rotation.
static CairnVec3 midpoint_velocity(CairnVec3 moments, CairnVec3 momentum, CairnVec3 w, double h) {
    double t = half_tau(h, h * h * cairn_length_squared(w));
    // W x (I W) = (a W2 W3, b W3 W1, c W1 W2) / t
    CairnVec3 g = cairn_scale(t, (CairnVec3){moments.z - moments.y, moments.x - moments.z, moments.y - moments.x});
    CairnVec3 drift = over(times(g, (CairnVec3){w.y * w.z, w.z * w.x, w.x * w.y}), moments);
    w = cairn_sub(w, drift); // first order; Newton squares the rest
    for (int k = 0; k < MAX_NEWTON; k++) {
        CairnVec3 cross = {w.y * w.z, w.z * w.x, w.x * w.y};
        CairnVec3 f = cairn_sub(cairn_add(times(moments, w), times(g, cross)), momentum);
        // Rows of the derivative: (I1, a w3, a w2), (b w3, I2, b w1), (c w2, c w1, I3); solved by Cramer's rule.
        CairnVec3 c1 = {moments.x, g.y * w.z, g.z * w.y}, c2 = {g.x * w.z, moments.y, g.z * w.x};
        CairnVec3 c3 = {g.x * w.y, g.y * w.x, moments.z};
        CairnVec3 c23 = cairn_cross(c2, c3);
        double inverse = 1.0 / cairn_dot(c1, c23);
        CairnVec3 step = cairn_scale(inverse, (CairnVec3){cairn_dot(f, c23), cairn_dot(c1, cairn_cross(f, c3)),
                                                          cairn_dot(c1, cairn_cross(c2, f))});
        w = cairn_sub(w, step);
        if (!(cairn_length_squared(step) > 1e-18 * cairn_length_squared(w))) { // the next step would be below rounding
            break;
        }
    }
    return cayley_velocity(w, t, h);
}

// Several sub-steps as one rotation vector; among those that differ by whole turns the one nearest to the spin.
static CairnVec3 mean_of_substeps(CairnVec3 moments, CairnVec3 start, double h, int substeps) {
    double dt = h / substeps;
    CairnVec3 momentum = times(moments, start), w = start;
    CairnQuat total = cairn_quat_identity(); // principal axes at the end of the step in those at its start
    for (int k = 0; k < substeps; k++) {
        CairnVec3 mean = midpoint_velocity(moments, momentum, w, dt);
        CairnQuat turned = cairn_quat_exp(cairn_scale(dt, mean));
        momentum = cairn_unrotate(turned, momentum);
        w = over(momentum, moments);
        total = cairn_quat_normalize(cairn_quat_mul(total, turned));
    }
    CairnVec3 v = cairn_quat_log(total);
    double angle = cairn_length(v);
    CairnVec3 axis = cairn_normalize_or(v, cairn_normalize(start));
    double along = h * cairn_dot(axis, start);
    double whole = 2 * CAIRN_PI * round((along - angle) / (2 * CAIRN_PI));
    return cairn_scale((angle + whole) / h, axis);
}

CairnVec3 cairn_gyro_mean_velocity(const CairnMat3 *axes, CairnVec3 moments, CairnVec3 angular_velocity, double h) {
    double turn = h * cairn_length(angular_velocity);
    if (!(turn > 1e-12)) { // the change of direction would be of order turn^2: below rounding
        return angular_velocity;
    }
    CairnVec3 start = cairn_mat3_transpose_mul(*axes, angular_velocity);
    if (turn <= turn_per_substep) {
        return cairn_mat3_mul(*axes, midpoint_velocity(moments, times(moments, start), start, h));
    }
    double wanted = ceil(turn / turn_per_substep);
    int substeps = wanted < MAX_SUBSTEPS ? (int)wanted : MAX_SUBSTEPS;
    return cairn_mat3_mul(*axes, mean_of_substeps(moments, start, h, substeps));
}
