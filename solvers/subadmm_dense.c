// A subsystem as dense matrices, filled up to eights: K = A + J^T beta J = U^T U, Z = U^-T J^T. Hard rows B inside, with compliances C_B,
// are eliminated after the dofs: S = C_B + (U^-T B^T)^T (U^-T B^T) = V^T V, T = V^-T (U^-T B^T)^T Z. Then H = Z^T Z - T^T T, and T stands
// under Z as further rows. Sums have one order and no fused multiply-add: the same bits on every machine.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/subadmm_system.h"

static int eights(int n) {
    return (n + ADMM_LANES - 1) / ADMM_LANES * ADMM_LANES;
}

// ---- kernels: rows of `count` eights, aligned ------------------------------------------------------------------------------

// y += a x
static inline void add_scaled(int count, double a, const double *x, double *y) {
    const AdmmEight *from = (const AdmmEight *)x;
    AdmmEight *to = (AdmmEight *)y;
    for (int i = 0; i < count; i++) {
        to[i] += from[i] * a;
    }
}

static inline double dot(int count, const double *x, const double *y) {
    const AdmmEight *a = (const AdmmEight *)x, *b = (const AdmmEight *)y;
    AdmmEight sum = {0};
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// The upper half of a (n x n in rows of `stride`) becomes U with a = U^T U, reciprocals on its diagonal; what is below is scratch.
// raise > 0: pivots that cancellation has eaten become that share of their diagonal; 0: they are refused.
static bool factor_upper(int n, int stride, double raise, double *a) {
    for (int k = 0; k < n; k++) {
        double *row = a + (ptrdiff_t)k * stride, pivot = row[k], diagonal = fabs(row[k]);
        for (int i = 0; i < k; i++) {
            diagonal += a[(ptrdiff_t)i * stride + k] * a[(ptrdiff_t)i * stride + k];
        }
        if (!(pivot > n * DBL_EPSILON * diagonal)) {
            if (raise <= 0 || !(diagonal >= 0)) {
                return false;
            }
            pivot = diagonal > 0 ? raise * diagonal : 1;
        }
        double inverse = 1 / sqrt(pivot);
        for (int i = k + 1; i < n; i++) {
            row[i] *= inverse;
        }
        row[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            int from = i / ADMM_LANES * ADMM_LANES; // what lies left of the diagonal in these eights is never read
            if (row[i] != 0) {
                add_scaled((stride - from) / ADMM_LANES, -row[i], row + from, a + (ptrdiff_t)i * stride + from);
            }
        }
    }
    return true;
}

// x = U^-T x for n rows of `count` eights.
static void solve_lower(int n, int stride, const double *U, int count, double *x) {
    int width = count * ADMM_LANES;
    for (int k = 0; k < n; k++) {
        const double *row = U + (ptrdiff_t)k * stride;
        AdmmEight *to = (AdmmEight *)(x + (ptrdiff_t)k * width);
        for (int i = 0; i < count; i++) {
            to[i] *= row[k];
        }
        for (int i = k + 1; i < n; i++) {
            if (row[i] != 0) {
                add_scaled(count, -row[i], (double *)to, x + (ptrdiff_t)i * width);
            }
        }
    }
}

// The same of one column, and x = U^-1 x.
static void forward(int n, int stride, const double *U, double *x) {
    for (int k = 0; k < n; k++) {
        const double *row = U + (ptrdiff_t)k * stride;
        x[k] *= row[k];
        for (int i = k + 1; i < n; i++) {
            x[i] -= row[i] * x[k];
        }
    }
}

static void backward(int n, int stride, const double *U, double *x) {
    for (int k = n - 1; k >= 0; k--) {
        const double *row = U + (ptrdiff_t)k * stride;
        for (int i = k + 1; i < n; i++) {
            x[k] -= row[i] * x[i];
        }
        x[k] *= row[k];
    }
}

// ---- gathering -------------------------------------------------------------------------------------------------------------

typedef struct Frame {
    double *U; // size x stride
    double *q; // stride: b', then U^-T b'
    double *B; // size x hard width: U^-T of the hard rows
    double *V; // hard x hard width
    double *g; // hard width
    int hard, hard_width;
} Frame;

static Frame lay_out(const AdmmSubsystem *sub, double *scratch) {
    Frame frame = {.hard = sub->hard_count, .hard_width = eights(sub->hard_count)};
    frame.U = scratch;
    frame.q = frame.U + (ptrdiff_t)sub->size * sub->stride;
    frame.B = frame.q + sub->stride;
    frame.V = frame.B + (ptrdiff_t)sub->size * frame.hard_width;
    frame.g = frame.V + (ptrdiff_t)frame.hard * frame.hard_width;
    return frame;
}

size_t cairn_admm_dense_scratch(const AdmmSubsystem *sub) {
    size_t size = (size_t)sub->size, stride = (size_t)sub->stride, hard = (size_t)sub->hard_count,
           wide = (size_t)eights(sub->hard_count);
    return size * stride + stride + (size + hard + 1) * wide + ADMM_LANES;
}

// K += weight j^T j, upper half, for row r of a constraint.
static void add_row(const AdmmSystem *system, const AdmmSubsystem *sub, const CairnConstraintBlock *constraint, int r,
                    double weight, double *K) {
    const CairnProblem *problem = system->problem;
    for (int s = 0; s < constraint->term_count; s++) {
        const CairnTerm *a = &problem->terms[constraint->first_term + s];
        if (system->part[a->block] != system->part[system->blocks[sub->first_block]]) {
            continue;
        }
        int size_a = problem->blocks[a->block].size, at_a = system->local[a->block];
        const double *J_a = problem->J + a->jacobian + (ptrdiff_t)r * size_a;
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *b = &problem->terms[constraint->first_term + t];
            int size_b = problem->blocks[b->block].size, at_b = system->local[b->block];
            if (system->part[b->block] != system->part[a->block] || at_b < at_a) {
                continue;
            }
            const double *J_b = problem->J + b->jacobian + (ptrdiff_t)r * size_b;
            for (int i = 0; i < size_a; i++) {
                double scaled = weight * J_a[i], *row = K + (ptrdiff_t)(at_a + i) * sub->stride + at_b;
                for (int k = 0; k < size_b && scaled != 0; k++) {
                    row[k] += scaled * J_b[k];
                }
            }
        }
    }
}

// column += scale j^T for row r of a constraint, down a matrix of this width.
static void add_column(const AdmmSystem *system, const AdmmSubsystem *sub, const CairnConstraintBlock *constraint,
                       int r, double scale, int width, double *column) {
    const CairnProblem *problem = system->problem;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        int size = problem->blocks[term->block].size;
        const double *J = problem->J + term->jacobian + (ptrdiff_t)r * size;
        double *to = column + (ptrdiff_t)system->local[term->block] * width;
        for (int k = 0; k < size && system->part[term->block] == system->part[system->blocks[sub->first_block]]; k++) {
            to[(ptrdiff_t)k * width] += scale * J[k];
        }
    }
}

// A with the soft rows (eq. 3 put into eq. 6), b likewise, and the hard rows.
static void gather_dynamics(const AdmmSystem *system, const AdmmSubsystem *sub, const Frame *frame) {
    const CairnProblem *problem = system->problem;
    memset(frame->U, 0, (size_t)sub->size * (size_t)sub->stride * sizeof(double));
    memset(frame->q, 0, (size_t)sub->stride * sizeof(double));
    memset(frame->B, 0, (size_t)(sub->size + frame->hard + 1) * (size_t)frame->hard_width * sizeof(double));
    for (int i = 0; i < sub->block_count; i++) {
        int block = system->blocks[sub->first_block + i], size = problem->blocks[block].size, at = system->local[block];
        const double *P = problem->P + problem->blocks[block].matrix, *p = problem->p + problem->blocks[block].first;
        for (int k = 0; k < size; k++) {
            frame->q[at + k] = p[k];
            memcpy(frame->U + (ptrdiff_t)(at + k) * sub->stride + at, P + (ptrdiff_t)k * size,
                   (size_t)size * sizeof *P);
        }
    }
    int hard = 0;
    for (int i = 0; i < sub->inside_count; i++) {
        int row = system->inside[sub->first_inside + i];
        const CairnConstraintBlock *constraint = &problem->constraints[system->constraint[row]];
        int r = row - constraint->first_row;
        if (system->place[row] == ADMM_SOFT) {
            double stiffness = 1 / problem->compliance[row];
            add_row(system, sub, constraint, r, stiffness, frame->U);
            add_column(system, sub, constraint, r, -stiffness * problem->right_side[row], 1, frame->q);
        } else {
            add_column(system, sub, constraint, r, 1, frame->hard_width, frame->B + hard);
            frame->V[(ptrdiff_t)hard * frame->hard_width + hard] = problem->compliance[row];
            frame->g[hard++] = problem->right_side[row];
        }
    }
}

// K is in U: factor it, and the hard rows behind it; g = V^-T (B^T K^-1 b' + d_B), by which hard rows answer to b.
static bool factor(const AdmmSubsystem *sub, const Frame *frame) {
    static const double least = 1e-14;
    if (!factor_upper(sub->size, sub->stride, 0, frame->U)) {
        return false;
    }
    forward(sub->size, sub->stride, frame->U, frame->q);
    if (frame->hard == 0) {
        return true;
    }
    int wide = frame->hard_width, count = wide / ADMM_LANES;
    solve_lower(sub->size, sub->stride, frame->U, count, frame->B);
    for (int k = 0; k < sub->size; k++) {
        const double *row = frame->B + (ptrdiff_t)k * wide;
        for (int a = 0; a < frame->hard; a++) {
            if (row[a] != 0) {
                add_scaled(count, row[a], row, frame->V + (ptrdiff_t)a * wide);
            }
        }
        add_scaled(count, frame->q[k], row, frame->g);
    }
    // Redundant rows without compliance: any share of their impulses will do.
    if (!factor_upper(frame->hard, wide, least, frame->V)) {
        return false;
    }
    forward(frame->hard, wide, frame->V, frame->g);
    return true;
}

// ---- what an iteration applies ---------------------------------------------------------------------------------------------

static void make_rows(const AdmmSystem *system, const AdmmSubsystem *sub, const Frame *frame) {
    int count = sub->width / ADMM_LANES;
    solve_lower(sub->size, sub->stride, frame->U, count, sub->Z);
    double *T = sub->Z + (ptrdiff_t)sub->size * sub->width;
    for (int k = 0; k < sub->size && frame->hard > 0; k++) {
        const double *row = frame->B + (ptrdiff_t)k * frame->hard_width;
        for (int a = 0; a < frame->hard; a++) {
            if (row[a] != 0) {
                add_scaled(count, row[a], sub->Z + (ptrdiff_t)k * sub->width, T + (ptrdiff_t)a * sub->width);
            }
        }
    }
    solve_lower(frame->hard, frame->hard_width, frame->V, count, T);
    // x(b) = Z^T q - T^T g
    double *base = system->base + sub->first_slot;
    memset(base, 0, (size_t)sub->width * sizeof *base);
    for (int k = 0; k < sub->size + frame->hard; k++) {
        double scale = k < sub->size ? frame->q[k] : -frame->g[k - sub->size];
        add_scaled(count, scale, sub->Z + (ptrdiff_t)k * sub->width, base);
    }
    if (sub->H) {
        memset(sub->H, 0, (size_t)sub->width * (size_t)sub->width * sizeof(double));
        for (int k = 0; k < sub->size + frame->hard; k++) {
            const double *row = sub->Z + (ptrdiff_t)k * sub->width;
            for (int a = 0; a < sub->slots; a++) {
                if (row[a] != 0) {
                    add_scaled(count, k < sub->size ? row[a] : -row[a], row, sub->H + (ptrdiff_t)a * sub->width);
                }
            }
        }
    }
}

bool cairn_admm_dense_factor(AdmmSystem *system, AdmmSubsystem *sub, double *scratch) {
    const CairnProblem *problem = system->problem;
    Frame frame = lay_out(sub, scratch);
    gather_dynamics(system, sub, &frame);
    memset(sub->Z, 0, (size_t)(sub->size + sub->hard_count) * (size_t)sub->width * sizeof *sub->Z);
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int r = system->rows[item->first_row + k].row - constraint->first_row, slot = side->slot + k;
            add_row(system, sub, constraint, r, system->slot_beta[slot], frame.U);
            add_column(system, sub, constraint, r, 1, sub->width, sub->Z + (slot - sub->first_slot));
        }
    }
    if (!factor(sub, &frame)) {
        return false;
    }
    make_rows(system, sub, &frame);
    double *base = system->base + sub->first_slot;
    for (int k = 0; k < sub->width; k++) {
        base[k] *= system->slot_beta[sub->first_slot + k];
    }
    return true;
}

void cairn_admm_dense_apply(const AdmmSubsystem *sub, const double *s, double *x) {
    int count = sub->width / ADMM_LANES;
    memset(x, 0, (size_t)sub->width * sizeof *x);
    if (sub->H) {
        for (int k = 0; k < sub->slots; k++) {
            add_scaled(count, s[k], sub->H + (ptrdiff_t)k * sub->width, x);
        }
        return;
    }
    for (int k = 0; k < sub->size + sub->hard_count; k++) {
        const double *row = sub->Z + (ptrdiff_t)k * sub->width;
        double part = dot(count, row, s);
        add_scaled(count, k < sub->size ? part : -part, row, x);
    }
}

// A without beta, with the rows' impulses on the right: the rows inside then keep their own law exactly.
bool cairn_admm_dense_finish(AdmmSystem *system, const AdmmSubsystem *sub, double *scratch, double *lambda) {
    const CairnProblem *problem = system->problem;
    Frame frame = lay_out(sub, scratch);
    gather_dynamics(system, sub, &frame);
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmItem *item = &system->items[system->sides[system->side_of[sub->first_side + i]].item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int row = system->rows[item->first_row + k].row;
            add_column(system, sub, constraint, row - constraint->first_row, lambda[row], 1, frame.q);
        }
    }
    if (!factor(sub, &frame)) {
        return false;
    }
    backward(frame.hard, frame.hard_width, frame.V, frame.g); // minus the hard rows' impulses
    for (int k = 0; k < sub->size && frame.hard > 0; k++) {
        frame.q[k] -= dot(frame.hard_width / ADMM_LANES, frame.B + (ptrdiff_t)k * frame.hard_width, frame.g);
    }
    backward(sub->size, sub->stride, frame.U, frame.q); // v
    for (int i = 0, hard = 0; i < sub->inside_count; i++) {
        int row = system->inside[sub->first_inside + i];
        const CairnConstraintBlock *constraint = &problem->constraints[system->constraint[row]];
        if (system->place[row] == ADMM_HARD) {
            lambda[row] = -frame.g[hard++];
            continue;
        }
        double w = problem->right_side[row];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            int size = problem->blocks[term->block].size;
            const double *J = problem->J + term->jacobian + (ptrdiff_t)(row - constraint->first_row) * size;
            for (int k = 0; k < size; k++) {
                w += J[k] * frame.q[system->local[term->block] + k];
            }
        }
        lambda[row] = -w / problem->compliance[row];
    }
    return true;
}
