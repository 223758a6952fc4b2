// The symbolic factor: from an order of elimination to supernodes, their fronts and where everything lies.
#include "solvers/linalg/linalg.h"

#include <math.h>
#include <string.h>

#include "engine/base/check.h"
#include "solvers/linalg/linalg_layout.h"

// The cost of a front, in operations of the arithmetic units: fixed work, and adding an entry of an update matrix to
// the parent's front. Measured on small fronts; only the shape of the tree depends on them, and the answer not beyond
// rounding.
static const double front_cost = 1000, move_cost = 12;

typedef struct Node {
    int *below; // nodes that it updates, in positions of the order, ascending
    int below_count, below_dofs;
    int parent, child, sibling; // supernodes, named by the position of their last node
    int first;                  // chain of positions that belong to it: first, then `next`
    int last, next;
    int dofs; // pivots
    bool is_merged;
} Node;

typedef struct Builder {
    const CairnLinalgGraph *graph;
    const int *order;
    int *position;                     // node -> position in the order
    int *first_element, *next_element; // elements by the position of the node that is eliminated first
    Node *nodes;                       // by position
    int *mark;
    CairnArena *arena, *scratch;
    CairnLinalgPlan *plan;
    CairnLinalgSupernode *supernodes;
    int *super_of; // position -> supernode
    int *node_order, *node_pivot, *node_first, *node_row;
    int *element_order, *element_row;
    CairnLinalgRun *runs;
    int run_count, run_limit;
    int *row; // position -> row in the front at hand
} Builder;

static int pad(int n) {
    return (n + 7) & ~7;
}

static int size_at(const Builder *b, int position) {
    return b->graph->node_size[b->order[position]];
}

static double operations_of(double pivots, double below) {
    // sum over pivots k of (n - k)^2 with n the remaining rows: the count of one LDL^T
    return pivots * (pivots * pivots / 3 + below * pivots + below * below);
}

static double cost_of(double pivots, double below) {
    return front_cost + operations_of(pivots, below) + move_cost * below * below;
}

static int compare_positions(const int *a, int n) {
    for (int i = 1; i < n; i++) {
        if (a[i - 1] > a[i]) {
            return i;
        }
    }
    return 0;
}

// Ascending order by shell sort: short lists, often nearly in order.
static void sort(int *a, int n) {
    if (compare_positions(a, n) == 0) {
        return;
    }
    for (int gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (int i = gap; i < n; i++) {
            int x = a[i], k = i;
            for (; k >= gap && a[k - gap] > x; k -= gap) {
                a[k] = a[k - gap];
            }
            a[k] = x;
        }
    }
}

static bool take_scratch(Builder *b) {
    int n = b->graph->node_count, m = b->graph->element_count;
    b->position = CAIRN_PUSH(b->scratch, int, n + 1);
    b->first_element = CAIRN_PUSH(b->scratch, int, n + 1);
    b->next_element = CAIRN_PUSH(b->scratch, int, m + 1);
    b->nodes = CAIRN_PUSH_ZERO(b->scratch, Node, n + 1);
    b->mark = CAIRN_PUSH(b->scratch, int, n + 1);
    b->super_of = CAIRN_PUSH(b->scratch, int, n + 1);
    b->row = CAIRN_PUSH(b->scratch, int, n + 1);
    return b->position && b->first_element && b->next_element && b->nodes && b->mark && b->super_of && b->row;
}

static void sort_elements(Builder *b) {
    const CairnLinalgGraph *graph = b->graph;
    memset(b->first_element, -1, ((size_t)graph->node_count + 1) * sizeof(int));
    for (int e = graph->element_count - 1; e >= 0; e--) {
        int first = graph->node_count;
        for (int k = graph->element_start[e]; k < graph->element_start[e + 1]; k++) {
            int p = b->position[graph->element_node[k]];
            first = p < first ? p : first;
        }
        b->next_element[e] = b->first_element[first];
        b->first_element[first] = e;
    }
}

// Positions below p: those of its elements and of its children's rows. `list` has room for all nodes.
static int union_below(Builder *b, int p, int *list) {
    int count = 0;
    b->mark[p] = p;
    for (int e = b->first_element[p]; e >= 0; e = b->next_element[e]) {
        for (int k = b->graph->element_start[e]; k < b->graph->element_start[e + 1]; k++) {
            int q = b->position[b->graph->element_node[k]];
            if (b->mark[q] != p) {
                b->mark[q] = p;
                list[count++] = q;
            }
        }
    }
    for (int c = b->nodes[p].child; c >= 0; c = b->nodes[c].sibling) {
        for (int k = 0; k < b->nodes[c].below_count; k++) {
            int q = b->nodes[c].below[k];
            if (b->mark[q] != p) {
                b->mark[q] = p;
                list[count++] = q;
            }
        }
    }
    sort(list, count);
    return count;
}

// Merge the nodes that are eliminated after all others and are coupled, whatever it costs. This is done first, so
// that no other node gets between them.
static bool are_last(const Builder *b, int p, int q) {
    const bool *is_last = b->graph->is_last;
    return is_last != NULL && is_last[b->order[p]] && is_last[b->order[q]];
}

static bool are_strange(const Builder *b, int p, int q) {
    const int *stage = b->graph->stage;
    return stage != NULL && stage[b->order[p]] != stage[b->order[q]];
}

// Merge children into p where one larger front costs less than two, although the child's columns then contain zeros.
static void merge_children(Builder *b, int p) {
    Node *node = &b->nodes[p];
    for (;;) {
        int best = -1, before_best = -1, before = -1;
        double gain = 0;
        for (int c = node->child; c >= 0; before = c, c = b->nodes[c].sibling) {
            const Node *child = &b->nodes[c];
            double apart = cost_of(child->dofs, child->below_dofs) + cost_of(node->dofs, node->below_dofs);
            double saved = apart - cost_of(child->dofs + node->dofs, node->below_dofs);
            if (are_last(b, p, c)) {
                saved = HUGE_VAL;
            }
            if (are_strange(b, p, c)) {
                continue;
            }
            if (saved > gain) {
                gain = saved;
                best = c;
                before_best = before;
            }
        }
        if (best < 0) {
            return;
        }
        Node *child = &b->nodes[best];
        // The child is replaced by its children.
        int *link = before_best < 0 ? &node->child : &b->nodes[before_best].sibling;
        int rest = child->sibling;
        *link = rest;
        if (child->child >= 0) {
            *link = child->child;
            int last = child->child;
            while (b->nodes[last].sibling >= 0) {
                last = b->nodes[last].sibling;
            }
            b->nodes[last].sibling = rest;
        }
        child->is_merged = true;
        b->nodes[child->last].next = node->first; // the child's pivots go first
        node->first = child->first;
        node->dofs += child->dofs;
    }
}

static CairnStatus build_tree(Builder *b) {
    int n = b->graph->node_count;
    int *list = CAIRN_PUSH(b->scratch, int, n + 1);
    if (!list) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory to plan %d nodes", n);
    }
    for (int p = 0; p < n; p++) {
        b->mark[p] = -1;
        b->nodes[p].child = b->nodes[p].sibling = b->nodes[p].parent = -1;
    }
    for (int p = 0; p < n; p++) {
        Node *node = &b->nodes[p];
        node->first = node->last = p;
        node->next = -1;
        node->dofs = size_at(b, p);
        node->below_count = union_below(b, p, list);
        node->below = CAIRN_PUSH(b->scratch, int, node->below_count);
        if (!node->below) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for %d rows below node %d", node->below_count,
                               b->order[p]);
        }
        for (int k = 0; k < node->below_count; k++) {
            node->below[k] = list[k];
            node->below_dofs += size_at(b, list[k]);
        }
        merge_children(b, p);
        if (node->below_count > 0) {
            int parent = node->below[0];
            node->sibling = b->nodes[parent].child;
            b->nodes[parent].child = p;
        }
    }
    return cairn_ok();
}

// Number the supernodes, children first, and the largest first among siblings, so that the update matrices that wait
// are small.
static void number_supernodes(Builder *b, int root, int *stack) {
    int depth = 0;
    stack[depth] = root;
    // Descend; a node is numbered when its list of children (eaten while walking) is empty.
    while (depth >= 0) {
        int p = stack[depth];
        int c = b->nodes[p].child;
        if (c >= 0) {
            b->nodes[p].child = b->nodes[c].sibling;
            b->nodes[c].parent = p;
            stack[++depth] = c;
            continue;
        }
        depth--;
        CairnLinalgSupernode *s = &b->supernodes[b->plan->supernode_count];
        *s = (CairnLinalgSupernode){.first_pivot = b->plan->size,
                                    .pivots = b->nodes[p].dofs,
                                    .below = b->nodes[p].below_dofs,
                                    .first_node = b->plan->node_count,
                                    .parent = -1,
                                    .child = -1,
                                    .sibling = -1};
        s->operations = operations_of(s->pivots, s->below);
        s->below_at = pad(s->pivots);
        s->rows = s->below_at + pad(s->below);
        int row = 0;
        for (int k = b->nodes[p].first; k >= 0; k = k == p ? -1 : b->nodes[k].next) {
            b->super_of[k] = b->plan->supernode_count;
            int i = b->order[k];
            b->node_order[b->plan->node_count++] = i;
            b->node_row[i] = row;
            b->node_pivot[i] = s->first_pivot + row;
            row += b->graph->node_size[i];
            s->node_count++;
        }
        CAIRN_ASSERT(row == s->pivots);
        b->plan->size += row;
        b->nodes[p].last = b->plan->supernode_count++;
    }
}

// Where the nodes below supernode s lie in its parent: rows of pivots as numbered, rows below in their order. The
// rows of a front are in the order of pivots; positions in the first order are not, once children were merged.
static int compare_pivots(const Builder *b, int p, int q) {
    return b->node_pivot[b->order[p]] - b->node_pivot[b->order[q]];
}

static void sort_by_pivot(const Builder *b, int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], k = i;
        for (; k > 0 && compare_pivots(b, a[k - 1], x) > 0; k--) {
            a[k] = a[k - 1];
        }
        a[k] = x;
    }
}

static bool add_run(Builder *b, CairnLinalgSupernode *s, int first_row, int length, int parent_row) {
    if (s->run_count > 0) {
        CairnLinalgRun *last = &b->runs[b->run_count - 1];
        if (last->first_row + last->length == first_row && last->parent_row + last->length == parent_row) {
            last->length += length;
            return true;
        }
    }
    if (b->run_count == b->run_limit) {
        return false;
    }
    b->runs[b->run_count++] = (CairnLinalgRun){first_row, length, parent_row};
    s->run_count++;
    return true;
}

// Rows of supernode s's front: fills b->row for its nodes and those below.
static void number_rows(Builder *b, const CairnLinalgSupernode *s, const Node *node) {
    for (int k = 0; k < s->node_count; k++) {
        int i = b->node_order[s->first_node + k];
        b->row[b->position[i]] = b->node_row[i];
    }
    int row = s->below_at;
    for (int k = 0; k < node->below_count; k++) {
        b->row[node->below[k]] = row;
        row += size_at(b, node->below[k]);
    }
}

static CairnStatus link_supernodes(Builder *b, const int *principal) {
    CairnLinalgPlan *plan = b->plan;
    for (int s = 0; s < plan->supernode_count; s++) {
        sort_by_pivot(b, b->nodes[principal[s]].below, b->nodes[principal[s]].below_count);
    }
    for (int s = plan->supernode_count - 1; s >= 0; s--) { // parents first, so that lists of children ascend
        const Node *node = &b->nodes[principal[s]];
        CairnLinalgSupernode *super = &b->supernodes[s];
        if (node->below_count > 0) {
            super->parent = b->super_of[node->below[0]];
            super->sibling = b->supernodes[super->parent].child;
            b->supernodes[super->parent].child = s;
        }
    }
    // Runs of the children need the rows of the parent; elements need the rows of their front.
    for (int s = 0; s < plan->supernode_count; s++) {
        CairnLinalgSupernode *super = &b->supernodes[s];
        number_rows(b, super, &b->nodes[principal[s]]);
        super->first_element = s == 0 ? 0 : super[-1].first_element + super[-1].element_count;
        for (int k = 0; k < super->node_count; k++) {
            int p = b->position[b->node_order[super->first_node + k]];
            for (int e = b->first_element[p]; e >= 0; e = b->next_element[e]) {
                b->element_order[super->first_element + super->element_count++] = e;
                for (int l = b->graph->element_start[e]; l < b->graph->element_start[e + 1]; l++) {
                    b->element_row[l] = b->row[b->position[b->graph->element_node[l]]];
                }
            }
        }
        for (int c = super->child; c >= 0; c = b->supernodes[c].sibling) {
            CairnLinalgSupernode *child = &b->supernodes[c];
            const Node *node = &b->nodes[principal[c]];
            child->first_run = b->run_count;
            for (int k = 0; k < node->below_count; k++) {
                int i = b->order[node->below[k]];
                if (!add_run(b, child, b->node_pivot[i], b->graph->node_size[i], b->row[node->below[k]])) {
                    return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no room for run %d", b->run_count);
                }
            }
        }
    }
    return cairn_ok();
}

static CairnStatus take_plan(Builder *b) {
    const CairnLinalgGraph *graph = b->graph;
    int n = graph->node_count, m = graph->element_count;
    b->supernodes = CAIRN_PUSH(b->arena, CairnLinalgSupernode, n + 1);
    b->node_order = CAIRN_PUSH(b->arena, int, n + 1);
    b->node_pivot = CAIRN_PUSH(b->arena, int, n + 1);
    b->node_first = CAIRN_PUSH(b->arena, int, n + 1);
    b->node_row = CAIRN_PUSH(b->arena, int, n + 1);
    b->element_order = CAIRN_PUSH(b->arena, int, m + 1);
    b->element_row = CAIRN_PUSH(b->arena, int, graph->element_start[m] + 1);
    int *start = CAIRN_PUSH(b->arena, int, m + 1);
    for (int p = 0; p < n; p++) {
        b->run_limit += b->nodes[p].is_merged ? 0 : b->nodes[p].below_count;
    }
    b->runs = CAIRN_PUSH(b->arena, CairnLinalgRun, b->run_limit + 1);
    if (!b->supernodes || !b->node_order || !b->node_pivot || !b->node_first || !b->node_row || !b->element_order ||
        !b->element_row || !start || !b->runs) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for the plan of %d nodes", n);
    }
    int first = 0;
    for (int i = 0; i < n; i++) {
        b->node_first[i] = first;
        first += graph->node_size[i];
    }
    memcpy(start, graph->element_start, ((size_t)m + 1) * sizeof *start);
    CairnLinalgPlan *plan = b->plan;
    plan->supernodes = b->supernodes;
    plan->runs = b->runs;
    plan->node_order = b->node_order;
    plan->node_pivot = b->node_pivot;
    plan->node_first = b->node_first;
    plan->node_row = b->node_row;
    plan->element_order = b->element_order;
    plan->element_row = b->element_row;
    plan->element_start = start;
    return cairn_ok();
}

static int rank_of(const CairnLinalgGraph *graph, int node) {
    return graph->stage != NULL ? graph->stage[node] : graph->is_last != NULL ? graph->is_last[node] : 0;
}

// Sort by stages and by is_last; within each, the order stays.
static void sort_by_stages(const CairnLinalgGraph *graph, int *order, int *sorted) {
    int count = 0, most = 0;
    for (int rank = 0; rank <= most; rank++) {
        for (int p = 0; p < graph->node_count; p++) {
            int node_rank = rank_of(graph, order[p]);
            most = node_rank > most ? node_rank : most;
            if (node_rank == rank) {
                sorted[count++] = order[p];
            }
        }
    }
    memcpy(order, sorted, (size_t)count * sizeof *order);
}

// Units: the subtrees of stage 0.
static CairnStatus find_units(Builder *b) {
    CairnLinalgPlan *plan = b->plan;
    const int *stage = b->graph->stage;
    if (stage == NULL) {
        return cairn_ok();
    }
    int *unit_of = CAIRN_PUSH(b->arena, int, plan->supernode_count + 1);
    if (!unit_of) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory for %d supernodes", plan->supernode_count);
    }
    for (int s = plan->supernode_count - 1; s >= 0; s--) { // parents first
        int parent = b->supernodes[s].parent;
        bool is_below = parent >= 0 && unit_of[parent] >= 0;
        bool is_first = stage[b->node_order[b->supernodes[s].first_node]] == 0;
        unit_of[s] = is_below ? unit_of[parent] : is_first ? plan->unit_count++ : -1;
    }
    plan->unit_of = unit_of;
    return cairn_ok();
}

static CairnStatus build(Builder *b, const int *order) {
    int n = b->graph->node_count;
    int *local_order = CAIRN_PUSH(b->scratch, int, n + 1), *stack = CAIRN_PUSH(b->scratch, int, n + 1);
    int *principal = CAIRN_PUSH(b->scratch, int, n + 1);
    if (!local_order || !stack || !principal || !take_scratch(b)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "linalg: no memory to plan %d nodes", n);
    }
    b->order = order ? order : local_order;
    if (!order) {
        CAIRN_TRY(cairn_linalg_order(b->graph, b->scratch, local_order));
        sort_by_stages(b->graph, local_order, stack);
    }
    for (int p = 0; p < n; p++) {
        b->position[b->order[p]] = p;
    }
    sort_elements(b);
    CAIRN_TRY(build_tree(b));
    CAIRN_TRY(take_plan(b));
    for (int p = 0; p < n; p++) {
        if (!b->nodes[p].is_merged && b->nodes[p].below_count == 0) {
            number_supernodes(b, p, stack);
        }
    }
    for (int p = 0; p < n; p++) {
        if (!b->nodes[p].is_merged) {
            principal[b->nodes[p].last] = p;
        }
    }
    CAIRN_TRY(link_supernodes(b, principal));
    CAIRN_TRY(find_units(b));
    return cairn_linalg_layout(b->plan, b->supernodes, b->arena, b->scratch);
}

CairnStatus cairn_linalg_plan(const CairnLinalgGraph *graph, const int *order, CairnArena *arena, CairnArena *scratch,
                              CairnLinalgPlan *plan) {
    *plan = (CairnLinalgPlan){0};
    Builder b = {.graph = graph, .arena = arena, .scratch = scratch, .plan = plan};
    CairnArenaMark mark = cairn_arena_mark(scratch);
    CairnStatus status = build(&b, order);
    if (arena != scratch) {
        cairn_arena_release(scratch, mark);
    }
    return status;
}
