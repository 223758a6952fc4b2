#include "demos/viewer/instances.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 3000, DEPTHS = 1024 };

static CairnStatus no_memory(int count, const char *of) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d %s", count, of);
}

CairnStatus cairn_instances_room(CairnInstances *instances, int count) {
    if (count <= instances->capacity) {
        return cairn_ok();
    }
    void *data = realloc(instances->data, 2 * (size_t)count * sizeof *instances->data);
    if (!data) {
        return no_memory(count, "instances");
    }
    instances->data = data;
    void *order = realloc(instances->order, 2 * (size_t)count * sizeof *instances->order);
    if (!order) {
        return no_memory(count, "instances");
    }
    instances->order = order;
    instances->capacity = 2 * count;
    return cairn_ok();
}

static CairnStatus make_groups(CairnInstances *instances, int groups) {
    if (groups != instances->groups) {
        void *starts = realloc(instances->starts, ((size_t)groups + 2) * sizeof *instances->starts);
        if (!starts) {
            return no_memory(groups, "meshes");
        }
        instances->starts = starts;
        instances->groups = groups;
    }
    return cairn_ok();
}

void cairn_instances_free(CairnInstances *instances) {
    free(instances->data);
    free(instances->order);
    free(instances->starts);
    *instances = (CairnInstances){0};
}

// ---- order ----

typedef struct Depths {
    double ahead[3], least, width; // direction of the camera; of the first class, of each
} Depths;

static double depth_of(const Depths *depths, const CairnSightItem *item) {
    return depths->ahead[0] * (double)item->position[0] + depths->ahead[1] * (double)item->position[1] +
           depths->ahead[2] * (double)item->position[2];
}

static int class_of(const Depths *depths, const CairnSightItem *item) {
    double level = (depth_of(depths, item) - depths->least) / depths->width;
    return level > 0 ? (int)fmin(level, DEPTHS - 1) : 0; // what is nowhere comes first
}

static Depths measure(const CairnPainting *painting) {
    const CairnSight *sight = painting->sight;
    CairnVec3 ahead = cairn_normalize(cairn_sub(painting->camera.target, painting->camera.eye));
    Depths depths = {.ahead = {ahead.x, ahead.y, ahead.z}, .least = HUGE_VAL};
    double most = -HUGE_VAL;
    for (int i = 0; i < sight->item_count; i++) {
        if (sight->items[i].kind != CAIRN_PRIMITIVE_PLANE) {
            double depth = depth_of(&depths, &sight->items[i]);
            depths.least = fmin(depths.least, depth);
            most = fmax(most, depth);
        }
    }
    depths.width = fmax((most - depths.least) / DEPTHS, 1e-9);
    return depths;
}

// By classes of depth; planes are no instances. Answers how many there are.
static int sort_by_depth(CairnInstances *instances, const CairnPainting *painting) {
    const CairnSight *sight = painting->sight;
    Depths depths = measure(painting);
    int starts[DEPTHS + 1] = {0};
    for (int i = 0; i < sight->item_count; i++) {
        if (sight->items[i].kind != CAIRN_PRIMITIVE_PLANE) {
            starts[class_of(&depths, &sight->items[i]) + 1]++;
        }
    }
    for (int k = 0; k < DEPTHS; k++) {
        starts[k + 1] += starts[k];
    }
    int count = starts[DEPTHS];
    for (int i = 0; i < sight->item_count; i++) {
        if (sight->items[i].kind != CAIRN_PRIMITIVE_PLANE) {
            instances->order[starts[class_of(&depths, &sight->items[i])]++] = i;
        }
    }
    return count;
}

// ---- one instance ----

// What a point is good for: balls that are small and have their middle in the picture, or lie wholly outside, where
// they cost no more than that is found out. Those that the picture's edge cuts would vanish with their middle.
typedef struct Lens {
    CairnVec3 eye, ahead, right, up;
    double wide, high; // halves of the picture's sides, a metre before the eye
} Lens;

static Lens lens_of(const CairnPainting *painting) {
    const CairnCamera *camera = &painting->camera;
    double half = tan(0.5 * camera->fov * CAIRN_PI / 180);
    Lens lens = {.eye = camera->eye, .wide = half * painting->width / painting->height, .high = half};
    lens.ahead = cairn_normalize(cairn_sub(camera->target, camera->eye));
    lens.right = cairn_normalize_or(cairn_cross(lens.ahead, cairn_vec3(0, 0, 1)), cairn_vec3(1, 0, 0));
    lens.up = cairn_cross(lens.right, lens.ahead);
    return lens;
}

static bool is_point(const Lens *lens, const CairnPainting *painting, const CairnSightItem *item) {
    enum { LARGEST = 24 }; // pixels; beyond it one value of sky light for a whole ball would be visible
    CairnVec3 at = {(double)item->position[0], (double)item->position[1], (double)item->position[2]};
    CairnVec3 offset = cairn_sub(at, lens->eye);
    double depth = cairn_dot(offset, lens->ahead), radius = (double)item->scale[0];
    // From the nearer side's plane outwards.
    double x = (fabs(cairn_dot(offset, lens->right)) - depth * lens->wide) / sqrt(1 + lens->wide * lens->wide);
    double y = (fabs(cairn_dot(offset, lens->up)) - depth * lens->high) / sqrt(1 + lens->high * lens->high);
    double out = fmax(fmax(x, y), -depth);
    return out > radius || (out < 0 && radius * painting->height < LARGEST * lens->high * depth);
}

// Is it so small that sixteen sides look as thirty-two do, a quarter of a pixel apart?
static bool is_small(const Lens *lens, const CairnPainting *painting, const CairnSightItem *item) {
    enum { LARGEST = 13 }; // pixels
    CairnVec3 at = {(double)item->position[0], (double)item->position[1], (double)item->position[2]};
    double depth = cairn_dot(cairn_sub(at, lens->eye), lens->ahead) - (double)item->reach;
    return (double)item->scale[0] * painting->height < 2 * LARGEST * lens->high * depth;
}

static int geometry_of(const Lens *lens, const CairnPainting *painting, const CairnSightItem *item) {
    bool is_coarse = !painting->look->is_smooth && !painting->is_over;
    if (item->geometry != CAIRN_DRAWN_SPHERE || painting->sight->item_count <= MANY) {
        return is_coarse && is_small(lens, painting, item) ? cairn_drawn_mesh_coarse(item->geometry) : item->geometry;
    }
    return is_coarse && is_point(lens, painting, item) ? CAIRN_DRAWN_POINT : CAIRN_DRAWN_DISC;
}

static int surface_of(const CairnSight *sight, const CairnSightItem *item) {
    if (item->geometry == CAIRN_DRAWN_SPHERE && sight->item_count > MANY) {
        return item->is_static ? CAIRN_SURFACE_DISC : CAIRN_SURFACE_DISC_STRIPES;
    }
    bool is_round = item->kind == CAIRN_PRIMITIVE_SPHERE || item->kind == CAIRN_PRIMITIVE_CAPSULE;
    if (is_round && !item->is_static) {
        return CAIRN_SURFACE_STRIPES;
    }
    return item->kind == CAIRN_PRIMITIVE_BOX ? CAIRN_SURFACE_EDGES : 0;
}

static void fill(const CairnPainting *painting, const CairnSightItem *item, CairnScale scale, CairnInstance instance) {
    CairnColor color = cairn_look_color(painting->sight, painting->first, item, painting->look->coloring, scale);
    if (painting->is_over) {
        color = cairn_color(painting->tint);
    }
    if (painting->selected && item->body >= 0 && painting->sight->bodies[item->body].id.index == painting->selected) {
        color = cairn_color_mix(color, cairn_color(0xFFD75E), 0.7);
    }
    memcpy(instance, item->position, 3 * sizeof *instance);
    instance[3] = (float)surface_of(painting->sight, item);
    memcpy(instance + 4, item->turn, 4 * sizeof *instance);
    memcpy(instance + 8, item->scale, 4 * sizeof *instance);
    instance[12] = (float)color.r;
    instance[13] = (float)color.g;
    instance[14] = (float)color.b;
    instance[15] = painting->is_over ? 0.45f : 1;
}

CairnStatus cairn_instances_sort(CairnInstances *instances, const CairnPainting *painting, int groups) {
    const CairnSight *sight = painting->sight;
    CairnScale scale;
    cairn_look_scale(sight, painting->look->coloring, painting->top_speed, painting->top_residual, &scale);
    CAIRN_TRY(cairn_instances_room(instances, sight->item_count));
    CAIRN_TRY(make_groups(instances, groups));
    Lens lens = lens_of(painting);
    int count = sort_by_depth(instances, painting), *starts = instances->starts;
    memset(starts, 0, ((size_t)groups + 2) * sizeof *starts);
    for (int k = 0; k < count; k++) { // counted two entries on, so that after filling each entry is its group's start
        starts[geometry_of(&lens, painting, &sight->items[instances->order[k]]) + 2]++;
    }
    for (int g = 0; g < groups; g++) {
        starts[g + 2] += starts[g + 1];
    }
    for (int k = 0; k < count; k++) {
        const CairnSightItem *item = &sight->items[instances->order[k]];
        fill(painting, item, scale, instances->data[starts[geometry_of(&lens, painting, item) + 1]++]);
    }
    return cairn_ok();
}
