#include "engine/base/fields_value.h"

#include <math.h>
#include <string.h>

static const char *type_name(CairnFieldType type) {
    switch (type) {
    case CAIRN_TYPE_BOOL:
        return "bool";
    case CAIRN_TYPE_INT:
        return "int";
    case CAIRN_TYPE_DOUBLE:
        return "double";
    case CAIRN_TYPE_VEC3:
        return "vec3";
    case CAIRN_TYPE_QUAT:
        return "quat";
    case CAIRN_TYPE_CHOICE:
        return "choice";
    }
    return "?";
}

bool cairn_field_has_range(const CairnField *field) {
    bool is_number =
        field->type == CAIRN_TYPE_INT || field->type == CAIRN_TYPE_DOUBLE || field->type == CAIRN_TYPE_VEC3;
    return is_number && (isfinite(field->min) || isfinite(field->max));
}

// An end is open where its flag is set and where it is an infinity that the field does not take.
static bool is_open(const CairnField *field, double end, unsigned flag) {
    return (field->flags & flag) != 0 || (isinf(end) && (field->flags & CAIRN_FIELD_INFINITE) == 0);
}

void cairn_field_add_range(const CairnField *field, CairnText *text) {
    cairn_text_add(text, "%c", is_open(field, field->min, CAIRN_FIELD_OPEN_MIN) ? '(' : '[');
    cairn_text_add_double(text, field->min);
    cairn_text_add(text, ", ");
    cairn_text_add_double(text, field->max);
    cairn_text_add(text, "%c", is_open(field, field->max, CAIRN_FIELD_OPEN_MAX) ? ')' : ']');
}

void cairn_field_add_choices(const CairnField *field, CairnText *text) {
    int count = cairn_field_choice_count(field);
    for (int i = 0; i < count; i++) {
        cairn_text_add(text, "%s%s", i == 0 ? "" : ", ", field->choices[i]);
    }
}

void cairn_field_add_value(const CairnField *field, const CairnFieldValue *value, CairnText *text) {
    int components = cairn_field_components(field->type);
    if (field->type == CAIRN_TYPE_BOOL) {
        cairn_text_add(text, value->c[0] != 0 ? "true" : "false");
        return;
    }
    if (field->type == CAIRN_TYPE_CHOICE && value->c[0] >= 0 && value->c[0] < cairn_field_choice_count(field)) {
        cairn_text_add(text, "%s", field->choices[(int)value->c[0]]);
        return;
    }
    for (int k = 0; k < components; k++) {
        cairn_text_add(text, "%s", k == 0 ? "" : ":");
        cairn_text_add_double(text, value->c[k]);
    }
}

int cairn_fields_format(const CairnField *field, const void *object, char *text, size_t size) {
    CairnText out = cairn_text(text, size);
    CairnFieldValue value;
    cairn_field_load(field, object, &value);
    cairn_field_add_value(field, &value, &out);
    return (int)out.length;
}

int cairn_fields_help(const CairnField *field, char *text, size_t size) {
    CairnText out = cairn_text(text, size);
    CairnFieldValue preset;
    memcpy(preset.c, field->preset, sizeof preset.c);
    cairn_text_add(&out, "  %-16s  %s = ", field->name, type_name(field->type));
    cairn_field_add_value(field, &preset, &out);
    if (field->type == CAIRN_TYPE_CHOICE) {
        cairn_text_add(&out, "  {");
        cairn_field_add_choices(field, &out);
        cairn_text_add(&out, "}");
    } else if (cairn_field_has_range(field)) {
        cairn_text_add(&out, "  ");
        cairn_field_add_range(field, &out);
    }
    if (field->unit[0] != '\0') {
        cairn_text_add(&out, " %s", field->unit);
    }
    cairn_text_add(&out, "  %s", field->help);
    return (int)out.length;
}
