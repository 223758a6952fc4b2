// A partitioner of your own: one C file with the public headers alone. The program compiles and loads it wherever it
// takes a partitioner:
//
//   build/cairn run box_tower --solver schur-bpp --partition examples/my_partitioner.c:part_size=20
//
// Or compile it yourself into a shared object:
//
//   cc -std=c17 -shared -fPIC -Iinclude -o my_partitioner.so examples/my_partitioner.c
//   build/cairn run box_tower --solver schur-bpp --partition ./my_partitioner.so
//
// Bodies are taken in the order in which they were made, part_size of them at a time. A refiner is the same with the
// symbol `cairn_refiner` and --refine.
#include <cairn/partitioner.h>

typedef struct Options {
    int part_size;
} Options;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Options, part_size, 16, 1, 1000000000, "bodies in a part"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("my_partitioner", Options, fields);

static CairnStatus partition(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    const Options *chosen = options;
    (void)allocator; // for those that need memory
    *count = 0;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = i / chosen->part_size;
        *count = part[i] + 1;
    }
    return cairn_ok();
}

extern const CairnPartitioner cairn_partitioner;
const CairnPartitioner cairn_partitioner = {"my_partitioner", "bodies in the order of their making", &table, partition};
