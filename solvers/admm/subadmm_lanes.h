// Eight subsystems of one shape side by side: everything that subadmm_dense.c does with rows of eights of one subsystem
// is done with one number of each of eight.
#ifndef CAIRN_SOLVERS_SUBADMM_LANES_H
#define CAIRN_SOLVERS_SUBADMM_LANES_H

#include "solvers/admm/subadmm_system.h"

enum { ADMM_BATCH_DOFS = 48, ADMM_BATCH_SLOTS = 64, ADMM_BATCH_ROWS = 6 }; // at most; rows: of a constraint inside

struct AdmmBatch {
    AdmmEight theta, weighted;            // of each lane, as those of a subsystem
    int members[ADMM_LANES], count;       // subsystems; the lanes behind the last are idle
    int size, slots;                      // dofs; slots of the one that has most
    int first_slot;                       // slot k of lane l is first_slot + ADMM_LANES k + l
    int columns;                          // numbers in the rows inside, all soft
    int *reach;                           // of a dof: the last one that its row of U touches
    int *dofs;                            // scratch: of a constraint's columns
    AdmmEight *U, *Z, *R;                 // A = U^T U by rows; U^-T J^T by columns, and U^-T b; J of the rows inside
    AdmmEight *H, *root, *unroot, *start; // the matrix of an iteration; sqrt(beta) and its inverse; sqrt(beta) x(b)
};

// Find the batches: sets `batch` of every subsystem.
CairnStatus cairn_admm_batch(AdmmSystem *system);

// Doubles of a batch's memory, and doubles of its scratch.
size_t cairn_admm_lanes_memory(const AdmmBatch *batch);
size_t cairn_admm_lanes_scratch(const AdmmBatch *batch);
// `columns` and `reach`.
CairnStatus cairn_admm_lanes_shape(const AdmmSystem *system, AdmmBatch *batch);
void cairn_admm_lanes_lay_out(AdmmBatch *batch, double *memory);

// A to U, J^T and b to Z, J of the rows inside to R, and where each column of Z begins.
void cairn_admm_lanes_gather(const AdmmSystem *system, const AdmmBatch *batch, int *from);
// Factors and beta, with this scratch. Returns the subsystem whose matrix is not positive definite, or -1.
int cairn_admm_lanes_prepare(AdmmSystem *system, AdmmBatch *batch, double *memory);
// Eqs. 15 and 14, as cairn_admm_visit_unit. y of these slots is in units of sqrt(beta) x.
void cairn_admm_visit_batch(AdmmSystem *system, AdmmBatch *batch);
// The impulses of the rows inside.
void cairn_admm_lanes_finish(const AdmmSystem *system, const AdmmBatch *batch, double *scratch, double *lambda);

#endif
