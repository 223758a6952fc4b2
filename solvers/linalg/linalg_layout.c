#include "solvers/linalg/linalg_layout.h"

#include <stdlib.h>

typedef struct Layout {
    CairnLinalgPlan *plan;
    CairnLinalgSupernode *supernodes;
    CairnArena *arena, *scratch;
} Layout;

// The least work of a task for which a thread is woken, and the fixed cost of a front beside its arithmetic, in
// operations.
static const double task_operations = 2e5, front_work = 1000;

typedef struct Cut {
    double *work; // supernode -> its subtree's
    int *heap;    // roots of subtrees, the one with most work on top
    int count;
} Cut;

static void sift(Cut *cut, int i) {
    for (;;) {
        int child = 2 * i + 1;
        if (child >= cut->count) {
            return;
        }
        child += child + 1 < cut->count && cut->work[cut->heap[child + 1]] > cut->work[cut->heap[child]];
        if (cut->work[cut->heap[child]] <= cut->work[cut->heap[i]]) {
            return;
        }
        int s = cut->heap[i];
        cut->heap[i] = cut->heap[child];
        cut->heap[child] = s;
        i = child;
    }
}

static void push_root(Cut *cut, int s) {
    int i = cut->count++;
    for (; i > 0 && cut->work[cut->heap[(i - 1) / 2]] < cut->work[s]; i = (i - 1) / 2) {
        cut->heap[i] = cut->heap[(i - 1) / 2];
    }
    cut->heap[i] = s;
}

// Take the largest subtree apart.
static int split_largest(Cut *cut, const Layout *l) {
    int s = cut->heap[0];
    cut->heap[0] = cut->heap[--cut->count];
    sift(cut, 0);
    for (int c = l->supernodes[s].child; c >= 0; c = l->supernodes[c].sibling) {
        push_root(cut, c);
    }
    return s;
}

static void start_cut(Cut *cut, const Layout *l) {
    cut->count = 0;
    for (int s = 0; s < l->plan->supernode_count; s++) {
        if (l->supernodes[s].parent < 0) {
            push_root(cut, s);
        }
    }
}

// Split the largest subtree again and again. The best number of splits has the least time on a few threads: that of
// the subtrees, divided by the threads or of the largest one alone, plus that of the trunk, which runs on one thread.
static void choose_cut(Cut *cut, const Layout *l) {
    static const double threads = 4;
    double trunk = 0, rest = 0, least = 0;
    int best = 0;
    start_cut(cut, l);
    for (int i = 0; i < cut->count; i++) {
        rest += cut->work[cut->heap[i]];
    }
    for (int splits = 0; cut->count > 0; splits++) {
        double largest = cut->work[cut->heap[0]], time = trunk + (largest > rest / threads ? largest : rest / threads);
        if (splits == 0 || time < least) {
            least = time;
            best = splits;
        }
        if (trunk >= least || largest < task_operations) {
            break;
        }
        double split = l->supernodes[split_largest(cut, l)].operations + front_work;
        trunk += split;
        rest -= split;
    }
    start_cut(cut, l);
    for (int i = 0; i < best; i++) {
        split_largest(cut, l);
    }
}

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Cut the tree into subtrees for threads. Neighbouring ones that are small together are one task: supernodes in a row
// stay in a row.
static void cut_tasks(Layout *l, CairnLinalgTask *tasks, int limit, Cut *cut, int *first_of) {
    CairnLinalgPlan *plan = l->plan;
    double total = 0;
    for (int s = 0; s < plan->supernode_count; s++) {
        const CairnLinalgSupernode *super = &l->supernodes[s];
        cut->work[s] = super->operations + front_work;
        total += cut->work[s];
        first_of[s] = s;
        for (int c = super->child; c >= 0; c = l->supernodes[c].sibling) {
            cut->work[s] += cut->work[c];
            first_of[s] = first_of[c] < first_of[s] ? first_of[c] : first_of[s];
        }
    }
    if (total < 2 * task_operations) {
        return;
    }
    choose_cut(cut, l);
    qsort(cut->heap, (size_t)cut->count, sizeof *cut->heap, compare_ints);
    double least = total / limit > task_operations ? 2 * total / limit : task_operations, gathered = 0;
    for (int i = 0; i < cut->count; i++) {
        int s = cut->heap[i];
        CairnLinalgTask *last = plan->task_count > 0 ? &tasks[plan->task_count - 1] : NULL;
        if (last && last->end == first_of[s] && gathered + cut->work[s] <= least) {
            gathered += cut->work[s];
            last->end = s + 1;
            last->operations = gathered;
        } else if (plan->task_count < limit) {
            gathered = cut->work[s];
            tasks[plan->task_count++] = (CairnLinalgTask){first_of[s], s + 1, gathered};
        }
    }
}

// Update matrices lie on two stacks, by the parity of the depth: those of children are on top of one when their
// parent's is pushed on the other. Offsets are known beforehand, since the walk is.
typedef struct Stacks {
    size_t used[2], peak[2];
} Stacks;

static size_t update_room(const CairnLinalgSupernode *super) {
    return (size_t)(super->rows - super->below_at) * (size_t)super->below;
}

// `is_kept[c]`: the child's update matrix lies outside of the stacks. The parity of the depth decides which stack an
// offset is in.
static void push_update(Layout *l, Stacks *stacks, const int *depth, const bool *is_kept, int s) {
    CairnLinalgSupernode *super = &l->supernodes[s];
    int stack = depth[s] & 1;
    if (!is_kept[s]) {
        super->update = stacks->used[stack];
        stacks->used[stack] += update_room(super);
        stacks->peak[stack] = stacks->used[stack] > stacks->peak[stack] ? stacks->used[stack] : stacks->peak[stack];
    }
    for (int c = super->child; c >= 0; c = l->supernodes[c].sibling) {
        stacks->used[1 - stack] -= is_kept[c] ? 0 : update_room(&l->supernodes[c]);
    }
}

static size_t add_stack_bases(Layout *l, const Stacks *stacks, const int *depth, const bool *is_kept, const int *list,
                              int first, int count, size_t base) {
    for (int k = 0; k < count; k++) {
        int s = list ? list[k] : first + k;
        if (!is_kept[s]) {
            l->supernodes[s].update += base + ((depth[s] & 1) ? stacks->peak[0] : 0);
        }
    }
    return base + stacks->peak[0] + stacks->peak[1];
}

static CairnStatus allocate_updates(Layout *l, const CairnLinalgTask *tasks, const int *trunk) {
    CairnLinalgPlan *plan = l->plan;
    int count = plan->supernode_count;
    int *depth = CAIRN_PUSH(l->scratch, int, count + 1);
    bool *is_kept = CAIRN_PUSH_ZERO(l->scratch, bool, count + 1);
    if (!depth || !is_kept) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory to place %d fronts", count);
    }
    for (int s = count - 1; s >= 0; s--) {
        depth[s] = l->supernodes[s].parent < 0 ? 0 : depth[l->supernodes[s].parent] + 1;
    }
    size_t base = 0;
    const int *unit_of = plan->unit_of;
    for (int s = 0, t = 0; s < count; s++) { // update matrices of the roots of tasks and of units outlive these
        while (t < plan->task_count && tasks[t].end <= s) {
            t++;
        }
        int parent = l->supernodes[s].parent;
        bool is_task_root = t < plan->task_count && tasks[t].first <= s && parent >= tasks[t].end;
        bool is_unit_root = parent >= 0 && unit_of != NULL && unit_of[s] != unit_of[parent];
        if (is_task_root || is_unit_root) {
            is_kept[s] = true;
            l->supernodes[s].update = base;
            base += update_room(&l->supernodes[s]);
        }
    }
    for (int t = 0; t < plan->task_count; t++) {
        Stacks stacks = {{0, 0}, {0, 0}};
        for (int s = tasks[t].first; s < tasks[t].end; s++) {
            push_update(l, &stacks, depth, is_kept, s);
        }
        base = add_stack_bases(l, &stacks, depth, is_kept, NULL, tasks[t].first, tasks[t].end - tasks[t].first, base);
    }
    Stacks stacks = {{0, 0}, {0, 0}};
    for (int k = 0; k < plan->trunk_count; k++) {
        push_update(l, &stacks, depth, is_kept, trunk[k]);
    }
    plan->update_size = add_stack_bases(l, &stacks, depth, is_kept, trunk, 0, plan->trunk_count, base);
    return cairn_ok();
}

CairnStatus cairn_linalg_layout(CairnLinalgPlan *plan, CairnLinalgSupernode *supernodes, CairnArena *arena,
                                CairnArena *scratch) {
    Layout layout = {plan, supernodes, arena, scratch}, *l = &layout;
    int count = plan->supernode_count, limit = 64;
    for (int s = 0; s < count; s++) {
        CairnLinalgSupernode *super = &l->supernodes[s];
        super->panel = plan->panel_size;
        plan->panel_size += (size_t)super->rows * (size_t)super->pivots;
        super->carry = plan->carry_size;
        plan->carry_size += (size_t)super->below;
        plan->operations += super->operations;
        plan->entries += super->pivots * (0.5 * (super->pivots + 1) + super->below);
        plan->largest_below = super->below > plan->largest_below ? super->below : plan->largest_below;
        plan->largest_rows = super->rows > plan->largest_rows ? super->rows : plan->largest_rows;
        plan->largest_pivots = super->pivots > plan->largest_pivots ? super->pivots : plan->largest_pivots;
    }
    CairnLinalgTask *tasks = CAIRN_PUSH(l->arena, CairnLinalgTask, limit);
    int *trunk = CAIRN_PUSH(l->arena, int, count + 1), *first_of = CAIRN_PUSH(l->scratch, int, count + 1);
    Cut cut = {CAIRN_PUSH(l->scratch, double, count + 1), CAIRN_PUSH(l->scratch, int, count + 1), 0};
    if (!tasks || !trunk || !first_of || !cut.work || !cut.heap) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for the tasks of %d fronts", count);
    }
    cut_tasks(l, tasks, limit, &cut, first_of);
    int next = 0;
    for (int t = 0; t <= plan->task_count; t++) {
        for (int end = t < plan->task_count ? tasks[t].first : count; next < end; next++) {
            trunk[plan->trunk_count++] = next;
        }
        next = t < plan->task_count ? tasks[t].end : next;
    }
    plan->tasks = tasks;
    plan->trunk = trunk;
    return allocate_updates(l, tasks, trunk);
}
