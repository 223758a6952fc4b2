#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds(void) {
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

// ---- the window ----

static const char *const instead = "cairn run SCENE --screenshot FILE@FRAME draws without a window";

static CairnStatus refuse_gl(CairnViewer *viewer) {
    char why[100];
    snprintf(why, sizeof why, "%s", SDL_GetError());
    SDL_GL_ResetAttributes();
    SDL_GLContext any = viewer->window ? SDL_GL_CreateContext(viewer->window) : NULL;
    const char *found = any ? (const char *)glGetString(GL_VERSION) : NULL;
    CairnStatus status = cairn_error(CAIRN_UNSUPPORTED, "the viewer needs OpenGL 3.3, found %.60s (%.60s); %s",
                                     found ? found : "none", why, instead);
    if (any) {
        SDL_GL_DeleteContext(any);
    }
    return status;
}

static CairnStatus open_window(CairnViewer *viewer) {
    const CairnRunOptions *run = &viewer->options->run;
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0 || strcmp(SDL_GetCurrentVideoDriver(), "dummy") == 0 ||
        strcmp(SDL_GetCurrentVideoDriver(), "offscreen") == 0) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "there is no display for the viewer (neither X11 nor Wayland answers); %s", instead);
    }
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    Uint32 hidden = viewer->options->is_hidden ? SDL_WINDOW_HIDDEN : SDL_WINDOW_SHOWN;
    char title[120];
    snprintf(title, sizeof title, "cairn: %.80s", run->scene);
    viewer->window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, run->width, run->height,
                                      SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | hidden);
    viewer->context = viewer->window ? SDL_GL_CreateContext(viewer->window) : NULL;
    if (!viewer->context) {
        return refuse_gl(viewer);
    }
    if (epoxy_gl_version() < 33) {
        SDL_GL_DeleteContext(viewer->context);
        viewer->context = NULL;
        return refuse_gl(viewer);
    }
    SDL_SetWindowMinimumSize(viewer->window, 320, 200);
    SDL_GL_SetSwapInterval(viewer->options->is_hidden ? 0 : 1);
    return cairn_ok();
}

// A round number of metres (1, 2 or 5 times a power of ten) at most `size`.
static double round_down(double size) {
    double power = pow(10, floor(log10(size)));
    return power * (size >= 5 * power ? 5 : size >= 2 * power ? 2 : 1);
}

// Over the left shoulder of whoever looks first; it stays there when the camera turns.
static CairnVec3 sun_of(const CairnCamera *camera) {
    CairnVec3 back = cairn_normalize(cairn_sub(camera->eye, camera->target));
    CairnVec3 right = cairn_normalize(cairn_cross(cairn_vec3(0, 0, 1), back));
    CairnVec3 level = cairn_normalize_or(cairn_vec3(back.x, back.y, 0), cairn_vec3(0, -1, 0));
    CairnVec3 sun = cairn_add(cairn_vec3(0, 0, 1.25), cairn_add_scaled(cairn_scale(0.42, level), -0.72, right));
    return cairn_normalize(sun);
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

static CairnStatus open_parts(CairnViewer *viewer) {
    CAIRN_TRY(open_crew(viewer));
    const CairnSession *session = &viewer->crew.views[0].session;
    viewer->dt = session->dt;
    viewer->home = viewer->orbit = cairn_orbit(&session->scene->camera);
    viewer->sun = sun_of(&session->scene->camera);
    viewer->range = viewer->home.distance;
    viewer->grid = round_down(0.11 * viewer->range);
    CAIRN_TRY(open_window(viewer));
    int width, points;
    SDL_GL_GetDrawableSize(viewer->window, &width, NULL);
    SDL_GetWindowSize(viewer->window, &points, NULL);
    CAIRN_TRY(cairn_painter_open(&viewer->painter));
    CAIRN_TRY(cairn_labels_open(&viewer->text, 10.0 * width / points));
    CAIRN_TRY(cairn_crew_start(&viewer->crew));
    viewer->last_clock = seconds();
    return cairn_ok();
}

CairnStatus cairn_viewer_open(CairnViewer *viewer, const CairnViewOptions *options) {
    *viewer = (CairnViewer){.options = options};
    CairnStatus status = open_parts(viewer);
    if (!cairn_is_ok(status)) {
        cairn_viewer_close(viewer);
    }
    return status;
}

CairnStatus cairn_viewer_close(CairnViewer *viewer) {
    if (viewer->window) {
        SDL_HideWindow(viewer->window); // at once; a step that is under way may take a while
        SDL_PumpEvents();
    }
    if (viewer->context) {
        cairn_painter_close(&viewer->painter);
        cairn_labels_close(&viewer->text);
        cairn_gpu_target_free(&viewer->target);
        SDL_GL_DeleteContext(viewer->context);
    }
    if (viewer->window) {
        SDL_DestroyWindow(viewer->window);
    }
    CairnStatus status = cairn_crew_close(&viewer->crew);
    if (SDL_WasInit(SDL_INIT_VIDEO)) {
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
    viewer->window = NULL;
    viewer->context = NULL;
    return status;
}

// ---- events ----

// The view at a place of the window, in the window's own units.
static void choose_view(CairnViewer *viewer, int x, int y) {
    int width, height;
    SDL_GetWindowSize(viewer->window, &width, &height);
    x = x * viewer->width / (width > 0 ? width : 1);
    y = y * viewer->height / (height > 0 ? height : 1);
    for (int i = 0; i < viewer->crew.view_count; i++) {
        CairnViewerBox box = cairn_viewer_box(viewer, i);
        if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) {
            viewer->active = i;
        }
    }
}

static void move_mouse(CairnViewer *viewer, const SDL_MouseMotionEvent *motion) {
    int height;
    SDL_GetWindowSize(viewer->window, NULL, &height);
    double scale = 1.0 / (height > 0 ? height : 1), x = motion->xrel * scale, y = motion->yrel * scale;
    bool has_shift = (SDL_GetModState() & KMOD_SHIFT) != 0, is_left = (motion->state & SDL_BUTTON_LMASK) != 0;
    choose_view(viewer, motion->x, motion->y);
    if ((motion->state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK)) || (is_left && has_shift)) {
        cairn_orbit_pan(&viewer->orbit, x, -y);
    } else if (is_left) {
        cairn_orbit_turn(&viewer->orbit, -4 * x, 4 * y);
    }
}

static void handle(CairnViewer *viewer, const SDL_Event *event) {
    if (event->type == SDL_QUIT) {
        viewer->is_ending = true;
    } else if (cairn_viewer_scrub(viewer, event)) {
        return;
    } else if (event->type == SDL_KEYDOWN) {
        cairn_viewer_press(viewer, event->key.keysym.sym);
    } else if (event->type == SDL_MOUSEMOTION) {
        move_mouse(viewer, &event->motion);
    } else if (event->type == SDL_MOUSEWHEEL) {
        cairn_orbit_zoom(&viewer->orbit, event->wheel.y);
    }
}

// ---- time ----

// The next frame at which all must stop: a picture's or the last.
static int stop_at(const CairnViewer *viewer) {
    const CairnViewOptions *options = viewer->options;
    int stop = options->frames > 0 ? options->frames : INT32_MAX;
    for (int i = viewer->shots_done; i < options->run.shot_count; i++) {
        stop = options->run.shots[i].frame < stop ? options->run.shots[i].frame : stop;
    }
    return stop;
}

enum { MOST_AHEAD = 8 }; // frames asked for at once

static void move_time(CairnViewer *viewer) {
    double now = seconds(), passed = fmin(now - viewer->last_clock, 0.25);
    viewer->last_clock = now;
    int done = cairn_crew_done(&viewer->crew), stop = stop_at(viewer);
    if (viewer->is_paused) {
        return;
    }
    if (viewer->options->is_hidden) { // nobody watches: as fast as it goes
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
    int steps = viewer->options->run.steps;
    if (steps > 0 && done >= steps && done < steps + MOST_AHEAD && !viewer->options->frames) {
        viewer->is_paused = true;
    }
}

// ---- pictures ----

static CairnStatus paint(CairnViewer *viewer, const CairnSight **sights) {
    SDL_GL_GetDrawableSize(viewer->window, &viewer->width, &viewer->height);
    CAIRN_TRY(cairn_gpu_target_size(&viewer->target, viewer->width, viewer->height));
    double speed = 0, force = 0;
    for (int i = 0; i < viewer->crew.view_count; i++) {
        sights[i] = cairn_crew_look(&viewer->crew, i);
        for (int k = 0; k < sights[i]->item_count; k++) {
            speed = fmax(speed, (double)sights[i]->items[k].speed);
        }
        for (int k = 0; k < sights[i]->force_count; k++) {
            force = fmax(force, cairn_length(sights[i]->forces[k].force));
        }
    }
    // Up at once, down slowly: neither colours nor arrows flicker.
    viewer->top_speed = fmax(speed, fmax(0.98 * viewer->top_speed, 0.01));
    viewer->top_force = fmax(force, 0.97 * viewer->top_force);
    SDL_LockMutex(viewer->crew.mutex);
    CairnStatus status = cairn_painter_upload(&viewer->painter, &viewer->crew.store);
    SDL_UnlockMutex(viewer->crew.mutex);
    for (int i = 0; i < viewer->crew.view_count && cairn_is_ok(status); i++) {
        CairnViewerBox box = cairn_viewer_box(viewer, i);
        CairnPainting painting = {.sight = sights[i],
                                  .camera = cairn_orbit_camera(&viewer->orbit),
                                  .sun = viewer->sun,
                                  .range = viewer->range,
                                  .grid = viewer->grid,
                                  .x = box.x,
                                  .y = viewer->height - box.y - box.height,
                                  .width = box.width,
                                  .height = box.height,
                                  .frame = viewer->target.many,
                                  .coloring = viewer->coloring,
                                  .top_speed = viewer->top_speed,
                                  .shows_forces = viewer->shows_forces,
                                  .force_length = 0.08 * viewer->orbit.distance / fmax(viewer->top_force, 1e-9)};
        status = cairn_painter_draw(&viewer->painter, &painting);
    }
    CAIRN_TRY(status);
    cairn_viewer_overlay(viewer, sights);
    cairn_gpu_target_show(&viewer->target);
    SDL_GL_SwapWindow(viewer->window);
    while (glGetError() != GL_NO_ERROR) {
        viewer->gl_errors++;
    }
    return cairn_ok();
}

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

CairnStatus cairn_viewer_turn(CairnViewer *viewer) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        handle(viewer, &event);
    }
    move_time(viewer);
    int stop = stop_at(viewer);
    bool is_due = stop < INT32_MAX && cairn_crew_done(&viewer->crew) >= stop && cairn_crew_is_idle(&viewer->crew);
    if (viewer->options->is_hidden && !is_due && stop < INT32_MAX) {
        SDL_Delay(2); // nothing to see before the frame that is asked for
        for (int i = 0; i < viewer->crew.view_count; i++) {
            CAIRN_TRY(cairn_crew_look(&viewer->crew, i)->status);
        }
        return cairn_ok();
    }
    const CairnSight *sights[CAIRN_CREW_VIEWS];
    CAIRN_TRY(paint(viewer, sights));
    if (is_due) {
        CAIRN_TRY(take_shots(viewer, sights[0]->frame));
        bool has_more = viewer->shots_done < viewer->options->run.shot_count;
        bool is_last = viewer->options->frames > 0 ? sights[0]->frame >= viewer->options->frames
                                                   : viewer->options->is_hidden && !has_more;
        viewer->is_ending = viewer->is_ending || is_last;
    }
    return cairn_ok();
}
