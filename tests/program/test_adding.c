// Adding is adding: tests/adding adds a scene, a solver, a partitioner, a refiner, a sub-command, a panel, a bench
// suite and a shape pair to a copy of the tree, and fails where one of them takes more than its own files and one line.
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void each_addition_is_its_own_files_and_one_line(void **state) {
    (void)state;
    const char *build = getenv("CAIRN_BUILD");
    if (!build || !strstr(build, "/test") || system("git rev-parse --git-dir >/dev/null 2>&1") != 0) {
        skip(); // what is counted is the same under the sanitizers; what there is to copy, git knows
    }
    char line[600];
    assert_true(snprintf(line, sizeof line, "tests/adding %s", build) < (int)sizeof line);
    assert_int_equal(system(line), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_addition_is_its_own_files_and_one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
