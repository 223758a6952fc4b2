// World, inside: the store plus what a step needs around it.
#ifndef CAIRN_WORLD_INTERNAL_H
#define CAIRN_WORLD_INTERNAL_H

#include "engine/events.h"

enum { CAIRN_WORLD_COOKIE = 0x0c41a201, CAIRN_BODY_COOKIE = 0x0c41a202 };

enum { CAIRN_NARROW_PIECES = 64 }; // pieces that the pairs are worked in, whatever the number of threads

// Counts the calls that reach the caller's allocator, so that tests can check that a step of a resting scene makes
// none.
typedef struct CairnCounter {
    CairnAllocator hooks;
    int calls;
} CairnCounter;

struct CairnWorld {
    CairnWorldDef given; // the settings as the program wrote them
    CairnWorldDef def;   // the same with lengths, speeds and times brought to the typical length: what a step reads
    uint32_t tag;        // distinguishes the ids of this world from those of another
    CairnCounter counter;
    CairnAllocator allocator; // counts, then calls the hooks

    // Bytes of memory that the machine has available. NULL: the caller gave an allocator, which reports failures
    // itself.
    size_t (*room_available)(void);

    CairnStore store;
    CairnEventList events;
    CairnBroad broad, broad_ahead;            // of the step; of where the solved velocities lead
    int narrow_capacity[CAIRN_NARROW_PIECES]; // contact points for which each piece of the narrow phase has room
    int contact_capacity;                     // contacts that the next step makes room for before it looks for them
    bool has_ordered_records;                 // the last step's contacts are in the order of their pairs
    struct CairnQueryTree *queries;           // the tree in which queries look up shapes; query_tree.c owns it
    uint64_t pose_changes, shape_changes;     // how often poses, and which shapes there are, have changed
    uint64_t joint_changes;                   // how often joints were made, changed or removed
    CairnArena arena;                         // of the step; the last problem lives here until the next one
    CairnArena ahead;                         // of reviews that run while a solver uses the other arena
    CairnArena kept;                          // what a step that is made in parts has to take back where one fails

    const CairnSolver *solver;
    void *solver_options;
    void *solver_memory; // memory of the solver from step to step
    const CairnPartitioner *partitioner;
    void *partitioner_options;
    const CairnRefiner *refiner;
    void *refiner_options;

    bool has_sleepers; // false: no body sleeps, so there is nothing to wake
    bool has_problem;
    CairnProblem problem;
    double *lambda;
    double *start_lambda, *start_velocity; // what the last solve of the step began with
    bool start_is_rough;
    double *part_seconds; // NULL: the solver had no parts
    int part_count;
};

// ---- ids ----

// The index of a living body, or a status whose message describes what is wrong with the id.
CairnStatus cairn_world_find_body(const CairnWorld *world, CairnBodyId id, int *index);
CairnStatus cairn_world_find_shape(const CairnWorld *world, CairnShapeId id, int *index);
CairnStatus cairn_world_find_joint(const CairnWorld *world, CairnJointId id, int *index);
CairnBodyId cairn_world_body_id(const CairnWorld *world, int index);
CairnShapeId cairn_world_shape_id(const CairnWorld *world, int index);
CairnJointId cairn_world_joint_id(const CairnWorld *world, int index);

// ---- functions that several files use ----

// Makes these the settings of the world.
// Whether contacts are springs: what the law of friction asks for, or what the settings say.
bool cairn_world_has_springs(const CairnWorldDef *def);
void cairn_world_take_settings(CairnWorld *world, const CairnWorldDef *given);

// The two (gear: four) bodies of a joint as joint functions see them; `pose`: without their masses, which only rows
// need.
void cairn_world_joint_pose(const CairnStore *store, int index, double h, CairnJointInput *input);
void cairn_world_joint_input(const CairnStore *store, int index, double h, CairnJointInput *input);
void cairn_world_remove_shape(CairnWorld *world, int shape);             // keeps the mass as it is
void cairn_world_remove_joint(CairnWorld *world, int index);             // gears on it go with it
bool cairn_store_joins(const CairnStore *store, int body_a, int body_b); // by a joint that forbids contact?

#endif
