// Joints in lanes: eight constraints over one or two blocks of six dofs, with bounds of their own, that share no block, side by side.
//
// A visit takes their rows one after another, as row by row, without going through u for each: with w = J u + d + C lambda before the
// visit row i sees w_i + sum over j < i of L_ij delta_j, L the part of A = J J^T below the diagonal, and takes delta_i = -step_i of
// that, held by its bounds; then u goes by J^T delta. So rows wait for one another by one product of L each.
#include <math.h>
#include <string.h>

#include "solvers/sor_lanes.h"

// Eights of a group of n rows: bodies; impulses; of each row these; L in rows.
enum { J_OF_ROW, D_OF_ROW = 12, C_OF_ROW, STEP, SCALE, LOWER, UPPER, ROW_NUMBERS };

static ptrdiff_t eights_of(int n) {
    return n == 0 ? 0 : 1 + n + ROW_NUMBERS * n + n * (n - 1) / 2;
}

bool cairn_sor_is_joint(const SorSystem *system, const CairnConstraintBlock *constraint) {
    const CairnProblem *problem = system->problem;
    const CairnTerm *terms = problem->terms + constraint->first_term;
    bool is = constraint->row_count >= 1 && constraint->row_count <= SOR_JOINT_ROWS && constraint->term_count >= 1 &&
              constraint->term_count <= 2 &&
              (constraint->friction < 0 || problem->frictions[constraint->friction].kind == CAIRN_FRICTION_BOX) &&
              (constraint->term_count == 1 || terms[0].block != terms[1].block);
    for (int t = 0; t < constraint->term_count && is; t++) {
        is = problem->blocks[terms[t].block].size == 6;
    }
    return is;
}

// ---- packing ---------------------------------------------------------------------------------------------------------------

// An empty lane has no bodies, no bounds and no steps, and so have rows that a lane lacks.
static void clear_group(const SorSystem *system, double *group, int n) {
    memset(group, 0, (size_t)eights_of(n) * sizeof(SorEight));
    int *bodies = (int *)group;
    for (int i = 0; i < 2 * SOR_LANES; i++) {
        bodies[i] = system->nobody;
    }
    for (int i = 0; i < n; i++) {
        double *row = group + (ptrdiff_t)SOR_LANES * (1 + n + ROW_NUMBERS * i);
        for (int k = 0; k < SOR_LANES; k++) {
            row[SOR_LANES * LOWER + k] = -(double)INFINITY;
            row[SOR_LANES * UPPER + k] = (double)INFINITY;
        }
    }
}

// What comes from the problem's arrays.
static void pack_joint(const SorSystem *system, int c, double *group, int n) {
    const CairnProblem *problem = system->problem;
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    int lane = system->place[c] % SOR_LANES;
    double *rows = group + (ptrdiff_t)SOR_LANES * (1 + n) + lane;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        double room[6 * CAIRN_FRAME_ROWS], x[6];
        const double *J = cairn_term_rows(problem, term, constraint->row_count, room);
        ((int *)group)[SOR_LANES * t + lane] = system->block_at[term->block] / SOR_BODY;
        for (int i = 0; i < constraint->row_count; i++) {
            memcpy(x, J + (ptrdiff_t)6 * i, sizeof x);
            cairn_ops_forward(&system->ops, term->block, x);
            for (int k = 0; k < 6; k++) {
                rows[SOR_LANES * (ROW_NUMBERS * i + J_OF_ROW + 6 * t + k)] = x[k];
            }
        }
    }
    for (int i = 0; i < constraint->row_count; i++) {
        double *row = rows + (ptrdiff_t)SOR_LANES * ROW_NUMBERS * i;
        int r = constraint->first_row + i;
        row[SOR_LANES * D_OF_ROW] = problem->right_side[r];
        row[SOR_LANES * C_OF_ROW] = problem->compliance[r];
        row[SOR_LANES * LOWER] = problem->lower[r];
        row[SOR_LANES * UPPER] = problem->upper[r];
    }
}

ALWAYS void product(const SorEight *a, const SorEight *b, SorEight *sum) {
    SorEight part[2];
    for (int k = 0; k < 2; k++, a += 6, b += 6) {
        part[k] = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
    }
    *sum = part[0] + part[1];
}

// Steps and L from the rows.
static void finish_group(SorSystem *system, SorJoints *joints, double *group) {
    int n = joints->rows;
    SorEight *rows = (SorEight *)group + 1 + n, *L = rows + (ptrdiff_t)ROW_NUMBERS * n;
    const SorSettings *settings = &system->settings;
    joints->is_bounded = 0;
    for (int i = 0; i < n; i++) {
        SorEight *row = rows + (ptrdiff_t)ROW_NUMBERS * i, D;
        product(row, row, &D);
        for (int k = 0; k < SOR_LANES; k++) {
            PgsRow of = {.d = row[D_OF_ROW][k],
                         .C = row[C_OF_ROW][k],
                         .D = D[k] + row[C_OF_ROW][k],
                         .lower = row[LOWER][k],
                         .upper = row[UPPER][k]};
            system->floor = fmax(system->floor, cairn_pgs_step(&of, settings->omega, false));
            row[STEP][k] = of.step;
            row[SCALE][k] = of.D / (settings->omega * settings->lambda);
            joints->is_bounded |= isinf(of.lower) && isinf(of.upper) ? 0 : 1U << i;
        }
        for (int j = 0; j < i && !settings->is_jacobi; j++) {
            product(row, rows + (ptrdiff_t)ROW_NUMBERS * j, &L[i * (i - 1) / 2 + j]);
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
            const SorJoints *joints = &system->joints[system->place[c] / SOR_LANES];
            pack_joint(system, c, system->joint + joints->at, joints->rows);
        }
    }
    for (int g = 0; g < system->joint_count; g++) {
        finish_group(system, &system->joints[g], system->joint + system->joints[g].at);
    }
    return cairn_ok();
}

// ---- visits ----------------------------------------------------------------------------------------------------------------

// Of a row with bounds: x + delta is held, then mixed with what was by `share`; that is x.
ALWAYS void hold(const SorEight *row, double share, SorEight *x, SorEight *delta) {
    SorEight target = *x + *delta;
    target = CHOOSE(target < row[LOWER], row[LOWER], target);
    target = CHOOSE(target > row[UPPER], row[UPPER], target);
    if (share != 1) {
        target = share * target + (1 - share) * *x;
        target = CHOOSE(target < row[LOWER], row[LOWER], target);
        target = CHOOSE(target > row[UPPER], row[UPPER], target);
    }
    *delta = target - *x;
    *x = target;
}

// The visit for a number of rows that the compiler knows.
ALWAYS void visit(const SorSystem *system, const SorJoints *joints, int n, SorEight *largest) {
    SorEight *lane = (SorEight *)(system->joint + joints->at), *lambda = lane + 1, most = *largest;
    const SorEight *rows = lane + 1 + n, *L = rows + (ptrdiff_t)ROW_NUMBERS * n;
    const int *a = (const int *)lane, *b = a + SOR_LANES;
    const double share = system->settings.lambda;
    SorEight A[8], B[8], delta[SOR_JOINT_ROWS];
    load_bodies(system->u_read, a, A);
    load_bodies(system->u_read, b, B);
    for (int i = 0; i < n; i++) {
        const SorEight *row = rows + (ptrdiff_t)ROW_NUMBERS * i;
        SorEight w, x = lambda[i];
        w = ((row[0] * A[0] + row[1] * A[1]) + (row[2] * A[2] + row[3] * A[3])) +
            ((row[4] * A[4] + row[5] * A[5]) + (row[6] * B[0] + row[7] * B[1])) +
            ((row[8] * B[2] + row[9] * B[3]) + (row[10] * B[4] + row[11] * B[5])) + (row[D_OF_ROW] + row[C_OF_ROW] * x);
        for (int j = 0; j < i; j++) {
            w += L[i * (i - 1) / 2 + j] * delta[j];
        }
        delta[i] = -row[STEP] * w;
        if (joints->is_bounded >> i & 1) {
            hold(row, share, &x, &delta[i]);
        } else {
            if (share != 1) {
                delta[i] = delta[i] * share;
            }
            x += delta[i];
        }
        lambda[i] = x;
        SorEight togo = delta[i] * row[SCALE];
        togo = CHOOSE(togo < -togo, -togo, togo);
        raise_to(&most, &togo);
    }
    *largest = most;
    reload(system, a, A);
    reload(system, b, B);
    for (int i = 0; i < n; i++) {
        const SorEight *row = rows + (ptrdiff_t)ROW_NUMBERS * i;
        for (int k = 0; k < 6; k++) {
            A[k] += row[k] * delta[i];
            B[k] += row[6 + k] * delta[i];
        }
    }
    store_bodies(system->u, a, system->nobody, A);
    store_bodies(system->u, b, system->nobody, B);
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
    double *group = system->joint + joints->at;
    const double *row = group + (ptrdiff_t)SOR_LANES * (1 + joints->rows + ROW_NUMBERS * i);
    return (SorJointRow){.impulse = group + (ptrdiff_t)SOR_LANES * (1 + i),
                         .d = row + (ptrdiff_t)SOR_LANES * D_OF_ROW,
                         .C = row + (ptrdiff_t)SOR_LANES * C_OF_ROW,
                         .scale = row + (ptrdiff_t)SOR_LANES * SCALE};
}
