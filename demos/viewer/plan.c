// Plan: which scene is shown, with which parameters, and how each view solves it. The window's threads never make a
// world here: they write down what is wanted, and the views' threads do it between two steps.
#include "demos/program/session/law.h"
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- scenes ----

// A round number of metres (1, 2 or 5 times a power of ten) at most `size`.
static double round_down(double size) {
    double power = pow(10, floor(log10(size)));
    return power * (size >= 5 * power ? 5 : size >= 2 * power ? 2 : 1);
}

// Behind the initial camera on its left side; it stays there when the camera turns.
static CairnVec3 sun_of(const CairnCamera *camera) {
    CairnVec3 back = cairn_normalize(cairn_sub(camera->eye, camera->target));
    CairnVec3 right = cairn_normalize(cairn_cross(cairn_vec3(0, 0, 1), back));
    CairnVec3 level = cairn_normalize_or(cairn_vec3(back.x, back.y, 0), cairn_vec3(0, -1, 0));
    CairnVec3 sun = cairn_add(cairn_vec3(0, 0, 1.25), cairn_add_scaled(cairn_scale(0.42, level), -0.72, right));
    return cairn_normalize(sun);
}

static void take_camera(CairnViewer *viewer) {
    const CairnScene *scene = viewer->source.scene;
    viewer->dt = viewer->options->run.dt > 0 ? viewer->options->run.dt : scene->step;
    viewer->home = viewer->orbit = cairn_orbit(&scene->camera);
    viewer->sun = sun_of(&scene->camera);
    viewer->range = viewer->home.distance;
    viewer->grid = round_down(0.11 * viewer->range);
    viewer->top_speed = viewer->top_force = viewer->top_residual = 0;
    viewer->is_following = false;
}

static CairnStatus open_scene(const CairnPlan *plan, CairnSource *source, void **params) {
    *params = NULL;
    CAIRN_TRY(cairn_source_open(plan->scene, source));
    CairnStatus status = cairn_options_make(&source->scene->params, NULL, "--param", params);
    for (int i = 0; i < plan->param_count && cairn_is_ok(status); i++) {
        char name[CAIRN_PLAN_PARAM];
        snprintf(name, sizeof name, "%s", plan->params[i]);
        char *equals = strchr(name, '=');
        if (equals) {
            *equals = '\0';
            status = cairn_fields_set(&source->scene->params, *params, name, equals + 1);
        }
    }
    if (!cairn_is_ok(status)) {
        free(*params);
        cairn_source_close(source);
    }
    return status;
}

CairnStatus cairn_viewer_take_scene(CairnViewer *viewer) {
    viewer->plan = viewer->crew.plan;
    CAIRN_TRY(open_scene(&viewer->plan, &viewer->source, &viewer->params));
    take_camera(viewer);
    for (int i = 0; i < viewer->crew.view_count; i++) {
        CAIRN_TRY(cairn_setup_take(&viewer->crew.views[i].session, &viewer->setups[i]));
        CAIRN_TRY(cairn_choice_copy(&viewer->setups[i].choice, &viewer->first[i]));
    }
    viewer->is_pinned = viewer->options->run.solver != NULL;
    return cairn_ok();
}

void cairn_viewer_drop_plan(CairnViewer *viewer) {
    for (int i = 0; i < CAIRN_CREW_VIEWS; i++) {
        cairn_setup_close(&viewer->setups[i]);
        cairn_choice_close(&viewer->first[i]);
    }
    free(viewer->params);
    viewer->params = NULL;
    cairn_source_close(&viewer->source);
}

// The parameters in the syntax of the command line; those at their defaults are left out.
static void write_params(CairnViewer *viewer) {
    const CairnFieldTable *table = &viewer->source.scene->params;
    CairnPlan *plan = &viewer->plan;
    void *presets = NULL;
    plan->param_count = 0;
    if (!cairn_is_ok(cairn_options_make(table, NULL, "--param", &presets))) {
        return;
    }
    for (int i = 0; i < table->count && plan->param_count < CAIRN_RUN_LIST; i++) {
        char value[100], preset[100];
        cairn_fields_format(&table->fields[i], viewer->params, value, sizeof value);
        cairn_fields_format(&table->fields[i], presets, preset, sizeof preset);
        if (strcmp(value, preset) != 0) {
            snprintf(plan->params[plan->param_count++], CAIRN_PLAN_PARAM, "%.90s=%.100s", table->fields[i].name, value);
        }
    }
    free(presets);
}

static void begin_again(CairnViewer *viewer) {
    viewer->owed = 0;
    viewer->top_speed = viewer->top_force = viewer->top_residual = 0;
    viewer->params_changed = false;
    viewer->hand.mode = CAIRN_HAND_MODE_NONE;
    cairn_viewer_select(viewer, 0, 0);
    cairn_crew_restart(&viewer->crew, &viewer->plan);
}

// A recording, shown or made, is of one scene with its parameters.
static bool is_bound(CairnViewer *viewer) {
    bool is_it = viewer->options->recording || viewer->options->run.record;
    if (is_it) {
        cairn_viewer_notify(viewer, "a recording keeps its scene, parameters and seed");
    }
    return is_it;
}

void cairn_viewer_restart(CairnViewer *viewer, bool has_new_seed) {
    if (has_new_seed || viewer->params_changed) {
        if (is_bound(viewer)) {
            viewer->params_changed = false;
            return;
        }
        viewer->plan.seed += has_new_seed;
        write_params(viewer);
    }
    for (int i = 0; i < viewer->crew.view_count; i++) { // parameters may set another law of friction
        if (!cairn_viewer_takes(viewer, viewer->setups[i].choice.solver)) {
            cairn_viewer_choose(viewer, i, cairn_viewer_solver(viewer, 1));
        }
    }
    begin_again(viewer);
}

// The solver that the scene names, or the first that takes it.
static CairnStatus choose_default(CairnViewer *viewer, int view) {
    const CairnScene *scene = viewer->source.scene;
    CairnSetup *setup = &viewer->setups[view];
    CairnChoice choice;
    const CairnSolver *first = cairn_viewer_solver(viewer, 1);
    CAIRN_TRY(cairn_choice_open(scene->solver ? scene->solver
                                : first       ? first->name
                                              : cairn_solver_at(0)->name,
                                "--solver", &choice));
    cairn_choice_close(&setup->choice);
    setup->choice = choice;
    return cairn_crew_set(&viewer->crew, view, setup);
}

// With the parameters of `preset`, if the scene has them; NULL: its own.
static void load(CairnViewer *viewer, const char *scene, const char *title, const CairnPlan *preset) {
    if (is_bound(viewer)) {
        return;
    }
    CairnPlan *plan = calloc(1, sizeof *plan);
    CairnSource source;
    void *params;
    CairnStatus status = plan ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for a scene");
    if (plan) {
        plan->seed = viewer->plan.seed;
        snprintf(plan->scene, sizeof plan->scene, "%s", scene);
        for (int i = 0; preset && i < preset->param_count; i++) {
            snprintf(plan->params[plan->param_count++], CAIRN_PLAN_PARAM, "%s", preset->params[i]);
        }
        status = open_scene(plan, &source, &params);
        if (!cairn_is_ok(status) && plan->param_count > 0) {
            plan->param_count = 0;
            status = open_scene(plan, &source, &params);
        }
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
        free(plan);
        return;
    }
    viewer->plan = *plan;
    free(plan);
    free(viewer->params);
    cairn_source_close(&viewer->source);
    viewer->source = source;
    viewer->params = params;
    take_camera(viewer);
    bool keeps_solvers = viewer->is_pinned || viewer->crew.view_count > 1;
    for (int i = 0; i < viewer->crew.view_count && cairn_is_ok(status); i++) {
        if (!keeps_solvers || !cairn_viewer_takes(viewer, viewer->setups[i].choice.solver)) {
            status = choose_default(viewer, i);
        }
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
    }
    char words[120];
    snprintf(words, sizeof words, "cairn: %.80s", title);
    SDL_SetWindowTitle(viewer->window, words);
    begin_again(viewer);
}

void cairn_viewer_load(CairnViewer *viewer, const char *scene) {
    load(viewer, scene, scene, NULL);
}

bool cairn_viewer_reload(CairnViewer *viewer) {
    CairnReload *reload = viewer->options->reload;
    const char *library;
    if (!reload || !cairn_reload_turn(reload, &viewer->plan, cairn_viewer_clock(), &library)) {
        return false;
    }
    if (library) {
        char before[CAIRN_NAME_SIZE];
        CairnOrbit orbit = viewer->orbit;
        CairnPlan preset = reload->has_plan ? reload->plan : viewer->plan;
        snprintf(before, sizeof before, "%s", viewer->source.scene->name);
        load(viewer, library, reload->source, &preset);
        reload->has_plan = false;
        if (strcmp(before, viewer->source.scene->name) == 0) {
            viewer->orbit = orbit;
        }
        cairn_viewer_notify(viewer, "the scene's file has changed");
    }
    return true;
}

// ---- solvers ----

bool cairn_viewer_takes(const CairnViewer *viewer, const CairnSolver *solver) {
    // A scene's parameters decide on its friction.
    CairnWorldDef def = cairn_world_def();
    const CairnScene *scene = viewer->source.scene;
    if (scene->settings) {
        scene->settings(viewer->params, &def);
    }
    const CairnRunOptions *options = &viewer->options->run;
    return cairn_law_is_taken(solver->traits, options->has_friction ? options->friction : def.friction);
}

const CairnSolver *cairn_viewer_solver(const CairnViewer *viewer, int number) {
    int seen = 0;
    for (int i = 0; i < cairn_solver_count(); i++) {
        const CairnSolver *solver = cairn_solver_at(i);
        if (cairn_viewer_takes(viewer, solver) && ++seen == number) {
            return solver;
        }
    }
    return NULL;
}

// Where going back in time restored another solver, the panel shows it; its options are those that the key of this
// solver would give.
void cairn_viewer_follow_setups(CairnViewer *viewer, const CairnSight *const *sights) {
    bool is_idle = cairn_crew_is_idle(&viewer->crew);
    for (int i = 0; is_idle && i < viewer->crew.view_count; i++) {
        CairnSetup *setup = &viewer->setups[i];
        const CairnSolver *solver = NULL;
        CairnChoice choice;
        if (strcmp(sights[i]->solver, setup->choice.solver->name) == 0) {
            continue;
        }
        const CairnSolver *first = viewer->first[i].solver; // NULL: of a view that was added later
        if (first && strcmp(sights[i]->solver, first->name) == 0) {
            solver = first; // it may have come from a file
        } else if (!cairn_is_ok(cairn_solver_find(sights[i]->solver, &solver))) {
            continue;
        }
        if (cairn_is_ok(viewer->first[i].solver == solver ? cairn_choice_copy(&viewer->first[i], &choice)
                                                          : cairn_choice_open(solver->name, "--solver", &choice))) {
            cairn_choice_close(&setup->choice);
            setup->choice = choice;
        }
    }
}

void cairn_viewer_apply(CairnViewer *viewer, int view) {
    CairnStatus status = cairn_crew_set(&viewer->crew, view, &viewer->setups[view]);
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
    }
}

void cairn_viewer_choose(CairnViewer *viewer, int view, const CairnSolver *solver) {
    CairnSetup *setup = &viewer->setups[view];
    CairnChoice choice;
    CairnStatus status = !solver ? cairn_error(CAIRN_UNSUPPORTED, "no solver takes this scene's friction")
                         : viewer->first[view].solver == solver ? cairn_choice_copy(&viewer->first[view], &choice)
                                                                : cairn_choice_open(solver->name, "--solver", &choice);
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
        return;
    }
    cairn_choice_close(&setup->choice);
    setup->choice = choice;
    cairn_viewer_apply(viewer, view);
}

// ---- partitions ----

static const CairnField *part_size_of(const CairnFieldTable *table) {
    for (int i = 0; table && i < table->count; i++) {
        if (strcmp(table->fields[i].name, "part_size") == 0 && table->fields[i].type == CAIRN_TYPE_INT) {
            return &table->fields[i];
        }
    }
    return NULL;
}

// Replaces the options; the size of the parts stays.
static CairnStatus change_options(const CairnFieldTable *old_table, const CairnFieldTable *table, void **options) {
    void *fresh = NULL;
    const CairnField *from = part_size_of(old_table), *to = part_size_of(table);
    if (table) {
        CAIRN_TRY(cairn_options_make(table, NULL, "--partition", &fresh));
    }
    if (from && to && *options && fresh) {
        memcpy((char *)fresh + to->offset, (char *)*options + from->offset, sizeof(int));
    }
    free(*options);
    *options = fresh;
    return cairn_ok();
}

void cairn_viewer_partition_by(CairnViewer *viewer, int view, const CairnPartitioner *partitioner) {
    CairnSetup *setup = &viewer->setups[view];
    CairnStatus status = change_options(setup->partitioner->options, partitioner->options, &setup->partition_options);
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
        return;
    }
    setup->partitioner = partitioner;
    cairn_viewer_apply(viewer, view);
}

void cairn_viewer_refine_by(CairnViewer *viewer, int view, const CairnRefiner *refiner) {
    CairnSetup *setup = &viewer->setups[view];
    const CairnField *from = part_size_of(setup->partitioner->options), *to = part_size_of(refiner->options);
    CairnStatus status = change_options(setup->refiner->options, refiner->options, &setup->refine_options);
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
        return;
    }
    if (from && to && setup->partition_options &&
        setup->refine_options) { // else it would let parts grow to the largest
        memcpy((char *)setup->refine_options + to->offset, (char *)setup->partition_options + from->offset,
               sizeof(int));
    }
    setup->refiner = refiner;
    cairn_viewer_apply(viewer, view);
}

// ---- views ----

void cairn_viewer_add_view(CairnViewer *viewer) {
    int count = viewer->crew.view_count;
    if (count == CAIRN_CREW_VIEWS) {
        cairn_viewer_notify(viewer, "four views are the most");
        return;
    }
    cairn_setup_close(&viewer->setups[count]);
    cairn_choice_close(&viewer->first[count]);
    viewer->first[count] = (CairnChoice){.solver = NULL};
    CairnStatus status = cairn_setup_copy(&viewer->setups[viewer->active], &viewer->setups[count]);
    if (cairn_is_ok(status)) {
        status = cairn_crew_add(&viewer->crew, &viewer->setups[count]);
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
    }
}

void cairn_viewer_remove_view(CairnViewer *viewer) {
    cairn_crew_remove(&viewer->crew);
    viewer->active = viewer->active < viewer->crew.view_count ? viewer->active : viewer->crew.view_count - 1;
}
