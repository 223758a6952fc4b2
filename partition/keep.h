// Keeping: last step's parts, mended where the graph changed.
#ifndef CAIRN_PARTITION_KEEP_H
#define CAIRN_PARTITION_KEEP_H

#include "partition/grow.h"

// From old parts (-1: none) to fresh ones that hang together and keep the limit. *is_kept says whether no more than options.keep of
// the bodies changed their part; where it is false `fresh` means nothing.
CairnStatus cairn_parts_repair(CairnGrowing *growing, CairnArena *arena, const int *old, int old_count, int *fresh,
                               int *count, bool *is_kept);

#endif
