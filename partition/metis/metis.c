#include "partition/metis/metis.h"

#include <metis.h>

#include "partition/graph.h"
#include "partition/mindp.h"
#include "partition/scratch.h"

static const CairnField fields[] = {
    CAIRN_FIELD_INT(CairnMetisOptions, part_size, 16, 1, 1000000000,
                    "most bodies in a part, of 6 dofs each; orphans may come on top"),
    CAIRN_FIELD_INT(CairnMetisOptions, parts, 0, 0, 1000000000,
                    "instead of part_size: so many parts; 0: part_size counts"),
    CAIRN_FIELD_BOOL(CairnMetisOptions, repair, 1,
                     "mend METIS's parts where they do not hang together or are too large"),
    CAIRN_FIELD_INT(CairnMetisOptions, seed, 0, 0, 1000000000, "of METIS's own draws"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("metis", CairnMetisOptions, fields);

// The graph in METIS's integers; the weight of a pair is the number of rows between its two bodies, at least 1, for
// METIS takes no 0.
typedef struct MetisGraph {
    idx_t nodes, *start, *neighbour, *weight, *part;
    idx_t *dofs; // weights of nodes; NULL: all are equal
} MetisGraph;

// Where a node is heavier than a part METIS makes empty parts, and prints to the terminal: then it gets no weights,
// and the repair enforces the limit.
static bool copy_dofs(const CairnGraph *graph, int room, CairnArena *arena, MetisGraph *m) {
    bool is_even = true, is_heavy = false;
    m->dofs = CAIRN_PUSH(arena, idx_t, graph->node_count);
    for (int i = 0; m->dofs && i < graph->node_count; i++) {
        m->dofs[i] = cairn_graph_dofs(graph, i);
        is_even = is_even && m->dofs[i] == m->dofs[0];
        is_heavy = is_heavy || m->dofs[i] > room;
    }
    bool has_memory = m->dofs != NULL;
    m->dofs = is_even || is_heavy ? NULL : m->dofs;
    return has_memory;
}

static bool copy_graph(const CairnAdjacency *a, CairnArena *arena, MetisGraph *m) {
    int ends = a->start[a->node_count];
    m->nodes = a->node_count;
    m->start = CAIRN_PUSH(arena, idx_t, a->node_count + 1);
    m->neighbour = CAIRN_PUSH(arena, idx_t, ends);
    m->weight = CAIRN_PUSH(arena, idx_t, ends);
    m->part = CAIRN_PUSH_ZERO(arena, idx_t, a->node_count);
    if (!m->start || !m->neighbour || !m->weight || !m->part) {
        return false;
    }
    for (int i = 0; i <= a->node_count; i++) {
        m->start[i] = a->start[i];
    }
    for (int k = 0; k < ends; k++) {
        m->neighbour[k] = a->neighbour[k];
        m->weight[k] = a->rows[k] > 0 ? a->rows[k] : 1;
    }
    return true;
}

static CairnStatus call(MetisGraph *m, int parts, int seed) {
    idx_t one = 1, wanted = parts, cut = 0, settings[METIS_NOPTIONS];
    METIS_SetDefaultOptions(settings);
    settings[METIS_OPTION_SEED] = seed;
    settings[METIS_OPTION_NUMBERING] = 0;
    settings[METIS_OPTION_UFACTOR] = 30; // METIS's default, 3 % out of balance
    int answer = METIS_PartGraphKway(&m->nodes, &one, m->start, m->neighbour, m->dofs, NULL, m->weight, &wanted, NULL,
                                     NULL, settings, &cut, m->part);
    if (answer != METIS_OK) {
        return cairn_error(answer == METIS_ERROR_MEMORY ? CAIRN_OUT_OF_MEMORY : CAIRN_NUMERIC,
                           "metis: METIS_PartGraphKway answers %d for %d bodies and %d parts", answer, (int)m->nodes,
                           parts);
    }
    return cairn_ok();
}

// METIS may leave parts empty.
static CairnStatus renumber_parts(const MetisGraph *m, int parts, CairnArena *arena, int *part, int *count) {
    int *number = CAIRN_PUSH_ZERO(arena, int, parts);
    if (!number) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "metis: no memory for %d parts", parts);
    }
    *count = 0;
    for (idx_t i = 0; i < m->nodes; i++) {
        number[m->part[i]] = 1;
    }
    for (int p = 0; p < parts; p++) {
        number[p] = number[p] ? (*count)++ : -1;
    }
    for (idx_t i = 0; i < m->nodes; i++) {
        part[i] = number[m->part[i]];
    }
    return cairn_ok();
}

static CairnStatus partition_in(const CairnGraph *graph, const CairnMetisOptions *options, CairnScratch *scratch,
                                int *part, int *count) {
    CairnAdjacency adjacency;
    MetisGraph copy;
    int nodes = graph->node_count, found = 0, *found_parts = CAIRN_PUSH(&scratch->arena, int, nodes);
    if (options->parts > nodes) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "metis: parts = %d are more than the %d bodies", options->parts,
                           nodes);
    }
    int bodies = cairn_graph_bodies(cairn_graph_all_dofs(graph));
    int parts = options->parts > 0 ? options->parts : (bodies - 1) / options->part_size + 1;
    parts = parts < nodes ? parts : nodes; // a block heavier than a part makes no more of them
    int room = cairn_graph_room((bodies - 1) / parts + 1);
    CAIRN_TRY(cairn_adjacency_make(graph, &scratch->arena, &adjacency));
    if (!found_parts || !copy_graph(&adjacency, &scratch->arena, &copy) ||
        !copy_dofs(graph, room, &scratch->arena, &copy)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "metis: no memory to part %d bodies", nodes);
    }
    if (parts > 1) { // it divides by zero for one
        CAIRN_TRY(call(&copy, parts, options->seed));
    }
    CAIRN_TRY(renumber_parts(&copy, parts, &scratch->arena, found_parts, &found));
    if (options->repair) {
        CairnGrowing growing = {.rule = &cairn_grow_mindp,
                                .options = {.part_size = options->part_size,
                                            .parts = options->parts,
                                            .orphans = true,
                                            .keep = 1,
                                            .seed = options->seed}};
        CAIRN_TRY(cairn_grow(&growing, graph, 0, &scratch->allocator, found_parts, &found));
    }
    memcpy(part, found_parts, (size_t)nodes * sizeof *part);
    *count = found;
    return cairn_ok();
}

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnMetisOptions chosen;
    CAIRN_TRY(cairn_partition_options(&table, options, &chosen));
    CAIRN_TRY(cairn_graph_check(graph));
    if (graph->node_count == 0) {
        *count = 0;
        return cairn_ok();
    }
    CairnScratch scratch;
    cairn_scratch_open(&scratch, allocator);
    CairnStatus status = partition_in(graph, &chosen, &scratch, part, count);
    cairn_scratch_close(&scratch);
    return status;
}

const CairnPartitioner cairn_partitioner_metis = {
    .name = "metis",
    .summary = "libmetis, multilevel k-way on rows",
    .options = &table,
    .partition = partition,
};
