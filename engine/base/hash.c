#include "engine/base/hash.h"

#include <string.h>

enum { LANES = 4 };

// Four independent lanes, so that the multiplications of one stripe of 32 bytes overlap.
static const uint64_t lane_seed[LANES] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u, 0x8cb92ba72f3d8dd7u,
                                          0xaef17502108ef2d9u};

// Little-endian whatever the machine is; compilers make one load of it.
static inline uint64_t read_word(const unsigned char *bytes) {
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
           (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

// The word is spread before it meets the lane: a flipped sign bit must not stay a single bit that a later word can
// undo.
static inline uint64_t absorb(uint64_t lane, uint64_t word) {
    word *= 0xbf58476d1ce4e5b9u;
    word ^= word >> 32;
    lane = (lane ^ word) * 0x94d049bb133111ebu;
    return lane << 29 | lane >> 35;
}

uint64_t cairn_hash_bytes(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    size_t remaining = size;
    uint64_t lane[LANES];
    memcpy(lane, lane_seed, sizeof lane);
    for (; remaining >= 8 * LANES; remaining -= 8 * LANES, at += 8 * LANES) {
        lane[0] = absorb(lane[0], read_word(at));
        lane[1] = absorb(lane[1], read_word(at + 8));
        lane[2] = absorb(lane[2], read_word(at + 16));
        lane[3] = absorb(lane[3], read_word(at + 24));
    }
    for (; remaining >= 8; remaining -= 8, at += 8) {
        lane[0] = absorb(lane[0], read_word(at));
    }
    if (remaining > 0) {
        unsigned char tail[8] = {0};
        memcpy(tail, at, remaining);
        lane[1] = absorb(lane[1], read_word(tail)); // the size, below, distinguishes the padding from zeros in the data
    }
    uint64_t hash = cairn_hash_mix((uint64_t)size);
    for (int i = 0; i < LANES; i++) {
        hash = cairn_hash_combine(hash, lane[i]);
    }
    return hash;
}
