#include "demos/program/session/source.h"
#include "demos/program/session/library.h"
#include "demos/scenes/builders.h"
#include "demos/scenes/scenes.h"
#include <string.h>

static const CairnLibraryKind scene_kind = {"scene", "cairn_scene", "CairnScene", sizeof(CairnScene), false};

static CairnStatus open_library(const char *name, CairnSource *source) {
    const void *value = NULL;
    CAIRN_TRY(cairn_library_open(&scene_kind, name, &source->library, &value));
    source->scene = value;
    CairnStatus status = cairn_scene_validate(source->scene);
    if (!cairn_is_ok(status)) {
        cairn_source_close(source);
    }
    return status;
}

static CairnStatus build_nothing(CairnSceneRun *run) {
    return cairn_build_ground(run->world, 0.5, 0);
}

static const CairnScene nothing = {
    .name = "nothing",
    .summary = "the ground",
    .watch = "There is nothing to see.",
    .params = {"nothing", 0, NULL, 0},
    .step = 1.0 / 60,
    .steps = 60,
    .camera = {.eye = {4, -8, 4}, .target = {0, 0, 1}, .fov = 36},
    .build = build_nothing,
};

CairnStatus cairn_source_open(const char *name, CairnSource *source) {
    *source = (CairnSource){NULL, NULL};
    if (strcmp(name, CAIRN_SOURCE_NOTHING) == 0) {
        source->scene = &nothing;
        return cairn_ok();
    }
    return cairn_library_is(name) ? open_library(name, source) : cairn_scene_find(name, &source->scene);
}

void cairn_source_close(CairnSource *source) {
    cairn_library_close(source->library);
    *source = (CairnSource){NULL, NULL};
}
