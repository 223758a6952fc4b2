// Fields: defaults, checks, parsing, text and near names. Messages are compared whole: they are what a person reads.
#include "engine/base/names.h"
#include "tests/support/support.h"

#include <cairn/fields.h>
#include <cairn/math.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    bool faithful;
    int iterations;
    double mass, ratio, bound, angle;
    CairnVec3 gravity;
    CairnQuat turn;
    int friction;
    int secret; // no field
} Options;

static const char *const friction_names[] = {"box", "box-current", "cone", "coulomb", NULL};

static const CairnField fields[] = {
    CAIRN_FIELD_BOOL(Options, faithful, true, "as printed"),
    CAIRN_FIELD_INT(Options, iterations, 10, 1, 1000, "sweeps a step"),
    CAIRN_FIELD_DOUBLE(Options, mass, 2.5, 0, (double)INFINITY, 0, "kg", "of the body"),
    CAIRN_FIELD_DOUBLE(Options, ratio, 0.5, 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "", "over-relaxation"),
    CAIRN_FIELD_DOUBLE(Options, bound, (double)INFINITY, 0, (double)INFINITY, CAIRN_FIELD_INFINITE, "N",
                       "largest force"),
    CAIRN_FIELD_DOUBLE(Options, angle, 0.1, -(double)INFINITY, (double)INFINITY, 0, "rad", "of the slope"),
    CAIRN_FIELD_VEC3(Options, gravity, 0, 0, -9.81, -100, 100, "m/s^2", "pulls"),
    CAIRN_FIELD_QUAT(Options, turn, "orientation"),
    CAIRN_FIELD_CHOICE(Options, friction, 2, friction_names, "law of friction"),
};

static const CairnFieldTable table = CAIRN_FIELD_TABLE("pgs", Options, fields);

static const CairnField *field_named(const char *name) {
    for (int i = 0; i < table.count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    fail_msg("no field %s", name);
    return NULL;
}

static Options preset(void) {
    Options options;
    memset(&options, 0, sizeof options); // padding too, so that objects compare byte by byte
    cairn_fields_preset(&table, &options);
    return options;
}

static void check_message(CairnStatus status, CairnCode code, const char *message) {
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, code);
}

// The call is refused with exactly this message, and the object is as it was.
static void check_set(const char *name, const char *value, CairnCode code, const char *message) {
    Options options = preset(), before = options;
    check_message(cairn_fields_set(&table, &options, name, value), code, message);
    assert_memory_equal(&options, &before, sizeof options);
}

static void check_parse(const char *text, CairnCode code, const char *message) {
    Options options = preset(), before = options;
    check_message(cairn_fields_parse(&table, &options, text), code, message);
    assert_memory_equal(&options, &before, sizeof options);
}

// ---- defaults and checks ----

static void presets_fill_the_fields_and_nothing_else(void **state) {
    (void)state;
    Options options;
    memset(&options, 0x77, sizeof options);
    int secret = options.secret;
    cairn_fields_preset(&table, &options);
    assert_true(options.faithful);
    assert_int_equal(options.iterations, 10);
    assert_same_bits(options.mass, 2.5);
    assert_true(isinf(options.bound));
    assert_vec3_near(options.gravity, ((CairnVec3){0, 0, -9.81}), 0);
    assert_quat_near(options.turn, cairn_quat_identity(), 0);
    assert_int_equal(options.friction, 2);
    assert_int_equal(options.secret, secret);
    assert_ok(cairn_fields_check(&table, &options));
}

#define REFUSED(change, message)                                                                                       \
    do {                                                                                                               \
        Options options = preset();                                                                                    \
        change;                                                                                                        \
        check_message(cairn_fields_check(&table, &options), CAIRN_INVALID_ARGUMENT, message);                          \
    } while (0)

#define TAKEN(change)                                                                                                  \
    do {                                                                                                               \
        Options options = preset();                                                                                    \
        change;                                                                                                        \
        assert_ok(cairn_fields_check(&table, &options));                                                               \
    } while (0)

static void check_names_field_value_and_range(void **state) {
    (void)state;
    const double nan = (double)NAN, inf = (double)INFINITY;
    REFUSED(options.mass = -1, "pgs: mass is -1, must be in [0, inf) kg");
    REFUSED(options.mass = -DBL_MIN, "pgs: mass is -2.2250738585072014e-308, must be in [0, inf) kg");
    REFUSED(options.mass = nan, "pgs: mass is nan, must be in [0, inf) kg");
    REFUSED(options.mass = -nan, "pgs: mass is nan, must be in [0, inf) kg");
    REFUSED(options.mass = inf, "pgs: mass is inf, must be in [0, inf) kg");
    REFUSED(options.ratio = 0, "pgs: ratio is 0, must be in (0, 2)");
    REFUSED(options.ratio = 2, "pgs: ratio is 2, must be in (0, 2)");
    REFUSED(options.bound = nan, "pgs: bound is nan, must be in [0, inf] N");
    REFUSED(options.bound = -inf, "pgs: bound is -inf, must be in [0, inf] N");
    REFUSED(options.angle = -inf, "pgs: angle is -inf, must be in (-inf, inf) rad");
    REFUSED(options.iterations = 0, "pgs: iterations is 0, must be in [1, 1000]");
    REFUSED(options.iterations = INT_MIN, "pgs: iterations is -2147483648, must be in [1, 1000]");
    REFUSED(options.gravity.x = 101, "pgs: gravity.x is 101, must be in [-100, 100] m/s^2");
    REFUSED(options.gravity.y = nan, "pgs: gravity.y is nan, must be in [-100, 100] m/s^2");
    REFUSED(options.gravity.z = -inf, "pgs: gravity.z is -inf, must be in [-100, 100] m/s^2");
    REFUSED(options.turn.w = 2, "pgs: turn is 2:0:0:0, must be a quaternion w:x:y:z of unit length to 1e-6");
    REFUSED(options.turn.z = nan, "pgs: turn is 1:0:0:nan, must be a quaternion w:x:y:z of unit length to 1e-6");
    REFUSED(options.friction = 4, "pgs: friction is 4, must be the number of one of box, box-current, cone, coulomb");
    REFUSED(options.friction = -1, "pgs: friction is -1, must be the number of one of box, box-current, cone, coulomb");
    REFUSED(memset(&options.faithful, 7, 1), "pgs: faithful is the byte 7, must be true or false");
    TAKEN(options.mass = 0);
    TAKEN(options.mass = -0.0);
    TAKEN(options.ratio = DBL_TRUE_MIN);
    TAKEN(options.ratio = nextafter(2, 0));
    TAKEN(options.bound = inf);
    TAKEN(options.iterations = 1000);
    TAKEN(options.gravity.x = -100);
    TAKEN(options.turn.w = 1 + 4e-7);
    TAKEN(options.friction = 0);
}

static void the_first_wrong_field_is_named(void **state) {
    (void)state;
    REFUSED((options.friction = 9, options.mass = -1, options.ratio = 7), "pgs: mass is -1, must be in [0, inf) kg");
}

// ---- one value from text ----

static void set_reads_every_type(void **state) {
    (void)state;
    Options o = preset();
    assert_ok(cairn_fields_set(&table, &o, "iterations", "1000"));
    assert_int_equal(o.iterations, 1000);
    assert_ok(cairn_fields_set(&table, &o, "iterations", " +7 "));
    assert_int_equal(o.iterations, 7);
    assert_ok(cairn_fields_set(&table, &o, "mass", "1e-3"));
    assert_same_bits(o.mass, 1e-3);
    assert_ok(cairn_fields_set(&table, &o, "mass", " 0x1.8p3 "));
    assert_same_bits(o.mass, 12);
    assert_ok(cairn_fields_set(&table, &o, "mass", "4.9406564584124654e-324")); // subnormal: no overflow
    assert_same_bits(o.mass, DBL_TRUE_MIN);
    assert_ok(cairn_fields_set(&table, &o, "bound", "inf"));
    assert_true(isinf(o.bound));
    assert_ok(cairn_fields_set(&table, &o, "gravity", "1,2,-3"));
    assert_vec3_near(o.gravity, ((CairnVec3){1, 2, -3}), 0);
    assert_ok(cairn_fields_set(&table, &o, "gravity", " 4 : 5 : 6 "));
    assert_vec3_near(o.gravity, ((CairnVec3){4, 5, 6}), 0);
    assert_ok(cairn_fields_set(&table, &o, "turn", "0.6,0,0.8,0"));
    assert_same_bits(o.turn.y, 0.8);
    assert_ok(cairn_fields_set(&table, &o, "friction", "box-current"));
    assert_int_equal(o.friction, 1);
    static const char *const words[] = {"true", "false", "on", "off", "yes", "no", "1", "0"};
    for (int i = 0; i < 8; i++) {
        o.faithful = i % 2 != 0;
        assert_ok(cairn_fields_set(&table, &o, "faithful", words[i]));
        assert_int_equal(o.faithful, i % 2 == 0);
    }
}

static void set_refuses_in_words(void **state) {
    (void)state;
    const CairnCode bad = CAIRN_INVALID_ARGUMENT, unknown = CAIRN_NOT_FOUND;
    check_set("iterations", "3.5", bad, "pgs: iterations is '3.5', must be an integer in [1, 1000]");
    check_set("iterations", "12x", bad, "pgs: iterations is '12x', must be an integer in [1, 1000]");
    check_set("iterations", "0x10", bad, "pgs: iterations is '0x10', must be an integer in [1, 1000]");
    check_set("iterations", "1 2", bad, "pgs: iterations is '1 2', must be an integer in [1, 1000]");
    check_set("iterations", "2147483648", bad, "pgs: iterations is '2147483648', must be an integer in [1, 1000]");
    check_set("iterations", "4294967297", bad, "pgs: iterations is '4294967297', must be an integer in [1, 1000]");
    check_set("iterations", "99999999999999999999", bad,
              "pgs: iterations is '99999999999999999999', must be an integer in [1, 1000]");
    check_set("iterations", "0", bad, "pgs: iterations is 0, must be in [1, 1000]");
    check_set("mass", "heavy", bad, "pgs: mass is 'heavy', must be a number in [0, inf) kg");
    check_set("mass", "1,5", bad, "pgs: mass is '1,5', must be a number in [0, inf) kg");
    check_set("mass", "1e999", bad, "pgs: mass is '1e999', must be a number in [0, inf) kg");
    check_set("mass", "-2", bad, "pgs: mass is -2, must be in [0, inf) kg");
    check_set("mass", "nan", bad, "pgs: mass is nan, must be in [0, inf) kg");
    check_set("mass", "inf", bad, "pgs: mass is inf, must be in [0, inf) kg");
    check_set("mass", "", bad, "pgs: mass has no value");
    check_set("mass", "  ", bad, "pgs: mass has no value");
    check_set("angle", "up", bad, "pgs: angle is 'up', must be a number in rad");
    check_set("faithful", "maybe", bad, "pgs: faithful is 'maybe', must be true or false");
    check_set("faithful", "2", bad, "pgs: faithful is '2', must be true or false");
    check_set("gravity", "1,2", bad, "pgs: gravity is '1,2', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_set("gravity", "1,2,3,4", bad, "pgs: gravity is '1,2,3,4', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_set("gravity", "1,,3", bad, "pgs: gravity is '1,,3', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_set("gravity", "1,2,", bad, "pgs: gravity is '1,2,', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_set("gravity", "1;2;3", bad, "pgs: gravity is '1;2;3', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_set("gravity", "0,500,0", bad, "pgs: gravity.y is 500, must be in [-100, 100] m/s^2");
    check_set("turn", "1,0,0", bad, "pgs: turn is '1,0,0', must be four numbers w:x:y:z");
    check_set("turn", "1,1,0,0", bad, "pgs: turn is 1:1:0:0, must be a quaternion w:x:y:z of unit length to 1e-6");
    check_set("friction", "cones", unknown, "pgs: friction is 'cones', must be one of box, box-current, cone, coulomb");
    check_set("friction", "Box", unknown, "pgs: friction is 'Box', must be one of box, box-current, cone, coulomb");
    check_set("friction", "2", unknown, "pgs: friction is '2', must be one of box, box-current, cone, coulomb");
    check_set(NULL, "2", bad, "pgs: name is NULL");
    check_set("mass", NULL, bad, "pgs: value is NULL");
}

static void unknown_names_list_the_near_ones(void **state) {
    (void)state;
    check_set("iteration", "3", CAIRN_NOT_FOUND, "pgs: unknown option 'iteration'; did you mean iterations?");
    check_set("itertaions", "3", CAIRN_NOT_FOUND, "pgs: unknown option 'itertaions'; did you mean iterations?");
    check_set("MASS", "3", CAIRN_NOT_FOUND, "pgs: unknown option 'MASS'; did you mean mass?");
    check_set("omega", "3", CAIRN_NOT_FOUND,
              "pgs: unknown option 'omega'; known are faithful, iterations, mass, ratio, bound, angle, gravity, turn, "
              "friction");
    check_set(
        "", "3", CAIRN_NOT_FOUND,
        "pgs: unknown option ''; known are faithful, iterations, mass, ratio, bound, angle, gravity, turn, friction");
    const CairnFieldTable nothing = {"none", sizeof(Options), NULL, 0};
    Options options = preset();
    check_message(cairn_fields_set(&nothing, &options, "a", "1"), CAIRN_NOT_FOUND,
                  "none: unknown option 'a'; there are no options");
}

static void long_texts_do_not_hide_the_message(void **state) {
    (void)state;
    char text[1000];
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    Options options = preset();
    // Nearly everything fits; the quoted text is cut, the range after it is not.
    assert_refused(cairn_fields_set(&table, &options, "iterations", text), CAIRN_INVALID_ARGUMENT,
                   "777', must be an integer in [1, 1000]");
    assert_refused(cairn_fields_set(&table, &options, text, "1"), CAIRN_NOT_FOUND, "777'; known are faithful");
    // A table with so many names that they cannot all be listed ends its list with dots.
    static CairnField many[40];
    for (int i = 0; i < 40; i++) {
        many[i] = fields[1];
    }
    const CairnFieldTable large = {"large", sizeof(Options), many, 40};
    assert_refused(cairn_fields_set(&large, &options, "x", "1"), CAIRN_NOT_FOUND, "iterations, ...");
}

// ---- lists ----

static void parse_applies_all_entries(void **state) {
    (void)state;
    Options o = preset();
    assert_ok(cairn_fields_parse(&table, &o, "iterations=20,mass=1e-3, gravity = 0:0:-1 ,friction=box,faithful=no"));
    assert_int_equal(o.iterations, 20);
    assert_same_bits(o.mass, 1e-3);
    assert_vec3_near(o.gravity, ((CairnVec3){0, 0, -1}), 0);
    assert_int_equal(o.friction, 0);
    assert_false(o.faithful);
    assert_ok(cairn_fields_parse(&table, &o, "mass=1,mass=2")); // the later one holds
    assert_same_bits(o.mass, 2);
    Options before = o;
    assert_ok(cairn_fields_parse(&table, &o, ""));
    assert_ok(cairn_fields_parse(&table, &o, "  "));
    assert_ok(cairn_fields_parse(&table, &o, NULL));
    assert_memory_equal(&o, &before, sizeof o);
}

static void parse_refuses_in_words(void **state) {
    (void)state;
    const CairnCode bad = CAIRN_INVALID_ARGUMENT;
    check_parse("mass=", bad, "pgs: mass has no value");
    check_parse("=3", bad, "pgs: entry 1 of '=3' has no name before '='");
    check_parse("mass=1,,ratio=1", bad, "pgs: entry 2 of 'mass=1,,ratio=1' is empty");
    check_parse("mass=1,", bad, "pgs: entry 2 of 'mass=1,' is empty");
    check_parse(",", bad, "pgs: entry 1 of ',' is empty");
    check_parse("mass=1, ,ratio=1", bad, "pgs: entry 2 of 'mass=1, ,ratio=1' is empty");
    check_parse("mass", bad, "pgs: entry 1, 'mass', has no '='; write name=value, and a vector as x:y:z");
    check_parse("gravity=0,0,-9.81", bad, "pgs: gravity is '0', must be three numbers x:y:z in [-100, 100] m/s^2");
    check_parse("mass=1=2", bad, "pgs: mass is '1=2', must be a number in [0, inf) kg");
    check_parse("mass==2", bad, "pgs: mass is '=2', must be a number in [0, inf) kg");
    check_parse("iteration=3", CAIRN_NOT_FOUND, "pgs: unknown option 'iteration'; did you mean iterations?");
    check_parse("iterations=0", bad, "pgs: iterations is 0, must be in [1, 1000]");
    char text[400] = "mass=";
    memset(text + 5, '1', 300);
    check_parse(text, bad, "pgs: the value of mass is longer than 159 characters");
    memset(text, 'm', 100);
    check_parse(text, CAIRN_NOT_FOUND, "pgs: the name of entry 1 is longer than any option's");
}

// Whatever entry is wrong, nothing of the list is applied.
static void parse_is_all_or_nothing(void **state) {
    (void)state;
    static const char *const good[] = {"iterations=20", "mass=7",       "ratio=1.5",    "bound=3",
                                       "angle=1",       "turn=0:1:0:0", "friction=box", "faithful=0"};
    static const char *const wrong[] = {"mass=-1", "x=1", "friction=x", "", "mass", "gravity=1:2", "iterations=1e3"};
    enum { GOOD = sizeof good / sizeof good[0], WRONG = sizeof wrong / sizeof wrong[0] };
    for (int place = 0; place <= GOOD; place++) {
        for (int w = 0; w < WRONG; w++) {
            char text[256] = "";
            size_t length = 0;
            for (int i = 0; i <= GOOD; i++) {
                const char *entry = i == place ? wrong[w] : good[i < place ? i : i - 1];
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : ",", entry);
            }
            Options options = preset(), before = options;
            assert_false(cairn_is_ok(cairn_fields_parse(&table, &options, text)));
            assert_memory_equal(&options, &before, sizeof options);
        }
    }
}

static void a_struct_too_large_to_copy_is_refused(void **state) {
    (void)state;
    static unsigned char object[5000];
    static const CairnFieldTable large = {"large", sizeof object, NULL, 0};
#ifdef CAIRN_CHECKS
    expect_assert_failure((void)cairn_fields_parse(&large, object, "a=1"));
#else
    assert_refused(cairn_fields_parse(&large, object, "a=1"), CAIRN_UNSUPPORTED, "a struct of 5000 bytes");
#endif
}

// ---- text ----

static double random_double(uint64_t *seed) {
    for (;;) {
        uint64_t bits = support_random(seed); // all exponents, subnormals too
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static void round_trip(const char *name, const Options *from) {
    Options read = preset();
    char text[128], entry[200];
    int length = cairn_fields_format(field_named(name), from, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_true(length < (int)sizeof text);
    assert_ok(cairn_fields_set(&table, &read, name, text));
    const CairnField *field = field_named(name);
    size_t size = field->type == CAIRN_TYPE_VEC3 ? 24 : field->type == CAIRN_TYPE_QUAT ? 32 : 8;
    size = field->type == CAIRN_TYPE_INT || field->type == CAIRN_TYPE_CHOICE ? sizeof(int) : size;
    size = field->type == CAIRN_TYPE_BOOL ? 1 : size;
    assert_memory_equal((const char *)&read + field->offset, (const char *)from + field->offset, size);
    Options parsed = preset();
    snprintf(entry, sizeof entry, "%s=%s", name, text);
    assert_ok(cairn_fields_parse(&table, &parsed, entry));
    assert_memory_equal((const char *)&parsed + field->offset, (const char *)from + field->offset, size);
}

static void format_reads_back_to_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < 5000; i++) {
        Options o = preset();
        o.angle = random_double(&seed);
        o.bound = fabs(random_double(&seed));
        o.gravity = support_vec3(&seed, -100, 100);
        o.turn = support_quat(&seed);
        o.iterations = support_int(&seed, 1, 1000);
        o.friction = support_int(&seed, 0, 3);
        o.faithful = support_int(&seed, 0, 1) == 1;
        for (int k = 0; k < table.count; k++) {
            round_trip(fields[k].name, &o);
        }
    }
    Options o = preset();
    o.angle = -0.0;
    round_trip("angle", &o);
    o.angle = DBL_MAX;
    round_trip("angle", &o);
    o.angle = -DBL_TRUE_MIN;
    round_trip("angle", &o);
    o.bound = (double)INFINITY;
    round_trip("bound", &o);
}

static void check_format(const char *name, const Options *object, const char *expected) {
    char text[128];
    assert_int_equal(cairn_fields_format(field_named(name), object, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void format_is_short(void **state) {
    (void)state;
    Options o = preset();
    check_format("angle", &o, "0.1");
    check_format("gravity", &o, "0:0:-9.81");
    check_format("turn", &o, "1:0:0:0");
    check_format("bound", &o, "inf");
    check_format("friction", &o, "cone");
    check_format("faithful", &o, "true");
    check_format("iterations", &o, "10");
    o.angle = 1.0 / 3;
    check_format("angle", &o, "0.3333333333333333");
    o.angle = (double)NAN;
    check_format("angle", &o, "nan");
    o.friction = 9; // no choice: its number, for a message
    check_format("friction", &o, "9");
    char text[5] = "####";
    assert_int_equal(cairn_fields_format(field_named("gravity"), &o, text, sizeof text), 9);
    assert_string_equal(text, "0:0:");
    assert_int_equal(cairn_fields_format(field_named("gravity"), &o, NULL, 0), 9);
}

static void check_help(const char *name, const char *expected) {
    char text[200], small[10];
    assert_int_equal(cairn_fields_help(field_named(name), text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    assert_int_equal(cairn_fields_help(field_named(name), small, sizeof small), strlen(expected));
    assert_int_equal(strlen(small), sizeof small - 1);
}

static void help_is_one_line(void **state) {
    (void)state;
    check_help("faithful", "  faithful          bool = true  as printed");
    check_help("iterations", "  iterations        int = 10  [1, 1000]  sweeps a step");
    check_help("mass", "  mass              double = 2.5  [0, inf) kg  of the body");
    check_help("ratio", "  ratio             double = 0.5  (0, 2)  over-relaxation");
    check_help("bound", "  bound             double = inf  [0, inf] N  largest force");
    check_help("angle", "  angle             double = 0.1 rad  of the slope");
    check_help("gravity", "  gravity           vec3 = 0:0:-9.81  [-100, 100] m/s^2  pulls");
    check_help("turn", "  turn              quat = 1:0:0:0  orientation");
    check_help("friction", "  friction          choice = cone  {box, box-current, cone, coulomb}  law of friction");
}

// ---- near names ----

static const char *const solvers[] = {"bpp",          "bpp-cholmod", "pgs",     "pgs-sm",   "schur-bpp",
                                      "schur-pgs-sm", "fbic",        "ipm",     "ipm-cone", "psor",
                                      "pssor",        "pj",          "subadmm", "fadmm",    "nnewton"};

static void check_near(const char *name, const char *expected) {
    char text[64];
    cairn_near_names(name, solvers, sizeof solvers / sizeof solvers[0], text, sizeof text);
    assert_string_equal(text, expected);
}

static void near_names_are_nearest_first(void **state) {
    (void)state;
    check_near("fbci", "fbic");                        // two neighbours swapped: one edit
    check_near("PSOR", "psor, pssor");                 // case is no difference
    check_near("pgs_sm", "pgs-sm, pgs, schur-pgs-sm"); // nor is which dash
    check_near("newton", "nnewton");                   // a letter left out
    check_near("subadm", "subadmm");
    check_near("schur", "schur-bpp, schur-pgs-sm"); // a beginning
    check_near("cholmod", "bpp-cholmod");           // a part inside
    check_near("pgs-solver", "pgs");                // a name with something behind it
    check_near("jacobi", "");
    check_near("", "");
    check_near("zzzzzzzz", "");
    char long_name[300];
    memset(long_name, 'p', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    check_near(long_name, "");
}

static void near_names_fit_or_stay_away(void **state) {
    (void)state;
    const char *const names[] = {"alpha", "alphb", "alphc", "alphd"};
    for (size_t size = 1; size < 30; size++) {
        char text[32];
        memset(text, '#', sizeof text);
        cairn_near_names("alph", names, 4, text, size);
        const char *expected = size <= 5    ? ""
                               : size <= 12 ? "alpha"
                               : size <= 19 ? "alpha, alphb"
                                            : "alpha, alphb, alphc";
        assert_string_equal(text, expected); // three at most, whole names only, in the order given where equally near
        assert_int_equal(text[size], '#');
    }
    cairn_near_names("alph", names, 4, NULL, 0);
    char text[8] = "#";
    cairn_near_names("alph", names, 0, text, sizeof text);
    assert_string_equal(text, "");
}

static void a_name_is_found_or_hinted_at(void **state) {
    (void)state;
    enum { COUNT = (int)(sizeof solvers / sizeof solvers[0]) };
    char hint[CAIRN_HINT_SIZE] = "as it was";
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(cairn_name_find(solvers[i], solvers, COUNT, hint), i);
    }
    assert_string_equal(hint, "as it was");
    assert_int_equal(cairn_name_find("PSOR", solvers, COUNT, hint), -1);
    assert_string_equal(hint, "; near: psor, pssor");
    assert_int_equal(cairn_name_find("zzzzzzzz", solvers, COUNT, hint), -1);
    assert_string_equal(hint, "");
    assert_int_equal(cairn_name_find("pgs", solvers, 0, hint), -1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_fill_the_fields_and_nothing_else),
        cmocka_unit_test(check_names_field_value_and_range),
        cmocka_unit_test(the_first_wrong_field_is_named),
        cmocka_unit_test(set_reads_every_type),
        cmocka_unit_test(set_refuses_in_words),
        cmocka_unit_test(unknown_names_list_the_near_ones),
        cmocka_unit_test(long_texts_do_not_hide_the_message),
        cmocka_unit_test(parse_applies_all_entries),
        cmocka_unit_test(parse_refuses_in_words),
        cmocka_unit_test(parse_is_all_or_nothing),
        cmocka_unit_test(a_struct_too_large_to_copy_is_refused),
        cmocka_unit_test(format_reads_back_to_the_same_bits),
        cmocka_unit_test(format_is_short),
        cmocka_unit_test(help_is_one_line),
        cmocka_unit_test(near_names_are_nearest_first),
        cmocka_unit_test(near_names_fit_or_stay_away),
        cmocka_unit_test(a_name_is_found_or_hinted_at),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
