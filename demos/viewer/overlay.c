// Overlay: the words over the picture. Each view has two lines at its top and the referee's banner at its bottom.
#include "demos/viewer/viewer.h"
#include <stdio.h>
#include <string.h>

static const CairnPaint ink = {0x1E2630, 1}, paper = {0xFFFFFF, 0.82f}, faint = {0x55606C, 1};
static const CairnPaint good = {0x1F6F5C, 1}, bad = {0xA8321E, 1}, white = {0xFFFFFF, 1};

// One row, but for four views: two of two.
CairnViewerBox cairn_viewer_box(const CairnViewer *viewer, int view) {
    int count = viewer->crew.view_count, columns = count == 4 ? 2 : count, rows = count == 4 ? 2 : 1;
    int column = view % columns, row = view / columns;
    int x0 = viewer->width * column / columns, x1 = viewer->width * (column + 1) / columns;
    int y0 = viewer->height * row / rows, y1 = viewer->height * (row + 1) / rows;
    return (CairnViewerBox){x0, y0, x1 - x0, y1 - y0};
}

// As much of the words as fits, with dots where some had to go.
static void add_fitting(CairnLabels *text, double x, double y, double room, CairnPaint paint, const char *words) {
    char cut[400];
    snprintf(cut, sizeof cut, "%s", words);
    size_t length = strlen(cut);
    while (length > 3 && cairn_labels_width(text, cut) > room) {
        cut[--length] = '\0';
        memcpy(cut + length - 2, "..", 2);
    }
    cairn_labels_add(text, x, y, paint, cut);
}

static void pace_words(const CairnViewer *viewer, char *words, size_t size) {
    if (viewer->is_paused) {
        snprintf(words, size, "paused");
    } else if (viewer->speed < 0) {
        snprintf(words, size, "speed 1/%d", 1 << -viewer->speed);
    } else {
        snprintf(words, size, "speed %d", 1 << viewer->speed);
    }
}

static void draw_lines(CairnViewer *viewer, int view, const CairnSight *sight) {
    CairnLabels *text = &viewer->text;
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    double line = (double)text->line, pad = 0.6 * text->size;
    char words[2][300], pace[40];
    pace_words(viewer, pace, sizeof pace);
    snprintf(words[0], sizeof words[0], "%s   frame %d   t = %.3f s   %s", viewer->crew.views[0].session.scene->name,
             sight->frame, sight->time, pace);
    snprintf(words[1], sizeof words[1], "%s   %.2f ms a step   residual %.1e m/s   %d contacts", sight->solver,
             1e3 * sight->stats.times.step, sight->stats.residual.scaled, sight->stats.contacts);
    if (sight->stats.step_index == 0) {
        snprintf(words[1], sizeof words[1], "%s", sight->solver);
    }
    double first = cairn_labels_width(text, words[0]), second = cairn_labels_width(text, words[1]);
    double width = first > second ? first : second, room = box.width - 4 * pad;
    width = width < room ? width : room;
    cairn_labels_box(text, box.x + pad, box.y + pad, width + 2 * pad, 2 * line + pad, paper);
    add_fitting(text, box.x + 2 * pad, box.y + 1.5 * pad, room, ink, words[0]);
    add_fitting(text, box.x + 2 * pad, box.y + 1.5 * pad + line, room, faint, words[1]);
}

static void draw_banner(CairnViewer *viewer, int view, const CairnSight *sight) {
    CairnLabels *text = &viewer->text;
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    double line = (double)text->line, pad = 0.6 * text->size, height = line + pad;
    CairnPaint paint = sight->is_certified ? good : bad;
    cairn_labels_box(text, box.x, box.y + box.height - height, box.width, height, paint);
    const char *hint = "h: help";
    double y = box.y + box.height - height + 0.5 * pad, hint_width = cairn_labels_width(text, hint);
    bool has_hint = view == viewer->crew.view_count - 1;
    add_fitting(text, box.x + 2 * pad, y, box.width - 4 * pad - (has_hint ? hint_width + 2 * pad : 0), white,
                sight->verdict);
    if (has_hint) {
        cairn_labels_add(text, box.x + box.width - 2 * pad - hint_width, y, white, hint);
    }
    if (viewer->crew.view_count > 1) {
        if (view == viewer->active) {
            cairn_labels_box(text, box.x, box.y, box.width, 3, (CairnPaint){0x2F7FB5, 1});
        }
        cairn_labels_box(text, box.x + box.width - 1, box.y, 1, box.height, white);
    }
}

// What colours and arrows mean, above the first view's banner.
static void draw_legend(CairnViewer *viewer, const CairnSight *sight) {
    CairnLabels *text = &viewer->text;
    CairnViewerBox box = cairn_viewer_box(viewer, 0);
    double line = (double)text->line, pad = 0.6 * text->size;
    double x = box.x + 2 * pad, y = box.y + box.height - 3 * line - 3.5 * pad;
    char words[120];
    if (viewer->shows_forces) {
        snprintf(words, sizeof words, "contact forces: the longest arrow is %.3g N", viewer->top_force);
        cairn_labels_box(text, x - pad, y, cairn_labels_width(text, words) + 2 * pad, line, paper);
        cairn_labels_add(text, x, y, ink, words);
        y -= line + pad;
    }
    if (viewer->coloring == CAIRN_COLOR_PART) {
        bool has_parts = sight->stats.parts > 0;
        snprintf(words, sizeof words,
                 has_parts ? "colour by part: %d parts" : "colour by part: this solver has no parts",
                 sight->stats.parts);
        cairn_labels_box(text, x - pad, y, cairn_labels_width(text, words) + 2 * pad, line, paper);
        cairn_labels_add(text, x, y, ink, words);
    } else if (viewer->coloring == CAIRN_COLOR_SPEED) {
        snprintf(words, sizeof words, "%.2g m/s", viewer->top_speed);
        double bar = 12 * text->size, left = cairn_labels_width(text, "0") + pad;
        cairn_labels_box(text, x - pad, y, left + bar + cairn_labels_width(text, words) + 3 * pad, line, paper);
        cairn_labels_add(text, x, y, ink, "0");
        enum { CELLS = 48 };
        for (int i = 0; i < CELLS; i++) {
            CairnColor c = cairn_painter_speed_color((i + 0.5) / CELLS);
            unsigned rgb =
                (unsigned)cairn_color_byte(c.r) << 16 | (unsigned)cairn_color_byte(c.g) << 8 | cairn_color_byte(c.b);
            cairn_labels_box(text, x + left + bar * i / CELLS, y + 0.25 * line, bar / CELLS + 1, 0.5 * line,
                             (CairnPaint){rgb, 1});
        }
        cairn_labels_add(text, x + left + bar + pad, y, ink, words);
    }
}

static void draw_help(CairnViewer *viewer) {
    CairnLabels *text = &viewer->text;
    char solvers[400] = "";
    for (int i = 1; i <= 9 && cairn_viewer_solver(viewer, i); i++) {
        size_t used = strlen(solvers);
        snprintf(solvers + used, sizeof solvers - used, "%s%d %s", i > 1 ? "  " : "", i,
                 cairn_viewer_solver(viewer, i)->name);
    }
    static const char *const mouse[][2] = {{"left drag", "turn the camera"},
                                           {"right drag", "move it; shift and left drag too"},
                                           {"wheel", "nearer, farther"}};
    double line = (double)text->line, pad = text->size, column = 9 * text->size;
    int count = cairn_viewer_key_count(), rows = count + 5;
    double width = column + cairn_labels_width(text, solvers) + 2 * pad, height = rows * line + 2 * pad;
    width = width < viewer->width ? width : viewer->width;
    double left = 0.5 * (viewer->width - width), x = left + pad, y = 0.5 * (viewer->height - height);
    y = y > 0 ? y : 0;
    cairn_labels_box(text, left, y, width, height, (CairnPaint){0xFFFFFF, 0.94f});
    y += pad;
    for (int i = 0; i < count; i++, y += line) {
        cairn_labels_add(text, x, y, ink, cairn_viewer_key_at(i)->name);
        cairn_labels_add(text, x + column, y, faint, cairn_viewer_key_at(i)->help);
    }
    cairn_labels_add(text, x, y, ink, "1 ... 9");
    cairn_labels_add(text, x + column, y, faint,
                     viewer->crew.view_count > 1 ? "solver of the view under the mouse:" : "solver:");
    y += line;
    add_fitting(text, x + column, y, width - column - 2 * pad, faint, solvers);
    y += line;
    for (int i = 0; i < 3; i++, y += line) {
        cairn_labels_add(text, x, y, ink, mouse[i][0]);
        cairn_labels_add(text, x + column, y, faint, mouse[i][1]);
    }
}

void cairn_viewer_overlay(CairnViewer *viewer, const CairnSight *const *sights) {
    for (int i = 0; i < viewer->crew.view_count; i++) {
        draw_lines(viewer, i, sights[i]);
        draw_banner(viewer, i, sights[i]);
    }
    draw_legend(viewer, sights[0]);
    cairn_viewer_draw_scrubber(viewer, sights[viewer->active]);
    if (viewer->shows_help) {
        draw_help(viewer);
    }
    cairn_labels_draw(&viewer->text, viewer->width, viewer->height);
}
