// Builders: the few lines that most scenes begin with. A scene of your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_H
#define CAIRN_SCENE_BUILDERS_H

#include <cairn/scene.h>

// The ground: a static half-space, all of z <= 0.
CairnStatus cairn_build_ground(CairnWorld *world, double friction, double restitution);

// A box that never moves, turned by `turn` (a rotation vector). `id` may be NULL.
CairnStatus cairn_build_static_box(CairnWorld *world, CairnVec3 position, CairnVec3 turn, CairnVec3 size,
                                   double friction, CairnBodyId *id);

// A tower: `count` copies of the box `brick`, each on top of the last and turned against it by `twist` (rad); the first
// stands with the middle of its underside at `foot`. ids[count] may be NULL.
CairnStatus cairn_build_tower(CairnWorld *world, CairnVec3 foot, int count, const CairnShapeDef *brick, double twist,
                              CairnBodyId *ids);

// A chain: `count` copies of the box `link`, strung along their x axes from `start` in `direction` (unit length),
// joined end to end by ball joints, the first to `anchor` (null: the world). ids[count] may be NULL.
CairnStatus cairn_build_chain(CairnWorld *world, CairnBodyId anchor, CairnVec3 start, CairnVec3 direction, int count,
                              const CairnShapeDef *link, CairnBodyId *ids);

// A rod without mass from a point of the world to the frame origin of a body: holds today's distance.
CairnStatus cairn_build_rod(CairnWorld *world, CairnVec3 point, CairnBodyId body);

// For a scene's check: a step whose impulses are certified, and whose motion the audit does not find sound, is an error
// that names the term and the body or joint. Where nothing was audited there is none.
CairnStatus cairn_check_sound(const CairnSceneRun *run, double time, const CairnStats *stats, const char *scene);

// Kinetic plus potential energy of the last step.
double cairn_scene_energy(const CairnStats *stats);

#endif
