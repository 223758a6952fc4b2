// Selection for trees of medians: which half of a list an item belongs to.
#ifndef CAIRN_COLLISION_MEDIAN_H
#define CAIRN_COLLISION_MEDIAN_H

#include <stdbool.h>

// Does item a of `what` come before b along this axis? No two are equal, so that halves do not depend on how they are
// found.
typedef bool (*CairnComesBefore)(const void *what, int a, int b, int axis);

// Moves the item of order[first ... end - 1] whose rank in sorted order is `rank` to order[rank], and all items that
// come before it in front of it (Hoare's selection).
void cairn_median_select(int *order, int first, int end, int rank, CairnComesBefore comes_before, const void *what,
                         int axis);

#endif
