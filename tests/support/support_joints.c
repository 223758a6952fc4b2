#include "tests/support/support_joints.h"

JointSetup support_joint_setup(uint64_t *seed, const CairnJointDef *def) {
    JointSetup setup = {.core.def = *def, .h = 0.01};
    for (int k = 0; k < 4; k++) {
        setup.center[k] = support_vec3(seed, -2, 2);
        setup.q[k] = support_quat(seed);
        setup.frame[k] = support_transform(seed, 1);
        setup.velocity[k] = (CairnVec6){support_vec3(seed, -1, 1), support_vec3(seed, -1, 1)};
        setup.inverse_mass[k] = support_uniform(seed, 0.2, 5);
        assert_true(cairn_mat3_inverse(support_inertia(seed, 1), &setup.inverse_inertia[k]));
    }
    return setup;
}

static CairnTransform world_frame(const JointSetup *setup, int k) {
    return cairn_transform_mul((CairnTransform){setup->center[k], setup->q[k]}, setup->frame[k]);
}

void support_joint_place(JointSetup *setup, int k, CairnVec3 offset, CairnQuat turn) {
    CairnTransform wanted = cairn_transform_mul(world_frame(setup, k - 1), (CairnTransform){offset, turn});
    CairnTransform body = cairn_transform_mul(wanted, cairn_transform_inverse(setup->frame[k]));
    setup->center[k] = body.p;
    setup->q[k] = cairn_quat_normalize(body.q);
    if (body.p.x > 0) { // the same rotation, as the other quaternion
        setup->q[k] = (CairnQuat){-setup->q[k].w, -setup->q[k].x, -setup->q[k].y, -setup->q[k].z};
    }
}

CairnJointInput support_joint_input(const JointSetup *setup) {
    CairnJointInput input = {.core = &setup->core, .gear_a = &setup->gear_a, .gear_b = &setup->gear_b, .h = setup->h};
    for (int k = 0; k < 4; k++) {
        input.bodies[k] = (CairnJointBody){
            .center = setup->center[k],
            .frame = world_frame(setup, k),
            .velocity = setup->velocity[k],
            .inverse_mass = setup->inverse_mass[k],
            .inverse_inertia = setup->inverse_inertia[k],
        };
    }
    return input;
}

JointSetup support_joint_moved(const JointSetup *setup, double t) {
    JointSetup moved = *setup;
    for (int k = 0; k < 4; k++) {
        moved.center[k] = cairn_add_scaled(setup->center[k], t, setup->velocity[k].linear);
        moved.q[k] = cairn_quat_mul(cairn_quat_exp(cairn_scale(t, setup->velocity[k].angular)), setup->q[k]);
    }
    return moved;
}
