// Shape definitions: defaults, the table of fields, the check.
#include "collision/shapes/shape_def.h"
#include "collision/collision.h"
#include <string.h>

static const char *const type_names[] = {"sphere", "box", "cylinder", "capsule", "hull", "half_space", "mesh", NULL};

#define LARGEST_SIZE 1e9
#define LARGEST_POSITION 1e12

static const CairnField fields[] = {
    CAIRN_FIELD_CHOICE(CairnShapeDef, type, CAIRN_SHAPE_SPHERE, type_names, "kind of shape"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, radius, 0.5, 0, LARGEST_SIZE, 0, "m", "radius of a sphere, cylinder, capsule"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, height, 1, 0, LARGEST_SIZE, 0, "m",
                       "full height of a cylinder; length of a capsule between its half-balls"),
    CAIRN_FIELD_VEC3(CairnShapeDef, size, 1, 1, 1, 0, LARGEST_SIZE, "m", "full edge lengths of a box"),
    CAIRN_FIELD_VEC3(CairnShapeDef, position, 0, 0, 0, -LARGEST_POSITION, LARGEST_POSITION, "m",
                     "place in the body's frame"),
    CAIRN_FIELD_QUAT(CairnShapeDef, orientation, "turn in the body's frame"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, density, 1000, 0, 1e15, 0, "kg/m3", "counts where the body's mass is not given"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, friction, 0.5, 0, 1e6, 0, "", "Coulomb coefficient"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, restitution, 0, 0, 1, 0, "", "Newton's coefficient of restitution"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, rolling_friction, 0, 0, 1e6, 0, "m", "lever arm of the rolling moment"),
    CAIRN_FIELD_DOUBLE(CairnShapeDef, torsional_friction, 0, 0, 1e6, 0, "m", "lever arm of the drilling moment"),
};

const CairnFieldTable cairn_shape_fields = CAIRN_FIELD_TABLE("shape", CairnShapeDef, fields);

CairnShapeDef cairn_shape_def(void) {
    CairnShapeDef def;
    memset(&def, 0, sizeof def);
    cairn_fields_preset(&cairn_shape_fields, &def);
    def.filter = (CairnFilter){1, UINT64_MAX};
    def.cookie = CAIRN_SHAPE_COOKIE;
    return def;
}

CairnShapeDef cairn_sphere(double radius) {
    CairnShapeDef def = cairn_shape_def();
    def.type = CAIRN_SHAPE_SPHERE;
    def.radius = radius;
    return def;
}

CairnShapeDef cairn_box(double x, double y, double z) {
    CairnShapeDef def = cairn_shape_def();
    def.type = CAIRN_SHAPE_BOX;
    def.size = (CairnVec3){x, y, z};
    return def;
}

static CairnShapeDef round_def(CairnShapeType type, double radius, double height) {
    CairnShapeDef def = cairn_shape_def();
    def.type = type;
    def.radius = radius;
    def.height = height;
    return def;
}

CairnShapeDef cairn_cylinder(double radius, double height) {
    return round_def(CAIRN_SHAPE_CYLINDER, radius, height);
}

CairnShapeDef cairn_capsule(double radius, double height) {
    return round_def(CAIRN_SHAPE_CAPSULE, radius, height);
}

CairnShapeDef cairn_hull(const CairnVec3 *points, int point_count) {
    CairnShapeDef def = cairn_shape_def();
    def.type = CAIRN_SHAPE_HULL;
    def.points = points;
    def.point_count = point_count;
    return def;
}

CairnShapeDef cairn_half_space(void) {
    CairnShapeDef def = cairn_shape_def();
    def.type = CAIRN_SHAPE_HALF_SPACE;
    return def;
}

CairnShapeDef cairn_mesh(const CairnVec3 *points, int point_count, const int *indices, int index_count) {
    CairnShapeDef def = cairn_shape_def();
    def.type = CAIRN_SHAPE_MESH;
    def.points = points;
    def.point_count = point_count;
    def.indices = indices;
    def.index_count = index_count;
    return def;
}

const char *cairn_shape_type_name(CairnShapeType type) {
    return (int)type >= 0 && (int)type < CAIRN_SHAPE_TYPE_COUNT ? type_names[type] : "unknown";
}

CairnStatus cairn_shape_check(const CairnShapeDef *def) {
    if (def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: def = NULL");
    }
    if (def->cookie != CAIRN_SHAPE_COOKIE) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: cookie = %#x, the definition did not begin as cairn_shape_def()",
                           (unsigned)def->cookie);
    }
    CAIRN_TRY(cairn_fields_check(&cairn_shape_fields, def));
    return cairn_shape_check_kind(def);
}
