// The viewer in a real window on a display of its own (Xvfb), driven by synthetic events. Skipped in words where the build has no
// viewer or the machine has no Xvfb.
#include "tests/support.h"
#include "tests/support_window.h"
#ifdef CAIRN_VIEWER
#include <stdlib.h>
#include <string.h>

// How much two pictures of the window differ: the mean over all bytes.
static double difference(const CairnImage *a, const CairnImage *b) {
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    double sum = 0;
    size_t count = 3 * (size_t)a->width * (size_t)a->height;
    for (size_t i = 0; i < count; i++) {
        sum += abs(a->pixels[i] - b->pixels[i]);
    }
    return sum / (double)count;
}

// ---- tests ----

static void keys_do_what_the_help_says(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("log_tower", "logs=12", NULL);
    CairnViewer *viewer = &stage->viewer;
    support_stage_press(stage, SDLK_SPACE);
    assert_true(viewer->is_paused);
    support_stage_settle(stage);
    int before = support_stage_look(stage, 0)->frame;
    support_stage_press(stage, SDLK_RIGHT);
    support_stage_settle(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, before + 1);
    support_stage_press(stage, SDLK_n);
    support_stage_settle(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, before + 2);
    assert_true(support_stage_look(stage, 0)->is_certified);
    assert_string_equal(support_stage_look(stage, 0)->verdict, "certified");
    int speed = viewer->speed;
    support_stage_press(stage, SDLK_MINUS);
    assert_int_equal(viewer->speed, speed - 1);
    support_stage_press(stage, SDLK_PLUS);
    support_stage_press(stage, SDLK_PLUS);
    assert_int_equal(viewer->speed, speed + 1);
    support_stage_press(stage, SDLK_c);
    assert_true(viewer->look.forces && support_stage_look(stage, 0)->contact_count > 0);
    for (int i = 1; i <= CAIRN_COLORING_COUNT; i++) {
        support_stage_press(stage, SDLK_b);
        assert_int_equal((int)viewer->look.coloring, i % CAIRN_COLORING_COUNT);
    }
    support_stage_press(stage, SDLK_h);
    assert_true(viewer->shows_help);
    support_stage_press(stage, SDLK_QUESTION);
    assert_false(viewer->shows_help);
    support_stage_press(stage, SDLK_y);
    support_stage_press(stage, SDLK_r);
    support_stage_settle(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    support_stage_press(stage, SDLK_ESCAPE);
    assert_true(viewer->is_ending);
    support_stage_close(stage);
}

static void every_solver_takes_over_live(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("log_tower", "logs=12", NULL);
    support_stage_press(stage, SDLK_SPACE);
    int count = 0;
    for (int number = 1; number <= 9 && cairn_viewer_solver(&stage->viewer, number); number++, count++) {
        support_stage_press(stage, SDLK_0 + number);
        support_stage_settle(stage);
        int before = support_stage_look(stage, 0)->frame;
        support_stage_press(stage, SDLK_n);
        support_stage_settle(stage);
        assert_ok(support_stage_look(stage, 0)->status);
        assert_int_equal(support_stage_look(stage, 0)->frame, before + 1); // went on, did not begin again
        assert_string_equal(support_stage_look(stage, 0)->solver, cairn_viewer_solver(&stage->viewer, number)->name);
    }
    assert_true(count >= 5);
    support_stage_press(stage, SDLK_1);
    support_stage_settle(stage);
    support_stage_press(stage, SDLK_TAB);
    support_stage_settle(stage);
    assert_string_equal(support_stage_look(stage, 0)->solver, cairn_viewer_solver(&stage->viewer, 2)->name);
    support_stage_close(stage);
}

static void two_solvers_part_and_meet_again(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("log_tower", "logs=12", "bpp,pgs:iterations=2");
    support_stage_press(stage, SDLK_SPACE);
    support_stage_settle(stage);
    assert_int_equal(stage->viewer.crew.view_count, 2);
    for (int i = 0; i < 30; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_settle(stage);
        assert_int_equal(support_stage_look(stage, 0)->frame, support_stage_look(stage, 1)->frame);
    }
    assert_true(support_stage_look(stage, 0)->is_certified);
    assert_false(support_stage_look(stage, 1)->is_certified);
    assert_non_null(strstr(support_stage_look(stage, 1)->verdict, "NOT certified: residual"));
    assert_true(support_stage_hash(stage, 0) != support_stage_hash(stage, 1));
    support_stage_press(stage, SDLK_y);
    assert_true(support_stage_hash(stage, 0) == support_stage_hash(stage, 1));
    assert_int_equal(support_stage_look(stage, 0)->frame, support_stage_look(stage, 1)->frame);
    support_stage_press(stage, SDLK_n);
    assert_true(support_stage_hash(stage, 0) != support_stage_hash(stage, 1));
    support_stage_close(stage);
}

static void the_mouse_moves_the_camera_and_the_window_may_change(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("newtons_cradle", NULL, NULL);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_settle(stage);
    CairnImage first, second;
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &first));
    support_stage_turn(stage, 2);
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &second));
    assert_true(difference(&first, &second) == 0); // at rest it stays as it is
    cairn_image_free(&second);
    CairnOrbit before = stage->viewer.orbit;
    SDL_Event event = {.type = SDL_MOUSEMOTION};
    event.motion = (SDL_MouseMotionEvent){
        .type = SDL_MOUSEMOTION, .state = SDL_BUTTON_LMASK, .x = 300, .y = 200, .xrel = 60, .yrel = 10};
    assert_int_equal(SDL_PushEvent(&event), 1);
    support_stage_turn(stage, 1);
    assert_true(stage->viewer.orbit.yaw != before.yaw && stage->viewer.orbit.pitch > before.pitch);
    event.motion.state = SDL_BUTTON_RMASK;
    assert_int_equal(SDL_PushEvent(&event), 1);
    support_stage_turn(stage, 1);
    assert_true(cairn_length(cairn_sub(stage->viewer.orbit.target, before.target)) > 0);
    event = (SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL, .y = 1}};
    assert_int_equal(SDL_PushEvent(&event), 1);
    support_stage_turn(stage, 1);
    assert_near(stage->viewer.orbit.distance, 0.9 * before.distance, 1e-12 * before.distance);
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &second));
    assert_true(difference(&first, &second) > 1);
    cairn_image_free(&second);
    cairn_image_free(&first);
    support_stage_press(stage, SDLK_f);
    assert_true(stage->viewer.orbit.distance == before.distance);
    SDL_SetWindowSize(stage->viewer.window, 500, 330);
    for (int i = 0; i < 200 && stage->viewer.width != 500; i++) {
        support_stage_turn(stage, 1);
    }
    assert_int_equal(stage->viewer.target.width, 500);
    assert_int_equal(stage->viewer.target.height, 330);
    support_stage_close(stage);
}

// The window closes while steps that take long are under way.
static void it_quits_in_the_middle_of_a_step(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("log_tower", NULL, "bpp,ipm");
    support_stage_turn(stage, 3);
    SDL_Event event = {.type = SDL_QUIT};
    assert_int_equal(SDL_PushEvent(&event), 1);
    support_stage_turn(stage, 1);
    assert_true(stage->viewer.is_ending);
    support_stage_close(stage);
}

// As many steps as were asked for, however many the clock has due at once; and then on, when a person wants that.
static void it_pauses_where_it_was_asked_to(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("pendulum_chain"); // its step is a third of a millisecond
    options.run.steps = 3;
    SupportStage *stage = support_stage_open_with(&options);
    for (int i = 0; i < 2000 && !stage->viewer.is_paused; i++) {
        support_stage_turn(stage, 1);
    }
    assert_true(stage->viewer.is_paused);
    assert_int_equal(support_stage_look(stage, 0)->frame, 3);
    support_stage_press(stage, SDLK_SPACE);
    for (int i = 0; i < 2000 && support_stage_look(stage, 0)->frame < 5; i++) {
        support_stage_turn(stage, 1);
    }
    assert_true(support_stage_look(stage, 0)->frame >= 5);
    assert_false(stage->viewer.is_paused);
    support_stage_close(stage);
}

// That the other tests end without an error means something: the driver speaks up, and is heard.
static void what_the_driver_says_is_heard(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("newtons_cradle", NULL, NULL);
    CairnViewer *viewer = &stage->viewer;
    if (!viewer->hears_gl) {
        print_message("this driver has no GL_KHR_debug: glGetError is all there is\n");
    }
    glEnable(0x0001); // there is no such switch
    support_stage_turn(stage, 1);
    assert_true(viewer->gl_errors > 0);
    assert_true(!viewer->hears_gl || viewer->gl_words[0] != '\0');
    viewer->gl_errors = 0;
    viewer->gl_words[0] = '\0';
    support_stage_close(stage);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_do_what_the_help_says),
        cmocka_unit_test(every_solver_takes_over_live),
        cmocka_unit_test(two_solvers_part_and_meet_again),
        cmocka_unit_test(the_mouse_moves_the_camera_and_the_window_may_change),
        cmocka_unit_test(it_pauses_where_it_was_asked_to),
        cmocka_unit_test(what_the_driver_says_is_heard),
        cmocka_unit_test(it_quits_in_the_middle_of_a_step),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
