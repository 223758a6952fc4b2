#include "demos/program/session/child.h"
#include "engine/base/timer.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

// Only what is safe between fork and exec in a process of many threads.
static void become(char *const argv[], int out) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
    }
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setpgid(0, 0); // what it starts ends with it
    execvp(argv[0], argv);
    _exit(NOT_FOUND);
}

// Until the other end is closed or the time is over; false: it is over.
static bool listen_to(int in, double until, char *words, size_t size) {
    size_t used = 0;
    char rest[512];
    for (;;) {
        double remaining = until - cairn_timer_now();
        struct pollfd ready = {.fd = in, .events = POLLIN};
        int found = remaining > 0 ? poll(&ready, 1, (int)(1e3 * remaining) + 1) : 0;
        if (found < 0 && errno == EINTR) {
            continue;
        }
        if (found <= 0) {
            return false;
        }
        bool has_room = used + 1 < size;
        ssize_t got = read(in, has_room ? words + used : rest, has_room ? size - 1 - used : sizeof rest);
        if (got <= 0) {
            return true;
        }
        used += has_room ? (size_t)got : 0;
        words[used] = '\0';
    }
}

CairnStatus cairn_child_run(char *const argv[], double seconds, char *words, size_t size, int *code) {
    int ends[2], status = 0;
    words[0] = '\0';
    if (pipe(ends) != 0) {
        return cairn_error(CAIRN_IO, "cannot run %.100s: %s", argv[0], strerror(errno));
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) {
        become(argv, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return cairn_error(CAIRN_IO, "cannot run %.100s: %s", argv[0], strerror(errno));
    }
    bool is_over = !listen_to(ends[0], cairn_timer_now() + seconds, words, size);
    close(ends[0]);
    if (is_over) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *code = is_over ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (*code == NOT_FOUND && !words[0]) {
        return cairn_error(CAIRN_NOT_FOUND, "there is no program %.100s", argv[0]);
    }
    return cairn_ok();
}
