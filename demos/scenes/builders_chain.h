// Builders of chains: links on universal joints, laid along a curve. A scene of your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_CHAIN_H
#define CAIRN_SCENE_BUILDERS_CHAIN_H

#include <cairn/scene.h>

// Links are capsules from joint to joint, so that the chain is a smooth tube wherever it bends.
typedef struct CairnLinks {
    int count;
    double length, radius, mass;       // of a link; length from joint to joint
    double friction, rolling_friction; // the latter a lever arm in m, of drilling too
    double damping;                    // of a link's motion and turning, 1/s
    int group_size;                    // links in a semantic group; the first one has label 0
} CairnLinks;

// The user_data of a link's shape, which tells a renderer to draw an open link where the collision shape is a capsule.
// One more than this value: the drawn link is turned by a right angle, as every second one is.
#define CAIRN_LOOK_LINK UINT64_C(0x6c696e6b00000000)

// A point of a curve; s is its length from the start, or nearly so.
typedef CairnVec3 CairnCurve(const void *data, double s);

// count + 1 points of a curve, each `length` from the one before it in a straight line.
void cairn_walk_curve(CairnCurve *curve, const void *data, double length, int count, CairnVec3 *points);

// Links from points[i] to points[i + 1] (count + 1 points, links->length apart). Universal joints hold neighbours
// together and keep them from twisting against each other. ids[count] may not be NULL.
CairnStatus cairn_build_links(CairnWorld *world, const CairnLinks *links, const CairnVec3 *points, CairnBodyId *ids);

// Hang a body on the far end of the last link.
CairnStatus cairn_build_link_load(CairnWorld *world, const CairnLinks *links, CairnBodyId last, CairnBodyId load);

// A straight bar from one point to the other: a capsule along z of its body's frame. `body` brings mass, group and
// damping.
CairnStatus cairn_build_bar(CairnWorld *world, CairnBodyDef body, CairnShapeDef capsule, CairnVec3 from, CairnVec3 to,
                            CairnBodyId *id);

#endif
