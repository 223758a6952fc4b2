// Recording: a run as a file. The options of the run, and frame by frame every pose, the state's hash, the verdicts of
// referee and audit and the statistics; so it can be run again and held against what was, or looked at.
//
// The file: magic "CIRNRECD", version; then blocks of kind, size, payload, checksum over all three. Little-endian. The
// first block has the run's options, the last how many frames there are: a file that was cut off has none. Poses are
// single precision, and of a body that did not move nothing is written. Where a run did not come by a step from the
// frame before (the user changed its state), a key holds the whole state.
#ifndef CAIRN_PROGRAM_RECORDING_H
#define CAIRN_PROGRAM_RECORDING_H

#include "demos/program/recording/bytes.h"
#include "demos/program/session/session.h"
#include <stdio.h>

// The pose of a body's frame; its index in an array of poses is the body's slot (its id's index - 1). A quaternion of
// zeros: the slot is empty.
typedef struct CairnRecordPose {
    float position[3], turn[4]; // x, y, z; x, y, z, w
} CairnRecordPose;

// ---- writing ----

typedef struct CairnRecorder {
    FILE *file;
    char path[CAIRN_RUN_PATH];
    CairnBytes bytes;             // the block being made
    CairnRecordPose *last, *next; // of the frame written last, and of the one being written
    int last_count, next_count, pose_capacity;
    CairnBodyId *ids;
    int id_capacity;
    long *starts; // where each frame's block lies
    int count, capacity;
    bool needs_all; // the next frame writes every pose
} CairnRecorder;

// Begins with the state as it is; where the session has stepped before, that state is written whole.
CairnStatus cairn_recorder_open(CairnRecorder *recorder, const char *path, const CairnRunOptions *options,
                                const CairnSession *session);
// The frame after the last one.
CairnStatus cairn_recorder_add(CairnRecorder *recorder, const CairnSession *session, const CairnStats *stats);
// The state is another one than the last frame's: write it whole.
CairnStatus cairn_recorder_key(CairnRecorder *recorder, const CairnSession *session);
// Forget the frames after this one.
CairnStatus cairn_recorder_cut(CairnRecorder *recorder, int frame);
// Without this the file is no recording. A recorder that is not open is left as it is.
CairnStatus cairn_recorder_close(CairnRecorder *recorder);

// ---- reading ----

typedef struct CairnRecordFrame {
    uint64_t hash;
    double time; // s
    bool is_certified, has_all;
    bool is_audited, is_sound; // is_sound only where it is audited
    CairnOutcome outcome;
    int iterations, contacts, rows;
    double step_ms, solve_ms;
    double natural, scaled, limit, penetration, joint_error, kinetic, potential;
    size_t poses_at, poses_size; // bytes of the file
    // The state with which the run went on from here, and what solved it then; NULL: this frame's own.
    const unsigned char *key;
    size_t key_size;
    const char *key_solver, *key_partition, *key_refine;
} CairnRecordFrame;

typedef struct CairnRecording {
    unsigned char *bytes;
    size_t size;
    CairnRunOptions options; // its words lie in `texts`
    char *texts;
    size_t text_size, text_used;
    const char *version;
    bool has_audits;          // false: it was written before there were any
    CairnRecordFrame *frames; // the first is the state that it begins with
    int count, capacity;
    int first;              // steps made before it
    CairnRecordPose *poses; // of frame `pose_frame`; the result of cairn_recording_poses
    int pose_count, pose_capacity, pose_frame;
} CairnRecording;

// Do these bytes begin as a recording does?
bool cairn_recording_is(const char *path);
// Everything is checked here; what is accepted can be used without a further look.
CairnStatus cairn_recording_read(const char *path, CairnRecording *recording);
void cairn_recording_close(CairnRecording *recording);
// The poses of a frame; they stand until the next call.
const CairnRecordPose *cairn_recording_poses(CairnRecording *recording, int frame, int *count);

#endif
