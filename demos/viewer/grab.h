// Touch: what a hand does to the bodies. Deeds are kept in a list with the frame at which they happen, and every view
// does them at that frame, before its step: copies of a scene that are touched stay comparable, and the same deeds give
// the same bits again.
#ifndef CAIRN_VIEWER_GRAB_H
#define CAIRN_VIEWER_GRAB_H

#include <cairn/world.h>

typedef enum CairnDeedKind {
    CAIRN_DEED_GRAB = 0, // a: the point of the body, in the world
    CAIRN_DEED_DRAG,     // a: where that point shall go
    CAIRN_DEED_RELEASE,
    CAIRN_DEED_FREEZE, // dynamic to static and back
    CAIRN_DEED_DELETE,
    CAIRN_DEED_PUSH,       // a: point, b: change of velocity, m/s
    CAIRN_DEED_THROW_BALL, // a: position, b: velocity, size: radius
    CAIRN_DEED_THROW_BOX
} CairnDeedKind;

typedef struct CairnDeed {
    CairnDeedKind kind;
    int frame;                 // done before the step from this frame
    uint32_t body, generation; // the world's number is each view's own
    CairnVec3 a, b;
    double size;
} CairnDeed;

// What a hand holds in one world.
typedef struct CairnGrab {
    bool is_held;
    CairnBodyId body;
    CairnVec3 local, target; // of the body's frame; of the world
    CairnVec3 point, force;  // of the last step
    char notice[120];        // what a world refused
} CairnGrab;

CairnBodyId cairn_grab_body(const CairnWorld *world, uint32_t index, uint32_t generation);
// What a world refuses (a body that is gone, a plane that cannot move) is noted and changes nothing.
void cairn_grab_do(CairnGrab *touch, CairnWorld *world, const CairnDeed *deed);
// The spring of the hand, before a step of h seconds.
void cairn_grab_pull(CairnGrab *touch, CairnWorld *world, double h);

#endif
