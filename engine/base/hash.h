// Hash: 64-bit mixing for feature ids, state hashes and checksums. Portable: the same on every machine.
#ifndef CAIRN_BASE_HASH_H
#define CAIRN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// The finaliser of splitmix64: a bijection of 64 bits that changes about half of them for each bit of input.
static inline uint64_t cairn_hash_mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x;
}

static inline uint64_t cairn_hash_combine(uint64_t hash, uint64_t value) {
    return cairn_hash_mix(hash + 0x9e3779b97f4a7c15u + cairn_hash_mix(value));
}

uint64_t cairn_hash_bytes(const void *bytes, size_t size);

#endif
