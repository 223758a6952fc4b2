#include "solvers/schur/schur_couple.h"

#include <math.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/timer.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/pgs_sm.h"

// A piece is small: its pivots may wander for longer than those of the whole.
static CairnStatus pivot(CairnExact *exact, const CairnSchurOptions *options, CairnOutcome *outcome) {
    enum { LONGER = 4 };
    CairnBppOptions bpp = {.iterations = options->iterations,
                           .singles = options->singles,
                           .patience = LONGER * options->patience,
                           .faithful = options->faithful};
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnStatus status = cairn_bpp_pivot(exact, &bpp, outcome);
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

// subspace 0: sweeps alone.
static CairnStatus sweep_and_solve(CairnExact *exact, const CairnSchurOptions *options, int subspace,
                                   CairnOutcome *outcome) {
    CairnPgsSmOptions sm = {.iterations = options->iterations,
                            .sweeps = 10,
                            .subspace = subspace,
                            .faithful = options->faithful && subspace > 0,
                            .warm = true};
    return cairn_pgs_sm_run(exact, &sm, outcome);
}

// ---- subsystems ----------------------------------------------------------------------------------------------------------

// Whether the factor is that of the index sets.
static bool has_current_factor(const CairnExact *exact) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool is_out = exact->is_held[i] || exact->set[i] != CAIRN_SET_FREE;
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

// Solve where the factor is not that of the index sets, or where the impulses (after sweeps) are not.
static CairnStatus solve_changed(CairnSubsystem *s, void *user) {
    (void)user;
    return !s->is_other && has_current_factor(&s->exact) ? cairn_ok() : cairn_exact_solve_sets(&s->exact);
}

static CairnStatus pivot_one(CairnSubsystem *s, void *user) {
    memcpy(s->before, s->exact.set, (size_t)s->inner.problem.row_count);
    return s->is_other ? cairn_ok() : pivot(&s->exact, user, &s->outcome);
}

// Solve by another method than pivoting (S0 8.1), whose impulses determine the index sets. Such methods allocate
// memory while they run, so subsystems are solved one after the other.
static CairnStatus solve_other(CairnSubsystem *s, const CairnSchurOptions *options, CairnArena *arena) {
    CairnExact *exact = &s->exact;
    CairnArena *subsystem_arena = s->context.arena;
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnIpmOptions ipm = {.iterations = 100, .warm = true};
    CairnStatus status;
    s->context.arena = arena;
    cairn_exact_renew(exact);
    if (options->parts_solver == CAIRN_PARTS_IPM) {
        exact->has_factor = false;
        status = cairn_ipm_run(exact, &ipm, &s->outcome);
    } else {
        status = sweep_and_solve(exact, options, options->parts_solver == CAIRN_PARTS_PGS ? 0 : 20, &s->outcome);
    }
    s->context.arena = subsystem_arena;
    cairn_arena_release(arena, mark);
    CAIRN_TRY(status);
    exact->has_factor = false;
    cairn_exact_measure(exact);
    cairn_exact_predict(exact);
    return cairn_ok();
}

static CairnStatus solve_others(CairnSchur *schur) {
    CairnSubstructure *sub = schur->sub;
    for (int i = 0; i < sub->count; i++) {
        if (sub->subsystems[i].is_other) {
            CAIRN_TRY(solve_other(&sub->subsystems[i], schur->options, sub->context->arena));
        }
    }
    return cairn_ok();
}

// Which subsystems are solved by another method: all, or those all of whose bodies bear the label.
static void choose_methods(CairnSchur *schur) {
    CairnSubstructure *sub = schur->sub;
    const CairnSchurOptions *options = schur->options;
    for (int i = 0; i < sub->count; i++) {
        const CairnProblem *inner = &sub->subsystems[i].inner.problem;
        bool is_other = options->parts_solver != CAIRN_PARTS_BPP && inner->row_count > 0;
        for (int b = 0; b < inner->block_count && options->parts_group >= 0; b++) {
            is_other = is_other && inner->blocks[b].group == options->parts_group;
        }
        sub->subsystems[i].is_other = is_other;
    }
}

// ---- one coupling iteration ----------------------------------------------------------------------------------------------

typedef struct Round {
    bool is_unchanged; // no set has changed
    bool is_good;      // the result is the answer
    bool is_hopeless;  // a subsystem or the interface did not converge
    uint64_t sets;     // a hash of all
} Round;

// `fraction`: the length of the step from the present impulses of the interface to those that its solve finds.
static CairnStatus solve_interface(CairnSchur *schur, double fraction, CairnOutcome *outcome) {
    CairnSubstructure *sub = schur->sub;
    CairnInterface *g = &sub->interface;
    double t0 = cairn_timer_now();
    CAIRN_TRY(cairn_substructure_reduce(sub));
    cairn_substructure_aim(sub);
    double t1 = cairn_timer_now();
    schur->phases.reduce += t1 - t0;
    g->exact.iterations = 0;
    CAIRN_TRY(schur->sweeps_interface ? sweep_and_solve(&g->exact, schur->options, 20, outcome)
                                      : pivot(&g->exact, schur->options, outcome));
    sub->whole->iterations += g->exact.iterations;
    for (int i = 0; i < g->row_count; i++) {
        double *lambda = &sub->whole->lambda[g->rows[i]];
        *lambda = fraction < 1 ? *lambda + fraction * (g->exact.lambda[i] - *lambda) : g->exact.lambda[i];
        sub->whole->set[g->rows[i]] = g->exact.set[i];
    }
    cairn_substructure_push(sub);
    schur->phases.interface += cairn_timer_now() - t1;
    return cairn_ok();
}

static CairnStatus couple_once(CairnSchur *schur, bool is_first, double fraction, Round *round) {
    CairnSubstructure *sub = schur->sub;
    CairnExact *whole = sub->whole;
    CairnOutcome outcome = CAIRN_OUTCOME_CONVERGED;
    double t0 = cairn_timer_now();
    CAIRN_TRY(cairn_substructure_each(sub, is_first ? solve_first : solve_changed, NULL));
    schur->phases.subsystems += cairn_timer_now() - t0;
    if (sub->interface.row_count > 0) {
        cairn_substructure_pull(sub);
        cairn_exact_measure(whole);
        CAIRN_TRY(solve_interface(schur, fraction, &outcome));
    }
    t0 = cairn_timer_now();
    CAIRN_TRY(cairn_substructure_each(sub, pivot_one, (void *)(uintptr_t)schur->options));
    CAIRN_TRY(solve_others(schur));
    schur->phases.subsystems += cairn_timer_now() - t0;
    cairn_substructure_pull(sub);
    double measure = cairn_exact_measure(whole);
    *round = (Round){
        .is_unchanged = true, .is_hopeless = outcome != CAIRN_OUTCOME_CONVERGED, .is_good = measure <= whole->target};
    for (int i = 0; i < sub->count; i++) {
        CairnSubsystem *s = &sub->subsystems[i];
        size_t rows = (size_t)s->inner.problem.row_count;
        bool has_changed = memcmp(s->before, s->exact.set, rows) != 0;
        schur->changed += has_changed;
        round->is_unchanged = round->is_unchanged && !has_changed;
        round->is_hopeless = round->is_hopeless || (!s->is_other && s->outcome != CAIRN_OUTCOME_CONVERGED);
        round->sets = cairn_hash_combine(round->sets, cairn_hash_bytes(s->exact.set, rows));
        whole->iterations += s->exact.iterations;
        s->exact.iterations = 0;
    }
    round->is_unchanged = round->is_unchanged || sub->interface.row_count == 0;
    schur->coupling++;
    if (whole->context->trace) {
        whole->context->trace(whole->context->trace_user, (CairnTraceEntry){schur->coupling, measure});
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

CairnStatus cairn_schur_couple(CairnSchur *schur, CairnOutcome *outcome) {
    static const double damped = 0.5, most_damped = 0.25; // steps of the interface once sets have repeated
    const CairnSchurOptions *options = schur->options;
    uint64_t *seen = CAIRN_PUSH(schur->sub->context->arena, uint64_t, options->kmax + 1);
    if (seen == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "schur: no memory for %d index sets", options->kmax);
    }
    choose_methods(schur);
    cairn_substructure_take(schur->sub);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    double fraction = 1, next = damped;
    for (int k = 0; k < options->kmax && *outcome == CAIRN_OUTCOME_AT_LIMIT; k++) {
        Round round;
        CairnStatus status = couple_once(schur, k == 0, fraction, &round);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        bool is_whole_step = fraction >= 1;
        fraction = 1;
        if ((round.is_unchanged && is_whole_step) || (!options->faithful && round.is_good)) {
            *outcome = CAIRN_OUTCOME_CONVERGED;
        } else if (!options->faithful && has_seen(seen, k, round.sets) && is_whole_step) {
            // A cycle: damp the next step, twice at most.
            fraction = next;
            *outcome = fraction < most_damped ? CAIRN_OUTCOME_STALLED : CAIRN_OUTCOME_AT_LIMIT;
            next *= 0.5;
        } else if (!options->faithful && round.is_hopeless) {
            *outcome = CAIRN_OUTCOME_STALLED;
        }
    }
    return cairn_ok();
}
