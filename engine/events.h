// Events: what a step keeps of what happened, and the lists that it becomes when somebody asks (cairn_world_events). In a step that
// makes all contacts of a heap at once the lists are larger than the contacts themselves, and mostly nobody asks. So a step only makes
// room for them, which is where it may fail; memory that nobody writes to is not taken from the machine.
#ifndef CAIRN_ENGINE_EVENTS_H
#define CAIRN_ENGINE_EVENTS_H

#include "engine/store.h"

// Two shapes that did not touch before: store.touches[touch], by store.contacts[contact], which came the fastest.
typedef struct CairnBegun {
    double speed;
    int touch, contact;
} CairnBegun;

typedef struct CairnEventArrays {
    CairnContactEvent *begin, *end, *hit;
    CairnBodyEvent *moved;
    int begin_capacity, end_capacity, hit_capacity, moved_capacity;
    int moved_count;
    bool is_done; // of the last step
} CairnEventArrays;

typedef struct CairnEventList {
    CairnBegun *begun;
    CairnTouchingPair *ended;
    int begun_count, ended_count, hit_count; // hits: of those begun the fast ones
    int begun_capacity, ended_capacity;
    double hit_threshold; // of the step
    bool has_moved;       // else no body's `news` counts
    CairnEventArrays *arrays;
} CairnEventList;

CairnStatus cairn_events_init(CairnEventList *events, const CairnAllocator *allocator);
void cairn_events_free(CairnEventList *events, const CairnAllocator *allocator);
// Room for so many, and for lists of them. False: no memory.
bool cairn_events_reserve(CairnEventList *events, const CairnAllocator *allocator, const CairnEventList *counts,
                          int body_count);
// What many shapes began at once is not needed again: a step later there are few.
void cairn_events_trim(CairnEventList *events, const CairnAllocator *allocator);
// Nothing has happened.
void cairn_events_clear(CairnEventList *events);

#endif
