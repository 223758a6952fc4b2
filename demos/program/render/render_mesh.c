#include "demos/program/render/render_mesh.h"
#include "collision/shapes/hull.h"
#include "demos/program/session/reserve.h"
#include <stdlib.h>

static void add_triangle(CairnMesh *mesh, CairnVec3 a, CairnVec3 b, CairnVec3 c, int face) {
    CairnTransform pose = mesh->parts[mesh->part_count].pose;
    mesh->triangles[mesh->triangle_count++] = (CairnTriangle){
        {cairn_transform_point(pose, a), cairn_transform_point(pose, b), cairn_transform_point(pose, c)},
        mesh->part_count,
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

static void add_facets(CairnMesh *mesh, const CairnPrimitive *part) {
    for (int i = 0; i + 2 < part->index_count; i += 3) {
        const int *v = part->indices + i;
        add_triangle(mesh, part->points[v[0]], part->points[v[1]], part->points[v[2]], i / 3);
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

static CairnVec3 facet_normal(const CairnPrimitive *part, int face) {
    const int *v = part->indices + 3 * (size_t)face;
    CairnVec3 a = part->points[v[0]];
    return cairn_cross(cairn_sub(part->points[v[1]], a), cairn_sub(part->points[v[2]], a));
}

static int triangles_of(const CairnPrimitive *part, int rings) {
    return part->kind == CAIRN_PRIMITIVE_SPHERE     ? 4 * rings * rings
           : part->kind == CAIRN_PRIMITIVE_CAPSULE  ? 4 * rings * (rings + 1)
           : part->kind == CAIRN_PRIMITIVE_CYLINDER ? 8 * rings
           : part->kind == CAIRN_PRIMITIVE_BOX      ? 12
           : part->kind == CAIRN_PRIMITIVE_ROD      ? 2 * ROD_SIDES
           : part->kind == CAIRN_PRIMITIVE_FACETS   ? part->index_count / 3
           : part->kind == CAIRN_PRIMITIVE_HULL     ? 2 * part->hull->vertex_count
                                                    : 0;
}

static int faces_of(const CairnPrimitive *part) {
    return part->kind == CAIRN_PRIMITIVE_BOX        ? 6
           : part->kind == CAIRN_PRIMITIVE_CYLINDER ? 3
           : part->kind == CAIRN_PRIMITIVE_FACETS   ? part->index_count / 3
           : part->kind == CAIRN_PRIMITIVE_HULL     ? part->hull->face_count
                                                    : 1;
}

static void add_triangles(CairnMesh *mesh, const CairnPrimitive *part, int rings) {
    if (part->kind == CAIRN_PRIMITIVE_SPHERE) {
        add_sphere(mesh, part->half.x, 0, rings);
    } else if (part->kind == CAIRN_PRIMITIVE_CAPSULE) {
        add_sphere(mesh, part->half.x, part->half.z, rings);
    } else if (part->kind == CAIRN_PRIMITIVE_CYLINDER) {
        add_cylinder(mesh, part->half, 2 * rings);
    } else if (part->kind == CAIRN_PRIMITIVE_BOX) {
        add_box(mesh, part->half);
    } else if (part->kind == CAIRN_PRIMITIVE_ROD) {
        add_rod(mesh, part->half);
    } else if (part->kind == CAIRN_PRIMITIVE_FACETS) {
        add_facets(mesh, part);
    } else if (part->kind == CAIRN_PRIMITIVE_HULL) {
        add_hull(mesh, part->hull);
    }
}

CairnStatus cairn_mesh_add(CairnMesh *mesh, const CairnPrimitive *part, double detail) {
    int rings = 2 * (int)cairn_clamp(2 * sqrt(fmax(detail, 0)), 4, 32);
    CairnPrimitive added = *part;
    added.hull = NULL;
    added.first_surface = mesh->surface_count;
    if (part->kind == CAIRN_PRIMITIVE_HULL) {
        CAIRN_TRY(cairn_hull_build(part->points, part->point_count, NULL, &added.hull));
    }
    int triangles = triangles_of(&added, rings);
    bool is_enough =
        cairn_array_reserve(&mesh->parts, &mesh->part_capacity, mesh->part_count + 1, sizeof *mesh->parts) &&
        cairn_array_reserve(&mesh->triangles, &mesh->triangle_capacity, mesh->triangle_count + triangles,
                            sizeof *mesh->triangles);
    if (!is_enough) {
        cairn_hull_free(added.hull, NULL);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d triangles",
                           mesh->triangle_count + triangles);
    }
    mesh->parts[mesh->part_count] = added;
    add_triangles(mesh, &added, rings);
    mesh->surface_count += faces_of(&added);
    mesh->part_count++;
    return cairn_ok();
}

void cairn_mesh_free(CairnMesh *mesh) {
    for (int i = 0; i < mesh->part_count; i++) {
        cairn_hull_free(mesh->parts[i].hull, NULL);
    }
    free(mesh->parts);
    free(mesh->triangles);
    *mesh = (CairnMesh){0};
}

CairnVec3 cairn_primitive_local(const CairnPrimitive *part, CairnVec3 point) {
    CairnVec3 local = cairn_untransform_point(part->pose, point);
    if (part->kind == CAIRN_PRIMITIVE_CAPSULE) {
        local.z -= cairn_clamp(local.z, -part->half.z, part->half.z);
    }
    return local;
}

CairnVec3 cairn_primitive_normal(const CairnPrimitive *part, int face, CairnVec3 point) {
    CairnVec3 local = cairn_primitive_local(part, point);
    if (part->kind == CAIRN_PRIMITIVE_ROD) {
        local.z = 0;
    } else if (part->kind == CAIRN_PRIMITIVE_CYLINDER) {
        local = face == 0 ? cairn_vec3(local.x, local.y, 0) : cairn_vec3(0, 0, face == 1 ? -1 : 1);
    } else if (part->kind == CAIRN_PRIMITIVE_BOX) {
        double sign = face % 2 ? 1 : -1;
        local = cairn_vec3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
    } else if (part->kind == CAIRN_PRIMITIVE_PLANE) {
        local = cairn_vec3(0, 0, 1);
    } else if (part->kind == CAIRN_PRIMITIVE_FACETS) {
        local = facet_normal(part, face);
    } else if (part->kind == CAIRN_PRIMITIVE_HULL) {
        local = part->hull->normals[face];
    }
    return cairn_rotate(part->pose.q, cairn_normalize(local));
}
