// The list of pairs and its sort: two stable counting sorts, by b and then by a, in linear time.
#include "collision/broad_pairs.h"
#include <string.h>

bool cairn_pair_list_add(CairnPairList *list, int i, int j) {
    CairnPairBlock *block = list->last;
    if (block == NULL || block->count == CAIRN_PAIR_BLOCK) {
        block = CAIRN_PUSH(list->arena, CairnPairBlock, 1);
        if (block == NULL) {
            return false;
        }
        block->next = NULL;
        block->count = 0;
        if (list->last == NULL) {
            list->first = block;
        } else {
            list->last->next = block;
        }
        list->last = block;
    }
    block->pairs[block->count++] = i < j ? (CairnPair){i, j} : (CairnPair){j, i};
    ++list->count;
    return true;
}

// Turn counts at [i + 1] into the place where bucket i begins.
static void begin_buckets(int *starts, int index_count) {
    for (int i = 0; i < index_count; ++i) {
        starts[i + 1] += starts[i];
    }
}

bool cairn_pair_list_sort(const CairnPairList *list, int index_count, CairnPair **pairs) {
    CairnArena *arena = list->arena;
    CairnPair *sorted = CAIRN_PUSH(arena, CairnPair, list->count + 1);
    CairnPair *by_b = CAIRN_PUSH(arena, CairnPair, list->count + 1);
    int *starts_a = CAIRN_PUSH_ZERO(arena, int, index_count + 1);
    int *starts_b = CAIRN_PUSH_ZERO(arena, int, index_count + 1);
    if (sorted == NULL || by_b == NULL || starts_a == NULL || starts_b == NULL) {
        return false;
    }
    for (const CairnPairBlock *block = list->first; block != NULL; block = block->next) {
        for (int k = 0; k < block->count; ++k) {
            ++starts_a[block->pairs[k].a + 1];
            ++starts_b[block->pairs[k].b + 1];
        }
    }
    begin_buckets(starts_a, index_count);
    begin_buckets(starts_b, index_count);
    for (const CairnPairBlock *block = list->first; block != NULL; block = block->next) {
        for (int k = 0; k < block->count; ++k) {
            by_b[starts_b[block->pairs[k].b]++] = block->pairs[k];
        }
    }
    for (int k = 0; k < list->count; ++k) {
        sorted[starts_a[by_b[k].a]++] = by_b[k];
    }
    *pairs = sorted;
    return true;
}
