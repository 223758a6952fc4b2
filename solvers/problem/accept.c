#include "solvers/problem/accept.h"

#include <math.h>
#include <string.h>

static CairnStatus refuse(const CairnSolver *solver, const char *what, int index) {
    return cairn_error(CAIRN_UNSUPPORTED, "solver %s does not take %s (%d)", solver->name, what, index);
}

static CairnStatus accept_frictions(const CairnSolver *solver, const CairnProblem *problem) {
    static const struct {
        unsigned trait;
        const char *words;
    } kinds[CAIRN_FRICTION_KIND_COUNT] = {
        [CAIRN_FRICTION_BOX] = {CAIRN_TAKES_BOUNDS, "box"},
        [CAIRN_FRICTION_BOX_CURRENT] = {CAIRN_TAKES_BOX_CURRENT, "box-current"},
        [CAIRN_FRICTION_CONE] = {CAIRN_TAKES_CONE, "cone"},
        [CAIRN_FRICTION_COULOMB] = {CAIRN_TAKES_COULOMB, "coulomb"},
    };
    for (int i = 0; i < problem->friction_count; i++) {
        CairnFrictionKind kind = problem->frictions[i].kind;
        if ((int)kind < 0 || kind >= CAIRN_FRICTION_KIND_COUNT) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "problem: frictions[%d].kind = %d is unknown", i, (int)kind);
        }
        if (!(solver->traits & kinds[kind].trait)) {
            bool takes_box = (solver->traits & CAIRN_TAKES_BOUNDS) != 0;
            return cairn_error(CAIRN_UNSUPPORTED, "solver %s does not take %s friction%s", solver->name,
                               kinds[kind].words,
                               takes_box && kind != CAIRN_FRICTION_BOX ? ", but box (friction = box)" : "");
        }
    }
    return cairn_ok();
}

CairnStatus cairn_solver_accepts(const CairnSolver *solver, const CairnProblem *problem) {
    if (!solver || !problem) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s is NULL", solver ? "problem" : "solver");
    }
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        // A solver that takes any W takes symmetric ones too.
        if (!(solver->traits & (CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC))) {
            return refuse(solver, "the explicit form: form", (int)problem->form);
        }
        if (!problem->W_is_symmetric && !(solver->traits & CAIRN_TAKES_UNSYMMETRIC)) {
            return refuse(solver, "an unsymmetric W: W_is_symmetric", 0);
        }
    } else if (problem->coupling_count > 0 && !(solver->traits & CAIRN_TAKES_COUPLED_DYNAMICS)) {
        return refuse(solver, "off-diagonal blocks of P: coupling_count", problem->coupling_count);
    }
    CAIRN_TRY(accept_frictions(solver, problem));
    if (!(solver->traits & CAIRN_TAKES_BOUNDS)) {
        for (int i = 0; i < problem->row_count; i++) {
            if (!isinf(problem->lower[i]) || !isinf(problem->upper[i])) {
                return refuse(solver, "bounds: row", i);
            }
        }
    }
    return cairn_ok();
}

CairnStatus cairn_solver_refuse_cones(const char *solver, const CairnProblem *problem) {
    for (int i = 0; i < problem->friction_count; i++) {
        CairnFrictionKind kind = problem->frictions[i].kind;
        if (kind != CAIRN_FRICTION_BOX && kind != CAIRN_FRICTION_BOX_CURRENT) {
            return cairn_error(CAIRN_UNSUPPORTED, "solver %s does not take friction cones: friction group %d", solver,
                               i);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_solver_options(const CairnFieldTable *table, const void *given, void *chosen) {
    if (given == NULL) {
        cairn_fields_preset(table, chosen);
        return cairn_ok();
    }
    memcpy(chosen, given, table->size);
    return cairn_fields_check(table, chosen);
}
