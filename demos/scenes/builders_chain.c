#include "demos/scenes/builders_chain.h"

void cairn_walk_curve(CairnCurve *curve, const void *data, double length, int count, CairnVec3 *points) {
    double s = 0;
    points[0] = curve(data, 0);
    for (int i = 0; i < count; i++) {
        double low = s, high = s + length; // a chord is no longer than its arc; where s lags behind, look on
        while (cairn_length(cairn_sub(curve(data, high), points[i])) < length) {
            high += 0.1 * length;
        }
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            bool is_near = cairn_length(cairn_sub(curve(data, middle), points[i])) < length;
            low = is_near ? middle : low;
            high = is_near ? high : middle;
        }
        s = high;
        points[i + 1] = curve(data, s);
    }
}

// The link's axis is its z. The next one is turned against it by an angle about x, then by one about its own y: the two
// free angles of a universal joint, so that every joint is exact from the start.
static CairnQuat turn_to(CairnQuat last, CairnVec3 direction) {
    CairnVec3 d = cairn_unrotate(last, direction);
    double about_y = asin(cairn_clamp(d.x, -1, 1)), about_x = atan2(-d.y, d.z);
    CairnQuat x = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), about_x);
    CairnQuat y = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), about_y);
    return cairn_quat_normalize(cairn_quat_mul(last, cairn_quat_mul(x, y)));
}

static CairnJointDef universal(CairnBodyId a, CairnBodyId b, double half_length) {
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_UNIVERSAL);
    joint.body_a = a;
    joint.body_b = b;
    joint.frame_a.p = cairn_vec3(0, 0, half_length);
    joint.frame_b.p = cairn_vec3(0, 0, -half_length);
    return joint;
}

CairnStatus cairn_build_links(CairnWorld *world, const CairnLinks *links, const CairnVec3 *points, CairnBodyId *ids) {
    if (links->count < 1 || links->group_size < 1) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "links: count = %d and group_size = %d must be at least 1",
                           links->count, links->group_size);
    }
    CairnShapeDef shape = cairn_capsule(links->radius, links->length);
    shape.friction = links->friction;
    shape.rolling_friction = links->rolling_friction;
    shape.torsional_friction = links->rolling_friction;
    CairnQuat turn = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(cairn_sub(points[1], points[0])));
    for (int i = 0; i < links->count; i++) {
        turn = turn_to(turn, cairn_normalize(cairn_sub(points[i + 1], points[i])));
        shape.user_data = CAIRN_LOOK_LINK + (uint64_t)(i % 2);
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_scale(0.5, cairn_add(points[i], points[i + 1]));
        body.orientation = turn;
        body.mass = links->mass;
        body.linear_damping = links->damping;
        body.angular_damping = links->damping;
        body.group = i / links->group_size;
        CAIRN_TRY(cairn_body_add(world, &body, &shape, &ids[i]));
        if (i > 0) {
            CairnJointDef joint = universal(ids[i - 1], ids[i], 0.5 * links->length);
            CAIRN_TRY(cairn_joint_create(world, &joint, NULL));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_build_link_load(CairnWorld *world, const CairnLinks *links, CairnBodyId last, CairnBodyId load) {
    CairnBodyState link;
    CAIRN_TRY(cairn_body_get(world, last, &link));
    CairnVec3 end = cairn_rotate(link.orientation, cairn_vec3(0, 0, 0.5 * links->length));
    CairnJointDef joint = universal(last, load, 0);
    CAIRN_TRY(cairn_joint_place(world, &joint, cairn_add(link.position, end),
                                cairn_rotate(link.orientation, cairn_vec3(1, 0, 0)),
                                cairn_rotate(link.orientation, cairn_vec3(0, 1, 0))));
    return cairn_joint_create(world, &joint, NULL);
}

CairnStatus cairn_build_bar(CairnWorld *world, CairnBodyDef body, CairnShapeDef capsule, CairnVec3 from, CairnVec3 to,
                            CairnBodyId *id) {
    CairnVec3 along = cairn_sub(to, from);
    body.position = cairn_scale(0.5, cairn_add(from, to));
    body.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(along));
    capsule.height = cairn_length(along);
    return cairn_body_add(world, &body, &capsule, id);
}
