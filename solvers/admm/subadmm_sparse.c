// A subsystem too large for a dense matrix, and fadmm's only one: a sparse factor of A + J^T beta J, in body space
// (formulation.h), where C + Theta is 1/beta of the rows and C of those inside. One application gives beta x at the
// rows: with y = s/beta there the system's answer is beta (s/beta - x).
#include <math.h>
#include <string.h>

#include "solvers/admm/subadmm_system.h"
#include "solvers/problem/piece.h"
#include "solvers/system/formulation.h"

typedef struct AdmmSparse {
    CairnPiece piece;
    CairnSystem system;
    CairnSolverContext context;
    int *slot; // piece's row -> slot, or -1 - the row inside
    double *theta, *y, *x, *v;
} AdmmSparse;

static CairnStatus no_memory(const AdmmSystem *system, const AdmmSubsystem *sub) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for a subsystem of %d dofs", system->name, sub->size);
}

// The piece: this subsystem's blocks and every constraint that touches one of them.
static CairnStatus take_piece(AdmmSystem *system, AdmmSubsystem *sub, AdmmSparse *sparse) {
    const CairnProblem *problem = system->problem;
    CairnArena *arena = system->context->arena;
    int part = system->part[system->blocks[sub->first_block]];
    int *index = CAIRN_PUSH(arena, int, problem->block_count + 1),
        *constraints = CAIRN_PUSH(arena, int, problem->constraint_count + 1), count = 0;
    if (!index || !constraints) {
        return no_memory(system, sub);
    }
    for (int i = 0; i < sub->block_count; i++) {
        index[system->blocks[sub->first_block + i]] = i;
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool is_mine = false;
        for (int t = 0; t < constraint->term_count; t++) {
            is_mine = is_mine || system->part[problem->terms[constraint->first_term + t].block] == part;
        }
        if (is_mine) {
            constraints[count++] = c;
        }
    }
    CairnPieceBlocks blocks = {system->part, index, part, sub->block_count, system->blocks + sub->first_block};
    return cairn_piece_init(&sparse->piece, problem, &blocks, constraints, count, arena);
}

// Theta of the rows and where each of them has its slot.
static CairnStatus weigh_rows(AdmmSystem *system, const AdmmSubsystem *sub, AdmmSparse *sparse, int *slot_of) {
    const CairnProblem *problem = &sparse->piece.problem;
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        for (int k = 0; k < item->row_count; k++) {
            slot_of[system->rows[item->first_row + k].row] = side->slot + k;
        }
    }
    for (int r = 0; r < problem->row_count; r++) {
        int row = sparse->piece.rows[r];
        if (system->row_kind[row] != ADMM_ROW) {
            sparse->slot[r] = -1;
            sparse->theta[r] = 0;
            sparse->y[r] = -problem->right_side[r];
            continue;
        }
        int slot = slot_of[row];
        sparse->slot[r] = slot;
        sparse->theta[r] = fmax(1 / system->slot_beta[slot] - problem->compliance[r], 0);
        system->slot_beta[slot] = 1 / (sparse->theta[r] + problem->compliance[r]); // a softer row has a smaller beta
    }
    return cairn_ok();
}

CairnStatus cairn_admm_sparse_init(AdmmSystem *system, AdmmSubsystem *sub) {
    CairnArena *arena = system->context->arena;
    AdmmSparse *sparse = CAIRN_PUSH_ZERO(arena, AdmmSparse, 1);
    int *slot_of = CAIRN_PUSH(arena, int, system->problem->row_count + 1);
    if (!sparse || !slot_of) {
        return no_memory(system, sub);
    }
    if (sub->coupling_count > 0) {
        return cairn_error(
            CAIRN_UNSUPPORTED,
            "%s: a subsystem of %d dofs is factored sparse, without the %d blocks that P has off its diagonal",
            system->name, sub->size, sub->coupling_count);
    }
    CAIRN_TRY(take_piece(system, sub, sparse));
    int rows = sparse->piece.problem.row_count;
    sparse->slot = CAIRN_PUSH(arena, int, rows + 1);
    sparse->theta = CAIRN_PUSH(arena, double, rows + 1);
    sparse->y = CAIRN_PUSH(arena, double, rows + 1);
    sparse->x = CAIRN_PUSH(arena, double, rows + 1);
    sparse->v = CAIRN_PUSH(arena, double, sub->size + 1);
    if (!sparse->slot || !sparse->theta || !sparse->y || !sparse->x || !sparse->v) {
        return no_memory(system, sub);
    }
    CAIRN_TRY(weigh_rows(system, sub, sparse, slot_of));
    sparse->context = *system->context;
    if (system->subsystem_count > 1) {
        sparse->context.memory = NULL; // the memory between solves is for one graph only
    }
    CairnSystemSetup setup = {.formulation = CAIRN_FORMULATION_BODY};
    CAIRN_TRY(cairn_system_init(&sparse->system, &sparse->piece.problem, &setup, &sparse->context));
    CAIRN_TRY(cairn_system_factor(&sparse->system, sparse->theta, NULL));
    sub->sparse = sparse;
    memset(system->base + sub->first_slot, 0, (size_t)sub->width * sizeof *system->base);
    return cairn_ok();
}

void cairn_admm_sparse_apply(const AdmmSystem *system, const AdmmSubsystem *sub, const double *s, double *out) {
    AdmmSparse *sparse = sub->sparse;
    const CairnProblem *problem = &sparse->piece.problem;
    memset(out, 0, (size_t)sub->width * sizeof *out);
    for (int r = 0; r < problem->row_count; r++) {
        int slot = sparse->slot[r];
        if (slot >= 0) {
            sparse->y[r] = s[slot - sub->first_slot] * system->inverse[slot];
        }
    }
    cairn_body_space_momentum(&sparse->system, sparse->y, sparse->v);
    for (int k = 0; k < problem->dof_count; k++) {
        sparse->v[k] += problem->p[k];
    }
    cairn_body_space_velocity(&sparse->system, sparse->v);
    cairn_body_space_impulse(&sparse->system, sparse->y, sparse->v, sparse->x);
    for (int r = 0; r < problem->row_count; r++) {
        int slot = sparse->slot[r];
        if (slot >= 0) {
            out[slot - sub->first_slot] = s[slot - sub->first_slot] - sparse->x[r];
        }
    }
}

// The rows' impulses on the right, the rows inside exactly.
CairnStatus cairn_admm_sparse_finish(const AdmmSubsystem *sub, double *lambda) {
    static const int refinements = 4;
    AdmmSparse *sparse = sub->sparse;
    CairnPiece *piece = &sparse->piece;
    int rows = piece->problem.row_count;
    if (sub->inside_count == 0) {
        return cairn_ok();
    }
    // w of the rows inside if they did nothing: their velocity, against which they push.
    double scale = 0;
    for (int r = 0; r < rows; r++) {
        bool is_row = sparse->slot[r] >= 0;
        sparse->theta[r] = is_row ? (double)INFINITY : 0;
        sparse->x[r] = is_row ? lambda[piece->rows[r]] : 0;
    }
    CAIRN_TRY(cairn_system_factor(&sparse->system, sparse->theta, NULL));
    cairn_system_slack(&sparse->system, sparse->x, sparse->y);
    for (int r = 0; r < rows; r++) {
        sparse->y[r] = sparse->slot[r] >= 0 ? 0 : -sparse->y[r];
        scale = fmax(scale, fabs(sparse->y[r]));
    }
    cairn_system_solve(&sparse->system, sparse->y, 1e-13 * scale, refinements, sparse->x);
    for (int r = 0; r < rows; r++) {
        if (sparse->slot[r] < 0) {
            lambda[piece->rows[r]] = sparse->x[r];
        }
    }
    return cairn_ok();
}

double cairn_admm_sparse_raised(const AdmmSubsystem *sub) {
    return sub->sparse->system.raised;
}
