// Step: the pipeline's shared scratch and its stages. Everything a stage makes lies in the world's arena; nothing of the world
// changes before `finish` commits.
#ifndef CAIRN_STEP_H
#define CAIRN_STEP_H

#include "engine/world.h"
#include <stddef.h>

// One dynamic body in this step.
typedef struct CairnStepBlock {
    int body;
    CairnVec6 start; // velocity at the start, damped
    CairnVec6 free;  // velocity at the end if no constraint acted
    CairnVec3 spin;  // angular velocity that the free rotation moves with (gyro.h)
} CairnStepBlock;

// Where it ends.
typedef struct CairnStepEnd {
    CairnVec3 center;
    CairnQuat q;
    CairnVec3 velocity, spin; // that the body keeps
    CairnVec3 momentum;       // angular, about the centre of mass
} CairnStepEnd;

typedef struct CairnStepContact {
    // what the narrow phase (or step_foresee.c) finds; of the frame the normal and the arms
    uint64_t id;
    CairnContactFrame frame; // the problem's rows are made of it where it stands
    double distance;
    double approach; // normal velocity at the start of the step, negative while approaching
    int shape_a, shape_b, body_a, body_b;
    int record;                             // last step's record of the same id, or -1
    int roll;                               // its place in step->rolls
    uint8_t manifold_count, manifold_place; // points of its manifold, and which of them this is
    bool is_foreseen : 1;                   // found where the solved velocities lead (step_foresee.c)
    bool is_prepared : 1;                   // all below stands: from an earlier solve of this step
    // what assemble makes of it (step_contacts.c); not set before
    bool is_first : 1; // had no normal impulse in the last step, or the last solve
    uint8_t row_count;
    int row;
    double wanted; // d of the normal row in terms of the end velocity
    double impact; // the part of the normal impulse that stops an approach, estimated: it comes once, a load every step
    double frozen; // normal impulse that box friction is bounded by
} CairnStepContact;

typedef struct CairnStepJoint {
    int joint;
    int body_count;
    int bodies[CAIRN_JOINT_MAX_BODIES]; // -1: the world
    const CairnJointInput *input;       // at the start of the step
    const CairnJointRow *rows;
    int row_count, row, constraint;
} CairnStepJoint;

_Static_assert(sizeof(CairnStepContact) == 176, "contacts are a fifth of a step's memory");

static inline CairnVec3 cairn_step_tangent_2(const CairnStepContact *contact) {
    return cairn_cross(contact->frame.normal, contact->frame.tangent);
}

// Are its rows those of its frame? Torsion and rolling have rows of their own.
static inline bool cairn_step_has_frame(const CairnStepContact *contact) {
    return contact->row_count <= CAIRN_FRAME_ROWS;
}

// The ball around a shape and its way: all that the first look at a pair reads, in a line of the cache.
typedef struct CairnStepBall {
    CairnVec3 center; // the shape's origin
    double radius;    // infinite for half-spaces
    CairnVec3 travel; // of the body's centre in this step, if nothing held it
    double turning;   // how far its turning may carry any point of the shape
} CairnStepBall;

// What contacts need of a shape and its body, close together: a pair reads two of them, and of two spheres nothing of the store.
typedef struct CairnStepSide {
    CairnFilter filter;
    int body;
    uint32_t generation; // of the shape's slot
    bool has_joints;
    CairnVec3 center; // of the body's mass
    CairnVec6 start;  // the body's velocity at the start of the step
} CairnStepSide;

// A byte of each shape: a plain one touches every other plain one (no joint, and a filter that lets all pass).
enum { CAIRN_SHAPE_IS_SPHERE = 1, CAIRN_SHAPE_IS_PLAIN = 2 };

// Where each shape may be within the step, by slot.
typedef struct CairnStepBoxes {
    CairnAabb *boxes;
    uint8_t *kinds;  // CairnBoxKind
    int *owners;     // bodies
    uint8_t *traits; // CAIRN_SHAPE_IS_...
    // where they are asked for, else NULL
    CairnTransform *poses;
    CairnStepBall *balls;
    CairnStepSide *sides;
} CairnStepBoxes;

enum { CAIRN_STEP_FEW = 64 }; // bodies, or contacts: not worth waking a thread for

typedef struct CairnStep {
    CairnWorld *world;
    CairnStore *store;
    CairnArena *arena;
    double h;
    double impulse_scale; // h over the last h: impulses carried over are forces times time
    CairnStatus status;
    CairnStats stats;
    double began;
    int threads;
    int broken; // the first block whose numbers are not usable; block_count: none

    int *block_of; // of each body slot; -1: not dynamic, or asleep
    CairnStepBlock *blocks;
    CairnStepEnd *ends; // of each block, from integrate on
    int block_count;

    int sleeping_count; // bodies asleep at the start
    int *island;        // of each block: its island's lowest block (sleeping worlds only, else NULL)
    double *still_time;
    bool *falls_asleep;

    CairnMat3
        *stiffness; // of each block: K of the geometric stiffness in use, negative semidefinite or 0; NULL: all are 0

    CairnStepContact *contacts;
    int contact_count, contact_capacity;
    bool has_rolling; // some shape resists rolling; then
    CairnVec3 *
        rolls; // has the axis of the first rolling row of contacts, by their `roll`; that of the second is normal x that
    CairnStepJoint *joints;
    int joint_count;

    CairnArenaMark before_problem; // what lies above it is made anew where the step is solved with more contacts
    CairnProblem problem;
    double *P, *lambda, *lower, *upper; // what the stages still change
    CairnDofBlock *dof_blocks;
    int matrix_count; // in P: fewer than blocks where balls share one
    CairnFriction *frictions;
    double *velocity; // the answer: problem.dof_count
    int pass;         // solves of the problem at hand, amended or not
    bool was_rough;   // its review ended the last solve: lambda and velocity are rough,
    bool leads_on;    // and bodies run into new contacts
    const double
        *solved; // impulses of an earlier pass of this step; NULL: none. Joints have the same rows again, and of
                 // contacts those that are prepared had rows, in this order
    CairnStepBoxes boxes;   // while they are in use, else empty
    const CairnPair *pairs; // of the broad phase, for the narrow phase
    int pair_count;
    // the same in half the memory, from then on: shape a with b[starts[a]] ... b[starts[a + 1] - 1]
    const int *pair_starts, *pair_seconds;
    double *advance; // of each block: how much of h it moves on for; NULL: all of it (step_hold.c)
    CairnParts parts;
    double *part_seconds; // what went to each of them; NULL: they are nobody's
    bool has_partition;   // the solver wanted parts, and these are the partitioner's
} CairnStep;

// Where the shapes may be, into step->boxes: for collide, and again for what is asked when the velocities are known.
void cairn_step_make_boxes(CairnStep *step, bool with_sides);
// A piece of collide: contacts from pairs. False: there is no room for all of them; next time there is.
bool cairn_step_narrow(CairnStep *step);

// A contact of this pair with its id and bodies, and nothing yet of where.
CairnStepContact cairn_step_new_contact(const CairnStep *step, CairnPair pair, uint64_t feature);
CairnMaterial cairn_step_material(const CairnStep *step, const CairnStepContact *contact);

// Bytes of the arena that a step with so many bodies and contacts takes at least; and CAIRN_OUT_OF_MEMORY where the machine has not as many left.
size_t cairn_step_bytes(const CairnStep *step, int block_count, int contact_count);
void cairn_step_check_room(CairnStep *step, int block_count, int contact_count);
// With as many contacts as the world expects all of the step lies in one chunk of the arena, and what only one stage needs is free
// for the next.
void cairn_step_reserve(CairnStep *step);

// The stages, in order. Each does nothing once step->status is not OK.
void cairn_step_collide(CairnStep *step);
void cairn_step_assemble(CairnStep *step);
void cairn_step_partition(CairnStep *step);
bool cairn_step_solve(CairnStep *step); // true: again, for the problem was another one
// True: the solved velocities lead into contacts that were not known; assemble, partition and solve again.
bool cairn_step_foresee(CairnStep *step);
void cairn_step_hold(CairnStep *step);
void cairn_step_integrate(CairnStep *step);
CairnStatus cairn_step_finish(CairnStep *step, CairnStats *stats);

// Where a kinematic body's velocity takes it, centre of mass and turn.
CairnTransform cairn_step_kinematic_pose(const CairnStep *step, const CairnBody *body);

// Wake the groups that moving bodies reach in this step; true: begin and collide again, now with them.
bool cairn_step_wake(CairnStep *step);

// Sets of blocks: parent[i] == i at first, and the lowest block of a set is its root, whatever the order of the unions.
int cairn_step_root(int *parent, int i);
void cairn_step_unite(int *parent, int a, int b);

// ---- pieces of finish ----

void cairn_step_find_rest(CairnStep *step);         // islands, and which have been still for long enough; may fail
void cairn_step_keep_waking(const CairnStep *step); // part of the commit, before settle
void cairn_step_undo_waking(const CairnStep *step); // where the step failed
void cairn_step_settle(CairnStep *step, int block); // part of the commit: a body counts its rest or falls asleep
bool cairn_step_is_kept(const CairnStep *step, int shape_a, int shape_b); // contacts among what sleeps outlast the step

// ---- pieces of assemble ----

void cairn_step_contact_frames(CairnStep *step); // tangents, warm impulses, friction bounds
void cairn_step_joint_rows(CairnStep *step);
void cairn_step_write_contact_rows(const CairnStep *step, const CairnStepContact *contact, double *J);
void cairn_step_write_right_side(const CairnStep *step, const CairnStepContact *contact, double *d);
// The last step's impulses along the contact's rows.
void cairn_step_warm_contact(const CairnStep *step, const CairnStepContact *contact, double *lambda);
void cairn_step_write_joint(const CairnStep *step, const CairnStepJoint *sj, double *J, double *d);

// Geometric stiffness: K of every block from the impulses in step->lambda, and P with it. `again`, after a solve: only where some
// K jumped (geometric_jump); returns whether it did, that is, whether another solve is worth it.
void cairn_step_stiffen(CairnStep *step);
bool cairn_step_stiffen_again(CairnStep *step);

// After a solve with box friction: bound the first touches by what they bear, where that is far from what was guessed; returns
// whether it was.
bool cairn_step_bound_again(CairnStep *step);

static inline int cairn_step_block(const CairnStep *step, int body) {
    return body < 0 ? -1 : step->block_of[body];
}

// In world axes. A ball's is the same in any pose, to the last bit: many share a matrix.
static inline CairnMat3 cairn_step_inertia(const CairnStep *step, const CairnStepBlock *block) {
    const CairnBody *body = &step->store->bodies[block->body];
    CairnVec3 moments = body->model->moments;
    if (body->model->is_isotropic) {
        return cairn_mat3_diagonal(moments.x, moments.x, moments.x);
    }
    CairnMat3 axes = cairn_body_axes(body);
    return cairn_inertia_of_axes(&axes, moments);
}

// Velocity at the start of the step of any body, or of the world (-1).
static inline CairnVec6 cairn_step_start(const CairnStep *step, int body) {
    if (body < 0) {
        return (CairnVec6){{0, 0, 0}, {0, 0, 0}};
    }
    int block = step->block_of[body];
    if (block >= 0) {
        return step->blocks[block].start;
    }
    const CairnBody *b = &step->store->bodies[body];
    return (CairnVec6){b->velocity, b->angular_velocity};
}

// Do filters, bodies and joints let two shapes touch?
static inline bool cairn_step_may_touch(const CairnStore *store, const CairnStepSide *a, const CairnStepSide *b) {
    if ((a->filter.category & b->filter.mask) == 0 || (b->filter.category & a->filter.mask) == 0 ||
        a->body == b->body) {
        return false;
    }
    return !(a->has_joints && b->has_joints && cairn_store_joins(store, a->body, b->body));
}

// Of a side, all that the above asks.
static inline CairnStepSide cairn_step_filters(const CairnStore *store, int shape) {
    const CairnShape *s = &store->shapes[shape];
    return (CairnStepSide){
        .filter = s->model->def.filter, .body = s->body, .has_joints = store->bodies[s->body].first_joint >= 0};
}

static inline bool cairn_step_failed(const CairnStep *step) {
    return step->status.code != CAIRN_OK;
}

// Scratch of `count` elements; on failure the step's status says so and NULL comes back. Never called with a count below 0.
#define CAIRN_STEP_PUSH(step, Type, count) ((Type *)cairn_step_push((step), (size_t)(count), sizeof(Type)))
void *cairn_step_push(CairnStep *step, size_t count, size_t size);
void *cairn_step_push_zero(CairnStep *step, size_t count, size_t size);

#endif
