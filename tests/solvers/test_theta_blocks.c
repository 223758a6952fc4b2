// Theta with 3x3 blocks for friction cones: all formulations against (A + Theta) x = y, weights of one block up to 1e16
// apart.
#include "tests/support/piles.h"
#include "tests/support/support.h"

#include "engine/base/arena.h"
#include "solvers/system/formulation.h"
#include "solvers/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REFINEMENTS = 8 };

// Three axes as the cones make them: diag(mu, 1, 1) times an orthonormal frame that holds the edge's direction.
static void draw_block(uint64_t *seed, double span, CairnThetaBlock *block) {
    double mu = exp(support_uniform(seed, -4, 1)), angle = support_uniform(seed, -3, 3), h = sqrt(0.5);
    double c = cos(angle), s = sin(angle);
    *block = (CairnThetaBlock){{0}, {{mu * h, -c * h, -s * h}, {mu * h, c * h, s * h}, {0, -s, c}}};
    for (int k = 0; k < 3; k++) {
        block->weight[k] = exp(support_uniform(seed, -span, span));
    }
}

// An axis that is not square to the others: turned by the orthogonal factorization.
static void draw_skew_block(uint64_t *seed, double span, CairnThetaBlock *block) {
    draw_block(seed, span, block);
    block->axis[2][0] = support_uniform(seed, 0.1, 0.5);
}

// (A + Theta) x, by the definition: a sum over the weights.
static void multiply(const CairnSystem *system, const double *theta, const CairnThetaBlock *blocks, const double *x,
                     double *v, double *y) {
    const CairnProblem *problem = system->problem;
    memset(v, 0, (size_t)problem->dof_count * sizeof *v);
    cairn_ops_add_impulse(problem, x, v);
    cairn_ops_solve(&system->ops, v);
    cairn_ops_jacobian(problem, v, y);
    for (int i = 0; i < problem->row_count; i++) {
        y[i] += (problem->compliance[i] + (isinf(theta[i]) ? 0 : theta[i])) * x[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) {
                sum += blocks[f].axis[k][j] * x[n + j];
            }
            for (int i = 0; i < 3; i++) {
                y[n + i] += blocks[f].weight[k] * blocks[f].axis[k][i] * sum;
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        y[i] = isinf(theta[i]) ? 0 : y[i];
    }
}

// Solve for a known x; what is left over, as a share of y. After a factor with blocks comes one without, which must be
// as it was.
static void check(const CairnProblem *problem, CairnFormulation formulation, uint64_t seed, double span, bool is_held,
                  double limit) {
    CairnAllocator allocator = {0};
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena};
    CairnSystem system;
    int m = problem->row_count;
    CairnThetaBlock *blocks = calloc((size_t)problem->friction_count + 1, sizeof *blocks);
    double *memory = calloc(5 * (size_t)m + (size_t)problem->dof_count, sizeof *memory);
    assert_non_null(blocks);
    assert_non_null(memory);
    double *theta = memory, *truth = memory + m, *x = memory + 2 * m, *y = memory + 3 * m, *z = memory + 4 * m;
    double *v = memory + 5 * m;
    for (int f = 0; f < problem->friction_count; f++) {
        (f % 4 == 3 ? draw_skew_block : draw_block)(&seed, span, &blocks[f]);
    }
    for (int i = 0; i < m; i++) {
        theta[i] = is_held && support_int(&seed, 0, 3) == 0 ? (double)INFINITY : 1e-9;
        truth[i] = isinf(theta[i]) ? 0 : support_uniform(&seed, -1, 1);
    }
    assert_ok(cairn_system_init(&system, problem, &(CairnSystemSetup){.formulation = formulation}, &context));
    for (int round = 0; round < 3; round++) {
        for (int f = 0; f < problem->friction_count && round == 1; f++) {
            memset(blocks[f].weight, 0, sizeof blocks[f].weight); // the same as no blocks at all
        }
        for (int i = 0; i < m && round == 1; i++) {
            theta[i] = isinf(theta[i]) ? theta[i] : 0.5;
        }
        multiply(&system, theta, blocks, truth, v, y);
        double size = 0, off = 0;
        for (int i = 0; i < m; i++) {
            size = fmax(size, fabs(y[i]));
        }
        assert_ok(cairn_system_factor(&system, theta, round == 1 ? NULL : blocks));
        assert_near(system.raised, 0, 0);
        double left = cairn_system_solve(&system, y, 0.1 * limit * size, MOST_REFINEMENTS, x);
        multiply(&system, theta, blocks, x, v, z);
        for (int i = 0; i < m; i++) {
            off = fmax(off, fabs(z[i] - y[i]));
            assert_true(!isinf(theta[i]) || x[i] == 0);
        }
        if (!(off <= limit * size)) {
            fail_msg("%s, %d rows, span %g, held %d, round %d: %g of %g left (it says %g)",
                     cairn_formulation_names[formulation], m, span, (int)is_held, round, off, size, left);
        }
    }
    cairn_arena_free(&arena);
    free(memory);
    free(blocks);
}

// exp(12) of spread is well conditioned for all; exp(18) either way is what an interior point meets near its end.
static void all_formulations_agree(void **state) {
    (void)state;
    for (int round = 0; round < 8; round++) {
        TestPile pile;
        uint64_t seed = 400 + (uint64_t)round;
        test_pile_heap(&pile, &seed, round < 4 ? 6 : 40, round % 2 ? 1e-6 : 1e-9,
                       round % 4 < 2 ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_COULOMB);
        for (int formulation = CAIRN_FORMULATION_CONSTRAINT; formulation < CAIRN_FORMULATION_COUNT; formulation++) {
            for (int is_held = 0; is_held < 2; is_held++) {
                check(&pile.problem, (CairnFormulation)formulation, seed, 6, is_held, 1e-12);
                check(&pile.problem, (CairnFormulation)formulation, seed, 18, is_held, 1e-9);
            }
        }
        test_pile_free(&pile);
    }
}

// v^T T^-1 v = (G v)^T diag(weight) G v is 1/weight along each axis, also where the entries of T cannot tell 1e-8
// beside 1e8. An axis' rounding eps sees the weakest direction as eps 1e4 / mu beside 1e-4: squared below 1e-12 for mu
// above 0.018.
static void a_turn_keeps_small_weights(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 300; round++) {
        CairnThetaBlock block;
        draw_block(&seed, 1, &block);
        double give[3] = {0, 0, 0}, y[3];
        CairnTurn turn;
        for (int k = 0; k < 3; k++) {
            block.weight[k] = (const double[]){1e8, 1e-8, 1}[(k + round) % 3];
        }
        assert_true(cairn_turn_make(give, &block, &turn));
        for (int k = 0; k < 3; k++) {
            cairn_turn_forward(&turn, 1, block.axis[k], y);
            double along = turn.weight[0] * y[0] * y[0] + turn.weight[1] * y[1] * y[1] + turn.weight[2] * y[2] * y[2];
            assert_near(along * block.weight[k], 1, 1e-11);
        }
    }
    CairnThetaBlock nothing = {{0}, {{0}}};
    CairnTurn turn;
    assert_false(cairn_turn_make((const double[3]){1, 0, 1}, &nothing, &turn)); // a row without compliance
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formulations_agree),
        cmocka_unit_test(a_turn_keeps_small_weights),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
