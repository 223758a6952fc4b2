// The step: its lines are the pipeline.
//
//   begin -> collide (poses -> contacts) -> assemble (contacts, joints -> problem) -> partition (problem -> parts)
//         -> solve (problem, parts -> lambda; again where that leads into new contacts) -> integrate (lambda -> poses) -> finish (referee, warm start kept, statistics)
//
// Stages write to the arena only; `finish` commits everything at once, so a step that fails has not happened.
#include "engine/step/step.h"
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/sleep.h"
#include "engine/step/gyro.h"
#include <string.h>

void *cairn_step_push(CairnStep *step, size_t count, size_t size) {
    void *memory = cairn_arena_push(step->arena, count > 0 ? count : 1, size);
    if (memory == NULL) {
        step->status =
            cairn_error(CAIRN_OUT_OF_MEMORY, "step: no memory for %zu more elements of %zu bytes", count, size);
    }
    return memory;
}

void *cairn_step_push_zero(CairnStep *step, size_t count, size_t size) {
    void *memory = cairn_step_push(step, count, size);
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

// Every living body must be whole before anything is computed from it.
static bool is_whole(const CairnBody *body, double h) {
    return cairn_is_within_reach(body->center) && cairn_quat_is_unit(body->q) &&
           cairn_is_within_reach(cairn_scale(h, body->velocity)) &&
           cairn_is_within_reach(cairn_scale(h, body->angular_velocity)) &&
           (body->type != CAIRN_DYNAMIC || body->model->has_mass);
}

// What a body that is not whole lacks: apart, for a status by value would cost every body 240 bytes of copying.
static CairnStatus explain(const CairnBody *body, int index, double h) {
    if (!cairn_is_within_reach(body->center) || !cairn_quat_is_unit(body->q)) {
        return cairn_error(
            CAIRN_NUMERIC, "step: body %d: pose is (%g, %g, %g), (%g, %g, %g, %g): out of reach or not of unit length",
            index + 1, body->center.x, body->center.y, body->center.z, body->q.w, body->q.x, body->q.y, body->q.z);
    }
    if (!cairn_is_within_reach(cairn_scale(h, body->velocity)) ||
        !cairn_is_within_reach(cairn_scale(h, body->angular_velocity))) {
        return cairn_error(CAIRN_NUMERIC, "step: body %d: velocity is (%g, %g, %g), (%g, %g, %g): out of reach",
                           index + 1, body->velocity.x, body->velocity.y, body->velocity.z, body->angular_velocity.x,
                           body->angular_velocity.y, body->angular_velocity.z);
    }
    return cairn_error(
        CAIRN_INVALID_ARGUMENT,
        "step: body %d is dynamic, but has mass %g and no inertia: give mass and inertia, or a shape with density",
        index + 1, body->model->mass);
}

// A dynamic body's velocities if nothing held it: damping, gravity, forces and free rotation.
static void start_block(const CairnStep *step, CairnStepBlock *block) {
    const CairnBody *body = &step->store->bodies[block->body];
    const CairnWorldDef *def = &step->world->def;
    double h = step->h;
    double linear_keep = 1.0 / (1.0 + h * body->model->linear_damping); // implicit: never turns the velocity round
    double angular_keep = 1.0 / (1.0 + h * body->model->angular_damping);
    CairnMat3 axes = cairn_body_axes(body);
    block->start.linear = cairn_scale(linear_keep, body->velocity);
    block->start.angular = cairn_scale(angular_keep, body->angular_velocity);
    block->spin = block->start.angular;
    if (def->gyroscopic && !body->model->is_isotropic) {
        block->spin = cairn_gyro_mean_velocity(&axes, body->model->moments, block->start.angular, h);
    }
    CairnPush push = cairn_store_push_on(step->store, block->body);
    CairnVec3 acceleration =
        cairn_add_scaled(cairn_scale(1.0 / body->model->mass, push.force), body->model->gravity_scale, def->gravity);
    block->free.linear = cairn_add_scaled(block->start.linear, h, acceleration);
    block->free.angular = block->spin;
    if (cairn_length_squared(push.torque) > 0) {
        CairnMat3 inverse = cairn_inertia_of_axes(&axes, cairn_inverse_moments(body));
        block->free.angular = cairn_add_scaled(block->spin, h, cairn_mat3_mul(inverse, push.torque));
    }
}

// What the problem holds of a body are its momenta.
static bool is_usable(const CairnStep *step, const CairnStepBlock *block) {
    double mass = step->store->bodies[block->body].model->mass;
    return cairn_is_within_reach(cairn_scale(step->h, block->free.linear)) &&
           cairn_is_within_reach(cairn_scale(step->h, block->free.angular)) &&
           cairn_vec3_is_finite(cairn_scale(mass, block->free.linear)) &&
           cairn_vec3_is_finite(cairn_mat3_mul(cairn_step_inertia(step, block), block->free.angular));
}

static void start_span(void *context, int first, int end) {
    CairnStep *step = context;
    for (int b = first; b < end; b++) {
        start_block(step, &step->blocks[b]);
        if (!is_usable(step, &step->blocks[b])) {
            cairn_spans_tell(&step->broken, b);
            return;
        }
    }
}

// All stages may take it that the velocities that they start from are numbers.
static void start_blocks(CairnStep *step) {
    step->broken = step->block_count;
    cairn_spans_run(step->threads, step->block_count, CAIRN_STEP_FEW, start_span, step);
    int broken = step->broken;
    if (broken < step->block_count) {
        CairnVec6 v = step->blocks[broken].free;
        step->status = cairn_error(CAIRN_NUMERIC,
                                   "step: body %d: its forces take it to a velocity of (%g, %g, %g), (%g, %g, %g): not "
                                   "usable",
                                   step->blocks[broken].body + 1, v.linear.x, v.linear.y, v.linear.z, v.angular.x,
                                   v.angular.y, v.angular.z);
    }
}

static void begin(CairnStep *step, CairnWorld *world, double h) {
    *step = (CairnStep){.world = world, .store = &world->store, .arena = &world->arena, .h = h, .status = cairn_ok()};
    step->began = cairn_timer_now();
    step->threads = world->def.thread_count;
    step->impulse_scale = world->store.last_h > 0 ? h / world->store.last_h : 1;
    world->has_problem = false;
    world->counter.calls = 0;
    cairn_arena_reset(step->arena);
    cairn_arena_reset(&world->ahead);
    const CairnPool *pool = &world->store.body_pool;
    cairn_step_check_room(step, pool->alive, world->store.contact_count);
    if (cairn_step_failed(step)) {
        return;
    }
    step->block_of = CAIRN_STEP_PUSH(step, int, pool->count);
    step->blocks = CAIRN_STEP_PUSH(step, CairnStepBlock, pool->alive);
    if (cairn_step_failed(step)) {
        return;
    }
    for (int i = 0; i < pool->count; i++) {
        step->block_of[i] = -1;
        if (!cairn_pool_is_alive(pool, i)) {
            continue;
        }
        if (!is_whole(&world->store.bodies[i], h)) {
            step->status = explain(&world->store.bodies[i], i, h);
            return;
        }
        if (cairn_body_sleeps(&world->store.bodies[i])) {
            step->sleeping_count += 1;
        } else if (world->store.bodies[i].type == CAIRN_DYNAMIC) {
            step->blocks[step->block_count].body = i;
            step->block_of[i] = step->block_count++;
        }
    }
    world->has_sleepers = step->sleeping_count > 0;
    start_blocks(step);
}

CairnStatus cairn_world_step(CairnWorld *world, double h, CairnStats *stats) {
    if (world == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "step: world is NULL");
    }
    if (!(h >= CAIRN_STEP_MIN && h <= CAIRN_STEP_MAX)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "step: h is %g, must be in [%g, %g] s", h, CAIRN_STEP_MIN,
                           CAIRN_STEP_MAX);
    }
    CairnStep step;
    do {
        begin(&step, world, h);
        cairn_step_collide(&step);
    } while (cairn_step_wake(&step));
    bool is_more; // new contacts: they and whatever else proved to be wrong go into one solve
    do {
        bool again;
        cairn_step_assemble(&step);
        cairn_step_partition(&step);
        do {
            again = cairn_step_solve(&step);
            is_more = cairn_step_foresee(&step);
        } while (again && !is_more);
    } while (is_more);
    cairn_step_hold(&step);
    cairn_step_integrate(&step);
    CairnStatus status = cairn_step_finish(&step, stats);
    if (!cairn_is_ok(status)) {
        cairn_step_undo_waking(&step);
    }
    return status;
}
