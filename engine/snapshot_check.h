// Snapshot check: is a store that was read from bytes one that this library could have written?
#ifndef CAIRN_SNAPSHOT_CHECK_H
#define CAIRN_SNAPSHOT_CHECK_H

#include "engine/store.h"

// Every number is finite and every index within its pool by now; this function checks the relations between records.
// CAIRN_CORRUPT with the record's name where something does not fit.
CairnStatus cairn_snapshot_check(const CairnStore *store);

#endif
