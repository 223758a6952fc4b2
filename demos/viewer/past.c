#include "demos/viewer/past.h"
#include "demos/program/session/reserve.h"
#include "engine/base/timer.h"
#include <stdlib.h>
#include <string.h>

void cairn_past_open(CairnPast *past, size_t limit) {
    *past = (CairnPast){.last = -1, .limit = limit, .stride = 1};
}

static void drop_key(CairnPast *past, int index) {
    CairnPastKey *key = &past->keys[index];
    past->bytes -= key->size;
    free(key->state);
    cairn_setup_close(&key->setup);
    memmove(key, key + 1, (size_t)(past->key_count - index - 1) * sizeof *key);
    past->key_count--;
}

void cairn_past_close(CairnPast *past) {
    while (past->key_count > 0) {
        drop_key(past, past->key_count - 1);
    }
    free(past->keys);
    free(past->notes);
    cairn_past_open(past, past->limit);
}

void cairn_past_forget(CairnPast *past, int after) {
    while (past->key_count > 0 && past->keys[past->key_count - 1].frame > after) {
        drop_key(past, past->key_count - 1);
    }
    past->last = past->last < after ? past->last : after;
    past->first = after < 0 ? 0 : past->first;
}

// ---- keys ----

// Every second one that is not pinned goes, but for the first; where that is not enough, the oldest, and the past
// begins later.
static void make_room(CairnPast *past, size_t size) {
    while (past->bytes + size > past->limit && past->key_count > 1) {
        int before = past->key_count;
        bool is_second = true; // the latest stays
        for (int i = past->key_count - 1; i > 0; i--) {
            is_second = !is_second;
            if (is_second && !past->keys[i].is_pinned) {
                drop_key(past, i);
            }
        }
        if (past->key_count < before) {
            past->stride *= 2;
        } else {
            drop_key(past, 0);
            past->first = past->keys[0].frame;
            past->keys[0].is_pinned = true;
        }
    }
}

static CairnStatus add_key(CairnPast *past, const CairnSession *session, const CairnStats *stats, int frame,
                           bool is_pinned) {
    double start = cairn_timer_now();
    size_t size = cairn_world_snapshot_size(session->world), written = 0;
    make_room(past, size);
    if (!cairn_array_reserve(&past->keys, &past->key_capacity, past->key_count + 1, sizeof *past->keys)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for the past");
    }
    CairnPastKey key = {.frame = frame, .is_pinned = is_pinned, .stats = *stats, .state = malloc(size)};
    if (!key.state) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a state of %zu bytes", size);
    }
    CairnStatus status = cairn_world_snapshot(session->world, key.state, size, &written);
    status = cairn_is_ok(status) ? cairn_setup_take(session, &key.setup) : status;
    if (!cairn_is_ok(status)) {
        free(key.state);
        return status;
    }
    key.size = written;
    past->bytes += written;
    past->keys[past->key_count++] = key;
    past->cost = cairn_timer_now() - start;
    past->since = 0;
    return cairn_ok();
}

// Keeping takes a tenth of the time at most.
static bool is_due(const CairnPast *past, int frame) {
    return past->key_count == 0 ||
           (frame - past->keys[past->key_count - 1].frame >= past->stride && past->since >= 9 * past->cost);
}

CairnStatus cairn_past_store(CairnPast *past, const CairnSession *session, const CairnStats *stats, int frame) {
    if (past->last != frame - 1) { // nothing leads to it
        cairn_past_forget(past, -1);
        past->first = frame;
        past->last = frame - 1;
    }
    past->since += stats->times.step;
    if (is_due(past, frame)) {
        CairnStatus status = add_key(past, session, stats, frame, past->key_count == 0);
        if (past->key_count == 0) {
            return status;
        }
    }
    return cairn_ok();
}

void cairn_past_note(CairnPast *past, const CairnSession *session, const CairnStats *stats) {
    int frame = past->last + 1;
    if (past->key_count > 0 &&
        cairn_array_reserve(&past->notes, &past->note_capacity, frame + 1, sizeof *past->notes)) {
        const CairnAuditReport *audited = cairn_session_audited(session);
        bool is_first = stats->step_index == 0;
        past->notes[frame] = (CairnPastNote){cairn_world_time(session->world), is_first || stats->residual.is_certified,
                                             is_first || !audited || audited->is_sound};
        past->last = frame;
    }
}

CairnStatus cairn_past_pin(CairnPast *past, const CairnSession *session, const CairnStats *stats, int frame) {
    cairn_past_forget(past, frame);
    if (past->key_count > 0 && past->keys[past->key_count - 1].frame == frame) {
        drop_key(past, past->key_count - 1);
    }
    CairnStatus status = add_key(past, session, stats, frame, true);
    if (!cairn_is_ok(status)) { // what comes cannot be reached from what was
        cairn_past_forget(past, -1);
    }
    return status;
}

// ---- going back ----

const CairnPastKey *cairn_past_pinned(const CairnPast *past, int frame) {
    for (int i = past->key_count - 1; i >= 0 && past->keys[i].frame >= frame; i--) {
        if (past->keys[i].frame == frame && past->keys[i].is_pinned) {
            return &past->keys[i];
        }
    }
    return NULL;
}

const CairnPastKey *cairn_past_start(const CairnPast *past, int frame) {
    const CairnPastKey *pinned = cairn_past_pinned(past, frame), *start = past->key_count > 0 ? past->keys : NULL;
    for (int i = 0; i < past->key_count && past->keys[i].frame < frame; i++) {
        start = &past->keys[i];
    }
    return pinned ? pinned : start && start->frame <= frame ? start : NULL;
}

CairnStatus cairn_past_enter(const CairnPastKey *key, CairnSession *session) {
    CAIRN_TRY(cairn_setup_use(&key->setup, session));
    return cairn_world_restore(session->world, key->state, key->size);
}
