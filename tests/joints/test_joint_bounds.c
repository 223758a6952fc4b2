// The bounds of how a joint's coordinates change in two motions: no change is beyond them, and motions that are near
// enough to each other have bounds that are small.
#include "engine/base/vec6.h"
#include "tests/support/support_joints.h"

// c of every row: phi at the end of a motion by `moves`, less phi at the start and J times the motion.
static void find_bends(const CairnJointInput *input, const CairnJointRow *rows, int count, const CairnVec6 moves[2],
                       double *bends) {
    CairnJointInput moved = *input;
    for (int k = 0; k < 2; k++) {
        cairn_joint_move(&input->bodies[k], moves[k].linear, cairn_quat_exp(moves[k].angular), &moved.bodies[k]);
    }
    cairn_joint_changes(&moved, rows, count, bends);
    for (int r = 0; r < count; r++) {
        for (int k = 0; k < 2 && rows[r].role == CAIRN_ROW_LOCK; k++) {
            bends[r] -= cairn_vec6_dot(rows[r].jacobian[k], moves[k]);
        }
    }
}

static CairnJointMotions motions_of(const CairnVec6 a[2], const CairnVec6 b[2]) {
    CairnJointMotions m;
    for (int k = 0; k < 2; k++) {
        m.turn[k] = fmax(cairn_length(a[k].angular), cairn_length(b[k].angular));
        m.turn_apart[k] = cairn_length(cairn_sub(a[k].angular, b[k].angular));
    }
    CairnVec3 way_a = cairn_sub(a[1].linear, a[0].linear), way_b = cairn_sub(b[1].linear, b[0].linear);
    m.way = fmax(cairn_length(way_a), cairn_length(way_b));
    m.way_apart = cairn_length(cairn_sub(way_a, way_b));
    return m;
}

// Returns the largest share of its bound that a bend came to.
static double hold_against_bounds(uint64_t *seed, CairnJointType type, double size, double apart) {
    CairnJointDef def = cairn_joint_def(type);
    JointSetup setup = support_joint_setup(seed, &def);
    support_joint_place(&setup, 1, support_vec3(seed, -0.1, 0.1), cairn_quat_exp(support_vec3(seed, -0.2, 0.2)));
    CairnJointInput input = support_joint_input(&setup);
    setup.core.rest[0] = cairn_length(cairn_sub(input.bodies[1].frame.p, input.bodies[0].frame.p));
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    int count = cairn_joint_rows(&input, rows);
    CairnVec6 a[2], b[2];
    for (int k = 0; k < 2; k++) {
        a[k] = (CairnVec6){support_vec3(seed, -size, size), support_vec3(seed, -size, size)};
        b[k] = (CairnVec6){cairn_add(a[k].linear, support_vec3(seed, -apart, apart)),
                           cairn_add(a[k].angular, support_vec3(seed, -apart, apart))};
    }
    double of_a[CAIRN_JOINT_MAX_ROWS], of_b[CAIRN_JOINT_MAX_ROWS], linear, angular, share = 0;
    CairnJointMotions motions = motions_of(a, b);
    find_bends(&input, rows, count, a, of_a);
    find_bends(&input, rows, count, b, of_b);
    cairn_joint_bound_changes(&input, rows, count, &motions, &linear, &angular);
    for (int r = 0; r < count; r++) {
        double bound = rows[r].axis >= CAIRN_RX ? angular : linear;
        share = fmax(share, fmax(fabs(of_a[r] - of_b[r]) - 1e-14, 0) / bound);
    }
    return share;
}

static const CairnJointType types[] = {
    CAIRN_JOINT_BALL,  CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_UNIVERSAL, CAIRN_JOINT_PRISMATIC, CAIRN_JOINT_CYLINDRICAL,
    CAIRN_JOINT_FIXED, CAIRN_JOINT_DISTANCE, CAIRN_JOINT_PLANAR,    CAIRN_JOINT_WHEEL,     CAIRN_JOINT_SIX_DOF,
};

static void no_change_is_beyond_its_bound(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        double most = 0;
        for (int i = 0; i < 3000; i++) {
            double size = pow(10, support_uniform(&seed, -4, 0.3)), apart = pow(10, support_uniform(&seed, -6, 0.3));
            most = fmax(most, hold_against_bounds(&seed, types[t], size, apart));
        }
        assert_below(most, 1);
        assert_true(most > 0.1); // and no bound is far too large
    }
}

static void what_has_no_bound_says_so(void **state) {
    (void)state;
    uint64_t seed = 12;
    CairnJointMotions still = {0};
    double linear, angular;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
    def.axes[CAIRN_RZ].mode = CAIRN_AXIS_FREE; // Cardan's angles are singular
    JointSetup setup = support_joint_setup(&seed, &def);
    support_joint_place(&setup, 1, (CairnVec3){0, 0, 0}, (CairnQuat){1, 0, 0, 0});
    CairnJointInput input = support_joint_input(&setup);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    int count = cairn_joint_rows(&input, rows);
    cairn_joint_bound_changes(&input, rows, count, &still, &linear, &angular);
    assert_near(linear, 0, 0);
    assert_true(isinf(angular));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_change_is_beyond_its_bound),
        cmocka_unit_test(what_has_no_bound_says_so),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
