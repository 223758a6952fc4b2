// Dense: A in full, factored by rows as L L^T with Theta on its diagonal and without the rows held out. Where Theta
// has a block F^T E F of axes F and weights E, the three rows are turned by B = F^-1, and E comes on the diagonal as
// it is: in the entries of the block its small weights, and the entries of A in their directions, would be lost in
// the rounding of the large ones. No assumption is made and no order is sought, so it is the reference for the other
// formulations; entries to the left of a row's first one are skipped, which makes a chain in its natural order a
// band.
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/eights.h"
#include "solvers/system/system.h"

enum { PANEL = 48, DENSE_ROWS = 4000 };

typedef struct Dense {
    const CairnOps *ops;
    int m, n;             // all rows, rows in use
    int *active_row;      // row -> its number among the rows in use
    double *whole;        // diagonal of each row in use before elimination
    double *A;            // m x m, lower half
    double *L;            // n x n, lower half, row stride `m`, reciprocals on the diagonal
    int *row;             // the n rows in use
    int *begin;           // first column of every row in use that is not zero, a multiple of PANEL
    int *active;          // rows below a panel that reach into it
    double *packed;       // the answer on the rows in use
    double (*turn)[3][3]; // B of each friction group
    bool *is_turned;
} Dense;

static bool dense_takes(const CairnProblem *problem) {
    return problem->row_count <= DENSE_ROWS && (problem->form == CAIRN_FORM_DYNAMICS || problem->W_is_symmetric);
}

// A dof block's terms: J L^-T of one constraint with respect to it.
typedef struct Link {
    int next; // of the same block, -1: the last
    int first_row, row_count;
    size_t at;
} Link;

static void add_pair(Dense *dense, const Link *a, const Link *b, const double *G, int size) {
    for (int i = 0; i < a->row_count; i++) {
        for (int j = 0; j < b->row_count && b->first_row + j <= a->first_row + i; j++) {
            const double *x = G + a->at + (size_t)(i * size), *y = G + b->at + (size_t)(j * size);
            double sum = 0;
            for (int k = 0; k < size; k++) {
                sum += x[k] * y[k];
            }
            dense->A[(size_t)(a->first_row + i) * (size_t)dense->m + (size_t)(b->first_row + j)] += sum;
        }
    }
}

// A = G G^T + C with G = J L^-T, block by block.
static CairnStatus assemble(Dense *dense, CairnArena *arena) {
    const CairnProblem *problem = dense->ops->problem;
    size_t G_size = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            G_size += (size_t)(constraint->row_count *
                               problem->blocks[problem->terms[constraint->first_term + t].block].size);
        }
    }
    Link *links = CAIRN_PUSH(arena, Link, problem->term_count + 1);
    int *head = CAIRN_PUSH(arena, int, problem->block_count + 1);
    double *G = CAIRN_PUSH(arena, double, G_size + 1);
    if (!links || !head || !G) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "dense system: no memory for %d rows", problem->row_count);
    }
    for (int b = 0; b < problem->block_count; b++) {
        head[b] = -1;
    }
    size_t at = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            int block = problem->terms[t].block, size = problem->blocks[block].size;
            links[t] = (Link){head[block], constraint->first_row, constraint->row_count, at};
            head[block] = t;
            double room[6 * CAIRN_FRAME_ROWS];
            memcpy(G + at, cairn_term_rows(problem, &problem->terms[t], constraint->row_count, room),
                   (size_t)(constraint->row_count * size) * sizeof *G);
            for (int i = 0; i < constraint->row_count; i++, at += (size_t)size) {
                cairn_ops_forward(dense->ops, block, G + at);
            }
        }
    }
    for (int b = 0; b < problem->block_count; b++) {
        for (int s = head[b]; s >= 0; s = links[s].next) {
            for (int t = head[b]; t >= 0; t = links[t].next) {
                add_pair(dense, &links[s], &links[t], G, problem->blocks[b].size);
            }
        }
    }
    for (int i = 0; i < dense->m; i++) {
        dense->A[(size_t)i * (size_t)dense->m + (size_t)i] += problem->compliance[i];
    }
    return cairn_ok();
}

static void copy_explicit(Dense *dense) {
    const CairnProblem *problem = dense->ops->problem;
    for (int i = 0; i < dense->m; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            if (problem->W_column[k] <= i) {
                dense->A[(size_t)i * (size_t)dense->m + (size_t)problem->W_column[k]] += problem->W[k];
            }
        }
    }
}

static CairnStatus dense_prepare(const CairnSystem *system, void **memory, void **state) {
    (void)memory;
    CairnArena *arena = system->context->arena;
    const CairnProblem *problem = system->problem;
    size_t m = (size_t)problem->row_count;
    Dense *dense = CAIRN_PUSH(arena, Dense, 1);
    if (dense == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "dense system: no memory");
    }
    *dense = (Dense){.ops = &system->ops, .m = (int)m};
    dense->A = CAIRN_PUSH_ZERO(arena, double, m *m + 1);
    dense->L = CAIRN_PUSH(arena, double, m *m + 1);
    dense->row = CAIRN_PUSH(arena, int, m + 1);
    dense->begin = CAIRN_PUSH(arena, int, m + 1);
    dense->active = CAIRN_PUSH(arena, int, m + 1);
    dense->active_row = CAIRN_PUSH(arena, int, m + 1);
    dense->whole = CAIRN_PUSH(arena, double, m + 1);
    dense->packed = CAIRN_PUSH(arena, double, m + 1);
    dense->turn = cairn_arena_push(arena, (size_t)problem->friction_count + 1, sizeof *dense->turn);
    dense->is_turned = CAIRN_PUSH_ZERO(arena, bool, problem->friction_count + 1);
    if (!dense->A || !dense->L || !dense->row || !dense->begin || !dense->active || !dense->active_row ||
        !dense->whole || !dense->packed || !dense->turn || !dense->is_turned) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "dense system: no memory for %zu rows", m);
    }
    *state = dense;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        copy_explicit(dense);
        return cairn_ok();
    }
    return assemble(dense, arena);
}

// Copy the rows in use and find where each begins.
static void gather(Dense *dense, const double *theta) {
    dense->n = 0;
    for (int i = 0; i < dense->m; i++) {
        dense->active_row[i] = dense->n;
        if (!isinf(theta[i])) {
            dense->row[dense->n++] = i;
        }
    }
    for (int i = 0; i < dense->n; i++) {
        const double *from = dense->A + (size_t)dense->row[i] * (size_t)dense->m;
        double *to = dense->L + (size_t)i * (size_t)dense->m;
        int first = i;
        for (int j = i; j >= 0; j--) {
            to[j] = from[dense->row[j]];
            first = to[j] != 0 ? j : first;
        }
        to[i] += theta[dense->row[i]];
        dense->begin[i] = first / PANEL * PANEL;
    }
}

// B = F^-1 by cross products; false where the axes do not span.
static bool invert_axes(const CairnThetaBlock *block, double B[3][3]) {
    const double(*F)[3] = block->axis;
    for (int i = 0; i < 3; i++) {
        const double *a = F[(i + 1) % 3], *b = F[(i + 2) % 3];
        double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        double volume = F[i][0] * cross[0] + F[i][1] * cross[1] + F[i][2] * cross[2];
        for (int k = 0; k < 3; k++) {
            B[k][i] = cross[k] / volume;
            if (!isfinite(B[k][i])) {
                return false;
            }
        }
    }
    return true;
}

// The entries of three next to each other, `stride` apart: x = B^T x.
static void turn_three(double B[3][3], double *x, size_t stride) {
    double y[3] = {x[0], x[stride], x[2 * stride]};
    for (int i = 0; i < 3; i++) {
        x[(size_t)i * stride] = B[0][i] * y[0] + B[1][i] * y[1] + B[2][i] * y[2];
    }
}

// B^T on the rows and B on the columns of a group that lies at rows [at, at + 3) of those in use, lower half.
static void turn_rows(Dense *dense, double B[3][3], int at) {
    size_t m = (size_t)dense->m;
    double *rows = dense->L + (size_t)at * m, whole[3][3];
    int first = dense->begin[at];
    for (int i = 1; i < 3; i++) {
        first = dense->begin[at + i] < first ? dense->begin[at + i] : first;
    }
    for (int i = 0; i < 3; i++) {
        dense->begin[at + i] = first; // left of its first entry a row holds zeros
        for (int j = 0; j < 3; j++) {
            whole[i][j] = rows[(size_t)(i > j ? i : j) * m + (size_t)(at + (i > j ? j : i))];
        }
    }
    for (int j = first; j < at; j++) {
        turn_three(B, rows + j, m);
    }
    for (int i = at + 3; i < dense->n; i++) {
        if (dense->begin[i] <= at + 2) {
            turn_three(B, dense->L + (size_t)i * m + (size_t)at, 1);
            int begin = at / PANEL * PANEL;
            dense->begin[i] = begin < dense->begin[i] ? begin : dense->begin[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        turn_three(B, &whole[0][i], 3);
    }
    for (int i = 0; i < 3; i++) {
        turn_three(B, &whole[i][0], 1);
        for (int j = 0; j <= i; j++) {
            rows[(size_t)i * m + (size_t)(at + j)] = whole[i][j];
        }
    }
}

static void add_block(Dense *dense, const CairnThetaBlock *block, const double *theta, int n, bool is_turned) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            if (isinf(theta[n + i]) || isinf(theta[n + j])) {
                continue;
            }
            double entry = !is_turned ? cairn_theta_entry(block, i, j) : i == j ? block->weight[i] : 0;
            int row = dense->active_row[n + i], column = dense->active_row[n + j], first = column / PANEL * PANEL;
            dense->L[(size_t)row * (size_t)dense->m + (size_t)column] += entry;
            dense->begin[row] = first < dense->begin[row] ? first : dense->begin[row];
        }
    }
}

static void add_blocks(Dense *dense, const double *theta, const CairnThetaBlock *blocks) {
    const CairnProblem *problem = dense->ops->problem;
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        bool is_in = !isinf(theta[n]) && !isinf(theta[n + 1]) && !isinf(theta[n + 2]);
        bool has_weight = blocks && cairn_takes_block(&problem->frictions[f]) &&
                          blocks[f].weight[0] + blocks[f].weight[1] + blocks[f].weight[2] > 0;
        dense->is_turned[f] = has_weight && is_in && invert_axes(&blocks[f], dense->turn[f]);
        if (dense->is_turned[f]) {
            turn_rows(dense, dense->turn[f], dense->active_row[n]);
        }
        if (has_weight) {
            add_block(dense, &blocks[f], theta, n, dense->is_turned[f]);
        }
    }
    for (int i = 0; i < dense->n; i++) {
        dense->whole[i] = dense->L[(size_t)i * (size_t)dense->m + (size_t)i];
    }
}

// The columns [k, end) of the rows of one diagonal block, unblocked; false when a pivot breaks down.
static bool factor_diagonal(Dense *dense, int k, int end) {
    size_t m = (size_t)dense->m;
    for (int i = k; i < end; i++) {
        double *a = dense->L + (size_t)i * m;
        for (int j = k; j < i; j++) {
            const double *b = dense->L + (size_t)j * m;
            double sum = a[j];
            for (int q = k; q < j; q++) {
                sum -= a[q] * b[q];
            }
            a[j] = sum * b[j];
        }
        double pivot = a[i];
        for (int q = k; q < i; q++) {
            pivot -= a[q] * a[q];
        }
        if (!(pivot > 16 * DBL_EPSILON * dense->whole[i]) || !(pivot < (double)INFINITY)) {
            return false;
        }
        a[i] = 1 / sqrt(pivot);
    }
    return true;
}

// The columns [k, end) of a row below the diagonal block.
static void solve_panel(const Dense *dense, int k, int end, double *a) {
    for (int j = k; j < end; j++) {
        const double *b = dense->L + (size_t)j * (size_t)dense->m;
        double sum = a[j];
        for (int q = k; q < j; q++) {
            sum -= a[q] * b[q];
        }
        a[j] = sum * b[j];
    }
}

#define SUM_FOUR(a) (((a)[0] + (a)[2]) + ((a)[1] + (a)[3]))

// Two rows times two rows over one whole panel.
static inline void dot_2x2(const double *a0, const double *a1, const double *b0, const double *b1, double *sum) {
    Four s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
    for (int q = 0; q < PANEL; q += 4) {
        Four x0 = *(const Four *)(a0 + q), x1 = *(const Four *)(a1 + q);
        Four y0 = *(const Four *)(b0 + q), y1 = *(const Four *)(b1 + q);
        s00 += x0 * y0;
        s01 += x0 * y1;
        s10 += x1 * y0;
        s11 += x1 * y1;
    }
    sum[0] = SUM_FOUR(s00);
    sum[1] = SUM_FOUR(s01);
    sum[2] = SUM_FOUR(s10);
    sum[3] = SUM_FOUR(s11);
}

// Subtract the product of the panel's rows from the columns to the right of it.
static void update(Dense *dense, int k, int count) {
    size_t m = (size_t)dense->m;
    const int *active = dense->active;
    for (int i = 0; i < count; i += 2) {
        int i0 = active[i], i1 = active[i + 1 < count ? i + 1 : i];
        double *a0 = dense->L + (size_t)i0 * m, *a1 = dense->L + (size_t)i1 * m;
        for (int j = 0; j <= i + 1 && j < count; j += 2) {
            int j0 = active[j], j1 = active[j + 1 < count ? j + 1 : j];
            const double *b0 = dense->L + (size_t)j0 * m, *b1 = dense->L + (size_t)j1 * m;
            double sum[4];
            dot_2x2(a0 + k, a1 + k, b0 + k, b1 + k, sum);
            a0[j0] -= sum[0];
            if (j1 != j0 && j1 <= i0) {
                a0[j1] -= sum[1];
            }
            if (i1 != i0) {
                a1[j0] -= sum[2];
                if (j1 != j0) {
                    a1[j1] -= sum[3];
                }
            }
        }
    }
}

static CairnStatus dense_factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    Dense *dense = state;
    gather(dense, theta);
    add_blocks(dense, theta, blocks);
    for (int k = 0; k < dense->n; k += PANEL) {
        int end = k + PANEL < dense->n ? k + PANEL : dense->n;
        if (!factor_diagonal(dense, k, end)) {
            return cairn_error(CAIRN_NUMERIC, "dense system: not positive definite near row %d", dense->row[k]);
        }
        int count = 0;
        for (int i = end; i < dense->n; i++) {
            if (dense->begin[i] <= k) {
                solve_panel(dense, k, end, dense->L + (size_t)i * (size_t)dense->m);
                dense->active[count++] = i;
            }
        }
        update(dense, k, count);
    }
    return cairn_ok();
}

static void dense_solve(void *state, double *x) {
    Dense *dense = state;
    const CairnProblem *problem = dense->ops->problem;
    double *y = dense->packed;
    for (int f = 0; f < problem->friction_count; f++) {
        if (dense->is_turned[f]) {
            turn_three(dense->turn[f], x + problem->frictions[f].normal, 1);
        }
    }
    for (int i = 0; i < dense->n; i++) {
        const double *a = dense->L + (size_t)i * (size_t)dense->m;
        double sum = x[dense->row[i]];
        for (int j = dense->begin[i]; j < i; j++) {
            sum -= a[j] * y[j];
        }
        y[i] = sum * a[i];
    }
    for (int i = dense->n - 1; i >= 0; i--) {
        const double *a = dense->L + (size_t)i * (size_t)dense->m;
        y[i] *= a[i];
        for (int j = dense->begin[i]; j < i; j++) {
            y[j] -= a[j] * y[i];
        }
    }
    memset(x, 0, (size_t)dense->m * sizeof *x);
    for (int i = 0; i < dense->n; i++) {
        x[dense->row[i]] = y[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        double *rows = x + problem->frictions[f].normal, z[3];
        for (int i = 0; i < 3 && dense->is_turned[f]; i++) {
            const double *B = dense->turn[f][i];
            z[i] = B[0] * rows[0] + B[1] * rows[1] + B[2] * rows[2];
        }
        if (dense->is_turned[f]) {
            memcpy(rows, z, sizeof z);
        }
    }
}

const CairnSystemKind cairn_system_dense = {
    .name = "dense",
    .takes = dense_takes,
    .prepare = dense_prepare,
    .factor = dense_factor,
    .solve = dense_solve,
};
