// Keys: one table, from which the help is made too.
#include "demos/viewer/viewer.h"
#include <string.h>

static void quit(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->is_ending = true;
}

void cairn_viewer_hold(CairnViewer *viewer, bool is_paused) {
    viewer->is_paused = is_paused;
    viewer->owed = 0;
}

static void pause(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_hold(viewer, !viewer->is_paused);
}

static void step_by(CairnViewer *viewer, int frames) {
    cairn_viewer_hold(viewer, true);
    int done = cairn_crew_done(&viewer->crew);
    if (frames > 0) {
        cairn_crew_want(&viewer->crew, done + frames);
    } else {
        cairn_crew_go(&viewer->crew, done + frames > 0 ? done + frames : 0);
    }
}

static void step(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    step_by(viewer, 1);
}

static void step_back(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    step_by(viewer, -1);
}

static void step_five(CairnViewer *viewer, SDL_Keycode code) {
    step_by(viewer, code == SDLK_PAGEUP ? -5 : 5);
}

static void go_to_end(CairnViewer *viewer, SDL_Keycode code) {
    int first, last;
    cairn_crew_past(&viewer->crew, viewer->active, &first, &last);
    cairn_viewer_hold(viewer, true);
    cairn_crew_go(&viewer->crew, code == SDLK_HOME ? first : last);
}

static void restart(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->owed = 0;
    viewer->top_speed = viewer->top_force = 0;
    cairn_crew_restart(&viewer->crew);
}

enum { SLOWEST = -5, FASTEST = 4 };

static void slower(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->speed -= viewer->speed > SLOWEST;
}

static void faster(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->speed += viewer->speed < FASTEST;
}

bool cairn_viewer_takes(const CairnViewer *viewer, const CairnSolver *solver) {
    static const unsigned needed[] = {[CAIRN_FRICTION_BOX] = CAIRN_TAKES_BOUNDS,
                                      [CAIRN_FRICTION_BOX_CURRENT] = CAIRN_TAKES_BOX_CURRENT,
                                      [CAIRN_FRICTION_CONE] = CAIRN_TAKES_CONE,
                                      [CAIRN_FRICTION_COULOMB] = CAIRN_TAKES_COULOMB};
    // A scene's parameters decide on its friction, so it is asked as the session was set up.
    CairnWorldDef def = cairn_world_def();
    const CairnSession *session = &viewer->crew.views[0].session;
    if (session->scene->settings) {
        session->scene->settings(session->params, &def);
    }
    const CairnRunOptions *options = &viewer->options->run;
    CairnFrictionKind kind = options->has_friction ? options->friction : def.friction;
    return (solver->traits & needed[kind]) != 0;
}

const CairnSolver *cairn_viewer_solver(const CairnViewer *viewer, int number) {
    int seen = 0;
    for (int i = 0; i < cairn_solver_count(); i++) {
        const CairnSolver *solver = cairn_solver_at(i);
        if (cairn_viewer_takes(viewer, solver) && ++seen == number) {
            return solver;
        }
    }
    return NULL;
}

static void choose(CairnViewer *viewer, SDL_Keycode code) {
    const CairnSolver *solver = cairn_viewer_solver(viewer, code - SDLK_0);
    if (solver) {
        cairn_crew_choose(&viewer->crew, viewer->active, solver);
    }
}

static void choose_next(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    const char *name = cairn_crew_look(&viewer->crew, viewer->active)->solver;
    int number = 1;
    for (const CairnSolver *solver; (solver = cairn_viewer_solver(viewer, number)) != NULL; number++) {
        if (strcmp(solver->name, name) == 0) {
            break;
        }
    }
    const CairnSolver *next = cairn_viewer_solver(viewer, number + 1);
    next = next ? next : cairn_viewer_solver(viewer, 1);
    if (next) {
        cairn_crew_choose(&viewer->crew, viewer->active, next);
    }
}

static void sync(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_crew_sync(&viewer->crew);
}

static void toggle_forces(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_forces = !viewer->shows_forces;
}

static void next_coloring(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->coloring = (CairnColoring)(((int)viewer->coloring + 1) % CAIRN_COLORING_COUNT);
}

static void go_home(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->orbit = viewer->home;
}

static void toggle_help(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_help = !viewer->shows_help;
}

static const CairnViewerKey keys[] = {
    {{SDLK_SPACE}, "space", "pause, go on", pause},
    {{SDLK_RIGHT, SDLK_n}, "right, n", "one step", step},
    {{SDLK_LEFT, SDLK_p}, "left, p", "one step back", step_back},
    {{SDLK_PAGEDOWN, SDLK_PAGEUP}, "page", "five steps: page down forward, page up back", step_five},
    {{SDLK_HOME, SDLK_END}, "home, end", "to the first, to the last frame of the past", go_to_end},
    {{SDLK_r}, "r", "restart", restart},
    {{SDLK_MINUS, SDLK_KP_MINUS}, "-", "slower", slower},
    {{SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS}, "+", "faster", faster},
    {{SDLK_TAB}, "tab", "next solver", choose_next},
    {{SDLK_s}, "s", "all views go on from the first one's state", sync},
    {{SDLK_c}, "c", "contact forces", toggle_forces},
    {{SDLK_b}, "b", "colour by body, speed, part", next_coloring},
    {{SDLK_f}, "f", "the scene's own camera", go_home},
    {{SDLK_h, SDLK_QUESTION, SDLK_SLASH}, "h, ?", "this help", toggle_help},
    {{SDLK_ESCAPE}, "esc", "quit", quit},
};

enum { KEY_COUNT = (int)(sizeof(keys) / sizeof(keys[0])) };

int cairn_viewer_key_count(void) {
    return KEY_COUNT;
}

const CairnViewerKey *cairn_viewer_key_at(int index) {
    return index >= 0 && index < KEY_COUNT ? &keys[index] : NULL;
}

void cairn_viewer_press(CairnViewer *viewer, SDL_Keycode code) {
    if (code >= SDLK_1 && code <= SDLK_9) {
        choose(viewer, code);
        return;
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            if (keys[i].codes[k] != 0 && keys[i].codes[k] == code) {
                keys[i].act(viewer, code);
                return;
            }
        }
    }
}
