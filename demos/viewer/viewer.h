// Viewer: the window. It is opened, then draws one picture after the other; events are handled between them.
#ifndef CAIRN_VIEWER_H
#define CAIRN_VIEWER_H

#include "demos/program/render/video.h"
#include "demos/viewer/camera.h"
#include "demos/viewer/crew.h"
#include "demos/viewer/gpu.h"
#include "demos/viewer/magnify.h"
#include "demos/viewer/painter.h"
#include "demos/viewer/reload.h"
#include "demos/viewer/settings.h"
#include "demos/viewer/ui.h"

typedef struct CairnViewOptions {
    CairnRunOptions run; // first: run's options are taken through it
    CairnChoiceList solvers;
    int frames; // quit after that many; 0: never
    bool is_hidden;
    const char *video;         // film all of it; NULL: no
    CairnRecording *recording; // to be run again; NULL: a scene
    CairnReload *reload;       // of the scene's file; NULL: there is none
    const char *panel;         // opened at the start: a tab's name or "charts"; NULL: by the settings
    bool is_law_chosen;        // the law of friction is the richest that all solvers take: the options named none
    bool ignores_settings;     // neither read nor written
    bool checks_gl;            // have the driver look for mistakes, which is slow
} CairnViewOptions;

typedef enum CairnHandMode {
    CAIRN_HAND_MODE_NONE = 0,
    CAIRN_HAND_MODE_PICKING,
    CAIRN_HAND_MODE_TURN,
    CAIRN_HAND_MODE_PAN,
    CAIRN_HAND_MODE_BODY
} CairnHandMode;

// What the mouse does in the picture.
typedef struct CairnHand {
    CairnHandMode mode;
    int view, serial;          // of the request for what lies under the mouse
    int x, y;                  // where it is, pixels
    double moved;              // pixels since it was pressed
    double depth;              // of the dragged point before the eye
    uint32_t body, generation; // what is selected; 0: nothing
    uint32_t still_body,
        still_generation; // what was pressed and does not move: a click selects it, a drag turns the camera
    bool wants_push;      // the request was for a push
} CairnHand;

typedef struct CairnFilm {
    CairnVideo video;
    int last, next; // frames: the one filmed last, and the one at which the views wait for the camera
} CairnFilm;

// How finely the views are drawn where a processor does it, by what their pictures take.
typedef struct CairnPace {
    double resolution;       // fraction of the window's pixels a side that is drawn while something moves
    int slow, fast;          // pictures in a row
    uint64_t drawn;          // what the views' picture shows, as a hash
    uint64_t look;           // the same without what the views' threads have done since
    bool has_waited;         // it was not drawn anew, so that the response to input came sooner
    double drawn_resolution; // of the picture that is shown
    double changed;          // since when it has shown that without input, clock
} CairnPace;

// The views' picture with all pixels, where a processor draws: made piece by piece, with a look at events between them.
typedef struct CairnFine {
    CairnGpuTarget target; // not shown before it is whole
    bool is_begun;
    int view; // the one that is drawn now
    int next; // of its pieces; what they all need comes before the first one
} CairnFine;

typedef struct CairnViewer {
    const CairnViewOptions *options;
    SDL_Window *window;
    SDL_GLContext context;
    CairnCrew crew;
    CairnPainter painter;
    CairnGpuTarget target, views; // the window's picture; the views' alone, where it is kept apart
    CairnMagnifier magnifier;     // of that picture to the window's size, where a processor draws
    CairnPace pace;
    CairnFine fine;
    CairnInk ink;
    CairnUi ui;
    CairnUiInput input; // gathered from events for the next turn
    CairnSettings settings;
    CairnOrbit orbit, home;
    CairnVec3 sun;
    double range, grid; // of the scene's own camera
    double dt;
    double scale;      // pixels of what is one pixel at 96 dots an inch
    int width, height; // pixels
    int active;        // the view that keys for one view mean

    CairnSource source; // the scene that the plan names, for its table
    void *params;       // of the scene, as the panel has them
    CairnPlan plan;
    bool params_changed;
    CairnSetup setups[CAIRN_CREW_VIEWS]; // as the panels have them
    CairnChoice first[CAIRN_CREW_VIEWS]; // the solvers that the command line named: their keys bring these options back
    bool is_pinned;                      // the user chose the solver: it stays when the scene changes
    char filter[CAIRN_UI_TEXT];          // of the list of scenes
    bool wants_filter;                   // it shall have the keys
    int tab;                             // CAIRN_PANEL_NAME
    CairnHand hand;
    bool wants_picture; // a key asked for one, which is taken when the turn's is drawn
    char notice[200];   // what was refused or done, shown for a while
    double notice_until;
    CairnFilm film;
    bool has_paused;    // after the steps that the command line named
    bool has_filmed;    // the film of the command line has begun
    int saved_serial;   // of the last notice of a written file
    int marked_frame;   // of the charts, under the mouse; 0: none
    double body_height; // of the selected body's panel, as it was last; 0: not yet shown
    int first_chart;    // of those that are shown, where not all fit

    bool is_ending, is_paused, is_scrubbing, shows_help, shows_panel, shows_charts, shows_hints, is_following;
    CairnLook look;
    int speed;         // 2^speed times real time
    double owed;       // simulated seconds that the clock is ahead
    double last_clock; // seconds
    double top_speed, top_force, top_residual;
    bool has_input;   // the turn responds to input
    unsigned flying;  // keys that are down
    bool is_software; // a processor draws
    uint64_t drawn;   // what the last picture showed, as a hash
    int still;        // turns since that changed
    int gl_errors, draw_calls;
    bool hears_gl;      // the driver reports mistakes
    char gl_words[200]; // of the last one
    int shots_done;
} CairnViewer;

CairnStatus cairn_viewer_open(CairnViewer *viewer, const CairnViewOptions *options);
// Events, time, one picture. Ends when viewer->is_ending.
CairnStatus cairn_viewer_turn(CairnViewer *viewer);
// What could not be written of a recording.
CairnStatus cairn_viewer_close(CairnViewer *viewer);
double cairn_viewer_clock(void); // seconds
void cairn_viewer_notify(CairnViewer *viewer, const char *words);

// ---- window.c ----

CairnStatus cairn_viewer_open_window(CairnViewer *viewer);
// Words and widgets at the size that the display's density and the settings give; again when either changes.
CairnStatus cairn_viewer_fit_ink(CairnViewer *viewer);
void cairn_viewer_read_settings(CairnViewer *viewer);
void cairn_viewer_write_settings(CairnViewer *viewer);

// ---- plan.c: which scene, with which parameters and solvers ----

// At the start: camera, tables and setups of the scene that the crew has.
CairnStatus cairn_viewer_take_scene(CairnViewer *viewer);
// Another scene, or the same again with its parameters as the panel has them. A refusal is reported and changes
// nothing.
void cairn_viewer_load(CairnViewer *viewer, const char *scene);
// The file of the scene has another content: looks for it, and shows it. True where the picture is another one now.
bool cairn_viewer_reload(CairnViewer *viewer);
void cairn_viewer_restart(CairnViewer *viewer, bool has_new_seed);
// Whether the scene can be given to this solver.
bool cairn_viewer_takes(const CairnViewer *viewer, const CairnSolver *solver);
// The solver on key 1, 2, ... or NULL.
const CairnSolver *cairn_viewer_solver(const CairnViewer *viewer, int number);
void cairn_viewer_choose(CairnViewer *viewer, int view, const CairnSolver *solver);
void cairn_viewer_partition_by(CairnViewer *viewer, int view, const CairnPartitioner *partitioner);
void cairn_viewer_refine_by(CairnViewer *viewer, int view, const CairnRefiner *refiner);
void cairn_viewer_apply(CairnViewer *viewer, int view); // hand the view's setup over
void cairn_viewer_add_view(CairnViewer *viewer);
void cairn_viewer_remove_view(CairnViewer *viewer);
void cairn_viewer_follow_setups(CairnViewer *viewer,
                                const CairnSight *const *sights); // going back brings old solvers back
void cairn_viewer_drop_plan(CairnViewer *viewer);                 // at the end

// ---- keys.c ----

typedef struct CairnViewerKey {
    SDL_Keycode codes[3]; // 0: none
    const char *name, *help;
    void (*act)(CairnViewer *viewer, SDL_Keycode code);
} CairnViewerKey;

int cairn_viewer_key_count(void);
const CairnViewerKey *cairn_viewer_key_at(int index);
void cairn_viewer_press(CairnViewer *viewer, SDL_Keycode code);
void cairn_viewer_pause(CairnViewer *viewer, bool is_paused);
void cairn_viewer_step(CairnViewer *viewer, int frames);
void cairn_viewer_select(CairnViewer *viewer, uint32_t body, uint32_t generation);

// ---- mouse.c ----

void cairn_viewer_mouse_down(CairnViewer *viewer, const SDL_MouseButtonEvent *button);
void cairn_viewer_mouse_up(CairnViewer *viewer, const SDL_MouseButtonEvent *button);
void cairn_viewer_mouse_move(CairnViewer *viewer, const SDL_MouseMotionEvent *motion);
// Handles results of picks, the target of a dragged body, the camera that flies or follows.
void cairn_viewer_mouse_turn(CairnViewer *viewer, double seconds);
void cairn_viewer_throw(CairnViewer *viewer, CairnDeedKind kind);
void cairn_viewer_deed(CairnViewer *viewer, CairnDeedKind kind); // on what is selected

// ---- stage.c: where everything lies, and the pictures of the views ----

typedef struct CairnViewerBox {
    int x, y, width, height; // pixels from the top left
} CairnViewerBox;

typedef struct CairnViewerLayout {
    CairnArea bar, panel, charts, scrub, stage; // no height or width: not shown
} CairnViewerLayout;

CairnViewerLayout cairn_viewer_layout(const CairnViewer *viewer);
CairnViewerBox cairn_viewer_box(const CairnViewer *viewer, int view);
// The ray through a pixel of a view.
void cairn_viewer_ray(const CairnViewer *viewer, int view, double x, double y, CairnVec3 *from, CairnVec3 *direction);
CairnStatus cairn_viewer_paint(CairnViewer *viewer, const CairnSight **sights);
// What there is to see of each view, and the scales of colours and arrows, which take their values at once or fall
// slowly.
void cairn_viewer_look_at_all(CairnViewer *viewer, bool at_once, const CairnSight **sights);
// What the painter needs for a view's picture with `resolution` of the pixels a side; false where there is no room for
// one.
bool cairn_viewer_painting(const CairnViewer *viewer, const CairnSight *const *sights, int view,
                           const CairnGpuTarget *target, double resolution, CairnPainting *painting);
// Clears the target, and has the painter know all geometry.
CairnStatus cairn_viewer_begin_views(CairnViewer *viewer, const CairnGpuTarget *target);

// ---- pace.c: what is drawn anew, and how finely ----

void cairn_pace_add_time(CairnPace *pace, double seconds); // adds the time of a picture
// The fraction of the window's pixels a side with which the next picture of the views is made.
double cairn_viewer_resolution(CairnViewer *viewer);
// Would the picture be the one that is shown? Once a turn.
bool cairn_viewer_is_still(CairnViewer *viewer, bool has_event);
// The views' picture as a hash: where it is the same, what was drawn stands. `look`: without what has moved in them.
uint64_t cairn_viewer_picture(CairnViewer *viewer, uint64_t *look);
// Whether the present picture may be shown once more although the views have moved on, because input waits for a
// response.
bool cairn_viewer_may_wait(CairnViewer *viewer, uint64_t look);

// Has all been at rest for so long that the picture with all pixels may be made, which the window does not show yet?
bool cairn_viewer_wants_fine(CairnViewer *viewer);

// ---- fine.c ----

// A piece of it. When it is whole it becomes the views' picture.
CairnStatus cairn_viewer_refine(CairnViewer *viewer);

// ---- film.c ----

void cairn_viewer_save_picture(CairnViewer *viewer);  // with the turn's picture
void cairn_viewer_write_picture(CairnViewer *viewer); // where one is wanted and the turn's is drawn
void cairn_viewer_save_problem(CairnViewer *viewer);
void cairn_viewer_toggle_recording(CairnViewer *viewer);
CairnStatus cairn_viewer_film(CairnViewer *viewer, const char *path);
CairnStatus cairn_viewer_film_end(CairnViewer *viewer);
void cairn_viewer_toggle_film(CairnViewer *viewer);
CairnStatus cairn_viewer_film_turn(CairnViewer *viewer, int frame);

// ---- scrub.c ----

CairnViewerBox cairn_viewer_scrubber(const CairnViewer *viewer);
void cairn_viewer_draw_scrubber(CairnViewer *viewer, const CairnSight *sight);
// Whether the event was the scrubber's.
bool cairn_viewer_scrub(CairnViewer *viewer, const SDL_Event *event);
// All views go to a frame of the past, as far as there is one.
void cairn_viewer_go(CairnViewer *viewer, int frame);

// ---- overlay.c, bar.c, panels.c and their like ----

void cairn_viewer_overlay(CairnViewer *viewer, const CairnSight *const *sights);
int cairn_viewer_bar_rows(const CairnViewer *viewer); // two where one is too wide for the window
void cairn_viewer_bar(CairnViewer *viewer, CairnArea area);
void cairn_viewer_panels(CairnViewer *viewer, const CairnSight *const *sights);
void cairn_viewer_body_panel(CairnViewer *viewer, const CairnSight *sight);
void cairn_viewer_charts(CairnViewer *viewer, CairnArea area, const CairnSight *const *sights);
// The charts' numbers, a line a frame and view.
CairnStatus cairn_viewer_write_csv(CairnViewer *viewer, const char *path);

#endif
