// The 3x3 blocks of C + Theta in body space. With T = C + Theta = R^T R the rows of a contact become J' = R^-T J with
// weight 1, and
//
//     J^T T^-1 J = J'^T J',      T^-1 y = R^-1 (R^-T y).
//
// R comes from the orthogonal factorization of [diag(C + theta)^1/2; diag(weight)^1/2 axes], never from T's entries:
// near a cone's edge T's eigenvalues differ by more than the digits of a double, and only rows sorted by size with
// exchanged columns keep the small ones (Cox and Higham, Stability of Householder QR for weighted least squares, 1998).
#include <math.h>
#include <string.h>

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

bool cairn_turn_make(const double *give, const CairnThetaBlock *block, CairnTurn *turn) {
    double a[ROWS][3] = {{0}};
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
    return true;
}

// Rows of length `stride`: y = R^-T x, rows of y in the order of `column`, zeros for rows held out. x and y differ.
void cairn_turn_forward(const CairnTurn *turn, int stride, const double *x, double *y) {
    size_t n = (size_t)stride;
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

// y = R^-1 x, in the problem's order again, zeros for rows held out.
void cairn_turn_backward(const CairnTurn *turn, const double *x, double *y) {
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
