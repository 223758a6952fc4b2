// The mark of a shape definition that began as cairn_shape_def(), and the check of a definition.
#ifndef CAIRN_COLLISION_SHAPE_DEF_H
#define CAIRN_COLLISION_SHAPE_DEF_H

#include <cairn/shapes.h>

enum { CAIRN_SHAPE_COOKIE = 0x53686170 };

// Every value in its range; sizes must be positive only where the type uses them. The message names field and value.
CairnStatus cairn_shape_check(const CairnShapeDef *def);

#endif
