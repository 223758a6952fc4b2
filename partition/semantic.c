#include "partition/semantic.h"

#include <inttypes.h>
#include <stdlib.h>

#include "partition/graph.h"
#include "partition/scratch.h"

static const CairnField fields[] = {
    CAIRN_FIELD_INT(CairnSemanticOptions, groups, 0, 0, 1000000000,
                    "labels are 0 to groups - 1 and each must name a body; 0: any labels"),
    CAIRN_FIELD_BOOL(CairnSemanticOptions, rest, 0, "bodies without a label make one more part; off: they are refused"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("semantic", CairnSemanticOptions, fields);

typedef struct Labelled {
    int label, node;
} Labelled;

static int by_label(const void *a, const void *b) {
    const Labelled *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->node > y->node) - (x->node < y->node);
}

static CairnStatus check_labels(const CairnGraph *graph, const CairnSemanticOptions *options) {
    int missing = 0, first = -1;
    for (int i = graph->node_count - 1; i >= 0; i--) {
        int label = graph->node_group[i];
        if (label < 0) {
            missing += 1;
            first = i;
        } else if (options->groups > 0 && label >= options->groups) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "semantic: body 0x%016" PRIx64 " is in group %d, and there are groups 0 to %d",
                               graph->node_id[i], label, options->groups - 1);
        }
    }
    if (missing > 0 && !options->rest) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "semantic: %d of %d bodies are in no group, the first of them 0x%016" PRIx64
                           " (option rest=true makes them a part)",
                           missing, graph->node_count, graph->node_id[first]);
    }
    return cairn_ok();
}

static CairnStatus number_labels(const CairnGraph *graph, const CairnSemanticOptions *options, Labelled *labelled,
                                 int *part, int *count) {
    int nodes = graph->node_count, wanted = 0, parts = 0;
    for (int i = 0; i < nodes; i++) {
        labelled[i] = (Labelled){graph->node_group[i], i};
    }
    qsort(labelled, (size_t)nodes, sizeof *labelled, by_label);
    for (int i = 0; i < nodes && labelled[i].label <= wanted; i++) {
        wanted += labelled[i].label == wanted ? 1 : 0;
    }
    if (nodes > 0 && options->groups > wanted) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "semantic: group %d of %d names no body", wanted, options->groups);
    }
    // Rising labels, those without one last.
    int rest = 0;
    while (rest < nodes && labelled[rest].label < 0) {
        rest++;
    }
    for (int i = rest; i < nodes; i++) {
        parts += i == rest || labelled[i].label != labelled[i - 1].label ? 1 : 0;
        part[labelled[i].node] = parts - 1;
    }
    for (int i = 0; i < rest; i++) {
        part[labelled[i].node] = parts;
    }
    *count = parts + (rest > 0 ? 1 : 0);
    return cairn_ok();
}

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnSemanticOptions chosen;
    CAIRN_TRY(cairn_partition_options(&table, options, &chosen));
    CAIRN_TRY(cairn_graph_check(graph));
    CAIRN_TRY(check_labels(graph, &chosen));
    CairnScratch scratch;
    cairn_scratch_open(&scratch, allocator);
    Labelled *labelled = CAIRN_PUSH(&scratch.arena, Labelled, graph->node_count);
    CairnStatus status = labelled ? number_labels(graph, &chosen, labelled, part, count)
                                  : cairn_error(CAIRN_OUT_OF_MEMORY, "semantic: no memory for the labels of %d bodies",
                                                graph->node_count);
    cairn_scratch_close(&scratch);
    return status;
}

const CairnPartitioner cairn_partitioner_semantic = {
    .name = "semantic",
    .summary = "the groups that the scene names (S0 section 6.1)",
    .options = &table,
    .partition = partition,
};
