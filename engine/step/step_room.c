// Checks the available memory where the step is about to need much more than it has, before anything is computed: an
// allocator that overcommits never fails. With a caller's allocator this check is off, since that allocator reports its
// own failures.
#include "engine/step/step.h"

enum { MUCH = 1 << 26 }; // bytes: smaller amounts are not checked

// The least number of bytes of the arena for each block and each contact, until the solve. The memory of the solver,
// about as much again for contacts, is not counted. The memory for finding contacts is free again when their rows are
// made.
static const size_t block_bytes = sizeof(CairnStepBlock) + sizeof(CairnMat3) + sizeof(CairnDofBlock) + 2 * sizeof(int) +
                                  (6 + 6 + 6) * sizeof(double); // velocities, momenta, the start of the solve
static const size_t shape_bytes = sizeof(CairnStepBall) + sizeof(CairnStepSide) + sizeof(CairnAabb) +
                                  sizeof(CairnTransform) + 2 * sizeof(uint8_t) + sizeof(int);
static const size_t rows_bytes = sizeof(CairnConstraintBlock) + sizeof(CairnFriction) + 2 * sizeof(CairnTerm) +
                                 (size_t)7 * CAIRN_FRAME_ROWS * sizeof(double);

size_t cairn_step_bytes(const CairnStep *step, int block_count, int contact_count) {
    size_t finding = shape_bytes * (size_t)step->store->shape_pool.count, rows = rows_bytes * (size_t)contact_count;
    return block_bytes * (size_t)block_count + sizeof(CairnStepContact) * (size_t)contact_count +
           (finding > rows ? finding : rows);
}

void cairn_step_reserve(CairnStep *step) {
    if (!cairn_step_failed(step)) { // no memory for it all at once: it comes piece by piece
        size_t bytes = cairn_step_bytes(step, step->block_count, step->world->contact_capacity);
        (void)cairn_arena_reserve(step->arena, 2 * bytes);
    }
}

void cairn_step_check_room(CairnStep *step, int block_count, int contact_count) {
    const CairnWorld *world = step->world;
    size_t needed = cairn_step_bytes(step, block_count, contact_count), held = cairn_arena_capacity(step->arena);
    if (cairn_step_failed(step) || world->room_available == NULL || needed <= held || needed - held < MUCH) {
        return;
    }
    size_t available = world->room_available();
    if (needed - held > available) {
        step->status =
            cairn_error(CAIRN_OUT_OF_MEMORY,
                        "step: %d bodies and %d contacts need at least %.0f MB more, and the machine has %.0f MB left",
                        block_count, contact_count, 1e-6 * (double)(needed - held), 1e-6 * (double)available);
    }
}
