#include "partition/mr.h"

#include <math.h>

#include "partition/scratch.h"

static const CairnField fields[] = {
    CAIRN_GROW_FIELDS(CAIRN_DEGREE_CONSTRAINTS),
    CAIRN_FIELD_DOUBLE(CairnMrOptions, tau, 10, 1, 1e12, CAIRN_FIELD_OPEN_MIN, "",
                       "a body joins where its mass over the part's least, or the other way round, is below this"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("mr", CairnMrOptions, fields);

// Eq. 1: max{m_i, m_j} / min{m_i, m_j} < tau, with m_i the least mass of the part so far. It bounds each step, not the
// part: a lighter body makes a new m_i, so that a part may span up to tau^2. As a product, for a mass may be 0.
static bool is_near(const CairnGrowing *growing, int node) {
    double a = growing->least_mass, b = growing->graph->node_mass[node];
    return fmax(a, b) < growing->ratio * fmin(a, b) || a == b;
}

static const CairnGrowRule rule = {
    .name = "mr", .start = cairn_grow_any, .next = cairn_grow_first_met, .admits = is_near};

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    CairnMrOptions chosen;
    CAIRN_TRY(cairn_partition_options(&table, options, &chosen));
    CairnGrowing growing = {.rule = &rule, .options = chosen.grow, .ratio = chosen.tau};
    return cairn_grow(&growing, graph, 0, allocator, part, count);
}

const CairnPartitioner cairn_partitioner_mr = {
    .name = "mr",
    .summary = "breadth first among bodies of like mass, ratio tau (S3 eq. 1)",
    .options = &table,
    .partition = partition,
};
