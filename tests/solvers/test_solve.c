// The door to a solve, by itself: what it fills in, what it refuses, and what a solver's scratch memory and products
// give.
#include "tests/support/problems.h"
#include "tests/support/support.h"

#include <cairn/products.h>
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static TestProblem problem, explicit_problem;

static void make_problem(uint64_t seed) {
    int blocks[1] = {0};
    test_problem_random(&problem, &seed, 20);
    test_problem_contact(&problem, &seed, CAIRN_FRICTION_BOX, 0, 1, blocks);
    test_problem_make_explicit(&problem, &explicit_problem);
}

static void solve_well(const CairnProblem *of, const CairnSolveRequest *request, double *lambda,
                       CairnSolveResult *result) {
    memset(lambda, 0, PROBLEM_ROWS * sizeof *lambda);
    assert_ok(cairn_problem_solve(of, request, lambda, result));
}

// An empty request solves with the first solver and its defaults; the same said in full gives the same bits, on any
// scratch memory.
static void what_is_not_said_is_the_default(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        double plain[PROBLEM_ROWS], full[PROBLEM_ROWS];
        const CairnSolver *first = cairn_solver_at(0);
        void *options = calloc(1, first->options->size), *kept = NULL;
        assert_non_null(options);
        cairn_fields_preset(first->options, options);
        make_problem(seed);
        CairnSolveResult result;
        solve_well(&problem.problem, &(CairnSolveRequest){.judge = true}, plain, &result);
        assert_true(result.residual.is_certified);
        assert_true(result.seconds > 0);
        assert_int_equal(result.parts.count, 0);
        CairnLogger logger = {NULL, NULL, CAIRN_LOG_ERROR};
        CairnSolveRequest request = {.solver = first,
                                     .options = options,
                                     .allocator = &allocator,
                                     .logger = &logger,
                                     .thread_count = 2,
                                     .is_checked = true,
                                     .memory = &kept};
        solve_well(&problem.problem, &request, full, &result);
        assert_memory_equal(plain, full, sizeof plain);
        assert_int_equal(result.residual.is_certified, 0); // nobody asked for the referee
        if (kept != NULL) {
            first->forget(kept, &allocator);
        }
        assert_memory_clean(&memory);
        assert_ok(cairn_problem_solve(&problem.problem, &request, full, NULL));
        if (kept != NULL) {
            first->forget(kept, &allocator);
        }
        free(options);
    }
}

// ---- parts ----

static int seen_parts;

static CairnStatus count_parts(const CairnProblem *of, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)options, (void)lambda, (void)report;
    seen_parts = parts->count;
    for (int i = 0; i < of->block_count; i++) {
        assert_true(parts->part[i] >= 0 && parts->part[i] < parts->count);
    }
    assert_non_null(context->logger);
    assert_ptr_equal(context->checked, of);
    return cairn_ok();
}

static CairnStatus one_each(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                            int *count) {
    (void)options;
    assert_non_null(allocator->allocate(allocator->user, 100));
    for (int i = 0; i < graph->node_count; i++) {
        assert_int_equal(part[i], -1); // there was no step before
        part[i] = i;
    }
    *count = graph->node_count;
    return cairn_ok();
}

static CairnStatus none_at_all(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                               int *count) {
    (void)graph, (void)options, (void)allocator, (void)part;
    *count = 1;
    return cairn_ok();
}

static CairnStatus unite(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                         int *count) {
    (void)options, (void)allocator;
    memset(part, 0, (size_t)graph->node_count * sizeof *part);
    *count = 1;
    return cairn_ok();
}

static CairnStatus part_again(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                              int *count) {
    (void)options, (void)allocator;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = i;
    }
    *count = graph->node_count;
    return cairn_ok();
}

// A partitioner with an option of its own, which it need not check.
typedef struct Sizes {
    int size;
} Sizes;

static const CairnField size_fields[] = {CAIRN_FIELD_INT(Sizes, size, 1, 1, 9, "")};
static const CairnFieldTable size_table = CAIRN_FIELD_TABLE("sizes", Sizes, size_fields);
static const CairnPartitioner sizes = {"sizes", "", &size_table, one_each};

static void parts_are_made_for_those_who_need_them(void **state) {
    (void)state;
    static const CairnPartitioner each = {"each", "", NULL, one_each}, none = {"none-at-all", "", NULL, none_at_all},
                                  whole = {"whole", "", NULL, unite};
    static const CairnRefiner united = {"united", "", NULL, unite}, raising = {"raising", "", NULL, part_again};
    static const CairnSolver wants = {
        .name = "wants", .summary = "", .traits = CAIRN_TAKES_BOUNDS | CAIRN_NEEDS_PARTITION, .solve = count_parts};
    static const CairnSolver ignores = {
        .name = "ignores", .summary = "", .traits = CAIRN_TAKES_BOUNDS, .solve = count_parts};
    double lambda[PROBLEM_ROWS];
    CairnSolveResult result;
    make_problem(3);
    const CairnProblem *of = &problem.problem;
    int blocks = of->block_count;
    assert_true(blocks > 1);
    solve_well(of, &(CairnSolveRequest){.solver = &wants, .partition = {.partitioner = &each}}, lambda, &result);
    assert_int_equal(seen_parts, blocks);
    assert_int_equal(result.parts.count, blocks);
    assert_true(result.parts.cut_rows > 0);
    solve_well(of, &(CairnSolveRequest){.solver = &wants, .partition = {.partitioner = &each, .refiner = &united}},
               lambda, &result);
    assert_int_equal(seen_parts, 1);
    assert_int_equal(result.parts.cut_rows, 0);
    solve_well(of, &(CairnSolveRequest){.solver = &wants}, lambda, &result); // mindp: all fit into one
    assert_int_equal(seen_parts, 1);
    solve_well(of, &(CairnSolveRequest){.solver = &ignores, .partition = {.partitioner = &none}}, lambda, &result);
    assert_int_equal(seen_parts, 1); // the partitioner was not asked
    int given[PROBLEM_BLOCKS] = {0};
    given[1] = 1;
    CairnParts parts = {2, given};
    solve_well(of, &(CairnSolveRequest){.solver = &wants, .parts = &parts, .partition = {.partitioner = &none}}, lambda,
               &result);
    assert_int_equal(seen_parts, 2);

    assert_refused(cairn_problem_solve(of, &(CairnSolveRequest){.solver = &wants, .partition = {.partitioner = &none}},
                                       lambda, NULL),
                   CAIRN_INVALID_ARGUMENT, "partitioner none-at-all: ");
    CairnSolveRequest raised = {.solver = &wants, .partition = {.partitioner = &whole, .refiner = &raising}};
    assert_refused(cairn_problem_solve(of, &raised, lambda, NULL), CAIRN_INVALID_ARGUMENT,
                   "refiner raising raised the cut from 0");
    int part[PROBLEM_BLOCKS], count = 0;
    CairnPartsMeasure measure;
    memset(part, -1, sizeof part);
    assert_ok(cairn_problem_part(of, &(CairnPartition){.partitioner = &each}, NULL, part, &count, &measure));
    assert_int_equal(count, blocks);
    assert_int_equal(measure.largest, 1);
    const Sizes bad = {0};
    const CairnPartition sized = {.partitioner = &sizes, .partition_options = &bad};
    assert_refused(cairn_problem_part(of, &sized, NULL, part, &count, NULL), CAIRN_INVALID_ARGUMENT,
                   "sizes: size is 0");
    assert_refused(cairn_problem_solve(of, &(CairnSolveRequest){.solver = &wants, .partition = sized}, lambda, NULL),
                   CAIRN_INVALID_ARGUMENT, "sizes: size is 0");
    assert_refused(cairn_problem_part(of, NULL, NULL, NULL, &count, NULL), CAIRN_INVALID_ARGUMENT, "part is NULL");
    assert_refused(cairn_problem_part(of, NULL, NULL, part, NULL, NULL), CAIRN_INVALID_ARGUMENT, "count is NULL");
    assert_refused(cairn_problem_part(NULL, NULL, NULL, part, &count, NULL), CAIRN_INVALID_ARGUMENT, "problem is NULL");
}

// ---- refusals ----

static void wrong_requests_are_refused(void **state) {
    (void)state;
    double lambda[PROBLEM_ROWS] = {0};
    CairnSolveRequest request = {.solver = NULL};
    make_problem(5);
    const CairnProblem *of = &problem.problem;
    assert_refused(cairn_problem_solve(NULL, &request, lambda, NULL), CAIRN_INVALID_ARGUMENT, "problem is NULL");
    assert_refused(cairn_problem_solve(of, NULL, lambda, NULL), CAIRN_INVALID_ARGUMENT, "request is NULL");
    assert_refused(cairn_problem_solve(of, &request, NULL, NULL), CAIRN_INVALID_ARGUMENT, "lambda is NULL");
    CairnSolver empty = {.name = "empty", .summary = ""};
    request.solver = &empty;
    assert_refused(cairn_problem_solve(of, &request, lambda, NULL), CAIRN_INVALID_ARGUMENT, "solve function is NULL");
    CairnSolver bilateral = {.name = "bilateral", .summary = "", .solve = count_parts};
    request.solver = &bilateral;
    assert_refused(cairn_problem_solve(of, &request, lambda, NULL), CAIRN_UNSUPPORTED, "bilateral does not take");
    const CairnSolver *pgs;
    assert_ok(cairn_solver_find("pgs", &pgs));
    void *options = calloc(1, pgs->options->size);
    assert_non_null(options);
    request = (CairnSolveRequest){.solver = pgs, .options = options}; // all zero: out of range
    assert_refused(cairn_problem_solve(of, &request, lambda, NULL), CAIRN_INVALID_ARGUMENT, "pgs: ");
    free(options);
    const CairnParts empty_parts = {1, NULL};
    request = (CairnSolveRequest){.solver = pgs, .parts = &empty_parts};
    assert_refused(cairn_problem_solve(of, &request, lambda, NULL), CAIRN_INVALID_ARGUMENT, "parts.part is NULL");
    request = (CairnSolveRequest){.solver = pgs};
    problem.lower[0] = (double)NAN;
    assert_refused(cairn_problem_solve(of, &request, lambda, NULL), CAIRN_INVALID_ARGUMENT, "lower[0]");
}

// What a solver only keeps for the next solve it may do without.
static void failed_allocations_are_met(void **state) {
    (void)state;
    make_problem(7);
    for (int fail = 1; fail <= 5; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        double lambda[PROBLEM_ROWS] = {0};
        CairnSolveResult result;
        CairnSolveRequest request = {.allocator = &allocator, .judge = true};
        assert_ok(cairn_solver_find("schur-bpp", &request.solver));
        CairnStatus status = cairn_problem_solve(&problem.problem, &request, lambda, &result);
        assert_true(status.code == CAIRN_OUT_OF_MEMORY || (cairn_is_ok(status) && result.residual.is_certified));
        assert_true(fail > 1 || status.code == CAIRN_OUT_OF_MEMORY);
        assert_memory_clean(&memory);
    }
}

// ---- what a solver of one's own stands on ----

static double worst_product;

// Every product against the others, and A and b against dense algebra.
static CairnStatus multiply(const CairnProblem *of, const CairnParts *parts, const void *options,
                            CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    const CairnProducts *products;
    double A[PROBLEM_ROWS * PROBLEM_ROWS], dense_b[PROBLEM_ROWS];
    size_t rows = (size_t)of->row_count, dofs = (size_t)of->dof_count;
    (void)parts, (void)options, (void)report;
    double *x = cairn_solver_scratch(context, rows * sizeof *x), *w = cairn_solver_scratch(context, rows * sizeof *w);
    double *b = cairn_solver_scratch(context, rows * sizeof *b), *D = cairn_solver_scratch(context, rows * sizeof *D);
    double *v = cairn_solver_scratch(context, dofs * sizeof *v), *u = cairn_solver_scratch(context, dofs * sizeof *u);
    double *y = cairn_solver_scratch(context, rows * sizeof *y);
    assert_true(x && w && b && D && v && u && y);
    assert_int_equal((uintptr_t)x % CAIRN_ALIGNMENT, 0);
    assert_non_null(cairn_solver_scratch(context, 0));
    for (size_t i = 0; i < rows; i++) {
        assert_same_bits(x[i], 0);
        x[i] = sin(1.0 + (double)i);
        lambda[i] = x[i];
    }
    CAIRN_TRY(cairn_products_make(of, context, &products));
    cairn_products_slack(products, x, v, w);
    cairn_products_right_side(products, u, b);
    cairn_products_diagonal(products, D);
    test_problem_dense(of, A, dense_b);
    for (size_t i = 0; i < rows; i++) {
        double sum = dense_b[i];
        for (size_t j = 0; j < rows; j++) {
            sum += A[i * rows + j] * x[j];
        }
        worst_product = fmax(worst_product, fabs(w[i] - sum) / (1 + fabs(sum)));
        worst_product = fmax(worst_product, fabs(b[i] - dense_b[i]) / (1 + fabs(dense_b[i])));
        worst_product = fmax(worst_product, fabs(D[i] - A[i * rows + i]) / (1 + D[i]));
    }
    if (of->form == CAIRN_FORM_DYNAMICS) { // v once more, and w of it
        memcpy(u, of->p, dofs * sizeof *u);
        cairn_products_add_impulse(products, x, u);
        cairn_products_solve(products, u);
        cairn_products_velocity(products, x, v);
        cairn_products_jacobian(products, v, y);
        for (size_t i = 0; i < dofs; i++) {
            worst_product = fmax(worst_product, fabs(u[i] - v[i]) / (1 + fabs(v[i])));
        }
        for (size_t i = 0; i < rows; i++) {
            double slack = y[i] + of->compliance[i] * x[i] + of->right_side[i];
            worst_product = fmax(worst_product, fabs(slack - w[i]) / (1 + fabs(slack)));
        }
    }
    return cairn_ok();
}

static void products_are_those_of_the_notation(void **state) {
    (void)state;
    static const CairnSolver multiplier = {.name = "multiplier",
                                           .summary = "",
                                           .traits =
                                               CAIRN_TAKES_BOUNDS | CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
                                           .solve = multiply};
    worst_product = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        double lambda[PROBLEM_ROWS];
        make_problem(seed);
        solve_well(&problem.problem, &(CairnSolveRequest){.solver = &multiplier}, lambda, NULL);
        solve_well(&explicit_problem.problem, &(CairnSolveRequest){.solver = &multiplier}, lambda, NULL);
    }
    assert_true(worst_product > 0);
    assert_below(worst_product, 1e-11);
    CairnSolverContext bare = {.thread_count = 1};
    const CairnProducts *products;
    assert_null(cairn_solver_scratch(&bare, 8));
    assert_null(cairn_solver_scratch(NULL, 8));
    assert_refused(cairn_products_make(&problem.problem, &bare, &products), CAIRN_INVALID_ARGUMENT, "scratch memory");
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_said_is_the_default),    cmocka_unit_test(parts_are_made_for_those_who_need_them),
        cmocka_unit_test(wrong_requests_are_refused),         cmocka_unit_test(failed_allocations_are_met),
        cmocka_unit_test(products_are_those_of_the_notation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
