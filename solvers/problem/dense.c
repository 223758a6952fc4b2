#include "solvers/problem/dense.h"

#include <float.h>
#include <math.h>

int cairn_dense_cholesky(int n, const double *a, double *L) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= L[i * n + k] * L[j * n + k];
            }
            L[i * n + j] = sum * L[j * n + j];
        }
        double pivot = a[i * n + i];
        for (int k = 0; k < i; k++) {
            pivot -= L[i * n + k] * L[i * n + k];
        }
        // After cancellation, less than n eps of the diagonal entry is noise. False for NaN too.
        if (!(pivot > n * DBL_EPSILON * a[i * n + i])) {
            return i;
        }
        L[i * n + i] = 1.0 / sqrt(pivot);
    }
    return -1;
}

void cairn_dense_forward(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++) {
            sum -= L[i * n + k] * x[k];
        }
        x[i] = sum * L[i * n + i];
    }
}

void cairn_dense_backward(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++) {
            sum -= L[k * n + i] * x[k];
        }
        x[i] = sum * L[i * n + i];
    }
}
