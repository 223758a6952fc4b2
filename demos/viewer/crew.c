#include "demos/viewer/crew_time.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lock(void *mutex) {
    SDL_LockMutex(mutex);
}

static void unlock(void *mutex) {
    SDL_UnlockMutex(mutex);
}

// ---- what a view's thread does; the mutex is not held ----

// Make a sight of the world as it is, and hand it over.
static void show(CairnCrewView *view, const CairnStats *stats, int frame, CairnStatus status) {
    CairnSight *sight = &view->sights[view->making];
    sight->frame = frame;
    sight->stats = *stats;
    sight->time = cairn_world_time(view->session.world);
    sight->status = status;
    snprintf(sight->solver, sizeof sight->solver, "%s", view->session.choice.solver->name);
    CairnStatus taken = cairn_sight_take(&view->maker, view->session.world, view->session.dt, sight);
    if (cairn_is_ok(status)) {
        sight->status = taken;
    }
    cairn_sight_judge(sight);
    SDL_LockMutex(view->crew->mutex);
    int ready = view->ready;
    view->ready = view->making;
    view->making = ready;
    view->is_fresh = true;
    view->done = frame;
    view->past_first = view->past.first;
    view->past_last = view->past.last;
    view->is_stopped = !cairn_is_ok(sight->status);
    SDL_UnlockMutex(view->crew->mutex);
}

static CairnStatus set_solver(CairnCrewView *view, const CairnSolver *solver) {
    CairnChoice choice;
    CAIRN_TRY(solver == view->first.solver ? cairn_choice_copy(&view->first, &choice)
                                           : cairn_choice_open(solver->name, "--solver", &choice));
    CairnStatus status = cairn_world_set_solver(view->session.world, choice.solver, choice.options);
    if (!cairn_is_ok(status)) {
        cairn_choice_close(&choice);
        return status;
    }
    cairn_choice_close(&view->session.choice);
    view->session.choice = choice;
    return cairn_ok();
}

static CairnStatus restart(CairnCrewView *view) {
    CairnChoice choice;
    bool is_replay = view->crew->recording && view->index == 0; // which brings its own solver
    CAIRN_TRY(cairn_choice_copy(is_replay ? &view->first : &view->session.choice, &choice));
    CairnSession session;
    CairnStatus status = cairn_session_open_with(view->crew->options, &choice, &session);
    cairn_choice_close(&choice);
    CAIRN_TRY(status);
    cairn_session_close(&view->session);
    view->session = session;
    return cairn_ok();
}

// Scripts go by the time alone, so the bodies' state is all that the others need.
static CairnStatus take_snapshot(CairnCrewView *view) {
    CairnCrew *crew = view->crew;
    size_t size = cairn_world_snapshot_size(view->session.world);
    crew->snapshot_size = 0; // until it is there
    if (size > crew->snapshot_capacity) {
        void *larger = realloc(crew->snapshot, size);
        if (!larger) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a snapshot of %zu bytes", size);
        }
        crew->snapshot = larger;
        crew->snapshot_capacity = size;
    }
    return cairn_world_snapshot(view->session.world, crew->snapshot, crew->snapshot_capacity, &crew->snapshot_size);
}

static void step(CairnCrewView *view, CairnStats *stats, int frame) {
    CairnStatus status = view->status = cairn_crew_step(view, stats, frame);
    show(view, stats, cairn_is_ok(status) ? frame + 1 : frame, status);
}

static void go(CairnCrewView *view, CairnStats *stats, int frame, int wanted) {
    CairnStatus status = view->status = cairn_crew_return(view, stats, wanted, &frame);
    show(view, stats, frame, status);
}

// A hand was taken in the state of this frame.
static void change(CairnCrewView *view, const CairnStats *stats, int frame, CairnStatus status) {
    status = cairn_is_ok(status) ? cairn_crew_pin(view, stats, frame) : status;
    view->status = status;
    show(view, stats, frame, status);
}

// ---- what it waits for; the mutex is held ----

static bool is_syncing(const CairnCrew *crew) {
    for (int i = 0; i < crew->view_count; i++) {
        if (crew->views[i].wants_sync) {
            return true;
        }
    }
    return false;
}

static bool is_going(const CairnCrew *crew) {
    for (int i = 0; i < crew->view_count; i++) {
        if (crew->views[i].wants_frame >= 0) {
            return true;
        }
    }
    return false;
}

static int slowest(const CairnCrew *crew) {
    int done = -1;
    for (int i = 0; i < crew->view_count; i++) {
        const CairnCrewView *view = &crew->views[i];
        if (!view->is_stopped && (done < 0 || view->done < done)) {
            done = view->done;
        }
    }
    return done < 0 ? crew->wanted : done;
}

// The first takes the snapshot when all others rest; they take it over when the first is through.
static bool may_sync(const CairnCrewView *view) {
    const CairnCrew *crew = view->crew;
    if (!view->wants_sync || (view->index > 0 && crew->views[0].wants_sync)) {
        return false;
    }
    for (int i = 0; view->index == 0 && i < crew->view_count; i++) {
        if (crew->views[i].is_busy) {
            return false;
        }
    }
    return true;
}

static bool may_step(const CairnCrewView *view) {
    const CairnCrew *crew = view->crew;
    return !view->is_stopped && !is_syncing(crew) && !is_going(crew) && view->done < crew->wanted &&
           view->done == slowest(crew);
}

static bool has_work(const CairnCrewView *view) {
    return view->wants_restart || view->wants_solver || view->wants_frame >= 0 || may_sync(view) || may_step(view);
}

// One thing of what there is to do, the mutex open while it lasts.
static void work(CairnCrewView *view, CairnStats *stats) {
    CairnCrew *crew = view->crew;
    bool restarts = view->wants_restart, syncs = !restarts && may_sync(view);
    int frame = view->done, wanted = restarts || syncs ? -1 : view->wants_frame;
    const CairnSolver *solver = restarts || syncs || wanted >= 0 ? NULL : view->wants_solver;
    view->is_busy = true;
    if (solver) {
        view->wants_solver = NULL;
    }
    SDL_UnlockMutex(crew->mutex);
    if (restarts) {
        CairnStatus status = restart(view);
        *stats = (CairnStats){.step_index = 0};
        status = cairn_is_ok(status) ? cairn_crew_begin(view, stats) : status;
        view->status = status;
        show(view, stats, cairn_is_ok(status) ? 0 : frame, status);
    } else if (syncs && view->index == 0) {
        CairnStatus status = take_snapshot(view);
        crew->snapshot_frame = frame;
        show(view, stats, frame, status);
    } else if (syncs) {
        CairnStatus status = cairn_world_restore(view->session.world, crew->snapshot, crew->snapshot_size);
        change(view, stats, cairn_is_ok(status) ? crew->snapshot_frame : frame, status);
    } else if (wanted >= 0) {
        go(view, stats, frame, wanted);
    } else if (solver) {
        change(view, stats, frame, set_solver(view, solver));
    } else {
        step(view, stats, frame);
    }
    SDL_LockMutex(crew->mutex);
    view->wants_restart = view->wants_restart && !restarts;
    view->wants_sync = view->wants_sync && !syncs;
    view->wants_frame = view->wants_frame == wanted ? -1 : view->wants_frame;
    view->is_busy = false;
}

static int run(void *data) {
    CairnCrewView *view = data;
    CairnCrew *crew = view->crew;
    CairnStats stats;
    memset(&stats, 0, sizeof stats);
    SDL_LockMutex(crew->mutex);
    while (!crew->is_ending) {
        if (has_work(view)) {
            work(view, &stats);
            SDL_CondBroadcast(crew->changed);
        } else {
            SDL_CondWait(crew->changed, crew->mutex);
        }
    }
    SDL_UnlockMutex(crew->mutex);
    return 0;
}

// ---- open and close ----

static const size_t past_limit = (size_t)256 << 20; // bytes of all views

static CairnStatus open_view(CairnCrew *crew, int index, int count, const CairnChoice *choice) {
    CairnCrewView *view = &crew->views[index];
    *view = (CairnCrewView){.crew = crew, .index = index, .making = 0, .ready = 1, .shown = 2, .wants_frame = -1};
    cairn_past_open(&view->past, past_limit / (size_t)count);
    crew->view_count = index + 1;
    CAIRN_TRY(choice ? cairn_session_open_with(crew->options, choice, &view->session)
                     : cairn_session_open(crew->options, &view->session));
    CAIRN_TRY(cairn_choice_copy(&view->session.choice, &view->first));
    const CairnCamera *camera = &view->session.scene->camera;
    double range = cairn_length(cairn_sub(camera->eye, camera->target));
    view->maker = (CairnSightMaker){
        .store = &crew->store, .lock = lock, .unlock = unlock, .guard = crew->mutex, .rod_width = 0.004 * range};
    CairnStats none = {.step_index = 0};
    CAIRN_TRY(cairn_crew_begin(view, &none));
    show(view, &none, 0, cairn_ok());
    return cairn_crew_look(crew, index)->status;
}

CairnStatus cairn_crew_open(CairnCrew *crew, const CairnRunOptions *options, const CairnChoice *choices, int count,
                            CairnRecording *recording) {
    *crew = (CairnCrew){.options = options, .recording = recording, .parted_at = -1};
    crew->mutex = SDL_CreateMutex();
    crew->changed = SDL_CreateCond();
    CairnStatus status = crew->mutex && crew->changed
                             ? cairn_geometry_open(&crew->store)
                             : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no mutex: %s", SDL_GetError());
    for (int i = 0; i < (count ? count : 1) && cairn_is_ok(status); i++) {
        status = open_view(crew, i, count ? count : 1, count ? &choices[i] : NULL);
    }
    if (cairn_is_ok(status) && options->record) {
        status = cairn_recorder_open(&crew->recorder, options->record, options, &crew->views[0].session);
    }
    if (!cairn_is_ok(status)) {
        cairn_crew_close(crew);
    }
    return status;
}

CairnStatus cairn_crew_start(CairnCrew *crew) {
    for (int i = 0; i < crew->view_count; i++) {
        crew->views[i].thread = SDL_CreateThread(run, "step", &crew->views[i]);
        if (!crew->views[i].thread) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no thread: %s", SDL_GetError());
        }
    }
    return cairn_ok();
}

// What could not be written of a recording is all that may go wrong here.
CairnStatus cairn_crew_close(CairnCrew *crew) {
    if (crew->mutex && crew->changed) {
        SDL_LockMutex(crew->mutex);
        crew->is_ending = true;
        SDL_CondBroadcast(crew->changed);
        SDL_UnlockMutex(crew->mutex);
    }
    for (int i = 0; i < crew->view_count; i++) {
        CairnCrewView *view = &crew->views[i];
        if (view->thread) {
            SDL_WaitThread(view->thread, NULL);
        }
        for (int k = 0; k < 3; k++) {
            cairn_sight_free(&view->sights[k]);
        }
        cairn_sight_maker_free(&view->maker);
        cairn_past_close(&view->past);
        cairn_choice_close(&view->first);
        cairn_session_close(&view->session);
    }
    CairnStatus status = cairn_recorder_close(&crew->recorder);
    cairn_geometry_close(&crew->store);
    free(crew->snapshot);
    if (crew->changed) {
        SDL_DestroyCond(crew->changed);
    }
    if (crew->mutex) {
        SDL_DestroyMutex(crew->mutex);
    }
    *crew = (CairnCrew){.options = NULL};
    return status;
}

// ---- asked by the window ----

int cairn_crew_done(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    int done = slowest(crew);
    SDL_UnlockMutex(crew->mutex);
    return done;
}

bool cairn_crew_is_idle(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    bool is_idle = true;
    for (int i = 0; i < crew->view_count; i++) {
        const CairnCrewView *view = &crew->views[i];
        is_idle = is_idle && !view->is_busy && !view->wants_sync && !has_work(view);
    }
    SDL_UnlockMutex(crew->mutex);
    return is_idle;
}

void cairn_crew_want(CairnCrew *crew, int frame) {
    SDL_LockMutex(crew->mutex);
    if (frame != crew->wanted) {
        crew->wanted = frame;
        SDL_CondBroadcast(crew->changed);
    }
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_restart(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    for (int i = 0; i < crew->view_count; i++) {
        crew->views[i].wants_restart = true;
        crew->views[i].wants_sync = false;
        crew->views[i].wants_frame = -1;
    }
    crew->wanted = 0;
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_sync(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    bool is_free = !is_syncing(crew);
    for (int i = 0; is_free && i < crew->view_count; i++) {
        crew->views[i].wants_sync = !crew->views[i].wants_restart && crew->view_count > 1;
    }
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_go(CairnCrew *crew, int frame) {
    SDL_LockMutex(crew->mutex);
    for (int i = 0; i < crew->view_count && frame >= 0; i++) {
        crew->views[i].wants_frame = crew->views[i].wants_restart ? -1 : frame;
    }
    crew->wanted = frame;
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_past(CairnCrew *crew, int index, int *first, int *last) {
    SDL_LockMutex(crew->mutex);
    *first = crew->views[index].past_first;
    *last = crew->views[index].past_last;
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_marks(CairnCrew *crew, int index, int from, int to, CairnCrewMark *marks, int count) {
    SDL_LockMutex(crew->mutex);
    const CairnCrewView *view = &crew->views[index];
    for (int i = 0; i < count; i++) {
        int low = from + (int)((long long)(to - from) * i / count),
            high = from + (int)((long long)(to - from) * (i + 1) / count);
        marks[i] = CAIRN_MARK_NONE;
        for (int frame = low; frame <= high && frame <= view->past_last; frame++) {
            if (frame >= view->past_first) {
                CairnCrewMark mark =
                    view->past.notes[frame].is_certified ? CAIRN_MARK_CERTIFIED : CAIRN_MARK_NOT_CERTIFIED;
                mark = crew->parted_at >= 0 && frame >= crew->parted_at ? CAIRN_MARK_PARTED : mark;
                marks[i] = mark > marks[i] ? mark : marks[i];
            }
        }
    }
    SDL_UnlockMutex(crew->mutex);
}

int cairn_crew_parted(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    int parted = crew->parted_at;
    SDL_UnlockMutex(crew->mutex);
    return parted;
}

void cairn_crew_choose(CairnCrew *crew, int view, const CairnSolver *solver) {
    SDL_LockMutex(crew->mutex);
    crew->views[view].wants_solver = solver;
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

const CairnSight *cairn_crew_look(CairnCrew *crew, int index) {
    CairnCrewView *view = &crew->views[index];
    SDL_LockMutex(crew->mutex);
    if (view->is_fresh) {
        int shown = view->shown;
        view->shown = view->ready;
        view->ready = shown;
        view->is_fresh = false;
    }
    SDL_UnlockMutex(crew->mutex);
    return &view->sights[view->shown];
}
