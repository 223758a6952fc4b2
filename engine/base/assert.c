#include <cairn/hooks.h>

#include <stdlib.h>

// The default of the assert hook: weak, so that a program's own definition takes its place at link time.
__attribute__((weak)) void cairn_assert_failed(const char *expression, const char *file, int line) {
    (void)expression;
    (void)file;
    (void)line;
    abort();
}
