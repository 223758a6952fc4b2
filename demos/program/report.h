// Report: the results of a run as a table for people, as JSON and CSV for programs.
#ifndef CAIRN_PROGRAM_REPORT_H
#define CAIRN_PROGRAM_REPORT_H

#include "demos/program/json.h"
#include "demos/program/session.h"
#include "demos/program/tally.h"

CairnStatus cairn_report_table(FILE *file, const CairnSession *session, const CairnTally *tally);
// The object of CONTRACT's "JSON of run"; `key` NULL outside of an object.
CairnStatus cairn_report_json(CairnJson *json, const char *key, const CairnSession *session, const CairnTally *tally);
void cairn_report_csv_head(FILE *file);
void cairn_report_csv_line(FILE *file, const CairnStats *stats);

#endif
