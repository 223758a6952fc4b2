// bfs: breadth first from the lowest body; physics is not looked at (S3 section 2.1).
#ifndef CAIRN_PARTITION_BFS_H
#define CAIRN_PARTITION_BFS_H

#include <cairn/partitioner.h>

extern const CairnPartitioner cairn_partitioner_bfs;

#endif
