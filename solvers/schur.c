#include "solvers/schur.h"

#include <math.h>
#include <string.h>

#include "engine/base/hash.h"
#include "solvers/bpp.h"
#include "solvers/ipm.h"
#include "solvers/ipm_cone.h"
#include "solvers/pgs_sm.h"
#include "solvers/substructure.h"

static const CairnField schur_fields[] = {
    CAIRN_FIELD_CHOICE(CairnSchurOptions, formulation, 0, cairn_formulation_names, "of the subsystems' linear systems"),
    CAIRN_FIELD_CHOICE(CairnSchurOptions, interface, 0, cairn_formulation_names,
                       "of the interface's (dense: S itself, as the paper)"),
    CAIRN_FIELD_INT(CairnSchurOptions, kmax, 10, 1, 100000, "most coupling iterations"),
    CAIRN_FIELD_INT(CairnSchurOptions, iterations, 50, 1, 100000, "most pivoting steps (rounds) of one solve"),
    CAIRN_FIELD_INT(CairnSchurOptions, singles, 5, 1, 1000, "single pivots after a cycle"),
    CAIRN_FIELD_INT(CairnSchurOptions, patience, 3, 1, 100000,
                    "steps of one solve without fewer broken signs before ipm takes over; not under faithful"),
    CAIRN_FIELD_BOOL(CairnSchurOptions, faithful, 0,
                     "as the paper: tolerance 1e-5, constraint space, dense S, and nothing behind kmax"),
    CAIRN_FIELD_BOOL(CairnSchurOptions, warm, 1, "start from the last step's index sets"),
};

static const CairnFieldTable schur_options = CAIRN_FIELD_TABLE("schur", CairnSchurOptions, schur_fields);

typedef CairnStatus (*Inner)(CairnExact *exact, const CairnSchurOptions *options, CairnOutcome *outcome);

typedef struct Schur {
    const CairnSchurOptions *options;
    CairnSubstructure *sub;
    Inner solve_interface;
    int *coupling; // iterations so far
} Schur;

static CairnStatus pivot(CairnExact *exact, const CairnSchurOptions *options, CairnOutcome *outcome) {
    CairnBppOptions bpp = {.iterations = options->iterations,
                           .singles = options->singles,
                           .patience = options->patience,
                           .faithful = options->faithful};
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnStatus status = cairn_bpp_pivot(exact, &bpp, outcome);
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

static CairnStatus sweep_and_solve(CairnExact *exact, const CairnSchurOptions *options, CairnOutcome *outcome) {
    CairnPgsSmOptions sm = {
        .iterations = options->iterations, .sweeps = 10, .subspace = 20, .faithful = options->faithful, .warm = true};
    return cairn_pgs_sm_run(exact, &sm, outcome);
}

// ---- subsystems, each in its thread --------------------------------------------------------------------------------------

// Is the factor that of the sets?
static bool is_settled(const CairnExact *exact) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool is_out = exact->is_held[i] || exact->place[i] != CAIRN_FREE;
        if (!exact->has_factor || isinf(exact->theta[i]) != is_out || (!is_out && exact->theta[i] != 0)) {
            return false;
        }
    }
    return true;
}

static CairnStatus solve_first(CairnSubsystem *s, void *user) {
    (void)user;
    return cairn_exact_solve_sets(&s->exact);
}

static CairnStatus solve_changed(CairnSubsystem *s, void *user) {
    (void)user;
    return is_settled(&s->exact) ? cairn_ok() : cairn_exact_solve_sets(&s->exact);
}

static CairnStatus pivot_one(CairnSubsystem *s, void *user) {
    memcpy(s->before, s->exact.place, (size_t)s->inner.problem.row_count);
    return pivot(&s->exact, user, &s->outcome);
}

// ---- one coupling iteration ----------------------------------------------------------------------------------------------

static CairnStatus solve_interface(const Schur *schur, CairnOutcome *outcome) {
    CairnSubstructure *sub = schur->sub;
    CairnInterface *g = &sub->interface;
    CAIRN_TRY(cairn_substructure_reduce(sub));
    cairn_substructure_aim(sub);
    g->exact.iterations = 0;
    CAIRN_TRY(schur->solve_interface(&g->exact, schur->options, outcome));
    sub->whole->iterations += g->exact.iterations;
    for (int i = 0; i < g->row_count; i++) {
        sub->whole->lambda[g->rows[i]] = g->exact.lambda[i];
        sub->whole->place[g->rows[i]] = g->exact.place[i];
    }
    cairn_substructure_push(sub);
    return cairn_ok();
}

typedef struct Round {
    bool is_settled;  // no set has changed
    bool is_good;     // what came out is the answer
    bool is_hopeless; // somebody did not arrive
    uint64_t sets;    // a hash of all
} Round;

static CairnStatus couple(const Schur *schur, int k, Round *round) {
    CairnSubstructure *sub = schur->sub;
    CairnExact *whole = sub->whole;
    CairnOutcome outcome = CAIRN_CONVERGED;
    CAIRN_TRY(cairn_substructure_each(sub, k == 0 ? solve_first : solve_changed, NULL));
    if (sub->interface.row_count > 0) {
        cairn_substructure_pull(sub);
        cairn_exact_measure(whole);
        CAIRN_TRY(solve_interface(schur, &outcome));
    }
    CAIRN_TRY(cairn_substructure_each(sub, pivot_one, (void *)(uintptr_t)schur->options));
    cairn_substructure_pull(sub);
    double measure = cairn_exact_measure(whole);
    *round =
        (Round){.is_settled = true, .is_hopeless = outcome != CAIRN_CONVERGED, .is_good = measure <= whole->target};
    for (int i = 0; i < sub->count; i++) {
        CairnSubsystem *s = &sub->subsystems[i];
        size_t rows = (size_t)s->inner.problem.row_count;
        round->is_settled = round->is_settled && memcmp(s->before, s->exact.place, rows) == 0;
        round->is_hopeless = round->is_hopeless || s->outcome != CAIRN_CONVERGED;
        round->sets = cairn_hash_combine(round->sets, cairn_hash_bytes(s->exact.place, rows));
        whole->iterations += s->exact.iterations;
        s->exact.iterations = 0;
    }
    round->is_settled = round->is_settled || sub->interface.row_count == 0;
    ++*schur->coupling;
    if (whole->context->trace) {
        whole->context->trace(whole->context->trace_user, (CairnTraceEntry){*schur->coupling, measure});
    }
    return cairn_ok();
}

static bool has_seen(uint64_t *seen, int count, uint64_t sets) {
    for (int i = 0; i < count; i++) {
        if (seen[i] == sets) {
            return true;
        }
    }
    seen[count] = sets;
    return false;
}

static CairnStatus iterate(const Schur *schur, CairnOutcome *outcome) {
    const CairnSchurOptions *options = schur->options;
    uint64_t *seen = CAIRN_PUSH(schur->sub->context->arena, uint64_t, options->kmax + 1);
    if (seen == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "schur: no memory for %d index sets", options->kmax);
    }
    *outcome = CAIRN_AT_LIMIT;
    for (int k = 0; k < options->kmax && *outcome == CAIRN_AT_LIMIT; k++) {
        Round round;
        CairnStatus status = couple(schur, k, &round);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        if (round.is_settled || (!options->faithful && round.is_good)) {
            *outcome = CAIRN_CONVERGED;
        } else if (!options->faithful && (round.is_hopeless || has_seen(seen, k, round.sets))) {
            *outcome = CAIRN_STALLED;
        }
    }
    return cairn_ok();
}

// ---- the whole -----------------------------------------------------------------------------------------------------------

static void start_cold(CairnExact *whole) {
    for (int i = 0; i < whole->problem->row_count; i++) {
        whole->lambda[i] = whole->is_held[i] ? whole->lambda[i] : 0;
        whole->place[i] = whole->is_held[i] ? CAIRN_HELD : CAIRN_FREE;
    }
}

// What the sets of all together give, with pivots of the whole where signs are broken yet; then ipm from the last step's impulses, as
// bpp hands over. Both by the subsystems' factors.
static CairnStatus finish(CairnExact *whole, const CairnSchurOptions *options, const double *start,
                          CairnOutcome *outcome) {
    double measure = cairn_exact_measure(whole);
    if (cairn_exact_clamp(whole) <= whole->limit) {
        *outcome = CAIRN_CONVERGED;
        return cairn_ok();
    }
    if (*outcome != CAIRN_STALLED) {
        CAIRN_TRY(cairn_exact_settle(whole, 3, &measure));
        if (measure <= whole->limit) {
            *outcome = CAIRN_CONVERGED;
            return cairn_ok();
        }
    }
    CairnIpmOptions ipm = {.iterations = 100, .warm = options->warm};
    whole->fallback = 1;
    memcpy(whole->lambda, start, (size_t)whole->problem->row_count * sizeof *start);
    return cairn_ipm_follow(whole, &ipm, outcome);
}

static CairnStatus run_schur(CairnExact *whole, const void *user, CairnOutcome *outcome) {
    const Schur *schur = user;
    const CairnSchurOptions *options = schur->options;
    size_t rows = (size_t)whole->problem->row_count;
    double *start = CAIRN_PUSH(whole->context->arena, double, rows + 1);
    if (start == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "schur: no memory for %zu rows", rows);
    }
    memcpy(start, whole->lambda, rows * sizeof *start);
    whole->has_factor = false;
    if (options->warm) {
        bool is_answer = cairn_exact_measure(whole) <= whole->target;
        cairn_exact_predict(whole);
        if (is_answer && !options->faithful) {
            *outcome = CAIRN_CONVERGED;
            return cairn_ok();
        }
    } else {
        start_cold(whole);
    }
    cairn_substructure_take(schur->sub);
    CAIRN_TRY(iterate(schur, outcome));
    whole->system.raised = fmax(whole->system.raised, cairn_substructure_raised(schur->sub));
    if (options->faithful) {
        cairn_exact_clamp(whole);
        return cairn_ok();
    }
    return finish(whole, options, start, outcome);
}

static CairnStatus solve(const char *name, Inner inner, const CairnProblem *problem, const CairnParts *parts,
                         const void *options, CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnSchurOptions chosen;
    cairn_fields_preset(&schur_options, &chosen);
    if (options) {
        chosen = *(const CairnSchurOptions *)options;
        CAIRN_TRY(cairn_fields_check(&schur_options, &chosen));
    }
    CairnExact whole;
    CairnSubstructure sub;
    CairnFormulation subsystem = (CairnFormulation)chosen.formulation, interface = (CairnFormulation)chosen.interface;
    if (chosen.faithful && subsystem == CAIRN_FORMULATION_AUTO) {
        subsystem = CAIRN_FORMULATION_CONSTRAINT;
    }
    if (chosen.faithful && interface == CAIRN_FORMULATION_AUTO) {
        interface = CAIRN_FORMULATION_DENSE;
    }
    CairnSubstructureOptions how = {.subsystem = subsystem, .interface = interface, .steps = chosen.iterations};
    double *answer = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (answer == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", name, problem->row_count);
    }
    int coupling = 0;
    CairnSolveReport found = {0};
    CairnStatus status = cairn_substructure_init(&sub, name, problem, parts, &how, context, &whole, lambda);
    if (cairn_is_ok(status)) {
        Schur schur = {&chosen, &sub, inner, &coupling};
        status = cairn_exact_run(&whole, name, run_schur, &schur, answer, &found);
        found.coupling = coupling;
        found.factorizations = cairn_substructure_factorizations(&sub);
    }
    cairn_substructure_release(&sub);
    if (cairn_is_ok(status) && !chosen.faithful) {
        CairnSolverContext alone = *context; // what is kept is of another shape
        alone.memory = NULL;
        status = cairn_ipm_cone_finish(problem, CAIRN_FORMULATION_AUTO, &alone, answer, &found);
    }
    if (cairn_is_ok(status)) {
        memcpy(lambda, answer, (size_t)problem->row_count * sizeof *lambda);
        *report = found;
    }
    return status;
}

static CairnStatus solve_schur_bpp(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                   CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    return solve("schur-bpp", pivot, problem, parts, options, context, lambda, report);
}

static CairnStatus solve_schur_pgs_sm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                      CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    return solve("schur-pgs-sm", sweep_and_solve, problem, parts, options, context, lambda, report);
}

const CairnSolver cairn_solver_schur_bpp = {
    .name = "schur-bpp",
    .summary = "substructured block principal pivoting, exact, ipm behind it",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_NEEDS_PARTITION,
    .options = &schur_options,
    .solve = solve_schur_bpp,
    .forget = cairn_substructure_forget,
};

const CairnSolver cairn_solver_schur_pgs_sm = {
    .name = "schur-pgs-sm",
    .summary = "the same with sweeps and exact solves at the interface",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_NEEDS_PARTITION,
    .options = &schur_options,
    .solve = solve_schur_pgs_sm,
    .forget = cairn_substructure_forget,
};
