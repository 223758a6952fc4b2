// Crash: where a user's scene ends the viewer by a signal, the terminal shows the scene's name, the solver and the
// frame.
#ifndef CAIRN_VIEWER_CRASH_H
#define CAIRN_VIEWER_CRASH_H

// From this call on a crash is reported. `source`: the scene's file, which is not copied.
void cairn_crash_watch(const char *source);
// What this thread does now.
void cairn_crash_note(const char *scene, const char *solver, int frame);

#endif
