// A convex shape and a mesh, triangle by triangle: their distance, and where a moving shape first meets the mesh.
// Nearer boxes of the tree come first, and none that is farther than what was found already is opened.
//
// The distance is that to the surface, from either side; a displacement meets front faces only, as a ray does.
#include "collision/convex/distance.h"
#include "collision/pairs/mesh_body.h"

static double gap_along(double low_a, double high_a, double low_b, double high_b) {
    return cairn_max(cairn_max(low_a - high_b, low_b - high_a), 0);
}

// No points of the two boxes are nearer.
static double box_distance(CairnAabb a, CairnAabb b) {
    CairnVec3 gap = {gap_along(a.low.x, a.high.x, b.low.x, b.high.x), gap_along(a.low.y, a.high.y, b.low.y, b.high.y),
                     gap_along(a.low.z, a.high.z, b.low.z, b.high.z)};
    return cairn_length(gap);
}

// A triangle as a shape that the convex routines take. `triangle` must outlive it.
static CairnGeometry triangle_geometry(const CairnSurface *s, int index, CairnTriangleHull *triangle) {
    const CairnFacet *facet = &s->facets[index];
    const CairnVec3 corners[3] = {s->points[facet->v[0]], s->points[facet->v[1]], s->points[facet->v[2]]};
    cairn_hull_of_triangle(triangle, corners, s->flats[facet->flat].normal);
    return (CairnGeometry){.type = CAIRN_SHAPE_HULL, .local = {{0, 0, 0}, {1, 0, 0, 0}}, .hull = &triangle->hull};
}

// A walk over the leaves that lie nearer to a box than a limit, which may shrink during the walk.
typedef struct Search {
    const CairnSurface *surface;
    CairnAabb box;
    int stack[64], height;
} Search;

static const CairnMeshNode *next_leaf(Search *search, double limit) {
    const CairnMeshNode *nodes = search->surface->nodes;
    while (search->height > 0) {
        int node_index = search->stack[--search->height];
        const CairnMeshNode *node = &nodes[node_index];
        if (box_distance(node->box, search->box) > limit) {
            continue;
        }
        if (node->count > 0) {
            return node;
        }
        // The nearer child is opened first: it lies on top.
        int near = node->first, far = node->first + 1;
        if (box_distance(nodes[far].box, search->box) < box_distance(nodes[near].box, search->box)) {
            near = node->first + 1;
            far = node->first;
        }
        search->stack[search->height++] = far;
        search->stack[search->height++] = near;
    }
    return NULL;
}

static Search begin_search(const CairnSurface *surface, CairnAabb box) {
    return (Search){.surface = surface, .box = box, .stack = {0}, .height = surface->node_count > 0 ? 1 : 0};
}

bool cairn_mesh_separation(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *mesh,
                           CairnTransform pose_mesh, double limit, CairnSeparation *separation) {
    const CairnSurface *s = mesh->surface;
    CairnTransform relative = {cairn_untransform_point(pose_mesh, pose_a.p),
                               cairn_quat_mul(cairn_quat_conj(pose_mesh.q), pose_a.q)};
    Search search = begin_search(s, cairn_geometry_box(a, relative));
    bool is_found = false;
    for (const CairnMeshNode *leaf = next_leaf(&search, limit); leaf != NULL; leaf = next_leaf(&search, limit)) {
        for (int i = 0; i < leaf->count; i++) {
            CairnTriangleHull triangle;
            CairnGeometry one = triangle_geometry(s, s->order[leaf->first + i], &triangle);
            CairnSeparation at;
            if (cairn_separation(a, pose_a, &one, pose_mesh, limit, &at) &&
                (!is_found || at.distance < separation->distance)) {
                is_found = true;
                *separation = at;
                limit = at.distance;
            }
        }
    }
    return is_found;
}

bool cairn_mesh_cast(const CairnGeometry *a, CairnTransform pose_a, CairnVec3 displacement, const CairnGeometry *mesh,
                     CairnTransform pose_mesh, double *fraction, CairnSeparation *at) {
    const CairnSurface *s = mesh->surface;
    CairnTransform relative = {cairn_untransform_point(pose_mesh, pose_a.p),
                               cairn_quat_mul(cairn_quat_conj(pose_mesh.q), pose_a.q)};
    CairnVec3 turned = cairn_rotate(cairn_quat_conj(pose_mesh.q), displacement);
    CairnAabb box = cairn_geometry_box(a, relative);
    box.low = cairn_add(box.low, (CairnVec3){cairn_min(turned.x, 0), cairn_min(turned.y, 0), cairn_min(turned.z, 0)});
    box.high = cairn_add(box.high, (CairnVec3){cairn_max(turned.x, 0), cairn_max(turned.y, 0), cairn_max(turned.z, 0)});
    Search search = begin_search(s, box);
    bool is_met = false;
    for (const CairnMeshNode *leaf = next_leaf(&search, 0); leaf != NULL; leaf = next_leaf(&search, 0)) {
        for (int i = 0; i < leaf->count; i++) {
            const CairnFlat *flat = &s->flats[s->facets[s->order[leaf->first + i]].flat];
            CairnVec3 top = cairn_geometry_support(a, relative, flat->normal);
            if (cairn_dot(flat->normal, turned) > 0 || cairn_dot(flat->normal, top) < flat->offset) {
                continue; // the shape moves away from the face, or starts wholly behind it
            }
            CairnTriangleHull triangle;
            CairnGeometry one = triangle_geometry(s, s->order[leaf->first + i], &triangle);
            CairnSeparation there = {.normal = {0, 0, 1}};
            double fraction_here;
            if (cairn_shape_cast(a, pose_a, displacement, &one, pose_mesh, &fraction_here, &there) &&
                (!is_met || fraction_here < *fraction)) {
                is_met = true;
                *fraction = fraction_here;
                *at = there;
            }
        }
    }
    return is_met;
}
