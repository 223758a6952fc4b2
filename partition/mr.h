// mr: breadth first, but a body joins only where its mass is near the part's (S3 eq. 1).
#ifndef CAIRN_PARTITION_MR_H
#define CAIRN_PARTITION_MR_H

#include "partition/grow.h"

typedef struct CairnMrOptions {
    CairnGrowOptions grow;
    double tau; // tau_MR
} CairnMrOptions;

extern const CairnPartitioner cairn_partitioner_mr;

#endif
