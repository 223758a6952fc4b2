// The distance of two convex shapes (Gilbert, Johnson, Keerthi 1988) in double precision.
//
// The algorithm works on the points w = a - b. The simplex nearest to the origin is found by trying: a projection into
// a triangle or, where it falls outside, the nearest of its sides; a tetrahedron's faces likewise. That costs a little
// more than deciding by signs and cannot decide wrongly. The direction comes from the simplex itself (the normal of its
// triangle, the component of its offset across its edge), not from the difference of two nearly equal points: so it
// keeps its digits at any distance.
#include "collision/convex/convex.h"
#include <string.h>

enum { ITERATIONS = 128 };

// Nearer than this fraction of the sizes a vertex or an edge gives no reliable direction.
#define TOUCH 1e-10
// The gap between the upper and the lower bound of the distance at which it is known, as a fraction of the distance...
#define KNOWN 1e-13
// ... and of the sizes: rounding of the support points.
#define ROUNDING 4e-16

typedef struct Simplex {
    CairnSupportPoint points[4];
    double weights[3];
    int count;
} Simplex;

static double segment_weights(CairnVec3 p, CairnVec3 q, double *s) {
    CairnVec3 e = cairn_sub(q, p);
    double squared = cairn_length_squared(e);
    *s = squared > 0 ? cairn_clamp(-cairn_dot(p, e) / squared, 0, 1) : 0;
    return cairn_length_squared(cairn_add_scaled(p, *s, e));
}

// Across a triangle, as long as twice its area: from the corner at which its two shorter sides meet. A rim gives
// triangles with one corner far from the other two, and of two long sides that lie nearly alike the product would lose
// what the short one has.
static CairnVec3 across(const CairnSupportPoint *t, int *corner) {
    CairnVec3 sides[3];
    double longest = -1;
    *corner = 0;
    for (int i = 0; i < 3; ++i) {
        sides[i] = cairn_sub(t[(i + 1) % 3].w, t[i].w);
        double squared = cairn_length_squared(sides[i]);
        if (squared > longest) {
            longest = squared;
            *corner = (i + 2) % 3; // opposite
        }
    }
    return cairn_cross(sides[(*corner + 2) % 3], sides[*corner]); // the same way round from every corner
}

// The weights of the nearest point of the triangle's border.
static void border_weights(const CairnSupportPoint *t, double weights[3]) {
    double best = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        double s, squared = segment_weights(t[i].w, t[(i + 1) % 3].w, &s);
        if (squared < best) {
            best = squared;
            weights[i] = 1 - s;
            weights[(i + 1) % 3] = s;
            weights[(i + 2) % 3] = 0;
        }
    }
}

static void triangle_weights(const CairnSupportPoint *t, double weights[3]) {
    CairnVec3 p = t[0].w, q = t[1].w, r = t[2].w;
    int corner;
    CairnVec3 n = across(t, &corner);
    double nn = cairn_length_squared(n);
    if (nn > 0) {
        CairnVec3 foot =
            cairn_scale(cairn_dot(t[corner].w, n) / nn, n); // sub-areas about the foot: no large products cancel
        p = cairn_sub(p, foot);
        q = cairn_sub(q, foot);
        r = cairn_sub(r, foot);
        double u = cairn_dot(cairn_cross(q, r), n), v = cairn_dot(cairn_cross(r, p), n);
        double w = cairn_dot(cairn_cross(p, q), n);
        if (u >= 0 && v >= 0 && w >= 0) {
            double sum = u + v + w;
            weights[0] = u / sum;
            weights[1] = v / sum;
            weights[2] = w / sum;
            // A sliver's normal may be noise: its foot is then not the point that the weights give. To 1e-11 of the
            // size it may be off all the same: near a round shape that it nearly touches all triangles are slivers, and
            // without them nothing turns any more.
            CairnVec3 off = cairn_add(cairn_scale(weights[0], p), cairn_scale(weights[1], q));
            off = cairn_add_scaled(off, weights[2], r);
            double size = cairn_length_squared(t[0].w) + cairn_length_squared(t[1].w) + cairn_length_squared(t[2].w);
            if (cairn_length_squared(off) <= 1e-16 * cairn_length_squared(foot) + 1e-22 * size) {
                return;
            }
        }
    }
    border_weights(t, weights);
}

void cairn_simplex_weights(const CairnSupportPoint *points, int count, double weights[3]) {
    weights[0] = 1;
    weights[1] = weights[2] = 0;
    if (count == 2) {
        double s;
        segment_weights(points[0].w, points[1].w, &s);
        weights[0] = 1 - s;
        weights[1] = s;
    } else if (count == 3) {
        triangle_weights(points, weights);
    }
}

static CairnVec3 combine(const CairnSupportPoint *points, int count, const double *weights) {
    CairnVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        sum = cairn_add_scaled(sum, weights[i], points[i].w);
    }
    return sum;
}

// Drop the points without weight.
static void shrink(Simplex *s) {
    int kept = 0;
    for (int i = 0; i < s->count; ++i) {
        if (s->weights[i] > 0) {
            s->points[kept] = s->points[i];
            s->weights[kept++] = s->weights[i];
        }
    }
    s->count = kept;
}

// Is the origin on the inner side of all four faces? A flat tetrahedron has no inside.
static bool contains_origin(const CairnSupportPoint *t, double size) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    for (int f = 0; f < 4; ++f) {
        CairnVec3 p = t[faces[f][0]].w, u = cairn_sub(t[faces[f][1]].w, p), v = cairn_sub(t[faces[f][2]].w, p);
        CairnVec3 n = cairn_cross(u, v), w = cairn_sub(t[faces[f][3]].w, p);
        double origin = -cairn_dot(n, p), other = cairn_dot(n, w);
        // The points are known to the rounding of the sizes; so much may be a volume of nothing.
        double longest =
            cairn_max(cairn_length_squared(u), cairn_max(cairn_length_squared(v), cairn_length_squared(w)));
        if (!(origin * other > 0) || !(fabs(other) > 1e-14 * size * longest)) {
            return false;
        }
    }
    return true;
}

// Reduce a tetrahedron to the face part nearest to the origin.
static void reduce_tetrahedron(Simplex *s) {
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    Simplex best = {.count = 0};
    double nearest = HUGE_VAL;
    for (int f = 0; f < 4; ++f) {
        Simplex face = {.count = 3};
        for (int i = 0; i < 3; ++i) {
            face.points[i] = s->points[faces[f][i]];
        }
        triangle_weights(face.points, face.weights);
        double squared = cairn_length_squared(combine(face.points, 3, face.weights));
        if (squared < nearest) {
            nearest = squared;
            best = face;
        }
    }
    *s = best;
}

// The vector from the origin to the simplex, as its feature gives it: *distance is its length, the result its
// direction.
static CairnVec3 direction_of(const Simplex *s, CairnVec3 fallback, double *distance) {
    CairnVec3 v = combine(s->points, s->count, s->weights), p = s->points[0].w;
    if (s->count == 3) {
        int corner;
        CairnVec3 n = across(s->points, &corner);
        double length = cairn_length(n);
        if (length > 0) {
            n = cairn_scale(1.0 / length, n);
            *distance = cairn_dot(n, s->points[corner].w);
            if (*distance < 0) {
                *distance = -*distance;
                n = cairn_neg(n);
            }
            return n;
        }
    } else if (s->count == 2) {
        CairnVec3 e = cairn_normalize(cairn_sub(s->points[1].w, p));
        v = cairn_add_scaled(v, -cairn_dot(v, e), e);
    }
    *distance = cairn_length(v);
    return cairn_normalize_or(v, fallback);
}

static bool has_point(const Simplex *s, CairnVec3 w) {
    for (int i = 0; i < s->count; ++i) {
        if (s->points[i].w.x == w.x && s->points[i].w.y == w.y && s->points[i].w.z == w.z) {
            return true;
        }
    }
    return false;
}

static CairnSupportPoint support(CairnConvex *a, CairnConvex *b, CairnVec3 direction) {
    CairnSupportPoint point;
    point.a = cairn_convex_support(a, direction, &point.vertex_a);
    point.b = cairn_convex_support(b, cairn_neg(direction), &point.vertex_b);
    point.w = cairn_sub(point.a, point.b);
    return point;
}

static void finish(const Simplex *s, CairnVec3 out, double distance, CairnNearest *nearest) {
    nearest->distance = distance;
    nearest->normal = cairn_neg(out);
    nearest->count = s->count;
    nearest->on_a = nearest->on_b = (CairnVec3){0, 0, 0};
    for (int i = 0; i < s->count; ++i) {
        nearest->points[i] = s->points[i];
        nearest->on_a = cairn_add_scaled(nearest->on_a, s->weights[i], s->points[i].a);
        nearest->on_b = cairn_add_scaled(nearest->on_b, s->weights[i], s->points[i].b);
    }
}

// Ends where the upper and the lower bound of the distance are as near as `known` of the gap, the distance less
// `rounding`.
static void search(CairnConvex *a, CairnConvex *b, double limit, double known, double rounding, CairnNearest *nearest) {
    memset(nearest, 0, sizeof *nearest);
    double size = a->size + b->size + cairn_length(cairn_sub(b->p, a->p));
    CairnVec3 out = cairn_normalize_or(cairn_sub(a->p, b->p), (CairnVec3){1, 0, 0});
    Simplex s = {.count = 1, .weights = {1, 0, 0}};
    s.points[0] = support(a, b, cairn_neg(out));
    double distance, before = HUGE_VAL;
    out = direction_of(&s, out, &distance);
    for (int k = 0; k < ITERATIONS; ++k) {
        if (distance <= (s.count == 3 ? ROUNDING : TOUCH) * size) {
            nearest->is_touching = true;
            return;
        }
        CairnSupportPoint point = support(a, b, cairn_neg(out)); // the point with the least out . w
        double low = cairn_dot(out, point.w);
        if (low > limit) {
            nearest->is_beyond = true;
            nearest->distance = low;
            return;
        }
        nearest->low = low;
        if (distance - low <= known * (distance - rounding) + ROUNDING * size || has_point(&s, point.w) ||
            !(distance < before)) {
            break;
        }
        before = distance;
        Simplex grown = s;
        grown.points[grown.count++] = point;
        if (grown.count == 4) {
            if (contains_origin(grown.points, size)) {
                nearest->is_touching = true;
                return;
            }
            reduce_tetrahedron(&grown);
        } else {
            cairn_simplex_weights(grown.points, grown.count, grown.weights);
        }
        shrink(&grown);
        double closer;
        CairnVec3 turned = direction_of(&grown, out, &closer);
        if (!(closer < distance)) {
            break; // rounding: the old simplex is as good
        }
        s = grown;
        out = turned;
        distance = closer;
    }
    // Very near to the origin, rounding decides on which side of a sliver the origin lies, and so the direction, too.
    // The shapes are separated only where some direction has a gap.
    nearest->is_touching = !(nearest->low > 0);
    if (!nearest->is_touching) {
        finish(&s, out, distance, nearest);
    }
}

void cairn_gjk(CairnConvex *a, CairnConvex *b, double limit, CairnNearest *nearest) {
    search(a, b, limit, KNOWN, 0, nearest);
}

bool cairn_gjk_apart(CairnConvex *a, CairnConvex *b, double limit, double known, CairnVec3 *normal, double *gap) {
    CairnNearest nearest;
    double rounding = a->rounding + b->rounding;
    search(a, b, limit + rounding, known, rounding, &nearest);
    *normal = nearest.normal;
    *gap = nearest.is_beyond ? limit : nearest.low - rounding;
    return !nearest.is_touching;
}
