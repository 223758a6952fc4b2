// Builders of elastic rods: rigid segments of a Cosserat rod, joined by springs in all six directions. A scene of your
// own may call them too.
//
// A joint stands for the rod between the middles of two segments, a length l apart: it stretches with E A/l, shears
// with k G A/l, bends with E I/l and twists with G J/l, where G = E/(2 (1 + nu)), A = pi r^2, I = pi r^4/4, J = 2 I,
// and k = 6 (1 + nu)/(7 + 6 nu) is the shear coefficient of a round section (Cowper). The engine's springs are
// implicit, so no step is too large for a stiff one.
#ifndef CAIRN_SCENE_BUILDERS_ROD_H
#define CAIRN_SCENE_BUILDERS_ROD_H

#include <cairn/scene.h>

typedef struct CairnRod {
    int count;              // segments
    double radius, density; // m, kg/m^3
    double young, poisson;  // Pa, 1
    double loss;            // s: a spring's damping over its stiffness
    double damping;         // of a segment's motion and turning, 1/s
    double friction;
    bool has_shapes;   // capsules; without them nothing touches the rod
    bool meets_itself; // all but the nearest segments, and those whose number differs by a multiple of 32 from theirs
    int group, group_size; // label of the first group, and segments in one; group < 0: none
    uint64_t category,
        mask; // what it meets, in the lower 32 bits; the upper ones distinguish segments from their neighbours
} CairnRod;

CairnRod cairn_rod(void); // 40 segments, 4 mm thick in radius, rubber

// Segments from points[i] to points[i + 1] (count + 1 points), at rest as they lie. ids[count] may not be NULL.
CairnStatus cairn_build_elastic(CairnWorld *world, const CairnRod *rod, const CairnVec3 *points, CairnBodyId *ids);

// Clamp an end to another body (null: the world): the half segment up to `point` is elastic, the body's side is not.
// is_first: the end at points[0], and the segment is ids[0].
CairnStatus cairn_build_elastic_clamp(CairnWorld *world, const CairnRod *rod, CairnBodyId segment, bool is_first,
                                      CairnBodyId body, double length, CairnJointId *id);

#endif
