// mix: minimum degree first, and from tau n_max bodies on the body that is tied most to the part (S3 algorithm 1).
//
// Algorithm 1 is printed with the outer condition `while size(G_0) < n_max`: on all but the smallest systems it would
// never begin, and on those it would never end. The condition of algorithm 2 in S0 must be meant, size(G_0) > n_max:
// parts are made while the remaining bodies do not fit one part, and these are the last group. The printed text also
// does not remove the first body of a part from G_0 and never increments i; here both are done as in algorithm 2, and
// the orphans of each part are removed, too.
#ifndef CAIRN_PARTITION_MIX_H
#define CAIRN_PARTITION_MIX_H

#include "partition/grow.h"

typedef struct CairnMixOptions {
    CairnGrowOptions grow;
    double tau; // tau_mix
} CairnMixOptions;

extern const CairnPartitioner cairn_partitioner_mix;

#endif
