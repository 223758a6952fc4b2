// Progress: a bar on stderr, only where stderr is a terminal.
#ifndef CAIRN_PROGRAM_PROGRESS_H
#define CAIRN_PROGRAM_PROGRESS_H

#include <stdbool.h>

typedef struct CairnProgress {
    const char *title;
    int total;
    bool is_on;
    double start, last; // seconds
} CairnProgress;

CairnProgress cairn_progress(const char *title, int total, bool is_wanted);
void cairn_progress_show(CairnProgress *progress, int done);
void cairn_progress_end(const CairnProgress *progress); // wipes the line

#endif
