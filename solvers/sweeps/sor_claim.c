// The claim that sweeps are done. What a sweep sees is stale: u is summed up from changes of impulses, momentum
// extrapolates it, and the first rows were visited before the last ones moved. So before it is said that the answer is
// found, v is made from the impulses alone, and every row and cone is held against its law at once, as the referee
// does, each connected component by the velocities that it has to bring to rest.
#include <float.h>
#include <math.h>

#include "solvers/problem/components.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/sor.h"

typedef struct Rows {
    const CairnProblem *problem;
    double *lambda, *w, *b, *D, *v;
    int *group; // row -> its friction group, or -1
} Rows;

static CairnStatus evaluate(const SorSystem *system, CairnArena *arena, Rows *rows) {
    const CairnProblem *problem = system->problem;
    size_t count = (size_t)problem->row_count;
    *rows = (Rows){.problem = problem};
    double **arrays[] = {&rows->lambda, &rows->w, &rows->b, &rows->D};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH(arena, double, count + 1);
    }
    rows->v = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    rows->group = CAIRN_PUSH(arena, int, count + 1);
    if (!rows->lambda || !rows->w || !rows->b || !rows->D || !rows->v || !rows->group) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu rows", system->settings.name, count);
    }
    cairn_sor_read(system, rows->lambda);
    cairn_ops_right_side(&system->ops, rows->v, rows->b);
    cairn_ops_diagonal(&system->ops, rows->D);
    for (size_t i = 0; i < count; i++) {
        rows->D[i] = rows->D[i] == 0 ? 1 : fabs(rows->D[i]);
        rows->group[i] = -1;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        for (int k = 0; k < 3 + problem->frictions[f].spin_rows; k++) {
            rows->group[problem->frictions[f].normal + k] = f;
        }
    }
    return cairn_ok();
}

static bool is_cone(const CairnFriction *friction) {
    return friction->kind == CAIRN_FRICTION_CONE || friction->kind == CAIRN_FRICTION_COULOMB;
}

// The natural map of a row with bounds, m/s.
static double row_residual(const Rows *rows, int i) {
    const CairnProblem *problem = rows->problem;
    const CairnFriction *friction = rows->group[i] >= 0 ? &problem->frictions[rows->group[i]] : NULL;
    double lower = problem->lower[i], upper = problem->upper[i];
    double lever =
        friction && friction->kind != CAIRN_FRICTION_BOX ? cairn_law_row_lever(friction, i) : -1; // below 0: they stand
    if (lever >= 0) {
        upper = lever * cairn_max(0, rows->lambda[friction->normal]);
        lower = -upper;
    }
    return fabs(
        cairn_clamp(rows->w[i], rows->D[i] * (rows->lambda[i] - upper), rows->D[i] * (rows->lambda[i] - lower)));
}

// Squared natural map of a cone, m/s. Its step is 1 / trace, with which it is no smaller than with 1 / norm.
static double cone_residual(const Rows *rows, const CairnFriction *friction) {
    int n = friction->normal;
    const double *w = rows->w + n, *r = rows->lambda + n;
    double norm = rows->D[n] + rows->D[n + 1] + rows->D[n + 2], x[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        x[k] = norm * r[k] - w[k];
    }
    x[0] -= friction->kind == CAIRN_FRICTION_COULOMB ? friction->mu * hypot(w[1], w[2]) : 0;
    cairn_law_project(friction->mu, x);
    for (int k = 0; k < 3; k++) {
        sum += (norm * r[k] - x[k]) * (norm * r[k] - x[k]);
    }
    return sum;
}

// The largest residual of a row, or the length of those of all cones, rows times their weights. Where all rows weigh
// the same the referee holds cones against |b| of all of them, if that is more than the scale: they count less then.
static double measure(const Rows *rows, const CairnComponents *components) {
    const CairnProblem *problem = rows->problem;
    const double *weight = components->weight;
    double largest = 0, sum = 0, right_side = 0;
    for (int i = 0; i < problem->row_count; i++) {
        const CairnFriction *friction = rows->group[i] >= 0 ? &problem->frictions[rows->group[i]] : NULL;
        if (friction && is_cone(friction) && i < friction->normal + 3) {
            continue;
        }
        largest = cairn_ops_larger(largest, (weight ? weight[i] : 1) * row_residual(rows, i));
    }
    for (int f = 0; f < problem->friction_count; f++) {
        if (is_cone(&problem->frictions[f])) {
            double own = weight ? weight[problem->frictions[f].normal] : 1;
            sum += own * own * cone_residual(rows, &problem->frictions[f]);
        }
        const double *q = rows->b + problem->frictions[f].normal;
        right_side += q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    }
    double share = !weight && sqrt(right_side) > components->scale ? components->scale / sqrt(right_side) : 1;
    return cairn_ops_larger(largest, share * sqrt(sum));
}

// Half of the certificate: the referee's own w is rounded in other places.
static const double certificate = 0.5e-8, known = 1e-10;

CairnStatus cairn_sor_claim(const SorSystem *system, CairnArena *arena, bool *is_certified) {
    const CairnProblem *problem = system->problem;
    CairnArenaMark mark = cairn_arena_mark(arena);
    Rows rows;
    CAIRN_TRY(evaluate(system, arena, &rows));
    CairnComponents components = {.b = rows.b, .D = rows.D, .lower = problem->lower, .upper = problem->upper};
    CAIRN_TRY(cairn_components_weigh(&components, problem, arena));
    double rest = DBL_EPSILON * problem->rest_speed;
    double *v = rows.v; // of no impulses, for the digits that b has
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        cairn_ops_velocity(&system->ops, NULL, v);
    }
    CairnComponents digits = components;
    digits.v = problem->form == CAIRN_FORM_DYNAMICS ? v : NULL;
    CAIRN_TRY(cairn_components_weigh(&digits, problem, arena));
    cairn_ops_slack(&system->ops, rows.lambda, v, rows.w);
    *is_certified = measure(&rows, &components) <= certificate * components.scale + rest ||
                    measure(&rows, &digits) <= known * digits.scale + rest;
    cairn_arena_release(arena, mark);
    return cairn_ok();
}

CairnStatus cairn_sor_scale(const SorSystem *system, CairnArena *arena, double *scale) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    int rows = system->problem->row_count;
    double *b = CAIRN_PUSH(arena, double, rows + 1), *v = CAIRN_PUSH(arena, double, system->problem->dof_count + 1);
    if (!b || !v) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", system->settings.name, rows);
    }
    cairn_ops_right_side(&system->ops, v, b);
    *scale = 0;
    for (int i = 0; i < rows; i++) {
        *scale = cairn_max(*scale, fabs(b[i]));
    }
    cairn_arena_release(arena, mark);
    return cairn_ok();
}
