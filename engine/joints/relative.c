// Frame B as frame A sees it, and the two kinds of lengths between them.
#include "engine/joints/coordinates.h"

static void axes_of(CairnQuat q, CairnVec3 axes[3]) {
    CairnMat3 r = cairn_mat3_of_quat(q);
    for (int i = 0; i < 3; i++) {
        axes[i] = (CairnVec3){r.m[0][i], r.m[1][i], r.m[2][i]};
    }
}

CairnRelative cairn_relative(const CairnJointBody bodies[2]) {
    CairnRelative relative = {
        .q = cairn_quat_mul(cairn_quat_conj(bodies[0].frame.q), bodies[1].frame.q),
        .offset = cairn_sub(bodies[1].frame.p, bodies[0].frame.p),
        .arm_a = cairn_sub(bodies[1].frame.p, bodies[0].center),
        .arm_b = cairn_sub(bodies[1].frame.p, bodies[1].center),
    };
    axes_of(bodies[0].frame.q, relative.a);
    axes_of(bodies[1].frame.q, relative.b);
    return relative;
}

static double offset_along(const CairnRelative *relative, int axis, CairnVec3 *direction) {
    *direction = relative->a[axis];
    return cairn_dot(relative->a[axis], relative->offset);
}

const CairnLengths cairn_offsets = {offset_along, true};

static double distance(const CairnRelative *relative, int axis, CairnVec3 *direction) {
    (void)axis;
    *direction = cairn_normalize_or(relative->offset, relative->a[0]); // at no distance any direction will do: x of A
    return cairn_length(relative->offset);
}

const CairnLengths cairn_distance = {distance, false};
