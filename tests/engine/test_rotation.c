// Free and gyroscopic rotation against closed forms and a fine reference.
#include "tests/support/support_motion.h"

static CairnWorld *empty_world(void) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    return motion_world(&def);
}

static CairnBodyDef spinning(CairnVec3 moments, CairnVec3 products, CairnVec3 spin) {
    CairnBodyDef body = cairn_body_def();
    body.mass = 1;
    body.inertia = moments;
    body.inertia_products = products;
    body.angular_velocity = spin;
    return body;
}

static double spin_energy(const CairnBodyState *body) {
    return 0.5 * cairn_dot(body->angular_velocity, body->angular_momentum);
}

// ---- a reference: Euler's equations in the body's frame by RK4, the orientation with them ----

typedef struct Turn {
    CairnQuat q;
    CairnVec3 w; // body's frame
} Turn;

static Turn rates(const Turn *s, CairnVec3 I) {
    CairnVec3 w = s->w;
    CairnQuat r = cairn_quat_mul(s->q, (CairnQuat){0, w.x, w.y, w.z});
    return (Turn){{0.5 * r.w, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z},
                  {(I.y - I.z) / I.x * w.y * w.z, (I.z - I.x) / I.y * w.z * w.x, (I.x - I.y) / I.z * w.x * w.y}};
}

static Turn ahead(const Turn *s, double h, const Turn *k) {
    return (Turn){{s->q.w + h * k->q.w, s->q.x + h * k->q.x, s->q.y + h * k->q.y, s->q.z + h * k->q.z},
                  cairn_add_scaled(s->w, h, k->w)};
}

static Turn reference(CairnVec3 I, CairnVec3 spin, double t, int count) {
    Turn s = {cairn_quat_identity(), spin};
    double h = t / count;
    for (int i = 0; i < count; i++) {
        Turn k1 = rates(&s, I), m = ahead(&s, 0.5 * h, &k1), k2 = rates(&m, I);
        m = ahead(&s, 0.5 * h, &k2);
        Turn k3 = rates(&m, I);
        m = ahead(&s, h, &k3);
        Turn k4 = rates(&m, I);
        s = ahead(&s, h / 6, &k1);
        s = ahead(&s, h / 3, &k2);
        s = ahead(&s, h / 3, &k3);
        s = ahead(&s, h / 6, &k4);
        s.q = cairn_quat_normalize(s.q);
    }
    return s;
}

static double angle_between(CairnQuat a, CairnQuat b) {
    return cairn_length(cairn_quat_log(cairn_quat_mul(cairn_quat_conj(a), b)));
}

// ---- what is kept ----

// The largest relative change of |L|, of L itself and of the energy over so many steps.
static void keeps(CairnVec3 moments, CairnVec3 products, double turn, int count) {
    const double h = 0.01;
    CairnWorld *world = empty_world();
    CairnVec3 axis = cairn_normalize(cairn_vec3(0.5, 0.6, 0.3));
    CairnBodyDef def = spinning(moments, products, cairn_scale(turn / h, axis));
    CairnBodyId id = motion_body(world, &def);
    CairnBodyState first = motion_state(world, id);
    double size = cairn_length(first.angular_momentum), energy = spin_energy(&first);
    double length_change = 0, vector_change = 0, energy_change = 0;
    for (int i = 0; i < 50; i++) {
        motion_steps(world, h, count / 50);
        CairnBodyState now = motion_state(world, id);
        length_change = fmax(length_change, fabs(cairn_length(now.angular_momentum) - size) / size);
        vector_change =
            fmax(vector_change, cairn_length(cairn_sub(now.angular_momentum, first.angular_momentum)) / size);
        energy_change = fmax(energy_change, fabs(spin_energy(&now) - energy) / energy);
    }
    print_message("  I (%g, %g, %g), h w = %g, %d steps: |L| %.1e, L %.1e, energy %.1e\n", moments.x, moments.y,
                  moments.z, turn, count, length_change, vector_change, energy_change);
    assert_below(length_change, 1e-10);
    assert_below(vector_change, 1e-10);
    assert_below(energy_change, 1e-10); // asked: 1e-6
    cairn_world_destroy(world);
}

static const CairnVec3 plain_axes = {0, 0, 0};

static void keeps_momentum_and_energy_over_100000_steps(void **state) {
    (void)state;
    keeps(cairn_vec3(1, 2, 2.5), plain_axes, 0.01, 100000);
    keeps(cairn_vec3(1, 1 + 1e-9, 1 - 1e-7), plain_axes, 0.5, 100000);
    keeps(cairn_vec3(2, 3, 4), cairn_vec3(0.5, -0.3, 0.2), 0.05, 100000);
    keeps(cairn_vec3(1, 50, 50.9), plain_axes, 0.5, 100000);
}

// A body that turns once and more in a step: the rotation vector of the whole step is made of many small turns.
static void keeps_momentum_and_energy_of_the_fastest_spins(void **state) {
    (void)state;
    const double turns[] = {5, 20, 150};
    for (int i = 0; i < 3; i++) {
        int count = i < 2 ? 10000 : 500;
        keeps(cairn_vec3(1, 2, 2.5), plain_axes, turns[i], count);
        keeps(cairn_vec3(2, 3, 4), cairn_vec3(0.5, -0.3, 0.2), turns[i], count);
    }
    keeps(cairn_vec3(0.01, 3, 3.001), plain_axes, 20, 10000);
}

// ---- where it turns to ----

static void turns_to_second_order(void **state) {
    (void)state;
    const CairnVec3 moments = {1, 2, 2.5}, spin = {1, 3, -2};
    Turn exact = reference(moments, spin, 2, 20000);
    double last = 0;
    for (int count = 100; count <= 1600; count *= 2) {
        CairnWorld *world = empty_world();
        CairnBodyDef def = spinning(moments, plain_axes, spin);
        CairnBodyId id = motion_body(world, &def);
        motion_steps(world, 2.0 / count, count);
        double error = angle_between(exact.q, motion_state(world, id).orientation);
        if (last > 0) {
            assert_near(last / error, 4, 0.1);
        }
        last = error;
        cairn_world_destroy(world);
    }
    assert_below(last, 5e-6);
}

// Principal axes that are not the frame's: the tensor R diag R^T turns as the diagonal one does, seen through R.
static void products_of_inertia_are_a_turned_frame(void **state) {
    (void)state;
    uint64_t seed = 7;
    const CairnVec3 moments = {1, 2, 2.5};
    for (int i = 0; i < 5; i++) {
        CairnQuat r = support_quat(&seed);
        CairnMat3 a = cairn_mat3_of_quat(r), t = {0};
        for (int j = 0; j < 9; j++) {
            const double *x = a.m[j / 3], *y = a.m[j % 3];
            t.m[j / 3][j % 3] = moments.x * x[0] * y[0] + moments.y * x[1] * y[1] + moments.z * x[2] * y[2];
        }
        CairnVec3 spin = support_vec3(&seed, -5, 5);
        CairnWorld *world = empty_world();
        CairnBodyDef turned =
            spinning(cairn_vec3(t.m[0][0], t.m[1][1], t.m[2][2]), cairn_vec3(t.m[0][1], t.m[0][2], t.m[1][2]), spin);
        CairnBodyDef plain = spinning(moments, plain_axes, spin);
        plain.orientation = r; // its principal axes stand as the other one's
        CairnBodyId ids[2] = {motion_body(world, &turned), motion_body(world, &plain)};
        motion_steps(world, 0.01, 1000);
        CairnBodyState b = motion_state(world, ids[0]), c = motion_state(world, ids[1]);
        // Rounding of the eigenvectors, grown over ten seconds of turning.
        assert_quat_near(b.orientation, cairn_quat_mul(c.orientation, cairn_quat_conj(r)), 1e-10);
        assert_vec3_near(b.angular_velocity, c.angular_velocity, 1e-9);
        cairn_world_destroy(world);
    }
}

// A symmetric body: its axis walks round L at the rate L / I1, and it turns about its axis relative to that walk at
// (I1 - I3) / I1 w3. Both signs of I1 - I3.
static void symmetric_body_precesses_about_its_momentum(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double I1 = 1, I3 = i == 0 ? 1.8 : 0.3, t = 3;
        CairnVec3 spin = {0.4, 0, 2};
        CairnWorld *world = empty_world();
        CairnBodyDef def = spinning(cairn_vec3(I1, I1, I3), plain_axes, spin);
        CairnBodyId id = motion_body(world, &def);
        motion_steps(world, 1e-3, 3000);
        CairnVec3 momentum = {I1 * spin.x, 0, I3 * spin.z};
        double size = cairn_length(momentum);
        CairnQuat walk = cairn_quat_axis_angle(cairn_scale(1 / size, momentum), size / I1 * t);
        CairnQuat own = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), (I1 - I3) / I1 * spin.z * t);
        // (h w)^2 / 12 of 6 rad
        assert_quat_near(motion_state(world, id).orientation, cairn_quat_mul(walk, own), 4e-6);
        cairn_world_destroy(world);
    }
}

// ---- the tumbling box of ANALYTIC: 0.1 x 0.4 x 0.9 m, 10 kg, about its middle axis ----

typedef struct Tumble {
    CairnBodyState end;
    double flips[8];
    int flip_count;
    double momentum_change, energy_change;
} Tumble;

static Tumble tumble(CairnIntegrator integrator, double h) {
    CairnWorldDef world_def = cairn_world_def();
    world_def.gravity = cairn_vec3(0, 0, -9.8);
    world_def.integrator = integrator;
    CairnWorld *world = motion_world(&world_def);
    CairnBodyDef def = cairn_body_def();
    def.mass = 10;
    def.velocity = cairn_vec3(-2, 2, 8);
    def.angular_velocity = cairn_vec3(0.1, 5, 0.1);
    CairnShapeDef box = cairn_box(0.1, 0.4, 0.9);
    CairnBodyId id = motion_shape(world, &def, &box);
    Tumble t = {0};
    double last = 5;
    for (int i = 1; i <= (int)lround(10 / h); i++) {
        motion_steps(world, h, 1);
        t.end = motion_state(world, id);
        // The middle axis turns over when the momentum's part along it changes sign.
        double along = cairn_unrotate(t.end.orientation, t.end.angular_velocity).y;
        if (last * along < 0 && t.flip_count < 8) {
            t.flips[t.flip_count++] = h * (i - along / (along - last));
        }
        last = along;
        double momentum = cairn_length(t.end.angular_momentum), energy = spin_energy(&t.end);
        t.momentum_change = fmax(t.momentum_change, fabs(momentum - 3.417652));
        t.energy_change = fmax(t.energy_change, fabs(energy - 8.546417));
    }
    cairn_world_destroy(world);
    return t;
}

static void tumbling_box_flips_on_time(void **state) {
    (void)state;
    double last = 0;
    for (double h = 8e-3; h >= 1e-3; h /= 2) {
        Tumble t = tumble(CAIRN_INTEGRATOR_SEMI_IMPLICIT, h);
        assert_below(t.momentum_change, 5.1e-7); // the digits printed there
        assert_below(t.energy_change, 5.1e-7);
        assert_int_equal(t.flip_count, 3);
        double late = 0;
        for (int i = 0; i < 3; i++) {
            late = fmax(late, fabs(t.flips[i] - (1.165960 + i * 3.028422)));
        }
        print_message("  tumbling box, h = %g: flips at %.6f, %.6f, %.6f s, off by %.1e\n", h, t.flips[0], t.flips[1],
                      t.flips[2], late);
        if (last > 0 && h > 1.5e-3) {
            assert_near(last / late, 4, 0.4);
        }
        last = late;
    }
    assert_below(last, 1e-4);
}

// Its centre flies a parabola: the midpoint rule keeps it to rounding, the semi-implicit one falls g h t / 2 = 0.049 m
// too far.
static void tumbling_box_flies_a_parabola(void **state) {
    (void)state;
    const CairnVec3 exact = {-20, 20, 80 - 490};
    double midpoint = cairn_length(cairn_sub(tumble(CAIRN_INTEGRATOR_MIDPOINT, 1e-3).end.center, exact));
    CairnVec3 miss = cairn_sub(tumble(CAIRN_INTEGRATOR_SEMI_IMPLICIT, 1e-3).end.center, exact);
    print_message("  position after 10 s at h = 1e-3: midpoint %.1e m off, semi-implicit %.6f m\n", midpoint,
                  cairn_length(miss));
    assert_below(midpoint, 1e-9);
    assert_vec3_near(miss, cairn_vec3(0, 0, -0.5 * 9.8 * 1e-3 * 10), 1e-9);
}

static void midpoint_turns_free_bodies_the_same_way(void **state) {
    (void)state;
    Tumble a = tumble(CAIRN_INTEGRATOR_SEMI_IMPLICIT, 4e-3), b = tumble(CAIRN_INTEGRATOR_MIDPOINT, 4e-3);
    assert_quat_near(a.end.orientation, b.end.orientation, 1e-8); // rounding, grown by the flips
}

// ---- tops: a heavy body on a ball joint ----

static const double top_mass = 0.5, top_arm = 0.08, top_I1 = 0.003, top_I3 = 0.004, top_spin = 80;

// The slow root of I1 cos(theta) O^2 - I3 w3 O + m g l = 0, with I1 about the pivot.
static double steady_rate(double lean) {
    double a = (top_I1 + top_mass * top_arm * top_arm) * cos(lean), b = top_I3 * top_spin;
    double c = top_mass * 9.81 * top_arm;
    return 2 * c / (b + sqrt(b * b - 4 * a * c));
}

typedef struct Top {
    double rate, least_lean, most_lean;
} Top;

// Start in steady precession (or, with rate 0, spinning only) and measure the mean rate over `t` seconds.
static Top run_top(double lean, double spin, double rate, double h, double t) {
    CairnWorld *world = motion_world(NULL);
    CairnVec3 axis = {sin(lean), 0, cos(lean)};
    CairnBodyDef def = cairn_body_def();
    def.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), lean);
    def.mass = top_mass;
    def.center = cairn_vec3(0, 0, top_arm);
    def.inertia = cairn_vec3(top_I1, top_I1, top_I3);
    def.angular_velocity = cairn_add_scaled(cairn_vec3(0, 0, rate), spin - rate * cos(lean), axis);
    CairnBodyId id = motion_body(world, &def);
    CairnJointDef pivot = cairn_joint_def(CAIRN_JOINT_BALL);
    pivot.body_b = id;
    assert_ok(cairn_joint_create(world, &pivot, NULL));
    Top top = {0, 10, 0};
    double walked = 0, last = 0;
    int count = (int)lround(t / h);
    for (int i = 0; i < count; i++) {
        motion_steps(world, h, 1);
        CairnVec3 c = cairn_scale(1 / top_arm, motion_state(world, id).center);
        double now = atan2(c.y, c.x), leaning = acos(cairn_clamp(c.z, -1, 1));
        walked += remainder(now - last, 2 * CAIRN_PI);
        last = now;
        top.least_lean = fmin(top.least_lean, leaning);
        top.most_lean = fmax(top.most_lean, leaning);
    }
    top.rate = walked / (count * h);
    cairn_world_destroy(world);
    return top;
}

static void top_precesses_steadily(void **state) {
    (void)state;
    const double lean = CAIRN_PI / 6, exact = steady_rate(lean);
    assert_near(exact, 1.252576, 5e-7);
    double last = 0;
    for (double h = 4e-3; h > 2e-4; h /= 2) {
        Top top = run_top(lean, top_spin, exact, h, 4);
        double error = fabs(top.rate - exact) / exact;
        print_message("  top, h = %g: rate %.6f (%.1e), lean %.5f to %.5f rad\n", h, top.rate, error, top.least_lean,
                      top.most_lean);
        assert_below(error, 0.27 * h); // of first order: the velocities are those of half a step before
        if (h < 0.6e-3) {              // before that the nodding of the start hides the order
            assert_near(last / error, 2, 0.1);
        }
        last = error;
        assert_below(fmax(lean - top.least_lean, top.most_lean - lean), 0.5 * h);
    }
    assert_below(last, 1e-4);
}

// A wheel on a horizontal axle does not fall: dL/dt = torque, so the axle walks about z in the sense of its spin.
static void wheel_precesses_in_the_right_sense(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        Top wheel = run_top(CAIRN_PI / 2, sign * top_spin, 0, 1e-3, 2);
        double expected = sign * top_mass * 9.81 * top_arm / (top_I3 * top_spin);
        assert_near(wheel.rate, expected, 0.02 * fabs(expected)); // it nods: its start is not steady
        assert_below(fabs(wheel.most_lean - CAIRN_PI / 2), 0.12);
    }
}

// A tall top that spins faster than w3^2 > 4 m g l I1 / I3^2 sleeps upright; slower, it falls.
static void fast_top_sleeps(void **state) {
    (void)state;
    double I1 = top_I1 + top_mass * top_arm * top_arm;
    double limit = sqrt(4 * top_mass * 9.81 * top_arm * I1) / top_I3;
    Top fast = run_top(1e-3, 1.2 * limit, 0, 1e-3, 3), slow = run_top(1e-3, 0.7 * limit, 0, 1e-3, 3);
    assert_below(fast.most_lean, 5e-3);
    assert_true(slow.most_lean > 0.3);
}

// ---- mass ----

// Two balls on a rod without mass: m d^2 across, the balls' own moments everywhere; it tumbles as the body of that
// inertia.
static void dumbbell_is_its_analytic_inertia(void **state) {
    (void)state;
    const double r = 0.1, d = 0.4, density = 800, m = 4.0 / 3 * CAIRN_PI * r * r * r * density, own = 0.4 * m * r * r;
    CairnWorld *world = empty_world();
    CairnBodyDef def = cairn_body_def(), plain;
    def.angular_velocity = cairn_vec3(3, 0.2, -2);
    def.position = cairn_vec3(0, 0, 1);
    CairnBodyId dumbbell = motion_body(world, &def);
    for (int side = -1; side <= 1; side += 2) {
        CairnShapeDef ball = cairn_sphere(r);
        ball.density = density;
        ball.position = cairn_vec3(0.3 + side * d, 0.1, 0);
        assert_ok(cairn_shape_create(world, dumbbell, &ball, NULL));
    }
    CairnBodyState b = motion_state(world, dumbbell);
    assert_near(b.mass.mass, 2 * m, 1e-12);
    assert_vec3_near(b.mass.center, cairn_vec3(0.3, 0.1, 0), 1e-15);
    double across = 2 * own + 2 * m * d * d;
    assert_mat3_near(b.mass.inertia, ((CairnMat3){{{2 * own, 0, 0}, {0, across, 0}, {0, 0, across}}}), 1e-14);
    plain = def;
    plain.mass = 2 * m;
    plain.center = cairn_vec3(0.3, 0.1, 0);
    plain.inertia = cairn_vec3(2 * own, across, across);
    CairnBodyId same = motion_body(world, &plain);
    motion_steps(world, 0.01, 500);
    CairnBodyState c = motion_state(world, same);
    b = motion_state(world, dumbbell);
    assert_vec3_near(b.center, c.center, 1e-12);
    assert_quat_near(b.orientation, c.orientation, 1e-10);
    assert_vec3_near(b.angular_momentum, c.angular_momentum, 1e-12);
    cairn_world_destroy(world);
}

// A mass given beside shapes scales their inertia and keeps their centre.
static void given_mass_scales_the_shapes_inertia(void **state) {
    (void)state;
    CairnWorld *world = empty_world();
    CairnBodyDef def = cairn_body_def();
    def.mass = 6;
    CairnShapeDef box = cairn_box(1, 2, 3);
    box.position = cairn_vec3(1, 0, 0);
    box.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), CAIRN_PI / 2);
    CairnBodyState b = motion_state(world, motion_shape(world, &def, &box));
    assert_near(b.mass.mass, 6, 0);
    assert_vec3_near(b.mass.center, cairn_vec3(1, 0, 0), 1e-15);
    // m/12 (b^2 + c^2), x and y exchanged by the quarter turn
    assert_mat3_near(b.mass.inertia, ((CairnMat3){{{5, 0, 0}, {0, 6.5, 0}, {0, 0, 2.5}}}), 1e-14);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_momentum_and_energy_over_100000_steps),
        cmocka_unit_test(keeps_momentum_and_energy_of_the_fastest_spins),
        cmocka_unit_test(turns_to_second_order),
        cmocka_unit_test(products_of_inertia_are_a_turned_frame),
        cmocka_unit_test(symmetric_body_precesses_about_its_momentum),
        cmocka_unit_test(tumbling_box_flips_on_time),
        cmocka_unit_test(tumbling_box_flies_a_parabola),
        cmocka_unit_test(midpoint_turns_free_bodies_the_same_way),
        cmocka_unit_test(top_precesses_steadily),
        cmocka_unit_test(wheel_precesses_in_the_right_sense),
        cmocka_unit_test(fast_top_sleeps),
        cmocka_unit_test(dumbbell_is_its_analytic_inertia),
        cmocka_unit_test(given_mass_scales_the_shapes_inertia),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
