// Support functions of the cores.
#include "collision/convex/convex.h"
#include "engine/base/mat3.h"

CairnConvex cairn_convex(const CairnGeometry *geometry, CairnMat3 r, CairnVec3 p) {
    CairnConvex c = {.type = geometry->type, .r = r, .p = p};
    switch (geometry->type) {
    case CAIRN_SHAPE_SPHERE:
        c.rounding = geometry->radius;
        break;
    case CAIRN_SHAPE_CAPSULE:
        c.rounding = geometry->radius;
        c.half = (CairnVec3){0, 0, geometry->half_height};
        break;
    case CAIRN_SHAPE_CYLINDER:
        c.half = (CairnVec3){geometry->radius, geometry->radius, geometry->half_height};
        break;
    case CAIRN_SHAPE_HULL:
        c.hull = geometry->hull;
        c.size = geometry->hull->size + cairn_length(geometry->hull->center);
        return c;
    default:
        c.half = geometry->half;
        break;
    }
    c.size = c.type == CAIRN_SHAPE_CYLINDER ? hypot(c.half.x, c.half.z) : cairn_length(c.half);
    return c;
}

static CairnVec3 local_support(CairnConvex *c, CairnVec3 d, int *vertex) {
    *vertex = 0;
    switch (c->type) {
    case CAIRN_SHAPE_SPHERE:
        return (CairnVec3){0, 0, 0};
    case CAIRN_SHAPE_CAPSULE:
        *vertex = d.z > 0 ? 1 : 0;
        return (CairnVec3){0, 0, d.z > 0 ? c->half.z : -c->half.z};
    case CAIRN_SHAPE_CYLINDER: {
        double length = sqrt(d.x * d.x + d.y * d.y);
        double s = length > 1e-300 ? c->half.x / length : 0;
        return (CairnVec3){length > 1e-300 ? s * d.x : c->half.x, s * d.y, copysign(c->half.z, d.z)};
    }
    case CAIRN_SHAPE_HULL:
        *vertex = c->hint = cairn_hull_support(c->hull, d, c->hint);
        return c->hull->vertices[*vertex];
    default:
        *vertex = (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
        return (CairnVec3){d.x > 0 ? c->half.x : -c->half.x, d.y > 0 ? c->half.y : -c->half.y,
                           d.z > 0 ? c->half.z : -c->half.z};
    }
}

CairnVec3 cairn_convex_support(CairnConvex *c, CairnVec3 direction, int *vertex) {
    CairnVec3 local = local_support(c, cairn_mat3_transpose_mul(c->r, direction), vertex);
    return cairn_add(c->p, cairn_mat3_mul(c->r, local));
}

double cairn_convex_overlap(CairnConvex *a, CairnConvex *b, CairnVec3 normal) {
    int vertex;
    CairnVec3 p = cairn_convex_support(a, normal, &vertex), q = cairn_convex_support(b, cairn_neg(normal), &vertex);
    return cairn_dot(normal, cairn_sub(p, q));
}
