#include "demos/program/session/law.h"
#include <string.h>

bool cairn_law_is_taken(unsigned traits, CairnFrictionKind kind) {
    static const unsigned needed[CAIRN_FRICTION_KIND_COUNT] = {[CAIRN_FRICTION_BOX] = CAIRN_TAKES_BOUNDS,
                                                               [CAIRN_FRICTION_BOX_CURRENT] = CAIRN_TAKES_BOX_CURRENT,
                                                               [CAIRN_FRICTION_CONE] = CAIRN_TAKES_CONE,
                                                               [CAIRN_FRICTION_COULOMB] = CAIRN_TAKES_COULOMB};
    return (traits & needed[kind]) != 0;
}

bool cairn_law_richest(unsigned traits, CairnFrictionKind *kind) {
    static const CairnFrictionKind richest_first[CAIRN_FRICTION_KIND_COUNT] = {
        CAIRN_FRICTION_COULOMB, CAIRN_FRICTION_CONE, CAIRN_FRICTION_BOX_CURRENT, CAIRN_FRICTION_BOX};
    for (int i = 0; i < CAIRN_FRICTION_KIND_COUNT; i++) {
        if (cairn_law_is_taken(traits, richest_first[i])) {
            *kind = richest_first[i];
            return true;
        }
    }
    return false;
}

bool cairn_law_is_named(const CairnRunOptions *options) {
    static const char setting[] = "friction=";
    bool is_named = options->has_friction;
    for (int i = 0; i < options->settings.count; i++) {
        is_named = is_named || strncmp(options->settings.items[i], setting, sizeof setting - 1) == 0;
    }
    return is_named;
}
