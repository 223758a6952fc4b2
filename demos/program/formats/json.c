#include "demos/program/formats/json.h"
#include <inttypes.h>
#include <math.h>

CairnJson cairn_json(FILE *file) {
    return (CairnJson){file, 0, false};
}

static void write_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 32) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

static void begin(CairnJson *json, const char *key) {
    if (json->depth > 0) {
        fprintf(json->file, "%s\n%*s", json->has_items ? "," : "", 2 * json->depth, "");
    }
    json->has_items = true;
    if (key) {
        write_text(json->file, key);
        fputs(": ", json->file);
    }
}

void cairn_json_open(CairnJson *json, const char *key, char bracket) {
    begin(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_items = false;
}

void cairn_json_close(CairnJson *json, char bracket) {
    json->depth--;
    if (json->has_items) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    json->has_items = true;
    if (json->depth == 0) {
        fputc('\n', json->file);
    }
}

void cairn_json_number(CairnJson *json, const char *key, double value) {
    begin(json, key);
    if (isfinite(value)) {
        fprintf(json->file, "%.17g", value);
    } else {
        fputs("null", json->file);
    }
}

void cairn_json_integer(CairnJson *json, const char *key, long long value) {
    begin(json, key);
    fprintf(json->file, "%lld", value);
}

void cairn_json_unsigned(CairnJson *json, const char *key, uint64_t value) {
    begin(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void cairn_json_text(CairnJson *json, const char *key, const char *value) {
    begin(json, key);
    write_text(json->file, value);
}

void cairn_json_event(CairnJson *json, const char *key, int frame, const char *message) {
    cairn_json_open(json, key, '{');
    cairn_json_integer(json, "frame", frame);
    cairn_json_text(json, "message", message);
    cairn_json_close(json, '}');
}
