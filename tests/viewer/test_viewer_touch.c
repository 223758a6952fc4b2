// A hand in the scene: bodies picked, pulled, pushed, frozen, thrown and taken away, by mouse and keys in a real
// window.
#include "tests/support/support.h"
#include "tests/support/support_window.h"
#ifdef CAIRN_VIEWER
#include <string.h>

static SupportStage *open_paused(const char *scene, const char *param, const char *solvers) {
    SupportStage *stage = support_stage_open(scene, param, solvers);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_r);
    support_stage_wait(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    return stage;
}

static void advance(SupportStage *stage, int frames) {
    cairn_crew_want(&stage->viewer.crew, cairn_crew_done(&stage->viewer.crew) + frames);
    support_stage_wait(stage);
}

// Where a point of the world is in a view, pixels.
static void place_of(const CairnViewer *viewer, int view, CairnVec3 point, double *x, double *y) {
    CairnViewerBox box = cairn_viewer_box(viewer, view);
    CairnVec3 from, middle, right, up;
    double cx = box.x + 0.5 * box.width, cy = box.y + 0.5 * box.height;
    cairn_viewer_ray(viewer, view, cx, cy, &from, &middle);
    cairn_viewer_ray(viewer, view, cx + 1, cy, &from, &right);
    cairn_viewer_ray(viewer, view, cx, cy - 1, &from, &up);
    right = cairn_sub(right, middle);
    up = cairn_sub(up, middle);
    CairnVec3 way = cairn_sub(point, from);
    double depth = cairn_dot(way, middle) / cairn_length_squared(middle);
    *x = cx + cairn_dot(way, right) / cairn_length_squared(right) / depth;
    *y = cy - cairn_dot(way, up) / cairn_length_squared(up) / depth;
}

// The place of the last body that moves: the box on top of the tower.
static const CairnSightBody *top_of(SupportStage *stage, int view) {
    const CairnSight *sight = support_stage_look(stage, view);
    const CairnSightBody *top = NULL;
    for (int i = 0; i < sight->body_count; i++) {
        const CairnSightBody *body = &sight->bodies[i];
        top = !body->is_static && (!top || body->center[2] > top->center[2]) ? body : top;
    }
    assert_non_null(top);
    return top;
}

static void point_at_top(SupportStage *stage, double *x, double *y) {
    const CairnSightBody *top = top_of(stage, 0);
    place_of(&stage->viewer, 0, cairn_vec3((double)top->center[0], (double)top->center[1], (double)top->center[2]), x,
             y);
}

// The ray through a body's picture meets it, in the middle and nowhere near.
static void a_click_selects_what_is_under_the_mouse(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, NULL);
    double x, y;
    point_at_top(stage, &x, &y);
    support_stage_click(stage, x, y);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    support_stage_wait(stage);
    assert_int_equal(stage->viewer.hand.body, top_of(stage, 0)->id.index);
    const CairnSightDetails *person = &support_stage_look(stage, 0)->details;
    assert_true(person->is_there);
    assert_string_equal(person->shape, "box");
    assert_near(person->state.mass.mass, (double)top_of(stage, 0)->mass, 1e-6 * person->state.mass.mass);
    // The ground: a drag turns the camera and leaves the choice, a click chooses it.
    uint32_t chosen = stage->viewer.hand.body;
    double yaw = stage->viewer.orbit.yaw;
    support_stage_mouse(stage, 20, 170, 0);
    support_stage_button(stage, SDL_BUTTON_LEFT, true);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    support_stage_mouse(stage, 60, 170, SDL_BUTTON_LEFT);
    support_stage_button(stage, SDL_BUTTON_LEFT, false);
    assert_true(stage->viewer.orbit.yaw != yaw);
    assert_int_equal(stage->viewer.hand.body, chosen);
    support_stage_click(stage, 20, 170);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    support_stage_wait(stage);
    assert_true(stage->viewer.hand.body != chosen);
    assert_int_equal((int)support_stage_look(stage, 0)->details.state.type, CAIRN_BODY_STATIC);
    support_stage_close(stage);
}

// Pulled up by 30 pixels: the body goes there and hangs below by what the spring gives, m g / k = g / (2 pi 3 Hz)^2 =
// 28 mm.
static void a_body_follows_the_hand(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("falling_box", NULL, NULL);
    double x, y;
    point_at_top(stage, &x, &y);
    support_stage_mouse(stage, x, y, 0);
    support_stage_button(stage, SDL_BUTTON_LEFT, true);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    assert_int_equal(stage->viewer.hand.mode, CAIRN_HAND_MODE_BODY);
    CairnOrbit before = stage->viewer.orbit;
    support_stage_mouse(stage, x, y - 15, SDL_BUTTON_LEFT);
    support_stage_mouse(stage, x, y - 30, SDL_BUTTON_LEFT);
    assert_true(stage->viewer.orbit.yaw == before.yaw && stage->viewer.orbit.pitch == before.pitch);
    advance(stage, 400);
    const CairnSight *sight = support_stage_look(stage, 0);
    assert_true(sight->touch.is_held);
    double mass = (double)top_of(stage, 0)->mass, omega = 2 * CAIRN_PI * 3;
    CairnVec3 sag = cairn_sub(sight->touch.target, sight->touch.point);
    assert_near(sag.z, 9.81 / (omega * omega), 1e-3);
    assert_near(sight->touch.force.z, 9.81 * mass, 1e-2 * 9.81 * mass);
    support_stage_button(stage, SDL_BUTTON_LEFT, false);
    support_stage_wait(stage);
    double height = (double)top_of(stage, 0)->center[2];
    advance(stage, 6);
    assert_false(support_stage_look(stage, 0)->touch.is_held);
    assert_true((double)top_of(stage, 0)->center[2] < height);
    support_stage_close(stage);
}

static void key(SupportStage *stage, SDL_Keycode code, bool is_down) {
    SDL_Event event = {.type = is_down ? SDL_KEYDOWN : SDL_KEYUP};
    event.key.keysym.sym = code;
    support_stage_send(stage, event);
}

// Six keys, six ways, as long as they are held; what is looked at moves along, so the eye turns nowhere.
static void the_camera_flies(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, NULL);
    CairnOrbit *orbit = &stage->viewer.orbit;
    CairnVec3 ahead = cairn_vec3(-cos(orbit->yaw), -sin(orbit->yaw), 0), right = {ahead.y, -ahead.x, 0};
    CairnVec3 up = {0, 0, 1};
    const struct {
        SDL_Keycode code;
        CairnVec3 way;
    } keys[] = {{SDLK_w, ahead}, {SDLK_s, cairn_scale(-1, ahead)}, {SDLK_d, right}, {SDLK_a, cairn_scale(-1, right)},
                {SDLK_e, up},    {SDLK_q, cairn_scale(-1, up)}};
    for (int i = 0; i < 6; i++) {
        CairnOrbit before = *orbit;
        CairnVec3 eye = cairn_orbit_camera(orbit).eye;
        key(stage, keys[i].code, true);
        for (int k = 0; k < 500 && cairn_length(cairn_sub(orbit->target, before.target)) < 0.02 * orbit->distance;
             k++) {
            support_stage_turn(stage, 1);
        }
        key(stage, keys[i].code, false);
        CairnVec3 way = cairn_sub(orbit->target, before.target);
        double length = cairn_length(way);
        assert_true(length >= 0.02 * orbit->distance);
        assert_near(cairn_dot(way, keys[i].way), length, 1e-9 * length);
        assert_below(cairn_length(cairn_sub(cairn_sub(cairn_orbit_camera(orbit).eye, eye), way)), 1e-9 * length);
        assert_true(orbit->yaw == before.yaw && orbit->pitch == before.pitch && orbit->distance == before.distance);
        CairnVec3 there = orbit->target;
        support_stage_turn(stage, 3); // let go: it stays
        assert_true(cairn_length(cairn_sub(orbit->target, there)) == 0);
    }
    support_stage_close(stage);
}

// Look at the selected body: it is in the middle, and as large as it should be. Follow it: it stays there while it
// falls.
static void the_camera_frames_and_follows_a_body(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("falling_box", NULL, NULL);
    CairnViewer *viewer = &stage->viewer;
    support_stage_press(stage, SDLK_z); // nothing is selected
    assert_non_null(strstr(viewer->notice, "click on a body"));
    support_stage_press(stage, SDLK_t);
    assert_false(viewer->is_following);
    double x, y, distance = viewer->orbit.distance;
    point_at_top(stage, &x, &y);
    support_stage_click(stage, x, y);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    support_stage_wait(stage);
    assert_true(viewer->hand.body != 0);
    support_stage_press(stage, SDLK_z);
    CairnVec3 center = support_stage_look(stage, 0)->details.state.center;
    assert_below(cairn_length(cairn_sub(viewer->orbit.target, center)), 1e-9);
    assert_true(viewer->orbit.distance != distance);
    CairnViewerBox box = cairn_viewer_box(viewer, 0);
    point_at_top(stage, &x, &y);
    assert_near(x, box.x + 0.5 * box.width, 1);
    assert_near(y, box.y + 0.5 * box.height, 1);
    support_stage_press(stage, SDLK_t);
    assert_true(viewer->is_following);
    advance(stage, 20);
    CairnVec3 fallen = support_stage_look(stage, 0)->details.state.center;
    double fall = cairn_length(cairn_sub(fallen, center));
    assert_true(fall > 0.1);
    for (int i = 0; i < 2000 && cairn_length(cairn_sub(viewer->orbit.target, fallen)) > 0.02 * fall; i++) {
        support_stage_turn(stage, 1);
    }
    assert_below(cairn_length(cairn_sub(viewer->orbit.target, fallen)), 0.02 * fall);
    support_stage_press(stage, SDLK_t); // no longer
    CairnVec3 target = viewer->orbit.target;
    advance(stage, 5);
    assert_true(!viewer->is_following && cairn_length(cairn_sub(viewer->orbit.target, target)) == 0);
    support_stage_press(stage, SDLK_f);
    assert_true(viewer->orbit.distance == distance);
    support_stage_close(stage);
}

// Two views with the same solver stay the same to the bit, whatever a hand does; and the past brings it back.
static void all_views_are_touched_alike(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, "bpp,bpp");
    double x, y;
    advance(stage, 3);
    point_at_top(stage, &x, &y);
    support_stage_mouse(stage, x, y, 0);
    support_stage_button(stage, SDL_BUTTON_LEFT, true);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    assert_int_equal(stage->viewer.hand.mode, CAIRN_HAND_MODE_BODY);
    uint64_t hashes[12];
    for (int i = 0; i < 12; i++) {
        support_stage_mouse(stage, x + 4 * i, y - 3 * i, SDL_BUTTON_LEFT);
        advance(stage, 1);
        hashes[i] = support_stage_hash(stage, 0);
        assert_true(hashes[i] == support_stage_hash(stage, 1));
        assert_true(i == 0 || hashes[i] != hashes[i - 1]);
    }
    support_stage_button(stage, SDL_BUTTON_LEFT, false);
    support_stage_press(stage, SDLK_g);
    support_stage_press(stage, SDLK_u);
    support_stage_wait(stage);
    advance(stage, 5);
    uint64_t last = support_stage_hash(stage, 0);
    assert_true(last == support_stage_hash(stage, 1));
    cairn_crew_go(&stage->viewer.crew, 5);
    support_stage_wait(stage);
    assert_true(support_stage_hash(stage, 0) == hashes[1]);
    advance(stage, 15);
    assert_int_equal(support_stage_look(stage, 1)->frame, 20);
    assert_true(support_stage_hash(stage, 0) == last && support_stage_hash(stage, 1) == last);
    support_stage_close(stage);
}

static int moving(SupportStage *stage) {
    const CairnSight *sight = support_stage_look(stage, 0);
    int count = 0;
    for (int i = 0; i < sight->body_count; i++) {
        count += !sight->bodies[i].is_static;
    }
    return count;
}

static void bodies_are_thrown_frozen_pushed_and_taken_away(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, NULL);
    int count = moving(stage);
    support_stage_press(stage, SDLK_DELETE); // nothing is selected: it says so and does nothing
    assert_non_null(strstr(stage->viewer.notice, "click on a body"));
    assert_int_equal(moving(stage), count);
    double x, y;
    point_at_top(stage, &x, &y);
    support_stage_click(stage, x, y);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_x);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count - 1);
    support_stage_press(stage, SDLK_x);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count);
    support_stage_press(stage, SDLK_PERIOD);
    support_stage_wait(stage);
    assert_true(cairn_length(support_stage_look(stage, 0)->details.state.velocity) > 0.1);
    support_stage_press(stage, SDLK_DELETE);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count - 1);
    assert_int_equal(stage->viewer.hand.body, 0);
    support_stage_press(stage, SDLK_g);
    support_stage_press(stage, SDLK_u);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count + 1);
    advance(stage, 10);
    assert_ok(support_stage_look(stage, 0)->status);
    support_stage_press(stage, SDLK_r);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count);
    support_stage_close(stage);
}

// What is done while a thread looks, or does something else that is no step, is done in the frame that is there:
// paused, nothing else would come.
static void deeds_wait_for_steps_alone(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, NULL);
    CairnCrew *crew = &stage->viewer.crew;
    int count = moving(stage);
    SDL_LockMutex(crew->mutex);
    crew->views[0].is_busy = true; // with what it has not begun; it wakes when the ball is thrown, and ends it
    SDL_UnlockMutex(crew->mutex);
    support_stage_press(stage, SDLK_g);
    assert_int_equal(crew->deed_count, 1);
    assert_int_equal(crew->deeds[0].frame, 0);
    support_stage_wait(stage);
    assert_int_equal(moving(stage), count + 1);
    support_stage_close(stage);
}

// What a spring does may not depend on the step: at 1/20 s it is as quiet as at 1/240 s.
static void the_spring_is_stable_at_any_step(void **state) {
    (void)state;
    static const double steps[] = {1.0 / 240, 1.0 / 60, 1.0 / 20, 0.2};
    for (int i = 0; i < 4; i++) {
        CairnWorldDef def = cairn_world_def();
        CairnWorld *world;
        CairnBodyId id;
        assert_ok(cairn_world_create(&def, &world));
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(1, 2, 3);
        CairnShapeDef shape = cairn_box(2, 0.2, 0.4);
        assert_ok(cairn_body_add(world, &body, &shape, &id));
        CairnGrab touch = {.is_held = false};
        CairnDeed grab = {CAIRN_DEED_GRAB, 0, id.index, id.generation, {1.9, 2.05, 3.1}, {0, 0, 0}, 0};
        cairn_grab_do(&touch, world, &grab);
        assert_true(touch.is_held);
        CairnDeed drag = {CAIRN_DEED_DRAG, 0, 0, 0, {4, 2, 5}, {0, 0, 0}, 0};
        cairn_grab_do(&touch, world, &drag);
        double fastest = 0;
        for (double t = 0; t < 20; t += steps[i]) {
            CairnBodyState now;
            cairn_grab_pull(&touch, world, steps[i]);
            assert_ok(cairn_world_step(world, steps[i], NULL));
            assert_ok(cairn_body_get(world, id, &now));
            fastest = fmax(fastest, cairn_length(now.velocity));
        }
        assert_true(fastest < 40);
        double sag = cairn_length(cairn_sub(touch.point, touch.target));
        if (i < 3) {
            assert_near(sag, 0.02761, 1e-4); // m g / k
        } else {
            assert_below(
                sag, 0.2); // of 2.9 m at first: at a fifth of a second it still swings, each rounding in its own way
        }
        CairnDeed gone = {CAIRN_DEED_DELETE, 0, id.index, id.generation, {0, 0, 0}, {0, 0, 0}, 0};
        cairn_grab_do(&touch, world, &gone);
        assert_int_equal(touch.notice[0], 0);
        cairn_grab_pull(&touch, world, steps[i]); // what is held is gone
        assert_false(touch.is_held);
        cairn_grab_do(&touch, world, &grab);
        assert_true(touch.notice[0] != 0 && !touch.is_held);
        cairn_world_destroy(world);
    }
}

// ---- a step that lasts as long as the test wants ----

static SDL_atomic_t gate; // 1: steps go through; 2: one waits at it

static CairnStatus wait_at_gate(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)problem;
    (void)parts;
    (void)options;
    (void)context;
    (void)lambda;
    *report = (CairnSolveReport){.outcome = CAIRN_OUTCOME_AT_LIMIT};
    if (SDL_AtomicGet(&gate) != 1) {
        SDL_AtomicSet(&gate, 2);
    }
    while (SDL_AtomicGet(&gate) != 1) {
        SDL_Delay(1);
    }
    return cairn_ok();
}

static const CairnSolver slow = {.name = "slow",
                                 .summary = "waits",
                                 .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE |
                                           CAIRN_TAKES_COULOMB,
                                 .solve = wait_at_gate};

// While a step is under way the window draws, answers keys and mouse, and takes questions for later: it waits for
// nothing.
static void the_window_answers_while_a_step_lasts(void **state) {
    support_display_need(state);
    SupportStage *stage = open_paused("box_tower", NULL, NULL);
    CairnViewer *viewer = &stage->viewer;
    SDL_AtomicSet(&gate, 0);
    cairn_choice_close(&viewer->setups[0].choice);
    viewer->setups[0].choice = (CairnChoice){.solver = &slow, .text = "slow"};
    cairn_viewer_apply(viewer, 0);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_n);
    while (SDL_AtomicGet(&gate) != 2) {
        support_stage_turn(stage, 1);
    }
    double yaw = viewer->orbit.yaw;
    support_stage_press(stage, SDLK_h);
    assert_true(viewer->shows_help);
    support_stage_press(stage, SDLK_b);
    assert_int_equal((int)viewer->look.coloring, 1);
    SDL_Event event = {.type = SDL_MOUSEMOTION};
    event.motion = (SDL_MouseMotionEvent){
        .type = SDL_MOUSEMOTION, .state = SDL_BUTTON_LMASK, .x = 180, .y = 100, .xrel = 40, .yrel = 0};
    support_stage_send(stage, event);
    assert_true(viewer->orbit.yaw != yaw);
    double x, y;
    point_at_top(stage, &x, &y);
    support_stage_click(stage, x, y); // asked, answered later
    support_stage_press(stage, SDLK_g);
    SDL_SetWindowSize(viewer->window, 420, 300);
    for (int i = 0; i < 200 && viewer->width != 420; i++) {
        support_stage_turn(stage, 1);
    }
    assert_int_equal(viewer->width, 420);
    assert_int_equal(viewer->hand.body, 0);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0); // and the step still lasts
    assert_false(cairn_crew_is_idle(&viewer->crew));
    int count = moving(stage);
    SDL_AtomicSet(&gate, 1);
    support_stage_wait(stage);
    support_stage_turn(stage, 2);
    assert_int_equal(support_stage_look(stage, 0)->frame, 1);
    assert_int_equal(moving(stage), count + 1);
    assert_true(viewer->hand.body != 0);
    support_stage_close(stage);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_answers_while_a_step_lasts),
        cmocka_unit_test(a_click_selects_what_is_under_the_mouse),
        cmocka_unit_test(a_body_follows_the_hand),
        cmocka_unit_test(the_camera_flies),
        cmocka_unit_test(the_camera_frames_and_follows_a_body),
        cmocka_unit_test(all_views_are_touched_alike),
        cmocka_unit_test(bodies_are_thrown_frozen_pushed_and_taken_away),
        cmocka_unit_test(deeds_wait_for_steps_alone),
        cmocka_unit_test(the_spring_is_stable_at_any_step),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
