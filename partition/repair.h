// Repair: the parts of the last step, repaired where the graph has changed (option `keep` of the growing partitioners).
#ifndef CAIRN_PARTITION_REPAIR_H
#define CAIRN_PARTITION_REPAIR_H

#include "partition/grow.h"

// From old parts (-1: none) to new ones that are connected and within the limit. *is_kept: at most the fraction
// options.keep of the bodies changed its part; where it is false, `fresh` is not valid.
CairnStatus cairn_parts_repair(CairnGrowing *growing, CairnArena *arena, const int *old, int old_count, int *fresh,
                               int *count, bool *is_kept);

#endif
