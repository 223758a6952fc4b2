#include "demos/program/formats/mjcf.h"
#include "demos/program/formats/mjcf_tree.h"
#include <stdlib.h>
#include <string.h>

typedef struct Writer {
    FILE *file;
    const CairnWorld *world;
    CairnMjcfTree tree;
    int *first_child, *next_child; // of bodies; -1: none
    int first_root;
    int *written; // bodies in the order of the file
    int written_count;
    CairnMjcfCounts counts;
} Writer;

// ---- values ----

static void put_vec3(const Writer *writer, const char *name, CairnVec3 v) {
    fprintf(writer->file, " %s=\"%.17g %.17g %.17g\"", name, v.x, v.y, v.z);
}

static void put_quat(const Writer *writer, CairnQuat q) {
    fprintf(writer->file, " quat=\"%.17g %.17g %.17g %.17g\"", q.w, q.x, q.y, q.z);
}

static void indent(const Writer *writer, int depth) {
    for (int i = 0; i < depth; i++) {
        fputs("  ", writer->file);
    }
}

static CairnTransform pose_of(const CairnMjcfBody *body) {
    return (CairnTransform){body->state.position, body->state.orientation};
}

// ---- shapes ----

static CairnStatus put_shape(const Writer *writer, CairnShapeId id, int depth) {
    CairnShapeDef shape;
    FILE *file = writer->file;
    CAIRN_TRY(cairn_shape_get(writer->world, id, &shape, NULL));
    indent(writer, depth);
    fputs("<geom", file);
    switch (shape.type) {
    case CAIRN_SHAPE_SPHERE:
        fprintf(file, " type=\"sphere\" size=\"%.17g\"", shape.radius);
        break;
    case CAIRN_SHAPE_BOX:
        fprintf(file, " type=\"box\"");
        put_vec3(writer, "size", cairn_scale(0.5, shape.size));
        break;
    case CAIRN_SHAPE_CYLINDER:
    case CAIRN_SHAPE_CAPSULE:
        fprintf(file, " type=\"%s\" size=\"%.17g %.17g\"", shape.type == CAIRN_SHAPE_CYLINDER ? "cylinder" : "capsule",
                shape.radius, 0.5 * shape.height);
        break;
    case CAIRN_SHAPE_HALF_SPACE:
        fprintf(file, " type=\"plane\" size=\"0 0 1\"");
        break;
    default:
        fprintf(file, " type=\"mesh\" mesh=\"hull%u\"", id.index);
        break;
    }
    put_vec3(writer, "pos", shape.position);
    put_quat(writer, shape.orientation);
    int dimension = shape.rolling_friction > 0 ? 6 : shape.torsional_friction > 0 ? 4 : 3;
    fprintf(file, " condim=\"%d\" friction=\"%.17g %.17g %.17g\"", dimension, shape.friction, shape.torsional_friction,
            shape.rolling_friction);
    fprintf(file, " contype=\"%u\" conaffinity=\"%u\"/>\n", (unsigned)(shape.filter.category & 0x7FFFFFFF),
            (unsigned)(shape.filter.mask & 0x7FFFFFFF));
    return cairn_ok();
}

// Corners of hulls come before the bodies; MuJoCo makes the hull of them itself.
static CairnStatus put_hull(const Writer *writer, CairnShapeId id) {
    CairnShapeDef shape;
    CAIRN_TRY(cairn_shape_get(writer->world, id, &shape, NULL));
    if (shape.type == CAIRN_SHAPE_MESH) {
        return cairn_error(CAIRN_UNSUPPORTED, "shape %u is a triangle mesh, of which MuJoCo would make its convex hull",
                           id.index);
    }
    if (shape.type == CAIRN_SHAPE_HULL) {
        fprintf(writer->file, "    <mesh name=\"hull%u\" vertex=\"", id.index);
        for (int i = 0; i < shape.point_count; i++) {
            fprintf(writer->file, "%s%.17g %.17g %.17g", i > 0 ? "  " : "", shape.points[i].x, shape.points[i].y,
                    shape.points[i].z);
        }
        fputs("\"/>\n", writer->file);
    }
    return cairn_ok();
}

static CairnStatus each_shape(Writer *writer, const CairnMjcfBody *body, int depth) {
    int count = cairn_body_shapes(writer->world, body->id, NULL, 0);
    CairnShapeId *ids = malloc(((size_t)count + 1) * sizeof *ids);
    CairnStatus status = ids ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d shapes", count);
    if (ids) {
        cairn_body_shapes(writer->world, body->id, ids, count);
    }
    for (int i = 0; i < count && cairn_is_ok(status); i++) {
        status = depth < 0 ? put_hull(writer, ids[i]) : put_shape(writer, ids[i], depth);
    }
    writer->counts.shapes += depth < 0 ? 0 : count;
    free(ids);
    return status;
}

// ---- joints of the tree ----

static void put_range(const Writer *writer, const CairnAxis *axis) {
    if (axis->mode == CAIRN_AXIS_LIMITED) {
        fprintf(writer->file, " limited=\"true\" range=\"%.17g %.17g\"", axis->lower, axis->upper);
    }
    if (axis->drive == CAIRN_DRIVE_SPRING && axis->spring_unit == CAIRN_SPRING_FORCE) {
        fprintf(writer->file, " stiffness=\"%.17g\" damping=\"%.17g\" springref=\"%.17g\"", axis->stiffness,
                axis->damping, axis->target_position);
    }
}

static void count_drives(Writer *writer, const CairnJointDef *def) {
    for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
        const CairnAxis *axis = &def->axes[k];
        bool is_left_out = axis->drive == CAIRN_DRIVE_VELOCITY ||
                           (axis->drive == CAIRN_DRIVE_SPRING && axis->spring_unit == CAIRN_SPRING_FREQUENCY);
        writer->counts.drives += is_left_out;
    }
}

static void put_joints(const Writer *writer, const CairnMjcfBody *body, int depth) {
    CairnTransform pose = pose_of(body);
    CairnVec3 anchor = cairn_untransform_point(pose, body->anchor);
    if (body->joint < 0) {
        if (body->state.type == CAIRN_BODY_DYNAMIC) {
            indent(writer, depth);
            fputs("<freejoint/>\n", writer->file);
        }
        return;
    }
    const CairnMjcfJoint *joint = &writer->tree.joints[body->joint];
    if (body->is_ball) {
        indent(writer, depth);
        fprintf(writer->file, "<joint name=\"j%u\" type=\"ball\"", joint->id.index);
        put_vec3(writer, "pos", anchor);
        fputs("/>\n", writer->file);
    }
    for (int i = 0; i < body->axis_count; i++) {
        const CairnMjcfAxis *axis = &body->axes[i];
        indent(writer, depth);
        fprintf(writer->file, "<joint name=\"j%u_%d\" type=\"%s\"", joint->id.index, axis->axis,
                axis->is_slide ? "slide" : "hinge");
        put_vec3(writer, "pos", anchor);
        put_vec3(writer, "axis", cairn_unrotate(pose.q, axis->direction));
        fprintf(writer->file, " ref=\"%.17g\"", axis->position);
        put_range(writer, &joint->def.axes[axis->axis]);
        fputs("/>\n", writer->file);
    }
}

// The ends of rods, ropes and springs.
static void put_sites(const Writer *writer, int body, int depth) {
    for (int j = 0; j < writer->tree.joint_count; j++) {
        const CairnMjcfJoint *joint = &writer->tree.joints[j];
        for (int side = 0; side < 2 && joint->def.type == CAIRN_JOINT_DISTANCE; side++) {
            if (joint->bodies[side] == body) {
                indent(writer, depth);
                fprintf(writer->file, "<site name=\"s%u_%d\" size=\"0.001\"", joint->id.index, side);
                put_vec3(writer, "pos", side == 0 ? joint->def.frame_a.p : joint->def.frame_b.p);
                fputs("/>\n", writer->file);
            }
        }
    }
}

// ---- bodies ----

static CairnStatus put_body(Writer *writer, int index, int depth) {
    const CairnMjcfBody *body = &writer->tree.bodies[index];
    CairnTransform pose = pose_of(body);
    FILE *file = writer->file;
    if (depth > 97) {
        return cairn_error(CAIRN_UNSUPPORTED, "a chain of more than 95 bodies is too deep for MuJoCo's reader");
    }
    if (body->parent >= 0) {
        pose = cairn_transform_mul(cairn_transform_inverse(pose_of(&writer->tree.bodies[body->parent])), pose);
    }
    writer->written[writer->written_count++] = index;
    indent(writer, depth);
    fprintf(file, "<body name=\"b%u\"", body->id.index);
    put_vec3(writer, "pos", pose.p);
    put_quat(writer, pose.q);
    fprintf(file, "%s>\n", body->state.type == CAIRN_BODY_KINEMATIC ? " mocap=\"true\"" : "");
    put_joints(writer, body, depth + 1);
    if (body->state.type == CAIRN_BODY_DYNAMIC) {
        const CairnMat3 *I = &body->state.mass.inertia;
        indent(writer, depth + 1);
        fprintf(file, "<inertial mass=\"%.17g\"", body->state.mass.mass);
        put_vec3(writer, "pos", body->state.mass.center);
        fprintf(file, " fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>\n", I->m[0][0], I->m[1][1], I->m[2][2],
                I->m[0][1], I->m[0][2], I->m[1][2]);
    }
    CAIRN_TRY(each_shape(writer, body, depth + 1));
    put_sites(writer, index, depth + 1);
    for (int child = writer->first_child[index]; child >= 0; child = writer->next_child[child]) {
        CAIRN_TRY(put_body(writer, child, depth + 1));
    }
    indent(writer, depth);
    fputs("</body>\n", file);
    return cairn_ok();
}

// ---- what lies beside the tree ----

// body1 must be a body; the world is its missing partner.
static void put_pair(const Writer *writer, const CairnMjcfJoint *joint) {
    int first = joint->bodies[1] >= 0 ? 1 : 0;
    fprintf(writer->file, " body1=\"b%u\"", writer->tree.bodies[joint->bodies[first]].id.index);
    if (joint->bodies[1 - first] >= 0) {
        fprintf(writer->file, " body2=\"b%u\"", writer->tree.bodies[joint->bodies[1 - first]].id.index);
    }
}

static void put_connect(const Writer *writer, const CairnMjcfJoint *joint, CairnVec3 point) {
    int first = joint->bodies[1] >= 0 ? 1 : 0;
    fputs("    <connect", writer->file);
    put_pair(writer, joint);
    put_vec3(writer, "anchor", cairn_untransform_point(pose_of(&writer->tree.bodies[joint->bodies[first]]), point));
    fputs("/>\n", writer->file);
}

// The coordinate of a joint that a gear couples.
static int geared_axis(const CairnJointDef *def) {
    return def->type == CAIRN_JOINT_PRISMATIC ? CAIRN_X : def->type == CAIRN_JOINT_WHEEL ? CAIRN_RY : CAIRN_RX;
}

static CairnStatus put_gear(const Writer *writer, const CairnMjcfJoint *gear) {
    const CairnJointId ids[2] = {gear->def.joint_a, gear->def.joint_b};
    char names[2][32];
    for (int k = 0; k < 2; k++) {
        CairnJointDef def;
        CAIRN_TRY(cairn_joint_get_def(writer->world, ids[k], &def));
        snprintf(names[k], sizeof names[k], "j%u_%d", ids[k].index, geared_axis(&def));
    }
    fprintf(writer->file, "    <joint joint1=\"%s\" joint2=\"%s\" polycoef=\"0 %.17g 0 0 0\"/>\n", names[0], names[1],
            -gear->def.ratio);
    return cairn_ok();
}

static CairnStatus put_equality(const Writer *writer, const CairnMjcfJoint *joint) {
    CairnTransform b = cairn_mjcf_frame(&writer->tree, joint, 1);
    switch (joint->def.type) {
    case CAIRN_JOINT_BALL:
        put_connect(writer, joint, b.p);
        return cairn_ok();
    case CAIRN_JOINT_REVOLUTE: // two points of the axis
        put_connect(writer, joint, cairn_add_scaled(b.p, -0.1, cairn_rotate(b.q, cairn_vec3(1, 0, 0))));
        put_connect(writer, joint, cairn_add_scaled(b.p, 0.1, cairn_rotate(b.q, cairn_vec3(1, 0, 0))));
        return cairn_ok();
    case CAIRN_JOINT_FIXED:
        fputs("    <weld", writer->file);
        put_pair(writer, joint);
        fputs("/>\n", writer->file);
        return cairn_ok();
    case CAIRN_JOINT_GEAR:
        return put_gear(writer, joint);
    case CAIRN_JOINT_DISTANCE:
        if (!cairn_mjcf_moves(&joint->def, CAIRN_X)) {
            fprintf(writer->file, "    <tendon tendon1=\"t%u\"/>\n", joint->id.index);
        }
        return cairn_ok();
    default:
        return cairn_error(CAIRN_UNSUPPORTED, "joint %u (%s) closes a loop, for which MJCF has no such constraint",
                           joint->id.index, cairn_joint_type_name(joint->def.type));
    }
}

static void put_tendon(const Writer *writer, const CairnMjcfJoint *joint) {
    fprintf(writer->file, "    <spatial name=\"t%u\"", joint->id.index);
    put_range(writer, &joint->def.axes[CAIRN_X]);
    fprintf(writer->file, "><site site=\"s%u_0\"/><site site=\"s%u_1\"/></spatial>\n", joint->id.index,
            joint->id.index);
}

static CairnStatus put_rest(Writer *writer) {
    const CairnMjcfTree *tree = &writer->tree;
    FILE *file = writer->file;
    fputs("  <tendon>\n", file);
    for (int j = 0; j < tree->joint_count; j++) {
        if (tree->joints[j].def.type == CAIRN_JOINT_DISTANCE) {
            put_tendon(writer, &tree->joints[j]);
        }
    }
    fputs("  </tendon>\n  <equality>\n", file);
    for (int j = 0; j < tree->joint_count; j++) {
        count_drives(writer, &tree->joints[j].def);
        if (!tree->joints[j].is_in_tree) {
            CAIRN_TRY(put_equality(writer, &tree->joints[j]));
        }
    }
    fputs("  </equality>\n  <contact>\n", file);
    for (int j = 0; j < tree->joint_count; j++) {
        const CairnMjcfJoint *joint = &tree->joints[j];
        if (!joint->def.collide_connected && joint->bodies[0] >= 0 && joint->bodies[1] >= 0) {
            fprintf(file, "    <exclude body1=\"b%u\" body2=\"b%u\"/>\n", tree->bodies[joint->bodies[0]].id.index,
                    tree->bodies[joint->bodies[1]].id.index);
        }
    }
    fputs("  </contact>\n", file);
    return cairn_ok();
}

// Where all start, and how fast: a free body's velocity is of its frame's origin, its turn in its own axes.
static void put_start(const Writer *writer) {
    FILE *file = writer->file;
    for (int pass = 0; pass < 2; pass++) {
        fputs(pass == 0 ? "  <keyframe>\n    <key name=\"start\" qpos=\"" : "\" qvel=\"", file);
        for (int i = 0; i < writer->written_count; i++) {
            const CairnMjcfBody *body = &writer->tree.bodies[writer->written[i]];
            const CairnBodyState *s = &body->state;
            if (body->joint < 0 && s->type == CAIRN_BODY_DYNAMIC) {
                CairnVec3 arm = cairn_sub(s->position, s->center);
                CairnVec3 v = cairn_add(s->velocity, cairn_cross(s->angular_velocity, arm));
                CairnVec3 w = cairn_unrotate(s->orientation, s->angular_velocity), p = s->position;
                CairnQuat q = s->orientation;
                if (pass == 0) {
                    fprintf(file, " %.17g %.17g %.17g  %.17g %.17g %.17g %.17g", p.x, p.y, p.z, q.w, q.x, q.y, q.z);
                } else {
                    fprintf(file, " %.17g %.17g %.17g  %.17g %.17g %.17g", v.x, v.y, v.z, w.x, w.y, w.z);
                }
            } else if (body->is_ball) {
                CairnVec3 parent = {0, 0, 0};
                if (body->parent >= 0) {
                    parent = writer->tree.bodies[body->parent].state.angular_velocity;
                }
                CairnVec3 w = cairn_unrotate(s->orientation, cairn_sub(s->angular_velocity, parent));
                if (pass == 0) {
                    fputs(" 1 0 0 0", file);
                } else {
                    fprintf(file, " %.17g %.17g %.17g", w.x, w.y, w.z);
                }
            }
            for (int k = 0; k < body->axis_count; k++) {
                fprintf(file, " %.17g", pass == 0 ? body->axes[k].position : body->axes[k].velocity);
            }
        }
    }
    fputs("\"/>\n  </keyframe>\n", file);
}

// ---- the whole ----

static CairnStatus open_writer(Writer *writer) {
    CAIRN_TRY(cairn_mjcf_tree(writer->world, &writer->tree));
    int count = writer->tree.body_count;
    writer->first_child = malloc(((size_t)count + 1) * sizeof(int));
    writer->next_child = malloc(((size_t)count + 1) * sizeof(int));
    writer->written = malloc(((size_t)count + 1) * sizeof(int));
    if (!writer->first_child || !writer->next_child || !writer->written) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d bodies", count);
    }
    writer->first_root = -1;
    for (int i = 0; i < count; i++) {
        writer->first_child[i] = writer->next_child[i] = -1;
    }
    for (int i = count - 1; i >= 0; i--) { // so that they come in their order
        int parent = writer->tree.bodies[i].parent;
        int *first = parent < 0 ? &writer->first_root : &writer->first_child[parent];
        writer->next_child[i] = *first;
        *first = i;
    }
    return cairn_ok();
}

// MuJoCo's reader takes no longer lists. Without the key the bodies stand where they are all the same, at rest.
enum { MOST_COORDINATES = 500 };

static int count_coordinates(const Writer *writer) {
    int count = 0;
    for (int i = 0; i < writer->tree.body_count; i++) {
        const CairnMjcfBody *body = &writer->tree.bodies[i];
        bool is_free = body->joint < 0 && body->state.type == CAIRN_BODY_DYNAMIC;
        count += is_free ? 7 : body->is_ball ? 4 : body->axis_count;
    }
    return count;
}

static CairnStatus put_model(Writer *writer, const char *name, double dt) {
    CairnWorldDef def = cairn_world_settings(writer->world);
    FILE *file = writer->file;
    int bodies = writer->tree.body_count;
    fprintf(file, "<mujoco model=\"%s\">\n", name);
    fprintf(file, "  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n");
    fprintf(file, "  <size nconmax=\"%d\" njmax=\"%d\"/>\n", 100 + 10 * bodies, 500 + 40 * bodies);
    fprintf(file, "  <option timestep=\"%.17g\"", dt);
    put_vec3(writer, "gravity", def.gravity);
    fputs("/>\n  <asset>\n", file);
    for (int i = 0; i < bodies; i++) {
        CAIRN_TRY(each_shape(writer, &writer->tree.bodies[i], -1));
    }
    fputs("  </asset>\n  <worldbody>\n", file);
    put_sites(writer, -1, 2);
    for (int i = writer->first_root; i >= 0; i = writer->next_child[i]) {
        CAIRN_TRY(put_body(writer, i, 2));
    }
    fputs("  </worldbody>\n", file);
    CAIRN_TRY(put_rest(writer));
    if (count_coordinates(writer) <= MOST_COORDINATES) {
        put_start(writer);
    } else {
        writer->counts.is_at_rest = true;
    }
    fputs("</mujoco>\n", file);
    return cairn_ok();
}

CairnStatus cairn_mjcf_write(FILE *file, const CairnWorld *world, const char *name, double dt,
                             CairnMjcfCounts *counts) {
    Writer writer = {.file = file, .world = world};
    CairnStatus status = open_writer(&writer);
    status = cairn_is_ok(status) ? put_model(&writer, name, dt) : status;
    writer.counts.bodies = writer.tree.body_count;
    writer.counts.joints = writer.tree.joint_count;
    *counts = writer.counts;
    cairn_mjcf_tree_free(&writer.tree);
    free(writer.first_child);
    free(writer.next_child);
    free(writer.written);
    return status;
}
