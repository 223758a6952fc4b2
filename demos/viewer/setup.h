// Setup: how a view is solved: solver, partitioner and refiner with their options. A session's own are the truth; the
// window and the past keep copies.
#ifndef CAIRN_VIEWER_SETUP_H
#define CAIRN_VIEWER_SETUP_H

#include "demos/program/session/session.h"

typedef struct CairnSetup {
    CairnChoice choice;
    const CairnPartitioner *partitioner;
    void *partition_options; // NULL: none
    const CairnRefiner *refiner;
    void *refine_options; // NULL: none
} CairnSetup;

// The caller closes the copy. On an error there is nothing to close.
CairnStatus cairn_setup_copy(const CairnSetup *from, CairnSetup *setup);
CairnStatus cairn_setup_take(const CairnSession *session, CairnSetup *setup); // a copy of the session's
void cairn_setup_close(CairnSetup *setup);
// The session goes on with it; it keeps a copy. On an error it goes on as before.
CairnStatus cairn_setup_use(const CairnSetup *setup, CairnSession *session);

#endif
