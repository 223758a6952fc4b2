#include "demos/program/compare/html.h"

// Calm in both lights; the curves' colours are distinguishable for the colour-blind too (after Okabe and Ito).
static const char style[] =
    ":root{--ink:#1d2733;--soft:#5c6875;--line:#d5dbe1;--ground:#ffffff;--panel:#f5f7f9;--good:#00714f;--bad:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#9aa7b4;--line:#37424d;--ground:#12181e;"
    "--panel:#1a2229;--good:#4fc79b;--bad:#ff8a80}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);max-width:1080px;margin:2rem "
    "auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;margin-bottom:0}h2{font-size:1.15rem;margin-top:2rem}p.soft,figcaption,caption{color:var(--"
    "soft)}\n"
    "table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}th,td{padding:.3rem "
    ".55rem;"
    "text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}th:first-child,td:first-child{"
    "text-align:left}.scroll{overflow-x:auto}\n"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}\n"
    "pre{background:var(--panel);padding:.7rem;overflow-x:auto}figure{margin:1rem 0}img{max-width:100%}\n"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:.8rem}.pictures "
    "figure{margin:0}\n"
    "svg{width:100%;height:auto;background:var(--panel)}svg text{fill:var(--soft);font:11px system-ui,sans-serif}"
    "svg .grid{stroke:var(--line)}svg polyline{fill:none;stroke-width:1.4;stroke-linejoin:round}"
    "svg .limit{stroke:var(--soft);stroke-dasharray:5 4}svg .title{fill:var(--ink);font-size:13px;font-weight:600}\n";

static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f"};

enum { COLORS = sizeof(colors) / sizeof(colors[0]) };

void cairn_html_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

void cairn_html_open(FILE *file, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    cairn_html_text(file, title);
    fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n", style);
}

void cairn_html_close(FILE *file) {
    fputs("</body></html>\n", file);
}

// ---- pictures ----

static void write_base64(FILE *file, FILE *source) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char three[3];
    for (size_t count; (count = fread(three, 1, 3, source)) > 0;) {
        unsigned bits = (unsigned)three[0] << 16;
        bits |= count > 1 ? (unsigned)three[1] << 8 : 0;
        bits |= count > 2 ? three[2] : 0;
        fputc(digits[bits >> 18], file);
        fputc(digits[bits >> 12 & 63], file);
        fputc(count > 1 ? digits[bits >> 6 & 63] : '=', file);
        fputc(count > 2 ? digits[bits & 63] : '=', file);
    }
}

CairnStatus cairn_html_picture(FILE *file, const char *path, const char *caption) {
    FILE *source = fopen(path, "rb");
    if (!source) {
        return cairn_error(CAIRN_IO, "cannot read the picture %s back", path);
    }
    fputs("<figure><img alt=\"", file);
    cairn_html_text(file, caption);
    fputs("\" src=\"data:image/png;base64,", file);
    write_base64(file, source);
    fputs("\"><figcaption>", file);
    cairn_html_text(file, caption);
    fputs("</figcaption></figure>\n", file);
    bool has_failed = ferror(source) != 0;
    fclose(source);
    return has_failed ? cairn_error(CAIRN_IO, "cannot read the picture %s back", path) : cairn_ok();
}

const char *cairn_html_color(int index) {
    return colors[index % COLORS];
}
