#include "solvers/problem/piece.h"

#include <string.h>

typedef struct Arrays {
    CairnDofBlock *blocks;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    int *rows;
    double *compliance, *right_side, *lower, *upper, *position_error;
} Arrays;

static bool allocate(Arrays *arrays, CairnPiece *piece, int terms, int dofs, CairnArena *arena) {
    const CairnProblem *problem = &piece->problem;
    int m = problem->row_count;
    arrays->blocks = CAIRN_PUSH(arena, CairnDofBlock, problem->block_count + 1);
    arrays->constraints = CAIRN_PUSH(arena, CairnConstraintBlock, problem->constraint_count + 1);
    arrays->terms = CAIRN_PUSH(arena, CairnTerm, terms + 1);
    arrays->rows = CAIRN_PUSH(arena, int, m + 1);
    arrays->compliance = CAIRN_PUSH(arena, double, m + 1);
    arrays->right_side = CAIRN_PUSH(arena, double, m + 1);
    arrays->lower = CAIRN_PUSH(arena, double, m + 1);
    arrays->upper = CAIRN_PUSH(arena, double, m + 1);
    arrays->position_error = CAIRN_PUSH_ZERO(arena, double, m + 1);
    piece->p = CAIRN_PUSH(arena, double, dofs + 1);
    return arrays->blocks && arrays->constraints && arrays->terms && arrays->rows && arrays->compliance &&
           arrays->right_side && arrays->lower && arrays->upper && arrays->position_error && piece->p;
}

static void take_blocks(CairnPiece *piece, const CairnProblem *whole, CairnDofBlock *blocks) {
    CairnProblem *problem = &piece->problem;
    for (int b = 0; b < problem->block_count; b++) {
        blocks[b] = whole->blocks[piece->blocks[b]];
        blocks[b].first = problem->dof_count;
        problem->dof_count += blocks[b].size;
    }
}

static void take_rows(const CairnProblem *whole, const CairnConstraintBlock *from, int row, const Arrays *arrays) {
    for (int i = 0; i < from->row_count; i++) {
        int source = from->first_row + i;
        arrays->rows[row + i] = source;
        arrays->compliance[row + i] = whole->compliance[source];
        arrays->right_side[row + i] = whole->right_side[source];
        arrays->lower[row + i] = whole->lower[source];
        arrays->upper[row + i] = whole->upper[source];
    }
}

static void take_constraints(CairnPiece *piece, const CairnProblem *whole, const CairnPieceBlocks *blocks,
                             const int *constraints, const Arrays *arrays) {
    CairnProblem *problem = &piece->problem;
    int row = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *from = &whole->constraints[constraints[c]];
        arrays->constraints[c] = (CairnConstraintBlock){.first_row = row,
                                                        .row_count = from->row_count,
                                                        .first_term = problem->term_count,
                                                        .friction = -1,
                                                        .id = from->id};
        for (int t = from->first_term; t < from->first_term + from->term_count; t++) {
            int block = whole->terms[t].block;
            if (blocks->owner[block] == blocks->mine) {
                arrays->terms[problem->term_count++] = (CairnTerm){blocks->index[block], whole->terms[t].jacobian};
                arrays->constraints[c].term_count++;
            }
        }
        take_rows(whole, from, row, arrays);
        row += from->row_count;
    }
}

CairnStatus cairn_piece_init(CairnPiece *piece, const CairnProblem *whole, const CairnPieceBlocks *blocks,
                             const int *constraints, int constraint_count, CairnArena *arena) {
    int terms = 0, dofs = 0;
    *piece = (CairnPiece){.problem = {.form = CAIRN_FORM_DYNAMICS,
                                      .step = whole->step,
                                      .block_count = blocks->count,
                                      .constraint_count = constraint_count,
                                      .P = whole->P,
                                      .J = whole->J,
                                      .frames = whole->frames,
                                      .frame_stride = whole->frame_stride},
                          .blocks = blocks->blocks};
    for (int c = 0; c < constraint_count; c++) {
        piece->problem.row_count += whole->constraints[constraints[c]].row_count;
        terms += whole->constraints[constraints[c]].term_count;
    }
    for (int b = 0; b < blocks->count; b++) {
        dofs += whole->blocks[blocks->blocks[b]].size;
    }
    Arrays arrays = {0};
    if (!allocate(&arrays, piece, terms, dofs, arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "piece: no memory for %d rows", piece->problem.row_count);
    }
    piece->rows = arrays.rows;
    take_blocks(piece, whole, arrays.blocks);
    take_constraints(piece, whole, blocks, constraints, &arrays);
    piece->problem.blocks = arrays.blocks;
    piece->problem.constraints = arrays.constraints;
    piece->problem.terms = arrays.terms;
    piece->problem.p = piece->p;
    piece->problem.compliance = arrays.compliance;
    piece->problem.right_side = arrays.right_side;
    piece->problem.lower = arrays.lower;
    piece->problem.upper = arrays.upper;
    piece->problem.position_error = arrays.position_error;
    cairn_piece_restore(piece, whole);
    return cairn_ok();
}

void cairn_piece_restore(CairnPiece *piece, const CairnProblem *whole) {
    for (int b = 0; b < piece->problem.block_count; b++) {
        const CairnDofBlock *from = &whole->blocks[piece->blocks[b]];
        memcpy(piece->p + piece->problem.blocks[b].first, whole->p + from->first, (size_t)from->size * sizeof(double));
    }
}

void cairn_piece_gather(const CairnPiece *piece, const double *x, double *x_piece) {
    for (int i = 0; i < piece->problem.row_count; i++) {
        x_piece[i] = x[piece->rows[i]];
    }
}

void cairn_piece_scatter(const CairnPiece *piece, const double *x_piece, double *x) {
    for (int i = 0; i < piece->problem.row_count; i++) {
        x[piece->rows[i]] = x_piece[i];
    }
}
