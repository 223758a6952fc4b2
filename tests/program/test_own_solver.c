// One door to a solve: the same problem gives the same bits of lambda in a world, in compare, in solve and from a dump.
// And solvers, partitioners and refiners of a user's own come from files through it, in every command that takes one.
#include "demos/program/cli/program.h"
#include "demos/program/compare/compare.h"
#include "engine/base/hash.h"
#include "engine/base/memory.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <cairn/problem_file.h>
#include <cairn/products.h>
#include <cairn/solve.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_holds(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

static void text(const char *json, const char *path, char value[64]) {
    if (!support_json_text(json, path, value, 64)) {
        fail_msg("there is no text at %s", path);
    }
}

static bool same_bits(const double *a, const double *b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void assert_same_answers(const char *what, const char *where, const double *a, const double *b, int count) {
    if (!same_bits(a, b, count)) {
        fail_msg("%s: %s has other impulses than the world", what, where);
    }
}

// ---- the same bits everywhere ----

static void open_session(const char *scene, const char *solver, CairnSession *session) {
    CairnRunOptions options = cairn_run_options();
    options.scene = scene;
    options.solver = solver;
    assert_ok(cairn_session_open(&options, session));
}

// What a world solved, solved again beside it from what it began with.
static void solve_again(const CairnSession *session, const CairnProblem *problem, const CairnSolveStart *start,
                        double *lambda) {
    const CairnSolveRequest request = {.solver = session->choice.solver,
                                       .options = session->choice.options,
                                       .partition = cairn_session_partition(session),
                                       .velocity = start->velocity,
                                       .is_rough = start->is_rough};
    memcpy(lambda, start->lambda, (size_t)problem->row_count * sizeof *lambda);
    assert_ok(cairn_problem_solve(problem, &request, lambda, NULL));
}

// The file of a dump holds what the world had, and `cairn solve` gets the world's answer from it.
static void check_dump(const char *scene, const char *solver, int frame, const CairnSession *session,
                       const CairnSolveStart *start, const double *lambda) {
    char line[512], hash[64], wanted[64];
    static char bytes[1 << 22];
    char path[128];
    CairnStoredProblem stored;
    snprintf(line, sizeof line, "dump %s --solver %s --frame %d --out $/frame.bin --quiet", scene, solver, frame);
    support_call_well(line);
    support_path("frame.bin", path, sizeof path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_ok(cairn_problem_file_read(bytes, size, NULL, &stored));
    int rows = stored.problem.row_count;
    assert_true(same_bits(stored.start.lambda, start->lambda, rows));
    assert_true(same_bits(stored.start.velocity, start->velocity, stored.problem.dof_count));
    assert_true(stored.start.is_rough == start->is_rough);
    assert_same_answers(solver, "the dump", stored.answer, lambda, rows);
    double *again = calloc((size_t)rows, sizeof *again);
    assert_non_null(again);
    solve_again(session, &stored.problem, &stored.start, again);
    assert_same_answers(solver, "a solve of the dump", again, lambda, rows);
    snprintf(line, sizeof line, "solve $/frame.bin --warm --solver %s --quiet --json -", solver);
    text(support_call_well(line)->out, "results.0.lambda_hash", hash);
    snprintf(wanted, sizeof wanted, "%016" PRIx64, cairn_hash_bytes(lambda, (size_t)rows * sizeof *lambda));
    assert_string_equal(hash, wanted);
    free(again);
    cairn_stored_problem_free(&stored);
}

// A scene and a solver, up to a frame: in each of them compare's reference has the world's impulses, in the last of
// them so do the rest.
static void check_solver(const char *scene, const char *solver, int frames) {
    CairnSession session;
    CairnLockstep lockstep;
    CairnContender contender = {.choice = {.solver = NULL}};
    CairnAllocator allocator = cairn_memory_default();
    CairnProblem problem;
    CairnSolveStart start;
    CairnStats stats;
    const double *lambda = NULL;
    open_session(scene, solver, &session);
    assert_ok(cairn_world_set(session.world, "touch_passes", "1")); // compare solves once a frame
    assert_ok(cairn_world_set(session.world, "contact_passes", "1"));
    cairn_lockstep_open(&lockstep, &allocator);
    cairn_arena_init(&contender.arena, &allocator);
    assert_ok(cairn_choice_open(solver, "--solvers", &contender.choice));
    assert_ok(cairn_tally_create(&contender.tally, frames));
    for (int frame = 1; frame <= frames; frame++) {
        assert_ok(cairn_session_step(&session, &stats));
        assert_ok(cairn_lockstep_frame(&lockstep, &session, &stats, &contender, 1));
        assert_ok(contender.ended);
        assert_ok(cairn_world_problem(session.world, &problem, &lambda));
        assert_same_answers(solver, "compare", contender.lambda, lambda, problem.row_count);
    }
    assert_ok(cairn_world_problem_start(session.world, &start));
    double *again = calloc((size_t)problem.row_count, sizeof *again);
    assert_non_null(again);
    solve_again(&session, &problem, &start, again);
    assert_same_answers(solver, "a solve beside it", again, lambda, problem.row_count);
    free(again);
    cairn_contender_close(&contender, &allocator);
    cairn_lockstep_close(&lockstep);
    cairn_session_close(&session);

    open_session(scene, solver, &session); // as dump runs it
    for (int frame = 1; frame <= frames; frame++) {
        assert_ok(cairn_session_step(&session, &stats));
    }
    assert_ok(cairn_world_problem(session.world, &problem, &lambda));
    assert_ok(cairn_world_problem_start(session.world, &start));
    check_dump(scene, solver, frames, &session, &start, lambda);
    cairn_session_close(&session);
}

static void one_problem_has_one_answer_everywhere(void **state) {
    (void)state;
    static const struct {
        const char *scene, *solver;
    } cases[] = {
        {"box_tower", "bpp"},
        {"box_tower", "ipm"},
        {"box_tower", "pgs:iterations=50"},
        {"box_tower", "schur-bpp"},
        {"box_tower", "psor"},
        {"domino_row", "subadmm"},
        {"ragdoll", "subadmm"},
        {"ragdoll", "bpp"},
        {"spider_robot", "fadmm"},
        {"box_tower", "examples/my_solver.c:iterations=300"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_solver(cases[k].scene, cases[k].solver, 12);
    }
}

// A solver that reads the velocities at the start gets them in compare as in the world: without them its answer is
// another one.
static void velocities_at_the_start_matter(void **state) {
    (void)state;
    CairnSession session;
    CairnProblem problem;
    CairnSolveStart start;
    const double *lambda;
    open_session("ragdoll", "subadmm", &session);
    for (int frame = 1; frame <= 12; frame++) {
        assert_ok(cairn_session_step(&session, NULL));
    }
    assert_ok(cairn_world_problem(session.world, &problem, &lambda));
    assert_ok(cairn_world_problem_start(session.world, &start));
    double *again = calloc((size_t)problem.row_count, sizeof *again);
    assert_non_null(again);
    start.velocity = NULL;
    solve_again(&session, &problem, &start, again);
    assert_false(same_bits(again, lambda, problem.row_count));
    free(again);
    cairn_session_close(&session);
}

static void there_is_no_start_before_a_step(void **state) {
    (void)state;
    CairnSession session;
    CairnSolveStart start;
    open_session("falling_box", NULL, &session);
    assert_refused(cairn_world_problem_start(session.world, &start), CAIRN_NOT_FOUND, "no step");
    assert_refused(cairn_world_problem_start(session.world, NULL), CAIRN_INVALID_ARGUMENT, "start is NULL");
    assert_ok(cairn_session_step(&session, NULL));
    assert_ok(cairn_world_problem_start(session.world, &start)); // the box falls: no rows
    assert_null(start.lambda);
    assert_null(start.velocity);
    cairn_session_close(&session);
}

// ---- files ----

// Compile a shared object into the test's folder with the system's compiler.
static void compile(const char *source, const char *name) {
    char line[512];
    const char *compiler = getenv("CC");
    snprintf(line, sizeof line, "%s -std=c17 -O2 -ffp-contract=off -shared -fPIC -Iinclude -o %s/%s %s",
             compiler ? compiler : "cc", support_folder(), name, source);
    if (system(line) != 0) {
        fail_msg("cannot compile: %s", line);
    }
}

static void compile_text(const char *words, const char *name) {
    char source[128];
    support_path("text.c", source, sizeof source);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(words, file);
    fclose(file);
    compile(source, name);
}

static void a_solver_from_a_file_works_in_every_command(void **state) {
    (void)state;
    char name[64], hash[64], other[64];
    compile("examples/my_solver.c", "mine.so");
    SupportCall *call =
        support_call_well("run domino_row --steps 10 --quiet --json - --solver $/mine.so:iterations=300");
    text(call->out, "solver", name);
    assert_string_equal(name, "my_solver");
    text(call->out, "state_hash", hash);
    call =
        support_call_well("run domino_row --steps 10 --quiet --json - --solver examples/my_solver.c --iterations 300");
    text(call->out, "state_hash", other);
    assert_string_equal(hash, other);
    call = support_call_well("run domino_row --steps 10 --quiet --json - --solver $/mine.so:iterations=300,scale=9");
    text(call->out, "state_hash", other);
    assert_string_not_equal(hash, other);

    call = support_call_well(
        "compare box_tower --steps 5 --quiet --json - --solvers bpp,$/mine.so:scale=9,tolerance=1e-6");
    text(call->out, "results.1.solver", name);
    assert_string_equal(name, "my_solver");
    support_call_well("dump box_tower --frame 4 --out $/own.bin --solver $/mine.so --quiet");
    call = support_call_well("solve $/own.bin --solver $/mine.so --warm --quiet --json -");
    text(call->out, "results.0.outcome", name);
    assert_string_equal(name, "converged");

    // A recording brings the file's name along.
    support_call_well("run domino_row --steps 6 --quiet --solver $/mine.so:iterations=300 --record $/own.rec");
    assert_holds(support_call_well("replay $/own.rec")->out, "the same to the bit: 6 of 6");
}

static void a_solver_from_a_file_is_a_worlds_own(void **state) {
    (void)state;
    CairnChoice choice;
    CairnSession session;
    CairnStats stats;
    assert_ok(cairn_choice_open("examples/my_solver.c:tolerance=1e-11", "--solver", &choice));
    assert_string_equal(choice.solver->name, "my_solver");
    open_session("pendulum_chain", "bpp", &session);
    assert_ok(cairn_world_set_solver(session.world, choice.solver, choice.options));
    assert_ok(cairn_session_step(&session, &stats));
    assert_true(stats.solve.iterations > 0);
    cairn_session_close(&session);
    cairn_choice_close(&choice);
}

static void parts_come_from_files(void **state) {
    (void)state;
    compile("examples/my_partitioner.c", "parts.so");
    compile_text("#include <cairn/partitioner.h>\n"
                 "static CairnStatus refine(const CairnGraph *g, const void *o, const CairnAllocator *a, int *part,\n"
                 "    int *count) { (void)o; (void)a; for (int i = 0; i < g->node_count; i++) { part[i] = 0; }\n"
                 "    *count = g->node_count > 0; return cairn_ok(); }\n"
                 "const CairnRefiner cairn_refiner = {\"one\", \"all in one\", NULL, refine};\n",
                 "one.so");
    SupportCall *call = support_call_well(
        "run box_tower --steps 3 --quiet --json - --solver schur-bpp --partition $/parts.so:part_size=3");
    char name[64];
    text(call->out, "partition", name);
    assert_string_equal(name, "my_partitioner");
    assert_near(support_json_number(call->out, "parts.mean"), 4, 0); // of ten boxes
    call = support_call_well("run box_tower --steps 3 --quiet --json - --solver schur-bpp --part-size 5 "
                             "--partition examples/my_partitioner.c --refine $/one.so");
    text(call->out, "refine", name);
    assert_string_equal(name, "one");
    assert_near(support_json_number(call->out, "parts.mean"), 1, 0);
    support_call_well("compare box_tower --steps 3 --quiet --solvers bpp,schur-bpp --partition $/parts.so:part_size=2");
    support_call_well("dump box_tower --frame 3 --out $/parted.bin --quiet");
    support_call_well("solve $/parted.bin --solver schur-bpp --partition $/parts.so:part_size=2 --refine $/one.so "
                      "--certified --quiet");
    support_call_well("run box_tower --steps 6 --quiet --solver schur-bpp --partition $/parts.so:part_size=3 "
                      "--refine $/one.so --record $/parts.rec");
    assert_holds(support_call_well("replay $/parts.rec")->out, "the same to the bit: 6 of 6");
}

// A solver that needs no parts gets one, in lockstep beside solvers that need some as in a step of its own.
static void who_needs_no_parts_gets_one(void **state) {
    (void)state;
    compile_text(
        "#include <cairn/solver.h>\n"
        "static CairnStatus solve(const CairnProblem *p, const CairnParts *parts, const void *o,\n"
        "    CairnSolverContext *c, double *lambda, CairnSolveReport *report) {\n"
        "    (void)p; (void)o; (void)c; (void)lambda; report->iterations = parts->count;\n"
        "    return cairn_ok(); }\n"
        "const CairnSolver cairn_solver = {.name = \"counts\", .summary = \"\", .traits = CAIRN_TAKES_BOUNDS,\n"
        "    .solve = solve};\n",
        "counts.so");
    SupportCall *call =
        support_call_well("compare box_tower --steps 3 --quiet --json - --part-size 2 --solvers schur-bpp,$/counts.so");
    assert_true(support_json_number(call->out, "results.0.parts.mean") > 1);
    assert_near(support_json_number(call->out, "results.1.iterations.mean"), 1, 0);
}

static void assert_usage(const char *line, const char *words) {
    SupportCall *call = support_call(line);
    if (call->code != CAIRN_EXIT_USAGE) {
        fail_msg("cairn %s: exit %d: %s", line, call->code, call->err);
    }
    assert_holds(call->err, words);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    compile("examples/my_partitioner.c", "parts.so");
    compile_text("const struct { const char *name; int version; } cairn_solver = {\"old\", 1};\n", "old.so");
    compile_text("#include <cairn/solver.h>\nconst CairnSolver cairn_solver = {.name = \"s\", .summary = \"\"};\n",
                 "empty.so");
    compile_text("#include <cairn/solver.h>\nconst CairnSolver cairn_solver = {.summary = \"\"};\n", "nameless.so");
    static const char *const commands[] = {"run falling_box --solver", "compare falling_box --solvers",
                                           "solve none.bin --solver", "dump falling_box --frame 1 --out x --solver"};
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        static const char *const files[][2] = {
            {"./nothing.so", "solver file ./nothing.so: there is no such file"},
            {"$/nothing.c", "nothing.c: No such file"},
            {"$/parts.so", "does not export the symbol cairn_solver"},
            {"$/old.so", "16 bytes, this program's CairnSolver has"},
            {"$/empty.so", "cairn_solver has no function"},
            {"$/nameless.so", "cairn_solver has no name"},
            {"./README.so", "there is no such file"},
            {"examples/my_solver.c:speed=3", "unknown option 'speed'"},
            {"examples/my_solver.c:iterations=0", "iterations"},
        };
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            char line[256];
            snprintf(line, sizeof line, "%s %s", commands[k], files[i][0]);
            assert_usage(line, files[i][1]);
        }
    }
    assert_usage("run falling_box --solver schur-bpp --partition ./nothing.so", "option --partition: partitioner file");
    assert_usage("run falling_box --solver schur-bpp --partition examples/my_solver.c", "the symbol cairn_partitioner");
    assert_usage("run falling_box --solver schur-bpp --refine $/parts.so", "the symbol cairn_refiner");
    assert_usage("run falling_box --solver schur-bpp --partition nothing", "(cairn list partitioners)");
    assert_usage("run box_tower --friction cone --solver examples/my_solver.c",
                 "my_solver does not take cone friction");
    char path[128];
    support_path("broken.c", path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("undeclared = 3;\n#error no\n", file);
    fclose(file);
    assert_usage("run falling_box --solver $/broken.c", "solver file");
    assert_usage("run falling_box --solver $/broken.c", "does not compile");
}

// What a file's solver calls must be linked into this test, which stands for the whole program.
static CairnStatus (*volatile needed)(const CairnProblem *, CairnSolverContext *,
                                      const CairnProducts **) = cairn_products_make;

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_problem_has_one_answer_everywhere),
        cmocka_unit_test(velocities_at_the_start_matter),
        cmocka_unit_test(there_is_no_start_before_a_step),
        cmocka_unit_test(a_solver_from_a_file_works_in_every_command),
        cmocka_unit_test(a_solver_from_a_file_is_a_worlds_own),
        cmocka_unit_test(parts_come_from_files),
        cmocka_unit_test(who_needs_no_parts_gets_one),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return needed ? cmocka_run_group_tests(tests, support_folder_make, support_folder_remove) : 1;
}
