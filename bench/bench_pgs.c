// pgs and its neighbours on a pile-like problem: rigid bodies in a cubic lattice, a contact of three rows between
// neighbours and to the ground. Times are per row (and sweep).
#include "bench/bench.h"

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/referee/residual.h"
#include "solvers/sweeps/pgs.h"
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>

enum { SMALL_SIDE = 7, LARGE_SIDE = 40, SWEEPS = 50 };

typedef struct Pile {
    CairnProblem problem;
    CairnDofBlock *blocks;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    CairnFriction *frictions;
    double *P, *p, *J, *compliance, *d, *lower, *upper, *lambda, *v;
} Pile;

typedef struct State {
    CairnAllocator allocator;
    CairnArena arena;
    Pile small, large;
} State;

static void free_pile(Pile *pile) {
    void *arrays[] = {pile->blocks,     pile->constraints, pile->terms, pile->frictions, pile->P,      pile->p, pile->J,
                      pile->compliance, pile->d,           pile->lower, pile->upper,     pile->lambda, pile->v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        free(arrays[i]);
    }
}

static bool make_arrays(Pile *pile, int side) {
    size_t n = (size_t)side, bodies = n * n * n, contacts = 3 * bodies, rows = 3 * contacts;
    pile->blocks = calloc(bodies, sizeof *pile->blocks);
    pile->P = calloc(36 * bodies, sizeof *pile->P);
    pile->p = calloc(6 * bodies, sizeof *pile->p);
    pile->v = calloc(6 * bodies, sizeof *pile->v);
    pile->constraints = calloc(contacts, sizeof *pile->constraints);
    pile->terms = calloc(2 * contacts, sizeof *pile->terms);
    pile->frictions = calloc(contacts, sizeof *pile->frictions);
    pile->J = calloc(36 * contacts, sizeof *pile->J);
    pile->compliance = calloc(rows, sizeof *pile->compliance);
    pile->d = calloc(rows, sizeof *pile->d);
    pile->lower = calloc(rows, sizeof *pile->lower);
    pile->upper = calloc(rows, sizeof *pile->upper);
    pile->lambda = calloc(rows, sizeof *pile->lambda);
    return pile->blocks && pile->P && pile->p && pile->v && pile->constraints && pile->terms && pile->frictions &&
           pile->J && pile->compliance && pile->d && pile->lower && pile->upper && pile->lambda;
}

// Three rows at the arm `arm` from the centre; `sign` -1 for the lower body.
static void fill_jacobian(double *J, double sign, const double arm[3]) {
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 3; i++) {
        const double *n = axes[i];
        double row[6] = {n[0],
                         n[1],
                         n[2],
                         arm[1] * n[2] - arm[2] * n[1],
                         arm[2] * n[0] - arm[0] * n[2],
                         arm[0] * n[1] - arm[1] * n[0]};
        for (int k = 0; k < 6; k++) {
            J[6 * i + k] = sign * row[k];
        }
    }
}

static void add_contact(Pile *pile, int upper_body, int lower_body, const double arm[3]) {
    CairnProblem *problem = &pile->problem;
    int c = problem->constraint_count++, row = problem->row_count, first = problem->term_count;
    problem->row_count += 3;
    fill_jacobian(pile->J + 18 * problem->term_count, 1, arm);
    pile->terms[problem->term_count] = (CairnTerm){upper_body, 18 * problem->term_count};
    problem->term_count++;
    if (lower_body >= 0) {
        const double opposite[3] = {-arm[0], -arm[1], -arm[2]};
        fill_jacobian(pile->J + 18 * problem->term_count, -1, opposite);
        pile->terms[problem->term_count] = (CairnTerm){lower_body, 18 * problem->term_count};
        problem->term_count++;
    }
    pile->constraints[c] = (CairnConstraintBlock){row, 3, first, problem->term_count - first, c, (uint64_t)c};
    pile->frictions[c] =
        (CairnFriction){.kind = CAIRN_FRICTION_BOX, .constraint = c, .normal = row, .mu = 0.5, .frozen = 0.2};
    problem->friction_count++;
    for (int i = row; i < row + 3; i++) {
        pile->compliance[i] = i == row ? 1e-8 : 1e-10;
        pile->lower[i] = i == row ? 0 : -0.1;
        pile->upper[i] = i == row ? (double)INFINITY : 0.1;
    }
}

static bool make_pile(Pile *pile, int side) {
    if (!make_arrays(pile, side)) {
        return false;
    }
    int bodies = side * side * side;
    pile->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS,
                                   .step = 0.01,
                                   .block_count = bodies,
                                   .dof_count = 6 * bodies,
                                   .blocks = pile->blocks,
                                   .P = pile->P,
                                   .p = pile->p,
                                   .constraints = pile->constraints,
                                   .terms = pile->terms,
                                   .frictions = pile->frictions,
                                   .J = pile->J,
                                   .compliance = pile->compliance,
                                   .right_side = pile->d,
                                   .lower = pile->lower,
                                   .upper = pile->upper};
    for (int i = 0; i < bodies; i++) {
        double mass = 1 + 0.1 * (i % 7);
        pile->blocks[i] = (CairnDofBlock){6 * i, 6, 36 * i, -1, mass, (uint64_t)i};
        for (int k = 0; k < 6; k++) {
            pile->P[36 * i + 7 * k] = k < 3 ? mass : 0.1 * mass;
        }
        pile->p[6 * i + 2] = -0.0981 * mass;
    }
    for (int i = 0; i < bodies; i++) {
        int x = i % side, z = i / (side * side);
        const double below[3] = {0.05 * (x % 3), 0.1, -0.5}, beside[3] = {-0.5, 0.1, -0.2},
                     behind[3] = {0.1, -0.5, -0.1};
        add_contact(pile, i, z > 0 ? i - side * side : -1, below);
        if (x > 0) {
            add_contact(pile, i, i - 1, beside);
        }
        if (i / side % side > 0) {
            add_contact(pile, i, i - side, behind);
        }
    }
    return true;
}

static void close_state(void *state) {
    State *s = state;
    cairn_arena_free(&s->arena);
    free_pile(&s->small);
    free_pile(&s->large);
    free(s);
}

static void *open_state(void) {
    State *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->allocator = cairn_memory_default();
    cairn_arena_init(&s->arena, &s->allocator);
    if (!make_pile(&s->small, SMALL_SIDE) || !make_pile(&s->large, LARGE_SIDE)) {
        close_state(s);
        return NULL;
    }
    return s;
}

static double solve(State *s, Pile *pile, int sweeps, int count) {
    CairnPgsOptions options = {.iterations = sweeps, .tolerance = 0, .omega = 1};
    CairnSolveRequest request = {.solver = &cairn_solver_pgs, .options = &options, .arena = &s->arena};
    double sum = 0;
    for (int n = 0; n < count; n++) {
        CairnSolveResult result;
        for (int i = 0; i < pile->problem.row_count; i++) {
            pile->lambda[i] = 0;
        }
        (void)cairn_problem_solve(&pile->problem, &request, pile->lambda, &result);
        sum += result.report.claimed + result.report.iterations;
        cairn_arena_reset(&s->arena);
    }
    return sum;
}

static double sweep_small(void *state, int count) {
    State *s = state;
    return solve(s, &s->small, SWEEPS, count);
}

static double sweep_large(void *state, int count) {
    State *s = state;
    return solve(s, &s->large, SWEEPS, count);
}

static double pack_large(void *state, int count) {
    State *s = state;
    return solve(s, &s->large, 1, count);
}

static double referee(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        CairnResidual residual = {0};
        (void)cairn_residual_in(&s->large.problem, s->large.lambda, &s->arena, &residual);
        sum += residual.scaled;
        cairn_arena_reset(&s->arena);
    }
    return sum;
}

static double velocities(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        CairnOps ops;
        if (cairn_is_ok(cairn_ops_init(&ops, &s->large.problem, &s->arena))) {
            cairn_ops_velocity(&ops, NULL, s->large.v);
        }
        sum += s->large.v[2];
        cairn_arena_reset(&s->arena);
    }
    return sum;
}

static double check(void *state, int count) {
    State *s = state;
    double sum = 0;
    for (int n = 0; n < count; n++) {
        sum += (int)cairn_problem_check(&s->large.problem).code;
    }
    return sum;
}

// Rows of a lattice of the given side: one contact below every body and one to each of its left and front neighbours.
#define ROWS(side) (3.0 * (3.0 * (side) * (side) * (side)-2.0 * (side) * (side)))
#define BODIES(side) ((double)(side) * (side) * (side))

static const BenchCase cases[] = {
    {.name = "pgs sweep, 2,793 rows, per row", .run = sweep_small, .items = ROWS(SMALL_SIDE) * SWEEPS},
    {.name = "pgs sweep, 566,400 rows, per row",
     .baseline = "pgs sweep, 2,793 rows, per row",
     .run = sweep_large,
     .items = ROWS(LARGE_SIDE) * SWEEPS},
    {.name = "pgs pack and one sweep, per row", .run = pack_large, .items = ROWS(LARGE_SIDE)},
    {.name = "referee, per row", .run = referee, .items = ROWS(LARGE_SIDE)},
    {.name = "factor P and v = P^-1 p, per body", .run = velocities, .items = BODIES(LARGE_SIDE)},
    {.name = "problem check, per row", .run = check, .items = ROWS(LARGE_SIDE)},
};

const BenchSuite bench_pgs = {
    .name = "pgs",
    .summary = "Gauss-Seidel sweeps, the referee and the products of a problem",
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .open = open_state,
    .close = close_state,
};
