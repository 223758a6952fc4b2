#include "collision/convex/core.h"

double cairn_inner_radius(const CairnGeometry *shape) {
    switch (shape->type) {
    case CAIRN_SHAPE_BOX:
        return cairn_min(shape->half.x, cairn_min(shape->half.y, shape->half.z));
    case CAIRN_SHAPE_CYLINDER:
        return cairn_min(shape->radius, shape->half_height);
    case CAIRN_SHAPE_HULL: {
        const CairnHull *hull = shape->hull;
        double least = HUGE_VAL;
        for (int f = 0; f < hull->face_count; f++) {
            least = cairn_min(least, hull->offsets[f] - cairn_dot(hull->normals[f], hull->center));
        }
        return least;
    }
    default:
        return shape->radius;
    }
}

CairnVec3 cairn_geometry_middle(const CairnGeometry *shape, CairnTransform pose) {
    return shape->type == CAIRN_SHAPE_HULL ? cairn_transform_point(pose, shape->hull->center) : pose.p;
}

// With s H about the middle and a ball of radius r there, (1 - s) r deep lies all of s H: H is convex, so it contains
// s H + (1 - s) ball.
static void scale_hull(const CairnHull *hull, double scale, CairnCore *core) {
    core->hull = *hull;
    core->hull.vertices = core->vertices;
    core->hull.bytes = 0;
    for (int v = 0; v < hull->vertex_count; v++) {
        core->vertices[v] = cairn_add_scaled(hull->center, scale, cairn_sub(hull->vertices[v], hull->center));
    }
    core->geometry.hull = &core->hull;
}

void cairn_core_make(const CairnGeometry *shape, double part, CairnCore *core) {
    core->geometry = *shape;
    core->layer = part * cairn_inner_radius(shape);
    double off = core->layer;
    switch (shape->type) {
    case CAIRN_SHAPE_BOX:
        core->geometry.half = (CairnVec3){shape->half.x - off, shape->half.y - off, shape->half.z - off};
        break;
    case CAIRN_SHAPE_CYLINDER:
        core->geometry.half_height = shape->half_height - off;
        core->geometry.radius = shape->radius - off;
        break;
    case CAIRN_SHAPE_HULL:
        core->layer = 0.5 * off;
        scale_hull(shape->hull, 1 - 0.5 * part, core);
        break;
    default:
        core->geometry.radius = shape->radius - off;
        break;
    }
}
