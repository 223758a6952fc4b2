// Queries find in the tree of boxes what they find among all shapes: the same shape, the same point, bit for bit.
//
// The first query after a change reads all shapes, those after it the tree (engine/query_tree.h); a body put where it
// is counts as a change.
#include "tests/support/support.h"
#include "tests/support/support_shapes.h"
#include <cairn/world.h>
#include <string.h>

enum { BODIES = 300, MOST_FOUND = 40 };

static const CairnFilter everything = {1, UINT64_MAX};

typedef struct Scene {
    CairnWorld *world;
    CairnBodyId bodies[BODIES];
    int count;
} Scene;

static CairnVec3 cloud[10];

static CairnShapeDef random_shape(uint64_t *random) {
    double r = support_uniform(random, 0.05, 0.6), h = support_uniform(random, 0.1, 1);
    switch (support_int(random, 0, 4)) {
    case 0:
        return cairn_sphere(r);
    case 1:
        return cairn_box(r, h, support_uniform(random, 0.1, 8));
    case 2:
        return cairn_cylinder(r, h);
    case 3:
        return cairn_capsule(r, h);
    default:
        for (int i = 0; i < 10; ++i) {
            cloud[i] = support_vec3(random, -0.6, 0.6);
        }
        return cairn_hull(cloud, 10);
    }
}

// Every third place is on a lattice, so that there are ties.
static CairnVec3 random_place(uint64_t *random, double size) {
    if (support_int(random, 0, 2) == 0) {
        return (CairnVec3){support_int(random, -6, 6), support_int(random, -6, 6), support_int(random, -6, 6)};
    }
    return support_vec3(random, -size, size);
}

static void add_body(Scene *s, uint64_t *random, double size) {
    CairnBodyDef def = cairn_body_def();
    def.type = support_int(random, 0, 3) == 0 ? CAIRN_BODY_STATIC : CAIRN_BODY_KINEMATIC;
    def.position = random_place(random, size);
    def.orientation = support_int(random, 0, 1) == 0 ? (CairnQuat){1, 0, 0, 0} : support_quat(random);
    CairnShapeDef shape = random_shape(random);
    shape.filter = (CairnFilter){support_int(random, 0, 5) == 0 ? 2u : 1u, UINT64_MAX};
    assert_ok(cairn_body_add(s->world, &def, &shape, &s->bodies[s->count++]));
}

static Scene open_scene(uint64_t *random, double size) {
    Scene s;
    memset(&s, 0, sizeof s);
    CairnWorldDef def = cairn_world_def();
    assert_ok(cairn_world_create(&def, &s.world));
    for (int i = 0; i < BODIES - 1; ++i) {
        add_body(&s, random, size);
    }
    CairnBodyDef ground = cairn_body_def();
    ground.type = CAIRN_BODY_STATIC;
    ground.position = (CairnVec3){0, 0, -2 * size};
    CairnShapeDef plane = cairn_half_space();
    assert_ok(cairn_body_add(s.world, &ground, &plane, &s.bodies[s.count++]));
    return s;
}

// The answers to one question, as bytes.
typedef struct Answers {
    CairnRayHit ray;
    CairnClosest point, shape;
    CairnCastHit cast;
    CairnFound in_box[MOST_FOUND], at_shape[3];
    bool has_ray, has_point, has_shape, has_cast;
    int in_box_count, at_shape_count;
} Answers;

typedef struct Question {
    CairnVec3 origin, way;
    double limit;
    CairnTransform pose;
    CairnShapeDef shape;
    CairnFilter filter;
} Question;

static Question random_question(uint64_t *random, double size) {
    Question q = {.origin = random_place(random, size), .way = support_vec3(random, -2 * size, 2 * size)};
    if (support_int(random, 0, 2) == 0) { // along an axis
        q.way = (CairnVec3){support_int(random, 0, 1) == 0 ? 3 * size : -3 * size, 0, 0};
    }
    q.limit = support_int(random, 0, 1) == 0 ? HUGE_VAL : support_uniform(random, 0, 3);
    q.pose = (CairnTransform){random_place(random, size), support_quat(random)};
    q.shape = support_int(random, 0, 1) == 0 ? cairn_sphere(support_uniform(random, 0.1, 1)) : cairn_box(1, 1, 1);
    q.filter = support_int(random, 0, 3) == 0 ? (CairnFilter){1, 1} : everything;
    return q;
}

// `change`: before each query, so that each reads all shapes.
static void ask(const Scene *s, const Question *q, bool change, Answers *a) {
    memset(a, 0, sizeof *a);
    CairnBodyState state;
    assert_ok(cairn_body_get(s->world, s->bodies[0], &state));
    CairnVec3 reach = {1, 1, 1};
    for (int k = 0; k < 6; ++k) {
        if (change) {
            assert_ok(cairn_body_set_pose(s->world, s->bodies[0], state.position, state.orientation));
        }
        switch (k) {
        case 0:
            assert_ok(cairn_world_ray_cast(s->world, q->origin, q->way, q->limit, q->filter, &a->ray, &a->has_ray));
            break;
        case 1:
            assert_ok(cairn_world_closest_point(s->world, q->origin, q->limit, q->filter, &a->point, &a->has_point));
            break;
        case 2:
            assert_ok(
                cairn_world_closest_shape(s->world, &q->shape, q->pose, q->limit, q->filter, &a->shape, &a->has_shape));
            break;
        case 3:
            assert_ok(cairn_world_shape_cast(s->world, &q->shape, q->pose, q->way, q->filter, &a->cast, &a->has_cast));
            break;
        case 4:
            assert_ok(cairn_world_overlap_box(s->world, cairn_sub(q->origin, reach), cairn_add(q->origin, reach),
                                              q->filter, a->in_box, MOST_FOUND, &a->in_box_count));
            break;
        default:
            assert_ok(
                cairn_world_overlap_shape(s->world, &q->shape, q->pose, q->filter, a->at_shape, 3, &a->at_shape_count));
        }
    }
}

static void compare(const Answers *tree, const Answers *all) {
    assert_int_equal(tree->has_ray, all->has_ray);
    assert_int_equal(tree->ray.shape.index, all->ray.shape.index);
    assert_near(tree->ray.distance, all->ray.distance, 0);
    assert_int_equal(tree->has_point, all->has_point);
    assert_int_equal(tree->point.shape.index, all->point.shape.index);
    assert_near(tree->point.distance, all->point.distance, 0);
    assert_int_equal(tree->has_shape, all->has_shape);
    assert_int_equal(tree->shape.shape.index, all->shape.shape.index);
    assert_near(tree->shape.distance, all->shape.distance, 0);
    assert_int_equal(tree->has_cast, all->has_cast);
    assert_int_equal(tree->cast.shape.index, all->cast.shape.index);
    assert_near(tree->cast.fraction, all->cast.fraction, 0);
    assert_int_equal(tree->in_box_count, all->in_box_count);
    assert_memory_equal(tree->in_box, all->in_box, sizeof all->in_box);
    assert_int_equal(tree->at_shape_count, all->at_shape_count);
    assert_memory_equal(tree->at_shape, all->at_shape, sizeof all->at_shape);
}

static void answers_do_not_depend_on_the_tree(void **state) {
    (void)state;
    uint64_t random = 41;
    int hits = 0, casts = 0, overlaps = 0;
    for (int world = 0; world < 6; ++world) {
        double size = world == 0 ? 1 : 5 * world;
        Scene s = open_scene(&random, size);
        for (int k = 0; k < 40; ++k) {
            Answers tree, all;
            for (int i = 0; i < 5 && k % 3 == 0; ++i) { // some move: the tree is fitted; a few go, and others come
                CairnVec3 p = support_vec3(&random, -size, size);
                int moved = support_int(&random, 0, BODIES - 2);
                assert_ok(cairn_body_set_pose(s.world, s.bodies[moved], p, (CairnQuat){1, 0, 0, 0}));
            }
            if (k % 10 == 9) {
                int gone = support_int(&random, 1, BODIES - 2), last = s.count;
                assert_ok(cairn_body_destroy(s.world, s.bodies[gone]));
                s.count = gone;
                add_body(&s, &random, size);
                s.count = last;
            }
            Question q = random_question(&random, size);
            ask(&s, &q, true, &all);
            ask(&s, &q, false, &tree); // makes the tree, if it is not there
            ask(&s, &q, false, &tree);
            compare(&tree, &all);
            hits += all.has_ray;
            casts += all.has_cast;
            overlaps += all.at_shape_count;
        }
        cairn_world_destroy(s.world);
    }
    assert_true(hits > 60 && casts > 60 && overlaps > 60); // it is not all misses
}

// Where two are hit at the same place, the one in the first slot answers, wherever they stand in the tree.
static void ties_go_to_the_first(void **state) {
    (void)state;
    uint64_t random = 42;
    Scene s = open_scene(&random, 30);
    CairnBodyDef def = cairn_body_def();
    def.type = CAIRN_BODY_STATIC;
    def.position = (CairnVec3){100, 0, 0};
    CairnShapeDef box = cairn_box(2, 2, 2);
    CairnShapeId first;
    for (int i = 0; i < 9; ++i) {
        CairnBodyId body;
        CairnShapeId id;
        assert_ok(cairn_body_create(s.world, &def, &body));
        assert_ok(cairn_shape_create(s.world, body, &box, &id));
        first = i == 0 ? id : first;
    }
    for (int k = 0; k < 12; ++k) {
        CairnRayHit hit;
        CairnClosest closest;
        bool has_hit, has_closest;
        CairnVec3 from = {120, 0.5, 0.5};
        assert_ok(cairn_world_ray_cast(s.world, from, (CairnVec3){-1, 0, 0}, 50, everything, &hit, &has_hit));
        assert_ok(cairn_world_closest_point(s.world, from, 50, everything, &closest, &has_closest));
        assert_true(has_hit && has_closest);
        assert_int_equal(hit.shape.index, first.index);
        assert_int_equal(closest.shape.index, first.index);
        assert_near(hit.distance, 19, 1e-14);
    }
    cairn_world_destroy(s.world);
}

// What a refused allocation costs is time.
static void without_memory_all_shapes_are_read(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnWorldDef def = cairn_world_def();
    def.allocator = support_allocator(&memory);
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    CairnShapeDef ball = cairn_sphere(1);
    for (int i = 0; i < 20; ++i) {
        body.position = (CairnVec3){3 * i, 0, 0};
        assert_ok(cairn_body_add(world, &body, &ball, NULL));
    }
    memory.fail_from = memory.calls + 1;
    for (int k = 0; k < 8; ++k) {
        CairnRayHit hit;
        bool has_hit;
        assert_ok(
            cairn_world_ray_cast(world, (CairnVec3){6, 0, 9}, (CairnVec3){0, 0, -1}, 50, everything, &hit, &has_hit));
        assert_true(has_hit);
        assert_near(hit.distance, 8, 1e-15);
    }
    cairn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_depend_on_the_tree),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(without_memory_all_shapes_are_read),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
