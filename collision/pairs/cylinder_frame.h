// A cylinder as its pairs see it, the names of its features, and the points that a line or a cap has in common with
// what it meets.
//
// A normal's angle with the axis decides which feature of a cylinder faces along it: the cap where it is below 45
// degrees, else the line on its side. Both are kept short of 45 degrees on purpose: their points carry true distances
// along the normal, so those that the shapes do not deserve are beyond the margin.
//
// Features: a kind, the end (1: positive along the axis) and a slot. Rim points 0 ... 3 follow the direction in which
// the cap is inclined (0: nearest); 4 ... 7 lie on the axes x, y, -x, -y of the body, for caps that lie flat and have
// no such direction.
#ifndef CAIRN_COLLISION_CYLINDER_FRAME_H
#define CAIRN_COLLISION_CYLINDER_FRAME_H

#include "collision/pairs/box_frame.h"

typedef struct CairnCylinderFrame {
    CairnVec3 center, axis, x, y; // relative to the first shape of the pair
    double radius, half;
} CairnCylinderFrame;

enum { CAIRN_FEATURE_SIDE = 4, CAIRN_FEATURE_CAP, CAIRN_FEATURE_RIM };

// Caps inclined by less lie flat.
#define CAIRN_CAP_FLAT 5e-4
// More than this along the axis: the cap looks there.
#define CAIRN_CAP_LOOKS 0.70710678118654757
// What coincides to this fraction of the size is one feature.
#define CAIRN_CYLINDER_RIM 1e-5

static inline uint32_t cairn_cylinder_side(int slot) {
    return (uint32_t)CAIRN_FEATURE_SIDE << 4 | (uint32_t)slot;
}

static inline uint32_t cairn_cylinder_cap(bool is_positive, int slot) {
    return (uint32_t)CAIRN_FEATURE_CAP << 4 | (is_positive ? 8u : 0u) | (uint32_t)slot;
}

static inline uint32_t cairn_cylinder_rim(bool is_positive, int slot) {
    return (uint32_t)CAIRN_FEATURE_RIM << 4 | (is_positive ? 8u : 0u) | (uint32_t)slot;
}

// Points found so far. `normal` is from the first to the second shape.
typedef struct CairnPatch {
    CairnVec3 normal;
    double margin;
    int count;
    CairnManifoldPoint points[CAIRN_CLIP_POINTS];
} CairnPatch;

// A line: the line on a cylinder's side that faces along a direction, or with radius 0 an edge of a box.
typedef struct CairnLine {
    CairnVec3 center, axis;
    double half, radius;
    uint32_t ends[2], side; // features: negative and positive end, and between
} CairnLine;

// A cap, seen from outside: its plane and its position in it.
typedef struct CairnCap {
    CairnVec3 center, out;
    double radius;
    bool is_positive;
} CairnCap;

CairnCylinderFrame cairn_cylinder_frame(const CairnGeometry *cylinder, CairnTransform pose, CairnVec3 center);
CairnLine cairn_cylinder_line(const CairnCylinderFrame *cylinder);
CairnCap cairn_cylinder_cap_towards(const CairnCylinderFrame *cylinder, CairnVec3 direction);
// Four points of the cap's rim: the one farthest along `direction` first, or where the cap is flat the body's own.
void cairn_cylinder_rim_points(const CairnCylinderFrame *cylinder, const CairnCap *cap, CairnVec3 direction,
                               bool is_flat, CairnVec3 points[4]);

// From x along n to the plane.
static inline double cairn_cast(CairnVec3 x, CairnVec3 n, CairnVec3 plane_point, CairnVec3 plane_normal) {
    return cairn_dot(cairn_sub(plane_point, x), plane_normal) / cairn_dot(n, plane_normal);
}

// The point of the first shape at `on_first`; the second's lies at `distance` from it along the normal.
void cairn_patch_add(CairnPatch *patch, CairnVec3 on_first, double distance, uint32_t first, uint32_t second);
// The same from a point of the second.
void cairn_patch_add_second(CairnPatch *patch, CairnVec3 on_second, double distance, uint32_t first, uint32_t second);

// Sets the points to the depth `distance` of the optimum where they nearly have it, as those of lines that cross at a
// small angle have beside the crossing. False: the difference is larger, and the point of the optimum is needed, too.
bool cairn_patch_deepen(CairnPatch *patch, double distance, double radius);

// Two lines that are nearly parallel as seen along the normal: the ends of what they have in common, as far as they lie
// within reach of each other. `orient` is a direction that distinguishes the ends of a line.
bool cairn_patch_lines(CairnPatch *patch, const CairnLine *first, const CairnLine *second, CairnVec3 orient);
// The second's line over the first's cap, or with is_swapped the first's line over the second's cap.
void cairn_patch_line_cap(CairnPatch *patch, const CairnLine *line, const CairnCap *cap, bool is_swapped);

#endif
