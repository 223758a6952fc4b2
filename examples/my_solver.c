// A solver of your own: one C file with the public headers alone. The program compiles and loads it wherever it takes a
// solver:
//
//   build/cairn run box_tower --solver examples/my_solver.c:iterations=500
//   build/cairn compare box_tower --solvers bpp,examples/my_solver.c --steps 60
//
// Or compile it yourself into a shared object:
//
//   cc -std=c17 -shared -fPIC -Iinclude -o my_solver.so examples/my_solver.c && build/cairn run box_tower --solver ./my_solver.so
//
// Projected gradient with Nesterov's momentum: lambda = clamp(y - w(y) / (step D), l, u). It takes bounds and box
// friction.
#include <cairn/products.h>
#include <math.h>
#include <string.h>

typedef struct Options {
    int iterations;
    double tolerance, scale;
} Options;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Options, iterations, 20000, 1, 1000000, "most iterations"),
    CAIRN_FIELD_DOUBLE(Options, tolerance, 1e-10, 0, 1, 0, "m/s", "largest change of a row that ends them"),
    CAIRN_FIELD_DOUBLE(Options, scale, 8, 1, 1000, 0, "", "steps are 1 / (scale D): small where few rows share a body"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("my_solver", Options, fields);

static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    const Options *chosen = options;
    const CairnProducts *products;
    size_t rows = (size_t)problem->row_count, bytes = rows * sizeof(double);
    double *v = cairn_solver_scratch(context, (size_t)problem->dof_count * sizeof(double));
    double *D = cairn_solver_scratch(context, bytes), *w = cairn_solver_scratch(context, bytes);
    double *x = cairn_solver_scratch(context, bytes), *y = cairn_solver_scratch(context, bytes), t = 1;
    (void)parts; // asked for by solvers with CAIRN_NEEDS_PARTITION
    if (!v || !D || !w || !x || !y) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "my_solver: no memory for %zu rows", rows);
    }
    CAIRN_TRY(cairn_products_make(problem, context, &products));
    cairn_products_diagonal(products, D);
    memcpy(x, lambda, bytes); // on an error lambda must be unchanged, so the iterations work on a copy
    memcpy(y, lambda, bytes);
    for (report->iterations = 0; report->iterations < chosen->iterations; report->iterations++) {
        double next = 0.5 * (1 + sqrt(1 + 4 * t * t)), moved = 0, back = 0;
        cairn_products_slack(products, y, v, w);
        for (size_t i = 0; i < rows; i++) {
            double step = D[i] > 0 ? w[i] / (chosen->scale * D[i]) : 0;
            double now = fmin(fmax(y[i] - step, problem->lower[i]), problem->upper[i]);
            moved = fmax(moved, chosen->scale * D[i] * fabs(now - y[i]));
            back += D[i] * (y[i] - now) * (now - x[i]);
            y[i] = now + (t - 1) / next * (now - x[i]);
            x[i] = now;
        }
        t = back > 0 ? 1 : next; // the momentum leads away: it begins anew
        report->claimed = moved;
        if (moved <= chosen->tolerance) {
            break;
        }
    }
    report->outcome = report->claimed <= chosen->tolerance ? CAIRN_OUTCOME_CONVERGED : CAIRN_OUTCOME_AT_LIMIT;
    memcpy(lambda, x, bytes);
    return cairn_ok();
}

extern const CairnSolver cairn_solver;
const CairnSolver cairn_solver = {
    "my_solver", "projected gradient with momentum", CAIRN_TAKES_BOUNDS | CAIRN_TAKES_EXPLICIT, &table, solve, NULL};
