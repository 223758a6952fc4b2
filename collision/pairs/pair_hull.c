// Hulls against spheres, capsules, boxes, hulls and half-spaces; capsules against boxes, which are hulls too.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/hull_pair.h"
#include "collision/pairs/pair_order.h"
#include "collision/pairs/pairs.h"

static void put(CairnManifold *manifold, CairnTransform pose, CairnVec3 normal, const CairnManifoldPoint *points,
                int count) {
    manifold->count = count;
    if (count > 0) {
        manifold->normal = cairn_rotate(pose.q, normal);
    }
    for (int k = 0; k < count; ++k) {
        manifold->points[k] = points[k];
        manifold->points[k].point = cairn_transform_point(pose, points[k].point);
    }
}

static void rod_against(const CairnGeometry *rod, CairnTransform pose_rod, const CairnHull *hull,
                        CairnTransform pose_hull, double margin, CairnManifold *manifold) {
    CairnTransform relative = cairn_relative_pose(pose_hull, pose_rod);
    CairnVec3 axis = cairn_rotate(relative.q, (CairnVec3){0, 0, rod->half_height}), normal = {0, 0, 1};
    CairnManifoldPoint points[2];
    int count = cairn_rod_hull(cairn_sub(relative.p, axis), cairn_add(relative.p, axis), rod->radius, hull, margin,
                               &normal, points);
    put(manifold, pose_hull, normal, points, count); // normal from the hull
}

void cairn_pair_box_capsule(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                            CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnBoxHull box;
    cairn_hull_of_box(&box, a->half);
    rod_against(b, pose_b, &box.hull, pose_a, margin, manifold);
}

void cairn_pair_capsule_hull(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                             CairnTransform pose_b, double margin, CairnManifold *manifold) {
    rod_against(a, pose_a, b->hull, pose_b, margin, manifold);
    manifold->normal = cairn_neg(manifold->normal);
}

void cairn_pair_sphere_hull(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                            CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnManifoldPoint points[2];
    CairnVec3 normal = {0, 0, 1};
    int count = cairn_ball_hull(cairn_untransform_point(pose_b, pose_a.p), a->radius, b->hull, margin, &normal, points);
    put(manifold, pose_b, cairn_neg(normal), points, count);
}

// Everything in the frame of the first.
static void hulls(const CairnHull *a, CairnTransform pose_a, const CairnHull *b, CairnTransform pose_b, double margin,
                  CairnManifold *manifold) {
    CairnTransform relative = cairn_relative_pose(pose_a, pose_b);
    CairnHullFrame first = {a, cairn_mat3_of_quat(cairn_quat_identity()), {0, 0, 0}};
    CairnHullFrame second = {b, cairn_mat3_of_quat(relative.q), relative.p};
    CairnManifoldPoint points[CAIRN_CLIPPED_POINTS];
    CairnVec3 normal = {0, 0, 1};
    int count = cairn_box_nearer(points, cairn_hull_hull(&first, &second, margin, &normal, points), margin);
    put(manifold, pose_a, normal, points, count);
}

void cairn_pair_box_hull(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                         double margin, CairnManifold *manifold) {
    CairnBoxHull box;
    cairn_hull_of_box(&box, a->half);
    hulls(&box.hull, pose_a, b->hull, pose_b, margin, manifold);
}

void cairn_pair_hull_hull(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                          double margin, CairnManifold *manifold) {
    const double size_a[3] = {a->hull->volume, a->hull->size, a->hull->vertex_count};
    const double size_b[3] = {b->hull->volume, b->hull->size, b->hull->vertex_count};
    int order = cairn_compare_numbers(size_b, size_a, 3);
    if (order < 0 || (order == 0 && cairn_pose_comes_before(pose_b, pose_a))) {
        hulls(b->hull, pose_b, a->hull, pose_a, margin, manifold);
        manifold->normal = cairn_neg(manifold->normal);
        for (int k = 0; k < manifold->count; ++k) {
            manifold->points[k].feature = cairn_names_swapped(manifold->points[k].feature);
        }
    } else {
        hulls(a->hull, pose_a, b->hull, pose_b, margin, manifold);
    }
}

// The corners below the margin. Where there are more than four, those of the face that lies most against the plane and
// the lowest one count, and four of them are kept.
void cairn_pair_hull_half_space(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                CairnTransform pose_b, double margin, CairnManifold *manifold) {
    (void)b;
    const CairnHull *hull = a->hull;
    CairnVec3 up = cairn_rotate(pose_b.q, (CairnVec3){0, 0, 1}), local = cairn_unrotate(pose_a.q, up);
    double height = cairn_dot(up, cairn_sub(pose_a.p, pose_b.p)), lowest = HUGE_VAL;
    CairnManifoldPoint points[CAIRN_HULL_VERTICES];
    int count = 0, bottom = 0;
    for (int v = 0; v < hull->vertex_count; ++v) {
        double z = height + cairn_dot(local, hull->vertices[v]);
        if (z < lowest) {
            lowest = z;
            bottom = v;
        }
        if (z < margin) {
            points[count++] = (CairnManifoldPoint){hull->vertices[v], z, cairn_name_vertex(v)};
        }
    }
    if (count > 4) {
        CairnHullFrame frame = {hull, cairn_mat3_of_quat(cairn_quat_identity()), {0, 0, 0}};
        bool is_wanted[CAIRN_HULL_VERTICES] = {false};
        is_wanted[bottom] = true;
        int first = hull->face_edges[cairn_hull_facing(&frame, cairn_neg(local))], e = first, kept = 0;
        do {
            is_wanted[hull->edges[e].origin] = true;
            e = hull->edges[e].next;
        } while (e != first);
        for (int k = 0; k < count; ++k) {
            if (is_wanted[points[k].feature & 0x3fffu]) {
                points[kept++] = points[k];
            }
        }
        count = cairn_box_reduce(points, kept, local);
    }
    for (int k = 0; k < count; ++k) {
        points[k].point = cairn_add_scaled(points[k].point, -0.5 * points[k].distance, local);
    }
    put(manifold, pose_a, cairn_neg(local), points, count);
}
