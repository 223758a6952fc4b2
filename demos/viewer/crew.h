// Crew: the threads that step. Each view is a copy of the scene with a solver and a thread of its own; all go through the frames
// together, so that a slow solver does not fall behind the others. The window asks and looks, and never waits for a step.
#ifndef CAIRN_VIEWER_CREW_H
#define CAIRN_VIEWER_CREW_H

#include "demos/program/replay.h"
#include "demos/program/session.h"
#include "demos/viewer/past.h"
#include "demos/viewer/sight.h"
#include <SDL2/SDL.h>

enum { CAIRN_CREW_VIEWS = 4 };

typedef struct CairnCrewView {
    struct CairnCrew *crew;
    int index;
    CairnSession session; // its thread's alone while that runs
    CairnChoice first;    // the solver and options that it was opened with
    CairnSightMaker maker;
    CairnPast past; // its thread's alone; the notes under the lock
    int past_first, past_last;
    CairnSight sights[3]; // one is made, one is ready, one is shown
    int making, ready, shown;
    bool is_fresh; // `ready` is newer than `shown`
    SDL_Thread *thread;
    // asked for, done by its thread between two steps
    bool wants_restart, wants_sync;
    int wants_frame; // of the past; -1: none
    const CairnSolver *wants_solver;
    bool is_busy, is_stopped;
    CairnStatus status; // of the last step; its thread's alone
    int done;           // frames
    int uncertified;    // steps; its thread's alone while that runs
} CairnCrewView;

typedef struct CairnCrew {
    const CairnRunOptions *options;
    CairnCrewView views[CAIRN_CREW_VIEWS];
    int view_count;
    CairnGeometryStore store;
    SDL_mutex *mutex;
    SDL_cond *changed;
    bool is_ending;
    int wanted;     // step up to this frame
    void *snapshot; // of the first view, for the others
    size_t snapshot_size, snapshot_capacity;
    int snapshot_frame;
    CairnRecording *recording; // that the first view runs again; NULL: none
    int parted_at;             // the first frame in which it did not do the same; -1: none
    CairnRecorder recorder;    // of the first view
} CairnCrew;

// A view for each choice; the scene is built before this returns, the threads wait. `recording` is NULL or what the first view runs
// again.
CairnStatus cairn_crew_open(CairnCrew *crew, const CairnRunOptions *options, const CairnChoice *choices, int count,
                            CairnRecording *recording);
CairnStatus cairn_crew_start(CairnCrew *crew);
// Waits for steps that are under way.
CairnStatus cairn_crew_close(CairnCrew *crew);

// The frame that all views have reached.
int cairn_crew_done(CairnCrew *crew);
bool cairn_crew_is_idle(CairnCrew *crew); // nothing asked for is left to do
void cairn_crew_want(CairnCrew *crew, int frame);
void cairn_crew_restart(CairnCrew *crew);
// Go on from the first view's state everywhere.
void cairn_crew_sync(CairnCrew *crew);
void cairn_crew_choose(CairnCrew *crew, int view, const CairnSolver *solver);
// All go to a frame of the past, as near as it is kept.
void cairn_crew_go(CairnCrew *crew, int frame);

// What can be gone to, and what it was like in `count` stretches of the same length from frame `from` to `to`.
typedef enum CairnCrewMark {
    CAIRN_MARK_NONE = 0, // never there, or no longer kept
    CAIRN_MARK_CERTIFIED,
    CAIRN_MARK_NOT_CERTIFIED, // some frame of it
    CAIRN_MARK_PARTED         // from here on a replay is not what was recorded
} CairnCrewMark;
void cairn_crew_past(CairnCrew *crew, int view, int *first, int *last);
void cairn_crew_marks(CairnCrew *crew, int view, int from, int to, CairnCrewMark *marks, int count);
// The first frame in which a replay parts from its recording, -1: none.
int cairn_crew_parted(CairnCrew *crew);

// The newest sight; it stays as it is until the next call for this view.
const CairnSight *cairn_crew_look(CairnCrew *crew, int index);

#endif
