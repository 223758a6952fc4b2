// Problem: what a step asks of a solver. It knows nothing of worlds, bodies or joints, so that problems from files, from
// tests and from other engines go through the same door.
//
// Form 1, DYNAMICS (S0 eqs. 2, 3, 8): unknown velocities v and impulses lambda,
//     P v = p + J^T lambda,      w = J v + C lambda + d,      l <= lambda <= u  complementary to w,
// that is  w = A lambda + b  with  A = J P^-1 J^T + C  and  b = J P^-1 p + d.
// Form 2, EXPLICIT: A (here W, sparse rows) and b are given; there are no dofs.
//
// The arrays belong to whoever made the problem; a solver reads them only. lambda stays outside: it is passed beside the
// problem, holds the warm start on entry and the answer on return, so that solvers in lockstep share one problem.
#ifndef CAIRN_PROBLEM_H
#define CAIRN_PROBLEM_H

#include <cairn/math.h>
#include <cairn/status.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CairnForm { CAIRN_FORM_DYNAMICS = 0, CAIRN_FORM_EXPLICIT } CairnForm;

enum { CAIRN_BLOCK_LIMIT = 64 }; // most dofs in one block

// A block of dofs that move together: 6 for a rigid body (linear, then angular about the centre of mass, world axes), 3 for a
// node of a mesh, n for an arm in reduced coordinates.
typedef struct CairnDofBlock {
    int first, size; // dofs [first, first + size)
    int matrix;      // offset in `P` of its size x size diagonal block, symmetric, both halves stored
    int group;       // the scene's label for semantic partitions and S2's subsystems; -1: none
    double mass;     // for mass-ratio partitioners
    uint64_t id;
} CairnDofBlock;

// An off-diagonal block of P below the diagonal (S2's A_i): rows of block `row`, columns of block `column`, row-major.
typedef struct CairnDofCoupling {
    int row, column;
    int matrix; // offset in `P`
} CairnDofCoupling;

// The rows of one joint or one contact.
typedef struct CairnConstraintBlock {
    int first_row, row_count;
    int first_term, term_count;
    int friction; // index of its friction group, or -1
    uint64_t id;  // the same while the feature lives: keys warm starts
} CairnConstraintBlock;

// The Jacobian of one constraint block with respect to one dof block: row_count x block size, row-major, at `J + jacobian`. Below 0
// it is that of a contact's frame on a rigid body: side (~jacobian & 1) of frame (~jacobian >> 1), at most three rows.
// cairn_term_rows and cairn_term_row read both.
typedef struct CairnTerm {
    int block;
    int jacobian;
} CairnTerm;

// What the rows n, t1 and t2 = n x t1 of a contact between rigid bodies are made of: of an axis e the row is (e, r x e) with the
// arm r of side 1, and the negative of that with the arm of side 0. A third of the numbers of both Jacobians.
typedef struct CairnContactFrame {
    CairnVec3 normal, tangent;
    CairnVec3 arm[2]; // from the bodies' centres of mass
} CairnContactFrame;

typedef enum CairnFrictionKind {
    CAIRN_FRICTION_BOX = 0,     // |lambda_t| <= mu times the last normal impulse: fixed, already in l and u (S0 eq. 11)
    CAIRN_FRICTION_BOX_CURRENT, // |lambda_t| <= mu times the present normal impulse
    CAIRN_FRICTION_CONE,        // |(lambda_t1, lambda_t2)| <= mu lambda_n, convex relaxation (S1 eq. 7)
    CAIRN_FRICTION_COULOMB,     // the cone with De Saxce's correction
    CAIRN_FRICTION_KIND_COUNT
} CairnFrictionKind;

// Friction of one contact. Row `normal` is lambda_n >= 0, the next two rows are its tangents t1, t2. Where a material asks,
// one torsional row and two rolling rows follow (spin_rows = 0, 1 or 3, in the order torsion, rolling, rolling).
typedef struct CairnFriction {
    CairnFrictionKind kind;
    int constraint, normal;
    int spin_rows;
    double mu;      // tangents
    double torsion; // lever arm in m of the torsional bound
    double rolling; // lever arm in m of the rolling bound
    double frozen;  // the normal impulse that BOX bounds are made from
} CairnFriction;

typedef struct CairnProblem {
    CairnForm form;
    double step; // h, s

    // dynamics (form 1)
    int block_count, coupling_count, dof_count;
    const CairnDofBlock *blocks;
    const CairnDofCoupling *couplings;
    const double *P;
    const double *p;

    // constraints
    int constraint_count, term_count, row_count, friction_count;
    const CairnConstraintBlock *constraints;
    const CairnTerm *terms;
    const CairnFriction *frictions;
    const double *J;
    const CairnContactFrame
        *frames;                 // one every `frame_stride` bytes; NULL: no term is a frame's. Then terms stand in the
    size_t frame_stride;         // order of their constraints
    const double *compliance;    // C, a row
    const double *right_side;    // d of form 1, b of form 2
    const double *lower, *upper; // l <= u, infinities allowed
    const double
        *position_error; // phi, m or rad: already inside d; for statistics. NULL: not given, as by the world's steps

    // explicit (form 2): W in compressed rows, C included
    const int *W_start, *W_column; // row_count + 1 and W_start[row_count] entries
    const double *W;
    bool W_is_symmetric;
} CairnProblem;

enum { CAIRN_FRAME_ROWS = 3 };

static inline const CairnContactFrame *cairn_problem_frame(const CairnProblem *problem, int frame) {
    return (const CairnContactFrame *)((const char *)problem->frames + (size_t)frame * problem->frame_stride);
}

// One row of a term: where it lies in J, or made of its frame in `room`.
static inline const double *cairn_term_row(const CairnProblem *problem, const CairnTerm *term, int row,
                                           double room[6]) {
    if (term->jacobian >= 0) {
        return problem->J + term->jacobian + (ptrdiff_t)row * problem->blocks[term->block].size;
    }
    const CairnContactFrame *frame = cairn_problem_frame(problem, ~term->jacobian >> 1);
    int side = ~term->jacobian & 1;
    CairnVec3 axis = row == 0 ? frame->normal : row == 1 ? frame->tangent : cairn_cross(frame->normal, frame->tangent);
    CairnVec3 turn = cairn_cross(frame->arm[side], axis);
    double sign = side == 0 ? -1 : 1;
    room[0] = sign * axis.x;
    room[1] = sign * axis.y;
    room[2] = sign * axis.z;
    room[3] = sign * turn.x;
    room[4] = sign * turn.y;
    room[5] = sign * turn.z;
    return room;
}

// All rows of a term, one after the other.
static inline const double *cairn_term_rows(const CairnProblem *problem, const CairnTerm *term, int row_count,
                                            double room[6 * CAIRN_FRAME_ROWS]) {
    for (int r = 0; term->jacobian < 0 && r < row_count; r++) {
        cairn_term_row(problem, term, r, room + 6 * r);
    }
    return term->jacobian >= 0 ? problem->J + term->jacobian : room;
}

// Check shapes, indices, finiteness, l <= u and the diagonal of P; the message names the array, the place and the value.
CairnStatus cairn_problem_check(const CairnProblem *problem);

#endif
