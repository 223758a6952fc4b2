#include "demos/viewer/look.h"
#include "demos/program/render/render_shade.h"
#include <math.h>

const char *cairn_coloring_name(CairnColoring coloring) {
    static const char *const names[CAIRN_COLORING_COUNT] = {"body", "speed",    "part",      "island",
                                                            "mass", "residual", "difference"};
    return names[coloring];
}

static void mass_range(const CairnSight *sight, double *low, double *high) {
    *low = HUGE_VAL;
    *high = 0;
    for (int i = 0; i < sight->body_count; i++) {
        double mass = (double)sight->bodies[i].mass;
        if (!sight->bodies[i].is_static && mass > 0) {
            *low = fmin(*low, mass);
            *high = fmax(*high, mass);
        }
    }
}

bool cairn_look_scale(const CairnSight *sight, CairnColoring coloring, double top_speed, double top_residual,
                      CairnScale *scale) {
    double low, high;
    switch (coloring) {
    case CAIRN_COLOR_SPEED:
        *scale = (CairnScale){0, fmax(top_speed, 1e-9), false, "m/s"};
        return true;
    case CAIRN_COLOR_MASS:
        mass_range(sight, &low, &high);
        if (high <= 0) {
            low = high = 1;
        }
        *scale = (CairnScale){low, fmax(high, 1.001 * low), high > 20 * low, "kg"};
        return true;
    case CAIRN_COLOR_RESIDUAL:
        *scale = (CairnScale){1e-14, fmax(top_residual, 1e-10), true, "m/s"};
        return true;
    case CAIRN_COLOR_DIFFERENCE:
        *scale = (CairnScale){1e-9, 1, true, "m"};
        return true;
    default:
        *scale = (CairnScale){0, 1, false, ""};
        return false;
    }
}

double cairn_scale_fraction(CairnScale scale, double value) {
    if (scale.is_log) {
        return value > 0 ? cairn_clamp(log(value / scale.low) / log(scale.high / scale.low), 0, 1) : 0;
    }
    return cairn_clamp((value - scale.low) / (scale.high - scale.low), 0, 1);
}

CairnColor cairn_look_ramp(double fraction) {
    static const unsigned stops[] = {0x2B3A67, 0x2F7FB5, 0x3A9D86, 0xE8D56B};
    double x = 3 * cairn_clamp(fraction, 0, 1);
    int i = x < 3 ? (int)x : 2;
    return cairn_color_mix(cairn_color(stops[i]), cairn_color(stops[i + 1]), x - i);
}

double cairn_look_difference(const CairnSight *sight, const CairnSight *first, int body) {
    if (!first || body >= first->body_count || first->bodies[body].id.index != sight->bodies[body].id.index) {
        return 0;
    }
    const float *a = sight->bodies[body].center, *b = first->bodies[body].center;
    double x = (double)(a[0] - b[0]), y = (double)(a[1] - b[1]), z = (double)(a[2] - b[2]);
    return sqrt(x * x + y * y + z * z);
}

CairnColor cairn_look_color(const CairnSight *sight, const CairnSight *first, const CairnSightItem *item,
                            CairnColoring coloring, CairnScale scale) {
    CairnColor body_color = {(double)item->color[0], (double)item->color[1], (double)item->color[2]};
    if (item->is_static || item->body < 0 || coloring == CAIRN_COLOR_BODY) {
        return body_color;
    }
    const CairnSightBody *body = &sight->bodies[item->body];
    switch (coloring) {
    case CAIRN_COLOR_PART:
        return body->part < 0 ? cairn_static_color() : cairn_body_color(body->part);
    case CAIRN_COLOR_ISLAND:
        return body->island < 0 ? cairn_static_color() : cairn_body_color(body->island);
    case CAIRN_COLOR_SPEED:
        return cairn_look_ramp(cairn_scale_fraction(scale, (double)body->speed));
    case CAIRN_COLOR_MASS:
        return cairn_look_ramp(cairn_scale_fraction(scale, (double)body->mass));
    case CAIRN_COLOR_RESIDUAL:
        return cairn_look_ramp(cairn_scale_fraction(scale, (double)body->residual));
    default:
        return cairn_look_ramp(cairn_scale_fraction(scale, cairn_look_difference(sight, first, item->body)));
    }
}
