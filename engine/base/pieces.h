// Work in pieces, shared among threads. Each thread has a run of pieces of its own, the same one in every stage and every step, so that
// what it wrote lies in its own cache when it comes to it again; one that is done with its own helps the others. A piece is worked
// once, by whichever thread: it may write to nothing but its own elements.
#ifndef CAIRN_BASE_PIECES_H
#define CAIRN_BASE_PIECES_H

// The first index of range k where `count` indices are divided into `ranges` nearly equal ranges; range k - 1 ends
// there.
static inline int cairn_range_begin(int count, int k, int ranges) {
    return (int)((long)count * k / ranges);
}

// `worker` is below the number of threads: scratch can be had by it.
typedef void CairnPieceWork(void *context, int piece, int worker);

void cairn_pieces_run(int threads, int pieces, CairnPieceWork *work, void *context);

// Elements first .. end - 1, each on its own.
typedef void CairnSpanWork(void *context, int first, int end);

// A span for each thread; one for all where there are no more than `few` elements. One thread works without a team: even a team of
// one costs two calls of the system.
void cairn_spans_run(int threads, int count, int few, CairnSpanWork *work, void *context);

// The least of what spans tell, whatever their order. *least is the most that can be at first.
void cairn_spans_min(int *least, int element);

#endif
