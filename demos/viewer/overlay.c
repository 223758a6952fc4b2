// Overlay: the words over the picture. Each view has two lines at its top and the referee's banner at its bottom.
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void pace_words(const CairnViewer *viewer, char *words, size_t size) {
    if (viewer->is_paused) {
        snprintf(words, size, "paused");
    } else if (viewer->speed < 0) {
        snprintf(words, size, "speed 1/%d", 1 << -viewer->speed);
    } else {
        snprintf(words, size, "speed %d", 1 << viewer->speed);
    }
}

// Words in pieces that are not broken, in lines of at most `room`; returns how many, and how wide the widest is.
// `paint` NULL: draws nothing.
static int draw_pieces(CairnInk *ink, double x, double y, double room, const CairnPaint *paint, char (*pieces)[80],
                       int count, double *widest) {
    double gap = 0.7 * ink->size, at = 0;
    int lines = count > 0;
    *widest = 0;
    for (int i = 0; i < count; i++) {
        double width = cairn_ink_width(ink, CAIRN_FACE_TEXT, pieces[i]);
        if (at > 0 && at + width > room) {
            lines++;
            at = 0;
        }
        if (paint) {
            cairn_ink_fitting(ink, CAIRN_FACE_TEXT, x + at, y + (lines - 1) * cairn_ink_line(ink, CAIRN_FACE_TEXT),
                              room, *paint, pieces[i]);
        }
        at += width + gap;
        *widest = fmax(*widest, at - gap);
    }
    *widest = fmin(*widest, room);
    return lines;
}

// Two lines, or as many as a narrow view needs; the scene's is left out of a low view, and where views are laid over
// each other it stands in the first one's alone. `top`: where they begin; returns where they end.
static double draw_lines(CairnViewer *viewer, int view, const CairnSight *sight, double top) {
    CairnInk *ink = &viewer->ink;
    const CairnTheme *theme = viewer->ui.theme;
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2, room = box.width - 4 * pad;
    double chip = viewer->crew.view_count > 1 ? line : 0, widths[2] = {0, 0}; // chip: the colour of its curves
    char scene[4][80], solver[4][80];
    bool has_scene = !(viewer->look.overlay && view > 0) && box.height > 10 * ink->size;
    int count = has_scene ? 4 : 0, solved = sight->stats.step_index > 0 ? 4 : 1;
    snprintf(scene[0], sizeof scene[0], "%s", sight->scene);
    snprintf(scene[1], sizeof scene[1], "frame %d", sight->frame);
    snprintf(scene[2], sizeof scene[2], "t = %.3f s", sight->time);
    pace_words(viewer, scene[3], sizeof scene[3]);
    snprintf(solver[0], sizeof solver[0], "%s", sight->solver);
    snprintf(solver[1], sizeof solver[1], "%.2f ms a step", 1e3 * sight->stats.times.step);
    snprintf(solver[2], sizeof solver[2], "residual %.1e m/s", sight->stats.residual.scaled);
    snprintf(solver[3], sizeof solver[3], "%d contacts", sight->stats.contacts);
    int lines = draw_pieces(ink, 0, 0, room, NULL, scene, count, &widths[0]);
    int all = lines + draw_pieces(ink, 0, 0, room - chip, NULL, solver, solved, &widths[1]);
    double x = box.x + 2 * pad, y = top + 0.75 * pad, width = fmax(widths[0], widths[1] + chip);
    cairn_ink_round(ink, (CairnArea){box.x + pad, top, width + 2 * pad, all * line + 1.5 * pad}, pad, theme->paper);
    draw_pieces(ink, x, y, room, &theme->ink, scene, count, &widths[0]);
    y += lines * line;
    if (chip > 0) {
        cairn_ink_round(ink, (CairnArea){x, y + 0.25 * line, 0.5 * line, 0.5 * line}, 3,
                        (CairnPaint){theme->curves[view], 1});
    }
    draw_pieces(ink, x + chip, y, room - chip, &theme->faint, solver, solved, &widths[1]);
    return top + all * line + 2 * pad;
}

// The referee's words whole, in as many lines as they need. `bottom`: where it ends; returns where it begins.
static double draw_banner(CairnViewer *viewer, int view, const CairnSight *sight, double bottom) {
    CairnInk *ink = &viewer->ink;
    const CairnTheme *theme = viewer->ui.theme;
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2, room = box.width - 4 * pad;
    char words[700];
    bool has_worst = sight->worst.is_there && !sight->is_certified && cairn_is_ok(sight->status);
    snprintf(words, sizeof words, "%.60s%s%.399s%s%.119s", viewer->look.overlay ? sight->solver : "",
             viewer->look.overlay ? ": " : "", sight->verdict, has_worst ? ", worst: " : "",
             has_worst ? sight->worst.words : "");
    // Where there is no bar with a button for it.
    const char *hint = "?: keys";
    bool has_hint = view == 0 && cairn_viewer_layout(viewer).bar.height <= 0;
    double hint_width = has_hint ? cairn_ink_width(ink, CAIRN_FACE_TEXT, hint) + 2 * pad : 0;
    int lines = cairn_ink_paragraph(ink, CAIRN_FACE_TEXT, 0, 0, room - hint_width, NULL, words);
    double height = lines * line + pad, y = bottom - height + 0.5 * pad;
    cairn_ink_box(ink, (CairnArea){box.x, bottom - height, box.width, height},
                  sight->is_certified && sight->is_sound ? theme->good : theme->bad);
    cairn_ink_paragraph(ink, CAIRN_FACE_TEXT, box.x + 2 * pad, y, room - hint_width, &theme->on_banner, words);
    if (has_hint) {
        cairn_ink_words(ink, CAIRN_FACE_TEXT, box.x + box.width - hint_width, y, theme->on_banner, hint);
    }
    return bottom - height;
}

static void draw_borders(CairnViewer *viewer, int view) {
    const CairnTheme *theme = viewer->ui.theme;
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    if (viewer->crew.view_count > 1 && !viewer->look.overlay) {
        if (view == viewer->active) {
            cairn_ink_box(&viewer->ink, (CairnArea){box.x, box.y, box.width, 3}, theme->accent);
        }
        cairn_ink_box(&viewer->ink, (CairnArea){box.x + box.width - 1, box.y, 1, box.height}, theme->edge);
    }
}

// ---- what colours and arrows mean, above the first view's banner ----

static double add_line(CairnViewer *viewer, double x, double y, const char *words) {
    CairnInk *ink = &viewer->ink;
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2;
    double width = cairn_ink_width(ink, CAIRN_FACE_TEXT, words);
    cairn_ink_round(ink, (CairnArea){x - pad, y - 0.25 * pad, width + 2 * pad, line + 0.5 * pad}, pad,
                    viewer->ui.theme->paper);
    cairn_ink_words(ink, CAIRN_FACE_TEXT, x, y, viewer->ui.theme->ink, words);
    return y - line - pad;
}

static double add_ramp(CairnViewer *viewer, double x, double y, const char *name, CairnScale scale) {
    enum { CELLS = 48 };
    CairnInk *ink = &viewer->ink;
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2, bar = 9 * ink->size;
    char low[80], high[40];
    snprintf(low, sizeof low, "%s  %.2g", name, scale.low);
    snprintf(high, sizeof high, "%.2g %s", scale.high, scale.unit);
    double left = cairn_ink_width(ink, CAIRN_FACE_TEXT, low) + pad;
    double width = left + bar + cairn_ink_width(ink, CAIRN_FACE_TEXT, high) + 3 * pad;
    cairn_ink_round(ink, (CairnArea){x - pad, y - 0.25 * pad, width, line + 0.5 * pad}, pad, viewer->ui.theme->paper);
    cairn_ink_words(ink, CAIRN_FACE_TEXT, x, y, viewer->ui.theme->ink, low);
    for (int i = 0; i < CELLS; i++) {
        CairnColor c = cairn_look_ramp((i + 0.5) / CELLS);
        unsigned rgb =
            (unsigned)cairn_color_byte(c.r) << 16 | (unsigned)cairn_color_byte(c.g) << 8 | cairn_color_byte(c.b);
        cairn_ink_box(ink, (CairnArea){x + left + bar * i / CELLS, y + 0.25 * line, bar / CELLS + 1, 0.5 * line},
                      (CairnPaint){rgb, 1});
    }
    cairn_ink_words(ink, CAIRN_FACE_TEXT, x + left + bar + pad, y, viewer->ui.theme->ink, high);
    return y - line - pad;
}

static double add_grips(CairnViewer *viewer, double x, double y) {
    static const struct {
        const char *name;
        unsigned rgb;
    } grips[] = {{"sticks", 0x0072B2}, {"slips", 0xE69F00}, {"open", 0x8A8F96}};
    CairnInk *ink = &viewer->ink;
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2;
    cairn_ink_round(ink, (CairnArea){x - pad, y - 0.25 * pad, 13.5 * ink->size, line + 0.5 * pad}, pad,
                    viewer->ui.theme->paper);
    for (int i = 0; i < 3; i++) {
        double at = x + 4.5 * ink->size * i;
        cairn_ink_round(ink, (CairnArea){at, y + 0.25 * line, 0.5 * line, 0.5 * line}, line,
                        (CairnPaint){grips[i].rgb, 1});
        cairn_ink_words(ink, CAIRN_FACE_TEXT, at + 0.8 * line, y, viewer->ui.theme->ink, grips[i].name);
    }
    return y - line - pad;
}

static void draw_legend(CairnViewer *viewer, const CairnSight *const *sights, double bottom) {
    const CairnSight *sight = sights[viewer->active];
    CairnViewerBox box = cairn_viewer_box(viewer, 0);
    double line = cairn_ink_line(&viewer->ink, CAIRN_FACE_TEXT), pad = viewer->ui.gap + 2;
    double x = box.x + 2 * pad, y = bottom - line - 2 * pad;
    char words[160];
    CairnScale scale;
    const CairnLook *look = &viewer->look;
    if (cairn_crew_is_recording(&viewer->crew)) {
        y = add_line(viewer, x, y, viewer->options->run.record ? "recording" : "recording the first view; F11 ends it");
    }
    if (viewer->film.video.is_open && !viewer->options->is_hidden) {
        y = add_line(viewer, x, y, "filming; F9 ends it");
    }
    if (look->forces) {
        snprintf(words, sizeof words, "forces: the longest arrow is %.3g N", viewer->top_force);
        y = add_line(viewer, x, y, words);
    }
    if (look->cones) {
        y = add_grips(viewer, x, y);
    }
    if (look->interface) {
        snprintf(words, sizeof words, "interface: %d constraints, %d rows", sight->stats.interface_constraints,
                 sight->stats.interface_rows);
        y = add_line(viewer, x, y, words);
    }
    if (look->joints) {
        snprintf(words, sizeof words, "joint errors: at most %.2g m, %.2g rad", sight->stats.joint_error_linear,
                 sight->stats.joint_error_angular);
        y = add_line(viewer, x, y, words);
    }
    if (cairn_look_scale(sight, look->coloring, viewer->top_speed, viewer->top_residual, &scale)) {
        add_ramp(viewer, x, y, cairn_coloring_name(look->coloring), scale);
    } else if (look->coloring == CAIRN_COLOR_PART) {
        snprintf(words, sizeof words,
                 sight->stats.parts > 1 ? "colour by part: %d parts" : "colour by part: this solver has no parts",
                 sight->stats.parts);
        add_line(viewer, x, y, words);
    } else if (look->coloring == CAIRN_COLOR_ISLAND) {
        snprintf(words, sizeof words, "colour by island: %d islands", sight->island_count);
        add_line(viewer, x, y, words);
    }
}

// ---- help and hints ----

static const char *const mouse[][2] = {
    {"left drag", "a body: pull it; else turn the camera"},
    {"alt + left", "turn the camera, whatever is there"},
    {"right drag", "move the camera; shift + left too"},
    {"ctrl + left", "push a body"},
    {"wheel", "nearer, farther"},
    {"w a s d q e", "fly"},
};
enum { MOUSE_COUNT = (int)(sizeof(mouse) / sizeof(mouse[0])) };

static void draw_help(CairnViewer *viewer) {
    CairnInk *ink = &viewer->ink;
    const CairnTheme *theme = viewer->ui.theme;
    char solvers[400] = "";
    for (int i = 1; i <= 9 && cairn_viewer_solver(viewer, i); i++) {
        size_t used = strlen(solvers);
        snprintf(solvers + used, sizeof solvers - used, "%s%d %s", i > 1 ? "  " : "", i,
                 cairn_viewer_solver(viewer, i)->name);
    }
    int count = cairn_viewer_key_count() + MOUSE_COUNT, rows = (count + 1) / 2;
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = ink->size, column = 4.8 * ink->size;
    double half = fmin(24 * ink->size, 0.5 * (viewer->width - 3 * pad));
    CairnArea area = {0, 0, 2 * half + 3 * pad, (rows + 2.5) * line + 2 * pad};
    area.x = fmax(0.5 * (viewer->width - area.width), 0);
    area.y = fmax(0.5 * (viewer->height - area.height), 0);
    ink->layer = 1;
    cairn_ink_round(ink, area, 2 * viewer->ui.gap, theme->edge);
    cairn_ink_round(ink, cairn_area_inset(area, 1), 2 * viewer->ui.gap, (CairnPaint){theme->panel.rgb, 0.98f});
    for (int i = 0; i < count; i++) {
        int m = i - cairn_viewer_key_count();
        const char *name = m < 0 ? cairn_viewer_key_at(i)->name : mouse[m][0];
        const char *words = m < 0 ? cairn_viewer_key_at(i)->help : mouse[m][1];
        double x = area.x + pad + (i / rows) * (half + pad), y = area.y + pad + i % rows * line;
        cairn_ink_fitting(ink, CAIRN_FACE_TEXT, x, y, column - 4, theme->ink, name);
        bool is_long = cairn_ink_width(ink, CAIRN_FACE_TEXT, words) > half - column;
        double lower = is_long ? 0.5 * (line - cairn_ink_line(ink, CAIRN_FACE_SMALL)) : 0;
        cairn_ink_fitting(ink, is_long ? CAIRN_FACE_SMALL : CAIRN_FACE_TEXT, x + column, y + lower, half - column,
                          theme->faint, words);
    }
    double y = area.y + pad + (rows + 0.5) * line;
    cairn_ink_words(ink, CAIRN_FACE_TEXT, area.x + pad, y, theme->ink,
                    viewer->crew.view_count > 1 ? "1 ... 9: solver of the view under the mouse" : "1 ... 9: solver");
    cairn_ink_fitting(ink, CAIRN_FACE_TEXT, area.x + pad, y + line, area.width - 2 * pad, theme->faint, solvers);
    ink->layer = 0;
}

// In the middle of the stage: what was refused or done, and hints when the window opens for the first time.
static void draw_notice(CairnViewer *viewer) {
    static const char *const hints[] = {"Drag a body to pull it, the ground to turn the camera.",
                                        "The wheel goes nearer, the right button moves the camera.",
                                        "Space pauses, 1 to 9 change the solver, ? shows all keys."};
    CairnInk *ink = &viewer->ink;
    const CairnTheme *theme = viewer->ui.theme;
    CairnArea stage = cairn_viewer_layout(viewer).stage;
    double line = cairn_ink_line(ink, CAIRN_FACE_TEXT), pad = ink->size, width = 0;
    const char *lines[3] = {viewer->notice, NULL, NULL};
    int count = cairn_viewer_clock() < viewer->notice_until;
    if (!count && viewer->shows_hints && !viewer->options->is_hidden) {
        count = 3;
        memcpy(lines, hints, sizeof hints);
    }
    for (int i = 0; i < count; i++) {
        width = fmax(width, cairn_ink_width(ink, CAIRN_FACE_TEXT, lines[i]));
    }
    width = fmin(width, stage.width - 4 * pad);
    CairnArea area = {stage.x + 0.5 * (stage.width - width) - pad, stage.y + 0.72 * stage.height, width + 2 * pad,
                      count * line + pad};
    if (count > 0 && width > 0) {
        cairn_ink_round(ink, area, pad, theme->paper);
    }
    for (int i = 0; i < count && width > 0; i++) {
        cairn_ink_fitting(ink, CAIRN_FACE_TEXT, area.x + pad, area.y + 0.5 * pad + i * line, width, theme->ink,
                          lines[i]);
    }
}

// What is wrong with the scene's file, line by line, as much as there is room for.
static void draw_fault(CairnViewer *viewer) {
    const CairnReload *reload = viewer->options->reload;
    if (!reload || !reload->words[0]) {
        return;
    }
    CairnInk *ink = &viewer->ink;
    CairnArea stage = cairn_viewer_layout(viewer).stage;
    double line = cairn_ink_line(ink, CAIRN_FACE_SMALL), pad = 0.6 * ink->size;
    double x = stage.x + 2 * pad, y = stage.y + 4.5 * ink->size, room = stage.width - 6 * pad;
    int lines = 1;
    for (const char *c = reload->words; *c; c++) {
        lines += *c == '\n' && c[1] != '\0';
    }
    int most = (int)((0.7 * stage.height) / line);
    lines = lines < most ? lines : most;
    cairn_ink_box(ink, (CairnArea){x - pad, y - pad, room + 2 * pad, lines * line + 2 * pad}, viewer->ui.theme->panel);
    const char *words = reload->words;
    for (int i = 0; i < lines; i++, y += line) {
        char text[300];
        size_t length = strcspn(words, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, words);
        cairn_ink_fitting(ink, CAIRN_FACE_SMALL, x, y, room, i == 0 ? viewer->ui.theme->bad : viewer->ui.theme->ink,
                          text);
        words += length + (words[length] == '\n');
    }
}

void cairn_viewer_overlay(CairnViewer *viewer, const CairnSight *const *sights) {
    int count = viewer->crew.view_count;
    cairn_ui_begin(&viewer->ui, cairn_theme(viewer->look.dark), &viewer->input);
    viewer->input.was_pressed = viewer->input.was_released = false;
    viewer->input.wheel = 0;
    viewer->input.text[0] = '\0';
    viewer->input.key_count = 0;
    double pad = viewer->ui.gap + 2, top = 0, bottom = 0;
    for (int i = 0; i < count; i++) { // laid over each other, their words stand one below the other
        bool is_first = i == 0 || !viewer->look.overlay;
        top = draw_lines(viewer, i, sights[i], is_first ? cairn_viewer_box(viewer, i).y + pad : top);
    }
    for (int i = count - 1; i >= 0; i--) {
        CairnViewerBox box = cairn_viewer_box(viewer, i);
        bool is_last = i == count - 1 || !viewer->look.overlay;
        bottom = draw_banner(viewer, i, sights[i], is_last ? box.y + box.height : bottom);
        draw_borders(viewer, i);
    }
    draw_legend(viewer, sights, bottom);
    cairn_viewer_draw_scrubber(viewer, sights[viewer->active]);
    draw_fault(viewer);
    draw_notice(viewer);
    if (viewer->shows_help) {
        draw_help(viewer);
    }
    for (int i = 0; i < count; i++) {
        if (sights[i]->touch.notice[0] && viewer->hand.mode == CAIRN_HAND_MODE_NONE) {
            cairn_ink_words(&viewer->ink, CAIRN_FACE_SMALL, cairn_viewer_box(viewer, i).x + viewer->ink.size,
                            cairn_viewer_box(viewer, i).y + 4.5 * viewer->ink.size, viewer->ui.theme->bad,
                            sights[i]->touch.notice);
            break;
        }
    }
}
