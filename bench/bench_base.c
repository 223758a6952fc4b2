// The base layer: what one small operation costs, and what the arena saves over malloc.
#include "bench/bench.h"

#include "engine/base/arena.h"
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include <cairn/math.h>
#include <stdlib.h>

enum { COUNT = 256, BLOCKS = 64 };

typedef struct State {
    CairnAllocator allocator;
    CairnArena arena;
    CairnQuat quats[COUNT];
    CairnMat3 matrices[COUNT]; // symmetric, positive definite
    CairnVec3 vectors[COUNT];
    void *blocks[BLOCKS];
} State;

static void *open_state(void) {
    State *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->allocator = cairn_memory_default();
    cairn_arena_init(&s->arena, &s->allocator);
    for (int i = 0; i < COUNT; i++) {
        double t = 0.1 * i;
        s->vectors[i] = cairn_vec3(1 + t, 2 - t, 0.5 * t);
        s->quats[i] = cairn_quat_normalize((CairnQuat){1, 0.3 * t, -0.2 * t, 0.1});
        CairnMat3 diagonal = {{{1 + t, 0, 0}, {0, 2 + t, 0}, {0, 0, 3}}};
        s->matrices[i] = cairn_mat3_rotate(s->quats[i], diagonal);
    }
    return s;
}

static void close_state(void *state) {
    State *s = state;
    cairn_arena_free(&s->arena);
    free(s);
}

static double add(CairnVec3 v) {
    return v.x + v.y + v.z;
}

static double quat_rotate(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < COUNT; i++) {
            sum += add(cairn_rotate(s->quats[i], s->vectors[(i + n) % COUNT]));
        }
    }
    return sum;
}

static double mat3_from_quat(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < COUNT; i++) {
            sum += add(cairn_mat3_mul(cairn_mat3_of_quat(s->quats[i]), s->vectors[(i + n) % COUNT]));
        }
    }
    return sum;
}

static double mat3_inverse(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < COUNT; i++) {
            CairnMat3 inverse;
            if (cairn_mat3_inverse(s->matrices[i], &inverse)) {
                sum += add(cairn_mat3_mul(inverse, s->vectors[(i + n) % COUNT]));
            }
        }
    }
    return sum;
}

// As a step uses scratch memory: many blocks of various sizes, all given back together.
static size_t block_size(int i) {
    return 64 + 192 * (size_t)(i % 8);
}

static double use_malloc(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < BLOCKS; i++) {
            s->blocks[i] = malloc(block_size(i));
            if (s->blocks[i] != NULL) {
                *(volatile char *)s->blocks[i] = (char)i;
            }
            sum += s->blocks[i] != NULL;
        }
        for (int i = 0; i < BLOCKS; i++) {
            free(s->blocks[i]);
        }
    }
    return sum;
}

static double use_arena(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < BLOCKS; i++) {
            s->blocks[i] = cairn_arena_push(&s->arena, 1, block_size(i));
            if (s->blocks[i] != NULL) {
                *(volatile char *)s->blocks[i] = (char)i;
            }
            sum += s->blocks[i] != NULL;
        }
        cairn_arena_reset(&s->arena);
    }
    return sum;
}

static const BenchCase cases[] = {
    {.name = "rotate by matrix of quaternion", .run = mat3_from_quat, .items = COUNT},
    {.name = "rotate by quaternion", .baseline = "rotate by matrix of quaternion", .run = quat_rotate, .items = COUNT},
    {.name = "3x3 by inverse", .run = mat3_inverse, .items = COUNT},
    {.name = "scratch block from malloc", .run = use_malloc, .items = BLOCKS},
    {.name = "scratch block from arena", .baseline = "scratch block from malloc", .run = use_arena, .items = BLOCKS},
};

const BenchSuite bench_base = {
    .name = "base",
    .summary = "small matrices, quaternions and memory",
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .open = open_state,
    .close = close_state,
};
