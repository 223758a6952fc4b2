#include "demos/program/session/options.h"
#include <cairn/fields.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64 };

static CairnStatus unknown_option(const CairnOption *options, int count, const char *word, size_t length) {
    const char *names[MAX_OPTIONS];
    char near[120], name[64];
    int known = count < MAX_OPTIONS ? count : MAX_OPTIONS;
    for (int i = 0; i < known; i++) {
        names[i] = options[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    cairn_near_names(name, names, known, near, sizeof near);
    return cairn_error(CAIRN_NOT_FOUND, "unknown option %s%s%s", name, near[0] ? "; near: " : "", near);
}

static const CairnOption *find_option(const CairnOption *options, int count, const char *word, size_t length) {
    for (int i = 0; i < count; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

// Take one option; *used is how many words it was.
static CairnStatus take_option(const CairnOption *options, int count, int remaining, char **words, void *target,
                               int *used) {
    const char *word = words[0], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const CairnOption *option = find_option(options, count, word, length);
    *used = 1;
    if (!option) {
        return unknown_option(options, count, word, length);
    }
    const char *value = equals ? equals + 1 : NULL;
    if (!option->value && value) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "option %s takes no value, got '%s'", option->name, value);
    }
    if (option->value && !value) {
        if (remaining < 2 || strncmp(words[1], "--", 2) == 0) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "option %s needs a value: %s %s", option->name, option->name,
                               option->value);
        }
        value = words[1];
        *used = 2;
    }
    CairnStatus status = option->take(target, value);
    if (!cairn_is_ok(status)) {
        return cairn_error(status.code, "option %s: %s", option->name, status.message);
    }
    return status;
}

CairnStatus cairn_options_parse(const CairnOption *options, int count, int argc, char **argv, void *target,
                                CairnStatus (*positional)(void *target, const char *word)) {
    bool is_over = false;
    for (int i = 1; i < argc;) {
        int used = 1;
        if (!is_over && strcmp(argv[i], "--") == 0) {
            is_over = true;
        } else if (!is_over && argv[i][0] == '-' && argv[i][1] != '\0') {
            CAIRN_TRY(take_option(options, count, argc - i, argv + i, target, &used));
        } else {
            CAIRN_TRY(positional(target, argv[i]));
        }
        i += used;
    }
    return cairn_ok();
}

void cairn_options_help(const CairnOption *options, int count) {
    for (int i = 0; i < count; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s%s%s", options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        printf("  %-28s %s\n", usage, options[i].help);
    }
}

CairnStatus cairn_parse_text(const char *text, const char **value) {
    if (!text[0]) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'' is empty");
    }
    *value = text;
    return cairn_ok();
}

CairnStatus cairn_parse_int(const char *text, int low, int high, int *value) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not a whole number", text);
    }
    if (errno || number < low || number > high) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s must lie in [%d, %d]", text, low, high);
    }
    *value = (int)number;
    return cairn_ok();
}

CairnStatus cairn_parse_double(const char *text, double low, double high, double *value) {
    char *end;
    double number = strtod(text, &end);
    bool is_number = end != text;
    if (is_number && *end == '/') { // a fraction: 1/240
        const char *below = end + 1;
        double divisor = strtod(below, &end);
        is_number = end != below && divisor != 0;
        number /= is_number ? divisor : 1;
    }
    if (!is_number || *end) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not a number", text);
    }
    if (!(number > low && number <= high)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s must lie in (%g, %g]", text, low, high);
    }
    *value = number;
    return cairn_ok();
}

CairnStatus cairn_parse_u64(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (end == text || *end || errno || strchr(text, '-')) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not a whole number from 0 to 2^64 - 1", text);
    }
    *value = number;
    return cairn_ok();
}
