#include "demos/program/render/video.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cairn_video_stride(double dt) {
    double stride = floor(1 / (60 * dt) + 0.5);
    return stride < 1 ? 1 : stride > 1e6 ? 1000000 : (int)stride;
}

double cairn_video_rate(double dt) {
    return 1 / (dt * cairn_video_stride(dt));
}

// Where the program lies, or false.
static bool find_program(char program[CAIRN_RUN_PATH]) {
    const char *given = getenv("CAIRN_FFMPEG"), *path = getenv("PATH");
    if (given) {
        snprintf(program, CAIRN_RUN_PATH, "%s", given);
        return given[0] && access(program, X_OK) == 0;
    }
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(program, CAIRN_RUN_PATH, "%.*s/ffmpeg", length < 900 ? (int)length : 900, path);
        if (length > 0 && access(program, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static CairnStatus start(CairnVideo *video, const char *program, double rate) {
    int ends[2];
    char size[32], pace[32];
    snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    snprintf(pace, sizeof pace, "%.9g", rate);
    // Players want whole blocks of colour: an odd side grows by a pixel.
    const char *const argv[] = {
        program,    "-y",      "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s",       size,      "-r",        pace,    "-i", "-",        "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-pix_fmt", "yuv420p", video->path, NULL};
    if (pipe(ends) != 0) {
        return cairn_error(CAIRN_IO, "option --video: no pipe: %s", strerror(errno));
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN); // where the encoder ends early, writing returns an error
    video->child = fork();
    if (video->child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[0]);
    video->pipe = video->child > 0 ? fdopen(ends[1], "wb") : NULL;
    if (!video->pipe) {
        close(ends[1]);
        return cairn_error(CAIRN_IO, "option --video: cannot run %.100s: %s", program, strerror(errno));
    }
    return cairn_ok();
}

CairnStatus cairn_video_open(CairnVideo *video, const char *path, int width, int height, double rate) {
    char program[CAIRN_RUN_PATH], folder[CAIRN_RUN_PATH];
    *video = (CairnVideo){.width = width, .height = height};
    if (strlen(path) >= CAIRN_RUN_PATH - 16) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "option --video: '%.60s...' is too long", path);
    }
    snprintf(video->path, sizeof video->path, "%s", path);
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0';
    }
    if (access(slash ? folder : ".", W_OK) != 0) {
        return cairn_error(CAIRN_IO, "option --video: cannot write into %.150s: %s", slash ? folder : ".",
                           strerror(errno));
    }
    if (find_program(program)) {
        CAIRN_TRY(start(video, program, rate));
    }
    video->is_open = true;
    return cairn_ok();
}

// "fall.mp4" -> "fall", "a.b/fall" as it is.
static int stem_of(const char *path) {
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && dot > (slash ? slash + 1 : path) ? (int)(dot - path) : (int)strlen(path);
}

CairnStatus cairn_video_add(CairnVideo *video, const CairnImage *image) {
    size_t size = 3 * (size_t)image->width * (size_t)image->height;
    if (image->width != video->width || image->height != video->height) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "option --video: a picture of %dx%d in a video of %dx%d",
                           image->width, image->height, video->width, video->height);
    }
    if (video->pipe && fwrite(image->pixels, 1, size, video->pipe) != size) {
        return cairn_error(CAIRN_IO, "option --video: ffmpeg ended after %d pictures", video->count);
    }
    video->count++;
    if (!video->pipe) {
        char name[CAIRN_RUN_PATH + 16];
        snprintf(name, sizeof name, "%.*s-%06d.png", stem_of(video->path), video->path, video->count);
        return cairn_image_write_png(image, name);
    }
    return cairn_ok();
}

CairnStatus cairn_video_close(CairnVideo *video) {
    int status = 0;
    if (!video->is_open) {
        return cairn_ok();
    }
    video->is_open = false;
    if (!video->pipe) {
        return cairn_ok();
    }
    bool is_good = fclose(video->pipe) == 0;
    video->pipe = NULL;
    while (waitpid(video->child, &status, 0) < 0 && errno == EINTR) {
    }
    is_good = is_good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return is_good ? cairn_ok() : cairn_error(CAIRN_IO, "option --video: ffmpeg could not write %.150s", video->path);
}

void cairn_video_words(const CairnVideo *video, char *words, size_t size) {
    if (video->child > 0) {
        snprintf(words, size, "%s: %d pictures, by ffmpeg", video->path, video->count);
    } else {
        int stem = stem_of(video->path);
        snprintf(words, size, "%.*s-000001.png to %.*s-%06d.png: there is no ffmpeg here, so pictures only", stem,
                 video->path, stem, video->path, video->count);
    }
}
