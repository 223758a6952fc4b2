// The 3x3 blocks of C + Theta in body space. With T = C + Theta and T^-1 = G^T diag(s) G the rows of a contact become
// J' = G J with weights s, and
//
//     J^T T^-1 J = J'^T diag(s) J',      T^-1 y = G^T diag(s) (G y).
//
// Near a cone's edge T's eigenvalues differ by more than the digits of a double, so G never comes from T's entries. A
// cone's block has an axis p in the tangent plane, and the other two lie in the plane of n and d, d square to p. There
// p is eliminated first, and then the larger of n and d; the pivot that is left is det / (the larger one), and the
// determinant of diag(C) + w1 a a^T + w2 b b^T is a sum of positive terms (Cauchy and Binet), so that small pivots keep
// all their digits. Of other blocks, and where a row is held out, G = R^-T with R from the orthogonal factorization of
// [diag(C + theta)^1/2; diag(weight)^1/2 axes], rows sorted by size and columns exchanged (Cox and Higham, Stability of
// Householder QR for weighted least squares, 1998).
#include <math.h>
#include <string.h>

#include "engine/base/eights.h"
#include "solvers/system/formulation.h"

enum { ROWS = 6 };

static double largest_of(const double *row, const int *column, int from, int count) {
    double largest = 0;
    for (int j = from; j < count; j++) {
        largest = fmax(largest, fabs(row[column[j]]));
    }
    return largest;
}

// One Householder reflection on column column[k] over rows [k, ROWS); the others of the columns in use follow. False:
// it is zero.
static bool reflect(double a[ROWS][3], const int *column, int k, int count) {
    double x[ROWS] = {0};
    for (int i = k; i < ROWS; i++) {
        x[i] = a[i][column[k]];
    }
    double norm = 0;
    for (int i = k; i < ROWS; i++) {
        norm += x[i] * x[i];
    }
    norm = sqrt(norm);
    if (!(norm > 0) || isinf(norm)) {
        return false;
    }
    double head = x[k] > 0 ? -norm : norm;
    x[k] -= head;
    double scale = -1 / (head * x[k]); // 2 / x^T x
    for (int j = k; j < count; j++) {
        double sum = 0;
        for (int i = k; i < ROWS; i++) {
            sum += x[i] * a[i][column[j]];
        }
        sum *= scale;
        for (int i = k; i < ROWS; i++) {
            a[i][column[j]] -= sum * x[i];
        }
    }
    a[k][column[k]] = head;
    return true;
}

// Exchange the column with the largest norm below row k with column k, and sort the rows from k on by size.
static void exchange(double a[ROWS][3], int *column, int k, int count) {
    int best = k;
    double most = -1;
    for (int j = k; j < count; j++) {
        double norm = 0;
        for (int i = k; i < ROWS; i++) {
            norm += a[i][column[j]] * a[i][column[j]];
        }
        best = norm > most ? j : best;
        most = fmax(most, norm);
    }
    int column_k = column[k];
    column[k] = column[best];
    column[best] = column_k;
    for (int i = k; i < ROWS; i++) {
        int top = i;
        for (int t = i + 1; t < ROWS; t++) {
            top = largest_of(a[t], column, k, count) > largest_of(a[top], column, k, count) ? t : top;
        }
        for (int j = 0; j < 3; j++) {
            double entry = a[i][j];
            a[i][j] = a[top][j];
            a[top][j] = entry;
        }
    }
}

static bool make_orthogonal(const double *give, const CairnThetaBlock *block, CairnTurn *turn) {
    double a[ROWS][3] = {{0}};
    turn->is_direct = false;
    turn->count = 0;
    for (int i = 0; i < 3; i++) {
        if (!isinf(give[i])) {
            turn->column[turn->count++] = i;
            a[i][i] = sqrt(give[i]);
        }
        double root = sqrt(block->weight[i]);
        for (int j = 0; j < 3; j++) {
            a[3 + i][j] = root * block->axis[i][j];
        }
    }
    int count = turn->count;
    double eliminated[3][3] = {{0}};
    for (int k = 0; k < count; k++) {
        exchange(a, turn->column, k, count);
        if (!reflect(a, turn->column, k, count)) {
            return false;
        }
        memcpy(eliminated[k], a[k], sizeof eliminated[k]);
    }
    for (int k = 0; k < count; k++) {
        for (int j = k; j < count; j++) {
            turn->R[k][j] = eliminated[k][turn->column[j]];
        }
        turn->R[k][k] = 1 / turn->R[k][k];
        if (!isfinite(turn->R[k][k])) {
            return false;
        }
    }
    for (int k = 0; k < 3; k++) {
        turn->weight[k] = k < count ? 1 : 0;
    }
    return true;
}

// Which axis lies in the tangent plane, square to the other two; -1: none does.
static int find_square_axis(const CairnThetaBlock *block) {
    static const double rounding = 1e-15;
    for (int k = 2; k >= 0; k--) {
        const double *p = block->axis[k], *a = block->axis[(k + 1) % 3], *b = block->axis[(k + 2) % 3];
        double across_a = p[1] * a[1] + p[2] * a[2], across_b = p[1] * b[1] + p[2] * b[2];
        if (p[0] == 0 && fabs(across_a) <= rounding && fabs(across_b) <= rounding) {
            return k;
        }
    }
    return -1;
}

// False: some number is not finite, or T is singular.
static bool make_direct(const double *give, const CairnThetaBlock *block, int square, CairnTurn *turn) {
    const double *p = block->axis[square], *a = block->axis[(square + 1) % 3], *b = block->axis[(square + 2) % 3];
    double size = p[1] * p[1] + p[2] * p[2];
    if (!(size > 0)) {
        return false;
    }
    double over = 1 / sqrt(size), q[2] = {p[1] * over, p[2] * over};
    double wp = block->weight[square] * size, wa = block->weight[(square + 1) % 3],
           wb = block->weight[(square + 2) % 3];
    double d[2] = {q[1], -q[0]}, a1 = a[1] * d[0] + a[2] * d[1], b1 = b[1] * d[0] + b[2] * d[1];
    // p first.
    double give_p = give[1] * q[0] * q[0] + give[2] * q[1] * q[1], couples = (give[1] - give[2]) * q[0] * q[1];
    double give_d = give[1] * d[0] * d[0] + give[2] * d[1] * d[1], pivot_p = wp + give_p;
    if (!(pivot_p > 0)) {
        return false;
    }
    double multiplier = couples / pivot_p, left_d = (give[1] * give[2] + wp * give_d) / pivot_p;
    // Then n and d.
    double N = give[0] + wa * a[0] * a[0] + wb * b[0] * b[0], T = left_d + wa * a1 * a1 + wb * b1 * b1;
    double M = wa * a[0] * a1 + wb * b[0] * b1, cross = a[0] * b1 - a1 * b[0];
    double det = give[0] * left_d + wa * (give[0] * a1 * a1 + left_d * a[0] * a[0]) +
                 wb * (give[0] * b1 * b1 + left_d * b[0] * b[0]) + wa * wb * cross * cross;
    double free_of_p[3] = {0, d[0] - multiplier * q[0], d[1] - multiplier * q[1]};
    double larger = N >= T ? N : T;
    if (!(larger > 0 && det > 0)) {
        return false;
    }
    double ratio = M / larger;
    turn->is_direct = true;
    turn->count = 3;
    turn->weight[0] = 1 / pivot_p;
    turn->weight[1] = 1 / larger;
    turn->weight[2] = larger / det;
    double *G = turn->R[0];
    G[0] = 0;
    G[1] = q[0];
    G[2] = q[1];
    for (int i = 0; i < 3; i++) {
        double n = i == 0 ? 1 : 0, t = free_of_p[i];
        G[3 + i] = N >= T ? n : t;
        G[6 + i] = N >= T ? t - ratio * n : n - ratio * t;
    }
    double sum = turn->weight[0] + turn->weight[1] + turn->weight[2] + G[6] + G[7] + G[8] + det;
    return isfinite(sum);
}

// T is diagonal: nothing is turned.
static bool make_diagonal(const double *give, CairnTurn *turn) {
    *turn = (CairnTurn){.is_direct = true, .count = 3, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; k < 3; k++) {
        turn->weight[k] = give[k] > 0 ? 1 / give[k] : HUGE_VAL;
        turn->count -= isinf(give[k]);
    }
    return isfinite(turn->weight[0]) && isfinite(turn->weight[1]) && isfinite(turn->weight[2]);
}

bool cairn_turn_make(const double *give, const CairnThetaBlock *block, CairnTurn *turn) {
    bool is_held[3] = {isinf(give[0]), isinf(give[1]), isinf(give[2])};
    bool is_whole = !is_held[0] && !is_held[1] && !is_held[2];
    bool is_empty = block->weight[0] == 0 && block->weight[1] == 0 && block->weight[2] == 0;
    if (is_empty || (is_held[0] && is_held[1] && is_held[2])) {
        return make_diagonal(give, turn);
    }
    int square = is_whole ? find_square_axis(block) : -1;
    return (square >= 0 && make_direct(give, block, square, turn)) || make_orthogonal(give, block, turn);
}

static void multiply_eights(const double *G, size_t n, const double *x, double *y) {
    for (size_t c = 0; c < n; c += 8) {
        const Eight a = *(const Eight *)(x + c), b = *(const Eight *)(x + n + c), d = *(const Eight *)(x + 2 * n + c);
        for (size_t k = 0; k < 3; k++) {
            *(Eight *)(y + k * n + c) = G[3 * k] * a + G[3 * k + 1] * b + G[3 * k + 2] * d;
        }
    }
}

void cairn_turn_forward(const CairnTurn *turn, int stride, const double *x, double *y) {
    size_t n = (size_t)stride;
    const double *G = turn->R[0];
    if (turn->is_direct && n == 1) {
        for (int k = 0; k < 3; k++) {
            y[k] = G[3 * k] * x[0] + G[3 * k + 1] * x[1] + G[3 * k + 2] * x[2];
        }
        return;
    }
    if (turn->is_direct) { // packed Jacobians
        multiply_eights(G, n, x, y);
        return;
    }
    memset(y, 0, 3 * n * sizeof *y);
    for (int k = 0; k < turn->count; k++) {
        const double *from = x + (size_t)turn->column[k] * n;
        double *to = y + (size_t)k * n;
        for (size_t c = 0; c < n; c++) {
            double sum = from[c];
            for (int i = 0; i < k; i++) {
                sum -= turn->R[i][k] * y[(size_t)i * n + c];
            }
            to[c] = sum * turn->R[k][k];
        }
    }
}

// In the problem's order again, zeros for rows held out.
void cairn_turn_backward(const CairnTurn *turn, const double *x, double *y) {
    const double *G = turn->R[0];
    if (turn->is_direct) {
        for (int i = 0; i < 3; i++) {
            y[i] = G[i] * x[0] + G[3 + i] * x[1] + G[6 + i] * x[2];
        }
        return;
    }
    double z[3];
    y[0] = y[1] = y[2] = 0;
    for (int k = turn->count - 1; k >= 0; k--) {
        z[k] = x[k];
        for (int i = k + 1; i < turn->count; i++) {
            z[k] -= turn->R[k][i] * z[i];
        }
        z[k] *= turn->R[k][k];
        y[turn->column[k]] = z[k];
    }
}
