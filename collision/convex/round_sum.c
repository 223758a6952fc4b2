// The largest gap of a sum of segments and discs.
//
// g is concave along every line, so where it is positive a local maximum is the only one. Its maxima are of four kinds:
//   a disc's axis              (cap on anything)                            one value each
//   across two segments        (side on side, edge on edge, a box's face)   one value each
//   across one segment         (a rim on a side or an edge)                 one unknown: the circle of normals across it
//   elsewhere                  (rim on rim; apart also vertex on rim)       two unknowns
// They are tried in this order, and the search ends where the best so far is proven to be best (is_proven): for almost
// all contacts at rest after the first two kinds, or after the first circle.
#include "collision/convex/round_sum.h"

// A candidate must be better than the best so far by this fraction of the sum's size.
#define TIE 1e-13
// Segments across the normal and discs along it, to rounding: anywhere on them is as good.
#define ALIGNED 1e-13

typedef struct Search {
    const CairnRoundSum *sum;
    CairnVec3 normal;
    double best, tie;
    int free_1, free_2; // the segments across the best normal, or -1
    int disc;           // the disc along it, or -1
} Search;

double cairn_sum_gap(const CairnRoundSum *sum, CairnVec3 n) {
    double gap = cairn_dot(n, sum->c);
    for (int j = 0; j < sum->segment_count; ++j) {
        gap -= sum->k[j] * fabs(cairn_dot(n, sum->e[j]));
    }
    for (int i = 0; i < sum->disc_count; ++i) {
        gap -= sum->r[i] * cairn_length(cairn_cross(n, sum->u[i]));
    }
    return gap;
}

// g is the same sum at n and -n but for c: of the two the one along c is better.
static void offer(Search *search, CairnVec3 n, int free_1, int free_2, int disc) {
    if (cairn_dot(n, search->sum->c) < 0) {
        n = cairn_neg(n);
    }
    double gap = cairn_sum_gap(search->sum, n);
    if (gap > search->best + search->tie) {
        search->normal = n;
        search->best = gap;
        search->free_1 = free_1;
        search->free_2 = free_2;
        search->disc = disc;
    }
}

// ---- flat faces ----

static void offer_flat(Search *search) {
    const CairnRoundSum *sum = search->sum;
    for (int i = 0; i < sum->disc_count; ++i) {
        offer(search, sum->u[i], -1, -1, i);
    }
    for (int j = 0; j < sum->segment_count; ++j) {
        for (int k = j + 1; k < sum->segment_count; ++k) {
            CairnVec3 w = cairn_cross(sum->e[j], sum->e[k]);
            double length = cairn_length(w);
            if (length > 1e-12) { // else parallel: any normal across the one is across the other
                offer(search, cairn_scale(1.0 / length, w), j, k, -1);
            }
        }
    }
}

static CairnVec3 within_disc(CairnVec3 v, double radius) {
    double length = cairn_length(v);
    return length > radius ? cairn_scale(radius / length, v) : v;
}

// Where on its segments and discs the sum supports along the best normal; what is free goes as near to the contact as
// it can. Returns how far the contact is from there: 0 where it lies within the face.
static double support(const Search *search, CairnSumOptimum *optimum) {
    const CairnRoundSum *sum = search->sum;
    CairnVec3 n = search->normal;
    CairnVec3 rest = cairn_add_scaled(sum->c, -search->best, n);
    bool is_free[CAIRN_SUM_SEGMENTS + CAIRN_SUM_DISCS] = {false};
    for (int j = 0; j < sum->segment_count; ++j) {
        double slope = cairn_dot(n, sum->e[j]);
        is_free[j] = j == search->free_1 || j == search->free_2 || fabs(slope) < ALIGNED;
        optimum->along[j] = is_free[j] ? 0 : copysign(sum->k[j], slope);
        rest = cairn_add_scaled(rest, -optimum->along[j], sum->e[j]);
    }
    for (int i = 0; i < sum->disc_count; ++i) {
        // n less its component along u, in a form that stays across u where little remains.
        CairnVec3 across = cairn_cross(sum->u[i], cairn_cross(n, sum->u[i]));
        double length = cairn_length(across);
        bool is_along = i == search->disc || length < ALIGNED;
        is_free[CAIRN_SUM_SEGMENTS + i] = is_along;
        optimum->across[i] = is_along ? (CairnVec3){0, 0, 0} : cairn_scale(sum->r[i] / length, across);
        rest = cairn_sub(rest, optimum->across[i]);
    }
    int a = search->free_1, b = search->free_2;
    if (a >= 0 && b >= 0) { // the parallelogram of the two: rest = x e_a + y e_b
        double cosine = cairn_dot(sum->e[a], sum->e[b]), ra = cairn_dot(rest, sum->e[a]),
               rb = cairn_dot(rest, sum->e[b]);
        double sine_squared = cairn_length_squared(cairn_cross(sum->e[a], sum->e[b]));
        double x = cairn_clamp((ra - cosine * rb) / sine_squared, -sum->k[a], sum->k[a]);
        double y = cairn_clamp(rb - cosine * x, -sum->k[b], sum->k[b]);
        x = cairn_clamp(ra - cosine * y, -sum->k[a], sum->k[a]);
        optimum->along[a] = x;
        optimum->along[b] = y;
        rest = cairn_add_scaled(cairn_add_scaled(rest, -x, sum->e[a]), -y, sum->e[b]);
    }
    for (int i = 0; i < sum->disc_count; ++i) {
        if (is_free[CAIRN_SUM_SEGMENTS + i]) {
            CairnVec3 flat = cairn_add_scaled(rest, -cairn_dot(rest, sum->u[i]), sum->u[i]);
            optimum->across[i] = within_disc(flat, sum->r[i]);
            rest = cairn_sub(rest, optimum->across[i]);
        }
    }
    for (int j = 0; j < sum->segment_count; ++j) {
        if (is_free[j] && (a < 0 || b < 0 || (j != a && j != b))) {
            optimum->along[j] = cairn_clamp(cairn_dot(rest, sum->e[j]), -sum->k[j], sum->k[j]);
            rest = cairn_add_scaled(rest, -optimum->along[j], sum->e[j]);
        }
    }
    return cairn_length(rest);
}

// How deep a point, seen from a shape's centre, lies in it: a box (three segments) or a cylinder (a segment and a
// disc).
static double depth_in(const CairnRoundSum *sum, bool is_second, CairnVec3 p) {
    double depth = HUGE_VAL;
    int end = is_second ? sum->segment_count : sum->first_segments,
        disc_end = is_second ? sum->disc_count : sum->first_discs;
    for (int j = is_second ? sum->first_segments : 0; j < end; ++j) {
        depth = cairn_min(depth, sum->k[j] - fabs(cairn_dot(p, sum->e[j])));
    }
    for (int i = is_second ? sum->first_discs : 0; i < disc_end; ++i) {
        CairnVec3 across = cairn_add_scaled(p, -cairn_dot(p, sum->u[i]), sum->u[i]);
        depth = cairn_min(depth, sum->r[i] - cairn_length(across));
    }
    return depth;
}

// Can no other normal be better? Apart: where the two points that support really are nearest points. In overlap: where
// besides the one shape's point lies as deep in the other as the shapes overlap, for a shape that holds that point
// alone would overlap as much.
static bool is_proven(const Search *search, CairnSumOptimum *optimum) {
    const CairnRoundSum *sum = search->sum;
    double miss = support(search, optimum), slack = 1e3 * search->tie;
    if (miss > slack) {
        return false;
    }
    if (search->best >= 0) {
        return true;
    }
    CairnVec3 first = {0, 0, 0}, second = sum->c; // the two points, seen from the first shape's centre
    for (int j = 0; j < sum->segment_count; ++j) {
        CairnVec3 *point = j < sum->first_segments ? &first : &second;
        *point = cairn_add_scaled(*point, j < sum->first_segments ? optimum->along[j] : -optimum->along[j], sum->e[j]);
    }
    for (int i = 0; i < sum->disc_count; ++i) {
        if (i < sum->first_discs) {
            first = cairn_add(first, optimum->across[i]);
        } else {
            second = cairn_sub(second, optimum->across[i]);
        }
    }
    return depth_in(sum, false, second) >= -search->best - slack ||
           depth_in(sum, true, cairn_sub(first, sum->c)) >= -search->best - slack;
}

// Two cylinders side by side, nearly parallel. Where their ends nearly coincide the best normal may be across neither
// axis, between the two that are, and better by no more than this angle times the miss; and where the middle of what
// they have in common lies as deep as the contact, no other kind of contact is better by more than its tilt. Both are
// below `tolerance` times the size.
static bool is_side_by_side(const Search *search, CairnSumOptimum *optimum, double size) {
    const CairnRoundSum *sum = search->sum;
    const double tolerance = 1e-6;
    if (sum->disc_count != 2 || search->disc >= 0) {
        return false;
    }
    CairnVec3 u = sum->u[0], v = sum->u[1];
    double sine = cairn_length(cairn_cross(u, v));
    if (sine > tolerance || support(search, optimum) * sine > 1e-5 * tolerance * size) {
        return false;
    }
    CairnVec3 p = cairn_sub(sum->c, optimum->across[1]); // the middle of the second's line
    double along = cairn_dot(p, u);
    double low = cairn_max(-sum->k[0], along - sum->k[1]), high = cairn_min(sum->k[0], along + sum->k[1]);
    double middle = 0.5 * (low + high), sign = cairn_dot(u, v) < 0 ? -1.0 : 1.0;
    p = cairn_add_scaled(p, sign * (middle - along), v);
    return search->best >= 0 ? low < high : depth_in(sum, false, p) >= -search->best - tolerance * size;
}

// ---- circles of normals across one segment ----

// The sum seen along a segment: a plane figure. Normals are (x, y) in the frame p, q.
typedef struct Ring {
    CairnVec3 p, q;
    double cx; // c lies along p
    int segment_count, disc_count;
    double ex[CAIRN_SUM_SEGMENTS], ey[CAIRN_SUM_SEGMENTS]; // times k
    double ux[CAIRN_SUM_DISCS], uy[CAIRN_SUM_DISCS], uz[CAIRN_SUM_DISCS], r[CAIRN_SUM_DISCS];
} Ring;

typedef struct Direction {
    double x, y;
} Direction;

enum { RING_BREAKS = CAIRN_SUM_SEGMENTS + 2 * CAIRN_SUM_DISCS + 3, RING_STEPS = 4 };

static Ring make_ring(const CairnRoundSum *sum, int along) {
    Ring ring = {.segment_count = 0};
    CairnVec3 e = sum->e[along], unused, any;
    cairn_tangents(e, &any, &unused);
    CairnVec3 flat = cairn_add_scaled(sum->c, -cairn_dot(sum->c, e), e);
    ring.p = cairn_length(flat) > 1e-14 * cairn_length(sum->c) ? cairn_normalize_or(flat, any) : any;
    ring.p = cairn_normalize(cairn_add_scaled(ring.p, -cairn_dot(ring.p, e), e));
    ring.q = cairn_cross(e, ring.p);
    ring.cx = cairn_dot(sum->c, ring.p);
    for (int j = 0; j < sum->segment_count; ++j) {
        if (j != along) {
            ring.ex[ring.segment_count] = sum->k[j] * cairn_dot(sum->e[j], ring.p);
            ring.ey[ring.segment_count++] = sum->k[j] * cairn_dot(sum->e[j], ring.q);
        }
    }
    ring.disc_count = sum->disc_count;
    for (int i = 0; i < sum->disc_count; ++i) {
        ring.ux[i] = cairn_dot(sum->u[i], ring.p);
        ring.uy[i] = cairn_dot(sum->u[i], ring.q);
        ring.uz[i] = cairn_dot(sum->u[i], e);
        ring.r[i] = sum->r[i];
    }
    return ring;
}

// On the half circle x >= 0, unit length; too short to have a direction: none.
static void add_break(Direction *breaks, int *count, double x, double y) {
    double length = sqrt(x * x + y * y);
    if (length > 1e-9) {
        double sign = x < 0 ? -1.0 / length : 1.0 / length;
        breaks[(*count)++] = (Direction){sign * x, sign * y};
    }
}

// Where g has a kink (across another segment) or turns from steep to flat (along and across a disc's axis), in order of
// angle.
static int ring_breaks(const Ring *ring, Direction breaks[RING_BREAKS]) {
    int count = 0;
    breaks[count++] = (Direction){0, -1};
    breaks[count++] = (Direction){0, 1};
    breaks[count++] = (Direction){1, 0};
    for (int j = 0; j < ring->segment_count; ++j) {
        double k = fabs(ring->ex[j]) + fabs(ring->ey[j]);
        if (k > 0) {
            add_break(breaks, &count, -ring->ey[j] / k, ring->ex[j] / k);
        }
    }
    for (int i = 0; i < ring->disc_count; ++i) {
        add_break(breaks, &count, ring->ux[i], ring->uy[i]);
        add_break(breaks, &count, -ring->uy[i], ring->ux[i]);
    }
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && breaks[j - 1].y > breaks[j].y; --j) {
            Direction kept = breaks[j];
            breaks[j] = breaks[j - 1];
            breaks[j - 1] = kept;
        }
    }
    return count;
}

// c less the segments' ends on the side of `d`: g between two breaks is (x, y) . this, less the discs.
static Direction ring_base(const Ring *ring, Direction d) {
    Direction base = {ring->cx, 0};
    for (int j = 0; j < ring->segment_count; ++j) {
        double sign = d.x * ring->ex[j] + d.y * ring->ey[j] > 0 ? 1.0 : -1.0;
        base.x -= sign * ring->ex[j];
        base.y -= sign * ring->ey[j];
    }
    return base;
}

// g and its first two derivatives by the angle. With t = (-y, x), a = n.u, b = t.u: |n x u|^2 = b^2 + uz^2, a' = b, b'
// = -a.
static double ring_value(const Ring *ring, Direction base, Direction n, double *first, double *second) {
    double value = base.x * n.x + base.y * n.y, slope = base.y * n.x - base.x * n.y, bend = -value;
    for (int i = 0; i < ring->disc_count; ++i) {
        double a = n.x * ring->ux[i] + n.y * ring->uy[i], b = n.x * ring->uy[i] - n.y * ring->ux[i];
        double rho = sqrt(b * b + ring->uz[i] * ring->uz[i]);
        double inverse = rho > 1e-150 ? 1.0 / rho : 0;
        double d = -a * b * inverse;
        value -= ring->r[i] * rho;
        slope -= ring->r[i] * d;
        bend -= ring->r[i] * (a * a - b * b - d * d) * inverse;
    }
    *first = slope;
    *second = bend;
    return value;
}

static Direction between(Direction a, Direction b) {
    Direction m = {a.x + b.x, a.y + b.y};
    double length = sqrt(m.x * m.x + m.y * m.y);
    return (Direction){m.x / length, m.y / length};
}

static double turn(Direction a, Direction b) {
    return a.x * b.y - a.y * b.x;
}

// The maximum between `low`, where g rises, and `high`, where it falls: Newton's steps, halving where they leave the
// bracket.
static Direction ring_maximum(const Ring *ring, Direction base, Direction low, Direction high) {
    Direction n = between(low, high);
    for (int k = 0; k < 80; ++k) {
        double first, second;
        ring_value(ring, base, n, &first, &second);
        if (first > 0) {
            low = n;
        } else {
            high = n;
        }
        double step = second < 0 ? -first / second : HUGE_VAL;
        if (fabs(step) < 0.5) {
            Direction next = {n.x - step * n.y, n.y + step * n.x};
            double length = sqrt(next.x * next.x + next.y * next.y);
            next = (Direction){next.x / length, next.y / length};
            if (fabs(step) < 1e-9) {
                return next; // the next step would be of the order of its square
            }
            if (turn(low, next) > 0 && turn(next, high) > 0) {
                n = next;
                continue;
            }
        }
        if (turn(low, high) < 1e-15) {
            return n;
        }
        n = between(low, high);
    }
    return n;
}

static void offer_ring(Search *search, int along) {
    Ring ring = make_ring(search->sum, along);
    Direction breaks[RING_BREAKS];
    int count = ring_breaks(&ring, breaks);
    offer(search, ring.p, along, -1, -1); // where every direction is as good, rounding hides that they are
    for (int b = 0; b + 1 < count; ++b) {
        if (turn(breaks[b], breaks[b + 1]) < 1e-12) {
            continue;
        }
        Direction base = ring_base(&ring, between(breaks[b], breaks[b + 1]));
        Direction low = breaks[b];
        double low_slope, high_slope, unused;
        ring_value(&ring, base, low, &low_slope, &unused);
        for (int k = 1; k <= RING_STEPS; ++k) {
            double s = (double)k / RING_STEPS;
            Direction high = breaks[b + 1];
            if (k < RING_STEPS) {
                high = (Direction){(1 - s) * breaks[b].x + s * high.x, (1 - s) * breaks[b].y + s * high.y};
                high = between(high, high);
            }
            ring_value(&ring, base, high, &high_slope, &unused);
            if (low_slope >= 0 && high_slope <= 0) {
                Direction n = ring_maximum(&ring, base, low, high);
                offer(search, cairn_add_scaled(cairn_scale(n.x, ring.p), n.y, ring.q), along, -1, -1);
            }
            low = high;
            low_slope = high_slope;
        }
    }
}

// ---- normals across nothing ----

// g on the side of each segment that `signs` gives (bit set: positive): (n . q) less the discs.
static CairnVec3 corner(const CairnRoundSum *sum, unsigned signs) {
    CairnVec3 q = sum->c;
    for (int j = 0; j < sum->segment_count; ++j) {
        q = cairn_add_scaled(q, signs >> j & 1u ? -sum->k[j] : sum->k[j], sum->e[j]);
    }
    return q;
}

// One disc against a vertex: the nearest point of its rim. A maximum only where the two are apart.
static void offer_vertices(Search *search) {
    const CairnRoundSum *sum = search->sum;
    for (unsigned signs = 0; signs < 1u << sum->segment_count; ++signs) {
        CairnVec3 q = corner(sum, signs), u = sum->u[0];
        double z = cairn_dot(q, u);
        CairnVec3 flat = cairn_add_scaled(q, -z, u);
        double length = cairn_length(flat);
        if (length > sum->r[0]) {
            CairnVec3 n = cairn_add_scaled(cairn_scale(1.0 - sum->r[0] / length, flat), z, u);
            offer(search, cairn_normalize(n), -1, -1, -1);
        }
    }
}

typedef struct Slope {
    double value;
    double g1, g2;        // gradient along the tangents
    double h11, h12, h22; // minus the second derivatives along them
    CairnVec3 t1, t2;
    bool is_defined;
} Slope;

// With m the direction of n across u and t = u x m: the disc's support point is r m, and its derivative r/rho t t^T.
static Slope slope_at(const CairnRoundSum *sum, CairnVec3 q, CairnVec3 n) {
    Slope s = {.is_defined = true};
    cairn_tangents(n, &s.t1, &s.t2);
    CairnVec3 d = q;
    for (int i = 0; i < sum->disc_count; ++i) {
        // n less its component along u as (u x n) x u: across u to the last digit, also close to the axis.
        CairnVec3 turned = cairn_cross(sum->u[i], n), across = cairn_cross(turned, sum->u[i]);
        double rho = cairn_length(turned);
        if (rho < 1e-10) {
            s.is_defined = false;
            return s;
        }
        CairnVec3 t = cairn_scale(1.0 / rho, turned);
        double a = cairn_dot(t, s.t1), b = cairn_dot(t, s.t2), bend = sum->r[i] / rho;
        d = cairn_add_scaled(d, -bend, across);
        s.h11 += bend * a * a;
        s.h12 += bend * a * b;
        s.h22 += bend * b * b;
    }
    s.value = cairn_dot(d, n);
    s.h11 += s.value;
    s.h22 += s.value;
    s.g1 = cairn_dot(d, s.t1);
    s.g2 = cairn_dot(d, s.t2);
    return s;
}

// Newton's method on the sphere; where the curvature has the wrong sign it is shifted so that the step climbs.
static bool climb(const CairnRoundSum *sum, CairnVec3 q, CairnVec3 a_side, CairnVec3 b_side, CairnVec3 *normal,
                  double size) {
    CairnVec3 n = *normal;
    Slope s = slope_at(sum, q, n);
    int outside_count = 0; // steps in a row outside the quarter, where g is another function
    for (int k = 0; k < 30 && s.is_defined && outside_count < 3; ++k) {
        bool is_outside = cairn_dot(n, a_side) < 0 || cairn_dot(n, b_side) < 0;
        outside_count = is_outside ? outside_count + 1 : 0;
        double mean = 0.5 * (s.h11 + s.h22);
        double spread = sqrt(0.25 * (s.h11 - s.h22) * (s.h11 - s.h22) + s.h12 * s.h12);
        double shift = cairn_max(0.0, 1e-9 * size - (mean - spread));
        if (shift > 0) {
            shift += sqrt(s.g1 * s.g1 + s.g2 * s.g2);
        }
        double a = s.h11 + shift, b = s.h22 + shift, determinant = a * b - s.h12 * s.h12;
        double x = (b * s.g1 - s.h12 * s.g2) / determinant, y = (a * s.g2 - s.h12 * s.g1) / determinant;
        double length = sqrt(x * x + y * y);
        double scale = length > 0.5 ? 0.5 / length : 1.0;
        bool is_better = false;
        for (int trial = 0; trial < 12 && !is_better; ++trial) {
            CairnVec3 next = cairn_add_scaled(cairn_add_scaled(n, scale * x, s.t1), scale * y, s.t2);
            next = cairn_normalize(next);
            if (length < 1e-9) {
                *normal = next;
                return shift == 0;
            }
            Slope t = slope_at(sum, q, next);
            is_better = t.is_defined && t.value > s.value - 1e-14 * size;
            if (is_better) {
                n = next;
                s = t;
            }
            scale *= 0.4;
        }
        if (!is_better) {
            return false;
        }
    }
    *normal = n;
    return false;
}

// g has the shape of a cone about a disc's axis: from its axis this finds the direction in which g rises, which
// Newton's steps there do not find. Along that direction g is smooth; where its maximum is nearer than a tenth, the
// start is there, for close to a peak steps from afar go astray.
static CairnVec3 off_peak(const CairnRoundSum *sum, CairnVec3 q, CairnVec3 peak, int disc) {
    int other = 1 - disc;
    CairnVec3 across = cairn_add_scaled(peak, -cairn_dot(peak, sum->u[other]), sum->u[other]);
    double length = cairn_length(across), bend = length > 0 ? sum->r[other] / length : 0;
    CairnVec3 d = cairn_add_scaled(q, -bend, across);
    double value = cairn_dot(d, peak);
    d = cairn_add_scaled(d, -value, peak);
    double rise = cairn_length(d) - sum->r[disc];
    d = cairn_normalize(d);
    double aside = length > 0 ? cairn_dot(cairn_cross(sum->u[other], across), d) / length : 0;
    double drop = value + bend * aside * aside, step = drop > 0 && rise > 0 && rise < 0.1 * drop ? rise / drop : 0.1;
    return cairn_normalize(cairn_add_scaled(peak, step, d));
}

// Two discs, rim on rim. g is smooth in each of the quarters that the two segments' planes cut the sphere into, and
// even across the plane of the two axes: the half of each quarter on the side of c is searched.
static void offer_rims(Search *search) {
    const CairnRoundSum *sum = search->sum;
    CairnVec3 u = sum->u[0], v = sum->u[1], w = cairn_cross(u, v), unused;
    if (cairn_length(w) < 1e-6) {
        CairnVec3 flat = cairn_add_scaled(sum->c, -cairn_dot(sum->c, u), u);
        cairn_tangents(u, &w, &unused);
        w = cairn_normalize_or(flat, w);
    }
    w = cairn_normalize(w);
    w = cairn_dot(w, sum->c) < 0 ? cairn_neg(w) : w;
    double size = sum->r[0] + sum->r[1] + sum->k[0] + sum->k[1];
    CairnVec3 found = search->normal; // of the earlier kinds: near the answer where the shapes are apart
    for (unsigned signs = 0; signs < 4; ++signs) {
        CairnVec3 q = corner(sum, signs);
        CairnVec3 a = signs & 1u ? u : cairn_neg(u), b = signs & 2u ? v : cairn_neg(v);
        CairnVec3 middle = cairn_normalize(cairn_add(w, cairn_add(a, b)));
        const CairnVec3 starts[4] = {middle, off_peak(sum, q, a, 0), off_peak(sum, q, b, 1),
                                     cairn_normalize(cairn_add_scaled(found, 0.02, middle))};
        for (int k = 0; k < 4; ++k) {
            CairnVec3 n = starts[k];
            if (climb(sum, q, a, b, &n, size) && cairn_dot(n, a) > 0 && cairn_dot(n, b) > 0) {
                offer(search, n, -1, -1, -1);
            }
        }
    }
}

// ---- the search ----

bool cairn_sum_optimum(const CairnRoundSum *sum, double margin, CairnSumOptimum *optimum) {
    Search search = {.sum = sum, .best = -HUGE_VAL, .free_1 = -1, .free_2 = -1, .disc = -1};
    double size = cairn_length(sum->c);
    for (int j = 0; j < sum->segment_count; ++j) {
        size += sum->k[j];
    }
    search.tie = TIE * size;
    offer_flat(&search);
    if (!(search.best < margin)) {
        return false;
    }
    bool is_done = is_proven(&search, optimum);
    for (int j = 0; j < sum->segment_count && !is_done; ++j) {
        // The circles across the axes of cylinders come first: logs side by side.
        double before = search.best;
        offer_ring(&search, sum->segment_count - 1 - j);
        if (!(search.best < margin)) {
            return false;
        }
        is_done = search.best > before && is_proven(&search, optimum);
    }
    is_done = is_done || is_side_by_side(&search, optimum, size);
    if (!is_done) {
        if (sum->disc_count == 2) {
            offer_rims(&search);
        } else if (search.best > 0) {
            offer_vertices(&search);
        }
        support(&search, optimum);
    }
    optimum->normal = search.normal;
    optimum->distance = search.best;
    return search.best < margin;
}
