// The overlap of two faces: which points of one box's face touch a face of the other.
//
// In the frame of the reference face (u, v in it, z outwards) the incident face is a parallelogram over the rectangle
// |u| <= hu, |v| <= hv. Their common polygon has three kinds of corners, found directly, each with the features that
// meet there: a vertex of the incident face in the rectangle, a crossing of an incident with a reference edge, and a
// vertex of the rectangle under the incident face.
#include "collision/pairs/box_frame.h"

// A vertex is in the rectangle up to this fraction of the faces' size outside: vertices and edges that coincide, as in
// a stack of equal boxes, then count as vertices of the incident box, whatever the rounding of the step.
#define RIM 1e-5

typedef struct Clip {
    CairnVec3 u, v, n; // the reference face's axes and its outward normal
    CairnVec3 origin;  // its centre
    double hu, hv, rim;
    int axis, axis_u, axis_v; // of the reference box
    unsigned side;            // bit of the reference axis: set where the face is the positive one
    double margin;
    CairnManifoldPoint *points;
    int count;
} Clip;

typedef struct Face {
    CairnVec3 center;         // in the frame of the reference face
    CairnVec3 e, f;           // unit edge directions, same frame
    double he, hf;            // half lengths along them
    int axis, axis_e, axis_f; // of the incident box
    unsigned side;
} Face;

static void add_point(Clip *clip, double u, double v, double z, uint32_t reference, uint32_t incident) {
    if (!(z < clip->margin) || clip->count == CAIRN_CLIP_POINTS) {
        return;
    }
    CairnVec3 p = cairn_add_scaled(cairn_add_scaled(clip->origin, u, clip->u), v, clip->v);
    clip->points[clip->count++] =
        (CairnManifoldPoint){cairn_add_scaled(p, 0.5 * z, clip->n), z, cairn_box_features(reference, incident)};
}

static Clip reference_face(const CairnBoxFrame *box, int axis, bool is_negative) {
    Clip clip = {.axis = axis, .axis_u = (axis + 1) % 3, .axis_v = (axis + 2) % 3};
    clip.u = box->axis[clip.axis_u];
    clip.v = box->axis[clip.axis_v];
    clip.n = is_negative ? cairn_neg(box->axis[axis]) : box->axis[axis];
    clip.hu = box->half[clip.axis_u];
    clip.hv = box->half[clip.axis_v];
    clip.origin = cairn_add_scaled(box->center, box->half[axis], clip.n);
    clip.side = is_negative ? 0u : 1u << axis;
    return clip;
}

static CairnVec3 to_clip(const Clip *clip, CairnVec3 v) {
    return (CairnVec3){cairn_dot(clip->u, v), cairn_dot(clip->v, v), cairn_dot(clip->n, v)};
}

// The face of the box that looks most against n. Ties to rounding go to the earlier axis.
static Face incident_face(const Clip *clip, const CairnBoxFrame *box) {
    Face face;
    double best = -1;
    face.axis = 0;
    for (int i = 0; i < 3; ++i) {
        double along = fabs(cairn_dot(clip->n, box->axis[i]));
        if (along > best + 1e-9) {
            best = along;
            face.axis = i;
        }
    }
    face.axis_e = (face.axis + 1) % 3;
    face.axis_f = (face.axis + 2) % 3;
    bool is_negative = cairn_dot(clip->n, box->axis[face.axis]) > 0;
    face.side = is_negative ? 0u : 1u << face.axis;
    face.e = to_clip(clip, box->axis[face.axis_e]);
    face.f = to_clip(clip, box->axis[face.axis_f]);
    face.he = box->half[face.axis_e];
    face.hf = box->half[face.axis_f];
    double h = is_negative ? -box->half[face.axis] : box->half[face.axis];
    CairnVec3 center = cairn_sub(box->center, clip->origin);
    face.center = to_clip(clip, cairn_add_scaled(center, h, box->axis[face.axis]));
    return face;
}

static CairnVec3 face_point(const Face *face, double s, double t) {
    return cairn_add_scaled(cairn_add_scaled(face->center, s, face->e), t, face->f);
}

static void add_incident_vertices(Clip *clip, const Face *face) {
    for (unsigned k = 0; k < 4; ++k) {
        CairnVec3 p = face_point(face, k & 1u ? face->he : -face->he, k & 2u ? face->hf : -face->hf);
        if (fabs(p.x) <= clip->hu + clip->rim && fabs(p.y) <= clip->hv + clip->rim) {
            unsigned signs = face->side | (k & 1u) << face->axis_e | (k >> 1 & 1u) << face->axis_f;
            add_point(clip, p.x, p.y, p.z, cairn_box_face(clip->axis, clip->side == 0), cairn_box_vertex(signs));
        }
    }
}

// Liang-Barsky: the part [t0, t1] of p + t d, |t| <= h, within the widened rectangle, and the reference edges that cut
// it (0 where the segment ends inside). A cut is then put on the true edge of the rectangle. False: nothing remains.
static bool cut_segment(const Clip *clip, CairnVec3 p, CairnVec3 d, double h, double t[2], uint32_t edges[2]) {
    const double x[2] = {p.x, p.y}, dx[2] = {d.x, d.y};
    const double hw[2] = {clip->hu, clip->hv}, w[2] = {clip->hu + clip->rim, clip->hv + clip->rim};
    double exact[2] = {-h, h};
    t[0] = -h;
    t[1] = h;
    edges[0] = edges[1] = 0;
    for (int i = 0; i < 2; ++i) {
        if (fabs(dx[i]) * h < 1e-3 * clip->rim) { // runs along this side: in or out as a whole
            if (fabs(x[i]) > w[i]) {
                return false;
            }
            continue;
        }
        for (int side = 0; side < 2; ++side) { // 0: x >= -w, 1: x <= w
            double cut = ((side ? w[i] : -w[i]) - x[i]) / dx[i];
            int end = (dx[i] > 0) == (side == 1) ? 1 : 0; // does the segment leave or enter here?
            if (end ? cut < t[1] : cut > t[0]) {
                t[end] = cut;
                exact[end] = cairn_clamp(((side ? hw[i] : -hw[i]) - x[i]) / dx[i], -h, h);
                unsigned sign = side ? 1u << (i == 0 ? clip->axis_u : clip->axis_v) : 0u;
                edges[end] = cairn_box_edge(i == 0 ? clip->axis_v : clip->axis_u, clip->side | sign);
            }
        }
    }
    bool is_nonempty = t[0] <= t[1];
    t[0] = exact[0];
    t[1] = exact[1];
    return is_nonempty;
}

static void add_crossings(Clip *clip, const Face *face) {
    for (unsigned k = 0; k < 4; ++k) { // two edges along e, then two along f
        bool along_e = k < 2, is_positive = (k & 1u) != 0;
        double h = along_e ? face->he : face->hf, other = along_e ? face->hf : face->he;
        CairnVec3 d = along_e ? face->e : face->f;
        CairnVec3 p = cairn_add_scaled(face->center, is_positive ? other : -other, along_e ? face->f : face->e);
        unsigned signs = face->side | (is_positive ? 1u << (along_e ? face->axis_f : face->axis_e) : 0u);
        uint32_t edge = cairn_box_edge(along_e ? face->axis_e : face->axis_f, signs);
        double t[2];
        uint32_t cuts[2];
        if (!cut_segment(clip, p, d, h, t, cuts)) {
            continue;
        }
        for (int end = 0; end < 2; ++end) {
            if (cuts[end] != 0) {
                CairnVec3 c = cairn_add_scaled(p, t[end], d);
                add_point(clip, c.x, c.y, c.z, cuts[end], edge);
            }
        }
    }
}

static void add_reference_vertices(Clip *clip, const Face *face) {
    double area = face->e.x * face->f.y - face->e.y * face->f.x; // |area| = |n . incident normal| >= 1/sqrt(3)
    for (unsigned k = 0; k < 4; ++k) {
        double u = k & 1u ? clip->hu : -clip->hu, v = k & 2u ? clip->hv : -clip->hv;
        double x = u - face->center.x, y = v - face->center.y;
        double s = (x * face->f.y - y * face->f.x) / area, t = (face->e.x * y - face->e.y * x) / area;
        if (fabs(s) <= face->he - clip->rim && fabs(t) <= face->hf - clip->rim) {
            unsigned signs = clip->side | (k & 1u) << clip->axis_u | (k >> 1 & 1u) << clip->axis_v;
            add_point(clip, u, v, face_point(face, s, t).z, cairn_box_vertex(signs),
                      cairn_box_face(face->axis, face->side == 0));
        }
    }
}

int cairn_box_clip(const CairnBoxFrame *reference, const CairnBoxFrame *incident, int axis, bool is_negative,
                   double margin, CairnManifoldPoint points[CAIRN_CLIP_POINTS]) {
    Clip clip = reference_face(reference, axis, is_negative);
    Face face = incident_face(&clip, incident);
    clip.rim = RIM * cairn_min(cairn_min(clip.hu, clip.hv), cairn_min(face.he, face.hf));
    clip.margin = margin;
    clip.points = points;
    add_incident_vertices(&clip, &face);
    add_crossings(&clip, &face);
    add_reference_vertices(&clip, &face);
    return clip.count;
}
