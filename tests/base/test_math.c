// Vectors, quaternions, matrices, inertia and 6-vectors, as properties of many random draws. EPS is one unit in the
// last place of 1: a bound of k EPS says how many roundings may add up.
#include "engine/base/mat3.h"
#include "engine/base/vec6.h"
#include "tests/support/support.h"

#include <cairn/scene.h>
#include <float.h>

enum { DRAWS = 5000 };
#define EPS DBL_EPSILON

static CairnVec3 column(CairnMat3 a, int j) {
    return (CairnVec3){a.m[0][j], a.m[1][j], a.m[2][j]};
}

// ---- vectors ----

static void vectors_obey_their_identities(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec3 a = support_vec3(&seed, -3, 3), b = support_vec3(&seed, -3, 3), c = support_vec3(&seed, -3, 3);
        CairnVec3 n = cairn_cross(a, b);
        assert_near(cairn_dot(n, a), 0, 60 * EPS);
        // Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
        double lengths = cairn_length_squared(a) * cairn_length_squared(b);
        assert_near(cairn_length_squared(n) + cairn_dot(a, b) * cairn_dot(a, b), lengths, 16 * EPS * lengths);
        // a x (b x c) = b (a.c) - c (a.b)
        CairnVec3 left = cairn_cross(a, cairn_cross(b, c));
        CairnVec3 right = cairn_sub(cairn_scale(cairn_dot(a, c), b), cairn_scale(cairn_dot(a, b), c));
        assert_vec3_near(left, right, 300 * EPS);
        assert_vec3_near(cairn_add_scaled(a, -2.5, b), cairn_sub(a, cairn_scale(2.5, b)), 0);
    }
}

static void normalizing_a_short_vector_takes_the_fallback(void **state) {
    (void)state;
    CairnVec3 fallback = {0, 1, 0};
    assert_vec3_near(cairn_normalize_or((CairnVec3){0, 0, 0}, fallback), fallback, 0);
    assert_vec3_near(cairn_normalize((CairnVec3){0, 0, 0}), ((CairnVec3){0, 0, 1}), 0);
    assert_vec3_near(cairn_normalize_or((CairnVec3){3e-140, 0, 4e-140}, fallback), ((CairnVec3){0.6, 0, 0.8}), 2 * EPS);
    assert_false(cairn_vec3_is_finite((CairnVec3){0, (double)NAN, 0}));
    assert_false(cairn_vec3_is_finite((CairnVec3){(double)INFINITY, 0, 0}));
    assert_true(cairn_vec3_is_finite((CairnVec3){1, 2, 3}));
    assert_near(cairn_min(3, -4), -4, 0);
    assert_near(cairn_max(3, -4), 3, 0);
    assert_near(cairn_min(3, (double)NAN), 3, 0); // what was found so far stays
    assert_near(cairn_max(3, (double)NAN), 3, 0);
    assert_near(cairn_clamp(5, -1, 2), 2, 0);
    assert_near(cairn_clamp(-5, -1, 2), -1, 0);
    assert_near(cairn_clamp(0.5, -1, 2), 0.5, 0);
}

static void check_tangents(CairnVec3 n) {
    CairnVec3 t1, t2;
    cairn_tangents(n, &t1, &t2);
    assert_near(cairn_length(t1), 1, 4 * EPS);
    assert_near(cairn_length(t2), 1, 4 * EPS);
    assert_near(cairn_dot(t1, t2), 0, 4 * EPS);
    assert_near(cairn_dot(t1, n), 0, 4 * EPS);
    assert_near(cairn_dot(t2, n), 0, 4 * EPS);
    assert_vec3_near(cairn_cross(t1, t2), n, 6 * EPS);
}

static void tangents_make_a_right_handed_frame(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < DRAWS; i++) {
        check_tangents(support_unit(&seed));
        // Close to -z, where the construction turns over, and to the equator, where the sign changes.
        CairnVec3 near_axis = {support_uniform(&seed, -1e-9, 1e-9), support_uniform(&seed, -1e-9, 1e-9), -1};
        check_tangents(cairn_normalize(near_axis));
        double angle = support_uniform(&seed, 0, 2 * CAIRN_PI);
        check_tangents(cairn_normalize((CairnVec3){cos(angle), sin(angle), support_uniform(&seed, -1e-16, 1e-16)}));
    }
    const CairnVec3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0, -0.0}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        check_tangents(axes[i]);
    }
}

// ---- quaternions ----

static void exp_and_log_are_inverse(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < DRAWS; i++) {
        // All magnitudes from 1e-12 to pi: the series and the closed form, and where they meet.
        double angle = CAIRN_PI * pow(10, support_uniform(&seed, -12, 0));
        CairnVec3 v = cairn_scale(angle, support_unit(&seed));
        CairnQuat q = cairn_quat_exp(v);
        assert_near(cairn_quat_length_squared(q), 1, 6 * EPS);
        assert_vec3_near(cairn_quat_log(q), v, 8 * EPS * angle);
        CairnQuat r = support_quat(&seed);
        assert_quat_near(cairn_quat_exp(cairn_quat_log(r)), r, 8 * EPS);
        assert_below(cairn_length(cairn_quat_log(r)), CAIRN_PI + 4 * EPS);
    }
    assert_vec3_near(cairn_quat_log(cairn_quat_exp((CairnVec3){0, 0, 0})), ((CairnVec3){0, 0, 0}), 0);
    // More than half a turn comes back the shorter way.
    assert_vec3_near(cairn_quat_log(cairn_quat_exp((CairnVec3){4, 0, 0})), ((CairnVec3){4 - 2 * CAIRN_PI, 0, 0}),
                     8 * EPS);
}

// Series and closed form, also where they meet at half a radian, against long double.
static void exp_is_exact_to_rounding(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < DRAWS; i++) {
        double angle = i < DRAWS / 2 ? support_uniform(&seed, 0.45, 0.55) : pow(10, support_uniform(&seed, -9, 0));
        CairnQuat q = cairn_quat_exp((CairnVec3){0, angle, 0});
        assert_near(q.w, (double)cosl(0.5L * (long double)angle), EPS);
        double exact = (double)sinl(0.5L * (long double)angle);
        assert_near(q.y, exact, 2 * EPS * exact);
    }
}

static void rotation_agrees_with_its_matrix(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < DRAWS; i++) {
        CairnQuat q = support_quat(&seed), r = support_quat(&seed);
        CairnVec3 v = support_vec3(&seed, -1, 1);
        CairnMat3 m = cairn_mat3_of_quat(q);
        assert_vec3_near(cairn_rotate(q, v), cairn_mat3_mul(m, v), 10 * EPS);
        assert_vec3_near(cairn_unrotate(q, v), cairn_mat3_transpose_mul(m, v), 10 * EPS);
        assert_vec3_near(cairn_rotate(cairn_quat_mul(q, r), v), cairn_rotate(q, cairn_rotate(r, v)), 16 * EPS);
        assert_mat3_near(cairn_mat3_product(m, cairn_mat3_transpose(m)), cairn_mat3_diagonal(1, 1, 1), 10 * EPS);
        assert_near(cairn_mat3_determinant(m), 1, 20 * EPS);
        assert_vec3_near(cairn_unrotate(q, cairn_rotate(q, v)), v, 20 * EPS);
    }
    // A quarter turn about z takes x to y: the sign convention.
    CairnQuat quarter = cairn_quat_axis_angle((CairnVec3){0, 0, 1}, 0.5 * CAIRN_PI);
    assert_vec3_near(cairn_rotate(quarter, (CairnVec3){1, 0, 0}), ((CairnVec3){0, 1, 0}), 2 * EPS);
}

static void a_rotation_matrix_gives_its_quaternion_back(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (int i = 0; i < DRAWS; i++) {
        CairnQuat q = support_quat(&seed);
        assert_quat_near(cairn_quat_of_mat3(cairn_mat3_of_quat(q)), q, 8 * EPS);
        // Half turns and what is close to them, where w says nothing.
        double off = pow(10, support_uniform(&seed, -16, -3));
        q = cairn_quat_axis_angle(support_unit(&seed), CAIRN_PI - off);
        assert_quat_near(cairn_quat_of_mat3(cairn_mat3_of_quat(q)), q, 8 * EPS);
    }
    const CairnQuat turns[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0.5, -0.5, 0.5, -0.5}};
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        assert_quat_near(cairn_quat_of_mat3(cairn_mat3_of_quat(turns[i])), turns[i], 0);
    }
}

static void rotation_keeps_length(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec3 v = cairn_scale(pow(10, support_uniform(&seed, -9, 9)), support_unit(&seed));
        double length = cairn_length(v);
        assert_near(cairn_length(cairn_rotate(support_quat(&seed), v)), length, 2e-15 * length);
    }
}

static void axis_angle_is_the_exponential(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec3 axis = support_unit(&seed);
        double angle = support_uniform(&seed, -6, 6);
        assert_quat_near(cairn_quat_axis_angle(axis, angle), cairn_quat_exp(cairn_scale(angle, axis)), 6 * EPS);
    }
}

static void between_takes_one_vector_to_the_other(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec3 a = support_unit(&seed), b = support_unit(&seed);
        CairnQuat q = cairn_quat_between(a, b);
        assert_near(cairn_quat_length_squared(q), 1, 6 * EPS);
        assert_vec3_near(cairn_rotate(q, a), b, 10 * EPS);
        // The shortest way: the axis is perpendicular to both.
        assert_near(cairn_dot((CairnVec3){q.x, q.y, q.z}, a), 0, 6 * EPS);
        // Nearly the same and nearly opposite, at all distances.
        CairnVec3 off = cairn_scale(pow(10, support_uniform(&seed, -17, -1)), support_unit(&seed));
        CairnVec3 close = cairn_normalize(cairn_add(a, off)), opposite = cairn_neg(close);
        assert_vec3_near(cairn_rotate(cairn_quat_between(a, close), a), close, 10 * EPS);
        assert_vec3_near(cairn_rotate(cairn_quat_between(a, opposite), a), opposite, 16 * EPS);
    }
    const CairnVec3 z = {0, 0, 1};
    assert_vec3_near(cairn_rotate(cairn_quat_between(z, cairn_neg(z)), z), cairn_neg(z), 2 * EPS);
    assert_quat_near(cairn_quat_between(z, z), cairn_quat_identity(), 0);
}

static void unit_test_of_quaternions_refuses_others(void **state) {
    (void)state;
    assert_true(cairn_quat_is_unit(cairn_quat_identity()));
    assert_true(cairn_quat_is_unit((CairnQuat){1 + 4e-7, 0, 0, 0}));
    assert_false(cairn_quat_is_unit((CairnQuat){1 + 6e-7, 0, 0, 0}));
    assert_false(cairn_quat_is_unit((CairnQuat){0, 0, 0, 0}));
    assert_false(cairn_quat_is_unit((CairnQuat){(double)NAN, 0, 0, 0}));
}

// ---- transforms ----

static void transforms_compose_and_invert(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < DRAWS; i++) {
        CairnTransform a = support_transform(&seed, 2), b = support_transform(&seed, 2);
        CairnVec3 v = support_vec3(&seed, -2, 2);
        assert_vec3_near(cairn_untransform_point(a, cairn_transform_point(a, v)), v, 40 * EPS);
        assert_vec3_near(cairn_transform_point(cairn_transform_inverse(a), cairn_transform_point(a, v)), v, 40 * EPS);
        CairnVec3 twice = cairn_transform_point(a, cairn_transform_point(b, v));
        assert_vec3_near(cairn_transform_point(cairn_transform_mul(a, b), v), twice, 60 * EPS);
        CairnTransform nothing = cairn_transform_mul(a, cairn_transform_inverse(a));
        assert_vec3_near(nothing.p, ((CairnVec3){0, 0, 0}), 40 * EPS);
        assert_quat_near(nothing.q, cairn_quat_identity(), 4 * EPS);
    }
}

// ---- matrices ----

static void products_and_transposes_agree(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec3 u = support_vec3(&seed, -1, 1), v = support_vec3(&seed, -1, 1), w = support_vec3(&seed, -1, 1);
        CairnMat3 a = cairn_mat3_sum(cairn_mat3_outer(u, v), cairn_mat3_skew(w));
        CairnMat3 b = cairn_mat3_of_quat(support_quat(&seed));
        assert_vec3_near(cairn_mat3_mul(cairn_mat3_product(a, b), v), cairn_mat3_mul(a, cairn_mat3_mul(b, v)),
                         20 * EPS);
        CairnMat3 left = cairn_mat3_transpose(cairn_mat3_product(a, b));
        assert_mat3_near(left, cairn_mat3_product(cairn_mat3_transpose(b), cairn_mat3_transpose(a)), 10 * EPS);
        assert_vec3_near(cairn_mat3_transpose_mul(a, u), cairn_mat3_mul(cairn_mat3_transpose(a), u), 0);
        assert_vec3_near(cairn_mat3_mul(cairn_mat3_skew(w), v), cairn_cross(w, v), 0);
        assert_vec3_near(cairn_mat3_mul(cairn_mat3_outer(u, v), w), cairn_scale(cairn_dot(v, w), u), 10 * EPS);
        assert_mat3_near(cairn_mat3_scaled(2, a), cairn_mat3_sum(a, a), 0);
    }
}

static void inverse_undoes(void **state) {
    (void)state;
    uint64_t seed = 10;
    for (int i = 0; i < DRAWS; i++) {
        // Singular values between 1 and 100, at scales up to both ends of the range of a double.
        double scale = pow(10, support_uniform(&seed, -290, 290));
        double s1 = pow(10, support_uniform(&seed, 0, 2)), s2 = pow(10, support_uniform(&seed, 0, 2));
        CairnMat3 left = cairn_mat3_of_quat(support_quat(&seed)), right = cairn_mat3_of_quat(support_quat(&seed));
        CairnMat3 a = cairn_mat3_product(left, cairn_mat3_product(cairn_mat3_diagonal(1, s1, s2), right));
        CairnMat3 inverse;
        assert_true(cairn_mat3_inverse(cairn_mat3_scaled(scale, a), &inverse));
        // |A^-1| = 1: the error is about EPS cond(A)^2 for the adjugate, relative to 1.
        double condition = fmax(fmax(s1, s2), 1);
        CairnMat3 unit = cairn_mat3_product(cairn_mat3_scaled(scale, inverse), a);
        assert_mat3_near(unit, cairn_mat3_diagonal(1, 1, 1), 20 * EPS * condition * condition);
    }
}

static void inverse_knows_singular_from_badly_scaled(void **state) {
    (void)state;
    uint64_t seed = 11;
    CairnMat3 inverse = cairn_mat3_diagonal(7, 7, 7);
    for (int i = 0; i < DRAWS; i++) {
        CairnMat3 rank_two = cairn_mat3_sum(cairn_mat3_outer(support_unit(&seed), support_unit(&seed)),
                                            cairn_mat3_outer(support_unit(&seed), support_unit(&seed)));
        double scale = pow(10, support_uniform(&seed, -250, 250));
        assert_false(cairn_mat3_inverse(cairn_mat3_scaled(scale, rank_two), &inverse));
    }
    assert_false(cairn_mat3_inverse(cairn_mat3_diagonal(0, 0, 0), &inverse));
    assert_false(cairn_mat3_inverse(cairn_mat3_diagonal(1, (double)NAN, 1), &inverse));
    assert_false(cairn_mat3_inverse(cairn_mat3_diagonal(1, (double)INFINITY, 1), &inverse));
    assert_mat3_near(inverse, cairn_mat3_diagonal(7, 7, 7), 0); // untouched
    assert_true(cairn_mat3_inverse(cairn_mat3_diagonal(1e-9, 1, 1e9), &inverse));
    assert_near(inverse.m[0][0], 1e9, 1e9 * 4 * EPS);
    assert_near(inverse.m[2][2], 1e-9, 1e-9 * 4 * EPS);
}

static void positive_definite_is_seen(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < DRAWS; i++) {
        double s1 = pow(10, support_uniform(&seed, -3, 3)), s2 = pow(10, support_uniform(&seed, -3, 3));
        CairnMat3 a = cairn_mat3_rotate(support_quat(&seed), cairn_mat3_diagonal(1, s1, s2));
        assert_true(cairn_mat3_is_positive_definite(a));
    }
}

static void what_is_not_positive_definite_is_seen(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < DRAWS; i++) {
        CairnQuat q = support_quat(&seed);
        double small = -pow(10, support_uniform(&seed, -12, 0));
        CairnMat3 indefinite = cairn_mat3_rotate(q, cairn_mat3_diagonal(1, 2, small));
        assert_false(cairn_mat3_is_positive_definite(indefinite));
    }
    int refused = 0;
    for (int i = 0; i < DRAWS; i++) { // singular but for rounding, whichever sign that gave the last pivot
        CairnMat3 flat = cairn_mat3_rotate(support_quat(&seed), cairn_mat3_diagonal(0, 1, 1));
        refused += !cairn_mat3_is_positive_definite(flat);
    }
    assert_true(refused > DRAWS * 95 / 100); // 57 % without the margin
    assert_false(cairn_mat3_is_positive_definite(cairn_mat3_diagonal(0, 1, 1)));
    assert_false(cairn_mat3_is_positive_definite(cairn_mat3_diagonal(1, 1, (double)NAN)));
    assert_false(cairn_mat3_is_positive_definite(cairn_mat3_diagonal(1, (double)INFINITY, 1)));
}

static void symmetry_is_relative_to_the_largest_entry(void **state) {
    (void)state;
    CairnMat3 a = cairn_mat3_diagonal(1e6, 1, 1);
    a.m[1][2] = 1e-4;
    assert_true(cairn_mat3_is_symmetric(a, 1e-9));
    assert_false(cairn_mat3_is_symmetric(a, 1e-11));
    a.m[1][2] = (double)NAN;
    assert_false(cairn_mat3_is_symmetric(a, 1e-9));
}

// ---- eigenvalues ----

static void check_eigen(CairnMat3 a, double size) {
    double values[3];
    CairnMat3 v;
    cairn_mat3_eigen(a, values, &v);
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    assert_mat3_near(cairn_mat3_product(cairn_mat3_transpose(v), v), cairn_mat3_diagonal(1, 1, 1), 10 * EPS);
    assert_near(cairn_mat3_determinant(v), 1, 10 * EPS); // right-handed
    CairnMat3 diagonal = cairn_mat3_diagonal(values[0], values[1], values[2]);
    CairnMat3 again = cairn_mat3_product(v, cairn_mat3_product(diagonal, cairn_mat3_transpose(v)));
    assert_mat3_near(again, a, 20 * EPS * size);
    for (int j = 0; j < 3; j++) {
        CairnVec3 axis = column(v, j);
        assert_vec3_near(cairn_mat3_mul(a, axis), cairn_scale(values[j], axis), 20 * EPS * size);
    }
}

static void eigen_rebuilds_the_matrix(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int i = 0; i < DRAWS; i++) {
        double size = pow(10, support_uniform(&seed, -100, 100));
        check_eigen(support_symmetric(&seed, size), size);
        // Two equal values, three nearly equal ones, and rank one.
        CairnQuat q = support_quat(&seed);
        check_eigen(cairn_mat3_rotate(q, cairn_mat3_diagonal(1, 1, 2)), 2);
        check_eigen(cairn_mat3_rotate(q, cairn_mat3_diagonal(1, 1 + 1e-14, 1 - 1e-14)), 1);
        CairnVec3 u = support_unit(&seed);
        check_eigen(cairn_mat3_outer(u, u), 1);
    }
    check_eigen(cairn_mat3_diagonal(0, 0, 0), 0);
    check_eigen(cairn_mat3_diagonal(3, -1, 2), 3);
}

static void eigen_finds_known_values(void **state) {
    (void)state;
    uint64_t seed = 15;
    for (int i = 0; i < DRAWS; i++) {
        double x = support_uniform(&seed, -1, 1), y = support_uniform(&seed, -1, 1), z = support_uniform(&seed, -1, 1);
        double values[3];
        CairnMat3 v;
        cairn_mat3_eigen(cairn_mat3_rotate(support_quat(&seed), cairn_mat3_diagonal(x, y, z)), values, &v);
        double low = fmin(fmin(x, y), z), high = fmax(fmax(x, y), z);
        assert_near(values[0], low, 16 * EPS);
        assert_near(values[1], x + y + z - low - high, 16 * EPS);
        assert_near(values[2], high, 16 * EPS);
    }
    // [[2, 1], [1, 2]] has 1 and 3; beside them a value 1e-20 as it stands.
    CairnMat3 a = {{{2, 1, 0}, {1, 2, 0}, {0, 0, 1e-20}}}, v;
    double values[3];
    cairn_mat3_eigen(a, values, &v);
    assert_near(values[0], 1e-20, 0);
    assert_near(values[1], 1, 2 * EPS);
    assert_near(values[2], 3, 4 * EPS);
}

static void eigen_ends_on_nan(void **state) {
    (void)state;
    double values[3];
    CairnMat3 a = cairn_mat3_diagonal(1, (double)NAN, 1), v;
    a.m[0][1] = a.m[1][0] = (double)NAN;
    cairn_mat3_eigen(a, values, &v);
    assert_true(isnan(values[0]) || isnan(values[1]) || isnan(values[2]));
}

// ---- inertia ----

enum { CLOUD = 8 };

// The inertia of point masses about a point, from the definition: sum of m (r.r 1 - r r^T).
static CairnMat3 cloud_inertia(const CairnVec3 *place, const double *mass, CairnVec3 about) {
    CairnMat3 sum = cairn_mat3_diagonal(0, 0, 0);
    for (int i = 0; i < CLOUD; i++) {
        CairnMat3 skew = cairn_mat3_skew(cairn_sub(place[i], about));
        sum = cairn_mat3_sum(sum, cairn_mat3_scaled(-mass[i], cairn_mat3_product(skew, skew)));
    }
    return sum;
}

static void inertia_shifts_and_turns_like_a_cloud_of_masses(void **state) {
    (void)state;
    uint64_t seed = 16;
    for (int n = 0; n < DRAWS; n++) {
        CairnVec3 place[CLOUD], turned[CLOUD], center = {0, 0, 0};
        double mass[CLOUD], total = 0;
        CairnQuat q = support_quat(&seed);
        for (int i = 0; i < CLOUD; i++) {
            place[i] = support_vec3(&seed, -1, 1);
            turned[i] = cairn_rotate(q, place[i]);
            mass[i] = support_uniform(&seed, 0.1, 1);
            center = cairn_add_scaled(center, mass[i], place[i]);
            total += mass[i];
        }
        center = cairn_scale(1 / total, center);
        CairnMat3 about_center = cloud_inertia(place, mass, center);
        CairnVec3 r = support_vec3(&seed, -2, 2);
        CairnMat3 about_other = cloud_inertia(place, mass, cairn_add(center, r));
        // Moments up to total (1 + 2)^2 3 = 200.
        assert_mat3_near(cairn_inertia_shift(about_center, total, r), about_other, 400 * EPS);
        CairnMat3 turned_inertia = cloud_inertia(turned, mass, cairn_rotate(q, center));
        CairnMat3 rotated = cairn_mat3_rotate(q, about_center);
        assert_mat3_near(rotated, turned_inertia, 100 * EPS);
        assert_true(cairn_mat3_is_symmetric(rotated, 0));
        assert_true(cairn_inertia_is_physical(about_center));
        assert_true(cairn_inertia_is_physical(rotated));
    }
}

static void inertia_of_no_body_is_refused(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int i = 0; i < DRAWS; i++) {
        CairnQuat q = support_quat(&seed);
        double a = support_uniform(&seed, 0.1, 1), b = support_uniform(&seed, 0.1, 1);
        // At the triangle inequality's edge: a flat plate. A little inside the tolerance, a little outside.
        assert_true(cairn_inertia_is_physical(cairn_mat3_rotate(q, cairn_mat3_diagonal(a, b, a + b))));
        assert_true(cairn_inertia_is_physical(cairn_mat3_rotate(q, cairn_mat3_diagonal(a, b, (a + b) * (1 + 5e-10)))));
        assert_false(cairn_inertia_is_physical(cairn_mat3_rotate(q, cairn_mat3_diagonal(a, b, (a + b) * (1 + 2e-9)))));
        assert_false(cairn_inertia_is_physical(cairn_mat3_rotate(q, cairn_mat3_diagonal(-a, b, b))));
    }
    assert_true(cairn_inertia_is_physical(cairn_mat3_diagonal(1e-30, 1e-30, 1e-30)));
    assert_false(cairn_inertia_is_physical(cairn_mat3_diagonal(0, 0, 0)));
    assert_false(cairn_inertia_is_physical(cairn_mat3_diagonal(0, 1, 1)));
    assert_false(cairn_inertia_is_physical(cairn_mat3_diagonal(1, 1, (double)NAN)));
    assert_false(cairn_inertia_is_physical(cairn_mat3_diagonal((double)INFINITY, (double)INFINITY, (double)INFINITY)));
    CairnMat3 skewed = cairn_mat3_diagonal(1, 1, 1);
    skewed.m[0][1] = 1e-6;
    assert_false(cairn_inertia_is_physical(skewed));
}

// ---- 6-vectors ----

static CairnVec6 random_vec6(uint64_t *seed) {
    CairnVec3 linear = support_vec3(seed, -1, 1);
    return (CairnVec6){linear, support_vec3(seed, -1, 1)};
}

static void power_does_not_depend_on_the_point(void **state) {
    (void)state;
    uint64_t seed = 18;
    for (int i = 0; i < DRAWS; i++) {
        CairnVec6 twist = random_vec6(&seed), wrench = random_vec6(&seed);
        CairnVec3 r = support_vec3(&seed, -2, 2);
        CairnVec6 twist_there = cairn_twist_transport(twist, r), wrench_there = cairn_wrench_transport(wrench, r);
        assert_near(cairn_vec6_dot(wrench_there, twist_there), cairn_vec6_dot(wrench, twist), 100 * EPS);
        CairnVec6 back = cairn_twist_transport(twist_there, cairn_neg(r));
        assert_vec3_near(back.linear, twist.linear, 20 * EPS);
        back = cairn_wrench_transport(wrench_there, cairn_neg(r));
        assert_vec3_near(back.angular, wrench.angular, 20 * EPS);
        CairnVec6 sum = cairn_vec6_add_scaled(twist, -3, wrench);
        CairnVec6 same = cairn_vec6_sub(twist, cairn_vec6_scale(3, wrench));
        same = cairn_vec6_add(same, (CairnVec6){{0, 0, 0}, {0, 0, 0}});
        assert_vec3_near(sum.linear, same.linear, 0);
        assert_vec3_near(sum.angular, same.angular, 0);
    }
    // A body that turns about z at 2 rad/s: a point 3 m along x moves along y at 6 m/s.
    CairnVec6 spin = {{0, 0, 0}, {0, 0, 2}};
    assert_vec3_near(cairn_twist_transport(spin, (CairnVec3){3, 0, 0}).linear, ((CairnVec3){0, 6, 0}), 0);
    // A force of 5 N along y through the old point turns clockwise about a point 3 m along x.
    CairnVec6 push = {{0, 5, 0}, {0, 0, 0}};
    assert_vec3_near(cairn_wrench_transport(push, (CairnVec3){3, 0, 0}).angular, ((CairnVec3){0, 0, -15}), 0);
}

// ---- the generator of scenes ----

static void scene_random_is_uniform_and_pinned(void **state) {
    (void)state;
    uint64_t seed = 0;
    // splitmix64 from 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f.
    assert_same_bits(cairn_scene_random(&seed, 0, 1), (double)(0xe220a8397b1dcdafu >> 11) * 0x1p-53);
    assert_same_bits(cairn_scene_random(&seed, 0, 1), (double)(0x6e789e6aa1b965f4u >> 11) * 0x1p-53);
    assert_same_bits(cairn_scene_random(&seed, 0, 1), (double)(0x06c45d188009454fu >> 11) * 0x1p-53);
    enum { COUNT = 100000, BINS = 10 };
    int bins[BINS] = {0};
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = cairn_scene_random(&seed, -2, 3);
        assert_true(x >= -2 && x < 3);
        bins[(int)((x + 2) / 5 * BINS)]++;
        sum += x;
    }
    // Five standard deviations: of the mean 5/sqrt(12 n), of a bin sqrt(n 0.1 0.9).
    assert_near(sum / COUNT, 0.5, 5 * 5 / sqrt(12.0 * COUNT));
    for (int i = 0; i < BINS; i++) {
        assert_near(bins[i], COUNT / BINS, 5 * sqrt(COUNT * 0.09));
    }
    double next = nextafter(1, 2);
    for (int i = 0; i < 100; i++) { // the open end is never reached, however near it is
        assert_same_bits(cairn_scene_random(&seed, 1, next), 1);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_obey_their_identities),
        cmocka_unit_test(normalizing_a_short_vector_takes_the_fallback),
        cmocka_unit_test(tangents_make_a_right_handed_frame),
        cmocka_unit_test(exp_and_log_are_inverse),
        cmocka_unit_test(exp_is_exact_to_rounding),
        cmocka_unit_test(rotation_agrees_with_its_matrix),
        cmocka_unit_test(a_rotation_matrix_gives_its_quaternion_back),
        cmocka_unit_test(rotation_keeps_length),
        cmocka_unit_test(axis_angle_is_the_exponential),
        cmocka_unit_test(between_takes_one_vector_to_the_other),
        cmocka_unit_test(unit_test_of_quaternions_refuses_others),
        cmocka_unit_test(transforms_compose_and_invert),
        cmocka_unit_test(products_and_transposes_agree),
        cmocka_unit_test(inverse_undoes),
        cmocka_unit_test(inverse_knows_singular_from_badly_scaled),
        cmocka_unit_test(positive_definite_is_seen),
        cmocka_unit_test(what_is_not_positive_definite_is_seen),
        cmocka_unit_test(symmetry_is_relative_to_the_largest_entry),
        cmocka_unit_test(eigen_rebuilds_the_matrix),
        cmocka_unit_test(eigen_finds_known_values),
        cmocka_unit_test(eigen_ends_on_nan),
        cmocka_unit_test(inertia_shifts_and_turns_like_a_cloud_of_masses),
        cmocka_unit_test(inertia_of_no_body_is_refused),
        cmocka_unit_test(power_does_not_depend_on_the_point),
        cmocka_unit_test(scene_random_is_uniform_and_pinned),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
