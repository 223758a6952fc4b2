// The list of built-in solvers; the first is the default. To add one: its own .c/.h pair and a line here.
#include <cairn/solver.h>

#include <string.h>

#include "solvers/admm/subadmm.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/nnewton.h"
#include "solvers/exact/pgs_cg.h"
#include "solvers/exact/pgs_sm.h"
#include "solvers/schur/fbic.h"
#include "solvers/schur/schur.h"
#include "solvers/sweeps/pgs.h"
#include "solvers/sweeps/psor.h"
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
