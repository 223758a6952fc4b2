// beta, factors, the warm start, and a subsystem's half of an iteration.
#include <math.h>
#include <omp.h>
#include <string.h>

#include "solvers/subadmm_system.h"

enum {
    DENSE_DOFS = 192, // larger subsystems are factored sparse
    WORTH_THREADS = 64
};

double *cairn_admm_scratch(const AdmmSystem *system) {
    return system->scratch + system->scratch_size * (size_t)omp_get_thread_num();
}

static CairnStatus no_memory(const AdmmSystem *system) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d places of %d rows", system->name, system->slot_count,
                       system->row_count);
}

// ---- beta ------------------------------------------------------------------------------------------------------------------

// What a row adds to a trace over the dofs of one subsystem: |j|^2.
static double square(const AdmmSystem *system, int part, const CairnConstraintBlock *constraint, int r) {
    const CairnProblem *problem = system->problem;
    double sum = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        int size = problem->blocks[term->block].size;
        const double *J = problem->J + term->jacobian + (ptrdiff_t)r * size;
        for (int k = 0; k < size && system->part[term->block] == part; k++) {
            sum += J[k] * J[k];
        }
    }
    return sum;
}

// What one impulse on a row moves in one subsystem, by a diagonal over the dofs.
static double mobility(const AdmmSystem *system, int part, const CairnConstraintBlock *constraint, int r,
                       const double *diagonal) {
    const CairnProblem *problem = system->problem;
    double sum = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        const CairnDofBlock *block = &problem->blocks[term->block];
        const double *J = problem->J + term->jacobian + (ptrdiff_t)r * block->size;
        for (int k = 0; k < block->size && system->part[term->block] == part; k++) {
            sum += J[k] * J[k] / diagonal[block->first + k];
        }
    }
    return sum;
}

// The diagonals of P, and of all A_i with their soft rows.
static void find_diagonals(const AdmmSystem *system, double *P, double *A) {
    const CairnProblem *problem = system->problem;
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        for (int k = 0; k < block->size; k++) {
            P[block->first + k] = A[block->first + k] = problem->P[block->matrix + k * (block->size + 1)];
        }
    }
    for (int i = 0; i < system->inside_count; i++) {
        int row = system->inside[i];
        const CairnConstraintBlock *constraint = &problem->constraints[system->constraint[row]];
        for (int t = 0; t < constraint->term_count && system->place[row] == ADMM_SOFT; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const CairnDofBlock *block = &problem->blocks[term->block];
            const double *J = problem->J + term->jacobian + (ptrdiff_t)(row - constraint->first_row) * block->size;
            for (int k = 0; k < block->size; k++) {
                A[block->first + k] += J[k] * J[k] / problem->compliance[row];
            }
        }
    }
}

// Eq. 23 a row: the mass that the row feels in the subsystem; halfway (as ratios go) between that of P, which moves where the piece
// goes as a whole, and that of A, which moves where it bends. Metres and radians then do not share one weight. A contact's rows do, for its
// law turns in its plane.
static void weigh_rows(AdmmSystem *system, const AdmmSubsystem *sub, int part, const double *P, const double *A) {
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        const CairnConstraintBlock *constraint = &system->problem->constraints[item->constraint];
        double *beta = system->slot_beta + side->slot, total = 0;
        int shared = item->friction >= 0 && item->row_count >= 3 ? 3 : 0;
        for (int k = 0; k < item->row_count; k++) {
            int row = system->rows[item->first_row + k].row;
            int r = row - constraint->first_row;
            double moved = sqrt(mobility(system, part, constraint, r, P) * mobility(system, part, constraint, r, A));
            total += k < shared ? moved : 0;
            beta[k] = system->options->beta / (moved > 0 ? moved : 1);
        }
        for (int k = 0; k < shared && total > 0; k++) {
            beta[k] = system->options->beta * shared / total;
        }
    }
}

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
        int row = system->inside[sub->first_inside + i];
        const CairnConstraintBlock *constraint = &problem->constraints[system->constraint[row]];
        if (system->place[row] == ADMM_SOFT) {
            dynamics += square(system, part, constraint, row - constraint->first_row) / problem->compliance[row];
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

static void choose_beta(AdmmSystem *system, const AdmmSubsystem *sub, int part, const double *P, const double *A) {
    bool is_even = system->options->weights == CAIRN_WEIGHTS_TRACE;
    double even = is_even ? trace_beta(system, sub, part) : 0;
    for (int k = 0; k < sub->width; k++) {
        system->slot_beta[sub->first_slot + k] = k < sub->slots ? even : 0;
    }
    if (!is_even) {
        weigh_rows(system, sub, part, P, A);
    }
}

// What the closed forms divide by, once every side has its beta.
static void sum_rows(AdmmSystem *system) {
    for (int k = 0; k < system->slot_count; k++) {
        system->inverse[k] = system->slot_beta[k] > 0 ? 1 / system->slot_beta[k] : 0;
    }
    for (int i = 0; i < system->item_count; i++) {
        const AdmmItem *item = &system->items[i];
        for (int r = 0; r < item->row_count; r++) {
            AdmmRow *row = &system->rows[item->first_row + r];
            row->sum = row->C;
            for (int s = item->first_side; s < item->first_side + item->side_count; s++) {
                row->sum += system->inverse[system->sides[s].slot + r];
            }
            row->scale = row->sum > 0 ? -1 / row->sum : 0;
        }
    }
}

// ---- factors ---------------------------------------------------------------------------------------------------------------

static bool is_sparse(const AdmmSystem *system, const AdmmSubsystem *sub) {
    return sub->size > DENSE_DOFS || (system->subsystem_count == 1 && sub->size > DENSE_DOFS / 4);
}

static CairnStatus allocate(AdmmSystem *system) {
    CairnArena *arena = system->context->arena;
    size_t most = 0;
    for (int i = 0; i < system->subsystem_count; i++) {
        AdmmSubsystem *sub = &system->subsystems[i];
        if (is_sparse(system, sub)) {
            continue;
        }
        size_t width = (size_t)sub->width, high = (size_t)sub->size + (size_t)sub->hard_count,
               scratch = cairn_admm_dense_scratch(sub);
        sub->Z = CAIRN_PUSH(arena, double, high *width + 1);
        // H is one pass over width rows, Z two over `high` of them; many subsystems do not fit the caches, so the shorter one wins.
        bool is_square = width <= high;
        sub->H = is_square ? CAIRN_PUSH(arena, double, width *width + 1) : NULL;
        if (!sub->Z || (is_square && !sub->H)) {
            return no_memory(system);
        }
        most = scratch > most ? scratch : most;
    }
    for (int i = 0; i < system->subsystem_count; i++) { // s, x and lambda of a visit
        size_t visit = 3 * (size_t)system->subsystems[i].width;
        most = visit > most ? visit : most;
    }
    system->threads = system->subsystem_count + system->item_count > WORTH_THREADS ? system->context->thread_count : 1;
    system->threads = system->threads > 1 ? system->threads : 1;
    system->scratch_size = (most + 2 * ADMM_LANES) / ADMM_LANES * ADMM_LANES;
    system->scratch = CAIRN_PUSH(arena, double, system->scratch_size *(size_t)system->threads);
    return system->scratch ? cairn_ok() : no_memory(system);
}

static CairnStatus factor_all(AdmmSystem *system) {
    int count = system->subsystem_count, broken = count;
    for (int i = 0; i < count; i++) {
        if (is_sparse(system, &system->subsystems[i])) {
            CAIRN_TRY(cairn_admm_sparse_init(system, &system->subsystems[i]));
        }
    }
#pragma omp parallel num_threads(system->threads) if (system->threads > 1) reduction(min : broken)
    {
        double *scratch = cairn_admm_scratch(system);
#pragma omp for schedule(static)
        for (int i = 0; i < count; i++) {
            AdmmSubsystem *sub = &system->subsystems[i];
            if (!sub->sparse && !cairn_admm_dense_factor(system, sub, scratch)) {
                broken = i < broken ? i : broken;
            }
        }
    }
    return broken == count ? cairn_ok()
                           : cairn_error(CAIRN_NUMERIC, "%s: the matrix of subsystem %d is not positive definite",
                                         system->name, broken);
}

// u = -lambda and z = J v: y = beta z - lambda. v is what the warm impulses make; but with stiff rows inside, where a small error of their
// impulses makes large velocities, what the subsystem would do without any.
static CairnStatus start(AdmmSystem *system, const double *warm) {
    const CairnProblem *problem = system->problem;
    CairnOps ops;
    CAIRN_TRY(cairn_ops_init(&ops, problem, system->context->arena));
    double *made = CAIRN_PUSH(system->context->arena, double, problem->dof_count + 1),
           *free_v = CAIRN_PUSH(system->context->arena, double, problem->dof_count + 1);
    if (!made || !free_v) {
        return no_memory(system);
    }
    cairn_ops_velocity(&ops, warm, made);
    cairn_ops_velocity(&ops, NULL, free_v);
    system->lambda[system->row_count] = 0;
    memset(system->y, 0, (size_t)system->slot_count * sizeof *system->y);
    for (int s = 0; s < system->side_count; s++) {
        const AdmmSide *side = &system->sides[s];
        const AdmmItem *item = &system->items[side->item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        const double *v = system->subsystems[side->subsystem].inside_count > 0 ? free_v : made;
        for (int k = 0; k < item->row_count; k++) {
            int row = system->rows[item->first_row + k].row, r = row - constraint->first_row;
            double x = 0;
            for (int t = 0; t < constraint->term_count; t++) {
                const CairnTerm *term = &problem->terms[constraint->first_term + t];
                int size = problem->blocks[term->block].size, at = problem->blocks[term->block].first;
                const double *J = problem->J + term->jacobian + (ptrdiff_t)r * size;
                for (int i = 0; i < size && system->part[term->block] == side->subsystem; i++) {
                    x += J[i] * v[at + i];
                }
            }
            system->lambda[item->first_row + k] = warm[row];
            system->y[side->slot + k] = system->slot_beta[side->slot + k] * x - warm[row];
        }
    }
    return cairn_ok();
}

CairnStatus cairn_admm_prepare(AdmmSystem *system, const double *warm) {
    CairnArena *arena = system->context->arena;
    size_t slots = (size_t)system->slot_count;
    system->base = CAIRN_PUSH(arena, double, slots + 1);
    system->y = CAIRN_PUSH(arena, double, slots + 1);
    system->slot_beta = CAIRN_PUSH(arena, double, slots + 1);
    system->inverse = CAIRN_PUSH(arena, double, slots + 1);
    system->lambda = CAIRN_PUSH(arena, double, system->row_count + 1);
    if (!system->base || !system->y || !system->slot_beta || !system->inverse || !system->lambda) {
        return no_memory(system);
    }
    double *P = CAIRN_PUSH(arena, double, system->problem->dof_count + 1),
           *A = CAIRN_PUSH(arena, double, system->problem->dof_count + 1);
    if (!P || !A) {
        return no_memory(system);
    }
    find_diagonals(system, P, A);
    for (int i = 0; i < system->subsystem_count; i++) {
        choose_beta(system, &system->subsystems[i], i, P, A);
    }
    CAIRN_TRY(allocate(system));
    CAIRN_TRY(factor_all(system));
    sum_rows(system);
    return start(system, warm);
}

// ---- an iteration ----------------------------------------------------------------------------------------------------------

// The lanes of a sum in one order.
static double sum_lanes(AdmmEight sum) {
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

void cairn_admm_visit_subsystem(AdmmSystem *system, AdmmSubsystem *sub) {
    int width = sub->width, eights = width / ADMM_LANES;
    double *s = cairn_admm_scratch(system), *x = s + width, *lambda = x + width;
    AdmmEight *y = (AdmmEight *)(system->y + sub->first_slot), *to = (AdmmEight *)x, *impulse = (AdmmEight *)lambda;
    const AdmmEight *beta = (const AdmmEight *)(system->slot_beta + sub->first_slot),
                    *inverse = (const AdmmEight *)(system->inverse + sub->first_slot),
                    *base = (const AdmmEight *)(system->base + sub->first_slot);
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
        cairn_admm_dense_apply(sub, s, x);
        for (int k = 0; k < eights; k++) {
            to[k] = beta[k] * to[k] + base[k];
        }
    }
    // Over-relaxation: x becomes a x + (1 - a) z, beta z = y + lambda.
    double keep = 1 - system->options->relaxation, take = system->options->relaxation;
    AdmmEight theta = {0}, weighted = {0};
    for (int k = 0; k < eights; k++) {
        AdmmEight next = take * to[k] + keep * (y[k] + impulse[k]) - impulse[k], change = next - y[k],
                  velocity = change * inverse[k];
        y[k] = next;
        theta += change * change;
        weighted += velocity * velocity;
    }
    sub->theta = sum_lanes(theta);
    sub->weighted = sum_lanes(weighted);
}

CairnStatus cairn_admm_finish(AdmmSystem *system, double *lambda) {
    int count = system->subsystem_count, broken = count;
    for (int k = 0; k < system->row_count; k++) {
        lambda[system->rows[k].row] = system->lambda[k];
    }
    for (int i = 0; i < count; i++) {
        if (system->subsystems[i].sparse) {
            CAIRN_TRY(cairn_admm_sparse_finish(&system->subsystems[i], lambda));
        }
    }
#pragma omp parallel num_threads(system->threads) if (system->threads > 1) reduction(min : broken)
    {
        double *scratch = cairn_admm_scratch(system);
#pragma omp for schedule(static)
        for (int i = 0; i < count; i++) {
            const AdmmSubsystem *sub = &system->subsystems[i];
            if (!sub->sparse && sub->inside_count > 0 && !cairn_admm_dense_finish(system, sub, scratch, lambda)) {
                broken = i < broken ? i : broken;
            }
        }
    }
    return broken == count ? cairn_ok()
                           : cairn_error(CAIRN_NUMERIC, "%s: the matrix of subsystem %d is not positive definite",
                                         system->name, broken);
}
