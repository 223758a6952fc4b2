// The charts at the bottom: one curve a view, in the view's colour. Time is shown by its stages for the view under the
// mouse.
#include "demos/viewer/chart.h"
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPAN = 300, KINDS = 5 }; // frames, charts

typedef struct Past {
    CairnMoment *moments[CAIRN_CREW_VIEWS];
    int counts[CAIRN_CREW_VIEWS];
    int first, last; // frames
} Past;

static void drop_past(Past *past) {
    for (int i = 0; i < CAIRN_CREW_VIEWS; i++) {
        free(past->moments[i]);
    }
}

static bool take_past(CairnViewer *viewer, Past *past, int first, int last) {
    *past = (Past){.first = first, .last = last};
    for (int i = 0; i < viewer->crew.view_count; i++) {
        past->moments[i] = malloc((size_t)(last - first + 1) * sizeof *past->moments[i]);
        if (!past->moments[i]) {
            drop_past(past);
            return false;
        }
        past->counts[i] = cairn_crew_history(&viewer->crew, i, first, last, past->moments[i]);
    }
    return true;
}

// The newest frames, or those around the one that is shown where it is not among them.
static int last_of(const CairnViewer *viewer, const CairnSight *const *sights) {
    int last = SPAN, now = sights[viewer->active]->frame;
    for (int i = 0; i < viewer->crew.view_count; i++) {
        last = sights[i]->past_last > last ? sights[i]->past_last : last;
    }
    int around = now + SPAN / 2 > SPAN ? now + SPAN / 2 : SPAN;
    return now <= last - SPAN && around < last ? around : last;
}

static void add_curve(CairnChart *chart, const Past *past, int view, CairnQuantity quantity, unsigned rgb,
                      bool is_thin) {
    chart->curves[chart->curve_count++] =
        (CairnChartCurve){past->moments[view], past->counts[view], quantity, rgb, false, is_thin};
}

static CairnChart chart_of(const CairnViewer *viewer, const Past *past, int kind, int now) {
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
                 {"overlap", CAIRN_QUANTITY_PENETRATION, CAIRN_QUANTITY_PENETRATION, false}};
    const CairnTheme *theme = viewer->ui.theme;
    int views = viewer->crew.view_count;
    CairnChart chart = {.title = kind == 0 && views > 1 ? "step" : kinds[kind].title,
                        .unit = cairn_quantity_unit(kinds[kind].quantity),
                        .is_log = kinds[kind].is_log,
                        .first = past->first,
                        .last = past->last,
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

// Where not all fit, a button at the right goes on to the next ones; the wheel does, too.
static void turn_pages(CairnViewer *viewer, CairnArea *area, int count) {
    CairnUi *ui = &viewer->ui;
    static const double widths[] = {1, -0.9};
    int beyond = KINDS - count;
    if (beyond > 0) {
        ui->top = area->y + 2 * ui->gap;
        cairn_ui_row(ui, widths, 2);
        (void)cairn_ui_next(ui);
        viewer->first_chart += cairn_ui_button(ui, ">") ? (viewer->first_chart < beyond ? 1 : -beyond) : 0;
        area->width -= 0.9 * ui->unit + 2 * ui->gap;
        if (cairn_area_has(*area, ui->input.x, ui->input.y)) {
            viewer->first_chart -= (int)ui->input.wheel;
        }
    }
    viewer->first_chart = viewer->first_chart > beyond ? beyond : viewer->first_chart;
    viewer->first_chart = viewer->first_chart < 0 ? 0 : viewer->first_chart;
}

void cairn_viewer_charts(CairnViewer *viewer, CairnArea area, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    int count = (int)fmin(KINDS, fmax(1, floor(area.width / (10 * viewer->ink.size)))), hovered = 0;
    int last = last_of(viewer, sights);
    cairn_ui_panel(ui, "charts", area);
    cairn_ink_box(&viewer->ink, (CairnArea){area.x, area.y, area.width, 1}, ui->theme->edge);
    turn_pages(viewer, &area, count);
    cairn_ui_panel_end(ui);
    ui->scroll->height = 0; // charts fill their panel
    Past past;
    if (!take_past(viewer, &past, last - SPAN + 1, last)) {
        return;
    }
    // The stages have a legend, and more room for it.
    bool has_legend = viewer->crew.view_count == 1 && viewer->first_chart == 0;
    double legend = has_legend ? 4.6 * viewer->ink.size : 0, x = area.x + ui->gap;
    double width = floor((area.width - 2 * ui->gap - legend) / count);
    for (int i = 0; i < count; i++) {
        CairnChart chart = chart_of(viewer, &past, viewer->first_chart + i, sights[viewer->active]->frame);
        chart.legend = i == 0 ? legend : 0;
        CairnArea plot = {x, area.y + 2 * ui->gap, width + chart.legend - ui->gap, area.height - 3 * ui->gap};
        int frame = cairn_chart_draw(ui, plot, &chart);
        x += width + chart.legend;
        hovered = frame ? frame : hovered;
        if (frame && ui->input.was_pressed && !ui->menu) {
            cairn_viewer_go(viewer, frame);
        }
    }
    viewer->marked_frame = hovered;
    drop_past(&past);
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
    Past past;
    int last = 0;
    for (int i = 0; i < viewer->crew.view_count; i++) {
        int past_last = cairn_crew_look(&viewer->crew, i)->past_last;
        last = past_last > last ? past_last : last;
    }
    if (!take_past(viewer, &past, 1, last > 0 ? last : 1)) {
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
        is_fine = write_view(file, &past, i, viewer->setups[i].choice.solver->name) && is_fine;
    }
    is_fine = file && fclose(file) == 0 && is_fine;
    drop_past(&past);
    return is_fine ? cairn_ok() : cairn_error(CAIRN_IO, "charts: cannot write %.200s", path);
}
