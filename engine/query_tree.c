// The tree: when it is made, and the shapes that a query reads with it or without.
#include "engine/query_tree.h"
#include "engine/base/memory.h"

// What a tree costs, in queries that read all shapes: to fit it, and to build it.
enum { FIT_AFTER = 1, BUILD_AFTER = 4 };

typedef struct CairnQueryTree {
    CairnBoxTree tree;
    bool is_built;
    uint64_t pose_changes, shape_changes;   // of the world when the tree was made
    uint64_t queried_poses, queried_shapes; // and those at the last query
    int query_count;                        // since then
} CairnQueryTree;

CairnStatus cairn_world_open_queries(CairnWorld *world) {
    world->queries = cairn_memory_allocate_zero(&world->allocator, 1, sizeof *world->queries);
    return world->queries != NULL ? cairn_ok()
                                  : cairn_error(CAIRN_OUT_OF_MEMORY, "world: no memory for what queries look in");
}

void cairn_world_close_queries(CairnWorld *world) {
    if (world->queries != NULL) {
        cairn_box_tree_free(&world->queries->tree, &world->allocator);
        cairn_memory_release(&world->allocator, world->queries, 1, sizeof *world->queries);
    }
}

static bool is_alive(const CairnWorld *world, int shape) {
    return cairn_pool_is_alive(&world->store.shape_pool, shape);
}

static CairnTransform pose_of(const CairnWorld *world, int shape) {
    const CairnShape *s = &world->store.shapes[shape];
    return cairn_shape_pose(&world->store.bodies[s->body], s);
}

static void read_boxes(const CairnWorld *world, CairnBoxTree *tree) {
    for (int s = 0; s < world->store.shape_pool.count; s++) {
        if (is_alive(world, s)) {
            tree->boxes[s] = cairn_geometry_box(&world->store.shapes[s].model->geometry, pose_of(world, s));
        }
    }
}

static bool make_tree(const CairnWorld *world, CairnQueryTree *q) {
    int slots = world->store.shape_pool.count, count = 0;
    bool is_same = q->is_built && q->shape_changes == world->shape_changes;
    if (!is_same && !cairn_box_tree_reserve(&q->tree, &world->allocator, slots)) {
        return false;
    }
    read_boxes(world, &q->tree);
    if (!is_same || !cairn_box_tree_fit(&q->tree)) {
        for (int s = 0; s < slots; s++) {
            if (is_alive(world, s)) {
                q->tree.order[count++] = s;
            }
        }
        cairn_box_tree_build(&q->tree, count);
    }
    q->is_built = true;
    q->pose_changes = world->pose_changes;
    q->shape_changes = world->shape_changes;
    return true;
}

// The tree as the world is now; NULL: read all shapes.
static const CairnBoxTree *tree_of(const CairnWorld *world) {
    CairnQueryTree *q = world->queries;
    bool has_shapes = q->is_built && q->shape_changes == world->shape_changes;
    if (has_shapes && q->pose_changes == world->pose_changes) {
        return &q->tree;
    }
    if (q->queried_poses != world->pose_changes || q->queried_shapes != world->shape_changes) {
        q->queried_poses = world->pose_changes;
        q->queried_shapes = world->shape_changes;
        q->query_count = 0;
    }
    q->query_count += 1;
    return q->query_count > (has_shapes ? FIT_AFTER : BUILD_AFTER) && make_tree(world, q) ? &q->tree : NULL;
}

static const CairnBoxTree *begin(CairnQuery *query, const CairnWorld *world, CairnFilter filter) {
    const CairnBoxTree *tree = tree_of(world);
    query->world = world;
    query->filter = filter;
    query->has_tree = tree != NULL;
    query->slot = 0;
    return tree;
}

void cairn_query_ray(CairnQuery *query, const CairnWorld *world, CairnFilter filter, CairnVec3 origin, CairnVec3 half,
                     CairnVec3 direction, double limit) {
    cairn_box_walk_ray(&query->walk, begin(query, world, filter), origin, half, direction, limit);
}

void cairn_query_near(CairnQuery *query, const CairnWorld *world, CairnFilter filter, CairnAabb box, double limit) {
    cairn_box_walk_near(&query->walk, begin(query, world, filter), box, limit);
}

static int next_slot(CairnQuery *query) {
    const CairnPool *pool = &query->world->store.shape_pool;
    while (query->slot < pool->count && !cairn_pool_is_alive(pool, query->slot)) {
        query->slot += 1;
    }
    return query->slot < pool->count ? query->slot++ : -1;
}

static bool lets_through(const CairnWorld *world, CairnFilter filter, int shape) {
    const CairnFilter *other = &world->store.shapes[shape].model->def.filter;
    return (other->category & filter.mask) != 0 && (filter.category & other->mask) != 0;
}

int cairn_query_next(CairnQuery *query, CairnTransform *pose) {
    const CairnWorld *world = query->world;
    for (;;) {
        int s = query->has_tree ? cairn_box_walk_next(&query->walk) : next_slot(query);
        if (s < 0) {
            return -1;
        }
        if (!lets_through(world, query->filter, s)) {
            continue;
        }
        *pose = pose_of(world, s);
        if (query->has_tree) {
            return s;
        }
        CairnAabb box = cairn_geometry_box(&world->store.shapes[s].model->geometry, *pose);
        if (cairn_box_walk_admits(&query->walk, &box)) {
            return s;
        }
    }
}
