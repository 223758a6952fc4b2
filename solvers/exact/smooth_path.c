// A point of the path is (lambda, t), t = ln eps. Its tangent is (along, 1), F_lambda along = -F_t, up to its length
// and sign, in the metric |size lambda / eps|^2 + t^2. At a fold F_lambda is singular, but only a point hits it. One
// factor serves for a step along the tangent and Newton's step back to the path, square to it (Allgower and Georg 1990,
// chapters 2 and 6); chords with the same factor end it.
//
// The direction is found by the sign of the determinant of F_lambda, which changes at a fold as that of dt does, and is
// positive where eps is large and F has one zero: a path that was lost to a neighbour goes on towards an answer, and
// never back to where it came from.
#include "solvers/exact/smooth_path.h"

#include <math.h>
#include <string.h>

// lambda with its w = A lambda + b, or a change of both.
typedef struct Vectors {
    double *lambda, *w;
} Vectors;

typedef struct Path {
    CairnSmoothSystem *system;
    int rows;
    double *F, *slope;  // at the iterate; its derivative in t
    double *size;       // what an impulse of a row is worth, m/s per N s
    Vectors own, along; // Newton's step for eps as it is, the tangent
    Vectors tried, change;
    double eps, length, back; // of the tangent; of Newton's step square to it, in t
    double tried_eps;
    double first, step; // eps where it began; the length of the next step
    int begun;          // steps towards the path so far
    bool is_on;         // the iterate has been near it
} Path;

static const double near = 0.1;     // F is nearly zero where its root mean square is no larger than eps times this
static const double hopeless = 30;  // no chord ends that
static const double nudge = 1e-5;   // of eps, for F_t
static const double enough = 1e-6;  // an eps, as a share of the scale, from which Newton's method goes on alone
static const double returned = 3;   // times the eps where it began: the path is lost
static const double longest = 4;    // most that ln eps changes in a step
static const double most_eps = 1e3; // to begin with, as a share of the scale
static const double first_step = 0.5;

static double measure(const Path *p, const double *lambda, const double *w, double eps, double *F) {
    double length = cairn_smooth_evaluate(p->system, lambda, w, eps, F), unit = eps * sqrt(p->rows);
    return unit > 0 ? length / unit : (double)INFINITY;
}

static double product(const Path *p, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < p->rows; i++) {
        double size = p->size[i] / p->eps;
        sum += size * x[i] * (size * y[i]);
    }
    return sum / p->rows;
}

static void add(const Path *p, Vectors from, double share, Vectors step, Vectors to) {
    for (int i = 0; i < p->rows; i++) {
        to.lambda[i] = from.lambda[i] + share * step.lambda[i];
        to.w[i] = from.w[i] + share * step.w[i];
    }
}

static Vectors iterate_of(const Path *p) {
    const CairnExact *exact = &p->system->cones->exact;
    return (Vectors){exact->lambda, exact->w};
}

static void take(Path *p) {
    CairnExact *exact = &p->system->cones->exact;
    memcpy(exact->lambda, p->tried.lambda, (size_t)p->rows * sizeof(double));
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    p->eps = p->tried_eps;
}

// False: there is no memory.
static bool init(Path *p, CairnSmoothSystem *system) {
    const CairnExact *exact = &system->cones->exact;
    const CairnProblem *problem = exact->problem;
    size_t rows = (size_t)problem->row_count + 1;
    *p = (Path){.system = system, .rows = problem->row_count};
    double **const all[] = {&p->F,       &p->slope,         &p->size,    &p->own.lambda,
                            &p->own.w,   &p->along.lambda,  &p->along.w, &p->tried.lambda,
                            &p->tried.w, &p->change.lambda, &p->change.w};
    double *memory = CAIRN_PUSH_ZERO(exact->context->arena, double, rows * sizeof all / sizeof *all);
    if (memory == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = memory + i * rows;
    }
    for (int i = 0; i < p->rows; i++) {
        p->size[i] = cairn_exact_weight(exact, i) * fmin(system->rows[i].k, exact->D[i]);
    }
    for (int f = 0; f < problem->friction_count; f++) {
        for (int i = 0; i < 3 && system->cones->cones[f].is_cone; i++) {
            int row = problem->frictions[f].normal + i;
            p->size[row] = cairn_exact_weight(exact, row) * system->groups[f].law.k;
        }
    }
    return true;
}

// The longest part of a step that brings F down, from what it is at the iterate. False: none does. along: how much of
// the tangent is in the step, in t.
static bool damp(Path *p, double off, double along) {
    enum { HALVINGS = 10 };
    Vectors whole = p->own;
    if (along != 0) {
        add(p, p->own, along, p->along, p->change);
        whole = p->change;
    }
    double share = 1;
    for (int k = 0; k < HALVINGS; k++, share *= 0.5) {
        p->tried_eps = p->eps * exp(share * along);
        add(p, iterate_of(p), share, whole, p->tried);
        if (measure(p, p->tried.lambda, p->tried.w, p->tried_eps, p->F) <= (1 - 0.01 * share) * off) {
            return true;
        }
    }
    return false;
}

// For the factor at hand, and F at the iterate.
static void find_tangent(Path *p) {
    Vectors here = iterate_of(p);
    (void)cairn_smooth_evaluate(p->system, here.lambda, here.w, p->eps * (1 + nudge), p->slope);
    for (int i = 0; i < p->rows; i++) {
        p->slope[i] = (p->slope[i] - p->F[i]) / nudge;
    }
    cairn_smooth_solve(p->system, p->slope, p->along.lambda, p->along.w);
    double square = product(p, p->along.lambda, p->along.lambda) + 1;
    p->length = sqrt(square);
    p->back = -product(p, p->along.lambda, p->own.lambda) / square;
}

// A step of this length: how far from the path it ends.
static double try_step(Path *p, double step) {
    enum { CHORDS = 2 };
    double t = p->back - step * p->system->sign / p->length;
    p->tried_eps = p->eps * exp(t);
    add(p, iterate_of(p), 1, p->own, p->tried);
    add(p, p->tried, t, p->along, p->tried);
    double off = measure(p, p->tried.lambda, p->tried.w, p->tried_eps, p->F), last = HUGE_VAL;
    for (int k = 0; k < CHORDS && off > near && off < hopeless && off < last; k++) {
        cairn_smooth_solve(p->system, p->F, p->change.lambda, p->change.w);
        double back = -product(p, p->along.lambda, p->change.lambda) / (p->length * p->length);
        add(p, p->tried, 1, p->change, p->tried);
        add(p, p->tried, back, p->along, p->tried);
        p->tried_eps *= exp(back);
        last = off;
        off = measure(p, p->tried.lambda, p->tried.w, p->tried_eps, p->F);
    }
    return off;
}

// One step along the path with the factor at hand, as long as it stays near; else back to the path.
static bool advance(Path *p, double off) {
    enum { TRIES = 4 };
    find_tangent(p);
    for (int k = 0; k < TRIES; k++, p->step *= 0.5) {
        if (try_step(p, p->step) <= near) {
            p->step = k == 0 ? fmin(2 * p->step, longest * p->length) : p->step;
            return true;
        }
    }
    return damp(p, off, p->back);
}

static void begin(Path *p, double eps) {
    CairnCones *cones = p->system->cones;
    CairnExact *exact = &cones->exact;
    memset(exact->lambda, 0, (size_t)p->rows * sizeof *exact->lambda);
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    cairn_cones_renew(cones);
    p->eps = p->first = eps;
    p->step = first_step;
    p->begun = 0;
    p->is_on = false;
}

// One factor, and what it leads to. False: the path is lost.
static CairnStatus go_on(Path *p, bool *goes_on) {
    enum { FEW = 8 }; // steps to the path; where they do not suffice eps is too small to begin with
    CairnSmoothSystem *system = p->system;
    CairnExact *exact = &system->cones->exact;
    CAIRN_TRY(cairn_smooth_factor(system, exact->lambda, exact->w, p->eps, goes_on));
    exact->iterations += 1;
    if (!*goes_on) {
        return cairn_ok();
    }
    double off = measure(p, exact->lambda, exact->w, p->eps, p->F);
    p->is_on = p->is_on || off <= near;
    cairn_smooth_solve(system, p->F, p->own.lambda, p->own.w);
    if (p->is_on ? advance(p, off) : p->begun++ < FEW && damp(p, off, 0)) {
        take(p);
        *goes_on = p->eps <= returned * p->first;
    } else if (p->is_on || p->eps >= most_eps * exact->scale) {
        *goes_on = false;
    } else {
        begin(p, 10 * p->eps);
    }
    return cairn_ok();
}

CairnStatus cairn_smooth_path(CairnSmoothSystem *system, double first, int steps, CairnBest *best, double *eps) {
    CairnCones *cones = system->cones;
    CairnExact *exact = &cones->exact;
    Path path;
    bool goes_on = true, refines = system->refines;
    if (!init(&path, system)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", exact->name, exact->problem->row_count);
    }
    begin(&path, first);
    system->refines = true; // near a fold factors lose digits
    for (int k = 0; k < steps && goes_on && path.eps > enough * exact->scale && best->measure > exact->target; k++) {
        CAIRN_TRY(go_on(&path, &goes_on));
        cairn_best_update(best, exact, cairn_cones_residual(cones, true));
        cairn_cones_renew(cones); // bounds that follow without a cone
    }
    *eps = path.eps;
    system->refines = refines;
    return cairn_ok();
}
