// The law of one constraint in closed form (S2 eqs. 16 to 21). The sides' copies depend on the impulse as
// z = (y + lambda)/beta (eq. 18), so the row's velocity is  w = sum y/beta + lambda sum 1/beta + C lambda + d  with
// no matrix, whatever the number of subsystems. Eqs. 17 and 20 are one: C = 0 is a hard row, C = 1/(k alpha) and
// d = e/alpha a soft one.
//
// The level of a row is the impulse that makes w = 0. All levels are found first, in one loop over consecutive rows,
// which also clamps them to their bounds. The rows of contacts have no bounds there; the friction law is applied to
// them afterwards.
#include <math.h>
#include <string.h>

#include "solvers/admm/subadmm_kernels.h"
#include "solvers/problem/law.h"

// The divisors of the closed forms, once every side has its beta. For a row that nothing moves and that has no
// compliance only the bounds count: its impulse is at the bound that the sign of d selects, or zero where there is no
// bound on that side.
static void level_row(AdmmSystem *system, const AdmmItem *item, int r, bool has_law) {
    AdmmRow *row = &system->rows[item->first_row + r];
    const AdmmLevels *levels = &system->levels;
    const AdmmSide *sides = system->sides + item->first_side;
    int k = item->first_row + r;
    row->sum = row->C;
    for (int s = 0; s < item->side_count; s++) {
        row->sum += system->inverse[sides[s].slot + r * sides[s].pitch];
    }
    levels->d[k] = row->d;
    levels->scale[k] = row->sum > 0 ? -1 / row->sum : 0;
    levels->a[k] = item->side_count > 0 ? sides[0].slot + r * sides[0].pitch : system->slot_count;
    levels->b[k] = item->side_count > 1 ? sides[1].slot + r * sides[1].pitch : system->slot_count;
    levels->lower[k] = has_law ? -(double)INFINITY : row->lower;
    levels->upper[k] = has_law ? (double)INFINITY : row->upper;
    if (!(row->sum > 0)) {
        double end = row->d < 0 ? row->upper : row->d > 0 ? row->lower : cairn_clamp(0, row->lower, row->upper);
        levels->lower[k] = levels->upper[k] = isfinite(end) ? end : 0;
    }
}

// A contact's rows whose bounds are its law's.
static int rows_of_law(const CairnFriction *friction) {
    return friction && friction->kind != CAIRN_FRICTION_BOX ? 3 + friction->spin_rows : 0;
}

void cairn_admm_level_item(AdmmSystem *system, AdmmItem *item) {
    const CairnFriction *friction = item->friction >= 0 ? &system->problem->frictions[item->friction] : NULL;
    int count = rows_of_law(friction);
    bool is_contact = count == 3 && friction->kind == CAIRN_FRICTION_COULOMB && item->side_count <= 2;
    item->is_plain = item->side_count <= 2 && (count == 0 || is_contact);
    item->first_contact = system->contact_count;
    if (is_contact) {
        system->contact_row[system->contact_count] = item->first_row;
        system->contact_mu[system->contact_count++] = friction->mu;
    }
    for (int r = 0; r < item->row_count; r++) {
        level_row(system, item, r, r < count);
    }
}

// Levels of rows with more than two sides, which the loop over rows does not compute.
static void level_more(const AdmmSystem *system, const AdmmItem *item) {
    for (int r = 0; r < item->row_count; r++) {
        int k = item->first_row + r;
        double sum = system->levels.d[k];
        for (int s = item->first_side; s < item->first_side + item->side_count; s++) {
            sum += system->velocity[system->sides[s].slot + r * system->sides[s].pitch];
        }
        system->lambda[k] =
            cairn_clamp(sum * system->levels.scale[k], system->levels.lower[k], system->levels.upper[k]);
    }
}

// Eq. 21 with the normal first, then the tangents projected onto the disc: that is Coulomb's law exactly, for the
// three rows are not coupled.
static void project_coulomb(double mu, double *x) {
    double square = x[1] * x[1] + x[2] * x[2];
    x[0] = x[0] > 0 ? x[0] : 0;
    double most = mu * x[0];
    if (square > most * most) {
        double shrink = most / sqrt(square);
        x[1] *= shrink;
        x[2] *= shrink;
    }
}

// Eq. 21 as a nearest point of the cone: the convex law. Where the compliances of normal and tangents differ, nearest
// is meant in the metric of the sums: the tangents measured in another unit make the cone wider or narrower.
static void project_cone(const AdmmRow *rows, double mu, double *x) {
    double unit = rows[0].sum > 0 ? sqrt(rows[1].sum / rows[0].sum) : 1;
    x[1] *= unit;
    x[2] *= unit;
    cairn_law_project(mu * unit, x);
    x[1] /= unit;
    x[2] /= unit;
}

// Bounds that follow the present normal impulse, from row k on: box-current tangents, torsion and rolling.
static void clamp_levers(const CairnFriction *friction, int k, double *lambda) {
    for (; k < 3 + friction->spin_rows; k++) {
        double bound = cairn_law_row_lever(friction, friction->normal + k) * fmax(0, lambda[0]);
        lambda[k] = cairn_clamp(lambda[k], -bound, bound);
    }
}

static void project_item(AdmmSystem *system, const AdmmItem *item) {
    const CairnFriction *friction = item->friction >= 0 ? &system->problem->frictions[item->friction] : NULL;
    double *lambda = system->lambda + item->first_row;
    if (item->side_count > 2) {
        level_more(system, item);
    }
    if (rows_of_law(friction) == 0) {
        return;
    }
    if (friction->kind == CAIRN_FRICTION_COULOMB) {
        project_coulomb(friction->mu, lambda);
        clamp_levers(friction, 3, lambda);
    } else if (friction->kind == CAIRN_FRICTION_CONE && friction->mu > 0) {
        project_cone(system->rows + item->first_row, friction->mu, lambda);
        clamp_levers(friction, 3, lambda);
    } else { // box-current, or a cone that is a ray
        lambda[0] = cairn_clamp(lambda[0], system->rows[item->first_row].lower, system->rows[item->first_row].upper);
        clamp_levers(friction, 1, lambda);
    }
}

// Eight contacts that know Coulomb's law at once: project_coulomb, with their levels in lambda. Of fewer than eight
// the first one is taken for the others, and not written.
static void project_eight(double *lambda, const int *row, const double *mu, int count) {
    int at[ADMM_LANES];
    AdmmEight most;
    for (int l = 0; l < ADMM_LANES; l++) {
        at[l] = row[l < count ? l : 0];
        most[l] = mu[l < count ? l : 0];
    }
    AdmmEight n = ADMM_GATHER(lambda, at), x = ADMM_GATHER(lambda + 1, at), y = ADMM_GATHER(lambda + 2, at),
              square = x * x + y * y, shrink;
    for (int l = 0; l < ADMM_LANES; l++) {
        n[l] = n[l] > 0 ? n[l] : 0;
        most[l] *= n[l];
        shrink[l] = square[l] > most[l] * most[l] ? most[l] / sqrt(square[l]) : 1;
    }
    x *= shrink;
    y *= shrink;
    for (int l = 0; l < count; l++) {
        lambda[at[l]] = n[l];
        lambda[at[l] + 1] = x[l];
        lambda[at[l] + 2] = y[l];
    }
}

// The levels of rows that lie behind one another, within their bounds.
static void find_levels(const AdmmLevels *levels, const double *velocity, double *lambda, int first, int end) {
    int k = first;
    for (; k + ADMM_LANES <= end; k += ADMM_LANES) {
        AdmmEight x = ADMM_GATHER(velocity, levels->a + k), y = ADMM_GATHER(velocity, levels->b + k);
        for (int l = 0; l < ADMM_LANES; l++) {
            double level = (levels->d[k + l] + x[l] + y[l]) * levels->scale[k + l];
            level = level < levels->lower[k + l] ? levels->lower[k + l] : level;
            x[l] = level > levels->upper[k + l] ? levels->upper[k + l] : level;
        }
        memcpy(lambda + k, &x, sizeof x);
    }
    for (; k < end; k++) {
        double level = (levels->d[k] + velocity[levels->a[k]] + velocity[levels->b[k]]) * levels->scale[k];
        level = level < levels->lower[k] ? levels->lower[k] : level;
        lambda[k] = level > levels->upper[k] ? levels->upper[k] : level;
    }
}

void cairn_admm_visit_items(AdmmSystem *system, int first, int end) {
    const AdmmItem *items = system->items;
    int last = end < system->item_count ? items[end].first_row : system->row_count;
    find_levels(&system->levels, system->velocity, system->lambda, items[first].first_row, last);
    int next = items[first].first_contact,
        stop = end < system->item_count ? items[end].first_contact : system->contact_count;
    for (; next < stop; next += ADMM_LANES) {
        int count = stop - next < ADMM_LANES ? stop - next : ADMM_LANES;
        project_eight(system->lambda, system->contact_row + next, system->contact_mu + next, count);
    }
    for (int i = first; i < end; i++) {
        if (!items[i].is_plain) {
            project_item(system, &items[i]);
        }
    }
}
