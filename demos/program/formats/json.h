// JSON: a writer that keeps commas and indents right. Numbers have 17 digits, so that they read back to the same bits;
// what is not finite becomes null. Keys may be NULL inside arrays.
#ifndef CAIRN_PROGRAM_JSON_H
#define CAIRN_PROGRAM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct CairnJson {
    FILE *file;
    int depth;
    bool has_items; // in the present object or array
} CairnJson;

CairnJson cairn_json(FILE *file);
void cairn_json_open(CairnJson *json, const char *key, char bracket); // '{' or '['
void cairn_json_close(CairnJson *json, char bracket);                 // '}' or ']'
void cairn_json_number(CairnJson *json, const char *key, double value);
void cairn_json_integer(CairnJson *json, const char *key, long long value);
void cairn_json_unsigned(CairnJson *json, const char *key, uint64_t value);
void cairn_json_text(CairnJson *json, const char *key, const char *value);
// An object of the frame at which something happened, and the words for it.
void cairn_json_event(CairnJson *json, const char *key, int frame, const char *message);

#endif
