// Names: to find one in a list, and which known ones are near a mistyped one, offered one after another so that no list
// of them need exist.
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include "engine/base/text.h"

enum { CAIRN_NEAR_MAX = 3 };

typedef struct CairnNearNames {
    const char *wanted;
    const char *best[CAIRN_NEAR_MAX]; // nearest first; of equally near ones the first offered
    int score[CAIRN_NEAR_MAX];
    int count;
} CairnNearNames;

CairnNearNames cairn_near_begin(const char *wanted);
void cairn_near_offer(CairnNearNames *near, const char *name);
void cairn_near_write(const CairnNearNames *near, CairnText *text); // "a, b, c"; whole names only

enum { CAIRN_HINT_SIZE = 128 };

// The index of the one of `names` that is `name`. Where none is: -1, and `hint` receives "; near: a, b, c", or nothing
// where none is near.
int cairn_name_find(const char *name, const char *const *names, int count, char hint[CAIRN_HINT_SIZE]);

#endif
