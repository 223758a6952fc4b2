// The numbers of the selected body and of its joints, at the right of the window.
#include "demos/viewer/viewer.h"
#include <math.h>
#include <stdio.h>

static void vector_words(CairnVec3 v, char *words, size_t size) {
    snprintf(words, size, "%.4g  %.4g  %.4g", v.x, v.y, v.z);
}

static void joints_of(CairnViewer *viewer, const CairnSight *sight) {
    CairnUi *ui = &viewer->ui;
    int shown = 0;
    for (int i = 0; i < sight->joint_count && shown < 4; i++) {
        const CairnSightJoint *joint = &sight->joints[i];
        bool is_its = false;
        for (int k = 0; k < 2; k++) {
            int body = joint->bodies[k];
            is_its = is_its || (body >= 0 && sight->bodies[body].id.index == viewer->hand.body);
        }
        if (!is_its) {
            continue;
        }
        char name[40], words[80];
        snprintf(name, sizeof name, "joint %u", joint->id.index);
        cairn_ui_pair(ui, name, cairn_joint_type_name(joint->type));
        snprintf(words, sizeof words, "%.2e m, %.2e rad", joint->linear_error, joint->angular_error);
        cairn_ui_pair(ui, "  error", words);
        snprintf(words, sizeof words, "%.4g N", cairn_length(joint->force));
        cairn_ui_pair(ui, "  force", words);
        shown++;
    }
}

static void numbers_of(CairnViewer *viewer, const CairnSight *sight) {
    CairnUi *ui = &viewer->ui;
    const CairnSightDetails *details = &sight->details;
    const CairnBodyState *state = &details->state;
    char words[120];
    snprintf(words, sizeof words, "Body %u", details->id.index);
    cairn_ui_title(ui, words);
    snprintf(words, sizeof words, details->shape_count > 1 ? "%s and %d more" : "%s", details->shape,
             details->shape_count - 1);
    cairn_ui_pair(ui, "shape", words);
    snprintf(words, sizeof words, "%.6g kg", state->mass.mass);
    cairn_ui_pair(ui, "mass", state->type == CAIRN_BODY_DYNAMIC ? words : "does not move");
    vector_words(state->center, words, sizeof words);
    cairn_ui_pair(ui, "position", words);
    vector_words(state->velocity, words, sizeof words);
    cairn_ui_pair(ui, "velocity", words);
    vector_words(state->angular_velocity, words, sizeof words);
    cairn_ui_pair(ui, "turning", words);
    snprintf(words, sizeof words, "%.4g m/s", cairn_length(state->velocity));
    cairn_ui_pair(ui, "speed", words);
    snprintf(words, sizeof words, "%d, together %.4g N", details->contact_count, cairn_length(details->contact_force));
    cairn_ui_pair(ui, "contacts", words);
    if (state->part >= 0 && sight->stats.parts > 1) {
        snprintf(words, sizeof words, "%d of %d", state->part + 1, sight->stats.parts);
        cairn_ui_pair(ui, "part", words);
    }
    if (sight->touch.is_held && sight->touch.body.index == details->id.index) {
        snprintf(words, sizeof words, "%.4g N", cairn_length(sight->touch.force));
        cairn_ui_pair(ui, "your hand", words);
    }
    joints_of(viewer, sight);
}

void cairn_viewer_body_panel(CairnViewer *viewer, const CairnSight *sight) {
    CairnUi *ui = &viewer->ui;
    CairnArea stage = cairn_viewer_layout(viewer).stage;
    double width = fmin(18 * viewer->ink.size, 0.6 * stage.width);
    double line = cairn_ink_line(&viewer->ink, CAIRN_FACE_TEXT);
    int joints = sight->details.joint_count < 4 ? sight->details.joint_count : 4;
    double estimate = (11 + 3 * joints) * line + 3.7 * ui->unit;
    double height = fmin(viewer->body_height > 0 ? viewer->body_height : estimate, 0.8 * stage.height);
    CairnArea area = {stage.x + stage.width - width - ui->gap, stage.y + 4.4 * line, width, height};
    if (!sight->details.is_there) {
        return;
    }
    cairn_ui_panel(ui, "body", area);
    numbers_of(viewer, sight);
    cairn_ui_space(ui, 0.3);
    cairn_ui_columns(ui, 3);
    if (cairn_ui_button(ui, "Push")) {
        cairn_viewer_deed(viewer, CAIRN_DEED_PUSH);
    }
    if (cairn_ui_button(ui, sight->details.state.type == CAIRN_BODY_DYNAMIC ? "Freeze" : "Let go")) {
        cairn_viewer_deed(viewer, CAIRN_DEED_FREEZE);
    }
    if (cairn_ui_button(ui, "Delete")) {
        cairn_viewer_deed(viewer, CAIRN_DEED_DELETE);
    }
    cairn_ui_columns(ui, 3);
    if (cairn_ui_tab(ui, "Follow", viewer->is_following)) {
        cairn_viewer_press(viewer, SDLK_t);
    }
    if (cairn_ui_button(ui, "Look at")) {
        cairn_viewer_press(viewer, SDLK_z);
    }
    if (cairn_ui_button(ui, "Close")) {
        cairn_viewer_select(viewer, 0, 0);
    }
    cairn_ui_panel_end(ui);
    viewer->body_height = ui->scroll->height + 3 * ui->gap; // as high as what is in it, from the next turn on
}
