// Panels: the bar at the top and the panel at the left with its tabs. What a tab is about is in its own file or below.
#include "demos/scenes/scenes.h"
#include "demos/viewer/viewer.h"
#include <stdio.h>
#include <string.h>

// ---- the bar ----

static void speed_words(const CairnViewer *viewer, char *words, size_t size) {
    snprintf(words, size, viewer->speed < 0 ? "x 1/%d" : "x %d",
             1 << (viewer->speed < 0 ? -viewer->speed : viewer->speed));
}

static void press(CairnViewer *viewer, SDL_Keycode code) {
    cairn_viewer_press(viewer, code);
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
        press(viewer, SDLK_SPACE);
    }
    if (cairn_ui_button(ui, "Step")) {
        press(viewer, SDLK_n);
    }
    if (cairn_ui_button(ui, "Back")) {
        press(viewer, SDLK_LEFT);
    }
    if (cairn_ui_button(ui, "Five")) {
        press(viewer, SDLK_PAGEDOWN);
    }
    if (cairn_ui_button(ui, "Restart")) {
        cairn_viewer_restart(viewer, false);
    }
    if (cairn_ui_button(ui, "-")) {
        press(viewer, SDLK_MINUS);
    }
    cairn_ui_middle(ui, ui->theme->ink, speed);
    if (cairn_ui_button(ui, "+")) {
        press(viewer, SDLK_PLUS);
    }
}

static void draw_bar(CairnViewer *viewer, CairnArea area) {
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
        press(viewer, SDLK_F7);
    }
    if (cairn_ui_button(ui, "View -")) {
        press(viewer, SDLK_F8);
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

// ---- scenes ----

static const char *scene_name(const void *user, int index) {
    (void)user;
    return cairn_scene_at(index)->name;
}

static const char *scene_summary(const void *user, int index) {
    (void)user;
    return cairn_scene_at(index)->summary;
}

static int scene_index(const CairnScene *scene) {
    for (int i = 0; i < cairn_scene_count(); i++) {
        if (cairn_scene_at(i) == scene) {
            return i;
        }
    }
    return -1;
}

void cairn_viewer_scene_panel(CairnViewer *viewer) {
    CairnUi *ui = &viewer->ui;
    const CairnScene *scene = viewer->source.scene;
    cairn_ui_title(ui, scene->name);
    cairn_ui_paragraph(ui, ui->theme->faint, scene->summary);
    cairn_ui_paragraph(ui, ui->theme->faint, scene->watch);
    CairnStatus status = cairn_ok();
    if (cairn_ui_fields(ui, &scene->params, viewer->params, &status) >= 0) {
        viewer->params_changed = true;
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_say(viewer, status.message);
    }
    if (viewer->params_changed && !ui->active) { // when the slider is let go
        cairn_viewer_restart(viewer, false);
    }
    char seed[48];
    snprintf(seed, sizeof seed, "seed %llu", (unsigned long long)viewer->plan.seed);
    static const double widths[] = {1.15, 1.15, 0.7};
    cairn_ui_row(ui, widths, 3);
    if (cairn_ui_button(ui, "Same seed")) {
        cairn_viewer_restart(viewer, false);
    }
    if (cairn_ui_button(ui, "New seed")) {
        cairn_viewer_restart(viewer, true);
    }
    cairn_ui_label(ui, ui->theme->faint, seed);
    cairn_ui_columns(ui, 1);
    if (cairn_ui_button(ui, "All at their defaults")) {
        cairn_fields_preset(&scene->params, viewer->params);
        viewer->params_changed = true;
        cairn_viewer_restart(viewer, false);
    }
    cairn_ui_space(ui, 0.4);
    if (viewer->wants_filter) {
        viewer->wants_filter = false;
        ui->focus = cairn_ui_id(ui, "find a scene");
        ui->edit[0] = '\0';
        ui->edit_is_whole = false;
        ui->marked = 0;
    }
    int chosen = scene_index(scene);
    if (cairn_ui_list(ui, "find a scene", viewer->filter, sizeof viewer->filter, scene_name, scene_summary, NULL,
                      cairn_scene_count(), &chosen)) {
        cairn_viewer_load(viewer, cairn_scene_at(chosen)->name);
    }
}

// ---- solvers ----

typedef struct SolverNames {
    const CairnViewer *viewer;
} SolverNames;

static const char *solver_name(const void *user, int index) {
    return cairn_viewer_solver(((const SolverNames *)user)->viewer, index + 1)->name;
}

static const char *solver_summary(const void *user, int index) {
    return cairn_viewer_solver(((const SolverNames *)user)->viewer, index + 1)->summary;
}

static void view_tabs(CairnViewer *viewer) {
    CairnUi *ui = &viewer->ui;
    int count = viewer->crew.view_count;
    if (count == 1) {
        return;
    }
    cairn_ui_columns(ui, count);
    for (int i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "View %d", i + 1);
        if (cairn_ui_tab(ui, name, viewer->active == i)) {
            viewer->active = i;
        }
    }
}

static void report(CairnUi *ui, const CairnSight *sight) {
    const CairnStats *stats = &sight->stats;
    char words[120];
    snprintf(words, sizeof words, "%s after %d", cairn_outcome_name(stats->solve.outcome), stats->solve.iterations);
    cairn_ui_pair(ui, "it says", stats->step_index ? words : "-");
    snprintf(words, sizeof words, "%.2e of %.1e m/s", stats->residual.scaled, stats->residual.limit);
    cairn_ui_pair(ui, "residual", words);
    snprintf(words, sizeof words, "%.2e", stats->residual.cone);
    cairn_ui_pair(ui, "cones", words);
    snprintf(words, sizeof words, "%d rows, %d dofs", stats->rows, stats->dofs);
    cairn_ui_pair(ui, "problem", words);
    snprintf(words, sizeof words, "%.2f of %.2f ms", 1e3 * stats->times.solve, 1e3 * stats->times.step);
    cairn_ui_pair(ui, "solve", words);
    snprintf(words, sizeof words, "%d, contacts %d times", stats->solves, stats->contact_passes);
    cairn_ui_pair(ui, "solves", words);
    snprintf(words, sizeof words, "%d", stats->solve.factorizations);
    cairn_ui_pair(ui, "factors", words);
    snprintf(words, sizeof words, "%.3g m", stats->penetration);
    cairn_ui_pair(ui, "overlap", words);
    if (sight->worst.is_there) {
        cairn_ui_pair(ui, "worst row", sight->worst.words);
    }
}

void cairn_viewer_solve_panel(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    view_tabs(viewer);
    int view = viewer->active, count = 0, chosen = -1;
    CairnSetup *setup = &viewer->setups[view];
    SolverNames names = {viewer};
    for (const CairnSolver *solver; (solver = cairn_viewer_solver(viewer, count + 1)) != NULL; count++) {
        chosen = solver == setup->choice.solver ? count : chosen;
    }
    char panel_name[24];
    snprintf(panel_name, sizeof panel_name, "solver %d", view + 1);
    if (cairn_ui_menu(ui, "solver", solver_name, solver_summary, &names, count, &chosen)) {
        viewer->is_pinned = true;
        cairn_viewer_choose(viewer, view, cairn_viewer_solver(viewer, chosen + 1));
    }
    cairn_ui_paragraph(ui, ui->theme->faint, setup->choice.solver->summary);
    CairnStatus status = cairn_ok();
    if (setup->choice.solver->options &&
        cairn_ui_fields(ui, setup->choice.solver->options, setup->choice.options, &status) >= 0) {
        cairn_viewer_apply(viewer, view);
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_say(viewer, status.message);
    }
    cairn_ui_space(ui, 0.4);
    report(ui, sights[view]);
    cairn_ui_space(ui, 0.4);
    bool is_lockstep = viewer->crew.is_lockstep;
    if (cairn_ui_toggle(ui, "Lockstep with the first view", &is_lockstep)) {
        cairn_crew_lockstep(&viewer->crew, is_lockstep);
    }
    cairn_ui_columns(ui, 1);
    if (viewer->crew.view_count > 1 && cairn_ui_button(ui, "All go on from the first view")) {
        cairn_crew_sync(&viewer->crew);
    }
}

// ---- what is shown ----

static const char *coloring_name(const void *user, int index) {
    (void)user;
    return cairn_coloring_name((CairnColoring)index);
}

static const char *smooth_name(const void *user, int index) {
    (void)user;
    return cairn_smooth_names[index];
}

void cairn_viewer_show_panel(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    CairnLook *look = &viewer->look;
    (void)sights;
    int coloring = (int)look->coloring;
    if (cairn_ui_menu(ui, "colour by", coloring_name, NULL, NULL, CAIRN_COLORING_COUNT, &coloring)) {
        look->coloring = (CairnColoring)coloring;
    }
    cairn_ui_toggle(ui, "Contact forces", &look->forces);
    cairn_ui_toggle(ui, "Friction cones: sticks, slips, open", &look->cones);
    cairn_ui_toggle(ui, "Joint errors", &look->joints);
    cairn_ui_toggle(ui, "Interface between the parts", &look->interface);
    cairn_ui_toggle(ui, "Worst row, where not certified", &look->worst);
    cairn_ui_toggle(ui, "Views laid over each other", &look->overlay);
    cairn_ui_toggle(ui, "Lines to the first view's bodies", &look->difference);
    cairn_ui_space(ui, 0.4);
    cairn_ui_toggle(ui, "Dark", &look->dark);
    cairn_ui_toggle(ui, "Darker where bodies are close", &look->occlusion);
    cairn_ui_menu(ui, "smooth edges", smooth_name, NULL, NULL, 3, &viewer->settings.smooth);
    double size = viewer->settings.text_size;
    if (cairn_ui_slider(ui, "size of words", &size, (CairnUiRange){0.6, 3, 0.05, false, false, ""})) {
        viewer->settings.text_size = size;
    }
    cairn_ui_columns(ui, 2);
    if (cairn_ui_button(ui, "Scene's camera")) {
        press(viewer, SDLK_f);
    }
    if (cairn_ui_button(ui, "Hints")) {
        viewer->shows_hints = !viewer->shows_hints;
    }
    cairn_ui_columns(ui, 1);
    if (cairn_ui_button(ui, "Charts to cairn-charts.csv")) {
        press(viewer, SDLK_F6);
    }
    cairn_ui_columns(ui, 2);
    if (cairn_ui_button(ui, "Throw a ball")) {
        cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BALL);
    }
    if (cairn_ui_button(ui, "Throw a box")) {
        cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BOX);
    }
}

// ---- all of them ----

static void draw_side(CairnViewer *viewer, CairnArea area, const CairnSight *const *sights) {
    static const char *const names[CAIRN_TAB_COUNT] = {"Scene", "Solver", "Show", "Parts"};
    CairnUi *ui = &viewer->ui;
    CairnArea tabs = {area.x, area.y, area.width, ui->unit + 3 * ui->gap};
    cairn_ui_panel(ui, "tabs", tabs);
    ui->top = tabs.y + 1.5 * ui->gap;
    cairn_ui_columns(ui, CAIRN_TAB_COUNT);
    for (int i = 0; i < CAIRN_TAB_COUNT; i++) {
        if (cairn_ui_tab(ui, names[i], (int)viewer->tab == i)) {
            viewer->tab = (CairnTab)i;
        }
    }
    cairn_ui_panel_end(ui);
    ui->scroll->height = 0;
    area.y += tabs.height;
    area.height -= tabs.height;
    cairn_ui_panel(ui, names[viewer->tab], area);
    if (viewer->tab == CAIRN_TAB_SCENE) {
        cairn_viewer_scene_panel(viewer);
    } else if (viewer->tab == CAIRN_TAB_SOLVE) {
        cairn_viewer_solve_panel(viewer, sights);
    } else if (viewer->tab == CAIRN_TAB_SHOW) {
        cairn_viewer_show_panel(viewer, sights);
    } else {
        cairn_viewer_parts_panel(viewer, sights);
    }
    cairn_ui_panel_end(ui);
}

void cairn_viewer_panels(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnViewerPlaces places = cairn_viewer_places(viewer);
    CairnUi *ui = &viewer->ui;
    if (places.charts.height > 0) {
        cairn_viewer_charts(viewer, places.charts, sights);
    }
    if (viewer->hand.body && places.bar.height > 0) {
        cairn_viewer_body_panel(viewer, sights[viewer->active]);
    }
    if (places.bar.height > 0) {
        draw_bar(viewer, places.bar);
    }
    if (places.panel.width > 0) {
        draw_side(viewer, places.panel, sights);
        cairn_ink_box(&viewer->ink,
                      (CairnArea){places.panel.x + places.panel.width - 1, places.panel.y, 1, places.panel.height},
                      ui->theme->edge);
    }
    cairn_ui_end(ui, viewer->width, viewer->height);
}
