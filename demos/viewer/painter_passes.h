// Painter's passes: the functions that only the painter's files use.
#ifndef CAIRN_VIEWER_PAINTER_PASSES_H
#define CAIRN_VIEWER_PAINTER_PASSES_H

#include "demos/viewer/painter.h"
#include <cglm/cglm.h>

typedef struct CairnMatrices {
    mat4 camera, light, sky;
    float texel;  // of the shadow map, metres
    float spread; // of the sky's light, fraction of its map
} CairnMatrices;

bool cairn_painter_has_points(const int *starts);
// What is drawn with the same geometry lies together.
void cairn_painter_group(CairnPainter *painter, int g, int first, int count);
// Solids: the backs of those that are closed are not seen, and half of the triangles need not be drawn.
void cairn_painter_solid(CairnPainter *painter, int g, int first, int count);
void cairn_painter_points(CairnPainter *painter, const int *starts);

void cairn_painter_float(GLuint program, const char *name, double x);
// What discs face: a point (is_point 1), or a direction (is_point 0).
void cairn_painter_toward(GLuint program, CairnVec3 v, double is_point);
// A program, and what they all know of the view. Names that a program does not have are ignored (location -1).
void cairn_painter_use(const CairnPainter *painter, GLuint program, const CairnPainting *painting,
                       CairnMatrices *matrices);

// ---- painter_maps.c ----

const CairnPainterMaps *cairn_painter_maps(const CairnPainter *painter, const CairnPainting *painting);
void cairn_painter_size_maps(CairnPainter *painter, const CairnPainting *painting, bool has_many);
void cairn_painter_draw_maps(CairnPainter *painter, const CairnPainting *painting, CairnMatrices *matrices,
                             const int *starts);
void cairn_painter_close_maps(CairnPainter *painter);

#endif
