// At most four points of a face contact: the deepest, the one farthest from it, and on either side of the line through
// these the one that spans the largest triangle.
#include "collision/pairs/box_frame.h"

// What counts as equal: points of a resting face are equally deep up to the step's noise, and a choice by that noise
// would change from step to step. Fraction of the contact's size.
#define EQUAL_DEPTH 1e-5
#define EQUAL_SPAN 1e-4
// A face that replaces a direction within 1.8 degrees has the depth of that direction up to this fraction.
#define LIKE_DEPTH 6e-4

static void swap_points(CairnManifoldPoint *points, int i, int j) {
    CairnManifoldPoint kept = points[i];
    points[i] = points[j];
    points[j] = kept;
}

static void sort_by_feature(CairnManifoldPoint *points, int count) {
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && points[j - 1].feature > points[j].feature; --j) {
            swap_points(points, j - 1, j);
        }
    }
}

static double size_squared(const CairnManifoldPoint *points, int count) {
    double size = 0;
    for (int i = 1; i < count; ++i) {
        size = cairn_max(size, cairn_length_squared(cairn_sub(points[i].point, points[0].point)));
    }
    return size;
}

static int deepest(const CairnManifoldPoint *points, int count, double tolerance) {
    int best = 0;
    for (int i = 1; i < count; ++i) {
        if (points[i].distance < points[best].distance - tolerance) {
            best = i;
        }
    }
    return best;
}

static int farthest(const CairnManifoldPoint *points, int count, CairnVec3 from, double tolerance) {
    int best = -1;
    double best_distance = -1;
    for (int i = 0; i < count; ++i) {
        double distance = cairn_length_squared(cairn_sub(points[i].point, from));
        if (distance > best_distance + tolerance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

// The point with the largest signed area over the line from p to q; -1 when none is clearly on that side.
static int widest(const CairnManifoldPoint *points, int count, CairnVec3 p, CairnVec3 q, CairnVec3 normal,
                  double tolerance) {
    CairnVec3 across = cairn_cross(normal, cairn_sub(q, p));
    int best = -1;
    double best_area = 0;
    for (int i = 0; i < count; ++i) {
        double area = cairn_dot(across, cairn_sub(points[i].point, p));
        if (area > best_area + tolerance) {
            best = i;
            best_area = area;
        }
    }
    return best;
}

double cairn_box_lowest(const CairnManifoldPoint *points, int count) {
    double lowest = HUGE_VAL;
    for (int k = 0; k < count; ++k) {
        lowest = cairn_min(lowest, points[k].distance);
    }
    return lowest;
}

bool cairn_box_shift_depths(CairnManifoldPoint *points, int count, double depth, double tie) {
    double by = depth - cairn_box_lowest(points, count);
    if (!(fabs(by) <= LIKE_DEPTH * fabs(depth) + 2 * tie)) {
        return false;
    }
    for (int k = 0; k < count; ++k) {
        points[k].distance += by;
    }
    return true;
}

int cairn_box_nearer(CairnManifoldPoint *points, int count, double margin) {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (points[k].distance < margin) {
            points[kept++] = points[k];
        }
    }
    return kept;
}

// Keeps those of the points whose indices are listed (-1: none), in their order. Returns how many.
static int keep_chosen(CairnManifoldPoint *points, int count, const int *chosen, int chosen_count) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        bool is_chosen = false;
        for (int k = 0; k < chosen_count; ++k) {
            is_chosen = is_chosen || i == chosen[k];
        }
        if (is_chosen) {
            points[kept++] = points[i];
        }
    }
    return kept;
}

int cairn_box_span(CairnManifoldPoint *points, int count, CairnVec3 normal) {
    sort_by_feature(points, count);
    if (count <= 4) {
        return count;
    }
    CairnVec3 center = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        center = cairn_add_scaled(center, 1.0 / count, points[i].point);
    }
    double size = size_squared(points, count), tolerance = EQUAL_SPAN * size, tie = EQUAL_DEPTH * sqrt(size);
    int first = farthest(points, count, center, tolerance);
    CairnVec3 p = points[first].point;
    int second = farthest(points, count, p, tolerance);
    CairnVec3 q = points[second].point;
    int chosen[5] = {first, second, widest(points, count, p, q, normal, tolerance),
                     widest(points, count, q, p, normal, tolerance), deepest(points, count, 0)};
    double lowest = HUGE_VAL;
    for (int k = 0; k < 4; ++k) {
        lowest = chosen[k] >= 0 ? cairn_min(lowest, points[chosen[k]].distance) : lowest;
    }
    double by = points[chosen[4]].distance - lowest;
    int kept = keep_chosen(points, count, chosen, by < -tie ? 5 : 4);
    for (int i = 0; i < kept && by >= -tie && by < 0; ++i) {
        points[i].distance += by;
    }
    return kept;
}

int cairn_box_reduce(CairnManifoldPoint *points, int count, CairnVec3 normal) {
    sort_by_feature(points, count);
    if (count <= 4) {
        return count;
    }
    double size = size_squared(points, count), tolerance = EQUAL_SPAN * size;
    int first = deepest(points, count, EQUAL_DEPTH * sqrt(size));
    CairnVec3 p = points[first].point;
    int second = farthest(points, count, p, tolerance);
    CairnVec3 q = points[second].point;
    int chosen[4] = {first, second, widest(points, count, p, q, normal, tolerance),
                     widest(points, count, q, p, normal, tolerance)};
    // The first ties with the very deepest point and represents it: all are shifted to that depth, as in
    // cairn_box_shift_depths.
    double by = cairn_box_lowest(points, count);
    int kept = keep_chosen(points, count, chosen, 4);
    by -= cairn_box_lowest(points, kept);
    for (int i = 0; i < kept; ++i) {
        points[i].distance += by;
    }
    return kept;
}
