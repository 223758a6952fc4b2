// Theme: the colours of panels and words, dark and light, and of curves that must be distinguishable: Okabe and Ito's,
// which people with any kind of colour vision can.
#ifndef CAIRN_VIEWER_THEME_H
#define CAIRN_VIEWER_THEME_H

#include "demos/viewer/ink.h"

enum { CAIRN_THEME_CURVES = 8 };

typedef struct CairnTheme {
    CairnPaint ink, faint;          // words
    CairnPaint panel, paper;        // behind widgets; behind words over the picture
    CairnPaint field, hover, press; // of widgets
    CairnPaint edge, accent, on_accent;
    CairnPaint good, bad, on_banner;
    CairnPaint select; // of what is chosen in a list
    unsigned curves[CAIRN_THEME_CURVES];
    unsigned top, bottom, ground; // backdrop and ground; 0: the pictures' own
} CairnTheme;

const CairnTheme *cairn_theme(bool is_dark);

#endif
