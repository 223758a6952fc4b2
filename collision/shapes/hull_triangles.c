// The triangles of a convex hull: quickhull. The farthest point outside goes in next; what it sees goes out.
//
// Which triangles a point sees is decided without error (hull_exact.c), so the triangles always make a closed convex
// surface. Points within SKIN of it count as inside: farthest first, so what matters is in before noise is looked at.
#include "collision/shapes/hull.h"
#include "engine/base/memory.h"

// Fraction of the extent: well above the rounding of turned coordinates, well below what is seen.
#define SKIN 1e-11
// Points whose spread is less than this fraction of the extent count as flat.
#define FLAT 1e-6

typedef struct Builder {
    const CairnVec3 *points;
    int count;
    const CairnAllocator *allocator;
    CairnHullTriangle *triangles;
    int triangle_count, capacity, first_free;
    int *next_point; // lists of points outside a triangle; -1 ends one
    int *starts;     // at a vertex of the horizon: the new triangle whose edge begins there
    int *stack;      // triangles to look at
    int stack_capacity;
    int mark;
    double skin, extent;
} Builder;

static const char *const flat_names[3] = {"at one place", "in one line", "in one plane"};

static CairnStatus refuse_flat(int dimension, int count) {
    return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points of a hull: all %d lie %s (to %g of their extent)", count,
                       flat_names[dimension], FLAT);
}

static double *component(CairnVec3 *v, int i) {
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

// The two farthest apart of the six extreme points along the axes.
static double first_two(Builder *b, int seed[4]) {
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int i = 1; i < b->count; ++i) {
        CairnVec3 p = b->points[i];
        for (int k = 0; k < 3; ++k) {
            CairnVec3 l = b->points[low[k]], h = b->points[high[k]];
            low[k] = *component(&p, k) < *component(&l, k) ? i : low[k];
            high[k] = *component(&p, k) > *component(&h, k) ? i : high[k];
        }
    }
    b->extent = 0;
    double best = -1;
    for (int k = 0; k < 3; ++k) {
        CairnVec3 l = b->points[low[k]], h = b->points[high[k]];
        b->extent = cairn_max(b->extent, *component(&h, k) - *component(&l, k));
        double squared = cairn_length_squared(cairn_sub(h, l));
        if (squared > best) {
            best = squared;
            seed[0] = low[k];
            seed[1] = high[k];
        }
    }
    return b->extent;
}

// The point farthest from the line or plane through the seeds; *distance receives its distance.
static int farthest_from(const Builder *b, const int seed[4], int dimension, double *distance) {
    CairnVec3 origin = b->points[seed[0]], u = cairn_normalize(cairn_sub(b->points[seed[1]], origin));
    CairnVec3 n = {0, 0, 0};
    if (dimension == 2) {
        n = cairn_normalize(cairn_cross(u, cairn_sub(b->points[seed[2]], origin)));
    }
    int best = 0;
    *distance = -1;
    for (int i = 0; i < b->count; ++i) {
        CairnVec3 d = cairn_sub(b->points[i], origin);
        double away = dimension == 1 ? cairn_length(cairn_cross(u, d)) : fabs(cairn_dot(n, d));
        if (away > *distance) {
            *distance = away;
            best = i;
        }
    }
    return best;
}

static void set_plane(const Builder *b, CairnHullTriangle *t) {
    CairnVec3 p = b->points[t->v[0]], q = b->points[t->v[1]], r = b->points[t->v[2]];
    t->normal = cairn_normalize_or(cairn_cross(cairn_sub(q, p), cairn_sub(r, p)), (CairnVec3){0, 0, 0});
    t->offset = cairn_dot(t->normal, p);
}

static int new_triangle(Builder *b, int p, int q, int r) {
    int index = b->first_free;
    if (index >= 0) {
        b->first_free = b->triangles[index].next_free;
    } else {
        if (!cairn_memory_reserve(b->allocator, &b->triangles, &b->capacity, b->triangle_count + 1,
                                  sizeof(CairnHullTriangle))) {
            return -1;
        }
        index = b->triangle_count++;
    }
    CairnHullTriangle *t = &b->triangles[index];
    *t = (CairnHullTriangle){.v = {p, q, r}, .first_point = -1, .farthest = -1, .mark = 0, .is_alive = true};
    set_plane(b, t);
    return index;
}

// Hand a point to the triangle among `candidates` (NULL: all of them) that it is farthest from outside, if to any.
static void hand_out(Builder *b, int point, const int *candidates, int candidate_count) {
    int best = -1;
    double best_distance = b->skin;
    for (int k = 0; k < candidate_count; ++k) {
        int index = candidates != NULL ? candidates[k] : k;
        const CairnHullTriangle *t = &b->triangles[index];
        double distance = t->is_alive ? cairn_dot(t->normal, b->points[point]) - t->offset : -1;
        if (distance > best_distance) {
            best_distance = distance;
            best = index;
        }
    }
    if (best < 0) {
        return; // inside, for good: the hull only grows
    }
    CairnHullTriangle *t = &b->triangles[best];
    b->next_point[point] = t->first_point;
    t->first_point = point;
    if (best_distance > t->far_distance) {
        t->far_distance = best_distance;
        t->farthest = point;
    }
}

static CairnStatus start(Builder *b) {
    int seed[4];
    double distance, largest = first_two(b, seed), largest_coordinate = 0;
    for (int i = 0; i < b->count; ++i) {
        CairnVec3 p = b->points[i];
        largest_coordinate = cairn_max(largest_coordinate, cairn_max(fabs(p.x), cairn_max(fabs(p.y), fabs(p.z))));
    }
    if (!(largest > 1e-13 * largest_coordinate)) {
        return refuse_flat(0, b->count);
    }
    b->skin = cairn_max(SKIN * b->extent, 8e-16 * largest_coordinate);
    for (int dimension = 1; dimension <= 2; ++dimension) {
        seed[dimension + 1] = farthest_from(b, seed, dimension, &distance);
        if (!(distance > FLAT * b->extent)) {
            return refuse_flat(dimension, b->count);
        }
    }
    if (cairn_orient(b->points[seed[0]], b->points[seed[1]], b->points[seed[2]], b->points[seed[3]]) > 0) {
        int kept = seed[1];
        seed[1] = seed[2];
        seed[2] = kept;
    }
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int neighbors[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int k = 0; k < 4; ++k) {
        int t = new_triangle(b, seed[corners[k][0]], seed[corners[k][1]], seed[corners[k][2]]);
        if (t < 0) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", b->count);
        }
        for (int i = 0; i < 3; ++i) {
            b->triangles[t].neighbor[i] = neighbors[k][i];
        }
    }
    for (int i = 0; i < b->count; ++i) {
        if (i != seed[0] && i != seed[1] && i != seed[2] && i != seed[3]) {
            hand_out(b, i, NULL, b->triangle_count);
        }
    }
    return cairn_ok();
}

static bool sees(const Builder *b, int triangle, int point) {
    const int *v = b->triangles[triangle].v;
    return cairn_orient(b->points[v[0]], b->points[v[1]], b->points[v[2]], b->points[point]) > 0;
}

static int edge_towards(const CairnHullTriangle *t, int neighbor) {
    return t->neighbor[0] == neighbor ? 0 : t->neighbor[1] == neighbor ? 1 : 2;
}

// Every triangle that the point sees, from one of them on; they are left on the stack. -1: no memory.
static int find_visible(Builder *b, int first, int point) {
    int count = 1;
    b->mark += 1;
    b->stack[0] = first;
    b->triangles[first].mark = b->mark;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            int other = b->triangles[b->stack[k]].neighbor[i];
            if (b->triangles[other].mark != b->mark && sees(b, other, point)) {
                if (!cairn_memory_reserve(b->allocator, &b->stack, &b->stack_capacity, count + 1, sizeof(int))) {
                    return -1;
                }
                b->triangles[other].mark = b->mark;
                b->stack[count++] = other;
            }
        }
    }
    return count;
}

// A triangle over every edge of the horizon, linked round the new point. Returns how many, put on the stack after the
// visible ones; -1: no memory.
static int close_horizon(Builder *b, int visible_count, int point) {
    int made = 0;
    for (int k = 0; k < visible_count; ++k) {
        int old = b->stack[k];
        for (int i = 0; i < 3; ++i) {
            int outer = b->triangles[old].neighbor[i];
            if (b->triangles[outer].mark == b->mark) {
                continue;
            }
            int u = b->triangles[old].v[i], v = b->triangles[old].v[(i + 1) % 3];
            int fresh = new_triangle(b, u, v, point);
            if (fresh < 0 || !cairn_memory_reserve(b->allocator, &b->stack, &b->stack_capacity,
                                                   visible_count + made + 1, sizeof(int))) {
                return -1;
            }
            b->triangles[fresh].neighbor[0] = outer;
            b->triangles[outer].neighbor[edge_towards(&b->triangles[outer], old)] = fresh;
            b->starts[u] = fresh;
            b->stack[visible_count + made++] = fresh;
        }
    }
    for (int k = 0; k < made; ++k) {
        int t = b->stack[visible_count + k], following = b->starts[b->triangles[t].v[1]];
        b->triangles[t].neighbor[1] = following;
        b->triangles[following].neighbor[2] = t;
    }
    return made;
}

static CairnStatus insert(Builder *b, int triangle, int point) {
    int visible_count = find_visible(b, triangle, point);
    int made = visible_count < 0 ? -1 : close_horizon(b, visible_count, point);
    if (made < 0) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", b->count);
    }
    for (int k = 0; k < visible_count; ++k) {
        CairnHullTriangle *old = &b->triangles[b->stack[k]];
        old->is_alive = false;
        for (int p = old->first_point, next; p >= 0; p = next) {
            next = b->next_point[p];
            if (p != point) {
                hand_out(b, p, b->stack + visible_count, made);
            }
        }
    }
    for (int k = 0; k < visible_count; ++k) {
        b->triangles[b->stack[k]].next_free = b->first_free;
        b->first_free = b->stack[k];
    }
    return cairn_ok();
}

// The farthest point of all that are outside, and a triangle that it is outside of; false: none is left.
static bool farthest_outside(const Builder *b, int *triangle) {
    double best = 0;
    *triangle = -1;
    for (int t = 0; t < b->triangle_count; ++t) {
        if (b->triangles[t].is_alive && b->triangles[t].first_point >= 0 && b->triangles[t].far_distance > best) {
            best = b->triangles[t].far_distance;
            *triangle = t;
        }
    }
    return *triangle >= 0;
}

// The plane of a sliver is not to be trusted: where it called a point outside that is not, that point looks for
// another.
static void take_back(Builder *b, int triangle, int point) {
    CairnHullTriangle *t = &b->triangles[triangle];
    int list = t->first_point, sees_other = -1;
    t->first_point = t->farthest = -1;
    t->far_distance = 0;
    for (int p = list, next; p >= 0; p = next) {
        next = b->next_point[p];
        if (p != point) {
            hand_out(b, p, &triangle, 1);
        }
    }
    for (int k = 0; k < b->triangle_count && sees_other < 0; ++k) {
        if (b->triangles[k].is_alive && k != triangle && sees(b, k, point) &&
            cairn_dot(b->triangles[k].normal, b->points[point]) - b->triangles[k].offset > b->skin) {
            sees_other = k;
        }
    }
    if (sees_other >= 0) {
        hand_out(b, point, &sees_other, 1);
    }
}

CairnStatus cairn_hull_triangulate(const CairnVec3 *points, int count, const CairnAllocator *allocator,
                                   CairnHullTriangle **triangles, int *triangle_count, int *capacity, double *extent) {
    Builder b = {.points = points, .count = count, .allocator = allocator, .first_free = -1};
    CairnStatus status = cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", count);
    b.next_point = cairn_memory_allocate(allocator, (size_t)count, sizeof(int));
    b.starts = cairn_memory_allocate(allocator, (size_t)count, sizeof(int));
    if (b.next_point != NULL && b.starts != NULL &&
        cairn_memory_reserve(allocator, &b.stack, &b.stack_capacity, 64, sizeof(int))) {
        status = start(&b);
    }
    for (int t; cairn_is_ok(status) && farthest_outside(&b, &t);) {
        int point = b.triangles[t].farthest;
        if (sees(&b, t, point)) {
            status = insert(&b, t, point);
        } else {
            take_back(&b, t, point);
        }
    }
    cairn_memory_release(allocator, b.next_point, (size_t)count, sizeof(int));
    cairn_memory_release(allocator, b.starts, (size_t)count, sizeof(int));
    cairn_memory_release(allocator, b.stack, (size_t)b.stack_capacity, sizeof(int));
    *triangles = b.triangles;
    *triangle_count = b.triangle_count;
    *capacity = b.capacity;
    *extent = b.extent;
    return status;
}
