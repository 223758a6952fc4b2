// The path of the zeros of F (smooth.h) over eps, followed by its length: the last way of Newton's method. Where
// Coulomb's law has several answers nearby the path turns back at a fold: no point of it has a smaller eps, and a step
// for a smaller one leads nowhere. By its length it goes on: eps rises for a while and falls again behind the next
// fold.
#ifndef CAIRN_SOLVERS_SMOOTH_PATH_H
#define CAIRN_SOLVERS_SMOOTH_PATH_H

#include "solvers/exact/smooth_system.h"

// From nothing and from eps = first, or a larger one where the path is not found there, at most `steps` steps of one
// factor. It ends where eps is so small that Newton's method goes on alone, or where the path is lost; *eps is that of
// the iterate, whose w is known.
CairnStatus cairn_smooth_path(CairnSmoothSystem *system, double first, int steps, CairnBest *best, double *eps);

#endif
