// Statistics of one step. cairn_world_step writes them to the caller's memory; they are plain numbers and refer to
// nothing of the world.
#ifndef CAIRN_STATS_H
#define CAIRN_STATS_H

#include <cairn/ids.h>
#include <cairn/math.h>
#include <cairn/solver.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Wall-clock time of each stage, s.
typedef struct CairnTimes {
    double step, broad, narrow, assemble, partition, solve, foresee, integrate, referee, finish;
    double refine; // contained in `partition`
} CairnTimes;

typedef struct CairnStats {
    CairnTimes times;

    int bodies, dynamic_bodies, shapes, joints, dofs;
    int islands, sleeping_bodies; // 0 unless the world lets bodies sleep
    int pairs;                    // pairs of overlapping boxes that the broad phase found
    int overlap_tests;            // tests of one box against another
    int contacts;                 // contact points
    int rows;
    int parts, part_largest,
        part_smallest;   // the parts that the solver worked on, and the bodies of the largest and of the smallest one
    double part_balance; // the largest part divided by the mean: 1 is the best value; 0 without bodies
    int interface_rows, interface_constraints; // rows and constraints between the parts

    CairnSolveReport solve;      // what the solver reports of its work
    CairnResidual residual;      // what the referee computes of the solver's answer
    CairnBodyId worst_bodies[2]; // the dynamic bodies of residual.worst_row where it is not certified; else null
    double penetration;          // deepest overlap at the start of the step, m
    double joint_error_linear;   // largest violation of a joint at the end of the step, m
    double joint_error_angular;  // the same of the angles, rad

    double kinetic_energy,
        potential_energy; // J, at the end of the step; the potential is that of gravity, 0 at the origin
    CairnVec3 momentum, angular_momentum; // N s, and N m s about the origin

    uint64_t step_index; // counted from 1
    double time;         // simulated seconds since the world began

    size_t arena_bytes; // scratch memory that the step used, bytes
    int allocations;    // calls of the allocator in this step: 0 once a scene has settled
    int solves;   // in this step: more than one where geometric stiffness, first touches or struck bodies needed it
    int substeps; // equal parts in which the step was made: more than one where joints turned far in it
    int contact_passes; // searches for contacts: more than one where bodies were struck towards others
} CairnStats;

#ifdef __cplusplus
}
#endif

#endif
