// Overlaps, and what was passed: pairs of shapes, held apart by search.
//
// Overlap: after a step two shapes may overlap by what is left of the overlap before it, and by what the way of the
// step leaves open: the rows of contacts are straight, and the way is an arc. Passed: where a shape touches another
// one neither before nor after the step, the set between the two poses must not lead through it.
#include "engine/audit/apart.h"
#include "engine/audit/audit.h"
#include "engine/base/memory.h"
#include <stdlib.h>

typedef struct Box {
    CairnVec3 low, high;
} Box;

// A shape before and after the step, and the box of its way.
typedef struct Item {
    int shape, body;
    const CairnShapeDef *def;
    CairnTransform poses[2];
    Box box;
    double arc; // how far its points may be off the straight way, m
    double way; // the longest way of its points, m
    bool is_moving;
} Item;

typedef struct Pairs {
    CairnAudit *audit;
    const CairnStore *store;
    Item *items;
    int count;
} Pairs;

// ---- shapes and their ways ----

static CairnTransform frame_of(const CairnAudit *audit, int body, bool is_after) {
    CairnTransform pose = cairn_audit_pose(audit, body, is_after);
    CairnVec3 local = audit->world->store.bodies[body].model->local_center;
    pose.p = cairn_sub(pose.p, cairn_rotate(pose.q, local));
    return pose;
}

static CairnPlaced placed(const CairnShapeDef *def, CairnTransform pose) {
    return (CairnPlaced){.def = def, .poses = {pose}, .pose_count = 1};
}

static void grow(Box *box, CairnVec3 p, double by) {
    box->low =
        (CairnVec3){cairn_min(box->low.x, p.x - by), cairn_min(box->low.y, p.y - by), cairn_min(box->low.z, p.z - by)};
    box->high = (CairnVec3){cairn_max(box->high.x, p.x + by), cairn_max(box->high.y, p.y + by),
                            cairn_max(box->high.z, p.z + by)};
}

static void grow_shape(Box *box, const CairnShapeDef *def, CairnTransform pose) {
    if (def->type == CAIRN_SHAPE_MESH) {
        for (int i = 0; i < def->point_count; i++) {
            grow(box, cairn_transform_point(pose, def->points[i]), 0);
        }
        return;
    }
    CairnPlaced p = placed(def, pose);
    for (int k = 0; k < 6; k++) {
        double sign = k < 3 ? 1 : -1;
        grow(box, cairn_placed_farthest(&p, (CairnVec3){sign * (k % 3 == 0), sign * (k % 3 == 1), sign * (k % 3 == 2)}),
             0);
    }
}

static void add_item(Pairs *pairs, int shape) {
    const CairnAudit *audit = pairs->audit;
    const CairnShape *s = &pairs->store->shapes[shape];
    const CairnShapeDef *def = &s->model->def;
    Item item = {.shape = shape, .body = s->body, .def = def, .is_moving = audit->counts[s->body]};
    item.box = (Box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    CairnTransform local = {def->position, def->orientation};
    for (int k = 0; k < 2; k++) {
        item.poses[k] = cairn_transform_mul(frame_of(audit, s->body, k == 1), local);
        if (def->type != CAIRN_SHAPE_HALF_SPACE) {
            grow_shape(&item.box, def, item.poses[k]);
        }
    }
    if (pairs->store->bodies[s->body].type != CAIRN_BODY_STATIC && def->type != CAIRN_SHAPE_HALF_SPACE) {
        double turn = cairn_length(cairn_audit_turn(audit, s->body));
        CairnVec3 moved =
            cairn_sub(cairn_audit_pose(audit, s->body, true).p, cairn_audit_pose(audit, s->body, false).p);
        item.arc = s->reach * cairn_min(0.5 * turn * turn, 2);
        item.way = cairn_length(moved) + s->reach * turn;
        grow(&item.box, item.box.low, item.arc);
        grow(&item.box, item.box.high, item.arc);
    }
    if (def->type == CAIRN_SHAPE_HALF_SPACE) { // it meets everything
        item.box = (Box){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    }
    pairs->items[pairs->count++] = item;
}

// ---- separations ----

typedef struct Pair {
    const Item *a, *b; // a is convex and bounded
    CairnVec3 guess;   // a direction from a to b
} Pair;

static double half_space_gap(const Item *a, const Item *plane, int when) {
    CairnVec3 up = cairn_rotate(plane->poses[when].q, (CairnVec3){0, 0, 1});
    CairnPlaced p = placed(a->def, a->poses[when]);
    return cairn_dot(up, cairn_sub(cairn_placed_farthest(&p, cairn_neg(up)), plane->poses[when].p));
}

static void take_triangle(const Item *mesh, int t, int when, CairnPlaced *triangle) {
    *triangle = (CairnPlaced){.def = NULL};
    for (int k = 0; k < 3; k++) {
        triangle->triangle[k] =
            cairn_transform_point(mesh->poses[when], mesh->def->points[mesh->def->indices[3 * t + k]]);
    }
}

static CairnVec3 normal_of(const CairnPlaced *triangle) {
    const CairnVec3 *p = triangle->triangle;
    return cairn_normalize(cairn_cross(cairn_sub(p[1], p[0]), cairn_sub(p[2], p[0])));
}

static bool meets(const Box *box, const CairnPlaced *triangle) {
    Box other = {triangle->triangle[0], triangle->triangle[0]};
    grow(&other, triangle->triangle[1], 0);
    grow(&other, triangle->triangle[2], 0);
    return box->low.x <= other.high.x && other.low.x <= box->high.x && box->low.y <= other.high.y &&
           other.low.y <= box->high.y && box->low.z <= other.high.z && other.low.z <= box->high.z;
}

// The least separation of `a` from any triangle.
static double mesh_gap(const Item *a, const CairnPlaced *moving, const Item *mesh, int when, double enough) {
    double least = HUGE_VAL;
    for (int t = 0; t < mesh->def->index_count / 3; t++) {
        CairnPlaced triangle;
        take_triangle(mesh, t, when, &triangle);
        if (meets(&a->box, &triangle)) {
            CairnVec3 guess = cairn_neg(normal_of(&triangle));
            least = cairn_min(least, cairn_apart(moving, &triangle, enough, &guess));
        }
    }
    return least;
}

// How far apart they are, before (0) or after (1) the step; it may stop at `enough`.
static double gap_of(const Pair *pair, int when, double enough) {
    CairnPlaced a = placed(pair->a->def, pair->a->poses[when]);
    if (pair->b->def->type == CAIRN_SHAPE_HALF_SPACE) {
        return half_space_gap(pair->a, pair->b, when);
    }
    if (pair->b->def->type == CAIRN_SHAPE_MESH) {
        return mesh_gap(pair->a, &a, pair->b, when, enough);
    }
    CairnPlaced b = placed(pair->b->def, pair->b->poses[when]);
    CairnVec3 normal = pair->guess;
    return cairn_apart(&a, &b, enough, &normal);
}

// ---- the two terms ----

// The accuracy to which a step foresees contacts, and what springs of contacts keep of an overlap: contact_give (1 + ln
// u) under u times the own weight, and twice contact_give; u is a thousand here.
static double accuracy_of(const Pairs *pairs) {
    const CairnWorldDef *def = &pairs->audit->world->def;
    double give = cairn_world_has_springs(def) ? def->contact_give * def->typical_length : 0;
    return def->contact_stray * def->contact_margin + def->contact_slop + 10 * give;
}

static void check_overlap(const Pairs *pairs, const Pair *pair) {
    const CairnWorldDef *def = &pairs->audit->world->def;
    double limit = accuracy_of(pairs) + pair->a->arc + pair->b->arc, gap = gap_of(pair, 1, -limit);
    if (gap < -limit) {
        double before = cairn_max(-gap_of(pair, 0, 0), 0);
        limit += before - cairn_min(def->contact_fraction * before, def->contact_push * pairs->audit->h);
    }
    cairn_audit_find(pairs->audit, CAIRN_AUDIT_OVERLAP, cairn_max(-gap, 0), limit, pair->a->body, pair->b->body, -1);
}

// The pose on the way at a fraction of the step: the centre goes straight, and the body turns evenly.
static CairnTransform pose_at(const Pairs *pairs, const Item *item, double s) {
    const CairnAudit *audit = pairs->audit;
    CairnTransform from = cairn_audit_pose(audit, item->body, false), to = cairn_audit_pose(audit, item->body, true);
    CairnVec3 turn = {0, 0, 0};
    if (item->way > 0) {
        turn = cairn_audit_turn(audit, item->body);
    }
    CairnTransform pose = {cairn_add_scaled(from.p, s, cairn_sub(to.p, from.p)),
                           cairn_quat_mul(cairn_quat_exp(cairn_scale(s, turn)), from.q)};
    pose.p = cairn_sub(pose.p, cairn_rotate(pose.q, pairs->store->bodies[item->body].model->local_center));
    return cairn_transform_mul(pose, (CairnTransform){item->def->position, item->def->orientation});
}

static CairnTransform relative_at(const Pairs *pairs, const Pair *pair, double s) {
    return cairn_transform_mul(cairn_transform_inverse(pose_at(pairs, pair->b, s)), pose_at(pairs, pair->a, s));
}

// How deep the way of a leads through b, in b's frame. A mesh is met from its front.
static double way_depth(const Pair *pair, const CairnPlaced *way, double enough) {
    CairnTransform still = {{0, 0, 0}, {1, 0, 0, 0}};
    CairnVec3 moved = cairn_sub(way->poses[1].p, way->poses[0].p), guess = {0, 0, 1};
    if (pair->b->def->type != CAIRN_SHAPE_MESH) {
        CairnPlaced b = placed(pair->b->def, still);
        return -cairn_apart(way, &b, -enough, &guess);
    }
    Item box = {.box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}}}, mesh = *pair->b;
    grow_shape(&box.box, way->def, way->poses[0]);
    grow_shape(&box.box, way->def, way->poses[1]);
    mesh.poses[0] = still;
    double deepest = -HUGE_VAL;
    for (int t = 0; t < mesh.def->index_count / 3; t++) {
        CairnPlaced triangle;
        take_triangle(&mesh, t, 0, &triangle);
        CairnVec3 normal = normal_of(&triangle);
        if (cairn_dot(normal, moved) < 0 && meets(&box.box, &triangle)) {
            guess = cairn_neg(normal);
            deepest = cairn_max(deepest, -cairn_apart(way, &triangle, -enough, &guess));
        }
    }
    return deepest;
}

// Half of the least width of a shape, over the directions of a cube's faces, edges and corners.
static double half_width(const CairnShapeDef *def) {
    CairnPlaced p = placed(def, (CairnTransform){{0, 0, 0}, {1, 0, 0, 0}});
    double least = HUGE_VAL;
    for (int k = 0; k < 27; k++) {
        CairnVec3 n = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (k != 13) {
            n = cairn_normalize(n);
            CairnVec3 across = cairn_sub(cairn_placed_farthest(&p, n), cairn_placed_farthest(&p, cairn_neg(n)));
            least = cairn_min(least, 0.5 * cairn_dot(n, across));
        }
    }
    return least;
}

// Turns of more than so much are cut: between two poses the set is convex, and the way is an arc.
static const double turn_at_once = 0.1; // rad
enum { MOST_CUTS = 1000 };

// Whoever goes through another one leaves it behind with all of its width: its way is then deeper in it than half of
// that. A way that only cuts a corner, as straight ways of bodies that roll on one another do, is not.
static void check_passed(const Pairs *pairs, const Pair *pair) {
    const Item *items[2] = {pair->a, pair->b};
    double open = accuracy_of(pairs), turns = 0;
    if (pair->b->def->type == CAIRN_SHAPE_HALF_SPACE || pair->a->way + pair->b->way <= open) {
        return;
    }
    double limit = open + half_width(pair->a->def);
    bool is_short = pair->a->way + pair->b->way <= limit;
    if (is_short || gap_of(pair, 1, -open) < -open || gap_of(pair, 0, -open) < -open) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        turns += items[k]->way > 0 ? cairn_length(cairn_audit_turn(pairs->audit, items[k]->body)) : 0;
    }
    int cuts = (int)cairn_clamp(ceil(turns / turn_at_once), 1, MOST_CUTS);
    double turn = turns / cuts, deepest = 0;
    limit += 0.125 * turn * turn * pairs->store->shapes[pair->a->shape].reach;
    CairnPlaced way = {.def = pair->a->def, .pose_count = 2};
    way.poses[1] = relative_at(pairs, pair, 0);
    for (int k = 0; k < cuts && deepest <= limit; k++) {
        way.poses[0] = way.poses[1];
        way.poses[1] = relative_at(pairs, pair, (k + 1.0) / cuts);
        deepest = cairn_max(deepest, way_depth(pair, &way, limit));
    }
    cairn_audit_find(pairs->audit, CAIRN_AUDIT_PASSED, deepest, limit, pair->a->body, pair->b->body, -1);
}

// ---- which pairs ----

// A direction to look at first: the normal that a contact of this pair reports, from its a to its b. The search shows
// by itself whether they are apart along it.
static CairnVec3 reported_normal(const CairnStore *store, int shape_a, int shape_b) {
    int low = 0, high = store->contact_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const CairnContactRecord *r = &store->contacts[middle];
        bool is_before = r->shape_a < shape_a || (r->shape_a == shape_a && r->shape_b < shape_b);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    const CairnContactRecord *r = low < store->contact_count ? &store->contacts[low] : NULL;
    bool is_theirs = r != NULL && r->shape_a == shape_a && r->shape_b == shape_b;
    return is_theirs ? r->normal : (CairnVec3){0, 0, 0};
}

static CairnVec3 guess_of(const CairnStore *store, const Item *a, const Item *b) {
    return a->shape < b->shape ? reported_normal(store, a->shape, b->shape)
                               : cairn_neg(reported_normal(store, b->shape, a->shape));
}

static bool may_touch(const Pairs *pairs, const Item *a, const Item *b) {
    CairnFilter f = a->def->filter, g = b->def->filter;
    return a->body != b->body && (a->is_moving || b->is_moving) && (f.category & g.mask) != 0 &&
           (g.category & f.mask) != 0 && !cairn_store_joins(pairs->store, a->body, b->body);
}

static bool overlap(const Box *a, const Box *b) {
    return a->low.y <= b->high.y && b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void check_pair(const Pairs *pairs, const Item *a, const Item *b) {
    if (!may_touch(pairs, a, b) || !overlap(&a->box, &b->box)) {
        return;
    }
    // The way of the smaller one in the frame of the larger one: so a turn moves its points least.
    double reach_a = pairs->store->shapes[a->shape].ball, reach_b = pairs->store->shapes[b->shape].ball;
    bool swaps = !cairn_placed_is_convex(a->def) || (cairn_placed_is_convex(b->def) && reach_b < reach_a);
    Pair pair = {.a = swaps ? b : a, .b = swaps ? a : b};
    if (!cairn_placed_is_convex(pair.a->def)) {
        return;
    }
    pair.guess = guess_of(pairs->store, pair.a, pair.b);
    check_overlap(pairs, &pair);
    check_passed(pairs, &pair);
}

static int compare_items(const void *x, const void *y) {
    const Item *a = x, *b = y;
    if (a->box.low.x != b->box.low.x) {
        return a->box.low.x < b->box.low.x ? -1 : 1;
    }
    return a->shape < b->shape ? -1 : 1;
}

CairnStatus cairn_audit_check_pairs(CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    Pairs pairs = {.audit = audit, .store = store};
    int shapes = store->shape_pool.count;
    pairs.items = cairn_memory_allocate(&audit->allocator, (size_t)shapes + 1, sizeof *pairs.items);
    if (pairs.items == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "audit: no memory for %d shapes", shapes);
    }
    for (int s = 0; s < shapes; s++) {
        if (cairn_pool_is_alive(&store->shape_pool, s)) {
            add_item(&pairs, s);
        }
    }
    qsort(pairs.items, (size_t)pairs.count, sizeof *pairs.items, compare_items);
    for (int i = 0; i < pairs.count; i++) {
        for (int j = i + 1; j < pairs.count && pairs.items[j].box.low.x <= pairs.items[i].box.high.x; j++) {
            check_pair(&pairs, &pairs.items[i], &pairs.items[j]);
        }
    }
    cairn_memory_release(&audit->allocator, pairs.items, (size_t)shapes + 1, sizeof *pairs.items);
    return cairn_ok();
}
