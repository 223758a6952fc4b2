// Contacts in the problem: tangent frames, warm impulses, friction bounds, Jacobian rows.
#include "engine/base/mat3.h"
#include "engine/step.h"

// Slower than this a contact has no direction of sliding worth following.
static const double still = 1e-9; // m/s

static CairnVec6 free_velocity(const CairnStep *step, int body) {
    int block = cairn_step_block(step, body);
    return block >= 0 ? step->blocks[block].free : cairn_step_start(step, body);
}

static CairnVec3 point_velocity(CairnVec6 v, CairnVec3 arm) {
    return cairn_add(v.linear, cairn_cross(v.angular, arm));
}

// A box is up to sqrt(2) too strong on its diagonal, so t1 follows the free tangential velocity; without one it stays as near
// to the last t1 as the new normal allows.
static void choose_tangents(const CairnStep *step, CairnStepContact *c, CairnVec3 slip) {
    CairnVec3 n = c->normal;
    CairnVec3 along = cairn_add_scaled(slip, -cairn_dot(slip, n), n);
    double speed = cairn_length(along);
    CairnVec3 unused;
    if (speed > still) {
        c->tangent_1 = cairn_scale(1.0 / speed, along);
    } else if (c->record >= 0) {
        CairnVec3 last = step->store->contacts[c->record].tangent_1;
        CairnVec3 fallback;
        cairn_tangents(n, &fallback, &unused);
        c->tangent_1 = cairn_normalize_or(cairn_add_scaled(last, -cairn_dot(last, n), n), fallback);
    } else {
        cairn_tangents(n, &c->tangent_1, &unused);
    }
    c->tangent_2 = cairn_cross(n, c->tangent_1);
}

// How much velocity a unit impulse along the normal makes: the diagonal of J M^-1 J^T.
static double inverse_mass_along(const CairnStep *step, int body, CairnVec3 arm, CairnVec3 n) {
    if (cairn_step_block(step, body) < 0) {
        return 0;
    }
    const CairnBody *b = &step->store->bodies[body];
    CairnMat3 axes = cairn_body_axes(b);
    CairnVec3 turn = cairn_mat3_transpose_mul(axes, cairn_cross(arm, n)), inverse = cairn_inverse_moments(b);
    return 1.0 / b->mass + inverse.x * turn.x * turn.x + inverse.y * turn.y * turn.y + inverse.z * turn.z * turn.z;
}

static double position_term(const CairnStep *step, double distance) {
    const CairnWorldDef *def = &step->world->def;
    if (distance >= 0) { // a gap is closed exactly, never crossed
        return distance / step->h;
    }
    double push = def->contact_fraction * fmin(distance + def->contact_slop, 0.0) / step->h;
    return fmax(push, -def->contact_push);
}

// d of the normal row in terms of the end velocity: the gap or overlap, and Newton's restitution where the surfaces meet in
// this step: J v+ >= -e J v-.
static double normal_term(const CairnStep *step, const CairnStepContact *c, double free_approach) {
    double d = position_term(step, c->distance);
    double e = c->material.restitution;
    bool meets = c->distance + step->h * fmin(c->approach, free_approach) <= 0;
    if (e > 0 && meets && c->approach < -step->world->def.restitution_threshold) {
        d = fmin(d, e * c->approach);
    }
    return d;
}

static void prepare_contact(const CairnStep *step, CairnStepContact *c) {
    CairnVec3 slip = cairn_sub(point_velocity(free_velocity(step, c->body_b), c->arm_b),
                               point_velocity(free_velocity(step, c->body_a), c->arm_a));
    choose_tangents(step, c, slip);
    if (c->record >= 0) {
        const CairnContactRecord *record = &step->store->contacts[c->record];
        double s = step->impulse_scale;
        c->warm = (CairnVec3){s * record->normal_impulse, s * cairn_dot(record->tangent_impulse, c->tangent_1),
                              s * cairn_dot(record->tangent_impulse, c->tangent_2)};
        c->warm_spin = (CairnVec3){s * cairn_dot(record->spin_impulse, c->normal),
                                   s * cairn_dot(record->spin_impulse, c->tangent_1),
                                   s * cairn_dot(record->spin_impulse, c->tangent_2)};
    }
    c->frozen = c->warm.x;
    if (c->frozen <= 0) {
        // First touch: what would stop this manifold's approach if nothing else acted, shared among its points.
        double free_approach = cairn_dot(c->normal, slip);
        double excess = -(free_approach + normal_term(step, c, free_approach));
        double response = inverse_mass_along(step, c->body_a, c->arm_a, c->normal) +
                          inverse_mass_along(step, c->body_b, c->arm_b, c->normal);
        c->frozen = excess > 0 && response > 0 ? excess / (response * c->manifold_count) : 0;
    }
}

static int rows_of(const CairnMaterial *m) {
    if (m->rolling_friction > 0) {
        return 6;
    }
    if (m->torsional_friction > 0) {
        return 4;
    }
    return m->friction > 0 ? 3 : 1;
}

void cairn_step_contact_frames(CairnStep *step) {
    int count = step->contact_count;
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && count > 64) schedule(static)
    for (int i = 0; i < count; i++) {
        prepare_contact(step, &step->contacts[i]);
        step->contacts[i].row_count = rows_of(&step->contacts[i].material);
    }
}

static void write_row(double *J, CairnVec3 linear, CairnVec3 angular, double sign) {
    J[0] = sign * linear.x;
    J[1] = sign * linear.y;
    J[2] = sign * linear.z;
    J[3] = sign * angular.x;
    J[4] = sign * angular.y;
    J[5] = sign * angular.z;
}

// Rows n, t1, t2 (linear), then torsion about n and rolling about t1, t2 (angular).
static void write_side(const CairnStepContact *c, CairnVec3 arm, double sign, double *J) {
    const CairnVec3 axes[3] = {c->normal, c->tangent_1, c->tangent_2};
    const CairnVec3 zero = {0, 0, 0};
    for (int r = 0; r < c->row_count && r < 3; r++) {
        write_row(J + 6 * r, axes[r], cairn_cross(arm, axes[r]), sign);
    }
    for (int r = 3; r < c->row_count; r++) {
        write_row(J + 6 * r, zero, axes[r - 3], sign);
    }
}

// The part of J v that problem dofs do not carry (bodies that are not dynamic), and under the midpoint rule the change of
// variable from end velocity to mean velocity: (J v+ + d)/2 = J vm - J v/2 + d/2.
static void write_right_side(const CairnStep *step, const CairnStepContact *c, double *d) {
    const CairnVec3 axes[3] = {c->normal, c->tangent_1, c->tangent_2};
    int bodies[2] = {c->body_a, c->body_b};
    bool midpoint = step->world->def.integrator == CAIRN_MIDPOINT;
    CairnVec3 fixed[2], all[2], fixed_spin[2], all_spin[2]; // "all": dynamic or not
    for (int k = 0; k < 2; k++) {
        CairnVec3 arm = k == 0 ? c->arm_a : c->arm_b;
        CairnVec6 v = cairn_step_start(step, bodies[k]);
        bool has_block = cairn_step_block(step, bodies[k]) >= 0;
        all[k] = point_velocity(v, arm);
        fixed[k] = has_block ? (CairnVec3){0, 0, 0} : all[k];
        all_spin[k] = v.angular;
        fixed_spin[k] = has_block ? (CairnVec3){0, 0, 0} : v.angular;
    }
    CairnVec3 base = cairn_sub(fixed[1], fixed[0]), spin = cairn_sub(fixed_spin[1], fixed_spin[0]);
    CairnVec3 before = cairn_sub(all[1], all[0]), spin_before = cairn_sub(all_spin[1], all_spin[0]);
    CairnVec3 free_slip = cairn_sub(point_velocity(free_velocity(step, c->body_b), c->arm_b),
                                    point_velocity(free_velocity(step, c->body_a), c->arm_a));
    for (int r = 0; r < c->row_count; r++) {
        CairnVec3 axis = axes[r % 3];
        double wanted = r == 0 ? normal_term(step, c, cairn_dot(c->normal, free_slip)) : 0;
        double moving = cairn_dot(axis, r < 3 ? base : spin);
        double was = cairn_dot(axis, r < 3 ? before : spin_before);
        d[r] = midpoint ? moving - 0.5 * was + 0.5 * wanted : moving + wanted;
    }
}

void cairn_step_write_contact(const CairnStep *step, const CairnStepContact *c, double *J, double *d) {
    if (cairn_step_block(step, c->body_a) >= 0) {
        write_side(c, c->arm_a, -1, J);
        J += (ptrdiff_t)6 * c->row_count;
    }
    if (cairn_step_block(step, c->body_b) >= 0) {
        write_side(c, c->arm_b, +1, J);
    }
    write_right_side(step, c, d);
}
