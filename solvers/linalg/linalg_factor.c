// The numeric factor, front by front, and the solve with it.
#include "solvers/linalg/linalg.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "solvers/linalg/linalg_panel.h"
#include "solvers/linalg/linalg_sweep.h"

enum { WIDTH = CAIRN_LINALG_WIDTH };

// Operations from which on threads are woken: about half a millisecond of one of them. Below, two save half of a short
// time at best, and where cores are busy each waits for the other's turn: 24 factors of 2 million took ten times as
// long.
static const double worth_waking = 1e7;

// Neighbouring tasks go to one thread, to each about as much work.
static void divide_tasks(CairnLinalgFactor *factor) {
    const CairnLinalgPlan *plan = factor->plan;
    double total = 0, sum = 0;
    for (int t = 0; t < plan->task_count; t++) {
        total += plan->tasks[t].operations;
    }
    int thread = 0;
    factor->first_task[0] = 0;
    for (int t = 0; t < plan->task_count; t++) {
        double middle = sum + 0.5 * plan->tasks[t].operations;
        while (thread + 1 < factor->thread_count && middle * factor->thread_count > total * (thread + 1)) {
            factor->first_task[++thread] = t;
        }
        sum += plan->tasks[t].operations;
    }
    while (thread < factor->thread_count) {
        factor->first_task[++thread] = plan->task_count;
    }
}

CairnStatus cairn_linalg_factor_init(CairnLinalgFactor *factor, const CairnLinalgPlan *plan, int thread_count,
                                     CairnArena *arena) {
    *factor = (CairnLinalgFactor){.plan = plan, .thread_count = thread_count < 1 ? 1 : thread_count};
    // For each thread: packed rows of a block of columns, or the rows of a front in a solve.
    factor->work_size = cairn_linalg_panel_work(plan->largest_pivots);
    size_t most_rows = (size_t)plan->largest_rows + 8;
    factor->work_size = factor->work_size > most_rows ? factor->work_size : most_rows;
    factor->panels = CAIRN_PUSH(arena, double, plan->panel_size);
    factor->updates = CAIRN_PUSH(arena, double, plan->update_size);
    factor->pivots = CAIRN_PUSH(arena, double, plan->size);
    factor->inverse = CAIRN_PUSH(arena, double, plan->size);
    factor->scale = CAIRN_PUSH(arena, double, plan->size);
    factor->x = CAIRN_PUSH(arena, double, plan->size + 8);
    factor->work = CAIRN_PUSH(arena, double, factor->work_size *(size_t)factor->thread_count);
    factor->first_task = CAIRN_PUSH(arena, int, factor->thread_count + 1);
    if (plan->unit_of != NULL) {
        factor->carry = CAIRN_PUSH(arena, double, plan->carry_size + 1);
        factor->is_fresh = CAIRN_PUSH(arena, bool, plan->unit_count + 1);
        factor->unit_seconds =
            CAIRN_PUSH_ZERO(arena, double, (size_t)factor->thread_count *(size_t)(plan->unit_count + 1));
    }
    if (!factor->panels || !factor->updates || !factor->pivots || !factor->inverse || !factor->scale || !factor->x ||
        !factor->work || !factor->first_task ||
        (plan->unit_of != NULL && (!factor->carry || !factor->is_fresh || !factor->unit_seconds))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for a factor of %.0f entries (%d rows)",
                           plan->entries, plan->size);
    }
    divide_tasks(factor);
    return cairn_ok();
}

CairnStatus cairn_linalg_factor_init_unsymmetric(CairnLinalgFactor *factor, const CairnLinalgFactor *lender,
                                                 CairnArena *arena) {
    const CairnLinalgPlan *plan = lender->plan;
    *factor = *lender;
    factor->is_valid = false;
    factor->upper_panels = CAIRN_PUSH(arena, double, plan->panel_size);
    factor->upper_updates = CAIRN_PUSH(arena, double, plan->update_size);
    if (!factor->upper_panels || !factor->upper_updates) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for an unsymmetric factor of %.0f entries (%d rows)",
                           2 * plan->entries, plan->size);
    }
    return cairn_ok();
}

void cairn_linalg_factor_copy(const CairnLinalgFactor *from, CairnLinalgFactor *to) {
    const CairnLinalgPlan *plan = from->plan;
    size_t size = (size_t)plan->size;
    memcpy(to->panels, from->panels, plan->panel_size * sizeof *to->panels);
    memcpy(to->updates, from->updates, plan->update_size * sizeof *to->updates);
    memcpy(to->pivots, from->pivots, size * sizeof *to->pivots);
    memcpy(to->inverse, from->inverse, size * sizeof *to->inverse);
    memcpy(to->scale, from->scale, size * sizeof *to->scale);
    to->is_valid = from->is_valid;
}

// Add a child's update matrix to the front, run by run, six columns at a time where runs are bodies: entries above
// the diagonal of a run's diagonal block are never read.
static void extend(const CairnLinalgPlan *plan, const double *updates, const CairnLinalgSupernode *child,
                   const CairnLinalgFront *front) {
    const CairnLinalgRun *runs = plan->runs + child->first_run;
    int stride = child->rows - child->below_at, first = 0;
    const double *from = updates + child->update;
    for (int c = 0; c < child->run_count; first += runs[c].length, c++) {
        int pivots = front->below_at - runs[c].parent_row; // of the run's rows: the others lie in another matrix
        bool is_cut = pivots > 0 && pivots < runs[c].length && pivots % WIDTH != 0;
        bool is_whole = first % WIDTH == 0 && runs[c].length % WIDTH == 0 && !is_cut;
        for (int j = 0; j < runs[c].length; j++) {
            int above = is_whole ? j % WIDTH : 0, at = runs[c].parent_row + j;
            const double *source = from + (size_t)(first + j) * (size_t)(stride + 1);
            double *column = cairn_linalg_diagonal(front, at);
            add_rows(runs[c].length - j + above, source - above, column - above);
            source += runs[c].length - j;
            for (int r = c + 1; r < child->run_count; r++) {
                add_rows(runs[r].length, source, column + (runs[r].parent_row - at));
                source += runs[r].length;
            }
        }
    }
}

// Clear the update matrix on and below the diagonal, the rest is never read. A small one is cleared as a whole.
static void clear_update(const CairnLinalgSupernode *super, double *update, int update_rows) {
    enum { SMALL = 64 };
    if (update_rows <= SMALL) {
        memset(update, 0, (size_t)update_rows * (size_t)super->below * sizeof *update);
        return;
    }
    for (int j = 0; j < super->below; j++) {
        int from = (j - j % WIDTH) & ~7;
        memset(update + (size_t)j * (size_t)update_rows + from, 0, (size_t)(update_rows - from) * sizeof *update);
    }
}

// Add the matrix' entries to the fronts of a supernode, and the update matrices of its children.
static inline void assemble(CairnLinalgFactor *factor, const CairnLinalgSource *source,
                            const CairnLinalgSupernode *super, const CairnLinalgFront *fronts) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int k = super->first_node; k < super->first_node + super->node_count; k++) {
        int node = plan->node_order[k], pivot = plan->node_pivot[node];
        source->node(source->user, node, fronts, plan->node_row[node]);
        int end = k + 1 < plan->node_count ? plan->node_pivot[plan->node_order[k + 1]] : plan->size;
        memcpy(factor->scale + pivot, source->scale + plan->node_first[node],
               (size_t)(end - pivot) * sizeof *factor->scale);
    }
    for (int k = super->first_element; k < super->first_element + super->element_count; k++) {
        int element = plan->element_order[k];
        source->element(source->user, element, fronts, plan->element_row + plan->element_start[element]);
    }
    const double *updates[2] = {factor->updates, factor->upper_updates};
    int sides = factor->upper_updates != NULL ? 2 : 1;
    for (int c = super->child; c >= 0; c = plan->supernodes[c].sibling) {
        for (int side = 0; side < sides; side++) {
            extend(plan, updates[side], &plan->supernodes[c], &fronts[side]);
        }
    }
}

static inline CairnLinalgFront clear_front(const CairnLinalgSupernode *super, double *panels, double *updates) {
    int update_rows = super->rows - super->below_at;
    double *panel = panels + super->panel, *update = updates + super->update;
    memset(panel, 0, (size_t)super->rows * (size_t)super->pivots * sizeof *panel);
    clear_update(super, update, update_rows);
    return (CairnLinalgFront){panel, update, super->rows, update_rows, super->below_at};
}

// Assemble and factor one front, or the two of an unsymmetric matrix. Returns -1 or the number of the pivot that broke
// down.
static int factor_front(CairnLinalgFactor *factor, const CairnLinalgSource *source, int s, double *work) {
    const CairnLinalgSupernode *super = &factor->plan->supernodes[s];
    bool is_unsymmetric = factor->upper_panels != NULL;
    CairnLinalgFront fronts[2] = {clear_front(super, factor->panels, factor->updates)};
    if (is_unsymmetric) {
        fronts[1] = clear_front(super, factor->upper_panels, factor->upper_updates);
    }
    assemble(factor, source, super, fronts);
    double *pivots = factor->pivots + super->first_pivot, *inverse = factor->inverse + super->first_pivot;
    const double *scale = factor->scale + super->first_pivot;
    double *L = fronts[0].panel, *U = is_unsymmetric ? fronts[1].panel : L;
    int bad = is_unsymmetric ? cairn_linalg_panel_factor_two(super, L, U, scale, pivots, inverse, work)
                             : cairn_linalg_panel_factor(super, L, scale, pivots, inverse, work);
    if (bad >= 0) {
        return super->first_pivot + bad;
    }
    // The update matrix for the ancestors: it loses L D U, and its transpose U^T D L^T.
    int below = super->below_at, update_rows = fronts[0].update_rows;
    cairn_linalg_panel_update(update_rows, 0, super->below, super->pivots, L + below, U + below, super->rows, pivots,
                              fronts[0].update, update_rows, work);
    if (is_unsymmetric) {
        cairn_linalg_panel_update(update_rows, 0, super->below, super->pivots, U + below, L + below, super->rows,
                                  pivots, fronts[1].update, update_rows, work);
    }
    return -1;
}

// Which units stand: those whose elements are all as they were.
static void find_fresh(CairnLinalgFactor *factor, const bool *has_changed) {
    const CairnLinalgPlan *plan = factor->plan;
    for (int u = 0; u < plan->unit_count; u++) {
        factor->is_fresh[u] = factor->is_valid && has_changed != NULL;
    }
    for (int s = 0; s < plan->supernode_count && has_changed != NULL; s++) {
        const CairnLinalgSupernode *super = &plan->supernodes[s];
        for (int k = 0; k < super->element_count && plan->unit_of[s] >= 0; k++) {
            if (has_changed[plan->element_order[super->first_element + k]]) {
                factor->is_fresh[plan->unit_of[s]] = false;
            }
        }
    }
    for (int u = 0; u < plan->unit_count; u++) {
        factor->unit_count += !factor->is_fresh[u];
    }
}

static bool is_current(const CairnLinalgFactor *factor, int s) {
    const int *unit_of = factor->plan->unit_of;
    return unit_of != NULL && unit_of[s] >= 0 && factor->is_fresh[unit_of[s]];
}

// Measures the time of each unit: the time of consecutive fronts is added to the unit that they belong to.
typedef struct Clock {
    const int *unit_of; // NULL: there are no units
    double *seconds, since;
    int unit; // -1: none
} Clock;

static Clock start_clock(const CairnLinalgFactor *factor, int thread) {
    const CairnLinalgPlan *plan = factor->plan;
    bool has_units = plan->unit_of != NULL;
    size_t first = has_units ? (size_t)thread * (size_t)(plan->unit_count + 1) : 0;
    return (Clock){plan->unit_of, has_units ? factor->unit_seconds + first : NULL, 0, -1};
}

// To front s; -1: to none.
static void turn_to(Clock *clock, int s) {
    int unit = s >= 0 && clock->unit_of != NULL ? clock->unit_of[s] : -1;
    if (unit != clock->unit) {
        double now = cairn_timer_now();
        if (clock->unit >= 0) {
            clock->seconds[clock->unit] += now - clock->since;
        }
        clock->since = now;
        clock->unit = unit;
    }
}

// The tasks of one thread. Returns INT_MAX or the lowest pivot that broke down.
static int factor_tasks(CairnLinalgFactor *factor, const CairnLinalgSource *source, int thread) {
    const CairnLinalgPlan *plan = factor->plan;
    double *work = factor->work + factor->work_size * (size_t)thread;
    int bad = INT_MAX;
    Clock clock = start_clock(factor, thread);
    for (int t = factor->first_task[thread]; t < factor->first_task[thread + 1]; t++) {
        for (int s = plan->tasks[t].first; s < plan->tasks[t].end; s++) {
            bool is_done = is_current(factor, s);
            turn_to(&clock, is_done ? -1 : s);
            int pivot = is_done ? -1 : factor_front(factor, source, s, work);
            if (pivot >= 0) {
                bad = pivot < bad ? pivot : bad;
                break;
            }
        }
    }
    turn_to(&clock, -1);
    return bad;
}

typedef struct Factoring {
    CairnLinalgFactor *factor;
    const CairnLinalgSource *source;
    int bad; // the lowest pivot that broke down, in whatever order the threads find theirs
} Factoring;

static void factor_thread(void *context, int thread, int worker) {
    Factoring *f = context;
    (void)worker;
    cairn_spans_min(&f->bad, factor_tasks(f->factor, f->source, thread));
}

int cairn_linalg_factor(CairnLinalgFactor *factor, const CairnLinalgSource *source) {
    const CairnLinalgPlan *plan = factor->plan;
    if (plan->unit_of != NULL) {
        find_fresh(factor, source->has_changed);
    }
    factor->is_valid = false;
    bool is_long = plan->operations > worth_waking || plan->unit_of != NULL; // units are cut for threads
    Factoring factoring = {factor, source, INT_MAX};
    cairn_pieces_run(is_long && plan->task_count > 1 ? factor->thread_count : 1, factor->thread_count, factor_thread,
                     &factoring);
    int bad = factoring.bad;
    Clock clock = start_clock(factor, 0);
    for (int k = 0; k < plan->trunk_count && bad == INT_MAX; k++) {
        bool is_done = is_current(factor, plan->trunk[k]);
        turn_to(&clock, is_done ? -1 : plan->trunk[k]);
        int pivot = is_done ? -1 : factor_front(factor, source, plan->trunk[k], factor->work);
        bad = pivot >= 0 ? pivot : bad;
    }
    turn_to(&clock, -1);
    if (bad == INT_MAX) {
        factor->is_valid = true;
        return -1;
    }
    for (int i = 0; i < plan->node_count; i++) {
        int node = plan->node_order[i], pivot = plan->node_pivot[node];
        int end = i + 1 < plan->node_count ? plan->node_pivot[plan->node_order[i + 1]] : plan->size;
        if (bad < end) {
            return plan->node_first[node] + bad - pivot;
        }
    }
    return -1;
}
