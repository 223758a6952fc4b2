// Events: a step records what begins and ends in a compact form, and cairn_world_events makes the public arrays from
// that. In a step that makes all contacts of a heap at once the arrays are larger than the contacts themselves, and
// most programs never read them. So a step only reserves memory for them, which is where it may fail; pages that are
// never written take no memory of the machine.
#ifndef CAIRN_ENGINE_EVENTS_H
#define CAIRN_ENGINE_EVENTS_H

#include "engine/store.h"

// Two shapes that did not touch before: store.touches[touch]. store.contacts[contact] is their fastest contact, with
// this speed.
typedef struct CairnBegun {
    double speed;
    int touch, contact;
} CairnBegun;

typedef struct CairnEventArrays {
    CairnContactEvent *begin, *end, *hit;
    CairnBodyEvent *moved;
    int begin_capacity, end_capacity, hit_capacity, moved_capacity;
    int moved_count;
    bool is_done; // the arrays are those of the last step
} CairnEventArrays;

typedef struct CairnEventList {
    CairnBegun *begun;
    CairnTouchingPair *ended;
    int begun_count, ended_count, hit_count; // hits: the begun ones that are faster than hit_threshold
    int begun_capacity, ended_capacity;
    double hit_threshold; // of the step
    bool has_moved;       // else no body's `news` counts
    CairnEventArrays *arrays;
} CairnEventList;

CairnStatus cairn_events_init(CairnEventList *events, const CairnAllocator *allocator);
void cairn_events_free(CairnEventList *events, const CairnAllocator *allocator);
// Reserves memory for so many events, and for their arrays. False: out of memory.
bool cairn_events_reserve(CairnEventList *events, const CairnAllocator *allocator, const CairnEventList *counts,
                          int body_count);
// Frees memory that one step with very many events needed: the steps after it have few.
void cairn_events_trim(CairnEventList *events, const CairnAllocator *allocator);
// Removes all events.
void cairn_events_clear(CairnEventList *events);

#endif
