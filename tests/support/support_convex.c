#include "tests/support/support_convex.h"
#include "collision/shapes/hull.h"

CairnVec3 support_farthest(const CairnGeometry *g, CairnTransform pose, CairnVec3 n) {
    CairnVec3 d = cairn_unrotate(pose.q, n), p = {0, 0, 0};
    double across = hypot(d.x, d.y);
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        p = cairn_scale(g->radius, cairn_normalize(d));
        break;
    case CAIRN_SHAPE_BOX:
        p = (CairnVec3){copysign(g->half.x, d.x), copysign(g->half.y, d.y), copysign(g->half.z, d.z)};
        break;
    case CAIRN_SHAPE_CYLINDER:
        p.x = across > 0 ? g->radius * d.x / across : 0;
        p.y = across > 0 ? g->radius * d.y / across : 0;
        p.z = copysign(g->half_height, d.z);
        break;
    case CAIRN_SHAPE_CAPSULE:
        p = cairn_scale(g->radius, cairn_normalize(d));
        p.z += copysign(g->half_height, d.z);
        break;
    case CAIRN_SHAPE_HULL:
        p = g->hull->vertices[0];
        for (int v = 1; v < g->hull->vertex_count; ++v) {
            p = cairn_dot(d, g->hull->vertices[v]) > cairn_dot(d, p) ? g->hull->vertices[v] : p;
        }
        break;
    default:
        fail_msg("no support function");
    }
    return cairn_transform_point(pose, p);
}

double support_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb, CairnVec3 n) {
    // Half-spaces: all that is on the surface is at the same height.
    CairnVec3 p = a->type == CAIRN_SHAPE_HALF_SPACE ? pa.p : support_farthest(a, pa, n);
    CairnVec3 q = b->type == CAIRN_SHAPE_HALF_SPACE ? pb.p : support_farthest(b, pb, cairn_neg(n));
    return cairn_dot(n, cairn_sub(q, p));
}

double support_depth(const CairnGeometry *g, CairnTransform pose, CairnVec3 point) {
    CairnVec3 p = cairn_untransform_point(pose, point);
    double depth = -HUGE_VAL;
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        return cairn_length(p) - g->radius;
    case CAIRN_SHAPE_BOX:
        return fmax(fabs(p.x) - g->half.x, fmax(fabs(p.y) - g->half.y, fabs(p.z) - g->half.z));
    case CAIRN_SHAPE_CYLINDER:
        return fmax(hypot(p.x, p.y) - g->radius, fabs(p.z) - g->half_height);
    case CAIRN_SHAPE_CAPSULE:
        p.z -= cairn_clamp(p.z, -g->half_height, g->half_height);
        return cairn_length(p) - g->radius;
    case CAIRN_SHAPE_HULL:
        for (int f = 0; f < g->hull->face_count; ++f) {
            depth = fmax(depth, cairn_dot(g->hull->normals[f], p) - g->hull->offsets[f]);
        }
        return depth;
    default:
        return p.z;
    }
}

double support_extent(const CairnGeometry *g) {
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        return g->radius;
    case CAIRN_SHAPE_BOX:
        return cairn_length(g->half);
    case CAIRN_SHAPE_CYLINDER:
        return hypot(g->radius, g->half_height);
    case CAIRN_SHAPE_CAPSULE:
        return g->radius + g->half_height;
    case CAIRN_SHAPE_HULL:
        return g->hull->size + cairn_length(g->hull->center);
    default:
        return 0;
    }
}
