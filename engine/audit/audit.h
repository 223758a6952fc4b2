// The audit, inside: what it notes before a step, and the accounts that it makes after it.
//
// audit.c          the public functions: begin, end, verdict      balance.c  momentum of bodies, work of contacts
// audit_joints.c   joints: errors by their own geometry           groups.c   momentum and energy of tied bodies
// audit_pairs.c    overlaps, and what was passed                  divided.c  momentum and energy of a divided step
// apart.c          the largest separation of two shapes
//
// It reads the store (poses, velocities, models, reported impulses) and the public getters. It includes nothing of
// engine/step, of the solvers or of engine/joints' code.
#ifndef CAIRN_AUDIT_INTERNAL_H
#define CAIRN_AUDIT_INTERNAL_H

#include "engine/world.h"
#include <cairn/audit.h>

// The accuracy to which a step holds its joints, as a multiple of the typical length.
#define CAIRN_AUDIT_JOINT_ACCURACY 1e-3

// Roundings of a balance: a sum of a few products for each term, and the solve with a body's 6 x 6 matrix.
#define CAIRN_AUDIT_ROUNDING (64 * 2.220446049250313e-16)

// A body before the step.
typedef struct CairnAuditBody {
    CairnVec3 center;
    CairnQuat q;
    CairnVec3 velocity, spin;
} CairnAuditBody;

// What is left of a change of momentum when forces and reported impulses are taken off, about the body's centre.
typedef struct CairnAccount {
    CairnVec3 linear, angular;
    double linear_scale, angular_scale; // the sum of the magnitudes of the terms: what rounding is measured against
    double linear_slack, angular_slack; // how well the reported impulses are known
    double gain;                        // of energy at contacts, J
    double work;                        // of joints, of drift and of turning, J: gained or lost
    double order;                       // what the order of the integrator leaves open of both
    double unknown;                     // how well they are known
    double given;                       // energy that joints lawfully give
    double share;                       // of a group: the most that one of its bodies gained,
    int most;                           // and which one
    bool is_driven;                     // by a joint with a drive or to a kinematic body
    bool is_tied;                       // by a joint
    bool is_asked;                      // of a group: its angular momentum needs a closer look
} CairnAccount;

// How a joint's locked angles are measured.
typedef enum CairnHold {
    CAIRN_HOLD_NONE = 0,
    CAIRN_HOLD_ALL,   // no turn at all
    CAIRN_HOLD_ALONG, // axis i of A and axis i of B are parallel
    CAIRN_HOLD_ACROSS // axis i of A and axis j of B are perpendicular
} CairnHold;

// What a joint's definition comes to.
typedef struct CairnAuditJoint {
    CairnTransform frames[2]; // from the centres of mass of the bodies; of the world where there is none
    int bodies[2], slot;
    CairnHold hold;
    int i, j;        // the axes of `hold`
    unsigned locked; // bit k: the length along axis k is locked
    double length;   // of a rod; < 0: none
    bool is_gear, is_distance, drives_length, drives_angle, limits_length, limits_angle;
    double compliance; // the largest of its locked axes
    int geared[2];     // slots of the joints that a gear couples
} CairnAuditJoint;

// The energy that a group gained over the steps.
typedef struct CairnLedger {
    double gained, order; // J; the largest `order` of a step since it was 0
} CairnLedger;

struct CairnAudit {
    CairnAllocator allocator;
    CairnAuditBody *bodies;
    CairnPush *pushes;
    CairnAccount *accounts, *groups;
    bool *counts; // dynamic and awake
    int *group;   // of each body that counts: the lowest body that joints tie it to
    int *island;  // the same over joints and contacts
    CairnAuditJoint *joints;
    CairnLedger *ledgers; // by the lowest body of a group
    bool *is_open;        // islands that something fixed touches
    int body_capacity, push_capacity, account_capacity, group_capacity, count_capacity, tie_capacity, island_capacity;
    int joint_capacity, open_capacity, ledger_capacity;
    int body_count, push_count, joint_count;
    uint64_t step_index, last_step, shape_changes, joint_changes;
    uint32_t tag;
    bool is_begun;
    bool has_meeting; // two bodies that count touch
    double seconds, time;

    // The audit in progress.
    const CairnWorld *world;
    double h;  // of the whole step
    int parts; // that the world made the step in; its contacts and joints report the last of them
    CairnAuditReport *report;
};

// ---- shared by the files ----

// Holds a value against its limit, and keeps it where it is the term's worst so far.
void cairn_audit_find(CairnAudit *audit, CairnAuditTerm term, double value, double limit, int body, int other,
                      int joint);

// The velocity of a body before or after the step; a null body (-1) and a static one stand still.
static inline CairnVec6 cairn_audit_velocity(const CairnAudit *audit, int body, bool is_after) {
    if (body < 0 || audit->world->store.bodies[body].type == CAIRN_BODY_STATIC) {
        return (CairnVec6){{0, 0, 0}, {0, 0, 0}};
    }
    const CairnBody *now = &audit->world->store.bodies[body];
    const CairnAuditBody *then = &audit->bodies[body];
    return is_after ? (CairnVec6){now->velocity, now->angular_velocity} : (CairnVec6){then->velocity, then->spin};
}

// The pose of its centre of mass before or after the step; that of a null body is the world's frame.
static inline CairnTransform cairn_audit_pose(const CairnAudit *audit, int body, bool is_after) {
    if (body < 0) {
        return (CairnTransform){{0, 0, 0}, {1, 0, 0, 0}};
    }
    const CairnBody *now = &audit->world->store.bodies[body];
    const CairnAuditBody *then = &audit->bodies[body];
    return is_after ? (CairnTransform){now->center, now->q} : (CairnTransform){then->center, then->q};
}

// The turn from the pose before to that after, rad in world axes: of all that differ by whole turns the one nearest to
// what the velocities say.
CairnVec3 cairn_audit_turn(const CairnAudit *audit, int body);

static inline bool cairn_audit_counts(const CairnAudit *audit, int body) {
    return body >= 0 && audit->counts[body];
}

// The sum of magnitudes: no less than the length, and without a root. Good enough to measure rounding against.
static inline double cairn_audit_size(CairnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// What is left of an error that the step began with: what is apart comes together by a fraction of it, and no faster
// than a speed.
static inline double cairn_audit_left(double error, double fraction, double speed, double h) {
    return error - cairn_min(fraction * error, h * speed);
}

// ---- balance.c ----

// The angular momentum about the centre of mass.
CairnVec3 cairn_audit_momentum(const CairnBodyModel *model, CairnQuat q, CairnVec3 spin);

// Makes the account of every body that counts; then takes off what contacts report.
void cairn_audit_balance_bodies(CairnAudit *audit);
void cairn_audit_take_contacts(CairnAudit *audit);

// ---- divided.c ----

// Balances all bodies of a step that the world made in parts together, which needs no reports.
void cairn_audit_balance_divided(CairnAudit *audit);

// ---- groups.c ----

// In a forest, `root` returns the root of a tree, which is its lowest body, and `unite` makes one tree of two.
int cairn_audit_root(int *parent, int body);
void cairn_audit_unite(int *parent, int a, int b);

// Balances bodies, groups and islands, and finds what is left.
void cairn_audit_balance(CairnAudit *audit);

// ---- audit_joints.c ----

// Reads the definitions again where some have changed.
void cairn_audit_read_joints(CairnAudit *audit, const CairnWorld *world);
void cairn_audit_check_joints(CairnAudit *audit);

// ---- audit_limits.c ----

// How far coordinates are beyond their limits, and gears off.
void cairn_audit_check_limits(CairnAudit *audit);

// What a joint reports to have given body B: an impulse at B's frame as it was before the step.
typedef struct CairnAuditWrench {
    CairnVec3 point, force, torque; // N s, N m s
    double turn, swing;             // by how much its axes, and the direction of its force, turn in the step, rad
} CairnAuditWrench;
CairnAuditWrench cairn_audit_wrench(const CairnAudit *audit, const CairnAuditJoint *joint);

// What a gear reports to have given body B of the joint on either side, which it returns; NULL: there is no such joint.
CairnAuditWrench cairn_audit_gear_wrench(const CairnAudit *audit, const CairnAuditJoint *gear, int side,
                                         const CairnAuditJoint **joint);

// By how much its moment on body k changes at most, N m s, if it acts where the body is at the end of the step.
double cairn_audit_turning_arm(const CairnAudit *audit, const CairnAuditJoint *joint, int k);

// Whether it has a drive, or ties to a kinematic body.
bool cairn_audit_is_driven(const CairnAudit *audit, const CairnAuditJoint *joint);

// Energy that a joint lawfully gives: by its drives and by kinematic bodies (`given`), by closing an error, and what
// the order of the integrator leaves open.
double cairn_audit_joint_allowance(const CairnAudit *audit, const CairnAuditJoint *joint);

// ---- audit_pairs.c ----

CairnStatus cairn_audit_check_pairs(CairnAudit *audit);

#endif
