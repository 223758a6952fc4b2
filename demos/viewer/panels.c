// All that lies over the views: the bar, the panel at the left with its tabs, the charts, and what is selected.
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"

#define NAME(name) #name,
const char *const cairn_panel_names[] = {CAIRN_PANELS(NAME) NULL};

#define DECLARE(name) extern const CairnPanel cairn_panel_##name;
CAIRN_PANELS(DECLARE)

#define LIST(name) &cairn_panel_##name,
static const CairnPanel *const panels[] = {CAIRN_PANELS(LIST)};

static void draw_side(CairnViewer *viewer, CairnArea area, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    CairnArea tabs = {area.x, area.y, area.width, ui->unit + 3 * ui->gap};
    cairn_ui_panel(ui, "tabs", tabs);
    ui->top = tabs.y + 1.5 * ui->gap;
    cairn_ui_columns(ui, CAIRN_PANEL_COUNT);
    for (int i = 0; i < CAIRN_PANEL_COUNT; i++) {
        if (cairn_ui_tab(ui, panels[i]->title, viewer->tab == i)) {
            viewer->tab = i;
        }
    }
    cairn_ui_panel_end(ui);
    ui->scroll->height = 0;
    area.y += tabs.height;
    area.height -= tabs.height;
    cairn_ui_panel(ui, panels[viewer->tab]->title, area);
    panels[viewer->tab]->draw(viewer, sights);
    cairn_ui_panel_end(ui);
}

void cairn_viewer_panels(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnViewerLayout layout = cairn_viewer_layout(viewer);
    CairnUi *ui = &viewer->ui;
    if (layout.charts.height > 0) {
        cairn_viewer_charts(viewer, layout.charts, sights);
    }
    if (viewer->hand.body && layout.bar.height > 0) {
        cairn_viewer_body_panel(viewer, sights[viewer->active]);
    }
    if (layout.bar.height > 0) {
        cairn_viewer_bar(viewer, layout.bar);
    }
    if (layout.panel.width > 0) {
        draw_side(viewer, layout.panel, sights);
        cairn_ink_box(&viewer->ink,
                      (CairnArea){layout.panel.x + layout.panel.width - 1, layout.panel.y, 1, layout.panel.height},
                      ui->theme->edge);
    }
    cairn_ui_end(ui, viewer->width, viewer->height);
}
