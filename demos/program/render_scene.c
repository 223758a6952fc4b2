// From a world to a picture: gather (bodies -> parts and triangles), rasterise (what is seen where), light (one value a pixel,
// smoothed over each surface), shade (four samples a pixel), caption.
#include "demos/program/render_scene.h"
#include "demos/program/render_font.h"
#include "demos/program/render_shade.h"
#include <stdlib.h>

enum { SAMPLES = 2 }; // a side of a pixel

typedef struct Drawing {
    const CairnPicture *picture;
    CairnMesh mesh;
    CairnView view;
    CairnRaster raster;
    CairnLight light;
    CairnShading shading;
    CairnVisibility *visibility; // a pixel
    int *surface;                // whose it is
    CairnImage *image;
} Drawing;

// ---- gather ----

// False: a shape that pictures do not know.
static bool part_of_shape(const CairnShapeDef *shape, CairnTransform body, CairnPart *result) {
    CairnPart part = {.pose = cairn_transform_mul(body, (CairnTransform){shape->position, shape->orientation})};
    if (shape->type == CAIRN_SPHERE) {
        part.kind = CAIRN_PART_SPHERE;
        part.half = cairn_vec3(shape->radius, shape->radius, shape->radius);
    } else if (shape->type == CAIRN_CYLINDER) {
        part.kind = CAIRN_PART_CYLINDER;
        part.half = cairn_vec3(shape->radius, shape->radius, 0.5 * shape->height);
    } else if (shape->type == CAIRN_CAPSULE) {
        part.kind = CAIRN_PART_CAPSULE;
        part.half = cairn_vec3(shape->radius, shape->radius, 0.5 * shape->height);
    } else if (shape->type == CAIRN_BOX) {
        part.kind = CAIRN_PART_BOX;
        part.half = cairn_scale(0.5, shape->size);
    } else if (shape->type == CAIRN_HALF_SPACE) {
        part.kind = CAIRN_PART_PLANE;
    } else if (shape->type == CAIRN_MESH) {
        part.kind = CAIRN_PART_FACETS;
        part.points = shape->points;
        part.indices = shape->indices;
        part.index_count = shape->index_count;
    } else if (shape->type == CAIRN_HULL) {
        part.kind = CAIRN_PART_HULL;
        part.points = shape->points;
        part.point_count = shape->point_count;
    } else {
        return false;
    }
    *result = part;
    return true;
}

static CairnStatus add_part(Drawing *drawing, const CairnPart *part) {
    double depth = cairn_view_depth(&drawing->view, part->pose.p);
    double detail = depth > drawing->view.near ? 2 * part->half.x * drawing->view.scale / depth : 1e6;
    return cairn_mesh_add(&drawing->mesh, part, detail);
}

static CairnStatus gather_body(Drawing *drawing, const CairnWorld *world, CairnBodyId id, int *moving) {
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(world, id, &state));
    CairnColor color = state.type == CAIRN_STATIC ? cairn_static_color() : cairn_body_color((*moving)++);
    int count = cairn_body_shapes(world, id, NULL, 0);
    CairnShapeId *shapes = malloc((size_t)(count + 1) * sizeof *shapes);
    if (!shapes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d shapes", count);
    }
    cairn_body_shapes(world, id, shapes, count);
    CairnStatus status = cairn_ok();
    for (int i = 0; i < count && cairn_is_ok(status); i++) {
        CairnShapeDef shape;
        status = cairn_shape_get(world, shapes[i], &shape, NULL);
        CairnPart part;
        if (cairn_is_ok(status) && part_of_shape(&shape, (CairnTransform){state.position, state.orientation}, &part)) {
            part.has_pattern = state.type != CAIRN_STATIC;
            // The shapes of a compound differ a little, so that its turning shows.
            part.color = cairn_color_mix(color, drawing->shading.tints.cream, i % 2 ? 0.35 : 0);
            if (part.kind == CAIRN_PART_PLANE) {
                part.color = cairn_ground_color();
            }
            status = add_part(drawing, &part);
        }
    }
    free(shapes);
    return status;
}

// Where a joint's frame stands; the null body is the world.
static CairnStatus joint_end(const CairnWorld *world, CairnBodyId body, CairnTransform frame, CairnVec3 *point) {
    CairnBodyState state = {.orientation = {1, 0, 0, 0}};
    if (!cairn_body_is_null(body)) {
        CAIRN_TRY(cairn_body_get(world, body, &state));
    }
    *point = cairn_transform_point((CairnTransform){state.position, state.orientation}, frame.p);
    return cairn_ok();
}

// Rods, ropes and springs have no shape: they are drawn as thin bars between their ends.
static CairnStatus gather_joint(Drawing *drawing, const CairnWorld *world, CairnJointId id) {
    CairnJointDef joint;
    CAIRN_TRY(cairn_joint_get_def(world, id, &joint));
    if (joint.type != CAIRN_JOINT_DISTANCE) {
        return cairn_ok();
    }
    CairnVec3 a, b;
    CAIRN_TRY(joint_end(world, joint.body_a, joint.frame_a, &a));
    CAIRN_TRY(joint_end(world, joint.body_b, joint.frame_b, &b));
    CairnVec3 between = cairn_sub(b, a);
    double length = cairn_length(between), width = 1.7 * drawing->shading.pixel * drawing->shading.stage / 8;
    CairnPart part = {.kind = CAIRN_PART_ROD, .half = {width, width, 0.5 * length}, .color = cairn_color(0x5A626C)};
    part.pose.p = cairn_scale(0.5, cairn_add(a, b));
    part.pose.q = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_normalize(between));
    return add_part(drawing, &part);
}

static CairnStatus gather(Drawing *drawing, const CairnWorld *world) {
    int bodies = cairn_world_bodies(world, NULL, 0), joints = cairn_world_joints(world, NULL, 0), moving = 0;
    CairnBodyId *body = malloc((size_t)(bodies + 1) * sizeof *body);
    CairnJointId *joint = malloc((size_t)(joints + 1) * sizeof *joint);
    CairnStatus status = cairn_ok();
    if (!body || !joint) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %d bodies and %d joints", bodies, joints);
        goto done;
    }
    cairn_world_bodies(world, body, bodies);
    cairn_world_joints(world, joint, joints);
    for (int i = 0; i < bodies && cairn_is_ok(status); i++) {
        status = gather_body(drawing, world, body[i], &moving);
    }
    for (int i = 0; i < joints && cairn_is_ok(status); i++) {
        status = gather_joint(drawing, world, joint[i]);
    }
done:
    free(body);
    free(joint);
    return status;
}

// ---- draw ----

// A ball around everything near the camera's target, for the shadow map.
static void bound(const Drawing *drawing, CairnVec3 *center, double *extent) {
    CairnVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    const CairnCamera *camera = &drawing->picture->camera;
    double range = 2 * cairn_length(cairn_sub(camera->eye, camera->target));
    for (int i = 0; i < drawing->mesh.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            CairnVec3 p = drawing->mesh.triangles[i].corners[k];
            if (cairn_length(cairn_sub(p, camera->target)) < range) {
                low = cairn_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
                high = cairn_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
            }
        }
    }
    bool is_empty = low.x > high.x;
    *center = is_empty ? camera->target : cairn_scale(0.5, cairn_add(low, high));
    *extent = is_empty ? range : 0.52 * cairn_length(cairn_sub(high, low)) + 1e-3 * range;
}

static void rasterise(Drawing *drawing) {
    for (int i = 0; i < drawing->mesh.triangle_count; i++) {
        cairn_raster_triangle(&drawing->raster, &drawing->view, drawing->mesh.triangles[i].corners, i);
    }
    for (int i = 0; i < drawing->mesh.part_count; i++) {
        const CairnPart *part = &drawing->mesh.parts[i];
        if (part->kind == CAIRN_PART_PLANE) {
            CairnVec3 normal = cairn_rotate(part->pose.q, cairn_vec3(0, 0, 1));
            cairn_raster_plane(&drawing->raster, &drawing->view, normal, cairn_dot(normal, part->pose.p), -2 - i);
        }
    }
}

typedef struct Sample {
    int part, face, surface; // surface -1: the backdrop
    double x, y;
    CairnVec3 point;
} Sample;

static Sample sample_at(const Drawing *drawing, int x, int y) {
    size_t place = (size_t)y * (size_t)drawing->raster.width + (size_t)x;
    int id = drawing->raster.id[place];
    Sample sample = {.part = -1, .surface = -1, .x = x + 0.5, .y = y + 0.5};
    if (id == -1) {
        return sample;
    }
    sample.part = id < 0 ? -2 - id : drawing->mesh.triangles[id].part;
    sample.face = id < 0 ? 0 : drawing->mesh.triangles[id].face;
    sample.surface = drawing->mesh.parts[sample.part].first_surface + sample.face;
    CairnVec3 ray = cairn_view_ray(&drawing->view, sample.x, sample.y);
    sample.point = cairn_add_scaled(drawing->view.eye, 1 / (double)drawing->raster.key[place], ray);
    return sample;
}

static CairnVisibility visibility_of(const Drawing *drawing, const Sample *sample) {
    CairnVec3 normal = cairn_part_normal(&drawing->mesh.parts[sample->part], sample->face, sample->point);
    return cairn_light_at(&drawing->light, &drawing->raster, &drawing->view, sample->point, normal,
                          (int)sample->x / SAMPLES, (int)sample->y / SAMPLES);
}

static void light_pixels(Drawing *drawing) {
    int width = drawing->picture->width;
    for (int y = 0; y < drawing->picture->height; y++) {
        for (int x = 0; x < width; x++) {
            size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            Sample sample = sample_at(drawing, SAMPLES * x, SAMPLES * y);
            drawing->surface[pixel] = sample.surface;
            if (sample.surface >= 0) {
                drawing->visibility[pixel] = visibility_of(drawing, &sample);
            }
        }
    }
}

// The mean over the 5 x 5 pixels around that show the same surface: takes the grain out of sampled light.
static CairnVisibility smoothed(const Drawing *drawing, const Sample *sample) {
    int width = drawing->picture->width, height = drawing->picture->height;
    int px = (int)sample->x / SAMPLES, py = (int)sample->y / SAMPLES, count = 0;
    double sun = 0, sky = 0;
    for (int y = py > 2 ? py - 2 : 0; y <= py + 2 && y < height; y++) {
        for (int x = px > 2 ? px - 2 : 0; x <= px + 2 && x < width; x++) {
            size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            if (drawing->surface[pixel] == sample->surface) {
                sun += (double)drawing->visibility[pixel].sun;
                sky += (double)drawing->visibility[pixel].sky;
                count++;
            }
        }
    }
    if (count == 0) {
        return visibility_of(drawing, sample);
    }
    return (CairnVisibility){(float)(sun / count), (float)(sky / count)};
}

static void shade_pixel(Drawing *drawing, int px, int py) {
    CairnColor sum = {0, 0, 0};
    CairnVisibility seen = {1, 1};
    int last = -1; // samples of one pixel mostly show one surface: its light is looked up once
    for (int k = 0; k < SAMPLES * SAMPLES; k++) {
        Sample sample = sample_at(drawing, SAMPLES * px + k % SAMPLES, SAMPLES * py + k / SAMPLES);
        CairnColor color;
        if (sample.surface < 0) {
            color = cairn_backdrop(&drawing->shading, sample.y);
        } else {
            seen = sample.surface == last ? seen : smoothed(drawing, &sample);
            last = sample.surface;
            color = cairn_shade(&drawing->shading, &drawing->mesh.parts[sample.part], sample.face, sample.point, seen,
                                sample.y);
        }
        // Averaging what is brighter than white would make jagged edges, so each sample is cut first.
        sum.r += fmin(color.r, 1);
        sum.g += fmin(color.g, 1);
        sum.b += fmin(color.b, 1);
    }
    cairn_image_set(drawing->image, px, py, cairn_color_scale(1.0 / (SAMPLES * SAMPLES), sum));
}

static void draw_caption(const CairnPicture *picture, CairnImage *image) {
    int strip = (int)fmax(0.058 * picture->height, 14);
    double size = 0.36 * strip, margin = 0.6 * strip, base = picture->height - 0.5 * strip + 0.5 * size;
    for (int y = picture->height - strip; y < picture->height; y++) {
        for (int x = 0; x < picture->width; x++) {
            cairn_image_set(image, x, y, cairn_color(0x232A33));
        }
    }
    cairn_font_draw(image, margin, base, size, cairn_color(0xE9EDF1), picture->caption);
    if (picture->verdict) {
        CairnColor color = picture->is_good ? cairn_color(0x7FD1C0) : cairn_color(0xF2A65A);
        cairn_font_draw(image, picture->width - margin - cairn_font_width(size, picture->verdict), base, size, color,
                        picture->verdict);
    }
}

// A round number of metres (1, 2 or 5 times a power of ten) at most `size`.
static double round_down(double size) {
    double power = pow(10, floor(log10(size)));
    return power * (size >= 5 * power ? 5 : size >= 2 * power ? 2 : 1);
}

static CairnStatus check_picture(const CairnPicture *picture) {
    if (picture->width < 16 || picture->width > CAIRN_PICTURE_MAX || picture->height < 16 ||
        picture->height > CAIRN_PICTURE_MAX) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "picture: size %dx%d must be 16x16 to %dx%d", picture->width,
                           picture->height, (int)CAIRN_PICTURE_MAX, (int)CAIRN_PICTURE_MAX);
    }
    CairnVec3 way = cairn_sub(picture->camera.eye, picture->camera.target);
    if (!cairn_vec3_is_finite(way) || !(cairn_length(way) > 0) ||
        !(picture->camera.fov > 0 && picture->camera.fov < 180)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "picture: camera.eye must differ from camera.target, fov = %g in (0, 180)",
                           picture->camera.fov);
    }
    return cairn_ok();
}

// Over the left shoulder of whoever looks: shadows fall to the right and a little backwards.
static CairnVec3 sun_direction(const CairnView *view) {
    CairnVec3 level = cairn_normalize_or(cairn_vec3(view->back.x, view->back.y, 0), cairn_vec3(0, -1, 0));
    return cairn_add(cairn_vec3(0, 0, 1.25), cairn_add_scaled(cairn_scale(0.42, level), -0.72, view->right));
}

CairnStatus cairn_picture_draw(const CairnWorld *world, const CairnPicture *picture, CairnImage *image) {
    CAIRN_TRY(check_picture(picture));
    int width = SAMPLES * picture->width, height = SAMPLES * picture->height;
    double range = cairn_length(cairn_sub(picture->camera.eye, picture->camera.target));
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    Drawing drawing = {
        .picture = picture, .image = image, .view = cairn_view_perspective(&picture->camera, width, height)};
    drawing.shading = (CairnShading){.light = &drawing.light,
                                     .view = drawing.view,
                                     .target = picture->camera.target,
                                     .stage = 2.6 * range,
                                     .grid = round_down(0.11 * range),
                                     .pixel = SAMPLES / drawing.view.scale,
                                     .height = height,
                                     .tints = cairn_tints()};
    *image = (CairnImage){0, 0, NULL};
    CairnStatus status = gather(&drawing, world);
    if (!cairn_is_ok(status)) {
        goto done;
    }
    CairnVec3 center;
    double extent;
    bound(&drawing, &center, &extent);
    status = cairn_light_create(&drawing.light, &drawing.mesh, sun_direction(&drawing.view), center, extent);
    drawing.light.reach = 0.045 * range;
    if (cairn_is_ok(status)) {
        status = cairn_raster_create(&drawing.raster, width, height);
    }
    if (cairn_is_ok(status)) {
        status = cairn_image_create(image, picture->width, picture->height);
    }
    drawing.visibility = malloc(pixels * sizeof *drawing.visibility);
    drawing.surface = malloc(pixels * sizeof *drawing.surface);
    if (cairn_is_ok(status) && (!drawing.visibility || !drawing.surface)) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "picture: no memory for %zu pixels", pixels);
    }
    if (!cairn_is_ok(status)) {
        goto done;
    }
    rasterise(&drawing);
    light_pixels(&drawing);
    for (int y = 0; y < picture->height; y++) {
        for (int x = 0; x < picture->width; x++) {
            shade_pixel(&drawing, x, y);
        }
    }
    if (picture->caption) {
        draw_caption(picture, image);
    }
done:
    if (!cairn_is_ok(status)) {
        cairn_image_free(image);
    }
    free(drawing.visibility);
    free(drawing.surface);
    cairn_raster_free(&drawing.raster);
    cairn_light_free(&drawing.light);
    cairn_mesh_free(&drawing.mesh);
    return status;
}
