// The packed form of a problem for cone sweeps (psor, pssor, pj), their order, and the sweeps.
//
// Everything happens in u = L^T v with P = L L^T, so a contact's g = J P^-1 J^T + C (S1 step 1) and its velocity come
// from the same numbers. Constraints lie in strips (sor_strips.c): threads take strips that share no dof block, and
// any number of them gives the same bits. Contacts of two rigid bodies (or one) with a cone are packed eight side by
// side, a lane each, no body twice in a group, in the order of the sweep, which then reads memory once from front to
// back. Joints of rigid bodies, and contacts with fixed bounds, lie in separate lanes (sor_joints.c). What does not
// fit there is an item and visited row by row: rows whose bounds follow an impulse, other blocks or more than two,
// more than six rows, joints whose two lines are not opposite, those that would have a group for themselves where a
// strip has many such, and every row of an explicit problem.
//
// Bytes that a contact's visit touches, 8 a number: between round bodies (a multiple of 1 as inertia, arms along the
// normal) 18 numbers, 2 indices and two bodies of 8 numbers, 280 in all; between other rigid bodies 22 numbers, 2
// indices and two bodies of 13 numbers, 392. Three of the numbers are its material's; where all contacts have one
// material they are stored once: 256 and 368.
#ifndef CAIRN_SOLVERS_SOR_H
#define CAIRN_SOLVERS_SOR_H

#include <cairn/solver.h>

#include "solvers/problem/pgs_rows.h"
#include "solvers/problem/problem_ops.h"

enum {
    SOR_LANES = 8,
    SOR_BODY = 8,    // of u: six velocities, then 1/sqrt(m) and the first number of the inertia's factor
    SOR_INERTIA = 5, // the rest of that factor, apart: round bodies do not need it
    SOR_ROUND_ROWS = 16,
    SOR_GENERAL_ROWS = 20,
    SOR_LAW_ROWS = 3,  // behind these, where contacts differ in them
    SOR_JOINT_ROWS = 6 // most of a joint in a lane
};

// The row of each of a lane's numbers in a packed group, whose rows have eight lanes; the last of SOR_..._ROWS holds
// the bodies' offsets in u, as integers.
enum {
    SOR_NORMAL = 0,  // n
    SOR_TANGENT = 3, // t1; t2 = n x t1
    SOR_ETA = 6,     // omega eta
    SOR_D = 7,
    SOR_LAMBDA = 10,
    SOR_ARM_A = 13,       // round: the arm is this times n
    SOR_ROUND_ARM_B = 14, // round: the arm is minus this times n
    SOR_ARM_B = 16
};

// And of the law's rows.
enum { SOR_MU = 0, SOR_COMPLIANCE = 1 }; // C of the normal, then of both tangents

_Static_assert(8 * (SOR_ROUND_ROWS + SOR_LAW_ROWS + 2 * SOR_BODY) == 280, "bytes of a round contact");
_Static_assert(8 * (SOR_GENERAL_ROWS + SOR_LAW_ROWS + 2 * (SOR_BODY + SOR_INERTIA)) <= 400, "bytes of a contact");

typedef double SorEight __attribute__((vector_size(64), aligned(64), may_alias));

typedef enum SorShape { SOR_ITEM, SOR_ROUND, SOR_GENERAL, SOR_JOINT } SorShape;

// A constraint that lies in no lane.
typedef struct SorItem {
    int first_row, row_count;
    int first_link, link_count;
    int cone;    // friction group whose first three rows are a cone, or -1
    int current; // friction group whose rows follow the present normal impulse, or -1
    double eta;  // omega eta of the cone
    size_t J;    // offset of its first row
    int stride;  // numbers a row
} SorItem;

// A group of joints in lanes.
typedef struct SorJoints {
    int rows;            // of its longest
    unsigned is_bounded; // bit i: row i of some lane has a bound
    unsigned is_line;    // bit i: row i of some lane does not only turn
    ptrdiff_t at;        // of its numbers in `joint`
    ptrdiff_t impulses;  // offset of its impulses among those of all groups
} SorJoints;

typedef struct SorGroups {
    int first, count;
} SorGroups;

// A strip, which one thread visits: groups of round contacts, groups of other contacts, groups of joints, items.
typedef struct SorStrip {
    int first, count; // of the sequence
    SorGroups round, general, joints, items;
} SorStrip;

// Sums over the sweep of a strip, for momentum.
typedef struct SorSums {
    double turn;      // (y - x_(k+1)) . (x_(k+1) - x_k)
    double change;    // |x_(k+1) - y|^2, both weighted
    double objective; // without |u|^2 / 2
} SorSums;

// The last impulses and u (sor_momentum.c).
typedef struct SorMomentum {
    double t, beta;
    double objective, least; // of x_k; the least change of a sweep
    bool is_convex, goes_back;
    bool starts, ends;    // the sweep at hand: of pssor's two only the first, only the second
    double *last, *begun; // x_k and y of the lanes, 24 a group of contacts
    double *joint_last, *joint_begun;
    double *row_last, *row_begun, *u_last;
    SorSums *sums; // of each strip
} SorMomentum;

typedef struct SorSettings {
    const char *name;
    double omega, lambda;
    double limit; // of omega eta |g| where it is guarded
    bool is_jacobi, is_symmetric;
    bool is_guarded; // omega eta |g| <= limit: below 2, which eta = 3 / trace(g) alone does not promise
    int threads;
} SorSettings;

typedef struct SorSystem {
    const CairnProblem *problem;
    SorSettings settings;
    CairnOps ops;
    CairnFrictionKind law; // of the packed contacts
    int *block_at;         // offset of a dof block in u
    bool *is_round;
    int u_size, zero_body; // zero_body: the offset of a body of zeros, the other body of a contact with a fixed one
    double *u;
    const double *u_read; // as it was before the sweep (pj), or u
    double *inertia;
    unsigned char *shape; // SorShape of every constraint
    int *sequence;        // all constraints in the order of the sweep
    int *slot;            // of every constraint: the number of its lane among those of its shape, or of its item
    SorStrip *strips;
    int strip_count;
    double *round, *general;                 // the groups
    bool *round_overlaps, *general_overlaps; // of each group: it and the next one have a body in common
    const SorEight *common; // the law's rows, where they are equal for all contacts; NULL: they are in each group
    int round_count, general_count, item_count;
    SorItem *items;
    PgsLink *links;
    double *J;
    PgsRow *rows; // of the items
    SorJoints *joints;
    int joint_count;
    double *joint; // their numbers
    ptrdiff_t joint_impulses;
    double *lambda;
    const double *lambda_read;
    SorMomentum *momentum; // NULL: none
    double floor;          // largest |d| of a row that no impulse can move and no bound excuses
} SorSystem;

// Rows of a group without the law's rows, and all rows.
static inline int cairn_sor_fixed_rows(bool is_round) {
    return is_round ? SOR_ROUND_ROWS : SOR_GENERAL_ROWS;
}

static inline int cairn_sor_rows(const SorSystem *system, bool is_round) {
    return cairn_sor_fixed_rows(is_round) + (system->common != NULL ? 0 : SOR_LAW_ROWS);
}

static inline double *cairn_sor_group(const SorSystem *system, int group, bool is_round) {
    return (is_round ? system->round : system->general) +
           (ptrdiff_t)group * cairn_sor_rows(system, is_round) * SOR_LANES;
}

// Places in u of the eight bodies a, then of the eight b.
static inline int *cairn_sor_bodies(double *group, bool is_round) {
    return (int *)(group + (ptrdiff_t)SOR_LANES * (cairn_sor_fixed_rows(is_round) - 1));
}

static inline const SorEight *cairn_sor_law(const SorSystem *system, const double *group, bool is_round) {
    const double *law = group + (ptrdiff_t)cairn_sor_fixed_rows(is_round) * SOR_LANES;
    return system->common != NULL ? system->common : (const SorEight *)law;
}

// A contact as lanes hold it. SOR_ITEM: it is none of that form.
typedef struct SorContact {
    SorShape shape;
    int block_a, block_b; // -1: nothing that moves
    double normal[3], tangent[3], arm_a[3], arm_b[3];
} SorContact;

CairnStatus cairn_sor_pack(SorSystem *system, const CairnProblem *problem, const SorSettings *settings, double *lambda,
                           CairnArena *arena);
void cairn_sor_read_contact(const SorSystem *system, int constraint, SorContact *contact);
// The linear parts of rows that have six numbers each.
bool cairn_sor_is_opposite(const double *J, const double *other, int rows);
CairnStatus cairn_sor_pack_items(SorSystem *system, CairnArena *arena);
double cairn_sor_eta(const SorSettings *settings, double g[3][3]);
// Sequence, strips and offsets in u; then, once shapes are known, lanes and items.
CairnStatus cairn_sor_order(SorSystem *system, CairnArena *arena);
CairnStatus cairn_sor_fill(SorSystem *system, CairnArena *arena);

// u of the impulses, from scratch.
void cairn_sor_gather(SorSystem *system);

// Visit every constraint once, forwards or backwards. Returns the largest velocity that was still to go, m/s.
double cairn_sor_sweep(SorSystem *system, bool is_forward);

// Momentum: before a sweep, before and after a strip of it, after it, and when no other follows. An explicit problem is
// one strip.
CairnStatus cairn_sor_momentum_init(SorSystem *system, CairnArena *arena);
void cairn_sor_momentum_begin(SorSystem *system);
void cairn_sor_momentum_before(SorSystem *system, const SorStrip *strip);
void cairn_sor_momentum_after(const SorSystem *system, const SorStrip *strip, SorSums *sums);
void cairn_sor_momentum_end(SorSystem *system);
void cairn_sor_momentum_finish(SorSystem *system);

// Whether the referee will certify the impulses, from v made anew.
CairnStatus cairn_sor_claim(const SorSystem *system, CairnArena *arena, bool *is_certified);
// max|b|, m/s.
CairnStatus cairn_sor_scale(const SorSystem *system, CairnArena *arena, double *scale);

// The impulses of the lanes, from lambda.
void cairn_sor_load(SorSystem *system);
// All impulses, into an array of row_count numbers, which may be those of the system.
void cairn_sor_read(const SorSystem *system, double *lambda);
// Those of a constraint in its lane, SOR_LANES apart.
double *cairn_sor_impulses(const SorSystem *system, int constraint);
// A row whose impulse is not finite, or -1.
int cairn_sor_find_bad(const SorSystem *system);

// A row of a group of joints, in eights.
typedef struct SorJointRow {
    double *impulse;
    const double *d, *C;
    const double *scale; // D / (omega lambda)
} SorJointRow;

bool cairn_sor_is_joint(const SorSystem *system, const CairnConstraintBlock *constraint);
CairnStatus cairn_sor_pack_joints(SorSystem *system, CairnArena *arena);
SorJointRow cairn_sor_joint_row(const SorSystem *system, const SorJoints *joints, int i);
void cairn_sor_visit_joints(const SorSystem *system, const SorJoints *joints, SorEight *largest);

double cairn_sor_visit_items(SorSystem *system, int first, int count, bool is_forward);
// Packed groups one after the other; `largest` gathers the largest velocities still to go.
void cairn_sor_visit_rounds(const SorSystem *system, SorGroups groups, bool is_forward, SorEight *largest);
void cairn_sor_visit_generals(const SorSystem *system, SorGroups groups, bool is_forward, SorEight *largest);

#endif
