// Painter: draws sights. Instanced, one draw call a geometry; a shadow map of the sun, and one of the sky, which makes it darker where
// bodies are close to each other; marks are seen through the bodies.
#ifndef CAIRN_VIEWER_PAINTER_H
#define CAIRN_VIEWER_PAINTER_H

#include "demos/viewer/instances.h"
#include <epoxy/gl.h>

typedef struct CairnPainter {
    GLuint solid, striped, discs, deep_discs, points, shadow, shadow_points, backdrop, ground; // programs
    GLuint map, map_frame;                                                                     // the sun's shadow map
    int map_size;            // texels; the sky's has half as many
    GLuint sky, sky_frame;   // the sky's: what lies above
    GLuint instances, empty; // buffer; vertex array without any
    struct CairnPainterMesh {
        GLuint array, buffer;
        int vertex_count;
    } * meshes;
    int mesh_count;
    CairnInstances solids; // of one sight
    CairnMarks marks;
    int draw_calls; // since the last picture of the window began
} CairnPainter;

CairnStatus cairn_painter_open(CairnPainter *painter);
void cairn_painter_close(CairnPainter *painter);
// Bring what is new in the store to the GPU; nobody else may use the store meanwhile.
CairnStatus cairn_painter_upload(CairnPainter *painter, const CairnGeometryStore *store);
CairnStatus cairn_painter_draw(CairnPainter *painter, const CairnPainting *painting);

#endif
