// Joints on arcs: turning links keep together within a step and keep their energy, under both integrators; a step in
// which they turn far is made in parts, and is one step to the caller.
#include "solvers/exact/bpp.h"
#include "tests/support/support_mechanism.h"
#include "tests/support/support_worlds.h"
#include <string.h>

static const CairnBodyId GROUND = {0, 0, 0};
static const CairnVec3 Z = {0, 0, 1}, DOWN = {0, -9.81, 0}, NONE = {0, 0, 0};

enum { BARS = 5 };

// Bars of 1 m and 8 kg, hinged, let go from horizontal: 981 J above where they hang.
static CairnWorld *chain(const char *integrator, CairnJointType type, int threads, CairnBodyId bars[BARS]) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = DOWN;
    def.thread_count = threads;
    CairnWorld *world = NULL;
    assert_ok(cairn_world_create(&def, &world));
    assert_ok(cairn_world_set(world, "integrator", integrator));
    CairnBodyId last = GROUND;
    for (int i = 0; i < BARS; i++) {
        CairnVec3 inertia = {8 * 0.02 / 12, 8 * 1.01 / 12, 8 * 1.01 / 12}; // a box of 1 m x 0.1 m x 0.1 m
        bars[i] = support_body(world, 8, inertia, cairn_vec3(i + 0.5, 0, 0));
        support_joint(world, type, last, bars[i], cairn_vec3(i, 0, 0), Z);
        last = bars[i];
    }
    return world;
}

static void a_chain_keeps_its_joints_and_energy(void **state) {
    (void)state;
    static const char *const integrators[] = {"semi-implicit", "midpoint"};
    static const CairnJointType types[] = {CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_BALL};
    for (int k = 0; k < 4; k++) {
        double last_swing = HUGE_VAL;
        for (int rate = 60; rate <= 240; rate *= 4) {
            CairnBodyId bars[BARS];
            CairnWorld *world = chain(integrators[k / 2], types[k % 2], 1, bars);
            double most = 0, gain = 0, swing = 0, energy = 0;
            for (int n = 0; n < 5 * rate; n++) {
                CairnStats stats = support_step(world, 1.0 / rate);
                most = fmax(most, stats.joint_error_linear);
                energy = support_energy(&stats);
                gain = fmax(gain, energy);
                swing = fmax(swing, fabs(energy));
                assert_true(stats.residual.is_certified);
            }
            print_message("  %s, 1/%d s: joints %.1e m, energy %+.2f J at the end, %+.2f J at most, %.2f J off\n",
                          integrators[k / 2], rate, most, energy, gain, swing);
            assert_below(most, 1e-3);
            assert_below(fabs(energy), (rate == 60 ? 0.03 : 0.005) * 981);
            assert_below(gain, 0.03 * 981);
            assert_below(swing, last_swing);
            last_swing = swing;
            cairn_world_destroy(world);
        }
    }
}

// Ten bodies in a tree of six-dof, ball, wheel and planar joints, flung about.
static CairnWorld *mechanism(uint64_t seed, CairnIntegrator integrator) {
    CairnWorldDef def = cairn_world_def();
    def.integrator = integrator;
    CairnWorld *world = NULL;
    assert_ok(cairn_world_create(&def, &world));
    static const CairnJointType types[] = {CAIRN_JOINT_SIX_DOF, CAIRN_JOINT_BALL, CAIRN_JOINT_WHEEL,
                                           CAIRN_JOINT_PLANAR};
    CairnBodyId ids[10];
    CairnVec3 at[10];
    for (int i = 0; i < 10; i++) {
        int parent = i > 0 ? support_int(&seed, 0, i - 1) : 0;
        double mass = pow(10, support_uniform(&seed, -0.5, 0.5)), size = support_uniform(&seed, 0.3, 1);
        CairnBodyDef body = cairn_body_def();
        body.mass = mass;
        body.inertia = cairn_scale(mass * size * size / 12,
                                   cairn_vec3(support_uniform(&seed, 0.5, 1), support_uniform(&seed, 0.75, 1), 0.9));
        at[i] = i > 0 ? cairn_add(at[parent], support_vec3(&seed, -0.6, 0.6)) : NONE;
        body.position = at[i];
        body.orientation = support_quat(&seed);
        body.velocity = support_vec3(&seed, -2, 2);
        body.angular_velocity = support_vec3(&seed, -8, 8);
        ids[i] = support_create(world, &body);
        CairnJointDef joint = cairn_joint_def(types[support_int(&seed, 0, 3)]);
        if (joint.type == CAIRN_JOINT_SIX_DOF) {
            joint.axes[CAIRN_RX].mode = CAIRN_AXIS_FREE;
        } else if (joint.type == CAIRN_JOINT_PLANAR || joint.type == CAIRN_JOINT_WHEEL) {
            for (int axis = 0; axis < 3; axis++) {
                if ((axis == 0) == (joint.type == CAIRN_JOINT_WHEEL)) {
                    joint.axes[axis].mode = CAIRN_AXIS_LIMITED;
                    joint.axes[axis].lower = -0.3;
                    joint.axes[axis].upper = 0.3;
                }
            }
        }
        joint.body_a = i > 0 ? ids[parent] : GROUND;
        joint.body_b = ids[i];
        CairnVec3 point = i > 0 ? cairn_scale(0.5, cairn_add(at[i], at[parent])) : support_vec3(&seed, -0.4, 0.4);
        assert_ok(cairn_joint_place(world, &joint, point, support_unit(&seed), support_unit(&seed)));
        assert_ok(cairn_joint_create(world, &joint, NULL));
    }
    return world;
}

// What it gains over the energy after the first step (which takes what the joints do not allow), against the range
// that the energy of its motion has.
static double gain_of(uint64_t seed, double h, CairnIntegrator integrator) {
    CairnWorld *world = mechanism(seed, integrator);
    double first = 0, most = -HUGE_VAL, range = 0;
    for (int n = 0; n * h < 5; n++) {
        CairnStats stats = support_step(world, h);
        first = n == 0 ? support_energy(&stats) : first;
        most = fmax(most, support_energy(&stats));
        range = fmax(range, stats.kinetic_energy);
    }
    cairn_world_destroy(world);
    return (most - first) / range;
}

static void mixed_joints_gain_nothing(void **state) {
    (void)state;
    static const double steps[] = {0.039, 1.0 / 30, 1.0 / 60, 1.0 / 120};
    for (int k = 0; k < 8; k++) {
        CairnIntegrator integrator = k < 4 ? CAIRN_INTEGRATOR_SEMI_IMPLICIT : CAIRN_INTEGRATOR_MIDPOINT;
        double worst = 0, h = steps[k % 4];
        for (int seed = 0; seed < support_rounds(40, 6); seed++) {
            worst = fmax(worst, gain_of((uint64_t)seed, h, integrator));
        }
        print_message("  %s, h = %.4f s: %.2f %% of the range at most\n", k < 4 ? "semi-implicit" : "midpoint", h,
                      100 * worst);
        assert_below(worst, 0.03);
    }
}

// A line of links of 20 cm between two points, with so much sag, that its middle link draws taut in one step with all
// of its momentum: impulses along the links of the start have no part across them.
static CairnWorld *taut_line(int links, double sag, double load) {
    CairnWorld *world = support_world(NULL, cairn_vec3(0, 0, -9.81));
    double length = 0.2, span = length * links;
    CairnBodyId last = GROUND;
    for (int i = 0; i <= links; i++) {
        double x = length * i, z = -sag * sin(CAIRN_PI * x / span);
        double dx = length, dz = -sag * sin(CAIRN_PI * (x + length) / span) - z, reach = hypot(dx, dz);
        CairnBodyId link = GROUND;
        if (i < links) {
            CairnBodyDef def = cairn_body_def();
            def.mass = i == links / 2 ? load : 0.5;
            def.inertia = cairn_scale(def.mass, cairn_vec3(1e-3, reach * reach / 12, reach * reach / 12));
            def.position = cairn_vec3(x + dx / 2, 0, z + dz / 2);
            def.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), -atan2(dz, dx));
            def.velocity.z = i == links / 2 ? 10 : 0;
            link = support_create(world, &def);
        }
        support_joint(world, CAIRN_JOINT_BALL, i < links ? last : GROUND, i < links ? link : last, cairn_vec3(x, 0, z),
                      Z);
        last = link;
    }
    return world;
}

static void taut_lines_keep_together(void **state) {
    (void)state;
    static const struct {
        int links;
        double sag, load, before; // how far they came apart where the step was made in one
    } lines[] = {{20, 0.05, 50, 3.1e-3}, {10, 0.1, 20, 0.16}};
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = taut_line(lines[k].links, lines[k].sag, lines[k].load);
        double most = 0;
        for (int n = 0; n < 120; n++) {
            most = fmax(most, support_step(world, 1.0 / 60).joint_error_linear);
        }
        print_message("  %d links, %g kg: joints %.1e m (%.1e in one part)\n", lines[k].links, lines[k].load, most,
                      lines[k].before);
        assert_below(most, 1e-3);
        cairn_world_destroy(world);
    }
}

// ---- a step in parts ----

// Steps until one is made in parts.
static CairnStats step_to_parts(CairnWorld *world) {
    CairnStats stats = support_step(world, 1.0 / 30);
    for (int n = 0; n < 150 && stats.substeps == 1; n++) {
        stats = support_step(world, 1.0 / 30);
    }
    assert_true(stats.substeps > 1);
    return stats;
}

static void parts_are_one_step(void **state) {
    (void)state;
    CairnBodyId bars[BARS];
    CairnWorld *world = chain("semi-implicit", CAIRN_JOINT_REVOLUTE, 1, bars);
    CairnBodyId free = support_body(world, 2, cairn_vec3(1, 1, 1), cairn_vec3(50, 0, 0));
    CairnStats before = step_to_parts(world);
    for (int n = 0; n < 10; n++) {
        CairnVec3 v = support_state(world, free).velocity;
        support_push(world, free, cairn_vec3(3, 0, 0), NONE);
        CairnStats stats = support_step(world, 1.0 / 30);
        assert_int_equal(stats.step_index, before.step_index + 1);
        assert_near(stats.time, before.time + 1.0 / 30, 1e-12);
        assert_near(support_state(world, free).velocity.x, v.x + 3.0 / 2 / 30, 1e-12); // all of the force, once
        assert_near(support_state(world, free).velocity.y, v.y - 9.81 / 30, 1e-9);
        assert_true(stats.solves >= stats.substeps);
        before = stats;
    }
    assert_int_equal(before.step_index, support_step(world, 1.0 / 30).step_index - 1);
    cairn_world_destroy(world);
}

// A wheel on its axle may spin as it likes: that bends nothing.
static void wheels_need_no_parts(void **state) {
    (void)state;
    CairnWorld *world = support_world(NULL, NONE);
    CairnBodyDef def = cairn_body_def();
    def.mass = 1;
    def.inertia = cairn_vec3(0.1, 0.1, 0.2);
    def.angular_velocity = cairn_vec3(0, 0, 100);
    CairnBodyId wheel = support_create(world, &def);
    support_joint(world, CAIRN_JOINT_REVOLUTE, GROUND, wheel, NONE, Z);
    for (int n = 0; n < 60; n++) {
        assert_int_equal(support_step(world, 1.0 / 60).substeps, 1);
    }
    cairn_world_destroy(world);
}

static int calls_left;

// bpp, which gives up after so many calls.
static CairnStatus solve_some(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    if (calls_left-- <= 0) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "some: no more calls");
    }
    return cairn_solver_bpp.solve(problem, parts, options, context, lambda, report);
}

static void a_part_that_fails_takes_back_all(void **state) {
    (void)state;
    CairnSolver some = cairn_solver_bpp;
    some.solve = solve_some;
    CairnBodyId bars[BARS];
    CairnWorld *world = chain("semi-implicit", CAIRN_JOINT_REVOLUTE, 1, bars);
    assert_ok(cairn_world_set_solver(world, &some, NULL));
    calls_left = 1 << 20;
    step_to_parts(world);
    SupportBytes before = support_snapshot(world);
    for (int most = 0;; most++) {
        calls_left = most;
        CairnStats stats;
        support_push(world, bars[2], cairn_vec3(1, 2, 3), NONE);
        SupportBytes pushed = support_snapshot(world);
        CairnStatus status = cairn_world_step(world, 1.0 / 30, &stats);
        if (cairn_is_ok(status)) {
            assert_true(stats.substeps > 1 && most > 1); // some failed in a later part
            support_bytes_free(&pushed);
            break;
        }
        SupportBytes after = support_snapshot(world);
        assert_true(support_same_bytes(&pushed, &after));
        support_bytes_free(&after);
        support_bytes_free(&pushed);
        support_push(world, bars[2], cairn_vec3(-1, -2, -3), NONE);
    }
    support_bytes_free(&before);
    cairn_world_destroy(world);
}

static void parts_are_the_same_for_any_threads(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        CairnBodyId bars[BARS];
        CairnWorld *world = chain("semi-implicit", CAIRN_JOINT_BALL, k == 0 ? 1 : 4, bars);
        support_steps(world, 1.0 / 30, 150);
        hash[k] = cairn_world_state_hash(world);
        cairn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_keeps_its_joints_and_energy),
        cmocka_unit_test(mixed_joints_gain_nothing),
        cmocka_unit_test(taut_lines_keep_together),
        cmocka_unit_test(parts_are_one_step),
        cmocka_unit_test(wheels_need_no_parts),
        cmocka_unit_test(a_part_that_fails_takes_back_all),
        cmocka_unit_test(parts_are_the_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
