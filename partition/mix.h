// mix: minimum degree first, and from tau n_max bodies on the body that is tied most to the part (S3 algorithm 1).
//
// Algorithm 1 is printed with the outer condition `while size(G_0) < n_max`: on all but the smallest systems it would never begin, and on
// those it would never end. What is meant is algorithm 2's of S0, size(G_0) > n_max: parts are made while more is left than one can hold,
// and the rest is the last group. The printed text also leaves the first body of a part in G_0 and never counts i up; here as there
// it goes out, and so does each part's orphans.
#ifndef CAIRN_PARTITION_MIX_H
#define CAIRN_PARTITION_MIX_H

#include "partition/grow.h"

typedef struct CairnMixOptions {
    CairnGrowOptions grow;
    double tau; // tau_mix
} CairnMixOptions;

extern const CairnPartitioner cairn_partitioner_mix;

#endif
