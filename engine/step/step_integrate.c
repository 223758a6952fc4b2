// Integrate: velocities -> poses (S0 eq. 6), still in scratch.
//
// The solver's angular velocity u is the one that the rotation moves with: free bodies get the mean velocity of their
// free rotation (gyro.h), and the impulses that made u differ from it are added to the angular momentum:
//     L+ = L + I (u - spin),   q+ = exp(h u) q,   omega+ = I+^-1 L+.
// So a body without constraints keeps |L| and its energy, and the rows of a joint act on the same velocity that moves
// the body.
#include "engine/base/mat3.h"
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"

typedef struct Integrating {
    const CairnStep *step;
    const double *velocity;
    const CairnStepAdvance *advance;
    CairnStepEnd *ends;
    int broken; // the first block whose end is not usable; block_count: none
} Integrating;

// The factor that keeps a velocity within what the next step starts from.
static double hold(CairnVec3 velocity, double h) {
    double largest = fmax(fmax(fabs(velocity.x), fabs(velocity.y)), fabs(velocity.z)) * h;
    return largest > 0.5 * CAIRN_REACH ? 0.5 * CAIRN_REACH / largest : 1;
}

// A mechanism that has burst turns faster and faster; the world goes on around it, in steps that may be longer than
// this part of one.
static void hold_end(const CairnStep *step, CairnStepEnd *end) {
    double h = step->share->whole, turn = hold(end->spin, h);
    end->velocity = cairn_scale(hold(end->velocity, h), end->velocity);
    end->spin = cairn_scale(turn, end->spin);
    end->momentum = cairn_scale(turn, end->momentum);
}

// A body that turns this far in a step, rad, while others act on it.
static const double fastest = 1;

// A free body keeps its energy while it turns under its momentum. One that others turn otherwise does not, and a thin
// one that they turn by radians in a step ends at any angle to its momentum, with many times the energy that it had;
// that would feed the next step's impulses. It turns with what it had.
static void hold_turning(double before, CairnStepEnd *end) {
    double after = cairn_dot(end->spin, end->momentum);
    if (after > before) {
        double factor = sqrt(before / after);
        end->spin = cairn_scale(factor, end->spin);
        end->momentum = cairn_scale(factor, end->momentum);
    }
}

static void integrate_block(const Integrating *in, int b) {
    const CairnStep *step = in->step;
    const CairnStepBlock *block = &step->blocks[b];
    CairnStepEnd *end = &in->ends[b];
    const CairnBody *body = &step->store->bodies[block->body];
    const CairnWorldDef *def = &step->world->def;
    const double *x = in->velocity + (ptrdiff_t)6 * b;
    CairnVec3 v = {x[0], x[1], x[2]}, u = {x[3], x[4], x[5]};
    bool is_limited = in->advance->times != NULL;
    double h = is_limited ? in->advance->times[b] : cairn_step_drift(step);
    end->center = cairn_add_scaled(body->center, h, v);
    if (is_limited) {
        end->center = cairn_add(end->center, in->advance->shifts[b]);
    }
    end->q = step->share->is_closing ? body->q : cairn_step_end_of_turns(step, b, u, h);
    CairnVec3 change = cairn_sub(u, block->spin);
    end->velocity = v;
    end->spin = cairn_add(block->start.angular, change);
    end->momentum = cairn_mat3_mul(cairn_step_inertia(step, block), end->spin);
    if (def->gyroscopic && !body->model->is_isotropic) { // the momentum is kept while the body turns under it
        CairnMat3 axes = cairn_mat3_of_quat(cairn_quat_mul(end->q, body->model->axes));
        CairnVec3 local = cairn_mat3_transpose_mul(axes, end->momentum), inverse = cairn_inverse_moments(body);
        double before = cairn_dot(end->spin, end->momentum);
        end->spin = cairn_mat3_mul(axes, (CairnVec3){inverse.x * local.x, inverse.y * local.y, inverse.z * local.z});
        if (cairn_step_drift(step) * cairn_length(u) > fastest && cairn_length_squared(change) > 0) {
            hold_turning(before, end);
        }
    }
    hold_end(step, end);
}

static bool is_finite_end(const CairnStepEnd *end) {
    return cairn_is_within_reach(end->center) && cairn_quat_is_unit(end->q) && cairn_vec3_is_finite(end->velocity) &&
           cairn_vec3_is_finite(end->spin);
}

CairnTransform cairn_step_kinematic_pose(const CairnStep *step, const CairnBody *body) {
    double h = cairn_step_drift(step);
    CairnQuat turn = cairn_quat_exp(cairn_scale(h, body->angular_velocity));
    return (CairnTransform){cairn_add_scaled(body->center, h, body->velocity),
                            cairn_quat_normalize(cairn_quat_mul(turn, body->q))};
}

static void check_kinematic(CairnStep *step) {
    const CairnStore *store = step->store;
    for (int i = 0; i < store->body_pool.count; i++) {
        const CairnBody *body = &store->bodies[i];
        if (!cairn_pool_is_alive(&store->body_pool, i) || body->type != CAIRN_BODY_KINEMATIC) {
            continue;
        }
        CairnTransform pose = cairn_step_kinematic_pose(step, body);
        if (!cairn_is_within_reach(pose.p) || !cairn_quat_is_unit(pose.q)) {
            step->status = cairn_error(
                CAIRN_NUMERIC, "step: body %d: its velocity (%g, %g, %g), (%g, %g, %g) takes it out of the world",
                i + 1, body->velocity.x, body->velocity.y, body->velocity.z, body->angular_velocity.x,
                body->angular_velocity.y, body->angular_velocity.z);
            return;
        }
    }
}

static void integrate_span(void *context, int first, int end) {
    Integrating *in = context;
    for (int b = first; b < end; b++) {
        integrate_block(in, b);
        if (!is_finite_end(&in->ends[b])) {
            cairn_spans_min(&in->broken, b);
            return;
        }
    }
}

void cairn_step_integrate(CairnStep *step, const CairnStepAnswer *answer, const CairnStepAdvance *advance,
                          CairnStepEnds *ends) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    int count = step->block_count;
    ends->all = CAIRN_STEP_PUSH(step, CairnStepEnd, count);
    if (cairn_step_failed(step)) {
        return;
    }
    Integrating in = {step, answer->velocity, advance, ends->all, count};
    cairn_spans_run(step->threads, count, CAIRN_STEP_FEW, integrate_span, &in);
    if (in.broken < count) {
        const double *v = answer->velocity + (ptrdiff_t)6 * in.broken;
        step->status =
            cairn_error(CAIRN_NUMERIC, "step: body %d: the solved velocity is (%g, %g, %g), (%g, %g, %g): not usable",
                        step->blocks[in.broken].body + 1, v[0], v[1], v[2], v[3], v[4], v[5]);
        return;
    }
    check_kinematic(step);
    step->stats.times.integrate = cairn_timer_now() - t0;
}
