// Worlds without outer forces keep their linear and angular momentum, whatever their bodies do to each other.
#include "tests/support/support_mechanism.h"

enum { BODIES = 12 };
static const char *const integrators[] = {"semi-implicit", "midpoint"};

typedef struct Kept {
    double linear, angular; // largest changes, of the sum of what the bodies had at the start
    int contacts;
} Kept;

static Kept drift(CairnWorld *world, const CairnBodyId *ids, int steps) {
    CairnStats first = support_step(world, 1.0 / 60);
    double linear = 0, angular = 0;
    for (int i = 0; i < BODIES; i++) {
        CairnBodyState body = support_state(world, ids[i]);
        CairnVec3 p = cairn_scale(body.mass.mass, body.velocity);
        linear += cairn_length(p);
        angular += cairn_length(cairn_cross(body.center, p));
    }
    Kept kept = {0};
    for (int n = 0; n < steps; n++) {
        CairnStats now = support_step(world, 1.0 / 60);
        kept.linear = fmax(kept.linear, cairn_length(cairn_sub(now.momentum, first.momentum)) / linear);
        kept.angular =
            fmax(kept.angular, cairn_length(cairn_sub(now.angular_momentum, first.angular_momentum)) / angular);
        kept.contacts += now.contacts;
    }
    return kept;
}

// Bodies on shells that fly to the middle and spin.
static CairnWorld *swarm(uint64_t *seed, const char *integrator, double speed, double friction, double restitution,
                         CairnBodyId *ids) {
    CairnWorld *world = support_world(&support_exact, cairn_vec3(0, 0, 0));
    assert_ok(cairn_world_set(world, "integrator", integrator));
    for (int i = 0; i < BODIES; i++) {
        CairnVec3 out = support_unit(seed);
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_scale(0.5 + 0.45 * i, out);
        body.velocity = cairn_add_scaled(support_vec3(seed, -speed / 4, speed / 4), -speed, out);
        body.angular_velocity = support_vec3(seed, -speed, speed);
        body.orientation = support_quat(seed);
        ids[i] = support_create(world, &body);
        double a = support_uniform(seed, 0.2, 0.4), b = support_uniform(seed, 0.2, 0.4);
        CairnShapeDef shape = i % 3 == 0   ? cairn_sphere(a / 2)
                              : i % 3 == 1 ? cairn_box(a, b, 0.3)
                                           : cairn_capsule(0.12, b);
        shape.friction = friction;
        shape.restitution = restitution;
        assert_ok(cairn_shape_create(world, ids[i], &shape, NULL));
    }
    return world;
}

static void collisions_keep_it(void **state) {
    (void)state;
    static const double frictions[] = {0, 0.5, 0.5}, restitutions[] = {0, 0, 0.7};
    for (int i = 0; i < 6; i++) {
        int k = i % 3;
        uint64_t seed = 11 + (uint64_t)k;
        CairnBodyId ids[BODIES];
        CairnWorld *world = swarm(&seed, integrators[i / 3], 2, frictions[k], restitutions[k], ids);
        Kept kept = drift(world, ids, support_rounds(10000, 500));
        print_message("  mu %.1f, e %.1f: momentum %.1e, angular %.1e\n", frictions[k], restitutions[k], kept.linear,
                      kept.angular);
        assert_true(kept.contacts > 0);
        assert_below(kept.linear, 1e-10);
        assert_below(kept.angular, 1e-10);
        cairn_world_destroy(world);
    }
}

// Ball joints, motors and springs in a row of bodies that tumble and strike each other.
static void joints_and_drives_keep_it(void **state) {
    (void)state;
    for (int n = 0; n < 6; n++) {
        int k = n % 3;
        uint64_t seed = 21 + (uint64_t)k;
        CairnBodyId ids[BODIES];
        CairnWorld *world = swarm(&seed, integrators[n / 3], 0.5, 0.5, 0, ids);
        for (int i = 1; i < BODIES; i++) {
            static const CairnJointType types[] = {CAIRN_JOINT_BALL, CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_PRISMATIC};
            CairnJointDef joint = cairn_joint_def(types[k]);
            int axis = k == 1 ? CAIRN_RX : CAIRN_X;
            if (k > 0) {
                joint.axes[axis].drive = k == 1 ? CAIRN_DRIVE_VELOCITY : CAIRN_DRIVE_SPRING;
                joint.axes[axis].target_velocity = k == 1 ? 1 : 0;
                joint.axes[axis].stiffness = 20;
                joint.axes[axis].damping = 1;
                joint.axes[axis].max_force = 5;
            }
            CairnVec3 a = support_state(world, ids[i - 1]).center, b = support_state(world, ids[i]).center;
            support_joint_of(world, joint, ids[i - 1], ids[i], cairn_scale(0.5, cairn_add(a, b)), support_unit(&seed));
        }
        Kept kept = drift(world, ids, support_rounds(2000, 200));
        print_message("  joints %d: momentum %.1e, angular %.1e\n", k, kept.linear, kept.angular);
        assert_below(kept.linear, 1e-10);
        assert_below(kept.angular, 1e-10);
        cairn_world_destroy(world);
    }
}

// Two heavy bodies whirl about each other on a chain of light links, whose tension is far too stiff for the step.
static void stiff_chain_keeps_it(const char *integrator) {
    enum { LINKS = 20 };
    CairnWorld *world = support_world(&support_exact, cairn_vec3(0, 0, 0));
    assert_ok(cairn_world_set(world, "integrator", integrator));
    const double length = 0.2, half = LINKS * length / 2;
    CairnBodyId last = {0, 0, 0};
    for (int i = 0; i <= LINKS + 1; i++) {
        bool is_load = i == 0 || i > LINKS;
        double x = i == 0 ? -half : i > LINKS ? half : -half + length * (i - 0.5), mass = is_load ? 100 : 1;
        double inertia = is_load ? 10 : mass * length * length / 12;
        CairnBodyDef def = cairn_body_def();
        def.mass = mass;
        def.inertia = cairn_vec3(is_load ? inertia : 0.1 * inertia, inertia, inertia);
        def.position = cairn_vec3(x, 0, 0);
        def.velocity = cairn_vec3(0, 2 * x, 0.1 * (i % 3));
        def.angular_velocity = cairn_vec3(0, 0.3, 2);
        CairnBodyId id = support_create(world, &def);
        if (i > 0) {
            CairnVec3 point = {i > LINKS ? half : -half + length * (i - 1), 0, 0};
            support_joint(world, CAIRN_JOINT_BALL, last, id, point, cairn_vec3(0, 0, 1));
        }
        last = id;
    }
    CairnStats first = support_step(world, 1.0 / 60);
    double angular = cairn_length(first.angular_momentum), worst = 0, low = HUGE_VAL, high = 0;
    for (int n = 0; n < support_rounds(10000, 500); n++) {
        CairnStats now = support_step(world, 1.0 / 60);
        worst = fmax(worst, cairn_length(cairn_sub(now.angular_momentum, first.angular_momentum)) / angular);
        low = fmin(low, now.kinetic_energy);
        high = fmax(high, now.kinetic_energy);
    }
    print_message("  angular momentum %.1e, energy %.3f to %.3f of the first\n", worst, low / first.kinetic_energy,
                  high / first.kinetic_energy);
    assert_below(worst, 1e-10);
    assert_below(0.97 * first.kinetic_energy, low); // 0.2 before
    assert_below(high, 1.03 * first.kinetic_energy);
    cairn_world_destroy(world);
}

static void stiff_chains_keep_it(void **state) {
    (void)state;
    stiff_chain_keeps_it(integrators[0]);
    stiff_chain_keeps_it(integrators[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_it),
        cmocka_unit_test(joints_and_drives_keep_it),
        cmocka_unit_test(stiff_chains_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
