#include "demos/viewer/labels.h"
#include "demos/program/render_font.h"
#include "demos/viewer/gpu.h"
#include "demos/viewer/shaders.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, FIRST = 32, GLYPHS = 96 }; // the cell after '~' is full: boxes are drawn with it

// All glyphs in one picture, white on black; the bytes are sRGB, the shares that the texture holds are not.
static CairnStatus draw_glyphs(CairnLabels *text) {
    CairnImage image;
    int rows = GLYPHS / COLUMNS;
    CAIRN_TRY(cairn_image_create(&image, COLUMNS * text->cell_width, rows * text->cell_height));
    size_t pixels = (size_t)image.width * (size_t)image.height;
    unsigned char *shares = malloc(pixels);
    if (!shares) {
        cairn_image_free(&image);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for the font");
    }
    CairnColor white = {1, 1, 1};
    for (int i = 0; i < GLYPHS; i++) {
        char letter[2] = {(char)(FIRST + i), '\0'};
        int x = i % COLUMNS * text->cell_width, y = i / COLUMNS * text->cell_height;
        text->widths[FIRST + i] = cairn_font_width(text->size, letter);
        if (i < GLYPHS - 1) {
            cairn_font_draw(&image, x + 2, y + 1.5 * text->size, text->size, white, letter);
        }
        for (int k = 0; i == GLYPHS - 1 && k < text->cell_width * text->cell_height; k++) {
            cairn_image_set(&image, x + k % text->cell_width, y + k / text->cell_width, white);
        }
    }
    for (size_t i = 0; i < pixels; i++) {
        shares[i] = (unsigned char)lround(255 * pow(image.pixels[3 * i] / 255.0, 1.8));
    }
    glGenTextures(1, &text->texture);
    glBindTexture(GL_TEXTURE_2D, text->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, image.width, image.height, 0, GL_RED, GL_UNSIGNED_BYTE, shares);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(shares);
    cairn_image_free(&image);
    return cairn_ok();
}

CairnStatus cairn_labels_open(CairnLabels *text, double size) {
    *text = (CairnLabels){.size = size,
                          .line = (float)floor(1.9 * size),
                          .cell_width = (int)ceil(1.4 * size) + 4,
                          .cell_height = (int)ceil(2.1 * size)};
    CAIRN_TRY(cairn_gpu_program("overlay", cairn_shader_overlay_vertex, cairn_shader_overlay_fragment, &text->program));
    text->size_at = glGetUniformLocation(text->program, "u_size");
    CAIRN_TRY(draw_glyphs(text));
    glGenVertexArrays(1, &text->array);
    glBindVertexArray(text->array);
    glGenBuffers(1, &text->buffer);
    glBindBuffer(GL_ARRAY_BUFFER, text->buffer);
    for (GLuint i = 0; i < 2; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(CairnLabelQuad),
                              (const void *)(i * sizeof text->corners->place));
    }
    glBindVertexArray(0);
    return cairn_ok();
}

void cairn_labels_close(CairnLabels *text) {
    glDeleteProgram(text->program);
    glDeleteTextures(1, &text->texture);
    glDeleteBuffers(1, &text->buffer);
    glDeleteVertexArrays(1, &text->array);
    free(text->corners);
    *text = (CairnLabels){0};
}

static int code_of(char letter) {
    int code = (unsigned char)letter;
    return code >= FIRST && code < FIRST + GLYPHS - 1 ? code : '?';
}

double cairn_labels_width(const CairnLabels *text, const char *words) {
    double width = 0;
    for (; *words; words++) {
        width += text->widths[code_of(*words)];
    }
    return width;
}

// Without memory the quad is left out: a window without a letter is better than none.
static void add_quad(CairnLabels *text, const float at[4], const float texels[4], CairnPaint paint) {
    if (text->count + 6 > text->capacity) {
        int capacity = 2 * text->capacity + 600;
        CairnLabelQuad *corners = realloc(text->corners, (size_t)capacity * sizeof *corners);
        if (!corners) {
            return;
        }
        text->corners = corners;
        text->capacity = capacity;
    }
    static const int order[6] = {0, 1, 2, 2, 1, 3};
    for (int i = 0; i < 6; i++) {
        int right = order[i] & 1, down = order[i] >> 1;
        text->corners[text->count++] = (CairnLabelQuad){
            {right ? at[2] : at[0], down ? at[3] : at[1], right ? texels[2] : texels[0], down ? texels[3] : texels[1]},
            {(float)(paint.rgb >> 16 & 255) / 255.0f, (float)(paint.rgb >> 8 & 255) / 255.0f,
             (float)(paint.rgb & 255) / 255.0f, paint.alpha}};
    }
}

double cairn_labels_add(CairnLabels *text, double x, double y, CairnPaint paint, const char *words) {
    double start = x;
    for (; *words; words++) {
        int code = code_of(*words), i = code - FIRST;
        float left = (float)(i % COLUMNS * text->cell_width), top = (float)(i / COLUMNS * text->cell_height);
        float w = (float)text->cell_width, h = (float)text->cell_height;
        float px = floorf((float)x + 0.5f) - 2, py = floorf((float)(y - 0.25 * text->size) + 0.5f);
        if (code != ' ') {
            add_quad(text, (float[4]){px, py, px + w, py + h}, (float[4]){left, top, left + w, top + h}, paint);
        }
        x += text->widths[code];
    }
    return x - start;
}

void cairn_labels_box(CairnLabels *text, double x, double y, double width, double height, CairnPaint paint) {
    float left = (float)((GLYPHS - 1) % COLUMNS * text->cell_width) + 2;
    float top = (float)((GLYPHS - 1) / COLUMNS * text->cell_height) + 2;
    add_quad(text, (float[4]){(float)x, (float)y, (float)(x + width), (float)(y + height)},
             (float[4]){left, top, left + 1, top + 1}, paint);
}

void cairn_labels_draw(CairnLabels *text, int width, int height) {
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glViewport(0, 0, width, height);
    glUseProgram(text->program);
    glUniform2f(text->size_at, (float)width, (float)height);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, text->texture);
    glBindVertexArray(text->array);
    glBindBuffer(GL_ARRAY_BUFFER, text->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)text->count * sizeof *text->corners), text->corners,
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, text->count);
    glBindVertexArray(0);
    glDisable(GL_BLEND);
    text->count = 0;
}
