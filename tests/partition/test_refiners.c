// Refiners: the cut never rises, no part falls apart, and none stops before its own rule is used up.
#include "tests/support/support_partitions.h"

#include "partition/fm.h"
#include "partition/grow.h"
#include <stdio.h>
#include <string.h>

// Refiners know long constraints as chains: parts that hang together stay so, but what holds a last group's pieces
// together only by such a constraint they do not see.
static bool has_long_edges(const CairnGraph *graph) {
    bool has_long = false;
    for (int e = 0; e < graph->edge_count; e++) {
        has_long = has_long || graph->edge_start[e + 1] - graph->edge_start[e] > CAIRN_CLIQUE_LIMIT;
    }
    return has_long;
}

static void refining_lowers_the_cut_and_breaks_nothing(void **state) {
    (void)state;
    uint64_t seed = 13;
    int better[3] = {0};
    for (int which = 0; which < 2 * SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        for (int k = 0; k < SUPPORT_GROWN; k++) {
            char text[64];
            snprintf(text, sizeof text, "part_size=%d", 2 + which % 20);
            SupportPartition p = support_partition(&g.graph, support_grown[k], text);
            int before = support_plain_cut(&g.graph, p.part), largest = support_partition_measure(&g.graph, &p).largest,
                sum = 0;
            int fragments[SUPPORT_MOST_NODES];
            support_count_fragments(&g.graph, &p, fragments);
            for (int i = 0; i < p.count; i++) {
                sum += fragments[i];
            }
            for (int r = 0; r < cairn_refiner_count(); r++) {
                SupportPartition q = p;
                assert_ok(cairn_refiner_at(r)->refine(&g.graph, NULL, NULL, q.part, &q.count));
                support_check_numbers(&g.graph, &q);
                assert_true(support_plain_cut(&g.graph, q.part) <= before);
                better[r] += support_plain_cut(&g.graph, q.part) < before;
                assert_true(support_partition_measure(&g.graph, &q).largest <= largest);
                // A part that held one fragment holds one, and the last group's do not become more.
                int now = 0;
                support_count_fragments(&g.graph, &q, fragments);
                for (int i = 0; i < q.count; i++) {
                    now += fragments[i];
                    assert_true(i == q.count - 1 || fragments[i] <= 1);
                }
                assert_true(now <= sum || has_long_edges(&g.graph));
            }
        }
        support_graph_free(&g);
    }
    assert_int_equal(better[0], 0); // none
    assert_true(better[1] > 60 && better[2] > 60);
}

// No part becomes heavier than the heaviest that came in, or than part_size bodies.
static void refining_keeps_the_weight(void **state) {
    (void)state;
    uint64_t seed = 33;
    int better[3] = {0}, uneven = 0;
    for (int which = 0; which < SUPPORT_GRAPHS; which++) {
        SupportGraph g;
        support_draw_graph(&g, which, &seed);
        support_graph_weigh(&g, &seed);
        SupportPartition p = support_partition(&g.graph, support_grown[which % SUPPORT_GROWN], "part_size=12");
        CairnPartsMeasure before = support_partition_measure(&g.graph, &p);
        for (int r = 0; r < cairn_refiner_count(); r++) {
            SupportPartition q = p;
            assert_ok(cairn_refiner_at(r)->refine(&g.graph, NULL, NULL, q.part, &q.count));
            support_check_numbers(&g.graph, &q);
            CairnPartsMeasure after = support_partition_measure(&g.graph, &q);
            assert_true(after.cut_rows <= before.cut_rows);
            assert_true(after.most_dofs <= before.most_dofs);
            better[r] += after.cut_rows < before.cut_rows;
            uneven += after.largest > before.largest;
        }
        SupportPartition q = p;
        assert_ok(support_refiner("fm")->refine(&g.graph, &(CairnFmOptions){1, 10}, NULL, q.part, &q.count));
        assert_true(support_partition_measure(&g.graph, &q).most_dofs <=
                    before.most_dofs); // only what was too heavy already
        support_graph_free(&g);
    }
    assert_true(better[1] > 10 && better[2] > 10 && uneven > 0);
}

// Neither refiner stops before its own rule is used up: no single move (fm) and no swap (kl) of positive gain is left
// that the rules of contiguity and size allow. Tried one by one, by the plain cut.
static bool is_allowed(const CairnGraph *graph, const SupportPartition *before, const SupportPartition *after) {
    int old[SUPPORT_MOST_NODES], now[SUPPORT_MOST_NODES];
    support_count_fragments(graph, before, old);
    support_count_fragments(graph, after, now);
    for (int k = 0; k < before->count; k++) {
        if (now[k] > old[k]) {
            return false;
        }
    }
    return true;
}

static void fm_leaves_no_gain(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int which = 0; which < 30; which++) {
        SupportGraph g;
        support_graph_grid(&g, support_int(&seed, 3, 7), support_int(&seed, 3, 7));
        SupportPartition p = support_partition(&g.graph, "bfs", "part_size=6");
        assert_ok(support_refiner("fm")->refine(&g.graph, &(CairnFmOptions){8, 100}, NULL, p.part, &p.count));
        int cut = support_plain_cut(&g.graph, p.part), sizes[SUPPORT_MOST_NODES] = {0};
        for (int i = 0; i < g.graph.node_count; i++) {
            sizes[p.part[i]]++;
        }
        for (int i = 0; i < g.graph.node_count; i++) {
            for (int to = 0; to < p.count; to++) {
                SupportPartition q = p;
                q.part[i] = to;
                if (sizes[to] < 8 && sizes[p.part[i]] > 1 && support_plain_cut(&g.graph, q.part) < cut) {
                    assert_false(is_allowed(&g.graph, &p, &q));
                }
            }
        }
        support_graph_free(&g);
    }
}

// Does `node` have a neighbour in the part of `other`, besides that one?
static bool is_tied(const CairnGraph *graph, const SupportPartition *p, int node, int other) {
    for (int e = 0; e < graph->edge_count; e++) {
        int a = graph->edge_node[graph->edge_start[e]], b = graph->edge_node[graph->edge_start[e] + 1];
        int far = a == node ? b : b == node ? a : -1;
        if (far >= 0 && far != other && p->part[far] == p->part[other]) {
            return true;
        }
    }
    return false;
}

static void kl_leaves_no_gain(void **state) {
    (void)state;
    uint64_t seed = 15;
    for (int which = 0; which < 20; which++) {
        SupportGraph g;
        support_graph_pile(&g, &seed, support_int(&seed, 10, 40));
        SupportPartition p = support_partition(&g.graph, "bfs", "part_size=7");
        assert_ok(support_refiner("kl")->refine(&g.graph, NULL, NULL, p.part, &p.count));
        int cut = support_plain_cut(&g.graph, p.part);
        for (int i = 0; i < g.graph.node_count; i++) {
            for (int j = 0; j < i; j++) {
                SupportPartition q = p;
                q.part[i] = p.part[j];
                q.part[j] = p.part[i];
                if (support_plain_cut(&g.graph, q.part) < cut && is_tied(&g.graph, &p, i, j) &&
                    is_tied(&g.graph, &p, j, i)) {
                    // What KL asks is a little more: the part without the one that leaves must already hang together.
                    SupportPartition without_i = p, without_j = p;
                    without_i.part[i] = without_j.part[j] = p.count;
                    without_i.count = without_j.count = p.count + 1;
                    assert_false(is_allowed(&g.graph, &p, &q) && is_allowed(&g.graph, &p, &without_i) &&
                                 is_allowed(&g.graph, &p, &without_j));
                }
            }
        }
        support_graph_free(&g);
    }
}

static void wide_constraints_count_once(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 30);
    int all[30];
    for (int i = 0; i < 30; i++) {
        all[i] = i;
    }
    support_graph_edge(&g, all, 30, 4);
    SupportPartition p = support_partition(&g.graph, "bfs", "part_size=10");
    CairnPartsMeasure m = support_partition_measure(&g.graph, &p);
    assert_int_equal(m.cut_rows, 4 + 5 * (m.cut_constraints - 1));
    // A body that all of a wide constraint waits for: moving node 2 to the others takes 6 rows out of the cut, and puts
    // 5 in.
    SupportGraph h;
    support_graph_begin(&h, 6);
    support_graph_edge(&h, (const int[]){0, 1, 2}, 3, 6);
    support_graph_tie(&h, 2, 3, 5);
    support_graph_tie(&h, 3, 4, 5);
    support_graph_tie(&h, 4, 5, 5);
    SupportPartition q = {.part = {0, 0, 1, 1, 1, 1}, .count = 2};
    assert_ok(support_refiner("fm")->refine(&h.graph, NULL, NULL, q.part, &q.count));
    static const int wanted[] = {0, 0, 0, 1, 1, 1};
    assert_memory_equal(q.part, wanted, sizeof wanted);
    support_graph_free(&g);
    support_graph_free(&h);
}

// A move that empties a part leaves no hole in the numbers.
static void emptied_parts_vanish(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 7);
    SupportPartition p = {.part = {0, 0, 0, 1, 2, 2, 2}, .count = 3};
    assert_ok(support_refiner("fm")->refine(&g.graph, &(CairnFmOptions){4, 10}, NULL, p.part, &p.count));
    assert_int_equal(p.count, 2);
    support_check_numbers(&g.graph, &p);
    support_graph_free(&g);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refining_lowers_the_cut_and_breaks_nothing),
        cmocka_unit_test(refining_keeps_the_weight),
        cmocka_unit_test(fm_leaves_no_gain),
        cmocka_unit_test(kl_leaves_no_gain),
        cmocka_unit_test(wide_constraints_count_once),
        cmocka_unit_test(emptied_parts_vanish),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
