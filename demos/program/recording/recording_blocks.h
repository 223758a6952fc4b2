// What writer and reader of recordings agree on.
#ifndef CAIRN_PROGRAM_RECORDING_BLOCKS_H
#define CAIRN_PROGRAM_RECORDING_BLOCKS_H

#define CAIRN_RECORD_MAGIC 0x444345524e524943u // "CIRNRECD"

enum {
    CAIRN_RECORD_VERSION = 3,
    CAIRN_RECORD_UNAUDITED = 2, // the version before, whose frames have no audit
    CAIRN_RECORD_OPENING = 16,  // bytes of magic and version
    CAIRN_RECORD_HEAD = 12,     // bytes of a block before its payload: kind (4), size (8)
    CAIRN_RECORD_SUM = 8,       // bytes behind it: checksum
    CAIRN_RECORD_POSE = 28,     // bytes of a pose
    CAIRN_RECORD_WHOLE = 64     // every so many frames all poses are written
};

// The audit's verdict in a frame: 0 not sound, 1 sound.
enum { CAIRN_RECORD_NOT_AUDITED = 2 };

typedef enum CairnRecordKind {
    CAIRN_RECORD_OPTIONS = 1,
    CAIRN_RECORD_FRAME,
    CAIRN_RECORD_KEY,
    CAIRN_RECORD_END
} CairnRecordKind;

#endif
