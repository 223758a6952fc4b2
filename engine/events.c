#include "engine/events.h"
#include "engine/base/memory.h"
#include "engine/world.h"

CairnStatus cairn_events_init(CairnEventList *events, const CairnAllocator *allocator) {
    events->arrays = cairn_memory_allocate_zero(allocator, 1, sizeof *events->arrays);
    return events->arrays != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "world: no memory for its events");
}

void cairn_events_free(CairnEventList *events, const CairnAllocator *allocator) {
    CairnEventArrays *arrays = events->arrays;
    if (arrays == NULL) {
        return;
    }
    cairn_memory_release(allocator, events->begun, (size_t)events->begun_capacity, sizeof *events->begun);
    cairn_memory_release(allocator, events->ended, (size_t)events->ended_capacity, sizeof *events->ended);
    cairn_memory_release(allocator, arrays->begin, (size_t)arrays->begin_capacity, sizeof *arrays->begin);
    cairn_memory_release(allocator, arrays->end, (size_t)arrays->end_capacity, sizeof *arrays->end);
    cairn_memory_release(allocator, arrays->hit, (size_t)arrays->hit_capacity, sizeof *arrays->hit);
    cairn_memory_release(allocator, arrays->moved, (size_t)arrays->moved_capacity, sizeof *arrays->moved);
    cairn_memory_release(allocator, arrays, 1, sizeof *arrays);
}

bool cairn_events_reserve(CairnEventList *events, const CairnAllocator *allocator, const CairnEventList *counts,
                          int body_count) {
    CairnEventArrays *t = events->arrays;
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
    CairnEventArrays *t = events->arrays;
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
    events->arrays->is_done = false;
}

// ---- the public arrays ----

static void list_contacts(const CairnWorld *world, CairnEventArrays *arrays) {
    const CairnEventList *e = &world->events;
    int hits = 0;
    for (int i = 0; i < e->begun_count; i++) {
        const CairnBegun *b = &e->begun[i];
        const CairnTouchingPair *touch = &world->store.touches[b->touch];
        const CairnContactRecord *c = &world->store.contacts[b->contact];
        arrays->begin[i] = (CairnContactEvent){touch->a, touch->b, c->point, c->normal, b->speed};
        if (hits < e->hit_count && b->speed >= world->events.hit_threshold) {
            arrays->hit[hits++] = arrays->begin[i];
        }
    }
    for (int i = 0; i < e->ended_count; i++) {
        arrays->end[i] = (CairnContactEvent){.shape_a = e->ended[i].a, .shape_b = e->ended[i].b};
    }
}

static void list_bodies(const CairnWorld *world, CairnEventArrays *arrays) {
    const CairnPool *pool = &world->store.body_pool;
    arrays->moved_count = 0;
    for (int i = 0; i < pool->count && world->events.has_moved; i++) {
        const CairnBody *b = &world->store.bodies[i];
        if (cairn_pool_is_alive(pool, i) && b->news != CAIRN_NEWS_NONE) {
            arrays->moved[arrays->moved_count++] = (CairnBodyEvent){cairn_world_body_id(world, i), cairn_body_frame(b),
                                                                    b->user_data, b->news == CAIRN_NEWS_FELL_ASLEEP};
        }
    }
}

CairnEvents cairn_world_events(const CairnWorld *world) {
    if (world == NULL) {
        return (CairnEvents){0};
    }
    CairnEventArrays *arrays = world->events.arrays;
    if (!arrays->is_done) {
        list_contacts(world, arrays);
        list_bodies(world, arrays);
        arrays->is_done = true;
    }
    return (CairnEvents){
        .begin = arrays->begin,
        .end = arrays->end,
        .hit = arrays->hit,
        .moved = arrays->moved,
        .begin_count = world->events.begun_count,
        .end_count = world->events.ended_count,
        .hit_count = world->events.hit_count,
        .moved_count = arrays->moved_count,
    };
}
