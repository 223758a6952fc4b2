// Painter: draws sights. Instanced, one draw call a geometry; a shadow map of the sun; arrows of contact forces seen through the bodies.
#ifndef CAIRN_VIEWER_PAINTER_H
#define CAIRN_VIEWER_PAINTER_H

#include "demos/viewer/sight.h"
#include <cairn/scene.h>
#include <epoxy/gl.h>

typedef enum CairnColoring {
    CAIRN_COLOR_BODY = 0,
    CAIRN_COLOR_SPEED,
    CAIRN_COLOR_PART,
    CAIRN_COLORING_COUNT
} CairnColoring;

typedef struct CairnPainter {
    GLuint solid, shadow, backdrop, ground; // programs
    GLuint map, map_frame;                  // the shadow map
    GLuint instances, empty;                // buffer; vertex array without any
    struct CairnPainterMesh {
        GLuint array, buffer;
        int vertex_count;
    } * meshes;
    int mesh_count;
    float (*data)[16]; // of the instances of one sight
    int data_capacity;
} CairnPainter;

typedef struct CairnPainting {
    const CairnSight *sight;
    CairnCamera camera;
    CairnVec3 sun;           // unit
    double range, grid;      // of the scene's own camera: distance; field of the ground's pattern
    int x, y, width, height; // where, pixels from the bottom left
    GLuint frame;
    CairnColoring coloring;
    double top_speed; // of the colours
    bool shows_forces;
    double force_length; // metres a newton
} CairnPainting;

CairnStatus cairn_painter_open(CairnPainter *painter);
void cairn_painter_close(CairnPainter *painter);
// Bring what is new in the store to the GPU; nobody else may use the store meanwhile.
CairnStatus cairn_painter_upload(CairnPainter *painter, const CairnGeometryStore *store);
CairnStatus cairn_painter_draw(CairnPainter *painter, const CairnPainting *painting);
// 0 to 1: dark blue, blue, green, yellow.
CairnColor cairn_painter_speed_color(double share);

#endif
