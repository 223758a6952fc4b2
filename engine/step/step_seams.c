// Seams: where two shapes lie flush, a third one that moves over them meets the edges and the hidden faces between
// them, if each pair is asked alone: a box that slides over two tiles would be stopped by the side of the second one,
// which it never sees. Such contacts are found here, among all that the narrow phase found, and removed.
//
// Of one shape S and its contacts with others: a contact with T (normal n, at points p of T's surface) is of a seam
// where S touches another shape U along another normal m, T does not stand out over the plane that separates U from S,
// and each p
// - lies in U: then what S may meet at p it meets as U, and the union of T and U has m for a normal there, not n; or
// - lies in that plane, with n far from m: T's edge continues U's surface beyond a gap.
// The plane separates S from T, too. A step, a kerb or a wall stands out over it and stays. What counts is where the
// shapes are, not whose they are: children of one body, fixed and moving ones alike. Where S is fixed, T and U are
// children of one body that moves over it.
#include "collision/pairs/flush.h"
#include "engine/base/pieces.h"
#include "engine/step/step_narrow.h"
#include <string.h>

// Shapes lie flush where they stand out by no more than this fraction of the smallest shape's radius.
static const double flush = 1e-4;
// Normals whose directions differ by less than this sine are the same.
static const double same = 1e-6;
// Cosine of n and m above which T may be a face that S lands on: it may not be left out for a gap.
static const double landing = 0.9987;
// A point in U is no higher than this fraction of S's radius over a contact of U and S: a face stands for directions
// near it. Most points are refused by that.
static const double near_plane = 0.05;

// Where more touches may hide each other, none is asked: the work would grow with their square.
enum { CROWD = 256 };

// A manifold as seen by one of its shapes.
typedef struct Touch {
    CairnNarrowPoint *points;
    int self, other;
    int list;         // of touches that may hide each other
    int next;         // of the same list; -1: none
    int rank;         // how many there are in the list from this one on
    CairnVec3 normal; // from the other shape to this one
    // What most pairs of touches need no more than.
    CairnVec3 surface; // its first point, on the other shape
    CairnVec3 middle;  // of the other shape
    double radius;     // of the other shape
    bool has_middle;   // it touches now, a shape whose middle stands out where half of it does
    bool is_internal;
} Touch;

typedef struct Seams {
    const CairnNarrow *narrow;
    Touch *touches;
    int count;
    int *first; // touch of each list; -1: none. A shape that moves has a list, and so has a body over what is fixed
} Seams;

static const CairnGeometry *geometry_of(const Seams *s, int shape) {
    return &s->narrow->step->store->shapes[shape].model->geometry;
}

static CairnTransform pose_at(const Seams *s, int shape, double time) {
    if (time == 0 || s->narrow->boxes->kinds[shape] == CAIRN_BOX_FIXED) {
        return s->narrow->boxes->poses[shape];
    }
    CairnMotion motion = cairn_narrow_motion(s->narrow, shape);
    return cairn_motion_pose(&motion, time);
}

// The point on the surface of the other shape.
static CairnVec3 surface_point(const Touch *touch, int k) {
    return cairn_add_scaled(touch->points[k].point, -0.5 * touch->points[k].gap, touch->normal);
}

static double tolerance_of(const Seams *s, const Touch *touch, const Touch *cover) {
    return flush * cairn_min(s->narrow->boxes->balls[touch->self].radius, cairn_min(touch->radius, cover->radius));
}

// True: the point of `touch` lies in the other shape of `cover`.
static bool lies_in(const Seams *s, const Touch *touch, const Touch *cover, CairnVec3 p) {
    double radius = s->narrow->boxes->balls[touch->self].radius;
    double height = cairn_dot(cover->normal, cairn_sub(p, cover->surface));
    return (height <= near_plane * radius || touch->points->time != cover->points->time) &&
           cairn_flush_holds(geometry_of(s, cover->other), pose_at(s, cover->other, touch->points->time), p,
                             tolerance_of(s, touch, cover));
}

// The height of U's surface along the normal of its contact with S.
static double surface_height(const Seams *s, const Touch *cover, double time) {
    const CairnGeometry *u = geometry_of(s, cover->other);
    return cairn_dot(cover->normal, cairn_geometry_is_convex(u)
                                        ? cairn_geometry_support(u, pose_at(s, cover->other, time), cover->normal)
                                        : cover->surface);
}

// How far S, which touches U now, may have sunk below U's surface at the time of another contact if nothing held it.
static double sunk(const Seams *s, const Touch *cover, CairnVec3 p, double time) {
    if (time == 0 || cover->points->time > 0) {
        return 0;
    }
    CairnMotion self = cairn_narrow_motion(s->narrow, cover->self), u = cairn_narrow_motion(s->narrow, cover->other);
    CairnVec3 slip = cairn_sub(cairn_add(self.linear, cairn_cross(self.angular, cairn_sub(p, self.center))),
                               cairn_add(u.linear, cairn_cross(u.angular, cairn_sub(p, u.center))));
    return cairn_max(-time * cairn_dot(cover->normal, slip), 0);
}

// True: the middle of T lies over U's surface at the point where S touches U, so that T stands out there. It is for
// most pairs of contacts all that must be asked.
static bool stands_out_by_half(const Seams *s, const Touch *touch, const Touch *cover) {
    return touch->has_middle && cover->points->time == 0 &&
           cairn_dot(cover->normal, cairn_sub(touch->middle, cover->surface)) > tolerance_of(s, touch, cover);
}

// A box's or a cylinder's; a hull's or mesh's own origin may be anywhere.
static bool has_middle(const Seams *s, const Touch *touch) {
    CairnShapeType type = geometry_of(s, touch->other)->type;
    return touch->points->time == 0 && (type == CAIRN_SHAPE_BOX || type == CAIRN_SHAPE_CYLINDER);
}

// False: U of `cover` hides T of `touch` nowhere.
static bool may_hide(const Seams *s, const Touch *touch, const Touch *cover) {
    return cover->other != touch->other && cover->self == touch->self && !stands_out_by_half(s, touch, cover);
}

// True: U of `cover`, which may, hides T of `touch` at a point, and T lies below the plane that separates U from S.
static bool hides(const Seams *s, const Touch *touch, const Touch *cover, CairnVec3 p) {
    CairnVec3 m = cover->normal, n = touch->normal;
    double cosine = cairn_dot(m, n), time = touch->points->time;
    if (cosine > 0 && cairn_length_squared(cairn_cross(m, n)) < same * same) {
        return false;
    }
    bool is_in = lies_in(s, touch, cover, p);
    if (!is_in && cosine > landing) {
        return false;
    }
    double tolerance = tolerance_of(s, touch, cover), height = surface_height(s, cover, time);
    return (is_in || cairn_dot(m, p) >= height - tolerance - sunk(s, cover, p, time)) &&
           !cairn_flush_stands_out(geometry_of(s, touch->other), pose_at(s, touch->other, time), m, height + tolerance,
                                   p, tolerance);
}

static bool is_hidden(const Seams *s, const Touch *touch) {
    for (int k = 0; k < touch->points->count; k++) {
        CairnVec3 p = surface_point(touch, k);
        int cover = s->first[touch->list];
        while (cover >= 0 && !(may_hide(s, touch, &s->touches[cover]) && hides(s, touch, &s->touches[cover], p))) {
            cover = s->touches[cover].next;
        }
        if (cover < 0) {
            return false;
        }
    }
    return true;
}

static void look_at_touches(void *context, int first, int end) {
    const Seams *s = context;
    for (int i = first; i < end; i++) {
        Touch *touch = &s->touches[i];
        int count = s->touches[s->first[touch->list]].rank;
        touch->is_internal = count > 1 && count <= CROWD && is_hidden(s, touch);
    }
}

// A contact is removed only where S keeps one with a shape that hides it.
static bool is_held_elsewhere(const Seams *s, const Touch *touch) {
    CairnVec3 p = surface_point(touch, 0);
    for (int c = s->first[touch->list]; c >= 0; c = s->touches[c].next) {
        const Touch *cover = &s->touches[c];
        if (!cover->is_internal && may_hide(s, touch, cover) && hides(s, touch, cover, p)) {
            return true;
        }
    }
    return false;
}

// ---- gathering ----

static int list_of(const Seams *s, int self, int other) {
    const CairnStep *step = s->narrow->step;
    bool is_moving = s->narrow->boxes->kinds[self] == CAIRN_BOX_MOVING;
    return is_moving ? self : step->store->shape_pool.count + step->store->shapes[other].body;
}

// What may be of a seam: the other shape has a surface that a neighbour may continue, and where this one is fixed, its
// body has several shapes.
static bool is_touch(const Seams *s, int self, int other) {
    const CairnStore *store = s->narrow->step->store;
    bool is_moving = s->narrow->boxes->kinds[self] == CAIRN_BOX_MOVING;
    bool has_several = store->shapes[store->bodies[store->shapes[other].body].first_shape].next >= 0;
    return (is_moving || has_several) && cairn_has_flat(geometry_of(s, other));
}

static void add_touch(Seams *s, CairnNarrowPoint *points, int self, int other, CairnVec3 normal) {
    if (is_touch(s, self, other)) {
        if (s->touches != NULL) {
            int list = list_of(s, self, other), next = s->first[list];
            Touch *touch = &s->touches[s->count];
            *touch = (Touch){.points = points,
                             .self = self,
                             .other = other,
                             .list = list,
                             .next = next,
                             .rank = next < 0 ? 1 : s->touches[next].rank + 1,
                             .normal = normal,
                             .middle = s->narrow->boxes->poses[other].p,
                             .radius = s->narrow->boxes->balls[other].radius};
            touch->surface = surface_point(touch, 0);
            touch->has_middle = has_middle(s, touch);
            s->first[list] = s->count;
        }
        s->count += 1;
    }
}

// Where there is no room for touches yet, they are counted.
static void gather(Seams *s) {
    s->count = 0;
    for (int i = 0; i < s->narrow->piece_count; i++) {
        const CairnNarrowPiece *piece = &s->narrow->pieces[i];
        for (int k = 0; k < piece->count; k += piece->found[k].count) {
            CairnNarrowPoint *points = &piece->found[k];
            CairnPair pair = s->narrow->pairs[points->pair];
            add_touch(s, points, pair.a, pair.b, cairn_neg(points->normal));
            add_touch(s, points, pair.b, pair.a, points->normal);
        }
    }
}

static void remove_internal(CairnNarrowPiece *piece) {
    int kept = 0;
    for (int k = 0; k < piece->count;) {
        int count = piece->found[k].count;
        if (!piece->found[k].is_internal) {
            memmove(&piece->found[kept], &piece->found[k], (size_t)count * sizeof *piece->found);
            kept += count;
        }
        k += count;
    }
    piece->count = kept;
}

void cairn_narrow_remove_seams(CairnStep *step, CairnNarrow *narrow) {
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    size_t lists = (size_t)step->store->shape_pool.count + (size_t)step->store->body_pool.count;
    Seams s = {.narrow = narrow};
    gather(&s);
    if (s.count < 2) {
        return;
    }
    s.first = CAIRN_STEP_PUSH(step, int, lists);
    s.touches = CAIRN_STEP_PUSH(step, Touch, s.count);
    if (cairn_step_failed(step)) {
        return;
    }
    memset(s.first, -1, lists * sizeof *s.first); // all -1
    gather(&s);
    cairn_spans_run(step->threads, s.count, CAIRN_STEP_FEW, look_at_touches, &s);
    bool has_seams = false;
    for (int i = 0; i < s.count; i++) {
        const Touch *touch = &s.touches[i];
        if (touch->is_internal && is_held_elsewhere(&s, touch)) {
            touch->points->is_internal = has_seams = true;
        }
    }
    for (int i = 0; i < narrow->piece_count && has_seams; i++) {
        remove_internal(&narrow->pieces[i]);
    }
    cairn_arena_release(step->arena, mark);
}
