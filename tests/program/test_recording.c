// Recordings: what is written is read back, a replay is the same to the bit, and what is broken is refused in words.
#include "demos/program/cli/program.h"
#include "demos/program/recording/recording.h"
#include "demos/program/recording/replay.h"
#include "engine/base/hash.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_holds(text, part)                                                                                       \
    do {                                                                                                               \
        if (!strstr(text, part)) {                                                                                     \
            fail_msg("'%s' does not hold '%s'", text, part);                                                           \
        }                                                                                                              \
    } while (0)

// ---- files ----

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static Bytes load(const char *name) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    Bytes bytes = {NULL, (size_t)ftell(file)};
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

static void save(const char *name, const unsigned char *data, size_t size) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static CairnStatus read_back(const char *name, CairnRecording *recording) {
    char path[128];
    support_path(name, path, sizeof path);
    return cairn_recording_read(path, recording);
}

static uint64_t take(const unsigned char *data, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; i++) {
        value |= (uint64_t)data[i] << (8 * i);
    }
    return value;
}

// ---- what is written ----

static void what_was_recorded_is_read_back(void **state) {
    (void)state;
    support_call_well("run box_tower --steps 90 --quiet --param boxes=3 --seed 7 --world gravity=0,0,-5 --solver "
                      "ipm:iterations=90 --record $/a.rec --csv $/a.csv");
    CairnRecording recording;
    assert_ok(read_back("a.rec", &recording));
    assert_int_equal(recording.count, 91);
    assert_int_equal(recording.first, 0);
    assert_string_equal(recording.options.scene, "box_tower");
    assert_string_equal(recording.options.solver, "ipm:iterations=90");
    assert_int_equal(recording.options.seed, 7);
    assert_int_equal(recording.options.settings.count, 1);
    assert_string_equal(recording.options.settings.items[0], "gravity=0,0,-5");
    // Run again by hand: hash and poses of every frame, looked at from the end to the beginning.
    CairnSession session;
    assert_ok(cairn_session_open(&recording.options, &session));
    uint64_t hashes[91];
    CairnVec3 places[91];
    CairnBodyId ids[8];
    assert_int_equal(cairn_world_bodies(session.world, ids, 8), 4);
    for (int frame = 0; frame <= 90; frame++) {
        CairnStats stats;
        CairnBodyState body;
        if (frame > 0) {
            assert_ok(cairn_session_step(&session, &stats));
            assert_true(recording.frames[frame].is_certified == stats.residual.is_certified);
            assert_true(recording.frames[frame].is_audited && recording.frames[frame].is_sound);
            assert_true(cairn_session_audited(&session)->is_sound);
            assert_true(recording.frames[frame].scaled == stats.residual.scaled);
            assert_true(recording.frames[frame].kinetic == stats.kinetic_energy);
            assert_int_equal(recording.frames[frame].contacts, stats.contacts);
        }
        assert_ok(cairn_body_get(session.world, ids[3], &body));
        places[frame] = body.position;
        hashes[frame] = cairn_world_state_hash(session.world);
    }
    for (int frame = 90; frame >= 0; frame--) {
        int count;
        const CairnRecordPose *poses = cairn_recording_poses(&recording, frame, &count);
        assert_int_equal(count, 4);
        assert_true(recording.frames[frame].hash == hashes[frame]);
        assert_true(poses[3].position[2] == (float)places[frame].z && poses[3].position[0] == (float)places[frame].x);
    }
    cairn_session_close(&session);
    cairn_recording_close(&recording);
}

static void what_lies_still_takes_no_room(void **state) {
    (void)state;
    support_call_well("run falling_box --steps 40 --quiet --world gravity=0,0,0 --record $/still.rec");
    support_call_well("run falling_box --steps 40 --quiet --record $/falls.rec");
    Bytes still = load("still.rec"), falls = load("falls.rec");
    // A pose is 28 bytes, and one body moves in 40 frames; the word of the setting takes 17.
    assert_int_equal(falls.size - still.size, 40 * 28 - 17);
    free(still.data);
    free(falls.data);
}

// ---- replay ----

static void a_replay_is_the_same_to_the_bit(void **state) {
    (void)state;
    static const char *const lines[] = {
        "log_tower --param logs=12 --steps 40", "cable_spinner --steps 20 --solver schur-bpp --part-size 8",
        "chain_drop --steps 30 --solver pgs --iterations 30", "granular_flow --param spheres=60 --steps 25"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[200];
        snprintf(line, sizeof line, "run %s --quiet --record $/b.rec", lines[i]);
        support_call_well(line);
        SupportCall *result = support_call_well("replay $/b.rec --threads 2 --json -");
        assert_holds(result->out, "the same to the bit: ");
        result = support_call_well("replay $/b.rec --quiet --json -");
        assert_near(support_json_number(result->out, "diverged_at"), -1, 0);
        assert_near(support_json_number(result->out, "replayed"), support_json_number(result->out, "frames"), 0);
    }
}

// A hand on the scene: the state of the moment is in the file, and the replay goes on from it; going back forgets what
// came after.
static void a_replay_follows_a_hand(void **state) {
    (void)state;
    CairnRunOptions options = cairn_run_options();
    options.scene = "box_tower";
    options.params.items[options.params.count++] = "boxes=4";
    CairnSession session;
    CairnStats stats;
    CairnRecorder recorder;
    CairnRecording recording;
    char path[128];
    support_path("hand.rec", path, sizeof path);
    assert_ok(cairn_session_open(&options, &session));
    assert_ok(cairn_recorder_open(&recorder, path, &options, &session));
    CairnBodyId ids[8];
    int bodies = cairn_world_bodies(session.world, ids, 8);
    uint64_t hash = 0;
    for (int frame = 1; frame <= 30; frame++) {
        assert_ok(cairn_session_step(&session, &stats));
        assert_ok(cairn_recorder_add(&recorder, &session, &stats));
        if (frame == 12) {
            assert_ok(
                cairn_body_set_velocity(session.world, ids[bodies - 1], cairn_vec3(1, 0, 2), cairn_vec3(0, 0, 0)));
            assert_ok(cairn_recorder_key(&recorder, &session));
        }
        if (frame == 16) { // all that solves it is another one from here on, and the key says so
            assert_ok(cairn_session_change(&session, "schur-pgs-sm:iterations=7", "bfs:part_size=2", "kl"));
            assert_ok(cairn_recorder_key(&recorder, &session));
        }
        hash = frame == 20 ? cairn_world_state_hash(session.world) : hash;
    }
    assert_ok(cairn_recorder_cut(&recorder, 20));
    assert_ok(cairn_recorder_close(&recorder));
    assert_ok(cairn_recording_read(path, &recording));
    assert_int_equal(recording.count, 21);
    assert_true(recording.frames[20].hash == hash);
    cairn_recording_close(&recording);
    assert_holds(support_call_well("replay $/hand.rec")->out, "the same to the bit: 20 of 20 frames");
    cairn_session_close(&session);
}

static void a_recording_may_begin_in_the_middle_of_a_run(void **state) {
    (void)state;
    CairnRunOptions options = cairn_run_options();
    options.scene = "box_tower";
    options.params.items[options.params.count++] = "boxes=4";
    CairnSession session;
    CairnStats stats;
    CairnRecorder recorder;
    char path[128];
    support_path("middle.rec", path, sizeof path);
    assert_ok(cairn_session_open(&options, &session));
    for (int frame = 0; frame < 30; frame++) {
        assert_ok(cairn_session_step(&session, &stats));
    }
    assert_ok(cairn_recorder_open(&recorder, path, &options, &session));
    for (int frame = 0; frame < 10; frame++) {
        assert_ok(cairn_session_step(&session, &stats));
        assert_ok(cairn_recorder_add(&recorder, &session, &stats));
    }
    assert_ok(cairn_recorder_close(&recorder));
    cairn_session_close(&session);
    SupportCall *result = support_call_well("replay $/middle.rec");
    assert_holds(result->out, "from frame 30 on");
    assert_holds(result->out, "the same to the bit: 10 of 10 frames");
}

// Where the checksum of a block lies whose payload is at `at`.
static void sign(Bytes *bytes, size_t start) {
    uint64_t size = take(bytes->data + start + 4, 8), sum = cairn_hash_bytes(bytes->data + start, 12 + (size_t)size);
    for (int i = 0; i < 8; i++) {
        bytes->data[start + 12 + size + (size_t)i] = (unsigned char)(sum >> (8 * i));
    }
}

// The block of frame `frame`.
static size_t find_frame(const Bytes *bytes, int frame) {
    size_t at = 16;
    for (int seen = -1;; at += 12 + (size_t)take(bytes->data + at + 4, 8) + 8) {
        assert_true(at < bytes->size);
        seen += take(bytes->data + at, 4) == 2;
        if (seen == frame) {
            return at;
        }
    }
}

static void a_replay_names_the_frame_where_it_parts(void **state) {
    (void)state;
    support_call_well("run box_tower --steps 40 --quiet --record $/c.rec");
    Bytes bytes = load("c.rec");
    size_t start = find_frame(&bytes, 23);
    bytes.data[start + 13] ^= 1; // of the hash, the first number but one
    sign(&bytes, start);
    save("parted.rec", bytes.data, bytes.size);
    SupportCall *result = support_call("replay $/parted.rec --json $/parted.json");
    assert_int_equal(result->code, CAIRN_EXIT_FAILED);
    assert_holds(result->err, "parts from the recording at frame 23 of 40");
    assert_holds(result->err, "single precision");
    char json[4096];
    support_read("parted.json", json, sizeof json);
    assert_near(support_json_number(json, "diverged_at"), 23, 0);
    // Another parameter, of the same length, in what was asked for.
    for (size_t i = 0; i + 9 < bytes.size; i++) {
        if (memcmp(bytes.data + i, "friction=", 9) == 0) {
            bytes.data[i + 9] = '1';
            break;
        }
    }
    sign(&bytes, 16);
    save("parted.rec", bytes.data, bytes.size);
    result = support_call("replay $/parted.rec");
    assert_int_equal(result->code, CAIRN_EXIT_FAILED);
    assert_holds(result->err, "parts from the recording at frame ");
    free(bytes.data);
}

// ---- what is broken ----

static void what_is_cut_off_is_refused(void **state) {
    (void)state;
    support_call_well("run box_tower --param boxes=2 --steps 6 --quiet --record $/d.rec");
    Bytes bytes = load("d.rec");
    for (size_t size = 0; size < bytes.size; size++) {
        CairnRecording recording;
        save("cut.rec", bytes.data, size);
        CairnStatus status = read_back("cut.rec", &recording);
        assert_int_equal(status.code, CAIRN_CORRUPT);
        assert_non_null(strstr(status.message, size < 16 ? "no recording" : "ends too soon"));
        assert_null(recording.bytes);
    }
    bytes.data = realloc(bytes.data, bytes.size + 2);
    assert_non_null(bytes.data);
    bytes.data[bytes.size] = 0;
    save("long.rec", bytes.data, bytes.size + 1);
    CairnRecording recording;
    assert_int_equal(read_back("long.rec", &recording).code, CAIRN_CORRUPT);
    bytes.data[8] = 4;
    save("new.rec", bytes.data, bytes.size);
    CairnStatus status = read_back("new.rec", &recording);
    assert_int_equal(status.code, CAIRN_UNSUPPORTED);
    assert_non_null(strstr(status.message, "version is 4, this program reads 2 and 3"));
    free(bytes.data);
}

// A file of version 2 is one of version 3 without the audit's byte, the 19th of a frame.
static void a_recording_without_audits_is_read(void **state) {
    (void)state;
    support_call_well("run box_tower --param boxes=2 --steps 6 --quiet --record $/h.rec");
    Bytes bytes = load("h.rec");
    for (int frame = 0; frame <= 6; frame++) {
        size_t start = find_frame(&bytes, frame), gone = start + 12 + 18;
        bytes.data[start + 4] = (unsigned char)(bytes.data[start + 4] - 1); // the low byte of its size
        memmove(bytes.data + gone, bytes.data + gone + 1, bytes.size - gone - 1);
        bytes.size--;
        sign(&bytes, start);
    }
    bytes.data[8] = 2;
    save("old.rec", bytes.data, bytes.size);
    CairnRecording recording;
    assert_ok(read_back("old.rec", &recording));
    assert_int_equal(recording.count, 7);
    assert_true(recording.frames[6].is_certified);
    assert_false(recording.frames[6].is_audited);
    cairn_recording_close(&recording);
    SupportCall *result = support_call("replay $/old.rec");
    assert_int_equal(result->code, CAIRN_EXIT_DONE);
    assert_holds(result->out, "sound frames");
    assert_holds(result->out, "the same to the bit: 6 of 6 frames");
    free(bytes.data);
}

static void every_flipped_bit_is_seen(void **state) {
    (void)state;
    support_call_well("run box_tower --param boxes=2 --steps 6 --quiet --record $/e.rec");
    Bytes bytes = load("e.rec");
    for (size_t i = 0; i < bytes.size; i++) {
        CairnRecording recording;
        unsigned char bit = (unsigned char)(1u << (i % 8));
        bytes.data[i] ^= bit;
        save("flip.rec", bytes.data, bytes.size);
        CairnStatus status = read_back("flip.rec", &recording);
        bytes.data[i] ^= bit;
        assert_true(status.code == CAIRN_CORRUPT || (i >= 8 && i < 16 && status.code == CAIRN_UNSUPPORTED));
    }
    free(bytes.data);
}

// Bytes with right checksums may come from anywhere: whatever is in them, reading and replaying ends in words. What is
// accepted can be used: its poses are looked at.
static void damage_with_right_checksums_does_no_harm(void **state) {
    (void)state;
    support_call_well("run box_tower --param boxes=2 --steps 6 --quiet --record $/f.rec");
    Bytes bytes = load("f.rec");
    uint64_t random = 5;
    int refused = 0, accepted = 0;
    for (int round = 0; round < 3000; round++) {
        unsigned char *copy = malloc(bytes.size);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.size);
        random = cairn_hash_mix(random + (uint64_t)round);
        size_t at = 16;
        for (uint64_t skip = random % 9; skip > 0; skip--) { // 9 blocks: asked, 7 frames, end
            at += 12 + (size_t)take(copy + at + 4, 8) + 8;
        }
        size_t size = (size_t)take(copy + at + 4, 8);
        copy[at + 12 + (size_t)(random >> 8) % size] = (unsigned char)(random >> 40);
        copy[at + 12 + (size_t)(random >> 24) % size] = round % 2 ? 0xFF : (unsigned char)(random >> 48);
        Bytes damaged = {copy, bytes.size};
        sign(&damaged, at);
        save("damaged.rec", copy, bytes.size);
        free(copy);
        CairnRecording recording;
        CairnStatus status = read_back("damaged.rec", &recording);
        refused += !cairn_is_ok(status);
        accepted += cairn_is_ok(status);
        for (int i = 0; cairn_is_ok(status) && i < recording.count; i++) {
            int count;
            const CairnRecordPose *poses = cairn_recording_poses(&recording, (i * 5) % recording.count, &count);
            for (int k = 0; k < count; k++) {
                assert_true(isfinite((double)poses[k].position[0]));
            }
        }
        CairnSession session;
        if (cairn_is_ok(status) && round % 16 == 0 && cairn_is_ok(cairn_session_open(&recording.options, &session))) {
            cairn_session_close(&session);
        }
        cairn_recording_close(&recording);
    }
    assert_true(refused > 300 && accepted > 300);
    free(bytes.data);
}

static void wrong_usage_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"replay", "which recording"},           {"replay $/none.rec", "cannot read it"},
        {"replay $/stdout", "no recording"},     {"replay a b", "one recording"},
        {"replay $/a.rec --steps 0", "--steps"}, {"replay $/a.rec --sped 1", "--sped"},
        {"replay $/a.rec --view", "no viewer"},  {"run box_tower --steps 2 --quiet --record $/none/a.rec", "--record"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *result = support_call(cases[i].line);
        assert_int_equal(result->code, CAIRN_EXIT_USAGE);
        assert_holds(result->err, cases[i].words);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_recorded_is_read_back),
        cmocka_unit_test(what_lies_still_takes_no_room),
        cmocka_unit_test(a_replay_is_the_same_to_the_bit),
        cmocka_unit_test(a_replay_follows_a_hand),
        cmocka_unit_test(a_recording_may_begin_in_the_middle_of_a_run),
        cmocka_unit_test(a_replay_names_the_frame_where_it_parts),
        cmocka_unit_test(what_is_cut_off_is_refused),
        cmocka_unit_test(a_recording_without_audits_is_read),
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(damage_with_right_checksums_does_no_harm),
        cmocka_unit_test(wrong_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
