// Contacts in the problem: tangent frames, warm impulses, friction bounds, Jacobian rows.
#include "engine/base/mat3.h"
#include "engine/base/pieces.h"
#include "engine/step/step.h"
#include <string.h>

// What frames are made from: `velocity` is what was solved for when contacts were predicted.
typedef struct Framing {
    const CairnStep *step;
    CairnStepContacts *contacts;
    const double *velocity;
} Framing;

// What the step comes to without this contact: the free velocity, and for a predicted contact the one that was solved
// for.
static CairnVec6 velocity_without(const Framing *f, const CairnStepContact *c, int body) {
    int block = cairn_step_block(f->step, body);
    return block >= 0 && !c->is_predicted ? f->step->blocks[block].free : cairn_step_solved(f->step, f->velocity, body);
}

static CairnVec3 point_velocity(CairnVec6 v, CairnVec3 arm) {
    return cairn_add(v.linear, cairn_cross(v.angular, arm));
}

// How its points slip at the end of the step, if no constraint acted.
static CairnVec3 free_slip(const Framing *f, const CairnStepContact *c) {
    return cairn_sub(point_velocity(velocity_without(f, c, c->body_b), c->frame.arm[1]),
                     point_velocity(velocity_without(f, c, c->body_a), c->frame.arm[0]));
}

// A box is up to sqrt(2) too strong on its diagonal, so t1 follows the free tangential velocity; without one it stays
// as near to the last t1 as the new normal allows.
static void choose_tangents(const CairnStep *step, CairnStepContact *c, CairnVec3 slip) {
    CairnVec3 n = c->frame.normal;
    CairnVec3 along = cairn_add_scaled(slip, -cairn_dot(slip, n), n);
    double speed = cairn_length(along);
    CairnVec3 unused;
    if (speed > step->still) {
        c->frame.tangent = cairn_scale(1.0 / speed, along);
    } else if (c->record >= 0) {
        CairnVec3 last = step->store->contacts[c->record].tangent_1;
        CairnVec3 fallback;
        cairn_tangents(n, &fallback, &unused);
        c->frame.tangent = cairn_normalize_or(cairn_add_scaled(last, -cairn_dot(last, n), n), fallback);
    } else {
        cairn_tangents(n, &c->frame.tangent, &unused);
    }
}

// How much velocity a unit impulse along the normal makes: the diagonal of J M^-1 J^T.
static double inverse_mass_along(const CairnStep *step, int body, CairnVec3 arm, CairnVec3 n) {
    if (cairn_step_block(step, body) < 0) {
        return 0;
    }
    const CairnBody *b = &step->store->bodies[body];
    CairnMat3 axes = cairn_body_axes(b);
    CairnVec3 turn = cairn_mat3_transpose_mul(axes, cairn_cross(arm, n)), inverse = cairn_inverse_moments(b);
    return 1.0 / b->model->mass + inverse.x * turn.x * turn.x + inverse.y * turn.y * turn.y +
           inverse.z * turn.z * turn.z;
}

// The turning that an impulse at an arm gives a body.
static CairnVec3 turned_by(const CairnStep *step, int body, CairnVec3 arm, CairnVec3 impulse) {
    if (cairn_step_block(step, body) < 0) {
        return (CairnVec3){0, 0, 0};
    }
    const CairnBody *b = &step->store->bodies[body];
    CairnMat3 axes = cairn_body_axes(b), inverse = cairn_inertia_of_axes(&axes, cairn_inverse_moments(b));
    return cairn_mat3_mul(inverse, cairn_cross(arm, impulse));
}

// The first axis of the rolling box points along the expected rolling: the free one, plus the rolling that friction
// along t1 causes when it stops the slip. A ball that rolls without slip has no slip direction, and on a slope it is
// this friction that turns it downhill.
static void choose_rolling_axes(const Framing *f, const CairnStepContact *c, CairnVec3 slip) {
    const CairnStep *step = f->step;
    CairnVec3 n = c->frame.normal, t1 = c->frame.tangent;
    CairnVec3 rolling = cairn_sub(velocity_without(f, c, c->body_b).angular, velocity_without(f, c, c->body_a).angular);
    double response = inverse_mass_along(step, c->body_a, c->frame.arm[0], t1) +
                      inverse_mass_along(step, c->body_b, c->frame.arm[1], t1);
    if (response > 0) {
        CairnVec3 sticking = cairn_scale(-cairn_dot(slip, t1) / response, t1);
        rolling = cairn_add(rolling, turned_by(step, c->body_b, c->frame.arm[1], sticking));
        rolling = cairn_add(rolling, turned_by(step, c->body_a, c->frame.arm[0], sticking)); // minus times minus
    }
    rolling = cairn_add_scaled(rolling, -cairn_dot(rolling, n), n);
    double speed = cairn_length(rolling);
    f->contacts->rolls[c->roll] =
        speed * step->world->def.typical_length > step->still ? cairn_scale(1.0 / speed, rolling) : t1;
}

static double position_term(const CairnStep *step, double distance) {
    const CairnWorldDef *def = &step->world->def;
    if (distance >= 0) { // a gap is closed exactly, never crossed
        return distance / step->h;
    }
    double push = def->contact_fraction * cairn_min(distance + def->contact_slop, 0.0) / step->h;
    return cairn_max(push, -def->contact_push);
}

// d of the normal row in terms of the end velocity: the gap or overlap, and Newton's restitution where the surfaces
// meet in this step: J v+ >= -e J v-.
static double normal_term(const CairnStep *step, const CairnStepContact *c, double free_approach, double e) {
    double d = position_term(step, c->distance);
    bool meets = c->distance + cairn_step_drift(step) * cairn_min(c->approach, free_approach) <= 0;
    if (step->share->is_closing) { // what meets on the way has bounced, and overlaps are pushed out on the way
        return cairn_max(d, 0);
    }
    if (e > 0 && meets && c->approach < -step->world->def.restitution_threshold) {
        d = cairn_min(d, e * c->approach);
    }
    return d;
}

// The closing velocity that a unit impulse removes when it is distributed over the closing points in proportion to
// their closing velocities: the response at their centroid, times their number. Summed corner by corner, the turning of
// the body would count at each, seven times too much under a flat box.
static double summed_response(const CairnStep *step, const CairnStepContact *manifold, const double *closing) {
    CairnVec3 arm_a = {0, 0, 0}, arm_b = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < manifold->manifold_count; i++) {
        if (closing[i] > 0) {
            arm_a = cairn_add(arm_a, manifold[i].frame.arm[0]);
            arm_b = cairn_add(arm_b, manifold[i].frame.arm[1]);
            count += 1;
        }
    }
    if (count == 0) {
        return 0;
    }
    arm_a = cairn_scale(1.0 / count, arm_a);
    arm_b = cairn_scale(1.0 / count, arm_b);
    return count * (inverse_mass_along(step, manifold->body_a, arm_a, manifold->frame.normal) +
                    inverse_mass_along(step, manifold->body_b, arm_b, manifold->frame.normal));
}

// What stops an approach, and the normal impulse that box friction is bounded by: last step's load, and what stops the
// approach of this step. An impact is no load: taken for one, it would rub twice, once when it comes and once in the
// step after. Where nothing touched before, all that stops the manifold's free motion.
static void expect_loads(const Framing *f, CairnStepContact *manifold) {
    const CairnStep *step = f->step;
    double closing[CAIRN_MANIFOLD_POINTS], free_closing[CAIRN_MANIFOLD_POINTS];
    bool is_new = false, is_free = false;
    for (int i = 0; i < manifold->manifold_count; i++) {
        is_new = is_new || manifold[i].is_first;
        is_free = is_free || manifold[i].is_first || manifold[i].is_predicted;
    }
    for (int i = 0; i < manifold->manifold_count; i++) {
        const CairnStepContact *c = &manifold[i];
        free_closing[i] = is_free ? cairn_max(-(cairn_dot(c->frame.normal, free_slip(f, c)) + c->wanted), 0) : 0;
        closing[i] = -(c->approach + c->wanted) > step->still ? -(c->approach + c->wanted) : 0;
        closing[i] = c->is_predicted ? free_closing[i] : closing[i]; // it was not there when the step began
    }
    double company = cairn_max(manifold->company, 1); // the others stop the bodies as much as this one
    double response = company * summed_response(step, manifold, closing);
    double free_response = is_new ? company * summed_response(step, manifold, free_closing) : 0;
    for (int i = 0; i < manifold->manifold_count; i++) {
        CairnStepContact *c = &manifold[i];
        c->impact = response > 0 ? closing[i] / response : 0;
        if (!c->is_first) {
            double load = c->record >= 0 ? step->impulse_scale * step->store->contacts[c->record].load : 0;
            c->frozen = c->inherited + (c->impact + cairn_max(load, 0));
        } else {
            c->frozen = free_response > 0 ? free_closing[i] / free_response : 0;
        }
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

// From the point of A to that of B where the bodies are when the step begins.
CairnVec3 cairn_step_apart(const CairnStep *step, const CairnStepContact *c) {
    const CairnBody *bodies = step->store->bodies;
    CairnVec3 between = cairn_sub(bodies[c->body_b].center, bodies[c->body_a].center);
    return cairn_add(between, cairn_sub(c->frame.arm[1], c->frame.arm[0]));
}

// A body that moves by more than its own size until it meets the other one is struck where it will be.
bool cairn_step_is_near(const CairnStepContact *c, CairnVec3 apart) {
    double least = fmin(cairn_length_squared(c->frame.arm[0]), cairn_length_squared(c->frame.arm[1]));
    return cairn_length_squared(apart) <= least;
}

// Both sides of a contact act at one point, the middle of theirs: impulses at two points would turn what nothing turns
// from outside. Theirs are apart by the distance, and by the way to where they meet. Those of a predicted contact are
// joined when it bears (step_momentum.c).
void cairn_step_join_sides(const CairnStep *step, CairnStepContact *c) {
    if (cairn_step_block(step, c->body_a) < 0 || cairn_step_block(step, c->body_b) < 0) {
        return;
    }
    CairnVec3 apart = cairn_step_apart(step, c);
    if (cairn_step_is_near(c, apart)) {
        c->frame.arm[0] = cairn_add_scaled(c->frame.arm[0], 0.5, apart);
        c->frame.arm[1] = cairn_add_scaled(c->frame.arm[1], -0.5, apart);
    }
}

static void prepare_contact(const Framing *f, CairnStepContact *c) {
    const CairnStep *step = f->step;
    if (!c->is_predicted) {
        cairn_step_join_sides(step, c);
    }
    CairnVec3 slip = free_slip(f, c);
    CairnMaterial material = cairn_step_material(step, c);
    c->row_count = (uint8_t)rows_of(&material);
    c->wanted = normal_term(step, c, cairn_dot(c->frame.normal, slip), material.restitution);
    choose_tangents(step, c, slip);
    if (material.rolling_friction > 0) {
        choose_rolling_axes(f, c, slip);
    }
    c->is_first =
        !c->is_known && (c->record < 0 || !(step->impulse_scale * step->store->contacts[c->record].normal_impulse > 0));
}

static void prepare_span(void *context, int first, int end) {
    const Framing *f = context;
    for (int i = first; i < end; i++) {
        if (!f->contacts->all[i].is_prepared) {
            prepare_contact(f, &f->contacts->all[i]);
        }
    }
}

static void expect_span(void *context, int first, int end) {
    const Framing *f = context;
    for (int i = first; i < end; i++) {
        const CairnStepContact *c = &f->contacts->all[i];
        if (c->manifold_index == 0 && !c->is_prepared) {
            expect_loads(f, &f->contacts->all[i]); // writes to all points of this manifold, which no other turn does
        }
    }
}

void cairn_step_contact_frames(const CairnStep *step, CairnStepContacts *contacts, const double *velocity) {
    Framing framing = {step, contacts, velocity};
    cairn_spans_run(step->threads, contacts->count, CAIRN_STEP_FEW, prepare_span, &framing);
    cairn_spans_run(step->threads, contacts->count, CAIRN_STEP_FEW, expect_span, &framing);
}

// The axes of the rows n, t1, t2 (linear), then of torsion about n and of rolling about two tangential axes (angular).
static void find_axes(const CairnVec3 *rolls, const CairnStepContact *c, CairnVec3 axes[CAIRN_CONTACT_ROWS]) {
    axes[0] = axes[3] = c->frame.normal;
    axes[1] = c->frame.tangent;
    axes[2] = cairn_step_tangent_2(c);
    axes[4] = axes[5] = (CairnVec3){0, 0, 0};
    if (c->row_count > 4) {
        axes[4] = rolls[c->roll];
        axes[5] = cairn_cross(c->frame.normal, axes[4]);
    }
}

void cairn_step_warm_contact(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *c, double *lambda) {
    CairnVec3 axes[CAIRN_CONTACT_ROWS];
    if (c->record < 0) {
        memset(lambda, 0, c->row_count * sizeof *lambda);
        return;
    }
    const CairnContactRecord *record = &step->store->contacts[c->record];
    double s = step->impulse_scale;
    find_axes(rolls, c, axes);
    CairnVec3 friction = cairn_record_friction(record), spin = cairn_store_spin(step->store, c->record);
    lambda[0] = s * record->normal_impulse;
    double length = step->world->def.typical_length;
    for (int r = 1; r < c->row_count; r++) {
        lambda[r] = r < 3 ? s * cairn_dot(friction, axes[r]) : s * cairn_dot(spin, axes[r]) / length;
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

static void write_side(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *c, CairnVec3 arm,
                       double sign, double *J) {
    CairnVec3 axes[CAIRN_CONTACT_ROWS];
    find_axes(rolls, c, axes);
    const CairnVec3 zero = {0, 0, 0};
    for (int r = 0; r < c->row_count && r < 3; r++) {
        write_row(J + 6 * r, axes[r], cairn_cross(arm, axes[r]), sign);
    }
    for (int r = 3; r < c->row_count; r++) {
        write_row(J + 6 * r, zero, axes[r], sign * step->world->def.typical_length);
    }
}

bool cairn_step_bears_load(const CairnStep *step, const CairnStepContact *c) {
    if (c->record < 0) {
        return false;
    }
    const CairnContactRecord *record = &step->store->contacts[c->record];
    return record->load > 0.9 * record->normal_impulse && c->impact <= step->impulse_scale * record->load;
}

// C is the compliance of a spring: a deflection under last step's load does not occur again, so that w = J v + C
// (lambda - last lambda), and a contact that carries the same load as before does not move. With C lambda alone a stack
// would sink up to the slop, and friction would slip for ever: contacts that reach the end of the slop earlier than
// others take their load, and a pile of logs comes apart (docs/collision.md). A normal springs back by no more than it
// overlaps.
static void subtract_last_deflection(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *c,
                                     const double *compliance, double *d) {
    if (!cairn_step_bears_load(step, c)) {
        return;
    }
    double last[CAIRN_CONTACT_ROWS];
    cairn_step_warm_contact(step, rolls, c, last);
    double remaining_overlap =
        cairn_max(-c->distance / step->h + c->wanted, 0); // of the overlap, beside what is pushed out anyway
    d[0] -= cairn_min(compliance[0] * last[0], remaining_overlap);
    for (int r = 1; r < c->row_count; r++) {
        d[r] -= compliance[r] * last[r];
    }
}

// The term of J v from bodies that have no dofs in the problem (bodies that are not dynamic).
void cairn_step_write_right_side(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *c,
                                 const double *compliance, double *d) {
    CairnVec3 axes[CAIRN_CONTACT_ROWS];
    find_axes(rolls, c, axes);
    int bodies[2] = {c->body_a, c->body_b};
    CairnVec3 fixed[2], fixed_spin[2];
    for (int k = 0; k < 2; k++) {
        CairnVec3 arm = k == 0 ? c->frame.arm[0] : c->frame.arm[1];
        CairnVec6 v = cairn_step_start(step, bodies[k]);
        bool has_block = cairn_step_block(step, bodies[k]) >= 0;
        fixed[k] = has_block ? (CairnVec3){0, 0, 0} : point_velocity(v, arm);
        fixed_spin[k] = has_block ? (CairnVec3){0, 0, 0} : v.angular;
    }
    CairnVec3 base = cairn_sub(fixed[1], fixed[0]), spin = cairn_sub(fixed_spin[1], fixed_spin[0]);
    double length = step->world->def.typical_length;
    for (int r = 0; r < c->row_count; r++) {
        CairnVec3 axis = r < 3 ? axes[r] : cairn_scale(length, axes[r]);
        double wanted = r == 0 ? c->wanted : 0;
        d[r] = cairn_dot(axis, r < 3 ? base : spin) + wanted;
    }
    subtract_last_deflection(step, rolls, c, compliance, d);
}

void cairn_step_write_contact_rows(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *c,
                                   double *J) {
    if (cairn_step_block(step, c->body_a) >= 0) {
        write_side(step, rolls, c, c->frame.arm[0], -1, J);
        J += (ptrdiff_t)6 * c->row_count;
    }
    if (cairn_step_block(step, c->body_b) >= 0) {
        write_side(step, rolls, c, c->frame.arm[1], +1, J);
    }
}
