// Ink: words, areas and lines over the picture, in pixels from the top left. What is added is collected as triangles
// over one texture and drawn in one call; what is added to the upper layer (open menus) comes last. Nothing goes beyond
// the clip.
#ifndef CAIRN_VIEWER_INK_H
#define CAIRN_VIEWER_INK_H

#include "demos/viewer/font.h"
#include "demos/viewer/gpu.h"
#include <epoxy/gl.h>

typedef struct CairnArea {
    double x, y, width, height;
} CairnArea;

typedef struct CairnPaint {
    unsigned rgb;
    float alpha;
} CairnPaint;

typedef struct CairnInkCorner {
    float position[4], color[4]; // pixels and texels
} CairnInkCorner;

enum { CAIRN_INK_LAYERS = 2 };

typedef struct CairnInk {
    GLuint program, texture, buffer, array;
    GLint size_at;
    CairnFontFace faces[CAIRN_FACE_COUNT];
    bool is_built_in;
    double size; // of the text face: a line and its leading
    CairnArea clip;
    int layer;
    CairnInkCorner *corners[CAIRN_INK_LAYERS]; // three a triangle
    int count[CAIRN_INK_LAYERS], capacity[CAIRN_INK_LAYERS];
} CairnInk;

CairnStatus cairn_ink_open(CairnInk *ink, double size, bool wants_built_in);
void cairn_ink_close(CairnInk *ink);

bool cairn_area_has(CairnArea area, double x, double y);
CairnArea cairn_area_inset(CairnArea area, double by);
CairnArea cairn_area_overlap(CairnArea a, CairnArea b);

double cairn_ink_line(const CairnInk *ink, CairnFace face); // height of a line
double cairn_ink_width(const CairnInk *ink, CairnFace face, const char *words);
// x, y: the top left corner of the line. Returns the width.
double cairn_ink_words(CairnInk *ink, CairnFace face, double x, double y, CairnPaint paint, const char *words);
// As much as fits, with dots where some had to go.
double cairn_ink_fitting(CairnInk *ink, CairnFace face, double x, double y, double room, CairnPaint paint,
                         const char *words);
// In lines of at most `width`, broken at spaces. Answers how many; `paint` NULL: only that.
int cairn_ink_paragraph(CairnInk *ink, CairnFace face, double x, double y, double width, const CairnPaint *paint,
                        const char *words);
void cairn_ink_box(CairnInk *ink, CairnArea area, CairnPaint paint);
void cairn_ink_round(CairnInk *ink, CairnArea area, double radius, CairnPaint paint);
// Lines and triangles are not cut at the clip: the caller keeps them inside.
void cairn_ink_stroke(CairnInk *ink, double x0, double y0, double x1, double y1, double width, CairnPaint paint);
void cairn_ink_triangle(CairnInk *ink, const double corners[6], CairnPaint paint);
// Draw what was added, over what the target holds, and forget it. Answers the number of draw calls.
int cairn_ink_draw(CairnInk *ink, const CairnGpuTarget *target);

#endif
