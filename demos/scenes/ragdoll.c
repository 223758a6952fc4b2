// A doll of eleven capsules falls down a flight of stairs: ball joints in shoulders and hips, hinges with limits in
// elbows and knees.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_chain.h"
#include "demos/scenes/builders_energy.h"

typedef struct Params {
    int stairs;
    double height, push, friction;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, stairs, 6, 0, 20, "stairs"),
    CAIRN_FIELD_DOUBLE(Params, height, 0.6, 0.1, 3, 0, "m", "of its feet over the top stair"),
    CAIRN_FIELD_DOUBLE(Params, push, 2, 0, 5, 0, "m/s", "its speed"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.5, 0, 1.5, 0, "", "of the doll and the stairs"),
};

typedef struct Bone {
    CairnVec3 from, to;
    double radius, mass;
    int parent;
    double bend; // rad, of a hinge about y, from 0 to there; 0: a ball joint
} Bone;

static const Bone bones[] = {
    {{0, 0, 0.95}, {0, 0, 1.05}, 0.14, 14, -1, 0},
    {{0, 0, 1.2}, {0, 0, 1.35}, 0.15, 22, 0, 0},
    {{0, 0, 1.6}, {0, 0, 1.68}, 0.11, 5, 1, 0},
    {{0, 0.22, 1.42}, {0, 0.24, 1.17}, 0.05, 2.2, 1, 0},
    {{0, -0.22, 1.42}, {0, -0.24, 1.17}, 0.05, 2.2, 1, 0},
    {{0, 0.24, 1.17}, {0, 0.25, 0.88}, 0.04, 1.8, 3, -2.4},
    {{0, -0.24, 1.17}, {0, -0.25, 0.88}, 0.04, 1.8, 4, -2.4},
    {{0, 0.1, 0.88}, {0, 0.11, 0.5}, 0.07, 8, 0, 0},
    {{0, -0.1, 0.88}, {0, -0.11, 0.5}, 0.07, 8, 0, 0},
    {{0, 0.11, 0.5}, {0, 0.12, 0.08}, 0.05, 5, 7, 2.4},
    {{0, -0.11, 0.5}, {0, -0.12, 0.08}, 0.05, 5, 8, 2.4},
};

enum { BONES = (int)(sizeof bones / sizeof *bones) };
static const double rise = 0.25, tread = 0.45;

typedef struct Memory {
    CairnEnergyWatch energy;
} Memory;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    double top = rise * params->stairs;
    for (int i = 0; i < params->stairs; i++) {
        double high = top - i * rise, long_ = i == 0 ? 2 : tread;
        CairnVec3 position = {(i + 0.5) * tread - 0.5 * (long_ - tread), 0, 0.5 * high};
        CAIRN_TRY(cairn_build_static_box(run->world, position, cairn_vec3(0, 0, 0), cairn_vec3(long_, 3, high),
                                         params->friction, NULL));
    }
    CairnBodyId ids[BONES];
    for (int i = 0; i < BONES; i++) {
        const Bone *bone = &bones[i];
        CairnVec3 shift = {-0.2, 0, top + params->height};
        CairnBodyDef body = cairn_body_def();
        body.mass = bone->mass;
        body.velocity = cairn_vec3(params->push, 0, 0);
        CairnShapeDef capsule = cairn_capsule(bone->radius, 1);
        capsule.friction = params->friction;
        CairnVec3 from = cairn_add(bone->from, shift);
        CAIRN_TRY(cairn_build_bar(run->world, body, capsule, from, cairn_add(bone->to, shift), &ids[i]));
        if (bone->parent < 0) {
            continue;
        }
        CairnJointDef joint = cairn_joint_def(bone->bend != 0 ? CAIRN_JOINT_REVOLUTE : CAIRN_JOINT_BALL);
        joint.body_a = ids[bone->parent];
        joint.body_b = ids[i];
        joint.axes[CAIRN_RX].mode = bone->bend != 0 ? CAIRN_AXIS_LIMITED : CAIRN_AXIS_AS_TYPE;
        joint.axes[CAIRN_RX].lower = fmin(bone->bend, 0);
        joint.axes[CAIRN_RX].upper = fmax(bone->bend, 0);
        CAIRN_TRY(cairn_joint_place(run->world, &joint, from, cairn_vec3(0, 1, 0), cairn_vec3(1, 0, 0)));
        CAIRN_TRY(cairn_joint_create(run->world, &joint, NULL));
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    Memory *memory = run->memory;
    if (stats->joint_error_linear > 0.01 || stats->penetration > 0.02) {
        return cairn_error(CAIRN_NUMERIC, "ragdoll: at %.6g s a joint is %.3g m apart, an overlap %.3g m deep", time,
                           stats->joint_error_linear, stats->penetration);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "ragdoll");
}

const CairnScene cairn_scene_ragdoll = {
    .name = "ragdoll",
    .summary = "a doll of eleven capsules falls down the stairs",
    .watch = "Knees and elbows bend one way only, and no limb comes off.",
    .params = CAIRN_FIELD_TABLE("ragdoll", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 120,
    .steps = 600,
    .camera = {.eye = {4.8, -6.2, 3.6}, .target = {1.3, 0, 1.5}, .fov = 44},
    .build = build,
    .check = check,
};
