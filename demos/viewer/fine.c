// Fine: the picture of the views with all pixels, where a processor draws and would take longer for it than anybody
// should wait for an answer. It is made when all is at rest, a piece a turn, so that input in the meantime is handled
// before the next piece; then it is dropped. Pixels are the same as in one go: a piece is what the scissors leave of
// the whole picture.
#include "demos/viewer/viewer.h"

// A piece, pixels: whole tiles of llvmpipe's, some 10 ms. Smaller ones take hardly less, for all solids are looked at
// for each.
enum { TILE = 64, WIDE = 1280 };

static CairnPainterBox common(CairnPainterBox a, CairnPainterBox b) {
    int x0 = a.x > b.x ? a.x : b.x, x1 = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    int y0 = a.y > b.y ? a.y : b.y, y1 = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    return (CairnPainterBox){x0, y0, x1 - x0, y1 - y0};
}

// The next piece of a view's picture, pixels from the bottom left; false after the last one.
static bool next_piece(CairnFine *fine, const CairnPainting *painting, CairnPainterBox *box) {
    CairnPainterBox all = cairn_painting_box(painting);
    int left = all.x / TILE * TILE, bottom = all.y / TILE * TILE;
    int columns = (all.x + all.width - left + WIDE - 1) / WIDE, rows = (all.y + all.height - bottom + TILE - 1) / TILE;
    int column = fine->next % columns, row = fine->next / columns;
    *box = common(all, (CairnPainterBox){left + column * WIDE, bottom + row * TILE, WIDE, TILE});
    fine->next++;
    return row < rows;
}

static CairnStatus begin(CairnViewer *viewer) {
    CairnFine *fine = &viewer->fine;
    const CairnSight *sights[CAIRN_CREW_VIEWS];
    uint64_t look;
    cairn_viewer_look_at_all(viewer, true, sights); // a scale that falls on makes it another picture each time
    viewer->pace.drawn = cairn_viewer_picture(viewer, &look);
    CAIRN_TRY(cairn_gpu_target_size_plain(&fine->target, viewer->width, viewer->height, false));
    CAIRN_TRY(cairn_viewer_begin_views(viewer, &fine->target));
    fine->is_begun = true;
    fine->view = fine->next = 0;
    return cairn_ok();
}

// It replaces the coarse one from now on.
static CairnStatus finish(CairnViewer *viewer) {
    CairnGpuTarget coarse = viewer->views;
    viewer->views = viewer->fine.target;
    viewer->fine.target = coarse;
    viewer->fine.is_begun = false;
    viewer->pace.drawn_resolution = 1;
    viewer->still = 0; // it is to be shown
    return cairn_magnifier_take(&viewer->magnifier, &viewer->views, viewer->width, viewer->height);
}

CairnStatus cairn_viewer_refine(CairnViewer *viewer) {
    CairnFine *fine = &viewer->fine;
    const CairnSight *sights[CAIRN_CREW_VIEWS];
    CairnPainting painting;
    CairnPainterBox box;
    uint64_t look;
    if (cairn_viewer_picture(viewer, &look) != viewer->pace.drawn) {
        viewer->still = 0; // something came between: what is shown is another picture
        return cairn_ok();
    }
    CAIRN_TRY(fine->is_begun ? cairn_ok() : begin(viewer));
    if (fine->view == viewer->crew.view_count) {
        return finish(viewer);
    }
    for (int i = 0; i < viewer->crew.view_count; i++) {
        sights[i] = cairn_crew_look(&viewer->crew, i);
    }
    bool has_room = cairn_viewer_painting(viewer, sights, fine->view, &fine->target, 1, &painting);
    if (has_room && fine->next == 0) {
        CAIRN_TRY(cairn_painter_begin(&viewer->painter, &painting));
    }
    if (has_room && next_piece(fine, &painting, &box)) {
        cairn_painter_piece(&viewer->painter, &painting, box);
    } else {
        CAIRN_TRY(has_room ? cairn_painter_end(&viewer->painter, &painting) : cairn_ok());
        fine->view++;
        fine->next = 0;
    }
    glFinish(); // now, and not when an event is to be answered
    return cairn_ok();
}
