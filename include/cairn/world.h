// World: bodies, shapes and joints, and the step that moves them. Worlds share nothing: any number may live in a process, each
// used by one thread at a time.
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/joints.h>
#include <cairn/math.h>
#include <cairn/problem.h>
#include <cairn/shapes.h>
#include <cairn/solver.h>
#include <cairn/stats.h>
#include <cairn/status.h>

typedef struct CairnWorld CairnWorld;

// ---- the world ----

typedef enum CairnMix {
    CAIRN_MIX_GEOMETRIC = 0,
    CAIRN_MIX_AVERAGE,
    CAIRN_MIX_MIN,
    CAIRN_MIX_MAX,
    CAIRN_MIX_MULTIPLY
} CairnMix;

typedef enum CairnIntegrator {
    CAIRN_SEMI_IMPLICIT = 0, // positions move with the end velocity (S0 eq. 6)
    CAIRN_MIDPOINT           // positions move with the mean of start and end velocity (S2 eq. 2)
} CairnIntegrator;

typedef struct CairnWorldDef {
    CairnVec3 gravity;
    int thread_count;
    CairnIntegrator integrator;
    CairnFrictionKind friction; // kinds that the solver does not take are refused at the step
    CairnMix friction_mix, restitution_mix;
    double joint_fraction;         // share of a joint's position error that one step removes: d = fraction phi / h
    double joint_push, joint_turn; // largest speeds at which it is removed, m/s and rad/s
    double contact_fraction;       // the same for overlaps (gaps are always taken whole)
    double contact_slop;           // overlap that is left alone, m
    double contact_push;           // largest speed at which an overlap is removed, m/s
    int contact_passes;            // solves in a step at most, where what was solved for leads into new contacts
    double contact_stray;  // share of the margin that an overlap may be more than its rows say; beyond: another solve
    double contact_margin; // contacts exist from this distance on, m; a body's motion in the step adds to it
    double normal_compliance;     // C of contact normals, (m/s)/(N s): a spring's, h C lambda is what it gives way
    double friction_compliance;   // C of friction rows
    double restitution_threshold; // approach speed below which nothing bounces, m/s
    double hit_threshold;         // approach speed from which a begin event is also a hit, m/s
    bool gyroscopic;              // torque-free motion by the energy-momentum rule; off: momentum frozen in the body
    bool geometric_stiffness;     // M - h^2 K: holds heavy chains at large steps
    double geometric_threshold;   // used on a body where h^2 |K| exceeds this fraction of its inertia
    int geometric_passes;         // solves a step at most; a second pass runs only where the impulses jumped
    double geometric_jump;        // relative change of a body's K from which a further pass is worth it
    int touch_passes; // solves a step at most; a second one runs only where a first touch bears another load than was guessed
    double touch_jump; // relative difference of load and guess from which that is worth it
    bool sleeping;     // islands at rest sleep: they cost nothing until something reaches them
    double sleep_speed, sleep_spin, sleep_time;
    CairnAllocator allocator;
    CairnLogger logger;
    uint32_t cookie; // set by cairn_world_def()
} CairnWorldDef;

extern const CairnFieldTable cairn_world_fields;

CairnWorldDef cairn_world_def(void);

CairnStatus cairn_world_create(const CairnWorldDef *def, CairnWorld **out);
void cairn_world_destroy(CairnWorld *world); // NULL is allowed

// Calls that answer no status take a NULL world too: no time has passed in it, nothing is in it, and its settings are the defaults.

// Move time on by h seconds. On an error nothing has moved. `stats` may be NULL; on an error it is untouched.
CairnStatus cairn_world_step(CairnWorld *world, double h, CairnStats *stats);

// The solver (bpp by default), a copy of its options (NULL: its defaults), and the partition that it works on: what parts the system,
// and what refines the parts (mindp with parts of 16 bodies, and no refiner by default). Only solvers with CAIRN_NEEDS_PARTITION ask for
// parts.
CairnStatus cairn_world_set_solver(CairnWorld *world, const CairnSolver *solver, const void *options);
CairnStatus cairn_world_set_partitioner(CairnWorld *world, const CairnPartitioner *partitioner, const void *options);
CairnStatus cairn_world_set_refiner(CairnWorld *world, const CairnRefiner *refiner, const void *options);

// Change one setting of the definition by name, as --world and the viewer do.
CairnStatus cairn_world_set(CairnWorld *world, const char *field, const char *value);
CairnWorldDef cairn_world_settings(const CairnWorld *world);

double cairn_world_time(const CairnWorld *world);
uint64_t cairn_world_step_index(const CairnWorld *world);

// Write the last step's problem description over `problem` (arrays belong to the world and live until the next call that
// changes it) and its impulses. CAIRN_NOT_FOUND before the first step.
CairnStatus cairn_world_problem(const CairnWorld *world, CairnProblem *problem, const double **lambda);
// What the last solve of that problem began with; `lambda` and `velocity` are NULL where the problem has no rows. The arrays live as
// long as the problem's.
CairnStatus cairn_world_problem_start(const CairnWorld *world, CairnSolveStart *start);
// Seconds that the last step's solver gave to each part alone, `capacity` of them at most. Answers how many parts there are: 0 where
// the solver had none, or before the first step.
int cairn_world_part_seconds(const CairnWorld *world, double *seconds, int capacity);

// ---- bodies ----

typedef enum CairnBodyType {
    CAIRN_STATIC = 0, // never moves
    CAIRN_KINEMATIC,  // moves with the velocity it is given, whatever it meets
    CAIRN_DYNAMIC
} CairnBodyType;

typedef struct CairnBodyDef {
    CairnBodyType type;
    CairnVec3 position; // of the body's frame (not of its centre of mass)
    CairnQuat orientation;
    CairnVec3 velocity; // of the body's frame's origin: shapes added later move the centre of mass, not the motion
    CairnVec3 angular_velocity;
    double mass;       // 0: mass, centre and inertia come from the shapes
    CairnVec3 center;  // centre of mass in the body's frame, where mass is given
    CairnVec3 inertia; // Ixx, Iyy, Izz about the centre, where mass is given; all 0: the shapes' scaled to the mass
    CairnVec3 inertia_products; // Ixy, Ixz, Iyz as they stand in the tensor (that is, -sum m x y)
    double gravity_scale;
    double linear_damping;  // 1/s
    double angular_damping; // 1/s
    bool continuous;        // contacts are made where it will be within the step: it passes through nothing
    int group;              // label for semantic partitions, -1: none
    uint64_t user_data;
    uint32_t cookie; // set by cairn_body_def()
} CairnBodyDef;

typedef struct CairnBodyState {
    CairnVec3 position; // of the body's frame
    CairnQuat orientation;
    CairnVec3 center;                     // centre of mass, world
    CairnVec3 velocity, angular_velocity; // of the centre of mass
    CairnVec3 angular_momentum;           // about the centre of mass
    CairnMassProperties mass;             // in the body's frame
    CairnBodyType type;
    bool is_asleep;
    int group;
    int part; // of the last step's partition, -1: none
    uint64_t user_data;
} CairnBodyState;

extern const CairnFieldTable cairn_body_fields;

CairnBodyDef cairn_body_def(void);

CairnStatus cairn_body_create(CairnWorld *world, const CairnBodyDef *def, CairnBodyId *id);
CairnStatus cairn_body_destroy(CairnWorld *world, CairnBodyId id); // with its shapes and joints
bool cairn_body_is_alive(const CairnWorld *world, CairnBodyId id);
CairnStatus cairn_body_get(const CairnWorld *world, CairnBodyId id, CairnBodyState *state);

// A body of one shape, the common case of scenes. `id` may be NULL.
CairnStatus cairn_body_add(CairnWorld *world, const CairnBodyDef *def, const CairnShapeDef *shape, CairnBodyId *id);

CairnStatus cairn_body_set_pose(CairnWorld *world, CairnBodyId id, CairnVec3 position, CairnQuat orientation);
CairnStatus cairn_body_set_velocity(CairnWorld *world, CairnBodyId id, CairnVec3 velocity,
                                    CairnVec3 angular_velocity); // of the centre of mass
CairnStatus cairn_body_set_type(CairnWorld *world, CairnBodyId id, CairnBodyType type);
CairnStatus cairn_body_wake(CairnWorld *world, CairnBodyId id); // with its island
CairnStatus cairn_body_set_gravity_scale(CairnWorld *world, CairnBodyId id, double scale);

// Forces last for one step and add up; `point` is in world coordinates. Impulses change the velocity at once.
CairnStatus cairn_body_apply_force(CairnWorld *world, CairnBodyId id, CairnVec3 force);
CairnStatus cairn_body_apply_force_at(CairnWorld *world, CairnBodyId id, CairnVec3 force, CairnVec3 point);
CairnStatus cairn_body_apply_torque(CairnWorld *world, CairnBodyId id, CairnVec3 torque);
CairnStatus cairn_body_apply_impulse_at(CairnWorld *world, CairnBodyId id, CairnVec3 impulse, CairnVec3 point);
CairnStatus cairn_body_apply_angular_impulse(CairnWorld *world, CairnBodyId id, CairnVec3 impulse);

// ---- shapes ----

// `id` may be NULL.
CairnStatus cairn_shape_create(CairnWorld *world, CairnBodyId body, const CairnShapeDef *def, CairnShapeId *id);
CairnStatus cairn_shape_destroy(CairnWorld *world, CairnShapeId id);
CairnStatus cairn_shape_get(const CairnWorld *world, CairnShapeId id, CairnShapeDef *def, CairnBodyId *body);
CairnStatus cairn_shape_set_filter(CairnWorld *world, CairnShapeId id, CairnFilter filter);
CairnStatus cairn_shape_set_material(CairnWorld *world, CairnShapeId id, CairnMaterial material);

// ---- joints ----

CairnStatus cairn_joint_create(CairnWorld *world, const CairnJointDef *def, CairnJointId *id); // id may be NULL
CairnStatus cairn_joint_destroy(CairnWorld *world, CairnJointId id);
CairnStatus cairn_joint_get(const CairnWorld *world, CairnJointId id, CairnJointState *state);
CairnStatus cairn_joint_get_def(const CairnWorld *world, CairnJointId id, CairnJointDef *def);
CairnStatus cairn_joint_set_axis(CairnWorld *world, CairnJointId id, int axis, const CairnAxis *settings);

// Set both frames of a definition so that the joint is satisfied where the bodies stand now: its origin at `point`, its x axis
// along `x`, its y axis as near to `y` as it can be (world coordinates; `y` may be zero where it does not matter).
CairnStatus cairn_joint_place(const CairnWorld *world, CairnJointDef *def, CairnVec3 point, CairnVec3 x, CairnVec3 y);

// ---- listing: fill up to `capacity` ids in the order of creation slots (NULL: none), return how many there are ----

int cairn_world_bodies(const CairnWorld *world, CairnBodyId *ids, int capacity);
int cairn_world_joints(const CairnWorld *world, CairnJointId *ids, int capacity);
int cairn_body_shapes(const CairnWorld *world, CairnBodyId body, CairnShapeId *ids, int capacity);
int cairn_body_joints(const CairnWorld *world, CairnBodyId body, CairnJointId *ids, int capacity);

// ---- what happened in the last step; valid until the next call that changes the world ----

typedef struct CairnContactEvent {
    CairnShapeId shape_a, shape_b;
    CairnVec3 point, normal; // from a to b
    double speed;            // approach speed, hit events
} CairnContactEvent;

typedef struct CairnBodyEvent {
    CairnBodyId body;
    CairnTransform pose; // of the body's frame, as it is when the events are first asked for
    uint64_t user_data;
    bool fell_asleep;
} CairnBodyEvent;

typedef struct CairnEvents {
    const CairnContactEvent *begin, *end, *hit; // an end names shapes that may be dead by now
    const CairnBodyEvent *moved;                // the bodies that the step moved or put to sleep
    int begin_count, end_count, hit_count, moved_count;
} CairnEvents;

CairnEvents cairn_world_events(const CairnWorld *world);

// One contact point of the last step.
typedef struct CairnContact {
    CairnShapeId shape_a, shape_b;
    CairnBodyId body_a, body_b;
    CairnVec3 point, normal, tangent_1, tangent_2; // normal from a to b
    double distance;                               // negative: overlap
    CairnVec3 impulse;                             // normal, t1, t2; N s
    uint64_t id;
} CairnContact;

int cairn_world_contacts(const CairnWorld *world, CairnContact *contacts, int capacity);

// ---- queries ----

typedef struct CairnRayHit {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 point, normal;
    double distance;
} CairnRayHit;

// The nearest hit within max_distance along `direction` (any length but zero). *has_hit says whether there is one.
CairnStatus cairn_world_ray_cast(const CairnWorld *world, CairnVec3 origin, CairnVec3 direction, double max_distance,
                                 CairnFilter filter, CairnRayHit *hit, bool *has_hit);

typedef struct CairnFound {
    CairnShapeId shape;
    CairnBodyId body;
} CairnFound;

// Of a mesh, queries know the surface: what lies wholly behind it overlaps nothing, distances are those to the surface from either
// side, and rays and casts meet its front faces.
//
// The shapes that touch an axis-aligned box, or a shape on a body at `pose` (convex and bounded, with its own place in the body's
// frame). Fills up to `capacity` of them in the order of their slots; *count is how many there are.
CairnStatus cairn_world_overlap_box(const CairnWorld *world, CairnVec3 low, CairnVec3 high, CairnFilter filter,
                                    CairnFound *found, int capacity, int *count);
CairnStatus cairn_world_overlap_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      CairnFilter filter, CairnFound *found, int capacity, int *count);

typedef struct CairnClosest {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 own;    // the point asked about, or the point of the shape asked about
    CairnVec3 point;  // the nearest point of the world's shape
    CairnVec3 normal; // from there towards `own`, unit
    double distance;  // 0: inside, or they overlap; own and point are then some point of both
} CairnClosest;

// The nearest shape within max_distance of a point, or of a shape on a body at `pose`.
CairnStatus cairn_world_closest_point(const CairnWorld *world, CairnVec3 point, double max_distance, CairnFilter filter,
                                      CairnClosest *closest, bool *has_closest);
CairnStatus cairn_world_closest_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      double max_distance, CairnFilter filter, CairnClosest *closest,
                                      bool *has_closest);

typedef struct CairnCastHit {
    CairnShapeId shape;
    CairnBodyId body;
    CairnVec3 point, normal; // where they first touch; the normal points away from the shape that is hit
    double share;            // of the way; 0: they touch from the start
} CairnCastHit;

// Move a shape on a body from `pose` by `way` without turning it: the first shape that it meets.
CairnStatus cairn_world_shape_cast(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                   CairnVec3 way, CairnFilter filter, CairnCastHit *hit, bool *has_hit);

// ---- state ----

// Size of a snapshot, then the snapshot itself: portable (little-endian), versioned, with a checksum. It holds everything that
// the next step depends on, warm starts included, but not the solver, the hooks or the number of threads.
size_t cairn_world_snapshot_size(const CairnWorld *world);
CairnStatus cairn_world_snapshot(const CairnWorld *world, void *bytes, size_t size, size_t *written);
// Put the world back; ids are those of the moment of the snapshot. On an error the world is as it was.
CairnStatus cairn_world_restore(CairnWorld *world, const void *bytes, size_t size);

// A hash of every bit of every position and velocity: equal runs have equal hashes.
uint64_t cairn_world_state_hash(const CairnWorld *world);

#endif
