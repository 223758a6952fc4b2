// The two sides of the crew: the work of a view's thread, and the window's requests to it.
#ifndef CAIRN_VIEWER_CREW_THREAD_H
#define CAIRN_VIEWER_CREW_THREAD_H

#include "demos/viewer/crew.h"

int cairn_crew_run(void *data); // a thread; data is its view
// Before there is a thread: what it looks like at the beginning.
void cairn_crew_show_first(CairnCrewView *view);
// The mutex is held:
int cairn_crew_slowest(const CairnCrew *crew);
bool cairn_crew_has_work(const CairnCrewView *view);

#endif
