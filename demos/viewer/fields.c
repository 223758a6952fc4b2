// Fields: a widget for each field of a table, so that scenes' parameters and options of solvers and partitioners need
// no code here.
#include "demos/viewer/ui.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void *value_at(const CairnField *field, void *object) {
    return (char *)object + field->offset;
}

// A slider's range where the field's own is too wide to be one.
static CairnUiRange range_of(const CairnField *field, double value) {
    double preset = fabs(field->preset[0]), most = field->max, least = field->min;
    double reach = fmax(100 * fmax(preset, fabs(value)), 1);
    most = most > 1e9 || isinf(most) ? reach : most;
    least = least < -1e9 || isinf(least) ? -reach : least;
    bool is_whole = field->type == CAIRN_TYPE_INT;
    CairnUiRange range = {least, fmax(most, value), is_whole ? 1 : 0, false, false, field->unit};
    range.is_log = least > 0 && most / least >= 200;
    range.is_cubic = !range.is_log && least >= 0 && most > 30 * fmax(preset, 1e-12);
    return range;
}

static bool number_field(CairnUi *ui, const CairnField *field, void *object, char *text, size_t size) {
    double value;
    if (field->type == CAIRN_TYPE_INT) {
        int whole;
        memcpy(&whole, value_at(field, object), sizeof whole);
        value = whole;
    } else {
        memcpy(&value, value_at(field, object), sizeof value);
    }
    if (!cairn_ui_slider(ui, field->name, &value, range_of(field, value))) {
        return false;
    }
    snprintf(text, size, field->type == CAIRN_TYPE_INT ? "%.0f" : "%.17g", value);
    return true;
}

static const char *choice_name(const void *user, int index) {
    return ((const char *const *)user)[index];
}

static bool choice_field(CairnUi *ui, const CairnField *field, void *object, char *text, size_t size) {
    int chosen, count = 0;
    memcpy(&chosen, value_at(field, object), sizeof chosen);
    while (field->choices[count]) {
        count++;
    }
    if (!cairn_ui_menu(ui, field->name, choice_name, NULL, (const void *)field->choices, count, &chosen)) {
        return false;
    }
    snprintf(text, size, "%s", field->choices[chosen]);
    return true;
}

static bool text_field(CairnUi *ui, const CairnField *field, const void *object, char *text, size_t size) {
    static const double widths[] = {0.4, 0.6};
    cairn_ui_row(ui, widths, 2);
    cairn_ui_label(ui, ui->theme->faint, field->name);
    cairn_fields_format(field, object, text, size);
    return cairn_ui_text(ui, field->name, text, size);
}

static bool draw_field(CairnUi *ui, const CairnField *field, void *object, char *text, size_t size) {
    bool is_on;
    switch (field->type) {
    case CAIRN_TYPE_BOOL:
        memcpy(&is_on, value_at(field, object), sizeof is_on);
        if (!cairn_ui_toggle(ui, field->name, &is_on)) {
            return false;
        }
        snprintf(text, size, "%s", is_on ? "true" : "false");
        return true;
    case CAIRN_TYPE_INT:
    case CAIRN_TYPE_DOUBLE:
        return number_field(ui, field, object, text, size);
    case CAIRN_TYPE_CHOICE:
        return choice_field(ui, field, object, text, size);
    default:
        return text_field(ui, field, object, text, size);
    }
}

int cairn_ui_fields(CairnUi *ui, const CairnFieldTable *table, void *object, CairnStatus *status) {
    int changed = -1;
    for (int i = 0; table && i < table->count; i++) {
        const CairnField *field = &table->fields[i];
        char text[200] = "";
        double before = ui->top;
        bool is_set = draw_field(ui, field, object, text, sizeof text);
        CairnArea area = {ui->panel.x, before, ui->panel.width, ui->top - before - ui->gap};
        cairn_ui_hint(ui, area, field->help);
        if (is_set) {
            *status = cairn_fields_set(table, object, field->name, text);
            changed = cairn_is_ok(*status) ? i : changed;
        }
    }
    return changed;
}
