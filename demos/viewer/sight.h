// Sight: what a view shows of a world after a step, copied by the thread that steps, so that the window never waits for it.
#ifndef CAIRN_VIEWER_SIGHT_H
#define CAIRN_VIEWER_SIGHT_H

#include "demos/program/session.h"
#include "demos/viewer/geometry.h"

typedef struct CairnSightItem {
    float position[3], turn[4]; // quaternion x, y, z, w
    float scale[4];             // x, y, z, and half the length of a capsule
    float color[3];             // linear light
    float reach;                // radius of a ball around it, m; planes: 0
    float speed;                // m/s
    int geometry, part;
    CairnPartKind kind;
    bool is_static;
} CairnSightItem;

typedef struct CairnSightForce {
    CairnVec3 point, force; // on the second body, N
} CairnSightForce;

typedef struct CairnSight {
    CairnSightItem *items;
    int item_count, item_capacity;
    CairnSightForce *forces;
    int force_count, force_capacity;
    CairnStats stats; // step_index 0: before the first step
    double time;
    int frame;
    CairnStatus status; // not fine: why it stopped
    char solver[CAIRN_NAME_SIZE];
    char verdict[200];
    bool is_certified;
} CairnSight;

// Which geometry a shape has, by its slot.
typedef struct CairnSightCache {
    struct CairnSightShape {
        CairnShapeId shape;
        int geometry;
    } * shapes;
    uint32_t capacity;
} CairnSightCache;

// The store is shared by all views: `lock` and `unlock` guard it.
typedef struct CairnSightMaker {
    CairnGeometryStore *store;
    void (*lock)(void *guard), (*unlock)(void *guard);
    void *guard;
    CairnSightCache cache;
    CairnContact *contacts;
    int contact_capacity;
    double rod_width;
} CairnSightMaker;

// Copy what there is to see; frame, statistics and verdict are the caller's to set.
CairnStatus cairn_sight_take(CairnSightMaker *maker, const CairnWorld *world, double dt, CairnSight *sight);
// The referee's verdict on the step in words that say why.
void cairn_sight_judge(CairnSight *sight);
void cairn_sight_free(CairnSight *sight);
void cairn_sight_maker_free(CairnSightMaker *maker);

#endif
