// What the viewer needs of a machine, and its pictures: by their structure, without a display, and where a processor
// draws them slowly.
#include "tests/support/support.h"
#include "tests/support/support_window.h"
#ifdef CAIRN_VIEWER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_refused(CairnViewer *viewer, const CairnViewOptions *options, const char *words) {
    CairnStatus status = cairn_viewer_open(viewer, options);
    bool is_said = strstr(status.message, words) && strstr(status.message, "cairn run SCENE --screenshot");
    if (cairn_is_ok(status)) {
        (void)!cairn_is_ok(cairn_viewer_close(viewer));
    }
    return status.code == CAIRN_UNSUPPORTED && is_said;
}

// 0, or what went wrong.
static int lack_things(void) {
    CairnViewOptions options = support_stage_options("falling_box");
    CairnViewer *viewer = calloc(1, sizeof *viewer);
    char display[64];
    setenv("MESA_GL_VERSION_OVERRIDE", "2.1", 1);
    if (!viewer || !is_refused(viewer, &options, "needs OpenGL 3.3, found 2.1")) {
        return 1;
    }
    unsetenv("MESA_GL_VERSION_OVERRIDE");
    snprintf(display, sizeof display, "%s", getenv("DISPLAY"));
    setenv("DISPLAY", ":77777", 1);
    if (!is_refused(viewer, &options, "no display")) {
        return 2;
    }
    setenv("DISPLAY", display, 1);
    bool is_open = cairn_is_ok(cairn_viewer_open(viewer, &options)) && cairn_is_ok(cairn_viewer_turn(viewer));
    return is_open && cairn_is_ok(cairn_viewer_close(viewer)) ? 0 : 3;
}

// What is missing is said, with what there is and what draws without it. In a process of its own: drivers ask for the
// environment once.
static void it_says_what_it_needs(void **state) {
    support_display_need(state);
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        _exit(lack_things());
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
}

// A picture of a hidden window needs no display where EGL has surfaces of its own.
static void a_hidden_window_needs_no_display(void **state) {
    support_display_need(state);
    char path[] = "/tmp/cairn_test_XXXXXX", display[64];
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    assert_int_equal(close(handle), 0);
    CairnViewOptions options = support_stage_options("falling_box");
    options.is_hidden = true;
    options.run.shots[0].frame = 2;
    snprintf(options.run.shots[0].path, sizeof options.run.shots[0].path, "%s", path);
    options.run.shot_count = 1;
    CairnViewer *viewer = calloc(1, sizeof *viewer);
    assert_non_null(viewer);
    snprintf(display, sizeof display, "%s", getenv("DISPLAY"));
    unsetenv("DISPLAY");
    unsetenv("SDL_VIDEODRIVER");
    CairnStatus status = cairn_viewer_open(viewer, &options);
    bool is_open = cairn_is_ok(status);
    for (int i = 0; i < 20000 && cairn_is_ok(status) && !viewer->is_ending; i++) {
        status = cairn_viewer_turn(viewer);
    }
    bool is_done = viewer->is_ending;
    support_keep_libraries();
    assert_ok(is_open ? cairn_viewer_close(viewer) : cairn_ok());
    assert_int_equal(setenv("DISPLAY", display, 1), 0);
    assert_int_equal(setenv("SDL_VIDEODRIVER", "x11", 1), 0);
    free(viewer);
    FILE *file = fopen(path, "rb");
    unsigned char first[8] = {0};
    assert_non_null(file);
    size_t count = fread(first, 1, sizeof first, file);
    assert_int_equal(fclose(file), 0);
    remove(path);
    if (!is_open) { // a driver that is not there is no fault of ours
        assert_int_equal(status.code, CAIRN_UNSUPPORTED);
        print_message("skipped: %s\n", status.message);
        skip();
    }
    assert_ok(status);
    assert_true(is_done && count == 8 && memcmp(first, "\x89PNG", 4) == 0);
}

// What is drawn too slowly becomes coarser while it moves, and as fine as ever at rest and in files; never for a single
// slow picture.
static void slow_pictures_become_coarser(void **state) {
    CairnPace pace = {.resolution = 1};
    for (int i = 0; i < 50; i++) {
        cairn_pace_add_time(&pace, i % 3 == 0 ? 0.5 : 0.02);
    }
    assert_true(pace.resolution == 1);
    for (int i = 0; i < 10; i++) {
        cairn_pace_add_time(&pace, 0.1);
    }
    assert_true(pace.resolution == 0.35);
    for (int i = 0; i < 30; i++) {
        cairn_pace_add_time(&pace, 0.02); // neither slow nor fast
    }
    assert_true(pace.resolution == 0.35);
    for (int i = 0; i < 60; i++) {
        cairn_pace_add_time(&pace, 0.005);
    }
    assert_true(pace.resolution == 1);
    support_display_need(state);
    CairnViewOptions options = support_stage_options("falling_box");
    options.run.width = 800;
    options.run.height = 500;
    SupportStage *stage = support_stage_open_with(&options);
    CairnViewer *viewer = &stage->viewer;
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    viewer->is_software = true; // whoever draws here
    viewer->settings.smooth = CAIRN_SMOOTH_OFF;
    viewer->pace.resolution = 0.5;
    viewer->orbit.yaw += 0.1;
    support_stage_turn(stage, 1);
    assert_int_equal(viewer->views.width, 400);
    assert_int_equal(viewer->target.width, 800);
    for (int i = 0; i < 2000 && viewer->views.width != 800; i++) {
        support_stage_turn(stage, 1);
    }
    assert_int_equal(viewer->views.width, 800); // it rests
    viewer->pace.resolution = 0.5;
    viewer->orbit.yaw += 0.1;
    viewer->wants_picture = true; // and one that is kept is fine at once
    assert_true(cairn_viewer_resolution(viewer) == 1);
    viewer->wants_picture = false;
    uint64_t look, picture = cairn_viewer_picture(viewer, &look);
    viewer->shows_panel = false;
    viewer->shows_help = true; // lies over it
    assert_true(cairn_viewer_picture(viewer, &look) == picture);
    viewer->look.forces = !viewer->look.forces;
    assert_true(cairn_viewer_picture(viewer, &look) != picture);
    viewer->has_input = true; // an answer comes with what stands, but not twice, and not where it changes the picture
    uint64_t kept = viewer->pace.look;
    viewer->pace.resolution = 0.5;
    viewer->pace.changed = cairn_viewer_clock();
    assert_false(cairn_viewer_may_wait(viewer, kept + 1));
    assert_true(cairn_viewer_may_wait(viewer, kept));
    assert_false(cairn_viewer_may_wait(viewer, kept));
    support_stage_close(stage);
}

// The log tower at rest, coarse as a processor draws it while something moves. With forces, so that there are marks.
static SupportStage *open_coarse(const char *solvers) {
    CairnViewOptions options = support_stage_options("log_tower");
    options.run.params.items[options.run.params.count++] = "logs=12";
    options.run.width = 700;
    options.run.height = 500; // neither is whole tiles
    assert_ok(cairn_choices_split(solvers, &options.solvers));
    SupportStage *stage = support_stage_open_with(&options);
    CairnViewer *viewer = &stage->viewer;
    viewer->is_software = true; // whoever draws here
    viewer->settings.smooth = CAIRN_SMOOTH_OFF;
    viewer->look.forces = true;
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_n);
    support_stage_wait(stage);
    viewer->pace.resolution = 0.5;
    viewer->orbit.yaw += 0.1;
    support_stage_turn(stage, 1);
    assert_true(viewer->pace.drawn_resolution == 0.5);
    return stage;
}

// Until so many pieces of the fine picture are made; how long that takes is the machine's.
static void turn_until_made(SupportStage *stage, int pieces) {
    const CairnViewer *viewer = &stage->viewer;
    for (int i = 0; i < 5000 && !(viewer->fine.is_begun && viewer->fine.next >= pieces); i++) {
        support_stage_turn(stage, 1);
    }
    assert_true(viewer->fine.is_begun && viewer->fine.next == pieces);
}

// The fine picture is made in pieces of which nothing is seen before the last one. An event that comes between two is
// answered with a coarse picture at once, and the pieces are made anew.
static void events_come_between_pieces(void **state) {
    support_display_need(state);
    SupportStage *stage = open_coarse("bpp");
    CairnViewer *viewer = &stage->viewer;
    CairnImage before, between, views_before, views_between;
    assert_ok(cairn_gpu_target_read(&viewer->target, &before));
    assert_ok(cairn_gpu_target_read(&viewer->views, &views_before));
    turn_until_made(stage, 3);
    assert_ok(cairn_gpu_target_read(&viewer->views, &views_between));
    assert_int_equal(views_before.width, views_between.width);
    assert_memory_equal(views_before.pixels, views_between.pixels,
                        3 * (size_t)views_before.width * (size_t)views_before.height);
    cairn_image_free(&views_before);
    cairn_image_free(&views_between);
    assert_ok(cairn_gpu_target_read(&viewer->target, &between));
    assert_memory_equal(before.pixels, between.pixels, 3 * (size_t)before.width * (size_t)before.height);
    assert_true(viewer->pace.drawn_resolution == 0.5);
    double yaw = viewer->orbit.yaw;
    uint64_t drawn = viewer->pace.drawn;
    SDL_Event motion = {.motion = {.type = SDL_MOUSEMOTION, .state = SDL_BUTTON_LMASK, .x = 300, .y = 200, .xrel = 9}};
    support_stage_send(stage, motion); // one turn
    assert_true(viewer->orbit.yaw != yaw && viewer->pace.drawn != drawn);
    assert_true(viewer->pace.drawn_resolution == 0.5 && !viewer->fine.is_begun);
    cairn_image_free(&between);
    assert_ok(cairn_gpu_target_read(&viewer->target, &between));
    assert_true(memcmp(before.pixels, between.pixels, 3 * (size_t)before.width * (size_t)before.height) != 0);
    turn_until_made(stage, 2);
    support_stage_press(stage, SDLK_h); // a key changes nothing in the views: its answer comes with what stands
    assert_true(viewer->shows_help && viewer->pace.drawn_resolution == 0.5 && !viewer->fine.is_begun);
    cairn_image_free(&between);
    cairn_image_free(&before);
    support_stage_close(stage);
}

// A scale that is far too large, as after a blow, does not keep the fine picture away: it settles before that begins.
static void a_scale_settles_at_rest(void **state) {
    support_display_need(state);
    SupportStage *stage = open_coarse("bpp");
    CairnViewer *viewer = &stage->viewer;
    double force = viewer->top_force;
    viewer->top_force *= 1e6;
    for (int i = 0; i < 5000 && viewer->pace.drawn_resolution < 1; i++) {
        support_stage_turn(stage, 1);
    }
    for (int i = 0; i < 20; i++) {
        support_stage_turn(stage, 1);
        assert_true(viewer->pace.drawn_resolution == 1);
    }
    assert_true(viewer->top_force == force);
    support_stage_close(stage);
}

// In pieces or in one go it is the same picture: of one view, of two, and of two laid over each other.
static void pieces_make_the_same_picture(void **state) {
    support_display_need(state);
    for (int kind = 0; kind < 3; kind++) {
        SupportStage *stage = open_coarse(kind == 0 ? "bpp" : "bpp,pgs:iterations=1");
        CairnViewer *viewer = &stage->viewer;
        viewer->look.overlay = kind == 2;
        support_stage_turn(stage, 1);
        CairnImage pieces, whole;
        for (int i = 0; i < 5000 && viewer->pace.drawn_resolution < 1; i++) {
            support_stage_turn(stage, 1);
        }
        assert_true(viewer->pace.drawn_resolution == 1 && viewer->views.width == 700);
        assert_ok(cairn_gpu_target_read(&viewer->views, &pieces));
        viewer->pace.drawn_resolution = 0; // once more, in one go
        viewer->wants_picture = true;
        const CairnSight *sights[CAIRN_CREW_VIEWS];
        assert_ok(cairn_viewer_paint(viewer, sights));
        viewer->wants_picture = false;
        assert_true(viewer->pace.drawn_resolution == 1 && viewer->views.width == 700);
        assert_ok(cairn_gpu_target_read(&viewer->views, &whole));
        assert_memory_equal(pieces.pixels, whole.pixels, 3 * (size_t)whole.width * (size_t)whole.height);
        cairn_image_free(&pieces);
        cairn_image_free(&whole);
        support_stage_close(stage);
    }
}

// A small picture is stretched between its pixels: in the middle of one it has that pixel's colour, and the top row
// comes first.
static void a_small_picture_is_magnified(void **state) {
    support_display_need(state);
    SupportStage *stage = support_stage_open("falling_box", NULL, NULL);
    CairnGpuTarget from = {.many = 0}, to = {.many = 0};
    CairnMagnifier magnifier = {.memory = NULL};
    assert_ok(cairn_gpu_target_size_plain(&from, 4, 3, false));
    assert_ok(cairn_gpu_target_size_plain(&to, 20, 15, true));
    glBindFramebuffer(GL_FRAMEBUFFER, from.many);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 12; i++) {
        glScissor(i % 4, i / 4, 1, 1);
        glClearColor((float)(i % 4) / 5, (float)(i / 4) / 5, 0.2F, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0, 0, 0, 0);
    CairnImage small, large;
    assert_ok(cairn_magnifier_take(&magnifier, &from, 20, 15));
    cairn_magnifier_lay(&magnifier, &to);
    assert_ok(cairn_gpu_target_read(&from, &small));
    assert_ok(cairn_gpu_target_read(&to, &large));
    for (int y = 0; y < 15; y++) {
        for (int x = 0; x < 20; x++) {
            const unsigned char *pixel = large.pixels + 3 * (20 * y + x);
            double u = fmin(fmax((x + 0.5) / 5 - 0.5, 0), 3), v = fmin(fmax((y + 0.5) / 5 - 0.5, 0), 2);
            assert_true(fabs(pixel[0] - 51 * u) <= 2);
            assert_true(fabs(pixel[1] - 51 * (2 - v)) <= 2);
            assert_int_equal(pixel[2], 51);
            if (x % 5 == 2 && y % 5 == 2) {
                assert_memory_equal(pixel, small.pixels + 3 * (4 * (y / 5) + x / 5), 3);
            }
        }
    }
    cairn_image_free(&small);
    cairn_image_free(&large);
    cairn_magnifier_free(&magnifier);
    cairn_gpu_target_free(&from);
    cairn_gpu_target_free(&to);
    support_stage_close(stage);
}

// Pictures by what is in them, not by their pixels: the same scene dark and light has its bodies in the same places; a
// picture with panels shows the same stage beside them; edges are where bodies are.
static void pictures_have_the_structure_they_should(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("log_tower");
    options.run.width = 640;
    options.run.height = 400;
    options.panel = "scene";
    SupportStage *stage = support_stage_open_with(&options);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    CairnViewerBox box = cairn_viewer_box(&stage->viewer, 0);
    CairnImage image[3];
    for (int i = 0; i < 3; i++) { // light, dark, light without the tower in sight
        stage->viewer.look.dark = i == 1;
        stage->viewer.orbit.target.z += i == 2 ? 200 : 0;
        support_stage_press(stage, SDLK_F12); // a key without a meaning: drawn anew
        support_stage_turn(stage, 1);
        assert_ok(cairn_gpu_target_read(&stage->viewer.target, &image[i]));
    }
    double edges[3] = {0, 0, 0}, middle[3] = {0, 0, 0}, panel[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        for (int y = box.y + box.height / 4; y < box.y + 3 * box.height / 4; y++) {
            for (int x = box.x; x + 1 < box.x + box.width; x++) {
                const unsigned char *p = image[i].pixels + 3 * ((size_t)y * (size_t)image[i].width + (size_t)x);
                bool is_inner = abs(x - box.x - box.width / 2) < box.width / 12;
                double step = abs(p[0] - p[3]) + abs(p[1] - p[4]) + abs(p[2] - p[5]);
                edges[i] += is_inner ? 0 : step;
                middle[i] += is_inner ? step : 0;
            }
        }
        for (int y = 40; y < 300; y++) {
            panel[i] += image[i].pixels[3 * ((size_t)y * (size_t)image[i].width + 8)] / 260.0;
        }
        cairn_image_free(&image[i]);
    }
    for (int i = 0; i < 2; i++) { // logs cross in the middle, beside them is ground
        assert_true(middle[i] * 5 > edges[i] * 2);
        assert_true(middle[i] > 4 * middle[2]);
    }
    assert_true(panel[0] > 200 && panel[1] < 80);
    support_stage_close(stage);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_it_needs),        cmocka_unit_test(a_hidden_window_needs_no_display),
        cmocka_unit_test(slow_pictures_become_coarser), cmocka_unit_test(events_come_between_pieces),
        cmocka_unit_test(a_scale_settles_at_rest),      cmocka_unit_test(pieces_make_the_same_picture),
        cmocka_unit_test(a_small_picture_is_magnified), cmocka_unit_test(pictures_have_the_structure_they_should),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
