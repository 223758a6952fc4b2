// Products with the packed Jacobians, on one thread or several. Several go by blocks where impulses are summed, in the groups' order: the
// bits are the same.
#include <string.h>

#include "solvers/formulation.h"

enum { WORTHWHILE = 16384 }; // doubles of J: below, one thread is done before another one has begun

// Eight doubles at a multiple of 64 bytes (a row of J of up to 8 dofs); the compiler splits them where registers are shorter.
typedef double Eight __attribute__((vector_size(64), may_alias));
typedef double Four __attribute__((vector_size(32), may_alias));
typedef double Two __attribute__((vector_size(16), may_alias));

// In halves, as registers are wide. (By a pointer: how a vector is passed by value depends on the machine.)
static inline double sum_eight(const Eight *x) {
    Four four = __builtin_shufflevector(*x, *x, 0, 1, 2, 3) + __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
    Two two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
    return two[0] + two[1];
}

// Two blocks of up to 8 dofs, the rule among bodies; and anything.
static bool is_pair(const CairnGroup *group, const CairnGroupTerm *terms) {
    return group->term_count == 2 && terms[0].stride == 8 && terms[1].stride == 8;
}

static void add_pair(const CairnGroups *groups, const CairnGroup *group, const CairnGroupTerm *terms, const double *x,
                     double *slotted) {
    const int *rows = groups->rows + group->first_row;
    const Eight *a = (const Eight *)(groups->J + terms[0].J), *b = (const Eight *)(groups->J + terms[1].J);
    Eight sum_a = {0}, sum_b = {0};
    for (int r = 0; r < group->row_count; r++) {
        double share = x[rows[r]];
        sum_a += a[r] * share;
        sum_b += b[r] * share;
    }
    *(Eight *)(slotted + terms[0].slot) += sum_a;
    *(Eight *)(slotted + terms[1].slot) += sum_b;
}

static int threads_of(const CairnGroups *groups) {
    return groups->block_start != NULL && groups->J_size >= WORTHWHILE ? groups->thread_count : 1;
}

static void add_term(const CairnGroups *groups, const CairnGroup *group, const CairnGroupTerm *term, const double *x,
                     double *slotted) {
    const int *rows = groups->rows + group->first_row;
    for (int first = 0; first < term->stride; first += 8) {
        const double *J = groups->J + term->J + first;
        Eight sum = {0};
        for (int r = 0; r < group->row_count; r++, J += term->stride) {
            sum += *(const Eight *)J * x[rows[r]];
        }
        *(Eight *)(slotted + term->slot + first) += sum;
    }
}

static void add_to_block(const CairnGroups *groups, int block, const double *x, double *slotted) {
    for (int k = groups->block_start[block]; k < groups->block_start[block + 1]; k++) {
        int term = groups->block_term[k];
        add_term(groups, &groups->groups[groups->term_group[term]], &groups->terms[term], x, slotted);
    }
}

void cairn_groups_add_impulse(const CairnGroups *groups, const double *x, double *slotted) {
    int threads = threads_of(groups);
    if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int b = 0; b < groups->block_count; b++) {
            add_to_block(groups, b, x, slotted);
        }
        return;
    }
    for (int i = 0; i < groups->group_count; i++) {
        const CairnGroup *group = &groups->groups[i];
        const CairnGroupTerm *terms = groups->terms + group->first_term;
        if (is_pair(group, terms)) {
            add_pair(groups, group, terms, x, slotted);
            continue;
        }
        for (int t = 0; t < group->term_count; t++) {
            add_term(groups, group, &terms[t], x, slotted);
        }
    }
}

static void find_rows(const CairnGroups *groups, const CairnGroup *group, const double *slotted, double *y) {
    const CairnGroupTerm *terms = groups->terms + group->first_term;
    const int *rows = groups->rows + group->first_row;
    if (is_pair(group, terms)) {
        const Eight *a = (const Eight *)(groups->J + terms[0].J), *b = (const Eight *)(groups->J + terms[1].J);
        Eight v_a = *(const Eight *)(slotted + terms[0].slot), v_b = *(const Eight *)(slotted + terms[1].slot);
        for (int r = 0; r < group->row_count; r++) {
            Eight sum = a[r] * v_a + b[r] * v_b;
            y[rows[r]] = sum_eight(&sum);
        }
        return;
    }
    for (int r = 0; r < group->row_count; r++) {
        Eight sum = {0};
        for (int t = 0; t < group->term_count; t++) {
            const double *J = groups->J + terms[t].J + (size_t)r * (size_t)terms[t].stride;
            for (int first = 0; first < terms[t].stride; first += 8) {
                sum += *(const Eight *)(J + first) * *(const Eight *)(slotted + terms[t].slot + first);
            }
        }
        y[rows[r]] = sum_eight(&sum);
    }
}

void cairn_groups_jacobian(const CairnGroups *groups, const double *slotted, double *y) {
    int threads = threads_of(groups);
    if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int i = 0; i < groups->group_count; i++) {
            find_rows(groups, &groups->groups[i], slotted, y);
        }
        return;
    }
    for (int i = 0; i < groups->group_count; i++) {
        find_rows(groups, &groups->groups[i], slotted, y);
    }
}

static void divide(const CairnGroups *groups, const CairnOps *ops, int block, double *slotted) {
    double *part = slotted + groups->slots[block];
    cairn_ops_forward(ops, block, part);
    cairn_ops_backward(ops, block, part);
}

void cairn_groups_effect(const CairnGroups *groups, const CairnOps *ops, const double *x, double *slotted, double *y) {
    int threads = threads_of(groups);
    if (threads <= 1) {
        cairn_groups_add_impulse(groups, x, slotted);
        for (int b = 0; b < ops->problem->block_count; b++) {
            divide(groups, ops, b, slotted);
        }
        cairn_groups_jacobian(groups, slotted, y);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int b = 0; b < groups->block_count; b++) {
            add_to_block(groups, b, x, slotted);
            divide(groups, ops, b, slotted);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < groups->group_count; i++) {
            find_rows(groups, &groups->groups[i], slotted, y);
        }
    }
}

CairnStatus cairn_groups_share(CairnGroups *groups, int block_count, int thread_count, CairnArena *arena) {
    if (thread_count <= 1 || groups->J_size < WORTHWHILE) {
        return cairn_ok();
    }
    int *start = CAIRN_PUSH_ZERO(arena, int, block_count + 2), *term = CAIRN_PUSH(arena, int, groups->term_count + 1);
    int *group = CAIRN_PUSH(arena, int, groups->term_count + 1);
    if (!start || !term || !group) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "formulation: no memory for the terms of %d blocks", block_count);
    }
    for (int t = 0; t < groups->term_count; t++) {
        start[groups->terms[t].block + 2]++;
    }
    for (int b = 0; b < block_count; b++) {
        start[b + 2] += start[b + 1];
    }
    for (int g = 0; g < groups->group_count; g++) { // start[b + 1] goes on from where block b begins to where it ends
        for (int t = groups->groups[g].first_term; t < groups->groups[g].first_term + groups->groups[g].term_count;
             t++) {
            group[t] = g;
            term[start[groups->terms[t].block + 1]++] = t;
        }
    }
    groups->block_start = start;
    groups->block_term = term;
    groups->term_group = group;
    groups->block_count = block_count;
    groups->thread_count = thread_count;
    return cairn_ok();
}
