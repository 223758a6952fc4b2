// Grids of heights as meshes.
#include <cairn/shapes.h>
#include <stddef.h>

static CairnStatus check(CairnHeightGrid grid, const CairnVec3 *points, const int *indices, const CairnShapeDef *def) {
    const void *const given[4] = {grid.heights, points, indices, def};
    static const char *const names[4] = {"heights", "points", "indices", "def"};
    for (int i = 0; i < 4; ++i) {
        if (given[i] == NULL) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "height field: %s = NULL", names[i]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        int count = i == 0 ? grid.columns : grid.rows;
        if (count < 2 || count > CAIRN_HEIGHT_GRID_MOST) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "height field: %s = %d must be in [2, %d]",
                               i == 0 ? "columns" : "rows", count, CAIRN_HEIGHT_GRID_MOST);
        }
        double spacing = i == 0 ? grid.dx : grid.dy;
        if (!(spacing > 0) || !(spacing <= 1e9)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "height field: %s = %g must be in (0, 1e9]",
                               i == 0 ? "dx" : "dy", spacing);
        }
    }
    for (int k = 0; k < grid.columns * grid.rows; ++k) {
        if (!(fabs(grid.heights[k]) <= 1e9)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "height field: heights[%d] = %g must be in [-1e9, 1e9]", k,
                               grid.heights[k]);
        }
    }
    return cairn_ok();
}

// Each cell is cut along the diagonal from its corner (i, j) to (i + 1, j + 1).
CairnStatus cairn_height_field(CairnHeightGrid grid, CairnVec3 *points, int *indices, CairnShapeDef *def) {
    CAIRN_TRY(check(grid, points, indices, def));
    for (int j = 0; j < grid.rows; ++j) {
        for (int i = 0; i < grid.columns; ++i) {
            int k = i + j * grid.columns;
            points[k] = (CairnVec3){i * grid.dx, j * grid.dy, grid.heights[k]};
        }
    }
    int *next = indices;
    for (int j = 0; j + 1 < grid.rows; ++j) {
        for (int i = 0; i + 1 < grid.columns; ++i) {
            int a = i + j * grid.columns, b = a + 1, d = a + grid.columns, c = d + 1;
            const int cell[6] = {a, b, c, a, c, d};
            for (int k = 0; k < 6; ++k) {
                *next++ = cell[k];
            }
        }
    }
    *def = cairn_mesh(points, cairn_height_grid_points(grid), indices, cairn_height_grid_indices(grid));
    return cairn_ok();
}
