// Cut: the data of a substructure during its construction, counted before memory is allocated, and the functions that
// make its subsystems and its interface.
#ifndef CAIRN_SOLVERS_SUBSTRUCTURE_CUT_H
#define CAIRN_SOLVERS_SUBSTRUCTURE_CUT_H

#include "solvers/schur/substructure.h"

typedef struct CairnCut {
    const int *part;   // block -> part
    int *index;        // block -> its index in the part
    int *blocks;       // by parts
    int *block_start;  // part -> where its blocks begin
    int *inner, *edge; // constraints by parts
    int *inner_start, *edge_start;
    int *crossing;  // constraint -> its number in the interface, -1: internal
    int *gamma_row; // row -> its number in the interface
    int gamma_count;
    int *gamma_of; // rows of the edges, part by part: numbers in the interface
} CairnCut;

// When each block is eliminated from the whole.
CairnStatus cairn_substructure_stages(const CairnSubstructure *sub, const int **stage);

CairnStatus cairn_cut_make(CairnSubstructure *sub, CairnCut *cut);

// Make subsystem `part` and advance *gamma by its rows at the interface. `kept`: its formulation's memory between
// solves, NULL: none.
CairnStatus cairn_subsystem_make(CairnSubstructure *sub, const CairnCut *cut, int part, int **gamma, void **kept);

// The interface by itself: its constraints over all bodies that they touch, as one more subsystem.
CairnStatus cairn_alone_make(CairnSubstructure *sub, const CairnCut *cut, void **kept);

// The interface over S.
CairnStatus cairn_interface_make(CairnSubstructure *sub, const CairnCut *cut, void **kept);

#endif
