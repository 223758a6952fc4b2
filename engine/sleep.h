// Sleep: groups of bodies that have come to rest cost nothing until something reaches them.
//
// A group is an island (bodies tied by joints and by contacts that push) that was still for a while. It falls asleep
// and wakes as one. A sleeping body has no dofs: it stands like a static one. Its contacts' records are kept, so that
// it wakes with the impulses it fell asleep with. Off by default: comparisons of solvers want every body in every step.
#ifndef CAIRN_SLEEP_H
#define CAIRN_SLEEP_H

#include "engine/world.h"

static inline bool cairn_body_sleeps(const CairnBody *body) {
    return body->sleeps_with >= 0;
}

// Wake a body and its group. Nothing where it is awake.
void cairn_world_wake(CairnWorld *world, int index);

// Wake what a change of this body may set in motion: itself, what rests on it, what is joined to it.
void cairn_world_wake_around(CairnWorld *world, int index);

void cairn_world_wake_all(CairnWorld *world);

#endif
