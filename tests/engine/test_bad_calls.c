// Bad worlds, settings, solvers, steps, queries and snapshots: every refusal has the right code, names field and value,
// and changes nothing.
#include "tests/support/support.h"
#include "tests/support/support_refusals.h"

#include "solvers/sweeps/pgs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nan_value = (double)NAN, infinity = (double)INFINITY;

static CairnStatus create_world(const CairnWorldDef *def) {
    CairnWorld *world = NULL;
    CairnStatus status = cairn_world_create(def, &world);
    cairn_world_destroy(world);
    return status;
}

static CairnStatus restore(RefusalFixture *f, size_t at, int value, size_t size) {
    unsigned char *changed = malloc(f->bytes.size);
    assert_non_null(changed);
    memcpy(changed, f->bytes.bytes, f->bytes.size);
    changed[at] = (unsigned char)(changed[at] + value);
    CairnStatus status = cairn_world_restore(f->world, changed, size);
    free(changed);
    return status;
}

static CairnStatus ray(RefusalFixture *f, CairnVec3 origin, CairnVec3 direction, double distance) {
    CairnRayHit hit;
    bool has_hit;
    return cairn_world_ray_cast(f->world, origin, direction, distance, (CairnFilter){1, 1}, &hit, &has_hit);
}

// ---- solvers and partitioners that misbehave ----

static CairnStatus never_called(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)problem, (void)parts, (void)options, (void)context, (void)lambda, (void)report;
    fail_msg("the world must refuse before it calls");
    return cairn_ok();
}

static CairnStatus solve_refusing(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)lambda, (void)report;
    return cairn_error(CAIRN_UNSUPPORTED, "moody: row_count is %d, not today", problem->row_count);
}

static CairnStatus refuse_parts(const CairnGraph *graph, const void *options, const CairnAllocator *allocator,
                                int *part, int *count) {
    (void)options, (void)allocator, (void)part, (void)count;
    return cairn_error(CAIRN_UNSUPPORTED, "scissors: node_count is %d, too hard", graph->node_count);
}

static CairnStatus bad_parts(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    (void)options, (void)allocator;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = 77;
    }
    *count = 2;
    return cairn_ok();
}

#define SOLVER(name_, traits_, solve_)                                                                                 \
    { .name = name_, .summary = "", .traits = (traits_), .solve = solve_ }
static const CairnSolver bilateral = SOLVER("bilateral", 0, never_called);
static const CairnSolver moody_solver = SOLVER("moody", CAIRN_TAKES_BOUNDS, solve_refusing);
static const CairnSolver parted_solver = SOLVER("parted", CAIRN_TAKES_BOUNDS | CAIRN_NEEDS_PARTITION, never_called);
static const CairnPartitioner refusing_partitioner = {.name = "scissors", .summary = "", .partition = refuse_parts};
static const CairnPartitioner wrong_partitioner = {.name = "wrong", .summary = "", .partition = bad_parts};

// A step with another solver; pgs comes back whatever happens.
static CairnStatus step_with(RefusalFixture *f, const CairnSolver *solver, const CairnPartitioner *partitioner) {
    CairnPgsOptions options = {.iterations = 40, .tolerance = 1e-9, .omega = 1};
    assert_ok(cairn_world_set_solver(f->world, solver, NULL));
    if (partitioner != NULL) {
        assert_ok(cairn_world_set_partitioner(f->world, partitioner, NULL));
    }
    CairnStats stats = {.bodies = -99};
    CairnStatus status = cairn_world_step(f->world, 1.0 / 60, &stats);
    assert_int_equal(stats.bodies, -99); // untouched on an error
    assert_ok(cairn_world_set_solver(f->world, &cairn_solver_pgs, &options));
    assert_ok(cairn_world_set_partitioner(f->world, cairn_partitioner_at(0), NULL));
    return status;
}

static CairnStatus set_pgs(RefusalFixture *f, int iterations, double tolerance, double omega) {
    CairnPgsOptions options = {iterations, tolerance, omega};
    return cairn_world_set_solver(f->world, &cairn_solver_pgs, &options);
}

// A friction law that pgs does not take is refused at the step, not before.
static CairnStatus step_with_friction(RefusalFixture *f, const char *law) {
    assert_ok(cairn_world_set(f->world, "friction", law));
    CairnStatus status = cairn_world_step(f->world, 1.0 / 60, NULL);
    assert_ok(cairn_world_set(f->world, "friction", "box"));
    return status;
}
#define WORLD(change)                                                                                                  \
    (void)f;                                                                                                           \
    CairnWorldDef def = cairn_world_def();                                                                             \
    change;                                                                                                            \
    return create_world(&def);
#define SET(field, value) return cairn_world_set(f->world, field, value);

// clang-format off
#define CASES(X) \
    /* worlds and settings */ \
    X(world_without_cookie, ARGUMENT, "cairn_world_def()", "", WORLD(def.cookie = 5)) \
    X(world_def_null, ARGUMENT, "def", "NULL", (void)f; return create_world(NULL);) \
    X(world_place_null, ARGUMENT, "world", "NULL", (void)f; CairnWorldDef def = cairn_world_def(); \
        return cairn_world_create(&def, NULL);) \
    X(world_half_allocator, ARGUMENT, "allocator", "release", SupportMemory m = {0}; \
        WORLD(def.allocator = support_allocator(&m); def.allocator.release = NULL)) \
    X(no_threads, ARGUMENT, "thread_count", "0", WORLD(def.thread_count = 0)) \
    X(absurd_threads, ARGUMENT, "thread_count", "100000", WORLD(def.thread_count = 100000)) \
    X(gravity_nan, ARGUMENT, "gravity", "nan", WORLD(def.gravity.y = nan_value)) \
    X(fraction_above_one, ARGUMENT, "contact_fraction", "2", WORLD(def.contact_fraction = 2)) \
    X(margin_negative, ARGUMENT, "contact_margin", "-0.1", WORLD(def.contact_margin = -0.1)) \
    X(integrator_unknown, ARGUMENT, "integrator", "8", WORLD(def.integrator = (CairnIntegrator)8)) \
    X(passes_zero, ARGUMENT, "geometric_passes", "0", WORLD(def.geometric_passes = 0)) \
    X(touch_passes_zero, ARGUMENT, "touch_passes", "0", WORLD(def.touch_passes = 0)) \
    X(set_threads_zero, ARGUMENT, "thread_count", "0", SET("thread_count", "0")) \
    X(set_fraction_nan, ARGUMENT, "joint_fraction", "nan", SET("joint_fraction", "nan")) \
    X(set_words, ARGUMENT, "contact_slop", "plenty", SET("contact_slop", "plenty")) \
    X(set_choice_unknown, CAIRN_NOT_FOUND, "cine", "cone", SET("friction", "cine")) \
    X(set_unknown_name, CAIRN_NOT_FOUND, "gravitty", "gravity", SET("gravitty", "0,0,-1")) \
    X(set_two_of_three, ARGUMENT, "gravity", "0,1", SET("gravity", "0,1")) \
    X(set_null_value, ARGUMENT, "value", "NULL", SET("gravity", NULL)) \
    X(set_null_field, ARGUMENT, "field", "NULL", SET(NULL, "1")) \
    /* solvers */ \
    X(solver_null, ARGUMENT, "solver", "NULL", return cairn_world_set_solver(f->world, NULL, NULL);) \
    X(solver_without_function, ARGUMENT, "solve", "NULL", const CairnSolver empty = {.name = "empty"}; \
        return cairn_world_set_solver(f->world, &empty, NULL);) \
    X(partitioner_null, ARGUMENT, "partitioner", "NULL", return cairn_world_set_partitioner(f->world, NULL, NULL);) \
    X(no_iterations, ARGUMENT, "iterations", "0", return set_pgs(f, 0, 1e-9, 1);) \
    X(tolerance_nan, ARGUMENT, "tolerance", "nan", return set_pgs(f, 10, nan_value, 1);) \
    X(omega_two, ARGUMENT, "omega", "2", return set_pgs(f, 10, 1e-9, 2);) \
    X(solver_unknown, CAIRN_NOT_FOUND, "pgss", "pgs", (void)f; const CairnSolver *s; \
        return cairn_solver_find("pgss", &s);) \
    X(partitioner_unknown, CAIRN_NOT_FOUND, "nome", "none", (void)f; const CairnPartitioner *p; \
        return cairn_partitioner_find("nome", &p);) \
    X(bounds_not_taken, CAIRN_UNSUPPORTED, "bilateral", "does not take", return step_with(f, &bilateral, NULL);) \
    X(friction_not_taken, CAIRN_UNSUPPORTED, "pgs", "cone friction", return step_with_friction(f, "cone");) \
    X(coulomb_not_taken, CAIRN_UNSUPPORTED, "pgs", "coulomb friction", return step_with_friction(f, "coulomb");) \
    X(solver_refuses, CAIRN_UNSUPPORTED, "moody", "not today", return step_with(f, &moody_solver, NULL);) \
    X(solver_writes_huge, CAIRN_NUMERIC, "body", "not usable", return step_with(f, &refusal_huge_solver, NULL);) \
    X(partitioner_refuses, CAIRN_UNSUPPORTED, "scissors", "too hard", \
        return step_with(f, &parted_solver, &refusing_partitioner);) \
    X(partitioner_lies, ARGUMENT, "wrong", "77", return step_with(f, &parted_solver, &wrong_partitioner);) \
    /* steps */ \
    X(step_zero, ARGUMENT, "h", "0", return cairn_world_step(f->world, 0, NULL);) \
    X(step_negative, ARGUMENT, "h", "-0.01", return cairn_world_step(f->world, -0.01, NULL);) \
    X(step_nan, ARGUMENT, "h", "nan", return cairn_world_step(f->world, nan_value, NULL);) \
    X(step_infinite, ARGUMENT, "h", "inf", return cairn_world_step(f->world, infinity, NULL);) \
    X(step_absurdly_small, ARGUMENT, "h", "1e-300", return cairn_world_step(f->world, 1e-300, NULL);) \
    X(step_null, ARGUMENT, "world", "NULL", (void)f; return cairn_world_step(NULL, 0.01, NULL);) \
    /* queries and snapshots */ \
    X(ray_without_direction, ARGUMENT, "direction", "(0, 0, 0)", return ray(f, V(0, 0, 0), V(0, 0, 0), 1);) \
    X(ray_direction_nan, ARGUMENT, "direction", "nan", return ray(f, V(0, 0, 0), V(nan_value, 0, 1), 1);) \
    X(ray_origin_nan, ARGUMENT, "origin", "nan", return ray(f, V(0, 0, nan_value), V(0, 0, 1), 1);) \
    X(ray_distance_negative, ARGUMENT, "max_distance", "-1", return ray(f, V(0, 0, 0), V(0, 0, 1), -1);) \
    X(ray_distance_nan, ARGUMENT, "max_distance", "nan", return ray(f, V(0, 0, 0), V(0, 0, 1), nan_value);) \
    X(ray_hit_null, ARGUMENT, "hit", "NULL", bool b; \
        return cairn_world_ray_cast(f->world, V(0, 0, 0), V(0, 0, 1), 1, (CairnFilter){1, 1}, NULL, &b);) \
    X(problem_null, ARGUMENT, "problem", "NULL", const double *l; return cairn_world_problem(f->world, NULL, &l);) \
    X(problem_before_a_step, CAIRN_NOT_FOUND, "problem", "no step", CairnProblem p; const double *l; \
        return cairn_world_problem(f->other, &p, &l);) \
    X(snapshot_null, ARGUMENT, "bytes", "NULL", size_t n; return cairn_world_snapshot(f->world, NULL, 10, &n);) \
    X(snapshot_small, ARGUMENT, "size", "8", unsigned char b[8]; size_t n; \
        return cairn_world_snapshot(f->world, b, sizeof b, &n);) \
    X(restore_null, ARGUMENT, "bytes", "NULL", return cairn_world_restore(f->world, NULL, 100);) \
    X(restore_nothing, CAIRN_CORRUPT, "0 bytes", "", return restore(f, 0, 0, 0);) \
    X(restore_header_only, CAIRN_CORRUPT, "size", "", return restore(f, 0, 0, 32);) \
    X(restore_not_a_snapshot, CAIRN_CORRUPT, "no snapshot", "", return restore(f, 0, 1, f->bytes.size);) \
    X(restore_version, CAIRN_UNSUPPORTED, "version", "5", return restore(f, 8, 1, f->bytes.size);) \
    X(restore_wrong_size, CAIRN_CORRUPT, "size", "", return restore(f, 0, 0, f->bytes.size - 8);) \
    X(restore_wrong_checksum, CAIRN_CORRUPT, "checksum", "", return restore(f, 24, 1, f->bytes.size);) \
    X(restore_changed, CAIRN_CORRUPT, "checksum", "", return restore(f, 200, 1, f->bytes.size);)
// clang-format on

CASES(REFUSAL_DEFINE)

static const RefusalCase cases[] = {CASES(REFUSAL_LIST)};

static void every_case_is_refused_and_nothing_happened(void **state) {
    (void)state;
    refusal_check_cases(cases, sizeof cases / sizeof cases[0]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_refused_and_nothing_happened),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
