#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

double cairn_viewer_clock(void) {
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

void cairn_viewer_notify(CairnViewer *viewer, const char *words) {
    snprintf(viewer->notice, sizeof viewer->notice, "%s", words);
    viewer->notice_until = cairn_viewer_clock() + 4;
}

static CairnStatus open_crew(CairnViewer *viewer) {
    const CairnViewOptions *options = viewer->options;
    CairnChoice choices[CAIRN_CREW_VIEWS];
    int count = 0;
    CairnStatus status = cairn_ok();
    for (int i = 0; i < options->solvers.count && cairn_is_ok(status); i++) {
        status = cairn_choice_open(options->solvers.items[i], "--solvers", &choices[i]);
        count += cairn_is_ok(status);
    }
    if (cairn_is_ok(status)) {
        status = cairn_crew_open(&viewer->crew, &options->run, choices, count, options->recording);
    }
    for (int i = 0; i < count; i++) {
        cairn_choice_close(&choices[i]);
    }
    return status;
}

static CairnStatus open_all(CairnViewer *viewer) {
    cairn_viewer_read_settings(viewer);
    CAIRN_TRY(open_crew(viewer));
    CAIRN_TRY(cairn_viewer_take_scene(viewer));
    CAIRN_TRY(cairn_viewer_open_window(viewer));
    CAIRN_TRY(cairn_painter_open(&viewer->painter));
    CAIRN_TRY(cairn_viewer_fit_ink(viewer));
    viewer->crew.yields = viewer->is_software && !viewer->options->is_hidden;
    CAIRN_TRY(cairn_crew_start(&viewer->crew));
    SDL_StartTextInput();
    viewer->last_clock = cairn_viewer_clock();
    if (viewer->options->is_law_chosen) {
        char words[120];
        snprintf(words, sizeof words, "friction %s: the richest law that all these solvers take",
                 cairn_friction_name(viewer->options->run.friction));
        cairn_viewer_notify(viewer, words);
    }
    return cairn_ok();
}

CairnStatus cairn_viewer_open(CairnViewer *viewer, const CairnViewOptions *options) {
    *viewer = (CairnViewer){.options = options, .pace = {.resolution = 1}};
    CairnStatus status = open_all(viewer);
    if (!cairn_is_ok(status)) {
        cairn_viewer_close(viewer);
    }
    return status;
}

CairnStatus cairn_viewer_close(CairnViewer *viewer) {
    CairnStatus filmed = cairn_viewer_film_end(viewer);
    if (viewer->context && viewer->ink.program) {
        cairn_viewer_write_settings(viewer);
    }
    if (viewer->window) {
        SDL_HideWindow(viewer->window); // at once; a running step may take a while
        SDL_PumpEvents();
    }
    if (viewer->context) {
        cairn_painter_close(&viewer->painter);
        cairn_ink_close(&viewer->ink);
        cairn_gpu_target_free(&viewer->target);
        cairn_gpu_target_free(&viewer->views);
        cairn_gpu_target_free(&viewer->fine.target);
        cairn_magnifier_free(&viewer->magnifier);
        SDL_GL_DeleteContext(viewer->context);
    }
    if (viewer->window) {
        SDL_DestroyWindow(viewer->window);
    }
    CairnStatus status = cairn_crew_close(&viewer->crew);
    cairn_viewer_drop_plan(viewer);
    if (SDL_WasInit(SDL_INIT_VIDEO)) {
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
    viewer->window = NULL;
    viewer->context = NULL;
    return cairn_is_ok(status) ? filmed : status;
}

// ---- events ----

static void take_key(CairnViewer *viewer, SDL_Keycode code) {
    static const struct {
        SDL_Keycode code;
        CairnUiKey key;
    } edits[] = {{SDLK_RETURN, CAIRN_UI_ENTER},    {SDLK_KP_ENTER, CAIRN_UI_ENTER}, {SDLK_ESCAPE, CAIRN_UI_ESCAPE},
                 {SDLK_BACKSPACE, CAIRN_UI_ERASE}, {SDLK_UP, CAIRN_UI_UP},          {SDLK_DOWN, CAIRN_UI_DOWN}};
    if (!cairn_ui_takes_keys(&viewer->ui) && !viewer->wants_filter) {
        if (viewer->shows_help && code == SDLK_ESCAPE) {
            viewer->shows_help = false;
            return;
        }
        cairn_viewer_press(viewer, code);
        return;
    }
    for (int i = 0; i < (int)(sizeof edits / sizeof edits[0]); i++) {
        if (edits[i].code == code && viewer->input.key_count < CAIRN_UI_KEYS) {
            viewer->input.keys[viewer->input.key_count++] = edits[i].key;
        }
    }
}

static unsigned fly_bit(SDL_Keycode code) {
    static const SDL_Keycode codes[] = {SDLK_w, SDLK_a, SDLK_s, SDLK_d, SDLK_e, SDLK_q};
    for (unsigned i = 0; i < 6; i++) {
        if (codes[i] == code) {
            return 1u << i;
        }
    }
    return 0;
}

static void take_text(CairnViewer *viewer, const char *text) {
    size_t used = strlen(viewer->input.text), more = strlen(text);
    if (cairn_ui_takes_keys(&viewer->ui) && used + more < sizeof viewer->input.text) {
        memcpy(viewer->input.text + used, text, more + 1);
    }
}

static void move_mouse(CairnViewer *viewer, int x, int y) {
    int width, height;
    SDL_GetWindowSize(viewer->window, &width, &height);
    viewer->input.x = width > 0 ? (double)x * viewer->width / width : x;
    viewer->input.y = height > 0 ? (double)y * viewer->height / height : y;
}

static void take_button(CairnViewer *viewer, const SDL_MouseButtonEvent *button) {
    bool is_down = button->type == SDL_MOUSEBUTTONDOWN, is_left = button->button == SDL_BUTTON_LEFT;
    move_mouse(viewer, button->x, button->y);
    bool is_taken = cairn_ui_takes_mouse(&viewer->ui, viewer->input.x, viewer->input.y);
    if (is_left && is_down) {
        viewer->input.is_down = viewer->input.was_pressed = true;
    } else if (is_left) {
        viewer->input.was_released = viewer->input.is_down;
        viewer->input.is_down = false;
    }
    if (is_down && !is_taken) {
        cairn_viewer_mouse_down(viewer, button);
    } else if (!is_down && viewer->hand.mode != CAIRN_HAND_MODE_NONE) {
        cairn_viewer_mouse_up(viewer, button);
    }
}

static void take_motion(CairnViewer *viewer, const SDL_MouseMotionEvent *motion) {
    move_mouse(viewer, motion->x, motion->y);
    bool is_taken = cairn_ui_takes_mouse(&viewer->ui, viewer->input.x, viewer->input.y) || viewer->ui.active;
    if (viewer->hand.mode != CAIRN_HAND_MODE_NONE || !is_taken) {
        cairn_viewer_mouse_move(viewer, motion);
    }
}

static void handle(CairnViewer *viewer, const SDL_Event *event) {
    if (event->type == SDL_QUIT) {
        viewer->is_ending = true;
    } else if (!viewer->ui.menu && cairn_viewer_scrub(viewer, event)) {
        return;
    } else if (event->type == SDL_KEYDOWN) {
        unsigned bit = cairn_ui_takes_keys(&viewer->ui) ? 0 : fly_bit(event->key.keysym.sym);
        viewer->flying |= bit;
        if (!bit) {
            take_key(viewer, event->key.keysym.sym);
        }
    } else if (event->type == SDL_KEYUP) {
        viewer->flying &= ~fly_bit(event->key.keysym.sym);
    } else if (event->type == SDL_TEXTINPUT) {
        take_text(viewer, event->text.text);
    } else if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP) {
        take_button(viewer, &event->button);
    } else if (event->type == SDL_MOUSEMOTION) {
        take_motion(viewer, &event->motion);
    } else if (event->type == SDL_MOUSEWHEEL) {
        if (cairn_ui_takes_mouse(&viewer->ui, viewer->input.x, viewer->input.y)) {
            viewer->input.wheel += event->wheel.y;
        } else {
            cairn_orbit_zoom(&viewer->orbit, event->wheel.y);
        }
    } else if (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
        viewer->flying = 0; // their keys come up unseen
    }
}

// ---- time ----

// The next frame at which all must stop: a picture's or the last.
static int stop_at(const CairnViewer *viewer) {
    const CairnViewOptions *options = viewer->options;
    int stop = options->frames > 0 ? options->frames : INT32_MAX;
    if (options->video && !viewer->has_filmed) {
        return 0; // the film begins with what is there before the first step
    }
    if (viewer->film.video.is_open && viewer->film.next < stop) {
        stop = viewer->film.next;
    }
    for (int i = viewer->shots_done; i < options->run.shot_count; i++) {
        stop = options->run.shots[i].frame < stop ? options->run.shots[i].frame : stop;
    }
    return stop;
}

enum { MOST_AHEAD = 8 }; // frames requested at once

static void move_time(CairnViewer *viewer, double passed) {
    int done = cairn_crew_done(&viewer->crew), stop = stop_at(viewer), steps = viewer->options->run.steps;
    bool pauses = steps > 0 && !viewer->options->frames && !viewer->options->is_hidden;
    if (pauses && !viewer->has_paused) { // once; the user may go on from there
        stop = steps < stop ? steps : stop;
        viewer->has_paused = done >= steps;
        viewer->is_paused = viewer->is_paused || viewer->has_paused;
    }
    if (viewer->is_paused) {
        return;
    }
    if (viewer->options->is_hidden) { // there is no window to watch: as fast as it goes
        cairn_crew_want(&viewer->crew, stop < INT32_MAX ? stop : done + MOST_AHEAD);
        return;
    }
    viewer->owed += passed * ldexp(1, viewer->speed);
    int due = (int)fmin(viewer->owed / viewer->dt, MOST_AHEAD);
    if (due > 0 && cairn_crew_is_idle(&viewer->crew)) {
        cairn_crew_want(&viewer->crew, done + due < stop ? done + due : stop);
        viewer->owed -= due * viewer->dt;
    }
    viewer->owed = fmin(viewer->owed, MOST_AHEAD * viewer->dt); // what steps too slowly is seen in slow motion
}

// ---- pictures ----

// Pictures that are due, in the order of their frames (which the options are sorted by).
static CairnStatus take_shots(CairnViewer *viewer, int frame) {
    const CairnRunOptions *run = &viewer->options->run;
    while (viewer->shots_done < run->shot_count && run->shots[viewer->shots_done].frame <= frame) {
        CairnImage image;
        CAIRN_TRY(cairn_gpu_target_read(&viewer->target, &image));
        CairnStatus status = cairn_image_write_png(&image, run->shots[viewer->shots_done].path);
        cairn_image_free(&image);
        CAIRN_TRY(status);
        viewer->shots_done++;
    }
    return cairn_ok();
}

static void notify_watch(CairnViewer *viewer) {
    const CairnLook *look = &viewer->look;
    CairnSightWants wants = {.joints = look->joints || look->interface || look->coloring == CAIRN_COLOR_ISLAND,
                             .residuals = look->coloring == CAIRN_COLOR_RESIDUAL,
                             .body = viewer->hand.body,
                             .generation = viewer->hand.generation};
    cairn_crew_look_for(&viewer->crew, &wants);
}

static void notify_saved(CairnViewer *viewer) {
    char words[200];
    int serial = cairn_crew_saved(&viewer->crew, words, sizeof words);
    if (serial != viewer->saved_serial) {
        viewer->saved_serial = serial;
        cairn_viewer_notify(viewer, words);
    }
}

CairnStatus cairn_viewer_turn(CairnViewer *viewer) {
    SDL_Event event;
    bool has_event = false;
    while (SDL_PollEvent(&event)) {
        handle(viewer, &event);
        has_event = true;
    }
    viewer->has_input = has_event;
    double now = cairn_viewer_clock(), passed = fmin(now - viewer->last_clock, 0.25);
    viewer->last_clock = now;
    if (has_event) { // a fine picture would keep the next one waiting
        viewer->pace.changed = now;
        viewer->fine.is_begun = false;
    }
    move_time(viewer, passed);
    notify_watch(viewer);
    notify_saved(viewer);
    has_event = cairn_viewer_reload(viewer) || has_event;
    cairn_viewer_mouse_turn(viewer, passed);
    int stop = stop_at(viewer);
    bool is_due = stop < INT32_MAX && cairn_crew_done(&viewer->crew) >= stop && cairn_crew_is_idle(&viewer->crew);
    if (viewer->options->is_hidden && !is_due && stop < INT32_MAX) {
        SDL_Delay(2); // nothing to show before the requested frame
        for (int i = 0; i < viewer->crew.view_count; i++) {
            const CairnSight *sight = cairn_crew_look(&viewer->crew, i);
            if (!cairn_is_ok(sight->status)) {
                return cairn_error(sight->status.code, "%s, frame %d: %s", sight->solver, sight->frame,
                                   sight->status.message);
            }
        }
        return cairn_ok();
    }
    if (cairn_viewer_is_still(viewer, has_event) && !is_due) {
        if (cairn_viewer_wants_fine(viewer)) {
            return cairn_viewer_refine(viewer);
        }
        SDL_Delay(8);
        return cairn_ok();
    }
    const CairnSight *sights[CAIRN_CREW_VIEWS];
    CAIRN_TRY(cairn_viewer_fit_ink(viewer));
    CAIRN_TRY(cairn_viewer_paint(viewer, sights));
    cairn_viewer_write_picture(viewer);
    if (viewer->options->video && !viewer->has_filmed) { // now the size is known
        viewer->has_filmed = true;
        CAIRN_TRY(cairn_viewer_film(viewer, viewer->options->video));
    }
    CAIRN_TRY(cairn_viewer_film_turn(viewer, sights[0]->frame));
    if (is_due) {
        CAIRN_TRY(take_shots(viewer, sights[0]->frame));
        bool has_more = viewer->shots_done < viewer->options->run.shot_count;
        bool is_last = viewer->options->frames > 0 ? sights[0]->frame >= viewer->options->frames
                                                   : viewer->options->is_hidden && !has_more;
        viewer->is_ending = viewer->is_ending || is_last;
    }
    return cairn_ok();
}
