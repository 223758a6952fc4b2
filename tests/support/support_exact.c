#include "tests/support/support_exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A row's index set: it is solved for, or fixed at one of its bounds.
typedef enum IndexSet { FREE = 0, AT_LOWER, AT_UPPER } IndexSet;

// Extended precision, so that A keeps its compliance of 1e-10 beside entries of 1e6 where rows are redundant.
typedef long double Real;

typedef struct System {
    const CairnProblem *problem;
    int m, n;
    Real *factor;  // P's diagonal blocks, L L^T in place, at the offsets of P
    Real *Y;       // P^-1 J^T of each term, laid out as J
    int *first;    // of row r: its first column
    size_t *start; // of row r: where that entry lies in A and L
    Real *A, *L;   // below the diagonal and on it
    Real *x;       // lambda at work: an error leaves the caller's alone
    Real *w, *dx;  // rows
    Real *v;       // dofs
    IndexSet *set;
    int bounded;
    double scale; // max |b|
    int width;    // numbers of the widest term
} System;

// ---- memory: one block, cut up ----

typedef struct Memory {
    char *at;
    size_t used;
} Memory;

// `memory->at` NULL: only measure.
static void *cut(Memory *memory, size_t count, size_t size) {
    size_t bytes = (count * size + 63) / 64 * 64 + 64;
    void *piece = memory->at ? memory->at + memory->used : NULL;
    memory->used += bytes;
    return piece;
}

static int entries_of_P(const CairnProblem *problem) {
    int count = 0;
    for (int b = 0; b < problem->block_count; b++) {
        int end = problem->blocks[b].matrix + problem->blocks[b].size * problem->blocks[b].size;
        count = end > count ? end : count;
    }
    return count;
}

// The most numbers that a term has.
static int widest_term(const CairnProblem *problem) {
    int most = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *block = &problem->constraints[c];
        for (int t = block->first_term; t < block->first_term + block->term_count; t++) {
            int size = block->row_count * problem->blocks[problem->terms[t].block].size;
            most = size > most ? size : most;
        }
    }
    return most;
}

static void lay_out(System *s, Memory *memory, size_t entries) {
    size_t m = (size_t)s->m;
    s->factor = cut(memory, (size_t)entries_of_P(s->problem), sizeof(Real));
    s->width = widest_term(s->problem);
    s->Y = cut(memory, (size_t)s->width * (size_t)s->problem->term_count, sizeof(Real));
    s->first = cut(memory, m, sizeof(int));
    s->start = cut(memory, m, sizeof(size_t));
    s->A = cut(memory, entries, sizeof(Real));
    s->L = cut(memory, entries, sizeof(Real));
    s->x = cut(memory, m, sizeof(Real));
    s->w = cut(memory, m, sizeof(Real));
    s->dx = cut(memory, m, sizeof(Real));
    s->v = cut(memory, (size_t)s->n, sizeof(Real));
    s->set = cut(memory, m, sizeof(IndexSet));
}

// ---- P ----

// L L^T of a dense n x n matrix in place; false where it is not positive definite.
static bool factor_block(Real *a, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            Real sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrtl(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

static void solve_block(const Real *l, int n, Real *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

static CairnStatus factor_dynamics(System *s) {
    const CairnProblem *problem = s->problem;
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        Real *l = s->factor + block->matrix;
        for (int i = 0; i < block->size * block->size; i++) {
            l[i] = (Real)problem->P[block->matrix + i];
        }
        if (!factor_block(l, block->size)) {
            return cairn_error(CAIRN_NUMERIC, "exact: block %d of P is not positive definite", b);
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[t];
            int size = problem->blocks[term->block].size;
            for (int r = 0; r < constraint->row_count; r++) {
                double room[6];
                const double *J = cairn_term_row(problem, term, r, room);
                Real *y = s->Y + (ptrdiff_t)t * s->width + r * size;
                for (int i = 0; i < size; i++) {
                    y[i] = (Real)J[i];
                }
                solve_block(s->factor + problem->blocks[term->block].matrix, size, y);
            }
        }
    }
    return cairn_ok();
}

// v = P^-1 (p + J^T lambda), then w = J v + C lambda + d.
static void find_slack(System *s) {
    const CairnProblem *problem = s->problem;
    for (int i = 0; i < s->n; i++) {
        s->v[i] = (Real)problem->p[i];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < problem->constraint_count; c++) {
            const CairnConstraintBlock *constraint = &problem->constraints[c];
            for (int r = 0; r < constraint->row_count && pass == 1; r++) {
                int row = constraint->first_row + r;
                s->w[row] = (Real)problem->right_side[row] + (Real)problem->compliance[row] * s->x[row];
            }
            for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
                const CairnDofBlock *block = &problem->blocks[problem->terms[t].block];
                for (int r = 0; r < constraint->row_count; r++) {
                    double room[6];
                    const double *J = cairn_term_row(problem, &problem->terms[t], r, room);
                    for (int i = 0; i < block->size; i++) {
                        if (pass == 0) {
                            s->v[block->first + i] += (Real)J[i] * s->x[constraint->first_row + r];
                        } else {
                            s->w[constraint->first_row + r] += (Real)J[i] * s->v[block->first + i];
                        }
                    }
                }
            }
        }
        for (int b = 0; b < problem->block_count && pass == 0; b++) {
            const CairnDofBlock *block = &problem->blocks[b];
            solve_block(s->factor + block->matrix, block->size, s->v + block->first);
        }
    }
}

// ---- A ----

// The first row of the constraints that share a dof block, for each block.
static size_t find_envelope(System *s, int *lowest) {
    const CairnProblem *problem = s->problem;
    for (int b = 0; b < problem->block_count; b++) {
        lowest[b] = -1;
    }
    size_t entries = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int first = constraint->first_row;
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            int *low = &lowest[problem->terms[t].block];
            *low = *low < 0 ? constraint->first_row : *low;
            first = *low < first ? *low : first;
        }
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            if (s->first != NULL) {
                s->first[r] = first;
                s->start[r] = entries;
            }
            entries += (size_t)(r - first + 1);
        }
    }
    return entries;
}

static void add_pair(System *s, int c, int t, int d, int u) {
    const CairnProblem *problem = s->problem;
    const CairnConstraintBlock *one = &problem->constraints[c], *other = &problem->constraints[d];
    int size = problem->blocks[problem->terms[t].block].size;
    for (int r = 0; r < one->row_count; r++) {
        int row = one->first_row + r;
        double room[6];
        const double *J = cairn_term_row(problem, &problem->terms[t], r, room);
        for (int q = 0; q < other->row_count && other->first_row + q <= row; q++) {
            const Real *Y = s->Y + (ptrdiff_t)u * s->width + q * size;
            Real sum = 0;
            for (int i = 0; i < size; i++) {
                sum += (Real)J[i] * Y[i];
            }
            s->A[s->start[row] + (size_t)(other->first_row + q - s->first[row])] += sum;
        }
    }
}

static void build(System *s, size_t entries) {
    const CairnProblem *problem = s->problem;
    memset(s->A, 0, entries * sizeof(Real));
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *one = &problem->constraints[c];
        for (int d = c; d >= 0 && one->row_count > 0; d--) {
            const CairnConstraintBlock *other = &problem->constraints[d];
            if (other->first_row + other->row_count <= s->first[one->first_row]) {
                break;
            }
            for (int t = one->first_term; t < one->first_term + one->term_count; t++) {
                for (int u = other->first_term; u < other->first_term + other->term_count; u++) {
                    if (problem->terms[t].block == problem->terms[u].block) {
                        add_pair(s, c, t, d, u);
                    }
                }
            }
        }
    }
    for (int r = 0; r < s->m; r++) {
        s->A[s->start[r] + (size_t)(r - s->first[r])] += (Real)problem->compliance[r];
    }
}

// L of A on the free rows; a fixed row is a row of the identity, so that the layout stands.
static bool factor(System *s) {
    for (int i = 0; i < s->m; i++) {
        const Real *a = s->A + s->start[i] - s->first[i]; // a[j] is column j
        Real *l = s->L + s->start[i] - s->first[i];
        for (int j = s->first[i]; j <= i; j++) {
            if (s->set[i] != FREE || s->set[j] != FREE) {
                l[j] = i == j ? 1 : 0;
                continue;
            }
            const Real *k_row = s->L + s->start[j] - s->first[j];
            Real sum = a[j];
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < j; k++) {
                sum -= l[k] * k_row[k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            l[j] = i == j ? sqrtl(sum) : sum / k_row[j];
        }
    }
    return true;
}

static void back_solve(const System *s, Real *x) {
    for (int i = 0; i < s->m; i++) {
        const Real *l = s->L + s->start[i] - s->first[i];
        for (int k = s->first[i]; k < i; k++) {
            x[i] -= l[k] * x[k];
        }
        x[i] /= l[i];
    }
    for (int i = s->m - 1; i >= 0; i--) {
        const Real *l = s->L + s->start[i] - s->first[i];
        x[i] /= l[i];
        for (int k = s->first[i]; k < i; k++) {
            x[k] -= l[k] * x[i];
        }
    }
}

// ---- solving ----

static double free_norm(const System *s) {
    double most = 0;
    for (int r = 0; r < s->m; r++) {
        most = s->set[r] == FREE ? fmax(most, (double)fabsl(s->w[r])) : most;
    }
    return most;
}

// w = 0 on the free rows, the others at their bounds: Newton steps with the factor until w no longer falls.
static void solve_free(System *s) {
    const CairnProblem *problem = s->problem;
    for (int r = 0; r < s->m; r++) {
        if (s->set[r] != FREE) {
            s->x[r] = (Real)(s->set[r] == AT_LOWER ? problem->lower[r] : problem->upper[r]);
        }
    }
    double last = HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        find_slack(s);
        double size = free_norm(s);
        if (!(size < 0.5 * last) || size <= 1e-17 * s->scale) {
            return;
        }
        last = size;
        for (int r = 0; r < s->m; r++) {
            s->dx[r] = s->set[r] == FREE ? -s->w[r] : 0;
        }
        back_solve(s, s->dx);
        for (int r = 0; r < s->m; r++) {
            s->x[r] += s->dx[r];
        }
    }
    find_slack(s);
}

// Moves the first row with a wrong sign to another index set; false if all signs are right. Violations within rounding
// do not count.
static bool flip_one(System *s) {
    const CairnProblem *problem = s->problem;
    for (int r = 0; r < s->m; r++) {
        Real tolerance = 1e-14L * (Real)s->scale, rounding = 1e-14L * fabsl(s->x[r]);
        Real lower = (Real)problem->lower[r], upper = (Real)problem->upper[r];
        IndexSet old = s->set[r];
        if (old == FREE && s->x[r] < lower - rounding) {
            s->set[r] = AT_LOWER;
        } else if (old == FREE && s->x[r] > upper + rounding) {
            s->set[r] = AT_UPPER;
        } else if (lower < upper &&
                   ((old == AT_LOWER && s->w[r] < -tolerance) || (old == AT_UPPER && s->w[r] > tolerance))) {
            s->set[r] = FREE;
        }
        if (s->set[r] != old) {
            return true;
        }
    }
    return false;
}

// Each row begins free or at the bound that its warm impulse lies at.
static void guess_index_sets(System *s, const double *lambda) {
    const CairnProblem *problem = s->problem;
    for (int r = 0; r < s->m; r++) {
        s->set[r] = lambda[r] <= problem->lower[r] ? AT_LOWER : lambda[r] >= problem->upper[r] ? AT_UPPER : FREE;
        s->x[r] = 0;
    }
    find_slack(s);
    for (int r = 0; r < s->m; r++) {
        s->scale = fmax(s->scale, (double)fabsl(s->w[r]));
    }
}

static CairnStatus pivot(System *s, const double *lambda, CairnSolveReport *report) {
    enum { MOST = 20000 };
    guess_index_sets(s, lambda);
    report->outcome = CAIRN_OUTCOME_AT_LIMIT;
    while (report->iterations < MOST && report->outcome != CAIRN_OUTCOME_CONVERGED) {
        if (!factor(s)) {
            return cairn_error(CAIRN_NUMERIC, "exact: A is not positive definite");
        }
        solve_free(s);
        report->iterations++;
        report->factorizations++;
        report->outcome = flip_one(s) ? CAIRN_OUTCOME_AT_LIMIT : CAIRN_OUTCOME_CONVERGED;
    }
    report->claimed = free_norm(s);
    return cairn_ok();
}

static int count_bounded(const CairnProblem *problem) {
    int count = 0;
    for (int r = 0; r < problem->row_count; r++) {
        count += isfinite(problem->lower[r]) || isfinite(problem->upper[r]) ? 1 : 0;
    }
    return count;
}

static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    (void)options;
    (void)context;
    System s = {.problem = problem, .m = problem->row_count, .n = problem->dof_count};
    s.bounded = count_bounded(problem);
    if (s.bounded > SUPPORT_EXACT_BOUNDS) {
        return cairn_error(CAIRN_UNSUPPORTED, "exact: %d bounded rows, takes %d", s.bounded, SUPPORT_EXACT_BOUNDS);
    }
    int *lowest = malloc(((size_t)problem->block_count + 1) * sizeof(int));
    if (lowest == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "exact: no memory");
    }
    size_t entries = find_envelope(&s, lowest);
    Memory memory = {NULL, 0};
    lay_out(&s, &memory, entries);
    memory.at = malloc(memory.used);
    CairnStatus status;
    if (memory.at == NULL) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "exact: no memory for %d rows", s.m);
        goto done;
    }
    memory.used = 0;
    lay_out(&s, &memory, entries);
    find_envelope(&s, lowest);
    status = factor_dynamics(&s);
    if (cairn_is_ok(status)) {
        build(&s, entries);
        status = pivot(&s, lambda, report);
    }
    for (int r = 0; r < s.m && cairn_is_ok(status); r++) { // rounding has left some a bit outside
        lambda[r] = fmin(fmax((double)s.x[r], problem->lower[r]), problem->upper[r]);
    }
done:
    free(memory.at);
    free(lowest);
    return status;
}

const CairnSolver support_exact = {
    .name = "exact",
    .summary = "Cholesky of the whole A with refinement; principal pivots at bounds",
    .traits = CAIRN_TAKES_BOUNDS,
    .solve = solve,
};
