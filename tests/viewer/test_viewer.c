// The viewer in a real window on a display of its own (Xvfb), driven by synthetic events. Skipped in words where the
// build has no viewer or the machine has no Xvfb.
#include "tests/support/support.h"
#include "tests/support/support_window.h"
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
    support_stage_wait(stage);
    int before = support_stage_look(stage, 0)->frame;
    support_stage_press(stage, SDLK_RIGHT);
    support_stage_wait(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, before + 1);
    support_stage_press(stage, SDLK_n);
    support_stage_wait(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, before + 2);
    assert_true(support_stage_look(stage, 0)->is_certified);
    assert_string_equal(support_stage_look(stage, 0)->verdict, "certified, sound");
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
    support_stage_wait(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    support_stage_press(stage, SDLK_ESCAPE);
    assert_true(viewer->is_ending);
    support_stage_close(stage);
}

// ---- every solver, under every law of friction ----

static CairnViewOptions options_under(CairnFrictionKind kind) {
    CairnViewOptions options = support_stage_options("log_tower");
    options.run.params.items[options.run.params.count++] = "logs=12";
    options.run.has_friction = true;
    options.run.friction = kind;
    options.run.solver = kind == CAIRN_FRICTION_BOX ? "bpp" : "ipm-cone";
    return options;
}

// One step with the solver that was just chosen: the run goes on and does not begin again.
static void step_with(SupportStage *stage, const CairnSolver *solver, bool *has_stepped) {
    support_stage_wait(stage);
    int before = support_stage_look(stage, 0)->frame;
    support_stage_press(stage, SDLK_n);
    support_stage_wait(stage);
    assert_ok(support_stage_look(stage, 0)->status);
    assert_int_equal(support_stage_look(stage, 0)->frame, before + 1);
    assert_string_equal(support_stage_look(stage, 0)->solver, solver->name);
    for (int i = 0; i < cairn_solver_count(); i++) {
        has_stepped[i] = has_stepped[i] || cairn_solver_at(i) == solver;
    }
}

static void assert_all_stepped(const bool *has_stepped) {
    for (int i = 0; i < cairn_solver_count(); i++) {
        if (!has_stepped[i]) {
            print_message("%s was never chosen\n", cairn_solver_at(i)->name);
        }
        assert_true(has_stepped[i]);
    }
}

// Keys 1 to 9, and tab for those beyond, under each law of friction: not one of the list is left out.
static void every_solver_takes_over_live(void **state) {
    support_display_need(state);
    bool *has_stepped = test_calloc((size_t)cairn_solver_count(), sizeof *has_stepped);
    for (int kind = CAIRN_FRICTION_BOX; kind <= CAIRN_FRICTION_COULOMB; kind++) {
        CairnViewOptions options = options_under((CairnFrictionKind)kind);
        SupportStage *stage = support_stage_open_with(&options);
        support_stage_press(stage, SDLK_SPACE);
        const CairnSolver *solver;
        for (int number = 1; (solver = cairn_viewer_solver(&stage->viewer, number)) != NULL; number++) {
            support_stage_press(stage, number <= 9 ? SDLK_0 + number : SDLK_TAB);
            step_with(stage, solver, has_stepped);
        }
        support_stage_press(stage, SDLK_TAB); // after the last one comes the first
        step_with(stage, cairn_viewer_solver(&stage->viewer, 1), has_stepped);
        support_stage_close(stage);
    }
    assert_all_stepped(has_stepped);
    test_free(has_stepped);
}

// Where the first menu of the panel is, found by clicking down the panel below its tabs.
static double find_menu(SupportStage *stage) {
    CairnViewer *viewer = &stage->viewer;
    CairnArea panel = cairn_viewer_layout(viewer).panel;
    double y = panel.y + 1.5 * viewer->ui.unit;
    while (!viewer->ui.menu && y < panel.y + panel.height) {
        y += 0.5 * viewer->ui.unit;
        support_stage_click(stage, panel.x + 0.5 * panel.width, y);
    }
    assert_true(viewer->ui.menu != 0);
    support_stage_turn(stage, 1);                               // its list is drawn
    support_stage_click(stage, panel.x + 0.5 * panel.width, y); // on its own field: it closes
    assert_true(viewer->ui.menu == 0);
    return y;
}

// The menu of the Solver tab, by the mouse alone: opened, and one row of its list after the other clicked.
static void every_solver_is_in_the_menu(void **state) {
    support_display_need(state);
    bool *has_stepped = test_calloc((size_t)cairn_solver_count(), sizeof *has_stepped);
    for (int kind = CAIRN_FRICTION_BOX; kind <= CAIRN_FRICTION_COULOMB; kind++) {
        CairnViewOptions options = options_under((CairnFrictionKind)kind);
        options.run.width = 400; // the list is as tall as the window
        options.run.height = 380;
        options.panel = "solver";
        SupportStage *stage = support_stage_open_with(&options);
        CairnViewer *viewer = &stage->viewer;
        viewer->settings.text_size = 0.6;
        support_stage_press(stage, SDLK_SPACE);
        support_stage_turn(stage, 1);
        double y = find_menu(stage);
        int count = 0;
        while (cairn_viewer_solver(viewer, count + 1)) {
            count++;
        }
        for (int number = 1; number <= count; number++) {
            CairnArea panel = cairn_viewer_layout(viewer).panel;
            support_stage_click(stage, panel.x + 0.5 * panel.width, y);
            support_stage_turn(stage, 1); // its list is drawn
            assert_true(viewer->ui.menu != 0);
            CairnArea list = viewer->ui.menu_area;
            support_stage_click(stage, list.x + 0.5 * list.width, list.y + list.height * (number - 0.5) / count);
            assert_true(viewer->ui.menu == 0);
            const CairnSolver *solver = cairn_viewer_solver(viewer, number);
            step_with(stage, solver, has_stepped);
            assert_string_equal(viewer->setups[0].choice.solver->name, solver->name);
        }
        support_stage_close(stage);
    }
    assert_all_stepped(has_stepped);
    test_free(has_stepped);
}

static void two_solvers_part_and_meet_again(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("log_tower", "logs=12", "bpp,pgs:iterations=2");
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    assert_int_equal(stage->viewer.crew.view_count, 2);
    for (int i = 0; i < 30; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
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

static CairnImage picture_of(SupportStage *stage) {
    CairnImage image;
    support_stage_press(stage, SDLK_F12); // a key without a meaning: drawn anew
    support_stage_turn(stage, 1);
    assert_ok(cairn_gpu_target_read(&stage->viewer.target, &image));
    return image;
}

static const unsigned char *pixel_of(const CairnImage *image, int x, int y) {
    return image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

// Pixels of a view's box, between its words and its banner, in which two pictures differ; `toward`: by how much the
// second one is nearer to that colour, a byte a channel, on average.
static int changed_in(SupportStage *stage, int view, const CairnImage *a, const CairnImage *b, unsigned toward,
                      double *nearer) {
    CairnViewerBox box = cairn_viewer_box(&stage->viewer, view);
    int count = 0;
    double sum = 0;
    for (int y = box.y + box.height / 4; y < box.y + 3 * box.height / 4; y++) {
        for (int x = box.x + 3; x + 3 < box.x + box.width; x++) {
            const unsigned char *p = pixel_of(a, x, y), *q = pixel_of(b, x, y);
            if (memcmp(p, q, 3) != 0) {
                count++;
                for (unsigned k = 0; k < 3; k++) {
                    int aim = (int)(toward >> (16 - 8 * k) & 255);
                    sum += abs(p[k] - aim) - abs(q[k] - aim);
                }
            }
        }
    }
    *nearer = count ? sum / count : 0;
    return count;
}

// Two views of a tower, by an exact solver and by one sweep of another, after 90 steps: their bodies are apart by
// centimetres.
static SupportStage *open_two_views(void) {
    CairnViewOptions options = support_stage_options("log_tower");
    options.run.width = 720; // the words leave the middle free
    options.run.height = 400;
    options.run.params.items[options.run.params.count++] = "logs=12";
    assert_ok(cairn_choices_split("bpp,pgs:iterations=1", &options.solvers));
    SupportStage *stage = support_stage_open_with(&options);
    CairnViewer *viewer = &stage->viewer;
    viewer->orbit.distance *= 0.4;
    viewer->orbit.target.z = 0.4;
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    cairn_crew_want(&viewer->crew, cairn_crew_done(&viewer->crew) + 90);
    support_stage_wait(stage);
    viewer->look.worst = false;
    double apart = 0;
    const CairnSight *first = support_stage_look(stage, 0), *second = support_stage_look(stage, 1);
    for (int i = 0; i < second->body_count; i++) {
        apart = fmax(apart, cairn_look_difference(second, first, i));
    }
    assert_true(apart > 0.05);
    return stage;
}

static void lines_lead_from_the_second_view_to_the_first(void **state) {
    support_display_need(state);
    SupportStage *stage = open_two_views();
    CairnViewer *viewer = &stage->viewer;
    double nearer;
    CairnImage plain = picture_of(stage);
    support_stage_press(stage, SDLK_k);
    assert_true(viewer->look.difference);
    CairnImage lines = picture_of(stage);
    assert_int_equal(changed_in(stage, 0, &plain, &lines, 0, &nearer), 0);
    assert_true(changed_in(stage, 1, &plain, &lines, 0, &nearer) > 0);
    cairn_image_free(&lines);
    cairn_image_free(&plain);
    support_stage_close(stage);
}

// The bodies of the first view are where they are, so all of them have the lowest colour of the scale; those of the
// second are not. Once the second view goes on from the state of the first, it has that colour, too.
static void colours_show_how_far_the_views_are_apart(void **state) {
    support_display_need(state);
    SupportStage *stage = open_two_views();
    CairnViewer *viewer = &stage->viewer;
    const CairnSight *first = support_stage_look(stage, 0), *second = support_stage_look(stage, 1);
    double nearer;
    viewer->look.coloring = CAIRN_COLOR_DIFFERENCE;
    CairnImage colors = picture_of(stage);
    CairnScale scale;
    bool has_low = true, has_high = false;
    assert_true(cairn_look_scale(second, CAIRN_COLOR_DIFFERENCE, 0, 0, &scale));
    CairnColor low = cairn_look_ramp(0);
    for (int view = 0; view < 2; view++) {
        const CairnSight *sight = support_stage_look(stage, view);
        for (int i = 0; i < sight->item_count; i++) {
            const CairnSightItem *item = &sight->items[i];
            if (item->body < 0 || item->is_static) {
                continue;
            }
            CairnColor c = cairn_look_color(sight, first, item, CAIRN_COLOR_DIFFERENCE, scale);
            bool is_low = fabs(c.r - low.r) + fabs(c.g - low.g) + fabs(c.b - low.b) < 1e-9;
            has_low = has_low && (view == 1 || is_low);
            has_high = has_high || (view == 1 && !is_low);
        }
    }
    assert_true(has_low && has_high);
    support_stage_press(stage, SDLK_y);
    support_stage_wait(stage);
    CairnImage same = picture_of(stage);
    assert_int_equal(changed_in(stage, 0, &colors, &same, 0, &nearer), 0);
    assert_true(changed_in(stage, 1, &colors, &same, 0, &nearer) > 20);
    cairn_image_free(&same);
    cairn_image_free(&colors);
    support_stage_close(stage);
}

// Laid over each other, both views have the whole stage, and the bodies of the second one have the colour of its curve.
static void views_are_laid_over_each_other(void **state) {
    support_display_need(state);
    SupportStage *stage = open_two_views();
    CairnViewer *viewer = &stage->viewer;
    double nearer;
    support_stage_press(stage, SDLK_y); // the second one begins again from the state of the first
    support_stage_wait(stage);
    cairn_crew_want(&viewer->crew, cairn_crew_done(&viewer->crew) + 20);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_l);
    CairnViewerBox box = cairn_viewer_box(viewer, 1);
    assert_int_equal(box.width, viewer->width);
    CairnImage both = picture_of(stage);
    support_stage_press(stage, SDLK_F8);
    support_stage_wait(stage);
    CairnImage alone = picture_of(stage);
    assert_true(changed_in(stage, 0, &alone, &both, cairn_theme(false)->curves[1], &nearer) > 100);
    assert_true(nearer > 5);
    cairn_image_free(&alone);
    cairn_image_free(&both);
    support_stage_close(stage);
}

static void the_mouse_moves_the_camera_and_the_window_may_change(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("newtons_cradle", NULL, NULL);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
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
        cmocka_unit_test(every_solver_is_in_the_menu),
        cmocka_unit_test(two_solvers_part_and_meet_again),
        cmocka_unit_test(lines_lead_from_the_second_view_to_the_first),
        cmocka_unit_test(colours_show_how_far_the_views_are_apart),
        cmocka_unit_test(views_are_laid_over_each_other),
        cmocka_unit_test(the_mouse_moves_the_camera_and_the_window_may_change),
        cmocka_unit_test(it_pauses_where_it_was_asked_to),
        cmocka_unit_test(what_the_driver_says_is_heard),
        cmocka_unit_test(it_quits_in_the_middle_of_a_step),
        cmocka_unit_test(support_leaks_are_found),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
