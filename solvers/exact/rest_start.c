#include "solvers/exact/rest_start.h"

#include <string.h>

#include "engine/base/arena.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/problem/components.h"

// Which components have contacts of Coulomb's law that close, and no impulses; by their names. Returns the number of
// their rows.
static int find_cold(const CairnProblem *problem, const int *node, int names, const double *b, const double *lambda,
                     bool *is_cold) {
    int rows = 0;
    for (int k = 0; k < names; k++) {
        is_cold[k] = false;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        bool closes = friction->kind == CAIRN_FRICTION_COULOMB && b[friction->normal] < 0;
        is_cold[node[friction->normal]] = is_cold[node[friction->normal]] || closes;
    }
    for (int i = 0; i < problem->row_count; i++) {
        is_cold[node[i]] = is_cold[node[i]] && lambda[i] == 0;
    }
    for (int i = 0; i < problem->row_count; i++) {
        rows += is_cold[node[i]];
    }
    return rows;
}

static CairnStatus solve_convex(const CairnProblem *problem, const CairnParts *parts, const CairnSolverContext *context,
                                double *lambda, int *factors) {
    CairnSolverContext alone = *context;
    CairnSolveReport report = {0};
    CairnProblem convex = *problem;
    CairnFriction *frictions = CAIRN_PUSH(context->arena, CairnFriction, problem->friction_count + 1);
    if (frictions == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "rest: no memory for %d contacts", problem->friction_count);
    }
    for (int f = 0; f < problem->friction_count; f++) {
        frictions[f] = problem->frictions[f];
        bool is_coulomb = frictions[f].kind == CAIRN_FRICTION_COULOMB;
        frictions[f].kind = is_coulomb ? CAIRN_FRICTION_CONE : frictions[f].kind;
    }
    convex.frictions = frictions;
    alone.checked = &convex;
    alone.memory = NULL;
    alone.review = NULL;
    CairnStatus status = cairn_solver_ipm_cone.solve(&convex, parts, NULL, &alone, lambda, &report);
    *factors = report.factorizations;
    return status;
}

CairnStatus cairn_rest_start(const CairnProblem *problem, const CairnParts *parts, const CairnSolverContext *context,
                             const double *b, double *lambda, int *factors) {
    int rows = problem->row_count, names = (problem->form == CAIRN_FORM_EXPLICIT ? rows : problem->block_count) + 1;
    CairnArenaMark mark = cairn_arena_mark(context->arena);
    int *parent = CAIRN_PUSH(context->arena, int, names), *node = CAIRN_PUSH(context->arena, int, rows + 1);
    bool *is_cold = CAIRN_PUSH(context->arena, bool, names);
    double *found = CAIRN_PUSH(context->arena, double, rows + 1);
    CairnStatus status = cairn_ok();
    *factors = 0;
    if (parent == NULL || node == NULL || is_cold == NULL || found == NULL) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "rest: no memory for %d rows", rows);
        goto done;
    }
    cairn_components_name(problem, parent, node);
    int cold = find_cold(problem, node, names, b, lambda, is_cold);
    if (cold == 0 || 2 * cold < rows) {
        goto done;
    }
    memcpy(found, lambda, (size_t)rows * sizeof *found);
    status = solve_convex(problem, parts, context, found, factors);
    for (int i = 0; i < rows && cairn_is_ok(status); i++) {
        lambda[i] = is_cold[node[i]] ? found[i] : lambda[i];
    }
done:
    cairn_arena_release(context->arena, mark);
    return status.code == CAIRN_NUMERIC ? cairn_ok() : status; // which leaves lambda as it was
}
