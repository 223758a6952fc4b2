#include "tests/support/support_graphs.h"
#include "tests/support/support.h"
#include <stdlib.h>
#include <string.h>

static void *resize(void *memory, size_t count, size_t size) {
    void *larger = realloc(memory, (count + 1) * size);
    assert_non_null(larger);
    return larger;
}

static void point(SupportGraph *g) {
    g->graph.node_id = g->id;
    g->graph.node_mass = g->mass;
    g->graph.node_group = g->group;
    g->graph.node_dofs = g->dofs;
    g->graph.edge_rows = g->rows;
    g->graph.edge_start = g->start;
    g->graph.edge_node = g->node;
}

void support_graph_begin(SupportGraph *g, int nodes) {
    memset(g, 0, sizeof *g);
    g->graph.node_count = nodes;
    g->id = resize(NULL, (size_t)nodes, sizeof *g->id);
    g->mass = resize(NULL, (size_t)nodes, sizeof *g->mass);
    g->group = resize(NULL, (size_t)nodes, sizeof *g->group);
    g->start = resize(NULL, 1, sizeof *g->start);
    g->start[0] = 0;
    for (int i = 0; i < nodes; i++) {
        g->id[i] = 100 + (uint64_t)i;
        g->mass[i] = 1;
        g->group[i] = -1;
    }
    point(g);
}

void support_graph_free(SupportGraph *g) {
    free(g->id);
    free(g->mass);
    free(g->group);
    free(g->dofs);
    free(g->rows);
    free(g->start);
    free(g->node);
    memset(g, 0, sizeof *g);
}

void support_graph_edge(SupportGraph *g, const int *nodes, int count, int rows) {
    int edge = g->graph.edge_count++, end = g->start[edge];
    if (g->graph.edge_count > g->edge_capacity) {
        g->edge_capacity = 2 * g->graph.edge_count;
        g->rows = resize(g->rows, (size_t)g->edge_capacity, sizeof *g->rows);
        g->start = resize(g->start, (size_t)g->edge_capacity + 1, sizeof *g->start);
    }
    if (end + count > g->end_capacity) {
        g->end_capacity = 2 * (end + count);
        g->node = resize(g->node, (size_t)g->end_capacity, sizeof *g->node);
    }
    g->rows[edge] = rows;
    for (int k = 0; k < count; k++) {
        g->node[end + k] = nodes[k];
    }
    g->start[edge + 1] = end + count;
    point(g);
}

void support_graph_weigh(SupportGraph *g, uint64_t *seed) {
    static const int sizes[] = {1, 3, 6, 7, 10, 33, 64};
    g->dofs = resize(g->dofs, (size_t)g->graph.node_count, sizeof *g->dofs);
    for (int i = 0; i < g->graph.node_count; i++) {
        g->dofs[i] = sizes[support_int(seed, 0, 6)];
    }
    point(g);
}

void support_graph_tie(SupportGraph *g, int a, int b, int rows) {
    support_graph_edge(g, (const int[]){a, b}, 2, rows);
}

void support_graph_random(SupportGraph *g, uint64_t *seed, int most_nodes) {
    int nodes = support_int(seed, 1, most_nodes), edges = support_int(seed, 0, 3 * nodes);
    int reach = support_int(seed, 1, nodes);
    support_graph_begin(g, nodes);
    for (int i = 0; i < nodes; i++) {
        g->mass[i] = support_int(seed, 0, 20) == 0 ? 0 : support_uniform(seed, 0.1, 100);
        g->group[i] = support_int(seed, 0, 4);
    }
    for (int e = 0; e < edges; e++) {
        int ends[24], count = support_int(seed, 0, 9) == 0 ? support_int(seed, 0, 24) : support_int(seed, 1, 3);
        int at = support_int(seed, 0, nodes - 1);
        for (int k = 0; k < count; k++) {
            ends[k] = (at + support_int(seed, 0, reach)) % nodes;
        }
        support_graph_edge(g, ends, count, support_int(seed, 0, 6));
    }
}

void support_graph_chain(SupportGraph *g, int links) {
    support_graph_begin(g, links);
    for (int i = 0; i < links; i++) {
        support_graph_edge(g, &i, 1, 3);
        if (i + 1 < links) {
            support_graph_tie(g, i, i + 1, 5);
        }
    }
}

void support_graph_grid(SupportGraph *g, int width, int height) {
    support_graph_begin(g, width * height);
    for (int i = 0; i < width * height; i++) {
        if (i % width + 1 < width) {
            support_graph_tie(g, i, i + 1, 3);
        }
        if (i + width < width * height) {
            support_graph_tie(g, i, i + width, 3);
        }
    }
}

// A jittered hexagonal packing: about six neighbours a rock, as in a pile at rest.
void support_graph_pile(SupportGraph *g, uint64_t *seed, int rocks) {
    support_graph_begin(g, rocks);
    int side = 1;
    while (side * side * side < rocks) {
        side++;
    }
    CairnVec3 *at = resize(NULL, (size_t)rocks, sizeof *at);
    for (int i = 0; i < rocks; i++) {
        int row = i / side % side, layer = i / (side * side);
        CairnVec3 position = {i % side + 0.5 * (row % 2), 0.87 * row + 0.29 * (layer % 2), 0.82 * layer};
        at[i] = cairn_add(position, support_vec3(seed, -0.12, 0.12));
        g->mass[i] = support_int(seed, 0, 2) == 0 ? 10 : support_int(seed, 0, 1) == 0 ? 100 : 1000;
    }
    for (int i = 0; i < rocks; i++) {
        for (int j = 0; j < i; j++) {
            int points = cairn_length(cairn_sub(at[i], at[j])) < 1 ? support_int(seed, 1, 4) : 0;
            for (int k = 0; k < points; k++) {
                support_graph_tie(g, j, i, 3);
            }
        }
    }
    free(at);
}

void support_graph_tower(SupportGraph *g, int layers, int logs) {
    support_graph_begin(g, layers * logs);
    for (int layer = 0; layer < layers; layer++) {
        for (int a = 0; a < logs; a++) {
            for (int b = 0; layer > 0 && b < logs; b++) {
                support_graph_tie(g, (layer - 1) * logs + b, layer * logs + a, 3);
            }
        }
    }
}
