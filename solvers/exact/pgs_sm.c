#include "solvers/exact/pgs_sm.h"

#include <math.h>
#include <string.h>

#include "solvers/problem/accept.h"
#include "solvers/problem/pgs_rows.h"

static const CairnField pgs_sm_fields[] = {
    CAIRN_FIELD_CHOICE(CairnPgsSmOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnPgsSmOptions, iterations, 50, 1, 100000, "most rounds of sweeps and solves"),
    CAIRN_FIELD_INT(CairnPgsSmOptions, sweeps, 10, 1, 100000, "sweeps of a round"),
    CAIRN_FIELD_INT(CairnPgsSmOptions, subspace, 20, 1, 100000, "most solves of a round; one under faithful"),
    CAIRN_FIELD_BOOL(CairnPgsSmOptions, faithful, 0, "as the paper: tolerances 1e-5 and 1e-9, no projected search"),
    CAIRN_FIELD_BOOL(CairnPgsSmOptions, warm, 1, "start from the last step's impulses"),
};

static const CairnFieldTable pgs_sm_options = CAIRN_FIELD_TABLE("pgs-sm", CairnPgsSmOptions, pgs_sm_fields);

static const double faithful_eta = 1e-5, faithful_epsilon = 1e-9; // S0 table 1

// The data of a run beside the problem.
typedef struct Rounds {
    const CairnPgsSmOptions *options;
    PgsSystem *sweeps;
    double *start, *slack; // lambda and w before a subspace step
    double *step;          // where it leads
    unsigned char *set;    // the sets of the last one
} Rounds;

// The sweeps' bounds are those of the moment: BOX_CURRENT is followed outside, held rows stay where they are.
static void set_bounds(const CairnExact *exact, PgsSystem *system) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        system->rows[i].lower = exact->is_held[i] ? exact->lambda[i] : exact->lower[i];
        system->rows[i].upper = exact->is_held[i] ? exact->lambda[i] : exact->upper[i];
    }
}

static double sweep(CairnExact *exact, const Rounds *rounds, double *moved) {
    PgsSweep last = {0, true};
    cairn_pgs_gather(rounds->sweeps, exact->lambda);
    for (int k = 0; k < rounds->options->sweeps && last.has_moved; k++) {
        last = cairn_pgs_sweep(rounds->sweeps, exact->lambda);
    }
    *moved = last.largest;
    return cairn_exact_measure(exact);
}

// f(lambda) - f(start) of f = 1/2 lambda A lambda + b lambda, from the two w.
static double descent(const CairnExact *exact, const Rounds *rounds) {
    double sum = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        sum += 0.5 * (exact->lambda[i] - rounds->start[i]) * (exact->w[i] + rounds->slack[i]);
    }
    return sum;
}

static void move_to_fraction(CairnExact *exact, const Rounds *rounds, double fraction) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        double at = rounds->start[i] + fraction * (rounds->step[i] - rounds->start[i]);
        exact->lambda[i] = exact->is_held[i] ? rounds->start[i] : fmin(fmax(at, exact->lower[i]), exact->upper[i]);
    }
}

// Line search from the start towards the step, with the impulses clamped: halve while that lowers the objective.
// Returns false where nothing lowers it; the iterate is then the start. The whole step is taken at once where it is
// the answer.
static bool search(CairnExact *exact, const Rounds *rounds, double *measure) {
    enum { HALVINGS = 40 };
    size_t size = (size_t)exact->problem->row_count * sizeof(double);
    double best = 0, chosen = 0, fraction = 1, before = *measure;
    memcpy(rounds->step, exact->lambda, size);
    for (int k = 0; k < HALVINGS; k++, fraction *= 0.5) {
        move_to_fraction(exact, rounds, fraction);
        *measure = cairn_exact_measure(exact);
        if (k == 0 && *measure <= exact->target) {
            return true;
        }
        double change = descent(exact, rounds);
        if (change >= best && best < 0) {
            break;
        }
        chosen = change < best ? fraction : chosen;
        best = fmin(best, change);
    }
    if (chosen > 0) {
        move_to_fraction(exact, rounds, chosen);
        *measure = cairn_exact_measure(exact);
        return true;
    }
    memcpy(exact->lambda, rounds->start, size);
    memcpy(exact->w, rounds->slack, size);
    *measure = before;
    return false;
}

// The face that the iterate lies on: rows at a bound are tight, except those that may be released and whose w points
// inside. Together with the rows strictly inside, the objective can fall along the released ones, so the search finds
// a step.
static void find_face(CairnExact *exact, bool may_release) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool stays_low = exact->lambda[i] <= exact->lower[i] && (!may_release || exact->w[i] >= 0);
        bool stays_high = exact->lambda[i] >= exact->upper[i] && (!may_release || exact->w[i] <= 0);
        exact->set[i] = exact->is_held[i] ? CAIRN_SET_HELD
                        : stays_low       ? CAIRN_SET_AT_LOWER
                        : stays_high      ? CAIRN_SET_AT_UPPER
                                          : CAIRN_SET_FREE;
    }
}

// Minimise over the face. Where the step reaches a bound it ends there and the face becomes smaller, and so on: rows
// are released from their bounds only at the first solve of a round, so every round ends after as many solves as
// there are bounds.
static CairnStatus minimise(CairnExact *exact, const Rounds *rounds, double *measure) {
    size_t rows = (size_t)exact->problem->row_count;
    for (int k = 0; k<rounds->options->subspace && * measure> exact->target; k++) {
        find_face(exact, k == 0);
        if (k > 0 && memcmp(exact->set, rounds->set, rows) == 0) {
            break;
        }
        memcpy(rounds->set, exact->set, rows);
        memcpy(rounds->start, exact->lambda, rows * sizeof(double));
        memcpy(rounds->slack, exact->w, rows * sizeof(double));
        CAIRN_TRY(cairn_exact_solve_sets(exact));
        if (!search(exact, rounds, measure)) {
            break;
        }
    }
    return cairn_ok();
}

// As in the paper: rows that are at a bound after the sweeps are tight; solve once, then project; done when no
// impulse exceeded its bounds.
static CairnStatus solve_and_project(CairnExact *exact, double *measure, bool *is_done) {
    find_face(exact, false);
    CAIRN_TRY(cairn_exact_solve_sets(exact));
    *is_done = true;
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool is_free = exact->set[i] == CAIRN_SET_FREE;
        *is_done = *is_done && !(is_free && cairn_exact_violation(exact, i) > faithful_eta * exact->D[i]);
    }
    *measure = cairn_exact_clamp(exact);
    return cairn_ok();
}

static CairnStatus run_round(CairnExact *exact, const Rounds *rounds, double *measure, bool *is_done) {
    double moved;
    *measure = sweep(exact, rounds, &moved);
    if (rounds->options->faithful) {
        *is_done = moved <= faithful_epsilon;
        return *is_done ? cairn_ok() : solve_and_project(exact, measure, is_done);
    }
    CAIRN_TRY(minimise(exact, rounds, measure));
    *is_done = *measure <= exact->target;
    return cairn_ok();
}

static CairnStatus run_rounds(CairnExact *exact, const Rounds *rounds, CairnOutcome *outcome) {
    for (int i = 0; i < exact->problem->row_count && !rounds->options->warm; i++) {
        exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
    }
    cairn_exact_measure(exact);
    set_bounds(exact, rounds->sweeps);
    cairn_pgs_clamp(rounds->sweeps, exact->lambda);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < rounds->options->iterations && *outcome == CAIRN_OUTCOME_AT_LIMIT; k++) {
        double measure = (double)INFINITY;
        bool is_done = false;
        CairnStatus status = run_round(exact, rounds, &measure, &is_done);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        exact->iterations++;
        if (exact->context->trace) {
            exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
        }
        *outcome = is_done ? CAIRN_OUTCOME_CONVERGED : CAIRN_OUTCOME_AT_LIMIT;
    }
    if (*outcome == CAIRN_OUTCOME_AT_LIMIT && rounds->options->faithful) {
        double moved; // a projection is followed by sweeps, the last one too
        sweep(exact, rounds, &moved);
    }
    return cairn_ok();
}

static CairnStatus prepare(Rounds *rounds, const CairnProblem *problem, CairnSolverContext *context) {
    int m = problem->row_count;
    CAIRN_TRY(cairn_pgs_pack(rounds->sweeps, "pgs-sm", problem, 1, context->arena));
    for (int c = 0; c < (problem->form == CAIRN_FORM_EXPLICIT ? m : problem->constraint_count); c++) {
        rounds->sweeps->groups[c].current = -1;
    }
    rounds->start = CAIRN_PUSH(context->arena, double, m + 1);
    rounds->slack = CAIRN_PUSH(context->arena, double, m + 1);
    rounds->step = CAIRN_PUSH(context->arena, double, m + 1);
    rounds->set = CAIRN_PUSH(context->arena, unsigned char, m + 1);
    if (!rounds->start || !rounds->slack || !rounds->step || !rounds->set) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs-sm: no memory for %d rows", m);
    }
    return cairn_ok();
}

CairnStatus cairn_pgs_sm_run(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    PgsSystem sweeps;
    Rounds rounds = {.options = options, .sweeps = &sweeps};
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnStatus status = prepare(&rounds, exact->problem, exact->context);
    if (cairn_is_ok(status)) {
        status = run_rounds(exact, &rounds, outcome);
    }
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

static CairnStatus solve_pgs_sm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnPgsSmOptions chosen;
    CAIRN_TRY(cairn_solver_options(&pgs_sm_options, options, &chosen));
    CairnExactSolver solver = {.setup = {.name = "pgs-sm", .system.formulation = (CairnFormulation)chosen.formulation},
                               .method = cairn_pgs_sm_run,
                               .options = &chosen,
                               .is_final = chosen.faithful};
    return cairn_exact_solve(&solver, problem, context, lambda, report);
}

const CairnSolver cairn_solver_pgs_sm = {
    .name = "pgs-sm",
    .summary = "Gauss-Seidel sweeps and exact solves of the free set in turn",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT,
    .options = &pgs_sm_options,
    .solve = solve_pgs_sm,
    .forget = cairn_system_forget,
};
