// Keys: one table, from which the help is made too.
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"
#include <stdio.h>

static void quit(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->is_ending = true;
}

void cairn_viewer_pause(CairnViewer *viewer, bool is_paused) {
    viewer->is_paused = is_paused;
    viewer->owed = 0;
}

static void pause(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_pause(viewer, !viewer->is_paused);
}

void cairn_viewer_step(CairnViewer *viewer, int frames) {
    cairn_viewer_pause(viewer, true);
    int done = cairn_crew_done(&viewer->crew);
    if (frames > 0) {
        cairn_crew_want(&viewer->crew, done + frames);
    } else {
        cairn_crew_go(&viewer->crew, done + frames > 0 ? done + frames : 0);
    }
}

static void step(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_step(viewer, 1);
}

static void step_back(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_step(viewer, -1);
}

static void step_five(CairnViewer *viewer, SDL_Keycode code) {
    cairn_viewer_step(viewer, code == SDLK_PAGEUP ? -5 : 5);
}

static void go_to_end(CairnViewer *viewer, SDL_Keycode code) {
    int first, last;
    cairn_crew_past(&viewer->crew, viewer->active, &first, &last);
    cairn_viewer_pause(viewer, true);
    cairn_crew_go(&viewer->crew, code == SDLK_HOME ? first : last);
}

static void restart(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_restart(viewer, (SDL_GetModState() & KMOD_SHIFT) != 0);
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

static void choose(CairnViewer *viewer, SDL_Keycode code) {
    const CairnSolver *solver = cairn_viewer_solver(viewer, code - SDLK_0);
    if (solver) {
        viewer->is_pinned = true;
        cairn_viewer_choose(viewer, viewer->active, solver);
    }
}

static void choose_next(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    const CairnSolver *now = viewer->setups[viewer->active].choice.solver, *solver;
    int number = 1;
    while ((solver = cairn_viewer_solver(viewer, number)) != NULL && solver != now) {
        number++;
    }
    const CairnSolver *next = cairn_viewer_solver(viewer, number + 1);
    viewer->is_pinned = true;
    cairn_viewer_choose(viewer, viewer->active, next ? next : cairn_viewer_solver(viewer, 1));
}

static void sync(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_crew_sync(&viewer->crew);
}

static void add_view(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_add_view(viewer);
}

static void remove_view(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_remove_view(viewer);
}

static void toggle_overlay(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.overlay = !viewer->look.overlay;
}

static void toggle_difference(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.difference = !viewer->look.difference;
}

static void toggle_forces(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.forces = !viewer->look.forces;
}

static void toggle_cones(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.cones = !viewer->look.cones;
}

static void toggle_joints(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.joints = !viewer->look.joints;
}

static void toggle_interface(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.interface = !viewer->look.interface;
}

static void next_coloring(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.coloring = (CairnColoring)(((int)viewer->look.coloring + 1) % CAIRN_COLORING_COUNT);
}

static void go_home(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->orbit = viewer->home;
    viewer->is_following = false;
}

static void frame_selection(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    const CairnSight *sight = cairn_crew_look(&viewer->crew, viewer->active);
    if (!sight->details.is_there) {
        cairn_viewer_notify(viewer, "click on a body first");
        return;
    }
    double radius = 0.02 * viewer->range;
    for (int i = 0; i < sight->item_count; i++) {
        const CairnSightItem *item = &sight->items[i];
        bool is_its = item->body >= 0 && sight->bodies[item->body].id.index == viewer->hand.body;
        radius = is_its && (double)item->reach > radius ? (double)item->reach : radius;
    }
    cairn_orbit_frame(&viewer->orbit, sight->details.state.center, radius);
}

static void follow(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->is_following = !viewer->is_following && viewer->hand.body;
    cairn_viewer_notify(viewer, viewer->is_following ? "following"
                                : viewer->hand.body  ? "no longer following"
                                                     : "click on a body first");
}

static void throw_ball(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BALL);
}

static void throw_box(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_throw(viewer, CAIRN_DEED_THROW_BOX);
}

static void push(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_deed(viewer, CAIRN_DEED_PUSH);
}

static void freeze(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_deed(viewer, CAIRN_DEED_FREEZE);
}

static void delete (CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_deed(viewer, CAIRN_DEED_DELETE);
}

static void toggle_help(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_help = !viewer->shows_help;
}

static void toggle_panel(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_panel = !viewer->shows_panel;
}

static void toggle_charts(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_charts = !viewer->shows_charts;
}

static void toggle_theme(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->look.dark = !viewer->look.dark;
}

// The list of scenes, ready for typing.
static void find_scene(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    viewer->shows_panel = true;
    viewer->tab = CAIRN_PANEL_scene;
    viewer->filter[0] = '\0';
    viewer->wants_filter = true;
}

static void save_picture(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_save_picture(viewer);
}

static void save_problem(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_save_problem(viewer);
}

static void toggle_recording(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_toggle_recording(viewer);
}

static void toggle_film(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    cairn_viewer_toggle_film(viewer);
}

static void write_csv(CairnViewer *viewer, SDL_Keycode code) {
    (void)code;
    char words[160];
    CairnStatus status = cairn_viewer_write_csv(viewer, "cairn-charts.csv");
    snprintf(words, sizeof words, "%.150s", cairn_is_ok(status) ? "wrote cairn-charts.csv" : status.message);
    cairn_viewer_notify(viewer, words);
}

void cairn_viewer_select(CairnViewer *viewer, uint32_t body, uint32_t generation) {
    viewer->hand.body = body;
    viewer->hand.generation = generation;
    viewer->is_following = viewer->is_following && body;
}

static const CairnViewerKey keys[] = {
    {{SDLK_SPACE}, "space", "pause, go on", pause},
    {{SDLK_RIGHT, SDLK_n}, "right, n", "one step", step},
    {{SDLK_LEFT, SDLK_p}, "left, p", "one step back", step_back},
    {{SDLK_PAGEDOWN, SDLK_PAGEUP}, "page", "five steps: page down forward, page up back", step_five},
    {{SDLK_HOME, SDLK_END}, "home, end", "to the first, to the last frame of the past", go_to_end},
    {{SDLK_r}, "r", "restart; with shift: another seed", restart},
    {{SDLK_MINUS, SDLK_KP_MINUS}, "-", "slower", slower},
    {{SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS}, "+", "faster", faster},
    {{SDLK_o}, "o", "find a scene", find_scene},
    {{SDLK_TAB}, "tab", "next solver", choose_next},
    {{SDLK_y}, "y", "all views go on from the first one's state", sync},
    {{SDLK_F7}, "F7", "one view more", add_view},
    {{SDLK_F8}, "F8", "one view less", remove_view},
    {{SDLK_l}, "l", "all views laid over each other", toggle_overlay},
    {{SDLK_k}, "k", "lines to where the first view's bodies are", toggle_difference},
    {{SDLK_c}, "c", "contact forces", toggle_forces},
    {{SDLK_v}, "v", "friction cones: stick, slip, open", toggle_cones},
    {{SDLK_j}, "j", "joint errors", toggle_joints},
    {{SDLK_i}, "i", "interface between the parts", toggle_interface},
    {{SDLK_b}, "b", "next colouring", next_coloring},
    {{SDLK_f}, "f", "the scene's own camera", go_home},
    {{SDLK_z}, "z", "look at the selected body", frame_selection},
    {{SDLK_t}, "t", "follow it", follow},
    {{SDLK_PERIOD}, ".", "push it", push},
    {{SDLK_x}, "x", "freeze it, let it go", freeze},
    {{SDLK_DELETE, SDLK_BACKSPACE}, "delete", "take it away", delete},
    {{SDLK_g}, "g", "throw a ball", throw_ball},
    {{SDLK_u}, "u", "throw a box", throw_box},
    {{SDLK_m, SDLK_F2}, "m", "panel", toggle_panel},
    {{SDLK_F3}, "F3", "charts", toggle_charts},
    {{SDLK_F4}, "F4", "dark, light", toggle_theme},
    {{SDLK_F6}, "F6", "the charts' numbers to cairn-charts.csv", write_csv},
    {{SDLK_F5}, "F5", "picture to cairn-SCENE-FRAME.png", save_picture},
    {{SDLK_F9}, "F9", "film, and end of the film", toggle_film},
    {{SDLK_F11}, "F11", "record the first view, and end of the recording", toggle_recording},
    {{SDLK_F10}, "F10", "this frame's problem to a file for cairn solve", save_problem},
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
