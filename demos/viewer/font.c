#include "demos/viewer/font.h"
#include "demos/program/render/render_font.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FULL = 4 };

bool cairn_font_reserve(CairnFont *font, int width, int height, int *x, int *y, CairnGlyph *glyph) {
    if (*x + width + 1 > font->width) {
        *x = 0;
        *y += height + 1;
    }
    if (width >= font->width || *y + height > font->height) {
        return false;
    }
    glyph->x = *x;
    glyph->y = *y;
    glyph->width = width;
    glyph->height = height;
    *x += width + 1;
    return true;
}

// The stroke font's bytes are sRGB; coverage is linear.
static void take_strokes(CairnFont *font, const CairnGlyph *glyph, const CairnImage *image) {
    for (int row = 0; row < glyph->height; row++) {
        for (int column = 0; column < glyph->width; column++) {
            size_t from = 3 * ((size_t)row * (size_t)image->width + (size_t)column);
            size_t to = (size_t)(glyph->y + row) * (size_t)font->width + (size_t)(glyph->x + column);
            font->coverage[to] = (unsigned char)lround(255 * pow(image->pixels[from] / 255.0, 1.8));
        }
    }
}

static CairnStatus draw_built_in(CairnFont *font, CairnFace face, double size, int *y) {
    double capital = 0.56 * size;
    int height = (int)ceil(1.25 * size), x = 0;
    CairnFontFace *into = &font->faces[face];
    into->line = (int)lround(1.1 * size);
    for (int i = 0; i < CAIRN_FONT_GLYPHS; i++) {
        char letter[2] = {(char)(CAIRN_FONT_FIRST + i), '\0'};
        CairnGlyph *glyph = &into->glyphs[i];
        int width = (int)ceil(cairn_font_width(capital, letter)) + 4;
        CairnImage image;
        CAIRN_TRY(cairn_image_create(&image, width, height));
        cairn_font_draw(&image, 2, 0.85 * size, capital, (CairnColor){1, 1, 1}, letter);
        bool has_room = cairn_font_reserve(font, width, height, &x, y, glyph);
        if (has_room) {
            take_strokes(font, glyph, &image);
        }
        cairn_image_free(&image);
        if (!has_room) {
            return cairn_error(CAIRN_UNSUPPORTED, "viewer: letters of %.0f pixels are too large", size);
        }
        glyph->left = -2;
        glyph->top = 0;
        glyph->advance = (float)cairn_font_width(capital, letter);
    }
    *y += height + 1;
    return cairn_ok();
}

CairnStatus cairn_font_open(CairnFont *font, double size, bool wants_built_in) {
    static const double factors[CAIRN_FACE_COUNT] = {1, 0.84, 1.3};
    *font = (CairnFont){.width = size < 24 ? 512 : 1024, .is_built_in = wants_built_in};
    font->height = font->width;
    font->coverage = calloc((size_t)font->width * (size_t)font->height, 1);
    if (!font->coverage) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for the font");
    }
    for (int i = 0; i < FULL; i++) {
        memset(font->coverage + (size_t)i * (size_t)font->width, 255, FULL);
    }
    CairnStatus status = cairn_ok();
    for (int face = 0, y = FULL + 1; face < CAIRN_FACE_COUNT && cairn_is_ok(status); face++) {
        if (!font->is_built_in && !cairn_font_draw_system(font, (CairnFace)face, size * factors[face], &y)) {
            font->is_built_in = true;
        }
        status = font->is_built_in ? draw_built_in(font, (CairnFace)face, size * factors[face], &y) : cairn_ok();
    }
    if (!cairn_is_ok(status)) {
        cairn_font_close(font);
    }
    return status;
}

void cairn_font_close(CairnFont *font) {
    free(font->coverage);
    font->coverage = NULL;
}
