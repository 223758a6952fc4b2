// The connected components of a problem: rows that one body or one entry of W ties to each other. What is in one has no
// effect on another one, so that each is judged by its own velocities.
#include "solvers/referee/referee.h"

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void unite(int *parent, int a, int b) {
    int x = root_of(parent, a), y = root_of(parent, b);
    parent[x > y ? x : y] = x > y ? y : x;
}

// Nodes are the blocks of dofs, and after them the constraints, for those that have no term.
static void unite_blocks(const CairnProblem *problem, int *parent) {
    for (int k = 0; k < problem->coupling_count; k++) {
        unite(parent, problem->couplings[k].row, problem->couplings[k].column);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int t = 1; t < constraint->term_count; t++) {
            const CairnTerm *term = problem->terms + constraint->first_term;
            unite(parent, term[0].block, term[t].block);
        }
    }
}

static void name_rows(const CairnProblem *problem, int *parent, int *component) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        int root = constraint->term_count > 0 ? root_of(parent, problem->terms[constraint->first_term].block)
                                              : problem->block_count + c;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            component[r] = root;
        }
    }
}

// Nodes are the rows.
static void unite_rows(const CairnProblem *problem, int *parent, int *component) {
    for (int r = 0; r < problem->row_count; r++) {
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            if (problem->W[k] != 0) {
                unite(parent, r, problem->W_column[k]);
            }
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int r = 1; r < constraint->row_count; r++) {
            unite(parent, constraint->first_row, constraint->first_row + r);
        }
    }
    for (int r = 0; r < problem->row_count; r++) {
        component[r] = root_of(parent, r);
    }
}

CairnStatus cairn_referee_find_components(Referee *referee, CairnArena *arena) {
    const CairnProblem *problem = referee->problem;
    bool is_explicit = problem->form == CAIRN_FORM_EXPLICIT;
    int nodes = is_explicit ? problem->row_count : problem->block_count + problem->constraint_count;
    referee->component = CAIRN_PUSH(arena, int, problem->row_count + 1);
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *parent = CAIRN_PUSH(arena, int, nodes + 1);
    if (!referee->component || !parent) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d rows", problem->row_count);
    }
    for (int i = 0; i < nodes; i++) {
        parent[i] = i;
    }
    if (is_explicit) {
        unite_rows(problem, parent, referee->component);
    } else {
        unite_blocks(problem, parent);
        name_rows(problem, parent, referee->component);
    }
    referee->component_count = nodes;
    cairn_arena_release(arena, mark);
    return cairn_ok();
}
