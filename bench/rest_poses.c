#include "bench/rest_poses.h"
#include <math.h>

// ---- pieces ----

static CairnStatus put_as(CairnWorld *world, CairnBodyType type, CairnVec3 at, CairnQuat turn, CairnShapeDef shape) {
    CairnBodyDef body = cairn_body_def();
    body.type = type;
    body.position = at;
    body.orientation = turn;
    shape.friction = BENCH_REST_FRICTION;
    return cairn_body_add(world, &body, &shape, NULL);
}

static CairnStatus put(CairnWorld *world, CairnVec3 at, CairnQuat turn, CairnShapeDef shape) {
    return put_as(world, CAIRN_BODY_DYNAMIC, at, turn, shape);
}

static CairnQuat upright(void) {
    return cairn_quat_identity();
}

static CairnQuat about(double x, double y, double z, double degrees) {
    return cairn_quat_axis_angle(cairn_normalize(cairn_vec3(x, y, z)), degrees * CAIRN_PI / 180);
}

// Axis along x.
static CairnQuat lying(void) {
    return about(0, 1, 0, 90);
}

// A plate that slopes down towards +x; its upper face passes through the origin.
static CairnStatus slope(CairnWorld *world, double degrees) {
    CairnQuat tilt = about(0, 1, 0, degrees);
    CairnVec3 at = cairn_add(cairn_vec3(0, 0, 3), cairn_rotate(tilt, cairn_vec3(0, 0, -0.1)));
    return put_as(world, CAIRN_BODY_STATIC, at, tilt, cairn_box(4, 4, 0.2));
}

// On that slope, `height` over it, turned as on the flat by `turn`.
static CairnStatus on_slope(CairnWorld *world, double degrees, double height, CairnQuat turn, CairnShapeDef shape) {
    CairnQuat tilt = about(0, 1, 0, degrees);
    CairnVec3 at = cairn_add(cairn_vec3(0, 0, 3), cairn_rotate(tilt, cairn_vec3(0, 0, height)));
    return put(world, at, cairn_quat_mul(tilt, turn), shape);
}

static CairnShapeDef rock(void) {
    static const CairnVec3 points[] = {
        {0.30, 0.02, -0.2}, {-0.16, 0.27, -0.2}, {-0.14, -0.25, -0.2}, {0.22, 0.2, 0.1},   {-0.25, 0.05, 0.15},
        {0.1, -0.24, 0.12}, {0.02, 0.03, 0.28},  {0.25, -0.15, 0.02},  {-0.2, -0.2, 0.05}, {-0.05, 0.25, 0.1}};
    return cairn_hull(points, 10);
}

// ---- the configurations ----

static CairnStatus can_standing(CairnWorld *w) {
    return put(w, cairn_vec3(0, 0, 0.5), upright(), cairn_cylinder(0.3, 1));
}
static CairnStatus can_lying(CairnWorld *w) {
    return put(w, cairn_vec3(0, 0, 0.3), lying(), cairn_cylinder(0.3, 1));
}
static CairnStatus can_standing_on_a_slope(CairnWorld *w) {
    CAIRN_TRY(slope(w, 20)); // friction angle 31 degrees; it tips from 31 on as well (0.3 / 0.5)
    return on_slope(w, 20, 0.5, upright(), cairn_cylinder(0.3, 1));
}
static CairnStatus can_lying_down_a_slope(CairnWorld *w) {
    CAIRN_TRY(slope(w, 20));
    return on_slope(w, 20, 0.3, lying(), cairn_cylinder(0.3, 1)); // its axis points downhill: it cannot roll
}
// The lower log lies between two blocks and is the thicker one: a log on a free roller, or on one no thicker than
// itself, tips.
static CairnStatus two_crossed_logs(CairnWorld *w) {
    double aside = sqrt(0.3 * 0.3 - 0.2 * 0.2); // where the log is 0.1 over the ground
    for (int side = -1; side <= 1; side += 2) {
        CAIRN_TRY(put_as(w, CAIRN_BODY_STATIC, cairn_vec3(0, side * (aside + 0.25), 0.05), upright(),
                         cairn_box(1, 0.5, 0.1)));
    }
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.3), lying(), cairn_cylinder(0.3, 2)));
    return put(w, cairn_vec3(0, 0, 0.8), about(1, 0, 0, 90), cairn_cylinder(0.2, 2));
}
static CairnStatus four_crossed_logs(CairnWorld *w) {
    for (int i = 0; i < 2; i++) {
        CAIRN_TRY(put(w, cairn_vec3(0, i - 0.5, 0.2), lying(), cairn_cylinder(0.2, 2)));
        CAIRN_TRY(put(w, cairn_vec3(i - 0.5, 0, 0.6), about(1, 0, 0, 90), cairn_cylinder(0.2, 2)));
    }
    return cairn_ok();
}
static CairnStatus box_on_box_turned_by_a_degree(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.5), upright(), cairn_box(1, 1, 1)));
    return put(w, cairn_vec3(0, 0, 1.5), about(0, 0, 1, 1), cairn_box(1, 1, 1));
}
static CairnStatus pyramid(CairnWorld *w, int rows) {
    double r = 0.2;
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < rows - row; i++) {
            double x = (2 * i + row - (rows - 1)) * r;
            CAIRN_TRY(put(w, cairn_vec3(x, 0, r * (1 + sqrt(3) * row)), about(1, 0, 0, 90), cairn_cylinder(r, 2)));
        }
    }
    return cairn_ok();
}
static CairnStatus log_pyramid(CairnWorld *w) {
    return pyramid(w, 2);
}
static CairnStatus log_pyramid_of_three_rows(CairnWorld *w) {
    return pyramid(w, 3);
}
static CairnStatus rock_on_three_points(CairnWorld *w) {
    return put(w, cairn_vec3(0, 0, 0.2), upright(), rock());
}
static CairnStatus ball_on_the_ground(CairnWorld *w) {
    return put(w, cairn_vec3(0, 0, 0.5), upright(), cairn_sphere(0.5));
}
static CairnStatus capsule_lying(CairnWorld *w) {
    return put(w, cairn_vec3(0, 0, 0.25), lying(), cairn_capsule(0.25, 1));
}
static CairnStatus box_on_a_slope(CairnWorld *w) {
    CAIRN_TRY(slope(w, 25));
    return on_slope(w, 25, 0.25, upright(), cairn_box(0.8, 0.6, 0.5));
}
static CairnStatus tower_of_five_boxes(CairnWorld *w) {
    for (int i = 0; i < 5; i++) {
        CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.25 + 0.5 * i), about(0, 0, 1, 7 * i), cairn_box(0.5, 0.5, 0.5)));
    }
    return cairn_ok();
}
static CairnStatus can_on_can(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.25), upright(), cairn_cylinder(0.3, 0.5)));
    return put(w, cairn_vec3(0, 0, 0.75), about(0, 0, 1, 20), cairn_cylinder(0.25, 0.5));
}
static CairnStatus can_on_box(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.25), upright(), cairn_box(1, 1, 0.5)));
    return put(w, cairn_vec3(0.1, 0.05, 0.75), upright(), cairn_cylinder(0.3, 0.5));
}
static CairnStatus box_on_can(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.25), upright(), cairn_cylinder(0.4, 0.5)));
    return put(w, cairn_vec3(0, 0, 0.75), about(0, 0, 1, 30), cairn_box(1, 1, 0.5));
}
static CairnStatus box_on_a_lying_log(CairnWorld *w) { // balanced: its two contacts make a line
    CAIRN_TRY(put(w, cairn_vec3(-0.5, 0, 0.2), about(1, 0, 0, 90), cairn_cylinder(0.2, 2)));
    CAIRN_TRY(put(w, cairn_vec3(0.5, 0, 0.2), about(1, 0, 0, 90), cairn_cylinder(0.2, 2)));
    return put(w, cairn_vec3(0, 0, 0.6), upright(), cairn_box(1.6, 1, 0.4));
}
static CairnStatus capsule_over_two_boxes(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(-0.6, 0, 0.25), upright(), cairn_box(0.5, 0.5, 0.5)));
    CAIRN_TRY(put(w, cairn_vec3(0.6, 0, 0.25), upright(), cairn_box(0.5, 0.5, 0.5)));
    return put(w, cairn_vec3(0, 0, 0.6), lying(), cairn_capsule(0.1, 1.6));
}
static CairnStatus ball_in_a_groove(CairnWorld *w) {
    for (int i = 0; i < 2; i++) { // two slopes of 45 degrees that meet in the y axis
        CairnQuat tilt = about(0, 1, 0, i == 0 ? 45 : -45);
        CairnVec3 at = cairn_add(cairn_vec3(0, 0, 1), cairn_rotate(tilt, cairn_vec3(i == 0 ? -0.5 : 0.5, 0, -0.1)));
        CAIRN_TRY(put_as(w, CAIRN_BODY_STATIC, at, tilt, cairn_box(1, 2, 0.2)));
    }
    return put(w, cairn_vec3(0, 0, 1 + 0.2 * sqrt(2)), upright(), cairn_sphere(0.2));
}
static CairnStatus rock_on_a_box(CairnWorld *w) {
    CAIRN_TRY(put(w, cairn_vec3(0, 0, 0.25), upright(), cairn_box(1, 1, 0.5)));
    return put(w, cairn_vec3(0, 0, 0.7), about(0, 0, 1, 40), rock());
}
static CairnStatus table_of_a_compound(CairnWorld *w) {
    CairnBodyDef body = cairn_body_def();
    body.position.z = 0.8;
    CairnBodyId id;
    CAIRN_TRY(cairn_body_create(w, &body, &id));
    CairnShapeDef top = cairn_box(1.2, 0.8, 0.1), leg = cairn_cylinder(0.05, 0.75);
    top.friction = leg.friction = BENCH_REST_FRICTION;
    CAIRN_TRY(cairn_shape_create(w, id, &top, NULL));
    for (int k = 0; k < 4; k++) {
        leg.position = cairn_vec3(k % 2 == 0 ? 0.5 : -0.5, k / 2 == 0 ? 0.3 : -0.3, -0.425);
        CAIRN_TRY(cairn_shape_create(w, id, &leg, NULL));
    }
    return put(w, cairn_vec3(0.2, 0.1, 1.05), upright(), cairn_box(0.4, 0.4, 0.4));
}

static const BenchRest rests[] = {
    {"can standing", can_standing},
    {"can lying", can_lying},
    {"can standing on a slope", can_standing_on_a_slope},
    {"can lying down a slope", can_lying_down_a_slope},
    {"two crossed logs", two_crossed_logs},
    {"four crossed logs", four_crossed_logs},
    {"box on box turned by 1 degree", box_on_box_turned_by_a_degree},
    {"log pyramid", log_pyramid},
    {"log pyramid of three rows", log_pyramid_of_three_rows},
    {"rock on three points", rock_on_three_points},
    {"ball on the ground", ball_on_the_ground},
    {"capsule lying", capsule_lying},
    {"box on a slope", box_on_a_slope},
    {"tower of five boxes", tower_of_five_boxes},
    {"can on can", can_on_can},
    {"can on box", can_on_box},
    {"box on can", box_on_can},
    {"box on two lying logs", box_on_a_lying_log},
    {"capsule over two boxes", capsule_over_two_boxes},
    {"ball in a groove", ball_in_a_groove},
    {"rock on a box", rock_on_a_box},
    {"table with a box on it", table_of_a_compound},
};

int bench_rest_count(void) {
    return (int)(sizeof rests / sizeof rests[0]);
}

const BenchRest *bench_rest_at(int index) {
    return &rests[index];
}

CairnStatus bench_rest_world(const BenchRest *rest, CairnWorld **world) {
    CairnWorldDef def = cairn_world_def();
    CAIRN_TRY(cairn_world_create(&def, world));
    CairnStatus status = put_as(*world, CAIRN_BODY_STATIC, cairn_vec3(0, 0, 0), upright(), cairn_half_space());
    if (cairn_is_ok(status)) {
        status = rest->build(*world);
    }
    if (!cairn_is_ok(status)) {
        cairn_world_destroy(*world);
        *world = NULL;
    }
    return status;
}
