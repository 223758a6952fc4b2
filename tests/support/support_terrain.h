// Meshes for tests: height grids over a few landscapes, and a cube of triangles.
#ifndef CAIRN_TESTS_SUPPORT_TERRAIN_H
#define CAIRN_TESTS_SUPPORT_TERRAIN_H

#include "tests/support/support_geometry.h"

typedef struct SupportTerrain {
    CairnVec3 *points;
    int *indices;
    double *heights;
    CairnShapeDef def;
} SupportTerrain;

typedef double SupportHeight(double x, double y);

SupportHeight support_level, support_bumps, support_slope, support_valley, support_ridge;

// n x n cells of this size about the origin.
SupportTerrain support_terrain(int n, double cell, SupportHeight *height);
void support_terrain_drop(SupportTerrain *terrain);

// A cube of side 2 about the origin, as 12 triangles.
extern const CairnVec3 support_cube_points[8];
extern const int support_cube_indices[36];

#endif
