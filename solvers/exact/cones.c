#include "solvers/exact/cones.h"

#include <math.h>

#include "solvers/problem/law.h"

static CairnStatus allocate(CairnCones *cones, bool lends) {
    const CairnProblem *problem = cones->exact.problem;
    CairnArena *arena = cones->exact.context->arena;
    cones->cones = CAIRN_PUSH_ZERO(arena, CairnCone, problem->friction_count + 1);
    cones->normal = CAIRN_PUSH(arena, int, problem->row_count + 1);
    cones->lever = CAIRN_PUSH_ZERO(arena, double, problem->row_count + 1);
    if (!lends) {
        cones->blocks = CAIRN_PUSH_ZERO(arena, CairnThetaBlock, problem->friction_count + 1);
        cones->parameter = CAIRN_PUSH(arena, int, problem->row_count + 1);
    }
    if (!cones->cones || !cones->normal || !cones->lever || (!lends && (!cones->blocks || !cones->parameter))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "cones: no memory for %d rows", problem->row_count);
    }
    return cairn_ok();
}

// Set up the law of a friction group: bounds that stand, bounds that follow the normal impulse, or a cone.
static void set_group(CairnCones *cones, int f, const double *lambda) {
    CairnExact *exact = &cones->exact;
    const CairnFriction *friction = &exact->problem->frictions[f];
    CairnCone *cone = &cones->cones[f];
    int n = friction->normal;
    bool is_cone = cairn_takes_block(friction);
    bool is_dead = exact->is_dead[n] && exact->is_dead[n + 1] && exact->is_dead[n + 2];
    *cone = (CairnCone){.is_cone = is_cone && friction->mu > 0 && !is_dead,
                        .is_corrected = friction->kind == CAIRN_FRICTION_COULOMB,
                        .mu = friction->mu};
    for (int i = 0; i < 3 && is_cone; i++) {
        cone->norm += exact->is_dead[n + i] ? 0 : exact->D[n + i];
        exact->lower[n + i] = cone->is_cone ? -(double)INFINITY : 0;
        exact->upper[n + i] = cone->is_cone || i == 0 ? (double)INFINITY : 0;
        // A dead row of a cone that has others is one of its unknowns: Theta alone holds it.
        exact->is_held[n + i] = !cone->is_cone && (is_dead || i > 0);
        exact->lambda[n + i] = exact->is_held[n + i] ? 0 : lambda[n + i];
        cones->normal[n + i] = cone->is_cone ? CAIRN_ROW_CONE : CAIRN_ROW_FIXED;
    }
    for (int k = is_cone ? 3 : 1; k < 3 + friction->spin_rows && friction->kind != CAIRN_FRICTION_BOX; k++) {
        cones->normal[n + k] = n;
        cones->lever[n + k] = cairn_law_lever(friction, k);
    }
}

static bool takes_any(const CairnProblem *problem) {
    (void)problem;
    return true;
}

static CairnStatus prepare_none(const CairnSystem *system, void **memory, void **state) {
    (void)system;
    (void)memory;
    *state = NULL;
    return cairn_ok();
}

// A given W has no body space: who asks for it there has factors of its own, and takes only the products.
static const CairnSystemKind products_alone = {.name = "none", .takes = takes_any, .prepare = prepare_none};

CairnStatus cairn_cones_init(CairnCones *cones, const CairnProblem *problem, CairnFormulation formulation, bool lends,
                             CairnSolverContext *context, const double *lambda) {
    bool has_none = problem->form == CAIRN_FORM_EXPLICIT && formulation == CAIRN_FORMULATION_BODY;
    CairnExactSetup setup = {
        .name = "ipm-cone",
        .system = {.formulation = formulation, .kind = has_none ? &products_alone : NULL, .lends = lends},
        .takes_cones = true,
        .may_ask = true};
    *cones = (CairnCones){.residual_scale = 1};
    CairnExact *exact = &cones->exact;
    CAIRN_TRY(cairn_exact_init(exact, problem, &setup, context, lambda));
    CAIRN_TRY(allocate(cones, lends));
    for (int i = 0; i < problem->row_count; i++) {
        cones->normal[i] = CAIRN_ROW_FIXED;
    }
    double right_side = 0;
    for (int f = 0; f < problem->friction_count; f++) {
        set_group(cones, f, lambda);
        for (int i = 0; i < 3; i++) {
            right_side += pow(exact->b[problem->frictions[f].normal + i], 2);
        }
    }
    // The referee's vel_rel <= 1e-8 of max(|q|, max|b|) is then the same as `limit` where all groups are in one
    // component, and follows from it where they are not.
    if (sqrt(right_side) > exact->scale && exact->weight == NULL) {
        cones->residual_scale = exact->scale / sqrt(right_side);
    }
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    cairn_cones_renew(cones);
    return cairn_ok();
}

static double present_rise(const CairnCones *cones, int f) {
    const CairnCone *cone = &cones->cones[f];
    const double *w = cones->exact.w + cones->exact.problem->frictions[f].normal;
    return cone->is_cone && cone->is_corrected ? cone->mu * sqrt(w[1] * w[1] + w[2] * w[2]) : 0;
}

// Squared natural map of a cone, (r - P_K(r - u / norm)) norm: K is a cone, so it is s - P_K(s - u) with s = norm r.
static double map_of(const CairnCones *cones, int f, double rise) {
    const CairnExact *exact = &cones->exact;
    const CairnCone *cone = &cones->cones[f];
    int n = exact->problem->frictions[f].normal;
    const double *r = exact->lambda + n, *w = exact->w + n;
    double s[3] = {cone->norm * r[0], cone->norm * r[1], cone->norm * r[2]}, mu = cone->mu;
    double x[3] = {s[0] - w[0] - rise, s[1] - w[1], s[2] - w[2]}, tangent = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (mu * tangent <= -x[0]) {
        return s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    }
    bool is_inside = tangent <= mu * x[0];
    double normal = is_inside ? x[0] : (x[0] + mu * tangent) / (1 + mu * mu),
           scale = is_inside ? 1 : mu * normal / tangent;
    double off[3] = {s[0] - normal, s[1] - scale * x[1], s[2] - scale * x[2]};
    return off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
}

double cairn_cones_map(const CairnCones *cones, int f) {
    return sqrt(map_of(cones, f, cones->cones[f].rise));
}

double cairn_cones_residual(const CairnCones *cones, bool is_present) {
    const CairnExact *exact = &cones->exact;
    const CairnProblem *problem = exact->problem;
    double largest = 0, sum = 0;
    for (int i = 0; i < problem->row_count; i++) {
        double lower = exact->lower[i], upper = exact->upper[i];
        if (is_present && cones->normal[i] >= 0) {
            upper = cones->lever[i] * fmax(0, exact->lambda[cones->normal[i]]);
            lower = -upper;
        }
        if (cones->normal[i] != CAIRN_ROW_CONE) {
            double above = exact->D[i] * (exact->lambda[i] - upper), below = exact->D[i] * (exact->lambda[i] - lower);
            double middle = fabs(cairn_clamp(exact->w[i], above, below));
            largest = cairn_ops_larger(largest, cairn_exact_weight(exact, i) * middle);
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        if (cones->cones[f].is_cone) {
            double weight = cairn_exact_weight(exact, problem->frictions[f].normal);
            sum += weight * weight * map_of(cones, f, is_present ? present_rise(cones, f) : cones->cones[f].rise);
        }
    }
    sum = cones->residual_scale * sqrt(sum);
    return cairn_ops_larger(largest, sum);
}

double cairn_cones_measure(CairnCones *cones, bool is_present) {
    CairnExact *exact = &cones->exact;
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    return cairn_cones_residual(cones, is_present);
}

static void set_bound(CairnExact *exact, int i, double upper) {
    exact->upper[i] = upper;
    exact->lower[i] = -upper;
    exact->is_held[i] = exact->is_dead[i] || exact->D[i] * 2 * upper <= exact->target;
}

int cairn_cones_count_rises(const CairnCones *cones) {
    int count = 0;
    for (int f = 0; f < cones->exact.problem->friction_count; f++) {
        count += cones->cones[f].is_cone && cones->cones[f].is_corrected;
    }
    return count;
}

void cairn_cones_renew(CairnCones *cones) {
    CairnExact *exact = &cones->exact;
    for (int f = 0; f < exact->problem->friction_count; f++) {
        cones->cones[f].rise = present_rise(cones, f);
    }
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (cones->normal[i] >= 0) {
            set_bound(exact, i, cones->lever[i] * fmax(0, exact->lambda[cones->normal[i]]));
        }
    }
}

double cairn_cones_start(CairnCones *cones, const double *lambda) {
    CairnExact *exact = &cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] = exact->is_held[i] && cones->normal[i] == CAIRN_ROW_FIXED ? 0 : lambda[i];
    }
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    cairn_cones_renew(cones);
    return cairn_cones_residual(cones, true);
}

double cairn_cones_project(CairnCones *cones) {
    CairnExact *exact = &cones->exact;
    const CairnProblem *problem = exact->problem;
    for (int f = 0; f < problem->friction_count; f++) {
        if (cones->cones[f].is_cone) {
            cairn_law_project(cones->cones[f].mu, exact->lambda + problem->frictions[f].normal);
        }
    }
    for (int follows = 0; follows < 2; follows++) { // normals before the rows that follow them
        for (int i = 0; i < problem->row_count; i++) {
            if (cones->normal[i] == CAIRN_ROW_CONE || (cones->normal[i] >= 0) != follows) {
                continue;
            }
            double upper = follows ? cones->lever[i] * fmax(0, exact->lambda[cones->normal[i]]) : exact->upper[i];
            exact->lambda[i] = cairn_clamp(exact->lambda[i], follows ? -upper : exact->lower[i], upper);
        }
    }
    return cairn_cones_measure(cones, true);
}
