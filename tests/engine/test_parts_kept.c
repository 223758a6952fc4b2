// Parts kept from step to step (`keep`): what did not change stays, what did is mended, and where too much did all
// begins anew.
#include "tests/support/support_partitions.h"

#include <string.h>

static void keep_stays_where_nothing_changed(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int which = 0; which < SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        for (int k = 0; k < SUPPORT_GROWN; k++) {
            SupportPartition p = support_partition(&g.graph, support_grown[k], "part_size=8,keep=0.5,orphans=false");
            SupportPartition q = p;
            assert_ok(support_try_partition(&g.graph, support_grown[k], "part_size=8,keep=0.5,orphans=false", &q));
            support_check_contiguous(&g.graph, &q, true);
            SupportPartition r = q; // after a first mending of the last group nothing moves any more
            assert_ok(support_try_partition(&g.graph, support_grown[k], "part_size=8,keep=1,orphans=false", &r));
            SupportPartition s = r;
            assert_ok(support_try_partition(&g.graph, support_grown[k], "part_size=8,keep=1,orphans=false", &s));
            assert_int_equal(r.count, s.count);
            assert_memory_equal(r.part, s.part, (size_t)g.graph.node_count * sizeof(int));
        }
        support_graph_free(&g);
    }
}

// Random edits from frame to frame: parts stay sound, and few bodies move.
static void keep_mends_what_changed(void **state) {
    (void)state;
    uint64_t seed = 22;
    int moved = 0, anew = 0;
    SupportPartition p = {.count = 0}, fresh_before = {.count = 0};
    for (int frame = 0; frame < 40; frame++) {
        SupportGraph g;
        uint64_t same = 5;
        support_graph_pile(&g, &same, 120);
        for (int i = 0; i < 3; i++) { // three contacts more, at places that change
            support_graph_tie(&g, support_int(&seed, 0, 119), support_int(&seed, 0, 119), 3);
        }
        for (int e = 0; e < g.graph.edge_count; e++) { // a few less
            if (support_int(&seed, 0, 60) == 0) {
                g.node[g.start[e]] = g.node[g.start[e] + 1];
            }
        }
        SupportPartition last = p;
        assert_ok(support_try_partition(&g.graph, "mindp", "part_size=12,keep=0.3", &p));
        SupportPartition fresh = support_partition(&g.graph, "mindp", "part_size=12");
        support_check_numbers(&g.graph, &p);
        support_check_contiguous(&g.graph, &p, true);
        for (int i = 0; i < 120 && frame > 0; i++) {
            moved += p.part[i] != last.part[i];
            anew += fresh.part[i] != fresh_before.part[i];
        }
        fresh_before = fresh;
        support_graph_free(&g);
    }
    assert_true(4 * moved < anew);
}

static void keep_begins_anew_where_too_much_changed(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_grid(&g, 10, 10);
    SupportPartition p = {.count = 50};
    for (int i = 0; i < 100; i++) {
        p.part[i] = i * 37 % 50; // pieces of one or two
    }
    assert_ok(support_try_partition(&g.graph, "mindp", "part_size=10,keep=0.2", &p));
    SupportPartition fresh = support_partition(&g.graph, "mindp", "part_size=10");
    assert_memory_equal(p.part, fresh.part, 100 * sizeof(int));
    // Old parts may be anything: what is out of range is no part.
    for (int i = 0; i < 100; i++) {
        p.part[i] = i % 2 == 0 ? 1 << 30 : -5;
    }
    p.count = 3;
    assert_ok(support_try_partition(&g.graph, "mindp", "part_size=10,keep=1", &p));
    support_check_numbers(&g.graph, &p);
    support_graph_free(&g);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_stays_where_nothing_changed),
        cmocka_unit_test(keep_mends_what_changed),
        cmocka_unit_test(keep_begins_anew_where_too_much_changed),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
