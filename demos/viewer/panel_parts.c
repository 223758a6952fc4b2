// The partition: how the bodies are parted, what lies between the parts, and menus to change it.
#include "demos/program/render_shade.h"
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *partitioner_name(const void *user, int index) {
    (void)user;
    return cairn_partitioner_at(index)->name;
}

static const char *partitioner_summary(const void *user, int index) {
    (void)user;
    return cairn_partitioner_at(index)->summary;
}

static const char *refiner_name(const void *user, int index) {
    (void)user;
    return cairn_refiner_at(index)->name;
}

static const char *refiner_summary(const void *user, int index) {
    (void)user;
    return cairn_refiner_at(index)->summary;
}

static void menus(CairnViewer *viewer, int view) {
    CairnUi *ui = &viewer->ui;
    const CairnSetup *setup = &viewer->setups[view];
    int chosen = 0, refiner = 0;
    for (int i = 0; i < cairn_partitioner_count(); i++) {
        chosen = cairn_partitioner_at(i) == setup->partitioner ? i : chosen;
    }
    for (int i = 0; i < cairn_refiner_count(); i++) {
        refiner = cairn_refiner_at(i) == setup->refiner ? i : refiner;
    }
    if (cairn_ui_menu(ui, "parts by", partitioner_name, partitioner_summary, NULL, cairn_partitioner_count(),
                      &chosen)) {
        cairn_viewer_part_by(viewer, view, cairn_partitioner_at(chosen));
    }
    CairnStatus status = cairn_ok();
    if (setup->partitioner->options && setup->partition_options &&
        cairn_ui_fields(ui, setup->partitioner->options, setup->partition_options, &status) >= 0) {
        cairn_viewer_refine_by(viewer, view, setup->refiner); // its bound on the parts' size follows
    }
    if (cairn_ui_menu(ui, "refined by", refiner_name, refiner_summary, NULL, cairn_refiner_count(), &refiner)) {
        cairn_viewer_refine_by(viewer, view, cairn_refiner_at(refiner));
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_say(viewer, status.message);
    }
}

static void numbers(CairnUi *ui, const CairnStats *stats) {
    char words[120];
    snprintf(words, sizeof words, "%d, of %d to %d bodies", stats->parts, stats->part_smallest, stats->part_largest);
    cairn_ui_pair(ui, "parts", words);
    snprintf(words, sizeof words, "%.3f (largest over mean)", stats->part_balance);
    cairn_ui_pair(ui, "balance", words);
    snprintf(words, sizeof words, "%d of %d rows, %.1f %%", stats->interface_rows, stats->rows,
             stats->rows ? 100.0 * stats->interface_rows / stats->rows : 0);
    cairn_ui_pair(ui, "interface", words);
    snprintf(words, sizeof words, "%d constraints", stats->interface_constraints);
    cairn_ui_pair(ui, "cut", words);
    snprintf(words, sizeof words, "%.3f ms, refining %.3f ms", 1e3 * stats->times.partition, 1e3 * stats->times.refine);
    cairn_ui_pair(ui, "parting", words);
    snprintf(words, sizeof words, "%d, solve %.2f ms", stats->solve.coupling, 1e3 * stats->times.solve);
    cairn_ui_pair(ui, "coupling", words);
}

// A bar for each part, as high as it has bodies, in the colour that these have.
static void bars(CairnUi *ui, const CairnSight *sight) {
    enum { MOST = 512 };
    int sizes[MOST] = {0}, count = sight->stats.parts < MOST ? sight->stats.parts : MOST, most = 1;
    for (int i = 0; i < sight->body_count; i++) {
        int part = sight->bodies[i].part;
        if (part >= 0 && part < count) {
            most = ++sizes[part] > most ? sizes[part] : most;
        }
    }
    CairnArea area = cairn_ui_block(ui, 4);
    cairn_ink_box(ui->ink, area, ui->theme->field);
    double width = area.width / (count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        CairnColor c = cairn_body_color(i);
        unsigned rgb =
            (unsigned)cairn_color_byte(c.r) << 16 | (unsigned)cairn_color_byte(c.g) << 8 | cairn_color_byte(c.b);
        double tall = area.height * sizes[i] / most;
        CairnArea bar = {area.x + i * width, area.y + area.height - tall, fmax(width - (width > 4), 1), tall};
        cairn_ink_box(ui->ink, bar, (CairnPaint){rgb, 1});
        char words[60];
        snprintf(words, sizeof words, "part %d: %d bodies", i + 1, sizes[i]);
        cairn_ui_hint(ui, (CairnArea){bar.x, area.y, width, area.height}, words);
    }
}

void cairn_viewer_parts_panel(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    int view = viewer->active;
    const CairnSight *sight = sights[view];
    if ((viewer->setups[view].choice.solver->traits & CAIRN_NEEDS_PARTITION) == 0) {
        char words[160];
        snprintf(
            words, sizeof words,
            "%s solves the system as a whole. Parts are for the solvers whose names begin with schur, and for fbic.",
            viewer->setups[view].choice.solver->name);
        cairn_ui_paragraph(ui, ui->theme->ink, words);
    }
    menus(viewer, view);
    cairn_ui_space(ui, 0.4);
    if (sight->stats.parts > 1) {
        numbers(ui, &sight->stats);
        bars(ui, sight);
    }
    cairn_ui_columns(ui, 2);
    bool is_colored = viewer->look.coloring == CAIRN_COLOR_PART;
    if (cairn_ui_tab(ui, "Colour by part", is_colored)) {
        viewer->look.coloring = is_colored ? CAIRN_COLOR_BODY : CAIRN_COLOR_PART;
    }
    if (cairn_ui_tab(ui, "Show interface", viewer->look.interface)) {
        viewer->look.interface = !viewer->look.interface;
    }
}
