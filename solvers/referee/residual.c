// The referee's verdict. Definitions and units: docs/notation.md, "Residuals".
#include "solvers/referee/residual.h"

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

static void take_scaled(CairnResidual *residual, double value, int row, const CairnConstraintBlock *constraint) {
    if (value > residual->scaled || residual->worst_row < 0) {
        residual->scaled = value;
        residual->worst_row = row;
        residual->worst_id = constraint ? constraint->id : 0;
    }
}

// A row judged by its bounds; returns its scaled residual.
static double judge_row(const Referee *referee, int r, const CairnConstraintBlock *constraint, CairnResidual *residual,
                        double *sum) {
    const CairnProblem *problem = referee->problem;
    bool is_friction = constraint && constraint->friction >= 0;
    double x = referee->lambda[r], w = referee->w[r], D = referee->D[r], lower, upper;
    find_bounds(referee, r, is_friction ? &problem->frictions[constraint->friction] : NULL, &lower, &upper);
    double natural = natural_row(x, w, lower, upper);
    double scaled = fabs(middle(w, D * (x - upper), D * (x - lower)));
    *sum += natural * natural;
    take_scaled(residual, scaled, r, constraint);
    residual->bound = cairn_max(residual->bound, cairn_max(lower - x, x - upper));
    if (x > lower && x < upper) {
        residual->complementarity = cairn_max(residual->complementarity, fabs(w));
    }
    if (is_friction) {
        residual->fb = cairn_max(residual->fb, fabs(cairn_referee_fb_row(D, x, w, lower, upper)));
    }
    return scaled;
}

// The three rows of a CONE or COULOMB group, judged by their law.
static void judge_cone(const Referee *referee, int group, const CairnConstraintBlock *constraint,
                       CairnResidual *residual, double *sum) {
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
        take_scaled(residual, fabs(map[i]), friction->normal + i, constraint);
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
    double sum;     // of the natural map's squares
    double largest; // scaled, among the rows that bounds judge
} Verdict;

static void judge_constraint(const Referee *referee, const CairnConstraintBlock *constraint, Verdict *verdict) {
    const CairnProblem *problem = referee->problem;
    for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
        if (!is_cone_row(problem, constraint, r)) {
            verdict->largest =
                cairn_max(verdict->largest, judge_row(referee, r, constraint, &verdict->residual, &verdict->sum));
        } else if (r == problem->frictions[constraint->friction].normal) {
            judge_cone(referee, constraint->friction, constraint, &verdict->residual, &verdict->sum);
        }
    }
}

static void add_verdict(const Verdict *piece, Verdict *all) {
    const CairnResidual *from = &piece->residual;
    CairnResidual *to = &all->residual;
    if (from->worst_row >= 0 && (to->worst_row < 0 || from->scaled > to->scaled)) {
        to->scaled = from->scaled;
        to->worst_row = from->worst_row;
        to->worst_id = from->worst_id;
    }
    to->bound = cairn_max(to->bound, from->bound);
    to->complementarity = cairn_max(to->complementarity, from->complementarity);
    to->fb = cairn_max(to->fb, from->fb);
    all->sum += piece->sum;
    all->largest = cairn_max(all->largest, piece->largest);
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
    judging->pieces[k] = (Verdict){.residual = {.worst_row = -1}};
    for (int c = cairn_referee_piece(count, k); c < cairn_referee_piece(count, k + 1); c++) {
        judge_constraint(judging->referee, &problem->constraints[c], &judging->pieces[k]);
    }
}

// All rows; returns the largest scaled residual among those that bounds judge.
static double judge_rows(const Referee *referee, CairnResidual *residual) {
    const CairnProblem *problem = referee->problem;
    Verdict pieces[REFEREE_PIECES], all = {.residual = *residual};
    int count = problem->constraint_count;
    Judging judging = {referee, pieces};
    cairn_pieces_run(referee->threads, cairn_referee_pieces(count), judge_piece, &judging);
    for (int k = 0; k < cairn_referee_pieces(count); k++) {
        add_verdict(&pieces[k], &all);
    }
    for (int r = 0; r < problem->row_count && count == 0; r++) { // an explicit problem may go without constraints
        all.largest = cairn_max(all.largest, judge_row(referee, r, NULL, &all.residual, &all.sum));
    }
    *residual = all.residual;
    residual->natural = sqrt(all.sum);
    return all.largest;
}

static void judge(const Referee *referee, CairnResidual *residual) {
    const CairnProblem *problem = referee->problem;
    double largest_b = 0;
    for (int r = 0; r < problem->row_count; r++) {
        largest_b = cairn_max(largest_b, fabs(referee->b[r]));
    }
    residual->limit = 1e-8 * largest_b + 1e-12;
    double by_bounds = judge_rows(referee, residual);
    RefereeCones cones = cairn_referee_cones(referee);
    // |q| where there are contacts only; where joints push too, contacts at rest (q = 0) are measured relative to the
    // largest b.
    double scale = cairn_max(sqrt(cones.right_side), largest_b);
    scale = scale > 0 ? scale : 1;
    residual->cone = sqrt(cones.corrected) / scale;
    residual->convex = sqrt(cones.convex) / scale;
    double by_cones = sqrt(cones.certified);
    residual->is_certified = by_bounds <= residual->limit && (by_cones / scale <= 1e-8 || by_cones <= 1e-12);
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
        judge(&referee, residual);
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
