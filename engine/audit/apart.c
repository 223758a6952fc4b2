#include "engine/audit/apart.h"

// ---- climbing ----
//
// From a few differences near n a model of the gap is known: the least of so many planes. The model's own best
// direction (where three of them meet, where two do, or a step along their ridge) is tried beside plain steps around n.
// That climbs ridges on which plain steps stand still.

enum { AROUND = 8, KNOWN = AROUND + 1 };

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
    for (int k = 0; k < KNOWN && value > m->value; k++) {
        value = cairn_min(value, cairn_dot(n, m->points[k]));
    }
    if (value > m->value && cairn_dot(n, m->center) > m->reach) {
        m->value = value;
        m->best = n;
    }
}

static void try_model(Model *m, double step) {
    m->value = -HUGE_VAL;
    m->reach = cos(1.5 * step);
    for (int i = 0; i < KNOWN; i++) {
        for (int j = 0; j < i; j++) {
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
            for (int k = 0; k < j; k++) {
                try_direction(m, cairn_cross(e, cairn_sub(m->points[k], m->points[j])));
            }
        }
    }
}

double cairn_apart_climb(CairnDifference difference, const void *context, double least, double enough,
                         CairnVec3 *normal) {
    double gap = cairn_dot(*normal, difference(context, *normal)), turn = 0;
    for (double step = 0.1; step > least && gap < enough; turn += 0.618) {
        Model model = {.center = *normal, .best = *normal};
        CairnVec3 t1, t2, best = *normal;
        double best_gap = gap;
        cairn_tangents(model.center, &t1, &t2);
        model.points[AROUND] = difference(context, model.center);
        for (int k = 0; k <= AROUND; k++) {
            double angle = turn + k * 2 * CAIRN_PI / AROUND;
            CairnVec3 n = cairn_normalize(
                cairn_add_scaled(cairn_add_scaled(model.center, step * cos(angle), t1), step * sin(angle), t2));
            if (k == AROUND) {
                try_model(&model, step);
                n = model.best;
            }
            CairnVec3 m = difference(context, n);
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

// ---- shapes ----

bool cairn_placed_is_convex(const CairnShapeDef *def) {
    return def->type != CAIRN_SHAPE_HALF_SPACE && def->type != CAIRN_SHAPE_MESH;
}

static CairnVec3 farthest_of(const CairnVec3 *points, int count, CairnVec3 n) {
    CairnVec3 best = points[0];
    for (int i = 1; i < count; i++) {
        best = cairn_dot(n, points[i]) > cairn_dot(n, best) ? points[i] : best;
    }
    return best;
}

// In the shape's own frame. Balls and capsules are points and segments here: their radii are the same along every
// direction, and are taken off at the end.
static CairnVec3 core_farthest(const CairnShapeDef *def, CairnVec3 d) {
    double across = sqrt(d.x * d.x + d.y * d.y), out = across > 0 ? def->radius / across : 0;
    switch (def->type) {
    case CAIRN_SHAPE_BOX:
        return (CairnVec3){copysign(0.5 * def->size.x, d.x), copysign(0.5 * def->size.y, d.y),
                           copysign(0.5 * def->size.z, d.z)};
    case CAIRN_SHAPE_CYLINDER:
        return (CairnVec3){out * d.x, out * d.y, copysign(0.5 * def->height, d.z)};
    case CAIRN_SHAPE_CAPSULE:
        return (CairnVec3){0, 0, copysign(0.5 * def->height, d.z)};
    case CAIRN_SHAPE_HULL:
        return farthest_of(def->points, def->point_count, d);
    default:
        return (CairnVec3){0, 0, 0};
    }
}

static double rounding_of(const CairnPlaced *placed) {
    bool is_round =
        placed->def != NULL && (placed->def->type == CAIRN_SHAPE_SPHERE || placed->def->type == CAIRN_SHAPE_CAPSULE);
    return is_round ? placed->def->radius : 0;
}

static CairnVec3 core_of(const CairnPlaced *placed, CairnVec3 n) {
    if (placed->def == NULL) {
        return farthest_of(placed->triangle, 3, n);
    }
    CairnVec3 best = {0, 0, 0};
    for (int k = 0; k < placed->pose_count; k++) {
        CairnTransform pose = placed->poses[k];
        CairnVec3 p = cairn_transform_point(pose, core_farthest(placed->def, cairn_unrotate(pose.q, n)));
        best = k == 0 || cairn_dot(n, p) > cairn_dot(n, best) ? p : best;
    }
    return best;
}

CairnVec3 cairn_placed_farthest(const CairnPlaced *placed, CairnVec3 n) {
    return cairn_add_scaled(core_of(placed, n), rounding_of(placed) / cairn_length(n), n);
}

CairnVec3 cairn_placed_center(const CairnPlaced *placed) {
    CairnVec3 low, high;
    low.x = core_of(placed, (CairnVec3){-1, 0, 0}).x;
    low.y = core_of(placed, (CairnVec3){0, -1, 0}).y;
    low.z = core_of(placed, (CairnVec3){0, 0, -1}).z;
    high.x = core_of(placed, (CairnVec3){1, 0, 0}).x;
    high.y = core_of(placed, (CairnVec3){0, 1, 0}).y;
    high.z = core_of(placed, (CairnVec3){0, 0, 1}).z;
    return cairn_scale(0.5, cairn_add(low, high));
}

// ---- the search ----

typedef struct Two {
    const CairnPlaced *a, *b;
} Two;

static CairnVec3 difference_of(const void *context, CairnVec3 n) {
    const Two *two = context;
    return cairn_sub(core_of(two->b, cairn_neg(n)), core_of(two->a, n));
}

enum { STARTS = 60, CLIMBS = 4 };

// The directions from which to climb, the best first.
typedef struct Starts {
    CairnVec3 normals[CLIMBS];
    double gaps[CLIMBS];
    int count;
} Starts;

static double offer(const Two *two, Starts *starts, CairnVec3 n) {
    double gap = cairn_dot(n, difference_of(two, n));
    bool is_full = starts->count == CLIMBS;
    if (is_full && gap <= starts->gaps[CLIMBS - 1]) {
        return gap;
    }
    int at = is_full ? CLIMBS - 1 : starts->count++;
    for (; at > 0 && starts->gaps[at - 1] < gap; at--) {
        starts->gaps[at] = starts->gaps[at - 1];
        starts->normals[at] = starts->normals[at - 1];
    }
    starts->gaps[at] = gap;
    starts->normals[at] = n;
    return gap;
}

double cairn_apart(const CairnPlaced *a, const CairnPlaced *b, double enough, CairnVec3 *normal) {
    static const double least = 1e-7; // rad: a step of a climb that is not worth taking
    Two two = {a, b};
    Starts starts = {.count = 0};
    double rounding = rounding_of(a) + rounding_of(b), core = enough + rounding;
    double best = offer(&two, &starts, cairn_normalize_or(*normal, (CairnVec3){0, 0, 1}));
    if (best < core) {
        CairnVec3 between = cairn_sub(cairn_placed_center(b), cairn_placed_center(a));
        best = cairn_max(best, offer(&two, &starts, cairn_normalize_or(between, (CairnVec3){0, 0, 1})));
    }
    for (int k = 0; k < STARTS && best < core; k++) { // a spiral over the sphere
        double z = 1.0 - (2.0 * k + 1.0) / STARTS, r = sqrt(1 - z * z), angle = k * 2.399963229728653;
        best = cairn_max(best, offer(&two, &starts, (CairnVec3){r * cos(angle), r * sin(angle), z}));
    }
    *normal = starts.normals[0];
    for (int k = 0; k < starts.count && best < core; k++) {
        CairnVec3 n = starts.normals[k];
        double gap = cairn_apart_climb(difference_of, &two, least, core, &n);
        if (gap > best) {
            best = gap;
            *normal = n;
        }
    }
    return best - rounding;
}
