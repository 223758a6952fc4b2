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
    return row->sum > 0 ? -sum / row->sum : sum == 0 ? 0 : copysign((double)INFINITY, -sum);
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

// Eq. 21 with the normal first, then the tangents onto the disc: Coulomb's own law, for the three rows answer by themselves alone.
static void settle_coulomb(const AdmmSystem *system, const AdmmItem *item, double mu, double *lambda) {
    lambda[0] = fmax(0, level(system, item, 0));
    lambda[1] = level(system, item, 1);
    lambda[2] = level(system, item, 2);
    double length = sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]), most = mu * lambda[0];
    if (length > most) {
        lambda[1] *= most / length;
        lambda[2] *= most / length;
    }
}

// Eq. 21 as a nearest point of the cone: the convex law. Where the compliances of normal and tangents differ, nearest is meant in the
// metric of the sums: the tangents measured in another unit make the cone wider or narrower.
static void settle_cone(const AdmmSystem *system, const AdmmItem *item, double mu, double *lambda) {
    const AdmmRow *rows = system->rows + item->first_row;
    double unit = sqrt(rows[1].sum / rows[0].sum);
    for (int k = 0; k < 3; k++) {
        lambda[k] = level(system, item, k) * (k > 0 ? unit : 1);
    }
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
