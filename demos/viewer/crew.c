// The threads' side of the crew.
#include "demos/viewer/crash.h"
#include "demos/viewer/crew_thread.h"
#include "demos/viewer/crew_time.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what a view's thread does; the mutex is not held ----

// Make a sight of the world as it is, and hand it over.
static void show(CairnCrewView *view, const CairnStats *stats, int frame, CairnStatus status) {
    CairnCrew *crew = view->crew;
    CairnSight *sight = &view->sights[view->making];
    sight->frame = frame;
    sight->past_last = view->past.last;
    sight->stats = *stats;
    const CairnAuditReport *audited = stats->step_index > 0 ? cairn_session_audited(&view->session) : NULL;
    sight->is_audited = audited != NULL;
    sight->audited = audited ? *audited : (CairnAuditReport){.step_index = 0};
    sight->time = cairn_world_time(view->session.world);
    sight->status = status;
    snprintf(sight->scene, sizeof sight->scene, "%s", view->session.scene ? view->session.scene->name : "");
    sight->touch = view->touch;
    sight->serial = ++view->serial;
    snprintf(sight->solver, sizeof sight->solver, "%s",
             view->session.choice.solver ? view->session.choice.solver->name : "");
    SDL_LockMutex(crew->mutex);
    view->maker.wants = crew->wants;
    SDL_UnlockMutex(crew->mutex);
    CairnStatus taken = cairn_sight_take(&view->maker, view->session.world, view->session.dt, sight);
    if (cairn_is_ok(status)) {
        sight->status = taken;
    }
    cairn_sight_judge(sight);
    SDL_LockMutex(crew->mutex);
    int ready = view->ready;
    view->ready = view->making;
    view->making = ready;
    view->is_fresh = true;
    view->done = frame;
    view->is_moving = false;
    view->past_first = view->past.first;
    view->past_last = view->past.last;
    view->is_stopped = !cairn_is_ok(sight->status);
    SDL_UnlockMutex(crew->mutex);
}

void cairn_crew_show_first(CairnCrewView *view) {
    CairnStats none = {.step_index = 0};
    show(view, &none, 0, cairn_ok());
}

static CairnRunOptions options_of(const CairnCrew *crew, const CairnPlan *plan) {
    CairnRunOptions run = *crew->options;
    run.scene = plan->scene;
    run.seed = plan->seed;
    run.shot_count = 0; // checked when the first session was opened
    run.params.count = plan->param_count;
    for (int i = 0; i < plan->param_count; i++) {
        run.params.items[i] = plan->params[i];
    }
    return run;
}

static CairnStatus restart(CairnCrewView *view, const CairnPlan *plan, const CairnSetup *setup) {
    CairnRunOptions run = options_of(view->crew, plan);
    CairnSession session;
    CAIRN_TRY(cairn_session_open_with(&run, &setup->choice, &session));
    CairnStatus status = cairn_setup_use(setup, &session);
    if (!cairn_is_ok(status)) {
        cairn_session_close(&session);
        return status;
    }
    cairn_session_close(&view->session);
    view->session = session;
    view->touch = (CairnGrab){.is_held = false};
    cairn_sight_maker_reset(&view->maker);
    const CairnCamera *camera = &session.scene->camera;
    view->maker.rod_width = 0.004 * cairn_length(cairn_sub(camera->eye, camera->target));
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
    crew->snapshot_touch = view->touch;
    return cairn_world_snapshot(view->session.world, crew->snapshot, crew->snapshot_capacity, &crew->snapshot_size);
}

// The hand that holds a body of the first world holds the same one of this world.
static CairnStatus take_over(CairnCrewView *view) {
    const CairnCrew *crew = view->crew;
    CAIRN_TRY(cairn_world_restore(view->session.world, crew->snapshot, crew->snapshot_size));
    view->touch = crew->snapshot_touch;
    view->touch.body =
        cairn_grab_body(view->session.world, crew->snapshot_touch.body.index, crew->snapshot_touch.body.generation);
    return cairn_ok();
}

// A hand was taken in the state of this frame: what came after it will be another future.
static CairnStatus cut_future(CairnCrewView *view, const CairnStats *stats, int frame) {
    SDL_LockMutex(view->crew->mutex);
    cairn_history_cut(&view->history, frame);
    SDL_UnlockMutex(view->crew->mutex);
    return cairn_crew_pin(view, stats, frame);
}

static void change(CairnCrewView *view, const CairnStats *stats, int frame, CairnStatus status) {
    status = cairn_is_ok(status) ? cut_future(view, stats, frame) : status;
    view->status = status;
    show(view, stats, frame, status);
}

static void step(CairnCrewView *view, CairnStats *stats, int frame) {
    bool is_held = view->touch.is_held && frame >= view->past.last; // else it is as it was, hands included
    if (is_held) {
        cairn_grab_pull(&view->touch, view->session.world, view->session.dt);
    }
    const CairnSession *session = &view->session;
    cairn_crash_note(session->scene ? session->scene->name : "",
                     session->choice.solver ? session->choice.solver->name : "none", frame);
    CairnStatus status = cairn_crew_step(view, stats, frame);
    bool is_fine = cairn_is_ok(status);
    if (is_fine) {
        CairnMoment moment = cairn_moment(stats, frame + 1);
        SDL_LockMutex(view->crew->mutex);
        cairn_history_add(&view->history, &moment);
        SDL_UnlockMutex(view->crew->mutex);
    }
    view->status = is_fine && is_held ? cut_future(view, stats, frame + 1) : status;
    show(view, stats, is_fine ? frame + 1 : frame, view->status);
}

static void go(CairnCrewView *view, CairnStats *stats, int frame, int wanted) {
    view->touch = (CairnGrab){.is_held = false};
    view->status = cairn_crew_return(view, stats, wanted, &frame);
    show(view, stats, frame, view->status);
}

static CairnPick look_along(const CairnCrewView *view, int serial, CairnVec3 from, CairnVec3 direction) {
    CairnRayHit hit;
    CairnBodyState state;
    CairnPick pick = {.serial = serial};
    CairnFilter all = {UINT64_MAX, UINT64_MAX};
    const CairnWorld *world = view->session.world;
    CairnStatus status = cairn_world_ray_cast(world, from, direction, 1e6, all, &hit, &pick.has_hit);
    if (!cairn_is_ok(status) || !pick.has_hit || !cairn_is_ok(cairn_body_get(world, hit.body, &state))) {
        pick.has_hit = false;
        return pick;
    }
    pick.point = hit.point;
    pick.body = hit.body;
    pick.is_dynamic = state.type == CAIRN_BODY_DYNAMIC;
    return pick;
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

int cairn_crew_slowest(const CairnCrew *crew) {
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
           view->done == cairn_crew_slowest(crew);
}

// Is there a deed of this frame that is not done?
static bool may_act(const CairnCrewView *view) {
    const CairnCrew *crew = view->crew;
    int next = view->next_deed;
    return !view->wants_restart && !view->wants_sync && next < crew->deed_count &&
           crew->deeds[next].frame <= view->done;
}

bool cairn_crew_has_work(const CairnCrewView *view) {
    return view->wants_restart || view->wants_setup || view->wants_frame >= 0 || view->wants_pick || view->wants_save ||
           may_sync(view) || may_act(view) || view->wants_look || may_step(view);
}

typedef enum Job { JOB_RESTART, JOB_SYNC, JOB_GO, JOB_SETUP, JOB_PICK, JOB_SAVE, JOB_ACT, JOB_LOOK, JOB_STEP } Job;

static Job next_job(const CairnCrewView *view) {
    return view->wants_restart      ? JOB_RESTART
           : may_sync(view)         ? JOB_SYNC
           : view->wants_frame >= 0 ? JOB_GO
           : view->wants_setup      ? JOB_SETUP
           : view->wants_pick       ? JOB_PICK
           : view->wants_save       ? JOB_SAVE
           : may_act(view)          ? JOB_ACT
           : view->wants_look       ? JOB_LOOK
                                    : JOB_STEP;
}

// ---- one thing of what there is to do; the mutex is held before and after, and open while it lasts ----

static void drop(CairnSetup *setup) {
    if (setup) {
        cairn_setup_close(setup);
        free(setup);
    }
}

static void work_setup(CairnCrewView *view, CairnStats *stats) {
    CairnSetup *setup = view->wants_setup;
    int frame = view->done;
    view->wants_setup = NULL;
    SDL_UnlockMutex(view->crew->mutex);
    change(view, stats, frame, cairn_setup_use(setup, &view->session));
    drop(setup);
    SDL_LockMutex(view->crew->mutex);
}

// With the requested setup, or the present one; a replay uses the setup of its recording.
static void work_restart(CairnCrewView *view, CairnStats *stats) {
    CairnCrew *crew = view->crew;
    CairnPlan plan = crew->plan;
    CairnSetup *wanted = view->wants_setup, setup;
    bool is_replay = crew->recording && view->index == 0;
    view->wants_setup = NULL;
    view->wants_restart = false;
    view->done = view->next_deed = 0;
    cairn_history_cut(&view->history, 0);
    SDL_UnlockMutex(crew->mutex);
    CairnStatus status = is_replay || !view->session.world ? cairn_setup_copy(wanted ? wanted : &view->first, &setup)
                         : wanted                          ? cairn_setup_copy(wanted, &setup)
                                                           : cairn_setup_take(&view->session, &setup);
    if (cairn_is_ok(status)) {
        status = restart(view, &plan, &setup);
        cairn_setup_close(&setup);
    }
    drop(wanted);
    memset(stats, 0, sizeof *stats);
    view->status = cairn_is_ok(status) ? cairn_crew_begin(view, stats) : status;
    show(view, stats, 0, view->status);
    SDL_LockMutex(crew->mutex);
}

static void work_sync(CairnCrewView *view, CairnStats *stats) {
    CairnCrew *crew = view->crew;
    int frame = view->done;
    if (view->index == 0) {
        crew->snapshot_frame = frame;
        crew->snapshot_deed = view->next_deed;
    } else {
        view->next_deed = crew->snapshot_deed;
    }
    SDL_UnlockMutex(crew->mutex);
    if (view->index == 0) {
        view->status = take_snapshot(view);
        show(view, stats, frame, view->status);
    } else {
        CairnStatus status = take_over(view);
        change(view, stats, cairn_is_ok(status) ? crew->snapshot_frame : frame, status);
    }
    SDL_LockMutex(crew->mutex);
    view->wants_sync = false;
}

static void work_pick(CairnCrewView *view) {
    int serial = view->wants_pick;
    CairnVec3 from = view->ray_from, direction = view->ray_direction;
    view->wants_pick = 0;
    SDL_UnlockMutex(view->crew->mutex);
    CairnPick pick = look_along(view, serial, from, direction);
    SDL_LockMutex(view->crew->mutex);
    view->picked = pick;
}

static void work_save(CairnCrewView *view) {
    char path[160];
    CairnSave what = view->wants_save;
    snprintf(path, sizeof path, "%s", view->save_path);
    view->wants_save = CAIRN_SAVE_NOTHING;
    CairnPlan plan = view->crew->plan;
    int frame = view->done;
    SDL_UnlockMutex(view->crew->mutex);
    if (what == CAIRN_SAVE_PROBLEM) {
        cairn_crew_report_saved(view->crew, cairn_crew_write_problem(view, path), path);
    } else if (view->crew->recorder.file) {
        cairn_crew_end_recording(view->crew);
    } else {
        CairnRunOptions run = options_of(view->crew, &plan);
        cairn_crew_begin_recording(view, &run, path, frame);
    }
    SDL_LockMutex(view->crew->mutex);
}

static void work_act(CairnCrewView *view, CairnStats *stats) {
    CairnCrew *crew = view->crew;
    int frame = view->done;
    while (may_act(view)) {
        CairnDeed deed = crew->deeds[view->next_deed++];
        SDL_UnlockMutex(crew->mutex);
        cairn_grab_do(&view->touch, view->session.world, &deed);
        SDL_LockMutex(crew->mutex);
    }
    bool is_stopped = view->is_stopped;
    SDL_UnlockMutex(crew->mutex);
    if (!is_stopped) { // its words stay
        change(view, stats, frame, cairn_ok());
    }
    SDL_LockMutex(crew->mutex);
}

// In lockstep all go on from the first one's state when the last one has reached the frame.
static void meet(CairnCrew *crew, int frame) {
    bool is_due = crew->is_lockstep && crew->view_count > 1 && !is_syncing(crew);
    for (int i = 0; i < crew->view_count; i++) {
        is_due = is_due && (crew->views[i].is_stopped || crew->views[i].done == frame);
    }
    for (int i = 0; is_due && i < crew->view_count; i++) {
        crew->views[i].wants_sync = !crew->views[i].wants_restart;
    }
}

static void work(CairnCrewView *view, CairnStats *stats) {
    CairnCrew *crew = view->crew;
    Job job = next_job(view);
    int frame = view->done;
    view->is_busy = true;
    view->is_moving = job == JOB_STEP || job == JOB_GO;
    if (job == JOB_SETUP) {
        work_setup(view, stats);
    } else if (job == JOB_RESTART) {
        work_restart(view, stats);
    } else if (job == JOB_SYNC) {
        work_sync(view, stats);
    } else if (job == JOB_GO) {
        int wanted = view->wants_frame;
        SDL_UnlockMutex(crew->mutex);
        go(view, stats, frame, wanted);
        SDL_LockMutex(crew->mutex);
        view->wants_frame = view->wants_frame == wanted ? -1 : view->wants_frame;
    } else if (job == JOB_PICK) {
        work_pick(view);
    } else if (job == JOB_SAVE) {
        work_save(view);
    } else if (job == JOB_ACT) {
        work_act(view, stats);
    } else {
        view->wants_look = view->wants_look && job != JOB_LOOK;
        SDL_UnlockMutex(crew->mutex);
        if (job == JOB_LOOK) {
            show(view, stats, frame, view->status);
        } else {
            step(view, stats, frame);
        }
        SDL_LockMutex(crew->mutex);
        if (job == JOB_STEP) {
            meet(crew, view->done);
        }
    }
    view->is_busy = view->is_moving = false;
}

// To those that draw. Not as far as it goes: beside other work of the machine's, steps of the lowest priority come a
// few a second.
static void yield_processor(void) {
#ifdef __linux__
    SDL_LinuxSetThreadPriority(0, 10); // of the thread that calls: nice 10, and not SDL's 19
#else
    SDL_SetThreadPriority(SDL_THREAD_PRIORITY_LOW);
#endif
}

int cairn_crew_run(void *data) {
    CairnCrewView *view = data;
    CairnCrew *crew = view->crew;
    CairnStats stats;
    memset(&stats, 0, sizeof stats);
    if (crew->yields) {
        yield_processor();
    }
    SDL_LockMutex(crew->mutex);
    while (!crew->is_ending && !view->wants_end) {
        if (cairn_crew_has_work(view)) {
            work(view, &stats);
            SDL_CondBroadcast(crew->changed);
        } else {
            SDL_CondWait(crew->changed, crew->mutex);
        }
    }
    view->is_gone = true;
    SDL_UnlockMutex(crew->mutex);
    return 0;
}
