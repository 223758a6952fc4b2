#include "demos/program/render/render_gather.h"
#include "demos/program/render/render_shade.h"
#include "demos/program/session/reserve.h"
#include "demos/scenes/builders_chain.h"
#include <stdlib.h>

// False: a shape that pictures do not know.
static bool primitive_of_shape(const CairnShapeDef *shape, CairnTransform body, CairnPrimitive *result) {
    CairnPrimitive primitive = {.pose =
                                    cairn_transform_mul(body, (CairnTransform){shape->position, shape->orientation})};
    if (shape->type == CAIRN_SHAPE_SPHERE) {
        primitive.kind = CAIRN_PRIMITIVE_SPHERE;
        primitive.half = cairn_vec3(shape->radius, shape->radius, shape->radius);
    } else if (shape->type == CAIRN_SHAPE_CYLINDER) {
        primitive.kind = CAIRN_PRIMITIVE_CYLINDER;
        primitive.half = cairn_vec3(shape->radius, shape->radius, 0.5 * shape->height);
    } else if (shape->type == CAIRN_SHAPE_CAPSULE) {
        primitive.kind = CAIRN_PRIMITIVE_CAPSULE;
        primitive.half = cairn_vec3(shape->radius, shape->radius, 0.5 * shape->height);
    } else if (shape->type == CAIRN_SHAPE_BOX) {
        primitive.kind = CAIRN_PRIMITIVE_BOX;
        primitive.half = cairn_scale(0.5, shape->size);
    } else if (shape->type == CAIRN_SHAPE_HALF_SPACE) {
        primitive.kind = CAIRN_PRIMITIVE_PLANE;
    } else if (shape->type == CAIRN_SHAPE_MESH) {
        primitive.kind = CAIRN_PRIMITIVE_FACETS;
        primitive.points = shape->points;
        primitive.indices = shape->indices;
        primitive.index_count = shape->index_count;
    } else if (shape->type == CAIRN_SHAPE_HULL) {
        primitive.kind = CAIRN_PRIMITIVE_HULL;
        primitive.points = shape->points;
        primitive.point_count = shape->point_count;
    } else {
        return false;
    }
    *result = primitive;
    return true;
}

typedef struct Gathering {
    const CairnWorld *world;
    double rod_width;
    CairnTints tints;
    CairnGatherPrimitive *take;
    void *user;
    CairnShapeId *shapes; // of one body
    int capacity;
} Gathering;

static CairnStatus list_shapes(Gathering *gathering, CairnBodyId id, int *count) {
    *count = cairn_body_shapes(gathering->world, id, gathering->shapes, gathering->capacity);
    if (*count > gathering->capacity) {
        if (!cairn_array_reserve(&gathering->shapes, &gathering->capacity, *count, sizeof *gathering->shapes)) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d shapes", *count);
        }
        cairn_body_shapes(gathering->world, id, gathering->shapes, gathering->capacity);
    }
    return cairn_ok();
}

static bool is_link(const CairnShapeDef *shape) {
    return shape->type == CAIRN_SHAPE_CAPSULE && (shape->user_data & ~(uint64_t)1) == CAIRN_LOOK_LINK;
}

// A link of a chain within its capsule: two bars and two bows of wire, of three pieces each. Neighbours hold each other
// by the bows.
static CairnStatus gather_link(const Gathering *gathering, CairnGathered gathered, bool is_turned) {
    enum { CORNERS = 8 };
    CairnTransform pose = gathered.primitive.pose;
    double radius = gathered.primitive.half.x, wire = 0.4 * radius, aside = radius - wire;
    double straight = gathered.primitive.half.z + wire - aside;
    CairnVec3 corners[CORNERS + 1];
    for (int i = 0; i <= CORNERS; i++) {
        double angle = CAIRN_PI * (i % 4) / 3, side = i % CORNERS < 4 ? 1 : -1;
        double across = side * aside * cos(angle), along = side * (straight + aside * sin(angle));
        CairnVec3 corner = {is_turned ? 0 : across, is_turned ? across : 0, along};
        corners[i] = cairn_transform_point(pose, corner);
    }
    gathered.primitive.color = cairn_color_mix(gathered.primitive.color, cairn_color(0x2B3038), 0.75);
    gathered.primitive.has_pattern = false;
    for (int i = 0; i < CORNERS; i++) {
        CairnVec3 edge = cairn_sub(corners[i + 1], corners[i]);
        gathered.primitive.half = cairn_vec3(wire, wire, 0.5 * cairn_length(edge));
        gathered.primitive.pose.p = cairn_scale(0.5, cairn_add(corners[i], corners[i + 1]));
        gathered.primitive.pose.q = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(edge));
        CAIRN_TRY(gathering->take(gathering->user, &gathered));
    }
    return cairn_ok();
}

static CairnStatus gather_body(Gathering *gathering, CairnBodyId id, int *moving) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(gathering->world, id, &state));
    CairnColor color = state.type == CAIRN_BODY_STATIC ? cairn_static_color() : cairn_body_color((*moving)++);
    int count;
    CAIRN_TRY(list_shapes(gathering, id, &count));
    for (int i = 0; i < count; i++) {
        CairnShapeDef shape;
        CAIRN_TRY(cairn_shape_get(gathering->world, gathering->shapes[i], &shape, NULL));
        CairnGathered gathered = {.shape = gathering->shapes[i], .body = &state, .id = id};
        if (!primitive_of_shape(&shape, (CairnTransform){state.position, state.orientation}, &gathered.primitive)) {
            continue;
        }
        gathered.primitive.has_pattern = state.type != CAIRN_BODY_STATIC;
        // The shapes of a compound differ a little, so that its turning shows.
        gathered.primitive.color = cairn_color_mix(color, gathering->tints.cream, i % 2 ? 0.35 : 0);
        if (gathered.primitive.kind == CAIRN_PRIMITIVE_PLANE) {
            gathered.primitive.color = cairn_ground_color();
        }
        CAIRN_TRY(is_link(&shape) ? gather_link(gathering, gathered, shape.user_data & 1)
                                  : gathering->take(gathering->user, &gathered));
    }
    return cairn_ok();
}

// Where a joint's frame stands; the null body is the world.
static CairnStatus joint_end(const CairnWorld *world, CairnBodyId body, CairnTransform frame, CairnVec3 *point) {
    CairnBodyState state = {.orientation = {1, 0, 0, 0}};
    if (!cairn_body_is_null(body)) {
        CAIRN_TRY(cairn_body_get(world, body, &state));
    }
    *point = cairn_transform_point((CairnTransform){state.position, state.orientation}, frame.p);
    return cairn_ok();
}

// Rods, ropes and springs have no shape: they are drawn as thin bars between their ends.
static CairnStatus gather_joint(const Gathering *gathering, CairnJointId id) {
    CairnJointDef joint;
    CAIRN_TRY(cairn_joint_get_def(gathering->world, id, &joint));
    if (joint.type != CAIRN_JOINT_DISTANCE) {
        return cairn_ok();
    }
    CairnVec3 a, b;
    CAIRN_TRY(joint_end(gathering->world, joint.body_a, joint.frame_a, &a));
    CAIRN_TRY(joint_end(gathering->world, joint.body_b, joint.frame_b, &b));
    CairnVec3 between = cairn_sub(b, a);
    double length = cairn_length(between), width = gathering->rod_width;
    CairnGathered gathered = {.body = NULL};
    gathered.primitive = (CairnPrimitive){
        .kind = CAIRN_PRIMITIVE_ROD, .half = {width, width, 0.5 * length}, .color = cairn_color(0x5A626C)};
    gathered.primitive.pose.p = cairn_scale(0.5, cairn_add(a, b));
    gathered.primitive.pose.q = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(between));
    return gathering->take(gathering->user, &gathered);
}

CairnStatus cairn_gather(const CairnWorld *world, double rod_width, CairnGatherPrimitive *take, void *user) {
    int bodies = cairn_world_bodies(world, NULL, 0), joints = cairn_world_joints(world, NULL, 0), moving = 0;
    Gathering gathering = {.world = world, .rod_width = rod_width, .tints = cairn_tints(), .take = take, .user = user};
    CairnBodyId *body = malloc((size_t)(bodies + 1) * sizeof *body);
    CairnJointId *joint = malloc((size_t)(joints + 1) * sizeof *joint);
    CairnStatus status = cairn_ok();
    if (!body || !joint) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d bodies and %d joints", bodies, joints);
        goto done;
    }
    cairn_world_bodies(world, body, bodies);
    cairn_world_joints(world, joint, joints);
    for (int i = 0; i < bodies && cairn_is_ok(status); i++) {
        status = gather_body(&gathering, body[i], &moving);
    }
    for (int i = 0; i < joints && cairn_is_ok(status); i++) {
        status = gather_joint(&gathering, joint[i]);
    }
done:
    free(gathering.shapes);
    free(body);
    free(joint);
    return status;
}
