// The condition of S, from its two ends: power iteration with S and with its factor.
#include <math.h>
#include <string.h>

#include "solvers/schur/schur.h"
#include "solvers/schur/substructure.h"

typedef struct Ends {
    CairnExact *exact;
    double *x, *y;
} Ends;

static double length_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void multiply(Ends *ends) { // the interface has p = 0, and its right side is zero here
    cairn_system_slack(&ends->exact->system, ends->x, ends->y);
}

static void divide(Ends *ends) {
    cairn_system_apply(&ends->exact->system, ends->x, ends->y);
}

// The largest eigenvalue of the operator that `work` applies, from below; the iteration ends when seven digits do not
// change.
static double largest_eigenvalue(Ends *ends, void (*work)(Ends *)) {
    enum { MOST = 5000 };
    int n = ends->exact->problem->row_count;
    double last = 0;
    for (int i = 0; i < n; i++) {
        ends->x[i] = 1 + 0.5 * sin(1.7 * i + 0.3); // along no eigenvector that a scene would have
    }
    for (int k = 0, calm = 0; k < MOST && calm < 10; k++) {
        double length = length_of(ends->x, n);
        for (int i = 0; i < n; i++) {
            ends->x[i] /= length;
        }
        work(ends);
        double next = length_of(ends->y, n);
        calm = fabs(next - last) <= 1e-7 * next ? calm + 1 : 0;
        last = next;
        memcpy(ends->x, ends->y, (size_t)n * sizeof *ends->x);
    }
    return last;
}

static CairnStatus solve_sets(CairnSubsystem *s, void *user) {
    (void)user;
    return cairn_exact_solve_sets(&s->exact);
}

static CairnStatus find_ends(CairnSubstructure *sub, double *condition) {
    CairnExact *exact = &sub->interface.exact;
    CairnArena *arena = sub->context->arena;
    cairn_exact_measure(sub->whole);
    cairn_exact_predict(sub->whole);
    cairn_substructure_take(sub);
    CAIRN_TRY(cairn_substructure_each(sub, solve_sets, NULL));
    CAIRN_TRY(cairn_substructure_reduce(sub));
    int n = exact->problem->row_count;
    Ends ends = {exact, CAIRN_PUSH(arena, double, n + 1), CAIRN_PUSH(arena, double, n + 1)};
    if (!ends.x || !ends.y) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "cond(S): no memory for %d rows", n);
    }
    *condition = 0;
    if (n == 0) {
        return cairn_ok();
    }
    memset(sub->interface.right_side, 0, (size_t)n * sizeof(double));
    memset(exact->theta, 0, (size_t)n * sizeof *exact->theta);
    CAIRN_TRY(cairn_system_factor(&exact->system, exact->theta, NULL));
    *condition = largest_eigenvalue(&ends, multiply) * largest_eigenvalue(&ends, divide);
    return cairn_ok();
}

CairnStatus cairn_schur_condition(const CairnProblem *problem, const CairnParts *parts, const double *lambda,
                                  CairnSolverContext *context, double *condition) {
    CairnExact whole;
    CairnSubstructure sub;
    CairnSubstructureOptions cut_options = {.interface = CAIRN_FORMULATION_DENSE, .steps = 1};
    CairnStatus status =
        cairn_substructure_init(&sub, "cond(S)", problem, parts, &cut_options, context, &whole, lambda);
    if (cairn_is_ok(status)) {
        status = cairn_substructure_cut(&sub);
    }
    if (cairn_is_ok(status)) {
        status = find_ends(&sub, condition);
    }
    cairn_substructure_release(&sub);
    return status;
}
