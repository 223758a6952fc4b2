// Batches: eight subsystems side by side in the lanes of a vector. They have one shape: the same blocks, tied by the
// same soft rows, as grains and the pieces of a cable have. The number of constraints may differ, and subsystems of
// similar numbers are put together. Subsystems that have hard rows inside, are large, or of which fewer than FEWEST
// are alike are solved one by one (subadmm_dense.c).
#include <stdlib.h>

#include "engine/base/hash.h"
#include "solvers/admm/subadmm_lanes_kernels.h"

enum { FEWEST = 3 };

typedef struct Candidate {
    uint64_t shape;
    int slots, subsystem;
} Candidate;

static bool fits(const AdmmSystem *system, const AdmmSubsystem *sub) {
    bool is_small = sub->size <= ADMM_BATCH_DOFS && sub->slots > 0 && sub->slots <= ADMM_BATCH_SLOTS &&
                    sub->hard_count == 0 && sub->coupling_count == 0;
    for (int i = 0; i < sub->inside_count && is_small; i++) {
        is_small = inside_of(system, sub, i)->row_count <= ADMM_BATCH_ROWS;
    }
    return is_small;
}

static uint64_t shape_of(const AdmmSystem *system, const AdmmSubsystem *sub) {
    uint64_t hash = (uint64_t)sub->block_count;
    for (int i = 0; i < sub->block_count; i++) {
        int block = system->blocks[sub->first_block + i];
        hash = cairn_hash_combine(hash, (uint64_t)system->problem->blocks[block].size);
    }
    for (int i = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, sub, i);
        for (int r = 0; r < constraint->row_count; r++) {
            hash = cairn_hash_combine(hash, system->row_kind[constraint->first_row + r]);
        }
        for (int t = 0; t < constraint->term_count; t++) {
            int block = system->problem->terms[constraint->first_term + t].block;
            hash = cairn_hash_combine(hash, (uint64_t)system->local[block]);
        }
    }
    return hash;
}

// One hash is no proof.
static bool are_alike(const AdmmSystem *system, const AdmmSubsystem *a, const AdmmSubsystem *b) {
    const CairnProblem *problem = system->problem;
    bool is_same = a->block_count == b->block_count && a->inside_count == b->inside_count;
    for (int i = 0; i < a->block_count && is_same; i++) {
        is_same = problem->blocks[system->blocks[a->first_block + i]].size ==
                  problem->blocks[system->blocks[b->first_block + i]].size;
    }
    for (int i = 0; i < a->inside_count && is_same; i++) {
        const CairnConstraintBlock *x = inside_of(system, a, i), *y = inside_of(system, b, i);
        is_same = x->row_count == y->row_count && x->term_count == y->term_count;
        for (int r = 0; r < x->row_count && is_same; r++) {
            is_same = system->row_kind[x->first_row + r] == system->row_kind[y->first_row + r];
        }
        for (int t = 0; t < x->term_count && is_same; t++) {
            is_same = system->local[problem->terms[x->first_term + t].block] ==
                      system->local[problem->terms[y->first_term + t].block];
        }
    }
    return is_same;
}

static int by_shape(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    if (x->shape != y->shape) {
        return x->shape < y->shape ? -1 : 1;
    }
    return x->slots != y->slots ? (x->slots > y->slots) - (x->slots < y->slots)
                                : (x->subsystem > y->subsystem) - (x->subsystem < y->subsystem);
}

// A batch of the candidates from `first` on, as many as are alike; returns how many.
static int take(AdmmSystem *system, const Candidate *candidates, int first, int count) {
    AdmmBatch *batch = &system->batches[system->batch_count];
    *batch = (AdmmBatch){.size = system->subsystems[candidates[first].subsystem].size};
    while (batch->count < ADMM_LANES && first + batch->count < count) {
        const Candidate *next = &candidates[first + batch->count];
        const AdmmSubsystem *sub = &system->subsystems[next->subsystem];
        if (next->shape != candidates[first].shape ||
            !are_alike(system, &system->subsystems[candidates[first].subsystem], sub)) {
            break;
        }
        batch->slots = sub->slots > batch->slots ? sub->slots : batch->slots;
        batch->members[batch->count++] = next->subsystem;
    }
    if (batch->count < FEWEST) {
        return batch->count;
    }
    for (int l = 0; l < batch->count; l++) {
        system->subsystems[batch->members[l]].batch = system->batch_count;
    }
    system->batch_count++;
    return batch->count;
}

CairnStatus cairn_admm_batch(AdmmSystem *system) {
    CairnArena *arena = system->context->arena;
    int subsystems = system->subsystem_count, count = 0;
    Candidate *candidates = CAIRN_PUSH(arena, Candidate, subsystems + 1);
    system->batches = CAIRN_PUSH(arena, AdmmBatch, subsystems / FEWEST + 1);
    system->alone = CAIRN_PUSH(arena, int, subsystems + 1);
    if (!candidates || !system->batches || !system->alone) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d subsystems", system->name, subsystems);
    }
    for (int i = 0; i < subsystems; i++) {
        const AdmmSubsystem *sub = &system->subsystems[i];
        if (fits(system, sub)) {
            candidates[count++] = (Candidate){shape_of(system, sub), sub->slots, i};
        }
    }
    qsort(candidates, (size_t)count, sizeof *candidates, by_shape);
    for (int i = 0; i < count;) {
        i += take(system, candidates, i, count);
    }
    for (int i = 0; i < subsystems; i++) {
        if (system->subsystems[i].batch < 0) {
            system->alone[system->alone_count++] = i;
        }
    }
    return cairn_ok();
}
