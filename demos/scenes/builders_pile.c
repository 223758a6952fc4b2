#include "demos/scenes/builders_pile.h"
#include "collision/shapes/hull.h"
#include <stdlib.h>

// A direction, uniform on the sphere.
static CairnVec3 random_direction(uint64_t *seed) {
    double z = cairn_scene_random(seed, -1, 1), turn = cairn_scene_random(seed, -CAIRN_PI, CAIRN_PI),
           r = sqrt(1 - z * z);
    return cairn_vec3(r * cos(turn), r * sin(turn), z);
}

// The hull of points on an ellipsoid, spread over it so that no rock is a sliver: each is the one of a few draws that
// is farthest from those before it. Then it is scaled to the volume that it must have.
static CairnStatus make_hull(double volume, uint64_t *seed, CairnRock *rock) {
    double width = cairn_scene_random(seed, 0.7, 1), height = cairn_scene_random(seed, 0.6, 0.9);
    CairnVec3 axes = {1, width, height};
    CairnVec3 on_ball[CAIRN_ROCK_POINTS];
    for (int i = 0; i < CAIRN_ROCK_POINTS; i++) {
        double best = -1;
        for (int try = 0; try < 4; try++) {
            CairnVec3 drawn = random_direction(seed);
            double gap = 4;
            for (int k = 0; k < i; k++) {
                gap = fmin(gap, cairn_length(cairn_sub(drawn, on_ball[k])));
            }
            on_ball[i] = gap > best ? drawn : on_ball[i];
            best = fmax(best, gap);
        }
        rock->points[i] = cairn_vec3(axes.x * on_ball[i].x, axes.y * on_ball[i].y, axes.z * on_ball[i].z);
    }
    CairnHull *hull;
    CAIRN_TRY(cairn_hull_build(rock->points, CAIRN_ROCK_POINTS, NULL, &hull));
    double scale = cbrt(volume / hull->volume);
    CairnVec3 middle = hull->mass_center;
    cairn_hull_free(hull, NULL);
    rock->reach = 0;
    for (int i = 0; i < CAIRN_ROCK_POINTS; i++) {
        rock->points[i] = cairn_scale(scale, cairn_sub(rock->points[i], middle));
        rock->reach = fmax(rock->reach, cairn_length(rock->points[i]));
    }
    rock->shape = cairn_hull(rock->points, CAIRN_ROCK_POINTS);
    return cairn_ok();
}

CairnStatus cairn_build_rock(CairnRockKind kind, double mass, double density, uint64_t *seed, CairnRock *rock) {
    if (!(mass > 0) || !(density > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "rock: mass = %g and density = %g must be positive", mass, density);
    }
    double volume = mass / density;
    if (kind == CAIRN_ROCK_BALL) {
        rock->reach = cbrt(0.75 * volume / CAIRN_PI);
        rock->shape = cairn_sphere(rock->reach);
    } else if (kind == CAIRN_ROCK_CYLINDER) {
        double slim = cairn_scene_random(seed, 1.4, 2.6); // height in radii
        double radius = cbrt(volume / (CAIRN_PI * slim));
        rock->shape = cairn_cylinder(radius, slim * radius);
        rock->reach = radius * hypot(1, 0.5 * slim);
    } else if (kind == CAIRN_ROCK_BOX) {
        double width = cairn_scene_random(seed, 0.65, 1), height = cairn_scene_random(seed, 0.55, 0.9);
        CairnVec3 edges = {1, width, height};
        edges = cairn_scale(cbrt(volume / (edges.x * edges.y * edges.z)), edges);
        rock->shape = cairn_box(edges.x, edges.y, edges.z);
        rock->reach = 0.5 * cairn_length(edges);
    } else {
        CAIRN_TRY(make_hull(volume, seed, rock));
    }
    rock->shape.density = density;
    return cairn_ok();
}

CairnPile cairn_pile(void) {
    return (CairnPile){
        .count = 180, .least_mass = 80, .most_mass = 250, .density = 2600, .friction = 0.6, .slope = 0.7};
}

typedef struct Ball {
    CairnVec3 center;
    double radius;
} Ball;

// How high the centre of a ball over (x, y) comes to lie when it is let down on those laid before it, and on the
// ground.
static double rest_height(const Ball *laid, int count, double floor, double x, double y, double radius) {
    double z = floor + radius;
    for (int i = 0; i < count; i++) {
        double apart = radius + laid[i].radius, dx = x - laid[i].center.x, dy = y - laid[i].center.y;
        double rise = apart * apart - dx * dx - dy * dy;
        z = rise > 0 ? fmax(z, laid[i].center.z + sqrt(rise)) : z;
    }
    return z;
}

// The random position in a disc, among TRIES, that leaves the heap lowest, measured from a cone of the wanted slope.
static CairnVec3 find_position(const CairnPile *pile, const Ball *laid, int count, double radius, double extent,
                               uint64_t *seed) {
    enum { TRIES = 24 };
    CairnVec3 position = pile->foot;
    double best = HUGE_VAL;
    for (int i = 0; i < TRIES; i++) {
        double away = extent * sqrt(cairn_scene_random(seed, 0, 1)),
               turn = cairn_scene_random(seed, -CAIRN_PI, CAIRN_PI);
        double x = pile->foot.x + away * cos(turn), y = pile->foot.y + away * sin(turn);
        double z = rest_height(laid, count, pile->foot.z, x, y, radius), score = z + pile->slope * away;
        position = score < best ? cairn_vec3(x, y, z) : position;
        best = fmin(best, score);
    }
    return position;
}

// Balls about the rocks take some 2.5 times the rocks' room (0.6 edge^3 of a cube of their volume, as a ball's cubed
// radius), and pack to two thirds; a cone of that bulk.
static double cone_radius(const CairnPile *pile, double cubes) {
    return cbrt(3 * 1.5 * 4 / 3 * cubes / pile->slope);
}

double cairn_pile_radius(const CairnPile *pile) {
    double mean = 0.5 * (pile->least_mass + pile->most_mass), most = pile->most_mass;
    for (int i = 0; i < pile->mass_count; i++) {
        mean = i == 0 ? pile->masses[i] / pile->mass_count : mean + pile->masses[i] / pile->mass_count;
        most = i == 0 ? pile->masses[i] : fmax(most, pile->masses[i]);
    }
    return cone_radius(pile, 0.6 * pile->count * mean / pile->density) + cbrt(most / pile->density);
}

static double draw_mass(const CairnPile *pile, uint64_t *seed) {
    if (pile->mass_count > 0) {
        int i = (int)cairn_scene_random(seed, 0, pile->mass_count);
        return pile->masses[i < pile->mass_count ? i : pile->mass_count - 1];
    }
    return cairn_scene_random(seed, pile->least_mass, pile->most_mass);
}

CairnStatus cairn_build_pile(CairnWorld *world, const CairnPile *pile, uint64_t seed, CairnBodyId *ids) {
    if (pile->count < 1 || !(pile->slope > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "pile: count = %d and slope = %g must be positive", pile->count,
                           pile->slope);
    }
    Ball *laid = malloc((size_t)pile->count * sizeof *laid);
    if (!laid) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pile: no memory for %d rocks", pile->count);
    }
    CairnStatus status = cairn_ok();
    double cubes = 0; // of the radii so far: the heap spreads as it grows
    for (int i = 0; i < pile->count && cairn_is_ok(status); i++) {
        CairnRock rock;
        status = cairn_build_rock((CairnRockKind)(i % CAIRN_ROCK_KINDS), draw_mass(pile, &seed), pile->density, &seed,
                                  &rock);
        if (!cairn_is_ok(status)) {
            break;
        }
        double radius = 1.01 * rock.reach;
        cubes += radius * radius * radius;
        double extent = fmin(radius + cone_radius(pile, cubes), cairn_pile_radius(pile));
        laid[i] = (Ball){find_position(pile, laid, i, radius, extent, &seed), radius};
        bool is_round = rock.shape.type == CAIRN_SHAPE_SPHERE || rock.shape.type == CAIRN_SHAPE_CYLINDER;
        rock.shape.friction = pile->friction;
        rock.shape.rolling_friction = is_round ? pile->rolling_friction : 0;
        rock.shape.torsional_friction = rock.shape.rolling_friction;
        CairnBodyDef body = cairn_body_def();
        body.position = laid[i].center;
        CairnVec3 axis = random_direction(&seed);
        body.orientation = cairn_quat_axis_angle(axis, cairn_scene_random(&seed, -CAIRN_PI, CAIRN_PI));
        status = cairn_body_add(world, &body, &rock.shape, ids ? &ids[i] : NULL);
    }
    free(laid);
    return status;
}
