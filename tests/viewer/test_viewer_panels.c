// Widgets, panels, scenes and settings of the viewer, by mouse and keys in a real window.
#include "tests/support/support.h"
#include "tests/support/support_window.h"
#ifdef CAIRN_VIEWER
#include "demos/scenes/scenes.h"
#include "demos/viewer/panels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- widgets alone: a panel of the test's own, no window ----

typedef struct Desk {
    CairnInk ink; // glyphs of no width: places are what is tested
    CairnUi ui;
    CairnUiInput input;
    bool was_clicked, is_on, was_chosen, was_typed;
    double value;
    int choice;
    char text[40];
} Desk;

static const char *const fruits[] = {"apple", "banana", "cherry"};

static const char *fruit(const void *user, int index) {
    (void)user;
    return fruits[index];
}

// Rows of 30 pixels: 24 high, 6 apart; the first begins at 12.
static void turn_desk(Desk *desk) {
    CairnUi *ui = &desk->ui;
    CairnUiRange range = {0, 100, 1, false, false, ""};
    cairn_ui_begin(ui, cairn_theme(false), &desk->input);
    cairn_ui_panel(ui, "desk", (CairnArea){0, 0, 224, 300});
    desk->was_clicked = cairn_ui_button(ui, "button");
    cairn_ui_toggle(ui, "toggle", &desk->is_on);
    cairn_ui_slider(ui, "slider", &desk->value, range);
    desk->was_chosen = cairn_ui_menu(ui, "menu", fruit, NULL, NULL, 3, &desk->choice);
    desk->was_typed = cairn_ui_text(ui, "text", desk->text, sizeof desk->text);
    cairn_ui_panel_end(ui);
    cairn_ui_end(ui, 224, 300);
    desk->input.was_pressed = desk->input.was_released = false;
    desk->input.wheel = 0;
    desk->input.text[0] = '\0';
    desk->input.key_count = 0;
    desk->ink.count[0] = desk->ink.count[1] = 0;
}

static Desk *open_desk(void) {
    Desk *desk = calloc(1, sizeof *desk);
    assert_non_null(desk);
    desk->ink.size = 18;
    for (int i = 0; i < CAIRN_FACE_COUNT; i++) {
        desk->ink.faces[i].line = 12;
    }
    desk->ink.clip = (CairnArea){-1e6, -1e6, 2e6, 2e6};
    cairn_ui_open(&desk->ui, &desk->ink);
    desk->ui.gap = 6;
    desk->ui.unit = 24;
    desk->value = 40;
    turn_desk(desk);
    return desk;
}

static void close_desk(Desk *desk) {
    free(desk->ink.corners[0]);
    free(desk->ink.corners[1]);
    free(desk);
}

static double row_of(int row) {
    return 12 + 30 * row + 12;
}

static void press_at(Desk *desk, double x, double y) {
    desk->input.x = x;
    desk->input.y = y;
    desk->input.is_down = desk->input.was_pressed = true;
    turn_desk(desk);
}

static void let_go_at(Desk *desk, double x, double y) {
    desk->input.x = x;
    desk->input.y = y;
    desk->input.is_down = false;
    desk->input.was_released = true;
    turn_desk(desk);
}

static void type_key(Desk *desk, CairnUiKey key) {
    desk->input.keys[desk->input.key_count++] = key;
    turn_desk(desk);
}

static void buttons_and_toggles(void **state) {
    (void)state;
    Desk *desk = open_desk();
    press_at(desk, 50, row_of(0));
    assert_false(desk->was_clicked); // only when it is let go
    let_go_at(desk, 60, row_of(0));
    assert_true(desk->was_clicked);
    turn_desk(desk);
    assert_false(desk->was_clicked);
    press_at(desk, 50, row_of(0));
    let_go_at(desk, 50, row_of(1)); // let go elsewhere: nothing, and nothing to what lies there
    assert_false(desk->was_clicked || desk->is_on);
    press_at(desk, 50, row_of(1));
    let_go_at(desk, 50, row_of(1));
    assert_true(desk->is_on);
    // A press and its end in one turn are a click, too.
    desk->input.was_pressed = true;
    let_go_at(desk, 50, row_of(1));
    assert_false(desk->is_on);
    close_desk(desk);
}

static void sliders_are_dragged_and_typed_into(void **state) {
    (void)state;
    Desk *desk = open_desk();
    press_at(desk, 20, row_of(2));
    assert_near(desk->value, 40, 0); // a press is not a leap
    desk->input.x = 112;             // the middle of 12 ... 212
    turn_desk(desk);
    assert_near(desk->value, 50, 0);
    desk->input.x = 1000;
    turn_desk(desk);
    assert_near(desk->value, 100, 0);
    let_go_at(desk, 37.2, row_of(2));
    assert_near(desk->value, 13, 0); // whole steps
    press_at(desk, 100, row_of(2));
    let_go_at(desk, 100, row_of(2));
    assert_true(cairn_ui_takes_keys(&desk->ui));
    snprintf(desk->input.text, sizeof desk->input.text, "7x");
    turn_desk(desk);
    type_key(desk, CAIRN_UI_ERASE);
    snprintf(desk->input.text, sizeof desk->input.text, "2");
    turn_desk(desk);
    assert_near(desk->value, 13, 0); // not before it is finished
    type_key(desk, CAIRN_UI_ENTER);
    assert_near(desk->value, 72, 0);
    assert_false(cairn_ui_takes_keys(&desk->ui));
    static const char *const texts[] = {"1e9", "-5", "nan", "word", ""};
    static const double values[] = {100, 0, 0, 0, 0};
    for (int i = 0; i < 5; i++) { // out of range goes to its end; what is no number changes nothing
        press_at(desk, 100, row_of(2));
        let_go_at(desk, 100, row_of(2));
        snprintf(desk->input.text, sizeof desk->input.text, "%s", texts[i]);
        turn_desk(desk);
        type_key(desk, CAIRN_UI_ENTER);
        assert_near(desk->value, values[i], 0);
    }
    press_at(desk, 100, row_of(2));
    let_go_at(desk, 100, row_of(2));
    snprintf(desk->input.text, sizeof desk->input.text, "55");
    turn_desk(desk);
    type_key(desk, CAIRN_UI_ESCAPE);
    assert_near(desk->value, 0, 0);
    close_desk(desk);
}

static void menus_cover_what_lies_under_them(void **state) {
    (void)state;
    Desk *desk = open_desk();
    press_at(desk, 50, row_of(3));
    let_go_at(desk, 50, row_of(3));
    assert_true(desk->ui.menu != 0);
    double first = row_of(3) + 24; // below the field, over the text field
    press_at(desk, 50, first + 24);
    assert_true(desk->was_chosen);
    assert_int_equal(desk->choice, 1);
    assert_true(desk->ui.menu == 0 && desk->ui.focus == 0);
    let_go_at(desk, 50, first + 24);
    press_at(desk, 50, row_of(3));
    let_go_at(desk, 50, row_of(3));
    press_at(desk, 50, row_of(0)); // elsewhere: it closes, and the choice stays
    let_go_at(desk, 50, row_of(0));
    assert_true(desk->ui.menu == 0);
    assert_int_equal(desk->choice, 1);
    press_at(desk, 50, row_of(3));
    let_go_at(desk, 50, row_of(3));
    type_key(desk, CAIRN_UI_ESCAPE);
    assert_true(desk->ui.menu == 0);
    close_desk(desk);
}

static void text_is_finished_by_enter_or_a_click_elsewhere(void **state) {
    (void)state;
    Desk *desk = open_desk();
    press_at(desk, 50, row_of(4));
    let_go_at(desk, 50, row_of(4));
    snprintf(desk->input.text, sizeof desk->input.text, "tower");
    turn_desk(desk);
    type_key(desk, CAIRN_UI_ENTER);
    assert_true(desk->was_typed);
    assert_string_equal(desk->text, "tower");
    press_at(desk, 50, row_of(4));
    let_go_at(desk, 50, row_of(4));
    snprintf(desk->input.text, sizeof desk->input.text, "%s",
             "more than the forty bytes that this field has room for, and then some");
    turn_desk(desk);
    press_at(desk, 50, 280);
    assert_true(desk->was_typed);
    assert_int_equal(strlen(desk->text), sizeof desk->text - 1);
    close_desk(desk);
}

// ---- fonts ----

static void every_letter_has_a_place_at_any_size(void **state) {
    (void)state;
    static const double sizes[] = {10, 18, 27, 36, 54};
    for (int k = 0; k < 2; k++) { // the system's and our own
        for (int i = 0; i < 5; i++) {
            CairnFont font;
            assert_ok(cairn_font_open(&font, sizes[i], k == 1));
            assert_true(k == 0 || font.is_built_in);
            for (int face = 0; face < CAIRN_FACE_COUNT; face++) {
                assert_true(font.faces[face].line > 0);
                const CairnGlyph *glyph = &font.faces[face].glyphs['A' - CAIRN_FONT_FIRST];
                int ink = 0;
                for (int y = 0; y < glyph->height; y++) {
                    for (int x = 0; x < glyph->width; x++) {
                        ink += font.coverage[(glyph->y + y) * font.width + glyph->x + x] > 128;
                    }
                }
                assert_true(glyph->advance > 0 && ink > 5);
            }
            assert_int_equal(font.coverage[font.width + 1], 255);
            cairn_font_close(&font);
        }
    }
}

// ---- settings ----

static void settings_survive_and_nonsense_does_no_harm(void **state) {
    (void)state;
    char folder[] = "/tmp/cairn_test_XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a/b/viewer", folder);
    CairnSettings settings = cairn_settings_read(path); // there is none
    assert_true(settings.panel && !settings.dark && settings.width == 1280);
    settings.dark = true;
    settings.text_size = 1.25;
    settings.width = 900;
    settings.tab = CAIRN_PANEL_COUNT - 1;
    assert_ok(cairn_settings_write(&settings, path));
    CairnSettings again = cairn_settings_read(path);
    assert_true(again.dark && again.width == 900 && again.text_size == 1.25 && again.tab == CAIRN_PANEL_COUNT - 1);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("dark=perhaps\n=\nwidth=-4\nheight\n\x01\xff=3\ntext_size=nan\ncharts=true\ntab=99\nunknown=1\n", file);
    for (int i = 0; i < 5000; i++) {
        fputc('=', file);
    }
    fclose(file);
    again = cairn_settings_read(path);
    assert_true(!again.dark && again.width == 1280 && again.text_size == 1 && again.charts && again.tab == 0);
    remove(path);
    assert_false(cairn_is_ok(cairn_settings_write(&settings, "/proc/cairn/viewer")));
    char name[220];
    snprintf(name, sizeof name, "%s/a/b", folder);
    rmdir(name);
    snprintf(name, sizeof name, "%s/a", folder);
    rmdir(name);
    assert_int_equal(rmdir(folder), 0);
}

// ---- the window ----

// Just large enough for panels with small words: most of the time would go into pixels that nobody looks at.
static SupportStage *open_large_with(const char *scene, const char *param, const char *panel, const char *solvers) {
    CairnViewOptions options = support_stage_options(scene);
    if (param) {
        options.run.params.items[options.run.params.count++] = param;
    }
    options.run.width = 420;
    options.run.height = 260;
    options.panel = panel;
    if (solvers) {
        assert_ok(cairn_choices_split(solvers, &options.solvers));
    }
    SupportStage *stage = support_stage_open_with(&options);
    stage->viewer.settings.text_size = 0.6;
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    return stage;
}

static SupportStage *open_large(const char *scene, const char *panel, const char *solvers) {
    return open_large_with(scene, NULL, panel, solvers);
}

static void every_scene_opens_from_the_list(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large("falling_box", "scene", NULL);
    for (int i = 0; i < cairn_scene_count(); i++) {
        const CairnScene *scene = cairn_scene_at(i);
        support_stage_press(stage, SDLK_o);
        support_stage_type(stage, scene->name);
        SDL_Event enter = {.type = SDL_KEYDOWN};
        enter.key.keysym.sym = SDLK_RETURN;
        support_stage_send(stage, enter);
        support_stage_wait(stage);
        assert_string_equal(support_stage_look(stage, 0)->scene, scene->name);
        assert_ok(support_stage_look(stage, 0)->status);
        assert_true(support_stage_look(stage, 0)->body_count > 0);
        assert_int_equal(support_stage_look(stage, 0)->frame, 0);
        support_stage_turn(stage, 1);
    }
    support_stage_close(stage);
}

static void parameters_and_seeds_make_it_begin_again(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large("box_tower", "scene", NULL);
    CairnViewer *viewer = &stage->viewer;
    int before = support_stage_look(stage, 0)->body_count;
    const CairnFieldTable *table = &viewer->source.scene->params;
    CairnStatus status = cairn_fields_set(table, viewer->params, "boxes", "4");
    assert_ok(status);
    viewer->params_changed = true;
    support_stage_wait(stage);
    support_stage_wait(stage);
    assert_true(support_stage_look(stage, 0)->body_count < before);
    assert_int_equal(viewer->plan.param_count, 1);
    assert_string_equal(viewer->plan.params[0], "boxes=4");
    cairn_viewer_load(viewer, "rock_pile");
    support_stage_wait(stage);
    uint64_t first = support_stage_hash(stage, 0);
    cairn_viewer_restart(viewer, false);
    assert_true(support_stage_hash(stage, 0) == first);
    cairn_viewer_restart(viewer, true);
    assert_true(support_stage_hash(stage, 0) != first);
    cairn_viewer_load(viewer, "no_such_scene");
    assert_non_null(strstr(viewer->notice, "no_such_scene"));
    assert_string_equal(support_stage_look(stage, 0)->scene, "rock_pile");
    support_stage_close(stage);
}

// Every key, and every tab with everything shown: no error of OpenGL's, and no step that fails.
static void every_key_may_be_pressed(void **state) {
    support_display_need(state);
    static const char *const tabs[] = {"solver charts dark", "parts help"};
    for (int t = 0; t < 2; t++) {
        SupportStage *stage = open_large_with("log_tower", "logs=24", tabs[t], "schur-bpp,pgs");
        for (int i = 0; i < cairn_viewer_key_count(); i++) {
            const CairnViewerKey *key = cairn_viewer_key_at(i);
            for (int k = 0; k < 3 && key->codes[k] && key->codes[k] != SDLK_ESCAPE; k++) {
                SDL_Keycode code = key->codes[k];
                bool writes = code == SDLK_F5 || code == SDLK_F6 || (code >= SDLK_F9 && code <= SDLK_F11);
                if (!writes) { // files, which tests of their own are about
                    support_stage_press(stage, key->codes[k]);
                }
                if (stage->viewer.ui.focus) { // the list of scenes took the keys
                    support_stage_press(stage, SDLK_ESCAPE);
                }
            }
        }
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
        assert_true(stage->viewer.draw_calls > 2 && stage->viewer.draw_calls < 80);
        for (stage->viewer.tab = 0; stage->viewer.tab < CAIRN_PANEL_COUNT - 1; stage->viewer.tab++) {
            support_stage_wait(stage);
        }
        assert_false(stage->viewer.is_ending);
        support_stage_close(stage);
    }
}

// Every button of the bar lies in the window, with words of any size: its last one can be clicked.
static void the_bar_fits_the_window(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("box_tower");
    options.run.width = 640;
    options.run.height = 400;
    options.panel = "charts";
    SupportStage *stage = support_stage_open_with(&options);
    support_stage_press(stage, SDLK_SPACE);
    CairnViewer *viewer = &stage->viewer;
    static const double sizes[] = {0.6, 0.8, 1};
    for (int i = 0; i < 3; i++) {
        viewer->settings.text_size = sizes[i];
        support_stage_press(stage, SDLK_F12); // a key without a meaning: drawn anew
        CairnArea bar = cairn_viewer_layout(viewer).bar;
        assert_true(bar.height > 0);
        assert_int_equal(cairn_viewer_bar_rows(viewer), i < 2 ? 1 : 2);
        support_stage_click(stage, bar.width - viewer->ui.unit, bar.height - 0.6 * viewer->ui.unit);
        assert_true(viewer->shows_help);
        support_stage_click(stage, bar.width - viewer->ui.unit, bar.height - 0.6 * viewer->ui.unit);
        assert_false(viewer->shows_help);
    }
    support_stage_close(stage);
}

static void views_come_and_go(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large("box_tower", "solver", NULL);
    for (int i = 0; i < 6; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
    }
    for (int count = 2; count <= 4; count++) {
        support_stage_press(stage, SDLK_F7);
        support_stage_wait(stage);
        assert_int_equal(stage->viewer.crew.view_count, count);
        assert_int_equal(support_stage_look(stage, count - 1)->frame, support_stage_look(stage, 0)->frame);
        assert_true(support_stage_hash(stage, count - 1) == support_stage_hash(stage, 0));
    }
    support_stage_press(stage, SDLK_F7);
    assert_non_null(strstr(stage->viewer.notice, "four"));
    support_stage_press(stage, SDLK_n);
    support_stage_wait(stage);
    assert_true(support_stage_hash(stage, 3) == support_stage_hash(stage, 0));
    for (int count = 3; count >= 1; count--) {
        support_stage_press(stage, SDLK_F8);
        support_stage_wait(stage);
        assert_int_equal(stage->viewer.crew.view_count, count);
    }
    support_stage_press(stage, SDLK_F8); // the last one stays
    assert_int_equal(stage->viewer.crew.view_count, 1);
    support_stage_press(stage, SDLK_n);
    support_stage_wait(stage);
    assert_ok(support_stage_look(stage, 0)->status);
    support_stage_close(stage);
}

// In lockstep a poor solver solves the good one's problems: it stays where that is, with a residual of its own.
static void lockstep_keeps_views_together(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large_with("log_tower", "logs=24", "solver", "bpp,pgs:iterations=2");
    cairn_crew_lockstep(&stage->viewer.crew, true);
    for (int i = 0; i < 5; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
        assert_true(support_stage_hash(stage, 0) == support_stage_hash(stage, 1));
    }
    const CairnStats *first = &support_stage_look(stage, 0)->stats, *second = &support_stage_look(stage, 1)->stats;
    assert_int_equal(first->rows, second->rows);
    assert_true(first->residual.is_certified && first->residual.scaled != second->residual.scaled);
    assert_true(second->solve.iterations <= 2);
    support_stage_close(stage);
}

static void partitions_change_live(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large_with("log_tower", "logs=60", "parts", "schur-bpp");
    CairnViewer *viewer = &stage->viewer;
    viewer->look.interface = true;
    for (int i = 0; i < cairn_partitioner_count(); i++) {
        if (strcmp(cairn_partitioner_at(i)->name, "semantic") == 0) {
            continue; // the scene labels nothing
        }
        cairn_viewer_partition_by(viewer, 0, cairn_partitioner_at(i));
        cairn_viewer_refine_by(viewer, 0, cairn_refiner_at(i % cairn_refiner_count()));
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
        support_stage_wait(stage);
        const CairnSight *sight = support_stage_look(stage, 0);
        assert_ok(sight->status);
        int cut = 0;
        for (int k = 0; k < sight->contact_count; k++) {
            cut += sight->contacts[k].is_interface;
        }
        assert_int_equal(cut, sight->stats.interface_constraints); // the scene has no joints
    }
    support_stage_close(stage);
}

// What is drawn agrees with what the referee says.
static void what_acts_is_what_the_referee_saw(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large_with("log_tower", "logs=60", "show", "pgs:iterations=3");
    stage->viewer.look.coloring = CAIRN_COLOR_RESIDUAL;
    for (int i = 0; i < 4; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
    }
    support_stage_wait(stage);
    const CairnSight *sight = support_stage_look(stage, 0);
    double worst = 0, body = 0;
    int grips[3] = {0, 0, 0};
    for (int i = 0; i < sight->contact_count; i++) {
        worst = fmax(worst, sight->contacts[i].residual);
        grips[sight->contacts[i].grip]++;
        assert_near(sight->contacts[i].mu, 0.6, 1e-12);
    }
    for (int i = 0; i < sight->body_count; i++) {
        body = fmax(body, (double)sight->bodies[i].residual);
    }
    assert_near(worst, sight->stats.residual.scaled, 1e-12 * worst);
    assert_near(body, worst, 1e-6 * worst);
    assert_true(grips[CAIRN_GRIP_STICK] > 0);
    assert_true(sight->worst.is_there);
    assert_int_equal(sight->island_count, 2); // the tower, and the ball that is to come
    support_stage_close(stage);
}

static void charts_keep_what_was(void **state) {
    support_display_need(state);
    SupportStage *stage = open_large("box_tower", "charts", "bpp,pgs");
    for (int i = 0; i < 10; i++) {
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
    }
    CairnMoment moments[200];
    int count = cairn_crew_history(&stage->viewer.crew, 1, 1, 200, moments);
    assert_true(count >= 10);
    for (int i = 1; i < count; i++) {
        assert_int_equal(moments[i].frame, moments[i - 1].frame + 1);
    }
    const CairnSight *sight = support_stage_look(stage, 1);
    assert_int_equal(moments[count - 1].frame, sight->frame);
    assert_near((double)moments[count - 1].values[CAIRN_QUANTITY_RESIDUAL], sight->stats.residual.scaled,
                1e-6 * sight->stats.residual.scaled);
    char path[] = "/tmp/cairn_test_XXXXXX", line[600];
    int handle = mkstemp(path), lines = 0;
    assert_true(handle >= 0);
    assert_ok(cairn_viewer_write_csv(&stage->viewer, path));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        int commas = 0;
        for (const char *letter = line; *letter; letter++) {
            commas += *letter == ',';
        }
        assert_int_equal(commas, 2 + CAIRN_QUANTITY_COUNT);
        lines++;
    }
    fclose(file);
    assert_int_equal(lines, 1 + 2 * count);
    remove(path);
    assert_int_equal(close(handle), 0);
    assert_false(cairn_is_ok(cairn_viewer_write_csv(&stage->viewer, "/proc/nothing")));
    // Back, and another future: what came after is no more.
    int frame = sight->frame;
    support_stage_press(stage, SDLK_PAGEUP);
    support_stage_wait(stage);
    assert_int_equal(cairn_crew_history(&stage->viewer.crew, 0, 1, 200, moments), count);
    support_stage_press(stage, SDLK_g);
    support_stage_wait(stage);
    assert_int_equal(cairn_crew_history(&stage->viewer.crew, 0, 1, 200, moments), count - 5);
    assert_int_equal(support_stage_look(stage, 0)->frame, frame - 5);
    support_stage_close(stage);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buttons_and_toggles),
        cmocka_unit_test(sliders_are_dragged_and_typed_into),
        cmocka_unit_test(menus_cover_what_lies_under_them),
        cmocka_unit_test(text_is_finished_by_enter_or_a_click_elsewhere),
        cmocka_unit_test(every_letter_has_a_place_at_any_size),
        cmocka_unit_test(settings_survive_and_nonsense_does_no_harm),
        cmocka_unit_test(every_scene_opens_from_the_list),
        cmocka_unit_test(parameters_and_seeds_make_it_begin_again),
        cmocka_unit_test(every_key_may_be_pressed),
        cmocka_unit_test(the_bar_fits_the_window),
        cmocka_unit_test(views_come_and_go),
        cmocka_unit_test(lockstep_keeps_views_together),
        cmocka_unit_test(partitions_change_live),
        cmocka_unit_test(what_acts_is_what_the_referee_saw),
        cmocka_unit_test(charts_keep_what_was),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
