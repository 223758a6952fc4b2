#include "bench/bench.h"
#include "bench/exact_sections.h"

#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/exact/ipm.h"
#include "solvers/system/system.h"
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<cblas.h>)
#include <cblas.h>
#endif
#if __has_include(<suitesparse/cholmod.h>)
#include "solvers/cholmod/linalg_cholmod.h"
#endif

double bench_dgemm(void) {
    double best = 0;
#if __has_include(<cblas.h>)
    enum { N = 600 };
    double *A = malloc(3 * (size_t)N * N * sizeof *A);
    if (A == NULL) {
        return 0;
    }
    for (int i = 0; i < 3 * N * N; i++) {
        A[i] = 1.0 / (1 + i % 97);
    }
    openblas_set_num_threads(1);
    for (int pass = 0; pass < 12; pass++) {
        double start = bench_cpu_now();
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, N, N, N, -1, A, N, A + N * N, N, 1, A + 2 * N * N, N);
        best = fmax(best, 2e-9 * N * N * N / (bench_cpu_now() - start));
    }
    free(A);
#endif
    return best;
}

typedef struct Case {
    const char *name;
    CairnSystemSetup setup;
    int threads;
    double prepare, factor, solve, operations, residual;
} Case;

static CairnStatus time_case(Case *test, const CairnStoredProblem *frame, const double *theta, const double *y,
                             double *x, CairnArena *arena) {
    enum { MOST_PASSES = 20 };
    CairnAllocator allocator = cairn_memory_default();
    CairnLogger logger = {0};
    CairnSolverContext context = {
        .allocator = &allocator, .logger = &logger, .thread_count = test->threads, .arena = arena};
    double (*now)(void) = test->threads == 1 ? bench_cpu_now : cairn_timer_now;
    test->prepare = test->factor = test->solve = HUGE_VAL;
    for (int pass = 0, end = 3; pass < end; pass++) {
        CairnSystem system = {0};
        cairn_arena_reset(arena);
        double start = now();
        CairnStatus status = cairn_system_init(&system, &frame->problem, &test->setup, &context);
        double prepared = now();
        if (cairn_is_ok(status)) {
            status = cairn_system_factor(&system, theta, NULL);
        }
        double factored = now();
        if (cairn_is_ok(status)) {
            test->residual = cairn_system_solve(&system, y, 0, 0, x);
            double solved = now();
            test->prepare = fmin(test->prepare, prepared - start);
            test->factor = fmin(test->factor, factored - prepared);
            test->solve = fmin(test->solve, solved - factored);
            test->operations = system.kind->operations(system.state);
            end = solved - start < 0.02 ? MOST_PASSES : end;
        }
        cairn_system_release(&system);
        CAIRN_TRY(status);
    }
    return cairn_ok();
}

// Theta of the answer's free set, from ipm.
static CairnStatus find_set(const CairnStoredProblem *frame, double *theta, double *y, CairnArena *arena) {
    const CairnProblem *problem = &frame->problem;
    CairnSolveRequest request = {.solver = &cairn_solver_ipm, .arena = arena};
    memset(theta, 0, (size_t)problem->row_count * sizeof *theta);
    CAIRN_TRY(cairn_problem_solve(problem, &request, theta, NULL));
    for (int i = 0; i < problem->row_count; i++) {
        bool is_free = theta[i] > problem->lower[i] && theta[i] < problem->upper[i];
        theta[i] = is_free ? 0 : (double)INFINITY;
        y[i] = is_free ? 1 : 0;
    }
    return cairn_ok();
}

static void print_cases(const Case *cases, int count, double dgemm, FILE *file, FILE *json) {
    fprintf(file, "    %-28s %9s %9s %9s %9s %9s %8s %9s\n", "one factor of the free set", "prepare", "factor", "solve",
            "Mflop", "Gflop/s", "of dgemm", "left");
    fprintf(json, "        \"factors\": [\n");
    for (int k = 0; k < count; k++) {
        const Case *p = &cases[k];
        double rate = 1e-9 * p->operations / p->factor, fraction = dgemm > 0 ? rate / dgemm : 0;
        fprintf(file, "    %-28s %9.3f %9.3f %9.3f %9.2f %9.2f %7.0f%% %9.1e\n", p->name, 1e3 * p->prepare,
                1e3 * p->factor, 1e3 * p->solve, 1e-6 * p->operations, rate, 100 * fraction, p->residual);
        fprintf(json,
                "          { \"name\": \"%s\", \"prepare_ms\": %.6g, \"factor_ms\": %.6g, \"solve_ms\": %.6g, "
                "\"flop\": %.6g, "
                "\"gflops\": %.6g, \"of_dgemm\": %.4g }%s\n",
                p->name, 1e3 * p->prepare, 1e3 * p->factor, 1e3 * p->solve, p->operations, rate, fraction,
                k + 1 < count ? "," : "");
    }
    fprintf(json, "        ],\n");
}

bool bench_exact_factors(const CairnStoredProblem *frame, double dgemm, FILE *file, FILE *json) {
    Case cases[] = {
        {.name = "body", .setup.formulation = CAIRN_FORMULATION_BODY, .threads = 1},
        {.name = "body, 2 threads", .setup.formulation = CAIRN_FORMULATION_BODY, .threads = 2},
        {.name = "kkt", .setup.formulation = CAIRN_FORMULATION_KKT, .threads = 1},
        {.name = "kkt, 2 threads", .setup.formulation = CAIRN_FORMULATION_KKT, .threads = 2},
        {.name = "constraint", .setup.formulation = CAIRN_FORMULATION_CONSTRAINT, .threads = 1},
        {.name = "constraint, 2 threads", .setup.formulation = CAIRN_FORMULATION_CONSTRAINT, .threads = 2},
#if __has_include(<suitesparse/cholmod.h>)
        {.name = "CHOLMOD simplicial",
         .setup.kind = cairn_system_cholmod(CAIRN_CHOLMOD_SIMPLICIAL, CAIRN_CHOLMOD_EACH),
         .threads = 1},
        {.name = "CHOLMOD supernodal",
         .setup.kind = cairn_system_cholmod(CAIRN_CHOLMOD_SUPERNODAL, CAIRN_CHOLMOD_EACH),
         .threads = 1},
#endif
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    CairnAllocator allocator = cairn_memory_default();
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    size_t m = (size_t)frame->problem.row_count;
    double *theta = malloc(m * sizeof *theta), *y = malloc(m * sizeof *y), *x = malloc(m * sizeof *x);
    bool is_done = theta != NULL && y != NULL && x != NULL && cairn_is_ok(find_set(frame, theta, y, &arena));
    for (int k = 0; k < COUNT && is_done; k++) {
        is_done = cairn_is_ok(time_case(&cases[k], frame, theta, y, x, &arena));
    }
    if (is_done) {
        print_cases(cases, COUNT, dgemm, file, json);
    }
    free(theta);
    free(y);
    free(x);
    cairn_arena_free(&arena);
    return is_done;
}
