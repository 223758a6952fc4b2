#include "demos/program/render/render_light.h"
#include <stddef.h>

enum { MAP_SIZE = 2048, SAMPLES = CAIRN_LIGHT_SAMPLES };
static const double sun_slope = 0.07; // half the sun's angle: larger than the real one, for softer edges

// A direction on the screen that turns the sampling pattern.
typedef struct Turn {
    double c, s, fraction; // fraction in [0, 1) of a whole turn
} Turn;

CairnStatus cairn_light_create(CairnLight *light, const CairnMesh *mesh, CairnVec3 direction, CairnVec3 center,
                               double extent) {
    *light = (CairnLight){.direction = cairn_normalize(direction)};
    light->view = cairn_view_parallel(center, light->direction, extent, 0, MAP_SIZE);
    light->texel = 2 * extent / MAP_SIZE;
    for (int i = 0; i < SAMPLES; i++) { // Vogel's spiral: the golden angle from one to the next
        double r = sqrt((i + 0.5) / SAMPLES), a = 2.399963229728653 * i;
        light->disk[i][0] = r * cos(a);
        light->disk[i][1] = r * sin(a);
    }
    CAIRN_TRY(cairn_raster_create(&light->map, MAP_SIZE, MAP_SIZE));
    for (int i = 0; i < mesh->triangle_count; i++) {
        cairn_raster_triangle(&light->map, &light->view, mesh->triangles[i].corners, i);
    }
    return cairn_ok();
}

void cairn_light_free(CairnLight *light) {
    cairn_raster_free(&light->map);
}

// Interleaved gradient noise (Jimenez 2014): neighbouring pixels differ as much as they can.
static double noise(int x, int y) {
    double v = 52.9829189 * fmod(0.06711056 * x + 0.00583715 * y, 1.0);
    return v - floor(v);
}

// Key of the shadow map at a screen position; what lies outside is lit.
static double map_key(const CairnLight *light, double x, double y) {
    if (!(x >= 0 && y >= 0 && x < MAP_SIZE && y < MAP_SIZE)) {
        return -HUGE_VAL;
    }
    return (double)light->map.key[(size_t)y * MAP_SIZE + (size_t)x];
}

// The sample `i` of a disk of radius `width` about (x, y) of the map.
static double disk_key(const CairnLight *light, int i, Turn turn, double width, double x, double y) {
    double u = light->disk[i][0], v = light->disk[i][1];
    return map_key(light, x + width * (turn.c * u - turn.s * v), y + width * (turn.s * u + turn.c * v));
}

// Percentage-closer soft shadows (Fernando 2005): the mean height of what blocks the sun sets the width of the filter.
static double sun_at(const CairnLight *light, CairnVec3 point, CairnVec3 normal, Turn turn) {
    double facing = cairn_dot(normal, light->direction);
    if (facing <= 0) {
        return 0;
    }
    double sine = sqrt(fmax(0, 1 - facing * facing));
    CairnVec3 lifted = cairn_add_scaled(point, light->texel * (1.5 + 2.5 * sine), normal);
    CairnScreenPoint p = cairn_view_project(&light->view, lifted);
    // A tilted surface rises over the map: what lies within its own slope does not block.
    double search = 26, sum = 0, bias = 1.5 * light->texel, slope = 0.6 * light->texel * sine / facing;
    int blockers = 0, lit = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double above = disk_key(light, i, turn, search, p.x, p.y) - p.key;
        if (above > bias + search * slope) {
            sum += above;
            blockers++;
        }
    }
    double above = map_key(light, p.x, p.y) - p.key;
    if (blockers == 0 && above <= bias) {
        return 1;
    }
    double mean = blockers > 0 ? sum / blockers : above;
    double width = cairn_clamp(sun_slope * mean / light->texel, 1.6, search);
    for (int i = 0; i < SAMPLES; i++) {
        lit += disk_key(light, i, turn, width, p.x, p.y) - p.key <= bias + width * slope;
    }
    return (double)lit / SAMPLES;
}

// Ambient occlusion in screen space: points in the hemisphere above the surface that lie behind what the picture shows
// there.
static double sky_at(const CairnLight *light, const CairnRaster *raster, const CairnView *view, CairnVec3 point,
                     CairnVec3 normal, Turn turn) {
    CairnVec3 t1, t2;
    cairn_tangents(normal, &t1, &t2);
    double hidden = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double u = light->disk[i][0], v = light->disk[i][1];
        CairnVec3 direction = cairn_scale(turn.c * u - turn.s * v, t1);
        direction = cairn_add_scaled(direction, turn.s * u + turn.c * v, t2);
        direction = cairn_add_scaled(direction, sqrt(1 - u * u - v * v) + 0.05, normal);
        double turned = i * 0.618034 + turn.fraction, length = light->reach * (0.15 + 0.85 * (turned - floor(turned)));
        CairnVec3 probe = cairn_add_scaled(point, length, direction);
        double depth = cairn_view_depth(view, probe);
        if (depth <= view->near) {
            continue;
        }
        CairnScreenPoint p = cairn_view_project(view, probe);
        if (!(p.x >= 0 && p.y >= 0 && p.x < raster->width && p.y < raster->height)) {
            continue;
        }
        double key = (double)raster->key[(size_t)p.y * (size_t)raster->width + (size_t)p.x];
        double before = depth - (key > 0 ? 1 / key : HUGE_VAL); // how far the probe lies behind what is seen
        if (before > 0.02 * light->reach) {
            hidden += fmin(1, 2 * light->reach / before); // far in front: another thing's edge
        }
    }
    return 1 - hidden / SAMPLES;
}

CairnVisibility cairn_light_at(const CairnLight *light, const CairnRaster *raster, const CairnView *view,
                               CairnVec3 point, CairnVec3 normal, int x, int y) {
    double fraction = noise(x, y);
    Turn turn = {cos(2 * CAIRN_PI * fraction), sin(2 * CAIRN_PI * fraction), fraction};
    return (CairnVisibility){(float)sun_at(light, point, normal, turn),
                             (float)sky_at(light, raster, view, point, normal, turn)};
}
