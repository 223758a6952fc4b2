// Partitioners and refiners: what holds for all of them on every graph, and what each one promises.
#include "tests/support.h"
#include "tests/support_graphs.h"

#include "partition/fm.h"
#include "partition/grow.h"
#include "partition/islands.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 700 };

typedef struct Parting {
    int part[MOST], count;
} Parting;

static const CairnPartitioner *partitioner(const char *name) {
    const CairnPartitioner *found = NULL;
    assert_ok(cairn_partitioner_find(name, &found));
    return found;
}

static const CairnRefiner *refiner(const char *name) {
    const CairnRefiner *found = NULL;
    assert_ok(cairn_refiner_find(name, &found));
    return found;
}

static bool has_option(const CairnFieldTable *table, const char *name) {
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Part with options as the command line gives them.
static CairnStatus try_part(const CairnGraph *graph, const char *name, const char *text, Parting *p) {
    const CairnPartitioner *chosen = partitioner(name);
    unsigned char options[256] = {0};
    if (chosen->options) {
        assert_true(chosen->options->size <= sizeof options);
        cairn_fields_preset(chosen->options, options);
        CAIRN_TRY(cairn_fields_parse(chosen->options, options, text));
    }
    return chosen->partition(graph, chosen->options ? options : NULL, NULL, p->part, &p->count);
}

static Parting part_with(const CairnGraph *graph, const char *name, const char *text) {
    Parting p = {.count = 0};
    assert_ok(try_part(graph, name, text, &p));
    return p;
}

static CairnPartsMeasure measure(const CairnGraph *graph, const Parting *p) {
    CairnPartsMeasure found;
    assert_ok(cairn_parts_measure(graph, &(CairnParts){p->count, p->part}, NULL, NULL, &found));
    return found;
}

// ---- what a right answer is, computed the plain way ----

// Rows of the constraints that are not within one part.
static int plain_cut(const CairnGraph *graph, const int *part) {
    int rows = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        int low = MOST, high = -1;
        for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
            int p = part[graph->edge_node[k]];
            low = p < low ? p : low;
            high = p > high ? p : high;
        }
        rows += high > low ? graph->edge_rows[e] : 0;
    }
    return rows;
}

// Pieces: nodes of one part that hang together. piece[node] is the lowest node of its piece.
static void find_pieces(const CairnGraph *graph, const int *part, int *piece) {
    bool has_changed = true;
    for (int i = 0; i < graph->node_count; i++) {
        piece[i] = i;
    }
    while (has_changed) {
        has_changed = false;
        for (int e = 0; e < graph->edge_count; e++) {
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                for (int l = graph->edge_start[e]; l < graph->edge_start[e + 1]; l++) {
                    int a = graph->edge_node[k], b = graph->edge_node[l];
                    if (part[a] == part[b] && piece[a] > piece[b]) {
                        piece[a] = piece[b];
                        has_changed = true;
                    }
                }
            }
        }
    }
}

// Pieces of a part that are no whole islands: it may have one.
static void count_fragments(const CairnGraph *graph, const Parting *p, int *fragments) {
    static int piece[MOST], island[MOST], island_size[MOST], piece_size[MOST];
    memset(island_size, 0, sizeof island_size);
    memset(piece_size, 0, sizeof piece_size);
    memset(fragments, 0, (size_t)p->count * sizeof *fragments);
    find_pieces(graph, p->part, piece);
    cairn_islands(graph, island);
    for (int i = 0; i < graph->node_count; i++) {
        island_size[island[i]]++;
        piece_size[piece[i]]++;
    }
    for (int i = 0; i < graph->node_count; i++) {
        fragments[p->part[i]] += piece[i] == i && piece_size[i] < island_size[island[i]] ? 1 : 0;
    }
}

static void check_numbers(const CairnGraph *graph, const Parting *p) {
    int sizes[MOST];
    CairnPartsMeasure found;
    assert_ok(cairn_parts_measure(graph, &(CairnParts){p->count, p->part}, NULL, sizes, &found)); // each node, no holes
    int sum = 0, largest = 0;
    for (int k = 0; k < p->count; k++) {
        sum += sizes[k];
        largest = sizes[k] > largest ? sizes[k] : largest;
    }
    assert_int_equal(sum, graph->node_count);
    assert_int_equal(found.largest, largest);
    assert_int_equal(found.cut_rows, plain_cut(graph, p->part));
}

// One fragment a part; the last part may have more where the partitioner leaves a last group.
static void check_contiguous(const CairnGraph *graph, const Parting *p, bool has_last_group) {
    int fragments[MOST];
    count_fragments(graph, p, fragments);
    for (int k = 0; k < p->count - (has_last_group ? 1 : 0); k++) {
        assert_true(fragments[k] <= 1);
    }
}

// Sizes keep the limit when orphans are left out: bodies whose every neighbour is in their own part or one made before.
static void check_sizes(const CairnGraph *graph, const Parting *p, int limit) {
    int sizes[MOST] = {0};
    for (int i = 0; i < graph->node_count; i++) {
        bool is_orphan = true;
        for (int e = 0; e < graph->edge_count; e++) {
            bool is_mine = false, is_later = false;
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                is_mine = is_mine || graph->edge_node[k] == i;
                is_later = is_later || p->part[graph->edge_node[k]] > p->part[i];
            }
            is_orphan = is_orphan && !(is_mine && is_later);
        }
        sizes[p->part[i]] += is_orphan ? 0 : 1;
    }
    for (int k = 0; k < p->count; k++) {
        assert_true(sizes[k] <= limit);
    }
}

// ---- graphs ----

static const char *const grown[] = {"mindp", "maxdp", "bfs", "mr", "mix"};
enum { GROWN = sizeof grown / sizeof grown[0], GRAPHS = 60 };

static void draw(SupportGraph *g, int which, uint64_t *seed) {
    switch (which % 6) {
    case 0:
        support_graph_chain(g, support_int(seed, 1, 80));
        break;
    case 1:
        support_graph_grid(g, support_int(seed, 1, 12), support_int(seed, 1, 12));
        break;
    case 2:
        support_graph_pile(g, seed, support_int(seed, 1, 150));
        break;
    case 3:
        support_graph_tower(g, support_int(seed, 1, 12), support_int(seed, 1, 6));
        break;
    default:
        support_graph_random(g, seed, 60);
        break;
    }
}

static void every_part_is_sound(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int which = 0; which < GRAPHS; which++) {
        SupportGraph g;
        draw(&g, which, &seed);
        for (int k = 0; k < GROWN; k++) {
            for (int limit = 1; limit <= 64; limit = 2 * limit + 1) {
                char text[64];
                bool is_mr = strcmp(grown[k], "mr") == 0;
                snprintf(text, sizeof text, "part_size=%d,seed=%d", limit, which % 2);
                Parting p = part_with(&g.graph, grown[k], text);
                check_numbers(&g.graph, &p);
                check_contiguous(&g.graph, &p, !is_mr);
                check_sizes(&g.graph, &p, limit);
                snprintf(text, sizeof text, "part_size=%d,orphans=false", limit);
                p = part_with(&g.graph, grown[k], text);
                check_contiguous(&g.graph, &p, !is_mr);
                assert_true(measure(&g.graph, &p).largest <= limit);
            }
        }
        support_graph_free(&g);
    }
}

static void metis_keeps_the_rules_too(void **state) {
    (void)state;
    const CairnPartitioner *metis;
    if (!cairn_is_ok(cairn_partitioner_find("metis", &metis))) {
        skip();
    }
    uint64_t seed = 12;
    for (int which = 0; which < GRAPHS; which++) {
        SupportGraph g;
        draw(&g, which, &seed);
        Parting p = part_with(&g.graph, "metis", "part_size=9"), again = part_with(&g.graph, "metis", "part_size=9");
        check_numbers(&g.graph, &p);
        check_contiguous(&g.graph, &p, false);
        assert_memory_equal(p.part, again.part, (size_t)g.graph.node_count * sizeof(int));
        p = part_with(&g.graph, "metis", "parts=1");
        assert_int_equal(p.count, 1);
        support_graph_free(&g);
    }
}

// Refiners know long constraints as chains: parts that hang together stay so, but what holds a last group's pieces together only by such
// a constraint they do not see.
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
    for (int which = 0; which < 2 * GRAPHS; which++) {
        SupportGraph g;
        draw(&g, which, &seed);
        for (int k = 0; k < GROWN; k++) {
            char text[64];
            snprintf(text, sizeof text, "part_size=%d", 2 + which % 20);
            Parting p = part_with(&g.graph, grown[k], text);
            int before = plain_cut(&g.graph, p.part), largest = measure(&g.graph, &p).largest, sum = 0;
            int fragments[MOST];
            count_fragments(&g.graph, &p, fragments);
            for (int i = 0; i < p.count; i++) {
                sum += fragments[i];
            }
            for (int r = 0; r < cairn_refiner_count(); r++) {
                Parting q = p;
                assert_ok(cairn_refiner_at(r)->refine(&g.graph, NULL, NULL, q.part, &q.count));
                check_numbers(&g.graph, &q);
                assert_true(plain_cut(&g.graph, q.part) <= before);
                better[r] += plain_cut(&g.graph, q.part) < before;
                assert_true(measure(&g.graph, &q).largest <= largest);
                // A part that held one fragment holds one, and the last group's do not become more.
                int now = 0;
                count_fragments(&g.graph, &q, fragments);
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

// Neither refiner stops before its own rule is used up: no single move (fm) and no swap (kl) of positive gain is left that the rules
// of contiguity and size allow. Tried one by one, by the plain cut.
static bool is_allowed(const CairnGraph *graph, const Parting *before, const Parting *after) {
    int old[MOST], now[MOST];
    count_fragments(graph, before, old);
    count_fragments(graph, after, now);
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
        Parting p = part_with(&g.graph, "bfs", "part_size=6");
        assert_ok(refiner("fm")->refine(&g.graph, &(CairnFmOptions){8, 100}, NULL, p.part, &p.count));
        int cut = plain_cut(&g.graph, p.part), sizes[MOST] = {0};
        for (int i = 0; i < g.graph.node_count; i++) {
            sizes[p.part[i]]++;
        }
        for (int i = 0; i < g.graph.node_count; i++) {
            for (int to = 0; to < p.count; to++) {
                Parting q = p;
                q.part[i] = to;
                if (sizes[to] < 8 && sizes[p.part[i]] > 1 && plain_cut(&g.graph, q.part) < cut) {
                    assert_false(is_allowed(&g.graph, &p, &q));
                }
            }
        }
        support_graph_free(&g);
    }
}

// Does `node` have a neighbour in the part of `other`, besides that one?
static bool is_tied(const CairnGraph *graph, const Parting *p, int node, int other) {
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
        Parting p = part_with(&g.graph, "bfs", "part_size=7");
        assert_ok(refiner("kl")->refine(&g.graph, NULL, NULL, p.part, &p.count));
        int cut = plain_cut(&g.graph, p.part);
        for (int i = 0; i < g.graph.node_count; i++) {
            for (int j = 0; j < i; j++) {
                Parting q = p;
                q.part[i] = p.part[j];
                q.part[j] = p.part[i];
                if (plain_cut(&g.graph, q.part) < cut && is_tied(&g.graph, &p, i, j) && is_tied(&g.graph, &p, j, i)) {
                    // What KL asks is a little more: the part without the one that leaves must already hang together.
                    Parting without_i = p, without_j = p;
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

// ---- each its own promise ----

static void a_chain_is_cut_once_a_part(void **state) {
    (void)state;
    static const char *const names[] = {"mindp", "bfs", "mix"};
    SupportGraph g;
    support_graph_chain(&g, 64);
    for (int k = 0; k < 3; k++) {
        Parting p = part_with(&g.graph, names[k], "part_size=16");
        CairnPartsMeasure m = measure(&g.graph, &p);
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
    Parting p = part_with(&g.graph, "mindp", "part_size=4");
    assert_int_equal(p.part[8], p.part[3]);
    assert_int_equal(measure(&g.graph, &p).cut_constraints, 1);
    p = part_with(&g.graph, "mindp", "part_size=4,orphans=false");
    assert_int_equal(measure(&g.graph, &p).smallest, 1);
    assert_int_equal(measure(&g.graph, &p).cut_constraints, 2);
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
    Parting p = part_with(&g.graph, "mindp", "part_size=4");
    assert_int_equal(p.count, 1);
    p = part_with(&g.graph, "mindp", "part_size=4,orphans=false");
    assert_int_equal(measure(&g.graph, &p).largest, 4);
    support_graph_free(&g);
}

// Mass ratios: along a chain 1, 1, 5, 5, 100, 100 with tau = 10 parts end where the ratio to the least mass is 10 or more.
static void mr_parts_where_masses_jump(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_chain(&g, 6);
    static const double masses[] = {1, 1, 5, 5, 100, 100};
    memcpy(g.mass, masses, sizeof masses);
    static const int wanted[] = {0, 0, 0, 0, 1, 1};
    Parting p = part_with(&g.graph, "mr", "tau=10");
    assert_memory_equal(p.part, wanted, sizeof wanted);
    static const int finer[] = {0, 0, 1, 1, 2, 2};
    p = part_with(&g.graph, "mr", "tau=5"); // 5 / 1 is not below 5
    assert_memory_equal(p.part, finer, sizeof finer);
    p = part_with(&g.graph, "mr", "tau=1.01");
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
    Parting p = part_with(&g.graph, "mr", "tau=10");
    assert_int_equal(p.count, 1);
    support_graph_free(&g);
}

// Algorithm 1 as printed would make no part at all of 100 bodies (its outer condition is the wrong way round).
static void mix_parts_large_systems_and_turns_at_tau(void **state) {
    (void)state;
    SupportGraph g;
    uint64_t seed = 16;
    support_graph_pile(&g, &seed, 100);
    Parting p = part_with(&g.graph, "mix", "part_size=16");
    assert_true(p.count >= 7);
    // With tau so near to 1 that no body is left to the gain, mix is mindp; else it is not.
    Parting late = part_with(&g.graph, "mix", "part_size=16,tau=0.99");
    Parting mindp = part_with(&g.graph, "mindp", "part_size=16,degree=bodies");
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
    Parting p = part_with(&g.graph, "semantic", "groups=0");
    assert_int_equal(p.count, 3);
    assert_memory_equal(p.part, wanted, sizeof wanted);
    assert_refused(try_part(&g.graph, "semantic", "groups=3", &p), CAIRN_INVALID_ARGUMENT, "group 7");
    g.group[1] = g.group[4] = -1;
    assert_refused(try_part(&g.graph, "semantic", "groups=0", &p), CAIRN_INVALID_ARGUMENT, "2 of 6 bodies");
    assert_refused(try_part(&g.graph, "semantic", "groups=0", &p), CAIRN_INVALID_ARGUMENT, "0x0000000000000065");
    assert_memory_equal(p.part, wanted, sizeof wanted); // a refusal writes nothing
    static const int with_rest[] = {1, 2, 0, 0, 2, 1};
    p = part_with(&g.graph, "semantic", "rest=true");
    assert_memory_equal(p.part, with_rest, sizeof with_rest);
    static const int gap[] = {0, 0, 1, 3, 3, 1};
    memcpy(g.group, gap, sizeof gap);
    assert_refused(try_part(&g.graph, "semantic", "groups=4", &p), CAIRN_INVALID_ARGUMENT,
                   "group 2 of 4 names no body");
    assert_refused(try_part(&g.graph, "semantic", "groups=5", &p), CAIRN_INVALID_ARGUMENT,
                   "group 2 of 5 names no body");
    g.group[5] = 2;
    p = part_with(&g.graph, "semantic", "groups=4");
    assert_int_equal(p.count, 4);
    support_graph_free(&g);
}

// Small islands share parts, whole: 30 pairs and 20 single bodies in parts of 16 make no cut, and no more parts than needed.
static void whole_islands_share_parts(void **state) {
    (void)state;
    SupportGraph g;
    support_graph_begin(&g, 80);
    for (int i = 0; i < 30; i++) {
        support_graph_tie(&g, 2 * i, 2 * i + 1, 3);
    }
    Parting p = part_with(&g.graph, "mindp", "part_size=16");
    assert_int_equal(measure(&g.graph, &p).cut_rows, 0);
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
        Parting p = {.count = 0};
        assert_ok(chosen->partition(&empty, NULL, NULL, NULL, &p.count));
        assert_int_equal(p.count, 0);
        assert_ok(chosen->partition(&one.graph, NULL, NULL, p.part, &p.count));
        assert_int_equal(p.count, 1);
        assert_int_equal(p.part[0], 0);
        p.count = 0;
        assert_ok(chosen->partition(&loose.graph, NULL, NULL, p.part, &p.count));
        check_numbers(&loose.graph, &p);
        for (int r = 0; r < cairn_refiner_count(); r++) {
            int none = 0;
            assert_ok(cairn_refiner_at(r)->refine(&empty, NULL, NULL, NULL, &none));
            assert_ok(cairn_refiner_at(r)->refine(&loose.graph, NULL, NULL, p.part, &p.count));
            check_numbers(&loose.graph, &p);
        }
    }
    support_graph_free(&one);
    support_graph_free(&loose);
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
    Parting p = part_with(&g.graph, "bfs", "part_size=10");
    CairnPartsMeasure m = measure(&g.graph, &p);
    assert_int_equal(m.cut_rows, 4 + 5 * (m.cut_constraints - 1));
    // A body that all of a wide constraint waits for: moving node 2 to the others takes 6 rows out of the cut, and puts 5 in.
    SupportGraph h;
    support_graph_begin(&h, 6);
    support_graph_edge(&h, (const int[]){0, 1, 2}, 3, 6);
    support_graph_tie(&h, 2, 3, 5);
    support_graph_tie(&h, 3, 4, 5);
    support_graph_tie(&h, 4, 5, 5);
    Parting q = {.part = {0, 0, 1, 1, 1, 1}, .count = 2};
    assert_ok(refiner("fm")->refine(&h.graph, NULL, NULL, q.part, &q.count));
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
    Parting p = {.part = {0, 0, 0, 1, 2, 2, 2}, .count = 3};
    assert_ok(refiner("fm")->refine(&g.graph, &(CairnFmOptions){4, 10}, NULL, p.part, &p.count));
    assert_int_equal(p.count, 2);
    check_numbers(&g.graph, &p);
    support_graph_free(&g);
}

// ---- keeping ----

static void keep_stays_where_nothing_changed(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int which = 0; which < GRAPHS; which++) {
        SupportGraph g;
        draw(&g, which, &seed);
        for (int k = 0; k < GROWN; k++) {
            Parting p = part_with(&g.graph, grown[k], "part_size=8,keep=0.5,orphans=false");
            Parting q = p;
            assert_ok(try_part(&g.graph, grown[k], "part_size=8,keep=0.5,orphans=false", &q));
            check_contiguous(&g.graph, &q, true);
            Parting r = q; // after a first mending of the last group nothing moves any more
            assert_ok(try_part(&g.graph, grown[k], "part_size=8,keep=1,orphans=false", &r));
            Parting s = r;
            assert_ok(try_part(&g.graph, grown[k], "part_size=8,keep=1,orphans=false", &s));
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
    Parting p = {.count = 0}, fresh_before = {.count = 0};
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
        Parting last = p;
        assert_ok(try_part(&g.graph, "mindp", "part_size=12,keep=0.3", &p));
        Parting fresh = part_with(&g.graph, "mindp", "part_size=12");
        check_numbers(&g.graph, &p);
        check_contiguous(&g.graph, &p, true);
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
    Parting p = {.count = 50};
    for (int i = 0; i < 100; i++) {
        p.part[i] = i * 37 % 50; // pieces of one or two
    }
    assert_ok(try_part(&g.graph, "mindp", "part_size=10,keep=0.2", &p));
    Parting fresh = part_with(&g.graph, "mindp", "part_size=10");
    assert_memory_equal(p.part, fresh.part, 100 * sizeof(int));
    // Old parts may be anything: what is out of range is no part.
    for (int i = 0; i < 100; i++) {
        p.part[i] = i % 2 == 0 ? 1 << 30 : -5;
    }
    p.count = 3;
    assert_ok(try_part(&g.graph, "mindp", "part_size=10,keep=1", &p));
    check_numbers(&g.graph, &p);
    support_graph_free(&g);
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
    Parting p = {.part = {9, 9, 9, 9, 9, 9}, .count = 0}, before = p;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CairnStatus status = try_part(&g.graph, cases[i].name, cases[i].text, &p);
        assert_false(cairn_is_ok(status));
        if (!strstr(status.message, cases[i].words)) {
            fail_msg("%s:%s answered \"%s\"", cases[i].name, cases[i].text, status.message);
        }
        assert_memory_equal(p.part, before.part, sizeof p.part);
    }
    CairnGrowOptions zero = {.part_size = 0};
    assert_refused(partitioner("mindp")->partition(&g.graph, &zero, NULL, p.part, &p.count), CAIRN_INVALID_ARGUMENT,
                   "part_size");
    const CairnRefiner *none;
    assert_refused(cairn_refiner_find("fn", &none), CAIRN_NOT_FOUND, "near: fm");
    assert_refused(cairn_refiner_find(NULL, &none), CAIRN_INVALID_ARGUMENT, "name");
    const CairnPartitioner *nobody;
    assert_refused(cairn_partitioner_find("mindq", &nobody), CAIRN_NOT_FOUND, "mindp");
    int part[6] = {0, 0, 0, 0, 0, 7}, count = 2;
    assert_refused(refiner("fm")->refine(&g.graph, NULL, NULL, part, &count), CAIRN_INVALID_ARGUMENT, "part 7 of 2");
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
        Parting start = part_with(&g.graph, "bfs", "part_size=16");
        const CairnPartitioner *chosen = refiner_at < 0 ? cairn_partitioner_at(k) : NULL;
        unsigned char options[256] = {0};
        if (chosen && chosen->options) {
            cairn_fields_preset(chosen->options, options);
            if (has_option(chosen->options, "keep")) {
                assert_ok(cairn_fields_set(chosen->options, options, "keep", "1"));
            }
        }
        bool was_refused = true;
        for (int n = 1; was_refused; n++) {
            SupportMemory memory = {.fail_only = n};
            CairnAllocator allocator = support_allocator(&memory);
            Parting p = start;
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
        cmocka_unit_test(metis_keeps_the_rules_too),
        cmocka_unit_test(refining_lowers_the_cut_and_breaks_nothing),
        cmocka_unit_test(fm_leaves_no_gain),
        cmocka_unit_test(kl_leaves_no_gain),
        cmocka_unit_test(a_chain_is_cut_once_a_part),
        cmocka_unit_test(mindp_adopts_orphans),
        cmocka_unit_test(a_star_stays_whole),
        cmocka_unit_test(mr_parts_where_masses_jump),
        cmocka_unit_test(mr_asks_again_when_the_least_mass_falls),
        cmocka_unit_test(mix_parts_large_systems_and_turns_at_tau),
        cmocka_unit_test(semantic_takes_the_scenes_groups),
        cmocka_unit_test(whole_islands_share_parts),
        cmocka_unit_test(nothing_and_nearly_nothing),
        cmocka_unit_test(wide_constraints_count_once),
        cmocka_unit_test(emptied_parts_vanish),
        cmocka_unit_test(keep_stays_where_nothing_changed),
        cmocka_unit_test(keep_mends_what_changed),
        cmocka_unit_test(keep_begins_anew_where_too_much_changed),
        cmocka_unit_test(bad_options_are_refused_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
