// The impulses that a method stores: the best that it has found, and those that it started from.
#include <math.h>
#include <string.h>

#include "solvers/exact/exact.h"

static double *push_rows(const CairnExact *exact) {
    return CAIRN_PUSH(exact->context->arena, double, exact->problem->row_count + 1);
}

static void copy_rows(const CairnExact *exact, const double *from, double *to) {
    memcpy(to, from, (size_t)exact->problem->row_count * sizeof *to);
}

CairnStatus cairn_best_init(CairnBest *best, const CairnExact *exact) {
    best->lambda = push_rows(exact);
    if (best->lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", exact->name, exact->problem->row_count);
    }
    cairn_best_set(best, exact, (double)INFINITY);
    return cairn_ok();
}

void cairn_best_set(CairnBest *best, const CairnExact *exact, double measure) {
    best->measure = measure;
    copy_rows(exact, exact->lambda, best->lambda);
}

bool cairn_best_update(CairnBest *best, const CairnExact *exact, double measure) {
    bool is_better = measure < best->measure;
    if (is_better) {
        cairn_best_set(best, exact, measure);
    }
    return is_better;
}

void cairn_best_take(const CairnBest *best, CairnExact *exact) {
    copy_rows(exact, best->lambda, exact->lambda);
}

CairnStatus cairn_start_init(CairnStart *start, CairnExact *exact, bool warm) {
    *start = (CairnStart){.lambda = push_rows(exact)};
    if (start->lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", exact->name, exact->problem->row_count);
    }
    copy_rows(exact, exact->lambda, start->lambda);
    if (warm) {
        start->is_answer = cairn_exact_is_enough(exact, cairn_exact_measure(exact));
        cairn_exact_predict(exact);
    }
    return cairn_ok();
}

bool cairn_start_take(const CairnStart *start, CairnExact *exact) {
    copy_rows(exact, start->lambda, exact->lambda);
    if (start->is_answer) {
        cairn_exact_measure(exact);
        cairn_exact_clamp(exact);
    }
    return start->is_answer;
}
