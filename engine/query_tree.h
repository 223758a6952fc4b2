// The shapes that a query may be about: looked up in a tree of their boxes that is kept for as long as nothing moves.
//
// It is made when it pays: the first query after a step reads all shapes, as it would to fit the tree; those after it
// find the tree fitted. After shapes came or went, the first few read all. The results are the same in both cases.
#ifndef CAIRN_QUERY_TREE_H
#define CAIRN_QUERY_TREE_H

#include "collision/broad/box_tree.h"
#include "engine/world.h"

typedef struct CairnQuery {
    const CairnWorld *world;
    CairnFilter filter;
    bool has_tree;
    CairnBoxWalk walk;
    int slot; // without a tree: the next one
} CairnQuery;

CairnStatus cairn_world_open_queries(CairnWorld *world);
void cairn_world_close_queries(CairnWorld *world);

// Shapes whose boxes are met by a ray, or by a box of half extents `half` that moves along it; t in origin + t
// direction is at most `limit`.
void cairn_query_ray(CairnQuery *query, const CairnWorld *world, CairnFilter filter, CairnVec3 origin, CairnVec3 half,
                     CairnVec3 direction, double limit);
// Shapes whose boxes are within `limit` of a box along every axis.
void cairn_query_near(CairnQuery *query, const CairnWorld *world, CairnFilter filter, CairnAabb box, double limit);
// From now on shapes that are farther away are skipped.
static inline void cairn_query_limit(CairnQuery *query, double limit) {
    query->walk.limit = limit;
}
// The next shape that the filter lets through and that may matter, in any order, and its pose; -1: there is none.
int cairn_query_next(CairnQuery *query, CairnTransform *pose);

#endif
