// The common part of two polygons, seen along the normal of one of them.
//
// Its corners are found directly, each with the features that meet there: a vertex of the incident polygon over the
// reference, a crossing of two edges, a vertex of the reference under the incident polygon.
#include "collision/pairs/hull_pair.h"

void cairn_polygon_of_face(const CairnHullFrame *frame, int face, CairnPolygon *polygon) {
    const CairnHull *hull = frame->hull;
    int first = hull->face_edges[face], e = first;
    polygon->count = 0;
    polygon->face = (uint16_t)cairn_name_face(face);
    polygon->normal = cairn_frame_normal(frame, face);
    do {
        int v = hull->edges[e].origin;
        polygon->p[polygon->count] = cairn_frame_vertex(frame, v);
        polygon->vertex[polygon->count] = (uint16_t)cairn_name_vertex(v);
        polygon->edge[polygon->count++] = (uint16_t)cairn_name_edge(e);
        e = hull->edges[e].next;
    } while (e != first);
    for (int i = 0; i < polygon->count; ++i) {
        CairnVec3 along = cairn_sub(polygon->p[i + 1 < polygon->count ? i + 1 : 0], polygon->p[i]);
        polygon->side[i] = cairn_normalize(cairn_cross(along, polygon->normal));
    }
}

double cairn_polygon_size(const CairnPolygon *polygon) {
    CairnVec3 sum = {0, 0, 0}, o = polygon->p[0];
    for (int i = 1; i + 1 < polygon->count; ++i) {
        sum = cairn_add(sum, cairn_cross(cairn_sub(polygon->p[i], o), cairn_sub(polygon->p[i + 1], o)));
    }
    return sqrt(0.5 * cairn_length(sum));
}

static int following(const CairnPolygon *polygon, int i) {
    return i + 1 < polygon->count ? i + 1 : 0;
}

bool cairn_polygon_cut(const CairnPolygon *polygon, CairnVec3 p, CairnVec3 q, double rim, double t[2],
                       uint32_t names[2]) {
    double exact[2] = {0, 1};
    t[0] = 0;
    t[1] = 1;
    names[0] = names[1] = 0;
    for (int i = 0; i < polygon->count; ++i) {
        CairnVec3 out = polygon->side[i];
        double at_p = cairn_dot(out, cairn_sub(p, polygon->p[i])), at_q = cairn_dot(out, cairn_sub(q, polygon->p[i]));
        if (fabs(at_q - at_p) < 1e-3 * rim) { // runs along this side: in or out as a whole
            if (at_p > rim) {
                return false;
            }
            continue;
        }
        double cut = (rim - at_p) / (at_q - at_p);
        int end = at_q > at_p ? 1 : 0; // does it leave or enter here?
        if (end == 1 ? cut < t[1] : cut > t[0]) {
            t[end] = cut;
            exact[end] = cairn_clamp(-at_p / (at_q - at_p), 0, 1); // on the true side
            names[end] = polygon->edge[i];
        }
    }
    bool is_nonempty = t[0] <= t[1];
    t[0] = exact[0];
    t[1] = exact[1];
    return is_nonempty;
}

typedef struct Clip {
    const CairnPolygon *reference, *incident;
    double rim, margin;
    CairnManifoldPoint *points;
    int count;
} Clip;

// A point of the incident face, with its height over the reference.
static void add_point(Clip *clip, CairnVec3 point, uint32_t reference, uint32_t incident) {
    CairnVec3 n = clip->reference->normal;
    double z = cairn_dot(n, cairn_sub(point, clip->reference->p[0]));
    if (z < clip->margin && clip->count < CAIRN_CLIPPED_POINTS) {
        clip->points[clip->count++] =
            (CairnManifoldPoint){cairn_add_scaled(point, -0.5 * z, n), z, cairn_names(reference, incident)};
    }
}

bool cairn_polygon_is_over(const CairnPolygon *polygon, CairnVec3 point, double rim) {
    for (int i = 0; i < polygon->count; ++i) {
        if (cairn_dot(polygon->side[i], cairn_sub(point, polygon->p[i])) > rim) {
            return false;
        }
    }
    return true;
}

static void add_incident_vertices(Clip *clip) {
    for (int i = 0; i < clip->incident->count; ++i) {
        if (cairn_polygon_is_over(clip->reference, clip->incident->p[i], clip->rim)) {
            add_point(clip, clip->incident->p[i], clip->reference->face, clip->incident->vertex[i]);
        }
    }
}

static void add_crossings(Clip *clip) {
    for (int i = 0; i < clip->incident->count; ++i) {
        CairnVec3 p = clip->incident->p[i], q = clip->incident->p[following(clip->incident, i)];
        double t[2];
        uint32_t names[2];
        if (!cairn_polygon_cut(clip->reference, p, q, clip->rim, t, names)) {
            continue;
        }
        for (int end = 0; end < 2; ++end) {
            if (names[end] != 0) {
                add_point(clip, cairn_add_scaled(p, t[end], cairn_sub(q, p)), names[end], clip->incident->edge[i]);
            }
        }
    }
}

static void add_reference_vertices(Clip *clip) {
    CairnVec3 n = clip->reference->normal, m = clip->incident->normal;
    double slope = cairn_dot(n, m);
    if (fabs(slope) < 1e-3) {
        return; // the incident face stands upright: nothing is under it
    }
    for (int i = 0; i < clip->reference->count; ++i) {
        CairnVec3 v = clip->reference->p[i];
        double z = cairn_dot(m, cairn_sub(clip->incident->p[0], v)) / slope;
        CairnVec3 above = cairn_add_scaled(v, z, n);
        if (cairn_polygon_is_over(clip->incident, above, -clip->rim)) {
            add_point(clip, above, clip->reference->vertex[i], clip->incident->face);
        }
    }
}

int cairn_polygon_clip(const CairnPolygon *reference, const CairnPolygon *incident, double margin,
                       CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    Clip clip = {.reference = reference, .incident = incident, .margin = margin, .points = points};
    clip.rim = 0.5 * CAIRN_RIM * cairn_min(cairn_polygon_size(reference), cairn_polygon_size(incident));
    add_incident_vertices(&clip);
    add_crossings(&clip);
    add_reference_vertices(&clip);
    return clip.count;
}
