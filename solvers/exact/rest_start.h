// Rest: which of several answers of Coulomb's law is taken where no impulses are known.
//
// A tower that is put down may have an answer in which it stands and others in which it comes apart. The convex law has
// one motion alone, the one of least energy, and it stands wherever any impulses within the cones hold it; at rest both
// laws are the same, for nothing slides that De Saxce's rise would lift. So Coulomb's law is sought from there.
#ifndef CAIRN_SOLVERS_REST_START_H
#define CAIRN_SOLVERS_REST_START_H

#include <cairn/solver.h>

// Writes the impulses of the convex law to lambda where connected components in which lambda is 0 though their contacts
// close (by b, the velocities of rows without impulses) have half of all rows or more, as when a scene is put down: to
// those components alone. *factors counts the factors of the convex solve; 0: nothing was written.
CairnStatus cairn_rest_start(const CairnProblem *problem, const CairnParts *parts, const CairnSolverContext *context,
                             const double *b, double *lambda, int *factors);

#endif
