// Numbers as bytes: what goes in comes out, and damage is refused with its place.
#include "engine/base/stream.h"
#include "tests/support/support.h"

#include <math.h>

static const CairnFormat format = {"thing", 0x474e494854u, 3};

typedef struct Thing {
    uint64_t wide;
    uint32_t narrow;
    int number;
    bool truth;
    double value, infinite;
} Thing;

enum { PAYLOAD = 48, SIZE = CAIRN_STREAM_HEADER + PAYLOAD };

static void visit(CairnStream *s, Thing *t) {
    cairn_stream_u64(s, &t->wide);
    cairn_stream_u32(s, &t->narrow);
    cairn_stream_int(s, &t->number, -5, 5);
    cairn_stream_bool(s, &t->truth);
    cairn_stream_double(s, &t->value);
    cairn_stream_double(s, &t->infinite);
}

static void write_thing(unsigned char *bytes) {
    Thing thing = {0x0102030405060708u, UINT32_MAX, -5, true, -0.1, HUGE_VAL};
    CairnStream s = cairn_stream_write(&format, bytes, PAYLOAD);
    visit(&s, &thing);
    assert_ok(s.status);
    cairn_stream_write_header(&s);
}

static CairnStatus read_thing(const unsigned char *bytes, size_t size, Thing *thing) {
    CairnStream s = cairn_stream_read(&format, bytes, size);
    visit(&s, thing);
    cairn_stream_end(&s);
    return s.status;
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    unsigned char bytes[SIZE];
    Thing thing = {0};
    CairnStream count = cairn_stream_count(&format);
    visit(&count, &thing);
    assert_int_equal(count.at, PAYLOAD);
    write_thing(bytes);
    assert_int_equal(bytes[0], 'T'); // little-endian on every machine
    assert_int_equal(bytes[CAIRN_STREAM_HEADER], 8);
    assert_int_equal(bytes[CAIRN_STREAM_HEADER + 7], 1);
    assert_true(cairn_stream_is(&format, bytes, SIZE));
    assert_false(cairn_stream_is(&format, bytes, 7));
    assert_ok(read_thing(bytes, SIZE, &thing));
    assert_true(thing.wide == 0x0102030405060708u && thing.narrow == UINT32_MAX && thing.number == -5 && thing.truth);
    assert_true(thing.value == -0.1 && isinf(thing.infinite));
}

static void a_wrong_header_is_refused(void **state) {
    (void)state;
    unsigned char bytes[SIZE];
    Thing thing = {0};
    write_thing(bytes);
    assert_refused(read_thing(bytes, CAIRN_STREAM_HEADER - 1, &thing), CAIRN_CORRUPT, "these 31 bytes are no thing");
    assert_refused(read_thing(bytes, SIZE - 8, &thing), CAIRN_CORRUPT, "size is 40, its header says 48");
    static const struct {
        int at;
        CairnCode code;
        const char *words;
    } cases[] = {{0, CAIRN_CORRUPT, "are no thing"},
                 {8, CAIRN_UNSUPPORTED, "thing: version is 2, this library reads 3"},
                 {24, CAIRN_CORRUPT, "checksum"},
                 {SIZE - 1, CAIRN_CORRUPT, "checksum"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_thing(bytes);
        bytes[cases[i].at] ^= 1;
        assert_refused(read_thing(bytes, SIZE, &thing), cases[i].code, cases[i].words);
    }
    assert_int_equal(thing.wide, 0); // nothing of it was read
}

// Of a payload that another writer made: numbers out of their range, too few of them, too many.
static void a_wrong_payload_is_refused_with_its_place(void **state) {
    (void)state;
    unsigned char bytes[SIZE];
    Thing thing = {0};
    for (int at = 8; at <= 24; at += 8) {
        static const char *const places[] = {"byte 48", "byte 56", "byte 64"}; // behind the number
        uint64_t words[PAYLOAD / 8] = {0};
        words[at / 8] = (uint64_t)1 << 32;
        CairnStream s = cairn_stream_write(&format, bytes, PAYLOAD);
        for (int k = 0; k < PAYLOAD / 8; k++) {
            cairn_stream_u64(&s, &words[k]);
        }
        cairn_stream_write_header(&s);
        CairnStatus status = read_thing(bytes, SIZE, &thing);
        assert_refused(status, CAIRN_CORRUPT, "out of its range");
        assert_refused(status, CAIRN_CORRUPT, places[at / 8 - 1]);
    }
    write_thing(bytes);
    CairnStream s = cairn_stream_read(&format, bytes, SIZE);
    assert_true(cairn_stream_has_elements(&s, 6, 8));
    cairn_stream_u64(&s, &thing.wide);
    assert_false(cairn_stream_has_elements(&s, 6, 8));
    assert_refused(s.status, CAIRN_CORRUPT, "an array is longer than the file at byte 40");
    s = cairn_stream_read(&format, bytes, SIZE);
    cairn_stream_u64(&s, &thing.wide);
    cairn_stream_end(&s);
    assert_refused(s.status, CAIRN_CORRUPT, "bytes after the end");
    s = cairn_stream_read(&format, bytes, SIZE);
    visit(&s, &thing);
    cairn_stream_u64(&s, &thing.wide);
    assert_refused(s.status, CAIRN_CORRUPT, "it ends too soon");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_wrong_payload_is_refused_with_its_place),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
