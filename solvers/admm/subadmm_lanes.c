// Eight subsystems side by side (subadmm_lanes.h). A = U^T U with its soft rows, Z = U^-T J^T and W = Z^T Z = J A^-1
// J^T, from which beta is made. With xi = sqrt(beta) x and sigma = (beta z - u)/sqrt(beta), eq. 15 is
//   few rows:              xi = sigma - S^-1 (sigma - sqrt(beta) x(b)),  S = 1 + sqrt(beta) W sqrt(beta)
//   more rows than dofs:   xi = Y^T Y sigma + sqrt(beta) x(b),           Y = L^-T Z sqrt(beta),  L^T L = 1 + Z beta Z^T
// Matrices lie by columns of dofs, U by rows of its envelope: in a chain of bodies a row ends with the next body.
#include <string.h>

#include "solvers/admm/subadmm_lanes_kernels.h"

// ---- shape and memory ------------------------------------------------------------------------------------------------------

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
    size_t m = (size_t)batch->slots;
    return is_square(batch) ? m * (m + 1) / 2 : m * (size_t)batch->size;
}

size_t cairn_admm_lanes_memory(const AdmmBatch *batch) {
    size_t n = (size_t)batch->size, m = (size_t)batch->slots;
    return ADMM_LANES * (envelope(batch->reach, batch->size, batch->size) + (m + 1) * n + (size_t)batch->columns +
                         applied(batch) + 3 * m);
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

// ---- factors ---------------------------------------------------------------------------------------------------------------

typedef struct Scratch {
    AdmmEight *W; // slots x (slots + 1): J A^-1 J^T and behind each row x(b); of a batch with many slots x(b) alone
    AdmmEight *diagonal;       // of pivots
    AdmmEight *is_held, *C;    // by slots: 1 where the row holds neighbours, and its compliance
    AdmmEight *first, *second; // slots x slots, or dofs x dofs
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
    int from[ADMM_BATCH_SLOTS + 1];
    cairn_admm_lanes_gather(system, batch, from);
    unsigned broken = factor(batch->size, batch->reach, 0, batch->U, scratch->diagonal);
    forward(batch->size, batch->reach, batch->U, batch->slots + 1, from, batch->Z);
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

// cairn_admm_constrain_neighbours for eight lanes, each with its held rows. A lane has no constraint at a slot that
// only other lanes hold, or whose row is nearly rigid.
static void constrain_neighbours(const AdmmSystem *system, const AdmmBatch *batch, const Scratch *scratch,
                                 AdmmEight *mobility) {
    static const double least = 1e-14, stillest = 1e-8;
    int m = batch->slots, n = batch->size, held = 0, at[ADMM_BATCH_SLOTS];
    memset(scratch->is_held, 0, 2 * (size_t)m * sizeof(AdmmEight));
    for (int l = 0; l < batch->count; l++) {
        const AdmmSubsystem *sub = member(system, batch, l);
        for (int i = 0; i < sub->held_count; i++) {
            int slot = system->held[sub->first_held + i], k = (slot - sub->first_slot) / ADMM_LANES;
            double C = system->rows[system->slot_row[slot]].C;
            put(&scratch->is_held[k], l, cairn_admm_is_rigid(C, mobility[k][l]) ? 0 : 1);
            put(&scratch->C[k], l, C);
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
            double open = mobility[k][l], remaining = still[l], C = scratch->C[k][l];
            if (scratch->is_held[k][l] > 0) { // a shared row itself is open in both
                double others = C - remaining > 0 ? remaining * C / (C - remaining) : open;
                remaining = others > 0 && others < open ? others : open;
            }
            double ratio = open > 0 ? remaining / open : 1;
            put(&mobility[k], l, open * sqrt(ratio < stillest ? stillest : ratio < 1 ? ratio : 1));
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
    for (int a = 0; a < m; a++) { // entries above the one of a column stay zero
        forward(m - a, NULL, S, 1, NULL, X + (ptrdiff_t)a * m + a);
        S += m - a;
    }
    for (int a = 0; a < m; a++) {
        for (int b = a; b < m; b++) {
            products(m - b, X + (ptrdiff_t)a * m + b, X + (ptrdiff_t)b * m + b, 1, H++);
        }
    }
    for (int a = 0; a < m; a++) { // sqrt(beta) x(b); X is done with
        X[a] = root[a] * scratch->W[(ptrdiff_t)a * (m + 1) + m];
    }
    symmetric(m, batch->H, X, batch->start);
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
        constrain_neighbours(system, batch, &scratch, (AdmmEight *)mobility);
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
