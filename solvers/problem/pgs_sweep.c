#include "solvers/problem/pgs_rows.h"

#include "solvers/problem/law.h"
#include <float.h>
#include <math.h>

// Four doubles that may lie at any multiple of 8 bytes; the compiler splits them where the machine has shorter
// registers.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

// The middle of a row's visit: from J u to its impulse's change.
static inline double move_row(const PgsRow *row, double Ju, double lower, double upper, double *lambda,
                              PgsSweep *sweep) {
    double old = *lambda;
    // lambda - step w, with the terms that do not depend on u first.
    double target = (old - row->step * (row->C * old + row->d)) - row->step * Ju;
    double next = cairn_clamp(target, lower, upper);
    double delta = next - old;
    *lambda = next;
    double size = fabs(delta), moved = row->D * size;
    sweep->largest = moved > sweep->largest ? moved : sweep->largest;
    sweep->has_moved |= size > 8 * DBL_EPSILON * fabs(next);
    return delta;
}

// A row's bounds: those of the problem, or the lever times the present normal impulse (BOX_CURRENT).
static inline void bounds_of(const PgsSystem *system, const PgsGroup *group, int r, const double *lambda, double *lower,
                             double *upper) {
    *lower = system->rows[r].lower;
    *upper = system->rows[r].upper;
    if (group->current >= 0) {
        const CairnFriction *friction = &system->problem->frictions[group->current];
        double lever = cairn_law_row_lever(friction, r);
        if (lever >= 0) {
            *upper = lever * fmax(0, lambda[friction->normal]);
            *lower = -*upper;
        }
    }
}

// A macro, for a function's vector argument has no portable calling convention.
#define SUM_FOUR(a) (((a)[0] + (a)[2]) + ((a)[1] + (a)[3]))

static void sweep_single(PgsSystem *system, const PgsGroup *group, double *lambda, PgsSweep *sweep) {
    Four *u = (Four *)(system->u + system->links[group->first_link].at);
    const Four *J = (const Four *)(system->J + group->J);
    Four u0 = u[0], u1 = u[1];
    for (int i = 0; i < group->row_count; i++, J += 2) {
        int r = group->first_row + i;
        double lower, upper;
        bounds_of(system, group, r, lambda, &lower, &upper);
        Four products = J[0] * u0 + J[1] * u1;
        double delta = move_row(&system->rows[r], SUM_FOUR(products), lower, upper, &lambda[r], sweep);
        u0 += J[0] * delta;
        u1 += J[1] * delta;
    }
    u[0] = u0;
    u[1] = u1;
}

// The twelve velocities of two bodies stay in registers while the rows between them are visited.
static void sweep_pair(PgsSystem *system, const PgsGroup *group, double *lambda, PgsSweep *sweep) {
    double *a = system->u + system->links[group->first_link].at;
    double *b = system->u + system->links[group->first_link + 1].at;
    const Four *J = (const Four *)(system->J + group->J);
    Four u0 = *(Four *)a, u1 = {a[4], a[5], b[0], b[1]}, u2 = *(Four *)(b + 2);
    for (int i = 0; i < group->row_count; i++, J += 3) {
        int r = group->first_row + i;
        double lower, upper;
        bounds_of(system, group, r, lambda, &lower, &upper);
        Four products = J[0] * u0 + J[1] * u1 + J[2] * u2;
        double delta = move_row(&system->rows[r], SUM_FOUR(products), lower, upper, &lambda[r], sweep);
        u0 += J[0] * delta;
        u1 += J[1] * delta;
        u2 += J[2] * delta;
    }
    *(Four *)a = u0;
    a[4] = u1[0];
    a[5] = u1[1];
    b[0] = u1[2];
    b[1] = u1[3];
    *(Four *)(b + 2) = u2;
}

static void sweep_general(PgsSystem *system, const PgsGroup *group, double *lambda, PgsSweep *sweep) {
    const PgsLink *links = system->links + group->first_link;
    const double *J = system->J + group->J;
    for (int i = 0; i < group->row_count; i++, J += group->stride) {
        int r = group->first_row + i;
        double lower, upper, Ju = 0;
        bounds_of(system, group, r, lambda, &lower, &upper);
        const double *entries = J;
        for (int k = 0; k < group->link_count; entries += links[k].size, k++) {
            for (int j = 0; j < links[k].size; j++) {
                Ju += entries[j] * system->u[links[k].at + j];
            }
        }
        double delta = move_row(&system->rows[r], Ju, lower, upper, &lambda[r], sweep);
        entries = J;
        for (int k = 0; k < group->link_count; entries += links[k].size, k++) {
            for (int j = 0; j < links[k].size; j++) {
                system->u[links[k].at + j] += entries[j] * delta;
            }
        }
    }
}

static PgsSweep sweep_dynamics(PgsSystem *system, double *lambda) {
    PgsSweep sweep = {0, false};
    for (int c = 0; c < system->problem->constraint_count; c++) {
        const PgsGroup *group = &system->groups[c];
        if (group->kind == PGS_PAIR) {
            sweep_pair(system, group, lambda, &sweep);
        } else if (group->kind == PGS_SINGLE) {
            sweep_single(system, group, lambda, &sweep);
        } else {
            sweep_general(system, group, lambda, &sweep);
        }
    }
    return sweep;
}

// Explicit form: visits with row i of W instead of J and u.
static PgsSweep sweep_explicit(const PgsSystem *system, double *lambda) {
    const CairnProblem *problem = system->problem;
    PgsSweep sweep = {0, false};
    for (int r = 0; r < problem->row_count; r++) {
        double sum = 0, lower, upper;
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            sum += problem->W[k] * lambda[problem->W_column[k]];
        }
        bounds_of(system, &system->groups[r], r, lambda, &lower, &upper);
        move_row(&system->rows[r], sum, lower, upper, &lambda[r], &sweep);
    }
    return sweep;
}

PgsSweep cairn_pgs_sweep(PgsSystem *system, double *lambda) {
    return system->problem->form == CAIRN_FORM_EXPLICIT ? sweep_explicit(system, lambda)
                                                        : sweep_dynamics(system, lambda);
}

void cairn_pgs_clamp(const PgsSystem *system, double *lambda) {
    bool is_explicit = system->problem->form == CAIRN_FORM_EXPLICIT;
    int group_count = is_explicit ? system->problem->row_count : system->problem->constraint_count;
    for (int c = 0; c < group_count; c++) {
        const PgsGroup *group = &system->groups[c];
        for (int r = group->first_row; r < group->first_row + group->row_count; r++) {
            double lower, upper;
            bounds_of(system, group, r, lambda, &lower, &upper);
            lambda[r] = lambda[r] < lower ? lower : lambda[r] > upper ? upper : lambda[r];
        }
    }
}
