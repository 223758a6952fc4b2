// Compare: several solvers on one scene. In lockstep the reference drives the motion and every solver gets the same
// problem at every frame, with its own warm start; in free mode each drives its own copy of the world.
#ifndef CAIRN_PROGRAM_COMPARE_H
#define CAIRN_PROGRAM_COMPARE_H

#include "demos/program/compare/series.h"
#include "demos/program/compare/tally.h"
#include "demos/program/session/session.h"
#include "engine/base/arena.h"
#include <stdio.h>

enum { CAIRN_COMPARE_PICTURES = 3 };

typedef struct CairnContender {
    CairnChoice choice;
    CairnTally tally;
    CairnSeries series;   // for the report; else it has no room
    CairnSession session; // free mode: its own world
    FILE *csv;
    char csv_path[CAIRN_RUN_PATH];
    CairnStatus ended; // not fine: it refused or failed at frame `ended_at`, and is not called again
    int ended_at;
    CairnStatus broken; // the scene's invariant that did not hold at frame `broken_at`
    int broken_at;

    // lockstep
    CairnArena arena;
    void *memory;   // what the solver keeps from frame to frame
    double *lambda; // of this frame; `last` of the one before, its warm start
    double *last, *velocity;
    int row_capacity, last_capacity, velocity_capacity;
    CairnMean difference;   // max |v - v_ref| over the dofs, m/s
    double worst_ratio;     // the largest difference / limit, the limit being that of the frame's certificate
    int worst_ratio_at;     // its frame
    int agreeing;           // frames in which the difference was within the limit
    double last_difference; // of the last frame, with its limit: for CSV
    double last_limit;
} CairnContender;

// A constraint of one frame, to find the same feature in the next.
typedef struct CairnFeature {
    uint64_t id;
    int first_row, row_count;
    bool has_tangents;
    CairnVec3 tangent_1, tangent_2;
} CairnFeature;

// The part of a dof block in the last frame, for partitioners that start from the last partition.
typedef struct CairnBlockPart {
    uint64_t id;
    int part;
} CairnBlockPart;

typedef struct CairnLockstep {
    CairnFeature *features, *last; // sorted by id
    int count, last_count, capacity, last_capacity;
    CairnContact *contacts;
    int contact_capacity;
    double *reference; // velocities of the motion that the reference drives
    int reference_capacity;
    CairnArena arena;
    CairnBlockPart *block_parts;
    int block_part_count, block_part_capacity;
    int last_part_count; // parts of the last frame
} CairnLockstep;

void cairn_lockstep_open(CairnLockstep *lockstep, const CairnAllocator *allocator);
void cairn_lockstep_close(CairnLockstep *lockstep);
// Gives the problem of the session's last step, whose statistics are `stats`, to every contender that has not ended.
CairnStatus cairn_lockstep_frame(CairnLockstep *lockstep, const CairnSession *session, const CairnStats *stats,
                                 CairnContender *contenders, int count);

void cairn_contender_close(CairnContender *contender, const CairnAllocator *allocator);

typedef struct CairnComparison {
    bool is_free;
    bool is_law_chosen; // the law of friction is the richest that all take: the options named none
    int reference;      // index
    CairnContender *contenders;
    int count;
    CairnAllocator allocator;
    CairnSession driver; // lockstep: the reference's world
    CairnStatus broken;  // lockstep: the scene's invariant that its motion did not hold
    int broken_at;
} CairnComparison;

// The session whose world a contender's numbers come from.
const CairnSession *cairn_comparison_session(const CairnComparison *comparison, int index);
// What is to be said of a law that the options did not name; empty where they did.
const char *cairn_comparison_law_words(const CairnComparison *comparison);
CairnStatus cairn_comparison_table(FILE *file, const CairnComparison *comparison);
CairnStatus cairn_comparison_json(FILE *file, const CairnComparison *comparison);
// A page with table, charts and the pictures DIR/frame-*.png, to be sent as it is. `command` is how to get it again.
CairnStatus cairn_comparison_html(FILE *file, const CairnComparison *comparison, const char *folder,
                                  const char *command);
// Draw the pictures of this frame that the report shows.
CairnStatus cairn_comparison_picture(const CairnSession *session, int index, const char *folder, int frame,
                                     bool is_certified);
void cairn_comparison_csv_head(FILE *file, const CairnComparison *comparison);
// A frame of a contender's, for its CSV file and the report's charts.
void cairn_comparison_record(const CairnComparison *comparison, CairnContender *contender, const CairnStats *stats,
                             const CairnAuditReport *audited);

#endif
