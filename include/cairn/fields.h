// Fields: a table of typed fields describes a plain struct.
//
// The table gives each field's name, help, unit, default, range and offset. The same table makes the defaults, checks
// values (so that every refusal names field, value and range in the same words), parses "name=value", prints help,
// writes JSON and makes the sliders of the viewer. The options of solvers, the parameters of scenes and all definitions
// (world, body, shape, joint) are described this way.
//
// The functions keep nothing and allocate nothing; they may be called from any thread, as long as no other thread
// writes the same object. No pointer may be NULL. Tables are constant and outlive what uses them.
#ifndef CAIRN_FIELDS_H
#define CAIRN_FIELDS_H

#include <cairn/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CairnFieldType {
    CAIRN_TYPE_BOOL,   // bool
    CAIRN_TYPE_INT,    // int
    CAIRN_TYPE_DOUBLE, // double
    CAIRN_TYPE_VEC3,   // CairnVec3; the range holds for each component
    CAIRN_TYPE_QUAT,   // CairnQuat (w, x, y, z); must be of unit length to 1e-6
    CAIRN_TYPE_CHOICE  // an enum stored as int, whose values 0, 1, ... are named by `choices`
} CairnFieldType;

enum {
    CAIRN_FIELD_OPEN_MIN = 1, // the minimum itself is refused: min < value
    CAIRN_FIELD_OPEN_MAX = 2, // the maximum itself is refused: value < max
    CAIRN_FIELD_INFINITE =
        4 // infinite values are allowed inside the range, as for bounds and limits; NaN is always refused
};

typedef struct CairnField {
    const char *name;
    const char *help;
    const char *unit; // "m", "kg m2"; "" for a pure number
    CairnFieldType type;
    size_t offset;    // of the member in the struct, bytes
    double preset[4]; // the default, one entry for each component
    double min, max;
    unsigned flags;
    const char *const *choices; // CAIRN_TYPE_CHOICE: the names, with NULL after the last one
} CairnField;

typedef struct CairnFieldTable {
    const char *title; // "body", "pgs", "log_tower"; every message begins with it
    size_t size;       // sizeof the struct
    const CairnField *fields;
    int count;
} CairnFieldTable;

// Entries of a CairnField array, and a CairnFieldTable of such an array:
//
//   static const CairnField fields[] = {CAIRN_FIELD_INT(Params, boxes, 10, 1, 1000, "boxes in the tower")};
//   static const CairnFieldTable table = CAIRN_FIELD_TABLE("tower", Params, fields);
//
// Defaults and ranges are constants. clang-format would take the braces of these macros for blocks.
// clang-format off
#define CAIRN_FIELD_BOOL(Struct, member, preset_, help_)                                                               \
    { #member, help_, "", CAIRN_TYPE_BOOL, offsetof(Struct, member), {(double)(preset_), 0, 0, 0}, 0, 1, 0, NULL }
#define CAIRN_FIELD_INT(Struct, member, preset_, min_, max_, help_)                                                    \
    { #member, help_, "", CAIRN_TYPE_INT, offsetof(Struct, member), {(double)(preset_), 0, 0, 0}, (min_), (max_),      \
      0, NULL }
#define CAIRN_FIELD_DOUBLE(Struct, member, preset_, min_, max_, flags_, unit_, help_)                                  \
    { #member, help_, unit_, CAIRN_TYPE_DOUBLE, offsetof(Struct, member), {(double)(preset_), 0, 0, 0}, (min_),        \
      (max_), (flags_), NULL }
#define CAIRN_FIELD_VEC3(Struct, member, x_, y_, z_, min_, max_, unit_, help_)                                         \
    { #member, help_, unit_, CAIRN_TYPE_VEC3, offsetof(Struct, member), {(x_), (y_), (z_), 0}, (min_), (max_), 0, NULL }
#define CAIRN_FIELD_QUAT(Struct, member, help_)                                                                        \
    { #member, help_, "", CAIRN_TYPE_QUAT, offsetof(Struct, member), {1, 0, 0, 0}, -1, 1, 0, NULL }
#define CAIRN_FIELD_CHOICE(Struct, member, preset_, choices_, help_)                                                   \
    { #member, help_, "", CAIRN_TYPE_CHOICE, offsetof(Struct, member), {(double)(preset_), 0, 0, 0}, 0, 0, 0,          \
      (choices_) }

#define CAIRN_FIELD_TABLE(title_, Struct, array_)                                                                      \
    { (title_), sizeof(Struct), (array_), (int)(sizeof(array_) / sizeof((array_)[0])) }
// clang-format on

// Writes the default of every field. Bytes that no field describes keep their values.
void cairn_fields_preset(const CairnFieldTable *table, void *object);

// Checks every field. CAIRN_INVALID_ARGUMENT names the first field that is out of range or not finite, with its value
// and range.
CairnStatus cairn_fields_check(const CairnFieldTable *table, const void *object);

// Sets one field from text: "1e-3", "true", "0,0,-9.81" or "0:0:-9.81", or the name of a choice. CAIRN_NOT_FOUND lists
// the names that are similar to an unknown one; CAIRN_INVALID_ARGUMENT names a value that is out of range or no value.
// On an error the object keeps its value.
CairnStatus cairn_fields_set(const CairnFieldTable *table, void *object, const char *name, const char *value);

// Sets the fields named in "a=1,b=2"; the components of a vector are separated by ':' here. It returns the codes of
// cairn_fields_set, and CAIRN_UNSUPPORTED for a struct of more than 4096 bytes. On an error no field has changed.
CairnStatus cairn_fields_parse(const CairnFieldTable *table, void *object, const char *text);

// Writes a value as text from which cairn_fields_set makes the same bits. The components of a vector are separated by
// ':', so that cairn_fields_parse takes it as well. At most `size` bytes are written, with the final '\0'; the result
// is the length of the whole text, as that of snprintf.
int cairn_fields_format(const CairnField *field, const void *object, char *text, size_t size);

// Writes one line of help: "  name  type = default  [min, max] unit  help". The result is the length, as that of
// snprintf.
int cairn_fields_help(const CairnField *field, char *text, size_t size);

// Writes the names that are nearest to `name` by edit distance, as "a, b, c" ("" when none is near), for messages about
// unknown names.
void cairn_near_names(const char *name, const char *const *names, int count, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
