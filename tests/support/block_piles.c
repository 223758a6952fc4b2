#include "tests/support/block_piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/problems.h"

static const int sizes[] = {1, 3, 6, 7, 10, 33, CAIRN_BLOCK_LIMIT};

enum { SIZES = sizeof sizes / sizeof *sizes, JOINT_ROWS = 12, MOST_TERMS = 5 };

// m (1 + B B^T / n): its eigenvalues span a factor of about five, so that sweeps arrive.
static void fill_matrix(uint64_t *seed, int n, double mass, double *P) {
    double *B = malloc((size_t)(n * n) * sizeof *B);
    assert_non_null(B);
    for (int i = 0; i < n * n; i++) {
        B[i] = support_uniform(seed, -2, 2);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? mass : 0;
            for (int k = 0; k < n; k++) {
                sum += mass / n * B[i * n + k] * B[j * n + k];
            }
            P[i * n + j] = P[j * n + i] = sum;
        }
    }
    free(B);
}

static void fill_rigid(uint64_t *seed, double mass, double *P) {
    CairnMat3 inertia = support_inertia(seed, mass);
    for (int i = 0; i < 3; i++) {
        P[7 * i] = mass;
        for (int j = 0; j < 3; j++) {
            P[(3 + i) * 6 + 3 + j] = inertia.m[i][j];
        }
    }
}

static void add_block(TestPile *pile, uint64_t *seed, int size, int *P_size) {
    CairnProblem *problem = &pile->problem;
    int b = problem->block_count++;
    int n = size > 0 ? size : b < SIZES ? sizes[b] : sizes[support_int(seed, 0, SIZES - 1)];
    double mass = support_uniform(seed, 0.5, 2);
    pile->blocks[b] = (CairnDofBlock){problem->dof_count, n, *P_size, -1, mass, 100 + (uint64_t)b};
    if (n == 6 && support_int(seed, 0, 1) == 0) {
        fill_rigid(seed, mass, pile->P + *P_size);
    } else {
        fill_matrix(seed, n, mass, pile->P + *P_size);
    }
    for (int i = 0; i < n; i++) {
        pile->p[problem->dof_count + i] = mass * support_uniform(seed, -1, 1);
    }
    problem->dof_count += n;
    *P_size += n * n;
}

static int add_constraint(TestPile *pile, int rows) {
    CairnProblem *problem = &pile->problem;
    int c = problem->constraint_count++;
    pile->constraints[c] =
        (CairnConstraintBlock){problem->row_count, rows, problem->term_count, 0, -1, 1000 + (uint64_t)c};
    problem->row_count += rows;
    return c;
}

// Rows of about unit length, whatever the block's size.
static void add_term(TestPile *pile, uint64_t *seed, int c, int block, int *J_size) {
    int rows = pile->constraints[c].row_count, n = pile->blocks[block].size;
    pile->terms[pile->problem.term_count++] = (CairnTerm){block, *J_size};
    pile->constraints[c].term_count++;
    for (int i = 0; i < rows * n; i++) {
        pile->J[(*J_size)++] = support_uniform(seed, -1, 1) * sqrt(3.0 / n);
    }
}

static void add_joint(TestPile *pile, uint64_t *seed, const int *block, int blocks, int *J_size) {
    int c = add_constraint(pile, support_int(seed, 1, JOINT_ROWS));
    for (int k = 0; k < blocks; k++) {
        add_term(pile, seed, c, block[k], J_size);
    }
    for (int i = 0; i < pile->constraints[c].row_count; i++) {
        int row = pile->constraints[c].first_row + i, bounds = support_int(seed, 0, 5);
        double below = support_uniform(seed, 0, 0.5), above = support_uniform(seed, 0, 0.5);
        pile->lower[row] = bounds <= 2 || bounds == 4 ? -(double)INFINITY : bounds == 3 ? 0 : -below;
        pile->upper[row] = bounds <= 3 ? (double)INFINITY : above;
        pile->right_side[row] = support_uniform(seed, -1, 1);
    }
}

static void add_contact(TestPile *pile, uint64_t *seed, CairnFrictionKind kind, const int *block, int blocks,
                        bool has_spin, int *J_size) {
    int spin_rows = has_spin ? 3 : 0, c = add_constraint(pile, 3 + spin_rows), first = pile->constraints[c].first_row;
    int f = pile->problem.friction_count++, frame = -1;
    double mu = support_uniform(seed, 0.1, 0.6), load = support_uniform(seed, 0.1, 1);
    double torsion = support_uniform(seed, 0.01, 0.1), rolling = support_uniform(seed, 0.01, 0.1);
    pile->constraints[c].friction = f;
    pile->frictions[f] = (CairnFriction){kind, c, first, spin_rows, mu, torsion, rolling, load};
    for (int k = 0; k < blocks; k++) {
        bool is_framed = !has_spin && pile->blocks[block[k]].size == 6 && c % 4 == 0;
        if (!is_framed) {
            add_term(pile, seed, c, block[k], J_size);
            continue;
        }
        if (frame < 0) {
            CairnVec3 normal = support_unit(seed), tangent = cairn_normalize(cairn_cross(normal, support_unit(seed)));
            frame = c;
            pile->frames[c] = (CairnContactFrame){normal, tangent, {support_unit(seed), support_unit(seed)}};
        }
        pile->terms[pile->problem.term_count++] = (CairnTerm){block[k], ~(2 * frame + k)};
        pile->constraints[c].term_count++;
    }
    for (int i = 0; i < 3 + spin_rows; i++) {
        double lever = i < 3 ? mu : i == 3 ? torsion : rolling;
        pile->lower[first + i] = i == 0 ? 0 : -lever * load;
        pile->upper[first + i] = i == 0 ? (double)INFINITY : lever * load;
        pile->right_side[first + i] = i == 0 ? support_uniform(seed, -1.5, 0.3) : support_uniform(seed, -0.5, 0.5);
    }
}

void test_block_pile(TestPile *pile, uint64_t *seed, TestBlockPile kind) {
    int terms = MOST_TERMS * kind.constraints, limit = CAIRN_BLOCK_LIMIT, J_size = 0, P_size = 0;
    test_pile_reserve(pile, &(TestPileRoom){.blocks = kind.blocks,
                                            .constraints = kind.constraints,
                                            .terms = terms,
                                            .rows = JOINT_ROWS * kind.constraints,
                                            .dofs = limit * kind.blocks,
                                            .P = limit * limit * kind.blocks,
                                            .J = limit * JOINT_ROWS * terms});
    pile->problem.frames = pile->frames;
    pile->problem.frame_stride = sizeof *pile->frames;
    for (int b = 0; b < kind.blocks; b++) {
        add_block(pile, seed, kind.size, &P_size);
    }
    for (int c = 0; c < kind.constraints; c++) {
        // The first ones tie each block to the one before, so that the rest of them is one island.
        int block[MOST_TERMS], blocks = support_int(seed, 1, c % 2 == 0 ? 2 : MOST_TERMS);
        block[0] = c % kind.blocks;
        for (int k = 1; k < MOST_TERMS; k++) {
            block[k] = k == 1 && c < kind.blocks ? (c + 1) % kind.blocks : support_int(seed, 0, kind.blocks - 1);
        }
        blocks = c < kind.blocks && blocks < 2 ? 2 : blocks;
        if (kind.has_contacts_alone) {
            add_contact(pile, seed, kind.friction, block, block[0] == block[1] ? 1 : 2, false, &J_size);
        } else if (c % 2 == 0) {
            add_contact(pile, seed, kind.friction, block, block[0] == block[1] ? 1 : blocks, c % 10 == 4, &J_size);
        } else {
            add_joint(pile, seed, block, blocks, &J_size);
        }
    }
    for (int i = 0; i < pile->problem.row_count; i++) {
        pile->compliance[i] = kind.compliance;
    }
}

// ---- the same problem with an off-diagonal P ----

// Where block b of the old problem is cut: the size of its first half.
static int cut_of(const CairnDofBlock *block, uint64_t *seed) {
    return block->size == 1 || block->size == 6 ? block->size : support_int(seed, 1, block->size - 1);
}

static void copy_matrix(const double *from, int stride, int rows, int columns, double *to) {
    for (int i = 0; i < rows; i++) {
        memcpy(to + i * columns, from + i * stride, (size_t)columns * sizeof *to);
    }
}

static void split_block(const TestPile *from, int b, int first_half, TestPile *to, int *P_size) {
    const CairnDofBlock *block = &from->blocks[b];
    const double *P = from->P + block->matrix;
    int n = block->size, halves[2] = {first_half, n - first_half};
    for (int k = 0, at = 0; k < 2 && halves[k] > 0; at += halves[k], k++) {
        int half_block = to->problem.block_count++;
        to->blocks[half_block] =
            (CairnDofBlock){block->first + at, halves[k], *P_size, b / 3, block->mass, 2 * block->id + (uint64_t)k};
        copy_matrix(P + at * n + at, n, halves[k], halves[k], to->P + *P_size);
        *P_size += halves[k] * halves[k];
        if (k == 1) {
            to->couplings[to->problem.coupling_count++] = (CairnDofCoupling){half_block, half_block - 1, *P_size};
            copy_matrix(P + at * n, n, halves[1], halves[0], to->P + *P_size);
            *P_size += halves[0] * halves[1];
        }
    }
}

void test_pile_couple(const TestPile *from, uint64_t *seed, TestPile *to, int *part, CairnParts *parts) {
    const CairnProblem *old = &from->problem;
    int P_size = 0, J_size = 0, *first = calloc((size_t)old->block_count + 1, sizeof *first);
    assert_non_null(first);
    int limit = CAIRN_BLOCK_LIMIT;
    test_pile_reserve(to, &(TestPileRoom){.blocks = 2 * old->block_count,
                                          .constraints = old->constraint_count,
                                          .terms = 2 * old->term_count,
                                          .rows = old->row_count,
                                          .dofs = old->dof_count,
                                          .P = limit * limit * old->block_count,
                                          .J = limit * JOINT_ROWS * old->term_count});
    to->problem.couplings = to->couplings;
    to->problem.frames = to->frames;
    to->problem.frame_stride = old->frame_stride;
    to->problem.dof_count = old->dof_count;
    to->problem.row_count = old->row_count;
    to->problem.constraint_count = old->constraint_count;
    to->problem.friction_count = old->friction_count;
    for (int b = 0; b < old->block_count; b++) {
        first[b] = to->problem.block_count;
        split_block(from, b, cut_of(&from->blocks[b], seed), to, &P_size);
    }
    first[old->block_count] = to->problem.block_count;
    for (int c = 0; c < old->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &from->constraints[c];
        to->constraints[c] = *constraint;
        to->constraints[c].first_term = to->problem.term_count;
        for (int t = 0; t < constraint->term_count; t++) {
            CairnTerm term = from->terms[constraint->first_term + t];
            int n = from->blocks[term.block].size, rows = constraint->row_count;
            for (int half_block = first[term.block], at = 0; half_block < first[term.block + 1];
                 at += to->blocks[half_block++].size) {
                CairnTerm half = {half_block, term.jacobian < 0 ? term.jacobian : J_size};
                to->terms[to->problem.term_count++] = half;
                if (term.jacobian >= 0) {
                    copy_matrix(from->J + term.jacobian + at, n, rows, to->blocks[half_block].size, to->J + J_size);
                    J_size += rows * to->blocks[half_block].size;
                }
            }
        }
        to->constraints[c].term_count = to->problem.term_count - to->constraints[c].first_term;
    }
    memcpy(to->frictions, from->frictions, (size_t)old->friction_count * sizeof *to->frictions);
    memcpy(to->frames, from->frames, (size_t)old->constraint_count * sizeof *to->frames);
    memcpy(to->p, from->p, (size_t)old->dof_count * sizeof *to->p);
    memcpy(to->compliance, from->compliance, (size_t)old->row_count * sizeof *to->compliance);
    memcpy(to->right_side, from->right_side, (size_t)old->row_count * sizeof *to->right_side);
    memcpy(to->lower, from->lower, (size_t)old->row_count * sizeof *to->lower);
    memcpy(to->upper, from->upper, (size_t)old->row_count * sizeof *to->upper);
    for (int b = 0; b < to->problem.block_count; b++) {
        part[b] = to->blocks[b].group;
    }
    *parts = (CairnParts){(old->block_count - 1) / 3 + 1, part};
    free(first);
}
