// beta of every subsystem (S2 eq. 23).
#include <string.h>

#include "solvers/admm/subadmm_kernels.h"

// The term of a row in a trace over the dofs of one subsystem: |j|^2.
static double square(const AdmmSystem *system, int part, const CairnConstraintBlock *constraint, int r) {
    const CairnProblem *problem = system->problem;
    double sum = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        int size = problem->blocks[term->block].size;
        double room[6];
        const double *J = cairn_term_row(problem, term, r, room);
        for (int k = 0; k < size && system->part[term->block] == part; k++) {
            sum += J[k] * J[k];
        }
    }
    return sum;
}

double cairn_admm_mobility(const AdmmSystem *system, int part, const CairnConstraintBlock *constraint, int r,
                           const double *diagonal) {
    const CairnProblem *problem = system->problem;
    double sum = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        const CairnDofBlock *block = &problem->blocks[term->block];
        double room[6];
        const double *J = cairn_term_row(problem, term, r, room);
        for (int k = 0; k < block->size && system->part[term->block] == part; k++) {
            sum += J[k] * J[k] / diagonal[block->first + k];
        }
    }
    return sum;
}

void cairn_admm_find_diagonal(AdmmSystem *system) {
    double *A = system->A_diagonal;
    const CairnProblem *problem = system->problem;
    memcpy(A, system->P_diagonal, (size_t)problem->dof_count * sizeof *A);
    for (int i = 0; i < system->inside_count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[system->inside[i]];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const CairnDofBlock *block = &problem->blocks[term->block];
            double room[6 * CAIRN_FRAME_ROWS];
            const double *J = cairn_term_rows(problem, term, constraint->row_count, room);
            for (int r = 0; r < constraint->row_count; r++, J += block->size) {
                int row = constraint->first_row + r;
                for (int k = 0; k < block->size && system->row_kind[row] == ADMM_SOFT; k++) {
                    A[block->first + k] += J[k] * J[k] / problem->compliance[row];
                }
            }
        }
    }
}

// ---- a row by itself ---------------------------------------------------------------------------------------------------------

// Eq. 23 row by row: beta is the effective mass of the row. So rows in metres and in radians have different weights,
// and so have a contact's normal, which moves a body as a whole, and its tangents, which also turn it. Both tangents
// have one weight, for their law is isotropic.
static void weigh_rows(AdmmSystem *system, const AdmmSubsystem *sub, const double *mobility) {
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        const double *moved = mobility + (side->slot - sub->first_slot);
        double *beta = system->slot_beta + side->slot;
        int pitch = side->pitch;
        for (int k = 0; k < item->row_count; k++) {
            double moves = moved[k * pitch];
            beta[k * pitch] = system->options->beta / (moves > 0 ? moves : 1);
        }
        if (item->friction >= 0 && item->row_count >= 3) {
            double both = moved[pitch] + moved[2 * pitch];
            beta[pitch] = beta[2 * pitch] = both > 0 ? system->options->beta * 2 / both : beta[pitch];
        }
    }
}

// For a subsystem too large for W = J A^-1 J^T: the mobility by diagonals, as the geometric mean of that of P, for
// motions of the piece as a whole, and that of A, for its deformations.
static void guess_mobility(const AdmmSystem *system, const AdmmSubsystem *sub, int part, double *mobility) {
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        const CairnConstraintBlock *constraint = &system->problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int r = system->rows[item->first_row + k].row - constraint->first_row;
            mobility[side->slot - sub->first_slot + k] =
                sqrt(cairn_admm_mobility(system, part, constraint, r, system->P_diagonal) *
                     cairn_admm_mobility(system, part, constraint, r, system->A_diagonal));
        }
    }
}

// The effective mass of a row depends not only on its piece, but also on the pieces that are tied to that one, and so
// on. W is the mobility of the piece by itself; W - W_c^T (W_cc + C_c)^-1 W_c, over the rows c without bounds that
// tie it to others, is its mobility between neighbours that do not move. The mobility within a long line of like
// pieces is the geometric mean of the two, as the wave impedance of a line follows from its impedances with an open
// end and with a fixed end. With it the copies transmit waves instead of reflecting them. For a row c itself the open
// mobility is used in both. Rows that are nearly rigid transmit no waves (no wavelength is long beside a piece), and
// are not among the rows c: between them a link would not move at all, and beta would be a mass that never occurs.
void cairn_admm_constrain_neighbours(const AdmmSystem *system, const AdmmSubsystem *sub, double *scratch,
                                     double *mobility) {
    static const double least = 1e-14, stillest = 1e-8;
    int held = sub->held_count, wide = admm_eights(held), width = sub->width, count = width / ADMM_LANES;
    const int *at = system->held + sub->first_held;
    bool is_any = false;
    for (int a = 0; a < held; a++) {
        is_any |= !cairn_admm_is_rigid(system->rows[system->slot_row[at[a]]].C, mobility[at[a] - sub->first_slot]);
    }
    if (!is_any) {
        return;
    }
    double *X = scratch + admm_eights(sub->size + sub->hard_count + sub->slots), *G = X + (ptrdiff_t)held * width;
    memset(X, 0, (size_t)held * (size_t)(width + wide) * sizeof *X);
    for (int k = 0; k < sub->size + sub->hard_count; k++) { // W_c = Z_c^T Z - T_c^T T
        const double *row = sub->Z + (ptrdiff_t)k * width;
        for (int a = 0; a < held; a++) {
            double z = row[at[a] - sub->first_slot];
            if (z != 0) {
                admm_add_scaled(count, k < sub->size ? z : -z, row, X + (ptrdiff_t)a * width);
            }
        }
    }
    for (int a = 0; a < held; a++) {
        for (int b = 0; b < held; b++) {
            G[(ptrdiff_t)a * wide + b] = X[(ptrdiff_t)a * width + at[b] - sub->first_slot];
        }
        G[(ptrdiff_t)a * wide + a] += system->rows[system->slot_row[at[a]]].C;
    }
    for (int a = 0; a < held; a++) {
        if (cairn_admm_is_rigid(system->rows[system->slot_row[at[a]]].C, mobility[at[a] - sub->first_slot])) {
            memset(X + (ptrdiff_t)a * width, 0, (size_t)width * sizeof *X);
            for (int b = 0; b < held; b++) {
                G[(ptrdiff_t)a * wide + b] = G[(ptrdiff_t)b * wide + a] = a == b ? 1 : 0;
            }
        }
    }
    if (!admm_factor(held, wide, least, G, scratch)) {
        return;
    }
    admm_forward(held, wide, G, count, X);
    double *still = scratch; // by how much less a row moves
    for (int k = 0; k < width; k++) {
        still[k] = mobility[k];
    }
    for (int a = 0; a < held; a++) {
        for (int k = 0; k < width; k++) {
            still[k] -= X[(ptrdiff_t)a * width + k] * X[(ptrdiff_t)a * width + k];
        }
    }
    for (int a = 0; a < held; a++) {
        int k = at[a] - sub->first_slot;
        double C = system->rows[system->slot_row[at[a]]].C, parallel = C - still[k];
        if (cairn_admm_is_rigid(C, mobility[k])) {
            continue;
        }
        double open = parallel > 0 ? still[k] * C / parallel : mobility[k];
        still[k] = open > 0 && open < mobility[k] ? open : mobility[k];
    }
    for (int k = 0; k < sub->slots; k++) {
        double ratio = mobility[k] > 0 ? still[k] / mobility[k] : 1;
        mobility[k] *= sqrt(ratio < stillest ? stillest : ratio < 1 ? ratio : 1);
    }
}

// ---- a subsystem as a whole --------------------------------------------------------------------------------------------------

// Eq. 23: Tr(A_i) / Tr(J_i^T J_i), A_i with its soft rows.
static double trace_beta(const AdmmSystem *system, const AdmmSubsystem *sub, int part) {
    const CairnProblem *problem = system->problem;
    double dynamics = 0, constraints = 0;
    for (int i = 0; i < sub->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[system->blocks[sub->first_block + i]];
        for (int k = 0; k < block->size; k++) {
            dynamics += problem->P[block->matrix + k * (block->size + 1)];
        }
    }
    for (int i = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[system->inside[sub->first_inside + i]];
        for (int r = 0; r < constraint->row_count; r++) {
            int row = constraint->first_row + r;
            if (system->row_kind[row] == ADMM_SOFT) {
                dynamics += square(system, part, constraint, r) / problem->compliance[row];
            }
        }
    }
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmItem *item = &system->items[system->sides[system->side_of[sub->first_side + i]].item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int row = system->rows[item->first_row + k].row;
            constraints += square(system, part, constraint, row - constraint->first_row);
        }
    }
    return system->options->beta * (constraints > 0 ? dynamics / constraints : 1);
}

void cairn_admm_choose_beta(AdmmSystem *system, const AdmmSubsystem *sub, double *mobility, bool is_known) {
    bool is_even = system->options->weights == CAIRN_WEIGHTS_TRACE;
    int part = system->part[system->blocks[sub->first_block]];
    double even = is_even ? trace_beta(system, sub, part) : 0;
    for (int k = 0; k < sub->width; k++) { // the slots that fill up eights
        system->slot_beta[sub->first_slot + k] = 0;
    }
    for (int k = 0; k < sub->slots; k++) {
        system->slot_beta[sub->first_slot + k * sub->pitch] = even;
    }
    if (is_even) {
        return;
    }
    if (!is_known) {
        guess_mobility(system, sub, part, mobility);
    }
    weigh_rows(system, sub, mobility);
}
