// Lines on cylinders: along another line, over a cap.
#include "collision/pairs/cylinder_frame.h"

// Lines that cross at a larger angle (sine) touch in one point.
#define NEARLY_PARALLEL 0.05
// Two lines that diverge sideways by y leave a gap of about y^2 / (2 R), R the sum of the radii: their contact reaches
// to where that is this fraction of R.
#define SAGITTA 2.5e-5
// A line's end on a cap's rim may be off it by this fraction, for rounding.
#define TOUCHES 1e-9
// A chord whose half is less than this fraction of the cap's radius is one point, the optimum's. The half is a root,
// and the nearer it is to 0 the farther rounding moves the chord's ends: at 1e-4 by 1e-12 of the size.
#define SHORT 1e-3

CairnCylinderFrame cairn_cylinder_frame(const CairnGeometry *cylinder, CairnTransform pose, CairnVec3 center) {
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    return (CairnCylinderFrame){.center = center,
                                .axis = {r.m[0][2], r.m[1][2], r.m[2][2]},
                                .x = {r.m[0][0], r.m[1][0], r.m[2][0]},
                                .y = {r.m[0][1], r.m[1][1], r.m[2][1]},
                                .radius = cylinder->radius,
                                .half = cylinder->half_height};
}

CairnLine cairn_cylinder_line(const CairnCylinderFrame *cylinder) {
    return (CairnLine){cylinder->center,
                       cylinder->axis,
                       cylinder->half,
                       cylinder->radius,
                       {cairn_cylinder_rim(false, 0), cairn_cylinder_rim(true, 0)},
                       cairn_cylinder_side(0)};
}

CairnCap cairn_cylinder_cap_towards(const CairnCylinderFrame *cylinder, CairnVec3 direction) {
    bool is_positive = cairn_dot(cylinder->axis, direction) > 0;
    CairnVec3 out = is_positive ? cylinder->axis : cairn_neg(cylinder->axis);
    return (CairnCap){cairn_add_scaled(cylinder->center, cylinder->half, out), out, cylinder->radius, is_positive};
}

void cairn_cylinder_rim_points(const CairnCylinderFrame *cylinder, const CairnCap *cap, CairnVec3 direction,
                               bool is_flat, CairnVec3 points[4]) {
    CairnVec3 x = cylinder->x, y = cylinder->y;
    if (!is_flat) {
        CairnVec3 across = cairn_add_scaled(direction, -cairn_dot(direction, cylinder->axis), cylinder->axis);
        double length = cairn_length(across);
        x = length > 1e-9 ? cairn_scale(1 / length, across) : x;
        y = cairn_cross(cylinder->axis, x);
    }
    points[0] = cairn_add_scaled(cap->center, cap->radius, x);
    points[1] = cairn_add_scaled(cap->center, cap->radius, y);
    points[2] = cairn_add_scaled(cap->center, -cap->radius, x);
    points[3] = cairn_add_scaled(cap->center, -cap->radius, y);
}

void cairn_patch_add(CairnPatch *patch, CairnVec3 on_first, double distance, uint32_t first, uint32_t second) {
    if (!(distance < patch->margin) || patch->count == CAIRN_CLIP_POINTS) {
        return;
    }
    patch->points[patch->count++] = (CairnManifoldPoint){cairn_add_scaled(on_first, 0.5 * distance, patch->normal),
                                                         distance, cairn_box_features(first, second)};
}

void cairn_patch_add_second(CairnPatch *patch, CairnVec3 on_second, double distance, uint32_t first, uint32_t second) {
    cairn_patch_add(patch, cairn_add_scaled(on_second, -distance, patch->normal), distance, first, second);
}

bool cairn_patch_deepen(CairnPatch *patch, double distance, double radius) {
    double least = HUGE_VAL;
    for (int k = 0; k < patch->count; ++k) {
        least = cairn_min(least, patch->points[k].distance);
    }
    if (!(least - distance < 4 * SAGITTA * radius)) {
        return patch->count == CAIRN_CLIP_POINTS;
    }
    for (int k = 0; k < patch->count && least > distance; ++k) {
        patch->points[k].distance += distance - least;
    }
    return true;
}

// ---- line along line ----

// The direction, across the line's axis, in which its surface looks along n.
static CairnVec3 looks(const CairnLine *line, CairnVec3 n) {
    return cairn_normalize_or(cairn_add_scaled(n, -cairn_dot(n, line->axis), line->axis), n);
}

// How far from x along n the line's surface begins.
static double to_side(const CairnLine *line, CairnVec3 x, CairnVec3 n) {
    CairnVec3 r = cairn_sub(x, line->center);
    r = cairn_add_scaled(r, -cairn_dot(r, line->axis), line->axis);
    CairnVec3 m = cairn_add_scaled(n, -cairn_dot(n, line->axis), line->axis);
    double mm = cairn_dot(m, m), rm = cairn_dot(r, m);
    // Half the chord squared, from the distance of the ray to the axis.
    CairnVec3 nearest = cairn_add_scaled(r, -rm / mm, m);
    double chord = line->radius * line->radius - cairn_dot(nearest, nearest);
    return (-rm - sqrt(cairn_max(chord, 0.0) * mm)) / mm;
}

typedef struct LineEnd {
    double s;
    uint32_t first, second;
} LineEnd;

// The end of what both lines have: that of the first, that of the second (at s along the first), or where they coincide
// both.
static LineEnd common_end(const CairnLine *first, const CairnLine *second, bool is_high, double first_s,
                          double second_s, uint32_t second_end, double tolerance) {
    LineEnd end = {first_s, first->ends[is_high], second_end};
    double beyond = is_high ? second_s - first_s : first_s - second_s; // how far the second goes beyond the first
    if (beyond > tolerance) {
        end.second = second->side;
    } else if (beyond < -tolerance) {
        end.first = first->side;
    }
    end.s = beyond < 0 ? second_s : first_s;
    return end;
}

// Two lines as seen along the normal: x along the first, y sideways.
typedef struct LineView {
    CairnVec3 m, x, y;     // m: the direction in which the first looks
    double scale;          // of the first: x = scale s
    double along, drift;   // of the second's axis
    double base_x, base_y; // of the second's middle, seen from the first's
} LineView;

static LineView view_lines(const CairnLine *first, const CairnLine *second, CairnVec3 n) {
    LineView view = {.m = looks(first, n)};
    view.x = cairn_normalize(cairn_add_scaled(first->axis, -cairn_dot(first->axis, n), n));
    view.y = cairn_cross(view.x, n);
    view.scale = cairn_dot(first->axis, view.x);
    view.along = cairn_dot(second->axis, view.x);
    view.drift = cairn_dot(second->axis, view.y);
    CairnVec3 base = cairn_sub(cairn_add_scaled(second->center, -second->radius, looks(second, n)),
                               cairn_add_scaled(first->center, first->radius, view.m));
    view.base_x = cairn_dot(base, view.x);
    view.base_y = cairn_dot(base, view.y);
    return view;
}

static void add_on_lines(CairnPatch *patch, const CairnLine *first, const CairnLine *second, const LineView *view,
                         double offset, const LineEnd *end) {
    double reach = first->radius + second->radius;
    double sine = cairn_clamp(reach > 0 ? offset / reach : 0, -1, 1); // both surfaces lean to the middle alike
    CairnVec3 p = cairn_add_scaled(first->center, end->s / view->scale, first->axis);
    p = cairn_add_scaled(p, first->radius * sqrt(1 - sine * sine), view->m);
    p = cairn_add_scaled(p, first->radius * sine, view->y);
    cairn_patch_add(patch, p, to_side(second, p, patch->normal), end->first, end->second);
}

bool cairn_patch_lines(CairnPatch *patch, const CairnLine *first, const CairnLine *second, CairnVec3 orient) {
    LineView view = view_lines(first, second, patch->normal);
    if (fabs(view.drift) > NEARLY_PARALLEL * fabs(view.along)) {
        return false;
    }
    double slope = view.drift / view.along, offset = view.base_y - slope * view.base_x; // y = offset + slope x
    bool is_turned = view.along < 0;
    double half = second->half * fabs(view.along),
           tolerance = CAIRN_CYLINDER_RIM * cairn_min(first->half, second->half);
    double half_length = first->half * view.scale;
    LineEnd ends[2] = {
        common_end(first, second, false, -half_length, view.base_x - half, second->ends[is_turned], tolerance),
        common_end(first, second, true, half_length, view.base_x + half, second->ends[!is_turned], tolerance)};
    double reach = sqrt(2 * SAGITTA) * (first->radius + second->radius);
    if (fabs(slope) * (ends[1].s - ends[0].s) > 1e-3 * reach) { // cut where they are too far apart sideways
        double center = -offset / slope, width = reach / fabs(slope);
        for (int k = 0; k < 2; ++k) {
            double cut = k == 0 ? center - width : center + width;
            if (k == 0 ? cut > ends[k].s : cut < ends[k].s) {
                int slot = (cairn_dot(first->axis, orient) > 0) == (k == 1) ? 2 : 1;
                ends[k] = (LineEnd){cut, first->side | (uint32_t)slot, second->side | (uint32_t)slot};
            }
        }
    }
    if (!(ends[0].s <= ends[1].s + tolerance) || fabs(offset + slope * ends[0].s) > 2 * reach) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        add_on_lines(patch, first, second, &view, offset + slope * ends[k].s, &ends[k]);
    }
    return patch->count > 0;
}

// ---- line over cap ----

void cairn_patch_line_cap(CairnPatch *patch, const CairnLine *line, const CairnCap *cap, bool is_swapped) {
    // The line's points p + s axis, each cast along the normal to q + s d in the cap's plane, seen from its centre.
    CairnVec3 n = patch->normal, towards = is_swapped ? n : cairn_neg(n);
    CairnVec3 p = cairn_add_scaled(line->center, line->radius, looks(line, towards));
    double t0 = cairn_cast(p, n, cap->center, cap->out);
    double slope = -cairn_dot(line->axis, cap->out) / cairn_dot(n, cap->out);
    CairnVec3 q = cairn_sub(cairn_add_scaled(p, t0, n), cap->center), d = cairn_add_scaled(line->axis, slope, n);
    double dd = cairn_dot(d, d), qd = cairn_dot(q, d);
    double nearest = -qd / dd;
    CairnVec3 foot = cairn_add_scaled(q, nearest, d);
    double chord = cap->radius * cap->radius - cairn_dot(foot, foot);
    if (!(chord > SHORT * SHORT * cap->radius * cap->radius)) {
        return;
    }
    chord = sqrt(chord / dd);
    double tolerance = CAIRN_CYLINDER_RIM * cairn_min(line->half, cap->radius);
    uint32_t rim = cairn_cylinder_rim(cap->is_positive, 0), face = cairn_cylinder_cap(cap->is_positive, 0);
    for (int k = 0; k < 2; ++k) {
        double cut = k == 0 ? nearest - chord : nearest + chord, end = k == 0 ? -line->half : line->half;
        bool is_cut = k == 0 ? cut > end + tolerance : cut < end - tolerance;
        double s = k == 0 ? cairn_max(cut, end) : cairn_min(cut, end);
        if (fabs(s) > line->half * (1 + TOUCHES) || fabs(s - nearest) > chord + TOUCHES * line->half) {
            return; // the line ends before the cap begins
        }
        double distance = t0 + s * slope;
        uint32_t on_line = is_cut ? line->side | (k == 0 ? 1u : 2u) : line->ends[k], on_cap = is_cut ? rim : face;
        CairnVec3 x = cairn_add_scaled(p, s, line->axis);
        if (is_swapped) {
            cairn_patch_add(patch, x, distance, on_line, on_cap);
        } else {
            cairn_patch_add_second(patch, x, -distance, on_cap, on_line);
        }
    }
}
