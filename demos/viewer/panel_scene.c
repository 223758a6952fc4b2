// The scene: its parameters, its seed, and all scenes to choose from.
#include "demos/scenes/scenes.h"
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"
#include <stdio.h>

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

static void draw(CairnViewer *viewer, const CairnSight *const *sights) {
    (void)sights;
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
        cairn_viewer_notify(viewer, status.message);
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

const CairnPanel cairn_panel_scene = {.title = "Scene", .draw = draw};
