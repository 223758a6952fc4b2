// Selection for trees of medians: which half of a list an item belongs to.
#ifndef CAIRN_COLLISION_MEDIAN_H
#define CAIRN_COLLISION_MEDIAN_H

#include <stdbool.h>

// Does item a of `what` come before b along this axis? No two are equal, so that halves do not depend on how they are found.
typedef bool (*CairnComesBefore)(const void *what, int a, int b, int axis);

// Put the item of order[first ... end - 1] that belongs at `place` there, those before it ahead of it (Hoare's selection).
void cairn_median_select(int *order, int first, int end, int place, CairnComesBefore comes_before, const void *what,
                         int axis);

#endif
