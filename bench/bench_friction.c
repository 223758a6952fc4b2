// What friction costs: the scenes of S0 and large_rock_pile under every law, each by the solver that a person gets who
// names none, beside box friction; and problems of others to 1e-4, 1e-6 and 1e-8 (friction_files.c).
//
// Each law drives a world of its own, and all laws of a scene go on in turns, a few frames each, so that a slow spell
// of the machine falls on all of them. Times are the processor's on one thread: a whole step's, and of a solve the part
// of it that the clock says. Ratios to box friction are over the frames that both have done. Memory is the most that
// the world ever had from its allocator, scratch the most that a step took of the arena within it.
//
// CAIRN_BENCH_SECONDS (10): of the processor, no frame of a scene and law begins later; CAIRN_BENCH_FRAMES (420): at
// most so many frames of a scene; CAIRN_BENCH_SCENES, CAIRN_BENCH_LAWS: only these, with commas between (box friction
// always runs); CAIRN_BENCH_PARTS: scenes, files.
#include "bench/bench.h"
#include "bench/friction_files.h"
#include "bench/ledger.h"
#include "bench/scene_runs.h"
#include "demos/program/compare/tally.h"
#include "demos/program/formats/json.h"
#include "demos/program/session/session.h"
#include "demos/scenes/scenes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAWS = CAIRN_FRICTION_KIND_COUNT, TURN = 8, FRAMES = 420, SECONDS = 10 };

static const char *const scenes[] = {"log_tower", "chain_wrap",    "chain_drop", "rock_pile",      "cable_spinner",
                                     "net_truck", "tandem_cranes", "bridge",     "large_rock_pile"};

// Most bytes up to a frame.
typedef struct Peak {
    size_t world, scratch;
} Peak;

// A scene under one law.
typedef struct Run {
    CairnFrictionKind law;
    CairnSession session;
    BenchLedger ledger;
    CairnAllocator counting;
    CairnAudit *audit;
    CairnTally tally;
    Peak *peaks; // frame by frame
    double seconds;
    bool is_cut;        // by the time
    CairnStatus ended;  // the step that could not be done
    CairnStatus broken; // the scene's check, at frame `broken_at` for the first time
    int broken_at;
} Run;

static CairnStatus open_run(const char *scene, CairnFrictionKind law, Run *run) {
    CairnRunOptions options = cairn_run_options();
    const CairnScene *found;
    CAIRN_TRY(cairn_scene_find(scene, &found));
    int most = (int)bench_setting("CAIRN_BENCH_FRAMES", FRAMES);
    run->law = law;
    run->counting = bench_ledger_open(&run->ledger);
    options.scene = scene;
    options.has_friction = true;
    options.friction = law;
    options.threads = 1;
    options.auditing = CAIRN_AUDITING_OFF; // the bench audits outside of what it times
    options.steps = most < found->steps ? most : found->steps;
    options.allocator = &run->counting;
    CAIRN_TRY(cairn_session_open(&options, &run->session));
    CAIRN_TRY(cairn_audit_create(run->session.world, &run->audit));
    CAIRN_TRY(cairn_tally_create(&run->tally, options.steps));
    run->peaks = calloc((size_t)options.steps, sizeof *run->peaks);
    return run->peaks != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %s", scene);
}

static void close_run(Run *run) {
    cairn_audit_destroy(run->audit);
    cairn_session_close(&run->session);
    cairn_tally_free(&run->tally);
    free(run->peaks);
}

static bool has_ended(const Run *run) {
    return run->is_cut || !cairn_is_ok(run->ended) || run->tally.frames == run->session.steps;
}

// One frame. A step that fails ends the run.
static CairnStatus step(Run *run) {
    CairnSession *session = &run->session;
    CairnStats stats;
    if (session->scene->script != NULL) {
        CAIRN_TRY(session->scene->script(&session->run, cairn_world_time(session->world)));
    }
    CAIRN_TRY(cairn_audit_begin(run->audit, session->world));
    double start = bench_cpu_now();
    run->ended = cairn_world_step(session->world, session->dt, &stats);
    double seconds = bench_cpu_now() - start;
    run->seconds += seconds;
    run->is_cut = run->seconds > bench_setting("CAIRN_BENCH_SECONDS", SECONDS);
    if (!cairn_is_ok(run->ended)) {
        return cairn_ok();
    }
    int frame = run->tally.frames + 1;
    CairnAuditDepth depth = frame % CAIRN_SESSION_AUDIT_EVERY == 0 ? CAIRN_AUDIT_FULL : CAIRN_AUDIT_FRAME;
    CAIRN_TRY(cairn_audit_end(run->audit, session->world, depth, &session->audited));
    stats.times.solve *= stats.times.step > 0 ? seconds / stats.times.step : 0;
    stats.times.step = seconds;
    cairn_tally_add(&run->tally, &stats, session->world, &session->audited);
    run->peaks[frame - 1] = (Peak){run->ledger.peak, stats.arena_bytes};
    if (cairn_is_ok(run->broken)) {
        run->broken = cairn_session_check(session, &stats);
        run->broken_at = frame;
    }
    return cairn_ok();
}

static CairnStatus play(Run *runs, int count) {
    for (bool is_running = true; is_running;) {
        is_running = false;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < TURN && !has_ended(&runs[i]); k++) {
                CAIRN_TRY(step(&runs[i]));
            }
            is_running = is_running || !has_ended(&runs[i]);
        }
    }
    return cairn_ok();
}

// ---- what is said of it ----

// A run beside box friction.
typedef struct Figures {
    CairnSpread solve, step;                         // ms
    double solve_ratio, step_ratio;                  // of the means
    double world_ratio, scratch_ratio;               // of the peaks
    double factors, factors_ratio, certified, sound; // mean; fractions
    Peak peak;
} Figures;

static double ratio(double value, double base) {
    return base > 0 ? value / base : 0;
}

static CairnStatus mean_of(const CairnTally *tally, int stage, int frames, double *mean) {
    CairnTally first = *tally;
    CairnSpread spread;
    first.frames = frames;
    CAIRN_TRY(cairn_tally_spread(&first, stage, &spread));
    *mean = spread.mean;
    return cairn_ok();
}

static CairnStatus compare(const Run *run, const Run *box, int stage, int frames, double *result) {
    double ours, theirs;
    CAIRN_TRY(mean_of(&run->tally, stage, frames, &ours));
    CAIRN_TRY(mean_of(&box->tally, stage, frames, &theirs));
    *result = ratio(ours, theirs);
    return cairn_ok();
}

static CairnStatus find_figures(const Run *run, const Run *box, Figures *f) {
    const CairnTally *tally = &run->tally;
    int frames = tally->frames < box->tally.frames ? tally->frames : box->tally.frames;
    *f = (Figures){.factors = cairn_tally_mean(tally, tally->factorizations)};
    if (frames == 0) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_tally_spread(tally, CAIRN_STAGE_SOLVE, &f->solve));
    CAIRN_TRY(cairn_tally_spread(tally, CAIRN_STAGE_STEP, &f->step));
    CAIRN_TRY(compare(run, box, CAIRN_STAGE_SOLVE, frames, &f->solve_ratio));
    CAIRN_TRY(compare(run, box, CAIRN_STAGE_STEP, frames, &f->step_ratio));
    f->certified = (double)tally->certified / tally->frames;
    f->sound = (double)tally->sound / tally->frames;
    f->peak = run->peaks[tally->frames - 1];
    const Peak *ours = &run->peaks[frames - 1], *theirs = &box->peaks[frames - 1];
    f->world_ratio = ratio((double)ours->world, (double)theirs->world);
    f->scratch_ratio = ratio((double)ours->scratch, (double)theirs->scratch);
    return cairn_ok();
}

static void print_head(FILE *file, const Run *box) {
    const CairnScene *scene = box->session.scene;
    fprintf(file, "\n%s, %d of its %d frames\n  %-12s %-8s %7s %32s %32s %12s %8s %8s %9s %16s %16s\n", scene->name,
            box->session.steps, scene->steps, "", "", "", "solve, ms", "whole step, ms", "factors", "certi-", "sound",
            "overlap", "memory, MB", "scratch, MB");
    fprintf(file, "  %-12s %-8s %7s %8s %7s %7s %7s %8s %7s %7s %7s %6s %5s %8s %8s %9s %9s %6s %9s %6s\n", "law",
            "solver", "frames", "mean", "p99", "max", "/ box", "mean", "p99", "max", "/ box", "mean", "max", "fied, %",
            "%", "mm", "", "/ box", "", "/ box");
}

static void print_run(FILE *file, const Run *run, const Figures *f) {
    const CairnTally *tally = &run->tally;
    fprintf(file, "  %-12s %-8s %7d %8.2f %7.1f %7.1f %7.2f %8.2f %7.1f %7.1f %7.2f %6.1f %5.0f %8.2f %8.2f",
            cairn_friction_name(run->law), run->session.choice.solver->name, tally->frames, f->solve.mean, f->solve.p99,
            f->solve.max, f->solve_ratio, f->step.mean, f->step.p99, f->step.max, f->step_ratio, f->factors,
            tally->factorizations.max, 100 * f->certified, 100 * f->sound);
    fprintf(file, " %9.4f %9.2f %6.2f %9.2f %6.2f\n", 1e3 * tally->penetration.max, 1e-6 * (double)f->peak.world,
            f->world_ratio, 1e-6 * (double)f->peak.scratch, f->scratch_ratio);
    char words[320];
    cairn_tally_finishers(tally, words, sizeof words);
    if (words[0] != '\0') {
        fprintf(file, "    answers computed by, frames: %s\n", words);
    }
    if (run->is_cut && tally->frames < run->session.steps) {
        fprintf(file, "    cut after frame %d: %.0f s (CAIRN_BENCH_SECONDS gives more)\n", tally->frames, run->seconds);
    }
    if (!cairn_is_ok(run->ended)) {
        fprintf(file, "    ended at frame %d: %s\n", tally->frames + 1, run->ended.message);
    }
    if (!cairn_is_ok(run->broken)) {
        fprintf(file, "    frame %d: %s\n", run->broken_at, run->broken.message);
    }
    if (tally->certified < tally->frames) {
        cairn_tally_verdict(tally, words, sizeof words);
        fprintf(file, "    %s\n", words);
    }
    if (tally->sound < tally->frames) {
        cairn_tally_soundness(tally, words, sizeof words);
        fprintf(file, "    %s\n", words);
    }
}

static void write_spread(CairnJson *json, const char *key, const CairnSpread *spread) {
    cairn_json_open(json, key, '{');
    cairn_json_number(json, "mean", spread->mean);
    cairn_json_number(json, "p99", spread->p99);
    cairn_json_number(json, "max", spread->max);
    cairn_json_close(json, '}');
}

static void write_run(CairnJson *json, const Run *run, const Figures *f) {
    const CairnTally *tally = &run->tally;
    cairn_json_open(json, NULL, '{');
    cairn_json_text(json, "law", cairn_friction_name(run->law));
    cairn_json_text(json, "solver", run->session.choice.solver->name);
    cairn_json_integer(json, "frames", tally->frames);
    cairn_json_integer(json, "frames_asked", run->session.steps);
    cairn_json_number(json, "certified_fraction", f->certified);
    cairn_json_number(json, "sound_fraction", f->sound);
    cairn_json_number(json, "solve_over_box", f->solve_ratio);
    cairn_json_number(json, "step_over_box", f->step_ratio);
    cairn_json_number(json, "memory_over_box", f->world_ratio);
    cairn_json_number(json, "scratch_over_box", f->scratch_ratio);
    write_spread(json, "solve_ms", &f->solve);
    write_spread(json, "step_ms", &f->step);
    cairn_json_number(json, "factors_mean", f->factors);
    cairn_json_number(json, "factors_max", tally->factorizations.max);
    cairn_json_number(json, "overlap_m", tally->penetration.max);
    cairn_json_integer(json, "memory_bytes", (long long)f->peak.world);
    cairn_json_integer(json, "scratch_bytes", (long long)f->peak.scratch);
    if (!cairn_is_ok(run->ended)) {
        cairn_json_event(json, "failed", tally->frames + 1, run->ended.message);
    }
    if (!cairn_is_ok(run->broken)) {
        cairn_json_event(json, "check_broke", run->broken_at, run->broken.message);
    }
    cairn_json_close(json, '}');
}

static CairnStatus report_runs(const Run *runs, int count, FILE *file, CairnJson *json) {
    print_head(file, &runs[0]);
    cairn_json_open(json, NULL, '{');
    cairn_json_text(json, "scene", runs[0].session.scene->name);
    cairn_json_open(json, "laws", '[');
    for (int i = 0; i < count; i++) {
        Figures figures;
        CAIRN_TRY(find_figures(&runs[i], &runs[0], &figures));
        print_run(file, &runs[i], &figures);
        write_run(json, &runs[i], &figures);
    }
    cairn_json_close(json, ']');
    cairn_json_close(json, '}');
    fflush(file);
    return cairn_ok();
}

static CairnStatus report_scene(const char *scene, FILE *file, CairnJson *json) {
    Run *runs = calloc(LAWS, sizeof *runs);
    int count = 0;
    CairnStatus status = runs != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %s", scene);
    for (int law = 0; law < LAWS && cairn_is_ok(status); law++) {
        if (law == CAIRN_FRICTION_BOX || bench_wants("CAIRN_BENCH_LAWS", cairn_friction_name((CairnFrictionKind)law))) {
            status = open_run(scene, (CairnFrictionKind)law, &runs[count++]);
        }
    }
    status = cairn_is_ok(status) ? play(runs, count) : status;
    status = cairn_is_ok(status) ? report_runs(runs, count, file, json) : status;
    for (int i = 0; i < count; i++) {
        close_run(&runs[i]);
    }
    free(runs);
    return status;
}

static CairnStatus report_scenes(FILE *file, CairnJson *json) {
    fprintf(file,
            "  at most %.0f frames of a scene (CAIRN_BENCH_FRAMES) and %.0f s of a scene and law "
            "(CAIRN_BENCH_SECONDS); one thread, ms of the processor; / box: over the frames that both did\n"
            "  asked: solves of cone 1.5 times the box's, of coulomb 2, memory 1.3; whole steps of 16.7 ms, none above "
            "100; all certified\n",
            bench_setting("CAIRN_BENCH_FRAMES", FRAMES), bench_setting("CAIRN_BENCH_SECONDS", SECONDS));
    fflush(file);
    cairn_json_open(json, "scenes", '[');
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (bench_wants("CAIRN_BENCH_SCENES", scenes[i])) {
            CAIRN_TRY(report_scene(scenes[i], file, json));
        }
    }
    cairn_json_close(json, ']');
    return cairn_ok();
}

static bool report(FILE *file, FILE *json_file) {
    CairnJson json = cairn_json(json_file);
    CairnStatus status = cairn_ok();
    cairn_json_open(&json, NULL, '{');
    cairn_json_text(&json, "name", "friction");
    if (bench_wants("CAIRN_BENCH_PARTS", "scenes")) {
        status = report_scenes(file, &json);
    }
    if (cairn_is_ok(status) && bench_wants("CAIRN_BENCH_PARTS", "files")) {
        status = bench_friction_files(file, &json);
    }
    cairn_json_close(&json, '}');
    if (!cairn_is_ok(status)) {
        fprintf(file, "  %s\n", status.message);
    }
    return cairn_is_ok(status);
}

const BenchSuite bench_friction = {
    .name = "friction",
    .summary = "every law of friction on scenes and on problems of others, beside box friction and Siconos",
    .report = report,
};
