// Shade: the colour of a point of a primitive, and of the backdrop.
#ifndef CAIRN_RENDER_SHADE_H
#define CAIRN_RENDER_SHADE_H

#include "demos/program/render/render_light.h"
#include "demos/program/render/render_mesh.h"

// The fixed colours of a picture, made once.
typedef struct CairnTints {
    CairnColor top, bottom; // backdrop
    CairnColor line, field; // ground pattern
    CairnColor cream;       // light stripes
} CairnTints;

typedef struct CairnShading {
    const CairnLight *light;
    CairnView view;
    CairnVec3 target; // of the camera
    double stage;     // metres: the ground fades into the backdrop beyond this distance from the target
    double grid;      // metres: a field of the ground's pattern
    double pixel;     // width of a pixel at unit depth
    int height;       // of the picture in samples
    CairnTints tints;
} CairnShading;

// A calm colour for body `index`, and the greys of what stands still.
CairnColor cairn_body_color(int index);
CairnColor cairn_static_color(void);
CairnColor cairn_ground_color(void);
CairnTints cairn_tints(void);

CairnColor cairn_backdrop(const CairnShading *shading, double y);
// `y`: the sample's row.
CairnColor cairn_shade(const CairnShading *shading, const CairnPrimitive *primitive, int face, CairnVec3 point,
                       CairnVisibility seen, double y);

#endif
