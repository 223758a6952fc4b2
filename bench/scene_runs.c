#include "bench/scene_runs.h"
#include "bench/bench.h"

#include "demos/program/session/choice.h"
#include "demos/program/session/law.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double bench_setting(const char *name, double fallback) {
    const char *text = getenv(name);
    double value = text != NULL ? strtod(text, NULL) : 0;
    return value > 0 ? value : fallback;
}

bool bench_wants(const char *variable, const char *name) {
    const char *text = getenv(variable);
    size_t length = strlen(name);
    if (text == NULL || text[0] == '\0') {
        return true;
    }
    for (const char *p = strstr(text, name); p != NULL; p = strstr(p + 1, name)) {
        bool starts = p == text || p[-1] == ',', ends = p[length] == '\0' || p[length] == ',';
        if (starts && ends) {
            return true;
        }
    }
    return false;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The scene's law where the solver takes it, else box friction.
static CairnFrictionKind law_of(const CairnSolver *solver, CairnFrictionKind kind) {
    return cairn_law_is_taken(solver->traits, kind) ? kind : CAIRN_FRICTION_BOX;
}

static CairnStatus set_partition(CairnWorld *world, const char *name) {
    const CairnPartitioner *partitioner;
    if (name == NULL) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_partitioner_find(name, &partitioner));
    return cairn_world_set_partitioner(world, partitioner, NULL);
}

static void note_damping(const CairnScene *scene, const void *params, BenchPlayed *played) {
    for (int i = 0; i < scene->params.count; i++) {
        const CairnField *field = &scene->params.fields[i];
        if (strcmp(field->name, "damping") == 0) {
            memcpy(&played->damping, (const char *)params + field->offset, sizeof played->damping);
        }
    }
}

// A new world with its bodies.
static CairnStatus build_run(const BenchPlay *play, const CairnSolver *solver, CairnSceneRun *run,
                             CairnWorldDef *settings) {
    const CairnScene *scene = play->scene;
    CairnWorldDef def = cairn_world_def();
    cairn_fields_preset(&scene->params, (void *)(uintptr_t)run->params);
    if (play->params != NULL) {
        CAIRN_TRY(cairn_fields_parse(&scene->params, (void *)(uintptr_t)run->params, play->params));
    }
    if (scene->settings != NULL) {
        scene->settings(run->params, &def);
    }
    def.thread_count = play->threads > 0 ? play->threads : 1;
    def.friction = law_of(solver, def.friction);
    *settings = def;
    CAIRN_TRY(cairn_world_create(&def, &run->world));
    return scene->build(run);
}

// Back to a moment: whatever the last run from there did.
static CairnStatus return_to(const BenchMoment *moment, size_t memory_size, BenchPlayed *played) {
    played->first = moment->frame;
    played->requested -= moment->frame;
    played->settings = moment->settings;
    memcpy(moment->run.memory, moment->memory, memory_size);
    return cairn_world_restore(moment->run.world, moment->world, moment->size);
}

static CairnStatus open_run(const BenchPlay *play, CairnSceneRun *run, BenchPlayed *played) {
    const CairnScene *scene = play->scene;
    const char *text = play->solver != NULL ? play->solver : scene->solver != NULL ? scene->solver : "bpp";
    CairnChoice choice;
    CAIRN_TRY(cairn_choice_open(text, "bench", &choice));
    CairnStatus status = play->from != NULL ? return_to(play->from, scene->memory_size, played)
                                            : build_run(play, choice.solver, run, &played->settings);
    if (cairn_is_ok(status)) {
        status = cairn_world_set_solver(run->world, choice.solver, choice.options);
    }
    cairn_choice_close(&choice);
    CAIRN_TRY(status);
    note_damping(scene, run->params, played);
    played->friction = played->settings.friction;
    return set_partition(run->world, play->partition);
}

static CairnStatus weigh(const CairnWorld *world, CairnBodyId *ids, BenchPlayed *played) {
    cairn_world_bodies(world, ids, played->bodies);
    played->lightest = HUGE_VAL;
    for (int i = 0; i < played->bodies; i++) {
        CairnBodyState body;
        CAIRN_TRY(cairn_body_get(world, ids[i], &body));
        if (body.type == CAIRN_BODY_DYNAMIC) {
            played->heaviest = fmax(played->heaviest, body.mass.mass);
            played->lightest = fmin(played->lightest, body.mass.mass);
        }
    }
    return cairn_ok();
}

static CairnStatus feel_joints(const CairnWorld *world, CairnJointId *ids, BenchPlayed *played) {
    cairn_world_joints(world, ids, played->joints);
    for (int i = 0; i < played->joints; i++) {
        CairnJointDef def;
        CAIRN_TRY(cairn_joint_get_def(world, ids[i], &def));
        double c = def.axes[CAIRN_X].compliance;
        played->soft = fmax(played->soft, c);
        played->hard = i == 0 ? c : fmin(played->hard, c);
    }
    return cairn_ok();
}

static CairnStatus take_stock(const CairnWorld *world, BenchPlayed *played) {
    played->bodies = cairn_world_bodies(world, NULL, 0);
    played->joints = cairn_world_joints(world, NULL, 0);
    CairnBodyId *bodies = calloc((size_t)played->bodies + 1, sizeof *bodies);
    CairnJointId *joints = calloc((size_t)played->joints + 1, sizeof *joints);
    CairnStatus status = cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %d bodies and %d joints",
                                     played->bodies, played->joints);
    if (bodies != NULL && joints != NULL) {
        status = weigh(world, bodies, played);
        status = cairn_is_ok(status) ? feel_joints(world, joints, played) : status;
    }
    free(bodies);
    free(joints);
    return status;
}

static void add_up(BenchPlayed *played, const CairnStats *stats, double *times) {
    times[played->frames++] = stats->times.solve;
    played->step += stats->times.step;
    played->solve += stats->times.solve;
    played->iterations += stats->solve.iterations;
    played->behind += stats->solve.fallback > 0;
    played->certified += stats->residual.is_certified;
    played->residual = fmax(played->residual, stats->residual.scaled);
    played->penetration = fmax(played->penetration, stats->penetration);
    played->joint_error = fmax(played->joint_error, stats->joint_error_linear);
    played->rows = stats->rows > played->rows ? stats->rows : played->rows;
}

// The same complaint, but for its numbers?
static bool is_same(const char *a, const char *b) {
    const char *numbers = "0123456789.+-einfa";
    for (;;) {
        a += strspn(a, numbers);
        b += strspn(b, numbers);
        if (*a != *b || *a == '\0') {
            return *a == *b;
        }
        a++;
        b++;
    }
}

static void note_break(BenchPlayed *played, int frame, const char *why) {
    for (int i = 0; i < played->break_count; i++) {
        if (is_same(played->breaks[i].why, why)) {
            return;
        }
    }
    if (played->break_count < BENCH_BREAKS) {
        BenchBreak *item = &played->breaks[played->break_count++];
        item->frame = frame;
        snprintf(item->why, sizeof item->why, "%s", why);
    }
}

// One frame; a step or a check that fails is recorded in `played`.
static CairnStatus play_frame(const BenchPlay *play, CairnSceneRun *run, BenchPlayed *played, double *times) {
    const CairnScene *scene = play->scene;
    CairnStats stats;
    if (scene->script != NULL) {
        CAIRN_TRY(scene->script(run, cairn_world_time(run->world)));
    }
    CairnStatus status = cairn_world_step(run->world, scene->step, &stats);
    if (!cairn_is_ok(status)) {
        played->is_ended = true;
    } else {
        add_up(played, &stats, times);
        if (play->look != NULL) {
            CAIRN_TRY(play->look(play->user, run->world, &stats));
        }
        status = scene->check != NULL ? scene->check(run, stats.time, &stats) : cairn_ok();
    }
    if (!cairn_is_ok(status)) {
        note_break(played, played->first + played->frames + (played->is_ended ? 1 : 0), status.message);
    }
    return cairn_ok();
}

static void finish_means(BenchPlayed *played, double *times) {
    double frames = played->frames > 0 ? played->frames : 1;
    if (played->frames > 0) {
        qsort(times, (size_t)played->frames, sizeof *times, by_size);
        played->solve_p99 = 1e3 * times[(int)(0.99 * (played->frames - 1) + 0.5)];
    }
    played->step *= 1e3 / frames;
    played->cpu *= 1e3 / frames;
    played->solve *= 1e3 / frames;
    played->iterations /= frames;
    played->behind /= frames;
    played->certified /= frames;
}

// The moment owns the run's arrays from here on.
static CairnStatus save_moment(const CairnScene *scene, const CairnSceneRun *run, const BenchPlayed *played,
                               BenchMoment *moment) {
    *moment = (BenchMoment){.frame = played->first + played->frames,
                            .run = *run,
                            .size = cairn_world_snapshot_size(run->world),
                            .settings = played->settings};
    moment->world = malloc(moment->size + 1);
    moment->memory = malloc(scene->memory_size + 1);
    if (moment->world == NULL || moment->memory == NULL || run->memory == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for a moment of %s", scene->name);
    }
    memcpy(moment->memory, run->memory, scene->memory_size);
    return cairn_world_snapshot(run->world, moment->world, moment->size, &moment->size);
}

static void close_run(CairnSceneRun *run) {
    cairn_world_destroy(run->world);
    free((void *)(uintptr_t)run->params);
    free(run->memory);
}

void bench_moment_free(BenchMoment *moment) {
    close_run(&moment->run);
    free(moment->world);
    free(moment->memory);
    *moment = (BenchMoment){0};
}

CairnStatus bench_play_scene(const BenchPlay *play, BenchPlayed *played) {
    const CairnScene *scene = play->scene;
    *played = (BenchPlayed){.requested = play->frames > 0 && play->frames < scene->steps ? play->frames : scene->steps};
    double *times = calloc((size_t)played->requested + 1, sizeof *times);
    CairnSceneRun run = {.seed = 1};
    if (play->from != NULL) {
        run = play->from->run;
    } else {
        run.params = calloc(1, scene->params.size + 1);
        run.memory = calloc(1, scene->memory_size + 1);
    }
    CairnStatus status = cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %s", scene->name);
    if (times != NULL && run.params != NULL && run.memory != NULL) {
        status = open_run(play, &run, played);
    }
    if (cairn_is_ok(status)) {
        status = take_stock(run.world, played);
    }
    double start = bench_cpu_now();
    while (cairn_is_ok(status) && played->frames < played->requested && !played->is_ended &&
           !(play->seconds > 0 && bench_cpu_now() - start > play->seconds)) {
        status = play_frame(play, &run, played, times);
    }
    played->cpu = bench_cpu_now() - start;
    if (times != NULL) {
        finish_means(played, times);
    }
    if (cairn_is_ok(status) && play->end != NULL) {
        status = save_moment(scene, &run, played, play->end);
    } else if (play->from == NULL) {
        close_run(&run);
    }
    free(times);
    return status;
}
