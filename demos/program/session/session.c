#include "demos/program/session/session.h"
#include "demos/program/session/law.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Split "name=value" and set the field.
static CairnStatus set_pair(const CairnFieldTable *table, void *object, const char *pair, const char *option) {
    const char *equals = strchr(pair, '=');
    char name[CAIRN_NAME_SIZE] = "";
    if (equals - pair >= CAIRN_NAME_SIZE) {
        return cairn_error(CAIRN_NOT_FOUND, "option %s: no field has a name as long as '%.60s...'", option, pair);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
    CairnStatus status = cairn_fields_set(table, object, name, equals + 1);
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option %s: %s", option, status.message);
}

// A built-in solver that does not take the world's law, or the first one, which is for who names neither law nor solver.
static bool refuses(const char *name, CairnFrictionKind law) {
    const CairnSolver *solver;
    return cairn_is_ok(cairn_solver_find(name, &solver)) &&
           (!cairn_law_is_taken(solver->traits, law) || (law != CAIRN_FRICTION_BOX && solver == cairn_solver_at(0)));
}

static CairnStatus choose_solver(CairnSession *session, const CairnRunOptions *options, CairnFrictionKind law) {
    const char *preset = session->scene->solver ? session->scene->solver : cairn_solver_at(0)->name;
    preset = refuses(preset, law) ? "auto" : preset; // for who names no solver
    CAIRN_TRY(cairn_choice_open(options->solver ? options->solver : preset, "--solver", &session->choice));
    CAIRN_TRY(cairn_choice_set(&session->choice, "iterations", options->iterations, "--iterations"));
    CAIRN_TRY(cairn_choice_set(&session->choice, "tolerance", options->tolerance, "--tol"));
    return cairn_choice_set(&session->choice, "budget_ms", options->budget, "--budget-ms");
}

static bool has_field(const CairnFieldTable *table, const char *name) {
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The name or the file of a partitioner or refiner, without its options: one that came from a file is not found by its
// name alone.
static void copy_name(const char *text, char file[CAIRN_CHOICE_TEXT]) {
    size_t length = strcspn(text, ":");
    snprintf(file, CAIRN_CHOICE_TEXT, "%.*s", length < CAIRN_CHOICE_TEXT ? (int)length : 0, text);
}

static CairnStatus choose_partitioner(CairnSession *session, const CairnRunOptions *options) {
    bool is_needed = options->needs_parts || (session->choice.solver->traits & CAIRN_NEEDS_PARTITION) != 0;
    const char *chosen = options->partition ? options->partition
                         : is_needed        ? cairn_partitioner_default()->name
                                            : "none";
    copy_name(chosen, session->partition_file);
    return cairn_partitioner_open(chosen, "--partition", &session->partitioner, &session->partition_options);
}

static CairnStatus choose_refiner(CairnSession *session, const CairnRunOptions *options) {
    const char *chosen = options->refine ? options->refine : "none";
    copy_name(chosen, session->refine_file);
    return cairn_refiner_open(chosen, "--refine", &session->refiner, &session->refine_options);
}

// --part-size is the partitioner's option, and the refiner's where it has one: else it would let parts grow to the
// largest.
static CairnStatus set_part_size(CairnSession *session, const char *value) {
    if (!value) {
        return cairn_ok();
    }
    const CairnFieldTable *table = session->partitioner->options;
    if (!has_field(table, "part_size")) {
        return cairn_error(CAIRN_UNSUPPORTED, "option --part-size %s: partitioner %s has no option 'part_size'", value,
                           session->partitioner->name);
    }
    CairnStatus status = cairn_fields_set(table, session->partition_options, "part_size", value);
    if (cairn_is_ok(status) && has_field(session->refiner->options, "part_size")) {
        status = cairn_fields_set(session->refiner->options, session->refine_options, "part_size", value);
    }
    return cairn_is_ok(status) ? status : cairn_error(status.code, "option --part-size: %s", status.message);
}

int cairn_session_part_size(const CairnSession *session) {
    const CairnFieldTable *table = session->partitioner->options;
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, "part_size") == 0) {
            int size;
            memcpy(&size, (const char *)session->partition_options + table->fields[i].offset, sizeof size);
            return size;
        }
    }
    return 0;
}

CairnPartition cairn_session_partition(const CairnSession *session) {
    return (CairnPartition){.partitioner = session->partitioner,
                            .partition_options = session->partition_options,
                            .refiner = session->refiner,
                            .refine_options = session->refine_options};
}

CairnStatus cairn_world_choose(CairnWorld *world, const CairnChoice *choice, const CairnPartition *partition) {
    CAIRN_TRY(cairn_world_set_solver(world, choice->solver, choice->options));
    CAIRN_TRY(cairn_world_set_partitioner(world, partition->partitioner, partition->partition_options));
    return cairn_world_set_refiner(world, partition->refiner, partition->refine_options);
}

static CairnStatus give(const CairnSession *from, CairnWorld *world) {
    CairnPartition partition = cairn_session_partition(from);
    return cairn_world_choose(world, &from->choice, &partition);
}

// The scene's settings of the world, and over them what the options say.
static CairnStatus define_world(const CairnSession *session, const CairnRunOptions *options, CairnWorldDef *def) {
    *def = cairn_world_def();
    if (session->scene->settings) {
        session->scene->settings(session->params, def);
    }
    if (options->has_friction) {
        def->friction = options->friction;
    }
    if (options->allocator) {
        def->allocator = *options->allocator;
    }
    if (options->threads) {
        def->thread_count = options->threads;
    }
    for (int i = 0; i < options->settings.count; i++) {
        CAIRN_TRY(set_pair(&cairn_world_fields, def, options->settings.items[i], "--world"));
    }
    return cairn_ok();
}

static CairnStatus open_all(const CairnRunOptions *options, const CairnChoice *choice, CairnSession *session) {
    CAIRN_TRY(cairn_source_open(options->scene, &session->source));
    const CairnScene *scene = session->scene = session->source.scene;
    CAIRN_TRY(cairn_options_make(&scene->params, NULL, "--param", &session->params));
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
    CairnWorldDef def;
    CAIRN_TRY(define_world(session, options, &def));
    CAIRN_TRY(choice ? cairn_choice_copy(choice, &session->choice) : choose_solver(session, options, def.friction));
    CAIRN_TRY(choose_partitioner(session, options));
    CAIRN_TRY(choose_refiner(session, options));
    CAIRN_TRY(set_part_size(session, options->part_size));
    CAIRN_TRY(cairn_world_create(&def, &session->world));
    CAIRN_TRY(give(session, session->world));
    session->memory = calloc(1, scene->memory_size ? scene->memory_size : 1);
    if (!session->memory) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes of the scene", scene->memory_size);
    }
    session->auditing = options->auditing;
    if (options->auditing != CAIRN_AUDITING_OFF) {
        CAIRN_TRY(cairn_audit_create(session->world, &session->audit));
    }
    session->run = (CairnSceneRun){
        .world = session->world, .params = session->params, .memory = session->memory, .seed = options->seed};
    return scene->build(&session->run);
}

CairnStatus cairn_session_open(const CairnRunOptions *options, CairnSession *session) {
    return cairn_session_open_with(options, NULL, session);
}

CairnStatus cairn_session_open_with(const CairnRunOptions *options, const CairnChoice *choice, CairnSession *session) {
    *session = (CairnSession){.world = NULL};
    CairnStatus status = open_all(options, choice, session);
    if (!cairn_is_ok(status)) {
        cairn_session_close(session);
    }
    return status;
}

CairnStatus cairn_session_setup(const CairnSession *session, CairnSessionSetup *setup) {
    const CairnSolver *solver = session->choice.solver, *same_solver = NULL;
    const CairnPartitioner *partitioner = session->partitioner, *same_partitioner = NULL;
    const CairnRefiner *refiner = session->refiner, *same_refiner = NULL;
    char file[CAIRN_CHOICE_TEXT];
    copy_name(session->choice.text, file);
    (void)cairn_solver_find(solver->name, &same_solver);
    (void)cairn_partitioner_find(partitioner->name, &same_partitioner);
    (void)cairn_refiner_find(refiner->name, &same_refiner);
    CAIRN_TRY(cairn_name_join(same_solver == solver ? solver->name : file, solver->options, session->choice.options,
                              setup->solver, sizeof setup->solver));
    CAIRN_TRY(cairn_name_join(same_partitioner == partitioner ? partitioner->name : session->partition_file,
                              partitioner->options, session->partition_options, setup->partition,
                              sizeof setup->partition));
    return cairn_name_join(same_refiner == refiner ? refiner->name : session->refine_file, refiner->options,
                           session->refine_options, setup->refine, sizeof setup->refine);
}

static void swap_setups(CairnSession *a, CairnSession *b) {
    CairnSession old = *a;
    a->choice = b->choice;
    a->partitioner = b->partitioner;
    a->partition_options = b->partition_options;
    a->refiner = b->refiner;
    a->refine_options = b->refine_options;
    b->choice = old.choice;
    b->partitioner = old.partitioner;
    b->partition_options = old.partition_options;
    b->refiner = old.refiner;
    b->refine_options = old.refine_options;
    memcpy(a->partition_file, b->partition_file, sizeof a->partition_file);
    memcpy(a->refine_file, b->refine_file, sizeof a->refine_file);
}

CairnStatus cairn_session_change(CairnSession *session, const char *solver, const char *partition, const char *refine) {
    CairnRunOptions options = cairn_run_options();
    CairnSession other = {.world = NULL, .scene = session->scene};
    options.solver = solver;
    options.partition = partition;
    options.refine = refine;
    CairnStatus status = choose_solver(&other, &options, cairn_world_settings(session->world).friction);
    status = cairn_is_ok(status) ? choose_partitioner(&other, &options) : status;
    status = cairn_is_ok(status) ? choose_refiner(&other, &options) : status;
    if (cairn_is_ok(status)) {
        status = give(&other, session->world);
        if (cairn_is_ok(status)) {
            swap_setups(session, &other);
        } else {
            (void)give(session, session->world); // it took them before
        }
    }
    other.scene = NULL;
    cairn_session_close(&other);
    return status;
}

CairnStatus cairn_session_step(CairnSession *session, CairnStats *stats) {
    if (session->scene->script) {
        CAIRN_TRY(session->scene->script(&session->run, cairn_world_time(session->world)));
    }
    if (!session->audit) {
        return cairn_world_step(session->world, session->dt, stats);
    }
    CAIRN_TRY(cairn_audit_begin(session->audit, session->world));
    CAIRN_TRY(cairn_world_step(session->world, session->dt, stats));
    bool is_full = session->auditing == CAIRN_AUDITING_FULL ||
                   cairn_world_step_index(session->world) % CAIRN_SESSION_AUDIT_EVERY == 0;
    return cairn_audit_end(session->audit, session->world, is_full ? CAIRN_AUDIT_FULL : CAIRN_AUDIT_FRAME,
                           &session->audited);
}

const CairnAuditReport *cairn_session_audited(const CairnSession *session) {
    uint64_t step = session->audited.step_index;
    return step > 0 && step == cairn_world_step_index(session->world) ? &session->audited : NULL;
}

CairnStatus cairn_session_check(const CairnSession *session, const CairnStats *stats) {
    CairnSceneRun run = session->run;
    run.audited = cairn_session_audited(session);
    return session->scene->check ? session->scene->check(&run, stats->time, stats) : cairn_ok();
}

void cairn_session_close(CairnSession *session) {
    cairn_audit_destroy(session->audit);
    cairn_world_destroy(session->world);
    free(session->params);
    free(session->memory);
    cairn_choice_close(&session->choice);
    free(session->partition_options);
    free(session->refine_options);
    cairn_source_close(&session->source);
    *session = (CairnSession){.world = NULL};
}
