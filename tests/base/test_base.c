// Status, assert, text, log, timer and hash.
#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/log.h"
#include "engine/base/pieces.h"
#include "engine/base/text.h"
#include "engine/base/timer.h"
#include "tests/support/support.h"

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

// Inputs that differ little, as states do: lengths of zeros, two flipped bits in a block of doubles, pairs of small
// numbers.
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

enum { PIECES = 1000 };

static void count_piece(void *context, int piece, int worker) {
    unsigned char(*counts)[2] = context;
    counts[piece][0]++; // by the one thread that has the piece
    counts[piece][1] = (unsigned char)worker;
}

static void every_piece_is_worked_once(void **state) {
    (void)state;
    static unsigned char counts[PIECES][2];
    const int threads[] = {1, 2, 3, 7, 64, 256}, pieces[] = {0, 1, 2, 5, 63, PIECES};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            for (int repetition = 0; repetition < 20; repetition++) {
                memset(counts, 0, sizeof counts);
                cairn_pieces_run(threads[i], pieces[j], count_piece, counts);
                for (int k = 0; k < PIECES; k++) {
                    assert_int_equal(counts[k][0], k < pieces[j]);
                    assert_true(counts[k][1] < threads[i]);
                }
            }
        }
    }
}

typedef struct Spans {
    unsigned char counts[PIECES];
    int least;
} Spans;

static void count_span(void *context, int first, int end) {
    Spans *spans = context;
    for (int i = first; i < end; i++) {
        spans->counts[i]++;
        if (i % 7 == 3) {
            cairn_spans_min(&spans->least, i);
        }
    }
}

static void every_element_is_in_one_span(void **state) {
    (void)state;
    static Spans spans;
    const int threads[] = {1, 2, 3, 7, 64, 256}, counts[] = {-1, 0, 1, 9, 10, 11, 63, PIECES};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
            memset(&spans, 0, sizeof spans);
            spans.least = PIECES;
            cairn_spans_run(threads[i], counts[j], 10, count_span, &spans);
            for (int k = 0; k < PIECES; k++) {
                assert_int_equal(spans.counts[k], k < counts[j]);
            }
            assert_int_equal(spans.least, counts[j] > 3 ? 3 : PIECES);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_formats_and_names_its_code),
        cmocka_unit_test(status_cuts_a_long_message),
        cmocka_unit_test(try_returns_the_first_failure),
        cmocka_unit_test(a_broken_invariant_reaches_the_hook),
        cmocka_unit_test(text_counts_what_does_not_fit),
        cmocka_unit_test(log_drops_what_is_above_its_level),
        cmocka_unit_test(timer_runs_forward),
        cmocka_unit_test(hash_values_are_pinned),
        cmocka_unit_test(hash_does_not_depend_on_alignment),
        cmocka_unit_test(hash_spreads_every_bit),
        cmocka_unit_test(hash_keeps_like_inputs_apart),
        cmocka_unit_test(every_piece_is_worked_once),
        cmocka_unit_test(every_element_is_in_one_span),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
