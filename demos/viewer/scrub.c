// The scrubber: the past as a bar along the bottom, to be gone to by mouse. Green frames were certified, red ones not; grey ones are
// of a recording and not yet run again; where a replay parts from its recording a mark stands and all behind it is purple.
#include "demos/viewer/viewer.h"
#include <stdio.h>

static const CairnPaint paper = {0xFFFFFF, 0.82f}, ink = {0x1E2630, 1}, ahead = {0xC3C9CF, 1};
static const CairnPaint marks_paint[] = {[CAIRN_MARK_NONE] = {0xE3E6E9, 1},
                                         [CAIRN_MARK_CERTIFIED] = {0x3E9482, 1},
                                         [CAIRN_MARK_NOT_CERTIFIED] = {0xC9563C, 1},
                                         [CAIRN_MARK_PARTED] = {0x7A4FA3, 1}};

// The frames that the bar stands for.
static void range_of(CairnViewer *viewer, int *first, int *last, int *end) {
    const CairnRecording *recording = viewer->crew.recording;
    cairn_crew_past(&viewer->crew, viewer->active, first, last);
    *end = recording && recording->count - 1 > *last ? recording->count - 1 : *last;
    *end = *end > 0 ? *end : 1;
}

// Above the banner.
CairnViewerBox cairn_viewer_scrubber(const CairnViewer *viewer) {
    double line = (double)viewer->text.line, pad = 0.6 * viewer->text.size;
    int height = (int)(line + pad), banner = (int)(line + pad) + 1;
    return (CairnViewerBox){0, viewer->height - banner - height, viewer->width, height};
}

static CairnViewerBox bar_of(const CairnViewer *viewer) {
    CairnViewerBox box = cairn_viewer_scrubber(viewer);
    int pad = (int)(1.2 * viewer->text.size), words = (int)(15 * viewer->text.size);
    int width = box.width - 2 * pad - words;
    return (CairnViewerBox){box.x + pad, box.y + box.height / 3, width > 8 ? width : 8, box.height / 3};
}

void cairn_viewer_draw_scrubber(CairnViewer *viewer, const CairnSight *sight) {
    enum { CELLS = 256 };
    CairnLabels *text = &viewer->text;
    CairnViewerBox box = cairn_viewer_scrubber(viewer), bar = bar_of(viewer);
    CairnCrewMark marks[CELLS];
    int first, last, end, parted = cairn_crew_parted(&viewer->crew);
    range_of(viewer, &first, &last, &end);
    cairn_crew_marks(&viewer->crew, viewer->active, 0, end, marks, CELLS);
    cairn_labels_box(text, box.x, box.y, box.width, box.height, paper);
    for (int i = 0; i < CELLS; i++) {
        bool is_ahead = marks[i] == CAIRN_MARK_NONE && (long long)i * end / CELLS > last;
        cairn_labels_box(text, bar.x + (double)bar.width * i / CELLS, bar.y, (double)bar.width / CELLS + 0.5,
                         bar.height, is_ahead ? ahead : marks_paint[marks[i]]);
    }
    double at = bar.x + (double)bar.width * sight->frame / end;
    cairn_labels_box(text, at - 1.5, bar.y - bar.height, 3, 3.0 * bar.height, ink);
    char words[80];
    snprintf(words, sizeof words, "%d of %d", sight->frame, end);
    if (parted >= 0) {
        double x = bar.x + (double)bar.width * parted / end;
        cairn_labels_box(text, x - 2, bar.y - bar.height, 4, 2.0 * bar.height, marks_paint[CAIRN_MARK_PARTED]);
        snprintf(words, sizeof words, "%d of %d, parts at %d", sight->frame, end, parted);
    }
    cairn_labels_add(text, bar.x + bar.width + text->size, box.y + 0.3 * text->size, ink, words);
}

static void go_to(CairnViewer *viewer, double x) {
    CairnViewerBox bar = bar_of(viewer);
    int first, last, end;
    range_of(viewer, &first, &last, &end);
    double share = (x - bar.x) / bar.width;
    int frame = (int)(fmin(fmax(share, 0), 1) * end + 0.5);
    frame = frame > last ? last : frame < first ? first : frame;
    cairn_viewer_hold(viewer, true);
    cairn_crew_go(&viewer->crew, frame);
}

bool cairn_viewer_scrub(CairnViewer *viewer, const SDL_Event *event) {
    int width, height;
    SDL_GetWindowSize(viewer->window, &width, &height);
    bool is_button = event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP;
    if ((!is_button && event->type != SDL_MOUSEMOTION) || width <= 0 || height <= 0) {
        return false;
    }
    double x = is_button ? event->button.x : event->motion.x, y = is_button ? event->button.y : event->motion.y;
    x *= (double)viewer->width / width;
    y *= (double)viewer->height / height;
    CairnViewerBox box = cairn_viewer_scrubber(viewer);
    if (event->type == SDL_MOUSEBUTTONDOWN && event->button.button == SDL_BUTTON_LEFT) {
        viewer->is_scrubbing = y >= box.y && y < box.y + box.height;
    }
    bool is_taken = viewer->is_scrubbing;
    if (viewer->is_scrubbing) {
        go_to(viewer, x);
    }
    if (event->type == SDL_MOUSEBUTTONUP) {
        viewer->is_scrubbing = false;
    }
    return is_taken;
}
