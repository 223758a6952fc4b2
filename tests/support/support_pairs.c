#include "tests/support/support_pairs.h"
#include "engine/base/memory.h"
#include "tests/support/support_geometry.h"

static double log_size(uint64_t *random) {
    return exp(support_uniform(random, -2.5, 0.5));
}

// Each draw in its own statement: the order in which arguments are made is the compiler's.
static CairnGeometry draw_shape(uint64_t *random, CairnShapeType type) {
    CairnShapeDef def = cairn_half_space();
    CairnVec3 points[20];
    if (type == CAIRN_SHAPE_SPHERE) {
        def = cairn_sphere(log_size(random));
    } else if (type == CAIRN_SHAPE_BOX) {
        double z = 2 * log_size(random), y = 2 * log_size(random), x = 2 * log_size(random);
        def = cairn_box(x, y, z);
    } else if (type == CAIRN_SHAPE_CYLINDER || type == CAIRN_SHAPE_CAPSULE) {
        double height = 2 * log_size(random), radius = log_size(random);
        def = type == CAIRN_SHAPE_CYLINDER ? cairn_cylinder(radius, height) : cairn_capsule(radius, height);
    } else if (type == CAIRN_SHAPE_HULL) {
        int count = support_int(random, 4, 20);
        double size = log_size(random);
        for (int i = 0; i < count; ++i) {
            points[i] = cairn_scale(size, support_vec3(random, -1, 1));
        }
        def = cairn_hull(points, count);
    }
    return support_geometry(&def);
}

SupportPair support_pair_draw(CairnShapeType a, CairnShapeType b, uint64_t seed, int draw) {
    uint64_t random = 0x9E3779B97F4A7C15u * (uint64_t)(draw + 1) + seed;
    static const double distances[4] = {0.2, 3, 1.2, 1.2}, margins[3] = {0.5, 0.01, 20};
    SupportPair pair = {.margin = margins[draw % 3]};
    pair.a = draw_shape(&random, a);
    pair.b = draw_shape(&random, b);
    pair.pa = support_transform(&random, distances[draw % 4]);
    pair.pb = support_transform(&random, distances[draw % 4]);
    return pair;
}

void support_pair_drop(SupportPair *pair) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_geometry_free(&pair->a, &allocator);
    cairn_geometry_free(&pair->b, &allocator);
}

double support_least_distance(const CairnManifold *manifold) {
    double least = HUGE_VAL;
    for (int k = 0; k < manifold->count; ++k) {
        least = fmin(least, manifold->points[k].distance);
    }
    return least;
}

// How far a point's ends are off the surfaces, beyond what is allowed.
static double ends_off(const SupportPair *p, const SupportPairRule *rule, const CairnManifold *m, double least) {
    // Faces and caps stand for what ties with them, which at a distance d leaves sqrt(2 d tie) sideways open; and half
    // of what a face is moved to stand for a direction is off at either end.
    double small = fmin(support_extent(&p->a), support_extent(&p->b)),
           large = fmax(support_extent(&p->a), support_extent(&p->b));
    double tie = 1e-10 + (rule->is_like_face ? 1e-5 * small : 0);
    double lean = rule->is_like_face ? 0.0003 * fabs(least) + 2e-6 : 0, worst = 0;
    bool is_rod = p->a.type == CAIRN_SHAPE_CAPSULE || p->b.type == CAIRN_SHAPE_CAPSULE;
    for (int k = 0; k < m->count; ++k) {
        double d = m->points[k].distance, allowed = rule->surface * large + lean + sqrt(2 * fmax(d, 0) * tie);
        CairnVec3 on_a = cairn_add_scaled(m->points[k].point, -0.5 * d, m->normal);
        CairnVec3 on_b = cairn_add_scaled(m->points[k].point, 0.5 * d, m->normal);
        double in_a = support_depth(&p->a, p->pa, on_a), in_b = support_depth(&p->b, p->pb, on_b);
        worst = fmax(worst, fmax(in_a, in_b) - allowed);
        if (!is_rod || d <= least) { // under the upper end of a rod that leans there is more of the rod
            worst = fmax(worst, fmax(-in_a, -in_b) - allowed);
        }
    }
    return worst;
}

static int malformed(const SupportPair *p, const SupportPairRule *rule, const CairnManifold *m) {
    int wrong = m->count < 0 || m->count > rule->most_points;
    wrong += m->count > 0 && !(fabs(cairn_length(m->normal) - 1) <= 1e-14);
    for (int k = 0; k < m->count; ++k) {
        wrong += !(m->points[k].distance < p->margin) || !cairn_vec3_is_finite(m->points[k].point);
        for (int i = 0; i < k; ++i) {
            wrong += m->points[i].feature == m->points[k].feature;
        }
    }
    return wrong;
}

static const CairnManifoldPoint *point_called(const CairnManifold *m, uint32_t feature) {
    for (int k = 0; k < m->count; ++k) {
        if (m->points[k].feature == feature) {
            return &m->points[k];
        }
    }
    return NULL;
}

static void compare_moved(const SupportPair *p, const CairnManifold *m, double size, SupportPairFigures *f,
                          uint64_t *random) {
    CairnTransform motion = support_transform(random, 1);
    CairnManifold moved;
    cairn_narrow(&p->a, cairn_transform_mul(motion, p->pa), &p->b, cairn_transform_mul(motion, p->pb), p->margin,
                 &moved);
    f->renamed += moved.count != m->count;
    f->turned = m->count > 0 ? cairn_length(cairn_sub(moved.normal, cairn_rotate(motion.q, m->normal))) : 0;
    for (int k = 0; k < m->count; ++k) {
        const CairnManifoldPoint *was = &m->points[k], *is = point_called(&moved, was->feature);
        f->renamed += is == NULL;
        if (is != NULL) {
            CairnVec3 off = cairn_sub(is->point, cairn_transform_point(motion, was->point));
            f->moved = fmax(f->moved, fabs(is->distance - was->distance) / size);
            f->shifted = fmax(f->shifted, cairn_length(off) / size);
        }
    }
}

// Between shapes that are apart the normal is the direction of the nearest point of their difference, and that point
// moves by no more than the difference does: so the normal turns by at most twice that over the distance. Where a face
// stands for directions near it there is a step between those and the next, of 1.8 degrees at most.
static double bent(const SupportPair *p, const SupportPairRule *rule, const CairnManifold *m, double least,
                   uint64_t *random) {
    const double shift = 1e-5, degrees = 1.8;
    CairnTransform pb = p->pb;
    CairnManifold n;
    pb.p = cairn_add_scaled(pb.p, shift, support_unit(random));
    cairn_narrow(&p->a, p->pa, &p->b, pb, p->margin, &n);
    if (!(least > 0.01) || m->count == 0 || n.count == 0) {
        return 0;
    }
    double allowed = 2 * shift / least, turn = cairn_length(cairn_sub(n.normal, m->normal));
    allowed += rule->is_like_face && turn > allowed ? degrees * CAIRN_PI / 180 : 0;
    return fmax(turn - allowed, 0);
}

// To the bit; the ids of a pair of one type have their halves swapped.
static int differences_when_swapped(const SupportPair *p, const CairnManifold *m) {
    CairnManifold s;
    cairn_narrow(&p->b, p->pb, &p->a, p->pa, p->margin, &s);
    int wrong = s.count != m->count;
    if (m->count > 0) {
        CairnVec3 n = cairn_add(s.normal, m->normal);
        wrong += n.x != 0 || n.y != 0 || n.z != 0;
    }
    for (int k = 0; k < m->count; ++k) {
        CairnVec3 off = cairn_sub(s.points[k].point, m->points[k].point);
        wrong += s.points[k].distance != m->points[k].distance || off.x != 0 || off.y != 0 || off.z != 0;
        wrong += p->a.type != p->b.type && s.points[k].feature != m->points[k].feature;
    }
    return wrong;
}

SupportPairFigures support_pair_figures(const SupportPair *p, const SupportPairRule *rule, uint64_t *random) {
    CairnManifold m;
    cairn_narrow(&p->a, p->pa, &p->b, p->pb, p->margin, &m);
    SupportPairFigures f = {.count = m.count, .malformed = malformed(p, rule, &m)};
    bool is_plane = p->a.type == CAIRN_SHAPE_HALF_SPACE || p->b.type == CAIRN_SHAPE_HALF_SPACE;
    double least = support_least_distance(&m);
    if (is_plane) { // its own normal is the only direction
        CairnTransform plane = p->a.type == CAIRN_SHAPE_HALF_SPACE ? p->pa : p->pb;
        CairnVec3 n = cairn_rotate(plane.q, (CairnVec3){0, 0, p->a.type == CAIRN_SHAPE_HALF_SPACE ? 1 : -1});
        double gap = support_gap(&p->a, p->pa, &p->b, p->pb, n);
        f.optimum = m.count > 0 ? fabs(least - gap) : fmax(p->margin - gap, 0);
    } else {
        SupportOptimum o = support_optimum(&p->a, p->pa, &p->b, p->pb, m.count > 0 ? &m.normal : NULL, 1e-10);
        f.optimum = m.count > 0 ? fabs(least - o.gap) : fmax(p->margin - o.gap, 0);
        f.proof = o.above;
        // A face may stand for a direction near it, or for one anywhere that ties with it: it goes in as deep as that
        // one.
        if (m.count > 0 && rule->is_like_face) {
            f.along = fmax(support_gap(&p->a, p->pa, &p->b, p->pb, m.normal) - least, 0);
        } else if (m.count > 0) {
            f.along = fabs(support_gap(&p->a, p->pa, &p->b, p->pb, m.normal) - least);
        }
    }
    f.off = m.count > 0 ? ends_off(p, rule, &m, least) : 0;
    double size = support_extent(&p->a) + support_extent(&p->b) + cairn_length(cairn_sub(p->pb.p, p->pa.p));
    compare_moved(p, &m, size, &f, random);
    f.bent = bent(p, rule, &m, least, random);
    f.swapped = differences_when_swapped(p, &m);
    return f;
}
