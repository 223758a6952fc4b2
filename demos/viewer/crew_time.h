// The work of a view's thread on time: it steps, stores states, and goes back to them. The lock is not held.
#ifndef CAIRN_VIEWER_CREW_TIME_H
#define CAIRN_VIEWER_CREW_TIME_H

#include "demos/viewer/crew.h"

// The first frame, or the first of a world that was built anew.
CairnStatus cairn_crew_begin(CairnCrewView *view, const CairnStats *stats);
// One step from `frame`. Where the past knows the frame that it leads to, it is as it was, hands that were taken
// included.
CairnStatus cairn_crew_step(CairnCrewView *view, CairnStats *stats, int frame);
// The state of this frame was changed by hand.
CairnStatus cairn_crew_pin(CairnCrewView *view, const CairnStats *stats, int frame);
// The problem of the last step with its answer, to be solved from nothing: what the step started from is gone by then.
CairnStatus cairn_crew_write_problem(const CairnCrewView *view, const char *path);
// A recording of the first view from this frame on; what the past has stored of later frames is dropped. Both report
// the outcome to the window.
void cairn_crew_begin_recording(CairnCrewView *view, const CairnRunOptions *run, const char *path, int frame);
void cairn_crew_end_recording(CairnCrew *crew);
void cairn_crew_report_saved(CairnCrew *crew, CairnStatus status, const char *path);
// To a frame of the past; *reached is the frame that was reached before another request came.
CairnStatus cairn_crew_return(CairnCrewView *view, CairnStats *stats, int frame, int *reached);

#endif
