// The built-in scenes: the files of this folder, listed in scenes.c.
#ifndef CAIRN_SCENES_H
#define CAIRN_SCENES_H

#include <cairn/scene.h>

int cairn_scene_count(void);
const CairnScene *cairn_scene_at(int index); // NULL outside [0, count)

// An unknown name is CAIRN_NOT_FOUND; the message lists the near ones.
CairnStatus cairn_scene_find(const char *name, const CairnScene **scene);

// Refuse what no scene can be (no name, no build function, a step that is not positive, fields outside the parameter
// struct, defaults out of their range): a scene from a file is checked before it is used.
CairnStatus cairn_scene_validate(const CairnScene *scene);

#endif
