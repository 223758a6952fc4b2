// Fields: the one reflection mechanism.
//
// A table of typed fields describes a plain struct: each field's name, help, unit, default, range and place. The same table
// makes the defaults, checks values (so that every refusal names field, value and range in the same words), parses
// "name=value", prints help, writes JSON, and will draw the sliders of the viewer. Solvers' options, scenes' parameters and
// all definitions (world, body, shape, joint, material) are described this way.
#ifndef CAIRN_FIELDS_H
#define CAIRN_FIELDS_H

#include <cairn/status.h>
#include <stddef.h>

typedef enum CairnFieldType {
    CAIRN_TYPE_BOOL,   // bool
    CAIRN_TYPE_INT,    // int
    CAIRN_TYPE_DOUBLE, // double
    CAIRN_TYPE_VEC3,   // CairnVec3; the range holds for each component
    CAIRN_TYPE_QUAT,   // CairnQuat (w, x, y, z); must be of unit length to 1e-6
    CAIRN_TYPE_CHOICE  // an enum stored as int, whose values 0, 1, ... are named by `choices`
} CairnFieldType;

enum {
    CAIRN_FIELD_OPEN_MIN = 1, // the minimum itself is excluded: min < value
    CAIRN_FIELD_OPEN_MAX = 2, // the maximum itself is excluded: value < max
    CAIRN_FIELD_INFINITE = 4  // infinities are allowed inside the range (bounds, limits); NaN never is
};

typedef struct CairnField {
    const char *name;
    const char *help;
    const char *unit; // "" for a pure number
    CairnFieldType type;
    size_t offset;
    double preset[4]; // the default, one entry a component
    double min, max;
    unsigned flags;
    const char *const *choices; // NULL-terminated, for CAIRN_TYPE_CHOICE
} CairnField;

typedef struct CairnFieldTable {
    const char *title; // "body", "pgs", "log_tower": opens every message
    size_t size;       // sizeof the struct
    const CairnField *fields;
    int count;
} CairnFieldTable;

// Braces in a macro body are taken for a block.
// clang-format off
#define CAIRN_FIELD_BOOL(Struct, member, preset_, help_)                                                               \
    { #member, help_, "", CAIRN_TYPE_BOOL, offsetof(Struct, member), {(preset_), 0, 0, 0}, 0, 1, 0, NULL }
#define CAIRN_FIELD_INT(Struct, member, preset_, min_, max_, help_)                                                    \
    { #member, help_, "", CAIRN_TYPE_INT, offsetof(Struct, member), {(preset_), 0, 0, 0}, (min_), (max_), 0, NULL }
#define CAIRN_FIELD_DOUBLE(Struct, member, preset_, min_, max_, flags_, unit_, help_)                                  \
    { #member, help_, unit_, CAIRN_TYPE_DOUBLE, offsetof(Struct, member), {(preset_), 0, 0, 0}, (min_), (max_),       \
      (flags_), NULL }
#define CAIRN_FIELD_VEC3(Struct, member, x_, y_, z_, min_, max_, unit_, help_)                                         \
    { #member, help_, unit_, CAIRN_TYPE_VEC3, offsetof(Struct, member), {(x_), (y_), (z_), 0}, (min_), (max_), 0, NULL }
#define CAIRN_FIELD_QUAT(Struct, member, help_)                                                                        \
    { #member, help_, "", CAIRN_TYPE_QUAT, offsetof(Struct, member), {1, 0, 0, 0}, -1, 1, 0, NULL }
#define CAIRN_FIELD_CHOICE(Struct, member, preset_, choices_, help_)                                                   \
    { #member, help_, "", CAIRN_TYPE_CHOICE, offsetof(Struct, member), {(preset_), 0, 0, 0}, 0, 0, 0, (choices_) }

#define CAIRN_FIELD_TABLE(title_, Struct, array_)                                                                      \
    { (title_), sizeof(Struct), (array_), (int)(sizeof(array_) / sizeof((array_)[0])) }
// clang-format on

// Write every field's default; bytes that no field describes are left alone.
void cairn_fields_preset(const CairnFieldTable *table, void *object);

// Check every field; the first that is out of range or not finite is named with its value and range.
CairnStatus cairn_fields_check(const CairnFieldTable *table, const void *object);

// Set one field from text ("1e-3", "true", "0,0,-9.81" or "0:0:-9.81", a choice's name) and check it. An unknown name lists
// the near ones.
CairnStatus cairn_fields_set(const CairnFieldTable *table, void *object, const char *name, const char *value);

// Apply "a=1,b=2" (a vector's components are parted by ':' here). On an error the object is as it was.
CairnStatus cairn_fields_parse(const CairnFieldTable *table, void *object, const char *text);

// Write a value as text that cairn_fields_set reads back to the same bits; the components of a vector are parted by ':', so
// that cairn_fields_parse takes it too. Returns the length, as snprintf does.
int cairn_fields_format(const CairnField *field, const void *object, char *text, size_t size);

// One line of help: "  name  type = default  [min, max] unit  help". Returns the length, as snprintf does.
int cairn_fields_help(const CairnField *field, char *text, size_t size);

// The names nearest to `name` by edit distance, as "a, b, c" ("" when none is near). For messages about unknown names.
void cairn_near_names(const char *name, const char *const *names, int count, char *text, size_t size);

#endif
