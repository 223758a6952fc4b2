// The dense part of a front: its pivots and the update of the rows below. A symmetric front is one panel L, an
// unsymmetric one two of the same layout: the lower part, and the transpose of the upper part.
#ifndef CAIRN_SOLVERS_LINALG_PANEL_H
#define CAIRN_SOLVERS_LINALG_PANEL_H

#include "solvers/linalg/linalg.h"

// Doubles of the scratch `work` for fronts of so many pivots.
size_t cairn_linalg_panel_work(int pivots);

// C -= L D R[rows]^T for columns [0, columns) of C, on and below the diagonal (a little above it is written too): L and
// R are rows x depth, column j of C belongs to row `first` + j of R, and C's rows are L's.
void cairn_linalg_panel_update(int rows, int first, int columns, int depth, const double *L, const double *R,
                               int stride, const double *pivots, double *C, int C_stride, double *work);

// L D L^T of the pivots' rows, and L of the rows below. Returns -1 or the pivot that lost its sign.
int cairn_linalg_panel_factor(const CairnLinalgSupernode *super, double *panel, const double *scale, double *pivots,
                              double *inverse, double *work);

// L D U: lower becomes L, upper U^T, both without their unit diagonals. Returns -1 or the pivot that vanished.
int cairn_linalg_panel_factor_two(const CairnLinalgSupernode *super, double *lower, double *upper, const double *scale,
                                  double *pivots, double *inverse, double *work);

#endif
