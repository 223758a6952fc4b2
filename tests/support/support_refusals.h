// Refusals: a table of calls that must be refused, and a world with all kinds of things, alive, dead and foreign, to
// try them on.
#ifndef CAIRN_TESTS_SUPPORT_REFUSALS_H
#define CAIRN_TESTS_SUPPORT_REFUSALS_H

#include "tests/support/support_worlds.h"

typedef struct RefusalFixture {
    CairnWorld *world, *twin, *other;
    CairnBodyId ground, mover, ball, box, dead, foreign;
    CairnShapeId ball_shape, dead_shape, foreign_shape;
    CairnJointId hinge, slider, weld, gear, dead_joint, foreign_joint;
    SupportBytes bytes;
} RefusalFixture;

typedef struct RefusalCase {
    const char *name;
    CairnCode code;
    const char *field, *value; // both must stand in the message; "" for none
    CairnStatus (*run)(RefusalFixture *f);
} RefusalCase;

// Every case answers its code with words that name field and value, and leaves the world as it was, to the last byte of
// its snapshot; afterwards it steps on with a twin that never heard of it.
void refusal_check_cases(const RefusalCase *cases, int count);

// A table is a macro CASES(X) of lines X(name, code, field, value, body of a function of `f`).
#define REFUSAL_DEFINE(name, code, field, value, ...)                                                                  \
    static CairnStatus case_##name(RefusalFixture *f) {                                                                \
        __VA_ARGS__                                                                                                    \
    }
#define REFUSAL_LIST(name, code, field, value, ...) {#name, code, field, value, case_##name},
#define V(x, y, z) ((CairnVec3){x, y, z})
#define Q(w, x, y, z) ((CairnQuat){w, x, y, z})
#define ARGUMENT CAIRN_INVALID_ARGUMENT

// Solvers that write NaN into every impulse, which other ways mend, and numbers that velocities cannot hold.
extern const CairnSolver refusal_nan_solver, refusal_huge_solver;

#endif
