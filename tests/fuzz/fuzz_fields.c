// Arbitrary text for cairn_fields_parse: it never crashes, an error leaves the object as it was, and a success leaves
// an object that passes its own check and survives a round trip through text bit by bit.
#include <cairn/fields.h>
#include <cairn/math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample {
    bool flag;
    int count;
    double size;
    double limit;
    CairnVec3 axis;
    CairnQuat turn;
    int kind;
} Sample;

static const char *const kinds[] = {"box", "cone", "coulomb", NULL};
static const CairnField fields[] = {
    CAIRN_FIELD_BOOL(Sample, flag, 1, "a truth"),
    CAIRN_FIELD_INT(Sample, count, 3, -5, 1000, "a count"),
    CAIRN_FIELD_DOUBLE(Sample, size, 0.5, 0, 10, CAIRN_FIELD_OPEN_MIN, "m", "a size"),
    CAIRN_FIELD_DOUBLE(Sample, limit, 1, 0, 1e300, CAIRN_FIELD_INFINITE, "N", "a limit"),
    CAIRN_FIELD_VEC3(Sample, axis, 0, 0, 1, -100, 100, "m", "an axis"),
    CAIRN_FIELD_QUAT(Sample, turn, "a turn"),
    CAIRN_FIELD_CHOICE(Sample, kind, 0, kinds, "a kind"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("sample", Sample, fields);

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

// Bit by bit, padding too: "unchanged" is meant literally.
static bool is_same(const void *a, const void *b) {
    return memcmp(a, b, sizeof(Sample)) == 0;
}

static void require_round_trip(const Sample *sample) {
    Sample copy;
    memset(&copy, 0, sizeof copy);
    cairn_fields_preset(&table, &copy);
    for (int i = 0; i < table.count; i++) {
        char text[256];
        int length = cairn_fields_format(&fields[i], sample, text, sizeof text);
        require(length > 0 && (size_t)length < sizeof text);
        require(cairn_is_ok(cairn_fields_set(&table, &copy, fields[i].name, text)));
    }
    require(is_same(&copy, sample));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';

    Sample sample, before;
    memset(&sample, 0, sizeof sample); // the padding has to be something
    cairn_fields_preset(&table, &sample);
    memcpy(&before, &sample, sizeof before);
    CairnStatus status = cairn_fields_parse(&table, &sample, text);
    if (cairn_is_ok(status)) {
        require(cairn_is_ok(cairn_fields_check(&table, &sample)));
        require_round_trip(&sample);
    } else {
        require(status.message[0] != '\0' && memchr(status.message, '\0', sizeof status.message) != NULL);
        require(is_same(&before, &sample));
    }
    free(text);
    return 0;
}
