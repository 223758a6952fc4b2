// Broad phase against brute force, whatever the history.
#include "collision/collision.h"
#include "tests/support/support.h"
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 700 }; // above the number from which threads share the work

typedef struct Scene {
    CairnAabb boxes[LARGEST];
    uint8_t kinds[LARGEST];
    int owners[LARGEST];
    int count;
} Scene;

static CairnAabb around(CairnVec3 c, CairnVec3 h) {
    return (CairnAabb){cairn_sub(c, h), cairn_add(c, h)};
}

static CairnAabb everywhere(void) {
    return (CairnAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

static bool meet(const CairnAabb *a, const CairnAabb *b) {
    return !(a->high.x < b->low.x || b->high.x < a->low.x || a->high.y < b->low.y || b->high.y < a->low.y ||
             a->high.z < b->low.z || b->high.z < a->low.z);
}

// Every pair, in the order (a, b), as the interface words it.
static void check(const Scene *s, const CairnPair *pairs, int pair_count) {
    int k = 0;
    for (int a = 0; a < s->count; ++a) {
        for (int b = a + 1; b < s->count; ++b) {
            bool is_there = s->kinds[a] != CAIRN_BOX_ABSENT && s->kinds[b] != CAIRN_BOX_ABSENT;
            bool has_moving = s->kinds[a] == CAIRN_BOX_MOVING || s->kinds[b] == CAIRN_BOX_MOVING;
            if (is_there && has_moving && s->owners[a] != s->owners[b] && meet(&s->boxes[a], &s->boxes[b])) {
                assert_true(k < pair_count);
                assert_int_equal(pairs[k].a, a);
                assert_int_equal(pairs[k].b, b);
                ++k;
            }
        }
    }
    assert_int_equal(k, pair_count);
}

static int run_with(CairnBroad *broad, CairnArena *arena, const Scene *s, int threads) {
    CairnPair *pairs = NULL;
    int pair_count = -1, tests = -1;
    assert_ok(
        cairn_broad_pairs(broad, s->boxes, s->kinds, s->owners, s->count, threads, arena, &pairs, &pair_count, &tests));
    check(s, pairs, pair_count);
    cairn_arena_reset(arena);
    return tests;
}

static int run(CairnBroad *broad, CairnArena *arena, const Scene *s) {
    return run_with(broad, arena, s, 1);
}

// One of several kinds of small world: spread out, on a grid (touching, equal keys), nested, huge among tiny, far from
// the origin.
static CairnAabb random_box(uint64_t *random, int style) {
    CairnVec3 c = support_vec3(random, -3, 3), h = support_vec3(random, 0.01, 0.8);
    if (style == 1) {
        c = (CairnVec3){support_int(random, -3, 3), support_int(random, -3, 3), support_int(random, -1, 1)};
        h = (CairnVec3){0.5, 0.5, support_int(random, 0, 1)};
    } else if (style == 2) {
        c = support_vec3(random, -0.01, 0.01);
    } else if (style == 3 && support_int(random, 0, 9) == 0) {
        h = cairn_scale(1e5, h);
    } else if (style == 4) {
        c = cairn_add(c, (CairnVec3){1e6, -1e6, 1e6});
    } else if (style == 5) {
        c = (CairnVec3){c.x, c.y * 1e-3, 100 * c.z}; // one long axis
    } else if (style == 6) { // every size from grains to hills, about as many of each: many levels
        h = cairn_scale(exp(support_uniform(random, -12, 8)), (CairnVec3){1, 1, 1});
        c = cairn_scale(2, c);
    } else if (style == 7) { // columns that wrap: two heaps, far apart
        c = support_int(random, 0, 1) == 0 ? c : cairn_add(c, (CairnVec3){0, 1e5, -3e4});
        h = cairn_scale(0.3, h);
    }
    return around(c, h);
}

static void fill_slot(Scene *s, int i, uint64_t *random, int style) {
    s->boxes[i] = support_int(random, 0, 29) == 0 ? everywhere() : random_box(random, style);
    int draw = support_int(random, 0, 9);
    s->kinds[i] = (uint8_t)(draw == 0   ? CAIRN_BOX_ABSENT
                            : draw < 4  ? CAIRN_BOX_FIXED
                            : draw == 4 ? CAIRN_BOX_DRIVEN
                                        : CAIRN_BOX_MOVING);
    s->owners[i] = support_int(random, 0, 4) == 0 ? support_int(random, 0, 3) : 10 + i;
}

// A broad phase with its arena.
typedef struct Phase {
    CairnAllocator allocator;
    CairnBroad broad;
    CairnArena arena;
} Phase;

static void open_phase(Phase *phase) {
    phase->allocator = (CairnAllocator){0};
    cairn_broad_init(&phase->broad, &phase->allocator);
    cairn_arena_init(&phase->arena, &phase->allocator);
}

static void close_phase(Phase *phase) {
    cairn_arena_free(&phase->arena);
    cairn_broad_free(&phase->broad);
}

static void small_worlds_match_brute_force(void **state) {
    (void)state;
    uint64_t random = 21;
    Phase phase; // one state for all: whatever it remembers must not show
    open_phase(&phase);
    static Scene s;
    for (int k = 0; k < 10000; ++k) {
        int style = support_int(&random, 0, 7);
        s.count = support_int(&random, 0, 40);
        for (int i = 0; i < s.count; ++i) {
            fill_slot(&s, i, &random, style);
        }
        run(&phase.broad, &phase.arena, &s);
    }
    close_phase(&phase);
}

static void changing_worlds_match_brute_force(void **state) {
    (void)state;
    uint64_t random = 22;
    for (int world = 0; world < 64; ++world) {
        Phase phase;
        open_phase(&phase);
        static Scene s;
        int style = world % 8;
        s.count = support_int(&random, 1, 100);
        for (int i = 0; i < s.count; ++i) {
            fill_slot(&s, i, &random, style);
        }
        for (int frame = 0; frame < 60; ++frame) {
            double stride = frame % 20 == 19 ? 5 : 0.05; // mostly coherent, now and then not
            for (int i = 0; i < s.count; ++i) {
                if (s.kinds[i] == CAIRN_BOX_MOVING || s.kinds[i] == CAIRN_BOX_DRIVEN) {
                    CairnVec3 d = support_vec3(&random, -stride, stride);
                    s.boxes[i] = (CairnAabb){cairn_add(s.boxes[i].low, d), cairn_add(s.boxes[i].high, d)};
                }
            }
            if (support_int(&random, 0, 2) == 0) { // insert, remove, change kind, shrink or grow
                fill_slot(&s, support_int(&random, 0, s.count - 1), &random, style);
                int added = support_int(&random, -3, frame % 10 == 0 ? 50 : 3);
                for (int i = 0; i < added && s.count < LARGEST; ++i) {
                    fill_slot(&s, s.count++, &random, style);
                }
                s.count = added < 0 && s.count > 4 ? s.count + added : s.count;
            }
            run(&phase.broad, &phase.arena, &s);
        }
        close_phase(&phase);
    }
}

static void touching_counts_and_a_hair_does_not(void **state) {
    (void)state;
    Phase phase;
    open_phase(&phase);
    for (int axis = 0; axis < 3; ++axis) {
        for (int hair = 0; hair < 2; ++hair) {
            Scene s = {.count = 2, .kinds = {CAIRN_BOX_MOVING, CAIRN_BOX_FIXED}, .owners = {0, 1}};
            double d = hair ? nextafter(1.0, 2.0) : 1.0;
            s.boxes[0] = (CairnAabb){{0, 0, 0}, {1, 1, 1}};
            s.boxes[1] = (CairnAabb){{axis == 0 ? d : 0.2, axis == 1 ? d : 0.2, axis == 2 ? d : 0.2}, {3, 3, 3}};
            CairnPair *pairs;
            int pair_count, tests;
            assert_ok(cairn_broad_pairs(&phase.broad, s.boxes, s.kinds, s.owners, 2, 1, &phase.arena, &pairs,
                                        &pair_count, &tests));
            assert_int_equal(pair_count, 1 - hair);
        }
    }
    close_phase(&phase);
}

static void fixed_boxes_cost_no_tests(void **state) {
    (void)state;
    uint64_t random = 23;
    Phase phase;
    open_phase(&phase);
    static Scene s;
    s.count = LARGEST;
    for (int i = 0; i < s.count; ++i) {
        fill_slot(&s, i, &random, 2); // all in one heap
        s.kinds[i] = CAIRN_BOX_FIXED;
        s.owners[i] = i;
    }
    s.boxes[0] = everywhere();
    assert_int_equal(run(&phase.broad, &phase.arena, &s), 0);
    s.kinds[1] = CAIRN_BOX_MOVING;
    assert_in_range(run(&phase.broad, &phase.arena, &s), 1, 4 * LARGEST); // once in each column that it reaches
    close_phase(&phase);
}

static void drift(Scene *s, uint64_t *random, double stride) {
    for (int i = 0; i < s->count; ++i) {
        if (s->kinds[i] == CAIRN_BOX_MOVING || s->kinds[i] == CAIRN_BOX_DRIVEN) {
            CairnVec3 d = support_vec3(random, -stride, stride);
            s->boxes[i] = (CairnAabb){cairn_add(s->boxes[i].low, d), cairn_add(s->boxes[i].high, d)};
        }
    }
}

// Boxes that hardly move share the pairs of the calls before: what a call then tests is those, and the few that were
// put elsewhere, came, went or changed their kind against all. Boxes of 0.02 to 1.6 m grow by 1/32 of that.
static void kept_pairs_match_brute_force(void **state) {
    (void)state;
    uint64_t random = 29;
    static Scene s;
    const int frames = support_rounds(80, 20);
    for (int style = 0; style < 8; ++style) {
        Phase phase;
        open_phase(&phase);
        s.count = LARGEST - 50;
        for (int i = 0; i < s.count; ++i) {
            fill_slot(&s, i, &random, style);
        }
        run_with(&phase.broad, &phase.arena, &s, 1 + style % 3);
        for (int frame = 0; frame < frames; ++frame) {
            drift(&s, &random, 2e-5);
            for (int k = support_int(&random, 0, 2); k > 0; --k) {
                fill_slot(&s, support_int(&random, 0, s.count - 1), &random, style);
            }
            if (frame % 8 == 3 && s.count < LARGEST) {
                fill_slot(&s, s.count++, &random, style);
            }
            if (frame == frames / 4 * 3) {
                drift(&s, &random, 0.4);
            }
            run_with(&phase.broad, &phase.arena, &s, 1 + frame % 3);
        }
        close_phase(&phase);
    }
}

static int tests_after(CairnBroad *broad, CairnArena *arena, Scene *s, uint64_t *random, int calls) {
    int tests = 0;
    for (int k = 0; k < calls; ++k) {
        drift(s, random, 1e-4);
        tests = run(broad, arena, s);
    }
    return tests;
}

static void coherence_saves_tests(void **state) {
    (void)state;
    uint64_t random = 30;
    Phase phase;
    open_phase(&phase);
    static Scene s;
    s.count = LARGEST;
    for (int i = 0; i < s.count; ++i) {           // a lattice in which neighbours overlap: six pairs a box within
        CairnVec3 c = {i % 9, i / 9 % 9, i / 81}; // NOLINT(bugprone-integer-division): layers
        s.boxes[i] = around(c, (CairnVec3){0.505, 0.505, 0.505});
        s.kinds[i] = CAIRN_BOX_MOVING;
        s.owners[i] = i;
    }
    int first = run(&phase.broad, &phase.arena, &s), settled = tests_after(&phase.broad, &phase.arena, &s, &random, 6);
    assert_true(settled < first / 2);
    assert_true(settled < 14 * LARGEST); // its neighbours by face, edge and corner, each pair once
    s.boxes[3] = around((CairnVec3){4, 4, 4}, (CairnVec3){0.5, 0.5, 0.5});
    int strayed = run(&phase.broad, &phase.arena, &s); // against itself and those around it, and not against all
    assert_true(strayed > settled && strayed <= settled + 28);
    assert_int_equal(run(&phase.broad, &phase.arena, &s), strayed);
    drift(&s, &random, 0.3); // all of them
    assert_true(run(&phase.broad, &phase.arena, &s) > settled);
    tests_after(&phase.broad, &phase.arena, &s, &random, 2);
    assert_true(tests_after(&phase.broad, &phase.arena, &s, &random, 4) < first);
    close_phase(&phase);
}

// Many boxes of a crowded cube, in a lattice whose layers are a little uneven.
static void fill_cube(CairnAabb *boxes, uint8_t *kinds, int *owners, int side, uint64_t *random) {
    for (int i = 0; i < side * side * side; ++i) {
        CairnVec3 c = {i % side, i / side % side, i / (side * side)}, h = {0.505, 0.505, 0.505};
        boxes[i] = around(cairn_add(c, support_vec3(random, -0.004, 0.004)), h);
        kinds[i] = i % 7 == 0 ? CAIRN_BOX_FIXED : CAIRN_BOX_MOVING;
        owners[i] = i;
    }
}

// Tests a box do not grow with the number of boxes; pairs are the same on any number of threads, sorted, and as many as
// a box's neighbours in the lattice say.
static void crowds_are_linear_on_any_number_of_threads(void **state) {
    (void)state;
    enum { SIDE = 28, COUNT = SIDE * SIDE * SIDE };
    uint64_t random = 27;
    CairnAllocator allocator = {0};
    CairnAabb *boxes = malloc(COUNT * sizeof *boxes);
    uint8_t *kinds = malloc(COUNT);
    int *owners = malloc(COUNT * sizeof *owners);
    assert_true(boxes != NULL && kinds != NULL && owners != NULL);
    double tests_each[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        int side = k == 0 ? SIDE / 2 : SIDE, count = side * side * side, tests = 0;
        CairnPair *first = NULL, *pairs = NULL;
        int first_count = 0, pair_count = 0;
        CairnArena arenas[2];
        cairn_arena_init(&arenas[0], &allocator);
        cairn_arena_init(&arenas[1], &allocator);
        fill_cube(boxes, kinds, owners, side, &random);
        for (int threads = 1; threads <= 4; ++threads) {
            CairnBroad broad;
            cairn_broad_init(&broad, &allocator);
            CairnArena *arena = &arenas[threads > 1];
            cairn_arena_reset(arena);
            int found = 0; // of the calls after the first, some keep their pairs
            for (int call = 0; call < 3; ++call) {
                assert_ok(cairn_broad_pairs(&broad, boxes, kinds, owners, count, threads, arena, &pairs, &pair_count,
                                            &tests));
                found = tests > found ? tests : found;
            }
            tests = found;
            first = threads == 1 ? pairs : first;
            first_count = threads == 1 ? pair_count : first_count;
            assert_int_equal(pair_count, first_count);
            assert_memory_equal(pairs, first, (size_t)pair_count * sizeof *pairs);
            cairn_broad_free(&broad);
        }
        for (int p = 1; p < first_count; ++p) {
            assert_true(first[p - 1].a < first[p].a || (first[p - 1].a == first[p].a && first[p - 1].b < first[p].b));
        }
        tests_each[k] = (double)tests / count;
        cairn_arena_free(&arenas[0]);
        cairn_arena_free(&arenas[1]);
    }
    assert_true(tests_each[1] < 1.3 * tests_each[0]); // the smaller cube has more surface, and so fewer neighbours
    assert_true(tests_each[1] < 40);
    free(boxes);
    free(kinds);
    free(owners);
}

// Some boxes of a settled crowd leave their places, for others', for far away, for no bounds or none at all: kept pairs
// and theirs are those that a phase without a past finds.
static void strays_of_a_crowd_are_found_on_any_number_of_threads(void **state) {
    (void)state;
    enum { SIDE = 22, COUNT = SIDE * SIDE * SIDE, STRAYS = 40 };
    uint64_t random = 31;
    static Scene small; // kinds of box beside the crowd's own
    CairnAllocator allocator = {0};
    CairnAabb *boxes = malloc(COUNT * sizeof *boxes), *places = malloc(COUNT * sizeof *places);
    uint8_t *kinds = malloc(COUNT), *kinds_then = malloc(COUNT);
    int *owners = malloc(COUNT * sizeof *owners);
    assert_true(boxes != NULL && places != NULL && kinds != NULL && kinds_then != NULL && owners != NULL);
    for (int threads = 1; threads <= 4; ++threads) {
        CairnBroad broad, fresh;
        CairnArena arenas[2];
        CairnPair *pairs = NULL, *wanted = NULL;
        int pair_count = 0, wanted_count = 0, tests = 0, all_tests = 0, settled = 0;
        cairn_broad_init(&broad, &allocator);
        cairn_broad_init(&fresh, &allocator);
        cairn_arena_init(&arenas[0], &allocator);
        cairn_arena_init(&arenas[1], &allocator);
        fill_cube(boxes, kinds, owners, SIDE, &random);
        memcpy(places, boxes, COUNT * sizeof *boxes);
        memcpy(kinds_then, kinds, COUNT);
        for (int call = 0; call <= 12; ++call) {
            for (int k = 0; call >= 6 && k < STRAYS / 6; ++k) {
                int i = support_int(&random, 0, COUNT - 1);
                fill_slot(&small, 0, &random, k);
                boxes[i] = k % 3 == 0 ? boxes[support_int(&random, 0, COUNT - 1)] : small.boxes[0];
                kinds[i] = small.kinds[0];
            }
            if (call == 12) { // all back: the pairs that were kept serve again
                memcpy(boxes, places, COUNT * sizeof *boxes);
                memcpy(kinds, kinds_then, COUNT);
            }
            boxes[7] = call == 9 ? (CairnAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, 3}} : boxes[7];
            assert_ok(cairn_broad_pairs(&broad, boxes, kinds, owners, COUNT, threads, &arenas[0], &pairs, &pair_count,
                                        &tests));
            assert_ok(cairn_broad_pairs(&fresh, boxes, kinds, owners, COUNT, 1, &arenas[1], &wanted, &wanted_count,
                                        &all_tests));
            assert_int_equal(pair_count, wanted_count);
            assert_memory_equal(pairs, wanted, (size_t)pair_count * sizeof *pairs);
            settled = call == 5 ? tests : settled;
            cairn_broad_free(&fresh);
            cairn_arena_reset(&arenas[0]);
            cairn_arena_reset(&arenas[1]);
        }
        assert_int_equal(tests, settled);
        cairn_broad_free(&broad);
        cairn_arena_free(&arenas[0]);
        cairn_arena_free(&arenas[1]);
    }
    free(boxes);
    free(places);
    free(kinds);
    free(kinds_then);
    free(owners);
}

static void threads_match_brute_force(void **state) {
    (void)state;
    uint64_t random = 28;
    Phase phase;
    open_phase(&phase);
    static Scene s;
    for (int k = 0; k < 24; ++k) {
        s.count = LARGEST;
        for (int i = 0; i < s.count; ++i) {
            fill_slot(&s, i, &random, k % 8);
        }
        run_with(&phase.broad, &phase.arena, &s, 1 + k % 4);
    }
    close_phase(&phase);
}

// Floors and roofs among small boxes: one test of each with each box, and pairs as brute force finds them, while others
// of their size come and go.
static void a_few_large_boxes_have_no_columns(void **state) {
    (void)state;
    uint64_t random = 31;
    Phase phase;
    open_phase(&phase);
    static Scene s;
    s.count = LARGEST;
    for (int frame = 0; frame < 24; ++frame) {
        int large = frame % 12; // up to eight have no columns
        for (int i = 0; i < s.count; ++i) {
            CairnVec3 c = {3 * (i % 27), 3 * (i / 27), 0}; // NOLINT(bugprone-integer-division): rows
            bool is_large = i % 50 == 7 && i / 50 < large;
            s.boxes[i] = is_large ? around((CairnVec3){40, 40, i % 100 == 7 ? -1 : 3}, (CairnVec3){100, 100, 1})
                                  : around(cairn_add(c, support_vec3(&random, -0.5, 0.5)), (CairnVec3){0.5, 0.5, 0.5});
            s.kinds[i] = is_large && i % 150 == 7 ? CAIRN_BOX_FIXED : CAIRN_BOX_MOVING;
            s.owners[i] = i;
        }
        int tests = run_with(&phase.broad, &phase.arena, &s, 1 + frame % 3);
        assert_true(large > 8 || tests <= large * s.count + s.count);
    }
    close_phase(&phase);
}

// A row of boxes is swept along the row: tests grow with the number of neighbours, not with its square.
static void sweep_takes_the_long_axis(void **state) {
    (void)state;
    static Scene s;
    for (int axis = 0; axis < 3; ++axis) {
        Phase phase;
        open_phase(&phase);
        s.count = LARGEST;
        for (int i = 0; i < s.count; ++i) {
            double d = 0.9 * i;
            s.boxes[i] = around((CairnVec3){axis == 0 ? d : 0, axis == 1 ? d : 0, axis == 2 ? d : 0},
                                (CairnVec3){0.5, 0.5, 0.5});
            s.kinds[i] = CAIRN_BOX_MOVING;
            s.owners[i] = i;
        }
        assert_int_equal(run(&phase.broad, &phase.arena, &s), LARGEST - 1);
        close_phase(&phase);
    }
}

static void many_pairs_fill_many_blocks(void **state) {
    (void)state;
    uint64_t random = 24;
    Phase phase;
    open_phase(&phase);
    static Scene s;
    s.count = LARGEST;
    for (int i = 0; i < s.count; ++i) { // nearly all overlap: about 240,000 pairs
        s.boxes[i] = around(support_vec3(&random, -0.1, 0.1), support_vec3(&random, 0.1, 1));
        s.kinds[i] = CAIRN_BOX_MOVING;
        s.owners[i] = i;
    }
    run(&phase.broad, &phase.arena, &s);
    close_phase(&phase);
}

static void settled_steps_allocate_nothing(void **state) {
    (void)state;
    uint64_t random = 25;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnBroad broad;
    CairnArena arena;
    cairn_broad_init(&broad, &allocator);
    cairn_arena_init(&arena, &allocator);
    static Scene s;
    s.count = 300;
    for (int i = 0; i < s.count; ++i) {
        fill_slot(&s, i, &random, 0);
    }
    run(&broad, &arena, &s);
    run(&broad, &arena, &s);
    int calls = memory.calls;
    for (int k = 0; k < 10; ++k) {
        run(&broad, &arena, &s);
    }
    assert_int_equal(memory.calls, calls);
    cairn_arena_free(&arena);
    cairn_broad_free(&broad);
    assert_memory_clean(&memory);
}

static void a_failing_allocator_leaves_the_state_valid(void **state) {
    (void)state;
    uint64_t random = 26;
    static Scene s, grown;
    s.count = 60;
    grown.count = LARGEST;
    for (int i = 0; i < s.count; ++i) {
        fill_slot(&s, i, &random, 0);
    }
    for (int i = 0; i < grown.count; ++i) {
        fill_slot(&grown, i, &random, 2);
    }
    bool is_refused = true;
    for (int n = 1; is_refused; ++n) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        CairnBroad broad;
        CairnArena arena;
        cairn_broad_init(&broad, &allocator);
        cairn_arena_init(&arena, &allocator);
        run(&broad, &arena, &s);
        CairnPair *pairs;
        int pair_count, tests;
        memory.fail_from = memory.calls + n;
        CairnStatus status = cairn_broad_pairs(&broad, grown.boxes, grown.kinds, grown.owners, grown.count, 1, &arena,
                                               &pairs, &pair_count, &tests);
        is_refused = !cairn_is_ok(status);
        assert_true(is_refused || n > 2); // the order and the arena both had to grow
        if (is_refused) {
            assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            assert_true(strstr(status.message, "700 boxes") != NULL);
        }
        memory.fail_from = 0;
        cairn_arena_reset(&arena);
        run(&broad, &arena, &s);
        run(&broad, &arena, &grown);
        cairn_arena_free(&arena);
        cairn_broad_free(&broad);
        assert_memory_clean(&memory);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_match_brute_force),
        cmocka_unit_test(changing_worlds_match_brute_force),
        cmocka_unit_test(touching_counts_and_a_hair_does_not),
        cmocka_unit_test(fixed_boxes_cost_no_tests),
        cmocka_unit_test(kept_pairs_match_brute_force),
        cmocka_unit_test(coherence_saves_tests),
        cmocka_unit_test(crowds_are_linear_on_any_number_of_threads),
        cmocka_unit_test(strays_of_a_crowd_are_found_on_any_number_of_threads),
        cmocka_unit_test(threads_match_brute_force),
        cmocka_unit_test(a_few_large_boxes_have_no_columns),
        cmocka_unit_test(sweep_takes_the_long_axis),
        cmocka_unit_test(many_pairs_fill_many_blocks),
        cmocka_unit_test(settled_steps_allocate_nothing),
        cmocka_unit_test(a_failing_allocator_leaves_the_state_valid),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
