// Subsystems: the pieces of a cut, with the data for their solves.
#include "solvers/schur/substructure_cut.h"

static void *refuse_allocation(void *user, size_t size) {
    (void)user;
    (void)size;
    return NULL;
}

static void ignore_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)memory;
    (void)size;
}

static const CairnAllocator no_allocator = {refuse_allocation, ignore_release, NULL};

static CairnStatus take_pieces(CairnSubsystem *s, const CairnProblem *whole, const CairnCut *cut, int part, int **gamma,
                               CairnArena *arena) {
    const int *blocks = cut->blocks + cut->block_start[part];
    CairnPieceBlocks blocks_here = {cut->part, cut->index, part, cut->block_start[part + 1] - cut->block_start[part],
                                    blocks};
    CAIRN_TRY(cairn_piece_init(&s->inner, whole, &blocks_here, cut->inner + cut->inner_start[part],
                               cut->inner_start[part + 1] - cut->inner_start[part], arena));
    CAIRN_TRY(cairn_piece_init(&s->edge, whole, &blocks_here, cut->edge + cut->edge_start[part],
                               cut->edge_start[part + 1] - cut->edge_start[part], arena));
    s->gamma = *gamma;
    for (int i = 0; i < s->edge.problem.row_count; i++) {
        *(*gamma)++ = cut->gamma_row[s->edge.rows[i]];
    }
    return cairn_ok();
}

static CairnStatus take_scratch(CairnSubsystem *s, CairnArena *arena) {
    const CairnProblem *inner = &s->inner.problem, *edge = &s->edge.problem;
    s->is_last = CAIRN_PUSH_ZERO(arena, bool, inner->block_count + 1);
    s->reduced_row = CAIRN_PUSH_ZERO(arena, int, inner->block_count + 1);
    int rows = inner->row_count > edge->row_count ? inner->row_count : edge->row_count;
    s->x = CAIRN_PUSH_ZERO(arena, double, rows + 1);
    s->y = CAIRN_PUSH_ZERO(arena, double, rows + 1);
    s->v = CAIRN_PUSH_ZERO(arena, double, inner->dof_count + 1);
    s->t = CAIRN_PUSH_ZERO(arena, double, inner->row_count + 1);
    s->before = CAIRN_PUSH_ZERO(arena, unsigned char, inner->row_count + 1);
    if (!s->is_last || !s->reduced_row || !s->x || !s->y || !s->v || !s->t || !s->before) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d rows", inner->row_count);
    }
    for (int t = 0; t < edge->term_count; t++) {
        s->is_last[edge->terms[t].block] = true;
    }
    for (int b = 0; b < inner->block_count; b++) {
        s->reduced_row[b] = s->reach;
        s->reach += s->is_last[b] ? inner->blocks[b].size : 0;
    }
    size_t square = (size_t)s->reach * (size_t)s->reach;
    s->E = CAIRN_PUSH_ZERO(arena, double, square + 1);
    s->R = CAIRN_PUSH_ZERO(arena, double, square + 1);
    if (!s->E || !s->R) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d dofs at an interface", s->reach);
    }
    return cairn_ok();
}

// Subsystems are solved in parallel, where the caller's allocator must not be called, so the memory for pivoting is
// allocated here.
static CairnStatus reserve(CairnSubsystem *s, int steps, bool has_interior, const CairnAllocator *room) {
    size_t rows = (size_t)s->inner.problem.row_count + 16;
    cairn_arena_init(&s->arena, room);
    CairnArenaMark mark = cairn_arena_mark(&s->arena);
    if (!cairn_arena_push(&s->arena, 4 * ((size_t)steps + 16) + (has_interior ? 32 * rows : 0), sizeof(uint64_t))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d index sets", steps);
    }
    cairn_arena_release(&s->arena, mark);
    s->arena.allocator = &no_allocator;
    s->context.arena = &s->arena;
    return cairn_ok();
}

CairnStatus cairn_subsystem_make(CairnSubstructure *sub, const CairnCut *cut, int part, int **gamma, void **kept) {
    const CairnSubstructureOptions *options = &sub->options;
    CairnArena *arena = sub->context->arena;
    CairnSubsystem *s = &sub->subsystems[part];
    s->reduced_at = -1;
    s->context =
        (CairnSolverContext){.allocator = sub->context->allocator, .thread_count = 1, .arena = arena, .memory = kept};
    CAIRN_TRY(take_pieces(s, sub->problem, cut, part, gamma, arena));
    CAIRN_TRY(take_scratch(s, arena));
    // In body space the interface's effective mass comes with the factor.
    CairnFormulation formulation =
        options->subsystem == CAIRN_FORMULATION_AUTO ? CAIRN_FORMULATION_BODY : options->subsystem;
    CairnExactSetup setup = {
        .name = "subsystem", .system = {.formulation = formulation, .is_last = s->is_last}, .of = sub->whole};
    CAIRN_TRY(cairn_exact_init(&s->exact, &s->inner.problem, &setup, &s->context, s->x));
    return reserve(s, options->steps, options->is_alone, &sub->room);
}

CairnStatus cairn_alone_make(CairnSubstructure *sub, const CairnCut *cut, void **kept) {
    const CairnSubstructureOptions *options = &sub->options;
    const CairnProblem *whole = sub->problem;
    CairnArena *arena = sub->context->arena;
    CairnSubsystem *s = &sub->subsystems[sub->count];
    int *index = CAIRN_PUSH(arena, int, whole->block_count + 1),
        *owner = CAIRN_PUSH_ZERO(arena, int, whole->block_count + 1);
    int *blocks = CAIRN_PUSH(arena, int, whole->block_count + 1), *list = CAIRN_PUSH(arena, int, cut->gamma_count + 1);
    if (!index || !owner || !blocks || !list) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for an interface of %d rows",
                           sub->interface.row_count);
    }
    CairnPieceBlocks touched = {owner, index, 1, 0, blocks};
    for (int c = 0, count = 0; c < whole->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &whole->constraints[c];
        for (int t = 0; t < constraint->term_count && cut->crossing[c] >= 0; t++) {
            owner[whole->terms[constraint->first_term + t].block] = 1;
        }
        if (cut->crossing[c] >= 0) {
            list[count++] = c;
        }
    }
    for (int b = 0; b < whole->block_count; b++) {
        index[b] = owner[b] ? touched.count : -1;
        blocks[touched.count] = b;
        touched.count += owner[b];
    }
    sub->interface.block = index;
    s->context = (CairnSolverContext){.allocator = sub->context->allocator,
                                      .thread_count = sub->context->thread_count,
                                      .arena = arena,
                                      .memory = kept};
    CAIRN_TRY(cairn_piece_init(&s->inner, whole, &touched, list, cut->gamma_count, arena));
    double *lambda = CAIRN_PUSH_ZERO(arena, double, s->inner.problem.row_count + 1);
    if (!lambda) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d rows", s->inner.problem.row_count);
    }
    CairnExactSetup setup = {.name = "interface", .system.formulation = options->interface, .of = sub->whole};
    CAIRN_TRY(cairn_exact_init(&s->exact, &s->inner.problem, &setup, &s->context, lambda));
    return reserve(s, options->steps, true, &sub->room);
}
