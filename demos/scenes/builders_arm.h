// Builders of robots: a seven-axis arm with the published kinematics of Franka Emika's Panda, and a ground vehicle of
// the size of Clearpath's Husky that carries one. A scene of your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_ARM_H
#define CAIRN_SCENE_BUILDERS_ARM_H

#include <cairn/scene.h>

enum { CAIRN_ARM_AXES = 7, CAIRN_VEHICLE_WHEELS = 4 };

typedef struct CairnArmDef {
    CairnTransform base;           // of the arm's first frame, world
    CairnBodyId mount;             // what carries it (null: the world)
    double angles[CAIRN_ARM_AXES]; // rad, by the maker's convention
    double stiffness, damping;     // of each axis' servo: N m/rad, N m s/rad
    int group;
} CairnArmDef;

typedef struct CairnArm {
    CairnBodyId links[CAIRN_ARM_AXES];
    CairnJointId joints[CAIRN_ARM_AXES];
    double start[CAIRN_ARM_AXES];
    CairnArmDef def;
} CairnArm;

// On the world's origin, in the maker's ready pose: the flange 0.31 m in front, looking down.
CairnArmDef cairn_arm_def(void);

// The frames of the seven links (by the modified Denavit-Hartenberg parameters, z along the axis) and of the flange.
void cairn_arm_frames(const CairnArmDef *def, const double *angles, CairnTransform frames[CAIRN_ARM_AXES + 1]);

// Links touch nothing; add a shape to links[6] for a tool (its frame is frames[6]; the flange 0.107 m along its z).
CairnStatus cairn_build_arm(CairnWorld *world, const CairnArmDef *def, CairnArm *arm);

// Where the servos go.
CairnStatus cairn_arm_aim(CairnWorld *world, const CairnArm *arm, const double *angles);

typedef struct CairnVehicle {
    CairnBodyId chassis, wheels[CAIRN_VEHICLE_WHEELS]; // front left, front right, rear left, rear right
    CairnJointId hubs[CAIRN_VEHICLE_WHEELS];
    CairnVec3 deck; // where an arm may stand, in the chassis' frame
} CairnVehicle;

// Its middle over `position` (on the ground), looking along x turned by `heading` about z. Wheels roll, and stand still
// at first.
CairnStatus cairn_build_vehicle(CairnWorld *world, CairnVec3 position, double heading, double friction, int group,
                                CairnVehicle *vehicle);
// All wheels at this speed over the ground, m/s.
CairnStatus cairn_vehicle_drive(CairnWorld *world, const CairnVehicle *vehicle, double speed);

#endif
