// Pyramids of logs under Coulomb's law. Logs that lie on each other in rows can roll: what holds them is friction, and
// for the same pyramid there are answers in which it stands and answers in which it comes apart. It is put down at rest,
// and stands where some answer stands.
#include "tests/support/support_motion.h"
#include "tests/support/support_tally.h"

#include <math.h>
#include <stdlib.h>

static const double h = 1.0 / 60, radius = 0.2;

typedef struct Pyramid {
    double sinks, moves, speed; // m: of the top in all, of the top in the second half; m/s: of the fastest, at the end
    SupportTally tally;
} Pyramid;

static void run(int rows, double mu, int frames, Pyramid *found) {
    CairnBodyId logs[64];
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    int count = 0;
    support_tally_begin(&found->tally, &def);
    found->tally.folder = getenv("CAIRN_KEEP_PROBLEMS");
    found->tally.name = "pyramid";
    def.friction = CAIRN_FRICTION_COULOMB;
    assert_ok(cairn_world_create(&def, &world));
    assert_ok(support_tally_watch(world));
    motion_ground(world, 0, mu, 0);
    CairnShapeDef log = cairn_cylinder(radius, 2);
    log.friction = mu;
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < rows - row; i++) {
            CairnBodyDef body = cairn_body_def();
            body.position = cairn_vec3(radius * (2 * i + row), 0, radius * (1 + sqrt(3) * row));
            body.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), CAIRN_PI / 2);
            logs[count++] = motion_shape(world, &body, &log);
        }
    }
    CairnVec3 start = motion_state(world, logs[count - 1]).center, half = start;
    for (int k = 0; k < frames; k++) {
        if (k == frames / 2) {
            half = motion_state(world, logs[count - 1]).center;
        }
        assert_ok(support_tally_step(&found->tally, world, h, NULL));
    }
    CairnVec3 top = motion_state(world, logs[count - 1]).center;
    found->sinks = start.z - top.z;
    found->moves = cairn_length(cairn_sub(top, half));
    found->speed = 0;
    for (int i = 0; i < count; i++) {
        found->speed = fmax(found->speed, cairn_length(motion_state(world, logs[i]).velocity));
    }
    cairn_world_destroy(world);
}

static void pyramids_stand(void **state) {
    (void)state;
    static const double frictions[] = {0.8, 0.4, 0.3, 0.27, 0.26};
    for (int m = 0; m < 5; m++) {
        for (int rows = 3; rows <= 10; rows++) {
            Pyramid p;
            run(rows, frictions[m], 300, &p);
            print_message(
                "  mu %g, %d rows: top sinks %.1e m, moves %.1e m in the second half, fastest %.1e m/s; %d of %d "
                "frames certified, factors a frame: median %d, worst %d\n",
                frictions[m], rows, p.sinks, p.moves, p.speed, p.tally.frames.count - p.tally.uncertified,
                p.tally.frames.count, support_counts_quantile(&p.tally.frames, 0.5), p.tally.frames.worst);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pyramids_stand),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
