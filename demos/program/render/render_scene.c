// From a world to a picture: gather (bodies -> primitives and triangles), rasterise (what is seen where), light (one
// value a pixel, smoothed over each surface), shade (four samples a pixel), caption.
#include "demos/program/render/render_scene.h"
#include "demos/program/render/render_font.h"
#include "demos/program/render/render_gather.h"
#include "demos/program/render/render_shade.h"
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

static CairnStatus add_primitive(void *user, const CairnGathered *gathered) {
    Drawing *drawing = user;
    const CairnPrimitive *primitive = &gathered->primitive;
    double depth = cairn_view_depth(&drawing->view, primitive->pose.p);
    double detail = depth > drawing->view.near ? 2 * primitive->half.x * drawing->view.scale / depth : 1e6;
    return cairn_mesh_add(&drawing->mesh, primitive, detail);
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
    for (int i = 0; i < drawing->mesh.primitive_count; i++) {
        const CairnPrimitive *primitive = &drawing->mesh.primitives[i];
        if (primitive->kind == CAIRN_PRIMITIVE_PLANE) {
            CairnVec3 normal = cairn_rotate(primitive->pose.q, cairn_vec3(0, 0, 1));
            cairn_raster_plane(&drawing->raster, &drawing->view, normal, cairn_dot(normal, primitive->pose.p), -2 - i);
        }
    }
}

typedef struct Sample {
    int primitive, face, surface; // surface -1: the backdrop
    double x, y;
    CairnVec3 point;
} Sample;

static Sample sample_at(const Drawing *drawing, int x, int y) {
    size_t pixel = (size_t)y * (size_t)drawing->raster.width + (size_t)x;
    int id = drawing->raster.id[pixel];
    Sample sample = {.primitive = -1, .surface = -1, .x = x + 0.5, .y = y + 0.5};
    if (id == -1) {
        return sample;
    }
    sample.primitive = id < 0 ? -2 - id : drawing->mesh.triangles[id].primitive;
    sample.face = id < 0 ? 0 : drawing->mesh.triangles[id].face;
    sample.surface = drawing->mesh.primitives[sample.primitive].first_surface + sample.face;
    CairnVec3 ray = cairn_view_ray(&drawing->view, sample.x, sample.y);
    sample.point = cairn_add_scaled(drawing->view.eye, 1 / (double)drawing->raster.key[pixel], ray);
    return sample;
}

static CairnVisibility visibility_of(const Drawing *drawing, const Sample *sample) {
    CairnVec3 normal =
        cairn_primitive_normal(&drawing->mesh.primitives[sample->primitive], sample->face, sample->point);
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
            color = cairn_shade(&drawing->shading, &drawing->mesh.primitives[sample.primitive], sample.face,
                                sample.point, seen, sample.y);
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
    CairnVec3 line_of_sight = cairn_sub(picture->camera.eye, picture->camera.target);
    if (!cairn_vec3_is_finite(line_of_sight) || !(cairn_length(line_of_sight) > 0) ||
        !(picture->camera.fov > 0 && picture->camera.fov < 180)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "picture: camera.eye must differ from camera.target, fov = %g in (0, 180)",
                           picture->camera.fov);
    }
    return cairn_ok();
}

// Light from behind the camera's left side: shadows fall to the right and a little backwards.
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
    double rod_width = 1.7 * drawing.shading.pixel * drawing.shading.stage / 8;
    CairnStatus status = cairn_gather(world, rod_width, add_primitive, &drawing);
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
