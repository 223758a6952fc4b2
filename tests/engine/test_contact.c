// Contact against closed forms: impacts, trains of impacts, rest, recovery from overlap, changes of the step.
#include "solvers/sweeps/pgs.h"
#include "tests/support/support_motion.h"

static const double g = 9.81;

static CairnShapeDef smooth(CairnShapeDef shape, double restitution) {
    shape.friction = 0;
    shape.restitution = restitution;
    return shape;
}

static CairnWorld *weightless(void) {
    CairnWorldDef def = motion_stiff_def();
    def.gravity = cairn_vec3(0, 0, 0);
    return motion_world(&def);
}

// ---- restitution ----

typedef struct Bounces {
    double heights[12]; // of each flight
    int count;
    double over; // when the ball last moved faster than 1 cm/s
} Bounces;

static Bounces bounce(double height, double e, double h, double t) {
    CairnWorldDef def = motion_stiff_def();
    def.restitution_threshold = 1e-3;
    CairnWorld *world = motion_world(&def);
    motion_ground(world, 0, 0, e);
    CairnBodyDef body = motion_on_ground(0, 0, 0.1 + height);
    CairnShapeDef ball = smooth(cairn_sphere(0.1), 0);
    CairnBodyId id = motion_shape(world, &body, &ball);
    Bounces b = {0};
    double last_v = 0, top = height;
    for (int i = 1; i <= (int)lround(t / h); i++) {
        motion_steps(world, h, 1);
        CairnBodyState s = motion_state(world, id);
        if (last_v < 0 && s.velocity.z > 0) { // a flight ended
            if (b.count < 12) {
                b.heights[b.count++] = top;
            }
            top = 0;
        }
        top = fmax(top, s.center.z - 0.1);
        last_v = s.velocity.z;
        b.over = fabs(last_v) > 0.01 ? i * h : b.over;
    }
    cairn_world_destroy(world);
    return b;
}

// Heights e^2k H; all over at sqrt(2H/g) (1 + e)/(1 - e).
static void bounces_lose_their_share(void **state) {
    (void)state;
    const double e = 0.8, over = 4.063713;
    assert_near(sqrt(2 / g) * (1 + e) / (1 - e), over, 5e-7);
    Bounces b = bounce(1, e, 1e-3, 5);
    assert_int_equal(b.count, 12);
    double worst = 0;
    for (int k = 0; k < 12; k++) {
        worst = fmax(worst, fabs(b.heights[k] - pow(e, 2 * k)));
    }
    print_message("  bouncing ball, h = 1e-3: heights off by %.1e m at most, over at %.4f s of %.6f\n", worst, b.over,
                  over);
    assert_below(worst, 1e-2);
    assert_near(b.over, over, 0.05); // the small hops last a whole number of steps each
}

// How early in its step a ball meets the ground is chance; over many drops the error of the first flights halves with
// h.
static void bounces_converge(void **state) {
    (void)state;
    const double e = 0.8;
    double last = 0;
    for (double h = 8e-3; h > 0.9e-3; h /= 2) {
        double sum = 0;
        for (int i = 0; i < 20; i++) {
            double height = 1 + 0.013 * i;
            Bounces b = bounce(height, e, h, 2);
            for (int k = 1; k <= 2; k++) {
                sum += fabs(b.heights[k] - height * pow(e, 2 * k)) / 40;
            }
        }
        print_message("  bouncing balls, h = %g: mean error %.2e m\n", h, sum);
        if (last > 0) {
            assert_near(last / sum, 2, 0.5);
        }
        last = sum;
    }
}

// v1' = v1 - (1 + e) m2/(m1 + m2) u, v2' = v2 + (1 + e) m1/(m1 + m2) u along the line of centres; nothing across it.
static void two_balls_meet_by_newtons_law(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.3, 1};
    for (int i = 0; i < 3; i++) {
        double e = restitutions[i], m1 = 1, m2 = 3;
        CairnWorld *world = weightless();
        CairnVec3 n = cairn_normalize(cairn_vec3(1, 0.5, -0.2)), across = {0.2, 0, 1};
        CairnShapeDef ball = smooth(cairn_sphere(0.1), e);
        CairnBodyDef body = cairn_body_def();
        body.mass = m1;
        body.velocity = cairn_add(cairn_scale(2, n), across);
        CairnBodyId a = motion_shape(world, &body, &ball);
        body.mass = m2;
        body.position = cairn_scale(0.25, n);
        body.velocity = cairn_add(cairn_scale(-1, n), across);
        CairnBodyId b = motion_shape(world, &body, &ball);
        motion_steps(world, 1e-3, 50);
        double k = (1 + e) * 3 / (m1 + m2);
        assert_vec3_near(motion_state(world, a).velocity, cairn_add(cairn_scale(2 - k * m2, n), across), 1e-9);
        assert_vec3_near(motion_state(world, b).velocity, cairn_add(cairn_scale(k * m1 - 1, n), across), 1e-9);
        cairn_world_destroy(world);
    }
}

// Balls in a row along x; the first comes at 1 m/s.
static void run_row(int count, double gap, double e, double h, int steps, double *velocities) {
    CairnWorld *world = weightless();
    CairnShapeDef ball = smooth(cairn_sphere(0.05), e);
    CairnBodyId ids[8];
    for (int i = 0; i < count; i++) {
        CairnBodyDef body = cairn_body_def();
        body.mass = 1;
        body.position.x = i * (0.1 + gap);
        body.velocity.x = i == 0 ? 1 : 0;
        ids[i] = motion_shape(world, &body, &ball);
    }
    motion_steps(world, h, steps);
    for (int i = 0; i < count; i++) {
        velocities[i] = motion_state(world, ids[i]).velocity.x;
    }
    cairn_world_destroy(world);
}

// Gaps that take more than a step to cross: one impact at a time, each hands its momentum on.
static void cradle_with_gaps_passes_momentum_on(void **state) {
    (void)state;
    double v[5];
    run_row(5, 0.0125, 1, 0.01, 20, v);
    for (int i = 0; i < 5; i++) {
        assert_near(v[i], i == 4 ? 1 : 0, 1e-10);
    }
}

// Without gaps the law that holds is Newton's at all contacts at once: u12+ = -e u12-, u23+ = 0 = -e u23-. For e = 1
// that is -1/3, 2/3, 2/3, which keeps momentum and energy; it is not the cradle's 0, 0, 1, which is a train of impacts.
static void touching_balls_follow_simultaneous_newton(void **state) {
    (void)state;
    const double restitutions[] = {1, 0.5, 0};
    for (int i = 0; i < 3; i++) {
        double e = restitutions[i], v[3];
        run_row(3, 0, e, 1e-3, 5, v);
        assert_near(v[0], 1 - 2.0 / 3 * (1 + e), 1e-9);
        assert_near(v[1], (1 + e) / 3, 1e-9);
        assert_near(v[2], (1 + e) / 3, 1e-9);
    }
}

// ---- rest ----

typedef struct Rest {
    double speed, drift, gain; // largest ones; the speed once the contacts have given way
} Rest;

// Step through and watch all bodies; `h` may change from step to step.
static Rest watch(CairnWorld *world, const double *steps, int step_kinds, int count) {
    CairnBodyId ids[64];
    CairnVec3 start[64];
    int bodies = cairn_world_bodies(world, ids, 64);
    for (int b = 0; b < bodies; b++) {
        start[b] = motion_state(world, ids[b]).center;
    }
    Rest rest = {0};
    double energy = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        CairnStats stats = motion_steps(world, steps[i % step_kinds], 1);
        bool is_settled = i >= 30; // until then contacts give way under the load: by less than a tenth of a micrometre
        rest.gain = fmax(rest.gain, motion_energy(&stats) - energy);
        energy = fmin(energy, motion_energy(&stats));
        for (int b = 0; b < bodies; b++) {
            CairnBodyState s = motion_state(world, ids[b]);
            double speed = cairn_length(s.velocity) + 0.1 * cairn_length(s.angular_velocity);
            rest.speed = fmax(rest.speed, is_settled ? speed : 0);
            rest.drift = fmax(rest.drift, cairn_length(cairn_sub(s.center, start[b])));
        }
    }
    return rest;
}

static void is_still(const char *what, Rest rest) {
    print_message("  %s: speed %.1e m/s, drift %.1e m, energy gained %.1e J\n", what, rest.speed, rest.drift,
                  rest.gain);
    assert_below(rest.speed, 1e-6);
    assert_below(rest.drift, 1e-5);
    assert_below(rest.gain, 1e-9);
}

// The solver with its own settings: laws hold to its 1e-9 m/s.
static CairnWorld *plain_world(const CairnWorldDef *def) {
    CairnWorld *world = motion_world(def);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, NULL));
    return world;
}

// To the last digits: a box that 1e-9 m/s of a solve's rest lift in a step has gained 1e-9 J.
static CairnWorld *stack_of_boxes(int count) {
    CairnWorld *world = plain_world(NULL);
    CairnPgsOptions options = {.iterations = 1000, .tolerance = 1e-13, .omega = 1};
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, &options));
    motion_ground(world, 0, 0.5, 0);
    CairnShapeDef box = cairn_box(0.2, 0.2, 0.2);
    for (int i = 0; i < count; i++) {
        CairnBodyDef body = motion_on_ground(0, 0, 0.1 + 0.2 * i);
        motion_shape(world, &body, &box);
    }
    return world;
}

static const double frame = 1.0 / 60;

static void boxes_rest(void **state) {
    (void)state;
    CairnWorld *world = stack_of_boxes(4);
    is_still("four boxes, 10 s", watch(world, &frame, 1, 600));
    cairn_world_destroy(world);
}

static void balls_rest(void **state) {
    (void)state;
    CairnWorld *world = plain_world(NULL);
    motion_ground(world, 0, 0.6, 0);
    CairnShapeDef ball = cairn_sphere(0.1);
    ball.friction = 0.6;
    ball.rolling_friction = 1e-3; // else the pyramid's base may roll apart
    for (int i = 0; i < 3; i++) { // a base whose balls touch, and one on top
        CairnBodyDef body = motion_on_ground(0, 0, 0.1);
        body.position.x = 0.2 / sqrt(3) * cos(i * 2 * CAIRN_PI / 3);
        body.position.y = 0.2 / sqrt(3) * sin(i * 2 * CAIRN_PI / 3);
        motion_shape(world, &body, &ball);
    }
    CairnBodyDef body = motion_on_ground(0, 0, 0.1 + 0.2 * sqrt(2.0 / 3));
    motion_shape(world, &body, &ball);
    watch(world, &frame, 1, 60); // the base feels the top's weight one step late and moves by 0.4 mm
    is_still("pyramid of four balls, 10 s", watch(world, &frame, 1, 600));
    cairn_world_destroy(world);
}

// Warm impulses are forces times the step: a stack feels no jump when the step doubles or halves.
static void stack_rests_while_the_step_changes(void **state) {
    (void)state;
    const double steps[] = {frame, frame / 2, 2 * frame, frame / 4, frame};
    CairnWorld *world = stack_of_boxes(4);
    is_still("four boxes, changing steps", watch(world, steps, 5, 200));
    cairn_world_destroy(world);
}

// e = 0: what lands stays down, wherever in the step it lands, and goes through nothing.
static void bodies_without_restitution_do_not_rise(void **state) {
    (void)state;
    for (CairnIntegrator integrator = CAIRN_INTEGRATOR_SEMI_IMPLICIT; integrator <= CAIRN_INTEGRATOR_MIDPOINT;
         integrator++) {
        for (int i = 0; i < 10; i++) {
            CairnWorldDef def = cairn_world_def();
            def.integrator = integrator;
            CairnWorld *world = plain_world(&def);
            motion_ground(world, 0, 0.5, 0);
            bool is_box = i % 2 == 0;
            CairnShapeDef shape = is_box ? cairn_box(0.4, 0.4, 0.2) : cairn_sphere(0.1);
            CairnBodyDef body = motion_on_ground(0, 0, 0.6 + 0.013 * i);
            CairnBodyId id = motion_shape(world, &body, &shape);
            double lowest = 1, rise = 0;
            for (int k = 0; k < 100; k++) {
                motion_steps(world, 0.01, 1);
                CairnBodyState s = motion_state(world, id);
                lowest = fmin(lowest, s.center.z);
                rise = fmax(rise, s.velocity.z);
            }
            if (integrator == CAIRN_INTEGRATOR_SEMI_IMPLICIT) {
                assert_below(rise, 1e-7); // what a hard contact springs back by in a step
                assert_near(lowest, 0.1, 1e-6);
            } else {
                // The mean velocity carries it up to v h / 2 too deep, which is then pushed out: no bounce, but no
                // exact stop.
                assert_below(rise, 1);
                assert_near(lowest, 0.1, 0.5 * 3.4 * 0.01);
            }
            cairn_world_destroy(world);
        }
    }
}

// A hull's definition points at its points.
static CairnShapeDef dropped_shape(int k, double size, CairnVec3 points[5]) {
    static const CairnVec3 corners[5] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {0, 0, 1}};
    for (int i = 0; i < 5; i++) {
        points[i] = cairn_scale(size, corners[i]);
    }
    const CairnShapeDef shapes[] = {cairn_sphere(size), cairn_box(2 * size, 3 * size, 2 * size),
                                    cairn_cylinder(size, 2 * size), cairn_capsule(size, size), cairn_hull(points, 5)};
    CairnShapeDef shape = smooth(shapes[k], 0);
    if (k == 3) { // its axis along x: it lies
        shape.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), CAIRN_PI / 2);
    }
    return shape;
}

// Where a body lands it goes in by what a first touch gives way, and by a hard contact's 1e-7 m at most when it bears
// its weight; it may be pushed out by as much, and nothing else lifts it. From grains of 0.2 kg to blocks of a thousand
// tons, where it is no more: the compliance follows from the mass.
static void what_is_dropped_hardly_rises(void **state) {
    (void)state;
    double most = 0;
    for (int k = 0; k < 50; k++) {
        CairnWorldDef def = cairn_world_def();
        CairnWorld *world;
        const CairnSolver *exact;
        assert_ok(cairn_world_create(&def, &world));
        assert_ok(cairn_solver_find("bpp", &exact));
        assert_ok(cairn_world_set_solver(world, exact, NULL));
        motion_ground(world, 0, 0.5, 0);
        double size = 0.03 * pow(1.8, k / 5); // NOLINT(bugprone-integer-division): five shapes of each size
        CairnVec3 points[5];
        CairnShapeDef shape = dropped_shape(k % 5, size, points);
        CairnBodyDef body = cairn_body_def();
        body.position.z = size + 0.5 + 0.037 * k;
        CairnBodyId id = motion_shape(world, &body, &shape);
        double rise = 0, lowest = HUGE_VAL;
        for (int step = 0; step < 120; step++) {
            motion_steps(world, frame, 1);
            double z = motion_state(world, id).center.z;
            rise = fmax(rise, z - lowest);
            lowest = fmin(lowest, z);
        }
        assert_true(cairn_world_contacts(world, NULL, 0) > 0);
        most = fmax(most, rise);
        cairn_world_destroy(world);
    }
    print_message("  dropped bodies rise by %.2g m at most\n", most);
    assert_below(most, 1e-7);
}

// An overlap is pushed out no faster than contact_push, and ends where the slop is.
static void overlap_is_removed_gently(void **state) {
    (void)state;
    const double pushes[] = {0.05, 0.5, 2};
    for (int i = 0; i < 3; i++) {
        CairnWorldDef def = cairn_world_def();
        def.contact_push = pushes[i];
        CairnWorld *world = plain_world(&def);
        motion_ground(world, 0, 0.5, 0);
        CairnShapeDef box = cairn_box(0.4, 0.4, 0.2);
        CairnBodyDef body = motion_on_ground(0, 0, 0.05);
        CairnBodyId id = motion_shape(world, &body, &box);
        double fastest = 0;
        for (int k = 0; k < 300; k++) {
            motion_steps(world, 0.01, 1);
            fastest = fmax(fastest, motion_state(world, id).velocity.z);
        }
        assert_near(fastest, fmin(pushes[i], 0.2 * (0.05 - 5e-7) / 0.01),
                    1e-6); // the share of what lies beyond the slop
        assert_near(motion_state(world, id).center.z, 0.1, 2e-6);
        cairn_world_destroy(world);
    }
}

// ---- midpoint ----

// Contacts act on the way and on the velocity at its end: a ball that touches ends its step at rest. One that bounces
// flies on under the second half of its weight.
static void midpoint_contacts_end_at_rest(void **state) {
    (void)state;
    CairnWorldDef def = motion_stiff_def();
    def.integrator = CAIRN_INTEGRATOR_MIDPOINT;
    for (int i = 0; i < 2; i++) {
        double e = i * 0.5;
        CairnWorld *world = motion_world(&def);
        motion_ground(world, 0, 0, e);
        CairnShapeDef ball = smooth(cairn_sphere(0.1), e);
        CairnBodyDef body = motion_on_ground(0, 0, 0.1);
        body.velocity.z = -2;
        CairnBodyId id = motion_shape(world, &body, &ball);
        motion_steps(world, 1e-3, 1);
        assert_near(motion_state(world, id).velocity.z, e > 0 ? 2 * e - 0.5e-3 * g : 0, 1e-9);
        cairn_world_destroy(world);
    }
}

// x_k = h sum (v_{k-1} + v_k)/2 is the parabola itself: only the step of the stop is off, by less than h^2 mu g.
static void midpoint_block_slides_the_exact_way(void **state) {
    (void)state;
    const double mu = 0.2, v0 = 5, h = 0.01;
    CairnWorldDef def = motion_stiff_def();
    def.integrator = CAIRN_INTEGRATOR_MIDPOINT;
    CairnWorld *world = motion_world(&def);
    motion_ground(world, 0, mu, 0);
    CairnShapeDef box = cairn_box(1, 1, 0.2);
    box.friction = mu;
    CairnBodyDef body = motion_on_ground(0, 0, 0.1);
    body.velocity.x = v0;
    CairnBodyId id = motion_shape(world, &body, &box);
    motion_steps(world, h, 100);
    assert_near(motion_state(world, id).center.x, v0 - 0.5 * mu * g, 1e-9);
    motion_steps(world, h, 200);
    assert_near(motion_state(world, id).center.x, 6.371050, mu * g * h * h);
    assert_below(cairn_length(motion_state(world, id).velocity), 1e-9);
    cairn_world_destroy(world);
}

// ---- geometric stiffness ----

static uint64_t scene_hash(bool is_ball, bool geometric) {
    CairnWorldDef def = cairn_world_def();
    def.geometric_stiffness = geometric;
    CairnWorld *world = plain_world(&def);
    motion_ground(world, 0, 0.2, is_ball ? 0.8 : 0);
    CairnBodyDef body = motion_on_ground(0, 0, is_ball ? 1 : 0.1);
    body.velocity.x = 3;
    CairnShapeDef shape = is_ball ? cairn_sphere(0.1) : cairn_box(1, 1, 0.2);
    motion_shape(world, &body, &shape);
    motion_steps(world, frame, 200);
    uint64_t hash = cairn_world_state_hash(world);
    cairn_world_destroy(world);
    return hash;
}

static void geometric_stiffness_leaves_ordinary_scenes_alone(void **state) {
    (void)state;
    assert_true(scene_hash(false, true) == scene_hash(false, false));
    assert_true(scene_hash(true, true) == scene_hash(true, false));
    assert_true(scene_hash(true, true) != scene_hash(false, true));
}

// Share of its energy (above the lowest point) that a pendulum of 1 m has after 10 s, released from horizontal.
static double pendulum_energy(bool geometric, double radius) {
    CairnWorldDef def = cairn_world_def();
    def.geometric_stiffness = geometric;
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = cairn_body_def();
    body.position.x = 1;
    body.mass = 1;
    CairnShapeDef ball = cairn_sphere(radius);
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    joint.body_b = motion_shape(world, &body, &ball);
    assert_ok(cairn_joint_place(world, &joint, cairn_vec3(0, 0, 0), cairn_vec3(0, 1, 0), cairn_vec3(0, 0, 0)));
    assert_ok(cairn_joint_create(world, &joint, NULL));
    CairnStats end = motion_steps(world, frame, 600);
    cairn_world_destroy(world);
    return (motion_energy(&end) + g) / g;
}

static void geometric_stiffness_and_a_pendulums_energy(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        double radius = 0.01 * pow(5, i), with = pendulum_energy(true, radius),
               without = pendulum_energy(false, radius);
        print_message("  pendulum, bob %.2f m, 10 s at h = 1/60: %.4f of its energy with the term, %.4f without\n",
                      radius, with, without);
        assert_near(without, 1, 0.05);
        assert_same_bits(with, without); // it swings with m L^2 however small the bob: far below the threshold
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_lose_their_share),
        cmocka_unit_test(bounces_converge),
        cmocka_unit_test(two_balls_meet_by_newtons_law),
        cmocka_unit_test(cradle_with_gaps_passes_momentum_on),
        cmocka_unit_test(touching_balls_follow_simultaneous_newton),
        cmocka_unit_test(boxes_rest),
        cmocka_unit_test(balls_rest),
        cmocka_unit_test(stack_rests_while_the_step_changes),
        cmocka_unit_test(bodies_without_restitution_do_not_rise),
        cmocka_unit_test(what_is_dropped_hardly_rises),
        cmocka_unit_test(overlap_is_removed_gently),
        cmocka_unit_test(midpoint_contacts_end_at_rest),
        cmocka_unit_test(midpoint_block_slides_the_exact_way),
        cmocka_unit_test(geometric_stiffness_leaves_ordinary_scenes_alone),
        cmocka_unit_test(geometric_stiffness_and_a_pendulums_energy),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
