// Shapes: the geometry and the material of bodies. A body has any number of shapes, each with its own pose, density
// and material; a shape belongs to one body as long as it exists.
//
// The functions of this header make definitions, which are plain values. They allocate nothing, cannot fail unless they
// return a status, and may be called from any thread. A definition is checked when a shape is made of it
// (cairn_shape_create). Lengths are in metres.
#ifndef CAIRN_SHAPES_H
#define CAIRN_SHAPES_H

#include <cairn/fields.h>
#include <cairn/math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CairnShapeType {
    CAIRN_SHAPE_SPHERE = 0,
    CAIRN_SHAPE_BOX,
    CAIRN_SHAPE_CYLINDER,   // around the z axis of the shape's frame, centred
    CAIRN_SHAPE_CAPSULE,    // around the z axis of the shape's frame, centred
    CAIRN_SHAPE_HULL,       // the convex hull of points
    CAIRN_SHAPE_HALF_SPACE, // all points with z <= 0 in the shape's frame; on static and kinematic bodies only
    CAIRN_SHAPE_MESH,       // triangles with solid matter behind them; on static and kinematic bodies only
    CAIRN_SHAPE_TYPE_COUNT
} CairnShapeType;

// The surface of a shape. The materials of two shapes are combined as the world says (CairnWorldDef: friction_mix,
// restitution_mix).
typedef struct CairnMaterial {
    double friction;           // Coulomb's coefficient
    double restitution;        // Newton's coefficient, 0 ... 1
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
    // Hull and mesh: the arrays belong to the caller until a shape is made of the definition. The world keeps copies
    // (of a hull only its corners), to which the definition that cairn_shape_get writes refers; they live as long as
    // the shape.
    const CairnVec3 *points;
    int point_count;
    const int *indices;    // mesh: three points for each triangle, counter-clockwise seen from outside
    int index_count;       // three for each triangle
    CairnVec3 position;    // in the body's frame
    CairnQuat orientation; // in the body's frame
    double density;        // kg/m3; used only where the mass of the body is not given
    double friction;       // this and the next three: see CairnMaterial
    double restitution;
    double rolling_friction;
    double torsional_friction;
    CairnFilter filter;
    uint64_t user_data; // the caller's own
    uint32_t cookie;    // set by cairn_shape_def(); a definition made without it is refused
} CairnShapeDef;

// Mass (kg), centre of mass (m) and inertia about that centre (kg m2), in the frame that the user of this struct names.
typedef struct CairnMassProperties {
    double mass;
    CairnVec3 center;
    CairnMat3 inertia;
} CairnMassProperties;

// The fields of CairnShapeDef, with their defaults and ranges.
extern const CairnFieldTable cairn_shape_fields;

// Returns the default definition.
CairnShapeDef cairn_shape_def(void);

// These return the default definition with type and size set. Points and indices stay with the caller and are not
// copied.
CairnShapeDef cairn_sphere(double radius);
CairnShapeDef cairn_box(double x, double y, double z);      // full edge lengths
CairnShapeDef cairn_cylinder(double radius, double height); // full height
CairnShapeDef cairn_capsule(double radius, double height);  // height between the centres of the half-balls
CairnShapeDef cairn_hull(const CairnVec3 *points, int point_count);
CairnShapeDef cairn_half_space(void);
// Contacts and rays meet the front of a triangle only: the side from which its points run counter-clockwise. Points at
// the same place are one corner. Coplanar neighbours are one face, and the edges inside of it make no contacts of their
// own. A body bears on triangles that are off a common plane by no more than a thousandth of its size as on one face.
CairnShapeDef cairn_mesh(const CairnVec3 *points, int point_count, const int *indices, int index_count);

// A grid of heights, which makes a mesh that faces up: point (i, j) of columns x rows is (i dx, j dy, heights[i + j
// columns]).
typedef struct CairnHeightGrid {
    int columns, rows;     // at least 2 each
    double dx, dy;         // m
    const double *heights; // columns * rows of them, m
} CairnHeightGrid;

enum { CAIRN_HEIGHT_GRID_MOST = 4096 }; // the largest number of columns, and of rows

// The numbers of points and of indices that the mesh of a grid has.
static inline int cairn_height_grid_points(CairnHeightGrid grid) {
    return grid.columns * grid.rows;
}

static inline int cairn_height_grid_indices(CairnHeightGrid grid) {
    return 6 * (grid.columns - 1) * (grid.rows - 1);
}

// Writes the points and the indices of a grid to the caller's arrays, and the definition of a mesh that refers to them
// to `def`. The arrays must live until a shape is made of it. Returns CAIRN_INVALID_ARGUMENT for a NULL pointer or a
// grid that is out of range.
CairnStatus cairn_height_field(CairnHeightGrid grid, CairnVec3 *points, int *indices, CairnShapeDef *def);

// Returns the name of a type ("box", "half_space"); "unknown" for any other value. The text is a constant.
const char *cairn_shape_type_name(CairnShapeType type);

#ifdef __cplusplus
}
#endif

#endif
