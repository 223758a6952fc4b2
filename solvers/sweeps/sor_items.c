// Items: constraints that are visited row by row (sor.h lists them).
#include <math.h>
#include <string.h>

#include "solvers/problem/law.h"
#include "solvers/sweeps/sor.h"

// eta = 3 / trace(g) (S1 step 2), times omega. A gradient step of more than 2 / |g| would climb: it is held below where
// guarded.
double cairn_sor_eta(const SorSettings *settings, double g[3][3]) {
    double trace = g[0][0] + g[1][1] + g[2][2];
    if (!(trace > 0)) {
        return 0;
    }
    double step = settings->omega * 3 / trace;
    if (settings->is_guarded) {
        double norm = 0, squares = 0; // two bounds of the 2-norm
        for (int i = 0; i < 3; i++) {
            norm = fmax(norm, fabs(g[i][0]) + fabs(g[i][1]) + fabs(g[i][2]));
            squares += g[i][0] * g[i][0] + g[i][1] * g[i][1] + g[i][2] * g[i][2];
        }
        step = fmin(step, settings->limit / fmin(norm, sqrt(squares)));
    }
    return step;
}

// ---- packing ---------------------------------------------------------------------------------------------------------------

static bool is_cone(CairnFrictionKind kind) {
    return kind == CAIRN_FRICTION_CONE || kind == CAIRN_FRICTION_COULOMB;
}

static void set_friction(SorItem *item, const CairnProblem *problem, int friction) {
    item->cone = item->current = -1;
    if (friction >= 0) {
        CairnFrictionKind kind = problem->frictions[friction].kind;
        item->cone = is_cone(kind) ? friction : -1;
        item->current = kind != CAIRN_FRICTION_BOX ? friction : -1;
    }
}

static double product(const double *a, const double *b, int count) {
    if (count == 6) { // a rigid body: three short chains of sums instead of a long one
        return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void finish_row(SorSystem *system, const SorItem *item, int r, double D) {
    const CairnProblem *problem = system->problem;
    bool is_current = item->current >= 0 && cairn_law_row_lever(&problem->frictions[item->current], r) >= 0;
    bool is_explicit = problem->form == CAIRN_FORM_EXPLICIT;
    system->rows[r] = (PgsRow){.d = problem->right_side[r],
                               .C = is_explicit ? 0 : problem->compliance[r], // C is in W's diagonal already
                               .D = D,
                               .lower = problem->lower[r],
                               .upper = problem->upper[r]};
    double floor = cairn_pgs_step(&system->rows[r], system->settings.omega, is_current);
    bool is_cone_row =
        item->cone >= 0 && r < problem->frictions[item->cone].normal + 3 && r >= problem->frictions[item->cone].normal;
    system->floor = is_cone_row ? system->floor : fmax(system->floor, floor);
}

static void pack_item(SorSystem *system, int c, SorItem *item) {
    const CairnProblem *problem = system->problem;
    double *J = system->J + item->J;
    cairn_pgs_jacobian(&system->ops, system->block_at, &problem->constraints[c], system->links + item->first_link,
                       item->link_count, item->stride, J);
    for (int i = 0; i < item->row_count; i++) {
        const double *row = J + (ptrdiff_t)i * item->stride;
        int r = item->first_row + i;
        finish_row(system, item, r, product(row, row, item->stride) + problem->compliance[r]);
    }
    if (item->cone >= 0) {
        double g[3][3];
        int normal = problem->frictions[item->cone].normal;
        for (int i = 0; i < 9; i++) {
            const double *row = J + (ptrdiff_t)(normal - item->first_row) * item->stride;
            g[i / 3][i % 3] = product(row + (ptrdiff_t)(i / 3) * item->stride, row + (ptrdiff_t)(i % 3) * item->stride,
                                      item->stride) +
                              (i % 4 == 0 ? problem->compliance[normal + i / 3] : 0);
        }
        item->eta = cairn_sor_eta(&system->settings, g);
    }
}

static CairnStatus out_of_memory(const SorSystem *system) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", system->settings.name,
                       system->problem->row_count);
}

// Lay out the items' links and rows; returns how many numbers these take.
static size_t lay_out(SorSystem *system) {
    const CairnProblem *problem = system->problem;
    int link = 0;
    size_t J = 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        int c = system->sequence[i];
        if (system->shape[c] != SOR_ITEM) {
            continue;
        }
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        SorItem *item = &system->items[system->slot[c]];
        *item =
            (SorItem){.first_row = constraint->first_row,
                      .row_count = constraint->row_count,
                      .first_link = link,
                      .link_count = cairn_pgs_link(system->problem, system->block_at, constraint, system->links + link),
                      .J = J};
        set_friction(item, problem, constraint->friction);
        for (int t = 0; t < item->link_count; t++) {
            item->stride += system->links[link + t].size;
        }
        link += item->link_count;
        J += (size_t)item->stride * (size_t)item->row_count;
    }
    return J;
}

static CairnStatus pack_explicit(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    double *D = CAIRN_PUSH(arena, double, problem->row_count + 1);
    system->items = CAIRN_PUSH(arena, SorItem, problem->row_count + 1);
    system->rows = CAIRN_PUSH(arena, PgsRow, problem->row_count + 1);
    if (!D || !system->items || !system->rows) {
        return out_of_memory(system);
    }
    cairn_ops_diagonal(&system->ops, D);
    int *group = CAIRN_PUSH(arena, int, problem->row_count + 1); // row -> its friction group
    if (!group) {
        return out_of_memory(system);
    }
    for (int r = 0; r < problem->row_count; r++) {
        group[r] = -1;
        if (!(D[r] > 0) && problem->W_start[r + 1] > problem->W_start[r]) {
            return cairn_error(CAIRN_UNSUPPORTED,
                               "solver %s does not take W with a diagonal entry of %g (row %d): it divides by it",
                               system->settings.name, D[r], r);
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        for (int k = 0; k < 3 + problem->frictions[f].spin_rows; k++) {
            group[problem->frictions[f].normal + k] = f;
        }
    }
    for (int r = 0; r < problem->row_count;) {
        SorItem *item = &system->items[system->item_count++];
        *item = (SorItem){.first_row = r, .row_count = 1, .cone = -1, .current = -1};
        if (group[r] >= 0 && problem->frictions[group[r]].normal == r) {
            item->row_count = 3 + problem->frictions[group[r]].spin_rows;
            set_friction(item, problem, group[r]);
        }
        double g[3][3] = {{0}};
        for (int i = 0; i < item->row_count; i++, r++) {
            finish_row(system, item, r, D[r]);
            for (int k = problem->W_start[r]; k < problem->W_start[r + 1] && i < 3; k++) {
                int j = problem->W_column[k] - item->first_row;
                if (j >= 0 && j < 3) {
                    g[i][j] += problem->W[k];
                }
            }
        }
        item->eta = item->cone >= 0 ? cairn_sor_eta(&system->settings, g) : 0;
    }
    return cairn_ok();
}

CairnStatus cairn_sor_pack_items(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        return pack_explicit(system, arena);
    }
    system->items = CAIRN_PUSH(arena, SorItem, system->item_count + 1);
    int term_count = 0, row_end = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool is_item = system->shape[c] == SOR_ITEM;
        int end = is_item ? constraint->first_row + constraint->row_count : 0;
        term_count += is_item ? constraint->term_count : 0;
        row_end = end > row_end ? end : row_end;
    }
    system->links = CAIRN_PUSH(arena, PgsLink, term_count + 1);
    system->rows = CAIRN_PUSH(arena, PgsRow, row_end + 1);
    if (!system->items || !system->links || !system->rows) {
        return out_of_memory(system);
    }
    system->J = CAIRN_PUSH(arena, double, lay_out(system) + 1);
    if (!system->J) {
        return out_of_memory(system);
    }
    for (int c = 0; c < problem->constraint_count && system->item_count > 0; c++) {
        if (system->shape[c] == SOR_ITEM) {
            pack_item(system, c, &system->items[system->slot[c]]);
        }
    }
    return cairn_ok();
}

// ---- visits ----------------------------------------------------------------------------------------------------------------

// fmax and fmin of numbers, without a call of the library.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

// w of a row without C lambda.
static inline double velocity_of(const SorSystem *system, const SorItem *item, int r) {
    const CairnProblem *problem = system->problem;
    double w = system->rows[r].d;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            w += problem->W[k] * system->lambda_read[problem->W_column[k]];
        }
        return w;
    }
    const double *J = system->J + item->J + (ptrdiff_t)(r - item->first_row) * item->stride;
    for (int k = 0; k < item->link_count; k++) {
        PgsLink link = system->links[item->first_link + k];
        w += product(J, system->u_read + link.at, link.size);
        J += link.size;
    }
    return w;
}

static inline void push_row(SorSystem *system, const SorItem *item, int r, double delta) {
    if (system->problem->form == CAIRN_FORM_EXPLICIT) {
        return;
    }
    const double *J = system->J + item->J + (ptrdiff_t)(r - item->first_row) * item->stride;
    for (int k = 0; k < item->link_count; k++) {
        PgsLink link = system->links[item->first_link + k];
        double *u = system->u + link.at;
        for (int i = 0; i < 6 && link.size == 6; i++) { // a rigid body: a number that the compiler knows
            u[i] += J[i] * delta;
        }
        for (int i = 0; i < link.size && link.size != 6; i++) {
            u[i] += J[i] * delta;
        }
        J += link.size;
    }
}

// The bound of a row of a group per unit of its normal impulse, or -1 where its bounds stand.
static double lever_of(const SorSystem *system, const SorItem *item, int r) {
    return item->current >= 0 ? cairn_law_row_lever(&system->problem->frictions[item->current], r) : -1;
}

static double visit_row(SorSystem *system, const SorItem *item, int r) {
    const PgsRow *row = &system->rows[r];
    double lower = row->lower, upper = row->upper, old = system->lambda[r], fraction = system->settings.lambda;
    double lever = lever_of(system, item, r);
    if (lever >= 0) {
        upper = lever * larger(0, system->lambda[system->problem->frictions[item->current].normal]);
        lower = -upper;
    }
    double target = old - row->step * (velocity_of(system, item, r) + row->C * old);
    target = smaller(larger(target, lower), upper);
    double next = smaller(larger(fraction * target + (1 - fraction) * old, lower), upper);
    system->lambda[r] = next;
    push_row(system, item, r, next - old);
    return row->D * fabs(next - old) / (system->settings.omega * fraction);
}

static double visit_cone(SorSystem *system, const SorItem *item) {
    const CairnFriction *friction = &system->problem->frictions[item->cone];
    double *lambda = system->lambda + friction->normal, w[3], x[3], most = 0, fraction = system->settings.lambda;
    for (int k = 0; k < 3; k++) {
        int r = friction->normal + k;
        w[k] = velocity_of(system, item, r) + system->rows[r].C * lambda[k];
    }
    if (friction->kind == CAIRN_FRICTION_COULOMB) { // De Saxce
        w[0] += friction->mu * hypot(w[1], w[2]);
    }
    for (int k = 0; k < 3; k++) {
        x[k] = lambda[k] - item->eta * w[k];
    }
    cairn_law_project(friction->mu, x);
    for (int k = 0; k < 3; k++) {
        double delta = fraction * x[k] + (1 - fraction) * lambda[k] - lambda[k];
        lambda[k] += delta;
        push_row(system, item, friction->normal + k, delta);
        most = larger(most, fabs(delta));
    }
    return item->eta > 0 ? most / (item->eta * fraction) : 0;
}

static double visit_rows(SorSystem *system, const SorItem *item) {
    double most = 0;
    int cone_row = item->cone >= 0 ? system->problem->frictions[item->cone].normal : -3;
    for (int i = 0; i < item->row_count; i++) {
        int r = item->first_row + i;
        if (r == cone_row) {
            most = larger(most, visit_cone(system, item));
        } else if (r < cone_row || r > cone_row + 2) {
            most = larger(most, visit_row(system, item, r));
        }
    }
    return most;
}

double cairn_sor_visit_items(SorSystem *system, int first, int count, bool is_forward) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        const SorItem *item = &system->items[is_forward ? first + i : first + count - 1 - i];
        most = larger(most, visit_rows(system, item));
    }
    return most;
}
