// The two halves of the narrow phase: what is found of the pairs (step_narrow_find.c) and the contacts made of it
// (step_narrow.c).
#ifndef CAIRN_STEP_NARROW_H
#define CAIRN_STEP_NARROW_H

#include "engine/step/step.h"

// A contact point, before there is a contact for it.
typedef struct CairnNarrowPoint {
    CairnVec3 normal, point;
    double distance;
    double time;      // into the step, at which the bodies are where the contact is: 0, or later for fast ones (sweep)
    uint64_t feature; // with the patch of the mesh
    int pair, count, index;
} CairnNarrowPoint;

typedef struct CairnNarrowPiece {
    int first, end; // pairs
    CairnNarrowPoint *found;
    int count, capacity; // more than `capacity` are counted, not kept
    int first_contact;
} CairnNarrowPiece;

typedef struct CairnNarrow {
    const CairnStep *step;
    CairnStepContact *contacts;
    const CairnStepBoxes *boxes;
    const CairnPair *pairs;
    int pair_count, piece_count;
    CairnNarrowPiece pieces[CAIRN_NARROW_PIECES];
    int *table; // of records by id, where they are out of order; else NULL
    size_t table_size;
} CairnNarrow;

static inline CairnVec6 cairn_step_free_velocity(const CairnStep *step, int body) {
    int block = cairn_step_block(step, body);
    return block >= 0 ? step->blocks[block].free : cairn_step_start(step, body);
}

// The points of a piece's pairs.
void cairn_narrow_find(const CairnNarrow *narrow, CairnNarrowPiece *piece);

#endif
