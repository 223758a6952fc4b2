// A world made again in other units: masses times one power of two, lengths times another, times by the root of that,
// so that gravity stays. Where nothing in the engine has a unit of its own, it moves by the same bits.
#ifndef CAIRN_SUPPORT_RESCALE_H
#define CAIRN_SUPPORT_RESCALE_H

#include "tests/support/support.h"
#include <cairn/world.h>

typedef struct Rescale {
    double mass, length, time; // powers of two; length = time^2
} Rescale;

// A new world with the bodies, shapes and joints of this one as they are now, and without what its last steps left.
CairnWorld *support_rescaled(const CairnWorld *world, Rescale by);

// True: every body of `scaled` is, bit for bit, where that of `plain` is. Else a line tells which is not.
bool support_is_rescaled(const CairnWorld *plain, const CairnWorld *scaled, Rescale by, const char *what);

#endif
