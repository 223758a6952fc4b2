// A batch's half of an iteration, and the end of a solve (subadmm_lanes.h).
#include <string.h>

#include "solvers/admm/subadmm_lanes_kernels.h"

ADMM_INLINE void apply_square(const AdmmBatch *batch, const AdmmEight *s, AdmmEight *x) {
    int m = batch->slots;
    symmetric(m, batch->H, s, x);
    for (int k = 0; k < m; k++) {
        x[k] = s[k] - x[k] + batch->start[k];
    }
}

// n: dofs, a number that the compiler knows for single bodies.
ADMM_INLINE void apply_tall(const AdmmBatch *batch, int n, const AdmmEight *s, AdmmEight *x) {
    AdmmEight t[ADMM_BATCH_DOFS];
    const AdmmEight *Y = batch->H;
    for (int i = 0; i < n; i++) {
        t[i] = (AdmmEight){0};
    }
    for (int k = 0; k < batch->slots; k++, Y += n) {
        for (int i = 0; i < n; i++) {
            t[i] += Y[i] * s[k];
        }
    }
    Y = batch->H;
    for (int k = 0; k < batch->slots; k++, Y += n) {
        AdmmEight sum = batch->start[k];
        for (int i = 0; i < n; i++) {
            sum += Y[i] * t[i];
        }
        x[k] = sum;
    }
}

// lambda by slots.
static void gather(const AdmmSystem *system, const AdmmBatch *batch, AdmmEight *impulse) {
    const int *row = system->slot_row + batch->first_slot;
    for (int k = 0; k < batch->slots; k++, row += ADMM_LANES) {
        impulse[k] = ADMM_GATHER(system->lambda, row);
    }
}

// With eta = y/sqrt(beta), lambda likewise as mu: sigma = eta + 2 mu and z = eta + mu.
void cairn_admm_visit_batch(AdmmSystem *system, AdmmBatch *batch) {
    int m = batch->slots;
    AdmmEight *s = (AdmmEight *)cairn_admm_scratch(system), *x = s + m, *impulse = x + m,
              *y = (AdmmEight *)(system->y + batch->first_slot),
              *velocity = (AdmmEight *)(system->velocity + batch->first_slot);
    gather(system, batch, impulse);
    for (int k = 0; k < m; k++) {
        impulse[k] *= batch->unroot[k];
        s[k] = y[k] + 2 * impulse[k];
    }
    if (is_square(batch)) {
        apply_square(batch, s, x);
    } else if (batch->size == 6) {
        apply_tall(batch, 6, s, x);
    } else {
        apply_tall(batch, batch->size, s, x);
    }
    double old_weight = 1 - system->options->relaxation, new_weight = system->options->relaxation;
    AdmmEight theta = {0}, weighted = {0};
    for (int k = 0; k < m; k++) {
        AdmmEight next = new_weight * x[k] + old_weight * (y[k] + impulse[k]) - impulse[k], change = next - y[k],
                  slower = change * batch->root[k], faster = change * batch->unroot[k];
        y[k] = next;
        velocity[k] = next * batch->unroot[k];
        theta += slower * slower;
        weighted += faster * faster;
    }
    batch->theta = theta;
    batch->weighted = weighted;
}

// v = A^-1 (b + J^T lambda) = U^-1 (U^-T b + Z lambda), and the impulses of the rows inside that follow from v.
void cairn_admm_lanes_finish(const AdmmSystem *system, const AdmmBatch *batch, double *scratch, double *lambda) {
    const CairnProblem *problem = system->problem;
    const AdmmSubsystem *shape = member(system, batch, 0);
    int n = batch->size, m = batch->slots;
    AdmmEight *v = (AdmmEight *)scratch, *impulse = v + n;
    gather(system, batch, impulse);
    memcpy(v, batch->Z + (ptrdiff_t)m * n, (size_t)n * sizeof *v);
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < n; i++) {
            v[i] += batch->Z[(ptrdiff_t)k * n + i] * impulse[k];
        }
    }
    backward(n, batch->reach, batch->U, v);
    const AdmmEight *R = batch->R;
    for (int i = 0; i < shape->inside_count; i++) {
        const CairnConstraintBlock *constraint = inside_of(system, shape, i);
        int columns = columns_of(system, constraint, batch->dofs);
        for (int r = 0; r < constraint->row_count; r++) {
            if (system->row_kind[constraint->first_row + r] != ADMM_SOFT) {
                continue;
            }
            AdmmEight w = {0};
            for (int k = 0; k < columns; k++) {
                w += R[k] * v[batch->dofs[k]];
            }
            R += columns;
            for (int l = 0; l < batch->count; l++) {
                int of = inside_of(system, member(system, batch, l), i)->first_row + r;
                lambda[of] = -(w[l] + problem->right_side[of]) / problem->compliance[of];
            }
        }
    }
}
