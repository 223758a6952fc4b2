// Status, memory, arena, text, log, timer and hash.
#include "engine/base/arena.h"
#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/log.h"
#include "engine/base/memory.h"
#include "engine/base/text.h"
#include "engine/base/timer.h"
#include "tests/support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- status ----

static void status_formats_and_names_its_code(void **state) {
    (void)state;
    CairnStatus status = cairn_error(CAIRN_INVALID_ARGUMENT, "body: mass is %g, must be %s", -1.0, "positive");
    assert_int_equal(status.code, CAIRN_INVALID_ARGUMENT);
    assert_string_equal(status.message, "body: mass is -1, must be positive");
    assert_false(cairn_is_ok(status));
    assert_true(cairn_is_ok(cairn_ok()));
    assert_string_equal(cairn_ok().message, "");
    for (int a = CAIRN_OK; a <= CAIRN_NUMERIC; a++) {
        assert_string_not_equal(cairn_code_name((CairnCode)a), "unknown code");
        for (int b = CAIRN_OK; b < a; b++) {
            assert_string_not_equal(cairn_code_name((CairnCode)a), cairn_code_name((CairnCode)b));
        }
    }
    assert_string_equal(cairn_code_name((CairnCode)(CAIRN_NUMERIC + 1)), "unknown code");
    assert_string_equal(cairn_code_name(CAIRN_OUT_OF_MEMORY), "out of memory");
}

static void status_cuts_a_long_message(void **state) {
    (void)state;
    char text[2 * CAIRN_MESSAGE_SIZE];
    for (int length = CAIRN_MESSAGE_SIZE - 3; length < (int)sizeof text; length++) {
        memset(text, 'x', sizeof text);
        text[length] = '\0';
        CairnStatus status = cairn_error(CAIRN_IO, "%s", text);
        size_t kept = length < CAIRN_MESSAGE_SIZE ? (size_t)length : CAIRN_MESSAGE_SIZE - 1;
        assert_int_equal(strlen(status.message), kept);
        assert_memory_equal(status.message, text, kept);
    }
}

static CairnStatus fail_third(int n, int *reached) {
    CAIRN_TRY(n == 3 ? cairn_error(CAIRN_IO, "third") : cairn_ok());
    *reached = n;
    return cairn_ok();
}

static void try_returns_the_first_failure(void **state) {
    (void)state;
    int reached = 0;
    assert_ok(fail_third(2, &reached));
    assert_refused(fail_third(3, &reached), CAIRN_IO, "third");
    assert_int_equal(reached, 2);
}

// ---- assert ----

static void a_broken_invariant_reaches_the_hook(void **state) {
    (void)state;
    expect_assert_failure(cairn_assert_failed("x == y", "file.c", 1));
#ifdef CAIRN_CHECKS
    expect_assert_failure(CAIRN_ASSERT(1 + 1 == 3));
#endif
    CAIRN_ASSERT(1 + 1 == 2);
}

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

// ---- text ----

static void text_counts_what_does_not_fit(void **state) {
    (void)state;
    for (size_t size = 0; size < 20; size++) {
        char buffer[24];
        memset(buffer, '#', sizeof buffer);
        CairnText text = cairn_text(size > 0 ? buffer : NULL, size);
        cairn_text_add(&text, "%s", "abc");
        cairn_text_add(&text, "-%d-", 12345);
        cairn_text_add(&text, "%s", "");
        cairn_text_add_double(&text, 0.5);
        assert_int_equal(text.length, 13);
        if (size > 0) {
            assert_int_equal(strlen(buffer), size - 1 < 13 ? size - 1 : 13);
            assert_memory_equal(buffer, "abc-12345-0.5", strlen(buffer));
        }
        for (size_t i = size; i < sizeof buffer; i++) {
            assert_int_equal(buffer[i], '#');
        }
    }
}

// ---- log ----

typedef struct Heard {
    int count;
    CairnLogLevel level;
    char message[2000];
} Heard;

static void hear(void *user, CairnLogLevel level, const char *message) {
    Heard *heard = user;
    heard->count++;
    heard->level = level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

static void log_drops_what_is_above_its_level(void **state) {
    (void)state;
    Heard heard = {0};
    CairnLogger logger = {hear, &heard, CAIRN_LOG_WARNING};
    cairn_log(&logger, CAIRN_LOG_WARNING, "%d %s", 3, "bodies");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, CAIRN_LOG_WARNING);
    assert_string_equal(heard.message, "3 bodies");
    cairn_log(&logger, CAIRN_LOG_ERROR, "e");
    cairn_log(&logger, CAIRN_LOG_INFO, "i");
    cairn_log(&logger, CAIRN_LOG_DEBUG, "d");
    assert_int_equal(heard.count, 2);
    char text[1500];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cairn_log(&logger, CAIRN_LOG_ERROR, "%s", text);
    assert_int_equal(strlen(heard.message), 1023);
    cairn_log(NULL, CAIRN_LOG_ERROR, "nobody");
    cairn_log(&(CairnLogger){0}, CAIRN_LOG_ERROR, "nobody");
}

// ---- timer ----

static void timer_runs_forward(void **state) {
    (void)state;
    double start = cairn_timer_now(), last = start;
    assert_true(start > 0);
    while (last - start < 2e-3) { // ends only if the clock moves
        double now = cairn_timer_now();
        assert_true(now >= last);
        last = now;
    }
}

// ---- hash ----

static void fill(unsigned char *bytes, size_t size, uint64_t seed) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)support_random(&seed);
    }
}

// The values that every machine must give: a snapshot's checksum and a state hash travel between machines.
static void hash_values_are_pinned(void **state) {
    (void)state;
    unsigned char bytes[100];
    for (int i = 0; i < 100; i++) {
        bytes[i] = (unsigned char)(7 * i + 1);
    }
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {
        {0, 0x25f62312dad79358u},  {1, 0xf190b84bf9eb9f73u},   {7, 0xca57d979d119fc6fu},  {8, 0xc396223bb46e1133u},
        {9, 0x61e37dc59383823cu},  {31, 0x57c4528ab7f177f4u},  {32, 0xaf4bcc969b4ad6a1u}, {33, 0x4825569cbd3b4de8u},
        {64, 0xa8753a2051e3c58fu}, {100, 0x663702ee1bedad8cu},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(cairn_hash_bytes(bytes, known[i].size), known[i].hash);
    }
    assert_int_equal(cairn_hash_mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu); // splitmix64's first number from 0
    assert_int_equal(cairn_hash_bytes(NULL, 0), cairn_hash_bytes(bytes, 0));
}

static void hash_does_not_depend_on_alignment(void **state) {
    (void)state;
    unsigned char bytes[128], moved[128 + 8];
    fill(bytes, sizeof bytes, 3);
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(moved + shift, bytes, sizeof bytes);
        assert_int_equal(cairn_hash_bytes(moved + shift, sizeof bytes), cairn_hash_bytes(bytes, sizeof bytes));
    }
}

// Every flipped bit changes about half of the hash's bits, at any place of any length.
static void hash_spreads_every_bit(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 8, 9, 31, 32, 33, 64, 100};
    double changed = 0;
    int count = 0;
    int per_bit[64] = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned char bytes[100];
        fill(bytes, sizes[s], s);
        uint64_t hash = cairn_hash_bytes(bytes, sizes[s]);
        for (size_t bit = 0; bit < 8 * sizes[s]; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t difference = hash ^ cairn_hash_bytes(bytes, sizes[s]);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int flips = __builtin_popcountll(difference);
            assert_true(flips >= 10 && flips <= 54); // 32 and five and a half standard deviations of 4
            changed += flips;
            count++;
            for (int k = 0; k < 64; k++) {
                per_bit[k] += (int)(difference >> k & 1);
            }
        }
    }
    assert_near(changed / count, 32, 5 * 4 / sqrt(count));
    for (int k = 0; k < 64; k++) {
        assert_near(per_bit[k], 0.5 * count, 5 * 0.5 * sqrt(count));
    }
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Inputs that differ little, as states do: lengths of zeros, two flipped bits in a block of doubles, pairs of small numbers.
static void hash_keeps_like_inputs_apart(void **state) {
    (void)state;
    enum { BITS = 96 * 8, MOST = 1000 + BITS * BITS / 2 + 40000 };
    uint64_t *hashes = calloc(MOST, sizeof *hashes);
    assert_non_null(hashes);
    size_t count = 0;
    unsigned char bytes[1000] = {0};
    for (size_t size = 0; size < sizeof bytes; size++) {
        hashes[count++] = cairn_hash_bytes(bytes, size);
    }
    for (size_t i = 0; i < BITS; i++) {
        for (size_t j = i + 1; j < BITS; j++) {
            bytes[i / 8] ^= (unsigned char)(1 << i % 8);
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
            hashes[count++] = cairn_hash_bytes(bytes, BITS / 8);
            bytes[i / 8] ^= (unsigned char)(1 << i % 8);
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
        }
    }
    for (uint64_t i = 0; i < 200; i++) {
        for (uint64_t j = 0; j < 200; j++) {
            hashes[count++] = cairn_hash_combine(cairn_hash_combine(0, i), j);
        }
    }
    assert_true(count <= MOST);
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 1; i < count; i++) {
        assert_true(hashes[i] != hashes[i - 1]);
    }
    free(hashes);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_formats_and_names_its_code),
        cmocka_unit_test(status_cuts_a_long_message),
        cmocka_unit_test(try_returns_the_first_failure),
        cmocka_unit_test(a_broken_invariant_reaches_the_hook),
        cmocka_unit_test(default_memory_is_aligned),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(allocators_get_their_sizes_back),
        cmocka_unit_test(reserve_doubles_and_keeps),
        cmocka_unit_test(arena_hands_out_aligned_places_that_do_not_overlap),
        cmocka_unit_test(a_like_use_after_reset_allocates_nothing),
        cmocka_unit_test(the_peak_of_a_released_mark_is_remembered),
        cmocka_unit_test(release_gives_back_what_came_after_the_mark),
        cmocka_unit_test(arena_survives_an_allocator_that_fails),
        cmocka_unit_test(arena_refuses_sizes_that_overflow),
        cmocka_unit_test(text_counts_what_does_not_fit),
        cmocka_unit_test(log_drops_what_is_above_its_level),
        cmocka_unit_test(timer_runs_forward),
        cmocka_unit_test(hash_values_are_pinned),
        cmocka_unit_test(hash_does_not_depend_on_alignment),
        cmocka_unit_test(hash_spreads_every_bit),
        cmocka_unit_test(hash_keeps_like_inputs_apart),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
