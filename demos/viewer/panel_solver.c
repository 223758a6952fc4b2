// The solver of each view, its options, and what it reported of the last step.
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"
#include <stdio.h>

typedef struct SolverNames {
    const CairnViewer *viewer;
} SolverNames;

static const char *solver_name(const void *user, int index) {
    return cairn_viewer_solver(((const SolverNames *)user)->viewer, index + 1)->name;
}

static const char *solver_summary(const void *user, int index) {
    return cairn_viewer_solver(((const SolverNames *)user)->viewer, index + 1)->summary;
}

static void view_tabs(CairnViewer *viewer) {
    CairnUi *ui = &viewer->ui;
    int count = viewer->crew.view_count;
    if (count == 1) {
        return;
    }
    cairn_ui_columns(ui, count);
    for (int i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "View %d", i + 1);
        if (cairn_ui_tab(ui, name, viewer->active == i)) {
            viewer->active = i;
        }
    }
}

static void report(CairnUi *ui, const CairnSight *sight) {
    const CairnStats *stats = &sight->stats;
    char words[120];
    snprintf(words, sizeof words, "%s after %d", cairn_outcome_name(stats->solve.outcome), stats->solve.iterations);
    cairn_ui_pair(ui, "it says", stats->step_index ? words : "-");
    snprintf(words, sizeof words, "%.2e of %.1e m/s", stats->residual.scaled, stats->residual.limit);
    cairn_ui_pair(ui, "residual", words);
    snprintf(words, sizeof words, "%.2e", stats->residual.cone);
    cairn_ui_pair(ui, "cones", words);
    snprintf(words, sizeof words, "%d rows, %d dofs", stats->rows, stats->dofs);
    cairn_ui_pair(ui, "problem", words);
    snprintf(words, sizeof words, "%.2f of %.2f ms", 1e3 * stats->times.solve, 1e3 * stats->times.step);
    cairn_ui_pair(ui, "solve", words);
    snprintf(words, sizeof words, "%d, contacts %d times", stats->solves, stats->contact_passes);
    cairn_ui_pair(ui, "solves", words);
    snprintf(words, sizeof words, "%d", stats->solve.factorizations);
    cairn_ui_pair(ui, "factors", words);
    snprintf(words, sizeof words, "%.3g m", stats->penetration);
    cairn_ui_pair(ui, "overlap", words);
    if (sight->worst.is_there) {
        cairn_ui_pair(ui, "worst row", sight->worst.words);
    }
}

static void draw(CairnViewer *viewer, const CairnSight *const *sights) {
    CairnUi *ui = &viewer->ui;
    view_tabs(viewer);
    int view = viewer->active, count = 0, chosen = -1;
    CairnSetup *setup = &viewer->setups[view];
    SolverNames names = {viewer};
    for (const CairnSolver *solver; (solver = cairn_viewer_solver(viewer, count + 1)) != NULL; count++) {
        chosen = solver == setup->choice.solver ? count : chosen;
    }
    if (cairn_ui_menu(ui, "solver", solver_name, solver_summary, &names, count, &chosen)) {
        viewer->is_pinned = true;
        cairn_viewer_choose(viewer, view, cairn_viewer_solver(viewer, chosen + 1));
    }
    cairn_ui_paragraph(ui, ui->theme->faint, setup->choice.solver->summary);
    CairnStatus status = cairn_ok();
    if (setup->choice.solver->options &&
        cairn_ui_fields(ui, setup->choice.solver->options, setup->choice.options, &status) >= 0) {
        cairn_viewer_apply(viewer, view);
    }
    if (!cairn_is_ok(status)) {
        cairn_viewer_notify(viewer, status.message);
    }
    cairn_ui_space(ui, 0.4);
    report(ui, sights[view]);
    cairn_ui_space(ui, 0.4);
    bool is_lockstep = viewer->crew.is_lockstep;
    if (cairn_ui_toggle(ui, "Lockstep with the first view", &is_lockstep)) {
        cairn_crew_lockstep(&viewer->crew, is_lockstep);
    }
    cairn_ui_columns(ui, 1);
    if (viewer->crew.view_count > 1 && cairn_ui_button(ui, "All go on from the first view")) {
        cairn_crew_sync(&viewer->crew);
    }
}

const CairnPanel cairn_panel_solver = {.title = "Solver", .draw = draw};
