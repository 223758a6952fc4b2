#include <cairn/scene.h>

#include "engine/base/hash.h"

// splitmix64 (Steele, Lea, Flood 2014): a counter with an odd step through a mixing bijection. The 53 high bits make a
// double in [0, 1) whose every value is equally likely.
double cairn_scene_random(uint64_t *state, double low, double high) {
    *state += 0x9e3779b97f4a7c15u;
    double unit = (double)(cairn_hash_mix(*state) >> 11) * 0x1p-53;
    double value = low + (high - low) * unit;
    return value < high ? value : low; // rounding may reach the open end
}
