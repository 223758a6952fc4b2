// Smooth: Newton's method on the law of all rows with its corners rounded off by eps, m/s, which goes to zero with the
// residual. Coulomb's law is in it as it is: the derivative of De Saxce's rise makes the Newton matrix unsymmetric, and
// an iteration is one unsymmetric factor in body space and one solve.
//
// For a cone let s = (mu r_N, r_T) and phi(w) = (w_N / mu + |w_T|, w_T), without |w_T| under the convex law. Both lie in
// the second-order cone L, and the law says s in L, phi in L, s . phi = 0: with any k > 0
//
//     F = k s - P(k s - phi(w)) = 0,      P the projection onto L
//
// (Acary and Brogliato 2008, chapter 13). P acts on the two eigenvalues of its argument by max(0, t), and
// (t + sqrt(t^2 + 4 eps^2)) / 2 instead makes F smooth (Chen, Harker, Kanzow and Smale's function on the cone, Fukushima,
// Luo and Tseng 2001): its zero has s o phi = eps^2 / k, as the central path of an interior point has. Rows with bounds
// are the same with one dimension. Started near the answer (by sweeps, or by the last step) it needs a few factors; it
// need not stay inside the cones, so a start costs nothing.
#ifndef CAIRN_SOLVERS_SMOOTH_H
#define CAIRN_SOLVERS_SMOOTH_H

#include "solvers/exact/cones.h"

typedef struct CairnSmooth CairnSmooth;

// Memory for it from the context's arena, once a solve; NULL: there is none. Where the system is neither in body space
// nor a given W *takes is false. CAIRN_UNSUPPORTED: W is too large.
CairnStatus cairn_smooth_make(CairnCones *cones, CairnSmooth **smooth, bool *takes);

// From now on starts from nothing hold impulses for so many times as stiff, which is 1 at first: each leads along a path
// of its own.
void cairn_smooth_stiffen(CairnSmooth *smooth, double stiffness);

// At most `steps` steps from the iterate, whose w is known. The iterate becomes the best that was seen, with its measure.
CairnStatus cairn_smooth_run(CairnSmooth *smooth, int steps, double *measure);

// Along paths by their length (smooth_path.h) from nothing, at most `steps` steps on each of three, and from their ends. The
// iterate becomes the best that was seen, itself as it was included.
CairnStatus cairn_smooth_follow(CairnSmooth *smooth, int steps, double *measure);

#endif
