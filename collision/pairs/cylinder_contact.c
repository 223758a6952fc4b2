#include "collision/pairs/cylinder_contact.h"

// A normal that leans on neither cap nor side beyond rounding meets the rim only.
#define UPRIGHT (1 - 1e-15)
#define LEVEL 1e-13
// An edge counts as along the side where it deviates sideways by at most this fraction of the radius.
#define SIDEWAYS 1e-2
// A cap tilted by less (sine) against a face has no lowest point to speak of: its four points stay where they are.
#define TILT 1e-5

bool cairn_drum_direction(CairnConvex *a, CairnConvex *b, CairnDrum *drum) {
    CairnNearest nearest;
    cairn_gjk(a, b, drum->margin + drum->rounding, &nearest);
    if (nearest.is_beyond) {
        return false;
    }
    if (nearest.is_touching) {
        drum->gap = cairn_epa(a, b, &drum->normal);
    } else {
        drum->normal = nearest.normal;
        drum->gap = -cairn_convex_overlap(a, b, drum->normal);
    }
    return drum->gap - drum->rounding < drum->margin;
}

typedef struct Refined {
    CairnConvex *a, *b;
    CairnVec3 start, best;
    double gap, rounding;
} Refined;

static void offer(Refined *r, CairnVec3 n) {
    double length = cairn_length(n), along = cairn_dot(n, r->start);
    if (!(length > 0 && fabs(along) > (1 - 1e-4) * length)) {
        return; // another contact
    }
    n = cairn_scale((along < 0 ? -1.0 : 1.0) / length, n);
    double gap = -cairn_convex_overlap(r->a, r->b, n);
    if (gap > r->gap + r->rounding) {
        r->gap = gap;
        r->best = n;
    }
}

// The point of the rim whose connection to the line p + t e is perpendicular to both: Newton on the angle. The normal
// is then across the rim's tangent and the line.
static CairnVec3 rim_and_line(double radius, double z, CairnVec3 p, CairnVec3 e, CairnVec3 start) {
    double angle = atan2(start.y, start.x);
    CairnVec3 tangent = {0, 0, 0};
    for (int k = 0; k < 12; ++k) {
        CairnVec3 x = {radius * cos(angle), radius * sin(angle), z};
        tangent = (CairnVec3){-sin(angle), cos(angle), 0};
        CairnVec3 w = cairn_sub(x, p), in = {-tangent.y, tangent.x, 0};
        w = cairn_add_scaled(w, -cairn_dot(w, e), e); // from the line, across it
        double along = cairn_dot(tangent, e);
        double slope = cairn_dot(in, w) + radius * (1 - along * along), off = cairn_dot(tangent, w);
        if (!(fabs(off) < 0.1 * fabs(slope))) {
            return (CairnVec3){0, 0, 0}; // it runs away: another contact
        }
        double turn = -off / slope;
        angle += turn;
        if (fabs(turn) < 1e-16) {
            break;
        }
    }
    return cairn_cross(tangent, e);
}

// From the side, and from the nearest point of the rim.
static void offer_vertex(Refined *r, const CairnDrum *drum, CairnVec3 v, double cap) {
    double across = hypot(v.x, v.y);
    offer(r, (CairnVec3){v.x, v.y, 0});
    if (across > 1e-9 * drum->radius) {
        double s = drum->radius / across;
        offer(r, cairn_sub(v, (CairnVec3){s * v.x, s * v.y, cap}));
    }
}

void cairn_drum_refine(CairnConvex *a, CairnConvex *b, const CairnVec3 *faces, int face_count,
                       const CairnVec3 (*ends)[2], int edge_count, CairnDrum *drum) {
    double size = a->size + b->size;
    Refined r = {a, b, drum->normal, drum->normal, drum->gap - 1e-11 * size, 1e-14 * size};
    CairnVec3 z = {0, 0, 1};
    double cap = copysign(drum->half, drum->normal.z);
    offer(&r, z);
    for (int i = 0; i < face_count; ++i) {
        offer(&r, faces[i]);
    }
    offer_vertex(&r, drum, ends[0][0], cap);
    for (int i = 0; i < edge_count; ++i) {
        offer_vertex(&r, drum, ends[i][1], cap);
        CairnVec3 e = cairn_normalize(cairn_sub(ends[i][1], ends[i][0]));
        offer(&r, cairn_cross(e, z));
        offer(&r, rim_and_line(drum->radius, cap, ends[i][0], e, drum->normal));
    }
    drum->normal = r.best;
    drum->gap = -cairn_convex_overlap(a, b, r.best);
}

void cairn_drum_snap_normal(CairnConvex *a, CairnConvex *b, double cosine, double tie, CairnDrum *drum) {
    CairnVec3 n = drum->normal, exact;
    if (fabs(n.z) > cosine) {
        exact = (CairnVec3){0, 0, copysign(1, n.z)};
    } else if (fabs(n.z) < 1e-4) {
        exact = cairn_normalize((CairnVec3){n.x, n.y, 0});
    } else {
        return;
    }
    double along = -cairn_convex_overlap(a, b, exact);
    if (along >= drum->gap - tie) {
        drum->normal = exact;
        drum->gap = along;
    }
}

// Adds a point between the surface of the cylinder, at `surface_point`, and that of the core, at `surface_point +
// distance n`.
static int put(const CairnDrum *drum, CairnVec3 surface_point, double distance, uint32_t name, uint32_t other,
               CairnManifoldPoint *points, int count) {
    double d = distance - drum->rounding;
    if (!(d < drum->margin) || count == CAIRN_CLIPPED_POINTS) {
        return count;
    }
    points[count] =
        (CairnManifoldPoint){cairn_add_scaled(surface_point, 0.5 * d, drum->normal), d, cairn_names(name, other)};
    return count + 1;
}

// The part [t0, t1] of p + t d within the circle widened by rim; `is_cut`: by the circle rather than by the end of the
// segment. A cut is then put on the true circle.
static bool cut_by_circle(double radius, double rim, CairnVec3 p, CairnVec3 d, double t[2], bool is_cut[2]) {
    double a = d.x * d.x + d.y * d.y, wide = radius + rim;
    t[0] = 0;
    t[1] = 1;
    is_cut[0] = is_cut[1] = false;
    if (!(a > 1e-24 * wide * wide)) {
        return hypot(p.x, p.y) <= wide;
    }
    double middle = -(p.x * d.x + p.y * d.y) / a, fx = p.x + middle * d.x, fy = p.y + middle * d.y;
    double chord = wide * wide - (fx * fx + fy * fy), exact = radius * radius - (fx * fx + fy * fy);
    if (chord < 0) {
        return false;
    }
    chord = sqrt(chord / a);
    exact = sqrt(cairn_max(exact, 0) / a);
    double low = middle - chord, high = middle + chord;
    if (low > 1 || high < 0) {
        return false;
    }
    if (low > 0) {
        t[0] = cairn_clamp(middle - exact, 0, 1);
        is_cut[0] = true;
    }
    if (high < 1) {
        t[1] = cairn_clamp(middle + exact, 0, 1);
        is_cut[1] = true;
    }
    return true;
}

// The cap that the normal leaves by, as a height.
static double cap_of(const CairnDrum *drum) {
    return copysign(drum->half, drum->normal.z);
}

static int edge_on_cap(const CairnDrum *drum, CairnVec3 p, CairnVec3 q, const uint32_t names[3],
                       CairnManifoldPoint points[2]) {
    CairnVec3 d = cairn_sub(q, p);
    double t[2], z = cap_of(drum), sign = z > 0 ? 1.0 : -1.0;
    bool is_cut[2];
    if (!cut_by_circle(drum->radius, CAIRN_RIM * drum->radius, p, d, t, is_cut)) {
        return 0;
    }
    bool is_standing = (t[1] - t[0]) * hypot(d.x, d.y) < 1e-3 * cairn_min(cairn_length(d), drum->radius);
    int count = 0, lower = sign * d.z >= 0 ? 0 : 1;
    for (int k = 0; k < 2; ++k) {
        if (is_standing && k != lower) {
            continue;
        }
        CairnVec3 x = cairn_add_scaled(p, t[k], d), surface_point = {x.x, x.y, z};
        count = put(drum, surface_point, sign * x.z - drum->half, is_cut[k] ? cairn_drum_rim(z, k) : cairn_drum_cap(z),
                    is_cut[k] ? names[2] : names[k], points, count);
    }
    return count;
}

static int edge_on_side(const CairnDrum *drum, CairnVec3 p, CairnVec3 q, const uint32_t names[3],
                        CairnManifoldPoint points[2]) {
    CairnVec3 d = cairn_sub(q, p), n = drum->normal;
    double sideways = n.x * d.y - n.y * d.x, length = cairn_length(d);
    double low = cairn_max(cairn_min(p.z, q.z), -drum->half), high = cairn_min(cairn_max(p.z, q.z), drum->half);
    if (high - low > 1e-3 * cairn_min(length, drum->half) && fabs(d.z) > 0.5 * length &&
        fabs(sideways / d.z) * (high - low) <= SIDEWAYS * drum->radius) {
        int count = 0, lower_end = d.z > 0 ? 0 : 1;
        for (int k = 0; k < 2; ++k) {
            double z = k == 0 ? low : high;
            bool is_end = k == 0 ? cairn_min(p.z, q.z) >= -drum->half : cairn_max(p.z, q.z) <= drum->half;
            CairnVec3 x = cairn_add_scaled(p, (z - p.z) / d.z, d), foot = {n.x * drum->radius, n.y * drum->radius, z};
            int end = k == 0 ? lower_end : 1 - lower_end;
            double distance = cairn_dot(n, cairn_sub(x, foot)); // the edge itself is met, the side nearly: it is round
            count =
                put(drum, cairn_add_scaled(x, -distance, n), distance,
                    is_end ? cairn_drum_side() : cairn_drum_rim(k, 0), is_end ? names[end] : names[2], points, count);
        }
        return count;
    }
    if (fabs(cairn_dot(n, d)) > 1e-6 * length || fabs(sideways) < 1e-9 * length) {
        return 0;
    }
    double t = cairn_clamp(-(n.x * p.y - n.y * p.x) / sideways, 0, 1); // where it passes over the line of the side
    CairnVec3 x = cairn_add_scaled(p, t, d);
    return put(drum, cairn_add_scaled(x, -drum->gap, n), drum->gap, cairn_drum_side(), names[2], points, 0);
}

int cairn_drum_edge(const CairnDrum *drum, CairnVec3 p, CairnVec3 q, const uint32_t names[3],
                    CairnManifoldPoint points[2]) {
    if (fabs(drum->normal.z) > UPRIGHT) {
        return edge_on_cap(drum, p, q, names, points);
    }
    if (fabs(drum->normal.z) < LEVEL) {
        return edge_on_side(drum, p, q, names, points);
    }
    CairnVec3 d = cairn_sub(q, p), n = drum->normal;
    if (fabs(cairn_dot(n, d)) > 1e-6 * cairn_length(d)) {
        return 0;
    }
    return cairn_drum_rim_point(drum, names[2], points);
}

bool cairn_drum_leans(const CairnDrum *drum) {
    return fabs(drum->normal.z) <= UPRIGHT && fabs(drum->normal.z) >= LEVEL;
}

int cairn_drum_rim_point(const CairnDrum *drum, uint32_t name, CairnManifoldPoint points[1]) {
    CairnVec3 n = drum->normal;
    double across = hypot(n.x, n.y), z = cap_of(drum);
    CairnVec3 rim = {drum->radius * n.x / across, drum->radius * n.y / across, z};
    return put(drum, rim, drum->gap, cairn_drum_rim(z, 0), name, points, 0);
}

int cairn_drum_point(const CairnDrum *drum, CairnVec3 vertex, uint32_t name, CairnManifoldPoint points[1]) {
    CairnVec3 n = drum->normal;
    double z = cap_of(drum);
    uint32_t surface_point = fabs(n.z) > UPRIGHT ? cairn_drum_cap(z)
                             : fabs(n.z) < LEVEL ? cairn_drum_side()
                                                 : cairn_drum_rim(z, 0);
    return put(drum, cairn_add_scaled(vertex, -drum->gap, n), drum->gap, surface_point, name, points, 0);
}

// ---- faces ----

// How far the face's plane is from a point along the normal.
static double height_over(const CairnDrum *drum, const CairnPolygon *face, CairnVec3 surface_point) {
    return cairn_dot(face->normal, cairn_sub(face->p[0], surface_point)) / cairn_dot(face->normal, drum->normal);
}

static int add_rim_points(const CairnDrum *drum, const CairnPolygon *face, double rim, CairnManifoldPoint *points,
                          int count) {
    double z = cap_of(drum);
    // Towards the face's lower side, where there is one: the point that goes in deepest is then among the four.
    double tilt = hypot(face->normal.x, face->normal.y);
    CairnVec3 u = {1, 0, 0};
    if (tilt > TILT) {
        u = (CairnVec3){-face->normal.x / tilt, -face->normal.y / tilt, 0};
    }
    static const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
    for (int k = 0; k < 4; ++k) {
        CairnVec3 surface_point = {drum->radius * (c[k] * u.x - s[k] * u.y), drum->radius * (s[k] * u.x + c[k] * u.y),
                                   z};
        double height = height_over(drum, face, surface_point);
        if (cairn_polygon_is_over(face, cairn_add_scaled(surface_point, height, drum->normal), -rim)) {
            count = put(drum, surface_point, height, cairn_drum_rim(z, 2 + k), face->face, points, count);
        }
    }
    return count;
}

// A corner of the face's outline within the cap, carried to the cap along the normal.
static CairnVec3 on_cap(const CairnDrum *drum, CairnVec3 x) {
    return cairn_add_scaled(x, (cap_of(drum) - x.z) / drum->normal.z, drum->normal);
}

static int face_on_cap(const CairnDrum *drum, const CairnPolygon *face, CairnManifoldPoint *points) {
    double z = cap_of(drum), rim = CAIRN_RIM * cairn_min(drum->radius, cairn_polygon_size(face));
    int count = 0;
    for (int i = 0; i < face->count; ++i) {
        CairnVec3 p = on_cap(drum, face->p[i]), q = on_cap(drum, face->p[i + 1 < face->count ? i + 1 : 0]);
        CairnVec3 d = cairn_sub(q, p);
        double t[2];
        bool is_cut[2];
        if (hypot(p.x, p.y) <= drum->radius + rim) {
            count = put(drum, p, height_over(drum, face, p), cairn_drum_cap(z), face->vertex[i], points, count);
        }
        if (!cut_by_circle(drum->radius, rim, p, d, t, is_cut)) {
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            if (is_cut[k]) {
                CairnVec3 x = cairn_add_scaled(p, t[k], d);
                count = put(drum, x, height_over(drum, face, x), cairn_drum_rim(z, k), face->edge[i], points, count);
            }
        }
    }
    return add_rim_points(drum, face, rim, points, count);
}

static int face_on_side(const CairnDrum *drum, const CairnPolygon *face, CairnManifoldPoint points[2]) {
    CairnVec3 n = drum->normal;
    double across = hypot(n.x, n.y), rim = 0.5 * CAIRN_RIM * cairn_polygon_size(face), t[2];
    CairnVec3 p = {drum->radius * n.x / across, drum->radius * n.y / across, -drum->half}, q = p;
    uint32_t names[2];
    q.z = drum->half;
    if (!cairn_polygon_cut(face, p, q, rim, t, names)) {
        return 0;
    }
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        CairnVec3 surface_point = cairn_add_scaled(p, t[k], cairn_sub(q, p));
        count = put(drum, surface_point, height_over(drum, face, surface_point),
                    names[k] != 0 ? cairn_drum_side() : cairn_drum_rim(k, 6), names[k] != 0 ? names[k] : face->face,
                    points, count);
    }
    return count;
}

int cairn_drum_face(const CairnDrum *drum, const CairnPolygon *face, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    return fabs(drum->normal.z) > 0.5 ? face_on_cap(drum, face, points) : face_on_side(drum, face, points);
}
