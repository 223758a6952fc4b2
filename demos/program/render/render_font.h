// Font: a small stroke font of our own for captions. ASCII; a character that it lacks is drawn as a frame.
#ifndef CAIRN_RENDER_FONT_H
#define CAIRN_RENDER_FONT_H

#include "demos/program/render/render_image.h"

// Draw with the left end of the baseline at (x, y), capitals `size` pixels tall. Returns the width in pixels.
double cairn_font_draw(CairnImage *image, double x, double y, double size, CairnColor color, const char *text);
double cairn_font_width(double size, const char *text);

#endif
