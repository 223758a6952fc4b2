// The internals of the broad phase: levels of columns, the boxes in them, and the pairs that their sweeps find.
//
// The axis along which the boxes spread most is the sweep's (x below, whichever it is). The plane across it is cut into
// square cells; over each stands a column, and a box is copied into each column it reaches (mostly one, two or four),
// in the order of its low end along x. A sweep along each column meets only boxes that are near in all three
// directions: linear time however crowded. Two copies that overlap report their pair in one column only, the one where
// the later of the two begins.
//
// Cells fit boxes of like size. Boxes of other sizes have their own level, whose cells fit them: level 0 is the
// coarsest. On each level the boxes that live there (residents) meet each other and the smaller ones, which visit the
// columns that have residents. A handful of boxes larger than all others (a floor, walls) have no columns: every box is
// tested against them. Cells are numbered without end and wrapped onto the columns, so a body that flew off to 1e6
// costs nothing.
#ifndef CAIRN_COLLISION_BROAD_H
#define CAIRN_COLLISION_BROAD_H

#include "collision/collision.h"
#include <string.h>

enum {
    CAIRN_BROAD_LEVELS = 8,
    CAIRN_BROAD_CHUNKS = 64,       // pieces that the columns of a level are swept in, whatever the number of threads
    CAIRN_BROAD_SIZES = 164,       // sizes of boxes, two an octave from 2^-41 to 2^41 m
    CAIRN_BROAD_LEVEL_SIZES = 6,   // sizes of one level
    CAIRN_BROAD_MAX_BITS = 12,     // at most 4,096 columns along either side
    CAIRN_BROAD_MIN_BITS = 4,      // a box never reaches half way round
    CAIRN_BROAD_MAX_EXPONENT = 40, // larger boxes count as unbounded
    CAIRN_BROAD_STRAYS = 64,       // the kept pairs are used while no more boxes than this have left their larger ones
    CAIRN_BROAD_FEW = 16,          // up to so many residents of a column are tested by visitors one by one, unsorted
    CAIRN_BROAD_LARGE = 8          // up to so many of the largest boxes are tested against all others
};

enum { CAIRN_COPY_FIRST_Y = 1, CAIRN_COPY_FIRST_Z = 2, CAIRN_COPY_MOVES = 4, CAIRN_COPY_ALL = 7 };

// A box in a column, as it is sorted. `flags`: is this the first of its columns in y, in z; does it move. A pair counts
// when all three are set in one or the other.
typedef struct CairnColumnEntry {
    double key; // low end along the sweep's axis
    int index;
    unsigned flags;
} CairnColumnEntry;

// A box in a column, as the sweep reads it.
typedef struct CairnBoxCopy {
    double low[3], high[3]; // along the sweep's axis first
    int index, owner;
    unsigned flags, unused;
} CairnBoxCopy;
_Static_assert(sizeof(CairnBoxCopy) == 64, "a copy fills one line of the cache");

typedef struct CairnColumns {
    double cell[2], inverse[2]; // of y and z
    int bits[2];
} CairnColumns;

// The entries of one kind of box on one level, column after column.
typedef struct CairnBoxLayer {
    CairnColumnEntry *entries;
    int *starts;                        // of each column, and one more: the end
    int count, largest;                 // entries in all, and in the fullest column
    int entry_capacity, start_capacity; // entry_capacity 0: the layer does not own its entries
} CairnBoxLayer;

typedef struct CairnBroadLevel {
    CairnColumns columns;
    CairnBoxLayer moving, moving_visitors, fixed, fixed_visitors;
    int moving_count, fixed_count;    // residents
    bool has_fixed_visitors;          // false: they were not needed so far, and the layer is not filled
    int capacity[CAIRN_BROAD_CHUNKS]; // pairs for which each chunk has room
} CairnBroadLevel;

// Which boxes a layer takes, and in what order to look at them.
typedef struct CairnLayerSource {
    const CairnAabb *boxes;
    const uint8_t *kinds;
    const int *owners;
    const int *order;
    int order_count;
    const uint8_t *size_of; // of each box
    const int8_t *level_of; // of each size
    int first_level, axis;  // boxes of this level, and with `and_finer` of those after it
    bool and_finer;
    const CairnBoxLayer *near_a, *near_b; // only columns where one of these has boxes; both NULL: all columns
    const CairnAllocator *allocator;
    CairnArena *arena;
    int thread_count;
    bool is_for_call; // the entries lie in the arena and end with the call; else they are kept
} CairnLayerSource;

// Closed boxes: touching counts. False where a bound is not a number. Without a branch, for most fail and which test
// does is chance.
static inline bool cairn_boxes_overlap(const CairnAabb *a, const CairnAabb *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

static inline double cairn_component(CairnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline int cairn_entries_in(const CairnBoxLayer *layer, int column) {
    return layer->count == 0 ? 0 : layer->starts[column + 1] - layer->starts[column];
}

static inline int cairn_column_count(const CairnColumns *columns) {
    return 1 << (columns->bits[0] + columns->bits[1]);
}

// Fill a layer; columns are not sorted yet. With `homes` it is also counted how many boxes begin in the columns before
// each one. False when out of memory.
bool cairn_layer_build(CairnBoxLayer *layer, const CairnColumns *columns, const CairnLayerSource *source, int *homes);
void cairn_layer_free(CairnBoxLayer *layer, const CairnAllocator *allocator);

// What one worker sorts and sweeps a column with: each has room for the fullest one.
typedef struct CairnColumnScratch {
    CairnColumnEntry *spare;
    int *runs;
    CairnBoxCopy *first, *second;
} CairnColumnScratch;

void cairn_column_sort(CairnBoxLayer *layer, int column, const CairnColumnScratch *scratch);

// Pairs that a chunk found: keys hold (a, b) with a < b. `count` may exceed `capacity`: the rest was not stored.
typedef struct CairnPairChunk {
    uint64_t *keys;
    int count, capacity;
    long tests;
} CairnPairChunk;

static inline uint64_t cairn_pair_key(int i, int j) {
    uint64_t a = (uint64_t)(i < j ? i : j), b = (uint64_t)(i < j ? j : i);
    return a << 32 | b;
}

static inline void cairn_pair_add(CairnPairChunk *chunk, int i, int j) {
    if (chunk->count < chunk->capacity) {
        chunk->keys[chunk->count] = cairn_pair_key(i, j);
    }
    ++chunk->count;
}

// Sort and sweep the columns first ... end - 1. The boxes that begin in a column go, in their new order, to
// order[homes[column]].
typedef struct CairnSweep {
    CairnBroadLevel *level;
    const CairnAabb *boxes;
    const int *owners;
    int axis;
    const int *homes;
    int *order;
    const CairnColumnScratch *scratch;
    CairnPairChunk *chunk;
} CairnSweep;

void cairn_broad_sweep(const CairnSweep *sweep, int first, int end);

// All pairs of the chunks in one array of the arena, sorted by (a, b); indices are below index_count. False: out of
// memory.
bool cairn_pairs_sort(const CairnPairChunk *chunks, int chunk_count, int index_count, int thread_count,
                      CairnArena *arena, CairnPair **pairs, int *pair_count);

// ---- one call of the broad phase, in stages ----

typedef enum CairnBoxClass {
    CAIRN_CLASS_ABSENT = 0,
    CAIRN_CLASS_MOVING, // or driven
    CAIRN_CLASS_FIXED,
    CAIRN_CLASS_UNBOUNDED
} CairnBoxClass;

// Pairs kept for boxes that hardly move (broad_kept.c).
typedef struct CairnKept {
    CairnAabb *wide; // the larger boxes, or where there are no such pairs the last ones
    uint8_t *kinds;  // as they were then
    int *owners;
    int *starts,
        *seconds; // pairs by their first boxes: those of box i are with seconds[starts[i]] ... [starts[i + 1] - 1]
    int slot_count, pair_count, age; // age: the number of calls that these pairs were used for, up to the limit
    bool is_ready;
    int wide_capacity, kind_capacity, owner_capacity, start_capacity, second_capacity;
    int stray_capacity[CAIRN_BROAD_CHUNKS], stray_room; // pairs of strays for which there is room
} CairnKept;

// Kept from call to call.
struct CairnBroadState {
    CairnKept kept;
    CairnBroadLevel levels[CAIRN_BROAD_LEVELS];
    int level_count, large_levels;      // the first ones, whose boxes are few and have no columns
    int8_t level_of[CAIRN_BROAD_SIZES]; // of each size
    int axis;
    bool is_fixed_ready;
    uint8_t *classes, *size_of; // of each box
    CairnAabb *fixed_boxes;     // as they were, where a box is fixed
    int *fixed_owners;
    int *order, *fixed_order;
    int class_capacity, size_capacity, box_capacity, owner_capacity, order_capacity, fixed_capacity;
    int slot_count, order_count, fixed_count;
    int lone_capacity[CAIRN_BROAD_CHUNKS];
};
typedef struct CairnBroadState CairnBroadState;

// Sizes of the boxes of one worker, or of all.
typedef struct CairnCensus {
    int count[CAIRN_BROAD_SIZES], moving[CAIRN_BROAD_SIZES];
    double y[CAIRN_BROAD_SIZES], z[CAIRN_BROAD_SIZES]; // summed extents, each rounded to its size: exact in any order
    bool has_changed_moving, has_changed_fixed;
    int unbounded_count;
} CairnCensus;

typedef struct CairnBroadCall {
    const CairnAabb *given, *boxes; // boxes: those given, or larger ones around them
    const uint8_t *kinds;
    const int *owners;
    int count, threads;
    CairnArena *arena;
    const CairnAllocator *allocator;
    CairnBroadState *state;
    CairnCensus census;
    CairnPairChunk *chunks; // CAIRN_BROAD_CHUNKS for each level, then for the lone boxes
    int *lone, lone_count;  // boxes without columns: unbounded, or of the large levels
    double spread[3];
} CairnBroadCall;

static inline bool cairn_is_lone(const CairnBroadState *s, int i) {
    int class = s->classes[i];
    return class == CAIRN_CLASS_UNBOUNDED ||
           (class != CAIRN_CLASS_ABSENT && s->level_of[s->size_of[i]] < s->large_levels);
}

// The middle of a size: 1.25 or 1.75 of a power of two, put together from its bits.
static inline double cairn_middle_of_size(int size) {
    uint64_t bits = (uint64_t)(size / 2 + 1022 - CAIRN_BROAD_MAX_EXPONENT) << 52 | (uint64_t)(size % 2 == 0 ? 1 : 3)
                                                                                       << 50;
    double middle;
    memcpy(&middle, &bits, sizeof middle);
    return middle;
}

// How the boxes have changed since the kept pairs were stored.
typedef struct CairnKeptLook {
    bool is_usable;         // the kept pairs can be used, except for those of the strays
    bool is_calm;           // false: the pairs of `boxes` are stored for the next calls
    const CairnAabb *boxes; // to find pairs of: those given, or the larger ones that cairn_kept_remember makes of them
    int strays[CAIRN_BROAD_STRAYS], stray_count;
} CairnKeptLook;

// Each is false when out of memory. Look first; where the kept pairs do not serve, remember every box, (classify does)
// find the pairs of look->boxes, and store them if is_calm.
bool cairn_kept_look(CairnBroadCall *call, CairnKeptLook *look);
void cairn_kept_remember(const CairnBroadCall *call, int i);
bool cairn_kept_store(CairnBroadCall *call, const CairnPair *pairs, int pair_count);
// Of the kept pairs and the strays, those whose boxes meet now.
bool cairn_kept_pairs(CairnBroadCall *call, const CairnKeptLook *look, CairnPair **pairs, int *pair_count, long *tests);
void cairn_kept_free(CairnKept *kept, const CairnAllocator *allocator);

// Pairs of the strays with any box, sorted; and which boxes are strays (NULL: none).
typedef struct CairnStrayPairs {
    const uint8_t *is_stray;
    CairnPair *pairs;
    int count;
} CairnStrayPairs;

// False when out of memory.
bool cairn_strays_find(CairnBroadCall *call, const CairnKeptLook *look, CairnStrayPairs *found, long *tests);

// The stages in their order; each is false when out of memory.
bool cairn_broad_classify(CairnBroadCall *call);          // axis, classes, sizes, orders
bool cairn_broad_fill(CairnBroadCall *call, int **homes); // levels and their columns; homes of each level
bool cairn_broad_find(CairnBroadCall *call, int **homes, int *chunk_count); // pairs into call->chunks
// One scratch for each worker, good for columns of `largest` entries; NULL when out of memory.
CairnColumnScratch *cairn_column_scratch(CairnArena *arena, int workers, int largest);

#endif
