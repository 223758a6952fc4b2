// GPU: programs and the picture that everything is drawn into: with several samples a pixel, resolved to one. The
// window gets a copy, so a hidden window's picture can be read as well.
#ifndef CAIRN_VIEWER_GPU_H
#define CAIRN_VIEWER_GPU_H

#include "demos/program/render/render_image.h"
#include <epoxy/gl.h>
#include <stdbool.h>

// `head` stands before the fragment's text: one string may not be longer than 4,095 bytes.
CairnStatus cairn_gpu_program(const char *name, const char *vertex, const char *head, const char *fragment,
                              GLuint *program);

typedef struct CairnGpuTarget {
    GLuint many, one; // framebuffers
    GLuint color, depth, resolved;
    GLuint texture; // instead of color; 0: none
    int width, height, samples;
    bool is_top_first; // lies in memory as a window does, and is drawn upside down
} CairnGpuTarget;

// Is it a processor that draws? Then several samples a pixel take more time than all else.
bool cairn_gpu_is_software(void);
// Nothing happens where the size is right already. `samples` a pixel, or as many as there are; 1: no antialiasing.
CairnStatus cairn_gpu_target_size(CairnGpuTarget *target, int width, int height, int samples);
// One sample a pixel, in memory as Mesa's windows are (blue before red): what a processor draws is then read, written
// and shown by copying, where drawing it once more takes it ten times as long. What is top first has no depth.
CairnStatus cairn_gpu_target_size_plain(CairnGpuTarget *target, int width, int height, bool is_top_first);
void cairn_gpu_target_free(CairnGpuTarget *target);
// What is drawn with one sample becomes the other one's picture, stretched where that is larger.
void cairn_gpu_target_lay(const CairnGpuTarget *from, const CairnGpuTarget *to);
// Resolve, and copy to the window.
void cairn_gpu_target_show(const CairnGpuTarget *target);
// What was resolved last; the caller frees the image.
CairnStatus cairn_gpu_target_read(const CairnGpuTarget *target, CairnImage *image);

#endif
