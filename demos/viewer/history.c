#include "demos/viewer/history.h"
#include "demos/program/session/reserve.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const struct {
    const char *name, *unit;
} quantities[CAIRN_QUANTITY_COUNT] = {
    [CAIRN_QUANTITY_STEP] = {"step", "ms"},
    [CAIRN_QUANTITY_COLLIDE] = {"collide", "ms"},
    [CAIRN_QUANTITY_ASSEMBLE] = {"assemble", "ms"},
    [CAIRN_QUANTITY_PARTITION] = {"partition", "ms"},
    [CAIRN_QUANTITY_SOLVE] = {"solve", "ms"},
    [CAIRN_QUANTITY_OTHER] = {"other", "ms"},
    [CAIRN_QUANTITY_RESIDUAL] = {"residual", "m/s"},
    [CAIRN_QUANTITY_CONE] = {"cone", ""},
    [CAIRN_QUANTITY_ITERATIONS] = {"iterations", ""},
    [CAIRN_QUANTITY_COUPLING] = {"coupling", ""},
    [CAIRN_QUANTITY_ENERGY] = {"energy", "J"},
    [CAIRN_QUANTITY_PENETRATION] = {"penetration", "m"},
    [CAIRN_QUANTITY_JOINT_ERROR] = {"joint error", "m"},
    [CAIRN_QUANTITY_CONTACTS] = {"contacts", ""},
};

const char *cairn_quantity_name(CairnQuantity quantity) {
    return quantities[quantity].name;
}

const char *cairn_quantity_unit(CairnQuantity quantity) {
    return quantities[quantity].unit;
}

CairnMoment cairn_moment(const CairnStats *stats, int frame) {
    const CairnTimes *t = &stats->times;
    double collide = t->broad + t->narrow, stages = collide + t->assemble + t->partition + t->solve;
    double values[CAIRN_QUANTITY_COUNT] = {
        [CAIRN_QUANTITY_STEP] = 1e3 * t->step,
        [CAIRN_QUANTITY_COLLIDE] = 1e3 * collide,
        [CAIRN_QUANTITY_ASSEMBLE] = 1e3 * t->assemble,
        [CAIRN_QUANTITY_PARTITION] = 1e3 * t->partition,
        [CAIRN_QUANTITY_SOLVE] = 1e3 * t->solve,
        [CAIRN_QUANTITY_OTHER] = 1e3 * fmax(t->step - stages, 0),
        [CAIRN_QUANTITY_RESIDUAL] = stats->residual.scaled,
        [CAIRN_QUANTITY_CONE] = stats->residual.cone,
        [CAIRN_QUANTITY_ITERATIONS] = stats->solve.iterations,
        [CAIRN_QUANTITY_COUPLING] = stats->solve.coupling,
        [CAIRN_QUANTITY_ENERGY] = stats->kinetic_energy + stats->potential_energy,
        [CAIRN_QUANTITY_PENETRATION] = stats->penetration,
        [CAIRN_QUANTITY_JOINT_ERROR] = stats->joint_error_linear,
        [CAIRN_QUANTITY_CONTACTS] = stats->contacts,
    };
    CairnMoment moment = {.frame = frame};
    for (int i = 0; i < CAIRN_QUANTITY_COUNT; i++) {
        moment.values[i] = (float)values[i];
    }
    return moment;
}

void cairn_history_add(CairnHistory *history, const CairnMoment *moment) {
    int frame = moment->frame;
    if (!cairn_array_reserve(&history->moments, &history->capacity, frame + 1, sizeof *history->moments)) {
        return;
    }
    for (int skipped = history->last + 1; skipped < frame; skipped++) {
        history->moments[skipped].frame = 0;
    }
    if (frame > 0) {
        history->moments[frame] = *moment;
        history->last = frame > history->last ? frame : history->last;
    }
}

void cairn_history_cut(CairnHistory *history, int frame) {
    history->last = history->last < frame ? history->last : frame;
}

void cairn_history_free(CairnHistory *history) {
    free(history->moments);
    *history = (CairnHistory){.moments = NULL};
}

const CairnMoment *cairn_history_at(const CairnHistory *history, int frame) {
    bool is_there = frame > 0 && frame <= history->last && history->moments[frame].frame == frame;
    return is_there ? &history->moments[frame] : NULL;
}
