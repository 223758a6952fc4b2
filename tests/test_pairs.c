// Pairs of spheres, boxes and half-spaces against the slow reference, one by one: 2,000 draws of each, 100,000 with CAIRN_LONG_TESTS=1. The
// other pairs have theirs in test_cylinder, test_capsule and test_hull.
#include "tests/support_convex.h"
#include "tests/support_shapes.h"
#include <stdlib.h>

static int rounds(void) {
    return getenv("CAIRN_LONG_TESTS") != NULL ? 100000 : 2000;
}

static double log_size(uint64_t *random) {
    return exp(support_uniform(random, -2.5, 0.5));
}

static CairnGeometry draw(uint64_t *random, CairnShapeType type) {
    double z = 2 * log_size(random), y = 2 * log_size(random), x = 2 * log_size(random);
    CairnShapeDef def = type == CAIRN_SPHERE ? cairn_sphere(x)
                        : type == CAIRN_BOX  ? cairn_box(x, y, z)
                                             : cairn_half_space();
    return support_geometry(&def);
}

static void check_pair(CairnShapeType type_a, CairnShapeType type_b, uint64_t random, int most) {
    int counts[5] = {0};
    for (int k = 0; k < rounds(); ++k) {
        CairnGeometry a = draw(&random, type_a), b = draw(&random, type_b);
        double place = k % 4 == 0 ? 0.2 : k % 4 == 1 ? 3 : 1.2;
        CairnTransform pa = support_transform(&random, place), pb = support_transform(&random, place);
        SupportPairRule rule = {.margin = k % 3 == 0   ? 0.5
                                          : k % 3 == 1 ? 0.01
                                                       : 20,
                                .starts = 600,
                                .tolerance = 1e-9,
                                .surface = type_a == CAIRN_BOX && type_b == CAIRN_BOX ? 1e-5 : 0,
                                .most_points = most,
                                .is_like_face = type_a == CAIRN_BOX && type_b == CAIRN_BOX};
        ++counts[support_check_pair(&a, pa, &b, pb, &rule, &random)];
    }
    assert_true(counts[0] > 0 && counts[1] > 0);
}

static void sphere_sphere_is_exact(void **state) {
    (void)state;
    check_pair(CAIRN_SPHERE, CAIRN_SPHERE, 121, 1);
}

static void sphere_box_is_exact(void **state) {
    (void)state;
    check_pair(CAIRN_SPHERE, CAIRN_BOX, 122, 1);
}

static void sphere_half_space_is_exact(void **state) {
    (void)state;
    check_pair(CAIRN_SPHERE, CAIRN_HALF_SPACE, 123, 1);
}

static void box_half_space_is_exact(void **state) {
    (void)state;
    check_pair(CAIRN_BOX, CAIRN_HALF_SPACE, 124, 4);
}

static void box_box_is_exact(void **state) {
    (void)state;
    check_pair(CAIRN_BOX, CAIRN_BOX, 125, 4);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_sphere_is_exact),     cmocka_unit_test(sphere_box_is_exact),
        cmocka_unit_test(sphere_half_space_is_exact), cmocka_unit_test(box_half_space_is_exact),
        cmocka_unit_test(box_box_is_exact),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
