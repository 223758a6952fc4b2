// Shapes and poses in few words, for tests of pairs. File-local names: each test that includes this has its own.
#ifndef CAIRN_TESTS_SUPPORT_SHAPES_H
#define CAIRN_TESTS_SUPPORT_SHAPES_H

#include "tests/support/support_geometry.h"

static const CairnVec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

static inline CairnGeometry of_def(CairnShapeDef def) {
    return support_geometry(&def);
}

static inline CairnGeometry box(double x, double y, double z) {
    return of_def(cairn_box(x, y, z));
}

static inline CairnGeometry sphere(double radius) {
    return of_def(cairn_sphere(radius));
}

static inline CairnGeometry cylinder(double radius, double height) {
    return of_def(cairn_cylinder(radius, height));
}

static inline CairnGeometry capsule(double radius, double height) {
    return of_def(cairn_capsule(radius, height));
}

static inline CairnGeometry half_space(void) {
    return of_def(cairn_half_space());
}

static inline CairnTransform at(double x, double y, double z) {
    return (CairnTransform){{x, y, z}, {1, 0, 0, 0}};
}

static inline CairnTransform turned(double x, double y, double z, CairnVec3 axis, double angle) {
    return (CairnTransform){{x, y, z}, cairn_quat_axis_angle(axis, angle)};
}

#endif
