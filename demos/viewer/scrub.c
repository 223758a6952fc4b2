// The scrubber: the past as a bar along the bottom, to be gone to by mouse. Green frames were certified and sound,
// yellow ones certified alone, red ones not certified; grey ones are of a recording and not yet run again; where a
// replay parts from its recording a mark stands and all behind it is purple.
#include "demos/viewer/viewer.h"
#include <stdio.h>

static const CairnPaint marks_paint[] = {[CAIRN_MARK_NONE] = {0x9AA5B0, 0.35f},
                                         [CAIRN_MARK_CERTIFIED] = {0x1B8A86, 1},
                                         [CAIRN_MARK_NOT_SOUND] = {0xE69F00, 1},
                                         [CAIRN_MARK_NOT_CERTIFIED] = {0xD55E00, 1},
                                         [CAIRN_MARK_DIVERGED] = {0x7A4FA3, 1}};

// The last frame that the bar stands for; `last`: of the past.
static int end_of(const CairnViewer *viewer, int last) {
    const CairnRecording *recording = viewer->crew.recording;
    int end = recording && recording->count - 1 > last ? recording->count - 1 : last;
    return end > 0 ? end : 1;
}

CairnViewerBox cairn_viewer_scrubber(const CairnViewer *viewer) {
    CairnArea area = cairn_viewer_layout(viewer).scrub;
    return (CairnViewerBox){(int)area.x, (int)area.y, (int)area.width, (int)area.height};
}

static CairnViewerBox bar_of(const CairnViewer *viewer) {
    CairnViewerBox box = cairn_viewer_scrubber(viewer);
    int pad = (int)(0.7 * viewer->ink.size), words = (int)(8 * viewer->ink.size);
    int width = box.width - 2 * pad - words;
    return (CairnViewerBox){box.x + pad, box.y + box.height / 3, width > 8 ? width : 8, box.height / 3};
}

void cairn_viewer_draw_scrubber(CairnViewer *viewer, const CairnSight *sight) {
    enum { CELLS = 256 };
    CairnInk *ink = &viewer->ink;
    const CairnTheme *theme = viewer->ui.theme;
    CairnViewerBox box = cairn_viewer_scrubber(viewer), bar = bar_of(viewer);
    CairnCrewMark marks[CELLS];
    int end = end_of(viewer, sight->past_last), diverged = cairn_crew_diverged_at(&viewer->crew);
    if (box.height <= 0) {
        return;
    }
    cairn_crew_marks(&viewer->crew, viewer->active, 0, end, marks, CELLS);
    cairn_ink_box(ink, (CairnArea){box.x, box.y, box.width, box.height}, theme->panel);
    for (int i = 0; i < CELLS; i++) {
        cairn_ink_box(
            ink, (CairnArea){bar.x + (double)bar.width * i / CELLS, bar.y, (double)bar.width / CELLS + 0.5, bar.height},
            marks_paint[marks[i]]);
    }
    double at = bar.x + (double)bar.width * sight->frame / end;
    cairn_ink_box(ink, (CairnArea){at - 1.5, bar.y - 0.7 * bar.height, 3, 2.4 * bar.height}, theme->ink);
    char words[80];
    snprintf(words, sizeof words, "%d of %d", sight->frame, end);
    if (diverged >= 0) {
        double x = bar.x + (double)bar.width * diverged / end;
        cairn_ink_box(ink, (CairnArea){x - 2, bar.y - 0.7 * bar.height, 4, 1.7 * bar.height},
                      marks_paint[CAIRN_MARK_DIVERGED]);
        snprintf(words, sizeof words, "%d of %d, parts at %d", sight->frame, end, diverged);
    }
    double line = cairn_ink_line(ink, CAIRN_FACE_SMALL), x = bar.x + bar.width + 0.6 * ink->size;
    cairn_ink_fitting(ink, CAIRN_FACE_SMALL, x, box.y + 0.5 * (box.height - line), box.x + box.width - x, theme->ink,
                      words);
}

void cairn_viewer_go(CairnViewer *viewer, int frame) {
    int first, last;
    cairn_crew_past(&viewer->crew, viewer->active, &first, &last);
    frame = frame > last ? last : frame < first ? first : frame;
    cairn_viewer_pause(viewer, true);
    cairn_crew_go(&viewer->crew, frame);
}

static void go_to(CairnViewer *viewer, double x) {
    CairnViewerBox bar = bar_of(viewer);
    int first, last;
    cairn_crew_past(&viewer->crew, viewer->active, &first, &last);
    int end = end_of(viewer, last);
    double fraction = (x - bar.x) / bar.width;
    int frame = (int)(cairn_clamp(fraction, 0, 1) * end + 0.5);
    cairn_viewer_go(viewer, frame);
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
        viewer->is_scrubbing = y >= box.y && y < box.y + box.height && x >= box.x && x < box.x + box.width;
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
