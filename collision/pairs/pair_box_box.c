// Box against box: separating axes, then a clipped face or a pair of edges.
//
// Of the 15 axes (three face normals each, nine edge crosses) the one with the largest separation decides. An exact tie
// is common (stacked boxes: both faces and several crosses of edges give the same axis), so ties to rounding go to a
// face, and to the first box's face: the choice must not change with the last digits.
//
// The two boxes are first put into an order that depends on them alone, so that swapping them swaps the answer to the
// last bit.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/pair_order.h"
#include "collision/pairs/pairs.h"

// An axis must beat an earlier one by this fraction of the smaller box's size.
#define TIE 1e-5
// Points of a face that are separated and higher than the distance along its axis by more than this fraction lie beyond
// its rim: the distance is then that of other features.
#define EXACT 1e-10
// An edge axis within 1.8 degrees (cosine) of the best face's normal is replaced by it: the clipped face represents
// that crossing of edges with the same depth to 0.05 %, and supports with up to four points where the edges would with
// one.
#define EDGE_LIKE_FACE 0.9995

static CairnBoxFrame box_frame(const CairnGeometry *box, CairnTransform pose, CairnVec3 center) {
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    CairnBoxFrame frame = {center, {{0, 0, 0}}, {box->half.x, box->half.y, box->half.z}};
    for (int i = 0; i < 3; ++i) {
        frame.axis[i] = (CairnVec3){r.m[0][i], r.m[1][i], r.m[2][i]};
    }
    return frame;
}

// True: b comes before a, by size, then by position. Only two boxes that are equal in everything have no order.
static bool comes_before(const CairnGeometry *b, CairnTransform pose_b, const CairnGeometry *a, CairnTransform pose_a) {
    const double half_a[3] = {a->half.x, a->half.y, a->half.z}, half_b[3] = {b->half.x, b->half.y, b->half.z};
    int order = cairn_compare_numbers(half_b, half_a, 3);
    return order != 0 ? order < 0 : cairn_pose_comes_before(pose_b, pose_a);
}

// The point where the two supporting edges pass each other. False when they do so beyond their ends: the boxes are then
// apart (of two that overlap the edges of the axis of least overlap do cross), or the result is within rounding.
static bool edge_point(const CairnBoxFrame *first, const CairnBoxFrame *second, const CairnBoxAxis *axis,
                       CairnManifoldPoint *point) {
    int i = axis->i, j = axis->j;
    unsigned signs_1 = cairn_box_support(first, axis->normal),
             signs_2 = cairn_box_support(second, cairn_neg(axis->normal));
    CairnVec3 a = first->axis[i], b = second->axis[j];
    double half_1 = first->half[i], half_2 = second->half[j], s, t;
    CairnVec3 p =
        cairn_add_scaled(cairn_box_corner(first, signs_1), signs_1 >> i & 1u ? -half_1 : half_1, a); // the middles
    CairnVec3 q = cairn_add_scaled(cairn_box_corner(second, signs_2), signs_2 >> j & 1u ? -half_2 : half_2, b);
    cairn_line_line(p, a, q, b, &s, &t);
    CairnVec3 sum = cairn_add(cairn_add_scaled(p, cairn_clamp(s, -half_1, half_1), a),
                              cairn_add_scaled(q, cairn_clamp(t, -half_2, half_2), b));
    *point = (CairnManifoldPoint){cairn_scale(0.5, sum), axis->separation,
                                  cairn_box_features(cairn_box_edge(i, signs_1), cairn_box_edge(j, signs_2))};
    return fabs(s) <= half_1 && fabs(t) <= half_2;
}

// Face contact. Clipping names features (reference, incident); the answer is (first, second).
static int face_points(const CairnBoxFrame *first, const CairnBoxFrame *second, const CairnBoxAxis *axis, double margin,
                       CairnManifoldPoint points[CAIRN_CLIP_POINTS]) {
    int count;
    if (axis->j < 0) {
        bool is_negative = cairn_dot(axis->normal, first->axis[axis->i]) < 0;
        count = cairn_box_clip(first, second, axis->i, is_negative, margin, points);
    } else {
        bool is_negative = cairn_dot(axis->normal, second->axis[axis->j]) > 0;
        count = cairn_box_clip(second, first, axis->j, is_negative, margin, points);
        for (int k = 0; k < count; ++k) {
            points[k].feature = cairn_box_features_swapped(points[k].feature);
        }
    }
    return cairn_box_reduce(points, count, axis->normal);
}

// All relative to the centre of `first`.
static int collide(const CairnBoxFrame *first, const CairnBoxFrame *second, double margin, CairnVec3 *normal,
                   CairnManifoldPoint points[CAIRN_CLIP_POINTS]) {
    double size_1 = cairn_max(first->half[0], cairn_max(first->half[1], first->half[2]));
    double size_2 = cairn_max(second->half[0], cairn_max(second->half[1], second->half[2]));
    double tie = TIE * cairn_min(size_1, size_2);
    CairnBoxRelation relation = cairn_box_relation(first, second);
    CairnBoxAxis face = cairn_box_best_face(first, second, &relation, tie);
    if (!(face.separation < margin)) {
        return 0;
    }
    CairnBoxAxis edges = cairn_box_best_edges(first, second, &relation, tie);
    if (edges.separation > face.separation && !(edges.separation < margin)) {
        return 0;
    }
    bool is_face = edges.separation <= face.separation + tie || cairn_dot(edges.normal, face.normal) > EDGE_LIKE_FACE;
    bool is_apart = cairn_max(face.separation, edges.separation) > 0;
    int count = is_face ? face_points(first, second, &face, margin, points) : 0;
    *normal = face.normal;
    if (count > 0 && is_apart && cairn_box_lowest(points, count) > face.separation + EXACT / TIE * tie) {
        // The vertex that the axis speaks of passes the face by, if by a hair: something else is nearest.
        CairnVec3 n = face.normal;
        CairnManifoldPoint nearest;
        double distance = cairn_box_apart(first, second, &n, &nearest);
        if (!cairn_box_shift_depths(points, count, distance, tie)) {
            points[0] = nearest;
            *normal = n;
            count = distance < margin ? 1 : 0;
        }
        return count;
    }
    if (count > 0 && cairn_box_shift_depths(points, count, cairn_max(face.separation, edges.separation), tie)) {
        return count;
    }
    *normal = edges.separation > face.separation ? edges.normal : face.normal;
    if (edges.separation > face.separation && (edge_point(first, second, &edges, &points[0]) || !is_apart)) {
        return 1;
    }
    return is_apart && cairn_box_apart(first, second, normal, &points[0]) < margin ? 1 : 0;
}

void cairn_pair_box_box(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                        double margin, CairnManifold *manifold) {
    CairnManifoldPoint points[CAIRN_CLIP_POINTS];
    bool is_swapped = comes_before(b, pose_b, a, pose_a);
    CairnVec3 origin = is_swapped ? pose_b.p : pose_a.p;
    CairnVec3 d = cairn_sub(is_swapped ? pose_a.p : pose_b.p, origin);
    CairnBoxFrame first =
        is_swapped ? box_frame(b, pose_b, (CairnVec3){0, 0, 0}) : box_frame(a, pose_a, (CairnVec3){0, 0, 0});
    CairnBoxFrame second = is_swapped ? box_frame(a, pose_a, d) : box_frame(b, pose_b, d);
    CairnVec3 normal = {0, 0, 1};
    manifold->count = cairn_box_nearer(points, collide(&first, &second, margin, &normal, points), margin);
    if (manifold->count == 0) {
        return;
    }
    manifold->normal = is_swapped ? cairn_neg(normal) : normal;
    for (int k = 0; k < manifold->count; ++k) {
        uint32_t feature = is_swapped ? cairn_box_features_swapped(points[k].feature) : points[k].feature;
        manifold->points[k] = (CairnManifoldPoint){cairn_add(origin, points[k].point), points[k].distance, feature};
    }
}
