#include "solvers/schur/schur.h"

#include <math.h>
#include <string.h>

#include "engine/base/timer.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/schur/schur_couple.h"
#include "solvers/system/formulation.h"

static const char *const coupling_names[] = {"auto", "together", "alternate", NULL};
static const char *const parts_solver_names[] = {"bpp", "pgs-sm", "pgs", "ipm", NULL};

enum { MOST_LEVELS = 6, MOST_LABEL = 1000000000 };

static const CairnField schur_fields[] = {
    CAIRN_FIELD_CHOICE(CairnSchurOptions, formulation, 0, cairn_formulation_names,
                       "of the subsystems' linear systems where coupling alternates"),
    CAIRN_FIELD_CHOICE(CairnSchurOptions, interface, 0, cairn_formulation_names,
                       "of the interface's there (dense: S itself, as the paper)"),
    CAIRN_FIELD_CHOICE(CairnSchurOptions, coupling, 0, coupling_names,
                       "interface and subsystems pivot together, or in turn as in algorithm 1"),
    CAIRN_FIELD_INT(CairnSchurOptions, levels, 1, 1, MOST_LEVELS,
                    "of substructures: above 1 each subsystem is substructured itself"),
    CAIRN_FIELD_CHOICE(CairnSchurOptions, parts_solver, 0, parts_solver_names,
                       "the subsystems' own; one that is not bpp alternates"),
    CAIRN_FIELD_INT(CairnSchurOptions, parts_group, -1, -1, MOST_LABEL,
                    "parts_solver is for the subsystems whose bodies all bear this label; -1: for all"),
    CAIRN_FIELD_INT(CairnSchurOptions, kmax, 10, 1, 100000, "most coupling iterations"),
    CAIRN_FIELD_INT(CairnSchurOptions, iterations, 50, 1, 100000, "most pivoting steps (rounds) of one solve"),
    CAIRN_FIELD_INT(CairnSchurOptions, singles, 5, 1, 1000, "single pivots after a cycle"),
    CAIRN_FIELD_INT(CairnSchurOptions, patience, 2, 1, 100000,
                    "steps of one solve without fewer broken signs before ipm takes over; not under faithful"),
    CAIRN_FIELD_BOOL(CairnSchurOptions, last, 0,
                     "under faithful: after kmax solve all sets at once, without pivoting (S0 8.3)"),
    CAIRN_FIELD_BOOL(CairnSchurOptions, faithful, 0,
                     "as the paper: tolerance 1e-5, constraint space, dense S, and nothing behind kmax"),
    CAIRN_FIELD_BOOL(CairnSchurOptions, warm, 1, "start from the last step's index sets"),
};

static const CairnFieldTable schur_options = CAIRN_FIELD_TABLE("schur", CairnSchurOptions, schur_fields);

static void start_cold(CairnExact *whole) {
    for (int i = 0; i < whole->problem->row_count; i++) {
        whole->lambda[i] = whole->is_held[i] ? whole->lambda[i] : 0;
        whole->set[i] = whole->is_held[i] ? CAIRN_SET_HELD : CAIRN_SET_FREE;
    }
}

static CairnStatus alternate(CairnSchur *schur, CairnOutcome *outcome) {
    CairnExact *whole = schur->sub->whole;
    double t0 = cairn_timer_now();
    CAIRN_TRY(cairn_substructure_cut(schur->sub));
    schur->phases.prepare += cairn_timer_now() - t0;
    CAIRN_TRY(cairn_schur_couple(schur, outcome));
    whole->system.raised = fmax(whole->system.raised, cairn_substructure_raised(schur->sub));
    return cairn_ok();
}

// Every pivot is a coupling iteration: S and z of the sets, all impulses, new sets.
static CairnStatus pivot_together(CairnSchur *schur, CairnOutcome *outcome) {
    const CairnSchurOptions *options = schur->options;
    CairnExact *whole = schur->sub->whole;
    int before = whole->iterations, factored, made;
    cairn_body_space_units(&whole->system, &factored);
    CairnBppOptions bpp = {
        .iterations = options->iterations, .singles = options->singles, .patience = options->patience};
    CAIRN_TRY(cairn_bpp_pivot(whole, &bpp, outcome));
    schur->coupling += whole->iterations - before;
    int units = cairn_body_space_units(&whole->system, &made);
    schur->changed += made - factored > units ? made - factored - units : 0; // all are new once
    return cairn_ok();
}

// Rows whose signs the sets break.
static int count_broken(const CairnExact *exact) {
    int count = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        count += cairn_exact_violation(exact, i) > exact->target;
    }
    return count;
}

// One solve with all index sets at once shows whether they are those of the answer (in bilateral systems always), or
// so far from them that alternating between subsystems and interface would not converge. `is_near`: alternating is
// worth trying.
static CairnStatus try_sets(CairnSchur *schur, bool *is_near) {
    enum { FEW = 16 };
    CairnExact *whole = schur->sub->whole;
    CairnStatus status = cairn_exact_solve_sets(whole);
    schur->coupling++;
    whole->iterations++;
    *is_near = false;
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    *is_near = count_broken(whole) <= FEW;
    return cairn_ok();
}

static CairnStatus alternate_if_near(CairnSchur *schur, CairnOutcome *outcome) {
    CairnExact *whole = schur->sub->whole;
    bool is_near;
    CAIRN_TRY(try_sets(schur, &is_near));
    if (cairn_exact_clamp(whole) <= whole->target) {
        *outcome = CAIRN_OUTCOME_CONVERGED;
        return cairn_ok();
    }
    *outcome = CAIRN_OUTCOME_STALLED;
    return is_near ? alternate(schur, outcome) : cairn_ok();
}

// Of the certificate: the referee sums in another order, and at the very edge it may see the other side.
static const double well_inside = 0.5;

// Solve with the index sets of all rows together, pivoting on the whole where sets are still violated; then, where
// that does not converge, ipm from the last step's impulses, as in bpp.
static CairnStatus finish(CairnExact *whole, const CairnSchurOptions *options, const CairnStart *start,
                          CairnOutcome *outcome) {
    double measure = cairn_exact_measure(whole);
    if (cairn_exact_clamp(whole) <= whole->target) {
        *outcome = CAIRN_OUTCOME_CONVERGED;
        return cairn_ok();
    }
    if (*outcome != CAIRN_OUTCOME_STALLED) {
        CAIRN_TRY(cairn_exact_pivot(whole, 3, &measure));
        if (measure <= well_inside * whole->limit) {
            *outcome = CAIRN_OUTCOME_CONVERGED;
            return cairn_ok();
        }
    }
    CairnIpmOptions ipm = {.iterations = 100, .warm = options->warm};
    whole->fallback = 1;
    whole->finisher = cairn_solver_ipm.name;
    cairn_start_take(start, whole);
    return cairn_ipm_follow(whole, &ipm, outcome);
}

// As printed, and at most one solve more.
static CairnStatus run_faithful(CairnSchur *schur, CairnOutcome *outcome) {
    CairnExact *whole = schur->sub->whole;
    CAIRN_TRY(alternate(schur, outcome));
    if (schur->options->last && *outcome != CAIRN_OUTCOME_CONVERGED) {
        CairnStatus status = cairn_exact_solve_sets(whole);
        if (status.code != CAIRN_NUMERIC) {
            CAIRN_TRY(status);
        }
    }
    cairn_exact_clamp(whole);
    return cairn_ok();
}

static bool is_together(const CairnSchur *schur) {
    const CairnSchurOptions *options = schur->options;
    bool would = !schur->sweeps_interface && options->parts_solver == CAIRN_PARTS_BPP;
    return options->coupling == CAIRN_COUPLING_TOGETHER || (options->coupling == CAIRN_COUPLING_AUTO && would);
}

static CairnStatus couple_by_options(CairnSchur *schur, CairnExact *whole, CairnOutcome *outcome) {
    const CairnSchurOptions *options = schur->options;
    CairnStart start;
    CAIRN_TRY(cairn_start_init(&start, whole, options->warm));
    whole->has_factor = false;
    whole->solve_tolerance = 0.1 * whole->target; // a subsystem that changes next may have the rest
    if (start.is_answer && !options->faithful) {
        *outcome = CAIRN_OUTCOME_CONVERGED;
        return cairn_ok();
    }
    if (!options->warm) {
        start_cold(whole);
    }
    if (options->faithful) {
        return run_faithful(schur, outcome);
    }
    if (is_together(schur)) {
        CAIRN_TRY(pivot_together(schur, outcome));
    } else if (options->coupling == CAIRN_COUPLING_ALTERNATE || options->parts_solver != CAIRN_PARTS_BPP) {
        CAIRN_TRY(alternate(schur, outcome));
    } else {
        CAIRN_TRY(alternate_if_near(schur, outcome));
    }
    return finish(whole, options, &start, outcome);
}

static CairnStatus run_schur(CairnExact *whole, const void *user, CairnOutcome *outcome) {
    CairnSchur *schur = (CairnSchur *)(uintptr_t)user;
    CairnStatus status = couple_by_options(schur, whole, outcome);
    cairn_substructure_close_cut(schur->sub);
    return status;
}

static CairnSubstructureOptions cut_options(const CairnSchurOptions *chosen, const CairnProblem *problem) {
    bool has_current = cairn_law_find(problem, CAIRN_FRICTION_BOX_CURRENT) >= 0;
    CairnSubstructureOptions cut = {
        .subsystem = (CairnFormulation)chosen->formulation,
        .interface = (CairnFormulation)chosen->interface,
        .steps = chosen->iterations,
        .levels = chosen->levels,
        .has_factor = !chosen->faithful || chosen->last || has_current,
    };
    if (chosen->faithful && cut.subsystem == CAIRN_FORMULATION_AUTO) {
        cut.subsystem = CAIRN_FORMULATION_CONSTRAINT;
    }
    if (chosen->faithful && cut.interface == CAIRN_FORMULATION_AUTO) {
        cut.interface = CAIRN_FORMULATION_DENSE;
    }
    return cut;
}

static CairnStatus solve(const char *name, bool sweeps_interface, const CairnProblem *problem, const CairnParts *parts,
                         const void *options, CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnSchurOptions chosen;
    CAIRN_TRY(cairn_solver_options(&schur_options, options, &chosen));
    double t0 = cairn_timer_now();
    CairnExact whole;
    CairnSubstructure sub;
    CairnSubstructureOptions cut = cut_options(&chosen, problem);
    double *answer = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (answer == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", name, problem->row_count);
    }
    CairnSolveReport found = {0};
    CairnStatus status = cairn_substructure_init(&sub, name, problem, parts, &cut, context, &whole, lambda);
    if (cairn_is_ok(status)) {
        CairnSchur schur = {.options = &chosen, .sub = &sub, .sweeps_interface = sweeps_interface};
        schur.phases.prepare = cairn_timer_now() - t0;
        status = cairn_exact_run(&whole, run_schur, &schur, answer, &found);
        found.coupling = schur.coupling;
        found.changed = schur.changed;
        found.refactored = cairn_substructure_refactored(&sub);
        if (context->part_seconds != NULL) {
            cairn_body_space_unit_seconds(&whole.system, sub.parts.part, context->part_seconds);
        }
        schur.phases.factor = found.phases.factor;
        schur.phases.apply = found.phases.apply;
        found.phases = schur.phases;
        found.factorizations = cairn_substructure_factorizations(&sub);
    }
    cairn_substructure_release(&sub);
    if (cairn_is_ok(status) && !chosen.faithful) {
        CairnSolverContext alone = *context; // the stored memory has another layout
        alone.memory = NULL;
        status = cairn_ipm_cone_finish(problem, CAIRN_FORMULATION_AUTO, &alone, answer, &found);
        found.leaves_rest = true;
    }
    if (cairn_is_ok(status)) {
        memcpy(lambda, answer, (size_t)problem->row_count * sizeof *lambda);
        *report = found;
    }
    return status;
}

static CairnStatus solve_schur_bpp(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                   CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    return solve("schur-bpp", false, problem, parts, options, context, lambda, report);
}

static CairnStatus solve_schur_pgs_sm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                      CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    return solve("schur-pgs-sm", true, problem, parts, options, context, lambda, report);
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
