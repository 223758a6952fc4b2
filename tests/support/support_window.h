// A window of the viewer on a display of its own (Xvfb), driven by synthetic events: for the viewer's tests. Only where
// the build has a viewer.
#ifndef CAIRN_TESTS_SUPPORT_WINDOW_H
#define CAIRN_TESTS_SUPPORT_WINDOW_H

#ifdef CAIRN_VIEWER
#include "demos/viewer/viewer.h"

// Fixtures of a group: the display.
int support_display_open(void **state);
int support_display_close(void **state);
// Skips the test, in words, where there is none.
void support_display_need(void **state);

// A test: where there is a leak checker, it finds nothing of what came before, and what is lost on purpose.
void support_leaks_are_found(void **state);

// What is loaded now stays, so that the leak checker knows the drivers by name; a stage does so when it opens.
void support_keep_libraries(void);

typedef struct SupportStage {
    CairnViewOptions options;
    CairnViewer viewer;
    int mouse_x, mouse_y;
} SupportStage;

// `param` and `solvers` may be NULL.
SupportStage *support_stage_open(const char *scene, const char *param, const char *solvers);
// Opens a stage with the given options, of which it keeps a copy.
SupportStage *support_stage_open_with(const CairnViewOptions *options);
CairnViewOptions support_stage_options(const char *scene);
void support_stage_close(SupportStage *stage); // without an error of OpenGL's
void support_stage_turn(SupportStage *stage, int times);
void support_stage_send(SupportStage *stage, SDL_Event event); // and turn once
void support_stage_press(SupportStage *stage, SDL_Keycode code);
// The mouse in the window's units; `button`: a button of SDL's, or 0.
void support_stage_mouse(SupportStage *stage, double x, double y, int button);
void support_stage_button(SupportStage *stage, int button, bool is_down); // where the mouse is
void support_stage_click(SupportStage *stage, double x, double y);
void support_stage_type(SupportStage *stage, const char *text);
// Turns until all requests to the views' threads are done.
void support_stage_wait(SupportStage *stage);
const CairnSight *support_stage_look(SupportStage *stage, int view);
uint64_t support_stage_hash(SupportStage *stage, int view); // when all requests are done; the view need not be shown
#else
// The only test of a viewer's test file where the build has no viewer: it reports that it is skipped.
int support_without_viewer(void);
#endif

#endif
