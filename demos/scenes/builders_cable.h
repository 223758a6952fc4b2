// Builders of cables: links on joints of six degrees of freedom, all but inextensible, soft in bending and twisting. A
// scene of your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_CABLE_H
#define CAIRN_SCENE_BUILDERS_CABLE_H

#include <cairn/scene.h>

typedef struct CairnCable {
    int count;                // links
    double radius, mass;      // of a link: a capsule
    double bending, twisting; // stiffness of a joint, N m/rad
    double loss;              // its damping, N m s/rad
    double compliance;        // of a joint's three lengths, (m/s)/(N s)
    double friction, damping; // the latter of a link's motion and turning, 1/s
    int group;                // semantic label
    CairnFilter filter;
} CairnCable;

CairnCable cairn_cable(void); // 40 links of 0.1 kg, 2 cm thick in radius

// Links from points[i] to points[i + 1] (count + 1 points). ids[count] may not be NULL.
CairnStatus cairn_build_cable(CairnWorld *world, const CairnCable *cable, const CairnVec3 *points, CairnBodyId *ids);

// Tie a link to another body (null: the world) at a point, bending and twisting as within the cable.
CairnStatus cairn_build_cable_tie(CairnWorld *world, const CairnCable *cable, CairnBodyId link, CairnBodyId body,
                                  CairnVec3 point);

// The middle line of a link, in the world.
CairnStatus cairn_cable_segment(const CairnWorld *world, CairnBodyId link, double length, CairnVec3 *from,
                                CairnVec3 *to);

// How near two segments come, and their fraction of Gauss' linking integral.
double cairn_segment_distance(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d);
double cairn_segment_linking(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d);

#endif
