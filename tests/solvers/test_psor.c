// psor, pssor, pj: the packed lanes against rows one by one, the descent, the exact answers, and what must not matter.
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/sweeps/psor.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CairnSolver *const solvers[] = {&cairn_solver_psor, &cairn_solver_pssor, &cairn_solver_pj};
static const CairnFrictionKind kinds[] = {CAIRN_FRICTION_CONE, CAIRN_FRICTION_COULOMB};

// ---- a lattice of bodies that touch ---------------------------------------------------------------------------------

typedef struct Lattice {
    TestPile pile;
    double *P, *p, *J; // of blocks with `size` dofs
} Lattice;

typedef struct LatticeKind {
    int side;     // bodies along an edge
    int size;     // dofs of a block: 6, or 7 with a last one that nothing moves, which no lane takes
    bool is_ball; // round inertia, arms along the normals
    double compliance;
    CairnFrictionKind friction;
} LatticeKind;

static void add_lattice_body(Lattice *lattice, uint64_t *seed, const LatticeKind *kind) {
    CairnProblem *problem = &lattice->pile.problem;
    int b = problem->block_count++, n = kind->size;
    double mass = support_uniform(seed, 0.5, 2), *P = lattice->P + (ptrdiff_t)n * n * b;
    CairnMat3 inertia = support_inertia(seed, 0.3);
    lattice->pile.blocks[b] = (CairnDofBlock){n * b, n, n * n * b, -1, mass, 1 + (uint64_t)b};
    for (int i = 0; i < n; i++) {
        P[i * n + i] = i < 3 ? mass : i < 6 ? 0.1 * mass : 1;
        lattice->p[n * b + i] = i < 6 ? mass * support_uniform(seed, -1, 1) : 0;
    }
    for (int i = 0; i < 9 && !kind->is_ball; i++) {
        P[(3 + i / 3) * n + 3 + i % 3] = mass * (inertia.m[i / 3][i % 3] + (i % 4 == 0 ? 0.02 : 0));
    }
    lattice->p[n * b + 2] -= mass; // they fall on each other
}

static void write_side(double *J, int size, CairnVec3 axis, CairnVec3 arm, double sign) {
    CairnVec3 turn = cairn_cross(arm, axis);
    const double row[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < size; i++) {
        J[i] = i < 6 ? sign * row[i] : 0;
    }
}

// a or b is -1 where the other side is fixed.
static void add_lattice_contact(Lattice *lattice, uint64_t *seed, const LatticeKind *kind, int a, int b, CairnVec3 n) {
    TestPile *pile = &lattice->pile;
    CairnProblem *problem = &pile->problem;
    int c = problem->constraint_count++, row = problem->row_count, sides[2] = {a, b};
    CairnVec3 tangent_1, tangent_2;
    n = cairn_normalize(cairn_add_scaled(n, 0.2, support_unit(seed)));
    cairn_tangents(n, &tangent_1, &tangent_2);
    const CairnVec3 axes[3] = {n, tangent_1, tangent_2};
    pile->constraints[c] =
        (CairnConstraintBlock){row, 3, problem->term_count, (a >= 0) + (b >= 0), c, 1000 + (uint64_t)c};
    pile->frictions[c] = (CairnFriction){.kind = kind->friction, .constraint = c, .normal = row};
    pile->frictions[c].mu = support_uniform(seed, 0, 0.8);
    problem->friction_count++;
    for (int k = 0; k < 2; k++) {
        CairnVec3 arm = cairn_scale((k == 0 ? 1 : -1) * support_uniform(seed, 0.4, 0.5), n);
        arm = kind->is_ball ? arm : cairn_add_scaled(arm, 0.3, support_unit(seed));
        if (sides[k] >= 0) {
            int at = 3 * kind->size * problem->term_count;
            pile->terms[problem->term_count++] = (CairnTerm){sides[k], at};
            for (int i = 0; i < 3; i++) {
                write_side(lattice->J + at + i * kind->size, kind->size, axes[i], arm, k == 0 ? -1 : 1);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        pile->compliance[row + i] = kind->compliance * (i == 0 ? 1 : 0.1);
        pile->right_side[row + i] = support_uniform(seed, -0.1, 0.1);
        pile->lower[row + i] = i == 0 ? 0 : -(double)INFINITY;
        pile->upper[row + i] = (double)INFINITY;
    }
    problem->row_count += 3;
}

static void make_lattice(Lattice *lattice, uint64_t seed, LatticeKind kind) {
    int n = kind.side, bodies = n * n * n, most = 4 * bodies;
    test_pile_begin(&lattice->pile, bodies, most, 2 * most, 3 * most);
    lattice->P = calloc((size_t)kind.size * (size_t)kind.size * (size_t)bodies, sizeof(double));
    lattice->p = calloc((size_t)kind.size * (size_t)bodies, sizeof(double));
    lattice->J = calloc((size_t)6 * (size_t)kind.size * (size_t)most, sizeof(double));
    assert_true(lattice->P && lattice->p && lattice->J);
    lattice->pile.problem.P = lattice->P;
    lattice->pile.problem.p = lattice->p;
    lattice->pile.problem.J = lattice->J;
    for (int b = 0; b < bodies; b++) {
        add_lattice_body(lattice, &seed, &kind);
    }
    for (int b = 0; b < bodies; b++) {
        int x = b % n, y = b / n % n, z = b / n / n;
        if (x + 1 < n) {
            add_lattice_contact(lattice, &seed, &kind, b, b + 1, cairn_vec3(1, 0, 0));
        }
        if (y + 1 < n) {
            add_lattice_contact(lattice, &seed, &kind, b, b + n, cairn_vec3(0, 1, 0));
        }
        if (z + 1 < n) {
            add_lattice_contact(lattice, &seed, &kind, b, b + n * n, cairn_vec3(0, 0, 1));
        }
        if (z == 0 && b % 2) { // the floor, on either side
            add_lattice_contact(lattice, &seed, &kind, -1, b, cairn_vec3(0, 0, 1));
        } else if (z == 0) {
            add_lattice_contact(lattice, &seed, &kind, b, -1, cairn_vec3(0, 0, -1));
        }
    }
    lattice->pile.problem.dof_count = kind.size * bodies;
    assert_ok(cairn_problem_check(&lattice->pile.problem));
}

static void free_lattice(Lattice *lattice) {
    test_pile_free(&lattice->pile);
    free(lattice->P);
    free(lattice->p);
    free(lattice->J);
}

static double *zeros(const CairnProblem *problem) {
    double *x = calloc((size_t)problem->row_count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

// ---- the algorithm --------------------------------------------------------------------------------------------------

// One contact: S1's step by hand. P = 1 (six dofs), J = (e, 0): g = 1, eta = 3/3, so one visit with omega = 1, lambda =
// 1 is P_K(-b).
static void one_visit_is_the_projection(void **state) {
    (void)state;
    static const struct {
        double b[3], mu, omega, lambda, answer[3];
    } cases[] = {
        {{-2, 0.3, 0.4}, 0.5, 1, 1, {2, -0.3, -0.4}},    // inside
        {{1, 0.3, 0.4}, 0.5, 1, 1, {0, 0, 0}},           // polar: 0.25 <= 1
        {{-1, -3, -4}, 0.5, 1, 1, {2.8, 0.84, 1.12}},    // (1 + 2.5) / 1.25 = 2.8; 1.4 along (3, 4)/5
        {{0, -3, -4}, 1, 1, 1, {2.5, 1.5, 2}},           // no press: half of the slip
        {{-1, -3, -4}, 0, 1, 1, {1, 0, 0}},              // no friction
        {{-2, 0.3, 0.4}, 0.5, 0.5, 1, {1, -0.15, -0.2}}, // omega
        {{-1, -3, -4}, 0.5, 1, 0.25, {0.25 * 2.8, 0.25 * 0.84, 0.25 * 1.12}}, // lambda
    };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TestProblem forms[2];
        double one[36] = {0}, lambda[3] = {0};
        test_problem_begin(&forms[0]);
        for (int k = 0; k < 36; k += 7) {
            one[k] = 1;
        }
        int block = test_problem_block(&forms[0], 6, one);
        test_problem_contact(&forms[0], &seed, CAIRN_FRICTION_CONE, 0, 1, &block);
        forms[0].frictions[0].mu = cases[i].mu;
        memset(forms[0].J, 0, 18 * sizeof(double));
        for (int k = 0; k < 3; k++) {
            forms[0].J[7 * k] = 1;
            forms[0].right_side[k] = cases[i].b[k];
        }
        test_problem_make_explicit(&forms[0], &forms[1]);
        char options[128];
        snprintf(options, sizeof options, "iterations=1,omega=%g,lambda=%g", cases[i].omega, cases[i].lambda);
        for (int k = 0; k < 6; k++) {
            memset(lambda, 0, sizeof lambda);
            assert_ok(exact_run(solvers[k % 3], options, &forms[k / 3].problem, 1, NULL, lambda).status);
            for (int j = 0; j < 3; j++) {
                assert_near(lambda[j], cases[i].answer[j], 1e-14);
            }
        }
    }
}

// Eight contacts side by side in both forms against the same contacts row by row, which a seventh dof enforces: one
// sweep more or less would show, for each changes the impulses by far more than rounding.
static void lanes_agree_with_rows(void **state) {
    (void)state;
    for (int round = 0; round < 12; round++) {
        LatticeKind kind = {
            .side = 4, .size = 6, .is_ball = round % 2, .compliance = 1e-3, .friction = kinds[round / 2 % 2]};
        Lattice lanes, rows;
        make_lattice(&lanes, 20 + (uint64_t)round, kind);
        kind.size = 7;
        make_lattice(&rows, 20 + (uint64_t)round, kind);
        const CairnProblem *problem = &lanes.pile.problem;
        double *a = zeros(problem), *b = zeros(problem), largest = 0;
        for (int sweeps = 1; sweeps < 12; sweeps += 5) {
            char options[64];
            snprintf(options, sizeof options, "tolerance=0,omega=0.4,iterations=%d", sweeps);
            memset(a, 0, (size_t)problem->row_count * sizeof *a);
            memset(b, 0, (size_t)problem->row_count * sizeof *b);
            ExactRun run_a = exact_run(solvers[round / 4], options, problem, 1, NULL, a);
            ExactRun run_b = exact_run(solvers[round / 4], options, &rows.pile.problem, 1, NULL, b);
            assert_ok(run_a.status);
            assert_ok(run_b.status);
            for (int i = 0; i < problem->row_count; i++) {
                assert_near(a[i], b[i], 1e-10); // what packing takes for the same, some sweeps long
                largest = fmax(largest, fabs(a[i]));
            }
            assert_near(run_a.report.claimed, run_b.report.claimed, 1e-9);
        }
        assert_true(largest > 0.1);
        free(a);
        free(b);
        free_lattice(&lanes);
        free_lattice(&rows);
    }
}

// 1/2 gamma A gamma + b gamma never rises over a sweep of psor or pssor, whatever omega and lambda, beyond rounding.
static void objective_falls_monotonically(void **state) {
    (void)state;
    static const char *const choices[] = {"omega=1", "omega=1.9", "omega=0.3,lambda=0.5", "omega=1.5,lambda=0.8"};
    for (int round = 0; round < 16; round++) {
        TestPile heap;
        Lattice lattice;
        uint64_t seed = 40 + (uint64_t)round;
        bool is_heap = round % 2;
        test_pile_heap(&heap, &seed, 12, round % 4 == 1 ? 1e-8 : 1e-4, CAIRN_FRICTION_CONE);
        make_lattice(&lattice, seed,
                     (LatticeKind){.side = 3, .size = 6, .is_ball = round % 4 == 0, .friction = kinds[0]});
        const CairnProblem *problem = is_heap ? &heap.problem : &lattice.pile.problem;
        double *lambda = zeros(problem), last = 0, first = 0;
        for (int sweep = 0; sweep < 60; sweep++) {
            char options[96];
            // A sweep at a time from the last one's impulses; pssor's second direction comes with its second sweep.
            snprintf(options, sizeof options, "iterations=%d,tolerance=0,%s", 1 + sweep % 2, choices[round / 4]);
            assert_ok(exact_run(solvers[round / 2 % 2], options, problem, 1, NULL, lambda).status);
            double now = exact_objective(problem, lambda);
            assert_true(now <= last + 1e-13 * fabs(first));
            last = now;
            first = sweep == 0 ? now : first;
        }
        assert_true(last < 1.01 * first); // objectives are negative
        free(lambda);
        test_pile_free(&heap);
        free_lattice(&lattice);
    }
}

// ---- the answers ----------------------------------------------------------------------------------------------------

// Given sweeps, all arrive at the exact velocities, under both laws, and certify.
static void velocities_are_those_of_ipm_cone(void **state) {
    (void)state;
    for (int round = 0; round < 12; round++) {
        Lattice lattice;
        LatticeKind kind = {
            .side = 3, .size = 6, .is_ball = round % 2, .compliance = 1e-2, .friction = kinds[round / 6]};
        make_lattice(&lattice, 60 + (uint64_t)round, kind);
        const CairnProblem *problem = &lattice.pile.problem;
        for (int f = 0; f < problem->friction_count; f++) {
            lattice.pile.frictions[f].mu *= 0.5; // Coulomb's law keeps one answer
        }
        double *exact = zeros(problem), *lambda = zeros(problem);
        exact_certify(&cairn_solver_ipm_cone, NULL, problem, exact);
        const CairnSolver *solver = solvers[round / 2 % 3];
        ExactRun run = exact_run(solver, "iterations=60000,tolerance=1e-12", problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_true(run.residual.is_certified);
        assert_below(kind.friction == CAIRN_FRICTION_CONE ? run.residual.convex : run.residual.cone, 1e-8);
        assert_below(exact_distance(problem, exact, lambda), 10); // both stand within 1e-8 by their own measure
        free(exact);
        free(lambda);
        free_lattice(&lattice);
    }
}

// Boxes, joints, limits and spin rows are rows: the exact solver's answer again, in both forms.
static void rows_of_every_kind_are_solved(void **state) {
    (void)state;
    uint64_t seed = 80;
    for (int draw = 0; draw < 60; draw++) {
        TestProblem forms[2];
        double exact[PROBLEM_ROWS] = {0};
        test_problem_random(&forms[0], &seed, 12);
        if (draw % 2) {
            int block = 0;
            test_problem_begin(&forms[0]);
            test_problem_body(&forms[0], &seed, 1);
            test_problem_body(&forms[0], &seed, 2);
            test_problem_contact(&forms[0], &seed, draw % 4 == 1 ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_BOX_CURRENT,
                                 draw % 3 == 0 ? 0 : 3, 1, &block);
            forms[0].frictions[0].mu *= 0.3;
            int both[2] = {0, 1};
            test_problem_constraint(&forms[0], &seed, 3, 2, both);
            for (int i = 0; i < forms[0].problem.row_count; i++) {
                forms[0].compliance[i] = 1;
                forms[0].right_side[i] = support_uniform(&seed, -2, 1);
            }
        }
        test_problem_make_explicit(&forms[0], &forms[1]);
        exact_certify(&cairn_solver_ipm_cone, NULL, &forms[0].problem, exact);
        for (int k = 0; k < 6; k++) {
            double lambda[PROBLEM_ROWS] = {0};
            ExactRun run =
                exact_run(solvers[k % 3], "iterations=200000,tolerance=1e-12", &forms[k / 3].problem, 1, NULL, lambda);
            assert_ok(run.status);
            assert_true(run.residual.is_certified);
            assert_below(exact_distance(&forms[k / 3].problem, exact, lambda), 10);
        }
    }
}

// ---- what must not matter -------------------------------------------------------------------------------------------

static void threads_do_not_matter(void **state) {
    (void)state;
    for (int round = 0; round < 6; round++) {
        Lattice lattice;
        make_lattice(&lattice, 100 + (uint64_t)round,
                     (LatticeKind){.side = 18, .size = 6, .is_ball = round % 2, .friction = kinds[0]});
        const CairnProblem *problem = &lattice.pile.problem;
        size_t bytes = (size_t)problem->row_count * sizeof(double);
        double *one = zeros(problem), *many = zeros(problem), *rest = zeros(problem);
        ExactRun run_one = exact_run(solvers[round / 2], "iterations=13,tolerance=0", problem, 1, NULL, one);
        for (int threads = 2; threads <= 8; threads += 3) {
            memset(many, 0, bytes);
            ExactRun run = exact_run(solvers[round / 2], "iterations=13,tolerance=0", problem, threads, NULL, many);
            assert_memory_equal(one, many, bytes);
            assert_same_bits(run.report.claimed, run_one.report.claimed);
        }
        assert_true(memcmp(one, rest, bytes) != 0);
        free(one);
        free(many);
        free(rest);
        free_lattice(&lattice);
    }
}

// More constraints on one body than a stretch has colours (sor_strips.c): they come one after the other.
static void a_body_with_many_contacts_is_solved(void **state) {
    (void)state;
    enum { CONTACTS = 100 };
    Lattice lattice;
    uint64_t seed = 120;
    LatticeKind kind = {.side = 1, .size = 6, .is_ball = true, .compliance = 1};
    kind.friction = CAIRN_FRICTION_CONE;
    test_pile_begin(&lattice.pile, CONTACTS + 1, CONTACTS, 2 * CONTACTS, 3 * CONTACTS);
    lattice.P = calloc(36 * (CONTACTS + 1), sizeof(double));
    lattice.p = calloc(6 * (CONTACTS + 1), sizeof(double));
    lattice.J = calloc(36 * CONTACTS, sizeof(double));
    CairnProblem *problem = &lattice.pile.problem;
    problem->P = lattice.P;
    problem->p = lattice.p;
    problem->J = lattice.J;
    for (int b = 0; b <= CONTACTS; b++) {
        add_lattice_body(&lattice, &seed, &kind);
    }
    for (int c = 0; c < CONTACTS; c++) {
        add_lattice_contact(&lattice, &seed, &kind, 0, c + 1, support_unit(&seed));
    }
    problem->dof_count = 6 * (CONTACTS + 1);
    assert_ok(cairn_problem_check(problem));
    double *exact = zeros(problem);
    exact_certify(&cairn_solver_ipm_cone, NULL, problem, exact);
    for (int k = 0; k < 2; k++) {
        double *lambda = zeros(problem);
        ExactRun run = exact_run(solvers[k], "iterations=60000,tolerance=1e-12", problem, 2, NULL, lambda);
        assert_ok(run.status);
        assert_true(run.residual.is_certified);
        assert_below(exact_distance(problem, exact, lambda), 10);
        free(lambda);
    }
    free(exact);
    free_lattice(&lattice);
}

// The answer as warm start ends at once; impulses that no law allows do not stay.
static void warm_starts_are_taken_and_mended(void **state) {
    (void)state;
    Lattice lattice;
    make_lattice(&lattice, 140, (LatticeKind){.side = 3, .size = 6, .compliance = 1e-2, .friction = kinds[0]});
    const CairnProblem *problem = &lattice.pile.problem;
    double *lambda = zeros(problem), *wild = zeros(problem);
    uint64_t seed = 141;
    for (int k = 0; k < 3; k++) {
        memset(lambda, 0, (size_t)problem->row_count * sizeof *lambda);
        ExactRun run = exact_run(solvers[k], "iterations=60000,tolerance=1e-11", problem, 1, NULL, lambda);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        run = exact_run(solvers[k], "tolerance=1e-10", problem, 1, NULL, lambda);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_int_equal(run.report.iterations, 1);
        for (int i = 0; i < problem->row_count; i++) {
            wild[i] = support_uniform(&seed, -5, 5);
        }
        run = exact_run(solvers[k], "iterations=1,lambda=0.01", problem, 1, NULL, wild);
        assert_ok(run.status);
        for (int f = 0; f < problem->friction_count; f++) {
            const double *r = wild + problem->frictions[f].normal;
            assert_true(r[0] >= 0 && hypot(r[1], r[2]) <= problem->frictions[f].mu * r[0] + 1e-14);
        }
    }
    free(lambda);
    free(wild);
    free_lattice(&lattice);
}

// ---- limits and bad input -------------------------------------------------------------------------------------------

static void limits_are_said(void **state) {
    (void)state;
    Lattice lattice;
    make_lattice(&lattice, 160, (LatticeKind){.side = 4, .size = 6, .friction = kinds[0]});
    const CairnProblem *problem = &lattice.pile.problem;
    double *lambda = zeros(problem);
    ExactRun run = exact_run(&cairn_solver_psor, NULL, problem, 1, NULL, lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 120); // S1's
    assert_int_equal(run.traced, 120);
    assert_true(run.report.claimed > 0);
    // A budget that no sweep can keep ends after one; a generous one does not end it.
    run = exact_run(&cairn_solver_psor, "budget_ms=1e-9,tolerance=0", problem, 1, NULL, lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 1);
    run = exact_run(&cairn_solver_psor, "budget_ms=1e9,tolerance=0,iterations=30", problem, 1, NULL, lambda);
    assert_int_equal(run.report.iterations, 30);
    free(lambda);
    free_lattice(&lattice);
}

static void bad_input_is_refused_by_name(void **state) {
    (void)state;
    static const CairnPsorOptions good = {.iterations = 10, .omega = 1, .lambda = 1, .tolerance = 1e-9};
    TestProblem t;
    uint64_t seed = 180;
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    cairn_arena_init(&arena, &plain);
    CairnSolverContext context = {.allocator = &plain, .thread_count = 1, .arena = &arena};
    CairnSolveReport report;
    for (int k = 0; k < 3; k++) {
        static const double values[] = {0, 2, -1, 3, (double)NAN, (double)INFINITY};
        double lambda[PROBLEM_ROWS] = {0}, before[PROBLEM_ROWS] = {0};
        test_problem_begin(&t);
        int block = test_problem_body(&t, &seed, 1);
        test_problem_contact(&t, &seed, CAIRN_FRICTION_CONE, 1, 1, &block);
#define REFUSED(options_, part)                                                                                        \
    assert_refused(solvers[k]->solve(&t.problem, NULL, options_, &context, lambda, &report), CAIRN_INVALID_ARGUMENT,   \
                   part)
        for (int i = 0; i < 6; i++) {
            CairnPsorOptions omega = good, share = good;
            omega.omega = values[i];
            share.lambda = values[i];
            REFUSED(&omega, "omega");
            REFUSED(&share, "lambda"); // at most 1, above 0
            if (!(values[i] >= 0 && values[i] < 1e9)) {
                double kept = t.frictions[0].mu;
                t.frictions[0].mu = values[i];
                REFUSED(&good, "mu");
                t.frictions[0].mu = kept;
            }
        }
        CairnPsorOptions none = good, backwards = good, late = good;
        none.iterations = 0;
        REFUSED(&none, "iterations");
        backwards.tolerance = -1;
        REFUSED(&backwards, "tolerance");
        late.budget_ms = -1;
        REFUSED(&late, "budget_ms");
        assert_memory_equal(lambda, before, sizeof lambda);
        lambda[1] = (double)NAN;
        REFUSED(&good, "lambda[1]");
        lambda[1] = 0;
        t.P[0] = t.P[7] = t.P[14] = -1;
        assert_refused(solvers[k]->solve(&t.problem, NULL, NULL, &context, lambda, &report), CAIRN_INVALID_ARGUMENT,
                       "block 0");
    }
    cairn_arena_free(&arena);
}

static void without_memory_it_is_an_error(void **state) {
    (void)state;
    Lattice lattice;
    make_lattice(&lattice, 200, (LatticeKind){.side = 3, .size = 6, .friction = kinds[0]});
    TestProblem rows;
    uint64_t seed = 201;
    TestProblem form_2;
    test_problem_random(&rows, &seed, 12);
    test_problem_make_explicit(&rows, &form_2);
    const CairnProblem *problems[] = {&lattice.pile.problem, &rows.problem, &form_2.problem};
    for (int k = 0; k < 9; k++) {
        const CairnProblem *problem = problems[k % 3];
        double *lambda = zeros(problem), *before = zeros(problem);
        int refused = 0;
        for (int fail = 1; fail < 60; fail++) {
            SupportMemory memory = {.fail_from = fail};
            CairnAllocator allocator = support_allocator(&memory);
            CairnArena arena;
            CairnSolveReport report;
            cairn_arena_init(&arena, &allocator);
            CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena};
            CairnStatus status = solvers[k / 3]->solve(problem, NULL, NULL, &context, lambda, &report);
            cairn_arena_free(&arena);
            assert_memory_clean(&memory);
            if (cairn_is_ok(status)) {
                assert_int_equal(memory.refused, 0);
                break;
            }
            assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            assert_memory_equal(lambda, before, (size_t)problem->row_count * sizeof *lambda);
            refused++;
        }
        assert_true(refused > 0);
        free(lambda);
        free(before);
    }
    free_lattice(&lattice);
}

static BlockSubject psor_blocks = {
    .solver = &cairn_solver_psor,
    .options = {"iterations=50000,tolerance=1e-11", "iterations=50000,tolerance=1e-11,lambda=0.8"},
    .stiffest = 0.1};
static BlockSubject pssor_blocks = {
    .solver = &cairn_solver_pssor, .options = {"iterations=50000,tolerance=1e-11"}, .stiffest = 0.1};
static BlockSubject pj_blocks = {
    .solver = &cairn_solver_pj, .options = {"iterations=50000,tolerance=1e-11,omega=0.1"}, .stiffest = 0.1};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_visit_is_the_projection),
        cmocka_unit_test(lanes_agree_with_rows),
        cmocka_unit_test(objective_falls_monotonically),
        cmocka_unit_test(velocities_are_those_of_ipm_cone),
        cmocka_unit_test(rows_of_every_kind_are_solved),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_body_with_many_contacts_is_solved),
        cmocka_unit_test(warm_starts_are_taken_and_mended),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(without_memory_it_is_an_error),
        cmocka_unit_test_prestate(block_check_laws, &psor_blocks),
        cmocka_unit_test_prestate(block_check_laws, &pssor_blocks),
        cmocka_unit_test_prestate(block_check_laws, &pj_blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
