// Chart: curves over frames in an area of the window.
#ifndef CAIRN_VIEWER_CHART_H
#define CAIRN_VIEWER_CHART_H

#include "demos/viewer/history.h"
#include "demos/viewer/ui.h"

enum { CAIRN_CHART_CURVES = 8 };

typedef struct CairnChartCurve {
    const CairnMoment *moments; // oldest first
    int count;
    CairnQuantity quantity;
    unsigned rgb;
    bool is_filled; // an area on top of the filled curves before it, which have the same moments
    bool is_thin;
} CairnChartCurve;

typedef struct CairnChart {
    const char *title, *unit;
    bool is_log;
    int first, last; // frames
    CairnChartCurve curves[CAIRN_CHART_CURVES];
    int curve_count;
    int now;       // the frame that is shown
    int marked;    // frame under the mouse in any chart; 0: none
    double legend; // pixels for the names of the curves, at the right; 0: none
} CairnChart;

// Answers the frame under the mouse, or 0.
int cairn_chart_draw(CairnUi *ui, CairnArea area, const CairnChart *chart);

#endif
