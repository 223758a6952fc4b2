// The default of the assert hook. It is an object of its own: a linker takes from the library only what is still missing, so a program that
// defines the hook gets its own, and this one stays out. In the shared library the program's definition comes first.
#include <cairn/hooks.h>

#include <stdlib.h>

void cairn_assert_failed(const char *expression, const char *file, int line) {
    (void)expression;
    (void)file;
    (void)line;
    abort();
}
