#include "solvers/exact/ipm_rows.h"

#include <math.h>
#include <stdint.h>

#include "engine/base/eights.h"

// Eight rows at a time, with the same arithmetic for each whatever the machine's vectors hold. Sums and maxima have
// eight parts.
typedef int64_t Mask __attribute__((vector_size(64), may_alias));

#define EIGHT(x) ((Eight *)(x))
#define EIGHT_OF(x) ((const Eight *)(x))

// Where `chosen` a, else b; by pointers, for how a vector is passed by value depends on the machine.
static inline void choose(const Mask *chosen, const Eight *a, const Eight *b, Eight *x) {
    *x = (Eight)((*chosen & (Mask)*a) | (~*chosen & (Mask)*b));
}

// The maximum, where x is not NaN.
static inline void raise_to(Eight *most, const Eight *x) {
    Mask is_larger = *x > *most;
    choose(&is_larger, x, most, most);
}

static double largest_of(const Eight *x, double least) {
    double largest = least;
    for (int k = 0; k < 8; k++) {
        largest = (*x)[k] > largest ? (*x)[k] : largest;
    }
    return largest;
}

bool cairn_ipm_rows_init(CairnIpmRows *rows, CairnExact *exact) {
    int room = (exact->problem->row_count + 8) & ~7;
    CairnArena *arena = exact->context->arena;
    *rows = (CairnIpmRows){.exact = exact, .room = room};
    double **arrays[] = {&rows->has[0],     &rows->has[1],    &rows->wall,      &rows->s[0],          &rows->s[1],
                         &rows->z[0],       &rows->z[1],      &rows->dz[0],     &rows->dz[1],         &rows->product[0],
                         &rows->product[1], &rows->over_s[0], &rows->over_s[1], &rows->over_z[0],     &rows->over_z[1],
                         &rows->direction,  &rows->kept[0],   &rows->kept[1],   &rows->kept_direction};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH_ZERO(arena, double, room);
        if (*arrays[i] == NULL) {
            return false;
        }
    }
    rows->guess = CAIRN_PUSH_ZERO(arena, unsigned char, room);
    return rows->guess != NULL;
}

void cairn_ipm_rows_begin(CairnIpmRows *rows, int sides) {
    rows->sides = sides;
    for (int i = 0; i < rows->exact->problem->row_count; i++) {
        rows->has[0][i] = rows->z[0][i] > 0 ? 1 : 0;
        rows->has[1][i] = rows->z[1][i] > 0 ? 1 : 0;
        rows->wall[i] = rows->exact->is_held[i] ? (double)INFINITY : 0;
    }
}

static void invert(int n, const double *has, const double *x, double *over) {
    const Eight least = (Eight){0} + 1e-300; // a step may round onto the bound
    for (int i = 0; i < n; i += 8) {
        Eight size = *EIGHT_OF(x + i);
        Mask is_small = size < least;
        choose(&is_small, &least, &size, &size);
        *EIGHT(over + i) = *EIGHT_OF(has + i) / size;
    }
}

void cairn_ipm_weigh(CairnIpmRows *rows) {
    const Eight most = (Eight){0} + 1e300;
    int n = rows->room;
    for (int side = 0; side < 2; side++) {
        invert(n, rows->has[side], rows->s[side], rows->over_s[side]);
        invert(n, rows->has[side], rows->z[side], rows->over_z[side]);
    }
    for (int i = 0; i < n; i += 8) {
        Eight sum = *EIGHT_OF(rows->z[0] + i) * *EIGHT_OF(rows->over_s[0] + i) +
                    *EIGHT_OF(rows->z[1] + i) * *EIGHT_OF(rows->over_s[1] + i);
        Mask is_large = sum > most;
        choose(&is_large, &most, &sum, &sum);
        *EIGHT(rows->exact->theta + i) = sum + *EIGHT_OF(rows->wall + i);
    }
}

static double sum_of(const Eight *x) {
    return (((*x)[0] + (*x)[4]) + ((*x)[2] + (*x)[6])) + (((*x)[1] + (*x)[5]) + ((*x)[3] + (*x)[7]));
}

double cairn_ipm_mean(const CairnIpmRows *rows, double step) {
    Eight sum = {0};
    for (int side = 0; side < 2; side++) { // z = dz = 0 where there is no bound
        double ahead = side == 0 ? step : -step;
        for (int i = 0; i < rows->room; i += 8) {
            sum += (*EIGHT_OF(rows->s[side] + i) + ahead * *EIGHT_OF(rows->direction + i)) *
                   (*EIGHT_OF(rows->z[side] + i) + step * *EIGHT_OF(rows->dz[side] + i));
        }
    }
    return rows->sides > 0 ? sum_of(&sum) / rows->sides : 0;
}

static void find_right_side(CairnIpmRows *rows) {
    for (int i = 0; i < rows->room; i += 8) {
        *EIGHT(rows->exact->y + i) =
            -(*EIGHT_OF(rows->exact->w + i) - *EIGHT_OF(rows->z[0] + i) + *EIGHT_OF(rows->z[1] + i)) +
            *EIGHT_OF(rows->product[0] + i) * *EIGHT_OF(rows->over_s[0] + i) -
            *EIGHT_OF(rows->product[1] + i) * *EIGHT_OF(rows->over_s[1] + i);
    }
}

void cairn_ipm_predict(CairnIpmRows *rows) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < rows->room; i += 8) {
            *EIGHT(rows->product[side] + i) = -(*EIGHT_OF(rows->s[side] + i) * *EIGHT_OF(rows->z[side] + i));
        }
    }
    find_right_side(rows);
}

static inline void square_root(Eight *x) {
    for (int k = 0; k < 8; k++) {
        (*x)[k] = sqrt((*x)[k]);
    }
}

// The predictor takes a pair from (s, z) to (s + a s, z + c z), a + c = -1. Driven x times as hard it goes to (s + x a
// s, z + x c z), where the product is s z (1 - x + x^2 a c). For that to be mu = t s z
//
//   x = 2 (1 - t) / (1 + sqrt(1 - 4 a c (1 - t))).
//
// Its first order, x = 1 - t + a c, is Mehrotra's corrector. A pair of which only one number goes to 0 has a c near
// 0, and both formulas are equal. One whose s and z both go to 0 has a c near 1/4: along the path they shrink with
// sqrt(mu), so that a Newton step halves them, and so does the next; with Mehrotra's corrector 3/8 of them remain. A
// step twice as long is right then (Newton's method at a double root); the fraction NEAR of it is taken, for after
// the whole of it nothing would remain. Where a c < 0 one of the two grows, and the first order is safer.
static void aim_side(CairnIpmRows *rows, int side, double mu) {
    static const double NEAR = 0.95;
    const Eight none = {0}, most = none + 1e300;
    double sign = side == 0 ? 1 : -1;
    for (int i = 0; i < rows->room; i += 8) {
        Eight product = *EIGHT_OF(rows->s[side] + i) * *EIGHT_OF(rows->z[side] + i);
        Eight second = sign * (*EIGHT_OF(rows->direction + i) * *EIGHT_OF(rows->dz[side] + i));
        Eight over = *EIGHT_OF(rows->over_s[side] + i) * *EIGHT_OF(rows->over_z[side] + i); // 0: there is no bound
        Mask is_small = over > most;
        choose(&is_small, &most, &over, &over);
        Eight drive = 1 - mu * over, root = 1 - 4 * NEAR * (second * over) * drive;
        raise_to(&root, &none);
        square_root(&root);
        Eight curved = -2 * drive / (1 + root) * product;
        Eight straight = *EIGHT_OF(rows->has[side] + i) * (mu - product - second);
        Mask is_shrinking = second > none;
        choose(&is_shrinking, &curved, &straight, EIGHT(rows->product[side] + i));
    }
}

void cairn_ipm_aim(CairnIpmRows *rows, double mu) {
    aim_side(rows, 0, mu);
    aim_side(rows, 1, mu);
    find_right_side(rows);
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

void cairn_ipm_take_back(CairnIpmRows *rows) {
    swap(&rows->product[0], &rows->kept[0]);
    swap(&rows->product[1], &rows->kept[1]);
    swap(&rows->direction, &rows->kept_direction);
}

void cairn_ipm_push(CairnIpmRows *rows, double mu, double wanted) {
    int room = rows->room;
    cairn_ipm_take_back(rows); // swaps the product and the direction with the stored ones
    for (int side = 0; side < 2; side++) {
        const double *restrict s = rows->s[side], *restrict z = rows->z[side], *restrict dz = rows->dz[side];
        const double *restrict d = rows->kept_direction, *restrict kept = rows->kept[side],
                               *restrict has = rows->has[side];
        double *restrict product = rows->product[side], ahead_by = side == 0 ? wanted : -wanted;
        for (int i = 0; i < room; i++) {
            double ahead = (s[i] + ahead_by * d[i]) * (z[i] + wanted * dz[i]);
            product[i] = kept[i] + has[i] * cairn_ipm_push_of(ahead, mu);
        }
    }
    find_right_side(rows);
}

double cairn_ipm_right_side(CairnIpmRows *rows) {
    const Eight none = {0};
    Eight most = {0};
    find_right_side(rows);
    for (int i = 0; i < rows->room; i += 8) {
        Eight y = *EIGHT_OF(rows->exact->y + i), size = -y;
        raise_to(&size, &y);
        Mask is_held = *EIGHT_OF(rows->wall + i) > none;
        choose(&is_held, &none, &size, &size);
        raise_to(&most, &size);
    }
    return largest_of(&most, 0);
}

// Both sides in one pass; `most` holds reciprocals of lengths. Without a bound product, z, 1/s and 1/z are 0, and so is
// dz.
double cairn_ipm_complete(CairnIpmRows *rows) {
    Eight most = {0};
    for (int i = 0; i < rows->room; i += 8) {
        Eight d = *EIGHT_OF(rows->direction + i);
        Eight over_lower = *EIGHT_OF(rows->over_s[0] + i), over_upper = *EIGHT_OF(rows->over_s[1] + i);
        Eight lower = (*EIGHT_OF(rows->product[0] + i) - *EIGHT_OF(rows->z[0] + i) * d) * over_lower;
        Eight upper = (*EIGHT_OF(rows->product[1] + i) + *EIGHT_OF(rows->z[1] + i) * d) * over_upper;
        *EIGHT(rows->dz[0] + i) = lower;
        *EIGHT(rows->dz[1] + i) = upper;
        Eight by_lower = -d * over_lower, by_upper = d * over_upper;
        lower = -lower * *EIGHT_OF(rows->over_z[0] + i);
        upper = -upper * *EIGHT_OF(rows->over_z[1] + i);
        raise_to(&most, &by_lower);
        raise_to(&most, &by_upper);
        raise_to(&most, &lower);
        raise_to(&most, &upper);
    }
    return 1 / largest_of(&most, 1);
}

static void add_scaled(int n, double step, const double *d, double *x) {
    for (int i = 0; i < n; i += 8) {
        *EIGHT(x + i) += step * *EIGHT_OF(d + i);
    }
}

void cairn_ipm_move(CairnIpmRows *rows, double step) {
    CairnExact *exact = rows->exact;
    add_scaled(rows->room, step, rows->direction, exact->lambda);
    add_scaled(rows->room, step, exact->system.product, exact->w);
    for (int side = 0; side < 2; side++) {
        double ahead = side == 0 ? step : -step;
        for (int i = 0; i < rows->room; i += 8) {
            *EIGHT(rows->s[side] + i) += ahead * (*EIGHT_OF(rows->has[side] + i) * *EIGHT_OF(rows->direction + i));
        }
        add_scaled(rows->room, step, rows->dz[side], rows->z[side]);
    }
}

int cairn_ipm_read_sets(CairnIpmRows *rows) {
    const double *restrict s0 = rows->s[0], *restrict s1 = rows->s[1], *restrict z0 = rows->z[0],
                           *restrict z1 = rows->z[1], *restrict D = rows->exact->D, *restrict wall = rows->wall;
    unsigned char *restrict guess = rows->guess;
    int changes = 0;
    for (int i = 0; i < rows->exact->problem->row_count; i++) {
        int set = D[i] * s1[i] < z1[i] ? CAIRN_SET_AT_UPPER : CAIRN_SET_FREE;
        set = D[i] * s0[i] < z0[i] ? CAIRN_SET_AT_LOWER : set;
        set = wall[i] > 0 ? CAIRN_SET_HELD : set;
        changes += set != guess[i];
        guess[i] = (unsigned char)set;
    }
    return changes;
}
