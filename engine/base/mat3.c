#include "engine/base/mat3.h"

#include <float.h>

// ---- inverse ----

static double largest_entry(CairnMat3 a) {
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(fabs(a.m[i][j]) <= largest)) { // also takes a NaN up
                largest = fabs(a.m[i][j]);
            }
        }
    }
    return largest;
}

static double row_sum(const double row[3]) {
    return fabs(row[0]) + fabs(row[1]) + fabs(row[2]);
}

// adj(a) / det(a). Hadamard: |det a| is at most the product of the rows' lengths, and so of their sums, whatever their
// scales; a determinant that is nothing but rounding beside that product shows that the rows are dependent.
static bool adjugate_inverse(CairnMat3 a, double volume, CairnMat3 *inverse) {
    CairnVec3 r0 = {a.m[0][0], a.m[0][1], a.m[0][2]}, r1 = {a.m[1][0], a.m[1][1], a.m[1][2]};
    CairnVec3 r2 = {a.m[2][0], a.m[2][1], a.m[2][2]};
    CairnVec3 c0 = cairn_cross(r1, r2), c1 = cairn_cross(r2, r0), c2 = cairn_cross(r0, r1); // columns of the adjugate
    double determinant = cairn_dot(r0, c0);
    if (!(fabs(determinant) > 4 * DBL_EPSILON * volume)) {
        return false;
    }
    double s = 1.0 / determinant;
    *inverse =
        (CairnMat3){{{s * c0.x, s * c1.x, s * c2.x}, {s * c0.y, s * c1.y, s * c2.y}, {s * c0.z, s * c1.z, s * c2.z}}};
    return true;
}

static CairnMat3 scaled_by_power(CairnMat3 a, int exponent) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] = scalbn(a.m[i][j], exponent);
        }
    }
    return a;
}

bool cairn_mat3_inverse(CairnMat3 a, CairnMat3 *inverse) {
    double volume = row_sum(a.m[0]) * row_sum(a.m[1]) * row_sum(a.m[2]);
    double largest = largest_entry(a);
    if (largest < 1e90 && volume > 1e-250) { // no product leaves the range of a double
        return adjugate_inverse(a, volume, inverse);
    }
    if (!(largest > 0) || !isfinite(largest)) {
        return false;
    }
    int exponent = ilogb(largest);
    CairnMat3 scaled = scaled_by_power(a, -exponent), result;
    volume = row_sum(scaled.m[0]) * row_sum(scaled.m[1]) * row_sum(scaled.m[2]);
    if (!adjugate_inverse(scaled, volume, &result)) {
        return false;
    }
    *inverse = scaled_by_power(result, -exponent);
    return true;
}

// ---- symmetric matrices ----

bool cairn_mat3_is_symmetric(CairnMat3 a, double tolerance) {
    double largest = largest_entry(a);
    return fabs(a.m[0][1] - a.m[1][0]) <= tolerance * largest && fabs(a.m[0][2] - a.m[2][0]) <= tolerance * largest &&
           fabs(a.m[1][2] - a.m[2][1]) <= tolerance * largest;
}

// The lower factor of a = L L^T. A pivot that is nothing but rounding beside its diagonal entry counts as zero.
static bool cholesky(CairnMat3 a, double l[3][3]) {
    for (int j = 0; j < 3; j++) {
        double pivot = a.m[j][j];
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        if (!(pivot > 16 * DBL_EPSILON * a.m[j][j]) || !isfinite(pivot)) {
            return false;
        }
        l[j][j] = sqrt(pivot);
        for (int i = j + 1; i < 3; i++) {
            double sum = a.m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    return true;
}

bool cairn_mat3_is_positive_definite(CairnMat3 a) {
    double l[3][3];
    return cholesky(a, l);
}

// ---- eigenvalues ----

// One Jacobi rotation in the plane (p, q) that makes a[p][q] zero: a <- G^T a G, v <- v G, with the smaller of the two
// angles.
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q) {
    double apq = a[p][q];
    // Beside both diagonal entries it is nothing: dropping it changes no eigenvalue by an ulp.
    if (fabs(apq) <= 0.01 * DBL_EPSILON * fmin(fabs(a[p][p]), fabs(a[q][q]))) {
        a[p][q] = a[q][p] = 0;
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * apq);                              // cot of twice the angle
    double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0)); // tan of the angle
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    int r = 3 - p - q;
    double arp = a[r][p], arq = a[r][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0;
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; i++) {
        double vip = v[i][p], viq = v[i][q];
        v[i][p] = c * vip - s * viq;
        v[i][q] = s * vip + c * viq;
    }
}

void cairn_mat3_eigen(CairnMat3 a, double values[3], CairnMat3 *vectors) {
    enum { MAX_SWEEPS = 40 }; // converges quadratically: six sweeps do; the bound is for NaN
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        if (a.m[0][1] == 0 && a.m[0][2] == 0 && a.m[1][2] == 0) {
            break;
        }
        jacobi_rotate(a.m, v, 0, 1);
        jacobi_rotate(a.m, v, 0, 2);
        jacobi_rotate(a.m, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) { // three entries: insertion sort, stable, so equal values keep their axes
        for (int j = i; j > 0 && a.m[order[j]][order[j]] < a.m[order[j - 1]][order[j - 1]]; j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    CairnVec3 column[3];
    for (int j = 0; j < 3; j++) {
        values[j] = a.m[order[j]][order[j]];
        column[j] = (CairnVec3){v[0][order[j]], v[1][order[j]], v[2][order[j]]};
    }
    if (cairn_dot(cairn_cross(column[0], column[1]), column[2]) < 0) {
        column[2] = cairn_neg(column[2]);
    }
    *vectors = (CairnMat3){{{column[0].x, column[1].x, column[2].x},
                            {column[0].y, column[1].y, column[2].y},
                            {column[0].z, column[1].z, column[2].z}}};
}

// ---- inertia ----

CairnMat3 cairn_inertia_shift(CairnMat3 inertia, double mass, CairnVec3 r) {
    double xx = mass * r.x * r.x, yy = mass * r.y * r.y, zz = mass * r.z * r.z;
    double xy = mass * r.x * r.y, xz = mass * r.x * r.z, yz = mass * r.y * r.z;
    CairnMat3 steiner = {{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
    return cairn_mat3_sum(inertia, steiner);
}

bool cairn_inertia_is_physical(CairnMat3 inertia) {
    const double tolerance = 1e-9;
    if (!isfinite(largest_entry(inertia)) || !cairn_mat3_is_symmetric(inertia, tolerance) ||
        !cairn_mat3_is_positive_definite(inertia)) {
        return false;
    }
    double moments[3];
    CairnMat3 axes;
    cairn_mat3_eigen(inertia, moments, &axes);
    return moments[0] > 0 && moments[0] + moments[1] >= (1 - tolerance) * moments[2];
}

CairnQuat cairn_quat_of_mat3(CairnMat3 r) {
    // Four times the square of each component; the largest is at least 1, so that its root loses nothing.
    const double w = 1 + r.m[0][0] + r.m[1][1] + r.m[2][2], x = 1 + r.m[0][0] - r.m[1][1] - r.m[2][2];
    const double y = 1 - r.m[0][0] + r.m[1][1] - r.m[2][2], z = 1 - r.m[0][0] - r.m[1][1] + r.m[2][2];
    CairnQuat q;
    if (w >= x && w >= y && w >= z) {
        q = (CairnQuat){w, r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
    } else if (x >= y && x >= z) {
        q = (CairnQuat){r.m[2][1] - r.m[1][2], x, r.m[0][1] + r.m[1][0], r.m[0][2] + r.m[2][0]};
    } else if (y >= z) {
        q = (CairnQuat){r.m[0][2] - r.m[2][0], r.m[0][1] + r.m[1][0], y, r.m[1][2] + r.m[2][1]};
    } else {
        q = (CairnQuat){r.m[1][0] - r.m[0][1], r.m[0][2] + r.m[2][0], r.m[1][2] + r.m[2][1], z};
    }
    return cairn_quat_normalize(q);
}
