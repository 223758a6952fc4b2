// Picture of a world: a perspective view with soft shadows and a caption. Reads the world through its public functions
// only.
#ifndef CAIRN_RENDER_SCENE_H
#define CAIRN_RENDER_SCENE_H

#include "demos/program/render/render_image.h"
#include "demos/program/session/run_options.h"
#include <cairn/scene.h>

typedef struct CairnPicture {
    int width, height; // pixels; drawn with four samples each
    CairnCamera camera;
    const char *caption; // left; NULL: no caption strip
    const char *verdict; // right, or NULL
    bool is_good;        // colours the text of the verdict
} CairnPicture;

// Make the image (the caller frees it).
CairnStatus cairn_picture_draw(const CairnWorld *world, const CairnPicture *picture, CairnImage *image);

#endif
