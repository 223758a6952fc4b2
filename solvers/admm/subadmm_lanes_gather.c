// Gather the data of the problem for a batch, lane by lane (subadmm_lanes.h).
#include <string.h>

#include "solvers/admm/subadmm_lanes_kernels.h"

static void gather_blocks(const AdmmSystem *system, const AdmmBatch *batch, AdmmEight *const *rows, AdmmEight *q) {
    const CairnProblem *problem = system->problem;
    for (int l = 0; l < batch->count; l++) {
        const AdmmSubsystem *sub = member(system, batch, l);
        for (int b = 0; b < sub->block_count; b++) {
            const CairnDofBlock *block = &problem->blocks[system->blocks[sub->first_block + b]];
            int at = system->local[system->blocks[sub->first_block + b]];
            const double *P = problem->P + block->matrix;
            for (int i = 0; i < block->size; i++, P += block->size) {
                put(&q[at + i], l, problem->p[block->first + i]);
                for (int k = i; k < block->size; k++) {
                    put(&rows[at + i][k - i], l, P[k]);
                }
            }
        }
    }
    for (int l = batch->count; l < ADMM_LANES; l++) { // idle lanes
        for (int i = 0; i < batch->size; i++) {
            put(&rows[i][0], l, 1);
        }
    }
}

// The soft rows of each member's constraint number i: J to R, and 1/C and d.
static void gather_rows(const AdmmSystem *system, const AdmmBatch *batch, int i, int columns, AdmmEight *R,
                        AdmmEight *stiffness, AdmmEight *shift) {
    const CairnProblem *problem = system->problem;
    for (int l = 0; l < batch->count; l++) {
        const CairnConstraintBlock *constraint = inside_of(system, member(system, batch, l), i);
        int row = 0, column = 0;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            if (system->row_kind[r] == ADMM_SOFT) {
                put(&stiffness[row], l, 1 / problem->compliance[r]);
                put(&shift[row++], l, problem->right_side[r]);
            }
        }
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            int size = problem->blocks[term->block].size;
            AdmmEight *to = R + column;
            for (int r = 0; r < constraint->row_count; r++) {
                if (system->row_kind[constraint->first_row + r] == ADMM_SOFT) {
                    double room[6];
                    const double *J = cairn_term_row(problem, term, r, room);
                    for (int k = 0; k < size; k++) {
                        put(&to[k], l, J[k]);
                    }
                    to += columns;
                }
            }
            column += size;
        }
    }
}

// A += J^T C^-1 J and b -= J^T C^-1 d of the rows inside (eq. 3 put into eq. 6).
static void add_soft(const AdmmSystem *system, const AdmmBatch *batch, AdmmEight *const *rows, AdmmEight *q) {
    const AdmmSubsystem *shape = member(system, batch, 0);
    AdmmEight *R = batch->R;
    const int *dofs = batch->dofs;
    for (int i = 0; i < shape->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, shape, i);
        AdmmEight stiffness[ADMM_BATCH_ROWS] = {{0}}, shift[ADMM_BATCH_ROWS] = {{0}};
        int count = soft_rows(system, constraint), columns = columns_of(system, constraint, batch->dofs);
        gather_rows(system, batch, i, columns, R, stiffness, shift);
        for (int r = 0; r < count; r++, R += columns) {
            for (int a = 0; a < columns; a++) {
                AdmmEight scaled = R[a] * stiffness[r], *row = rows[dofs[a]] - dofs[a];
                q[dofs[a]] -= scaled * shift[r];
                for (int b = 0; b < columns; b++) {
                    if (dofs[b] >= dofs[a]) {
                        row[dofs[b]] += scaled * R[b];
                    }
                }
            }
        }
    }
}

// J to Z, and where each column begins.
static void gather_slots(const AdmmSystem *system, const AdmmBatch *batch, int *from) {
    const CairnProblem *problem = system->problem;
    for (int k = 0; k < batch->slots; k++) {
        from[k] = batch->size;
    }
    for (int l = 0; l < batch->count; l++) {
        const AdmmSubsystem *sub = member(system, batch, l);
        for (int i = 0; i < sub->side_count; i++) {
            const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
            const AdmmItem *item = &system->items[side->item];
            const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
            int slot = (side->slot - sub->first_slot) / ADMM_LANES;
            AdmmEight *column = batch->Z + (ptrdiff_t)slot * batch->size;
            for (int k = 0; k < item->row_count; k++, slot++, column += batch->size) {
                int r = system->rows[item->first_row + k].row - constraint->first_row;
                for (int t = 0; t < constraint->term_count; t++) {
                    const CairnTerm *term = &problem->terms[constraint->first_term + t];
                    int size = problem->blocks[term->block].size;
                    if (system->part[term->block] == side->subsystem) {
                        int at = system->local[term->block];
                        double *to = (double *)(column + at) + l;
                        from[slot] = at < from[slot] ? at : from[slot];
                        double room[6];
                        const double *J = cairn_term_row(problem, term, r, room);
                        for (int n = 0; n < size; n++) {
                            to[ADMM_LANES * n] += J[n];
                        }
                    }
                }
            }
        }
    }
}

void cairn_admm_lanes_gather(const AdmmSystem *system, const AdmmBatch *batch, int *from) {
    int n = batch->size, m = batch->slots;
    AdmmEight *rows[ADMM_BATCH_DOFS], *q = batch->Z + (ptrdiff_t)m * n;
    for (int k = 0; k < n; k++) {
        rows[k] = k == 0 ? batch->U : rows[k - 1] + (batch->reach[k - 1] - (k - 1) + 1);
    }
    memset(batch->U, 0, (envelope(batch->reach, n, n) + (size_t)(m + 1) * (size_t)n) * sizeof(AdmmEight));
    if (batch->count < ADMM_LANES) { // else every number is written
        memset(batch->R, 0, (size_t)batch->columns * sizeof(AdmmEight));
    }
    gather_blocks(system, batch, rows, q);
    add_soft(system, batch, rows, q);
    gather_slots(system, batch, from);
    from[m] = 0;
}
