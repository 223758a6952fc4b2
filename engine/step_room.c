// Is there memory for the step? Asked where it is about to need much more than it has, before anything is computed with it: of an
// allocator that promises what there is not, no refusal comes. A caller's own allocator says for itself.
#include "engine/step.h"

enum { MUCH = 1 << 26 }; // bytes: less is not worth a look

// What each takes of the arena at least, until the solve: the solver's own numbers and the referee's are of the same size again
// for contacts, and are not counted.
static const size_t block_bytes =
    sizeof(CairnStepBlock) + sizeof(CairnDofBlock) + sizeof(int) + (36 + 6 + 6) * sizeof(double) + sizeof(CairnStepEnd);
static const size_t shape_bytes = sizeof(CairnStepBall) + sizeof(CairnStepSide) + sizeof(CairnAabb) +
                                  sizeof(CairnTransform) + sizeof(double) + 2 * sizeof(uint8_t) + sizeof(int);
static const size_t contact_bytes = sizeof(CairnStepContact) + sizeof(CairnConstraintBlock) + sizeof(CairnFriction) +
                                    2 * sizeof(CairnTerm) + (2 * 3 * 6 + 6 * 3) * sizeof(double);

size_t cairn_step_bytes(const CairnStep *step, int block_count, int contact_count) {
    return block_bytes * (size_t)block_count + shape_bytes * (size_t)step->store->shape_pool.count +
           contact_bytes * (size_t)contact_count;
}

void cairn_step_check_room(CairnStep *step, int block_count, int contact_count) {
    const CairnWorld *world = step->world;
    size_t needed = cairn_step_bytes(step, block_count, contact_count), held = cairn_arena_capacity(step->arena);
    if (cairn_step_failed(step) || world->room_left == NULL || needed <= held || needed - held < MUCH) {
        return;
    }
    size_t left = world->room_left();
    if (needed - held > left) {
        step->status =
            cairn_error(CAIRN_OUT_OF_MEMORY,
                        "step: %d bodies and %d contacts need at least %.0f MB more, and the machine has %.0f MB left",
                        block_count, contact_count, 1e-6 * (double)(needed - held), 1e-6 * (double)left);
    }
}
