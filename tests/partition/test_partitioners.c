// Partitioners: what holds for all of them on every graph, and what each one promises.
#include "tests/support/support_partitions.h"

#include "partition/grow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void every_part_is_sound(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int which = 0; which < SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        for (int k = 0; k < SUPPORT_GROWN; k++) {
            for (int limit = 1; limit <= 64; limit = 2 * limit + 1) {
                char text[64];
                bool is_mr = strcmp(support_grown[k], "mr") == 0;
                snprintf(text, sizeof text, "part_size=%d,seed=%d", limit, which % 2);
                SupportPartition p = support_partition(&g.graph, support_grown[k], text);
                support_check_numbers(&g.graph, &p);
                support_check_contiguous(&g.graph, &p, !is_mr);
                support_check_sizes(&g.graph, &p, limit);
                snprintf(text, sizeof text, "part_size=%d,orphans=false", limit);
                p = support_partition(&g.graph, support_grown[k], text);
                support_check_contiguous(&g.graph, &p, !is_mr);
                assert_true(support_partition_measure(&g.graph, &p).largest <= limit);
            }
        }
        support_graph_free(&g);
    }
}

// Blocks weigh their dofs: the same rules over dofs, and equal weights of 6 are no weights at all.
static void parts_weigh_their_dofs(void **state) {
    (void)state;
    uint64_t seed = 31;
    int mixed = 0;
    for (int which = 0; which < SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        for (int k = 0; k < cairn_partitioner_count(); k++) {
            const CairnPartitioner *partitioner = cairn_partitioner_at(k);
            bool is_grown = false, is_mr = strcmp(partitioner->name, "mr") == 0;
            for (int i = 0; i < SUPPORT_GROWN; i++) {
                is_grown = is_grown || strcmp(support_grown[i], partitioner->name) == 0;
            }
            if (!support_has_option(partitioner->options, "part_size")) {
                continue;
            }
            for (int limit = 1; limit <= 64; limit = 3 * limit + 1) {
                char text[64];
                snprintf(text, sizeof text, "part_size=%d", limit);
                support_graph_weigh(&g, &seed);
                SupportPartition p = support_partition(&g.graph, partitioner->name, text);
                support_check_numbers(&g.graph, &p);
                support_check_contiguous(&g.graph, &p, is_grown && !is_mr);
                if (is_grown) {
                    support_check_sizes(&g.graph, &p, limit);
                }
                mixed += p.count > 1 && support_partition_measure(&g.graph, &p).largest > limit;
                for (int i = 0; i < g.graph.node_count; i++) {
                    g.dofs[i] = CAIRN_BODY_DOFS;
                }
                p = support_partition(&g.graph, partitioner->name, text);
                g.graph.node_dofs = NULL;
                SupportPartition bodies = support_partition(&g.graph, partitioner->name, text);
                assert_int_equal(p.count, bodies.count);
                assert_memory_equal(p.part, bodies.part, (size_t)g.graph.node_count * sizeof(int));
            }
        }
        support_graph_free(&g);
    }
    assert_true(mixed > 50); // parts of more blocks than bodies would be
}

// Three arms of 30 dofs fill a part of sixteen bodies as fifteen bodies do; what is heavier than a part is one by
// itself.
static void arms_fill_parts_as_bodies_do(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 12);
    g.dofs = malloc(12 * sizeof *g.dofs);
    assert_non_null(g.dofs);
    for (int i = 0; i < 12; i++) {
        g.dofs[i] = 30;
    }
    g.graph.node_dofs = g.dofs;
    SupportPartition p = support_partition(&g.graph, "bfs", "part_size=16");
    CairnPartsMeasure m = support_partition_measure(&g.graph, &p);
    assert_int_equal(m.count, 4);
    assert_int_equal(m.largest, 3);
    assert_int_equal(m.most_dofs, 90);
    assert_near(m.balance, 1, 0);
    p = support_partition(&g.graph, "bfs", "parts=3"); // 60 bodies' worth: 120 dofs a part
    assert_int_equal(p.count, 3);
    p = support_partition(&g.graph, "bfs", "part_size=2,orphans=false");
    assert_int_equal(p.count, 12);
    g.dofs[4] = 0;
    CairnPartsMeasure none;
    assert_refused(cairn_parts_measure(&g.graph, &(CairnParts){p.count, p.part}, NULL, NULL, &none),
                   CAIRN_INVALID_ARGUMENT, "node_dofs[4] = 0");
    g.dofs[4] = 2147483600;
    assert_refused(cairn_parts_measure(&g.graph, &(CairnParts){p.count, p.part}, NULL, NULL, &none),
                   CAIRN_INVALID_ARGUMENT, "together");
    support_graph_free(&g);
}

static void metis_keeps_the_rules_too(void **state) {
    (void)state;
    const CairnPartitioner *metis;
    if (!cairn_is_ok(cairn_partitioner_find("metis", &metis))) {
        print_message("skipped: this build has no METIS (libmetis-dev)\n");
        skip();
    }
    uint64_t seed = 12;
    for (int which = 0; which < SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        SupportPartition p = support_partition(&g.graph, "metis", "part_size=9"),
                         again = support_partition(&g.graph, "metis", "part_size=9");
        support_check_numbers(&g.graph, &p);
        support_check_contiguous(&g.graph, &p, false);
        assert_memory_equal(p.part, again.part, (size_t)g.graph.node_count * sizeof(int));
        p = support_partition(&g.graph, "metis", "parts=1");
        assert_int_equal(p.count, 1);
        support_graph_free(&g);
    }
}

// ---- each its own promise ----

static void a_chain_is_cut_once_a_part(void **state) {
    (void)state;
    static const char *const names[] = {"mindp", "bfs", "mix"};
    SupportGraph g;
    support_graph_chain(&g, 64);
    for (int k = 0; k < 3; k++) {
        SupportPartition p = support_partition(&g.graph, names[k], "part_size=16");
        CairnPartsMeasure m = support_partition_measure(&g.graph, &p);
        assert_int_equal(m.count, 4);
        assert_int_equal(m.largest, 16);
        assert_int_equal(m.smallest, 16);
        assert_int_equal(m.cut_rows, 15);
        assert_int_equal(m.cut_constraints, 3);
        assert_near(m.balance, 1, 0);
    }
    support_graph_free(&g);
}

// S0's figure beside algorithm 2: a body that two full groups leave alone joins the second.
static void mindp_adopts_orphans(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_begin(&g, 9);
    for (int i = 0; i + 1 < 8; i++) {
        support_graph_tie(&g, i, i + 1, 3);
    }
    support_graph_tie(&g, 3, 8, 3); // node 8 hangs on the middle of the chain alone
    SupportPartition p = support_partition(&g.graph, "mindp", "part_size=4");
    assert_int_equal(p.part[8], p.part[3]);
    assert_int_equal(support_partition_measure(&g.graph, &p).cut_constraints, 1);
    p = support_partition(&g.graph, "mindp", "part_size=4,orphans=false");
    assert_int_equal(support_partition_measure(&g.graph, &p).smallest, 1);
    assert_int_equal(support_partition_measure(&g.graph, &p).cut_constraints, 2);
    support_graph_free(&g);
}

// A body with nothing else around it than a hub: all leaves of a star are orphans once the hub is taken.
static void a_star_stays_whole(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_begin(&g, 40);
    for (int i = 1; i < 40; i++) {
        support_graph_tie(&g, 0, i, 3);
    }
    SupportPartition p = support_partition(&g.graph, "mindp", "part_size=4");
    assert_int_equal(p.count, 1);
    p = support_partition(&g.graph, "mindp", "part_size=4,orphans=false");
    assert_int_equal(support_partition_measure(&g.graph, &p).largest, 4);
    support_graph_free(&g);
}

// Mass ratios: along a chain 1, 1, 5, 5, 100, 100 with tau = 10 parts end where the ratio to the least mass is 10 or
// more.
static void mr_parts_where_masses_jump(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 6);
    static const double masses[] = {1, 1, 5, 5, 100, 100};
    memcpy(g.mass, masses, sizeof masses);
    static const int wanted[] = {0, 0, 0, 0, 1, 1};
    SupportPartition p = support_partition(&g.graph, "mr", "tau=10");
    assert_memory_equal(p.part, wanted, sizeof wanted);
    static const int finer[] = {0, 0, 1, 1, 2, 2};
    p = support_partition(&g.graph, "mr", "tau=5"); // 5 / 1 is not below 5
    assert_memory_equal(p.part, finer, sizeof finer);
    p = support_partition(&g.graph, "mr", "tau=1.01");
    assert_int_equal(p.count, 3);
    support_graph_free(&g);
}

// What was refused as too heavy for the least mass stays out, what was too light may come in once a lighter body did.
static void mr_asks_again_when_the_least_mass_falls(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_begin(&g, 4);
    static const double masses[] = {100, 4, 30, 4.5};
    memcpy(g.mass, masses, sizeof masses);
    support_graph_tie(&g, 0, 1, 3); // refused: 100 / 4 is 25
    support_graph_tie(&g, 0, 2, 3); // joins, and now 30 / 4 is 7.5
    support_graph_tie(&g, 2, 3, 3);
    SupportPartition p = support_partition(&g.graph, "mr", "tau=10");
    assert_int_equal(p.count, 1);
    support_graph_free(&g);
}

// Algorithm 1 as printed would make no part at all of 100 bodies (its outer condition is the wrong way round).
static void mix_parts_large_systems_and_turns_at_tau(void **state) {
    (void)state;
    SupportGraph g;
    uint64_t seed = 16;
    support_graph_pile(&g, &seed, 100);
    SupportPartition p = support_partition(&g.graph, "mix", "part_size=16");
    assert_true(p.count >= 7);
    // With tau so near to 1 that no body is left to the gain, mix is mindp; else it is not.
    SupportPartition late = support_partition(&g.graph, "mix", "part_size=16,tau=0.99");
    SupportPartition mindp = support_partition(&g.graph, "mindp", "part_size=16,degree=bodies");
    assert_memory_equal(late.part, mindp.part, 100 * sizeof(int));
    assert_memory_not_equal(p.part, mindp.part, 100 * sizeof(int));
    support_graph_free(&g);
}

static void semantic_takes_the_scenes_groups(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 6);
    static const int groups[] = {7, 7, 2, 2, 9, 7};
    memcpy(g.group, groups, sizeof groups);
    static const int wanted[] = {1, 1, 0, 0, 2, 1};
    SupportPartition p = support_partition(&g.graph, "semantic", "groups=0");
    assert_int_equal(p.count, 3);
    assert_memory_equal(p.part, wanted, sizeof wanted);
    assert_refused(support_try_partition(&g.graph, "semantic", "groups=3", &p), CAIRN_INVALID_ARGUMENT, "group 7");
    g.group[1] = g.group[4] = -1;
    assert_refused(support_try_partition(&g.graph, "semantic", "groups=0", &p), CAIRN_INVALID_ARGUMENT,
                   "2 of 6 bodies");
    assert_refused(support_try_partition(&g.graph, "semantic", "groups=0", &p), CAIRN_INVALID_ARGUMENT,
                   "0x0000000000000065");
    assert_memory_equal(p.part, wanted, sizeof wanted); // a refusal writes nothing
    static const int with_rest[] = {1, 2, 0, 0, 2, 1};
    p = support_partition(&g.graph, "semantic", "rest=true");
    assert_memory_equal(p.part, with_rest, sizeof with_rest);
    static const int gap[] = {0, 0, 1, 3, 3, 1};
    memcpy(g.group, gap, sizeof gap);
    assert_refused(support_try_partition(&g.graph, "semantic", "groups=4", &p), CAIRN_INVALID_ARGUMENT,
                   "group 2 of 4 names no body");
    assert_refused(support_try_partition(&g.graph, "semantic", "groups=5", &p), CAIRN_INVALID_ARGUMENT,
                   "group 2 of 5 names no body");
    g.group[5] = 2;
    p = support_partition(&g.graph, "semantic", "groups=4");
    assert_int_equal(p.count, 4);
    support_graph_free(&g);
}

// Small islands share parts, whole: 30 pairs and 20 single bodies in parts of 16 make no cut, and no more parts than
// needed.
static void whole_islands_share_parts(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_begin(&g, 80);
    for (int i = 0; i < 30; i++) {
        support_graph_tie(&g, 2 * i, 2 * i + 1, 3);
    }
    SupportPartition p = support_partition(&g.graph, "mindp", "part_size=16");
    assert_int_equal(support_partition_measure(&g.graph, &p).cut_rows, 0);
    assert_int_equal(p.count, 5);
    support_graph_free(&g);
}

// ---- the smallest graphs ----

static void nothing_and_nearly_nothing(void **state) {
    (void)state;
    CairnGraph empty = {0};
    SupportGraph one, loose;
    support_graph_begin(&one, 1);
    support_graph_edge(&one, (const int[]){0, 0, 0}, 3, 2);
    support_graph_edge(&one, (const int[]){0}, 0, 2);
    support_graph_begin(&loose, 5);
    for (int i = 0; i < 5; i++) {
        loose.group[i] = one.group[0] = 0;
    }
    for (int k = 0; k < cairn_partitioner_count(); k++) {
        const CairnPartitioner *chosen = cairn_partitioner_at(k);
        SupportPartition p = {.count = 0};
        assert_ok(chosen->partition(&empty, NULL, NULL, NULL, &p.count));
        assert_int_equal(p.count, 0);
        assert_ok(chosen->partition(&one.graph, NULL, NULL, p.part, &p.count));
        assert_int_equal(p.count, 1);
        assert_int_equal(p.part[0], 0);
        p.count = 0;
        assert_ok(chosen->partition(&loose.graph, NULL, NULL, p.part, &p.count));
        support_check_numbers(&loose.graph, &p);
        for (int r = 0; r < cairn_refiner_count(); r++) {
            int none = 0;
            assert_ok(cairn_refiner_at(r)->refine(&empty, NULL, NULL, NULL, &none));
            assert_ok(cairn_refiner_at(r)->refine(&loose.graph, NULL, NULL, p.part, &p.count));
            support_check_numbers(&loose.graph, &p);
        }
    }
    support_graph_free(&one);
    support_graph_free(&loose);
}

// ---- refusals and memory ----

static void bad_options_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"mindp", "part_size=0", "part_size"},
        {"mindp", "parts=7", "parts = 7 are more than the 6 bodies"},
        {"mindp", "keep=1.5", "keep"},
        {"mr", "tau=1", "tau"},
        {"mr", "tau=nan", "tau"},
        {"mix", "tau=0", "tau"},
        {"mix", "tau=1", "tau"},
        {"bfs", "part_size=-3", "part_size"},
        {"maxdp", "degree=rows", "degree"},
        {"mindp", "seed=-1", "seed"},
    };
    SupportGraph g;
    support_graph_chain(&g, 6);
    SupportPartition p = {.part = {9, 9, 9, 9, 9, 9}, .count = 0}, before = p;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CairnStatus status = support_try_partition(&g.graph, cases[i].name, cases[i].text, &p);
        assert_false(cairn_is_ok(status));
        if (!strstr(status.message, cases[i].words)) {
            fail_msg("%s:%s answered \"%s\"", cases[i].name, cases[i].text, status.message);
        }
        assert_memory_equal(p.part, before.part, sizeof p.part);
    }
    CairnGrowOptions zero = {.part_size = 0};
    assert_refused(support_partitioner("mindp")->partition(&g.graph, &zero, NULL, p.part, &p.count),
                   CAIRN_INVALID_ARGUMENT, "part_size");
    const CairnRefiner *none;
    assert_refused(cairn_refiner_find("fn", &none), CAIRN_NOT_FOUND, "near: fm");
    assert_refused(cairn_refiner_find(NULL, &none), CAIRN_INVALID_ARGUMENT, "name");
    const CairnPartitioner *nobody;
    assert_refused(cairn_partitioner_find("mindq", &nobody), CAIRN_NOT_FOUND, "mindp");
    int part[6] = {0, 0, 0, 0, 0, 7}, count = 2;
    assert_refused(support_refiner("fm")->refine(&g.graph, NULL, NULL, part, &count), CAIRN_INVALID_ARGUMENT,
                   "part 7 of 2");
    CairnPartsMeasure m;
    assert_refused(cairn_parts_measure(&g.graph, &(CairnParts){2, part}, NULL, NULL, &m), CAIRN_INVALID_ARGUMENT,
                   "part 7 of 2");
    part[5] = 0;
    assert_refused(cairn_parts_measure(&g.graph, &(CairnParts){2, part}, NULL, NULL, &m), CAIRN_INVALID_ARGUMENT,
                   "part 1 of 2 has no node");
    support_graph_free(&g);
}

// Every allocation may fail; the answer then is out of memory, nothing is written and nothing leaks.
static void every_allocation_may_fail(void **state) {
    (void)state;
    uint64_t seed = 31;
    SupportGraph g;
    support_graph_pile(&g, &seed, 300);
    for (int i = 0; i < 300; i++) {
        g.group[i] = i / 50;
    }
    for (int k = 0; k < cairn_partitioner_count() + cairn_refiner_count(); k++) {
        int refiner_at = k - cairn_partitioner_count();
        SupportPartition start = support_partition(&g.graph, "bfs", "part_size=16");
        const CairnPartitioner *chosen = refiner_at < 0 ? cairn_partitioner_at(k) : NULL;
        unsigned char options[256] = {0};
        if (chosen && chosen->options) {
            cairn_fields_preset(chosen->options, options);
            if (support_has_option(chosen->options, "keep")) {
                assert_ok(cairn_fields_set(chosen->options, options, "keep", "1"));
            }
        }
        bool was_refused = true;
        for (int n = 1; was_refused; n++) {
            SupportMemory memory = {.fail_only = n};
            CairnAllocator allocator = support_allocator(&memory);
            SupportPartition p = start;
            CairnStatus status =
                chosen ? chosen->partition(&g.graph, chosen->options ? options : NULL, &allocator, p.part, &p.count)
                       : cairn_refiner_at(refiner_at)->refine(&g.graph, NULL, &allocator, p.part, &p.count);
            was_refused = memory.refused > 0;
            if (was_refused) {
                // A large piece that is not to be had may be asked for again, smaller.
                assert_true(cairn_is_ok(status) || status.code == CAIRN_OUT_OF_MEMORY);
            } else {
                assert_ok(status);
            }
            if (!cairn_is_ok(status)) {
                assert_int_equal(p.count, start.count);
                assert_memory_equal(p.part, start.part, sizeof p.part);
            }
            assert_memory_clean(&memory);
            assert_true(n < 100);
        }
    }
    support_graph_free(&g);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_sound),
        cmocka_unit_test(parts_weigh_their_dofs),
        cmocka_unit_test(arms_fill_parts_as_bodies_do),
        cmocka_unit_test(metis_keeps_the_rules_too),
        cmocka_unit_test(a_chain_is_cut_once_a_part),
        cmocka_unit_test(mindp_adopts_orphans),
        cmocka_unit_test(a_star_stays_whole),
        cmocka_unit_test(mr_parts_where_masses_jump),
        cmocka_unit_test(mr_asks_again_when_the_least_mass_falls),
        cmocka_unit_test(mix_parts_large_systems_and_turns_at_tau),
        cmocka_unit_test(semantic_takes_the_scenes_groups),
        cmocka_unit_test(whole_islands_share_parts),
        cmocka_unit_test(nothing_and_nearly_nothing),
        cmocka_unit_test(bad_options_are_refused_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
