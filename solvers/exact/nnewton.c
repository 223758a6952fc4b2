#include "solvers/exact/nnewton.h"

#include <math.h>

#include "solvers/exact/exact.h"
#include "solvers/exact/nnewton_cone.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"

static const char *const map_names[] = {"fischer", "minimum", NULL};

enum { STEPS = 100 };

static const CairnField nnewton_fields[] = {
    CAIRN_FIELD_CHOICE(CairnNnewtonOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_CHOICE(CairnNnewtonOptions, map, 0, map_names, "the nonsmooth function whose zero is sought"),
    CAIRN_FIELD_INT(CairnNnewtonOptions, iterations, STEPS, 1, 100000,
                    "most Newton steps; where they are fewer, no other way follows"),
    CAIRN_FIELD_INT(CairnNnewtonOptions, memory, 1, 1, 16,
                    "merits that the line search looks back on; 1: it only descends"),
    CAIRN_FIELD_DOUBLE(CairnNnewtonOptions, scale, 0.1, 1e-6, 1e6, 0, "",
                       "weight of impulses times diag(A) beside velocities"),
    CAIRN_FIELD_BOOL(CairnNnewtonOptions, warm, 1, "start from the last step's impulses"),
};

static const CairnFieldTable nnewton_options = CAIRN_FIELD_TABLE("nnewton", CairnNnewtonOptions, nnewton_fields);

enum { MEMORY = 16 };

typedef struct Newton {
    CairnExact *exact;
    const CairnNnewtonOptions *options;
    double *direction;      // of lambda
    double *slack;          // of w: A direction
    double *start, *before; // lambda and w that the step starts from
    CairnBest best;
    double merits[MEMORY]; // of the last steps
    int steps;
} Newton;

// phi(a, b) = a + b - sqrt(a^2 + b^2) and its derivatives, each without cancellation.
typedef struct Fischer {
    double value, da, db;
} Fischer;

// 1 - a / r with r = sqrt(a^2 + b^2).
static double one_less(double r, double a, double b) {
    return a > 0 ? b / r * (b / (r + a)) : 1 - a / r;
}

static Fischer fischer(double a, double b) {
    if (isinf(a) || isinf(b)) {
        return isinf(a) ? (Fischer){b, 0, 1} : (Fischer){a, 1, 0};
    }
    double r = hypot(a, b);
    if (!(r > 0)) {
        return (Fischer){0, 1 - sqrt(0.5), 1 - sqrt(0.5)}; // of all generalised derivatives the one between
    }
    double value = a + b > 0 ? 2 * a * (b / (a + b + r)) : a + b - r;
    return (Fischer){value, one_less(r, a, b), one_less(r, b, a)};
}

// A row's phi in m/s and its derivatives with respect to s D lambda and to w.
typedef struct Row {
    double phi, da, db;
} Row;

// phi(below, -phi(above, -w)), Billups.
static Row fischer_row(double w, double below, double above) {
    Fischer inner = fischer(above, -w);
    Fischer outer = fischer(below, -inner.value);
    return (Row){outer.value, outer.da + outer.db * inner.da, outer.db * inner.db};
}

static Row minimum_row(double w, double below, double above) {
    if (w > below) {
        return (Row){below, 1, 0};
    }
    return w < -above ? (Row){-above, 1, 0} : (Row){w, 0, 1};
}

static Row row_at(const Newton *n, int i, double lambda, double w) {
    const CairnExact *exact = n->exact;
    double weight = n->options->scale * exact->D[i];
    double below = weight * (lambda - exact->lower[i]), above = weight * (exact->upper[i] - lambda);
    return n->options->map == CAIRN_MAP_FISCHER ? fischer_row(w, below, above) : minimum_row(w, below, above);
}

// Half the sum of squares after a fraction of the step; w is linear along it.
static double merit(const Newton *n, double fraction) {
    double sum = 0;
    for (int i = 0; i < n->exact->problem->row_count; i++) {
        if (!n->exact->is_held[i]) {
            double lambda = n->start[i] + fraction * n->direction[i], w = n->before[i] + fraction * n->slack[i];
            double phi = row_at(n, i, lambda, w).phi;
            sum += 0.5 * phi * phi;
        }
    }
    return sum;
}

// Theta and right side of a Newton step. Rows so stiff that only their bound counts are held out and moved here.
static void linearise(Newton *n) {
    static const double stiffest = 1e10;
    CairnExact *exact = n->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        n->start[i] = exact->lambda[i];
        n->before[i] = exact->w[i];
        n->direction[i] = 0;
        exact->theta[i] = (double)INFINITY;
        exact->y[i] = 0;
        if (exact->is_held[i]) {
            continue;
        }
        Row row = row_at(n, i, exact->lambda[i], exact->w[i]);
        double weight = n->options->scale * exact->D[i];
        if (row.da > stiffest * row.db) {
            n->direction[i] = -row.phi / (row.da * weight);
            exact->lambda[i] += n->direction[i];
        } else {
            exact->theta[i] = weight * (row.da / row.db);
            exact->y[i] = -row.phi / row.db;
        }
    }
}

static CairnStatus find_direction(Newton *n) {
    CairnExact *exact = n->exact;
    int m = exact->problem->row_count;
    linearise(n);
    exact->has_factor = false;
    CAIRN_TRY(cairn_system_factor(&exact->system, exact->theta, NULL));
    cairn_exact_measure(exact); // w with the stiff rows moved
    for (int i = 0; i < m; i++) {
        exact->y[i] -= isinf(exact->theta[i]) ? 0 : exact->w[i] - n->before[i];
    }
    double residual = cairn_system_solve(&exact->system, exact->y, 1e-4 * exact->target, 6, exact->x);
    if (!isfinite(residual)) {
        return cairn_error(CAIRN_NUMERIC, "nnewton: a direction is not finite");
    }
    for (int i = 0; i < m; i++) {
        n->direction[i] += exact->x[i];
        exact->lambda[i] = n->start[i] + n->direction[i];
    }
    cairn_exact_measure(exact);
    for (int i = 0; i < m; i++) {
        n->slack[i] = exact->w[i] - n->before[i];
    }
    return cairn_ok();
}

// The step length: halved until the merit falls below the largest of the last steps (Grippo, Lampariello and Lucidi
// 1986). Returns 0 where no length lowers it.
static double search(Newton *n) {
    enum { HALVINGS = 40 };
    double now = merit(n, 0), largest = now, fraction = 1;
    n->merits[n->steps++ % MEMORY] = now;
    for (int k = 2; k <= n->options->memory && k <= n->steps; k++) {
        largest = fmax(largest, n->merits[(n->steps - k) % MEMORY]);
    }
    for (int k = 0; k < HALVINGS; k++, fraction *= 0.5) {
        if (merit(n, fraction) <= largest - 2e-4 * fraction * now) {
            return fraction;
        }
    }
    return 0;
}

// One step; `has_moved`: the line search found a descent.
static CairnStatus step_once(Newton *n, bool *has_moved) {
    CairnExact *exact = n->exact;
    CAIRN_TRY(find_direction(n));
    cairn_best_update(
        &n->best, exact,
        cairn_exact_measure(exact)); // the whole step may be the answer although the merit is all rounding
    double fraction = search(n);
    for (int i = 0; i < exact->problem->row_count && fraction < 1; i++) {
        exact->lambda[i] = n->start[i] + fraction * n->direction[i];
    }
    exact->iterations++;
    double measure = cairn_exact_measure(exact);
    cairn_best_update(&n->best, exact, measure);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    *has_moved = fraction > 0;
    return cairn_ok();
}

static void start(Newton *n) {
    CairnExact *exact = n->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double from = n->options->warm || exact->is_held[i] ? exact->lambda[i] : 0;
        exact->lambda[i] = fmin(fmax(from, exact->lower[i]), exact->upper[i]);
    }
    cairn_best_update(&n->best, exact, cairn_exact_measure(exact));
}

static CairnStatus allocate(Newton *n) {
    int m = n->exact->problem->row_count;
    double **arrays[] = {&n->direction, &n->slack, &n->start, &n->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH(n->exact->context->arena, double, m + 1);
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "nnewton: no memory for %d rows", m);
        }
    }
    return cairn_best_init(&n->best, n->exact);
}

static CairnStatus run_nnewton(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    Newton n = {.exact = exact, .options = options};
    CAIRN_TRY(allocate(&n));
    start(&n);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < n.options->iterations && n.best.measure > exact->target; k++) {
        bool has_moved;
        CairnStatus status = step_once(&n, &has_moved);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            break;
        }
        CAIRN_TRY(status);
        if (!has_moved) {
            *outcome = CAIRN_OUTCOME_STALLED;
            break;
        }
    }
    cairn_best_take(&n.best, exact);
    cairn_exact_measure(exact);
    if (cairn_exact_clamp(exact) <= exact->limit) {
        *outcome = CAIRN_OUTCOME_CONVERGED; // whatever ended the search for a better one
    }
    return cairn_ok();
}

static CairnStatus solve_nnewton(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                 CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnNnewtonOptions chosen;
    CAIRN_TRY(cairn_solver_options(&nnewton_options, options, &chosen));
    if (cairn_law_find(problem, CAIRN_FRICTION_CONE) >= 0 || cairn_law_find(problem, CAIRN_FRICTION_COULOMB) >= 0) {
        CAIRN_TRY(cairn_nnewton_cones(problem, &chosen, context, lambda, report));
        report->leaves_rest = chosen.iterations >= STEPS;
        return cairn_ok();
    }
    CairnExactSolver solver = {.setup = {.name = "nnewton", .system.formulation = (CairnFormulation)chosen.formulation},
                               .method = run_nnewton,
                               .options = &chosen,
                               .is_final = chosen.iterations < STEPS};
    return cairn_exact_solve(&solver, problem, context, lambda, report);
}

const CairnSolver cairn_solver_nnewton = {
    .name = "nnewton",
    .summary = "nonsmooth Newton (Fischer-Burmeister or minimum map), line search",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB |
              CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &nnewton_options,
    .solve = solve_nnewton,
    .forget = cairn_system_forget,
};
