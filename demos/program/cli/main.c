#include "demos/program/cli/program.h"
#include <stddef.h>

int main(int argc, char **argv) {
#ifdef CAIRN_VIEWER
    static const CairnLinked linked = {.view = cairn_view};
#else
    static const CairnLinked linked = {.view = NULL};
#endif
    return cairn_program(&linked, argc, argv);
}
