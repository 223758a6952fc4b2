// The list of built-in solvers; the first is the default. A new one takes a file and a line here.
#include <cairn/solver.h>

#include "engine/base/names.h"

// Where CHOLMOD is there.
#ifdef CAIRN_CHOLMOD
#define WITH_CHOLMOD(X) X(bpp_cholmod)
#else
#define WITH_CHOLMOD(X)
#endif

// The solvers: one line each.
// clang-format off
#define SOLVERS(X) \
    X(bpp) \
    X(auto) \
    X(ipm) \
    X(ipm_cone) \
    X(newton_cone) \
    X(pgs) \
    X(pgs_sm) \
    X(psor) \
    X(pssor) \
    X(pj) \
    X(nnewton) \
    X(schur_bpp) \
    X(schur_pgs_sm) \
    X(fbic) \
    X(subadmm) \
    X(fadmm) \
    X(pgs_cg) \
    WITH_CHOLMOD(X)
// clang-format on

#define DECLARE(name) extern const CairnSolver cairn_solver_##name;
SOLVERS(DECLARE)

#define LIST(name) &cairn_solver_##name,
static const CairnSolver *const solvers[] = {SOLVERS(LIST)};

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
    char hint[CAIRN_HINT_SIZE];
    for (int i = 0; i < SOLVER_COUNT; i++) {
        names[i] = solvers[i]->name;
    }
    int found = cairn_name_find(name, names, SOLVER_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "solver \"%.60s\" is unknown%s", name, hint);
    }
    *solver = solvers[found];
    return cairn_ok();
}

const char *cairn_outcome_name(CairnOutcome outcome) {
    static const char *const names[CAIRN_OUTCOME_COUNT] = {"converged", "at limit", "stalled", "singular", "diverged"};
    return (int)outcome >= 0 && outcome < CAIRN_OUTCOME_COUNT ? names[outcome] : "unknown";
}
