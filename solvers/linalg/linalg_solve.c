// The solve with a numeric factor. Without stages it walks the fronts one after the other over one vector. With
// stages every front hands its values for the rows below to its parent alone, so that tasks can run in parallel, and
// each sum has one order.
#include "solvers/linalg/linalg.h"

#include <string.h>

#include "engine/base/pieces.h"
#include "solvers/linalg/linalg_sweep.h"

enum { WIDTH = CAIRN_LINALG_WIDTH };

// The unit lower triangle of `count` <= 6 columns from the diagonal on, and the rows below it down to the next multiple
// of 8.
static inline void forward_block(const double *column, size_t stride, int count, int rows, double *y) {
    if (count == WIDTH && rows % 2 == 0) {
        forward_six(column, stride, rows, y);
        return;
    }
    for (int j = 0; j < count; j++, column += stride) {
        for (int i = j + 1; i < rows; i++) {
            y[i] -= column[i] * y[j];
        }
    }
}

static inline void backward_block(const double *column, size_t stride, int count, int rows, double *y) {
    if (count == WIDTH && rows % 2 == 0) {
        backward_six(column, stride, rows, y);
        return;
    }
    column += (size_t)(count - 1) * stride;
    for (int j = count - 1; j >= 0; j--, column -= stride) {
        double sum = y[j];
        for (int i = j + 1; i < rows; i++) {
            sum -= column[i] * y[i];
        }
        y[j] = sum;
    }
}

// The rows of a front's pivots, zeros up to the next multiple of 8.
static inline void load_pivots(const CairnLinalgSupernode *super, const double *x, double *y) {
    *(Eight *)(y + super->below_at - 8) = (Eight){0};
    copy_rows(super->pivots, x + super->first_pivot, y);
}

// Solve with the triangle of the pivots, and update the rows below. is_new: the rows below are still 0.
static inline void forward_panel(const CairnLinalgSupernode *super, const double *panel, bool is_new, double *y) {
    size_t stride = (size_t)super->rows;
    for (int k = 0; k < super->pivots; k += WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH, next = (k + count + 7) & ~7;
        const double *column = panel + (size_t)k * stride;
        forward_block(column + k, stride, count, next - k, y + k);
        take(count, next, super->below_at, column, stride, y + k, false, y);
        take(count, super->below_at, super->rows, column, stride, y + k, is_new && k == 0, y);
    }
}

static inline void backward_panel(const CairnLinalgSupernode *super, const double *panel, double *y) {
    size_t stride = (size_t)super->rows;
    for (int k = (super->pivots - 1) / WIDTH * WIDTH; k >= 0; k -= WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH, next = (k + count + 7) & ~7;
        const double *column = panel + (size_t)k * stride;
        gather(count, next, super->rows, column, stride, y, y + k);
        backward_block(column + k, stride, count, next - k, y + k);
    }
}

static void forward(const CairnLinalgFactor *factor, const CairnLinalgSupernode *super, double *x, double *y) {
    load_pivots(super, x, y);
    forward_panel(super, factor->panels + super->panel, true, y);
    copy_rows(super->pivots, y, x + super->first_pivot);
    const CairnLinalgRun *runs = factor->plan->runs + super->first_run;
    y += super->below_at;
    for (int r = 0; r < super->run_count; r++) {
        add_rows(runs[r].length, y, x + runs[r].first_row);
        y += runs[r].length;
    }
}

static void backward(const CairnLinalgFactor *factor, const CairnLinalgSupernode *super, double *x, double *y) {
    const CairnLinalgRun *runs = factor->plan->runs + super->first_run;
    load_pivots(super, x, y);
    if (super->below > 0) {
        *(Eight *)(y + super->rows - 8) = (Eight){0};
    }
    double *below = y + super->below_at;
    for (int r = 0; r < super->run_count; r++) {
        copy_rows(runs[r].length, x + runs[r].first_row, below);
        below += runs[r].length;
    }
    backward_panel(super, (factor->upper_panels != NULL ? factor->upper_panels : factor->panels) + super->panel, y);
    copy_rows(super->pivots, y, x + super->first_pivot);
}

// The k-th node in the order of elimination: its first pivot, and its dofs.
static int pivot_of(const CairnLinalgPlan *plan, int k, int *size) {
    int pivot = plan->node_pivot[plan->node_order[k]];
    *size = (k + 1 < plan->node_count ? plan->node_pivot[plan->node_order[k + 1]] : plan->size) - pivot;
    return pivot;
}

static void load(const CairnLinalgFactor *factor, const int *first, const double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int k = 0, size; k < plan->node_count; k++) {
        double *to = factor->x + pivot_of(plan, k, &size);
        const double *from = x + first[plan->node_order[k]];
        copy_rows(size, from, to);
    }
}

static void store_nodes(const CairnLinalgFactor *factor, int begin, int end, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int k = begin, size; k < end; k++) {
        const double *from = factor->x + pivot_of(plan, k, &size);
        double *to = x + first[plan->node_order[k]];
        copy_rows(size, from, to);
    }
}

// Add the values that the children carry, solve for the pivots with the triangle and D, and carry the rows below to
// the parent.
static void forward_supernode(const CairnLinalgFactor *factor, int s, const int *first, const double *from,
                              bool is_late, double *y) {
    const CairnLinalgPlan *plan = factor->plan;
    const CairnLinalgSupernode *super = &plan->supernodes[s];
    const double *panel = factor->panels + super->panel, *inverse = factor->inverse + super->first_pivot;
    double *x = factor->x + super->first_pivot;
    memset(y, 0, (size_t)super->rows * sizeof *y);
    for (int k = super->first_node, size; k < super->first_node + super->node_count; k++) {
        double *to = y + (pivot_of(plan, k, &size) - super->first_pivot);
        const double *block = from + first[plan->node_order[k]];
        copy_rows(size, block, to);
    }
    for (int c = super->child; c >= 0; c = plan->supernodes[c].sibling) {
        const CairnLinalgSupernode *child = &plan->supernodes[c];
        if (is_late && plan->unit_of[c] >= 0) {
            continue; // it has nothing to carry
        }
        const CairnLinalgRun *runs = plan->runs + child->first_run;
        const double *carried = factor->carry + child->carry;
        for (int r = 0; r < child->run_count; r++) {
            add_rows(runs[r].length, carried, y + runs[r].parent_row);
            carried += runs[r].length;
        }
    }
    forward_panel(super, panel, false, y);
    for (int k = 0; k < super->pivots; k++) {
        x[k] = y[k] * inverse[k];
    }
    memcpy(factor->carry + super->carry, y + super->below_at, (size_t)super->below * sizeof *y);
}

static void backward_supernode(const CairnLinalgFactor *factor, int s, const int *first, double *to, double *y) {
    const CairnLinalgSupernode *super = &factor->plan->supernodes[s];
    backward(factor, super, factor->x, y);
    store_nodes(factor, super->first_node, super->first_node + super->node_count, first, to);
}

static void forward_tasks(const CairnLinalgFactor *factor, int thread, const int *first, const double *x) {
    double *y = factor->work + factor->work_size * (size_t)thread;
    for (int t = factor->first_task[thread]; t < factor->first_task[thread + 1]; t++) {
        for (int s = factor->plan->tasks[t].first; s < factor->plan->tasks[t].end; s++) {
            forward_supernode(factor, s, first, x, false, y);
        }
    }
}

static void backward_tasks(const CairnLinalgFactor *factor, int thread, const int *first, double *x) {
    double *y = factor->work + factor->work_size * (size_t)thread;
    for (int t = factor->first_task[thread + 1] - 1; t >= factor->first_task[thread]; t--) {
        for (int s = factor->plan->tasks[t].end - 1; s >= factor->plan->tasks[t].first; s--) {
            backward_supernode(factor, s, first, x, y);
        }
    }
}

typedef struct Solving {
    const CairnLinalgFactor *factor;
    const int *first;
    double *x;
} Solving;

static void forward_thread(void *context, int thread, int worker) {
    const Solving *s = context;
    (void)worker;
    forward_tasks(s->factor, thread, s->first, s->x);
}

static void backward_thread(void *context, int thread, int worker) {
    const Solving *s = context;
    (void)worker;
    backward_tasks(s->factor, thread, s->first, s->x);
}

static void solve_in_tasks(CairnLinalgFactor *factor, const int *first, double *x) {
    const CairnLinalgPlan *plan = factor->plan;
    int threads = plan->task_count > 1 ? factor->thread_count : 1;
    Solving solving = {factor, first, x};
    cairn_pieces_run(threads, factor->thread_count, forward_thread, &solving);
    for (int k = 0; k < plan->trunk_count; k++) {
        forward_supernode(factor, plan->trunk[k], first, x, false, factor->work);
    }
    for (int k = plan->trunk_count - 1; k >= 0; k--) {
        backward_supernode(factor, plan->trunk[k], first, x, factor->work);
    }
    cairn_pieces_run(threads, factor->thread_count, backward_thread, &solving);
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
            forward_supernode(factor, s, first, x, true, factor->work);
        }
    }
    for (int s = plan->supernode_count - 1; s >= 0; s--) {
        if (plan->unit_of[s] < 0) {
            backward_supernode(factor, s, first, x, factor->work);
        }
    }
}
