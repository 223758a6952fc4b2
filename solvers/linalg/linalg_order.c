// Approximate minimum degree on a quotient graph that consists of elements from the start: no two nodes are neighbours
// but through an element. Eliminating p makes one new element of all that p's elements hold, less p, and absorbs them.
// Degrees are counted in dofs. Among equal degrees the one that waits longest goes first, so that a chain is eaten from
// both ends and a grid from all sides, which leaves subtrees for several threads.
#include "solvers/linalg/linalg.h"

#include <limits.h>
#include <string.h>

typedef struct Quotient {
    const CairnLinalgGraph *graph;
    int node_count, element_limit; // original elements, then one for each node as pivot
    // nodes: principal ones stand for all nodes that were found to be like them
    int *weight;                         // dofs that it stands for; 0: gone, or not principal
    int *degree;                         // dofs of its neighbours, an upper bound
    int *list, *list_start, *list_count; // its elements
    int *member, *last_member;           // the nodes that it stands for
    bool *waits;                         // must not go yet
    int stage;                           // nodes of later stages are not queued yet
    // elements
    int *nodes, *element_start, *element_count, *element_weight; // weight -1: absorbed
    long *seen; // stamp + weight outside of the present pivot's element
    int pool_used, pool_size;
    // queue: a list for every degree
    int *head, *tail, *next, *previous;
    bool *is_queued;
    int lowest, degree_limit;
    int *mark, stamp;
    int *hash_head, *hash_next;
    unsigned *hash;
    int remaining; // dofs not yet eliminated
    int *order, ordered;
} Quotient;

static bool take_memory(Quotient *q, int total, int entries, CairnArena *arena) {
    int n = q->node_count, m = q->element_limit;
    int **nodes[] = {&q->weight, &q->degree,   &q->list_start, &q->list_count, &q->member,   &q->last_member,
                     &q->next,   &q->previous, &q->mark,       &q->hash_head,  &q->hash_next};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        *nodes[i] = CAIRN_PUSH_ZERO(arena, int, n + 1);
        if (!*nodes[i]) {
            return false;
        }
    }
    q->list = CAIRN_PUSH(arena, int, entries + 1);
    q->pool_size = 2 * entries + n + 1;
    q->nodes = CAIRN_PUSH(arena, int, q->pool_size);
    q->element_start = CAIRN_PUSH(arena, int, m + 1);
    q->element_count = CAIRN_PUSH(arena, int, m + 1);
    q->element_weight = CAIRN_PUSH(arena, int, m + 1);
    q->seen = CAIRN_PUSH_ZERO(arena, long, m + 1);
    q->head = CAIRN_PUSH(arena, int, total + 1);
    q->tail = CAIRN_PUSH(arena, int, total + 1);
    q->hash = CAIRN_PUSH(arena, unsigned, n + 1);
    q->waits = CAIRN_PUSH_ZERO(arena, bool, n + 1);
    q->is_queued = CAIRN_PUSH_ZERO(arena, bool, n + 1);
    return q->list && q->nodes && q->element_start && q->element_count && q->element_weight && q->seen && q->head &&
           q->tail && q->hash && q->waits && q->is_queued;
}

static int stage_of(const Quotient *q, int i) {
    return q->graph->stage != NULL ? q->graph->stage[i] : 0;
}

static void enqueue(Quotient *q, int i) {
    if (stage_of(q, i) > q->stage) {
        return;
    }
    int d = q->degree[i];
    q->next[i] = -1;
    q->previous[i] = q->tail[d];
    if (q->tail[d] >= 0) {
        q->next[q->tail[d]] = i;
    } else {
        q->head[d] = i;
    }
    q->tail[d] = i;
    q->is_queued[i] = true;
    q->lowest = d < q->lowest ? d : q->lowest;
}

static void dequeue(Quotient *q, int i) {
    if (!q->is_queued[i]) {
        return;
    }
    int d = q->degree[i], before = q->previous[i], after = q->next[i];
    if (before >= 0) {
        q->next[before] = after;
    } else {
        q->head[d] = after;
    }
    if (after >= 0) {
        q->previous[after] = before;
    } else {
        q->tail[d] = before;
    }
    q->is_queued[i] = false;
}

static void copy_elements(Quotient *q) {
    const CairnLinalgGraph *graph = q->graph;
    for (int e = 0; e < graph->element_count; e++) {
        int count = graph->element_start[e + 1] - graph->element_start[e];
        q->element_start[e] = q->pool_used;
        q->element_count[e] = count;
        q->element_weight[e] = 0;
        for (int k = 0; k < count; k++) {
            int i = graph->element_node[graph->element_start[e] + k];
            q->nodes[q->pool_used++] = i;
            q->element_weight[e] += graph->node_size[i];
        }
    }
}

// Remove the elements that couple nothing: those of one node, and repeated ones.
static bool drop_elements(Quotient *q, CairnArena *arena) {
    int m = q->graph->element_count, buckets = 1;
    while (buckets < 2 * m) {
        buckets *= 2;
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    int *chain = CAIRN_PUSH(arena, int, m + 1), *head = CAIRN_PUSH(arena, int, buckets);
    if (!chain || !head) {
        return false;
    }
    memset(head, -1, (size_t)buckets * sizeof *head);
    for (int e = 0; e < m; e++) {
        unsigned hash = 0;
        for (int k = 0; k < q->element_count[e]; k++) {
            unsigned i = (unsigned)q->nodes[q->element_start[e] + k] + 1u;
            hash += i * 2654435761u ^ (i >> 3) * 40503u;
        }
        int *bucket = &head[hash & (unsigned)(buckets - 1)];
        bool is_dropped = q->element_count[e] < 2;
        if (!is_dropped && *bucket >= 0) {
            q->stamp++;
            for (int k = 0; k < q->element_count[e]; k++) {
                q->mark[q->nodes[q->element_start[e] + k]] = q->stamp;
            }
            for (int f = *bucket; f >= 0 && !is_dropped; f = chain[f]) {
                is_dropped = q->element_count[f] == q->element_count[e];
                for (int k = 0; is_dropped && k < q->element_count[f]; k++) {
                    is_dropped = q->mark[q->nodes[q->element_start[f] + k]] == q->stamp;
                }
            }
        }
        if (is_dropped) {
            q->element_weight[e] = -1;
        } else {
            chain[e] = *bucket;
            *bucket = e;
        }
    }
    cairn_arena_release(arena, mark);
    return true;
}

static void list_elements(Quotient *q) {
    int m = q->graph->element_count, next = 0;
    for (int e = 0; e < m; e++) {
        for (int k = 0; k < q->element_count[e] && q->element_weight[e] >= 0; k++) {
            q->list_count[q->nodes[q->element_start[e] + k]]++;
        }
    }
    for (int i = 0; i < q->node_count; i++) {
        q->list_start[i] = next;
        next += q->list_count[i];
        q->list_count[i] = 0;
    }
    for (int e = 0; e < m; e++) {
        for (int k = 0; k < q->element_count[e] && q->element_weight[e] >= 0; k++) {
            int i = q->nodes[q->element_start[e] + k];
            q->list[q->list_start[i] + q->list_count[i]++] = e;
        }
    }
}

static int first_degree(Quotient *q, int i) {
    int degree = 0;
    q->mark[i] = ++q->stamp;
    for (int k = 0; k < q->list_count[i]; k++) {
        int e = q->list[q->list_start[i] + k];
        for (int l = 0; l < q->element_count[e]; l++) {
            int j = q->nodes[q->element_start[e] + l];
            degree += q->mark[j] == q->stamp ? 0 : q->weight[j];
            q->mark[j] = q->stamp;
        }
    }
    return degree;
}

// Move the living elements to the front of the pool, in the order in which they lie.
static void compact(Quotient *q, int element_count) {
    int used = 0;
    for (int e = 0; e < element_count; e++) {
        if (q->element_weight[e] < 0) {
            continue;
        }
        int start = used;
        for (int k = 0; k < q->element_count[e]; k++) {
            int i = q->nodes[q->element_start[e] + k];
            if (q->weight[i] > 0) {
                q->nodes[used++] = i;
            }
        }
        q->element_start[e] = start;
        q->element_count[e] = used - start;
    }
    q->pool_used = used;
}

// The element that eliminating p makes: appended to the pool; p's elements are absorbed.
static void gather(Quotient *q, int p, int element) {
    int needed = 0;
    for (int k = 0; k < q->list_count[p]; k++) {
        needed += q->element_count[q->list[q->list_start[p] + k]];
    }
    if (q->pool_used + needed > q->pool_size) {
        compact(q, element);
    }
    q->element_start[element] = q->pool_used;
    q->mark[p] = ++q->stamp;
    for (int k = 0; k < q->list_count[p]; k++) {
        int e = q->list[q->list_start[p] + k];
        for (int l = 0; l < q->element_count[e]; l++) {
            int i = q->nodes[q->element_start[e] + l];
            if (q->mark[i] != q->stamp && q->weight[i] > 0) {
                q->mark[i] = q->stamp;
                q->nodes[q->pool_used++] = i;
                dequeue(q, i);
            }
        }
        q->element_weight[e] = -1;
    }
    q->element_count[element] = q->pool_used - q->element_start[element];
}

static void emit(Quotient *q, int i) {
    q->remaining -= q->weight[i];
    q->weight[i] = 0;
    for (; i >= 0; i = q->member[i]) {
        q->order[q->ordered++] = i;
    }
}

// For all elements that touch the new one: the weight of their nodes outside of it, from which degrees are cheap to
// compute.
static void weigh_outside(Quotient *q, const int *nodes, int count, long stamp) {
    for (int k = 0; k < count; k++) {
        int i = nodes[k];
        for (int l = 0; l < q->list_count[i]; l++) {
            int e = q->list[q->list_start[i] + l];
            if (q->element_weight[e] >= 0) {
                q->seen[e] = (q->seen[e] >= stamp ? q->seen[e] : stamp + q->element_weight[e]) - q->weight[i];
            }
        }
    }
}

// New element list, degree bound and hash of a node of the new element; false where it has no neighbours outside of
// that element.
static bool renew(Quotient *q, int i, int element, int weight, long stamp) {
    int *list = q->list + q->list_start[i];
    int count = 0;
    long outside = 0;
    unsigned hash = (unsigned)element;
    for (int l = 0; l < q->list_count[i]; l++) {
        int e = list[l];
        if (q->element_weight[e] < 0) {
            continue;
        }
        long remaining = q->seen[e] - stamp;
        if (remaining == 0) {
            q->element_weight[e] = -1; // all of it lies in the new element
            continue;
        }
        list[count++] = e;
        outside += remaining;
        hash += (unsigned)e;
    }
    list[count++] = element;
    q->list_count[i] = count;
    long bound = q->remaining - q->weight[i], sum = weight - q->weight[i] + outside;
    long grown = (long)q->degree[i] + weight - q->weight[i];
    bound = sum < bound ? sum : bound;
    q->degree[i] = (int)(grown < bound && !q->waits[i] ? grown : bound);
    q->hash[i] = hash;
    q->waits[i] = false;
    return count > 1;
}

static bool are_alike(Quotient *q, int i, int j) {
    if (q->hash[i] != q->hash[j] || q->list_count[i] != q->list_count[j] || stage_of(q, i) != stage_of(q, j)) {
        return false;
    }
    for (int l = 0; l < q->list_count[j]; l++) {
        if (q->seen[q->list[q->list_start[j] + l]] != -1 - (long)i) {
            return false;
        }
    }
    return true;
}

// Nodes with the same elements have the same neighbours for ever: one stands for both.
static void merge_alike(Quotient *q, const int *nodes, int count) {
    for (int k = 0; k < count; k++) {
        int i = nodes[k];
        if (q->weight[i] > 0) {
            unsigned bucket = q->hash[i] % (unsigned)q->node_count;
            q->hash_next[i] = q->hash_head[bucket];
            q->hash_head[bucket] = i;
        }
    }
    for (int k = 0; k < count; k++) {
        int i = nodes[k];
        if (q->weight[i] == 0) {
            continue;
        }
        bool is_stamped = false;
        for (int j = q->hash_head[q->hash[i] % (unsigned)q->node_count]; j >= 0; j = q->hash_next[j]) {
            if (j == i || q->weight[j] == 0 || q->hash[j] != q->hash[i]) {
                continue;
            }
            for (int l = 0; l < q->list_count[i] && !is_stamped; l++) {
                q->seen[q->list[q->list_start[i] + l]] = -1 - (long)i;
            }
            is_stamped = true;
            if (are_alike(q, i, j)) {
                q->degree[i] -= q->weight[j];
                q->weight[i] += q->weight[j];
                q->weight[j] = 0;
                q->member[q->last_member[i]] = j;
                q->last_member[i] = q->last_member[j];
            }
        }
    }
    for (int k = 0; k < count; k++) {
        q->hash_head[q->hash[nodes[k]] % (unsigned)q->node_count] = -1;
    }
}

static void eliminate(Quotient *q, int p, int element, long *stamp) {
    gather(q, p, element);
    int *nodes = q->nodes + q->element_start[element];
    int count = q->element_count[element], weight = 0;
    emit(q, p);
    for (int k = 0; k < count; k++) {
        weight += q->weight[nodes[k]];
    }
    weigh_outside(q, nodes, count, *stamp);
    for (int k = 0; k < count; k++) {
        // A node with neighbours in the new element only is eliminated together with p, whose front contains its front.
        if (!renew(q, nodes[k], element, weight, *stamp)) {
            weight -= q->weight[nodes[k]];
            emit(q, nodes[k]);
        }
    }
    *stamp += 2L * q->degree_limit + 2;
    merge_alike(q, nodes, count);
    int kept = 0;
    for (int k = 0; k < count; k++) {
        int i = nodes[k];
        if (q->weight[i] > 0) {
            nodes[kept++] = i;
            int most = q->remaining - q->weight[i];
            q->degree[i] = q->degree[i] > most ? most : q->degree[i] < 0 ? 0 : q->degree[i];
            enqueue(q, i);
        }
    }
    q->element_count[element] = kept;
    q->element_weight[element] = kept > 0 ? weight : -1;
    q->pool_used = q->element_start[element] + kept;
}

// Release waiting nodes: where none of them has a neighbour that could be eliminated first, or where only nodes of
// later stages remain.
static void release_waiting(Quotient *q, bool is_stuck) {
    int next = INT_MAX;
    for (int i = 0; i < q->node_count; i++) {
        if (q->weight[i] > 0 && stage_of(q, i) > q->stage) {
            next = stage_of(q, i) < next ? stage_of(q, i) : next;
        }
    }
    q->stage = is_stuck && next < INT_MAX ? next : q->stage;
    for (int i = 0; i < q->node_count; i++) {
        if (q->weight[i] > 0 && !q->is_queued[i]) {
            q->waits[i] = false;
            enqueue(q, i);
        }
    }
}

static int next_pivot(Quotient *q) {
    for (bool is_stuck = false;; is_stuck = true) {
        for (; q->lowest <= q->degree_limit; q->lowest++) {
            if (q->head[q->lowest] >= 0) {
                return q->head[q->lowest];
            }
        }
        release_waiting(q, is_stuck);
    }
}

CairnStatus cairn_linalg_order(const CairnLinalgGraph *graph, CairnArena *scratch, int *order) {
    int n = graph->node_count, total = 0, entries = graph->element_start[graph->element_count];
    if (n == 0) {
        return cairn_ok();
    }
    for (int i = 0; i < n; i++) {
        total += graph->node_size[i];
    }
    CairnArenaMark mark = cairn_arena_mark(scratch);
    Quotient q = {.graph = graph, .node_count = n, .element_limit = graph->element_count + n, .degree_limit = total};
    q.remaining = total;
    q.order = order;
    if (!take_memory(&q, total, entries, scratch)) {
        cairn_arena_release(scratch, mark);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory to order %d nodes", n);
    }
    memset(q.head, -1, (size_t)(total + 1) * sizeof *q.head);
    memset(q.tail, -1, (size_t)(total + 1) * sizeof *q.tail);
    memset(q.hash_head, -1, (size_t)n * sizeof *q.hash_head);
    for (int i = 0; i < n; i++) {
        q.weight[i] = graph->node_size[i];
        q.member[i] = -1;
        q.last_member[i] = i;
    }
    copy_elements(&q);
    if (!drop_elements(&q, scratch)) {
        cairn_arena_release(scratch, mark);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory to order %d nodes", n);
    }
    list_elements(&q);
    for (int i = 0; i < n; i++) {
        q.degree[i] = first_degree(&q, i);
        q.waits[i] = graph->is_held && graph->is_held[i];
        if (!q.waits[i]) {
            enqueue(&q, i);
        }
    }
    long stamp = 1;
    for (int element = graph->element_count; q.remaining > 0; element++) {
        int p = next_pivot(&q);
        dequeue(&q, p);
        eliminate(&q, p, element, &stamp);
    }
    cairn_arena_release(scratch, mark);
    return cairn_ok();
}
