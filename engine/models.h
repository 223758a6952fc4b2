// Models: what many shapes, or bodies, have alike lies in memory once: a hundred thousand balls share one definition and one mass.
//
// A model never changes while others use it: who wants another one shares that one instead. Only the last few are looked at for one
// that is the same, so a world of differing shapes has one each.
#ifndef CAIRN_MODELS_H
#define CAIRN_MODELS_H

#include "collision/collision.h"
#include <cairn/world.h>

typedef struct CairnShapeModel {
    CairnShapeDef def;
    CairnGeometry geometry;
    int users;
} CairnShapeModel;

// Mass, in the body's frame, about local_center; and what was asked for.
typedef struct CairnBodyModel {
    double mass;
    CairnVec3 local_center; // in the body's frame
    CairnVec3 moments;      // principal, rising
    CairnQuat axes;         // principal axes in the body's frame
    double gravity_scale, linear_damping, angular_damping;
    double given_mass; // 0: from shapes
    CairnVec3 given_center, given_inertia, given_products;
    bool is_isotropic; // one principal moment: no gyroscopic motion
    bool has_mass;     // dynamic bodies need it before a step
    int users;
} CairnBodyModel;

enum { CAIRN_MODELS_KNOWN = 4 };

typedef struct CairnModels {
    CairnShapeModel *shapes[CAIRN_MODELS_KNOWN]; // the last ones that were made; NULL: gone
    CairnBodyModel *bodies[CAIRN_MODELS_KNOWN];
    int next_shape, next_body;
    CairnBodyModel *spare; // so that a body's mass can always change
} CairnModels;

void cairn_models_free(CairnModels *models, const CairnAllocator *allocator); // the spare; models belong to their users

// A model like this one, shared or new; NULL: no memory, and the geometry is still the caller's. Where it was known already the
// given geometry is not needed (and owns nothing).
CairnShapeModel *cairn_models_acquire_shape(CairnModels *models, const CairnAllocator *allocator,
                                            const CairnShapeModel *wanted);
void cairn_models_release_shape(CairnModels *models, const CairnAllocator *allocator, CairnShapeModel *model);

// The next share_body cannot fail. False: no memory.
bool cairn_models_prepare_body(CairnModels *models, const CairnAllocator *allocator);
// After a prepare.
CairnBodyModel *cairn_models_acquire_body(CairnModels *models, const CairnBodyModel *wanted);
// The last user's model becomes the spare, where there is none.
void cairn_models_release_body(CairnModels *models, const CairnAllocator *allocator, CairnBodyModel *model);

#endif
