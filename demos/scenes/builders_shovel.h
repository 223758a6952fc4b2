// Builder of a shovel: a light blade on a carriage, both driven by stiff servos along a path: it comes down, waits,
// pushes, stops.
#ifndef CAIRN_SCENE_BUILDERS_SHOVEL_H
#define CAIRN_SCENE_BUILDERS_SHOVEL_H

#include <cairn/scene.h>

typedef struct CairnShovelDef {
    double mass; // of the blade, and of the carriage that carries it
    double width, height, friction;
    CairnVec3 start;    // the middle of the blade's lower edge when it is down; it pushes along x
    double wait;        // s until it pushes
    double speed, push; // m/s and m
} CairnShovelDef;

typedef struct CairnShovel {
    CairnShovelDef def;
    CairnBodyId carriage, blade;
    CairnJointId drive, lift;
} CairnShovel;

// The servos' target positions and velocities at a time: along x from the start, and over the ground.
typedef struct CairnShovelTarget {
    double x, z, speed_x, speed_z;
} CairnShovelTarget;

CairnShovelDef cairn_shovel_def(void); // 1 kg, 2.4 m wide
CairnStatus cairn_build_shovel(CairnWorld *world, const CairnShovelDef *def, CairnShovel *shovel);

CairnShovelTarget cairn_shovel_target(const CairnShovelDef *def, double time);
double cairn_shovel_end(const CairnShovelDef *def); // when it stops, s

// Set the servos' targets for `time`, the end of the step to come.
CairnStatus cairn_shovel_drive(CairnWorld *world, const CairnShovel *shovel, double time);

#endif
