// The constraint graph of a problem: dof blocks are nodes, constraint blocks are edges.
#ifndef CAIRN_SOLVERS_GRAPH_H
#define CAIRN_SOLVERS_GRAPH_H

#include <cairn/partitioner.h>
#include <cairn/problem.h>

#include "engine/base/arena.h"

// Write the graph's arrays into the arena, where they live until it is released. An explicit problem has no dofs: its
// graph is empty.
CairnStatus cairn_problem_graph(const CairnProblem *problem, CairnArena *arena, CairnGraph *graph);

#endif
