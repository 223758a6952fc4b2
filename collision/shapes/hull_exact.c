// The side of a plane on which a point lies, without error: the hull builder's one decision.
//
// A determinant in double precision with a bound on its rounding answers nearly always (Shewchuk 1997). The remaining
// cases are computed exactly: each product of three coordinates is a sum of four doubles, and all of them are added up
// without loss.
#include "collision/shapes/hull.h"

typedef struct Expansion {
    double terms[96]; // 24 products of 4 terms; no term overlaps another, and their sizes rise
    int count;
} Expansion;

// s + *error = a + b exactly.
static double two_sum(double a, double b, double *error) {
    double s = a + b, shadow = s - a;
    *error = (a - (s - shadow)) + (b - shadow);
    return s;
}

static double two_product(double a, double b, double *error) {
    double p = a * b;
    *error = fma(a, b, -p);
    return p;
}

static void add_term(Expansion *e, double term) {
    for (int i = 0; i < e->count; ++i) {
        term = two_sum(term, e->terms[i], &e->terms[i]);
    }
    e->terms[e->count++] = term;
}

static void add_product(Expansion *e, double a, double b, double c) {
    double low, lowest, high = two_product(a, b, &low), middle;
    high = two_product(high, c, &middle);
    low = two_product(low, c, &lowest);
    add_term(e, lowest);
    add_term(e, low);
    add_term(e, middle);
    add_term(e, high);
}

// a . (b x c)
static void add_triple(Expansion *e, CairnVec3 a, CairnVec3 b, CairnVec3 c) {
    add_product(e, a.x, b.y, c.z);
    add_product(e, -a.x, b.z, c.y);
    add_product(e, a.y, b.z, c.x);
    add_product(e, -a.y, b.x, c.z);
    add_product(e, a.z, b.x, c.y);
    add_product(e, -a.z, b.y, c.x);
}

// (b - a) . ((c - a) x (d - a)) = [b c d] - [a c d] + [a b d] - [a b c]
static int orient_exactly(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d) {
    Expansion e;
    e.count = 0;
    add_triple(&e, b, c, d);
    add_triple(&e, cairn_neg(a), c, d);
    add_triple(&e, a, b, d);
    add_triple(&e, cairn_neg(a), b, c);
    for (int i = e.count - 1; i >= 0; --i) {
        if (e.terms[i] != 0) {
            return e.terms[i] > 0 ? 1 : -1;
        }
    }
    return 0;
}

int cairn_orient(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d) {
    CairnVec3 u = cairn_sub(a, d), v = cairn_sub(b, d), w = cairn_sub(c, d);
    double xy = v.x * w.y, yx = v.y * w.x, yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z;
    double volume = u.x * (yz - zy) + u.y * (zx - xz) + u.z * (xy - yx);
    double size =
        fabs(u.x) * (fabs(yz) + fabs(zy)) + fabs(u.y) * (fabs(zx) + fabs(xz)) + fabs(u.z) * (fabs(xy) + fabs(yx));
    double bound = 7.8e-16 * size; // (7 + 56 eps) eps of the permanent
    if (volume > bound || volume < -bound) {
        return volume < 0 ? 1 : -1; // u . (v x w) = - (b - a) . ((c - a) x (d - a))
    }
    return orient_exactly(a, b, c, d);
}
