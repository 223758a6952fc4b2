#include "demos/scenes/builders.h"
#include <stddef.h>

CairnStatus cairn_build_ground(CairnWorld *world, double friction, double restitution) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    CairnShapeDef shape = cairn_half_space();
    shape.friction = friction;
    shape.restitution = restitution;
    return cairn_body_add(world, &body, &shape, NULL);
}

CairnStatus cairn_build_static_box(CairnWorld *world, CairnVec3 position, CairnVec3 turn, CairnVec3 size,
                                   double friction, CairnBodyId *id) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = position;
    body.orientation = cairn_quat_exp(turn);
    CairnShapeDef shape = cairn_box(size.x, size.y, size.z);
    shape.friction = friction;
    return cairn_body_add(world, &body, &shape, id);
}

CairnStatus cairn_build_tower(CairnWorld *world, CairnVec3 foot, int count, const CairnShapeDef *brick, double twist,
                              CairnBodyId *ids) {
    for (int i = 0; i < count; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_add(foot, cairn_vec3(0, 0, (i + 0.5) * brick->size.z));
        body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), i * twist);
        CAIRN_TRY(cairn_body_add(world, &body, brick, ids ? &ids[i] : NULL));
    }
    return cairn_ok();
}

CairnStatus cairn_build_chain(CairnWorld *world, CairnBodyId anchor, CairnVec3 start, CairnVec3 direction, int count,
                              const CairnShapeDef *link, CairnBodyId *ids) {
    double length = link->size.x;
    CairnBodyId last = anchor;
    for (int i = 0; i < count; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_add_scaled(start, (i + 0.5) * length, direction);
        body.orientation = cairn_quat_between(cairn_vec3(1, 0, 0), direction);
        CairnBodyId id;
        CAIRN_TRY(cairn_body_add(world, &body, link, &id));

        CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL);
        joint.body_a = last;
        joint.body_b = id;
        CairnVec3 point = cairn_add_scaled(start, i * length, direction);
        CAIRN_TRY(cairn_joint_place(world, &joint, point, direction, cairn_vec3(0, 0, 0)));
        CAIRN_TRY(cairn_joint_create(world, &joint, NULL));
        if (ids) {
            ids[i] = id;
        }
        last = id;
    }
    return cairn_ok();
}

CairnStatus cairn_build_rod(CairnWorld *world, CairnVec3 point, CairnBodyId body) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, body, &state));
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_DISTANCE);
    joint.body_b = body;
    joint.frame_a.p = point;
    joint.axes[CAIRN_X].target_position = cairn_length(cairn_sub(state.position, point));
    return cairn_joint_create(world, &joint, NULL);
}

CairnStatus cairn_check_sound(const CairnSceneRun *run, double time, const CairnStats *stats, const char *scene) {
    if (!run->audited || run->audited->is_sound || !stats->residual.is_certified) {
        return cairn_ok();
    }
    char words[160];
    cairn_audit_words(run->audited, words, sizeof words);
    return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s the step is certified and %s", scene, time, words);
}

double cairn_scene_energy(const CairnStats *stats) {
    return stats->kinetic_energy + stats->potential_energy;
}
