#include "tests/support/support_parts.h"

#include "engine/base/memory.h"
#include "solvers/problem/graph.h"
#include "tests/support/support.h"

typedef union Options {
    double align;
    char bytes[256];
} Options;

bool support_parts(const CairnProblem *problem, const CairnPartitioner *partitioner, const char *options,
                   const CairnRefiner *refiner, CairnArena *arena, CairnParts *parts) {
    CairnAllocator plain = cairn_memory_default();
    CairnGraph graph;
    Options chosen, refine;
    int *part = CAIRN_PUSH_ZERO(arena, int, problem->block_count + 1);
    assert_non_null(part);
    assert_ok(cairn_problem_graph(problem, arena, &graph));
    if (partitioner->options != NULL) {
        assert_true(partitioner->options->size <= sizeof chosen);
        cairn_fields_preset(partitioner->options, &chosen);
        assert_ok(cairn_fields_parse(partitioner->options, &chosen, options != NULL ? options : ""));
    }
    *parts = (CairnParts){0, part};
    for (int i = 0; i < problem->block_count; i++) {
        part[i] = -1;
    }
    if (!cairn_is_ok(partitioner->partition(&graph, &chosen, &plain, part, &parts->count))) {
        parts->count = 0;
        return false;
    }
    if (refiner != NULL) {
        if (refiner->options != NULL) {
            assert_true(refiner->options->size <= sizeof refine);
            cairn_fields_preset(refiner->options, &refine);
        }
        assert_ok(refiner->refine(&graph, &refine, &plain, part, &parts->count));
    }
    return true;
}
