// Body space before its factor: the weights 1/(C + theta) of rows, and the diagonal of K = P + J^T S^-1 J, from which
// the noise of a pivot is estimated.
#include <math.h>

#include "engine/base/eights.h"
#include "solvers/system/formulation.h"

// In two passes without a branch, which the compiler takes several rows at a time.
CairnStatus cairn_formulation_weigh(const CairnProblem *problem, const CairnGroups *groups, const double *theta,
                                    double *restrict weight) {
    const double *restrict compliance = problem->compliance;
    int m = problem->row_count;
    bool is_bad = false;
    for (int r = 0; r < m; r++) {
        double give = compliance[r] + theta[r], size = give > 0 ? give : 1;
        weight[r] = 1 / size;
    }
    for (int r = 0; r < m; r++) {
        is_bad |= !(compliance[r] + theta[r] > 0) | !(weight[r] < HUGE_VAL);
    }
    for (int k = 0; k < m && is_bad; k++) {
        int r = groups->rows[k];
        double give = compliance[r] + theta[r];
        if (!(give > 0) || !isfinite(weight[r])) {
            return cairn_error(CAIRN_NUMERIC, "formulation body: row %d has no compliance: C + theta = %g", r, give);
        }
    }
    return cairn_ok();
}

void cairn_diagonal_begin(const CairnDiagonal *diagonal, int block) {
    const CairnDofBlock *dofs = &diagonal->problem->blocks[block];
    double *scale = diagonal->scale + diagonal->node_first[block];
    for (int k = 0; k < dofs->size; k++) {
        scale[k] = diagonal->problem->P[dofs->matrix + k * (dofs->size + 1)];
    }
}

static void add_sum(const CairnDiagonal *diagonal, const CairnGroupTerm *term, int first, const Eight *sum) {
    double *scale = diagonal->scale + diagonal->node_first[term->block] + first;
    int remaining = diagonal->problem->blocks[term->block].size - first;
    if (remaining == 6) {
        UNROLL for (int k = 0; k < 6; k++) {
            scale[k] += (*sum)[k];
        }
        return;
    }
    for (int k = 0; k < 8 && k < remaining; k++) {
        scale[k] += (*sum)[k];
    }
}

void cairn_diagonal_add_term(const CairnDiagonal *diagonal, const CairnGroup *group, const CairnGroupTerm *term) {
    const double *negative = diagonal->negative + group->first_row;
    for (int first = 0; first < term->stride; first += 8) {
        const double *J = diagonal->groups->J + term->J + first;
        Eight sum = {0};
        for (int r = 0; r < group->row_count; r++, J += term->stride) {
            Eight row = *(const Eight *)J;
            sum -= row * row * negative[r];
        }
        add_sum(diagonal, term, first, &sum);
    }
}

// Both blocks of a pair in one pass.
static void add_pair(const CairnDiagonal *diagonal, const CairnGroup *group, const CairnGroupTerm *terms) {
    const double *negative = diagonal->negative + group->first_row, *J = diagonal->groups->J;
    const Eight *a = (const Eight *)(J + terms[0].J), *b = (const Eight *)(J + terms[1].J);
    Eight sum_a = {0}, sum_b = {0};
    for (int r = 0; r < group->row_count; r++) {
        sum_a -= a[r] * a[r] * negative[r];
        sum_b -= b[r] * b[r] * negative[r];
    }
    add_sum(diagonal, &terms[0], 0, &sum_a);
    add_sum(diagonal, &terms[1], 0, &sum_b);
}

void cairn_diagonal_add(const CairnDiagonal *diagonal, int index) {
    const CairnGroup *group = &diagonal->groups->groups[index];
    const CairnGroupTerm *terms = &diagonal->groups->terms[group->first_term];
    if (group->term_count == 2 && terms[0].stride == 8 && terms[1].stride == 8) {
        add_pair(diagonal, group, terms);
        return;
    }
    for (int t = 0; t < group->term_count; t++) {
        cairn_diagonal_add_term(diagonal, group, &terms[t]);
    }
}

typedef long long EightBits __attribute__((vector_size(64), may_alias));

static inline void make_absolute(const double *row, Eight *size) {
    *size = (Eight)(*(const EightBits *)row & 0x7fffffffffffffff);
}

// The sum over the rows of a block.
ALWAYS_INLINE void add_sizes(const double *J, int stride, const double *block, int rows, Eight *sum) {
    Eight size[CAIRN_ROW_BLOCK];
    UNROLL_KNOWN for (int i = 0; i < rows; i++) {
        make_absolute(J + (ptrdiff_t)i * stride, &size[i]);
    }
    UNROLL_KNOWN for (int i = 0; i < rows; i++, block += CAIRN_ROW_BLOCK) {
        Eight whole = size[0] * fabs(block[0]);
        UNROLL_KNOWN for (int j = 1; j < rows; j++) {
            whole += size[j] * fabs(block[j]);
        }
        *sum += size[i] * whole;
    }
}

void cairn_diagonal_add_weights(const CairnDiagonal *diagonal, const CairnRowWeights *S, const CairnGroup *group) {
    const CairnGroupTerm *terms = diagonal->groups->terms + group->first_term;
    for (int t = 0; t < group->term_count; t++) {
        for (int first = 0; first < terms[t].stride; first += 8) {
            const double *J = diagonal->groups->J + terms[t].J + first;
            Eight sum = {0};
            for (int k = 0, rows; k < group->row_count; k += rows, J += rows * terms[t].stride) {
                const double *block = cairn_block_at(S, group->first_row + k, &rows);
                if (block != NULL && rows == 3) { // most of them: the compiler knows their size
                    add_sizes(J, terms[t].stride, block, 3, &sum);
                } else if (block != NULL) {
                    add_sizes(J, terms[t].stride, block, rows, &sum);
                } else {
                    Eight row = *(const Eight *)J;
                    sum += row * row * fabs(S->weight[S->rows[group->first_row + k]]);
                }
            }
            add_sum(diagonal, &terms[t], first, &sum);
        }
    }
}
