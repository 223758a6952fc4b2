// ipm-cone: the checks of all exact solvers over boxes, then cones: closed forms, an independent slow method, and what
// must not matter.
#include "engine/base/memory.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(name, call)                                                                                              \
    static void name(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        call;                                                                                                          \
    }

static const CairnFrictionKind kinds[2] = {CAIRN_FRICTION_CONE, CAIRN_FRICTION_COULOMB};
static const char *const formulations[] = {"formulation=body", "formulation=dense", "formulation=kkt,path=0",
                                           "formulation=constraint,path=0"};

// ---- one contact, in closed form ------------------------------------------------------------------------------------

// A particle of mass m meets a plane with velocity -b, C = 0: A = 1/m, so the convex law's impulse is P_K(-m b), and
// Coulomb's is 0, -m b, or the slide m (-b_N)(1, -mu d) with d = b_T/|b_T|.
static void one_contact_has_its_closed_form(void **state) {
    (void)state;
    uint64_t seed = 3;
    int seen[2][3] = {{0}};
    for (int round = 0; round < 400; round++) {
        CairnFrictionKind kind = kinds[round % 2];
        TestProblem t;
        test_problem_begin(&t);
        double m = exp(support_uniform(&seed, -3, 3)), P[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, lambda[3], wanted[3];
        int block = test_problem_block(&t, 3, P);
        int c = test_problem_contact(&t, &seed, kind, 0, 1, &block);
        double mu = t.frictions[0].mu = round < 20 ? 5 : support_uniform(&seed, 0.01, 2);
        memset(t.J, 0, 9 * sizeof *t.J);
        t.J[0] = t.J[4] = t.J[8] = 1;
        assert_int_equal(c, 0);
        double b[3];
        for (int i = 0; i < 3; i++) {
            t.p[i] = m * (b[i] = support_uniform(&seed, -1, 1));
            lambda[i] = support_uniform(&seed, -1, 1); // any warm start
        }
        double tangent = hypot(b[1], b[2]), normal = -m * b[0];
        int way;
        if (kind == CAIRN_FRICTION_CONE) {
            way = tangent <= mu * -b[0] ? 0 : b[0] >= mu * tangent ? 1 : 2;
            normal = (-m * b[0] + mu * m * tangent) / (1 + mu * mu);
        } else {
            way = b[0] >= 0 ? 1 : tangent <= mu * -b[0] ? 0 : 2;
        }
        for (int i = 0; i < 3; i++) {
            double slide = i == 0 ? normal : -mu * normal * b[i] / tangent;
            wanted[i] = way == 0 ? -m * b[i] : way == 1 ? 0 : slide;
        }
        exact_certify(&cairn_solver_ipm_cone, round % 4 < 2 ? "warm=false" : NULL, &t.problem, lambda);
        for (int i = 0; i < 3; i++) {
            assert_near(lambda[i] / m, wanted[i] / m, 1e-8); // what is certified, with |b| <= 1
        }
        seen[round % 2][way]++;
    }
    for (int k = 0; k < 6; k++) {
        assert_true(seen[k / 3][k % 3] > 5);
    }
}

// ---- an independent slow method -------------------------------------------------------------------------------------

typedef struct Slow {
    int n;
    const CairnProblem *problem;
    double A[PROBLEM_ROWS * PROBLEM_ROWS], b[PROBLEM_ROWS], lower[PROBLEM_ROWS], upper[PROBLEM_ROWS];
    double rise[PROBLEM_CONSTRAINTS], size; // size: above A's largest eigenvalue
} Slow;

static bool is_cone_kind(const CairnFriction *friction) {
    return friction->kind == CAIRN_FRICTION_CONE || friction->kind == CAIRN_FRICTION_COULOMB;
}

static void project(const Slow *slow, double *x) {
    bool done[PROBLEM_ROWS] = {false};
    for (int f = 0; f < slow->problem->friction_count; f++) {
        const CairnFriction *friction = &slow->problem->frictions[f];
        double *r = x + friction->normal, tangent = hypot(r[1], r[2]), mu = friction->mu;
        if (!is_cone_kind(friction)) {
            continue;
        }
        done[friction->normal] = done[friction->normal + 1] = done[friction->normal + 2] = true;
        if (r[0] < 0 && mu * tangent <= -r[0]) {
            r[0] = r[1] = r[2] = 0;
        } else if (tangent > mu * r[0]) {
            double normal = (r[0] + mu * tangent) / (1 + mu * mu);
            r[1] *= mu * normal / tangent;
            r[2] *= mu * normal / tangent;
            r[0] = normal;
        }
    }
    for (int i = 0; i < slow->n; i++) {
        x[i] = done[i] ? x[i] : fmin(fmax(x[i], slow->lower[i]), slow->upper[i]);
    }
}

static void slack(const Slow *slow, const double *x, double *w) {
    for (int i = 0; i < slow->n; i++) {
        w[i] = slow->b[i];
        for (int j = 0; j < slow->n; j++) {
            w[i] += slow->A[i * slow->n + j] * x[j];
        }
    }
}

// Accelerated projected gradient on the convex problem of the parameters at hand, started again where it overshoots.
static void descend(const Slow *slow, double *x, int steps) {
    double y[PROBLEM_ROWS], w[PROBLEM_ROWS], before[PROBLEM_ROWS], t = 1;
    memcpy(y, x, (size_t)slow->n * sizeof *y);
    for (int k = 0; k < steps; k++) {
        double against = 0, next = 0.5 * (1 + sqrt(1 + 4 * t * t)), moved = 0;
        memcpy(before, x, (size_t)slow->n * sizeof *before);
        slack(slow, y, w);
        for (int f = 0; f < slow->problem->friction_count; f++) {
            w[slow->problem->frictions[f].normal] += slow->rise[f];
        }
        for (int i = 0; i < slow->n; i++) {
            x[i] = y[i] - w[i] / slow->size;
        }
        project(slow, x);
        for (int i = 0; i < slow->n; i++) {
            against += (y[i] - x[i]) * (x[i] - before[i]);
            moved = fmax(moved, fabs(x[i] - y[i]) * slow->size);
        }
        t = against > 0 ? 1 : t;
        next = against > 0 ? 1 : next;
        for (int i = 0; i < slow->n; i++) {
            y[i] = x[i] + (against > 0 ? 0 : (t - 1) / next * (x[i] - before[i]));
        }
        t = next;
        if (moved < 1e-13) {
            break;
        }
    }
}

// De Saxce's rises and the bounds that follow, again and again.
static bool find_slowly(Slow *slow, double *x) {
    double w[PROBLEM_ROWS];
    memset(x, 0, (size_t)slow->n * sizeof *x);
    for (int round = 0; round < 300; round++) {
        double moved = 0;
        descend(slow, x, 4000);
        slack(slow, x, w);
        for (int f = 0; f < slow->problem->friction_count; f++) {
            const CairnFriction *friction = &slow->problem->frictions[f];
            int n = friction->normal;
            double rise = friction->kind == CAIRN_FRICTION_COULOMB ? friction->mu * hypot(w[n + 1], w[n + 2]) : 0;
            moved = fmax(moved, fabs(rise - slow->rise[f]));
            slow->rise[f] = rise;
            for (int k = 3; k < 3 + friction->spin_rows; k++) {
                double bound = fmax(0, x[n]) * (k == 3 ? friction->torsion : friction->rolling);
                moved = fmax(moved, slow->size * fabs(bound - slow->upper[n + k]));
                slow->upper[n + k] = bound;
                slow->lower[n + k] = -bound;
            }
        }
        if (moved < 1e-11) {
            return true;
        }
    }
    return false;
}

// Two to three bodies, joints of one to three rows and four contacts over them, with spin rows at times.
static void draw_problem(TestProblem *t, uint64_t *seed, CairnFrictionKind kind, bool spins) {
    test_problem_begin(t);
    int bodies = support_int(seed, 2, 3), block[3];
    for (int i = 0; i < bodies; i++) {
        block[i] = test_problem_body(t, seed, support_uniform(seed, 0.5, 2));
    }
    test_problem_constraint(t, seed, support_int(seed, 1, 3), 2, block);
    for (int k = 0; k < 4; k++) {
        int pair[2] = {block[k % bodies], block[(k + 1) % bodies]};
        test_problem_contact(t, seed, kind, spins ? (const int[]){0, 1, 3}[support_int(seed, 0, 2)] : 0,
                             support_int(seed, 1, 2), pair);
    }
    for (int i = 0; i < t->problem.row_count; i++) {
        t->compliance[i] = 0.05;
        t->right_side[i] = support_uniform(seed, -1, 1);
    }
    for (int i = 0; i < t->problem.dof_count; i++) {
        t->p[i] = support_uniform(seed, -1, 1);
    }
}

static void check_against_slow(CairnFrictionKind kind, bool spins, int rounds, uint64_t seed) {
    int compared = 0;
    for (int round = 0; round < rounds; round++) {
        TestProblem t, explicit_form;
        Slow slow = {0};
        double x[PROBLEM_ROWS], lambda[PROBLEM_ROWS] = {0}, other[PROBLEM_ROWS] = {0}, b = 0, trace = 0;
        draw_problem(&t, &seed, kind, spins);
        slow.n = t.problem.row_count;
        slow.problem = &t.problem;
        test_problem_dense(&t.problem, slow.A, slow.b);
        memcpy(slow.lower, t.lower, sizeof slow.lower);
        memcpy(slow.upper, t.upper, sizeof slow.upper);
        for (int i = 0; i < slow.n; i++) {
            b = fmax(b, fabs(slow.b[i]));
            trace = 0;
            for (int j = 0; j < slow.n; j++) {
                trace += fabs(slow.A[i * slow.n + j]);
            }
            slow.size = fmax(slow.size, trace);
        }
        bool is_found = find_slowly(&slow, x);
        exact_certify(&cairn_solver_ipm_cone, NULL, &t.problem, lambda);
        test_problem_make_explicit(&t, &explicit_form);
        exact_certify(&cairn_solver_ipm_cone, NULL, &explicit_form.problem, other);
        if (is_found) { // the slow one need not arrive
            compared++;
            assert_below(exact_distance(&t.problem, lambda, x), 1);
            assert_below(exact_distance(&t.problem, lambda, other), 1);
        }
    }
    assert_true(compared > rounds * 3 / 4);
}

CHECK(cones_meet_a_slow_method, check_against_slow(CAIRN_FRICTION_CONE, false, 30, 11))
CHECK(coulomb_meets_a_slow_method, check_against_slow(CAIRN_FRICTION_COULOMB, false, 20, 12))
CHECK(spin_rows_follow_their_normals, check_against_slow(CAIRN_FRICTION_CONE, true, 10, 13);
      check_against_slow(CAIRN_FRICTION_COULOMB, true, 10, 14))

// ---- heaps ----------------------------------------------------------------------------------------------------------

static double *zeros(const CairnProblem *problem) {
    double *lambda = calloc((size_t)problem->row_count + 1, sizeof *lambda);
    assert_non_null(lambda);
    return lambda;
}

// Hyperstatic, three points a pair; the convex answer is one, so formulations must meet. Entries of Theta's blocks, as
// kkt and constraint space have them, lose digits near a cone's edge: of those only a part of the way is asked.
static void formulations_agree_on_heaps(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        TestPile pile;
        uint64_t seed = 80 + (uint64_t)round;
        test_pile_heap(&pile, &seed, 15, round < 2 ? 1e-6 : 1e-9, CAIRN_FRICTION_CONE);
        double *first = zeros(&pile.problem);
        ExactRun run = exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, first);
        assert_true(run.traced > 3);
        for (int k = 0; k < 4; k++) {
            double *lambda = zeros(&pile.problem);
            if (k < 2) {
                exact_certify(&cairn_solver_ipm_cone, formulations[k], &pile.problem, lambda);
                assert_below(exact_distance(&pile.problem, first, lambda), 1);
            } else {
                run = exact_run(&cairn_solver_ipm_cone, formulations[k], &pile.problem, 1, NULL, lambda);
                assert_ok(run.status);
                assert_below(run.residual.convex, 1e-6);
            }
            free(lambda);
        }
        free(first);
        test_pile_free(&pile);
    }
}

static int factors_of(const CairnSolver *solver, uint64_t seed, int bodies, CairnFrictionKind kind) {
    TestPile pile;
    test_pile_heap(&pile, &seed, bodies, 1e-6, kind);
    double *lambda = zeros(&pile.problem);
    ExactRun run = exact_certify(solver, NULL, &pile.problem, lambda);
    free(lambda);
    test_pile_free(&pile);
    return run.report.factorizations;
}

// An iteration of the convex law is one factor, as that of the box is, and there are no more of them.
static void the_convex_law_takes_as_many_factors_as_the_box(void **state) {
    (void)state;
    int cone = 0, box = 0;
    for (uint64_t seed = 300; seed < 312; seed++) {
        int bodies = seed % 2 ? 20 : 60;
        cone += factors_of(&cairn_solver_ipm_cone, seed, bodies, CAIRN_FRICTION_CONE);
        box += factors_of(&cairn_solver_ipm, seed, bodies, CAIRN_FRICTION_BOX);
    }
    print_message("  12 heaps: cone %d factors, box %d\n", cone, box);
    assert_true(cone <= box * 5 / 4);
}

// Impulses that are off by a thousandth save factors.
static void the_convex_law_starts_from_the_last_impulses(void **state) {
    (void)state;
    int cold = 0, warm = 0;
    for (uint64_t seed = 320; seed < 326; seed++) {
        TestPile pile;
        uint64_t draw = seed;
        test_pile_heap(&pile, &draw, 40, 1e-6, CAIRN_FRICTION_CONE);
        double *lambda = zeros(&pile.problem);
        cold += exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, lambda).report.factorizations;
        for (int i = 0; i < pile.problem.row_count; i++) {
            lambda[i] *= 1 + support_uniform(&draw, -1e-3, 1e-3);
        }
        warm += exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, lambda).report.factorizations;
        free(lambda);
        test_pile_free(&pile);
    }
    print_message("  6 heaps: cold %d factors, warm %d\n", cold, warm);
    assert_true(warm < cold * 3 / 4);
}

static void certify_heap(uint64_t seed, int bodies, double compliance) {
    TestPile pile;
    test_pile_heap(&pile, &seed, bodies, compliance, CAIRN_FRICTION_COULOMB);
    double *lambda = zeros(&pile.problem);
    ExactRun run = exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, lambda);
    print_message("  %d rows: %d iterations, %d factorizations\n", pile.problem.row_count, run.report.iterations,
                  run.report.factorizations);
    ExactRun again = exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, lambda);
    assert_true(again.report.factorizations <= 4); // from the answer
    free(lambda);
    test_pile_free(&pile);
}

// Bounds that follow a normal impulse that is 0 from the start are nothing from the start: no room to begin in.
static void a_contact_that_may_not_press_does_not_rub(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 7;
    test_pile_heap(&pile, &seed, 6, 1e-6, CAIRN_FRICTION_BOX_CURRENT);
    int normal = pile.frictions[0].normal;
    pile.lower[normal] = pile.upper[normal] = 0;
    double *lambda = zeros(&pile.problem);
    ExactRun run = exact_certify(&cairn_solver_ipm_cone, "warm=false,path=0", &pile.problem, lambda);
    assert_true(run.report.iterations > 0);
    assert_below(fabs(lambda[normal + 1]) + fabs(lambda[normal + 2]), 1e-9);
    free(lambda);
    test_pile_free(&pile);
}

static void coulomb_heaps_are_certified(void **state) {
    (void)state;
    for (int round = 0; round < 6; round++) {
        certify_heap(90 + (uint64_t)round, round < 4 ? 12 : 60, round % 2 ? 1e-8 : 1e-6);
    }
}

// Heaps whose central path turns back: mu falls to 6e-6 and 1.6e-7, rises to 9e-6 and 3e-6, and falls again. No step
// with a falling mu gets past that, nor do fixed points with De Saxce's rises held. With CAIRN_LONG_TESTS=1 all heaps
// of that draw.
static void coulomb_heaps_with_folds_are_certified(void **state) {
    (void)state;
    static const int folded[] = {79, 90, 102, 116}, sizes[] = {12, 20, 40};
    static const double compliances[] = {1e-6, 1e-7, 1e-8};
    int count = support_is_long() ? 131 : 4;
    for (int k = 0; k < count; k++) {
        int which = count == 4 ? folded[k] : k;
        certify_heap(5000 + (uint64_t)which, sizes[which % 3], compliances[which / 3 % 3]);
    }
}

// The path alone, without Newton's method and the interior point before it, leads to the answers that those find.
static void the_path_leads_to_an_answer(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        TestPile pile;
        uint64_t seed = 115 + (uint64_t)round;
        test_pile_heap(&pile, &seed, 12, 1e-7, round == 0 ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_COULOMB);
        double *first = zeros(&pile.problem), *other = zeros(&pile.problem);
        exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, first);
        ExactRun run = exact_certify(&cairn_solver_ipm_cone, "iterations=1,warm=false", &pile.problem, other);
        assert_true(run.report.iterations > 10);
        if (round == 0) { // the convex law has one answer
            assert_below(exact_distance(&pile.problem, first, other), 1);
        }
        free(first);
        free(other);
        test_pile_free(&pile);
    }
}

// mu = 0 is no friction: the same as ipm with the tangents shut.
static void without_friction_it_is_ipm(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        TestPile pile;
        uint64_t seed = 100 + (uint64_t)round;
        test_pile_heap(&pile, &seed, 12, 1e-8, kinds[round % 2]);
        double *cone = zeros(&pile.problem), *box = zeros(&pile.problem);
        for (int f = 0; f < pile.problem.friction_count; f++) {
            pile.frictions[f].mu = 0;
        }
        exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, cone);
        for (int f = 0; f < pile.problem.friction_count; f++) {
            pile.frictions[f].kind = CAIRN_FRICTION_BOX;
            for (int k = 1; k < 3; k++) {
                pile.lower[pile.frictions[f].normal + k] = pile.upper[pile.frictions[f].normal + k] = 0;
            }
        }
        exact_certify(&cairn_solver_ipm, NULL, &pile.problem, box);
        assert_below(exact_distance(&pile.problem, cone, box), 1);
        free(cone);
        free(box);
        test_pile_free(&pile);
    }
}

// The tangents of a cone are any two: turned in their plane by an angle each, the impulses turn with them.
static void tangents_may_point_anywhere(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        TestProblem t, turned;
        uint64_t seed = 110 + (uint64_t)round;
        double lambda[PROBLEM_ROWS] = {0}, other[PROBLEM_ROWS] = {0}, b = 0;
        draw_problem(&t, &seed, kinds[round % 2], false);
        test_problem_make_explicit(&t, &turned);
        int m = t.problem.row_count;
        test_problem_dense(&t.problem, turned.W, turned.right_side);
        for (int k = 0; k < m * m; k++) { // all entries, also those that are zero
            turned.W_column[k] = k % m;
            turned.W_start[k / m + 1] = m * (k / m + 1);
        }
        for (int f = 0; f < t.problem.friction_count; f++) {
            int n = t.frictions[f].normal;
            double angle = support_uniform(&seed, -3, 3), c = cos(angle), s = sin(angle);
            for (int j = 0; j < m; j++) { // rows, then columns
                double *first = &turned.W[(n + 1) * m + j], *second = &turned.W[(n + 2) * m + j], x = *first;
                *first = c * x + s * *second;
                *second = c * *second - s * x;
            }
            for (int j = 0; j < m; j++) {
                double *first = &turned.W[j * m + n + 1], *second = &turned.W[j * m + n + 2], x = *first;
                *first = c * x + s * *second;
                *second = c * *second - s * x;
            }
            double x = turned.right_side[n + 1];
            turned.right_side[n + 1] = c * x + s * turned.right_side[n + 2];
            turned.right_side[n + 2] = c * turned.right_side[n + 2] - s * x;
        }
        exact_certify(&cairn_solver_ipm_cone, NULL, &t.problem, lambda);
        exact_certify(&cairn_solver_ipm_cone, NULL, &turned.problem, other);
        for (int i = 0; i < m; i++) {
            b = fmax(b, fabs(turned.right_side[i]));
        }
        for (int f = 0; f < t.problem.friction_count; f++) { // C = 0.05: impulses differ by 1e-8 b / C at most
            int n = t.frictions[f].normal;
            assert_near(other[n], lambda[n], 1e-8 * b / 0.05);
            assert_near(hypot(other[n + 1], other[n + 2]), hypot(lambda[n + 1], lambda[n + 2]), 2e-8 * b / 0.05);
        }
    }
}

// Contacts in the reverse order, warm and cold, more threads, kept memory.
static void order_threads_and_memory_change_nothing(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 120;
    CairnAllocator plain = cairn_memory_default();
    void *memory = NULL;
    test_pile_heap(&pile, &seed, 20, 1e-8, CAIRN_FRICTION_CONE);
    size_t bytes = (size_t)pile.problem.row_count * sizeof(double);
    double *first = zeros(&pile.problem), *lambda = zeros(&pile.problem);
    exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, first);
    for (int run = 0; run < 3; run++) {
        memset(lambda, 0, bytes);
        assert_ok(exact_run(&cairn_solver_ipm_cone, NULL, &pile.problem, run + 1, &memory, lambda).status);
        assert_memory_equal(lambda, first, bytes);
    }
    assert_non_null(memory);
    cairn_solver_ipm_cone.forget(memory, &plain);
    for (int i = 0; i < pile.problem.row_count; i++) {
        lambda[i] = support_uniform(&seed, -1, 1);
    }
    exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, lambda);
    assert_below(exact_distance(&pile.problem, first, lambda), 1);
    int count = pile.problem.constraint_count, row = 0;
    CairnConstraintBlock *order = malloc((size_t)count * sizeof *order);
    double *turned = zeros(&pile.problem), *right_side = malloc(bytes);
    assert_non_null(order);
    assert_non_null(right_side);
    memcpy(right_side, pile.right_side, bytes);
    memcpy(order, pile.constraints, (size_t)count * sizeof *order);
    for (int c = 0; c < count; c++) { // all have three rows and the same bounds and compliance
        assert_int_equal(order[c].row_count, 3);
        pile.constraints[c] = order[count - 1 - c];
        memcpy(pile.right_side + row, right_side + pile.constraints[c].first_row, 3 * sizeof *right_side);
        pile.constraints[c].first_row = row;
        pile.frictions[pile.constraints[c].friction].constraint = c;
        pile.frictions[pile.constraints[c].friction].normal = row;
        row += 3;
    }
    exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, turned);
    for (int c = 0; c < count; c++) {
        memcpy(lambda + 3 * c, first + 3 * (count - 1 - c), 3 * sizeof *lambda);
    }
    assert_below(exact_distance(&pile.problem, lambda, turned), 1);
    free(order);
    free(right_side);
    free(turned);
    free(first);
    free(lambda);
    test_pile_free(&pile);
}

// ---- limits and bad input -------------------------------------------------------------------------------------------

static void a_limit_is_said(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 130;
    test_pile_heap(&pile, &seed, 15, 1e-8, CAIRN_FRICTION_COULOMB);
    double *lambda = zeros(&pile.problem);
    ExactRun run = exact_run(&cairn_solver_ipm_cone, "iterations=2,path=0,warm=false", &pile.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 2);
    assert_int_equal(run.traced, 2);
    assert_false(run.residual.is_certified);
    // A looser tolerance costs less, and is met: 1e-4 of max|b|, the referee's measure is below the solver's.
    memset(lambda, 0, (size_t)pile.problem.row_count * sizeof *lambda);
    run = exact_run(&cairn_solver_ipm_cone, "tolerance=1e-4,warm=false", &pile.problem, 1, NULL, lambda);
    assert_below(run.residual.cone, 1e-4);
    free(lambda);
    test_pile_free(&pile);
}

static void bad_cones_are_refused(void **state) {
    (void)state;
    static const double values[] = {-0.1, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 9; k++) {
        TestProblem t;
        uint64_t seed = 140;
        double lambda[PROBLEM_ROWS] = {0}, before[PROBLEM_ROWS] = {0};
        draw_problem(&t, &seed, kinds[k % 2], true);
        double *places[] = {&t.frictions[1].mu, &t.frictions[1].torsion, &t.frictions[1].rolling};
        const char *const names[] = {"mu", "torsion", "rolling"};
        *places[k / 3] = values[k % 3];
        ExactRun run = exact_run(&cairn_solver_ipm_cone, NULL, &t.problem, 1, NULL, lambda);
        assert_refused(run.status, CAIRN_INVALID_ARGUMENT, "frictions[1]");
        assert_non_null(strstr(run.status.message, names[k / 3]));
        assert_memory_equal(lambda, before, sizeof lambda);
    }
}

static void cones_without_memory_are_an_error(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 150;
    int refused = 0;
    draw_problem(&t, &seed, CAIRN_FRICTION_COULOMB, true);
    for (int fail = 1;; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        CairnArena arena;
        double lambda[PROBLEM_ROWS] = {0}, before[PROBLEM_ROWS] = {0};
        void *kept = NULL;
        CairnSolveReport report;
        cairn_arena_init(&arena, &allocator);
        CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena, .memory = &kept};
        CairnStatus status = cairn_solver_ipm_cone.solve(&t.problem, NULL, NULL, &context, lambda, &report);
        cairn_arena_free(&arena);
        if (kept != NULL) {
            cairn_solver_ipm_cone.forget(kept, &allocator);
        }
        assert_memory_clean(&memory);
        if (cairn_is_ok(status) && memory.refused == 0) {
            break;
        }
        if (!cairn_is_ok(status)) {
            assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            assert_memory_equal(lambda, before, sizeof lambda);
            refused++;
        }
        assert_true(fail < 500);
    }
    assert_true(refused > 0);
}

static ExactSubject subject = {.solver = &cairn_solver_ipm_cone, .stiffest = 1e-9, .bodies = 64, .factorizations = 60};

static BlockSubject blocks = {.solver = &cairn_solver_ipm_cone, .options = {""}, .stiffest = 1e-6};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(one_contact_has_its_closed_form),
        cmocka_unit_test(cones_meet_a_slow_method),
        cmocka_unit_test(coulomb_meets_a_slow_method),
        cmocka_unit_test(spin_rows_follow_their_normals),
        cmocka_unit_test(formulations_agree_on_heaps),
        cmocka_unit_test(the_convex_law_takes_as_many_factors_as_the_box),
        cmocka_unit_test(the_convex_law_starts_from_the_last_impulses),
        cmocka_unit_test(coulomb_heaps_are_certified),
        cmocka_unit_test(coulomb_heaps_with_folds_are_certified),
        cmocka_unit_test(the_path_leads_to_an_answer),
        cmocka_unit_test(without_friction_it_is_ipm),
        cmocka_unit_test(tangents_may_point_anywhere),
        cmocka_unit_test(order_threads_and_memory_change_nothing),
        cmocka_unit_test(a_contact_that_may_not_press_does_not_rub),
        cmocka_unit_test(a_limit_is_said),
        cmocka_unit_test(bad_cones_are_refused),
        cmocka_unit_test(cones_without_memory_are_an_error),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
