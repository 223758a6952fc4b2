#include "demos/program/render/render_shade.h"

// After the colour-blind-safe palette of Okabe and Ito (2008), calmed; neighbours in the list differ in lightness as
// well.
CairnColor cairn_body_color(int index) {
    static const unsigned palette[] = {0x2F7FB5, 0xE3A33B, 0x3A9D86, 0xD0693C, 0x7DB9DE, 0xC48BB0, 0xE8D56B};
    return cairn_color(palette[index % (int)(sizeof palette / sizeof palette[0])]);
}

CairnColor cairn_static_color(void) {
    return cairn_color(0xA9AEB6);
}

CairnColor cairn_ground_color(void) {
    return cairn_color(0xD3D6DA);
}

CairnTints cairn_tints(void) {
    return (CairnTints){.top = cairn_color(0xC9D5E1),
                        .bottom = cairn_color(0xF3F2EE),
                        .line = cairn_color(0x8A95A2),
                        .field = cairn_color(0xFFFFFF),
                        .cream = cairn_color(0xF3EFE6)};
}

static double smooth(double low, double high, double x) {
    double t = cairn_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

CairnColor cairn_backdrop(const CairnShading *shading, double y) {
    return cairn_color_mix(shading->tints.top, shading->tints.bottom, smooth(0, 0.75, y / shading->height));
}

// Share of a strip [centre - width, centre + width] around every whole number, averaged over a footprint: lines that
// fade where they would be thinner than a pixel instead of flickering.
static double line(double x, double width, double footprint) {
    double d = fabs(x - floor(x + 0.5));
    double f = fmax(footprint, 1e-9);
    double fraction = cairn_clamp((width - d) / f + 0.5, 0, 1) * fmin(1, 2 * width / f);
    return footprint > 0.5 ? 2 * width : fraction;
}

static CairnColor ground_color(const CairnShading *shading, const CairnPrimitive *primitive, CairnVec3 local,
                               CairnVec3 point) {
    double footprint = shading->pixel * cairn_view_depth(&shading->view, point) / shading->grid;
    double x = local.x / shading->grid, y = local.y / shading->grid;
    bool is_dark = ((int)floor(x) + (int)floor(y)) & 1;
    double contrast = 1 - smooth(0.15, 0.6, footprint);
    CairnColor color = cairn_color_mix(primitive->color, shading->tints.field, is_dark ? 0 : 0.13 * contrast);
    double lines = fmax(line(x, 0.010, footprint), line(y, 0.010, footprint));
    return cairn_color_mix(color, shading->tints.line, 0.35 * lines * contrast);
}

// Six stripes and two caps: any rotation shows.
static CairnColor ball_color(const CairnShading *shading, const CairnPrimitive *primitive, CairnVec3 local) {
    CairnVec3 n = cairn_normalize(local);
    if (fabs(n.z) > 0.94) {
        return shading->tints.cream;
    }
    bool is_light = (int)floor(3 * (atan2(n.y, n.x) / CAIRN_PI + 1)) & 1;
    return is_light ? cairn_color_mix(primitive->color, shading->tints.cream, 0.8) : primitive->color;
}

// Edges of a box: a thin dark line with a worn, rounded rim, so that equal faces are distinguishable.
static CairnColor box_color(const CairnPrimitive *primitive, int face, CairnVec3 local, CairnVec3 *normal) {
    double half[3] = {primitive->half.x, primitive->half.y, primitive->half.z},
           coordinates[3] = {local.x, local.y, local.z};
    double thin = fmin(half[0], fmin(half[1], half[2]));
    double middle = half[0] + half[1] + half[2] - thin - fmax(half[0], fmax(half[1], half[2]));
    double rim = fmin(0.16 * thin + 0.02 * middle, 0.5 * thin), bend = 0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double from_edge = half[k] - fabs(coordinates[k]);
        double here = k == face / 2 ? 0 : cairn_clamp(1 - from_edge / rim, 0, 1);
        axis = here > bend ? k : axis;
        bend = fmax(bend, here);
    }
    double tilt = 0.55 * bend * bend * (coordinates[axis] < 0 ? -1 : 1);
    CairnVec3 side = {axis == 0 ? tilt : 0, axis == 1 ? tilt : 0, axis == 2 ? tilt : 0};
    *normal = cairn_normalize(cairn_add(*normal, cairn_rotate(primitive->pose.q, side)));
    return cairn_color_scale(1 - 0.22 * smooth(0.45, 1, bend), primitive->color);
}

// Sun, sky and the light that the ground throws back, and a faint highlight.
static CairnColor lit(const CairnShading *shading, CairnColor color, CairnVec3 normal, CairnVec3 point,
                      CairnVisibility seen, double gloss) {
    double sky = (double)seen.sky, facing = cairn_dot(normal, shading->light->direction);
    double sun = 1.78 * (double)seen.sun * fmax(0, facing);
    double up = 0.5 + 0.5 * normal.z;
    CairnColor below = {0.40, 0.37, 0.34}, above = {0.62, 0.67, 0.74};
    CairnColor ambient = cairn_color_scale(0.68 * (0.25 + 0.75 * sky) * sky, cairn_color_mix(below, above, up));
    CairnVec3 eye = cairn_normalize(cairn_sub(shading->view.eye, point));
    double shine = cairn_dot(normal, cairn_normalize(cairn_add(eye, shading->light->direction)));
    double highlight = facing > 0 ? gloss * (double)seen.sun * pow(fmax(shine, 0), 48) : 0;
    double r = color.r * (ambient.r + sun * 0.50) + highlight;
    double g = color.g * (ambient.g + sun * 0.485) + highlight;
    double b = color.b * (ambient.b + sun * 0.455) + highlight;
    return (CairnColor){r, g, b};
}

CairnColor cairn_shade(const CairnShading *shading, const CairnPrimitive *primitive, int face, CairnVec3 point,
                       CairnVisibility seen, double y) {
    CairnVec3 normal = cairn_primitive_normal(primitive, face, point);
    CairnVec3 local = cairn_primitive_local(primitive, point);
    bool is_round = primitive->kind == CAIRN_PRIMITIVE_SPHERE || primitive->kind == CAIRN_PRIMITIVE_CAPSULE;
    if (primitive->kind == CAIRN_PRIMITIVE_PLANE) {
        double away = cairn_length(cairn_sub(point, shading->target));
        double fade = smooth(0.55 * shading->stage, shading->stage, away);
        CairnColor color = lit(shading, ground_color(shading, primitive, local, point), normal, point, seen, 0);
        return cairn_color_mix(color, cairn_backdrop(shading, y), fade);
    }
    CairnColor color = primitive->color;
    if (is_round && primitive->has_pattern) {
        color = ball_color(shading, primitive, local);
    } else if (primitive->kind == CAIRN_PRIMITIVE_BOX) {
        color = box_color(primitive, face, local, &normal);
    }
    return lit(shading, color, normal, point, seen, is_round ? 0.35 : 0.06);
}
