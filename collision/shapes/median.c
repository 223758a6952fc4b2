#include "collision/shapes/median.h"

void cairn_median_select(int *order, int first, int end, int rank, CairnComesBefore comes_before, const void *what,
                         int axis) {
    int low = first, high = end - 1;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (comes_before(what, order[i], pivot, axis)) {
                i += 1;
            }
            while (comes_before(what, pivot, order[j], axis)) {
                j -= 1;
            }
            if (i <= j) {
                int kept = order[i];
                order[i++] = order[j];
                order[j--] = kept;
            }
        }
        if (rank <= j) {
            high = j;
        } else if (rank >= i) {
            low = i;
        } else {
            return;
        }
    }
}
