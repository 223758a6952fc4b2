// The list of built-in partitioners. To add one: its own .c/.h pair and a line here.
#include <cairn/partitioner.h>
#include <string.h>

#include "partition/bfs.h"
#include "partition/maxdp.h"
#include "partition/mindp.h"
#include "partition/mix.h"
#include "partition/mr.h"
#include "partition/none.h"
#include "partition/semantic.h"
#ifdef CAIRN_METIS
#include "partition/metis/metis.h"
#endif

static const CairnPartitioner *const partitioners[] = {
    &cairn_partitioner_none,  &cairn_partitioner_mindp, &cairn_partitioner_maxdp,    &cairn_partitioner_bfs,
    &cairn_partitioner_mr,    &cairn_partitioner_mix,   &cairn_partitioner_semantic,
#ifdef CAIRN_METIS
    &cairn_partitioner_metis,
#endif
};

enum { PARTITIONER_COUNT = sizeof(partitioners) / sizeof(partitioners[0]) };

int cairn_partitioner_count(void) {
    return PARTITIONER_COUNT;
}

const CairnPartitioner *cairn_partitioner_at(int index) {
    return index >= 0 && index < PARTITIONER_COUNT ? partitioners[index] : NULL;
}

CairnStatus cairn_partitioner_find(const char *name, const CairnPartitioner **partitioner) {
    if (!name || !partitioner) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "partitioner: %s is NULL",
                           name ? "the place for the answer" : "name");
    }
    const char *names[PARTITIONER_COUNT];
    for (int i = 0; i < PARTITIONER_COUNT; i++) {
        names[i] = partitioners[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *partitioner = partitioners[i];
            return cairn_ok();
        }
    }
    char near[96];
    cairn_near_names(name, names, PARTITIONER_COUNT, near, sizeof near);
    return cairn_error(CAIRN_NOT_FOUND, "partitioner \"%.60s\" is unknown%s%s", name, near[0] ? "; near: " : "", near);
}
