// The least overlap of two convex shapes: a polytope inside their difference A - B grows where it is nearest to the
// origin until the shapes themselves are met there (the expanding polytope algorithm of van den Bergen 2001).
//
// The polytope need not hold the origin: offsets are signed, and the face of the least offset is always the one to
// grow. So a touch, where the origin lies on the surface, is no special case.
#include "collision/convex/convex.h"
#include <string.h>

enum { POINTS = 160, FACES = 2 * POINTS, HORIZON = FACES };

// Upper less lower bound of the overlap at which it is known, as a fraction of the sizes.
#define KNOWN 1e-13
// A point must be above a face's plane by this fraction of the sizes to see it.
#define ABOVE 1e-16

typedef struct Face {
    int v[3], neighbor[3]; // neighbour i lies across the edge from v[i] to v[i + 1]
    CairnVec3 normal;
    double offset;
    int mark;
    bool is_alive, is_sliver;
} Face;

typedef struct Polytope {
    CairnConvex *a, *b;
    CairnVec3 points[POINTS];
    Face faces[FACES];
    int point_count, face_count, free_faces[FACES], free_count, mark;
    double size;
} Polytope;

static CairnVec3 support(const Polytope *t, CairnVec3 direction) {
    int vertex;
    return cairn_sub(cairn_convex_support(t->a, direction, &vertex),
                     cairn_convex_support(t->b, cairn_neg(direction), &vertex));
}

static int add_face(Polytope *t, int p, int q, int r) {
    if (t->free_count == 0 && t->face_count == FACES) {
        return -1;
    }
    int index = t->free_count > 0 ? t->free_faces[--t->free_count] : t->face_count++;
    Face *face = &t->faces[index];
    *face = (Face){.v = {p, q, r}, .is_alive = true};
    CairnVec3 u = cairn_sub(t->points[q], t->points[p]), w = cairn_sub(t->points[r], t->points[p]);
    CairnVec3 n = cairn_cross(u, w);
    double length = cairn_length(n);
    face->is_sliver = !(length > 1e-15 * t->size * cairn_max(cairn_length(u), cairn_length(w)));
    face->normal = length > 0 ? cairn_scale(1.0 / length, n) : n;
    face->offset = cairn_dot(face->normal, t->points[p]);
    return index;
}

// Four points of the difference that are not in one plane. False: it is flat.
static bool start(Polytope *t) {
    CairnVec3 direction = cairn_normalize_or(cairn_sub(t->b->p, t->a->p), (CairnVec3){0, 0, 1}), t1, t2;
    t->points[0] = support(t, direction);
    t->points[1] = support(t, cairn_neg(direction));
    CairnVec3 e = cairn_normalize(cairn_sub(t->points[1], t->points[0]));
    cairn_tangents(e, &t1, &t2);
    double best = 0;
    for (int k = 0; k < 6; ++k) { // the farthest from the line in six directions across it
        double angle = k * CAIRN_PI / 3;
        CairnVec3 p = support(t, cairn_add(cairn_scale(cos(angle), t1), cairn_scale(sin(angle), t2)));
        double away = cairn_length(cairn_cross(e, cairn_sub(p, t->points[0])));
        if (away > best) {
            best = away;
            t->points[2] = p;
        }
    }
    CairnVec3 n = cairn_normalize(cairn_cross(e, cairn_sub(t->points[2], t->points[0])));
    CairnVec3 up = support(t, n), down = support(t, cairn_neg(n));
    double above = cairn_dot(n, cairn_sub(up, t->points[0])), below = cairn_dot(n, cairn_sub(t->points[0], down));
    bool is_above = above >= below;
    t->points[3] = is_above ? up : down;
    t->point_count = 4;
    if (!(best > 1e-12 * t->size) || !(cairn_max(above, below) > 1e-12 * t->size)) {
        return false;
    }
    if (is_above) { // the fourth point must be on the inner side of the first face
        CairnVec3 kept = t->points[1];
        t->points[1] = t->points[2];
        t->points[2] = kept;
    }
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int neighbors[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int k = 0; k < 4; ++k) {
        int f = add_face(t, corners[k][0], corners[k][1], corners[k][2]);
        memcpy(t->faces[f].neighbor, neighbors[k], sizeof neighbors[k]);
    }
    return true;
}

static int nearest_face(const Polytope *t) {
    int best = -1;
    for (int f = 0; f < t->face_count; ++f) {
        if (t->faces[f].is_alive && !t->faces[f].is_sliver &&
            (best < 0 || t->faces[f].offset < t->faces[best].offset)) {
            best = f;
        }
    }
    return best;
}

static int side_towards(const Face *face, int neighbor) {
    return face->neighbor[0] == neighbor ? 0 : face->neighbor[1] == neighbor ? 1 : 2;
}

// Take the faces that see the new point out and close the hole with a fan. False: there is no room, or rounding has
// torn the horizon; the polytope is then not to be used further.
static bool expand(Polytope *t, int first, CairnVec3 point) {
    int visible[FACES], visible_count = 1, made[HORIZON], made_count = 0, starts[POINTS];
    if (t->point_count == POINTS) {
        return false;
    }
    int index = t->point_count++;
    t->points[index] = point;
    t->mark += 1;
    visible[0] = first;
    t->faces[first].mark = t->mark;
    for (int k = 0; k < visible_count; ++k) {
        for (int i = 0; i < 3; ++i) {
            Face *other = &t->faces[t->faces[visible[k]].neighbor[i]];
            if (other->mark != t->mark && cairn_dot(other->normal, point) - other->offset > ABOVE * t->size) {
                other->mark = t->mark;
                visible[visible_count++] = t->faces[visible[k]].neighbor[i];
            }
        }
    }
    for (int i = 0; i < t->point_count; ++i) {
        starts[i] = -1;
    }
    for (int k = 0; k < visible_count; ++k) {
        for (int i = 0; i < 3; ++i) {
            int outer = t->faces[visible[k]].neighbor[i];
            if (t->faces[outer].mark == t->mark) {
                continue;
            }
            int u = t->faces[visible[k]].v[i];
            int fresh = add_face(t, u, t->faces[visible[k]].v[(i + 1) % 3], index);
            if (fresh < 0 || starts[u] >= 0 || made_count == HORIZON) {
                return false;
            }
            starts[u] = fresh;
            t->faces[fresh].neighbor[0] = outer;
            t->faces[outer].neighbor[side_towards(&t->faces[outer], visible[k])] = fresh;
            made[made_count++] = fresh;
        }
    }
    for (int k = 0; k < made_count; ++k) {
        int following = starts[t->faces[made[k]].v[1]];
        if (following < 0) {
            return false;
        }
        t->faces[made[k]].neighbor[1] = following;
        t->faces[following].neighbor[2] = made[k];
    }
    for (int k = 0; k < visible_count; ++k) {
        t->faces[visible[k]].is_alive = false;
        t->free_faces[t->free_count++] = visible[k];
    }
    return true;
}

double cairn_epa(CairnConvex *a, CairnConvex *b, CairnVec3 *normal) {
    Polytope t;
    t.a = a;
    t.b = b;
    t.face_count = t.free_count = t.mark = 0;
    t.size = a->size + b->size + cairn_length(cairn_sub(b->p, a->p));
    double best = HUGE_VAL;
    *normal = (CairnVec3){0, 0, 1};
    if (!start(&t)) { // flat: its plane is the way out
        CairnVec3 n =
            cairn_normalize(cairn_cross(cairn_sub(t.points[1], t.points[0]), cairn_sub(t.points[2], t.points[0])));
        *normal = cairn_dot(n, cairn_sub(b->p, a->p)) < 0 ? cairn_neg(n) : n;
        return -cairn_convex_overlap(a, b, *normal);
    }
    for (;;) {
        int f = nearest_face(&t);
        if (f < 0) {
            break;
        }
        CairnVec3 n = t.faces[f].normal, point = support(&t, n);
        double overlap = cairn_dot(n, point), low = t.faces[f].offset;
        if (overlap < best) { // any direction's overlap is an upper bound: the best one seen is the answer
            best = overlap;
            *normal = n;
        }
        if (best - low <= KNOWN * t.size || !expand(&t, f, point)) {
            break;
        }
    }
    return -best;
}
