// Text and panels over the picture: the program's own stroke font in a texture, collected as quads and drawn at once.
#ifndef CAIRN_VIEWER_LABELS_H
#define CAIRN_VIEWER_LABELS_H

#include "demos/program/render_image.h"
#include <epoxy/gl.h>

typedef struct CairnLabelQuad {
    float place[4], color[4];
} CairnLabelQuad;

typedef struct CairnLabels {
    GLuint program, texture, buffer, array;
    GLint size_at;
    double size; // height of capitals, pixels
    float line;  // from one line to the next
    int cell_width, cell_height, columns;
    double widths[128];
    CairnLabelQuad *corners; // six a quad
    int count, capacity;
} CairnLabels;

typedef struct CairnPaint {
    unsigned rgb;
    float alpha;
} CairnPaint;

CairnStatus cairn_labels_open(CairnLabels *text, double size);
void cairn_labels_close(CairnLabels *text);
double cairn_labels_width(const CairnLabels *text, const char *words);
// x, y: the top left corner of the line. Answers the width.
double cairn_labels_add(CairnLabels *text, double x, double y, CairnPaint paint, const char *words);
void cairn_labels_box(CairnLabels *text, double x, double y, double width, double height, CairnPaint paint);
// Draw what was added, into a picture of this size, and forget it.
void cairn_labels_draw(CairnLabels *text, int width, int height);

#endif
