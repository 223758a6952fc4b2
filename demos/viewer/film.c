// What is written of a session to files: pictures, films, and the problem of the frame that is shown.
#include "demos/viewer/viewer.h"
#include <stdio.h>

// "cairn-log_tower-340.png" in the folder that the viewer was started in.
static void name_file(const CairnViewer *viewer, const char *ending, char *path, size_t size) {
    const CairnSight *sight = &viewer->crew.views[viewer->active].sights[viewer->crew.views[viewer->active].shown];
    snprintf(path, size, "cairn-%.60s-%d.%s", viewer->source.scene->name, sight->frame, ending);
}

static void report(CairnViewer *viewer, CairnStatus status, const char *path) {
    char words[180];
    snprintf(words, sizeof words, "%s%.150s", cairn_is_ok(status) ? "wrote " : "",
             cairn_is_ok(status) ? path : status.message);
    cairn_viewer_notify(viewer, words);
}

void cairn_viewer_save_picture(CairnViewer *viewer) {
    viewer->wants_picture = true;
}

// The notice that it was written is not in it.
void cairn_viewer_write_picture(CairnViewer *viewer) {
    char path[160];
    CairnImage image;
    if (!viewer->wants_picture || viewer->pace.drawn_resolution < 1) {
        return;
    }
    viewer->wants_picture = false;
    name_file(viewer, "png", path, sizeof path);
    CairnStatus status = cairn_gpu_target_read(&viewer->target, &image);
    if (cairn_is_ok(status)) {
        status = cairn_image_write_png(&image, path);
        cairn_image_free(&image);
    }
    report(viewer, status, path);
}

void cairn_viewer_save_problem(CairnViewer *viewer) {
    char path[160];
    name_file(viewer, "problem", path, sizeof path);
    cairn_crew_save(&viewer->crew, viewer->active, CAIRN_SAVE_PROBLEM, path);
}

void cairn_viewer_toggle_recording(CairnViewer *viewer) {
    char path[160];
    const CairnCrewView *first = &viewer->crew.views[0];
    if (viewer->options->run.record && cairn_crew_is_recording(&viewer->crew)) {
        cairn_viewer_notify(viewer, "--record asked for a recording of the whole run: it ends with the window");
        return;
    }
    snprintf(path, sizeof path, "cairn-%.60s-%d.rec", viewer->source.scene->name, first->sights[first->shown].frame);
    cairn_crew_save(&viewer->crew, 0, CAIRN_SAVE_RECORDING, path);
}

// ---- films ----

CairnStatus cairn_viewer_film(CairnViewer *viewer, const char *path) {
    CairnFilm *film = &viewer->film;
    film->last = -1;
    film->next = 0;
    return cairn_video_open(&film->video, path, viewer->width, viewer->height, cairn_video_rate(viewer->dt));
}

CairnStatus cairn_viewer_film_end(CairnViewer *viewer) {
    CairnVideo *video = &viewer->film.video;
    char words[2 * CAIRN_RUN_PATH + 120];
    if (!video->is_open) {
        return cairn_ok();
    }
    CairnStatus status = cairn_video_close(video);
    cairn_video_words(video, words, sizeof words);
    cairn_viewer_notify(viewer, cairn_is_ok(status) ? words : status.message);
    if (viewer->options->video) {
        fprintf(stderr, "%s\n", words);
    }
    return status;
}

void cairn_viewer_toggle_film(CairnViewer *viewer) {
    char path[160];
    if (viewer->film.video.is_open) {
        (void)cairn_viewer_film_end(viewer); // it reports errors itself
        return;
    }
    name_file(viewer, "mp4", path, sizeof path);
    CairnStatus status = cairn_viewer_film(viewer, path);
    cairn_viewer_notify(viewer, cairn_is_ok(status) ? "filming; the same key ends it" : status.message);
}

// Every picture of another frame, as it was drawn; the window must keep its size.
CairnStatus cairn_viewer_film_turn(CairnViewer *viewer, int frame) {
    CairnFilm *film = &viewer->film;
    if (!film->video.is_open || frame == film->last || (frame > film->last && frame < film->next)) {
        return cairn_ok();
    }
    film->last = frame;
    film->next = frame + cairn_video_stride(viewer->dt);
    if (viewer->width != film->video.width || viewer->height != film->video.height) {
        return cairn_viewer_film_end(viewer);
    }
    CairnImage image;
    CAIRN_TRY(cairn_gpu_target_read(&viewer->target, &image));
    CairnStatus status = cairn_video_add(&film->video, &image);
    cairn_image_free(&image);
    return status;
}
