#include "demos/viewer/chart.h"
#include <math.h>
#include <stdio.h>

typedef struct Axes {
    CairnArea area; // of the curves
    double low, high;
    bool is_log;
    int first, last;
} Axes;

static double y_of(const Axes *axes, double value) {
    double at = axes->is_log ? (value > 0 ? log10(value) : axes->low) : value;
    double fraction = (at - axes->low) / (axes->high - axes->low);
    return axes->area.y + axes->area.height * (1 - fmax(fmin(fraction, 1), 0));
}

static double x_of(const Axes *axes, int frame) {
    int span = axes->last > axes->first ? axes->last - axes->first : 1;
    return axes->area.x + axes->area.width * fmax(fmin((double)(frame - axes->first) / span, 1), 0);
}

// What lies below a filled curve's own value.
static double base_of(const CairnChart *chart, int curve, int moment) {
    double base = 0;
    for (int c = 0; chart->curves[curve].is_filled && c < curve; c++) {
        base +=
            chart->curves[c].is_filled ? (double)chart->curves[c].moments[moment].values[chart->curves[c].quantity] : 0;
    }
    return base;
}

static void find_range(const CairnChart *chart, Axes *axes) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int c = 0; c < chart->curve_count; c++) {
        const CairnChartCurve *curve = &chart->curves[c];
        for (int i = 0; i < curve->count; i++) {
            double value = (double)curve->moments[i].values[curve->quantity] + base_of(chart, c, i);
            if (isfinite(value) && (!chart->is_log || value > 0) && curve->moments[i].frame >= axes->first) {
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
    }
    if (!(low <= high)) {
        low = chart->is_log ? 1e-9 : 0;
        high = 1;
    }
    if (chart->is_log) {
        axes->low = floor(log10(low));
        axes->high = fmax(ceil(log10(high)), axes->low + 1);
    } else {
        bool is_near_zero = low >= 0 && low < 0.6 * high;
        double room = 0.08 * fmax(high - low, 1e-3 * fmax(fabs(high), 1e-12));
        axes->low = is_near_zero ? 0 : low - room;
        axes->high = high + room;
    }
}

static void draw_tick(CairnUi *ui, const Axes *axes, double value, const char *words) {
    CairnInk *ink = ui->ink;
    double fraction = (value - axes->low) / (axes->high - axes->low),
           y = axes->area.y + axes->area.height * (1 - fraction);
    double width = cairn_ink_width(ink, CAIRN_FACE_SMALL, words), line = cairn_ink_line(ink, CAIRN_FACE_SMALL);
    cairn_ink_box(ink, (CairnArea){axes->area.x, floor(y), axes->area.width, 1}, ui->theme->edge);
    cairn_ink_words(ink, CAIRN_FACE_SMALL, axes->area.x - width - ui->gap, y - 0.5 * line, ui->theme->faint, words);
}

// Two to five round values: 1, 2 or 5 times a power of ten apart; on a logarithmic axis whole powers.
static void draw_axes(CairnUi *ui, const Axes *axes) {
    double room = 0.4 * (axes->high - axes->low), power = pow(10, floor(log10(room))), lead = room / power;
    double step = power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
    step = axes->is_log ? ceil(step) : step;
    double first = axes->is_log ? axes->low : step * ceil(axes->low / step - 1e-9);
    char words[40];
    for (int i = 0; i < 6 && first + i * step <= axes->high + 1e-9 * step; i++) {
        double value = first + i * step;
        value = fabs(value) < 1e-9 * step ? 0 : value;
        // As many digits as neighbouring values need to differ.
        int digits = value == 0 ? 1 : (int)(floor(log10(fabs(value))) - floor(log10(step))) + 1;
        if (axes->is_log) {
            snprintf(words, sizeof words, "1e%.0f", value);
        } else if (step >= 1 && fabs(value) < 1e7) { // 2000, not 2e+03
            snprintf(words, sizeof words, "%.0f", value);
        } else {
            snprintf(words, sizeof words, "%.*g", digits < 1 ? 1 : digits > 7 ? 7 : digits, value);
        }
        draw_tick(ui, axes, value, words);
    }
}

static void draw_area(CairnInk *ink, const CairnChart *chart, const Axes *axes, int c) {
    const CairnChartCurve *curve = &chart->curves[c];
    CairnPaint paint = {curve->rgb, 0.55f};
    for (int i = 1; i < curve->count; i++) {
        double x0 = x_of(axes, curve->moments[i - 1].frame), x1 = x_of(axes, curve->moments[i].frame);
        double b0 = base_of(chart, c, i - 1), b1 = base_of(chart, c, i);
        double v0 = b0 + (double)curve->moments[i - 1].values[curve->quantity];
        double v1 = b1 + (double)curve->moments[i].values[curve->quantity];
        double y0 = y_of(axes, v0), y1 = y_of(axes, v1), z0 = y_of(axes, b0), z1 = y_of(axes, b1);
        if (x1 > x0) {
            cairn_ink_triangle(ink, (double[]){x0, y0, x1, y1, x0, z0}, paint);
            cairn_ink_triangle(ink, (double[]){x0, z0, x1, y1, x1, z1}, paint);
        }
    }
}

static void draw_curve(CairnInk *ink, const Axes *axes, const CairnChartCurve *curve, double scale) {
    double width = (curve->is_thin ? 1 : 1.7) * scale;
    for (int i = 1; i < curve->count; i++) {
        const CairnMoment *a = &curve->moments[i - 1], *b = &curve->moments[i];
        double va = (double)a->values[curve->quantity], vb = (double)b->values[curve->quantity];
        if (a->frame >= axes->first && isfinite(va) && isfinite(vb)) {
            cairn_ink_stroke(ink, x_of(axes, a->frame), y_of(axes, va), x_of(axes, b->frame), y_of(axes, vb), width,
                             (CairnPaint){curve->rgb, 1});
        }
    }
}

static void draw_legend(CairnUi *ui, const CairnChart *chart, const Axes *axes) {
    double line = cairn_ink_line(ui->ink, CAIRN_FACE_SMALL), x = axes->area.x + axes->area.width + ui->gap;
    for (int i = 0; i < chart->curve_count && chart->legend > 0; i++) { // as they lie on each other
        const CairnChartCurve *curve = &chart->curves[chart->curve_count - 1 - i];
        double y = axes->area.y + i * line;
        cairn_ink_box(ui->ink, (CairnArea){x, y + 0.25 * line, 0.5 * line, 0.5 * line}, (CairnPaint){curve->rgb, 0.7f});
        cairn_ink_words(ui->ink, CAIRN_FACE_SMALL, x + 0.6 * line + ui->gap, y, ui->theme->faint,
                        cairn_quantity_name(curve->quantity));
    }
}

// The values at a frame, beside the line that marks it; `right`: where the chart ends.
static void draw_values(CairnUi *ui, const CairnChart *chart, const Axes *axes, int frame, double right) {
    CairnInk *ink = ui->ink;
    double x = x_of(axes, frame), line = cairn_ink_line(ink, CAIRN_FACE_SMALL), widest = 0;
    char words[CAIRN_CHART_CURVES][60], title[40];
    int rows[CAIRN_CHART_CURVES], count = 0;
    cairn_ink_box(ink, (CairnArea){floor(x), axes->area.y, 1, axes->area.height}, ui->theme->accent);
    for (int c = chart->curve_count - 1; c >= 0; c--) {
        const CairnChartCurve *curve = &chart->curves[c];
        for (int i = 0; i < curve->count; i++) {
            if (curve->moments[i].frame == frame) {
                snprintf(words[count], sizeof words[count], "%s %.4g", cairn_quantity_name(curve->quantity),
                         (double)curve->moments[i].values[curve->quantity]);
                widest = fmax(widest, cairn_ink_width(ink, CAIRN_FACE_SMALL, words[count]));
                rows[count++] = c;
                break;
            }
        }
    }
    if (count == 0) {
        return;
    }
    snprintf(title, sizeof title, "frame %d", frame);
    double pad = ui->gap, chip = 0.6 * line, named = cairn_ink_width(ink, CAIRN_FACE_SMALL, title);
    double width = fmax(widest + chip + 3 * pad, named + 2 * pad);
    double left = x + pad + width > right ? fmax(x - pad - width, right - width) : x + pad;
    CairnArea area = {left, axes->area.y, width, (count + 1) * line + 2 * pad};
    ink->layer = 1;
    cairn_ink_round(ink, area, pad, (CairnPaint){ui->theme->paper.rgb, 1});
    cairn_ink_words(ink, CAIRN_FACE_SMALL, left + pad, area.y + pad, ui->theme->faint, title);
    for (int i = 0; i < count; i++) {
        double y = area.y + pad + (i + 1) * line;
        cairn_ink_box(ink, (CairnArea){left + pad, y + 0.25 * line, 0.5 * line, 0.5 * line},
                      (CairnPaint){chart->curves[rows[i]].rgb, 1});
        cairn_ink_words(ink, CAIRN_FACE_SMALL, left + 2 * pad + chip, y, ui->theme->ink, words[i]);
    }
    ink->layer = 0;
}

int cairn_chart_draw(CairnUi *ui, CairnArea area, const CairnChart *chart) {
    double line = cairn_ink_line(ui->ink, CAIRN_FACE_SMALL), left = 3.5 * ui->ink->size;
    char title[80];
    snprintf(title, sizeof title, chart->unit[0] ? "%s, %s" : "%s", chart->title, chart->unit);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_SMALL, area.x + left, area.y, area.width - left, ui->theme->ink, title);
    Axes axes = {.area = {area.x + left, area.y + 1.3 * line, area.width - left - ui->gap - chart->legend,
                          area.height - 1.9 * line},
                 .is_log = chart->is_log,
                 .first = chart->first,
                 .last = chart->last};
    if (axes.area.width < 8 || axes.area.height < 8) {
        return 0;
    }
    find_range(chart, &axes);
    draw_axes(ui, &axes);
    draw_legend(ui, chart, &axes);
    for (int c = 0; c < chart->curve_count; c++) {
        if (chart->curves[c].is_filled) {
            draw_area(ui->ink, chart, &axes, c);
        }
    }
    for (int c = 0; c < chart->curve_count; c++) {
        if (!chart->curves[c].is_filled) {
            draw_curve(ui->ink, &axes, &chart->curves[c], ui->ink->size / 18);
        }
    }
    if (chart->now >= axes.first && chart->now < axes.last) {
        cairn_ink_box(ui->ink, (CairnArea){floor(x_of(&axes, chart->now)), axes.area.y, 1, axes.area.height},
                      ui->theme->faint);
    }
    if (chart->marked >= axes.first && chart->marked <= axes.last && chart->marked > 0) {
        draw_values(ui, chart, &axes, chart->marked, area.x + area.width);
    }
    if (!cairn_area_has(axes.area, ui->input.x, ui->input.y)) {
        return 0;
    }
    double fraction = (ui->input.x - axes.area.x) / axes.area.width;
    return axes.first + (int)lround(fraction * (axes.last - axes.first));
}
