// The central path of ipm-cone, parametrised by its length, for problems under Coulomb's law where mu has to rise now
// and then. It always leads to an answer.
#ifndef CAIRN_SOLVERS_IPM_CONE_PATH_H
#define CAIRN_SOLVERS_IPM_CONE_PATH_H

#include "solvers/exact/ipm_cone_interior.h"

typedef struct CairnPath {
    CairnInterior *in;
    double start, blur; // mu of the start
    double mu, ahead;   // of the point; length of the next step
    int count;          // parameters; mu follows them
    bool has_point;     // the iterate is on the path
    bool is_coarse;     // units are those of many parameters
    double *tangent;    // of length one, except for the entries of rows that have been held since
    double size;        // of the direction at hand, along it
    double *now, *unit, *moved;
    double *kept, *kept_tangent, kept_mu; // the last point; rows are held and let go before it is kept
    CairnSoc *states;
} CairnPath;

// NULL: no memory.
CairnPath *cairn_path_make(CairnInterior *in);

// The interior point's centred start at `size` times its mu, which is not yet on the path. blur: of |w_T| of contacts
// that stick, over mu: the path then has no kinks where a contact's sliding turns round, and other folds.
void cairn_path_begin(CairnPath *path, double size, double blur);

// To the path, then to the next point of it; the iterate's w is known. CAIRN_NUMERIC: rounding ends the path here.
CairnStatus cairn_path_step(CairnPath *path);

#endif
