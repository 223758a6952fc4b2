#include "solvers/schur/fbic.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/schur/substructure.h"

static const CairnField fbic_fields[] = {
    CAIRN_FIELD_CHOICE(CairnFbicOptions, formulation, 0, cairn_formulation_names, "the form of the linear systems"),
    CAIRN_FIELD_INT(CairnFbicOptions, kmax, 250, 1, 1000000, "most coupling iterations"),
    CAIRN_FIELD_INT(CairnFbicOptions, iterations, 50, 1, 100000, "most pivoting steps of one solve"),
    CAIRN_FIELD_INT(CairnFbicOptions, singles, 5, 1, 1000, "single pivots after a cycle"),
    CAIRN_FIELD_BOOL(CairnFbicOptions, faithful, 0,
                     "as the paper: tolerance 1e-5 on signs and on what an iteration moves, no ipm behind a solve"),
    CAIRN_FIELD_BOOL(CairnFbicOptions, warm, 1, "start from the last step's impulses"),
};

static const CairnFieldTable fbic_options = CAIRN_FIELD_TABLE("fbic", CairnFbicOptions, fbic_fields);

static const double faithful_eta = 1e-5; // S0 table 1

typedef struct Fbic {
    const CairnFbicOptions *options;
    CairnSubstructure *sub;
    CairnSubsystem *gamma; // the interface: its constraints over all bodies that they touch
    double *last;          // the whole's impulses before an iteration
    int *coupling;
} Fbic;

// Solve one of the problems (16), (17), starting from its last iterate: by pivoting, and by ipm where pivoting does
// not converge.
static CairnStatus solve_one(CairnSubsystem *s, void *user) {
    const CairnFbicOptions *options = user;
    CairnExact *exact = &s->exact;
    CairnBppOptions bpp = {.iterations = options->iterations,
                           .singles = options->singles,
                           .patience = options->iterations,
                           .faithful = options->faithful};
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnStatus status = cairn_bpp_pivot(exact, &bpp, &s->outcome);
    if (cairn_is_ok(status) && s->outcome != CAIRN_OUTCOME_CONVERGED && !options->faithful) {
        CairnIpmOptions ipm = {.iterations = 100, .warm = false};
        exact->has_factor = false;
        cairn_exact_renew(exact);
        status = cairn_ipm_run(exact, &ipm, &s->outcome);
        if (cairn_is_ok(status)) {
            exact->has_factor = false;
            cairn_exact_measure(exact);
            cairn_exact_predict(exact);
        }
    }
    cairn_arena_release(exact->context->arena, mark);
    if (cairn_is_ok(status)) {
        cairn_exact_clamp(exact);
    }
    return status;
}

// p of the interface's bodies with the subsystems' impulses: G_i lambda_i of (17).
static void push_to_interface(const Fbic *fbic) {
    CairnSubstructure *sub = fbic->sub;
    const CairnPiece *gamma = &fbic->gamma->inner;
    cairn_piece_restore(&fbic->gamma->inner, sub->problem);
    for (int i = 0; i < sub->count; i++) {
        CairnSubsystem *s = &sub->subsystems[i];
        memset(s->v, 0, (size_t)s->inner.problem.dof_count * sizeof *s->v);
        cairn_ops_add_impulse(&s->inner.problem, s->exact.lambda, s->v);
        for (int b = 0; b < s->inner.problem.block_count; b++) {
            if (s->is_last[b]) {
                const CairnDofBlock *from = &s->inner.problem.blocks[b];
                double *to = gamma->p + gamma->problem.blocks[sub->interface.block[s->inner.blocks[b]]].first;
                for (int k = 0; k < from->size; k++) {
                    to[k] += s->v[from->first + k];
                }
            }
        }
    }
}

static void take_interface(const Fbic *fbic) {
    const CairnExact *whole = fbic->sub->whole;
    CairnExact *exact = &fbic->gamma->exact;
    for (int i = 0; i < fbic->sub->interface.row_count; i++) {
        int row = fbic->sub->interface.rows[i];
        exact->lambda[i] = whole->lambda[row];
        exact->lower[i] = whole->lower[row];
        exact->upper[i] = whole->upper[row];
        exact->set[i] = whole->set[row];
        exact->is_held[i] = whole->is_held[row];
    }
}

// How far an iteration moved any impulse.
static double moved(const Fbic *fbic) {
    double largest = 0;
    for (int i = 0; i < fbic->sub->problem->row_count; i++) {
        largest = fmax(largest, fabs(fbic->sub->whole->lambda[i] - fbic->last[i]));
    }
    return largest;
}

static CairnStatus couple(const Fbic *fbic, double *measure) {
    CairnSubstructure *sub = fbic->sub;
    CairnExact *whole = sub->whole;
    memcpy(fbic->last, whole->lambda, (size_t)sub->problem->row_count * sizeof *fbic->last);
    if (sub->interface.row_count > 0) {
        push_to_interface(fbic);
        CAIRN_TRY(solve_one(fbic->gamma, (void *)(uintptr_t)fbic->options));
        cairn_piece_scatter(&fbic->gamma->inner, fbic->gamma->exact.lambda, whole->lambda);
        whole->iterations += fbic->gamma->exact.iterations;
        fbic->gamma->exact.iterations = 0;
        cairn_substructure_push(sub);
    }
    CAIRN_TRY(cairn_substructure_each(sub, solve_one, (void *)(uintptr_t)fbic->options));
    cairn_substructure_pull(sub);
    for (int i = 0; i < sub->count; i++) {
        whole->iterations += sub->subsystems[i].exact.iterations;
        sub->subsystems[i].exact.iterations = 0;
    }
    *measure = cairn_exact_measure(whole);
    ++*fbic->coupling;
    if (whole->context->trace) {
        whole->context->trace(whole->context->trace_user, (CairnTraceEntry){*fbic->coupling, *measure});
    }
    return cairn_ok();
}

static CairnStatus run_fbic(CairnExact *whole, const void *user, CairnOutcome *outcome) {
    const Fbic *fbic = user;
    const CairnFbicOptions *options = fbic->options;
    for (int i = 0; i < whole->problem->row_count && !options->warm; i++) {
        whole->lambda[i] = whole->is_held[i] ? whole->lambda[i] : 0;
    }
    double measure = cairn_exact_measure(whole);
    cairn_exact_predict(whole);
    cairn_exact_clamp(whole);
    cairn_substructure_take(fbic->sub);
    take_interface(fbic);
    *outcome = measure <= whole->target && !options->faithful ? CAIRN_OUTCOME_CONVERGED : CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < options->kmax && *outcome == CAIRN_OUTCOME_AT_LIMIT; k++) {
        CairnStatus status = couple(fbic, &measure);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            break;
        }
        CAIRN_TRY(status);
        bool is_done = options->faithful ? moved(fbic) <= faithful_eta : measure <= whole->target;
        *outcome = is_done || fbic->sub->interface.row_count == 0 ? CAIRN_OUTCOME_CONVERGED : CAIRN_OUTCOME_AT_LIMIT;
    }
    whole->system.raised = fmax(whole->system.raised, cairn_substructure_raised(fbic->sub));
    return cairn_ok();
}

static CairnStatus run(const CairnProblem *problem, const CairnFbicOptions *options, CairnSubstructure *sub,
                       double *lambda, CairnSolveReport *report) {
    int coupling = 0;
    Fbic fbic = {.options = options, .sub = sub, .coupling = &coupling, .gamma = &sub->subsystems[sub->count]};
    fbic.last = CAIRN_PUSH(sub->context->arena, double, problem->row_count + 1);
    if (fbic.last == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "fbic: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(cairn_exact_run(sub->whole, run_fbic, &fbic, lambda, report));
    report->coupling = coupling;
    report->factorizations = cairn_substructure_factorizations(sub) + fbic.gamma->exact.system.factorizations;
    return cairn_ok();
}

static CairnStatus solve_fbic(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnFbicOptions chosen;
    CAIRN_TRY(cairn_solver_options(&fbic_options, options, &chosen));
    int current = cairn_law_find(problem, CAIRN_FRICTION_BOX_CURRENT);
    if (current >= 0) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "fbic takes fixed bounds only: friction group %d follows its normal impulse", current);
    }
    CairnExact whole;
    CairnSubstructure sub;
    CairnSubstructureOptions cut_options = {.subsystem = (CairnFormulation)chosen.formulation,
                                            .interface = (CairnFormulation)chosen.formulation,
                                            .steps = chosen.iterations,
                                            .is_alone = true};
    CairnStatus status = cairn_substructure_init(&sub, "fbic", problem, parts, &cut_options, context, &whole, lambda);
    if (cairn_is_ok(status)) {
        status = cairn_substructure_cut(&sub);
    }
    if (cairn_is_ok(status)) {
        status = run(problem, &chosen, &sub, lambda, report);
    }
    cairn_substructure_release(&sub);
    return status;
}

const CairnSolver cairn_solver_fbic = {
    .name = "fbic",
    .summary = "force-based interface coupling: interface and subsystems in turn",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_NEEDS_PARTITION,
    .options = &fbic_options,
    .solve = solve_fbic,
    .forget = cairn_substructure_forget,
};
