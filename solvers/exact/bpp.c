#include "solvers/exact/bpp.h"

#include <string.h>

#include "engine/base/hash.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/problem/accept.h"

static const CairnField bpp_fields[] = {
    CAIRN_FIELD_CHOICE(CairnBppOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnBppOptions, iterations, 50, 1, 100000, "most pivoting steps"),
    CAIRN_FIELD_INT(CairnBppOptions, singles, 5, 1, 1000, "single pivots after a cycle"),
    CAIRN_FIELD_INT(CairnBppOptions, patience, 2, 1, 100000,
                    "steps without fewer broken signs before ipm takes over; where they are many and not halved a "
                    "step counts twice; not under faithful"),
    CAIRN_FIELD_BOOL(CairnBppOptions, faithful, 0, "as the paper: tolerance 1e-5, and no ipm behind it"),
    CAIRN_FIELD_BOOL(CairnBppOptions, warm, 1, "start from the last step's index sets"),
};

static const CairnFieldTable bpp_options = CAIRN_FIELD_TABLE("bpp", CairnBppOptions, bpp_fields);

static const double faithful_tolerance = 1e-5; // eta, S0 table 1

// How far row i violates its index set beyond the tolerance. S0 compares impulses (N s) and velocities (m/s) with the
// same number eta.
static double broken(const CairnExact *exact, const CairnBppOptions *options, int i) {
    double violation = cairn_exact_violation(exact, i);
    if (!options->faithful) {
        return violation - exact->target;
    }
    bool is_impulse = exact->set[i] == CAIRN_SET_FREE;
    return (is_impulse ? violation / exact->D[i] : violation) - faithful_tolerance;
}

static uint64_t hash_of(const CairnExact *exact) {
    return cairn_hash_bytes(exact->set, (size_t)exact->problem->row_count);
}

// The sets seen so far in open addressing, at most half full.
typedef struct Seen {
    uint64_t *slots;
    size_t mask;
} Seen;

static bool has_seen(Seen *seen, uint64_t hash) {
    hash += hash == 0; // zero marks an empty slot
    for (size_t i = (size_t)hash & seen->mask;; i = (i + 1) & seen->mask) {
        if (seen->slots[i] == hash) {
            return true;
        }
        if (seen->slots[i] == 0) {
            seen->slots[i] = hash;
            return false;
        }
    }
}

static CairnStatus make_seen(Seen *seen, int steps, CairnArena *arena) {
    size_t size = 4;
    while (size < 2 * (size_t)steps + 2) {
        size *= 2;
    }
    *seen = (Seen){CAIRN_PUSH_ZERO(arena, uint64_t, size), size - 1};
    if (seen->slots == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bpp: no memory for %d index sets", steps);
    }
    return cairn_ok();
}

// Move all rows that break a sign, or only the last of them (Murty's rule, which does not cycle).
static int pivot(CairnExact *exact, const CairnBppOptions *options, bool is_single) {
    int count = 0, last = -1;
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (broken(exact, options, i) > 0) {
            count++;
            last = i;
            if (!is_single) {
                cairn_exact_flip(exact, i);
            }
        }
    }
    if (is_single && last >= 0) {
        cairn_exact_flip(exact, last);
    }
    return count;
}

// Whether the solve with the index sets is the answer: its measure, with the impulses clamped to their bounds, is
// small enough.
static bool accept(CairnExact *exact, const CairnBppOptions *options) {
    double measure = cairn_exact_clamp(exact);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    return !options->faithful && measure <= exact->target;
}

CairnStatus cairn_bpp_pivot(CairnExact *exact, const CairnBppOptions *options, CairnOutcome *outcome) {
    Seen seen;
    CAIRN_TRY(make_seen(&seen, options->iterations, exact->context->arena));
    enum { FEW = 16, OFTEN = 4 };
    int singles = 0, fewest = exact->problem->row_count / OFTEN, since = 0;
    fewest = fewest > FEW && !options->faithful ? fewest : exact->problem->row_count + 1;
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < options->iterations; k++) {
        if (has_seen(&seen, hash_of(exact)) && singles == 0) {
            singles = options->singles;
        }
        CairnStatus status = cairn_exact_solve_sets(exact);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        exact->iterations++;
        int count = pivot(exact, options, singles > 0);
        singles -= singles > 0;
        if (accept(exact, options) || count == 0) {
            *outcome = CAIRN_OUTCOME_CONVERGED;
            return cairn_ok();
        }
        // Many that do not soon become few are about to cycle: two such steps in one.
        bool is_better = count <= FEW ? count < fewest : 2 * count <= fewest;
        since = is_better ? 0 : since + (count <= FEW ? 1 : 2);
        fewest = count < fewest ? count : fewest;
        if (!options->faithful && since >= options->patience) {
            *outcome = CAIRN_OUTCOME_STALLED;
            return cairn_ok();
        }
    }
    return cairn_ok();
}

CairnStatus cairn_bpp_run(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    const CairnBppOptions *chosen = options;
    CairnStart start;
    CAIRN_TRY(cairn_start_init(&start, exact, chosen->warm));
    start.is_answer = start.is_answer && !chosen->faithful;
    if (!chosen->warm) {
        memset(exact->set, CAIRN_SET_FREE, (size_t)exact->problem->row_count);
    }
    bool is_hopeless = exact->context->is_rough && !chosen->faithful;
    *outcome = CAIRN_OUTCOME_STALLED;
    if (!is_hopeless) {
        CairnBppOptions pivoting = *chosen;
        pivoting.iterations = start.is_answer ? 1 : chosen->iterations;
        CAIRN_TRY(cairn_bpp_pivot(exact, &pivoting, outcome));
    }
    if (chosen->faithful || (*outcome == CAIRN_OUTCOME_CONVERGED && cairn_exact_clamp(exact) <= exact->limit)) {
        return cairn_ok();
    }
    if (cairn_start_take(&start, exact)) { // the iterate at which pivoting ended is not used
        *outcome = CAIRN_OUTCOME_CONVERGED;
        return cairn_ok();
    }
    CairnIpmOptions ipm = {.formulation = chosen->formulation, .iterations = 100, .warm = chosen->warm};
    exact->fallback = 1;
    exact->finisher = cairn_solver_ipm.name;
    return cairn_ipm_follow(exact, &ipm, outcome);
}

static CairnStatus solve_bpp(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnBppOptions chosen;
    CAIRN_TRY(cairn_solver_options(&bpp_options, options, &chosen));
    CairnExactSolver solver = {.setup = {.name = "bpp",
                                         .system.formulation = (CairnFormulation)chosen.formulation,
                                         .may_ask = !chosen.faithful},
                               .method = cairn_bpp_run,
                               .options = &chosen,
                               .is_final = chosen.faithful,
                               .finish = chosen.faithful ? NULL : cairn_ipm_cone_finish};
    return cairn_exact_solve(&solver, problem, context, lambda, report);
}

const CairnSolver cairn_solver_bpp = {
    .name = "bpp",
    .summary = "block principal pivoting over box bounds, exact, ipm behind it",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT,
    .options = &bpp_options,
    .solve = solve_bpp,
    .forget = cairn_system_forget,
};
