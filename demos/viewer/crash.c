#include "demos/viewer/crash.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A signal handler gets the signal number alone, so its text is kept here: one message for each thread, ready to be
// written.
static const char *watched;
static _Thread_local char words[400];

// Writes the message and then lets the signal take its default action, since the memory may be corrupt.
static void write_report(int signal_number) {
    static const char other[] = "\ncairn view: crashed in a thread of the engine\n";
    size_t length = strlen(words);
    ssize_t written = length > 0 ? write(STDERR_FILENO, words, length) : write(STDERR_FILENO, other, sizeof other - 1);
    (void)written;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void cairn_crash_watch(const char *source) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    watched = source;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = write_report;
        sigaction(signals[i], &action, NULL);
    }
}

void cairn_crash_note(const char *scene, const char *solver, int frame) {
    if (watched) {
        snprintf(words, sizeof words,
                 "\ncairn view: scene %.60s of %.200s crashed in the step from frame %d, solver %.40s\n", scene,
                 watched, frame, solver);
    }
}
