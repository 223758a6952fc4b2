// maxdp: as mindp, but the body that is tied to most comes first (S3 section 2.1).
#include "partition/grow.h"
#include "partition/scratch.h"

static const CairnField fields[] = {CAIRN_GROW_FIELDS(CAIRN_DEGREE_CONSTRAINTS)};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("maxdp", CairnGrowOptions, fields);

static int64_t max_degree(const CairnGrowing *growing, int node) {
    return -growing->degree[node];
}

static const CairnGrowRule rule = {.name = "maxdp", .start = max_degree, .next = max_degree};

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnGrowing growing = {.rule = &rule};
    CAIRN_TRY(cairn_partition_options(&table, options, &growing.options));
    return cairn_grow(&growing, graph, 0, allocator, part, count);
}

const CairnPartitioner cairn_partitioner_maxdp = {
    .name = "maxdp",
    .summary = "maximum degree first (S3 section 2.1)",
    .options = &table,
    .partition = partition,
};
