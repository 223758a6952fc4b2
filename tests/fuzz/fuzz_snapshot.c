// Arbitrary payloads under a right checksum for cairn_world_restore: it never crashes, a refusal leaves the world as it
// was, and what it accepts is a world that can be read, stepped or refuses the step in words, and saved again.
#include "engine/base/hash.h"
#include "solvers/sweeps/pgs.h"
#include <cairn/cairn.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 32, MOST = 32 };

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void require_ok(CairnStatus status) {
    require(cairn_is_ok(status));
}

// A ball and a jointed box on the ground, one step old: every kind of record.
static CairnWorld *make_world(void) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world = NULL;
    require_ok(cairn_world_create(&def, &world));
    CairnPgsOptions few = {.iterations = 5, .tolerance = 1e-9, .omega = 1};
    require_ok(cairn_world_set_solver(world, &cairn_solver_pgs, &few));
    CairnBodyDef body = cairn_body_def();
    CairnShapeDef ground = cairn_half_space(), ball = cairn_sphere(0.5), box = cairn_box(1, 1, 1);
    CairnBodyId a, b;
    body.type = CAIRN_BODY_STATIC;
    require_ok(cairn_body_add(world, &body, &ground, NULL));
    body.type = CAIRN_BODY_DYNAMIC;
    body.position.z = 0.5;
    require_ok(cairn_body_add(world, &body, &ball, &a));
    body.position.x = 2;
    require_ok(cairn_body_add(world, &body, &box, &b));
    CairnJointDef joints[2] = {cairn_joint_def(CAIRN_JOINT_REVOLUTE), cairn_joint_def(CAIRN_JOINT_REVOLUTE)};
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    CairnJointId ids[2];
    for (int i = 0; i < 2; i++) {
        joints[i].body_b = i == 0 ? a : b;
        require_ok(cairn_joint_place(world, &joints[i], (CairnVec3){2.0 * i, 0, 0.5}, (CairnVec3){0, 1, 0},
                                     (CairnVec3){0, 0, 0}));
        require_ok(cairn_joint_create(world, &joints[i], &ids[i]));
    }
    gear.joint_a = ids[0];
    gear.joint_b = ids[1];
    require_ok(cairn_joint_create(world, &gear, NULL));
    require_ok(cairn_world_step(world, 1.0 / 60, NULL));
    return world;
}

static unsigned char *save(const CairnWorld *world, size_t *size) {
    unsigned char *bytes = malloc(cairn_world_snapshot_size(world));
    require(bytes != NULL);
    require_ok(cairn_world_snapshot(world, bytes, cairn_world_snapshot_size(world), size));
    return bytes;
}

static void put(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

// Bytes beyond the good payload's length are its tail; the fuzzer's first bytes say where its own go.
static size_t compose(unsigned char *bytes, size_t size, const uint8_t *data, size_t length) {
    size_t at = length >= 2 ? HEADER + (data[0] | (size_t)data[1] << 8) % (size - HEADER) : HEADER;
    for (size_t i = 2; i < length && at + i - 2 < size; i++) {
        bytes[at + i - 2] = data[i];
    }
    put(bytes + 16, size - HEADER);
    put(bytes + 24, cairn_hash_bytes(bytes + HEADER, size - HEADER));
    return size;
}

static void use(CairnWorld *world) {
    CairnBodyId bodies[MOST];
    CairnContact contacts[MOST];
    (void)cairn_world_contacts(world, contacts, MOST);
    CairnStatus status = cairn_world_step(world, 1.0 / 60, NULL);
    require(cairn_is_ok(status) || status.message[0] != '\0');
    int count = cairn_world_bodies(world, bodies, MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        require_ok(cairn_body_destroy(world, bodies[i]));
    }
    require_ok(cairn_world_step(world, 1.0 / 60, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CairnWorld *world = make_world();
    size_t good_size, after_size;
    unsigned char *good = save(world, &good_size), *changed = malloc(good_size);
    require(changed != NULL);
    memcpy(changed, good, good_size);
    CairnStatus status = cairn_world_restore(world, changed, compose(changed, good_size, data, size));
    if (cairn_is_ok(status)) {
        use(world);
    } else {
        require(status.message[0] != '\0');
        unsigned char *after = save(world, &after_size);
        require(after_size == good_size && memcmp(after, good, good_size) == 0);
        free(after);
    }
    free(good);
    free(changed);
    cairn_world_destroy(world);
    return 0;
}
