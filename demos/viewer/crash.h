// Crash: where a scene of a person's own ends the viewer, the terminal says which one, in which frame.
#ifndef CAIRN_VIEWER_CRASH_H
#define CAIRN_VIEWER_CRASH_H

// From here on a crash is told. `source`: the scene's file, which is not copied.
void cairn_crash_watch(const char *source);
// What this thread does now.
void cairn_crash_note(const char *scene, const char *solver, int frame);

#endif
