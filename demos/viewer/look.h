// Look: what is shown of a sight, and how.
#ifndef CAIRN_VIEWER_LOOK_H
#define CAIRN_VIEWER_LOOK_H

#include "demos/viewer/sight.h"
#include "demos/viewer/theme.h"

typedef enum CairnColoring {
    CAIRN_COLOR_BODY = 0,
    CAIRN_COLOR_SPEED,
    CAIRN_COLOR_PART,
    CAIRN_COLOR_ISLAND,
    CAIRN_COLOR_MASS,
    CAIRN_COLOR_RESIDUAL,
    CAIRN_COLOR_DIFFERENCE, // from the first view
    CAIRN_COLORING_COUNT
} CairnColoring;

typedef struct CairnLook {
    CairnColoring coloring;
    bool forces, cones, interface, joints, worst;
    bool difference; // lines to where the first view's bodies are
    bool overlay;    // all views in one picture
    bool occlusion, dark;
    bool is_smooth; // antialiased, with soft shadows
} CairnLook;

// Ends of a colour scale; a logarithmic one has both above 0.
typedef struct CairnScale {
    double low, high;
    bool is_log;
    const char *unit;
} CairnScale;

const char *cairn_coloring_name(CairnColoring coloring);
// The scale of a colouring by a quantity; false: it has none.
bool cairn_look_scale(const CairnSight *sight, CairnColoring coloring, double top_speed, double top_residual,
                      CairnScale *scale);
double cairn_scale_fraction(CairnScale scale, double value);
// 0 to 1: dark blue, blue, green, yellow.
CairnColor cairn_look_ramp(double fraction);
// The colour of an item in linear light. `first`: the first view's sight, or NULL.
CairnColor cairn_look_color(const CairnSight *sight, const CairnSight *first, const CairnSightItem *item,
                            CairnColoring coloring, CairnScale scale);
// How far a body is from the same one in another sight; 0 where that has none.
double cairn_look_difference(const CairnSight *sight, const CairnSight *first, int body);

// ---- marks.c: arrows, cones, balls and lines over the bodies ----

typedef struct CairnMark {
    int geometry; // CAIRN_DRAWN_CYLINDER, _CONE or _SPHERE_COARSE
    CairnVec3 at;
    CairnQuat turn;
    double width, half; // of a cylinder from its middle; of a cone width and length
    unsigned rgb;
    float alpha;
} CairnMark;

typedef struct CairnMarks {
    CairnMark *items; // those of the same geometry lie together once sorted
    int count, capacity;
} CairnMarks;

typedef struct CairnMarking {
    const CairnSight *sight, *first; // first: the first view's, or NULL
    const CairnLook *look;
    CairnVec3 eye;
    double force_length; // metres a newton
    uint32_t selected;   // index of a body; 0: none
} CairnMarking;

CairnStatus cairn_marks_make(CairnMarks *marks, const CairnMarking *marking);
void cairn_marks_free(CairnMarks *marks);

#endif
