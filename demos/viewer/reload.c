#include "demos/viewer/reload.h"
#include "demos/program/session/scene_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIED_STEPS = 5 };

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

// A library that was written anew under its old name would not be loaded again: so each is a copy with a name of its
// own.
static CairnStatus copy_library(const char *source, char copy[CAIRN_RUN_PATH]) {
    const char *base = getenv("TMPDIR");
    char bytes[65536];
    char folder[920];
    snprintf(folder, sizeof folder, "%.900s/cairn-scene-XXXXXX", base && base[0] ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return cairn_error(CAIRN_IO, "cannot make the folder %.120s: %s", folder, strerror(errno));
    }
    snprintf(copy, CAIRN_RUN_PATH, "%s/scene.so", folder);
    FILE *in = fopen(source, "rb"), *out = in ? fopen(copy, "wb") : NULL;
    bool is_good = in && out;
    for (size_t got; is_good && (got = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        is_good = fwrite(bytes, 1, got, out) == got;
    }
    if (in) {
        fclose(in);
    }
    is_good = out && fclose(out) == 0 && is_good;
    return is_good ? cairn_ok() : cairn_error(CAIRN_IO, "scene file %.120s: %s", source, strerror(errno));
}

static CairnStatus make(CairnReload *reload) {
    CairnRunOptions options = cairn_run_options();
    if (cairn_scene_file_is(reload->source)) {
        CAIRN_TRY(cairn_scene_file_build("scene", reload->source, reload->fresh, reload->heard, sizeof reload->heard));
    } else {
        CAIRN_TRY(copy_library(reload->source, reload->fresh));
    }
    options.scene = reload->fresh;
    options.seed = reload->tried.seed;
    CairnStatus status = cairn_scene_file_try(&options, TRIED_STEPS, reload->heard, sizeof reload->heard);
    if (!cairn_is_ok(status)) {
        cairn_scene_file_remove(reload->fresh);
    }
    return status;
}

static int run(void *data) {
    CairnReload *reload = data;
    reload->status = make(reload);
    SDL_AtomicSet(&reload->is_done, 1);
    return 0;
}

// Remembers how the file is.
static bool has_changed(CairnReload *reload) {
    struct stat now;
    if (stat(reload->source, &now) != 0) {
        return false; // editors take it away for a moment
    }
    bool is_other = now.st_mtim.tv_sec != reload->changed.tv_sec || now.st_mtim.tv_nsec != reload->changed.tv_nsec ||
                    now.st_size != reload->size;
    reload->changed = now.st_mtim;
    reload->size = now.st_size;
    return is_other;
}

static void report(CairnReload *reload) {
    snprintf(reload->words, sizeof reload->words, "%s\n%.3800s", reload->status.message, reload->heard);
}

static void take(CairnReload *reload) {
    char *old = reload->library;
    if (old[0]) {
        cairn_scene_file_remove(old);
    }
    snprintf(old, sizeof reload->library, "%s", reload->fresh);
    reload->words[0] = '\0';
}

CairnStatus cairn_reload_open(CairnReload *reload, CairnRunOptions *options) {
    *reload = (CairnReload){.size = -1};
    // A recording names its scene, which cannot change.
    if (!options->scene || options->record ||
        (!cairn_scene_file_is(options->scene) && !ends_in(options->scene, ".so"))) {
        return cairn_ok();
    }
    snprintf(reload->source, sizeof reload->source, "%s", options->scene);
    if (access(reload->source, R_OK) != 0) {
        return cairn_error(CAIRN_IO, "scene file %.150s: %s", options->scene, strerror(errno));
    }
    reload->plan.seed = reload->tried.seed = options->seed;
    for (int i = 0; i < options->params.count; i++) {
        snprintf(reload->plan.params[i], CAIRN_PLAN_PARAM, "%s", options->params.items[i]);
    }
    reload->plan.param_count = options->params.count;
    (void)has_changed(reload);
    reload->status = make(reload);
    if (cairn_is_ok(reload->status)) {
        take(reload);
        options->scene = reload->library;
        return cairn_ok();
    }
    report(reload);
    reload->has_plan = true;
    options->scene = CAIRN_SOURCE_NOTHING;
    options->params.count = 0;
    return cairn_ok();
}

bool cairn_reload_turn(CairnReload *reload, const CairnPlan *plan, double now, const char **library) {
    *library = NULL;
    if (!reload->source[0]) {
        return false;
    }
    if (reload->thread && SDL_AtomicGet(&reload->is_done)) {
        SDL_WaitThread(reload->thread, NULL);
        reload->thread = NULL;
        if (!cairn_is_ok(reload->status)) {
            report(reload);
            return true;
        }
        take(reload);
        *library = reload->library;
        return true;
    }
    if (!reload->thread && now >= reload->next_look) {
        reload->next_look = now + 0.25;
        if (has_changed(reload)) {
            reload->tried = *plan;
            reload->heard[0] = '\0';
            SDL_AtomicSet(&reload->is_done, 0);
            reload->thread = SDL_CreateThread(run, "compile", reload);
        }
    }
    return false;
}

void cairn_reload_close(CairnReload *reload) {
    if (reload->thread) {
        SDL_WaitThread(reload->thread, NULL);
        reload->thread = NULL;
        if (cairn_is_ok(reload->status)) {
            cairn_scene_file_remove(reload->fresh);
        }
    }
    if (reload->library[0]) {
        cairn_scene_file_remove(reload->library);
        reload->library[0] = '\0';
    }
}
