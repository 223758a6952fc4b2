// Every pair of convex shapes in the places that chance does not find: coincident, coaxial, parallel, quarter turns,
// edge on edge, vertex on face, touching at zero depth, deep in each other, and of sizes a myriad apart. Always an
// answer, and the proven optimum.
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"

enum { SHAPES = 6, CASES = 9 };

static CairnGeometry shape(int k, double size) {
    const CairnVec3 points[8] = {{0.5, 0, 0},     {-0.5, 0, 0},     {0, 0.4, 0},        {0, -0.4, 0},
                                 {0.3, 0.3, 0.3}, {-0.3, 0.3, 0.3}, {0.3, -0.3, -0.45}, {-0.3, -0.3, -0.45}};
    CairnVec3 scaled[8];
    for (int i = 0; i < 8; ++i) {
        scaled[i] = cairn_scale(size, points[i]);
    }
    switch (k) {
    case 0:
        return sphere(0.5 * size);
    case 1:
        return box(size, 0.8 * size, 0.6 * size);
    case 2:
        return cylinder(0.4 * size, size);
    case 3:
        return capsule(0.3 * size, size);
    case 4:
        return of_def(cairn_hull(scaled, 8));
    default:
        return half_space();
    }
}

// Places of b, while a is at the origin and upright.
static CairnTransform place(int which) {
    const CairnVec3 corner = {0.57735026918962573, 0.57735026918962573, 0.57735026918962573};
    const double quarter = CAIRN_PI / 2, eighth = CAIRN_PI / 4;
    const CairnTransform places[CASES] = {
        at(0, 0, 0),                                                  // coincident
        at(0, 0, 0.4),                                                // coaxial
        at(0.3, 0, 0),                                                // parallel
        turned(0, 0, 0, x_axis, quarter),                             // crossed, centre in centre
        turned(0.1, 0.05, 0, y_axis, quarter),                        // crossed
        turned(0, 0, 0.4, x_axis, eighth),                            // edge
        {{0, 0, 0.4}, cairn_quat_between(corner, cairn_neg(z_axis))}, // vertex
        turned(0.01, 0.02, 0.03, corner, 1),                          // deep
        turned(0, 0, 0.2, x_axis, 1e-9),                              // parallel but for a hair
    };
    return places[which];
}

static void check(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                  const char *what, double tolerance) {
    SupportPair pair = {.a = *a, .b = *b, .pa = pa, .pb = pb, .margin = 0.01};
    SupportPairRule rule = {4, 5e-5, true};
    uint64_t random = 1;
    SupportPairFigures f = support_pair_figures(&pair, &rule, &random);
    bool is_good =
        f.count > 0 && f.optimum <= tolerance && f.along <= tolerance && f.off <= tolerance && f.malformed == 0;
    if (!is_good) {
        print_error("%s, types %d and %d: %d points, optimum %.3g, along %.3g, off %.3g, malformed %d\n", what, a->type,
                    b->type, f.count, f.optimum, f.along, f.off, f.malformed);
    }
    assert_true(is_good);
    bool is_told_apart = a->type != b->type || pa.p.x != pb.p.x || pa.p.y != pb.p.y || pa.p.z != pb.p.z;
    assert_true(f.swapped == 0 || !is_told_apart);
}

static CairnVec3 way_to(const CairnGeometry *a, CairnVec3 n) {
    return a->type == CAIRN_SHAPE_HALF_SPACE ? z_axis : n; // its own normal
}

static void special_places(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES - 1; ++i) {
        for (int j = 0; j < SHAPES; ++j) {
            CairnGeometry a = shape(i, 1), b = shape(j, 1);
            for (int k = 0; k < CASES; ++k) {
                check(&a, at(0, 0, 0), &b, place(k), "special", 1e-9);
            }
            support_geometry_drop(&a);
            support_geometry_drop(&b);
        }
    }
}

// Moved along an axis until they touch, exactly as far as numbers go.
static void touching_at_zero_depth(void **state) {
    (void)state;
    int met = 0;
    const CairnVec3 ways[4] = {x_axis, y_axis, z_axis, cairn_normalize((CairnVec3){1, 2, 3})};
    for (int i = 0; i < SHAPES; ++i) {
        for (int j = 0; j < SHAPES - 1; ++j) {
            CairnGeometry a = shape(i, 1), b = shape(j, 1);
            for (int k = 0; k < CASES * 4; ++k) {
                CairnTransform pb = place(k / 4), pa = at(0, 0, 0);
                CairnVec3 n = way_to(&a, ways[k % 4]);
                pb.p = cairn_add_scaled(pb.p, -support_gap(&a, pa, &b, pb, n), n);
                CairnManifold m;
                cairn_narrow(&a, pa, &b, pb, 0.01, &m);
                if (m.count > 0) { // planes that touch may part the shapes
                    met += 1;
                    check(&a, pa, &b, pb, "touching", 1e-9);
                }
            }
            support_geometry_drop(&a);
            support_geometry_drop(&b);
        }
    }
    assert_true(met > SHAPES * (SHAPES - 1) * CASES);
}

static void sizes_a_myriad_apart(void **state) {
    (void)state;
    uint64_t random = 61;
    for (int i = 0; i < SHAPES; ++i) {
        for (int j = 0; j < SHAPES - 1; ++j) {
            CairnGeometry a = shape(i, 1e4), b = shape(j, 1);
            for (int k = 0; k < 8; ++k) {
                CairnTransform pa = {{0, 0, 0}, support_quat(&random)}, pb = {{0, 0, 0}, support_quat(&random)};
                CairnVec3 n = a.type == CAIRN_SHAPE_HALF_SPACE ? cairn_rotate(pa.q, z_axis) : support_unit(&random);
                // Against the point that supports along n: a vertex, an edge or a rim, as it comes.
                CairnVec3 on_a = a.type == CAIRN_SHAPE_HALF_SPACE ? pa.p : support_farthest(&a, pa, n);
                CairnVec3 on_b = support_farthest(&b, pb, cairn_neg(n));
                pb.p = cairn_add_scaled(cairn_sub(on_a, on_b), -0.01, n);
                check(&a, pa, &b, pb, "a myriad apart", 1e-9);
            }
            support_geometry_drop(&a);
            support_geometry_drop(&b);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_places),
        cmocka_unit_test(touching_at_zero_depth),
        cmocka_unit_test(sizes_a_myriad_apart),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
