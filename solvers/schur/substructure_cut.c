// Assigns blocks and constraints to the parts, and the constraints between parts to the interface.
#include "solvers/schur/substructure_cut.h"

static bool take_cut(CairnCut *cut, const CairnProblem *problem, int parts, CairnArena *arena) {
    int terms = 0, rows = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        terms += problem->constraints[c].term_count;
        rows += problem->constraints[c].term_count * problem->constraints[c].row_count;
    }
    cut->index = CAIRN_PUSH(arena, int, problem->block_count + 1);
    cut->blocks = CAIRN_PUSH(arena, int, problem->block_count + 1);
    cut->block_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->inner = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    cut->inner_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->edge = CAIRN_PUSH(arena, int, terms + 1);
    cut->edge_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->crossing = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    cut->gamma_row = CAIRN_PUSH(arena, int, problem->row_count + 1);
    cut->gamma_of = CAIRN_PUSH(arena, int, rows + 1);
    return cut->index && cut->blocks && cut->block_start && cut->inner && cut->inner_start && cut->edge &&
           cut->edge_start && cut->crossing && cut->gamma_row && cut->gamma_of;
}

// Is this the first term of the constraint in its part?
static bool is_first(const CairnCut *cut, const CairnProblem *problem, const CairnConstraintBlock *constraint,
                     int term) {
    for (int t = constraint->first_term; t < term; t++) {
        if (cut->part[problem->terms[t].block] == cut->part[problem->terms[term].block]) {
            return false;
        }
    }
    return true;
}

static void list_blocks(CairnCut *cut, const CairnProblem *problem, int parts) {
    for (int b = 0; b < problem->block_count; b++) {
        cut->index[b] = cut->block_start[cut->part[b] + 1]++;
    }
    for (int i = 0; i < parts; i++) {
        cut->block_start[i + 1] += cut->block_start[i];
    }
    for (int b = 0; b < problem->block_count; b++) {
        cut->blocks[cut->block_start[cut->part[b]] + cut->index[b]] = b;
    }
}

// Constraints whose blocks lie in several parts, with their rows; one without any block belongs to the first part.
static void find_interface(CairnCut *cut, CairnInterface *interface, const CairnProblem *problem, int *rows) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int last = constraint->first_term + constraint->term_count, several = 0;
        for (int t = constraint->first_term; t < last; t++) {
            several += is_first(cut, problem, constraint, t);
        }
        cut->crossing[c] = several > 1 ? cut->gamma_count++ : -1;
        for (int i = 0; i < constraint->row_count && several > 1; i++) {
            cut->gamma_row[constraint->first_row + i] = interface->row_count;
            rows[interface->row_count++] = constraint->first_row + i;
        }
        if (several > 1) {
            for (int t = constraint->first_term; t < last; t++) {
                cut->edge_start[cut->part[problem->terms[t].block] + 1] += is_first(cut, problem, constraint, t);
            }
        } else {
            int part = several == 1 ? cut->part[problem->terms[constraint->first_term].block] : 0;
            cut->inner_start[part + 1]++;
        }
    }
    interface->rows = rows;
}

static void list_constraints(CairnCut *cut, const CairnProblem *problem, int parts, int *inner_next, int *edge_next) {
    for (int i = 0; i < parts; i++) {
        cut->inner_start[i + 1] += cut->inner_start[i];
        cut->edge_start[i + 1] += cut->edge_start[i];
        inner_next[i] = cut->inner_start[i];
        edge_next[i] = cut->edge_start[i];
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        if (cut->crossing[c] < 0) {
            int part = constraint->term_count > 0 ? cut->part[problem->terms[constraint->first_term].block] : 0;
            cut->inner[inner_next[part]++] = c;
            continue;
        }
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            if (is_first(cut, problem, constraint, t)) {
                cut->edge[edge_next[cut->part[problem->terms[t].block]]++] = c;
            }
        }
    }
}

CairnStatus cairn_cut_make(CairnSubstructure *sub, CairnCut *cut) {
    CairnArena *arena = sub->context->arena;
    const CairnProblem *problem = sub->problem;
    int *rows = CAIRN_PUSH(arena, int, problem->row_count + 1);
    int *inner_next = CAIRN_PUSH(arena, int, sub->count), *edge_next = CAIRN_PUSH(arena, int, sub->count);
    if (!rows || !inner_next || !edge_next || !take_cut(cut, problem, sub->count, arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d parts", sub->count);
    }
    list_blocks(cut, problem, sub->count);
    find_interface(cut, &sub->interface, problem, rows);
    list_constraints(cut, problem, sub->count, inner_next, edge_next);
    return cairn_ok();
}
