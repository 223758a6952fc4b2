// The work of finding pairs, cut into pieces whatever the number of threads, each with its own room for what it finds.
#include "collision/broad/broad.h"
#include "engine/base/pieces.h"
#include <limits.h>

CairnColumnScratch *cairn_column_scratch(CairnArena *arena, int workers, int largest) {
    CairnColumnScratch *scratch = CAIRN_PUSH(arena, CairnColumnScratch, workers);
    for (int w = 0; scratch != NULL && w < workers; ++w) {
        scratch[w] = (CairnColumnScratch){.spare = CAIRN_PUSH(arena, CairnColumnEntry, largest),
                                          .runs = CAIRN_PUSH(arena, int, largest + 1),
                                          .first = CAIRN_PUSH(arena, CairnBoxCopy, largest),
                                          .second = CAIRN_PUSH(arena, CairnBoxCopy, largest)};
        if (scratch[w].spare == NULL || scratch[w].runs == NULL || scratch[w].first == NULL ||
            scratch[w].second == NULL) {
            return NULL;
        }
    }
    return scratch;
}

// A piece of the work whose pairs go to one chunk: some columns of a level, or (level -1) some boxes against the lone
// ones.
typedef struct Job {
    int level, first, end;
    const int *homes;
    int *order, *capacity;
} Job;

static int copies_before(const CairnBroadLevel *level, int column) {
    return (level->moving.count > 0 ? level->moving.starts[column] : 0) +
           (level->moving_visitors.count > 0 ? level->moving_visitors.starts[column] : 0);
}

static int add_column_jobs(CairnBroadCall *call, int **homes, Job *jobs) {
    CairnBroadState *s = call->state;
    int job_count = 0, *order = s->order;
    for (int i = 0; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        int columns = cairn_column_count(&level->columns), total = copies_before(level, columns);
        int wanted = total / 256 + 1;
        wanted = wanted > CAIRN_BROAD_CHUNKS ? CAIRN_BROAD_CHUNKS : wanted;
        for (int k = 0, first = 0; k < wanted && total > 0; ++k) {
            int end = first;
            while (end < columns && (k == wanted - 1 || copies_before(level, end) < (long)total * (k + 1) / wanted)) {
                ++end;
            }
            jobs[job_count++] = (Job){i, first, end, homes[i], order, &level->capacity[k]};
            first = end;
        }
        order += level->moving_count;
    }
    return job_count;
}

static int add_lone_jobs(CairnBroadCall *call, Job *jobs) {
    int pieces = call->lone_count == 0 ? 0 : call->count / 1024 + 1;
    pieces = pieces > CAIRN_BROAD_CHUNKS ? CAIRN_BROAD_CHUNKS : pieces;
    for (int k = 0; k < pieces; ++k) {
        jobs[k] = (Job){-1,   (int)((long)call->count * k / pieces), (int)((long)call->count * (k + 1) / pieces), NULL,
                        NULL, &call->state->lone_capacity[k]};
    }
    return pieces;
}

// Of two lone boxes the earlier one finds the pair.
static void pair_lone(const CairnBroadCall *call, const Job *job, CairnPairChunk *chunk) {
    for (int k = 0; k < call->lone_count; ++k) {
        int i = call->lone[k];
        bool is_moving = call->kinds[i] == CAIRN_BOX_MOVING;
        CairnAabb box = call->boxes[i];
        for (int j = job->first; j < job->end; ++j) {
            int kind = call->kinds[j];
            if (kind != CAIRN_BOX_MOVING && (kind == CAIRN_BOX_ABSENT || !is_moving)) {
                continue;
            }
            ++chunk->tests;
            if (cairn_boxes_overlap(&box, &call->boxes[j]) && call->owners[i] != call->owners[j] &&
                !(j <= i && cairn_is_lone(call->state, j))) {
                cairn_pair_add(chunk, i, j);
            }
        }
    }
}

// The moving ones of the large levels stand first in the order, where no column's sweep puts them.
static bool list_lone(CairnBroadCall *call) {
    CairnBroadState *s = call->state;
    int *order = s->order;
    call->lone_count = call->census.unbounded_count;
    for (int i = 0; i < s->large_levels; ++i) {
        call->lone_count += s->levels[i].moving_count + s->levels[i].fixed_count;
    }
    call->lone = CAIRN_PUSH(call->arena, int, call->lone_count);
    for (int i = 0, n = 0; call->lone != NULL && n < call->lone_count; ++i) {
        if (cairn_is_lone(s, i)) {
            call->lone[n++] = i;
            if (s->classes[i] == CAIRN_CLASS_MOVING) {
                *order++ = i;
            }
        }
    }
    return call->lone != NULL;
}

// Room for the pairs of each job: as many as last time needed and some more.
static bool allocate_chunks(const CairnBroadCall *call, const Job *jobs, int job_count, CairnPairChunk *chunks) {
    size_t total = 0;
    for (int k = 0; k < job_count; ++k) {
        total += (size_t)*jobs[k].capacity;
    }
    uint64_t *keys = CAIRN_PUSH(call->arena, uint64_t, total);
    for (int k = 0; keys != NULL && k < job_count; ++k) {
        chunks[k] = (CairnPairChunk){.keys = keys, .capacity = *jobs[k].capacity};
        keys += *jobs[k].capacity;
    }
    return keys != NULL;
}

// Room that was too small is made larger, and the work done again: after the first few steps that does not happen any
// more.
static bool has_room(const Job *jobs, int job_count, const CairnPairChunk *chunks) {
    bool is_enough = true;
    for (int k = 0; k < job_count; ++k) {
        if (chunks[k].count > chunks[k].capacity) {
            is_enough = false;
            *jobs[k].capacity = chunks[k].count < INT_MAX / 2 ? chunks[k].count + chunks[k].count / 2 + 64 : INT_MAX;
        }
    }
    return is_enough;
}

static int largest_column(const CairnBroadState *s) {
    int largest = 0;
    for (int i = 0; i < s->level_count; ++i) {
        const CairnBoxLayer *layers[4] = {&s->levels[i].moving, &s->levels[i].moving_visitors, &s->levels[i].fixed,
                                          &s->levels[i].fixed_visitors};
        for (int k = 0; k < 4; ++k) {
            largest = layers[k]->count > 0 && layers[k]->largest > largest ? layers[k]->largest : largest;
        }
    }
    return largest;
}

typedef struct Search {
    const CairnBroadCall *call;
    const Job *jobs;
    const CairnColumnScratch *scratch; // of each worker
} Search;

static void do_job(void *context, int piece, int worker) {
    const Search *search = context;
    const CairnBroadCall *call = search->call;
    const Job *job = &search->jobs[piece];
    CairnPairChunk *chunk = &call->chunks[piece];
    if (job->level < 0) {
        pair_lone(call, job, chunk);
        return;
    }
    CairnSweep sweep = {.level = &call->state->levels[job->level],
                        .boxes = call->boxes,
                        .owners = call->owners,
                        .axis = call->state->axis,
                        .homes = job->homes,
                        .order = job->order,
                        .scratch = &search->scratch[worker],
                        .chunk = chunk};
    cairn_broad_sweep(&sweep, job->first, job->end);
}

bool cairn_broad_find(CairnBroadCall *call, int **homes, int *chunk_count) {
    CairnPairChunk *chunks = call->chunks;
    Job jobs[(CAIRN_BROAD_LEVELS + 1) * CAIRN_BROAD_CHUNKS];
    if (!list_lone(call)) {
        return false;
    }
    int job_count = add_column_jobs(call, homes, jobs);
    job_count += add_lone_jobs(call, jobs + job_count);
    int workers = call->threads > 1 && call->count > 512 ? call->threads : 1;
    CairnColumnScratch *scratch = cairn_column_scratch(call->arena, workers, largest_column(call->state));
    if (scratch == NULL) {
        return false;
    }
    Search search = {call, jobs, scratch};
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    do {
        cairn_arena_release(call->arena, mark);
        if (!allocate_chunks(call, jobs, job_count, chunks)) {
            return false;
        }
        cairn_pieces_run(workers, job_count, do_job, &search);
    } while (!has_room(jobs, job_count, chunks));
    *chunk_count = job_count;
    return true;
}
