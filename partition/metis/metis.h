// metis: multilevel k-way partitioning by libmetis (Karypis and Kumar), the reference that S0 and S3 mention. Only
// where it was built in.
#ifndef CAIRN_PARTITION_METIS_METIS_H
#define CAIRN_PARTITION_METIS_METIS_H

#include <cairn/partitioner.h>
#include <stdbool.h>

typedef struct CairnMetisOptions {
    int part_size; // most bodies in a part, orphans aside; blocks weigh their dofs, a body 6
    int parts;     // 0: as many as part_size needs
    bool repair;   // make METIS's parts connected and not larger than part_size
    int seed;
} CairnMetisOptions;

extern const CairnPartitioner cairn_partitioner_metis;

#endif
