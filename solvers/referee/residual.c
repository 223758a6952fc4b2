// The referee's verdict. Definitions and units: docs/notation.md, "Residuals".
#include "solvers/referee/residual.h"

#include <float.h>
#include <math.h>

#include "engine/base/memory.h"
#include "solvers/referee/referee.h"

// The middle one of three, low <= high: x - clamp(x - y, l, u) is middle(y, x - u, x - l), without the cancellation.
static double middle(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static bool is_cone(CairnFrictionKind kind) {
    return kind == CAIRN_FRICTION_CONE || kind == CAIRN_FRICTION_COULOMB;
}

// Bounds as the friction law has them. BOX has those of the problem; rolling and torsion of a cone are bounded as in
// BOX_CURRENT.
static void find_bounds(const Referee *referee, int r, const CairnFriction *friction, double *lower, double *upper) {
    *lower = referee->problem->lower[r];
    *upper = referee->problem->upper[r];
    int k = friction != NULL ? r - friction->normal : 0;
    if (friction != NULL && friction->kind != CAIRN_FRICTION_BOX && k > 0 && k < 3 + friction->spin_rows) {
        double lever = k < 3 ? friction->mu : k == 3 ? friction->torsion : friction->rolling;
        *upper = lever * cairn_max(0, referee->lambda[friction->normal]);
        *lower = -*upper;
    }
}

// A row that a cone judges as a whole: n, t1 or t2 of a CONE or COULOMB group.
static bool is_cone_row(const CairnProblem *problem, const CairnConstraintBlock *constraint, int row) {
    if (!constraint || constraint->friction < 0) {
        return false;
    }
    const CairnFriction *friction = &problem->frictions[constraint->friction];
    return is_cone(friction->kind) && row >= friction->normal && row < friction->normal + 3;
}

// S0 eq. 29 as printed, with w = w_l - w_u, both parts >= 0.
static double natural_row(double lambda, double w, double lower, double upper) {
    double w_lower = cairn_max(0, w), w_upper = cairn_max(0, -w);
    return cairn_max(fabs(cairn_min(lambda - lower, w_lower)), fabs(cairn_min(upper - lambda, w_upper)));
}

// A row judged by its bounds.
static void judge_row(const Referee *referee, int r, const CairnConstraintBlock *constraint, CairnResidual *residual,
                      double *sum) {
    const CairnProblem *problem = referee->problem;
    bool is_friction = constraint && constraint->friction >= 0;
    double x = referee->lambda[r], w = referee->w[r], D = referee->D[r], lower, upper;
    find_bounds(referee, r, is_friction ? &problem->frictions[constraint->friction] : NULL, &lower, &upper);
    double natural = natural_row(x, w, lower, upper);
    referee->scaled[r] = fabs(middle(w, D * (x - upper), D * (x - lower)));
    *sum += natural * natural;
    residual->bound = cairn_max(residual->bound, cairn_max(lower - x, x - upper));
    if (x > lower && x < upper) {
        residual->complementarity = cairn_max(residual->complementarity, fabs(w));
    }
    if (is_friction) {
        residual->fb = cairn_max(residual->fb, fabs(cairn_referee_fb_row(D, x, w, lower, upper)));
    }
}

// The three rows of a CONE or COULOMB group, judged by their law.
static void judge_cone(const Referee *referee, int group, CairnResidual *residual, double *sum) {
    const CairnFriction *friction = &referee->problem->frictions[group];
    bool is_corrected = friction->kind == CAIRN_FRICTION_COULOMB;
    const double *r = referee->lambda + friction->normal, *w = referee->w + friction->normal;
    double map[3];
    cairn_referee_cone_map(referee, group, is_corrected, 1, map);
    for (int i = 0; i < 3; i++) {
        *sum += map[i] * map[i];
    }
    cairn_referee_cone_map(referee, group, is_corrected, referee->norm[group], map);
    for (int i = 0; i < 3; i++) {
        referee->scaled[friction->normal + i] = fabs(map[i]);
    }
    double tangent = hypot(r[1], r[2]), limit = friction->mu * r[0];
    residual->bound = cairn_max(residual->bound, cairn_max(-r[0], tangent - cairn_max(0, limit)));
    // No floating-point impulse lies on a cone's edge to the last bit: the last 1e-12 of the radius count as edge.
    bool is_inside = tangent < limit * (1 - 1e-12);
    if (is_inside || (is_corrected && r[0] > 0)) {
        residual->complementarity = cairn_max(residual->complementarity, fabs(w[0]));
    }
    if (is_inside) {
        residual->complementarity = cairn_max(residual->complementarity, hypot(w[1], w[2]));
    }
    residual->fb = cairn_max(residual->fb, cairn_referee_fb_cone(referee, group));
}

// The residuals of the rows of a piece.
typedef struct Verdict {
    CairnResidual residual;
    double sum; // of the natural map's squares
} Verdict;

static void judge_constraint(const Referee *referee, const CairnConstraintBlock *constraint, Verdict *verdict) {
    const CairnProblem *problem = referee->problem;
    for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
        if (!is_cone_row(problem, constraint, r)) {
            judge_row(referee, r, constraint, &verdict->residual, &verdict->sum);
        } else if (r == problem->frictions[constraint->friction].normal) {
            judge_cone(referee, constraint->friction, &verdict->residual, &verdict->sum);
        }
    }
}

static void add_verdict(const Verdict *piece, Verdict *all) {
    const CairnResidual *from = &piece->residual;
    CairnResidual *to = &all->residual;
    to->bound = cairn_max(to->bound, from->bound);
    to->complementarity = cairn_max(to->complementarity, from->complementarity);
    to->fb = cairn_max(to->fb, from->fb);
    all->sum += piece->sum;
}

typedef struct Judging {
    const Referee *referee;
    Verdict *pieces;
} Judging;

static void judge_piece(void *context, int k, int worker) {
    const Judging *judging = context;
    const CairnProblem *problem = judging->referee->problem;
    int count = problem->constraint_count;
    (void)worker;
    judging->pieces[k] = (Verdict){.sum = 0};
    for (int c = cairn_referee_piece(count, k); c < cairn_referee_piece(count, k + 1); c++) {
        judge_constraint(judging->referee, &problem->constraints[c], &judging->pieces[k]);
    }
}

static void judge_rows(const Referee *referee, CairnResidual *residual) {
    const CairnProblem *problem = referee->problem;
    Verdict pieces[REFEREE_PIECES], all = {.residual = *residual};
    int count = problem->constraint_count;
    Judging judging = {referee, pieces};
    cairn_pieces_run(referee->threads, cairn_referee_pieces(count), judge_piece, &judging);
    for (int k = 0; k < cairn_referee_pieces(count); k++) {
        add_verdict(&pieces[k], &all);
    }
    for (int r = 0; r < problem->row_count && count == 0; r++) { // an explicit problem may go without constraints
        judge_row(referee, r, NULL, &all.residual, &all.sum);
    }
    *residual = all.residual;
    residual->natural = sqrt(all.sum);
}

// ---- components ----

// What is certified of one component is judged by its own velocities.
typedef struct Component {
    double b;                               // max |b|
    double scaled;                          // the largest residual of a row
    double bounds;                          // the same of the rows that bounds judge
    double cones;                           // the sum of the squares of its cones' maps
    double q;                               // |q|^2 of its friction groups
    int row;                                // with `scaled`; -1: the component has no rows
    const CairnConstraintBlock *constraint; // that row's
} Component;

static void add_row(const Referee *referee, int r, const CairnConstraintBlock *constraint, Component *components) {
    Component *c = &components[referee->component[r]];
    bool is_friction = constraint != NULL && constraint->friction >= 0;
    double lower, upper;
    find_bounds(referee, r, is_friction ? &referee->problem->frictions[constraint->friction] : NULL, &lower, &upper);
    double forced = referee->D[r] * fabs(middle(0, lower, upper));
    c->b = cairn_max(c->b, cairn_max(fabs(referee->b[r]), forced));
    if (referee->scaled[r] > c->scaled || c->row < 0) {
        c->scaled = referee->scaled[r];
        c->row = r;
        c->constraint = constraint;
    }
    if (!is_cone_row(referee->problem, constraint, r)) {
        c->bounds = cairn_max(c->bounds, referee->scaled[r]);
    }
}

static void gather(const Referee *referee, Component *components) {
    const CairnProblem *problem = referee->problem;
    for (int k = 0; k < referee->component_count; k++) {
        components[k] = (Component){.row = -1};
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            add_row(referee, r, constraint, components);
        }
    }
    for (int r = 0; r < problem->row_count && problem->constraint_count == 0; r++) {
        add_row(referee, r, NULL, components);
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const double *q = &referee->b[problem->frictions[f].normal];
        Component *c = &components[referee->component[problem->frictions[f].normal]];
        c->cones += referee->cone[f];
        c->q += q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    }
}

// The residual relative to the limit: nothing is left over where nothing is wrong, whatever the limit.
static double ratio(double residual, double limit) {
    return residual > 0 ? residual / limit : 0;
}

static const double certificate = 1e-8; // of the velocities that a component has to bring to rest

// Where contacts are alone with each other cones are measured by |q|; where joints push too, contacts at rest (q = 0)
// by the largest b.
static double excess_of(const Component *c, double floor) {
    double bounds = ratio(c->bounds, certificate * c->b + floor);
    double cones = ratio(sqrt(c->cones), certificate * cairn_max(sqrt(c->q), c->b) + floor);
    return cairn_max(bounds, cones);
}

// Report the component that is worst by its own limit. `size`: NULL, or of each component what b is the difference of.
static void find_worst(const Referee *referee, const Component *components, const double *size,
                       CairnResidual *residual) {
    // What is so small that it has no digits of its own is nothing.
    double rest = DBL_EPSILON * referee->problem->rest_speed + DBL_MIN / DBL_EPSILON;
    residual->worst_row = -1;
    residual->limit = rest;
    for (int k = 0; k < referee->component_count; k++) {
        const Component *c = &components[k];
        double floor = size != NULL ? rest + 4 * DBL_EPSILON * size[k] : rest, excess = excess_of(c, floor);
        if (c->row >= 0 && (residual->worst_row < 0 || excess > residual->excess)) {
            residual->excess = excess;
            residual->scaled = c->scaled;
            residual->worst_row = c->row;
            residual->worst_id = c->constraint != NULL ? c->constraint->id : 0;
            residual->limit = certificate * c->b + floor;
        }
    }
    residual->is_certified = residual->excess <= 1;
}

static CairnStatus judge(Referee *referee, CairnArena *arena, CairnResidual *residual) {
    CAIRN_TRY(cairn_referee_find_components(referee, arena));
    Component *components = CAIRN_PUSH(arena, Component, referee->component_count + 1);
    double *size = CAIRN_PUSH(arena, double, referee->component_count + 1);
    if (components == NULL || size == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d rows", referee->problem->row_count);
    }
    judge_rows(referee, residual);
    RefereeCones cones = cairn_referee_cones(referee);
    gather(referee, components);
    find_worst(referee, components, NULL, residual);
    if (!residual->is_certified) { // bodies that move together fast differ by the rounding of their velocities
        CAIRN_TRY(cairn_referee_find_sizes(referee, arena, size));
        find_worst(referee, components, size, residual);
    }
    double scale = cones.right_side;
    for (int k = 0; k < referee->component_count; k++) {
        scale = cairn_max(scale, components[k].b * components[k].b);
    }
    scale = scale > 0 ? sqrt(scale) : 1;
    residual->cone = sqrt(cones.corrected) / scale;
    residual->convex = sqrt(cones.convex) / scale;
    return cairn_ok();
}

CairnStatus cairn_residual_in(const CairnProblem *problem, const double *lambda, CairnArena *arena,
                              CairnResidual *residual) {
    return cairn_residual_by(problem, lambda, 1, arena, residual);
}

CairnStatus cairn_residual_by(const CairnProblem *problem, const double *lambda, int threads, CairnArena *arena,
                              CairnResidual *residual) {
    if (!problem || !arena || !residual || (!lambda && problem->row_count > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "cairn_residual: an argument is NULL");
    }
    for (int r = 0; r < problem->row_count; r++) {
        if (!isfinite(lambda[r])) {
            return cairn_error(CAIRN_NUMERIC, "residual: lambda[%d] = %g is not finite", r, lambda[r]);
        }
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    Referee referee = {.problem = problem, .lambda = lambda, .threads = threads > 1 ? threads : 1};
    CairnStatus status = cairn_referee_evaluate(&referee, arena);
    if (cairn_is_ok(status)) {
        *residual = (CairnResidual){.worst_row = -1};
        status = judge(&referee, arena, residual);
    }
    cairn_arena_release(arena, mark);
    return status;
}

CairnStatus cairn_residual(const CairnProblem *problem, const double *lambda, const CairnAllocator *allocator,
                           CairnResidual *residual) {
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    cairn_arena_init(&arena, allocator ? allocator : &plain);
    CairnStatus status = cairn_residual_in(problem, lambda, &arena, residual);
    cairn_arena_free(&arena);
    return status;
}
