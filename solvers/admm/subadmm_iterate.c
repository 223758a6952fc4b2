// Factors, the warm start, and a subsystem's half of an iteration.
#include <omp.h>
#include <string.h>

#include "solvers/admm/subadmm_kernels.h"
#include "solvers/admm/subadmm_lanes.h"

enum {
    DENSE_DOFS = 192, // larger subsystems are factored sparse
    WORTH_THREADS = 64
};

double *cairn_admm_scratch(const AdmmSystem *system) {
    // One thread works without a team, and within one of the caller's it may have any number.
    return system->scratch + system->scratch_size * (size_t)(system->threads > 1 ? omp_get_thread_num() : 0);
}

static CairnStatus no_memory(const AdmmSystem *system) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d places of %d rows", system->name, system->slot_count,
                       system->row_count);
}

static CairnStatus not_definite(const AdmmSystem *system, int subsystem) {
    return cairn_error(CAIRN_NUMERIC, "%s: the matrix of subsystem %d is not positive definite", system->name,
                       subsystem);
}

// ---- memory ----------------------------------------------------------------------------------------------------------------

static bool is_sparse(const AdmmSystem *system, const AdmmSubsystem *sub) {
    return sub->size > DENSE_DOFS || (system->subsystem_count == 1 && sub->size > DENSE_DOFS / 4);
}

static CairnStatus allocate_rows(AdmmSystem *system) {
    CairnArena *arena = system->context->arena;
    int slots = system->slot_count + 1, rows = system->row_count + 1, dofs = system->problem->dof_count + 1;
    AdmmLevels *levels = &system->levels;
    system->base = CAIRN_PUSH(arena, double, slots);
    system->y = CAIRN_PUSH(arena, double, slots);
    system->velocity = CAIRN_PUSH_ZERO(arena, double, slots);
    system->slot_beta = CAIRN_PUSH(arena, double, slots);
    system->inverse = CAIRN_PUSH(arena, double, slots);
    system->lambda = CAIRN_PUSH(arena, double, rows);
    system->A_diagonal = CAIRN_PUSH(arena, double, dofs);
    levels->d = CAIRN_PUSH(arena, double, rows);
    levels->scale = CAIRN_PUSH(arena, double, rows);
    levels->lower = CAIRN_PUSH(arena, double, rows);
    levels->upper = CAIRN_PUSH(arena, double, rows);
    levels->a = CAIRN_PUSH(arena, int, rows);
    levels->b = CAIRN_PUSH(arena, int, rows);
    system->contact_row = CAIRN_PUSH(arena, int, system->item_count + 1);
    system->contact_mu = CAIRN_PUSH(arena, double, system->item_count + 1);
    bool is_there = system->base && system->y && system->velocity && system->slot_beta && system->inverse &&
                    system->lambda && system->A_diagonal && levels->d && levels->scale && levels->lower &&
                    levels->upper && levels->a && levels->b && system->contact_row && system->contact_mu;
    return is_there ? cairn_ok() : no_memory(system);
}

// The size of a thread's scratch, and of the memory of all subsystems.
static CairnStatus size_up(AdmmSystem *system, size_t *scratch, size_t *kept) {
    for (int i = 0; i < system->alone_count; i++) {
        const AdmmSubsystem *sub = &system->subsystems[system->alone[i]];
        size_t visit = 3 * (size_t)sub->width; // s, x and lambda
        size_t factors = is_sparse(system, sub) ? visit : cairn_admm_dense_scratch(sub);
        *scratch = factors > *scratch ? factors : *scratch;
        *scratch = visit > *scratch ? visit : *scratch;
        *kept += is_sparse(system, sub) ? 0 : cairn_admm_dense_memory(sub);
    }
    for (int b = 0; b < system->batch_count; b++) {
        CAIRN_TRY(cairn_admm_lanes_shape(system, &system->batches[b]));
        size_t factors = cairn_admm_lanes_scratch(&system->batches[b]);
        *scratch = factors > *scratch ? factors : *scratch;
        *kept += cairn_admm_lanes_memory(&system->batches[b]);
    }
    return cairn_ok();
}

static CairnStatus allocate_subsystems(AdmmSystem *system) {
    CairnArena *arena = system->context->arena;
    size_t most = 0, kept = 0;
    CAIRN_TRY(size_up(system, &most, &kept));
    system->threads = system->subsystem_count + system->item_count > WORTH_THREADS ? system->context->thread_count : 1;
    system->threads = system->threads > 1 ? system->threads : 1;
    system->scratch_size = (most + 2 * ADMM_LANES) / ADMM_LANES * ADMM_LANES;
    system->scratch = CAIRN_PUSH(arena, double, system->scratch_size *(size_t)system->threads);
    double *memory = CAIRN_PUSH(arena, double, kept + 1);
    if (!system->scratch || !memory) {
        return no_memory(system);
    }
    for (int b = 0; b < system->batch_count; b++) {
        cairn_admm_lanes_lay_out(&system->batches[b], memory);
        memory += cairn_admm_lanes_memory(&system->batches[b]);
    }
    for (int i = 0; i < system->alone_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[system->alone[i]];
        if (!is_sparse(system, sub)) {
            cairn_admm_dense_lay_out(sub, memory);
            memory += cairn_admm_dense_memory(sub);
        }
    }
    return cairn_ok();
}

// ---- factors ---------------------------------------------------------------------------------------------------------------

static bool prepare_dense(AdmmSystem *system, AdmmSubsystem *sub, double *scratch) {
    double *mobility = system->inverse + sub->first_slot;
    if (!cairn_admm_dense_dynamics(system, sub, scratch, mobility)) {
        return false;
    }
    if (system->options->weights == CAIRN_WEIGHTS_ROWS) {
        cairn_admm_constrain_neighbours(system, sub, scratch, mobility);
    }
    cairn_admm_choose_beta(system, sub, mobility, true);
    return cairn_admm_dense_penalty(system, sub, scratch);
}

int cairn_admm_unit_count(const AdmmSystem *system) {
    return system->alone_count + system->batch_count;
}

// A unit is a batch, or NULL and a subsystem. The subsystems outside of batches are the larger ones; half of them
// come before the batches and half after them, so that each of two threads has some of both, and units that are
// neighbours in the problem.
static AdmmBatch *unit_at(const AdmmSystem *system, int unit, AdmmSubsystem **sub) {
    int before = system->alone_count / 2, after = before + system->batch_count;
    if (unit >= before && unit < after) {
        *sub = NULL;
        return &system->batches[unit - before];
    }
    *sub = &system->subsystems[system->alone[unit < before ? unit : unit - system->batch_count]];
    return NULL;
}

// The subsystem whose matrix is not positive definite, or -1.
static int prepare_unit(AdmmSystem *system, int unit) {
    double *scratch = cairn_admm_scratch(system);
    AdmmSubsystem *sub;
    AdmmBatch *batch = unit_at(system, unit, &sub);
    if (batch) {
        return cairn_admm_lanes_prepare(system, batch, scratch);
    }
    return sub->sparse || prepare_dense(system, sub, scratch) ? -1 : (int)(sub - system->subsystems);
}

static CairnStatus prepare_subsystems(AdmmSystem *system) {
    int units = cairn_admm_unit_count(system), none = system->subsystem_count, broken = none;
    bool has_diagonal = false;
    for (int i = 0; i < system->alone_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[system->alone[i]];
        if (is_sparse(system, sub)) {
            if (!has_diagonal) {
                cairn_admm_find_diagonal(system);
                has_diagonal = true;
            }
            cairn_admm_choose_beta(system, sub, system->inverse + sub->first_slot, false);
            CAIRN_TRY(cairn_admm_sparse_init(system, sub));
        }
    }
#pragma omp parallel for schedule(static) num_threads(system->threads) if (system->threads > 1) reduction(min : broken)
    for (int i = 0; i < units; i++) {
        int failed = prepare_unit(system, i);
        broken = failed >= 0 && failed < broken ? failed : broken;
    }
    return broken == none ? cairn_ok() : not_definite(system, broken);
}

// The velocities that the copies start from: those before the step where they are known. Else those that follow from
// the warm impulses; but with rows inside those without impulses, for a small error of a large impulse would cause a
// large velocity of a light piece.
typedef struct Starts {
    const double *plain, *inside;
} Starts;

static CairnStatus start_velocities(AdmmSystem *system, const double *warm, Starts *starts) {
    CairnArena *arena = system->context->arena;
    *starts = (Starts){system->context->velocity, system->context->velocity};
    if (system->context->velocity) {
        return cairn_ok();
    }
    CairnProblem blocks = *system->problem; // its diagonal blocks
    blocks.coupling_count = 0;
    CairnOps ops;
    CAIRN_TRY(cairn_ops_init(&ops, &blocks, arena));
    double *made = CAIRN_PUSH(arena, double, blocks.dof_count + 1),
           *untouched = CAIRN_PUSH(arena, double, blocks.dof_count + 1);
    if (!made || !untouched) {
        return no_memory(system);
    }
    cairn_ops_velocity(&ops, warm, made);
    cairn_ops_velocity(&ops, NULL, untouched);
    *starts = (Starts){made, untouched};
    return cairn_ok();
}

// u = -lambda and z = J v: y = beta z - lambda.
static void start_side(AdmmSystem *system, const AdmmSide *side, const double *v) {
    const CairnProblem *problem = system->problem;
    const AdmmItem *item = &system->items[side->item];
    const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
    for (int k = 0; k < item->row_count; k++) {
        int slot = side->slot + k * side->pitch, r = system->rows[item->first_row + k].row - constraint->first_row;
        double x = 0;
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const CairnDofBlock *block = &problem->blocks[term->block];
            double room[6];
            const double *J = cairn_term_row(problem, term, r, room);
            for (int n = 0; n < block->size && system->part[term->block] == side->subsystem; n++) {
                x += J[n] * v[block->first + n];
            }
        }
        system->y[slot] = system->slot_beta[slot] * x - system->lambda[item->first_row + k];
        system->velocity[slot] = system->y[slot] * system->inverse[slot];
    }
}

static CairnStatus start(AdmmSystem *system, const double *warm) {
    Starts starts;
    CAIRN_TRY(start_velocities(system, warm, &starts));
    memset(system->y, 0, (size_t)system->slot_count * sizeof *system->y);
    for (int k = 0; k < system->slot_count; k++) {
        system->inverse[k] = system->slot_beta[k] > 0 ? 1 / system->slot_beta[k] : 0;
    }
    for (int s = 0; s < system->side_count; s++) {
        bool has_inside = system->subsystems[system->sides[s].subsystem].inside_count > 0;
        start_side(system, &system->sides[s], has_inside ? starts.inside : starts.plain);
    }
    for (int b = 0; b < system->batch_count; b++) {
        const AdmmBatch *batch = &system->batches[b];
        AdmmEight *y = (AdmmEight *)(system->y + batch->first_slot);
        for (int k = 0; k < batch->slots; k++) {
            y[k] *= batch->unroot[k];
        }
    }
    for (int i = 0; i < system->item_count; i++) {
        cairn_admm_level_item(system, &system->items[i]);
    }
    return cairn_ok();
}

CairnStatus cairn_admm_prepare(AdmmSystem *system, const double *warm) {
    CAIRN_TRY(allocate_rows(system));
    CAIRN_TRY(allocate_subsystems(system));
    for (int k = 0; k < system->row_count; k++) {
        system->lambda[k] = warm[system->rows[k].row];
    }
    system->lambda[system->row_count] = 0;
    CAIRN_TRY(prepare_subsystems(system));
    return start(system, warm);
}

// ---- an iteration ----------------------------------------------------------------------------------------------------------

static void visit_subsystem(AdmmSystem *system, AdmmSubsystem *sub) {
    int width = sub->width, eights = width / ADMM_LANES;
    double *s = cairn_admm_scratch(system), *x = s + width, *lambda = x + width;
    AdmmEight *y = (AdmmEight *)(system->y + sub->first_slot), *to = (AdmmEight *)x, *impulse = (AdmmEight *)lambda,
              *velocity = (AdmmEight *)(system->velocity + sub->first_slot);
    const AdmmEight *inverse = (const AdmmEight *)(system->inverse + sub->first_slot);
    const int *row = system->slot_row + sub->first_slot;
    for (int k = 0; k < width; k++) {
        lambda[k] = system->lambda[row[k]];
    }
    for (int k = 0; k < eights; k++) { // beta z - u = (y + lambda) + lambda
        ((AdmmEight *)s)[k] = y[k] + 2 * impulse[k];
    }
    if (sub->sparse) {
        cairn_admm_sparse_apply(system, sub, s, x);
    } else {
        cairn_admm_dense_apply(system, sub, s, x);
    }
    // Over-relaxation: x becomes a x + (1 - a) z, beta z = y + lambda.
    double old_weight = 1 - system->options->relaxation, new_weight = system->options->relaxation;
    AdmmEight theta = {0}, weighted = {0};
    for (int k = 0; k < eights; k++) {
        AdmmEight next = new_weight * to[k] + old_weight * (y[k] + impulse[k]) - impulse[k], change = next - y[k],
                  faster = change * inverse[k];
        y[k] = next;
        velocity[k] = next * inverse[k];
        theta += change * change;
        weighted += faster * faster;
    }
    sub->theta = admm_sum_lanes(&theta);
    sub->weighted = admm_sum_lanes(&weighted);
}

void cairn_admm_visit_unit(AdmmSystem *system, int unit) {
    AdmmSubsystem *sub;
    AdmmBatch *batch = unit_at(system, unit, &sub);
    if (batch) {
        cairn_admm_visit_batch(system, batch);
    } else {
        visit_subsystem(system, sub);
    }
}

static void finish_unit(const AdmmSystem *system, int unit, double *lambda) {
    double *scratch = cairn_admm_scratch(system);
    AdmmSubsystem *sub;
    const AdmmBatch *batch = unit_at(system, unit, &sub);
    if (batch && batch->columns > 0) {
        cairn_admm_lanes_finish(system, batch, scratch, lambda);
    } else if (!batch && !sub->sparse && sub->inside_count > 0) {
        cairn_admm_dense_finish(system, sub, scratch, lambda);
    }
}

CairnStatus cairn_admm_finish(AdmmSystem *system, double *lambda) {
    int count = system->subsystem_count, units = cairn_admm_unit_count(system);
    for (int k = 0; k < system->row_count; k++) {
        lambda[system->rows[k].row] = system->lambda[k];
    }
    for (int i = 0; i < count; i++) {
        if (system->subsystems[i].sparse) {
            CAIRN_TRY(cairn_admm_sparse_finish(&system->subsystems[i], lambda));
        }
    }
#pragma omp parallel for schedule(static) num_threads(system->threads) if (system->threads > 1)
    for (int i = 0; i < units; i++) {
        finish_unit(system, i, lambda);
    }
    return cairn_ok();
}
