// Joints of rigid bodies, visited as one: the result of visiting their rows one after another, without waiting for each.
//
// With w = J u + d + C lambda before the visit, row i sees w_i + sum over j < i of A_ij delta_j and takes delta_i = -s_i of that, where
// s = share omega / D. As long as no bound is met delta = -T w with T = (S^-1 + L)^-1, L the rows of A = J J^T below its diagonal: one
// small product in the place of a chain of row after row. Where a bound is met nothing has changed yet, and the rows are visited one
// by one.
#include <math.h>
#include <string.h>

#include "solvers/sor.h"

// Eights of a joint of n rows over k bodies: J by columns, J by rows, T by columns, then of each row these; its impulses lie here.
enum { D_OF_ROW, C_OF_ROW, SCALE, LOWER, UPPER, LAMBDA, ROW_NUMBERS, MOST_ROWS = 6 };

typedef long long Mask __attribute__((vector_size(64), may_alias));
#define ALWAYS static inline __attribute__((always_inline))
#define CHOOSE(mask, yes, no) ((SorEight)(((Mask)(yes) & (Mask)(mask)) | ((Mask)(no) & ~(Mask)(mask))))

static size_t eights_of(const SorItem *item) {
    size_t rows = (size_t)item->row_count, links = (size_t)item->link_count;
    return (6 + rows) * links + rows + ROW_NUMBERS;
}

static bool is_whole(const SorSystem *system, const SorItem *item) {
    bool fits = item->cone < 0 && item->current < 0 && item->row_count > 1 && item->row_count <= MOST_ROWS &&
                item->link_count >= 1 && item->link_count <= 2;
    for (int k = 0; k < item->link_count && fits; k++) {
        fits = system->links[item->first_link + k].size == 6;
    }
    for (int i = 0; i < item->row_count && fits; i++) {
        fits = system->rows[item->first_row + i].D > 0;
    }
    return fits;
}

// T = (S^-1 + L)^-1 by forward substitution of all unit vectors at once.
static void invert(const SorSystem *system, const SorItem *item, const SorEight *columns, SorEight *T) {
    const double *J = system->J + item->J;
    double share = system->settings.lambda, *numbers = (double *)T;
    SorEight L[MOST_ROWS], X[MOST_ROWS]; // columns of J J^T; rows of T
    for (int j = 0; j < item->row_count; j++) {
        L[j] = (SorEight){0};
        for (int k = 0; k < item->stride && !system->settings.is_jacobi; k++) {
            L[j] += columns[k] * J[j * item->stride + k];
        }
    }
    for (int i = 0; i < item->row_count; i++) {
        X[i] = (SorEight){0};
        X[i][i] = 1;
        for (int j = 0; j < i; j++) {
            X[i] -= L[j][i] * X[j];
        }
        X[i] = X[i] * system->rows[item->first_row + i].step * share;
        for (int c = 0; c <= i; c++) {
            numbers[SOR_LANES * c + i] = X[i][c];
        }
    }
}

static void pack_whole(const SorSystem *system, const SorItem *item, SorEight *data) {
    int n = item->row_count, links = item->link_count;
    double *columns = (double *)data, *rows = columns + (ptrdiff_t)SOR_LANES * 6 * links;
    double *numbers = rows + (ptrdiff_t)SOR_LANES * (n * links + n);
    memset(data, 0, eights_of(item) * sizeof *data);
    for (int i = 0; i < n; i++) {
        const double *J = system->J + item->J + (ptrdiff_t)i * item->stride;
        const PgsRow *row = &system->rows[item->first_row + i];
        for (int k = 0; k < 6 * links; k++) {
            columns[SOR_LANES * k + i] = J[k];
            rows[SOR_LANES * (i * links + k / 6) + k % 6] = J[k];
        }
        const double of_row[ROW_NUMBERS] = {
            [D_OF_ROW] = row->d,
            [C_OF_ROW] = row->C,
            [SCALE] = row->D / (system->settings.omega * system->settings.lambda),
            [LOWER] = row->lower,
            [UPPER] = row->upper,
        };
        for (int k = 0; k < ROW_NUMBERS; k++) {
            numbers[SOR_LANES * k + i] = of_row[k];
        }
    }
    invert(system, item, data, data + (6 + n) * links);
}

CairnStatus cairn_sor_pack_whole(SorSystem *system, CairnArena *arena) {
    size_t size = 0;
    for (int i = 0; i < system->item_count; i++) {
        SorItem *item = &system->items[i];
        item->whole = -1;
        if (is_whole(system, item)) {
            item->whole = (ptrdiff_t)size;
            size += eights_of(item);
        }
    }
    system->whole = CAIRN_PUSH(arena, SorEight, size + 1);
    if (!system->whole) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d joints", system->settings.name,
                           system->item_count);
    }
    for (int i = 0; i < system->item_count; i++) {
        if (system->items[i].whole >= 0) {
            pack_whole(system, &system->items[i], system->whole + system->items[i].whole);
        }
    }
    return cairn_ok();
}

// The visit for a number of rows and bodies that the compiler knows. False, with nothing changed, where a bound is met.
ALWAYS bool visit(SorSystem *system, const SorItem *item, int n, int links, SorEight *largest) {
    SorEight *data = system->whole + item->whole;
    const SorEight *rows = data + (ptrdiff_t)6 * links, *T = rows + (ptrdiff_t)n * links;
    SorEight *numbers = data + (ptrdiff_t)(6 + n) * links + n, x = numbers[LAMBDA];
    SorEight w = numbers[D_OF_ROW] + numbers[C_OF_ROW] * x, delta[2] = {{0}, {0}};
    for (int k = 0; k < links; k++) {
        const double *u = system->u_read + system->links[item->first_link + k].at;
        const SorEight *J = data + (ptrdiff_t)6 * k;
        w += (J[0] * u[0] + J[1] * u[1]) + (J[2] * u[2] + J[3] * u[3]) + (J[4] * u[4] + J[5] * u[5]);
    }
    for (int r = 0; r < n; r++) {
        delta[r % 2] -= T[r] * w[r];
    }
    delta[0] += delta[1];
    SorEight target = x + delta[0];     // what bounds hold, before it is mixed with what was
    if (system->settings.lambda != 1) { // a division, and mostly by 1
        target = x + delta[0] / system->settings.lambda;
    }
    Mask outside = ~((target >= numbers[LOWER]) & (target <= numbers[UPPER]));
    long long any = 0;
    for (int i = 0; i < SOR_LANES; i++) {
        any |= outside[i];
    }
    if (any) {
        return false;
    }
    numbers[LAMBDA] = x + delta[0];
    for (int k = 0; k < links; k++) {
        SorEight *u = (SorEight *)(system->u + system->links[item->first_link + k].at), sum[2] = {*u, {0}};
        for (int i = 0; i < n; i++) {
            sum[i % 2] += rows[i * links + k] * delta[0][i];
        }
        *u = sum[0] + sum[1];
    }
    SorEight togo = delta[0] * numbers[SCALE];
    togo = CHOOSE(togo < -togo, -togo, togo);
    *largest = CHOOSE(togo > *largest, togo, *largest);
    return true;
}

bool cairn_sor_visit_whole(SorSystem *system, const SorItem *item, SorEight *largest) {
    bool is_pair = item->link_count == 2;
    switch (item->row_count) {
    case 2:
        return is_pair ? visit(system, item, 2, 2, largest) : visit(system, item, 2, 1, largest);
    case 3:
        return is_pair ? visit(system, item, 3, 2, largest) : visit(system, item, 3, 1, largest);
    case 4:
        return is_pair ? visit(system, item, 4, 2, largest) : visit(system, item, 4, 1, largest);
    case 5:
        return is_pair ? visit(system, item, 5, 2, largest) : visit(system, item, 5, 1, largest);
    default:
        return is_pair ? visit(system, item, MOST_ROWS, 2, largest) : visit(system, item, MOST_ROWS, 1, largest);
    }
}

static double *impulses_of(const SorSystem *system, const SorItem *item) {
    ptrdiff_t before = (ptrdiff_t)(6 + item->row_count) * item->link_count + item->row_count;
    return (double *)(system->whole + item->whole + before + LAMBDA);
}

void cairn_sor_read_whole(const SorSystem *system, const SorItem *item) {
    memcpy(system->lambda + item->first_row, impulses_of(system, item), (size_t)item->row_count * sizeof(double));
}

void cairn_sor_write_whole(const SorSystem *system, const SorItem *item) {
    memcpy(impulses_of(system, item), system->lambda + item->first_row, (size_t)item->row_count * sizeof(double));
}
