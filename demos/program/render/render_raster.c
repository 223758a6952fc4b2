#include "demos/program/render/render_raster.h"
#include <float.h>
#include <stdlib.h>

static void look(CairnView *view, CairnVec3 back) {
    view->back = cairn_normalize(back);
    CairnVec3 up = fabs(view->back.z) > 0.999 ? cairn_vec3(0, 1, 0) : cairn_vec3(0, 0, 1);
    view->right = cairn_normalize(cairn_cross(up, view->back));
    view->up = cairn_cross(view->back, view->right);
}

CairnView cairn_view_perspective(const CairnCamera *camera, int width, int height) {
    CairnView view = {.eye = camera->eye};
    look(&view, cairn_sub(camera->eye, camera->target));
    view.scale = 0.5 * height / tan(0.5 * camera->fov * CAIRN_PI / 180);
    view.center_x = 0.5 * width;
    view.center_y = 0.5 * height;
    view.near = 1e-3 * fmax(cairn_length(cairn_sub(camera->eye, camera->target)), 1e-6);
    return view;
}

CairnView cairn_view_parallel(CairnVec3 center, CairnVec3 back, double extent, double distance, int size) {
    CairnView view = {.is_parallel = true, .near = -DBL_MAX};
    look(&view, back);
    view.eye = cairn_add_scaled(center, distance, view.back);
    view.scale = 0.5 * size / extent;
    view.center_x = view.center_y = 0.5 * size;
    return view;
}

double cairn_view_depth(const CairnView *view, CairnVec3 point) {
    return -cairn_dot(cairn_sub(point, view->eye), view->back);
}

CairnScreenPoint cairn_view_project(const CairnView *view, CairnVec3 point) {
    CairnVec3 offset = cairn_sub(point, view->eye);
    double x = cairn_dot(offset, view->right), y = cairn_dot(offset, view->up), depth = -cairn_dot(offset, view->back);
    double s = view->is_parallel ? view->scale : view->scale / depth;
    return (CairnScreenPoint){view->center_x + s * x, view->center_y - s * y, view->is_parallel ? -depth : 1 / depth};
}

CairnVec3 cairn_view_ray(const CairnView *view, double x, double y) {
    CairnVec3 ray = cairn_add_scaled(cairn_neg(view->back), (x - view->center_x) / view->scale, view->right);
    return cairn_add_scaled(ray, (view->center_y - y) / view->scale, view->up);
}

CairnStatus cairn_raster_create(CairnRaster *raster, int width, int height) {
    size_t count = (size_t)width * (size_t)height;
    *raster = (CairnRaster){width, height, malloc(count * sizeof(float)), malloc(count * sizeof(int))};
    if (!raster->key || !raster->id) {
        cairn_raster_free(raster);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "raster: no memory for %dx%d samples", width, height);
    }
    for (size_t i = 0; i < count; i++) {
        raster->key[i] = -FLT_MAX;
        raster->id[i] = -1;
    }
    return cairn_ok();
}

void cairn_raster_free(CairnRaster *raster) {
    free(raster->key);
    free(raster->id);
    *raster = (CairnRaster){0};
}

// The samples whose centre lies inside the projected triangle, by its three edge functions.
static void fill(CairnRaster *raster, CairnScreenPoint a, CairnScreenPoint b, CairnScreenPoint c, int id) {
    double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(fabs(area) > 1e-12)) {
        return;
    }
    int x0 = (int)cairn_clamp(ceil(fmin(a.x, fmin(b.x, c.x)) - 0.5), 0, raster->width);
    int x1 = (int)cairn_clamp(floor(fmax(a.x, fmax(b.x, c.x)) - 0.5), -1, raster->width - 1);
    int y0 = (int)cairn_clamp(ceil(fmin(a.y, fmin(b.y, c.y)) - 0.5), 0, raster->height);
    int y1 = (int)cairn_clamp(floor(fmax(a.y, fmax(b.y, c.y)) - 0.5), -1, raster->height - 1);
    // Barycentric u (of b) and v (of c) are linear over the screen, and so is the key.
    double ux = (c.y - a.y) / area, uy = -(c.x - a.x) / area;
    double vx = -(b.y - a.y) / area, vy = (b.x - a.x) / area;
    double kx = ux * (b.key - a.key) + vx * (c.key - a.key), ky = uy * (b.key - a.key) + vy * (c.key - a.key);
    for (int y = y0; y <= y1; y++) {
        double dy = y + 0.5 - a.y;
        size_t row = (size_t)y * (size_t)raster->width;
        for (int x = x0; x <= x1; x++) {
            double dx = x + 0.5 - a.x;
            double u = ux * dx + uy * dy, v = vx * dx + vy * dy;
            float key = (float)(a.key + kx * dx + ky * dy);
            if (u >= 0 && v >= 0 && u + v <= 1 && key > raster->key[row + (size_t)x]) {
                raster->key[row + (size_t)x] = key;
                raster->id[row + (size_t)x] = id;
            }
        }
    }
}

void cairn_raster_triangle(CairnRaster *raster, const CairnView *view, const CairnVec3 corners[3], int id) {
    // Cutting a triangle with the near plane leaves at most four corners (Sutherland and Hodgman with one plane).
    CairnVec3 clipped[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        CairnVec3 p = corners[i], q = corners[(i + 1) % 3];
        double dp = cairn_view_depth(view, p) - view->near, dq = cairn_view_depth(view, q) - view->near;
        if (dp >= 0) {
            clipped[count++] = p;
        }
        if ((dp >= 0) != (dq >= 0)) {
            clipped[count++] = cairn_add_scaled(p, dp / (dp - dq), cairn_sub(q, p));
        }
    }
    CairnScreenPoint screen[4];
    for (int i = 0; i < count; i++) {
        screen[i] = cairn_view_project(view, clipped[i]);
    }
    for (int i = 2; i < count; i++) {
        fill(raster, screen[0], screen[i - 1], screen[i], id);
    }
}

void cairn_raster_plane(CairnRaster *raster, const CairnView *view, CairnVec3 normal, double offset, int id) {
    // eye + depth ray(x, y) lies on the plane at key = 1 / depth = normal . ray / (offset - normal . eye).
    double height = offset - cairn_dot(normal, view->eye);
    if (fabs(height) < 1e-12) {
        return;
    }
    double per_x = cairn_dot(normal, view->right) / (view->scale * height);
    for (int y = 0; y < raster->height; y++) {
        double first = cairn_dot(normal, cairn_view_ray(view, 0.5, y + 0.5)) / height;
        size_t row = (size_t)y * (size_t)raster->width;
        for (int x = 0; x < raster->width; x++) {
            float key = (float)(first + x * per_x);
            if (key > 1e-6F && key > raster->key[row + (size_t)x]) {
                raster->key[row + (size_t)x] = key;
                raster->id[row + (size_t)x] = id;
            }
        }
    }
}
