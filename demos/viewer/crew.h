// Crew: the threads that step. Each view is a copy of the scene with a solver and a thread of its own; all go through
// the frames together, so that a slow solver does not fall behind the others. The window puts requests and reads
// results, and never waits for a step.
#ifndef CAIRN_VIEWER_CREW_H
#define CAIRN_VIEWER_CREW_H

#include "demos/program/recording/replay.h"
#include "demos/viewer/history.h"
#include "demos/viewer/past.h"
#include "demos/viewer/sight.h"
#include <SDL2/SDL.h>

enum { CAIRN_CREW_VIEWS = 4, CAIRN_PLAN_PARAM = 200 };

// The scene and its parameters, in the syntax of the command line.
typedef struct CairnPlan {
    char scene[CAIRN_RUN_PATH];
    char params[CAIRN_RUN_LIST][CAIRN_PLAN_PARAM]; // NAME=VALUE
    int param_count;
    uint64_t seed;
} CairnPlan;

// What a ray hit. The window requests it, and the view's thread casts the ray between two steps.
typedef struct CairnPick {
    int serial; // of the question
    bool has_hit, is_dynamic;
    CairnVec3 point;
    CairnBodyId body;
} CairnPick;

// The file that a view's thread is to write between two steps.
typedef enum CairnSave { CAIRN_SAVE_NOTHING = 0, CAIRN_SAVE_PROBLEM, CAIRN_SAVE_RECORDING } CairnSave;

typedef struct CairnCrewView {
    struct CairnCrew *crew;
    int index;
    CairnSession session; // its thread's alone while that runs
    CairnSetup first;     // what it was opened with
    CairnGrab touch;      // its thread's alone
    CairnStatus status;   // the same: of the last step
    CairnPast past;       // the same; the notes under the lock
    int past_first, past_last;
    CairnSightMaker maker;
    CairnSight sights[3]; // one is made, one is ready, one is shown
    int making, ready, shown;
    uint64_t serial; // of the sights
    bool is_fresh;   // `ready` is newer than `shown`
    SDL_Thread *thread;
    CairnHistory history; // guarded by the mutex
    // requests of the window, done by the view's thread between two steps
    bool wants_restart, wants_sync, wants_look, wants_end;
    CairnSave wants_save;
    char save_path[160];
    int wants_frame;         // of the past; -1: none
    CairnSetup *wants_setup; // NULL: none
    int wants_pick;          // serial of the question; 0: none
    CairnVec3 ray_from, ray_direction;
    CairnPick picked;
    bool is_busy, is_stopped, is_gone;
    bool is_moving; // busy with what leaves the frame `done`: a deed of now comes too late for it
    int done;       // frames
    int next_deed;
    int uncertified, unsound; // steps; its thread's alone while that runs
} CairnCrewView;

typedef struct CairnCrew {
    const CairnRunOptions *options;
    CairnCrewView views[CAIRN_CREW_VIEWS];
    int view_count;
    CairnDrawnMeshStore store;
    SDL_mutex *mutex;
    SDL_cond *changed;
    bool is_ending;
    bool yields; // its threads to the window's: where a processor draws, all want the same one
    int wanted;  // step up to this frame
    CairnPlan plan;
    CairnSightWants wants;
    CairnDeed *deeds;
    int deed_count, deed_capacity;
    int pick_serial;
    void *snapshot; // of the first view, for the others
    size_t snapshot_size, snapshot_capacity;
    int snapshot_frame, snapshot_deed;
    CairnGrab snapshot_touch;
    CairnRecording *recording; // that the first view runs again; NULL: none
    int diverged_at;           // the first frame in which it did not do the same; -1: none
    CairnRecorder recorder;    // of the first view, its thread's alone while that runs
    int recorded_from; // the frame that its file begins with; -1: from the start, by an option of the command line
    bool is_recording; // what the window may know of that
    int saved_serial;  // of what was written or refused
    char saved_words[200];
    bool is_lockstep; // every step starts from the first view's state, so that all solve the same problems
} CairnCrew;

// A view for each choice; the scene is built before this returns, the threads wait. `recording` is NULL or what the
// first view runs again.
CairnStatus cairn_crew_open(CairnCrew *crew, const CairnRunOptions *options, const CairnChoice *choices, int count,
                            CairnRecording *recording);
CairnStatus cairn_crew_start(CairnCrew *crew);
// Waits for running steps. Fails only where a recording could not be written.
CairnStatus cairn_crew_close(CairnCrew *crew);

// The frame that all views have reached.
int cairn_crew_done(CairnCrew *crew);
bool cairn_crew_is_idle(CairnCrew *crew); // all requests are done
void cairn_crew_want(CairnCrew *crew, int frame);
// Begin again, with another plan where one is given.
void cairn_crew_restart(CairnCrew *crew, const CairnPlan *plan);
// Go on from the first view's state everywhere, once or before every step.
void cairn_crew_sync(CairnCrew *crew);
void cairn_crew_lockstep(CairnCrew *crew, bool is_lockstep);
// The view takes the setup over.
CairnStatus cairn_crew_set(CairnCrew *crew, int view, const CairnSetup *setup);
// One more view of the scene, solved as `setup` says, which goes on from the first one's state; refused where the last
// one that was taken away has not ended yet.
CairnStatus cairn_crew_add(CairnCrew *crew, const CairnSetup *setup);
// Removes the last view after its running step.
void cairn_crew_remove(CairnCrew *crew);
// What sights shall show beyond the bodies.
void cairn_crew_look_for(CairnCrew *crew, const CairnSightWants *wants);
// In all views, at the first frame that none of them has begun to step from.
CairnStatus cairn_crew_do(CairnCrew *crew, const CairnDeed *deed);
// Requests a ray cast and returns the serial of the request; cairn_crew_picked has the result when its serial is this
// one.
int cairn_crew_pick(CairnCrew *crew, int view, CairnVec3 from, CairnVec3 direction);
CairnPick cairn_crew_picked(CairnCrew *crew, int view);
// Write to a file: the problem of the view's last step, or a recording of the first view from here on; a second request
// ends the recording. The outcome is read by cairn_crew_saved, with a new serial each time.
void cairn_crew_save(CairnCrew *crew, int view, CairnSave what, const char *path);
int cairn_crew_saved(CairnCrew *crew, char *words, size_t size);
bool cairn_crew_is_recording(CairnCrew *crew);
// All views go to a frame of the past, or to the nearest one that is stored.
void cairn_crew_go(CairnCrew *crew, int frame);

// What can be gone to, and what it was like in `count` stretches of the same length from frame `from` to `to`.
typedef enum CairnCrewMark {
    CAIRN_MARK_NONE = 0, // never computed, or no longer stored
    CAIRN_MARK_CERTIFIED,
    CAIRN_MARK_NOT_SOUND,     // some frame of it is certified, but its motion is not sound
    CAIRN_MARK_NOT_CERTIFIED, // some frame of it
    CAIRN_MARK_DIVERGED       // from here on a replay differs from its recording
} CairnCrewMark;
void cairn_crew_past(CairnCrew *crew, int index, int *first, int *last);
void cairn_crew_marks(CairnCrew *crew, int index, int from, int to, CairnCrewMark *marks, int count);
// The first frame in which a replay differs from its recording; -1: none.
int cairn_crew_diverged_at(CairnCrew *crew);

// Copies the stored moments of a view from frame `first` to `last`; returns how many there were.
int cairn_crew_history(CairnCrew *crew, int view, int first, int last, CairnMoment *moments);
// The newest sight; it stays as it is until the next call for this view.
const CairnSight *cairn_crew_look(CairnCrew *crew, int index);

#endif
