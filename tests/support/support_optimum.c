// The largest gap of two convex shapes over all directions, and a proof of it.
//
// The gap along a unit n is min n . m over all differences m = b - a. So every m known, and every mean of some, bounds
// it from above on all of the sphere: on a patch of directions about n0 by the mean that is most nearly along n0.
// Patches whose bound is not above the best gap found are done with; the others are cut in four. The largest excess of
// the patches that remain in the end is `above`.
//
// Balls and capsules are points and segments here, with their radii taken off at the end: those are the same along
// every direction.
#include "engine/audit/apart.h"
#include "tests/support/support_convex.h"
#include <stdlib.h>

// ---- climbing ----

typedef struct Cores {
    const CairnGeometry *a, *b;
    CairnTransform pa, pb;
    double rounding;
} Cores;

static CairnVec3 farthest(const CairnGeometry *g, CairnTransform pose, CairnVec3 n) {
    double along = cairn_dot(cairn_rotate(pose.q, (CairnVec3){0, 0, 1}), n);
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        return pose.p;
    case CAIRN_SHAPE_CAPSULE:
        return cairn_transform_point(pose, (CairnVec3){0, 0, copysign(g->half_height, along)});
    default:
        return support_farthest(g, pose, n);
    }
}

static double rounding_of(const CairnGeometry *g) {
    return g->type == CAIRN_SHAPE_SPHERE || g->type == CAIRN_SHAPE_CAPSULE ? g->radius : 0;
}

static Cores cores_of(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb) {
    return (Cores){a, b, pa, pb, rounding_of(a) + rounding_of(b)};
}

static CairnVec3 difference(const Cores *c, CairnVec3 n) {
    return cairn_sub(farthest(c->b, c->pb, cairn_neg(n)), farthest(c->a, c->pa, n));
}

static CairnVec3 difference_of(const void *context, CairnVec3 n) {
    return difference(context, n);
}

// From *normal upwards; the cores' gap there.
static double climb(const Cores *c, CairnVec3 *normal) {
    return cairn_apart_climb(difference_of, c, 1e-10, HUGE_VAL, normal);
}

double support_climb(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                     CairnVec3 *normal) {
    Cores c = cores_of(a, pa, b, pb);
    return climb(&c, normal) - c.rounding;
}

// ---- the proof ----

typedef struct Patch {
    CairnVec3 n[3], m[3]; // the corners of a triangle of directions, and a nearest difference along each
} Patch;

typedef struct Search {
    const Cores *cores;
    double tolerance, best;
    CairnVec3 normal;
} Search;

// Differences seen from a patch's centre: how high along it, and where across it.
typedef struct Seen {
    double h, x, y;
} Seen;

// The most that n . m is over the directions within an angle of the centre.
static double most_along(Seen m, double cosine, double sine) {
    double across = hypot(m.x, m.y);
    bool is_within = m.h > 0 && across * cosine <= m.h * sine;
    return is_within ? hypot(m.h, across) : m.h * cosine + across * sine;
}

static Seen mean(Seen p, Seen q, double s) {
    return (Seen){p.h + s * (q.h - p.h), p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)};
}

// The least of these bounds over the four differences and their means: one alone, two, or three around the centre.
static double bound_of(const Seen p[4], double cosine, double sine) {
    double least = HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        least = fmin(least, most_along(p[i], cosine, sine));
        for (int j = 0; j < i; ++j) {
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, squared = dx * dx + dy * dy;
            double s = squared > 0 ? -(p[i].x * dx + p[i].y * dy) / squared : 0;
            if (s > 0 && s < 1) {
                least = fmin(least, most_along(mean(p[i], p[j], s), cosine, sine));
            }
            for (int k = 0; k < j; ++k) {
                double u = p[j].x * p[k].y - p[j].y * p[k].x, v = p[k].x * p[i].y - p[k].y * p[i].x;
                double w = p[i].x * p[j].y - p[i].y * p[j].x, sum = u + v + w;
                if (sum != 0 && u / sum >= 0 && v / sum >= 0 && w / sum >= 0) {
                    Seen m = mean(mean(p[i], p[j], u + v != 0 ? v / (u + v) : 0), p[k], w / sum);
                    least = fmin(least, most_along(m, cosine, sine));
                }
            }
        }
    }
    return least;
}

// How much more than the best gap there may be in a patch; what its centre shows counts as found.
static double excess(Search *search, const Patch *patch) {
    CairnVec3 n = cairn_normalize(cairn_add(cairn_add(patch->n[0], patch->n[1]), patch->n[2])), t1, t2;
    CairnVec3 m[4] = {patch->m[0], patch->m[1], patch->m[2], difference(search->cores, n)};
    if (cairn_dot(n, m[3]) > search->best) {
        search->normal = n;
        search->best = climb(search->cores, &search->normal);
    }
    double sine = 0;
    for (int i = 0; i < 3; ++i) {
        sine = fmax(sine, cairn_length(cairn_cross(n, patch->n[i])));
    }
    cairn_tangents(n, &t1, &t2);
    Seen seen[4];
    for (int i = 0; i < 4; ++i) {
        seen[i] = (Seen){cairn_dot(n, m[i]), cairn_dot(t1, m[i]), cairn_dot(t2, m[i])};
    }
    return bound_of(seen, sqrt(1 - sine * sine), sine) - search->best;
}

static int cut(const Search *search, const Patch *patch, Patch four[4]) {
    CairnVec3 n[3], m[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = cairn_normalize(cairn_add(patch->n[i], patch->n[(i + 1) % 3]));
        m[i] = difference(search->cores, n[i]);
    }
    for (int i = 0; i < 3; ++i) {
        int before = (i + 2) % 3;
        four[i] = (Patch){{patch->n[i], n[i], n[before]}, {patch->m[i], m[i], m[before]}};
    }
    four[3] = (Patch){{n[0], n[1], n[2]}, {m[0], m[1], m[2]}};
    return 4;
}

enum { OCTANTS = 8, LEVELS = 40, MOST_PATCHES = 16384, STARTS = 60 };

static int octants(const Search *search, Patch *patches) {
    for (int k = 0; k < OCTANTS; ++k) {
        Patch *p = &patches[k];
        p->n[0] = (CairnVec3){k & 1 ? -1 : 1, 0, 0};
        p->n[1] = (CairnVec3){0, k & 2 ? -1 : 1, 0};
        p->n[2] = (CairnVec3){0, 0, k & 4 ? -1 : 1};
        for (int i = 0; i < 3; ++i) {
            p->m[i] = difference(search->cores, p->n[i]);
        }
    }
    return OCTANTS;
}

// Subdivides until no patch remains, or too many do. Returns how far the optimum may then exceed the best gap found.
static double prove(Search *search) {
    Patch *now = malloc(MOST_PATCHES * sizeof *now), *next = malloc(MOST_PATCHES * sizeof *next);
    double above = HUGE_VAL;
    int count = now != NULL && next != NULL ? octants(search, now) : 0;
    for (int level = 0; count > 0 && level < LEVELS; ++level) {
        int kept_count = 0, next_count = 0;
        above = 0;
        for (int k = 0; k < count; ++k) {
            double patch_excess = excess(search, &now[k]);
            if (patch_excess > search->tolerance) {
                above = fmax(above, patch_excess);
                now[kept_count++] = now[k];
            }
        }
        for (int k = 0; k < kept_count && 4 * kept_count <= MOST_PATCHES; ++k) {
            next_count += cut(search, &now[k], next + next_count);
        }
        Patch *swap = now;
        now = next;
        next = swap;
        count = next_count;
    }
    free(now);
    free(next);
    return above;
}

// As it stands: the proof climbs from where it finds more.
static void offer(Search *search, CairnVec3 n) {
    double gap = cairn_dot(n, difference(search->cores, n));
    if (gap > search->best) {
        search->best = gap;
        search->normal = n;
    }
}

SupportOptimum support_optimum(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                               const CairnVec3 *guess, double tolerance) {
    Cores cores = cores_of(a, pa, b, pb);
    Search search = {.cores = &cores, .tolerance = tolerance, .best = -HUGE_VAL};
    for (int k = 0; k < STARTS; ++k) {
        double z = 1.0 - (2.0 * k + 1.0) / STARTS, r = sqrt(1 - z * z), angle = k * 2.399963229728653;
        offer(&search, (CairnVec3){r * cos(angle), r * sin(angle), z});
    }
    if (guess != NULL) {
        offer(&search, *guess);
    }
    double above = prove(&search);
    return (SupportOptimum){search.best - cores.rounding, search.normal, above};
}

double support_largest_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           CairnVec3 *normal) {
    SupportOptimum optimum = support_optimum(a, pa, b, pb, NULL, 1e-10);
    *normal = optimum.normal;
    return optimum.gap;
}
