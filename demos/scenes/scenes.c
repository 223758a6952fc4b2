// The list of built-in scenes. A new scene is a file beside this one and its line here.
#include "demos/scenes/scenes.h"
#include "engine/base/names.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// The scenes: one line for each file NAME.c.
// clang-format off
#define SCENES(X) \
    X(falling_box) \
    X(sphere_on_incline) \
    X(spinning_top) \
    X(newtons_cradle) \
    X(domino_row) \
    X(pendulum_chain) \
    X(box_tower) \
    X(log_tower) \
    X(chain_wrap) \
    X(chain_drop) \
    X(rock_pile) \
    X(large_rock_pile) \
    X(bridge) \
    X(cable_spinner) \
    X(net_truck) \
    X(tandem_cranes) \
    X(spider_robot) \
    X(granular_flow) \
    X(stir) \
    X(cable_winding) \
    X(arch) \
    X(card_house) \
    X(wrecking_ball) \
    X(ragdoll)
// clang-format on

#define DECLARE(name) extern const CairnScene cairn_scene_##name;
SCENES(DECLARE)

#define LIST(name) &cairn_scene_##name,
static const CairnScene *const scenes[] = {SCENES(LIST)};

enum { SCENE_COUNT = (int)(sizeof(scenes) / sizeof(scenes[0])) };

int cairn_scene_count(void) {
    return SCENE_COUNT;
}

const CairnScene *cairn_scene_at(int index) {
    return index >= 0 && index < SCENE_COUNT ? scenes[index] : NULL;
}

CairnStatus cairn_scene_find(const char *name, const CairnScene **scene) {
    const char *names[SCENE_COUNT];
    char hint[CAIRN_HINT_SIZE];
    for (int i = 0; i < SCENE_COUNT; i++) {
        names[i] = scenes[i]->name;
    }
    int found = cairn_name_find(name, names, SCENE_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "no scene is called '%s'%s (cairn list scenes)", name, hint);
    }
    *scene = scenes[found];
    return cairn_ok();
}

static CairnStatus validate_params(const CairnScene *scene) {
    const CairnFieldTable *table = &scene->params;
    for (int i = 0; i < table->count; i++) {
        if (!table->fields[i].name || !table->fields[i].help || table->fields[i].offset >= table->size) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "scene %s: params field %d lies outside its struct or has no name", scene->name, i);
        }
    }
    void *params = calloc(1, table->size ? table->size : 1);
    if (!params) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "scene %s: no memory for %zu bytes of params", scene->name,
                           table->size);
    }
    cairn_fields_preset(table, params);
    CairnStatus status = cairn_fields_check(table, params);
    free(params);
    return status;
}

CairnStatus cairn_scene_validate(const CairnScene *scene) {
    if (!scene->name || !scene->name[0]) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene: name is empty");
    }
    if (!scene->summary || !scene->watch) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: summary or watch is missing", scene->name);
    }
    if (!scene->build) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: build is missing", scene->name);
    }
    if (!(scene->step > 0) || !isfinite(scene->step)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: step = %g must be positive and finite", scene->name,
                           scene->step);
    }
    if (scene->steps < 1) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: steps = %d must be at least 1", scene->name,
                           scene->steps);
    }
    if (!(scene->camera.fov > 0 && scene->camera.fov < 180)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: camera.fov = %g must lie inside (0, 180)", scene->name,
                           scene->camera.fov);
    }
    if (scene->params.count < 0 || (scene->params.count > 0 && !scene->params.fields)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "scene %s: params.count = %d without fields", scene->name,
                           scene->params.count);
    }
    return validate_params(scene);
}
