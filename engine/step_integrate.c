// Integrate: velocities -> poses (S0 eq. 6), still in scratch.
//
// The solver's angular velocity u is the one that the rotation moves with: free bodies get the mean velocity of their free
// rotation (gyro.h), and the impulses that made u differ from it are added to the angular momentum:
//     L+ = L + I (u - spin),   q+ = exp(h u) q,   omega+ = I+^-1 L+.
// So a body that nothing holds keeps |L| and its energy, and a joint's rows act on the very motion that moves the body.
#include "engine/base/mat3.h"
#include "engine/base/timer.h"
#include "engine/step.h"

static void integrate_block(const CairnStep *step, CairnStepBlock *block) {
    const CairnBody *body = &step->store->bodies[block->body];
    const CairnWorldDef *def = &step->world->def;
    double h = step->h;
    CairnVec3 u = block->velocity.angular;
    block->center = cairn_add_scaled(body->center, h, block->velocity.linear);
    block->q = cairn_quat_normalize(cairn_quat_mul(cairn_quat_exp(cairn_scale(h, u)), body->q));
    CairnVec3 change = cairn_sub(u, block->spin);
    block->end_velocity = block->velocity.linear;
    if (def->integrator == CAIRN_MIDPOINT) { // vm = (v + v+)/2 was solved for
        change = cairn_scale(2, change);
        block->end_velocity = cairn_sub(cairn_scale(2, block->velocity.linear), block->start.linear);
    }
    if (body->is_isotropic || !def->gyroscopic) {
        block->end_spin = cairn_add(block->start.angular, change);
        return;
    }
    CairnVec3 momentum = cairn_mat3_mul(block->inertia, cairn_add(block->start.angular, change));
    block->end_spin = cairn_rotate(block->q, cairn_mat3_mul(body->inverse_inertia, cairn_unrotate(block->q, momentum)));
}

static bool is_finite_block(const CairnStepBlock *block) {
    return cairn_vec3_is_finite(block->center) && cairn_quat_is_unit(block->q) &&
           cairn_vec3_is_finite(block->end_velocity) && cairn_vec3_is_finite(block->end_spin);
}

void cairn_step_integrate(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    int count = step->block_count;
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && count > 64) schedule(static)
    for (int b = 0; b < count; b++) {
        integrate_block(step, &step->blocks[b]);
    }
    for (int b = 0; b < count; b++) {
        if (!is_finite_block(&step->blocks[b])) {
            const CairnVec6 *v = &step->blocks[b].velocity;
            step->status = cairn_error(CAIRN_NUMERIC,
                                       "step: body %d: the solved velocity is (%g, %g, %g), (%g, %g, %g): not usable",
                                       step->blocks[b].body + 1, v->linear.x, v->linear.y, v->linear.z, v->angular.x,
                                       v->angular.y, v->angular.z);
            return;
        }
    }
    step->stats.times.integrate = cairn_timer_now() - t0;
}
