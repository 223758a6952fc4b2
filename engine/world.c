// World: made, set up, listed, taken apart.
#include "engine/base/memory.h"
#include "engine/base/room.h"
#include "engine/query_tree.h"
#include "engine/sleep.h"
#include <string.h>

// ---- the counting allocator ----

static void *count_allocate(void *user, size_t size) {
    CairnCounter *counter = user;
    counter->calls += 1;
    return counter->hooks.allocate(counter->hooks.user, size);
}

static void count_release(void *user, void *memory, size_t size) {
    CairnCounter *counter = user;
    counter->calls += 1;
    counter->hooks.release(counter->hooks.user, memory, size);
}

// ---- settings ----

// Lengths follow the typical length; speeds and times its square root, since a fall over a length takes the square root
// of it. With gravity as it is, a world that is larger in all lengths then moves in the same way.
bool cairn_world_has_springs(const CairnWorldDef *def) {
    bool follows = def->friction != CAIRN_FRICTION_BOX; // friction depends on the load of this solve
    bool is_asked = def->springs == CAIRN_SPRINGS_ALWAYS || (def->springs == CAIRN_SPRINGS_BY_LAW && follows);
    return is_asked && !(def->normal_compliance > 0);
}

void cairn_world_take_settings(CairnWorld *world, const CairnWorldDef *given) {
    double length = given->typical_length, root = sqrt(length);
    world->given = *given;
    world->def = *given;
    world->def.contact_slop *= length;
    world->def.contact_margin *= length;
    double *const speeds[] = {&world->def.joint_push,    &world->def.contact_push, &world->def.restitution_threshold,
                              &world->def.hit_threshold, &world->def.sleep_speed,  &world->def.sleep_time};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) { // a time grows like a speed
        *speeds[i] *= root;
    }
    world->def.joint_turn /= root;
    world->def.sleep_spin /= root;
}

double cairn_world_contact_give(const CairnWorld *world) {
    const CairnWorldDef *def = world != NULL ? &world->def : NULL;
    return def == NULL ? 0 : (cairn_world_has_springs(def) ? def->contact_give : 1e-7) * def->typical_length;
}

// ---- create and destroy ----

// The tag of a world is made of its address: no global counter, and two worlds that exist at once never have the same.
// 32 bits of the address above its alignment differ for worlds within 256 GB of each other.
static uint32_t tag_of(const CairnWorld *world) {
    uintptr_t address = (uintptr_t)world / CAIRN_ALIGNMENT;
    uint32_t tag = (uint32_t)(address ^ (address >> 32));
    return tag != 0 ? tag : 1;
}

static CairnStatus check_def(const CairnWorldDef *def) {
    if (def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: def is NULL");
    }
    if (def->cookie != CAIRN_WORLD_COOKIE) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: the definition was not made by cairn_world_def()");
    }
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: allocator has %s but no %s",
                           def->allocator.allocate ? "allocate" : "release",
                           def->allocator.allocate ? "release" : "allocate");
    }
    return cairn_fields_check(&cairn_world_fields, def);
}

// The first solver, or where friction depends on the load of this solve the one that picks by the law.
static const CairnSolver *preset_solver(CairnFrictionKind friction) {
    const CairnSolver *solver = cairn_solver_at(0);
    bool follows = friction != CAIRN_FRICTION_BOX;
    return follows && !cairn_is_ok(cairn_solver_find("auto", &solver)) ? cairn_solver_at(0) : solver;
}

CairnStatus cairn_world_create(const CairnWorldDef *def, CairnWorld **out) {
    if (out == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: the place for the new world is NULL");
    }
    CAIRN_TRY(check_def(def));
    CairnAllocator hooks = def->allocator.allocate != NULL ? def->allocator : cairn_memory_default();
    CairnWorld *world = cairn_memory_allocate_zero(&hooks, 1, sizeof(CairnWorld));
    if (world == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "world: no memory for a new world");
    }
    cairn_world_take_settings(world, def);
    world->tag = tag_of(world);
    world->counter.hooks = hooks;
    world->room_available = def->allocator.allocate == NULL ? cairn_room_available : NULL;
    world->allocator = (CairnAllocator){count_allocate, count_release, &world->counter};
    cairn_store_init(&world->store);
    cairn_broad_init(&world->broad, &world->allocator);
    cairn_broad_init(&world->broad_ahead, &world->allocator);
    cairn_arena_init(&world->arena, &world->allocator);
    cairn_arena_init(&world->ahead, &world->allocator);
    cairn_arena_init(&world->kept, &world->allocator);
    CairnStatus status = cairn_world_set_solver(world, preset_solver(def->friction), NULL);
    status = cairn_is_ok(status) ? cairn_world_open_queries(world) : status;
    status = cairn_is_ok(status) ? cairn_events_init(&world->events, &world->allocator) : status;
    if (cairn_is_ok(status)) {
        status = cairn_world_set_partitioner(world, cairn_partitioner_default(), NULL);
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_set_refiner(world, cairn_refiner_at(0), NULL);
    }
    if (!cairn_is_ok(status)) {
        cairn_world_destroy(world);
        return status;
    }
    *out = world;
    return cairn_ok();
}

static void release_options(CairnWorld *world, const CairnFieldTable *table, void *options) {
    if (table != NULL) {
        cairn_memory_release(&world->allocator, options, 1, table->size);
    }
}

static void release_solver(CairnWorld *world) {
    if (world->solver == NULL) {
        return;
    }
    release_options(world, world->solver->options, world->solver_options);
    if (world->solver->forget != NULL && world->solver_memory != NULL) {
        world->solver->forget(world->solver_memory, &world->allocator);
    }
    world->solver_memory = NULL;
}

void cairn_world_destroy(CairnWorld *world) {
    if (world == NULL) {
        return;
    }
    release_solver(world);
    if (world->partitioner != NULL) {
        release_options(world, world->partitioner->options, world->partitioner_options);
    }
    if (world->refiner != NULL) {
        release_options(world, world->refiner->options, world->refiner_options);
    }
    cairn_events_free(&world->events, &world->allocator);
    cairn_arena_free(&world->arena);
    cairn_arena_free(&world->ahead);
    cairn_arena_free(&world->kept);
    cairn_world_close_queries(world);
    cairn_broad_free(&world->broad);
    cairn_broad_free(&world->broad_ahead);
    cairn_store_free(&world->store, &world->allocator);
    CairnAllocator hooks = world->counter.hooks;
    cairn_memory_release(&hooks, world, 1, sizeof(CairnWorld));
}

// ---- solver, partitioner and refiner ----

// A checked copy of a caller's options, or the defaults where there are none.
static CairnStatus copy_options(CairnWorld *world, const CairnFieldTable *table, const void *options, void **copy) {
    *copy = NULL;
    if (table == NULL) {
        return cairn_ok();
    }
    if (options != NULL) {
        CAIRN_TRY(cairn_fields_check(table, options));
    }
    *copy = cairn_memory_allocate_zero(&world->allocator, 1, table->size);
    if (*copy == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "world: no memory for the options of %s", table->title);
    }
    if (options != NULL) {
        memcpy(*copy, options, table->size);
    } else {
        cairn_fields_preset(table, *copy);
    }
    return cairn_ok();
}

CairnStatus cairn_world_set_solver(CairnWorld *world, const CairnSolver *solver, const void *options) {
    if (world == NULL || solver == NULL || solver->solve == NULL || solver->name == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: %s is NULL",
                           world == NULL    ? "world"
                           : solver == NULL ? "solver"
                                            : "the solver's name or solve function");
    }
    void *copy;
    CAIRN_TRY(copy_options(world, solver->options, options, &copy));
    release_solver(world);
    world->solver = solver;
    world->solver_options = copy;
    return cairn_ok();
}

// Parts that another partitioner made are no start for the new one.
static void forget_parts(CairnWorld *world) {
    for (int i = 0; i < world->store.body_pool.count; i++) {
        world->store.bodies[i].part = -1;
    }
}

CairnStatus cairn_world_set_partitioner(CairnWorld *world, const CairnPartitioner *partitioner, const void *options) {
    if (world == NULL || partitioner == NULL || partitioner->partition == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: %s is NULL", world == NULL ? "world" : "partitioner");
    }
    void *copy;
    CAIRN_TRY(copy_options(world, partitioner->options, options, &copy));
    if (world->partitioner != NULL) {
        release_options(world, world->partitioner->options, world->partitioner_options);
    }
    world->partitioner = partitioner;
    world->partitioner_options = copy;
    forget_parts(world);
    return cairn_ok();
}

CairnStatus cairn_world_set_refiner(CairnWorld *world, const CairnRefiner *refiner, const void *options) {
    if (world == NULL || refiner == NULL || refiner->refine == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: %s is NULL", world == NULL ? "world" : "refiner");
    }
    void *copy;
    CAIRN_TRY(copy_options(world, refiner->options, options, &copy));
    if (world->refiner != NULL) {
        release_options(world, world->refiner->options, world->refiner_options);
    }
    world->refiner = refiner;
    world->refiner_options = copy;
    forget_parts(world);
    return cairn_ok();
}

// ---- settings and time ----

CairnStatus cairn_world_set(CairnWorld *world, const char *field, const char *value) {
    if (world == NULL || field == NULL || value == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "world: %s is NULL",
                           world == NULL   ? "world"
                           : field == NULL ? "field"
                                           : "value");
    }
    CairnWorldDef given = world->given;
    CAIRN_TRY(cairn_fields_set(&cairn_world_fields, &given, field, value));
    cairn_world_take_settings(world, &given);
    cairn_world_wake_all(world); // any setting may be the reason why bodies are at rest
    return cairn_ok();
}

CairnWorldDef cairn_world_settings(const CairnWorld *world) {
    return world != NULL ? world->given : cairn_world_def();
}

double cairn_world_time(const CairnWorld *world) {
    return world != NULL ? world->store.time : 0;
}

uint64_t cairn_world_step_index(const CairnWorld *world) {
    return world != NULL ? world->store.step_index : 0;
}

CairnStatus cairn_world_problem(const CairnWorld *world, CairnProblem *problem, const double **lambda) {
    if (world == NULL || problem == NULL || lambda == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem: %s is NULL",
                           world == NULL     ? "world"
                           : problem == NULL ? "problem"
                                             : "lambda");
    }
    if (!world->has_problem) {
        return cairn_error(CAIRN_NOT_FOUND, "problem: the world has made no step since it was made or changed");
    }
    *problem = world->problem;
    *lambda = world->lambda;
    return cairn_ok();
}

CairnStatus cairn_world_problem_start(const CairnWorld *world, CairnSolveStart *start) {
    if (world == NULL || start == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem: %s is NULL", world == NULL ? "world" : "start");
    }
    if (!world->has_problem) {
        return cairn_error(CAIRN_NOT_FOUND, "problem: the world has made no step since it was made or changed");
    }
    bool has_rows = world->problem.row_count > 0;
    *start = (CairnSolveStart){.lambda = has_rows ? world->start_lambda : NULL,
                               .velocity = has_rows ? world->start_velocity : NULL,
                               .is_rough = has_rows && world->start_is_rough};
    return cairn_ok();
}

int cairn_world_part_seconds(const CairnWorld *world, double *seconds, int capacity) {
    if (world == NULL || !world->has_problem || world->part_seconds == NULL) {
        return 0;
    }
    for (int i = 0; i < world->part_count && i < capacity && seconds != NULL; i++) {
        seconds[i] = world->part_seconds[i];
    }
    return world->part_count;
}

// ---- ids ----

// What is wrong with an id of `kind`, or OK.
static CairnStatus check_id(const CairnWorld *world, const CairnPool *pool, const char *kind, uint32_t index,
                            uint32_t generation, uint32_t tag) {
    if (world == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: world is NULL", kind);
    }
    if (index == 0) {
        return cairn_error(CAIRN_INVALID_ID, "%s: the id is null", kind);
    }
    if (tag != world->tag) {
        return cairn_error(CAIRN_INVALID_ID, "%s %u: the id belongs to another world", kind, index);
    }
    if (index > (uint32_t)pool->count) {
        return cairn_error(CAIRN_INVALID_ID, "%s %u: there are %d in this world", kind, index, pool->alive);
    }
    if (pool->slots[index - 1].generation != generation || (generation & 1u) == 0) {
        return cairn_error(CAIRN_INVALID_ID, "%s %u (generation %u): it was destroyed", kind, index, generation);
    }
    return cairn_ok();
}

// A NULL world must be caught before its pools are named.
#define FIND(world, pool_, kind, id, out)                                                                              \
    do {                                                                                                               \
        CAIRN_TRY(check_id((world), (world) == NULL ? NULL : &(world)->store.pool_, (kind), (id).index,                \
                           (id).generation, (id).world));                                                              \
        *(out) = (int)(id).index - 1;                                                                                  \
    } while (0)

CairnStatus cairn_world_find_body(const CairnWorld *world, CairnBodyId id, int *index) {
    FIND(world, body_pool, "body", id, index);
    return cairn_ok();
}

CairnStatus cairn_world_find_shape(const CairnWorld *world, CairnShapeId id, int *index) {
    FIND(world, shape_pool, "shape", id, index);
    return cairn_ok();
}

CairnStatus cairn_world_find_joint(const CairnWorld *world, CairnJointId id, int *index) {
    FIND(world, joint_pool, "joint", id, index);
    return cairn_ok();
}

CairnBodyId cairn_world_body_id(const CairnWorld *world, int index) {
    return (CairnBodyId){(uint32_t)index + 1, world->store.body_pool.slots[index].generation, world->tag};
}

CairnShapeId cairn_world_shape_id(const CairnWorld *world, int index) {
    return (CairnShapeId){(uint32_t)index + 1, world->store.shape_pool.slots[index].generation, world->tag};
}

CairnJointId cairn_world_joint_id(const CairnWorld *world, int index) {
    return (CairnJointId){(uint32_t)index + 1, world->store.joint_pool.slots[index].generation, world->tag};
}

// ---- listing ----

int cairn_world_bodies(const CairnWorld *world, CairnBodyId *ids, int capacity) {
    if (world == NULL) {
        return 0;
    }
    const CairnPool *pool = &world->store.body_pool;
    for (int i = 0, n = 0; ids != NULL && i < pool->count && n < capacity; i++) {
        if (cairn_pool_is_alive(pool, i)) {
            ids[n++] = cairn_world_body_id(world, i);
        }
    }
    return pool->alive;
}

int cairn_world_joints(const CairnWorld *world, CairnJointId *ids, int capacity) {
    if (world == NULL) {
        return 0;
    }
    const CairnPool *pool = &world->store.joint_pool;
    for (int i = 0, n = 0; ids != NULL && i < pool->count && n < capacity; i++) {
        if (cairn_pool_is_alive(pool, i)) {
            ids[n++] = cairn_world_joint_id(world, i);
        }
    }
    return pool->alive;
}

int cairn_body_shapes(const CairnWorld *world, CairnBodyId body, CairnShapeId *ids, int capacity) {
    int index, count = 0;
    if (!cairn_is_ok(cairn_world_find_body(world, body, &index))) {
        return 0;
    }
    for (int s = world->store.bodies[index].first_shape; s >= 0; s = world->store.shapes[s].next) {
        if (ids != NULL && count < capacity) {
            ids[count] = cairn_world_shape_id(world, s);
        }
        count += 1;
    }
    return count;
}

int cairn_body_joints(const CairnWorld *world, CairnBodyId body, CairnJointId *ids, int capacity) {
    int index, count = 0;
    if (!cairn_is_ok(cairn_world_find_body(world, body, &index))) {
        return 0;
    }
    for (int e = world->store.bodies[index].first_joint; e >= 0; e = world->store.joints[e / 2].next[e % 2]) {
        if (ids != NULL && count < capacity) {
            ids[count] = cairn_world_joint_id(world, e / 2);
        }
        count += 1;
    }
    return count;
}
