// none: parts stay as they are.
#include <cairn/partitioner.h>

static CairnStatus refine(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                          int *count) {
    (void)graph;
    (void)options;
    (void)allocator;
    (void)part;
    (void)count;
    return cairn_ok();
}

const CairnRefiner cairn_refiner_none = {
    .name = "none",
    .summary = "parts stay as the partitioner made them",
    .options = NULL,
    .refine = refine,
};
