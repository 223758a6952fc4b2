// The solve with a numeric factor. Without stages it walks the fronts one after the other over one vector. With stages every front hands
// its share of the rows below to its parent alone, so that tasks can run beside one another, and each sum has one order.
#include "solvers/linalg.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "solvers/linalg_kernels.h"

enum { WIDTH = CAIRN_LINALG_WIDTH };

static int thread_number(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

// The unit lower triangle of `count` <= 6 columns from the diagonal on, and the rows below it down to the next multiple of 8.
static void forward_block(const double *column, int stride, int count, int rows, double *y) {
    if (count == WIDTH && rows % 2 == 0) {
        cairn_linalg_forward_six(column, stride, rows, y);
        return;
    }
    for (int j = 0; j < count; j++, column += stride) {
        for (int i = j + 1; i < rows; i++) {
            y[i] -= column[i] * y[j];
        }
    }
}

static void backward_block(const double *column, int stride, int count, int rows, double *y) {
    if (count == WIDTH && rows % 2 == 0) {
        cairn_linalg_backward_six(column, stride, rows, y);
        return;
    }
    column += (size_t)(count - 1) * (size_t)stride;
    for (int j = count - 1; j >= 0; j--, column -= stride) {
        double sum = y[j];
        for (int i = j + 1; i < rows; i++) {
            sum -= column[i] * y[i];
        }
        y[j] = sum;
    }
}

// The rows of a front in y: those of the pivots from x, zeros elsewhere.
static void load_pivots(const CairnLinalgSupernode *super, const double *x, double *y) {
    memcpy(y, x + super->place, (size_t)super->pivots * sizeof *y);
    memset(y + super->pivots, 0, (size_t)(super->rows - super->pivots) * sizeof *y);
}

// Pivots through the triangle, and what they do to the rows below.
static void forward(const CairnLinalgFactor *factor, const CairnLinalgSupernode *super, double *x, double *y) {
    const double *panel = factor->panels + super->panel;
    load_pivots(super, x, y);
    for (int k = 0; k < super->pivots; k += WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH, next = (k + count + 7) & ~7;
        const double *column = panel + (size_t)k * (size_t)super->rows;
        forward_block(column + k, super->rows, count, next - k, y + k);
        cairn_linalg_gemv(super->rows - next, count, column + next, super->rows, y + k, y + next);
    }
    memcpy(x + super->place, y, (size_t)super->pivots * sizeof *y);
    const CairnLinalgRun *runs = factor->plan->runs + super->first_run;
    y += super->below_at;
    for (int r = 0; r < super->run_count; r++) {
        for (int i = 0; i < runs[r].length; i++) {
            x[runs[r].place + i] += y[i];
        }
        y += runs[r].length;
    }
}

static void backward(const CairnLinalgFactor *factor, const CairnLinalgSupernode *super, double *x, double *y) {
    const double *panel = factor->panels + super->panel;
    load_pivots(super, x, y);
    const CairnLinalgRun *runs = factor->plan->runs + super->first_run;
    double *below = y + super->below_at;
    for (int r = 0; r < super->run_count; r++) {
        memcpy(below, x + runs[r].place, (size_t)runs[r].length * sizeof *below);
        below += runs[r].length;
    }
    for (int k = super->pivots == 0 ? -1 : (super->pivots - 1) / WIDTH * WIDTH; k >= 0; k -= WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH, next = (k + count + 7) & ~7;
        const double *column = panel + (size_t)k * (size_t)super->rows;
        double sums[WIDTH];
        cairn_linalg_gemv_transposed(super->rows - next, count, column + next, super->rows, y + next, sums);
        for (int j = 0; j < count; j++) {
            y[k + j] -= sums[j];
        }
        backward_block(column + k, super->rows, count, next - k, y + k);
    }
    memcpy(x + super->place, y, (size_t)super->pivots * sizeof *y);
}

static void load(const CairnLinalgFactor *factor, const double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int i = 0; i < plan->node_count; i++) {
        int node = plan->node_order[i], place = plan->node_place[node], first = plan->node_first[node];
        int end = i + 1 < plan->node_count ? plan->node_place[plan->node_order[i + 1]] : plan->size;
        for (int k = 0; k < end - place; k++) {
            factor->x[place + k] = x[first + k];
        }
    }
}

static void store(const CairnLinalgFactor *factor, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int i = 0; i < plan->node_count; i++) {
        int node = plan->node_order[i], place = plan->node_place[node], first = plan->node_first[node];
        int end = i + 1 < plan->node_count ? plan->node_place[plan->node_order[i + 1]] : plan->size;
        for (int k = 0; k < end - place; k++) {
            x[first + k] = factor->x[place + k];
        }
    }
}

// What the children carried, then the pivots through the triangle and D, then on with what is left.
static void forward_own(const CairnLinalgFactor *factor, int s, double *y) {
    const CairnLinalgPlan *plan = factor->plan;
    const CairnLinalgSupernode *super = &plan->supernodes[s];
    const double *panel = factor->panels + super->panel, *inverse = factor->inverse + super->place;
    double *x = factor->x + super->place;
    load_pivots(super, factor->x, y);
    for (int c = super->child; c >= 0; c = plan->supernodes[c].sibling) {
        const CairnLinalgSupernode *child = &plan->supernodes[c];
        const CairnLinalgRun *runs = plan->runs + child->first_run;
        const double *carried = factor->carry + child->carry;
        for (int r = 0; r < child->run_count; r++) {
            for (int i = 0; i < runs[r].length; i++) {
                y[runs[r].parent_row + i] += carried[i];
            }
            carried += runs[r].length;
        }
    }
    for (int k = 0; k < super->pivots; k += WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH, next = (k + count + 7) & ~7;
        const double *column = panel + (size_t)k * (size_t)super->rows;
        forward_block(column + k, super->rows, count, next - k, y + k);
        cairn_linalg_gemv(super->rows - next, count, column + next, super->rows, y + k, y + next);
    }
    for (int k = 0; k < super->pivots; k++) {
        x[k] = y[k] * inverse[k];
    }
    memcpy(factor->carry + super->carry, y + super->below_at, (size_t)super->below * sizeof *y);
}

static void solve_in_tasks(CairnLinalgFactor *factor) {
    const CairnLinalgPlan *plan = factor->plan;
#pragma omp parallel num_threads(factor->thread_count) if (factor->thread_count > 1 && plan->task_count > 1)
    {
        double *y = factor->work + factor->work_size * (size_t)thread_number();
#pragma omp for schedule(dynamic, 1)
        for (int t = 0; t < plan->task_count; t++) {
            for (int s = plan->tasks[t].first; s < plan->tasks[t].end; s++) {
                forward_own(factor, s, y);
            }
        }
#pragma omp single
        {
            for (int k = 0; k < plan->trunk_count; k++) {
                forward_own(factor, plan->trunk[k], y);
            }
            for (int k = plan->trunk_count - 1; k >= 0; k--) {
                backward(factor, &plan->supernodes[plan->trunk[k]], factor->x, y);
            }
        }
#pragma omp for schedule(dynamic, 1)
        for (int t = 0; t < plan->task_count; t++) {
            for (int s = plan->tasks[t].end - 1; s >= plan->tasks[t].first; s--) {
                backward(factor, &plan->supernodes[s], factor->x, y);
            }
        }
    }
}

void cairn_linalg_solve(CairnLinalgFactor *factor, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    load(factor, x);
    if (plan->unit_of != NULL) {
        solve_in_tasks(factor);
        store(factor, x);
        return;
    }
    double *z = factor->x;
    for (int s = 0; s < plan->supernode_count; s++) {
        forward(factor, &plan->supernodes[s], z, factor->work);
    }
    for (int i = 0; i < plan->size; i++) {
        z[i] *= factor->inverse[i];
    }
    for (int s = plan->supernode_count - 1; s >= 0; s--) {
        backward(factor, &plan->supernodes[s], z, factor->work);
    }
    store(factor, x);
}
