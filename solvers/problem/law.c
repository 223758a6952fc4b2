#include "solvers/problem/law.h"

#include <math.h>

double cairn_law_row_lever(const CairnFriction *friction, int row) {
    int k = row - friction->normal;
    return k < 1 || k > 2 + friction->spin_rows ? -1 : cairn_law_lever(friction, k);
}

int cairn_law_find(const CairnProblem *problem, CairnFrictionKind kind) {
    for (int f = 0; f < problem->friction_count; f++) {
        if (problem->frictions[f].kind == kind) {
            return f;
        }
    }
    return -1;
}

void cairn_law_project(double mu, double x[3]) {
    double tangent = hypot(x[1], x[2]);
    if (x[0] >= 0 && tangent <= mu * x[0]) {
        return;
    }
    if (mu * tangent <= -x[0]) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    double normal = (x[0] + mu * tangent) / (1 + mu * mu), scale = mu * normal / tangent;
    x[0] = normal;
    x[1] *= scale;
    x[2] *= scale;
}
