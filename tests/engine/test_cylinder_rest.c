// Cylinders at rest: standing, lying, on slopes, crossed, heaped and under loads.
#include "solvers/sweeps/pgs.h"
#include "tests/support/support_motion.h"
#include "tests/support/support_shapes.h"
#include "tests/support/support_worlds.h"

// Lying along x or y.
static CairnTransform along_x(double x, double y, double z) {
    return turned(x, y, z, y_axis, CAIRN_PI / 2);
}

static CairnTransform along_y(double x, double y, double z) {
    return turned(x, y, z, x_axis, CAIRN_PI / 2);
}

enum { MOST_BODIES = 8, MOST_CONTACTS = 64 };

typedef struct Rest {
    CairnWorld *world;
    int body_count;
    CairnBodyId bodies[MOST_BODIES];
    CairnBodyState start[MOST_BODIES];
} Rest;

// Exactly, or by sweeps, which leave over some 5e-9 m/s.
static Rest rest_begin_by(bool is_exact, double slope, double friction) {
    CairnWorldDef def = cairn_world_def();
    Rest rest = {.body_count = 0};
    assert_ok(cairn_world_create(&def, &rest.world));
    CairnPgsOptions options = {.iterations = 1000, .tolerance = 1e-13, .omega = 1};
    if (!is_exact) {
        assert_ok(cairn_world_set_solver(rest.world, &cairn_solver_pgs, &options));
    }
    motion_ground(rest.world, slope, friction, 0);
    return rest;
}

static Rest rest_begin(double slope, double friction) {
    return rest_begin_by(false, slope, friction);
}

static void rest_add(Rest *rest, CairnTransform pose, const CairnShapeDef *shape) {
    CairnBodyDef body = cairn_body_def();
    body.position = pose.p;
    body.orientation = pose.q;
    CairnBodyId id = motion_shape(rest->world, &body, shape);
    rest->start[rest->body_count] = motion_state(rest->world, id);
    rest->bodies[rest->body_count++] = id;
}

static CairnVec3 in_body(const CairnWorld *world, CairnBodyId id, CairnVec3 point) {
    CairnBodyState s = motion_state(world, id);
    return cairn_untransform_point((CairnTransform){s.position, s.orientation}, point);
}

// Ten seconds (sixty in the long run): ids stay from the first second on, contact points stay on both bodies within
// 1e-6 m, bodies within 1e-4 m, and nothing gains energy.
static void rest_run(Rest *rest, int contact_count) {
    const int rate = 60, seconds = support_is_long() ? 60 : 10;
    static CairnContact first[MOST_CONTACTS], now[MOST_CONTACTS];
    static CairnVec3 places[MOST_CONTACTS][2];
    double energy = HUGE_VAL;
    for (int k = 0; k < seconds * rate; ++k) {
        CairnStats stats = motion_steps(rest->world, 1.0 / rate, 1);
        if (k + 1 < rate) {
            continue;
        }
        int count = cairn_world_contacts(rest->world, now, MOST_CONTACTS);
        assert_int_equal(count, contact_count);
        for (int c = 0; c < count; ++c) {
            CairnVec3 on_a = in_body(rest->world, now[c].body_a, now[c].point);
            CairnVec3 on_b = in_body(rest->world, now[c].body_b, now[c].point);
            if (k + 1 == rate) {
                first[c] = now[c];
                places[c][0] = on_a;
                places[c][1] = on_b;
            }
            assert_true(now[c].id == first[c].id);
            assert_vec3_near(on_a, places[c][0], 1e-6);
            assert_vec3_near(on_b, places[c][1], 1e-6);
        }
        double now_energy = motion_energy(&stats);
        if (k + 1 == rate) {
            energy = now_energy;
        }
        assert_below(now_energy, energy + 1e-9 * (1 + fabs(energy)));
    }
    for (int b = 0; b < rest->body_count; ++b) {
        CairnBodyState s = motion_state(rest->world, rest->bodies[b]);
        assert_vec3_near(s.position, rest->start[b].position, 1e-4);
        assert_quat_near(s.orientation, rest->start[b].orientation, 1e-4);
    }
    cairn_world_destroy(rest->world);
}

static CairnShapeDef log_def(double radius, double height, double friction) {
    CairnShapeDef def = cairn_cylinder(radius, height);
    def.friction = friction;
    def.density = 600;
    return def;
}

static void can_stands(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.5);
    CairnShapeDef can = log_def(0.3, 1, 0.5);
    rest_add(&rest, at(0, 0, 0.5), &can);
    rest_run(&rest, 4);
}

static void can_lies(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.5);
    CairnShapeDef can = log_def(0.3, 1, 0.5);
    rest_add(&rest, along_x(0, 0, 0.3), &can);
    rest_run(&rest, 2);
}

static CairnTransform on_slope(double slope, double height, CairnQuat turn) {
    CairnQuat q = cairn_quat_axis_angle(y_axis, -slope);
    return (CairnTransform){cairn_rotate(q, (CairnVec3){0, 0, height}), cairn_quat_mul(q, turn)};
}

static void can_stands_on_a_slope(void **state) {
    (void)state;
    Rest rest = rest_begin(0.2, 0.5);
    CairnShapeDef can = log_def(0.3, 1, 0.5);
    rest_add(&rest, on_slope(0.2, 0.5, cairn_quat_identity()), &can);
    rest_run(&rest, 4);
}

static void can_lies_down_a_slope(void **state) {
    (void)state;
    Rest rest = rest_begin(0.2, 0.5);
    CairnShapeDef can = log_def(0.3, 1, 0.5);
    rest_add(&rest, on_slope(0.2, 0.3, along_x(0, 0, 0).q), &can);
    rest_run(&rest, 2);
}

static void can_lies_across_a_slope_by_rolling_friction(void **state) {
    (void)state;
    Rest rest = rest_begin(0.05, 0.5);
    CairnShapeDef can = log_def(0.3, 1, 0.5);
    can.rolling_friction = 0.03; // it would roll from tan(slope) = 0.1 on
    rest_add(&rest, on_slope(0.05, 0.3, along_y(0, 0, 0).q), &can);
    rest_run(&rest, 2);
}

static void two_logs_cross(void **state) {
    (void)state;
    Rest rest =
        rest_begin_by(true, 0, 0.5); // nothing but the solve holds the rollers: in 60 s sweeps leave over 1e-6 m
    CairnShapeDef log = log_def(0.1, 1, 0.5);
    rest_add(&rest, along_x(0, 0.3, 0.1), &log);
    rest_add(&rest, along_x(0, -0.3, 0.1), &log);
    // Evenly: the upper logs are free to roll, and a load that sinks the lower ones unevenly, if by 1e-7 m, rolls them.
    rest_add(&rest, along_y(-0.3, 0, 0.3), &log);
    rest_add(&rest, along_y(0.3, 0, 0.3), &log);
    rest_run(&rest, 8);
}

static void logs_make_a_pyramid(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.8);
    CairnShapeDef log = log_def(0.1, 1, 0.8);
    for (int row = 0; row < 3; ++row) {
        for (int k = 0; k < 3 - row; ++k) {
            rest_add(&rest, along_x(0, 0.2 * k + 0.1 * row, 0.1 + row * 0.1 * sqrt(3)), &log);
        }
    }
    rest_run(&rest, 2 * (3 + 3 + 6)); // on the ground, side by side, and each upper one on two
}

static void cans_stand_on_each_other(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.5);
    CairnShapeDef can = log_def(0.3, 0.6, 0.5), small = log_def(0.2, 0.6, 0.5);
    rest_add(&rest, at(0, 0, 0.3), &can);
    rest_add(&rest, at(0, 0, 0.9), &can);
    rest_add(&rest, at(0.15, 0, 1.5), &small);
    rest_run(&rest, 12);
}

static void box_stands_on_logs(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.5);
    CairnShapeDef log = log_def(0.1, 1, 0.5), load = cairn_box(1, 1, 0.5);
    rest_add(&rest, along_x(0, 0.3, 0.1), &log);
    rest_add(&rest, along_x(0, -0.3, 0.1), &log);
    rest_add(&rest, at(0, 0, 0.45), &load);
    rest_run(&rest, 8);
}

static void can_stands_on_a_box(void **state) {
    (void)state;
    Rest rest = rest_begin(0, 0.5);
    CairnShapeDef load = cairn_box(1, 1, 0.5), can = log_def(0.3, 1, 0.5);
    rest_add(&rest, at(0, 0, 0.25), &load);
    rest_add(&rest, turned(0.4, 0.1, 1, z_axis, 0.4), &can); // partly over its edge
    rest_run(&rest, 8);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(can_stands),
        cmocka_unit_test(can_lies),
        cmocka_unit_test(can_stands_on_a_slope),
        cmocka_unit_test(can_lies_down_a_slope),
        cmocka_unit_test(can_lies_across_a_slope_by_rolling_friction),
        cmocka_unit_test(two_logs_cross),
        cmocka_unit_test(logs_make_a_pyramid),
        cmocka_unit_test(cans_stand_on_each_other),
        cmocka_unit_test(box_stands_on_logs),
        cmocka_unit_test(can_stands_on_a_box),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
