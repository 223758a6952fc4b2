// Colours: every constraint takes the first one that none of its blocks has. Greedy, in the problem's order, O(terms).
#include <string.h>

#include "solvers/sor.h"

static int first_free(uint64_t taken) {
    int k = 0;
    while (k < SOR_COLOURS && (taken >> k & 1)) {
        k++;
    }
    return k;
}

static void choose_colours(SorSystem *system, uint64_t *taken) {
    const CairnProblem *problem = system->problem;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        uint64_t mask = 0;
        for (int t = 0; t < constraint->term_count; t++) {
            mask |= taken[problem->terms[constraint->first_term + t].block];
        }
        int k = first_free(mask);
        system->colour[c] = (unsigned char)k;
        system->colour_count = k + 1 > system->colour_count ? k + 1 : system->colour_count;
        if (k == SOR_COLOURS) {
            system->shape[c] = SOR_ITEM; // one after the other
        }
        for (int t = 0; t < constraint->term_count && k < SOR_COLOURS; t++) {
            taken[problem->terms[constraint->first_term + t].block] |= (uint64_t)1 << k;
        }
    }
}

static void count_constraints(SorSystem *system) {
    int lanes[SOR_COLOURS + 1][2] = {{0}};
    for (int c = 0; c < system->problem->constraint_count; c++) {
        int k = system->colour[c];
        if (system->shape[c] == SOR_ITEM) {
            system->colours[k].item_count++;
        } else {
            lanes[k][system->shape[c] == SOR_GENERAL]++;
        }
    }
    for (int k = 0; k < system->colour_count; k++) {
        SorColour *colour = &system->colours[k];
        colour->round_count = (lanes[k][0] + SOR_LANES - 1) / SOR_LANES;
        colour->general_count = (lanes[k][1] + SOR_LANES - 1) / SOR_LANES;
        colour->first_group = system->group_count;
        colour->first_item = system->item_count;
        system->group_count += colour->round_count + colour->general_count;
        system->item_count += colour->item_count;
    }
}

CairnStatus cairn_sor_colour(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    uint64_t *taken = CAIRN_PUSH_ZERO(arena, uint64_t, problem->block_count + 1);
    system->colour = CAIRN_PUSH(arena, unsigned char, problem->constraint_count + 1);
    if (!taken || !system->colour) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d constraints", system->settings.name,
                           problem->constraint_count);
    }
    choose_colours(system, taken);
    count_constraints(system);
    int lane_count = SOR_LANES * system->group_count;
    system->lanes = CAIRN_PUSH(arena, int, lane_count + 1);
    system->order = CAIRN_PUSH(arena, int, system->item_count + 1);
    if (!system->lanes || !system->order) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d constraints", system->settings.name,
                           problem->constraint_count);
    }
    memset(system->lanes, 0xff, (size_t)(lane_count + 1) * sizeof *system->lanes); // -1
    int next[SOR_COLOURS + 1][3];
    for (int k = 0; k < system->colour_count; k++) {
        const SorColour *colour = &system->colours[k];
        next[k][SOR_ITEM] = colour->first_item;
        next[k][SOR_ROUND] = SOR_LANES * colour->first_group;
        next[k][SOR_GENERAL] = SOR_LANES * (colour->first_group + colour->round_count);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        int *list = system->shape[c] == SOR_ITEM ? system->order : system->lanes;
        list[next[system->colour[c]][system->shape[c]]++] = c;
    }
    return cairn_ok();
}
