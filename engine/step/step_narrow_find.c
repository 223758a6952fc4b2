// The first half of the narrow phase: which pairs of shapes touch, come near or meet within the step, and where.
//
// Pairs whose balls stay apart are excluded first, with one line of the cache read for each shape: a third to a half of
// the pairs whose boxes meet. Contacts of two spheres are found there, too; all other pairs go through the table of
// pair functions of collision.
#include "collision/convex/sweep.h"
#include "collision/pairs/flush.h"
#include "collision/pairs/pairs.h"
#include "engine/step/step_narrow.h"

CairnMotion cairn_narrow_motion(const CairnNarrow *narrow, int shape) {
    const CairnStore *store = narrow->step->store;
    const CairnShape *s = &store->shapes[shape];
    const CairnBody *body = &store->bodies[s->body];
    CairnVec6 v = cairn_step_free_velocity(narrow->step, s->body);
    double reach = body->type == CAIRN_BODY_STATIC ? 0 : s->reach;
    return (CairnMotion){narrow->boxes->poses[shape], body->center, v.linear, v.angular, reach};
}

// The fraction of the contact margin within which fast bodies count as touching.
#define TOUCH 0.1

// Fast bodies that are apart: the manifold is the one of where they will meet, for the nearest features of now may not
// be those, or there may be no meeting. Answers the time of it.
static int sweep(const CairnNarrow *narrow, CairnPair pair, double touch, double margin, CairnManifold *manifolds,
                 double *time) {
    const CairnShape *shapes = narrow->step->store->shapes;
    const CairnGeometry *a = &shapes[pair.a].model->geometry, *b = &shapes[pair.b].model->geometry;
    CairnMotion motion_a = cairn_narrow_motion(narrow, pair.a), motion_b = cairn_narrow_motion(narrow, pair.b);
    if (!cairn_sweep(a, &motion_a, b, &motion_b, narrow->step->h, touch, time)) {
        return 0;
    }
    return cairn_narrow_manifolds(a, cairn_motion_pose(&motion_a, *time), b, cairn_motion_pose(&motion_b, *time),
                                  margin, manifolds);
}

// The distance at the start of the step of a point that is met at a later time: the one of then plus what closes until
// then, at the velocity of the row.
static double distance_at_start(const CairnNarrow *narrow, CairnPair pair, double time, CairnVec3 normal,
                                const CairnManifoldPoint *point) {
    CairnMotion a = cairn_narrow_motion(narrow, pair.a), b = cairn_narrow_motion(narrow, pair.b);
    CairnVec3 arm_a = cairn_sub(point->point, cairn_add_scaled(a.center, time, a.linear));
    CairnVec3 arm_b = cairn_sub(point->point, cairn_add_scaled(b.center, time, b.linear));
    CairnVec3 slip = cairn_sub(cairn_add(b.linear, cairn_cross(b.angular, arm_b)),
                               cairn_add(a.linear, cairn_cross(a.angular, arm_a)));
    // A corner that moves away meanwhile was no overlap before.
    return cairn_max(point->distance - time * cairn_dot(normal, slip), cairn_min(point->distance, 0));
}

static bool are_touching(const CairnManifold *manifolds, int count, double touch) {
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < manifolds[n].count; k++) {
            if (manifolds[n].points[k].distance < touch) {
                return true;
            }
        }
    }
    return false;
}

// Along one axis: where the broad phase saw a box, how far it goes and how far it was grown besides.
typedef struct Range {
    double low, high, travel, grown;
} Range;

static bool ranges_meet(Range a, Range b, double slack) {
    double travel = b.travel - a.travel;
    double low_a = a.low - cairn_min(a.travel, 0) + a.grown, high_a = a.high - cairn_max(a.travel, 0) - a.grown;
    double low_b = b.low - cairn_min(b.travel, 0) + b.grown, high_b = b.high - cairn_max(b.travel, 0) - b.grown;
    return low_b + cairn_min(travel, 0) <= high_a + slack && low_a <= high_b + cairn_max(travel, 0) + slack;
}

// The broad phase finds shapes that come near the same point at different times of the step. Relative to A, the box of
// B moves along one line: mostly it passes, and shapes that fall together do not move relative to each other.
static bool may_meet(const CairnStepBoxes *boxes, CairnPair pair, double margin) {
    const CairnAabb *a = &boxes->boxes[pair.a], *b = &boxes->boxes[pair.b];
    CairnVec3 to_a = boxes->balls[pair.a].travel, to_b = boxes->balls[pair.b].travel;
    double in_a = 0.5 * margin + boxes->balls[pair.a].turning, in_b = 0.5 * margin + boxes->balls[pair.b].turning,
           slack = in_a + in_b;
    return ranges_meet((Range){a->low.x, a->high.x, to_a.x, in_a}, (Range){b->low.x, b->high.x, to_b.x, in_b}, slack) &&
           ranges_meet((Range){a->low.y, a->high.y, to_a.y, in_a}, (Range){b->low.y, b->high.y, to_b.y, in_b}, slack) &&
           ranges_meet((Range){a->low.z, a->high.z, to_a.z, in_a}, (Range){b->low.z, b->high.z, to_b.z, in_b}, slack);
}

// Slow bodies: what is nearer than the margin and the motion of the step. Fast ones alike while they touch; apart, by a
// sweep.
static int find_manifolds(const CairnNarrow *narrow, CairnPair pair, CairnManifold manifolds[CAIRN_MANIFOLDS],
                          double *time) {
    const CairnStepBoxes *boxes = narrow->boxes;
    const CairnShape *shapes = narrow->step->store->shapes;
    const CairnGeometry *a = &shapes[pair.a].model->geometry, *b = &shapes[pair.b].model->geometry;
    double margin = narrow->step->world->def.contact_margin, touch = TOUCH * margin;
    const CairnStepBall *ball_a = &boxes->balls[pair.a], *ball_b = &boxes->balls[pair.b];
    CairnVec3 travel = cairn_sub(ball_b->travel, ball_a->travel);
    double turning = ball_a->turning + ball_b->turning, motion = cairn_length(travel) + turning;
    *time = 0;
    if (!may_meet(boxes, pair, margin)) {
        return 0;
    }
    int count = cairn_narrow_manifolds(a, boxes->poses[pair.a], b, boxes->poses[pair.b], margin + motion, manifolds);
    bool is_mesh =
        a->type == CAIRN_SHAPE_MESH || b->type == CAIRN_SHAPE_MESH; // what is nearest now need not be what is met
    if (motion <= margin || (count == 0 && !is_mesh) || !cairn_can_sweep(a, b) ||
        are_touching(manifolds, count, touch)) {
        return count;
    }
    return sweep(narrow, pair, touch, margin, manifolds, time);
}

// Two faces that lie on each other lean by what the last load left behind. What slides over a fixed face follows that
// one's normal: by its own it would be pushed aside, or into the next tile.
static void follow_fixed_face(const CairnNarrow *narrow, CairnPair pair, CairnManifold *manifold) {
    const CairnStepBoxes *boxes = narrow->boxes;
    const CairnShape *shapes = narrow->step->store->shapes;
    bool is_a = boxes->kinds[pair.a] == CAIRN_BOX_FIXED, is_b = boxes->kinds[pair.b] == CAIRN_BOX_FIXED;
    int fixed = is_a ? pair.a : pair.b;
    CairnVec3 out = is_a ? manifold->normal : cairn_neg(manifold->normal), face;
    if (manifold->count > 1 && is_a != is_b &&
        cairn_flush_face(&shapes[fixed].model->geometry, boxes->poses[fixed], out, &face)) {
        manifold->normal = is_a ? face : cairn_neg(face);
    }
}

static void write_points(const CairnNarrow *narrow, CairnNarrowPiece *piece, int pair, double time,
                         const CairnManifold *manifold) {
    for (int k = 0; k < manifold->count; k++) {
        const CairnManifoldPoint *point = &manifold->points[k];
        if (piece->count < piece->capacity) {
            piece->found[piece->count] = (CairnNarrowPoint){
                .normal = manifold->normal,
                .point = point->point,
                .distance = time > 0 ? distance_at_start(narrow, narrow->pairs[pair], time, manifold->normal, point)
                                     : point->distance,
                .gap = point->distance,
                .time = time,
                .feature = (uint64_t)manifold->patch << 32 | point->feature,
                .pair = pair,
                .count = (uint8_t)manifold->count,
                .index = (uint8_t)k};
        }
        piece->count++;
    }
}

// Lists those of the pairs first ... end - 1 whose balls come within the margin of each other. Every index is written,
// and the next one overwrites it unless it counts: a branch would be mispredicted, since the results are irregular.
static int near_pairs(const CairnNarrow *narrow, int first, int end, int *near) {
    const CairnStepBall *balls = narrow->boxes->balls;
    double margin = narrow->step->world->def.contact_margin;
    int count = 0;
    for (int p = first; p < end; p++) {
        const CairnStepBall *a = &balls[narrow->pairs[p].a], *b = &balls[narrow->pairs[p].b];
        __builtin_prefetch(&balls[narrow->pairs[p + 8 < end ? p + 8 : p].b]);
        double travel = cairn_length(cairn_sub(b->travel, a->travel)) + a->turning + b->turning;
        double far = (a->radius + b->radius + margin + travel) * (1 + 1e-12);
        near[count] = p;
        count += !(cairn_length_squared(cairn_sub(b->center, a->center)) > far * far);
    }
    return count;
}

// The contact of two spheres at the start of the step: of slow ones, or of fast ones that touch. True: the pair is
// done, with a contact or without.
static bool find_spheres(const CairnNarrow *narrow, CairnNarrowPiece *piece, int p) {
    CairnPair pair = narrow->pairs[p];
    const CairnStepBall *a = &narrow->boxes->balls[pair.a], *b = &narrow->boxes->balls[pair.b];
    double margin = narrow->step->world->def.contact_margin;
    CairnVec3 travel = cairn_sub(b->travel, a->travel);
    double motion = cairn_length(travel) + (a->turning + b->turning);
    CairnManifoldPoint point;
    CairnVec3 normal;
    bool is_still = travel.x == 0 && travel.y == 0 && travel.z == 0; // then their boxes meet where they do
    if (!is_still && !may_meet(narrow->boxes, pair, margin)) {
        return true;
    }
    if (!cairn_spheres_meet(a->center, a->radius, b->center, b->radius, margin + motion, &normal, &point)) {
        return true;
    }
    if (motion > margin && !(point.distance < TOUCH * margin)) {
        return false; // to be swept
    }
    if (piece->count < piece->capacity) {
        piece->found[piece->count] = (CairnNarrowPoint){.normal = normal,
                                                        .point = point.point,
                                                        .distance = point.distance,
                                                        .gap = point.distance,
                                                        .pair = p,
                                                        .count = 1};
    }
    piece->count++;
    return true;
}

void cairn_narrow_find(const CairnNarrow *narrow, CairnNarrowPiece *piece) {
    enum { BATCH = 256 };
    const CairnStepSide *sides = narrow->boxes->sides;
    const uint8_t *traits = narrow->boxes->traits;
    CairnManifold manifolds[CAIRN_MANIFOLDS];
    int near[BATCH];
    piece->count = 0;
    for (int first = piece->first; first < piece->end; first += BATCH) {
        int count = near_pairs(narrow, first, first + BATCH < piece->end ? first + BATCH : piece->end, near);
        for (int k = 0; k < count; k++) {
            CairnPair pair = narrow->pairs[near[k]];
            unsigned both = traits[pair.a] & traits[pair.b];
            bool may_touch = (both & CAIRN_SHAPE_IS_PLAIN) != 0 ||
                             cairn_step_may_touch(narrow->step->store, &sides[pair.a], &sides[pair.b]);
            if (!may_touch || ((both & CAIRN_SHAPE_IS_SPHERE) != 0 && find_spheres(narrow, piece, near[k]))) {
                continue;
            }
            double time;
            int manifold_count = find_manifolds(narrow, pair, manifolds, &time);
            for (int n = 0; n < manifold_count; n++) {
                follow_fixed_face(narrow, pair, &manifolds[n]);
                write_points(narrow, piece, near[k], time, &manifolds[n]);
            }
        }
    }
}
