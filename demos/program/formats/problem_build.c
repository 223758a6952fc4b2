#include "demos/program/formats/problem_build.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static CairnStatus no_memory(const char *what) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %s", what);
}

CairnStatus cairn_triplets_make(CairnArena *arena, int rows, int columns, int count, CairnTriplets *matrix) {
    *matrix = (CairnTriplets){.rows = rows, .columns = columns};
    matrix->row = CAIRN_PUSH(arena, int, count + 1);
    matrix->column = CAIRN_PUSH(arena, int, count + 1);
    matrix->value = CAIRN_PUSH(arena, double, count + 1);
    return matrix->row && matrix->column && matrix->value ? cairn_ok() : no_memory("a sparse matrix");
}

CairnStatus cairn_triplets_add(CairnTriplets *matrix, int row, int column, double value, const char *name) {
    if (row < 0 || row >= matrix->rows || column < 0 || column >= matrix->columns) {
        return cairn_error(CAIRN_CORRUPT, "%s: entry (%d, %d) is outside %d x %d", name, row, column, matrix->rows,
                           matrix->columns);
    }
    if (!isfinite(value)) {
        return cairn_error(CAIRN_CORRUPT, "%s: entry (%d, %d) = %g is not finite", name, row, column, value);
    }
    matrix->row[matrix->count] = row;
    matrix->column[matrix->count] = column;
    matrix->value[matrix->count++] = value;
    return cairn_ok();
}

// Compressed rows with ascending columns and no duplicates.
typedef struct Rows {
    int *start, *column;
    double *value;
} Rows;

static void sort_row(Rows *rows, int begin, int end) {
    for (int k = begin + 1; k < end; k++) { // by insertion: rows are short or nearly sorted
        int column = rows->column[k], at = k;
        double value = rows->value[k];
        for (; at > begin && rows->column[at - 1] > column; at--) {
            rows->column[at] = rows->column[at - 1];
            rows->value[at] = rows->value[at - 1];
        }
        rows->column[at] = column;
        rows->value[at] = value;
    }
}

// Of the matrix, or of its transpose.
static CairnStatus compress(CairnArena *arena, const CairnTriplets *matrix, bool is_transposed, Rows *rows) {
    const int *row = is_transposed ? matrix->column : matrix->row,
              *column = is_transposed ? matrix->row : matrix->column;
    int count = is_transposed ? matrix->columns : matrix->rows, entries = 0;
    int *next = CAIRN_PUSH_ZERO(arena, int, count + 1);
    rows->start = CAIRN_PUSH_ZERO(arena, int, count + 1);
    rows->column = CAIRN_PUSH(arena, int, matrix->count + 1);
    rows->value = CAIRN_PUSH(arena, double, matrix->count + 1);
    if (!next || !rows->start || !rows->column || !rows->value) {
        return no_memory("the rows of a matrix");
    }
    for (int k = 0; k < matrix->count; k++) {
        rows->start[row[k] + 1]++;
    }
    for (int i = 0; i < count; i++) {
        rows->start[i + 1] += rows->start[i];
        next[i] = rows->start[i];
    }
    for (int k = 0; k < matrix->count; k++) {
        int at = next[row[k]]++;
        rows->column[at] = column[k];
        rows->value[at] = matrix->value[k];
    }
    for (int i = 0; i < count; i++) {
        int begin = rows->start[i], end = rows->start[i + 1];
        sort_row(rows, begin, end);
        rows->start[i] = entries;
        for (int k = begin; k < end; k++) {
            if (entries > rows->start[i] && rows->column[entries - 1] == rows->column[k]) {
                rows->value[entries - 1] += rows->value[k];
            } else {
                rows->column[entries] = rows->column[k];
                rows->value[entries++] = rows->value[k];
            }
        }
    }
    rows->start[count] = entries;
    return cairn_ok();
}

// What every row needs: free, no impulse to start from.
static CairnStatus begin_rows(CairnStoredProblem *stored, int count, const double *right_side) {
    double *side = CAIRN_PUSH(stored->arena, double, count + 1);
    double *lower = CAIRN_PUSH(stored->arena, double, count + 1);
    double *upper = CAIRN_PUSH(stored->arena, double, count + 1);
    double *lambda = CAIRN_PUSH_ZERO(stored->arena, double, count + 1);
    if (!side || !lower || !upper || !lambda) {
        return no_memory("rows");
    }
    for (int i = 0; i < count; i++) {
        side[i] = right_side[i];
        lower[i] = -HUGE_VAL;
        upper[i] = HUGE_VAL;
    }
    stored->problem.row_count = count;
    stored->problem.right_side = side;
    stored->problem.lower = lower;
    stored->problem.upper = upper;
    stored->start.lambda = lambda;
    return cairn_ok();
}

CairnStatus cairn_build_matrix(CairnStoredProblem *stored, const CairnTriplets *W) {
    Rows rows;
    CAIRN_TRY(compress(stored->arena, W, false, &rows));
    stored->problem.W_start = rows.start;
    stored->problem.W_column = rows.column;
    stored->problem.W = rows.value;
    return cairn_ok();
}

CairnStatus cairn_build_explicit(CairnStoredProblem *stored, const CairnTriplets *W, const double *q) {
    if (W->rows != W->columns) {
        return cairn_error(CAIRN_CORRUPT, "W is %d x %d, not square", W->rows, W->columns);
    }
    stored->problem = (CairnProblem){.form = CAIRN_FORM_EXPLICIT, .step = 1};
    CAIRN_TRY(begin_rows(stored, W->rows, q));
    return cairn_build_matrix(stored, W);
}

// ---- dynamics ----

static bool fits(const CairnTriplets *M, int size) {
    bool is_inside = M->rows % size == 0;
    for (int k = 0; k < M->count && is_inside; k++) {
        is_inside = M->row[k] / size == M->column[k] / size;
    }
    return is_inside;
}

// Cuts the dofs into blocks; block_of[dof] is the block of each.
static CairnStatus cut_blocks(CairnStoredProblem *stored, const CairnTriplets *M, int *block_of) {
    int dofs = M->rows, count = 0, even = fits(M, 6) ? 6 : fits(M, 3) ? 3 : 1;
    int *reach = CAIRN_PUSH(stored->arena, int, dofs + 1); // the last dof that has an entry in common with this one
    CairnDofBlock *blocks = CAIRN_PUSH(stored->arena, CairnDofBlock, dofs + 1);
    if (!reach || !blocks) {
        return no_memory("dof blocks");
    }
    for (int i = 0; i < dofs; i++) {
        reach[i] = i / even * even + even - 1;
    }
    for (int k = 0; k < M->count; k++) {
        int low = M->row[k] < M->column[k] ? M->row[k] : M->column[k], high = M->row[k] + M->column[k] - low;
        reach[low] = high > reach[low] ? high : reach[low];
    }
    int matrix = 0;
    for (int first = 0; first < dofs;) {
        int last = first;
        for (int i = first; i <= last; i++) {
            last = reach[i] > last ? reach[i] : last;
        }
        int size = last - first + 1;
        if (size > CAIRN_BLOCK_LIMIT) {
            return cairn_error(CAIRN_UNSUPPORTED, "M couples the dofs %d to %d: blocks of more than %d are not taken",
                               first, last, (int)CAIRN_BLOCK_LIMIT);
        }
        for (int i = first; i <= last; i++) {
            block_of[i] = count;
        }
        blocks[count] =
            (CairnDofBlock){.first = first, .size = size, .matrix = matrix, .group = -1, .id = (uint64_t)count + 1};
        count++;
        matrix += size * size;
        first = last + 1;
    }
    double *P = CAIRN_PUSH_ZERO(stored->arena, double, matrix + 1);
    if (!P) {
        return no_memory("M");
    }
    for (int k = 0; k < M->count; k++) {
        const CairnDofBlock *block = &blocks[block_of[M->row[k]]];
        P[block->matrix + (M->row[k] - block->first) * block->size + M->column[k] - block->first] += M->value[k];
    }
    for (int b = 0; b < count; b++) {
        blocks[b].mass = fabs(P[blocks[b].matrix]);
    }
    stored->problem.blocks = blocks;
    stored->problem.block_count = count;
    stored->problem.dof_count = dofs;
    stored->problem.P = P;
    return cairn_ok();
}

static int compare_ints(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// The terms of one contact: every block that one of its three rows of J reaches.
static void write_terms(const Rows *J, const int *block_of, const CairnDofBlock *blocks, int contact, int *touched,
                        CairnConstraintBlock *constraint, CairnTerm *terms, double *values, int *size) {
    int begin = J->start[3 * contact], end = J->start[3 * contact + 3], count = 0;
    for (int k = begin; k < end; k++) {
        touched[k - begin] = block_of[J->column[k]];
    }
    qsort(touched, (size_t)(end - begin), sizeof *touched, compare_ints);
    for (int k = 0; k < end - begin; k++) {
        if (k == 0 || touched[k] != touched[k - 1]) {
            touched[count++] = touched[k];
        }
    }
    for (int t = 0; t < count; t++) {
        const CairnDofBlock *block = &blocks[touched[t]];
        terms[constraint->first_term + t] = (CairnTerm){.block = touched[t], .jacobian = *size};
        for (int r = 0; r < 3; r++) {
            for (int k = J->start[3 * contact + r]; k < J->start[3 * contact + r + 1]; k++) {
                if (block_of[J->column[k]] == touched[t]) {
                    values[*size + r * block->size + J->column[k] - block->first] = J->value[k];
                }
            }
        }
        *size += 3 * block->size;
    }
    constraint->term_count = count;
}

static CairnStatus write_jacobian(CairnStoredProblem *stored, const CairnTriplets *H, const int *block_of) {
    Rows J;
    int contacts = H->columns / 3, size = 0, widest = 1;
    CAIRN_TRY(compress(stored->arena, H, true, &J));
    for (int b = 0; b < stored->problem.block_count; b++) {
        widest = stored->problem.blocks[b].size > widest ? stored->problem.blocks[b].size : widest;
    }
    CairnConstraintBlock *constraints = CAIRN_PUSH_ZERO(stored->arena, CairnConstraintBlock, contacts + 1);
    CairnTerm *terms = CAIRN_PUSH(stored->arena, CairnTerm, H->count + 1);
    int *touched = CAIRN_PUSH(stored->arena, int, H->count + 1);
    double *values = cairn_arena_push_zero(stored->arena, (size_t)H->count + 1, 3 * (size_t)widest * sizeof(double));
    double *compliance = CAIRN_PUSH_ZERO(stored->arena, double, H->columns + 1);
    if (!constraints || !terms || !touched || !values || !compliance) {
        return no_memory("H");
    }
    for (int c = 0; c < contacts; c++) {
        constraints[c].first_term = stored->problem.term_count;
        write_terms(&J, block_of, stored->problem.blocks, c, touched, &constraints[c], terms, values, &size);
        stored->problem.term_count += constraints[c].term_count;
    }
    stored->problem.constraints = constraints;
    stored->problem.constraint_count = contacts;
    stored->problem.terms = terms;
    stored->problem.J = values;
    stored->problem.compliance = compliance;
    return cairn_ok();
}

CairnStatus cairn_build_dynamics(CairnStoredProblem *stored, const CairnTriplets *M, const CairnTriplets *H,
                                 const double *f, const double *w) {
    if (M->rows != M->columns || H->rows != M->rows || H->columns % 3 != 0) {
        return cairn_error(CAIRN_CORRUPT, "M is %d x %d and H %d x %d: they do not fit", M->rows, M->columns, H->rows,
                           H->columns);
    }
    stored->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS, .step = 1};
    CAIRN_TRY(begin_rows(stored, H->columns, w));
    int *block_of = CAIRN_PUSH(stored->arena, int, M->rows + 1);
    double *p = CAIRN_PUSH(stored->arena, double, M->rows + 1);
    if (!block_of || !p) {
        return no_memory("dofs");
    }
    memcpy(p, f, (size_t)M->rows * sizeof *p);
    stored->problem.p = p;
    CAIRN_TRY(cut_blocks(stored, M, block_of));
    return write_jacobian(stored, H, block_of);
}

// ---- contacts and rows ----

CairnStatus cairn_build_contacts(CairnStoredProblem *stored, const double *mu) {
    CairnProblem *problem = &stored->problem;
    int count = problem->row_count / 3;
    CairnConstraintBlock *constraints = CAIRN_PUSH_ZERO(stored->arena, CairnConstraintBlock, count + 1);
    CairnFriction *frictions = CAIRN_PUSH_ZERO(stored->arena, CairnFriction, count + 1);
    double *lower = CAIRN_PUSH(stored->arena, double, problem->row_count + 1);
    if (!constraints || !frictions || !lower) {
        return no_memory("contacts");
    }
    if (problem->row_count % 3 != 0) {
        return cairn_error(CAIRN_CORRUPT, "%d rows are no whole number of contacts", problem->row_count);
    }
    for (int c = 0; c < count; c++) {
        if (problem->constraints) { // dynamics: the terms are there
            constraints[c] = problem->constraints[c];
        }
        constraints[c].first_row = 3 * c;
        constraints[c].row_count = 3;
        constraints[c].friction = c;
        constraints[c].id = (uint64_t)c + 1;
        frictions[c] = (CairnFriction){.kind = CAIRN_FRICTION_COULOMB, .constraint = c, .normal = 3 * c, .mu = mu[c]};
        lower[3 * c] = 0;
        lower[3 * c + 1] = lower[3 * c + 2] = -HUGE_VAL;
    }
    problem->constraints = constraints;
    problem->constraint_count = count;
    problem->frictions = frictions;
    problem->friction_count = count;
    problem->lower = lower;
    return cairn_ok();
}

CairnStatus cairn_build_rows(CairnStoredProblem *stored, const bool *is_bilateral) {
    CairnProblem *problem = &stored->problem;
    CairnConstraintBlock *constraints = CAIRN_PUSH_ZERO(stored->arena, CairnConstraintBlock, problem->row_count + 1);
    double *lower = CAIRN_PUSH(stored->arena, double, problem->row_count + 1);
    if (!constraints || !lower) {
        return no_memory("rows");
    }
    for (int i = 0; i < problem->row_count; i++) {
        constraints[i] = (CairnConstraintBlock){.first_row = i, .row_count = 1, .friction = -1, .id = (uint64_t)i + 1};
        lower[i] = is_bilateral[i] ? -HUGE_VAL : 0;
    }
    problem->constraints = constraints;
    problem->constraint_count = problem->row_count;
    problem->lower = lower;
    return cairn_ok();
}
