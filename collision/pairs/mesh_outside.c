// How far a shape that overlaps a mesh is from being outside of it (mesh_contact.c looks from there).
#include "collision/pairs/mesh_work.h"

// How far the core goes into the overlapped triangles along a direction: the most of them.
static double depth_along(CairnMeshWork *w, CairnVec3 d) {
    double lowest = cairn_dot(d, cairn_mesh_body_support(&w->body, cairn_neg(d))), most = -HUGE_VAL;
    for (int i = 0; i < w->overlapped_count; ++i) {
        CairnMeshTriangle t = cairn_mesh_triangle(w, w->overlapped[i]);
        for (int k = 0; k < 3; ++k) {
            most = cairn_max(most, cairn_dot(d, t.p[k]) - lowest);
        }
    }
    return most;
}

double cairn_mesh_least_overlap(CairnMeshWork *w, CairnVec3 *direction) {
    double least = HUGE_VAL;
    for (int i = 0; i < 2 * w->overlapped_count; ++i) {
        CairnMeshTriangle t = cairn_mesh_triangle(w, w->overlapped[i / 2]);
        CairnVec3 d = t.n;
        if (i % 2 == 1) {
            CairnTriangleHull hull;
            CairnConvex triangle = cairn_mesh_triangle_core(&t, &hull);
            cairn_epa(&triangle, &w->body.convex, &d);
        }
        double depth = cairn_dot(d, t.n) > 0 ? depth_along(w, d) : HUGE_VAL;
        if (depth < least) {
            least = depth;
            *direction = d;
        }
    }
    return least;
}

double cairn_mesh_deepest(const CairnMeshWork *w) {
    double least = HUGE_VAL;
    for (int k = 0; k < w->count; ++k) {
        const CairnMeshPatch *patch = &w->patches[k];
        if (!patch->is_vetoed && patch->count > 0) {
            least = cairn_min(least, cairn_box_lowest(patch->points, patch->count));
        }
    }
    return least;
}

void cairn_mesh_move_back(CairnMeshWork *w) {
    for (int k = 0; k < w->count; ++k) {
        CairnMeshPatch *patch = &w->patches[k];
        double nearer = cairn_dot(w->shift, patch->normal);
        for (int i = 0; i < patch->count; ++i) {
            patch->points[i].distance -= nearer;
            patch->points[i].point = cairn_add_scaled(patch->points[i].point, -0.5 * nearer, patch->normal);
        }
    }
}
