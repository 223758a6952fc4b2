// Report: the results of a run as a table for people, as JSON and CSV for programs.
#ifndef CAIRN_PROGRAM_REPORT_H
#define CAIRN_PROGRAM_REPORT_H

#include "demos/program/compare/tally.h"
#include "demos/program/formats/json.h"
#include "demos/program/session/session.h"

CairnStatus cairn_report_table(FILE *file, const CairnSession *session, const CairnTally *tally);
// What the numbers depend on: every table ends with it.
void cairn_report_settings(FILE *file, const CairnSession *session);
// The members that docs/program.md lists for `run --json`, into an object that is open. `choice` is the solver: the
// session's own or, in lockstep, one that was given the session's problems.
CairnStatus cairn_report_json(CairnJson *json, const CairnSession *session, const CairnChoice *choice,
                              const CairnTally *tally);
// Without the end of the line, so that a command may add columns.
void cairn_report_csv_head(FILE *file);
void cairn_report_csv_line(FILE *file, const CairnStats *stats, const CairnAuditReport *audited);

#endif
