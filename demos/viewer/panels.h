// The tabs of the panel at the left. A tab is a file panel_NAME.c with one `const CairnPanel cairn_panel_NAME`, and a
// line here: `--panel`, its help and the settings take the name from it.
#ifndef CAIRN_VIEWER_PANELS_H
#define CAIRN_VIEWER_PANELS_H

#include "demos/viewer/sight.h"

// One line each, in their order from the left; the empty one ends the list.
// clang-format off
#define CAIRN_PANELS(X) \
    X(scene) \
    X(solver) \
    X(show) \
    X(parts)
// clang-format on

#define CAIRN_PANEL_INDEX(name) CAIRN_PANEL_##name,
enum { CAIRN_PANELS(CAIRN_PANEL_INDEX) CAIRN_PANEL_COUNT };

extern const char *const cairn_panel_names[]; // NULL-terminated

struct CairnViewer;
typedef struct CairnPanel {
    const char *title;
    void (*draw)(struct CairnViewer *viewer, const CairnSight *const *sights); // a sight for each view
} CairnPanel;

#endif
