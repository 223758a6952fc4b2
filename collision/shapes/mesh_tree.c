// The tree of boxes over a mesh's triangles, what a box meets of it, and what a ray does.
#include "collision/shapes/median.h"
#include "collision/shapes/mesh.h"

static CairnVec3 lower(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_min(a.x, b.x), cairn_min(a.y, b.y), cairn_min(a.z, b.z)};
}

static CairnVec3 upper(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_max(a.x, b.x), cairn_max(a.y, b.y), cairn_max(a.z, b.z)};
}

CairnAabb cairn_surface_triangle_box(const CairnSurface *s, int triangle) {
    const int *v = s->facets[triangle].v;
    CairnVec3 a = s->points[v[0]], b = s->points[v[1]], c = s->points[v[2]];
    return (CairnAabb){lower(a, lower(b, c)), upper(a, upper(b, c))};
}

// ---- building ----

static double middle_of(const CairnSurface *s, int triangle, int axis) {
    CairnAabb box = cairn_surface_triangle_box(s, triangle);
    return axis == 0 ? box.low.x + box.high.x : axis == 1 ? box.low.y + box.high.y : box.low.z + box.high.z;
}

// By middle, then by number: no two are equal, so the halves do not depend on how they are found.
static bool comes_before(const void *what, int a, int b, int axis) {
    const CairnSurface *s = what;
    double x = middle_of(s, a, axis), y = middle_of(s, b, axis);
    return x != y ? x < y : a < b;
}

static int longest_axis(CairnVec3 size) {
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

// While it is being built a node holds its range of triangles; an inner one then gets its children.
void cairn_surface_build_tree(CairnSurface *s) {
    for (int t = 0; t < s->triangle_count; ++t) {
        s->order[t] = t;
    }
    s->nodes[0] = (CairnMeshNode){.first = 0, .count = s->triangle_count};
    s->node_count = 1;
    for (int n = 0; n < s->node_count; ++n) {
        CairnMeshNode *node = &s->nodes[n];
        CairnVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = cairn_neg(low), low_middle = low, high_middle = high;
        for (int k = node->first; k < node->first + node->count; ++k) {
            CairnAabb box = cairn_surface_triangle_box(s, s->order[k]);
            CairnVec3 middle = cairn_add(box.low, box.high);
            low = lower(low, box.low);
            high = upper(high, box.high);
            low_middle = lower(low_middle, middle);
            high_middle = upper(high_middle, middle);
        }
        node->box = (CairnAabb){low, high};
        if (node->count > CAIRN_MESH_LEAF) {
            int half = node->count / 2, first = node->first, count = node->count;
            cairn_median_select(s->order, first, first + count, first + half, comes_before, s,
                                longest_axis(cairn_sub(high_middle, low_middle)));
            s->nodes[s->node_count] = (CairnMeshNode){.first = first, .count = half};
            s->nodes[s->node_count + 1] = (CairnMeshNode){.first = first + half, .count = count - half};
            node->first = s->node_count;
            node->count = 0;
            s->node_count += 2;
        }
    }
}

// ---- boxes ----

void cairn_mesh_walk_begin(const CairnSurface *surface, CairnAabb box, CairnMeshWalk *walk) {
    walk->surface = surface;
    walk->box = box;
    walk->stack[0] = 0;
    walk->height = 1;
    walk->at = walk->end = 0;
}

int cairn_mesh_walk_next(CairnMeshWalk *walk) {
    const CairnSurface *s = walk->surface;
    for (;;) {
        while (walk->at < walk->end) {
            int triangle = s->order[walk->at++];
            CairnAabb box = cairn_surface_triangle_box(s, triangle);
            if (cairn_aabbs_meet(&box, &walk->box)) {
                return triangle;
            }
        }
        if (walk->height == 0) {
            return -1;
        }
        const CairnMeshNode *node = &s->nodes[walk->stack[--walk->height]];
        if (!cairn_aabbs_meet(&node->box, &walk->box)) {
            continue;
        }
        if (node->count > 0) {
            walk->at = node->first;
            walk->end = node->first + node->count;
        } else { // the depth of a tree of medians is at most 26, and each level leaves one node behind
            walk->stack[walk->height++] = node->first + 1;
            walk->stack[walk->height++] = node->first;
        }
    }
}

// ---- rays ----

// Where a ray enters a box, or infinity.
static double entry(const CairnAabb *box, CairnVec3 origin, CairnVec3 direction) {
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    double enter = 0, exit = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        if (d[i] == 0) {
            if (o[i] < low[i] || o[i] > high[i]) {
                return HUGE_VAL;
            }
        } else {
            double first = (low[i] - o[i]) / d[i], last = (high[i] - o[i]) / d[i];
            enter = cairn_max(enter, cairn_min(first, last));
            exit = cairn_min(exit, cairn_max(first, last));
        }
    }
    // Rounding may miss a flat box by a hair: such a one is looked into.
    return enter <= exit + 1e-14 * (fabs(exit) + fabs(enter)) ? enter : HUGE_VAL;
}

// On which side of the edge from a to b does the ray pass? Neighbours ask with the corners in the same order and so get
// the same answer to the last bit, with the other sign: no ray slips between them.
static double side_of_edge(CairnVec3 direction, CairnVec3 a, CairnVec3 b, bool is_swapped) {
    return is_swapped ? -cairn_dot(direction, cairn_cross(b, a)) : cairn_dot(direction, cairn_cross(a, b));
}

// Through a corner the edges about it may answer to rounding as no single ray could: what is not sure counts as inside.
#define UNSURE 2e-15

static bool ray_triangle(const CairnSurface *s, int triangle, CairnVec3 origin, CairnVec3 direction, double *distance) {
    const CairnFacet *f = &s->facets[triangle];
    CairnVec3 p[3];
    double along[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        p[i] = cairn_sub(s->points[f->v[i]], origin);
    }
    for (int i = 0; i < 3; ++i) { // the weight of the corner across the edge
        int j = (i + 1) % 3;
        along[(i + 2) % 3] = side_of_edge(direction, p[i], p[j], f->v[i] > f->v[j]);
        double unsure = UNSURE * sqrt(cairn_length_squared(p[i]) * cairn_length_squared(p[j]));
        if (along[(i + 2) % 3] > unsure) {
            return false; // a ray against the normal sees its corners clockwise along itself: volumes <= 0
        }
        sum += along[(i + 2) % 3];
    }
    CairnVec3 n = s->flats[f->flat].normal;
    double speed = cairn_dot(n, direction);
    if (!(sum < 0) || !(speed < 0)) {
        return false;
    }
    *distance = cairn_dot(n, p[0]) / speed;
    return *distance >= 0;
}

bool cairn_surface_ray(const CairnSurface *s, CairnVec3 origin, CairnVec3 direction, double *distance,
                       CairnVec3 *normal, int *triangle) {
    int stack[64], height = 1, best = -1;
    double nearest = HUGE_VAL;
    stack[0] = 0;
    while (height > 0) {
        const CairnMeshNode *node = &s->nodes[stack[--height]];
        double enter = entry(&node->box, origin, direction);
        if (enter == HUGE_VAL || enter > nearest) {
            continue;
        }
        if (node->count == 0) {
            double first = entry(&s->nodes[node->first].box, origin, direction);
            double second = entry(&s->nodes[node->first + 1].box, origin, direction);
            bool is_second_nearer = second < first;
            stack[height++] = node->first + (is_second_nearer ? 0 : 1);
            stack[height++] = node->first + (is_second_nearer ? 1 : 0);
            continue;
        }
        for (int k = node->first; k < node->first + node->count; ++k) {
            double t;
            if (ray_triangle(s, s->order[k], origin, direction, &t) &&
                (t < nearest || (t == nearest && s->order[k] < best))) {
                nearest = t;
                best = s->order[k];
            }
        }
    }
    if (best >= 0) {
        *distance = nearest;
        *normal = s->flats[s->facets[best].flat].normal;
        *triangle = best;
    }
    return best >= 0;
}
