// The form of a problem for subadmm: subsystems, the rows that stay rows, and the two halves of an iteration.
//
// A row is `inside` where no bound limits it, no friction uses it and all its blocks are in one subsystem: it is
// added to A_i (S2 remark 1). The others are numbered anew, constraint by constraint ("rows"), and each subsystem
// that a row acts on has a "slot" for it. Slots of a subsystem are consecutive, filled up to eights; those of the
// eight subsystems of a batch are interleaved.
#ifndef CAIRN_SOLVERS_SUBADMM_SYSTEM_H
#define CAIRN_SOLVERS_SUBADMM_SYSTEM_H

#include "engine/base/arena.h"
#include "solvers/admm/subadmm.h"
#include "solvers/problem/problem_ops.h"

enum { ADMM_LANES = 8 };

typedef double AdmmEight __attribute__((vector_size(64), aligned(64), may_alias));

// A row of the problem stays a row, or is inside a subsystem: soft as J^T C^-1 J in its matrix, hard with its impulse
// as an unknown.
typedef enum AdmmRowKind { ADMM_ROW = 0, ADMM_SOFT, ADMM_HARD } AdmmRowKind;

// A constraint's rows as one subsystem sees them.
typedef struct AdmmSide {
    int item, subsystem;
    int slot;  // of its first row
    int pitch; // to that of the next
} AdmmSide;

// The rows of one constraint that stay rows.
typedef struct AdmmItem {
    int constraint;
    int first_row, row_count; // in the numbering of rows
    int first_side, side_count;
    int friction;      // -1: bounds only
    int first_contact; // of those in `contact_row`, the first that is not of an earlier one
    bool is_plain;     // at most two sides, and bounds or in `contact_row`: done with its rows' levels
} AdmmItem;

typedef struct AdmmRow {
    double d, C, lower, upper;
    double sum; // of 1/beta over its sides, plus C: the divisor of the closed forms under eqs. 19 to 21
    int row;    // in the problem
} AdmmRow;

// The rows as an iteration reads them, in consecutive arrays: the level of a row is (d + velocity[a] + velocity[b])
// scale.
typedef struct AdmmLevels {
    double *d, *scale, *lower, *upper;
    int *a, *b; // slots of its first two sides
} AdmmLevels;

typedef struct AdmmBatch AdmmBatch; // alike subsystems side by side: subadmm_lanes.h

typedef struct AdmmSubsystem {
    int batch;                      // -1: by itself
    int pitch;                      // stride from one of its slots to the next
    int first_block, block_count;   // in `blocks`
    int first_side, side_count;     // in `side_of`
    int first_inside, inside_count; // in `inside`
    int hard_count;                 // rows
    int first_coupling, coupling_count;
    int first_held, held_count; // rows without bounds that are shared with other subsystems, in `held`
    int size, stride;           // dofs, and those in eights
    int first_slot, width;      // slots, and those in eights
    int slots;
    double *stage;          // the factored dynamics, and behind them:
    double *Z;              // (size + hard_count) x width: U^-T J^T, then T for the hard rows
    double *H;              // width x width, or NULL where Z is shorter
    double theta, weighted; // its term of eq. 22; that term weighted with 1/beta^2
    double raised; // the regularisation of rows inside that depend on one another, as a fraction of their diagonal
    struct AdmmSparse *sparse; // too large to be dense; NULL: dense
} AdmmSubsystem;

typedef struct AdmmSystem {
    const char *name;
    const CairnProblem *problem;
    const CairnSubadmmOptions *options;
    CairnSolverContext *context;
    int subsystem_count, item_count, side_count, row_count, slot_count, inside_count;
    AdmmSubsystem *subsystems;
    AdmmBatch *batches;
    int batch_count;
    int *alone; // subsystems that are in no batch
    int alone_count;
    AdmmItem *items;
    AdmmSide *sides; // item by item
    AdmmRow *rows;
    int *side_of;     // subsystem by subsystem
    int *blocks;      // subsystem by subsystem
    int *part;        // block -> subsystem
    int *local;       // block -> its first dof in its subsystem
    int *inside;      // constraints with rows inside, subsystem by subsystem
    int *coupling_of; // likewise
    int *held;        // slots, likewise
    unsigned char *row_kind;
    int *slot_row;    // slot -> row; fillers have row_count, whose impulse is 0
    double *base;     // beta x(b)
    double *y;        // eq. 18
    double *velocity; // y/beta, and one 0
    AdmmLevels levels;
    int *contact_row;   // the first rows of contacts of Coulomb's law with nothing else to them
    double *contact_mu; // their friction
    int contact_count;
    double *P_diagonal, *A_diagonal; // of P, and of all A_i with their soft rows
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

// Units of work, which may run in parallel: the subsystems that are alone, and the batches.
int cairn_admm_unit_count(const AdmmSystem *system);
// Eqs. 15 and 14 of one unit: y from lambda. Its theta and weighted are set.
void cairn_admm_visit_unit(AdmmSystem *system, int unit);

// Set the divisors of the closed forms of a constraint's rows (eq. 16), once every side has its beta. Called in the
// order of the items.
void cairn_admm_level_item(AdmmSystem *system, AdmmItem *item);

// Eq. 16 of the constraints from `first` up to `end`: lambda from y.
void cairn_admm_visit_items(AdmmSystem *system, int first, int end);

// The velocity that a unit impulse on a row causes in one subsystem, estimated with a diagonal over the dofs.
double cairn_admm_mobility(const AdmmSystem *system, int part, const CairnConstraintBlock *constraint, int r,
                           const double *diagonal);
// The diagonal of all A_i with their soft rows.
void cairn_admm_find_diagonal(AdmmSystem *system);
// Eq. 23 of one subsystem. mobility: by its slots, the velocity that a unit impulse on a row causes; scratch where it
// is not known.
void cairn_admm_choose_beta(AdmmSystem *system, const AdmmSubsystem *sub, double *mobility, bool is_known);
// Correct the mobility of a dense subsystem, once its dynamics are factored, for the neighbours that it is tied to.
void cairn_admm_constrain_neighbours(const AdmmSystem *system, const AdmmSubsystem *sub, double *scratch,
                                     double *mobility);
// Whether a row's compliance is less than a millionth of its mobility.
static inline bool cairn_admm_is_rigid(double compliance, double mobility) {
    return compliance < 1e-6 * mobility;
}

// Write the rows' impulses to `lambda` (rows of the problem), and the impulses of the rows inside that follow from
// them.
CairnStatus cairn_admm_finish(AdmmSystem *system, double *lambda);

// ---- dense subsystems ----

// Doubles of a subsystem's memory, and doubles of its scratch.
size_t cairn_admm_dense_memory(const AdmmSubsystem *sub);
size_t cairn_admm_dense_scratch(const AdmmSubsystem *sub);
void cairn_admm_dense_lay_out(AdmmSubsystem *sub, double *memory);
// The factor of A, and diag(J A^-1 J^T) by slots. False: it is not positive definite.
bool cairn_admm_dense_dynamics(AdmmSystem *system, AdmmSubsystem *sub, double *scratch, double *mobility);
// Make the matrices of an iteration for the present beta. False: they are not positive definite.
bool cairn_admm_dense_penalty(AdmmSystem *system, AdmmSubsystem *sub, double *scratch);
// out = beta x of the slots for s = beta z - u.
void cairn_admm_dense_apply(const AdmmSystem *system, const AdmmSubsystem *sub, const double *s, double *out);
void cairn_admm_dense_finish(const AdmmSystem *system, const AdmmSubsystem *sub, double *scratch, double *lambda);

// ---- sparse ones ----

CairnStatus cairn_admm_sparse_init(AdmmSystem *system, AdmmSubsystem *sub);
// out = beta x of the slots for s = beta z - u.
void cairn_admm_sparse_apply(const AdmmSystem *system, const AdmmSubsystem *sub, const double *s, double *out);
CairnStatus cairn_admm_sparse_finish(const AdmmSubsystem *sub, double *lambda);
double cairn_admm_sparse_raised(const AdmmSubsystem *sub);

#endif
