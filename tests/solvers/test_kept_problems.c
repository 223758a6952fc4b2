// The problems of tests/data, which come with the answer of an interior point method: the referee certifies that answer
// and no other, and every solver that takes the problem, however it works, finds the same velocities.
#include "demos/program/formats/problem_source.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <cairn/solver.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/"

static const char *const bilateral[] = {"pendulum_chain"};
static const char *const boxes[] = {"ragdoll", "box_tower", "arch", "domino_row"};
static const char *const cones[] = {"domino_row_cone", "domino_row_coulomb"};

enum { BILATERAL_COUNT = 1, BOX_COUNT = 4, CONE_COUNT = 2 };

static void open_kept(const char *name, CairnProblemSource *source) {
    char path[128];
    snprintf(path, sizeof path, DATA "%s.problem", name);
    assert_ok(cairn_problem_open(path, source));
    assert_non_null(source->stored.answer);
}

// Velocities are unique though impulses may not be. Both answers are certified, so each is within the limit of the
// exact one.
static void agrees(const char *name, const char *solver) {
    char line[256];
    snprintf(line, sizeof line, "solve " DATA "%s.problem --solver %s --certified --quiet --json -", name, solver);
    const char *json = support_call_well(line)->out;
    double off = support_json_number(json, "results.0.velocity_off");
    double limit = support_json_number(json, "results.0.residual.limit");
    if (!(off <= 2 * limit)) {
        fail_msg("%s: %s is off by %g m/s, at most %g is allowed", name, solver, off, 2 * limit);
    }
}

static void all_agree(const char *const *names, int name_count, const char *const *solvers, int solver_count) {
    for (int i = 0; i < name_count; i++) {
        for (int s = 0; s < solver_count; s++) {
            agrees(names[i], solvers[s]);
        }
    }
}

static void kept_answer_is_certified(const char *name) {
    CairnProblemSource source;
    CairnResidual residual;
    open_kept(name, &source);
    assert_ok(cairn_residual(&source.stored.problem, source.stored.answer, NULL, &residual));
    if (!residual.is_certified) {
        fail_msg("%s: the kept answer is not certified (%g m/s)", name, residual.scaled);
    }
    cairn_problem_close(&source);
}

static void kept_answers_are_certified(void **state) {
    (void)state;
    for (int i = 0; i < BILATERAL_COUNT; i++) {
        kept_answer_is_certified(bilateral[i]);
    }
    for (int i = 0; i < BOX_COUNT; i++) {
        kept_answer_is_certified(boxes[i]);
    }
    for (int i = 0; i < CONE_COUNT; i++) {
        kept_answer_is_certified(cones[i]);
    }
}

// The largest impulse with one percent more changes velocities by far more than 1e-8 of the largest one, the limit of
// the certificate.
static void a_changed_answer_is_not_certified(void **state) {
    (void)state;
    for (int i = 0; i < BOX_COUNT; i++) {
        CairnProblemSource source;
        CairnResidual residual;
        open_kept(boxes[i], &source);
        int rows = source.stored.problem.row_count, largest = 0;
        double *other = malloc((size_t)rows * sizeof *other);
        assert_non_null(other);
        memcpy(other, source.stored.answer, (size_t)rows * sizeof *other);
        for (int k = 0; k < rows; k++) {
            largest = fabs(other[k]) > fabs(other[largest]) ? k : largest;
        }
        other[largest] *= 1.01;
        assert_ok(cairn_residual(&source.stored.problem, other, NULL, &residual));
        assert_false(residual.is_certified);
        free(other);
        cairn_problem_close(&source);
    }
}

static void direct_solvers_agree_on_boxes(void **state) {
    (void)state;
    static const char *const solvers[] = {"bpp", "nnewton", "pgs-sm", "schur-bpp", "schur-pgs-sm"};
    all_agree(boxes, BOX_COUNT, solvers, 5);
    all_agree(bilateral, BILATERAL_COUNT, solvers, 5);
}

// Box bounds are cones of one dimension to the method for cones.
static void cone_solver_agrees_on_boxes(void **state) {
    (void)state;
    static const char *const solvers[] = {"ipm-cone"};
    all_agree(boxes, BOX_COUNT, solvers, 1);
    all_agree(bilateral, BILATERAL_COUNT, solvers, 1);
}

// Sweeps come to the certificate where few rows depend on one another: a chain, and a doll on the floor.
static void sweeps_agree_where_they_converge(void **state) {
    (void)state;
    static const char *const solvers[] = {"pgs:iterations=20000,tolerance=1e-12",
                                          "psor:iterations=20000,tolerance=1e-13,momentum=1"};
    all_agree(bilateral, BILATERAL_COUNT, solvers, 2);
    all_agree(boxes, 1, solvers, 2);
}

static void sweeps_agree_on_cones(void **state) {
    (void)state;
    static const char *const solvers[] = {"psor:iterations=20000,tolerance=1e-13,momentum=1"};
    all_agree(cones, CONE_COUNT, solvers, 1);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_answers_are_certified),       cmocka_unit_test(a_changed_answer_is_not_certified),
        cmocka_unit_test(direct_solvers_agree_on_boxes),    cmocka_unit_test(cone_solver_agrees_on_boxes),
        cmocka_unit_test(sweeps_agree_where_they_converge), cmocka_unit_test(sweeps_agree_on_cones),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
