// Replay: a recording run again, frame by frame held against what was recorded.
#ifndef CAIRN_PROGRAM_REPLAY_H
#define CAIRN_PROGRAM_REPLAY_H

#include "demos/program/recording/recording.h"

// The first frame in which a replay differs from its recording.
typedef struct CairnDivergence {
    int frame; // of the recording; -1: they agree
    uint64_t recorded, found;
    int body;        // slot of the body that is farthest from its recorded position; -1: the recorded poses agree
    double distance; // m
} CairnDivergence;

// Put a session that was opened with the recording's options into the state that frame ends with, where that is not
// what a step leaves: a hand was taken in it, or the recording begins in the middle of a run.
CairnStatus cairn_replay_enter(const CairnRecording *recording, int frame, CairnSession *session);
// Whether the world's state is the recorded one after this frame (before a key changed it).
bool cairn_replay_agrees(const CairnRecording *recording, int frame, const CairnWorld *world);
// Describes the difference where it does not.
CairnStatus cairn_replay_divergence(CairnRecording *recording, int frame, const CairnWorld *world,
                                    CairnDivergence *divergence);

#endif
