// Problem: the system of equations and bounds that a step gives to a solver. It contains no worlds, bodies or joints,
// so that problems from files, from tests and from other engines are solved by the same functions.
//
// Form 1, DYNAMICS (S0 eqs. 2, 3, 8): unknown velocities v and impulses lambda,
//     P v = p + J^T lambda,      w = J v + C lambda + d,      l <= lambda <= u  complementary to w,
// that is  w = A lambda + b  with  A = J P^-1 J^T + C  and  b = J P^-1 p + d. Form 2, EXPLICIT: A (here W, sparse rows)
// and b are given; there are no dofs.
//
// Units: v and w are velocities (m/s, rad/s), p and lambda impulses (N s, N m s), P masses and inertias (kg, kg m2).
//
// The arrays belong to whoever made the problem; a solver only reads them. lambda does not belong to it: it is passed
// beside the problem, holds the warm start on entry and the answer on return, so that several solvers can solve the
// same problem. The functions of this header allocate nothing and may be called from any thread while no thread changes
// the problem.
#ifndef CAIRN_PROBLEM_H
#define CAIRN_PROBLEM_H

#include <cairn/math.h>
#include <cairn/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CairnForm { CAIRN_FORM_DYNAMICS = 0, CAIRN_FORM_EXPLICIT } CairnForm;

enum { CAIRN_BLOCK_LIMIT = 64 }; // the largest number of dofs in one block

// A block of dofs that move together: 6 for a rigid body (linear, then angular about the centre of mass, in world
// axes), 3 for a node of a deformable mesh, n for an arm in reduced coordinates.
typedef struct CairnDofBlock {
    int first, size; // dofs [first, first + size)
    int matrix;      // offset in `P` of its size x size diagonal block, which is symmetric; both halves are stored
    int group;       // the label that the scene gives for semantic partitions and for the subsystems of S2; -1: none
    double mass;     // kg, for partitioners that look at mass ratios
    uint64_t id;
} CairnDofBlock;

// A block of P below its diagonal (the A_i of S2): the rows of block `row`, the columns of block `column`, row-major.
typedef struct CairnDofCoupling {
    int row, column;
    int matrix; // offset in `P`
} CairnDofCoupling;

// The rows of one joint or one contact.
typedef struct CairnConstraintBlock {
    int first_row, row_count;
    int first_term, term_count;
    int friction; // index of its friction group, or -1
    uint64_t id;  // the same from step to step while the feature exists; warm starts are found by it
} CairnConstraintBlock;

// The Jacobian of one constraint block with respect to one dof block. It has row_count x block size numbers, row-major,
// at `J + jacobian`. Where `jacobian` is negative it is that of a contact frame on a rigid body: side (~jacobian & 1)
// of frame (~jacobian >> 1), with three rows at most. cairn_term_rows and cairn_term_row read both forms.
typedef struct CairnTerm {
    int block;
    int jacobian;
} CairnTerm;

// The frame from which the rows n, t1 and t2 = n x t1 of a contact between rigid bodies are computed. The row of an
// axis e is (e, r x e) with the arm r of side 1, and the negative of that with the arm of side 0. A frame has a third
// of the numbers of both Jacobians.
typedef struct CairnContactFrame {
    CairnVec3 normal, tangent;
    CairnVec3 arm[2]; // from the centres of mass of the bodies, m
} CairnContactFrame;

typedef enum CairnFrictionKind {
    CAIRN_FRICTION_BOX =
        0, // |lambda_t| <= mu times the normal impulse of the last step; l and u hold these bounds (S0 eq. 11)
    CAIRN_FRICTION_BOX_CURRENT, // |lambda_t| <= mu lambda_n, for each tangent
    CAIRN_FRICTION_CONE,        // |(lambda_t1, lambda_t2)| <= mu lambda_n, the convex relaxation (S1 eq. 7)
    CAIRN_FRICTION_COULOMB,     // the same cone with the correction of De Saxce: Coulomb's law
    CAIRN_FRICTION_KIND_COUNT
} CairnFrictionKind;

// The friction of one contact. Row `normal` holds lambda_n >= 0, the next two rows hold the tangents t1 and t2. Where a
// material has rolling or torsional friction, spin_rows = 1 or 3 rows follow: torsion, or torsion, rolling and rolling.
typedef struct CairnFriction {
    CairnFrictionKind kind;
    int constraint, normal;
    int spin_rows;
    double mu;      // coefficient of the tangents
    double torsion; // lever arm in m of the torsional bound
    double rolling; // lever arm in m of the rolling bound
    double frozen;  // the normal impulse from which the bounds of CAIRN_FRICTION_BOX were made, N s
} CairnFriction;

typedef struct CairnProblem {
    CairnForm form;
    double step; // length of the step h, s
    // What gravity (that of the earth, where there is none) gives in a step, m/s; its rounding counts as rest. 0: unknown,
    // as in files.
    double rest_speed;

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
    // One frame every `frame_stride` bytes. NULL: no term refers to a frame. Where there are frames, the terms are in
    // the order of their constraints.
    const CairnContactFrame *frames;
    size_t frame_stride;
    const double *compliance;    // C, one number for each row, (m/s)/(N s)
    const double *right_side;    // d of form 1, b of form 2
    const double *lower, *upper; // l <= u; infinite bounds are allowed
    // phi, m or rad. It is contained in d already and serves statistics only. NULL: not given, as in the steps of a
    // world.
    const double *position_error;

    // explicit (form 2): W in compressed rows, with C in it
    const int *W_start, *W_column; // they have row_count + 1 and W_start[row_count] entries
    const double *W;
    bool W_is_symmetric;
} CairnProblem;

enum { CAIRN_FRAME_ROWS = 3 };

// Returns the frame with this number, which the caller has taken from a term.
static inline const CairnContactFrame *cairn_problem_frame(const CairnProblem *problem, int frame) {
    return (const CairnContactFrame *)((const char *)problem->frames + (size_t)frame * problem->frame_stride);
}

// Returns one row of a term: a pointer into J, or `room` with the row computed from its frame.
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

// Returns all rows of a term, one after the other: a pointer into J, or `room` with the rows computed from its frame.
static inline const double *cairn_term_rows(const CairnProblem *problem, const CairnTerm *term, int row_count,
                                            double room[6 * CAIRN_FRAME_ROWS]) {
    for (int r = 0; term->jacobian < 0 && r < row_count; r++) {
        cairn_term_row(problem, term, r, room + 6 * r);
    }
    return term->jacobian >= 0 ? problem->J + term->jacobian : room;
}

// Checks the sizes, the indices, that numbers are finite, l <= u and the diagonal of P. CAIRN_INVALID_ARGUMENT names
// the array, the index in it and the value.
CairnStatus cairn_problem_check(const CairnProblem *problem);

#ifdef __cplusplus
}
#endif

#endif
