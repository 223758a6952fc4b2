// Magnify: a small picture becomes a large one, on the processor that draws: its driver's own stretching takes it ten
// times as long.
#ifndef CAIRN_VIEWER_MAGNIFY_H
#define CAIRN_VIEWER_MAGNIFY_H

#include "demos/viewer/gpu.h"
#include <stdint.h>

typedef struct CairnMagnifier {
    uint32_t *memory; // of all that follows
    size_t room;      // words
    int width, height;
    uint32_t *small, *large; // the pictures
    uint32_t *rows;          // two of the small one, as wide as the large one
    int32_t *before;         // for each column of the large one, the small one's before it,
    uint32_t *weights;       // and the weight of the next one, of 256
} CairnMagnifier;

// What was drawn into `from` (plain), the bottom row first, is kept as large as this, the top row first.
CairnStatus cairn_magnifier_take(CairnMagnifier *magnifier, const CairnGpuTarget *from, int width, int height);
// And becomes the picture of `to`, which is plain, top first and of that size.
void cairn_magnifier_lay(const CairnMagnifier *magnifier, const CairnGpuTarget *to);
void cairn_magnifier_free(CairnMagnifier *magnifier);

#endif
