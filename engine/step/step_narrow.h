// The two halves of the narrow phase: what is found of the pairs (step_narrow_find.c) and the contacts made of it
// (step_narrow.c).
#ifndef CAIRN_STEP_NARROW_H
#define CAIRN_STEP_NARROW_H

#include "collision/convex/sweep.h"
#include "engine/step/step.h"

// A contact point, before there is a contact for it.
typedef struct CairnNarrowPoint {
    CairnVec3 normal, point;
    double distance;
    double time;      // into the step, at which the bodies are where the contact is: 0, or later for fast ones (sweep)
    double gap;       // the distance at that time
    uint64_t feature; // with the patch of the mesh
    int pair;
    uint8_t count, index; // of its manifold's points, and of this one among them
    bool is_internal;     // of a seam between shapes that lie flush (step_seams.c)
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

// A shape's motion in the step if no constraint acted.
CairnMotion cairn_narrow_motion(const CairnNarrow *narrow, int shape);

// The points of a piece's pairs.
void cairn_narrow_find(const CairnNarrow *narrow, CairnNarrowPiece *piece);

// Removes what was found of the seams between shapes that lie flush.
void cairn_narrow_remove_seams(CairnStep *step, CairnNarrow *narrow);

// Hands what contacts of the last step bore, and that are gone, to those that take their place.
void cairn_narrow_inherit(CairnStep *step, const CairnNarrow *narrow, CairnStepContacts *contacts);

#endif
