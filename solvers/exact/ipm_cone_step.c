// Mehrotra's steps of the interior point, from a centred start.
#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_cone_interior.h"
#include "solvers/exact/ipm_start.h"

// Centre the rows whose bounds follow normal impulses (`follows`), or the others.
static void centre_bounds(CairnInterior *in, double mu, bool follows) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        if ((in->cones->normal[i] >= 0) == follows) {
            in->sides += cairn_ipm_centre_row(exact, i, mu, false, in->s, in->z);
        }
    }
}

// Set the bounds that follow normal impulses from those of the iterate.
static void update_bounds(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (in->cones->normal[i] >= 0) {
            exact->upper[i] = in->cones->lever[i] * fmax(0, exact->lambda[in->cones->normal[i]]);
            exact->lower[i] = -exact->upper[i];
        }
    }
}

// Whether a bound is so small that the certificate cannot resolve it.
static bool is_zero_bound(const CairnExact *exact, int i, double bound) {
    static const double nothing = 0.1;
    return 2 * bound * exact->D[i] <= nothing * exact->target;
}

// Hold the rows whose bound is zero, for a normal impulse may be 0 at the start; cairn_interior_update_row releases
// them.
static void hold_zero_bounds(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->is_held[i] =
            exact->is_held[i] || (in->cones->normal[i] >= 0 && is_zero_bound(exact, i, exact->upper[i]));
    }
}

void cairn_interior_begin(CairnInterior *in, double size) {
    CairnExact *exact = &in->cones->exact;
    const CairnProblem *problem = exact->problem;
    in->is_following = true;
    in->extent = 1;
    in->more = in->blur = in->change = 0;
    in->sides = 0;
    for (int i = 0; i < problem->row_count; i++) {
        if (in->cones->normal[i] >= 0) {
            exact->is_held[i] = exact->is_dead[i] || !(in->cones->lever[i] > 0);
        }
        exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
    }
    double mu = size * cairn_ipm_cold_mu(exact);
    for (int f = 0; f < problem->friction_count; f++) {
        CairnCone *cone = &in->cones->cones[f];
        cone->rise = 0;
        if (cone->is_cone) {
            double r = sqrt(mu / cone->norm);
            exact->lambda[problem->frictions[f].normal] = r;
            in->states[f] = (CairnSoc){.y = {cone->mu * r, 0, 0}, .z = {mu / (cone->mu * r), 0, 0}};
            cairn_soc_find_scaling(&in->states[f]);
            in->sides++;
        }
    }
    centre_bounds(in, mu, false);
    update_bounds(in);
    hold_zero_bounds(in);
    centre_bounds(in, mu, true);
    memcpy(in->first, exact->lambda, (size_t)problem->row_count * sizeof *in->first);
    cairn_cones_measure(in->cones, false);
}

// Gondzio's correctors, as in ipm: they use the same factor, and are accepted where the step becomes longer.
static CairnStatus correct_centrality(CairnInterior *in, double mu) {
    enum { MOST = 4 };
    static const double longer = 0.3, enough = 0.97;
    double step = cairn_interior_longest(in);
    for (int k = 0; k < MOST && step < enough; k++) {
        cairn_interior_save(in, false);
        cairn_interior_push(in, mu, fmin(1, step + longer));
        CairnStatus status = cairn_interior_find(in);
        if (status.code != CAIRN_NUMERIC) {
            CAIRN_TRY(status);
        }
        double next = cairn_is_ok(status) ? cairn_interior_longest(in) : 0;
        if (!(next >= step + 0.05 * longer)) {
            cairn_interior_save(in, true);
            break;
        }
        step = next;
    }
    return cairn_ok();
}

// Mehrotra's two solves: the step without centring decides how much centring there is, and its error of second order
// is corrected, unless that shortens the step. `least`: the least sigma.
static CairnStatus find_step(CairnInterior *in, double least) {
    // Where parameters are unknowns each direction takes as long as the factor, so no more of them are made than
    // needed.
    bool follows = in->is_following && cairn_interior_list(in, in->parameters) > 0;
    CairnStatus (*find)(CairnInterior *) = in->is_following ? cairn_interior_find_followed : cairn_interior_find;
    double mu = cairn_interior_product(in, 0);
    cairn_interior_aim(in, 0, false);
    CAIRN_TRY(find(in));
    if (in->sides > 0) {
        double affine = cairn_interior_longest(in), ahead = cairn_interior_product(in, affine) / mu;
        double sigma = fmax(least, fmin(pow(ahead, follows ? 3 : 4), 1));
        cairn_interior_aim(in, sigma * mu, true);
        CAIRN_TRY(find(in));
        if (cairn_interior_longest(in) < 0.5 * affine) {
            cairn_interior_aim(in, sigma * mu, false);
            CAIRN_TRY(find(in));
        }
        CAIRN_TRY(follows ? cairn_ok() : correct_centrality(in, sigma * mu));
    }
    return cairn_ok();
}

// Hold a row (bound 0) or release it. Its direction is zero, for the present one was found without this change.
static void set_pair(CairnInterior *in, int i, double bound, double z) {
    CairnExact *exact = &in->cones->exact;
    exact->lambda[i] = 0;
    exact->upper[i] = bound;
    exact->lower[i] = -bound;
    in->sides += (exact->is_held[i] ? 2 : 0) - (bound > 0 ? 0 : 2);
    exact->is_held[i] = !(bound > 0);
    in->direction[i] = in->widening[i] = 0;
    for (int side = 0; side < 2; side++) {
        in->s[side][i] = bound > 0 ? bound : 1;
        in->z[side][i] = z;
        in->ds[side][i] = in->dz[side][i] = in->product[side][i] = 0;
    }
}

// Release a row: from here on it lies between bounds. mu may be 0, where all sides are held.
static void release_row(CairnInterior *in, int i, double bound, double mu) {
    set_pair(in, i, bound, fmax(mu, bound * in->cones->exact.target) / bound);
}

// Set the bound from the normal impulse, and scale the impulse between the bounds and its distances with it.
static void stretch_pair(CairnInterior *in, int i, double bound) {
    CairnExact *exact = &in->cones->exact;
    double ratio = bound / exact->upper[i];
    exact->upper[i] = bound;
    exact->lower[i] = -bound;
    exact->lambda[i] *= ratio;
    for (int side = 0; side < 2; side++) {
        in->s[side][i] *= ratio;
        in->z[side][i] /= ratio;
    }
}

static double bound_of(const CairnInterior *in, int i) {
    return in->cones->lever[i] * fmax(in->cones->exact.lambda[in->cones->normal[i]], 0);
}

static bool follows_bound(const CairnInterior *in, int i) {
    return in->cones->normal[i] >= 0 && !in->cones->exact.is_dead[i] && in->cones->lever[i] > 0;
}

// Bounds that follow the impulse of a contact that opens go to zero with mu, far below the accuracy of GMRES, and
// rows between them limit every step. Where the certificate cannot resolve them such a row is held, until it can.
void cairn_interior_update_row(CairnInterior *in, int row, double mu) {
    const CairnExact *exact = &in->cones->exact;
    if (!follows_bound(in, row)) {
        return;
    }
    double bound = bound_of(in, row);
    if (!exact->is_held[row] && is_zero_bound(exact, row, bound)) {
        set_pair(in, row, 0, 0);
    } else if (exact->is_held[row] && 2 * bound * exact->D[row] > exact->target) {
        release_row(in, row, bound, mu);
    }
}

// Correct also the bounds that differ from their impulse by a factor of ten after steps with fixed parameters: no
// direction does that.
static void repair_bounds(CairnInterior *in) {
    static const double far = 10;
    const CairnExact *exact = &in->cones->exact;
    double mu = cairn_interior_product(in, 0);
    for (int i = 0; i < exact->problem->row_count; i++) {
        cairn_interior_update_row(in, i, mu);
        if (follows_bound(in, i) && !exact->is_held[i]) {
            double bound = bound_of(in, i), old = exact->upper[i];
            if (!(old > 0)) { // rounded away
                release_row(in, i, bound, mu);
            } else if (bound > far * old || bound * far < old) {
                stretch_pair(in, i, bound);
            }
        }
    }
}

CairnStatus cairn_interior_step(CairnInterior *in, double *step) {
    static const double is_short = 0.01, centring = 0.5;
    CairnExact *exact = &in->cones->exact;
    CAIRN_TRY(cairn_interior_factor(in));
    CAIRN_TRY(find_step(in, 0));
    if (cairn_interior_longest(in) < is_short) { // the parameters stay for once
        cairn_interior_renew(in);
        in->is_following = false;
        CAIRN_TRY(find_step(in, centring));
    }
    double longest = cairn_interior_longest(in);
    *step = longest < 1 ? 0.995 * longest : 1;
    CairnStatus status = cairn_interior_move(in, *step);
    in->is_following = true;
    CAIRN_TRY(status);
    repair_bounds(in);
    cairn_interior_renew(in);
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    return cairn_ok();
}
