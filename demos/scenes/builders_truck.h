// Builder of a dump truck: 22 bodies on joints. A scene of your own may call it too.
#ifndef CAIRN_SCENE_BUILDERS_TRUCK_H
#define CAIRN_SCENE_BUILDERS_TRUCK_H

#include <cairn/scene.h>

enum { CAIRN_TRUCK_BODIES = 22 };

typedef struct CairnTruckDef {
    CairnTransform pose; // x forward, z up, the origin on the ground under its middle
    double mass;         // of all of it
    double friction;
    double suspension, shock; // of each axle, N/m and N s/m
    int group;                // semantic label
    CairnFilter filter;       // of all its shapes: a truck does not touch itself where its category is not in the mask
} CairnTruckDef;

typedef struct CairnTruck {
    CairnBodyId bodies[CAIRN_TRUCK_BODIES]; // the first is the chassis
    CairnJointId bed;                       // the hinge of the bed, RX
} CairnTruck;

CairnTruckDef cairn_truck_def(void); // 8,000 kg
CairnStatus cairn_build_truck(CairnWorld *world, const CairnTruckDef *def, CairnTruck *truck);

#endif
