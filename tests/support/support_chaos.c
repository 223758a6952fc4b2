// What was put into a random world, and what came of it.
#include "tests/support/support_chaos.h"
#include "tests/support/support.h"

// What moves by itself or holds another one apart from it can give each body its own speed, once.
typedef struct Ledger {
    double mass;              // kg, of all dynamic bodies
    double first, low, start; // J: potential energy at first and at its lowest, kinetic energy at the start
    double drives;            // J, what drives had at the start, and their work so far
    double pushed;            // J, of the fastest that overlaps and joints are pushed apart, together
    double carried;           // J, of the fastest that kinematic bodies move
} Ledger;

static bool is_dynamic(const SupportChaos *chaos, CairnBodyId id, CairnBodyState *state) {
    return !cairn_body_is_null(id) && cairn_is_ok(cairn_body_get(chaos->world, id, state)) &&
           state->type == CAIRN_BODY_DYNAMIC;
}

static double mass_of(const SupportChaos *chaos, CairnBodyId id) {
    CairnBodyState state;
    return is_dynamic(chaos, id, &state) ? state.mass.mass : 0;
}

static double kinetic_energy(const CairnBodyState *state) {
    return 0.5 * state->mass.mass * cairn_length_squared(state->velocity) +
           0.5 * cairn_dot(state->angular_momentum, state->angular_velocity);
}

static double trace_of(CairnMat3 a) {
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

// A row that demands the speed s of a point takes at most m s^2 / 2 to give it to a body that rested.
static double push_of_contacts(const SupportChaos *chaos, const CairnWorldDef *def) {
    CairnContact contacts[1024];
    int count = cairn_world_contacts(chaos->world, contacts, 1024);
    double sum = 0;
    for (int i = 0; i < count && i < 1024; i++) {
        double speed = fmin(def->contact_push, -def->contact_fraction * contacts[i].distance / chaos->h);
        double mass = mass_of(chaos, contacts[i].body_a) + mass_of(chaos, contacts[i].body_b);
        sum += speed > 0 ? 0.5 * mass * speed * speed : 0;
    }
    return sum;
}

static double push_of_joints(const SupportChaos *chaos, const CairnWorldDef *def) {
    double sum = 0;
    for (int j = 0; j < chaos->joint_count; j++) {
        CairnJointState joint;
        CairnJointDef made;
        CairnBodyState a = {0}, b = {0};
        bool is_known = cairn_is_ok(cairn_joint_get(chaos->world, chaos->joints[j], &joint)) &&
                        cairn_is_ok(cairn_joint_get_def(chaos->world, chaos->joints[j], &made));
        double speed = fmin(def->joint_push, def->joint_fraction * joint.linear_error / chaos->h);
        double turn = fmin(def->joint_turn, def->joint_fraction * joint.angular_error / chaos->h);
        double mass = 0, inertia = 0;
        if (is_known && is_dynamic(chaos, made.body_a, &a)) {
            mass += a.mass.mass;
            inertia += trace_of(a.mass.inertia);
        }
        if (is_known && is_dynamic(chaos, made.body_b, &b)) {
            mass += b.mass.mass;
            inertia += trace_of(b.mass.inertia);
        }
        sum += 0.5 * mass * speed * speed + 0.5 * inertia * turn * turn;
    }
    return sum;
}

// What springs have stored at the start, and what the targets of drives give to the bodies of their joints.
static double energy_of_drives(const SupportChaos *chaos) {
    double sum = 0;
    for (int j = 0; j < chaos->joint_count; j++) {
        CairnJointState joint;
        CairnJointDef made;
        CairnBodyState a = {0}, b = {0};
        if (!cairn_is_ok(cairn_joint_get(chaos->world, chaos->joints[j], &joint)) ||
            !cairn_is_ok(cairn_joint_get_def(chaos->world, chaos->joints[j], &made))) {
            continue;
        }
        double mass = is_dynamic(chaos, made.body_a, &a) ? a.mass.mass : 0, inertia = trace_of(a.mass.inertia);
        mass += is_dynamic(chaos, made.body_b, &b) ? b.mass.mass : 0;
        inertia += trace_of(b.mass.inertia);
        for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
            const CairnAxis *drive = &made.axes[axis];
            double moved = axis < CAIRN_RX ? mass : inertia, way = joint.position[axis] - drive->target_position;
            double omega = 2 * CAIRN_PI * drive->stiffness;
            double k = drive->spring_unit == CAIRN_SPRING_FREQUENCY ? moved * omega * omega : drive->stiffness;
            sum += drive->drive == CAIRN_DRIVE_SPRING ? 0.5 * k * way * way : 0;
            sum += drive->drive != CAIRN_DRIVE_NONE ? 0.5 * moved * drive->target_velocity * drive->target_velocity : 0;
        }
    }
    return sum;
}

// The work of all drives in a step, where it was positive.
static double work_of_drives(const SupportChaos *chaos) {
    double sum = 0;
    for (int j = 0; j < chaos->joint_count; j++) {
        CairnJointState joint;
        if (cairn_is_ok(cairn_joint_get(chaos->world, chaos->joints[j], &joint))) {
            for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
                sum += fmax(0, joint.drive_force[axis] * joint.velocity[axis] * chaos->h);
            }
        }
    }
    return sum;
}

// A body that was hit by a moving one that nothing stops has at most twice its speed.
static double carry_of(const SupportChaos *chaos, double mass) {
    double fastest = 0;
    for (int i = 0; i < chaos->body_count; i++) {
        CairnBodyState state;
        if (cairn_is_ok(cairn_body_get(chaos->world, chaos->bodies[i], &state)) && state.type == CAIRN_BODY_KINEMATIC) {
            double reach = 20; // m, more than any body has
            fastest = fmax(fastest, cairn_length(state.velocity) + reach * cairn_length(state.angular_velocity));
        }
    }
    return 2 * mass * fastest * fastest;
}

static bool read_bodies(const SupportChaos *chaos, double *kinetic, double *potential, double *mass) {
    CairnVec3 gravity = cairn_world_settings(chaos->world).gravity;
    bool is_finite = true;
    *kinetic = *potential = *mass = 0;
    for (int i = 0; i < chaos->body_count; i++) {
        CairnBodyState state;
        if (!is_dynamic(chaos, chaos->bodies[i], &state)) {
            continue;
        }
        *kinetic += kinetic_energy(&state);
        *potential -= chaos->gravity_scale[i] * state.mass.mass * cairn_dot(gravity, state.center);
        *mass += state.mass.mass;
        is_finite = is_finite && cairn_vec3_is_finite(state.center) && cairn_vec3_is_finite(state.velocity) &&
                    cairn_vec3_is_finite(state.angular_velocity) && isfinite(cairn_dot(gravity, state.center));
    }
    return is_finite && isfinite(*kinetic);
}

static void update(const SupportChaos *chaos, Ledger *ledger, double potential) {
    CairnWorldDef def = cairn_world_settings(chaos->world);
    ledger->low = fmin(ledger->low, potential);
    ledger->drives += work_of_drives(chaos);
    if (chaos->overlaps) {
        ledger->pushed = fmax(ledger->pushed, push_of_contacts(chaos, &def) + push_of_joints(chaos, &def));
    }
}

static double put_in(const Ledger *ledger) {
    // The least is that of a micrometre a second, below which nothing is told from rest; without dynamic bodies nothing
    // has any.
    double least = ledger->mass > 0 ? 0.5e-12 * ledger->mass : 1;
    return ledger->start + (ledger->first - ledger->low) + ledger->drives + ledger->pushed + ledger->carried + least;
}

static void run(SupportChaos *chaos, int steps, SupportChaosRun *found) {
    Ledger ledger = {0};
    double kinetic, potential;
    read_bodies(chaos, &kinetic, &potential, &ledger.mass);
    ledger.start = kinetic;
    ledger.first = ledger.low = potential;
    ledger.carried = carry_of(chaos, ledger.mass);
    ledger.drives = energy_of_drives(chaos);
    CairnWorldDef def = cairn_world_settings(chaos->world);
    ledger.pushed = chaos->overlaps ? push_of_joints(chaos, &def) : 0; // of the first step, which may mend it all
    for (int k = 0; k < steps; k++) {
        CairnStats stats;
        found->status = cairn_world_step(chaos->world, chaos->h, &stats);
        if (!cairn_is_ok(found->status)) {
            found->failed = k;
            return;
        }
        found->frames += 1;
        if (!stats.residual.is_certified) {
            found->first_wrong = found->uncertified == 0 ? k : found->first_wrong;
            found->uncertified += 1;
        }
        found->is_finite = read_bodies(chaos, &kinetic, &potential, &ledger.mass) && found->is_finite;
        update(chaos, &ledger, potential);
        double gain = kinetic / put_in(&ledger);
        if (!(gain <= found->gain)) {
            found->gain = gain;
            found->wildest = k;
        }
    }
}

SupportChaosRun support_chaos_run(uint64_t seed, bool overlaps, const CairnSolver *solver, int steps) {
    SupportChaosRun found = {.is_finite = true, .failed = -1, .wildest = -1, .first_wrong = -1};
    SupportChaos chaos;
    found.status = support_chaos_build(seed, overlaps, solver, &chaos);
    if (cairn_is_ok(found.status)) {
        run(&chaos, steps, &found);
        found.hash = cairn_world_state_hash(chaos.world);
    }
    cairn_world_destroy(chaos.world);
    return found;
}
