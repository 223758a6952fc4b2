// The window's side of the crew: opening, asking and looking.
#include "demos/program/session/reserve.h"
#include "demos/viewer/crew_thread.h"
#include "demos/viewer/crew_time.h"
#include <stdio.h>
#include <stdlib.h>

static void lock(void *mutex) {
    SDL_LockMutex(mutex);
}

static void unlock(void *mutex) {
    SDL_UnlockMutex(mutex);
}

// ---- open and close ----

static CairnPlan plan_of(const CairnRunOptions *options) {
    CairnPlan plan = {.param_count = options->params.count, .seed = options->seed};
    snprintf(plan.scene, sizeof plan.scene, "%s", options->scene);
    for (int i = 0; i < options->params.count; i++) {
        snprintf(plan.params[i], sizeof plan.params[i], "%s", options->params.items[i]);
    }
    return plan;
}

static const size_t past_limit = (size_t)256 << 20; // bytes of all views

static void prepare(CairnCrew *crew, CairnCrewView *view, int index) {
    *view = (CairnCrewView){.crew = crew, .index = index, .making = 0, .ready = 1, .shown = 2, .wants_frame = -1};
    cairn_past_open(&view->past, past_limit / CAIRN_CREW_VIEWS);
    view->maker = (CairnSightMaker){.store = &crew->store, .lock = lock, .unlock = unlock, .guard = crew->mutex};
}

static CairnStatus open_view(CairnCrew *crew, int index, const CairnChoice *choice) {
    CairnCrewView *view = &crew->views[index];
    prepare(crew, view, index);
    crew->view_count = index + 1;
    CAIRN_TRY(choice ? cairn_session_open_with(crew->options, choice, &view->session)
                     : cairn_session_open(crew->options, &view->session));
    CAIRN_TRY(cairn_setup_take(&view->session, &view->first));
    const CairnCamera *camera = &view->session.scene->camera;
    view->maker.rod_width = 0.004 * cairn_length(cairn_sub(camera->eye, camera->target));
    CairnStats none = {.step_index = 0};
    CAIRN_TRY(cairn_crew_begin(view, &none));
    cairn_crew_show_first(view);
    return cairn_crew_look(crew, index)->status;
}

CairnStatus cairn_crew_open(CairnCrew *crew, const CairnRunOptions *options, const CairnChoice *choices, int count,
                            CairnRecording *recording) {
    *crew = (CairnCrew){.options = options, .plan = plan_of(options), .recording = recording, .diverged_at = -1};
    crew->mutex = SDL_CreateMutex();
    crew->changed = SDL_CreateCond();
    CairnStatus status = crew->mutex && crew->changed
                             ? cairn_drawn_mesh_open(&crew->store)
                             : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no mutex: %s", SDL_GetError());
    for (int i = 0; i < (count ? count : 1) && cairn_is_ok(status); i++) {
        status = open_view(crew, i, count ? &choices[i] : NULL);
    }
    if (cairn_is_ok(status) && options->record) {
        status = cairn_recorder_open(&crew->recorder, options->record, options, &crew->views[0].session);
        crew->recorded_from = -1;
        crew->is_recording = true;
    }
    if (!cairn_is_ok(status)) {
        cairn_crew_close(crew);
    }
    return status;
}

static CairnStatus start_view(CairnCrewView *view) {
    view->thread = SDL_CreateThread(cairn_crew_run, "step", view);
    return view->thread ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no thread: %s", SDL_GetError());
}

CairnStatus cairn_crew_start(CairnCrew *crew) {
    for (int i = 0; i < crew->view_count; i++) {
        CAIRN_TRY(start_view(&crew->views[i]));
    }
    return cairn_ok();
}

static void close_view(CairnCrewView *view) {
    if (view->thread) {
        SDL_WaitThread(view->thread, NULL);
    }
    for (int k = 0; k < 3; k++) {
        cairn_sight_free(&view->sights[k]);
    }
    cairn_sight_maker_free(&view->maker);
    cairn_past_close(&view->past);
    cairn_history_free(&view->history);
    cairn_setup_close(&view->first);
    if (view->wants_setup) {
        cairn_setup_close(view->wants_setup);
        free(view->wants_setup);
    }
    cairn_session_close(&view->session);
    view->crew = NULL;
    view->thread = NULL;
    view->wants_setup = NULL;
}

CairnStatus cairn_crew_close(CairnCrew *crew) {
    if (crew->mutex && crew->changed) {
        SDL_LockMutex(crew->mutex);
        crew->is_ending = true;
        SDL_CondBroadcast(crew->changed);
        SDL_UnlockMutex(crew->mutex);
    }
    for (int i = 0; i < CAIRN_CREW_VIEWS; i++) {
        if (crew->views[i].crew) {
            close_view(&crew->views[i]);
        }
    }
    CairnStatus status = cairn_recorder_close(&crew->recorder);
    cairn_drawn_mesh_close(&crew->store);
    free(crew->snapshot);
    free(crew->deeds);
    if (crew->changed) {
        SDL_DestroyCond(crew->changed);
    }
    if (crew->mutex) {
        SDL_DestroyMutex(crew->mutex);
    }
    *crew = (CairnCrew){.options = NULL};
    return status;
}

// ---- asking ----

static void call(CairnCrew *crew) {
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

int cairn_crew_done(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    int done = cairn_crew_slowest(crew);
    SDL_UnlockMutex(crew->mutex);
    return done;
}

bool cairn_crew_is_idle(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    bool is_idle = true;
    for (int i = 0; i < crew->view_count; i++) {
        const CairnCrewView *view = &crew->views[i];
        is_idle = is_idle && !view->is_busy && !view->wants_sync && !cairn_crew_has_work(view);
    }
    SDL_UnlockMutex(crew->mutex);
    return is_idle;
}

void cairn_crew_want(CairnCrew *crew, int frame) {
    SDL_LockMutex(crew->mutex);
    if (frame != crew->wanted) {
        crew->wanted = frame;
    }
    call(crew);
}

void cairn_crew_restart(CairnCrew *crew, const CairnPlan *plan) {
    SDL_LockMutex(crew->mutex);
    for (int i = 0; i < crew->view_count; i++) {
        crew->views[i].wants_restart = true;
        crew->views[i].wants_sync = false;
        crew->views[i].wants_pick = 0;
        crew->views[i].wants_frame = -1;
    }
    if (plan) {
        crew->plan = *plan;
    }
    crew->deed_count = 0;
    crew->wanted = 0;
    call(crew);
}

void cairn_crew_sync(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    bool is_free = true;
    for (int i = 0; i < crew->view_count; i++) {
        is_free = is_free && !crew->views[i].wants_sync;
    }
    for (int i = 0; is_free && i < crew->view_count; i++) {
        crew->views[i].wants_sync = !crew->views[i].wants_restart && crew->view_count > 1;
    }
    call(crew);
}

void cairn_crew_save(CairnCrew *crew, int view, CairnSave what, const char *path) {
    SDL_LockMutex(crew->mutex);
    snprintf(crew->views[view].save_path, sizeof crew->views[view].save_path, "%s", path);
    crew->views[view].wants_save = what;
    SDL_CondBroadcast(crew->changed);
    SDL_UnlockMutex(crew->mutex);
}

int cairn_crew_saved(CairnCrew *crew, char *words, size_t size) {
    SDL_LockMutex(crew->mutex);
    int serial = crew->saved_serial;
    snprintf(words, size, "%s", crew->saved_words);
    SDL_UnlockMutex(crew->mutex);
    return serial;
}

bool cairn_crew_is_recording(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    bool is_recording = crew->is_recording;
    SDL_UnlockMutex(crew->mutex);
    return is_recording;
}

void cairn_crew_go(CairnCrew *crew, int frame) {
    SDL_LockMutex(crew->mutex);
    int reached = 0;
    for (int i = 0; i < crew->view_count && frame >= 0; i++) {
        crew->views[i].wants_frame = crew->views[i].wants_restart ? -1 : frame;
        reached = crew->views[i].next_deed > reached ? crew->views[i].next_deed : reached;
    }
    crew->deed_count = reached; // what no view has done yet is given up
    crew->wanted = frame;
    call(crew);
}

void cairn_crew_lockstep(CairnCrew *crew, bool is_lockstep) {
    SDL_LockMutex(crew->mutex);
    crew->is_lockstep = is_lockstep;
    call(crew);
}

static CairnStatus hand_over(CairnCrewView *view, const CairnSetup *setup) {
    CairnSetup *copy = malloc(sizeof *copy);
    if (!copy) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a solver's options");
    }
    CairnStatus status = cairn_setup_copy(setup, copy);
    if (!cairn_is_ok(status)) {
        free(copy);
        return status;
    }
    if (view->wants_setup) {
        cairn_setup_close(view->wants_setup);
        free(view->wants_setup);
    }
    view->wants_setup = copy;
    return cairn_ok();
}

CairnStatus cairn_crew_set(CairnCrew *crew, int view, const CairnSetup *setup) {
    SDL_LockMutex(crew->mutex);
    CairnStatus status = hand_over(&crew->views[view], setup);
    call(crew);
    return status;
}

// Its thread makes the world, then waits for the first view's state.
CairnStatus cairn_crew_add(CairnCrew *crew, const CairnSetup *setup) {
    if (crew->view_count == CAIRN_CREW_VIEWS) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "viewer: at most %d views", (int)CAIRN_CREW_VIEWS);
    }
    CairnCrewView *view = &crew->views[crew->view_count];
    SDL_LockMutex(crew->mutex);
    bool is_leaving = view->crew && !view->is_gone;
    SDL_UnlockMutex(crew->mutex);
    if (is_leaving) {
        return cairn_error(CAIRN_UNSUPPORTED, "the view that was taken away still ends its step");
    }
    if (view->crew) {
        close_view(view);
    }
    prepare(crew, view, crew->view_count);
    CairnStatus status = cairn_setup_copy(setup, &view->first);
    if (cairn_is_ok(status)) {
        view->wants_restart = true;
        SDL_LockMutex(crew->mutex);
        crew->view_count++;
        for (int i = 0; i < crew->view_count; i++) { // the new one has to be made before it can take a state over
            crew->views[i].wants_sync = true;
        }
        call(crew);
        status = start_view(view);
    }
    return status;
}

void cairn_crew_remove(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    if (crew->view_count > 1) {
        CairnCrewView *view = &crew->views[--crew->view_count];
        view->wants_end = true;
        view->wants_sync = false;
    }
    call(crew);
}

void cairn_crew_look_for(CairnCrew *crew, const CairnSightWants *wants) {
    SDL_LockMutex(crew->mutex);
    const CairnSightWants *old = &crew->wants;
    bool is_same = old->joints == wants->joints && old->residuals == wants->residuals && old->body == wants->body &&
                   old->generation == wants->generation;
    crew->wants = *wants;
    for (int i = 0; !is_same && i < crew->view_count; i++) {
        crew->views[i].wants_look = true;
    }
    call(crew);
}

// ---- touching ----

static CairnStatus reserve_deed(CairnCrew *crew) {
    int needed = crew->deed_count + 1;
    return cairn_array_reserve(&crew->deeds, &crew->deed_capacity, needed, sizeof *crew->deeds)
               ? cairn_ok()
               : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d deeds", needed);
}

CairnStatus cairn_crew_do(CairnCrew *crew, const CairnDeed *deed) {
    SDL_LockMutex(crew->mutex);
    int frame = 0, reached = 0; // a drag that no view has done yet may be replaced by a newer one
    for (int i = 0; i < crew->view_count; i++) {
        const CairnCrewView *view = &crew->views[i];
        int next = view->wants_restart ? 0 : view->done + view->is_moving;
        bool goes_back = view->wants_frame >= 0 && view->wants_frame < view->done;
        next = goes_back ? view->wants_frame : next; // where it will be: paused, nothing else would come
        frame = next > frame && !view->is_stopped ? next : frame;
        reached = view->next_deed > reached ? view->next_deed : reached;
    }
    int last = crew->deed_count - 1;
    frame = last >= reached && crew->deeds[last].frame > frame ? crew->deeds[last].frame : frame; // in their order
    bool is_newer = last >= reached && deed->kind == CAIRN_DEED_DRAG && crew->deeds[last].kind == CAIRN_DEED_DRAG &&
                    crew->deeds[last].frame == frame;
    CairnStatus status = is_newer ? cairn_ok() : reserve_deed(crew);
    if (cairn_is_ok(status)) {
        crew->deed_count += !is_newer;
        crew->deeds[crew->deed_count - 1] = *deed;
        crew->deeds[crew->deed_count - 1].frame = frame;
    }
    call(crew);
    return status;
}

int cairn_crew_pick(CairnCrew *crew, int view, CairnVec3 from, CairnVec3 direction) {
    SDL_LockMutex(crew->mutex);
    int serial = ++crew->pick_serial;
    crew->views[view].wants_pick = serial;
    crew->views[view].ray_from = from;
    crew->views[view].ray_direction = direction;
    call(crew);
    return serial;
}

CairnPick cairn_crew_picked(CairnCrew *crew, int view) {
    SDL_LockMutex(crew->mutex);
    CairnPick pick = crew->views[view].picked;
    SDL_UnlockMutex(crew->mutex);
    return pick;
}

// ---- looking ----

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
                const CairnPastNote *past = &view->past.notes[frame];
                CairnCrewMark mark = !past->is_certified ? CAIRN_MARK_NOT_CERTIFIED
                                     : !past->is_sound   ? CAIRN_MARK_NOT_SOUND
                                                         : CAIRN_MARK_CERTIFIED;
                mark = crew->diverged_at >= 0 && frame >= crew->diverged_at ? CAIRN_MARK_DIVERGED : mark;
                marks[i] = mark > marks[i] ? mark : marks[i];
            }
        }
    }
    SDL_UnlockMutex(crew->mutex);
}

int cairn_crew_diverged_at(CairnCrew *crew) {
    SDL_LockMutex(crew->mutex);
    int diverged = crew->diverged_at;
    SDL_UnlockMutex(crew->mutex);
    return diverged;
}

int cairn_crew_history(CairnCrew *crew, int view, int first, int last, CairnMoment *moments) {
    SDL_LockMutex(crew->mutex);
    const CairnHistory *history = &crew->views[view].history;
    int found = 0;
    for (int frame = first; frame <= last; frame++) {
        const CairnMoment *moment = cairn_history_at(history, frame);
        if (moment) {
            moments[found++] = *moment;
        }
    }
    SDL_UnlockMutex(crew->mutex);
    return found;
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
