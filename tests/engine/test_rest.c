// What must lie still lies still: after one second to settle, contact points stay where they are on their bodies to
// 1e-6 m, no body drifts by 1e-4 m, and the energy does not rise, for 60 s. Solved exactly: what an unfinished solve
// leaves over moves things.
#include "bench/rest_poses.h"
#include "tests/support/support.h"
#include "tests/support/support_rest.h"

static void everything_rests(void **state) {
    (void)state;
    int failed = 0;
    const int steps = 60 * 60;
    for (int i = 0; i < bench_rest_count(); i++) {
        const BenchRest *rest = bench_rest_at(i);
        CairnWorld *world;
        CairnStats stats = {0};
        assert_ok(bench_rest_world(rest, &world));
        const CairnSolver *exact;
        assert_ok(cairn_solver_find("bpp", &exact));
        assert_ok(cairn_world_set_solver(world, exact, NULL));
        for (int k = 0; k < 60; k++) {
            assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
        }
        SupportStill *still = support_still_take(world, &stats);
        assert_non_null(still);
        SupportMotion worst = {0};
        for (int k = 0; k < steps; k++) {
            assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
            if (k % 20 == 19) {
                SupportMotion now = support_still_compare(still, world, &stats);
                worst.contact = fmax(worst.contact, now.contact);
                worst.drift = fmax(worst.drift, now.drift);
                worst.turn = fmax(worst.turn, now.turn);
                worst.gain = fmax(worst.gain, now.gain);
                worst.lost = now.lost > worst.lost ? now.lost : worst.lost;
            }
        }
        // A gain of 1e-6 J on bodies of 100 to 1000 kg is what the last digits of their height make.
        bool is_still = worst.contact < 1e-6 && worst.drift < 1e-4 && worst.gain < 1e-6 && worst.lost == 0;
        if (!is_still) {
            print_error("  %-30s contact %.1e m, drift %.1e m, turn %.1e rad, gain %.1e J, lost %d\n", rest->name,
                        worst.contact, worst.drift, worst.turn, worst.gain, worst.lost);
            failed += 1;
        }
        support_still_free(still);
        cairn_world_destroy(world);
    }
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_rests)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
