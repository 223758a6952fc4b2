#include "demos/program/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };

// Split "name=value" and set the field.
static CairnStatus set_pair(const CairnFieldTable *table, void *object, const char *pair, const char *option) {
    const char *equals = strchr(pair, '=');
    char name[NAME_SIZE] = "";
    if (equals - pair >= NAME_SIZE) {
        return cairn_error(CAIRN_NOT_FOUND, "option %s: no field has a name as long as '%.60s...'", option, pair);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
    CairnStatus status = cairn_fields_set(table, object, name, equals + 1);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
}

// An object of a field table with its defaults, then "a=1,b=2" where that is given.
static CairnStatus make_object(const CairnFieldTable *table, const char *text, const char *option, void **object) {
    *object = calloc(1, table->size ? table->size : 1);
    if (!*object) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes of %s", table->size, table->title);
    }
    cairn_fields_preset(table, *object);
    CairnStatus status = text ? cairn_fields_parse(table, *object, text) : cairn_ok();
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
}

// Split "name:options"; the options are NULL where there are none.
static CairnStatus split_choice(const char *choice, const char *option, char name[NAME_SIZE], const char **text) {
    const char *colon = strchr(choice, ':');
    size_t length = colon ? (size_t)(colon - choice) : strlen(choice);
    if (length >= NAME_SIZE) {
        return cairn_error(CAIRN_NOT_FOUND, "option %s: nothing has a name as long as '%.60s...'", option, choice);
    }
    snprintf(name, NAME_SIZE, "%.*s", (int)length, choice);
    *text = colon ? colon + 1 : NULL;
    return cairn_ok();
}

// --iterations and --tol: an option of the solver, if it has it.
static CairnStatus set_solver_field(CairnSession *session, const char *field, const char *value, const char *option) {
    if (!value) {
        return cairn_ok();
    }
    const CairnFieldTable *table = session->solver->options;
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, field) == 0) {
            CairnStatus status = cairn_fields_set(table, session->solver_options, field, value);
            return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
        }
    }
    return cairn_error(CAIRN_UNSUPPORTED, "option %s %s: solver %s has no option '%s'", option, value,
                       session->solver->name, field);
}

static CairnStatus choose_solver(CairnSession *session, const CairnRunOptions *options) {
    char name[NAME_SIZE] = "";
    const char *text = NULL;
    CAIRN_TRY(split_choice(options->solver ? options->solver : "pgs", "--solver", name, &text));
    CairnStatus status = cairn_solver_find(name, &session->solver);
    if (!cairn_is_ok(status)) {
        return cairn_error(status.code, "option --solver: %s", status.message);
    }
    if (session->solver->options) {
        CAIRN_TRY(make_object(session->solver->options, text, "--solver", &session->solver_options));
    } else if (text) {
        return cairn_error(CAIRN_UNSUPPORTED, "option --solver: %s takes no options, got '%s'", name, text);
    }
    CAIRN_TRY(set_solver_field(session, "iterations", options->iterations, "--iterations"));
    return set_solver_field(session, "tolerance", options->tolerance, "--tol");
}

static CairnStatus choose_partitioner(CairnSession *session, const CairnRunOptions *options) {
    char name[NAME_SIZE] = "";
    const char *text = NULL;
    CAIRN_TRY(split_choice(options->partition ? options->partition : "none", "--partition", name, &text));
    CairnStatus status = cairn_partitioner_find(name, &session->partitioner);
    if (!cairn_is_ok(status)) {
        return cairn_error(status.code, "option --partition: %s", status.message);
    }
    if (session->partitioner->options) {
        return make_object(session->partitioner->options, text, "--partition", &session->partition_options);
    }
    if (text) {
        return cairn_error(CAIRN_UNSUPPORTED, "option --partition: %s takes no options, got '%s'", name, text);
    }
    return cairn_ok();
}

static CairnStatus make_world(CairnSession *session, const CairnRunOptions *options) {
    CairnWorldDef def = cairn_world_def();
    if (session->scene->settings) {
        session->scene->settings(session->params, &def);
    }
    if (options->has_friction) {
        def.friction = options->friction;
    }
    if (options->threads) {
        def.thread_count = options->threads;
    }
    for (int i = 0; i < options->settings.count; i++) {
        CAIRN_TRY(set_pair(&cairn_world_fields, &def, options->settings.items[i], "--world"));
    }
    CAIRN_TRY(cairn_world_create(&def, &session->world));
    CAIRN_TRY(cairn_world_set_solver(session->world, session->solver, session->solver_options));
    return cairn_world_set_partitioner(session->world, session->partitioner, session->partition_options);
}

static CairnStatus open_parts(const CairnRunOptions *options, CairnSession *session) {
    CAIRN_TRY(cairn_source_open(options->scene, &session->source));
    const CairnScene *scene = session->scene = session->source.scene;
    CAIRN_TRY(make_object(&scene->params, NULL, "--param", &session->params));
    for (int i = 0; i < options->params.count; i++) {
        CAIRN_TRY(set_pair(&scene->params, session->params, options->params.items[i], "--param"));
    }
    session->dt = options->dt > 0 ? options->dt : scene->step;
    session->steps = options->steps > 0 ? options->steps : scene->steps;
    for (int i = 0; i < options->shot_count; i++) {
        if (options->shots[i].frame > session->steps) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "option --screenshot: frame %d is after the last step %d",
                               options->shots[i].frame, session->steps);
        }
    }
    CAIRN_TRY(choose_solver(session, options));
    CAIRN_TRY(choose_partitioner(session, options));
    CAIRN_TRY(make_world(session, options));
    session->memory = calloc(1, scene->memory_size ? scene->memory_size : 1);
    if (!session->memory) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes of the scene", scene->memory_size);
    }
    session->run = (CairnSceneRun){session->world, session->params, session->memory, options->seed};
    return scene->build(&session->run);
}

CairnStatus cairn_session_open(const CairnRunOptions *options, CairnSession *session) {
    *session = (CairnSession){.world = NULL};
    CairnStatus status = open_parts(options, session);
    if (!cairn_is_ok(status)) {
        cairn_session_close(session);
    }
    return status;
}

CairnStatus cairn_session_step(CairnSession *session, CairnStats *stats) {
    if (session->scene->script) {
        CAIRN_TRY(session->scene->script(&session->run, cairn_world_time(session->world)));
    }
    return cairn_world_step(session->world, session->dt, stats);
}

CairnStatus cairn_session_check(const CairnSession *session, const CairnStats *stats) {
    return session->scene->check ? session->scene->check(&session->run, stats->time, stats) : cairn_ok();
}

void cairn_session_close(CairnSession *session) {
    cairn_world_destroy(session->world);
    free(session->params);
    free(session->memory);
    free(session->solver_options);
    free(session->partition_options);
    cairn_source_close(&session->source);
    *session = (CairnSession){.world = NULL};
}
