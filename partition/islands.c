#include "partition/islands.h"

// Path halving: every second node on the path gets its grandparent as parent.
static int find_root(int *parent, int node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

int cairn_islands(const CairnGraph *graph, int *island) {
    for (int i = 0; i < graph->node_count; i++) {
        island[i] = i;
    }
    for (int edge = 0; edge < graph->edge_count; edge++) {
        for (int k = graph->edge_start[edge] + 1; k < graph->edge_start[edge + 1]; k++) {
            int a = find_root(island, graph->edge_node[k - 1]);
            int b = find_root(island, graph->edge_node[k]);
            // The lower root stays a root, so that a root is the lowest node of its island.
            if (a < b) {
                island[b] = a;
            } else {
                island[a] = b;
            }
        }
    }
    for (int i = 0; i < graph->node_count; i++) {
        island[i] = find_root(island, i);
    }
    // From roots to numbers in one pass upward: a node's root is itself or a lower node, whose entry is its number
    // already. A root is distinguished from a numbered entry by pointing at itself, and no number exceeds the node
    // that it belongs to.
    int count = 0;
    for (int i = 0; i < graph->node_count; i++) {
        island[i] = island[i] == i ? count++ : island[island[i]];
    }
    return count;
}
