// Stage: where bar, panel, charts and views lie in the window, and the pictures of the views.
#include "demos/viewer/viewer.h"
#include <math.h>

CairnViewerLayout cairn_viewer_layout(const CairnViewer *viewer) {
    double width = viewer->width, height = viewer->height, row = viewer->ui.unit + 2 * viewer->ui.gap;
    double size = viewer->ink.size;
    CairnViewerLayout layout = {.stage = {0, 0, width, height}};
    bool is_bare = viewer->options->is_hidden && !viewer->options->panel; // a picture of the scene alone
    double scrub = is_bare ? 0 : ceil(row - 2 * viewer->ui.gap);
    if (width < 34 * size || height < 20 * size) { // no room: keys only
        layout.scrub = (CairnArea){0, height - scrub, width, scrub};
        layout.stage.height -= scrub;
        return layout;
    }
    double rows = cairn_viewer_bar_rows(viewer) - 1;
    layout.bar = (CairnArea){0, 0, width, is_bare ? 0 : ceil(row + rows * (viewer->ui.unit + viewer->ui.gap))};
    double top = layout.bar.height;
    if (viewer->shows_panel) {
        layout.panel = (CairnArea){0, top, floor(fmin(16.5 * size, 0.45 * width)), height - top};
    }
    double left = layout.panel.width, bottom = height;
    if (viewer->shows_charts) {
        double tall = floor(fmin(10.5 * size, 0.34 * height));
        layout.charts = (CairnArea){left, height - tall, width - left, tall};
        bottom -= tall;
    }
    layout.scrub = (CairnArea){left, bottom - scrub, width - left, scrub};
    bottom -= scrub;
    layout.stage = (CairnArea){left, top, width - left, bottom - top};
    return layout;
}

// One row, but for four views: two of two. Laid over each other all have the whole stage.
CairnViewerBox cairn_viewer_box(const CairnViewer *viewer, int view) {
    CairnArea stage = cairn_viewer_layout(viewer).stage;
    int count = viewer->look.overlay ? 1 : viewer->crew.view_count;
    int columns = count == 4 ? 2 : count, rows = count == 4 ? 2 : 1;
    view = viewer->look.overlay ? 0 : view;
    int column = view % columns, row = view / columns, x = (int)stage.x, y = (int)stage.y;
    int width = (int)stage.width, height = (int)stage.height;
    int x0 = width * column / columns, x1 = width * (column + 1) / columns;
    int y0 = height * row / rows, y1 = height * (row + 1) / rows;
    return (CairnViewerBox){x + x0, y + y0, x1 - x0, y1 - y0};
}

// A scene's camera is made for a wide picture: in a narrow one the field opens, so that the sides are not cut off.
static CairnCamera camera_of(const CairnViewer *viewer, CairnViewerBox box) {
    CairnCamera camera = cairn_orbit_camera(&viewer->orbit);
    double aspect = (double)box.width / (box.height > 0 ? box.height : 1), least = 1.25;
    if (aspect > 0 && aspect < least) {
        double half = tan(0.5 * camera.fov * CAIRN_PI / 180) * least / aspect;
        camera.fov = fmin(2 * atan(half) * 180 / CAIRN_PI, 140);
    }
    return camera;
}

void cairn_viewer_ray(const CairnViewer *viewer, int view, double x, double y, CairnVec3 *from, CairnVec3 *direction) {
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    CairnCamera camera = camera_of(viewer, box);
    CairnVec3 ahead = cairn_normalize(cairn_sub(camera.target, camera.eye));
    CairnVec3 right = cairn_normalize(cairn_cross(ahead, cairn_vec3(0, 0, 1))), up = cairn_cross(right, ahead);
    double half = tan(0.5 * camera.fov * CAIRN_PI / 180);
    double u = (2 * (x - box.x) / box.width - 1) * half * box.width / box.height;
    double v = (1 - 2 * (y - box.y) / box.height) * half;
    *from = camera.eye;
    *direction = cairn_add_scaled(cairn_add_scaled(ahead, u, right), v, up);
}

void cairn_viewer_look_at_all(CairnViewer *viewer, bool at_once, const CairnSight **sights) {
    double speed = 0, force = 0, residual = 0;
    for (int i = 0; i < viewer->crew.view_count; i++) {
        const CairnSight *sight = sights[i] = cairn_crew_look(&viewer->crew, i);
        for (int k = 0; k < sight->body_count; k++) {
            speed = fmax(speed, (double)sight->bodies[k].speed);
            residual = fmax(residual, (double)sight->bodies[k].residual);
        }
        for (int k = 0; k < sight->contact_count; k++) {
            force = fmax(force, cairn_length(sight->contacts[k].force));
        }
        for (int k = 0; viewer->look.joints && k < sight->joint_count; k++) {
            force = fmax(force, cairn_length(sight->joints[k].force));
        }
        force = sight->touch.is_held ? fmax(force, cairn_length(sight->touch.force)) : force;
    }
    // Up at once, down slowly, until all is at rest: neither colours nor arrows flicker.
    viewer->top_speed = fmax(speed, fmax(at_once ? 0 : 0.98 * viewer->top_speed, 0.01));
    viewer->top_force = fmax(force, at_once ? 0 : 0.97 * viewer->top_force);
    viewer->top_residual = fmax(residual, at_once ? 0 : 0.9 * viewer->top_residual);
}

bool cairn_viewer_painting(const CairnViewer *viewer, const CairnSight *const *sights, int view,
                           const CairnGpuTarget *target, double resolution, CairnPainting *painting) {
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    int x0 = (int)(resolution * box.x), x1 = (int)(resolution * (box.x + box.width));
    int y0 = (int)(resolution * box.y), y1 = (int)(resolution * (box.y + box.height));
    box = (CairnViewerBox){x0, y0, x1 - x0, y1 - y0};
    const CairnTheme *theme = cairn_theme(viewer->look.dark);
    *painting = (CairnPainting){.sight = sights[view],
                                .first = sights[0],
                                .camera = camera_of(viewer, box),
                                .sun = viewer->sun,
                                .range = viewer->range,
                                .grid = viewer->grid,
                                .x = box.x,
                                .y = target->height - box.y - box.height,
                                .width = box.width,
                                .height = box.height,
                                .frame = target->many,
                                .look = &viewer->look,
                                .theme = theme,
                                .top_speed = viewer->top_speed,
                                .top_residual = viewer->top_residual,
                                .force_length = 0.08 * viewer->orbit.distance / fmax(viewer->top_force, 1e-9),
                                .selected = viewer->hand.body,
                                .is_coarse = resolution < 0.7,
                                .is_alone = viewer->crew.view_count == 1,
                                .is_over = viewer->look.overlay && view > 0,
                                .tint = theme->curves[view]};
    return box.width >= 8 && box.height >= 8;
}

CairnStatus cairn_viewer_begin_views(CairnViewer *viewer, const CairnGpuTarget *target) {
    viewer->painter.draw_calls = 0;
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    glClear(GL_COLOR_BUFFER_BIT); // panels let a little through
    SDL_LockMutex(viewer->crew.mutex);
    CairnStatus status = cairn_painter_upload(&viewer->painter, &viewer->crew.store);
    SDL_UnlockMutex(viewer->crew.mutex);
    return status;
}

static CairnStatus paint_views(CairnViewer *viewer, const CairnSight *const *sights, const CairnGpuTarget *target,
                               double resolution) {
    CairnStatus status = cairn_viewer_begin_views(viewer, target);
    viewer->fine.is_begun = false; // the painter has another picture in hand
    for (int i = 0; i < viewer->crew.view_count && cairn_is_ok(status); i++) {
        CairnPainting painting;
        bool has_room = cairn_viewer_painting(viewer, sights, i, target, resolution, &painting);
        status = has_room ? cairn_painter_draw(&viewer->painter, &painting) : cairn_ok();
    }
    return status;
}

// Where a processor draws, the views have a picture of their own: it stands while panels are used, and may be coarser
// than the words.
static CairnStatus paint_views_apart(CairnViewer *viewer, const CairnSight *const *sights, bool *is_new) {
    CairnPace *pace = &viewer->pace;
    uint64_t look, picture = cairn_viewer_picture(viewer, &look);
    if (picture != pace->drawn && !cairn_viewer_may_wait(viewer, look)) {
        pace->drawn = picture;
        pace->look = look;
        pace->changed = cairn_viewer_clock();
        pace->drawn_resolution = 0;
    }
    // What was drawn more finely while all was at rest stands until it is another one.
    double resolution = fmax(cairn_viewer_resolution(viewer), pace->drawn_resolution);
    int width = (int)ceil(resolution * viewer->width), height = (int)ceil(resolution * viewer->height);
    *is_new = resolution != pace->drawn_resolution || viewer->views.width != width || viewer->views.height != height;
    bool is_copied = viewer->is_software;
    if (*is_new) {
        CAIRN_TRY(is_copied ? cairn_gpu_target_size_plain(&viewer->views, width, height, false)
                            : cairn_gpu_target_size(&viewer->views, width, height, 1));
        CAIRN_TRY(paint_views(viewer, sights, &viewer->views, resolution));
        pace->drawn_resolution = resolution;
    }
    if (!is_copied) {
        cairn_gpu_target_lay(&viewer->views, &viewer->target);
        return cairn_ok();
    }
    CairnMagnifier *magnifier = &viewer->magnifier;
    if (*is_new || magnifier->width != viewer->width || magnifier->height != viewer->height) {
        CAIRN_TRY(cairn_magnifier_take(magnifier, &viewer->views, viewer->width, viewer->height));
    }
    cairn_magnifier_lay(magnifier, &viewer->target);
    return cairn_ok();
}

CairnStatus cairn_viewer_paint(CairnViewer *viewer, const CairnSight **sights) {
    double start = cairn_viewer_clock();
    SDL_GL_GetDrawableSize(viewer->window, &viewer->width, &viewer->height);
    bool is_auto = viewer->settings.smooth == CAIRN_SMOOTH_AUTO, is_new = true;
    viewer->look.is_smooth =
        viewer->settings.smooth == CAIRN_SMOOTH_ON || (is_auto && (!viewer->is_software || viewer->options->is_hidden));
    CAIRN_TRY(
        viewer->is_software && !viewer->look.is_smooth
            ? cairn_gpu_target_size_plain(&viewer->target, viewer->width, viewer->height, true)
            : cairn_gpu_target_size(&viewer->target, viewer->width, viewer->height, viewer->look.is_smooth ? 4 : 1));
    cairn_viewer_look_at_all(viewer, false, sights);
    if (viewer->look.is_smooth) {
        viewer->pace.drawn_resolution = 1;
        CAIRN_TRY(paint_views(viewer, sights, &viewer->target, 1));
    } else {
        CAIRN_TRY(paint_views_apart(viewer, sights, &is_new));
    }
    glBindFramebuffer(GL_FRAMEBUFFER, viewer->target.many);
    cairn_viewer_follow_setups(viewer, sights);
    cairn_viewer_overlay(viewer, sights);
    cairn_viewer_panels(viewer, sights);
    viewer->draw_calls = viewer->painter.draw_calls + cairn_ink_draw(&viewer->ink, &viewer->target);
    cairn_gpu_target_show(&viewer->target);
    SDL_GL_SwapWindow(viewer->window);
    if (is_new && viewer->pace.drawn_resolution == viewer->pace.resolution) {
        cairn_pace_add_time(&viewer->pace, cairn_viewer_clock() - start);
    }
    while (glGetError() != GL_NO_ERROR) {
        viewer->gl_errors++;
    }
    return cairn_ok();
}
