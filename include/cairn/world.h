// World: bodies, shapes and joints, and the step that moves them.
//
// What holds for all functions of this header:
// - Units are SI (m, s, kg, N, rad). Vectors are in world axes unless the comment says otherwise.
// - A world is used by one thread at a time, also by functions that take a const world, since queries keep what they
//   have computed. Worlds share nothing, so that several threads may each use a world of their own. A step uses as many
//   threads as the definition says.
// - The world copies what it is given; definitions and arrays stay with the caller. Pointers that a function returns
//   belong to the world and are valid until the next call that changes it.
// - A function that returns a status returns CAIRN_INVALID_ARGUMENT for a NULL pointer (except where NULL is allowed)
//   and for a value out of range, and CAIRN_INVALID_ID for an id that is null, dead or of another world. Functions that
//   create or change something may also return CAIRN_OUT_OF_MEMORY. Other codes stand with the function. After an error
//   the world is as it was, and nothing has been written to the caller's variables.
// - A function that returns no status takes a NULL world or a dead id as well, and answers as for an empty world with
//   default settings.
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/ids.h>
#include <cairn/joints.h>
#include <cairn/math.h>
#include <cairn/problem.h>
#include <cairn/shapes.h>
#include <cairn/solver.h>
#include <cairn/stats.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CairnWorld CairnWorld;

// ---- the world ----

// How the friction, and the restitution, of two materials are combined.
typedef enum CairnMix {
    CAIRN_MIX_GEOMETRIC = 0,
    CAIRN_MIX_AVERAGE,
    CAIRN_MIX_MIN,
    CAIRN_MIX_MAX,
    CAIRN_MIX_MULTIPLY
} CairnMix;

// Friction that depends on the load of the same solve is ill-posed on hard contacts: impulses of any size hold each
// other, and a solver takes long over them. What is as stiff as matter has an answer that is found soon. Bounds of a
// box that stand (CAIRN_FRICTION_BOX) need no springs, and hard contacts keep what slides over seams within 1e-6 of its
// speed.
typedef enum CairnSprings { CAIRN_SPRINGS_BY_LAW = 0, CAIRN_SPRINGS_NEVER, CAIRN_SPRINGS_ALWAYS } CairnSprings;

typedef enum CairnIntegrator {
    CAIRN_INTEGRATOR_SEMI_IMPLICIT = 0, // positions move with the velocity at the end of the step (S0 eq. 6)
    // Positions move with the velocity of the middle of the step, made by half of the forces; the other half acts
    // in the pose of the end (S2 eq. 2 where nothing is constrained; RATTLE for joints). Contacts are sought twice and
    // two problems are solved in each step: it takes twice the time. Contacts and joints report the force of its end.
    CAIRN_INTEGRATOR_MIDPOINT
} CairnIntegrator;

// The settings of a world. cairn_world_fields has their defaults and ranges.
typedef struct CairnWorldDef {
    CairnVec3 gravity; // m/s2
    // How large the bodies of this world typically are, m. The lengths and speeds among the settings are those of a
    // world of 1 m: a step uses lengths times this, and speeds and times times its square root, as falling does.
    double typical_length;
    int thread_count; // threads of a step; the answer has the same bits for any number
    CairnIntegrator integrator;
    CairnFrictionKind friction; // a step returns CAIRN_UNSUPPORTED where the solver does not take this kind
    CairnMix friction_mix, restitution_mix;
    double joint_fraction;         // the fraction of a joint's position error that a step removes: d = fraction phi / h
    double joint_push, joint_turn; // the largest speeds at which it is removed, m/s and rad/s
    int substeps; // the most equal parts that a step is made in because bodies of a joint turn far against each other
    int joint_passes;        // the largest number of solves in a step because joints end elsewhere than their rows say
    double contact_fraction; // the fraction of an overlap that a step removes; gaps enter a step as they are
    double contact_slop;     // an overlap that is not removed, m
    double contact_push;     // the largest speed at which an overlap is removed, m/s
    int contact_passes;      // the largest number of solves in a step because the solved motion makes new contacts
    double contact_stray;    // a further solve follows where an overlap exceeds its prediction by this times the margin
    double contact_margin;   // contacts are made from this distance on, m; the motion in the step is added
    // Whether contacts and their friction are springs that remember, so that nothing creeps, or hard.
    CairnSprings springs;
    // How far a spring gives way under its own weight, as a share of typical_length (and by 1 + ln u times that under u
    // times as much).
    double contact_give;
    // C of normals and of the rows of friction, (m/s)/(N s): a contact yields by h C lambda. 0: from contact_give and
    // the masses.
    double normal_compliance, friction_compliance;
    double restitution_threshold; // slower approaches do not bounce, m/s
    double hit_threshold;         // faster approaches make a hit event beside the begin event, m/s
    bool gyroscopic; // true: free rotation by the energy-momentum rule; false: the angular momentum turns with the body
    bool geometric_stiffness;   // M - h^2 K instead of M: holds heavy chains at large steps
    double geometric_threshold; // K is used on a body where h^2 |K| exceeds this fraction of its inertia
    int geometric_passes;       // the largest number of solves in a step because the K of a body changed
    double geometric_jump;      // the relative change of the K of a body from which a further solve follows
    int touch_passes;  // the largest number of solves in a step because the load of a first touch was guessed wrong
    double touch_jump; // the relative difference of load and guess from which a further solve follows
    bool sleeping;     // islands at rest sleep: steps skip them until something reaches them
    double sleep_speed, sleep_spin, sleep_time; // slower than both speeds (m/s, rad/s) for this time (s) is at rest
    CairnAllocator allocator;                   // all memory of the world; zero-initialised: that of the C library
    CairnLogger logger;                         // zero-initialised: messages are dropped
    uint32_t cookie;                            // set by cairn_world_def(); a definition made without it is refused
} CairnWorldDef;

// The fields of CairnWorldDef that have a name, with their defaults and ranges.
extern const CairnFieldTable cairn_world_fields;

// Returns the default definition. It may be called from any thread.
CairnWorldDef cairn_world_def(void);

// Makes an empty world and writes it to *out. The caller owns it and releases it by cairn_world_destroy.
CairnStatus cairn_world_create(const CairnWorldDef *def, CairnWorld **out);

// Releases a world and all that is in it. NULL is allowed.
void cairn_world_destroy(CairnWorld *world);

// Moves time on by h seconds, in [1e-12, 1e12] s. `stats` may be NULL. Beside the common codes it returns
// CAIRN_UNSUPPORTED where the solver does not take the problem, CAIRN_NUMERIC where a value that is not finite came up
// or the solver diverged, and the codes of a solver, a partitioner or a refiner of the caller's.
CairnStatus cairn_world_step(CairnWorld *world, double h, CairnStats *stats);

// Set the solver (bpp by default, auto under all friction but box), the partitioner (mindp with parts of 16 bodies by
// default) and the refiner (none by default). `options` is of the type that the table of the chosen one describes, and
// is copied; NULL stands for its defaults. The solver, partitioner or refiner itself must outlive the world. Only
// solvers with CAIRN_NEEDS_PARTITION use partitioner and refiner.
CairnStatus cairn_world_set_solver(CairnWorld *world, const CairnSolver *solver, const void *options);
CairnStatus cairn_world_set_partitioner(CairnWorld *world, const CairnPartitioner *partitioner, const void *options);
CairnStatus cairn_world_set_refiner(CairnWorld *world, const CairnRefiner *refiner, const void *options);

// Returns how far a contact gives way under its own weight, m: contact_give of the typical length where contacts are
// springs, and 1e-7 of it where they are hard. NULL returns 0.
double cairn_world_contact_give(const CairnWorld *world);

// Changes one setting by the name of its field, from text as cairn_fields_set takes it, and wakes all bodies.
// CAIRN_NOT_FOUND lists the names that are similar to an unknown one.
CairnStatus cairn_world_set(CairnWorld *world, const char *field, const char *value);

// Returns the settings as they are now.
CairnWorldDef cairn_world_settings(const CairnWorld *world);

// Return the simulated time, s, and the number of steps made.
double cairn_world_time(const CairnWorld *world);
uint64_t cairn_world_step_index(const CairnWorld *world);

// Writes the problem of the last step to *problem and a pointer to its impulses to *lambda. The arrays belong to the
// world and are valid until the next call that changes it. Returns CAIRN_NOT_FOUND where no step has been made since
// the world was made or changed.
CairnStatus cairn_world_problem(const CairnWorld *world, CairnProblem *problem, const double **lambda);

// Writes the start of the last solve of that problem. `lambda` and `velocity` are NULL where the problem has no rows.
// The arrays live as long as those of the problem. Returns CAIRN_NOT_FOUND as cairn_world_problem does.
CairnStatus cairn_world_problem_start(const CairnWorld *world, CairnSolveStart *start);

// Writes the time that the solver of the last step spent on each part alone, s, for `capacity` parts at most, and
// returns the number of parts. It is 0 where the solver has no parts, and before the first step. `seconds` may be NULL.
int cairn_world_part_seconds(const CairnWorld *world, double *seconds, int capacity);

// ---- bodies ----

typedef enum CairnBodyType {
    CAIRN_BODY_STATIC = 0, // never moves
    CAIRN_BODY_KINEMATIC,  // moves with the velocity that it is given; nothing changes that velocity
    CAIRN_BODY_DYNAMIC     // moves by forces, contacts and joints
} CairnBodyType;

// What a body is made from. cairn_body_fields has the defaults and ranges.
typedef struct CairnBodyDef {
    CairnBodyType type;
    CairnVec3 position; // of the origin of the body's frame, m; the centre of mass may be elsewhere
    CairnQuat orientation;
    // Of the origin of the body's frame, m/s: shapes that are added later move the centre of mass, not the motion.
    CairnVec3 velocity;
    CairnVec3 angular_velocity; // rad/s
    double mass;                // kg; 0: mass, centre and inertia are computed from the shapes
    CairnVec3 center;           // where mass is given: the centre of mass in the body's frame, m
    // Where mass is given: Ixx, Iyy, Izz about the centre, kg m2. All 0: the inertia of the shapes, scaled to the mass.
    CairnVec3 inertia;
    CairnVec3 inertia_products; // Ixy, Ixz, Iyz as they stand in the tensor (that is, -sum m x y), kg m2
    double gravity_scale;       // the fraction of gravity that acts on the body
    double linear_damping;      // 1/s
    double angular_damping;     // 1/s
    bool continuous;            // contacts are made along its motion in the step, so that it passes through nothing
    int group;                  // label for semantic partitions; -1: none
    uint64_t user_data;         // the caller's own
    uint32_t cookie;            // set by cairn_body_def(); a definition made without it is refused
} CairnBodyDef;

typedef struct CairnBodyState {
    CairnVec3 position; // of the origin of the body's frame, m
    CairnQuat orientation;
    CairnVec3 center;                     // of mass, m
    CairnVec3 velocity, angular_velocity; // of the centre of mass, m/s and rad/s
    CairnVec3 angular_momentum;           // about the centre of mass, N m s
    CairnMassProperties mass;             // in the body's frame
    CairnBodyType type;
    bool is_asleep;
    int group;
    int part; // in the partition of the last step; -1: none
    uint64_t user_data;
} CairnBodyState;

// The fields of CairnBodyDef that have a name, with their defaults and ranges.
extern const CairnFieldTable cairn_body_fields;

// Returns the default definition. It may be called from any thread.
CairnBodyDef cairn_body_def(void);

// Makes a body without shapes and writes its id to *id.
CairnStatus cairn_body_create(CairnWorld *world, const CairnBodyDef *def, CairnBodyId *id);

// Removes a body with its shapes and joints.
CairnStatus cairn_body_destroy(CairnWorld *world, CairnBodyId id);

bool cairn_body_is_alive(const CairnWorld *world, CairnBodyId id);

// Writes the state of a body as it is now.
CairnStatus cairn_body_get(const CairnWorld *world, CairnBodyId id, CairnBodyState *state);

// Makes a body with one shape. `id` may be NULL.
CairnStatus cairn_body_add(CairnWorld *world, const CairnBodyDef *def, const CairnShapeDef *shape, CairnBodyId *id);

// Change a body. The position is that of the origin of the body's frame (m), the velocity that of the centre of mass
// (m/s, rad/s). A static body takes no velocity, and a body with a half-space or a mesh does not become dynamic
// (CAIRN_INVALID_ARGUMENT). All of them wake the body and its island.
CairnStatus cairn_body_set_pose(CairnWorld *world, CairnBodyId id, CairnVec3 position, CairnQuat orientation);
CairnStatus cairn_body_set_velocity(CairnWorld *world, CairnBodyId id, CairnVec3 velocity, CairnVec3 angular_velocity);
CairnStatus cairn_body_set_type(CairnWorld *world, CairnBodyId id, CairnBodyType type);
CairnStatus cairn_body_wake(CairnWorld *world, CairnBodyId id);
CairnStatus cairn_body_set_gravity_scale(CairnWorld *world, CairnBodyId id, double scale);

// Add a force (N) or a torque (N m) to those that act in the next step; after that step they are gone. `point` is in
// world coordinates, and without it the force acts at the centre of mass. Impulses (N s, N m s) change the velocity at
// once. The body must be dynamic, and for an impulse it must have mass (CAIRN_INVALID_ARGUMENT).
CairnStatus cairn_body_apply_force(CairnWorld *world, CairnBodyId id, CairnVec3 force);
CairnStatus cairn_body_apply_force_at(CairnWorld *world, CairnBodyId id, CairnVec3 force, CairnVec3 point);
CairnStatus cairn_body_apply_torque(CairnWorld *world, CairnBodyId id, CairnVec3 torque);
CairnStatus cairn_body_apply_impulse_at(CairnWorld *world, CairnBodyId id, CairnVec3 impulse, CairnVec3 point);
CairnStatus cairn_body_apply_angular_impulse(CairnWorld *world, CairnBodyId id, CairnVec3 impulse);

// Take back the forces and torques that wait for the next step: those on one body, or on all of them. A step that fails
// keeps them; one that is refused because they would take a body out of reach is mended so.
CairnStatus cairn_body_clear_forces(CairnWorld *world, CairnBodyId id);
CairnStatus cairn_world_clear_forces(CairnWorld *world);

// ---- shapes ----

// Makes a shape on a body, whose mass follows it unless it was given. `id` may be NULL.
CairnStatus cairn_shape_create(CairnWorld *world, CairnBodyId body, const CairnShapeDef *def, CairnShapeId *id);

CairnStatus cairn_shape_destroy(CairnWorld *world, CairnShapeId id);

// Writes the definition of a shape and the body that it belongs to; each of the two pointers may be NULL. The points
// and indices in *def belong to the world and live as long as the shape.
CairnStatus cairn_shape_get(const CairnWorld *world, CairnShapeId id, CairnShapeDef *def, CairnBodyId *body);

CairnStatus cairn_shape_set_filter(CairnWorld *world, CairnShapeId id, CairnFilter filter);
CairnStatus cairn_shape_set_material(CairnWorld *world, CairnShapeId id, CairnMaterial material);

// ---- joints ----

// Makes a joint. One of its two bodies must be dynamic (CAIRN_INVALID_ARGUMENT). `id` may be NULL.
CairnStatus cairn_joint_create(CairnWorld *world, const CairnJointDef *def, CairnJointId *id);

// Removes a joint and the gears that couple it.
CairnStatus cairn_joint_destroy(CairnWorld *world, CairnJointId id);

// Write the state of a joint as it is now, and its definition.
CairnStatus cairn_joint_get(const CairnWorld *world, CairnJointId id, CairnJointState *state);
CairnStatus cairn_joint_get_def(const CairnWorld *world, CairnJointId id, CairnJointDef *def);

// Changes the settings of one coordinate (CAIRN_X ... CAIRN_RZ) and wakes both bodies.
CairnStatus cairn_joint_set_axis(CairnWorld *world, CairnJointId id, int axis, const CairnAxis *settings);

// Sets both frames of a definition so that the joint is satisfied where the bodies are now: the origin of the frames at
// `point`, their x axis along `x`, their y axis as near to `y` as it can be (all in world coordinates). `x` must not be
// 0; `y` may be 0 where it does not matter.
CairnStatus cairn_joint_place(const CairnWorld *world, CairnJointDef *def, CairnVec3 point, CairnVec3 x, CairnVec3 y);

// ---- listing ----

// Write the ids of what is alive, `capacity` of them at most, in the order of their slots, and return how many there
// are. `ids` may be NULL.
int cairn_world_bodies(const CairnWorld *world, CairnBodyId *ids, int capacity);
int cairn_world_joints(const CairnWorld *world, CairnJointId *ids, int capacity);
int cairn_body_shapes(const CairnWorld *world, CairnBodyId body, CairnShapeId *ids, int capacity);
int cairn_body_joints(const CairnWorld *world, CairnBodyId body, CairnJointId *ids, int capacity);

// ---- events of the last step ----

typedef struct CairnContactEvent {
    CairnShapeId shape_a, shape_b;
    CairnVec3 point, normal; // m; the unit normal points from a to b
    double speed;            // of the approach, m/s
} CairnContactEvent;

typedef struct CairnBodyEvent {
    CairnBodyId body;
    CairnTransform pose; // of the body's frame, when cairn_world_events is called for the first time after the step
    uint64_t user_data;
    bool fell_asleep;
} CairnBodyEvent;

typedef struct CairnEvents {
    const CairnContactEvent *begin, *end, *hit; // the shapes of an end may have been destroyed
    const CairnBodyEvent *moved;                // the bodies that the step moved or put to sleep
    int begin_count, end_count, hit_count, moved_count;
} CairnEvents;

// Returns the events of the last step. The arrays belong to the world and are valid until the next call that changes
// it.
CairnEvents cairn_world_events(const CairnWorld *world);

// One contact point of the last step. Ids of shapes that have been destroyed since are null.
typedef struct CairnContact {
    CairnShapeId shape_a, shape_b;
    CairnBodyId body_a, body_b;
    CairnVec3 point, normal, tangent_1, tangent_2; // the normal points from a to b
    double distance;                               // m; negative: the shapes overlap
    CairnVec3 impulse;                             // along normal, tangent_1 and tangent_2, N s
    uint64_t id;                                   // the same from step to step while the same features touch
} CairnContact;

// Writes the contact points of the last step, `capacity` of them at most, and returns how many there are. `contacts`
// may be NULL.
int cairn_world_contacts(const CairnWorld *world, CairnContact *contacts, int capacity);

// ---- queries ----
//
// A query finds the shapes that `filter` lets touch. Among shapes that are equally near it takes the one with the
// lowest slot. Of a mesh it finds the surface: a shape that is wholly behind it does not overlap it, distances are
// those to the surface from either side, and rays and casts meet its front faces. A shape that is given must be convex
// and bounded; its definition gives its pose in the frame of a body that is at `pose`. Queries with a shape may return
// CAIRN_OUT_OF_MEMORY.

typedef struct CairnRayHit {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 point, normal;
    double distance; // m
} CairnRayHit;

// Finds the first hit within max_distance (m) along `direction`, which has any length but 0. *has_hit tells whether
// there is one, and *hit is written only then.
CairnStatus cairn_world_ray_cast(const CairnWorld *world, CairnVec3 origin, CairnVec3 direction, double max_distance,
                                 CairnFilter filter, CairnRayHit *hit, bool *has_hit);

typedef struct CairnFound {
    CairnShapeId shape;
    CairnBodyId body;
} CairnFound;

// Find the shapes that touch an axis-aligned box, or that touch a given shape. They write `capacity` of them at most,
// in the order of their slots, and the number of all to *count. `found` may be NULL where capacity is 0.
CairnStatus cairn_world_overlap_box(const CairnWorld *world, CairnVec3 low, CairnVec3 high, CairnFilter filter,
                                    CairnFound *found, int capacity, int *count);
CairnStatus cairn_world_overlap_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      CairnFilter filter, CairnFound *found, int capacity, int *count);

typedef struct CairnClosest {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 query_point; // the given point, or the nearest point of the given shape
    CairnVec3 point;       // the nearest point of the shape in the world
    CairnVec3 normal;      // the unit vector from `point` towards `query_point`
    // m. Where both overlap it is 0, and `query_point` and `point` are the given point, or the origin of the given
    // shape.
    double distance;
} CairnClosest;

// Find the shape nearest to a point, or to a given shape, within max_distance (m). *has_closest tells whether there is
// one, and *closest is written only then.
CairnStatus cairn_world_closest_point(const CairnWorld *world, CairnVec3 point, double max_distance, CairnFilter filter,
                                      CairnClosest *closest, bool *has_closest);
CairnStatus cairn_world_closest_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      double max_distance, CairnFilter filter, CairnClosest *closest,
                                      bool *has_closest);

typedef struct CairnCastHit {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 point, normal; // where both first touch; the unit normal points away from the shape that is hit
    double fraction;         // of `way`; 0: both touch at the start
} CairnCastHit;

// Finds the first shape that a given shape meets when it moves from `pose` by `way` (m) without turning. *has_hit tells
// whether there is one, and *hit is written only then.
CairnStatus cairn_world_shape_cast(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                   CairnVec3 way, CairnFilter filter, CairnCastHit *hit, bool *has_hit);

// ---- state ----

// A snapshot holds everything that the next step depends on, with the warm starts, but not the solver, the partitioner,
// the hooks and the number of threads. It is portable (little-endian) and has a version and a checksum.
//
// cairn_world_snapshot_size returns its size in bytes. cairn_world_snapshot writes it to `bytes`, which has room for
// `size` bytes, and the number of bytes to *written. cairn_world_restore puts a world back into the state of a
// snapshot, with the ids of that time, and returns CAIRN_CORRUPT where the bytes are no whole snapshot.
size_t cairn_world_snapshot_size(const CairnWorld *world);
CairnStatus cairn_world_snapshot(const CairnWorld *world, void *bytes, size_t size, size_t *written);
CairnStatus cairn_world_restore(CairnWorld *world, const void *bytes, size_t size);

// Returns a hash of all bits of all poses and velocities: runs that are equal bit for bit have equal hashes.
uint64_t cairn_world_state_hash(const CairnWorld *world);

#ifdef __cplusplus
}
#endif

#endif
