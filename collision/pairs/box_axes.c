// The separating axes of two boxes: which face normal, and which cross of edges, keeps them farthest apart.
//
// All 15 separations follow from r = [a_i . b_j] (nine dot products) and the centres' distance in both frames. For
// edges n = a_i x b_j, with i1 = i + 1, i2 = i + 2 (mod 3):
//   d . n  = d_i2 r_i1j - d_i1 r_i2j          (d in the first box's axes, since b_j = sum_k r_kj a_k)
//   reach of the first  = h_i1 |r_i2j| + h_i2 |r_i1j|
//   reach of the second = g_j1 |r_ij2| + g_j2 |r_ij1|
//   |n|^2  = r_i1j^2 + r_i2j^2                (not 1 - r_ij^2, which loses its digits where edges are nearly parallel)
#include "collision/pairs/box_frame.h"

CairnBoxRelation cairn_box_relation(const CairnBoxFrame *first, const CairnBoxFrame *second) {
    CairnBoxRelation relation;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            relation.r[i][j] = cairn_dot(first->axis[i], second->axis[j]);
            relation.abs_r[i][j] = fabs(relation.r[i][j]);
        }
        relation.along_first[i] = cairn_dot(second->center, first->axis[i]);
        relation.along_second[i] = cairn_dot(second->center, second->axis[i]);
    }
    return relation;
}

CairnBoxAxis cairn_box_best_face(const CairnBoxFrame *first, const CairnBoxFrame *second,
                                 const CairnBoxRelation *relation, double tie) {
    const double *h = first->half, *g = second->half;
    double separations[6];
    for (int k = 0; k < 3; ++k) {
        const double(*r)[3] = relation->abs_r;
        separations[k] = fabs(relation->along_first[k]) - (h[k] + (g[0] * r[k][0] + g[1] * r[k][1] + g[2] * r[k][2]));
        separations[k + 3] =
            fabs(relation->along_second[k]) - (g[k] + (h[0] * r[0][k] + h[1] * r[1][k] + h[2] * r[2][k]));
    }
    int best = 0;
    double highest = separations[0]; // an earlier axis replaces those that tie with it, and gets their depth
    for (int k = 1; k < 6; ++k) {
        best = separations[k] > separations[best] + tie ? k : best;
        highest = cairn_max(highest, separations[k]);
    }
    bool is_first = best < 3;
    CairnVec3 normal = is_first ? first->axis[best] : second->axis[best - 3];
    bool is_behind = (is_first ? relation->along_first[best] : relation->along_second[best - 3]) < 0;
    return (CairnBoxAxis){is_behind ? cairn_neg(normal) : normal, highest, is_first ? best : -1,
                          is_first ? -1 : best - 3};
}

// The separation along n from n itself.
static double separation_along(const CairnBoxFrame *first, const CairnBoxFrame *second, CairnVec3 n) {
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
        reach +=
            first->half[k] * fabs(cairn_dot(n, first->axis[k])) + second->half[k] * fabs(cairn_dot(n, second->axis[k]));
    }
    return cairn_dot(second->center, n) - reach;
}

static CairnVec3 edge_normal(const CairnBoxFrame *first, const CairnBoxFrame *second, const CairnBoxAxis *axis) {
    CairnVec3 n = cairn_normalize(cairn_cross(first->axis[axis->i], second->axis[axis->j]));
    return cairn_dot(second->center, n) < 0 ? cairn_neg(n) : n;
}

CairnBoxAxis cairn_box_best_edges(const CairnBoxFrame *first, const CairnBoxFrame *second,
                                  const CairnBoxRelation *relation, double tie) {
    static const int next[4] = {1, 2, 0, 1};
    const double *h = first->half, *g = second->half, *d = relation->along_first;
    CairnBoxAxis best = {{0, 0, 1}, -HUGE_VAL, -1, -1};
    CairnBoxAxis highest = best;
    for (int i = 0; i < 3; ++i) {
        int i1 = next[i], i2 = next[i + 1];
        for (int j = 0; j < 3; ++j) {
            int j1 = next[j], j2 = next[j + 1];
            double r1 = relation->r[i1][j], r2 = relation->r[i2][j], squared = r1 * r1 + r2 * r2;
            if (squared < CAIRN_PARALLEL_EDGES) {
                continue;
            }
            double reach_first = h[i1] * fabs(r2) + h[i2] * fabs(r1);
            double reach_second = g[j1] * relation->abs_r[i][j2] + g[j2] * relation->abs_r[i][j1];
            double separation = (fabs(d[i2] * r1 - d[i1] * r2) - (reach_first + reach_second)) / sqrt(squared);
            if (separation > highest.separation) {
                highest = (CairnBoxAxis){{0, 0, 1}, separation, i, j};
            }
            if (separation > best.separation + tie) {
                best.separation = separation;
                best.i = i;
                best.j = j;
            }
        }
    }
    if (best.i >= 0) { // the quotient above has rounding over sin
        best.normal = edge_normal(first, second, &best);
        best.separation = separation_along(first, second, best.normal);
    }
    if (highest.i != best.i || highest.j != best.j) { // as with faces
        CairnVec3 n = edge_normal(first, second, &highest);
        best.separation = cairn_max(best.separation, separation_along(first, second, n));
    }
    return best;
}
