#include "engine/base/names.h"

#include <cairn/fields.h>
#include <limits.h>
#include <string.h>

enum { LONGEST = 63 }; // characters beyond these are not compared

// Case, and which of '-' and '_' was meant, are no difference. ASCII only, whatever the locale.
static char folded(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c == '-' ? '_' : c;
}

static int fold(const char *name, char out[LONGEST + 1]) {
    int length = 0;
    while (length < LONGEST && name[length] != '\0') {
        out[length] = folded(name[length]);
        length++;
    }
    out[length] = '\0';
    return length;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace, or swap two neighbours. Three rows
// of the table are enough, for a swap looks two rows back.
static int edit_distance(const char *a, int a_length, const char *b, int b_length) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= b_length; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = least(replaced, 1 + least(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

// Lower is nearer; INT_MAX: not near. One edit goes before a beginning of the name, that before two edits, and after
// those a part inside the name, or the name with something behind it.
static int score(const char *wanted, const char *name) {
    char a[LONGEST + 1], b[LONGEST + 1];
    int a_length = fold(wanted, a), b_length = fold(name, b);
    if (a_length == 0 || b_length == 0) {
        return INT_MAX;
    }
    int distance = edit_distance(a, a_length, b, b_length);
    int limit = a_length <= 3 ? 1 : a_length <= 8 ? 2 : a_length / 3;
    int best = distance <= limit ? 2 * distance : INT_MAX;
    if (a_length >= 2 && strncmp(b, a, (size_t)a_length) == 0) {
        best = least(best, 3);
    } else if ((a_length >= 2 && strstr(b, a) != NULL) || (b_length >= 3 && strncmp(a, b, (size_t)b_length) == 0)) {
        best = least(best, 5);
    }
    return best;
}

CairnNearNames cairn_near_begin(const char *wanted) {
    return (CairnNearNames){.wanted = wanted, .count = 0};
}

void cairn_near_offer(CairnNearNames *near, const char *name) {
    int value = score(near->wanted, name);
    if (value == INT_MAX) {
        return;
    }
    int at = near->count;
    while (at > 0 && value < near->score[at - 1]) {
        at--;
    }
    if (at == CAIRN_NEAR_MAX) {
        return;
    }
    int last = near->count < CAIRN_NEAR_MAX ? near->count++ : CAIRN_NEAR_MAX - 1;
    for (int i = last; i > at; i--) {
        near->best[i] = near->best[i - 1];
        near->score[i] = near->score[i - 1];
    }
    near->best[at] = name;
    near->score[at] = value;
}

void cairn_near_write(const CairnNearNames *near, CairnText *text) {
    for (int i = 0; i < near->count; i++) {
        const char *comma = i == 0 ? "" : ", ";
        if (text->length + strlen(comma) + strlen(near->best[i]) >= text->size) {
            return;
        }
        cairn_text_add(text, "%s%s", comma, near->best[i]);
    }
}

void cairn_near_names(const char *name, const char *const *names, int count, char *text, size_t size) {
    CairnNearNames near = cairn_near_begin(name);
    for (int i = 0; i < count; i++) {
        cairn_near_offer(&near, names[i]);
    }
    CairnText out = cairn_text(text, size);
    cairn_near_write(&near, &out);
}

int cairn_name_find(const char *name, const char *const *names, int count, char hint[CAIRN_HINT_SIZE]) {
    CairnNearNames near = cairn_near_begin(name);
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
        cairn_near_offer(&near, names[i]);
    }
    CairnText out = cairn_text(hint, CAIRN_HINT_SIZE);
    if (near.count > 0) {
        cairn_text_add(&out, "; near: ");
        cairn_near_write(&near, &out);
    }
    return -1;
}
