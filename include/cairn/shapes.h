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
    CAIRN_MESH,       // triangles, solid behind; on static and kinematic bodies only
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
    // Hull and mesh: the world keeps copies (of a hull its corners), which cairn_shape_get shows while the shape lives.
    const CairnVec3 *points;
    int point_count;
    const int *indices;    // mesh: three points a triangle, counter-clockwise from outside
    int index_count;       // 3 for each triangle
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
// Contacts and rays meet the front of a triangle only, the side from which its points run counter-clockwise. Points at the same
// place are one corner; coplanar neighbours are one face, whose inner edges nothing feels.
CairnShapeDef cairn_mesh(const CairnVec3 *points, int point_count, const int *indices, int index_count);

// A grid of heights as a mesh that looks up: point (i, j) of columns x rows is (i dx, j dy, heights[i + j columns]).
typedef struct CairnHeightGrid {
    int columns, rows; // at least 2 each
    double dx, dy;
    const double *heights;
} CairnHeightGrid;

enum { CAIRN_HEIGHT_GRID_MOST = 4096 }; // columns and rows

static inline int cairn_height_grid_points(CairnHeightGrid grid) {
    return grid.columns * grid.rows;
}

static inline int cairn_height_grid_indices(CairnHeightGrid grid) {
    return 6 * (grid.columns - 1) * (grid.rows - 1);
}

// Writes that many points and indices to the caller's memory, which `def` then refers to (until a shape is made of it).
CairnStatus cairn_height_field(CairnHeightGrid grid, CairnVec3 *points, int *indices, CairnShapeDef *def);

const char *cairn_shape_type_name(CairnShapeType type);

#endif
