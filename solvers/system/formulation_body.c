// Body space: K = P + J^T (C + Theta)^-1 J. Nodes are dof blocks, elements are groups of constraints.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/check.h"
#include "solvers/linalg/linalg_kernels.h"
#include "solvers/system/formulation.h"

enum { WIDTH = CAIRN_LINALG_WIDTH, CHUNK = 64 };

typedef struct Body {
    const CairnProblem *problem;
    const int *offset; // of the factors of P: which blocks are rigid bodies' (problem_ops.h)
    CairnGroups groups;
    CairnLinalgFactor factor;
    double *weight;   // 1/(C + theta) by the problem's rows; 0: held out
    double *negative; // -weight, group by group
    double *scale, *slotted;
    const double *plain; // J as it is; groups.J is the turned one
    CairnTurn *turns;    // by friction groups; NULL: none takes a block
    bool is_turned;
    int *element; // element -> group
    // With stages: the weights of the last factor, and which elements have changed since.
    double *last;
    bool *has_changed;
    double *fixed; // the diagonal without the groups that follow; NULL: cairn_body_space_follow was not called yet
    int thread_count;
} Body;

static void sum_diagonal_of(Body *body, int block);

static void add_block(const Body *body, int node, const CairnLinalgFront *front, int row) {
    if (body->offset[node] < 0) {
        cairn_formulation_add_rigid(body->problem->P + body->problem->blocks[node].matrix, front, row);
    } else {
        cairn_formulation_add_block(body->problem, node, front, row);
    }
}

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    Body *body = user;
    add_block(body, node, front, row);
    if (body->groups.block_start != NULL) {
        sum_diagonal_of(body, node); // each thread those of its fronts
    }
}

// add_node where the diagonal is known beforehand.
static void add_plain_node(void *user, int node, const CairnLinalgFront *front, int row) {
    add_block(user, node, front, row);
}

// The block J_a^T S^-1 J_b of a group, added at the front's rows row_a and columns row_b.
static void add_product(const CairnGroups *groups, const CairnGroup *group, const double *negative,
                        const CairnGroupTerm *a, const CairnGroupTerm *b, int size_a, int size_b,
                        const CairnLinalgFront *front, int row_a, int row_b) {
    _Alignas(64) double C[CAIRN_BLOCK_LIMIT * WIDTH], packed[CHUNK * WIDTH];
    const double *A = groups->J + a->J, *B = groups->J + b->J;
    // A node's columns lie all in the panel or all in the update matrix.
    size_t column_stride = (size_t)(row_b < front->below_at ? front->rows : front->update_rows);
    for (int j = 0; j < size_b; j += WIDTH) {
        int columns = size_b - j < WIDTH ? size_b - j : WIDTH;
        for (int k = 0; k < group->row_count; k += CHUNK) {
            int depth = group->row_count - k < CHUNK ? group->row_count - k : CHUNK;
            size_t at = (size_t)k;
            cairn_linalg_pack(columns, depth, B + at * (size_t)b->stride + j, b->stride, negative + k, packed);
            (k == 0 ? cairn_linalg_multiply : cairn_linalg_update)(
                a->stride, columns, depth, A + at * (size_t)a->stride, a->stride, packed, C, a->stride);
        }
        double *to = cairn_linalg_diagonal(front, row_b) + (row_a - row_b) + (size_t)j * column_stride;
        const double *from = C;
        for (int c = 0; c < columns; c++, to += column_stride, from += a->stride) {
            // Entries above the diagonal of the node's diagonal block are never read.
            if (size_a == 6) {
                for (int i = 0; i < 6; i++) {
                    to[i] += from[i];
                }
            } else {
                for (int i = 0; i < size_a; i++) {
                    to[i] += from[i];
                }
            }
        }
    }
}

static bool has_six_dofs(const Body *body, const CairnGroupTerm *term) {
    return body->problem->blocks[term->block].size == 6;
}

static void add_element(void *user, int element, const CairnLinalgFront *front, const int *rows) {
    const Body *body = user;
    if (body->element[element] < 0) {
        return;
    }
    const CairnGroup *group = &body->groups.groups[body->element[element]];
    const CairnGroupTerm *terms = body->groups.terms + group->first_term;
    const double *negative = body->negative + group->first_row;
    if (group->row_count <= 0) {
        return;
    }
    if (group->term_count == 2 && has_six_dofs(body, &terms[0]) && has_six_dofs(body, &terms[1])) {
        int late = rows[1] > rows[0];
        cairn_formulation_add_pair(body->groups.J + terms[late].J, body->groups.J + terms[!late].J, negative,
                                   group->row_count, front, rows[late], rows[!late]);
        return;
    }
    if (group->term_count == 1 && has_six_dofs(body, &terms[0]) && group->row_count <= CHUNK) {
        cairn_formulation_add_single(body->groups.J + terms[0].J, negative, group->row_count, front, rows[0]);
        return;
    }
    for (int b = 0; b < group->term_count; b++) {
        for (int a = 0; a < group->term_count; a++) {
            if (rows[a] >= rows[b]) {
                add_product(&body->groups, group, negative, &terms[a], &terms[b],
                            body->problem->blocks[terms[a].block].size, body->problem->blocks[terms[b].block].size,
                            front, rows[a], rows[b]);
            }
        }
    }
}

// One element more couples the blocks that go last.
static CairnStatus make_graph(Body *body, const CairnSystem *system, CairnLinalgGraph *graph) {
    CairnArena *arena = system->context->arena;
    const bool *is_last = system->is_last;
    const CairnProblem *problem = body->problem;
    const CairnGroups *groups = &body->groups;
    int *size = CAIRN_PUSH(arena, int, problem->block_count + 1);
    int *start = CAIRN_PUSH(arena, int, groups->group_count + 2),
        *node = CAIRN_PUSH(arena, int, groups->term_count + problem->block_count + 1);
    body->element = CAIRN_PUSH(arena, int, groups->group_count + 1);
    if (!size || !start || !node || !body->element) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for a graph of %d blocks",
                           problem->block_count);
    }
    for (int i = 0; i < problem->block_count; i++) {
        size[i] = problem->blocks[i].size;
    }
    int elements = 0, next = 0;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        if (group->term_count == 0) {
            continue;
        }
        body->element[elements] = g;
        start[elements++] = next;
        for (int t = 0; t < group->term_count; t++) {
            node[next++] = groups->terms[group->first_term + t].block;
        }
    }
    body->element[elements] = -1;
    start[elements++] = next;
    for (int i = 0; i < problem->block_count && is_last; i++) {
        if (is_last[i]) {
            node[next++] = i;
        }
    }
    elements -= next == start[elements - 1];
    start[elements] = next;
    *graph = (CairnLinalgGraph){problem->block_count, elements, size, start, node, NULL, is_last, system->stage};
    return cairn_ok();
}

static CairnStatus make_turns(Body *body, CairnArena *arena) {
    const CairnProblem *problem = body->problem;
    bool has_blocks = false;
    for (int f = 0; f < problem->friction_count; f++) {
        has_blocks = has_blocks || cairn_takes_block(&problem->frictions[f]);
    }
    if (!has_blocks) {
        return cairn_ok();
    }
    body->plain = body->groups.J; // other systems may use it, too
    body->groups.J = CAIRN_PUSH(arena, double, body->groups.J_size);
    body->turns = CAIRN_PUSH(arena, CairnTurn, problem->friction_count);
    if (!body->groups.J || !body->turns) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for %d friction groups",
                           problem->friction_count);
    }
    memcpy(body->groups.J, body->plain, body->groups.J_size * sizeof *body->plain);
    return cairn_ok();
}

// Blocks belong to the thread that factors and solves with them; those of the trunk are divided evenly.
static CairnStatus assign_blocks(Body *body, CairnArena *arena) {
    const CairnLinalgFactor *factor = &body->factor;
    const CairnLinalgPlan *plan = factor->plan;
    int threads = factor->thread_count;
    if (body->groups.block_start == NULL || plan->task_count == 0) {
        return cairn_ok();
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *owner = CAIRN_PUSH(arena, int, plan->node_count + 1);
    if (owner == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for %d blocks", plan->node_count);
    }
    for (int i = 0; i < plan->node_count; i++) {
        owner[plan->node_order[i]] = (int)((int64_t)i * threads / plan->node_count);
    }
    for (int thread = 0; thread < threads; thread++) {
        for (int t = factor->first_task[thread]; t < factor->first_task[thread + 1]; t++) {
            const CairnLinalgSupernode *first = &plan->supernodes[plan->tasks[t].first],
                                       *last = &plan->supernodes[plan->tasks[t].end - 1];
            for (int i = first->first_node; i < last->first_node + last->node_count; i++) {
                owner[plan->node_order[i]] = thread;
            }
        }
    }
    cairn_groups_assign(&body->groups, owner);
    cairn_arena_release(arena, mark);
    return cairn_ok();
}

static CairnStatus make_factor(Body *body, const CairnLinalgPlan *plan, CairnSolverContext *context) {
    CAIRN_TRY(cairn_linalg_factor_init(&body->factor, plan, context->thread_count, context->arena));
    return assign_blocks(body, context->arena);
}

// The arrays beside the factor.
static CairnStatus make_arrays(Body *body, bool has_stages, CairnArena *arena) {
    const CairnProblem *problem = body->problem;
    body->weight = CAIRN_PUSH(arena, double, problem->row_count + 1);
    body->negative = CAIRN_PUSH(arena, double, problem->row_count + 1);
    body->slotted = CAIRN_PUSH(arena, double, body->groups.slotted + 1);
    body->scale = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    if (!body->weight || !body->negative || !body->slotted || !body->scale) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for %d rows", problem->row_count);
    }
    if (has_stages) {
        body->last = CAIRN_PUSH_ZERO(arena, double, problem->row_count + 1);
        body->has_changed = CAIRN_PUSH(arena, bool, body->groups.group_count + 2);
        if (!body->last || !body->has_changed) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for %d rows", problem->row_count);
        }
    }
    return cairn_ok();
}

static CairnStatus prepare(const CairnSystem *system, void **memory, void **state) {
    CairnSolverContext *context = system->context;
    CairnArena *arena = context->arena;
    Body *body = CAIRN_PUSH_ZERO(arena, Body, 1);
    if (!body) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory");
    }
    body->problem = system->problem;
    body->offset = system->ops.offset;
    body->groups = *system->groups;
    CairnLinalgGraph graph;
    CAIRN_TRY(make_graph(body, system, &graph));
    const CairnLinalgPlan *plan;
    CAIRN_TRY(cairn_formulation_plan(&graph, context, memory, &plan));
    CAIRN_TRY(make_factor(body, plan, context));
    *state = body;
    if (system->lends) {
        return cairn_ok();
    }
    CAIRN_TRY(make_arrays(body, system->stage != NULL, arena));
    return make_turns(body, arena);
}

// Turn the Jacobians of all contacts with a block, from the plain ones.
static CairnStatus turn_contacts(Body *body, const double *theta, const CairnThetaBlock *blocks) {
    const CairnProblem *problem = body->problem;
    const CairnGroups *groups = &body->groups;
    if (body->turns == NULL) {
        return cairn_ok();
    }
    if (blocks == NULL) {
        if (body->is_turned) {
            memcpy(groups->J, body->plain, groups->J_size * sizeof *groups->J);
        }
        body->is_turned = false;
        return cairn_ok();
    }
    body->is_turned = true;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        for (int i = 0; i < group->row_count; i++) {
            int f = groups->friction[group->first_row + i];
            if (f < 0) {
                continue;
            }
            int n = problem->frictions[f].normal;
            double give[3];
            for (int k = 0; k < 3; k++) {
                give[k] = problem->compliance[n + k] + theta[n + k];
            }
            if (!cairn_turn_make(give, &blocks[f], &body->turns[f])) {
                return cairn_error(CAIRN_NUMERIC, "formulation body: friction group %d has no compliance", f);
            }
            for (int k = 0; k < 3; k++) {
                body->weight[n + k] = body->turns[f].weight[k];
            }
            for (int t = group->first_term; t < group->first_term + group->term_count; t++) {
                size_t at = groups->terms[t].J + (size_t)i * (size_t)groups->terms[t].stride;
                cairn_turn_forward(&body->turns[f], groups->terms[t].stride, body->plain + at, groups->J + at);
            }
        }
    }
    return cairn_ok();
}

static CairnDiagonal diagonal_of(Body *body) {
    return (CairnDiagonal){body->problem, &body->groups, body->negative, body->factor.plan->node_first, body->scale};
}

// The sums of sum_diagonal, block by block.
static void sum_diagonal_of(Body *body, int block) {
    const CairnGroups *groups = &body->groups;
    CairnDiagonal diagonal = diagonal_of(body);
    cairn_diagonal_begin(&diagonal, block);
    for (int k = groups->block_start[block]; k < groups->block_start[block + 1]; k++) {
        int t = groups->block_term[k];
        cairn_diagonal_add_term(&diagonal, &groups->groups[groups->term_group[t]], &groups->terms[t]);
    }
}

// The diagonal of K, by nodes (blocks one after the other, as the plan numbers them).
static void sum_diagonal(Body *body) {
    if (body->groups.block_start != NULL) {
        return; // each node sums its diagonal
    }
    CairnDiagonal diagonal = diagonal_of(body);
    for (int b = 0; b < body->problem->block_count; b++) {
        cairn_diagonal_begin(&diagonal, b);
    }
    for (int g = 0; g < body->groups.group_count; g++) {
        cairn_diagonal_add(&diagonal, g);
    }
}

// 1/S of rows without a block.
static CairnStatus weigh_rows(Body *body, const double *theta, const CairnThetaBlock *blocks) {
    const CairnProblem *problem = body->problem;
    cairn_groups_claim(&body->groups, body->weight);
    if (body->turns == NULL) {
        return cairn_formulation_weigh(problem, &body->groups, theta, body->weight);
    }
    for (int r = 0; r < problem->row_count; r++) {
        body->weight[r] = 0;
    }
    CAIRN_TRY(turn_contacts(body, theta, blocks));
    int turned = 0; // remaining rows of a contact with a block
    for (int k = 0; k < body->groups.row_count; k++) {
        int r = body->groups.rows[k];
        turned = blocks && body->groups.friction[k] >= 0 ? 3 : turned;
        double give = problem->compliance[r] + theta[r], weight = give > 0 ? 1 / give : HUGE_VAL;
        if (turned > 0) {
            turned--;
            continue;
        }
        if (!isfinite(weight)) {
            return cairn_error(CAIRN_NUMERIC, "formulation body: row %d has no compliance: C + theta = %g", r, give);
        }
        body->weight[r] = weight;
    }
    return cairn_ok();
}

// Which elements have other weights than in the last factor; NULL: not known.
static const bool *find_changes(Body *body) {
    if (body->last == NULL || body->turns != NULL) {
        return NULL;
    }
    for (int e = 0; body->element[e] >= 0; e++) {
        const CairnGroup *group = &body->groups.groups[body->element[e]];
        size_t first = (size_t)group->first_row, size = (size_t)group->row_count * sizeof *body->last;
        body->has_changed[e] = memcmp(body->last + first, body->negative + first, size) != 0;
        memcpy(body->last + first, body->negative + first, size);
    }
    return body->has_changed;
}

static CairnStatus factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    Body *body = state;
    CAIRN_TRY(weigh_rows(body, theta, blocks));
    cairn_groups_claim(&body->groups, body->negative);
    for (int k = 0; k < body->groups.row_count; k++) {
        body->negative[k] = -body->weight[body->groups.rows[k]];
    }
    sum_diagonal(body);
    CairnLinalgSource source = {body, add_node, add_element, body->scale, find_changes(body)};
    int bad = cairn_linalg_factor(&body->factor, &source);
    if (bad >= 0) {
        return cairn_error(CAIRN_NUMERIC, "formulation body: the matrix is singular to rounding at dof %d", bad);
    }
    return cairn_ok();
}

// Compute the diagonal without the groups that follow, and mark the elements of these groups as the only ones that
// change.
static CairnStatus mark_followers(Body *body, const bool *follows, CairnArena *arena) {
    const CairnGroups *groups = &body->groups;
    size_t dofs = (size_t)body->problem->dof_count;
    body->fixed = CAIRN_PUSH(arena, double, dofs + 1);
    if (body->fixed == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory for %zu dofs", dofs);
    }
    CairnDiagonal diagonal = diagonal_of(body);
    for (int b = 0; b < body->problem->block_count; b++) {
        cairn_diagonal_begin(&diagonal, b);
    }
    for (int g = 0; g < groups->group_count; g++) {
        if (!follows[g]) {
            cairn_diagonal_add(&diagonal, g);
        }
    }
    memcpy(body->fixed, body->scale, dofs * sizeof *body->fixed);
    for (int e = 0; body->element[e] >= 0; e++) {
        body->has_changed[e] = follows[body->element[e]];
    }
    return cairn_ok();
}

CairnStatus cairn_body_space_twin(const void *state, const bool *follows, CairnSolverContext *context, void **twin) {
    const Body *from = state;
    Body *body = CAIRN_PUSH(context->arena, Body, 1);
    if (!body) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation body: no memory");
    }
    *body = *from;
    CAIRN_TRY(make_factor(body, from->factor.plan, context));
    CAIRN_TRY(make_arrays(body, true, context->arena));
    size_t rows = (size_t)body->problem->row_count;
    memcpy(body->weight, from->weight, rows * sizeof *body->weight);
    memcpy(body->negative, from->negative, rows * sizeof *body->negative);
    cairn_linalg_factor_copy(&from->factor, &body->factor);
    *twin = body;
    return mark_followers(body, follows, context->arena);
}

CairnStatus cairn_body_space_follow(void *state, const double *theta, const int *group, int count) {
    Body *body = state;
    CairnGroups *groups = &body->groups;
    CairnDiagonal diagonal = diagonal_of(body);
    memcpy(body->scale, body->fixed, (size_t)body->problem->dof_count * sizeof *body->scale);
    for (int i = 0; i < count; i++) {
        const CairnGroup *g = &groups->groups[group[i]];
        for (int k = g->first_row; k < g->first_row + g->row_count; k++) {
            int r = groups->rows[k];
            double give = body->problem->compliance[r] + theta[r];
            body->weight[r] = give > 0 ? 1 / give : HUGE_VAL;
            if (!isfinite(body->weight[r])) {
                return cairn_error(CAIRN_NUMERIC, "formulation body: row %d has no compliance", r);
            }
            body->negative[k] = -body->weight[r];
        }
        cairn_diagonal_add(&diagonal, group[i]);
    }
    CairnLinalgSource source = {body, add_plain_node, add_element, body->scale, body->has_changed};
    int bad = cairn_linalg_factor(&body->factor, &source);
    return bad < 0 ? cairn_ok()
                   : cairn_error(CAIRN_NUMERIC, "formulation body: the matrix is singular to rounding at dof %d", bad);
}

static void turn_right_side(const Body *body, double *x) {
    const CairnProblem *problem = body->problem;
    for (int f = 0; f < problem->friction_count; f++) {
        if (cairn_takes_block(&problem->frictions[f])) {
            double plain[3], *rows = x + problem->frictions[f].normal;
            memcpy(plain, rows, sizeof plain);
            cairn_turn_forward(&body->turns[f], 1, plain, rows);
        }
    }
}

static void solve(void *state, double *x) {
    Body *body = state;
    const CairnProblem *problem = body->problem;
    if (body->is_turned) {
        turn_right_side(body, x);
    }
    for (int r = 0; r < problem->row_count; r++) {
        x[r] = body->weight[r] > 0 ? x[r] : 0;
    }
    cairn_groups_impulse(&body->groups, body->weight, x, body->slotted);
    cairn_linalg_solve_at(&body->factor, body->groups.slots, body->slotted);
    cairn_groups_recover(&body->groups, body->slotted, body->weight, x, x);
    for (int f = 0; f < problem->friction_count && body->is_turned; f++) {
        if (cairn_takes_block(&problem->frictions[f])) {
            double turned[3], *rows = x + problem->frictions[f].normal;
            memcpy(turned, rows, sizeof turned);
            cairn_turn_backward(&body->turns[f], turned, rows);
        }
    }
}

void cairn_body_space_momentum(const CairnSystem *system, const double *y, double *q) {
    Body *body = system->state;
    cairn_groups_impulse(&body->groups, body->weight, y, body->slotted);
    cairn_groups_gather(&body->groups, body->problem, body->slotted, q);
}

void cairn_body_space_velocity(const CairnSystem *system, double *v) {
    cairn_linalg_solve(&((Body *)system->state)->factor, v);
}

void cairn_body_space_impulse(const CairnSystem *system, const double *y, const double *v, double *x) {
    Body *body = system->state;
    cairn_groups_spread(&body->groups, body->problem, v, body->slotted);
    cairn_groups_recover(&body->groups, body->slotted, body->weight, y, x);
}

// L^-1 by columns, below the diagonal of the last front's end; then R = (L^-1)^T D^-1/2.
void cairn_body_space_reduce(const CairnSystem *system, double *R, int *reduced_row) {
    const Body *body = system->state;
    const CairnLinalgPlan *plan = body->factor.plan;
    const bool *is_last = system->is_last;
    int n = 0;
    for (int b = 0; b < body->problem->block_count; b++) {
        n += is_last[b] ? body->problem->blocks[b].size : 0;
    }
    if (n == 0) {
        return;
    }
    const CairnLinalgSupernode *super = &plan->supernodes[plan->supernode_count - 1];
    int first = super->pivots - n;
    CAIRN_ASSERT(first >= 0);
    const double *L = body->factor.panels + super->panel + (size_t)first * (size_t)(super->rows + 1);
    const double *inverse = body->factor.inverse + super->first_pivot + first;
    for (int b = 0; b < body->problem->block_count; b++) {
        reduced_row[b] = is_last[b] ? plan->node_row[b] - first : 0;
        CAIRN_ASSERT(reduced_row[b] >= 0 && (!is_last[b] || plan->node_pivot[b] >= super->first_pivot + first));
    }
    memset(R, 0, (size_t)n * (size_t)n * sizeof *R);
    for (int j = 0; j < n; j++) { // row j of R: column j of L^-1
        double *x = R + (size_t)j * (size_t)n;
        x[j] = 1;
        for (int k = j; k < n; k++) {
            const double *column = L + (size_t)k * (size_t)super->rows;
            for (int i = k + 1; i < n; i++) {
                x[i] -= column[i] * x[k];
            }
        }
        for (int k = j; k < n; k++) {
            x[k] *= sqrt(inverse[k]);
        }
    }
}

CairnLinalgFactor *cairn_body_space_factor(void *state) {
    return &((Body *)state)->factor;
}

const int *cairn_body_space_elements(const void *state) {
    return ((const Body *)state)->element;
}

int cairn_body_space_units(const CairnSystem *system, int *factored) {
    *factored = 0;
    if (system->kind != &cairn_system_body) {
        return 0;
    }
    const CairnLinalgFactor *factor = &((const Body *)system->state)->factor;
    *factored = factor->unit_count;
    return factor->plan->unit_of != NULL ? factor->plan->unit_count : 0;
}

void cairn_body_space_unit_seconds(const CairnSystem *system, const int *part, double *seconds) {
    if (system->kind != &cairn_system_body || system->state == NULL) {
        return;
    }
    const CairnLinalgFactor *factor = &((const Body *)system->state)->factor;
    const CairnLinalgPlan *plan = factor->plan;
    if (plan == NULL || plan->unit_of == NULL) {
        return;
    }
    for (int s = 0, last = -1; s < plan->supernode_count; s++) { // a unit's fronts lie together
        int unit = plan->unit_of[s];
        for (int t = 0; unit >= 0 && unit != last && t < factor->thread_count; t++) {
            seconds[part[plan->node_order[plan->supernodes[s].first_node]]] +=
                factor->unit_seconds[(size_t)t * (size_t)(plan->unit_count + 1) + (size_t)unit];
        }
        last = unit;
    }
}

static double operations(const void *state) {
    return ((const Body *)state)->factor.plan->operations;
}

const CairnSystemKind cairn_system_body = {.name = "body",
                                           .prepare = prepare,
                                           .factor = factor,
                                           .solve = solve,
                                           .forget = cairn_formulation_forget,
                                           .operations = operations};
