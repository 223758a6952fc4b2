// Work in pieces, divided among threads. Each thread has a run of pieces, the same one in every stage and every step,
// so that the data that it wrote is still in its cache when it reads them again; a thread that has finished its run
// takes pieces of other runs. Each piece is worked once, by any thread, so it may write only to elements of this piece.
#ifndef CAIRN_BASE_PIECES_H
#define CAIRN_BASE_PIECES_H

// The first index of range k where `count` indices are divided into `ranges` nearly equal ranges; range k - 1 ends
// there.
static inline int cairn_range_begin(int count, int k, int ranges) {
    return (int)((long)count * k / ranges);
}

// `worker` is below the number of threads, so that it can index scratch memory.
typedef void CairnPieceWork(void *context, int piece, int worker);

void cairn_pieces_run(int threads, int pieces, CairnPieceWork *work, void *context);

// Works the elements first ... end - 1, each independently of the others.
typedef void CairnSpanWork(void *context, int first, int end);

// A span for each thread; one for all where there are no more than `few` elements. One thread works without a team:
// even a team of one costs two calls of the system.
void cairn_spans_run(int threads, int count, int few, CairnSpanWork *work, void *context);

// Sets *least to the minimum of itself and `element`. Spans may call it in any order; the caller first sets *least to
// the largest value.
void cairn_spans_min(int *least, int element);

#endif
