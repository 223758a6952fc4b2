// Light: which fraction of the light of sun and sky reaches a point. The sun by a shadow map with soft edges that widen
// with the distance from what casts them; the sky by looking for occluders around the point in the picture's own depth.
#ifndef CAIRN_RENDER_LIGHT_H
#define CAIRN_RENDER_LIGHT_H

#include "demos/program/render/render_mesh.h"
#include "demos/program/render/render_raster.h"

enum { CAIRN_LIGHT_SAMPLES = 16 };

typedef struct CairnLight {
    CairnVec3 direction; // towards the sun, unit
    CairnView view;      // from the sun
    CairnRaster map;
    double texel;                        // metres
    double reach;                        // metres: how far the sky's occluders are looked for
    double disk[CAIRN_LIGHT_SAMPLES][2]; // points spread evenly over the unit disk, from the middle out
} CairnLight;

typedef struct CairnVisibility {
    float sun, sky; // 0: none, 1: all
} CairnVisibility;

// Draw the shadow map of what lies within `extent` of `center`.
CairnStatus cairn_light_create(CairnLight *light, const CairnMesh *mesh, CairnVec3 direction, CairnVec3 center,
                               double extent);
void cairn_light_free(CairnLight *light);

// `x`, `y`: the pixel, which turns the sampling pattern so that its error is a fine grain and not a band.
CairnVisibility cairn_light_at(const CairnLight *light, const CairnRaster *raster, const CairnView *view,
                               CairnVec3 point, CairnVec3 normal, int x, int y);

#endif
