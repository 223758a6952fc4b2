// Lockstep: one problem, many solvers, all called through cairn_problem_solve as in the world's step. lambda stays
// outside the problem: every solver keeps its own impulses and finds them again by the constraint's id and row, those
// of tangents turned into the tangents of the present frame.
#include "demos/program/compare/compare.h"
#include "solvers/partition.h"
#include "solvers/problem/problem_ops.h"
#include <cairn/math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cairn_lockstep_open(CairnLockstep *lockstep, const CairnAllocator *allocator) {
    *lockstep = (CairnLockstep){.features = NULL};
    cairn_arena_init(&lockstep->arena, allocator);
}

void cairn_lockstep_close(CairnLockstep *lockstep) {
    free(lockstep->features);
    free(lockstep->last);
    free(lockstep->contacts);
    free(lockstep->reference);
    free(lockstep->block_parts);
    cairn_arena_free(&lockstep->arena);
}

void cairn_contender_close(CairnContender *contender, const CairnAllocator *allocator) {
    if (contender->memory && contender->choice.solver->forget) {
        contender->choice.solver->forget(contender->memory, allocator);
    }
    cairn_session_close(&contender->session);
    cairn_tally_free(&contender->tally);
    cairn_series_free(&contender->series);
    cairn_choice_close(&contender->choice);
    cairn_arena_free(&contender->arena);
    free(contender->lambda);
    free(contender->last);
    free(contender->velocity);
}

// Room for `count` elements at *pointer, a pointer of any type; the old content is lost.
static CairnStatus reserve(void *pointer, int *capacity, int count, size_t size) {
    void *memory;
    if (count <= *capacity) {
        return cairn_ok();
    }
    int wanted = count + count / 2;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
    memory = malloc((size_t)wanted * size);
    memcpy(pointer, &memory, sizeof memory);
    *capacity = memory ? wanted : 0;
    return memory ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d elements of a frame", wanted);
}

static int compare_features(const void *a, const void *b) {
    uint64_t x = ((const CairnFeature *)a)->id, y = ((const CairnFeature *)b)->id;
    return (x > y) - (x < y);
}

static CairnFeature *find_feature(CairnFeature *features, int count, uint64_t id) {
    CairnFeature key = {.id = id};
    return count > 0 ? bsearch(&key, features, (size_t)count, sizeof *features, compare_features) : NULL;
}

static CairnStatus list_features(CairnLockstep *lockstep, const CairnWorld *world, const CairnProblem *problem) {
    CairnFeature *old = lockstep->last;
    int old_capacity = lockstep->last_capacity;
    lockstep->last = lockstep->features;
    lockstep->last_count = lockstep->count;
    lockstep->last_capacity = lockstep->capacity;
    lockstep->features = old;
    lockstep->capacity = old_capacity;
    lockstep->count = 0;
    CAIRN_TRY(reserve(&lockstep->features, &lockstep->capacity, problem->constraint_count, sizeof(CairnFeature)));
    for (int i = 0; i < problem->constraint_count; i++) {
        const CairnConstraintBlock *block = &problem->constraints[i];
        lockstep->features[i] =
            (CairnFeature){.id = block->id, .first_row = block->first_row, .row_count = block->row_count};
    }
    lockstep->count = problem->constraint_count;
    if (lockstep->count > 0) {
        qsort(lockstep->features, (size_t)lockstep->count, sizeof(CairnFeature), compare_features);
    }
    int contacts = cairn_world_contacts(world, NULL, 0);
    CAIRN_TRY(reserve(&lockstep->contacts, &lockstep->contact_capacity, contacts, sizeof(CairnContact)));
    cairn_world_contacts(world, lockstep->contacts, contacts);
    for (int i = 0; i < contacts; i++) {
        CairnFeature *feature = find_feature(lockstep->features, lockstep->count, lockstep->contacts[i].id);
        if (feature && feature->row_count >= 3) {
            feature->has_tangents = true;
            feature->tangent_1 = lockstep->contacts[i].tangent_1;
            feature->tangent_2 = lockstep->contacts[i].tangent_2;
        }
    }
    return cairn_ok();
}

// The contender's impulses of the last frame, where the same features are still there. Elsewhere those that the world
// began with, the same for all: 0, or what a contact took over from one whose place it has taken.
static CairnStatus warm_start(const CairnLockstep *lockstep, const CairnProblem *problem, const double *start,
                              CairnContender *contender) {
    double *old = contender->last;
    int old_capacity = contender->last_capacity;
    contender->last = contender->lambda;
    contender->last_capacity = contender->row_capacity;
    contender->lambda = old;
    contender->row_capacity = old_capacity;
    CAIRN_TRY(reserve(&contender->lambda, &contender->row_capacity, problem->row_count, sizeof(double)));
    if (problem->row_count > 0) {
        memcpy(contender->lambda, start, (size_t)problem->row_count * sizeof(double));
    }
    for (int i = 0; i < lockstep->count; i++) {
        const CairnFeature *now = &lockstep->features[i];
        const CairnFeature *then = find_feature(lockstep->last, lockstep->last_count, now->id);
        if (!then || then->row_count != now->row_count) {
            continue;
        }
        double *to = contender->lambda + now->first_row;
        const double *from = contender->last + then->first_row;
        memcpy(to, from, (size_t)now->row_count * sizeof(double));
        if (now->has_tangents && then->has_tangents) {
            CairnVec3 impulse = cairn_add_scaled(cairn_scale(from[1], then->tangent_1), from[2], then->tangent_2);
            to[1] = cairn_dot(impulse, now->tangent_1);
            to[2] = cairn_dot(impulse, now->tangent_2);
        }
    }
    return cairn_ok();
}

// The part of each block in the frame before, by id, or -1. A world lists its blocks in the order of their bodies'
// slots, the low halves of ids. Returns how many parts there were.
static int previous_parts(const CairnLockstep *lockstep, const CairnProblem *problem, int *part) {
    for (int i = 0, j = 0; i < problem->block_count; i++) {
        uint64_t id = problem->blocks[i].id;
        while (j < lockstep->block_part_count && (uint32_t)lockstep->block_parts[j].id < (uint32_t)id) {
            j++;
        }
        bool is_found = j < lockstep->block_part_count && lockstep->block_parts[j].id == id;
        part[i] = is_found ? lockstep->block_parts[j].part : -1;
    }
    return lockstep->last_part_count;
}

static CairnStatus store_parts(CairnLockstep *lockstep, const CairnProblem *problem, const CairnParts *parts) {
    CAIRN_TRY(reserve(&lockstep->block_parts, &lockstep->block_part_capacity, problem->block_count,
                      sizeof *lockstep->block_parts));
    for (int i = 0; i < problem->block_count; i++) {
        lockstep->block_parts[i] = (CairnBlockPart){problem->blocks[i].id, parts->part[i]};
    }
    lockstep->block_part_count = problem->block_count;
    lockstep->last_part_count = parts->count;
    return cairn_ok();
}

static CairnStatus find_parts(CairnLockstep *lockstep, const CairnSession *session, const CairnProblem *problem,
                              CairnParts *parts, CairnPartsMeasure *measure) {
    const CairnPartition partition = cairn_session_partition(session);
    double seconds;
    int *part = CAIRN_PUSH_ZERO(&lockstep->arena, int, problem->block_count + 1);
    if (!part) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the parts of %d blocks", problem->block_count);
    }
    *parts = (CairnParts){previous_parts(lockstep, problem, part), part};
    CAIRN_TRY(cairn_problem_part_in(problem, &partition, &lockstep->arena, part, &parts->count, measure, &seconds));
    return store_parts(lockstep, problem, parts);
}

// The statistics of the frame are the reference's; those of a contender that works on parts are replaced by the
// partition's.
static void set_part_statistics(const CairnPartsMeasure *measure, const CairnSolver *solver, CairnStats *stats) {
    bool is_partitioned = (solver->traits & CAIRN_NEEDS_PARTITION) != 0;
    int whole = stats->dynamic_bodies;
    stats->parts = is_partitioned ? measure->count : whole > 0;
    stats->part_largest = is_partitioned ? measure->largest : whole;
    stats->part_smallest = is_partitioned ? measure->smallest : whole;
    stats->part_balance = is_partitioned ? measure->balance : whole > 0;
    stats->interface_rows = is_partitioned ? measure->cut_rows : 0;
    stats->interface_constraints = is_partitioned ? measure->cut_constraints : 0;
}

static CairnStatus find_velocities(CairnArena *arena, const CairnProblem *problem, const double *lambda, double **v,
                                   int *capacity) {
    CairnOps ops;
    CAIRN_TRY(reserve(v, capacity, problem->dof_count + 1, sizeof(double)));
    CAIRN_TRY(cairn_ops_init(&ops, problem, arena));
    cairn_ops_velocity(&ops, lambda, *v);
    return cairn_ok();
}

static void compare_velocities(const CairnLockstep *lockstep, const CairnProblem *problem, double limit,
                               CairnContender *contender) {
    double difference = 0;
    for (int i = 0; i < problem->dof_count; i++) {
        difference = fmax(difference, fabs(contender->velocity[i] - lockstep->reference[i]));
    }
    int frame = contender->tally.frames;
    contender->difference.sum += difference;
    contender->difference.max = fmax(contender->difference.max, difference);
    contender->agreeing += difference <= limit;
    if (difference > contender->worst_ratio * limit) {
        contender->worst_ratio = difference / limit;
        contender->worst_ratio_at = frame;
    }
    contender->last_difference = difference;
    contender->last_limit = limit;
}

static CairnStatus solve(const CairnSession *session, const CairnProblem *problem, const CairnParts *parts,
                         const double *velocity, CairnContender *contender, CairnStats *stats) {
    CairnWorldDef def = cairn_world_settings(session->world);
    bool needs_parts = (contender->choice.solver->traits & CAIRN_NEEDS_PARTITION) != 0;
    const CairnSolveRequest request = {.solver = contender->choice.solver,
                                       .options = contender->choice.options,
                                       .parts = needs_parts ? parts : NULL, // others get one part, as in a step
                                       .allocator = contender->arena.allocator,
                                       .logger = &def.logger,
                                       .thread_count = def.thread_count,
                                       .judge = true,
                                       .is_checked = true, // by the world that made it
                                       .arena = &contender->arena,
                                       .velocity = velocity,
                                       .memory = &contender->memory};
    CairnSolveResult result;
    double driver = stats->times.solve;
    cairn_arena_reset(&contender->arena);
    CAIRN_TRY(cairn_problem_solve(problem, &request, contender->lambda, &result));
    stats->solve = result.report;
    stats->residual = result.residual;
    stats->times.solve = result.seconds;
    stats->times.step += result.seconds - driver; // what the step would have taken with this solver
    return cairn_ok();
}

static CairnStatus judge(CairnLockstep *lockstep, const CairnSession *session, const CairnProblem *problem,
                         const CairnParts *parts, const CairnPartsMeasure *measure, const CairnSolveStart *start,
                         const CairnStats *stats, CairnContender *contender) {
    CairnStats frame_stats = *stats;
    set_part_statistics(measure, contender->choice.solver, &frame_stats);
    CAIRN_TRY(warm_start(lockstep, problem, start->lambda, contender));
    CairnStatus status = solve(session, problem, parts, start->velocity, contender, &frame_stats);
    if (!cairn_is_ok(status)) {
        contender->ended = status;
        contender->ended_at = (int)stats->step_index;
        return cairn_ok(); // the others go on
    }
    CAIRN_TRY(find_velocities(&contender->arena, problem, contender->lambda, &contender->velocity,
                              &contender->velocity_capacity));
    cairn_tally_add(&contender->tally, &frame_stats, session->world, cairn_session_audited(session));
    compare_velocities(lockstep, problem, frame_stats.residual.limit, contender);
    CairnComparison comparison = {.is_free = false};
    cairn_comparison_record(&comparison, contender, &frame_stats, cairn_session_audited(session));
    return cairn_ok();
}

CairnStatus cairn_lockstep_frame(CairnLockstep *lockstep, const CairnSession *session, const CairnStats *stats,
                                 CairnContender *contenders, int count) {
    CairnProblem problem;
    const double *lambda;
    CairnParts parts;
    CairnPartsMeasure measure;
    CairnSolveStart start;
    CAIRN_TRY(cairn_world_problem(session->world, &problem, &lambda));
    CAIRN_TRY(cairn_world_problem_start(session->world, &start));
    cairn_arena_reset(&lockstep->arena);
    CAIRN_TRY(list_features(lockstep, session->world, &problem));
    CAIRN_TRY(find_parts(lockstep, session, &problem, &parts, &measure));
    CAIRN_TRY(find_velocities(&lockstep->arena, &problem, lambda, &lockstep->reference, &lockstep->reference_capacity));
    for (int i = 0; i < count; i++) {
        if (cairn_is_ok(contenders[i].ended)) {
            CAIRN_TRY(judge(lockstep, session, &problem, &parts, &measure, &start, stats, &contenders[i]));
        }
    }
    return cairn_ok();
}
