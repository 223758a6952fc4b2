// Ui: immediate-mode widgets. The code that draws a panel lists its widgets each turn; a widget returns at once what
// was done to it, and nothing but the pressed widget, an open menu, the text being typed and how far panels are
// scrolled is kept between turns.
#ifndef CAIRN_VIEWER_UI_H
#define CAIRN_VIEWER_UI_H

#include "demos/viewer/theme.h"
#include <cairn/fields.h>

typedef enum CairnUiKey { CAIRN_UI_ENTER = 1, CAIRN_UI_ESCAPE, CAIRN_UI_ERASE, CAIRN_UI_UP, CAIRN_UI_DOWN } CairnUiKey;

enum { CAIRN_UI_KEYS = 32, CAIRN_UI_TEXT = 96, CAIRN_UI_AREAS = 16, CAIRN_UI_SCROLLS = 24, CAIRN_UI_CELLS = 16 };

// What was done since the turn before.
typedef struct CairnUiInput {
    double x, y; // of the mouse, pixels
    bool is_down, was_pressed, was_released;
    double wheel;
    char text[CAIRN_UI_TEXT];
    CairnUiKey keys[CAIRN_UI_KEYS];
    int key_count;
} CairnUiInput;

typedef struct CairnUi {
    CairnInk *ink;
    const CairnTheme *theme;
    double unit; // height of a row with its gap
    double gap;
    CairnUiInput input;
    // kept between turns
    unsigned active;                            // the widget that the mouse holds
    unsigned focus;                             // the widget that text goes to
    unsigned menu;                              // the one that is open
    double grip_x, grip_y;                      // where the mouse took hold
    char edit[CAIRN_UI_TEXT];                   // of the focus
    bool edit_is_whole;                         // the next letter replaces all of it
    int marked;                                 // of a list, by the arrow keys
    CairnArea areas[CAIRN_UI_AREAS], menu_area; // of the last turn: the mouse over them is theirs
    int area_count;
    struct CairnUiScroll {
        unsigned id;
        double offset, height;
    } scrolls[CAIRN_UI_SCROLLS];
    // of this turn
    CairnArea next_areas[CAIRN_UI_AREAS], next_menu_area;
    int next_area_count;
    char hint[200];
    // the panel being filled
    unsigned seed;
    CairnArea panel;
    double top; // of the next row
    CairnArea cells[CAIRN_UI_CELLS];
    int cell_count, cell;
    struct CairnUiScroll *scroll;
} CairnUi;

// ---- layout.c ----

void cairn_ui_open(CairnUi *ui, CairnInk *ink);
// A turn begins with what was done, and ends with the hint under the mouse.
void cairn_ui_begin(CairnUi *ui, const CairnTheme *theme, const CairnUiInput *input);
void cairn_ui_end(CairnUi *ui, double width, double height);
// Is the mouse a panel's, and are the keys a text field's? As the last turn left it.
bool cairn_ui_takes_mouse(const CairnUi *ui, double x, double y);
bool cairn_ui_takes_keys(const CairnUi *ui);

// A panel that scrolls where its rows need more than it has.
void cairn_ui_panel(CairnUi *ui, const char *name, CairnArea area);
void cairn_ui_panel_end(CairnUi *ui);
// The next row has cells of these widths: above 0 fractions of the remaining width, below 0 rows' heights, as many as
// stand before the 0.
void cairn_ui_row(CairnUi *ui, const double *widths, int count);
void cairn_ui_columns(CairnUi *ui, int count); // of the same width
void cairn_ui_space(CairnUi *ui, double rows);
CairnArea cairn_ui_next(CairnUi *ui); // the next cell; a whole row where no cells were set
CairnArea cairn_ui_block(CairnUi *ui, double rows);

// ---- widgets.c ----

unsigned cairn_ui_id(const CairnUi *ui, const char *name);
void cairn_ui_hint(CairnUi *ui, CairnArea area, const char *words);
void cairn_ui_title(CairnUi *ui, const char *words);
void cairn_ui_label(CairnUi *ui, CairnPaint paint, const char *words);
// A text that is cut at the end of a phrase if not all of it fits.
void cairn_ui_phrase(CairnUi *ui, CairnPaint paint, const char *words);
void cairn_ui_middle(CairnUi *ui, CairnPaint paint, const char *words); // a label in the middle of its cell
void cairn_ui_pair(CairnUi *ui, const char *name, const char *value);   // faint name, value
void cairn_ui_paragraph(CairnUi *ui, CairnPaint paint, const char *words);
bool cairn_ui_button(CairnUi *ui, const char *words);
bool cairn_ui_tab(CairnUi *ui, const char *words, bool is_chosen);
bool cairn_ui_toggle(CairnUi *ui, const char *words, bool *is_on);

typedef struct CairnUiRange {
    double least, most, step; // step 0: none
    bool is_log, is_cubic;
    const char *unit;
} CairnUiRange;

// Drag it, or click and type. True when the value changed.
bool cairn_ui_slider(CairnUi *ui, const char *name, double *value, CairnUiRange range);
// True when the text was finished (enter, or a click elsewhere); it is then `text`.
bool cairn_ui_text(CairnUi *ui, const char *name, char *text, size_t size);

// ---- lists.c ----

typedef const char *CairnUiName(const void *user, int index);

// `help` may be NULL. True when another one was chosen.
bool cairn_ui_menu(CairnUi *ui, const char *name, CairnUiName *names, CairnUiName *help, const void *user, int count,
                   int *chosen);
// A field to type in, and the entries whose name or help contains what was typed; true when one was chosen.
bool cairn_ui_list(CairnUi *ui, const char *name, char *filter, size_t size, CairnUiName *names, CairnUiName *help,
                   const void *user, int count, int *chosen);

// ---- fields.c ----

// A widget for each field of a table, by its type and range. Answers the field that was changed, or -1; a refusal goes
// to `status`.
int cairn_ui_fields(CairnUi *ui, const CairnFieldTable *table, void *object, CairnStatus *status);

#endif
