#include "bench/ledger.h"

#include "engine/base/memory.h"

static void *count_allocate(void *user, size_t size) {
    BenchLedger *ledger = user;
    ledger->now += size;
    ledger->peak = ledger->now > ledger->peak ? ledger->now : ledger->peak;
    return ledger->inner.allocate(ledger->inner.user, size);
}

static void count_release(void *user, void *memory, size_t size) {
    BenchLedger *ledger = user;
    ledger->now -= size;
    ledger->inner.release(ledger->inner.user, memory, size);
}

CairnAllocator bench_ledger_open(BenchLedger *ledger) {
    *ledger = (BenchLedger){.inner = cairn_memory_default()};
    return (CairnAllocator){count_allocate, count_release, ledger};
}
