#include "solvers/problem/pgs_rows.h"

#include "solvers/problem/law.h"
#include <math.h>
#include <string.h>

// The step of a row with D = 0, whose velocity is d whatever its impulse: far enough to reach any finite bound at once.
#define TO_THE_BOUND 1e300

double cairn_pgs_step(PgsRow *row, double omega, bool is_current) {
    if (row->D > 0) {
        row->step = omega / row->D;
        return 0;
    }
    bool has_bound = is_current || !isinf(row->d > 0 ? row->lower : row->upper);
    row->step = row->d != 0 && has_bound ? TO_THE_BOUND : 0;
    return row->d != 0 && !has_bound ? fabs(row->d) : 0;
}

int cairn_pgs_link(const CairnProblem *problem, const int *block_at, const CairnConstraintBlock *constraint,
                   PgsLink *links) {
    int count = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        int at = block_at[term->block], k = 0;
        while (k < count && links[k].at != at) {
            k++;
        }
        if (k == count) {
            links[count++] = (PgsLink){at, problem->blocks[term->block].size};
        }
    }
    return count;
}

static PgsKind kind_of(const PgsLink *links, int count) {
    if (count == 1 && links[0].size == 6) {
        return PGS_SINGLE;
    }
    return count == 2 && links[0].size == 6 && links[1].size == 6 ? PGS_PAIR : PGS_GENERAL;
}

// Lay out groups and links; returns how many numbers all rows take.
static size_t lay_out(PgsSystem *system) {
    const CairnProblem *problem = system->problem;
    int link = 0;
    size_t J = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        PgsGroup *group = &system->groups[c];
        int count = cairn_pgs_link(problem, system->block_at, constraint, system->links + link);
        *group = (PgsGroup){.kind = kind_of(system->links + link, count),
                            .first_row = constraint->first_row,
                            .row_count = constraint->row_count,
                            .first_link = link,
                            .link_count = count,
                            .current = -1,
                            .J = J};
        if (constraint->friction >= 0 && problem->frictions[constraint->friction].kind == CAIRN_FRICTION_BOX_CURRENT) {
            group->current = constraint->friction;
        }
        group->stride = group->kind == PGS_SINGLE ? 8 : 0;
        for (int k = 0; k < count && group->kind != PGS_SINGLE; k++) {
            group->stride += system->links[link + k].size;
        }
        J += (size_t)group->stride * (size_t)group->row_count;
        link += count;
    }
    return J;
}

void cairn_pgs_jacobian(const CairnOps *ops, const int *block_at, const CairnConstraintBlock *constraint,
                        const PgsLink *links, int link_count, int stride, double *J) {
    const CairnProblem *problem = ops->problem;
    int rows = constraint->row_count;
    memset(J, 0, (size_t)stride * (size_t)rows * sizeof *J);
    for (int k = 0; k < link_count; J += links[k++].size) {
        int block = -1, size = links[k].size;
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            if (block_at[term->block] != links[k].at) {
                continue;
            }
            double room[6 * CAIRN_FRAME_ROWS];
            const double *source = cairn_term_rows(problem, term, rows, room);
            block = term->block;
            for (int i = 0; i < rows; i++, source += size) {
                for (int j = 0; j < size; j++) {
                    J[(ptrdiff_t)i * stride + j] += source[j];
                }
            }
        }
        for (int i = 0; i < rows; i++) {
            cairn_ops_forward(ops, block, J + (ptrdiff_t)i * stride);
        }
    }
}

static void pack_rows(PgsSystem *system, double omega) {
    const CairnProblem *problem = system->problem;
    system->floor = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const PgsGroup *group = &system->groups[c];
        double *J = system->J + group->J;
        cairn_pgs_jacobian(&system->ops, system->block_at, &problem->constraints[c], system->links + group->first_link,
                           group->link_count, group->stride, J);
        for (int i = 0; i < group->row_count; i++, J += group->stride) {
            int r = group->first_row + i;
            PgsRow *row = &system->rows[r];
            double D = 0;
            for (int k = 0; k < group->stride; k++) {
                D += J[k] * J[k];
            }
            bool is_current = group->current >= 0 && cairn_law_row_lever(&problem->frictions[group->current], r) >= 0;
            *row = (PgsRow){.d = problem->right_side[r],
                            .C = problem->compliance[r],
                            .D = D + problem->compliance[r],
                            .lower = problem->lower[r],
                            .upper = problem->upper[r]};
            system->floor = cairn_max(system->floor, cairn_pgs_step(row, omega, is_current));
        }
    }
}

static CairnStatus pack_dynamics(PgsSystem *system, const char *name, double omega, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    CAIRN_TRY(cairn_ops_init(&system->ops, problem, arena));
    system->block_at = CAIRN_PUSH(arena, int, problem->block_count + 1);
    system->groups = CAIRN_PUSH(arena, PgsGroup, problem->constraint_count + 1);
    system->links = CAIRN_PUSH(arena, PgsLink, problem->term_count + 1);
    system->rows = CAIRN_PUSH(arena, PgsRow, problem->row_count + 1);
    if (!system->block_at || !system->groups || !system->links || !system->rows) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", name, problem->row_count);
    }
    for (int i = 0; i < problem->block_count; i++) {
        system->block_at[i] = system->u_size;
        system->u_size += (problem->blocks[i].size + 7) / 8 * 8;
    }
    size_t J_size = lay_out(system);
    system->u = CAIRN_PUSH_ZERO(arena, double, system->u_size + 1);
    system->J = CAIRN_PUSH(arena, double, J_size + 1);
    if (!system->u || !system->J) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", name, problem->row_count);
    }
    pack_rows(system, omega);
    return cairn_ok();
}

// An explicit problem's rows: one group a row, only for its friction group.
static CairnStatus pack_explicit(PgsSystem *system, const char *name, double omega, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    system->groups = CAIRN_PUSH(arena, PgsGroup, problem->row_count + 1);
    system->rows = CAIRN_PUSH(arena, PgsRow, problem->row_count + 1);
    double *D = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!system->groups || !system->rows || !D) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", name, problem->row_count);
    }
    CAIRN_TRY(cairn_ops_init(&system->ops, problem, arena));
    cairn_ops_diagonal(&system->ops, D);
    for (int r = 0; r < problem->row_count; r++) {
        system->groups[r] = (PgsGroup){.first_row = r, .row_count = 1, .current = -1};
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        for (int k = 1; k < 3 + friction->spin_rows && friction->kind == CAIRN_FRICTION_BOX_CURRENT; k++) {
            system->groups[friction->normal + k].current = f;
        }
    }
    for (int r = 0; r < problem->row_count; r++) {
        bool is_empty = true;
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            is_empty = is_empty && problem->W[k] == 0;
        }
        if (!(D[r] > 0) && !is_empty) {
            return cairn_error(CAIRN_UNSUPPORTED,
                               "solver %s does not take W with a diagonal entry of %g (row %d): it divides by it", name,
                               D[r], r);
        }
        // C is in W's diagonal already.
        system->rows[r] =
            (PgsRow){.d = problem->right_side[r], .D = D[r], .lower = problem->lower[r], .upper = problem->upper[r]};
        system->floor =
            cairn_max(system->floor, cairn_pgs_step(&system->rows[r], omega, system->groups[r].current >= 0));
    }
    return cairn_ok();
}

CairnStatus cairn_pgs_pack(PgsSystem *system, const char *name, const CairnProblem *problem, double omega,
                           CairnArena *arena) {
    *system = (PgsSystem){.problem = problem};
    return problem->form == CAIRN_FORM_EXPLICIT ? pack_explicit(system, name, omega, arena)
                                                : pack_dynamics(system, name, omega, arena);
}

void cairn_pgs_gather(PgsSystem *system, const double *lambda) {
    const CairnProblem *problem = system->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        return;
    }
    for (int i = 0; i < problem->block_count; i++) {
        double *u = system->u + system->block_at[i];
        memcpy(u, problem->p + problem->blocks[i].first, (size_t)problem->blocks[i].size * sizeof *u);
        cairn_ops_forward(&system->ops, i, u);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const PgsGroup *group = &system->groups[c];
        const double *J = system->J + group->J;
        for (int i = 0; i < group->row_count; i++, J += group->stride) {
            const double *entries = J;
            for (int k = 0; k < group->link_count; k++) {
                PgsLink link = system->links[group->first_link + k];
                for (int j = 0; j < link.size; j++) {
                    system->u[link.at + j] += entries[j] * lambda[group->first_row + i];
                }
                entries += link.size;
            }
        }
    }
}
