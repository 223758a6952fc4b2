#include "solvers/problem/graph.h"

static void fill_nodes(const CairnProblem *problem, uint64_t *id, double *mass, int *group, int *dofs) {
    for (int i = 0; i < problem->block_count; i++) {
        id[i] = problem->blocks[i].id;
        mass[i] = problem->blocks[i].mass;
        group[i] = problem->blocks[i].group;
        dofs[i] = problem->blocks[i].size;
    }
}

CairnStatus cairn_problem_graph(const CairnProblem *problem, CairnArena *arena, CairnGraph *graph) {
    if (!problem || !arena || !graph) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "cairn_problem_graph: an argument is NULL");
    }
    bool has_dofs = problem->form == CAIRN_FORM_DYNAMICS;
    int nodes = has_dofs ? problem->block_count : 0;
    int edges = has_dofs ? problem->constraint_count : 0;
    int ends = 0;
    for (int i = 0; i < edges; i++) {
        ends += problem->constraints[i].term_count;
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    uint64_t *id = CAIRN_PUSH(arena, uint64_t, nodes + 1);
    double *mass = CAIRN_PUSH(arena, double, nodes + 1);
    int *group = CAIRN_PUSH(arena, int, nodes + 1);
    int *dofs = CAIRN_PUSH(arena, int, nodes + 1);
    int *rows = CAIRN_PUSH(arena, int, edges + 1);
    int *start = CAIRN_PUSH(arena, int, edges + 1);
    int *node = CAIRN_PUSH(arena, int, ends + 1);
    if (!id || !mass || !group || !dofs || !rows || !start || !node) {
        cairn_arena_release(arena, mark);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "constraint graph: no memory for %d nodes and %d edges", nodes, edges);
    }
    if (nodes > 0) {
        fill_nodes(problem, id, mass, group, dofs);
    }
    int end = 0;
    for (int i = 0; i < edges; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[i];
        start[i] = end;
        rows[i] = constraint->row_count;
        for (int k = 0; k < constraint->term_count; k++) {
            node[end++] = problem->terms[constraint->first_term + k].block;
        }
    }
    start[edges] = end;
    *graph = (CairnGraph){nodes, edges, id, mass, group, dofs, rows, start, node};
    return cairn_ok();
}
