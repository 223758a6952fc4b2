#include "demos/program/recording/replay.h"
#include <stdlib.h>

CairnStatus cairn_replay_enter(const CairnRecording *recording, int frame, CairnSession *session) {
    const CairnRecordFrame *recorded = &recording->frames[frame];
    if (!recorded->key) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_session_change(session, recorded->key_solver, recorded->key_partition, recorded->key_refine));
    CairnStatus status = cairn_world_restore(session->world, recorded->key, recorded->key_size);
    return cairn_is_ok(status)
               ? status
               : cairn_error(status.code, "the state after frame %d: %.180s", recording->first + frame, status.message);
}

bool cairn_replay_agrees(const CairnRecording *recording, int frame, const CairnWorld *world) {
    return cairn_world_state_hash(world) == recording->frames[frame].hash;
}

CairnStatus cairn_replay_divergence(CairnRecording *recording, int frame, const CairnWorld *world,
                                    CairnDivergence *divergence) {
    *divergence = (CairnDivergence){
        .frame = frame, .recorded = recording->frames[frame].hash, .found = cairn_world_state_hash(world), .body = -1};
    int slots, count = cairn_world_bodies(world, NULL, 0);
    const CairnRecordPose *poses = cairn_recording_poses(recording, frame, &slots);
    CairnBodyId *ids = malloc(((size_t)count + 1) * sizeof *ids);
    if (!ids) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d bodies", count);
    }
    cairn_world_bodies(world, ids, count);
    for (int i = 0; i < count; i++) {
        CairnBodyState body;
        int slot = (int)ids[i].index - 1;
        if (slot >= slots || !cairn_is_ok(cairn_body_get(world, ids[i], &body))) {
            continue;
        }
        const float *p = poses[slot].position;
        CairnVec3 off = {(double)((float)body.position.x - p[0]), (double)((float)body.position.y - p[1]),
                         (double)((float)body.position.z - p[2])};
        if (cairn_length(off) > divergence->distance) {
            divergence->distance = cairn_length(off);
            divergence->body = slot;
        }
    }
    free(ids);
    return cairn_ok();
}
