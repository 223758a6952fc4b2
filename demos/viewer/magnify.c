#include "demos/viewer/magnify.h"
#include <stdlib.h>
#include <string.h>

// ---- a row at a time ----

enum { ONE = 256, EVEN = 0x00FF00FF };

// Where the middle of pixel `i` of `many` lies among `few`: the pixel before it, and the weight of the next one, which
// always exists.
static void sample_at(int i, int many, int few, int32_t *before, uint32_t *weight) {
    int64_t at = ((2 * (int64_t)i + 1) * few * ONE / many - ONE) / 2, most = (int64_t)(few - 1) * ONE;
    at = at < 0 ? 0 : at > most ? most : at;
    int64_t pixel = at / ONE < few - 2 ? at / ONE : few - 2;
    *before = (int32_t)pixel;
    *weight = (uint32_t)(at - pixel * ONE);
}

// Four channels of eight bits with eight bits of room each, so that all are weighed at once.
static uint64_t spread(uint32_t pixel) {
    return (pixel & EVEN) | (uint64_t)(pixel >> 8 & EVEN) << 32;
}

// Sequentially along the row, since gathers from many addresses at once are slow on processors.
static void widen(const CairnMagnifier *magnifier, const uint32_t *from, uint32_t *to) {
    int32_t at = 0;
    uint64_t a = spread(from[0]), b = spread(from[1]);
    for (int x = 0; x < magnifier->width; x++) {
        if (magnifier->before[x] != at) {
            at = magnifier->before[x];
            a = spread(from[at]);
            b = spread(from[at + 1]);
        }
        uint64_t weight = magnifier->weights[x], mixed = (a * (ONE - weight) + b * weight) >> 8;
        to[x] = (uint32_t)(mixed & EVEN) | (uint32_t)(mixed >> 32 & EVEN) << 8;
    }
}

// Channel by channel in sixteen bits, of which a processor does the most at once.
static void mix_rows(const uint8_t *restrict a, const uint8_t *restrict b, uint32_t weight, uint8_t *restrict to,
                     size_t count) {
    uint16_t of_b = (uint16_t)weight, of_a = (uint16_t)(ONE - weight);
    for (size_t i = 0; i < count; i++) {
        to[i] = (uint8_t)((uint16_t)(a[i] * of_a + b[i] * of_b) >> 8);
    }
}

// Row `k` of the small picture, from its top, widened: it is cached until a row of the same parity is needed.
static const uint32_t *wide_row(const CairnMagnifier *magnifier, int (*cached)[2], int k, int w, int h) {
    uint32_t *row = magnifier->rows + (size_t)(k % 2) * (size_t)magnifier->width;
    if ((*cached)[k % 2] != k) {
        (*cached)[k % 2] = k;
        widen(magnifier, magnifier->small + (size_t)(h - 1 - k) * (size_t)w, row);
    }
    return row;
}

// The small picture has two pixels a side at least.
static void magnify(CairnMagnifier *magnifier, int w, int h) {
    int cached[2] = {-1, -1}, height = magnifier->height;
    size_t bytes = (size_t)magnifier->width * sizeof(uint32_t);
    for (int y = 0; y < height; y++) {
        int32_t before;
        uint32_t weight;
        sample_at(y, height, h, &before, &weight);
        const uint32_t *a = wide_row(magnifier, &cached, before, w, h);
        const uint32_t *b = wide_row(magnifier, &cached, before + 1, w, h);
        uint32_t *to = magnifier->large + (size_t)y * (size_t)magnifier->width;
        mix_rows((const uint8_t *)a, (const uint8_t *)b, weight, (uint8_t *)to, bytes);
    }
}

// Both have the same size: only the order of the rows is reversed.
static void turn_over(CairnMagnifier *magnifier) {
    size_t width = (size_t)magnifier->width, height = (size_t)magnifier->height;
    for (size_t y = 0; y < height; y++) {
        memcpy(magnifier->large + y * width, magnifier->small + (height - 1 - y) * width, width * sizeof(uint32_t));
    }
}

// ---- from and to the driver ----

static CairnStatus make_room(CairnMagnifier *magnifier, size_t small, size_t width, size_t height) {
    size_t wanted = small + width * height + 4 * width;
    if (magnifier->room < wanted) {
        uint32_t *larger = realloc(magnifier->memory, wanted * sizeof *larger);
        if (!larger) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a picture of %zu words", wanted);
        }
        magnifier->memory = larger;
        magnifier->room = wanted;
    }
    magnifier->large = magnifier->memory;
    magnifier->rows = magnifier->large + width * height;
    magnifier->weights = magnifier->rows + 2 * width;
    magnifier->before = (int32_t *)(magnifier->weights + width);
    magnifier->small = magnifier->weights + 2 * width;
    magnifier->width = (int)width;
    magnifier->height = (int)height;
    return cairn_ok();
}

static void read_pixels(const CairnGpuTarget *from, uint32_t *pixels) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->many);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, from->width, from->height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, pixels);
}

CairnStatus cairn_magnifier_take(CairnMagnifier *magnifier, const CairnGpuTarget *from, int width, int height) {
    size_t small = (size_t)from->width * (size_t)from->height;
    CAIRN_TRY(make_room(magnifier, small, (size_t)width, (size_t)height));
    read_pixels(from, magnifier->small);
    if (from->width == width && from->height == height) {
        turn_over(magnifier);
        return cairn_ok();
    }
    for (int x = 0; x < width; x++) {
        sample_at(x, width, from->width, &magnifier->before[x], &magnifier->weights[x]);
    }
    magnify(magnifier, from->width, from->height);
    return cairn_ok();
}

void cairn_magnifier_lay(const CairnMagnifier *magnifier, const CairnGpuTarget *to) {
    glBindTexture(GL_TEXTURE_2D, to->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, magnifier->width, magnifier->height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                    magnifier->large);
}

void cairn_magnifier_free(CairnMagnifier *magnifier) {
    free(magnifier->memory);
    *magnifier = (CairnMagnifier){.memory = NULL};
}
