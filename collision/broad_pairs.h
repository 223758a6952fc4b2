// The pairs that a sweep finds: a list that grows in the arena, and its sort by (a, b).
#ifndef CAIRN_COLLISION_BROAD_PAIRS_H
#define CAIRN_COLLISION_BROAD_PAIRS_H

#include "collision/collision.h"

enum { CAIRN_PAIR_BLOCK = 1022 };

typedef struct CairnPairBlock {
    struct CairnPairBlock *next;
    int count;
    CairnPair pairs[CAIRN_PAIR_BLOCK];
} CairnPairBlock;

typedef struct CairnPairList {
    CairnArena *arena;
    CairnPairBlock *first, *last;
    int count;
} CairnPairList;

// Add {i, j} with the smaller index first. False when out of memory.
bool cairn_pair_list_add(CairnPairList *list, int i, int j);

// All pairs in one array of the arena, sorted by (a, b); indices are below index_count. False when out of memory.
bool cairn_pair_list_sort(const CairnPairList *list, int index_count, CairnPair **pairs);

#endif
