// The partition stage of a step, on the graphs of real scenes: statistics, the state that `keep` starts from, refusals,
// memory.
#include "tests/support/support.h"
#include "tests/support/support_worlds.h"

#include "engine/base/memory.h"
#include "partition/fm.h"
#include "partition/grow.h"
#include "solvers/problem/graph.h"
#include "solvers/sweeps/pgs.h"
#include <string.h>

enum { MOST = 256 };

// pgs that asks for parts, and does not look at them.
static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)options;
    assert_non_null(parts);
    CairnPgsOptions few = {.iterations = 10, .tolerance = 1e-9, .omega = 1};
    return cairn_solver_pgs.solve(problem, parts, &few, context, lambda, report);
}

static const CairnSolver parted = {
    .name = "parted", .summary = "", .traits = CAIRN_TAKES_BOUNDS | CAIRN_NEEDS_PARTITION, .solve = solve};

static void choose(CairnWorld *world, const char *partitioner, const char *text, const char *refiner) {
    const CairnPartitioner *p;
    const CairnRefiner *r;
    unsigned char options[256] = {0};
    assert_ok(cairn_partitioner_find(partitioner, &p));
    assert_ok(cairn_refiner_find(refiner, &r));
    if (p->options) {
        cairn_fields_preset(p->options, options);
        assert_ok(cairn_fields_parse(p->options, options, text));
    }
    assert_ok(cairn_world_set_solver(world, &parted, NULL));
    assert_ok(cairn_world_set_partitioner(world, p, p->options ? options : NULL));
    assert_ok(cairn_world_set_refiner(world, r, NULL));
}

// The parts of the last step, by the problem's blocks, as the bodies tell them.
static int read_parts(const CairnWorld *world, const CairnProblem *problem, int *part) {
    CairnBodyId ids[MOST];
    int bodies = cairn_world_bodies(world, ids, MOST), blocks = 0;
    for (int i = 0; i < bodies; i++) {
        CairnBodyState state;
        assert_ok(cairn_body_get(world, ids[i], &state));
        if (state.type == CAIRN_BODY_DYNAMIC && !state.is_asleep) {
            part[blocks++] = state.part;
        } else {
            assert_int_equal(state.part, -1); // static bodies never join parts
        }
    }
    assert_int_equal(blocks, problem->block_count);
    return blocks;
}

static void statistics_tell_of_the_parts(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        for (int k = 0; k < cairn_partitioner_count(); k++) {
            const char *name = cairn_partitioner_at(k)->name;
            CairnWorld *world = support_scene_world((SupportScene)scene, NULL, 1);
            bool is_semantic = strcmp(name, "semantic") == 0, is_none = strcmp(name, "none") == 0;
            choose(world, name, is_semantic ? "rest=true" : is_none ? "" : "part_size=4", "fm");
            for (int i = 0; i < 40; i++) {
                CairnStats stats;
                CairnProblem problem;
                const double *lambda;
                int part[MOST];
                assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
                assert_ok(cairn_world_problem(world, &problem, &lambda));
                read_parts(world, &problem, part);
                CairnArena arena;
                CairnAllocator allocator = cairn_memory_default();
                CairnGraph graph;
                CairnPartsMeasure m;
                cairn_arena_init(&arena, &allocator);
                assert_ok(cairn_problem_graph(&problem, &arena, &graph));
                assert_ok(cairn_parts_measure(&graph, &(CairnParts){stats.parts, part}, NULL, NULL, &m));
                assert_int_equal(stats.interface_rows, m.cut_rows);
                assert_int_equal(stats.interface_constraints, m.cut_constraints);
                assert_int_equal(stats.part_largest, m.largest);
                assert_int_equal(stats.part_smallest, m.smallest);
                assert_near(stats.part_balance, m.balance, 0);
                assert_true(stats.times.refine > 0 && stats.times.refine < stats.times.partition);
                cairn_arena_free(&arena);
            }
            cairn_world_destroy(world);
        }
    }
}

static void solvers_without_parts_get_one(void **state) {
    (void)state;
    CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
    CairnStats stats;
    choose(world, "mindp", "part_size=2", "fm");
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, NULL));
    assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.interface_rows, 0);
    assert_int_equal(stats.part_largest, stats.dynamic_bodies);
    cairn_world_destroy(world);
}

// Parts by step and thread count, as one hash a scene.
static uint64_t run_parts(SupportScene scene, int threads, const char *name) {
    uint64_t hash = 1;
    CairnWorld *world = support_scene_world(scene, NULL, threads);
    choose(world, name, "part_size=5,keep=0.5", "kl");
    for (int i = 0; i < 40; i++) {
        CairnProblem problem;
        const double *lambda;
        int part[MOST];
        assert_ok(cairn_world_step(world, 1.0 / 60, NULL));
        assert_ok(cairn_world_problem(world, &problem, &lambda));
        int count = read_parts(world, &problem, part);
        for (int b = 0; b < count; b++) {
            hash = hash * 1099511628211u + (uint64_t)part[b];
        }
    }
    cairn_world_destroy(world);
    return hash;
}

// What went to each part alone, by solvers that say so: some of it to every part that has rows, and not more than the
// step took.
static void parts_tell_their_time(void **state) {
    (void)state;
    static const char *const solvers[] = {"schur-bpp", "schur-bpp", "fbic", "bpp"};
    for (int k = 0; k < 4; k++) {
        CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
        const CairnSolver *solver;
        CairnStats stats;
        unsigned char options[256] = {0};
        double seconds[MOST] = {0}, most = 0, sum = 0;
        choose(world, "mindp", "part_size=8", "none");
        assert_ok(cairn_solver_find(solvers[k], &solver));
        cairn_fields_preset(solver->options, options);
        assert_ok(cairn_fields_parse(solver->options, options, k == 1 ? "faithful=1" : ""));
        assert_ok(cairn_world_set_solver(world, solver, options));
        assert_int_equal(cairn_world_part_seconds(world, seconds, MOST), 0); // before the first step
        assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
        int count = cairn_world_part_seconds(world, seconds, MOST), busy = 0;
        assert_int_equal(count, k < 3 ? stats.parts : 0);
        for (int i = 0; i < count; i++) {
            assert_true(seconds[i] >= 0);
            busy += seconds[i] > 0;
            sum += seconds[i];
            most = seconds[i] > most ? seconds[i] : most;
        }
        assert_true(busy == count && (count == 0 || count > 1));
        assert_true(sum <= stats.times.step);
        assert_int_equal(cairn_world_part_seconds(world, NULL, 0), count);
        cairn_world_destroy(world);
    }
    assert_int_equal(cairn_world_part_seconds(NULL, NULL, 0), 0);
}

static void threads_and_runs_make_the_same_parts(void **state) {
    (void)state;
    static const char *const names[] = {"mindp", "maxdp", "bfs", "mr", "mix"};
    for (int k = 0; k < 5; k++) {
        uint64_t once = run_parts(SUPPORT_PILE, 1, names[k]);
        assert_true(run_parts(SUPPORT_PILE, 1, names[k]) == once);
        assert_true(run_parts(SUPPORT_PILE, 2, names[k]) == once);
    }
}

// What `keep` starts from is in the snapshot: a world that is put back makes the same parts again, and so does another
// world.
static void snapshots_hold_the_parts(void **state) {
    (void)state;
    CairnWorld *world = support_scene_world(SUPPORT_PILE, NULL, 1), *other = NULL;
    choose(world, "mindp", "part_size=5,keep=0.6", "fm");
    support_run(world, 60);
    SupportBytes saved = support_snapshot(world);
    support_run(world, 20);
    SupportBytes wanted = support_snapshot(world);
    assert_ok(cairn_world_restore(world, saved.bytes, saved.size));
    support_run(world, 20);
    SupportBytes again = support_snapshot(world);
    assert_true(support_same_bytes(&wanted, &again));
    support_bytes_free(&again);
    assert_ok(support_world_create(NULL, 1, &other));
    choose(other, "mindp", "part_size=5,keep=0.6", "fm");
    assert_ok(cairn_world_restore(other, saved.bytes, saved.size));
    support_run(other, 20);
    again = support_snapshot(other);
    assert_true(support_same_bytes(&wanted, &again));
    support_bytes_free(&again);
    // And it matters: parts that begin anew are others.
    assert_ok(cairn_world_restore(world, saved.bytes, saved.size));
    choose(world, "mindp", "part_size=5,keep=0.6", "fm"); // forgets the last parts
    support_run(world, 20);
    again = support_snapshot(world);
    assert_false(support_same_bytes(&wanted, &again));
    support_bytes_free(&again);
    support_bytes_free(&saved);
    support_bytes_free(&wanted);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

// ---- refusals: in words, and the world is as it was ----

static CairnStatus raise_cut(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    (void)options, (void)allocator;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = i;
    }
    *count = graph->node_count;
    return cairn_ok();
}

static CairnStatus leave_hole(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                              int *count) {
    (void)graph, (void)options, (void)allocator, (void)part;
    *count += 1;
    return cairn_ok();
}

static CairnStatus count_below_zero(const CairnGraph *graph, const void *options, const CairnAllocator *allocator,
                                    int *part, int *count) {
    (void)graph, (void)options, (void)allocator, (void)part;
    *count = -5;
    return cairn_ok();
}

static void refuse_step(CairnWorld *world, const char *words) {
    SupportBytes before = support_snapshot(world);
    assert_refused(cairn_world_step(world, 1.0 / 60, NULL), CAIRN_INVALID_ARGUMENT, words);
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
}

static void refusals_change_nothing(void **state) {
    (void)state;
    static const CairnRefiner raising = {.name = "raising", .summary = "", .refine = raise_cut};
    static const CairnPartitioner below = {.name = "below", .summary = "", .partition = count_below_zero};
    static const CairnRefiner holes = {.name = "holes", .summary = "", .refine = leave_hole};
    CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
    support_run(world, 3);
    choose(world, "mindp", "parts=1000", "none");
    refuse_step(world, "parts = 1000 are more than the");
    choose(world, "semantic", "groups=0", "none");
    refuse_step(world, "bodies are in no group");
    choose(world, "none", "", "none");
    assert_ok(cairn_world_set_refiner(world, &raising, NULL));
    refuse_step(world, "refiner raising raised the cut from 0");
    assert_ok(cairn_world_set_refiner(world, &holes, NULL));
    refuse_step(world, "refiner holes: part 1 of 2 has no node");
    assert_ok(cairn_world_set_partitioner(world, &below, NULL));
    refuse_step(world, "partitioner below: parts: count = -5");
    SupportBytes before = support_snapshot(world);
    const CairnPartitioner *mindp;
    const CairnRefiner *fm;
    assert_ok(cairn_partitioner_find("mindp", &mindp));
    assert_ok(cairn_refiner_find("fm", &fm));
    assert_refused(cairn_world_set_partitioner(world, mindp, &(CairnGrowOptions){.part_size = 0}),
                   CAIRN_INVALID_ARGUMENT, "part_size");
    assert_refused(cairn_world_set_refiner(world, fm, &(CairnFmOptions){.passes = 0}), CAIRN_INVALID_ARGUMENT,
                   "passes");
    assert_refused(cairn_world_set_refiner(world, NULL, NULL), CAIRN_INVALID_ARGUMENT, "refiner is NULL");
    assert_refused(cairn_world_set_refiner(NULL, fm, NULL), CAIRN_INVALID_ARGUMENT, "world is NULL");
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
    cairn_world_destroy(world);
}

// ---- memory ----

static void a_settled_step_with_parts_allocates_nothing(void **state) {
    (void)state;
    for (int k = 0; k < cairn_partitioner_count(); k++) {
        const char *name = cairn_partitioner_at(k)->name;
        bool has_size = strcmp(name, "semantic") != 0 && strcmp(name, "none") != 0;
        CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
        CairnStats stats;
        choose(world, name, has_size ? "part_size=3" : "rest=true", "kl");
        support_run(world, 60);
        for (int i = 0; i < 20; i++) {
            assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
            assert_int_equal(stats.allocations, 0);
        }
        cairn_world_destroy(world);
    }
}

static void every_allocation_of_a_step_may_fail(void **state) {
    (void)state;
    bool was_refused = true;
    uint64_t wanted = 0;
    for (int n = 0; was_refused || n < 2; n++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        CairnWorld *world = support_scene_world(SUPPORT_PILE, &allocator, 1);
        choose(world, "mix", "part_size=4,keep=0.5", "fm");
        memory.fail_only = n > 0 ? memory.calls + n : 0;
        for (int i = 0; i < 10; i++) {
            CairnStatus status = cairn_world_step(world, 1.0 / 60, NULL);
            if (!cairn_is_ok(status)) {
                assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
                assert_ok(cairn_world_step(world, 1.0 / 60, NULL));
            }
        }
        was_refused = memory.refused > 0;
        wanted = n == 0 ? cairn_world_state_hash(world) : wanted;
        assert_true(cairn_world_state_hash(world) == wanted);
        cairn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_tell_of_the_parts),
        cmocka_unit_test(solvers_without_parts_get_one),
        cmocka_unit_test(parts_tell_their_time),
        cmocka_unit_test(threads_and_runs_make_the_same_parts),
        cmocka_unit_test(snapshots_hold_the_parts),
        cmocka_unit_test(refusals_change_nothing),
        cmocka_unit_test(a_settled_step_with_parts_allocates_nothing),
        cmocka_unit_test(every_allocation_of_a_step_may_fail),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
