#include "demos/viewer/theme.h"

static const CairnTheme light = {
    .ink = {0x1E2630, 1},
    .faint = {0x566270, 1},
    .panel = {0xF4F5F7, 0.97f},
    .paper = {0xFFFFFF, 0.84f},
    .field = {0xE1E5EA, 1},
    .hover = {0xD2D9E1, 1},
    .press = {0xBCC7D3, 1},
    .edge = {0xC6CDD5, 1},
    .accent = {0x0B66A8, 1},
    .on_accent = {0xFFFFFF, 1},
    .good = {0x1B6B74, 1},
    .bad = {0xB0421A, 1},
    .on_banner = {0xFFFFFF, 1},
    .select = {0xC9DFF0, 1},
    .curves = {0x0072B2, 0xD55E00, 0x007D5D, 0xB0568B, 0xC28400, 0x3F9FD8, 0x555555, 0x9A8F1E},
};

static const CairnTheme dark = {
    .ink = {0xE8ECF1, 1},
    .faint = {0xA3AFBC, 1},
    .panel = {0x20262D, 0.97f},
    .paper = {0x12171C, 0.80f},
    .field = {0x333C46, 1},
    .hover = {0x414C58, 1},
    .press = {0x536170, 1},
    .edge = {0x3D4752, 1},
    .accent = {0x56B4E9, 1},
    .on_accent = {0x0E1A24, 1},
    .good = {0x1B6B74, 1},
    .bad = {0xB0421A, 1},
    .on_banner = {0xFFFFFF, 1},
    .select = {0x2C5878, 1},
    .curves = {0x56B4E9, 0xF0883E, 0x2CC295, 0xDB8CBB, 0xF0C04A, 0x7E9CF0, 0xC8C8C8, 0xEDE36A},
    .top = 0x10151B,
    .bottom = 0x36424F,
    .ground = 0x55606B,
};

const CairnTheme *cairn_theme(bool is_dark) {
    return is_dark ? &dark : &light;
}
