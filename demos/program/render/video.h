// Video: pictures one after the other, piped to ffmpeg where it is there, else written as a sequence of PNG files
// beside the name that was asked for ("fall.mp4" becomes fall-000001.png and so on).
#ifndef CAIRN_PROGRAM_VIDEO_H
#define CAIRN_PROGRAM_VIDEO_H

#include "demos/program/render/render_image.h"
#include "demos/program/session/run_options.h"
#include <stdio.h>
#include <sys/types.h>

typedef struct CairnVideo {
    char path[CAIRN_RUN_PATH];
    FILE *pipe; // to ffmpeg; NULL: PNG files
    pid_t child;
    bool is_open;
    int width, height, count;
} CairnVideo;

// About sixty pictures a simulated second: one every so many steps, and how many a second that makes.
int cairn_video_stride(double dt);
double cairn_video_rate(double dt);

// ffmpeg is $CAIRN_FFMPEG or what PATH has; an empty CAIRN_FFMPEG means none.
CairnStatus cairn_video_open(CairnVideo *video, const char *path, int width, int height, double rate);
// Of the size that it was opened with.
CairnStatus cairn_video_add(CairnVideo *video, const CairnImage *image);
// Waits for ffmpeg. A video that is not open is left as it is.
CairnStatus cairn_video_close(CairnVideo *video);
// "fall.mp4: 300 pictures, by ffmpeg"
void cairn_video_words(const CairnVideo *video, char *words, size_t size);

#endif
