// Strips: the order of a sweep, such that threads need not wait for one another and memory is read along.
//
// A search over the graph of constraints from the first block on, breadth first, gives every block a level; a
// constraint joins blocks of one level or of two neighbours. A strip holds the constraints that begin in some levels
// in a row, so strips that are not neighbours share no block: those of even number may be swept at the same time,
// then those of odd number, in two phases whatever the number of threads. Within a strip constraints follow the
// search, stretch by stretch, so that neighbours are near in memory. The order depends on the problem alone.
// O(terms).
#include <string.h>

#include "solvers/sweeps/sor.h"

enum {
    STRIP_LEAST = 2048, // constraints: a strip's last groups are not full, and many strips would have many of them
    STRIP_MOST = 8192,
    STRIPS = 16,    // as many as that before they grow beyond the least
    STRETCH = 1024, // constraints
    COLOURS = 64,
    LOOK_BACK = 128, // groups that may still have room
    SINGLES =
        64 // groups of a strip that may hold a single joint: row by row takes twice as long and an eighth of the room
};

// The constraints of each block, and the results of the search.
typedef struct Search {
    int *start, *constraints; // of block b: constraints[start[b]] ... [start[b + 1] - 1]
    int *blocks, *level;      // in the order of the search; of each block
    bool *is_seen;            // constraints
} Search;

static void list_constraints(const CairnProblem *problem, Search *search) {
    int *start = search->start;
    memset(start, 0, (size_t)(problem->block_count + 2) * sizeof *start);
    for (int t = 0; t < problem->term_count; t++) {
        start[problem->terms[t].block + 2]++;
    }
    for (int b = 0; b < problem->block_count; b++) {
        start[b + 2] += start[b + 1];
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            search->constraints[start[problem->terms[constraint->first_term + t].block + 1]++] = c;
        }
    }
}

static void search_blocks(const CairnProblem *problem, Search *search) {
    int count = 0, next = 0, level = 0;
    memset(search->level, -1, (size_t)problem->block_count * sizeof *search->level);
    for (int seed = 0; seed < problem->block_count; seed++) {
        if (search->level[seed] >= 0) {
            continue;
        }
        search->level[seed] = level;
        search->blocks[count++] = seed;
        for (; next < count; next++) {
            int b = search->blocks[next];
            level = search->level[b] + 1;
            for (int i = search->start[b]; i < search->start[b + 1]; i++) {
                const CairnConstraintBlock *constraint = &problem->constraints[search->constraints[i]];
                if (search->is_seen[search->constraints[i]]) {
                    continue;
                }
                search->is_seen[search->constraints[i]] = true;
                for (int t = 0; t < constraint->term_count; t++) {
                    int other = problem->terms[constraint->first_term + t].block;
                    if (search->level[other] < 0) {
                        search->level[other] = level;
                        search->blocks[count++] = other;
                    }
                }
            }
        }
    }
}

static int strip_size(int constraint_count) {
    int size = constraint_count / STRIPS;
    return size < STRIP_LEAST ? STRIP_LEAST : size > STRIP_MOST ? STRIP_MOST : size;
}

// Constraints in the order of their first blocks; a strip ends with a level, once it is long enough.
static void cut_strips(SorSystem *system, const Search *search) {
    const CairnProblem *problem = system->problem;
    int size = strip_size(problem->constraint_count), count = 0, last = -1;
    memset(search->is_seen, 0, (size_t)problem->constraint_count * sizeof *search->is_seen);
    system->strips[0] = (SorStrip){0};
    system->strip_count = 1;
    for (int i = 0; i < problem->block_count; i++) {
        int b = search->blocks[i];
        if (search->level[b] != last && count - system->strips[system->strip_count - 1].first >= size) {
            system->strips[system->strip_count++] = (SorStrip){.first = count};
        }
        last = search->level[b];
        for (int k = search->start[b]; k < search->start[b + 1]; k++) {
            int c = search->constraints[k];
            if (!search->is_seen[c]) {
                search->is_seen[c] = true;
                system->sequence[count++] = c;
            }
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) { // on nothing that moves
        if (!search->is_seen[c]) {
            system->sequence[count++] = c;
        }
    }
    for (int s = 0; s < system->strip_count; s++) {
        int end = s + 1 < system->strip_count ? system->strips[s + 1].first : count;
        system->strips[s].count = end - system->strips[s].first;
    }
}

// Colours of a stretch: every constraint takes the first one that none of its blocks has there. Colour by colour its
// contacts are independent of one another, in the order of the search they form chains. The blocks of a stretch fit
// the nearest cache.
static void reorder(SorSystem *system, int first, int count, uint64_t *taken) {
    const CairnProblem *problem = system->problem;
    int *sequence = system->sequence + first, sorted[STRETCH], next[COLOURS + 1] = {0};
    unsigned char colour[STRETCH];
    for (int i = 0; i < count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[sequence[i]];
        const CairnTerm *terms = problem->terms + constraint->first_term;
        uint64_t mask = 0;
        int k = 0;
        for (int t = 0; t < constraint->term_count; t++) {
            mask |= taken[terms[t].block];
        }
        while (k < COLOURS - 1 && (mask >> k & 1)) {
            k++;
        }
        for (int t = 0; t < constraint->term_count; t++) {
            taken[terms[t].block] |= (uint64_t)1 << k;
        }
        colour[i] = (unsigned char)k;
        next[k + 1]++;
    }
    for (int k = 0; k < COLOURS; k++) {
        next[k + 1] += next[k];
    }
    for (int i = 0; i < count; i++) {
        const CairnConstraintBlock *constraint = &problem->constraints[sequence[i]];
        for (int t = 0; t < constraint->term_count; t++) {
            taken[problem->terms[constraint->first_term + t].block] = 0;
        }
        sorted[next[colour[i]]++] = sequence[i];
    }
    memcpy(sequence, sorted, (size_t)count * sizeof *sequence);
}

// Groups of lanes while they are filled.
typedef struct Filling {
    unsigned char *used; // lanes of each group
    int *last;           // of each block: the group that visits it last
    int open, end;
} Filling;

// The lane of a contact: in the first group with room after those that visit its bodies.
static int take_lane(const CairnProblem *problem, int c, Filling *f) {
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    const CairnTerm *terms = problem->terms + constraint->first_term;
    int group = f->open > f->end - LOOK_BACK ? f->open : f->end - LOOK_BACK;
    for (int t = 0; t < constraint->term_count; t++) {
        int after = f->last[terms[t].block] + 1;
        group = after > group ? after : group;
    }
    while (group < f->end && f->used[group] == SOR_LANES) {
        group++;
    }
    if (group == f->end) {
        f->used[f->end++] = 0;
    }
    for (int t = 0; t < constraint->term_count; t++) {
        f->last[terms[t].block] = group;
    }
    int lane = f->used[group]++;
    while (f->open < f->end && f->used[f->open] == SOR_LANES) {
        f->open++;
    }
    return SOR_LANES * group + lane;
}

// Lanes for the strip's contacts of one shape, in groups from `f->end` on.
static SorGroups fill_groups(SorSystem *system, const SorStrip *strip, SorShape shape, Filling *f) {
    int first = f->open = f->end;
    for (int i = strip->first; i < strip->first + strip->count; i++) {
        int c = system->sequence[i];
        if (system->shape[c] == shape) {
            system->slot[c] = take_lane(system->problem, c, f);
        }
    }
    return (SorGroups){first, f->end - first};
}

// Groups of joints. Where too many have a single joint, these are not filled, and the joints become items.
static SorGroups fill_joints(SorSystem *system, const SorStrip *strip, Filling *f) {
    SorGroups groups = fill_groups(system, strip, SOR_JOINT, f);
    int singles = 0;
    memset(system->joints + groups.first, 0, (size_t)groups.count * sizeof *system->joints);
    for (int g = groups.first; g < groups.first + groups.count; g++) {
        singles += f->used[g] == 1;
    }
    for (int i = strip->first; i < strip->first + strip->count; i++) {
        int c = system->sequence[i];
        if (system->shape[c] != SOR_JOINT) {
            continue;
        }
        int group = system->slot[c] / SOR_LANES;
        if (f->used[group] == 1 && singles > SINGLES) {
            system->shape[c] = SOR_ITEM;
        } else {
            int rows = system->problem->constraints[c].row_count;
            system->joints[group].rows = rows > system->joints[group].rows ? rows : system->joints[group].rows;
        }
    }
    return groups;
}

static SorGroups list_items(SorSystem *system, const SorStrip *strip, int first) {
    int next = first;
    for (int i = strip->first; i < strip->first + strip->count; i++) {
        if (system->shape[system->sequence[i]] == SOR_ITEM) {
            system->slot[system->sequence[i]] = next++;
        }
    }
    return (SorGroups){first, next - first};
}

static CairnStatus out_of_memory(const SorSystem *system) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d constraints", system->settings.name,
                       system->problem->constraint_count);
}

CairnStatus cairn_sor_order(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    int blocks = problem->block_count, constraints = problem->constraint_count;
    system->block_at = CAIRN_PUSH(arena, int, blocks + 1);
    system->sequence = CAIRN_PUSH(arena, int, constraints + 1);
    system->slot = CAIRN_PUSH(arena, int, constraints + 1);
    system->strips = CAIRN_PUSH(arena, SorStrip, constraints / strip_size(constraints) + 2);
    CairnArenaMark mark = cairn_arena_mark(arena);
    Search search = {
        .start = CAIRN_PUSH(arena, int, blocks + 2),
        .constraints = CAIRN_PUSH(arena, int, problem->term_count + 1),
        .blocks = CAIRN_PUSH(arena, int, blocks + 1),
        .level = CAIRN_PUSH(arena, int, blocks + 1),
        .is_seen = CAIRN_PUSH_ZERO(arena, bool, constraints + 1),
    };
    if (!system->block_at || !system->sequence || !system->slot || !system->strips || !search.start ||
        !search.constraints || !search.blocks || !search.level || !search.is_seen) {
        return out_of_memory(system);
    }
    list_constraints(problem, &search);
    search_blocks(problem, &search);
    cut_strips(system, &search);
    for (int i = 0; i < blocks; i++) { // u lies in the order of the search
        int b = search.blocks[i];
        system->block_at[b] = system->u_size;
        system->u_size += (problem->blocks[b].size + SOR_BODY - 1) / SOR_BODY * SOR_BODY;
    }
    cairn_arena_release(arena, mark);
    return cairn_ok();
}

static int fill_shape(SorSystem *system, SorShape shape, Filling *f) {
    f->end = 0;
    memset(f->last, -1, (size_t)system->problem->block_count * sizeof *f->last);
    for (int s = 0; s < system->strip_count; s++) {
        SorStrip *strip = &system->strips[s];
        if (shape == SOR_JOINT) {
            strip->joints = fill_joints(system, strip, f);
        } else {
            *(shape == SOR_ROUND ? &strip->round : &strip->general) = fill_groups(system, strip, shape, f);
        }
    }
    return f->end;
}

static int count_shape(const SorSystem *system, SorShape shape) {
    int count = 0;
    for (int c = 0; c < system->problem->constraint_count; c++) {
        count += system->shape[c] == shape;
    }
    return count;
}

CairnStatus cairn_sor_fill(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    system->joints = CAIRN_PUSH(arena, SorJoints, count_shape(system, SOR_JOINT) + 1);
    CairnArenaMark mark = cairn_arena_mark(arena);
    uint64_t *taken = CAIRN_PUSH_ZERO(arena, uint64_t, problem->block_count + 1);
    Filling filling = {.used = CAIRN_PUSH(arena, unsigned char, problem->constraint_count + 1),
                       .last = CAIRN_PUSH(arena, int, problem->block_count + 1)};
    if (!system->joints || !taken || !filling.used || !filling.last) {
        return out_of_memory(system);
    }
    for (int s = 0; s < system->strip_count; s++) {
        SorStrip *strip = &system->strips[s];
        for (int i = 0; i < strip->count; i += STRETCH) {
            int count = strip->count - i < STRETCH ? strip->count - i : STRETCH;
            reorder(system, strip->first + i, count, taken);
        }
    }
    system->round_count = fill_shape(system, SOR_ROUND, &filling);
    system->general_count = fill_shape(system, SOR_GENERAL, &filling);
    system->joint_count = fill_shape(system, SOR_JOINT, &filling);
    for (int s = 0; s < system->strip_count; s++) {
        system->strips[s].items = list_items(system, &system->strips[s], system->item_count);
        system->item_count += system->strips[s].items.count;
    }
    cairn_arena_release(arena, mark);
    return cairn_ok();
}
