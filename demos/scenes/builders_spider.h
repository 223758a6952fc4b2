// Builder of a walking robot: six legs of six parts on a body, two servos a leg (S1, section 3.1). A scene of your own may call it
// too.
#ifndef CAIRN_SCENE_BUILDERS_SPIDER_H
#define CAIRN_SCENE_BUILDERS_SPIDER_H

#include <cairn/scene.h>

enum { CAIRN_SPIDER_LEGS = 6, CAIRN_SPIDER_LEG_PARTS = 6 };

typedef struct CairnSpiderDef {
    CairnTransform place; // x forward, z up, the origin on the ground under its middle
    double mass, friction;
    double stiffness, damping, torque; // of the servos: N m/rad, N m s/rad, N m
    CairnFilter filter;
} CairnSpiderDef;

typedef struct CairnSpider {
    CairnBodyId body, parts[CAIRN_SPIDER_LEGS][CAIRN_SPIDER_LEG_PARTS]; // the last part of a leg has the foot
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

// Where a leg is told to be at a time.
typedef struct CairnLegPlace {
    double swing, lift, swing_rate, lift_rate;
    bool is_stance;
} CairnLegPlace;

CairnLegPlace cairn_gait_place(const CairnGait *gait, int leg, double time);
double cairn_gait_speed(const CairnGait *gait); // of the feet under the body, mean over a stance, m/s

// Tell the servos where to be at `time`, the end of the step to come.
CairnStatus cairn_spider_drive(CairnWorld *world, const CairnSpider *spider, const CairnGait *gait, double time);

// The middle of a leg's foot, in the world.
CairnStatus cairn_spider_foot_place(const CairnWorld *world, const CairnSpider *spider, int leg, CairnVec3 *place);

#endif
