#include "tests/support/support_terrain.h"
#include <stdlib.h>

const CairnVec3 support_cube_points[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
const int support_cube_indices[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

SupportTerrain support_terrain(int n, double cell, SupportHeight *height) {
    CairnHeightGrid grid = {n + 1, n + 1, cell, cell, NULL};
    SupportTerrain t;
    t.heights = calloc((size_t)cairn_height_grid_points(grid), sizeof *t.heights);
    t.points = calloc((size_t)cairn_height_grid_points(grid), sizeof *t.points);
    t.indices = calloc((size_t)cairn_height_grid_indices(grid), sizeof *t.indices);
    assert_true(t.heights != NULL && t.points != NULL && t.indices != NULL);
    for (int k = 0; k < cairn_height_grid_points(grid); k++) {
        int column = k % (n + 1), row = k / (n + 1);
        t.heights[k] = height(cell * (column - 0.5 * n), cell * (row - 0.5 * n));
    }
    grid.heights = t.heights;
    assert_ok(cairn_height_field(grid, t.points, t.indices, &t.def));
    t.def.position = cairn_vec3(-0.5 * n * cell, -0.5 * n * cell, 0);
    return t;
}

void support_terrain_drop(SupportTerrain *t) {
    free(t->points);
    free(t->indices);
    free(t->heights);
}

double support_level(double x, double y) {
    (void)x, (void)y;
    return 0;
}

double support_bumps(double x, double y) {
    return 0.3 * sin(1.7 * x) * cos(1.3 * y) + 0.1 * sin(5.1 * x + 2.3 * y);
}

double support_slope(double x, double y) {
    (void)y;
    return 0.25 * x;
}

double support_valley(double x, double y) {
    (void)y;
    return fabs(x);
}

double support_ridge(double x, double y) {
    (void)y;
    return -fabs(x);
}
