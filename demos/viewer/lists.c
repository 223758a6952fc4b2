// Menus and lists to choose from.
#include "demos/viewer/ui.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- menus: a field that opens a list over everything else ----

static void draw_closed(CairnUi *ui, CairnArea area, bool is_hot, const char *name, const char *words) {
    const CairnTheme *theme = ui->theme;
    double y = area.y + 0.5 * (area.height - cairn_ink_line(ui->ink, CAIRN_FACE_TEXT)), pad = 2 * ui->gap;
    cairn_ink_round(ui->ink, area, ui->gap, is_hot ? theme->hover : theme->field);
    double wide = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, words), arrow = 0.35 * ui->ink->size;
    double room = area.width - 3 * pad - arrow, named = cairn_ink_width(ui->ink, CAIRN_FACE_TEXT, name);
    bool has_name = named + wide + 2 * pad < room;
    if (has_name) {
        cairn_ink_words(ui->ink, CAIRN_FACE_TEXT, area.x + pad, y, theme->faint, name);
    }
    double x = has_name ? area.x + area.width - 2 * pad - arrow - wide : area.x + pad;
    cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, x, y, room, theme->ink, words);
    double ax = area.x + area.width - pad - arrow, ay = area.y + 0.5 * area.height - 0.25 * arrow;
    if (cairn_area_overlap(area, ui->ink->clip).height >= area.height) {
        cairn_ink_triangle(ui->ink, (double[]){ax, ay, ax + arrow, ay, ax + 0.5 * arrow, ay + 0.7 * arrow},
                           theme->faint);
    }
}

// Draws the open list; returns the index that was clicked, or -1.
static int draw_open(CairnUi *ui, CairnArea field, CairnUiName *names, CairnUiName *help, const void *user, int count,
                     int chosen) {
    CairnInk *ink = ui->ink;
    const CairnTheme *theme = ui->theme;
    double width = field.width, pad = 2 * ui->gap;
    for (int i = 0; i < count; i++) {
        width = fmax(width, cairn_ink_width(ink, CAIRN_FACE_TEXT, names(user, i)) + 2 * pad);
    }
    // It opens upwards where the panel has no room below.
    double below = ui->panel.y + ui->panel.height - field.y - field.height, room = fmax(below, field.y);
    double row = fmin(ui->unit, fmax(room / count, cairn_ink_line(ink, CAIRN_FACE_TEXT))), height = count * row + 2;
    bool is_up = below < height && field.y > below;
    CairnArea area = {field.x, is_up ? fmax(field.y - height, 0) : field.y + field.height, width, height};
    CairnArea clip = ink->clip;
    ink->clip = (CairnArea){-1e6, -1e6, 2e6, 2e6};
    ink->layer = 1;
    cairn_ink_box(ink, area, theme->edge);
    cairn_ink_box(ink, cairn_area_inset(area, 1), (CairnPaint){theme->panel.rgb, 1});
    int clicked = -1;
    for (int i = 0; i < count; i++) {
        CairnArea cell = {area.x + 1, area.y + 1 + i * row, area.width - 2, row};
        bool is_hot = cairn_area_has(cell, ui->input.x, ui->input.y);
        if (is_hot || i == chosen) {
            cairn_ink_box(ink, cell, is_hot ? theme->hover : theme->select);
        }
        cairn_ink_fitting(ink, CAIRN_FACE_TEXT, cell.x + pad,
                          cell.y + 0.5 * (row - cairn_ink_line(ink, CAIRN_FACE_TEXT)), cell.width - 2 * pad, theme->ink,
                          names(user, i));
        if (is_hot && help && help(user, i)) {
            snprintf(ui->hint, sizeof ui->hint, "%s", help(user, i));
        }
        clicked = is_hot && ui->input.was_pressed ? i : clicked;
    }
    ink->layer = 0;
    ink->clip = clip;
    ui->next_menu_area = area;
    return clicked;
}

bool cairn_ui_menu(CairnUi *ui, const char *name, CairnUiName *names, CairnUiName *help, const void *user, int count,
                   int *chosen) {
    unsigned id = cairn_ui_id(ui, name);
    CairnArea area = cairn_ui_next(ui), seen = cairn_area_overlap(area, ui->ink->clip);
    bool is_over_menu = ui->menu && cairn_area_has(ui->menu_area, ui->input.x, ui->input.y);
    bool is_hot = cairn_area_has(seen, ui->input.x, ui->input.y) && !is_over_menu;
    draw_closed(ui, area, is_hot, name, *chosen >= 0 && *chosen < count ? names(user, *chosen) : "-");
    if (ui->menu != id) {
        if (is_hot && ui->input.was_pressed && !ui->active) {
            ui->menu = id;
            ui->next_menu_area = area; // until it is drawn
        }
        if (is_hot && help && *chosen >= 0 && *chosen < count) {
            cairn_ui_hint(ui, area, help(user, *chosen));
        }
        return false;
    }
    bool is_given_up = ui->input.was_pressed && !is_over_menu;
    for (int i = 0; i < ui->input.key_count; i++) {
        is_given_up = is_given_up || ui->input.keys[i] == CAIRN_UI_ESCAPE;
    }
    int clicked = draw_open(ui, area, names, help, user, count, *chosen);
    if (is_given_up || clicked >= 0) {
        ui->menu = 0;
    }
    if (clicked >= 0) {
        ui->input.was_pressed = false; // not for what lies under the list
    }
    if (clicked < 0 || clicked == *chosen) {
        return false;
    }
    *chosen = clicked;
    return true;
}

// ---- lists with type-to-find ----

static bool contains(const char *text, const char *word) {
    for (; *text; text++) {
        size_t i = 0;
        while (word[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i])) {
            i++;
        }
        if (!word[i]) {
            return true;
        }
    }
    return word[0] == '\0';
}

// How well an entry fits what was typed: 0 not at all, 3 its name begins so.
static int rank_of(const char *name, const char *help, const char *filter) {
    size_t length = strlen(filter);
    if (strncmp(name, filter, length) == 0) {
        return 3;
    }
    return contains(name, filter) ? 2 : help && contains(help, filter) ? 1 : 0;
}

enum { MOST = 256 };

static int sort_out(const char *filter, CairnUiName *names, CairnUiName *help, const void *user, int count,
                    int *order) {
    int found = 0;
    for (int rank = 3; rank >= 1; rank--) {
        for (int i = 0; i < count && found < MOST; i++) {
            if (rank_of(names(user, i), help ? help(user, i) : NULL, filter) == rank) {
                order[found++] = i;
            }
        }
    }
    return found;
}

bool cairn_ui_list(CairnUi *ui, const char *name, char *filter, size_t size, CairnUiName *names, CairnUiName *help,
                   const void *user, int count, int *chosen) {
    unsigned id = cairn_ui_id(ui, name);
    bool had_focus = ui->focus == id;
    CairnUiInput input = ui->input;
    bool is_finished = cairn_ui_text(ui, name, filter, size), has_focus = ui->focus == id;
    int order[MOST],
        found = sort_out(has_focus ? (ui->edit_is_whole ? "" : ui->edit) : filter, names, help, user, count, order);
    int marked = had_focus ? ui->marked : 0;
    for (int i = 0; had_focus && i < input.key_count; i++) {
        marked += (input.keys[i] == CAIRN_UI_DOWN) - (input.keys[i] == CAIRN_UI_UP);
    }
    marked = marked >= found ? found - 1 : marked;
    ui->marked = marked < 0 ? 0 : marked;
    int answer = -1;
    bool has_entered = false;
    for (int i = 0; had_focus && i < input.key_count; i++) {
        has_entered = has_entered || input.keys[i] == CAIRN_UI_ENTER;
    }
    if (is_finished && has_entered && found > 0) {
        answer = order[ui->marked];
        filter[0] = '\0';
    }
    for (int k = 0; k < found; k++) {
        int i = order[k];
        CairnArea area = cairn_ui_block(ui, 1 - 2 * ui->gap / ui->unit);
        ui->top -= 0.5 * ui->gap;
        CairnArea seen = cairn_area_overlap(area, ui->ink->clip);
        bool is_hot = cairn_area_has(seen, input.x, input.y) && !ui->menu;
        if (is_hot || i == *chosen || (has_focus && k == ui->marked)) {
            bool is_chosen = i == *chosen && !is_hot;
            cairn_ink_round(ui->ink, area, ui->gap, is_chosen ? ui->theme->select : ui->theme->hover);
        }
        cairn_ink_fitting(ui->ink, CAIRN_FACE_TEXT, area.x + ui->gap, area.y, area.width - 2 * ui->gap, ui->theme->ink,
                          names(user, i));
        if (is_hot && help) {
            cairn_ui_hint(ui, area, help(user, i));
        }
        if (is_hot && input.was_pressed) {
            answer = i;
            ui->focus = 0;
            filter[0] = '\0';
        }
    }
    bool is_new = answer >= 0 && answer != *chosen;
    *chosen = answer >= 0 ? answer : *chosen;
    return is_new;
}
