// Formulations: body space, KKT and constraint space against A + Theta, on random problems and on the graphs of scenes.
#include "tests/support/support_systems.h"

#include "engine/base/arena.h"
#include "solvers/system/formulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const CairnSystemKind *const kinds[] = {&cairn_system_body, &cairn_system_kkt, &cairn_system_constraint};
enum { KIND_COUNT = 3 };

typedef struct Door {
    CairnAllocator allocator;
    CairnArena arena;
    CairnSolverContext context;
    CairnSystem system; // with products and no factor
} Door;

static const CairnSystemKind without_factor = {.name = "none"};

static void door_open(Door *door, const CairnProblem *problem, int threads) {
    *door = (Door){0};
    cairn_arena_init(&door->arena, &door->allocator);
    door->context = (CairnSolverContext){.allocator = &door->allocator, .thread_count = threads, .arena = &door->arena};
    assert_ok(cairn_system_init(&door->system, problem, &(CairnSystemSetup){.kind = &without_factor}, &door->context));
}

static void multiply(const CairnOps *ops, const double *theta, const double *x, double *v, double *y) {
    const CairnProblem *problem = ops->problem;
    memset(v, 0, (size_t)problem->dof_count * sizeof *v);
    cairn_ops_add_impulse(problem, x, v);
    cairn_ops_solve(ops, v);
    cairn_ops_jacobian(problem, v, y);
    for (int i = 0; i < problem->row_count; i++) {
        y[i] += (problem->compliance[i] + theta[i]) * x[i];
    }
}

// y - (A + Theta) x on the rows in use; the largest.
static double leave(const Door *door, const double *theta, const double *y, const double *x, double *r) {
    int m = door->system.ops.problem->row_count;
    double *v = calloc((size_t)door->system.ops.problem->dof_count + 1, sizeof *v), largest = 0;
    assert_non_null(v);
    for (int i = 0; i < m; i++) {
        if (isinf(theta[i])) {
            assert_true(x[i] == 0);
        }
    }
    multiply(&door->system.ops, theta, x, v, r);
    for (int i = 0; i < m; i++) {
        r[i] = isinf(theta[i]) ? 0 : y[i] - r[i];
        largest = fabs(r[i]) <= largest ? largest : fabs(r[i]);
    }
    free(v);
    return largest;
}

typedef enum Weights { WEIGHTS_FREE, WEIGHTS_HALF, WEIGHTS_SPREAD, WEIGHTS_NONE, WEIGHTS_COUNT } Weights;

static void draw_weights(int m, Weights kind, uint64_t *seed, double *theta) {
    for (int i = 0; i < m; i++) {
        theta[i] = kind == WEIGHTS_SPREAD ? exp(support_uniform(seed, -25, 10)) : 0;
        if (kind == WEIGHTS_NONE || (kind == WEIGHTS_HALF && support_int(seed, 0, 1)) ||
            (kind == WEIGHTS_SPREAD && support_int(seed, 0, 5) == 0)) {
            theta[i] = (double)INFINITY;
        }
    }
}

// Solve with all kinds, refine, and hold the answers against each other and against y = (A + Theta) x.
static void check_system(const CairnProblem *problem, Weights weights, uint64_t *seed, double limit, int most) {
    int m = problem->row_count;
    double *memory = calloc(6 * (size_t)m + 6, sizeof *memory);
    assert_non_null(memory);
    double *theta = memory, *y = memory + m, *x = memory + 2 * m, *r = memory + 3 * m, *truth = memory + 4 * m;
    draw_weights(m, weights, seed, theta);
    for (int i = 0; i < m; i++) {
        truth[i] = isinf(theta[i]) ? 0 : support_uniform(seed, -1, 1);
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        Door door;
        void *state = NULL;
        door_open(&door, problem, 1);
        double *v = CAIRN_PUSH(&door.arena, double, problem->dof_count);
        double *share = CAIRN_PUSH(&door.arena, double, m);
        for (int i = 0; i < m; i++) {
            share[i] = isinf(theta[i]) ? 0 : theta[i];
        }
        multiply(&door.system.ops, share, truth, v, y);
        assert_ok(kinds[k]->prepare(&door.system, NULL, &state));
        assert_ok(kinds[k]->factor(state, theta, NULL));
        for (int i = 0; i < m; i++) {
            x[i] = isinf(theta[i]) ? (double)NAN : y[i]; // whatever stands there
            y[i] = isinf(theta[i]) ? 0 : y[i];
        }
        double size = 0;
        for (int i = 0; i < m; i++) {
            size = fmax(size, fabs(y[i]));
        }
        kinds[k]->solve(state, x);
        double left = leave(&door, theta, y, x, r);
        for (int i = 0; i < most && left > limit * size; i++) {
            kinds[k]->solve(state, r);
            for (int j = 0; j < m; j++) {
                x[j] += r[j];
            }
            left = leave(&door, theta, y, x, r);
        }
        if (!(left <= limit * size)) {
            print_error("formulation %s, %d rows, weights %d\n", kinds[k]->name, m, (int)weights);
        }
        assert_below(left, limit * size);
        cairn_arena_free(&door.arena);
    }
    free(memory);
}

static void random_systems(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 120; round++) {
        SupportSystem s;
        int blocks = support_int(&seed, 1, 15);
        support_system_random(&s, blocks, support_int(&seed, 0, 3 * blocks), support_random(&seed));
        assert_ok(cairn_problem_check(&s.problem));
        check_system(&s.problem, (Weights)(round % WEIGHTS_COUNT), &seed, 1e-13, 6);
        support_system_free(&s);
    }
}

// Scenes: C = 1e-10 under rows of size 1 and many redundant ones: condition 1e11 to 1e13 and yet, refined, as good as
// rounding.
static void systems_of_scenes(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int weights = 0; weights < WEIGHTS_COUNT; weights++) {
        SupportSystem s;
        support_system_pile(&s, 60, 1);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_tower(&s, 8, 4, 2);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_chain(&s, 120, 5, 0, 3);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_chain(&s, 50, 4, 6, 4);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_star(&s, 60, 3, 5);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
    }
}

// C = 1e-12 under redundant rows of size 1 to 30: condition 1e13.
static void stiffest_systems(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int weights = 0; weights < WEIGHTS_COUNT; weights++) {
        SupportSystem s;
        support_system_pile(&s, 60, 1);
        for (int i = 0; i < s.problem.row_count; i++) {
            s.compliance[i] = 1e-12;
        }
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 12);
        support_system_free(&s);
    }
}

// Against a dense L D L^T of A + Theta on the rows in use.
static void agrees_with_dense(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 12; round++) {
        SupportSystem s;
        support_system_random(&s, 8, 14, support_random(&seed));
        int m = s.problem.row_count;
        double *a = calloc((size_t)m * (size_t)m + 1, sizeof *a), *theta = calloc((size_t)m + 1, sizeof *theta);
        double *x = calloc((size_t)m + 1, sizeof *x), *y = calloc((size_t)m + 1, sizeof *y);
        double *unit = calloc((size_t)m + 1, sizeof *unit), *v = calloc((size_t)s.problem.dof_count + 1, sizeof *v);
        assert_true(a && theta && x && y && unit && v);
        for (int k = 0; k < KIND_COUNT; k++) {
            Door door;
            door_open(&door, &s.problem, 1);
            for (int i = 0; i < m; i++) { // C at least 1e-2: the answers agree to rounding without refinement
                s.compliance[i] = fmax(s.compliance[i], 1e-2);
                theta[i] = support_int(&seed, 0, 3) == 0 ? (double)INFINITY : support_uniform(&seed, 0, 1);
                x[i] = support_uniform(&seed, -1, 1);
                y[i] = isinf(theta[i]) ? 0 : x[i];
            }
            for (int j = 0; j < m; j++) {
                memset(unit, 0, (size_t)m * sizeof *unit);
                unit[j] = 1;
                memset(v, 0, (size_t)s.problem.dof_count * sizeof *v);
                cairn_ops_add_impulse(&s.problem, unit, v);
                cairn_ops_solve(&door.system.ops, v);
                cairn_ops_jacobian(&s.problem, v, unit);
                for (int i = 0; i < m; i++) {
                    bool is_out = isinf(theta[i]) || isinf(theta[j]);
                    a[i * m + j] = is_out ? (i == j ? 1 : 0) : unit[i];
                    a[i * m + j] += i == j && !is_out ? s.compliance[i] + theta[i] : 0;
                }
            }
            assert_true(support_solve_symmetric(m, a, y));
            void *solver = NULL;
            assert_ok(kinds[k]->prepare(&door.system, NULL, &solver));
            assert_ok(kinds[k]->factor(solver, theta, NULL));
            kinds[k]->solve(solver, x);
            for (int i = 0; i < m; i++) {
                assert_near(x[i], y[i], 1e-10 * (1 + fabs(y[i])));
            }
            cairn_arena_free(&door.arena);
        }
        free(a);
        free(theta);
        free(x);
        free(y);
        free(unit);
        free(v);
        support_system_free(&s);
    }
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    SupportSystem s[3];
    support_system_pile(&s[0], 600, 1); // long enough for threads to be woken
    support_system_tower(&s[1], 20, 4, 2);
    support_system_chain(&s[2], 900, 5, 3, 3);
    for (int i = 0; i < 3; i++) {
        int m = s[i].problem.row_count;
        double *x[4], *theta = calloc((size_t)m + 1, sizeof *theta);
        assert_non_null(theta);
        uint64_t seed = 10;
        draw_weights(m, WEIGHTS_SPREAD, &seed, theta);
        for (int k = 0; k < KIND_COUNT; k++) {
            for (int threads = 1; threads <= 4; threads++) {
                Door door;
                void *solver = NULL;
                door_open(&door, &s[i].problem, threads);
                x[threads - 1] = calloc((size_t)m + 1, sizeof **x);
                assert_non_null(x[threads - 1]);
                for (int j = 0; j < m; j++) {
                    x[threads - 1][j] = sin(j);
                }
                assert_ok(kinds[k]->prepare(&door.system, NULL, &solver));
                assert_true(i > 0 || kinds[k]->operations(solver) > 1e7);
                assert_ok(kinds[k]->factor(solver, theta, NULL));
                kinds[k]->solve(solver, x[threads - 1]);
                assert_memory_equal(x[0], x[threads - 1], (size_t)m * sizeof **x);
                cairn_arena_free(&door.arena);
            }
            for (int threads = 0; threads < 4; threads++) {
                free(x[threads]);
            }
        }
        free(theta);
        support_system_free(&s[i]);
    }
}

// A kept plan serves the same graph, is made anew for another, and changes no bit.
static void plans_are_kept(void **state) {
    (void)state;
    SupportSystem s[2];
    support_system_pile(&s[0], 40, 1);
    support_system_pile(&s[1], 40, 2);
    for (int k = 0; k < KIND_COUNT; k++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        void *kept = NULL;
        for (int round = 0; round < 5; round++) {
            const CairnProblem *problem = &s[round == 3].problem;
            int m = problem->row_count;
            double *x[2], *theta = calloc((size_t)m + 1, sizeof *theta);
            assert_non_null(theta);
            for (int way = 0; way < 2; way++) {
                Door door;
                void *solver = NULL;
                door_open(&door, problem, 1);
                door.context.allocator = &allocator;
                x[way] = calloc((size_t)m + 1, sizeof **x);
                assert_non_null(x[way]);
                for (int j = 0; j < m; j++) {
                    x[way][j] = cos(j);
                }
                int calls = memory.calls;
                assert_ok(kinds[k]->prepare(&door.system, way == 0 ? &kept : NULL, &solver));
                assert_true(round < 1 || round > 2 || memory.calls == calls); // nothing new to keep
                assert_ok(kinds[k]->factor(solver, theta, NULL));
                kinds[k]->solve(solver, x[way]);
                cairn_arena_free(&door.arena);
            }
            assert_memory_equal(x[0], x[1], (size_t)m * sizeof **x);
            free(x[0]);
            free(x[1]);
            free(theta);
        }
        kinds[k]->forget(kept, &allocator);
        assert_memory_clean(&memory);
    }
    support_system_free(&s[0]);
    support_system_free(&s[1]);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    SupportSystem s;
    support_system_tower(&s, 10, 3, 1);
    double *theta = calloc((size_t)s.problem.row_count + 1, sizeof *theta);
    assert_non_null(theta);
    for (int k = 0; k < KIND_COUNT; k++) {
        bool has_succeeded = false;
        for (int fail = 1; fail < 60 && !has_succeeded; fail++) {
            SupportMemory memory = {.fail_from = fail};
            CairnAllocator allocator = support_allocator(&memory);
            CairnArena arena;
            cairn_arena_init(&arena, &allocator);
            CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena};
            CairnSystem system;
            CairnSystemSetup setup = {.kind = &without_factor};
            void *kept = NULL, *solver = NULL;
            CairnStatus status = cairn_system_init(&system, &s.problem, &setup, &context);
            if (cairn_is_ok(status)) {
                status = kinds[k]->prepare(&system, &kept, &solver);
            }
            has_succeeded = cairn_is_ok(status);
            if (has_succeeded) {
                assert_ok(kinds[k]->factor(solver, theta, NULL));
            } else {
                assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            }
            if (kept != NULL) {
                kinds[k]->forget(kept, &allocator);
            }
            cairn_arena_free(&arena);
            assert_memory_clean(&memory);
        }
        assert_true(has_succeeded);
    }
    free(theta);
    support_system_free(&s);
}

// The same rows twice without compliance: no formulation may call that factored; with compliance all do.
static void redundant_rows_are_told(void **state) {
    (void)state;
    SupportSystem s;
    support_system_chain(&s, 20, 5, 3, 1);
    int first = s.constraints[2].first_row, second = s.constraints[4].first_row;
    s.terms[s.constraints[4].first_term] = s.terms[s.constraints[2].first_term];
    s.terms[s.constraints[4].first_term + 1] = s.terms[s.constraints[2].first_term + 1];
    assert_true(second > first);
    double theta[160] = {0};
    for (int k = 0; k < KIND_COUNT; k++) {
        for (int round = 0; round < 2; round++) {
            Door door;
            void *solver = NULL;
            for (int i = 0; i < s.problem.row_count; i++) {
                s.compliance[i] = round == 0 ? 0 : 1e-6;
            }
            door_open(&door, &s.problem, 1);
            assert_ok(kinds[k]->prepare(&door.system, NULL, &solver));
            if (round == 0) {
                assert_refused(kinds[k]->factor(solver, theta, NULL), CAIRN_NUMERIC, "formulation");
            } else {
                assert_ok(kinds[k]->factor(solver, theta, NULL));
            }
            cairn_arena_free(&door.arena);
        }
    }
    support_system_free(&s);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(systems_of_scenes),
        cmocka_unit_test(stiffest_systems),
        cmocka_unit_test(agrees_with_dense),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(plans_are_kept),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(redundant_rows_are_told),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
