// The system's font: fontconfig finds the file, SDL2_ttf draws it.
#include "demos/viewer/font.h"
#ifdef CAIRN_TTF
#include <SDL2/SDL_ttf.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdio.h>

// The file of a plain sans serif with Latin letters; false: fontconfig knows none.
static bool find_file(char *path, size_t size) {
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *wanted = config ? FcNameParse((const FcChar8 *)"Inter,Noto Sans,DejaVu Sans,sans-serif:lang=en") : NULL;
    bool is_found = false;
    if (wanted) {
        FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
        FcConfigSubstitute(config, wanted, FcMatchPattern);
        FcDefaultSubstitute(wanted);
        FcResult result = FcResultMatch;
        FcPattern *match = FcFontMatch(config, wanted, &result);
        FcChar8 *file = NULL;
        if (match && FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch) {
            is_found = snprintf(path, size, "%s", (const char *)file) < (int)size;
        }
        if (match) {
            FcPatternDestroy(match);
        }
        FcPatternDestroy(wanted);
    }
    if (config) {
        FcConfigDestroy(config);
    }
    return is_found;
}

// SDL_ttf's picture of a glyph is as high as the font, with the line's top at its own; its ink begins `minx` from the
// pen.
static bool draw_glyph(CairnFont *font, CairnFace face, TTF_Font *from, int index, int *x, int *y) {
    CairnGlyph *glyph = &font->faces[face].glyphs[index];
    int least = 0, advance = 0;
    Uint32 code = (Uint32)(CAIRN_FONT_FIRST + index);
    if (TTF_GlyphMetrics32(from, code, &least, NULL, NULL, NULL, &advance) != 0) {
        return false;
    }
    glyph->advance = (float)advance;
    glyph->left = least < 0 ? least : 0;
    SDL_Surface *surface = TTF_RenderGlyph32_Blended(from, code, (SDL_Color){255, 255, 255, 255});
    if (!surface) {
        return code == ' ';
    }
    bool has_room = cairn_font_reserve(font, surface->w, surface->h, x, y, glyph);
    for (int row = 0; has_room && row < surface->h; row++) {
        const Uint32 *pixels = (const Uint32 *)((const char *)surface->pixels + (size_t)row * (size_t)surface->pitch);
        unsigned char *coverage = font->coverage + (size_t)(glyph->y + row) * (size_t)font->width + (size_t)glyph->x;
        for (int column = 0; column < surface->w; column++) {
            coverage[column] = (unsigned char)(pixels[column] >> 24);
        }
    }
    SDL_FreeSurface(surface);
    return has_room;
}

bool cairn_font_draw_system(CairnFont *font, CairnFace face, double size, int *y) {
    char path[1024];
    if (!find_file(path, sizeof path) || TTF_Init() != 0) {
        return false;
    }
    int points = (int)lround(0.78 * size);
    TTF_Font *from = TTF_OpenFont(path, points > 6 ? points : 6);
    bool is_drawn = from != NULL;
    if (from) {
        TTF_SetFontHinting(from, TTF_HINTING_LIGHT);
        font->faces[face].line = TTF_FontHeight(from);
        int x = 0;
        for (int i = 0; i < CAIRN_FONT_GLYPHS && is_drawn; i++) {
            is_drawn = draw_glyph(font, face, from, i, &x, y);
        }
        *y += TTF_FontHeight(from) + 1;
        TTF_CloseFont(from);
    }
    TTF_Quit();
    return is_drawn;
}
#else
bool cairn_font_draw_system(CairnFont *font, CairnFace face, double size, int *y) {
    (void)font;
    (void)face;
    (void)size;
    (void)y;
    return false;
}
#endif
