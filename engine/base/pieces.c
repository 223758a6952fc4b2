#include "engine/base/pieces.h"

#include "engine/base/claim.h"
#include <stdbool.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_THREADS = 64 };

// The pieces of one thread that no thread has begun. Each is alone in a line of the cache, since every take of a piece
// writes to it.
typedef struct Run {
    _Alignas(CAIRN_LINE) int next;
    int end;
} Run;

static int worker_index(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

static bool take(Run *run, int *piece) {
    int next;
#pragma omp atomic read
    next = run->next;
    if (next >= run->end) { // else the counter would grow with every failed take
        return false;
    }
#pragma omp atomic capture
    next = run->next++;
    *piece = next;
    return next < run->end;
}

void cairn_pieces_run(int threads, int pieces, CairnPieceWork *work, void *context) {
    int workers = threads < MOST_THREADS ? threads : MOST_THREADS;
    workers = workers < pieces ? workers : pieces;
    if (workers <= 1) {
        for (int piece = 0; piece < pieces; piece++) {
            work(context, piece, 0);
        }
        return;
    }
    Run runs[MOST_THREADS];
    for (int w = 0; w < workers; w++) {
        runs[w].next = cairn_range_begin(pieces, w, workers);
        runs[w].end = cairn_range_begin(pieces, w + 1, workers);
    }
    // Where OpenMP starts fewer threads than requested, these work the runs of the others, too.
#pragma omp parallel num_threads(workers)
    for (int k = 0, worker = worker_index(), piece; k < workers; k++) {
        while (take(&runs[(worker + k) % workers], &piece)) {
            work(context, piece, worker);
        }
    }
}

void cairn_spans_run(int threads, int count, int few, CairnSpanWork *work, void *context) {
    if (threads <= 1 || count <= few) {
        work(context, 0, count);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int k = 0; k < threads; k++) {
        work(context, cairn_range_begin(count, k, threads), cairn_range_begin(count, k + 1, threads));
    }
}

void cairn_spans_min(int *least, int element) {
    int now = __atomic_load_n(least, __ATOMIC_RELAXED); // omp critical would be a global
    while (element < now &&
           !__atomic_compare_exchange_n(least, &now, element, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
