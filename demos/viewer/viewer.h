// Viewer: the window. Opened, then asked for one picture after the other; events are handled between them.
#ifndef CAIRN_VIEWER_H
#define CAIRN_VIEWER_H

#include "demos/viewer/camera.h"
#include "demos/viewer/crew.h"
#include "demos/viewer/gpu.h"
#include "demos/viewer/labels.h"
#include "demos/viewer/painter.h"

typedef struct CairnViewOptions {
    CairnRunOptions run; // first: run's options are taken through it
    CairnChoiceList solvers;
    int frames; // quit after that many; 0: never
    bool is_hidden;
    CairnRecording *recording; // to be run again; NULL: a scene
} CairnViewOptions;

typedef struct CairnViewer {
    const CairnViewOptions *options;
    SDL_Window *window;
    SDL_GLContext context;
    CairnCrew crew;
    CairnPainter painter;
    CairnGpuTarget target;
    CairnLabels text;
    CairnOrbit orbit, home;
    CairnVec3 sun;
    double range, grid; // of the scene's own camera
    double dt;
    int width, height; // pixels
    int active;        // the view that keys for one view mean

    bool is_ending, is_paused, is_scrubbing, shows_help, shows_forces;
    CairnColoring coloring;
    int speed;         // 2^speed times real time
    double owed;       // simulated seconds that the clock is ahead
    double last_clock; // seconds
    double top_speed, top_force;
    int gl_errors;
    int shots_done;
} CairnViewer;

CairnStatus cairn_viewer_open(CairnViewer *viewer, const CairnViewOptions *options);
// Events, time, one picture. Ends when viewer->is_ending.
CairnStatus cairn_viewer_turn(CairnViewer *viewer);
// What could not be written of a recording.
CairnStatus cairn_viewer_close(CairnViewer *viewer);

// ---- keys.c ----

typedef struct CairnViewerKey {
    SDL_Keycode codes[3]; // 0: none
    const char *name, *help;
    void (*act)(CairnViewer *viewer, SDL_Keycode code);
} CairnViewerKey;

int cairn_viewer_key_count(void);
const CairnViewerKey *cairn_viewer_key_at(int index);
void cairn_viewer_hold(CairnViewer *viewer, bool is_paused);
void cairn_viewer_press(CairnViewer *viewer, SDL_Keycode code);
// Whether the scene can be given to this solver.
bool cairn_viewer_takes(const CairnViewer *viewer, const CairnSolver *solver);
// The solver on key 1, 2, ... or NULL.
const CairnSolver *cairn_viewer_solver(const CairnViewer *viewer, int number);

// ---- overlay.c ----

typedef struct CairnViewerBox {
    int x, y, width, height; // pixels from the top left
} CairnViewerBox;

CairnViewerBox cairn_viewer_box(const CairnViewer *viewer, int view);
void cairn_viewer_overlay(CairnViewer *viewer, const CairnSight *const *sights);

// ---- scrub.c ----

CairnViewerBox cairn_viewer_scrubber(const CairnViewer *viewer);
void cairn_viewer_draw_scrubber(CairnViewer *viewer, const CairnSight *sight);
// Whether the event was the scrubber's.
bool cairn_viewer_scrub(CairnViewer *viewer, const SDL_Event *event);

#endif
