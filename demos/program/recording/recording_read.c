// Reading recordings. Nothing of the file is believed before it was held against the bytes that are there.
#include "demos/program/recording/recording.h"
#include "demos/program/recording/recording_blocks.h"
#include "demos/program/session/reserve.h"
#include "engine/base/hash.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static CairnStatus corrupt(const CairnRecording *recording, const char *what) {
    return cairn_error(CAIRN_CORRUPT, "recording: %s, after %d frames", what, recording->count);
}

// ---- the options of the run ----

// A copy with a NUL behind it. `texts` has room for every byte of the file.
static CairnStatus take_text(CairnRecording *recording, CairnBytesReader *reader, const char **result) {
    const char *text;
    size_t length;
    cairn_bytes_take_text(reader, &text, &length);
    *result = NULL;
    if (!text) {
        return cairn_ok();
    }
    if (memchr(text, '\0', length)) {
        return corrupt(recording, "a word has a zero inside");
    }
    char *copy = recording->texts + recording->text_used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    recording->text_used += length + 1;
    *result = copy;
    return cairn_ok();
}

static CairnStatus take_list(CairnRecording *recording, CairnBytesReader *reader, CairnTextList *list) {
    uint64_t count = cairn_bytes_take_uint(reader, 4);
    if (count > CAIRN_RUN_LIST) {
        return corrupt(recording, "it has too many parameters or settings");
    }
    for (uint64_t i = 0; i < count; i++) {
        CAIRN_TRY(take_text(recording, reader, &list->items[i]));
        const char *pair = list->items[i], *equals = pair ? strchr(pair, '=') : NULL;
        if (!equals || equals == pair) {
            return corrupt(recording, "a parameter is not name=value");
        }
        list->count++;
    }
    return cairn_ok();
}

static CairnStatus take_options(CairnRecording *recording, CairnBytesReader *reader) {
    CairnRunOptions *options = &recording->options;
    *options = cairn_run_options();
    const char **const words[] = {&recording->version, &options->scene,  &options->solver,
                                  &options->partition, &options->refine, &options->budget};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        CAIRN_TRY(take_text(recording, reader, words[i]));
    }
    options->dt = cairn_bytes_take_double(reader);
    uint64_t steps = cairn_bytes_take_uint(reader, 4), first = cairn_bytes_take_uint(reader, 4);
    options->seed = cairn_bytes_take_uint(reader, 8);
    uint64_t friction = cairn_bytes_take_uint(reader, 4);
    CAIRN_TRY(take_list(recording, reader, &options->params));
    CAIRN_TRY(take_list(recording, reader, &options->settings));
    bool is_sound = !reader->has_failed && reader->at == reader->size && recording->version && options->scene &&
                    options->solver && options->refine && options->dt > 0 && options->dt <= 1 && steps >= 1 &&
                    steps <= CAIRN_RUN_STEPS_MAX && first <= CAIRN_RUN_STEPS_MAX &&
                    friction <= CAIRN_FRICTION_KIND_COUNT;
    if (!is_sound) {
        return corrupt(recording, "what was asked for makes no sense");
    }
    options->steps = (int)steps;
    recording->first = (int)first;
    options->has_friction = friction > 0;
    options->friction = friction > 0 ? (CairnFrictionKind)(friction - 1) : CAIRN_FRICTION_BOX;
    return cairn_ok();
}

// ---- frames ----

static int bits_of(unsigned mask) {
    int count = 0;
    for (; mask; mask &= mask - 1) {
        count++;
    }
    return count;
}

// Checks that the mask and the poses behind it have their stated lengths, that every pose is finite, and that none is
// missing where all are written.
static CairnStatus check_poses(CairnRecording *recording, const CairnRecordFrame *frame) {
    CairnBytesReader reader = {recording->bytes + frame->poses_at, frame->poses_size, 0, false};
    uint64_t count = cairn_bytes_take_uint(&reader, 4), moved = 0;
    const unsigned char *mask = cairn_bytes_take(&reader, (size_t)(count + 7) / 8);
    for (uint64_t i = 0; mask && i < count; i += 8) {
        unsigned allowed = count - i >= 8 ? 0xFFu : (1u << (count - i)) - 1;
        if ((mask[i / 8] & ~allowed) != 0 || (frame->has_all && mask[i / 8] != allowed)) {
            return corrupt(recording, "the list of bodies that moved is wrong");
        }
        moved += (uint64_t)bits_of(mask[i / 8]);
    }
    if (!mask || (reader.size - reader.at) / CAIRN_RECORD_POSE != moved ||
        (reader.size - reader.at) % CAIRN_RECORD_POSE != 0) {
        return corrupt(recording, "there are more or fewer poses than it says");
    }
    while (reader.at < reader.size) {
        if (!isfinite(cairn_bytes_take_float(&reader))) {
            return corrupt(recording, "a pose is not finite");
        }
    }
    recording->pose_capacity = (int)count > recording->pose_capacity ? (int)count : recording->pose_capacity;
    return cairn_ok();
}

static CairnStatus take_frame(CairnRecording *recording, CairnBytesReader *reader) {
    int needed = recording->count + 1;
    if (!cairn_array_reserve(&recording->frames, &recording->capacity, needed, sizeof *recording->frames)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "recording: no memory for %d frames", needed);
    }
    CairnRecordFrame frame = {.key = NULL};
    uint64_t has_all = cairn_bytes_take_uint(reader, 1);
    frame.has_all = has_all == 1;
    frame.hash = cairn_bytes_take_uint(reader, 8);
    frame.time = cairn_bytes_take_double(reader);
    uint64_t certified = cairn_bytes_take_uint(reader, 1);
    uint64_t audit = recording->has_audits ? cairn_bytes_take_uint(reader, 1) : CAIRN_RECORD_NOT_AUDITED;
    uint64_t outcome = cairn_bytes_take_uint(reader, 1);
    frame.is_certified = certified == 1;
    frame.is_audited = audit != CAIRN_RECORD_NOT_AUDITED;
    frame.is_sound = audit == 1;
    frame.outcome = (CairnOutcome)outcome;
    int *const counts[] = {&frame.iterations, &frame.contacts, &frame.rows};
    bool is_whole = has_all <= 1 && certified <= 1 && audit <= CAIRN_RECORD_NOT_AUDITED &&
                    outcome < CAIRN_OUTCOME_COUNT && isfinite(frame.time) && (frame.has_all || recording->count > 0);
    for (int i = 0; i < 3; i++) {
        uint64_t value = cairn_bytes_take_uint(reader, 4);
        is_whole = is_whole && value <= INT32_MAX;
        *counts[i] = (int)(value & INT32_MAX);
    }
    frame.step_ms = (double)cairn_bytes_take_float(reader);
    frame.solve_ms = (double)cairn_bytes_take_float(reader);
    double *const numbers[] = {&frame.natural,     &frame.scaled,  &frame.limit,    &frame.penetration,
                               &frame.joint_error, &frame.kinetic, &frame.potential};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = cairn_bytes_take_double(reader);
    }
    if (!is_whole || reader->has_failed) {
        return corrupt(recording, "the numbers of a frame make no sense");
    }
    frame.poses_at = (size_t)(reader->data - recording->bytes) + reader->at;
    frame.poses_size = reader->size - reader->at;
    CAIRN_TRY(check_poses(recording, &frame));
    recording->frames[recording->count++] = frame;
    return cairn_ok();
}

static CairnStatus take_key(CairnRecording *recording, CairnBytesReader *reader) {
    if (recording->count == 0) {
        return corrupt(recording, "a state comes before the first frame");
    }
    CairnRecordFrame *frame = &recording->frames[recording->count - 1];
    CAIRN_TRY(take_text(recording, reader, &frame->key_solver));
    CAIRN_TRY(take_text(recording, reader, &frame->key_partition));
    CAIRN_TRY(take_text(recording, reader, &frame->key_refine));
    frame->key_size = reader->size - reader->at;
    frame->key = cairn_bytes_take(reader, frame->key_size);
    return frame->key_solver && frame->key_partition && frame->key_refine && frame->key
               ? cairn_ok()
               : corrupt(recording, "a state makes no sense");
}

// ---- blocks ----

static CairnStatus take_block(CairnRecording *recording, CairnBytesReader *file, CairnRecordKind *kind) {
    const unsigned char *start = file->data + file->at;
    *kind = (CairnRecordKind)cairn_bytes_take_uint(file, 4);
    uint64_t size = cairn_bytes_take_uint(file, 8);
    if (file->has_failed || size > file->size - file->at || file->size - file->at - size < CAIRN_RECORD_SUM) {
        return corrupt(recording, "the file ends too soon (the run was interrupted, or the file was cut off)");
    }
    CairnBytesReader payload = {cairn_bytes_take(file, (size_t)size), (size_t)size, 0, false};
    if (cairn_bytes_take_uint(file, CAIRN_RECORD_SUM) != cairn_hash_bytes(start, CAIRN_RECORD_HEAD + (size_t)size)) {
        return corrupt(recording, "a checksum does not match: the bytes were changed");
    }
    bool is_first = recording->options.scene == NULL;
    if (is_first != (*kind == CAIRN_RECORD_OPTIONS)) {
        return corrupt(recording, "its blocks are in no order");
    }
    switch (*kind) {
    case CAIRN_RECORD_OPTIONS:
        return take_options(recording, &payload);
    case CAIRN_RECORD_FRAME:
        return take_frame(recording, &payload);
    case CAIRN_RECORD_KEY:
        return take_key(recording, &payload);
    case CAIRN_RECORD_END:
        return cairn_bytes_take_uint(&payload, 4) == (uint64_t)recording->count && payload.at == payload.size &&
                       recording->count > 0 && file->at == file->size
                   ? cairn_ok()
                   : corrupt(recording, "it does not end where it says");
    default:
        return corrupt(recording, "a block is of no known kind");
    }
}

static CairnStatus take_file(CairnRecording *recording) {
    CairnBytesReader file = {recording->bytes, recording->size, 0, false};
    uint64_t magic = cairn_bytes_take_uint(&file, 8), version = cairn_bytes_take_uint(&file, 8);
    if (file.has_failed || magic != CAIRN_RECORD_MAGIC) {
        return cairn_error(CAIRN_CORRUPT, "recording: these %zu bytes are no recording", recording->size);
    }
    recording->has_audits = version == CAIRN_RECORD_VERSION;
    if (version != CAIRN_RECORD_VERSION && version != CAIRN_RECORD_UNAUDITED) {
        return cairn_error(CAIRN_UNSUPPORTED, "recording: version is %llu, this program reads %d and %d",
                           (unsigned long long)version, (int)CAIRN_RECORD_UNAUDITED, (int)CAIRN_RECORD_VERSION);
    }
    CairnRecordKind kind = CAIRN_RECORD_OPTIONS;
    while (kind != CAIRN_RECORD_END) {
        CAIRN_TRY(take_block(recording, &file, &kind));
    }
    recording->poses = calloc((size_t)recording->pose_capacity + 1, sizeof *recording->poses);
    recording->pose_frame = -1;
    return recording->poses ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "recording: no memory for its poses");
}

static CairnStatus load(const char *path, CairnRecording *recording) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return cairn_error(CAIRN_IO, "cannot read it: %s", strerror(errno));
    }
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    CairnStatus status = cairn_error(CAIRN_IO, "cannot read it");
    if (length >= 0 && length < INT64_C(1) << 40 && fseek(file, 0, SEEK_SET) == 0) {
        recording->size = (size_t)length;
        recording->bytes = malloc(recording->size + 1);
        // A word takes four bytes of the file at least, which is more than its NUL.
        recording->texts = malloc(recording->size + 1);
        bool has_memory = recording->bytes && recording->texts;
        status = !has_memory ? cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for its %ld bytes", length)
                 : fread(recording->bytes, 1, recording->size, file) == recording->size ? cairn_ok()
                                                                                        : status;
    }
    fclose(file);
    return status;
}

CairnStatus cairn_recording_read(const char *path, CairnRecording *recording) {
    *recording = (CairnRecording){.bytes = NULL};
    CairnStatus status = load(path, recording);
    status = cairn_is_ok(status) ? take_file(recording) : status;
    if (!cairn_is_ok(status)) {
        cairn_recording_close(recording);
        return cairn_error(status.code, "%.100s: %.130s", path, status.message);
    }
    return status;
}

bool cairn_recording_is(const char *path) {
    unsigned char start[8];
    FILE *file = fopen(path, "rb");
    bool is_read = file && fread(start, 1, sizeof start, file) == sizeof start;
    if (file) {
        fclose(file);
    }
    CairnBytesReader reader = {start, sizeof start, 0, false};
    return is_read && cairn_bytes_take_uint(&reader, 8) == CAIRN_RECORD_MAGIC;
}

void cairn_recording_close(CairnRecording *recording) {
    free(recording->bytes);
    free(recording->texts);
    free(recording->frames);
    free(recording->poses);
    *recording = (CairnRecording){.bytes = NULL};
}

// ---- poses ----

static void apply_poses(CairnRecording *recording, const CairnRecordFrame *frame) {
    CairnBytesReader reader = {recording->bytes + frame->poses_at, frame->poses_size, 0, false};
    int count = (int)cairn_bytes_take_uint(&reader, 4);
    const unsigned char *mask = cairn_bytes_take(&reader, ((size_t)count + 7) / 8);
    for (int i = 0; mask && i < count; i++) {
        CairnRecordPose *pose = &recording->poses[i];
        for (int k = 0; k < 7 && ((unsigned)mask[i / 8] >> (i % 8) & 1u) != 0; k++) {
            float value = cairn_bytes_take_float(&reader);
            *(k < 3 ? &pose->position[k] : &pose->turn[k - 3]) = value;
        }
    }
    recording->pose_count = count;
}

const CairnRecordPose *cairn_recording_poses(CairnRecording *recording, int frame, int *count) {
    int from = recording->pose_frame;
    if (from < 0 || from > frame || frame - from > CAIRN_RECORD_WHOLE) {
        for (from = frame; !recording->frames[from].has_all; from--) {
        }
        from--;
    }
    while (from < frame) {
        apply_poses(recording, &recording->frames[++from]);
    }
    recording->pose_frame = frame;
    *count = recording->pose_count;
    return recording->poses;
}
