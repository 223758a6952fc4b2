#include "tests/support/support_call.h"
#include "demos/program/cli/program.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 32 };

static char folder[64];

int support_folder_make(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cairn_test_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int support_folder_remove(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line) == 0 ? 0 : -1;
}

const char *support_folder(void) {
    return folder;
}

void support_path(const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", folder, name);
}

void support_read(const char *name, char *text, size_t size) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "r");
    if (!file) {
        fail_msg("there is no %s", path);
        return;
    }
    size_t count = fread(text, 1, size - 1, file);
    text[count] = '\0';
    fclose(file);
}

SupportCall *support_call(const char *line) {
    static SupportCall result;
    char words[2048];
    char *argv[MAX_WORDS + 1] = {"cairn"}, *out = words;
    int argc = 1;
    for (const char *c = line; *c;) {
        c += strspn(c, " ");
        argv[argc++] = out;
        for (; *c && *c != ' '; c++) {
            if (c[0] == '$') {
                out += sprintf(out, "%s", folder);
            } else {
                *out++ = *c;
            }
        }
        *out++ = '\0';
        assert_true(argc <= MAX_WORDS);
    }
    char out_path[128], err_path[128];
    support_path("stdout", out_path, sizeof out_path);
    support_path("stderr", err_path, sizeof err_path);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen(out_path, "w", stdout) || !freopen(err_path, "w", stderr)) {
            _exit(99);
        }
        exit(cairn_program(&(CairnLinked){NULL}, argc, argv));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    support_read("stdout", result.out, sizeof result.out);
    support_read("stderr", result.err, sizeof result.err);
    return &result;
}

SupportCall *support_call_well(const char *line) {
    SupportCall *result = support_call(line);
    if (result->code != 0) {
        fail_msg("cairn %s: exit %d: %s", line, result->code, result->err);
    }
    return result;
}

bool support_is_tried(int argc, char **argv, int *code) {
    bool is_tried = argc > 1 && strcmp(argv[1], "run") == 0;
    if (is_tried) {
        *code = cairn_program(&(CairnLinked){NULL}, argc, argv);
    } else if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return is_tried;
}
