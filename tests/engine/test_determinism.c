// A world has the same bits for any number of threads, for any run, on any heap, and whatever the broad phase has seen
// before.
#include "tests/support/support.h"
#include "tests/support/support_worlds.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200 };

static uint64_t hash_after(SupportScene scene, const CairnAllocator *allocator, int threads, int steps) {
    CairnWorld *world = support_scene_world(scene, allocator, threads);
    support_run(world, steps);
    uint64_t hash = cairn_world_state_hash(world);
    cairn_world_destroy(world);
    return hash;
}

static int steps(void) {
    return support_is_long() ? 10 * STEPS : support_is_sanitized() ? STEPS / 4 : STEPS;
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    const int threads[] = {2, 3, 8};
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        uint64_t alone = hash_after((SupportScene)scene, NULL, 1, steps());
        for (int t = 0; t < (support_is_sanitized() ? 1 : 3); t++) {
            uint64_t hash = hash_after((SupportScene)scene, NULL, threads[t], steps());
            if (hash != alone) {
                print_error("%s: %d threads\n", support_scene_name((SupportScene)scene), threads[t]);
            }
            assert_int_equal(hash, alone);
        }
    }
}

static void runs_give_the_same_bits(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        assert_int_equal(hash_after((SupportScene)scene, NULL, 1, steps()),
                         hash_after((SupportScene)scene, NULL, 1, steps()));
    }
}

enum { WORLDS = 4 };

// Worlds of one thread each, stepped by the threads of somebody's team: whichever has a world, it is as if it were
// alone.
static void worlds_do_not_meet(void **state) {
    (void)state;
    int count = support_is_sanitized() ? 2 : 8;
    for (int s = 0; s < cairn_solver_count(); s++) {
        const CairnSolver *solver = cairn_solver_at(s);
        CairnWorld *worlds[WORLDS + 1];
        for (int i = 0; i <= WORLDS; i++) {
            worlds[i] = support_scene_world(SUPPORT_TOWER, NULL, 1);
            assert_ok(cairn_world_set_solver(worlds[i], solver, NULL));
        }
        int failed = 0;
#pragma omp parallel for num_threads(WORLDS) schedule(static, 1) reduction(+ : failed)
        for (int i = 0; i < WORLDS; i++) {
            for (int k = 0; k < count; k++) {
                failed += !cairn_is_ok(cairn_world_step(worlds[i], 0.01, NULL));
            }
        }
        assert_int_equal(failed, 0);
        for (int k = 0; k < count; k++) {
            assert_ok(cairn_world_step(worlds[WORLDS], 0.01, NULL));
        }
        for (int i = 0; i <= WORLDS; i++) {
            if (cairn_world_state_hash(worlds[i]) != cairn_world_state_hash(worlds[WORLDS])) {
                fail_msg("%s: world %d", solver->name, i);
            }
        }
        for (int i = 0; i <= WORLDS; i++) {
            cairn_world_destroy(worlds[i]);
        }
    }
}

// The hash must tell states apart, or the tests above say nothing.
static void the_hash_sees_every_bit(void **state) {
    (void)state;
    CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
    CairnBodyId ids[2];
    assert_true(cairn_world_bodies(world, ids, 2) >= 2);
    CairnBodyState body;
    uint64_t before = cairn_world_state_hash(world);
    assert_ok(cairn_body_get(world, ids[1], &body));
    CairnVec3 moved = body.velocity;
    moved.y = 5e-324;
    assert_ok(cairn_body_set_velocity(world, ids[1], moved, body.angular_velocity));
    assert_int_not_equal(cairn_world_state_hash(world), before);
    moved.y = -0.0;
    assert_ok(cairn_body_set_velocity(world, ids[1], moved, body.angular_velocity));
    assert_int_not_equal(cairn_world_state_hash(world), before);
    assert_ok(cairn_body_set_velocity(world, ids[1], body.velocity, body.angular_velocity));
    assert_int_equal(cairn_world_state_hash(world), before);
    cairn_world_destroy(world);
}

// An allocator of shifted, garbage-filled blocks: no address and no stale byte may reach the answer.
typedef struct Shifting {
    size_t next;
} Shifting;

static void *shifting_allocate(void *user, size_t size) {
    Shifting *shifting = user;
    size_t shift = CAIRN_ALIGNMENT * (1 + shifting->next++ * 37 % 61);
    size_t bytes = (size + shift + CAIRN_ALIGNMENT - 1) / CAIRN_ALIGNMENT * CAIRN_ALIGNMENT;
    unsigned char *block = aligned_alloc(CAIRN_ALIGNMENT, bytes);
    if (block == NULL) {
        return NULL;
    }
    memset(block, (int)(0x80 + shifting->next % 100), bytes);
    memcpy(block + shift - sizeof shift, &shift, sizeof shift);
    return block + shift;
}

static void shifting_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    size_t shift;
    unsigned char *block = memory;
    memcpy(&shift, block - sizeof shift, sizeof shift);
    free(block - shift);
}

static void heaps_give_the_same_bits(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        Shifting shifting = {0};
        CairnAllocator allocator = {shifting_allocate, shifting_release, &shifting};
        assert_int_equal(hash_after((SupportScene)scene, &allocator, 2, steps()),
                         hash_after((SupportScene)scene, NULL, 1, steps()));
    }
}

// A world that was rebuilt in the middle of its run has a broad phase without history, one that lived through another
// scene first has a wrong one.
static void the_broad_phase_has_no_history(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        CairnWorld *world = support_scene_world((SupportScene)scene, NULL, 1);
        support_run(world, 40);
        SupportBytes bytes = support_snapshot(world);
        CairnWorld *fresh, *used = support_scene_world(SUPPORT_PILE, NULL, 1);
        assert_ok(support_world_create(NULL, 1, &fresh));
        support_run(used, 25);
        assert_ok(cairn_world_restore(fresh, bytes.bytes, bytes.size));
        assert_ok(cairn_world_restore(used, bytes.bytes, bytes.size));
        for (int i = 0; i < 60; i++) {
            support_run(world, 1);
            support_run(fresh, 1);
            support_run(used, 1);
            assert_int_equal(cairn_world_state_hash(fresh), cairn_world_state_hash(world));
            assert_int_equal(cairn_world_state_hash(used), cairn_world_state_hash(world));
        }
        support_bytes_free(&bytes);
        cairn_world_destroy(world);
        cairn_world_destroy(fresh);
        cairn_world_destroy(used);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bits),     cmocka_unit_test(runs_give_the_same_bits),
        cmocka_unit_test(the_hash_sees_every_bit),        cmocka_unit_test(heaps_give_the_same_bits),
        cmocka_unit_test(the_broad_phase_has_no_history), cmocka_unit_test(worlds_do_not_meet),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
