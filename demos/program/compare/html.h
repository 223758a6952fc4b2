// HTML: the parts that a report page is made of. A page needs no other file and no network: its style, its charts (SVG)
// and its pictures are inside, so that it can be sent as it is.
#ifndef CAIRN_PROGRAM_HTML_H
#define CAIRN_PROGRAM_HTML_H

#include <cairn/status.h>
#include <stdbool.h>
#include <stdio.h>

void cairn_html_open(FILE *file, const char *title);
void cairn_html_close(FILE *file);
// With <, > and & made harmless.
void cairn_html_text(FILE *file, const char *text);
// The picture in a PNG file, embedded.
CairnStatus cairn_html_picture(FILE *file, const char *path, const char *caption);

typedef struct CairnHtmlCurve {
    const char *name;
    const double *values; // one a frame, from frame 1 on
    int count;
    bool is_limit; // a dashed line that the others are held against
} CairnHtmlCurve;

typedef struct CairnHtmlChart {
    const char *title, *unit;
    bool is_log; // what is not above 0 lies on the floor
    const CairnHtmlCurve *curves;
    int count;
} CairnHtmlChart;

// Nothing where no curve has a point. Long runs are drawn by the largest value of a few frames each.
void cairn_html_chart(FILE *file, const CairnHtmlChart *chart);
// A curve's colour; the index counts the curves that are no limit.
const char *cairn_html_color(int index);

#endif
