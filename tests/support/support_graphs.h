// Constraint graphs for the tests and the bench of partitioners: random ones, chains, grids, piles and towers of made
// bodies.
#ifndef CAIRN_TESTS_SUPPORT_GRAPHS_H
#define CAIRN_TESTS_SUPPORT_GRAPHS_H

#include <cairn/partitioner.h>

// A graph with its arrays. Ids are 100 + node, so that an id is not mistaken for a number.
typedef struct SupportGraph {
    CairnGraph graph;
    uint64_t *id;
    double *mass;
    int *group, *rows, *start, *node;
    int *dofs; // NULL: rigid bodies
    int node_capacity, edge_capacity, end_capacity;
} SupportGraph;

void support_graph_begin(SupportGraph *g, int nodes);
void support_graph_free(SupportGraph *g);
void support_graph_tie(SupportGraph *g, int a, int b, int rows);
void support_graph_edge(SupportGraph *g, const int *nodes, int count, int rows);

void support_graph_weigh(SupportGraph *g, uint64_t *seed); // 1 to 64 dofs a node

// Edges over 0 to 5 nodes, now and then over many, at times the same node twice.
void support_graph_random(SupportGraph *g, uint64_t *seed, int most_nodes);
void support_graph_chain(SupportGraph *g, int links);            // hinges of 5 rows, each link on the ground too
void support_graph_grid(SupportGraph *g, int width, int height); // 3 rows a tie
void support_graph_pile(SupportGraph *g, uint64_t *seed,
                        int rocks);                              // spheres in a box: 1 to 4 contacts of 3 rows a pair
void support_graph_tower(SupportGraph *g, int layers, int logs); // crossing layers, one contact where two logs cross

#endif
