#include "demos/program/formats/mjcf_tree.h"
#include <stdlib.h>
#include <string.h>

// Which coordinates a type leaves free, and which of the others may be freed (include/cairn/joints.h).
static const struct {
    const char *free, *optional;
} kinds[CAIRN_JOINT_TYPE_COUNT] = {[CAIRN_JOINT_BALL] = {"345", ""},       [CAIRN_JOINT_REVOLUTE] = {"3", ""},
                                   [CAIRN_JOINT_UNIVERSAL] = {"34", ""},   [CAIRN_JOINT_PRISMATIC] = {"0", ""},
                                   [CAIRN_JOINT_CYLINDRICAL] = {"03", ""}, [CAIRN_JOINT_FIXED] = {"", ""},
                                   [CAIRN_JOINT_DISTANCE] = {"", "0"},     [CAIRN_JOINT_PLANAR] = {"123", ""},
                                   [CAIRN_JOINT_WHEEL] = {"04", "3"},      [CAIRN_JOINT_SIX_DOF] = {"", "012345"},
                                   [CAIRN_JOINT_GEAR] = {"", ""}};

bool cairn_mjcf_moves(const CairnJointDef *def, int axis) {
    CairnAxisMode mode = def->axes[axis].mode;
    if (strchr(kinds[def->type].free, '0' + axis)) {
        return mode != CAIRN_AXIS_LOCKED;
    }
    return strchr(kinds[def->type].optional, '0' + axis) && (mode == CAIRN_AXIS_FREE || mode == CAIRN_AXIS_LIMITED);
}

static int index_of(const CairnMjcfTree *tree, CairnBodyId id) {
    for (int i = 0; i < tree->body_count; i++) {
        if (tree->bodies[i].id.index == id.index) {
            return i;
        }
    }
    return -1;
}

CairnTransform cairn_mjcf_frame(const CairnMjcfTree *tree, const CairnMjcfJoint *joint, int side) {
    CairnTransform frame = side == 0 ? joint->def.frame_a : joint->def.frame_b;
    if (joint->bodies[side] < 0) {
        return frame;
    }
    const CairnBodyState *body = &tree->bodies[joint->bodies[side]].state;
    CairnTransform pose = {body->position, body->orientation};
    return (CairnTransform){cairn_transform_point(pose, frame.p), cairn_quat_mul(pose.q, frame.q)};
}

// ---- what hangs on what ----

static CairnStatus gather(const CairnWorld *world, CairnMjcfTree *tree) {
    tree->body_count = cairn_world_bodies(world, NULL, 0);
    tree->joint_count = cairn_world_joints(world, NULL, 0);
    tree->bodies = calloc((size_t)tree->body_count + 1, sizeof *tree->bodies);
    tree->joints = calloc((size_t)tree->joint_count + 1, sizeof *tree->joints);
    CairnBodyId *bodies = calloc((size_t)tree->body_count + 1, sizeof *bodies);
    CairnJointId *joints = calloc((size_t)tree->joint_count + 1, sizeof *joints);
    CairnStatus status = tree->bodies && tree->joints && bodies && joints
                             ? cairn_ok()
                             : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d bodies", tree->body_count);
    if (cairn_is_ok(status)) {
        cairn_world_bodies(world, bodies, tree->body_count);
        cairn_world_joints(world, joints, tree->joint_count);
    }
    for (int i = 0; i < tree->body_count && cairn_is_ok(status); i++) {
        tree->bodies[i] = (CairnMjcfBody){.id = bodies[i], .parent = -1, .joint = -1};
        status = cairn_body_get(world, bodies[i], &tree->bodies[i].state);
    }
    for (int i = 0; i < tree->joint_count && cairn_is_ok(status); i++) {
        CairnMjcfJoint *joint = &tree->joints[i];
        joint->id = joints[i];
        status = cairn_joint_get_def(world, joints[i], &joint->def);
        status = cairn_is_ok(status) ? cairn_joint_get(world, joints[i], &joint->state) : status;
        joint->bodies[0] = cairn_body_is_null(joint->def.body_a) ? -1 : index_of(tree, joint->def.body_a);
        joint->bodies[1] = cairn_body_is_null(joint->def.body_b) ? -1 : index_of(tree, joint->def.body_b);
    }
    free(bodies);
    free(joints);
    return status;
}

static bool is_dynamic(const CairnMjcfTree *tree, int body) {
    return body >= 0 && tree->bodies[body].state.type == CAIRN_BODY_DYNAMIC;
}

// In rounds: each body that a joint ties to the world, to a body that is not dynamic, or to a body that is in the tree
// already joins the tree. Where a round adds no body, the first remaining one that has a joint becomes free, the root
// of another tree. `order` gets the bodies, parents first.
static void order_tree(CairnMjcfTree *tree, bool *is_ordered, int *order) {
    int count = 0;
    for (int i = 0; i < tree->body_count; i++) {
        if (!is_dynamic(tree, i)) {
            is_ordered[i] = true;
            order[count++] = i;
        }
    }
    while (count < tree->body_count) {
        int before = count;
        for (int j = 0; j < tree->joint_count; j++) {
            CairnMjcfJoint *joint = &tree->joints[j];
            if (joint->is_in_tree || joint->def.type == CAIRN_JOINT_DISTANCE || joint->def.type == CAIRN_JOINT_GEAR) {
                continue;
            }
            for (int child = 1; child >= 0; child--) {
                int body = joint->bodies[child], parent = joint->bodies[1 - child];
                if (!joint->is_in_tree && is_dynamic(tree, body) && !is_ordered[body] &&
                    (parent < 0 || is_ordered[parent])) {
                    tree->bodies[body].parent = parent;
                    tree->bodies[body].joint = j;
                    tree->bodies[body].is_inverted = child == 0;
                    joint->is_in_tree = is_ordered[body] = true;
                    order[count++] = body;
                }
            }
        }
        for (int i = 0; i < tree->body_count && count == before; i++) {
            if (!is_ordered[i]) {
                is_ordered[i] = true;
                order[count++] = i;
            }
        }
    }
}

// ---- what a joint's coordinates are as joints of their own ----

static void add_axis(CairnMjcfBody *body, const CairnMjcfJoint *joint, int axis, CairnVec3 direction) {
    if (cairn_mjcf_moves(&joint->def, axis)) {
        double sign = body->is_inverted ? -1 : 1;
        body->axes[body->axis_count++] = (CairnMjcfAxis){.is_slide = axis < CAIRN_RX,
                                                         .axis = axis,
                                                         .direction = cairn_scale(sign, direction),
                                                         .position = joint->state.position[axis],
                                                         .velocity = joint->state.velocity[axis]};
    }
}

static void set_axes(const CairnMjcfTree *tree, CairnMjcfBody *body) {
    const CairnMjcfJoint *joint = &tree->joints[body->joint];
    CairnTransform a = cairn_mjcf_frame(tree, joint, 0), b = cairn_mjcf_frame(tree, joint, 1);
    CairnVec3 x = cairn_rotate(a.q, cairn_vec3(1, 0, 0)), y = cairn_rotate(a.q, cairn_vec3(0, 1, 0));
    CairnVec3 z = cairn_rotate(a.q, cairn_vec3(0, 0, 1));
    CairnVec3 b_y = cairn_rotate(b.q, cairn_vec3(0, 1, 0)), b_z = cairn_rotate(b.q, cairn_vec3(0, 0, 1));
    double turn = joint->state.position[CAIRN_RX];
    body->anchor = body->is_inverted ? a.p : b.p;
    if (joint->def.type == CAIRN_JOINT_BALL) {
        body->is_ball = true;
        return;
    }
    bool is_cardan = joint->def.type == CAIRN_JOINT_SIX_DOF;
    CairnVec3 turned = cairn_add(cairn_scale(cos(turn), y), cairn_scale(sin(turn), z)); // y after the turn about x
    add_axis(body, joint, CAIRN_X, x);
    add_axis(body, joint, CAIRN_Y, y);
    add_axis(body, joint, CAIRN_Z, z);
    add_axis(body, joint, CAIRN_RX, x);
    add_axis(body, joint, CAIRN_RY, is_cardan ? turned : b_y);
    add_axis(body, joint, CAIRN_RZ, b_z);
    for (int i = 0; body->is_inverted && i < body->axis_count / 2; i++) { // from B's side they come in reverse order
        CairnMjcfAxis axis = body->axes[i];
        body->axes[i] = body->axes[body->axis_count - 1 - i];
        body->axes[body->axis_count - 1 - i] = axis;
    }
}

enum { DEEPEST = 90 };

// Where a chain is too long its rest hangs on a constraint instead, if its joint can be one.
static void cut_deep(CairnMjcfTree *tree) {
    for (int i = 0; i < tree->body_count; i++) {
        CairnMjcfBody *body = &tree->bodies[i];
        body->depth = body->parent < 0 ? 0 : tree->bodies[body->parent].depth + 1;
        if (body->depth < DEEPEST || body->joint < 0) {
            continue;
        }
        CairnMjcfJoint *joint = &tree->joints[body->joint];
        CairnJointType type = joint->def.type;
        if (type == CAIRN_JOINT_BALL || type == CAIRN_JOINT_REVOLUTE || type == CAIRN_JOINT_FIXED) {
            joint->is_in_tree = false;
            body->parent = body->joint = -1;
            body->depth = 0;
        }
    }
}

static CairnStatus order_bodies(CairnMjcfTree *tree) {
    bool *is_ordered = calloc((size_t)tree->body_count + 1, sizeof *is_ordered);
    int *order = calloc((size_t)tree->body_count + 1, sizeof *order);
    int *rank = calloc((size_t)tree->body_count + 1, sizeof *rank);
    CairnMjcfBody *bodies = calloc((size_t)tree->body_count + 1, sizeof *bodies);
    bool has_memory = is_ordered && order && rank && bodies;
    if (has_memory) {
        order_tree(tree, is_ordered, order);
        for (int i = 0; i < tree->body_count; i++) {
            rank[order[i]] = i;
            bodies[i] = tree->bodies[order[i]];
        }
        for (int i = 0; i < tree->body_count; i++) {
            bodies[i].parent = bodies[i].parent < 0 ? -1 : rank[bodies[i].parent];
        }
        for (int j = 0; j < 2 * tree->joint_count; j++) {
            int *body = &tree->joints[j / 2].bodies[j % 2];
            *body = *body < 0 ? -1 : rank[*body];
        }
        CairnMjcfBody *unordered = tree->bodies;
        tree->bodies = bodies;
        bodies = unordered;
        cut_deep(tree);
        for (int i = 0; i < tree->body_count; i++) {
            if (tree->bodies[i].joint >= 0) {
                set_axes(tree, &tree->bodies[i]);
            }
        }
    }
    free(is_ordered);
    free(order);
    free(rank);
    free(bodies);
    return has_memory ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d bodies", tree->body_count);
}

CairnStatus cairn_mjcf_tree(const CairnWorld *world, CairnMjcfTree *tree) {
    *tree = (CairnMjcfTree){.bodies = NULL};
    CairnStatus status = gather(world, tree);
    status = cairn_is_ok(status) ? order_bodies(tree) : status;
    if (!cairn_is_ok(status)) {
        cairn_mjcf_tree_free(tree);
    }
    return status;
}

void cairn_mjcf_tree_free(CairnMjcfTree *tree) {
    free(tree->bodies);
    free(tree->joints);
    *tree = (CairnMjcfTree){.bodies = NULL};
}
