// A glyph is a few strokes parted by spaces; a stroke is pairs of digits x y, with the baseline at y = 2, small letters
// up to 6, capitals up to 8 and descenders down to 0. A stroke that begins with '~' is an open curve and with '@' a
// closed one: their corners are cut twice (Chaikin), which turns a frame into a round letter.
#include "demos/program/render/render_font.h"
#include <cairn/math.h>
#include <math.h>

static const char *const glyphs[128] = {
    ['!'] = "0804 02",
    ['"'] = "0806 1816",
    ['#'] = "1317 3337 0444 0646",
    ['%'] = "0248 @08282606 @24444222",
    ['\''] = "0806",
    ['('] = "~19070311",
    [')'] = "~09171301",
    ['*'] = "2723 0644 4604",
    ['+'] = "0444 2622",
    [','] = "1201",
    ['-'] = "0525",
    ['.'] = "02",
    ['/'] = "0238",
    ['0'] = "@08383202",
    ['1'] = "071812",
    ['2'] = "~0708383502 0232",
    ['3'] = "~08383515 ~15353202",
    ['4'] = "280434 2522",
    ['5'] = "380805 ~05353202",
    ['6'] = "~380804 @05353202",
    ['7'] = "083812",
    ['8'] = "@08383505 @05353202",
    ['9'] = "@08383505 ~363202",
    [':'] = "02 05",
    [';'] = "1201 15",
    ['<'] = "360432",
    ['='] = "0333 0535",
    ['>'] = "063402",
    ['?'] = "~08383515 1514 12",
    ['A'] = "022842 1434",
    ['B'] = "0208 ~08383505 ~05454202",
    ['C'] = "~48080242",
    ['D'] = "0208 ~08484202",
    ['E'] = "48080242 0535",
    ['F'] = "480802 0535",
    ['G'] = "~4808024245 4525",
    ['H'] = "0802 4842 0545",
    ['I'] = "1812 0828 0222",
    ['J'] = "~38320204",
    ['K'] = "0802 480542",
    ['L'] = "080242",
    ['M'] = "0208254842",
    ['N'] = "02084248",
    ['O'] = "@08484202",
    ['P'] = "0208 ~08484505",
    ['Q'] = "@08484202 2442",
    ['R'] = "0208 ~08484505 2542",
    ['S'] = "~480805454202",
    ['T'] = "0848 2822",
    ['U'] = "~08024248",
    ['V'] = "082248",
    ['W'] = "0812263248",
    ['X'] = "0842 4802",
    ['Y'] = "082548 2522",
    ['Z'] = "08480242",
    ['['] = "19090111",
    ['\\'] = "0832",
    [']'] = "09191101",
    ['_'] = "0141",
    ['a'] = "@06363202 3632",
    ['b'] = "0802 @06363202",
    ['c'] = "~36060232",
    ['d'] = "@06363202 3832",
    ['e'] = "0434 ~3436060232",
    ['f'] = "~281812 0626",
    ['g'] = "@06363202 ~363000",
    ['h'] = "0802 ~04063632",
    ['i'] = "0602 08",
    ['j'] = "~161000 18",
    ['k'] = "0802 360432",
    ['l'] = "~080212",
    ['m'] = "0602 ~04062622 ~24264642",
    ['n'] = "0602 ~04063632",
    ['o'] = "@06363202",
    ['p'] = "0600 @06363202",
    ['q'] = "@06363202 3630",
    ['r'] = "0602 ~040626",
    ['s'] = "~360604343202",
    ['t'] = "~181222 0626",
    ['u'] = "~06023234 3632",
    ['v'] = "062246",
    ['w'] = "0612263246",
    ['x'] = "0632 3602",
    ['y'] = "0622 4610",
    ['z'] = "06360232",
    ['|'] = "0901",
};

enum { MAX_POINTS = 64, MAX_SEGMENTS = 192 };

typedef struct Point {
    double x, y;
} Point;

typedef struct Glyph {
    Point a[MAX_SEGMENTS], b[MAX_SEGMENTS];
    int count;
    double width;
} Glyph;

// One round of corner cutting; an open curve keeps its ends. Returns the new number of points.
static int cut_corners(const Point *in, int count, bool is_closed, Point *out) {
    int n = 0;
    if (!is_closed) {
        out[n++] = in[0];
    }
    for (int i = 0; i < (is_closed ? count : count - 1); i++) {
        Point p = in[i], q = in[(i + 1) % count];
        out[n++] = (Point){0.75 * p.x + 0.25 * q.x, 0.75 * p.y + 0.25 * q.y};
        out[n++] = (Point){0.25 * p.x + 0.75 * q.x, 0.25 * p.y + 0.75 * q.y};
    }
    if (!is_closed) {
        out[n++] = in[count - 1];
    }
    return n;
}

static void add_stroke(Glyph *glyph, Point *points, int count, char kind) {
    Point other[MAX_POINTS];
    bool is_closed = kind == '@';
    if (kind == '@' || kind == '~') {
        count = cut_corners(points, count, is_closed, other);
        count = cut_corners(other, count, is_closed, points);
    }
    int segments = is_closed || count == 1 ? count : count - 1; // a lone point is a dot
    for (int i = 0; i < segments && glyph->count < MAX_SEGMENTS; i++) {
        glyph->a[glyph->count] = points[i];
        glyph->b[glyph->count++] = points[(i + 1) % count];
    }
}

static void load(Glyph *glyph, char character) {
    int code = (unsigned char)character;
    const char *text = code < 128 && glyphs[code] ? glyphs[code] : "0848420208";
    *glyph = (Glyph){.count = 0, .width = 0};
    if (character == ' ') {
        glyph->width = 1.5;
        return;
    }
    while (*text) {
        char kind = *text == '~' || *text == '@' ? *text++ : ' ';
        Point points[MAX_POINTS];
        int count = 0;
        // At most ten corners a stroke, so that two cuts fit MAX_POINTS.
        while (text[0] && text[0] != ' ' && text[1] && text[1] != ' ' && count < 10) {
            points[count] = (Point){text[0] - '0', text[1] - '2'};
            glyph->width = fmax(glyph->width, points[count++].x);
            text += 2;
        }
        while (*text && *text != ' ') {
            text++;
        }
        text += *text == ' ';
        if (count > 0) {
            add_stroke(glyph, points, count, kind);
        }
    }
}

static double distance_to(Point a, Point b, double x, double y) {
    double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    double t = length > 0 ? cairn_clamp(((x - a.x) * dx + (y - a.y) * dy) / length, 0, 1) : 0;
    return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

static const double spacing = 1.7, weight = 0.82; // of a sixth of the capitals' height

static void draw_glyph(CairnImage *image, const Glyph *glyph, double x, double y, double unit, CairnColor color) {
    for (int row = (int)(y - 8 * unit); row <= (int)(y + 4 * unit); row++) {
        for (int column = (int)(x - unit); column <= (int)(x + (glyph->width + 1) * unit); column++) {
            double nearest = 1e9;
            for (int i = 0; i < glyph->count; i++) {
                double d = distance_to(glyph->a[i], glyph->b[i], (column + 0.5 - x) / unit, (y - row - 0.5) / unit);
                nearest = fmin(nearest, d);
            }
            cairn_image_blend(image, column, row, color, 0.5 + (0.5 * weight - nearest) * unit);
        }
    }
}

double cairn_font_draw(CairnImage *image, double x, double y, double size, CairnColor color, const char *text) {
    double unit = size / 6, start = x;
    for (; *text; text++) {
        Glyph glyph;
        load(&glyph, *text);
        draw_glyph(image, &glyph, x, y, unit, color);
        x += (glyph.width + spacing) * unit;
    }
    return x - start;
}

double cairn_font_width(double size, const char *text) {
    double width = 0;
    for (; *text; text++) {
        Glyph glyph;
        load(&glyph, *text);
        width += (glyph.width + spacing) * size / 6;
    }
    return width;
}
