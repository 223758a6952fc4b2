#include "demos/program/cli/progress.h"
#include "engine/base/timer.h"
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 32 };

CairnProgress cairn_progress(const char *title, int total, bool is_wanted) {
    double now = cairn_timer_now();
    return (CairnProgress){title, total, is_wanted && isatty(STDERR_FILENO), now, now - 1};
}

void cairn_progress_show(CairnProgress *progress, int done) {
    if (!progress->is_on) {
        return;
    }
    double now = cairn_timer_now();
    if (now - progress->last < 0.05 && done < progress->total) {
        return;
    }
    progress->last = now;
    char bar[WIDTH + 1];
    int full = (int)((long long)WIDTH * done / progress->total);
    for (int i = 0; i < WIDTH; i++) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    double each = done > 0 ? (now - progress->start) / done : 0;
    fprintf(stderr, "\r  %s [%s] %d/%d  %.3f ms a step, %.0f s left \033[K", progress->title, bar, done,
            progress->total, 1e3 * each, each * (progress->total - done));
}

void cairn_progress_end(const CairnProgress *progress) {
    if (progress->is_on) {
        fputs("\r\033[K", stderr);
    }
}
