// Geometric stiffness of joints against differences of the torques that they exert.
#include "engine/joints/coordinates.h"
#include "tests/support/support_joints.h"

static const CairnVec3 X = {1, 0, 0}, Y = {0, 1, 0}, ORIGIN = {0, 0, 0};

static int rows_of(const JointSetup *setup, CairnJointRow rows[CAIRN_JOINT_MAX_ROWS]) {
    CairnJointInput input = support_joint_input(setup);
    return cairn_joint_rows(&input, rows);
}

// A joint at its satisfied place, turned about x and y as far as it lets B.
static JointSetup satisfied(uint64_t *seed, const CairnJointDef *def) {
    JointSetup setup = support_joint_setup(seed, def);
    double a = support_uniform(seed, -3, 3), b = support_uniform(seed, -3, 3);
    CairnQuat turn = cairn_quat_identity();
    if (def->type == CAIRN_JOINT_BALL) {
        turn = support_quat(seed);
    } else if (def->type == CAIRN_JOINT_REVOLUTE) {
        turn = cairn_quat_axis_angle(X, a);
    } else if (def->type == CAIRN_JOINT_UNIVERSAL) {
        turn = cairn_quat_mul(cairn_quat_axis_angle(X, a), cairn_quat_axis_angle(Y, b));
    }
    support_joint_place(&setup, 1, def->type == CAIRN_JOINT_DISTANCE ? support_vec3(seed, -1, 1) : ORIGIN, turn);
    return setup;
}

static CairnVec3 unit(int i) {
    return (CairnVec3){i == 0, i == 1, i == 2};
}

static CairnVec3 column_of(CairnMat3 m, int j) {
    return (CairnVec3){m.m[0][j], m.m[1][j], m.m[2][j]};
}

static void set_column(CairnMat3 *m, int j, CairnVec3 v) {
    m->m[0][j] = v.x;
    m->m[1][j] = v.y;
    m->m[2][j] = v.z;
}

static CairnMat3 symmetric(CairnMat3 m) {
    return cairn_mat3_scaled(0.5, cairn_mat3_sum(m, cairn_mat3_transpose(m)));
}

// The torque on body k, after it alone has turned by theta about its centre. Forces on body A of a joint with straight
// lengths are those at theta = 0, held still in the world while B's origin, as a point of A, turns along.
static CairnVec3 torque_after(const JointSetup *setup, const double *lambda, int k, CairnVec3 theta) {
    JointSetup turned = *setup;
    turned.q[k] = cairn_quat_mul(cairn_quat_exp(theta), setup->q[k]);
    CairnJointRow still[CAIRN_JOINT_MAX_ROWS], rows[CAIRN_JOINT_MAX_ROWS];
    CairnJointInput input = support_joint_input(setup);
    cairn_joint_rows(&input, still);
    int count = rows_of(&turned, rows);
    CairnVec3 torque = ORIGIN, force = ORIGIN;
    for (int r = 0; r < count; r++) {
        if (k == 0 && rows[r].axis < CAIRN_RX && setup->core.def.type != CAIRN_JOINT_DISTANCE) {
            force = cairn_add_scaled(force, lambda[r] / setup->h, still[r].jacobian[0].linear);
        } else {
            torque = cairn_add_scaled(torque, lambda[r] / setup->h, rows[r].jacobian[k].angular);
        }
    }
    CairnVec3 arm = cairn_rotate(cairn_quat_exp(theta), cairn_sub(input.bodies[1].frame.p, setup->center[0]));
    return cairn_add(torque, cairn_cross(arm, force));
}

static CairnMat3 differenced(const JointSetup *setup, const double *lambda, int k) {
    const double t = 1e-5;
    CairnMat3 derivative;
    for (int j = 0; j < 3; j++) {
        CairnVec3 plus = torque_after(setup, lambda, k, cairn_scale(t, unit(j)));
        CairnVec3 minus = torque_after(setup, lambda, k, cairn_scale(-t, unit(j)));
        set_column(&derivative, j, cairn_scale(1 / (2 * t), cairn_sub(plus, minus)));
    }
    return symmetric(derivative);
}

// sym(r F_t^T) of the part F_t across the arm r of the locked forces on body k: it restores nothing and is left out.
static CairnMat3 across(const JointSetup *setup, const double *lambda, int k) {
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    int count = rows_of(setup, rows);
    CairnJointInput input = support_joint_input(setup);
    CairnVec3 force = ORIGIN, r = cairn_sub(input.bodies[k | 1].frame.p, setup->center[k]);
    for (int i = 0; i < count && setup->core.def.type != CAIRN_JOINT_DISTANCE; i++) {
        force = cairn_add_scaled(force, lambda[i] / setup->h, rows[i].jacobian[k].linear);
    }
    force = cairn_add_scaled(force, -cairn_dot(force, r) / cairn_length_squared(r), r);
    return symmetric(cairn_mat3_outer(r, force));
}

// What the joint must answer: the derivative of the torque without those parts.
static CairnMat3 restoring(const JointSetup *setup, const double *lambda, int k) {
    return cairn_mat3_sum(differenced(setup, lambda, k), cairn_mat3_scaled(-1, across(setup, lambda, k)));
}

// Blocks of k on the plane spanned by the turns that `locked` (one or two unit vectors at right angles) forbids and on
// the rest.
static CairnMat3 blocks(CairnMat3 k, const CairnVec3 *locked, int count) {
    CairnMat3 q = cairn_mat3_diagonal(0, 0, 0);
    for (int i = 0; i < count; i++) {
        q = cairn_mat3_sum(q, cairn_mat3_outer(locked[i], locked[i]));
    }
    CairnMat3 p = cairn_mat3_sum(cairn_mat3_diagonal(1, 1, 1), cairn_mat3_scaled(-1, q));
    return cairn_mat3_sum(cairn_mat3_product(q, cairn_mat3_product(k, q)),
                          cairn_mat3_product(p, cairn_mat3_product(k, p)));
}

static void check_stiffness(const JointSetup *setup, const double *lambda, const CairnVec3 *locked, int locked_count) {
    CairnJointInput input = support_joint_input(setup);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    int count = cairn_joint_rows(&input, rows);
    CairnMat3 k[CAIRN_JOINT_MAX_BODIES];
    for (int i = 0; i < CAIRN_JOINT_MAX_BODIES; i++) {
        k[i] = cairn_mat3_diagonal(1, 2, 3); // it adds
    }
    cairn_joint_stiffness(&input, rows, count, lambda, k);
    for (int i = 0; i < 2; i++) {
        CairnMat3 expected = blocks(restoring(setup, lambda, i), locked, locked_count);
        assert_mat3_near(k[i], cairn_mat3_sum(cairn_mat3_diagonal(1, 2, 3), expected), 1e-6); // of numbers near 500
    }
}

static void stiffness_is_the_derivative_of_torque(void **state) {
    (void)state;
    uint64_t seed = 8;
    const CairnJointType types[] = {CAIRN_JOINT_BALL, CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_UNIVERSAL, CAIRN_JOINT_DISTANCE,
                                    CAIRN_JOINT_FIXED};
    for (int i = 0; i < 100; i++) {
        CairnJointDef def = cairn_joint_def(types[i % 5]);
        def.axes[CAIRN_RX].drive = def.type == CAIRN_JOINT_REVOLUTE || def.type == CAIRN_JOINT_UNIVERSAL;
        def.axes[CAIRN_RY].drive = def.type == CAIRN_JOINT_UNIVERSAL;
        JointSetup setup = satisfied(&seed, &def);
        double lambda[CAIRN_JOINT_MAX_ROWS];
        for (int r = 0; r < CAIRN_JOINT_MAX_ROWS; r++) {
            lambda[r] = support_uniform(&seed, -1, 1);
        }
        CairnJointInput input = support_joint_input(&setup);
        CairnRelative relative = cairn_relative(input.bodies);
        CairnVec3 locked[2] = {relative.a[1], relative.a[2]};
        int count = def.type == CAIRN_JOINT_REVOLUTE ? 2 : 0;
        if (def.type == CAIRN_JOINT_UNIVERSAL) {
            locked[0] = cairn_cross(relative.a[0], relative.b[1]);
            count = 1;
        }
        check_stiffness(&setup, lambda, locked, count);
    }
}

// An upper limit pulls against the coordinate; a gear pulls two joints, the second ratio times as hard.
static void stiffness_follows_signs_and_ratios(void **state) {
    (void)state;
    uint64_t seed = 12;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_DISTANCE);
    JointSetup rod = satisfied(&seed, &def), rope = rod;
    rope.core.def.axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED;
    rope.core.def.axes[CAIRN_X].upper = 0.1;
    CairnJointInput input[2] = {support_joint_input(&rod), support_joint_input(&rope)};
    CairnJointRow rows[2][CAIRN_JOINT_MAX_ROWS];
    CairnMat3 k[2][CAIRN_JOINT_MAX_BODIES] = {0};
    for (int i = 0; i < 2; i++) {
        double lambda = i == 0 ? -3 : 3;
        assert_int_equal(cairn_joint_rows(&input[i], rows[i]), 1);
        cairn_joint_stiffness(&input[i], rows[i], 1, &lambda, k[i]);
    }
    assert_true(fabs(k[0][1].m[0][0]) > 1);
    assert_mat3_near(k[0][0], k[1][0], 1e-12);
    assert_mat3_near(k[0][1], k[1][1], 1e-12);

    def = cairn_joint_def(CAIRN_JOINT_GEAR);
    def.ratio = -2.5;
    JointSetup gear = support_joint_setup(&seed, &def);
    gear.gear_a.def = gear.gear_b.def = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    CairnJointInput geared = support_joint_input(&gear);
    CairnMat3 both[CAIRN_JOINT_MAX_BODIES] = {0};
    const double lambda[CAIRN_JOINT_MAX_ROWS] = {0.7};
    assert_int_equal(cairn_joint_rows(&geared, rows[0]), 1);
    cairn_joint_stiffness(&geared, rows[0], 1, lambda, both);
    assert_mat3_near(both[1], restoring(&gear, lambda, 1), 1e-6);
    assert_mat3_near(both[3], restoring(&gear, lambda, 3), 1e-6);
    assert_true(fabs(both[3].m[0][0]) > 1);
}

// The curvature of every angle that has one, wherever it is; of those that have none, where their joint is satisfied.
static void curvature_is_the_derivative_of_the_gradient(void **state) {
    (void)state;
    uint64_t seed = 9;
    const CairnAngle *families[] = {cairn_twist_angles, cairn_cross_angles, cairn_cardan_angles, cairn_small_angles};
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL);
    const double t = 1e-5;
    for (int i = 0; i < 12 * 20; i++) {
        const CairnAngle *angle = &families[i / 3 % 4][i % 3];
        JointSetup setup = support_joint_setup(&seed, &def);
        CairnQuat turn = cairn_quat_exp(support_vec3(&seed, -0.7, 0.7));
        if (angle->curvature == NULL) {
            turn = families[i / 3 % 4] == cairn_twist_angles ? cairn_quat_axis_angle(X, support_uniform(&seed, -3, 3))
                                                             : cairn_quat_identity();
        }
        support_joint_place(&setup, 1, ORIGIN, turn);
        CairnJointInput input = support_joint_input(&setup);
        CairnRelative relative = cairn_relative(input.bodies);
        CairnMat3 expected = angle->curvature ? angle->curvature(&relative, angle) : cairn_mat3_diagonal(0, 0, 0);
        for (int k = 0; k < 2; k++) {
            CairnMat3 derivative;
            for (int j = 0; j < 3; j++) {
                CairnVec3 g[2];
                for (int side = 0; side < 2; side++) {
                    JointSetup turned = setup;
                    CairnVec3 theta = cairn_scale(side == 0 ? -t : t, unit(j));
                    turned.q[k] = cairn_quat_mul(cairn_quat_exp(theta), setup.q[k]);
                    input = support_joint_input(&turned);
                    relative = cairn_relative(input.bodies);
                    angle->evaluate(&relative, angle, &g[side]);
                }
                // What body A feels is minus the gradient.
                set_column(&derivative, j, cairn_scale((k == 0 ? -1 : 1) / (2 * t), cairn_sub(g[1], g[0])));
            }
            assert_mat3_near(symmetric(derivative), expected, 1e-7);
        }
    }
}

// A wheel on an axle, loaded beside its bearing: sym([F]x [r]x) would brake its spin, and must not.
static void a_load_beside_an_axle_leaves_its_spin_alone(void **state) {
    (void)state;
    uint64_t seed = 10;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    JointSetup setup = support_joint_setup(&seed, &def);
    setup.frame[1] = (CairnTransform){{0.2, 0, 0}, cairn_quat_identity()};
    support_joint_place(&setup, 1, ORIGIN, cairn_quat_identity());
    CairnJointInput input = support_joint_input(&setup);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    const double lambda[5] = {0, 0, 5000 * 0.01, 5, -3};
    CairnMat3 k[CAIRN_JOINT_MAX_BODIES] = {0}, vectors;
    cairn_joint_stiffness(&input, rows, cairn_joint_rows(&input, rows), lambda, k);
    CairnVec3 axle = cairn_rotate(input.bodies[0].frame.q, X);
    assert_vec3_near(cairn_mat3_mul(k[1], axle), ORIGIN, 1e-10); // of 5000 N times 0.2 m
    double values[3];
    cairn_mat3_eigen(k[1], values, &vectors);
    for (int i = 0; i < 3; i++) {
        assert_near(values[i] * cairn_dot(column_of(vectors, i), axle), 0, 1e-9);
    }
}

static double size_of(CairnMat3 m) {
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        sum += m.m[i / 3][i % 3] * m.m[i / 3][i % 3];
    }
    return sqrt(sum);
}

static bool is_hinge(const CairnJointDef *def) {
    return def->type == CAIRN_JOINT_REVOLUTE || def->type == CAIRN_JOINT_CYLINDRICAL;
}

// The bound that spares most joints their matrix, at any pose and near those that the locks want, with limits and
// drives; it is |K| itself of lengths alone, and where one lock holds a hinge.
static void a_pull_bounds_the_stiffness(void **state) {
    (void)state;
    uint64_t seed = 14;
    int bounded = 0, refused = 0;
    for (int i = 0; i < 600; i++) {
        CairnJointDef def = cairn_joint_def((CairnJointType)(i % CAIRN_JOINT_GEAR)); // the gear is the last one
        for (int axis = 0; axis < CAIRN_AXIS_COUNT && def.type == CAIRN_JOINT_SIX_DOF; axis++) {
            def.axes[axis].mode = (CairnAxisMode)support_int(&seed, CAIRN_AXIS_FREE, CAIRN_AXIS_LIMITED);
            def.axes[axis].lower = -0.1;
            def.axes[axis].upper = support_int(&seed, 0, 1) ? 0.2 : -0.1;
            def.axes[axis].drive = support_int(&seed, 0, 1) ? CAIRN_DRIVE_VELOCITY : CAIRN_DRIVE_NONE;
        }
        JointSetup setup = support_joint_setup(&seed, &def);
        bool is_near = i / CAIRN_JOINT_GEAR % 2 == 0, is_alone = is_near && is_hinge(&def) && i % 3 == 1;
        if (is_near) {
            CairnVec3 turn = {support_uniform(&seed, -1, 1), support_uniform(&seed, -0.1, 0.1), 0.05};
            support_joint_place(&setup, 1, ORIGIN, cairn_quat_exp(turn));
        }
        CairnJointInput input = support_joint_input(&setup);
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        double lambda[CAIRN_JOINT_MAX_ROWS], turn;
        int count = cairn_joint_rows(&input, rows);
        for (int r = 0; r < count; r++) {
            lambda[r] = i % 3 == 0 && rows[r].axis >= CAIRN_RX ? 0 : support_uniform(&seed, -1, 1);
            lambda[r] = is_alone && r != count - 1 ? 0 : lambda[r];
        }
        CairnMat3 k[CAIRN_JOINT_MAX_BODIES] = {0};
        CairnVec3 force;
        cairn_joint_stiffness(&input, rows, count, lambda, k);
        bool is_bounded = cairn_joint_pull(&input, rows, count, lambda, &force, &turn);
        for (int b = 0; b < 2 && is_bounded; b++) {
            CairnVec3 arm = cairn_sub(input.bodies[1].frame.p, input.bodies[b].center);
            double most = sqrt(2) * fabs(cairn_dot(force, arm)) + turn;
            assert_below(size_of(k[b]), most * (1 + 1e-12) + 1e-12);
            bool is_exact = def.type == CAIRN_JOINT_BALL || is_alone;
            assert_true(!is_exact || size_of(k[b]) > most * (1 - 1e-12));
        }
        bounded += is_bounded;
        refused += !is_bounded;
    }
    assert_true(bounded > 300 && refused > 50);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_is_the_derivative_of_torque),
        cmocka_unit_test(stiffness_follows_signs_and_ratios),
        cmocka_unit_test(curvature_is_the_derivative_of_the_gradient),
        cmocka_unit_test(a_pull_bounds_the_stiffness),
        cmocka_unit_test(a_load_beside_an_axle_leaves_its_spin_alone),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
