#include "demos/program/session/reserve.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cairn_array_reserve(void *array, int *capacity, int needed, size_t element_size) {
    if (needed <= *capacity) {
        return true;
    }
    enum { FIRST = 16 };
    int larger = needed > INT_MAX / 2 ? INT_MAX : 2 * needed;
    larger = larger < FIRST ? FIRST : larger;
    if ((size_t)larger > PTRDIFF_MAX / element_size) {
        return false;
    }
    void *old;
    memcpy(&old, array, sizeof old); // the caller's pointer has its own type: move it as bytes
    void *grown = realloc(old, (size_t)larger * element_size);
    if (!grown) {
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = larger;
    return true;
}
