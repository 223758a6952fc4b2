// History: the numbers of a view's last steps, for the charts.
#ifndef CAIRN_VIEWER_HISTORY_H
#define CAIRN_VIEWER_HISTORY_H

#include <cairn/stats.h>

typedef enum CairnQuantity {
    CAIRN_QUANTITY_STEP = 0, // ms, and then its stages
    CAIRN_QUANTITY_COLLIDE,
    CAIRN_QUANTITY_ASSEMBLE,
    CAIRN_QUANTITY_PARTITION,
    CAIRN_QUANTITY_SOLVE,
    CAIRN_QUANTITY_OTHER,
    CAIRN_QUANTITY_RESIDUAL,
    CAIRN_QUANTITY_CONE,
    CAIRN_QUANTITY_ITERATIONS,
    CAIRN_QUANTITY_COUPLING,
    CAIRN_QUANTITY_ENERGY,
    CAIRN_QUANTITY_PENETRATION,
    CAIRN_QUANTITY_JOINT_ERROR,
    CAIRN_QUANTITY_CONTACTS,
    CAIRN_QUANTITY_COUNT
} CairnQuantity;

typedef struct CairnMoment {
    int frame; // 0: none
    float values[CAIRN_QUANTITY_COUNT];
} CairnMoment;

// As long as the past that can be gone to.
typedef struct CairnHistory {
    CairnMoment *moments; // by frame
    int capacity, last;   // last: frame; 0: none
} CairnHistory;

const char *cairn_quantity_name(CairnQuantity quantity);
const char *cairn_quantity_unit(CairnQuantity quantity);
CairnMoment cairn_moment(const CairnStats *stats, int frame);
// Left out where there is no memory for it.
void cairn_history_add(CairnHistory *history, const CairnMoment *moment);
// What comes after this frame is no more: it will be another one.
void cairn_history_cut(CairnHistory *history, int frame);
void cairn_history_free(CairnHistory *history);
// NULL: it is not there.
const CairnMoment *cairn_history_at(const CairnHistory *history, int frame);

#endif
