// Joints in lanes: eight constraints between rigid bodies, with bounds that do not follow other impulses, that share
// no body, side by side.
//
// A visit takes their rows one after another, as row by row, without going through u for each: with w = J u + d + C
// lambda before the visit the velocity of row i is w_i + sum over j < i of L_ij delta_j, with L the strict lower
// triangle of A = J J^T, delta_i is -step_i times that, clamped by the bounds; then u changes by J^T delta. So rows
// wait for one another by one product of L each. A robot's joints do not fit the nearest cache, so the bytes that a
// visit reads decide: a row acts on both bodies along the same line with opposite signs, which is stored once, and
// not at all where a row of all eight only turns.
#include <math.h>
#include <string.h>

#include "solvers/sweeps/sor_lanes.h"

// Eights of a group of n rows: bodies; impulses; of each row these; the lines; bounds; L in rows.
enum { D_OF_ROW, C_OF_ROW, STEP, TURN_A, TURN_B = TURN_A + 3, ROW_NUMBERS = TURN_B + 3 };
enum { LINE_NUMBERS = 3 };
enum { LOWER, UPPER, SCALE, BOUND_NUMBERS }; // scale: D / (omega lambda)

typedef struct Arrays {
    SorEight *impulses, *rows, *lines, *bounds, *L;
} Arrays;

static ptrdiff_t eights_of(int n) {
    return n == 0 ? 0 : 1 + n + (ROW_NUMBERS + LINE_NUMBERS + BOUND_NUMBERS) * n + n * (n - 1) / 2;
}

ALWAYS Arrays arrays_of(double *group, int n) {
    Arrays p = {.impulses = (SorEight *)group + 1};
    p.rows = p.impulses + n;
    p.lines = p.rows + (ptrdiff_t)ROW_NUMBERS * n;
    p.bounds = p.lines + (ptrdiff_t)LINE_NUMBERS * n;
    p.L = p.bounds + (ptrdiff_t)BOUND_NUMBERS * n;
    return p;
}

static bool is_along_one_line(const CairnProblem *problem, const CairnTerm *terms, int rows) {
    double room[2][6 * CAIRN_FRAME_ROWS];
    const double *J = cairn_term_rows(problem, &terms[0], rows, room[0]);
    return cairn_sor_is_opposite(J, cairn_term_rows(problem, &terms[1], rows, room[1]), rows);
}

bool cairn_sor_is_joint(const SorSystem *system, const CairnConstraintBlock *constraint) {
    const CairnProblem *problem = system->problem;
    const CairnTerm *terms = problem->terms + constraint->first_term;
    bool is = constraint->row_count >= 1 && constraint->row_count <= SOR_JOINT_ROWS && constraint->term_count >= 1 &&
              constraint->term_count <= 2 &&
              (constraint->friction < 0 || problem->frictions[constraint->friction].kind == CAIRN_FRICTION_BOX);
    for (int t = 0; t < constraint->term_count && is; t++) {
        is = problem->blocks[terms[t].block].size == 6 && system->ops.offset[terms[t].block] < 0;
    }
    return is && (constraint->term_count == 1 ||
                  (terms[0].block != terms[1].block && is_along_one_line(problem, terms, constraint->row_count)));
}

// ---- packing ---------------------------------------------------------------------------------------------------------------

// An empty lane has no bodies, no bounds and no steps, and so have rows that a lane lacks.
static void clear_group(const SorSystem *system, double *group, int n) {
    memset(group, 0, (size_t)eights_of(n) * sizeof(SorEight));
    int *bodies = (int *)group;
    for (int i = 0; i < 2 * SOR_LANES; i++) {
        bodies[i] = system->zero_body;
    }
    SorEight *bounds = arrays_of(group, n).bounds;
    for (int i = 0; i < n * SOR_LANES; i++) {
        bounds[BOUND_NUMBERS * (i / SOR_LANES) + LOWER][i % SOR_LANES] = -(double)INFINITY;
        bounds[BOUND_NUMBERS * (i / SOR_LANES) + UPPER][i % SOR_LANES] = (double)INFINITY;
    }
}

// Pack the numbers of the problem's arrays. The first body is a; a single one is b.
static void pack_joint(const SorSystem *system, int c, SorJoints *joints) {
    const CairnProblem *problem = system->problem;
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    int lane = system->slot[c] % SOR_LANES;
    double *group = system->joint + joints->at;
    Arrays p = arrays_of(group, joints->rows);
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        double room[6 * CAIRN_FRAME_ROWS], x[6];
        const double *J = cairn_term_rows(problem, term, constraint->row_count, room);
        bool is_b = t == constraint->term_count - 1;
        ((int *)group)[SOR_LANES * is_b + lane] = system->block_at[term->block];
        for (int i = 0; i < constraint->row_count; i++, J += 6) {
            memcpy(x, J, sizeof x);
            cairn_ops_forward(&system->ops, term->block, x);
            for (int k = 0; k < 3; k++) {
                p.rows[ROW_NUMBERS * i + (is_b ? TURN_B : TURN_A) + k][lane] = x[3 + k];
                p.lines[LINE_NUMBERS * i + k][lane] = is_b ? J[k] : -J[k];
                joints->is_line |= J[k] != 0 ? 1U << i : 0;
            }
        }
    }
    for (int i = 0; i < constraint->row_count; i++) {
        int r = constraint->first_row + i;
        p.rows[ROW_NUMBERS * i + D_OF_ROW][lane] = problem->right_side[r];
        p.rows[ROW_NUMBERS * i + C_OF_ROW][lane] = problem->compliance[r];
        p.bounds[BOUND_NUMBERS * i + LOWER][lane] = problem->lower[r];
        p.bounds[BOUND_NUMBERS * i + UPPER][lane] = problem->upper[r];
    }
}

// Of J J^T; `light`: the sum of both 1/m.
ALWAYS void product(const Arrays *p, int i, int j, const SorEight *light, SorEight *sum) {
    const SorEight *row = p->rows + (ptrdiff_t)ROW_NUMBERS * i, *other = p->rows + (ptrdiff_t)ROW_NUMBERS * j;
    SorEight line, a, b;
    dot(p->lines + (ptrdiff_t)LINE_NUMBERS * i, p->lines + (ptrdiff_t)LINE_NUMBERS * j, &line);
    dot(row + TURN_A, other + TURN_A, &a);
    dot(row + TURN_B, other + TURN_B, &b);
    *sum = line * *light + (a + b);
}

// Steps and L from the rows.
static void finish_group(SorSystem *system, SorJoints *joints) {
    double *group = system->joint + joints->at;
    const int *bodies = (const int *)group;
    const SorSettings *settings = &system->settings;
    if (joints->rows == 0) { // an empty one has no bodies either
        return;
    }
    Arrays p = arrays_of(group, joints->rows);
    SorEight light, D;
    for (int k = 0; k < SOR_LANES; k++) {
        double a = system->u[bodies[k] + 6], b = system->u[bodies[SOR_LANES + k] + 6];
        light[k] = a * a + b * b;
    }
    for (int i = 0; i < joints->rows; i++) {
        SorEight *row = p.rows + (ptrdiff_t)ROW_NUMBERS * i, *bound = p.bounds + (ptrdiff_t)BOUND_NUMBERS * i;
        product(&p, i, i, &light, &D);
        D += row[C_OF_ROW];
        for (int k = 0; k < SOR_LANES; k++) {
            PgsRow of = {.d = row[D_OF_ROW][k], .D = D[k], .lower = bound[LOWER][k], .upper = bound[UPPER][k]};
            system->floor = cairn_max(system->floor, cairn_pgs_step(&of, settings->omega, false));
            row[STEP][k] = of.step;
            bool is_held = !isinf(of.lower) || !isinf(of.upper) || (!(of.D > 0) && of.d != 0);
            joints->is_bounded |= is_held ? 1U << i : 0;
        }
        bound[SCALE] = D / (settings->omega * settings->lambda);
        for (int j = 0; j < i && !settings->is_jacobi; j++) {
            product(&p, i, j, &light, &p.L[i * (i - 1) / 2 + j]);
        }
    }
}

CairnStatus cairn_sor_pack_joints(SorSystem *system, CairnArena *arena) {
    ptrdiff_t size = 0, impulses = 0;
    for (int g = 0; g < system->joint_count; g++) {
        system->joints[g].at = SOR_LANES * size;
        system->joints[g].impulses = SOR_LANES * impulses;
        size += eights_of(system->joints[g].rows);
        impulses += system->joints[g].rows;
    }
    system->joint_impulses = SOR_LANES * impulses;
    system->joint = CAIRN_PUSH(arena, double, SOR_LANES *size + 1);
    if (!system->joint) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d groups of joints", system->settings.name,
                           system->joint_count);
    }
    for (int g = 0; g < system->joint_count; g++) { // an empty one has no numbers
        if (system->joints[g].rows > 0) {
            clear_group(system, system->joint + system->joints[g].at, system->joints[g].rows);
        }
    }
    for (int c = 0; c < system->problem->constraint_count && system->joint_count > 0; c++) {
        if (system->shape[c] == SOR_JOINT) {
            pack_joint(system, c, &system->joints[system->slot[c] / SOR_LANES]);
        }
    }
    for (int g = 0; g < system->joint_count; g++) {
        finish_group(system, &system->joints[g]);
    }
    return cairn_ok();
}

// ---- visits ----------------------------------------------------------------------------------------------------------------

// For a row with bounds: clamp x + delta, and mix it with the old x by `fraction`; x becomes the result and delta the
// change.
ALWAYS void clamp_step(const SorEight *bound, double fraction, SorEight *x, SorEight *delta) {
    SorEight target = *x + *delta;
    target = CHOOSE(target < bound[LOWER], bound[LOWER], target);
    target = CHOOSE(target > bound[UPPER], bound[UPPER], target);
    if (fraction != 1) {
        target = fraction * target + (1 - fraction) * *x;
        target = CHOOSE(target < bound[LOWER], bound[LOWER], target);
        target = CHOOSE(target > bound[UPPER], bound[UPPER], target);
    }
    *delta = target - *x;
    *x = target;
}

// The state of a visit.
typedef struct Visit {
    Arrays p;
    SorEight A[8], B[8], go[3], delta[SOR_JOINT_ROWS], most;
    double fraction;
    unsigned is_bounded, is_line;
} Visit;

ALWAYS void visit_row(Visit *v, int i) {
    const SorEight *row = v->p.rows + (ptrdiff_t)ROW_NUMBERS * i;
    SorEight x = v->p.impulses[i], w, term, delta;
    dot(row + TURN_A, v->A + 3, &w);
    dot(row + TURN_B, v->B + 3, &term);
    w = (w + term) + (row[D_OF_ROW] + row[C_OF_ROW] * x);
    if (v->is_line >> i & 1) {
        dot(v->p.lines + (ptrdiff_t)LINE_NUMBERS * i, v->go, &term);
        w += term;
    }
    for (int j = 0; j < i; j++) {
        w += v->p.L[i * (i - 1) / 2 + j] * v->delta[j];
    }
    delta = -row[STEP] * w;
    if (v->is_bounded >> i & 1) {
        const SorEight *bound = v->p.bounds + (ptrdiff_t)BOUND_NUMBERS * i;
        clamp_step(bound, v->fraction, &x, &delta);
        w = delta * bound[SCALE];
    } else {
        if (v->fraction != 1) {
            delta = delta * v->fraction;
        }
        x += delta;
    }
    v->p.impulses[i] = x;
    v->delta[i] = delta;
    size_of(&w, &w); // the velocity still to go
    raise_to(&v->most, &w);
}

ALWAYS void push_row(Visit *v, int i) {
    const SorEight *row = v->p.rows + (ptrdiff_t)ROW_NUMBERS * i;
    for (int k = 0; k < 3; k++) {
        v->A[3 + k] += row[TURN_A + k] * v->delta[i];
        v->B[3 + k] += row[TURN_B + k] * v->delta[i];
    }
    for (int k = 0; k < 3 && (v->is_line >> i & 1); k++) {
        v->go[k] += v->p.lines[LINE_NUMBERS * i + k] * v->delta[i];
    }
}

// Unrolled for a constant number of rows, for the compiler would not unroll the loops.
#define EACH_ROW(n, call)                                                                                              \
    do {                                                                                                               \
        (n) > 0 ? call(&v, 0) : (void)0;                                                                               \
        (n) > 1 ? call(&v, 1) : (void)0;                                                                               \
        (n) > 2 ? call(&v, 2) : (void)0;                                                                               \
        (n) > 3 ? call(&v, 3) : (void)0;                                                                               \
        (n) > 4 ? call(&v, 4) : (void)0;                                                                               \
        (n) > 5 ? call(&v, 5) : (void)0;                                                                               \
    } while (false)

ALWAYS void visit(const SorSystem *system, const SorJoints *joints, int n, SorEight *largest) {
    double *group = system->joint + joints->at;
    const int *a = (const int *)group, *b = a + SOR_LANES;
    Visit v = {.p = arrays_of(group, n),
               .most = *largest,
               .fraction = system->settings.lambda,
               .is_bounded = joints->is_bounded,
               .is_line = joints->is_line};
    load_bodies(system->u_read, a, v.A);
    load_bodies(system->u_read, b, v.B);
    for (int k = 0; k < 3; k++) {
        v.go[k] = v.B[k] * v.B[6] - v.A[k] * v.A[6];
    }
    EACH_ROW(n, visit_row);
    *largest = v.most;
    reload(system, a, v.A);
    reload(system, b, v.B);
    v.go[0] = v.go[1] = v.go[2] = (SorEight){0};
    EACH_ROW(n, push_row);
    for (int k = 0; k < 3; k++) {
        v.A[k] -= v.go[k] * v.A[6];
        v.B[k] += v.go[k] * v.B[6];
    }
    store_bodies(system->u, a, system->zero_body, v.A);
    store_bodies(system->u, b, system->zero_body, v.B);
}

void cairn_sor_visit_joints(const SorSystem *system, const SorJoints *joints, SorEight *largest) {
    switch (joints->rows) {
    case 0:
        break;
    case 1:
        visit(system, joints, 1, largest);
        break;
    case 2:
        visit(system, joints, 2, largest);
        break;
    case 3:
        visit(system, joints, 3, largest);
        break;
    case 4:
        visit(system, joints, 4, largest);
        break;
    case 5:
        visit(system, joints, 5, largest);
        break;
    default:
        visit(system, joints, SOR_JOINT_ROWS, largest);
    }
}

SorJointRow cairn_sor_joint_row(const SorSystem *system, const SorJoints *joints, int i) {
    Arrays p = arrays_of(system->joint + joints->at, joints->rows);
    const SorEight *row = p.rows + (ptrdiff_t)ROW_NUMBERS * i;
    return (SorJointRow){.impulse = (double *)(p.impulses + i),
                         .d = (const double *)(row + D_OF_ROW),
                         .C = (const double *)(row + C_OF_ROW),
                         .scale = (const double *)(p.bounds + (ptrdiff_t)BOUND_NUMBERS * i + SCALE)};
}
