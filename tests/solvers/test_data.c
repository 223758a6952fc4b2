// Problems that others made, read in place from ../shared/data: our readers, our referee against their answers, our
// solvers against their optima. Without that folder, or without HDF5, the tests that need it are skipped and say so.
#include <cairn/solve.h>

#include "demos/program/cli/program.h"
#include "demos/program/formats/problem_source.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/stored.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA "../shared/data/"

enum { PROBLEM_COUNT = 5 };

// The convex optima of the table in its README: min 1/2 r W r + q r without friction, and with the tangents within mu
// times the reference's normals, and over friction cones. asymmetry: of W in the file, as printed. pgs: does it get
// there?
static const struct {
    const char *answer;
    double frictionless, box, cone, asymmetry;
    bool pgs;
} problems[PROBLEM_COUNT] = {
    {"Capsules-i125-1213", -3.792035259e-03, -6.253902060e-03, -9.790289271e-01, 1.3e-3, true},
    {"fclib_local_problem_test", -1.443542005e-06, -1.443542005e-06, -1.443542005e-06, 2e-16, false},
    {"Box_Stacks-i0122-82-5", -2.238325636e-05, -2.317838319e-05, -2.320918201e-05, 0, true},
    {"Rover1039", -2.763557022e+00, -6.035095627e+00, -6.835657415e+00, 9.2e-6, true},
    {"OneObject-i100000-499", -9.003350294e-05, -4.923483369e-03, -3.780275593e-02, 8.1e-5, true},
};

static void need(const char *folder) {
    if (access(folder, R_OK) != 0) {
        print_message("there is no %s: skipped\n", folder);
        skip();
    }
}

static void need_hdf5(void) {
    need(DATA "solutions");
    CairnProblemSource source;
    CairnStatus status = cairn_problem_open(DATA "solutions/Rover1039-ref.hdf5", &source);
    cairn_problem_close(&source);
    if (status.code == CAIRN_UNSUPPORTED) {
        print_message("%s: skipped\n", status.message);
        skip();
    }
}

static void open_answer(int index, CairnProblemSource *source) {
    char path[128];
    snprintf(path, sizeof path, DATA "solutions/%s-ref.hdf5", problems[index].answer);
    assert_ok(cairn_problem_open(path, source));
    assert_non_null(source->stored.answer);
}

// ---- the referee against the answers of others ----

static void answers_of_others_are_certified(void **state) {
    (void)state;
    need_hdf5();
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        CairnProblemSource source;
        CairnResidual residual;
        open_answer(i, &source);
        const CairnProblem *problem = &source.stored.problem;
        assert_ok(cairn_residual(problem, source.stored.answer, NULL, &residual));
        assert_below(residual.cone, 1e-12);
        assert_true(residual.is_certified);
        // Half a millionth more on the strongest normal impulse is no answer any more.
        double *other = malloc((size_t)problem->row_count * sizeof *other);
        assert_non_null(other);
        int strongest = 0;
        for (int k = 0; k < problem->row_count; k += 3) {
            strongest = source.stored.answer[k] > source.stored.answer[strongest] ? k : strongest;
        }
        memcpy(other, source.stored.answer, (size_t)problem->row_count * sizeof *other);
        other[strongest] *= 1 + 5e-7;
        assert_ok(cairn_residual(problem, other, NULL, &residual));
        assert_true(residual.cone > 1e-9);
        free(other);
        cairn_problem_close(&source);
    }
}

// M, H, f, w of the global file and W, q of the local one are one problem: the answer of one is the other's.
static void global_form_is_the_same_problem(void **state) {
    (void)state;
    need_hdf5();
    CairnProblemSource global, local;
    CairnResidual residual;
    open_answer(2, &local);
    assert_ok(cairn_problem_open(DATA "fclib/Box_Stacks-i0122-82-5.hdf5", &global));
    assert_int_equal(global.stored.problem.form, CAIRN_FORM_DYNAMICS);
    assert_int_equal(global.stored.problem.dof_count, 450);
    assert_int_equal(global.stored.problem.block_count, 75); // bodies of six dofs
    assert_int_equal(global.stored.problem.friction_count, 82);
    assert_null(global.stored.answer); // a dummy of zeros
    assert_ok(cairn_residual(&global.stored.problem, local.stored.answer, NULL, &residual));
    assert_below(residual.cone, 1e-12);
    assert_true(residual.is_certified);
    cairn_problem_close(&global);
    cairn_problem_close(&local);
}

static void text_and_hdf5_say_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {DATA "siconos/Rover1039.dat", DATA "siconos/OneObject-i100000-499.hdf5.dat"};
    need_hdf5();
    need(DATA "siconos");
    for (int i = 0; i < 2; i++) {
        CairnProblemSource text, binary;
        assert_ok(cairn_problem_open(texts[i], &text));
        open_answer(3 + i, &binary);
        const CairnProblem *a = &text.stored.problem, *b = &binary.stored.problem;
        CairnResidual x, y;
        assert_int_equal(a->row_count, b->row_count);
        for (int k = 0; k < a->row_count; k++) {
            assert_same_bits(a->right_side[k], b->right_side[k]);
        }
        for (int k = 0; k < a->friction_count; k++) {
            assert_same_bits(a->frictions[k].mu, b->frictions[k].mu);
        }
        assert_near(text.asymmetry, binary.asymmetry, 0);
        assert_ok(cairn_residual(a, binary.stored.answer, NULL, &x));
        assert_ok(cairn_residual(b, binary.stored.answer, NULL, &y));
        assert_near(x.cone, y.cone, 1e-15);
        cairn_problem_close(&text);
        cairn_problem_close(&binary);
    }
}

// ---- the solvers against the optima of others ----

// The table's ten digits leave 5e-10 of the value open.
static void check_optimum(int index, const char *solver, const char *friction, double wanted) {
    char line[256];
    snprintf(line, sizeof line,
             "solve " DATA "solutions/%s-ref.hdf5 --solver %s --friction %s --symmetrize --quiet --json -",
             problems[index].answer, solver, friction);
    const char *json = support_call_well(line)->out;
    double found = support_json_number(json, "results.0.objective");
    if (!(fabs(found - wanted) <= 1e-9 * fabs(wanted))) {
        fail_msg("cairn %s: %.12e, should be %.9e", line, found, wanted);
    }
    // pgs may stop at its own measure before the certificate's.
    if (strncmp(solver, "pgs:", 4) != 0) {
        assert_near(support_json_number(json, "results.0.residual.certified"), 1, 0);
    }
}

static void solvers_reach_the_optima_of_others(void **state) {
    (void)state;
    need_hdf5();
    for (int i = PROBLEM_COUNT - support_rounds(PROBLEM_COUNT, 3); i < PROBLEM_COUNT; i++) { // the last are small
        static const char *const solvers[] = {"ipm", "bpp", "pgs-sm", "nnewton",
                                              "pgs:iterations=20000,tolerance=1e-11"};
        for (int s = 0; s < 5; s++) {
            if (s < 4 || problems[i].pgs) {
                check_optimum(i, solvers[s], "box", problems[i].box);
            }
            if (s < 4) {
                check_optimum(i, solvers[s], "none", problems[i].frictionless);
            }
        }
    }
}

// The convex law's optimum, and Coulomb's velocities, which are unique to 4e-5 at vel_rel = 1e-8. Those of an
// unsymmetric W and of its symmetric part differ by a few times what the matrices do.
static void cones_are_solved(void **state) {
    (void)state;
    need_hdf5();
    for (int i = PROBLEM_COUNT - support_rounds(PROBLEM_COUNT, 3); i < PROBLEM_COUNT; i++) { // the last are small
        check_optimum(i, "ipm-cone", "cone", problems[i].cone);
        check_optimum(i, "ipm-cone", "none", problems[i].frictionless);
        char line[256];
        snprintf(line, sizeof line,
                 "solve " DATA "solutions/%s-ref.hdf5 --solver ipm-cone --symmetrize --certified --quiet --json -",
                 problems[i].answer);
        const char *json = support_call_well(line)->out;
        double b = 1e8 * support_json_number(json, "results.0.residual.limit");
        assert_below(support_json_number(json, "results.0.residual.cone"), 1e-8);
        assert_below(support_json_number(json, "results.0.velocity_off"), (4e-5 + 10 * problems[i].asymmetry) * b);
    }
    static const char *const files[] = {"fclib/Box_Stacks-i0122-82-5.hdf5", "fclib/Capsules-i125-1213.hdf5",
                                        "fclib/fclib_local_problem_test.hdf5", "siconos/Rover1039.dat",
                                        "siconos/OneObject-i100000-499.hdf5.dat"};
    for (int i = 5 - support_rounds(5, 3); i < 5; i++) { // as they came, the first in form 1
        char line[256];
        snprintf(line, sizeof line, "solve " DATA "%s --solver ipm-cone --symmetrize --certified --quiet", files[i]);
        support_call_well(line);
        snprintf(line, sizeof line,
                 "solve " DATA "%s --solver ipm-cone --friction cone --symmetrize --certified --quiet", files[i]);
        support_call_well(line);
    }
}

// W as it is in the file: `auto`, Newton's method and sweeps with momentum are judged on it, and none of them
// symmetrises it.
static void problems_are_solved_as_given(void **state) {
    (void)state;
    need_hdf5();
    static const char *const files[] = {"fclib/Box_Stacks-i0122-82-5.hdf5", "fclib/Capsules-i125-1213.hdf5",
                                        "fclib/fclib_local_problem_test.hdf5", "siconos/Rover1039.dat",
                                        "siconos/OneObject-i100000-499.hdf5.dat"};
    static const char *const solvers[] = {"auto", "newton-cone",
                                          "psor:iterations=20000,tolerance=0,share=1e-9,momentum=1"};
    static const int most[] = {60, 60, 0}; // factors: sweeps have none
    for (int k = 0; k < 5 * 3 * 2; k++) {
        char line[256];
        snprintf(line, sizeof line, "solve " DATA "%s --solver %s --friction %s --certified --quiet --json -",
                 files[k / 6], solvers[k / 2 % 3], k % 2 ? "coulomb" : "cone");
        const char *json = support_call_well(line)->out;
        assert_below(support_json_number(json, k % 2 ? "results.0.residual.cone" : "results.0.residual.convex"), 1e-8);
        assert_true(support_json_number(json, "results.0.factorizations") <= most[k / 2 % 3]);
    }
}

// Changes a problem: impulses in other units, velocities too, other coefficients, and W made more unsymmetric, by a
// share of each entry that is added on one side of the diagonal and taken away on the other one.
static void change(CairnProblem *problem, double unit, double speed, double mu, double asymmetry) {
    double *W = (double *)problem->W, *b = (double *)problem->right_side; // the source's own
    CairnFriction *frictions = (CairnFriction *)problem->frictions;
    for (int i = 0; i < problem->row_count; i++) {
        b[i] *= speed;
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            int j = problem->W_column[k];
            uint64_t seed = 1 + (uint64_t)(i < j ? i : j) * 100003 + (uint64_t)(i < j ? j : i);
            double share = i == j ? 0 : asymmetry * support_uniform(&seed, -1, 1);
            W[k] *= (1 + (i < j ? share : -share)) * speed / unit;
        }
    }
    for (int f = 0; f < problem->friction_count && mu >= 0; f++) {
        frictions[f].mu = mu;
    }
    problem->W_is_symmetric = problem->W_is_symmetric && asymmetry == 0;
}

// Any units, any coefficient, any asymmetry of the size that files have. Where W is singular, unsymmetric and mu above
// 1, so that contacts may wedge against nothing, there need not be an answer: then none is claimed.
static void variants_are_solved(void **state) {
    (void)state;
    need_hdf5();
    static const double units[] = {1, 1e-9, 1e6}, speeds[] = {1, 1e4, 1e-4}, mus[] = {-1, 0, 0.02, 0.3, 1, 3},
                        asymmetries[] = {0, 1e-5, 1e-4, 1e-3};
    static const CairnFrictionKind laws[] = {CAIRN_FRICTION_COULOMB, CAIRN_FRICTION_CONE};
    int certified = 0, others = 0, most = 0;
    const CairnSolver *solver;
    assert_ok(cairn_solver_find("auto", &solver));
    for (int i = PROBLEM_COUNT - support_rounds(PROBLEM_COUNT, 3); i < PROBLEM_COUNT; i++) { // the last are small
        for (int k = 0; k < 48; k++) {
            CairnProblemSource source;
            double mu = mus[k / 2 % 6], asymmetry = asymmetries[k / 12];
            if (mu > 1 && asymmetry > 0) { // all ways are tried there, for seconds
                continue;
            }
            open_answer(i, &source);
            assert_ok(cairn_problem_set_friction(&source, laws[k % 2]));
            CairnProblem *problem = &source.stored.problem;
            change(problem, units[k % 3], speeds[k / 3 % 3], mu, asymmetry);
            double *lambda = calloc((size_t)problem->row_count, sizeof *lambda);
            assert_non_null(lambda);
            CairnSolveRequest request = {.solver = solver, .judge = true};
            CairnSolveResult result;
            assert_ok(cairn_problem_solve(problem, &request, lambda, &result));
            bool is_good = result.residual.is_certified;
            if (!is_good && (mu < 1 || asymmetry == 0)) {
                fail_msg("%s, variant %d: %d iterations, %d factors, at %g of the certificate", problems[i].answer, k,
                         result.report.iterations, result.report.factorizations, result.residual.excess);
            }
            assert_true(is_good || result.report.outcome != CAIRN_OUTCOME_CONVERGED);
            most = is_good && result.report.factorizations > most ? result.report.factorizations : most;
            certified += is_good;
            others += !is_good;
            free(lambda);
            cairn_problem_close(&source);
        }
    }
    print_message("%d certified, in %d factors at most, %d without a claim\n", certified, most, others);
}

// Sweeps reach the convex law's optimum too, but for one problem, which is hard for all of them (36,127 sweeps of
// others to 1e-4).
static void sweeps_reach_the_convex_optima(void **state) {
    (void)state;
    need_hdf5();
    static const char *const solvers[] = {"psor:iterations=60000,tolerance=1e-12",
                                          "pssor:iterations=90000,tolerance=1e-12",
                                          "pj:iterations=90000,tolerance=1e-12"};
    for (int i = PROBLEM_COUNT - support_rounds(PROBLEM_COUNT, 3); i < PROBLEM_COUNT; i++) { // the last are small
        for (int s = 0; s < 3 && strcmp(problems[i].answer, "fclib_local_problem_test") != 0; s++) {
            bool is_long = strncmp(problems[i].answer, "Capsules", 8) == 0; // 50,000 sweeps of pssor leave 8e-8
            if (s == 0 || !is_long) {
                check_optimum(i, solvers[s], "cone", problems[i].cone);
            }
        }
    }
}

// With momentum sweeps reach all of them, under both laws: that hard one in two thousand.
static void momentum_reaches_all_optima(void **state) {
    (void)state;
    need_hdf5();
    static const char *const solver = "psor:iterations=10000,tolerance=1e-13,momentum=1";
    char line[240];
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        check_optimum(i, solver, "cone", problems[i].cone);
        snprintf(line, sizeof line,
                 "solve " DATA "solutions/%s-ref.hdf5 --solver %s --friction coulomb --symmetrize --certified --quiet",
                 problems[i].answer, solver);
        support_call_well(line);
    }
}

static void global_form_has_the_same_optimum(void **state) {
    (void)state;
    need_hdf5();
    const char *json =
        support_call_well("solve " DATA "fclib/Box_Stacks-i0122-82-5.hdf5 --solver ipm --friction none --certified "
                          "--quiet --json -")
            ->out;
    assert_near(support_json_number(json, "results.0.objective"), problems[2].frictionless,
                1e-9 * fabs(problems[2].frictionless));
}

static void mlcps_are_solved_or_refused(void **state) {
    (void)state;
    need(DATA "siconos");
    static const char *const solvers[] = {"pgs", "ipm", "bpp", "pgs-sm", "nnewton"};
    static const char *const unsymmetric[] = {"RLCD", "diodeBridge", "relay2"};
    char line[200];
    for (int s = 0; s < 5; s++) {
        snprintf(line, sizeof line, "solve " DATA "siconos/PDSym_mlcp.dat --solver %s --certified --quiet", solvers[s]);
        support_call_well(line);
        for (int k = 0; k < 3; k++) {
            snprintf(line, sizeof line, "solve " DATA "siconos/%s_mlcp.dat --solver %s --certified --quiet",
                     unsymmetric[k], solvers[s]);
            if (s == 4) { // takes any W
                support_call_well(line);
                continue;
            }
            SupportCall *call = support_call(line);
            assert_int_equal(call->code, CAIRN_EXIT_USAGE);
            if (!strstr(call->err,
                        s == 0 ? "does not take W with a diagonal entry of 0" : "does not take an unsymmetric W")) {
                fail_msg("cairn %s: %s", line, call->err);
            }
        }
    }
}

// ---- text of our own: one matrix in all storages ----

static const char dense[] = "3\n1\n0\n3\n3\n3\t3\n2 0.5 0 \n0.5 3 0.25 \n0 0.25 4\n-1 0.5 0.25\n0.7\n1\n";
static const char blocks[] =
    "3\n1\n1\n3\n3\n1\n1\n1\n3\t\n3\t\n2\n1\n0\t1\t\n0\t\n0\n2 0.5 0\n0.5 3 0.25\n0 0.25 4\n-1 0.5 0.25\n0.7\n";
static const char columns[] =
    "3\n1\n2\n1\nCSparse Version 3.1.4, somewhen.\n3-by-3, nzmax: 9 nnz: 7, 1-norm: 4.25\n"
    "    col 0 : locations 0 to 1\n      0 : 2\n      1 : 0.5\n    col 1 : locations 2 to 4\n"
    "      0 : 0.5\n      1 : 3\n      2 : 0.25\n    col 2 : locations 5 to 6\n      1 : 0.25\n"
    "      2 : 4\n-1 0.5 0.25\n0.7\n";
static const char triplets[] =
    "3\n1\n2\n0\nCSparse Version 3.1.4, somewhen.\ntriplet: 3-by-3, nzmax: 9 nnz: 8\n    0 0 : 1\n"
    "    0 0 : 1\n    1 0 : 0.5\n    0 1 : 0.5\n    1 1 : 3\n    2 1 : 0.25\n    1 2 : 0.25\n"
    "    2 2 : 4\n-1 0.5 0.25\n0.7\n";
static const char mlcp[] = "1\n1\n1\n2\n0 1 3\n0 1\n0\n3\n3\n3\t3\n2 0.5 0\n0.5 3 0.25\n0 0.25 4\n-1 0.5 0.25\n"
                           "2\n3 0.25\n0.25 4\n0.5 0\n0.5\n0\n-1\n0.5 0.25\n";

static const char *const texts[] = {dense, blocks, columns, triplets, mlcp};

static CairnStatus open_text(const char *text, size_t size, CairnProblemSource *source) {
    char path[128];
    support_path("text.dat", path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    return cairn_problem_open(path, source);
}

static void all_storages_are_read(void **state) {
    (void)state;
    static const double W[9] = {2, 0.5, 0, 0.5, 3, 0.25, 0, 0.25, 4}, q[3] = {-1, 0.5, 0.25};
    for (int i = 0; i < 5; i++) {
        CairnProblemSource source;
        assert_ok(open_text(texts[i], strlen(texts[i]), &source));
        const CairnProblem *problem = &source.stored.problem;
        assert_int_equal(problem->row_count, 3);
        assert_true(problem->W_is_symmetric);
        for (int r = 0; r < 3; r++) {
            double row[3] = {0, 0, 0};
            for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
                row[problem->W_column[k]] += problem->W[k];
            }
            for (int c = 0; c < 3; c++) {
                assert_near(row[c], W[3 * r + c], 0);
            }
            assert_near(problem->right_side[r], q[r], 0);
        }
        if (i < 4) {
            assert_int_equal(problem->friction_count, 1);
            assert_near(problem->frictions[0].mu, 0.7, 0);
            assert_int_equal(problem->frictions[0].kind, CAIRN_FRICTION_COULOMB);
        } else {
            assert_true(isinf(problem->lower[0]) && problem->lower[1] == 0 && problem->lower[2] == 0);
        }
        cairn_problem_close(&source);
    }
}

// Read from memory; true if it was refused, in words. What is accepted is a sound problem.
static bool is_refused(const char *text, size_t size) {
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnStoredProblem stored;
    char kind[64];
    assert_ok(cairn_stored_problem_init(&stored, &allocator));
    CairnStatus status = cairn_siconos_read(text, size, &stored, kind);
    if (cairn_is_ok(status)) {
        status = cairn_problem_check(&stored.problem);
    }
    assert_true(cairn_is_ok(status) || status.message[0]);
    cairn_stored_problem_free(&stored);
    assert_memory_clean(&memory);
    return !cairn_is_ok(status);
}

// Cut anywhere, or with any byte made another.
static void damaged_text_is_refused(void **state) {
    (void)state;
    static const char wrong[] = "-9x.\n";
    int refused = 0;
    for (int i = 0; i < 5; i++) {
        size_t length = strlen(texts[i]);
        for (size_t at = 0; at < length; at++) {
            // In memory of its own, so that a sanitizer sees every step behind the end.
            char *text = malloc(length + 1);
            assert_non_null(text);
            memcpy(text, texts[i], length + 1);
            for (size_t k = 0; k < sizeof wrong - 1; k++) {
                text[at] = wrong[k];
                refused += is_refused(text, length);
            }
            free(text);
            text = malloc(at + 1);
            assert_non_null(text);
            memcpy(text, texts[i], at);
            text[at] = '\0';
            refused += is_refused(text, at);
            free(text);
        }
    }
    assert_true(refused > 1000);
}

// ---- the program ----

static void dumps_are_solved_again(void **state) {
    (void)state;
    support_call_well("dump box_tower --frame 30 --out $/tower.problem --solver ipm --quiet");
    const char *run = support_call_well("run box_tower --steps 30 --solver ipm --quiet --json -")->out;
    double scaled = support_json_number(run, "residual.scaled.max"), rows = support_json_number(run, "rows.max");
    const char *json = support_call_well("solve $/tower.problem --solver ipm --warm --certified --quiet --json -")->out;
    assert_near(support_json_number(json, "results.0.rows"), rows, 0);
    assert_below(support_json_number(json, "results.0.answer.scaled"), scaled);
    // The same solver from the same start: the same bits.
    assert_near(support_json_number(json, "results.0.velocity_off"), 0, 0);
    json = support_call_well("solve $/tower.problem --solver bpp --certified --quiet --json -")->out;
    assert_below(support_json_number(json, "results.0.velocity_off"),
                 support_json_number(json, "results.0.residual.limit"));
    // pgs with few sweeps shows whether the warm start is the step's own: an answer to the bit again.
    support_call_well("dump domino_row --frame 60 --out $/row.problem --solver pgs:iterations=7 --quiet");
    json = support_call_well("solve $/row.problem --solver pgs:iterations=7 --warm --quiet --json -")->out;
    assert_near(support_json_number(json, "results.0.velocity_off"), 0, 0);
    json = support_call_well("solve $/row.problem --solver pgs:iterations=7 --quiet --json -")->out;
    assert_true(support_json_number(json, "results.0.velocity_off") > 0);
}

static void solve_prints_what_it_found(void **state) {
    (void)state;
    CairnProblemSource source;
    assert_ok(open_text(dense, strlen(dense), &source));
    cairn_problem_close(&source);
    SupportCall *call = support_call_well("solve $/text.dat --solver pgs --friction box-current");
    static const char *const parts[] = {"Siconos friction, dense: 3 rows, 1 contacts",
                                        "symmetric",
                                        "natural",
                                        "scaled",
                                        "cone",
                                        ": certified",
                                        "converged",
                                        "iterations",
                                        "ms, objective"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!strstr(call->out, parts[i])) {
            fail_msg("'%s' is not in:\n%s", parts[i], call->out);
        }
    }
    call = support_call("solve $/text.dat $/none.dat --solver pgs");
    assert_int_equal(call->code, CAIRN_EXIT_USAGE); // pgs takes no coulomb, and the other file is not there
    assert_non_null(strstr(call->out, "refused: solver pgs does not take coulomb friction"));
    assert_non_null(strstr(call->err, "none.dat"));
    call = support_call("solve $/text.dat --solver pgs --friction box-current --iterations 1 --certified --quiet");
    assert_int_equal(call->code, CAIRN_EXIT_FAILED);
}

static void wrong_usage_is_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *line, *first, *second;
    } cases[] = {
        {"solve", "which files", "--solver"},
        {"solve $/none.dat", "none.dat", "No such file"},
        {"solve $/text.dat --solver pgz", "pgz", "pgs"},
        {"solve $/text.dat --friction boks --solver pgs", "--friction", "box"},
        {"solve $/text.dat --friction box --solver pgs", "box friction", "no answer"},
        {"solve $/text.dat", "no answer to judge", "--solver"},
        {"solve $/text.dat --tol 1e-3", "--solver", "no"},
        {"solve $/text.dat --solver pgs --tol -1", "--tol", "-1"},
        {"solve $/text.dat --solver pgs --json $/none/a.json", "--json", "/none/a.json"},
        {"solve $/text.dat --threads 0 --solver pgs", "--threads", "0"},
        {"dump", "which scene", "list scenes"},
        {"dump box_tower --out $/a.problem", "which frame", "--frame"},
        {"dump box_tower --frame 2", "where to", "--out"},
        {"dump box_tower --frame 0 --out $/a", "--frame", "[1, "},
        {"dump box_tower --frame 2 --out $/none/a", "--out", "/none/a"},
        {"dump box_towr --frame 2 --out $/a", "'box_towr'", "box_tower"},
        {"dump box_tower --frame 2 --out $/a --solver pgz", "pgz", "pgs"},
    };
    CairnProblemSource source;
    assert_ok(open_text(dense, strlen(dense), &source));
    cairn_problem_close(&source);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *call = support_call(cases[i].line);
        if (call->code != CAIRN_EXIT_USAGE || !strstr(call->err, cases[i].first) ||
            !strstr(call->err, cases[i].second)) {
            fail_msg("cairn %s: exit %d, stderr '%s' should hold '%s' and '%s'", cases[i].line, call->code, call->err,
                     cases[i].first, cases[i].second);
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_others_are_certified),
        cmocka_unit_test(global_form_is_the_same_problem),
        cmocka_unit_test(text_and_hdf5_say_the_same),
        cmocka_unit_test(solvers_reach_the_optima_of_others),
        cmocka_unit_test(cones_are_solved),
        cmocka_unit_test(problems_are_solved_as_given),
        cmocka_unit_test(variants_are_solved),
        cmocka_unit_test(sweeps_reach_the_convex_optima),
        cmocka_unit_test(momentum_reaches_all_optima),
        cmocka_unit_test(global_form_has_the_same_optimum),
        cmocka_unit_test(mlcps_are_solved_or_refused),
        cmocka_unit_test(all_storages_are_read),
        cmocka_unit_test(damaged_text_is_refused),
        cmocka_unit_test(dumps_are_solved_again),
        cmocka_unit_test(solve_prints_what_it_found),
        cmocka_unit_test(wrong_usage_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
