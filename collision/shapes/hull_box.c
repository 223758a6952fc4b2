// A box seen as a hull: face 2 i + s lies across axis i, on the negative side where s is 1.
#include "collision/shapes/hull.h"

static const CairnHullEdge edges[24] = {{1, 0, 2},  {3, 5, 23}, {3, 0, 4},  {7, 2, 18}, {7, 0, 6},  {5, 4, 17},
                                        {5, 0, 0},  {1, 3, 20}, {4, 1, 10}, {6, 4, 21}, {6, 1, 12}, {2, 2, 16},
                                        {2, 1, 14}, {0, 5, 19}, {0, 1, 8},  {4, 3, 22}, {6, 2, 3},  {7, 4, 9},
                                        {3, 2, 11}, {2, 5, 1},  {5, 3, 15}, {4, 4, 5},  {0, 3, 7},  {1, 5, 13}};
static const uint16_t face_edges[6] = {0, 8, 11, 7, 21, 19}, vertex_edges[8] = {14, 0, 12, 2, 8, 6, 10, 4};

void cairn_hull_of_box(CairnBoxHull *box, CairnVec3 half) {
    for (unsigned v = 0; v < 8; ++v) {
        box->vertices[v] = (CairnVec3){v & 1u ? half.x : -half.x, v & 2u ? half.y : -half.y, v & 4u ? half.z : -half.z};
    }
    const double h[3] = {half.x, half.y, half.z};
    for (int f = 0; f < 6; ++f) {
        double sign = f % 2 == 0 ? 1.0 : -1.0;
        box->normals[f] = (CairnVec3){f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0};
        box->offsets[f] = h[f / 2];
    }
    box->hull = (CairnHull){.vertex_count = 8,
                            .half_edge_count = 24,
                            .face_count = 6,
                            .vertices = box->vertices,
                            .normals = box->normals,
                            .offsets = box->offsets,
                            .edges = edges,
                            .face_edges = face_edges,
                            .vertex_edges = vertex_edges,
                            .center = {0, 0, 0},
                            .size = cairn_length(half),
                            .volume = 8.0 * half.x * half.y * half.z};
}
