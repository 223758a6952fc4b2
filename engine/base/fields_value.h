// Field values: functions of fields.c, fields_parse.c and fields_text.c. Every type travels as up to four doubles,
// which hold a bool, an int and a choice exactly.
#ifndef CAIRN_BASE_FIELDS_VALUE_H
#define CAIRN_BASE_FIELDS_VALUE_H

#include "engine/base/text.h"

#include <cairn/fields.h>

typedef struct CairnFieldValue {
    double c[4];
} CairnFieldValue;

int cairn_field_components(CairnFieldType type); // 1, 3 or 4
int cairn_field_choice_count(const CairnField *field);

void cairn_field_load(const CairnField *field, const void *object, CairnFieldValue *value);
void cairn_field_store(const CairnField *field, void *object, const CairnFieldValue *value);

// Is the value one that the field takes? The message is "title: name is value, must be ...".
CairnStatus cairn_field_check_value(const char *title, const CairnField *field, const CairnFieldValue *value);

bool cairn_field_has_range(const CairnField *field);                    // is it bounded on some side?
void cairn_field_add_range(const CairnField *field, CairnText *text);   // "[0, inf)"
void cairn_field_add_choices(const CairnField *field, CairnText *text); // "box, cone"
void cairn_field_add_value(const CairnField *field, const CairnFieldValue *value, CairnText *text);

#endif
