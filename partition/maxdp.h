// maxdp: as mindp, but the body that is tied to most comes first (S3 section 2.1).
#ifndef CAIRN_PARTITION_MAXDP_H
#define CAIRN_PARTITION_MAXDP_H

#include <cairn/partitioner.h>

extern const CairnPartitioner cairn_partitioner_maxdp;

#endif
