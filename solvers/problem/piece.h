// Piece: a problem over some of another problem's dof blocks and constraints. Rows, terms and dofs are numbered anew;
// P and J are shared with the whole, without the terms over blocks that are not in the piece. Friction groups are not
// copied: rows have bounds, and the solver of the whole updates them.
#ifndef CAIRN_SOLVERS_PIECE_H
#define CAIRN_SOLVERS_PIECE_H

#include <cairn/problem.h>

#include "engine/base/arena.h"

typedef struct CairnPiece {
    CairnProblem problem;
    const int *rows;   // its rows in the whole
    const int *blocks; // its blocks in the whole
    double *p;         // problem.p, which may be changed
} CairnPiece;

// The blocks of a piece: those with owner[block] == mine; index[block] is their number in the piece.
typedef struct CairnPieceBlocks {
    const int *owner, *index;
    int mine;
    int count;
    const int *blocks; // in the order of the piece
} CairnPieceBlocks;

CairnStatus cairn_piece_init(CairnPiece *piece, const CairnProblem *whole, const CairnPieceBlocks *blocks,
                             const int *constraints, int constraint_count, CairnArena *arena);

// p of the whole.
void cairn_piece_restore(CairnPiece *piece, const CairnProblem *whole);

// x_piece = x over its rows, and back.
void cairn_piece_gather(const CairnPiece *piece, const double *x, double *x_piece);
void cairn_piece_scatter(const CairnPiece *piece, const double *x_piece, double *x);

#endif
