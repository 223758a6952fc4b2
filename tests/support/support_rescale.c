#include "tests/support/support_rescale.h"

#include "engine/world.h"
#include <stdlib.h>
#include <string.h>

typedef struct Copy {
    const CairnWorld *from;
    CairnWorld *to;
    Rescale by;
    CairnBodyId *bodies; // of `to`, by the slots of `from`
    CairnJointId *joints;
} Copy;

static CairnBodyDef body_def(const Copy *copy, int index) {
    const CairnBody *body = &copy->from->store.bodies[index];
    const CairnBodyModel *model = body->model;
    double m = copy->by.mass, l = copy->by.length, t = copy->by.time;
    CairnTransform frame = cairn_body_frame(body);
    CairnVec3 to_origin = cairn_sub(frame.p, body->center);
    CairnBodyDef def = cairn_body_def();
    def.type = body->type;
    def.position = cairn_scale(l, frame.p);
    def.orientation = body->q;
    def.velocity = cairn_scale(t, cairn_add(body->velocity, cairn_cross(body->angular_velocity, to_origin)));
    def.angular_velocity = cairn_scale(1 / t, body->angular_velocity);
    def.mass = m * model->given_mass;
    def.center = cairn_scale(l, model->given_center);
    def.inertia = cairn_scale(m * l * l, model->given_inertia);
    def.inertia_products = cairn_scale(m * l * l, model->given_products);
    def.gravity_scale = model->gravity_scale;
    def.linear_damping = model->linear_damping / t;
    def.angular_damping = model->angular_damping / t;
    def.continuous = body->is_continuous;
    def.group = body->group;
    return def;
}

static void add_shape(const Copy *copy, CairnShapeId id, CairnBodyId body) {
    double m = copy->by.mass, l = copy->by.length;
    CairnShapeDef def;
    assert_ok(cairn_shape_get(copy->from, id, &def, NULL));
    CairnVec3 *points = calloc((size_t)def.point_count + 1, sizeof *points);
    assert_non_null(points);
    for (int i = 0; i < def.point_count; i++) {
        points[i] = cairn_scale(l, def.points[i]);
    }
    def.points = def.points != NULL ? points : NULL;
    def.radius *= l;
    def.height *= l;
    def.size = cairn_scale(l, def.size);
    def.position = cairn_scale(l, def.position);
    def.density *= m / (l * l * l);
    def.rolling_friction *= l;
    def.torsional_friction *= l;
    assert_ok(cairn_shape_create(copy->to, body, &def, NULL));
    free(points);
}

static void scale_axis(CairnAxis *axis, bool is_angle, Rescale by) {
    double m = by.mass, l = by.length, t = by.time;
    double q = is_angle ? 1 : l, force = m * l / (t * t) * (is_angle ? l : 1);
    axis->lower *= q;
    axis->upper *= q;
    axis->target_position *= q;
    axis->target_velocity *= q / t;
    axis->max_force *= force;
    axis->compliance *= q / (t * t * force);
    if (axis->spring_unit == CAIRN_SPRING_FORCE) {
        axis->stiffness *= force / q;
        axis->damping *= force * t / q;
    } else {
        axis->stiffness /= t;
    }
}

static bool is_slide(const Copy *copy, CairnJointId id) {
    CairnJointDef def;
    assert_ok(cairn_joint_get_def(copy->from, id, &def));
    return def.type == CAIRN_JOINT_PRISMATIC;
}

static void add_joint(const Copy *copy, CairnJointId id) {
    double l = copy->by.length;
    CairnJointDef def;
    assert_ok(cairn_joint_get_def(copy->from, id, &def));
    def.body_a = def.body_a.index != 0 ? copy->bodies[def.body_a.index - 1] : def.body_a;
    def.body_b = def.body_b.index != 0 ? copy->bodies[def.body_b.index - 1] : def.body_b;
    def.frame_a.p = cairn_scale(l, def.frame_a.p);
    def.frame_b.p = cairn_scale(l, def.frame_b.p);
    if (def.type == CAIRN_JOINT_GEAR) {
        def.ratio *= (is_slide(copy, def.joint_a) ? l : 1) / (is_slide(copy, def.joint_b) ? l : 1);
        def.joint_a = copy->joints[def.joint_a.index - 1];
        def.joint_b = copy->joints[def.joint_b.index - 1];
    }
    for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
        scale_axis(&def.axes[k], k >= CAIRN_RX, copy->by);
    }
    assert_ok(cairn_joint_create(copy->to, &def, &copy->joints[id.index - 1]));
}

static CairnWorldDef world_def(const Copy *copy) {
    CairnWorldDef def = cairn_world_settings(copy->from);
    def.typical_length *= copy->by.length;
    def.normal_compliance /= copy->by.mass;
    def.friction_compliance /= copy->by.mass;
    return def;
}

// A solver's options have units, too: tolerances in m/s and N s.
static void set_solver(const Copy *copy) {
    const CairnWorld *from = copy->from;
    const CairnFieldTable *table = from->solver->options;
    char *options = table != NULL ? malloc(table->size) : NULL;
    for (int i = 0; i < (table != NULL ? table->count : 0); i++) {
        const CairnField *field = &table->fields[i];
        bool is_speed = strcmp(field->unit, "m/s") == 0, is_impulse = strcmp(field->unit, "N s") == 0;
        if (i == 0) {
            assert_non_null(options);
            memcpy(options, from->solver_options, table->size);
        }
        if (field->type == CAIRN_TYPE_DOUBLE && (is_speed || is_impulse)) {
            double value;
            memcpy(&value, options + field->offset, sizeof value);
            value *= is_speed ? copy->by.time : copy->by.mass * copy->by.time;
            memcpy(options + field->offset, &value, sizeof value);
        }
    }
    assert_ok(cairn_world_set_solver(copy->to, from->solver, options));
    free(options);
}

CairnWorld *support_rescaled(const CairnWorld *world, Rescale by) {
    int bodies = cairn_world_bodies(world, NULL, 0), joints = cairn_world_joints(world, NULL, 0);
    Copy copy = {.from = world, .by = by};
    CairnBodyId *body_ids = calloc((size_t)bodies + 1, sizeof *body_ids);
    CairnJointId *joint_ids = calloc((size_t)joints + 1, sizeof *joint_ids);
    copy.bodies = calloc((size_t)world->store.body_pool.count + 1, sizeof *copy.bodies);
    copy.joints = calloc((size_t)world->store.joint_pool.count + 1, sizeof *copy.joints);
    assert_true(body_ids != NULL && joint_ids != NULL && copy.bodies != NULL && copy.joints != NULL);
    CairnWorldDef def = world_def(&copy);
    assert_ok(cairn_world_create(&def, &copy.to));
    set_solver(&copy);
    cairn_world_bodies(world, body_ids, bodies);
    cairn_world_joints(world, joint_ids, joints);
    for (int i = 0; i < bodies; i++) {
        int index = (int)body_ids[i].index - 1;
        CairnBodyDef body = body_def(&copy, index);
        assert_ok(cairn_body_create(copy.to, &body, &copy.bodies[index]));
        CairnShapeId shapes[256];
        int shape_count = cairn_body_shapes(world, body_ids[i], shapes, 256);
        assert_true(shape_count <= 256);
        for (int k = 0; k < shape_count; k++) {
            add_shape(&copy, shapes[k], copy.bodies[index]);
        }
    }
    for (int i = 0; i < joints; i++) {
        add_joint(&copy, joint_ids[i]);
    }
    free(body_ids);
    free(joint_ids);
    free(copy.bodies);
    free(copy.joints);
    return copy.to;
}

bool support_is_rescaled(const CairnWorld *plain, const CairnWorld *scaled, Rescale by, const char *what) {
    assert_int_equal(plain->store.body_pool.count, scaled->store.body_pool.count);
    for (int i = 0; i < plain->store.body_pool.count; i++) {
        const CairnBody *a = &plain->store.bodies[i], *b = &scaled->store.bodies[i];
        CairnVec3 center = cairn_scale(by.length, a->center), velocity = cairn_scale(by.time, a->velocity);
        CairnVec3 spin = cairn_scale(1 / by.time, a->angular_velocity);
        bool is_same = memcmp(&center, &b->center, sizeof center) == 0 && memcmp(&a->q, &b->q, sizeof a->q) == 0 &&
                       memcmp(&velocity, &b->velocity, sizeof velocity) == 0 &&
                       memcmp(&spin, &b->angular_velocity, sizeof spin) == 0;
        if (!is_same) {
            print_message("%s: body %d: x %.17g %.17g %.17g v %.3g w %.3g, not x %.17g %.17g %.17g v %.3g w %.3g\n",
                          what, i, center.x, center.y, center.z, cairn_length(velocity), cairn_length(spin),
                          b->center.x, b->center.y, b->center.z, cairn_length(b->velocity),
                          cairn_length(b->angular_velocity));
            return false;
        }
    }
    return true;
}
