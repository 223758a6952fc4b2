// Instances: the GPU's data of each solid of a sight, those of one geometry together, the nearest to the camera first:
// what lies behind is then thrown away before it is lit, which is most of a large heap.
#ifndef CAIRN_VIEWER_INSTANCES_H
#define CAIRN_VIEWER_INSTANCES_H

#include "demos/viewer/look.h"
#include <cairn/scene.h>

typedef float CairnInstance[16]; // position and kind of surface, turn, scale, colour

// Kinds of surface, as the shaders know them.
enum {
    CAIRN_SURFACE_STRIPES = 1,
    CAIRN_SURFACE_EDGES,
    CAIRN_SURFACE_ARROW,
    CAIRN_SURFACE_DISC,
    CAIRN_SURFACE_DISC_STRIPES
};

typedef struct CairnPainting {
    const CairnSight *sight;
    CairnCamera camera;
    CairnVec3 sun;           // unit
    double range, grid;      // of the scene's own camera: distance; field of the ground's pattern
    int x, y, width, height; // where, pixels from the bottom left
    unsigned frame;          // the framebuffer
    const CairnSight *first; // the first view's, to compare with
    const CairnLook *look;
    const CairnTheme *theme;
    double top_speed, top_residual; // of the colours
    double force_length;            // metres a newton
    uint32_t selected;              // index of a body; 0: none
    bool is_coarse;                 // a picture of fewer pixels than the window has, while something moves
    bool is_alone;                  // no other view is in the window
    bool is_over;                   // over the picture that is there already, in one colour
    unsigned tint;
} CairnPainting;

typedef struct CairnInstances {
    CairnInstance *data;
    int *order; // items by their depth
    int capacity;
    int *starts; // [starts[g], starts[g + 1]): the instances of geometry g
    int groups;
} CairnInstances;

CairnStatus cairn_instances_room(CairnInstances *instances, int count);
CairnStatus cairn_instances_sort(CairnInstances *instances, const CairnPainting *painting, int groups);
void cairn_instances_free(CairnInstances *instances);

#endif
