// Reload: a scene from a user's file, compiled, tried and shown again when the file changes. Compiling and trying
// happen on a thread, in processes of their own: neither an endless compiler nor a scene that crashes takes the window
// with it. Until there is a scene that works, or again, an empty one or the last one is shown, with what is wrong over
// it.
#ifndef CAIRN_VIEWER_RELOAD_H
#define CAIRN_VIEWER_RELOAD_H

#include "demos/viewer/crew.h"
#include <time.h>

enum { CAIRN_RELOAD_WORDS = 4096 };

typedef struct CairnReload {
    char source[CAIRN_RUN_PATH];  // ends in .c or .so; "": the scene is no file
    char library[CAIRN_RUN_PATH]; // the copy that is shown; "": none yet
    struct timespec changed;      // when the source was, as far as it was looked at
    long long size;
    double next_look; // seconds
    SDL_Thread *thread;
    SDL_atomic_t is_done;
    CairnPlan plan;                 // the parameters of the command line, for the first library that works
    bool has_plan;                  // it is still to be used
    char words[CAIRN_RELOAD_WORDS]; // what is wrong; "": nothing
    // the thread's
    CairnPlan tried;
    char fresh[CAIRN_RUN_PATH], heard[CAIRN_RELOAD_WORDS];
    CairnStatus status;
} CairnReload;

// Where the options name a file: compiles and tries it, and gives the name of what is to be shown instead.
CairnStatus cairn_reload_open(CairnReload *reload, CairnRunOptions *options);
// Looks at the file now and then. True when something new is to be shown: *library is it, or NULL where only `words`
// changed.
bool cairn_reload_turn(CairnReload *reload, const CairnPlan *plan, double now, const char **library);
void cairn_reload_close(CairnReload *reload);

#endif
