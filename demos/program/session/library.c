#define _GNU_SOURCE // dladdr1: the size of a symbol
#include "demos/program/session/library.h"
#include "demos/program/session/scene_file.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A struct of another size was compiled against another version of the headers: nothing in it may be believed.
static CairnStatus check_size(const CairnLibraryKind *kind, const char *name, const void *symbol) {
    Dl_info info;
    void *extra = NULL;
    if (!dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) || !extra) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: cannot read the size of the symbol %s", name, kind->symbol);
    }
    const ElfW(Sym) *entry = extra;
    if (entry->st_size != kind->size) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "%.100s: %s has %zu bytes, this program's %s has %zu: compile it against these headers",
                           name, kind->symbol, (size_t)entry->st_size, kind->type, kind->size);
    }
    return cairn_ok();
}

// `name` is how the user calls it.
static CairnStatus open_object(const CairnLibraryKind *kind, const char *path, const char *name, void **library,
                               const void **value) {
    if (access(path, R_OK) != 0) {
        return cairn_error(CAIRN_IO, "%s file %.150s: there is no such file, or it may not be read", kind->noun, name);
    }
    // dlopen takes a name without a slash for one to be searched for.
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *opened = dlopen(local, RTLD_NOW | RTLD_LOCAL | (kind->stays ? RTLD_NODELETE : 0));
    if (!opened) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s file %.60s: %.150s", kind->noun, name, dlerror());
    }
    const void *symbol = dlsym(opened, kind->symbol);
    CairnStatus status = symbol ? check_size(kind, name, symbol)
                                : cairn_error(CAIRN_INVALID_ARGUMENT, "%s file %.120s does not export the symbol %s",
                                              kind->noun, name, kind->symbol);
    if (!cairn_is_ok(status)) {
        dlclose(opened);
        return status;
    }
    *library = opened;
    *value = symbol;
    return cairn_ok();
}

bool cairn_library_is(const char *name) {
    size_t length = strlen(name);
    return cairn_scene_file_is(name) || strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

CairnStatus cairn_library_open(const CairnLibraryKind *kind, const char *name, void **library, const void **value) {
    if (!cairn_scene_file_is(name)) {
        return open_object(kind, name, name, library, value);
    }
    char path[CAIRN_RUN_PATH], words[8192];
    CairnStatus status = cairn_scene_file_build(kind->noun, name, path, words, sizeof words);
    fputs(words, stderr);
    CAIRN_TRY(status);
    status = open_object(kind, path, name, library, value);
    cairn_scene_file_remove(path);
    return status;
}

void cairn_library_close(void *library) {
    if (library) {
        dlclose(library);
    }
}
