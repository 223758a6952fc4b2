#include "tests/support/exact_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "partition/mindp.h"
#include "solvers/exact/ipm.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/sweeps/pgs.h"
#include "tests/support/support_parts.h"

enum { ROWS = 6000 };

static void count_trace(void *user, CairnTraceEntry entry) {
    assert_true(entry.iteration > 0 && entry.residual >= 0);
    ((ExactRun *)user)->traced++;
}

static void count_warning(void *user, CairnLogLevel level, const char *message) {
    assert_non_null(message);
    ((ExactRun *)user)->warned += level == CAIRN_LOG_WARNING;
}

static CairnStatus solve_with(const CairnSolver *solver, const void *options, const CairnProblem *problem, int threads,
                              void **memory, const CairnAllocator *allocator, double *lambda, ExactRun *run) {
    CairnAllocator plain = cairn_memory_default();
    CairnArena beside;
    CairnParts parts = {0};
    cairn_arena_init(&beside, &plain);
    if (solver->traits & CAIRN_NEEDS_PARTITION) {
        // Small parts, so that small problems have an interface too. An invalid problem may have no partition: the
        // solver must report it.
        (void)support_parts(problem, &cairn_partitioner_mindp, "part_size=4", NULL, &beside, &parts);
    }
    CairnArena arena;
    CairnLogger logger = {.write = count_warning, .user = run, .level = CAIRN_LOG_WARNING};
    cairn_arena_init(&arena, allocator);
    CairnSolverContext context = {.allocator = allocator,
                                  .logger = &logger,
                                  .thread_count = threads,
                                  .arena = &arena,
                                  .trace = count_trace,
                                  .trace_user = run,
                                  .memory = memory};
    CairnStatus status = solver->solve(problem, &parts, options, &context, lambda, &run->report);
    cairn_arena_free(&arena);
    cairn_arena_free(&beside);
    return status;
}

typedef union Options {
    double align;
    char bytes[256];
} Options;

static void take_options(const CairnSolver *solver, const char *text, Options *options) {
    assert_true(solver->options->size <= sizeof *options);
    cairn_fields_preset(solver->options, options);
    if (text != NULL) {
        assert_ok(cairn_fields_parse(solver->options, options, text));
    }
}

ExactRun exact_run_parts(const CairnSolver *solver, const char *options, const CairnProblem *problem,
                         const CairnParts *parts, int threads, double *lambda) {
    Options chosen;
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    ExactRun run = {0};
    cairn_arena_init(&arena, &plain);
    take_options(solver, options, &chosen);
    CairnSolverContext context = {
        .allocator = &plain, .thread_count = threads, .arena = &arena, .trace = count_trace, .trace_user = &run};
    run.status = solver->solve(problem, parts, &chosen, &context, lambda, &run.report);
    cairn_arena_free(&arena);
    if (cairn_is_ok(run.status) && problem->coupling_count == 0) { // the referee takes no off-diagonal P
        assert_ok(cairn_residual(problem, lambda, NULL, &run.residual));
    }
    return run;
}

ExactRun exact_run(const CairnSolver *solver, const char *options, const CairnProblem *problem, int threads,
                   void **memory, double *lambda) {
    Options chosen;
    CairnAllocator plain = cairn_memory_default();
    ExactRun run = {0};
    take_options(solver, options, &chosen);
    run.status = solve_with(solver, &chosen, problem, threads, memory, &plain, lambda, &run);
    if (cairn_is_ok(run.status)) {
        assert_ok(cairn_residual(problem, lambda, NULL, &run.residual));
    }
    return run;
}

ExactRun exact_certify(const CairnSolver *solver, const char *options, const CairnProblem *problem, double *lambda) {
    ExactRun run = exact_run(solver, options, problem, 1, NULL, lambda);
    assert_ok(run.status);
    if (run.report.outcome != CAIRN_OUTCOME_CONVERGED || !run.residual.is_certified) {
        fail_msg("%s %s: %d rows, %s after %d iterations, scaled %g, limit %g, row %d", solver->name,
                 options ? options : "", problem->row_count, cairn_outcome_name(run.report.outcome),
                 run.report.iterations, run.residual.scaled, run.residual.limit, run.residual.worst_row);
    }
    assert_below(run.report.claimed, run.residual.limit);
    return run;
}

static void find_slack(const CairnProblem *problem, const double *lambda, double *w) {
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    CairnOps ops;
    cairn_arena_init(&arena, &plain);
    assert_ok(cairn_ops_init(&ops, problem, &arena));
    double *v = CAIRN_PUSH(&arena, double, problem->dof_count + 1);
    assert_non_null(v);
    cairn_ops_slack(&ops, lambda, v, w);
    cairn_arena_free(&arena);
}

double exact_distance(const CairnProblem *problem, const double *a, const double *b) {
    static double zero[ROWS], w0[ROWS], wa[ROWS], wb[ROWS];
    double scale = 0, largest = 0;
    assert_true(problem->row_count <= ROWS);
    find_slack(problem, zero, w0);
    find_slack(problem, a, wa);
    find_slack(problem, b, wb);
    for (int i = 0; i < problem->row_count; i++) {
        scale = fmax(scale, fabs(w0[i]));
        largest = fmax(largest, fabs(wa[i] - wb[i]));
    }
    return largest / (1e-8 * scale + 1e-12);
}

double exact_objective(const CairnProblem *problem, const double *lambda) {
    static double zero[ROWS], b[ROWS], w[ROWS];
    double sum = 0;
    assert_true(problem->row_count <= ROWS);
    find_slack(problem, zero, b);
    find_slack(problem, lambda, w);
    for (int i = 0; i < problem->row_count; i++) {
        sum += 0.5 * lambda[i] * (w[i] + b[i]);
    }
    return sum;
}

// ---- answers known beforehand ----

void exact_check_enumerated(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    uint64_t seed = 11;
    for (int draw = 0; draw < 302; draw++) {
        TestProblem t, form_2;
        int n = draw < 300 ? support_int(&seed, 1, 7) : 10;
        double A[100], b[10], answer[10], lambda[10] = {0}, again[10] = {0};
        test_problem_random(&t, &seed, n);
        for (int i = 0; i < n && draw % 3 == 1; i++) {
            t.compliance[i] = 1e-6; // more rows than dofs at times, which disagree: impulses of 1e6 and their rounding
        }
        test_problem_dense(&t.problem, A, b);
        bool has_answer = test_enumerate(n, A, b, t.lower, t.upper, answer);
        assert_true(has_answer || draw % 3 == 1);
        exact_certify(solver, NULL, &t.problem, lambda);
        if (solver->traits & CAIRN_TAKES_EXPLICIT) {
            test_problem_make_explicit(&t, &form_2);
            exact_certify(solver, NULL, &form_2.problem, again);
            assert_below(exact_distance(&t.problem, lambda, again), 1);
        }
        for (int i = 0; i < n; i++) {
            assert_true(lambda[i] >= t.lower[i] - 1e-9 && lambda[i] <= t.upper[i] + 1e-9);
            if (draw % 3 != 1) {
                assert_near(lambda[i], answer[i], 1e-9); // C >= 0.1
            }
        }
        if (has_answer && draw % 3 != 1) {
            assert_below(exact_distance(&t.problem, lambda, answer), 1);
        }
    }
}

void exact_check_chosen(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    static const double compliance[] = {1e-2, 1e-9, 0}, rows_per_dof[] = {0.5, 1.5};
    uint64_t seed = 12;
    for (int draw = 0; draw < 60; draw++) {
        TestPile pile;
        double lambda[200], w[200], found[200] = {0}, w_found[200], scale = 0;
        int rows = draw < 54 ? support_int(&seed, 10, 80) : 200;
        test_pile_chosen(&pile, &seed, rows, rows_per_dof[draw % 2], compliance[draw % 3], lambda, w);
        ExactRun run = exact_certify(solver, NULL, &pile.problem, found);
        find_slack(&pile.problem, found, w_found);
        scale = 1e8 * run.residual.limit;
        for (int i = 0; i < rows; i++) {
            assert_near(w_found[i], w[i], 1e-8 * scale);
        }
        test_pile_free(&pile);
    }
}

// ---- piles ----

void exact_check_heaps(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    static const double softer[] = {1e4, 1e2, 1};
    for (int k = 0; k < 3; k++) {
        TestPile pile;
        uint64_t seed = 20 + (uint64_t)k;
        test_pile_heap(&pile, &seed, subject->bodies, softer[k] * subject->stiffest, CAIRN_FRICTION_BOX);
        double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
        double *other = calloc((size_t)pile.problem.row_count, sizeof *other);
        assert_true(lambda != NULL && other != NULL);
        assert_true(pile.problem.row_count > 2 * pile.problem.dof_count); // hyperstatic
        ExactRun run = exact_certify(solver, NULL, &pile.problem, lambda);
        assert_true(run.report.factorizations <= subject->factorizations);
        assert_true(run.report.phases.prepare > 0 && run.report.phases.factor > 0);
        exact_certify(&cairn_solver_ipm, NULL, &pile.problem, other);
        assert_below(exact_distance(&pile.problem, lambda, other), 1);
        free(lambda);
        free(other);
        test_pile_free(&pile);
    }
}

// Copies the problem with its constraints in a random order; origin[row] is the row's number in `from`.
static void shuffle(const TestPile *from, TestPile *to, uint64_t *seed, int *origin) {
    const CairnProblem *problem = &from->problem;
    int count = problem->constraint_count, row = 0;
    test_pile_begin(to, problem->block_count, count, problem->term_count, problem->row_count);
    int *order = malloc((size_t)count * sizeof *order), *rank = malloc((size_t)count * sizeof *rank);
    assert_non_null(order);
    assert_non_null(rank);
    for (int c = 0; c < count; c++) {
        int k = support_int(seed, 0, c);
        order[c] = order[k];
        order[k] = c;
    }
    to->problem.block_count = problem->block_count;
    to->problem.dof_count = problem->dof_count;
    to->problem.constraint_count = count;
    to->problem.term_count = problem->term_count;
    to->problem.row_count = problem->row_count;
    to->problem.friction_count = problem->friction_count;
    memcpy(to->blocks, from->blocks, (size_t)problem->block_count * sizeof *to->blocks);
    memcpy(to->P, from->P, 36 * (size_t)problem->block_count * sizeof(double));
    memcpy(to->p, from->p, (size_t)problem->dof_count * sizeof(double));
    memcpy(to->J, from->J, 18 * (size_t)problem->term_count * sizeof(double));
    memcpy(to->terms, from->terms, (size_t)problem->term_count * sizeof *to->terms);
    for (int c = 0; c < count; c++) {
        CairnConstraintBlock constraint = from->constraints[order[c]];
        for (int i = 0; i < constraint.row_count; i++) {
            int source = constraint.first_row + i;
            origin[row + i] = source;
            to->compliance[row + i] = from->compliance[source];
            to->right_side[row + i] = from->right_side[source];
            to->lower[row + i] = from->lower[source];
            to->upper[row + i] = from->upper[source];
        }
        constraint.first_row = row;
        to->constraints[c] = constraint;
        rank[order[c]] = c;
        row += constraint.row_count;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        to->frictions[f] = from->frictions[f];
        to->frictions[f].constraint = rank[from->frictions[f].constraint];
        to->frictions[f].normal = to->constraints[to->frictions[f].constraint].first_row;
    }
    free(order);
    free(rank);
}

void exact_check_order_and_warmth(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    for (int draw = 0; draw < 6; draw++) {
        TestPile pile, other;
        uint64_t seed = 30 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 12, (draw % 2 ? 1 : 1e3) * subject->stiffest, CAIRN_FRICTION_BOX);
        int rows = pile.problem.row_count;
        static double cold[ROWS], warm[ROWS], back[ROWS], turned[ROWS];
        static int origin[ROWS];
        memset(cold, 0, sizeof cold);
        memset(turned, 0, sizeof turned);
        exact_certify(solver, NULL, &pile.problem, cold);
        for (int i = 0; i < rows; i++) {
            warm[i] = support_uniform(&seed, -0.1, 0.5); // even outside the bounds
        }
        exact_certify(solver, NULL, &pile.problem, warm);
        assert_below(exact_distance(&pile.problem, cold, warm), 1);
        exact_certify(solver, "warm=false", &pile.problem, warm);
        assert_below(exact_distance(&pile.problem, cold, warm), 1);
        ExactRun again = exact_certify(solver, NULL, &pile.problem, warm); // from the answer
        assert_true(again.report.factorizations <= 1);
        shuffle(&pile, &other, &seed, origin);
        assert_ok(cairn_problem_check(&other.problem));
        exact_certify(solver, NULL, &other.problem, turned);
        for (int i = 0; i < rows; i++) {
            back[origin[i]] = turned[i];
        }
        assert_below(exact_distance(&pile.problem, cold, back), 1);
        test_pile_free(&pile);
        test_pile_free(&other);
    }
}

void exact_check_threads_and_memory(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    TestPile pile;
    uint64_t seed = 40;
    static double first[ROWS], lambda[ROWS];
    CairnAllocator plain = cairn_memory_default();
    void *memory = NULL;
    test_pile_heap(&pile, &seed, 25, 10 * subject->stiffest, CAIRN_FRICTION_BOX);
    memset(first, 0, sizeof first);
    exact_certify(solver, NULL, &pile.problem, first);
    for (int run = 0; run < 4; run++) { // 1 to 4 threads, the second to the fourth time with what the first left behind
        memset(lambda, 0, sizeof lambda);
        assert_ok(exact_run(solver, NULL, &pile.problem, run + 1, &memory, lambda).status);
        assert_memory_equal(lambda, first, (size_t)pile.problem.row_count * sizeof *lambda);
    }
    if (memory != NULL) {
        solver->forget(memory, &plain);
    }
    test_pile_free(&pile);
}

void exact_check_current_bounds(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    for (int draw = 0; draw < 8; draw++) {
        TestPile pile;
        uint64_t seed = 50 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 10, 0.1, CAIRN_FRICTION_BOX_CURRENT);
        static double lambda[ROWS], warm[ROWS], swept[ROWS];
        memset(lambda, 0, sizeof lambda);
        for (int f = 0; f < pile.problem.friction_count; f++) {
            pile.frictions[f].mu *= 0.3; // with the compliance a contraction: one answer
            for (int k = 1; k < 3; k++) {
                pile.lower[pile.frictions[f].normal + k] = k == 1 ? 1e3 : -(double)INFINITY; // not read
                pile.upper[pile.frictions[f].normal + k] = k == 1 ? 1e3 : (double)INFINITY;
            }
        }
        exact_certify(solver, NULL, &pile.problem, lambda);
        for (int i = 0; i < pile.problem.row_count; i++) {
            warm[i] = lambda[i] * support_uniform(&seed, 0.5, 1.5);
            swept[i] = lambda[i];
        }
        exact_certify(solver, NULL, &pile.problem, warm);
        assert_below(exact_distance(&pile.problem, lambda, warm), 1);
        // pgs, started at this answer, stays at it.
        CairnPgsOptions options = {.iterations = 100, .tolerance = 1e-12, .omega = 1};
        CairnAllocator plain = cairn_memory_default();
        ExactRun run = {0};
        assert_ok(solve_with(&cairn_solver_pgs, &options, &pile.problem, 1, NULL, &plain, swept, &run));
        assert_below(exact_distance(&pile.problem, lambda, swept), 1);
        test_pile_free(&pile);
    }
}

// ---- edges ----

void exact_check_singular(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    TestProblem t;
    uint64_t seed = 60;
    double P = 2, lambda[3] = {0};
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &P);
    for (int c = 0; c < 3; c++) {
        test_problem_constraint(&t, &seed, 1, 1, &block);
        t.J[c] = 1;
        t.right_side[c] = -3;
    }
    ExactRun run = exact_certify(solver, NULL, &t.problem, lambda); // three times the same row, C = 0
    assert_true(run.warned > 0 || run.report.factorizations == 0);
    assert_near(lambda[0] + lambda[1] + lambda[2], 6, 1e-7);
    t.right_side[2] = 3; // and now one that contradicts: no answer, and the solver knows
    run = exact_run(solver, NULL, &t.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_not_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    assert_false(run.residual.is_certified);
    for (int i = 0; i < 3; i++) {
        assert_true(isfinite(lambda[i]));
    }
}

void exact_check_edges(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    TestProblem t;
    uint64_t seed = 61;
    double P = 1, lambda[4] = {0, 0, 0, 0};
    test_problem_begin(&t);
    ExactRun run = exact_run(solver, NULL, &t.problem, 1, NULL, lambda); // no rows at all
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    int block = test_problem_block(&t, 1, &P);
    for (int c = 0; c < 4; c++) {
        test_problem_constraint(&t, &seed, 1, 1, &block);
        t.J[c] = c == 0; // the others hang on nothing
        t.lower[c] = -1;
        t.upper[c] = c == 3 ? -1 : 2;
        t.right_side[c] = c == 2 ? -5 : 5;
    }
    exact_certify(solver, NULL, &t.problem, lambda);
    double answer[4] = {-1, -1, 2, -1};
    for (int i = 0; i < 4; i++) {
        assert_near(lambda[i], answer[i], 1e-15);
    }
    // Bounds closer than rounding, b = 0.
    memset(t.right_side, 0, sizeof t.right_side);
    t.lower[0] = 1;
    t.upper[0] = 1 + 1e-15;
    exact_certify(solver, NULL, &t.problem, lambda);
    assert_near(lambda[0], 1, 1e-14);
}

void exact_check_bad_input(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    uint64_t seed = 62;
    TestProblem t;
    double nan = (double)NAN, inf = (double)INFINITY;
    test_problem_random(&t, &seed, 8);
    struct {
        double *target;
        double value;
    } cases[] = {{&t.lower[1], inf},      {&t.lower[1], nan}, {&t.upper[2], nan},      {&t.upper[2], -inf},
                 {&t.right_side[3], nan}, {&t.J[4], nan},     {&t.J[0], inf},          {&t.P[0], nan},
                 {&t.P[0], -1},           {&t.p[0], nan},     {&t.compliance[0], nan}, {&t.compliance[0], -1}};
    double lambda[8], before[8];
    for (int i = 0; i < 8; i++) {
        before[i] = lambda[i] = 0.1 * i;
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double saved = *cases[k].target;
        *cases[k].target = cases[k].value;
        ExactRun run = exact_run(solver, NULL, &t.problem, 1, NULL, lambda);
        assert_false(cairn_is_ok(run.status));
        assert_true(run.status.message[0] != '\0');
        assert_memory_equal(lambda, before, sizeof lambda);
        *cases[k].target = saved;
    }
    // l > u by a little
    t.lower[5] = 1;
    t.upper[5] = 0.5;
    assert_false(cairn_is_ok(exact_run(solver, NULL, &t.problem, 1, NULL, lambda).status));
    assert_memory_equal(lambda, before, sizeof lambda);
    t.lower[5] = -1;
    before[7] = lambda[7] = nan;
    assert_refused(exact_run(solver, NULL, &t.problem, 1, NULL, lambda).status, CAIRN_INVALID_ARGUMENT, "lambda[7]");
    assert_memory_equal(lambda, before, sizeof lambda);
    // P without a Cholesky factor though its diagonal is positive
    lambda[7] = 0;
    test_problem_begin(&t);
    double P[4] = {1, 2, 2, 1};
    int block = test_problem_block(&t, 2, P);
    test_problem_constraint(&t, &seed, 1, 1, &block);
    assert_false(cairn_is_ok(exact_run(solver, NULL, &t.problem, 1, NULL, lambda).status));
    if (solver->traits & CAIRN_TAKES_CONE) {
        return;
    }
    test_problem_begin(&t);
    block = test_problem_body(&t, &seed, 1);
    test_problem_contact(&t, &seed, CAIRN_FRICTION_CONE, 0, 1, &block);
    assert_refused(exact_run(solver, NULL, &t.problem, 1, NULL, lambda).status, CAIRN_UNSUPPORTED, "cone");
}

void exact_check_no_memory(void **state) {
    const ExactSubject *subject = *state;
    const CairnSolver *solver = subject->solver;
    TestPile pile;
    uint64_t seed = 63;
    static double lambda[ROWS], before[ROWS];
    bool takes_current = (solver->traits & CAIRN_TAKES_BOX_CURRENT) != 0;
    test_pile_heap(&pile, &seed, 8, 1e-8, takes_current ? CAIRN_FRICTION_BOX_CURRENT : CAIRN_FRICTION_BOX);
    int refused = 0;
    for (int fail = 1; fail < 1000; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        void *solver_memory = NULL;
        ExactRun run = {0};
        for (int i = 0; i < pile.problem.row_count; i++) {
            lambda[i] = before[i] = 0.01 * (i % 7);
        }
        CairnStatus status = solve_with(solver, NULL, &pile.problem, 1, &solver_memory, &allocator, lambda, &run);
        if (solver_memory != NULL) {
            solver->forget(solver_memory, &allocator);
        }
        assert_memory_clean(&memory);
        if (cairn_is_ok(status) && memory.refused == 0) {
            break;
        }
        if (!cairn_is_ok(status)) {
            assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            assert_memory_equal(lambda, before, sizeof lambda);
            refused++;
        }
        assert_true(fail < 999);
    }
    assert_true(refused > 0);
    test_pile_free(&pile);
}
