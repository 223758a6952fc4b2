// Pairs into the order (a, b): first into bins by a, so that a bin fits the cache, then within each bin by counting a,
// and last the few b of each a. Linear but for an a with many b. Every stage is divided among threads; the result is
// the sorted order, whatever their number.
#include "collision/broad/broad.h"
#include "engine/base/pieces.h"
#include <string.h>

enum { BIN_BITS = 8, SMALLEST_BIN_BITS = 6, MANY = 48 };

typedef struct Bins {
    int shift, count; // bin of a: a >> shift
    int *starts;      // of each bin, and the end
    uint64_t *keys;
} Bins;

static inline int bin_of(const Bins *bins, uint64_t key) {
    return (int)(key >> 32 >> bins->shift);
}

typedef struct Sorting {
    const CairnPairChunk *chunks;
    int chunk_count, workers;
    Bins bins;
    int *counts, *offsets; // of each worker: of each bin; of each a of a bin
    size_t stride;         // of offsets
    CairnPair *pairs;
} Sorting;

static void count_keys(void *context, int w, int worker) {
    const Sorting *s = context;
    int *counts = s->counts + w * s->bins.count;
    (void)worker;
    for (int c = s->chunk_count * w / s->workers; c < s->chunk_count * (w + 1) / s->workers; ++c) {
        for (int k = 0; k < s->chunks[c].count; ++k) {
            ++counts[bin_of(&s->bins, s->chunks[c].keys[k])];
        }
    }
}

static void write_keys(void *context, int w, int worker) {
    const Sorting *s = context;
    int *next = s->counts + w * s->bins.count;
    (void)worker;
    for (int c = s->chunk_count * w / s->workers; c < s->chunk_count * (w + 1) / s->workers; ++c) {
        for (int k = 0; k < s->chunks[c].count; ++k) {
            uint64_t key = s->chunks[c].keys[k];
            s->bins.keys[next[bin_of(&s->bins, key)]++] = key;
        }
    }
}

// Stable, so that what comes sorted stays sorted.
static bool fill_bins(Sorting *s, CairnArena *arena) {
    const Bins *bins = &s->bins;
    int workers = s->workers, *counts = CAIRN_PUSH_ZERO(arena, int, workers * bins->count);
    if (counts == NULL) {
        return false;
    }
    s->counts = counts;
    cairn_pieces_run(workers, workers, count_keys, s);
    int at = 0;
    for (int bin = 0; bin < bins->count; ++bin) {
        bins->starts[bin] = at;
        for (int w = 0; w < workers; ++w) {
            int count = counts[w * bins->count + bin];
            counts[w * bins->count + bin] = at;
            at += count;
        }
    }
    bins->starts[bins->count] = at;
    cairn_pieces_run(workers, workers, write_keys, s);
    return true;
}

static void sift_down(CairnPair *pairs, int root, int count) {
    CairnPair pair = pairs[root];
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && pairs[child + 1].b > pairs[child].b ? 1 : 0;
        if (pairs[child].b <= pair.b) {
            break;
        }
        pairs[root] = pairs[child];
        root = child;
    }
    pairs[root] = pair;
}

static void heap_sort(CairnPair *pairs, int count) {
    for (int root = count / 2 - 1; root >= 0; --root) {
        sift_down(pairs, root, count);
    }
    for (int end = count - 1; end > 0; --end) {
        CairnPair largest = pairs[0];
        pairs[0] = pairs[end];
        pairs[end] = largest;
        sift_down(pairs, 0, end);
    }
}

// All of one a: mostly a handful.
static void sort_by_b(CairnPair *pairs, int count) {
    long budget = (long)MANY * count;
    for (int i = 1; i < count; ++i) {
        CairnPair pair = pairs[i];
        int j = i;
        for (; j > 0 && pairs[j - 1].b > pair.b; --j) {
            pairs[j] = pairs[j - 1];
        }
        pairs[j] = pair;
        budget -= i - j;
        if (budget < 0) {
            heap_sort(pairs, count);
            return;
        }
    }
}

static void sort_bin(const Bins *bins, int bin, int *offsets, CairnPair *pairs) {
    int first = bins->starts[bin], end = bins->starts[bin + 1], width = 1 << bins->shift;
    memset(offsets, 0, (size_t)(width + 1) * sizeof *offsets);
    for (int k = first; k < end; ++k) {
        ++offsets[(int)(bins->keys[k] >> 32) - bin * width + 1];
    }
    for (int a = 0; a < width; ++a) {
        offsets[a + 1] += offsets[a];
    }
    for (int k = first; k < end; ++k) {
        int a = (int)(bins->keys[k] >> 32);
        pairs[first + offsets[a - bin * width]++] = (CairnPair){a, (int)(bins->keys[k] & 0xffffffffu)};
    }
    for (int a = 0, at = 0; a < width; ++a) { // offsets[a] is now where the pairs of a end
        if (offsets[a] - at > 1) {
            sort_by_b(pairs + first + at, offsets[a] - at);
        }
        at = offsets[a];
    }
}

static void sort_bins(void *context, int w, int worker) {
    const Sorting *s = context;
    (void)worker;
    for (int bin = s->bins.count * w / s->workers; bin < s->bins.count * (w + 1) / s->workers; ++bin) {
        sort_bin(&s->bins, bin, s->offsets + (size_t)w * s->stride, s->pairs);
    }
}

bool cairn_pairs_sort(const CairnPairChunk *chunks, int chunk_count, int index_count, int thread_count,
                      CairnArena *arena, CairnPair **pairs, int *pair_count) {
    Bins bins = {.shift = SMALLEST_BIN_BITS};
    while (index_count >> bins.shift >= 1 << BIN_BITS) {
        ++bins.shift;
    }
    bins.count = (index_count >> bins.shift) + 1;
    long total = 0;
    for (int c = 0; c < chunk_count; ++c) {
        total += chunks[c].count;
    }
    if (total >= INT32_MAX) {
        return false;
    }
    int count = (int)total, workers = thread_count > 1 && count > 16384 ? thread_count : 1;
    *pairs = CAIRN_PUSH(arena, CairnPair, count + 1);
    CairnArenaMark mark = cairn_arena_mark(arena);
    size_t stride = ((size_t)1 << bins.shift) + 16; // no two workers write to the same line of the cache
    int *offsets = CAIRN_PUSH(arena, int, (size_t)workers *stride);
    bins.starts = CAIRN_PUSH(arena, int, bins.count + 1);
    bins.keys = CAIRN_PUSH(arena, uint64_t, count + 1);
    Sorting sorting = {chunks, chunk_count, workers, bins, NULL, offsets, stride, *pairs};
    bool is_done =
        *pairs != NULL && offsets != NULL && bins.starts != NULL && bins.keys != NULL && fill_bins(&sorting, arena);
    if (is_done) {
        cairn_pieces_run(workers, workers, sort_bins, &sorting);
    }
    cairn_arena_release(arena, mark);
    *pair_count = count;
    return is_done;
}
