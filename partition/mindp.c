#include "partition/mindp.h"

#include "partition/scratch.h"

static const CairnField fields[] = {CAIRN_GROW_FIELDS(CAIRN_DEGREE_CONSTRAINTS)};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("mindp", CairnGrowOptions, fields);

const CairnGrowRule cairn_grow_mindp = {.name = "mindp", .start = cairn_grow_min_degree, .next = cairn_grow_min_degree};

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnGrowing growing = {.rule = &cairn_grow_mindp};
    CAIRN_TRY(cairn_partition_options(&table, options, &growing.options));
    return cairn_grow(&growing, graph, 0, allocator, part, count);
}

const CairnPartitioner cairn_partitioner_mindp = {
    .name = "mindp",
    .summary = "minimum degree first, orphans adopted (S0 algorithm 2)",
    .options = &table,
    .partition = partition,
};
