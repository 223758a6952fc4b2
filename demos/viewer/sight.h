// Sight: what a view shows of a world after a step, copied by the thread that steps, so that the window never waits for
// it.
#ifndef CAIRN_VIEWER_SIGHT_H
#define CAIRN_VIEWER_SIGHT_H

#include "demos/program/session/session.h"
#include "demos/viewer/drawn_mesh.h"
#include "demos/viewer/grab.h"

typedef struct CairnSightItem {
    float position[3], turn[4]; // quaternion x, y, z, w
    float scale[4];             // x, y, z, and half the length of a capsule
    float color[3];             // linear light
    float reach;                // radius of a ball around it, m; planes: 0
    int geometry, body;         // body: index in `bodies`, -1: none
    CairnPrimitiveKind kind;
    bool is_static;
} CairnSightItem;

typedef struct CairnSightBody {
    CairnBodyId id;
    float center[3];
    float mass, speed, residual; // residual: the worst of its rows, m/s
    int part, island;            // -1: none
    bool is_static;
} CairnSightBody;

typedef enum CairnGrip { CAIRN_GRIP_OPEN = 0, CAIRN_GRIP_STICK, CAIRN_GRIP_SLIP } CairnGrip;

typedef struct CairnSightContact {
    CairnVec3 point, normal, force; // force on the second body, N
    double distance, mu, residual;
    CairnGrip grip;
    int bodies[2];     // indices in `bodies`
    bool is_interface; // its bodies are in two parts
} CairnSightContact;

typedef struct CairnSightJoint {
    CairnJointId id;
    CairnJointType type;
    CairnVec3 point, force;
    double linear_error, angular_error;
    int bodies[2];
    bool is_interface;
} CairnSightJoint;

// Where the referee found the worst row.
typedef struct CairnSightWorst {
    bool is_there;
    CairnVec3 point;
    char words[120];
} CairnSightWorst;

// What a body's panel shows.
typedef struct CairnSightDetails {
    bool is_there;
    CairnBodyState state;
    CairnBodyId id;
    const char *shape; // of its first one
    int shape_count, contact_count, joint_count;
    CairnVec3 contact_force;
} CairnSightDetails;

enum { CAIRN_SIGHT_PARTS = 512 };

// What the window requests beyond the bodies.
typedef struct CairnSightWants {
    bool joints, residuals;
    uint32_t body, generation; // the body whose numbers are shown; 0: none
} CairnSightWants;

typedef struct CairnSight {
    CairnSightItem *items;
    CairnSightBody *bodies;
    CairnSightContact *contacts;
    CairnSightJoint *joints;
    int item_count, body_count, contact_count, joint_count;
    int item_capacity, body_capacity, contact_capacity, joint_capacity;
    int island_count, part_count;
    double part_seconds
        [CAIRN_SIGHT_PARTS]; // that the last solve gave to each part alone; of the first ones where there are more
    CairnSightWorst worst;
    CairnSightDetails details;
    CairnGrab touch;
    CairnStats stats; // step_index 0: before the first step
    double time;
    int frame;
    int past_last;      // the last frame of the past that can be gone to, as it was then
    uint64_t serial;    // counts the sights of a view
    CairnStatus status; // not fine: why it stopped
    char scene[CAIRN_NAME_SIZE], solver[CAIRN_NAME_SIZE];
    CairnAuditReport audited; // of that step, where is_audited
    bool is_audited;
    char verdict[400];
    bool is_certified, is_sound; // is_sound also where it was not audited
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
    CairnDrawnMeshStore *store;
    void (*lock)(void *guard), (*unlock)(void *guard);
    void *guard;
    CairnSightCache cache;
    CairnContact *contacts;
    int contact_capacity;
    int *body_index; // index in `bodies` by the slot of the world
    int index_capacity;
    double rod_width;
    CairnSightWants wants;
} CairnSightMaker;

// Copy what there is to see; frame, statistics and verdict are the caller's to set before.
CairnStatus cairn_sight_take(CairnSightMaker *maker, const CairnWorld *world, double dt, CairnSight *sight);
// The referee's verdict on the step in words that give the reason.
void cairn_sight_judge(CairnSight *sight);
// Forget what is known of shapes: the world is another one.
void cairn_sight_maker_reset(CairnSightMaker *maker);
void cairn_sight_free(CairnSight *sight);
void cairn_sight_maker_free(CairnSightMaker *maker);

// ---- for the two files of it ----

// As cairn_array_reserve, in words.
CairnStatus cairn_sight_reserve(void *array, int *capacity, int count, size_t size);
// sight_forces.c: contacts, joints, residuals and islands, after the bodies.
CairnStatus cairn_sight_take_forces(CairnSightMaker *maker, const CairnWorld *world, double dt, CairnSight *sight);

#endif
