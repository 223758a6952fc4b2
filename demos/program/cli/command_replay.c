// cairn replay: runs a recording again and reports whether the result is equal to the bit.
#include "demos/program/cli/output.h"
#include "demos/program/cli/program.h"
#include "demos/program/cli/progress.h"
#include "demos/program/formats/json.h"
#include "demos/program/recording/replay.h"
#include <cairn/version.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ReplayOptions {
    const char *path, *json;
    int threads, steps;
    bool is_quiet, wants_help, wants_view;
} ReplayOptions;

typedef struct Replay {
    ReplayOptions options;
    CairnRecording recording;
    CairnSession session;
    CairnDivergence divergence;
    int replayed;                 // frames
    double recorded_ms, ms;       // of all steps
    int recorded_sure, certified; // frames
    int recorded_audits, recorded_sound, sound;
} Replay;

static CairnStatus take_threads(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_MOST_THREADS, &((ReplayOptions *)target)->threads);
}

static CairnStatus take_steps(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_RUN_STEPS_MAX, &((ReplayOptions *)target)->steps);
}

static CairnStatus take_json(void *target, const char *value) {
    return cairn_parse_text(value, &((ReplayOptions *)target)->json);
}

static CairnStatus take_view(void *target, const char *value) {
    (void)value;
    ((ReplayOptions *)target)->wants_view = true;
    return cairn_ok();
}

static CairnStatus take_quiet(void *target, const char *value) {
    (void)value;
    ((ReplayOptions *)target)->is_quiet = true;
    return cairn_ok();
}

static CairnStatus take_help(void *target, const char *value) {
    (void)value;
    ((ReplayOptions *)target)->wants_help = true;
    return cairn_ok();
}

static CairnStatus take_path(void *target, const char *word) {
    ReplayOptions *options = target;
    if (options->path) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "one recording at a time: got '%s' and '%s'", options->path, word);
    }
    options->path = word;
    return cairn_ok();
}

static const CairnOption command_options[] = {
    {"--view", NULL, "in a window (as cairn view FILE)", take_view},
    {"--steps", "N", "no more than N steps", take_steps},
    {"--threads", "N", "threads that a step may use; the bits are the same for any number", take_threads},
    {"--json", "FILE", "write the results; - is the standard output", take_json},
    {"--quiet", NULL, "no progress bar; only say where it parts", take_quiet},
    {"--help", NULL, "this help", take_help},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

static void print_help(void) {
    printf(
        "cairn replay FILE [options]\n\nRun a recording (cairn run SCENE --record FILE) again, with what it was "
        "recorded with, and say whether every frame\nis the same to the bit, or which is the first that is not.\n\n");
    cairn_options_help(command_options, COMMAND_COUNT);
    printf(
        "\nExit codes: 0 the same, 1 it parts from the recording or a step failed, 2 wrong usage or no recording.\n");
}

static CairnStatus compare(Replay *replay, int frame) {
    if (replay->divergence.frame < 0 && !cairn_replay_agrees(&replay->recording, frame, replay->session.world)) {
        return cairn_replay_divergence(&replay->recording, frame, replay->session.world, &replay->divergence);
    }
    return cairn_ok();
}

static void add_audits(Replay *replay, const CairnRecordFrame *recorded) {
    const CairnAuditReport *audited = cairn_session_audited(&replay->session);
    replay->sound += audited && audited->is_sound;
    replay->recorded_audits += recorded->is_audited;
    replay->recorded_sound += recorded->is_audited && recorded->is_sound;
}

// It ends with the first frame that differs, since the later ones differ because of it.
static CairnStatus replay_frames(Replay *replay) {
    CairnRecording *recording = &replay->recording;
    int last = recording->count - 1;
    last = replay->options.steps > 0 && replay->options.steps < last ? replay->options.steps : last;
    CairnProgress progress =
        cairn_progress(replay->session.scene->name, last > 0 ? last : 1, !replay->options.is_quiet);
    CairnStatus status = cairn_ok();
    if (!recording->frames[0].key) { // else the build is not what it began with
        status = compare(replay, 0);
    }
    status = cairn_is_ok(status) ? cairn_replay_enter(recording, 0, &replay->session) : status;
    for (int frame = 1; frame <= last && replay->divergence.frame < 0 && cairn_is_ok(status); frame++) {
        CairnStats stats;
        status = cairn_session_step(&replay->session, &stats);
        if (!cairn_is_ok(status)) {
            status = cairn_error(status.code, "frame %d: %.200s", recording->first + frame, status.message);
            break;
        }
        replay->replayed = frame;
        replay->ms += 1e3 * stats.times.step;
        replay->recorded_ms += recording->frames[frame].step_ms;
        replay->certified += stats.residual.is_certified;
        replay->recorded_sure += recording->frames[frame].is_certified;
        add_audits(replay, &recording->frames[frame]);
        status = compare(replay, frame);
        status = cairn_is_ok(status) ? cairn_replay_enter(recording, frame, &replay->session) : status;
        cairn_progress_show(&progress, frame);
    }
    cairn_progress_end(&progress);
    return status;
}

static CairnStatus write_json(const Replay *replay) {
    FILE *file = NULL;
    CAIRN_TRY(cairn_output_open(replay->options.json, "--json", &file));
    CairnJson json = cairn_json(file);
    char hash[24];
    const CairnDivergence *divergence = &replay->divergence;
    cairn_json_open(&json, NULL, '{');
    cairn_json_text(&json, "scene", replay->session.scene->name);
    cairn_json_text(&json, "solver", replay->session.choice.text);
    cairn_json_text(&json, "recorded_by", replay->recording.version);
    cairn_json_text(&json, "version", cairn_version());
    cairn_json_integer(&json, "frames", replay->recording.count - 1);
    cairn_json_integer(&json, "replayed", replay->replayed);
    if (replay->recorded_audits > 0) {
        cairn_json_integer(&json, "recorded_sound_frames", replay->recorded_sound);
    }
    cairn_json_integer(&json, "sound_frames", replay->sound);
    cairn_json_integer(&json, "diverged_at", divergence->frame < 0 ? -1 : replay->recording.first + divergence->frame);
    if (divergence->frame >= 0) {
        snprintf(hash, sizeof hash, "0x%016" PRIx64, divergence->recorded);
        cairn_json_text(&json, "recorded_hash", hash);
        snprintf(hash, sizeof hash, "0x%016" PRIx64, divergence->found);
        cairn_json_text(&json, "found_hash", hash);
        cairn_json_number(&json, "distance", divergence->distance);
    }
    cairn_json_close(&json, '}');
    return cairn_output_close(replay->options.json, &file);
}

static void print_divergence(const Replay *replay) {
    const CairnDivergence *divergence = &replay->divergence;
    char where[120] = "the poses still agree to single precision";
    if (divergence->body >= 0) {
        snprintf(where, sizeof where, "body %d is farthest from its place, by %.3g m", divergence->body + 1,
                 divergence->distance);
    }
    fprintf(stderr,
            "cairn replay: %s parts from the recording at frame %d of %d: state 0x%016" PRIx64
            ", recorded 0x%016" PRIx64 "; %s\n",
            replay->session.scene->name, replay->recording.first + divergence->frame,
            replay->recording.first + replay->recording.count - 1, divergence->found, divergence->recorded, where);
    if (divergence->frame == 0 && replay->recording.first == 0) {
        fprintf(stderr, "cairn replay: the scene is built otherwise than it was\n");
    }
    if (strcmp(replay->recording.version, cairn_version()) != 0) {
        fprintf(stderr, "cairn replay: it was recorded by version %s, this is %s\n", replay->recording.version,
                cairn_version());
    }
    if (replay->recording.options.budget) {
        fprintf(stderr, "cairn replay: it was made with --budget-ms: such a run depends on the machine\n");
    }
}

static void print_summary(const Replay *replay) {
    int frames = replay->replayed > 0 ? replay->replayed : 1;
    printf("%s by %s: %d frames of %.6g s, from frame %d on\n", replay->session.scene->name,
           replay->recording.options.solver, replay->recording.count - 1, replay->session.dt, replay->recording.first);
    printf("  %-22s %12s %12s\n", "", "recorded", "now");
    printf("  %-22s %12.4f %12.4f\n", "step, ms", replay->recorded_ms / frames, replay->ms / frames);
    printf("  %-22s %12d %12d\n", "certified frames", replay->recorded_sure, replay->certified);
    char recorded[16] = "-";
    if (replay->recorded_audits > 0) {
        snprintf(recorded, sizeof recorded, "%d", replay->recorded_sound);
    }
    printf("  %-22s %12s %12d\n", "sound frames", recorded, replay->sound);
    if (replay->divergence.frame < 0) {
        printf("the same to the bit: %d of %d frames\n", replay->replayed, replay->recording.count - 1);
    }
}

static CairnStatus replay_file(Replay *replay) {
    CAIRN_TRY(cairn_recording_read(replay->options.path, &replay->recording));
    replay->recording.options.threads = replay->options.threads;
    replay->recording.options.needs_parts = true; // a hand may have changed to a solver that does
    CAIRN_TRY(cairn_session_open(&replay->recording.options, &replay->session));
    CAIRN_TRY(replay_frames(replay));
    if (!replay->options.is_quiet) {
        print_summary(replay);
    }
    if (replay->divergence.frame >= 0) {
        print_divergence(replay);
    }
    return replay->options.json ? write_json(replay) : cairn_ok();
}

static int view_file(const CairnLinked *linked, const char *path) {
    char name[] = "view", *words[] = {name, (char *)(uintptr_t)path, NULL};
    if (!linked->view) {
        return cairn_complain("replay", cairn_error(CAIRN_UNSUPPORTED, "option --view: this build has no viewer"));
    }
    return linked->view(2, words);
}

static int replay_command(const CairnLinked *linked, int argc, char **argv) {
    Replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        return cairn_complain("replay", cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options"));
    }
    replay->divergence.frame = -1;
    CairnStatus status = cairn_options_parse(command_options, COMMAND_COUNT, argc, argv, &replay->options, take_path);
    int code = CAIRN_EXIT_DONE;
    if (cairn_is_ok(status) && replay->options.wants_help) {
        print_help();
        free(replay);
        return code;
    }
    if (cairn_is_ok(status) && !replay->options.path) {
        status = cairn_error(CAIRN_INVALID_ARGUMENT, "which recording? cairn replay FILE");
    }
    if (cairn_is_ok(status) && replay->options.wants_view) {
        code = view_file(linked, replay->options.path);
        free(replay);
        return code;
    }
    status = cairn_is_ok(status) ? replay_file(replay) : status;
    code = !cairn_is_ok(status)            ? cairn_complain("replay", status)
           : replay->divergence.frame >= 0 ? CAIRN_EXIT_FAILED
                                           : CAIRN_EXIT_DONE;
    cairn_session_close(&replay->session);
    cairn_recording_close(&replay->recording);
    free(replay);
    return code;
}

const CairnCommand cairn_command_replay = {
    .name = "replay",
    .summary = "run a recording again and say whether the same comes of it",
    .run = replay_command,
};
