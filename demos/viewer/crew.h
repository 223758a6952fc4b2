// Crew: the threads that step. Each view is a copy of the scene with a solver and a thread of its own; all go through the frames
// together, so that a slow solver does not fall behind the others. The window asks and looks, and never waits for a step.
#ifndef CAIRN_VIEWER_CREW_H
#define CAIRN_VIEWER_CREW_H

#include "demos/program/session.h"
#include "demos/viewer/sight.h"
#include <SDL2/SDL.h>

enum { CAIRN_CREW_VIEWS = 4 };

typedef struct CairnCrewView {
    struct CairnCrew *crew;
    int index;
    CairnSession session; // its thread's alone while that runs
    CairnChoice first;    // the solver and options that it was opened with
    CairnSightMaker maker;
    CairnSight sights[3]; // one is made, one is ready, one is shown
    int making, ready, shown;
    bool is_fresh; // `ready` is newer than `shown`
    SDL_Thread *thread;
    // asked for, done by its thread between two steps
    bool wants_restart, wants_sync;
    const CairnSolver *wants_solver;
    bool is_busy, is_stopped;
    int done;        // frames
    int uncertified; // steps; its thread's alone while that runs
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
} CairnCrew;

// A view for each choice; the scene is built before this returns, the threads wait.
CairnStatus cairn_crew_open(CairnCrew *crew, const CairnRunOptions *options, const CairnChoice *choices, int count);
CairnStatus cairn_crew_start(CairnCrew *crew);
// Waits for steps that are under way.
void cairn_crew_close(CairnCrew *crew);

// The frame that all views have reached.
int cairn_crew_done(CairnCrew *crew);
bool cairn_crew_is_idle(CairnCrew *crew); // nothing asked for is left to do
void cairn_crew_want(CairnCrew *crew, int frame);
void cairn_crew_restart(CairnCrew *crew);
// Go on from the first view's state everywhere.
void cairn_crew_sync(CairnCrew *crew);
void cairn_crew_choose(CairnCrew *crew, int view, const CairnSolver *solver);
// The newest sight; it stays as it is until the next call for this view.
const CairnSight *cairn_crew_look(CairnCrew *crew, int index);

#endif
