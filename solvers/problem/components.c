#include "solvers/problem/components.h"

#include <float.h>
#include <math.h>

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void unite(int *parent, int a, int b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Nodes are the blocks of dofs; a constraint without a term, which nothing moves, counts to the first of them.
static void unite_blocks(const CairnProblem *problem, int *parent) {
    for (int k = 0; k < problem->coupling_count; k++) {
        unite(parent, problem->couplings[k].row, problem->couplings[k].column);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnTerm *terms = problem->terms + problem->constraints[c].first_term;
        for (int t = 1; t < problem->constraints[c].term_count; t++) {
            unite(parent, terms[0].block, terms[t].block);
        }
    }
}

static void unite_rows(const CairnProblem *problem, int *parent) {
    for (int i = 0; i < problem->row_count; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            if (problem->W[k] != 0) {
                unite(parent, i, problem->W_column[k]);
            }
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        for (int r = 1; r < problem->constraints[c].row_count; r++) {
            unite(parent, problem->constraints[c].first_row, problem->constraints[c].first_row + r);
        }
    }
}

static void name_rows(const CairnProblem *problem, int *parent, int *node) {
    for (int i = 0; i < problem->row_count && problem->form == CAIRN_FORM_EXPLICIT; i++) {
        node[i] = root_of(parent, i);
    }
    for (int c = 0; c < problem->constraint_count && problem->form == CAIRN_FORM_DYNAMICS; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int root = constraint->term_count > 0 ? root_of(parent, problem->terms[constraint->first_term].block) : 0;
        for (int r = 0; r < constraint->row_count; r++) {
            node[constraint->first_row + r] = root;
        }
    }
}

// The velocities of each component: what its rows have to bring to rest, or what bounds that exclude 0 force on it; and
// not less than what b, a difference of the bodies' velocities, is known to. A velocity of turning counts by the energy
// that is in it, as one of the block's first dof.
static void find_scales(const CairnComponents *components, const CairnProblem *problem, int *parent, const int *node,
                        double *scale) {
    static const double known = 1e10 * 4 * DBL_EPSILON; // as a solver's target is 1e-10 of a scale
    for (int k = 0; k < problem->block_count && components->v != NULL; k++) {
        CairnDofBlock block = problem->blocks[k];
        const double *P = problem->P + block.matrix;
        double *largest = &scale[root_of(parent, k)], energy = 0;
        for (int i = block.first; i < block.first + block.size; i++) {
            double diagonal = P[(i - block.first) * (block.size + 1)];
            double share = diagonal == P[0] ? 1 : diagonal / P[0]; // of all that do not turn
            energy = cairn_max(energy, share * components->v[i] * components->v[i]);
        }
        *largest = cairn_max(*largest, known * sqrt(energy));
    }
    for (int i = 0; i < problem->row_count;) {
        int own = node[i]; // rows of a component often follow each other
        double largest = scale[own];
        for (; i < problem->row_count && node[i] == own; i++) {
            double forced = components->D[i] * fabs(cairn_clamp(0, components->lower[i], components->upper[i]));
            largest = cairn_max(largest, cairn_max(fabs(components->b[i]), forced));
        }
        scale[own] = largest;
    }
}

// False: all rows weigh the same.
static bool write_weights(const CairnProblem *problem, const int *node, const double *scale, double largest,
                          double *weight) {
    bool is_plain = true;
    int last = -1;
    for (int i = 0; i < problem->row_count; i++) {
        if (node[i] == last) {
            weight[i] = weight[i - 1];
            continue;
        }
        last = node[i];
        double own = scale[last];
        weight[i] = own > 0 && isfinite(largest / own) ? largest / own : 1; // 0: there is nothing to do in it
        is_plain = is_plain && weight[i] == 1;
    }
    return !is_plain;
}

void cairn_components_name(const CairnProblem *problem, int *parent, int *node) {
    bool is_explicit = problem->form == CAIRN_FORM_EXPLICIT;
    int nodes = is_explicit ? problem->row_count : problem->block_count;
    for (int i = 0; i <= nodes; i++) {
        parent[i] = i;
    }
    if (is_explicit) {
        unite_rows(problem, parent);
    } else {
        unite_blocks(problem, parent);
    }
    name_rows(problem, parent, node);
}

CairnStatus cairn_components_weigh(CairnComponents *components, const CairnProblem *problem, CairnArena *arena) {
    int rows = problem->row_count, nodes = problem->form == CAIRN_FORM_EXPLICIT ? rows : problem->block_count;
    double *weight = CAIRN_PUSH(arena, double, rows + 1);
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *parent = CAIRN_PUSH(arena, int, nodes + 1), *node = CAIRN_PUSH(arena, int, rows + 1);
    double *scale = CAIRN_PUSH_ZERO(arena, double, nodes + 1);
    if (!weight || !parent || !node || !scale) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "components: no memory for %d rows", rows);
    }
    cairn_components_name(problem, parent, node);
    find_scales(components, problem, parent, node, scale);
    components->scale = 0;
    for (int i = 0; i < rows; i++) {
        if (i == 0 || node[i] != node[i - 1]) {
            components->scale = cairn_max(components->scale, scale[node[i]]);
        }
    }
    components->weight = write_weights(problem, node, scale, components->scale, weight) ? weight : NULL;
    cairn_arena_release(arena, mark);
    return cairn_ok();
}
