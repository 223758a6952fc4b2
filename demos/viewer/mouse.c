// Mouse: turning the camera, and the hand in the scene. What lies under the mouse is found by the view's thread between
// two steps: until its result arrives a press is neither a turn nor a drag.
#include "demos/viewer/viewer.h"
#include <math.h>

static void to_pixels(const CairnViewer *viewer, int *x, int *y) {
    int width, height;
    SDL_GetWindowSize(viewer->window, &width, &height);
    *x = *x * viewer->width / (width > 0 ? width : 1);
    *y = *y * viewer->height / (height > 0 ? height : 1);
}

// Makes the view at a position of the window the active one; false: there is none.
static bool choose_view(CairnViewer *viewer, int x, int y) {
    for (int i = 0; i < viewer->crew.view_count; i++) {
        CairnViewerBox box = cairn_viewer_box(viewer, i);
        if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) {
            viewer->active = viewer->look.overlay ? viewer->active : i;
            return true;
        }
    }
    return false;
}

static int pick(CairnViewer *viewer) {
    CairnVec3 from, direction;
    cairn_viewer_ray(viewer, viewer->active, viewer->hand.x, viewer->hand.y, &from, &direction);
    return cairn_crew_pick(&viewer->crew, viewer->active, from, direction);
}

static void act(CairnViewer *viewer, CairnDeed deed) {
    CairnStatus status = cairn_crew_do(&viewer->crew, &deed);
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
    }
}

void cairn_viewer_mouse_down(CairnViewer *viewer, const SDL_MouseButtonEvent *button) {
    CairnHand *hand = &viewer->hand;
    int x = button->x, y = button->y;
    to_pixels(viewer, &x, &y);
    hand->x = x;
    hand->y = y;
    hand->moved = 0;
    hand->still_body = 0;
    viewer->shows_hints = false;
    if (!choose_view(viewer, x, y)) {
        return;
    }
    SDL_Keymod mod = SDL_GetModState();
    if (button->button != SDL_BUTTON_LEFT || (mod & KMOD_SHIFT)) {
        hand->mode = CAIRN_HAND_MODE_PAN;
    } else if (mod & KMOD_ALT) {
        hand->mode = CAIRN_HAND_MODE_TURN;
    } else {
        hand->mode = CAIRN_HAND_MODE_PICKING;
        hand->view = viewer->active;
        hand->wants_push = (mod & KMOD_CTRL) != 0;
        hand->serial = pick(viewer);
    }
}

void cairn_viewer_mouse_up(CairnViewer *viewer, const SDL_MouseButtonEvent *button) {
    CairnHand *hand = &viewer->hand;
    (void)button;
    if (hand->mode == CAIRN_HAND_MODE_BODY) {
        act(viewer, (CairnDeed){.kind = CAIRN_DEED_RELEASE});
    } else if (hand->mode == CAIRN_HAND_MODE_TURN && hand->moved < 3 && !viewer->is_following) {
        cairn_viewer_select(viewer, hand->still_body, hand->still_generation);
    }
    // A pick that is still pending selects the body when its result arrives.
    hand->mode = CAIRN_HAND_MODE_NONE;
}

void cairn_viewer_mouse_move(CairnViewer *viewer, const SDL_MouseMotionEvent *motion) {
    CairnHand *hand = &viewer->hand;
    int height, x = motion->x, y = motion->y;
    to_pixels(viewer, &x, &y);
    hand->x = x;
    hand->y = y;
    SDL_GetWindowSize(viewer->window, NULL, &height);
    double scale = 1.0 / (height > 0 ? height : 1), dx = motion->xrel * scale, dy = motion->yrel * scale;
    hand->moved += fabs(dx * viewer->height) + fabs(dy * viewer->height);
    if (hand->mode == CAIRN_HAND_MODE_NONE) {
        choose_view(viewer, x, y);
    }
    bool has_shift = (SDL_GetModState() & KMOD_SHIFT) != 0, is_left = (motion->state & SDL_BUTTON_LMASK) != 0;
    bool pans = (motion->state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK)) || (is_left && has_shift);
    if (hand->mode == CAIRN_HAND_MODE_PICKING || hand->mode == CAIRN_HAND_MODE_BODY) {
        return; // what it holds follows once a turn
    }
    if (hand->mode == CAIRN_HAND_MODE_PAN || pans) {
        cairn_orbit_pan(&viewer->orbit, dx, -dy);
    } else if (hand->mode == CAIRN_HAND_MODE_TURN || is_left) {
        cairn_orbit_turn(&viewer->orbit, -4 * dx, 4 * dy);
    }
}

// ---- deeds ----

void cairn_viewer_throw(CairnViewer *viewer, CairnDeedKind kind) {
    CairnVec3 from, direction;
    cairn_viewer_ray(viewer, viewer->active, viewer->hand.x, viewer->hand.y, &from, &direction);
    direction = cairn_normalize(direction);
    double distance = viewer->orbit.distance;
    act(viewer, (CairnDeed){.kind = kind,
                            .a = cairn_add_scaled(from, 0.15 * distance, direction),
                            .b = cairn_scale(1.6 * distance, direction),
                            .size = 0.022 * viewer->range});
}

void cairn_viewer_deed(CairnViewer *viewer, CairnDeedKind kind) {
    CairnHand *hand = &viewer->hand;
    if (!hand->body) {
        cairn_viewer_notify(viewer, "click on a body first");
        return;
    }
    CairnVec3 direction = cairn_normalize(cairn_sub(viewer->orbit.target, cairn_orbit_camera(&viewer->orbit).eye));
    const CairnSight *sight = cairn_crew_look(&viewer->crew, viewer->active);
    CairnVec3 center = sight->details.is_there ? sight->details.state.center : viewer->orbit.target;
    act(viewer, (CairnDeed){.kind = kind,
                            .body = hand->body,
                            .generation = hand->generation,
                            .a = center,
                            .b = cairn_scale(0.35 * viewer->range,
                                             cairn_normalize(cairn_vec3(direction.x, direction.y, 0.15)))});
    if (kind == CAIRN_DEED_DELETE) {
        cairn_viewer_select(viewer, 0, 0);
    }
}

// ---- once a turn ----

static double depth_of(const CairnViewer *viewer, CairnVec3 point) {
    CairnCamera camera = cairn_orbit_camera(&viewer->orbit);
    CairnVec3 ahead = cairn_normalize(cairn_sub(camera.target, camera.eye));
    return cairn_dot(cairn_sub(point, camera.eye), ahead);
}

static void take_answer(CairnViewer *viewer) {
    CairnHand *hand = &viewer->hand;
    CairnPick pick = cairn_crew_picked(&viewer->crew, hand->view);
    if (pick.serial != hand->serial || hand->serial == 0) {
        return;
    }
    hand->serial = 0;
    bool is_body = pick.has_hit && pick.is_dynamic;
    hand->still_body = pick.has_hit ? pick.body.index : 0;
    hand->still_generation = pick.has_hit ? pick.body.generation : 0;
    if (is_body || hand->mode == CAIRN_HAND_MODE_NONE) { // the button may be up again
        cairn_viewer_select(viewer, hand->still_body, hand->still_generation);
    }
    if (is_body && hand->wants_push) {
        CairnVec3 from, direction;
        cairn_viewer_ray(viewer, hand->view, hand->x, hand->y, &from, &direction);
        act(viewer, (CairnDeed){.kind = CAIRN_DEED_PUSH,
                                .body = pick.body.index,
                                .generation = pick.body.generation,
                                .a = pick.point,
                                .b = cairn_scale(0.35 * viewer->range, cairn_normalize(direction))});
        hand->mode = CAIRN_HAND_MODE_NONE;
    } else if (is_body && hand->mode == CAIRN_HAND_MODE_PICKING) {
        hand->mode = CAIRN_HAND_MODE_BODY;
        hand->depth = depth_of(viewer, pick.point);
        act(viewer,
            (CairnDeed){
                .kind = CAIRN_DEED_GRAB, .body = pick.body.index, .generation = pick.body.generation, .a = pick.point});
    } else if (hand->mode == CAIRN_HAND_MODE_PICKING) {
        hand->mode = CAIRN_HAND_MODE_TURN;
    }
}

static void drag(CairnViewer *viewer) {
    CairnHand *hand = &viewer->hand;
    CairnVec3 from, direction;
    if (hand->moved < 1) {
        return;
    }
    hand->moved = 0;                                                           // until it moves again
    cairn_viewer_ray(viewer, hand->view, hand->x, hand->y, &from, &direction); // `direction` has depth 1
    act(viewer, (CairnDeed){.kind = CAIRN_DEED_DRAG, .a = cairn_add_scaled(from, hand->depth, direction)});
}

enum { FLY_FORWARD = 1, FLY_LEFT = 2, FLY_BACK = 4, FLY_RIGHT = 8, FLY_UP = 16, FLY_DOWN = 32 };

static void fly(CairnViewer *viewer, double seconds) {
    unsigned keys = viewer->flying;
    double step = 0.9 * fmin(seconds, 0.1);
    double forward = !!(keys & FLY_FORWARD) - !!(keys & FLY_BACK), right = !!(keys & FLY_RIGHT) - !!(keys & FLY_LEFT);
    double up = !!(keys & FLY_UP) - !!(keys & FLY_DOWN);
    if (keys) {
        cairn_orbit_fly(&viewer->orbit, step * right, step * forward, step * up);
        viewer->is_following = false;
    }
}

void cairn_viewer_mouse_turn(CairnViewer *viewer, double seconds) {
    take_answer(viewer);
    if (viewer->hand.mode == CAIRN_HAND_MODE_BODY) {
        drag(viewer);
    }
    fly(viewer, seconds);
    const CairnSight *sight = cairn_crew_look(&viewer->crew, viewer->active);
    if (viewer->is_following && sight->details.is_there) {
        CairnVec3 distance = cairn_sub(sight->details.state.center, viewer->orbit.target);
        viewer->orbit.target = cairn_add_scaled(viewer->orbit.target, fmin(8 * seconds, 1), distance);
    }
}
