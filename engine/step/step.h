// Step: its stages, and the results that each makes for the later ones (docs/step.md). All results lie in the world's
// arena; the world does not change before `finish` commits.
#ifndef CAIRN_STEP_H
#define CAIRN_STEP_H

#include "engine/world.h"
#include <stddef.h>

// One dynamic body in this step.
typedef struct CairnStepBlock {
    int body;
    CairnVec6 start; // velocity at the start, damped
    CairnVec6 free;  // velocity at the end if no constraint acted
    CairnVec3
        spin; // angular velocity that the free rotation moves with (gyro.h); of a body that tumbles that of the start
    bool tumbles; // it turns far within the step (step_turn.c)
} CairnStepBlock;

// The state of a block at the end of the step.
typedef struct CairnStepEnd {
    CairnVec3 center;
    CairnQuat q;
    CairnVec3 velocity, spin; // that the body keeps
    CairnVec3 momentum;       // angular, about the centre of mass
} CairnStepEnd;

typedef struct CairnStepContact {
    // Set by the narrow phase (or by step_predict.c); in `frame` these are the normal and the arms.
    uint64_t id;
    CairnContactFrame frame; // rows of the problem refer to it instead of a copy
    double distance;
    double approach; // normal velocity at the start of the step, negative while approaching
    int shape_a, shape_b, body_a, body_b;
    int record;  // last step's record of the same id, or the one that it inherits from (step_inherit.c), or -1
    int roll;    // its index in the contacts' `rolls`
    int company; // of the first point of a manifold: how many manifolds stop its bodies together (step_inherit.c)
    uint8_t manifold_count, manifold_index; // number of points of its manifold, and the index of this one
    bool is_predicted : 1;                  // found where the solved velocities lead (step_predict.c)
    bool is_joined : 1;                     // predicted, and both its sides act at one point
    bool is_prepared : 1;                   // all members below are valid, from an earlier solve of this step
    bool is_known : 1;                      // its patch bore a load in the last step, if not at this point
    // Set by assemble (step_contacts.c).
    bool is_first : 1; // had no normal impulse in the last step, or the last solve
    uint8_t row_count;
    int row;
    double inherited; // loads of other records that it takes over beside its own record's (step_inherit.c)
    double wanted;    // d of the normal row in terms of the end velocity
    double impact;    // the estimated impulse that stops the approach: it acts once, whereas a load acts in every step
    double frozen;    // normal impulse that box friction is bounded by
} CairnStepContact;

typedef struct CairnStepJoint {
    int joint;
    int body_count;
    int bodies[CAIRN_JOINT_MAX_BODIES]; // -1: the world
    const CairnJointInput *input;       // at the start of the step
    const CairnJointRow *rows;
    int row_count, row, constraint;
} CairnStepJoint;

_Static_assert(sizeof(CairnStepContact) == 192, "contacts are a fifth of a step's memory");

static inline CairnVec3 cairn_step_tangent_2(const CairnStepContact *contact) {
    return cairn_cross(contact->frame.normal, contact->frame.tangent);
}

// True: all its rows are those of its frame, as it has none for torsion and rolling.
static inline bool cairn_step_has_frame(const CairnStepContact *contact) {
    return contact->row_count <= CAIRN_FRAME_ROWS;
}

// The bounding ball of a shape and its motion: all that the first test of a pair reads, in one line of the cache.
typedef struct CairnStepBall {
    CairnVec3 center; // the shape's origin
    double radius;    // infinite for half-spaces
    CairnVec3 travel; // of the body's centre in this step, without constraints
    double turning;   // how far its turning may carry any point of the shape
} CairnStepBall;

// The data of a shape and its body that contacts need, close together: a pair reads two of these, and a pair of spheres
// reads nothing of the store.
typedef struct CairnStepSide {
    CairnFilter filter;
    int body;
    uint32_t generation; // of the shape's slot
    bool has_joints;
    CairnVec3 center; // of the body's mass
    CairnVec6 start;  // the body's velocity at the start of the step
} CairnStepSide;

// Traits of a shape: a plain shape may touch every other plain one (no joints, and a filter that excludes nothing).
enum { CAIRN_SHAPE_IS_SPHERE = 1, CAIRN_SHAPE_IS_PLAIN = 2 };

// Where each shape may be within the step, by slot.
typedef struct CairnStepBoxes {
    CairnAabb *boxes;
    uint8_t *kinds;   // CairnBoxKind
    int *owners;      // bodies
    uint8_t *traits;  // CAIRN_SHAPE_IS_...
    bool has_rolling; // some shape resists rolling
    // NULL where the caller does not need them
    CairnTransform *poses;
    CairnStepBall *balls;
    CairnStepSide *sides;
} CairnStepBoxes;

enum { CAIRN_STEP_FEW = 64 }; // bodies, or contacts: not worth waking a thread for

// ---- what the stages make ----
//
// Each of these is the result of one stage and is read by the stages after it. All of them lie in the world's arena and
// end with the step. docs/step.md lists the inputs and outputs of every stage.

// The speed with which two shapes that did not touch before met in an earlier part of a divided step.
typedef struct CairnStruck {
    CairnTouchingPair pair;
    double speed;
} CairnStruck;

// Which part of the whole step this one is (step_divide.c).
typedef struct CairnStepShare {
    int index, count;
    double whole;    // h of the whole step
    bool is_closing; // under the midpoint rule: the second half of the forces of this part, which moves nothing
    const CairnStruck *struck;
    int struck_count;
    CairnArenaMark before_struck; // of the world's arena `kept`
} CairnStepShare;

// What parts of a step change of a world, as it was before the first of them.
typedef struct CairnStepKept {
    CairnBody *bodies;
    CairnJoint *joints;
    CairnContactRecord *contacts;
    CairnVec3 *spins;
    int contact_count, spin_count;
    double last_h, time;
    bool has_ordered_records;
} CairnStepKept;

// Begin: the step itself and its bodies. Every stage reads it; after begin only the arena, the status and the
// statistics change.
typedef struct CairnStep {
    CairnWorld *world;
    CairnStore *store;
    CairnArena *arena;
    double h;             // the time for which bodies move on, or would next
    double kick;          // the time for which forces act: h, or half of it under the midpoint rule (step_divide.c)
    double moved;         // the time for which bodies moved on since the records of contacts were made
    double impulse_scale; // kick over the last one: impulses carried over are forces times time
    double still;         // slower than this, m/s, no contact has a direction of sliding worth following
    double began;         // when the step began, by the clock
    CairnStepShare *share;
    bool has_closed;  // no closing half follows
    bool is_too_long; // joints turn too far in it: it has to be made in `parts` parts, and this one does not happen
    int parts;
    int threads;

    int *block_of; // of each body slot; -1: not dynamic, or asleep
    CairnStepBlock *blocks;
    CairnMat3 *inertias; // of each block that is no ball: cairn_step_inertia
    double mass;         // of all blocks
    int block_count;
    int sleeping_count; // bodies asleep at the start

    CairnStatus status; // of the stage that failed first; the stages after it do nothing
    CairnStats stats;
} CairnStep;

// The pairs of the broad phase: shape a with seconds[starts[a]] ... seconds[starts[a + 1] - 1].
typedef struct CairnStepPairs {
    const int *starts, *seconds;
    int count;
} CairnStepPairs;

// Collide: the contacts, in the order of their pairs. Assemble completes them, and amend adds the predicted ones.
typedef struct CairnStepContacts {
    CairnStepContact *all;
    int count, capacity;
    // The axis of the first rolling row, indexed by a contact's `roll`; that of the second is normal x axis. NULL: no
    // shape resists rolling.
    CairnVec3 *rolls;
    CairnStepPairs pairs;
} CairnStepContacts;

typedef struct CairnStepJoints {
    CairnStepJoint *all;
    int count;
    double *arcs;       // of each row: how far its arc ends from phi + h J v (step_arcs.c), as the problem has it
    const double *bent; // the velocities, 6 a block, that the first arcs are of
    double *kept;       // the arcs of the solve before; NULL: they were not yet changed
    double miss, apart; // how far joints were off then, and that in what the step may leave
    bool stands;        // the arcs are no longer changed
    bool has_all;       // those of stiff bodies, too
} CairnStepJoints;

// Each array holds, for each block, the lowest block of those that are tied together (step_groups.c).
typedef struct CairnStepGroups {
    const int *joined;   // by joints
    const int *touching; // by joints and by contacts, whether or not they bear
} CairnStepGroups;

// Assemble: the problem, and those of its arrays that amend may change between two solves.
typedef struct CairnStepSystem {
    CairnProblem problem;
    CairnStepJoints joints;
    CairnStepGroups groups;
    double *P, *J, *p, *right_side, *lower, *upper, *compliance;
    CairnDofBlock *blocks;
    CairnFriction *frictions;
    int matrix_count; // in P: fewer than blocks where equal balls use one
    // What derived compliances are made from (step_compliance.c): the mass of each block's island and of the heaviest
    // body in it, kg, and the softness of hard contacts that bear load, in terms of 1 / the former.
    const double *island_mass, *heaviest;
    double spring;
    // K of each block, negative semidefinite or 0: the geometric stiffness that P contains. NULL: all are 0.
    const CairnMat3 *stiffness;
    const CairnVec3 *turns; // of each block: the angular velocity that K does not resist; NULL without K
    int calm;    // how much less its rows demand, since they gave too much energy (cairn_step_calm); 0: nothing
    int relaxed; // how much of the stiffness was left out, as nothing was certified with it (cairn_step_relax); 0: none
} CairnStepSystem;

// Partition: the parts that the solver works on.
typedef struct CairnStepParts {
    CairnParts parts;
    double *seconds;    // solving time of each part; NULL: the solver has no parts
    bool has_partition; // the solver needs parts, and these are the partitioner's
} CairnStepParts;

// What some impulses lead to. A review only finds it; amend changes the problem accordingly when no solver runs.
typedef struct CairnStepReview {
    const double *lambda, *velocity; // the impulses, and the velocities that follow from them
    const CairnMat3 *stiffness;      // the geometric stiffness that the impulses cause; NULL: as in the problem
    double *arcs;                    // of every row of the joints; NULL: as in the problem
    double miss, apart;              // how far joints end from where their rows say, in tolerances and in allowances
    bool is_split;                   // predicted contacts bear whose sides act at two points
    bool has_all_arcs;               // those of stiff bodies, too
    bool is_misjudged;               // first touches bear other loads than their friction bounds were made from
    bool is_overloaded;              // contacts bear more than their springs were made for
    CairnStepContact *predicted;     // contacts that the velocities run into, in the order of their pairs
    int predicted_count;
} CairnStepReview;

// Solve: impulses and velocities.
typedef struct CairnStepAnswer {
    double *lambda;   // of the problem at hand: the warm start when assemble is done, then the answer
    double *velocity; // 6 a block; it outlasts the problem
    // The answer of this step's problem before the contacts were added, the warm start of the one with them; NULL: none
    // were added. Joints have the same rows in both problems, and prepared contacts had theirs in this order.
    const double *earlier;
    int pass;               // how often the problem at hand was solved
    bool is_rough;          // the last solve was ended by a review
    bool has_exact;         // the solver is to end with an answer that is certified, or other ways are to follow
    int softness;           // how far the rows of this step were made soft enough to be solved (cairn_step_soften)
    CairnArenaMark problem; // the arena above it holds the problem at hand
    CairnStepReview review; // of this answer
} CairnStepAnswer;

typedef enum CairnStepNext {
    CAIRN_STEP_GO_ON,   // the answer stands
    CAIRN_STEP_SOLVE,   // the problem was amended: solve it again
    CAIRN_STEP_ASSEMBLE // contacts were added: assemble, partition and solve again
} CairnStepNext;

// Limit advance: the time that each block moves for in this step, s, and what it is moved by besides. NULL: all of them
// move for h.
typedef struct CairnStepAdvance {
    double *times;
    CairnVec3 *shifts;
} CairnStepAdvance;

// Integrate: the state of each block at the end of the step.
typedef struct CairnStepEnds {
    CairnStepEnd *all;
} CairnStepEnds;

// ---- the stages, in their order ----
//
// A stage reads its const arguments and makes or changes the others. It does nothing once the step has failed.

void cairn_step_collide(CairnStep *step, CairnStepContacts *contacts);
// Wake the groups that moving bodies reach in this step; true: begin and collide again, now with them.
bool cairn_step_wake(CairnStep *step, CairnStepContacts *contacts);
// Room for the velocities, which lie below the problem in the arena.
void cairn_step_allocate_answer(CairnStep *step, const CairnStepContacts *contacts, CairnStepAnswer *answer);
void cairn_step_assemble(CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                         CairnStepAnswer *answer);
void cairn_step_partition(CairnStep *step, const CairnStepSystem *system, CairnStepParts *parts);
void cairn_step_solve(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                      const CairnStepParts *parts, CairnStepAnswer *answer);
// Change the problem by what the answer's review found.
CairnStepNext cairn_step_amend(CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                               CairnStepAnswer *answer);
// Give angular momentum that geometric stiffness and predicted contacts took to the bodies that are tied together:
// changes the velocities.
void cairn_step_keep_momentum(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                              CairnStepAnswer *answer);
void cairn_step_limit_advance(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                              const CairnStepAnswer *answer, CairnStepAdvance *advance);
void cairn_step_integrate(CairnStep *step, const CairnStepAnswer *answer, const CairnStepAdvance *advance,
                          CairnStepEnds *ends);
// Commit: until then nothing of the world has changed except which bodies are awake, and a step that fails undoes that.
void cairn_step_finish(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                       const CairnStepParts *parts, const CairnStepAnswer *answer, const CairnStepEnds *ends);

// ---- pieces of collide ----

// Where the shapes may be in the step. Collide makes them; step_predict.c and step_advance.c make them again, since
// they test pairs when the velocities are known.
void cairn_step_make_boxes(CairnStep *step, bool with_sides, CairnStepBoxes *boxes);
// Contacts from pairs. False: there is no room for all of them; the next call has enough.
bool cairn_step_narrow(CairnStep *step, const CairnStepBoxes *boxes, const CairnPair *pairs, int pair_count,
                       CairnStepContacts *contacts);

// A contact of this pair with its id and bodies; its frame and distance are not yet set.
CairnStepContact cairn_step_new_contact(const CairnStep *step, CairnPair pair, uint64_t feature);
CairnMaterial cairn_step_material(const CairnStep *step, const CairnStepContact *contact);

// Bytes of the arena that a step with so many bodies and contacts takes at least; the step fails with
// CAIRN_OUT_OF_MEMORY where the machine does not have as many available.
size_t cairn_step_bytes(const CairnStep *step, int block_count, int contact_count);
void cairn_step_check_room(CairnStep *step, int block_count, int contact_count);
// Reserves one chunk of the arena for a step with as many contacts as the world expects, so that memory that only one
// stage needs is free again for the next.
void cairn_step_reserve(CairnStep *step);

// ---- pieces of assemble ----

// Tangents, wanted velocities and loads of the contacts that are not prepared. `velocity` is the one that the predicted
// contacts were found with.
void cairn_step_contact_frames(const CairnStep *step, CairnStepContacts *contacts, const double *velocity);
CairnVec3 cairn_step_apart(const CairnStep *step, const CairnStepContact *contact);
bool cairn_step_is_near(const CairnStepContact *contact, CairnVec3 apart);
void cairn_step_join_sides(const CairnStep *step, CairnStepContact *contact);
// Do predicted contacts bear whose sides act at two points? Amend joins them.
bool cairn_step_review_splits(const CairnStep *step, const CairnStepContacts *contacts, const double *lambda);
void cairn_step_join_predicted(const CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                               const CairnStepReview *review);
void cairn_step_joint_rows(CairnStep *step, CairnStepJoints *joints);
void cairn_step_write_contact_rows(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *contact,
                                   double *J);
void cairn_step_write_right_side(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *contact,
                                 const double *compliance, double *d);
// The share of last step's impulses of a contact that was a load, and deflected it.
double cairn_step_remembers(const CairnStep *step, const CairnStepContact *contact);
void cairn_step_find_groups(CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                            CairnStepGroups *groups);
// The acceleration by which loads are estimated, and beside whose rounding motion is rest: gravity; where there is
// none, that of the earth.
double cairn_step_acceleration(const CairnStep *step);
// The masses that derived compliances are made from; then C of the rows of a joint, and of a contact.
void cairn_step_weigh_islands(CairnStep *step, CairnStepSystem *system);
void cairn_step_joint_compliance(const CairnStep *step, const CairnStepSystem *system, const CairnStepJoint *sj,
                                 double *compliance);
void cairn_step_contact_compliance(const CairnStep *step, const CairnStepSystem *system,
                                   const CairnStepContact *contact, double found,
                                   double compliance[CAIRN_CONTACT_ROWS]);
// Springs of contacts (step_spring.c): whether there are any, what one holds before and after the step, how deep that
// keeps it, its C where a solve has found this load (0: none has), and whether solved loads are others than expected.
bool cairn_step_has_springs(const CairnStep *step);
double cairn_step_held_load(const CairnStep *step, const CairnStepContact *contact);
double cairn_step_hold_load(const CairnStep *step, const CairnStepContact *contact, double compliance, double load);
double cairn_step_kept_overlap(const CairnStep *step, const CairnStepContact *contact);
double cairn_step_spring_compliance(const CairnStep *step, const CairnStepSystem *system,
                                    const CairnStepContact *contact, double found);
bool cairn_step_review_springs(const CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                               const double *lambda);
void cairn_step_amend_springs(const CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                              const double *lambda);
// The last step's impulses along the contact's rows.
void cairn_step_warm_contact(const CairnStep *step, const CairnVec3 *rolls, const CairnStepContact *contact,
                             double *lambda);
// The problem has its rows of angles times the typical length, so that all its rows are velocities in m/s and can be
// compared; then their impulses are N s, and these are N m s again.
void cairn_step_write_joint(const CairnStep *step, const CairnStepJoint *sj, double *J, double *d);
// The right sides of a joint that demands no speed to mend what it is off, and with `with_drives` none of drives
// either.
void cairn_step_calm_joint(const CairnStep *step, const CairnStepJoint *sj, bool with_drives, double *d);
// The speed, m/s or rad/s, that a row of a joint demands of its bodies.
double cairn_step_joint_demand(const CairnStep *step, const CairnStepJoint *sj, int r);

// In `room`, or where both are the same, in lambda.
const double *cairn_step_joint_impulses(const CairnStep *step, const CairnStepJoint *sj, const double *lambda,
                                        double room[CAIRN_JOINT_MAX_ROWS]);

// Geometric stiffness: K of every block from the impulses, subtracted from P.
void cairn_step_stiffen(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                        CairnStepSystem *system);

// What the arcs of joints add to the right side, for the velocities at the start of the step. After cairn_step_stiffen.
void cairn_step_bend(CairnStep *step, CairnStepSystem *system);

// ---- pieces of solve and amend ----

// Fill in what the review's lambda and velocity lead to; `pass`: how often the problem was solved.
void cairn_step_review(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system, int pass,
                       CairnStepReview *review);
// True: the impulses lead to another problem.
bool cairn_step_is_superseded(const CairnStepReview *review);

// The referee judges the answer.
void cairn_step_judge(CairnStep *step, const CairnStepSystem *system, const CairnStepAnswer *answer);

// Raise compliances to what impulses of any size can be solved with, for a step that found no answer; the level is
// from 1 to CAIRN_STEP_SOFTEST.
enum { CAIRN_STEP_SOFTEST = 3 };
void cairn_step_soften(const CairnStep *step, CairnStepSystem *system, int level);

// The geometric stiffness that the impulses cause; NULL: no K changed by more than geometric_jump, so no further solve
// follows.
const CairnMat3 *cairn_step_review_stiffness(CairnStep *step, const CairnStepContacts *contacts,
                                             const CairnStepSystem *system, const double *lambda);
void cairn_step_amend_stiffness(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                                CairnStepSystem *system, const CairnMat3 *K);
// The angular velocity with which the bodies tied to each block turn as one; 0 where something holds them.
const CairnVec3 *cairn_step_find_turns(CairnStep *step, const CairnStepContacts *contacts,
                                       const CairnStepSystem *system, const double *lambda);

// True: less of the geometric stiffness is in use now, as the problem with it has no answer that is certified: solve
// again.
bool cairn_step_relax(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                      CairnStepSystem *system);

// True: the answer has far more energy than was put in, and the rows of the bodies that have it demand less now, or are
// softer: solve again. Where nothing is left to amend, the impulses of these bodies change their velocities less.
bool cairn_step_calm(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                     CairnStepAnswer *answer);

// Fill in the arcs that the review's velocities lead to where joints end farther than a tolerance from where their rows
// say, or those of the solve before where that did not help.
void cairn_step_review_arcs(CairnStep *step, const CairnStepSystem *system, int pass, CairnStepReview *review);
void cairn_step_amend_arcs(const CairnStep *step, CairnStepSystem *system, const CairnStepReview *review);
// What arcs add to the right side of a row, and a joint whose right side is without from now on.
double cairn_step_arc_demand(const CairnStep *step, const CairnStepJoints *joints, const CairnStepJoint *sj, int r);
void cairn_step_straighten(const CairnStepJoints *joints, const CairnStepJoint *sj);

// With box friction: does some first touch bear another load than its bounds were made from (touch_jump)? Amend then
// makes the bounds of all first touches from the loads.
bool cairn_step_review_touches(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                               const double *lambda);
void cairn_step_amend_touches(CairnStepContacts *contacts, CairnStepSystem *system, double *lambda);

// Contacts that the review's velocities run into and that the problem lacks.
void cairn_step_predict_contacts(CairnStep *step, const CairnStepContacts *contacts, CairnStepReview *review);
void cairn_step_add_predicted(CairnStep *step, CairnStepContacts *contacts, const CairnStepSystem *system,
                              CairnStepAnswer *answer);

// ---- bodies that turn far (step_turn.c) ----

// True: a body without joints turns so far in the step that the mean velocity of its free rotation is another than that
// of its start.
bool cairn_step_tumbles(const CairnStep *step, int body, CairnVec3 angular, CairnVec3 mean);
// True: a body with joints turns so far in the step that the mean velocity of its free rotation would have more energy,
// in the pose of the start, than it has.
bool cairn_step_feigns_energy(const CairnStep *step, const CairnBody *body, CairnVec3 angular, CairnVec3 mean);
// How a block turns in this step: with the solved velocity, but a body that tumbles as a free one after the impulses,
// in several turns that are each about one axis.
typedef struct CairnStepTurn {
    double start, end; // s
    CairnQuat q;       // of the body at the start of the turn
    CairnVec3 angular;
    CairnVec3 momentum; // of a body that tumbles
    int index, count;
} CairnStepTurn;

enum { CAIRN_STEP_TURNS = 1024 }; // that are followed

CairnStepTurn cairn_step_first_turn(const CairnStep *step, int block, CairnVec3 solved);
void cairn_step_next_turn(const CairnStep *step, int block, CairnStepTurn *turn);
// The body's orientation after `time`.
CairnQuat cairn_step_end_of_turns(const CairnStep *step, int block, CairnVec3 solved, double time);
// The body's orientation at a time of this turn.
CairnQuat cairn_step_turned(const CairnStep *step, int block, const CairnStepTurn *turn, double time);
// True: by the time at which two bodies meet they have turned so far that an impulse there has little to do with what
// it does to them at the start. `arms` are those of the meeting.
bool cairn_step_is_untimely(const CairnStep *step, const int bodies[2], const CairnVec3 angular[2],
                            const CairnVec3 arms[2], CairnVec3 normal, double time);

// ---- pieces of integrate and finish ----

// Where a kinematic body's velocity takes it, centre of mass and turn.
CairnTransform cairn_step_kinematic_pose(const CairnStep *step, const CairnBody *body);

// Which bodies have been at rest for long enough to fall asleep.
typedef struct CairnStepRest {
    int *island; // of each block: its island's lowest block
    double *still_time;
    bool *falls_asleep; // NULL: the world has no sleeping
} CairnStepRest;

void cairn_step_find_rest(CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                          const double *lambda, const CairnStepEnds *ends, CairnStepRest *rest);
void cairn_step_commit_waking(const CairnStep *step); // called by finish, before cairn_step_update_sleep
void cairn_step_undo_waking(const CairnStep *step);   // where the step failed
// Called by finish: stores the body's time at rest, and puts it to sleep where it is due.
void cairn_step_update_sleep(CairnStep *step, const CairnStepRest *rest, int block);
// Contacts among sleeping bodies outlast the step.
bool cairn_step_is_kept(const CairnStep *step, int shape_a, int shape_b);

// Sets of blocks: parent[i] == i at first, and the lowest block of a set is its root, whatever the order of the unions.
int cairn_step_root(int *parent, int i);
void cairn_step_unite(int *parent, int a, int b);
// Unites all blocks of a joint; returns the first of them, -1: it has none.
int cairn_step_unite_joint(const CairnStep *step, const CairnStepJoint *sj, int *parent);
// Makes the root of every block its parent.
void cairn_step_name_roots(int *parent, int count);

// ---- parts of a step ----

// Keep what a part changes. False: no memory.
bool cairn_step_keep(CairnWorld *world, CairnStepKept *kept);
void cairn_step_take_back(CairnWorld *world, const CairnStepKept *kept);
// How many parts a step needs in which bodies of a joint turn so far against each other, rad.
int cairn_step_parts(const CairnStep *step, double turn);
void cairn_step_add_stats(CairnStats *stats, const CairnStats *part);
void cairn_step_add_report(CairnSolveReport *sum, const CairnSolveReport *report);

static inline bool cairn_step_is_last(const CairnStep *step) {
    return step->share->index + 1 == step->share->count && step->has_closed;
}

// The geometric stiffness follows bodies on their way.
static inline bool cairn_step_may_stiffen(const CairnStep *step) {
    return step->world->def.geometric_stiffness && !step->share->is_closing;
}

// For how long bodies move on.
static inline double cairn_step_drift(const CairnStep *step) {
    return step->share->is_closing ? 0 : step->h;
}

// ---- bodies and velocities ----

static inline int cairn_step_block(const CairnStep *step, int body) {
    return body < 0 ? -1 : step->block_of[body];
}

// Inertia in world axes. That of a ball has the same bits in any pose, so that equal balls use one matrix of P.
static inline CairnMat3 cairn_step_inertia(const CairnStep *step, const CairnStepBlock *block) {
    const CairnBodyModel *model = step->store->bodies[block->body].model;
    if (model->is_isotropic) {
        return cairn_mat3_diagonal(model->moments.x, model->moments.x, model->moments.x);
    }
    return step->inertias[block - step->blocks];
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

// Velocity of any body where those of the blocks, 6 each, are the solved ones.
static inline CairnVec6 cairn_step_solved(const CairnStep *step, const double *velocity, int body) {
    int block = cairn_step_block(step, body);
    if (block < 0) {
        return cairn_step_start(step, body);
    }
    const double *v = velocity + (ptrdiff_t)6 * block;
    return (CairnVec6){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

// True: filters, bodies and joints allow contacts of two shapes.
static inline bool cairn_step_may_touch(const CairnStore *store, const CairnStepSide *a, const CairnStepSide *b) {
    if ((a->filter.category & b->filter.mask) == 0 || (b->filter.category & a->filter.mask) == 0 ||
        a->body == b->body) {
        return false;
    }
    return !(a->has_joints && b->has_joints && cairn_store_joins(store, a->body, b->body));
}

// The members of a side that cairn_step_may_touch reads.
static inline CairnStepSide cairn_step_filters(const CairnStore *store, int shape) {
    const CairnShape *s = &store->shapes[shape];
    return (CairnStepSide){
        .filter = s->model->def.filter, .body = s->body, .has_joints = store->bodies[s->body].first_joint >= 0};
}

// What a joint's row is multiplied by in the problem.
static inline double cairn_step_unit(const CairnStep *step, const CairnStepJoint *sj, int r) {
    return cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? step->world->def.typical_length : 1;
}

static inline bool cairn_step_failed(const CairnStep *step) {
    return step->status.code != CAIRN_OK || step->is_too_long;
}

// Scratch memory of `count` elements, count >= 0. On failure it sets the step's status and returns NULL.
#define CAIRN_STEP_PUSH(step, Type, count) ((Type *)cairn_step_push((step), (size_t)(count), sizeof(Type)))
void *cairn_step_push(CairnStep *step, size_t count, size_t size);
void *cairn_step_push_zero(CairnStep *step, size_t count, size_t size);

#endif
