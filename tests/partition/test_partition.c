// Graph check, islands against a breadth-first search, and the list of partitioners.
#include "partition/graph.h"
#include "partition/islands.h"
#include "tests/support/support.h"

#include <cairn/partitioner.h>
#include <math.h>
#include <string.h>

enum { NODES = 40, EDGES = 40, ENDS = 160 };

typedef struct TestGraph {
    CairnGraph graph;
    uint64_t id[NODES];
    double mass[NODES];
    int group[NODES], rows[EDGES], start[EDGES + 1], node[ENDS];
} TestGraph;

// Edges over 0 to 4 nodes, the same one twice at times.
static void draw_graph(TestGraph *t, uint64_t *seed) {
    memset(t, 0, sizeof *t);
    int nodes = support_int(seed, 1, NODES), edges = support_int(seed, 0, EDGES);
    t->graph = (CairnGraph){nodes, edges, t->id, t->mass, t->group, NULL, t->rows, t->start, t->node};
    for (int i = 0; i < nodes; i++) {
        t->id[i] = support_random(seed);
        t->mass[i] = support_uniform(seed, 0, 3);
        t->group[i] = support_int(seed, -1, 3);
    }
    for (int e = 0; e < edges; e++) {
        t->rows[e] = support_int(seed, 1, 6);
        int ends = support_int(seed, 0, 4);
        for (int k = 0; k < ends; k++) {
            t->node[t->start[e] + k] = support_int(seed, 0, nodes - 1);
        }
        t->start[e + 1] = t->start[e] + ends;
    }
}

// Spread the lowest number along edges until nothing changes, then count the numbers up.
static int spread(const CairnGraph *graph, int *island) {
    bool has_changed = true;
    for (int i = 0; i < graph->node_count; i++) {
        island[i] = i;
    }
    while (has_changed) {
        has_changed = false;
        for (int e = 0; e < graph->edge_count; e++) {
            int low = graph->node_count;
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                low = island[graph->edge_node[k]] < low ? island[graph->edge_node[k]] : low;
            }
            for (int k = graph->edge_start[e]; k < graph->edge_start[e + 1]; k++) {
                has_changed |= island[graph->edge_node[k]] != low;
                island[graph->edge_node[k]] = low;
            }
        }
    }
    int number[NODES], count = 0;
    for (int i = 0; i < graph->node_count; i++) {
        number[i] = island[i] == i ? count++ : -1;
    }
    for (int i = 0; i < graph->node_count; i++) {
        island[i] = number[island[i]];
    }
    return count;
}

static void islands_are_the_connected_parts(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int draw = 0; draw < 2000; draw++) {
        TestGraph t;
        int island[NODES], expected[NODES];
        draw_graph(&t, &seed);
        assert_ok(cairn_graph_check(&t.graph));
        int count = cairn_islands(&t.graph, island);
        assert_int_equal(count, spread(&t.graph, expected));
        assert_memory_equal(island, expected, (size_t)t.graph.node_count * sizeof *island);
    }
    assert_int_equal(cairn_islands(&(CairnGraph){0}, NULL), 0);
}

static void none_makes_one_part(void **state) {
    (void)state;
    const CairnPartitioner *none = NULL;
    assert_ok(cairn_partitioner_find("none", &none));
    uint64_t seed = 2;
    TestGraph t;
    int part[NODES], count = -1;
    draw_graph(&t, &seed);
    memset(part, 0xff, sizeof part);
    assert_ok(none->partition(&t.graph, NULL, NULL, part, &count));
    assert_int_equal(count, 1);
    for (int i = 0; i < NODES; i++) {
        assert_int_equal(part[i], i < t.graph.node_count ? 0 : -1);
    }
    assert_ok(none->partition(&(CairnGraph){0}, NULL, NULL, part, &count));
    assert_int_equal(count, 0);
    t.graph.node_count = -1;
    assert_refused(none->partition(&t.graph, NULL, NULL, part, &count), CAIRN_INVALID_ARGUMENT, "node_count = -1");
}

static void partitioners_are_found_by_name(void **state) {
    (void)state;
    const CairnPartitioner *found = NULL;
    for (int i = 0; i < cairn_partitioner_count(); i++) {
        assert_ok(cairn_partitioner_find(cairn_partitioner_at(i)->name, &found));
        assert_ptr_equal(found, cairn_partitioner_at(i));
    }
    assert_null(cairn_partitioner_at(-1));
    assert_null(cairn_partitioner_at(cairn_partitioner_count()));
    assert_ok(cairn_partitioner_find(cairn_partitioner_default()->name, &found));
    assert_ptr_equal(found, cairn_partitioner_default());
    assert_refused(cairn_partitioner_find("nome", &found), CAIRN_NOT_FOUND, "near: none");
    assert_refused(cairn_partitioner_find(NULL, &found), CAIRN_INVALID_ARGUMENT, "name");
}

static void bad_graphs_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        int what;
        const char *words;
    } cases[] = {
        {0, "node_count = -1"},     {1, "edge_count = -1"},     {2, "node array is NULL"},
        {3, "edge array is NULL"},  {4, "edge_node is NULL"},   {5, "edge_start[0] = 1"},
        {6, "edge_start[2] = 1"},   {7, "edge_node[3] = 3"},    {8, "edge_node[0] = -1"},
        {9, "edge_rows[1] = -2"},   {10, "node_mass[1] = nan"}, {11, "node_mass[2] = -1"},
        {12, "node_group[0] = -2"}, {13, "node_mass[0] = inf"}, {14, "edge_start[2] = 4 is less"},
    };
    assert_refused(cairn_graph_check(NULL), CAIRN_INVALID_ARGUMENT, "graph is NULL");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TestGraph t = {.rows = {3, 3}, .start = {0, 2, 4}, .node = {0, 1, 1, 2}};
        t.graph = (CairnGraph){3, 2, t.id, t.mass, t.group, NULL, t.rows, t.start, t.node};
        assert_ok(cairn_graph_check(&t.graph));
        switch (cases[i].what) {
        case 0:
            t.graph.node_count = -1;
            break;
        case 1:
            t.graph.edge_count = -1;
            break;
        case 2:
            t.graph.node_mass = NULL;
            break;
        case 3:
            t.graph.edge_start = NULL;
            break;
        case 4:
            t.graph.edge_node = NULL;
            break;
        case 5:
            t.start[0] = 1;
            break;
        case 6:
            t.start[2] = 1;
            break;
        case 7:
            t.node[3] = 3;
            break;
        case 8:
            t.node[0] = -1;
            break;
        case 9:
            t.rows[1] = -2;
            break;
        case 10:
            t.mass[1] = (double)NAN;
            break;
        case 11:
            t.mass[2] = -1;
            break;
        case 12:
            t.group[0] = -2;
            break;
        case 14:
            t.start[1] = 1 << 30;
            break;
        default:
            t.mass[0] = (double)INFINITY;
            break;
        }
        assert_refused(cairn_graph_check(&t.graph), CAIRN_INVALID_ARGUMENT, cases[i].words);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_are_the_connected_parts),
        cmocka_unit_test(none_makes_one_part),
        cmocka_unit_test(partitioners_are_found_by_name),
        cmocka_unit_test(bad_graphs_are_refused_by_name),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
