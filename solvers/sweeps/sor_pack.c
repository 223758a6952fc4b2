// From a problem to lanes and items.
#include <math.h>
#include <string.h>

#include "engine/base/pieces.h"
#include "solvers/sweeps/sor.h"

// Tolerances within which packing takes numbers for equal: a lane's numbers then differ from J by 1e-11 of it at
// most. Arms are differences of positions, and have the rounding of these.
static const double unit_slack = 1e-12, arm_slack = 1e-11;

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// 1/sqrt(m) and the inertia's factor, as problem_ops has them.
static const double *rigid_factor(const SorSystem *system, int block) {
    return system->ops.offset[block] < 0 ? system->ops.factor + ~system->ops.offset[block] : NULL;
}

// Whether a factor is that of a multiple of 1. Rotating a ball's inertia causes entries of rounding beside it.
static bool is_round_factor(const double *f) {
    double slack = unit_slack * f[1];
    return fabs(f[3] - f[1]) <= slack && fabs(f[6] - f[1]) <= slack && fabs(f[2] * f[1]) <= unit_slack &&
           fabs(f[4] * f[1]) <= unit_slack && fabs(f[5] * f[1]) <= unit_slack;
}

// The arm r of rows (e, r x e) over three axes e: r = 1/2 sum e x (r x e). False where the rows are not those of a
// point.
static bool find_arm(const double axis[3][3], const double *J, double sign, double arm[3]) {
    arm[0] = arm[1] = arm[2] = 0;
    double turn[3], most = 0;
    for (int i = 0; i < 3; i++) {
        cross(axis[i], J + 6 * i + 3, turn);
        for (int k = 0; k < 3; k++) {
            arm[k] += 0.5 * sign * turn[k];
            most = fmax(most, fabs(J[6 * i + 3 + k]));
        }
    }
    for (int i = 0; i < 3; i++) {
        cross(arm, axis[i], turn);
        for (int k = 0; k < 3; k++) {
            if (!(fabs(sign * turn[k] - J[6 * i + 3 + k]) <= arm_slack * most)) {
                return false;
            }
        }
    }
    return true;
}

// The axes n, t1, t2 from a side's rows; false where they are no right-handed frame.
static bool find_axes(const double *J, double sign, double axis[3][3]) {
    double third[3];
    for (int i = 0; i < 9; i++) {
        axis[i / 3][i % 3] = sign * J[i / 3 * 6 + i % 3];
    }
    cross(axis[0], axis[1], third);
    for (int k = 0; k < 3; k++) {
        if (!(fabs(third[k] - axis[2][k]) <= unit_slack)) {
            return false;
        }
    }
    return fabs(dot(axis[0], axis[0]) - 1) <= unit_slack && fabs(dot(axis[1], axis[1]) - 1) <= unit_slack &&
           fabs(dot(axis[0], axis[1])) <= unit_slack;
}

bool cairn_sor_is_opposite(const double *J, const double *other, int rows) {
    for (int i = 0; i < 6 * rows; i++) {
        if (i % 6 < 3 && J[i] != -other[i]) {
            return false;
        }
    }
    return true;
}

static bool is_along(const double *arm, const double *normal, double sign, double *length) {
    *length = sign * dot(arm, normal);
    double slack = arm_slack * (fabs(*length) + fabs(arm[0]) + fabs(arm[1]) + fabs(arm[2]));
    for (int k = 0; k < 3; k++) {
        if (fabs(arm[k] - sign * *length * normal[k]) > slack) {
            return false;
        }
    }
    return true;
}

static bool is_lane_candidate(const SorSystem *system, const CairnConstraintBlock *constraint) {
    const CairnProblem *problem = system->problem;
    if (constraint->row_count != 3 || constraint->friction < 0 || constraint->term_count < 1 ||
        constraint->term_count > 2) {
        return false;
    }
    const CairnFriction *friction = &problem->frictions[constraint->friction];
    if (friction->kind != system->law || friction->normal != constraint->first_row || friction->spin_rows != 0 ||
        problem->compliance[constraint->first_row + 1] != problem->compliance[constraint->first_row + 2]) {
        return false;
    }
    const CairnTerm *terms = problem->terms + constraint->first_term;
    for (int t = 0; t < constraint->term_count; t++) {
        if (problem->blocks[terms[t].block].size != 6 || !rigid_factor(system, terms[t].block)) {
            return false;
        }
    }
    return constraint->term_count == 1 || terms[0].block != terms[1].block;
}

// From the rows of both sides. False: they are not those of a contact.
static bool read_rows(const CairnConstraintBlock *constraint, const CairnTerm *terms, const double *const J[2],
                      SorContact *contact) {
    // Side b has +(e, r x e), side a minus that, and either may be missing.
    double axis[3][3];
    int b = 0;
    while (b < constraint->term_count && !find_axes(J[b], 1, axis)) {
        b++;
    }
    int a = b == 0 ? 1 : 0;
    if (b == constraint->term_count && (b == 2 || !find_axes(J[0], -1, axis))) {
        return false;
    }
    if (b < constraint->term_count) {
        contact->block_b = terms[b].block;
        if (!find_arm((const double(*)[3])axis, J[b], 1, contact->arm_b)) {
            return false;
        }
    }
    if (a < constraint->term_count) {
        contact->block_a = terms[a].block;
        if ((contact->block_b >= 0 && !cairn_sor_is_opposite(J[a], J[b], 3)) ||
            !find_arm((const double(*)[3])axis, J[a], -1, contact->arm_a)) {
            return false;
        }
    }
    memcpy(contact->normal, axis[0], sizeof contact->normal);
    memcpy(contact->tangent, axis[1], sizeof contact->tangent);
    return true;
}

static void write3(double *to, CairnVec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

// From the one frame that all terms share; false: they do not, or it is none of unit axes.
static bool read_frame(const CairnProblem *problem, const CairnConstraintBlock *constraint, const CairnTerm *terms,
                       SorContact *contact) {
    int frame = ~terms[0].jacobian >> 1;
    for (int t = 0; t < constraint->term_count; t++) {
        if (terms[t].jacobian >= 0 || ~terms[t].jacobian >> 1 != frame ||
            (t > 0 && terms[t].jacobian == terms[0].jacobian)) {
            return false;
        }
    }
    const CairnContactFrame *f = cairn_problem_frame(problem, frame);
    if (!(fabs(cairn_dot(f->normal, f->normal) - 1) <= unit_slack) ||
        !(fabs(cairn_dot(f->tangent, f->tangent) - 1) <= unit_slack) ||
        !(fabs(cairn_dot(f->normal, f->tangent)) <= unit_slack)) {
        return false;
    }
    for (int t = 0; t < constraint->term_count; t++) {
        bool is_b = ~terms[t].jacobian & 1;
        *(is_b ? &contact->block_b : &contact->block_a) = terms[t].block;
        write3(is_b ? contact->arm_b : contact->arm_a, f->arm[is_b]);
    }
    write3(contact->normal, f->normal);
    write3(contact->tangent, f->tangent);
    return true;
}

void cairn_sor_read_contact(const SorSystem *system, int c, SorContact *contact) {
    const CairnProblem *problem = system->problem;
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    *contact = (SorContact){.shape = SOR_ITEM, .block_a = -1, .block_b = -1};
    if (!is_lane_candidate(system, constraint)) {
        return;
    }
    const CairnTerm *terms = problem->terms + constraint->first_term;
    if (!read_frame(problem, constraint, terms, contact)) {
        double room[2][6 * CAIRN_FRAME_ROWS];
        const double *J[2] = {NULL, NULL};
        for (int t = 0; t < constraint->term_count; t++) {
            J[t] = cairn_term_rows(problem, &terms[t], 3, room[t]);
        }
        if (!read_rows(constraint, terms, J, contact)) {
            return;
        }
    }
    double length_a, length_b;
    bool is_round = (contact->block_a < 0 || system->is_round[contact->block_a]) &&
                    (contact->block_b < 0 || system->is_round[contact->block_b]) &&
                    is_along(contact->arm_a, contact->normal, 1, &length_a) &&
                    is_along(contact->arm_b, contact->normal, -1, &length_b);
    contact->shape = is_round ? SOR_ROUND : SOR_GENERAL;
    if (is_round) {
        contact->arm_a[0] = length_a;
        contact->arm_b[0] = length_b;
    }
}

// g = J P^-1 J^T + C of a contact's three rows.
static void find_g(const SorSystem *system, const CairnConstraintBlock *constraint, double g[3][3]) {
    const CairnProblem *problem = system->problem;
    for (int i = 0; i < 9; i++) {
        g[i / 3][i % 3] = i % 4 == 0 ? problem->compliance[constraint->first_row + i / 3] : 0;
    }
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        double row[3][6], room[6 * CAIRN_FRAME_ROWS];
        memcpy(row, cairn_term_rows(problem, term, 3, room), sizeof row);
        for (int i = 0; i < 3; i++) {
            cairn_ops_forward(&system->ops, term->block, row[i]);
            for (int j = 0; j <= i; j++) {
                double sum = dot(row[i], row[j]) + dot(row[i] + 3, row[j] + 3);
                g[i][j] += sum;
                g[j][i] += i == j ? 0 : sum;
            }
        }
    }
}

// mu, and C of the normal and the tangents.
static double law_of(const CairnProblem *problem, int c, int k) {
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    return k == SOR_MU ? problem->frictions[constraint->friction].mu
                       : problem->compliance[constraint->first_row + k - SOR_COMPLIANCE];
}

static bool is_contact(const SorSystem *system, int c) {
    return system->shape[c] == SOR_ROUND || system->shape[c] == SOR_GENERAL;
}

// Find the law's rows where they are equal for all contacts in lanes. They are in most worlds, whose sweep then reads
// a sixth less.
static CairnStatus find_common_law(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    int first = 0, last;
    while (first < problem->constraint_count && !is_contact(system, first)) {
        first++;
    }
    bool is_common = first < problem->constraint_count;
    for (last = first; last < problem->constraint_count && is_common; last++) {
        for (int k = 0; k < SOR_LAW_ROWS && is_contact(system, last); k++) {
            is_common = is_common && law_of(problem, last, k) == law_of(problem, first, k);
        }
    }
    if (!is_common) {
        return cairn_ok();
    }
    double *law = CAIRN_PUSH(arena, double, SOR_LAW_ROWS *SOR_LANES);
    if (!law) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for a law", system->settings.name);
    }
    for (int i = 0; i < SOR_LAW_ROWS * SOR_LANES; i++) {
        law[i] = law_of(problem, first, i / SOR_LANES);
    }
    system->common = (const SorEight *)law;
    return cairn_ok();
}

// An empty lane has zeros and eta = 1 and moves nothing.
static void clear_group(const SorSystem *system, int at, bool is_round) {
    double *group = cairn_sor_group(system, at, is_round);
    memset(group, 0, (size_t)cairn_sor_rows(system, is_round) * SOR_LANES * sizeof *group);
    int *bodies = cairn_sor_bodies(group, is_round);
    for (int i = 0; i < SOR_LANES; i++) {
        group[SOR_LANES * SOR_ETA + i] = 1;
        bodies[i] = bodies[SOR_LANES + i] = system->zero_body;
    }
}

static void pack_lane(const SorSystem *system, int c) {
    const CairnProblem *problem = system->problem;
    bool is_round = system->shape[c] == SOR_ROUND;
    int lane = system->slot[c] % SOR_LANES, rows = cairn_sor_fixed_rows(is_round);
    double *group = cairn_sor_group(system, system->slot[c] / SOR_LANES, is_round);
    int *a = cairn_sor_bodies(group, is_round) + lane, *b = a + SOR_LANES;
    group += lane;
    SorContact contact;
    const CairnConstraintBlock *constraint = &problem->constraints[c];
    double g[3][3];
    int r = constraint->first_row;
    cairn_sor_read_contact(system, c, &contact);
    find_g(system, constraint, g);
    *a = contact.block_a >= 0 ? system->block_at[contact.block_a] : system->zero_body;
    *b = contact.block_b >= 0 ? system->block_at[contact.block_b] : system->zero_body;
    group[SOR_LANES * SOR_ETA] = cairn_sor_eta(&system->settings, g);
    for (int k = 0; k < SOR_LAW_ROWS && system->common == NULL; k++) {
        group[SOR_LANES * (rows + k)] = law_of(problem, c, k);
    }
    for (int k = 0; k < 3; k++) {
        group[SOR_LANES * (SOR_NORMAL + k)] = contact.normal[k];
        group[SOR_LANES * (SOR_TANGENT + k)] = contact.tangent[k];
        group[SOR_LANES * (SOR_D + k)] = problem->right_side[r + k];
        if (contact.shape == SOR_GENERAL) {
            group[SOR_LANES * (SOR_ARM_A + k)] = contact.arm_a[k];
            group[SOR_LANES * (SOR_ARM_B + k)] = contact.arm_b[k];
        }
    }
    if (contact.shape == SOR_ROUND) {
        group[SOR_LANES * SOR_ARM_A] = contact.arm_a[0];
        group[SOR_LANES * SOR_ROUND_ARM_B] = contact.arm_b[0];
    }
}

// Allocate u, and pack the masses of rigid bodies for the lanes.
static CairnStatus prepare_blocks(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    system->is_round = CAIRN_PUSH(arena, bool, problem->block_count + 1);
    if (!system->is_round) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d blocks", system->settings.name,
                           problem->block_count);
    }
    system->zero_body = system->u_size;
    system->u_size += SOR_BODY;
    system->u = CAIRN_PUSH_ZERO(arena, double, system->u_size);
    if (!system->u) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d dofs", system->settings.name, problem->dof_count);
    }
    for (int i = 0; i < problem->block_count; i++) {
        const double *f = rigid_factor(system, i);
        system->is_round[i] = f && is_round_factor(f);
        if (f) {
            memcpy(system->u + system->block_at[i] + 6, f, 2 * sizeof *f);
        }
    }
    return cairn_ok();
}

// Pack the inertias, which only contacts that are not round read.
static CairnStatus pack_inertias(SorSystem *system, CairnArena *arena) {
    if (system->general_count == 0) {
        return cairn_ok();
    }
    system->inertia =
        CAIRN_PUSH_ZERO(arena, double, (size_t)SOR_INERTIA *(size_t)(system->zero_body / SOR_BODY + 1) + 8);
    if (!system->inertia) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d blocks", system->settings.name,
                           system->problem->block_count);
    }
    for (int i = 0; i < system->problem->block_count; i++) {
        const double *f = rigid_factor(system, i);
        if (f) {
            memcpy(system->inertia + (ptrdiff_t)SOR_INERTIA * (system->block_at[i] / SOR_BODY), f + 2,
                   SOR_INERTIA * sizeof *f);
        }
    }
    return cairn_ok();
}

static void classify_span(void *context, int first, int end) {
    const SorSystem *system = context;
    for (int c = first; c < end; c++) {
        SorContact contact;
        cairn_sor_read_contact(system, c, &contact);
        bool is_joint = contact.shape == SOR_ITEM && cairn_sor_is_joint(system, &system->problem->constraints[c]);
        system->shape[c] = (unsigned char)(is_joint ? SOR_JOINT : contact.shape);
    }
}

static CairnStatus classify(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    int count = problem->constraint_count;
    system->shape = CAIRN_PUSH(arena, unsigned char, count + 1);
    if (!system->shape) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d constraints", system->settings.name, count);
    }
    system->law = CAIRN_FRICTION_CONE;
    for (int f = problem->friction_count - 1; f >= 0; f--) {
        CairnFrictionKind kind = problem->frictions[f].kind;
        system->law = kind == CAIRN_FRICTION_COULOMB || kind == CAIRN_FRICTION_CONE ? kind : system->law;
    }
    cairn_spans_run(system->settings.threads, count, 512, classify_span, system);
    return cairn_ok();
}

enum { FEW = 64 }; // groups: not worth waking a thread for

// Whether a group and the next one have a body in common.
static bool has_overlap(const SorSystem *system, int group, bool is_round) {
    const int *a = cairn_sor_bodies(cairn_sor_group(system, group, is_round), is_round);
    const int *b = cairn_sor_bodies(cairn_sor_group(system, group + 1, is_round), is_round);
    int any = 0;
    for (int i = 0; i < 2 * SOR_LANES; i++) {
        for (int j = 0; j < 2 * SOR_LANES; j++) {
            any |= (a[i] == b[j]) & (b[j] != system->zero_body);
        }
    }
    return any != 0;
}

static void find_overlaps(void *context, int first, int end) {
    const SorSystem *system = context;
    int round = system->round_count;
    for (int i = first; i < end; i++) {
        if (i + 1 < round) {
            system->round_overlaps[i] = has_overlap(system, i, true);
        } else if (i >= round) {
            system->general_overlaps[i - round] = has_overlap(system, i - round, false);
        }
    }
}

static void clear_groups(void *context, int first, int end) {
    const SorSystem *system = context;
    for (int i = first; i < end; i++) {
        bool is_round = i < system->round_count;
        clear_group(system, is_round ? i : i - system->round_count, is_round);
    }
}

static void pack_contacts(void *context, int first, int end) {
    const SorSystem *system = context;
    for (int i = first; i < end; i++) {
        if (is_contact(system, system->sequence[i])) {
            pack_lane(system, system->sequence[i]);
        }
    }
}

static CairnStatus pack_lanes(SorSystem *system, CairnArena *arena) {
    const CairnProblem *problem = system->problem;
    size_t round = (size_t)system->round_count * (size_t)cairn_sor_rows(system, true) * SOR_LANES;
    size_t general = (size_t)system->general_count * (size_t)cairn_sor_rows(system, false) * SOR_LANES;
    double *data = CAIRN_PUSH(arena, double, round + general + 1);
    system->round_overlaps = CAIRN_PUSH(arena, bool, system->round_count + system->general_count + 1);
    if (!data || !system->round_overlaps) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d contacts", system->settings.name,
                           problem->friction_count);
    }
    system->round = data;
    system->general = data + round;
    system->general_overlaps = system->round_overlaps + system->round_count;
    int groups = system->round_count + system->general_count;
    int threads = groups > FEW ? system->settings.threads : 1;
    cairn_spans_run(threads, groups, FEW, clear_groups, system);
    cairn_spans_run(threads, problem->constraint_count, FEW, pack_contacts, system);
    cairn_spans_run(system->settings.threads, groups - 1, FEW, find_overlaps, system);
    return cairn_ok();
}

CairnStatus cairn_sor_pack(SorSystem *system, const CairnProblem *problem, const SorSettings *settings, double *lambda,
                           CairnArena *arena) {
    *system = (SorSystem){.problem = problem, .settings = *settings, .lambda = lambda, .lambda_read = lambda};
    CAIRN_TRY(cairn_ops_init(&system->ops, problem, arena));
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        CAIRN_TRY(cairn_sor_order(system, arena));
        CAIRN_TRY(prepare_blocks(system, arena));
        CAIRN_TRY(classify(system, arena));
        CAIRN_TRY(cairn_sor_fill(system, arena));
        CAIRN_TRY(pack_inertias(system, arena));
        CAIRN_TRY(find_common_law(system, arena));
        CAIRN_TRY(pack_lanes(system, arena));
        CAIRN_TRY(cairn_sor_pack_joints(system, arena));
    }
    CAIRN_TRY(cairn_sor_pack_items(system, arena));
    system->u_read = system->u;
    if (settings->is_jacobi) {
        double *u = CAIRN_PUSH_ZERO(arena, double, system->u_size + 1);
        double *read = CAIRN_PUSH(arena, double, problem->row_count + 1);
        if (!u || !read) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d dofs", settings->name, problem->dof_count);
        }
        system->u_read = u;
        system->lambda_read = problem->form == CAIRN_FORM_EXPLICIT ? read : lambda;
    }
    return cairn_ok();
}
