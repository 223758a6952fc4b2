#include "solvers/cholmod/linalg_cholmod.h"

#include <math.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "solvers/system/formulation.h"

// One thread, as the paper's baseline. OpenBLAS, where it is the BLAS, has this switch.
extern void openblas_set_num_threads(int count) __attribute__((weak));

typedef struct Cholmod {
    const CairnProblem *problem;
    cholmod_common common;
    cholmod_sparse *A; // J P^-1 J^T, the lower triangle, sorted
    cholmod_sparse *F; // the matrix that is factored
    cholmod_factor *L;
    cholmod_dense *b, *x, *Y, *E;
    const int *rows; // row of A -> the problem's
    int *factor_row; // row of A -> of F, -1: held out
    bool *is_in;     // row of A -> not held out
    bool is_once;
} Cholmod;

static CairnStatus no_memory(const CairnProblem *problem) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "cholmod: no memory for %d rows", problem->row_count);
}

static void release(void *state) {
    Cholmod *c = state;
    cholmod_free_sparse(&c->A, &c->common);
    cholmod_free_sparse(&c->F, &c->common);
    cholmod_free_factor(&c->L, &c->common);
    cholmod_free_dense(&c->b, &c->common);
    cholmod_free_dense(&c->x, &c->common);
    cholmod_free_dense(&c->Y, &c->common);
    cholmod_free_dense(&c->E, &c->common);
    cholmod_finish(&c->common);
}

// Column i is L^-1 J_i^T (P = L L^T), so that A without its compliance is this matrix' transpose times itself.
static cholmod_sparse *half(const CairnOps *ops, const CairnGroups *groups, cholmod_common *common) {
    const CairnProblem *problem = ops->problem;
    size_t entries = 0;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        for (int t = group->first_term; t < group->first_term + group->term_count; t++) {
            entries += (size_t)group->row_count * (size_t)problem->blocks[groups->terms[t].block].size;
        }
    }
    cholmod_sparse *Y = cholmod_allocate_sparse((size_t)problem->dof_count, (size_t)groups->row_count, entries, 1, 1, 0,
                                                CHOLMOD_REAL, common);
    if (Y == NULL) {
        return NULL;
    }
    int *start = Y->p, *row = Y->i, next = 0;
    double *value = Y->x;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        for (int i = 0; i < group->row_count; i++) {
            start[group->first_row + i] = next;
            for (int t = group->first_term; t < group->first_term + group->term_count; t++) {
                const CairnGroupTerm *term = &groups->terms[t];
                const CairnDofBlock *block = &problem->blocks[term->block];
                double y[CAIRN_BLOCK_LIMIT];
                memcpy(y, groups->J + term->J + (size_t)i * (size_t)term->stride, (size_t)block->size * sizeof *y);
                cairn_ops_forward(ops, term->block, y);
                for (int k = 0; k < block->size; k++, next++) {
                    row[next] = block->first + k;
                    value[next] = y[k];
                }
            }
        }
    }
    start[groups->row_count] = next;
    return Y;
}

static bool make_matrix(Cholmod *c, const CairnOps *ops, const CairnGroups *groups) {
    cholmod_common *common = &c->common;
    cholmod_sparse *half_A = half(ops, groups, common), *transposed = NULL, *whole = NULL;
    if (half_A != NULL) {
        transposed = cholmod_transpose(half_A, 1, common);
    }
    if (transposed != NULL) {
        whole = cholmod_aat(transposed, NULL, 0, 1, common);
    }
    if (whole != NULL) {
        c->A = cholmod_copy(whole, -1, 1, common);
    }
    cholmod_free_sparse(&half_A, common);
    cholmod_free_sparse(&transposed, common);
    cholmod_free_sparse(&whole, common);
    return c->A != NULL && cholmod_sort(c->A, common);
}

static CairnStatus prepare(const CairnSystem *system, int supernodal, bool is_once, void **state) {
    const CairnProblem *problem = system->problem;
    CairnArena *arena = system->context->arena;
    Cholmod *c = CAIRN_PUSH_ZERO(arena, Cholmod, 1);
    int *factor_row = CAIRN_PUSH(arena, int, problem->row_count + 1);
    bool *is_in = CAIRN_PUSH(arena, bool, problem->row_count + 1);
    if (c == NULL || factor_row == NULL || is_in == NULL) {
        return no_memory(problem);
    }
    *c = (Cholmod){
        .problem = problem, .rows = system->groups->rows, .factor_row = factor_row, .is_in = is_in, .is_once = is_once};
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1);
    }
    cholmod_start(&c->common);
    c->common.print = 0;
    c->common.supernodal = supernodal;
    c->common.final_ll = 1; // L L^T, which reports a pivot that is not positive
    c->common.quick_return_if_not_posdef = 1;
    c->common.nmethods = 1; // one order, minimum degree: trying several costs more than it gives here
    c->common.method[0].ordering = CHOLMOD_AMD;
    size_t m = (size_t)problem->row_count;
    bool is_made = make_matrix(c, &system->ops, system->groups);
    if (is_made) {
        c->F = cholmod_allocate_sparse(m, m, c->A->nzmax + m, 1, 1, -1, CHOLMOD_REAL, &c->common);
        c->b = cholmod_allocate_dense(m, 1, m, CHOLMOD_REAL, &c->common);
    }
    if (!is_made || c->F == NULL || c->b == NULL) {
        release(c);
        return no_memory(problem);
    }
    *state = c;
    return cairn_ok();
}

// The lower triangle of (A + Theta)_FF; under `once` rows held out stay, as the identity's, with zeros where they were
// coupled.
static void fill(Cholmod *c, const double *theta) {
    const int *start = c->A->p, *row = c->A->i;
    const double *value = c->A->x;
    int *to_start = c->F->p, *to_row = c->F->i, m = c->problem->row_count, next = 0, columns = 0;
    double *to = c->F->x;
    for (int k = 0; k < m; k++) {
        c->is_in[k] = !isinf(theta[c->rows[k]]);
        c->factor_row[k] = c->is_in[k] || c->is_once ? columns++ : -1;
    }
    for (int k = 0; k < m; k++) {
        int r = c->rows[k], first = start[k];
        if (c->factor_row[k] < 0) {
            continue;
        }
        bool is_in = c->is_in[k];
        to_start[c->factor_row[k]] = next;
        to_row[next] = c->factor_row[k];
        to[next] = is_in ? c->problem->compliance[r] + theta[r] : 1;
        if (first < start[k + 1] && row[first] == k) {
            to[next] += is_in ? value[first] : 0;
            first++;
        }
        next++;
        for (int e = first; e < start[k + 1]; e++) {
            if (c->factor_row[row[e]] >= 0) {
                to_row[next] = c->factor_row[row[e]];
                to[next++] = is_in && c->is_in[row[e]] ? value[e] : 0;
            }
        }
    }
    to_start[columns] = next;
    c->F->nrow = c->F->ncol = c->b->nrow = (size_t)columns;
}

static CairnStatus factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    Cholmod *c = state;
    if (blocks != NULL) {
        return cairn_error(CAIRN_UNSUPPORTED, "cholmod: does not take the blocks of friction cones");
    }
    fill(c, theta);
    if (c->F->ncol == 0) {
        return cairn_ok();
    }
    if (!c->is_once) {
        cholmod_free_factor(&c->L, &c->common);
    }
    if (c->L == NULL) {
        c->L = cholmod_analyze(c->F, &c->common);
        if (c->L == NULL) {
            return no_memory(c->problem);
        }
    }
    cholmod_factorize(c->F, c->L, &c->common);
    if (c->common.status == CHOLMOD_NOT_POSDEF || (c->common.status >= CHOLMOD_OK && c->L->minor < c->L->n)) {
        return cairn_error(CAIRN_NUMERIC, "cholmod: row %d depends on others to rounding", (int)c->L->minor);
    }
    return c->common.status < CHOLMOD_OK ? no_memory(c->problem) : cairn_ok();
}

static void solve(void *state, double *x) {
    Cholmod *c = state;
    int m = c->problem->row_count;
    double *b = c->b->x;
    for (int k = 0; k < m; k++) {
        if (c->factor_row[k] >= 0) {
            b[c->factor_row[k]] = c->is_in[k] ? x[c->rows[k]] : 0;
        }
    }
    bool is_solved =
        c->F->ncol == 0 || cholmod_solve2(CHOLMOD_A, c->L, c->b, NULL, &c->x, NULL, &c->Y, &c->E, &c->common);
    const double *answer = c->F->ncol > 0 && is_solved ? c->x->x : NULL;
    for (int k = 0; k < m; k++) {
        x[c->rows[k]] = !c->is_in[k] ? 0 : answer != NULL ? answer[c->factor_row[k]] : (double)NAN; // NaN: no memory
    }
}

static double operations(const void *state) {
    return ((const Cholmod *)state)->common.fl;
}

#define KIND(method, symbolic)                                                                                         \
    static CairnStatus prepare_##method##_##symbolic(const CairnSystem *system, void **memory, void **state) {         \
        (void)memory;                                                                                                  \
        return prepare(system, CHOLMOD_##method, CAIRN_CHOLMOD_##symbolic == CAIRN_CHOLMOD_ONCE, state);               \
    }                                                                                                                  \
    static const CairnSystemKind kind_##method##_##symbolic = {.name = "cholmod",                                      \
                                                               .prepare = prepare_##method##_##symbolic,               \
                                                               .factor = factor,                                       \
                                                               .solve = solve,                                         \
                                                               .operations = operations,                               \
                                                               .release = release};
KIND(SIMPLICIAL, EACH)
KIND(SIMPLICIAL, ONCE)
KIND(SUPERNODAL, EACH)
KIND(SUPERNODAL, ONCE)

const CairnSystemKind *cairn_system_cholmod(CairnCholmodMethod method, CairnCholmodSymbolic symbolic) {
    static const CairnSystemKind *const kinds[2][2] = {{&kind_SIMPLICIAL_EACH, &kind_SIMPLICIAL_ONCE},
                                                       {&kind_SUPERNODAL_EACH, &kind_SUPERNODAL_ONCE}};
    return kinds[method][symbolic];
}
