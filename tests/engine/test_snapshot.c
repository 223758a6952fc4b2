// Snapshots: bit-identical continuation anywhere, bytes that stay what they are, and no damage that does harm.
#include "solvers/sweeps/pgs.h"
#include "tests/support/support.h"
#include "tests/support/support_worlds.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 32, WARM_UP = 50, RUN = 100 };

// ---- continuation ----

static void the_same_world_continues(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        CairnWorld *world = support_scene_world((SupportScene)scene, NULL, 1);
        support_run(world, WARM_UP);
        SupportBytes bytes = support_snapshot(world);
        support_run(world, RUN);
        SupportBytes end = support_snapshot(world);
        assert_ok(cairn_world_restore(world, bytes.bytes, bytes.size));
        SupportBytes again = support_snapshot(world);
        assert_true(support_same_bytes(&again, &bytes));
        support_run(world, RUN);
        SupportBytes second_end = support_snapshot(world);
        assert_true(support_same_bytes(&second_end, &end));
        support_bytes_free(&bytes);
        support_bytes_free(&end);
        support_bytes_free(&again);
        support_bytes_free(&second_end);
        cairn_world_destroy(world);
    }
}

static void another_world_continues(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        CairnWorld *world = support_scene_world((SupportScene)scene, NULL, 1), *other = NULL;
        support_run(world, WARM_UP);
        SupportBytes bytes = support_snapshot(world);
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        assert_ok(support_world_create(&allocator, 2, &other));
        assert_ok(cairn_world_restore(other, bytes.bytes, bytes.size));
        assert_int_equal(cairn_world_settings(other).thread_count, 2); // the machine's affair stays
        support_run(world, RUN);
        support_run(other, RUN);
        SupportBytes a = support_snapshot(world), b = support_snapshot(other);
        assert_true(support_same_bytes(&a, &b));
        assert_int_equal(cairn_world_state_hash(world), cairn_world_state_hash(other));
        assert_int_equal(cairn_world_step_index(other), WARM_UP + RUN);
        support_bytes_free(&bytes);
        support_bytes_free(&a);
        support_bytes_free(&b);
        cairn_world_destroy(world);
        cairn_world_destroy(other);
        assert_memory_clean(&memory);
    }
}

enum { TWIN_MOST = 64 };

// A world of bodies and joints of all kinds, in which a slot has had a second body, and another world that was restored
// from its snapshot.
static CairnWorld *restored_twin(CairnWorld **twin) {
    CairnWorld *world = support_scene_world(SUPPORT_MIXED, NULL, 1);
    CairnBodyId bodies[TWIN_MOST];
    int count = cairn_world_bodies(world, bodies, TWIN_MOST);
    assert_ok(cairn_body_destroy(world, bodies[2])); // leaves a generation and a free slot behind
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef ball = cairn_sphere(0.1);
    def.position.z = 9;
    assert_ok(cairn_body_add(world, &def, &ball, NULL));
    assert_int_equal(cairn_world_bodies(world, bodies, TWIN_MOST), count);
    support_run(world, 10);
    SupportBytes bytes = support_snapshot(world);
    assert_ok(support_world_create(NULL, 1, twin));
    assert_ok(cairn_world_restore(*twin, bytes.bytes, bytes.size));
    support_bytes_free(&bytes);
    return world;
}

// Ids carry the tag of their world: those of the new world come from its listing, with the index and generation that
// the old one had.
static void ids_belong_to_the_new_world(void **state) {
    (void)state;
    CairnWorld *other, *world = restored_twin(&other);
    CairnBodyId before[TWIN_MOST], after[TWIN_MOST];
    int count = cairn_world_bodies(world, before, TWIN_MOST);
    assert_int_equal(cairn_world_bodies(other, after, TWIN_MOST), count);
    for (int i = 0; i < count; i++) {
        CairnBodyState a, b;
        assert_int_equal(after[i].index, before[i].index);
        assert_int_equal(after[i].generation, before[i].generation);
        assert_int_not_equal(after[i].world, before[i].world);
        assert_refused(cairn_body_get(other, before[i], &b), CAIRN_INVALID_ID, "another world");
        assert_ok(cairn_body_get(world, before[i], &a));
        assert_ok(cairn_body_get(other, after[i], &b));
        assert_memory_equal(&a.position, &b.position, sizeof a.position);
        assert_memory_equal(&a.mass, &b.mass, sizeof a.mass);
    }
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void ids_in_definitions_belong_to_the_new_world(void **state) {
    (void)state;
    CairnWorld *other, *world = restored_twin(&other);
    CairnJointId joints[TWIN_MOST];
    int joint_count = cairn_world_joints(other, joints, TWIN_MOST);
    assert_true(joint_count > 5 && joint_count <= TWIN_MOST);
    for (int j = 0; j < joint_count; j++) {
        CairnJointDef joint;
        assert_ok(cairn_joint_get_def(other, joints[j], &joint));
        if (joint.type == CAIRN_JOINT_GEAR) {
            CairnJointState unused;
            assert_ok(cairn_joint_get(other, joint.joint_a, &unused));
            assert_ok(cairn_joint_get(other, joint.joint_b, &unused));
        } else {
            assert_true(cairn_body_is_null(joint.body_a) || cairn_body_is_alive(other, joint.body_a));
            assert_true(cairn_body_is_alive(other, joint.body_b));
        }
    }
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void a_restored_world_can_be_emptied(void **state) {
    (void)state;
    CairnWorld *other, *world = restored_twin(&other);
    CairnBodyId bodies[TWIN_MOST];
    int count = cairn_world_bodies(other, bodies, TWIN_MOST);
    for (int i = 0; i < count; i++) {
        assert_ok(cairn_body_destroy(other, bodies[i]));
    }
    assert_int_equal(cairn_world_bodies(other, bodies, TWIN_MOST), 0);
    support_run(other, 1);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

// Forces that wait for the next step and changed settings are part of the state.
static void settings_and_forces_are_kept(void **state) {
    (void)state;
    CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1), *other = NULL;
    CairnBodyId ids[4];
    cairn_world_bodies(world, ids, 4);
    assert_ok(cairn_world_set(world, "gravity", "0,1,-3"));
    assert_ok(cairn_world_set(world, "integrator", "midpoint"));
    assert_ok(cairn_body_apply_force(world, ids[3], (CairnVec3){100, 200, 30000}));
    assert_ok(cairn_body_apply_torque(world, ids[3], (CairnVec3){7, 8, 9}));
    SupportBytes bytes = support_snapshot(world);
    assert_ok(support_world_create(NULL, 1, &other));
    assert_ok(cairn_world_restore(other, bytes.bytes, bytes.size));
    assert_near(cairn_world_settings(other).gravity.z, -3, 0);
    support_run(world, 5);
    support_run(other, 5);
    assert_int_equal(cairn_world_state_hash(world), cairn_world_state_hash(other));
    support_bytes_free(&bytes);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

// ---- bytes ----

// One ball that fell for one step: the smallest world in which something happened.
static CairnWorld *tiny_world(const CairnAllocator *allocator) {
    CairnWorld *world = NULL;
    assert_ok(support_world_create(allocator, 1, &world));
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef ball = cairn_sphere(0.5);
    def.position = (CairnVec3){1, 2, 3};
    assert_ok(cairn_body_add(world, &def, &ball, NULL));
    assert_ok(cairn_world_step(world, 1.0 / 64, NULL));
    return world;
}

// Damage is looked for, not convergence.
static void hurry(CairnWorld *world) {
    CairnPgsOptions options = {.iterations = 4, .tolerance = 1e-9, .omega = 1};
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, &options));
}

static uint64_t number_at(const SupportBytes *bytes, size_t at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes->bytes[at + (size_t)i] << (8 * i);
    }
    return value;
}

// A snapshot is the same on any machine: what a tiny world's bytes are is pinned here. Where a field joins a definition
// or a record these two numbers change with it; a released version that is to be read for ever raises VERSION in
// snapshot.c too.
static const uint64_t golden_size = 0x3f8, golden_checksum = 0x7a0ac86250133f02u;

static void golden_bytes_stay(void **state) {
    (void)state;
    CairnWorld *world = tiny_world(NULL);
    SupportBytes bytes = support_snapshot(world);
    const unsigned char opening[16] = {'C', 'I', 'R', 'N', 'S', 'N', 'A', 'P', 5, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(bytes.bytes, opening, sizeof opening);
    assert_int_equal(bytes.size, HEADER + number_at(&bytes, 16));
    uint64_t size = number_at(&bytes, 16), checksum = number_at(&bytes, 24);
    if (size != golden_size || checksum != golden_checksum) {
        print_error("the payload is of 0x%llx bytes with the checksum 0x%llx\n", (unsigned long long)size,
                    (unsigned long long)checksum);
    }
    assert_int_equal(size, golden_size);
    assert_int_equal(checksum, golden_checksum);
    support_bytes_free(&bytes);
    cairn_world_destroy(world);
}

static void sizes_are_checked(void **state) {
    (void)state;
    CairnWorld *world = tiny_world(NULL);
    SupportBytes bytes = support_snapshot(world);
    size_t written = 99;
    assert_refused(cairn_world_snapshot(world, bytes.bytes, bytes.size - 1, &written), CAIRN_INVALID_ARGUMENT, "size");
    assert_int_equal(written, 99);
    SupportBytes larger = {malloc(bytes.size + 10), bytes.size + 10};
    assert_non_null(larger.bytes);
    memset(larger.bytes, 0x77, larger.size);
    assert_ok(cairn_world_snapshot(world, larger.bytes, larger.size, &written));
    assert_int_equal(written, bytes.size);
    assert_memory_equal(larger.bytes, bytes.bytes, bytes.size);
    assert_int_equal(larger.bytes[bytes.size], 0x77);
    assert_refused(cairn_world_restore(world, larger.bytes, larger.size), CAIRN_CORRUPT, "size");
    support_bytes_free(&bytes);
    support_bytes_free(&larger);
    cairn_world_destroy(world);
}

// ---- damage ----

static void refuse_all(CairnWorld *world, const SupportBytes *damaged, const SupportBytes *before) {
    CairnStatus status = cairn_world_restore(world, damaged->bytes, damaged->size);
    assert_true(status.code == CAIRN_CORRUPT || status.code == CAIRN_UNSUPPORTED);
    assert_true(status.message[0] != '\0');
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(before, &after));
    support_bytes_free(&after);
}

// The bytes lie in memory of their very length, so that a read beyond it shows under the address sanitizer.
static void every_truncation_is_refused(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnWorld *world = tiny_world(&allocator);
    SupportBytes before = support_snapshot(world);
    for (size_t size = 1; size < before.size; size++) {
        SupportBytes cut = {malloc(size), size};
        assert_non_null(cut.bytes);
        memcpy(cut.bytes, before.bytes, size);
        refuse_all(world, &cut, &before);
        if (size > HEADER) { // the same, with a header that agrees
            support_fix_checksum(&cut);
            refuse_all(world, &cut, &before);
        }
        support_bytes_free(&cut);
    }
    support_bytes_free(&before);
    cairn_world_destroy(world);
    assert_memory_clean(&memory);
}

static void every_changed_byte_is_refused(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnWorld *world = tiny_world(&allocator);
    SupportBytes before = support_snapshot(world), damaged = support_snapshot(world);
    uint64_t random = 3;
    for (size_t at = 0; at < before.size; at++) {
        damaged.bytes[at] ^= (unsigned char)support_int(&random, 1, 255);
        refuse_all(world, &damaged, &before);
        damaged.bytes[at] = before.bytes[at];
    }
    support_bytes_free(&before);
    support_bytes_free(&damaged);
    cairn_world_destroy(world);
    assert_memory_clean(&memory);
}

// A number that does the most harm where it stands: limits, infinities, NaN, small indices.
static uint64_t harmful(uint64_t *random) {
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      0x7fffffff,
                                      0xffffffff,
                                      0x80000000,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0x7ff8000000000000,
                                      0x7fefffffffffffff,
                                      0x0000000000000001,
                                      0x8000000000000000,
                                      0x3ff0000000000000,
                                      0xbff0000000000000};
    int count = (int)(sizeof values / sizeof values[0]);
    int k = support_int(random, 0, count + 1);
    return k < count ? values[k] : (uint64_t)support_int(random, 0, 80);
}

static void damage(SupportBytes *bytes, uint64_t *random) {
    int hits = support_int(random, 1, 3);
    for (int i = 0; i < hits; i++) {
        if (support_int(random, 0, 1) == 0) {
            size_t at = HEADER + (size_t)support_random(random) % (bytes->size - HEADER);
            bytes->bytes[at] ^= (unsigned char)(1u << support_int(random, 0, 7));
        } else {
            size_t at = HEADER + 8 * ((size_t)support_random(random) % ((bytes->size - HEADER) / 8));
            uint64_t value = harmful(random);
            for (int k = 0; k < 8; k++) {
                bytes->bytes[at + (size_t)k] = (unsigned char)(value >> (8 * k));
            }
        }
    }
    support_fix_checksum(bytes);
}

// Whatever was accepted is a world: it can be read, stepped or refuse the step in words, saved and taken apart.
static void use(CairnWorld *world) {
    enum { MOST = 64 };
    CairnBodyId bodies[MOST];
    CairnJointId joints[MOST];
    CairnContact contacts[MOST];
    CairnRayHit hit;
    bool has_hit;
    (void)cairn_world_contacts(world, contacts, MOST);
    int joint_count = cairn_world_joints(world, joints, MOST);
    for (int j = 0; j < joint_count && j < MOST; j++) {
        CairnJointState joint;
        assert_ok(cairn_joint_get(world, joints[j], &joint));
    }
    assert_ok(cairn_world_ray_cast(world, (CairnVec3){0, 0, 9}, (CairnVec3){0.1, 0, -1}, 100,
                                   (CairnFilter){1, UINT64_MAX}, &hit, &has_hit));
    for (int i = 0; i < 2; i++) {
        CairnStatus status = cairn_world_step(world, 1.0 / 60, NULL);
        assert_true(status.code == CAIRN_OK || status.message[0] != '\0');
    }
    int body_count = cairn_world_bodies(world, bodies, MOST);
    if (body_count > 0) {
        assert_ok(cairn_body_destroy(world, bodies[(body_count < MOST ? body_count : MOST) / 2]));
    }
}

// A scene after some steps, thinned out: quick to step, and with free slots behind it.
static SupportBytes small_snapshot(SupportScene scene) {
    enum { MOST = 128, KEPT = 10 };
    CairnWorld *world = support_scene_world(scene, NULL, 1);
    CairnBodyId bodies[MOST];
    int count = cairn_world_bodies(world, bodies, MOST);
    support_run(world, 30);
    for (int i = KEPT; i < count; i++) {
        assert_ok(cairn_body_destroy(world, bodies[i]));
    }
    support_run(world, 2);
    SupportBytes bytes = support_snapshot(world);
    cairn_world_destroy(world);
    return bytes;
}

// Random damage under a right checksum reaches the checks inside.
static void damage_with_a_right_checksum_does_no_harm(void **state) {
    (void)state;
    const int trials = (support_is_long() ? 200000 : support_rounds(20000, 4000)) / SUPPORT_SCENE_COUNT;
    uint64_t random = 11;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        CairnWorld *world = NULL;
        SupportBytes good = small_snapshot((SupportScene)scene), damaged = {malloc(good.size), good.size};
        assert_non_null(damaged.bytes);
        assert_ok(support_world_create(&allocator, 1, &world));
        hurry(world);
        int accepted = 0;
        for (int trial = 0; trial < trials; trial++) {
            memcpy(damaged.bytes, good.bytes, good.size);
            damage(&damaged, &random);
            if (cairn_is_ok(cairn_world_restore(world, damaged.bytes, damaged.size))) {
                accepted += 1;
                use(world);
            }
        }
        assert_true(accepted > trials / 20 && accepted < trials); // else the damage tested nothing
        support_bytes_free(&good);
        support_bytes_free(&damaged);
        cairn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_world_continues),
        cmocka_unit_test(another_world_continues),
        cmocka_unit_test(ids_belong_to_the_new_world),
        cmocka_unit_test(ids_in_definitions_belong_to_the_new_world),
        cmocka_unit_test(a_restored_world_can_be_emptied),
        cmocka_unit_test(settings_and_forces_are_kept),
        cmocka_unit_test(golden_bytes_stay),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused),
        cmocka_unit_test(damage_with_a_right_checksum_does_no_harm),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
