#include "solvers/exact/smooth_dense.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/smooth_system.h"

// Share of what an impulse does to all rows, beside what the row itself resists with: below it a row is left out of the
// factor.
static const double negligible = 1e-7;

// Room for the whole matrix, when it is first needed.
static CairnStatus make_room(CairnSmoothDense *dense, const CairnProblem *problem) {
    size_t rows = (size_t)problem->row_count + 1;
    if (dense->lu.a != NULL) {
        return cairn_ok();
    }
    dense->place = CAIRN_PUSH(dense->arena, int, rows);
    dense->row = CAIRN_PUSH(dense->arena, int, rows);
    dense->largest = CAIRN_PUSH_ZERO(dense->arena, double, rows);
    dense->packed = CAIRN_PUSH(dense->arena, double, rows);
    if (!dense->place || !dense->row || !dense->largest || !dense->packed ||
        !cairn_dense_lu_init(&dense->lu, problem->row_count, dense->arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for a dense matrix of %zu rows", rows - 1);
    }
    for (int i = 0; i < problem->row_count; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            dense->largest[i] += fabs(problem->W[k]);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_smooth_dense_init(CairnSmoothDense *dense, const CairnProblem *problem, int threads,
                                    CairnArena *arena) {
    *dense = (CairnSmoothDense){.arena = arena};
    CAIRN_TRY(cairn_smooth_sparse_init(&dense->sparse, problem, threads, arena, &dense->is_sparse));
    if (!dense->is_sparse && problem->row_count > CAIRN_SMOOTH_DENSE_ROWS) {
        return cairn_error(CAIRN_UNSUPPORTED, "newton-cone: W of %d rows is too full, %d are taken", problem->row_count,
                           CAIRN_SMOOTH_DENSE_ROWS);
    }
    return dense->is_sparse ? cairn_ok() : make_room(dense, problem);
}

// Whether L of a cone outweighs W A: the smallest that L does to a vector, by its inverse.
static bool is_open(const CairnSmoothDense *dense, const CairnSmoothCone *cone, int n) {
    double inverse[9], most = 0, effect = 0;
    if (!cairn_smooth_invert(cone->L, inverse)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            most = fmax(most, fabs(inverse[3 * i + j]));
            sum += fabs(cone->W[3 * i + j]) * dense->largest[n + j];
        }
        effect = fmax(effect, sum);
    }
    return 3 * most * effect <= negligible;
}

static void choose_rows(CairnSmoothDense *dense, const CairnSmoothSystem *s) {
    const CairnProblem *problem = s->cones->exact.problem;
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        dense->place[i] = row->W * dense->largest[i] <= negligible * row->L || row->L + row->W == 0 ? -1 : 0;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        if (s->cones->cones[f].is_cone) {
            int place = is_open(dense, &s->groups[f], n) ? -1 : 0;
            dense->place[n] = dense->place[n + 1] = dense->place[n + 2] = place;
        }
    }
    int count = 0;
    for (int i = 0; i < problem->row_count; i++) {
        if (dense->place[i] == 0) {
            dense->row[count] = i;
            dense->place[i] = count++;
        }
    }
    cairn_dense_lu_clear(&dense->lu, count);
}

// to += share times a row of A, as far as its columns are in the factor.
static void add_row(const CairnSmoothDense *dense, const CairnProblem *problem, int row, double share, double *to) {
    for (int k = problem->W_start[row]; k < problem->W_start[row + 1] && share != 0; k++) {
        int place = dense->place[problem->W_column[k]];
        if (place >= 0) {
            to[place] += share * problem->W[k];
        }
    }
}

CairnStatus cairn_smooth_dense_factor(CairnSmoothDense *dense, const CairnSmoothSystem *s) {
    const CairnProblem *problem = s->cones->exact.problem;
    if (dense->is_sparse) {
        CairnStatus status = cairn_smooth_sparse_factor(&dense->sparse, s);
        dense->is_factored_sparse = cairn_is_ok(status);
        if (status.code != CAIRN_NUMERIC || problem->row_count > CAIRN_SMOOTH_DENSE_ROWS) {
            return status;
        }
        CAIRN_TRY(make_room(dense, problem));
    }
    choose_rows(dense, s);
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnSmoothCone *cone = &s->groups[f];
        int n = problem->frictions[f].normal;
        for (int i = 0; i < 3 && s->cones->cones[f].is_cone && dense->place[n] >= 0; i++) {
            double *to = cairn_dense_lu_row(&dense->lu, dense->place[n + i]);
            for (int j = 0; j < 3; j++) {
                add_row(dense, problem, n + j, cone->W[3 * i + j], to);
                to[dense->place[n + j]] += cone->L[3 * i + j];
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        if (row->normal == CAIRN_ROW_CONE || dense->place[i] < 0) {
            continue;
        }
        double *to = cairn_dense_lu_row(&dense->lu, dense->place[i]);
        add_row(dense, problem, i, row->W, to);
        to[dense->place[i]] += row->L;
        if (row->normal >= 0 && dense->place[row->normal] >= 0) {
            to[dense->place[row->normal]] += row->N;
        }
    }
    int bad = cairn_dense_lu_factor(&dense->lu, 0);
    return bad >= 0 ? cairn_error(CAIRN_NUMERIC, "newton-cone: singular near row %d", dense->row[bad]) : cairn_ok();
}

// Rows that are not in the factor, by L alone; x holds R, or where normals of spin rows are known their answer.
static void solve_rest(const CairnSmoothDense *dense, const CairnSmoothSystem *s, const double *R, double *x) {
    const CairnProblem *problem = s->cones->exact.problem;
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        double inverse[9];
        if (s->cones->cones[f].is_cone && dense->place[n] < 0 && cairn_smooth_invert(s->groups[f].L, inverse)) {
            for (int i = 0; i < 3; i++) {
                x[n + i] = inverse[3 * i] * R[n] + inverse[3 * i + 1] * R[n + 1] + inverse[3 * i + 2] * R[n + 2];
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        if (row->normal != CAIRN_ROW_CONE && dense->place[i] < 0) {
            double left = R[i] - (row->normal >= 0 ? row->N * x[row->normal] : 0);
            x[i] = row->L > 0 ? left / row->L : 0;
        }
    }
}

static double product(const CairnProblem *problem, int row, const double *x) {
    double sum = 0;
    for (int k = problem->W_start[row]; k < problem->W_start[row + 1]; k++) {
        sum += problem->W[k] * x[problem->W_column[k]];
    }
    return sum;
}

// The right side of the rows in the factor, without what the other rows do to them.
static void pack(const CairnSmoothDense *dense, const CairnSmoothSystem *s, const double *R, const double *x) {
    const CairnProblem *problem = s->cones->exact.problem;
    bool is_whole = dense->lu.n == problem->row_count;
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnSmoothCone *cone = &s->groups[f];
        int n = problem->frictions[f].normal;
        double effect[3] = {0};
        if (!s->cones->cones[f].is_cone || dense->place[n] < 0) {
            continue;
        }
        for (int j = 0; j < 3 && !is_whole; j++) {
            effect[j] = product(problem, n + j, x);
        }
        for (int i = 0; i < 3; i++) {
            const double *W = cone->W + (ptrdiff_t)3 * i;
            dense->packed[dense->place[n + i]] = R[n + i] - W[0] * effect[0] - W[1] * effect[1] - W[2] * effect[2];
        }
    }
    for (int k = 0; k < dense->lu.n; k++) {
        const CairnSmoothRow *row = &s->rows[dense->row[k]];
        if (row->normal != CAIRN_ROW_CONE) {
            double other = row->normal >= 0 && dense->place[row->normal] < 0 ? row->N * x[row->normal] : 0;
            dense->packed[k] = R[dense->row[k]] - other - (is_whole ? 0 : row->W * product(problem, dense->row[k], x));
        }
    }
}

void cairn_smooth_dense_apply(CairnSmoothDense *dense, const CairnSmoothSystem *s, const double *R, double *x) {
    if (dense->is_factored_sparse) {
        cairn_smooth_sparse_apply(&dense->sparse, R, x);
        return;
    }
    memset(x, 0, (size_t)s->cones->exact.problem->row_count * sizeof *x);
    solve_rest(dense, s, R, x);
    pack(dense, s, R, x);
    cairn_dense_lu_solve(&dense->lu, dense->packed);
    for (int k = 0; k < dense->lu.n; k++) {
        x[dense->row[k]] = dense->packed[k];
    }
    solve_rest(dense, s, R, x); // spin rows whose normal is in the factor
}

void cairn_smooth_dense_multiply(const CairnProblem *problem, const double *x, double *y) {
    for (int i = 0; i < problem->row_count; i++) {
        y[i] = product(problem, i, x);
    }
}
