#include "demos/program/recording/recording.h"
#include "demos/program/recording/recording_blocks.h"
#include "demos/program/session/reserve.h"
#include "engine/base/hash.h"
#include <cairn/version.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static CairnStatus no_memory(void) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the recording");
}

static CairnStatus cannot_write(const CairnRecorder *recorder) {
    return cairn_error(CAIRN_IO, "option --record: cannot write %.150s: %s", recorder->path, strerror(errno));
}

// ---- blocks ----

static void begin_block(CairnRecorder *recorder, CairnRecordKind kind) {
    recorder->bytes.size = 0;
    cairn_bytes_put_uint(&recorder->bytes, kind, 4);
    cairn_bytes_put_uint(&recorder->bytes, 0, 8); // the size, known at the end
}

static CairnStatus end_block(CairnRecorder *recorder) {
    CairnBytes *bytes = &recorder->bytes;
    if (bytes->has_failed) {
        return no_memory();
    }
    uint64_t payload = bytes->size - CAIRN_RECORD_HEAD;
    for (int i = 0; i < 8; i++) {
        bytes->data[4 + i] = (unsigned char)(payload >> (8 * i));
    }
    cairn_bytes_put_uint(bytes, cairn_hash_bytes(bytes->data, bytes->size), CAIRN_RECORD_SUM);
    if (bytes->has_failed) {
        return no_memory();
    }
    return fwrite(bytes->data, 1, bytes->size, recorder->file) == bytes->size ? cairn_ok() : cannot_write(recorder);
}

static void put_list(CairnBytes *bytes, const CairnTextList *list) {
    cairn_bytes_put_uint(bytes, (uint64_t)list->count, 4);
    for (int i = 0; i < list->count; i++) {
        cairn_bytes_put_text(bytes, list->items[i]);
    }
}

// All parameters as they are, not only those that were given: a default may be another one tomorrow.
static void put_params(CairnBytes *bytes, const CairnSession *session) {
    const CairnFieldTable *table = &session->scene->params;
    cairn_bytes_put_uint(bytes, (uint64_t)table->count, 4);
    for (int i = 0; i < table->count; i++) {
        char value[160], pair[CAIRN_NAME_SIZE + 170];
        cairn_fields_format(&table->fields[i], session->params, value, sizeof value);
        snprintf(pair, sizeof pair, "%.*s=%s", (int)CAIRN_NAME_SIZE - 1, table->fields[i].name, value);
        cairn_bytes_put_text(bytes, pair);
    }
}

static CairnStatus put_options(CairnRecorder *recorder, const CairnRunOptions *options, const CairnSession *session) {
    CairnBytes *bytes = &recorder->bytes;
    CairnSessionSetup setup;
    CAIRN_TRY(cairn_session_setup(session, &setup));
    begin_block(recorder, CAIRN_RECORD_OPTIONS);
    cairn_bytes_put_text(bytes, cairn_version());
    cairn_bytes_put_text(bytes, options->scene);
    bool has_parts = (session->choice.solver->traits & CAIRN_NEEDS_PARTITION) != 0 ||
                     strcmp(session->partitioner->name, "none") != 0;
    cairn_bytes_put_text(bytes, setup.solver);
    cairn_bytes_put_text(bytes,
                         has_parts ? setup.partition : NULL); // so that a replay with another solver has parts
    cairn_bytes_put_text(bytes, setup.refine);
    cairn_bytes_put_text(bytes, options->budget);
    cairn_bytes_put_double(bytes, session->dt);
    cairn_bytes_put_uint(bytes, (uint64_t)session->steps, 4);
    cairn_bytes_put_uint(bytes, cairn_world_step_index(session->world), 4);
    cairn_bytes_put_uint(bytes, options->seed, 8);
    cairn_bytes_put_uint(bytes, options->has_friction ? 1 + (uint64_t)options->friction : 0, 4);
    put_params(bytes, session);
    put_list(bytes, &options->settings);
    return end_block(recorder);
}

// ---- poses ----

static CairnStatus reserve(CairnRecorder *recorder, int ids, int poses) {
    int last = recorder->pose_capacity, next = recorder->pose_capacity; // both arrays are as long
    bool has_room = cairn_array_reserve(&recorder->ids, &recorder->id_capacity, ids, sizeof *recorder->ids) &&
                    cairn_array_reserve(&recorder->last, &last, poses, sizeof *recorder->last) &&
                    cairn_array_reserve(&recorder->next, &next, poses, sizeof *recorder->next);
    recorder->pose_capacity = has_room ? next : recorder->pose_capacity;
    return has_room ? cairn_ok() : no_memory();
}

static CairnStatus gather_poses(CairnRecorder *recorder, const CairnWorld *world) {
    int count = cairn_world_bodies(world, NULL, 0), slots = 0;
    CAIRN_TRY(reserve(recorder, count, 0));
    cairn_world_bodies(world, recorder->ids, count);
    for (int i = 0; i < count; i++) {
        slots = (int)recorder->ids[i].index > slots ? (int)recorder->ids[i].index : slots;
    }
    CAIRN_TRY(reserve(recorder, count, slots));
    recorder->next_count = slots;
    for (int i = 0; i < slots; i++) {
        recorder->next[i] = (CairnRecordPose){.turn = {0}};
    }
    for (int i = 0; i < count; i++) {
        CairnBodyState body;
        CAIRN_TRY(cairn_body_get(world, recorder->ids[i], &body));
        CairnVec3 p = body.position;
        CairnQuat q = body.orientation;
        recorder->next[recorder->ids[i].index - 1] =
            (CairnRecordPose){{(float)p.x, (float)p.y, (float)p.z}, {(float)q.x, (float)q.y, (float)q.z, (float)q.w}};
    }
    return cairn_ok();
}

// Whether the bits are other ones than in the frame before.
static bool has_moved(const CairnRecorder *recorder, int slot) {
    return recorder->needs_all || slot >= recorder->last_count ||
           memcmp(&recorder->last[slot], &recorder->next[slot], sizeof(CairnRecordPose)) != 0;
}

// A bit a slot, then the poses of those that moved.
static void put_poses(CairnRecorder *recorder) {
    CairnBytes *bytes = &recorder->bytes;
    int count = recorder->next_count;
    cairn_bytes_put_uint(bytes, (uint64_t)count, 4);
    for (int i = 0; i < count; i += 8) {
        unsigned mask = 0;
        for (int k = i; k < i + 8 && k < count; k++) {
            mask |= has_moved(recorder, k) ? 1u << (k - i) : 0u;
        }
        cairn_bytes_put_uint(bytes, mask, 1);
    }
    for (int i = 0; i < count; i++) {
        const CairnRecordPose *pose = &recorder->next[i];
        for (int k = 0; k < 7 && has_moved(recorder, i); k++) {
            cairn_bytes_put_float(bytes, k < 3 ? pose->position[k] : pose->turn[k - 3]);
        }
    }
    CairnRecordPose *poses = recorder->last;
    recorder->last = recorder->next;
    recorder->last_count = count;
    recorder->next = poses;
}

// ---- frames ----

static void put_numbers(CairnBytes *bytes, const CairnSession *session, const CairnStats *stats) {
    const CairnResidual *residual = &stats->residual;
    cairn_bytes_put_uint(bytes, cairn_world_state_hash(session->world), 8);
    cairn_bytes_put_double(bytes, cairn_world_time(session->world));
    cairn_bytes_put_uint(bytes, residual->is_certified, 1);
    const CairnAuditReport *audited = stats->step_index > 0 ? cairn_session_audited(session) : NULL;
    cairn_bytes_put_uint(bytes, !audited ? CAIRN_RECORD_NOT_AUDITED : audited->is_sound, 1);
    cairn_bytes_put_uint(bytes, stats->solve.outcome, 1);
    cairn_bytes_put_uint(bytes, (uint64_t)stats->solve.iterations, 4);
    cairn_bytes_put_uint(bytes, (uint64_t)stats->contacts, 4);
    cairn_bytes_put_uint(bytes, (uint64_t)stats->rows, 4);
    cairn_bytes_put_float(bytes, (float)(1e3 * stats->times.step));
    cairn_bytes_put_float(bytes, (float)(1e3 * stats->times.solve));
    double numbers[] = {residual->natural,         residual->scaled,      residual->limit,        stats->penetration,
                        stats->joint_error_linear, stats->kinetic_energy, stats->potential_energy};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        cairn_bytes_put_double(bytes, numbers[i]);
    }
}

CairnStatus cairn_recorder_add(CairnRecorder *recorder, const CairnSession *session, const CairnStats *stats) {
    CAIRN_TRY(gather_poses(recorder, session->world));
    if (!cairn_array_reserve(&recorder->starts, &recorder->capacity, recorder->count + 1, sizeof *recorder->starts)) {
        return no_memory();
    }
    long start = ftell(recorder->file);
    if (start < 0) {
        return cannot_write(recorder);
    }
    recorder->needs_all = recorder->needs_all || recorder->count % CAIRN_RECORD_WHOLE == 0;
    begin_block(recorder, CAIRN_RECORD_FRAME);
    cairn_bytes_put_uint(&recorder->bytes, recorder->needs_all, 1);
    put_numbers(&recorder->bytes, session, stats);
    put_poses(recorder);
    CAIRN_TRY(end_block(recorder));
    recorder->starts[recorder->count++] = start;
    recorder->needs_all = false;
    return cairn_ok();
}

CairnStatus cairn_recorder_key(CairnRecorder *recorder, const CairnSession *session) {
    size_t size = cairn_world_snapshot_size(session->world), written = 0;
    void *snapshot = malloc(size);
    if (!snapshot) {
        return no_memory();
    }
    CairnSessionSetup setup;
    CairnStatus status = cairn_world_snapshot(session->world, snapshot, size, &written);
    status = cairn_is_ok(status) ? cairn_session_setup(session, &setup) : status;
    if (cairn_is_ok(status)) {
        begin_block(recorder, CAIRN_RECORD_KEY);
        cairn_bytes_put_text(&recorder->bytes, setup.solver);
        cairn_bytes_put_text(&recorder->bytes, setup.partition);
        cairn_bytes_put_text(&recorder->bytes, setup.refine);
        cairn_bytes_put(&recorder->bytes, snapshot, written);
        status = end_block(recorder);
    }
    free(snapshot);
    return status;
}

CairnStatus cairn_recorder_cut(CairnRecorder *recorder, int frame) {
    if (frame < 0 || frame + 1 >= recorder->count) {
        return cairn_ok();
    }
    long end = recorder->starts[frame + 1];
    if (fflush(recorder->file) != 0 || ftruncate(fileno(recorder->file), end) != 0 ||
        fseek(recorder->file, end, SEEK_SET) != 0) {
        return cannot_write(recorder);
    }
    recorder->count = frame + 1;
    recorder->needs_all = true;
    return cairn_ok();
}

// ---- open and close ----

static void release(CairnRecorder *recorder) {
    cairn_bytes_free(&recorder->bytes);
    free(recorder->last);
    free(recorder->next);
    free(recorder->ids);
    free(recorder->starts);
    *recorder = (CairnRecorder){.file = NULL};
}

CairnStatus cairn_recorder_open(CairnRecorder *recorder, const char *path, const CairnRunOptions *options,
                                const CairnSession *session) {
    *recorder = (CairnRecorder){.needs_all = true};
    if (strlen(path) >= sizeof recorder->path) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "option --record: '%.60s...' is too long", path);
    }
    snprintf(recorder->path, sizeof recorder->path, "%s", path);
    recorder->file = fopen(path, "wb");
    if (!recorder->file) {
        return cannot_write(recorder);
    }
    cairn_bytes_put_uint(&recorder->bytes, CAIRN_RECORD_MAGIC, 8);
    cairn_bytes_put_uint(&recorder->bytes, CAIRN_RECORD_VERSION, 8);
    CairnStatus status = recorder->bytes.has_failed ? no_memory() : cairn_ok();
    if (cairn_is_ok(status) && fwrite(recorder->bytes.data, 1, CAIRN_RECORD_OPENING, recorder->file) == 0) {
        status = cannot_write(recorder);
    }
    CairnStats none;
    memset(&none, 0, sizeof none);
    none.residual.is_certified = true; // nothing was solved
    status = cairn_is_ok(status) ? put_options(recorder, options, session) : status;
    status = cairn_is_ok(status) ? cairn_recorder_add(recorder, session, &none) : status;
    if (cairn_is_ok(status) && cairn_world_step_index(session->world) > 0) {
        status = cairn_recorder_key(recorder, session);
    }
    if (!cairn_is_ok(status)) {
        fclose(recorder->file);
        release(recorder);
    }
    return status;
}

CairnStatus cairn_recorder_close(CairnRecorder *recorder) {
    if (!recorder->file) {
        return cairn_ok();
    }
    begin_block(recorder, CAIRN_RECORD_END);
    cairn_bytes_put_uint(&recorder->bytes, (uint64_t)recorder->count, 4);
    CairnStatus status = end_block(recorder);
    if (fclose(recorder->file) != 0 && cairn_is_ok(status)) {
        status = cannot_write(recorder);
    }
    release(recorder);
    return status;
}
