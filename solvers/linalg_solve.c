// The solve with a numeric factor. Without stages it walks the fronts one after the other over one vector. With stages every front hands
// its share of the rows below to its parent alone, so that tasks can run beside one another, and each sum has one order.
#include "solvers/linalg.h"

#include <string.h>

#include "solvers/linalg_kernels.h"

enum { WIDTH = CAIRN_LINALG_WIDTH };

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

// The k-th node to go: its place, and how many dofs it has.
static int place_of(const CairnLinalgPlan *plan, int k, int *size) {
    int place = plan->node_place[plan->node_order[k]];
    *size = (k + 1 < plan->node_count ? plan->node_place[plan->node_order[k + 1]] : plan->size) - place;
    return place;
}

static void load(const CairnLinalgFactor *factor, const int *first, const double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int k = 0, size; k < plan->node_count; k++) {
        double *to = factor->x + place_of(plan, k, &size);
        const double *from = x + first[plan->node_order[k]];
        for (int i = 0; i < size; i++) {
            to[i] = from[i];
        }
    }
}

static void store_nodes(const CairnLinalgFactor *factor, int begin, int end, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int k = begin, size; k < end; k++) {
        const double *from = factor->x + place_of(plan, k, &size);
        double *to = x + first[plan->node_order[k]];
        for (int i = 0; i < size; i++) {
            to[i] = from[i];
        }
    }
}

// What the children carried, then the pivots through the triangle and D, then on with what is left.
static void forward_own(const CairnLinalgFactor *factor, int s, const int *first, const double *from, bool is_late,
                        double *y) {
    const CairnLinalgPlan *plan = factor->plan;
    const CairnLinalgSupernode *super = &plan->supernodes[s];
    const double *panel = factor->panels + super->panel, *inverse = factor->inverse + super->place;
    double *x = factor->x + super->place;
    memset(y, 0, (size_t)super->rows * sizeof *y);
    for (int k = super->first_node, size; k < super->first_node + super->node_count; k++) {
        double *to = y + (place_of(plan, k, &size) - super->place);
        const double *own = from + first[plan->node_order[k]];
        for (int i = 0; i < size; i++) {
            to[i] = own[i];
        }
    }
    for (int c = super->child; c >= 0; c = plan->supernodes[c].sibling) {
        const CairnLinalgSupernode *child = &plan->supernodes[c];
        if (is_late && plan->unit_of[c] >= 0) {
            continue; // it has nothing to carry
        }
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

static void backward_own(const CairnLinalgFactor *factor, int s, const int *first, double *to, double *y) {
    const CairnLinalgSupernode *super = &factor->plan->supernodes[s];
    backward(factor, super, factor->x, y);
    store_nodes(factor, super->first_node, super->first_node + super->node_count, first, to);
}

static void forward_share(const CairnLinalgFactor *factor, int thread, const int *first, const double *x) {
    double *y = factor->work + factor->work_size * (size_t)thread;
    for (int t = factor->share[thread]; t < factor->share[thread + 1]; t++) {
        for (int s = factor->plan->tasks[t].first; s < factor->plan->tasks[t].end; s++) {
            forward_own(factor, s, first, x, false, y);
        }
    }
}

static void backward_share(const CairnLinalgFactor *factor, int thread, const int *first, double *x) {
    double *y = factor->work + factor->work_size * (size_t)thread;
    for (int t = factor->share[thread + 1] - 1; t >= factor->share[thread]; t--) {
        for (int s = factor->plan->tasks[t].end - 1; s >= factor->plan->tasks[t].first; s--) {
            backward_own(factor, s, first, x, y);
        }
    }
}

static void solve_in_tasks(CairnLinalgFactor *factor, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    int threads = factor->thread_count;
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1 && plan->task_count > 1)
    for (int t = 0; t < threads; t++) {
        forward_share(factor, t, first, x);
    }
    for (int k = 0; k < plan->trunk_count; k++) {
        forward_own(factor, plan->trunk[k], first, x, false, factor->work);
    }
    for (int k = plan->trunk_count - 1; k >= 0; k--) {
        backward_own(factor, plan->trunk[k], first, x, factor->work);
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1 && plan->task_count > 1)
    for (int t = 0; t < threads; t++) {
        backward_share(factor, t, first, x);
    }
}

void cairn_linalg_solve(CairnLinalgFactor *factor, double *x) {
    cairn_linalg_solve_at(factor, factor->plan->node_first, x);
}

void cairn_linalg_solve_at(CairnLinalgFactor *factor, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    if (plan->unit_of != NULL) {
        solve_in_tasks(factor, first, x);
        return;
    }
    load(factor, first, x);
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
    store_nodes(factor, 0, plan->node_count, first, x);
}

void cairn_linalg_solve_late(CairnLinalgFactor *factor, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int s = 0; s < plan->supernode_count; s++) {
        if (plan->unit_of[s] < 0) {
            forward_own(factor, s, first, x, true, factor->work);
        }
    }
    for (int s = plan->supernode_count - 1; s >= 0; s--) {
        if (plan->unit_of[s] < 0) {
            backward_own(factor, s, first, x, factor->work);
        }
    }
}
