// Out of memory: the n-th allocation fails, for every n, alone or with all that follow. Each call that meets it says so
// and leaves the world as it was; with memory back it succeeds, and the end is bit by bit the one of a run that never
// lacked any.
#include "tests/support/support.h"
#include "tests/support/support_worlds.h"

#include "solvers/sweeps/pgs.h"
#include <string.h>

enum { MOST_BODIES = 16 };

typedef struct Run {
    SupportMemory memory;
    int threads;
    CairnWorld *world;
    CairnBodyId bodies[MOST_BODIES];
    int body_count;
    CairnJointId hinge, slider;
    SupportBytes saved;
} Run;

// ---- the script: what a program does with a world, a call at a time ----

static CairnStatus create_world(Run *run) {
    CairnWorldDef def = cairn_world_def();
    def.allocator = support_allocator(&run->memory);
    def.thread_count = run->threads;
    return cairn_world_create(&def, &run->world);
}

static CairnStatus set_solver(Run *run) {
    CairnPgsOptions options = {.iterations = 20, .tolerance = 1e-9, .omega = 1};
    return cairn_world_set_solver(run->world, &cairn_solver_pgs, &options);
}

static CairnStatus set_partitioner(Run *run) {
    return cairn_world_set_partitioner(run->world, cairn_partitioner_at(cairn_partitioner_count() - 1), NULL);
}

static CairnStatus add_ground(Run *run) {
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef shape = cairn_half_space();
    def.type = CAIRN_BODY_STATIC;
    return cairn_body_add(run->world, &def, &shape, NULL);
}

// Balls and boxes in turns, a little into each other, so that contacts are there from the first step on.
static CairnStatus add_body(Run *run) {
    CairnBodyDef def = cairn_body_def();
    def.position = (CairnVec3){0.3 * (run->body_count % 2), 0.1 * (run->body_count % 3), 0.45 + 0.9 * run->body_count};
    CairnShapeDef shape = run->body_count % 2 == 0 ? cairn_box(1, 1, 1) : cairn_sphere(0.5);
    CAIRN_TRY(cairn_body_add(run->world, &def, &shape, &run->bodies[run->body_count]));
    run->body_count += 1;
    return cairn_ok();
}

static CairnStatus add_empty_body(Run *run) {
    CairnBodyDef def = cairn_body_def();
    def.position = (CairnVec3){3, 0, 0.9};
    CAIRN_TRY(cairn_body_create(run->world, &def, &run->bodies[run->body_count]));
    run->body_count += 1;
    return cairn_ok();
}

static CairnStatus add_part(Run *run) {
    CairnBodyId body = run->bodies[run->body_count - 1];
    CairnShapeDef shape = cairn_sphere(0.3);
    shape.position.x = 0.4 * cairn_body_shapes(run->world, body, NULL, 0);
    return cairn_shape_create(run->world, body, &shape, NULL);
}

static CairnStatus add_hull(Run *run) {
    static const CairnVec3 corners[] = {{0.4, 0, 0},    {-0.4, 0.1, 0}, {0, 0.4, 0},
                                        {0, -0.4, 0.1}, {0, 0, 0.5},    {0, 0, -0.4}};
    CairnShapeDef shape = cairn_hull(corners, 6);
    shape.position = (CairnVec3){0.1, 0, 0};
    return cairn_shape_create(run->world, run->bodies[run->body_count - 1], &shape, NULL);
}

static CairnStatus join(Run *run, CairnJointType type, int body, CairnJointId *id) {
    CairnJointDef def = cairn_joint_def(type);
    CairnBodyState state;
    def.body_b = run->bodies[body];
    CAIRN_TRY(cairn_body_get(run->world, def.body_b, &state));
    CAIRN_TRY(cairn_joint_place(run->world, &def, state.position, (CairnVec3){0, 0, 1}, (CairnVec3){0, 0, 0}));
    return cairn_joint_create(run->world, &def, id);
}

static CairnStatus add_hinge(Run *run) {
    return join(run, CAIRN_JOINT_REVOLUTE, 0, &run->hinge);
}

static CairnStatus add_slider(Run *run) {
    return join(run, CAIRN_JOINT_PRISMATIC, 5, &run->slider);
}

static CairnStatus add_gear(Run *run) {
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
    def.joint_a = run->hinge;
    def.joint_b = run->slider;
    def.ratio = 0.5;
    return cairn_joint_create(run->world, &def, NULL);
}

static CairnStatus step(Run *run) {
    return cairn_world_step(run->world, 1.0 / 60, NULL);
}

static CairnStatus cast_ray(Run *run) {
    CairnRayHit hit;
    bool has_hit;
    return cairn_world_ray_cast(run->world, (CairnVec3){0, 0, 99}, (CairnVec3){0, 0, -1}, 200,
                                (CairnFilter){1, UINT64_MAX}, &hit, &has_hit);
}

static CairnStatus save(Run *run) {
    support_bytes_free(&run->saved);
    run->saved = support_snapshot(run->world);
    return cairn_ok();
}

static CairnStatus restore(Run *run) {
    return cairn_world_restore(run->world, run->saved.bytes, run->saved.size);
}

static CairnStatus let_sleep(Run *run) {
    return cairn_world_set(run->world, "sleeping", "true");
}

static CairnStatus destroy_body(Run *run) {
    run->body_count -= 1;
    return cairn_body_destroy(run->world, run->bodies[run->body_count]);
}

static CairnStatus (*const script[])(Run *) = {
    create_world,   set_solver, set_partitioner, add_ground, add_body,  add_body,   add_body,
    add_body,       add_body,   add_body,        add_body,   add_body,  add_body,   add_body,
    add_empty_body, add_part,   add_part,        add_hull,   add_hinge, add_slider, add_gear,
    step,           step,       cast_ray,        save,       step,      step,       restore,
    step,           set_solver, destroy_body,    step,       add_body,  let_sleep,  step,
    step,           save,       restore,         step,
};
enum { SCRIPT_LENGTH = sizeof script / sizeof script[0] };

static void call_again_with_memory(Run *run, int call, const SupportBytes *before, CairnStatus status) {
    if (status.code != CAIRN_OUT_OF_MEMORY || status.message[0] == '\0') {
        fail_msg("call %d answered \"%s: %s\"", call, cairn_code_name(status.code), status.message);
    }
    if (before->bytes != NULL) {
        SupportBytes after = support_snapshot(run->world);
        if (!support_same_bytes(before, &after)) {
            fail_msg("call %d changed the world", call);
        }
        support_bytes_free(&after);
    } else {
        assert_null(run->world);
        assert_memory_clean(&run->memory);
    }
    run->memory.fail_from = run->memory.fail_only = 0;
    assert_ok(script[call](run));
}

// Returns the hash at the end; *refused says whether any allocation was.
static uint64_t play(int threads, int fail_from, int fail_only, bool *refused) {
    Run run = {.memory = {.fail_from = fail_from, .fail_only = fail_only}, .threads = threads};
    for (int call = 0; call < SCRIPT_LENGTH; call++) {
        SupportBytes before = run.world != NULL ? support_snapshot(run.world) : (SupportBytes){NULL, 0};
        CairnStatus status = script[call](&run);
        if (!cairn_is_ok(status)) {
            call_again_with_memory(&run, call, &before, status);
        }
        support_bytes_free(&before);
    }
    uint64_t hash = cairn_world_state_hash(run.world);
    *refused = run.memory.refused > 0;
    cairn_world_destroy(run.world);
    support_bytes_free(&run.saved);
    assert_memory_clean(&run.memory);
    return hash;
}

static void every_single_allocation_may_fail(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        bool refused;
        uint64_t wanted = play(threads, 0, 0, &refused);
        assert_false(refused);
        int n = 1;
        for (refused = true; refused; n++) {
            assert_int_equal(play(threads, 0, n, &refused), wanted);
        }
        assert_true(n > 30); // else the script asks for nothing
    }
}

static void every_allocation_from_one_on_may_fail(void **state) {
    (void)state;
    bool refused;
    uint64_t wanted = play(1, 0, 0, &refused);
    int n = 1;
    for (refused = true; refused; n++) {
        assert_int_equal(play(1, n, 0, &refused), wanted);
    }
    assert_true(n > 30);
}

// ---- a settled step asks for nothing ----

static void a_settled_step_allocates_nothing(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        for (int threads = 1; threads <= 2; threads++) {
            SupportMemory memory = {0};
            CairnAllocator allocator = support_allocator(&memory);
            CairnWorld *world = support_scene_world((SupportScene)scene, &allocator, threads);
            support_run(world, scene == SUPPORT_CHAIN ? 1000 : 400); // the chain whips for long, and meets ever more
            int calls = memory.calls, releases = memory.releases;
            for (int i = 0; i < 40; i++) {
                CairnStats stats;
                assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
                if (stats.allocations != 0) {
                    print_error("%s: %d allocations in step %d\n", support_scene_name((SupportScene)scene),
                                stats.allocations, 401 + i);
                }
                assert_int_equal(stats.allocations, 0);
            }
            assert_int_equal(memory.calls, calls);
            assert_int_equal(memory.releases, releases);
            cairn_world_destroy(world);
            assert_memory_clean(&memory);
        }
    }
}

// The count of the statistics is the allocator's own.
static void the_statistics_count_every_call(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnWorld *world = support_scene_world(SUPPORT_PILE, &allocator, 1);
    for (int i = 0; i < 30; i++) {
        int before = memory.calls + memory.releases;
        CairnStats stats;
        assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
        assert_int_equal(stats.allocations, memory.calls + memory.releases - before);
        assert_true(i > 0 || stats.allocations > 0);
    }
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_single_allocation_may_fail),
        cmocka_unit_test(every_allocation_from_one_on_may_fail),
        cmocka_unit_test(a_settled_step_allocates_nothing),
        cmocka_unit_test(the_statistics_count_every_call),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
