// From points to a hull: triangles, merged into polygons where they lie in one plane, until every remaining vertex is a
// corner.
//
// Points from files in single precision miss their plane by 6e-8 of their size; a face cut into slivers by that would
// touch with one of them only. So neighbours within MERGE of one plane are one face, and a vertex that then has fewer
// than three faces is no corner. Without those the hull is built again from what is kept, until nothing changes: then
// the same vertices give the same hull, bit for bit.
#include "collision/shapes/hull.h"
#include "collision/shapes/hull_topology.h"
#include "engine/base/memory.h"
#include <stdlib.h>
#include <string.h>

// Fraction of the extent.
#define MERGE 2e-7

typedef struct Sized {
    double area;
    int triangle;
} Sized;

static int larger_first(const void *a, const void *b) {
    const Sized *p = a, *q = b;
    return p->area > q->area ? -1 : p->area < q->area ? 1 : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static bool is_in_plane(const CairnVec3 *points, const CairnHullTriangle *t, CairnVec3 normal, double offset,
                        double tolerance) {
    for (int i = 0; i < 3; ++i) {
        if (fabs(cairn_dot(normal, points[t->v[i]]) - offset) > tolerance) {
            return false;
        }
    }
    return true;
}

// The triangles joined to `seed`: all that can be reached within its plane.
static void flood(const CairnVec3 *points, const CairnHullTriangle *triangles, int seed, int number, double tolerance,
                  int *regions, int *stack) {
    CairnVec3 normal = triangles[seed].normal;
    double offset = triangles[seed].offset;
    int count = 1;
    stack[0] = seed;
    regions[seed] = number;
    while (count > 0) {
        const CairnHullTriangle *t = &triangles[stack[--count]];
        for (int i = 0; i < 3; ++i) {
            int other = t->neighbor[i];
            if (regions[other] < 0 && is_in_plane(points, &triangles[other], normal, offset, tolerance)) {
                regions[other] = number;
                stack[count++] = other;
            }
        }
    }
}

// Number the faces, from the largest triangles on: their planes are the surest. Returns how many; -1: no memory.
static int merge(const CairnVec3 *points, const CairnHullTriangle *triangles, int count, double tolerance,
                 const CairnAllocator *allocator, int *regions) {
    Sized *order = cairn_memory_allocate(allocator, (size_t)count, sizeof *order);
    int *stack = cairn_memory_allocate(allocator, (size_t)count, sizeof *stack), alive = 0, number = 0;
    if (order != NULL && stack != NULL) {
        for (int t = 0; t < count; ++t) {
            regions[t] = -1;
            if (triangles[t].is_alive) {
                const int *v = triangles[t].v;
                CairnVec3 p = points[v[0]];
                CairnVec3 cross = cairn_cross(cairn_sub(points[v[1]], p), cairn_sub(points[v[2]], p));
                order[alive++] = (Sized){cairn_length(cross), t};
            }
        }
        qsort(order, (size_t)alive, sizeof *order, larger_first);
        for (int k = 0; k < alive; ++k) {
            if (regions[order[k].triangle] < 0) {
                flood(points, triangles, order[k].triangle, number++, tolerance, regions, stack);
            }
        }
    } else {
        number = -1;
    }
    cairn_memory_release(allocator, order, (size_t)count, sizeof *order);
    cairn_memory_release(allocator, stack, (size_t)count, sizeof *stack);
    return number;
}

// Keep the points at which at least three faces meet, in their order. Returns how many.
static int select_corners(const CairnHullTriangle *triangles, int count, const int *regions, CairnVec3 *points,
                          int point_count, int *degrees) {
    memset(degrees, 0, (size_t)point_count * sizeof *degrees);
    for (int t = 0; t < count; ++t) {
        for (int i = 0; i < 3 && triangles[t].is_alive; ++i) {
            degrees[triangles[t].v[i]] += regions[t] != regions[triangles[t].neighbor[i]] ? 1 : 0;
        }
    }
    int kept = 0;
    for (int p = 0; p < point_count; ++p) {
        if (degrees[p] >= 3) {
            points[kept++] = points[p];
        }
    }
    return kept;
}

// One round: triangles, faces, corners. *hull is made when every point proved a corner; else *count falls.
static CairnStatus build_round(CairnVec3 *points, int *count, const CairnAllocator *allocator, CairnHull **hull) {
    CairnHullTriangle *triangles = NULL;
    int triangle_count = 0, capacity = 0, *regions = NULL, *degrees = NULL, total = *count;
    double extent;
    CairnStatus status =
        cairn_hull_triangulate(points, total, allocator, &triangles, &triangle_count, &capacity, &extent);
    if (!cairn_is_ok(status)) {
        goto done;
    }
    status = cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", total);
    regions = cairn_memory_allocate(allocator, (size_t)triangle_count, sizeof *regions);
    degrees = cairn_memory_allocate(allocator, (size_t)total, sizeof *degrees);
    int face_count = -1;
    if (regions != NULL && degrees != NULL) {
        face_count = merge(points, triangles, triangle_count, MERGE * extent, allocator, regions);
    }
    if (face_count < 0) {
        goto done;
    }
    *count = select_corners(triangles, triangle_count, regions, points, total, degrees);
    status = cairn_ok();
    if (*count == total && total <= CAIRN_HULL_VERTICES) {
        status = cairn_hull_topology(points, total, triangles, triangle_count, regions, face_count, allocator, hull);
    }
done:
    cairn_memory_release(allocator, triangles, (size_t)capacity, sizeof *triangles);
    cairn_memory_release(allocator, regions, (size_t)triangle_count, sizeof *regions);
    cairn_memory_release(allocator, degrees, (size_t)total, sizeof *degrees);
    return status;
}

static CairnStatus check_points(const CairnVec3 *points, int count) {
    if (points == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points of a hull = NULL");
    }
    if (count < 4) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: point_count = %d of a hull must be at least 4", count);
    }
    for (int i = 0; i < count; ++i) {
        if (!cairn_vec3_is_finite(points[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points[%d] = (%g, %g, %g) of a hull must be finite", i,
                               points[i].x, points[i].y, points[i].z);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_hull_build(const CairnVec3 *points, int count, const CairnAllocator *allocator, CairnHull **hull) {
    CAIRN_TRY(check_points(points, count));
    CairnVec3 *kept = cairn_memory_allocate(allocator, (size_t)count, sizeof *kept);
    if (kept == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", count);
    }
    memcpy(kept, points, (size_t)count * sizeof *kept);
    CairnHull *made = NULL;
    CairnStatus status = cairn_ok();
    int kept_count = count, before = 0;
    while (cairn_is_ok(status) && made == NULL && kept_count != before) {
        before = kept_count;
        if (kept_count < 4) {
            status =
                cairn_error(CAIRN_INVALID_ARGUMENT,
                            "shape: points of a hull: all %d lie in one plane (to %g of their extent)", count, MERGE);
        } else {
            status = build_round(kept, &kept_count, allocator, &made);
        }
    }
    cairn_memory_release(allocator, kept, (size_t)count, sizeof *kept);
    if (cairn_is_ok(status) && made == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points of a hull: %d of them are corners, at most %d may be",
                           kept_count, (int)CAIRN_HULL_VERTICES);
    }
    *hull = made;
    return status;
}
