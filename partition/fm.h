// fm: Fiduccia-Mattheyses as S3 section 2.2 has it: bodies at the interface move, one at a time, to the part where most
// rows leave the cut, while that is a gain (eq. 2).
#ifndef CAIRN_PARTITION_FM_H
#define CAIRN_PARTITION_FM_H

#include <cairn/partitioner.h>

typedef struct CairnFmOptions {
    int part_size; // no part grows above this; 0: above the largest that comes in
    int passes;    // most rounds
} CairnFmOptions;

extern const CairnRefiner cairn_refiner_fm;

#endif
