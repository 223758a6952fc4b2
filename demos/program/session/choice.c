#include "demos/program/session/choice.h"
#include "demos/program/session/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Split "name:options"; *text is NULL where there are none.
static CairnStatus split_name(const char *choice, const char *option, char name[CAIRN_CHOICE_TEXT], const char **text) {
    const char *colon = strchr(choice, ':');
    size_t length = colon ? (size_t)(colon - choice) : strlen(choice);
    if (length >= CAIRN_CHOICE_TEXT) {
        return cairn_error(CAIRN_NOT_FOUND, "option %s: nothing has a name as long as '%.60s...'", option, choice);
    }
    snprintf(name, CAIRN_CHOICE_TEXT, "%.*s", (int)length, choice);
    *text = colon ? colon + 1 : NULL;
    return cairn_ok();
}

static bool append(char *text, size_t size, size_t *used, const char *words) {
    size_t length = strlen(words);
    if (length >= size - *used) {
        return false;
    }
    memcpy(text + *used, words, length + 1);
    *used += length;
    return true;
}

CairnStatus cairn_name_join(const char *name, const CairnFieldTable *table, const void *options, char *text,
                            size_t size) {
    size_t used = 0;
    bool fits = append(text, size, &used, name);
    void *preset = NULL;
    if (table && options) {
        CAIRN_TRY(cairn_options_make(table, NULL, name, &preset));
    }
    const char *mark = ":";
    for (int i = 0; preset && i < table->count; i++) {
        char usual[160], value[160];
        cairn_fields_format(&table->fields[i], preset, usual, sizeof usual);
        cairn_fields_format(&table->fields[i], options, value, sizeof value);
        if (strcmp(usual, value) != 0) {
            fits = fits && append(text, size, &used, mark) && append(text, size, &used, table->fields[i].name) &&
                   append(text, size, &used, "=") && append(text, size, &used, value);
            mark = ",";
        }
    }
    free(preset);
    return fits ? cairn_ok()
                : cairn_error(CAIRN_INVALID_ARGUMENT, "the options of %s take more than %zu bytes", name, size - 1);
}

CairnStatus cairn_options_make(const CairnFieldTable *table, const char *text, const char *option, void **object) {
    *object = calloc(1, table->size ? table->size : 1);
    if (!*object) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes of %s", table->size, table->title);
    }
    cairn_fields_preset(table, *object);
    CairnStatus status = text ? cairn_fields_parse(table, *object, text) : cairn_ok();
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
}

// ---- what is built in, and what comes from files ----

// Worlds, copies of choices and the past of a window's views point to what came from a file, so its library stays.
static const CairnLibraryKind solver_kind = {"solver", "cairn_solver", "CairnSolver", sizeof(CairnSolver), true};
static const CairnLibraryKind partitioner_kind = {"partitioner", "cairn_partitioner", "CairnPartitioner",
                                                  sizeof(CairnPartitioner), true};
static const CairnLibraryKind refiner_kind = {"refiner", "cairn_refiner", "CairnRefiner", sizeof(CairnRefiner), true};

static CairnStatus load(const CairnLibraryKind *kind, const char *file, const void **value) {
    void *library = NULL;
    CAIRN_TRY(cairn_library_open(kind, file, &library, value));
    cairn_library_close(library);
    return cairn_ok();
}

// The three kinds have the same head; `function` stands for what they are called for.
static CairnStatus validate(const CairnLibraryKind *kind, const char *file, const char *name, const char *summary,
                            bool has_function, const CairnFieldTable *options) {
    const char *missing = !name || !name[0]                                   ? "name"
                          : strlen(name) >= CAIRN_NAME_SIZE                   ? "name of at most 63 bytes"
                          : !summary                                          ? "summary"
                          : !has_function                                     ? "function"
                          : options && !options->title                        ? "title of its options"
                          : options && options->count > 0 && !options->fields ? "table of its options"
                                                                              : NULL;
    return missing ? cairn_error(CAIRN_INVALID_ARGUMENT, "%s file %.120s: %s has no %s", kind->noun, file, kind->symbol,
                                 missing)
                   : cairn_ok();
}

static CairnStatus find_solver(const char *name, const CairnSolver **solver) {
    if (!cairn_library_is(name)) {
        return cairn_solver_find(name, solver);
    }
    const void *value = NULL;
    CAIRN_TRY(load(&solver_kind, name, &value));
    const CairnSolver *loaded = *solver = value;
    return validate(&solver_kind, name, loaded->name, loaded->summary, loaded->solve != NULL, loaded->options);
}

static CairnStatus find_partitioner(const char *name, const CairnPartitioner **partitioner) {
    if (!cairn_library_is(name)) {
        return cairn_partitioner_find(name, partitioner);
    }
    const void *value = NULL;
    CAIRN_TRY(load(&partitioner_kind, name, &value));
    const CairnPartitioner *loaded = *partitioner = value;
    return validate(&partitioner_kind, name, loaded->name, loaded->summary, loaded->partition != NULL, loaded->options);
}

static CairnStatus find_refiner(const char *name, const CairnRefiner **refiner) {
    if (!cairn_library_is(name)) {
        return cairn_refiner_find(name, refiner);
    }
    const void *value = NULL;
    CAIRN_TRY(load(&refiner_kind, name, &value));
    const CairnRefiner *loaded = *refiner = value;
    return validate(&refiner_kind, name, loaded->name, loaded->summary, loaded->refine != NULL, loaded->options);
}

// The error for an unknown name; a file that cannot be loaded reports its own error.
static CairnStatus refuse(CairnStatus status, const char *name, const char *option, const char *list) {
    return cairn_is_ok(status) ? status
           : cairn_library_is(name)
               ? cairn_error(status.code, "option %s: %s", option, status.message)
               : cairn_error(status.code, "option %s: %s (cairn list %s)", option, status.message, list);
}

// The options of what takes some, from the text behind its name.
static CairnStatus take_options(const CairnFieldTable *table, const char *name, const char *text, const char *option,
                                void **options) {
    if (table) {
        return cairn_options_make(table, text, option, options);
    }
    return text ? cairn_error(CAIRN_UNSUPPORTED, "option %s: %s takes no options, got '%s'", option, name, text)
                : cairn_ok();
}

CairnStatus cairn_partitioner_open(const char *text, const char *option, const CairnPartitioner **partitioner,
                                   void **options) {
    char name[CAIRN_CHOICE_TEXT] = "";
    const char *words = NULL;
    CAIRN_TRY(split_name(text, option, name, &words));
    CAIRN_TRY(refuse(find_partitioner(name, partitioner), name, option, "partitioners"));
    return take_options((*partitioner)->options, name, words, option, options);
}

CairnStatus cairn_refiner_open(const char *text, const char *option, const CairnRefiner **refiner, void **options) {
    char name[CAIRN_CHOICE_TEXT] = "";
    const char *words = NULL;
    CAIRN_TRY(split_name(text, option, name, &words));
    CAIRN_TRY(refuse(find_refiner(name, refiner), name, option, "refiners"));
    return take_options((*refiner)->options, name, words, option, options);
}

// ---- choices ----

CairnStatus cairn_choice_open(const char *text, const char *option, CairnChoice *choice) {
    *choice = (CairnChoice){.solver = NULL};
    char name[CAIRN_CHOICE_TEXT] = "";
    const char *words = NULL;
    if (strlen(text) >= sizeof choice->text) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "option %s: '%.60s...' is longer than %d bytes", option, text,
                           (int)sizeof choice->text - 1);
    }
    snprintf(choice->text, sizeof choice->text, "%s", text);
    CAIRN_TRY(split_name(text, option, name, &words));
    CAIRN_TRY(refuse(find_solver(name, &choice->solver), name, option, "solvers"));
    CairnStatus status = take_options(choice->solver->options, name, words, option, &choice->options);
    if (!cairn_is_ok(status)) {
        cairn_choice_close(choice);
    }
    return status;
}

CairnStatus cairn_choice_copy(const CairnChoice *from, CairnChoice *choice) {
    *choice = *from;
    if (from->options) {
        choice->options = malloc(from->solver->options->size);
        if (!choice->options) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options of %s", from->solver->name);
        }
        memcpy(choice->options, from->options, from->solver->options->size);
    }
    return cairn_ok();
}

void cairn_choice_close(CairnChoice *choice) {
    free(choice->options);
    choice->options = NULL;
}

bool cairn_choice_has(const CairnChoice *choice, const char *field) {
    const CairnFieldTable *table = choice->solver->options;
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, field) == 0) {
            return true;
        }
    }
    return false;
}

CairnStatus cairn_choice_set(CairnChoice *choice, const char *field, const char *value, const char *option) {
    if (!value) {
        return cairn_ok();
    }
    if (!cairn_choice_has(choice, field)) {
        return cairn_error(CAIRN_UNSUPPORTED, "option %s %s: solver %s has no option '%s'", option, value,
                           choice->solver->name, field);
    }
    CairnStatus status = cairn_fields_set(choice->solver->options, choice->options, field, value);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
}

// Does the piece [text, end) begin a solver, or go on with the options of the one before?
static bool begins_choice(const char *text, const char *end) {
    const char *equals = memchr(text, '=', (size_t)(end - text)), *colon = memchr(text, ':', (size_t)(end - text));
    return !equals || (colon && colon < equals);
}

CairnStatus cairn_choices_split(const char *text, CairnChoiceList *list) {
    list->count = 0;
    for (const char *piece = text;;) {
        size_t length = strcspn(piece, ",");
        const char *end = piece + length;
        bool is_new = begins_choice(piece, end);
        if (length == 0 || (!is_new && list->count == 0)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.80s': %s", text,
                               length == 0 ? "a name is missing" : "options come after the name of a solver");
        }
        if (is_new && list->count == CAIRN_CHOICE_MOST) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.80s...': at most %d solvers", text, (int)CAIRN_CHOICE_MOST);
        }
        list->count += is_new;
        char *item = list->items[list->count - 1];
        size_t used = is_new ? 0 : strlen(item);
        if (used + length + 2 > CAIRN_CHOICE_TEXT) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.80s...': a solver and its options take at most %d bytes",
                               piece, (int)CAIRN_CHOICE_TEXT - 1);
        }
        // NAME,k=v begins the options as NAME:k=v does.
        const char *join = is_new ? "" : strchr(item, ':') ? "," : ":";
        snprintf(item + used, CAIRN_CHOICE_TEXT - used, "%s%.*s", join, (int)length, piece);
        if (*end == '\0') {
            return cairn_ok();
        }
        piece = end + 1;
    }
}
