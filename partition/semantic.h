// semantic: the groups of the scene are the parts (S0 section 6.1).
#ifndef CAIRN_PARTITION_SEMANTIC_H
#define CAIRN_PARTITION_SEMANTIC_H

#include <cairn/partitioner.h>
#include <stdbool.h>

typedef struct CairnSemanticOptions {
    int groups; // the labels are 0 .. groups - 1, and each must name a body; 0: any labels
    bool rest;  // bodies without a label make one more part; off: they are refused
} CairnSemanticOptions;

extern const CairnPartitioner cairn_partitioner_semantic;

#endif
