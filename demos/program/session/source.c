#define _GNU_SOURCE // dladdr1: the size of a symbol
#include "demos/program/session/source.h"
#include "demos/program/session/scene_file.h"
#include "demos/scenes/builders.h"
#include "demos/scenes/scenes.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A struct of another size was compiled against another version of scene.h: nothing in it may be believed.
static CairnStatus check_size(const char *path, const void *symbol) {
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) || !extra) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: cannot read the size of the symbol cairn_scene", path);
    }
    const ElfW(Sym) *entry = extra;
    if (entry->st_size != sizeof(CairnScene)) {
        return cairn_error(
            CAIRN_INVALID_ARGUMENT,
            "%s: cairn_scene has %zu bytes, this program's CairnScene has %zu: compile it against these headers", path,
            (size_t)entry->st_size, sizeof(CairnScene));
    }
    return cairn_ok();
}

static CairnStatus open_library(const char *path, CairnSource *source) {
    if (access(path, R_OK) != 0) {
        return cairn_error(CAIRN_IO, "scene file %s: there is no such file, or it may not be read", path);
    }
    // dlopen takes a name without a slash for one to be searched for.
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene file %s: %s", path, dlerror());
    }
    const void *symbol = dlsym(library, "cairn_scene");
    CairnStatus status =
        symbol ? check_size(path, symbol)
               : cairn_error(CAIRN_INVALID_ARGUMENT, "scene file %s does not export the symbol cairn_scene", path);
    if (cairn_is_ok(status)) {
        source->scene = symbol;
        source->library = library;
        status = cairn_scene_validate(source->scene);
    }
    if (!cairn_is_ok(status)) {
        *source = (CairnSource){NULL, NULL};
        dlclose(library);
    }
    return status;
}

// What the compiler said is shown as it is.
static CairnStatus open_file(const char *name, CairnSource *source) {
    char library[CAIRN_RUN_PATH], words[8192];
    CairnStatus status = cairn_scene_file_build(name, library, words, sizeof words);
    fputs(words, stderr);
    CAIRN_TRY(status);
    status = open_library(library, source);
    cairn_scene_file_remove(library);
    return status;
}

static CairnStatus build_nothing(CairnSceneRun *run) {
    return cairn_build_ground(run->world, 0.5, 0);
}

static const CairnScene nothing = {
    .name = "nothing",
    .summary = "the ground",
    .watch = "There is nothing to see.",
    .params = {"nothing", 0, NULL, 0},
    .step = 1.0 / 60,
    .steps = 60,
    .camera = {.eye = {4, -8, 4}, .target = {0, 0, 1}, .fov = 36},
    .build = build_nothing,
};

CairnStatus cairn_source_open(const char *name, CairnSource *source) {
    size_t length = strlen(name);
    *source = (CairnSource){NULL, NULL};
    if (strcmp(name, CAIRN_SOURCE_NOTHING) == 0) {
        source->scene = &nothing;
        return cairn_ok();
    }
    if (cairn_scene_file_is(name)) {
        return open_file(name, source);
    }
    if (strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0)) {
        return open_library(name, source);
    }
    return cairn_scene_find(name, &source->scene);
}

void cairn_source_close(CairnSource *source) {
    if (source->library) {
        dlclose(source->library);
    }
    *source = (CairnSource){NULL, NULL};
}
