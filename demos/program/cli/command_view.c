// cairn view: a scene in a window, where main() has brought the viewer.
#include "demos/program/cli/program.h"

static int view_command(const CairnLinked *linked, int argc, char **argv) {
    if (!linked->view) {
        return cairn_complain("view", cairn_error(CAIRN_UNSUPPORTED,
                                                  "this build has no viewer (it needs SDL2, libepoxy and cglm); "
                                                  "cairn run SCENE --screenshot FILE@FRAME draws without"));
    }
    return linked->view(argc, argv);
}

const CairnCommand cairn_command_view = {
    .name = "view",
    .summary = "watch a scene in a window: camera, pause, step, solvers live and side by side",
    .run = view_command,
};
