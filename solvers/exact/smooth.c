#include "solvers/exact/smooth.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/smooth_path.h"
#include "solvers/exact/smooth_system.h"

// An iterate with its w = A lambda + b.
typedef struct Point {
    double *lambda, *w;
} Point;

struct CairnSmooth {
    CairnSmoothSystem system;
    double *F;            // of the point that is tried
    double *step, *moved; // a Newton step, and A times it
    Point tried, taken;
    double eps, fall; // by which share eps is to fall
    double near;      // F is nearly zero where its root mean square is no larger than eps times this
    double least;     // the smallest eps at the last time that eps was let fall by half
    int raises;       // of eps since then
};

// At first, and at least, where eps had to be raised: the path is followed more closely there.
static const double first_near = 1, least_near = 0.1;
// Where eps begins, as a share of the largest residual of the start.
static const double above = 0.3;
static const double first_fall = 0.3, steepest = 1e-4, flat = 0.9, slow = 0.8;
static const double short_step = 0.1, descent = 0.9;
static const double first_eps = 1e-10, least_eps = 1e-15, most_eps = 100; // of the scale

CairnStatus cairn_smooth_make(CairnCones *cones, CairnSmooth **smooth, bool *takes) {
    CairnExact *exact = &cones->exact;
    CairnArena *arena = exact->context->arena;
    size_t rows = (size_t)exact->problem->row_count + 1;
    *takes = exact->problem->form == CAIRN_FORM_EXPLICIT || exact->system.kind == &cairn_system_body;
    if (!*takes) {
        return cairn_ok();
    }
    CairnSmooth *s = CAIRN_PUSH_ZERO(arena, CairnSmooth, 1);
    double *vectors = CAIRN_PUSH_ZERO(arena, double, 7 * rows);
    if (s == NULL || vectors == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu rows", exact->name, rows - 1);
    }
    double **const all[] = {&s->F, &s->step, &s->moved, &s->tried.lambda, &s->tried.w, &s->taken.lambda, &s->taken.w};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = vectors + i * rows;
    }
    *smooth = s;
    return cairn_smooth_system_init(&s->system, cones);
}

void cairn_smooth_stiffen(CairnSmooth *smooth, double stiffness) {
    smooth->system.stiffness = stiffness;
}

static int rows_of(const CairnSmooth *s) {
    return s->system.cones->exact.problem->row_count;
}

static void swap(Point *a, Point *b) {
    Point kept = *a;
    *a = *b;
    *b = kept;
}

// F at a point in terms of eps: its root mean square.
static double measure_at(CairnSmooth *s, Point at, double eps) {
    double length = cairn_smooth_evaluate(&s->system, at.lambda, at.w, eps, s->F);
    return length / (eps * sqrt(rows_of(s)));
}

// to = from + share times a Newton step for the F that is known.
static void go(CairnSmooth *s, Point from, double share, Point to) {
    for (int i = 0; i < rows_of(s); i++) {
        to.lambda[i] = from.lambda[i] + share * s->step[i];
        to.w[i] = from.w[i] + share * s->moved[i];
    }
}

static void solve(CairnSmooth *s) {
    cairn_smooth_solve(&s->system, s->F, s->step, s->moved);
}

// Solve for another eps with the factor at hand. The point is s->tried.
static double try_eps(CairnSmooth *s, double eps) {
    const CairnExact *exact = &s->system.cones->exact;
    Point here = {exact->lambda, exact->w};
    (void)measure_at(s, here, eps);
    solve(s);
    go(s, here, 1, s->tried);
    return measure_at(s, s->tried, eps);
}

// Whether a share of eps is reached. Where eps hardly falls, F has to.
static bool reaches(CairnSmooth *s, double fall, double here) {
    double off = try_eps(s, fmax(s->eps * fall, least_eps * s->system.cones->exact.scale));
    return off <= s->near && (fall < flat || off <= descent * here);
}

// Take the point for the smallest eps that one factor reaches, of two that are tried. False: it reaches none.
static bool lower_eps(CairnSmooth *s) {
    const CairnExact *exact = &s->system.cones->exact;
    double least = least_eps * exact->scale, fall = s->fall;
    double here = measure_at(s, (Point){exact->lambda, exact->w}, s->eps);
    if (reaches(s, fall, here)) {
        swap(&s->tried, &s->taken);
        double steeper = fmax(fall < 0.5 ? fall * fall : 0.5 * fall, steepest);
        if (s->eps * fall > least && reaches(s, steeper, here)) {
            swap(&s->tried, &s->taken);
            fall = steeper;
        }
        s->fall = fall;
    } else {
        fall = fall < flat ? sqrt(fall) : 1;
        if (s->fall >= 1 || !reaches(s, fall, here)) {
            return false;
        }
        swap(&s->tried, &s->taken);
        s->fall = fall < 1 ? fall : slow;
    }
    s->eps = fmax(s->eps * fall, least);
    return true;
}

static void set_near(CairnSmooth *s) {
    s->near = fmax(ldexp(first_near, -s->raises), least_near);
}

// A part of the Newton step for the present eps: the longest that brings F down (Armijo). Where that is short, the law
// is too sharp here.
static void damp(CairnSmooth *s) {
    enum { HALVINGS = 8, MOST_DOUBLINGS = 4 };
    CairnExact *exact = &s->system.cones->exact;
    Point here = {exact->lambda, exact->w};
    double length = measure_at(s, here, s->eps), share = 1;
    solve(s);
    for (int k = 0; k < HALVINGS; k++, share *= 0.5) {
        go(s, here, share, s->taken);
        if (measure_at(s, s->taken, s->eps) <= (1 - 0.01 * share) * length) {
            break;
        }
    }
    s->fall = s->fall < 0.5 ? fmax(sqrt(s->fall), first_fall) : s->fall;
    if (share < short_step && s->eps < most_eps * exact->scale) {
        s->eps *= ldexp(2, s->raises < MOST_DOUBLINGS ? s->raises : MOST_DOUBLINGS);
        s->raises += 1;
        set_near(s);
    }
}

// Where w of the new iterate is not what the factor said, its digits do not suffice.
static void check_digits(CairnSmooth *s) {
    const CairnExact *exact = &s->system.cones->exact;
    double off = 0;
    for (int i = 0; i < rows_of(s) && !s->system.refines; i++) {
        off = cairn_ops_larger(off, cairn_exact_weight(exact, i) * fabs(exact->w[i] - s->taken.w[i]));
    }
    s->system.refines = s->system.refines || !(off <= 0.1 * fmax(s->eps, exact->target));
}

static CairnStatus run(CairnSmooth *s, int steps, CairnBest *best) {
    CairnCones *cones = s->system.cones;
    CairnExact *exact = &cones->exact;
    enum { MOST_INSIDE = 2 }; // steps once the certificate holds: the last digits are not worth more
    size_t size = (size_t)rows_of(s) * sizeof(double);
    s->fall = first_fall;
    s->least = HUGE_VAL;
    s->raises = 0;
    set_near(s);
    for (int k = 0, inside = 0; k < steps && best->measure > exact->target && inside < MOST_INSIDE; k++) {
        inside += best->measure <= 0.5 * exact->limit;
        bool is_regular;
        CAIRN_TRY(cairn_smooth_factor(&s->system, exact->lambda, exact->w, s->eps, &is_regular));
        exact->iterations += 1;
        if (!is_regular) {
            break;
        }
        if (!lower_eps(s)) {
            damp(s);
        } else if (s->eps < 0.5 * s->least) {
            s->least = s->eps;
            s->raises -= s->raises > 0;
            set_near(s);
        }
        memcpy(exact->lambda, s->taken.lambda, size);
        cairn_system_slack(&exact->system, exact->lambda, exact->w);
        check_digits(s);
        double measure = cairn_cones_residual(cones, true);
        if (!isfinite(measure)) {
            break;
        }
        cairn_best_update(best, exact, measure);
        cairn_cones_renew(cones); // bounds that follow without a cone
        if (cairn_exact_review(exact, measure, exact->lambda)) {
            break;
        }
    }
    return cairn_ok();
}

// The best that was seen becomes the iterate.
static CairnStatus finish(CairnSmooth *s, CairnStatus status, const CairnBest *best, double *measure) {
    CairnCones *cones = s->system.cones;
    CairnExact *exact = &cones->exact;
    cairn_best_take(best, exact);
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    cairn_cones_renew(cones);
    *measure = cairn_cones_residual(cones, true);
    return status;
}

CairnStatus cairn_smooth_run(CairnSmooth *smooth, int steps, double *measure) {
    CairnCones *cones = smooth->system.cones;
    CairnExact *exact = &cones->exact;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnBest best;
    bool is_cold = true;
    for (int i = 0; i < rows_of(smooth); i++) {
        is_cold = is_cold && exact->lambda[i] == 0;
    }
    *measure = cairn_cones_residual(cones, true);
    if (cairn_exact_review(exact, *measure, exact->lambda)) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_best_init(&best, exact));
    cairn_best_update(&best, exact, *measure);
    cairn_smooth_weigh(&smooth->system, exact->lambda, is_cold);
    (void)cairn_smooth_evaluate(&smooth->system, exact->lambda, exact->w, 0, smooth->F);
    double largest = 0;
    for (int i = 0; i < rows_of(smooth); i++) {
        largest = cairn_ops_larger(largest, cairn_exact_weight(exact, i) * fabs(smooth->F[i]));
    }
    smooth->eps = fmax(above * largest, first_eps * exact->scale);
    CairnStatus status = finish(smooth, run(smooth, steps, &best), &best, measure);
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

CairnStatus cairn_smooth_follow(CairnSmooth *smooth, int steps, double *measure) {
    enum { END = 25 };              // Newton steps where a path ends,
    static const double end = 1e-3; // with an eps of this share of the scale at most: it was not lost before
    // Where one is lost another may arrive: eps of the scale to begin with, and k as from nothing or as from a start.
    static const struct {
        double first;
        bool is_cold;
    } paths[] = {{1, true}, {0.1, true}, {1, false}};
    CairnCones *cones = smooth->system.cones;
    CairnExact *exact = &cones->exact;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnBest best;
    CAIRN_TRY(cairn_best_init(&best, exact));
    cairn_best_update(&best, exact, cairn_cones_residual(cones, true));
    double *nothing = CAIRN_PUSH_ZERO(exact->context->arena, double, rows_of(smooth) + 1);
    if (nothing == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", exact->name, rows_of(smooth));
    }
    CairnStatus status = cairn_ok();
    for (size_t k = 0;
         k < sizeof paths / sizeof *paths && best.measure > exact->limit && exact->scale > 0 && cairn_is_ok(status);
         k++) {
        cairn_smooth_weigh(&smooth->system, nothing, paths[k].is_cold);
        CairnArenaMark inner = cairn_arena_mark(exact->context->arena);
        status = cairn_smooth_path(&smooth->system, paths[k].first * exact->scale, steps, &best, &smooth->eps);
        cairn_arena_release(exact->context->arena, inner);
        status = cairn_is_ok(status) && smooth->eps <= end * exact->scale ? run(smooth, END, &best) : status;
    }
    status = finish(smooth, status, &best, measure);
    cairn_arena_release(exact->context->arena, mark);
    return status;
}
