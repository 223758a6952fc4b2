// Image: 8-bit RGB pixels, and writing them to a PNG file.
#ifndef CAIRN_RENDER_IMAGE_H
#define CAIRN_RENDER_IMAGE_H

#include <cairn/status.h>

enum { CAIRN_IMAGE_MAX = 8192 }; // pixels on a side

typedef struct CairnImage {
    int width, height;
    unsigned char *pixels; // rows from the top, three bytes a pixel (sRGB)
} CairnImage;

// Linear light, 1 is white.
typedef struct CairnColor {
    double r, g, b;
} CairnColor;

CairnStatus cairn_image_create(CairnImage *image, int width, int height);
void cairn_image_free(CairnImage *image);
CairnStatus cairn_image_write_png(const CairnImage *image, const char *path);

// sRGB hexadecimal (0xRRGGBB) to linear light, and linear light to a byte.
CairnColor cairn_color(unsigned rgb);
unsigned char cairn_color_byte(double linear);

static inline CairnColor cairn_color_scale(double s, CairnColor c) {
    return (CairnColor){s * c.r, s * c.g, s * c.b};
}

// (1 - t) a + t b
static inline CairnColor cairn_color_mix(CairnColor a, CairnColor b, double t) {
    return (CairnColor){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

void cairn_image_set(CairnImage *image, int x, int y, CairnColor color);
// Mix a colour over what is there: coverage 0 leaves it, 1 replaces it. Outside the image nothing happens.
void cairn_image_blend(CairnImage *image, int x, int y, CairnColor color, double coverage);

#endif
