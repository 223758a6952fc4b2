// The step: its lines are the pipeline.
//
//   begin -> collide (poses -> contacts) -> assemble (contacts, joints -> problem) -> partition (problem -> parts)
//         -> solve (problem, parts -> impulses, velocities) -> amend (what proved wrong in the problem: solve again)
//         -> limit advance, integrate (velocities -> poses) -> finish (referee, warm start kept, statistics)
//
// A step in which joints turn too far runs this once for each of several equal parts (step_divide.c).
//
// A stage reads what earlier ones made and writes one result (docs/step.md), to the arena only; `finish` commits
// everything at once, so a step that fails has not happened.
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
static bool check_body(CairnStep *step, int index) {
    const CairnBody *body = &step->store->bodies[index];
    CairnVec3 p = body->center, v = body->velocity, w = body->angular_velocity;
    CairnQuat q = body->q;
    if (!cairn_is_within_reach(p) || !cairn_quat_is_unit(q)) {
        step->status = cairn_error(
            CAIRN_NUMERIC, "step: body %d: pose is (%g, %g, %g), (%g, %g, %g, %g): out of reach or not of unit length",
            index + 1, p.x, p.y, p.z, q.w, q.x, q.y, q.z);
    } else if (!cairn_is_within_reach(cairn_scale(step->h, v)) || !cairn_is_within_reach(cairn_scale(step->h, w))) {
        step->status = cairn_error(CAIRN_NUMERIC, "step: body %d: velocity is (%g, %g, %g), (%g, %g, %g): out of reach",
                                   index + 1, v.x, v.y, v.z, w.x, w.y, w.z);
    } else if (body->type == CAIRN_BODY_DYNAMIC && !body->model->has_mass) {
        step->status = cairn_error(
            CAIRN_INVALID_ARGUMENT,
            "step: body %d is dynamic, but has mass %g and no inertia: give mass and inertia, or a shape with density",
            index + 1, body->model->mass);
    }
    return !cairn_step_failed(step);
}

// The velocities of a dynamic body without constraints: damping, gravity, forces and free rotation.
static void start_block(const CairnStep *step, CairnStepBlock *block) {
    const CairnBody *body = &step->store->bodies[block->body];
    const CairnWorldDef *def = &step->world->def;
    double h = step->kick;
    CairnMat3 axes = cairn_body_axes(body);
    if (!body->model->is_isotropic) {
        step->inertias[block - step->blocks] = cairn_inertia_of_axes(&axes, body->model->moments);
    }
    double linear_factor = 1.0 / (1.0 + h * body->model->linear_damping); // implicit: never turns the velocity round
    double angular_factor = 1.0 / (1.0 + h * body->model->angular_damping);
    block->start.linear = cairn_scale(linear_factor, body->velocity);
    block->start.angular = cairn_scale(angular_factor, body->angular_velocity);
    block->spin = block->start.angular;
    block->tumbles = false;
    if (def->gyroscopic && !body->model->is_isotropic && !step->share->is_closing) {
        CairnVec3 mean = cairn_gyro_mean_velocity(&axes, body->model->moments, block->start.angular, step->h);
        block->tumbles = cairn_step_tumbles(step, block->body, block->start.angular, mean);
        bool is_kept = block->tumbles || cairn_step_feigns_energy(step, body, block->start.angular, mean);
        block->spin = is_kept ? block->start.angular : mean;
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

// The problem contains the momenta of a body.
static bool is_usable(const CairnStep *step, const CairnStepBlock *block) {
    double mass = step->store->bodies[block->body].model->mass;
    return cairn_is_within_reach(cairn_scale(step->h, block->free.linear)) &&
           cairn_is_within_reach(cairn_scale(step->h, block->free.angular)) &&
           cairn_vec3_is_finite(cairn_scale(mass, block->free.linear)) &&
           cairn_vec3_is_finite(cairn_mat3_mul(cairn_step_inertia(step, block), block->free.angular));
}

typedef struct Starting {
    const CairnStep *step;
    int broken; // the first block whose velocity is not usable; block_count: none
} Starting;

static void start_span(void *context, int first, int end) {
    Starting *starting = context;
    for (int b = first; b < end; b++) {
        CairnStepBlock *block = &starting->step->blocks[b];
        start_block(starting->step, block);
        if (!is_usable(starting->step, block)) {
            cairn_spans_min(&starting->broken, b);
            return;
        }
    }
}

// All stages may take it that the velocities that they start from are numbers.
static void start_blocks(CairnStep *step) {
    Starting starting = {step, step->block_count};
    cairn_spans_run(step->threads, step->block_count, CAIRN_STEP_FEW, start_span, &starting);
    if (starting.broken < step->block_count) {
        const CairnStepBlock *block = &step->blocks[starting.broken];
        CairnVec6 v = block->free;
        step->status =
            cairn_error(CAIRN_NUMERIC,
                        "step: body %d: its forces take it to a velocity of (%g, %g, %g), (%g, %g, %g): not "
                        "usable; cairn_body_clear_forces takes them back",
                        block->body + 1, v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z);
    }
}

// The bodies that the step solves for: all that are dynamic and awake.
static void list_blocks(CairnStep *step) {
    const CairnPool *pool = &step->store->body_pool;
    for (int i = 0; i < pool->count; i++) {
        step->block_of[i] = -1;
        if (!cairn_pool_is_alive(pool, i)) {
            continue;
        }
        if (!check_body(step, i)) {
            return;
        }
        if (cairn_body_sleeps(&step->store->bodies[i])) {
            step->sleeping_count += 1;
        } else if (step->store->bodies[i].type == CAIRN_BODY_DYNAMIC) {
            step->blocks[step->block_count].body = i;
            step->block_of[i] = step->block_count++;
            step->mass += step->store->bodies[i].model->mass;
        }
    }
}

static void begin(CairnWorld *world, CairnStepShare *share, CairnStep *step) {
    double h = share->whole / share->count;
    bool is_midpoint = world->def.integrator == CAIRN_INTEGRATOR_MIDPOINT;
    *step = (CairnStep){.world = world, .store = &world->store, .arena = &world->arena, .h = h, .status = cairn_ok()};
    step->share = share;
    step->kick = is_midpoint ? 0.5 * h : h;
    step->moved = share->is_closing ? h : is_midpoint ? 0 : world->store.last_h;
    step->has_closed = share->is_closing || !is_midpoint;
    step->stats.substeps = share->is_closing ? 0 : 1;
    step->began = cairn_timer_now();
    step->threads = world->def.thread_count;
    step->impulse_scale = world->store.last_h > 0 ? step->kick / world->store.last_h : 1;
    step->still = 1e-9 * sqrt(world->def.typical_length);
    world->has_problem = false;
    cairn_arena_reset(step->arena);
    cairn_arena_reset(&world->ahead);
    const CairnPool *pool = &world->store.body_pool;
    cairn_step_check_room(step, pool->alive, world->store.contact_count);
    if (cairn_step_failed(step)) {
        return;
    }
    step->block_of = CAIRN_STEP_PUSH(step, int, pool->count);
    step->blocks = CAIRN_STEP_PUSH(step, CairnStepBlock, pool->alive);
    step->inertias = CAIRN_STEP_PUSH(step, CairnMat3, pool->alive);
    if (cairn_step_failed(step)) {
        return;
    }
    list_blocks(step);
    if (!cairn_step_failed(step)) {
        world->has_sleepers = step->sleeping_count > 0;
        start_blocks(step);
    }
}

// One step, or one part of it. Nothing has happened where it fails or is too long.
static void run(CairnWorld *world, CairnStepShare *share, CairnStep *step) {
    CairnStepContacts contacts = {0};
    CairnStepSystem system = {0};
    CairnStepParts parts = {0};
    CairnStepAnswer answer = {0};
    CairnStepAdvance advance = {0};
    CairnStepEnds ends = {0};
    CairnStepNext next;

    do {
        begin(world, share, step);
        cairn_step_collide(step, &contacts);
    } while (cairn_step_wake(step, &contacts));
    cairn_step_allocate_answer(step, &contacts, &answer);
    do {
        cairn_step_assemble(step, &contacts, &system, &answer);
        cairn_step_partition(step, &system, &parts);
        do {
            cairn_step_solve(step, &contacts, &system, &parts, &answer);
            next = cairn_step_amend(step, &contacts, &system, &answer);
        } while (next == CAIRN_STEP_SOLVE);
    } while (next == CAIRN_STEP_ASSEMBLE);
    cairn_step_keep_momentum(step, &contacts, &system, &answer);
    cairn_step_limit_advance(step, &contacts, &system, &answer, &advance);
    cairn_step_integrate(step, &answer, &advance, &ends);
    cairn_step_finish(step, &contacts, &system, &parts, &answer, &ends);

    if (cairn_step_failed(step)) {
        cairn_step_undo_waking(step);
    }
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
    CairnStats sum = {0};
    world->counter.calls = 0;
    CairnStepKept kept;
    CairnStepShare share = {.count = 1, .whole = h};
    do {
        bool is_first = share.index == 0 && !share.is_closing;
        bool is_only = share.count == 1 && world->def.integrator != CAIRN_INTEGRATOR_MIDPOINT;
        if (is_first && !is_only && !cairn_step_keep(world, &kept)) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "step: no memory to make it in %d parts", share.count);
        }
        if (is_first) {
            share.before_struck = cairn_arena_mark(&world->kept);
        }
        run(world, &share, &step);
        if ((step.is_too_long || cairn_step_failed(&step)) && !is_first) {
            cairn_step_take_back(world, &kept);
        }
        if (step.is_too_long) {
            sum = (CairnStats){0};
            share = (CairnStepShare){.count = step.parts, .whole = h};
        } else if (cairn_step_failed(&step)) {
            return step.status;
        } else {
            cairn_step_add_stats(&sum, &step.stats);
            share.is_closing = !step.has_closed;
            share.index += step.has_closed ? 1 : 0;
        }
    } while (share.index < share.count);
    if (stats != NULL) {
        *stats = sum;
    }
    return cairn_ok();
}
