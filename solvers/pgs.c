#include "solvers/pgs.h"

#include <float.h>
#include <math.h>

#include "solvers/pgs_rows.h"

// Four doubles that may lie at any multiple of 8 bytes; the compiler splits them where the machine has shorter registers.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

static const CairnField pgs_fields[] = {
    CAIRN_FIELD_INT(CairnPgsOptions, iterations, 1000, 1, 100000000, "most sweeps over all rows"),
    CAIRN_FIELD_DOUBLE(CairnPgsOptions, tolerance, 1e-9, 0, 1, 0, "m/s",
                       "stop when no row of a sweep moves its velocity by more"),
    CAIRN_FIELD_DOUBLE(CairnPgsOptions, omega, 1, 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",
                       "relaxation: above 1 overshoots, below 1 damps"),
};

static const CairnFieldTable pgs_options = CAIRN_FIELD_TABLE("pgs", CairnPgsOptions, pgs_fields);

// What a sweep did.
typedef struct Sweep {
    double largest; // D |delta lambda|
    bool has_moved; // by more than rounding
} Sweep;

// The middle of a row's visit: from J u to its impulse's change.
static inline double move_row(const PgsRow *row, double Ju, double lower, double upper, double *lambda, Sweep *sweep) {
    double old = *lambda;
    // lambda - step w, with what does not wait for u first.
    double target = (old - row->step * (row->C * old + row->d)) - row->step * Ju;
    double next = target < lower ? lower : target > upper ? upper : target;
    double delta = next - old;
    *lambda = next;
    double size = fabs(delta), moved = row->D * size;
    sweep->largest = moved > sweep->largest ? moved : sweep->largest;
    sweep->has_moved |= size > 8 * DBL_EPSILON * fabs(next);
    return delta;
}

// A row's bounds: its own, or the lever times the present normal impulse (BOX_CURRENT).
static inline void bounds_of(const PgsSystem *system, const PgsGroup *group, int r, const double *lambda, double *lower,
                             double *upper) {
    *lower = system->rows[r].lower;
    *upper = system->rows[r].upper;
    if (group->current >= 0) {
        const CairnFriction *friction = &system->problem->frictions[group->current];
        double lever = cairn_pgs_lever(friction, r);
        if (lever >= 0) {
            *upper = lever * fmax(0, lambda[friction->normal]);
            *lower = -*upper;
        }
    }
}

// A macro, for a function's vector argument has no portable calling convention.
#define SUM_FOUR(a) (((a)[0] + (a)[2]) + ((a)[1] + (a)[3]))

static void sweep_single(PgsSystem *system, const PgsGroup *group, double *lambda, Sweep *sweep) {
    Four *u = (Four *)(system->u + system->links[group->first_link].at);
    const Four *J = (const Four *)(system->J + group->J);
    Four u0 = u[0], u1 = u[1];
    for (int i = 0; i < group->row_count; i++, J += 2) {
        int r = group->first_row + i;
        double lower, upper;
        bounds_of(system, group, r, lambda, &lower, &upper);
        Four products = J[0] * u0 + J[1] * u1;
        double delta = move_row(&system->rows[r], SUM_FOUR(products), lower, upper, &lambda[r], sweep);
        u0 += J[0] * delta;
        u1 += J[1] * delta;
    }
    u[0] = u0;
    u[1] = u1;
}

// The twelve velocities of two bodies stay in registers while the rows between them are visited.
static void sweep_pair(PgsSystem *system, const PgsGroup *group, double *lambda, Sweep *sweep) {
    double *a = system->u + system->links[group->first_link].at;
    double *b = system->u + system->links[group->first_link + 1].at;
    const Four *J = (const Four *)(system->J + group->J);
    Four u0 = *(Four *)a, u1 = {a[4], a[5], b[0], b[1]}, u2 = *(Four *)(b + 2);
    for (int i = 0; i < group->row_count; i++, J += 3) {
        int r = group->first_row + i;
        double lower, upper;
        bounds_of(system, group, r, lambda, &lower, &upper);
        Four products = J[0] * u0 + J[1] * u1 + J[2] * u2;
        double delta = move_row(&system->rows[r], SUM_FOUR(products), lower, upper, &lambda[r], sweep);
        u0 += J[0] * delta;
        u1 += J[1] * delta;
        u2 += J[2] * delta;
    }
    *(Four *)a = u0;
    a[4] = u1[0];
    a[5] = u1[1];
    b[0] = u1[2];
    b[1] = u1[3];
    *(Four *)(b + 2) = u2;
}

static void sweep_general(PgsSystem *system, const PgsGroup *group, double *lambda, Sweep *sweep) {
    const PgsLink *links = system->links + group->first_link;
    const double *J = system->J + group->J;
    for (int i = 0; i < group->row_count; i++, J += group->stride) {
        int r = group->first_row + i;
        double lower, upper, Ju = 0;
        bounds_of(system, group, r, lambda, &lower, &upper);
        const double *part = J;
        for (int k = 0; k < group->link_count; part += links[k].size, k++) {
            for (int j = 0; j < links[k].size; j++) {
                Ju += part[j] * system->u[links[k].at + j];
            }
        }
        double delta = move_row(&system->rows[r], Ju, lower, upper, &lambda[r], sweep);
        part = J;
        for (int k = 0; k < group->link_count; part += links[k].size, k++) {
            for (int j = 0; j < links[k].size; j++) {
                system->u[links[k].at + j] += part[j] * delta;
            }
        }
    }
}

static Sweep sweep_dynamics(PgsSystem *system, double *lambda) {
    Sweep sweep = {0, false};
    for (int c = 0; c < system->problem->constraint_count; c++) {
        const PgsGroup *group = &system->groups[c];
        if (group->kind == PGS_PAIR) {
            sweep_pair(system, group, lambda, &sweep);
        } else if (group->kind == PGS_SINGLE) {
            sweep_single(system, group, lambda, &sweep);
        } else {
            sweep_general(system, group, lambda, &sweep);
        }
    }
    return sweep;
}

// Explicit form: the same visit with row i of W in place of J and u.
static Sweep sweep_explicit(const PgsSystem *system, double *lambda) {
    const CairnProblem *problem = system->problem;
    Sweep sweep = {0, false};
    for (int r = 0; r < problem->row_count; r++) {
        double sum = 0, lower, upper;
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            sum += problem->W[k] * lambda[problem->W_column[k]];
        }
        bounds_of(system, &system->groups[r], r, lambda, &lower, &upper);
        move_row(&system->rows[r], sum, lower, upper, &lambda[r], &sweep);
    }
    return sweep;
}

// An explicit problem's rows: one group a row, only for its friction group.
static CairnStatus pack_explicit(PgsSystem *system, const CairnProblem *problem, double omega, CairnArena *arena) {
    *system = (PgsSystem){.problem = problem};
    system->groups = CAIRN_PUSH(arena, PgsGroup, problem->row_count + 1);
    system->rows = CAIRN_PUSH(arena, PgsRow, problem->row_count + 1);
    double *D = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!system->groups || !system->rows || !D) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(cairn_ops_init(&system->ops, problem, arena));
    cairn_ops_diagonal(&system->ops, D);
    for (int r = 0; r < problem->row_count; r++) {
        system->groups[r] = (PgsGroup){.first_row = r, .row_count = 1, .current = -1};
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        for (int k = 1; k < 3 + friction->spin_rows && friction->kind == CAIRN_FRICTION_BOX_CURRENT; k++) {
            system->groups[friction->normal + k].current = f;
        }
    }
    for (int r = 0; r < problem->row_count; r++) {
        bool is_empty = true;
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            is_empty = is_empty && problem->W[k] == 0;
        }
        if (!(D[r] > 0) && !is_empty) {
            return cairn_error(CAIRN_UNSUPPORTED,
                               "solver pgs does not take W with a diagonal entry of %g (row %d): it divides by it",
                               D[r], r);
        }
        // C is in W's diagonal already.
        system->rows[r] =
            (PgsRow){.d = problem->right_side[r], .D = D[r], .lower = problem->lower[r], .upper = problem->upper[r]};
        system->floor = fmax(system->floor, cairn_pgs_step(&system->rows[r], omega, system->groups[r].current >= 0));
    }
    return cairn_ok();
}

static void iterate(PgsSystem *system, const CairnPgsOptions *options, const CairnSolverContext *context,
                    double *lambda, CairnSolveReport *report) {
    bool is_explicit = system->problem->form == CAIRN_FORM_EXPLICIT;
    report->outcome = CAIRN_AT_LIMIT;
    while (report->iterations < options->iterations) {
        // Rounding gathers in u over many sweeps: now and then it is made afresh.
        if (!is_explicit && report->iterations % 64 == 0) {
            cairn_pgs_gather(system, lambda);
        }
        Sweep sweep = is_explicit ? sweep_explicit(system, lambda) : sweep_dynamics(system, lambda);
        report->iterations++;
        report->claimed = fmax(sweep.largest / options->omega, system->floor);
        if (context->trace) {
            context->trace(context->trace_user, (CairnTraceEntry){report->iterations, report->claimed});
        }
        if (report->claimed <= options->tolerance) {
            report->outcome = CAIRN_CONVERGED;
            return;
        }
        if (!sweep.has_moved) {
            report->outcome = CAIRN_STALLED;
            return;
        }
    }
}

static CairnStatus copy_start(const CairnProblem *problem, const double *lambda, double *x) {
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(lambda[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "pgs: lambda[%d] = %g is not finite", i, lambda[i]);
        }
        x[i] = lambda[i];
    }
    return cairn_ok();
}

// Put the warm start inside its bounds: the first rows of the first sweep should not answer to impossible impulses.
static void clamp_start(const PgsSystem *system, double *x) {
    bool is_explicit = system->problem->form == CAIRN_FORM_EXPLICIT;
    int group_count = is_explicit ? system->problem->row_count : system->problem->constraint_count;
    for (int c = 0; c < group_count; c++) {
        const PgsGroup *group = &system->groups[c];
        for (int r = group->first_row; r < group->first_row + group->row_count; r++) {
            double lower, upper;
            bounds_of(system, group, r, x, &lower, &upper);
            x[r] = x[r] < lower ? lower : x[r] > upper ? upper : x[r];
        }
    }
}

static CairnStatus refuse_frictions(const CairnProblem *problem) {
    for (int i = 0; i < problem->friction_count; i++) {
        CairnFrictionKind kind = problem->frictions[i].kind;
        if (kind != CAIRN_FRICTION_BOX && kind != CAIRN_FRICTION_BOX_CURRENT) {
            return cairn_error(CAIRN_UNSUPPORTED, "solver pgs does not take friction cones: friction group %d", i);
        }
    }
    return cairn_ok();
}

static CairnStatus solve_pgs(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnPgsOptions chosen;
    cairn_fields_preset(&pgs_options, &chosen);
    if (options) {
        chosen = *(const CairnPgsOptions *)options;
        CAIRN_TRY(cairn_fields_check(&pgs_options, &chosen));
    }
    CAIRN_TRY(refuse_frictions(problem));
    double *x = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (!x) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(copy_start(problem, lambda, x));
    PgsSystem system;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        CAIRN_TRY(pack_explicit(&system, problem, chosen.omega, context->arena));
    } else {
        CAIRN_TRY(cairn_pgs_pack(&system, problem, chosen.omega, context->arena));
    }
    clamp_start(&system, x);
    CairnSolveReport work = {0};
    iterate(&system, &chosen, context, x, &work);
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(x[i])) {
            return cairn_error(CAIRN_NUMERIC, "pgs: lambda[%d] = %g after %d sweeps is not finite", i, x[i],
                               work.iterations);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        lambda[i] = x[i];
    }
    *report = work;
    return cairn_ok();
}

const CairnSolver cairn_solver_pgs = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel, matrix-free, box friction, warm start",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &pgs_options,
    .solve = solve_pgs,
};
