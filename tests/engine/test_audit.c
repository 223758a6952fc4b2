// The audit: motion that is right is sound, and a step that was corrupted is found, with the term and the place that
// were corrupted. Corruption is a change of the state between the step and the end of the audit.
#include "engine/world.h"
#include "tests/support/support.h"
#include "tests/support/support_worlds.h"

#include <string.h>

static const double h = 1.0 / 60;

typedef struct Trial {
    CairnWorld *world;
    CairnAudit *audit;
    CairnAuditReport report;
} Trial;

static Trial trial(CairnWorld *world) {
    Trial t = {.world = world};
    assert_ok(cairn_audit_create(world, &t.audit));
    return t;
}

static void end(Trial *t) {
    cairn_audit_destroy(t->audit);
    cairn_world_destroy(t->world);
}

static void begin(Trial *t) {
    CairnStats stats;
    assert_ok(cairn_audit_begin(t->audit, t->world));
    assert_ok(cairn_world_step(t->world, h, &stats));
}

static void judge(Trial *t) {
    assert_ok(cairn_audit_end(t->audit, t->world, CAIRN_AUDIT_FULL, &t->report));
}

static void assert_sound(const Trial *t, const char *what) {
    if (!t->report.is_sound) {
        char words[200];
        cairn_audit_words(&t->report, words, sizeof words);
        fail_msg("%s, step %d: %s", what, (int)cairn_world_step_index(t->world), words);
    }
}

static const CairnAuditFinding *found(const Trial *t, CairnAuditTerm term) {
    const CairnAuditFinding *f = &t->report.terms[term];
    assert_true(f->is_checked);
    return f;
}

// This term, and the verdict with it, is beyond its limit.
static void assert_found(const Trial *t, CairnAuditTerm term) {
    const CairnAuditFinding *f = found(t, term);
    if (t->report.is_sound || !(f->value > f->limit)) {
        fail_msg("%s: %g was not found: limit %g", cairn_audit_term_name(term), f->value, f->limit);
    }
}

static void assert_within(const Trial *t, CairnAuditTerm term) {
    const CairnAuditFinding *f = &t->report.terms[term];
    if (f->is_checked && !(f->value <= f->limit)) {
        fail_msg("%s: %g > %g", cairn_audit_term_name(term), f->value, f->limit);
    }
}

static CairnBodyState state_of(const Trial *t, CairnBodyId body) {
    CairnBodyState state;
    assert_ok(cairn_body_get(t->world, body, &state));
    return state;
}

static void push(const Trial *t, CairnBodyId body, CairnVec3 by, CairnVec3 spin) {
    CairnBodyState s = state_of(t, body);
    assert_ok(cairn_body_set_velocity(t->world, body, cairn_add(s.velocity, by), cairn_add(s.angular_velocity, spin)));
}

static void shift(const Trial *t, CairnBodyId body, CairnVec3 by) {
    CairnBodyState s = state_of(t, body);
    assert_ok(cairn_body_set_pose(t->world, body, cairn_add(s.position, by), s.orientation));
}

// ---- worlds ----

static CairnWorld *ground(void) {
    CairnWorld *world = support_empty_world();
    CairnShapeDef floor = cairn_half_space();
    support_add(world, CAIRN_BODY_STATIC, floor, (CairnVec3){0, 0, 0});
    return world;
}

static CairnWorld *without_gravity(void) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    def.gravity = (CairnVec3){0, 0, 0};
    assert_ok(cairn_world_create(&def, &world));
    return world;
}

static void tie(CairnWorld *world, CairnJointType type, CairnBodyId a, CairnBodyId b, CairnVec3 at, CairnJointId *id) {
    CairnJointDef def = cairn_joint_def(type);
    def.body_a = a;
    def.body_b = b;
    assert_ok(cairn_joint_place(world, &def, at, (CairnVec3){0, 1, 0}, (CairnVec3){0, 0, 0}));
    assert_ok(cairn_joint_create(world, &def, id));
}

// ---- sound ----

// A stack at rest, a box that falls and tumbles, balls that bounce, a slope: nothing to object to.
static void right_motion_is_sound(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    for (int i = 0; i < 4; i++) {
        support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), (CairnVec3){0, 0, 0.5 + i});
    }
    CairnShapeDef ball = cairn_sphere(0.3);
    ball.restitution = 0.8;
    CairnBodyId bouncing = support_add(t.world, CAIRN_BODY_DYNAMIC, ball, (CairnVec3){4, 0, 2});
    CairnBodyId box = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.4, 0.6, 1), (CairnVec3){-4, 0, 2});
    push(&t, bouncing, (CairnVec3){0.5, 0, 0}, (CairnVec3){0, 0, 0});
    push(&t, box, (CairnVec3){0.3, 0.1, 0}, (CairnVec3){1, 2, 3});
    for (int k = 0; k < 240; k++) {
        begin(&t);
        judge(&t);
        assert_sound(&t, "ground");
    }
    for (int term = 0; term < CAIRN_AUDIT_TERM_COUNT; term++) {
        bool is_joint = term == CAIRN_AUDIT_JOINT || term == CAIRN_AUDIT_JOINT_ANGLE;
        assert_true(t.report.terms[term].is_checked || is_joint || term == CAIRN_AUDIT_PASSED);
    }
    end(&t);
}

// Forces, torques, damping, a kinematic lift, a motor and a spring are work that is counted.
static void work_is_counted(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    CairnBodyDef damped = cairn_body_def();
    CairnShapeDef cube = cairn_box(0.5, 0.4, 0.3);
    damped.position = (CairnVec3){5, 0, 3};
    damped.linear_damping = 0.7;
    damped.angular_damping = 0.4;
    damped.gravity_scale = 0.3;
    damped.angular_velocity = (CairnVec3){2, 3, 1};
    CairnBodyId thrown;
    assert_ok(cairn_body_add(t.world, &damped, &cube, &thrown));
    CairnBodyId lift = support_add(t.world, CAIRN_BODY_KINEMATIC, cairn_box(2, 2, 0.2), (CairnVec3){-5, 0, 1});
    support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), (CairnVec3){-5, 0, 1.6});
    assert_ok(cairn_body_set_velocity(t.world, lift, (CairnVec3){0, 0, 0.5}, (CairnVec3){0, 0, 0}));
    CairnBodyId base = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(2, 2, 0.5), (CairnVec3){0, 0, 0.25});
    CairnBodyId rotor = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.3, 0.3, 0.5), (CairnVec3){0, 0, 1});
    CairnJointDef axle = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    axle.body_a = base;
    axle.body_b = rotor;
    axle.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    axle.axes[CAIRN_RX].target_velocity = 8;
    axle.axes[CAIRN_RX].max_force = 5;
    assert_ok(cairn_joint_place(t.world, &axle, (CairnVec3){0, 0, 1}, (CairnVec3){0, 0, 1}, (CairnVec3){0, 0, 0}));
    assert_ok(cairn_joint_create(t.world, &axle, NULL));
    for (int k = 0; k < 120; k++) {
        assert_ok(cairn_body_apply_force_at(t.world, thrown, (CairnVec3){30, 5, 200},
                                            cairn_add(state_of(&t, thrown).center, (CairnVec3){0.1, 0, 0})));
        assert_ok(cairn_body_apply_torque(t.world, thrown, (CairnVec3){0, 3, 1}));
        begin(&t);
        judge(&t);
        assert_sound(&t, "work");
    }
    end(&t);
}

// ---- corrupted, once for each term ----

// A thousandth of the rounding limit above it: a change of 1e-9 of a velocity is found.
static void momentum_is_found(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    CairnBodyId box = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), (CairnVec3){0, 0, 5});
    support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), (CairnVec3){3, 0, 5});
    begin(&t);
    push(&t, box, (CairnVec3){1e-9, 0, 0}, (CairnVec3){0, 0, 0});
    judge(&t);
    assert_found(&t, CAIRN_AUDIT_MOMENTUM);
    assert_int_equal(t.report.worst, CAIRN_AUDIT_MOMENTUM);
    assert_near(found(&t, CAIRN_AUDIT_MOMENTUM)->value, 1e-9 * state_of(&t, box).mass.mass, 1e-9);
    assert_int_equal(found(&t, CAIRN_AUDIT_MOMENTUM)->body.index, box.index);
    assert_within(&t, CAIRN_AUDIT_ENERGY);
    end(&t);
}

static void angular_momentum_is_found(void **unused) {
    (void)unused;
    Trial t = trial(without_gravity());
    CairnBodyId box = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 2, 3), (CairnVec3){0, 0, 0});
    push(&t, box, (CairnVec3){0, 0, 0}, (CairnVec3){1, 2, 3});
    for (int k = 0; k < 2; k++) {
        begin(&t);
        push(&t, box, (CairnVec3){0, 0, 0}, (CairnVec3){0, k == 0 ? 0 : 1e-9, 0});
        judge(&t);
        if (k == 0) {
            assert_sound(&t, "free");
        }
    }
    assert_found(&t, CAIRN_AUDIT_ANGULAR_MOMENTUM);
    assert_int_equal(t.report.worst, CAIRN_AUDIT_ANGULAR_MOMENTUM);
    assert_within(&t, CAIRN_AUDIT_MOMENTUM);
    end(&t);
}

// Two balls that a joint ties are pushed apart along it: their momentum stays, and energy comes from nothing.
static void energy_is_found(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    CairnBodyId a = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){0, 0, 5});
    CairnBodyId b = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){1, 0, 5});
    tie(t.world, CAIRN_JOINT_BALL, a, b, (CairnVec3){0.5, 0, 5}, NULL);
    begin(&t);
    judge(&t);
    assert_sound(&t, "falling pair");
    begin(&t);
    push(&t, a, (CairnVec3){-1, 0, 0}, (CairnVec3){0, 0, 0});
    push(&t, b, (CairnVec3){1, 0, 0}, (CairnVec3){0, 0, 0});
    judge(&t);
    assert_found(&t, CAIRN_AUDIT_ENERGY);
    assert_int_equal(t.report.worst, CAIRN_AUDIT_ENERGY);
    assert_within(&t, CAIRN_AUDIT_MOMENTUM);
    assert_near(found(&t, CAIRN_AUDIT_ENERGY)->value, state_of(&t, a).mass.mass, 0.2 * state_of(&t, a).mass.mass);
    end(&t);
}

// Two balls that a joint ties turn about it, a little faster in every step than they should: less than a single step
// may be wrong by, and found all the same, because it adds up.
static void little_by_little_is_found(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    CairnBodyId a = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){0, 0, 50});
    CairnBodyId b = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){1, 0, 50});
    tie(t.world, CAIRN_JOINT_FIXED, a, b, (CairnVec3){0.5, 0, 50}, NULL);
    push(&t, a, (CairnVec3){0, -0.5, 0}, (CairnVec3){0, 0, 1});
    push(&t, b, (CairnVec3){0, 0.5, 0}, (CairnVec3){0, 0, 1});
    int first = 0;
    for (int k = 1; k <= 100 && first == 0; k++) {
        CairnVec3 along = cairn_sub(state_of(&t, b).center, state_of(&t, a).center);
        begin(&t);
        for (int side = 0; side < 2 && k > 20; side++) {
            CairnVec3 turn = {0, 0, 5e-3}, arm = cairn_scale(side == 0 ? -0.5 : 0.5, along);
            push(&t, side == 0 ? a : b, cairn_cross(turn, arm), turn);
        }
        judge(&t);
        const CairnAuditFinding *f = found(&t, CAIRN_AUDIT_ENERGY);
        first = f->value > f->limit ? k : 0;
        assert_true(k > 20 || t.report.is_sound);
    }
    assert_true(first > 23); // no single step shows it
    end(&t);
}

// A body that is lifted gains potential energy; one that is lowered loses it, which friction may do.
static void lifting_is_found(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        Trial t = trial(ground());
        CairnBodyId box = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), (CairnVec3){0, 0, 5});
        begin(&t);
        shift(&t, box, (CairnVec3){0, 0, k == 0 ? 0.01 : -0.01});
        judge(&t);
        assert_int_equal(t.report.terms[CAIRN_AUDIT_ENERGY].value > t.report.terms[CAIRN_AUDIT_ENERGY].limit, k == 0);
        end(&t);
    }
}

static void joint_error_is_found(void **unused) {
    (void)unused;
    for (int type = 0; type < CAIRN_JOINT_GEAR; type++) {
        Trial t = trial(without_gravity());
        CairnBodyId a = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.4, 0.3, 0.2), (CairnVec3){0, 0, 0});
        CairnBodyId b = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.4, 0.3, 0.2), (CairnVec3){1, 0, 0});
        CairnJointId first, second;
        tie(t.world, CAIRN_JOINT_BALL, (CairnBodyId){0, 0, 0}, a, (CairnVec3){-0.5, 0, 0}, &first);
        CairnJointDef def = cairn_joint_def((CairnJointType)type);
        def.body_a = a;
        def.body_b = b;
        def.frame_a.p = (CairnVec3){0.5, 0, 0};
        def.frame_b.p = type == CAIRN_JOINT_DISTANCE ? (CairnVec3){0.2, 0, 0} : (CairnVec3){-0.5, 0, 0};
        assert_ok(cairn_joint_create(t.world, &def, &second));
        begin(&t);
        judge(&t);
        assert_sound(&t, cairn_joint_type_name((CairnJointType)type));
        begin(&t);
        shift(&t, b, (CairnVec3){0.003, 0.003, 0.003});
        judge(&t);
        assert_found(&t, CAIRN_AUDIT_JOINT);
        assert_int_equal(found(&t, CAIRN_AUDIT_JOINT)->joint.index, second.index);
        bool has_angle = t.report.terms[CAIRN_AUDIT_JOINT_ANGLE].is_checked;
        assert_int_equal(has_angle, type != CAIRN_JOINT_BALL && type != CAIRN_JOINT_DISTANCE);
        if (has_angle) {
            CairnBodyState s = state_of(&t, b);
            begin(&t);
            s = state_of(&t, b);
            CairnQuat turned = cairn_quat_mul(cairn_quat_exp((CairnVec3){0.02, 0.02, 0.02}), s.orientation);
            assert_ok(cairn_body_set_pose(t.world, b, s.position, turned));
            judge(&t);
            assert_found(&t, CAIRN_AUDIT_JOINT_ANGLE);
            assert_int_equal(found(&t, CAIRN_AUDIT_JOINT_ANGLE)->joint.index, second.index);
        }
        end(&t);
    }
}

// A joint between the world and a box of 1 m x 0.2 m x 0.2 m whose centre is 0.4 m beside it, limited along one axis.
static CairnBodyId limited(CairnWorld *world, CairnJointType type, int axis, CairnVec3 x, CairnVec3 at,
                           CairnJointId *id) {
    CairnVec3 center = {at.x + 0.4, at.y, at.z};
    CairnBodyId body = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(1, 0.2, 0.2), center);
    CairnJointDef def = cairn_joint_def(type);
    def.body_b = body;
    def.axes[axis].mode = CAIRN_AXIS_LIMITED;
    def.axes[axis].lower = type == CAIRN_JOINT_DISTANCE ? 0 : -0.3;
    def.axes[axis].upper = type == CAIRN_JOINT_DISTANCE ? 0.5 : 0.3;
    assert_ok(cairn_joint_place(world, &def, at, x, (CairnVec3){0, 0, 0}));
    def.frame_a.p.z += type == CAIRN_JOINT_DISTANCE ? 0.2 : 0;
    assert_ok(cairn_joint_create(world, &def, id));
    return body;
}

// Bodies fall onto the limits of their joints and rest there, which is sound; one that is moved beyond is found.
static void what_is_beyond_a_limit_is_found(void **unused) {
    (void)unused;
    static const struct {
        CairnJointType type;
        int axis;
        CairnVec3 x;
        bool is_angle;
    } cases[] = {
        {CAIRN_JOINT_REVOLUTE, CAIRN_RX, {0, 1, 0}, true},    {CAIRN_JOINT_UNIVERSAL, CAIRN_RY, {1, 0, 0}, true},
        {CAIRN_JOINT_SIX_DOF, CAIRN_RX, {0, 1, 0}, true},     {CAIRN_JOINT_PRISMATIC, CAIRN_X, {0, 0, 1}, false},
        {CAIRN_JOINT_CYLINDRICAL, CAIRN_RX, {0, 1, 0}, true}, {CAIRN_JOINT_WHEEL, CAIRN_RY, {0, 0, 1}, true},
        {CAIRN_JOINT_DISTANCE, CAIRN_X, {0, 0, 1}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Trial t = trial(support_empty_world());
        CairnJointId id;
        CairnBodyId body = limited(t.world, cases[k].type, cases[k].axis, cases[k].x, (CairnVec3){0, 0, 3}, &id);
        for (int n = 0; n < 240; n++) {
            begin(&t);
            judge(&t);
            assert_sound(&t, cairn_joint_type_name(cases[k].type));
        }
        begin(&t);
        CairnBodyState s = state_of(&t, body);
        CairnVec3 axis = cases[k].type == CAIRN_JOINT_REVOLUTE ? cases[k].x : (CairnVec3){0, 1, 0};
        CairnQuat turn = cairn_quat_axis_angle(axis, 0.02); // nose down, about the joint
        CairnVec3 pivot = {0, 0, 3}, arm = cairn_sub(s.position, pivot);
        CairnVec3 place = cases[k].is_angle ? cairn_add(pivot, cairn_rotate(turn, arm))
                                            : cairn_add(s.position, (CairnVec3){0, 0, -0.02});
        CairnQuat q = cases[k].is_angle ? cairn_quat_mul(turn, s.orientation) : s.orientation;
        assert_ok(cairn_body_set_pose(t.world, body, place, q));
        judge(&t);
        CairnAuditTerm term = cases[k].is_angle ? CAIRN_AUDIT_JOINT_ANGLE : CAIRN_AUDIT_JOINT;
        assert_found(&t, term);
        assert_int_equal(found(&t, term)->joint.index, id.index);
        end(&t);
    }
}

// Two wheels on axles, geared: driven they are sound, and one that slips is found.
static void a_gear_that_slips_is_found(void **unused) {
    (void)unused;
    Trial t = trial(without_gravity());
    CairnJointId axles[2], id;
    CairnBodyId wheels[2];
    for (int k = 0; k < 2; k++) {
        wheels[k] = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){k, 0, 3});
        tie(t.world, CAIRN_JOINT_REVOLUTE, (CairnBodyId){0, 0, 0}, wheels[k], (CairnVec3){k, 0, 3}, &axles[k]);
    }
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    gear.joint_a = axles[0];
    gear.joint_b = axles[1];
    gear.ratio = -2;
    assert_ok(cairn_joint_create(t.world, &gear, &id));
    push(&t, wheels[0], (CairnVec3){0, 0, 0}, (CairnVec3){0, 10, 0});
    push(&t, wheels[1], (CairnVec3){0, 0, 0}, (CairnVec3){0, 5, 0});
    for (int n = 0; n < 120; n++) { // several whole turns
        begin(&t);
        judge(&t);
        assert_sound(&t, "gear");
    }
    begin(&t);
    CairnBodyState s = state_of(&t, wheels[1]);
    CairnQuat turn = cairn_quat_axis_angle((CairnVec3){0, 1, 0}, 0.01);
    assert_ok(cairn_body_set_pose(t.world, wheels[1], s.position, cairn_quat_mul(turn, s.orientation)));
    judge(&t);
    assert_found(&t, CAIRN_AUDIT_JOINT_ANGLE);
    assert_int_equal(found(&t, CAIRN_AUDIT_JOINT_ANGLE)->joint.index, id.index);
    assert_near(found(&t, CAIRN_AUDIT_JOINT_ANGLE)->value, 0.02, 1e-6);
    end(&t);
}

// Wheels and a rack on fixed axles, started against their gear: its impulse goes into the axles' ground, and is known
// from its report. What it does not report is found.
static void gears_that_start_are_sound(void **unused) {
    (void)unused;
    for (int k = 0; k < 12; k++) {
        Trial t = trial(without_gravity());
        CairnJointId axles[2], id;
        CairnBodyId bodies[2], fixed = support_add(t.world, CAIRN_BODY_STATIC, cairn_sphere(0.1), (CairnVec3){0, 0, 5});
        bool is_slide[2] = {k % 3 == 1, k % 3 == 2}, is_first = k >= 6; // the body is A of its joint
        for (int side = 0; side < 2; side++) {
            CairnVec3 place = {side, 0, 3};
            bodies[side] = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.2, 0.3, 0.4), place);
            tie(t.world, is_slide[side] ? CAIRN_JOINT_PRISMATIC : CAIRN_JOINT_REVOLUTE, is_first ? bodies[side] : fixed,
                is_first ? fixed : bodies[side], place, &axles[side]);
        }
        CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
        gear.joint_a = axles[0];
        gear.joint_b = axles[1];
        gear.ratio = k / 3 % 2 == 0 ? 2 : -0.5;
        assert_ok(cairn_joint_create(t.world, &gear, &id));
        CairnJointState axle;
        for (int side = 0; side < 2; side++) { // along all axes: the joint keeps its own
            push(&t, bodies[side], is_slide[side] ? (CairnVec3){1, 2, 3} : (CairnVec3){0, 0, 0},
                 is_slide[side] ? (CairnVec3){0, 0, 0} : (CairnVec3){3, 1, 2});
        }
        for (int n = 0; n < 60; n++) {
            begin(&t);
            judge(&t);
            assert_sound(&t, "gear");
            assert_ok(cairn_joint_get(t.world, id, &axle));
            assert_true(n > 0 || cairn_length(axle.force) + cairn_length(axle.torque) > 0.1);
        }
        begin(&t);
        push(&t, bodies[0], (CairnVec3){0, 0, 0}, (CairnVec3){1e-6, 2e-6, 3e-6});
        judge(&t);
        assert_found(&t, CAIRN_AUDIT_ANGULAR_MOMENTUM);
        end(&t);
    }
}

// A turning box meets the floor, and is foreseen to: its impulses act on it where they are reported.
static void impulses_act_where_they_are_reported(void **unused) {
    (void)unused;
    int landed = 0;
    for (int k = 0; k < 20; k++) {
        CairnWorldDef def = cairn_world_def();
        def.geometric_stiffness = false;
        Trial t = {0};
        CairnBodyDef ground = cairn_body_def();
        CairnShapeDef floor = cairn_half_space();
        assert_ok(cairn_world_create(&def, &t.world));
        t = trial(t.world);
        ground.type = CAIRN_BODY_STATIC;
        assert_ok(cairn_body_add(t.world, &ground, &floor, NULL));
        CairnBodyId box = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.3, 0.4, 0.5), (CairnVec3){0, 0, 0.5});
        push(&t, box, (CairnVec3){1 + 0.1 * k, 0.5, -3}, (CairnVec3){4, -0.5 * k, 3});
        for (int n = 0; n < 12; n++) {
            begin(&t);
            judge(&t);
            int count = cairn_world_contacts(t.world, NULL, 0);
            landed += count > 0;
            double scale = 24 * 0.3 * cairn_length(state_of(&t, box).velocity) + 1;
            assert_below(found(&t, CAIRN_AUDIT_ANGULAR_MOMENTUM)->value, 1e-12 * scale);
        }
        end(&t);
    }
    assert_true(landed > 20);
}

// Every convex shape on a floor, and on another one of its kind.
static void overlap_is_found(void **unused) {
    (void)unused;
    static const CairnVec3 corners[6] = {{0.5, 0, 0},  {-0.5, 0, 0}, {0, 0.5, 0},
                                         {0, -0.5, 0}, {0, 0, 0.5},  {0, 0, -0.5}};
    const CairnShapeDef shapes[5] = {cairn_sphere(0.5), cairn_box(1, 1, 1), cairn_cylinder(0.5, 1),
                                     cairn_capsule(0.3, 0.4), cairn_hull(corners, 6)};
    for (int k = 0; k < 5; k++) {
        for (int on_floor = 0; on_floor < 2; on_floor++) {
            Trial t = trial(ground());
            support_add(t.world, CAIRN_BODY_STATIC, shapes[k], (CairnVec3){5, 0, 2});
            CairnBodyId body = support_add(t.world, CAIRN_BODY_DYNAMIC, shapes[k],
                                           on_floor ? (CairnVec3){0, 0, 0.6} : (CairnVec3){5, 0, 3.1});
            begin(&t);
            judge(&t);
            assert_sound(&t, "above");
            begin(&t);
            shift(&t, body, (CairnVec3){0, 0, -0.15});
            judge(&t);
            assert_found(&t, CAIRN_AUDIT_OVERLAP);
            double fallen = 1.5 * h * h * 9.81 * 2, least = k == 4 && !on_floor ? 1 / sqrt(3) : 1; // out by a face
            assert_near(found(&t, CAIRN_AUDIT_OVERLAP)->value, least * (0.05 + fallen), fallen + 1e-5);
            const CairnAuditFinding *f = found(&t, CAIRN_AUDIT_OVERLAP);
            assert_true(f->body.index == body.index || f->other.index == body.index);
            end(&t);
        }
    }
}

// A ball that is on the other side of a wall of 1 mm after the step; one that goes past its edge; one through a mesh.
static void passing_is_found(void **unused) {
    (void)unused;
    static const CairnVec3 points[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int indices[6] = {0, 1, 2, 0, 2, 3}; // faces -y
    for (int k = 0; k < 4; k++) {
        Trial t = trial(without_gravity());
        bool is_mesh = k >= 2;
        CairnShapeDef wall = is_mesh ? cairn_mesh(points, 4, indices, 6) : cairn_box(2, 0.001, 2);
        CairnBodyId thin = support_add(t.world, CAIRN_BODY_STATIC, wall, (CairnVec3){0, 0, 0});
        double x = k % 2 == 0 ? 0.5 : 1.2; // the second goes past the edge
        CairnBodyId ball = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.1), (CairnVec3){x, -0.3, 0});
        begin(&t);
        shift(&t, ball, (CairnVec3){0, 0.6, 0});
        judge(&t);
        if (k % 2 == 0) {
            assert_found(&t, CAIRN_AUDIT_PASSED);
            const CairnAuditFinding *f = found(&t, CAIRN_AUDIT_PASSED);
            assert_int_equal(f->body.index, ball.index);
            assert_int_equal(f->other.index, thin.index);
        } else {
            assert_within(&t, CAIRN_AUDIT_PASSED);
        }
        assert_within(&t, CAIRN_AUDIT_OVERLAP);
        end(&t);
    }
}

// A rod whose tip swings through a post although its middle goes past.
static void a_turn_through_is_found(void **unused) {
    (void)unused;
    Trial t = trial(without_gravity());
    support_add(t.world, CAIRN_BODY_STATIC, cairn_box(0.02, 0.02, 1), (CairnVec3){0.4, 0, 0});
    CairnBodyId rod = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(1, 0.02, 0.02), (CairnVec3){0, 0, 0});
    CairnQuat before = cairn_quat_exp((CairnVec3){0, 0, -0.5}), after = cairn_quat_exp((CairnVec3){0, 0, 0.5});
    assert_ok(cairn_body_set_pose(t.world, rod, (CairnVec3){0, 0, 0}, before));
    begin(&t);
    assert_ok(cairn_body_set_pose(t.world, rod, (CairnVec3){0, 0, 0}, after));
    judge(&t);
    assert_found(&t, CAIRN_AUDIT_PASSED);
    end(&t);
}

// ---- a step in parts ----

// Two steps of h/2 that count as one: what a world does that divides a step.
static void begin_divided(Trial *t) {
    assert_ok(cairn_audit_begin(t->audit, t->world));
    assert_ok(cairn_world_step(t->world, 0.5 * h, NULL));
    assert_ok(cairn_world_step(t->world, 0.5 * h, NULL));
    t->world->store.step_index -= 1;
}

// A chain in free space, and one that falls onto the ground; then with energy, momentum and a joint that are wrong.
static void divided_steps_are_audited(void **unused) {
    (void)unused;
    for (int grounded = 0; grounded < 2; grounded++) {
        Trial t = trial(grounded ? ground() : without_gravity());
        CairnBodyId links[4];
        for (int i = 0; i < 4; i++) {
            links[i] = support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_box(0.4, 0.1, 0.1), (CairnVec3){0.4 * i, 0, 0.5});
            if (i > 0) {
                tie(t.world, CAIRN_JOINT_BALL, links[i - 1], links[i], (CairnVec3){0.4 * i - 0.2, 0, 0.5}, NULL);
            }
        }
        push(&t, links[0], (CairnVec3){0, 0, 0.5}, (CairnVec3){0, 1, 0});
        for (int k = 0; k < 60; k++) {
            begin_divided(&t);
            judge(&t);
            assert_within(&t, CAIRN_AUDIT_MOMENTUM);
            assert_within(&t, CAIRN_AUDIT_ANGULAR_MOMENTUM);
            assert_within(&t, CAIRN_AUDIT_ENERGY);
            assert_int_equal(t.report.terms[CAIRN_AUDIT_MOMENTUM].is_checked, !grounded);
        }
        begin_divided(&t);
        push(&t, links[1], (CairnVec3){0, 0, 3}, (CairnVec3){0, 0, 0});
        judge(&t);
        assert_found(&t, CAIRN_AUDIT_ENERGY);
        begin_divided(&t);
        push(&t, links[2], (CairnVec3){1e-8, 0, 0}, (CairnVec3){0, 0, 0});
        judge(&t);
        if (!grounded) {
            assert_found(&t, CAIRN_AUDIT_MOMENTUM);
        }
        begin_divided(&t);
        shift(&t, links[3], (CairnVec3){0.01, 0, 0});
        judge(&t);
        assert_found(&t, CAIRN_AUDIT_JOINT);
        end(&t);
    }
}

// ---- limits and use ----

// What the integrator leaves open is m (g h)^2 / 2 of energy: a fourth at half the step.
static void limits_fall_with_the_step(void **unused) {
    (void)unused;
    double limits[2];
    for (int k = 0; k < 2; k++) {
        Trial t = trial(ground());
        support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 5});
        assert_ok(cairn_audit_begin(t.audit, t.world));
        assert_ok(cairn_world_step(t.world, k == 0 ? h : 0.5 * h, NULL));
        judge(&t);
        limits[k] = found(&t, CAIRN_AUDIT_ENERGY)->limit;
        end(&t);
    }
    assert_near(limits[1] / limits[0], 0.25, 1e-6);
}

// The state that is audited stays the same to the bit, and nothing is allocated once there are as many bodies as ever.
static void it_only_looks(void **unused) {
    (void)unused;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        CairnWorld *plain = support_scene_world((SupportScene)scene, NULL, 1);
        Trial t = trial(support_scene_world((SupportScene)scene, &allocator, 1));
        for (int k = 0; k < 40; k++) {
            assert_ok(cairn_world_step(plain, h, NULL));
            int calls = memory.calls;
            assert_ok(cairn_audit_begin(t.audit, t.world));
            assert_true(k == 0 || memory.calls == calls);
            assert_ok(cairn_world_step(t.world, h, NULL));
            calls = memory.calls;
            assert_ok(cairn_audit_end(t.audit, t.world, CAIRN_AUDIT_FRAME, &t.report));
            assert_int_equal(memory.calls, calls);
            assert_false(t.report.is_full);
            assert_true(t.report.seconds > 0);
        }
        assert_true(cairn_world_state_hash(plain) == cairn_world_state_hash(t.world));
        cairn_world_destroy(plain);
        end(&t);
        assert_memory_clean(&memory);
    }
}

static void bad_calls_are_refused(void **unused) {
    (void)unused;
    Trial t = trial(ground());
    CairnAudit *audit;
    char words[100];
    assert_refused(cairn_audit_create(NULL, &audit), CAIRN_INVALID_ARGUMENT, "world is NULL");
    assert_refused(cairn_audit_begin(NULL, t.world), CAIRN_INVALID_ARGUMENT, "audit is NULL");
    assert_refused(cairn_audit_end(t.audit, t.world, CAIRN_AUDIT_FRAME, NULL), CAIRN_INVALID_ARGUMENT,
                   "report is NULL");
    assert_refused(cairn_audit_end(t.audit, t.world, CAIRN_AUDIT_FRAME, &t.report), CAIRN_INVALID_ARGUMENT, "one step");
    begin(&t);
    assert_ok(cairn_world_step(t.world, h, NULL));
    assert_refused(cairn_audit_end(t.audit, t.world, CAIRN_AUDIT_FRAME, &t.report), CAIRN_INVALID_ARGUMENT, "one step");
    begin(&t);
    support_add(t.world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 5});
    assert_refused(cairn_audit_end(t.audit, t.world, CAIRN_AUDIT_FRAME, &t.report), CAIRN_INVALID_ARGUMENT, "bodies");
    assert_string_equal(cairn_audit_term_name((CairnAuditTerm)99), "unknown");
    assert_string_equal(cairn_audit_term_unit(CAIRN_AUDIT_ENERGY), "J");
    cairn_audit_words(NULL, words, sizeof words);
    assert_string_equal(words, "not audited");
    cairn_audit_destroy(NULL);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_motion_is_sound),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(momentum_is_found),
        cmocka_unit_test(angular_momentum_is_found),
        cmocka_unit_test(energy_is_found),
        cmocka_unit_test(little_by_little_is_found),
        cmocka_unit_test(lifting_is_found),
        cmocka_unit_test(joint_error_is_found),
        cmocka_unit_test(what_is_beyond_a_limit_is_found),
        cmocka_unit_test(a_gear_that_slips_is_found),
        cmocka_unit_test(gears_that_start_are_sound),
        cmocka_unit_test(impulses_act_where_they_are_reported),
        cmocka_unit_test(overlap_is_found),
        cmocka_unit_test(passing_is_found),
        cmocka_unit_test(a_turn_through_is_found),
        cmocka_unit_test(divided_steps_are_audited),
        cmocka_unit_test(limits_fall_with_the_step),
        cmocka_unit_test(it_only_looks),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
