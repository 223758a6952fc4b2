// Videos of `cairn run`: by ffmpeg (a stand-in that keeps what it is given), or as PNG files where there is none.
#include "demos/program/cli/program.h"
#include "demos/program/render/video.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Writes its input into the file that it is given last, and its words into another one.
static void make_stand_in(const char *name, const char *text) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CAIRN_FFMPEG", path, 1);
}

static long size_of(const char *name) {
    char path[128];
    struct stat status;
    support_path(name, path, sizeof path);
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static void ffmpeg_gets_every_picture(void **state) {
    (void)state;
    make_stand_in("ffmpeg", "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last.words\"\ncat > \"$last\"\n");
    SupportCall *result = support_call_well("run falling_box --steps 7 --video $/a.mp4 --size 64x48");
    assert_non_null(strstr(result->err, "a.mp4: 8 pictures, by ffmpeg")); // one before the first step
    assert_int_equal(size_of("a.mp4"), 8 * 64 * 48 * 3);
    char words[1000];
    support_read("a.mp4.words", words, sizeof words);
    assert_non_null(strstr(words, "-s 64x48 -r 60 "));
    // With a smaller step one picture every few steps, so that a second stays a second.
    support_call_well("run falling_box --steps 8 --dt 1/240 --video $/b.mp4 --size 64x48 --quiet");
    assert_int_equal(size_of("b.mp4"), 3 * 64 * 48 * 3);
    support_read("b.mp4.words", words, sizeof words);
    assert_non_null(strstr(words, "-r 60 "));
}

static void without_ffmpeg_there_are_files(void **state) {
    (void)state;
    setenv("CAIRN_FFMPEG", "", 1);
    SupportCall *result = support_call_well("run falling_box --steps 3 --video $/c.mp4 --size 64x48");
    assert_non_null(strstr(result->err, "c-000001.png to "));
    assert_non_null(strstr(result->err, "there is no ffmpeg here"));
    assert_true(size_of("c-000004.png") > 100);
    assert_int_equal(size_of("c-000005.png"), -1);
    assert_int_equal(size_of("c.mp4"), -1);
}

static void a_film_that_fails_is_said(void **state) {
    (void)state;
    make_stand_in("broken", "#!/bin/sh\nexit 1\n");
    SupportCall *result = support_call("run falling_box --steps 40 --video $/d.mp4 --size 320x240 --quiet");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "--video: ffmpeg "));
    result = support_call("run falling_box --steps 2 --video $/none/d.mp4 --quiet");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "cannot write into"));
    assert_int_equal(cairn_video_stride(1.0 / 60), 1);
    assert_int_equal(cairn_video_stride(1.0 / 1000), 17);
    assert_int_equal(cairn_video_stride(0.5), 1);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ffmpeg_gets_every_picture),
        cmocka_unit_test(without_ffmpeg_there_are_files),
        cmocka_unit_test(a_film_that_fails_is_said),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
