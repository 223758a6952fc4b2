#include "engine/models.h"
#include "engine/base/memory.h"
#include <stddef.h>
#include <string.h>

void cairn_models_free(CairnModels *models, const CairnAllocator *allocator) {
    cairn_memory_release(allocator, models->spare, 1, sizeof *models->spare);
    *models = (CairnModels){0};
}

// ---- shapes ----

// The fields from one to another, both with it: numbers alone lie there, without gaps.
#define SAME(a, b, first, last)                                                                                        \
    (memcmp(&(a)->first, &(b)->first,                                                                                  \
            offsetof(CairnShapeDef, last) + sizeof(a)->last - offsetof(CairnShapeDef, first)) == 0)

// Shapes that own points are not compared: each has a separate model.
static bool are_same_shapes(const CairnShapeDef *a, const CairnShapeDef *b) {
    return a->type == b->type && a->point_count == 0 && b->point_count == 0 && SAME(a, b, radius, size) &&
           SAME(a, b, position, user_data) && a->cookie == b->cookie;
}

CairnShapeModel *cairn_models_acquire_shape(CairnModels *models, const CairnAllocator *allocator,
                                            const CairnShapeModel *wanted) {
    for (int k = 0; k < CAIRN_MODELS_KNOWN; k++) {
        CairnShapeModel *known = models->shapes[k];
        if (known != NULL && are_same_shapes(&known->def, &wanted->def)) {
            known->users += 1;
            return known;
        }
    }
    CairnShapeModel *fresh = cairn_memory_allocate(allocator, 1, sizeof *fresh);
    if (fresh != NULL) {
        *fresh = *wanted;
        fresh->users = 1;
        models->shapes[models->next_shape] = fresh;
        models->next_shape = (models->next_shape + 1) % CAIRN_MODELS_KNOWN;
    }
    return fresh;
}

void cairn_models_release_shape(CairnModels *models, const CairnAllocator *allocator, CairnShapeModel *model) {
    if (model == NULL || --model->users > 0) {
        return;
    }
    for (int k = 0; k < CAIRN_MODELS_KNOWN; k++) {
        models->shapes[k] = models->shapes[k] == model ? NULL : models->shapes[k];
    }
    cairn_geometry_free(&model->geometry, allocator);
    cairn_memory_release(allocator, model, 1, sizeof *model);
}

// ---- bodies ----

static bool are_same_bodies(const CairnBodyModel *a, const CairnBodyModel *b) {
    return memcmp(a, b, offsetof(CairnBodyModel, is_isotropic)) == 0 && a->is_isotropic == b->is_isotropic &&
           a->has_mass == b->has_mass;
}

bool cairn_models_prepare_body(CairnModels *models, const CairnAllocator *allocator) {
    if (models->spare == NULL) {
        models->spare = cairn_memory_allocate(allocator, 1, sizeof *models->spare);
    }
    return models->spare != NULL;
}

CairnBodyModel *cairn_models_acquire_body(CairnModels *models, const CairnBodyModel *wanted) {
    for (int k = 0; k < CAIRN_MODELS_KNOWN; k++) {
        CairnBodyModel *known = models->bodies[k];
        if (known != NULL && are_same_bodies(known, wanted)) {
            known->users += 1;
            return known;
        }
    }
    CairnBodyModel *fresh = models->spare;
    models->spare = NULL;
    *fresh = *wanted;
    fresh->users = 1;
    models->bodies[models->next_body] = fresh;
    models->next_body = (models->next_body + 1) % CAIRN_MODELS_KNOWN;
    return fresh;
}

void cairn_models_release_body(CairnModels *models, const CairnAllocator *allocator, CairnBodyModel *model) {
    if (model == NULL || --model->users > 0) {
        return;
    }
    for (int k = 0; k < CAIRN_MODELS_KNOWN; k++) {
        models->bodies[k] = models->bodies[k] == model ? NULL : models->bodies[k];
    }
    if (models->spare == NULL) {
        models->spare = model;
    } else {
        cairn_memory_release(allocator, model, 1, sizeof *model);
    }
}
