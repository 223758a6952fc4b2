#include "tests/support/piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/problems.h"

static void *zeros(int count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

void test_pile_reserve(TestPile *pile, const TestPileRoom *room) {
    pile->blocks = zeros(room->blocks, sizeof *pile->blocks);
    pile->couplings = zeros(room->blocks, sizeof *pile->couplings);
    pile->constraints = zeros(room->constraints, sizeof *pile->constraints);
    pile->terms = zeros(room->terms, sizeof *pile->terms);
    pile->frictions = zeros(room->constraints, sizeof *pile->frictions);
    pile->frames = zeros(room->constraints, sizeof *pile->frames);
    pile->P = zeros(room->P, sizeof(double));
    pile->p = zeros(room->dofs, sizeof(double));
    pile->J = zeros(room->J, sizeof(double));
    double **row_arrays[] = {&pile->compliance, &pile->right_side, &pile->lower, &pile->upper, &pile->phi};
    for (size_t i = 0; i < sizeof row_arrays / sizeof *row_arrays; i++) {
        *row_arrays[i] = zeros(room->rows, sizeof(double));
    }
    pile->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS,
                                   .step = 1.0 / 60,
                                   .blocks = pile->blocks,
                                   .P = pile->P,
                                   .p = pile->p,
                                   .constraints = pile->constraints,
                                   .terms = pile->terms,
                                   .frictions = pile->frictions,
                                   .J = pile->J,
                                   .compliance = pile->compliance,
                                   .right_side = pile->right_side,
                                   .lower = pile->lower,
                                   .upper = pile->upper,
                                   .position_error = pile->phi};
}

void test_pile_begin(TestPile *pile, int blocks, int constraints, int terms, int rows) {
    test_pile_reserve(pile, &(TestPileRoom){.blocks = blocks,
                                            .constraints = constraints,
                                            .terms = terms,
                                            .rows = rows,
                                            .dofs = 6 * blocks,
                                            .P = 36 * blocks,
                                            .J = 18 * terms});
}

void test_pile_free(TestPile *pile) {
    void *memory[] = {pile->blocks, pile->couplings,  pile->constraints, pile->terms, pile->frictions,
                      pile->frames, pile->P,          pile->p,           pile->J,     pile->compliance,
                      pile->phi,    pile->right_side, pile->lower,       pile->upper};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        free(memory[i]);
    }
}

static void add_body(TestPile *pile, uint64_t *seed, double mass) {
    CairnProblem *problem = &pile->problem;
    int b = problem->block_count++;
    pile->blocks[b] = (CairnDofBlock){6 * b, 6, 36 * b, -1, mass, 1 + (uint64_t)b};
    double *P = pile->P + 36 * b;
    CairnMat3 inertia = support_inertia(seed, 0.1 * mass);
    for (int i = 0; i < 3; i++) {
        P[7 * i] = mass;
        for (int j = 0; j < 3; j++) {
            P[(3 + i) * 6 + 3 + j] = inertia.m[i][j];
        }
    }
    problem->dof_count += 6;
}

static int add_constraint(TestPile *pile, int rows) {
    CairnProblem *problem = &pile->problem;
    int c = problem->constraint_count++;
    pile->constraints[c] =
        (CairnConstraintBlock){problem->row_count, rows, problem->term_count, 0, -1, 1000 + (uint64_t)c};
    problem->row_count += rows;
    return c;
}

static double *add_term(TestPile *pile, int c, int block) {
    CairnProblem *problem = &pile->problem;
    int t = problem->term_count++;
    pile->terms[t] = (CairnTerm){block, 18 * t};
    pile->constraints[c].term_count++;
    return pile->J + 18 * t;
}

// The velocity along `axis` of the point at `arm` from a body's centre.
static void point_row(double *J, double sign, CairnVec3 axis, CairnVec3 arm) {
    CairnVec3 turn = cairn_cross(arm, axis);
    double row[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++) {
        J[k] = sign * row[k];
    }
}

// One contact point between body a and body b (b < 0: the ground) with the normal from b to a.
static void add_contact(TestPile *pile, uint64_t *seed, int a, int b, CairnVec3 point, CairnVec3 normal,
                        const CairnVec3 *at, double compliance, double load, CairnFrictionKind kind) {
    CairnProblem *problem = &pile->problem;
    int c = add_constraint(pile, 3), f = problem->friction_count++, first = pile->constraints[c].first_row;
    CairnVec3 other = fabs(normal.z) < 0.9 ? (CairnVec3){0, 0, 1} : (CairnVec3){1, 0, 0};
    CairnVec3 t1 = cairn_normalize(cairn_cross(normal, other)), t2 = cairn_cross(normal, t1);
    CairnVec3 axes[3] = {normal, t1, t2};
    double mu = support_uniform(seed, 0.2, 0.8);
    pile->constraints[c].friction = f;
    pile->frictions[f] = (CairnFriction){.kind = kind, .constraint = c, .normal = first, .mu = mu, .frozen = load};
    double *J = add_term(pile, c, a);
    for (int i = 0; i < 3; i++) {
        point_row(J + 6 * i, 1, axes[i], cairn_sub(point, at[a]));
    }
    if (b >= 0) {
        J = add_term(pile, c, b);
        for (int i = 0; i < 3; i++) {
            point_row(J + 6 * i, -1, axes[i], cairn_sub(point, at[b]));
        }
    }
    for (int i = 0; i < 3; i++) {
        pile->compliance[first + i] = compliance;
        pile->lower[first + i] = i == 0 ? 0 : -mu * load;
        pile->upper[first + i] = i == 0 ? (double)INFINITY : mu * load;
    }
}

static CairnVec3 jitter(uint64_t *seed, double size) {
    return (CairnVec3){support_uniform(seed, -size, size), support_uniform(seed, -size, size),
                       support_uniform(seed, -size, size)};
}

void test_pile_heap(TestPile *pile, uint64_t *seed, int bodies, double compliance, CairnFrictionKind kind) {
    static const double gravity = 9.81;
    test_pile_begin(pile, bodies, 10 * bodies + 8, 20 * bodies + 16, 30 * bodies + 24);
    CairnVec3 *at = zeros(bodies, sizeof *at);
    double side = cbrt((double)bodies);
    for (int i = 0; i < bodies; i++) {
        at[i] = (CairnVec3){support_uniform(seed, 0, side), support_uniform(seed, 0, side),
                            support_uniform(seed, 0.5, side + 0.5)};
        double mass = support_uniform(seed, 0.5, 2);
        add_body(pile, seed, mass);
        CairnVec3 v = jitter(seed, 0.05);
        double velocity[6] = {v.x, v.y, v.z - gravity / 60, 0, 0, 0};
        for (int k = 0; k < 6; k++) {
            pile->p[6 * i + k] = mass * velocity[k];
        }
    }
    for (int i = 0; i < bodies; i++) {
        double load = (side - at[i].z + 1) * gravity / 60;
        if (at[i].z < 1.3) {
            CairnVec3 foot = {at[i].x, at[i].y, 0};
            CairnVec3 point = cairn_add(foot, jitter(seed, 0.3));
            add_contact(pile, seed, i, -1, point, (CairnVec3){0, 0, 1}, at, compliance, load, kind);
        }
        int nearest[3] = {-1, -1, -1}; // each pair is found from its lower index: three a body make six neighbours
        for (int j = i + 1; j < bodies; j++) {
            for (int k = 0, candidate = j; k < 3 && candidate >= 0; k++) {
                double far = nearest[k] < 0 ? (double)INFINITY : cairn_length(cairn_sub(at[nearest[k]], at[i]));
                if (cairn_length(cairn_sub(at[candidate], at[i])) < far) {
                    int swap = nearest[k];
                    nearest[k] = candidate;
                    candidate = swap;
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            int points = nearest[k] >= 0 ? support_int(seed, 1, 3) : 0;
            for (int q = 0; q < points; q++) {
                CairnVec3 middle = cairn_scale(0.5, cairn_add(at[i], at[nearest[k]]));
                CairnVec3 normal =
                    cairn_normalize(cairn_add(cairn_normalize(cairn_sub(at[i], at[nearest[k]])), jitter(seed, 0.05)));
                add_contact(pile, seed, i, nearest[k], cairn_add(middle, jitter(seed, 0.3)), normal, at, compliance,
                            load * support_uniform(seed, 0.2, 1), kind);
            }
        }
    }
    free(at);
}

// Bounds that make lambda[i] and w[i] complementary, of every kind.
static void choose_answer(TestPile *pile, uint64_t *seed, int i, double *lambda, double *w) {
    double inf = (double)INFINITY;
    int kind = support_int(seed, 0, 6);
    lambda[i] = support_uniform(seed, -1, 1);
    double below = support_uniform(seed, 0.1, 1), above = support_uniform(seed, 0.1, 1);
    double away = support_uniform(seed, 0.05, 1);
    static const struct {
        int lower, upper, sign; // 0: infinite, 1: apart, 2: at lambda
    } kinds[7] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {2, 0, 1}, {2, 1, 1}, {1, 2, -1}, {2, 2, 0}};
    pile->lower[i] = kinds[kind].lower == 0 ? -inf : lambda[i] - (kinds[kind].lower == 1 ? below : 0);
    pile->upper[i] = kinds[kind].upper == 0 ? inf : lambda[i] + (kinds[kind].upper == 1 ? above : 0);
    w[i] = kind == 6 ? away - 0.5 : kinds[kind].sign * away;
}

void test_pile_chosen(TestPile *pile, uint64_t *seed, int rows, double rows_per_dof, double compliance, double *lambda,
                      double *w) {
    int bodies = (int)(rows / (6 * rows_per_dof)) + 1;
    test_pile_begin(pile, bodies, rows, 2 * rows, rows);
    for (int i = 0; i < bodies; i++) {
        add_body(pile, seed, support_uniform(seed, 0.5, 3));
    }
    for (int i = 0; i < 6 * bodies; i++) {
        pile->p[i] = support_uniform(seed, -1, 1);
    }
    while (pile->problem.row_count < rows) {
        int remaining = rows - pile->problem.row_count, count = support_int(seed, 1, 3);
        int c = add_constraint(pile, count < remaining ? count : remaining), terms = support_int(seed, 1, 2);
        for (int k = 0; k < terms; k++) {
            double *J = add_term(pile, c, support_int(seed, 0, bodies - 1));
            for (int i = 0; i < 18; i++) {
                J[i] = support_uniform(seed, -1, 1);
            }
        }
    }
    // d = w - C lambda - J P^-1 (p + J^T lambda)
    double *v = zeros(6 * bodies, sizeof *v);
    memcpy(v, pile->p, (size_t)(6 * bodies) * sizeof *v);
    for (int i = 0; i < rows; i++) {
        pile->compliance[i] = compliance;
        choose_answer(pile, seed, i, lambda, w);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < pile->problem.constraint_count; c++) {
            CairnConstraintBlock constraint = pile->constraints[c];
            for (int i = 0; i < constraint.row_count; i++) {
                int row = constraint.first_row + i;
                double sum = 0;
                for (int t = 0; t < constraint.term_count; t++) {
                    CairnTerm term = pile->terms[constraint.first_term + t];
                    for (int k = 0; k < 6; k++) {
                        double J = pile->J[term.jacobian + 6 * i + k], *at = &v[6 * term.block + k];
                        sum += J * *at;
                        *at += pass == 0 ? J * lambda[row] : 0;
                    }
                }
                pile->right_side[row] = w[row] - compliance * lambda[row] - sum;
            }
        }
        for (int b = 0; b < bodies && pass == 0; b++) {
            double P[36];
            memcpy(P, pile->P + 36 * b, sizeof P);
            assert_true(test_solve_dense(6, P, v + 6 * b));
        }
    }
    free(v);
}
