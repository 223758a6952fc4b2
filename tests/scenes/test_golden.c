// Golden hashes: every solver on every scene that it takes moves the bodies as it did when tests/golden/hashes.txt was
// written, to the last bit. Four steps are taken from the start of the scene, and four from each of two kept moments:
// the hardest, in the steps around which the scene's own solver iterates most, and the quietest, where the bodies have
// the least kinetic energy.
//
//   test_golden              holds the hashes against the file (PORTABLE=1 builds: others may fuse or order sums
//                            differently)
//   test_golden --renew      writes the file again and prints every line that changed (make golden-renew)
//   test_golden --moments    chooses the moments of all scenes again and keeps them, then renews (make golden-moments)
#include "demos/program/session/choice.h"
#include "demos/scenes/scenes.h"
#include "tests/support/support.h"

#include <cairn/cairn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FOLDER "tests/golden"
#define HASHES FOLDER "/hashes.txt"
#define UNREAD "unread"

enum { STEPS = 4, LEAD = 5, LINE = 200, LONGEST = 1200, MOST_LINES = 4096, MOST_BYTES = 64 << 20 };

typedef enum Moment { AT_START = 0, AT_HARDEST, AT_QUIETEST, MOMENT_COUNT } Moment;

static const char *const moment_names[MOMENT_COUNT] = {"start", "hardest", "quietest"};

typedef struct Stage {
    const CairnScene *scene;
    CairnSceneRun run;
    void *params;
} Stage;

static void strike(Stage *stage) {
    cairn_world_destroy(stage->run.world);
    free(stage->params);
    free(stage->run.memory);
    *stage = (Stage){0};
}

// Smaller editions of the scenes whose bodies are all alike.
static const struct {
    const char *scene, *params;
} editions[] = {{"granular_flow", "spheres=500"}, {"large_rock_pile", "rocks=60"}};

static CairnStatus set_stage(Stage *stage, const CairnScene *scene) {
    CairnWorldDef def = cairn_world_def();
    *stage = (Stage){.scene = scene, .params = calloc(1, scene->params.size + 1)};
    stage->run.memory = calloc(1, scene->memory_size + 1);
    if (!stage->params || !stage->run.memory) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "golden: no memory for %s", scene->name);
    }
    cairn_fields_preset(&scene->params, stage->params);
    for (size_t i = 0; i < sizeof editions / sizeof *editions; i++) {
        if (strcmp(editions[i].scene, scene->name) == 0) {
            CAIRN_TRY(cairn_fields_parse(&scene->params, stage->params, editions[i].params));
        }
    }
    if (scene->settings) {
        scene->settings(stage->params, &def);
    }
    CAIRN_TRY(cairn_world_create(&def, &stage->run.world));
    stage->run.params = stage->params;
    stage->run.seed = 1;
    return scene->build(&stage->run);
}

static CairnStatus step(Stage *stage, CairnStats *stats) {
    if (stage->scene->script) {
        CAIRN_TRY(stage->scene->script(&stage->run, cairn_world_time(stage->run.world)));
    }
    return cairn_world_step(stage->run.world, stage->scene->step, stats);
}

// ---- kept moments: the world's mark in its ids, the bytes of the scene's own memory, a snapshot ----

// Every id carries a mark of its world, so the ids that a scene's memory holds are refused by another world.
static uint32_t mark_of(const CairnWorld *world) {
    CairnBodyId id = {0};
    cairn_world_bodies(world, &id, 1);
    return id.world;
}

static void change_mark(void *memory, size_t size, uint32_t from, uint32_t to) {
    for (size_t at = 0; at + sizeof from <= size; at += sizeof from) {
        uint32_t word;
        memcpy(&word, (char *)memory + at, sizeof word);
        if (word == from) {
            memcpy((char *)memory + at, &to, sizeof to);
        }
    }
}

static void moment_path(const CairnScene *scene, Moment moment, char path[LINE]) {
    snprintf(path, LINE, FOLDER "/%s.%s.gz", scene->name, moment_names[moment]);
}

static CairnStatus keep_moment(const Stage *stage, Moment moment) {
    char path[LINE];
    uint32_t mark = mark_of(stage->run.world);
    size_t own = sizeof mark + stage->scene->memory_size, size = cairn_world_snapshot_size(stage->run.world), written;
    unsigned char *bytes = malloc(own + size);
    if (!bytes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "golden: no memory for a snapshot of %zu bytes", size);
    }
    memcpy(bytes, &mark, sizeof mark);
    memcpy(bytes + sizeof mark, stage->run.memory, stage->scene->memory_size);
    CairnStatus status = cairn_world_snapshot(stage->run.world, bytes + own, size, &written);
    moment_path(stage->scene, moment, path);
    gzFile file = cairn_is_ok(status) ? gzopen(path, "wb9") : NULL;
    bool is_written = file && gzwrite(file, bytes, (unsigned)(own + written)) == (int)(own + written);
    is_written = file && gzclose(file) == Z_OK && is_written;
    if (cairn_is_ok(status) && !is_written) {
        status = cairn_error(CAIRN_IO, "golden: cannot write %s", path);
    }
    free(bytes);
    return status;
}

static CairnStatus go_to_moment(Stage *stage, Moment moment) {
    char path[LINE];
    moment_path(stage->scene, moment, path);
    uint32_t mark;
    size_t own = sizeof mark + stage->scene->memory_size, capacity = own + MOST_BYTES;
    unsigned char *bytes = malloc(capacity);
    gzFile file = bytes ? gzopen(path, "rb") : NULL;
    int size = file ? gzread(file, bytes, (unsigned)capacity) : -1;
    bool is_read = file && gzclose(file) == Z_OK && size > (int)own;
    CairnStatus status = is_read ? cairn_world_restore(stage->run.world, bytes + own, (size_t)size - own)
                                 : cairn_error(CAIRN_CORRUPT, "golden: %s is missing or cut", path);
    if (cairn_is_ok(status)) {
        memcpy(&mark, bytes, sizeof mark);
        memcpy(stage->run.memory, bytes + sizeof mark, stage->scene->memory_size);
        change_mark(stage->run.memory, stage->scene->memory_size, mark, mark_of(stage->run.world));
    }
    free(bytes);
    return status;
}

static CairnStatus set_own_solver(Stage *stage) {
    CairnChoice choice;
    CAIRN_TRY(cairn_choice_open(stage->scene->solver ? stage->scene->solver : "bpp", "golden", &choice));
    CairnStatus status = cairn_world_set_solver(stage->run.world, choice.solver, choice.options);
    cairn_choice_close(&choice);
    return status;
}

// Run the whole scene with its own solver: once to find the two frames, once to keep the states LEAD steps before them.
static CairnStatus choose_moments(const CairnScene *scene) {
    int frames[MOMENT_COUNT] = {0}, most = -1, last = scene->steps < LONGEST ? scene->steps - STEPS : LONGEST;
    double least = 0;
    for (int round = 0; round < 2; round++) {
        Stage stage;
        CairnStatus status = set_stage(&stage, scene);
        if (cairn_is_ok(status)) {
            status = set_own_solver(&stage);
        }
        for (int frame = 1; cairn_is_ok(status) && frame <= last; frame++) {
            CairnStats stats;
            status = step(&stage, &stats);
            if (!cairn_is_ok(status)) {
                break;
            }
            if (round == 0 && frame > LEAD && stats.solve.iterations > most) {
                most = stats.solve.iterations;
                frames[AT_HARDEST] = frame - LEAD;
            }
            if (round == 0 && frame > STEPS && (frames[AT_QUIETEST] == 0 || stats.kinetic_energy < least)) {
                least = stats.kinetic_energy;
                frames[AT_QUIETEST] = frame;
            }
            for (int m = AT_HARDEST; round == 1 && m < MOMENT_COUNT; m++) {
                if (cairn_is_ok(status) && frame == frames[m]) {
                    status = keep_moment(&stage, (Moment)m);
                    printf("%s: %s after step %d\n", scene->name, moment_names[m], frame);
                }
            }
        }
        strike(&stage);
        CAIRN_TRY(status);
    }
    return cairn_ok();
}

// GOLDEN_SCENE="arch stir" looks at these alone; `name` ends at its first blank.
static bool is_chosen(const char *name) {
    const char *only = getenv("GOLDEN_SCENE");
    size_t length = strcspn(name, " ");
    if (!only) {
        return true;
    }
    for (only += strspn(only, " "); *only != '\0'; only += strcspn(only, " "), only += strspn(only, " ")) {
        if (strcspn(only, " ") == length && strncmp(only, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// ---- one line: scene, solver, law, and a hash for each moment ----

typedef struct Case {
    const CairnScene *scene;
    const CairnSolver *solver;
    CairnFrictionKind law;
    char line[LINE];
} Case;

static const char *law_name(CairnFrictionKind law) {
    return law == CAIRN_FRICTION_BOX ? "box" : "cone";
}

// Limits that keep a line cheap where a solver does not converge; what comes out of an unfinished solve is pinned as
// well.
static const struct {
    const char *solver, *options;
} limits[] = {{"pgs", "iterations=30"},          {"pgs-sm", "iterations=2,sweeps=3,subspace=2"},
              {"nnewton", "iterations=4"},       {"fbic", "kmax=1,iterations=10"},
              {"schur-pgs-sm", "iterations=20"}, {"ipm-cone", "iterations=40,path=20"},
              {"pgs-cg", "iterations=20"}};

static CairnStatus set_solver(CairnWorld *world, const CairnSolver *solver) {
    const CairnFieldTable *table = solver->options;
    void *options = calloc(1, table->size);
    if (!options) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "golden: no memory for options");
    }
    cairn_fields_preset(table, options);
    CairnStatus status = cairn_ok();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (strcmp(limits[i].solver, solver->name) == 0) {
            status = cairn_fields_parse(table, options, limits[i].options);
        }
    }
    status = cairn_is_ok(status) ? cairn_world_set_solver(world, solver, options) : status;
    free(options);
    return status;
}

// "refused" where the solver does not take the scene, "fails" where a step ends in an error, "unread" where the moment
// cannot be set up.
static void hash_of(const Case *one, Moment moment, char text[24]) {
    Stage stage;
    CairnStatus status = set_stage(&stage, one->scene);
    if (cairn_is_ok(status) && moment != AT_START) {
        status = go_to_moment(&stage, moment);
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_set(stage.run.world, "friction", law_name(one->law));
    }
    if (cairn_is_ok(status)) {
        status = set_solver(stage.run.world, one->solver);
    }
    snprintf(text, 24, "%s", cairn_is_ok(status) ? "" : UNREAD);
    for (int i = 0; cairn_is_ok(status) && i < STEPS; i++) {
        status = step(&stage, NULL);
        if (!cairn_is_ok(status)) {
            snprintf(text, 24, "%s", status.code == CAIRN_UNSUPPORTED ? "refused" : "fails");
            fprintf(stderr, "%s by %s, %s: %s\n", one->scene->name, one->solver->name, moment_names[moment],
                    status.message);
        }
    }
    if (cairn_is_ok(status)) {
        snprintf(text, 24, "%016" PRIx64, cairn_world_state_hash(stage.run.world));
    }
    strike(&stage);
}

static void fill(Case *one) {
    char hashes[MOMENT_COUNT][24];
    for (int m = 0; m < MOMENT_COUNT; m++) {
        hash_of(one, (Moment)m, hashes[m]);
    }
    snprintf(one->line, LINE, "%-18s %-13s %-4s %-16s %-16s %s", one->scene->name, one->solver->name,
             law_name(one->law), hashes[AT_START], hashes[AT_HARDEST], hashes[AT_QUIETEST]);
}

static int compute(Case *cases) {
    int count = 0;
    for (int i = 0; i < cairn_scene_count(); i++) {
        for (int s = 0; s < cairn_solver_count(); s++) {
            const CairnSolver *solver = cairn_solver_at(s);
            for (int cone = 0; cone < 2 && count < MOST_LINES; cone++) {
                unsigned needed = cone ? CAIRN_TAKES_CONE : CAIRN_TAKES_BOUNDS;
                // A solver that takes both laws is pinned under the cone, the others under the box.
                bool is_wanted = cone || !(solver->traits & CAIRN_TAKES_CONE);
                if ((solver->traits & needed) && is_wanted && is_chosen(cairn_scene_at(i)->name)) {
                    cases[count++] = (Case){.scene = cairn_scene_at(i),
                                            .solver = solver,
                                            .law = cone ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_BOX};
                }
            }
        }
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < count; i++) {
        fill(&cases[i]);
    }
    return count;
}

typedef struct Table {
    char (*lines)[LINE];
    int count;
} Table;

static Table read_table(void) {
    Table table = {.lines = calloc(MOST_LINES, LINE)};
    FILE *file = fopen(HASHES, "r");
    while (table.lines && file && table.count < MOST_LINES && fgets(table.lines[table.count], LINE, file)) {
        table.lines[table.count][strcspn(table.lines[table.count], "\n")] = '\0';
        table.count += table.lines[table.count][0] != '#';
    }
    if (file) {
        fclose(file);
    }
    return table;
}

// Scene, solver and law: what names a line.
static int key_length(const char *line) {
    int words = 0, at = 0;
    for (; line[at] != '\0' && words < 3; words++) {
        at += (int)strcspn(line + at, " ");
        at += (int)strspn(line + at, " ");
    }
    return at;
}

static const char *find_line(const Table *table, const char *line) {
    int length = key_length(line);
    for (int i = 0; i < table->count; i++) {
        if (strncmp(table->lines[i], line, (size_t)length) == 0) {
            return table->lines[i];
        }
    }
    return NULL;
}

// Prints each case whose line is not the kept one; returns how many there are.
static int compare(const Table *table, const Case *cases, int count) {
    int changed = 0;
    for (int i = 0; i < count; i++) {
        const char *kept = find_line(table, cases[i].line);
        if (!kept || strcmp(kept, cases[i].line) != 0) {
            fprintf(stderr, "kept  %s\nfound %s\n", kept ? kept : "nothing", cases[i].line);
            changed += 1;
        }
    }
    return changed;
}

static int renew(void) {
    Case *cases = calloc(MOST_LINES, sizeof *cases);
    Table table = read_table();
    int count = cases && table.lines ? compute(cases) : 0;
    int changed = compare(&table, cases, count), gone = 0;
    for (int i = 0; i < table.count; i++) {
        bool is_there = !is_chosen(table.lines[i]); // what is not looked at stays
        for (int k = 0; k < count; k++) {
            is_there = is_there || strncmp(cases[k].line, table.lines[i], (size_t)key_length(cases[k].line)) == 0;
        }
        if (!is_there) {
            printf("gone  %s\n", table.lines[i]);
            gone += 1;
        }
    }
    bool is_read = true; // a moment that cannot be read pins nothing
    for (int i = 0; i < count; i++) {
        is_read = is_read && !strstr(cases[i].line, UNREAD);
    }
    if (!is_read) {
        fprintf(stderr, "a kept moment cannot be read: make golden-moments\n");
    }
    FILE *file = count > 0 && is_read ? fopen(HASHES, "w") : NULL;
    if (file) {
        fprintf(file,
                "# Written by make golden-renew, read by tests/scenes/test_golden.c: the state hash %d steps after "
                "each moment.\n",
                STEPS);
        for (int i = 0; i < table.count; i++) {
            if (!is_chosen(table.lines[i])) {
                fprintf(file, "%s\n", table.lines[i]);
            }
        }
        for (int i = 0; i < count; i++) {
            fprintf(file, "%s\n", cases[i].line);
        }
        fclose(file);
    }
    printf("%s: %d lines, %d changed, %d gone\n", HASHES, count, changed, gone);
    free(cases);
    free(table.lines);
    return file ? 0 : 1;
}

static void motion_is_pinned(void **state) {
    (void)state;
#ifndef CAIRN_PORTABLE
    print_message("the golden hashes are those of PORTABLE=1: make golden\n");
    skip();
#endif
    Case *cases = calloc(MOST_LINES, sizeof *cases);
    Table table = read_table();
    assert_true(cases != NULL && table.count > 0);
    int count = compute(cases), changed = compare(&table, cases, count);
    bool is_whole = count == table.count || getenv("GOLDEN_SCENE") != NULL;
    free(cases);
    free(table.lines);
    if (changed > 0) {
        fail_msg("%d of %d lines of " HASHES " changed; if that is meant: make golden-renew", changed, count);
    }
    assert_true(is_whole);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--moments") == 0) {
        int failed = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : failed)
        for (int i = 0; i < cairn_scene_count(); i++) {
            CairnStatus status = is_chosen(cairn_scene_at(i)->name) ? choose_moments(cairn_scene_at(i)) : cairn_ok();
            if (!cairn_is_ok(status)) {
                fprintf(stderr, "%s: %s\n", cairn_scene_at(i)->name, status.message);
                failed += 1;
            }
        }
        if (failed > 0) {
            return 1;
        }
        return renew();
    }
    if (argc > 1 && strcmp(argv[1], "--renew") == 0) {
        return renew();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(motion_is_pinned)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
