// Momentum between sweeps: Nesterov's, with restarts.
//
// From x_k and x_(k-1) a sweep starts at y = x_k + beta (x_k - x_(k-1)), an extrapolation of the last sweeps; v (here
// u) is linear in the impulses and is extrapolated, too. beta follows Nesterov's sequence, and begins anew where the
// sweep turned back from y (O'Donoghue and Candes: (y - x_(k+1)) . (x_(k+1) - x_k) > 0, each contact weighted by
// 1/eta). A sweep of psor is no gradient step, so the objective need not fall: where it rose, x_k is restored and the
// next sweep is a plain one. So on convex problems it falls as with plain sweeps. Coulomb's law and bounds that
// follow an impulse have no objective: there a sweep that changes four times as much as one before counts as a rise.
//
// The impulses of a strip are extrapolated just before they are visited and summed just after, while they are in the
// cache.
#include <math.h>
#include <string.h>

#include "engine/base/pieces.h"
#include "solvers/sweeps/sor.h"

enum { IMPULSES = 3 * SOR_LANES }; // of a group

static const double rise = 4; // times the least change so far: too far

static bool is_convex(const CairnProblem *problem) {
    bool is = problem->form == CAIRN_FORM_DYNAMICS;
    for (int f = 0; f < problem->friction_count && is; f++) {
        CairnFrictionKind kind = problem->frictions[f].kind;
        is = kind == CAIRN_FRICTION_BOX || (kind == CAIRN_FRICTION_CONE && problem->frictions[f].spin_rows == 0);
    }
    return is;
}

CairnStatus cairn_sor_momentum_init(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    size_t groups = (size_t)system->round_count + (size_t)system->general_count, rows = (size_t)problem->row_count;
    SorMomentum *m = CAIRN_PUSH(arena, SorMomentum, 1);
    size_t joints = (size_t)system->joint_impulses;
    double *data =
        CAIRN_PUSH_ZERO(arena, double, 2 * IMPULSES * groups + 2 * joints + 2 * rows + (size_t)system->u_size + 8);
    SorSums *sums = CAIRN_PUSH(arena, SorSums, system->strip_count + 1);
    if (!m || !data || !sums) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for the last impulses of %d rows", system->settings.name,
                           problem->row_count);
    }
    *m = (SorMomentum){.t = 1, .objective = (double)INFINITY, .least = (double)INFINITY, .sums = sums};
    m->is_convex = is_convex(problem);
    m->u_last = data;
    m->last = m->u_last + system->u_size;
    m->begun = m->last + IMPULSES * groups;
    m->joint_last = m->begun + IMPULSES * groups;
    m->joint_begun = m->joint_last + joints;
    m->row_last = m->joint_begun + joints;
    m->row_begun = m->row_last + rows;
    system->momentum = m;
    return cairn_ok();
}

// Store x_k (after a sweep that raised the objective: the stored one) and set x to y.
static void extrapolate(const SorMomentum *m, double *x, double *last, double *begun, int count) {
    for (int i = 0; i < count; i++) {
        double from = m->goes_back ? last[i] : x[i];
        x[i] = from + m->beta * (from - last[i]);
        last[i] = from;
        begun[i] = x[i];
    }
}

static void add_change(SorSums *sums, const double *x, const double *last, const double *begun, double weight) {
    double change = *x - *begun;
    sums->turn -= weight * change * (*x - *last);
    sums->change += weight * change * change;
}

static double *group_of(const SorSystem *system, int g) {
    bool is_round = g < system->round_count;
    return cairn_sor_group(system, is_round ? g : g - system->round_count, is_round);
}

// The groups of a strip: those of round contacts, then the others, counted on.
static SorGroups groups_of(const SorSystem *system, const SorStrip *strip, int k) {
    return k == 0 ? strip->round : (SorGroups){system->round_count + strip->general.first, strip->general.count};
}

void cairn_sor_momentum_before(SorSystem *system, const SorStrip *strip) {
    const SorMomentum *m = system->momentum;
    for (int k = 0; k < 2; k++) {
        SorGroups groups = groups_of(system, strip, k);
        for (int g = groups.first; g < groups.first + groups.count; g++) {
            ptrdiff_t at = (ptrdiff_t)IMPULSES * g;
            extrapolate(m, group_of(system, g) + SOR_LANES * SOR_LAMBDA, m->last + at, m->begun + at, IMPULSES);
        }
    }
    for (int g = strip->joints.first; g < strip->joints.first + strip->joints.count; g++) {
        const SorJoints *joints = &system->joints[g];
        if (joints->rows > 0) {
            extrapolate(m, cairn_sor_joint_row(system, joints, 0).impulse, m->joint_last + joints->impulses,
                        m->joint_begun + joints->impulses, SOR_LANES * joints->rows);
        }
    }
    for (int i = strip->items.first; i < strip->items.first + strip->items.count; i++) {
        const SorItem *item = &system->items[i];
        int r = item->first_row;
        extrapolate(m, system->lambda + r, m->row_last + r, m->row_begun + r, item->row_count);
    }
}

// Eight contacts: add their changes and their terms of the objective, without |u|^2 / 2.
static void sum_group(const SorSystem *system, int g, SorSums *sums) {
    const SorMomentum *m = system->momentum;
    const double *group = group_of(system, g);
    const SorEight *lane = (const SorEight *)group, *x = lane + SOR_LAMBDA;
    const SorEight *law = cairn_sor_law(system, group, g < system->round_count);
    const double *last = m->last + (ptrdiff_t)IMPULSES * g, *begun = m->begun + (ptrdiff_t)IMPULSES * g;
    SorEight turn = {0}, change = {0}, objective = {0};
    for (int k = 0; k < 3; k++) {
        SorEight was, from;
        memcpy(&was, last + SOR_LANES * k, sizeof was);
        memcpy(&from, begun + SOR_LANES * k, sizeof from);
        turn += (from - x[k]) * (x[k] - was);
        change += (from - x[k]) * (from - x[k]);
        objective += x[k] * (0.5 * law[SOR_COMPLIANCE + (k > 0)] * x[k] + lane[SOR_D + k]);
    }
    turn /= lane[SOR_ETA];
    change /= lane[SOR_ETA];
    for (int i = 0; i < SOR_LANES; i++) {
        sums->turn += turn[i];
        sums->change += change[i];
        sums->objective += objective[i];
    }
}

static void sum_joints(const SorSystem *system, const SorJoints *joints, SorSums *sums) {
    const SorMomentum *m = system->momentum;
    double fraction = system->settings.omega * system->settings.lambda;
    for (int i = 0; i < joints->rows; i++) {
        SorJointRow row = cairn_sor_joint_row(system, joints, i);
        ptrdiff_t at = joints->impulses + (ptrdiff_t)SOR_LANES * i;
        for (int k = 0; k < SOR_LANES; k++) {
            double x = row.impulse[k];
            add_change(sums, &x, &m->joint_last[at + k], &m->joint_begun[at + k], row.scale[k] * fraction);
            sums->objective += x * (0.5 * row.C[k] * x + row.d[k]);
        }
    }
}

static void sum_item(const SorSystem *system, const SorItem *item, SorSums *sums) {
    const SorMomentum *m = system->momentum;
    int cone = item->cone >= 0 ? system->problem->frictions[item->cone].normal : -3;
    for (int r = item->first_row; r < item->first_row + item->row_count; r++) {
        const PgsRow *row = &system->rows[r];
        double x = system->lambda[r], weight = row->D;
        if (r >= cone && r < cone + 3) {
            weight = item->eta > 0 ? 1 / item->eta : 0;
        }
        add_change(sums, &x, &m->row_last[r], &m->row_begun[r], weight);
        sums->objective += x * (0.5 * row->C * x + row->d);
    }
}

void cairn_sor_momentum_after(const SorSystem *system, const SorStrip *strip, SorSums *sums) {
    *sums = (SorSums){0};
    for (int k = 0; k < 2; k++) {
        SorGroups groups = groups_of(system, strip, k);
        for (int g = groups.first; g < groups.first + groups.count; g++) {
            sum_group(system, g, sums);
        }
    }
    for (int g = strip->joints.first; g < strip->joints.first + strip->joints.count; g++) {
        sum_joints(system, &system->joints[g], sums);
    }
    for (int i = strip->items.first; i < strip->items.first + strip->items.count; i++) {
        sum_item(system, &system->items[i], sums);
    }
}

static void begin_span(void *context, int first, int end) {
    const SorSystem *system = context;
    const SorMomentum *m = system->momentum;
    double *u = system->u, *last = m->u_last, beta = m->beta;
    bool goes_back = m->goes_back;
    for (int i = first; i < end; i++) {
        double from = goes_back ? last[i] : u[i];
        u[i] = from + beta * (from - last[i]);
        last[i] = from;
    }
}

void cairn_sor_momentum_begin(SorSystem *system) {
    cairn_spans_run(system->settings.threads, system->u_size, 65536, begin_span, system);
}

void cairn_sor_momentum_end(SorSystem *system) {
    SorMomentum *m = system->momentum;
    SorSums sum = {0};
    double energy = 0;
    for (int s = 0; s < system->strip_count || s == 0; s++) {
        sum.turn += m->sums[s].turn;
        sum.change += m->sums[s].change;
        sum.objective += m->sums[s].objective;
    }
    for (int i = 0; i < system->u_size && m->is_convex; i++) {
        energy += 0.5 * system->u[i] * system->u[i];
    }
    double objective = sum.objective + energy;
    bool has_risen = m->is_convex ? objective > m->objective + 1e-13 * energy : sum.change > rise * m->least;
    m->goes_back = m->beta > 0 && has_risen;
    m->least = m->goes_back ? 2 * m->least : fmin(m->least, sum.change);
    m->objective = m->goes_back ? m->objective : objective;
    m->t = m->goes_back || sum.turn > 0 ? 1 : m->t;
    double next = 0.5 * (1 + sqrt(1 + 4 * m->t * m->t));
    m->beta = m->goes_back ? 0 : (m->t - 1) / next;
    m->t = m->goes_back ? 1 : next;
}

void cairn_sor_momentum_finish(SorSystem *system) {
    SorMomentum *m = system->momentum;
    m->beta = 0;
    if (m->goes_back) {
        const SorStrip all = {.items = {0, system->item_count}};
        cairn_sor_momentum_begin(system);
        if (system->strip_count == 0) {
            cairn_sor_momentum_before(system, &all);
        }
        for (int s = 0; s < system->strip_count; s++) {
            cairn_sor_momentum_before(system, &system->strips[s]);
        }
    }
    m->goes_back = false;
    m->t = 1;
}
