// Ledger: the memory that goes through an allocator, counted.
#ifndef CAIRN_BENCH_LEDGER_H
#define CAIRN_BENCH_LEDGER_H

#include <cairn/hooks.h>

typedef struct BenchLedger {
    CairnAllocator inner;
    size_t now, peak; // bytes
} BenchLedger;

// Sets the ledger up and returns the allocator that it counts for; the ledger must outlive it and stay where it is.
CairnAllocator bench_ledger_open(BenchLedger *ledger);

#endif
