#include "solvers/exact/condense.h"

#include "engine/base/check.h"

#include <math.h>
#include <string.h>

#include "solvers/system/formulation.h"

enum { SMALLEST = 200 }; // rows below which the solve of the whole is as fast

// Of max|b|: how well joints' equations are solved where w need not be exact, for a start and for a review.
static const double rough_fraction = 1e-6;

// ---- which rows, which bodies -------------------------------------------------------------------------------------------------

static bool is_bounded(const CairnExact *whole, int i) {
    return !isinf(whole->lower[i]) || !isinf(whole->upper[i]);
}

// A contact's frame defines consecutive rows from the first on: all of them are taken or none.
static bool has_split_frame(const CairnExact *whole) {
    const CairnProblem *problem = whole->problem;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool is_framed = constraint->term_count > 0 && problem->terms[constraint->first_term].jacobian < 0;
        for (int i = 1; i < constraint->row_count && is_framed; i++) {
            if (is_bounded(whole, constraint->first_row + i) != is_bounded(whole, constraint->first_row)) {
                return true;
            }
        }
    }
    return false;
}

bool cairn_condense_pays(const CairnExact *whole) {
    const CairnProblem *problem = whole->problem;
    int bounded = 0;
    if (whole->is_condensed || whole->system.kind != &cairn_system_body || problem->row_count < SMALLEST) {
        return false;
    }
    for (int i = 0; i < problem->row_count; i++) {
        bool has_bound = is_bounded(whole, i);
        bounded += has_bound;
        if (!has_bound && !(problem->compliance[i] > 0)) {
            return false;
        }
    }
    return bounded > 0 && 4 * bounded < 3 * problem->row_count && !has_split_frame(whole);
}

// Mark the blocks that rows with bounds touch with 1.
static int mark_touched(const CairnExact *whole, int *stage) {
    const CairnProblem *problem = whole->problem;
    int count = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool touches = false;
        for (int i = constraint->first_row; i < constraint->first_row + constraint->row_count; i++) {
            touches = touches || is_bounded(whole, i);
        }
        for (int t = 0; t < constraint->term_count && touches; t++) {
            stage[problem->terms[constraint->first_term + t].block] = 1;
        }
    }
    for (int b = 0; b < problem->block_count; b++) {
        count += stage[b];
    }
    return count;
}

// ---- the inner problem ---------------------------------------------------------------------------------------------------------

typedef struct Selection {
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    double *compliance, *right_side, *lower, *upper;
    int constraint_count, term_count, row_count;
} Selection;

// Rows [first, end) of a constraint, all bounded: their Jacobians lie one after the other.
static void take_rows(CairnCondensed *c, Selection *s, const CairnConstraintBlock *from, int first, int end) {
    const CairnProblem *problem = c->whole->problem;
    s->constraints[s->constraint_count++] = (CairnConstraintBlock){.first_row = s->row_count,
                                                                   .row_count = end - first,
                                                                   .first_term = s->term_count,
                                                                   .term_count = from->term_count,
                                                                   .friction = -1,
                                                                   .id = from->id};
    for (int t = 0; t < from->term_count; t++) {
        CairnTerm term = problem->terms[from->first_term + t];
        int skipped = first - from->first_row; // none of a contact's frame
        CAIRN_ASSERT(skipped == 0 || term.jacobian >= 0);
        term.jacobian += skipped * problem->blocks[term.block].size;
        s->terms[s->term_count++] = term;
    }
    for (int i = first; i < end; i++, s->row_count++) {
        c->row[s->row_count] = i;
        s->compliance[s->row_count] = problem->compliance[i];
        s->right_side[s->row_count] = problem->right_side[i];
        s->lower[s->row_count] = c->whole->lower[i];
        s->upper[s->row_count] = c->whole->upper[i];
    }
}

static void select_rows(CairnCondensed *c, Selection *s) {
    const CairnProblem *problem = c->whole->problem;
    for (int k = 0; k < problem->constraint_count; k++) {
        const CairnConstraintBlock *constraint = &problem->constraints[k];
        int end = constraint->first_row + constraint->row_count;
        for (int i = constraint->first_row; i < end;) {
            int next = i;
            while (next < end && is_bounded(c->whole, next)) {
                next++;
            }
            if (next > i) {
                take_rows(c, s, constraint, i, next);
            }
            i = next + 1;
        }
    }
}

static CairnStatus make_problem(CairnCondensed *c) {
    const CairnProblem *problem = c->whole->problem;
    CairnArena *arena = c->whole->context->arena;
    int m = problem->row_count, terms = 0;
    for (int k = 0; k < problem->constraint_count; k++) { // a constraint may fall into as many pieces as it has rows
        terms += problem->constraints[k].term_count * problem->constraints[k].row_count;
    }
    Selection s = {.constraints = CAIRN_PUSH(arena, CairnConstraintBlock, m + 1),
                   .terms = CAIRN_PUSH(arena, CairnTerm, terms + 1)};
    double **arrays[] = {&s.compliance, &s.right_side, &s.lower, &s.upper};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH(arena, double, m + 1);
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d rows", m);
        }
    }
    if (!s.constraints || !s.terms) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d rows", m);
    }
    select_rows(c, &s);
    c->problem = *problem;
    c->problem.constraints = s.constraints;
    c->problem.constraint_count = s.constraint_count;
    c->problem.terms = s.terms;
    c->problem.term_count = s.term_count;
    c->problem.row_count = s.row_count;
    c->problem.friction_count = 0;
    c->problem.compliance = s.compliance;
    c->problem.right_side = s.right_side;
    c->problem.lower = s.lower;
    c->problem.upper = s.upper;
    c->problem.position_error = NULL;
    return cairn_ok();
}

// ---- the inner system ------------------------------------------------------------------------------------------------------------

static CairnStatus factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    CairnCondensed *c = state;
    for (int i = 0; i < c->problem.row_count; i++) {
        double give = c->problem.compliance[i] + theta[i];
        c->theta[c->row[i]] = theta[i];
        c->weight[i] = give > 0 ? 1 / give : HUGE_VAL;
    }
    (void)blocks; // the inner problem has no friction groups
    return cairn_body_space_follow(c->state, c->theta, c->group, c->group_count);
}

static void solve(void *state, double *x) {
    CairnCondensed *c = state;
    const CairnGroups *groups = c->inner.system.groups;
    cairn_groups_impulse(groups, c->weight, x, c->slotted);
    cairn_linalg_solve_late(cairn_body_space_factor(c->state), groups->slots, c->slotted);
    cairn_groups_recover(groups, c->slotted, c->weight, x, x);
}

static void effect(void *state, const double *x, double *y) {
    CairnCondensed *c = state;
    const CairnGroups *groups = c->inner.system.groups;
    cairn_groups_impulse(groups, NULL, x, c->slotted);
    cairn_linalg_solve_late(cairn_body_space_factor(c->tied.state), groups->slots, c->slotted);
    cairn_groups_recover(groups, c->slotted, NULL, NULL, y);
}

static const CairnSystemKind condensed_kind = {.name = "condensed", .factor = factor, .solve = solve, .effect = effect};

// ---- between both ----------------------------------------------------------------------------------------------------------------

// Solve for the joints' impulses with lambda_B in `lambda`: w_E = 0 up to `limit`; then compute w of all rows.
static CairnStatus complete(CairnCondensed *c, double limit, double *lambda) {
    const CairnExact *whole = c->whole;
    int m = whole->problem->row_count;
    cairn_system_slack(&c->tied, lambda, c->w);
    for (int i = 0; i < m; i++) {
        c->y[i] = -c->w[i];
    }
    double residual = cairn_system_solve(&c->tied, c->y, limit, 20, c->x);
    if (!isfinite(residual)) {
        return cairn_error(CAIRN_NUMERIC, "condense: the joints' equations have no finite solution");
    }
    for (int i = 0; i < m; i++) {
        lambda[i] += c->x[i];
    }
    cairn_system_slack(&c->tied, lambda, c->w);
    return cairn_ok();
}

// Set b' so that the inner w is the true one at the inner lambda.
static void renew_base(CairnCondensed *c) {
    CairnExact *inner = &c->inner;
    memset(c->base, 0, (size_t)inner->problem->row_count * sizeof *c->base);
    cairn_system_slack(&inner->system, inner->lambda, inner->w);
    for (int i = 0; i < inner->problem->row_count; i++) {
        c->base[i] = c->w[c->row[i]] - inner->w[i];
        inner->w[i] = c->w[c->row[i]];
    }
}

static bool is_recovered(const CairnCondensed *c) {
    bool is_same = c->has_recovered;
    for (int i = 0; i < c->problem.row_count && is_same; i++) {
        is_same = c->whole->lambda[c->row[i]] == c->inner.lambda[i];
    }
    return is_same;
}

CairnStatus cairn_condense_recover(CairnCondensed *c) {
    CairnExact *whole = c->whole;
    if (is_recovered(c)) {
        return cairn_ok();
    }
    for (int i = 0; i < c->problem.row_count; i++) {
        whole->lambda[c->row[i]] = c->inner.lambda[i];
    }
    CAIRN_TRY(complete(c, whole->solve_tolerance, whole->lambda));
    c->has_recovered = true;
    memcpy(whole->w, c->w, (size_t)whole->problem->row_count * sizeof *c->w);
    return cairn_ok();
}

// Check the answer of the inner method against the whole problem (CairnExact.verify).
static double verify(CairnExact *inner) {
    CairnCondensed *c = inner->verify_user;
    if (!cairn_is_ok(cairn_condense_recover(c))) {
        return (double)INFINITY;
    }
    renew_base(c);
    return cairn_exact_residual(c->whole);
}

static bool review(void *user, const double *lambda) {
    CairnCondensed *c = user;
    const CairnSolverContext *outer = c->whole->context;
    memcpy(c->rough, c->whole->lambda, (size_t)c->whole->problem->row_count * sizeof *c->rough);
    for (int i = 0; i < c->problem.row_count; i++) {
        c->rough[c->row[i]] = lambda[i];
    }
    return cairn_is_ok(complete(c, rough_fraction * c->whole->scale, c->rough)) &&
           outer->review(outer->review_user, c->rough);
}

static CairnStatus allocate(CairnCondensed *c, CairnArena *arena) {
    int m = c->whole->problem->row_count;
    double **arrays[] = {&c->theta, &c->weight, &c->y, &c->x, &c->w, &c->base, &c->rough};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d rows", m);
        }
    }
    c->row = CAIRN_PUSH(arena, int, m + 1);
    return c->row != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d rows", m);
}

// Groups of the whole's Jacobians with bounded rows.
static void find_groups(CairnCondensed *c, bool *follows) {
    const CairnGroups *groups = c->tied.groups;
    for (int g = 0; g < groups->group_count; g++) {
        follows[g] = false;
        for (int k = 0; k < groups->groups[g].row_count; k++) {
            follows[g] = follows[g] || is_bounded(c->whole, groups->rows[groups->groups[g].first_row + k]);
        }
        if (follows[g]) {
            c->group[c->group_count++] = g;
        }
    }
}

// K_E, and body space with room for Theta.
static CairnStatus factor_tied(CairnCondensed *c, const int *stage, bool *is_made) {
    const CairnProblem *problem = c->whole->problem;
    c->whole->has_factor = false; // scratch is shared
    c->tied = c->whole->system;
    c->tied.context = &c->context;
    c->tied.stage = stage;
    c->tied.raised = 0;
    c->tied.factorizations = 0;
    c->tied.factor_seconds = c->tied.apply_seconds = 0;
    CAIRN_TRY(cairn_system_body.prepare(&c->tied, NULL, &c->tied.state));
    bool *follows = CAIRN_PUSH(c->context.arena, bool, c->tied.groups->group_count + 1);
    c->group = CAIRN_PUSH(c->context.arena, int, c->tied.groups->group_count + 1);
    if (!follows || !c->group) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d groups", c->tied.groups->group_count);
    }
    find_groups(c, follows);
    for (int i = 0; i < problem->row_count; i++) {
        c->theta[i] = is_bounded(c->whole, i) ? (double)INFINITY : 0;
    }
    CAIRN_TRY(cairn_system_factor(&c->tied, c->theta, NULL));
    *is_made = c->tied.raised == 0;
    return *is_made ? cairn_body_space_twin(c->tied.state, follows, &c->context, &c->state) : cairn_ok();
}

static CairnStatus make_inner(CairnCondensed *c) {
    CairnExact *whole = c->whole, *inner = &c->inner;
    CairnExactSetup setup = {.name = whole->name,
                             .system = {.kind = &condensed_kind, .state = c},
                             .may_ask = whole->may_ask && whole->context->review != NULL,
                             .of = whole,
                             .row = c->row};
    CAIRN_TRY(cairn_exact_init(inner, &c->problem, &setup, &c->context, NULL));
    inner->is_condensed = true;
    inner->system.base = c->base;
    c->slotted = inner->system.slotted;
    inner->verify = verify;
    inner->verify_user = c;
    return cairn_ok();
}

CairnStatus cairn_condense_make(CairnCondensed *c, CairnExact *whole, bool *is_made) {
    const CairnProblem *problem = whole->problem;
    CairnArena *arena = whole->context->arena;
    *c = (CairnCondensed){.whole = whole, .context = *whole->context};
    *is_made = false;
    int *stage = CAIRN_PUSH_ZERO(arena, int, problem->block_count + 1);
    if (stage == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "condense: no memory for %d blocks", problem->block_count);
    }
    if (2 * mark_touched(whole, stage) > problem->block_count) {
        return cairn_ok();
    }
    c->context.memory = NULL; // the plan that it stores is of another graph
    c->context.thread_count = 1;
    c->context.review = whole->context->review != NULL ? review : NULL;
    c->context.review_user = c;
    CAIRN_TRY(allocate(c, arena));
    CAIRN_TRY(factor_tied(c, stage, is_made));
    if (!*is_made) {
        return cairn_ok();
    }
    CAIRN_TRY(make_problem(c));
    CAIRN_TRY(make_inner(c));
    CAIRN_TRY(complete(c, rough_fraction * whole->scale, whole->lambda));
    renew_base(c);
    return cairn_ok();
}
