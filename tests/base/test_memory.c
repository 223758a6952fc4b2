// Memory and arena.
#define _DEFAULT_SOURCE // mincore
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "tests/support/support.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- memory ----

static bool is_aligned(const void *memory) {
    return (uintptr_t)memory % CAIRN_ALIGNMENT == 0;
}

static bool is_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

#ifndef CAIRN_SANITIZED
static bool is_mapped(uintptr_t address) {
    unsigned char held;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return mincore((void *)(address & ~(page - 1)), 1, &held) == 0;
}
#endif

static void default_memory_is_aligned(void **state) {
    (void)state;
    const CairnAllocator none = {NULL, NULL, NULL}, library = cairn_memory_default();
    const CairnAllocator *all[] = {&none, &library, NULL};
    for (int k = 0; k < 3; k++) {
        for (size_t size = 1; size < 300; size += 7) {
            unsigned char *memory = cairn_memory_allocate_zero(all[k], size, 3);
            assert_non_null(memory);
            assert_true(is_aligned(memory));
            assert_true(is_zero(memory, 3 * size));
            memset(memory, 0xff, 3 * size);
            cairn_memory_release(all[k], memory, size, 3);
        }
        cairn_memory_release(all[k], NULL, 5, 3); // nothing
    }
}

// Large memory is the system's: there to its last byte, and given back as a whole.
static void large_memory_is_whole_and_goes_back(void **state) {
    (void)state;
    const size_t size = (size_t)8 << 20, sizes[] = {size, size + 1, size + 4095, size + 12345};
    for (int k = 0; k < 4; k++) {
        unsigned char *memory = cairn_memory_allocate(NULL, sizes[k], 1);
        assert_non_null(memory);
        assert_true(is_aligned(memory));
        memory[0] = memory[sizes[k] / 2] = memory[sizes[k] - 1] = 1;
        uintptr_t first = (uintptr_t)memory, last = (uintptr_t)(memory + sizes[k] - 1);
        cairn_memory_release(NULL, memory, sizes[k], 1);
#ifndef CAIRN_SANITIZED
        assert_false(is_mapped(first));
        assert_false(is_mapped(last));
#else
        (void)first;
        (void)last;
#endif
    }
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    assert_null(cairn_memory_allocate(&allocator, SIZE_MAX, 2));
    assert_null(cairn_memory_allocate(&allocator, SIZE_MAX / 8 + 1, 8));
    assert_null(cairn_memory_allocate_zero(&allocator, SIZE_MAX / 2, 3));
    assert_null(cairn_memory_allocate(&allocator, 0, 8));
    assert_null(cairn_memory_allocate(&allocator, 8, 0));
    assert_int_equal(memory.calls, 0);
    assert_null(cairn_memory_allocate(NULL, SIZE_MAX, 1)); // would overflow when rounded to the alignment
    assert_null(cairn_memory_allocate(NULL, SIZE_MAX - 62, 1));
    assert_memory_clean(&memory);
}

static void allocators_get_their_sizes_back(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    double *numbers = cairn_memory_allocate(&allocator, 10, sizeof(double));
    assert_int_equal(memory.live_bytes, 10 * sizeof(double));
    cairn_memory_release(&allocator, numbers, 10, sizeof(double));
    assert_memory_clean(&memory);
    assert_int_equal(memory.calls, 1);
    assert_int_equal(memory.releases, 1);
}

static void reserve_doubles_and_keeps(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    int *array = NULL, capacity = 0;
    assert_true(cairn_memory_reserve(&allocator, &array, &capacity, 0, sizeof *array));
    assert_true(cairn_memory_reserve(&allocator, &array, &capacity, -1, sizeof *array));
    assert_null(array);
    for (int i = 0; i < 10000; i++) {
        assert_true(cairn_memory_reserve(&allocator, &array, &capacity, i + 1, sizeof *array));
        assert_true(capacity > i);
        array[i] = i;
    }
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(array[i], i);
    }
    assert_below(memory.calls, 12); // doubling: log2(10000 / 8) and one
    assert_int_equal(memory.live_blocks, 1);
    // Refused: everything as it was.
    memory.fail_from = memory.calls + 1;
    int *old = array, old_capacity = capacity;
    assert_false(cairn_memory_reserve(&allocator, &array, &capacity, capacity + 1, sizeof *array));
    assert_false(cairn_memory_reserve(&allocator, &array, &capacity, INT_MAX, SIZE_MAX / 4));
    assert_ptr_equal(array, old);
    assert_int_equal(capacity, old_capacity);
    assert_int_equal(array[9999], 9999);
    cairn_memory_release(&allocator, array, (size_t)capacity, sizeof *array);
    assert_memory_clean(&memory);
    // Close to the largest int the doubling stops at what there is. No memory is touched: the allocator refuses.
    capacity = INT_MAX - 5;
    array = NULL;
    assert_false(cairn_memory_reserve(&allocator, &array, &capacity, INT_MAX, sizeof *array));
    assert_int_equal(capacity, INT_MAX - 5);
}

static void renew_forgets_and_fails_well(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    int *array = NULL, capacity = 0;
    assert_true(cairn_memory_renew(&allocator, &array, &capacity, 100, sizeof *array));
    assert_true(capacity >= 100);
    array[99] = 7;
    int *old = array, old_capacity = capacity;
    assert_true(cairn_memory_renew(&allocator, &array, &capacity, 50, sizeof *array)); // room enough
    assert_ptr_equal(array, old);
    memory.fail_from = memory.calls + 1;
    assert_false(cairn_memory_renew(&allocator, &array, &capacity, 1000, sizeof *array));
    assert_ptr_equal(array, old);
    assert_int_equal(capacity, old_capacity);
    assert_int_equal(array[99], 7);
    memory.fail_from = 0;
    assert_true(cairn_memory_renew(&allocator, &array, &capacity, 1000, sizeof *array));
    assert_true(capacity >= 1000);
    assert_int_equal(memory.live_blocks, 1);
    cairn_memory_release(&allocator, array, (size_t)capacity, sizeof *array);
    assert_memory_clean(&memory);
}

// ---- arena ----

static void arena_hands_out_aligned_places_that_do_not_overlap(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    static unsigned char *place[COUNT];
    static size_t size[COUNT];
    uint64_t seed = 1;
    size_t total = 0;
    for (int i = 0; i < COUNT; i++) {
        size[i] = (size_t)support_int(&seed, 0, i % 100 == 0 ? 100000 : 500);
        place[i] = i % 2 == 0 ? cairn_arena_push(&arena, size[i], 1) : cairn_arena_push_zero(&arena, size[i], 1);
        assert_non_null(place[i]); // nothing asked for gets a place too
        assert_true(is_aligned(place[i]));
        assert_true(i % 2 == 0 || is_zero(place[i], size[i]));
        memset(place[i], i & 0xff, size[i]);
        total += size[i];
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < size[i]; k++) {
            assert_int_equal(place[i][k], i & 0xff);
        }
    }
    assert_true(arena.used >= total && arena.used < total + (size_t)COUNT * CAIRN_ALIGNMENT);
    assert_int_equal(arena.peak, arena.used);
    assert_below(memory.calls, 12); // chunks double
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
    assert_int_equal(arena.used, 0);
}

static bool use_arena(CairnArena *arena, int pushes) {
    for (int i = 0; i < pushes; i++) {
        CairnArenaMark mark = cairn_arena_mark(arena);
        if (CAIRN_PUSH(arena, double, 1000 + 100 * i) == NULL) {
            return false;
        }
        if (i % 3 == 0) {
            cairn_arena_release(arena, mark);
        }
    }
    return true;
}

static void a_like_use_after_reset_allocates_nothing(void **state) {
    (void)state;
    for (int pushes = 1; pushes < 200; pushes += 11) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        CairnArena arena;
        cairn_arena_init(&arena, &allocator);
        cairn_arena_reset(&arena);
        assert_int_equal(memory.calls, 0);
        assert_true(use_arena(&arena, pushes));
        size_t peak = arena.peak;
        cairn_arena_reset(&arena);
        assert_int_equal(arena.used, 0);
        assert_int_equal(memory.live_blocks, 1);
        int calls = memory.calls, releases = memory.releases;
        for (int again = 0; again < 3; again++) {
            assert_true(use_arena(&arena, pushes));
            cairn_arena_reset(&arena);
        }
        assert_int_equal(memory.calls, calls);
        assert_int_equal(memory.releases, releases);
        assert_int_equal(arena.peak, peak);
        cairn_arena_free(&arena);
        assert_memory_clean(&memory);
    }
}

static void the_peak_of_a_released_mark_is_remembered(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    int settled = 0;
    for (int step = 0; step < 4; step++) {
        assert_non_null(cairn_arena_push(&arena, 1000, 1));
        CairnArenaMark mark = cairn_arena_mark(&arena);
        assert_non_null(cairn_arena_push(&arena, 1 << 20, 1)); // needs a chunk of its own the first time
        cairn_arena_release(&arena, mark);
        assert_int_equal(arena.used, 1024);
        cairn_arena_reset(&arena);
        if (step == 0) {
            settled = memory.calls;
        }
    }
    assert_int_equal(memory.calls, settled);
    assert_int_equal(arena.peak, 1024 + (1 << 20));
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

static void release_gives_back_what_came_after_the_mark(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    CairnArenaMark start = cairn_arena_mark(&arena); // of an arena without a chunk
    unsigned char *kept = cairn_arena_push(&arena, 100, 1);
    memset(kept, 0x11, 100);
    CairnArenaMark mark = cairn_arena_mark(&arena);
    void *first = cairn_arena_push(&arena, 200, 1);
    for (int i = 0; i < 50; i++) {
        assert_non_null(cairn_arena_push(&arena, 10000, 1));
    }
    cairn_arena_release(&arena, mark);
    assert_int_equal(arena.used, 128);
    assert_ptr_equal(cairn_arena_push(&arena, 1, 1), first); // the same place again
    for (int i = 0; i < 100; i++) {
        assert_int_equal(kept[i], 0x11);
    }
    cairn_arena_release(&arena, start);
    assert_int_equal(arena.used, 0);
    assert_int_equal(memory.live_blocks, 1);
    assert_ptr_equal(cairn_arena_push(&arena, 1, 1), kept);
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

static void keep_moves_the_last_down_to_the_mark(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    unsigned char *below = cairn_arena_push(&arena, 100, 1);
    memset(below, 0x11, 100);
    CairnArenaMark mark = cairn_arena_mark(&arena);
    void *place = cairn_arena_push(&arena, 300, 1);
    unsigned char *last = cairn_arena_push(&arena, 1000, 1); // overlaps with where it goes
    for (int i = 0; i < 1000; i++) {
        last[i] = (unsigned char)(i % 251);
    }
    unsigned char *kept = cairn_arena_release_except(&arena, mark, last, 1000);
    assert_ptr_equal(kept, place);
    assert_int_equal(arena.used, 128 + 1024);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kept[i], i % 251);
    }
    assert_int_equal(below[99], 0x11);
    // Once the arena has grown nothing moves, and nothing is lost.
    mark = cairn_arena_mark(&arena);
    last = cairn_arena_push(&arena, 1 << 20, 1);
    last[(1 << 20) - 1] = 7;
    assert_ptr_equal(cairn_arena_release_except(&arena, mark, last, 1 << 20), last);
    assert_int_equal(last[(1 << 20) - 1], 7);
    assert_null(cairn_arena_release_except(&arena, mark, NULL, 0));
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

// What a large use asks for beyond what it uses: an eighth, while it grows and after.
static void a_large_use_wastes_little(void **state) {
    (void)state;
    enum { PIECE = 100000, PIECES = 400 };
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    for (int run = 0; run < 3; run++) {
        for (int i = 0; i < PIECES; i++) {
            assert_non_null(cairn_arena_push(&arena, PIECE, 1));
            assert_true((double)memory.live_bytes <= 1.25 * (double)arena.peak + (1 << 20));
        }
        cairn_arena_reset(&arena);
        assert_true((double)memory.live_bytes <= 1.13 * (double)arena.peak);
        assert_below(memory.calls, 60); // log(40 MB / 1 MB) / log(9/8) and what came before
    }
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

static void arena_survives_an_allocator_that_fails(void **state) {
    (void)state;
    int failed_runs = 0;
    for (int only = 0; only < 2; only++) {
        for (int n = 1; n < 20; n++) {
            SupportMemory memory = {0};
            *(only ? &memory.fail_only : &memory.fail_from) = n;
            CairnAllocator allocator = support_allocator(&memory);
            CairnArena arena;
            cairn_arena_init(&arena, &allocator);
            for (int run = 0; run < 3; run++) {
                size_t before = arena.used;
                if (!use_arena(&arena, 100)) {
                    failed_runs++;
                    assert_true(arena.used >= before);
                }
                cairn_arena_reset(&arena);
                assert_int_equal(arena.used, 0);
            }
            cairn_arena_free(&arena);
            assert_memory_clean(&memory);
        }
    }
    assert_true(failed_runs > 0);
}

static void arena_refuses_sizes_that_overflow(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    assert_null(cairn_arena_push(&arena, SIZE_MAX, 1));
    assert_null(cairn_arena_push(&arena, SIZE_MAX / 2, 3));
    assert_null(cairn_arena_push_zero(&arena, SIZE_MAX - 10, 1));
    assert_int_equal(memory.calls, 0);
    assert_non_null(cairn_arena_push(&arena, SIZE_MAX, 0));
    assert_non_null(cairn_arena_push(&arena, 0, SIZE_MAX));
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

// What is released stays taken; the arena's own release gives all of it back.
static void an_arena_is_an_allocator(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator below = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &below);
    CairnAllocator allocator = cairn_arena_allocator(&arena);
    CairnArenaMark mark = cairn_arena_mark(&arena);
    unsigned char *first = allocator.allocate(allocator.user, 100);
    memset(first, 1, 100);
    allocator.release(allocator.user, first, 100);
    int *list = NULL, capacity = 0;
    assert_true(cairn_memory_reserve(&allocator, &list, &capacity, 1000, sizeof *list));
    assert_true(arena.used >= 100 + 1000 * sizeof *list);
    assert_int_equal(first[99], 1);
    cairn_arena_release(&arena, mark);
    assert_int_equal(arena.used, 0);
    memory.fail_from = 1;
    assert_null(allocator.allocate(allocator.user, (size_t)1 << 30));
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_memory_is_aligned),
        cmocka_unit_test(large_memory_is_whole_and_goes_back),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(allocators_get_their_sizes_back),
        cmocka_unit_test(reserve_doubles_and_keeps),
        cmocka_unit_test(renew_forgets_and_fails_well),
        cmocka_unit_test(arena_hands_out_aligned_places_that_do_not_overlap),
        cmocka_unit_test(a_like_use_after_reset_allocates_nothing),
        cmocka_unit_test(the_peak_of_a_released_mark_is_remembered),
        cmocka_unit_test(release_gives_back_what_came_after_the_mark),
        cmocka_unit_test(keep_moves_the_last_down_to_the_mark),
        cmocka_unit_test(a_large_use_wastes_little),
        cmocka_unit_test(arena_survives_an_allocator_that_fails),
        cmocka_unit_test(arena_refuses_sizes_that_overflow),
        cmocka_unit_test(an_arena_is_an_allocator),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
