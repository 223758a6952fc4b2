// Series: what a run was like frame by frame, for charts.
#ifndef CAIRN_PROGRAM_SERIES_H
#define CAIRN_PROGRAM_SERIES_H

#include <cairn/audit.h>
#include <cairn/stats.h>
#include <cairn/status.h>

typedef enum CairnSeriesKind {
    CAIRN_SERIES_SOLVE = 0, // ms
    CAIRN_SERIES_SCALED,    // residual, m/s
    CAIRN_SERIES_LIMIT,     // of the certificate, m/s
    CAIRN_SERIES_ITERATIONS,
    CAIRN_SERIES_PENETRATION, // m
    CAIRN_SERIES_JOINT_ERROR, // m
    CAIRN_SERIES_ENERGY,      // J
    CAIRN_SERIES_AUDIT,       // the worst of the audit's values divided by its limit; 0: not audited
    CAIRN_SERIES_DIFFERENCE,  // of velocities to the reference's, m/s
    CAIRN_SERIES_COUNT
} CairnSeriesKind;

typedef struct CairnSeries {
    double *values; // a kind after the other
    int count, capacity;
} CairnSeries;

CairnStatus cairn_series_create(CairnSeries *series, int frames);
void cairn_series_free(CairnSeries *series);
// `audited`: NULL where the step was not.
void cairn_series_add(CairnSeries *series, const CairnStats *stats, const CairnAuditReport *audited, double difference);
// `count` values.
const double *cairn_series_of(const CairnSeries *series, CairnSeriesKind kind);

#endif
