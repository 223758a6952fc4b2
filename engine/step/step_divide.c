// Divide: a step in which bodies of a joint turn far against each other is made in equal parts, for their arcs are too
// far from straight rows to be followed in one (step_arcs.c). Each part is a step of its own, with its own contacts; to
// the caller they are one step: forces act in all of them, events are those of the whole, and a part that fails takes
// back those before it.
//
// Under the midpoint rule each part has two halves, which are made like parts. In the first, half of the forces acts
// with the rows of the start, locks hold where the way ends, and the bodies move on for all of h. In the closing half
// the other half of the forces acts in the pose of the end, where rows hold the velocity, J v+ = 0, and nothing moves.
// That is RATTLE (Andersen 1983): of second order, reversible, and its joints neither take nor give energy in the long
// run; momenta are kept, since either half acts at one pose.
#include "engine/base/memory.h"
#include "engine/step/step.h"
#include <string.h>

static void *copy(CairnArena *arena, const void *from, int count, size_t size) {
    void *to = cairn_arena_push(arena, count > 0 ? (size_t)count : 1, size);
    return to != NULL && count > 0 ? memcpy(to, from, (size_t)count * size) : to;
}

bool cairn_step_keep(CairnWorld *world, CairnStepKept *kept) {
    CairnStore *store = &world->store;
    CairnArena *arena = &world->kept;
    cairn_arena_reset(arena);
    *kept = (CairnStepKept){
        .bodies = copy(arena, store->bodies, store->body_pool.count, sizeof *store->bodies),
        .joints = copy(arena, store->joints, store->joint_pool.count, sizeof *store->joints),
        .contacts = copy(arena, store->contacts, store->contact_count, sizeof *store->contacts),
        .spins = copy(arena, store->spins, store->spin_count, sizeof *store->spins),
        .contact_count = store->contact_count,
        .spin_count = store->spin_count,
        .last_h = store->last_h,
        .time = store->time,
        .has_ordered_records = world->has_ordered_records,
    };
    return kept->bodies != NULL && kept->joints != NULL && kept->contacts != NULL && kept->spins != NULL;
}

static void put(void *to, const void *from, int count, size_t size) {
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

// The lists have only grown since they were kept, so all of it has room.
void cairn_step_take_back(CairnWorld *world, const CairnStepKept *kept) {
    CairnStore *store = &world->store;
    put(store->bodies, kept->bodies, store->body_pool.count, sizeof *store->bodies);
    put(store->joints, kept->joints, store->joint_pool.count, sizeof *store->joints);
    put(store->contacts, kept->contacts, kept->contact_count, sizeof *store->contacts);
    put(store->spins, kept->spins, kept->spin_count, sizeof *store->spins);
    store->contact_count = kept->contact_count;
    store->spin_count = kept->spin_count;
    store->last_h = kept->last_h;
    store->time = kept->time;
    world->has_ordered_records = kept->has_ordered_records;
    world->has_problem = false;
    world->pose_changes += 1;
}

// ---- how far joints turn ----

int cairn_step_parts(const CairnStep *step, double turn) {
    static const double most_turn = 0.3; // rad: here what straight rows miss falls to a seventh in each further solve
    int most = step->world->def.substeps;
    double parts = ceil(turn / most_turn);
    return parts <= 1 ? 1 : parts < most ? (int)parts : most;
}

// ---- statistics ----

static void add_times(CairnTimes *sum, const CairnTimes *part) {
    sum->step += part->step;
    sum->broad += part->broad;
    sum->narrow += part->narrow;
    sum->assemble += part->assemble;
    sum->partition += part->partition;
    sum->solve += part->solve;
    sum->foresee += part->foresee;
    sum->integrate += part->integrate;
    sum->referee += part->referee;
    sum->finish += part->finish;
    sum->refine += part->refine;
}

// True: its answer is further from what certifies it.
static bool is_worse(const CairnResidual *a, const CairnResidual *b) {
    return a->is_certified != b->is_certified ? b->is_certified : a->scaled * b->limit > b->scaled * a->limit;
}

// What a part did is added up, the residual is the worst one's, and the rest is that of the last part.
void cairn_step_add_stats(CairnStats *stats, const CairnStats *part) {
    CairnStats sum = *part;
    if (stats->substeps > 0) {
        sum.substeps += stats->substeps;
        add_times(&sum.times, &stats->times);
        cairn_step_add_report(&sum.solve, &stats->solve);
        sum.solve.outcome = part->solve.outcome;
        sum.solve.claimed = fmax(part->solve.claimed, stats->solve.claimed);
        sum.residual = is_worse(&stats->residual, &part->residual) ? stats->residual : part->residual;
        sum.penetration = fmax(stats->penetration, part->penetration);
        sum.arena_bytes = stats->arena_bytes > part->arena_bytes ? stats->arena_bytes : part->arena_bytes;
        sum.solves += stats->solves;
        sum.contact_passes += stats->contact_passes;
    }
    *stats = sum;
}
