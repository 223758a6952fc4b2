#include "solvers/partition.h"

#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/problem/graph.h"

CairnStatus cairn_options_or_defaults(const CairnFieldTable *table, const void *options, CairnArena *arena,
                                      const void **chosen) {
    *chosen = options;
    if (table == NULL || options != NULL) {
        return cairn_ok();
    }
    void *defaults = cairn_arena_push_zero(arena, 1, table->size);
    if (defaults == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options of %s", table->title);
    }
    cairn_fields_preset(table, defaults);
    *chosen = defaults;
    return cairn_ok();
}

// The partitioner and the refiner may be the caller's, so their options are checked.
static CairnStatus find_options(const CairnFieldTable *table, const void *options, CairnArena *arena,
                                const void **chosen) {
    CAIRN_TRY(cairn_options_or_defaults(table, options, arena, chosen));
    return table != NULL ? cairn_fields_check(table, *chosen) : cairn_ok();
}

// The partitioner and the refiner may be the caller's, so their results are checked.
static CairnStatus measure_parts(const CairnGraph *graph, const CairnParts *parts, const CairnAllocator *allocator,
                                 int *sizes, const char *kind, const char *name, CairnPartsMeasure *measure) {
    CairnStatus status = cairn_parts_measure(graph, parts, allocator, sizes, measure);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "%s %s: %.160s", kind, name, status.message);
}

static CairnStatus make_parts(const CairnProblem *problem, const CairnPartition *partition, CairnArena *arena,
                              int *part, int *count, CairnPartsMeasure *measure, double *refine_seconds) {
    const CairnPartitioner *partitioner = partition->partitioner;
    const CairnRefiner *refiner = partition->refiner;
    const CairnAllocator allocator =
        cairn_arena_allocator(arena); // its memory is freed together, once the parts are made
    const void *partition_options, *refine_options;
    CairnGraph graph;
    CairnPartsMeasure before;
    int *sizes = CAIRN_PUSH(arena, int, problem->block_count + 1);
    if (sizes == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the parts of %d blocks", problem->block_count);
    }
    if (partitioner == NULL) {
        partitioner = cairn_partitioner_default();
    }
    if (refiner == NULL) {
        CAIRN_TRY(cairn_refiner_find("none", &refiner));
    }
    CAIRN_TRY(find_options(partitioner->options, partition->partition_options, arena, &partition_options));
    CAIRN_TRY(find_options(refiner->options, partition->refine_options, arena, &refine_options));
    CAIRN_TRY(cairn_problem_graph(problem, arena, &graph));
    CAIRN_TRY(partitioner->partition(&graph, partition_options, &allocator, part, count));
    CairnParts parts = {*count, part};
    CAIRN_TRY(measure_parts(&graph, &parts, &allocator, sizes, "partitioner", partitioner->name, &before));
    double began = cairn_timer_now();
    CAIRN_TRY(refiner->refine(&graph, refine_options, &allocator, part, count));
    parts.count = *count;
    CAIRN_TRY(measure_parts(&graph, &parts, &allocator, sizes, "refiner", refiner->name, measure));
    *refine_seconds = cairn_timer_now() - began;
    if (measure->cut_rows > before.cut_rows) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "refiner %s raised the cut from %d to %d rows", refiner->name,
                           before.cut_rows, measure->cut_rows);
    }
    return cairn_ok();
}

CairnStatus cairn_problem_part_in(const CairnProblem *problem, const CairnPartition *partition, CairnArena *arena,
                                  int *part, int *count, CairnPartsMeasure *measure, double *refine_seconds) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnStatus status = make_parts(problem, partition, arena, part, count, measure, refine_seconds);
    cairn_arena_release(arena, mark);
    return status;
}

CairnStatus cairn_problem_part(const CairnProblem *problem, const CairnPartition *partition,
                               const CairnAllocator *allocator, int *part, int *count, CairnPartsMeasure *measure) {
    if (problem == NULL || part == NULL || count == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "parts: %s is NULL",
                           problem == NULL ? "problem"
                           : part == NULL  ? "part"
                                           : "count");
    }
    CAIRN_TRY(cairn_problem_check(problem));
    const CairnAllocator plain = cairn_memory_default();
    const CairnPartition usual = {.partitioner = NULL};
    CairnPartsMeasure unused;
    double seconds;
    CairnArena arena;
    cairn_arena_init(&arena, allocator != NULL && allocator->allocate != NULL ? allocator : &plain);
    CairnStatus status = cairn_problem_part_in(problem, partition != NULL ? partition : &usual, &arena, part, count,
                                               measure != NULL ? measure : &unused, &seconds);
    cairn_arena_free(&arena);
    return status;
}
