// Layout: panels, rows and cells.
#include "demos/viewer/ui.h"
#include <math.h>
#include <string.h>

void cairn_ui_open(CairnUi *ui, CairnInk *ink) {
    *ui = (CairnUi){.ink = ink};
    ui->gap = floor(0.28 * ink->size);
    ui->unit = ceil(cairn_ink_line(ink, CAIRN_FACE_TEXT) + 2 * ui->gap);
}

void cairn_ui_begin(CairnUi *ui, const CairnTheme *theme, const CairnUiInput *input) {
    ui->theme = theme;
    ui->input = *input;
    ui->next_area_count = 0;
    ui->next_menu_area = (CairnArea){0};
    ui->hint[0] = '\0';
    if (!input->is_down && !input->was_pressed && !input->was_released) {
        ui->active = 0;
    }
}

static void draw_hint(CairnUi *ui, double width, double height) {
    CairnInk *ink = ui->ink;
    double room = fmin(22 * ink->size, width - 4 * ui->gap), pad = 2 * ui->gap;
    double line = cairn_ink_line(ink, CAIRN_FACE_SMALL), wide = cairn_ink_width(ink, CAIRN_FACE_SMALL, ui->hint);
    int lines = cairn_ink_paragraph(ink, CAIRN_FACE_SMALL, 0, 0, room, NULL, ui->hint);
    CairnArea area = {ui->input.x + ink->size, ui->input.y + ink->size, fmin(wide, room) + 2 * pad,
                      lines * line + 2 * pad};
    area.x = fmax(fmin(area.x, width - area.width - pad), 0);
    area.y = area.y + area.height > height ? fmax(ui->input.y - area.height - 0.5 * ink->size, 0) : area.y;
    ink->layer = 1;
    cairn_ink_round(ink, area, ui->gap, ui->theme->edge);
    cairn_ink_round(ink, cairn_area_inset(area, 1), ui->gap, (CairnPaint){ui->theme->panel.rgb, 1});
    cairn_ink_paragraph(ink, CAIRN_FACE_SMALL, area.x + pad, area.y + pad, room, &ui->theme->ink, ui->hint);
    ink->layer = 0;
}

void cairn_ui_end(CairnUi *ui, double width, double height) {
    if (ui->hint[0] && !ui->active && !ui->menu) {
        draw_hint(ui, width, height);
    }
    memcpy(ui->areas, ui->next_areas, sizeof ui->areas);
    ui->area_count = ui->next_area_count;
    ui->menu_area = ui->next_menu_area;
    if (ui->menu && ui->menu_area.width <= 0) {
        ui->menu = 0; // the widget of the menu is no longer drawn
    }
}

bool cairn_ui_takes_mouse(const CairnUi *ui, double x, double y) {
    bool is_taken = ui->active != 0 || ui->menu != 0;
    for (int i = 0; i < ui->area_count; i++) {
        is_taken = is_taken || cairn_area_has(ui->areas[i], x, y);
    }
    return is_taken;
}

bool cairn_ui_takes_keys(const CairnUi *ui) {
    return ui->focus != 0 || ui->menu != 0;
}

// ---- panels ----

static struct CairnUiScroll *find_scroll(CairnUi *ui, unsigned id) {
    for (int i = 0; i < CAIRN_UI_SCROLLS; i++) {
        if (ui->scrolls[i].id == id || ui->scrolls[i].id == 0) {
            ui->scrolls[i].id = id;
            return &ui->scrolls[i];
        }
    }
    ui->scrolls[0] = (struct CairnUiScroll){.id = id};
    return &ui->scrolls[0];
}

void cairn_ui_panel(CairnUi *ui, const char *name, CairnArea area) {
    if (ui->next_area_count < CAIRN_UI_AREAS) {
        ui->next_areas[ui->next_area_count++] = area;
    }
    ui->seed = 0;
    ui->seed = cairn_ui_id(ui, name);
    ui->panel = cairn_area_inset(area, 2 * ui->gap);
    ui->scroll = find_scroll(ui, ui->seed);
    double beyond = fmax(ui->scroll->height - ui->panel.height, 0);
    if (cairn_area_has(area, ui->input.x, ui->input.y) && ui->input.wheel != 0 && !ui->menu) {
        ui->scroll->offset -= 3 * ui->unit * ui->input.wheel;
    }
    ui->scroll->offset = fmax(fmin(ui->scroll->offset, beyond), 0);
    cairn_ink_box(ui->ink, area, ui->theme->panel);
    if (beyond > 0) {
        double fraction = ui->panel.height / ui->scroll->height, wide = fmax(ui->gap, 3);
        ui->panel.width -= wide;
        CairnArea bar = {area.x + area.width - wide - 1,
                         ui->panel.y + ui->scroll->offset / ui->scroll->height * ui->panel.height, wide,
                         fraction * ui->panel.height};
        cairn_ink_round(ui->ink, bar, wide, ui->theme->press);
    }
    ui->ink->clip = cairn_area_inset(area, 1);
    ui->top = ui->panel.y - ui->scroll->offset;
    ui->cell_count = ui->cell = 0;
}

void cairn_ui_panel_end(CairnUi *ui) {
    ui->scroll->height = ui->top + ui->scroll->offset - ui->panel.y;
    ui->ink->clip = (CairnArea){-1e6, -1e6, 2e6, 2e6};
    ui->cell_count = ui->cell = 0;
    ui->seed = 0;
}

void cairn_ui_row(CairnUi *ui, const double *widths, int count) {
    double remaining = ui->panel.width - (count - 1) * ui->gap, weight_sum = 0, x = ui->panel.x;
    count = count < CAIRN_UI_CELLS ? count : CAIRN_UI_CELLS;
    for (int i = 0; i < count; i++) {
        remaining -= widths[i] < 0 ? -widths[i] * ui->unit : 0;
        weight_sum += widths[i] > 0 ? widths[i] : 0;
    }
    for (int i = 0; i < count; i++) {
        double width = widths[i] < 0 ? -widths[i] * ui->unit : fmax(remaining, 0) * widths[i] / weight_sum;
        ui->cells[i] = (CairnArea){floor(x), ui->top, floor(width), ui->unit};
        x += width + ui->gap;
    }
    ui->cell_count = count;
    ui->cell = 0;
    ui->top += ui->unit + ui->gap;
}

void cairn_ui_columns(CairnUi *ui, int count) {
    double widths[CAIRN_UI_CELLS];
    count = count < CAIRN_UI_CELLS ? count : CAIRN_UI_CELLS;
    for (int i = 0; i < count; i++) {
        widths[i] = 1;
    }
    cairn_ui_row(ui, widths, count);
}

void cairn_ui_space(CairnUi *ui, double rows) {
    ui->cell_count = ui->cell = 0;
    ui->top += rows * ui->unit;
}

CairnArea cairn_ui_next(CairnUi *ui) {
    if (ui->cell >= ui->cell_count) {
        cairn_ui_columns(ui, 1);
    }
    return ui->cells[ui->cell++];
}

CairnArea cairn_ui_block(CairnUi *ui, double rows) {
    ui->cell_count = ui->cell = 0;
    CairnArea area = {ui->panel.x, ui->top, ui->panel.width, rows * ui->unit};
    ui->top += area.height + ui->gap;
    return area;
}

void cairn_ui_paragraph(CairnUi *ui, CairnPaint paint, const char *words) {
    double line = cairn_ink_line(ui->ink, CAIRN_FACE_SMALL), width = ui->panel.width;
    int lines = cairn_ink_paragraph(ui->ink, CAIRN_FACE_SMALL, 0, 0, width, NULL, words);
    CairnArea area = cairn_ui_block(ui, lines * line / ui->unit);
    cairn_ink_paragraph(ui->ink, CAIRN_FACE_SMALL, area.x, area.y, width, &paint, words);
}
