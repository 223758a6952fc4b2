#include "tests/support/support_window.h"
#include "tests/support/support.h"

#ifdef CAIRN_VIEWER
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- leaks ----

// The drivers, and the libraries through which SDL talks to the desktop, keep memory to the end. Their leaks are
// recognised by the libraries' names. SDL itself is not among these, for it starts our threads and so is in their
// stacks.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libGLX_\nleak:libEGL_\nleak:libgallium\nleak:_dri.so\nleak:libLLVM\nleak:libglapi\nleak:"
           "libfontconfig\n"
           "leak:libdbus\n";
}

// And libraries that are unloaded at the end have no names: each that is there now is opened once more, and stays.
void support_keep_libraries(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[600];
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (path && strstr(path, ".so")) {
            path[strcspn(path, "\n")] = '\0';
            dlopen(path, RTLD_NOW | RTLD_NOLOAD);
        }
    }
    if (maps) {
        fclose(maps);
    }
}

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

// Nothing but this address, which no one reads, knows of the memory.
static __attribute__((noinline)) uintptr_t lose_memory(void) {
    return ~(uintptr_t)malloc(1000);
}

void support_leaks_are_found(void **state) {
    (void)state;
    if (!__lsan_do_recoverable_leak_check) {
        print_message("skipped: this build has no leak checker\n");
        skip();
    }
    assert_int_equal(__lsan_do_recoverable_leak_check(), 0);
    volatile uintptr_t lost[8]; // of some the stack may still hold the address
    for (int i = 0; i < 8; i++) {
        lost[i] = lose_memory();
    }
    print_message("a leak on purpose:\n");
    assert_int_equal(__lsan_do_recoverable_leak_check(), 1);
    for (int i = 0; i < 8; i++) {
        free((void *)~lost[i]);
    }
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

static void write_fault(int out) {
    SDL_Window *window = NULL;
    SDL_GLContext context = NULL;
    if (SDL_Init(SDL_INIT_VIDEO) == 0) {
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
        window = SDL_CreateWindow("probe", 0, 0, 64, 64, SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
        context = window ? SDL_GL_CreateContext(window) : NULL;
    }
    if (!context) {
        dprintf(out, "the display has no OpenGL 3.3: %.100s", SDL_GetError());
    }
}

// Whether the display has OpenGL 3.3, found out without any code of the viewer: a test is skipped where the machine
// lacks it. This runs in a child process, so that the drivers that it loads, and the memory that they keep, end with
// it.
static const char *find_fault(void) {
    static char fault[160];
    int pipes[2];
    if (pipe(pipes) != 0) {
        return "no pipe to ask for OpenGL through";
    }
    pid_t child = fork();
    if (child == 0) {
        write_fault(pipes[1]);
        _exit(0);
    }
    close(pipes[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(pipes[0], fault + length, sizeof fault - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    close(pipes[0]);
    int code = 1;
    waitpid(child, &code, 0);
    return length > 0 ? fault : code != 0 ? "the driver crashes" : NULL;
}

int support_display_open(void **state) {
    static Display display;
    *state = &display;
    display = (Display){.server = -1, .why = "there is no Xvfb here"};
    int out;
    display.server = start_server(&out);
    if (display.server < 0) {
        return 0;
    }
    // The server writes its number when it is ready, and then the line's end: a pipe closed between the two would end
    // it.
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

int support_display_close(void **state) {
    const Display *display = *state;
    if (display->server > 0) {
        kill(display->server, SIGTERM);
        waitpid(display->server, NULL, 0);
    }
    return 0;
}

void support_display_need(void **state) {
    const Display *display = *state;
    if (display->why) {
        print_message("skipped: %s\n", display->why);
        skip();
    }
}

// ---- a viewer, and what is done to it ----

CairnViewOptions support_stage_options(const char *scene) {
    CairnViewOptions options = {.run = cairn_run_options()};
    options.run.width = 360;
    options.run.height = 240;
    options.run.scene = scene;
    options.run.needs_parts = true;
    options.ignores_settings = true;
    options.checks_gl = true;
    return options;
}

SupportStage *support_stage_open_with(const CairnViewOptions *options) {
    SupportStage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    stage->options = *options;
    assert_ok(cairn_viewer_open(&stage->viewer, &stage->options));
    support_keep_libraries();
    return stage;
}

SupportStage *support_stage_open(const char *scene, const char *param, const char *solvers) {
    CairnViewOptions options = support_stage_options(scene);
    if (param) {
        options.run.params.items[options.run.params.count++] = param;
    }
    if (solvers) {
        assert_ok(cairn_choices_split(solvers, &options.solvers));
    }
    return support_stage_open_with(&options);
}

void support_stage_close(SupportStage *stage) {
    assert_string_equal(stage->viewer.gl_words, "");
    assert_int_equal(stage->viewer.gl_errors, 0);
    assert_ok(cairn_viewer_close(&stage->viewer));
    free(stage);
}

void support_stage_turn(SupportStage *stage, int times) {
    for (int i = 0; i < times; i++) {
        assert_ok(cairn_viewer_turn(&stage->viewer));
    }
}

void support_stage_send(SupportStage *stage, SDL_Event event) {
    assert_int_equal(SDL_PushEvent(&event), 1);
    support_stage_turn(stage, 1);
}

void support_stage_press(SupportStage *stage, SDL_Keycode code) {
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = code;
    support_stage_send(stage, event);
}

void support_stage_mouse(SupportStage *stage, double x, double y, int button) {
    SDL_Event event = {.type = SDL_MOUSEMOTION};
    event.motion = (SDL_MouseMotionEvent){.type = SDL_MOUSEMOTION,
                                          .state = button ? 1u << (button - 1) : 0, // SDL_BUTTON, unsigned
                                          .x = (int)x,
                                          .y = (int)y,
                                          .xrel = (int)x - stage->mouse_x,
                                          .yrel = (int)y - stage->mouse_y};
    stage->mouse_x = (int)x;
    stage->mouse_y = (int)y;
    support_stage_send(stage, event);
}

void support_stage_button(SupportStage *stage, int button, bool is_down) {
    SDL_Event event = {.type = is_down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP};
    event.button = (SDL_MouseButtonEvent){.type = event.type,
                                          .button = (Uint8)button,
                                          .state = is_down ? SDL_PRESSED : SDL_RELEASED,
                                          .x = stage->mouse_x,
                                          .y = stage->mouse_y};
    support_stage_send(stage, event);
}

void support_stage_click(SupportStage *stage, double x, double y) {
    support_stage_mouse(stage, x, y, 0);
    support_stage_button(stage, SDL_BUTTON_LEFT, true);
    support_stage_button(stage, SDL_BUTTON_LEFT, false);
}

void support_stage_type(SupportStage *stage, const char *text) {
    SDL_Event event = {.type = SDL_TEXTINPUT};
    snprintf(event.text.text, sizeof event.text.text, "%s", text);
    support_stage_send(stage, event);
}

static void rest(SupportStage *stage) {
    CairnCrew *crew = &stage->viewer.crew;
    do {
        support_stage_turn(stage, 1);
        for (int i = 0; i < 20 && !cairn_crew_is_idle(crew);
             i++) { // pictures in between would take time from the steps
            SDL_Delay(1);
        }
    } while (!cairn_crew_is_idle(crew));
}

void support_stage_wait(SupportStage *stage) {
    rest(stage);
    support_stage_turn(stage, 1); // what came last is shown, too
}

const CairnSight *support_stage_look(SupportStage *stage, int view) {
    return cairn_crew_look(&stage->viewer.crew, view);
}

uint64_t support_stage_hash(SupportStage *stage, int view) {
    rest(stage);
    return cairn_world_state_hash(stage->viewer.crew.views[view].session.world);
}
#else

static void there_is_no_viewer(void **state) {
    (void)state;
    print_message("skipped: this build has no viewer (SDL2, libepoxy, cglm)\n");
    skip();
}

int support_without_viewer(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_no_viewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
