// Builder of a walking robot: six legs of six bodies each on a trunk, two servos a leg (S1, section 3.1). A scene of
// your own may call it too.
#ifndef CAIRN_SCENE_BUILDERS_SPIDER_H
#define CAIRN_SCENE_BUILDERS_SPIDER_H

#include <cairn/scene.h>

enum { CAIRN_SPIDER_LEGS = 6, CAIRN_SPIDER_LEG_BODIES = 6 };

typedef struct CairnSpiderDef {
    CairnTransform pose; // x forward, z up, the origin on the ground under its middle
    double mass, friction;
    double stiffness, damping, torque; // of the servos: N m/rad, N m s/rad, N m
    CairnFilter filter;
} CairnSpiderDef;

typedef struct CairnSpider {
    CairnBodyId body, leg_bodies[CAIRN_SPIDER_LEGS][CAIRN_SPIDER_LEG_BODIES]; // the last body of a leg has the foot
    CairnJointId swing[CAIRN_SPIDER_LEGS]; // RX: the leg to and fro, forward where it is positive
    CairnJointId lift[CAIRN_SPIDER_LEGS];  // RX: the crank that lifts it
} CairnSpider;

// How it walks: in two sets of three legs; what is in the air swings forward, the rest pushes the ground back.
typedef struct CairnGait {
    double period, swing, lift; // s; rad to either side; rad
} CairnGait;

extern const double cairn_spider_reach,
    cairn_spider_foot; // from a leg's upright axis to its foot, and the foot's radius, m

CairnSpiderDef cairn_spider_def(void); // 4 kg
CairnStatus cairn_build_spider(CairnWorld *world, const CairnSpiderDef *def, CairnSpider *spider);

// The servo targets of a leg at a time: angles in rad and their rates in rad/s.
typedef struct CairnLegTarget {
    double swing, lift, swing_rate, lift_rate;
    bool is_stance;
} CairnLegTarget;

CairnLegTarget cairn_gait_target(const CairnGait *gait, int leg, double time);
double cairn_gait_speed(const CairnGait *gait); // of the feet under the body, mean over a stance, m/s

// Set the servos' targets for `time`, the end of the step to come.
CairnStatus cairn_spider_drive(CairnWorld *world, const CairnSpider *spider, const CairnGait *gait, double time);

// The middle of a leg's foot, in the world.
CairnStatus cairn_spider_foot_position(const CairnWorld *world, const CairnSpider *spider, int leg,
                                       CairnVec3 *position);

#endif
