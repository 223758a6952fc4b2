#include "engine/events.h"
#include "engine/base/memory.h"
#include "engine/world.h"

CairnStatus cairn_events_init(CairnEventList *events, const CairnAllocator *allocator) {
    events->told = cairn_memory_allocate_zero(allocator, 1, sizeof *events->told);
    return events->told != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "world: no memory for its events");
}

void cairn_events_free(CairnEventList *events, const CairnAllocator *allocator) {
    CairnTold *told = events->told;
    if (told == NULL) {
        return;
    }
    cairn_memory_release(allocator, events->begun, (size_t)events->begun_capacity, sizeof *events->begun);
    cairn_memory_release(allocator, events->ended, (size_t)events->ended_capacity, sizeof *events->ended);
    cairn_memory_release(allocator, told->begin, (size_t)told->begin_capacity, sizeof *told->begin);
    cairn_memory_release(allocator, told->end, (size_t)told->end_capacity, sizeof *told->end);
    cairn_memory_release(allocator, told->hit, (size_t)told->hit_capacity, sizeof *told->hit);
    cairn_memory_release(allocator, told->moved, (size_t)told->moved_capacity, sizeof *told->moved);
    cairn_memory_release(allocator, told, 1, sizeof *told);
}

bool cairn_events_reserve(CairnEventList *events, const CairnAllocator *allocator, const CairnEventList *counts,
                          int body_count) {
    CairnTold *t = events->told;
    const CairnAllocator *a = allocator;
    return cairn_memory_reserve(a, &events->begun, &events->begun_capacity, counts->begun_count,
                                sizeof *events->begun) &&
           cairn_memory_reserve(a, &events->ended, &events->ended_capacity, counts->ended_count,
                                sizeof *events->ended) &&
           cairn_memory_reserve(a, &t->begin, &t->begin_capacity, counts->begun_count, sizeof *t->begin) &&
           cairn_memory_reserve(a, &t->end, &t->end_capacity, counts->ended_count, sizeof *t->end) &&
           cairn_memory_reserve(a, &t->hit, &t->hit_capacity, counts->hit_count, sizeof *t->hit) &&
           cairn_memory_reserve(a, &t->moved, &t->moved_capacity, body_count, sizeof *t->moved);
}

// Twice as long as needed, so that they do not grow and shrink by turns.
void cairn_events_trim(CairnEventList *events, const CairnAllocator *allocator) {
    CairnTold *t = events->told;
    const CairnAllocator *a = allocator;
    int begun = 2 * events->begun_count, ended = 2 * events->ended_count, hits = 2 * events->hit_count;
    cairn_memory_trim(a, &events->begun, &events->begun_capacity, begun, sizeof *events->begun);
    cairn_memory_trim(a, &events->ended, &events->ended_capacity, ended, sizeof *events->ended);
    cairn_memory_trim(a, &t->begin, &t->begin_capacity, begun, sizeof *t->begin);
    cairn_memory_trim(a, &t->end, &t->end_capacity, ended, sizeof *t->end);
    cairn_memory_trim(a, &t->hit, &t->hit_capacity, hits, sizeof *t->hit);
}

void cairn_events_clear(CairnEventList *events) {
    events->begun_count = events->ended_count = events->hit_count = 0;
    events->has_moved = false;
    events->told->is_done = false;
}

// ---- telling ----

static void tell_contacts(const CairnWorld *world, CairnTold *told) {
    const CairnEventList *e = &world->events;
    int hits = 0;
    for (int i = 0; i < e->begun_count; i++) {
        const CairnBegun *b = &e->begun[i];
        const CairnTouchingPair *touch = &world->store.touches[b->touch];
        const CairnContactRecord *c = &world->store.contacts[b->contact];
        told->begin[i] = (CairnContactEvent){touch->a, touch->b, c->point, c->normal, b->speed};
        if (hits < e->hit_count && b->speed >= world->events.hit_threshold) {
            told->hit[hits++] = told->begin[i];
        }
    }
    for (int i = 0; i < e->ended_count; i++) {
        told->end[i] = (CairnContactEvent){.shape_a = e->ended[i].a, .shape_b = e->ended[i].b};
    }
}

static void tell_bodies(const CairnWorld *world, CairnTold *told) {
    const CairnPool *pool = &world->store.body_pool;
    told->moved_count = 0;
    for (int i = 0; i < pool->count && world->events.has_moved; i++) {
        const CairnBody *b = &world->store.bodies[i];
        if (cairn_pool_is_alive(pool, i) && b->news != CAIRN_NEWS_NONE) {
            told->moved[told->moved_count++] = (CairnBodyEvent){cairn_world_body_id(world, i), cairn_body_frame(b),
                                                                b->user_data, b->news == CAIRN_NEWS_FELL_ASLEEP};
        }
    }
}

CairnEvents cairn_world_events(const CairnWorld *world) {
    if (world == NULL) {
        return (CairnEvents){0};
    }
    CairnTold *told = world->events.told;
    if (!told->is_done) {
        tell_contacts(world, told);
        tell_bodies(world, told);
        told->is_done = true;
    }
    return (CairnEvents){
        .begin = told->begin,
        .end = told->end,
        .hit = told->hit,
        .moved = told->moved,
        .begin_count = world->events.begun_count,
        .end_count = world->events.ended_count,
        .hit_count = world->events.hit_count,
        .moved_count = told->moved_count,
    };
}
