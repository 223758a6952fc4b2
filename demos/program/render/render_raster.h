// Raster: what is seen at each sample. A view takes points to the screen, a raster keeps the nearest triangle of each
// sample.
#ifndef CAIRN_RENDER_RASTER_H
#define CAIRN_RENDER_RASTER_H

#include <cairn/math.h>
#include <cairn/scene.h>

// A camera: right, up and back are orthonormal, it looks along -back. `key` of a screen point grows towards the eye and
// is linear over the screen: 1 / depth in perspective, -depth in parallel projection, so one rasteriser serves both.
typedef struct CairnView {
    CairnVec3 eye, right, up, back;
    double scale; // samples: per unit slope in perspective, per metre in parallel projection
    double center_x, center_y;
    double near; // nearest depth that is drawn
    bool is_parallel;
} CairnView;

typedef struct CairnScreenPoint {
    double x, y, key;
} CairnScreenPoint;

typedef struct CairnRaster {
    int width, height;
    float *key; // the nearest so far
    int *id;    // given with the triangle or plane that is seen; -1: none
} CairnRaster;

CairnView cairn_view_perspective(const CairnCamera *camera, int width, int height);
// Looks along -back at a square of half width `extent` about `center`, from `distance` away.
CairnView cairn_view_parallel(CairnVec3 center, CairnVec3 back, double extent, double distance, int size);

double cairn_view_depth(const CairnView *view, CairnVec3 point);
CairnScreenPoint cairn_view_project(const CairnView *view, CairnVec3 point); // depth must be positive in perspective
// The direction, not of unit length, from the eye through a screen position; its depth is 1.
CairnVec3 cairn_view_ray(const CairnView *view, double x, double y);

CairnStatus cairn_raster_create(CairnRaster *raster, int width, int height);
void cairn_raster_free(CairnRaster *raster);
// Draw a triangle; what lies nearer than the near plane is cut off. Both sides are drawn.
void cairn_raster_triangle(CairnRaster *raster, const CairnView *view, const CairnVec3 corners[3], int id);
// Draw all of the plane normal . x = offset that lies before the eye (perspective only).
void cairn_raster_plane(CairnRaster *raster, const CairnView *view, CairnVec3 normal, double offset, int id);

#endif
