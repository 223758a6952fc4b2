// JSON for tests: a strict reader that finds values by path.
#ifndef CAIRN_TESTS_SUPPORT_JSON_H
#define CAIRN_TESTS_SUPPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

// The whole text is one JSON value and nothing else.
bool support_json_is_valid(const char *text);
// Where the value at "a.b.2.c" (keys and array indices) begins; NULL: there is none. The text must be valid.
const char *support_json_find(const char *text, const char *path);
// The number at a path; NaN where there is none.
double support_json_number(const char *text, const char *path);
// The string at a path, without its quotes (escapes as they stand). False: there is none.
bool support_json_text(const char *text, const char *path, char *value, size_t size);
// Members of the object or array at a path ("" is the whole); -1: neither.
int support_json_count(const char *text, const char *path);

#endif
