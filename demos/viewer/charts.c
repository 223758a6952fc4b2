// The charts at the bottom: one curve a view, in the view's colour. Time is shown by its stages for the view under the mouse.
#include "demos/viewer/chart.h"
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPAN = 300 }; // frames

typedef struct Past {
    CairnMoment moments[CAIRN_CREW_VIEWS][CAIRN_HISTORY_SIZE];
    int counts[CAIRN_CREW_VIEWS];
} Past;

static Past *take_past(CairnViewer *viewer, int span) {
    Past *past = malloc(sizeof *past);
    for (int i = 0; past && i < viewer->crew.view_count; i++) {
        past->counts[i] = cairn_crew_history(&viewer->crew, i, past->moments[i], span);
    }
    return past;
}

static void add_curve(CairnChart *chart, const Past *past, int view, CairnQuantity quantity, unsigned rgb,
                      bool is_thin) {
    chart->curves[chart->curve_count++] =
        (CairnChartCurve){past->moments[view], past->counts[view], quantity, rgb, false, is_thin};
}

static CairnChart chart_of(const CairnViewer *viewer, const Past *past, int kind, int last, int now) {
    static const CairnQuantity stages[] = {CAIRN_QUANTITY_SOLVE, CAIRN_QUANTITY_COLLIDE, CAIRN_QUANTITY_ASSEMBLE,
                                           CAIRN_QUANTITY_PARTITION, CAIRN_QUANTITY_OTHER};
    static const unsigned colors[] = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x999999};
    static const struct {
        const char *title;
        CairnQuantity quantity, second;
        bool is_log;
    } kinds[] = {{"step by stage", CAIRN_QUANTITY_STEP, CAIRN_QUANTITY_STEP, false},
                 {"residual", CAIRN_QUANTITY_RESIDUAL, CAIRN_QUANTITY_RESIDUAL, true},
                 {"iterations", CAIRN_QUANTITY_ITERATIONS, CAIRN_QUANTITY_COUPLING, false},
                 {"energy", CAIRN_QUANTITY_ENERGY, CAIRN_QUANTITY_ENERGY, false},
                 {"deepest overlap", CAIRN_QUANTITY_PENETRATION, CAIRN_QUANTITY_PENETRATION, false}};
    const CairnTheme *theme = viewer->ui.theme;
    int views = viewer->crew.view_count;
    CairnChart chart = {.title = kinds[kind].title,
                        .unit = cairn_quantity_unit(kinds[kind].quantity),
                        .is_log = kinds[kind].is_log,
                        .first = last - SPAN + 1,
                        .last = last,
                        .marked = viewer->marked_frame,
                        .now = now};
    for (int i = 0; kind == 0 && views == 1 && i < 5; i++) {
        chart.curves[chart.curve_count++] =
            (CairnChartCurve){past->moments[0], past->counts[0], stages[i], colors[i], true, false};
    }
    for (int i = 0; i < views && (kind > 0 || views > 1); i++) {
        bool has_second = kinds[kind].second != kinds[kind].quantity;
        add_curve(&chart, past, i, kinds[kind].quantity, theme->curves[i], false);
        if (has_second && chart.curve_count < CAIRN_CHART_CURVES) {
            add_curve(&chart, past, i, kinds[kind].second, theme->curves[i], true);
        }
    }
    return chart;
}

void cairn_viewer_charts(CairnViewer *viewer, CairnArea area, const CairnSight *const *sights) {
    enum { KINDS = 5 };
    CairnUi *ui = &viewer->ui;
    Past *past = take_past(viewer, SPAN);
    cairn_ui_panel(ui, "charts", area);
    cairn_ui_panel_end(ui);
    ui->scroll->height = 0; // charts fill their panel
    if (!past) {
        return;
    }
    int last = 0, hovered = 0;
    for (int i = 0; i < viewer->crew.view_count; i++) {
        int reached = past->counts[i] > 0 ? past->moments[i][past->counts[i] - 1].frame : 0;
        last = reached > last ? reached : last;
    }
    last = last < SPAN ? SPAN : last;
    int count = (int)fmin(KINDS, fmax(1, floor(area.width / (10.5 * viewer->ink.size))));
    double width = floor((area.width - 2 * ui->gap) / count);
    for (int i = 0; i < count; i++) {
        CairnChart chart = chart_of(viewer, past, i, last, sights[viewer->active]->frame);
        int frame = cairn_chart_draw(
            ui,
            (CairnArea){area.x + ui->gap + i * width, area.y + 2 * ui->gap, width - ui->gap, area.height - 3 * ui->gap},
            &chart);
        hovered = frame ? frame : hovered;
        if (frame && ui->input.was_pressed && !ui->menu) {
            cairn_viewer_go(viewer, frame);
        }
    }
    viewer->marked_frame = hovered;
    cairn_ink_box(&viewer->ink, (CairnArea){area.x, area.y, area.width, 1}, ui->theme->edge);
    free(past);
}

static bool write_view(FILE *file, const Past *past, int view, const char *solver) {
    bool is_fine = true;
    for (int i = 0; i < past->counts[view]; i++) {
        const CairnMoment *moment = &past->moments[view][i];
        is_fine = fprintf(file, "%d,%s,%d", view + 1, solver, moment->frame) > 0 && is_fine;
        for (int q = 0; q < CAIRN_QUANTITY_COUNT; q++) {
            is_fine = fprintf(file, ",%.9g", (double)moment->values[q]) > 0 && is_fine;
        }
        is_fine = fputc('\n', file) != EOF && is_fine;
    }
    return is_fine;
}

CairnStatus cairn_viewer_write_csv(CairnViewer *viewer, const char *path) {
    Past *past = take_past(viewer, CAIRN_HISTORY_SIZE);
    if (!past) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "charts: no memory");
    }
    FILE *file = fopen(path, "w");
    bool is_fine = file && fprintf(file, "view,solver,frame") > 0;
    for (int q = 0; file && q < CAIRN_QUANTITY_COUNT; q++) {
        const char *unit = cairn_quantity_unit((CairnQuantity)q);
        is_fine =
            fprintf(file, unit[0] ? ",%s (%s)" : ",%s", cairn_quantity_name((CairnQuantity)q), unit) > 0 && is_fine;
    }
    is_fine = file && fputc('\n', file) != EOF && is_fine;
    for (int i = 0; file && i < viewer->crew.view_count; i++) {
        is_fine = write_view(file, past, i, viewer->setups[i].choice.solver->name) && is_fine;
    }
    is_fine = file && fclose(file) == 0 && is_fine;
    free(past);
    return is_fine ? cairn_ok() : cairn_error(CAIRN_IO, "charts: cannot write %.200s", path);
}
