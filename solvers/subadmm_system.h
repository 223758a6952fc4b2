// What subadmm makes of a problem: subsystems, the rows that stay rows, and the two halves of an iteration.
//
// A row is `inside` where no bound limits it, no friction uses it and one subsystem has all of it: it is part of A_i (S2 remark 1). The
// others are numbered anew, constraint by constraint ("rows"), and each subsystem that a row acts on has a place for it ("slot"). Slots of a
// subsystem lie together, filled up to eights.
#ifndef CAIRN_SOLVERS_SUBADMM_SYSTEM_H
#define CAIRN_SOLVERS_SUBADMM_SYSTEM_H

#include "engine/base/arena.h"
#include "solvers/problem_ops.h"
#include "solvers/subadmm.h"

enum { ADMM_LANES = 8 };

typedef double AdmmEight __attribute__((vector_size(64), aligned(64), may_alias));

typedef enum AdmmPlace { ADMM_ROW = 0, ADMM_SOFT, ADMM_HARD } AdmmPlace;

// A constraint's rows as one subsystem sees them.
typedef struct AdmmSide {
    int item, subsystem;
    int slot; // of its first row
} AdmmSide;

// The rows of one constraint that stay rows.
typedef struct AdmmItem {
    int constraint;
    int first_row, row_count; // in the numbering of rows
    int first_side, side_count;
    int friction; // -1: bounds only
} AdmmItem;

typedef struct AdmmRow {
    double d, C, lower, upper;
    double sum;   // of 1/beta over its sides, plus C: what divides in the closed forms under eqs. 19 to 21
    double scale; // -1/sum
    int row;      // in the problem
} AdmmRow;

typedef struct AdmmSubsystem {
    int first_block, block_count;               // in `blocks`
    int first_side, side_count;                 // in `side_of`
    int first_inside, inside_count, hard_count; // problem rows in `inside`, soft ones first
    int size, stride;                           // dofs, and those in eights
    int first_slot, width;                      // slots, and those in eights
    int slots;
    double *Z;                 // (size + hard_count) x width: L^-1 J^T, then what the hard rows take away
    double *H;                 // width x width, or NULL where Z is shorter
    double theta, weighted;    // its share of eq. 22; the same with 1/beta^2
    struct AdmmSparse *sparse; // too large to be dense; NULL: dense
} AdmmSubsystem;

typedef struct AdmmSystem {
    const char *name;
    const CairnProblem *problem;
    const CairnSubadmmOptions *options;
    CairnSolverContext *context;
    int subsystem_count, item_count, side_count, row_count, slot_count, inside_count;
    AdmmSubsystem *subsystems;
    AdmmItem *items;
    AdmmSide *sides; // item by item
    AdmmRow *rows;
    int *side_of;    // subsystem by subsystem
    int *blocks;     // subsystem by subsystem
    int *part;       // block -> subsystem
    int *local;      // block -> its first dof in its subsystem
    int *inside;     // problem rows
    int *constraint; // problem row -> its constraint
    unsigned char *place;
    int *slot_row; // slot -> row; fillers have row_count, whose impulse is 0
    double *base;  // beta x(b)
    double *y;     // eq. 18
    double *slot_beta;
    double *inverse; // 1/beta
    double *lambda;  // by rows, and one 0
    double *scratch; // of each thread
    size_t scratch_size;
    int threads;
} AdmmSystem;

// Subsystems, items, sides and slots.
CairnStatus cairn_admm_divide(AdmmSystem *system, const CairnParts *parts, bool is_whole);

// beta of every subsystem (eq. 23), the factors, y of the warm start (all rows of the problem).
CairnStatus cairn_admm_prepare(AdmmSystem *system, const double *warm);

// The calling thread's scratch.
double *cairn_admm_scratch(const AdmmSystem *system);

// Eqs. 15 and 14 of one subsystem: y from lambda. Its theta and weighted are set.
void cairn_admm_visit_subsystem(AdmmSystem *system, AdmmSubsystem *sub);

// Eq. 16 of one constraint: lambda from y.
void cairn_admm_visit_item(AdmmSystem *system, const AdmmItem *item);

// The impulses of the rows inside, as the dynamics of their subsystem answer to the rows' impulses; all to `lambda` (rows of the problem).
CairnStatus cairn_admm_finish(AdmmSystem *system, double *lambda);

// ---- dense subsystems ----

// Doubles of scratch that a subsystem wants.
size_t cairn_admm_dense_scratch(const AdmmSubsystem *sub);
// False: the matrix is not positive definite.
bool cairn_admm_dense_factor(AdmmSystem *system, AdmmSubsystem *sub, double *scratch);
// x = H s over the slots.
void cairn_admm_dense_apply(const AdmmSubsystem *sub, const double *s, double *x);
bool cairn_admm_dense_finish(AdmmSystem *system, const AdmmSubsystem *sub, double *scratch, double *lambda);

// ---- sparse ones ----

CairnStatus cairn_admm_sparse_init(AdmmSystem *system, AdmmSubsystem *sub);
// out = beta x of the slots for s = beta z - u.
void cairn_admm_sparse_apply(const AdmmSystem *system, const AdmmSubsystem *sub, const double *s, double *out);
CairnStatus cairn_admm_sparse_finish(const AdmmSubsystem *sub, double *lambda);

#endif
