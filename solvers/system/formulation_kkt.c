// Quasi-definite KKT: [P J^T; J -S]. Nodes are dof blocks and groups of constraints; a group is eliminated after one of
// its blocks, so that its pivots are S + J_a P_a^-1 J_a^T and not S alone, which a stiff row makes tiny.
#include <math.h>
#include <string.h>

#include "solvers/system/formulation.h"

typedef struct Kkt {
    const CairnProblem *problem;
    CairnGroups groups;
    CairnLinalgFactor factor;
    const double *theta; // during factor
    const CairnThetaBlock *blocks;
    const double *D;      // diag(A)
    double *scale, *x;    // dofs, then rows group by group
    int *term, *group_of; // element -> term, group
    bool *is_out;         // by the problem's rows
} Kkt;

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    const Kkt *kkt = user;
    const CairnProblem *problem = kkt->problem;
    if (node < problem->block_count) {
        cairn_formulation_add_block(problem, node, front, row);
        return;
    }
    const CairnGroup *group = &kkt->groups.groups[node - problem->block_count];
    const int *rows = kkt->groups.rows + group->first_row;
    for (int i = 0; i < group->row_count; i++) {
        int r = rows[i];
        *cairn_linalg_diagonal(front, row + i) -= kkt->is_out[r] ? 1 : problem->compliance[r] + kkt->theta[r];
        int f = kkt->groups.friction[group->first_row + i];
        if (f >= 0 && kkt->blocks) {
            cairn_formulation_add_theta(kkt->theta + r, &kkt->blocks[f], -1, front, row + i);
        }
    }
}

static void add_element(void *user, int element, const CairnLinalgFront *front, const int *at) {
    const Kkt *kkt = user;
    const CairnGroup *group = &kkt->groups.groups[kkt->group_of[element]];
    const CairnGroupTerm *term = &kkt->groups.terms[kkt->term[element]];
    const int *rows = kkt->groups.rows + group->first_row;
    const double *J = kkt->groups.J + term->J;
    int size = kkt->problem->blocks[term->block].size;
    if (at[1] > at[0]) { // the block is eliminated first: J is added to its columns
        for (int k = 0; k < size; k++) {
            double *column = cairn_linalg_diagonal(front, at[0] + k) + (at[1] - at[0] - k);
            for (int i = 0; i < group->row_count; i++) {
                column[i] += kkt->is_out[rows[i]] ? 0 : J[i * term->stride + k];
            }
        }
        return;
    }
    for (int i = 0; i < group->row_count; i++) {
        double *column = cairn_linalg_diagonal(front, at[1] + i) + (at[0] - at[1] - i);
        for (int k = 0; k < size && !kkt->is_out[rows[i]]; k++) {
            column[k] += J[i * term->stride + k];
        }
    }
}

static CairnStatus make_graph(Kkt *kkt, CairnArena *arena, CairnLinalgGraph *graph) {
    const CairnProblem *problem = kkt->problem;
    const CairnGroups *groups = &kkt->groups;
    int limit = problem->block_count + groups->group_count;
    int *size = CAIRN_PUSH(arena, int, limit + 1), *start = CAIRN_PUSH(arena, int, groups->term_count + 2);
    int *node = CAIRN_PUSH(arena, int, 2 * groups->term_count + 1);
    bool *is_held = CAIRN_PUSH_ZERO(arena, bool, limit + 1);
    kkt->term = CAIRN_PUSH(arena, int, groups->term_count + 1);
    kkt->group_of = CAIRN_PUSH(arena, int, groups->term_count + 1);
    if (!size || !start || !node || !is_held || !kkt->term || !kkt->group_of) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation kkt: no memory for a graph of %d nodes", limit);
    }
    for (int i = 0; i < problem->block_count; i++) {
        size[i] = problem->blocks[i].size;
    }
    int elements = 0;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        size[problem->block_count + g] = group->row_count;
        is_held[problem->block_count + g] = true;
        for (int t = group->first_term; t < group->first_term + group->term_count; t++) {
            kkt->term[elements] = t;
            kkt->group_of[elements] = g;
            start[elements] = 2 * elements;
            node[2 * elements] = groups->terms[t].block;
            node[2 * elements + 1] = problem->block_count + g;
            elements++;
        }
    }
    start[elements] = 2 * elements;
    *graph = (CairnLinalgGraph){limit, elements, size, start, node, is_held, NULL, NULL};
    return cairn_ok();
}

static CairnStatus prepare(const CairnSystem *system, void **memory, void **state) {
    CairnSolverContext *context = system->context;
    CairnArena *arena = context->arena;
    const CairnProblem *problem = system->problem;
    int n = problem->dof_count + problem->row_count;
    Kkt *kkt = CAIRN_PUSH_ZERO(arena, Kkt, 1);
    double *D = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!kkt || !D) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation kkt: no memory for %d rows", problem->row_count);
    }
    kkt->problem = problem;
    cairn_ops_diagonal(&system->ops, D);
    kkt->D = D;
    kkt->groups = *system->groups;
    CairnLinalgGraph graph;
    CAIRN_TRY(make_graph(kkt, arena, &graph));
    const CairnLinalgPlan *plan;
    CAIRN_TRY(cairn_formulation_plan(&graph, context, memory, &plan));
    CAIRN_TRY(cairn_linalg_factor_init(&kkt->factor, plan, context->thread_count, arena));
    kkt->scale = CAIRN_PUSH(arena, double, n + 1);
    kkt->x = CAIRN_PUSH(arena, double, n + 1);
    kkt->is_out = CAIRN_PUSH(arena, bool, problem->row_count + 1);
    if (!kkt->scale || !kkt->x || !kkt->is_out) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation kkt: no memory for %d rows", problem->row_count);
    }
    *state = kkt;
    return cairn_ok();
}

static CairnStatus factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    Kkt *kkt = state;
    const CairnProblem *problem = kkt->problem;
    kkt->theta = theta;
    kkt->blocks = blocks;
    for (int r = 0; r < problem->row_count; r++) {
        kkt->is_out[r] = isinf(theta[r]);
    }
    for (int i = 0; i < problem->block_count; i++) {
        int size = problem->blocks[i].size;
        for (int k = 0; k < size; k++) {
            kkt->scale[problem->blocks[i].first + k] = problem->P[problem->blocks[i].matrix + k * (size + 1)];
        }
    }
    for (int k = 0; k < kkt->groups.row_count; k++) {
        int r = kkt->groups.rows[k];
        kkt->scale[problem->dof_count + k] = kkt->is_out[r] ? -1 : -(kkt->D[r] + theta[r]);
    }
    cairn_formulation_scale_theta(&kkt->groups, theta, blocks, -1, kkt->scale + problem->dof_count);
    CairnLinalgSource source = {kkt, add_node, add_element, kkt->scale, NULL};
    int bad = cairn_linalg_factor(&kkt->factor, &source);
    kkt->theta = NULL;
    kkt->blocks = NULL;
    if (bad >= problem->dof_count) {
        return cairn_error(CAIRN_NUMERIC, "formulation kkt: row %d depends on others to rounding",
                           kkt->groups.rows[bad - problem->dof_count]);
    }
    if (bad >= 0) {
        return cairn_error(CAIRN_NUMERIC, "formulation kkt: the matrix is singular to rounding at dof %d", bad);
    }
    return cairn_ok();
}

static void solve(void *state, double *x) {
    Kkt *kkt = state;
    int dofs = kkt->problem->dof_count;
    memset(kkt->x, 0, (size_t)dofs * sizeof *kkt->x);
    for (int k = 0; k < kkt->groups.row_count; k++) {
        int r = kkt->groups.rows[k];
        kkt->x[dofs + k] = kkt->is_out[r] ? 0 : x[r];
    }
    cairn_linalg_solve(&kkt->factor, kkt->x);
    for (int k = 0; k < kkt->groups.row_count; k++) {
        int r = kkt->groups.rows[k];
        x[r] = kkt->is_out[r] ? 0 : -kkt->x[dofs + k];
    }
}

static double operations(const void *state) {
    return ((const Kkt *)state)->factor.plan->operations;
}

const CairnSystemKind cairn_system_kkt = {.name = "kkt",
                                          .prepare = prepare,
                                          .factor = factor,
                                          .solve = solve,
                                          .forget = cairn_formulation_forget,
                                          .operations = operations};
