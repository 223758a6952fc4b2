#include "demos/program/render/render_image.h"
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CairnStatus cairn_image_create(CairnImage *image, int width, int height) {
    if (width < 1 || width > CAIRN_IMAGE_MAX || height < 1 || height > CAIRN_IMAGE_MAX) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "image: size %dx%d must be 1x1 to %dx%d", width, height,
                           (int)CAIRN_IMAGE_MAX, (int)CAIRN_IMAGE_MAX);
    }
    unsigned char *pixels = calloc((size_t)width * (size_t)height, 3);
    if (!pixels) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "image: no memory for %dx%d pixels", width, height);
    }
    *image = (CairnImage){width, height, pixels};
    return cairn_ok();
}

void cairn_image_free(CairnImage *image) {
    free(image->pixels);
    *image = (CairnImage){0, 0, NULL};
}

// The sRGB curve, IEC 61966-2-1.
static double encode(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static double decode(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

CairnColor cairn_color(unsigned rgb) {
    return (CairnColor){decode((rgb >> 16 & 255) / 255.0), decode((rgb >> 8 & 255) / 255.0),
                        decode((rgb & 255) / 255.0)};
}

unsigned char cairn_color_byte(double linear) {
    if (!(linear > 0)) {
        return 0;
    }
    return linear >= 1 ? 255 : (unsigned char)lround(255 * encode(linear));
}

void cairn_image_set(CairnImage *image, int x, int y, CairnColor color) {
    unsigned char *pixel = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    pixel[0] = cairn_color_byte(color.r);
    pixel[1] = cairn_color_byte(color.g);
    pixel[2] = cairn_color_byte(color.b);
}

void cairn_image_blend(CairnImage *image, int x, int y, CairnColor color, double coverage) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height || !(coverage > 0)) {
        return;
    }
    const unsigned char *pixel = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    CairnColor below = cairn_color((unsigned)pixel[0] << 16 | (unsigned)pixel[1] << 8 | pixel[2]);
    cairn_image_set(image, x, y, cairn_color_mix(below, color, fmin(coverage, 1)));
}

CairnStatus cairn_image_write_png(const CairnImage *image, const char *path) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image->width;
    png.height = (png_uint_32)image->height;
    png.format = PNG_FORMAT_RGB;
    FILE *file = fopen(path, "wb");
    if (!file) {
        return cairn_error(CAIRN_IO, "cannot write %s: %s", path, strerror(errno));
    }
    int is_written = png_image_write_to_stdio(&png, file, 0, image->pixels, 0, NULL);
    int is_closed = fclose(file) == 0;
    if (!is_written || !is_closed) {
        return cairn_error(CAIRN_IO, "cannot write %s: %s", path, is_written ? strerror(errno) : png.message);
    }
    return cairn_ok();
}
