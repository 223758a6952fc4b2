// Elastic rods of rigid segments against the theory of beams: a cantilever's deflection, a twisted rod's torque, a
// stretched one's force, and how fast refinement comes near.
#include "demos/program/session/choice.h"
#include "demos/scenes/builders_rod.h"
#include "tests/support/support.h"

#include <cairn/cairn.h>

enum { MOST = 64 };

// Length 1 m, radius 5 cm, E = 1 MPa, nu = 0.3: A = 7.853982e-3, I = 4.908739e-6, G = 384,615 Pa.
static const double length = 1, radius = 0.05, young = 1e6, poisson = 0.3;

typedef struct Bench {
    CairnWorld *world;
    CairnBodyId ids[MOST];
    CairnJointId clamp;
    int count;
} Bench;

// Clamped at the origin, along x; no gravity. Damped so that it comes to rest: springs lose all within a step of a
// second.
static void set_up(Bench *bench, int count, const char *solver) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    def.geometric_stiffness = false;
    assert_ok(cairn_world_create(&def, &bench->world));
    CairnChoice choice;
    assert_ok(cairn_choice_open(solver, "rod", &choice));
    assert_ok(cairn_world_set_solver(bench->world, choice.solver, choice.options));
    cairn_choice_close(&choice);
    CairnRod rod = cairn_rod();
    rod.count = bench->count = count;
    rod.radius = radius;
    rod.young = young;
    rod.poisson = poisson;
    rod.has_shapes = false;
    rod.loss = 0.5; // near critical for the slowest mode, 2.8 rad/s: the answer is that at rest
    rod.group = 0;
    rod.group_size = 4;
    CairnVec3 points[MOST + 1];
    for (int i = 0; i <= count; i++) {
        points[i] = cairn_vec3(length * i / count, 0, 0);
    }
    assert_ok(cairn_build_elastic(bench->world, &rod, points, bench->ids));
    assert_ok(cairn_build_elastic_clamp(bench->world, &rod, bench->ids[0], true, (CairnBodyId){0}, length / count,
                                        &bench->clamp));
}

// Forces on the free end until it rests; then where that end is, and how the last segment has turned.
static CairnBodyState load(Bench *bench, CairnVec3 force, CairnVec3 torque) {
    CairnBodyId last = bench->ids[bench->count - 1];
    CairnBodyState state;
    for (int i = 0; i < 400; i++) { // a twentieth of a second each: implicit springs lose most of what swings in a step
        assert_ok(cairn_body_get(bench->world, last, &state));
        CairnVec3 end = cairn_rotate(state.orientation, cairn_vec3(0, 0, 0.5 * length / bench->count));
        assert_ok(cairn_body_apply_force_at(bench->world, last, force, cairn_add(state.position, end)));
        assert_ok(cairn_body_apply_torque(bench->world, last, torque));
        assert_ok(cairn_world_step(bench->world, 0.05, NULL));
    }
    assert_ok(cairn_body_get(bench->world, last, &state));
    assert_below(cairn_length(state.velocity) + cairn_length(state.angular_velocity), 1e-7);
    CairnVec3 end = cairn_rotate(state.orientation, cairn_vec3(0, 0, 0.5 * length / bench->count));
    state.position = cairn_add(state.position, end);
    return state;
}

static double area(void) {
    return CAIRN_PI * radius * radius;
}

static double second_moment(void) {
    return 0.25 * CAIRN_PI * radius * radius * radius * radius;
}

// w = F L^3/(3 E I) + F L/(k G A) of a load small enough for the linear theory: 0.4 % of the length. Returns the
// relative error.
static double cantilever_error(int count, const char *solver) {
    Bench bench;
    set_up(&bench, count, solver);
    double force = 0.06, shear = young / (2 * (1 + poisson)), round = 6 * (1 + poisson) / (7 + 6 * poisson);
    double exact =
        force * length * length * length / (3 * young * second_moment()) + force * length / (round * shear * area());
    CairnBodyState end = load(&bench, cairn_vec3(0, 0, -force), cairn_vec3(0, 0, 0));
    cairn_world_destroy(bench.world);
    return -end.position.z / exact - 1;
}

static void a_cantilever_bends_as_it_must(void **state) {
    (void)state;
    assert_near(cantilever_error(10, "bpp"), 0, 0.02);
    assert_near(cantilever_error(10, "subadmm:iterations=200,beta=20"), 0, 0.02);
}

// The error is of second order in a segment's length: half of it, a quarter of the error, down to what is not linear in
// the load.
static void refinement_converges(void **state) {
    (void)state;
    double coarse = cantilever_error(5, "bpp"), middle = cantilever_error(10, "bpp"),
           fine = cantilever_error(20, "bpp");
    assert_true(fabs(coarse) > fabs(middle) && fabs(middle) > fabs(fine));
    assert_near((coarse - middle) / (middle - fine), 4, 0.4);
    assert_below(fabs(fine), 0.002);
}

// A torque T about the axis turns the end by T L/(G J), and the clamp bears it.
static void a_twisted_rod_resists(void **state) {
    (void)state;
    static const char *const solvers[] = {"bpp", "subadmm:iterations=200,beta=20"};
    for (int k = 0; k < 2; k++) {
        Bench bench;
        set_up(&bench, 20, solvers[k]);
        double twist = 0.3, shear = young / (2 * (1 + poisson)), torque = shear * 2 * second_moment() * twist / length;
        CairnBodyState end = load(&bench, cairn_vec3(0, 0, 0), cairn_vec3(torque, 0, 0));
        // The last half segment is rigid and untwisted.
        CairnVec3 side = cairn_rotate(end.orientation, cairn_vec3(0, 1, 0));
        double turned = atan2(side.z, side.y);
        assert_near(turned * (1 + 0.5 / 20), twist * (1 - 0.5 / 20) * (1 + 0.5 / 20), 0.02 * twist);
        CairnJointState clamp;
        assert_ok(cairn_joint_get(bench.world, bench.clamp, &clamp));
        assert_near(fabs(clamp.torque.x), torque, 0.02 * torque);
        cairn_world_destroy(bench.world);
    }
}

// F = E A dL/L, of all but the rigid last half segment.
static void a_pulled_rod_stretches(void **state) {
    (void)state;
    Bench bench;
    set_up(&bench, 20, "bpp");
    double force = 0.01 * young * area();
    CairnBodyState end = load(&bench, cairn_vec3(force, 0, 0), cairn_vec3(0, 0, 0));
    assert_near(end.position.x - length, 0.01 * length * (1 - 0.5 / 20), 1e-6);
    cairn_world_destroy(bench.world);
}

static void bad_rods_are_refused(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnVec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    CairnBodyId id;
    CairnRod rod = cairn_rod();
    rod.count = 1;
    rod.young = 0;
    assert_refused(cairn_build_elastic(world, &rod, points, &id), CAIRN_INVALID_ARGUMENT, "young = 0");
    rod.young = 1e6;
    rod.poisson = 0.6;
    assert_refused(cairn_build_elastic(world, &rod, points, &id), CAIRN_INVALID_ARGUMENT, "poisson = 0.6");
    rod.poisson = 0.3;
    rod.group_size = 0;
    assert_refused(cairn_build_elastic(world, &rod, points, &id), CAIRN_INVALID_ARGUMENT, "group_size = 0");
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bends_as_it_must), cmocka_unit_test(refinement_converges),
        cmocka_unit_test(a_twisted_rod_resists),         cmocka_unit_test(a_pulled_rod_stretches),
        cmocka_unit_test(bad_rods_are_refused),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
