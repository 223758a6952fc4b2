// MJCF: a world as MuJoCo's model file. Bodies, masses, shapes, joints with limits and springs, filters, gravity and
// the step are the same; motors and servos are left out, and so is what MuJoCo has no element for: triangle meshes
// refuse, restitution and the way friction mixes (there the larger one counts) are its own.
#ifndef CAIRN_PROGRAM_MJCF_H
#define CAIRN_PROGRAM_MJCF_H

#include <cairn/world.h>
#include <stdio.h>

typedef struct CairnMjcfCounts {
    int bodies, joints, shapes, drives; // drives: of joints, left out
    bool is_at_rest;                    // without velocities: the list would be too long for MuJoCo
} CairnMjcfCounts;

CairnStatus cairn_mjcf_write(FILE *file, const CairnWorld *world, const char *name, double dt, CairnMjcfCounts *counts);

#endif
