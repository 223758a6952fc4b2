// Past: what a view has gone through, so that it can go back. Whole states are kept every few frames ("keys"), the
// frames between them are stepped again: the same bits come of it. Memory is bounded: where it is used up every second
// key goes, so that the past reaches back to the beginning and only the distance between keys grows. Where a hand was
// taken in the motion (another solver, another view's state) the state after it is a key that stays.
#ifndef CAIRN_VIEWER_PAST_H
#define CAIRN_VIEWER_PAST_H

#include "demos/viewer/setup.h"

typedef struct CairnPastKey {
    int frame;
    bool is_pinned; // a hand was taken: what comes after does not follow from the keys before
    CairnSetup setup;
    CairnStats stats; // of the step that led here
    void *state;
    size_t size;
} CairnPastKey;

typedef struct CairnPastNote {
    double time;                 // s
    bool is_certified, is_sound; // is_sound also where it was not audited
} CairnPastNote;

typedef struct CairnPast {
    CairnPastKey *keys; // by frame
    int key_count, key_capacity;
    CairnPastNote *notes; // of frame 0 on; those before `first` can no longer be gone to
    int note_capacity;
    int first, last; // frames that can be gone to; last < 0: there is none
    size_t bytes, limit;
    int stride;         // at least so many frames from key to key
    double cost, since; // seconds: of a key; of the steps since the last one
} CairnPast;

void cairn_past_open(CairnPast *past, size_t limit);
void cairn_past_close(CairnPast *past);

// A frame that was not there before: `last` + 1, else the past begins with it. A key where one is due and there is
// memory for it.
CairnStatus cairn_past_store(CairnPast *past, const CairnSession *session, const CairnStats *stats, int frame);
// Then its note, which the window may read at the same time: the caller holds the lock.
void cairn_past_note(CairnPast *past, const CairnSession *session, const CairnStats *stats);
// The state of a frame differs from the result of the steps before it: stores it whole, and drops all later frames.
CairnStatus cairn_past_pin(CairnPast *past, const CairnSession *session, const CairnStats *stats, int frame);
void cairn_past_forget(CairnPast *past, int after);
// The key from which a frame is computed again: the latest one before it, or the frame's own key where that is pinned
// or there is none before. NULL: nothing is stored.
const CairnPastKey *cairn_past_start(const CairnPast *past, int frame);
// The pinned key of a frame, or NULL.
const CairnPastKey *cairn_past_pinned(const CairnPast *past, int frame);
CairnStatus cairn_past_enter(const CairnPastKey *key, CairnSession *session);

#endif
