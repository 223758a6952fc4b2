// Cylinder against capsule and against hull: the normal by GJK or, in overlap, by the expanding polytope; the points
// from the features that lie along it.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/cylinder_contact.h"
#include "collision/pairs/pair_order.h"
#include "collision/pairs/pairs.h"
#include "engine/base/mat3.h"

static CairnMat3 no_turn(void) {
    return cairn_mat3_of_quat(cairn_quat_identity());
}

static void write_manifold(CairnManifold *manifold, CairnTransform pose, const CairnDrum *drum,
                           const CairnManifoldPoint *points, int count) {
    manifold->count = count;
    if (count > 0) {
        manifold->normal = cairn_rotate(pose.q, drum->normal);
    }
    for (int k = 0; k < count; ++k) {
        manifold->points[k] = points[k];
        manifold->points[k].point = cairn_transform_point(pose, points[k].point);
    }
}

void cairn_pair_cylinder_capsule(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                 CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnTransform relative = cairn_relative_pose(pose_a, pose_b);
    CairnConvex cylinder = cairn_convex(a, no_turn(), (CairnVec3){0, 0, 0});
    CairnConvex rod = cairn_convex(b, cairn_mat3_of_quat(relative.q), relative.p);
    CairnDrum drum = {.radius = a->radius, .half = a->half_height, .rounding = b->radius, .margin = margin};
    if (!cairn_drum_direction(&cylinder, &rod, &drum)) {
        return;
    }
    CairnVec3 axis = cairn_rotate(relative.q, (CairnVec3){0, 0, b->half_height});
    CairnVec3 p = cairn_sub(relative.p, axis), q = cairn_add(relative.p, axis);
    bool is_q = cairn_dot(drum.normal, axis) < 0;
    const CairnVec3 ends[1][2] = {{is_q ? q : p, is_q ? p : q}};
    cairn_drum_refine(&cylinder, &rod, NULL, 0, ends, 1, &drum);
    cairn_drum_snap_normal(&cylinder, &rod, 1 - 5e-9, 1e-11 * (a->radius + b->half_height), &drum);
    const uint32_t names[3] = {cairn_name_vertex(0), cairn_name_vertex(1), cairn_name_edge(0)};
    CairnManifoldPoint points[2];
    int count = cairn_drum_edge(&drum, p, q, names, points);
    if (count == 0) {
        int end = cairn_dot(drum.normal, axis) > 0 ? 0 : 1;
        count = cairn_drum_point(&drum, end == 0 ? p : q, names[end], points);
    }
    write_manifold(manifold, pose_a, &drum, points, count);
}

// The face of the hull that lies along the normal, or along the cylinder's cap or side near it; its normal or the cap's
// becomes the contact's. False: none does.
static bool lying_face(const CairnHullFrame *hull, CairnConvex *cylinder, CairnConvex *convex, double tie,
                       CairnDrum *drum, int *face) {
    *face = cairn_hull_facing(hull, cairn_neg(drum->normal));
    CairnVec3 n = cairn_neg(cairn_frame_normal(hull, *face)), z = {0, 0, copysign(1, drum->normal.z)};
    bool is_cap = fabs(n.z) > CAIRN_LIKE_FACE, is_side = fabs(n.z) < 0.0316; // sine and cosine of 1.8 degrees
    if (cairn_dot(n, drum->normal) < CAIRN_LIKE_FACE || !(is_cap || is_side)) {
        return false;
    }
    double along_face = -cairn_convex_overlap(cylinder, convex, n);
    double along_cap = is_cap ? -cairn_convex_overlap(cylinder, convex, z) : -HUGE_VAL;
    bool takes_cap = along_cap >= along_face - tie;
    drum->normal = takes_cap ? z : n;
    drum->gap = takes_cap ? along_cap : along_face;
    return true;
}

static int edge_or_vertex(const CairnHullFrame *frame, const CairnDrum *drum,
                          CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    const CairnHull *hull = frame->hull;
    CairnVec3 local = cairn_mat3_transpose_mul(frame->r, cairn_neg(drum->normal));
    int face = cairn_hull_facing(frame, cairn_neg(drum->normal));
    if (cairn_drum_leans(drum) && cairn_dot(local, hull->normals[face]) > 1 - 1e-12) { // the rim goes into a face
        return cairn_drum_rim_point(drum, cairn_name_face(face), points);
    }
    int bottom = cairn_hull_support(hull, local, 0), best = -1;
    CairnVec3 vertex = cairn_frame_vertex(frame, bottom);
    double flattest = 0.0316;
    for (int first = hull->vertex_edges[bottom], e = first;;) {
        CairnVec3 d = cairn_sub(cairn_frame_vertex(frame, cairn_hull_end(hull, e)), vertex);
        double rise = cairn_dot(drum->normal, d) / cairn_length(d);
        if (rise < flattest - 1e-9) {
            flattest = rise;
            best = e;
        }
        e = hull->edges[e ^ 1].next;
        if (e == first) {
            break;
        }
    }
    if (best >= 0) {
        int end = cairn_hull_end(hull, best);
        const uint32_t names[3] = {cairn_name_vertex(bottom), cairn_name_vertex(end), cairn_name_edge(best)};
        int count = cairn_drum_edge(drum, vertex, cairn_frame_vertex(frame, end), names, points);
        if (count > 0) {
            return count;
        }
    }
    return cairn_drum_point(drum, vertex, cairn_name_vertex(bottom), points);
}

// The faces and edges about the vertex farthest against the normal that lie across it, nearly.
static void refine(const CairnHullFrame *frame, CairnConvex *cylinder, CairnConvex *convex, CairnDrum *drum) {
    enum { MOST = 8 };
    const CairnHull *hull = frame->hull;
    int bottom = cairn_hull_support(hull, cairn_mat3_transpose_mul(frame->r, cairn_neg(drum->normal)), 0);
    CairnVec3 faces[MOST], ends[MOST][2], vertex = cairn_frame_vertex(frame, bottom);
    int face_count = 0, edge_count = 0;
    ends[0][0] = vertex;
    for (int first = hull->vertex_edges[bottom], e = first;;) {
        CairnVec3 end = cairn_frame_vertex(frame, cairn_hull_end(hull, e)), d = cairn_sub(end, vertex);
        CairnVec3 n = cairn_frame_normal(frame, hull->edges[e].face);
        if (face_count < MOST && cairn_dot(n, drum->normal) < -(1 - 1e-4)) {
            faces[face_count++] = n;
        }
        if (edge_count < MOST && fabs(cairn_dot(drum->normal, d)) < 1e-2 * cairn_length(d)) {
            ends[edge_count][0] = vertex;
            ends[edge_count++][1] = end;
        }
        e = hull->edges[e ^ 1].next;
        if (e == first) {
            break;
        }
    }
    cairn_drum_refine(cylinder, convex, faces, face_count, (const CairnVec3(*)[2])ends, edge_count, drum);
}

void cairn_pair_cylinder_hull(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                              CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnTransform relative = cairn_relative_pose(pose_a, pose_b);
    CairnMat3 r = cairn_mat3_of_quat(relative.q);
    CairnConvex cylinder = cairn_convex(a, no_turn(), (CairnVec3){0, 0, 0}), convex = cairn_convex(b, r, relative.p);
    CairnHullFrame frame = {b->hull, r, relative.p};
    CairnDrum drum = {.radius = a->radius, .half = a->half_height, .margin = margin};
    double tie = CAIRN_TIE * cairn_min(b->hull->size, hypot(a->radius, a->half_height));
    if (!cairn_drum_direction(&cylinder, &convex, &drum)) {
        return;
    }
    double gap = -HUGE_VAL; // a better direction may point at another corner, from which there is a better one yet
    for (int k = 0; k < 4 && drum.gap > gap; ++k) {
        gap = drum.gap;
        refine(&frame, &cylinder, &convex, &drum);
    }
    CairnManifoldPoint points[CAIRN_CLIPPED_POINTS];
    CairnDrum flat = drum;
    int face, count = 0;
    if (lying_face(&frame, &cylinder, &convex, tie, &flat, &face)) {
        CairnPolygon polygon;
        cairn_polygon_of_face(&frame, face, &polygon);
        count = cairn_drum_face(&flat, &polygon, points);
        count = cairn_box_reduce(points, count, flat.normal);
        // The face stands for the true direction only where its points go as deep.
        count = count > 0 && cairn_box_shift_depths(points, count, drum.gap, tie) ? count : 0;
    }
    if (count == 0) {
        flat = drum;
        cairn_drum_snap_normal(&cylinder, &convex, CAIRN_LIKE_FACE, tie, &flat);
        count = edge_or_vertex(&frame, &flat, points);
        (void)cairn_box_shift_depths(points, count, drum.gap,
                                     tie); // cap or side stand for a direction near them, as deep as that
    }
    count = cairn_box_nearer(points, cairn_box_reduce(points, count, flat.normal), margin);
    write_manifold(manifold, pose_a, &flat, points, count);
}
