#include "collision/pairs/mesh_body.h"
#include "engine/base/mat3.h"

void cairn_mesh_body(const CairnGeometry *geometry, CairnQuat turn, CairnMeshBody *body) {
    body->geometry = geometry;
    body->convex = cairn_convex(geometry, cairn_mat3_of_quat(turn), (CairnVec3){0, 0, 0});
    body->frame = (CairnHullFrame){NULL, body->convex.r, {0, 0, 0}};
    if (geometry->type == CAIRN_SHAPE_BOX) {
        cairn_hull_of_box(&body->box, geometry->half);
        body->frame.hull = &body->box.hull;
    } else if (geometry->type == CAIRN_SHAPE_HULL) {
        body->frame.hull = geometry->hull;
    } else if (geometry->type == CAIRN_SHAPE_CYLINDER) {
        CairnTransform pose = {{0, 0, 0}, turn};
        body->cylinder = cairn_cylinder_frame(geometry, pose, pose.p);
    }
    body->size = body->convex.size + body->convex.rounding;
}

// ---- what looks along a direction ----

static void add_corner(CairnPolygon *polygon, CairnVec3 p, int name) {
    polygon->p[polygon->count] = p;
    polygon->vertex[polygon->count] = (uint16_t)cairn_name_vertex(name);
    polygon->edge[polygon->count] = (uint16_t)cairn_name_edge(2 * name);
    polygon->count += 1;
}

static void add_sides(CairnPolygon *polygon) {
    for (int i = 0; i < polygon->count; ++i) {
        CairnVec3 along = cairn_sub(polygon->p[i + 1 < polygon->count ? i + 1 : 0], polygon->p[i]);
        polygon->side[i] = cairn_normalize(cairn_cross(along, polygon->normal));
    }
}

// Four points of the rim of a cap, or the line that looks there.
static void facing_cylinder(const CairnMeshBody *body, CairnVec3 direction, CairnPolygon *polygon) {
    const CairnCylinderFrame *c = &body->cylinder;
    double slope = cairn_dot(direction, c->axis), sine = cairn_length(cairn_cross(direction, c->axis));
    polygon->face = (uint16_t)cairn_name_face(0);
    if (fabs(slope) > CAIRN_CAP_LOOKS) {
        CairnCap cap = cairn_cylinder_cap_towards(c, direction);
        CairnVec3 rim[4];
        bool is_flat = sine < CAIRN_CAP_FLAT;
        cairn_cylinder_rim_points(c, &cap, direction, is_flat, rim);
        polygon->normal = cap.out;
        for (int k = 0; k < 4; ++k) { // counter-clockwise seen from outside
            int slot = cap.is_positive ? k : (4 - k) % 4;
            add_corner(polygon, rim[slot], slot + (is_flat ? 4 : 0) + (cap.is_positive ? 8 : 0));
        }
        add_sides(polygon);
    } else {
        CairnVec3 across = cairn_add_scaled(direction, -slope, c->axis);
        across = cairn_scale(c->radius / sine, across);
        polygon->normal = direction;
        add_corner(polygon, cairn_add_scaled(across, -c->half, c->axis), 0);
        add_corner(polygon, cairn_add_scaled(across, c->half, c->axis), 8);
    }
}

// The farthest vertex's face where the face that looks most along the direction lies deeper.
static int facing_face(const CairnHullFrame *frame, CairnVec3 direction) {
    const CairnHull *hull = frame->hull;
    CairnVec3 local = cairn_mat3_transpose_mul(frame->r, direction);
    int face = cairn_hull_facing(frame, direction), top = cairn_hull_support(hull, local, 0);
    double reach = -HUGE_VAL, tie = CAIRN_TIE * hull->size;
    for (int first = hull->face_edges[face], e = first;;) {
        reach = cairn_max(reach, cairn_dot(local, hull->vertices[hull->edges[e].origin]));
        e = hull->edges[e].next;
        if (e == first) {
            break;
        }
    }
    if (reach >= cairn_dot(local, hull->vertices[top]) - tie) {
        return face;
    }
    double best = -HUGE_VAL;
    for (int first = hull->vertex_edges[top], e = first;;) {
        double along = cairn_dot(local, hull->normals[hull->edges[e].face]);
        if (along > best) {
            best = along;
            face = hull->edges[e].face;
        }
        e = hull->edges[e ^ 1].next;
        if (e == first) {
            return face;
        }
    }
}

void cairn_mesh_body_facing(const CairnMeshBody *body, CairnVec3 direction, CairnPolygon *polygon) {
    polygon->count = 0;
    polygon->normal = direction;
    polygon->face = (uint16_t)cairn_name_face(0);
    switch (body->geometry->type) {
    case CAIRN_SHAPE_SPHERE:
        add_corner(polygon, (CairnVec3){0, 0, 0}, 0);
        break;
    case CAIRN_SHAPE_CAPSULE: {
        CairnVec3 end = cairn_mat3_mul(body->convex.r, body->convex.half);
        add_corner(polygon, cairn_neg(end), 0);
        add_corner(polygon, end, 1);
        break;
    }
    case CAIRN_SHAPE_CYLINDER:
        facing_cylinder(body, direction, polygon);
        break;
    default:
        cairn_polygon_of_face(&body->frame, facing_face(&body->frame, direction), polygon);
        break;
    }
}

// ---- triangles ----

void cairn_hull_of_triangle(CairnTriangleHull *t, const CairnVec3 corners[3], CairnVec3 normal) {
    // Half-edge 2 k runs from corner k to k + 1 on the front, its twin back behind.
    static const CairnHullEdge edges[6] = {{0, 0, 2}, {1, 1, 5}, {1, 0, 4}, {2, 1, 1}, {2, 0, 0}, {0, 1, 3}};
    static const uint16_t face_edges[2] = {0, 1}, vertex_edges[3] = {0, 2, 4};
    CairnVec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        t->vertices[i] = corners[i];
        sum = cairn_add(sum, corners[i]);
    }
    t->normals[0] = normal;
    t->normals[1] = cairn_neg(normal);
    t->offsets[0] = cairn_dot(normal, corners[0]);
    t->offsets[1] = -t->offsets[0];
    t->hull = (CairnHull){.vertex_count = 3,
                          .half_edge_count = 6,
                          .face_count = 2,
                          .vertices = t->vertices,
                          .normals = t->normals,
                          .offsets = t->offsets,
                          .edges = edges,
                          .face_edges = face_edges,
                          .vertex_edges = vertex_edges,
                          .center = cairn_scale(1.0 / 3, sum)};
    for (int i = 0; i < 3; ++i) {
        t->hull.size = cairn_max(t->hull.size, cairn_length(cairn_sub(corners[i], t->hull.center)));
    }
}

typedef struct Clip {
    const CairnPolygon *facing;
    CairnPolygon reference;
    double rounding, margin;
    CairnManifoldPoint *points;
    int count;
} Clip;

static const uint16_t seam_name = 1; // no feature's name, and not "the segment's own end"

static void add_point(Clip *clip, CairnVec3 core, uint32_t mesh, uint32_t body) {
    CairnVec3 n = clip->reference.normal;
    double z = cairn_dot(n, cairn_sub(core, clip->reference.p[0]));
    if (z - clip->rounding < clip->margin && clip->count < CAIRN_CLIPPED_POINTS) {
        clip->points[clip->count++] = (CairnManifoldPoint){cairn_add_scaled(core, -0.5 * (z + clip->rounding), n),
                                                           z - clip->rounding, cairn_names(mesh, body)};
    }
}

static void clip_sides(Clip *clip, double rim) {
    const CairnPolygon *facing = clip->facing;
    int sides = facing->count < 2 ? 0 : facing->count == 2 ? 1 : facing->count;
    for (int i = 0; i < sides; ++i) {
        CairnVec3 p = facing->p[i], q = facing->p[i + 1 < facing->count ? i + 1 : 0];
        double t[2];
        uint32_t names[2];
        if (!cairn_polygon_cut(&clip->reference, p, q, rim, t, names)) {
            continue;
        }
        for (int end = 0; end < 2; ++end) {
            if (names[end] != 0 && names[end] != seam_name) {
                add_point(clip, cairn_add_scaled(p, t[end], cairn_sub(q, p)), names[end], facing->edge[i]);
            }
        }
    }
}

// Corners of the flat's border under the face.
static void clip_corners(Clip *clip, const bool is_border[3], double rim) {
    CairnVec3 n = clip->reference.normal, m = clip->facing->normal;
    double slope = cairn_dot(n, m);
    if (clip->facing->count < 3 || fabs(slope) < 1e-3) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        CairnVec3 v = clip->reference.p[i];
        CairnVec3 above = cairn_add_scaled(v, cairn_dot(m, cairn_sub(clip->facing->p[0], v)) / slope, n);
        if (is_border[i] && cairn_polygon_is_over(clip->facing, above, -rim)) {
            add_point(clip, above, clip->reference.vertex[i], clip->facing->face);
        }
    }
}

int cairn_mesh_clip(const CairnSurface *surface, int triangle, const CairnVec3 corners[3], const CairnPolygon *facing,
                    double rounding, double margin, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    const CairnFacet *facet = &surface->facets[triangle];
    Clip clip; // its polygon has room for many more corners: not to be cleared
    bool is_border[3];
    clip.facing = facing;
    clip.rounding = rounding;
    clip.margin = margin;
    clip.points = points;
    clip.count = 0;
    clip.reference.face = CAIRN_MESH_NAME_FLAT;
    clip.reference.count = 3;
    clip.reference.normal = surface->flats[facet->flat].normal;
    for (int i = 0; i < 3; ++i) {
        clip.reference.p[i] = corners[i];
        clip.reference.vertex[i] = (uint16_t)cairn_mesh_name_corner(facet->v[i]);
        clip.reference.edge[i] =
            facet->kind[i] == CAIRN_EDGE_SEAM ? seam_name : (uint16_t)cairn_mesh_name_edge(facet->edge[i]);
        is_border[i] = facet->kind[i] != CAIRN_EDGE_SEAM || facet->kind[(i + 2) % 3] != CAIRN_EDGE_SEAM;
    }
    add_sides(&clip.reference);
    double rim = 0.5 * CAIRN_RIM * cairn_polygon_size(&clip.reference);
    if (facing->count >= 3) {
        rim = cairn_min(rim, 0.5 * CAIRN_RIM * cairn_polygon_size(facing));
    }
    for (int i = 0; i < facing->count; ++i) {
        if (cairn_polygon_is_over(&clip.reference, facing->p[i], rim)) {
            add_point(&clip, facing->p[i], CAIRN_MESH_NAME_FLAT, facing->vertex[i]);
        }
    }
    clip_sides(&clip, rim);
    clip_corners(&clip, is_border, rim);
    return clip.count;
}
