#include "demos/viewer/grab.h"
#include "engine/base/mat3.h"
#include <stdio.h>

static const double frequency = 3, ratio = 1; // of the hand's spring, Hz and damping ratio
static const double calm = 3;                 // 1/s: how fast a dragged body stops turning
static const double strength = 60;            // m/s2: the most that it pulls, times the body's mass
static const double density = 1500;           // of what is thrown, kg/m3

CairnBodyId cairn_grab_body(const CairnWorld *world, uint32_t index, uint32_t generation) {
    CairnBodyId any = {0};
    cairn_world_bodies(world, &any, 1);
    return (CairnBodyId){index, generation, any.world};
}

static CairnStatus grab(CairnGrab *touch, CairnWorld *world, CairnBodyId id, CairnVec3 point) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, id, &state));
    if (state.type != CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u does not move", id.index);
    }
    touch->is_held = true;
    touch->body = id;
    touch->local = cairn_untransform_point((CairnTransform){state.position, state.orientation}, point);
    touch->target = touch->point = point;
    touch->force = (CairnVec3){0};
    return cairn_ok();
}

static CairnStatus push(CairnWorld *world, CairnBodyId id, const CairnDeed *deed) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, id, &state));
    if (state.type != CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u does not move", id.index);
    }
    return cairn_body_apply_impulse_at(world, id, cairn_scale(state.mass.mass, deed->b), deed->a);
}

static CairnStatus freeze(CairnWorld *world, CairnBodyId id) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, id, &state));
    return cairn_body_set_type(world, id, state.type == CAIRN_BODY_DYNAMIC ? CAIRN_BODY_STATIC : CAIRN_BODY_DYNAMIC);
}

static CairnStatus throw(CairnWorld * world, const CairnDeed *deed) {
    double size = deed->size;
    CairnBodyDef body = cairn_body_def();
    body.position = deed->a;
    body.velocity = deed->b;
    body.continuous = true;
    CairnShapeDef shape =
        deed->kind == CAIRN_DEED_THROW_BALL ? cairn_sphere(size) : cairn_box(2 * size, 2 * size, 2 * size);
    shape.density = density;
    return cairn_body_add(world, &body, &shape, NULL);
}

void cairn_grab_do(CairnGrab *touch, CairnWorld *world, const CairnDeed *deed) {
    CairnBodyId id = cairn_grab_body(world, deed->body, deed->generation);
    CairnStatus status = cairn_ok();
    touch->notice[0] = '\0';
    if (deed->kind == CAIRN_DEED_GRAB) {
        status = grab(touch, world, id, deed->a);
    } else if (deed->kind == CAIRN_DEED_DRAG) {
        touch->target = deed->a;
    } else if (deed->kind == CAIRN_DEED_RELEASE) {
        touch->is_held = false;
    } else if (deed->kind == CAIRN_DEED_FREEZE) {
        status = freeze(world, id);
    } else if (deed->kind == CAIRN_DEED_DELETE) {
        status = cairn_body_destroy(world, id);
    } else if (deed->kind == CAIRN_DEED_PUSH) {
        status = push(world, id, deed);
    } else {
        status = throw(world, deed);
    }
    if (!cairn_is_ok(status)) {
        snprintf(touch->notice, sizeof touch->notice, "%.110s", status.message);
    }
}

// Inverse effective mass of a body at a point: 1/m - [r]x I^-1 [r]x.
static CairnMat3 mobility(const CairnBodyState *state, CairnVec3 arm) {
    CairnMat3 turn = cairn_mat3_of_quat(state->orientation), inertia = cairn_mat3_product(turn, state->mass.inertia);
    inertia = cairn_mat3_product(inertia, cairn_mat3_transpose(turn));
    CairnMat3 inverse;
    double m = 1 / state->mass.mass;
    CairnMat3 W = cairn_mat3_diagonal(m, m, m);
    if (!cairn_mat3_inverse(inertia, &inverse)) {
        return W;
    }
    CairnMat3 cross = cairn_mat3_skew(arm);
    return cairn_mat3_sum(W, cairn_mat3_scaled(-1, cairn_mat3_product(cairn_mat3_product(cross, inverse), cross)));
}

// f = -k (x + h v+) - c v+ with v+ = v + h g + h W f, so that it is stable at any step: (1 + (h^2 k + h c) W) f = -k x
// - (h k + c) (v + h g). With the weight in v+ a body at rest hangs m g / k below, at any step.
void cairn_grab_pull(CairnGrab *touch, CairnWorld *world, double h) {
    CairnBodyState state;
    if (!touch->is_held) {
        return;
    }
    if (!cairn_is_ok(cairn_body_get(world, touch->body, &state)) || state.type != CAIRN_BODY_DYNAMIC) {
        touch->is_held = false;
        return;
    }
    double omega = 2 * CAIRN_PI * frequency, k = state.mass.mass * omega * omega;
    double c = 2 * ratio * state.mass.mass * omega;
    CairnVec3 point = cairn_transform_point((CairnTransform){state.position, state.orientation}, touch->local);
    CairnVec3 arm = cairn_sub(point, state.center);
    CairnVec3 v = cairn_add(state.velocity, cairn_cross(state.angular_velocity, arm));
    v = cairn_add_scaled(v, h, cairn_world_settings(world).gravity);
    CairnMat3 left = cairn_mat3_sum(cairn_mat3_diagonal(1, 1, 1),
                                    cairn_mat3_scaled(h * h * k + h * c, mobility(&state, arm))),
              inverse;
    CairnVec3 right = cairn_add(cairn_scale(k, cairn_sub(touch->target, point)), cairn_scale(-(h * k + c), v));
    CairnVec3 force = cairn_mat3_inverse(left, &inverse) ? cairn_mat3_mul(inverse, right) : (CairnVec3){0};
    double most = strength * state.mass.mass, size = cairn_length(force);
    touch->force = size > most ? cairn_scale(most / size, force) : force;
    touch->point = point;
    cairn_body_wake(world, touch->body);
    CairnStatus status = cairn_body_apply_force_at(world, touch->body, touch->force, point);
    if (cairn_is_ok(status)) {
        status =
            cairn_body_apply_torque(world, touch->body, cairn_scale(-calm / (1 + calm * h), state.angular_momentum));
    }
    touch->is_held = cairn_is_ok(status);
}
