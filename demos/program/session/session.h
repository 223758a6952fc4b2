// Session: a scene in a world, set up by the options, ready to step.
#ifndef CAIRN_PROGRAM_SESSION_H
#define CAIRN_PROGRAM_SESSION_H

#include "demos/program/session/choice.h"
#include "demos/program/session/run_options.h"
#include "demos/program/session/source.h"
#include <cairn/audit.h>
#include <cairn/solve.h>
#include <cairn/world.h>

typedef struct CairnSession {
    CairnSource source;
    const CairnScene *scene;
    CairnWorld *world;
    CairnSceneRun run;
    void *params, *memory;
    CairnChoice choice; // the solver
    const CairnPartitioner *partitioner;
    void *partition_options; // NULL: none
    const CairnRefiner *refiner;
    void *refine_options;                                                   // NULL: none
    char partition_file[CAIRN_CHOICE_TEXT], refine_file[CAIRN_CHOICE_TEXT]; // what the last ones were called
    double dt;
    int steps;
    CairnAuditing auditing;
    CairnAudit *audit;        // NULL: off
    CairnAuditReport audited; // of the last step that was; step_index 0: none
} CairnSession;

// Where only frames are audited, overlaps and what was passed are looked for in every so many of them.
enum { CAIRN_SESSION_AUDIT_EVERY = 60 };

CairnStatus cairn_session_open(const CairnRunOptions *options, CairnSession *session);
// With this solver, of which the session keeps a copy, instead of what the options name.
CairnStatus cairn_session_open_with(const CairnRunOptions *options, const CairnChoice *choice, CairnSession *session);
// What solves it, as words that cairn_session_change takes back.
typedef struct CairnSessionSetup {
    char solver[CAIRN_CHOICE_TEXT], partition[CAIRN_CHOICE_TEXT], refine[CAIRN_CHOICE_TEXT];
} CairnSessionSetup;
CairnStatus cairn_session_setup(const CairnSession *session, CairnSessionSetup *setup);
// On an error all is as it was.
CairnStatus cairn_session_change(CairnSession *session, const char *solver, const char *partition, const char *refine);
// Run the scene's script, then step, and audit the step.
CairnStatus cairn_session_step(CairnSession *session, CairnStats *stats);
// The audit of the last step; NULL where there is none.
const CairnAuditReport *cairn_session_audited(const CairnSession *session);
// What divides its bodies into parts, for a solve beside its world's own.
CairnPartition cairn_session_partition(const CairnSession *session);
// Gives a world this solver and partition. On an error it may have taken some of them.
CairnStatus cairn_world_choose(CairnWorld *world, const CairnChoice *choice, const CairnPartition *partition);
// The partitioner's bound on the bodies of a part; 0: it has none.
int cairn_session_part_size(const CairnSession *session);
// The scene's own invariant; fine where it has none.
CairnStatus cairn_session_check(const CairnSession *session, const CairnStats *stats);
void cairn_session_close(CairnSession *session);

#endif
