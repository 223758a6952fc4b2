#include "engine/base/check.h"
#include "engine/base/fields_value.h"
#include "engine/base/names.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The words of this file quote at most this many characters of the caller's text, so that a message keeps its end.
#define QUOTED "'%.60s'"

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_spaces(const char *text) {
    while (is_space(*text)) {
        text++;
    }
    return text;
}

// ---- one value ----

// A finite or infinite number, or "nan", and the spaces around it; false when there is none or it is too large for a
// double. strtod reads the decimal point of the locale that the program has set: the C locale's '.' unless it calls
// setlocale.
static bool read_number(const char **text, double *number) {
    const char *start = skip_spaces(*text);
    char *end;
    int saved = errno;
    errno = 0;
    *number = strtod(start, &end);
    // ERANGE also marks subnormal results, which are right to the last bit.
    bool overflow = errno == ERANGE && isinf(*number);
    errno = saved;
    *text = skip_spaces(end);
    return end != start && !overflow;
}

static bool read_numbers(const char *text, int count, double *numbers) {
    for (int k = 0; k < count; k++) {
        if (!read_number(&text, &numbers[k])) {
            return false;
        }
        if (k + 1 < count) {
            if (*text != ',' && *text != ':') {
                return false;
            }
            text++;
        }
    }
    return *text == '\0';
}

static bool read_int(const char *text, int *number) {
    char *end;
    int saved = errno;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool fits = errno == 0 && value >= INT_MIN && value <= INT_MAX;
    errno = saved;
    if (end == text || *skip_spaces(end) != '\0' || !fits) {
        return false;
    }
    *number = (int)value;
    return true;
}

static bool read_bool(const char *text, double *value) {
    static const char *const yes[] = {"true", "on", "yes", "1"};
    static const char *const no[] = {"false", "off", "no", "0"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0 ? 1 : 0;
            return true;
        }
    }
    return false;
}

// The wanted thing with the range and the unit that the field has: "a number in [0, inf) kg", "a number in rad".
static CairnStatus refuse_text(const char *title, const CairnField *field, const char *text, const char *wanted) {
    char range[128];
    CairnText out = cairn_text(range, sizeof range);
    if (cairn_field_has_range(field)) {
        cairn_text_add(&out, " in ");
        cairn_field_add_range(field, &out);
    }
    if (field->unit[0] != '\0') {
        cairn_text_add(&out, "%s %s", out.length == 0 ? " in" : "", field->unit);
    }
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is " QUOTED ", must be %s%s", title, field->name, text, wanted,
                       range);
}

static CairnStatus read_choice(const char *title, const CairnField *field, const char *text, double *value) {
    int count = cairn_field_choice_count(field);
    for (int i = 0; i < count; i++) {
        if (strcmp(text, field->choices[i]) == 0) {
            *value = i;
            return cairn_ok();
        }
    }
    char choices[160];
    CairnText out = cairn_text(choices, sizeof choices);
    cairn_field_add_choices(field, &out);
    return cairn_error(CAIRN_NOT_FOUND, "%s: %s is " QUOTED ", must be one of %s", title, field->name, text, choices);
}

static CairnStatus read_value(const char *title, const CairnField *field, const char *text, CairnFieldValue *value) {
    *value = (CairnFieldValue){{0, 0, 0, 0}};
    if (*skip_spaces(text) == '\0') {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s has no value", title, field->name);
    }
    switch (field->type) {
    case CAIRN_TYPE_BOOL:
        return read_bool(text, &value->c[0]) ? cairn_ok() : refuse_text(title, field, text, "true or false");
    case CAIRN_TYPE_INT: {
        int number = 0;
        if (!read_int(text, &number)) {
            return refuse_text(title, field, text, "an integer");
        }
        value->c[0] = number;
        return cairn_ok();
    }
    case CAIRN_TYPE_DOUBLE:
        return read_numbers(text, 1, value->c) ? cairn_ok() : refuse_text(title, field, text, "a number");
    case CAIRN_TYPE_VEC3:
        return read_numbers(text, 3, value->c) ? cairn_ok() : refuse_text(title, field, text, "three numbers x:y:z");
    case CAIRN_TYPE_QUAT:
        return read_numbers(text, 4, value->c) ? cairn_ok() : refuse_text(title, field, text, "four numbers w:x:y:z");
    case CAIRN_TYPE_CHOICE:
        return read_choice(title, field, text, &value->c[0]);
    }
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is of unknown type %d", title, field->name, (int)field->type);
}

// ---- one field ----

static CairnStatus refuse_name(const CairnFieldTable *table, const char *name) {
    CairnNearNames near = cairn_near_begin(name);
    char list[120];
    CairnText out = cairn_text(list, sizeof list);
    for (int i = 0; i < table->count; i++) {
        cairn_near_offer(&near, table->fields[i].name);
    }
    if (near.count > 0) {
        cairn_near_write(&near, &out);
        return cairn_error(CAIRN_NOT_FOUND, "%s: unknown option " QUOTED "; did you mean %s?", table->title, name,
                           list);
    }
    if (table->count == 0) {
        return cairn_error(CAIRN_NOT_FOUND, "%s: unknown option " QUOTED "; there are no options", table->title, name);
    }
    for (int i = 0; i < table->count; i++) {
        const char *known = table->fields[i].name;
        if (out.length + strlen(known) + 8 > sizeof list) { // leave room for the dots
            cairn_text_add(&out, ", ...");
            break;
        }
        cairn_text_add(&out, "%s%s", i == 0 ? "" : ", ", known);
    }
    return cairn_error(CAIRN_NOT_FOUND, "%s: unknown option " QUOTED "; known are %s", table->title, name, list);
}

CairnStatus cairn_fields_set(const CairnFieldTable *table, void *object, const char *name, const char *value) {
    if (name == NULL || value == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is NULL", table->title, name == NULL ? "name" : "value");
    }
    for (int i = 0; i < table->count; i++) {
        const CairnField *field = &table->fields[i];
        if (strcmp(field->name, name) == 0) {
            CairnFieldValue read;
            CAIRN_TRY(read_value(table->title, field, value, &read));
            CAIRN_TRY(cairn_field_check_value(table->title, field, &read));
            cairn_field_store(field, object, &read);
            return cairn_ok();
        }
    }
    return refuse_name(table, name);
}

// ---- a list ----

enum { NAME_SIZE = 64, VALUE_SIZE = 160 };

// [start, end) without the spaces at its ends, as a string; false when it is too long.
static bool copy_trimmed(const char *start, const char *end, char *out, size_t size) {
    while (start < end && is_space(*start)) {
        start++;
    }
    while (end > start && is_space(end[-1])) {
        end--;
    }
    size_t length = (size_t)(end - start);
    if (length >= size) {
        return false;
    }
    memcpy(out, start, length);
    out[length] = '\0';
    return true;
}

// Apply the entry [start, end), the `number`-th of `text`.
static CairnStatus apply_entry(const CairnFieldTable *table, void *object, const char *text, const char *start,
                               const char *end, int number) {
    char name[NAME_SIZE], value[VALUE_SIZE];
    const char *equals = memchr(start, '=', (size_t)(end - start));
    const char *name_end = equals != NULL ? equals : end;
    if (!copy_trimmed(start, name_end, name, sizeof name)) {
        return cairn_error(CAIRN_NOT_FOUND, "%s: the name of entry %d is longer than any option's", table->title,
                           number);
    }
    if (name[0] == '\0') {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           equals == NULL ? "%s: entry %d of " QUOTED " is empty"
                                          : "%s: entry %d of " QUOTED " has no name before '='",
                           table->title, number, text);
    }
    if (equals == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "%s: entry %d, " QUOTED ", has no '='; write name=value, and a vector as x:y:z",
                           table->title, number, name);
    }
    if (!copy_trimmed(equals + 1, end, value, sizeof value)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: the value of %s is longer than %d characters", table->title,
                           name, VALUE_SIZE - 1);
    }
    return cairn_fields_set(table, object, name, value);
}

CairnStatus cairn_fields_parse(const CairnFieldTable *table, void *object, const char *text) {
    // All entries go into a copy, which becomes the object when the last one was right.
    union {
        max_align_t alignment;
        unsigned char bytes[4096];
    } copy;
    CAIRN_ASSERT(table->size <= sizeof copy.bytes);
    if (table->size > sizeof copy.bytes) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s: a struct of %zu bytes, fields are parsed for at most %zu",
                           table->title, table->size, sizeof copy.bytes);
    }
    if (text == NULL || *skip_spaces(text) == '\0') {
        return cairn_ok();
    }
    memcpy(copy.bytes, object, table->size);
    int number = 1;
    for (const char *start = text;; number++) {
        const char *end = start + strcspn(start, ",");
        CAIRN_TRY(apply_entry(table, copy.bytes, text, start, end, number));
        if (*end == '\0') {
            break;
        }
        start = end + 1;
    }
    memcpy(object, copy.bytes, table->size);
    return cairn_ok();
}
