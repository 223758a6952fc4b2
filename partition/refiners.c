// The list of built-in refiners. To add one: its own .c/.h pair and a line here.
#include <cairn/partitioner.h>
#include <string.h>

#include "partition/fm.h"
#include "partition/kl.h"
#include "partition/refine_none.h"

static const CairnRefiner *const refiners[] = {
    &cairn_refiner_none,
    &cairn_refiner_kl,
    &cairn_refiner_fm,
};

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
    for (int i = 0; i < REFINER_COUNT; i++) {
        names[i] = refiners[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *refiner = refiners[i];
            return cairn_ok();
        }
    }
    char near[96];
    cairn_near_names(name, names, REFINER_COUNT, near, sizeof near);
    return cairn_error(CAIRN_NOT_FOUND, "refiner \"%.60s\" is unknown%s%s", name, near[0] ? "; near: " : "", near);
}
