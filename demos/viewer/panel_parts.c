// The partition: how the bodies are partitioned, what lies between the parts, and menus to change it.
#include "demos/program/render/render_shade.h"
#include "demos/viewer/panels.h"
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
        cairn_viewer_partition_by(viewer, view, cairn_partitioner_at(chosen));
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
        cairn_viewer_notify(viewer, status.message);
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
    snprintf(words, sizeof words, "%.2f ms, refined %.2f", 1e3 * stats->times.partition, 1e3 * stats->times.refine);
    cairn_ui_pair(ui, "parting", words);
    snprintf(words, sizeof words, "%d, solve %.2f ms", stats->solve.coupling, 1e3 * stats->times.solve);
    cairn_ui_pair(ui, "coupling", words);
}

// Where the time of the last solve went.
static void phases(CairnUi *ui, const CairnSolveReport *solve) {
    const CairnSolvePhases *p = &solve->phases;
    const struct {
        const char *name;
        double seconds;
    } rows[] = {{"prepare", p->prepare}, {"factor", p->factor},   {"apply", p->apply},
                {"S and z", p->reduce},  {"Gamma", p->interface}, {"each part", p->subsystems}};
    char words[120];
    snprintf(words, sizeof words, "%d, %d factored again", solve->changed, solve->refactored);
    cairn_ui_pair(ui, "changed", words);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].seconds > 0) {
            snprintf(words, sizeof words, "%.3f ms", 1e3 * rows[i].seconds);
            cairn_ui_pair(ui, rows[i].name, words);
        }
    }
}

// A bar for each part in the colour that its bodies have, as high as its value.
static void bars(CairnUi *ui, const double *values, int count, double height, const char *unit) {
    double most = 1e-300;
    for (int i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    CairnArea area = cairn_ui_block(ui, height);
    cairn_ink_box(ui->ink, area, ui->theme->field);
    double width = area.width / (count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        CairnColor c = cairn_body_color(i);
        unsigned rgb =
            (unsigned)cairn_color_byte(c.r) << 16 | (unsigned)cairn_color_byte(c.g) << 8 | cairn_color_byte(c.b);
        double tall = area.height * values[i] / most;
        CairnArea bar = {area.x + i * width, area.y + area.height - tall, fmax(width - (width > 4), 1), tall};
        cairn_ink_box(ui->ink, bar, (CairnPaint){rgb, 1});
        char words[60];
        snprintf(words, sizeof words, "part %d: %.4g %s", i + 1, values[i], unit);
        cairn_ui_hint(ui, (CairnArea){bar.x, area.y, width, area.height}, words);
    }
}

// Bodies of each part, and the time that went to it alone.
static void per_part(CairnUi *ui, const CairnSight *sight) {
    double sizes[CAIRN_SIGHT_PARTS] = {0}, times[CAIRN_SIGHT_PARTS], sum = 0, most = 0;
    for (int i = 0; i < sight->body_count; i++) {
        int part = sight->bodies[i].part;
        if (part >= 0 && part < sight->part_count) {
            sizes[part]++;
        }
    }
    for (int i = 0; i < sight->part_count; i++) {
        times[i] = 1e3 * sight->part_seconds[i];
        sum += times[i];
        most = fmax(most, times[i]);
    }
    char words[120];
    cairn_ui_label(ui, ui->theme->faint, "bodies of each part");
    bars(ui, sizes, sight->part_count, 3, "bodies");
    if (sum > 0) {
        snprintf(words, sizeof words, "time of each: %.3f ms, largest %.3f", sum, most);
        cairn_ui_label(ui, ui->theme->faint, words);
        bars(ui, times, sight->part_count, 3, "ms");
    }
}

static void name_solvers_with_parts(const char *name, char *words, size_t size) {
    int length = snprintf(words, size, "%s solves the system as a whole. Parts are for", name), count = 0;
    for (int i = 0; i < cairn_solver_count() && (size_t)length < size; i++) {
        const CairnSolver *solver = cairn_solver_at(i);
        if (solver->traits & CAIRN_NEEDS_PARTITION) {
            length += snprintf(words + length, size - (size_t)length, "%s %s", count++ ? "," : "", solver->name);
        }
    }
}

static void draw(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    int view = viewer->active;
    const CairnSight *sight = sights[view];
    if ((viewer->setups[view].choice.solver->traits & CAIRN_NEEDS_PARTITION) == 0) {
        char words[400];
        name_solvers_with_parts(viewer->setups[view].choice.solver->name, words, sizeof words);
        cairn_ui_paragraph(ui, ui->theme->ink, words);
    }
    menus(viewer, view);
    cairn_ui_space(ui, 0.4);
    if (sight->stats.parts > 1) {
        numbers(ui, &sight->stats);
        phases(ui, &sight->stats.solve);
        per_part(ui, sight);
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

const CairnPanel cairn_panel_parts = {.title = "Parts", .draw = draw};
