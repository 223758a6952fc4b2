// The list of built-in partitioners. A new one takes a file and a line here.
#include <cairn/partitioner.h>

#include "engine/base/names.h"

// Where METIS is there.
#ifdef CAIRN_METIS
#define WITH_METIS(X) X(metis)
#else
#define WITH_METIS(X)
#endif

// The partitioners: one line each.
// clang-format off
#define PARTITIONERS(X) \
    X(none) \
    X(mindp) \
    X(maxdp) \
    X(bfs) \
    X(mr) \
    X(mix) \
    X(semantic) \
    WITH_METIS(X)
// clang-format on

#define DECLARE(name) extern const CairnPartitioner cairn_partitioner_##name;
PARTITIONERS(DECLARE)

#define LIST(name) &cairn_partitioner_##name,
static const CairnPartitioner *const partitioners[] = {PARTITIONERS(LIST)};

enum { PARTITIONER_COUNT = sizeof(partitioners) / sizeof(partitioners[0]) };

int cairn_partitioner_count(void) {
    return PARTITIONER_COUNT;
}

const CairnPartitioner *cairn_partitioner_at(int index) {
    return index >= 0 && index < PARTITIONER_COUNT ? partitioners[index] : NULL;
}

const CairnPartitioner *cairn_partitioner_default(void) {
    return &cairn_partitioner_mindp;
}

CairnStatus cairn_partitioner_find(const char *name, const CairnPartitioner **partitioner) {
    if (!name || !partitioner) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "partitioner: %s is NULL",
                           name ? "the place for the answer" : "name");
    }
    const char *names[PARTITIONER_COUNT];
    char hint[CAIRN_HINT_SIZE];
    for (int i = 0; i < PARTITIONER_COUNT; i++) {
        names[i] = partitioners[i]->name;
    }
    int found = cairn_name_find(name, names, PARTITIONER_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "partitioner \"%.60s\" is unknown%s", name, hint);
    }
    *partitioner = partitioners[found];
    return cairn_ok();
}
