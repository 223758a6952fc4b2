#include "tests/support_convex.h"
#include "collision/hull.h"

CairnVec3 support_farthest(const CairnGeometry *g, CairnTransform pose, CairnVec3 n) {
    CairnVec3 d = cairn_unrotate(pose.q, n), p = {0, 0, 0};
    double across = hypot(d.x, d.y);
    switch (g->type) {
    case CAIRN_SPHERE:
        p = cairn_scale(g->radius, cairn_normalize(d));
        break;
    case CAIRN_BOX:
        p = (CairnVec3){copysign(g->half.x, d.x), copysign(g->half.y, d.y), copysign(g->half.z, d.z)};
        break;
    case CAIRN_CYLINDER:
        p.x = across > 0 ? g->radius * d.x / across : 0;
        p.y = across > 0 ? g->radius * d.y / across : 0;
        p.z = copysign(g->half_height, d.z);
        break;
    case CAIRN_CAPSULE:
        p = cairn_scale(g->radius, cairn_normalize(d));
        p.z += copysign(g->half_height, d.z);
        break;
    case CAIRN_HULL:
        p = g->hull->vertices[0];
        for (int v = 1; v < g->hull->vertex_count; ++v) {
            p = cairn_dot(d, g->hull->vertices[v]) > cairn_dot(d, p) ? g->hull->vertices[v] : p;
        }
        break;
    default:
        fail_msg("no support function");
    }
    return cairn_transform_point(pose, p);
}

double support_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb, CairnVec3 n) {
    // Half-spaces: all that is on the surface is at the same height.
    CairnVec3 p = a->type == CAIRN_HALF_SPACE ? pa.p : support_farthest(a, pa, n);
    CairnVec3 q = b->type == CAIRN_HALF_SPACE ? pb.p : support_farthest(b, pb, cairn_neg(n));
    return cairn_dot(n, cairn_sub(q, p));
}

// ---- the search ----
//
// The gap along n is the least n . m over all differences m = b - a, so from a few of these near n a model of it is known: the
// least of so many planes. The model's own best direction (where three of them meet, where two do, or a step along their ridge)
// is tried beside plain steps around n. That climbs ridges on which plain steps stand still.

enum { AROUND = 8, KNOWN = AROUND + 1 };

static CairnVec3 difference(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                            CairnVec3 n) {
    return cairn_sub(support_farthest(b, pb, cairn_neg(n)), support_farthest(a, pa, n));
}

typedef struct Model {
    CairnVec3 points[KNOWN], center, best;
    double reach, value; // cosine of how far from the centre it may be trusted; the model's gap at `best`
} Model;

static void try_direction(Model *m, CairnVec3 n) {
    double length = cairn_length(n);
    if (!(length > 1e-300)) {
        return;
    }
    n = cairn_scale((cairn_dot(n, m->center) < 0 ? -1.0 : 1.0) / length, n);
    double value = HUGE_VAL;
    for (int k = 0; k < KNOWN && value > m->value; ++k) {
        value = fmin(value, cairn_dot(n, m->points[k]));
    }
    if (value > m->value && cairn_dot(n, m->center) > m->reach) {
        m->value = value;
        m->best = n;
    }
}

static void try_model(Model *m, double step) {
    m->value = -HUGE_VAL;
    m->reach = cos(1.5 * step);
    for (int i = 0; i < KNOWN; ++i) {
        for (int j = 0; j < i; ++j) {
            CairnVec3 e = cairn_sub(m->points[i], m->points[j]), c = m->center;
            double squared = cairn_length_squared(e);
            if (!(squared > 0)) {
                continue;
            }
            try_direction(m, cairn_add_scaled(m->points[i], -cairn_dot(m->points[i], e) / squared, e));
            CairnVec3 on = cairn_normalize(cairn_add_scaled(c, -cairn_dot(c, e) / squared, e));
            CairnVec3 along = cairn_normalize(cairn_cross(on, e));
            try_direction(m, on);
            try_direction(m, cairn_add_scaled(on, step, along));
            try_direction(m, cairn_add_scaled(on, -step, along));
            for (int k = 0; k < j; ++k) {
                try_direction(m, cairn_cross(e, cairn_sub(m->points[k], m->points[j])));
            }
        }
    }
}

double support_climb(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                     CairnVec3 *normal) {
    double gap = support_gap(a, pa, b, pb, *normal), turn = 0;
    for (double step = 0.1; step > 1e-10; turn += 0.618) {
        Model model = {.center = *normal, .best = *normal};
        CairnVec3 t1, t2, best = *normal;
        double best_gap = gap;
        cairn_tangents(model.center, &t1, &t2);
        model.points[AROUND] = difference(a, pa, b, pb, model.center);
        for (int k = 0; k <= AROUND; ++k) {
            double angle = turn + k * 2 * CAIRN_PI / AROUND;
            CairnVec3 n = cairn_normalize(
                cairn_add_scaled(cairn_add_scaled(model.center, step * cos(angle), t1), step * sin(angle), t2));
            if (k == AROUND) {
                try_model(&model, step);
                n = model.best;
            }
            CairnVec3 m = difference(a, pa, b, pb, n);
            if (k < AROUND) {
                model.points[k] = m;
            }
            if (cairn_dot(n, m) > best_gap) {
                best_gap = cairn_dot(n, m);
                best = n;
            }
        }
        step = best_gap > gap + 1e-15 ? step : 0.4 * step;
        gap = best_gap;
        *normal = best;
    }
    return gap;
}

// The best directions found so far, not near each other: where axes nearly tie, the best start need not lead to the best top.
typedef struct Tops {
    CairnVec3 normals[SUPPORT_TOPS];
    double gaps[SUPPORT_TOPS];
    int count;
} Tops;

static void offer_top(Tops *t, CairnVec3 n, double gap) {
    int last = t->count;
    for (int i = 0; i < t->count; ++i) {
        if (cairn_dot(t->normals[i], n) > 0.95) { // its neighbour: the better one stays
            if (gap <= t->gaps[i]) {
                return;
            }
            last = i;
        }
    }
    if (last == SUPPORT_TOPS) {
        last = SUPPORT_TOPS - 1;
        if (gap <= t->gaps[last]) {
            return;
        }
    }
    t->count = last == t->count ? t->count + 1 : t->count;
    int place = last;
    for (; place > 0 && t->gaps[place - 1] < gap; --place) {
        t->gaps[place] = t->gaps[place - 1];
        t->normals[place] = t->normals[place - 1];
    }
    t->gaps[place] = gap;
    t->normals[place] = n;
}

double support_largest_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           int starts, CairnVec3 *normal) {
    Tops tops = {.count = 0};
    for (int k = 0; k < starts; ++k) {
        double z = 1.0 - (2.0 * k + 1.0) / starts, r = sqrt(1 - z * z), angle = k * 2.399963229728653;
        CairnVec3 n = {r * cos(angle), r * sin(angle), z};
        offer_top(&tops, n, support_gap(a, pa, b, pb, n));
    }
    double gap = -HUGE_VAL;
    for (int i = 0; i < tops.count; ++i) {
        CairnVec3 n = tops.normals[i];
        double climbed = support_climb(a, pa, b, pb, &n);
        if (climbed > gap) {
            gap = climbed;
            *normal = n;
        }
    }
    return gap;
}

double support_depth(const CairnGeometry *g, CairnTransform pose, CairnVec3 point) {
    CairnVec3 p = cairn_untransform_point(pose, point);
    double depth = -HUGE_VAL;
    switch (g->type) {
    case CAIRN_SPHERE:
        return cairn_length(p) - g->radius;
    case CAIRN_BOX:
        return fmax(fabs(p.x) - g->half.x, fmax(fabs(p.y) - g->half.y, fabs(p.z) - g->half.z));
    case CAIRN_CYLINDER:
        return fmax(hypot(p.x, p.y) - g->radius, fabs(p.z) - g->half_height);
    case CAIRN_CAPSULE:
        p.z -= cairn_clamp(p.z, -g->half_height, g->half_height);
        return cairn_length(p) - g->radius;
    case CAIRN_HULL:
        for (int f = 0; f < g->hull->face_count; ++f) {
            depth = fmax(depth, cairn_dot(g->hull->normals[f], p) - g->hull->offsets[f]);
        }
        return depth;
    default:
        return p.z;
    }
}

double support_extent(const CairnGeometry *g) {
    switch (g->type) {
    case CAIRN_SPHERE:
        return g->radius;
    case CAIRN_BOX:
        return cairn_length(g->half);
    case CAIRN_CYLINDER:
        return hypot(g->radius, g->half_height);
    case CAIRN_CAPSULE:
        return g->radius + g->half_height;
    case CAIRN_HULL:
        return g->hull->size + cairn_length(g->hull->center);
    default:
        return 0;
    }
}

// What directions may differ by and still stand for one another: faces and caps stand for what ties with them.
static double tie_of(const CairnGeometry *a, const CairnGeometry *b, const SupportPairRule *rule) {
    return rule->is_like_face ? 1e-5 * fmin(support_extent(a), support_extent(b)) : 0;
}

static void check_points(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                         const SupportPairRule *rule, const CairnManifold *m, double least, double rounding) {
    for (int k = 0; k < m->count; ++k) {
        CairnManifoldPoint p = m->points[k];
        assert_true(p.distance < rule->margin);
        CairnVec3 on_a = cairn_add_scaled(p.point, -0.5 * p.distance, m->normal);
        CairnVec3 on_b = cairn_add_scaled(p.point, 0.5 * p.distance, m->normal);
        // At a distance d a tie of directions leaves sqrt(2 d tie) sideways open.
        double ties = rule->tolerance + tie_of(a, b, rule);
        double off = rounding + rule->surface + sqrt(2 * fmax(p.distance, 0) * ties);
        off += rule->is_like_face ? 0.0003 * fabs(least) + 2e-6
                                  : 0; // half of what a face is moved to stand for a direction
        assert_below(support_depth(a, pa, on_a), off);
        assert_below(support_depth(b, pb, on_b), off);
        // Under the upper end of a rod that leans there is more of the rod.
        bool is_rod = a->type == CAIRN_CAPSULE || b->type == CAIRN_CAPSULE;
        if (!is_rod || p.distance <= least) {
            assert_below(-support_depth(a, pa, on_a), off);
            assert_below(-support_depth(b, pb, on_b), off);
        }
        for (int i = 0; i < k; ++i) {
            assert_int_not_equal(m->points[i].feature, p.feature);
        }
    }
}

// Points in the order of their ids, so that orders need not agree.
static const CairnManifoldPoint *point_called(const CairnManifold *m, uint32_t feature) {
    for (int k = 0; k < m->count; ++k) {
        if (m->points[k].feature == feature) {
            return &m->points[k];
        }
    }
    return NULL;
}

static void check_moved(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                        const SupportPairRule *rule, const CairnManifold *m, double rounding, uint64_t *random) {
    CairnTransform motion = support_transform(random, 1);
    CairnManifold moved;
    cairn_narrow(a, cairn_transform_mul(motion, pa), b, cairn_transform_mul(motion, pb), rule->margin, &moved);
    assert_int_equal(moved.count, m->count);
    assert_vec3_near(moved.normal, cairn_rotate(motion.q, m->normal), 1e3 * rounding);
    for (int k = 0; k < m->count; ++k) {
        const CairnManifoldPoint *p = point_called(&moved, m->points[k].feature);
        assert_non_null(p);
        assert_near(p->distance, m->points[k].distance, rounding);
    }
}

static void check_swapped(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                          const SupportPairRule *rule, const CairnManifold *m) {
    CairnManifold swapped;
    cairn_narrow(b, pb, a, pa, rule->margin, &swapped);
    assert_int_equal(swapped.count, m->count);
    assert_vec3_near(swapped.normal, cairn_neg(m->normal), 0);
    for (int k = 0; k < m->count; ++k) { // a pair of one type swaps the two halves of an id
        assert_same_bits(swapped.points[k].distance, m->points[k].distance);
        assert_vec3_near(swapped.points[k].point, m->points[k].point, 0);
    }
}

int support_check_pair(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                       const SupportPairRule *rule, uint64_t *random) {
    CairnManifold m;
    cairn_narrow(a, pa, b, pb, rule->margin, &m);
    assert_in_range(m.count, 0, rule->most_points);
    double rounding = 1e-12 * (support_extent(a) + support_extent(b) + cairn_length(cairn_sub(pb.p, pa.p)));
    bool is_plane = a->type == CAIRN_HALF_SPACE || b->type == CAIRN_HALF_SPACE;
    CairnVec3 best = {0, 0, 1};
    if (m.count == 0) {
        if (rule->starts > 0 &&
            !is_plane) { // a direction must show that they are apart, as well as the search finds it
            assert_true(support_largest_gap(a, pa, b, pb, rule->starts, &best) >= rule->margin - 1e-6);
        }
        return 0;
    }
    assert_near(cairn_length(m.normal), 1, 1e-14);
    double least = HUGE_VAL;
    for (int k = 0; k < m.count; ++k) {
        least = fmin(least, m.points[k].distance);
    }
    check_points(a, pa, b, pb, rule, &m, least, rounding);
    double gap = support_gap(a, pa, b, pb, m.normal), slack = rounding + rule->tolerance;
    assert_below(gap, least + slack);
    if (rule->starts > 0 && !is_plane) {
        CairnVec3 near = m.normal;
        double climbed = support_climb(a, pa, b, pb, &near);
        double largest = support_largest_gap(a, pa, b, pb, rule->starts, &best);
        if (climbed > largest) {
            largest = climbed;
            best = near;
        }
        // A face may stand for a direction near it, or for one anywhere that ties with it (to 1e-5 of the smaller shape): it goes in as
        // deep as that one, not as along its own normal.
        double tie = tie_of(a, b, rule);
        if (!rule->is_like_face || cairn_dot(best, m.normal) <= 0.9995 - 1e-9) {
            assert_near(least, gap, slack + tie);
        }
        assert_near(least, largest, slack);
    } else if (!rule->is_like_face) {
        assert_near(least, gap, slack);
    }
    check_swapped(a, pa, b, pb, rule, &m);
    check_moved(a, pa, b, pb, rule, &m, rounding, random);
    return m.count;
}
