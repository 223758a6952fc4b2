// The central path: with mu > 0 the equations of interior point and parameters are smooth, and so is the curve of
// their solutions. Under the convex law mu falls along it. Under Coulomb's it may turn back: on hyperstatic heaps mu
// goes down, up by half, and down again, and a method for which mu only falls leaves the path at the fold and does
// not converge. So the path is parametrised by its length, and mu is one more unknown. The curve cannot end (Sard)
// nor be unbounded (docs/solvers.md), so it leads to mu = 0.
//
// A point of the path is given by X = (parameters / sqrt(mu norm), log mu), which has no unit. A step goes from a
// centred point along the tangent, by `ahead`; then Newton's method across the tangent centres the point again. Each
// Newton step is one factor and GMRES over X. Where parameters are many (MANY) they make up nearly all of the length
// of X, and most of that is load that moves between contacts with little effect: mu would fall by a hundredth a step.
// There the length is the root mean square, with the unit sqrt(mu norm) plus the parameter itself. With few
// parameters that is too coarse: one heap in thirty loses its path.
#include "solvers/exact/ipm_cone_path.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_start.h"
#include "solvers/linalg/gmres.h"

typedef struct Turn {
    CairnPath *path;
    double along; // length of the step along the tangent
} Turn;

CairnPath *cairn_path_make(CairnInterior *in) {
    CairnArena *arena = in->cones->exact.context->arena;
    int m = in->cones->exact.problem->row_count, groups = in->cones->exact.problem->friction_count;
    CairnPath *path = CAIRN_PUSH_ZERO(arena, CairnPath, 1);
    if (path == NULL) {
        return NULL;
    }
    path->in = in;
    path->tangent = CAIRN_PUSH_ZERO(arena, double, m + 2);
    path->kept_tangent = CAIRN_PUSH_ZERO(arena, double, m + 2);
    path->now = CAIRN_PUSH_ZERO(arena, double, m + 2);
    path->unit = CAIRN_PUSH_ZERO(arena, double, m + 2);
    path->moved = CAIRN_PUSH_ZERO(arena, double, m + 2);
    path->kept = CAIRN_PUSH_ZERO(arena, double, 7 * m + 1);
    path->states = CAIRN_PUSH_ZERO(arena, CairnSoc, groups + 1);
    bool is_made =
        path->tangent && path->kept_tangent && path->now && path->unit && path->moved && path->kept && path->states;
    return is_made ? path : NULL;
}

// ---- where the iterate is --------------------------------------------------------------------------------------------------

// Compute the iterate's parameters, their units, and their number.
static void read_parameters(CairnPath *path) {
    const CairnInterior *in = path->in;
    const CairnExact *exact = &in->cones->exact;
    bool is_coarse = path->is_coarse;
    int count = 0;
    path->in->extent = 1 - path->mu / path->start;
    path->in->blur = path->blur * path->mu;
    cairn_interior_renew(path->in);
    path->count = cairn_interior_list(in, path->now);
    for (int f = 0; f < exact->problem->friction_count; f++) {
        const CairnCone *cone = &in->cones->cones[f];
        if (cone->is_cone && cone->is_corrected) {
            path->unit[count++] = sqrt(path->mu * cone->norm) + (is_coarse ? fabs(cone->rise) : 0);
        }
    }
    for (int i = 0; i < exact->problem->row_count && count < path->count; i++) {
        if (in->cones->normal[i] >= 0 && in->z[0][i] > 0) {
            path->unit[count++] = sqrt(path->mu * exact->D[i]) + (is_coarse ? exact->D[i] * exact->upper[i] : 0);
        }
    }
    path->unit[count] = path->unit[0] > 0 && count > 0 ? path->unit[0] : sqrt(path->mu);
    for (int k = 0; k < count && is_coarse; k++) {
        path->unit[k] *= sqrt(count);
    }
}

// The distance from the path: of the products from mu, and the residuals of the rows' equations, relative to mu. w is
// that of the iterate.
static double off_centre(const CairnPath *path) {
    const CairnInterior *in = path->in;
    const CairnExact *exact = &in->cones->exact;
    const CairnProblem *problem = exact->problem;
    double off = 0, mu = path->mu;
    for (int i = 0; i < problem->row_count; i++) {
        exact->y[i] = exact->w[i] - in->z[0][i] + in->z[1][i];
        for (int side = 0; side < 2; side++) {
            off = fmax(off, in->z[side][i] > 0 ? fabs(in->s[side][i] * in->z[side][i] / mu - 1) : 0);
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnCone *cone = &in->cones->cones[f];
        const CairnSoc *state = &in->states[f];
        double *y = exact->y + problem->frictions[f].normal, square[3];
        if (!cone->is_cone) {
            continue;
        }
        y[0] += cone->rise;
        for (int i = 0; i < 3; i++) {
            y[i] -= (i == 0 ? cone->mu : 1) * state->z[i];
        }
        cairn_soc_product(state->q, state->q, square);
        off = fmax(off, (fabs(square[0] - mu) + hypot(square[1], square[2])) / mu);
    }
    for (int i = 0; i < problem->row_count; i++) {
        off = fmax(off, exact->is_held[i] ? 0 : fabs(exact->y[i]) / sqrt(mu * exact->D[i]));
    }
    return off;
}

static void copy(double *to, double *from, bool is_back, int count) {
    memcpy(is_back ? from : to, is_back ? to : from, (size_t)count * sizeof *to);
}

// Store the point, or restore the stored one (is_back).
static void save(CairnPath *path, bool is_back) {
    CairnInterior *in = path->in;
    CairnExact *exact = &in->cones->exact;
    int m = exact->problem->row_count;
    double *arrays[] = {exact->lambda, exact->lower, exact->upper, in->s[0], in->s[1], in->z[0], in->z[1]};
    for (int k = 0; k < (int)(sizeof arrays / sizeof *arrays); k++) {
        copy(path->kept + (size_t)k * (size_t)m, arrays[k], is_back, m);
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        *(is_back ? &in->states[f] : &path->states[f]) = is_back ? path->states[f] : in->states[f];
    }
    copy(path->kept_tangent, path->tangent, is_back, path->count + 1);
    copy(&path->kept_mu, &path->mu, is_back, 1);
    if (is_back) {
        cairn_system_slack(&exact->system, exact->lambda, exact->w);
    }
}

// Remove the parameters of rows that are held from here on, and insert those of rows that are no longer held
// (cairn_interior_update_row).
static void update_parameters(CairnPath *path) {
    const CairnInterior *in = path->in;
    const CairnExact *exact = &in->cones->exact;
    int k = cairn_cones_count_rises(in->cones); // which come first
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (in->cones->normal[i] < 0) {
            continue;
        }
        bool before = in->z[0][i] > 0;
        cairn_interior_update_row(path->in, i, path->mu);
        bool after = in->z[0][i] > 0;
        size_t rest = (size_t)(path->count - k + (before ? 0 : 1)) * sizeof *path->tangent; // and mu
        double *arrays[] = {path->tangent, path->moved};
        for (int a = 0; a < 2 && before != after; a++) {
            memmove(arrays[a] + k + after, arrays[a] + k + before, rest);
            arrays[a][k] = after ? 0 : arrays[a][k];
        }
        path->count += after - before;
        k += after;
    }
}

// ---- steps -----------------------------------------------------------------------------------------------------------------

// R of the parameters; for dmu/mu, the missing length along the tangent. A CairnAffine.
static bool path_residual(void *user, const double *p, double *R) {
    const Turn *turn = user;
    const CairnPath *path = turn->path;
    int n = path->count;
    double change = p[n] / path->unit[n], along = path->tangent[n] * change;
    cairn_interior_aim(path->in, path->mu * (1 + change), false);
    path->in->more = -path->mu / path->start * change;
    path->in->change = change;
    if (!cairn_interior_residual(path->in, p, R)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        along += path->tangent[k] * (p[k] - path->now[k]) / path->unit[k];
    }
    R[n] = path->unit[n] * (turn->along - along);
    return true;
}

// The direction that fulfils all equations to first order and has the length `along` along the tangent; `moved` is
// the change of X.
static CairnStatus find_direction(CairnPath *path, double along) {
    enum { MOST_DIRECTIONS = 150 };
    CairnInterior *in = path->in;
    Turn turn = {path, along};
    int n = path->count;
    double *p = in->parameters;
    memcpy(p, path->now, (size_t)n * sizeof *p);
    p[n] = 0;
    CAIRN_TRY(cairn_interior_factor(in));
    in->accuracy = 1e-9;
    CairnStatus status =
        cairn_gmres(n + 1, p, 1e-9, 0, MOST_DIRECTIONS, path_residual, &turn, in->cones->exact.context->arena);
    bool is_finite = cairn_is_ok(status) && path_residual(&turn, p, path->moved);
    in->accuracy = 1e-4;
    CAIRN_TRY(status);
    if (!is_finite) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: a direction is not finite");
    }
    for (int k = 0; k < n; k++) {
        path->moved[k] = (p[k] - path->now[k]) / path->unit[k];
    }
    path->moved[n] = p[n] / path->unit[n];
    return cairn_ok();
}

static CairnStatus move(CairnPath *path, double step) {
    CairnExact *exact = &path->in->cones->exact;
    exact->iterations++;
    CAIRN_TRY(cairn_interior_move(path->in, step));
    path->mu *= 1 + step * path->moved[path->count];
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    if (!(path->mu > 0)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: mu = %g on the central path", path->mu);
    }
    return cairn_ok();
}

// Compute the tangent at the point, and the direction along it. straight: the cosine of its angle with the last
// tangent.
static CairnStatus find_tangent(CairnPath *path, double *straight) {
    double size = 0;
    read_parameters(path);
    CAIRN_TRY(find_direction(path, 1));
    for (int k = 0; k <= path->count; k++) {
        size += path->moved[k] * path->moved[k];
    }
    size = sqrt(size);
    if (!(size > 0) || !isfinite(size)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: the central path has no direction");
    }
    for (int k = 0; k <= path->count; k++) {
        path->tangent[k] = path->moved[k] / size;
    }
    path->size = size;
    *straight = 1 / size;
    return cairn_ok();
}

static CairnStatus step_along(CairnPath *path) {
    double change = path->moved[path->count];
    double step = fmin(path->ahead / path->size, 0.9 * cairn_interior_longest(path->in));
    return move(path, change < 0 ? fmin(step, 0.95 / -change) : step);
}

// Newton's method across the tangent until the point is centred, at most `most` steps.
static CairnStatus centre(CairnPath *path, int most, bool *is_centred) {
    static const double near = 0.1, lost = 100;
    double off = off_centre(path);
    for (int k = 0; k < most && off > near && (k == 0 || off < lost || !path->has_point); k++) {
        read_parameters(path);
        CAIRN_TRY(find_direction(path, 0));
        double longest = cairn_interior_longest(path->in);
        CAIRN_TRY(move(path, longest < 1 ? 0.9 * longest : 1));
        read_parameters(path);
        off = off_centre(path);
    }
    *is_centred = off <= near;
    return cairn_ok();
}

void cairn_path_begin(CairnPath *path, double size, double blur) {
    enum { MANY = 500 };
    cairn_interior_begin(path->in, size);
    path->is_coarse = cairn_interior_list(path->in, path->now) > MANY;
    path->start = path->mu = size * cairn_ipm_cold_mu(&path->in->cones->exact);
    path->blur = blur;
    path->ahead = 0.5;
    path->has_point = false;
    read_parameters(path);
    memset(path->tangent, 0, (size_t)path->count * sizeof *path->tangent);
    path->tangent[path->count] = -1; // mu falls
}

// One try from the present point: a step along the tangent, centring, and the next tangent. is_good: false if the
// step was too long.
static CairnStatus try_step(CairnPath *path, bool *is_good) {
    enum { MOST_TURNS = 6 };
    static const double least_straight = 0.6;
    double straight = 0;
    *is_good = false;
    CAIRN_TRY(step_along(path));
    read_parameters(path);
    CAIRN_TRY(centre(path, MOST_TURNS, is_good));
    if (*is_good) {
        CAIRN_TRY(find_tangent(path, &straight));
        *is_good = straight >= least_straight;
    }
    return cairn_ok();
}

CairnStatus cairn_path_step(CairnPath *path) {
    enum { MOST_FIRST = 60 };
    static const double longest = 3, shortest = 1e-6;
    double straight;
    bool is_good = false;
    if (!path->has_point) {
        read_parameters(path);
        CAIRN_TRY(centre(path, MOST_FIRST, &is_good));
        path->has_point = is_good;
        return is_good ? find_tangent(path, &straight)
                       : cairn_error(CAIRN_NUMERIC, "ipm-cone: the central path was not found");
    }
    update_parameters(path);
    save(path, false);
    while (path->ahead > shortest) {
        int before = path->in->cones->exact.iterations;
        CairnStatus status = try_step(path, &is_good);
        if (cairn_is_ok(status) && is_good && path->mu > path->start) {
            return cairn_error(CAIRN_NUMERIC, "ipm-cone: a step left the central path for another one");
        }
        if (cairn_is_ok(status) && is_good) {
            bool is_easy = path->in->cones->exact.iterations - before <= 3;
            path->ahead = is_easy ? fmin(2 * path->ahead, longest) : path->ahead;
            return cairn_ok();
        }
        if (!cairn_is_ok(status) && status.code != CAIRN_NUMERIC) {
            return status;
        }
        save(path, true);
        path->ahead *= 0.3;
        CAIRN_TRY(find_tangent(path, &straight));
    }
    return cairn_error(CAIRN_NUMERIC, "ipm-cone: the central path cannot be followed beyond mu = %g", path->mu);
}
