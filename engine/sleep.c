#include "engine/sleep.h"

void cairn_world_wake(CairnWorld *world, int index) {
    CairnStore *store = &world->store;
    int group = store->bodies[index].sleeps_with;
    if (group < 0) {
        return;
    }
    for (int i = 0; i < store->body_pool.count; i++) {
        if (cairn_pool_is_alive(&store->body_pool, i) && store->bodies[i].sleeps_with == group) {
            store->bodies[i].sleeps_with = -1;
            store->bodies[i].still_time = 0;
        }
    }
}

void cairn_world_wake_around(CairnWorld *world, int index) {
    CairnStore *store = &world->store;
    if (!world->has_sleepers) {
        return;
    }
    cairn_world_wake(world, index);
    for (int e = store->bodies[index].first_joint; e >= 0; e = store->joints[e / 2].next[e % 2]) {
        int other = store->joints[e / 2].bodies[1 - e % 2];
        if (other >= 0) {
            cairn_world_wake(world, other);
        }
    }
    for (int r = 0; r < store->contact_count; r++) {
        const CairnContactRecord *record = &store->contacts[r];
        if (!cairn_pool_is_alive(&store->shape_pool, record->shape_a) ||
            !cairn_pool_is_alive(&store->shape_pool, record->shape_b)) {
            continue;
        }
        int a = store->shapes[record->shape_a].body, b = store->shapes[record->shape_b].body;
        if (a == index || b == index) {
            cairn_world_wake(world, a == index ? b : a);
        }
    }
}

void cairn_world_wake_all(CairnWorld *world) {
    CairnStore *store = &world->store;
    for (int i = 0; i < store->body_pool.count; i++) {
        store->bodies[i].sleeps_with = -1;
        store->bodies[i].still_time = 0;
    }
}
