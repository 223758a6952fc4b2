#include "tests/support/support_partitions.h"

#include "partition/islands.h"
#include <string.h>

const char *const support_grown[SUPPORT_GROWN] = {"mindp", "maxdp", "bfs", "mr", "mix"};

const CairnPartitioner *support_partitioner(const char *name) {
    const CairnPartitioner *found = NULL;
    assert_ok(cairn_partitioner_find(name, &found));
    return found;
}

const CairnRefiner *support_refiner(const char *name) {
    const CairnRefiner *found = NULL;
    assert_ok(cairn_refiner_find(name, &found));
    return found;
}

bool support_has_option(const CairnFieldTable *table, const char *name) {
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

CairnStatus support_try_partition(const CairnGraph *graph, const char *name, const char *text, SupportPartition *p) {
    const CairnPartitioner *chosen = support_partitioner(name);
    unsigned char options[256] = {0};
    if (chosen->options) {
        assert_true(chosen->options->size <= sizeof options);
        cairn_fields_preset(chosen->options, options);
        CAIRN_TRY(cairn_fields_parse(chosen->options, options, text));
    }
    return chosen->partition(graph, chosen->options ? options : NULL, NULL, p->part, &p->count);
}

SupportPartition support_partition(const CairnGraph *graph, const char *name, const char *text) {
    SupportPartition p = {.count = 0};
    assert_ok(support_try_partition(graph, name, text, &p));
    return p;
}

CairnPartsMeasure support_partition_measure(const CairnGraph *graph, const SupportPartition *p) {
    CairnPartsMeasure found;
    assert_ok(cairn_parts_measure(graph, &(CairnParts){p->count, p->part}, NULL, NULL, &found));
    return found;
}

int support_plain_cut(const CairnGraph *graph, const int *part) {
    int rows = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        int low = SUPPORT_MOST_NODES, high = -1;
        for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
            int p = part[graph->edge_node[k]];
            low = p < low ? p : low;
            high = p > high ? p : high;
        }
        rows += high > low ? graph->edge_rows[e] : 0;
    }
    return rows;
}

// Pieces: nodes of one part that hang together. piece[node] is the lowest node of its piece.
static void find_pieces(const CairnGraph *graph, const int *part, int *piece) {
    bool has_changed = true;
    for (int i = 0; i < graph->node_count; i++) {
        piece[i] = i;
    }
    while (has_changed) {
        has_changed = false;
        for (int e = 0; e < graph->edge_count; e++) {
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                for (int l = graph->edge_start[e]; l < graph->edge_start[e + 1]; l++) {
                    int a = graph->edge_node[k], b = graph->edge_node[l];
                    if (part[a] == part[b] && piece[a] > piece[b]) {
                        piece[a] = piece[b];
                        has_changed = true;
                    }
                }
            }
        }
    }
}

void support_count_fragments(const CairnGraph *graph, const SupportPartition *p, int *fragments) {
    static int piece[SUPPORT_MOST_NODES], island[SUPPORT_MOST_NODES], island_size[SUPPORT_MOST_NODES],
        piece_size[SUPPORT_MOST_NODES];
    memset(island_size, 0, sizeof island_size);
    memset(piece_size, 0, sizeof piece_size);
    memset(fragments, 0, (size_t)p->count * sizeof *fragments);
    find_pieces(graph, p->part, piece);
    cairn_islands(graph, island);
    for (int i = 0; i < graph->node_count; i++) {
        island_size[island[i]]++;
        piece_size[piece[i]]++;
    }
    for (int i = 0; i < graph->node_count; i++) {
        fragments[p->part[i]] += piece[i] == i && piece_size[i] < island_size[island[i]] ? 1 : 0;
    }
}

static int dofs_of(const CairnGraph *graph, int node) {
    return graph->node_dofs != NULL ? graph->node_dofs[node] : CAIRN_BODY_DOFS;
}

void support_check_numbers(const CairnGraph *graph, const SupportPartition *p) {
    int sizes[SUPPORT_MOST_NODES], dofs[SUPPORT_MOST_NODES] = {0};
    CairnPartsMeasure found;
    assert_ok(cairn_parts_measure(graph, &(CairnParts){p->count, p->part}, NULL, sizes, &found)); // each node, no holes
    int sum = 0, largest = 0, all = 0, most = 0;
    for (int i = 0; i < graph->node_count; i++) {
        dofs[p->part[i]] += dofs_of(graph, i);
        all += dofs_of(graph, i);
    }
    for (int k = 0; k < p->count; k++) {
        sum += sizes[k];
        largest = sizes[k] > largest ? sizes[k] : largest;
        most = dofs[k] > most ? dofs[k] : most;
    }
    assert_int_equal(sum, graph->node_count);
    assert_int_equal(found.largest, largest);
    assert_int_equal(found.most_dofs, most);
    assert_near(found.balance, all > 0 ? (double)most * p->count / all : 0, 1e-15 * p->count);
    assert_int_equal(found.cut_rows, support_plain_cut(graph, p->part));
}

void support_check_contiguous(const CairnGraph *graph, const SupportPartition *p, bool has_last_group) {
    int fragments[SUPPORT_MOST_NODES];
    support_count_fragments(graph, p, fragments);
    for (int k = 0; k < p->count - (has_last_group ? 1 : 0); k++) {
        assert_true(fragments[k] <= 1);
    }
}

void support_check_sizes(const CairnGraph *graph, const SupportPartition *p, int limit) {
    int dofs[SUPPORT_MOST_NODES] = {0}, nodes[SUPPORT_MOST_NODES] = {0};
    for (int i = 0; i < graph->node_count; i++) {
        bool is_orphan = true;
        for (int e = 0; e < graph->edge_count; e++) {
            bool is_mine = false, is_later = false;
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                is_mine = is_mine || graph->edge_node[k] == i;
                is_later = is_later || p->part[graph->edge_node[k]] > p->part[i];
            }
            is_orphan = is_orphan && !(is_mine && is_later);
        }
        dofs[p->part[i]] += is_orphan ? 0 : dofs_of(graph, i);
        nodes[p->part[i]] += is_orphan ? 0 : 1;
    }
    for (int k = 0; k < p->count; k++) {
        assert_true(dofs[k] <= CAIRN_BODY_DOFS * limit || nodes[k] == 1);
    }
}

void support_draw_graph(SupportGraph *g, int which, uint64_t *seed) {
    switch (which % 6) {
    case 0:
        support_graph_chain(g, support_int(seed, 1, 80));
        break;
    case 1:
        support_graph_grid(g, support_int(seed, 1, 12), support_int(seed, 1, 12));
        break;
    case 2:
        support_graph_pile(g, seed, support_int(seed, 1, 150));
        break;
    case 3:
        support_graph_tower(g, support_int(seed, 1, 12), support_int(seed, 1, 6));
        break;
    default:
        support_graph_random(g, seed, 60);
        break;
    }
}
