// The viewer's past: back and forth, the scrubber, recordings made and shown; in a real window, as
// tests/viewer/test_viewer.c.
#include "tests/support/support.h"
#include "tests/support/support_window.h"
#ifdef CAIRN_VIEWER
#include "demos/program/formats/problem_source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static SupportStage *open_paused(const CairnViewOptions *options) {
    SupportStage *stage = support_stage_open_with(options);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    support_stage_press(stage, SDLK_r);
    support_stage_wait(stage);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    return stage;
}

static void press(SupportStage *stage, SDL_Keycode code) {
    support_stage_press(stage, code);
    support_stage_wait(stage);
}

static void advance(SupportStage *stage, int frames) {
    cairn_crew_want(&stage->viewer.crew, cairn_crew_done(&stage->viewer.crew) + frames);
    support_stage_wait(stage);
}

// Every frame that was is reached again to the bit, from either side and in leaps.
static void it_goes_back_and_forth_to_the_bit(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("log_tower");
    options.run.params.items[options.run.params.count++] = "logs=12";
    SupportStage *stage = open_paused(&options);
    uint64_t hashes[31];
    hashes[0] = support_stage_hash(stage, 0);
    for (int frame = 1; frame <= 30; frame++) {
        advance(stage, 1);
        hashes[frame] = support_stage_hash(stage, 0);
        assert_true(frame == 1 || hashes[frame] != hashes[frame - 1]);
    }
    for (int frame = 29; frame >= 25; frame--) {
        press(stage, SDLK_LEFT);
        assert_int_equal(support_stage_look(stage, 0)->frame, frame);
        assert_true(support_stage_hash(stage, 0) == hashes[frame]);
        assert_int_equal((int)support_stage_look(stage, 0)->stats.step_index, frame);
        assert_true(support_stage_look(stage, 0)->contact_count > 0);
    }
    press(stage, SDLK_PAGEUP);
    assert_true(support_stage_hash(stage, 0) == hashes[20]);
    press(stage, SDLK_PAGEDOWN);
    press(stage, SDLK_RIGHT);
    assert_true(support_stage_hash(stage, 0) == hashes[26]);
    press(stage, SDLK_HOME);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    assert_true(support_stage_hash(stage, 0) == hashes[0]);
    press(stage, SDLK_LEFT); // there is nothing before it
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    press(stage, SDLK_END);
    assert_int_equal(support_stage_look(stage, 0)->frame, 30);
    assert_true(support_stage_hash(stage, 0) == hashes[30]);
    support_stage_close(stage);
}

// Another solver from frame 10 on: going back before it and forth again comes through the same change; another change
// there makes another future.
static void what_a_hand_did_is_done_again(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("box_tower");
    options.run.solver = "bpp";
    SupportStage *stage = open_paused(&options);
    uint64_t hashes[21];
    for (int frame = 1; frame <= 20; frame++) {
        advance(stage, 1);
        hashes[frame] = support_stage_hash(stage, 0);
        if (frame == 10) {
            press(stage, SDLK_TAB);
        }
    }
    const char *second = support_stage_look(stage, 0)->solver;
    assert_string_not_equal(second, "bpp");
    cairn_crew_go(&stage->viewer.crew, 7);
    support_stage_wait(stage);
    assert_string_equal(support_stage_look(stage, 0)->solver, "bpp");
    for (int frame = 8; frame <= 20; frame++) {
        advance(stage, 1);
        assert_true(support_stage_hash(stage, 0) == hashes[frame]);
    }
    assert_string_not_equal(support_stage_look(stage, 0)->solver, "bpp");
    cairn_crew_go(&stage->viewer.crew, 15);
    support_stage_wait(stage);
    press(stage, SDLK_TAB);
    int first, last;
    cairn_crew_past(&stage->viewer.crew, 0, &first, &last);
    assert_int_equal(first, 0);
    assert_int_equal(last, 15);
    support_stage_close(stage);
}

static void memory_is_bounded_and_the_past_stays_whole(void **state) {
    (void)state;
    CairnRunOptions options = cairn_run_options();
    options.scene = "box_tower";
    CairnSession session;
    CairnPast past;
    assert_ok(cairn_session_open(&options, &session));
    size_t size = cairn_world_snapshot_size(session.world), limit = 12 * (size + 20000);
    cairn_past_open(&past, limit);
    uint64_t hashes[201];
    CairnStats stats = {.step_index = 0};
    for (int frame = 0; frame <= 200; frame++) {
        if (frame > 0) {
            assert_ok(cairn_session_step(&session, &stats));
            stats.times.step = 1; // a key is worth its while
        }
        hashes[frame] = cairn_world_state_hash(session.world);
        assert_ok(cairn_past_store(&past, &session, &stats, frame));
        cairn_past_note(&past, &session, &stats);
        assert_true(past.bytes <= limit);
        if (frame == 60) {
            assert_ok(cairn_past_pin(&past, &session, &stats, frame));
        }
    }
    assert_int_equal(past.first, 0);
    assert_int_equal(past.last, 200);
    assert_true(past.stride >= 16 && past.key_count >= 6);
    assert_non_null(cairn_past_pinned(&past, 60));
    for (int frame = 200; frame >= 0; frame -= 25) {
        const CairnPastKey *key = cairn_past_start(&past, frame);
        assert_true(frame - key->frame <= 2 * past.stride);
        assert_ok(cairn_past_enter(key, &session));
        for (int k = key->frame; k < frame; k++) {
            assert_ok(cairn_session_step(&session, &stats));
        }
        assert_true(cairn_world_state_hash(session.world) == hashes[frame]);
    }
    // Where hands are taken in every frame there is nothing to thin out: the past begins later.
    cairn_past_forget(&past, 0);
    for (int frame = 1; frame <= 60; frame++) {
        assert_ok(cairn_past_store(&past, &session, &stats, frame));
        cairn_past_note(&past, &session, &stats);
        assert_ok(cairn_past_pin(&past, &session, &stats, frame));
        assert_true(past.bytes <= limit);
    }
    assert_true(past.first > 5 && past.first < 60);
    assert_null(cairn_past_start(&past, past.first - 1));
    cairn_past_close(&past);
    cairn_session_close(&session);
}

static void drag(SupportStage *stage, Uint32 type, double share) {
    CairnViewerBox box = cairn_viewer_scrubber(&stage->viewer);
    SDL_Event event = {.type = type};
    int x = box.x + (int)(share * box.width), y = box.y + box.height / 2;
    if (type == SDL_MOUSEMOTION) {
        event.motion = (SDL_MouseMotionEvent){.type = type, .state = SDL_BUTTON_LMASK, .x = x, .y = y};
    } else {
        event.button = (SDL_MouseButtonEvent){.type = type, .button = SDL_BUTTON_LEFT, .x = x, .y = y};
    }
    support_stage_send(stage, event);
    support_stage_wait(stage);
}

static void the_scrubber_goes_where_the_mouse_is(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("box_tower");
    SupportStage *stage = open_paused(&options);
    advance(stage, 40);
    CairnOrbit before = stage->viewer.orbit;
    drag(stage, SDL_MOUSEBUTTONDOWN, 0.02);
    assert_true(stage->viewer.is_paused);
    assert_int_equal(support_stage_look(stage, 0)->frame, 0);
    int last = 0;
    for (double share = 0.1; share < 0.45; share += 0.1) {
        drag(stage, SDL_MOUSEMOTION, share);
        assert_true(support_stage_look(stage, 0)->frame > last);
        last = support_stage_look(stage, 0)->frame;
    }
    drag(stage, SDL_MOUSEMOTION, 0.99);
    assert_int_equal(support_stage_look(stage, 0)->frame, 40);
    drag(stage, SDL_MOUSEBUTTONUP, 0.99);
    assert_false(stage->viewer.is_scrubbing);
    assert_true(stage->viewer.orbit.yaw == before.yaw); // the camera stayed
    support_stage_close(stage);
}

// ---- recordings ----

static void what_the_window_records_can_be_run_again(void **state) {
    support_display_need(state);
    char path[] = "/tmp/cairn_test_XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    CairnViewOptions options = support_stage_options("box_tower");
    options.run.record = path;
    options.run.solver = "bpp";
    SupportStage *stage = open_paused(&options);
    uint64_t hash = 0;
    advance(stage, 12);
    press(stage, SDLK_TAB);
    advance(stage, 18);
    cairn_crew_go(&stage->viewer.crew, 20);
    support_stage_wait(stage);
    press(stage, SDLK_1); // and now another future
    press(stage, SDLK_PAGEDOWN);
    hash = support_stage_hash(stage, 0);
    support_stage_close(stage);

    CairnRecording recording;
    assert_ok(cairn_recording_read(path, &recording));
    assert_int_equal(recording.count, 26);
    assert_true(recording.frames[25].hash == hash);
    assert_non_null(recording.frames[12].key);
    assert_non_null(recording.frames[20].key);

    // Shown again: the same, and where the file says otherwise the frame is marked.
    CairnViewOptions again = support_stage_options(recording.options.scene);
    again.run = recording.options;
    again.run.width = 360;
    again.run.height = 240;
    again.run.needs_parts = true;
    again.recording = &recording;
    stage = open_paused(&again);
    advance(stage, 25);
    assert_int_equal(support_stage_look(stage, 0)->frame, 25);
    assert_true(support_stage_hash(stage, 0) == hash);
    assert_int_equal(cairn_crew_diverged_at(&stage->viewer.crew), -1);
    recording.frames[18].hash ^= 1;
    press(stage, SDLK_r);
    advance(stage, 25);
    assert_int_equal(cairn_crew_diverged_at(&stage->viewer.crew), 18);
    CairnCrewMark marks[25];
    cairn_crew_marks(&stage->viewer.crew, 0, 0, 25, marks, 25);
    assert_int_equal(marks[10], CAIRN_MARK_CERTIFIED);
    assert_int_equal(marks[20], CAIRN_MARK_DIVERGED);
    support_stage_close(stage);
    cairn_recording_close(&recording);
    remove(path);
    assert_int_equal(close(handle), 0);
}

// Several views go back together.
static void all_views_go_to_the_same_frame(void **state) {
    support_display_need(state);
    CairnViewOptions options = support_stage_options("box_tower");
    assert_ok(cairn_choices_split("bpp,pgs:iterations=2", &options.solvers));
    SupportStage *stage = open_paused(&options);
    uint64_t hashes[2] = {0, 0};
    advance(stage, 13);
    hashes[0] = support_stage_hash(stage, 0);
    hashes[1] = support_stage_hash(stage, 1);
    advance(stage, 7);
    cairn_crew_go(&stage->viewer.crew, 13);
    support_stage_wait(stage);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(support_stage_look(stage, i)->frame, 13);
        assert_true(support_stage_hash(stage, i) == hashes[i]);
    }
    press(stage, SDLK_y); // the second one has another past from here on
    press(stage, SDLK_n);
    press(stage, SDLK_LEFT);
    assert_true(support_stage_hash(stage, 0) == support_stage_hash(stage, 1));
    support_stage_close(stage);
}

// ---- what is kept as files ----

static long size_of(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

typedef struct Folder {
    char own[64], before[1024];
} Folder;

// Files go to where the viewer was started.
static Folder enter_folder(void) {
    Folder folder = {.own = "/tmp/cairn_test_XXXXXX"};
    assert_non_null(mkdtemp(folder.own));
    assert_non_null(getcwd(folder.before, sizeof folder.before));
    assert_int_equal(chdir(folder.own), 0);
    return folder;
}

static void leave_folder(const Folder *folder) {
    assert_int_equal(chdir(folder->before), 0);
    char line[80];
    snprintf(line, sizeof line, "rm -r %s", folder->own);
    assert_int_equal(system(line), 0);
}

// From the middle of a run on, with what is changed on the way.
static void a_key_begins_and_ends_a_recording(void **state) {
    support_display_need(state);
    Folder folder = enter_folder();
    CairnViewOptions options = support_stage_options("box_tower");
    options.run.solver = "bpp";
    SupportStage *stage = open_paused(&options);
    advance(stage, 8);
    press(stage, SDLK_PAGEUP); // what lies ahead is forgotten
    press(stage, SDLK_F11);
    assert_true(cairn_crew_is_recording(&stage->viewer.crew));
    advance(stage, 6);
    cairn_viewer_choose(&stage->viewer, 0, cairn_viewer_solver(&stage->viewer, 2));
    const CairnPartitioner *partitioner;
    assert_ok(cairn_partitioner_find("bfs", &partitioner));
    cairn_viewer_partition_by(&stage->viewer, 0, partitioner);
    support_stage_wait(stage);
    advance(stage, 4);
    press(stage, SDLK_LEFT);
    press(stage, SDLK_RIGHT);
    uint64_t hash = support_stage_hash(stage, 0);
    press(stage, SDLK_F11);
    assert_false(cairn_crew_is_recording(&stage->viewer.crew));
    support_stage_close(stage);

    CairnRecording recording;
    assert_ok(cairn_recording_read("cairn-box_tower-3.rec", &recording));
    assert_int_equal(recording.first, 3);
    assert_int_equal(recording.count, 11);
    assert_true(recording.frames[10].hash == hash);
    CairnSession session;
    assert_ok(cairn_session_open(&recording.options, &session));
    for (int frame = 0; frame < recording.count; frame++) {
        CairnStats stats;
        if (frame > 0) {
            assert_ok(cairn_session_step(&session, &stats));
            assert_true(cairn_replay_agrees(&recording, frame, session.world));
        }
        assert_ok(cairn_replay_enter(&recording, frame, &session));
    }
    cairn_session_close(&session);
    cairn_recording_close(&recording);
    leave_folder(&folder);
}

// To look at earlier frames does not end a recording; a run that goes on from before its beginning, or begins again,
// does.
static void going_back_ends_a_recording(void **state) {
    support_display_need(state);
    Folder folder = enter_folder();
    CairnViewOptions options = support_stage_options("box_tower");
    options.run.solver = "bpp";
    SupportStage *stage = open_paused(&options);
    advance(stage, 13);
    press(stage, SDLK_F11);
    press(stage, SDLK_n);
    cairn_crew_go(&stage->viewer.crew, 5);
    support_stage_wait(stage);
    assert_true(cairn_crew_is_recording(&stage->viewer.crew));
    press(stage, SDLK_1);
    assert_false(cairn_crew_is_recording(&stage->viewer.crew));
    press(stage, SDLK_F11);
    press(stage, SDLK_r);
    assert_false(cairn_crew_is_recording(&stage->viewer.crew));
    support_stage_close(stage);

    CairnRecording recording;
    assert_ok(cairn_recording_read("cairn-box_tower-13.rec", &recording));
    assert_int_equal(recording.count, 2);
    cairn_recording_close(&recording);
    assert_ok(cairn_recording_read("cairn-box_tower-5.rec", &recording));
    assert_int_equal(recording.count, 1);
    cairn_recording_close(&recording);
    leave_folder(&folder);
}

static void keys_keep_pictures_problems_and_films(void **state) {
    support_display_need(state);
    Folder folder = enter_folder();
    setenv("CAIRN_FFMPEG", "", 1);
    CairnViewOptions options = support_stage_options("box_tower");
    SupportStage *stage = open_paused(&options);
    press(stage, SDLK_F10); // nothing was solved yet
    assert_int_equal(size_of("cairn-box_tower-0.problem"), -1);
    advance(stage, 12);
    press(stage, SDLK_F5);
    assert_true(size_of("cairn-box_tower-12.png") > 1000);
    press(stage, SDLK_F10);
    CairnProblemSource problem;
    CairnResidual residual;
    assert_ok(cairn_problem_open("cairn-box_tower-12.problem", &problem));
    assert_ok(cairn_residual(&problem.stored.problem, problem.stored.answer, NULL, &residual));
    assert_true(residual.is_certified);
    cairn_problem_close(&problem);
    press(stage, SDLK_F9);
    for (int i = 0; i < 5; i++) {
        press(stage, SDLK_n);
    }
    press(stage, SDLK_F9);
    assert_false(stage->viewer.film.video.is_open);
    assert_true(size_of("cairn-box_tower-12-000006.png") > 1000);
    assert_int_equal(size_of("cairn-box_tower-12-000007.png"), -1);
    support_stage_close(stage);
    leave_folder(&folder);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_back_and_forth_to_the_bit),
        cmocka_unit_test(what_a_hand_did_is_done_again),
        cmocka_unit_test(memory_is_bounded_and_the_past_stays_whole),
        cmocka_unit_test(the_scrubber_goes_where_the_mouse_is),
        cmocka_unit_test(what_the_window_records_can_be_run_again),
        cmocka_unit_test(all_views_go_to_the_same_frame),
        cmocka_unit_test(a_key_begins_and_ends_a_recording),
        cmocka_unit_test(going_back_ends_a_recording),
        cmocka_unit_test(keys_keep_pictures_problems_and_films),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
