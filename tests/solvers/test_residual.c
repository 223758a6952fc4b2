// The referee: judged by dense algebra and by the definitions as docs/notation.md writes them, row by row.
#include "engine/base/memory.h"
#include "solvers/referee/referee.h"
#include "solvers/referee/residual.h"
#include "tests/support/problems.h"

#include <math.h>
#include <string.h>

typedef struct Dense {
    int n;
    double A[PROBLEM_ROWS * PROBLEM_ROWS], b[PROBLEM_ROWS], w[PROBLEM_ROWS];
} Dense;

static void evaluate(const CairnProblem *problem, const double *lambda, Dense *dense) {
    dense->n = problem->row_count;
    test_problem_dense(problem, dense->A, dense->b);
    for (int i = 0; i < dense->n; i++) {
        dense->w[i] = dense->b[i];
        for (int j = 0; j < dense->n; j++) {
            dense->w[i] += dense->A[i * dense->n + j] * lambda[j];
        }
    }
}

static CairnResidual judge(const CairnProblem *problem, const double *lambda) {
    CairnResidual residual;
    assert_ok(cairn_problem_check(problem));
    assert_ok(cairn_residual(problem, lambda, NULL, &residual));
    return residual;
}

// Shift d so that lambda has exactly the slack w: b = w - A lambda.
static void impose(TestProblem *t, const double *lambda, const double *w) {
    Dense dense;
    evaluate(&t->problem, lambda, &dense);
    for (int i = 0; i < dense.n; i++) {
        t->right_side[i] += w[i] - dense.w[i];
    }
}

// A complementary pair for the bounds of row i.
static void draw_pair(const TestProblem *t, uint64_t *seed, int i, double *lambda, double *w) {
    double lower = t->lower[i], upper = t->upper[i];
    int choice = support_int(seed, 0, 2);
    *w = 0;
    if (choice == 1 && !isinf(lower)) {
        *lambda = lower;
        *w = support_uniform(seed, 0, 2);
    } else if (choice == 2 && !isinf(upper)) {
        *lambda = upper;
        *w = -support_uniform(seed, 0, 2);
    } else {
        *lambda = support_uniform(seed, isinf(lower) ? fmin(upper, 2) - 2 : lower,
                                  isinf(upper) ? fmax(lower, -2) + 2 : upper);
    }
}

static void exact_answers_have_no_residual(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int draw = 0; draw < 300; draw++) {
        TestProblem t;
        double lambda[PROBLEM_ROWS], w[PROBLEM_ROWS];
        test_problem_random(&t, &seed, support_int(&seed, 1, 20));
        for (int i = 0; i < t.problem.row_count; i++) {
            draw_pair(&t, &seed, i, &lambda[i], &w[i]);
        }
        impose(&t, lambda, w);
        CairnResidual residual = judge(&t.problem, lambda);
        // Values up to about 100 pass through some hundred roundings.
        assert_below(residual.natural, 1e-12);
        assert_below(residual.scaled, 1e-12);
        assert_below(residual.fb, 1e-12);
        assert_below(residual.complementarity, 1e-12);
        assert_below(residual.bound, 0);
        assert_true(residual.is_certified);
        assert_near(residual.cone, 0, 0);
    }
}

// Any lambda: every field against its definition, written as the header writes it.
// The component of each row: the first row that A ties it to, by way of others.
static void find_components(const Dense *dense, int *component) {
    int n = dense->n;
    for (int i = 0; i < n; i++) {
        component[i] = i;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < n * n; i++) {
            int a = component[i / n], b = component[i % n];
            if (dense->A[i] != 0 && a != b) {
                component[i / n] = component[i % n] = a < b ? a : b;
                has_changed = true;
            }
        }
    }
}

static void fields_follow_their_definitions(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int draw = 0; draw < 300; draw++) {
        TestProblem t;
        Dense dense;
        double lambda[PROBLEM_ROWS], sum = 0, bound = 0, slack = 0, norm = 0, worst = 0, excess = -1;
        double scaled[PROBLEM_ROWS], limit[PROBLEM_ROWS] = {0}, own_limit = 0;
        int worst_row = 0, component[PROBLEM_ROWS];
        test_problem_random(&t, &seed, support_int(&seed, 1, 20));
        int n = t.problem.row_count;
        for (int i = 0; i < n; i++) {
            lambda[i] = support_uniform(&seed, -1.5, 1.5);
        }
        evaluate(&t.problem, lambda, &dense);
        find_components(&dense, component);
        for (int i = 0; i < n; i++) {
            double x = lambda[i], w = dense.w[i], D = dense.A[i * n + i], l = t.lower[i], u = t.upper[i];
            double natural = x - cairn_clamp(x - w, l, u), forced = D * fabs(cairn_clamp(0, l, u));
            scaled[i] = fabs(D * (x - cairn_clamp(x - w / D, l, u)));
            sum += natural * natural;
            bound = fmax(bound, fmax(l - x, x - u));
            slack = x > l && x < u ? fmax(slack, fabs(w)) : slack;
            limit[component[i]] = fmax(limit[component[i]], 1e-8 * fmax(fabs(dense.b[i]), forced));
            norm = fmax(norm, fabs(w) + D * fabs(x));
        }
        for (int i = 0; i < n; i++) {
            double ratio = scaled[i] / limit[component[i]];
            if (ratio > excess) {
                excess = ratio;
                worst_row = i;
                worst = scaled[i];
                own_limit = limit[component[i]];
            }
        }
        CairnResidual residual = judge(&t.problem, lambda);
        assert_near(residual.natural, sqrt(sum), 1e-12 * (1 + norm));
        assert_near(residual.scaled, worst, 1e-12 * (1 + norm));
        assert_near(residual.bound, bound, 1e-15);
        assert_near(residual.complementarity, slack, 1e-12 * (1 + norm));
        assert_near(residual.limit, own_limit, 1e-13); // and the rounding of the velocities
        assert_near(residual.excess, excess, 1e-3 * excess);
        assert_int_equal(residual.worst_row, worst_row);
        assert_int_equal(residual.is_certified, worst <= residual.limit);
        for (int c = 0; c < t.problem.constraint_count; c++) {
            CairnConstraintBlock constraint = t.constraints[c];
            bool is_mine = worst_row >= constraint.first_row && worst_row < constraint.first_row + constraint.row_count;
            assert_int_equal(residual.worst_id == constraint.id, is_mine);
        }
    }
}

// The referee takes dofs eight at a time: blocks below, at and above that, with joints, contacts and terms that meet
// one block twice.
static void blocks_of_any_size_are_evaluated(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 5, 6, 7, 8, 9, 15, 16, 17, 33, 40, 58, 63, 64};
    uint64_t seed = 29;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        TestProblem t;
        Dense dense;
        CairnArena arena;
        CairnAllocator plain = cairn_memory_default();
        double lambda[PROBLEM_ROWS], norm = 0;
        test_problem_begin(&t);
        const int own = test_problem_full_block(&t, &seed, sizes[i]), other = test_problem_body(&t, &seed, 2);
        test_problem_constraint(&t, &seed, 3, 2, (const int[]){own, other});
        test_problem_constraint(&t, &seed, 2, 3, (const int[]){own, own, own});
        test_problem_contact(&t, &seed, CAIRN_FRICTION_CONE, 3, 2, (const int[]){other, own});
        int n = t.problem.row_count;
        for (int r = 0; r < n; r++) {
            lambda[r] = support_uniform(&seed, -1.5, 1.5);
        }
        evaluate(&t.problem, lambda, &dense);
        for (int r = 0; r < n; r++) {
            norm = fmax(norm, dense.A[r * n + r]);
        }
        cairn_arena_init(&arena, &plain);
        Referee referee = {.problem = &t.problem, .lambda = lambda, .threads = 1};
        assert_ok(cairn_problem_check(&t.problem));
        assert_ok(cairn_referee_evaluate(&referee, &arena));
        for (int r = 0; r < n; r++) {
            assert_near(referee.b[r], dense.b[r], 1e-11 * norm);
            assert_near(referee.w[r], dense.w[r], 1e-11 * norm);
            assert_near(referee.D[r], dense.A[r * n + r], 1e-12 * norm);
        }
        int normal = t.frictions[0].normal;
        double block[3][3];
        for (int k = 0; k < 9; k++) {
            block[k / 3][k % 3] = dense.A[(normal + k / 3) * n + normal + k % 3];
        }
        assert_near(referee.norm[0], cairn_referee_block_norm(block), 1e-12 * norm);
        cairn_arena_free(&arena);
    }
}

// One row with A = 1, b = -1, lambda >= 0: scaled = |lambda - 1|, so the certificate ends at 1e-8.
static void certificate_ends_at_its_limit(void **state) {
    (void)state;
    static const struct {
        double off;
        bool is_certified;
    } cases[] = {{0, true},          {1.0000e-8, true},   {-1.0000e-8, true},
                 {1.0002e-8, false}, {-1.0002e-8, false}, {1e-3, false}};
    TestProblem t;
    uint64_t seed = 3;
    double one = 1;
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &one);
    test_problem_constraint(&t, &seed, 1, 1, &block);
    t.J[0] = 1;
    t.right_side[0] = -1;
    t.lower[0] = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double lambda = 1 + cases[i].off;
        CairnResidual residual = judge(&t.problem, &lambda);
        assert_near(residual.scaled, fabs(cases[i].off), 1e-15);
        assert_near(residual.natural, fabs(cases[i].off), 1e-15);
        assert_near(residual.limit, 1e-8, 1e-14);
        assert_int_equal(residual.is_certified, cases[i].is_certified);
    }
}

// Masses, impulses and bounds times s (kg for pounds): what is in m/s or a ratio stays.
static void velocities_do_not_depend_on_the_unit_of_mass(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        double lambda[PROBLEM_ROWS], s = 1024; // a power of two: scaling is exact
        test_problem_random(&t, &seed, 8);
        int block[2] = {0, 1};
        test_problem_contact(&t, &seed, (CairnFrictionKind)(draw % CAIRN_FRICTION_KIND_COUNT), 3, 2, block);
        for (int i = 0; i < t.problem.row_count; i++) {
            lambda[i] = support_uniform(&seed, -1, 1);
        }
        CairnResidual before = judge(&t.problem, lambda);
        for (int i = 0; i < t.P_size; i++) {
            t.P[i] *= s;
        }
        for (int i = 0; i < t.problem.dof_count; i++) {
            t.p[i] *= s;
        }
        for (int i = 0; i < t.problem.row_count; i++) {
            lambda[i] *= s;
            t.compliance[i] /= s;
            t.lower[i] *= s;
            t.upper[i] *= s;
        }
        CairnResidual after = judge(&t.problem, lambda);
        assert_near(after.scaled, before.scaled, 1e-12 * before.scaled);
        assert_near(after.fb, before.fb, 1e-12 * before.fb);
        assert_near(after.cone, before.cone, 1e-12 * before.cone);
        assert_near(after.convex, before.convex, 1e-12 * before.convex);
        assert_near(after.limit, before.limit, 1e-12 * before.limit);
        assert_near(after.bound, s * before.bound, 1e-12 * s * before.bound);
        assert_int_equal(after.worst_row, before.worst_row);
    }
}

// ---- Fischer-Burmeister ----

static void fischer_burmeister_agrees_with_its_formula(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int draw = 0; draw < 2000; draw++) {
        double D = support_uniform(&seed, 0.1, 3), l = support_uniform(&seed, -1, 0), u = support_uniform(&seed, 0, 1);
        double x = support_uniform(&seed, -1.5, 1.5), w = support_uniform(&seed, -1, 1);
        double a = D * (u - x), inner = a - w - sqrt(a * a + w * w), c = D * (x - l);
        assert_near(cairn_referee_fb_row(D, x, w, l, u), c - inner - sqrt(c * c + inner * inner), 1e-14);
        assert_near(cairn_referee_fb_row(D, x, w, l, (double)INFINITY), c + w - sqrt(c * c + w * w), 1e-14);
        assert_near(cairn_referee_fb_row(D, x, w, -(double)INFINITY, (double)INFINITY), w, 0);
        // It is a residual of the same size as the natural one: (2 - sqrt 2) |min| <= |phi| <= (2 + sqrt 2) |min|,
        // twice nested.
        double natural = fabs(cairn_clamp(w, D * (x - u), D * (x - l)));
        double phi = fabs(cairn_referee_fb_row(D, x, w, l, u));
        assert_true(phi >= 0.34 * natural && phi <= 11.7 * natural);
    }
}

// ---- friction ----

// The law's exact answers: apart, sticking, sliding. r and u of a contact with friction mu.
static void draw_contact(uint64_t *seed, CairnFrictionKind kind, double mu, double *r, double *u) {
    double angle = support_uniform(seed, -3, 3), slide = support_uniform(seed, 0.1, 2),
           share = support_uniform(seed, 0, 0.99);
    bool is_coulomb = kind == CAIRN_FRICTION_COULOMB;
    memset(r, 0, 3 * sizeof *r);
    memset(u, 0, 3 * sizeof *u);
    switch (support_int(seed, 0, 2)) {
    case 0: // apart: any tangential velocity (the convex law needs u_N >= mu |u_T| besides)
        u[1] = slide * cos(angle);
        u[2] = slide * sin(angle);
        u[0] = support_uniform(seed, 0, 2) + (is_coulomb ? 0 : mu * slide);
        return;
    case 1: // sticking
        r[0] = support_uniform(seed, 0.1, 2);
        r[1] = share * mu * r[0] * cos(angle);
        r[2] = share * mu * r[0] * sin(angle);
        return;
    default: // sliding against the impulse; the convex law lifts off at mu |u_T|
        r[0] = support_uniform(seed, 0.1, 2);
        r[1] = -mu * r[0] * cos(angle);
        r[2] = -mu * r[0] * sin(angle);
        u[0] = is_coulomb ? 0 : mu * slide;
        u[1] = slide * cos(angle);
        u[2] = slide * sin(angle);
    }
}

// Three bodies, a joint of three rows and some contacts of one kind.
static void build_contacts(TestProblem *t, uint64_t *seed, CairnFrictionKind kind, int contacts, int spin_rows,
                           bool has_joint) {
    test_problem_begin(t);
    for (int i = 0; i < 3; i++) {
        test_problem_body(t, seed, support_uniform(seed, 0.5, 2));
    }
    int block[3] = {0, 1, 2};
    for (int i = 0; i < contacts; i++) {
        test_problem_contact(t, seed, kind, spin_rows, support_int(seed, 1, 2), block + i % 2);
    }
    if (has_joint) {
        test_problem_constraint(t, seed, 3, 2, block + 1);
    }
    for (int i = 0; i < t->problem.row_count; i++) {
        t->compliance[i] = support_uniform(seed, 0, 0.1);
    }
    for (int i = 0; i < t->problem.dof_count; i++) {
        t->p[i] = support_uniform(seed, -1, 1);
    }
}

static void exact_friction_is_certified(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int draw = 0; draw < 400; draw++) {
        TestProblem t;
        CairnFrictionKind kind = draw % 2 ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_COULOMB;
        double lambda[PROBLEM_ROWS] = {0}, w[PROBLEM_ROWS] = {0};
        build_contacts(&t, &seed, kind, support_int(&seed, 1, 5), 0, draw % 4 < 2);
        for (int f = 0; f < t.problem.friction_count; f++) {
            draw_contact(&seed, kind, t.frictions[f].mu, lambda + t.frictions[f].normal, w + t.frictions[f].normal);
        }
        for (int i = 3 * t.problem.friction_count; i < t.problem.row_count; i++) {
            lambda[i] = support_uniform(&seed, -2, 2);
        }
        impose(&t, lambda, w);
        CairnResidual residual = judge(&t.problem, lambda);
        assert_below(kind == CAIRN_FRICTION_CONE ? residual.convex : residual.cone, 1e-13);
        assert_below(residual.natural, 1e-12);
        assert_below(residual.scaled, 1e-12);
        assert_below(residual.fb, 1e-6); // the square root of a rounding where the cone's apex or edge is met
        assert_below(residual.bound, 1e-15);
        assert_below(residual.complementarity, 1e-12);
        assert_true(residual.is_certified);
        // An impulse half as large somewhere is seen.
        int f = support_int(&seed, 0, t.problem.friction_count - 1);
        if (lambda[t.frictions[f].normal] > 0) {
            lambda[t.frictions[f].normal] *= 0.5;
            CairnResidual off = judge(&t.problem, lambda);
            assert_false(off.is_certified);
            assert_true(off.scaled > 1e-4 && off.natural > 1e-4 && off.fb > 1e-4);
        }
    }
}

// The nearest point of a cone, by its own conditions: p in K, x - p in the polar cone, p and x - p at right angles.
static void assert_projection(double mu, const double *x, const double *p) {
    double rest[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]}, size = 1e-14 * (1 + fabs(x[0]) + hypot(x[1], x[2]));
    assert_below(hypot(p[1], p[2]) - mu * p[0], size);
    assert_below(-p[0], size);
    assert_below(mu * hypot(rest[1], rest[2]) + rest[0], 4 * size);
    assert_near(p[0] * rest[0] + p[1] * rest[1] + p[2] * rest[2], 0, 4 * size * (1 + fabs(x[0])));
}

// The largest singular value of a 3x3 block by many steps of the power method.
static double norm_of_block(int n, const double *A, int at) {
    double x[3] = {1, 0.7, 0.4}, norm = 0;
    for (int step = 0; step < 3000; step++) {
        double y[3] = {0}, z[3] = {0};
        for (int i = 0; i < 9; i++) {
            y[i / 3] += A[(at + i / 3) * n + at + i % 3] * x[i % 3];
        }
        for (int i = 0; i < 9; i++) {
            z[i % 3] += A[(at + i / 3) * n + at + i % 3] * y[i / 3];
        }
        norm = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
        for (int i = 0; i < 3; i++) {
            x[i] = z[i] / norm;
        }
    }
    return sqrt(norm);
}

// vel_rel of ../shared/data, computed from the dense A; both forms of the problem, W made a little unsymmetric in the
// second.
static void cone_measure_follows_its_definition(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t, explicit_form;
        Dense dense;
        double lambda[PROBLEM_ROWS], sums[2] = {0, 0}, q = 0;
        build_contacts(&t, &seed, CAIRN_FRICTION_COULOMB, support_int(&seed, 1, 4), 0, false);
        test_problem_make_explicit(&t, &explicit_form);
        const CairnProblem *problem = draw % 2 ? &explicit_form.problem : &t.problem;
        for (int i = 0; draw % 2 && i < explicit_form.W_start[problem->row_count]; i++) {
            explicit_form.W[i] += support_uniform(&seed, -0.2, 0.2);
        }
        for (int i = 0; i < problem->row_count; i++) {
            lambda[i] = support_uniform(&seed, -1, 1);
        }
        evaluate(problem, lambda, &dense);
        Referee referee = {.problem = problem, .lambda = lambda, .w = dense.w};
        for (int f = 0; f < problem->friction_count; f++) {
            int at = problem->frictions[f].normal;
            double mu = problem->frictions[f].mu, rho = 1 / norm_of_block(dense.n, dense.A, at), map[3], x[3], p[3];
            for (int is_corrected = 0; is_corrected < 2; is_corrected++) {
                cairn_referee_cone_map(&referee, f, is_corrected, 1 / rho, map);
                for (int i = 0; i < 3; i++) {
                    double u =
                        dense.w[at + i] + (is_corrected && i == 0 ? mu * hypot(dense.w[at + 1], dense.w[at + 2]) : 0);
                    x[i] = (lambda[at + i] - rho * u) / rho;
                    p[i] = lambda[at + i] / rho - map[i];
                    sums[is_corrected] += map[i] * map[i];
                }
                assert_projection(mu, x, p);
            }
            q += dense.b[at] * dense.b[at] + dense.b[at + 1] * dense.b[at + 1] + dense.b[at + 2] * dense.b[at + 2];
        }
        CairnResidual residual = judge(problem, lambda);
        assert_near(residual.convex, sqrt(sums[0] / q), 1e-9 * residual.convex);
        assert_near(residual.cone, sqrt(sums[1] / q), 1e-9 * residual.cone);
    }
}

// A contact at rest that only a joint's impulse drives: q = 0, so what moves the joint is the scale.
static void contacts_driven_by_joints_have_their_scale(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 12;
    double lambda[4] = {0}, one = 1;
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &one);
    test_problem_contact(&t, &seed, CAIRN_FRICTION_COULOMB, 0, 1, &block);
    test_problem_constraint(&t, &seed, 1, 1, &block);
    const double J[4] = {1, 0, 0, 1}; // the normal and the joint push along the same dof
    memcpy(t.J, J, sizeof J);
    t.right_side[3] = 4; // the joint wants to go down at 4 m/s
    t.compliance[3] = 1;
    lambda[3] = -4; // w_3 = (lambda_0 + lambda_3) + lambda_3 + 4 = 0 and w_0 = lambda_0 + lambda_3 = 0
    lambda[0] = 4;
    assert_true(judge(&t.problem, lambda).is_certified);
    lambda[0] += 0.5; // natural map of the normal row: min(r_N ||A_cc||, u_N) = 0.5
    CairnResidual residual = judge(&t.problem, lambda);
    assert_near(residual.cone, 0.5 / 4, 1e-15);
    assert_false(residual.is_certified);
    t.right_side[3] = 0; // nothing moves at all: absolute
    lambda[0] = 0.5;
    lambda[3] = 0;
    assert_near(judge(&t.problem, lambda).cone, 0.5, 1e-15);
}

// BOX_CURRENT: the bounds come from lambda's own normal impulse, whatever l and u say; a cone's spin rows likewise.
static void current_bounds_come_from_the_normal_impulse(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int draw = 0; draw < 200; draw++) {
        TestProblem t;
        double lambda[PROBLEM_ROWS] = {0}, w[PROBLEM_ROWS] = {0};
        CairnFrictionKind kind = draw % 2 ? CAIRN_FRICTION_BOX_CURRENT : CAIRN_FRICTION_COULOMB;
        build_contacts(&t, &seed, kind, 2, draw % 3 == 0 ? 1 : 3, false);
        for (int f = 0; f < 2; f++) {
            const CairnFriction *friction = &t.frictions[f];
            double *r = lambda + friction->normal, *u = w + friction->normal;
            r[0] = support_uniform(&seed, 0.5, 2); // sticking in the plane; the spin rows slip
            for (int k = 3; k < 3 + friction->spin_rows; k++) {
                r[k] = (k == 3 ? friction->torsion : friction->rolling) * r[0];
                u[k] = -1;
            }
        }
        impose(&t, lambda, w);
        CairnResidual residual = judge(&t.problem, lambda);
        assert_below(residual.scaled, 1e-12);
        assert_below(residual.bound, 0);
        assert_true(residual.is_certified);
        lambda[3] *= 1.01; // one percent beyond its bound
        residual = judge(&t.problem, lambda);
        assert_near(residual.bound, 0.01 / 1.01 * lambda[3], 1e-14);
        assert_false(residual.is_certified);
        t.frictions[0].kind = t.frictions[1].kind =
            CAIRN_FRICTION_BOX; // now the bounds that stand in the problem count
        residual = judge(&t.problem, lambda);
        double bound = 0;
        for (int i = 0; i < t.problem.row_count; i++) {
            bound = fmax(bound, fmax(t.lower[i] - lambda[i], lambda[i] - t.upper[i]));
        }
        assert_near(residual.bound, bound, 1e-15);
    }
}

// ---- rows that nothing moves, empty problems, bad input ----

static void rows_without_weight_use_unit_weight(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 9;
    double one = 1, lambda = 0.25;
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &one);
    test_problem_constraint(&t, &seed, 1, 1, &block);
    t.J[0] = 0;
    t.right_side[0] = 0.5;
    t.lower[0] = 0;
    assert_near(judge(&t.problem, &lambda).scaled, 0.25, 1e-16);
    lambda = 0;
    assert_near(judge(&t.problem, &lambda).scaled, 0, 0);
    t.lower[0] = -(double)INFINITY;
    assert_near(judge(&t.problem, &lambda).scaled, 0.5, 0);
}

static void empty_problem_is_certified(void **state) {
    (void)state;
    TestProblem t;
    test_problem_begin(&t);
    CairnResidual residual = judge(&t.problem, NULL);
    assert_int_equal(residual.worst_row, -1);
    assert_near(residual.limit, 0, 1e-290);
    assert_true(residual.is_certified);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 10;
    double lambda[PROBLEM_ROWS] = {0};
    CairnResidual residual = {.scaled = 7};
    test_problem_random(&t, &seed, 6);
    assert_refused(cairn_residual(NULL, lambda, NULL, &residual), CAIRN_INVALID_ARGUMENT, "NULL");
    assert_refused(cairn_residual(&t.problem, NULL, NULL, &residual), CAIRN_INVALID_ARGUMENT, "NULL");
    lambda[4] = (double)NAN;
    assert_refused(cairn_residual(&t.problem, lambda, NULL, &residual), CAIRN_NUMERIC, "lambda[4]");
    lambda[4] = 0;
    t.P[0] = -1;
    assert_refused(cairn_residual(&t.problem, lambda, NULL, &residual), CAIRN_NUMERIC, "block 0");
    t.P[0] = 1e3;
    t.problem.coupling_count = 1;
    assert_refused(cairn_residual(&t.problem, lambda, NULL, &residual), CAIRN_UNSUPPORTED, "coupling_count = 1");
    t.problem.coupling_count = 0;
    t.right_side[2] = 1e308;
    t.compliance[2] = 1e308;
    lambda[2] = 1e10;
    assert_refused(cairn_residual(&t.problem, lambda, NULL, &residual), CAIRN_NUMERIC, "row 2");
    assert_near(residual.scaled, 7, 0);
}

static void memory_is_given_back_and_kept(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 11;
    double lambda[PROBLEM_ROWS] = {0};
    CairnResidual residual;
    build_contacts(&t, &seed, CAIRN_FRICTION_COULOMB, 4, 3, true);
    for (int fail = 1; fail < 20; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        CairnStatus status = cairn_residual(&t.problem, lambda, &allocator, &residual);
        assert_true(cairn_is_ok(status) == (memory.refused == 0));
        assert_true(cairn_is_ok(status) || status.code == CAIRN_OUT_OF_MEMORY);
        assert_memory_clean(&memory);
    }
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    assert_ok(cairn_residual_in(&t.problem, lambda, &arena, &residual));
    assert_int_equal(arena.used, 0);
    cairn_arena_reset(&arena);
    int calls = memory.calls;
    for (int i = 0; i < 5; i++) {
        assert_ok(cairn_residual_in(&t.problem, lambda, &arena, &residual));
        cairn_arena_reset(&arena);
    }
    assert_int_equal(memory.calls, calls);
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_answers_have_no_residual),
        cmocka_unit_test(fields_follow_their_definitions),
        cmocka_unit_test(blocks_of_any_size_are_evaluated),
        cmocka_unit_test(certificate_ends_at_its_limit),
        cmocka_unit_test(velocities_do_not_depend_on_the_unit_of_mass),
        cmocka_unit_test(fischer_burmeister_agrees_with_its_formula),
        cmocka_unit_test(exact_friction_is_certified),
        cmocka_unit_test(cone_measure_follows_its_definition),
        cmocka_unit_test(contacts_driven_by_joints_have_their_scale),
        cmocka_unit_test(current_bounds_come_from_the_normal_impulse),
        cmocka_unit_test(rows_without_weight_use_unit_weight),
        cmocka_unit_test(empty_problem_is_certified),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(memory_is_given_back_and_kept),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
