// Substructure: a problem cut along its parts (S0 section 4). Constraints with all blocks in one part are internal to
// it, the others are the interface Gamma.
//
//   subsystem i   A_i = J_i P_i^-1 J_i^T + C_i over its internal rows, a problem of its own (CairnPiece) with a CairnExact over it
//   interface     S = A_Gamma - sum G_Fi A_FFi^-1 G_Fi^T   (24)
//
// S is never written as the difference (24). With E_i the inverse effective mass that the bodies at the interface
// have while the free rows of subsystem i hold, S = C_Gamma + sum J_Gamma,i E_i J_Gamma,i^T, the same matrix without
// its cancellation; and with E_i = R_i R_i^T it is J' J'^T + C_Gamma, J' = J_Gamma,i R_i: the interface is a problem
// of form 1 as any other, with P = 1. So all formulations, bpp, pgs-sm and ipm work on it as they are, and the dense
// one forms S itself.
//
// The whole's linear systems (all rows free or tight at once, and those of ipm) need neither E nor R: body space in
// stages (CairnSystemSetup) eliminates the bodies inside of subsystems, a task each, and then the bodies between
// them, whose matrix P + J^T (C + Theta)^-1 J minus the contributions of the subsystems is S in body space: sparse,
// and of as many dofs as these bodies have.
//
// E_i is found at the end of the factor of P_i + J_Fi^T C^-1 J_Fi in body space, where the interface bodies are
// eliminated last (a Schur complement that is part of the factor already), or column by column with the factor of
// A_FFi in any other formulation.
#ifndef CAIRN_SOLVERS_SUBSTRUCTURE_H
#define CAIRN_SOLVERS_SUBSTRUCTURE_H

#include "solvers/exact/exact.h"
#include "solvers/problem/piece.h"

// Dofs of a block of the interface's problem. Its P is 1, so the size of blocks is arbitrary.
enum { CAIRN_INTERFACE_CHUNK = 16 };

typedef struct CairnSubsystem {
    CairnPiece inner; // its internal constraints
    CairnPiece edge;  // the interface's constraints that touch the subsystem, with the terms over its blocks
    const int *gamma; // row of `edge` -> row of the interface
    CairnSolverContext context;
    CairnArena
        arena; // scratch, taken beforehand: subsystems run in parallel, and the allocator is the caller's thread's
    CairnExact exact; // of `inner`
    bool *is_last;    // blocks at the interface
    int *reduced_row; // block at the interface -> its first row in R
    int reach;        // dofs at the interface
    double *E, *R;    // reach x reach, in rows
    double *edge_J;   // its terms of the interface's Jacobian, constraint by constraint and chunk by chunk
    double *x, *y, *v, *t;
    bool is_other;         // not solved by pivoting
    unsigned char *before; // index sets at the beginning of a coupling iteration
    int reduced_at;        // number of the factor that `edge_J` was made from, -1: none
    CairnStatus status;
    CairnOutcome outcome;
} CairnSubsystem;

typedef struct CairnInterface {
    int row_count;
    const int *rows;  // in the whole
    const int *block; // where S is not wanted: block of the whole -> that of the interface's problem, -1: none
    CairnProblem problem;
    double *J, *right_side, *p;
    CairnSolverContext context;
    CairnExact exact;
    CairnFormulation formulation;
    double *lambda, *w;
    int factorizations; // of those that were made before the present one
    bool is_ready;      // `exact` is that of the subsystems' factors
} CairnInterface;

typedef struct CairnSubstructureOptions {
    CairnFormulation subsystem; // AUTO: body space where C > 0
    CairnFormulation interface;
    int levels;      // of the whole's stages: above 1 subsystems are substructured themselves; 0 is 1
    int steps;       // most pivoting steps of one subsystem's solve
    bool is_alone;   // the interface is a problem over its own bodies (17), and S is not formed
    bool has_factor; // the whole is factored, too
} CairnSubstructureOptions;

typedef struct CairnSubstructure {
    const CairnProblem *problem;
    CairnSolverContext *context;
    CairnSubstructureOptions options;
    CairnParts parts;
    int count;
    int factorizations, refactored; // of the subsystems and interfaces of earlier cuts
    bool is_cut;                    // the fields from here to `interface` are there
    CairnSubsystem
        *subsystems; // where S is not wanted one more: the interface's constraints over the bodies that they touch (17)
    CairnInterface interface;
    CairnExact *whole; // the same problem; its factor is that of body space in stages
    CairnSolverContext whole_context;
    CairnArena local_arena; // the interface's arena where there is no memory between solves
    CairnAllocator room;    // memory of the solve, from context->arena
    struct CairnSubstructureMemory *memory;
} CairnSubstructure;

// Check the parts and make `whole`, whose measure, bounds and index sets are those of all subsystems.
CairnStatus cairn_substructure_init(CairnSubstructure *sub, const char *name, const CairnProblem *problem,
                                    const CairnParts *parts, const CairnSubstructureOptions *options,
                                    CairnSolverContext *context, CairnExact *whole, const double *lambda);

// Make subsystems and interface, from context->arena.
CairnStatus cairn_substructure_cut(CairnSubstructure *sub);

// Ends a cut: its counts are added to those of earlier cuts, and its arrays are not read again. A method that cuts calls it before it
// returns, because its caller may release what it took from the arena (exact.c, bounds that follow the impulses).
void cairn_substructure_close_cut(CairnSubstructure *sub);

// To be called after every init, also after one that failed.
void cairn_substructure_release(CairnSubstructure *sub);

// A CairnSolver's `forget`.
void cairn_substructure_forget(void *kept, const CairnAllocator *allocator);

// Copy the whole's lambda, bounds and index sets to the subsystems, and set p_i = p + J_Gamma,i^T lambda_Gamma.
void cairn_substructure_take(CairnSubstructure *sub);

// Push: copy the interface's lambda to the subsystems. Pull: copy their lambda and index sets to the whole.
void cairn_substructure_push(CairnSubstructure *sub);
void cairn_substructure_pull(CairnSubstructure *sub);

// Run `work` on every subsystem, in parallel; the first failure by number.
typedef CairnStatus (*CairnSubsystemWork)(CairnSubsystem *subsystem, void *user);
CairnStatus cairn_substructure_each(CairnSubstructure *sub, CairnSubsystemWork work, void *user);

// Factor S anew from the subsystems' factors, where one of them has changed; only those that changed are reduced again.
CairnStatus cairn_substructure_reduce(CairnSubstructure *sub);

// The reduction of one subsystem: E_i, R_i and its columns of J'.
CairnStatus cairn_subsystem_reduce(CairnSubsystem *subsystem);

// Make the interface's right side z, so that S lambda_Gamma + z = w_Gamma at the whole's lambda and w (25).
void cairn_substructure_aim(CairnSubstructure *sub);

// The largest regularisation of a subsystem or of the interface, as a fraction of D (CairnSystem.raised).
double cairn_substructure_raised(const CairnSubstructure *sub);

// Factors of subsystems and interface so far.
int cairn_substructure_factorizations(const CairnSubstructure *sub);

// Subsystems that were factored more than once: how often beyond the first.
int cairn_substructure_refactored(const CairnSubstructure *sub);

#endif
