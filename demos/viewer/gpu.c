#include "demos/viewer/gpu.h"
#include <stdlib.h>
#include <string.h>

static CairnStatus compile(const char *name, GLenum stage, const char *head, const char *text, GLuint *shader) {
    const char *texts[] = {head, text};
    *shader = glCreateShader(stage);
    glShaderSource(*shader, 2, texts, NULL);
    glCompileShader(*shader);
    GLint is_fine = 0;
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &is_fine);
    if (!is_fine) {
        char words[160] = "";
        glGetShaderInfoLog(*shader, sizeof words, NULL, words);
        glDeleteShader(*shader);
        return cairn_error(CAIRN_UNSUPPORTED, "viewer: shader '%s' does not compile here: %s", name, words);
    }
    return cairn_ok();
}

CairnStatus cairn_gpu_program(const char *name, const char *vertex, const char *head, const char *fragment,
                              GLuint *program) {
    GLuint first, second;
    CAIRN_TRY(compile(name, GL_VERTEX_SHADER, "", vertex, &first));
    CairnStatus status = compile(name, GL_FRAGMENT_SHADER, head, fragment, &second);
    if (!cairn_is_ok(status)) {
        glDeleteShader(first);
        return status;
    }
    *program = glCreateProgram();
    glAttachShader(*program, first);
    glAttachShader(*program, second);
    glLinkProgram(*program);
    glDeleteShader(first);
    glDeleteShader(second);
    GLint is_fine = 0;
    glGetProgramiv(*program, GL_LINK_STATUS, &is_fine);
    if (!is_fine) {
        char words[160] = "";
        glGetProgramInfoLog(*program, sizeof words, NULL, words);
        return cairn_error(CAIRN_UNSUPPORTED, "viewer: shader '%s' does not link here: %s", name, words);
    }
    return cairn_ok();
}

static GLuint buffer_of(GLenum format, int samples, int width, int height) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return buffer;
}

bool cairn_gpu_is_software(void) {
    static const char *const names[] = {"llvmpipe", "softpipe", "SWR", "Software"};
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    for (int i = 0; i < 4; i++) {
        if (renderer && strstr(renderer, names[i])) {
            return true;
        }
    }
    return false;
}

static CairnStatus refuse(int width, int height, int samples) {
    return cairn_error(CAIRN_UNSUPPORTED, "viewer: the driver refuses a picture of %dx%d pixels with %d samples", width,
                       height, samples);
}

CairnStatus cairn_gpu_target_size(CairnGpuTarget *target, int width, int height, int samples) {
    if (!target->texture && target->width == width && target->height == height && target->samples == samples) {
        return cairn_ok();
    }
    cairn_gpu_target_free(target);
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    int wanted = samples;
    samples = samples < 2 ? 0 : most < samples ? most : samples;
    target->color = buffer_of(GL_RGBA8, samples, width, height);
    target->depth = buffer_of(GL_DEPTH_COMPONENT24, samples, width, height);
    target->resolved = samples > 0 ? buffer_of(GL_RGBA8, 0, width, height) : 0; // else it is the same picture
    glGenFramebuffers(1, &target->many);
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->color);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    bool is_whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glGenFramebuffers(1, &target->one);
    glBindFramebuffer(GL_FRAMEBUFFER, target->one);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              samples > 0 ? target->resolved : target->color);
    is_whole = is_whole && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    target->width = width;
    target->height = height;
    target->samples = wanted;
    return is_whole ? cairn_ok() : refuse(width, height, samples);
}

CairnStatus cairn_gpu_target_size_plain(CairnGpuTarget *target, int width, int height, bool is_top_first) {
    bool is_such = target->texture && target->is_top_first == is_top_first;
    if (is_such && target->width == width && target->height == height) {
        return cairn_ok();
    }
    cairn_gpu_target_free(target);
    *target = (CairnGpuTarget){.width = width, .height = height, .samples = 1, .is_top_first = is_top_first};
    glGenTextures(1, &target->texture);
    glBindTexture(GL_TEXTURE_2D, target->texture);
    // Unsized, so that the driver takes the order of these bytes for its own.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &target->many);
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
    if (!is_top_first) {
        target->depth = buffer_of(GL_DEPTH_COMPONENT24, 0, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    }
    target->one = target->many;
    bool is_whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    return is_whole ? cairn_ok() : refuse(width, height, 1);
}

void cairn_gpu_target_free(CairnGpuTarget *target) {
    GLuint buffers[] = {target->color, target->depth, target->resolved}, frames[] = {target->many, target->one};
    glDeleteRenderbuffers(3, buffers);
    glDeleteFramebuffers(frames[0] == frames[1] ? 1 : 2, frames);
    glDeleteTextures(1, &target->texture);
    *target = (CairnGpuTarget){0};
}

void cairn_gpu_target_lay(const CairnGpuTarget *from, const CairnGpuTarget *to) {
    bool is_alike = from->width == to->width && from->height == to->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->many);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->many);
    glBlitFramebuffer(0, 0, from->width, from->height, 0, 0, to->width, to->height, GL_COLOR_BUFFER_BIT,
                      is_alike ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, to->many);
}

void cairn_gpu_target_show(const CairnGpuTarget *target) {
    int w = target->width, h = target->height;
    if (target->resolved) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target->many);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->one);
        glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->one);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    int bottom = target->is_top_first ? h : 0;
    glBlitFramebuffer(0, 0, w, h, 0, bottom, w, h - bottom, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

CairnStatus cairn_gpu_target_read(const CairnGpuTarget *target, CairnImage *image) {
    int w = target->width, h = target->height;
    size_t row = 3 * (size_t)w;
    unsigned char *rows = malloc(row * (size_t)h);
    if (!rows) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for a picture");
    }
    CairnStatus status = cairn_image_create(image, w, h);
    if (cairn_is_ok(status)) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target->one);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, w, h, GL_RGB, GL_UNSIGNED_BYTE, rows);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        for (int y = 0; y < h; y++) {
            int from = target->is_top_first ? y : h - 1 - y;
            memcpy(image->pixels + row * (size_t)y, rows + row * (size_t)from, row);
        }
    }
    free(rows);
    return status;
}
