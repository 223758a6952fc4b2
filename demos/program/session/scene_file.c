#include "demos/program/session/scene_file.h"
#include "demos/program/session/child.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double compile_seconds = 60, try_seconds = 30;

bool cairn_scene_file_is(const char *name) {
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".c") == 0;
}

// The folder that has include/cairn/scene.h: from the program's own upwards (build/cairn in the sources,
// PREFIX/bin/cairn).
static CairnStatus find_root(char root[CAIRN_RUN_PATH]) {
    ssize_t length = readlink("/proc/self/exe", root, CAIRN_RUN_PATH - 64);
    root[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 4; i++) {
        char *slash = strrchr(root, '/');
        if (!slash) {
            break;
        }
        *slash = '\0';
        char header[CAIRN_RUN_PATH];
        snprintf(header, sizeof header, "%.900s/include/cairn/scene.h", root);
        if (access(header, R_OK) == 0) {
            return cairn_ok();
        }
    }
    return cairn_error(CAIRN_NOT_FOUND, "no folder include/cairn above the program: set CAIRN_INCLUDE to where Cairn's "
                                        "headers are");
}

// The first line with an error that begins with the file's name (macros of headers come before it), else the first with
// any, else the first one.
static void first_error(const char *words, const char *name, char line[160]) {
    const char *best = words;
    int best_rank = 0;
    for (const char *start = words; *start;) {
        size_t length = strcspn(start, "\n");
        const char *error = strstr(start, "error:");
        bool has_error = error && error < start + length, names_file = strncmp(start, name, strlen(name)) == 0;
        int rank = has_error + (has_error && names_file);
        if (rank > best_rank) {
            best = start;
            best_rank = rank;
        }
        start += length + (start[length] == '\n');
    }
    snprintf(line, 160, "%.*s", (int)strcspn(best, "\n"), best);
}

// Compilers quote with curly marks, which not every font has: they are replaced by plain ones.
static void straighten(char *words) {
    char *to = words;
    for (const char *from = words; *from;) {
        bool is_mark = strncmp(from, "\xe2\x80\x98", 3) == 0 || strncmp(from, "\xe2\x80\x99", 3) == 0;
        *to++ = is_mark ? '\'' : *from;
        from += is_mark ? 3 : 1;
    }
    *to = '\0';
}

static CairnStatus make_folder(char folder[CAIRN_RUN_PATH]) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, CAIRN_RUN_PATH, "%.900s/cairn-scene-XXXXXX", base && base[0] ? base : "/tmp");
    return mkdtemp(folder) ? cairn_ok()
                           : cairn_error(CAIRN_IO, "cannot make the folder %.120s: %s", folder, strerror(errno));
}

CairnStatus cairn_scene_file_build(const char *noun, const char *source, char library[CAIRN_RUN_PATH], char *words,
                                   size_t size) {
    char root[CAIRN_RUN_PATH] = "", include[CAIRN_RUN_PATH + 16], above[CAIRN_RUN_PATH + 16], folder[CAIRN_RUN_PATH];
    char beside[CAIRN_RUN_PATH + 32];
    const char *given = getenv("CAIRN_INCLUDE"), *compiler = getenv("CC");
    words[0] = '\0';
    if (access(source, R_OK) != 0) {
        return cairn_error(CAIRN_IO, "%s file %.150s: %s", noun, source, strerror(errno));
    }
    if (!given || !given[0]) {
        CAIRN_TRY(find_root(root));
    }
    snprintf(include, sizeof include, "-I%.1000s%s", root[0] ? root : given, root[0] ? "/include" : "");
    snprintf(above, sizeof above, "-I%.1000s%s", root[0] ? root : given,
             root[0] ? "" : "/..");                                     // for the builders of scenes, in the sources
    snprintf(beside, sizeof beside, "%.1000s/cairn/builders", include); // and in an installation
    CAIRN_TRY(make_folder(folder));
    snprintf(library, CAIRN_RUN_PATH, "%.1000s/scene.so", folder);
    const char *const argv[] = {compiler && compiler[0] ? compiler : "cc",
                                "-std=c17",
                                "-D_POSIX_C_SOURCE=200809L",
                                "-O2",
                                "-g",
                                "-ffp-contract=off",
                                "-Wall",
                                "-shared",
                                "-fPIC",
                                include,
                                above,
                                beside,
                                "-o",
                                library,
                                source,
                                NULL};
    int code = 0;
    CairnStatus status = cairn_child_run((char *const *)(uintptr_t)argv, compile_seconds, words, size, &code);
    straighten(words);
    if (cairn_is_ok(status) && code != 0) {
        char line[160];
        first_error(words, source, line);
        status = code < 0 ? cairn_error(CAIRN_INVALID_ARGUMENT, "%s file %.120s: the compiler takes longer than %g s",
                                        noun, source, compile_seconds)
                          : cairn_error(CAIRN_INVALID_ARGUMENT, "%s file %.60s does not compile: %.150s", noun, source,
                                        line);
    }
    if (!cairn_is_ok(status)) {
        cairn_scene_file_remove(library);
    }
    return status;
}

void cairn_scene_file_remove(const char *library) {
    char folder[CAIRN_RUN_PATH];
    snprintf(folder, sizeof folder, "%s", library);
    char *slash = strrchr(folder, '/');
    unlink(library);
    if (slash) {
        *slash = '\0';
        rmdir(folder);
    }
}

CairnStatus cairn_scene_file_try(const CairnRunOptions *options, int steps, char *words, size_t size) {
    char program[CAIRN_RUN_PATH], count[16], seed[24];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    snprintf(count, sizeof count, "%d", steps);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    const char *argv[16 + 4 * CAIRN_RUN_LIST] = {program,   "run", options->scene, "--quiet",
                                                 "--steps", count, "--seed",       seed};
    int used = 8;
    for (int i = 0; i < options->params.count; i++) {
        argv[used++] = "--param";
        argv[used++] = options->params.items[i];
    }
    for (int i = 0; i < options->settings.count; i++) {
        argv[used++] = "--world";
        argv[used++] = options->settings.items[i];
    }
    int code = 0;
    CAIRN_TRY(cairn_child_run((char *const *)(uintptr_t)argv, try_seconds, words, size, &code));
    char line[160];
    first_error(words, "cairn run", line);
    if (code > 128) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "the scene crashes in its first %d steps: %s", steps,
                           strsignal(code - 128));
    }
    if (code < 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "the scene's first %d steps take longer than %g s", steps,
                           try_seconds);
    }
    // A scene whose own check breaks, or that is not certified, can be looked at all the same.
    return code == 2 ? cairn_error(CAIRN_INVALID_ARGUMENT, "%.200s", line) : cairn_ok();
}
