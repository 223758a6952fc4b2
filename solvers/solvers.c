// The list of built-in solvers; the first is the default. To add one: its own .c/.h pair and a line here.
#include "solvers/solvers.h"

#include <math.h>
#include <string.h>

#include "solvers/bpp.h"
#include "solvers/fbic.h"
#include "solvers/ipm.h"
#include "solvers/ipm_cone.h"
#include "solvers/nnewton.h"
#include "solvers/pgs.h"
#include "solvers/pgs_cg.h"
#include "solvers/pgs_sm.h"
#include "solvers/psor.h"
#include "solvers/schur.h"
#include "solvers/subadmm.h"
#ifdef CAIRN_CHOLMOD
#include "solvers/cholmod/bpp_cholmod.h"
#endif

// A line each; one inside a condition would make the formatter fill the lines.
// clang-format off
static const CairnSolver *const solvers[] = {
    &cairn_solver_bpp,
    &cairn_solver_ipm,
    &cairn_solver_ipm_cone,
    &cairn_solver_pgs,
    &cairn_solver_pgs_sm,
    &cairn_solver_psor,
    &cairn_solver_pssor,
    &cairn_solver_pj,
    &cairn_solver_nnewton,
    &cairn_solver_schur_bpp,
    &cairn_solver_schur_pgs_sm,
    &cairn_solver_fbic,
    &cairn_solver_subadmm,
    &cairn_solver_fadmm,
    &cairn_solver_pgs_cg,
#ifdef CAIRN_CHOLMOD
    &cairn_solver_bpp_cholmod,
#endif
};
// clang-format on

enum { SOLVER_COUNT = sizeof(solvers) / sizeof(solvers[0]) };

int cairn_solver_count(void) {
    return SOLVER_COUNT;
}

const CairnSolver *cairn_solver_at(int index) {
    return index >= 0 && index < SOLVER_COUNT ? solvers[index] : NULL;
}

CairnStatus cairn_solver_find(const char *name, const CairnSolver **solver) {
    if (!name || !solver) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "solver: %s is NULL", name ? "the place for the answer" : "name");
    }
    const char *names[SOLVER_COUNT];
    for (int i = 0; i < SOLVER_COUNT; i++) {
        names[i] = solvers[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *solver = solvers[i];
            return cairn_ok();
        }
    }
    char near[96];
    cairn_near_names(name, names, SOLVER_COUNT, near, sizeof near);
    return cairn_error(CAIRN_NOT_FOUND, "solver \"%.60s\" is unknown%s%s", name, near[0] ? "; near: " : "", near);
}

const char *cairn_outcome_name(CairnOutcome outcome) {
    static const char *const names[CAIRN_OUTCOME_COUNT] = {"converged", "at limit", "stalled", "singular", "diverged"};
    return (int)outcome >= 0 && outcome < CAIRN_OUTCOME_COUNT ? names[outcome] : "unknown";
}

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
