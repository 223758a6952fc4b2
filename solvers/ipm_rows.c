#include "solvers/ipm_rows.h"

#include <math.h>
#include <string.h>

// Loops over rows have no branches, and sums and maxima have eight parts: so compilers may take eight rows at once, and the bits are
// the same whether they do or not.

bool cairn_ipm_rows_init(CairnIpmRows *rows, CairnExact *exact) {
    int room = (exact->problem->row_count + 8) & ~7;
    CairnArena *arena = exact->context->arena;
    *rows = (CairnIpmRows){.exact = exact, .room = room};
    double **arrays[] = {&rows->has[0],        &rows->has[1],     &rows->wall,       &rows->s[0],      &rows->s[1],
                         &rows->z[0],          &rows->z[1],       &rows->ds[0],      &rows->ds[1],     &rows->dz[0],
                         &rows->dz[1],         &rows->product[0], &rows->product[1], &rows->over_s[0], &rows->over_s[1],
                         &rows->over_z[0],     &rows->over_z[1],  &rows->direction,  &rows->kept[0],   &rows->kept[1],
                         &rows->kept_direction};
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

static void invert(int n, const double *restrict has, const double *restrict x, double *restrict over) {
    for (int i = 0; i < n; i++) {
        over[i] = has[i] / (x[i] > 1e-300 ? x[i] : 1e-300); // a step may round onto the bound
    }
}

void cairn_ipm_weigh(CairnIpmRows *rows) {
    int n = rows->room;
    for (int side = 0; side < 2; side++) {
        invert(n, rows->has[side], rows->s[side], rows->over_s[side]);
        invert(n, rows->has[side], rows->z[side], rows->over_z[side]);
    }
    const double *restrict z0 = rows->z[0], *restrict z1 = rows->z[1], *restrict over0 = rows->over_s[0],
                           *restrict over1 = rows->over_s[1], *restrict wall = rows->wall;
    double *restrict theta = rows->exact->theta;
    for (int i = 0; i < n; i++) {
        double sum = z0[i] * over0[i] + z1[i] * over1[i];
        theta[i] = (sum <= 1e300 ? sum : 1e300) + wall[i];
    }
}

static double sum_of(const double *part) {
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

double cairn_ipm_mean(const CairnIpmRows *rows, double step) {
    double sum[8] = {0};
    for (int side = 0; side < 2; side++) { // z = dz = 0 where there is no bound
        const double *s = rows->s[side], *z = rows->z[side], *ds = rows->ds[side], *dz = rows->dz[side];
        for (int i = 0; i < rows->room; i += 8) {
            for (int k = 0; k < 8; k++) {
                sum[k] += (s[i + k] + step * ds[i + k]) * (z[i + k] + step * dz[i + k]);
            }
        }
    }
    return rows->sides > 0 ? sum_of(sum) / rows->sides : 0;
}

static void find_right_side(CairnIpmRows *rows) {
    const double *restrict z0 = rows->z[0], *restrict z1 = rows->z[1], *restrict p0 = rows->product[0],
                           *restrict p1 = rows->product[1], *restrict over0 = rows->over_s[0],
                           *restrict over1 = rows->over_s[1], *restrict w = rows->exact->w;
    double *restrict y = rows->exact->y;
    for (int i = 0; i < rows->room; i++) {
        y[i] = -(w[i] - z0[i] + z1[i]) + p0[i] * over0[i] - p1[i] * over1[i];
    }
}

void cairn_ipm_aim(CairnIpmRows *rows, double mu, double second) {
    for (int side = 0; side < 2; side++) {
        const double *restrict has = rows->has[side], *restrict s = rows->s[side], *restrict z = rows->z[side],
                               *restrict ds = rows->ds[side], *restrict dz = rows->dz[side];
        double *restrict product = rows->product[side];
        for (int i = 0; i < rows->room; i++) {
            product[i] = has[i] * (mu - s[i] * z[i] - second * (ds[i] * dz[i]));
        }
    }
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
    double low = 0.1 * mu, high = 10 * mu;
    cairn_ipm_take_back(rows); // changes places with what is kept
    for (int side = 0; side < 2; side++) {
        const double *restrict has = rows->has[side], *restrict s = rows->s[side], *restrict z = rows->z[side],
                               *restrict ds = rows->ds[side], *restrict dz = rows->dz[side],
                               *restrict was = rows->kept[side];
        double *restrict product = rows->product[side];
        for (int i = 0; i < rows->room; i++) {
            double ahead = (s[i] + wanted * ds[i]) * (z[i] + wanted * dz[i]);
            double over = high - ahead < -high ? -high : high - ahead;
            double push = ahead < low ? low - ahead : 0;
            push = ahead > high ? over : push;
            product[i] = was[i] + has[i] * push;
        }
    }
    find_right_side(rows);
}

double cairn_ipm_right_side(CairnIpmRows *rows) {
    find_right_side(rows);
    const double *y = rows->exact->y, *wall = rows->wall;
    double most[8] = {0};
    for (int i = 0; i < rows->room; i += 8) {
        for (int k = 0; k < 8; k++) {
            double size = wall[i + k] > 0 ? 0 : fabs(y[i + k]);
            most[k] = size > most[k] ? size : most[k];
        }
    }
    double largest = 0;
    for (int k = 0; k < 8; k++) {
        largest = most[k] > largest ? most[k] : largest;
    }
    return largest;
}

static void complete_side(const CairnIpmRows *rows, int side, double sign, double most_of_all[8]) {
    double most[8]; // at hand: no store of ds and dz can change it
    memcpy(most, most_of_all, sizeof most);
    const double *restrict has = rows->has[side], *restrict z = rows->z[side], *restrict over_s = rows->over_s[side],
                           *restrict over_z = rows->over_z[side], *restrict product = rows->product[side],
                           *restrict direction = rows->direction;
    double *restrict ds = rows->ds[side], *restrict dz = rows->dz[side];
    for (int i = 0; i < rows->room; i += 8) {
        for (int k = 0; k < 8; k++) {
            double d = sign * has[i + k] * direction[i + k];
            double e = (product[i + k] - z[i + k] * d) * over_s[i + k];
            double by_s = -d * over_s[i + k], by_z = -e * over_z[i + k];
            double larger = by_s > by_z ? by_s : by_z;
            ds[i + k] = d;
            dz[i + k] = e;
            most[k] = larger > most[k] ? larger : most[k];
        }
    }
    memcpy(most_of_all, most, sizeof most);
}

double cairn_ipm_complete(CairnIpmRows *rows) {
    double most[8] = {1, 1, 1, 1, 1, 1, 1, 1}, all = 1; // reciprocals
    complete_side(rows, 0, 1, most);
    complete_side(rows, 1, -1, most);
    for (int k = 0; k < 8; k++) {
        all = most[k] > all ? most[k] : all;
    }
    return 1 / all;
}

static void add_scaled(int n, double step, const double *restrict d, double *restrict x) {
    for (int i = 0; i < n; i++) {
        x[i] += step * d[i];
    }
}

void cairn_ipm_move(CairnIpmRows *rows, double step) {
    CairnExact *exact = rows->exact;
    add_scaled(exact->problem->row_count, step, rows->direction, exact->lambda);
    add_scaled(exact->problem->row_count, step, exact->system.product, exact->w);
    for (int side = 0; side < 2; side++) {
        add_scaled(rows->room, step, rows->ds[side], rows->s[side]);
        add_scaled(rows->room, step, rows->dz[side], rows->z[side]);
    }
}

int cairn_ipm_read_sets(CairnIpmRows *rows) {
    const double *restrict s0 = rows->s[0], *restrict s1 = rows->s[1], *restrict z0 = rows->z[0],
                           *restrict z1 = rows->z[1], *restrict D = rows->exact->D, *restrict wall = rows->wall;
    unsigned char *restrict guess = rows->guess;
    int changes = 0;
    for (int i = 0; i < rows->exact->problem->row_count; i++) {
        int place = D[i] * s1[i] < z1[i] ? CAIRN_AT_UPPER : CAIRN_FREE;
        place = D[i] * s0[i] < z0[i] ? CAIRN_AT_LOWER : place;
        place = wall[i] > 0 ? CAIRN_HELD : place;
        changes += place != guess[i];
        guess[i] = (unsigned char)place;
    }
    return changes;
}
