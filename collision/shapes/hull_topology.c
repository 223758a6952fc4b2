// The finished hull: one block of memory with vertices, planes, half-edges; its volume and moments.
#include "collision/shapes/hull_topology.h"
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include <string.h>

typedef struct Source {
    const CairnVec3 *points;
    const CairnHullTriangle *triangles;
    int triangle_count;
    int *regions;
    int *numbers; // 3 t + i: the half-edge of that side of triangle t, -1 inside a face
} Source;

static bool is_border(const Source *s, int t, int i) {
    return s->regions[t] != s->regions[s->triangles[t].neighbor[i]];
}

static int side_towards(const CairnHullTriangle *t, int neighbor) {
    return t->neighbor[0] == neighbor ? 0 : t->neighbor[1] == neighbor ? 1 : 2;
}

// The border side that follows side (t, i) round the same face.
static void step_round(const Source *s, int *t, int *i) {
    *i = (*i + 1) % 3;
    while (!is_border(s, *t, *i)) { // turn about the vertex, through the face's own triangles
        int other = s->triangles[*t].neighbor[*i];
        *i = (side_towards(&s->triangles[other], *t) + 1) % 3;
        *t = other;
    }
}

static int count_border(const Source *s) {
    int count = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3 && s->triangles[t].is_alive; ++i) {
            count += is_border(s, t, i) ? 1 : 0;
        }
    }
    return count;
}

// Is every face bounded by one loop? A loop is counted from its first side in the order of triangles.
static bool are_discs(const Source *s, int border_count) {
    int walked = 0, last = -1;
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3 && s->triangles[t].is_alive; ++i) {
            if (!is_border(s, t, i) || s->numbers[s->regions[t]] >= 0) {
                continue;
            }
            s->numbers[s->regions[t]] = 0; // this face has been walked round
            int u = t, k = i;
            do {
                step_round(s, &u, &k);
                walked += 1;
            } while ((u != t || k != i) && walked <= border_count);
            last = t;
        }
    }
    return last >= 0 && walked == border_count;
}

static size_t block_bytes(int vertices, int half_edges, int faces) {
    return sizeof(CairnHull) + (size_t)vertices * sizeof(CairnVec3) +
           (size_t)faces * (sizeof(CairnVec3) + sizeof(double)) + (size_t)half_edges * sizeof(CairnHullEdge) +
           (size_t)(vertices + faces) * sizeof(uint16_t);
}

typedef struct Arrays {
    CairnVec3 *vertices, *normals;
    double *offsets;
    CairnHullEdge *edges;
    uint16_t *face_edges, *vertex_edges;
} Arrays;

// Doubles first, so that everything is aligned.
static CairnHull *lay_out(void *block, int vertices, int half_edges, int faces, Arrays *arrays) {
    CairnHull *hull = block;
    memset(hull, 0, sizeof *hull);
    arrays->vertices = (CairnVec3 *)(hull + 1);
    arrays->normals = arrays->vertices + vertices;
    arrays->offsets = (double *)(arrays->normals + faces);
    arrays->edges = (CairnHullEdge *)(arrays->offsets + faces);
    arrays->face_edges = (uint16_t *)(arrays->edges + half_edges);
    arrays->vertex_edges = arrays->face_edges + faces;
    hull->vertex_count = vertices;
    hull->half_edge_count = half_edges;
    hull->face_count = faces;
    hull->vertices = arrays->vertices;
    hull->normals = arrays->normals;
    hull->offsets = arrays->offsets;
    hull->edges = arrays->edges;
    hull->face_edges = arrays->face_edges;
    hull->vertex_edges = arrays->vertex_edges;
    hull->bytes = block_bytes(vertices, half_edges, faces);
    return hull;
}

// Number the border sides in pairs and link them round their faces.
static void link_edges(const Source *s, Arrays *arrays) {
    int next = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3; ++i) {
            s->numbers[3 * t + i] = -1;
        }
    }
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3 && s->triangles[t].is_alive; ++i) {
            if (is_border(s, t, i) && s->numbers[3 * t + i] < 0) {
                int other = s->triangles[t].neighbor[i];
                s->numbers[3 * t + i] = next;
                s->numbers[3 * other + side_towards(&s->triangles[other], t)] = next + 1;
                next += 2;
            }
        }
    }
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3 && s->triangles[t].is_alive; ++i) {
            int number = s->numbers[3 * t + i];
            if (number >= 0) {
                int u = t, k = i, origin = s->triangles[t].v[i], face = s->regions[t];
                step_round(s, &u, &k);
                arrays->edges[number] =
                    (CairnHullEdge){(uint16_t)origin, (uint16_t)face, (uint16_t)s->numbers[3 * u + k]};
                arrays->face_edges[face] = (uint16_t)number;
                arrays->vertex_edges[origin] = (uint16_t)number;
            }
        }
    }
}

// Newell: the sum of the crosses about the polygon is its area vector, whatever its shape.
static void set_planes(const CairnHull *hull, Arrays *arrays) {
    for (int f = 0; f < hull->face_count; ++f) {
        int first = hull->face_edges[f];
        CairnVec3 origin = hull->vertices[hull->edges[first].origin], sum = {0, 0, 0};
        for (int e = hull->edges[first].next; hull->edges[e].next != first; e = hull->edges[e].next) {
            sum = cairn_add(sum, cairn_cross(cairn_sub(hull->vertices[hull->edges[e].origin], origin),
                                             cairn_sub(hull->vertices[cairn_hull_end(hull, e)], origin)));
        }
        CairnVec3 n = cairn_normalize(sum);
        double offset = -HUGE_VAL;
        for (int v = 0; v < hull->vertex_count; ++v) {
            offset = cairn_max(offset, cairn_dot(n, hull->vertices[v]));
        }
        arrays->normals[f] = n;
        arrays->offsets[f] = offset;
    }
}

// Add what the tetrahedron from the centre to the triangle a, b, c holds: volume D/6, first moments D/24 (a + b + c),
// second moments D/120 (a a^T + b b^T + c c^T + s s^T) with s = a + b + c and D = a . (b x c).
static void add_tetrahedron(CairnVec3 a, CairnVec3 b, CairnVec3 c, double *volume, CairnVec3 *first,
                            CairnMat3 *second) {
    double d = cairn_dot(a, cairn_cross(b, c));
    CairnVec3 s = cairn_add(a, cairn_add(b, c));
    const CairnVec3 terms[4] = {a, b, c, s};
    *volume += d / 6.0;
    *first = cairn_add_scaled(*first, d / 24.0, s);
    for (int k = 0; k < 4; ++k) {
        *second = cairn_mat3_sum(*second, cairn_mat3_scaled(d / 120.0, cairn_mat3_outer(terms[k], terms[k])));
    }
}

static void set_moments(CairnHull *hull) {
    CairnVec3 sum = {0, 0, 0}, first = {0, 0, 0}, o = hull->vertices[0];
    CairnMat3 second = {{{0}}};
    for (int v = 1; v < hull->vertex_count; ++v) {
        sum = cairn_add(sum, cairn_sub(hull->vertices[v], o));
    }
    hull->center = cairn_add_scaled(o, 1.0 / hull->vertex_count, sum);
    for (int v = 0; v < hull->vertex_count; ++v) {
        hull->size = cairn_max(hull->size, cairn_length(cairn_sub(hull->vertices[v], hull->center)));
    }
    for (int f = 0; f < hull->face_count; ++f) {
        int start = hull->face_edges[f];
        CairnVec3 a = cairn_sub(hull->vertices[hull->edges[start].origin], hull->center);
        for (int e = hull->edges[start].next; hull->edges[e].next != start; e = hull->edges[e].next) {
            add_tetrahedron(a, cairn_sub(hull->vertices[hull->edges[e].origin], hull->center),
                            cairn_sub(hull->vertices[cairn_hull_end(hull, e)], hull->center), &hull->volume, &first,
                            &second);
        }
    }
    CairnVec3 c = cairn_scale(1.0 / hull->volume, first);
    second = cairn_mat3_sum(second, cairn_mat3_scaled(-hull->volume, cairn_mat3_outer(c, c)));
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    hull->inertia = cairn_mat3_sum(cairn_mat3_diagonal(trace, trace, trace), cairn_mat3_scaled(-1.0, second));
    hull->mass_center = cairn_add(hull->center, c);
}

CairnStatus cairn_hull_topology(const CairnVec3 *points, int count, const CairnHullTriangle *triangles,
                                int triangle_count, int *regions, int face_count, const CairnAllocator *allocator,
                                CairnHull **hull) {
    Source s = {points, triangles, triangle_count, regions, NULL};
    size_t number_count = 3 * (size_t)triangle_count;
    s.numbers = cairn_memory_allocate(allocator, number_count, sizeof *s.numbers);
    if (s.numbers == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", count);
    }
    memset(s.numbers, 0xff, number_count * sizeof *s.numbers); // -1
    int border_count = count_border(&s);
    if (!are_discs(&s, border_count)) {
        face_count = 0;
        for (int t = 0; t < triangle_count; ++t) {
            regions[t] = triangles[t].is_alive ? face_count++ : -1;
        }
        border_count = 3 * face_count;
    }
    Arrays arrays;
    void *block = cairn_memory_allocate(allocator, 1, block_bytes(count, border_count, face_count));
    if (block != NULL) {
        *hull = lay_out(block, count, border_count, face_count, &arrays);
        memcpy(arrays.vertices, points, (size_t)count * sizeof *points);
        link_edges(&s, &arrays);
        set_planes(*hull, &arrays);
        set_moments(*hull);
    }
    cairn_memory_release(allocator, s.numbers, number_count, sizeof *s.numbers);
    return block != NULL ? cairn_ok()
                         : cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a hull of %d points", count);
}

void cairn_hull_free(CairnHull *hull, const CairnAllocator *allocator) {
    if (hull != NULL) {
        cairn_memory_release(allocator, hull, 1, hull->bytes);
    }
}

int cairn_hull_support(const CairnHull *hull, CairnVec3 direction, int start) {
    enum { FEW = 20 }; // below this, looking at all is faster than walking
    int best = start;
    double along = cairn_dot(direction, hull->vertices[best]);
    if (hull->vertex_count <= FEW) {
        for (int v = 0; v < hull->vertex_count; ++v) {
            double d = cairn_dot(direction, hull->vertices[v]);
            if (d > along) {
                along = d;
                best = v;
            }
        }
        return best;
    }
    for (bool has_risen = true; has_risen;) { // uphill; on a convex body the first top is the top
        int first = hull->vertex_edges[best], e = first;
        has_risen = false;
        do {
            int v = cairn_hull_end(hull, e);
            double d = cairn_dot(direction, hull->vertices[v]);
            if (d > along) {
                along = d;
                best = v;
                has_risen = true;
            }
            e = hull->edges[e ^ 1].next;
        } while (e != first);
    }
    return best;
}
