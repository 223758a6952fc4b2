// How still a world lies between two moments, contact by contact.
#ifndef CAIRN_TESTS_SUPPORT_REST_H
#define CAIRN_TESTS_SUPPORT_REST_H

#include <cairn/cairn.h>

// What moved between two moments: see test_rest.c.
typedef struct SupportMotion {
    double contact; // farthest that a contact point moved in the frame of either of its bodies, m
    double drift;   // farthest that a body's centre moved, m
    double turn;    // largest turn of a body, rad
    double gain;    // rise of the total energy, J
    int lost;       // contacts that are not there any more
} SupportMotion;

typedef struct SupportStill SupportStill;

// Remember bodies and contacts, and compare with them later.
SupportStill *support_still_take(const CairnWorld *world, const CairnStats *stats);
SupportMotion support_still_compare(const SupportStill *still, const CairnWorld *world, const CairnStats *stats);
void support_still_free(SupportStill *still);

#endif
