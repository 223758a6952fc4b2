// From points and indices to a surface: corners that coincide are one, triangles know their neighbours, those in one
// plane are a flat, edges know whether they stand out.
#include "collision/shapes/mesh.h"
#include "engine/base/memory.h"
#include <stdlib.h>
#include <string.h>

#define LARGEST_COORDINATE 1e9
// Twice the area over the square of the longest side below which a triangle has no direction to rely on.
#define SLIVER 1e-12
// Neighbours are in one plane when their corners are, to this fraction of the largest coordinate, and their normals
// agree to 1e-5 rad.
#define IN_PLANE 1e-10
#define SAME_NORMAL (1 - 5e-11)

// ---- the check ----

static CairnStatus check_counts(const CairnShapeDef *def) {
    if (def->points == NULL || def->indices == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: %s of a mesh = NULL",
                           def->points == NULL ? "points" : "indices");
    }
    if (def->point_count < 3) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: point_count = %d of a mesh must be at least 3",
                           def->point_count);
    }
    if (def->index_count < 3 || def->index_count % 3 != 0 || def->index_count / 3 > CAIRN_MESH_TRIANGLES) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: index_count = %d of a mesh must be 3 for each triangle, 3 to %d", def->index_count,
                           3 * CAIRN_MESH_TRIANGLES);
    }
    return cairn_ok();
}

static CairnVec3 area_vector(CairnVec3 a, CairnVec3 b, CairnVec3 c) {
    return cairn_cross(cairn_sub(b, a), cairn_sub(c, a));
}

static CairnStatus check_triangle(const CairnShapeDef *def, int t) {
    const int *v = def->indices + 3 * (ptrdiff_t)t;
    for (int k = 0; k < 3; ++k) {
        if (v[k] < 0 || v[k] >= def->point_count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "shape: indices[%d] = %d of a mesh (triangle %d) must be in [0, %d]", 3 * t + k, v[k], t,
                               def->point_count - 1);
        }
    }
    CairnVec3 a = def->points[v[0]], b = def->points[v[1]], c = def->points[v[2]];
    double longest = cairn_max(cairn_length_squared(cairn_sub(b, a)),
                               cairn_max(cairn_length_squared(cairn_sub(c, b)), cairn_length_squared(cairn_sub(a, c))));
    double area = cairn_length(area_vector(a, b, c));
    if (!(area > SLIVER * longest) || !(area > 1e-280)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: triangle %d (indices %d, %d, %d) of a mesh is degenerate: it has no area", t, v[0],
                           v[1], v[2]);
    }
    return cairn_ok();
}

CairnStatus cairn_surface_check(const CairnShapeDef *def) {
    CAIRN_TRY(check_counts(def));
    for (int i = 0; i < def->point_count; ++i) {
        CairnVec3 p = def->points[i];
        if (!(cairn_max(fabs(p.x), cairn_max(fabs(p.y), fabs(p.z))) <= LARGEST_COORDINATE) ||
            !cairn_vec3_is_finite(p)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points[%d] = (%g, %g, %g) of a mesh must be in [%g, %g]",
                               i, p.x, p.y, p.z, -LARGEST_COORDINATE, LARGEST_COORDINATE);
        }
    }
    for (int t = 0; t < def->index_count / 3; ++t) {
        CAIRN_TRY(check_triangle(def, t));
    }
    return cairn_ok();
}

// ---- corners ----

typedef struct IndexedPoint {
    CairnVec3 p;
    int index;
} IndexedPoint;

static int compare_points(const void *a, const void *b) {
    const IndexedPoint *p = a, *q = b;
    const double x[3] = {p->p.x, p->p.y, p->p.z}, y[3] = {q->p.x, q->p.y, q->p.z};
    for (int i = 0; i < 3; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return (p->index > q->index) - (p->index < q->index);
}

// Points at the same position become one corner: joined[i] is the first of the points at the position of point i.
static void join_points(CairnSurface *s, IndexedPoint *indexed, int *joined) {
    for (int i = 0; i < s->point_count; ++i) {
        indexed[i] = (IndexedPoint){s->points[i], i};
    }
    qsort(indexed, (size_t)s->point_count, sizeof *indexed, compare_points);
    for (int i = 0; i < s->point_count; ++i) {
        bool is_same = i > 0 && indexed[i].p.x == indexed[i - 1].p.x && indexed[i].p.y == indexed[i - 1].p.y &&
                       indexed[i].p.z == indexed[i - 1].p.z;
        joined[indexed[i].index] = is_same ? joined[indexed[i - 1].index] : indexed[i].index;
    }
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            s->facets[t].v[k] = joined[s->indices[3 * (ptrdiff_t)t + k]];
        }
    }
}

// ---- edges ----

typedef struct Side {
    int low, high, triangle, k;
} Side;

static int compare_sides(const void *a, const void *b) {
    const Side *p = a, *q = b;
    const int x[4] = {p->low, p->high, p->triangle, p->k}, y[4] = {q->low, q->high, q->triangle, q->k};
    for (int i = 0; i < 4; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool runs_up(const CairnSurface *s, const Side *side) {
    return s->facets[side->triangle].v[side->k] == side->low;
}

static void join_sides(CairnSurface *s, Side *sides) {
    int count = 3 * s->triangle_count;
    for (int i = 0; i < count; ++i) {
        const int *v = s->facets[i / 3].v;
        int a = v[i % 3], b = v[(i + 1) % 3];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    s->edge_count = 0;
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && sides[end].low == sides[i].low && sides[end].high == sides[i].high;) {
            end += 1;
        }
        bool is_pair = end - i == 2 && runs_up(s, &sides[i]) != runs_up(s, &sides[i + 1]);
        for (int k = i; k < end; ++k) {
            CairnFacet *facet = &s->facets[sides[k].triangle];
            facet->edge[sides[k].k] = s->edge_count;
            facet->neighbor[sides[k].k] = is_pair ? sides[k == i ? i + 1 : i].triangle : -1;
        }
        s->edge_count += 1;
    }
}

// Two entries an edge. First the lengths of the rings at rings[v + 1], then where they begin, then the ends.
static void fill_rings(CairnSurface *s, const Side *sides, int *filled) {
    int count = 3 * s->triangle_count;
    memset(s->rings, 0, ((size_t)s->point_count + 1) * sizeof *s->rings);
    memset(filled, 0, (size_t)s->point_count * sizeof *filled);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            if (i > 0 && sides[i].low == sides[i - 1].low && sides[i].high == sides[i - 1].high) {
                continue;
            }
            const int ends[2] = {sides[i].low, sides[i].high};
            for (int k = 0; k < 2; ++k) {
                if (pass == 0) {
                    s->rings[ends[k] + 1] += 1;
                } else {
                    s->ring_ends[s->rings[ends[k]] + filled[ends[k]]++] = ends[1 - k];
                }
            }
        }
        for (int v = 0; pass == 0 && v < s->point_count; ++v) {
            s->rings[v + 1] += s->rings[v];
        }
    }
}

// ---- flats ----

static CairnVec3 normal_of(const CairnSurface *s, int triangle) {
    const int *v = s->facets[triangle].v;
    return cairn_normalize(area_vector(s->points[v[0]], s->points[v[1]], s->points[v[2]]));
}

static bool is_in_plane(const CairnSurface *s, const CairnFlat *flat, int triangle) {
    for (int k = 0; k < 3; ++k) {
        double height = cairn_dot(flat->normal, s->points[s->facets[triangle].v[k]]) - flat->offset;
        if (fabs(height) > IN_PLANE * s->extent) {
            return false;
        }
    }
    return cairn_dot(flat->normal, normal_of(s, triangle)) > SAME_NORMAL;
}

static void find_flats(CairnSurface *s, int *stack) {
    for (int t = 0; t < s->triangle_count; ++t) {
        s->facets[t].flat = -1;
    }
    s->flat_count = 0;
    for (int seed = 0; seed < s->triangle_count; ++seed) {
        if (s->facets[seed].flat >= 0) {
            continue;
        }
        CairnFlat flat = {normal_of(s, seed), 0};
        flat.offset = cairn_dot(flat.normal, s->points[s->facets[seed].v[0]]);
        s->facets[seed].flat = s->flat_count;
        int height = 0;
        stack[height++] = seed;
        while (height > 0) {
            const CairnFacet *facet = &s->facets[stack[--height]];
            for (int k = 0; k < 3; ++k) {
                int other = facet->neighbor[k];
                if (other >= 0 && s->facets[other].flat < 0 && is_in_plane(s, &flat, other)) {
                    s->facets[other].flat = s->flat_count;
                    stack[height++] = other; // each triangle once
                }
            }
        }
        s->flats[s->flat_count++] = flat;
    }
}

// The corner of the neighbour that is not on the edge lies below this triangle's plane on a ridge, above it in a
// valley.
static CairnEdgeKind kind_of(const CairnSurface *s, int triangle, int k) {
    const CairnFacet *facet = &s->facets[triangle];
    int other = facet->neighbor[k];
    if (other < 0) {
        return CAIRN_EDGE_OPEN;
    }
    if (s->facets[other].flat == facet->flat) {
        return CAIRN_EDGE_SEAM;
    }
    int p = facet->v[k], q = facet->v[(k + 1) % 3], far = s->facets[other].v[0];
    for (int i = 1; far == p || far == q; ++i) {
        far = s->facets[other].v[i];
    }
    CairnVec3 n = s->flats[facet->flat].normal;
    double height = cairn_dot(n, cairn_sub(s->points[far], s->points[p]));
    return height < -IN_PLANE * s->extent ? CAIRN_EDGE_CONVEX : CAIRN_EDGE_CONCAVE;
}

// From both sides alike: where both sides agree up to rounding, the edge counts as concave and makes no contacts.
static void find_kinds(CairnSurface *s) {
    memset(s->stands_out, 0, (size_t)s->point_count * sizeof *s->stands_out);
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            CairnEdgeKind kind = kind_of(s, t, k);
            int other = s->facets[t].neighbor[k];
            for (int i = 0; i < 3 && kind == CAIRN_EDGE_CONVEX; ++i) {
                if (s->facets[other].edge[i] == s->facets[t].edge[k]) {
                    kind = kind_of(s, other, i);
                    break;
                }
            }
            s->facets[t].kind[k] = (uint8_t)kind;
            if (kind >= CAIRN_EDGE_CONVEX) {
                s->stands_out[s->facets[t].v[k]] = s->stands_out[s->facets[t].v[(k + 1) % 3]] = true;
            }
        }
    }
}

static void find_corner_normals(CairnSurface *s) {
    memset(s->corner_normals, 0, (size_t)s->point_count * sizeof *s->corner_normals);
    for (int t = 0; t < s->triangle_count; ++t) {
        const int *v = s->facets[t].v;
        for (int k = 0; k < 3; ++k) {
            CairnVec3 p = s->points[v[k]], a = cairn_normalize(cairn_sub(s->points[v[(k + 1) % 3]], p));
            CairnVec3 b = cairn_normalize(cairn_sub(s->points[v[(k + 2) % 3]], p));
            double angle = atan2(cairn_length(cairn_cross(a, b)), cairn_dot(a, b));
            CairnVec3 *sum = &s->corner_normals[v[k]];
            *sum = cairn_add_scaled(*sum, angle, s->flats[s->facets[t].flat].normal);
        }
    }
}

// ---- memory: one block ----

static size_t take(size_t *total, size_t count, size_t size) {
    size_t at = *total;
    *total += (count * size + CAIRN_ALIGNMENT - 1) / CAIRN_ALIGNMENT * CAIRN_ALIGNMENT;
    return at;
}

static CairnSurface *allocate(const CairnShapeDef *def, const CairnAllocator *allocator) {
    size_t points = (size_t)def->point_count, triangles = (size_t)def->index_count / 3, total = 0;
    take(&total, 1, sizeof(CairnSurface));
    size_t at_points = take(&total, points, sizeof(CairnVec3)), at_indices = take(&total, 3 * triangles, sizeof(int));
    size_t at_facets = take(&total, triangles, sizeof(CairnFacet)),
           at_flats = take(&total, triangles, sizeof(CairnFlat));
    size_t at_normals = take(&total, points, sizeof(CairnVec3)), at_rings = take(&total, points + 1, sizeof(int));
    size_t at_ends = take(&total, 6 * triangles, sizeof(int)),
           at_nodes = take(&total, 2 * triangles, sizeof(CairnMeshNode));
    size_t at_order = take(&total, triangles, sizeof(int)), at_stands = take(&total, points, sizeof(bool));
    char *block = cairn_memory_allocate(allocator, total, 1);
    if (block == NULL) {
        return NULL;
    }
    CairnSurface *s = (void *)block;
    *s = (CairnSurface){.point_count = def->point_count, .triangle_count = (int)triangles, .bytes = total};
    s->points = (void *)(block + at_points);
    s->indices = (void *)(block + at_indices);
    s->facets = (void *)(block + at_facets);
    s->flats = (void *)(block + at_flats);
    s->corner_normals = (void *)(block + at_normals);
    s->rings = (void *)(block + at_rings);
    s->ring_ends = (void *)(block + at_ends);
    s->nodes = (void *)(block + at_nodes);
    s->order = (void *)(block + at_order);
    s->stands_out = (void *)(block + at_stands);
    memcpy(s->points, def->points, points * sizeof *s->points);
    memcpy(s->indices, def->indices, 3 * triangles * sizeof *s->indices);
    return s;
}

CairnStatus cairn_surface_make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnSurface **surface) {
    size_t points = (size_t)def->point_count, triangles = (size_t)def->index_count / 3;
    size_t most = points > triangles ? points : triangles;
    CairnSurface *s = allocate(def, allocator);
    IndexedPoint *indexed = cairn_memory_allocate(allocator, points, sizeof *indexed);
    Side *sides = cairn_memory_allocate(allocator, 3 * triangles, sizeof *sides);
    int *scratch = cairn_memory_allocate(allocator, most, sizeof *scratch);
    CairnStatus status = cairn_ok();
    if (s == NULL || indexed == NULL || sides == NULL || scratch == NULL) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a mesh of %zu triangles", triangles);
        cairn_surface_free(s, allocator);
    } else {
        for (int i = 0; i < s->point_count; ++i) {
            CairnVec3 p = s->points[i];
            s->extent = cairn_max(s->extent, cairn_max(fabs(p.x), cairn_max(fabs(p.y), fabs(p.z))));
        }
        join_points(s, indexed, scratch);
        join_sides(s, sides);
        fill_rings(s, sides, scratch);
        find_flats(s, scratch);
        find_kinds(s);
        find_corner_normals(s);
        cairn_surface_build_tree(s);
        *surface = s;
    }
    cairn_memory_release(allocator, indexed, points, sizeof *indexed);
    cairn_memory_release(allocator, sides, 3 * triangles, sizeof *sides);
    cairn_memory_release(allocator, scratch, most, sizeof *scratch);
    return status;
}

void cairn_surface_free(CairnSurface *surface, const CairnAllocator *allocator) {
    if (surface != NULL) {
        cairn_memory_release(allocator, surface, surface->bytes, 1);
    }
}
