#include "solvers/cholmod/bpp_cholmod.h"

#include "solvers/cholmod/linalg_cholmod.h"
#include "solvers/exact/bpp.h"
#include "solvers/problem/accept.h"

static const char *const methods[] = {"simplicial", "supernodal", NULL}, *const symbolics[] = {"each", "once", NULL};

static const CairnField fields[] = {
    CAIRN_FIELD_CHOICE(CairnBppCholmodOptions, method, CAIRN_CHOLMOD_SIMPLICIAL, methods, "the form of the factor"),
    CAIRN_FIELD_CHOICE(CairnBppCholmodOptions, symbolic, CAIRN_CHOLMOD_EACH, symbolics,
                       "analyse the free rows at each pivot, or all rows once a solve"),
    CAIRN_FIELD_INT(CairnBppCholmodOptions, iterations, 50, 1, 100000, "most pivoting steps"),
    CAIRN_FIELD_INT(CairnBppCholmodOptions, singles, 5, 1, 1000, "single pivots after a cycle"),
    CAIRN_FIELD_INT(CairnBppCholmodOptions, patience, 3, 1, 100000,
                    "steps without fewer broken signs before ipm takes over; not under faithful"),
    CAIRN_FIELD_BOOL(CairnBppCholmodOptions, faithful, 0,
                     "as the paper: tolerance 1e-5, cold, a new factor at each pivot, no ipm behind it"),
    CAIRN_FIELD_BOOL(CairnBppCholmodOptions, warm, 1, "start from the last step's index sets; not under faithful"),
};

static const CairnFieldTable table = CAIRN_FIELD_TABLE("bpp-cholmod", CairnBppCholmodOptions, fields);

// A cold start does not depend on the impulses of the last step, not even in the last bits.
static void start_cold(CairnExact *exact) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (!exact->is_dead[i]) {
            exact->lambda[i] = exact->is_held[i] ? exact->lower[i] : 0;
        }
    }
}

static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnBppCholmodOptions chosen;
    CAIRN_TRY(cairn_solver_options(&table, options, &chosen));
    const CairnSystemKind *kind =
        cairn_system_cholmod((CairnCholmodMethod)chosen.method,
                             chosen.faithful ? CAIRN_CHOLMOD_EACH : (CairnCholmodSymbolic)chosen.symbolic);
    CairnBppOptions bpp = {.iterations = chosen.iterations,
                           .singles = chosen.singles,
                           .patience = chosen.patience,
                           .faithful = chosen.faithful,
                           .warm = chosen.warm && !chosen.faithful};
    CairnExactSetup setup = {.name = "bpp-cholmod", .system.kind = kind};
    CairnExact exact;
    CairnStatus status = cairn_exact_init(&exact, problem, &setup, context, lambda);
    if (cairn_is_ok(status)) {
        if (chosen.faithful) {
            start_cold(&exact);
        }
        status = cairn_exact_run(&exact, cairn_bpp_run, &bpp, lambda, report);
    }
    cairn_system_release(&exact.system);
    return status;
}

const CairnSolver cairn_solver_bpp_cholmod = {
    .name = "bpp-cholmod",
    .summary = "bpp in constraint space over CHOLMOD's factor, one thread: S0's baseline",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT,
    .options = &table,
    .solve = solve,
};
