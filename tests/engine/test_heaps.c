// Random heaps under Coulomb's law (support_heaps.h): a short range of seeds and small heaps; `make heaps` has the long
// one.
#include "tests/support/support.h"
#include "tests/support/support_heaps.h"

static void a_short_range_is_certified(void **state) {
    (void)state;
    static SupportHeapRun run;
    static SupportCounts frames, solves;
    int seeds = support_rounds(24, 4), uncertified = 0, heavy = 0, bodies = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        support_heap_run((uint64_t)seed, 40, 50, NULL, &run);
        assert_ok(run.status);
        assert_true(run.is_finite);
        uncertified += run.tally.uncertified;
        heavy += run.tally.heavy;
        bodies = run.bodies > bodies ? run.bodies : bodies;
        support_counts_merge(&frames, &run.tally.frames);
        support_counts_merge(&solves, &run.tally.solves);
    }
    print_message(
        "  %d heaps of up to %d bodies: %d of %d frames certified, factors a frame: median %d, worst %d; a solve: "
        "median %d, worst %d\n",
        seeds, bodies, frames.count - uncertified, frames.count, support_counts_quantile(&frames, 0.5), frames.worst,
        support_counts_quantile(&solves, 0.5), solves.worst);
    assert_int_equal(uncertified, 0);
    assert_int_equal(heavy, 0);
}

// A heap follows from its seed alone, and counting changes nothing of it.
static void a_seed_is_a_heap(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int is_counted = 0; is_counted < 2; is_counted++) {
        CairnWorldDef def = cairn_world_def();
        SupportTally tally;
        CairnWorld *world;
        support_tally_begin(&tally, &def);
        def.friction = CAIRN_FRICTION_COULOMB;
        assert_ok(support_heap_build(4, 40, &def, &world));
        if (is_counted) {
            assert_ok(support_tally_watch(world));
        }
        for (int k = 0; k < 30; k++) {
            assert_ok(support_tally_step(&tally, world, 1.0 / 60, NULL));
        }
        assert_int_equal(tally.frames.count, 30);
        assert_true(is_counted ? tally.solves.count >= 30 : tally.solves.count == 0);
        hash[is_counted] = cairn_world_state_hash(world);
        cairn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void counts_have_quantiles(void **state) {
    (void)state;
    static SupportCounts counts, more;
    assert_int_equal(support_counts_quantile(&counts, 0.5), 0);
    for (int k = 1; k <= 100; k++) {
        support_counts_add(&counts, k);
    }
    assert_int_equal(support_counts_quantile(&counts, 0.5), 50);
    assert_int_equal(support_counts_quantile(&counts, 0.99), 99);
    support_counts_add(&more, 10 * SUPPORT_TALLY_MOST);
    support_counts_merge(&counts, &more);
    assert_int_equal(counts.worst, 10 * SUPPORT_TALLY_MOST);
    assert_int_equal(counts.count, 101);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_range_is_certified),
        cmocka_unit_test(a_seed_is_a_heap),
        cmocka_unit_test(counts_have_quantiles),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
