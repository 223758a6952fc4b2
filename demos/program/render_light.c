#include "demos/program/render_light.h"
#include <stddef.h>

enum { MAP_SIZE = 2048, BLOCKER_SAMPLES = 10, SHADOW_SAMPLES = 16, SKY_SAMPLES = 14 };
static const double sun_slope = 0.07; // half the sun's angle: larger than the real one, for softer edges
static const double golden = 2.399963229728653;

CairnStatus cairn_light_create(CairnLight *light, const CairnMesh *mesh, CairnVec3 direction, CairnVec3 center,
                               double extent) {
    *light = (CairnLight){.direction = cairn_normalize(direction)};
    light->view = cairn_view_parallel(center, light->direction, extent, 0, MAP_SIZE);
    light->texel = 2 * extent / MAP_SIZE;
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

// Percentage-closer soft shadows (Fernando 2005): the mean height of what blocks the sun sets the width of the filter.
static double sun_at(const CairnLight *light, CairnVec3 point, CairnVec3 normal, double turn) {
    double facing = cairn_dot(normal, light->direction);
    if (facing <= 0) {
        return 0;
    }
    double lift = light->texel * (1.5 + 2.5 * sqrt(fmax(0, 1 - facing * facing)));
    CairnScreenPoint p = cairn_view_project(&light->view, cairn_add_scaled(point, lift, normal));
    double bias = 1.5 * light->texel;
    double search = 26, sum = 0; // texels
    int blockers = 0;
    for (int i = 0; i < BLOCKER_SAMPLES; i++) {
        double r = search * sqrt((i + 0.5) / BLOCKER_SAMPLES), a = golden * i + turn;
        double key = map_key(light, p.x + r * cos(a), p.y + r * sin(a));
        if (key > p.key + bias + r * light->texel * 0.6 * sqrt(fmax(0, 1 / (facing * facing) - 1))) {
            sum += key - p.key;
            blockers++;
        }
    }
    double direct = map_key(light, p.x, p.y);
    if (blockers == 0) {
        if (direct <= p.key + bias) {
            return 1;
        }
        sum = direct - p.key;
        blockers = 1;
    }
    double width = cairn_clamp(sun_slope * sum / blockers / light->texel, 1.6, search);
    double slope = light->texel * 0.6 * sqrt(fmax(0, 1 / (facing * facing) - 1));
    int lit = 0;
    for (int i = 0; i < SHADOW_SAMPLES; i++) {
        double r = width * sqrt((i + 0.5) / SHADOW_SAMPLES), a = golden * i + turn;
        lit += map_key(light, p.x + r * cos(a), p.y + r * sin(a)) <= p.key + bias + r * slope;
    }
    return (double)lit / SHADOW_SAMPLES;
}

// Ambient occlusion in screen space: points in the hemisphere above the surface that lie behind what the picture shows there.
static double sky_at(const CairnLight *light, const CairnRaster *raster, const CairnView *view, CairnVec3 point,
                     CairnVec3 normal, double turn) {
    CairnVec3 t1, t2;
    cairn_tangents(normal, &t1, &t2);
    double hidden = 0;
    for (int i = 0; i < SKY_SAMPLES; i++) {
        double share = (i + 0.5) / SKY_SAMPLES, r = sqrt(share), a = golden * i + turn;
        CairnVec3 way = cairn_add_scaled(cairn_scale(r * cos(a), t1), r * sin(a), t2);
        way = cairn_add_scaled(way, sqrt(1 - share) + 0.05, normal);
        double length = light->reach * (0.15 + 0.85 * fmod(i * 0.618034 + turn * 0.159155, 1.0));
        CairnVec3 probe = cairn_add_scaled(point, length, way);
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
            hidden += before < 2 * light->reach ? 1 : 2 * light->reach / before; // far in front: another thing's edge
        }
    }
    return 1 - hidden / SKY_SAMPLES;
}

CairnVisibility cairn_light_at(const CairnLight *light, const CairnRaster *raster, const CairnView *view,
                               CairnVec3 point, CairnVec3 normal, int x, int y) {
    double turn = 2 * CAIRN_PI * noise(x, y);
    return (CairnVisibility){(float)sun_at(light, point, normal, turn),
                             (float)sky_at(light, raster, view, point, normal, turn)};
}
