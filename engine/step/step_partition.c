// Partition: problem -> graph -> parts, by the world's partitioner and refiner, for solvers that need them.
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/partition.h"

// The part of each body in the step before; returns how many parts there were.
static int recall(const CairnStep *step, int *part) {
    int count = 0;
    for (int b = 0; b < step->block_count; b++) {
        part[b] = step->store->bodies[step->blocks[b].body].part;
        count = part[b] >= count ? part[b] + 1 : count;
    }
    return count;
}

static CairnStatus find_parts(CairnStep *step, const CairnProblem *problem, int *part, int *count) {
    const CairnWorld *world = step->world;
    const CairnPartition partition = {.partitioner = world->partitioner,
                                      .partition_options = world->partitioner_options,
                                      .refiner = world->refiner,
                                      .refine_options = world->refiner_options};
    CairnPartsMeasure measure;
    double refine_seconds;
    CAIRN_TRY(cairn_problem_part_in(problem, &partition, step->arena, part, count, &measure, &refine_seconds));
    step->stats.times.refine += refine_seconds;
    step->stats.part_largest = measure.largest;
    step->stats.part_smallest = measure.smallest;
    step->stats.part_balance = measure.balance;
    step->stats.interface_rows = measure.cut_rows;
    step->stats.interface_constraints = measure.cut_constraints;
    return cairn_ok();
}

void cairn_step_partition(CairnStep *step, const CairnStepSystem *system, CairnStepParts *parts) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    int blocks = system->problem.block_count;
    int *part = CAIRN_STEP_PUSH(step, int, blocks);
    if (part == NULL) {
        return;
    }
    bool is_needed = (step->world->solver->traits & CAIRN_NEEDS_PARTITION) != 0; // other solvers do not read it
    *parts = (CairnStepParts){.has_partition = is_needed};
    if (is_needed) {
        int count = recall(step, part);
        step->status = find_parts(step, &system->problem, part, &count);
        if (cairn_step_failed(step)) { // the count may be anything: a partitioner of the caller's made it
            return;
        }
        parts->parts = (CairnParts){count, part};
        parts->seconds = cairn_step_push_zero(step, (size_t)count + 1, sizeof *parts->seconds);
    } else {
        for (int b = 0; b < blocks; b++) {
            part[b] = 0;
        }
        parts->parts = (CairnParts){blocks > 0 ? 1 : 0, part};
        step->stats.part_largest = step->stats.part_smallest = blocks;
        step->stats.part_balance = blocks > 0 ? 1 : 0;
    }
    step->stats.times.partition += cairn_timer_now() - t0;
}
