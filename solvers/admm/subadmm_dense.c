// A subsystem as dense matrices. Its dynamics come first, without beta: A = U^T U, and hard rows B inside, with
// compliances C_B, are eliminated after the dofs: S = C_B + (U^-T B^T)^T (U^-T B^T) = V^T V. With Z = U^-T J^T and
// T = V^-T (U^-T B^T)^T Z its rows have W = J A^-1 J^T = Z^T Z - T^T T: beta is made from its diagonal, and U and V
// are used at the end of the solve, too.
//
// Then beta (subadmm_weigh.c), in one of two forms. Few rows: eq. 15 is (1 + beta W) g = s - beta x(b) for
// g = s - beta x, with one inverse of the size of the rows. More rows than dofs: 1 + Z beta Z^T = L^T L is factored
// as A was, in coordinates in which A is 1, and x = (Z^T Z - T^T T) s.
#include <string.h>

#include "solvers/admm/subadmm_kernels.h"

typedef struct Stage {
    int size, stride, hard, wide;
    double *U; // size x stride: a matrix, then its factor
    double *q; // stride: momenta, then U^-T of them
    double *B; // size x wide: the hard rows, then U^-T of them
    double *V; // hard x wide
    double
        *g; // wide: V^-T (B^T A^-1 b + d_B), the impulses of hard rows for given momenta, in their factor's coordinates
    double *diagonal; // scratch
    double raised;    // the regularisation of hard rows that depend on one another, as a fraction of their diagonal
} Stage;

static Stage stage_at(const AdmmSubsystem *sub, double *memory, double *diagonal) {
    Stage stage = {.size = sub->size,
                   .stride = sub->stride,
                   .hard = sub->hard_count,
                   .wide = admm_eights(sub->hard_count),
                   .diagonal = diagonal};
    stage.U = memory;
    stage.q = stage.U + (ptrdiff_t)stage.size * stage.stride;
    stage.B = stage.q + stage.stride;
    stage.V = stage.B + (ptrdiff_t)stage.size * stage.wide;
    stage.g = stage.V + (ptrdiff_t)stage.hard * stage.wide;
    return stage;
}

static size_t stage_size(const AdmmSubsystem *sub) {
    size_t size = (size_t)sub->size, wide = (size_t)admm_eights(sub->hard_count);
    return size * (size_t)sub->stride + (size_t)sub->stride + (size + (size_t)sub->hard_count + 1) * wide;
}

static bool is_square(const AdmmSubsystem *sub) {
    return sub->slots <= sub->size;
}

size_t cairn_admm_dense_memory(const AdmmSubsystem *sub) {
    size_t width = (size_t)sub->width, rows = (size_t)sub->size + (size_t)sub->hard_count;
    return stage_size(sub) + rows * width + (is_square(sub) ? width * width : 0);
}

size_t cairn_admm_dense_scratch(const AdmmSubsystem *sub) {
    size_t width = (size_t)sub->width, high = (size_t)admm_eights(sub->size + sub->hard_count + sub->slots);
    size_t held = (size_t)sub->held_count, neighbours = held * (width + (size_t)admm_eights(sub->held_count));
    size_t penalty = is_square(sub) ? 2 * width * width + width : stage_size(sub) + width;
    return high + 2 * ADMM_LANES + (penalty > neighbours ? penalty : neighbours);
}

void cairn_admm_dense_lay_out(AdmmSubsystem *sub, double *memory) {
    sub->stage = memory;
    sub->Z = memory + stage_size(sub);
    sub->H = is_square(sub) ? sub->Z + ((ptrdiff_t)sub->size + sub->hard_count) * sub->width : NULL;
}

// ---- gathering -------------------------------------------------------------------------------------------------------------

static bool is_mine(const AdmmSystem *system, const AdmmSubsystem *sub, int block) {
    return system->part[block] == system->part[system->blocks[sub->first_block]];
}

// K += weight a^T b for rows of a by size_a and b by size_b.
ADMM_INLINE void add_product(int size_a, int size_b, double weight, const double *a, const double *b, int stride,
                             double *K) {
    for (int i = 0; i < size_a; i++) {
        double scaled = weight * a[i];
        for (int k = 0; k < size_b; k++) {
            K[(ptrdiff_t)i * stride + k] += scaled * b[k];
        }
    }
}

// K += J^T C^-1 J, upper half, for the soft rows of a constraint (eq. 3 put into eq. 6).
static void add_soft(const AdmmSystem *system, const AdmmSubsystem *sub, const CairnConstraintBlock *constraint,
                     double *K) {
    const CairnProblem *problem = system->problem;
    const unsigned char *row_kind = system->row_kind + constraint->first_row;
    const double *compliance = problem->compliance + constraint->first_row;
    for (int s = 0; s < constraint->term_count; s++) {
        const CairnTerm *a = &problem->terms[constraint->first_term + s];
        int size_a = problem->blocks[a->block].size, at_a = system->local[a->block];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *b = &problem->terms[constraint->first_term + t];
            int size_b = problem->blocks[b->block].size, at_b = system->local[b->block];
            double *to = K + (ptrdiff_t)at_a * sub->stride + at_b;
            for (int r = 0; r < constraint->row_count && at_b >= at_a; r++) {
                double room_a[6], room_b[6];
                const double *J_a = cairn_term_row(problem, a, r, room_a), *J_b = cairn_term_row(problem, b, r, room_b);
                if (row_kind[r] != ADMM_SOFT) {
                    continue;
                }
                if (size_a == 6 && size_b == 6) {
                    add_product(6, 6, 1 / compliance[r], J_a, J_b, sub->stride, to);
                } else {
                    add_product(size_a, size_b, 1 / compliance[r], J_a, J_b, sub->stride, to);
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
        if (is_mine(system, sub, term->block)) {
            int size = problem->blocks[term->block].size;
            double room[6];
            const double *J = cairn_term_row(problem, term, r, room);
            double *to = column + (ptrdiff_t)system->local[term->block] * width;
            for (int k = 0; k < size; k++) {
                to[(ptrdiff_t)k * width] += scale * J[k];
            }
        }
    }
}

// The compliances and right sides of the hard rows, before anything is eliminated.
static void gather_hard(const AdmmSystem *system, const AdmmSubsystem *sub, const Stage *stage) {
    int hard = 0;
    memset(stage->V, 0, (size_t)(stage->hard + 1) * (size_t)stage->wide * sizeof(double)); // and g
    for (int i = 0; i < sub->inside_count && stage->hard > 0; i++) {
        const CairnConstraintBlock *constraint = &system->problem->constraints[system->inside[sub->first_inside + i]];
        for (int row = constraint->first_row; row < constraint->first_row + constraint->row_count; row++) {
            if (system->row_kind[row] == ADMM_HARD) {
                stage->V[(ptrdiff_t)hard * stage->wide + hard] = system->problem->compliance[row];
                stage->g[hard++] = system->problem->right_side[row];
            }
        }
    }
}

static void gather_blocks(const AdmmSystem *system, const AdmmSubsystem *sub, const Stage *stage) {
    const CairnProblem *problem = system->problem;
    for (int i = 0; i < sub->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[system->blocks[sub->first_block + i]];
        int at = system->local[system->blocks[sub->first_block + i]];
        for (int k = 0; k < block->size; k++) {
            stage->q[at + k] = problem->p[block->first + k];
            memcpy(stage->U + (ptrdiff_t)(at + k) * stage->stride + at,
                   problem->P + block->matrix + (ptrdiff_t)k * block->size, (size_t)block->size * sizeof(double));
        }
    }
    for (int i = 0; i < sub->coupling_count; i++) { // blocks of P below the diagonal
        const CairnDofCoupling *coupling = &problem->couplings[system->coupling_of[sub->first_coupling + i]];
        int rows = problem->blocks[coupling->row].size, columns = problem->blocks[coupling->column].size;
        double *to =
            stage->U + (ptrdiff_t)system->local[coupling->column] * stage->stride + system->local[coupling->row];
        for (int k = 0; k < rows * columns; k++) {
            to[(ptrdiff_t)(k % columns) * stage->stride + k / columns] += problem->P[coupling->matrix + k];
        }
    }
}

// A with the soft rows, b likewise, and the hard rows.
static void gather_dynamics(const AdmmSystem *system, const AdmmSubsystem *sub, const Stage *stage) {
    const CairnProblem *problem = system->problem;
    memset(stage->U, 0, stage_size(sub) * sizeof(double));
    gather_blocks(system, sub, stage);
    int hard = 0;
    for (int i = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[system->inside[sub->first_inside + i]];
        add_soft(system, sub, constraint, stage->U);
        for (int r = 0; r < constraint->row_count; r++) {
            int row = constraint->first_row + r;
            if (system->row_kind[row] == ADMM_SOFT) {
                add_column(system, sub, constraint, r, -problem->right_side[row] / problem->compliance[row], 1,
                           stage->q);
            } else if (system->row_kind[row] == ADMM_HARD) {
                add_column(system, sub, constraint, r, 1, stage->wide, stage->B + hard++);
            }
        }
    }
    gather_hard(system, sub, stage);
}

// ---- a stage ---------------------------------------------------------------------------------------------------------------

// Factor the matrix, and the hard rows behind it.
static bool factor(Stage *stage) {
    static const double least = 1e-14;
    if (!admm_factor(stage->size, stage->stride, 0, stage->U, stage->diagonal)) {
        return false;
    }
    admm_forward_one(stage->size, stage->stride, stage->U, stage->q);
    if (stage->hard == 0) {
        return true;
    }
    int count = stage->wide / ADMM_LANES;
    admm_forward(stage->size, stage->stride, stage->U, count, stage->B);
    admm_gram(stage->size, stage->hard, count, 1, stage->B, stage->V);
    for (int k = 0; k < stage->size; k++) {
        admm_add_scaled(count, stage->q[k], stage->B + (ptrdiff_t)k * stage->wide, stage->g);
    }
    // Redundant rows without compliance: their impulses may be divided among them in any ratio.
    if (!admm_factor(stage->hard, stage->wide, least, stage->V, stage->diagonal)) {
        return false;
    }
    for (int k = 0; k < stage->hard; k++) {
        bool is_raised = stage->diagonal[k] > 0 &&
                         stage->V[(ptrdiff_t)k * (stage->wide + 1)] == 1 / sqrt(least * stage->diagonal[k]);
        stage->raised = is_raised ? least : stage->raised;
    }
    admm_forward_one(stage->hard, stage->wide, stage->V, stage->g);
    return true;
}

// Z from J^T, T under it, and x(b) = Z^T q - T^T g.
static void make_rows(const Stage *stage, int width, double *Z, double *base) {
    int count = width / ADMM_LANES;
    admm_forward(stage->size, stage->stride, stage->U, count, Z);
    double *T = Z + (ptrdiff_t)stage->size * width;
    for (int k = 0; k < stage->size && stage->hard > 0; k++) {
        const double *row = stage->B + (ptrdiff_t)k * stage->wide;
        for (int a = 0; a < stage->hard; a++) {
            if (row[a] != 0) {
                admm_add_scaled(count, row[a], Z + (ptrdiff_t)k * width, T + (ptrdiff_t)a * width);
            }
        }
    }
    admm_forward(stage->hard, stage->wide, stage->V, count, T);
    memset(base, 0, (size_t)width * sizeof *base);
    for (int k = 0; k < stage->size + stage->hard; k++) {
        double scale = k < stage->size ? stage->q[k] : -stage->g[k - stage->size];
        admm_add_scaled(count, scale, Z + (ptrdiff_t)k * width, base);
    }
}

// x = (Z^T Z - T^T T) s, two passes over Z.
static void apply_rows(const AdmmSubsystem *sub, const double *s, double *x) {
    int count = sub->width / ADMM_LANES;
    memset(x, 0, (size_t)sub->width * sizeof *x);
    for (int k = 0; k < sub->size + sub->hard_count; k++) {
        const double *row = sub->Z + (ptrdiff_t)k * sub->width;
        double product = admm_dot(count, row, s);
        admm_add_scaled(count, k < sub->size ? product : -product, row, x);
    }
}

// ---- the two halves --------------------------------------------------------------------------------------------------------

// diag(Z^T Z - T^T T). With hard rows the difference may be only rounding.
static void find_mobility(const AdmmSubsystem *sub, double *mobility) {
    static const double least = 1e-6;
    for (int j = 0; j < sub->width; j += ADMM_LANES) {
        AdmmEight sums[2] = {{0}, {0}}; // of the dofs, and of the hard rows
        for (int k = 0; k < sub->size + sub->hard_count; k++) {
            AdmmEight z = *(const AdmmEight *)(sub->Z + (ptrdiff_t)k * sub->width + j);
            sums[k >= sub->size] += z * z;
        }
        for (int lane = 0; lane < ADMM_LANES; lane++) {
            double all = sums[0][lane], remaining = all - sums[1][lane];
            mobility[j + lane] = remaining > least * all ? remaining : least * all;
        }
    }
}

bool cairn_admm_dense_dynamics(AdmmSystem *system, AdmmSubsystem *sub, double *scratch, double *mobility) {
    const CairnProblem *problem = system->problem;
    Stage stage = stage_at(sub, sub->stage, scratch);
    gather_dynamics(system, sub, &stage);
    memset(sub->Z, 0, (size_t)(sub->size + sub->hard_count) * (size_t)sub->width * sizeof *sub->Z);
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmSide *side = &system->sides[system->side_of[sub->first_side + i]];
        const AdmmItem *item = &system->items[side->item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int r = system->rows[item->first_row + k].row - constraint->first_row, slot = side->slot - sub->first_slot;
            add_column(system, sub, constraint, r, 1, sub->width, sub->Z + slot + k);
        }
    }
    if (!factor(&stage)) {
        return false;
    }
    sub->raised = stage.raised;
    make_rows(&stage, sub->width, sub->Z, system->base + sub->first_slot);
    find_mobility(sub, mobility);
    return true;
}

// Fill the half that gram does not compute.
static void mirror(int m, int width, double *S) {
    for (int i = 1; i < m; i++) {
        for (int j = 0; j < i; j++) {
            S[(ptrdiff_t)i * width + j] = S[(ptrdiff_t)j * width + i];
        }
    }
}

// H = 1 - (1 + beta W)^-1, by columns: beta x = H s + base.
static bool square(AdmmSystem *system, AdmmSubsystem *sub, double *scratch) {
    int m = sub->slots, width = sub->width, count = width / ADMM_LANES;
    double *S = scratch + admm_eights(sub->size + sub->hard_count + sub->slots), *X = S + (ptrdiff_t)width * width,
           *root = X + (ptrdiff_t)width * width, *base = system->base + sub->first_slot;
    const double *beta = system->slot_beta + sub->first_slot;
    memset(S, 0, 2 * (size_t)width * (size_t)width * sizeof *S);
    admm_gram(sub->size, m, count, 1, sub->Z, S);
    admm_gram(sub->hard_count, m, count, -1, sub->Z + (ptrdiff_t)sub->size * width, S);
    for (int i = 0; i < width; i++) {
        root[i] = sqrt(beta[i]);
    }
    for (int i = 0; i < m; i++) { // 1 + sqrt(beta) W sqrt(beta)
        AdmmEight *row = (AdmmEight *)(S + (ptrdiff_t)i * width);
        for (int j = 0; j < count; j++) {
            row[j] *= ((const AdmmEight *)root)[j] * root[i];
        }
        S[(ptrdiff_t)i * width + i] += 1;
        X[(ptrdiff_t)i * width + i] = 1;
    }
    if (!admm_factor(m, width, 0, S, scratch)) {
        return false;
    }
    admm_forward(m, width, S, count, X);
    memset(sub->H, 0, (size_t)width * (size_t)width * sizeof *sub->H);
    admm_gram(m, m, count, 1, X, sub->H);
    mirror(m, width, sub->H);
    for (int k = 0; k < width; k++) {
        base[k] = k < m ? base[k] * root[k] : 0; // beta x(b) / root
        root[k] = k < m ? root[k] : 0;
    }
    admm_apply(m, count, sub->H, base, S);
    for (int k = 0; k < m; k++) {
        AdmmEight *column = (AdmmEight *)(sub->H + (ptrdiff_t)k * width);
        for (int j = 0; j < count; j++) {
            column[j] *= ((const AdmmEight *)root)[j] * (-1 / root[k]);
        }
        sub->H[(ptrdiff_t)k * width + k] += 1;
        base[k] = root[k] * S[k];
    }
    return true;
}

// Z and T of K = A + J^T beta J: beta x = beta (Z^T Z - T^T T) s + base.
static bool tall(AdmmSystem *system, AdmmSubsystem *sub, double *scratch) {
    int count = sub->width / ADMM_LANES;
    Stage dynamics = stage_at(sub, sub->stage, scratch),
          stage = stage_at(sub, scratch + admm_eights(sub->size + sub->hard_count + sub->slots), scratch);
    double *weighted = stage.U + stage_size(sub), *base = system->base + sub->first_slot;
    const double *beta = system->slot_beta + sub->first_slot;
    memcpy(stage.q, dynamics.q, (size_t)sub->stride * sizeof(double));
    memcpy(stage.B, dynamics.B, (size_t)sub->size * (size_t)stage.wide * sizeof(double));
    gather_hard(system, sub, &stage);
    for (int i = 0; i < sub->size; i++) {
        double *row = stage.U + (ptrdiff_t)i * sub->stride;
        memset(row, 0, (size_t)sub->stride * sizeof *row);
        for (int k = 0; k < count; k++) {
            ((AdmmEight *)weighted)[k] =
                ((const AdmmEight *)beta)[k] * ((const AdmmEight *)(sub->Z + (ptrdiff_t)i * sub->width))[k];
        }
        for (int j = i; j < sub->size; j++) {
            row[j] = (i == j) + admm_dot(count, weighted, sub->Z + (ptrdiff_t)j * sub->width);
        }
    }
    if (!factor(&stage)) {
        return false;
    }
    memset(sub->Z + (ptrdiff_t)sub->size * sub->width, 0,
           (size_t)sub->hard_count * (size_t)sub->width * sizeof *sub->Z);
    make_rows(&stage, sub->width, sub->Z, base);
    for (int k = 0; k < count; k++) {
        ((AdmmEight *)base)[k] *= ((const AdmmEight *)beta)[k];
    }
    return true;
}

bool cairn_admm_dense_penalty(AdmmSystem *system, AdmmSubsystem *sub, double *scratch) {
    return sub->H ? square(system, sub, scratch) : tall(system, sub, scratch);
}

void cairn_admm_dense_apply(const AdmmSystem *system, const AdmmSubsystem *sub, const double *s, double *out) {
    const AdmmEight *beta = (const AdmmEight *)(system->slot_beta + sub->first_slot),
                    *base = (const AdmmEight *)(system->base + sub->first_slot);
    AdmmEight *to = (AdmmEight *)out;
    int count = sub->width / ADMM_LANES;
    if (sub->H) {
        admm_apply(sub->slots, count, sub->H, s, out);
        for (int k = 0; k < count; k++) {
            to[k] += base[k];
        }
        return;
    }
    apply_rows(sub, s, out);
    for (int k = 0; k < count; k++) {
        to[k] = beta[k] * to[k] + base[k];
    }
}

// Solve with A without beta, with the rows' impulses on the right: the equations of the rows inside then hold exactly.
void cairn_admm_dense_finish(const AdmmSystem *system, const AdmmSubsystem *sub, double *scratch, double *lambda) {
    const CairnProblem *problem = system->problem;
    Stage stage = stage_at(sub, sub->stage, NULL);
    double *momenta = scratch, *answer = scratch + sub->stride; // of the rows; of the hard rows
    memset(momenta, 0, ((size_t)sub->stride + (size_t)stage.wide) * sizeof *momenta);
    for (int i = 0; i < sub->side_count; i++) {
        const AdmmItem *item = &system->items[system->sides[system->side_of[sub->first_side + i]].item];
        const CairnConstraintBlock *constraint = &problem->constraints[item->constraint];
        for (int k = 0; k < item->row_count; k++) {
            int row = system->rows[item->first_row + k].row;
            add_column(system, sub, constraint, row - constraint->first_row, lambda[row], 1, momenta);
        }
    }
    admm_forward_one(sub->size, sub->stride, stage.U, momenta);
    for (int k = 0; k < sub->size; k++) {
        admm_add_scaled(stage.wide / ADMM_LANES, momenta[k], stage.B + (ptrdiff_t)k * stage.wide, answer);
        stage.q[k] += momenta[k];
    }
    admm_forward_one(stage.hard, stage.wide, stage.V, answer);
    for (int k = 0; k < stage.hard; k++) {
        stage.g[k] += answer[k];
    }
    admm_backward_one(stage.hard, stage.wide, stage.V, stage.g); // minus the hard rows' impulses
    for (int k = 0; k < sub->size && stage.hard > 0; k++) {
        stage.q[k] -= admm_dot(stage.wide / ADMM_LANES, stage.B + (ptrdiff_t)k * stage.wide, stage.g);
    }
    admm_backward_one(sub->size, sub->stride, stage.U, stage.q); // v
    for (int i = 0, hard = 0; i < sub->inside_count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[system->inside[sub->first_inside + i]];
        for (int r = 0; r < constraint->row_count; r++) {
            int row = constraint->first_row + r;
            if (system->row_kind[row] == ADMM_HARD) {
                lambda[row] = -stage.g[hard++];
            } else if (system->row_kind[row] == ADMM_SOFT) {
                double w = problem->right_side[row];
                for (int t = 0; t < constraint->term_count; t++) {
                    const CairnTerm *term = &problem->terms[constraint->first_term + t];
                    int size = problem->blocks[term->block].size;
                    double room[6];
                    const double *J = cairn_term_row(problem, term, r, room);
                    for (int k = 0; k < size; k++) {
                        w += J[k] * stage.q[system->local[term->block] + k];
                    }
                }
                lambda[row] = -w / problem->compliance[row];
            }
        }
    }
}
