// Pace: what is drawn anew and how finely, so that the window responds at once where a processor draws, and beside
// steps that want the same processor.
#include "demos/viewer/viewer.h"
#include <string.h>

// Seconds of a picture: pictures that are slower than `too_slow` three times in a row, or than `far_too_slow` twice,
// are drawn coarser; pictures that are faster than `fast_enough` twenty times in a row are drawn finer. The finer one
// has about twice as many pixels, so it does not become coarser again at once.
static const double too_slow = 0.033, far_too_slow = 0.05, fast_enough = 0.012;
enum { SLOW_MANY = 3, FAST_MANY = 20, SMALL = 300000 };

static double next_resolution(double resolution, int step) {
    static const double steps[] = {1, 0.75, 0.5, 0.35};
    int i = 0;
    while (i < 3 && steps[i] > resolution) {
        i++;
    }
    i += step;
    return steps[i < 0 ? 0 : i > 3 ? 3 : i];
}

void cairn_pace_add_time(CairnPace *pace, double seconds) {
    pace->slow = seconds > too_slow ? pace->slow + (seconds > far_too_slow ? 2 : 1) : 0;
    pace->fast = seconds < fast_enough ? pace->fast + 1 : 0;
    if (pace->slow >= SLOW_MANY || pace->fast >= FAST_MANY) {
        pace->resolution = next_resolution(pace->resolution, pace->slow ? 1 : -1);
        pace->slow = pace->fast = 0;
    }
}

double cairn_viewer_resolution(CairnViewer *viewer) {
    const CairnPace *pace = &viewer->pace;
    bool is_recorded = viewer->wants_picture || viewer->film.video.is_open || viewer->options->is_hidden;
    bool is_small = viewer->width * viewer->height < SMALL; // its time is not its pixels'
    return !viewer->is_software || viewer->look.is_smooth || is_recorded || is_small ? 1 : pace->resolution;
}

bool cairn_viewer_wants_fine(CairnViewer *viewer) {
    const CairnPace *pace = &viewer->pace;
    bool is_coarse = pace->drawn_resolution > 0 && pace->drawn_resolution < 1 && cairn_viewer_resolution(viewer) < 1;
    return is_coarse && cairn_viewer_clock() - pace->changed > 0.15 && cairn_crew_is_idle(&viewer->crew);
}

// ---- what a picture shows, as a number ----

static uint64_t mix(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (hash ^ bits) * 0x9E3779B97F4A7C15u ^ hash >> 29;
}

static uint64_t mix_point(uint64_t hash, CairnVec3 p) {
    return mix(mix(mix(hash, p.x), p.y), p.z);
}

static uint64_t mix_sights(uint64_t hash, CairnViewer *viewer) {
    for (int i = 0; i < viewer->crew.view_count; i++) {
        hash = mix(hash, (double)cairn_crew_look(&viewer->crew, i)->serial);
    }
    return hash;
}

static uint64_t mix_camera(uint64_t hash, const CairnOrbit *orbit) {
    return mix(mix(mix(mix_point(hash, orbit->target), orbit->yaw), orbit->pitch), orbit->distance);
}

// Nothing was done and nothing moved; the first ten turns after that are drawn all the same, while scales and hints
// reach their final values.
bool cairn_viewer_is_still(CairnViewer *viewer, bool has_event) {
    uint64_t hash = mix(viewer->is_paused, viewer->notice_until > cairn_viewer_clock());
    hash = mix_sights(mix_camera(hash, &viewer->orbit), viewer);
    viewer->still = has_event || hash != viewer->drawn ? 0 : viewer->still + 1;
    viewer->drawn = hash;
    bool is_done = !viewer->wants_picture && viewer->pace.drawn_resolution >= cairn_viewer_resolution(viewer);
    return viewer->still > 10 && is_done && !viewer->options->is_hidden;
}

// All that the views' picture is made from, without what lies over it.
uint64_t cairn_viewer_picture(CairnViewer *viewer, uint64_t *look_alone) {
    const CairnLook *look = &viewer->look;
    const bool shows[] = {look->forces,     look->cones,   look->interface, look->joints, look->worst,
                          look->difference, look->overlay, look->occlusion, look->dark,   look->is_smooth};
    uint64_t hash = mix_camera(viewer->hand.body, &viewer->orbit);
    for (size_t i = 0; i < sizeof shows / sizeof shows[0]; i++) {
        hash = mix(hash, shows[i]);
    }
    hash = mix(mix(hash, (int)look->coloring), viewer->crew.view_count);
    hash = mix(mix_point(hash, viewer->sun), viewer->range);
    CairnViewerBox box = cairn_viewer_box(viewer, 0);
    *look_alone = hash = mix(mix(mix(mix(mix(hash, box.x), box.y), box.width), box.height), viewer->orbit.fov);
    hash = mix_sights(hash, viewer);
    // Scales change for some pictures after all else has come to rest.
    bool has_arrows =
        look->forces || look->cones || look->interface || look->joints || viewer->hand.mode == CAIRN_HAND_MODE_BODY;
    hash = mix(hash, look->coloring == CAIRN_COLOR_SPEED ? viewer->top_speed : 0);
    hash = mix(hash, look->coloring == CAIRN_COLOR_RESIDUAL ? viewer->top_residual : 0);
    return mix(hash, has_arrows ? viewer->top_force : 0);
}

bool cairn_viewer_may_wait(CairnViewer *viewer, uint64_t look) {
    CairnPace *pace = &viewer->pace;
    bool is_slow = cairn_viewer_resolution(viewer) < 1 && pace->drawn_resolution > 0;
    pace->has_waited = is_slow && viewer->has_input && look == pace->look && !pace->has_waited;
    return pace->has_waited;
}
