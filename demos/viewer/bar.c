// The bar at the top: what moves time, what the scene is about, what is shown.
#include "demos/viewer/viewer.h"
#include <stdio.h>

static void speed_words(const CairnViewer *viewer, char *words, size_t size) {
    snprintf(words, size, viewer->speed < 0 ? "x 1/%d" : "x %d",
             1 << (viewer->speed < 0 ? -viewer->speed : viewer->speed));
}

// Widths of its cells, as cairn_ui_row takes them: what moves time, what the scene is about, what is shown.
static const double bar_widths[] = {-2.2, -2.4, -1.7, -1.7, -1.7, -2.4, -0.9, -1.6, -0.9, 1, -2.4, -2.4, -2.2, -0.9};
enum { BAR_CELLS = 14, BAR_TIME = 9 };

int cairn_viewer_bar_rows(const CairnViewer *viewer) {
    const CairnUi *ui = &viewer->ui;
    double width = 4 * ui->gap + (BAR_CELLS - 1) * ui->gap;
    for (int i = 0; i < BAR_CELLS; i++) {
        width += bar_widths[i] < 0 ? -bar_widths[i] * ui->unit : 0;
    }
    return viewer->width < width ? 2 : 1;
}

static void draw_time_buttons(CairnViewer *viewer) {
    CairnUi *ui = &viewer->ui;
    char speed[16];
    speed_words(viewer, speed, sizeof speed);
    if (cairn_ui_tab(ui, "Panel", viewer->shows_panel)) {
        viewer->shows_panel = !viewer->shows_panel;
    }
    if (cairn_ui_button(ui, viewer->is_paused ? "Go on" : "Pause")) {
        cairn_viewer_press(viewer, SDLK_SPACE);
    }
    if (cairn_ui_button(ui, "Step")) {
        cairn_viewer_press(viewer, SDLK_n);
    }
    if (cairn_ui_button(ui, "Back")) {
        cairn_viewer_press(viewer, SDLK_LEFT);
    }
    if (cairn_ui_button(ui, "Five")) {
        cairn_viewer_press(viewer, SDLK_PAGEDOWN);
    }
    if (cairn_ui_button(ui, "Restart")) {
        cairn_viewer_restart(viewer, false);
    }
    if (cairn_ui_button(ui, "-")) {
        cairn_viewer_press(viewer, SDLK_MINUS);
    }
    cairn_ui_middle(ui, ui->theme->ink, speed);
    if (cairn_ui_button(ui, "+")) {
        cairn_viewer_press(viewer, SDLK_PLUS);
    }
}

void cairn_viewer_bar(CairnViewer *viewer, CairnArea area) {
    CairnUi *ui = &viewer->ui;
    int rows = cairn_viewer_bar_rows(viewer);
    cairn_ui_panel(ui, "bar", area);
    ui->top = area.y + 0.5 * (area.height - rows * ui->unit - (rows - 1) * ui->gap);
    cairn_ui_row(ui, bar_widths, rows == 1 ? BAR_CELLS : BAR_TIME);
    draw_time_buttons(viewer);
    if (rows > 1) {
        cairn_ui_row(ui, bar_widths + BAR_TIME, BAR_CELLS - BAR_TIME);
    }
    cairn_ui_phrase(ui, ui->theme->faint, viewer->source.scene->watch);
    if (cairn_ui_button(ui, "View +")) {
        cairn_viewer_press(viewer, SDLK_F7);
    }
    if (cairn_ui_button(ui, "View -")) {
        cairn_viewer_press(viewer, SDLK_F8);
    }
    if (cairn_ui_tab(ui, "Charts", viewer->shows_charts)) {
        viewer->shows_charts = !viewer->shows_charts;
    }
    if (cairn_ui_tab(ui, "?", viewer->shows_help)) {
        viewer->shows_help = !viewer->shows_help;
    }
    cairn_ui_panel_end(ui);
    ui->scroll->height = 0; // a bar does not scroll
}
