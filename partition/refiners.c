// The list of built-in refiners. A new one takes a file and a line here.
#include <cairn/partitioner.h>

#include "engine/base/names.h"

// The refiners: one line each.
// clang-format off
#define REFINERS(X) \
    X(none) \
    X(kl) \
    X(fm)
// clang-format on

#define DECLARE(name) extern const CairnRefiner cairn_refiner_##name;
REFINERS(DECLARE)

#define LIST(name) &cairn_refiner_##name,
static const CairnRefiner *const refiners[] = {REFINERS(LIST)};

enum { REFINER_COUNT = sizeof(refiners) / sizeof(refiners[0]) };

int cairn_refiner_count(void) {
    return REFINER_COUNT;
}

const CairnRefiner *cairn_refiner_at(int index) {
    return index >= 0 && index < REFINER_COUNT ? refiners[index] : NULL;
}

CairnStatus cairn_refiner_find(const char *name, const CairnRefiner **refiner) {
    if (!name || !refiner) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "refiner: %s is NULL", name ? "the place for the answer" : "name");
    }
    const char *names[REFINER_COUNT];
    char hint[CAIRN_HINT_SIZE];
    for (int i = 0; i < REFINER_COUNT; i++) {
        names[i] = refiners[i]->name;
    }
    int found = cairn_name_find(name, names, REFINER_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "refiner \"%.60s\" is unknown%s", name, hint);
    }
    *refiner = refiners[found];
    return cairn_ok();
}
