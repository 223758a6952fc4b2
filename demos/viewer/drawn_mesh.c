#include "demos/viewer/drawn_mesh.h"
#include "demos/program/session/reserve.h"
#include <stdlib.h>
#include <string.h>

static CairnStatus reserve(CairnDrawnMeshStore *store) {
    int needed = store->count + 1;
    return cairn_array_reserve(&store->items, &store->capacity, needed, sizeof *store->items)
               ? cairn_ok()
               : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d meshes", needed);
}

static CairnVertex vertex_of(const CairnPrimitive *primitive, int face, CairnVec3 point) {
    CairnVec3 local = cairn_primitive_local(primitive, point), normal = cairn_primitive_normal(primitive, face, point);
    float end = 0;
    if (primitive->kind == CAIRN_PRIMITIVE_CAPSULE) {
        end = point.z - local.z < 0 ? -1 : 1;
    }
    return (CairnVertex){
        {(float)local.x, (float)local.y, (float)local.z}, end, {(float)normal.x, (float)normal.y, (float)normal.z}};
}

static CairnVec3 vector(const float *v) {
    return cairn_vec3((double)v[0], (double)v[1], (double)v[2]);
}

// A triangle whose corners turn clockwise as seen from where its normals point gets two of them exchanged.
static void turn_outward(CairnVertex *v) {
    CairnVec3 a = vector(v[0].position), along = {0, 0, 1}; // the ends of a capsule lie apart
    CairnVec3 b = cairn_sub(cairn_add_scaled(vector(v[1].position), (double)(v[1].end - v[0].end), along), a);
    CairnVec3 c = cairn_sub(cairn_add_scaled(vector(v[2].position), (double)(v[2].end - v[0].end), along), a);
    CairnVec3 out = cairn_add(cairn_add(vector(v[0].normal), vector(v[1].normal)), vector(v[2].normal));
    if (cairn_dot(cairn_cross(b, c), out) < 0) {
        CairnVertex swap = v[1];
        v[1] = v[2];
        v[2] = swap;
    }
}

// `primitive` stands at the origin.
static CairnStatus add_primitive(CairnDrawnMeshStore *store, const CairnPrimitive *primitive, double detail,
                                 uint64_t hash) {
    CAIRN_TRY(reserve(store));
    CairnMesh mesh = {0};
    CairnStatus status = cairn_mesh_add(&mesh, primitive, detail);
    CairnDrawnMesh geometry = {.hash = hash, .vertex_count = 3 * mesh.triangle_count};
    if (cairn_is_ok(status)) {
        geometry.vertices = malloc((size_t)(geometry.vertex_count + 1) * sizeof *geometry.vertices);
        if (!geometry.vertices) {
            status = cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d triangles", mesh.triangle_count);
        }
    }
    if (cairn_is_ok(status)) {
        for (int i = 0; i < geometry.vertex_count; i++) {
            const CairnTriangle *triangle = &mesh.triangles[i / 3];
            CairnVec3 point = triangle->corners[i % 3];
            geometry.vertices[i] = vertex_of(&mesh.primitives[triangle->primitive], triangle->face, point);
            geometry.reach = fmaxf(geometry.reach, (float)cairn_length(point));
        }
        geometry.is_closed = primitive->kind != CAIRN_PRIMITIVE_FACETS;
        for (int i = 0; geometry.is_closed && i < geometry.vertex_count; i += 3) {
            turn_outward(geometry.vertices + i);
        }
        store->items[store->count++] = geometry;
    }
    cairn_mesh_free(&mesh);
    return status;
}

// Base in z = 0, tip at z = 1: the head of an arrow.
static CairnStatus add_cone(CairnDrawnMeshStore *store) {
    enum { SIDES = 12 };
    CAIRN_TRY(reserve(store));
    CairnVertex *vertices = malloc(6 * SIDES * sizeof *vertices);
    if (!vertices) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a cone");
    }
    for (int i = 0; i < SIDES; i++) {
        float a = (float)(2 * CAIRN_PI * i / SIDES), b = (float)(2 * CAIRN_PI * (i + 1) / SIDES);
        float ax = cosf(a), ay = sinf(a), bx = cosf(b), by = sinf(b), s = 0.7071f;
        CairnVertex *v = vertices + 6 * (size_t)i;
        v[0] = (CairnVertex){{ax, ay, 0}, 0, {s * ax, s * ay, s}};
        v[1] = (CairnVertex){{bx, by, 0}, 0, {s * bx, s * by, s}};
        v[2] = (CairnVertex){{0, 0, 1}, 0, {s * ax, s * ay, s}};
        v[3] = (CairnVertex){{bx, by, 0}, 0, {0, 0, -1}};
        v[4] = (CairnVertex){{ax, ay, 0}, 0, {0, 0, -1}};
        v[5] = (CairnVertex){{0, 0, 0}, 0, {0, 0, -1}};
    }
    store->items[store->count++] = (CairnDrawnMesh){.vertices = vertices, .vertex_count = 6 * SIDES, .reach = 1.5f};
    return cairn_ok();
}

// The triangle around the unit circle, or its middle alone.
static CairnStatus add_disc(CairnDrawnMeshStore *store, int count) {
    static const float corners[3][2] = {{-1.7320508f, -1}, {1.7320508f, -1}, {0, 2}};
    CAIRN_TRY(reserve(store));
    CairnVertex *vertices = calloc((size_t)count, sizeof *vertices);
    if (!vertices) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a disc");
    }
    for (int i = 0; i < count; i++) {
        vertices[i].normal[2] = 1;
        vertices[i].position[0] = count > 1 ? corners[i][0] : 0;
        vertices[i].position[1] = count > 1 ? corners[i][1] : 0;
    }
    store->items[store->count++] = (CairnDrawnMesh){.vertices = vertices, .vertex_count = count, .reach = 1};
    return cairn_ok();
}

CairnStatus cairn_drawn_mesh_open(CairnDrawnMeshStore *store) {
    static const struct {
        CairnPrimitiveKind kind;
        double detail;
    } units[CAIRN_DRAWN_CONE] = {{CAIRN_PRIMITIVE_SPHERE, 40},  {CAIRN_PRIMITIVE_SPHERE, 4},
                                 {CAIRN_PRIMITIVE_BOX, 1},      {CAIRN_PRIMITIVE_CYLINDER, 20},
                                 {CAIRN_PRIMITIVE_CYLINDER, 4}, {CAIRN_PRIMITIVE_CAPSULE, 20},
                                 {CAIRN_PRIMITIVE_CAPSULE, 4}};
    *store = (CairnDrawnMeshStore){0};
    CairnStatus status = cairn_ok();
    for (int i = 0; i < CAIRN_DRAWN_CONE && cairn_is_ok(status); i++) {
        CairnPrimitive primitive = {.kind = units[i].kind, .pose = cairn_transform_identity(), .half = {1, 1, 1}};
        status = add_primitive(store, &primitive, units[i].detail, 0);
    }
    status = cairn_is_ok(status) ? add_cone(store) : status;
    status = cairn_is_ok(status) ? add_disc(store, 3) : status;
    status = cairn_is_ok(status) ? add_disc(store, 1) : status;
    if (!cairn_is_ok(status)) {
        cairn_drawn_mesh_close(store);
    }
    return status;
}

void cairn_drawn_mesh_close(CairnDrawnMeshStore *store) {
    for (int i = 0; i < store->count; i++) {
        free(store->items[i].vertices);
    }
    free(store->items);
    *store = (CairnDrawnMeshStore){0};
}

int cairn_drawn_mesh_coarse(int geometry) {
    bool has_coarse =
        geometry == CAIRN_DRAWN_SPHERE || geometry == CAIRN_DRAWN_CYLINDER || geometry == CAIRN_DRAWN_CAPSULE;
    return has_coarse ? geometry + 1 : geometry;
}

// FNV-1a.
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * 0x100000001B3u;
    }
    return hash;
}

static uint64_t hash_of(const CairnPrimitive *primitive) {
    int points = primitive->point_count;
    for (int i = 0; i < primitive->index_count; i++) {
        points = primitive->indices[i] >= points ? primitive->indices[i] + 1 : points;
    }
    uint64_t hash = mix(0xCBF29CE484222325u, &primitive->kind, sizeof primitive->kind);
    hash = mix(hash, primitive->points, (size_t)points * sizeof *primitive->points);
    if (primitive->index_count > 0) {
        hash = mix(hash, primitive->indices, (size_t)primitive->index_count * sizeof *primitive->indices);
    }
    return hash ? hash : 1;
}

CairnStatus cairn_drawn_mesh_find(CairnDrawnMeshStore *store, const CairnPrimitive *primitive, int *index) {
    uint64_t hash = hash_of(primitive);
    for (int i = 0; i < store->count; i++) {
        if (store->items[i].hash == hash) {
            *index = i;
            return cairn_ok();
        }
    }
    CairnPrimitive still = *primitive;
    still.pose = cairn_transform_identity();
    *index = store->count;
    return add_primitive(store, &still, 1, hash);
}
