#include "partition/mix.h"

#include "partition/scratch.h"

static const CairnField fields[] = {
    CAIRN_GROW_FIELDS(CAIRN_DEGREE_BODIES),
    CAIRN_FIELD_DOUBLE(CairnMixOptions, tau, 0.2, 0, 1, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",
                       "share of a part that grows by minimum degree; the rest grows by gain"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("mix", CairnMixOptions, fields);

// MaxGainBody: "maximal connectivity to the new partition in terms of the number of constraints"; among equals the one
// that is tied least to the rest, which is the larger gain by S3 eq. 2.
static int64_t degree_then_gain(const CairnGrowing *growing, int node) {
    int64_t degree = growing->degree[node];
    return growing->size < growing->turn ? degree : degree - growing->tied[node] * ((int64_t)1 << 31);
}

static const CairnGrowRule rule = {.name = "mix", .start = cairn_grow_min_degree, .next = degree_then_gain};

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnMixOptions chosen;
    CAIRN_TRY(cairn_partition_options(&table, options, &chosen));
    CairnGrowing growing = {.rule = &rule, .options = chosen.grow};
    return cairn_grow(&growing, graph, chosen.tau, allocator, part, count);
}

const CairnPartitioner cairn_partitioner_mix = {
    .name = "mix",
    .summary = "minimum degree first, then the body tied most to the part (S3 algorithm 1)",
    .options = &table,
    .partition = partition,
};
