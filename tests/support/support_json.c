#include "tests/support/support_json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *p) {
    return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p) {
    if (*p != '"') {
        return NULL;
    }
    for (p++; *p != '"'; p++) {
        if ((unsigned char)*p < 32) {
            return NULL;
        }
        if (*p == '\\') {
            p++;
            if (*p == 'u') {
                if (strspn(p + 1, "0123456789abcdefABCDEF") < 4) {
                    return NULL;
                }
                p += 4;
            } else if (!*p || !strchr("\"\\/bfnrt", *p)) {
                return NULL;
            }
        }
    }
    return p + 1;
}

// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
static const char *skip_number(const char *p) {
    static const char digits[] = "0123456789";
    p += *p == '-';
    size_t whole = strspn(p, digits);
    if (whole == 0 || (whole > 1 && *p == '0')) {
        return NULL;
    }
    p += whole;
    if (*p == '.') {
        size_t count = strspn(p + 1, digits);
        if (count == 0) {
            return NULL;
        }
        p += 1 + count;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        size_t count = strspn(p, digits);
        if (count == 0) {
            return NULL;
        }
        p += count;
    }
    return p;
}

static const char *skip_value(const char *p);

// One member of an object or array: *value is where its value begins.
static const char *skip_member(const char *p, bool is_object, const char **value) {
    if (is_object) {
        p = skip_string(p);
        p = p ? skip_space(p) : NULL;
        if (!p || *p != ':') {
            return NULL;
        }
        p = skip_space(p + 1);
    }
    *value = p;
    p = skip_value(p);
    return p ? skip_space(p) : NULL;
}

static const char *skip_value(const char *p) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strncmp(p, words[i], strlen(words[i])) == 0) {
            return p + strlen(words[i]);
        }
    }
    if (*p == '"') {
        return skip_string(p);
    }
    if (*p != '{' && *p != '[') {
        return skip_number(p);
    }
    bool is_object = *p == '{';
    char end = is_object ? '}' : ']';
    p = skip_space(p + 1);
    if (*p == end) {
        return p + 1;
    }
    for (;;) {
        const char *value;
        p = skip_member(p, is_object, &value);
        if (!p || (*p != ',' && *p != end)) {
            return NULL;
        }
        if (*p == end) {
            return p + 1;
        }
        p = skip_space(p + 1);
    }
}

bool support_json_is_valid(const char *text) {
    const char *end = skip_value(skip_space(text));
    return end && *skip_space(end) == '\0';
}

// The value of the member that the first `length` bytes of `step` name.
static const char *enter(const char *p, const char *step, size_t length) {
    if (*p != '{' && *p != '[') {
        return NULL;
    }
    bool is_object = *p == '{';
    char end = is_object ? '}' : ']';
    p = skip_space(p + 1);
    for (long index = 0; *p != end; index++) {
        const char *key = p, *value;
        p = skip_member(p, is_object, &value);
        bool is_it =
            is_object ? strncmp(key + 1, step, length) == 0 && key[1 + length] == '"' : strtol(step, NULL, 10) == index;
        if (!p || is_it) {
            return p ? value : NULL;
        }
        p = *p == ',' ? skip_space(p + 1) : p;
    }
    return NULL;
}

const char *support_json_find(const char *text, const char *path) {
    const char *p = skip_space(text);
    while (p && *path) {
        size_t length = strcspn(path, ".");
        p = enter(p, path, length);
        path += length + (path[length] == '.');
    }
    return p;
}

double support_json_number(const char *text, const char *path) {
    const char *p = support_json_find(text, path);
    return p && strchr("-0123456789", *p) ? strtod(p, NULL) : (double)NAN;
}

bool support_json_text(const char *text, const char *path, char *value, size_t size) {
    const char *p = support_json_find(text, path), *end = p ? skip_string(p) : NULL;
    if (!end) {
        return false;
    }
    snprintf(value, size, "%.*s", (int)(end - p - 2), p + 1);
    return true;
}

int support_json_count(const char *text, const char *path) {
    const char *p = support_json_find(text, path);
    if (!p || (*p != '{' && *p != '[')) {
        return -1;
    }
    bool is_object = *p == '{';
    char end = is_object ? '}' : ']';
    int count = 0;
    for (p = skip_space(p + 1); *p != end; count++) {
        const char *value;
        p = skip_member(p, is_object, &value);
        p = *p == ',' ? skip_space(p + 1) : p;
    }
    return count;
}
