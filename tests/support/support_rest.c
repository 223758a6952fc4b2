#include "tests/support/support_rest.h"
#include <math.h>
#include <stdlib.h>

enum { BODIES = 16, CONTACTS = 128 };

typedef struct BodyContact {
    uint64_t id;
    CairnVec3 in_a, in_b; // in the frames of its bodies
} BodyContact;

struct SupportStill {
    int body_count, contact_count;
    CairnBodyState bodies[BODIES];
    BodyContact contacts[CONTACTS];
    double energy;
};

static CairnVec3 seen_from(const CairnWorld *world, CairnBodyId id, CairnVec3 point) {
    CairnBodyState state;
    if (!cairn_is_ok(cairn_body_get(world, id, &state))) {
        return point;
    }
    return cairn_unrotate(state.orientation, cairn_sub(point, state.position));
}

// Copies the contacts with an impulse, or all: the distribution of a load over redundant points may change while
// nothing moves.
static int take(const CairnWorld *world, SupportStill *still, bool all) {
    CairnBodyId ids[BODIES];
    CairnContact contacts[CONTACTS];
    still->body_count = cairn_world_bodies(world, ids, BODIES);
    for (int i = 0; i < still->body_count && i < BODIES; i++) {
        (void)cairn_body_get(world, ids[i], &still->bodies[i]);
    }
    int count = cairn_world_contacts(world, contacts, CONTACTS);
    still->contact_count = 0;
    for (int i = 0; i < count && i < CONTACTS; i++) {
        if (all || contacts[i].impulse.x > 0) {
            still->contacts[still->contact_count++] =
                (BodyContact){contacts[i].id, seen_from(world, contacts[i].body_a, contacts[i].point),
                              seen_from(world, contacts[i].body_b, contacts[i].point)};
        }
    }
    return count;
}

SupportStill *support_still_take(const CairnWorld *world, const CairnStats *stats) {
    SupportStill *still = calloc(1, sizeof *still);
    if (still != NULL) {
        take(world, still, false);
        still->energy = stats->kinetic_energy + stats->potential_energy;
    }
    return still;
}

SupportMotion support_still_compare(const SupportStill *still, const CairnWorld *world, const CairnStats *stats) {
    SupportStill now;
    SupportMotion motion = {.gain = stats->kinetic_energy + stats->potential_energy - still->energy};
    take(world, &now, true);
    for (int i = 0; i < still->body_count && i < BODIES; i++) {
        CairnVec3 moved = cairn_sub(now.bodies[i].center, still->bodies[i].center);
        CairnQuat turned = cairn_quat_mul(now.bodies[i].orientation, cairn_quat_conj(still->bodies[i].orientation));
        motion.drift = fmax(motion.drift, cairn_length(moved));
        motion.turn = fmax(motion.turn, cairn_length(cairn_quat_log(turned)));
    }
    for (int i = 0; i < still->contact_count; i++) {
        const BodyContact *was = &still->contacts[i], *is = NULL;
        for (int k = 0; k < now.contact_count; k++) {
            is = now.contacts[k].id == was->id ? &now.contacts[k] : is;
        }
        motion.lost += is == NULL ? 1 : 0;
        if (is != NULL) {
            double moved =
                fmax(cairn_length(cairn_sub(is->in_a, was->in_a)), cairn_length(cairn_sub(is->in_b, was->in_b)));
            motion.contact = fmax(motion.contact, moved);
        }
    }
    return motion;
}

void support_still_free(SupportStill *still) {
    free(still);
}
