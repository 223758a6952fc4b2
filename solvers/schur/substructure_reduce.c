// The interface's matrix from the subsystems' factors.
#include <math.h>
#include <string.h>

#include "solvers/schur/substructure.h"
#include "solvers/system/formulation.h"

static bool is_body(const CairnSubsystem *s) {
    return s->exact.system.kind == &cairn_system_body;
}

// A column of E: the velocities at the interface that a momentum of 1 in one dof causes while the free rows hold,
// v = P^-1 (e - J^T (A + Theta)^-1 J P^-1 e).
static CairnStatus find_column(CairnSubsystem *s, int block, int dof, int column) {
    const CairnProblem *inner = &s->inner.problem;
    CairnSystem *system = &s->exact.system;
    double *plain = s->v, largest = 0;
    memset(plain, 0, (size_t)inner->dof_count * sizeof *plain);
    plain[inner->blocks[block].first + dof] = 1;
    cairn_ops_solve(&system->ops, plain);
    if (inner->row_count > 0) {
        cairn_ops_jacobian(inner, plain, s->y);
        for (int i = 0; i < inner->row_count; i++) {
            largest = fmax(largest, fabs(s->y[i]));
        }
        if (largest > 0) {
            double residual = cairn_system_solve(system, s->y, 1e-14 * largest, 3, s->t);
            if (!isfinite(residual)) {
                return cairn_error(CAIRN_NUMERIC, "substructure: a subsystem's equations have no finite solution");
            }
            memset(plain, 0, (size_t)inner->dof_count * sizeof *plain);
            for (int i = 0; i < inner->row_count; i++) {
                s->t[i] = -s->t[i];
            }
            plain[inner->blocks[block].first + dof] = 1;
            cairn_ops_add_impulse(inner, s->t, plain);
            cairn_ops_solve(&system->ops, plain);
        }
    }
    for (int b = 0; b < inner->block_count; b++) {
        for (int k = 0; k < inner->blocks[b].size && s->is_last[b]; k++) {
            s->E[(size_t)(s->reduced_row[b] + k) * (size_t)s->reach + (size_t)column] =
                plain[inner->blocks[b].first + k];
        }
    }
    return cairn_ok();
}

// E = R R^T with R lower triangular. Where only rounding remains of a pivot, the direction does not move: its column
// is zero.
static void take_root(CairnSubsystem *s) {
    size_t n = (size_t)s->reach;
    memset(s->R, 0, n * n * sizeof *s->R);
    for (size_t j = 0; j < n; j++) {
        double pivot = s->E[j * n + j];
        for (size_t k = 0; k < j; k++) {
            pivot -= s->R[j * n + k] * s->R[j * n + k];
        }
        if (!(pivot > 1e-15 * s->E[j * n + j])) {
            continue;
        }
        s->R[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = 0.5 * (s->E[i * n + j] + s->E[j * n + i]);
            for (size_t k = 0; k < j; k++) {
                sum -= s->R[i * n + k] * s->R[j * n + k];
            }
            s->R[i * n + j] = sum / s->R[j * n + j];
        }
    }
}

// J' = J_Gamma,i R, chunk after chunk, in the order of the interface's terms.
static void fill_edge_jacobian(CairnSubsystem *s) {
    const CairnProblem *edge = &s->edge.problem;
    double *to = s->edge_J;
    for (int c = 0; c < edge->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &edge->constraints[c];
        for (int q = 0; q < s->reach; q += CAIRN_INTERFACE_CHUNK) {
            int size = s->reach - q < CAIRN_INTERFACE_CHUNK ? s->reach - q : CAIRN_INTERFACE_CHUNK;
            memset(to, 0, (size_t)(constraint->row_count * size) * sizeof *to);
            for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
                int block = edge->terms[t].block, dofs = edge->blocks[block].size;
                double room[6 * CAIRN_FRAME_ROWS];
                const double *J = cairn_term_rows(edge, &edge->terms[t], constraint->row_count, room);
                for (int r = 0; r < constraint->row_count; r++, J += dofs) {
                    for (int k = 0; k < dofs; k++) {
                        const double *R = s->R + (size_t)(s->reduced_row[block] + k) * (size_t)s->reach + q;
                        for (int j = 0; j < size; j++) {
                            to[r * size + j] += J[k] * R[j];
                        }
                    }
                }
            }
            to += constraint->row_count * size;
        }
    }
}

CairnStatus cairn_subsystem_reduce(CairnSubsystem *s) {
    const CairnProblem *inner = &s->inner.problem;
    if (s->reach > 0 && is_body(s)) {
        cairn_body_space_reduce(&s->exact.system, s->R, s->reduced_row);
        fill_edge_jacobian(s);
    } else if (s->reach > 0) {
        for (int b = 0, column = 0; b < inner->block_count; b++) {
            for (int k = 0; k < inner->blocks[b].size && s->is_last[b]; k++) {
                CAIRN_TRY(find_column(s, b, k, column++));
            }
        }
        take_root(s);
        fill_edge_jacobian(s);
    }
    s->reduced_at = s->exact.system.factorizations;
    return cairn_ok();
}

static CairnStatus reduce_changed(CairnSubsystem *s, void *user) {
    (void)user;
    return s->reduced_at == s->exact.system.factorizations ? cairn_ok() : cairn_subsystem_reduce(s);
}

CairnStatus cairn_substructure_reduce(CairnSubstructure *sub) {
    CairnInterface *g = &sub->interface;
    const CairnExact *whole = sub->whole;
    bool is_same = g->is_ready;
    for (int i = 0; i < sub->count; i++) {
        is_same = is_same && sub->subsystems[i].reduced_at == sub->subsystems[i].exact.system.factorizations;
    }
    if (!is_same) {
        CAIRN_TRY(cairn_substructure_each(sub, reduce_changed, NULL));
        g->is_ready = false;
        g->factorizations += g->exact.system.factorizations;
        g->exact.system.factorizations = 0;
        cairn_arena_reset(g->context.arena);
        CairnExactSetup setup = {.name = "interface", .system.formulation = g->formulation, .of = whole};
        CAIRN_TRY(cairn_exact_init(&g->exact, &g->problem, &setup, &g->context, g->lambda));
        g->is_ready = true;
    }
    for (int i = 0; i < g->row_count; i++) {
        int row = g->rows[i];
        g->exact.lambda[i] = whole->lambda[row];
        g->exact.lower[i] = whole->lower[row];
        g->exact.upper[i] = whole->upper[row];
        g->exact.set[i] = whole->set[row];
        g->exact.is_held[i] = whole->is_held[row];
    }
    return cairn_ok();
}

void cairn_substructure_aim(CairnSubstructure *sub) {
    CairnInterface *g = &sub->interface;
    memset(g->right_side, 0, (size_t)g->row_count * sizeof *g->right_side);
    cairn_system_slack(&g->exact.system, g->exact.lambda, g->w);
    for (int i = 0; i < g->row_count; i++) {
        g->right_side[i] = sub->whole->w[g->rows[i]] - g->w[i];
    }
}
