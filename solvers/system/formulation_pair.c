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

// ---- with an unsymmetric weight --------------------------------------------------------------------------------------

// The entries of a diagonal block above its diagonal, transposed.
static void add_above(const Eight block[DOFS], const CairnLinalgFront *front, int row) {
    double *to = cairn_linalg_diagonal(front, row);
    size_t stride = (size_t)(row < front->below_at ? front->rows : front->update_rows);
    UNROLL for (int i = 0; i < DOFS; i++) {
        UNROLL for (int j = i + 1; j < DOFS; j++) {
            to[(size_t)i * stride + (size_t)j] += block[j][i];
        }
    }
}

enum { BLOCK = CAIRN_ROW_BLOCK };

// S J of the rows of a block, and S^T J.
ALWAYS_INLINE void weigh_rows(const double *S, int rows, bool is_transposed, const Eight *J, Eight *SJ) {
    int along = is_transposed ? BLOCK : 1, down = is_transposed ? 1 : BLOCK;
    UNROLL_KNOWN for (int i = 0; i < rows; i++, S += down) {
        Eight sum = J[0] * S[0];
        UNROLL_KNOWN for (int j = 1; j < rows; j++) {
            sum += J[j] * S[j * along];
        }
        SJ[i] = sum;
    }
}

// The compiler knows each of the sizes.
ALWAYS_INLINE void weigh(const double *S, int rows, bool is_transposed, const Eight *J, Eight *SJ) {
    switch (rows) {
    case 3:
        weigh_rows(S, 3, is_transposed, J, SJ);
        break;
    case 4:
        weigh_rows(S, 4, is_transposed, J, SJ);
        break;
    default:
        weigh_rows(S, BLOCK, is_transposed, J, SJ);
        break;
    }
}

// The sums of a pair: two diagonal blocks, the block below the diagonal, and the transposed one above it.
typedef struct PairSums {
    Eight late[DOFS], early[DOFS], lower[DOFS], upper[DOFS];
} PairSums;

ALWAYS_INLINE void add_row(const Eight *a, const Eight *b, const Eight *Sa, const Eight *Sb, const Eight *Tb,
                           PairSums *sums) {
    UNROLL for (int j = 0; j < DOFS; j++) {
        sums->late[j] += *a * ((const double *)Sa)[j];
        sums->lower[j] += *a * ((const double *)Sb)[j];
        sums->upper[j] += *a * ((const double *)Tb)[j];
        sums->early[j] += *b * ((const double *)Sb)[j];
    }
}

void cairn_formulation_add_weighed_pair(const double *J_late, const double *J_early, const CairnRowWeights *S,
                                        int first, int count, const CairnLinalgFront *fronts, int late, int early) {
    const Eight *a = (const Eight *)J_late, *b = (const Eight *)J_early;
    PairSums sums = {0};
    Eight Sa[BLOCK], Sb[BLOCK], Tb[BLOCK];
    for (int r = 0, rows; r < count; r += rows) {
        const double *block = cairn_block_at(S, first + r, &rows);
        if (block != NULL) {
            weigh(block, rows, false, a + r, Sa);
            weigh(block, rows, false, b + r, Sb);
            weigh(block, rows, true, b + r, Tb);
        } else {
            double weight = S->weight[S->rows[first + r]];
            Sa[0] = a[r] * weight;
            Sb[0] = Tb[0] = b[r] * weight;
        }
        for (int i = 0; i < rows; i++) {
            add_row(a + r + i, b + r + i, Sa + i, Sb + i, Tb + i, &sums);
        }
    }
    add_columns(sums.late, &fronts[0], late, late);
    add_columns(sums.lower, &fronts[0], late, early);
    add_columns(sums.early, &fronts[0], early, early);
    add_above(sums.late, &fronts[1], late);
    add_columns(sums.upper, &fronts[1], late, early);
    add_above(sums.early, &fronts[1], early);
}

void cairn_formulation_add_weighed_single(const double *J, const CairnRowWeights *S, int first, int count,
                                          const CairnLinalgFront *fronts, int row) {
    const Eight *a = (const Eight *)J;
    Eight diagonal[DOFS], Sa[BLOCK];
    UNROLL for (int j = 0; j < DOFS; j++) {
        diagonal[j] = (Eight){0};
    }
    for (int r = 0, rows; r < count; r += rows) {
        const double *block = cairn_block_at(S, first + r, &rows);
        if (block != NULL) {
            weigh(block, rows, false, a + r, Sa);
        } else {
            Sa[0] = a[r] * S->weight[S->rows[first + r]];
        }
        for (int i = 0; i < rows; i++) {
            UNROLL for (int j = 0; j < DOFS; j++) {
                diagonal[j] += a[r + i] * ((const double *)&Sa[i])[j];
            }
        }
    }
    add_columns(diagonal, &fronts[0], row, row);
    add_above(diagonal, &fronts[1], row);
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
