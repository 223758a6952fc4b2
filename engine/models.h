// Models: data that many shapes, or bodies, have in common is stored once: a hundred thousand balls use one definition
// and one mass.
//
// A model never changes while several objects use it: an object whose data changes gets another model. Only the last
// few models are searched for an equal one, so in a world of different shapes each shape has a model of its own.
#ifndef CAIRN_MODELS_H
#define CAIRN_MODELS_H

#include "collision/collision.h"
#include <cairn/world.h>

typedef struct CairnShapeModel {
    CairnShapeDef def;
    CairnGeometry geometry;
    int users;
} CairnShapeModel;

// Mass, in the body's frame, about local_center, and the given values that they were computed from.
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

// Returns a model equal to `wanted`, an existing one or a new one. NULL: out of memory, and the geometry still belongs
// to the caller. Where the model exists already, the given geometry is not needed (and owns nothing).
CairnShapeModel *cairn_models_acquire_shape(CairnModels *models, const CairnAllocator *allocator,
                                            const CairnShapeModel *wanted);
void cairn_models_release_shape(CairnModels *models, const CairnAllocator *allocator, CairnShapeModel *model);

// After this the next cairn_models_acquire_body cannot fail. False: out of memory.
bool cairn_models_prepare_body(CairnModels *models, const CairnAllocator *allocator);
// Call cairn_models_prepare_body first.
CairnBodyModel *cairn_models_acquire_body(CairnModels *models, const CairnBodyModel *wanted);
// A model without users becomes the spare one, or is freed where there is a spare one already.
void cairn_models_release_body(CairnModels *models, const CairnAllocator *allocator, CairnBodyModel *model);

#endif
