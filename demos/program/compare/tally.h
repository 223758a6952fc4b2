// Tally: the statistics of a run, frame by frame, and what becomes of them: means, percentiles by sorting, the verdict.
#ifndef CAIRN_PROGRAM_TALLY_H
#define CAIRN_PROGRAM_TALLY_H

#include <cairn/audit.h>
#include <cairn/world.h>

enum {
    CAIRN_STAGE_STEP = 0,
    CAIRN_STAGE_BROAD,
    CAIRN_STAGE_NARROW,
    CAIRN_STAGE_ASSEMBLE,
    CAIRN_STAGE_PARTITION,
    CAIRN_STAGE_SOLVE,
    CAIRN_STAGE_INTEGRATE,
    CAIRN_STAGE_COUNT
};

extern const char *const cairn_stage_names[CAIRN_STAGE_COUNT];

// Of CairnSolvePhases, in its order.
enum { CAIRN_PHASE_COUNT = sizeof(CairnSolvePhases) / sizeof(double) };

extern const char *const cairn_phase_names[CAIRN_PHASE_COUNT];

typedef struct CairnMean {
    double sum, max;
} CairnMean;

typedef struct CairnSpread {
    double mean, p50, p99, max;
} CairnSpread;

// What the audit found of one term over a run: its worst frame.
typedef struct CairnTallyTerm {
    CairnAuditFinding worst;
    double ratio; // of its value to its limit
    int frame;    // 0: the term was not checked
    int broken;   // frames in which it was beyond its limit
} CairnTallyTerm;

// Frames whose answer a method computed that is not the solver named, or that the solver picked.
typedef struct CairnTallyFinisher {
    const char *name; // CairnSolveReport's
    int frames;
} CairnTallyFinisher;

enum { CAIRN_TALLY_FINISHERS = 12 };

typedef struct CairnTally {
    int frames, capacity;
    double *times; // CAIRN_STAGE_COUNT series of `capacity` frames, ms
    CairnMean contacts, rows, interface_rows, parts, part_largest, part_balance, iterations, coupling, factorizations;
    CairnMean changed, refactored;       // subsystems, coupling iteration by coupling iteration
    CairnMean phases[CAIRN_PHASE_COUNT]; // of the solve, ms
    CairnMean natural, scaled, fb, cone, penetration, joint_linear, joint_angular;
    int at_limit, coupling_at_limit;                     // frames that a limit ended
    int fallbacks;                                       // frames that another method finished for the solver named
    CairnTallyFinisher finishers[CAIRN_TALLY_FINISHERS]; // in the order in which they came
    int finisher_count;
    int certified;
    double worst; // largest scaled residual among the frames that were not certified
    int worst_frame;
    uint64_t worst_id;
    bool is_worst_contact;
    int audited, fully_audited, sound; // frames
    CairnMean audit, audit_pairs;      // ms a frame: of momentum, energy and joints; of overlaps and what was passed
    CairnTallyTerm terms[CAIRN_AUDIT_TERM_COUNT];
    CairnAuditReport unsound; // the worst frame that is not sound
    int unsound_frame;
    CairnBodyId worst_bodies[2];
    double worst_masses[2]; // kg
    double energy_first, energy_last, energy_max;
    long long allocations;      // of all frames
    long long late_allocations; // of the second half
    int late_frames;
    int bodies, joints, dofs;
} CairnTally;

CairnStatus cairn_tally_create(CairnTally *tally, int frames);
void cairn_tally_free(CairnTally *tally);
// `world` gives whether the worst row belongs to a contact; `audited` is NULL where the step was not audited.
void cairn_tally_add(CairnTally *tally, const CairnStats *stats, const CairnWorld *world,
                     const CairnAuditReport *audited);

double cairn_tally_mean(const CairnTally *tally, CairnMean mean);
// Percentiles by nearest rank: the smallest value that at least p of all do not exceed.
CairnStatus cairn_tally_spread(const CairnTally *tally, int stage, CairnSpread *spread);
// "newton-cone 598, ipm-cone 2"; empty where the solver named has computed all answers.
void cairn_tally_finishers(const CairnTally *tally, char *text, size_t size);
// "certified: 600 of 600 frames", or what was not.
int cairn_tally_verdict(const CairnTally *tally, char *text, size_t size);
// "sound: 600 of 600 frames", or the worst that was not, or that nothing was audited.
int cairn_tally_soundness(const CairnTally *tally, char *text, size_t size);

#endif
