// A tree of boxes, for queries: what a box meets or comes near to, what a ray or a moved box may hit. It is built by
// halves along the longest side, and fitted to boxes that moved for as long as its nodes do not grow much. An answer
// never depends on the tree: walks visit every item that may matter, and the caller breaks ties by number.
#ifndef CAIRN_COLLISION_BOX_TREE_H
#define CAIRN_COLLISION_BOX_TREE_H

#include "collision/collision.h"

typedef struct CairnBoxNode {
    CairnAabb box;
    int first, count; // a leaf's items in `order`; count 0: its two children are nodes first and first + 1
} CairnBoxNode;

typedef struct CairnBoxTree {
    CairnAabb *boxes; // by number; unbounded ones are in no node and always visited
    CairnBoxNode *nodes;
    int *order; // the items in the leaves, then the unbounded ones
    int node_count, item_count, unbounded_count;
    double size; // sum of the nodes' extents when it was built
    int box_capacity, node_capacity, order_capacity;
} CairnBoxTree;

void cairn_box_tree_free(CairnBoxTree *tree, const CairnAllocator *allocator);

// Room for `count` boxes, and for as many items; false when out of memory: then the tree is as it was.
bool cairn_box_tree_reserve(CairnBoxTree *tree, const CairnAllocator *allocator, int count);

// tree->boxes holds the boxes of the items. `order` holds the item_count + unbounded_count numbers that are there:
// build puts them in order.
void cairn_box_tree_build(CairnBoxTree *tree, int count);
// Updates the nodes after the items have moved. Returns false where building the tree anew is better.
bool cairn_box_tree_fit(CairnBoxTree *tree);

// A walk along a ray (a box of half extents `half` at origin + t direction, t in [0, limit]), or to the boxes whose gap
// from a box along every axis is at most `limit`. The caller may lower `limit` as it goes; nearer nodes come first.
// Without a tree (NULL) there is nothing to walk, but boxes can be tested one by one.
typedef struct CairnBoxWalk {
    const CairnBoxTree *tree;
    bool is_ray;
    CairnVec3 origin, half, inverse; // ray
    CairnAabb box;                   // else
    double limit, size, slack; // boxes are taken larger by `slack`: what only touches must not be lost by rounding
    int at, end;               // items of the leaf
    int height, stack[80];
    double entries[80]; // of the nodes on the stack
} CairnBoxWalk;

void cairn_box_walk_ray(CairnBoxWalk *walk, const CairnBoxTree *tree, CairnVec3 origin, CairnVec3 half,
                        CairnVec3 direction, double limit);
void cairn_box_walk_near(CairnBoxWalk *walk, const CairnBoxTree *tree, CairnAabb box, double limit);
// The next item, or -1.
int cairn_box_walk_next(CairnBoxWalk *walk);
bool cairn_box_walk_admits(CairnBoxWalk *walk, const CairnAabb *box);

#endif
