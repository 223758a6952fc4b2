#include "support_exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A row's part: solved for, or held at one of its bounds.
typedef enum Part { FREE = 0, AT_LOWER, AT_UPPER } Part;

typedef struct System {
    const CairnProblem *problem;
    int m, n;
    double *factor;     // P's diagonal blocks, L L^T in place, at the offsets of P
    double *Y;          // P^-1 J^T of each term, laid out as J
    int *first;         // of row r: its first column
    size_t *start;      // of row r: where that entry lies in A and L
    double *A, *L;      // below the diagonal and on it
    double *b, *w, *dx; // rows
    double *x;          // lambda at work: an error leaves the caller's alone
    double *v, *p;      // dofs
    Part *part;
    int bounded;
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

static int entries_of_J(const CairnProblem *problem) {
    int count = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *block = &problem->constraints[c];
        for (int t = block->first_term; t < block->first_term + block->term_count; t++) {
            int end = problem->terms[t].jacobian + block->row_count * problem->blocks[problem->terms[t].block].size;
            count = end > count ? end : count;
        }
    }
    return count;
}

static void lay_out(System *s, Memory *memory, size_t entries) {
    size_t m = (size_t)s->m, n = (size_t)s->n;
    s->factor = cut(memory, (size_t)entries_of_P(s->problem), sizeof(double));
    s->Y = cut(memory, (size_t)entries_of_J(s->problem), sizeof(double));
    s->first = cut(memory, m, sizeof(int));
    s->start = cut(memory, m + 1, sizeof(size_t));
    s->A = cut(memory, entries, sizeof(double));
    s->L = cut(memory, entries, sizeof(double));
    s->b = cut(memory, m, sizeof(double));
    s->w = cut(memory, m, sizeof(double));
    s->dx = cut(memory, m, sizeof(double));
    s->x = cut(memory, m, sizeof(double));
    s->v = cut(memory, n, sizeof(double));
    s->p = cut(memory, n, sizeof(double));
    s->part = cut(memory, m, sizeof(Part));
}

// ---- P ----

// L L^T of a dense n x n matrix in place; false where it is not positive definite.
static bool factor_block(double *a, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

static void solve_block(const double *l, int n, double *x) {
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
        double *l = s->factor + block->matrix;
        memcpy(l, problem->P + block->matrix, (size_t)(block->size * block->size) * sizeof(double));
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
                double *y = s->Y + term->jacobian + r * size;
                memcpy(y, problem->J + term->jacobian + r * size, (size_t)size * sizeof(double));
                solve_block(s->factor + problem->blocks[term->block].matrix, size, y);
            }
        }
    }
    return cairn_ok();
}

// v = P^-1 (p + J^T lambda), then w = J v + C lambda + d.
static void find_slack(System *s, const double *lambda, double *w) {
    const CairnProblem *problem = s->problem;
    memcpy(s->v, problem->p, (size_t)s->n * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < problem->constraint_count; c++) {
            const CairnConstraintBlock *constraint = &problem->constraints[c];
            for (int r = 0; r < constraint->row_count && pass == 1; r++) {
                int row = constraint->first_row + r;
                w[row] = problem->right_side[row] + problem->compliance[row] * lambda[row];
            }
            for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
                const CairnDofBlock *block = &problem->blocks[problem->terms[t].block];
                for (int r = 0; r < constraint->row_count; r++) {
                    const double *J = problem->J + problem->terms[t].jacobian + r * block->size;
                    for (int i = 0; i < block->size; i++) {
                        if (pass == 0) {
                            s->v[block->first + i] += J[i] * lambda[constraint->first_row + r];
                        } else {
                            w[constraint->first_row + r] += J[i] * s->v[block->first + i];
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
        const double *J = problem->J + problem->terms[t].jacobian + r * size;
        for (int q = 0; q < other->row_count && other->first_row + q <= row; q++) {
            const double *Y = s->Y + problem->terms[u].jacobian + q * size;
            double sum = 0;
            for (int i = 0; i < size; i++) {
                sum += J[i] * Y[i];
            }
            s->A[s->start[row] + (size_t)(other->first_row + q - s->first[row])] += sum;
        }
    }
}

static void build(System *s, size_t entries) {
    const CairnProblem *problem = s->problem;
    memset(s->A, 0, entries * sizeof(double));
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
        s->A[s->start[r] + (size_t)(r - s->first[r])] += problem->compliance[r];
    }
}

// L of A on the free rows; a held row is a row of the identity, so that the layout stands.
static bool factor(System *s) {
    for (int i = 0; i < s->m; i++) {
        const double *a = s->A + s->start[i] - s->first[i]; // a[j] is column j
        double *l = s->L + s->start[i] - s->first[i];
        for (int j = s->first[i]; j <= i; j++) {
            if (s->part[i] != FREE || s->part[j] != FREE) {
                l[j] = i == j ? 1 : 0;
                continue;
            }
            const double *k_row = s->L + s->start[j] - s->first[j];
            double sum = a[j];
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < j; k++) {
                sum -= l[k] * k_row[k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            l[j] = i == j ? sqrt(sum) : sum / k_row[j];
        }
    }
    return true;
}

static void back_solve(const System *s, double *x) {
    for (int i = 0; i < s->m; i++) {
        const double *l = s->L + s->start[i] - s->first[i];
        for (int k = s->first[i]; k < i; k++) {
            x[i] -= l[k] * x[k];
        }
        x[i] /= l[i];
    }
    for (int i = s->m - 1; i >= 0; i--) {
        const double *l = s->L + s->start[i] - s->first[i];
        x[i] /= l[i];
        for (int k = s->first[i]; k < i; k++) {
            x[k] -= l[k] * x[i];
        }
    }
}

// ---- solving ----

static double free_norm(const System *s, const double *w) {
    double most = 0;
    for (int r = 0; r < s->m; r++) {
        most = s->part[r] == FREE ? fmax(most, fabs(w[r])) : most;
    }
    return most;
}

// w = 0 on the free rows, the others at their bounds: Newton steps with the factor until w no longer falls.
static void solve_free(System *s, double *lambda) {
    const CairnProblem *problem = s->problem;
    for (int r = 0; r < s->m; r++) {
        lambda[r] = s->part[r] == AT_LOWER ? problem->lower[r] : s->part[r] == AT_UPPER ? problem->upper[r] : lambda[r];
    }
    double last = HUGE_VAL;
    for (int k = 0; k < 12; k++) {
        find_slack(s, lambda, s->w);
        double size = free_norm(s, s->w);
        if (!(size < 0.5 * last)) {
            return;
        }
        last = size;
        for (int r = 0; r < s->m; r++) {
            s->dx[r] = s->part[r] == FREE ? -s->w[r] : 0;
        }
        back_solve(s, s->dx);
        for (int r = 0; r < s->m; r++) {
            lambda[r] += s->dx[r];
        }
    }
}

// The first row whose part is wrong, given its new part; false if all are right. Slack below rounding is no reason to flip.
static bool flip_one(System *s, const double *lambda) {
    const CairnProblem *problem = s->problem;
    double scale = 0;
    for (int r = 0; r < s->m; r++) {
        scale = fmax(scale, fabs(s->b[r]));
    }
    for (int r = 0; r < s->m; r++) {
        double tolerance = 1e-13 * scale, rounding = 1e-13 * fabs(lambda[r]);
        Part old = s->part[r];
        if (old == FREE && lambda[r] < problem->lower[r] - rounding) {
            s->part[r] = AT_LOWER;
        } else if (old == FREE && lambda[r] > problem->upper[r] + rounding) {
            s->part[r] = AT_UPPER;
        } else if (problem->lower[r] < problem->upper[r] &&
                   ((old == AT_LOWER && s->w[r] < -tolerance) || (old == AT_UPPER && s->w[r] > tolerance))) {
            s->part[r] = FREE;
        }
        if (s->part[r] != old) {
            return true;
        }
    }
    return false;
}

// Where each row begins: at the bound that its warm impulse lies at.
static void guess_parts(System *s, const double *lambda) {
    const CairnProblem *problem = s->problem;
    for (int r = 0; r < s->m; r++) {
        s->part[r] = lambda[r] <= problem->lower[r] ? AT_LOWER : lambda[r] >= problem->upper[r] ? AT_UPPER : FREE;
    }
}

static CairnStatus pivot(System *s, double *lambda, CairnSolveReport *report) {
    guess_parts(s, lambda);
    memset(lambda, 0, (size_t)s->m * sizeof(double));
    find_slack(s, lambda, s->b);
    int most = s->bounded == 0 ? 1 : 20000;
    for (int k = 0; k < most; k++) {
        if (!factor(s)) {
            return cairn_error(CAIRN_NUMERIC, "exact: A is not positive definite");
        }
        report->factorizations++;
        report->iterations++;
        solve_free(s, lambda);
        if (!flip_one(s, lambda)) {
            break;
        }
        report->outcome = k + 1 == most && s->bounded > 0 ? CAIRN_AT_LIMIT : CAIRN_CONVERGED;
    }
    find_slack(s, lambda, s->w);
    report->claimed = free_norm(s, s->w);
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
    CairnStatus status = cairn_ok();
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
        memcpy(s.x, lambda, (size_t)s.m * sizeof(double));
        status = pivot(&s, s.x, report);
    }
    if (cairn_is_ok(status)) {
        memcpy(lambda, s.x, (size_t)s.m * sizeof(double));
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
