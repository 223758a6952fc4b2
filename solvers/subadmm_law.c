// The law of one constraint in closed form (S2 eqs. 16 to 21). The sides' copies answer to an impulse as z = (y + lambda)/beta (eq. 18), so the
// row's velocity is  w = sum y/beta + lambda sum 1/beta + C lambda + d  with no matrix, whatever the number of subsystems. Eqs. 17 and 20
// are one: C = 0 is a hard row, C = 1/(k alpha) and d = e/alpha a soft one.
#include <math.h>

#include "solvers/cones.h"
#include "solvers/pgs_rows.h"
#include "solvers/subadmm_system.h"

// The impulse that makes w = 0.
static double level(const AdmmSystem *system, const AdmmItem *item, int r) {
    const AdmmRow *row = &system->rows[item->first_row + r];
    double sum = row->d;
    for (int s = item->first_side; s < item->first_side + item->side_count; s++) {
        int slot = system->sides[s].slot + r;
        sum += system->y[slot] * system->inverse[slot];
    }
    // A row that nothing moves, without compliance: only its bounds count.
    return row->sum > 0 ? sum * row->scale : sum == 0 ? 0 : copysign((double)INFINITY, -sum);
}

static double clamp(double x, double lower, double upper) {
    x = fmin(fmax(x, lower), upper);
    return isfinite(x) ? x : 0;
}

// Bounds that follow the present normal impulse, from row k on: box-current tangents, torsion and rolling.
static void clamp_levers(const AdmmSystem *system, const AdmmItem *item, const CairnFriction *friction, int k,
                         double *lambda) {
    for (; k < 3 + friction->spin_rows; k++) {
        double bound = cairn_pgs_lever(friction, friction->normal + k) * fmax(0, lambda[0]);
        lambda[k] = clamp(level(system, item, k), -bound, bound);
    }
}

// The same of a contact's three rows, which every side has one after the other.
static inline void level_contact(const AdmmSystem *system, const AdmmItem *item, double *x) {
    const AdmmRow *rows = system->rows + item->first_row;
    x[0] = rows[0].d;
    x[1] = rows[1].d;
    x[2] = rows[2].d;
    const AdmmSide *side = system->sides + item->first_side;
    for (int s = 0; s < item->side_count; s++) {
        const double *y = system->y + side[s].slot, *inverse = system->inverse + side[s].slot;
        for (int k = 0; k < 3; k++) {
            x[k] += y[k] * inverse[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        x[k] = rows[k].sum > 0 ? x[k] * rows[k].scale : 0;
    }
}

// Eq. 21 with the normal first, then the tangents onto the disc: Coulomb's own law, for the three rows answer by themselves alone.
static void settle_coulomb(const AdmmSystem *system, const AdmmItem *item, double mu, double *lambda) {
    double x[3];
    level_contact(system, item, x);
    double normal = x[0] > 0 ? x[0] : 0, square = x[1] * x[1] + x[2] * x[2], most = mu * normal;
    if (square > most * most) {
        double shrink = most / sqrt(square);
        x[1] *= shrink;
        x[2] *= shrink;
    }
    lambda[0] = normal;
    lambda[1] = x[1];
    lambda[2] = x[2];
}

// Eq. 21 as a nearest point of the cone: the convex law. Where the compliances of normal and tangents differ, nearest is meant in the
// metric of the sums: the tangents measured in another unit make the cone wider or narrower.
static void settle_cone(const AdmmSystem *system, const AdmmItem *item, double mu, double *lambda) {
    const AdmmRow *rows = system->rows + item->first_row;
    double unit = rows[0].sum > 0 ? sqrt(rows[1].sum / rows[0].sum) : 1;
    level_contact(system, item, lambda);
    lambda[1] *= unit;
    lambda[2] *= unit;
    cairn_cone_project(mu * unit, lambda);
    lambda[1] /= unit;
    lambda[2] /= unit;
}

void cairn_admm_visit_item(AdmmSystem *system, const AdmmItem *item) {
    double *lambda = system->lambda + item->first_row;
    const CairnFriction *friction = item->friction >= 0 ? &system->problem->frictions[item->friction] : NULL;
    CairnFrictionKind kind = friction ? friction->kind : CAIRN_FRICTION_BOX;
    int settled = 0; // rows of the law
    if (kind == CAIRN_FRICTION_COULOMB) {
        settle_coulomb(system, item, friction->mu, lambda);
        settled = 3;
    } else if (kind == CAIRN_FRICTION_CONE && friction->mu > 0) {
        settle_cone(system, item, friction->mu, lambda);
        settled = 3;
    } else if (kind != CAIRN_FRICTION_BOX) { // box-current, or a cone that is a ray
        lambda[0] =
            clamp(level(system, item, 0), system->rows[item->first_row].lower, system->rows[item->first_row].upper);
        settled = 1;
    }
    if (settled > 0) {
        clamp_levers(system, item, friction, settled, lambda);
        return;
    }
    for (int r = 0; r < item->row_count; r++) {
        const AdmmRow *row = &system->rows[item->first_row + r];
        lambda[r] = clamp(level(system, item, r), row->lower, row->upper);
    }
}
