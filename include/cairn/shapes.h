// Shapes: what bodies are made of. A body carries any number of shapes, each with its own place, density and material
// (a compound); a shape belongs to one body for life.
#ifndef CAIRN_SHAPES_H
#define CAIRN_SHAPES_H

#include <cairn/fields.h>
#include <cairn/math.h>
#include <stdint.h>

typedef enum CairnShapeType {
    CAIRN_SPHERE = 0,
    CAIRN_BOX,
    CAIRN_CYLINDER,   // around the z axis of the shape's frame, centred
    CAIRN_CAPSULE,    // around the z axis of the shape's frame, centred
    CAIRN_HULL,       // the convex hull of points
    CAIRN_HALF_SPACE, // all points with z <= 0 in the shape's frame; on static and kinematic bodies only
    CAIRN_SHAPE_TYPE_COUNT
} CairnShapeType;

// What touches. Two materials mix by the world's rules (CairnWorldDef: friction_mix, restitution_mix).
typedef struct CairnMaterial {
    double friction;           // Coulomb coefficient
    double restitution;        // Newton's e, 0 ... 1
    double rolling_friction;   // lever arm in m: the rolling moment is at most this times the normal force
    double torsional_friction; // lever arm in m: the drilling moment is at most this times the normal force
} CairnMaterial;

// Two shapes touch when each one's category is in the other one's mask.
typedef struct CairnFilter {
    uint64_t category, mask;
} CairnFilter;

typedef struct CairnShapeDef {
    CairnShapeType type;
    double radius;  // sphere, cylinder, capsule
    double height;  // cylinder: full; capsule: between the centres of its two half-balls
    CairnVec3 size; // box: full edge lengths
    const CairnVec3
        *points; // hull: the world keeps a copy of its corners, which cairn_shape_get shows while the shape lives
    int point_count;
    CairnVec3 position;    // in the body's frame
    CairnQuat orientation; // in the body's frame
    double density;        // kg/m3; counts only where the body's mass is not given
    double friction;       // the material, see CairnMaterial
    double restitution;
    double rolling_friction;
    double torsional_friction;
    CairnFilter filter;
    uint64_t user_data;
    uint32_t cookie; // set by cairn_shape_def(): a definition made without it is refused
} CairnShapeDef;

// Mass, centre of mass and inertia about that centre, in the frame that the function says.
typedef struct CairnMassProperties {
    double mass;
    CairnVec3 center;
    CairnMat3 inertia;
} CairnMassProperties;

extern const CairnFieldTable cairn_shape_fields;

CairnShapeDef cairn_shape_def(void);

// The default definition with its type and size set.
CairnShapeDef cairn_sphere(double radius);
CairnShapeDef cairn_box(double x, double y, double z);      // full edge lengths
CairnShapeDef cairn_cylinder(double radius, double height); // full height
CairnShapeDef cairn_capsule(double radius, double height);  // height: between the centres of the half-balls
CairnShapeDef cairn_hull(const CairnVec3 *points, int point_count);
CairnShapeDef cairn_half_space(void);

const char *cairn_shape_type_name(CairnShapeType type);

#endif
