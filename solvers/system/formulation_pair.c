// The element of two rigid bodies, which nearly all contacts and joints are: its three blocks in one pass over the
// rows, held in registers where the machine has them. The sums and their order are those of the general case
// (formulation_body.c).
#include "engine/base/eights.h"
#include "solvers/system/formulation.h"

enum { DOFS = 6, STRIDE = 8 }; // six dofs filled up to eight

// Entries above the diagonal of the node's diagonal block are never read.
static void add_columns(const Eight block[DOFS], const CairnLinalgFront *front, int row, int column) {
    double *to = cairn_linalg_diagonal(front, column) + (row - column);
    size_t stride = (size_t)(column < front->below_at ? front->rows : front->update_rows);
    for (int j = 0; j < DOFS; j++, to += stride) {
        const double *from = (const double *)&block[j];
        *(Four *)to += *(const Four *)from;
        *(Two *)(to + 4) += *(const Two *)(from + 4);
    }
}

void cairn_formulation_add_pair(const double *J_late, const double *J_early, const double *negative, int count,
                                const CairnLinalgFront *front, int late, int early) {
    Eight diagonal[DOFS], cross[DOFS], other[DOFS];
    UNROLL for (int j = 0; j < DOFS; j++) {
        diagonal[j] = cross[j] = other[j] = (Eight){0};
    }
    for (int r = 0; r < count; r++, J_late += STRIDE, J_early += STRIDE) {
        Eight a = *(const Eight *)J_late, b = *(const Eight *)J_early;
        double weight = -negative[r];
        UNROLL for (int j = 0; j < DOFS; j++) {
            diagonal[j] += a * (J_late[j] * weight);
            cross[j] += a * (J_early[j] * weight);
            other[j] += b * (J_early[j] * weight);
        }
    }
    add_columns(diagonal, front, late, late);
    add_columns(cross, front, late, early);
    add_columns(other, front, early, early);
}

void cairn_formulation_add_single(const double *J, const double *negative, int count, const CairnLinalgFront *front,
                                  int row) {
    Eight diagonal[DOFS];
    UNROLL for (int j = 0; j < DOFS; j++) {
        diagonal[j] = (Eight){0};
    }
    for (int r = 0; r < count; r++, J += STRIDE) {
        Eight a = *(const Eight *)J;
        double weight = -negative[r];
        UNROLL for (int j = 0; j < DOFS; j++) {
            diagonal[j] += a * (J[j] * weight);
        }
    }
    add_columns(diagonal, front, row, row);
}

void cairn_formulation_add_rigid(const double *P, const CairnLinalgFront *front, int row) {
    double *to = cairn_linalg_diagonal(front, row);
    size_t stride = (size_t)(row < front->below_at ? front->rows : front->update_rows);
    for (int j = 0; j < 3; j++, to += stride + 1) {
        *to += P[7 * j];
    }
    to[0] += P[21];
    to[1] += P[27];
    to[2] += P[33];
    to[stride + 1] += P[28];
    to[stride + 2] += P[34];
    to[2 * stride + 2] += P[35];
}
