// cairn run: a scene headless, with pictures, a table, JSON and CSV.
#include "demos/program/cli/output.h"
#include "demos/program/cli/program.h"
#include "demos/program/cli/progress.h"
#include "demos/program/compare/report.h"
#include "demos/program/recording/recording.h"
#include "demos/program/render/render_scene.h"
#include "demos/program/render/video.h"
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    CairnRunOptions options;
    CairnSession session;
    CairnTally tally;
    FILE *json, *csv;
    CairnRecorder recorder;
    CairnVideo video;
    CairnStatus broken; // the first invariant of the scene that did not hold
    int broken_frame;
} Run;

static CairnStatus draw(const Run *run, int frame, const CairnStats *stats, CairnImage *image) {
    char caption[160], verdict[80] = "before the first step";
    snprintf(caption, sizeof caption, "%s   frame %d   t = %.3f s   %s", run->session.scene->name, frame,
             cairn_world_time(run->session.world), run->session.choice.solver->name);
    if (frame > 0 && stats->residual.is_certified) {
        snprintf(verdict, sizeof verdict, "certified");
    } else if (frame > 0) {
        snprintf(verdict, sizeof verdict, "NOT certified: %.1e m/s", stats->residual.scaled);
    }
    CairnPicture picture = {.width = run->options.width,
                            .height = run->options.height,
                            .camera = run->session.scene->camera,
                            .caption = caption,
                            .verdict = verdict,
                            .is_good = frame == 0 || stats->residual.is_certified};
    return cairn_picture_draw(run->session.world, &picture, image);
}

static CairnStatus take_pictures(Run *run, int frame, const CairnStats *stats) {
    bool is_filmed = run->video.is_open && frame % cairn_video_stride(run->session.dt) == 0, is_due = is_filmed;
    for (int i = 0; i < run->options.shot_count; i++) {
        is_due = is_due || run->options.shots[i].frame == frame;
    }
    CairnImage image;
    if (!is_due) {
        return cairn_ok();
    }
    CAIRN_TRY(draw(run, frame, stats, &image));
    CairnStatus status = is_filmed ? cairn_video_add(&run->video, &image) : cairn_ok();
    for (int i = 0; i < run->options.shot_count && cairn_is_ok(status); i++) {
        if (run->options.shots[i].frame == frame) {
            status = cairn_image_write_png(&image, run->options.shots[i].path);
        }
    }
    cairn_image_free(&image);
    return status;
}

static CairnStatus run_frames(Run *run) {
    CairnStats stats;
    memset(&stats, 0, sizeof stats);
    CairnProgress progress = cairn_progress(run->session.scene->name, run->session.steps, !run->options.is_quiet);
    CairnStatus status = take_pictures(run, 0, &stats);
    for (int frame = 1; frame <= run->session.steps && cairn_is_ok(status); frame++) {
        status = cairn_session_step(&run->session, &stats);
        if (!cairn_is_ok(status)) {
            status = cairn_error(status.code, "frame %d: %s", frame, status.message);
            break;
        }
        cairn_tally_add(&run->tally, &stats, run->session.world);
        if (cairn_is_ok(run->broken)) {
            run->broken = cairn_session_check(&run->session, &stats);
            run->broken_frame = frame;
        }
        if (run->csv) {
            cairn_report_csv_line(run->csv, &stats);
            fputc('\n', run->csv);
        }
        status = run->options.record ? cairn_recorder_add(&run->recorder, &run->session, &stats) : cairn_ok();
        status = cairn_is_ok(status) ? take_pictures(run, frame, &stats) : status;
        cairn_progress_show(&progress, frame);
    }
    cairn_progress_end(&progress);
    return status;
}

static CairnStatus run_scene(Run *run) {
    const CairnRunOptions *options = &run->options;
    CAIRN_TRY(cairn_run_options_check_shots(options));
    CAIRN_TRY(cairn_session_open(options, &run->session));
    CAIRN_TRY(cairn_tally_create(&run->tally, run->session.steps));
    CAIRN_TRY(cairn_output_open(options->json, "--json", &run->json));
    CAIRN_TRY(cairn_output_open(options->csv, "--csv", &run->csv));
    if (run->csv) {
        cairn_report_csv_head(run->csv);
        fputc('\n', run->csv);
    }
    if (options->record) {
        CAIRN_TRY(cairn_recorder_open(&run->recorder, options->record, options, &run->session));
    }
    if (options->video) {
        CAIRN_TRY(cairn_video_open(&run->video, options->video, options->width, options->height,
                                   cairn_video_rate(run->session.dt)));
    }
    CAIRN_TRY(run_frames(run));
    if (run->json) {
        CairnJson json = cairn_json(run->json);
        cairn_json_open(&json, NULL, '{');
        CAIRN_TRY(cairn_report_json(&json, &run->session, &run->session.choice, &run->tally));
        if (!cairn_is_ok(run->broken)) {
            cairn_json_event(&json, "check_broke", run->broken_frame, run->broken.message);
        }
        cairn_json_close(&json, '}');
    }
    if (!options->is_quiet) {
        // JSON or CSV on the standard output must stay alone there.
        FILE *table = run->json == stdout || run->csv == stdout ? stderr : stdout;
        CAIRN_TRY(cairn_report_table(table, &run->session, &run->tally));
    }
    return cairn_ok();
}

static int exit_code(const Run *run) {
    int code = CAIRN_EXIT_DONE;
    if (!cairn_is_ok(run->broken)) {
        fprintf(stderr, "cairn run: frame %d: the scene's check broke: %s\n", run->broken_frame, run->broken.message);
        code = CAIRN_EXIT_FAILED;
    }
    if (run->options.needs_certified && run->tally.certified < run->tally.frames) {
        char verdict[320];
        cairn_tally_verdict(&run->tally, verdict, sizeof verdict);
        fprintf(stderr, "cairn run: %s\n", verdict);
        code = CAIRN_EXIT_FAILED;
    }
    return code;
}

static int help_scene(const char *name) {
    CairnSource source;
    CairnStatus status = cairn_source_open(name, &source);
    if (!cairn_is_ok(status)) {
        return cairn_complain("run", status);
    }
    const CairnScene *scene = source.scene;
    printf("%s: %s\n%s\n\n%d steps of %.6g s by default. Parameters (--param name=value):\n", scene->name,
           scene->summary, scene->watch, scene->steps, scene->step);
    for (int i = 0; i < scene->params.count; i++) {
        char line[300];
        cairn_fields_help(&scene->params.fields[i], line, sizeof line);
        printf("%s\n", line);
    }
    if (scene->params.count == 0) {
        printf("  none\n");
    }
    cairn_source_close(&source);
    return CAIRN_EXIT_DONE;
}

static int run_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    Run *run = calloc(1, sizeof *run); // the lists of options are too large for a small stack
    if (!run) {
        return cairn_complain("run", cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options"));
    }
    int code;
    CairnStatus status = cairn_run_options_parse(argc, argv, &run->options);
    if (cairn_is_ok(status) && run->options.wants_help) {
        code = CAIRN_EXIT_DONE;
        if (run->options.scene) {
            code = help_scene(run->options.scene);
        } else {
            cairn_run_options_help();
        }
        free(run);
        return code;
    }
    status = cairn_is_ok(status) ? run_scene(run) : status;
    CairnStatus json = cairn_output_close(run->options.json, &run->json),
                csv = cairn_output_close(run->options.csv, &run->csv), record = cairn_recorder_close(&run->recorder),
                video = cairn_video_close(&run->video);
    status = !cairn_is_ok(status)   ? status
             : !cairn_is_ok(json)   ? json
             : !cairn_is_ok(csv)    ? csv
             : !cairn_is_ok(record) ? record
                                    : video;
    if (cairn_is_ok(status) && run->options.video && !run->options.is_quiet) {
        char words[2 * CAIRN_RUN_PATH + 120];
        cairn_video_words(&run->video, words, sizeof words);
        fprintf(stderr, "%s\n", words);
    }
    code = cairn_is_ok(status) ? exit_code(run) : cairn_complain("run", status);
    cairn_tally_free(&run->tally);
    cairn_session_close(&run->session);
    free(run);
    return code;
}

const CairnCommand cairn_command_run = {
    .name = "run",
    .summary = "run a scene headless: progress bar, table, JSON, CSV, pictures",
    .run = run_command,
};
