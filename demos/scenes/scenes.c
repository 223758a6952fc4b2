// The list of built-in scenes. A new scene is a file beside this one and two lines here: its declaration and its place.
#include "demos/scenes/scenes.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const CairnScene cairn_scene_falling_box;
extern const CairnScene cairn_scene_sphere_on_incline;
extern const CairnScene cairn_scene_spinning_top;
extern const CairnScene cairn_scene_newtons_cradle;
extern const CairnScene cairn_scene_domino_row;
extern const CairnScene cairn_scene_pendulum_chain;
extern const CairnScene cairn_scene_box_tower;
extern const CairnScene cairn_scene_log_tower;
extern const CairnScene cairn_scene_granular_flow;
extern const CairnScene cairn_scene_chain_wrap;
extern const CairnScene cairn_scene_chain_drop;
extern const CairnScene cairn_scene_rock_pile;
extern const CairnScene cairn_scene_large_rock_pile;
extern const CairnScene cairn_scene_bridge;
extern const CairnScene cairn_scene_cable_spinner;
extern const CairnScene cairn_scene_net_truck;
extern const CairnScene cairn_scene_tandem_cranes;
extern const CairnScene cairn_scene_spider_robot;
extern const CairnScene cairn_scene_arch;
extern const CairnScene cairn_scene_card_house;
extern const CairnScene cairn_scene_wrecking_ball;
extern const CairnScene cairn_scene_ragdoll;
extern const CairnScene cairn_scene_stir;
extern const CairnScene cairn_scene_cable_winding;

static const CairnScene *const scenes[] = {
    &cairn_scene_falling_box,  &cairn_scene_sphere_on_incline, &cairn_scene_spinning_top,  &cairn_scene_newtons_cradle,
    &cairn_scene_domino_row,   &cairn_scene_pendulum_chain,    &cairn_scene_box_tower,     &cairn_scene_log_tower,
    &cairn_scene_chain_wrap,   &cairn_scene_chain_drop,        &cairn_scene_rock_pile,     &cairn_scene_large_rock_pile,
    &cairn_scene_bridge,       &cairn_scene_cable_spinner,     &cairn_scene_net_truck,     &cairn_scene_tandem_cranes,
    &cairn_scene_spider_robot, &cairn_scene_granular_flow,     &cairn_scene_stir,          &cairn_scene_cable_winding,
    &cairn_scene_arch,         &cairn_scene_card_house,        &cairn_scene_wrecking_ball, &cairn_scene_ragdoll,
};

enum { SCENE_COUNT = (int)(sizeof(scenes) / sizeof(scenes[0])) };

int cairn_scene_count(void) {
    return SCENE_COUNT;
}

const CairnScene *cairn_scene_at(int index) {
    return index >= 0 && index < SCENE_COUNT ? scenes[index] : NULL;
}

CairnStatus cairn_scene_find(const char *name, const CairnScene **scene) {
    const char *names[SCENE_COUNT];
    for (int i = 0; i < SCENE_COUNT; i++) {
        names[i] = scenes[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *scene = scenes[i];
            return cairn_ok();
        }
    }
    char near[120];
    cairn_near_names(name, names, SCENE_COUNT, near, sizeof near);
    return cairn_error(CAIRN_NOT_FOUND, "no scene is called '%s'%s%s (cairn list scenes)", name,
                       near[0] ? "; near: " : "", near);
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
