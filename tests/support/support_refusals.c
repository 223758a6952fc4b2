#include "tests/support/support_refusals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

static CairnStatus solve_nan(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)report;
    for (int i = 0; i < problem->row_count; i++) {
        lambda[i] = (double)NAN;
    }
    return cairn_ok();
}

static CairnStatus solve_huge(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)report;
    for (int i = 0; i < problem->row_count; i++) {
        lambda[i] = 1e300;
    }
    return cairn_ok();
}

const CairnSolver refusal_nan_solver = {.name = "nan", .summary = "", .traits = CAIRN_TAKES_BOUNDS, .solve = solve_nan};
const CairnSolver refusal_huge_solver = {
    .name = "huge", .summary = "", .traits = CAIRN_TAKES_BOUNDS, .solve = solve_huge};

static CairnJointId join(CairnWorld *world, CairnJointType type, CairnBodyId b, CairnVec3 at) {
    CairnJointDef def = cairn_joint_def(type);
    def.body_b = b;
    CairnJointId id;
    assert_ok(cairn_joint_place(world, &def, at, (CairnVec3){0, 1, 0}, (CairnVec3){0, 0, 0}));
    assert_ok(cairn_joint_create(world, &def, &id));
    return id;
}

static CairnWorld *build(RefusalFixture *f) {
    CairnWorld *world = support_empty_world();
    f->ground = support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), (CairnVec3){0, 0, 0});
    f->mover = support_add(world, CAIRN_BODY_KINEMATIC, cairn_box(1, 1, 1), (CairnVec3){9, 0, 0.5});
    f->ball = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 0.45});
    f->box = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(0.5, 0.5, 0.5), (CairnVec3){2, 0, 0.24});
    f->dead = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(1), (CairnVec3){0, 9, 9});
    f->ball_shape = support_first_shape(world, f->ball);
    f->dead_shape = support_first_shape(world, f->dead);
    CairnBodyId wheel = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.3), (CairnVec3){0, 4, 2});
    CairnBodyId sledge = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(0.3, 0.3, 0.3), (CairnVec3){0, 6, 2});
    CairnBodyId plate = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(0.3, 0.3, 0.3), (CairnVec3){0, 8, 2});
    f->hinge = join(world, CAIRN_JOINT_REVOLUTE, wheel, (CairnVec3){0, 4, 2.2});
    f->slider = join(world, CAIRN_JOINT_PRISMATIC, sledge, (CairnVec3){0, 6, 2});
    f->weld = join(world, CAIRN_JOINT_FIXED, plate, (CairnVec3){0, 8, 2});
    f->dead_joint = join(world, CAIRN_JOINT_BALL, f->dead, (CairnVec3){0, 9, 9});
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    gear.joint_a = f->hinge;
    gear.joint_b = f->slider;
    assert_ok(cairn_joint_create(world, &gear, &f->gear));
    assert_ok(cairn_body_destroy(world, f->dead)); // its shape and joint go with it
    support_run(world, 3);
    return world;
}

static void open_fixture(RefusalFixture *f) {
    memset(f, 0, sizeof *f);
    f->other = build(f);
    f->foreign = f->ball;
    f->foreign_shape = f->ball_shape;
    f->foreign_joint = f->hinge;
    CairnBodyDef def = cairn_body_def(); // a change: its last problem is gone
    CairnBodyId unused;
    assert_ok(cairn_body_create(f->other, &def, &unused));
    f->twin = build(f);
    f->world = build(f);
}

static void close_fixture(RefusalFixture *f) {
    cairn_world_destroy(f->world);
    cairn_world_destroy(f->twin);
    cairn_world_destroy(f->other);
}

static void check_words(const RefusalCase *c, CairnStatus status) {
    if (status.code != c->code || strstr(status.message, c->field) == NULL ||
        strstr(status.message, c->value) == NULL) {
        print_error("%s: answered \"%s: %s\", wanted \"%s\" with \"%s\" and \"%s\"\n", c->name,
                    cairn_code_name(status.code), status.message, cairn_code_name(c->code), c->field, c->value);
        fail();
    }
}

void refusal_check_cases(const RefusalCase *cases, int count) {
    RefusalFixture f;
    open_fixture(&f);
    for (int i = 0; i < count; i++) {
        f.bytes = support_snapshot(f.world);
        uint64_t hash = cairn_world_state_hash(f.world);
        check_words(&cases[i], cases[i].run(&f));
        SupportBytes after = support_snapshot(f.world);
        if (!support_same_bytes(&f.bytes, &after) || cairn_world_state_hash(f.world) != hash) {
            fail_msg("%s: the world has changed", cases[i].name);
        }
        support_bytes_free(&f.bytes);
        support_bytes_free(&after);
        support_run(f.world, 1);
        support_run(f.twin, 1);
        if (cairn_world_state_hash(f.world) != cairn_world_state_hash(f.twin)) {
            fail_msg("%s: the next step is another than its twin's", cases[i].name);
        }
    }
    close_fixture(&f);
}
