// Free rotation by the energy-momentum rule (Simo and Wong 1991, midpoint form).
//
// In the body's frame the momentum turns about the body: Pi' = Pi x W. Take the implicit midpoint
//     Pi1 - Pi0 = tau Pm x W,   Pm = (Pi0 + Pi1)/2 = I W,
// which is Pi1 = Q^T Pi0 with the Cayley rotation Q of tau W. Then |Pi| is kept because Q is a rotation, the energy because
// Pi1 - Pi0 is orthogonal to W, and the momentum in the world, R1 Pi1 = R0 Q Q^T Pi0, is kept because R turns by the same Q.
// Eliminating Pi1 leaves three equations:  I W + tau/2 W x (I W) = Pi0,  solved by Newton. A Cayley rotation turns by
// 2 atan(tau |W| / 2), too little for a fast spin, so tau is chosen such that it turns by h |W|: tau = 2 tan(h |W| / 2) / |W|.
// Energy and momentum are kept for any tau. Fast spins take several sub-steps, for the rule's phase error is of order (h W)^2.
#include "engine/gyro.h"
#include "engine/base/mat3.h"

static const double turn_per_substep = 0.1; // rad
enum { MAX_SUBSTEPS = 1000, MAX_NEWTON = 12 };

// Solve I W + tau/2 W x (I W) = momentum for W, starting from the rigid guess.
static CairnVec3 midpoint_velocity(CairnMat3 inertia, CairnMat3 inverse, CairnVec3 momentum, double h) {
    CairnVec3 w = cairn_mat3_mul(inverse, momentum);
    double size = cairn_length(momentum);
    for (int k = 0; k < MAX_NEWTON; k++) {
        double turn = h * cairn_length(w);
        double half_tau = turn < 1e-3 ? 0.5 * h * (1.0 + turn * turn / 12.0) : h * tan(0.5 * turn) / turn;
        CairnVec3 iw = cairn_mat3_mul(inertia, w);
        CairnVec3 residual = cairn_sub(cairn_add_scaled(iw, half_tau, cairn_cross(w, iw)), momentum);
        if (cairn_length(residual) <= 4e-16 * size) {
            break;
        }
        // d/dW of W x (I W) is [W]x I - [I W]x; tau's own change with |W| is of higher order and left out.
        CairnMat3 slope =
            cairn_mat3_sum(cairn_mat3_product(cairn_mat3_skew(w), inertia), cairn_mat3_scaled(-1, cairn_mat3_skew(iw)));
        CairnMat3 jacobian = cairn_mat3_sum(inertia, cairn_mat3_scaled(half_tau, slope)), solve;
        if (!cairn_mat3_inverse(jacobian, &solve)) {
            break;
        }
        w = cairn_sub(w, cairn_mat3_mul(solve, residual));
    }
    return w;
}

CairnVec3 cairn_gyro_mean_velocity(CairnQuat q, CairnMat3 inertia, CairnMat3 inverse, CairnVec3 angular_velocity,
                                   double h) {
    double turn = h * cairn_length(angular_velocity);
    if (!(turn > 1e-12)) { // the change of direction would be of order turn^2: below rounding
        return angular_velocity;
    }
    CairnVec3 momentum = cairn_mat3_mul(inertia, cairn_unrotate(q, angular_velocity));
    double wanted = ceil(turn / turn_per_substep);
    int substeps = wanted < MAX_SUBSTEPS ? (int)wanted : MAX_SUBSTEPS;
    double dt = h / substeps;
    if (substeps == 1) {
        return cairn_rotate(q, midpoint_velocity(inertia, inverse, momentum, dt));
    }
    CairnQuat total = cairn_quat_identity(); // body frame at the end of the step in the one at its start
    for (int k = 0; k < substeps; k++) {
        CairnVec3 w = midpoint_velocity(inertia, inverse, momentum, dt);
        CairnQuat turned = cairn_quat_exp(cairn_scale(dt, w));
        momentum = cairn_unrotate(turned, momentum);
        total = cairn_quat_normalize(cairn_quat_mul(total, turned));
    }
    // One rotation vector for the whole step; among those that differ by whole turns the one nearest to the spin.
    CairnVec3 v = cairn_quat_log(total);
    double angle = cairn_length(v);
    CairnVec3 body_velocity = cairn_unrotate(q, angular_velocity);
    CairnVec3 axis = cairn_normalize_or(v, cairn_normalize(body_velocity));
    double along = h * cairn_dot(axis, body_velocity);
    double whole = 2 * CAIRN_PI * round((along - angle) / (2 * CAIRN_PI));
    return cairn_rotate(q, cairn_scale((angle + whole) / h, axis));
}
