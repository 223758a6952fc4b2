// Statistics of one step, by value.
#ifndef CAIRN_STATS_H
#define CAIRN_STATS_H

#include <cairn/math.h>
#include <cairn/solver.h>
#include <stdint.h>

// Wall-clock seconds of each stage.
typedef struct CairnTimes {
    double step, broad, narrow, assemble, partition, solve, foresee, integrate, referee, finish;
    double refine; // a part of `partition`
} CairnTimes;

typedef struct CairnStats {
    CairnTimes times;

    int bodies, dynamic_bodies, shapes, joints, dofs;
    int islands, sleeping_bodies; // worlds with sleeping only
    int pairs;                    // overlapping boxes that the broad phase found
    int overlap_tests;            // box against box
    int contacts;                 // contact points
    int rows;
    int parts, part_largest, part_smallest; // the partition that the solver worked on, and bodies of two of its parts
    double part_balance;                    // largest part over the mean, 1 at best; 0 without bodies
    int interface_rows, interface_constraints; // between the parts

    CairnSolveReport solve;     // what the solver says of itself
    CairnResidual residual;     // what the referee says of the solver's answer
    double penetration;         // deepest overlap at the start of the step, m
    double joint_error_linear;  // largest violation at the end of the step, m
    double joint_error_angular; // rad

    double kinetic_energy, potential_energy; // at the end of the step; potential of uniform gravity, zero at the origin
    CairnVec3 momentum, angular_momentum;    // about the origin

    uint64_t step_index; // counts from 1
    double time;         // simulated seconds since the world began

    size_t arena_bytes; // scratch memory used by the step
    int allocations;    // calls of the allocator made by this step: zero once settled
    int solves; // of this step: more than one where geometric stiffness, first touches or struck bodies asked for it
    int contact_passes; // how often contacts were looked for: more than once where bodies were struck into others
} CairnStats;

#endif
