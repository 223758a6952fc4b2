// Coulomb's law by the solver of who names none, and the world's own settings, against closed forms: sliding, which is
// the same in all directions, and stops where it must; spinning discs; the slope at which a block starts; rolling.
#include "tests/support/support_motion.h"
#include "tests/support/support_tally.h"

#include <math.h>

static const double g = 9.81, degree = CAIRN_PI / 180;

typedef struct Case {
    CairnWorld *world;
    SupportTally tally;
} Case;

static void begin(Case *c, double angle, double friction, CairnIntegrator integrator) {
    CairnWorldDef def = cairn_world_def();
    support_tally_begin(&c->tally, &def);
    def.friction = CAIRN_FRICTION_COULOMB;
    def.integrator = integrator;
    assert_ok(cairn_world_create(&def, &c->world));
    assert_ok(support_tally_watch(c->world));
    motion_ground(c->world, angle, friction, 0);
}

static void steps(Case *c, double h, int count) {
    for (int k = 0; k < count; k++) {
        assert_ok(support_tally_step(&c->tally, c->world, h, NULL));
    }
}

static void end(Case *c) {
    assert_int_equal(c->tally.uncertified, 0);
    assert_true(c->tally.frames.worst <= 50);
    cairn_world_destroy(c->world);
}

static CairnBodyId put(Case *c, CairnShapeDef shape, CairnBodyDef body, double friction) {
    shape.friction = friction;
    return motion_shape(c->world, &body, &shape);
}

// ---- sliding ----

typedef enum Slider { BALL, BOX, TURNED_BOX, SLIDER_COUNT } Slider;

static const char *const slider_names[] = {"ball", "box", "box that is turned with its way"};

static double contact_give(void) {
    CairnWorldDef def = cairn_world_def();
    return def.contact_give * def.typical_length;
}

// What slides at 3 m/s in a direction: how far it gets in a second, how far to its left, and how it has turned.
static void slide(Slider kind, double turn, double way[3]) {
    Case c;
    CairnVec3 along = {cos(turn), sin(turn), 0}, left = {-sin(turn), cos(turn), 0};
    begin(&c, 0, 0.4, CAIRN_INTEGRATOR_SEMI_IMPLICIT);
    CairnBodyDef body = motion_on_ground(0, 0, kind == BALL ? 0.25 : 0.15);
    if (kind == TURNED_BOX) {
        body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), turn);
    }
    CairnQuat before = body.orientation;
    body.velocity = cairn_scale(3, along);
    CairnBodyId id = put(&c, kind == BALL ? cairn_sphere(0.25) : cairn_box(0.6, 0.4, 0.3), body, 0.4);
    steps(&c, 1.0 / 60, 60);
    CairnBodyState state = motion_state(c.world, id);
    way[0] = cairn_dot(state.center, along);
    way[1] = cairn_dot(state.center, left);
    way[2] = kind == BALL ? state.angular_velocity.z
                          : cairn_quat_log(cairn_quat_mul(state.orientation, cairn_quat_conj(before))).z;
    end(&c);
}

// A box that is not turned leans otherwise on the springs of its corners in each direction. That is worth a share of
// what they give: friction takes mu times the momentum of the sinking.
static void sliding_is_the_same_in_all_directions(void **state) {
    (void)state;
    for (Slider kind = 0; kind < SLIDER_COUNT; kind++) {
        double first[3], off[3] = {0, 0, 0};
        slide(kind, 0, first);
        for (int k = 0; k <= 18; k++) {
            double way[3];
            slide(kind, 5 * k * degree, way);
            off[0] = fmax(off[0], fabs(way[0] - first[0]));
            off[1] = fmax(off[1], fabs(way[1]));
            off[2] = fmax(off[2], fabs(way[2]));
        }
        print_message("  %s, 0 to 90 degrees: goes %.6f m, differs by %.1e m, to the side %.1e m, turns by %.1e\n",
                      slider_names[kind], first[0], off[0], off[1], off[2]);
        for (int i = 0; i < 3; i++) {
            assert_below(off[i], kind == BOX ? 0.1 * contact_give() : 1e-12);
        }
    }
}

static double stopping_way(CairnIntegrator integrator, double h, double mu, double v) {
    Case c;
    begin(&c, 0, mu, integrator);
    CairnBodyDef body = motion_on_ground(0, 0, 0.1);
    body.velocity = cairn_vec3(v, 0, 0);
    CairnBodyId id = put(&c, cairn_box(1, 1, 0.2), body, mu);
    steps(&c, h, (int)ceil(v / (mu * g) / h) + 60);
    double way = motion_state(c.world, id).center.x;
    assert_below(cairn_length(motion_state(c.world, id).velocity), 1e-9); // springs calm down by half in each step
    end(&c);
    return way;
}

// Short by v h / 2 where positions move with the velocity at the end of a step, and by the square of h under midpoint.
static void sliding_stops_where_it_must(void **state) {
    (void)state;
    const double v = 3, mu = 0.3, exact = v * v / (2 * mu * g);
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        CairnIntegrator integrator = midpoint ? CAIRN_INTEGRATOR_MIDPOINT : CAIRN_INTEGRATOR_SEMI_IMPLICIT;
        for (int k = 0; k < 4; k++) {
            double h = 1.0 / 30 / (1 << k), way = stopping_way(integrator, h, mu, v);
            print_message("  %s, h = 1/%g: stops after %.6f m of %.6f, %+.1e m\n",
                          midpoint ? "midpoint" : "semi-implicit", 1 / h, way, exact, way - exact);
            assert_near(way - exact, midpoint ? 0 : -0.5 * v * h, 0.5 * mu * g * h * h);
        }
    }
}

// ---- discs ----

// Friction of mu N acts at the rim, so I w' = -mu N R, and with a torsional lever in each contact -(mu R + lever) N.
static void a_disc_spins_down(void **state) {
    (void)state;
    const double R = 0.3, w0 = 30, h = 1.0 / 240, I = 0.5 * R * R;
    static const struct { double mu, lever; } cases[] = {{0.3, 0}, {0.05, 0}, {0.3, 0.04}, {0, 0.04}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case c;
        double mu = cases[i].mu, slow = (mu * R + cases[i].lever) * g / I, stops = w0 / slow, stopped = 0;
        begin(&c, 0, mu, CAIRN_INTEGRATOR_SEMI_IMPLICIT);
        CairnBodyDef body = motion_on_ground(0, 0, 0.05);
        body.angular_velocity = cairn_vec3(0, 0, w0);
        CairnShapeDef disc = cairn_cylinder(R, 0.1);
        disc.torsional_friction = cases[i].lever;
        CairnBodyId id = put(&c, disc, body, mu);
        int half = (int)(0.5 * stops / h);
        steps(&c, h, half);
        double rate = (w0 - motion_state(c.world, id).angular_velocity.z) / (half * h);
        int contacts = cairn_world_contacts(c.world, NULL, 0);
        for (int k = half; k < (int)(1.2 * stops / h); k++) {
            steps(&c, h, 1);
            stopped = stopped == 0 && fabs(motion_state(c.world, id).angular_velocity.z) < 0.01 * slow * h ? (k + 1) * h
                                                                                                           : stopped;
        }
        CairnBodyState last = motion_state(c.world, id);
        print_message("  disc on %d rim contacts, mu %g, lever %g m: slows by %.9f of %.9f rad/s2, stops after %.4f of "
                      "%.4f s, %.1e m away\n",
                      contacts, mu, cases[i].lever, rate, slow, stopped, stops, hypot(last.center.x, last.center.y));
        assert_int_equal(contacts, 4);
        assert_near(rate, slow, 1e-6 * slow);
        assert_near(stopped, stops, h);
        assert_below(hypot(last.center.x, last.center.y), 1e-9);
        end(&c);
    }
}

// ---- rolling and torsion of a ball ----

static void a_ball_is_slowed_by_its_levers(void **state) {
    (void)state;
    const double r = 0.25, rolling = 0.01, torsion = 0.02, v0 = 1, w0 = 10, h = 1.0 / 240;
    for (int k = 0; k <= 6; k++) {
        double turn = 15 * k * degree;
        CairnVec3 along = {cos(turn), sin(turn), 0};
        Case c;
        begin(&c, 0, 0.5, CAIRN_INTEGRATOR_SEMI_IMPLICIT);
        CairnBodyDef body = motion_on_ground(0, 0, r);
        body.velocity = cairn_scale(v0, along);
        body.angular_velocity = cairn_add(cairn_vec3(0, 0, w0), cairn_scale(v0 / r, cairn_vec3(-along.y, along.x, 0)));
        CairnShapeDef ball = cairn_sphere(r);
        ball.rolling_friction = rolling;
        ball.torsional_friction = torsion;
        CairnBodyId id = put(&c, ball, body, 0.5);
        steps(&c, h, 120);
        CairnBodyState half = motion_state(c.world, id);
        double slow = 5 * rolling * g / (7 * r) * 0.5, calm = torsion * g / (0.4 * r * r) * 0.5;
        assert_vec3_near(half.velocity, cairn_scale(v0 - slow, along), v0 * contact_give() / r); // it rolls so deep
        assert_near(half.angular_velocity.z, w0 - calm, 1e-6);
        steps(&c, h, 1200);
        CairnBodyState last = motion_state(c.world, id);
        double way = cairn_dot(last.center, along), exact = v0 * v0 * 7 * r / (10 * rolling * g);
        print_message("  ball at %2.0f degrees: rolls %.6f m of %.6f, %.1e m to the side\n", turn / degree, way, exact,
                      fabs(last.center.y * along.x - last.center.x * along.y));
        assert_near(way, exact, 0.5 * v0 * h + 1e-4);
        assert_below(cairn_length(last.velocity), 1e-9);
        assert_below(cairn_length(last.angular_velocity), 1e-8);
        end(&c);
    }
}

// ---- slopes ----

// A hundredth of a degree to either side of atan(mu): below, friction gives way by no more than its spring; above, the
// block goes a t^2 / 2.
static void a_block_starts_at_atan_mu(void **state) {
    (void)state;
    static const double frictions[] = {0.1, 0.3, 0.6, 1.0};
    const double h = 1.0 / 240;
    for (int i = 0; i < 16; i++) {
        double mu = frictions[i % 4], side = i / 4 % 2 ? 1 : -1, angle = atan(mu) + side * 0.01 * degree;
        Case c;
        begin(&c, angle, mu, CAIRN_INTEGRATOR_SEMI_IMPLICIT);
        CairnBodyDef body = motion_on_ground(angle, 0, 0.05);
        CairnQuat yaw = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), i < 8 ? 0 : 0.37 * i);
        body.orientation = cairn_quat_mul(body.orientation, yaw);
        CairnBodyId id = put(&c, cairn_box(1, 0.7, 0.1), body, mu);
        CairnVec3 start = motion_state(c.world, id).center;
        steps(&c, h, 240);
        CairnVec3 moved = cairn_sub(motion_state(c.world, id).center, start);
        double way = -cairn_dot(moved, cairn_vec3(cos(angle), 0, sin(angle)));
        double exact = 0.5 * g * (sin(angle) - mu * cos(angle));
        print_message("  mu %g, %+.2f degrees, turned by %.2f: %.3e m in 1 s%s", mu, side * 0.01, i < 8 ? 0 : 0.37 * i,
                      way, side < 0 ? "\n" : "");
        if (side < 0) {
            assert_below(fabs(way), contact_give());
        } else {
            print_message(" of %.3e\n", exact);
            assert_near(way, exact, 0.02 * exact); // half a step, and what the spring gives
        }
        end(&c);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_is_the_same_in_all_directions),
        cmocka_unit_test(sliding_stops_where_it_must),
        cmocka_unit_test(a_disc_spins_down),
        cmocka_unit_test(a_ball_is_slowed_by_its_levers),
        cmocka_unit_test(a_block_starts_at_atan_mu),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
