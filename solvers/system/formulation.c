#include "solvers/system/formulation.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"

// ---- groups ----------------------------------------------------------------------------------------------------------------

typedef struct Grouping {
    const CairnProblem *problem;
    int *start; // constraint -> where in `blocks` its distinct blocks begin, ascending
    int *blocks;
    int *count; // how many
    int *group; // constraint -> group
    int *next;  // constraints of one group, in order
    int *last;
    CairnGroup *groups;
    CairnGroupTerm *terms;
    int *rows, *slots;
} Grouping;

static int distinct_blocks(const CairnProblem *problem, const CairnConstraintBlock *constraint, int *blocks) {
    int count = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        int block = problem->terms[constraint->first_term + t].block, k = count;
        while (k > 0 && blocks[k - 1] > block) {
            k--;
        }
        if (k > 0 && blocks[k - 1] == block) {
            continue;
        }
        memmove(blocks + k + 1, blocks + k, (size_t)(count - k) * sizeof *blocks);
        blocks[k] = block;
        count++;
    }
    return count;
}

// Constraint -> group, by a hash of its blocks; a group is named by its first constraint. `next` chains both
// constraints of a group and (through `chain`) groups of a bucket.
static CairnStatus find_groups(Grouping *g, CairnArena *arena, int *group_count) {
    const CairnProblem *problem = g->problem;
    unsigned buckets = 1;
    while (buckets < 2u * (unsigned)problem->constraint_count) {
        buckets *= 2;
    }
    int *head = CAIRN_PUSH(arena, int, buckets), *chain = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    int *first = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    if (!head || !chain || !first) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory to group %d constraints",
                           problem->constraint_count);
    }
    memset(head, -1, buckets * sizeof *head);
    *group_count = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        if (constraint->row_count == 0) {
            continue;
        }
        int *blocks = g->blocks + g->start[c];
        g->count[c] = distinct_blocks(problem, constraint, blocks);
        g->next[c] = -1;
        unsigned hash = 2166136261u;
        for (int k = 0; k < g->count[c]; k++) {
            hash = (hash ^ (unsigned)blocks[k]) * 2654435761u;
            hash ^= hash >> 15;
        }
        int *bucket = &head[hash & (buckets - 1)], found = *bucket;
        while (found >= 0 &&
               (g->count[first[found]] != g->count[c] ||
                memcmp(g->blocks + g->start[first[found]], blocks, (size_t)g->count[c] * sizeof *blocks) != 0)) {
            found = chain[found];
        }
        if (found < 0) {
            found = (*group_count)++;
            first[found] = g->last[found] = c;
            chain[found] = *bucket;
            *bucket = found;
            g->groups[found] = (CairnGroup){.first_row = c}; // its first constraint, for now
        } else {
            g->next[g->last[found]] = c;
            g->last[found] = c;
        }
        g->groups[found].row_count += constraint->row_count;
        g->group[c] = found;
    }
    return cairn_ok();
}

static void order_groups(const Grouping *g, CairnGroups *groups) {
    const CairnProblem *problem = g->problem;
    for (int i = 0; i < groups->group_count; i++) {
        CairnGroup *group = &g->groups[i];
        int first = group->first_row, row = groups->row_count;
        group->first_row = row;
        group->first_term = groups->term_count;
        group->term_count = g->count[first];
        for (int k = 0; k < group->term_count; k++) {
            int block = g->blocks[g->start[first] + k];
            int stride = (problem->blocks[block].size + 7) & ~7;
            g->terms[groups->term_count++] = (CairnGroupTerm){block, stride, g->slots[block], groups->J_size};
            groups->J_size += (size_t)stride * (size_t)group->row_count;
        }
        for (int c = first; c >= 0; c = g->next[c]) {
            for (int r = 0; r < problem->constraints[c].row_count; r++) {
                g->rows[row++] = problem->constraints[c].first_row + r;
            }
        }
        groups->row_count = row;
    }
}

static void pack_group(const Grouping *g, const CairnGroups *groups, int index, int first) {
    const CairnProblem *problem = g->problem;
    const CairnGroup *group = &groups->groups[index];
    int row = 0;
    for (int c = first; c >= 0; c = g->next[c]) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const CairnGroupTerm *to = &groups->terms[group->first_term];
            while (to->block != term->block) {
                to++;
            }
            int size = problem->blocks[term->block].size;
            double room[6 * CAIRN_FRAME_ROWS];
            const double *source = cairn_term_rows(problem, term, constraint->row_count, room);
            double *target = groups->J + to->J + (size_t)row * (size_t)to->stride;
            for (int i = 0; i < constraint->row_count; i++, source += size, target += to->stride) {
                for (int k = 0; k < size; k++) {
                    target[k] += source[k];
                }
            }
        }
        row += constraint->row_count;
    }
}

// A constraint's rows stay together, so n, t1, t2 of a contact are three in a row.
static CairnStatus list_frictions(CairnGroups *groups, const CairnProblem *problem, CairnArena *arena) {
    int *friction = CAIRN_PUSH(arena, int, problem->row_count + 1),
        *of = CAIRN_PUSH(arena, int, problem->row_count + 1);
    if (!friction || !of) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for %d rows", problem->row_count);
    }
    for (int r = 0; r < problem->row_count; r++) {
        of[r] = -1;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        of[problem->frictions[f].normal] = cairn_takes_block(&problem->frictions[f]) ? f : -1;
    }
    for (int k = 0; k < groups->row_count; k++) {
        friction[k] = of[groups->rows[k]];
    }
    groups->friction = friction;
    return cairn_ok();
}

static CairnFlatGroup flat_group(const CairnGroups *groups, const CairnGroup *group) {
    const CairnGroupTerm *terms = groups->terms + group->first_term;
    bool is_flat = group->term_count >= 1 && group->term_count <= 2 && groups->J_size / 8 <= INT_MAX;
    CairnFlatGroup flat = {group->row_count,
                           {groups->slotted - 8, groups->slotted - 8},
                           {(int)(groups->J_size / 8) - 1, (int)(groups->J_size / 8) - 1},
                           group->first_row};
    for (int t = 0; t < group->term_count && is_flat; t++) {
        is_flat = terms[t].stride == 8;
        flat.slot[t] = terms[t].slot;
        flat.J[t] = (int)(terms[t].J / 8);
    }
    flat.count = is_flat ? flat.count : -1;
    return flat;
}

static CairnStatus list_flat(CairnGroups *groups, CairnArena *arena) {
    CairnFlatRow *rows = CAIRN_PUSH(arena, CairnFlatRow, groups->row_count + 1);
    CairnFlatGroup *flat = CAIRN_PUSH(arena, CairnFlatGroup, groups->group_count + 1);
    int *others = CAIRN_PUSH(arena, int, groups->group_count + 1);
    if (!rows || !flat || !others) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for %d rows", groups->row_count);
    }
    for (int g = 0; g < groups->group_count; g++) {
        flat[g] = flat_group(groups, &groups->groups[g]);
        if (flat[g].count < 0) {
            others[groups->other_count++] = g;
        }
        for (int r = 0; r < flat[g].count; r++) {
            int second = groups->groups[g].term_count == 2 ? r : 0;
            rows[groups->flat_row_count++] = (CairnFlatRow){groups->rows[flat[g].first_row + r],
                                                            {flat[g].slot[0], flat[g].slot[1]},
                                                            {flat[g].J[0] + r, flat[g].J[1] + second}};
        }
    }
    groups->flat_rows = rows;
    groups->flat_groups = flat;
    groups->other_groups = others;
    return cairn_ok();
}

CairnStatus cairn_groups_init(CairnGroups *groups, const CairnProblem *problem, CairnArena *arena) {
    *groups = (CairnGroups){0};
    int n = problem->constraint_count;
    Grouping g = {.problem = problem};
    g.groups = CAIRN_PUSH(arena, CairnGroup, n + 1);
    int terms = 0; // constraints may share them
    g.start = CAIRN_PUSH(arena, int, n + 1);
    for (int c = 0; c < n && g.start; c++) {
        g.start[c] = terms;
        terms += problem->constraints[c].term_count;
    }
    g.terms = CAIRN_PUSH(arena, CairnGroupTerm, terms + 1);
    g.rows = CAIRN_PUSH(arena, int, problem->row_count + 1);
    g.blocks = CAIRN_PUSH(arena, int, terms + 1);
    g.count = CAIRN_PUSH(arena, int, n + 1);
    g.group = CAIRN_PUSH(arena, int, n + 1);
    g.next = CAIRN_PUSH(arena, int, n + 1);
    g.last = CAIRN_PUSH(arena, int, n + 1);
    g.slots = CAIRN_PUSH(arena, int, problem->block_count + 1);
    int *first = CAIRN_PUSH(arena, int, n + 1);
    if (!g.groups || !g.start || !g.terms || !g.rows || !g.blocks || !g.count || !g.group || !g.next || !g.last ||
        !g.slots || !first) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory to group %d constraints", n);
    }
    for (int b = 0; b < problem->block_count; b++) {
        g.slots[b] = groups->slotted;
        groups->slotted += (problem->blocks[b].size + 7) & ~7;
    }
    groups->slotted += 8;
    groups->slots = g.slots;
    CAIRN_TRY(find_groups(&g, arena, &groups->group_count));
    for (int i = 0; i < groups->group_count; i++) {
        first[i] = g.groups[i].first_row;
    }
    order_groups(&g, groups);
    groups->groups = g.groups;
    groups->terms = g.terms;
    groups->rows = g.rows;
    CAIRN_TRY(list_frictions(groups, problem, arena));
    groups->J_size += 8; // a row of zeros
    groups->J = CAIRN_PUSH_ZERO(arena, double, groups->J_size);
    if (!groups->J) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for the Jacobians of %d rows",
                           problem->row_count);
    }
    for (int i = 0; i < groups->group_count; i++) {
        pack_group(&g, groups, i, first[i]);
    }
    return list_flat(groups, arena);
}

// ---- small things --------------------------------------------------------------------------------------------------------

void cairn_groups_spread(const CairnGroups *groups, const CairnProblem *problem, const double *v, double *slotted) {
    memset(slotted, 0, (size_t)groups->slotted * sizeof *slotted);
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        memcpy(slotted + groups->slots[b], v + block->first, (size_t)block->size * sizeof *v);
    }
}

void cairn_groups_gather(const CairnGroups *groups, const CairnProblem *problem, const double *slotted, double *v) {
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        memcpy(v + block->first, slotted + groups->slots[b], (size_t)block->size * sizeof *v);
    }
}

// A rigid body's: six columns from the diagonal down, for the compiler to unroll.
static void add_six(const double *P, double *diagonal, size_t stride) {
    for (int j = 0; j < 6; j++, diagonal += stride + 1) {
        for (int i = j; i < 6; i++) {
            diagonal[i - j] += P[i * 6 + j];
        }
    }
}

void cairn_formulation_add_block(const CairnProblem *problem, int block, const CairnLinalgFront *front, int row) {
    int size = problem->blocks[block].size;
    const double *P = problem->P + problem->blocks[block].matrix;
    if (size == 6) {
        add_six(P, cairn_linalg_diagonal(front, row),
                (size_t)(row < front->below_at ? front->rows : front->update_rows));
        return;
    }
    for (int j = 0; j < size; j++) {
        double *column = cairn_linalg_diagonal(front, row + j);
        for (int i = j; i < size; i++) {
            column[i - j] += P[i * size + j];
        }
    }
}

void cairn_formulation_add_theta(const double *theta, const CairnThetaBlock *block, double sign,
                                 const CairnLinalgFront *front, int row) {
    for (int j = 0; j < 3; j++) {
        double *column = cairn_linalg_diagonal(front, row + j);
        for (int i = j; i < 3 && !isinf(theta[j]); i++) {
            column[i - j] += isinf(theta[i]) ? 0 : sign * cairn_theta_entry(block, i, j);
        }
    }
}

void cairn_formulation_scale_theta(const CairnGroups *groups, const double *theta, const CairnThetaBlock *blocks,
                                   double sign, double *scale) {
    for (int k = 0; k < groups->row_count && blocks; k++) {
        int f = groups->friction[k];
        for (int i = 0; i < 3 && f >= 0; i++) {
            scale[k + i] += isinf(theta[groups->rows[k + i]]) ? 0 : sign * cairn_theta_entry(&blocks[f], i, i);
        }
    }
}

// ---- the plan that stands between solves -----------------------------------------------------------------------------------

struct CairnKeptPlan {
    CairnArena arena; // holds the plan and its graph
    CairnLinalgGraph graph;
    CairnLinalgPlan plan;
    bool is_valid;
};

static bool is_same_mark(const void *a, const void *b, size_t size) {
    return (a != NULL) == (b != NULL) && (a == NULL || memcmp(a, b, size) == 0);
}

static bool is_same_graph(const CairnLinalgGraph *a, const CairnLinalgGraph *b) {
    size_t n = (size_t)a->node_count, m = (size_t)a->element_count;
    if (a->node_count != b->node_count || a->element_count != b->element_count) {
        return false;
    }
    return memcmp(a->node_size, b->node_size, n * sizeof(int)) == 0 &&
           memcmp(a->element_start, b->element_start, (m + 1) * sizeof(int)) == 0 &&
           memcmp(a->element_node, b->element_node, (size_t)a->element_start[m] * sizeof(int)) == 0 &&
           is_same_mark(a->is_held, b->is_held, n * sizeof(bool)) &&
           is_same_mark(a->is_last, b->is_last, n * sizeof(bool)) && is_same_mark(a->stage, b->stage, n * sizeof(int));
}

static bool copy_graph(const CairnLinalgGraph *graph, CairnArena *arena, CairnLinalgGraph *copy) {
    size_t n = (size_t)graph->node_count, m = (size_t)graph->element_count;
    int *size = CAIRN_PUSH(arena, int, n), *start = CAIRN_PUSH(arena, int, m + 1);
    int *node = CAIRN_PUSH(arena, int, graph->element_start[m]);
    bool *is_held = graph->is_held ? CAIRN_PUSH(arena, bool, n) : NULL;
    bool *is_last = graph->is_last ? CAIRN_PUSH(arena, bool, n) : NULL;
    int *stage = graph->stage ? CAIRN_PUSH(arena, int, n) : NULL;
    if (!size || !start || !node || (graph->is_held && !is_held) || (graph->is_last && !is_last) ||
        (graph->stage && !stage)) {
        return false;
    }
    memcpy(size, graph->node_size, n * sizeof *size);
    memcpy(start, graph->element_start, (m + 1) * sizeof *start);
    memcpy(node, graph->element_node, (size_t)graph->element_start[m] * sizeof *node);
    if (is_held) {
        memcpy(is_held, graph->is_held, n * sizeof *is_held);
    }
    if (is_last) {
        memcpy(is_last, graph->is_last, n * sizeof *is_last);
    }
    if (stage) {
        memcpy(stage, graph->stage, n * sizeof *stage);
    }
    *copy = (CairnLinalgGraph){graph->node_count, graph->element_count, size, start, node, is_held, is_last, stage};
    return true;
}

CairnStatus cairn_formulation_plan(const CairnLinalgGraph *graph, CairnSolverContext *context, void **memory,
                                   const CairnLinalgPlan **plan) {
    if (memory == NULL) {
        CairnLinalgPlan *local_plan = CAIRN_PUSH(context->arena, CairnLinalgPlan, 1);
        if (local_plan == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for a plan");
        }
        *plan = local_plan;
        return cairn_linalg_plan(graph, NULL, context->arena, context->arena, local_plan);
    }
    CairnKeptPlan *kept = *memory;
    if (kept == NULL) {
        kept = cairn_memory_allocate_zero(context->allocator, 1, sizeof *kept);
        if (kept == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for a plan");
        }
        cairn_arena_init(&kept->arena, context->allocator);
        *memory = kept;
    }
    *plan = &kept->plan;
    if (kept->is_valid && is_same_graph(graph, &kept->graph)) {
        return cairn_ok();
    }
    kept->is_valid = false;
    kept->arena.allocator = context->allocator;
    cairn_arena_reset(&kept->arena);
    if (!copy_graph(graph, &kept->arena, &kept->graph)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for a graph of %d nodes", graph->node_count);
    }
    CAIRN_TRY(cairn_linalg_plan(graph, NULL, &kept->arena, context->arena, &kept->plan));
    kept->is_valid = true;
    return cairn_ok();
}

void cairn_formulation_forget(void *memory, const CairnAllocator *allocator) {
    CairnKeptPlan *kept = memory;
    if (kept == NULL) {
        return;
    }
    kept->arena.allocator = allocator;
    cairn_arena_free(&kept->arena);
    cairn_memory_release(allocator, kept, 1, sizeof *kept);
}
