// Widgets: words, buttons, toggles, sliders and text fields. A press on one takes hold of the mouse; letting go over it
// is a click.
#include "demos/viewer/ui.h"
#include <cairn/math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned cairn_ui_id(const CairnUi *ui, const char *name) { // FNV-1a, 32 bits
    unsigned hash = 2166136261u ^ ui->seed;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash ? hash : 1;
}

// May the mouse touch what lies here? Not under an open menu, and not where the panel's edge hides it.
static bool is_under(const CairnUi *ui, CairnArea area) {
    bool is_seen = cairn_area_has(cairn_area_overlap(area, ui->ink->clip), ui->input.x, ui->input.y);
    return is_seen && !(ui->menu && cairn_area_has(ui->menu_area, ui->input.x, ui->input.y)) && ui->ink->layer == 0;
}

void cairn_ui_hint(CairnUi *ui, CairnArea area, const char *words) {
    if (words && is_under(ui, area)) {
        snprintf(ui->hint, sizeof ui->hint, "%s", words);
    }
}

// Takes hold where it is pressed; true: it was clicked.
static bool touch(CairnUi *ui, unsigned id, CairnArea area) {
    bool is_hot = is_under(ui, area);
    if (is_hot && ui->input.was_pressed && !ui->active) {
        ui->active = id;
        ui->grip_x = ui->input.x;
        ui->grip_y = ui->input.y;
    }
    if (ui->active == id && ui->input.was_released) {
        ui->active = 0;
        return is_hot;
    }
    return false;
}

static CairnPaint face_of(const CairnUi *ui, unsigned id, CairnArea area) {
    bool is_hot = is_under(ui, area) && (!ui->active || ui->active == id);
    return ui->active == id ? ui->theme->press : is_hot ? ui->theme->hover : ui->theme->field;
}

static double middle_of(const CairnUi *ui, CairnArea area, CairnFace face) {
    return area.y + 0.5 * (area.height - cairn_ink_line(ui->ink, face));
}

// ---- words ----

void cairn_ui_title(CairnUi *ui, const char *words) {
    CairnArea area = cairn_ui_block(ui, 1.1);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TITLE, area.x, middle_of(ui, area, CAIRN_FACE_TITLE), area.width,
                      ui->theme->ink, words);
}

void cairn_ui_label(CairnUi *ui, CairnPaint paint, const char *words) {
    CairnArea area = cairn_ui_next(ui);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x, middle_of(ui, area, CAIRN_FACE_TEXT), area.width, paint, words);
    if (cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, words) > area.width) {
        cairn_ui_hint(ui, area, words); // whole, under the mouse
    }
}

void cairn_ui_phrase(CairnUi *ui, CairnPaint paint, const char *words) {
    CairnArea area = cairn_ui_next(ui);
    char cut[400];
    size_t end = strlen(words);
    snprintf(cut, sizeof cut, "%s", words);
    while (end > 0 && cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, cut) > area.width) {
        do {
            end--;
        } while (end > 0 && strchr(",;:", words[end]) == NULL);
        snprintf(cut, sizeof cut, "%.*s", (int)end, words);
    }
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x, middle_of(ui, area, CAIRN_FACE_TEXT), area.width, paint,
                      end > 0 ? cut : words);
    if (words[end] != '\0') {
        cairn_ui_hint(ui, area, words); // whole, under the mouse
    }
}

void cairn_ui_middle(CairnUi *ui, CairnPaint paint, const char *words) {
    CairnArea area = cairn_ui_next(ui);
    double width = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, words), x = area.x + 0.5 * fmax(area.width - width, 0);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, x, middle_of(ui, area, CAIRN_FACE_TEXT), area.width, paint, words);
}

// Rows of numbers stand closer than widgets.
void cairn_ui_pair(CairnUi *ui, const char *name, const char *value) {
    double line = cairn_ink_line(ui->ink, CAIRN_FACE_TEXT), column = 4.7 * ui->ink->size;
    CairnArea area = cairn_ui_block(ui, line / ui->unit);
    ui->top -= ui->gap;
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x, area.y, column - ui->gap, ui->theme->faint, name);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x + column, area.y, area.width - column, ui->theme->ink, value);
    if (cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, value) > area.width - column) {
        cairn_ui_hint(ui, area, value); // whole, under the mouse
    }
}

// ---- buttons ----

static bool press(CairnUi *ui, const char *words, CairnPaint behind, CairnPaint ink, bool is_plain) {
    unsigned id = cairn_ui_id(ui, words);
    CairnArea area = cairn_ui_next(ui);
    bool is_clicked = touch(ui, id, area);
    cairn_ink_round(ui->ink, area, ui->gap, is_plain ? face_of(ui, id, area) : behind);
    double width = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, words), room = area.width - ui->gap;
    double x = area.x + 0.5 * fmax(area.width - width, ui->gap);
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, x, middle_of(ui, area, CAIRN_FACE_TEXT), room, ink, words);
    return is_clicked;
}

bool cairn_ui_button(CairnUi *ui, const char *words) {
    return press(ui, words, ui->theme->field, ui->theme->ink, true);
}

bool cairn_ui_tab(CairnUi *ui, const char *words, bool is_chosen) {
    return press(ui, words, ui->theme->accent, is_chosen ? ui->theme->on_accent : ui->theme->ink, !is_chosen);
}

bool cairn_ui_toggle(CairnUi *ui, const char *words, bool *is_on) {
    unsigned id = cairn_ui_id(ui, words);
    CairnArea area = cairn_ui_next(ui);
    bool is_clicked = touch(ui, id, area);
    *is_on = *is_on != is_clicked;
    double side = floor(0.62 * area.height), y = area.y + floor(0.5 * (area.height - side));
    CairnArea box = {area.x, y, side, side};
    cairn_ink_round(ui->ink, box, 0.5 * ui->gap, *is_on ? ui->theme->accent : face_of(ui, id, area));
    if (*is_on) {
        double w = fmax(0.12 * side, 1.5);
        cairn_ink_stroke(ui->ink, box.x + 0.22 * side, y + 0.52 * side, box.x + 0.43 * side, y + 0.74 * side, w,
                         ui->theme->on_accent);
        cairn_ink_stroke(ui->ink, box.x + 0.41 * side, y + 0.75 * side, box.x + 0.80 * side, y + 0.27 * side, w,
                         ui->theme->on_accent);
    }
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x + side + 2 * ui->gap, middle_of(ui, area, CAIRN_FACE_TEXT),
                      area.width - side - 2 * ui->gap, ui->theme->ink, words);
    return is_clicked;
}

// ---- text ----

static void take_focus(CairnUi *ui, unsigned id, const char *text) {
    ui->focus = id;
    snprintf(ui->edit, sizeof ui->edit, "%s", text);
    ui->edit_is_whole = true;
}

// What was typed goes to the focus. 1: finished, -1: given up, 0: neither.
static int type_text(CairnUi *ui) {
    size_t length = strlen(ui->edit);
    for (const char *letter = ui->input.text; *letter; letter++) {
        if (ui->edit_is_whole) {
            length = 0;
            ui->edit_is_whole = false;
        }
        if (length + 1 < sizeof ui->edit) {
            ui->edit[length++] = *letter;
        }
        ui->edit[length] = '\0';
    }
    for (int i = 0; i < ui->input.key_count; i++) {
        if (ui->input.keys[i] == CAIRN_UI_ENTER) {
            return 1;
        }
        if (ui->input.keys[i] == CAIRN_UI_ESCAPE) {
            return -1;
        }
        if (ui->input.keys[i] == CAIRN_UI_ERASE) {
            length = ui->edit_is_whole || length == 0 ? 0 : length - 1;
            ui->edit[length] = '\0';
            ui->edit_is_whole = false;
        }
    }
    return 0;
}

static void draw_edit(CairnUi *ui, CairnArea area) {
    cairn_ink_round(ui->ink, area, ui->gap, ui->theme->accent);
    cairn_ink_round(ui->ink, cairn_area_inset(area, 2), ui->gap, (CairnPaint){ui->theme->panel.rgb, 1});
    double y = middle_of(ui, area, CAIRN_FACE_TEXT), x = area.x + 2 * ui->gap;
    double width = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, ui->edit);
    if (ui->edit_is_whole && width > 0) {
        cairn_ink_box(ui->ink, (CairnArea){x, y, width, cairn_ink_line(ui->ink, CAIRN_FACE_TEXT)}, ui->theme->select);
    }
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, x, y, area.width - 4 * ui->gap, ui->theme->ink, ui->edit);
    cairn_ink_box(ui->ink, (CairnArea){x + width + 1, y + 1, 2, cairn_ink_line(ui->ink, CAIRN_FACE_TEXT) - 2},
                  ui->theme->accent);
}

// The turn of the field that has the focus: types, draws, and returns whether it is finished. A click elsewhere
// finishes it.
static bool edit(CairnUi *ui, CairnArea area, bool *is_over) {
    int end = type_text(ui);
    bool is_left = ui->input.was_pressed && !is_under(ui, area);
    draw_edit(ui, area);
    *is_over = end != 0 || is_left;
    if (*is_over) {
        ui->focus = 0;
    }
    return end > 0 || (is_left && end == 0);
}

bool cairn_ui_text(CairnUi *ui, const char *name, char *text, size_t size) {
    unsigned id = cairn_ui_id(ui, name);
    CairnArea area = cairn_ui_next(ui);
    if (ui->focus != id) {
        if (touch(ui, id, area)) {
            take_focus(ui, id, text);
        }
        cairn_ink_round(ui->ink, area, ui->gap, face_of(ui, id, area));
        bool is_empty = text[0] == '\0';
        cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x + 2 * ui->gap, middle_of(ui, area, CAIRN_FACE_TEXT),
                          area.width - 4 * ui->gap, is_empty ? ui->theme->faint : ui->theme->ink,
                          is_empty ? name : text);
        return false;
    }
    bool is_over;
    if (edit(ui, area, &is_over)) {
        snprintf(text, size, "%s", ui->edit);
        return true;
    }
    return false;
}

// ---- sliders ----

static double fraction_of(CairnUiRange range, double value) {
    if (range.is_log) {
        return log(value / range.least) / log(range.most / range.least);
    }
    double fraction = (value - range.least) / (range.most - range.least);
    return range.is_cubic ? cbrt(fraction) : fraction;
}

static double value_of(CairnUiRange range, double fraction) {
    double value = range.is_log     ? range.least * pow(range.most / range.least, fraction)
                   : range.is_cubic ? range.least + fraction * fraction * fraction * (range.most - range.least)
                                    : range.least + fraction * (range.most - range.least);
    if (range.step > 0) {
        value = range.step * round(value / range.step);
    } else if (value != 0) { // three digits are as much as a hand can set
        double digit = pow(10, floor(log10(fabs(value))) - 2);
        value = digit * round(value / digit);
    }
    return cairn_clamp(value, range.least, range.most);
}

static void draw_slider(CairnUi *ui, unsigned id, CairnArea area, const char *name, double value, CairnUiRange range) {
    char words[64];
    snprintf(words, sizeof words, "%.6g%s%s", value, range.unit && range.unit[0] ? " " : "",
             range.unit ? range.unit : "");
    double fraction = cairn_clamp(fraction_of(range, value), 0, 1), y = middle_of(ui, area, CAIRN_FACE_TEXT);
    cairn_ink_round(ui->ink, area, ui->gap, face_of(ui, id, area));
    if (fraction * area.width >= 1) {
        CairnArea full = {area.x, area.y, floor(fraction * area.width), area.height};
        cairn_ink_round(ui->ink, full, ui->gap, ui->theme->select);
    }
    double wide = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, words), pad = 2 * ui->gap;
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x + pad, y, area.width - wide - 3 * pad, ui->theme->ink, name);
    cairn_ink_words(ui->ink, CAIRN_FACE_TEXT, area.x + area.width - wide - pad, y, ui->theme->ink, words);
}

bool cairn_ui_slider(CairnUi *ui, const char *name, double *value, CairnUiRange range) {
    unsigned id = cairn_ui_id(ui, name);
    CairnArea area = cairn_ui_next(ui);
    if (ui->focus == id) {
        bool is_over;
        char *end = NULL;
        if (edit(ui, area, &is_over)) {
            double typed = strtod(ui->edit, &end);
            if (end != ui->edit && typed == typed && typed != *value) {
                *value = cairn_clamp(typed, range.least, range.most);
                return true;
            }
        }
        return false;
    }
    double before = *value;
    bool was_active = ui->active == id, is_clicked = touch(ui, id, area);
    bool is_dragged = fabs(ui->input.x - ui->grip_x) > 2;
    if (is_clicked && !is_dragged) {
        char text[40];
        snprintf(text, sizeof text, "%.10g", *value);
        take_focus(ui, id, text);
    } else if ((ui->active == id || was_active) && is_dragged) {
        *value = value_of(range, cairn_clamp((ui->input.x - area.x) / area.width, 0, 1));
    }
    draw_slider(ui, id, area, name, *value, range);
    return *value != before;
}
