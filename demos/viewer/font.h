// Font: glyphs as coverage in one picture, at the very pixel size that they are shown at. From the system's sans serif,
// which fontconfig names and SDL2_ttf draws; where either is missing, from the program's own stroke font.
#ifndef CAIRN_VIEWER_FONT_H
#define CAIRN_VIEWER_FONT_H

#include <cairn/status.h>
#include <stdbool.h>

enum { CAIRN_FONT_FIRST = 32, CAIRN_FONT_GLYPHS = 95 }; // ASCII

typedef enum CairnFace { CAIRN_FACE_TEXT = 0, CAIRN_FACE_SMALL, CAIRN_FACE_TITLE, CAIRN_FACE_COUNT } CairnFace;

typedef struct CairnGlyph {
    int x, y, width, height; // in the picture
    int left, top;           // of the glyph's picture, from the pen and the line's top
    float advance;
} CairnGlyph;

typedef struct CairnFontFace {
    CairnGlyph glyphs[CAIRN_FONT_GLYPHS];
    int line; // height of a line
} CairnFontFace;

typedef struct CairnFont {
    CairnFontFace faces[CAIRN_FACE_COUNT];
    unsigned char *coverage; // 0 to 255, width x height; the first 4 x 4 are full: areas are painted with them
    int width, height;
    bool is_built_in;
} CairnFont;

// `size`: of the text face, in pixels from line to line, about.
CairnStatus cairn_font_open(CairnFont *font, double size, bool wants_built_in);
void cairn_font_close(CairnFont *font);

// ---- font_system.c ----

// Draw a face with the system's font below row *y of the picture and move *y on. False: there is no such font here.
bool cairn_font_draw_system(CairnFont *font, CairnFace face, double size, int *y);

// ---- for the two that draw ----

// Reserves an area of this size in the picture, in a new row where the last one is full; false where the picture is
// full.
bool cairn_font_reserve(CairnFont *font, int width, int height, int *x, int *y, CairnGlyph *glyph);

#endif
