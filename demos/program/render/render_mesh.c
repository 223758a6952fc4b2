#include "demos/program/render/render_mesh.h"
#include "collision/shapes/hull.h"
#include "demos/program/session/reserve.h"
#include <stdlib.h>

static void add_triangle(CairnMesh *mesh, CairnVec3 a, CairnVec3 b, CairnVec3 c, int face) {
    CairnTransform pose = mesh->primitives[mesh->primitive_count].pose;
    mesh->triangles[mesh->triangle_count++] = (CairnTriangle){
        {cairn_transform_point(pose, a), cairn_transform_point(pose, b), cairn_transform_point(pose, c)},
        mesh->primitive_count,
        face};
}

static void add_quad(CairnMesh *mesh, CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d, int face) {
    add_triangle(mesh, a, b, c, face);
    add_triangle(mesh, a, c, d, face);
}

static CairnVec3 on_sphere(double radius, int i, int rings, int j, int slices) {
    double polar = CAIRN_PI * i / rings, turn = 2 * CAIRN_PI * j / slices;
    return cairn_scale(radius, cairn_vec3(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar)));
}

// A ball, or with a `half_length` the two half-balls of a capsule and the wall between them. `rings` is even.
static void add_sphere(CairnMesh *mesh, double radius, double half_length, int rings) {
    int slices = 2 * rings;
    for (int i = 0; i < rings; i++) {
        CairnVec3 end = {0, 0, 2 * i < rings ? half_length : -half_length};
        for (int j = 0; j < slices; j++) {
            CairnVec3 corners[4];
            for (int k = 0; k < 4; k++) {
                int ring = i + (k == 1 || k == 2), slice = j + (k >= 2);
                corners[k] = cairn_add(end, on_sphere(radius, ring, rings, slice, slices));
            }
            add_quad(mesh, corners[0], corners[1], corners[2], corners[3], 0);
            if (2 * i == rings && half_length > 0) {
                CairnVec3 up = {0, 0, 2 * half_length};
                add_quad(mesh, cairn_add(corners[0], up), corners[0], corners[3], cairn_add(corners[3], up), 0);
            }
        }
    }
}

// Face 2k + s has the outward axis k with sign s (0: minus, 1: plus).
static void add_box(CairnMesh *mesh, CairnVec3 half) {
    for (int face = 0; face < 6; face++) {
        CairnVec3 corners[4];
        for (int i = 0; i < 4; i++) {
            double h[3] = {half.x, half.y, half.z};
            int k = face / 2, u = (k + 1) % 3, v = (k + 2) % 3;
            h[k] *= face % 2 ? 1 : -1;
            h[u] *= i == 1 || i == 2 ? 1 : -1;
            h[v] *= i >= 2 ? 1 : -1;
            corners[i] = cairn_vec3(h[0], h[1], h[2]);
        }
        add_quad(mesh, corners[0], corners[1], corners[2], corners[3], face);
    }
}

enum { ROD_SIDES = 12 };

static void add_rod(CairnMesh *mesh, CairnVec3 half) {
    for (int i = 0; i < ROD_SIDES; i++) {
        double a = 2 * CAIRN_PI * i / ROD_SIDES, b = 2 * CAIRN_PI * (i + 1) / ROD_SIDES;
        CairnVec3 p = {half.x * cos(a), half.y * sin(a), half.z}, q = {half.x * cos(b), half.y * sin(b), half.z};
        CairnVec3 r = {q.x, q.y, -half.z}, s = {p.x, p.y, -half.z};
        add_quad(mesh, p, q, r, s, 0);
    }
}

// Faces 0: the side, 1: the lower cap, 2: the upper one.
static void add_cylinder(CairnMesh *mesh, CairnVec3 half, int sides) {
    CairnVec3 low = {0, 0, -half.z}, high = {0, 0, half.z};
    for (int i = 0; i < sides; i++) {
        double a = 2 * CAIRN_PI * i / sides, b = 2 * CAIRN_PI * (i + 1) / sides;
        CairnVec3 p = {half.x * cos(a), half.x * sin(a), half.z}, q = {half.x * cos(b), half.x * sin(b), half.z};
        CairnVec3 r = {q.x, q.y, -half.z}, s = {p.x, p.y, -half.z};
        add_quad(mesh, p, s, r, q, 0);
        add_triangle(mesh, low, r, s, 1);
        add_triangle(mesh, high, p, q, 2);
    }
}

static void add_facets(CairnMesh *mesh, const CairnPrimitive *primitive) {
    for (int i = 0; i + 2 < primitive->index_count; i += 3) {
        const int *v = primitive->indices + i;
        add_triangle(mesh, primitive->points[v[0]], primitive->points[v[1]], primitive->points[v[2]], i / 3);
    }
}

// Each face a fan of triangles round its first corner.
static void add_hull(CairnMesh *mesh, const CairnHull *hull) {
    for (int face = 0; face < hull->face_count; face++) {
        int first = hull->face_edges[face], edge = hull->edges[first].next;
        CairnVec3 apex = hull->vertices[hull->edges[first].origin];
        for (int next = hull->edges[edge].next; next != first; edge = next, next = hull->edges[next].next) {
            add_triangle(mesh, apex, hull->vertices[hull->edges[edge].origin], hull->vertices[hull->edges[next].origin],
                         face);
        }
    }
}

static CairnVec3 facet_normal(const CairnPrimitive *primitive, int face) {
    const int *v = primitive->indices + 3 * (size_t)face;
    CairnVec3 a = primitive->points[v[0]];
    return cairn_cross(cairn_sub(primitive->points[v[1]], a), cairn_sub(primitive->points[v[2]], a));
}

static int triangles_of(const CairnPrimitive *primitive, int rings) {
    return primitive->kind == CAIRN_PRIMITIVE_SPHERE     ? 4 * rings * rings
           : primitive->kind == CAIRN_PRIMITIVE_CAPSULE  ? 4 * rings * (rings + 1)
           : primitive->kind == CAIRN_PRIMITIVE_CYLINDER ? 8 * rings
           : primitive->kind == CAIRN_PRIMITIVE_BOX      ? 12
           : primitive->kind == CAIRN_PRIMITIVE_ROD      ? 2 * ROD_SIDES
           : primitive->kind == CAIRN_PRIMITIVE_FACETS   ? primitive->index_count / 3
           : primitive->kind == CAIRN_PRIMITIVE_HULL     ? 2 * primitive->hull->vertex_count
                                                         : 0;
}

static int faces_of(const CairnPrimitive *primitive) {
    return primitive->kind == CAIRN_PRIMITIVE_BOX        ? 6
           : primitive->kind == CAIRN_PRIMITIVE_CYLINDER ? 3
           : primitive->kind == CAIRN_PRIMITIVE_FACETS   ? primitive->index_count / 3
           : primitive->kind == CAIRN_PRIMITIVE_HULL     ? primitive->hull->face_count
                                                         : 1;
}

static void add_triangles(CairnMesh *mesh, const CairnPrimitive *primitive, int rings) {
    if (primitive->kind == CAIRN_PRIMITIVE_SPHERE) {
        add_sphere(mesh, primitive->half.x, 0, rings);
    } else if (primitive->kind == CAIRN_PRIMITIVE_CAPSULE) {
        add_sphere(mesh, primitive->half.x, primitive->half.z, rings);
    } else if (primitive->kind == CAIRN_PRIMITIVE_CYLINDER) {
        add_cylinder(mesh, primitive->half, 2 * rings);
    } else if (primitive->kind == CAIRN_PRIMITIVE_BOX) {
        add_box(mesh, primitive->half);
    } else if (primitive->kind == CAIRN_PRIMITIVE_ROD) {
        add_rod(mesh, primitive->half);
    } else if (primitive->kind == CAIRN_PRIMITIVE_FACETS) {
        add_facets(mesh, primitive);
    } else if (primitive->kind == CAIRN_PRIMITIVE_HULL) {
        add_hull(mesh, primitive->hull);
    }
}

CairnStatus cairn_mesh_add(CairnMesh *mesh, const CairnPrimitive *primitive, double detail) {
    int rings = 2 * (int)cairn_clamp(2 * sqrt(fmax(detail, 0)), 4, 32);
    CairnPrimitive added = *primitive;
    added.hull = NULL;
    added.first_surface = mesh->surface_count;
    if (primitive->kind == CAIRN_PRIMITIVE_HULL) {
        CAIRN_TRY(cairn_hull_build(primitive->points, primitive->point_count, NULL, &added.hull));
    }
    int triangles = triangles_of(&added, rings);
    bool is_enough = cairn_array_reserve(&mesh->primitives, &mesh->primitive_capacity, mesh->primitive_count + 1,
                                         sizeof *mesh->primitives) &&
                     cairn_array_reserve(&mesh->triangles, &mesh->triangle_capacity, mesh->triangle_count + triangles,
                                         sizeof *mesh->triangles);
    if (!is_enough) {
        cairn_hull_free(added.hull, NULL);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d triangles",
                           mesh->triangle_count + triangles);
    }
    mesh->primitives[mesh->primitive_count] = added;
    add_triangles(mesh, &added, rings);
    mesh->surface_count += faces_of(&added);
    mesh->primitive_count++;
    return cairn_ok();
}

void cairn_mesh_free(CairnMesh *mesh) {
    for (int i = 0; i < mesh->primitive_count; i++) {
        cairn_hull_free(mesh->primitives[i].hull, NULL);
    }
    free(mesh->primitives);
    free(mesh->triangles);
    *mesh = (CairnMesh){0};
}

CairnVec3 cairn_primitive_local(const CairnPrimitive *primitive, CairnVec3 point) {
    CairnVec3 local = cairn_untransform_point(primitive->pose, point);
    if (primitive->kind == CAIRN_PRIMITIVE_CAPSULE) {
        local.z -= cairn_clamp(local.z, -primitive->half.z, primitive->half.z);
    }
    return local;
}

CairnVec3 cairn_primitive_normal(const CairnPrimitive *primitive, int face, CairnVec3 point) {
    CairnVec3 local = cairn_primitive_local(primitive, point);
    if (primitive->kind == CAIRN_PRIMITIVE_ROD) {
        local.z = 0;
    } else if (primitive->kind == CAIRN_PRIMITIVE_CYLINDER) {
        local = face == 0 ? cairn_vec3(local.x, local.y, 0) : cairn_vec3(0, 0, face == 1 ? -1 : 1);
    } else if (primitive->kind == CAIRN_PRIMITIVE_BOX) {
        double sign = face % 2 ? 1 : -1;
        local = cairn_vec3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
    } else if (primitive->kind == CAIRN_PRIMITIVE_PLANE) {
        local = cairn_vec3(0, 0, 1);
    } else if (primitive->kind == CAIRN_PRIMITIVE_FACETS) {
        local = facet_normal(primitive, face);
    } else if (primitive->kind == CAIRN_PRIMITIVE_HULL) {
        local = primitive->hull->normals[face];
    }
    return cairn_rotate(primitive->pose.q, cairn_normalize(local));
}
