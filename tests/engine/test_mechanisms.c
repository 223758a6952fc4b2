// Mechanisms of hinged bars against closed forms and published numbers, with the exact solver and small steps. The
// semi-implicit step is of first order in h: an error asked for sets h, and halving h must halve what is left.
#include "tests/support/support_mechanism.h"

static const CairnBodyId GROUND = {0, 0, 0};
static const CairnVec3 Z = {0, 0, 1}, ORIGIN = {0, 0, 0}, DOWN = {0, -9.81, 0};

static CairnVec3 at(double x, double y) {
    return cairn_vec3(x, y, 0);
}

static CairnJointId hinge(CairnWorld *world, CairnBodyId a, CairnBodyId b, CairnVec3 point) {
    return support_joint(world, CAIRN_JOINT_REVOLUTE, a, b, point, Z);
}

static double turn_of(const CairnWorld *world, CairnJointId id) {
    return support_joint_state(world, id).position[CAIRN_RX];
}

// ---- pendulums ----

// T = 4 sqrt(L / g) K(sin(amplitude / 2)), the elliptic integral by the arithmetic-geometric mean.
static double pendulum_period(double length, double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    while (fabs(a - b) > 1e-15) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * CAIRN_PI * sqrt(length / 9.81) / a;
}

// A body of 1 kg whose centre hangs at `arm` from a hinge at the origin, `angle` from straight down.
static CairnWorld *pendulum(const CairnSolver *solver, double arm, double inertia, double angle, CairnJointId *joint,
                            CairnBodyId *body) {
    CairnWorld *world = support_world(solver, DOWN);
    *body = support_body(world, 1, cairn_vec3(inertia, inertia, inertia), at(arm * sin(angle), -arm * cos(angle)));
    *joint = hinge(world, GROUND, *body, ORIGIN);
    return world;
}

// Unit pendulum: arm 0.8 m and inertia 0.16 kg m2 swing as a point at (I + m l^2) / (m l) = 1 m. Where that point is
// after 10 s.
static CairnVec3 unit_pendulum_after_10s(int steps) {
    CairnJointId joint;
    CairnBodyId body;
    CairnWorld *world = pendulum(&support_exact, 0.8, 0.16, -CAIRN_PI / 2, &joint, &body);
    support_steps(world, 10.0 / steps, steps);
    CairnVec3 place = cairn_scale(1 / 0.8, support_state(world, body).center);
    cairn_world_destroy(world);
    return place;
}

// The first-order error at h = 0.4 ms is 0.8 mm; the two runs together cancel it and leave h^2.
static void pendulum_is_where_it_should_be_after_10s(void **state) {
    (void)state;
    const CairnVec3 exact = {-0.2750874626, -0.9614192051, 0};
    CairnVec3 coarse = unit_pendulum_after_10s(12500), fine = unit_pendulum_after_10s(25000);
    double error = cairn_length(cairn_sub(coarse, exact)), half = cairn_length(cairn_sub(fine, exact));
    assert_below(half, 1e-3);
    assert_near(error / half, 2, 0.08);
    CairnVec3 extrapolated = cairn_add_scaled(cairn_scale(2, fine), -1, coarse);
    assert_vec3_near(extrapolated, exact, 1e-4);
}

// Time of three swings through the bottom from right to left, one period apart each, found between steps.
static double measured_period(CairnWorld *world, CairnJointId joint, double h) {
    double first = -1, last = -1, before = turn_of(world, joint);
    int passes = 0;
    for (int n = 1; passes < 4; n++) {
        support_step(world, h);
        double angle = turn_of(world, joint);
        double time = (n - 1 + before / (before - angle)) * h;
        bool is_bottom = before > 0 && angle <= 0;
        before = angle;
        if (is_bottom) {
            first = passes == 0 ? time : first;
            last = time;
            passes++;
        }
    }
    return (last - first) / (passes - 1);
}

static void compound_pendulum_period(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    const double amplitudes[] = {0.1, 1, CAIRN_PI / 2, 2.5};
    for (int k = 0; k < 8; k++) {
        CairnWorld *world = support_world(solvers[k % 2], DOWN);
        double amplitude = amplitudes[k / 2], h = 1e-3;
        CairnBodyId rod = support_rod(world, 3, ORIGIN, at(0, -1)); // (I + m l^2) / (m l) = 2/3 m
        CairnJointId joint = hinge(world, GROUND, rod, ORIGIN);     // counts from straight down
        CairnVec3 place = at(0.5 * sin(amplitude), -0.5 * cos(amplitude));
        assert_ok(cairn_body_set_pose(world, rod, place, cairn_quat_axis_angle(Z, amplitude - CAIRN_PI / 2)));
        double period = measured_period(world, joint, h), exact = pendulum_period(2.0 / 3, amplitude);
        assert_near(period, exact, 15 * h * h); // of second order: the first order only shifts the phase
        cairn_world_destroy(world);
    }
    assert_near(pendulum_period(1, CAIRN_PI / 2), 2.3678419476, 1e-9);
}

typedef struct Double {
    double angle[2], drift;
} Double;

// Points of 1 kg at 1 m and 2 m, released from the side. They hardly have an inertia of their own, so at larger steps
// the geometric stiffness would take this pendulum implicitly and damp it: off.
static Double double_pendulum(int steps) {
    CairnWorld *world = support_world(&support_exact, DOWN);
    CairnBodyId a = support_body(world, 1, cairn_vec3(1e-9, 1e-9, 1e-9), at(1, 0));
    CairnBodyId b = support_body(world, 1, cairn_vec3(1e-9, 1e-9, 1e-9), at(2, 0));
    hinge(world, GROUND, a, ORIGIN);
    hinge(world, a, b, at(1, 0));
    SupportWorst worst = support_worst(world, 2.0 / steps, steps);
    CairnVec3 p = support_state(world, a).center, q = cairn_sub(support_state(world, b).center, p);
    cairn_world_destroy(world);
    return (Double){{atan2(p.x, -p.y), atan2(q.x, -q.y)}, fmax(worst.high, -worst.low)};
}

// Energy stays within 33 h J (of 19.62 J m below the pivot, so 2 % at h = 10 ms): it swings about its value, of first
// order in h.
static void double_pendulum_from_the_side(void **state) {
    (void)state;
    Double coarse = double_pendulum(2048), fine = double_pendulum(4096);
    const double exact[2] = {-0.4829715343, -1.3240487123};
    for (int i = 0; i < 2; i++) {
        double error = coarse.angle[i] - exact[i], half = fine.angle[i] - exact[i];
        assert_below(fabs(half), 1e-3);
        assert_near(error / half, 2, 0.05);
        assert_near(2 * fine.angle[i] - coarse.angle[i], exact[i], 2e-5);
    }
    assert_below(fine.drift, 33 * 2.0 / 4096);
    assert_near(coarse.drift / fine.drift, 2, 0.02);
}

// ---- chain against the catenary's polygon ----

typedef struct Catenary {
    double pull, sag; // horizontal force over a rod's weight; depth of the lowest joint
} Catenary;

static double rod_slope(int i, int n, double pull) {
    return (i + 1 - (n + 1) / 2.0) / pull; // tan phi_i = (i - (N + 1)/2) w / H
}

static Catenary catenary(int n, double length, double span) {
    double low = 1e-3, high = 1e3 * n;
    for (int k = 0; k < 200; k++) {
        double pull = (low + high) / 2, reach = 0;
        for (int i = 0; i < n; i++) {
            reach += length / n / hypot(1, rod_slope(i, n, pull));
        }
        *(reach < span ? &low : &high) = pull;
    }
    Catenary c = {low, 0};
    for (int i = 0; i < n / 2; i++) {
        c.sag += length / n * fabs(rod_slope(i, n, c.pull)) / hypot(1, rod_slope(i, n, c.pull));
    }
    return c;
}

enum { MOST_RODS = 100 };

// Hung as a V and left to settle: all modes die at half the damping at least, 4/s, so 6 s leave 4e-11 of them.
static void check_catenary(int n, double sag) {
    CairnWorld *world = support_world(&support_exact, DOWN);
    CairnBodyId rods[MOST_RODS], last = GROUND;
    CairnJointId pin = {0, 0, 0};
    CairnVec3 from = ORIGIN, bottom = at(0.5, -sqrt(0.75));
    for (int i = 0; i < n; i++) {
        CairnVec3 to = cairn_add_scaled(from, 2.0 / n, i < n / 2 ? bottom : cairn_sub(at(1, 0), bottom));
        CairnBodyDef def = support_rod_def(0.1, from, to);
        def.linear_damping = def.angular_damping = 8;
        rods[i] = support_create(world, &def);
        CairnJointId joint = support_joint(world, CAIRN_JOINT_BALL, last, rods[i], from, Z);
        pin = i == 0 ? joint : pin;
        last = rods[i];
        from = to;
    }
    support_joint(world, CAIRN_JOINT_BALL, GROUND, last, at(1, 0), Z);
    support_steps(world, 0.01, 600);
    Catenary c = catenary(n, 2, 1);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        CairnVec3 along = cairn_rotate(support_state(world, rods[i]).orientation, at(1, 0));
        worst = fmax(worst, fabs(atan2(along.y, along.x) - atan(rod_slope(i, n, c.pull))));
    }
    CairnVec3 tip = cairn_rotate(support_state(world, rods[n / 2 - 1]).orientation, at(1.0 / n, 0));
    CairnVec3 lowest = cairn_add(support_state(world, rods[n / 2 - 1]).center, tip);
    CairnVec3 force = support_joint_state(world, pin).force;
    assert_near(c.sag, sag, 1e-6); // printed to six digits
    assert_near(-lowest.y, c.sag, 1e-8);
    assert_below(worst, 1e-7);
    assert_vec3_near(force, at(-c.pull * 0.981, n * 0.981 / 2), 1e-6);
    cairn_world_destroy(world);
}

static void chain_hangs_in_its_polygon(void **state) {
    (void)state;
    check_catenary(20, 0.798273);
    check_catenary(100, 0.796462);
}

// ---- slider-crank ----

typedef struct Crank {
    double speed_at_90, time_of_turn;
} Crank;

// Crank 0.1 m and connecting rod 0.3 m, uniform, and a slider, 1 kg each, without gravity. The energy is kept, so the
// crank's speed is a function of its angle; it is read between steps.
static Crank slider_crank(double h) {
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    CairnBodyId crank = support_rod(world, 1, ORIGIN, at(0.1, 0)), rod = support_rod(world, 1, at(0.1, 0), at(0.4, 0));
    CairnBodyId slider = support_body(world, 1, cairn_vec3(1e-3, 1e-3, 1e-3), at(0.4, 0));
    CairnJointId axle = hinge(world, GROUND, crank, ORIGIN);
    hinge(world, crank, rod, at(0.1, 0));
    hinge(world, rod, slider, at(0.4, 0));
    support_joint(world, CAIRN_JOINT_PRISMATIC, GROUND, slider, at(0.4, 0), at(1, 0));
    assert_ok(cairn_body_set_velocity(world, crank, at(0, 0.5), cairn_vec3(0, 0, 10)));
    assert_ok(cairn_body_set_velocity(world, rod, at(0, 0.5), cairn_vec3(0, 0, -10.0 / 3)));
    Crank result = {0, 0};
    double angle = 0, middle = 0, speed = 10; // of the last step: its mean speed is that at its middle
    for (int n = 1; result.time_of_turn == 0; n++) {
        support_step(world, h);
        double next = turn_of(world, axle), next_middle = (angle + next) / 2, next_speed = (next - angle) / h;
        if (middle < CAIRN_PI / 2 && next_middle >= CAIRN_PI / 2) {
            double share = (CAIRN_PI / 2 - middle) / (next_middle - middle);
            result.speed_at_90 = speed + share * (next_speed - speed);
        }
        if (next >= 2 * CAIRN_PI) {
            result.time_of_turn = (n - 1 + (2 * CAIRN_PI - angle) / (next - angle)) * h;
        }
        angle = next;
        middle = next_middle;
        speed = next_speed;
    }
    cairn_world_destroy(world);
    return result;
}

static void slider_crank_turns_once(void **state) {
    (void)state;
    Crank coarse = slider_crank(2e-4), fine = slider_crank(1e-4);
    double error = coarse.speed_at_90 - 5.345224838, half = fine.speed_at_90 - 5.345224838;
    assert_below(fabs(half), 1e-4);
    assert_near(error / half, 4, 0.2); // read at the middles of steps, the first order is gone
    assert_near(fine.time_of_turn, 0.925946830, 1e-5);
    // The first order is odd over a turn and leaves the second.
    assert_near((coarse.time_of_turn - 0.925946830) / (fine.time_of_turn - 0.925946830), 4, 0.2);
}

// ---- four-bars in a row (IFToMM benchmark A02) ----

// N + 1 uprights and N couplers of 1 m and 1 kg, standing, the first pin moving at 1 m/s in +x. As a parallelogram it
// is one pendulum about its upper end: (N + 1)/3 + N kg m2 against ((N + 1)/2 + N) kg m. Lying flat, twice a turn, it
// has one row too many, and what a step leaves of its positions makes huge forces for the next: no load, and the
// geometric stiffness must not take it for one.
static CairnVec3 four_bars_after_10s(int n, int steps) {
    CairnWorld *world = support_world(&support_exact, DOWN);
    CairnBodyId uprights[8], couplers[8];
    for (int i = 0; i <= n; i++) {
        uprights[i] = support_rod(world, 1, at(i, 0), at(i, 1));
        hinge(world, GROUND, uprights[i], at(i, 0));
        assert_ok(cairn_body_set_velocity(world, uprights[i], at(0.5, 0), cairn_vec3(0, 0, -1)));
    }
    for (int i = 0; i < n; i++) {
        couplers[i] = support_rod(world, 1, at(i, 1), at(i + 1, 1));
        hinge(world, uprights[i], couplers[i], at(i, 1));
        hinge(world, couplers[i], uprights[i + 1], at(i + 1, 1));
        assert_ok(cairn_body_set_velocity(world, couplers[i], at(1, 0), ORIGIN));
    }
    support_steps(world, 10.0 / steps, steps);
    CairnVec3 pin = cairn_scale(2, support_state(world, uprights[0]).center);
    cairn_world_destroy(world);
    return pin;
}

static void four_bars_meet_the_benchmark(void **state) {
    (void)state;
    // 0.4 mm off; of no clean order, for it matters how near to lying flat a step ends.
    assert_vec3_near(four_bars_after_10s(2, 10000), at(0.3284581115, 0.9445185382), 1e-3);
}

// ---- Andrews' squeezer: seven bodies, ten hinges, four loops ----

// The data of the test set for initial value problems (Andrews' squeezing mechanism), in SI units. Bodies are numbered
// as there, from 0.
typedef struct Squeezer {
    CairnBodyId bodies[7];
    CairnJointId crank;
} Squeezer;

static CairnVec3 turned(CairnVec3 origin, double angle, double x, double y) {
    return at(origin.x + x * cos(angle) - y * sin(angle), origin.y + x * sin(angle) + y * cos(angle));
}

static const CairnVec3 squeezer_spring_end = {0.014, 0.072, 0};

static Squeezer squeezer(CairnWorld *world) {
    const double mass[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
    const double inertia[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
    const double beta = -0.0617138900142764496, theta = 0, gamma = 0.455279819163070380, phi = 0.222668390165885885;
    const double delta = 0.487364979543842550, omega = -0.222668390165885885, epsilon = 1.23054744454982120;
    const CairnVec3 a = {-0.06934, -0.00227, 0}, b = {-0.03635, 0.03273, 0};
    CairnVec3 pin = turned(ORIGIN, beta, 0.007, 0);        // crank and K2
    CairnVec3 knot = turned(pin, beta + theta, -0.028, 0); // K2, K3, K4 and K6
    CairnVec3 knee4 = turned(a, delta, 0.04, 0), knee6 = turned(a, epsilon, 0, -0.04);
    const CairnVec3 centers[7] = {
        turned(ORIGIN, beta, 92e-5, 0),       turned(pin, beta + theta, -115e-4, 0),
        turned(b, gamma, 1043e-5, -1874e-5),  turned(knee4, phi + delta, 0, -(2e-2 - 1421e-5)),
        turned(a, delta, 2308e-5, 916e-5),    turned(knee6, omega + epsilon, 2e-2 - 1421e-5, 0),
        turned(a, epsilon, -449e-5, -1228e-5)};
    const double angles[7] = {beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon};
    Squeezer s;
    for (int i = 0; i < 7; i++) {
        CairnBodyDef def = cairn_body_def();
        def.mass = mass[i];
        def.inertia = cairn_vec3(inertia[i], inertia[i], inertia[i]);
        def.position = centers[i];
        def.orientation = cairn_quat_axis_angle(Z, angles[i]);
        s.bodies[i] = support_create(world, &def);
    }
    s.crank = hinge(world, GROUND, s.bodies[0], ORIGIN);
    hinge(world, s.bodies[0], s.bodies[1], pin);
    hinge(world, GROUND, s.bodies[2], b);
    hinge(world, GROUND, s.bodies[4], a);
    hinge(world, GROUND, s.bodies[6], a);
    hinge(world, s.bodies[4], s.bodies[3], knee4);
    hinge(world, s.bodies[6], s.bodies[5], knee6);
    hinge(world, s.bodies[1], s.bodies[2], knot);
    hinge(world, s.bodies[1], s.bodies[3], knot);
    hinge(world, s.bodies[1], s.bodies[5], knot);
    // They meet: the published angles close the loops.
    assert_vec3_near(turned(b, gamma, 0, -35e-3), knot, 1e-12);
    assert_vec3_near(turned(knee4, phi + delta, 0, -0.02), knot, 1e-12);
    assert_vec3_near(turned(knee6, omega + epsilon, 0.02, 0), knot, 1e-12);
    return s;
}

static void squeeze(CairnWorld *world, const Squeezer *s) {
    CairnBodyState k3 = support_state(world, s->bodies[2]);
    // The spring's hook on K3 in K3's own axes from its centre.
    CairnVec3 hook = cairn_add(k3.center, cairn_rotate(k3.orientation, at(2e-2 - 1043e-5, -18e-3 + 1874e-5)));
    CairnVec3 along = cairn_sub(squeezer_spring_end, hook);
    double length = cairn_length(along);
    CairnVec3 force = cairn_scale(4530 * (length - 0.07785) / length, along);
    assert_ok(cairn_body_apply_force_at(world, s->bodies[2], force, hook));
    assert_ok(cairn_body_apply_torque(world, s->bodies[0], cairn_vec3(0, 0, 0.033)));
}

static void squeezer_after_30ms(double h, double angles[7]) {
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    Squeezer s = squeezer(world);
    int count = (int)lround(0.03 / h);
    double start = -0.0617138900142764496;
    for (int n = 0; n < count; n++) {
        squeeze(world, &s);
        support_step(world, h);
    }
    double turn[7];
    for (int i = 0; i < 7; i++) {
        CairnQuat q = support_state(world, s.bodies[i]).orientation;
        turn[i] = 2 * atan2(q.z, q.w);
    }
    angles[0] = turn_of(world, s.crank) + start;
    angles[1] = turn[1] - angles[0];
    angles[2] = turn[2];
    angles[3] = turn[3] - turn[4];
    angles[4] = turn[4];
    angles[5] = turn[5] - turn[6];
    angles[6] = turn[6];
    cairn_world_destroy(world);
}

static void squeezer_meets_the_test_set(void **state) {
    (void)state;
    const double exact[7] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                             0.5244099658805304, 0.5347301163226948, 1.048080741042263};
    double fine[7], coarse[7];
    squeezer_after_30ms(1e-5, fine);
    squeezer_after_30ms(2e-5, coarse);
    for (int i = 0; i < 7; i++) {
        double error = remainder(coarse[i] - exact[i], 2 * CAIRN_PI),
               half = remainder(fine[i] - exact[i], 2 * CAIRN_PI);
        assert_below(fabs(half),
                     i < 2 ? 7.5e-3 : 1.1e-4); // crank and K2 spin at 1,000 rad/s by then: h/2 of it is 5e-3
        assert_below(fabs(half), 0.9 * fabs(error));
        assert_below(fabs(2 * half - error), 1e-3);
    }
}

// ---- more rows than freedoms ----

// A four-bar of hinges in space has three rows too many; a motor turns its crank for a minute.
static void redundant_loop_holds_for_a_minute(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, DOWN);
    CairnBodyId crank = support_rod(world, 1, ORIGIN, at(0, 0.3)),
                coupler = support_rod(world, 2, at(0, 0.3), at(1, 0.8));
    CairnBodyId rocker = support_rod(world, 1.5, at(1, 0), at(1, 0.8));
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    def.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    def.axes[CAIRN_RX].target_velocity = 4;
    CairnJointId motor = support_joint_of(world, def, GROUND, crank, ORIGIN, Z);
    hinge(world, crank, coupler, at(0, 0.3));
    hinge(world, coupler, rocker, at(1, 0.8));
    hinge(world, GROUND, rocker, at(1, 0));
    double h = 1.0 / 120, early = 0, late = 0;
    for (int n = 0; n < 60 * 120; n++) {
        CairnStats stats = support_step(world, h);
        double *error = n < 10 * 120 ? &early : &late;
        *error = fmax(*error, fmax(stats.joint_error_linear, stats.joint_error_angular));
        assert_true(stats.residual.is_certified);
    }
    assert_near(turn_of(world, motor), 240, 1e-6);
    assert_near(late, early, 0.02 * early); // no drift: the same error in every turn
    cairn_world_destroy(world);
}

// A box of 10 kg held by four fixed joints: 24 rows for six freedoms. Compliance shares the weight evenly, and nothing
// creeps.
static void box_on_four_clamps_stays(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = support_world(solvers[k], DOWN);
        CairnBodyId box = support_body(world, 10, cairn_vec3(1, 2, 1.5), ORIGIN);
        CairnJointId clamps[4];
        for (int i = 0; i < 4; i++) {
            clamps[i] = support_joint(world, CAIRN_JOINT_FIXED, GROUND, box,
                                      cairn_vec3(i % 2 ? 0.5 : -0.5, -0.3, i / 2 ? 0.4 : -0.4), Z);
        }
        support_steps(world, 1.0 / 60, 60);
        CairnBodyState first = support_state(world, box);
        support_steps(world, 1.0 / 60, 59 * 60);
        CairnBodyState last = support_state(world, box);
        CairnVec3 sum = ORIGIN;
        for (int i = 0; i < 4; i++) {
            CairnVec3 force = support_joint_state(world, clamps[i]).force;
            sum = cairn_add(sum, force);
        }
        assert_vec3_near(sum, at(0, 98.1), 1e-6);
        assert_vec3_near(last.center, ORIGIN, 1e-9);
        assert_vec3_near(last.center, first.center, 1e-14);
        assert_quat_near(last.orientation, cairn_quat_identity(), 1e-9);
        cairn_world_destroy(world);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_where_it_should_be_after_10s),
        cmocka_unit_test(compound_pendulum_period),
        cmocka_unit_test(double_pendulum_from_the_side),
        cmocka_unit_test(chain_hangs_in_its_polygon),
        cmocka_unit_test(slider_crank_turns_once),
        cmocka_unit_test(four_bars_meet_the_benchmark),
        cmocka_unit_test(squeezer_meets_the_test_set),
        cmocka_unit_test(redundant_loop_holds_for_a_minute),
        cmocka_unit_test(box_on_four_clamps_stays),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
