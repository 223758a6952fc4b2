// The check of a problem: solvers and referee rely on it and do not check indices again. The lengths of P, J, terms'
// Jacobians and W are not checked, for the problem has no count of them.
#include <cairn/problem.h>
#include <float.h>
#include <math.h>

#include "solvers/problem/dense.h"

// Every check returns whether the data that it looks at are valid, and writes the status only where they are not.
#define REFUSE(...) (*status = cairn_error(CAIRN_INVALID_ARGUMENT, __VA_ARGS__), false)

// Without an early end, so that a compiler can look at several at once; which one is wrong is found afterwards.
static bool are_finite(const double *values, int count) {
    int bad = 0;
    for (int i = 0; i < count; i++) {
        bad |= !(fabs(values[i]) <= DBL_MAX);
    }
    return bad == 0;
}

static bool check_pointer(const void *array, const char *name, const char *count_name, int count, CairnStatus *status) {
    if (!array && count > 0) {
        return REFUSE("problem: %s is NULL though %s = %d", name, count_name, count);
    }
    return true;
}

static bool check_count(int count, const char *name, CairnStatus *status) {
    if (count < 0) {
        return REFUSE("problem: %s = %d is negative", name, count);
    }
    return true;
}

static bool check_finite(const double *values, int count, const char *name, CairnStatus *status) {
    bool is_good = are_finite(values, count);
    for (int i = 0; !is_good && i < count; i++) {
        if (!isfinite(values[i])) {
            return REFUSE("problem: %s[%d] = %g is not finite", name, i, values[i]);
        }
    }
    return true;
}

static bool check_counts(const CairnProblem *problem, CairnStatus *status) {
    if (problem->form != CAIRN_FORM_DYNAMICS && problem->form != CAIRN_FORM_EXPLICIT) {
        return REFUSE("problem: form = %d is unknown", (int)problem->form);
    }
    if (!(problem->step > 0) || isinf(problem->step)) {
        return REFUSE("problem: step = %g must be finite and above 0", problem->step);
    }
    if (!(problem->rest_speed >= 0) || isinf(problem->rest_speed)) {
        return REFUSE("problem: rest_speed = %g must be finite and not negative", problem->rest_speed);
    }
    if (!check_count(problem->row_count, "row_count", status) ||
        !check_count(problem->constraint_count, "constraint_count", status) ||
        !check_count(problem->friction_count, "friction_count", status) ||
        !check_pointer(problem->constraints, "constraints", "constraint_count", problem->constraint_count, status) ||
        !check_pointer(problem->frictions, "frictions", "friction_count", problem->friction_count, status) ||
        !check_pointer(problem->right_side, "right_side", "row_count", problem->row_count, status) ||
        !check_pointer(problem->lower, "lower", "row_count", problem->row_count, status) ||
        !check_pointer(problem->upper, "upper", "row_count", problem->row_count, status)) {
        return false;
    }
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        return check_pointer(problem->W_start, "W_start", "row_count", problem->row_count, status) &&
               check_pointer(problem->W_column, "W_column", "row_count", problem->row_count, status) &&
               check_pointer(problem->W, "W", "row_count", problem->row_count, status);
    }
    return check_count(problem->block_count, "block_count", status) &&
           check_count(problem->coupling_count, "coupling_count", status) &&
           check_count(problem->dof_count, "dof_count", status) &&
           check_count(problem->term_count, "term_count", status) &&
           check_pointer(problem->blocks, "blocks", "block_count", problem->block_count, status) &&
           check_pointer(problem->couplings, "couplings", "coupling_count", problem->coupling_count, status) &&
           check_pointer(problem->P, "P", "block_count", problem->block_count, status) &&
           check_pointer(problem->p, "p", "dof_count", problem->dof_count, status) &&
           check_pointer(problem->terms, "terms", "term_count", problem->term_count, status) &&
           check_pointer(problem->J, "J", "term_count", problem->frames == NULL ? problem->term_count : 0, status) &&
           check_pointer(problem->compliance, "compliance", "row_count", problem->row_count, status);
}

// Whether the block is that of a rigid body as an assembler writes it: m 1 and a symmetric inertia, finite and
// positive definite. Most are, and this check takes a tenth of the general one; where it returns false, the general
// one decides.
static bool is_rigid(const double *P, int size) {
    if (size != 6 || P[0] != P[7] || P[0] != P[14] || P[22] != P[27] || P[23] != P[33] || P[29] != P[34] ||
        !(P[0] > 0 && P[21] > 0) || !are_finite(P, 36)) {
        return false;
    }
    int bad = 0;
    for (int i = 0; i < 3; i++) { // zeros: the upper right, the lower left, and beside the mass
        for (int j = 0; j < 3; j++) {
            bad |= (P[6 * i + 3 + j] != 0) | (P[6 * (3 + i) + j] != 0) | (i != j && P[6 * i + j] != 0);
        }
    }
    // The pivots of the inertia, with the same threshold for noise as in cairn_dense_cholesky.
    const double noise = 6 * DBL_EPSILON;
    double l1 = P[27] / P[21], l2 = P[33] / P[21], pivot = P[28] - P[27] * l1;
    if (bad != 0 || !(pivot > noise * P[28])) {
        return false;
    }
    double rest = P[34] - P[33] * l1;
    return P[35] - P[33] * l2 - rest * (rest / pivot) > noise * P[35];
}

// A diagonal block of P: finite, symmetric to 1e-9 of its largest entry, positive definite.
static bool check_matrix(const CairnProblem *problem, int block, CairnStatus *status) {
    int size = problem->blocks[block].size, offset = problem->blocks[block].matrix;
    const double *P = problem->P + offset;
    double largest = 0;
    for (int i = 0; i < size * size; i++) {
        if (!isfinite(P[i])) {
            return REFUSE("problem: P[%d] = %g (block %d) is not finite", offset + i, P[i], block);
        }
        largest = fmax(largest, fabs(P[i]));
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(P[i * size + j] - P[j * size + i]) > 1e-9 * largest) {
                return REFUSE("problem: P is not symmetric in block %d: entry (%d, %d) = %g, (%d, %d) = %g", block, i,
                              j, P[i * size + j], j, i, P[j * size + i]);
            }
        }
    }
    double factor[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT];
    int row = cairn_dense_cholesky(size, P, factor);
    if (row >= 0) {
        return REFUSE("problem: P is not positive definite in block %d: pivot of its row %d, diagonal %g", block, row,
                      P[row * size + row]);
    }
    return true;
}

static bool check_blocks(const CairnProblem *problem, CairnStatus *status) {
    int next = 0;
    for (int i = 0; i < problem->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[i];
        if (block->first != next) {
            return REFUSE("problem: blocks[%d].first = %d must be %d: blocks cover the dofs in order", i, block->first,
                          next);
        }
        if (block->size < 1 || block->size > CAIRN_BLOCK_LIMIT || block->size > problem->dof_count - next) {
            return REFUSE("problem: blocks[%d].size = %d is outside [1, %d] or past dof_count = %d", i, block->size,
                          CAIRN_BLOCK_LIMIT, problem->dof_count);
        }
        if (block->matrix < 0) {
            return REFUSE("problem: blocks[%d].matrix = %d is negative", i, block->matrix);
        }
        if (!(block->mass >= 0) || isinf(block->mass)) {
            return REFUSE("problem: blocks[%d].mass = %g must be finite and not negative", i, block->mass);
        }
        if (!is_rigid(problem->P + block->matrix, block->size) && !check_matrix(problem, i, status)) {
            return false;
        }
        next += block->size;
    }
    if (next != problem->dof_count) {
        return REFUSE("problem: dof_count = %d but the blocks hold %d", problem->dof_count, next);
    }
    return check_finite(problem->p, problem->dof_count, "p", status);
}

static bool check_couplings(const CairnProblem *problem, CairnStatus *status) {
    for (int i = 0; i < problem->coupling_count; i++) {
        const CairnDofCoupling *coupling = &problem->couplings[i];
        if (coupling->column < 0 || coupling->row <= coupling->column || coupling->row >= problem->block_count) {
            return REFUSE("problem: couplings[%d] = (%d, %d) is no block below the diagonal of %d", i, coupling->row,
                          coupling->column, problem->block_count);
        }
        if (coupling->matrix < 0) {
            return REFUSE("problem: couplings[%d].matrix = %d is negative", i, coupling->matrix);
        }
        int size = problem->blocks[coupling->row].size * problem->blocks[coupling->column].size;
        for (int k = coupling->matrix; k < coupling->matrix + size; k++) {
            if (!isfinite(problem->P[k])) {
                return REFUSE("problem: P[%d] = %g (coupling %d) is not finite", k, problem->P[k], i);
            }
        }
    }
    return true;
}

static bool is_finite_frame(const CairnContactFrame *f) {
    return cairn_vec3_is_finite(f->normal) && cairn_vec3_is_finite(f->tangent) && cairn_vec3_is_finite(f->arm[0]) &&
           cairn_vec3_is_finite(f->arm[1]);
}

// A term whose rows are those of a contact's frame.
static bool check_frame(const CairnProblem *problem, const CairnConstraintBlock *constraint, int k,
                        CairnStatus *status) {
    const CairnTerm *term = &problem->terms[k];
    if (problem->frames == NULL) {
        return REFUSE("problem: terms[%d].jacobian = %d is negative, and frames is NULL", k, term->jacobian);
    }
    if (problem->blocks[term->block].size != 6 || constraint->row_count > CAIRN_FRAME_ROWS) {
        return REFUSE("problem: terms[%d] has a frame, but %d rows and block %d of size %d: must be at most %d and 6",
                      k, constraint->row_count, term->block, problem->blocks[term->block].size, CAIRN_FRAME_ROWS);
    }
    if (!is_finite_frame(cairn_problem_frame(problem, ~term->jacobian >> 1))) {
        return REFUSE("problem: frames[%d] is not finite", ~term->jacobian >> 1);
    }
    return true;
}

static bool check_terms(const CairnProblem *problem, int index, CairnStatus *status) {
    const CairnConstraintBlock *constraint = &problem->constraints[index];
    if (constraint->first_term < 0 || constraint->term_count < 0 ||
        constraint->term_count > problem->term_count - constraint->first_term) {
        return REFUSE("problem: constraints[%d] has terms [%d, +%d) outside term_count = %d", index,
                      constraint->first_term, constraint->term_count, problem->term_count);
    }
    for (int k = constraint->first_term; k < constraint->first_term + constraint->term_count; k++) {
        const CairnTerm *term = &problem->terms[k];
        if (term->block < 0 || term->block >= problem->block_count) {
            return REFUSE("problem: terms[%d].block = %d is outside block_count = %d", k, term->block,
                          problem->block_count);
        }
        if (term->jacobian < 0) {
            if (!check_frame(problem, constraint, k, status)) {
                return false;
            }
            continue;
        }
        int size = constraint->row_count * problem->blocks[term->block].size;
        bool is_good = are_finite(problem->J + term->jacobian, size);
        for (int i = term->jacobian; !is_good && i < term->jacobian + size; i++) {
            if (!isfinite(problem->J[i])) {
                return REFUSE("problem: J[%d] = %g (constraint %d, block %d) is not finite", i, problem->J[i], index,
                              term->block);
            }
        }
    }
    return true;
}

// Constraint blocks cover the rows in order. An explicit problem may go without them.
static bool check_constraints(const CairnProblem *problem, CairnStatus *status) {
    int next = 0, term = 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[i];
        if (problem->frames != NULL && constraint->first_term != term) {
            return REFUSE("problem: constraints[%d].first_term = %d must be %d: with frames terms stand in order", i,
                          constraint->first_term, term);
        }
        if (constraint->first_row != next) {
            return REFUSE("problem: constraints[%d].first_row = %d must be %d: constraints cover the rows in order", i,
                          constraint->first_row, next);
        }
        if (constraint->row_count < 0 || constraint->row_count > problem->row_count - next) {
            return REFUSE("problem: constraints[%d].row_count = %d goes past row_count = %d", i, constraint->row_count,
                          problem->row_count);
        }
        if (constraint->friction < -1 || constraint->friction >= problem->friction_count) {
            return REFUSE("problem: constraints[%d].friction = %d is outside friction_count = %d", i,
                          constraint->friction, problem->friction_count);
        }
        if (problem->form == CAIRN_FORM_DYNAMICS && !check_terms(problem, i, status)) {
            return false;
        }
        next += constraint->row_count;
        term =
            problem->form == CAIRN_FORM_DYNAMICS ? constraint->first_term + constraint->term_count : 0; // checked above
    }
    if (next != problem->row_count && (problem->form == CAIRN_FORM_DYNAMICS || problem->constraint_count > 0)) {
        return REFUSE("problem: row_count = %d but the constraints hold %d", problem->row_count, next);
    }
    return true;
}

// Both bounds of a row are numbers, in order, and leave room.
static bool check_bounds(const CairnProblem *problem, CairnStatus *status) {
    const double *l = problem->lower, *u = problem->upper;
    int bad = 0;
    for (int i = 0; i < problem->row_count; i++) {
        bad |= !(l[i] <= u[i]) | !(l[i] <= DBL_MAX) | !(u[i] >= -DBL_MAX);
    }
    for (int i = 0; bad != 0 && i < problem->row_count; i++) {
        double lower = problem->lower[i], upper = problem->upper[i];
        if (isnan(lower) || lower == (double)INFINITY) {
            return REFUSE("problem: lower[%d] = %g must be a number below infinity", i, lower);
        }
        if (isnan(upper) || upper == -(double)INFINITY) {
            return REFUSE("problem: upper[%d] = %g must be a number above -infinity", i, upper);
        }
        if (lower > upper) {
            return REFUSE("problem: lower[%d] = %g is above upper[%d] = %g", i, lower, i, upper);
        }
    }
    return true;
}

static bool check_compliance(const CairnProblem *problem, CairnStatus *status) {
    int bad = 0;
    for (int i = 0; i < problem->row_count; i++) {
        bad |= !(problem->compliance[i] >= 0) | !(problem->compliance[i] <= DBL_MAX);
    }
    for (int i = 0; bad != 0 && i < problem->row_count; i++) {
        if (!(problem->compliance[i] >= 0) || isinf(problem->compliance[i])) {
            return REFUSE("problem: compliance[%d] = %g must be finite and not negative", i, problem->compliance[i]);
        }
    }
    return true;
}

static bool check_rows(const CairnProblem *problem, CairnStatus *status) {
    return check_bounds(problem, status) &&
           check_finite(problem->right_side, problem->row_count, "right_side", status) &&
           (!problem->position_error ||
            check_finite(problem->position_error, problem->row_count, "position_error", status)) &&
           (problem->form != CAIRN_FORM_DYNAMICS || check_compliance(problem, status));
}

static bool check_friction_value(int index, const char *name, double value, CairnStatus *status) {
    if (!(value >= 0) || isinf(value)) {
        return REFUSE("problem: frictions[%d].%s = %g must be finite and not negative", index, name, value);
    }
    return true;
}

static bool check_friction(const CairnProblem *problem, int index, CairnStatus *status) {
    const CairnFriction *friction = &problem->frictions[index];
    if ((int)friction->kind < 0 || friction->kind >= CAIRN_FRICTION_KIND_COUNT) {
        return REFUSE("problem: frictions[%d].kind = %d is unknown", index, (int)friction->kind);
    }
    if (friction->constraint < 0 || friction->constraint >= problem->constraint_count) {
        return REFUSE("problem: frictions[%d].constraint = %d is outside constraint_count = %d", index,
                      friction->constraint, problem->constraint_count);
    }
    const CairnConstraintBlock *constraint = &problem->constraints[friction->constraint];
    if (constraint->friction != index) {
        return REFUSE("problem: frictions[%d].constraint = %d, whose own friction is %d", index, friction->constraint,
                      constraint->friction);
    }
    if (friction->spin_rows != 0 && friction->spin_rows != 1 && friction->spin_rows != 3) {
        return REFUSE("problem: frictions[%d].spin_rows = %d must be 0, 1 or 3", index, friction->spin_rows);
    }
    int end = constraint->first_row + constraint->row_count;
    if (friction->normal < constraint->first_row || friction->normal >= end ||
        end - friction->normal < 3 + friction->spin_rows) {
        return REFUSE("problem: frictions[%d].normal = %d and its %d rows are outside rows [%d, %d)", index,
                      friction->normal, 3 + friction->spin_rows, constraint->first_row, end);
    }
    return check_friction_value(index, "mu", friction->mu, status) &&
           check_friction_value(index, "torsion", friction->torsion, status) &&
           check_friction_value(index, "rolling", friction->rolling, status) &&
           check_friction_value(index, "frozen", friction->frozen, status);
}

static bool check_explicit(const CairnProblem *problem, CairnStatus *status) {
    if (problem->row_count > 0 && problem->W_start[0] != 0) {
        return REFUSE("problem: W_start[0] = %d must be 0", problem->W_start[0]);
    }
    for (int i = 0; i < problem->row_count; i++) { // all offsets before any is used
        if (problem->W_start[i + 1] < problem->W_start[i]) {
            return REFUSE("problem: W_start[%d] = %d is less than W_start[%d] = %d", i + 1, problem->W_start[i + 1], i,
                          problem->W_start[i]);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            if (problem->W_column[k] < 0 || problem->W_column[k] >= problem->row_count) {
                return REFUSE("problem: W_column[%d] = %d is outside row_count = %d", k, problem->W_column[k],
                              problem->row_count);
            }
            if (!isfinite(problem->W[k])) {
                return REFUSE("problem: W[%d] = %g (row %d, column %d) is not finite", k, problem->W[k], i,
                              problem->W_column[k]);
            }
        }
    }
    return true;
}

CairnStatus cairn_problem_check(const CairnProblem *problem) {
    if (!problem) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem is NULL");
    }
    CairnStatus status = cairn_ok();
    bool is_good = check_counts(problem, &status);
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        is_good = is_good && check_blocks(problem, &status) && check_couplings(problem, &status);
    } else {
        is_good = is_good && check_explicit(problem, &status);
    }
    is_good = is_good && check_constraints(problem, &status) && check_rows(problem, &status);
    for (int i = 0; is_good && i < problem->friction_count; i++) {
        is_good = check_friction(problem, i, &status);
    }
    return status;
}
