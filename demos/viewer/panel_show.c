// What is shown, and how.
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"

static const char *coloring_name(const void *user, int index) {
    (void)user;
    return cairn_coloring_name((CairnColoring)index);
}

static const char *smooth_name(const void *user, int index) {
    (void)user;
    return cairn_smooth_names[index];
}

static void draw(CairnViewer *viewer, const CairnSight *const *sights) {
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
        cairn_viewer_press(viewer, SDLK_f);
    }
    if (cairn_ui_button(ui, "Hints")) {
        viewer->shows_hints = !viewer->shows_hints;
    }
    cairn_ui_columns(ui, 1);
    if (cairn_ui_button(ui, "Charts to cairn-charts.csv")) {
        cairn_viewer_press(viewer, SDLK_F6);
    }
    cairn_ui_columns(ui, 2);
    if (cairn_ui_button(ui, "Throw a ball")) {
        cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BALL);
    }
    if (cairn_ui_button(ui, "Throw a box")) {
        cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BOX);
    }
}

const CairnPanel cairn_panel_show = {.title = "Show", .draw = draw};
