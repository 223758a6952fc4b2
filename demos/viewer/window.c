// The window itself: how it is opened, at which size words are drawn in it, and what is remembered of it.
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// Pixels of what is one at 96 dots an inch: where the window's units are pixels, it follows from the display's density.
static double display_scale(const CairnViewer *viewer) {
    int pixels, points, display = SDL_GetWindowDisplayIndex(viewer->window);
    float dots = 96;
    SDL_GL_GetDrawableSize(viewer->window, &pixels, NULL);
    SDL_GetWindowSize(viewer->window, &points, NULL);
    double scale = points > 0 ? (double)pixels / points : 1;
    if (scale <= 1 && display >= 0 && SDL_GetDisplayDPI(display, NULL, &dots, NULL) == 0) {
        scale = floor(4 * cairn_clamp((double)dots / 96, 1, 4) + 0.5) / 4;
    }
    return scale;
}

// The driver's messages on our calls, where `checks_gl` enables them.
static void APIENTRY hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *words,
                          const void *user) {
    CairnViewer *viewer = (CairnViewer *)(uintptr_t)user; // it is ours; the callback's signature has const
    (void)source;
    (void)id;
    (void)severity;
    (void)length;
    if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) {
        viewer->gl_errors++;
        snprintf(viewer->gl_words, sizeof viewer->gl_words, "%s", words);
    }
}

static void listen(CairnViewer *viewer) {
    if (viewer->options->checks_gl && epoxy_has_gl_extension("GL_KHR_debug")) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS); // reported within the wrong call, on its thread
        glDebugMessageCallback(hear, viewer);
        viewer->hears_gl = true;
    }
}

// A hidden window needs no display: without one SDL's offscreen driver gives it a surface of EGL's.
static bool open_video(bool is_hidden) {
    bool has_display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("SDL_VIDEODRIVER") || !is_hidden;
    if (has_display && SDL_InitSubSystem(SDL_INIT_VIDEO) == 0) {
        const char *driver = SDL_GetCurrentVideoDriver();
        if (strcmp(driver, "dummy") != 0 && (is_hidden || strcmp(driver, "offscreen") != 0)) {
            return true;
        }
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
    if (!is_hidden) {
        return false;
    }
    SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "offscreen", SDL_HINT_OVERRIDE);
    bool is_open = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
    SDL_ResetHint(SDL_HINT_VIDEODRIVER);
    return is_open;
}

CairnStatus cairn_viewer_open_window(CairnViewer *viewer) {
    const CairnRunOptions *run = &viewer->options->run;
    if (!open_video(viewer->options->is_hidden)) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "there is no display for the viewer (neither X11 nor Wayland answers); %s", instead);
    }
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, viewer->options->checks_gl ? SDL_GL_CONTEXT_DEBUG_FLAG : 0);
    Uint32 hidden = viewer->options->is_hidden ? SDL_WINDOW_HIDDEN : SDL_WINDOW_SHOWN;
    int width = run->width ? run->width : viewer->settings.width;
    int height = run->height ? run->height : viewer->settings.height;
    char title[120];
    snprintf(title, sizeof title, "cairn: %.80s", run->scene);
    viewer->window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
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
    viewer->is_software = cairn_gpu_is_software();
    SDL_SetWindowMinimumSize(viewer->window, 320, 200);
    SDL_GL_SetSwapInterval(viewer->options->is_hidden ? 0 : 1);
    viewer->scale = display_scale(viewer);
    listen(viewer);
    return cairn_ok();
}

// Words and widgets at the size that the display's density and the settings give; again when either changes.
CairnStatus cairn_viewer_fit_ink(CairnViewer *viewer) {
    double size = floor(18 * viewer->scale * viewer->settings.text_size + 0.5);
    if (viewer->ink.program && (size == viewer->ink.size || viewer->ui.active)) {
        return cairn_ok();
    }
    if (viewer->ink.program) {
        cairn_ink_close(&viewer->ink);
    }
    CAIRN_TRY(cairn_ink_open(&viewer->ink, size, false));
    cairn_ui_open(&viewer->ui, &viewer->ink);
    return cairn_ok();
}

// ---- what is remembered ----

static bool remembers(const CairnViewer *viewer, char *path, size_t size) {
    bool is_real = !viewer->options->is_hidden && !viewer->options->ignores_settings;
    return is_real && cairn_settings_path(path, size);
}

void cairn_viewer_read_settings(CairnViewer *viewer) {
    char path[1024];
    bool is_remembered = remembers(viewer, path, sizeof path);
    CairnSettings settings = viewer->settings = is_remembered ? cairn_settings_read(path) : cairn_settings();
    const char *panel = viewer->options->panel;
    viewer->look =
        (CairnLook){.forces = settings.forces, .worst = true, .occlusion = settings.occlusion, .dark = settings.dark};
    viewer->shows_panel = settings.panel && is_remembered && !panel;
    viewer->shows_charts = settings.charts && is_remembered && !panel;
    viewer->shows_hints = settings.hints && is_remembered;
    viewer->tab = settings.tab;
    for (int i = 0; panel && i < CAIRN_PANEL_COUNT; i++) {
        if (strstr(panel, cairn_panel_names[i])) {
            viewer->tab = i;
            viewer->shows_panel = true;
        }
    }
    viewer->shows_charts = viewer->shows_charts || (panel && strstr(panel, "charts"));
    viewer->shows_help = panel && strstr(panel, "help");
    viewer->look.dark = viewer->look.dark || (panel && strstr(panel, "dark"));
}

void cairn_viewer_write_settings(CairnViewer *viewer) {
    char path[1024];
    if (!viewer->window || !remembers(viewer, path, sizeof path)) {
        return;
    }
    CairnSettings settings = viewer->settings;
    settings.dark = viewer->look.dark;
    settings.panel = viewer->shows_panel;
    settings.charts = viewer->shows_charts;
    settings.hints = false; // they were shown
    settings.forces = viewer->look.forces;
    settings.occlusion = viewer->look.occlusion;
    settings.tab = viewer->tab;
    SDL_GetWindowSize(viewer->window, &settings.width, &settings.height);
    CairnStatus status = cairn_settings_write(&settings, path);
    (void)status; // a folder that may not be written to does not prevent quitting
}
