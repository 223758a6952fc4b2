#include "solvers/system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/check.h"
#include "engine/base/log.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/system/formulation.h"

const char *const cairn_formulation_names[] = {"auto", "constraint", "body", "kkt", "dense", NULL};

static const CairnSystemKind *const kinds[CAIRN_FORMULATION_COUNT] = {
    [CAIRN_FORMULATION_CONSTRAINT] = &cairn_system_constraint,
    [CAIRN_FORMULATION_BODY] = &cairn_system_body,
    [CAIRN_FORMULATION_KKT] = &cairn_system_kkt,
    [CAIRN_FORMULATION_DENSE] = &cairn_system_dense,
};

enum {
    SMALL_ROWS = 24, // below this a dense factor costs less than looking for a better one
    LEAN_ROWS = 64   // most rows of one block that constraint space is given
};

static bool takes(const CairnSystemKind *kind, const CairnProblem *problem) {
    return kind->takes != NULL ? kind->takes(problem) : problem->form == CAIRN_FORM_DYNAMICS;
}

static bool can_take(CairnFormulation formulation, const CairnProblem *problem) {
    return kinds[formulation] != NULL && takes(kinds[formulation], problem);
}

static bool has_cones(const CairnProblem *problem) {
    for (int f = 0; f < problem->friction_count; f++) {
        if (cairn_takes_block(&problem->frictions[f])) {
            return true;
        }
    }
    return false;
}

// Constraint space wins where rows are fewer than dofs (mechanisms, chains): its matrix is smaller and needs less
// refinement. But all rows of a block are coupled there, so one that many rows touch makes it dense: then, and under
// contacts, body space; with cones too, whose blocks of Theta body space holds to more digits.
static bool is_lean(const CairnProblem *problem, CairnArena *arena) {
    if (problem->row_count > problem->dof_count || has_cones(problem)) {
        return false;
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *rows = CAIRN_PUSH_ZERO(arena, int, problem->block_count + 1);
    bool is_few = rows != NULL; // where there is no memory, prepare will report it
    for (int c = 0; c < problem->constraint_count && is_few; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            int *count = &rows[problem->terms[constraint->first_term + t].block];
            *count += constraint->row_count;
            is_few = is_few && *count <= LEAN_ROWS;
        }
    }
    cairn_arena_release(arena, mark);
    return is_few;
}

// Body space adds J^T J / C to P: where a row's J P^-1 J^T is 1/epsilon times its C, P is lost to rounding. The
// quasi-definite system has both as separate entries.
static bool is_stiff(const CairnSystem *system) {
    const double most = 0.1 / DBL_EPSILON;
    for (int i = 0; i < system->problem->row_count; i++) {
        double c = system->problem->compliance[i];
        if (c > 0 && system->D[i] > most * c) {
            return true;
        }
    }
    return false;
}

static CairnFormulation choose(const CairnSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    if (system->stage != NULL) {
        return is_stiff(system) ? CAIRN_FORMULATION_KKT : CAIRN_FORMULATION_BODY;
    }
    if (problem->row_count <= SMALL_ROWS || !can_take(CAIRN_FORMULATION_BODY, problem)) {
        return CAIRN_FORMULATION_DENSE;
    }
    if (is_lean(problem, arena)) {
        return CAIRN_FORMULATION_CONSTRAINT;
    }
    return is_stiff(system) && can_take(CAIRN_FORMULATION_KKT, problem) ? CAIRN_FORMULATION_KKT
                                                                        : CAIRN_FORMULATION_BODY;
}

void cairn_system_forget(void *memory, const CairnAllocator *allocator) {
    CairnSystemMemory *kept = memory;
    for (int i = 0; i < CAIRN_FORMULATION_COUNT; i++) {
        if (kept->slots[i] != NULL && kinds[i] != NULL) {
            kinds[i]->forget(kept->slots[i], allocator);
        }
    }
    cairn_memory_release(allocator, kept, 1, sizeof *kept);
}

// The formulation's slot in the solver's memory between solves. Where it cannot be allocated nothing is stored, which
// only costs time.
static void **slot_of(CairnSolverContext *context, CairnFormulation formulation) {
    if (context->memory == NULL || context->allocator == NULL || kinds[formulation]->forget == NULL) {
        return NULL;
    }
    if (*context->memory == NULL) {
        *context->memory = cairn_memory_allocate_zero(context->allocator, 1, sizeof(CairnSystemMemory));
    }
    CairnSystemMemory *kept = *context->memory;
    return kept != NULL ? &kept->slots[formulation] : NULL;
}

// Of a positive semidefinite W a row is empty where its diagonal is 0; others have to be looked at.
static bool is_empty_row(const CairnProblem *problem, int i) {
    bool is_empty = true;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            is_empty = is_empty && problem->W[k] == 0;
        }
    }
    return is_empty;
}

// Where the factor is not in stages blocks are not assigned to threads, and each product moves its vectors from one
// cache to the other.
static int threads_for(const CairnSystem *system) {
    enum { WORTHWHILE = 200000 }; // doubles of J
    bool is_divided = system->stage != NULL || system->groups->J_size >= WORTHWHILE;
    return is_divided ? system->context->thread_count : 1;
}

static CairnStatus pack_jacobians(CairnSystem *system, CairnArena *arena) {
    system->groups = CAIRN_PUSH(arena, CairnGroups, 1);
    if (system->groups == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "system: no memory for groups of rows");
    }
    CAIRN_TRY(cairn_groups_init(system->groups, system->problem, arena));
    CAIRN_TRY(cairn_groups_divide(system->groups, system->problem->block_count, threads_for(system), arena));
    system->slotted = CAIRN_PUSH(arena, double, system->groups->slotted + 1);
    if (system->slotted == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "system: no memory for %d dofs", system->problem->dof_count);
    }
    return cairn_ok();
}

// Arrays by rows and dofs.
static CairnStatus allocate(CairnSystem *system, CairnArena *arena) {
    int m = system->problem->row_count;
    double **arrays[] = {&system->D, &system->theta, &system->factored, &system->r, &system->z};
    size_t count = system->lends ? 1 : sizeof arrays / sizeof *arrays;
    for (size_t i = 0; i < count; i++) {
        *arrays[i] = CAIRN_PUSH(arena, double, m + 1);
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "system: no memory for %d rows", m);
        }
    }
    system->is_dead = CAIRN_PUSH_ZERO(arena, bool, m + 1);
    system->v = CAIRN_PUSH(arena, double, system->problem->dof_count + 1);
    if (!system->lends) {
        system->product = CAIRN_PUSH_ZERO(arena, double, (m + 8) & ~7); // these go by eights
        system->next_product = CAIRN_PUSH_ZERO(arena, double, (m + 8) & ~7);
    }
    if (!system->is_dead || !system->v || (!system->lends && (!system->product || !system->next_product))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "system: no memory for %d rows", m);
    }
    return cairn_ok();
}

// The problem's products and the diagonal of A.
static CairnStatus read_problem(CairnSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    CAIRN_TRY(cairn_ops_init(&system->ops, problem, arena));
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        CAIRN_TRY(pack_jacobians(system, arena));
    }
    cairn_ops_diagonal(&system->ops, system->D);
    for (int i = 0; i < problem->row_count; i++) {
        system->is_dead[i] = system->D[i] == 0 && is_empty_row(problem, i);
        system->D[i] = system->D[i] == 0 ? 1 : fabs(system->D[i]);
    }
    return cairn_ok();
}

// read_problem for some rows of another system.
static CairnStatus take_rows(CairnSystem *system, const CairnSystem *of, const int *row, CairnArena *arena) {
    system->ops = of->ops;
    system->ops.problem = system->problem;
    CAIRN_TRY(pack_jacobians(system, arena));
    for (int i = 0; i < system->problem->row_count; i++) {
        system->D[i] = of->D[row[i]];
        system->is_dead[i] = of->is_dead[row[i]];
    }
    return cairn_ok();
}

// The setup's kind or formulation, held against the problem.
static CairnStatus choose_kind(CairnSystem *system, const CairnSystemSetup *setup) {
    const CairnProblem *problem = system->problem;
    CairnFormulation formulation = setup->formulation;
    bool is_unsymmetric = problem->form == CAIRN_FORM_EXPLICIT && !problem->W_is_symmetric;
    bool is_full = formulation == CAIRN_FORMULATION_AUTO || formulation == CAIRN_FORMULATION_DENSE;
    const CairnSystemKind *kind = setup->kind == NULL && is_unsymmetric && is_full ? &cairn_system_lu : setup->kind;
    if (kind == NULL) {
        formulation = formulation == CAIRN_FORMULATION_AUTO ? choose(system, system->context->arena) : formulation;
        kind = kinds[formulation];
        system->formulation = formulation;
    }
    if (!takes(kind, problem)) {
        return cairn_error(CAIRN_UNSUPPORTED, "formulation %s does not take this problem (form %d, %d rows)",
                           kind->name, (int)problem->form + 1, problem->row_count);
    }
    system->kind = kind;
    return cairn_ok();
}

CairnStatus cairn_system_init(CairnSystem *system, const CairnProblem *problem, const CairnSystemSetup *setup,
                              CairnSolverContext *context) {
    *system = (CairnSystem){.problem = problem,
                            .context = context,
                            .lends = setup->lends,
                            .is_last = setup->is_last,
                            .stage = setup->stage};
    CAIRN_TRY(allocate(system, context->arena));
    CAIRN_TRY(setup->of != NULL ? take_rows(system, setup->of, setup->row, context->arena)
                                : read_problem(system, context->arena));
    CAIRN_TRY(choose_kind(system, setup));
    if (system->kind->prepare == NULL) {
        system->state = setup->state;
        return cairn_ok();
    }
    void **slot = system->formulation != CAIRN_FORMULATION_AUTO ? slot_of(context, system->formulation) : NULL;
    return system->kind->prepare(system, slot, &system->state);
}

void cairn_system_release(CairnSystem *system) {
    if (system->state != NULL && system->kind->release != NULL) {
        system->kind->release(system->state);
    }
    system->state = NULL;
}

void cairn_system_log_regularised(const CairnSystem *system, const char *name) {
    if (system->raised > 0) {
        cairn_log(
            system->context->logger, CAIRN_LOG_WARNING,
            "%s: the equations are singular (rows depend on one another and C = 0?); %g of diag(A) was added to factor "
            "them and refined away",
            name, system->raised);
    }
}

double cairn_theta_entry(const CairnThetaBlock *block, int i, int j) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += block->weight[k] * block->axis[k][i] * block->axis[k][j];
    }
    return sum;
}

CairnStatus cairn_system_factor(CairnSystem *system, const double *theta, const CairnThetaBlock *blocks) {
    static const double first = 1e-14, last = 1e-6;
    int m = system->problem->row_count;
    memcpy(system->theta, theta, (size_t)m * sizeof *theta);
    CAIRN_ASSERT(!system->lends);
    system->blocks = blocks;
    for (;;) {
        for (int i = 0; i < m; i++) {
            system->factored[i] = theta[i] + system->raised * system->D[i];
        }
        system->factorizations++;
        double t0 = cairn_timer_now();
        CairnStatus status = system->kind->factor(system->state, system->factored, blocks);
        system->factor_seconds += cairn_timer_now() - t0;
        if (status.code != CAIRN_NUMERIC || system->raised >= last) {
            return status;
        }
        system->raised = system->raised > 0 ? 100 * system->raised : first;
        cairn_log(system->context->logger, CAIRN_LOG_DEBUG,
                  "system: singular to rounding, regularised by %g of diag(A)", system->raised);
    }
}

// y = A x, matrix-free.
static void multiply(CairnSystem *system, const double *x, double *y) {
    const CairnProblem *problem = system->problem;
    int m = problem->row_count;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int i = 0; i < m; i++) {
            y[i] = 0;
            for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
                y[i] += problem->W[k] * x[problem->W_column[k]];
            }
        }
        return;
    }
    if (system->kind->effect != NULL) {
        system->kind->effect(system->state, x, y);
    } else {
        cairn_groups_effect(system->groups, &system->ops, NULL, x, system->slotted, y);
    }
    for (int i = 0; i < m; i++) {
        y[i] += problem->compliance[i] * x[i];
    }
}

void cairn_system_slack(CairnSystem *system, const double *x, double *w) {
    const CairnProblem *problem = system->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        cairn_ops_slack(&system->ops, x, system->v, w);
        return;
    }
    double t0 = cairn_timer_now();
    if (system->kind->effect != NULL) {
        multiply(system, x, w);
        for (int i = 0; i < problem->row_count; i++) {
            w[i] += system->base[i];
        }
        system->apply_seconds += cairn_timer_now() - t0;
        return;
    }
    cairn_groups_effect(system->groups, &system->ops, problem->p, x, system->slotted, w);
    for (int i = 0; i < problem->row_count; i++) {
        w[i] += problem->compliance[i] * x[i] + problem->right_side[i];
    }
    system->apply_seconds += cairn_timer_now() - t0;
}

// r -= Theta x of the friction cones. x = 0 where held out.
static void subtract_theta_blocks(CairnSystem *system, const double *x, double *r) {
    const CairnProblem *problem = system->problem;
    for (int f = 0; f < problem->friction_count && system->blocks; f++) {
        const CairnThetaBlock *block = &system->blocks[f];
        int n = problem->frictions[f].normal;
        for (int k = 0; k < 3 && cairn_takes_block(&problem->frictions[f]); k++) {
            const double *axis = block->axis[k];
            double along = block->weight[k] * (axis[0] * x[n] + axis[1] * x[n + 1] + axis[2] * x[n + 2]);
            for (int i = 0; i < 3; i++) {
                r[n + i] -= along * axis[i];
            }
        }
    }
}

// Ax = A x, and r = y - (A + Theta) x where rows are in use, 0 elsewhere; its largest entry.
static double find_residual(CairnSystem *system, const double *y, const double *x, double *Ax) {
    double largest = 0;
    int m = system->problem->row_count;
    multiply(system, x, Ax);
    for (int i = 0; i < m; i++) {
        system->r[i] = isinf(system->theta[i]) ? 0 : y[i] - Ax[i] - system->theta[i] * x[i];
    }
    subtract_theta_blocks(system, x, system->r);
    for (int i = 0; i < m; i++) {
        if (isinf(system->theta[i])) {
            system->r[i] = 0;
        }
        double size = fabs(system->r[i]);
        largest = cairn_ops_larger(largest, system->weight != NULL ? system->weight[i] * size : size);
    }
    return largest;
}

// Take the cache lines of a vector that threads have read (cairn_claim).
static void claim(const CairnSystem *system, const double *x) {
    if (system->groups != NULL) {
        cairn_groups_claim(system->groups, x);
    }
}

void cairn_system_apply(CairnSystem *system, const double *y, double *x) {
    double t0 = cairn_timer_now();
    claim(system, x);
    for (int i = 0; i < system->problem->row_count; i++) {
        x[i] = isinf(system->theta[i]) ? 0 : y[i];
    }
    system->kind->solve(system->state, x);
    system->apply_seconds += cairn_timer_now() - t0;
}

double cairn_system_solve(CairnSystem *system, const double *y, double limit, int most, double *x) {
    cairn_system_apply(system, y, x);
    return cairn_system_refine(system, y, limit, most, x);
}

static double refine(CairnSystem *system, const double *y, double limit, int most, double *x) {
    int m = system->problem->row_count;
    double residual = find_residual(system, y, x, system->product);
    for (int k = 0; k < most && residual > limit; k++) {
        claim(system, system->z);
        memcpy(system->z, system->r, (size_t)m * sizeof *system->r);
        system->kind->solve(system->state, system->z);
        for (int i = 0; i < m; i++) {
            system->z[i] += x[i]; // x stays until the better one is known to be better
        }
        double next = find_residual(system, y, system->z, system->next_product);
        system->refinements++;
        if (!(next < residual)) {
            break;
        }
        memcpy(x, system->z, (size_t)m * sizeof *x);
        double *product = system->product;
        system->product = system->next_product;
        system->next_product = product;
        bool is_slow = next > 0.5 * residual && system->raised == 0; // regularised systems converge slowly, but they do
        residual = next;
        if (is_slow) {
            break;
        }
    }
    return residual;
}

double cairn_system_refine(CairnSystem *system, const double *y, double limit, int most, double *x) {
    double t0 = cairn_timer_now(), residual = refine(system, y, limit, most, x);
    system->apply_seconds += cairn_timer_now() - t0;
    return residual;
}
