// GMRES: R(p) = 0 for an R that is affine in p, known only by its values. The solvers use it for a fixed point p = M
// p + c with R = M p + c - p, where a value of R takes one solve with a factor that exists already.
#ifndef CAIRN_SOLVERS_GMRES_H
#define CAIRN_SOLVERS_GMRES_H

#include <cairn/status.h>
#include <stdbool.h>

#include "engine/base/arena.h"

// R = R(p), both n long; false: it has no finite value.
typedef bool (*CairnAffine)(void *user, const double *p, double *R);

// From the p given to the best in a space of at most `most` directions; it ends sooner where |R| is at most
// max(fraction |R(p)|, limit). Where no value is finite p stays.
CairnStatus cairn_gmres(int n, double *p, double fraction, double limit, int most, CairnAffine R, void *user,
                        CairnArena *arena);

#endif
