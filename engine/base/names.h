// Names: which known names are near a mistyped one, offered one after another so that no list of them need exist.
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

#endif
