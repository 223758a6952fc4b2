// Products with the packed Jacobians, on one thread or several. Several go by blocks where impulses are summed, in the
// groups' order: the bits are the same.
#include <stdint.h>
#include <string.h>

#include "engine/base/claim.h"
#include "engine/base/eights.h"
#include "solvers/system/formulation.h"

enum { WORTHWHILE = 16384 }; // doubles of J: below, one thread is done before another one has begun

// Two blocks of up to 8 dofs, the rule among bodies; and anything.
static bool is_pair(const CairnGroup *group, const CairnGroupTerm *terms) {
    return group->term_count == 2 && terms[0].stride == 8 && terms[1].stride == 8;
}

// weight NULL: ones.
static double weighted(const double *weight, const double *x, int row) {
    return weight != NULL ? weight[row] * x[row] : x[row];
}

static void add_term(const CairnGroups *groups, const CairnGroup *group, const CairnGroupTerm *term,
                     const double *weight, const double *x, double *slotted) {
    const int *rows = groups->rows + group->first_row;
    for (int first = 0; first < term->stride; first += 8) {
        const double *J = groups->J + term->J + first;
        Eight sum = {0};
        for (int r = 0; r < group->row_count; r++, J += term->stride) {
            sum += *(const Eight *)J * weighted(weight, x, rows[r]);
        }
        *(Eight *)(slotted + term->slot + first) += sum;
    }
}

static void add_to_block(const CairnGroups *groups, int block, const double *weight, const double *x, double *slotted) {
    for (int k = groups->block_start[block]; k < groups->block_start[block + 1]; k++) {
        int term = groups->block_term[k];
        add_term(groups, &groups->groups[groups->term_group[term]], &groups->terms[term], weight, x, slotted);
    }
}

static void add_all(const CairnGroups *groups, const double *weight, const double *x, double *slotted) {
    const Eight *J = (const Eight *)groups->J;
    for (int i = 0; i < groups->group_count; i++) {
        const CairnFlatGroup *flat = &groups->flat_groups[i];
        const int *rows = groups->rows + flat->first_row;
        const Eight *a = J + flat->J[0], *b = J + flat->J[1];
        Eight sum_a = {0}, sum_b = {0};
        if (flat->count < 0) {
            const CairnGroup *group = &groups->groups[i];
            for (int t = 0; t < group->term_count; t++) {
                add_term(groups, group, &groups->terms[group->first_term + t], weight, x, slotted);
            }
        } else if (groups->groups[i].term_count == 1) {
            for (int r = 0; r < flat->count; r++) {
                sum_a += a[r] * weighted(weight, x, rows[r]);
            }
            *(Eight *)(slotted + flat->slot[0]) += sum_a;
        } else {
            for (int r = 0; r < flat->count; r++) {
                double value = weighted(weight, x, rows[r]);
                sum_a += a[r] * value;
                sum_b += b[r] * value;
            }
            *(Eight *)(slotted + flat->slot[0]) += sum_a;
            *(Eight *)(slotted + flat->slot[1]) += sum_b;
        }
    }
}

// sum of row r of the group.
static double find_row(const CairnGroups *groups, const CairnGroup *group, int r, const double *slotted) {
    const CairnGroupTerm *terms = groups->terms + group->first_term;
    Eight sum = {0};
    for (int t = 0; t < group->term_count; t++) {
        const double *J = groups->J + terms[t].J + (size_t)r * (size_t)terms[t].stride;
        for (int first = 0; first < terms[t].stride; first += 8) {
            sum += *(const Eight *)(J + first) * *(const Eight *)(slotted + terms[t].slot + first);
        }
    }
    return sum_eight(&sum);
}

// x = weight (y - J slotted); without weights x = J slotted.
static void find_rows(const CairnGroups *groups, const CairnGroup *group, const double *slotted, const double *weight,
                      const double *y, double *x) {
    const CairnGroupTerm *terms = groups->terms + group->first_term;
    const int *rows = groups->rows + group->first_row;
    if (is_pair(group, terms)) {
        const Eight *a = (const Eight *)(groups->J + terms[0].J), *b = (const Eight *)(groups->J + terms[1].J);
        Eight v_a = *(const Eight *)(slotted + terms[0].slot), v_b = *(const Eight *)(slotted + terms[1].slot);
        for (int r = 0; r < group->row_count; r++) {
            Eight eight = a[r] * v_a + b[r] * v_b;
            double sum = sum_eight(&eight);
            x[rows[r]] = weight != NULL ? weight[rows[r]] * (y[rows[r]] - sum) : sum;
        }
        return;
    }
    for (int r = 0; r < group->row_count; r++) {
        double sum = find_row(groups, group, r, slotted);
        x[rows[r]] = weight != NULL ? weight[rows[r]] * (y[rows[r]] - sum) : sum;
    }
}

// ---- threads: each has a fixed range of the blocks and of the groups --------------------------------------------------

static int threads_of(const CairnGroups *groups) {
    return groups->block_start != NULL && groups->J_size >= WORTHWHILE ? groups->thread_count : 1;
}

void cairn_groups_claim(const CairnGroups *groups, const double *x) {
    if (threads_of(groups) > 1) {
        cairn_claim(x, (size_t)groups->row_count * sizeof *x);
    }
}

// p (NULL: none) of a block into its slot, zeros behind it.
static void fill_slot(const CairnGroups *groups, int block, const double *p, int size, double *slotted) {
    int begin = groups->slots[block];
    int end = block + 1 < groups->block_count ? groups->slots[block + 1] : groups->slotted;
    memset(slotted + begin, 0, (size_t)(end - begin) * sizeof *slotted);
    for (int i = 0; i < size && p != NULL; i++) {
        slotted[begin + i] = p[i];
    }
}

static void claim_slots(const CairnGroups *groups, int thread, const double *slotted) {
    for (int k = groups->block_range[thread]; k < groups->block_range[thread + 1]; k++) {
        cairn_claim(slotted + groups->slots[groups->block_order[k]], 1);
    }
}

void cairn_groups_impulse(const CairnGroups *groups, const double *weight, const double *x, double *slotted) {
    int threads = threads_of(groups);
    if (threads <= 1) {
        memset(slotted, 0, (size_t)groups->slotted * sizeof *slotted);
        add_all(groups, weight, x, slotted);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int thread = 0; thread < threads; thread++) {
        claim_slots(groups, thread, slotted);
        for (int k = groups->block_range[thread]; k < groups->block_range[thread + 1]; k++) {
            fill_slot(groups, groups->block_order[k], NULL, 0, slotted);
            add_to_block(groups, groups->block_order[k], weight, x, slotted);
        }
    }
}

// The products of a row, and of their halves, which sum_eight begins with.
static inline void multiply_row(const CairnFlatRow *flat, const Eight *J, const double *slotted, Eight *eight) {
    *eight = J[flat->J[0]] * *(const Eight *)(slotted + flat->slot[0]) +
             J[flat->J[1]] * *(const Eight *)(slotted + flat->slot[1]);
}

static inline void halve_row(const CairnFlatRow *flat, const Eight *J, const double *slotted, Four *half) {
    Eight eight;
    multiply_row(flat, J, slotted, &eight);
    *half = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
}

// Four rows that follow one another, each summed as by sum_eight.
static inline void sum_four(const CairnFlatRow *flat, const Eight *J, const double *slotted, Four *sum) {
    Four a, b, c, d;
    halve_row(&flat[0], J, slotted, &a);
    halve_row(&flat[1], J, slotted, &b);
    halve_row(&flat[2], J, slotted, &c);
    halve_row(&flat[3], J, slotted, &d);
    Four ac = __builtin_shufflevector(a, c, 0, 1, 4, 5) + __builtin_shufflevector(a, c, 2, 3, 6, 7);
    Four bd = __builtin_shufflevector(b, d, 0, 1, 4, 5) + __builtin_shufflevector(b, d, 2, 3, 6, 7);
    *sum = __builtin_shufflevector(ac, bd, 0, 4, 2, 6) + __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
}

// x = weight (y - J slotted) of the flat rows; weight NULL: x = J slotted.
static inline __attribute__((always_inline)) void find_flat(const CairnGroups *groups, const double *slotted,
                                                            const double *weight, const double *y, double *x) {
    const Eight *J = (const Eight *)groups->J;
    const CairnFlatRow *flat = groups->flat_rows, *end = flat + groups->flat_row_count;
    while (flat < end) {
        int row = flat->row;
        if (end - flat >= 4 && flat[1].row == row + 1 && flat[2].row == row + 2 && flat[3].row == row + 3) {
            Four sum;
            sum_four(flat, J, slotted, &sum);
            if (weight != NULL) {
                sum = *(const Four *)(weight + row) * (*(const Four *)(y + row) - sum);
            }
            *(Four *)(x + row) = sum;
            flat += 4;
        } else {
            Eight eight;
            multiply_row(flat, J, slotted, &eight);
            double sum = sum_eight(&eight);
            x[row] = weight != NULL ? weight[row] * (y[row] - sum) : sum;
            flat++;
        }
    }
}

static void find_all(const CairnGroups *groups, const double *slotted, const double *weight, const double *y,
                     double *x) {
    if (weight != NULL) {
        find_flat(groups, slotted, weight, y, x);
    } else {
        find_flat(groups, slotted, NULL, NULL, x);
    }
    for (int i = 0; i < groups->other_count; i++) {
        find_rows(groups, &groups->groups[groups->other_groups[i]], slotted, weight, y, x);
    }
}

static void find_range(const CairnGroups *groups, int thread, const double *slotted, const double *weight,
                       const double *y, double *x) {
    for (int k = groups->group_range[thread]; k < groups->group_range[thread + 1]; k++) {
        find_rows(groups, &groups->groups[groups->group_order[k]], slotted, weight, y, x);
    }
}

void cairn_groups_recover(const CairnGroups *groups, const double *slotted, const double *weight, const double *y,
                          double *x) {
    int threads = threads_of(groups);
    if (threads <= 1) {
        find_all(groups, slotted, weight, y, x);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int thread = 0; thread < threads; thread++) {
        find_range(groups, thread, slotted, weight, y, x);
    }
}

// P^-1 (p + J^T x) of one block, p in its slot.
static void divide(const CairnGroups *groups, const CairnOps *ops, int block, double *slotted) {
    double *q = slotted + groups->slots[block];
    cairn_ops_forward(ops, block, q);
    cairn_ops_backward(ops, block, q);
}

void cairn_groups_effect(const CairnGroups *groups, const CairnOps *ops, const double *p, const double *x,
                         double *slotted, double *y) {
    int threads = threads_of(groups), blocks = ops->problem->block_count;
    if (threads <= 1) {
        memset(slotted, 0, (size_t)groups->slotted * sizeof *slotted);
        if (p != NULL) {
            cairn_groups_spread(groups, ops->problem, p, slotted);
        }
        add_all(groups, NULL, x, slotted);
        for (int b = 0; b < blocks; b++) {
            divide(groups, ops, b, slotted);
        }
        find_all(groups, slotted, NULL, NULL, y);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 1)
        for (int thread = 0; thread < threads; thread++) {
            claim_slots(groups, thread, slotted);
            for (int k = groups->block_range[thread]; k < groups->block_range[thread + 1]; k++) {
                int block = groups->block_order[k];
                const CairnDofBlock *dofs = &ops->problem->blocks[block];
                fill_slot(groups, block, p != NULL ? p + dofs->first : NULL, dofs->size, slotted);
                add_to_block(groups, block, NULL, x, slotted);
                divide(groups, ops, block, slotted);
            }
        }
#pragma omp for schedule(static, 1)
        for (int thread = 0; thread < threads; thread++) {
            find_range(groups, thread, slotted, NULL, NULL, y);
        }
    }
}

// List the elements thread by thread, by rising number, and where the range of each thread begins.
static void list_ranges(int count, int threads, const int *owner, int *order, int *range) {
    int next = 0;
    for (int thread = 0; thread < threads; thread++) {
        range[thread] = next;
        for (int i = 0; i < count; i++) {
            if (owner[i] == thread) {
                order[next++] = i;
            }
        }
    }
    range[threads] = next;
}

void cairn_groups_assign(CairnGroups *groups, const int *owner) {
    int threads = groups->thread_count, next = 0;
    list_ranges(groups->block_count, threads, owner, groups->block_order, groups->block_range);
    for (int thread = 0; thread < threads; thread++) {
        groups->group_range[thread] = next;
        for (int i = 0; i < groups->group_count; i++) {
            const CairnGroup *group = &groups->groups[i];
            if ((group->term_count > 0 ? owner[groups->terms[group->first_term].block] : 0) == thread) {
                groups->group_order[next++] = i;
            }
        }
    }
    groups->group_range[threads] = next;
}

CairnStatus cairn_groups_divide(CairnGroups *groups, int block_count, int thread_count, CairnArena *arena) {
    if (thread_count <= 1 || groups->J_size < WORTHWHILE) {
        return cairn_ok();
    }
    int *start = CAIRN_PUSH_ZERO(arena, int, block_count + 2), *term = CAIRN_PUSH(arena, int, groups->term_count + 1);
    int *group = CAIRN_PUSH(arena, int, groups->term_count + 1), *owner = CAIRN_PUSH(arena, int, block_count + 1);
    groups->block_order = CAIRN_PUSH(arena, int, block_count + 1);
    groups->group_order = CAIRN_PUSH(arena, int, groups->group_count + 1);
    groups->block_range = CAIRN_PUSH(arena, int, thread_count + 1);
    groups->group_range = CAIRN_PUSH(arena, int, thread_count + 1);
    if (!start || !term || !group || !owner || !groups->block_order || !groups->group_order || !groups->block_range ||
        !groups->group_range) {
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
    for (int b = 0; b < block_count; b++) { // until the formulation assigns them (cairn_groups_assign)
        owner[b] = (int)((int64_t)b * thread_count / block_count);
    }
    cairn_groups_assign(groups, owner);
    return cairn_ok();
}
