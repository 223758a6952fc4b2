#include "demos/viewer/crew_time.h"
#include <cairn/problem_file.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the recording that is shown, and the one that is made ----

// Where the first view shows a recording: whether it still does as it did.
static void follow(CairnCrewView *view, int frame) {
    CairnCrew *crew = view->crew;
    if (!crew->recording || view->index > 0 || frame >= crew->recording->count) {
        return;
    }
    bool is_entered = frame == 0 && crew->recording->frames[0].key;
    if (!is_entered && !cairn_replay_agrees(crew->recording, frame, view->session.world)) {
        SDL_LockMutex(crew->mutex);
        crew->diverged_at = crew->diverged_at < 0 || frame < crew->diverged_at ? frame : crew->diverged_at;
        SDL_UnlockMutex(crew->mutex);
    }
}

// A frame's index in the recording; negative: the recording begins later.
static int record_index(const CairnCrew *crew, int frame) {
    return crew->recorded_from < 0 ? frame : frame - crew->recorded_from;
}

static CairnStatus record(CairnCrewView *view, const CairnStats *stats, int frame) {
    CairnRecorder *recorder = &view->crew->recorder;
    if (view->index > 0 || !recorder->file) {
        return cairn_ok();
    }
    if (record_index(view->crew, frame) < recorder->count) { // the past again
        return cairn_ok();
    }
    return cairn_recorder_add(recorder, &view->session, stats);
}

void cairn_crew_report_saved(CairnCrew *crew, CairnStatus status, const char *path) {
    SDL_LockMutex(crew->mutex);
    snprintf(crew->saved_words, sizeof crew->saved_words, "%s%.180s", cairn_is_ok(status) ? "wrote " : "",
             cairn_is_ok(status) ? path : status.message);
    crew->saved_serial++;
    SDL_UnlockMutex(crew->mutex);
}

static void set_recording(CairnCrew *crew, bool is_recording) {
    SDL_LockMutex(crew->mutex);
    crew->is_recording = is_recording;
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_begin_recording(CairnCrewView *view, const CairnRunOptions *run, const char *path, int frame) {
    CairnCrew *crew = view->crew;
    CairnRunOptions run_options = *run;
    run_options.budget = NULL; // it stands in the solver's options, if the solver is still the one that it was given to
    CairnStatus status = crew->recording ? cairn_error(CAIRN_UNSUPPORTED, "this is a recording already")
                                         : cairn_recorder_open(&crew->recorder, path, &run_options, &view->session);
    crew->recorded_from = frame;
    set_recording(crew, crew->recorder.file != NULL);
    cairn_past_forget(&view->past, frame);
    if (!cairn_is_ok(status)) {
        cairn_crew_report_saved(crew, status, path);
    }
}

void cairn_crew_end_recording(CairnCrew *crew) {
    char path[CAIRN_RUN_PATH];
    snprintf(path, sizeof path, "%s", crew->recorder.path);
    CairnStatus status = cairn_recorder_close(&crew->recorder);
    set_recording(crew, false);
    cairn_crew_report_saved(crew, status, path);
}

// ---- forward ----

static void note(CairnCrewView *view, const CairnStats *stats) {
    SDL_LockMutex(view->crew->mutex);
    cairn_past_note(&view->past, &view->session, stats);
    SDL_UnlockMutex(view->crew->mutex);
}

CairnStatus cairn_crew_begin(CairnCrewView *view, const CairnStats *stats) {
    CairnCrew *crew = view->crew;
    cairn_past_forget(&view->past, -1);
    if (view->index == 0) {
        SDL_LockMutex(crew->mutex);
        crew->diverged_at = -1;
        SDL_UnlockMutex(crew->mutex);
    }
    follow(view, 0);
    if (crew->recording && view->index == 0) {
        CAIRN_TRY(cairn_replay_enter(crew->recording, 0, &view->session));
    }
    if (crew->recorder.file && view->index == 0 && crew->recorded_from >= 0) { // it may be another scene by now
        cairn_crew_end_recording(crew);
    }
    if (crew->recorder.file && view->index == 0) { // what was recorded is undone; the solver may be another one by now
        CAIRN_TRY(cairn_recorder_cut(&crew->recorder, 0));
        CAIRN_TRY(cairn_recorder_key(&crew->recorder, &view->session));
    }
    (void)cairn_past_store(&view->past, &view->session, stats,
                           0); // without memory the run goes on, but cannot go back
    note(view, stats);
    return cairn_ok();
}

static CairnStatus advance(CairnCrewView *view, CairnStats *stats, int frame) {
    CAIRN_TRY(cairn_session_step(&view->session, stats));
    const CairnPastKey *pinned = frame + 1 <= view->past.last ? cairn_past_pinned(&view->past, frame + 1) : NULL;
    return pinned ? cairn_past_enter(pinned, &view->session) : cairn_ok();
}

// Whether a hand was taken here when the recording was made, that is to be taken again.
static bool has_hand(const CairnCrewView *view, int frame) {
    const CairnRecording *recording = view->crew->recording;
    return recording && view->index == 0 && frame < recording->count && recording->frames[frame].key &&
           view->crew->diverged_at < 0;
}

CairnStatus cairn_crew_step(CairnCrewView *view, CairnStats *stats, int frame) {
    CairnStatus status = advance(view, stats, frame);
    bool is_new = frame >= view->past.last;
    const CairnAuditReport *audited = cairn_session_audited(&view->session);
    view->uncertified += is_new && (!cairn_is_ok(status) || !stats->residual.is_certified);
    view->unsound += is_new && (!cairn_is_ok(status) || !audited || !audited->is_sound);
    CAIRN_TRY(status);
    if (!is_new) {
        return cairn_ok();
    }
    follow(view, frame + 1);
    (void)cairn_past_store(&view->past, &view->session, stats, frame + 1);
    note(view, stats);
    CAIRN_TRY(record(view, stats, frame + 1));
    if (has_hand(view, frame + 1)) {
        CAIRN_TRY(cairn_replay_enter(view->crew->recording, frame + 1, &view->session));
        return cairn_past_pin(&view->past, &view->session, stats, frame + 1);
    }
    return cairn_ok();
}

CairnStatus cairn_crew_pin(CairnCrewView *view, const CairnStats *stats, int frame) {
    CairnRecorder *recorder = &view->crew->recorder;
    if (frame > view->past.last) { // another view's frame: nothing of the own past leads there
        (void)cairn_past_store(&view->past, &view->session, stats, frame);
        note(view, stats);
    } else {
        (void)cairn_past_pin(&view->past, &view->session, stats, frame);
    }
    if (view->index > 0 || !recorder->file) {
        return cairn_ok();
    }
    int index = record_index(view->crew, frame);
    if (index < 0) { // the run went back to before its first frame
        cairn_crew_end_recording(view->crew);
        return cairn_ok();
    }
    CAIRN_TRY(cairn_recorder_cut(recorder, index));
    return cairn_recorder_key(recorder, &view->session);
}

// ---- back ----

static bool has_other_wish(CairnCrewView *view, int frame) {
    SDL_LockMutex(view->crew->mutex);
    bool is_other =
        view->crew->is_ending || view->wants_restart || (view->wants_frame >= 0 && view->wants_frame != frame);
    SDL_UnlockMutex(view->crew->mutex);
    return is_other;
}

CairnStatus cairn_crew_return(CairnCrewView *view, CairnStats *stats, int frame, int *reached) {
    frame = frame > view->past.last ? view->past.last : frame < view->past.first ? view->past.first : frame;
    const CairnPastKey *key = cairn_past_start(&view->past, frame);
    // From where it stands, where no key is nearer.
    if (!key || *reached > frame || *reached < key->frame || !cairn_is_ok(view->status)) {
        if (!key) {
            return cairn_error(CAIRN_NOT_FOUND, "nothing is kept of frame %d", frame);
        }
        CAIRN_TRY(cairn_past_enter(key, &view->session));
        *stats = key->stats;
        *reached = key->frame;
    }
    while (*reached < frame && !has_other_wish(view, frame)) {
        CAIRN_TRY(advance(view, stats, *reached));
        ++*reached;
    }
    return cairn_ok();
}

// ---- the problem of a frame ----

CairnStatus cairn_crew_write_problem(const CairnCrewView *view, const char *path) {
    CairnProblem problem;
    const double *lambda;
    CairnSolveStart start;
    CAIRN_TRY(cairn_world_problem(view->session.world, &problem, &lambda));
    CAIRN_TRY(cairn_world_problem_start(view->session.world, &start));
    size_t size = cairn_problem_file_size(&problem, &start, lambda);
    void *bytes = malloc(size);
    CairnStatus status = bytes ? cairn_problem_file_write(&problem, &start, lambda, bytes, size)
                               : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    FILE *file = cairn_is_ok(status) ? fopen(path, "wb") : NULL;
    if (cairn_is_ok(status)) {
        bool is_good = file && fwrite(bytes, 1, size, file) == size;
        is_good = file && fclose(file) == 0 && is_good;
        status = is_good ? status : cairn_error(CAIRN_IO, "cannot write %.120s: %s", path, strerror(errno));
    }
    free(bytes);
    return status;
}
