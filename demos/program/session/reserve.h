// Arrays of the program that become longer as they are filled. They lie in the C library's memory: free() ends them.
#ifndef CAIRN_PROGRAM_RESERVE_H
#define CAIRN_PROGRAM_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

// Room for `needed` elements: where there is less, twice as many as that. `array` points to the array's pointer. False:
// there is no memory, and the array is as it was.
bool cairn_array_reserve(void *array, int *capacity, int needed, size_t element_size);

#endif
