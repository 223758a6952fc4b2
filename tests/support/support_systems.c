#include "tests/support/support_systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ENTRIES = 24, CONSTRAINT_TERMS = 3 };

static void *take(int count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void begin(SupportSystem *s, int blocks, int constraints, int rows, uint64_t seed) {
    *s = (SupportSystem){.block_limit = blocks, .constraint_limit = constraints, .row_limit = rows, .seed = seed};
    s->blocks = take(blocks, sizeof *s->blocks);
    s->constraints = take(constraints, sizeof *s->constraints);
    s->terms = take(constraints * CONSTRAINT_TERMS, sizeof *s->terms);
    s->P = take(blocks * 49, sizeof *s->P);
    s->p = take(blocks * 7, sizeof *s->p);
    s->J = take(rows * ROW_ENTRIES, sizeof *s->J);
    s->compliance = take(rows, sizeof *s->compliance);
    s->right_side = take(rows, sizeof *s->right_side);
    s->lower = take(rows, sizeof *s->lower);
    s->upper = take(rows, sizeof *s->upper);
    s->phi = take(rows, sizeof *s->phi);
    s->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS,
                                .step = 1.0 / 60,
                                .blocks = s->blocks,
                                .P = s->P,
                                .p = s->p,
                                .constraints = s->constraints,
                                .terms = s->terms,
                                .J = s->J,
                                .compliance = s->compliance,
                                .right_side = s->right_side,
                                .lower = s->lower,
                                .upper = s->upper,
                                .position_error = s->phi};
}

void support_system_free(SupportSystem *s) {
    void *all[] = {s->blocks,     s->constraints, s->terms, s->P,     s->p,  s->J,
                   s->compliance, s->right_side,  s->lower, s->upper, s->phi};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    *s = (SupportSystem){0};
}

static int add_block(SupportSystem *s, int size) {
    int i = s->problem.block_count++;
    assert_true(i < s->block_limit);
    int matrix = i == 0 ? 0 : s->blocks[i - 1].matrix + s->blocks[i - 1].size * s->blocks[i - 1].size;
    s->blocks[i] = (CairnDofBlock){.first = s->problem.dof_count, .size = size, .matrix = matrix, .group = -1};
    s->blocks[i].id = (uint64_t)i + 1;
    s->problem.dof_count += size;
    double *P = s->P + matrix, mass = exp(support_uniform(&s->seed, -1, 2));
    for (int k = 0; k < size; k++) {
        P[k * size + k] = k < 3 ? mass : mass * support_uniform(&s->seed, 0.05, 0.2);
        s->p[s->blocks[i].first + k] = support_uniform(&s->seed, -1, 1);
    }
    if (size == 6) { // an inertia that is not diagonal
        double xy = support_uniform(&s->seed, -0.02, 0.02) * mass, yz = support_uniform(&s->seed, -0.02, 0.02) * mass;
        P[22] = P[27] = xy;
        P[29] = P[34] = yz;
    } else if (size != 3) { // full
        for (int k = 1; k < size; k++) {
            P[k * size + k - 1] = P[(k - 1) * size + k] = 0.02 * mass;
        }
    }
    s->blocks[i].mass = mass;
    return i;
}

static int add_constraint(SupportSystem *s, int rows, int term_count, const int *block, double compliance) {
    int c = s->problem.constraint_count++;
    assert_true(c < s->constraint_limit && s->problem.row_count + rows <= s->row_limit);
    s->constraints[c] = (CairnConstraintBlock){.first_row = s->problem.row_count,
                                               .row_count = rows,
                                               .first_term = s->problem.term_count,
                                               .term_count = term_count,
                                               .friction = -1,
                                               .id = (uint64_t)c + 1};
    int offset = s->problem.row_count * ROW_ENTRIES;
    for (int t = 0; t < term_count; t++) {
        int size = s->blocks[block[t]].size;
        s->terms[s->problem.term_count++] = (CairnTerm){block[t], offset};
        for (int k = 0; k < rows * size; k++) {
            s->J[offset++] = support_uniform(&s->seed, -1, 1);
        }
    }
    for (int r = s->problem.row_count; r < s->problem.row_count + rows; r++) {
        s->compliance[r] = compliance;
        s->right_side[r] = support_uniform(&s->seed, -1, 1);
        s->lower[r] = -1e30;
        s->upper[r] = 1e30;
    }
    s->problem.row_count += rows;
    return c;
}

// A contact of three rows at an arm from each body: unit directions, a lever each.
static void add_contact(SupportSystem *s, int a, int b, CairnVec3 normal, double reach) {
    int pair[2] = {a, b}, count = b < 0 ? 1 : 2;
    int c = add_constraint(s, 3, count, pair, 1e-10);
    s->compliance[s->constraints[c].first_row] = 1e-8;
    CairnVec3 t1, t2;
    cairn_tangents(normal, &t1, &t2);
    CairnVec3 axes[3] = {normal, t1, t2};
    for (int k = 0; k < count; k++) {
        double sign = k == 0 ? -1 : 1;
        CairnVec3 arm = cairn_add_scaled(support_vec3(&s->seed, -0.3, 0.3), -sign * reach, normal);
        double *J = s->J + s->terms[s->constraints[c].first_term + k].jacobian;
        for (int i = 0; i < 3; i++, J += 6) {
            CairnVec3 turn = cairn_cross(arm, axes[i]);
            double row[6] = {axes[i].x, axes[i].y, axes[i].z, turn.x, turn.y, turn.z};
            for (int l = 0; l < 6; l++) {
                J[l] = sign * row[l];
            }
        }
    }
}

typedef struct Pair {
    double distance;
    int a, b;
} Pair;

static int compare_pairs(const void *x, const void *y) {
    const Pair *a = x, *b = y;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

void support_system_pile(SupportSystem *s, int count, uint64_t seed) {
    begin(s, count, 9 * count + 9, 27 * count + 27, seed);
    CairnVec3 *centres = take(count, sizeof *centres);
    Pair *pairs = take(count * 40, sizeof *pairs);
    int side = (int)ceil(cbrt((double)count)), pair_count = 0;
    for (int i = 0; i < count; i++) {
        int layer = i / (side * side), line = i / side % side;
        CairnVec3 cell = {i % side, line, layer};
        centres[i] = cairn_add(cell, support_vec3(&s->seed, -0.4, 0.4));
        add_block(s, 6);
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count && pair_count < count * 40; j++) {
            double distance = cairn_length(cairn_sub(centres[i], centres[j]));
            if (distance < 2) {
                pairs[pair_count++] = (Pair){distance, i, j};
            }
        }
    }
    qsort(pairs, (size_t)pair_count, sizeof *pairs, compare_pairs);
    for (int k = 0; k < pair_count && k < 3 * count; k++) {
        CairnVec3 normal = cairn_normalize(cairn_sub(centres[pairs[k].b], centres[pairs[k].a]));
        for (int points = support_int(&s->seed, 1, 3); points > 0; points--) {
            add_contact(s, pairs[k].a, pairs[k].b, normal, 0.5);
        }
    }
    free(centres);
    free(pairs);
}

void support_system_tower(SupportSystem *s, int layers, int across, uint64_t seed) {
    int contacts = layers * across * across;
    begin(s, layers * across + 1, contacts + 8, 3 * contacts + 24, seed);
    for (int i = 0; i < layers * across + 1; i++) {
        add_block(s, 6);
    }
    for (int layer = 0; layer < layers; layer++) {
        for (int a = 0; a < across; a++) {
            for (int b = 0; b < across; b++) {
                int upper = 1 + layer * across + a;
                add_contact(s, layer == 0 ? 0 : 1 + (layer - 1) * across + b, upper, (CairnVec3){0, 0, 1}, 0.1);
            }
        }
    }
}

void support_system_chain(SupportSystem *s, int links, int joint_rows, int plane_rows, uint64_t seed) {
    begin(s, links, 2 * links, (joint_rows + plane_rows) * links, seed);
    for (int i = 0; i < links; i++) {
        add_block(s, 6);
    }
    for (int i = 0; i < links; i++) {
        int pair[2] = {i, i + 1};
        if (i + 1 < links) {
            add_constraint(s, joint_rows, 2, pair, 1e-10);
        }
        if (plane_rows > 0) {
            add_constraint(s, plane_rows, 1, pair, 1e-8);
        }
    }
}

void support_system_star(SupportSystem *s, int count, int rows, uint64_t seed) {
    begin(s, count + 1, count, rows * count, seed);
    for (int i = 0; i <= count; i++) {
        add_block(s, 6);
    }
    for (int i = 1; i <= count; i++) {
        int pair[2] = {i, 0};
        add_constraint(s, rows, 2, pair, 1e-8);
    }
}

void support_system_random(SupportSystem *s, int blocks, int constraints, uint64_t seed) {
    begin(s, blocks, constraints, 4 * constraints, seed);
    for (int i = 0; i < blocks; i++) {
        add_block(s, support_int(&s->seed, 1, 7));
    }
    for (int i = 0; i < constraints; i++) {
        int block[CONSTRAINT_TERMS], count = support_int(&s->seed, blocks > 0 ? 1 : 0, blocks > 0 ? 3 : 0);
        for (int k = 0; k < count; k++) {
            block[k] = support_int(&s->seed, 0, blocks - 1); // the same one twice at times
        }
        if (support_int(&s->seed, 0, 20) == 0) {
            count = 0; // a row that moves nothing
        }
        int rows = support_int(&s->seed, 1, 4);
        add_constraint(s, rows, count, block, exp(support_uniform(&s->seed, -15, 0)));
    }
}

bool support_solve_symmetric(int n, const double *matrix, double *x) {
    double *a = malloc(((size_t)n * (size_t)n + 1) * sizeof *a);
    assert_non_null(a);
    memcpy(a, matrix, (size_t)n * (size_t)n * sizeof *a);
    bool is_good = true;
    for (int j = 0; j < n; j++) {
        is_good = is_good && a[j * n + j] != 0;
        for (int i = j + 1; i < n; i++) {
            double l = a[i * n + j] / a[j * n + j];
            for (int k = j + 1; k <= i; k++) {
                a[i * n + k] -= l * a[k * n + j];
            }
        }
        for (int i = j + 1; i < n; i++) {
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            x[i] -= a[i * n + j] * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= a[i * n + i];
        for (int j = i + 1; j < n; j++) {
            x[i] -= a[j * n + i] * x[j];
        }
    }
    free(a);
    return is_good;
}
