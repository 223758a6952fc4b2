#include "solvers/exact/pgs_cg.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/pgs_cg_assemble.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"

static const CairnField fields[] = {
    CAIRN_FIELD_INT(CairnPgsCgOptions, iterations, 60, 1, 100000000, "most sweeps (S2: 30, 60 and 90)"),
    CAIRN_FIELD_DOUBLE(CairnPgsCgOptions, tolerance, 1e-9, 0, 1, 0, "m/s",
                       "stop when no row of a sweep moves its velocity by more"),
    CAIRN_FIELD_BOOL(CairnPgsCgOptions, accelerate, 1, "conjugate gradients between sweeps"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("pgs-cg", CairnPgsCgOptions, fields);

static double slack(const PgsCgMatrix *matrix, int k, const double *x) {
    double w = matrix->b[k];
    for (int i = matrix->start[k]; i < matrix->start[k + 1]; i++) {
        w += matrix->W[i] * x[matrix->column[i]];
    }
    return w;
}

// Where Gauss-Seidel would put the row.
static double level(const PgsCgMatrix *matrix, int k, const double *x) {
    return matrix->D[k] > 0 ? x[k] - slack(matrix, k, x) / matrix->D[k] : x[k];
}

// The rows of a contact from its normal's number k on, by its law.
static void visit_contact(const PgsCgMatrix *matrix, const CairnFriction *friction, int k, double *x) {
    double *r = x + k;
    if (friction->kind == CAIRN_FRICTION_CONE && friction->mu > 0) { // a projected step of the three at once
        double trace = matrix->D[k] + matrix->D[k + 1] + matrix->D[k + 2], w[3];
        for (int i = 0; i < 3; i++) {
            w[i] = slack(matrix, k + i, x);
        }
        for (int i = 0; i < 3 && trace > 0; i++) {
            r[i] -= 1.8 / trace * w[i];
        }
        cairn_law_project(friction->mu, r);
    } else {
        r[0] = fmax(0, level(matrix, k, x));
        for (int i = 1; i < 3; i++) {
            r[i] = level(matrix, k + i, x);
            if (friction->kind == CAIRN_FRICTION_BOX_CURRENT) {
                r[i] = fmin(fmax(r[i], -friction->mu * r[0]), friction->mu * r[0]);
            }
        }
        double length = hypot(r[1], r[2]), most = friction->mu * r[0];
        if (friction->kind != CAIRN_FRICTION_BOX_CURRENT && length > most) {
            r[1] *= most / length;
            r[2] *= most / length;
        }
    }
    for (int i = 3; i < 3 + friction->spin_rows; i++) {
        double bound = cairn_law_row_lever(friction, friction->normal + i) * fmax(0, r[0]);
        r[i] = fmin(fmax(level(matrix, k + i, x), -bound), bound);
    }
}

// Every row once. Returns the largest D |change|.
static double sweep(const PgsCgMatrix *matrix, double *x, double *step) {
    const CairnProblem *problem = matrix->problem;
    double most = 0;
    memcpy(step, x, (size_t)matrix->row_count * sizeof *x);
    for (int k = 0; k < matrix->row_count;) {
        int row = matrix->rows[k], f = problem->constraints[matrix->constraint[row]].friction;
        if (f >= 0 && problem->frictions[f].kind != CAIRN_FRICTION_BOX && row == problem->frictions[f].normal) {
            visit_contact(matrix, &problem->frictions[f], k, x);
            k += 3 + problem->frictions[f].spin_rows;
            continue;
        }
        x[k] = fmin(fmax(level(matrix, k, x), problem->lower[row]), problem->upper[row]);
        k++;
    }
    for (int k = 0; k < matrix->row_count; k++) {
        step[k] = x[k] - step[k];
        most = fmax(most, matrix->D[k] * fabs(step[k]));
    }
    return most;
}

// A sweep is a step down a gradient that is `step` reversed; Fletcher and Reeves' directions, dropped where it grows.
static void iterate(const PgsCgMatrix *matrix, const CairnPgsCgOptions *options, const CairnSolverContext *context,
                    double *x, double *step, double *direction, CairnSolveReport *report) {
    double last = 0;
    int rows = matrix->row_count;
    memset(direction, 0, (size_t)rows * sizeof *direction);
    report->outcome = CAIRN_OUTCOME_AT_LIMIT;
    while (report->iterations < options->iterations) {
        report->claimed = sweep(matrix, x, step);
        report->iterations++;
        if (context->trace && isfinite(report->claimed)) {
            context->trace(context->trace_user, (CairnTraceEntry){report->iterations, report->claimed});
        }
        if (report->claimed <= options->tolerance) {
            report->outcome = CAIRN_OUTCOME_CONVERGED;
            return;
        }
        double square = 0;
        for (int k = 0; k < rows; k++) {
            square += step[k] * step[k];
        }
        double ratio = report->iterations > 1 && last > 0 ? square / last : 0;
        last = square;
        if (!options->accelerate || report->iterations >= options->iterations) {
            continue; // the result is that of a sweep, which is within the laws
        }
        for (int k = 0; k < rows; k++) {
            double along = ratio <= 1 ? ratio * direction[k] : 0;
            x[k] += along;
            direction[k] = along + step[k];
        }
    }
}

static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnPgsCgOptions chosen;
    CAIRN_TRY(cairn_solver_options(&table, options, &chosen));
    if (problem->form != CAIRN_FORM_DYNAMICS) {
        return cairn_error(CAIRN_UNSUPPORTED, "pgs-cg: the explicit form has no dynamics to assemble from: form %d",
                           (int)problem->form);
    }
    CAIRN_TRY(cairn_solver_check(problem, context));
    size_t rows = (size_t)problem->row_count;
    double *x = CAIRN_PUSH(context->arena, double, 4 * rows + 1);
    if (!x) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs-cg: no memory for %d rows", problem->row_count);
    }
    double *step = x + rows, *direction = step + rows, *answer = direction + rows;
    PgsCgMatrix matrix;
    CAIRN_TRY(cairn_pgs_cg_assemble(&matrix, problem, context));
    for (int k = 0; k < matrix.row_count; k++) {
        x[k] = lambda[matrix.rows[k]];
        if (!isfinite(x[k])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "pgs-cg: lambda[%d] = %g is not finite", matrix.rows[k], x[k]);
        }
    }
    CairnSolveReport work = {.factorizations = 1};
    iterate(&matrix, &chosen, context, x, step, direction, &work);
    cairn_pgs_cg_finish(&matrix, x, answer);
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(answer[i])) {
            work.outcome = CAIRN_OUTCOME_DIVERGED;
            *report = work;
            return cairn_error(CAIRN_NUMERIC, "pgs-cg: diverged: lambda[%zu] = %g after %d sweeps", i, answer[i],
                               work.iterations);
        }
    }
    cairn_system_log_regularised(&matrix.system, "pgs-cg");
    memcpy(lambda, answer, rows * sizeof *lambda);
    *report = work;
    return cairn_ok();
}

const CairnSolver cairn_solver_pgs_cg = {
    .name = "pgs-cg",
    .summary = "projected Gauss-Seidel with conjugate gradients on an assembled Delassus matrix",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB,
    .options = &table,
    .solve = solve,
    .forget = cairn_system_forget,
};
