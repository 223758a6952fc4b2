#include "solvers/system/body_lu.h"

#include <string.h>

#include "solvers/linalg/linalg_kernels.h"

enum { WIDTH = CAIRN_LINALG_WIDTH, CHUNK = 64, BLOCK = CAIRN_ROW_BLOCK };

// By the rows of `groups`: the friction group whose block begins there, -1: none. Bounds that follow the present normal
// impulse couple a contact's rows as cones do, which symmetric factors leave out.
static int *list_blocks(const CairnProblem *problem, const CairnGroups *groups, CairnArena *arena) {
    int *list = CAIRN_PUSH(arena, int, groups->row_count + 1);
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *of = CAIRN_PUSH(arena, int, problem->row_count + 1);
    if (list == NULL || of == NULL) {
        return NULL;
    }
    for (int r = 0; r < problem->row_count; r++) {
        of[r] = -1;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        of[problem->frictions[f].normal] = problem->frictions[f].kind != CAIRN_FRICTION_BOX ? f : -1;
    }
    for (int k = 0; k < groups->row_count; k++) {
        list[k] = of[groups->rows[k]];
    }
    cairn_arena_release(arena, mark);
    return list;
}

CairnStatus cairn_body_lu_init(CairnBodyLu *lu, const CairnSystem *system) {
    *lu = (CairnBodyLu){.system = system};
    if (system->kind != &cairn_system_body) {
        return cairn_error(CAIRN_UNSUPPORTED, "body space L D U: the system is in the formulation '%s'",
                           system->kind->name);
    }
    CairnArena *arena = system->context->arena;
    lu->lender = cairn_body_space_factor(system->state);
    lu->scale = CAIRN_PUSH(arena, double, system->problem->dof_count + 1);
    lu->slotted = CAIRN_PUSH(arena, double, system->groups->slotted + 1);
    lu->friction = list_blocks(system->problem, system->groups, arena);
    if (lu->scale == NULL || lu->slotted == NULL || lu->friction == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "body space L D U: no memory for %d dofs", system->problem->dof_count);
    }
    return cairn_linalg_factor_init_unsymmetric(&lu->factor, lu->lender, arena);
}

static void add_node(void *user, int node, const CairnLinalgFront *fronts, int row) {
    const CairnSystem *system = ((const CairnBodyLu *)user)->system;
    const CairnProblem *problem = system->problem;
    for (int side = 0; side < 2; side++) { // P is symmetric
        if (system->ops.offset[node] < 0) {
            cairn_formulation_add_rigid(problem->P + problem->blocks[node].matrix, &fronts[side], row);
        } else {
            cairn_formulation_add_block(problem, node, &fronts[side], row);
        }
    }
}

// Row k of S or S^T: its entries and the row of J that the first of them multiplies. Returns how many there are.
static int read_row(const CairnRowWeights *S, const CairnGroup *group, int k, bool is_transposed, int *first,
                    double *entry) {
    for (int i = 0, rows; i < BLOCK && i <= k; i++) { // the rows of a block follow one another
        const double *block = cairn_block_at(S, group->first_row + k - i, &rows);
        if (block != NULL && i < rows) {
            for (int j = 0; j < rows; j++) {
                entry[j] = block[is_transposed ? BLOCK * j + i : BLOCK * i + j];
            }
            *first = k - i;
            return rows;
        }
    }
    entry[0] = S->weight[S->rows[group->first_row + k]];
    *first = k;
    return 1;
}

// packed = -S J for the rows [begin, begin + depth) of a group, and for the columns of J from `B` on.
static void pack(const CairnRowWeights *S, const CairnGroup *group, bool is_transposed, int begin, int depth,
                 const double *B, int stride, int columns, double *packed) {
    for (int k = begin; k < begin + depth; k++, packed += WIDTH) {
        double entry[BLOCK];
        int first = k, count = read_row(S, group, k, is_transposed, &first, entry);
        memset(packed, 0, WIDTH * sizeof *packed);
        for (int i = 0; i < count; i++) {
            const double *from = B + (size_t)(first + i) * (size_t)stride;
            for (int j = 0; j < columns; j++) {
                packed[j] -= entry[i] * from[j];
            }
        }
    }
}

// The block J_a^T S J_b (or with S^T) of a group, added at the front's rows row_a and columns row_b.
static void add_product(const CairnBodyLu *lu, const CairnGroup *group, bool is_transposed, const CairnGroupTerm *a,
                        const CairnGroupTerm *b, const CairnLinalgFront *front, int row_a, int row_b) {
    _Alignas(64) double C[CAIRN_BLOCK_LIMIT * WIDTH], packed[CHUNK * WIDTH];
    const CairnDofBlock *blocks = lu->system->problem->blocks;
    const double *J = lu->system->groups->J;
    int size_a = blocks[a->block].size, size_b = blocks[b->block].size;
    // A node's columns lie all in the panel or all in the update matrix.
    size_t column_stride = (size_t)(row_b < front->below_at ? front->rows : front->update_rows);
    for (int j = 0; j < size_b; j += WIDTH) {
        int columns = size_b - j < WIDTH ? size_b - j : WIDTH;
        for (int k = 0; k < group->row_count; k += CHUNK) {
            int depth = group->row_count - k < CHUNK ? group->row_count - k : CHUNK;
            pack(&lu->S, group, is_transposed, k, depth, J + b->J + j, b->stride, columns, packed);
            (k == 0 ? cairn_linalg_multiply : cairn_linalg_update)(
                a->stride, columns, depth, J + a->J + (size_t)k * (size_t)a->stride, a->stride, packed, C, a->stride);
        }
        double *to = cairn_linalg_diagonal(front, row_b) + (row_a - row_b) + (size_t)j * column_stride;
        for (int c = 0; c < columns; c++, to += column_stride) {
            for (int i = 0; i < size_a; i++) {
                to[i] += C[c * a->stride + i];
            }
        }
    }
}

static void add_element(void *user, int element, const CairnLinalgFront *fronts, const int *rows) {
    const CairnBodyLu *lu = user;
    const CairnSystem *system = lu->system;
    const CairnGroups *groups = system->groups;
    int index = cairn_body_space_elements(system->state)[element];
    if (index < 0 || groups->groups[index].row_count <= 0) {
        return;
    }
    const CairnGroup *group = &groups->groups[index];
    const CairnGroupTerm *terms = groups->terms + group->first_term;
    const CairnDofBlock *blocks = system->problem->blocks;
    if (group->term_count == 2 && blocks[terms[0].block].size == 6 && blocks[terms[1].block].size == 6) {
        int late = rows[1] > rows[0];
        cairn_formulation_add_weighed_pair(groups->J + terms[late].J, groups->J + terms[!late].J, &lu->S,
                                           group->first_row, group->row_count, fronts, rows[late], rows[!late]);
        return;
    }
    if (group->term_count == 1 && blocks[terms[0].block].size == 6) {
        cairn_formulation_add_weighed_single(groups->J + terms[0].J, &lu->S, group->first_row, group->row_count, fronts,
                                             rows[0]);
        return;
    }
    for (int b = 0; b < group->term_count; b++) {
        for (int a = 0; a < group->term_count; a++) {
            if (rows[a] >= rows[b]) {
                add_product(lu, group, false, &terms[a], &terms[b], &fronts[0], rows[a], rows[b]);
                add_product(lu, group, true, &terms[a], &terms[b], &fronts[1], rows[a], rows[b]);
            }
        }
    }
}

CairnStatus cairn_body_lu_factor(CairnBodyLu *lu, const double *weight, const double (*block)[36]) {
    const CairnSystem *system = lu->system;
    const CairnGroups *groups = system->groups;
    lu->S = (CairnRowWeights){weight, block, system->problem->frictions, groups->rows, lu->friction};
    CairnDiagonal diagonal = {system->problem, groups, NULL, lu->factor.plan->node_first, lu->scale};
    for (int b = 0; b < system->problem->block_count; b++) {
        cairn_diagonal_begin(&diagonal, b);
    }
    for (int g = 0; g < groups->group_count; g++) {
        cairn_diagonal_add_weights(&diagonal, &lu->S, &groups->groups[g]);
    }
    lu->lender->is_valid = false; // its panels are overwritten
    CairnLinalgSource source = {lu, add_node, add_element, lu->scale, NULL};
    int bad = cairn_linalg_factor(&lu->factor, &source);
    if (bad >= 0) {
        return cairn_error(CAIRN_NUMERIC, "body space L D U: a pivot is lost to rounding at dof %d", bad);
    }
    return cairn_ok();
}

void cairn_body_lu_solve(CairnBodyLu *lu, double *v) {
    cairn_linalg_solve(&lu->factor, v);
}

void cairn_body_lu_solve_slotted(CairnBodyLu *lu, double *slotted) {
    cairn_linalg_solve_at(&lu->factor, lu->system->groups->slots, slotted);
}
