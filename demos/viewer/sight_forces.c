// What acts between the bodies: contacts, joints, the residual of each constraint, and the islands that all of them
// tie.
#include "demos/viewer/sight.h"
#include "engine/base/memory.h"
#include "solvers/referee/referee.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Acting {
    CairnSightMaker *maker;
    CairnSight *sight;
    const CairnWorld *world;
    CairnProblem problem; // of the last step, where has_problem
    const double *lambda;
    bool has_problem;
    double dt;
    int constraint;    // where the next contact's is looked for first
    double *residuals; // of each row; NULL: not wanted
} Acting;

static CairnStatus map_bodies(Acting *acting) {
    CairnSightMaker *maker = acting->maker;
    CairnSight *sight = acting->sight;
    uint32_t most = 0;
    for (int i = 0; i < sight->body_count; i++) {
        most = sight->bodies[i].id.index > most ? sight->bodies[i].id.index : most;
    }
    CAIRN_TRY(
        cairn_sight_reserve(&maker->body_index, &maker->index_capacity, (int)most + 1, sizeof *maker->body_index));
    for (int i = 0; i < maker->index_capacity; i++) {
        maker->body_index[i] = -1;
    }
    for (int i = 0; i < sight->body_count; i++) {
        maker->body_index[sight->bodies[i].id.index] = i;
    }
    return cairn_ok();
}

static int index_of(const Acting *acting, uint32_t index) {
    return (int)index < acting->maker->index_capacity ? acting->maker->body_index[index] : -1;
}

static bool is_between_parts(const CairnSight *sight, const int bodies[2]) {
    if (bodies[0] < 0 || bodies[1] < 0 || sight->stats.parts < 2) {
        return false;
    }
    int a = sight->bodies[bodies[0]].part, b = sight->bodies[bodies[1]].part;
    return a >= 0 && b >= 0 && a != b;
}

// ---- islands: bodies that contacts which push, and joints, tie together ----

static int root_of(CairnSight *sight, int body) {
    while (sight->bodies[body].island != body) {
        sight->bodies[body].island = sight->bodies[sight->bodies[body].island].island; // halves the path to the root
        body = sight->bodies[body].island;
    }
    return body;
}

static void tie(CairnSight *sight, const int bodies[2]) {
    if (bodies[0] < 0 || bodies[1] < 0 || sight->bodies[bodies[0]].is_static || sight->bodies[bodies[1]].is_static) {
        return;
    }
    int a = root_of(sight, bodies[0]), b = root_of(sight, bodies[1]);
    sight->bodies[a > b ? a : b].island = a > b ? b : a;
}

// Numbers from 0 in the order of their first bodies.
static void number_islands(CairnSight *sight) {
    sight->island_count = 0;
    for (int i = 0; i < sight->body_count; i++) {
        sight->bodies[i].island = sight->bodies[i].is_static ? -1 : root_of(sight, i);
    }
    for (int i = 0; i < sight->body_count; i++) {
        CairnSightBody *body = &sight->bodies[i];
        if (body->island == i) {
            body->island = sight->island_count++;
        } else if (body->island >= 0) {
            body->island = sight->bodies[body->island].island; // a lower index, numbered already
        }
    }
}

// ---- contacts ----

static const CairnConstraintBlock *find_constraint(Acting *acting, uint64_t id) {
    int count = acting->has_problem ? acting->problem.constraint_count : 0;
    for (int i = 0; i < count; i++) { // nearly always the next one
        int at = (acting->constraint + i) % count;
        if (acting->problem.constraints[at].id == id && acting->problem.constraints[at].friction >= 0) {
            acting->constraint = at + 1;
            return &acting->problem.constraints[at];
        }
    }
    return NULL;
}

static CairnGrip grip_of(const Acting *acting, const CairnFriction *friction) {
    const double *r = acting->lambda + friction->normal;
    if (!(r[0] > 0)) {
        return CAIRN_GRIP_OPEN;
    }
    double edge = 1 - 1e-6;
    if (friction->kind == CAIRN_FRICTION_BOX) {
        const double *upper = acting->problem.upper + friction->normal;
        return fabs(r[1]) >= edge * upper[1] || fabs(r[2]) >= edge * upper[2] ? CAIRN_GRIP_SLIP : CAIRN_GRIP_STICK;
    }
    double limit = edge * friction->mu * r[0];
    bool is_box = friction->kind == CAIRN_FRICTION_BOX_CURRENT;
    double tangent = is_box ? fmax(fabs(r[1]), fabs(r[2])) : hypot(r[1], r[2]);
    return tangent >= limit ? CAIRN_GRIP_SLIP : CAIRN_GRIP_STICK;
}

static double worst_of(const Acting *acting, const CairnConstraintBlock *constraint) {
    double worst = 0;
    for (int k = 0; acting->residuals && k < constraint->row_count; k++) {
        worst = fmax(worst, acting->residuals[constraint->first_row + k]);
    }
    return worst;
}

static void take_contact(Acting *acting, const CairnContact *from, CairnSightContact *contact) {
    CairnSight *sight = acting->sight;
    CairnVec3 impulse = cairn_scale(from->impulse.x, from->normal);
    impulse = cairn_add_scaled(impulse, from->impulse.y, from->tangent_1);
    impulse = cairn_add_scaled(impulse, from->impulse.z, from->tangent_2);
    *contact =
        (CairnSightContact){.point = from->point,
                            .normal = from->normal,
                            .force = cairn_scale(1 / acting->dt, impulse),
                            .distance = from->distance,
                            .grip = from->impulse.x > 0 ? CAIRN_GRIP_STICK : CAIRN_GRIP_OPEN,
                            .bodies = {index_of(acting, from->body_a.index), index_of(acting, from->body_b.index)}};
    contact->is_interface = is_between_parts(sight, contact->bodies);
    const CairnConstraintBlock *constraint = find_constraint(acting, from->id);
    if (constraint) {
        const CairnFriction *friction = &acting->problem.frictions[constraint->friction];
        contact->mu = friction->mu;
        contact->grip = grip_of(acting, friction);
        contact->residual = worst_of(acting, constraint);
    }
    if (sight->stats.residual.worst_row >= 0 && from->id == sight->stats.residual.worst_id) {
        sight->worst.is_there = true;
        sight->worst.point = from->point;
        snprintf(sight->worst.words, sizeof sight->worst.words, "contact, bodies %u, %u", from->body_a.index,
                 from->body_b.index);
    }
    if (from->impulse.x > 0) {
        tie(sight, contact->bodies);
    }
}

static CairnStatus take_contacts(Acting *acting) {
    CairnSightMaker *maker = acting->maker;
    CairnSight *sight = acting->sight;
    int count = cairn_world_contacts(acting->world, NULL, 0);
    CAIRN_TRY(cairn_sight_reserve(&maker->contacts, &maker->contact_capacity, count, sizeof *maker->contacts));
    CAIRN_TRY(cairn_sight_reserve(&sight->contacts, &sight->contact_capacity, count, sizeof *sight->contacts));
    cairn_world_contacts(acting->world, maker->contacts, count);
    for (int i = 0; i < count; i++) {
        take_contact(acting, &maker->contacts[i], &sight->contacts[i]);
    }
    sight->contact_count = count;
    return cairn_ok();
}

// ---- joints ----

static void find_worst_joint(Acting *acting, const CairnSightJoint *joint, const CairnJointDef *def) {
    CairnSight *sight = acting->sight;
    int row = sight->stats.residual.worst_row;
    for (int c = 0; !sight->worst.is_there && acting->has_problem && row >= 0 && c < acting->problem.constraint_count;
         c++) {
        const CairnConstraintBlock *constraint = &acting->problem.constraints[c];
        bool is_it = constraint->friction < 0 && row >= constraint->first_row &&
                     row < constraint->first_row + constraint->row_count;
        for (int k = 0; is_it && k < constraint->term_count; k++) { // of the same bodies
            int block = acting->problem.terms[constraint->first_term + k].block;
            uint32_t index = (uint32_t)acting->problem.blocks[block].id + 1;
            is_it = index == def->body_a.index || index == def->body_b.index;
        }
        if (is_it) {
            sight->worst.is_there = true;
            sight->worst.point = joint->point;
            snprintf(sight->worst.words, sizeof sight->worst.words, "%s joint %u, bodies %u, %u",
                     cairn_joint_type_name(joint->type), joint->id.index, def->body_a.index, def->body_b.index);
        }
    }
}

static CairnStatus take_joint(Acting *acting, CairnJointId id) {
    CairnSight *sight = acting->sight;
    CairnJointDef def;
    CairnJointState state;
    CAIRN_TRY(cairn_joint_get_def(acting->world, id, &def));
    CAIRN_TRY(cairn_joint_get(acting->world, id, &state));
    if (cairn_body_is_null(def.body_b)) {
        return cairn_ok(); // a gear stands nowhere
    }
    CairnBodyState body;
    CAIRN_TRY(cairn_body_get(acting->world, def.body_b, &body));
    CairnSightJoint *joint = &sight->joints[sight->joint_count++];
    *joint = (CairnSightJoint){
        .id = id,
        .type = def.type,
        .point = cairn_transform_point((CairnTransform){body.position, body.orientation}, def.frame_b.p),
        .force = state.force,
        .linear_error = state.linear_error,
        .angular_error = state.angular_error,
        .bodies = {index_of(acting, def.body_a.index), index_of(acting, def.body_b.index)}};
    joint->is_interface = is_between_parts(sight, joint->bodies);
    tie(sight, joint->bodies);
    find_worst_joint(acting, joint, &def);
    return cairn_ok();
}

static CairnStatus take_joints(Acting *acting) {
    CairnSight *sight = acting->sight;
    int count = cairn_world_joints(acting->world, NULL, 0);
    CAIRN_TRY(cairn_sight_reserve(&sight->joints, &sight->joint_capacity, count, sizeof *sight->joints));
    CairnJointId *ids = calloc((size_t)count + 1, sizeof *ids);
    if (!ids) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d joints", count);
    }
    cairn_world_joints(acting->world, ids, count);
    CairnStatus status = cairn_ok();
    for (int i = 0; i < count && cairn_is_ok(status); i++) {
        status = take_joint(acting, ids[i]);
    }
    free(ids);
    return status;
}

// ---- residuals, of each row as the referee scales them ----

static void judge_rows(const Acting *acting, const Referee *referee) {
    const CairnProblem *problem = &acting->problem;
    for (int r = 0; r < problem->row_count; r++) {
        double D = referee->D[r], x = referee->lambda[r];
        double low = D * (x - problem->upper[r]), high = D * (x - problem->lower[r]), w = referee->w[r];
        acting->residuals[r] = fabs(cairn_clamp(w, low, high));
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        if (friction->kind == CAIRN_FRICTION_BOX) {
            continue;
        }
        if (friction->kind == CAIRN_FRICTION_BOX_CURRENT) {
            for (int k = 1; k < 3; k++) { // bounds made from the present normal impulse
                int r = friction->normal + k;
                double limit = friction->mu * fmax(referee->lambda[friction->normal], 0), x = referee->lambda[r];
                double low = referee->D[r] * (x - limit), high = referee->D[r] * (x + limit), w = referee->w[r];
                acting->residuals[r] = fabs(cairn_clamp(w, low, high));
            }
            continue;
        }
        double map[3] = {0, 0, 0};
        bool is_corrected = friction->kind == CAIRN_FRICTION_COULOMB;
        cairn_referee_cone_map(referee, f, is_corrected, referee->norm[f], map);
        for (int k = 0; k < 3; k++) {
            acting->residuals[friction->normal + k] = fabs(map[k]);
        }
    }
}

static void spread_residuals(const Acting *acting) {
    const CairnProblem *problem = &acting->problem;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        float worst = (float)worst_of(acting, constraint);
        for (int k = 0; k < constraint->term_count; k++) {
            uint64_t id = problem->blocks[problem->terms[constraint->first_term + k].block].id;
            int body = index_of(acting, (uint32_t)id + 1); // ids of the world count from 1, its blocks from 0
            if (body >= 0 && worst > acting->sight->bodies[body].residual) {
                acting->sight->bodies[body].residual = worst;
            }
        }
    }
}

static CairnStatus take_residuals(Acting *acting, CairnArena *arena) {
    acting->residuals = CAIRN_PUSH_ZERO(arena, double, acting->problem.row_count + 1);
    Referee referee = {.problem = &acting->problem, .lambda = acting->lambda};
    if (!acting->residuals) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d rows", acting->problem.row_count);
    }
    CAIRN_TRY(cairn_referee_evaluate(&referee, arena));
    judge_rows(acting, &referee);
    spread_residuals(acting);
    return cairn_ok();
}

// ---- the body that is looked at ----

static void take_details(const Acting *acting) {
    CairnSight *sight = acting->sight;
    const CairnSightWants *wants = &acting->maker->wants;
    CairnSightDetails *details = &sight->details;
    *details = (CairnSightDetails){.is_there = false};
    CairnBodyId id = cairn_grab_body(acting->world, wants->body, wants->generation);
    if (wants->body == 0 || !cairn_is_ok(cairn_body_get(acting->world, id, &details->state))) {
        return;
    }
    CairnShapeId shape;
    CairnShapeDef def;
    details->is_there = true;
    details->id = id;
    details->shape = "no shape";
    details->shape_count = cairn_body_shapes(acting->world, id, &shape, 1);
    if (details->shape_count > 0 && cairn_is_ok(cairn_shape_get(acting->world, shape, &def, NULL))) {
        details->shape = cairn_shape_type_name(def.type);
    }
    details->joint_count = cairn_body_joints(acting->world, id, NULL, 0);
    int body = index_of(acting, id.index);
    for (int i = 0; i < sight->contact_count; i++) {
        const CairnSightContact *contact = &sight->contacts[i];
        bool is_second = contact->bodies[1] == body;
        if (body >= 0 && (is_second || contact->bodies[0] == body)) {
            details->contact_count++;
            details->contact_force = cairn_add_scaled(details->contact_force, is_second ? 1 : -1, contact->force);
        }
    }
}

static CairnStatus take_all(Acting *acting, CairnArena *arena) {
    const CairnSightWants *wants = &acting->maker->wants;
    CairnSight *sight = acting->sight;
    CAIRN_TRY(map_bodies(acting));
    if (wants->residuals && acting->has_problem) {
        CAIRN_TRY(take_residuals(acting, arena));
    }
    CAIRN_TRY(take_contacts(acting));
    bool is_missed = sight->stats.step_index > 0 && !sight->stats.residual.is_certified && !sight->worst.is_there;
    if (wants->joints || wants->body || is_missed) {
        CAIRN_TRY(take_joints(acting));
    }
    number_islands(sight);
    take_details(acting);
    return cairn_ok();
}

CairnStatus cairn_sight_take_forces(CairnSightMaker *maker, const CairnWorld *world, double dt, CairnSight *sight) {
    sight->contact_count = sight->joint_count = 0;
    sight->worst.is_there = false;
    for (int i = 0; i < sight->body_count; i++) {
        sight->bodies[i].island = i;
        sight->bodies[i].residual = 0;
    }
    Acting acting = {.maker = maker, .sight = sight, .world = world, .dt = dt};
    acting.has_problem = cairn_is_ok(cairn_world_problem(world, &acting.problem, &acting.lambda));
    CairnArena arena;
    CairnAllocator allocator = cairn_memory_default();
    cairn_arena_init(&arena, &allocator);
    CairnStatus status = take_all(&acting, &arena);
    cairn_arena_free(&arena);
    return status;
}
