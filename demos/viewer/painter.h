// Painter: draws sights. Instanced, one draw call a geometry; a shadow map of the sun, and one of the sky, which makes
// it darker where bodies are close to each other; marks are seen through the bodies.
#ifndef CAIRN_VIEWER_PAINTER_H
#define CAIRN_VIEWER_PAINTER_H

#include "demos/viewer/instances.h"
#include <epoxy/gl.h>

typedef enum CairnProgram {
    CAIRN_PROGRAM_SHADOW = 0,
    CAIRN_PROGRAM_BACKDROP, // these four where edges are smooth
    CAIRN_PROGRAM_SOLID,
    CAIRN_PROGRAM_STRIPED,
    CAIRN_PROGRAM_GROUND,
    CAIRN_PROGRAM_PLAIN_BACKDROP, // and these where a processor draws
    CAIRN_PROGRAM_PLAIN_SOLID,
    CAIRN_PROGRAM_PLAIN_STRIPED,
    CAIRN_PROGRAM_PLAIN_GROUND,
    CAIRN_PROGRAM_DEEP_DISCS, // where balls are very many; smooth
    CAIRN_PROGRAM_DISCS,
    CAIRN_PROGRAM_POINTS,
    CAIRN_PROGRAM_SHADOW_POINTS,
    CAIRN_PROGRAM_SHADOW_DISCS,
    CAIRN_PROGRAM_COUNT
} CairnProgram;

// What maps show: where it is the same, they stand while the camera turns.
typedef struct CairnMapped {
    const CairnSight *sight;
    uint64_t serial;
    float light[16], sky[16];
    int size;
    bool has_sky, is_smooth;
} CairnMapped;

typedef struct CairnPainterMaps {
    GLuint sun, sun_frame; // the sun's shadow map
    GLuint sky, sky_frame; // the sky's: what lies above
    int size;              // texels a side of the sun's; the sky's has half as many
    CairnMapped mapped;
    bool has_old, sky_is_next; // of the two one is a picture behind; which is drawn next
} CairnPainterMaps;

typedef struct CairnPainter {
    GLuint programs[CAIRN_PROGRAM_COUNT]; // 0: not needed until now
    GLuint instances, empty;              // buffer; vertex array without any
    struct CairnPainterMesh {
        GLuint array, buffer;
        int vertex_count;
        bool is_closed;
    } * meshes;
    int mesh_count;
    CairnInstances solids;    // of one sight
    CairnPainterMaps maps[2]; // of coarse pictures, and of all others: neither replaces the other
    CairnMarks marks;
    int draw_calls; // since views were begun
} CairnPainter;

CairnStatus cairn_painter_open(CairnPainter *painter);
void cairn_painter_close(CairnPainter *painter);
// Bring what is new in the store to the GPU; no other thread may use the store meanwhile.
CairnStatus cairn_painter_upload(CairnPainter *painter, const CairnDrawnMeshStore *store);
// programs.c: those that a picture with these instances needs.
CairnStatus cairn_painter_need(CairnPainter *painter, bool is_smooth, const int *starts);
CairnStatus cairn_painter_draw(CairnPainter *painter, const CairnPainting *painting);

// Draws the picture of cairn_painter_draw piece by piece: first what all of it needs; then the solids in boxes that
// cover it, `box` in pixels of the frame; then what lies over them. Nothing else may be drawn between by this painter.
typedef struct CairnPainterBox {
    int x, y, width, height; // from the bottom left
} CairnPainterBox;

CairnPainterBox cairn_painting_box(const CairnPainting *painting); // all of it
CairnStatus cairn_painter_begin(CairnPainter *painter, const CairnPainting *painting);
void cairn_painter_piece(CairnPainter *painter, const CairnPainting *painting, CairnPainterBox box);
CairnStatus cairn_painter_end(CairnPainter *painter, const CairnPainting *painting);

#endif
