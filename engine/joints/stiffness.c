// Geometric stiffness: how the torque of a joint's forces on a body changes as the body turns.
//
// Forces of lengths are taken as fixed in the world and acting at B's origin, a point of either body: turning a body by
// theta moves the point by theta x r, and the torque by (theta x r) x F = [F]x [r]x theta = (r F^T - (r . F) 1) theta.
// (Literally the force on A turns with A's axes, but written with axes of the world the same lock has no terms that
// couple two bodies, and then the blocks of single bodies are all of it.) Of a lock's force only the part along the arm
// counts, see add_pull.
#include "engine/base/mat3.h"
#include "engine/joints/kinds.h"

#include <float.h>

// k += sym(r F^T) - (r . F) 1
static void add_arm(CairnMat3 *k, CairnVec3 force, CairnVec3 r) {
    const double f[3] = {force.x, force.y, force.z}, a[3] = {r.x, r.y, r.z};
    double along = cairn_dot(r, force);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k->m[i][j] += 0.5 * (a[i] * f[j] + f[i] * a[j]);
        }
        k->m[i][i] -= along;
    }
}

// A rod of length d that carries f also turns as its end moves by theta x r: f/d [r]x^T (1 - n n^T) [r]x more.
static CairnMat3 swing_stiffness(double force_per_length, CairnVec3 n, CairnVec3 r) {
    double square = cairn_length_squared(r);
    CairnVec3 moment = cairn_cross(r, n);
    CairnMat3 k =
        cairn_mat3_sum(cairn_mat3_diagonal(square, square, square), cairn_mat3_scaled(-1, cairn_mat3_outer(r, r)));
    k = cairn_mat3_sum(k, cairn_mat3_scaled(-1, cairn_mat3_outer(moment, moment)));
    return cairn_mat3_scaled(force_per_length, k);
}

// k -= (r . F) (1 - r r^T / r^2): r F^T - (r . F) 1 for the part of F along r. The part across, r F_t^T, is nilpotent:
// it restores nothing, but its symmetric part has eigenvalues of +-|r| |F_t| / 2, and the negative one would brake
// turns about r that no force resists. (In a swinging chain that couples spin and roll of a link, and grows fivefold in
// five steps.)
static void add_pull(CairnMat3 *k, CairnVec3 force, CairnVec3 r) {
    double square = cairn_length_squared(r), along = cairn_dot(r, force);
    if (!(square > 0)) {
        return;
    }
    add_arm(k, cairn_scale(along / square, r), r);
}

// Straight lengths act at the same arms, so their forces on B are added up first.
static void add_straight(const CairnRelative *relative, CairnVec3 force, CairnMat3 k[2]) {
    add_pull(&k[0], cairn_neg(force), relative->arm_a);
    add_pull(&k[1], force, relative->arm_b);
}

static void add_rod(const CairnLengths *lengths, const CairnRelative *relative, int axis, double force,
                    CairnMat3 k[2]) {
    CairnVec3 n, arm_a = cairn_sub(relative->arm_a, relative->offset);
    double length = lengths->evaluate(relative, axis, &n);
    add_arm(&k[0], cairn_scale(-force, n), arm_a);
    add_arm(&k[1], cairn_scale(force, n), relative->arm_b);
    // A rod that is no longer than the rounding of its ends has no direction to turn.
    if (length > DBL_EPSILON * (cairn_length(arm_a) + cairn_length(relative->arm_b))) {
        k[0] = cairn_mat3_sum(k[0], swing_stiffness(force / length, n, arm_a));
        k[1] = cairn_mat3_sum(k[1], swing_stiffness(force / length, n, relative->arm_b));
    }
}

// `force` along the coordinate `axis` of one pair of bodies; that of a straight length goes into `straight`.
static void add_force(const CairnJointDef *def, const CairnRelative *relative, int axis, double force,
                      CairnVec3 *straight, CairnMat3 k[2]) {
    if (axis < CAIRN_RX) {
        const CairnLengths *lengths = cairn_joint_kinds[def->type].lengths;
        if (lengths->is_straight) {
            *straight = cairn_add_scaled(*straight, force, relative->a[axis]);
        } else {
            add_rod(lengths, relative, axis, force, k);
        }
        return;
    }
    const CairnAngle *angle = &cairn_joint_angles(def)[axis - CAIRN_RX];
    if (angle->curvature != NULL) {
        CairnMat3 c = cairn_mat3_scaled(force, angle->curvature(relative, angle));
        k[0] = cairn_mat3_sum(k[0], c);
        k[1] = cairn_mat3_sum(k[1], c);
    }
}

// The cosine that an angular row is about; 1 where its error is not the cosine itself: that of a drive or a limit.
static double cosine_of(const CairnJointDef *def, const CairnJointRow *row) {
    bool is_lock = row->role == CAIRN_ROW_LOCK && cairn_axis_mode(def, row->axis) == CAIRN_AXIS_LOCKED;
    return is_lock ? row->error : 1;
}

// True: two cosines of one axis constrain B, and they are nearly satisfied. Then all turns but those about the axis are
// locked: Q = 1 - a a^T, and of K = sym(a b^T) - c 1 only -c Q is no mixed term (cairn_joint_stiffness).
static bool is_on_axle(const CairnJointDef *def, const CairnAngle *angles, const CairnJointRow *rows, int row_count) {
    const CairnAngle *held[2];
    int count = 0;
    for (int i = 0; i < row_count; i++) {
        if (rows[i].role == CAIRN_ROW_LOCK && rows[i].axis >= CAIRN_RX) {
            if (count == 2 || !(fabs(cosine_of(def, &rows[i])) <= 0.5)) {
                return false;
            }
            held[count++] = &angles[rows[i].axis - CAIRN_RX];
        }
    }
    return count == 2 && held[0]->is_cosine && held[1]->is_cosine &&
           (held[0]->i == held[1]->i) != (held[0]->j == held[1]->j);
}

// |sym(a b^T) - c 1|^2 = (1 + 3 c^2) / 2 for the cosine c = a . b, and |-c Q|^2 = 2 c^2.
bool cairn_joint_pull(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                      CairnVec3 *force, double *turn) {
    const CairnJointDef *def = &input->core->def;
    const CairnLengths *lengths = cairn_joint_kinds[def->type].lengths;
    CairnVec3 impulse = {0, 0, 0};
    if (lengths == NULL || !lengths->is_straight) {
        return false;
    }
    const CairnAngle *angles = cairn_joint_angles(def);
    bool on_axle = is_on_axle(def, angles, rows, row_count);
    double angular = 0;
    for (int i = 0; i < row_count; i++) {
        impulse = cairn_add_scaled(impulse, lambda[i], rows[i].jacobian[1].linear);
        const CairnAngle *angle = rows[i].axis >= CAIRN_RX ? &angles[rows[i].axis - CAIRN_RX] : NULL;
        if (angle == NULL || angle->curvature == NULL || lambda[i] == 0) {
            continue;
        }
        if (!angle->is_cosine) {
            return false;
        }
        double c = cosine_of(def, &rows[i]);
        bool is_held = on_axle && rows[i].role == CAIRN_ROW_LOCK;
        angular += (is_held ? sqrt(2) * fabs(c) : sqrt(0.5 + 1.5 * c * c)) * fabs(lambda[i]);
    }
    *force = cairn_scale(1 / input->h, impulse);
    *turn = angular / input->h;
    return true;
}

static void add_gear(const CairnJointInput *input, double force, CairnMat3 k[CAIRN_JOINT_MAX_BODIES]) {
    const CairnJointDef *defs[2] = {&input->gear_a->def, &input->gear_b->def};
    const double forces[2] = {force, force * input->core->def.ratio};
    for (int side = 0; side < 2; side++) {
        CairnRelative relative = cairn_relative(&input->bodies[2 * side]);
        CairnVec3 straight = {0, 0, 0};
        add_force(defs[side], &relative, cairn_joint_kinds[defs[side]->type].gear_axis, forces[side], &straight,
                  &k[2 * side]);
        add_straight(&relative, straight, &k[2 * side]);
    }
}

// The projector on the turns of B in A that the locked angles forbid; false if they forbid none or all.
static bool locked_turns(const CairnJointRow *rows, int row_count, CairnMat3 *projector) {
    CairnVec3 basis[3];
    int count = 0;
    *projector = cairn_mat3_diagonal(0, 0, 0);
    for (int i = 0; i < row_count; i++) {
        if (rows[i].role != CAIRN_ROW_LOCK || rows[i].axis < CAIRN_RX || count == 3) {
            continue;
        }
        CairnVec3 v = rows[i].jacobian[1].angular;
        for (int j = 0; j < count; j++) {
            v = cairn_add_scaled(v, -cairn_dot(v, basis[j]), basis[j]);
        }
        if (cairn_length(v) > 1e-6) {
            basis[count] = cairn_normalize(v);
            *projector = cairn_mat3_sum(*projector, cairn_mat3_outer(basis[count], basis[count]));
            count++;
        }
    }
    return count == 1 || count == 2;
}

// (1 - Q) K (1 - Q) + Q K Q
static CairnMat3 without_mixed(CairnMat3 k, CairnMat3 q) {
    CairnMat3 qk = cairn_mat3_product(q, k);
    CairnMat3 mixed = cairn_mat3_sum(qk, cairn_mat3_transpose(qk)); // q and k are symmetric
    mixed = cairn_mat3_sum(mixed, cairn_mat3_scaled(-2, cairn_mat3_product(qk, q)));
    return cairn_mat3_sum(k, cairn_mat3_scaled(-1, mixed));
}

// The world keeps the negative part of each body's sum. A term that mixes a free turn with a locked one has such a part
// along the free turn, where no force restores anything: an axle loaded beside the wheel would brake it. So mixed terms
// are omitted.
void cairn_joint_stiffness(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                           CairnMat3 stiffness[CAIRN_JOINT_MAX_BODIES]) {
    CairnRelative relative = cairn_relative(input->bodies);
    CairnMat3 sum[CAIRN_JOINT_MAX_BODIES] = {0};
    CairnVec3 straight = {0, 0, 0};
    bool is_gear = input->core->def.type == CAIRN_JOINT_GEAR;
    for (int i = 0; i < row_count; i++) {
        double force = (rows[i].role == CAIRN_ROW_UPPER ? -lambda[i] : lambda[i]) / input->h;
        if (force != 0 && is_gear) {
            add_gear(input, force, sum);
        } else if (force != 0) {
            add_force(&input->core->def, &relative, rows[i].axis, force, &straight, sum);
        }
    }
    if (!is_gear) {
        add_straight(&relative, straight, sum);
    }
    CairnMat3 locked = {0};
    bool is_mixed = !is_gear && locked_turns(rows, row_count, &locked);
    for (int k = 0; k < cairn_joint_body_count(&input->core->def); k++) {
        stiffness[k] = cairn_mat3_sum(stiffness[k], is_mixed ? without_mixed(sum[k], locked) : sum[k]);
    }
}
