// The referee's algebra. Except for the sum of a vector's eight numbers (eights.h) it uses no code of the solvers or
// of problem_ops, so that a mistake there cannot hide here.
#ifndef CAIRN_SOLVERS_REFEREE_H
#define CAIRN_SOLVERS_REFEREE_H

#include <cairn/solver.h>

#include "engine/base/arena.h"
#include "engine/base/pieces.h"

// A problem and a lambda, evaluated.
typedef struct Referee {
    const CairnProblem *problem;
    const double *lambda;
    int threads;         // that rows may be evaluated by; the bits do not depend on it
    double *w;           // A lambda + b
    double *b;           // J P^-1 p + d
    double *D;           // |diag(A)|, 1 where that is 0
    double *norm;        // of each friction group: ||A_cc||_2 of its rows n, t1, t2, or 1 where they have no weight
    int *component;      // of each row, in [0, component_count): cairn_referee_find_components
    int component_count; // some of them may have no row
    double *scaled;      // the residual of each row, m/s, by its bounds or as a part of its cone
    double *cone;        // of each friction group of CONE or COULOMB: the square of its map by its law, else 0
} Referee;

// Fill w, b, D and norm from P, J, C or W alone, and allocate the other arrays.
CairnStatus cairn_referee_evaluate(Referee *referee, CairnArena *arena);

// Find the connected components.
CairnStatus cairn_referee_find_components(Referee *referee, CairnArena *arena);

// The largest sum of |J| |v| + |d| among the rows of each component, m/s, v being the velocities without impulses: b is
// the difference of such numbers, and known to their rounding only. 0 in explicit problems, where b is given.
CairnStatus cairn_referee_find_sizes(const Referee *referee, CairnArena *arena, double *size);

// Sums over rows and groups are made piece by piece, and those of the pieces added in order, whatever the number of
// threads.
enum { REFEREE_PIECES = 64, REFEREE_FEW = 512 };

static inline int cairn_referee_pieces(int count) {
    return count > REFEREE_FEW ? REFEREE_PIECES : 1;
}

// Where it begins, and the one before it ends.
static inline int cairn_referee_piece(int count, int piece) {
    return cairn_range_begin(count, piece, cairn_referee_pieces(count));
}

// The residuals of the friction cones of a problem (the measure of data/README.md, squared and summed, before it is
// scaled).
typedef struct RefereeCones {
    double corrected, convex; // over all groups, with and without De Saxce's term
    double right_side;        // |q|^2 over the groups' rows n, t1, t2
} RefereeCones;

// ||a||_2 of a 3x3 block, symmetric or not; 1 for a block of zeros.
double cairn_referee_block_norm(double a[3][3]);

// The natural map of one group, (r - P_K(r - rho u^)) / rho with rho = 1 / norm.
void cairn_referee_cone_map(const Referee *referee, int group, bool is_corrected, double norm, double map[3]);
RefereeCones cairn_referee_cones(const Referee *referee);

// Fischer-Burmeister, m/s: of a row with bounds, and the largest component of a cone's.
double cairn_referee_fb_row(double D, double lambda, double w, double lower, double upper);
double cairn_referee_fb_cone(const Referee *referee, int group);

#endif
