// kl: Kernighan-Lin as S3 section 2.2 has it: two bodies at the interface of two parts change places where that lowers the cut. Sizes stay.
#ifndef CAIRN_PARTITION_KL_H
#define CAIRN_PARTITION_KL_H

#include <cairn/partitioner.h>

typedef struct CairnKlOptions {
    int passes; // most rounds over all pairs of parts
} CairnKlOptions;

extern const CairnRefiner cairn_refiner_kl;

#endif
