// The viewer in a real window on a display of its own (Xvfb), driven by synthetic events. Skipped in words where the build has no
// viewer or the machine has no Xvfb.
#include "tests/support.h"
#ifdef CAIRN_VIEWER
#include "demos/viewer/viewer.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The drivers keep memory to the end, from libraries that are unloaded by then and so cannot be named: no leak check here alone.
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return 1;
}

// ---- a display ----

typedef struct Display {
    pid_t server;
    const char *why; // not NULL: there is none
} Display;

static pid_t start_server(int *out) {
    int pipes[2];
    if (pipe(pipes) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        char number[16];
        close(pipes[0]);
        snprintf(number, sizeof number, "%d", pipes[1]);
        (void)!freopen("/dev/null", "w", stderr);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset",
               (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    *out = pipes[0];
    return child;
}

// Has the display OpenGL 3.3, asked without any code of the viewer's? What a machine lacks is no fault of ours.
static const char *find_fault(void) {
    static char fault[160];
    SDL_Window *window = NULL;
    SDL_GLContext context = NULL;
    if (SDL_Init(SDL_INIT_VIDEO) == 0) {
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
        window = SDL_CreateWindow("probe", 0, 0, 64, 64, SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
        context = window ? SDL_GL_CreateContext(window) : NULL;
    }
    snprintf(fault, sizeof fault, "the display has no OpenGL 3.3: %.100s", SDL_GetError());
    bool is_fine = context != NULL;
    if (context) {
        SDL_GL_DeleteContext(context);
    }
    if (window) {
        SDL_DestroyWindow(window);
    }
    SDL_Quit();
    return is_fine ? NULL : fault;
}

static int open_display(void **state) {
    static Display display;
    *state = &display;
    display = (Display){.server = -1, .why = "there is no Xvfb here"};
    int out;
    display.server = start_server(&out);
    if (display.server < 0) {
        return 0;
    }
    // The server writes its number when it is ready, and then the line's end: a pipe closed between the two would end it.
    char number[16] = "", name[24];
    size_t length = 0;
    for (ssize_t got;
         length + 1 < sizeof number && (got = read(out, number + length, sizeof number - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    close(out);
    if (length > 0) {
        number[strcspn(number, "\n")] = '\0';
        snprintf(name, sizeof name, ":%s", number);
        setenv("DISPLAY", name, 1);
        setenv("SDL_VIDEODRIVER", "x11", 1);
        setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
        display.why = find_fault();
    }
    return 0;
}

static int close_display(void **state) {
    const Display *display = *state;
    if (display->server > 0) {
        kill(display->server, SIGTERM);
        waitpid(display->server, NULL, 0);
    }
    return 0;
}

static void need_display(void **state) {
    const Display *display = *state;
    if (display->why) {
        print_message("skipped: %s\n", display->why);
        skip();
    }
}

// ---- a viewer, and what is done to it ----

typedef struct Stage {
    CairnViewOptions options;
    CairnViewer viewer;
} Stage;

static Stage *open_stage(const char *scene, const char *param, const char *solvers) {
    Stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    stage->options.run = cairn_run_options();
    stage->options.run.width = 360;
    stage->options.run.height = 240;
    stage->options.run.scene = scene;
    stage->options.run.needs_parts = true;
    if (param) {
        stage->options.run.params.items[stage->options.run.params.count++] = param;
    }
    if (solvers) {
        assert_ok(cairn_choices_split(solvers, &stage->options.solvers));
    }
    assert_ok(cairn_viewer_open(&stage->viewer, &stage->options));
    return stage;
}

static void close_stage(Stage *stage) {
    assert_int_equal(stage->viewer.gl_errors, 0);
    cairn_viewer_close(&stage->viewer);
    free(stage);
}

static void turn(Stage *stage, int times) {
    for (int i = 0; i < times; i++) {
        assert_ok(cairn_viewer_turn(&stage->viewer));
    }
}

static void press(Stage *stage, SDL_Keycode code) {
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = code;
    assert_int_equal(SDL_PushEvent(&event), 1);
    turn(stage, 1);
}

// Until nothing that was asked for is left to do.
static void settle(Stage *stage) {
    do {
        turn(stage, 1);
    } while (!cairn_crew_is_idle(&stage->viewer.crew));
}

static const CairnSight *look(Stage *stage, int view) {
    return cairn_crew_look(&stage->viewer.crew, view);
}

static uint64_t hash_of(Stage *stage, int view) {
    settle(stage);
    return cairn_world_state_hash(stage->viewer.crew.views[view].session.world);
}

// How much two pictures of the window differ: the mean over all bytes.
static double difference(const CairnImage *a, const CairnImage *b) {
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    double sum = 0;
    size_t count = 3 * (size_t)a->width * (size_t)a->height;
    for (size_t i = 0; i < count; i++) {
        sum += abs(a->pixels[i] - b->pixels[i]);
    }
    return sum / (double)count;
}

// ---- tests ----

static void keys_do_what_the_help_says(void **state) {
    need_display(state);
    Stage *stage = open_stage("log_tower", "logs=12", NULL);
    CairnViewer *viewer = &stage->viewer;
    press(stage, SDLK_SPACE);
    assert_true(viewer->is_paused);
    settle(stage);
    int before = look(stage, 0)->frame;
    press(stage, SDLK_RIGHT);
    settle(stage);
    assert_int_equal(look(stage, 0)->frame, before + 1);
    press(stage, SDLK_n);
    settle(stage);
    assert_int_equal(look(stage, 0)->frame, before + 2);
    assert_true(look(stage, 0)->is_certified);
    assert_string_equal(look(stage, 0)->verdict, "certified");
    int speed = viewer->speed;
    press(stage, SDLK_MINUS);
    assert_int_equal(viewer->speed, speed - 1);
    press(stage, SDLK_PLUS);
    press(stage, SDLK_PLUS);
    assert_int_equal(viewer->speed, speed + 1);
    press(stage, SDLK_c);
    assert_true(viewer->shows_forces && look(stage, 0)->force_count > 0);
    for (int i = 1; i <= CAIRN_COLORING_COUNT; i++) {
        press(stage, SDLK_b);
        assert_int_equal(viewer->coloring, i % CAIRN_COLORING_COUNT);
    }
    press(stage, SDLK_h);
    assert_true(viewer->shows_help);
    press(stage, SDLK_QUESTION);
    assert_false(viewer->shows_help);
    press(stage, SDLK_s);
    press(stage, SDLK_r);
    settle(stage);
    assert_int_equal(look(stage, 0)->frame, 0);
    press(stage, SDLK_ESCAPE);
    assert_true(viewer->is_ending);
    close_stage(stage);
}

static void every_solver_takes_over_live(void **state) {
    need_display(state);
    Stage *stage = open_stage("log_tower", "logs=12", NULL);
    press(stage, SDLK_SPACE);
    int count = 0;
    for (int number = 1; number <= 9 && cairn_viewer_solver(&stage->viewer, number); number++, count++) {
        press(stage, SDLK_0 + number);
        settle(stage);
        int before = look(stage, 0)->frame;
        press(stage, SDLK_n);
        settle(stage);
        assert_ok(look(stage, 0)->status);
        assert_int_equal(look(stage, 0)->frame, before + 1); // went on, did not begin again
        assert_string_equal(look(stage, 0)->solver, cairn_viewer_solver(&stage->viewer, number)->name);
    }
    assert_true(count >= 5);
    press(stage, SDLK_1);
    settle(stage);
    press(stage, SDLK_TAB);
    settle(stage);
    assert_string_equal(look(stage, 0)->solver, cairn_viewer_solver(&stage->viewer, 2)->name);
    close_stage(stage);
}

static void two_solvers_part_and_meet_again(void **state) {
    need_display(state);
    Stage *stage = open_stage("log_tower", "logs=12", "bpp,pgs:iterations=2");
    press(stage, SDLK_SPACE);
    settle(stage);
    assert_int_equal(stage->viewer.crew.view_count, 2);
    for (int i = 0; i < 30; i++) {
        press(stage, SDLK_n);
        settle(stage);
        assert_int_equal(look(stage, 0)->frame, look(stage, 1)->frame);
    }
    assert_true(look(stage, 0)->is_certified);
    assert_false(look(stage, 1)->is_certified);
    assert_non_null(strstr(look(stage, 1)->verdict, "NOT certified: residual"));
    assert_true(hash_of(stage, 0) != hash_of(stage, 1));
    press(stage, SDLK_s);
    assert_true(hash_of(stage, 0) == hash_of(stage, 1));
    assert_int_equal(look(stage, 0)->frame, look(stage, 1)->frame);
    press(stage, SDLK_n);
    assert_true(hash_of(stage, 0) != hash_of(stage, 1));
    close_stage(stage);
}

static void the_mouse_moves_the_camera_and_the_window_may_change(void **state) {
    need_display(state);
    Stage *stage = open_stage("newtons_cradle", NULL, NULL);
    press(stage, SDLK_SPACE);
    settle(stage);
    CairnImage first, second;
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &first));
    turn(stage, 2);
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &second));
    assert_true(difference(&first, &second) == 0); // at rest it stays as it is
    cairn_image_free(&second);
    CairnOrbit before = stage->viewer.orbit;
    SDL_Event event = {.type = SDL_MOUSEMOTION};
    event.motion = (SDL_MouseMotionEvent){
        .type = SDL_MOUSEMOTION, .state = SDL_BUTTON_LMASK, .x = 300, .y = 200, .xrel = 60, .yrel = 10};
    assert_int_equal(SDL_PushEvent(&event), 1);
    turn(stage, 1);
    assert_true(stage->viewer.orbit.yaw != before.yaw && stage->viewer.orbit.pitch > before.pitch);
    event.motion.state = SDL_BUTTON_RMASK;
    assert_int_equal(SDL_PushEvent(&event), 1);
    turn(stage, 1);
    assert_true(cairn_length(cairn_sub(stage->viewer.orbit.target, before.target)) > 0);
    event = (SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL, .y = 1}};
    assert_int_equal(SDL_PushEvent(&event), 1);
    turn(stage, 1);
    assert_near(stage->viewer.orbit.distance, 0.9 * before.distance, 1e-12 * before.distance);
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &second));
    assert_true(difference(&first, &second) > 1);
    cairn_image_free(&second);
    cairn_image_free(&first);
    press(stage, SDLK_f);
    assert_true(stage->viewer.orbit.distance == before.distance);
    SDL_SetWindowSize(stage->viewer.window, 500, 330);
    for (int i = 0; i < 200 && stage->viewer.width != 500; i++) {
        turn(stage, 1);
    }
    assert_int_equal(stage->viewer.target.width, 500);
    assert_int_equal(stage->viewer.target.height, 330);
    close_stage(stage);
}

// The window closes while steps that take long are under way.
static void it_quits_in_the_middle_of_a_step(void **state) {
    need_display(state);
    Stage *stage = open_stage("log_tower", NULL, "bpp,ipm");
    turn(stage, 3);
    SDL_Event event = {.type = SDL_QUIT};
    assert_int_equal(SDL_PushEvent(&event), 1);
    turn(stage, 1);
    assert_true(stage->viewer.is_ending);
    close_stage(stage);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_do_what_the_help_says),
        cmocka_unit_test(every_solver_takes_over_live),
        cmocka_unit_test(two_solvers_part_and_meet_again),
        cmocka_unit_test(the_mouse_moves_the_camera_and_the_window_may_change),
        cmocka_unit_test(it_quits_in_the_middle_of_a_step),
    };
    return cmocka_run_group_tests(tests, open_display, close_display);
}
#else
static void there_is_no_viewer(void **state) {
    (void)state;
    print_message("skipped: this build has no viewer (SDL2, libepoxy, cglm)\n");
    skip();
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_no_viewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
