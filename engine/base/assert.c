// The default of the assert hook, in a separate object file: a linker takes from the library only what is still
// missing, so a program that defines the hook gets that definition, and this object is not linked. In the shared
// library the program's definition comes first.
#include <cairn/hooks.h>

#include <stdlib.h>

void cairn_assert_failed(const char *expression, const char *file, int line) {
    (void)expression;
    (void)file;
    (void)line;
    abort();
}
