// Constraint space: A + Theta as written. Nodes are groups of constraints; the element of a block is Y Y^T with Y = J
// L^-T over all rows that touch the block (P = L L^T), made once per solve.
#include <math.h>
#include <string.h>

#include "solvers/linalg/linalg_kernels.h"
#include "solvers/system/formulation.h"

enum { WIDTH = CAIRN_LINALG_WIDTH, TALL = 96 };

// The rows over one block: Y by columns (rows padded to eights), and the nodes that they belong to.
typedef struct Star {
    int block, row_count, stride;
    int first_group, group_count;
    size_t Y;     // stride x size of the block
    size_t is_in; // stride
} Star;

typedef struct Constraint {
    const CairnProblem *problem;
    CairnGroups groups;
    CairnLinalgFactor factor;
    const double *theta; // during factor
    const CairnThetaBlock *blocks;
    const double *D;
    Star *stars; // by element
    int star_count;
    int *star_group; // groups of each star
    double *Y;
    double *is_in; // 1 or 0 for the rows of stars
    double *scale; // by rows, group by group; a solve's right side once factored
    bool *is_used; // in the same order: not held out
} Constraint;

static bool is_out(const Constraint *c, int row) {
    return isinf(c->theta[row]);
}

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    const Constraint *c = user;
    const CairnGroup *group = &c->groups.groups[node];
    for (int i = 0; i < group->row_count; i++) {
        int r = c->groups.rows[group->first_row + i];
        *cairn_linalg_diagonal(front, row + i) += is_out(c, r) ? 1 : c->problem->compliance[r] + c->theta[r];
        int f = c->groups.friction[group->first_row + i];
        if (f >= 0 && c->blocks) {
            cairn_formulation_add_theta(c->theta + r, &c->blocks[f], 1, front, row + i);
        }
    }
}

// Columns [0, columns) of a tile (rows [from, from + count) of the star) into column `column` of the front.
static void scatter(const Constraint *c, const Star *star, const CairnLinalgFront *front, const int *rows, int column,
                    double fraction, int from, int count, const double *tile) {
    const double *is_in = c->is_in + star->is_in;
    double *diagonal = cairn_linalg_diagonal(front, column);
    int begin = 0;
    for (int p = 0; p < star->group_count && begin < from + count; p++) {
        int length = c->groups.groups[c->star_group[star->first_group + p]].row_count;
        // Rows [low, high) of the star: those of this group and of this tile that are not above the diagonal.
        int low = begin > from ? begin : from, high = begin + length < from + count ? begin + length : from + count;
        int at = rows[p] - column - begin; // offset from the star's row to the column's entry
        low = low + at < 0 ? -at : low;
        for (int i = low; i < high; i++) {
            diagonal[i + at] += tile[i - from] * (is_in[i] * fraction);
        }
        begin += length;
    }
}

static void add_element(void *user, int element, const CairnLinalgFront *front, const int *rows) {
    const Constraint *c = user;
    const Star *star = &c->stars[element];
    _Alignas(64) double tile[TALL * WIDTH], packed[CAIRN_BLOCK_LIMIT * WIDTH], minus[CAIRN_BLOCK_LIMIT];
    int size = c->problem->blocks[star->block].size;
    const double *Y = c->Y + star->Y, *is_in = c->is_in + star->is_in;
    for (int k = 0; k < size; k++) {
        minus[k] = -1;
    }
    int column_group = 0, group_begin = 0;
    for (int j = 0; j < star->row_count; j += WIDTH) {
        int columns = star->row_count - j < WIDTH ? star->row_count - j : WIDTH;
        cairn_linalg_pack(columns, size, Y + j, star->stride, minus, packed);
        int column_row[WIDTH];
        for (int k = 0; k < columns; k++) {
            int length = c->groups.groups[c->star_group[star->first_group + column_group]].row_count;
            while (j + k >= group_begin + length) {
                group_begin += length;
                column_group++;
                length = c->groups.groups[c->star_group[star->first_group + column_group]].row_count;
            }
            column_row[k] = rows[column_group] + j + k - group_begin;
        }
        for (int i = 0; i < star->stride; i += TALL) {
            int tall = star->stride - i < TALL ? star->stride - i : TALL;
            int count = star->row_count - i < tall ? star->row_count - i : tall;
            cairn_linalg_multiply(tall, columns, size, Y + i, star->stride, packed, tile, TALL);
            for (int k = 0; k < columns; k++) {
                if (is_in[j + k] > 0) {
                    scatter(c, star, front, rows, column_row[k], is_in[j + k], i, count, tile + k * TALL);
                }
            }
        }
    }
}

// Which groups touch each block, in order.
static CairnStatus list_stars(Constraint *c, CairnArena *arena, CairnLinalgGraph *graph) {
    const CairnProblem *problem = c->problem;
    const CairnGroups *groups = &c->groups;
    int n = problem->block_count;
    int *size = CAIRN_PUSH(arena, int, groups->group_count + 1), *start = CAIRN_PUSH(arena, int, n + 2);
    int *star_of = CAIRN_PUSH_ZERO(arena, int, n + 1);
    c->star_group = CAIRN_PUSH(arena, int, groups->term_count + 1);
    c->stars = CAIRN_PUSH_ZERO(arena, Star, n + 1);
    if (!size || !start || !star_of || !c->star_group || !c->stars) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation constraint: no memory for a graph of %d groups",
                           groups->group_count);
    }
    for (int t = 0; t < groups->term_count; t++) {
        star_of[groups->terms[t].block]++;
    }
    int next = 0;
    for (int i = 0; i < n; i++) {
        int count = star_of[i];
        if (count == 0) {
            continue;
        }
        c->stars[c->star_count] = (Star){.block = i, .first_group = next};
        start[c->star_count] = next;
        star_of[i] = c->star_count++;
        next += count;
    }
    start[c->star_count] = next;
    size_t Y_size = 0, rows = 0;
    for (int g = 0; g < groups->group_count; g++) {
        const CairnGroup *group = &groups->groups[g];
        size[g] = group->row_count;
        for (int t = group->first_term; t < group->first_term + group->term_count; t++) {
            Star *star = &c->stars[star_of[groups->terms[t].block]];
            c->star_group[star->first_group + star->group_count++] = g;
            star->row_count += group->row_count;
        }
    }
    for (int s = 0; s < c->star_count; s++) {
        Star *star = &c->stars[s];
        star->stride = (star->row_count + 7) & ~7;
        star->Y = Y_size;
        star->is_in = rows;
        rows += (size_t)star->stride;
        Y_size += (size_t)star->stride * (size_t)problem->blocks[star->block].size;
    }
    c->Y = CAIRN_PUSH_ZERO(arena, double, Y_size);
    c->is_in = CAIRN_PUSH_ZERO(arena, double, rows);
    if (!c->Y || !c->is_in) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation constraint: no memory for %d rows", problem->row_count);
    }
    *graph = (CairnLinalgGraph){groups->group_count, c->star_count, size, start, c->star_group, NULL, NULL, NULL};
    return cairn_ok();
}

static void fill_stars(Constraint *c, const CairnOps *ops) {
    for (int s = 0; s < c->star_count; s++) {
        const Star *star = &c->stars[s];
        int size = c->problem->blocks[star->block].size, row = 0;
        for (int p = 0; p < star->group_count; p++) {
            const CairnGroup *group = &c->groups.groups[c->star_group[star->first_group + p]];
            const CairnGroupTerm *term = &c->groups.terms[group->first_term];
            while (term->block != star->block) {
                term++;
            }
            for (int i = 0; i < group->row_count; i++, row++) {
                double y[CAIRN_BLOCK_LIMIT];
                memcpy(y, c->groups.J + term->J + (size_t)i * (size_t)term->stride, (size_t)size * sizeof *y);
                cairn_ops_forward(ops, star->block, y);
                for (int k = 0; k < size; k++) {
                    c->Y[star->Y + (size_t)k * (size_t)star->stride + (size_t)row] = y[k];
                }
            }
        }
    }
}

static CairnStatus prepare(const CairnSystem *system, void **memory, void **state) {
    CairnSolverContext *context = system->context;
    CairnArena *arena = context->arena;
    const CairnProblem *problem = system->problem;
    Constraint *c = CAIRN_PUSH_ZERO(arena, Constraint, 1);
    double *D = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!c || !D) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation constraint: no memory for %d rows", problem->row_count);
    }
    c->problem = problem;
    cairn_ops_diagonal(&system->ops, D);
    c->D = D;
    c->groups = *system->groups;
    CairnLinalgGraph graph;
    CAIRN_TRY(list_stars(c, arena, &graph));
    fill_stars(c, &system->ops);
    const CairnLinalgPlan *plan;
    CAIRN_TRY(cairn_formulation_plan(&graph, context, memory, &plan));
    CAIRN_TRY(cairn_linalg_factor_init(&c->factor, plan, context->thread_count, arena));
    c->scale = CAIRN_PUSH(arena, double, problem->row_count + 1);
    c->is_used = CAIRN_PUSH(arena, bool, problem->row_count + 1);
    if (!c->scale || !c->is_used) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation constraint: no memory for %d rows", problem->row_count);
    }
    *state = c;
    return cairn_ok();
}

static CairnStatus factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    Constraint *c = state;
    c->theta = theta;
    c->blocks = blocks;
    for (int k = 0; k < c->groups.row_count; k++) {
        int r = c->groups.rows[k];
        c->scale[k] = is_out(c, r) ? 1 : c->D[r] + theta[r];
        c->is_used[k] = !is_out(c, r);
    }
    cairn_formulation_scale_theta(&c->groups, theta, blocks, 1, c->scale);
    for (int s = 0; s < c->star_count; s++) {
        double *to = c->is_in + c->stars[s].is_in;
        for (int p = 0; p < c->stars[s].group_count; p++) {
            const CairnGroup *group = &c->groups.groups[c->star_group[c->stars[s].first_group + p]];
            for (int i = 0; i < group->row_count; i++) {
                *to++ = is_out(c, c->groups.rows[group->first_row + i]) ? 0 : 1;
            }
        }
    }
    CairnLinalgSource source = {c, add_node, add_element, c->scale, NULL};
    int bad = cairn_linalg_factor(&c->factor, &source);
    c->theta = NULL;
    c->blocks = NULL;
    if (bad >= 0) {
        return cairn_error(CAIRN_NUMERIC, "formulation constraint: row %d depends on others to rounding",
                           c->groups.rows[bad]);
    }
    return cairn_ok();
}

static void solve(void *state, double *x) {
    Constraint *c = state;
    double *y = c->scale;
    for (int k = 0; k < c->groups.row_count; k++) {
        y[k] = c->is_used[k] ? x[c->groups.rows[k]] : 0;
    }
    cairn_linalg_solve(&c->factor, y);
    for (int k = 0; k < c->groups.row_count; k++) {
        x[c->groups.rows[k]] = c->is_used[k] ? y[k] : 0;
    }
}

static double operations(const void *state) {
    return ((const Constraint *)state)->factor.plan->operations;
}

const CairnSystemKind cairn_system_constraint = {.name = "constraint",
                                                 .prepare = prepare,
                                                 .factor = factor,
                                                 .solve = solve,
                                                 .forget = cairn_formulation_forget,
                                                 .operations = operations};
