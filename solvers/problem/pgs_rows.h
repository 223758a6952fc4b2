// The packed form of a problem and projected Gauss-Seidel sweeps over it, for pgs and for solvers that use it as a
// smoother.
#ifndef CAIRN_SOLVERS_PGS_ROWS_H
#define CAIRN_SOLVERS_PGS_ROWS_H

#include "solvers/problem/problem_ops.h"

typedef enum PgsKind {
    PGS_SINGLE, // one block of 6 dofs: 8 numbers a row, the last two zero
    PGS_PAIR,   // two blocks of 6: 12 numbers a row
    PGS_GENERAL // anything else: the blocks' parts behind one another
} PgsKind;

// One row: its velocity is J u + C lambda + d.
typedef struct PgsRow {
    double d, C, D; // right side, compliance, diagonal of A
    double step;    // omega / D
    double lower, upper;
} PgsRow;

// A dof block's offset in u.
typedef struct PgsLink {
    int at, size;
} PgsLink;

// The rows of one constraint.
typedef struct PgsGroup {
    PgsKind kind;
    int first_row, row_count;
    int first_link, link_count;
    int current; // its BOX_CURRENT friction group, or -1
    size_t J;    // offset of its first row
    int stride;  // numbers a row
} PgsGroup;

typedef struct PgsSystem {
    const CairnProblem *problem;
    CairnOps ops;
    int *block_at; // offset of every dof block in u: whole cache lines
    int u_size;
    double *u; // L^T v
    PgsGroup *groups;
    PgsLink *links;
    PgsRow *rows;
    double *J;    // J L^-T
    double floor; // largest |d| of a row that no impulse can move and no bound excuses
} PgsSystem;

// Pack the problem into the arena; `name` is the solver's, for messages. An explicit problem has rows and one group a
// row, no more.
CairnStatus cairn_pgs_pack(PgsSystem *system, const char *name, const CairnProblem *problem, double omega,
                           CairnArena *arena);

// The links of a constraint: its blocks, each once, with their offsets in u. Returns their number.
int cairn_pgs_link(const CairnProblem *problem, const int *block_at, const CairnConstraintBlock *constraint,
                   PgsLink *links);

// J L^-T of a constraint over its links, behind one another, `stride` numbers a row: terms on the same block are
// added up.
void cairn_pgs_jacobian(const CairnOps *ops, const int *block_at, const CairnConstraintBlock *constraint,
                        const PgsLink *links, int link_count, int stride, double *J);

// u = L^-1 (p + J^T lambda), from scratch. Nothing of an explicit problem.
void cairn_pgs_gather(PgsSystem *system, const double *lambda);

// The result of a sweep.
typedef struct PgsSweep {
    double largest; // D |delta lambda|
    bool has_moved; // by more than rounding
} PgsSweep;

// Visit every row once, in order. u must be that of lambda, and is so afterwards.
PgsSweep cairn_pgs_sweep(PgsSystem *system, double *lambda);

// Put lambda inside its bounds.
void cairn_pgs_clamp(const PgsSystem *system, double *lambda);

// Set step and bounds of a row from d, D and the problem. Returns the residual of a row that no impulse can satisfy,
// or 0.
double cairn_pgs_step(PgsRow *row, double omega, bool is_current);

#endif
