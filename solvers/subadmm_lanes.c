// Eight subsystems side by side (subadmm_lanes.h). A = U^T U with its soft rows, Z = U^-T J^T and W = Z^T Z = J A^-1 J^T, which is what beta is made
// from. With xi = sqrt(beta) x and sigma = (beta z - u)/sqrt(beta), eq. 15 is
//   few rows:              xi = sigma - S^-1 (sigma - sqrt(beta) x(b)),  S = 1 + sqrt(beta) W sqrt(beta)
//   more rows than dofs:   xi = Y^T Y sigma + sqrt(beta) x(b),           Y = L^-T Z sqrt(beta),  L^T L = 1 + Z beta Z^T
// Matrices lie by columns of dofs, U by rows of its envelope: in a chain of bodies a row ends with the next body.
#include "solvers/subadmm_lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/subadmm_kernels.h"

static bool is_square(const AdmmBatch *batch) {
    return batch->slots <= batch->size;
}

// ---- shape and memory ------------------------------------------------------------------------------------------------------

// The last column of row k.
ADMM_INLINE int end_of(const int *reach, int k, int n) {
    return reach ? reach[k] : n - 1;
}

// Numbers in the rows before row `end`.
static size_t envelope(const int *reach, int n, int end) {
    size_t size = 0;
    for (int k = 0; k < end; k++) {
        size += (size_t)(end_of(reach, k, n) - k + 1);
    }
    return size;
}

static const AdmmSubsystem *member(const AdmmSystem *system, const AdmmBatch *batch, int lane) {
    return &system->subsystems[batch->members[lane]];
}

static const CairnConstraintBlock *inside_of(const AdmmSystem *system, const AdmmSubsystem *sub, int i) {
    return &system->problem->constraints[system->inside[sub->first_inside + i]];
}

// The dofs of a constraint's columns, term by term. Returns how many.
static int columns_of(const AdmmSystem *system, const CairnConstraintBlock *constraint, int *dofs) {
    int count = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        int block = system->problem->terms[constraint->first_term + t].block;
        for (int k = 0; k < system->problem->blocks[block].size; k++) {
            dofs[count++] = system->local[block] + k;
        }
    }
    return count;
}

static int most_columns(const AdmmSystem *system, const AdmmSubsystem *sub) {
    int most = 0;
    for (int i = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, sub, i);
        int count = 0;
        for (int t = 0; t < constraint->term_count; t++) {
            count += system->problem->blocks[system->problem->terms[constraint->first_term + t].block].size;
        }
        most = count > most ? count : most;
    }
    return most;
}

static int soft_rows(const AdmmSystem *system, const CairnConstraintBlock *constraint) {
    int count = 0;
    for (int r = 0; r < constraint->row_count; r++) {
        count += system->place[constraint->first_row + r] == ADMM_SOFT;
    }
    return count;
}

CairnStatus cairn_admm_lanes_shape(const AdmmSystem *system, AdmmBatch *batch) {
    const AdmmSubsystem *sub = member(system, batch, 0);
    int n = batch->size, most = most_columns(system, sub);
    batch->reach = CAIRN_PUSH(system->context->arena, int, 2 * n + most + 1);
    if (!batch->reach) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for subsystems of %d dofs", system->name, n);
    }
    int *first = batch->reach + n, *dofs = first + n; // the first dof that each is tied to
    batch->dofs = dofs;
    for (int i = 0; i < sub->block_count; i++) {
        int block = system->blocks[sub->first_block + i];
        for (int k = 0; k < system->problem->blocks[block].size; k++) {
            first[system->local[block] + k] = system->local[block];
        }
    }
    for (int i = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, sub, i);
        int count = columns_of(system, constraint, dofs), least = n;
        for (int k = 0; k < count; k++) {
            least = dofs[k] < least ? dofs[k] : least;
        }
        for (int k = 0; k < count; k++) {
            first[dofs[k]] = least < first[dofs[k]] ? least : first[dofs[k]];
        }
        batch->columns += count * soft_rows(system, constraint);
    }
    for (int k = 0; k < n; k++) {
        batch->reach[k] = k > 0 && batch->reach[k - 1] > k ? batch->reach[k - 1] : k;
        for (int i = batch->reach[k] + 1; i < n; i++) {
            batch->reach[k] = first[i] <= k ? i : batch->reach[k];
        }
    }
    return cairn_ok();
}

static size_t applied(const AdmmBatch *batch) {
    return (size_t)batch->slots * (size_t)(is_square(batch) ? batch->slots : batch->size);
}

size_t cairn_admm_lanes_memory(const AdmmBatch *batch) {
    size_t n = (size_t)batch->size, m = (size_t)batch->slots;
    return ADMM_LANES *
           (envelope(batch->reach, batch->size, batch->size) + (m + 1) * n + (size_t)batch->columns + applied(batch) + 3 * m);
}

size_t cairn_admm_lanes_scratch(const AdmmBatch *batch) {
    size_t n = (size_t)batch->size, m = (size_t)batch->slots, most = m > n ? m : n;
    // W, a diagonal, which rows are held and their compliance; then G and X, or S and its inverse, or K and q.
    return ADMM_LANES * (m * (m + 1) + most + 2 * m + 2 * m * m + n * n + n);
}

void cairn_admm_lanes_lay_out(AdmmBatch *batch, double *memory) {
    batch->U = (AdmmEight *)memory;
    batch->Z = batch->U + envelope(batch->reach, batch->size, batch->size);
    batch->R = batch->Z + (size_t)(batch->slots + 1) * (size_t)batch->size;
    batch->H = batch->R + batch->columns;
    batch->root = batch->H + applied(batch);
    batch->unroot = batch->root + batch->slots;
    batch->start = batch->unroot + batch->slots;
}

// ---- kernels ---------------------------------------------------------------------------------------------------------------

// 1/sqrt of a pivot in every lane. One that cancellation has eaten becomes `raise` of its diagonal; with 0 its lane is told.
ADMM_INLINE unsigned invert_pivot(int n, double raise, const AdmmEight *diagonal, AdmmEight *pivot) {
    unsigned broken = 0;
    for (int l = 0; l < ADMM_LANES; l++) {
        double whole = fabs((*diagonal)[l]);
        if (!((*pivot)[l] > n * DBL_EPSILON * whole)) {
            broken |= 1u << l;
            (*pivot)[l] = raise > 0 && whole > 0 ? raise * whole : 1;
        }
    }
    double *x = (double *)pivot;
    for (int l = 0; l < ADMM_LANES; l++) {
        x[l] = 1 / sqrt(x[l]);
    }
    return raise > 0 ? 0 : broken;
}

// U becomes the factor of U^T U = what it held, reciprocals on its diagonal. Returns the lanes where it is not positive definite.
static unsigned factor(int n, const int *reach, double raise, AdmmEight *U, AdmmEight *diagonal) {
    unsigned broken = 0;
    AdmmEight *row = U;
    for (int k = 0; k < n; k++) {
        diagonal[k] = *row;
        row += end_of(reach, k, n) - k + 1;
    }
    row = U;
    for (int k = 0; k < n; k++) {
        int length = end_of(reach, k, n) - k + 1;
        broken |= invert_pivot(n, raise, &diagonal[k], row);
        AdmmEight inverse = row[0], *to = row;
        for (int i = 1; i < length; i++) {
            row[i] *= inverse;
        }
        for (int i = 1; i < length; i++) {
            AdmmEight scale = row[i];
            to += end_of(reach, k + i - 1, n) - (k + i - 1) + 1;
            for (int j = i; j < length; j++) {
                to[j - i] -= row[j] * scale;
            }
        }
        row += length;
    }
    return broken;
}

// x = U^-T x for each of `count` columns. from: of each column, where it begins (NULL: at the top).
static void forward(int n, const int *reach, const AdmmEight *U, int count, const int *from, AdmmEight *x) {
    for (int c = 0; c < count; c++, x += n) {
        int first = from ? from[c] : 0;
        const AdmmEight *row = U + envelope(reach, n, first);
        for (int k = first; k < n; k++) {
            int length = end_of(reach, k, n) - k + 1;
            AdmmEight value = x[k] *= row[0];
            for (int i = 1; i < length; i++) {
                x[k + i] -= row[i] * value;
            }
            row += length;
        }
    }
}

static void backward(int n, const int *reach, const AdmmEight *U, AdmmEight *x) {
    const AdmmEight *row = U + envelope(reach, n, n);
    for (int k = n - 1; k >= 0; k--) {
        int length = end_of(reach, k, n) - k + 1;
        row -= length;
        AdmmEight sum = x[k];
        for (int i = 1; i < length; i++) {
            sum -= row[i] * x[k + i];
        }
        x[k] = sum * row[0];
    }
}

// out = the products of a with `count` columns of B, four at a time.
ADMM_INLINE void products(int n, const AdmmEight *a, const AdmmEight *B, int count, AdmmEight *out) {
    int c = 0;
    for (; c + 4 <= count; c += 4) {
        const AdmmEight *b = B + (ptrdiff_t)c * n;
        AdmmEight w = {0}, x = {0}, y = {0}, z = {0};
        for (int i = 0; i < n; i++) {
            w += a[i] * b[i];
            x += a[i] * b[n + i];
            y += a[i] * b[2 * n + i];
            z += a[i] * b[3 * n + i];
        }
        out[c] = w;
        out[c + 1] = x;
        out[c + 2] = y;
        out[c + 3] = z;
    }
    for (; c < count; c++) {
        AdmmEight sum = {0};
        for (int i = 0; i < n; i++) {
            sum += a[i] * B[(ptrdiff_t)c * n + i];
        }
        out[c] = sum;
    }
}

// ---- gathering -------------------------------------------------------------------------------------------------------------

ADMM_INLINE void put(AdmmEight *to, int lane, double x) {
    ((double *)to)[lane] = x;
}

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
            if (system->place[r] == ADMM_SOFT) {
                put(&stiffness[row], l, 1 / problem->compliance[r]);
                put(&shift[row++], l, problem->right_side[r]);
            }
        }
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            int size = problem->blocks[term->block].size;
            const double *J = problem->J + term->jacobian;
            AdmmEight *to = R + column;
            for (int r = 0; r < constraint->row_count; r++, J += size) {
                if (system->place[constraint->first_row + r] == ADMM_SOFT) {
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
                        const double *J = problem->J + term->jacobian + (ptrdiff_t)r * size;
                        for (int n = 0; n < size; n++) {
                            to[ADMM_LANES * n] += J[n];
                        }
                    }
                }
            }
        }
    }
}

// ---- factors ---------------------------------------------------------------------------------------------------------------

typedef struct Scratch {
    AdmmEight *W;               // slots x (slots + 1): J A^-1 J^T and behind each row x(b); of a batch with many slots x(b) alone
    AdmmEight *diagonal;        // of pivots
    AdmmEight *is_held, *C;     // by slots: 1 where the row ties subsystems whatever happens, and its compliance
    AdmmEight *first, *second;  // slots x slots, or dofs x dofs
} Scratch;

static Scratch scratch_at(const AdmmBatch *batch, double *memory) {
    size_t n = (size_t)batch->size, m = (size_t)batch->slots;
    Scratch scratch = {.W = (AdmmEight *)memory};
    scratch.diagonal = scratch.W + m * (m + 1);
    scratch.is_held = scratch.diagonal + (m > n ? m : n);
    scratch.C = scratch.is_held + m;
    scratch.first = scratch.C + m;
    scratch.second = scratch.first + (m * m > n * n ? m * m : n * n);
    return scratch;
}

static unsigned make_dynamics(const AdmmSystem *system, const AdmmBatch *batch, const Scratch *scratch) {
    int n = batch->size, m = batch->slots;
    AdmmEight *rows[ADMM_BATCH_DOFS], *q = batch->Z + (ptrdiff_t)m * n;
    int from[ADMM_BATCH_SLOTS + 1];
    size_t inside = envelope(batch->reach, n, n);
    for (int k = 0; k < n; k++) {
        rows[k] = k == 0 ? batch->U : rows[k - 1] + (batch->reach[k - 1] - (k - 1) + 1);
    }
    memset(batch->U, 0, (inside + (size_t)(m + 1) * (size_t)n) * sizeof(AdmmEight));
    if (batch->count < ADMM_LANES) { // else every number is written
        memset(batch->R, 0, (size_t)batch->columns * sizeof(AdmmEight));
    }
    gather_blocks(system, batch, rows, q);
    add_soft(system, batch, rows, q);
    gather_slots(system, batch, from);
    from[m] = 0;
    unsigned broken = factor(n, batch->reach, 0, batch->U, scratch->diagonal);
    forward(n, batch->reach, batch->U, m + 1, from, batch->Z);
    return broken;
}

// W and its diagonal.
static void find_mobility(const AdmmBatch *batch, const Scratch *scratch, AdmmEight *mobility) {
    int n = batch->size, m = batch->slots;
    for (int a = 0; a < m; a++) {
        const AdmmEight *column = batch->Z + (ptrdiff_t)a * n;
        AdmmEight *W = scratch->W + (ptrdiff_t)a * (m + 1);
        if (is_square(batch)) {
            products(n, column, column, m + 1 - a, W + a);
            for (int b = a + 1; b < m; b++) {
                scratch->W[(ptrdiff_t)b * (m + 1) + a] = W[b];
            }
            mobility[a] = W[a];
        } else {
            products(n, column, column, 1, &mobility[a]);
        }
    }
}

// As cairn_admm_hold_neighbours, each lane with its own held rows: the others of a row that some lane holds are held by nothing.
static void hold_neighbours(const AdmmSystem *system, const AdmmBatch *batch, const Scratch *scratch,
                            AdmmEight *mobility) {
    static const double least = 1e-14, stillest = 1e-8;
    int m = batch->slots, n = batch->size, held = 0, at[ADMM_BATCH_SLOTS];
    memset(scratch->is_held, 0, 2 * (size_t)m * sizeof(AdmmEight));
    for (int l = 0; l < batch->count; l++) {
        const AdmmSubsystem *sub = member(system, batch, l);
        for (int i = 0; i < sub->held_count; i++) {
            int slot = system->held[sub->first_held + i], k = (slot - sub->first_slot) / ADMM_LANES;
            put(&scratch->is_held[k], l, 1);
            put(&scratch->C[k], l, system->rows[system->slot_row[slot]].C);
        }
    }
    for (int k = 0; k < m; k++) {
        AdmmEight any = scratch->is_held[k];
        at[held] = k;
        held += ((any[0] + any[1]) + (any[2] + any[3])) + ((any[4] + any[5]) + (any[6] + any[7])) > 0;
    }
    if (held == 0) {
        return;
    }
    AdmmEight *X = scratch->first, *G = scratch->second; // W_c by columns; W_cc + C_c
    for (int k = 0; k < m; k++) {
        for (int a = 0; a < held; a++) {
            AdmmEight w = scratch->W[(ptrdiff_t)k * (m + 1) + at[a]];
            if (!is_square(batch)) {
                products(n, batch->Z + (ptrdiff_t)k * n, batch->Z + (ptrdiff_t)at[a] * n, 1, &w);
            }
            X[(ptrdiff_t)k * held + a] = scratch->is_held[at[a]] * w;
        }
    }
    for (int a = 0; a < held; a++) {
        for (int b = a; b < held; b++) {
            *G++ = scratch->is_held[at[b]] * X[(ptrdiff_t)at[b] * held + a];
        }
        G[a - held] += scratch->C[at[a]] + (1 - scratch->is_held[at[a]]);
    }
    G = scratch->second;
    factor(held, NULL, least, G, scratch->diagonal);
    forward(held, NULL, G, m, NULL, X);
    for (int k = 0; k < m; k++) {
        AdmmEight still = mobility[k];
        for (int a = 0; a < held; a++) {
            still -= X[(ptrdiff_t)k * held + a] * X[(ptrdiff_t)k * held + a];
        }
        for (int l = 0; l < ADMM_LANES; l++) {
            double open = mobility[k][l], left = still[l], C = scratch->C[k][l];
            if (scratch->is_held[k][l] > 0) { // a shared row itself is open in both
                double others = C - left > 0 ? left * C / (C - left) : open;
                left = others > 0 && others < open ? others : open;
            }
            double share = open > 0 ? left / open : 1;
            put(&mobility[k], l, open * sqrt(share < stillest ? stillest : share < 1 ? share : 1));
        }
    }
}

// S^-1.
static unsigned make_square(AdmmBatch *batch, const Scratch *scratch) {
    int m = batch->slots;
    const AdmmEight *root = batch->root;
    AdmmEight *S = scratch->first, *X = scratch->second, *H = batch->H;
    for (int a = 0; a < m; a++) {
        const AdmmEight *W = scratch->W + (ptrdiff_t)a * (m + 1);
        for (int b = a; b < m; b++) {
            *S++ = root[a] * W[b] * root[b] + (a == b ? 1 : 0);
        }
    }
    S = scratch->first;
    unsigned broken = factor(m, NULL, 0, S, scratch->diagonal);
    memset(X, 0, (size_t)m * (size_t)m * sizeof *X);
    for (int a = 0; a < m; a++) {
        X[(ptrdiff_t)a * m + a] += 1;
    }
    for (int a = 0; a < m; a++) { // what lies above a column's one stays zero
        forward(m - a, NULL, S, 1, NULL, X + (ptrdiff_t)a * m + a);
        S += m - a;
    }
    for (int a = 0; a < m; a++) {
        for (int b = 0; b <= a; b++) {
            products(m - a, X + (ptrdiff_t)a * m + a, X + (ptrdiff_t)b * m + a, 1, &H[(ptrdiff_t)a * m + b]);
            H[(ptrdiff_t)b * m + a] = H[(ptrdiff_t)a * m + b];
        }
    }
    for (int a = 0; a < m; a++) {
        AdmmEight sum = {0};
        for (int b = 0; b < m; b++) {
            sum += H[(ptrdiff_t)a * m + b] * root[b] * scratch->W[(ptrdiff_t)b * (m + 1) + m];
        }
        batch->start[a] = sum;
    }
    return broken;
}

// Y.
static unsigned make_tall(AdmmBatch *batch, const Scratch *scratch) {
    int n = batch->size, m = batch->slots;
    AdmmEight *K = scratch->first, *q = scratch->second, *Y = batch->H;
    memcpy(q, batch->Z + (ptrdiff_t)m * n, (size_t)n * sizeof *q);
    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int k = 0; k < m; k++) {
        const AdmmEight *column = batch->Z + (ptrdiff_t)k * n;
        AdmmEight *to = K;
        for (int i = 0; i < n; i++) {
            Y[i] = column[i] * batch->root[k];
        }
        for (int i = 0; i < n; i++, to += n - i + 1) {
            AdmmEight scale = Y[i];
            for (int j = i; j < n; j++) {
                to[j - i] += scale * Y[j];
            }
        }
        Y += n;
    }
    Y = batch->H;
    for (int i = 0, at = 0; i < n; at += n - i, i++) {
        K[at] += 1;
    }
    unsigned broken = factor(n, NULL, 0, K, scratch->diagonal);
    forward(n, NULL, K, m, NULL, Y);
    forward(n, NULL, K, 1, NULL, q);
    products(n, q, Y, m, batch->start);
    return broken;
}

static int first_of(const AdmmBatch *batch, unsigned broken) {
    for (int l = 0; l < batch->count; l++) {
        if (broken >> l & 1) {
            return batch->members[l];
        }
    }
    return -1;
}

int cairn_admm_lanes_prepare(AdmmSystem *system, AdmmBatch *batch, double *memory) {
    Scratch scratch = scratch_at(batch, memory);
    double *mobility = system->inverse + batch->first_slot;
    int count = batch->slots * ADMM_LANES;
    unsigned broken = make_dynamics(system, batch, &scratch);
    find_mobility(batch, &scratch, (AdmmEight *)mobility);
    if (system->options->weights == CAIRN_WEIGHTS_ROWS) {
        hold_neighbours(system, batch, &scratch, (AdmmEight *)mobility);
    }
    double *beta = system->slot_beta + batch->first_slot, *root = (double *)batch->root,
           *unroot = (double *)batch->unroot;
    memset(beta, 0, (size_t)count * sizeof *beta);
    for (int l = 0; l < batch->count; l++) {
        const AdmmSubsystem *sub = member(system, batch, l);
        cairn_admm_choose_beta(system, sub, system->inverse + sub->first_slot, true);
    }
    for (int k = 0; k < count; k++) {
        root[k] = sqrt(beta[k]);
        unroot[k] = beta[k] > 0 ? 1 / root[k] : 0;
    }
    broken |= is_square(batch) ? make_square(batch, &scratch) : make_tall(batch, &scratch);
    return first_of(batch, broken);
}

// ---- an iteration ----------------------------------------------------------------------------------------------------------

ADMM_INLINE void apply_square(const AdmmBatch *batch, const AdmmEight *s, AdmmEight *x) {
    int m = batch->slots;
    products(m, s, batch->H, m, x);
    for (int k = 0; k < m; k++) {
        x[k] = s[k] - x[k] + batch->start[k];
    }
}

// n: dofs, a number that the compiler knows for single bodies.
ADMM_INLINE void apply_tall(const AdmmBatch *batch, int n, const AdmmEight *s, AdmmEight *x) {
    AdmmEight t[ADMM_BATCH_DOFS];
    const AdmmEight *Y = batch->H;
    for (int i = 0; i < n; i++) {
        t[i] = (AdmmEight){0};
    }
    for (int k = 0; k < batch->slots; k++, Y += n) {
        for (int i = 0; i < n; i++) {
            t[i] += Y[i] * s[k];
        }
    }
    Y = batch->H;
    for (int k = 0; k < batch->slots; k++, Y += n) {
        AdmmEight sum = batch->start[k];
        for (int i = 0; i < n; i++) {
            sum += Y[i] * t[i];
        }
        x[k] = sum;
    }
}

// lambda by slots.
static void gather(const AdmmSystem *system, const AdmmBatch *batch, AdmmEight *impulse) {
    const int *row = system->slot_row + batch->first_slot;
    for (int k = 0; k < batch->slots; k++, row += ADMM_LANES) {
        impulse[k] = ADMM_GATHER(system->lambda, row);
    }
}

// With eta = y/sqrt(beta), lambda likewise as mu: sigma = eta + 2 mu and z = eta + mu.
void cairn_admm_visit_batch(AdmmSystem *system, AdmmBatch *batch) {
    int m = batch->slots;
    AdmmEight *s = (AdmmEight *)cairn_admm_scratch(system), *x = s + m, *impulse = x + m,
              *y = (AdmmEight *)(system->y + batch->first_slot),
              *velocity = (AdmmEight *)(system->velocity + batch->first_slot);
    gather(system, batch, impulse);
    for (int k = 0; k < m; k++) {
        impulse[k] *= batch->unroot[k];
        s[k] = y[k] + 2 * impulse[k];
    }
    if (is_square(batch)) {
        apply_square(batch, s, x);
    } else if (batch->size == 6) {
        apply_tall(batch, 6, s, x);
    } else {
        apply_tall(batch, batch->size, s, x);
    }
    double keep = 1 - system->options->relaxation, take = system->options->relaxation;
    AdmmEight theta = {0}, weighted = {0};
    for (int k = 0; k < m; k++) {
        AdmmEight next = take * x[k] + keep * (y[k] + impulse[k]) - impulse[k], change = next - y[k],
                  slower = change * batch->root[k], faster = change * batch->unroot[k];
        y[k] = next;
        velocity[k] = next * batch->unroot[k];
        theta += slower * slower;
        weighted += faster * faster;
    }
    batch->theta = theta;
    batch->weighted = weighted;
}

// ---- the end ---------------------------------------------------------------------------------------------------------------

// v = A^-1 (b + J^T lambda) = U^-1 (U^-T b + Z lambda), and what the rows inside answer to it.
void cairn_admm_lanes_finish(const AdmmSystem *system, const AdmmBatch *batch, double *scratch, double *lambda) {
    const CairnProblem *problem = system->problem;
    const AdmmSubsystem *shape = member(system, batch, 0);
    int n = batch->size, m = batch->slots;
    AdmmEight *v = (AdmmEight *)scratch, *impulse = v + n;
    gather(system, batch, impulse);
    memcpy(v, batch->Z + (ptrdiff_t)m * n, (size_t)n * sizeof *v);
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < n; i++) {
            v[i] += batch->Z[(ptrdiff_t)k * n + i] * impulse[k];
        }
    }
    backward(n, batch->reach, batch->U, v);
    const AdmmEight *R = batch->R;
    for (int i = 0; i < shape->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, shape, i);
        int columns = columns_of(system, constraint, batch->dofs);
        for (int r = 0; r < constraint->row_count; r++) {
            if (system->place[constraint->first_row + r] != ADMM_SOFT) {
                continue;
            }
            AdmmEight w = {0};
            for (int k = 0; k < columns; k++) {
                w += R[k] * v[batch->dofs[k]];
            }
            R += columns;
            for (int l = 0; l < batch->count; l++) {
                int of = inside_of(system, member(system, batch, l), i)->first_row + r;
                lambda[of] = -(w[l] + problem->right_side[of]) / problem->compliance[of];
            }
        }
    }
}
