// kl: Kernighan-Lin as in S3 section 2.2: two bodies at the interface of two parts are swapped where that lowers the
// cut. Sizes do not change.
#ifndef CAIRN_PARTITION_KL_H
#define CAIRN_PARTITION_KL_H

#include <cairn/partitioner.h>

typedef struct CairnKlOptions {
    int passes; // most rounds over all pairs of parts
} CairnKlOptions;

extern const CairnRefiner cairn_refiner_kl;

#endif
