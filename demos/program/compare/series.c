#include "demos/program/compare/series.h"
#include <stdlib.h>

CairnStatus cairn_series_create(CairnSeries *series, int frames) {
    *series = (CairnSeries){.capacity = frames};
    series->values = malloc((size_t)frames * CAIRN_SERIES_COUNT * sizeof(double));
    return series->values ? cairn_ok()
                          : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the series of %d frames", frames);
}

void cairn_series_free(CairnSeries *series) {
    free(series->values);
    *series = (CairnSeries){.values = NULL};
}

void cairn_series_add(CairnSeries *series, const CairnStats *stats, const CairnAuditReport *audited,
                      double difference) {
    if (series->count >= series->capacity) { // the report does not want it
        return;
    }
    const double values[CAIRN_SERIES_COUNT] = {
        [CAIRN_SERIES_SOLVE] = 1e3 * stats->times.solve,
        [CAIRN_SERIES_SCALED] = stats->residual.scaled,
        [CAIRN_SERIES_LIMIT] = stats->residual.limit,
        [CAIRN_SERIES_ITERATIONS] = stats->solve.iterations,
        [CAIRN_SERIES_PENETRATION] = stats->penetration,
        [CAIRN_SERIES_JOINT_ERROR] = stats->joint_error_linear,
        [CAIRN_SERIES_ENERGY] = stats->kinetic_energy + stats->potential_energy,
        [CAIRN_SERIES_AUDIT] = audited ? audited->ratio : 0,
        [CAIRN_SERIES_DIFFERENCE] = difference,
    };
    for (int kind = 0; kind < CAIRN_SERIES_COUNT; kind++) {
        series->values[(size_t)kind * (size_t)series->capacity + (size_t)series->count] = values[kind];
    }
    series->count += 1;
}

const double *cairn_series_of(const CairnSeries *series, CairnSeriesKind kind) {
    return series->values + (size_t)kind * (size_t)series->capacity;
}
