// Partition: problem -> graph -> parts, by the world's partitioner and refiner, for solvers that want them.
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/problem/graph.h"

// Where each body was in the step before, and how many parts there were.
static int recall(const CairnStep *step, int *part) {
    int count = 0;
    for (int b = 0; b < step->block_count; b++) {
        part[b] = step->store->bodies[step->blocks[b].body].part;
        count = part[b] >= count ? part[b] + 1 : count;
    }
    return count;
}

// A partitioner and a refiner may be a caller's own. A status of theirs goes out as it is.
static CairnStatus measure(const CairnStep *step, const CairnGraph *graph, int *sizes, const char *kind,
                           const char *name, CairnPartsMeasure *found) {
    CairnStatus status = cairn_parts_measure(graph, &step->parts, &step->world->allocator, sizes, found);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "step: %s %s: %.160s", kind, name, status.message);
}

static CairnStatus find_parts(CairnStep *step, const CairnAllocator *allocator, int *part) {
    const CairnWorld *world = step->world;
    CairnGraph graph;
    CairnPartsMeasure before, after;
    int *sizes = CAIRN_STEP_PUSH(step, int, step->block_count);
    if (sizes == NULL) {
        return step->status;
    }
    CAIRN_TRY(cairn_problem_graph(&step->problem, step->arena, &graph));
    CAIRN_TRY(world->partitioner->partition(&graph, world->partitioner_options, allocator, part, &step->parts.count));
    CAIRN_TRY(measure(step, &graph, sizes, "partitioner", world->partitioner->name, &before));
    double t0 = cairn_timer_now();
    CAIRN_TRY(world->refiner->refine(&graph, world->refiner_options, allocator, part, &step->parts.count));
    CAIRN_TRY(measure(step, &graph, sizes, "refiner", world->refiner->name, &after));
    step->stats.times.refine += cairn_timer_now() - t0;
    if (after.cut_rows > before.cut_rows) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "step: refiner %s raised the cut from %d to %d rows",
                           world->refiner->name, before.cut_rows, after.cut_rows);
    }
    step->stats.part_largest = after.largest;
    step->stats.part_smallest = after.smallest;
    step->stats.part_balance = after.balance;
    step->stats.interface_rows = after.cut_rows;
    step->stats.interface_constraints = after.cut_constraints;
    return cairn_ok();
}

void cairn_step_partition(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    int blocks = step->problem.block_count;
    int *part = CAIRN_STEP_PUSH(step, int, blocks);
    if (part == NULL) {
        return;
    }
    step->has_partition = (step->world->solver->traits & CAIRN_NEEDS_PARTITION) != 0; // others never look at it
    if (step->has_partition) {
        step->parts = (CairnParts){recall(step, part), part};
        // What partitioners release is free at the end of the stage, and a settled step asks the caller's allocator for nothing.
        CairnAllocator allocator = cairn_arena_allocator(step->arena);
        CairnArenaMark mark = cairn_arena_mark(step->arena);
        step->status = find_parts(step, &allocator, part);
        cairn_arena_release(step->arena, mark);
        step->part_seconds = cairn_step_push_zero(step, (size_t)step->parts.count + 1, sizeof *step->part_seconds);
    } else {
        for (int b = 0; b < blocks; b++) {
            part[b] = 0;
        }
        step->parts = (CairnParts){blocks > 0 ? 1 : 0, part};
        step->stats.part_largest = step->stats.part_smallest = blocks;
        step->stats.part_balance = blocks > 0 ? 1 : 0;
    }
    step->stats.times.partition += cairn_timer_now() - t0;
}
