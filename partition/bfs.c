// bfs: breadth first from the lowest body; physics is not looked at (S3 section 2.1).
#include "partition/grow.h"
#include "partition/scratch.h"

static const CairnField fields[] = {CAIRN_GROW_FIELDS(CAIRN_DEGREE_CONSTRAINTS)};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("bfs", CairnGrowOptions, fields);

static const CairnGrowRule rule = {.name = "bfs", .start = cairn_grow_any, .next = cairn_grow_first_met};

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnGrowing growing = {.rule = &rule};
    CAIRN_TRY(cairn_partition_options(&table, options, &growing.options));
    return cairn_grow(&growing, graph, 0, allocator, part, count);
}

const CairnPartitioner cairn_partitioner_bfs = {
    .name = "bfs",
    .summary = "breadth first, in the bodies' own order (S3 section 2.1)",
    .options = &table,
    .partition = partition,
};
