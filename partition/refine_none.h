// none: parts stay as they are.
#ifndef CAIRN_PARTITION_REFINE_NONE_H
#define CAIRN_PARTITION_REFINE_NONE_H

#include <cairn/partitioner.h>

extern const CairnRefiner cairn_refiner_none;

#endif
