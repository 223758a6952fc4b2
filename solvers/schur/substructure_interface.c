// The interface as a problem of form 1 over the roots of the subsystems' effective masses.
#include "solvers/schur/substructure_cut.h"

static int chunks_of(int reach) {
    return (reach + CAIRN_INTERFACE_CHUNK - 1) / CAIRN_INTERFACE_CHUNK;
}

static int chunk_size(int reach, int chunk) {
    return reach - chunk * CAIRN_INTERFACE_CHUNK < CAIRN_INTERFACE_CHUNK ? reach - chunk * CAIRN_INTERFACE_CHUNK
                                                                         : CAIRN_INTERFACE_CHUNK;
}

typedef struct Frame {
    CairnDofBlock *blocks;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    int *first; // subsystem -> its first chunk
    double *P, *compliance, *lower, *upper;
} Frame;

static CairnStatus take_frame(CairnSubstructure *sub, const CairnCut *cut, Frame *frame) {
    CairnArena *arena = sub->context->arena;
    CairnInterface *g = &sub->interface;
    CairnProblem *problem = &g->problem;
    size_t offset = 0;
    for (int i = 0; i < sub->count; i++) {
        const CairnSubsystem *s = &sub->subsystems[i];
        offset += (size_t)s->edge.problem.row_count * (size_t)s->reach;
        problem->block_count += chunks_of(s->reach);
        problem->dof_count += s->reach;
        problem->term_count += s->edge.problem.constraint_count * chunks_of(s->reach);
    }
    problem->constraint_count = cut->gamma_count;
    problem->row_count = g->row_count;
    frame->blocks = CAIRN_PUSH_ZERO(arena, CairnDofBlock, problem->block_count + 1);
    frame->constraints = CAIRN_PUSH_ZERO(arena, CairnConstraintBlock, problem->constraint_count + 1);
    frame->terms = CAIRN_PUSH_ZERO(arena, CairnTerm, problem->term_count + 1);
    frame->first = CAIRN_PUSH_ZERO(arena, int, sub->count + 1);
    frame->P = CAIRN_PUSH_ZERO(arena, double, CAIRN_INTERFACE_CHUNK *CAIRN_INTERFACE_CHUNK *CAIRN_INTERFACE_CHUNK);
    frame->compliance = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    frame->lower = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    frame->upper = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    g->J = CAIRN_PUSH_ZERO(arena, double, offset + 1);
    g->right_side = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    g->p = CAIRN_PUSH_ZERO(arena, double, problem->dof_count + 1);
    g->lambda = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    g->w = CAIRN_PUSH_ZERO(arena, double, g->row_count + 1);
    if (!frame->blocks || !frame->constraints || !frame->terms || !frame->first || !frame->P || !frame->compliance ||
        !frame->lower || !frame->upper || !g->J || !g->right_side || !g->p || !g->lambda || !g->w) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for an interface of %d rows", g->row_count);
    }
    return cairn_ok();
}

// P = 1: the unit matrix of each size once.
static void number_blocks(CairnSubstructure *sub, Frame *frame) {
    int block = 0, dof = 0;
    for (int n = 1; n <= CAIRN_INTERFACE_CHUNK; n++) {
        for (int k = 0; k < n; k++) {
            frame->P[(n - 1) * CAIRN_INTERFACE_CHUNK * CAIRN_INTERFACE_CHUNK + k * (n + 1)] = 1;
        }
    }
    for (int i = 0; i < sub->count; i++) {
        frame->first[i] = block;
        for (int q = 0; q < chunks_of(sub->subsystems[i].reach); q++) {
            int size = chunk_size(sub->subsystems[i].reach, q);
            frame->blocks[block++] =
                (CairnDofBlock){.first = dof,
                                .size = size,
                                .matrix = (size - 1) * CAIRN_INTERFACE_CHUNK * CAIRN_INTERFACE_CHUNK,
                                .group = -1,
                                .mass = 1};
            dof += size;
        }
    }
}

static void number_terms(CairnSubstructure *sub, const CairnCut *cut, Frame *frame) {
    const CairnProblem *whole = sub->problem;
    size_t offset = 0;
    int next = 0;
    for (int i = 0; i < sub->count; i++) { // how many terms each constraint has
        const int *edge = cut->edge + cut->edge_start[i];
        for (int e = 0; e < sub->subsystems[i].edge.problem.constraint_count; e++) {
            frame->constraints[cut->crossing[edge[e]]].term_count += chunks_of(sub->subsystems[i].reach);
        }
    }
    for (int c = 0, row = 0; c < whole->constraint_count; c++) {
        if (cut->crossing[c] >= 0) {
            CairnConstraintBlock *to = &frame->constraints[cut->crossing[c]];
            int terms = to->term_count;
            *to = (CairnConstraintBlock){.first_row = row,
                                         .row_count = whole->constraints[c].row_count,
                                         .first_term = next,
                                         .friction = -1,
                                         .id = whole->constraints[c].id};
            next += terms; // counted again while they are written
            row += to->row_count;
        }
    }
    for (int i = 0; i < sub->count; i++) {
        CairnSubsystem *s = &sub->subsystems[i];
        s->edge_J = sub->interface.J + offset;
        for (int e = 0; e < s->edge.problem.constraint_count; e++) {
            CairnConstraintBlock *to = &frame->constraints[cut->crossing[cut->edge[cut->edge_start[i] + e]]];
            for (int q = 0; q < chunks_of(s->reach); q++) {
                frame->terms[to->first_term + to->term_count++] = (CairnTerm){frame->first[i] + q, (int)offset};
                offset += (size_t)to->row_count * (size_t)chunk_size(s->reach, q);
            }
        }
    }
}

CairnStatus cairn_interface_make(CairnSubstructure *sub, const CairnCut *cut, void **kept) {
    CairnInterface *g = &sub->interface;
    Frame frame = {0};
    g->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS, .step = sub->problem->step};
    g->formulation = sub->options.interface;
    CAIRN_TRY(take_frame(sub, cut, &frame));
    number_blocks(sub, &frame);
    number_terms(sub, cut, &frame);
    for (int i = 0; i < g->row_count; i++) {
        frame.compliance[i] = sub->problem->compliance[g->rows[i]];
        frame.lower[i] = sub->problem->lower[g->rows[i]];
        frame.upper[i] = sub->problem->upper[g->rows[i]];
    }
    g->problem.blocks = frame.blocks;
    g->problem.constraints = frame.constraints;
    g->problem.terms = frame.terms;
    g->problem.P = frame.P;
    g->problem.p = g->p;
    g->problem.J = g->J;
    g->problem.compliance = frame.compliance;
    g->problem.right_side = g->right_side;
    g->problem.position_error = g->p;
    g->problem.lower = frame.lower;
    g->problem.upper = frame.upper;
    g->context.memory = kept;
    return cairn_ok();
}
