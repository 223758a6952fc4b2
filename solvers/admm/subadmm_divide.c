// The blocks and constraints of each subsystem, and which rows stay rows (S2 section III-A and remark 1).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/admm/subadmm_lanes.h"

static CairnStatus no_memory(const AdmmSystem *system) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d subsystems", system->name, system->subsystem_count);
}

// ---- subsystems ------------------------------------------------------------------------------------------------------------

typedef struct Labelled {
    int label, block;
} Labelled;

static int by_label(const void *a, const void *b) {
    const Labelled *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->block > y->block) - (x->block < y->block);
}

// Blocks of one label are one subsystem, those without a label one each; numbered as they first appear.
static CairnStatus divide_by_label(AdmmSystem *system) {
    const CairnProblem *problem = system->problem;
    int count = problem->block_count, *first = CAIRN_PUSH(system->context->arena, int, count + 1);
    Labelled *labelled = CAIRN_PUSH(system->context->arena, Labelled, count + 1);
    if (!first || !labelled) {
        return no_memory(system);
    }
    for (int b = 0; b < count; b++) {
        labelled[b] = (Labelled){problem->blocks[b].group, b};
    }
    qsort(labelled, (size_t)count, sizeof *labelled, by_label);
    for (int i = 0; i < count; i++) {
        bool is_new = i == 0 || labelled[i].label < 0 || labelled[i].label != labelled[i - 1].label;
        first[labelled[i].block] = is_new ? labelled[i].block : first[labelled[i - 1].block];
    }
    for (int b = 0; b < count; b++) {
        system->part[b] = first[b] == b ? system->subsystem_count++ : system->part[first[b]];
    }
    return cairn_ok();
}

static CairnStatus divide_by_parts(AdmmSystem *system, const CairnParts *parts) {
    int count = system->problem->block_count;
    if (parts == NULL || (parts->part == NULL && count > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: division is parts, and there are none", system->name);
    }
    system->subsystem_count = parts->count;
    for (int b = 0; b < count; b++) {
        if (parts->part[b] < 0 || parts->part[b] >= parts->count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: part[%d] = %d, and there are %d parts", system->name, b,
                               parts->part[b], parts->count);
        }
        system->part[b] = parts->part[b];
    }
    return cairn_ok();
}

static CairnStatus choose_parts(AdmmSystem *system, const CairnParts *parts, bool is_whole) {
    int count = system->problem->block_count;
    if (is_whole) {
        memset(system->part, 0, (size_t)count * sizeof *system->part);
        system->subsystem_count = count > 0 ? 1 : 0;
    } else if (system->options->division == CAIRN_DIVIDE_BODIES) {
        system->subsystem_count = count;
        for (int b = 0; b < count; b++) {
            system->part[b] = b;
        }
    } else {
        CAIRN_TRY(system->options->division == CAIRN_DIVIDE_PARTS ? divide_by_parts(system, parts)
                                                                  : divide_by_label(system));
    }
    return cairn_ok();
}

static CairnStatus gather_blocks(AdmmSystem *system) {
    const CairnProblem *problem = system->problem;
    for (int b = 0; b < problem->block_count; b++) {
        AdmmSubsystem *sub = &system->subsystems[system->part[b]];
        system->local[b] = sub->size;
        sub->size += problem->blocks[b].size;
        sub->block_count++;
    }
    int next = 0;
    for (int i = 0; i < system->subsystem_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[i];
        if (sub->size <= 0) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: subsystem %d of %d has no dofs", system->name, i,
                               system->subsystem_count);
        }
        sub->batch = -1;
        sub->pitch = 1;
        sub->stride = (sub->size + ADMM_LANES - 1) / ADMM_LANES * ADMM_LANES;
        sub->first_block = next;
        next += sub->block_count;
        sub->block_count = 0;
    }
    for (int b = 0; b < problem->block_count; b++) {
        AdmmSubsystem *sub = &system->subsystems[system->part[b]];
        system->blocks[sub->first_block + sub->block_count++] = b;
    }
    return cairn_ok();
}

// Blocks of P below the diagonal, by subsystems.
static CairnStatus gather_couplings(AdmmSystem *system) {
    const CairnProblem *problem = system->problem;
    int count = problem->coupling_count, next = 0;
    system->coupling_of = CAIRN_PUSH(system->context->arena, int, count + 1);
    if (!system->coupling_of) {
        return no_memory(system);
    }
    for (int i = 0; i < count; i++) {
        int a = system->part[problem->couplings[i].row], b = system->part[problem->couplings[i].column];
        if (a != b) {
            return cairn_error(CAIRN_UNSUPPORTED,
                               "%s: couplings[%d] ties dof blocks %d and %d of subsystems %d and %d: the blocks that P "
                               "couples must be one subsystem",
                               system->name, i, problem->couplings[i].row, problem->couplings[i].column, a, b);
        }
        system->subsystems[a].coupling_count++;
    }
    for (int i = 0; i < system->subsystem_count && count > 0; i++) {
        AdmmSubsystem *sub = &system->subsystems[i];
        sub->first_coupling = next;
        next += sub->coupling_count;
        sub->coupling_count = 0;
    }
    for (int i = 0; i < count; i++) {
        AdmmSubsystem *sub = &system->subsystems[system->part[problem->couplings[i].row]];
        system->coupling_of[sub->first_coupling + sub->coupling_count++] = i;
    }
    return cairn_ok();
}

// ---- rows ------------------------------------------------------------------------------------------------------------------

// The subsystems of a constraint, each once: at most `term_count`.
static int find_subsystems(const AdmmSystem *system, const CairnConstraintBlock *constraint, int *found) {
    int count = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        int part = system->part[system->problem->terms[constraint->first_term + t].block], k = 0;
        while (k < count && found[k] != part) {
            k++;
        }
        if (k == count) {
            found[count++] = part;
        }
    }
    return count;
}

// Rows that can be added to the dynamics as J^T C^-1 J with ten digits are soft; the impulses of stiffer ones are
// unknowns. P's diagonal is accurate enough for this choice. found: the constraint's subsystems.
static AdmmRowKind kind_of_row(const AdmmSystem *system, const CairnConstraintBlock *constraint, int r, int subsystems,
                               const int *found) {
    static const double softest = 1e-6;
    const CairnProblem *problem = system->problem;
    int row = constraint->first_row + r;
    if (system->options->inside != CAIRN_INSIDE_ALL || constraint->friction >= 0 || subsystems != 1 ||
        isfinite(problem->lower[row]) || isfinite(problem->upper[row])) {
        return ADMM_ROW;
    }
    double mobility = cairn_admm_mobility(system, found[0], constraint, r, system->P_diagonal);
    return problem->compliance[row] > softest * mobility ? ADMM_SOFT : ADMM_HARD;
}

// A row that ties subsystems whatever happens.
static bool is_tie(const AdmmSystem *system, const AdmmItem *item, int r) {
    const AdmmRow *row = &system->rows[item->first_row + r];
    return item->side_count > 1 && item->friction < 0 && isinf(row->lower) && isinf(row->upper);
}

static CairnStatus classify_rows(AdmmSystem *system) {
    const CairnProblem *problem = system->problem;
    int most = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        most = problem->constraints[c].term_count > most ? problem->constraints[c].term_count : most;
    }
    int *found = CAIRN_PUSH(system->context->arena, int, most + 1);
    system->items = CAIRN_PUSH(system->context->arena, AdmmItem, problem->constraint_count + 1);
    system->sides = CAIRN_PUSH(system->context->arena, AdmmSide, problem->term_count + 1);
    system->rows = CAIRN_PUSH(system->context->arena, AdmmRow, problem->row_count + 1);
    system->P_diagonal = CAIRN_PUSH(system->context->arena, double, problem->dof_count + 1);
    if (!found || !system->items || !system->sides || !system->rows || !system->P_diagonal) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", system->name, problem->row_count);
    }
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        for (int k = 0; k < block->size; k++) {
            system->P_diagonal[block->first + k] = problem->P[block->matrix + k * (block->size + 1)];
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int count = find_subsystems(system, constraint, found);
        AdmmItem item = {.constraint = c,
                         .first_row = system->row_count,
                         .first_side = system->side_count,
                         .side_count = count,
                         .friction = constraint->friction};
        for (int r = 0; r < constraint->row_count; r++) {
            int row = constraint->first_row + r;
            AdmmRowKind kind = kind_of_row(system, constraint, r, count, found);
            system->row_kind[row] = (unsigned char)kind;
            if (kind == ADMM_ROW) {
                system->rows[system->row_count++] = (AdmmRow){.d = problem->right_side[row],
                                                              .C = problem->compliance[row],
                                                              .lower = problem->lower[row],
                                                              .upper = problem->upper[row],
                                                              .row = row};
                item.row_count++;
            }
            system->subsystems[found[0]].hard_count += kind == ADMM_HARD;
        }
        if (item.row_count < constraint->row_count) {
            system->subsystems[found[0]].inside_count++;
            system->inside_count++;
        }
        if (item.row_count == 0) {
            continue;
        }
        for (int k = 0; k < count; k++) {
            AdmmSubsystem *sub = &system->subsystems[found[k]];
            system->sides[system->side_count++] = (AdmmSide){system->item_count, found[k], sub->slots, 1};
            sub->slots += item.row_count;
            sub->side_count++;
            for (int r = 0; r < item.row_count; r++) {
                sub->held_count += is_tie(system, &item, r);
            }
        }
        system->items[system->item_count++] = item;
    }
    return cairn_ok();
}

// Constraints with rows inside, by subsystems.
static CairnStatus gather_inside(AdmmSystem *system) {
    const CairnProblem *problem = system->problem;
    int next = 0;
    system->inside = CAIRN_PUSH(system->context->arena, int, system->inside_count + 1);
    if (!system->inside) {
        return no_memory(system);
    }
    for (int i = 0; i < system->subsystem_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[i];
        sub->first_inside = next;
        next += sub->inside_count;
        sub->inside_count = 0;
    }
    for (int c = 0; c < problem->constraint_count && system->inside_count > 0; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool has_inside = false;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            has_inside = has_inside || system->row_kind[r] != ADMM_ROW;
        }
        if (has_inside) {
            AdmmSubsystem *sub = &system->subsystems[system->part[problem->terms[constraint->first_term].block]];
            system->inside[sub->first_inside + sub->inside_count++] = c;
        }
    }
    return cairn_ok();
}

// Where the slots lie: of each subsystem that is alone, then of the batches.
static void number_slots(AdmmSystem *system) {
    for (int i = 0; i < system->alone_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[system->alone[i]];
        sub->width = (sub->slots + ADMM_LANES - 1) / ADMM_LANES * ADMM_LANES;
        sub->first_slot = system->slot_count;
        system->slot_count += sub->width;
    }
    for (int b = 0; b < system->batch_count; b++) {
        AdmmBatch *batch = &system->batches[b];
        batch->first_slot = system->slot_count;
        system->slot_count += batch->slots * ADMM_LANES;
        for (int l = 0; l < batch->count; l++) {
            AdmmSubsystem *sub = &system->subsystems[batch->members[l]];
            sub->first_slot = batch->first_slot + l;
            sub->pitch = ADMM_LANES;
        }
    }
}

// Slots and sides by subsystems.
static CairnStatus gather_slots(AdmmSystem *system) {
    int side = 0, held = 0;
    number_slots(system);
    for (int i = 0; i < system->subsystem_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[i];
        sub->first_side = side;
        side += sub->side_count;
        sub->side_count = 0;
        sub->first_held = held;
        held += sub->held_count;
        sub->held_count = 0;
    }
    system->side_of = CAIRN_PUSH(system->context->arena, int, system->side_count + 1);
    system->held = CAIRN_PUSH(system->context->arena, int, held + 1);
    system->slot_row = CAIRN_PUSH(system->context->arena, int, system->slot_count + 1);
    if (!system->side_of || !system->held || !system->slot_row) {
        return no_memory(system);
    }
    for (int k = 0; k < system->slot_count; k++) {
        system->slot_row[k] = system->row_count;
    }
    for (int s = 0; s < system->side_count; s++) {
        AdmmSide *seen = &system->sides[s];
        AdmmSubsystem *sub = &system->subsystems[seen->subsystem];
        const AdmmItem *item = &system->items[seen->item];
        seen->pitch = sub->pitch;
        seen->slot = sub->first_slot + seen->slot * sub->pitch;
        system->side_of[sub->first_side + sub->side_count++] = s;
        for (int r = 0; r < item->row_count; r++) {
            int slot = seen->slot + r * seen->pitch;
            system->slot_row[slot] = item->first_row + r;
            if (is_tie(system, item, r)) {
                system->held[sub->first_held + sub->held_count++] = slot;
            }
        }
    }
    return cairn_ok();
}

CairnStatus cairn_admm_divide(AdmmSystem *system, const CairnParts *parts, bool is_whole) {
    const CairnProblem *problem = system->problem;
    CairnArena *arena = system->context->arena;
    system->part = CAIRN_PUSH(arena, int, problem->block_count + 1);
    system->local = CAIRN_PUSH(arena, int, problem->block_count + 1);
    system->blocks = CAIRN_PUSH(arena, int, problem->block_count + 1);
    system->row_kind = CAIRN_PUSH_ZERO(arena, unsigned char, problem->row_count + 1);
    if (!system->part || !system->local || !system->blocks || !system->row_kind) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d blocks", system->name, problem->block_count);
    }
    CAIRN_TRY(choose_parts(system, parts, is_whole));
    system->subsystems = CAIRN_PUSH_ZERO(arena, AdmmSubsystem, system->subsystem_count + 1);
    if (!system->subsystems) {
        return no_memory(system);
    }
    CAIRN_TRY(gather_blocks(system));
    CAIRN_TRY(gather_couplings(system));
    CAIRN_TRY(classify_rows(system));
    CAIRN_TRY(gather_inside(system));
    CAIRN_TRY(cairn_admm_batch(system));
    return gather_slots(system);
}
