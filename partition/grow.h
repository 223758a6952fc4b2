// Growing: the loop of S0's algorithm 2 and of all methods in S3 section 2.1. A part begins with one body and takes
// neighbours one by one until it is full; a rule decides which comes first.
#ifndef CAIRN_PARTITION_GROW_H
#define CAIRN_PARTITION_GROW_H

#include <cairn/partitioner.h>
#include <stdbool.h>
#include <stdint.h>

#include "partition/adjacency.h"
#include "partition/heap.h"

typedef enum CairnDegree { CAIRN_DEGREE_BODIES = 0, CAIRN_DEGREE_CONSTRAINTS } CairnDegree;

// The options of all growing partitioners. The first member of theirs.
typedef struct CairnGrowOptions {
    int part_size; // most bodies in a part (n_max), orphans aside; blocks weigh their dofs, a body 6
    int parts;     // 0: by part_size; else n_max is so that this many parts hold all
    int degree;    // CairnDegree
    bool orphans;  // adopt bodies that a full part would isolate
    double
        keep; // repair the last step's parts where at most this fraction of the bodies changes its part; 0: begin anew
    int seed; // draws among equals; 0: the lowest node
} CairnGrowOptions;

extern const char *const cairn_degree_names[];

// The fields of the member `grow`, which must come first. The partitioners differ in the default of `degree`.
// clang-format off
#define CAIRN_GROW_FIELDS(degree_)                                                                                     \
    CAIRN_FIELD_INT(CairnGrowOptions, part_size, 16, 1, 1000000000,                                                    \
                    "most bodies in a part, of 6 dofs each; orphans may come on top"),                                 \
    CAIRN_FIELD_INT(CairnGrowOptions, parts, 0, 0, 1000000000,                                                         \
                    "instead of part_size: as large as so many parts need to be to hold all; 0: part_size counts"),    \
    CAIRN_FIELD_CHOICE(CairnGrowOptions, degree, degree_, cairn_degree_names,                                          \
                       "what a body's degree counts: the bodies that it is tied to, or the constraints"),              \
    CAIRN_FIELD_BOOL(CairnGrowOptions, orphans, 1, "adopt bodies that a full part leaves without neighbours"),         \
    CAIRN_FIELD_DOUBLE(CairnGrowOptions, keep, 0, 0, 1, 0, "",                                                         \
                       "repair the last step's parts where at most this share of the bodies needs a new one"),         \
    CAIRN_FIELD_INT(CairnGrowOptions, seed, 0, 0, 1000000000, "draws among equals; 0: the lowest first")
// clang-format on

typedef struct CairnGrowing CairnGrowing;

// Least first; equals by seed, then by number.
typedef int64_t (*CairnGrowKey)(const CairnGrowing *growing, int node);

// Keys that several rules have: none, so that the number decides; when the node became a neighbour of the part; its
// degree.
int64_t cairn_grow_any(const CairnGrowing *growing, int node);
int64_t cairn_grow_first_met(const CairnGrowing *growing, int node);
int64_t cairn_grow_min_degree(const CairnGrowing *growing, int node);

typedef struct CairnGrowRule {
    const char *name;
    CairnGrowKey start, next;
    bool (*admits)(const CairnGrowing *growing, int node); // NULL: any body may join any part that has room
} CairnGrowRule;

struct CairnGrowing {
    const CairnGraph *graph;
    const CairnGrowRule *rule;
    CairnGrowOptions options;
    int limit;    // n_max, in dofs
    int turn;     // dofs of a part from which `next` gives other keys (mix); 0: none
    double ratio; // tau (mr)
    CairnAdjacency adjacency;

    // of nodes
    const int *island;
    bool *is_free; // in G_0
    int *degree;   // the degree that the options choose, over neighbours in G_0
    int *free_neighbours;
    int *tied;    // constraints with the part that grows
    int *arrival; // when it became a neighbour of the part that grows
    int *refused; // list of those that the part that grows does not admit or has no room for; behind it the orphans

    const int *island_size, *island_dofs;
    int *island_free; // of the island's nodes, how many are in G_0
    CairnHeap free, frontier;
    int free_count, free_dofs, refused_count;

    // of the part that grows
    int number, arrivals;
    int size; // dofs
    double least_mass;
    int here;          // its nodes in the island of the last one
    bool has_fragment; // it has a fragment of some island
};

// Grow parts by the rule. `growing` brings rule, options and ratio; all else is made here. From turn_fraction n_max
// bodies on `next` gives other keys; 0: never.
CairnStatus cairn_grow(CairnGrowing *growing, const CairnGraph *graph, double turn_fraction,
                       const CairnAllocator *allocator, int *part, int *count);

// Parts from `number` on for the nodes that are free, and nothing but these; returns the next number. Whole runs may
// leave the rest to one last group, as algorithm 2 does.
int cairn_grow_free(CairnGrowing *growing, int number, bool has_last_group, int *part);

#endif
