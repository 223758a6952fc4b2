#include "engine/base/check.h"
#include "engine/base/fields_value.h"

#include <cairn/math.h>
#include <string.h>

int cairn_field_components(CairnFieldType type) {
    return type == CAIRN_TYPE_VEC3 ? 3 : type == CAIRN_TYPE_QUAT ? 4 : 1;
}

int cairn_field_choice_count(const CairnField *field) {
    int count = 0;
    while (field->choices != NULL && field->choices[count] != NULL) {
        count++;
    }
    return count;
}

// ---- between the struct and doubles ----

// By memcpy, for the table knows an offset and a type but not the struct. A bool is read as its byte: whatever a
// careless caller left there is a value that is refused, not undefined behaviour.
_Static_assert(sizeof(bool) == 1, "a bool is one byte");
_Static_assert(sizeof(CairnVec3) == 3 * sizeof(double), "a vector is three doubles");
_Static_assert(sizeof(CairnQuat) == 4 * sizeof(double), "a quaternion is four doubles");

void cairn_field_load(const CairnField *field, const void *object, CairnFieldValue *value) {
    const unsigned char *address = (const unsigned char *)object + field->offset;
    *value = (CairnFieldValue){{0, 0, 0, 0}};
    switch (field->type) {
    case CAIRN_TYPE_BOOL:
        value->c[0] = (double)address[0];
        return;
    case CAIRN_TYPE_INT:
    case CAIRN_TYPE_CHOICE: {
        int number;
        memcpy(&number, address, sizeof number);
        value->c[0] = (double)number;
        return;
    }
    case CAIRN_TYPE_DOUBLE:
    case CAIRN_TYPE_VEC3:
    case CAIRN_TYPE_QUAT:
        memcpy(value->c, address, (size_t)cairn_field_components(field->type) * sizeof(double));
        return;
    }
}

void cairn_field_store(const CairnField *field, void *object, const CairnFieldValue *value) {
    unsigned char *address = (unsigned char *)object + field->offset;
    switch (field->type) {
    case CAIRN_TYPE_BOOL:
        address[0] = value->c[0] != 0;
        return;
    case CAIRN_TYPE_INT:
    case CAIRN_TYPE_CHOICE: {
        int number = (int)value->c[0];
        memcpy(address, &number, sizeof number);
        return;
    }
    case CAIRN_TYPE_DOUBLE:
    case CAIRN_TYPE_VEC3:
    case CAIRN_TYPE_QUAT:
        memcpy(address, value->c, (size_t)cairn_field_components(field->type) * sizeof(double));
        return;
    }
}

void cairn_fields_preset(const CairnFieldTable *table, void *object) {
    for (int i = 0; i < table->count; i++) {
        const CairnField *field = &table->fields[i];
        CairnFieldValue value;
        memcpy(value.c, field->preset, sizeof value.c);
        CAIRN_ASSERT(field->offset < table->size);
        cairn_field_store(field, object, &value);
    }
}

// ---- checks ----

static bool is_inside(const CairnField *field, double x) {
    if (isnan(x) || (isinf(x) && (field->flags & CAIRN_FIELD_INFINITE) == 0)) {
        return false;
    }
    bool above = (field->flags & CAIRN_FIELD_OPEN_MIN) != 0 ? x > field->min : x >= field->min;
    bool below = (field->flags & CAIRN_FIELD_OPEN_MAX) != 0 ? x < field->max : x <= field->max;
    return above && below;
}

static CairnStatus refuse_range(const char *title, const CairnField *field, double x, const char *component) {
    char number[40], range[96];
    CairnText number_text = cairn_text(number, sizeof number), range_text = cairn_text(range, sizeof range);
    cairn_text_add_double(&number_text, x);
    cairn_field_add_range(field, &range_text);
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s%s is %s, must be in %s%s%s", title, field->name, component,
                       number, range, field->unit[0] != '\0' ? " " : "", field->unit);
}

static CairnStatus refuse_quat(const char *title, const CairnField *field, const CairnFieldValue *value) {
    char text[128];
    CairnText out = cairn_text(text, sizeof text);
    cairn_field_add_value(field, value, &out);
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is %s, must be a quaternion w:x:y:z of unit length to 1e-6",
                       title, field->name, text);
}

static CairnStatus refuse_choice(const char *title, const CairnField *field, double x) {
    char choices[160];
    CairnText text = cairn_text(choices, sizeof choices);
    cairn_field_add_choices(field, &text);
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is %d, must be the number of one of %s", title, field->name,
                       (int)x, choices);
}

CairnStatus cairn_field_check_value(const char *title, const CairnField *field, const CairnFieldValue *value) {
    static const char *const component_names[3] = {".x", ".y", ".z"};
    const double *c = value->c;
    switch (field->type) {
    case CAIRN_TYPE_BOOL:
        return c[0] == 0 || c[0] == 1
                   ? cairn_ok()
                   : cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is the byte %d, must be true or false", title,
                                 field->name, (int)c[0]);
    case CAIRN_TYPE_INT:
    case CAIRN_TYPE_DOUBLE:
        return is_inside(field, c[0]) ? cairn_ok() : refuse_range(title, field, c[0], "");
    case CAIRN_TYPE_VEC3:
        for (int k = 0; k < 3; k++) {
            if (!is_inside(field, c[k])) {
                return refuse_range(title, field, c[k], component_names[k]);
            }
        }
        return cairn_ok();
    case CAIRN_TYPE_QUAT:
        return cairn_quat_is_unit((CairnQuat){c[0], c[1], c[2], c[3]}) ? cairn_ok() : refuse_quat(title, field, value);
    case CAIRN_TYPE_CHOICE:
        return c[0] >= 0 && c[0] < cairn_field_choice_count(field) ? cairn_ok() : refuse_choice(title, field, c[0]);
    }
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is of unknown type %d", title, field->name, (int)field->type);
}

CairnStatus cairn_fields_check(const CairnFieldTable *table, const void *object) {
    for (int i = 0; i < table->count; i++) {
        CairnFieldValue value;
        cairn_field_load(&table->fields[i], object, &value);
        CAIRN_TRY(cairn_field_check_value(table->title, &table->fields[i], &value));
    }
    return cairn_ok();
}
