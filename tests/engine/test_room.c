// A world that does not fit into the machine's memory ends with a status, before anything is computed.
#include "engine/base/memory.h"
#include "engine/base/room.h"
#include "engine/step/step.h"
#include "solvers/sweeps/psor.h"
#include "tests/support/support.h"
#include <stdlib.h>
#include <string.h>

static size_t plenty(void) {
    return SIZE_MAX;
}

static size_t little(void) {
    return (size_t)40 << 20;
}

// Enough for the bodies, and then for no more.
static int questions;
static size_t less_and_less(void) {
    return questions++ == 0 ? SIZE_MAX : (size_t)40 << 20;
}

static CairnWorld *balls(int across, double spacing) {
    CairnWorldDef def = cairn_world_def();
    def.friction = CAIRN_FRICTION_CONE;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnPsorOptions options = {.iterations = 5, .omega = 1, .lambda = 1};
    assert_ok(cairn_world_set_solver(world, &cairn_solver_psor, &options));
    CairnShapeDef ball = cairn_sphere(0.5);
    for (int i = 0; i < across * across * across; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position =
            cairn_vec3(spacing * (i % across), spacing * (i / across % across), spacing * (i / across / across));
        assert_ok(cairn_body_add(world, &body, &ball, NULL));
    }
    return world;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bool is_long = getenv("CAIRN_LONG_TESTS") != NULL;
    CairnWorld *world = balls(is_long ? 100 : 56, 3); // 1,000,000 balls, or 175,616: some 90 MB
    CairnStats stats;
    assert_true(world->room_available == cairn_room_available);
    uint64_t before = cairn_world_state_hash(world);
    world->room_available = little;
    CairnStatus status = cairn_world_step(world, 0.01, &stats);
    assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
    assert_non_null(strstr(status.message, is_long ? "1000000 bodies and 0" : "175616 bodies and 0"));
    assert_non_null(strstr(status.message, "contacts need at least"));
    assert_non_null(strstr(status.message, "42 MB left"));
    assert_true(cairn_world_state_hash(world) == before);
    world->room_available = plenty;
    assert_ok(cairn_world_step(world, 0.01, &stats));
    world->room_available = little; // what is there already needs no more
    assert_ok(cairn_world_step(world, 0.01, &stats));
    cairn_world_destroy(world);
}

// With contacts too: found in the step, and asked for before the problem is made of them.
static void contacts_count_too(void **state) {
    (void)state;
    CairnWorld *world = balls(56, 0.999); // 175,616 balls, some 90 MB, which are let be; then their contacts
    CairnStats stats;
    uint64_t before = cairn_world_state_hash(world);
    questions = 0;
    world->room_available = less_and_less;
    CairnStatus status = cairn_world_step(world, 0.01, &stats);
    assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
    assert_non_null(strstr(status.message, "175616 bodies and 517440 contacts"));
    assert_true(cairn_world_state_hash(world) == before);
    world->room_available = plenty;
    assert_ok(cairn_world_step(world, 0.01, &stats));
    // The estimate is a lower bound, and not a poor one.
    CairnStep step = {.store = &world->store};
    double needed = (double)cairn_step_bytes(&step, stats.dynamic_bodies, stats.contacts);
    assert_true(needed < (double)stats.arena_bytes && (double)stats.arena_bytes < 2 * needed);
    cairn_world_destroy(world);
}

static void the_machine_tells_what_is_left(void **state) {
    (void)state;
    size_t left = cairn_room_available();
    assert_true(left > (size_t)1 << 20);
    CairnAllocator own = cairn_memory_default();
    CairnWorldDef def = cairn_world_def();
    def.allocator = own; // a caller's allocator says no for itself
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    assert_true(world->room_available == NULL);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(contacts_count_too),
        cmocka_unit_test(the_machine_tells_what_is_left),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
