#include "tests/support/support_heaps.h"
#include "tests/support/support.h"

#include <stdio.h>

enum { HULL_POINTS = 14, KINDS = 4 };

typedef struct Heap {
    uint64_t state;
    int bodies;
    int kind;                // of all shapes; KINDS: each its own
    double size, size_ratio; // m, and how many times the smallest the largest is
    double mass_ratio;       // of densities
    double friction;         // of all; negative: each its own
    double speed;            // m/s
    bool is_walled;
} Heap;

static double uniform(Heap *heap, double low, double high) {
    return support_uniform(&heap->state, low, high);
}

static double decades(Heap *heap, double low, double high) {
    return exp(uniform(heap, log(low), log(high)));
}

static bool chance(Heap *heap, double share) {
    return uniform(heap, 0, 1) < share;
}

static Heap draw_heap(uint64_t seed, int most_bodies) {
    Heap heap = {.state = seed};
    heap.state = support_random(&heap.state);
    heap.bodies = (int)decades(&heap, 2, most_bodies + 1);
    heap.kind = support_int(&heap.state, 0, KINDS);
    heap.size = decades(&heap, 0.1, 1);
    heap.size_ratio = chance(&heap, 0.5) ? 1 : decades(&heap, 1, 4);
    heap.mass_ratio = chance(&heap, 0.4) ? 1 : decades(&heap, 1, 1000);
    double friction = chance(&heap, 0.1) ? 0 : uniform(&heap, 0, 1.5);
    heap.friction = chance(&heap, 0.3) ? -1 : friction;
    heap.speed = chance(&heap, 0.5) ? 0 : decades(&heap, 0.1, 3);
    heap.is_walled = chance(&heap, 0.4);
    return heap;
}

// A shape with a ball around it of radius `reach`.
static CairnShapeDef draw_shape(Heap *heap, double reach, CairnVec3 points[HULL_POINTS]) {
    int kind = heap->kind < KINDS ? heap->kind : support_int(&heap->state, 0, KINDS - 1);
    double a = uniform(heap, 0.4, 1), b = uniform(heap, 0.4, 1), c = uniform(heap, 0.4, 1);
    double box = 2 * reach / sqrt(a * a + b * b + c * c), cylinder = reach / hypot(a, b);
    switch (kind) {
    case 0:
        return cairn_sphere(reach);
    case 1:
        return cairn_box(box * a, box * b, box * c);
    case 2:
        return cairn_cylinder(cylinder * a, 2 * cylinder * b);
    default:
        for (int i = 0; i < HULL_POINTS; i++) {
            CairnVec3 p = support_unit(&heap->state);
            points[i] = cairn_vec3(reach * a * p.x, reach * b * p.y, reach * c * p.z);
        }
        return cairn_hull(points, HULL_POINTS);
    }
}

static double draw_friction(Heap *heap) {
    return heap->friction >= 0 ? heap->friction : uniform(heap, 0, 1.5);
}

static CairnStatus add_floor(Heap *heap, CairnWorld *world, double width) {
    CairnBodyDef body = cairn_body_def();
    CairnShapeDef ground = cairn_half_space();
    body.type = CAIRN_BODY_STATIC;
    ground.friction = draw_friction(heap);
    CAIRN_TRY(cairn_body_add(world, &body, &ground, NULL));
    for (int wall = 0; wall < 4 && heap->is_walled; wall++) {
        double sign = wall % 2 ? -1 : 1, away = sign * (0.5 * width + heap->size), thick = 2 * heap->size;
        bool is_x = wall < 2;
        body.position = cairn_vec3(is_x ? away : 0, is_x ? 0 : away, 2 * width);
        CairnShapeDef box = cairn_box(is_x ? thick : 2 * width, is_x ? 2 * width : thick, 4 * width);
        box.friction = ground.friction;
        CAIRN_TRY(cairn_body_add(world, &body, &box, NULL));
    }
    return cairn_ok();
}

// Layer upon layer of a lattice whose cells hold the largest, each body anywhere in its cell.
CairnStatus support_heap_build(uint64_t seed, int most_bodies, const CairnWorldDef *def, CairnWorld **world) {
    Heap heap = draw_heap(seed, most_bodies);
    double cell = 1.02 * heap.size;
    int side = (int)ceil(cbrt(heap.bodies * uniform(&heap, 0.4, 2)));
    CAIRN_TRY(cairn_world_create(def, world));
    CAIRN_TRY(add_floor(&heap, *world, side * cell));
    for (int i = 0; i < heap.bodies; i++) {
        CairnVec3 points[HULL_POINTS];
        double reach = 0.5 * heap.size * decades(&heap, 1 / heap.size_ratio, 1), room = 0.5 * cell - reach;
        CairnShapeDef shape = draw_shape(&heap, reach, points);
        shape.friction = draw_friction(&heap);
        shape.density = 1000 * decades(&heap, 1, heap.mass_ratio);
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3((i % side + 0.5 - 0.5 * side) * cell, (i / side % side + 0.5 - 0.5 * side) * cell,
                                   ((double)(i / (side * side)) + 0.5) * cell);
        body.position = cairn_add(body.position, support_vec3(&heap.state, -room, room));
        body.orientation = support_quat(&heap.state);
        body.velocity = cairn_scale(heap.speed, support_unit(&heap.state));
        body.angular_velocity = cairn_scale(heap.speed / heap.size, support_unit(&heap.state));
        CAIRN_TRY(cairn_body_add(*world, &body, &shape, NULL));
    }
    return cairn_ok();
}

void support_heap_run(uint64_t seed, int most_bodies, int steps, const char *folder, SupportHeapRun *run) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world = NULL;
    char name[32];
    run->bodies = run->rows = 0;
    run->is_finite = true;
    support_tally_begin(&run->tally, &def);
    snprintf(name, sizeof name, "heap%llu", (unsigned long long)seed);
    run->tally.folder = folder;
    run->tally.name = name;
    def.friction = CAIRN_FRICTION_COULOMB;
    run->status = support_heap_build(seed, most_bodies, &def, &world);
    if (cairn_is_ok(run->status)) {
        run->status = support_tally_watch(world);
    }
    for (int k = 0; k < steps && cairn_is_ok(run->status); k++) {
        CairnStats stats = {0};
        run->status = support_tally_step(&run->tally, world, 1.0 / 60, &stats);
        run->bodies = stats.dynamic_bodies;
        run->rows = stats.rows > run->rows ? stats.rows : run->rows;
        run->is_finite = run->is_finite && isfinite(stats.kinetic_energy) && isfinite(stats.potential_energy);
    }
    run->tally.name = NULL;
    cairn_world_destroy(world);
}
