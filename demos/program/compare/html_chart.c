// A chart of curves over frames, as SVG.
#include "demos/program/compare/html.h"
#include <cairn/math.h>
#include <math.h>

enum { WIDTH = 1000, HEIGHT = 250, LEFT = 74, RIGHT = 14, TOP = 44, BOTTOM = 28, MOST_POINTS = 700 };

typedef struct Axes {
    double low, high; // of the values; decades where the chart is logarithmic
    int frames;
    bool is_log;
} Axes;

static double y_of(const Axes *axes, double value) {
    if (axes->is_log) {
        value = value > 0 ? log10(value) : axes->low;
    }
    double fraction = (value - axes->low) / (axes->high - axes->low);
    return TOP + (1 - cairn_clamp(fraction, 0, 1)) * (HEIGHT - TOP - BOTTOM);
}

static double x_of(const Axes *axes, int frame) {
    return axes->frames > 1 ? LEFT + (double)(frame - 1) / (axes->frames - 1) * (WIDTH - LEFT - RIGHT) : LEFT;
}

// A round step of which about five fit into a range: 1, 2 or 5 times a power of ten.
static double round_step(double range) {
    double step = pow(10, floor(log10(range / 5)));
    double ratio = range / 5 / step;
    return step * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

static bool find_axes(const CairnHtmlChart *chart, Axes *axes) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    *axes = (Axes){.is_log = chart->is_log};
    for (int c = 0; c < chart->count; c++) {
        const CairnHtmlCurve *curve = &chart->curves[c];
        axes->frames = curve->count > axes->frames ? curve->count : axes->frames;
        for (int i = 0; i < curve->count; i++) {
            double value = curve->values[i];
            if (isfinite(value) && (!chart->is_log || value > 0)) {
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
    }
    if (!(low <= high)) {
        return false;
    }
    if (chart->is_log) {
        axes->low = floor(log10(low));
        axes->high = fmax(ceil(log10(high)), axes->low + 1);
        return true;
    }
    low = fmin(low, 0);
    double step = round_step(high > low ? high - low : 1);
    axes->low = step * floor(low / step);
    axes->high = fmax(step * ceil(high / step), axes->low + step);
    return true;
}

static void grid_line(FILE *file, const Axes *axes, double value, const char *label) {
    double y = y_of(axes, value);
    fprintf(file, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - RIGHT, y, y);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4, label);
}

static void draw_grid(FILE *file, const Axes *axes) {
    char label[32];
    if (axes->is_log) {
        int every = (int)ceil((axes->high - axes->low) / 6);
        for (int decade = (int)axes->low; decade <= (int)axes->high; decade += every) {
            snprintf(label, sizeof label, "1e%d", decade);
            grid_line(file, axes, pow(10, decade), label);
        }
    } else {
        double step = round_step(axes->high - axes->low);
        int lines = (int)lround((axes->high - axes->low) / step);
        for (int i = 0; i <= lines; i++) {
            double value = axes->low + i * step;
            snprintf(label, sizeof label, "%.4g", fabs(value) < 1e-9 * step ? 0.0 : value);
            grid_line(file, axes, value, label);
        }
    }
    int step = (int)fmax(round_step(axes->frames), 1);
    for (int frame = step; frame <= axes->frames; frame += step) {
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>", x_of(axes, frame), HEIGHT - 9,
                frame);
    }
    fputc('\n', file);
}

static void draw_curve(FILE *file, const Axes *axes, const CairnHtmlCurve *curve, const char *color) {
    int every = (curve->count + MOST_POINTS - 1) / MOST_POINTS;
    fputs(curve->is_limit ? "<polyline class=\"limit\" points=\"" : "<polyline points=\"", file);
    for (int first = 0; first < curve->count; first += every) {
        double most = -HUGE_VAL;
        for (int i = first; i < first + every && i < curve->count; i++) {
            most = curve->values[i] > most ? curve->values[i] : most;
        }
        if (isfinite(most)) {
            fprintf(file, "%.1f,%.1f ", x_of(axes, first + 1), y_of(axes, most));
        }
    }
    if (curve->is_limit) {
        fputs("\"/>\n", file);
    } else {
        fprintf(file, "\" stroke=\"%s\"/>\n", color);
    }
}

void cairn_html_chart(FILE *file, const CairnHtmlChart *chart) {
    Axes axes;
    if (!find_axes(chart, &axes)) {
        return;
    }
    fprintf(file, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\">\n<text class=\"title\" x=\"%d\" y=\"18\">", WIDTH,
            HEIGHT, LEFT);
    cairn_html_text(file, chart->title);
    if (chart->unit[0]) {
        fputs(", ", file);
        cairn_html_text(file, chart->unit);
    }
    fputs("</text>\n", file);
    draw_grid(file, &axes);
    double x = LEFT;
    for (int c = 0, solver = 0; c < chart->count; c++) {
        const CairnHtmlCurve *curve = &chart->curves[c];
        const char *color = cairn_html_color(solver);
        solver += curve->is_limit ? 0 : 1;
        draw_curve(file, &axes, curve, color);
        fprintf(file, "<line %s x1=\"%.0f\" x2=\"%.0f\" y1=\"31\" y2=\"31\" stroke-width=\"2.5\" stroke=\"%s\"/>",
                curve->is_limit ? "class=\"limit\"" : "", x, x + 18, curve->is_limit ? "gray" : color);
        fprintf(file, "<text x=\"%.0f\" y=\"35\">", x + 23);
        cairn_html_text(file, curve->name);
        fputs("</text>\n", file);
        int length = 0;
        while (curve->name[length]) {
            length++;
        }
        x += 40 + 6.5 * length;
    }
    fputs("</svg></figure>\n", file);
}
