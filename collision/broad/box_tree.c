// The tree of boxes and the walks in it.
#include "collision/broad/box_tree.h"
#include "collision/shapes/median.h"
#include "engine/base/memory.h"

enum { LEAF = 4 };

// A tree that was fitted is built anew when its nodes together are so much larger than they were.
static const double slackening = 1.5;

static CairnVec3 lower(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_min(a.x, b.x), cairn_min(a.y, b.y), cairn_min(a.z, b.z)};
}

static CairnVec3 upper(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_max(a.x, b.x), cairn_max(a.y, b.y), cairn_max(a.z, b.z)};
}

static CairnAabb around(CairnAabb a, CairnAabb b) {
    return (CairnAabb){lower(a.low, b.low), upper(a.high, b.high)};
}

static double extent(CairnAabb box) {
    CairnVec3 size = cairn_sub(box.high, box.low);
    return size.x + size.y + size.z;
}

void cairn_box_tree_free(CairnBoxTree *tree, const CairnAllocator *allocator) {
    cairn_memory_release(allocator, tree->boxes, (size_t)tree->box_capacity, sizeof *tree->boxes);
    cairn_memory_release(allocator, tree->nodes, (size_t)tree->node_capacity, sizeof *tree->nodes);
    cairn_memory_release(allocator, tree->order, (size_t)tree->order_capacity, sizeof *tree->order);
    *tree = (CairnBoxTree){0};
}

bool cairn_box_tree_reserve(CairnBoxTree *tree, const CairnAllocator *allocator, int count) {
    return cairn_memory_reserve(allocator, &tree->boxes, &tree->box_capacity, count, sizeof *tree->boxes) &&
           cairn_memory_reserve(allocator, &tree->order, &tree->order_capacity, count, sizeof *tree->order) &&
           cairn_memory_reserve(allocator, &tree->nodes, &tree->node_capacity, count + 2, sizeof *tree->nodes);
}

// ---- building ----

static bool is_bounded(const CairnAabb *box) {
    const double far = 1e300; // sums of two of these are finite, and NaN is not below
    return fabs(box->low.x) < far && fabs(box->low.y) < far && fabs(box->low.z) < far && fabs(box->high.x) < far &&
           fabs(box->high.y) < far && fabs(box->high.z) < far;
}

static double middle_of(const CairnAabb *box, int axis) {
    return axis == 0 ? box->low.x + box->high.x : axis == 1 ? box->low.y + box->high.y : box->low.z + box->high.z;
}

// By middle, then by number: no two are equal, so the halves do not depend on how they are found.
static bool comes_before(const void *what, int a, int b, int axis) {
    const CairnBoxTree *tree = what;
    double x = middle_of(&tree->boxes[a], axis), y = middle_of(&tree->boxes[b], axis);
    return x != y ? x < y : a < b;
}

// The axis along which the middles of a node's items spread most.
static int widest_axis(const CairnBoxTree *tree, int first, int end) {
    double widest = -1;
    int best = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int k = first; k < end; ++k) {
            double middle = middle_of(&tree->boxes[tree->order[k]], axis);
            low = cairn_min(low, middle);
            high = cairn_max(high, middle);
        }
        if (high - low > widest) {
            widest = high - low;
            best = axis;
        }
    }
    return best;
}

static CairnAabb box_of_items(const CairnBoxTree *tree, int first, int end) {
    CairnAabb box = tree->boxes[tree->order[first]];
    for (int k = first + 1; k < end; ++k) {
        box = around(box, tree->boxes[tree->order[k]]);
    }
    return box;
}

// Children follow their parents, so one pass from the end finds every node's box. Returns the sum of their extents.
static double fit_nodes(CairnBoxTree *tree) {
    double size = 0;
    for (int n = tree->node_count - 1; n >= 0; --n) {
        CairnBoxNode *node = &tree->nodes[n];
        node->box = node->count > 0 ? box_of_items(tree, node->first, node->first + node->count)
                                    : around(tree->nodes[node->first].box, tree->nodes[node->first + 1].box);
        size += extent(node->box);
    }
    return size;
}

// Moves the unbounded boxes to the end.
static void move_unbounded_last(CairnBoxTree *tree, int count) {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        int item = tree->order[k];
        if (is_bounded(&tree->boxes[item])) {
            tree->order[k] = tree->order[kept];
            tree->order[kept++] = item;
        }
    }
    tree->item_count = kept;
    tree->unbounded_count = count - kept;
}

void cairn_box_tree_build(CairnBoxTree *tree, int count) {
    move_unbounded_last(tree, count);
    tree->node_count = 0;
    if (tree->item_count > 0) {
        tree->nodes[tree->node_count++] = (CairnBoxNode){.first = 0, .count = tree->item_count};
    }
    for (int n = 0; n < tree->node_count; ++n) {
        CairnBoxNode *node = &tree->nodes[n];
        if (node->count > LEAF) {
            int first = node->first, items = node->count, half = items / 2;
            cairn_median_select(tree->order, first, first + items, first + half, comes_before, tree,
                                widest_axis(tree, first, first + items));
            tree->nodes[tree->node_count] = (CairnBoxNode){.first = first, .count = half};
            tree->nodes[tree->node_count + 1] = (CairnBoxNode){.first = first + half, .count = items - half};
            node->first = tree->node_count;
            node->count = 0;
            tree->node_count += 2;
        }
    }
    tree->size = fit_nodes(tree);
}

bool cairn_box_tree_fit(CairnBoxTree *tree) {
    for (int k = 0; k < tree->item_count + tree->unbounded_count; ++k) {
        if (is_bounded(&tree->boxes[tree->order[k]]) != (k < tree->item_count)) {
            return false;
        }
    }
    return fit_nodes(tree) <= slackening * tree->size;
}

// ---- walking ----

static double largest_coordinate(CairnAabb box) {
    CairnVec3 far = upper(cairn_neg(box.low), box.high);
    return cairn_max(far.x, cairn_max(far.y, far.z));
}

static bool span(double low, double high, double origin, double inverse, double *enter, double *exit) {
    if (isinf(inverse)) { // along this axis it does not move
        return low <= origin && origin <= high;
    }
    double t0 = (low - origin) * inverse, t1 = (high - origin) * inverse;
    *enter = cairn_max(*enter, cairn_min(t0, t1));
    *exit = cairn_min(*exit, cairn_max(t0, t1));
    return *enter <= *exit;
}

static double gap_between(double low_a, double high_a, double low_b, double high_b) {
    return cairn_max(low_a - high_b, low_b - high_a);
}

// Where the walk's ray enters a box, or how far away along one axis the box is; infinite: not at all.
static double entry_of(const CairnBoxWalk *walk, const CairnAabb *box) {
    if (!walk->is_ray) {
        return -walk->slack +
               cairn_max(gap_between(box->low.x, box->high.x, walk->box.low.x, walk->box.high.x),
                         cairn_max(gap_between(box->low.y, box->high.y, walk->box.low.y, walk->box.high.y),
                                   gap_between(box->low.z, box->high.z, walk->box.low.z, walk->box.high.z)));
    }
    CairnVec3 o = walk->origin, i = walk->inverse, h = walk->half;
    double s = walk->slack, enter = 0, exit = HUGE_VAL;
    bool meets = span(box->low.x - h.x - s, box->high.x + h.x + s, o.x, i.x, &enter, &exit) &&
                 span(box->low.y - h.y - s, box->high.y + h.y + s, o.y, i.y, &enter, &exit) &&
                 span(box->low.z - h.z - s, box->high.z + h.z + s, o.z, i.z, &enter, &exit);
    return meets ? enter : HUGE_VAL;
}

static void push(CairnBoxWalk *walk, int node, double entry) {
    if (entry <= walk->limit && entry < HUGE_VAL) {
        walk->entries[walk->height] = entry;
        walk->stack[walk->height++] = node;
    }
}

static void set_slack(CairnBoxWalk *walk, const CairnAabb *box) {
    walk->slack = 1e-12 * (walk->size + largest_coordinate(*box));
}

// `size`: the largest coordinate of the box or ray that is tested.
static void begin(CairnBoxWalk *walk, const CairnBoxTree *tree, double limit, double size) {
    walk->tree = tree;
    walk->limit = limit;
    walk->size = size;
    walk->height = walk->at = walk->end = 0;
    if (tree != NULL) {
        walk->at = tree->item_count; // the unbounded ones first
        walk->end = tree->item_count + tree->unbounded_count;
    }
    if (tree != NULL && tree->node_count > 0) {
        set_slack(walk, &tree->nodes[0].box);
        push(walk, 0, entry_of(walk, &tree->nodes[0].box));
    }
}

static double inverse_of(double direction) {
    return direction != 0 ? 1 / direction : HUGE_VAL;
}

void cairn_box_walk_ray(CairnBoxWalk *walk, const CairnBoxTree *tree, CairnVec3 origin, CairnVec3 half,
                        CairnVec3 direction, double limit) {
    walk->is_ray = true;
    walk->origin = origin;
    walk->half = half;
    walk->inverse = (CairnVec3){inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z)};
    begin(walk, tree, limit,
          largest_coordinate((CairnAabb){origin, origin}) + largest_coordinate((CairnAabb){half, half}));
}

void cairn_box_walk_near(CairnBoxWalk *walk, const CairnBoxTree *tree, CairnAabb box, double limit) {
    walk->is_ray = false;
    walk->box = box;
    begin(walk, tree, limit, largest_coordinate(box));
}

bool cairn_box_walk_admits(CairnBoxWalk *walk, const CairnAabb *box) {
    if (!is_bounded(box)) {
        return true;
    }
    set_slack(walk, box);
    return entry_of(walk, box) <= walk->limit;
}

// The next node that may matter; its children go on the stack, the nearer one on top.
static bool open_node(CairnBoxWalk *walk) {
    const CairnBoxTree *tree = walk->tree;
    while (walk->height > 0) {
        walk->height -= 1;
        const CairnBoxNode *node = &tree->nodes[walk->stack[walk->height]];
        if (!(walk->entries[walk->height] <= walk->limit)) {
            continue;
        }
        if (node->count > 0) {
            walk->at = node->first;
            walk->end = node->first + node->count;
            return true;
        }
        double a = entry_of(walk, &tree->nodes[node->first].box), b = entry_of(walk, &tree->nodes[node->first + 1].box);
        bool a_is_nearer = a <= b;
        push(walk, a_is_nearer ? node->first + 1 : node->first, a_is_nearer ? b : a);
        push(walk, a_is_nearer ? node->first : node->first + 1, a_is_nearer ? a : b);
    }
    return false;
}

int cairn_box_walk_next(CairnBoxWalk *walk) {
    const CairnBoxTree *tree = walk->tree;
    do {
        while (walk->at < walk->end) {
            int k = walk->at++, item = tree->order[k];
            if (k >= tree->item_count || entry_of(walk, &tree->boxes[item]) <= walk->limit) {
                return item;
            }
        }
    } while (open_node(walk));
    return -1;
}
