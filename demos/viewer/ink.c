#include "demos/viewer/ink.h"
#include "demos/program/session/reserve.h"
#include "demos/viewer/gpu.h"
#include "demos/viewer/shaders.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CairnArea everywhere = {-1e6, -1e6, 2e6, 2e6};

CairnStatus cairn_ink_open(CairnInk *ink, double size, bool wants_built_in) {
    *ink = (CairnInk){.size = size, .clip = everywhere};
    CAIRN_TRY(
        cairn_gpu_program("overlay", cairn_shader_overlay_vertex, "", cairn_shader_overlay_fragment, &ink->program));
    ink->size_at = glGetUniformLocation(ink->program, "u_size");
    CairnFont font;
    CAIRN_TRY(cairn_font_open(&font, size, wants_built_in));
    memcpy(ink->faces, font.faces, sizeof ink->faces);
    ink->is_built_in = font.is_built_in;
    glGenTextures(1, &ink->texture);
    glBindTexture(GL_TEXTURE_2D, ink->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, font.width, font.height, 0, GL_RED, GL_UNSIGNED_BYTE, font.coverage);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    cairn_font_close(&font);
    glGenVertexArrays(1, &ink->array);
    glBindVertexArray(ink->array);
    glGenBuffers(1, &ink->buffer);
    glBindBuffer(GL_ARRAY_BUFFER, ink->buffer);
    for (GLuint i = 0; i < 2; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(CairnInkCorner), (const void *)(i * 4 * sizeof(float)));
    }
    glBindVertexArray(0);
    return cairn_ok();
}

void cairn_ink_close(CairnInk *ink) {
    glDeleteProgram(ink->program);
    glDeleteTextures(1, &ink->texture);
    glDeleteBuffers(1, &ink->buffer);
    glDeleteVertexArrays(1, &ink->array);
    for (int i = 0; i < CAIRN_INK_LAYERS; i++) {
        free(ink->corners[i]);
    }
    *ink = (CairnInk){0};
}

// ---- areas ----

bool cairn_area_has(CairnArea area, double x, double y) {
    return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
}

CairnArea cairn_area_inset(CairnArea area, double by) {
    return (CairnArea){area.x + by, area.y + by, fmax(area.width - 2 * by, 0), fmax(area.height - 2 * by, 0)};
}

CairnArea cairn_area_overlap(CairnArea a, CairnArea b) {
    double x = fmax(a.x, b.x), y = fmax(a.y, b.y);
    return (CairnArea){x, y, fmax(fmin(a.x + a.width, b.x + b.width) - x, 0),
                       fmax(fmin(a.y + a.height, b.y + b.height) - y, 0)};
}

// ---- triangles ----

// Three corners to fill in; NULL without memory: a window without a letter is better than none.
static CairnInkCorner *next_triangle(CairnInk *ink) {
    int layer = ink->layer;
    int needed = ink->count[layer] + 3;
    if (!cairn_array_reserve(&ink->corners[layer], &ink->capacity[layer], needed, sizeof *ink->corners[layer])) {
        return NULL;
    }
    ink->count[layer] += 3;
    return ink->corners[layer] + ink->count[layer] - 3;
}

static void add_triangle(CairnInk *ink, const double at[6], const double texels[6], CairnPaint paint) {
    CairnInkCorner *corners = next_triangle(ink);
    for (int i = 0; corners && i < 3; i++) {
        corners[i] =
            (CairnInkCorner){{(float)at[2 * i], (float)at[2 * i + 1], (float)texels[2 * i], (float)texels[2 * i + 1]},
                             {(float)(paint.rgb >> 16 & 255) / 255.0f, (float)(paint.rgb >> 8 & 255) / 255.0f,
                              (float)(paint.rgb & 255) / 255.0f, paint.alpha}};
    }
}

// An upright rectangle with its texels, cut at the clip.
static void add_quad(CairnInk *ink, CairnArea area, double u, double v, double du, double dv, CairnPaint paint) {
    CairnArea cut = cairn_area_overlap(area, ink->clip);
    if (cut.width <= 0 || cut.height <= 0) {
        return;
    }
    double x0 = cut.x, y0 = cut.y, x1 = cut.x + cut.width, y1 = cut.y + cut.height;
    double u0 = u + (x0 - area.x) * du / area.width, u1 = u + (x1 - area.x) * du / area.width;
    double v0 = v + (y0 - area.y) * dv / area.height, v1 = v + (y1 - area.y) * dv / area.height;
    add_triangle(ink, (double[]){x0, y0, x1, y0, x0, y1}, (double[]){u0, v0, u1, v0, u0, v1}, paint);
    add_triangle(ink, (double[]){x0, y1, x1, y0, x1, y1}, (double[]){u0, v1, u1, v0, u1, v1}, paint);
}

void cairn_ink_box(CairnInk *ink, CairnArea area, CairnPaint paint) {
    add_quad(ink, area, 1, 1, 1, 1, paint);
}

void cairn_ink_triangle(CairnInk *ink, const double corners[6], CairnPaint paint) {
    static const double full[6] = {1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
    add_triangle(ink, corners, full, paint);
}

void cairn_ink_stroke(CairnInk *ink, double x0, double y0, double x1, double y1, double width, CairnPaint paint) {
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0)) {
        return;
    }
    double nx = -0.5 * width * dy / length, ny = 0.5 * width * dx / length;
    cairn_ink_triangle(ink, (double[]){x0 + nx, y0 + ny, x1 + nx, y1 + ny, x0 - nx, y0 - ny}, paint);
    cairn_ink_triangle(ink, (double[]){x0 - nx, y0 - ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny}, paint);
}

// Corners that the clip meets are square: half a button at the edge of a list is cut, not reshaped.
void cairn_ink_round(CairnInk *ink, CairnArea a, double radius, CairnPaint paint) {
    enum { STEPS = 4 };
    double r = fmin(radius, 0.5 * fmin(a.width, a.height));
    CairnArea cut = cairn_area_overlap(a, ink->clip);
    const double hair = 1e-6; // what rounding takes is no cut
    if (cut.width < a.width - hair || cut.height < a.height - hair || r < 1) {
        cairn_ink_box(ink, a, paint);
        return;
    }
    cairn_ink_box(ink, (CairnArea){a.x + r, a.y, a.width - 2 * r, a.height}, paint);
    cairn_ink_box(ink, (CairnArea){a.x, a.y + r, r, a.height - 2 * r}, paint);
    cairn_ink_box(ink, (CairnArea){a.x + a.width - r, a.y + r, r, a.height - 2 * r}, paint);
    for (int corner = 0; corner < 4; corner++) {
        double sx = corner & 1 ? 1 : -1, sy = corner & 2 ? 1 : -1;
        double cx = corner & 1 ? a.x + a.width - r : a.x + r, cy = corner & 2 ? a.y + a.height - r : a.y + r;
        for (int i = 0; i < STEPS; i++) {
            double p = 1.5707963267948966 * i / STEPS, q = 1.5707963267948966 * (i + 1) / STEPS;
            cairn_ink_triangle(ink,
                               (double[]){cx, cy, cx + sx * r * cos(p), cy + sy * r * sin(p), cx + sx * r * cos(q),
                                          cy + sy * r * sin(q)},
                               paint);
        }
    }
}

// ---- words ----

static const CairnGlyph *glyph_of(const CairnInk *ink, CairnFace face, char letter) {
    int code = (unsigned char)letter - CAIRN_FONT_FIRST;
    return &ink->faces[face].glyphs[code >= 0 && code < CAIRN_FONT_GLYPHS ? code : '?' - CAIRN_FONT_FIRST];
}

double cairn_ink_line(const CairnInk *ink, CairnFace face) {
    return ink->faces[face].line;
}

double cairn_ink_width(const CairnInk *ink, CairnFace face, const char *words) {
    double width = 0;
    for (; *words; words++) {
        width += (double)glyph_of(ink, face, *words)->advance;
    }
    return width;
}

double cairn_ink_words(CairnInk *ink, CairnFace face, double x, double y, CairnPaint paint, const char *words) {
    double pen = x;
    for (; *words; words++) {
        const CairnGlyph *glyph = glyph_of(ink, face, *words);
        // On whole pixels, so that texels are pixels.
        CairnArea area = {floor(pen + 0.5) + glyph->left, floor(y + 0.5) + glyph->top, glyph->width, glyph->height};
        if (glyph->width > 0 && *words != ' ') {
            add_quad(ink, area, glyph->x, glyph->y, glyph->width, glyph->height, paint);
        }
        pen += (double)glyph->advance;
    }
    return pen - x;
}

double cairn_ink_fitting(CairnInk *ink, CairnFace face, double x, double y, double room, CairnPaint paint,
                         const char *words) {
    char cut[400];
    snprintf(cut, sizeof cut, "%s", words);
    size_t length = strlen(cut);
    while (length > 3 && cairn_ink_width(ink, face, cut) > room) {
        cut[--length] = '\0';
        memcpy(cut + length - 2, "..", 2);
    }
    return cairn_ink_words(ink, face, x, y, paint, cut);
}

int cairn_ink_paragraph(CairnInk *ink, CairnFace face, double x, double y, double width, const CairnPaint *paint,
                        const char *words) {
    int lines = 0;
    while (*words) {
        char line[200] = "";
        size_t length = 0, best = 0;
        while (words[length] && length < sizeof line - 1) {
            line[length] = words[length];
            line[length + 1] = '\0';
            if (cairn_ink_width(ink, face, line) > width) {
                break;
            }
            length++;
            best = words[length] == ' ' || !words[length] ? length : best;
        }
        best = best ? best : length ? length : 1;
        line[best] = '\0';
        if (paint) {
            cairn_ink_words(ink, face, x, y, *paint, line);
        }
        y += cairn_ink_line(ink, face);
        words += best;
        words += strspn(words, " ");
        lines++;
    }
    return lines;
}

int cairn_ink_draw(CairnInk *ink, const CairnGpuTarget *target) {
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glViewport(0, 0, target->width, target->height);
    glUseProgram(ink->program);
    glUniform3f(ink->size_at, (float)target->width, (float)target->height, target->is_top_first ? -1 : 1);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, ink->texture);
    glBindVertexArray(ink->array);
    glBindBuffer(GL_ARRAY_BUFFER, ink->buffer);
    size_t sizes[CAIRN_INK_LAYERS], all = 0;
    for (int i = 0; i < CAIRN_INK_LAYERS; i++) {
        sizes[i] = (size_t)ink->count[i] * sizeof(CairnInkCorner);
        all += sizes[i];
    }
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)all, NULL, GL_STREAM_DRAW);
    size_t at = 0;
    for (int i = 0; i < CAIRN_INK_LAYERS; i++) {
        if (sizes[i] > 0) {
            glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)at, (GLsizeiptr)sizes[i], ink->corners[i]);
        }
        at += sizes[i];
        ink->count[i] = 0;
    }
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(all / sizeof(CairnInkCorner)));
    glBindVertexArray(0);
    glDisable(GL_BLEND);
    ink->layer = 0;
    ink->clip = everywhere;
    return 1;
}
