// Substructure: from parts to subsystems and their interface, and what goes to and fro between them.
#include "solvers/substructure.h"

#include <string.h>

#include "engine/base/memory.h"

typedef struct Memory {
    int count;
    void **kept;      // of the interface, then of the subsystems: what their formulations keep
    CairnArena arena; // the interface's
} Memory;

// What is counted before anything is taken.
typedef struct Cut {
    const int *part;   // block -> part
    int *index;        // block -> its place in the part
    int *blocks;       // by parts
    int *block_start;  // part -> where its blocks begin
    int *inner, *edge; // constraints by parts
    int *inner_start, *edge_start;
    int *crossing;  // constraint -> its number in the interface, -1: internal
    int *gamma_row; // row -> its number in the interface
    int gamma_count;
    int *gamma_of; // rows of the edges, part by part: numbers in the interface
} Cut;

// ---- memory --------------------------------------------------------------------------------------------------------------

static void *push(void *user, size_t size) {
    return cairn_arena_push(user, size, 1);
}

static void *refuse(void *user, size_t size) {
    (void)user;
    (void)size;
    return NULL;
}

static void leave(void *user, void *memory, size_t size) {
    (void)user;
    (void)memory;
    (void)size;
}

static const CairnAllocator nothing = {refuse, leave, NULL};

static Memory *recall(CairnSolverContext *context, int count) {
    if (context->memory == NULL) {
        return NULL;
    }
    Memory *memory = *context->memory;
    if (memory == NULL) {
        memory = cairn_memory_allocate_zero(context->allocator, 1, sizeof *memory);
        if (memory == NULL) {
            return NULL;
        }
        cairn_arena_init(&memory->arena, context->allocator);
        *context->memory = memory;
    }
    memory->arena.allocator = context->allocator;
    if (memory->count < count + 1) {
        int room = 2 * (count + 1);
        void **kept = cairn_memory_allocate_zero(context->allocator, (size_t)room, sizeof *kept);
        if (kept == NULL) {
            return NULL;
        }
        if (memory->count > 0) {
            memcpy(kept, memory->kept, (size_t)memory->count * sizeof *kept);
            cairn_memory_release(context->allocator, memory->kept, (size_t)memory->count, sizeof *kept);
        }
        memory->kept = kept;
        memory->count = room;
    }
    return memory;
}

void cairn_substructure_forget(void *kept, const CairnAllocator *allocator) {
    Memory *memory = kept;
    for (int i = 0; i < memory->count; i++) {
        if (memory->kept[i] != NULL) {
            cairn_system_forget(memory->kept[i], allocator);
        }
    }
    if (memory->count > 0) {
        cairn_memory_release(allocator, memory->kept, (size_t)memory->count, sizeof *memory->kept);
    }
    memory->arena.allocator = allocator;
    cairn_arena_free(&memory->arena);
    cairn_memory_release(allocator, memory, 1, sizeof *memory);
}

void cairn_substructure_release(CairnSubstructure *sub) {
    if (sub->own.allocator != NULL) {
        cairn_arena_free(&sub->own);
    }
}

// ---- the cut -------------------------------------------------------------------------------------------------------------

static CairnStatus check_parts(const char *name, const CairnProblem *problem, const CairnParts *parts) {
    for (int b = 0; b < problem->block_count; b++) {
        if (parts->part[b] < 0 || parts->part[b] >= parts->count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: part[%d] = %d is outside [0, %d)", name, b, parts->part[b],
                               parts->count);
        }
    }
    return cairn_ok();
}

static CairnStatus take_one_part(const CairnProblem *problem, CairnArena *arena, CairnParts *parts) {
    const int *part = CAIRN_PUSH_ZERO(arena, int, problem->block_count + 1);
    *parts = (CairnParts){1, part};
    return part != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for a part");
}

static bool take_cut(Cut *cut, const CairnProblem *problem, int parts, CairnArena *arena) {
    int terms = 0, rows = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        terms += problem->constraints[c].term_count;
        rows += problem->constraints[c].term_count * problem->constraints[c].row_count;
    }
    cut->index = CAIRN_PUSH(arena, int, problem->block_count + 1);
    cut->blocks = CAIRN_PUSH(arena, int, problem->block_count + 1);
    cut->block_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->inner = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    cut->inner_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->edge = CAIRN_PUSH(arena, int, terms + 1);
    cut->edge_start = CAIRN_PUSH_ZERO(arena, int, parts + 2);
    cut->crossing = CAIRN_PUSH(arena, int, problem->constraint_count + 1);
    cut->gamma_row = CAIRN_PUSH(arena, int, problem->row_count + 1);
    cut->gamma_of = CAIRN_PUSH(arena, int, rows + 1);
    return cut->index && cut->blocks && cut->block_start && cut->inner && cut->inner_start && cut->edge &&
           cut->edge_start && cut->crossing && cut->gamma_row && cut->gamma_of;
}

// Is this the first term of the constraint in its part?
static bool is_first(const Cut *cut, const CairnProblem *problem, const CairnConstraintBlock *constraint, int term) {
    for (int t = constraint->first_term; t < term; t++) {
        if (cut->part[problem->terms[t].block] == cut->part[problem->terms[term].block]) {
            return false;
        }
    }
    return true;
}

static void list_blocks(Cut *cut, const CairnProblem *problem, int parts) {
    for (int b = 0; b < problem->block_count; b++) {
        cut->index[b] = cut->block_start[cut->part[b] + 1]++;
    }
    for (int i = 0; i < parts; i++) {
        cut->block_start[i + 1] += cut->block_start[i];
    }
    for (int b = 0; b < problem->block_count; b++) {
        cut->blocks[cut->block_start[cut->part[b]] + cut->index[b]] = b;
    }
}

// Constraints whose blocks lie in several parts, with their rows; one without any block belongs to the first part.
static void find_interface(Cut *cut, CairnInterface *interface, const CairnProblem *problem, int *rows) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int last = constraint->first_term + constraint->term_count, several = 0;
        for (int t = constraint->first_term; t < last; t++) {
            several += is_first(cut, problem, constraint, t);
        }
        cut->crossing[c] = several > 1 ? cut->gamma_count++ : -1;
        for (int i = 0; i < constraint->row_count && several > 1; i++) {
            cut->gamma_row[constraint->first_row + i] = interface->row_count;
            rows[interface->row_count++] = constraint->first_row + i;
        }
        if (several > 1) {
            for (int t = constraint->first_term; t < last; t++) {
                cut->edge_start[cut->part[problem->terms[t].block] + 1] += is_first(cut, problem, constraint, t);
            }
        } else {
            int part = several == 1 ? cut->part[problem->terms[constraint->first_term].block] : 0;
            cut->inner_start[part + 1]++;
        }
    }
    interface->rows = rows;
}

static void list_constraints(Cut *cut, const CairnProblem *problem, int parts, int *inner_next, int *edge_next) {
    for (int i = 0; i < parts; i++) {
        cut->inner_start[i + 1] += cut->inner_start[i];
        cut->edge_start[i + 1] += cut->edge_start[i];
        inner_next[i] = cut->inner_start[i];
        edge_next[i] = cut->edge_start[i];
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        if (cut->crossing[c] < 0) {
            int part = constraint->term_count > 0 ? cut->part[problem->terms[constraint->first_term].block] : 0;
            cut->inner[inner_next[part]++] = c;
            continue;
        }
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            if (is_first(cut, problem, constraint, t)) {
                cut->edge[edge_next[cut->part[problem->terms[t].block]]++] = c;
            }
        }
    }
}

static CairnStatus make_cut(CairnSubstructure *sub, Cut *cut) {
    CairnArena *arena = sub->context->arena;
    const CairnProblem *problem = sub->problem;
    int *rows = CAIRN_PUSH(arena, int, problem->row_count + 1);
    int *inner_next = CAIRN_PUSH(arena, int, sub->count), *edge_next = CAIRN_PUSH(arena, int, sub->count);
    if (!rows || !inner_next || !edge_next || !take_cut(cut, problem, sub->count, arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d parts", sub->count);
    }
    list_blocks(cut, problem, sub->count);
    find_interface(cut, &sub->interface, problem, rows);
    list_constraints(cut, problem, sub->count, inner_next, edge_next);
    return cairn_ok();
}

// ---- subsystems ----------------------------------------------------------------------------------------------------------

static CairnStatus take_pieces(CairnSubsystem *s, const CairnProblem *whole, const Cut *cut, int part, int **gamma,
                               CairnArena *arena) {
    const int *blocks = cut->blocks + cut->block_start[part];
    CairnPieceBlocks own = {cut->part, cut->index, part, cut->block_start[part + 1] - cut->block_start[part], blocks};
    CAIRN_TRY(cairn_piece_init(&s->inner, whole, &own, cut->inner + cut->inner_start[part],
                               cut->inner_start[part + 1] - cut->inner_start[part], arena));
    CAIRN_TRY(cairn_piece_init(&s->edge, whole, &own, cut->edge + cut->edge_start[part],
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
    s->place = CAIRN_PUSH_ZERO(arena, int, inner->block_count + 1);
    int rows = inner->row_count > edge->row_count ? inner->row_count : edge->row_count;
    s->x = CAIRN_PUSH_ZERO(arena, double, rows + 1);
    s->y = CAIRN_PUSH_ZERO(arena, double, rows + 1);
    s->v = CAIRN_PUSH_ZERO(arena, double, inner->dof_count + 1);
    s->t = CAIRN_PUSH_ZERO(arena, double, inner->row_count + 1);
    s->q = CAIRN_PUSH_ZERO(arena, double, inner->dof_count + 1);
    s->before = CAIRN_PUSH_ZERO(arena, unsigned char, inner->row_count + 1);
    if (!s->is_last || !s->place || !s->x || !s->y || !s->v || !s->t || !s->q || !s->before) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d rows", inner->row_count);
    }
    for (int t = 0; t < edge->term_count; t++) {
        s->is_last[edge->terms[t].block] = true;
    }
    for (int b = 0; b < inner->block_count; b++) {
        s->place[b] = s->reach;
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

// A subsystem runs beside others, where nobody may ask the caller's allocator: what pivoting needs is taken here.
static CairnStatus reserve(CairnSubsystem *s, int steps, bool has_interior, const CairnAllocator *room) {
    size_t rows = (size_t)s->inner.problem.row_count + 16;
    cairn_arena_init(&s->arena, room);
    CairnArenaMark mark = cairn_arena_mark(&s->arena);
    if (!cairn_arena_push(&s->arena, 4 * ((size_t)steps + 16) + (has_interior ? 32 * rows : 0), sizeof(uint64_t))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d index sets", steps);
    }
    cairn_arena_release(&s->arena, mark);
    s->arena.allocator = &nothing;
    s->context.arena = &s->arena;
    return cairn_ok();
}

static CairnStatus make_subsystem(CairnSubstructure *sub, const Cut *cut, int part, int **gamma,
                                  const CairnSubstructureOptions *options, void **kept) {
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
    CAIRN_TRY(cairn_exact_init_inner(&s->exact, "subsystem", &s->inner.problem, formulation, s->is_last,
                                     sub->whole->scale, &s->context, s->x));
    return reserve(s, options->steps, options->is_alone, &sub->room);
}

// The interface by itself: its constraints over all bodies that they touch, as one more subsystem.
static CairnStatus make_alone(CairnSubstructure *sub, const Cut *cut, const CairnSubstructureOptions *options,
                              void **kept) {
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
    CAIRN_TRY(cairn_exact_init_inner(&s->exact, "interface", &s->inner.problem, options->interface, NULL,
                                     sub->whole->scale, &s->context, lambda));
    return reserve(s, options->steps, true, &sub->room);
}

// ---- the interface -------------------------------------------------------------------------------------------------------

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

static CairnStatus take_frame(CairnSubstructure *sub, const Cut *cut, Frame *frame) {
    CairnArena *arena = sub->context->arena;
    CairnInterface *g = &sub->interface;
    CairnProblem *problem = &g->problem;
    size_t share = 0;
    for (int i = 0; i < sub->count; i++) {
        const CairnSubsystem *s = &sub->subsystems[i];
        share += (size_t)s->edge.problem.row_count * (size_t)s->reach;
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
    g->J = CAIRN_PUSH_ZERO(arena, double, share + 1);
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

static void number_terms(CairnSubstructure *sub, const Cut *cut, Frame *frame) {
    const CairnProblem *whole = sub->problem;
    size_t share = 0;
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
        s->share = sub->interface.J + share;
        for (int e = 0; e < s->edge.problem.constraint_count; e++) {
            CairnConstraintBlock *to = &frame->constraints[cut->crossing[cut->edge[cut->edge_start[i] + e]]];
            for (int q = 0; q < chunks_of(s->reach); q++) {
                frame->terms[to->first_term + to->term_count++] = (CairnTerm){frame->first[i] + q, (int)share};
                share += (size_t)to->row_count * (size_t)chunk_size(s->reach, q);
            }
        }
    }
}

static CairnStatus make_interface(CairnSubstructure *sub, const Cut *cut, const CairnSubstructureOptions *options,
                                  void **kept) {
    CairnInterface *g = &sub->interface;
    Frame frame = {0};
    g->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS, .step = sub->problem->step};
    g->formulation = options->interface;
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

CairnStatus cairn_substructure_init(CairnSubstructure *sub, const char *name, const CairnProblem *problem,
                                    const CairnParts *parts, const CairnSubstructureOptions *options,
                                    CairnSolverContext *context, CairnExact *whole, const double *lambda) {
    CairnParts all;
    *sub = (CairnSubstructure){.problem = problem, .context = context, .whole = whole};
    if (problem->form != CAIRN_FORM_DYNAMICS) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s does not take an explicit problem: it has no bodies to part", name);
    }
    CAIRN_TRY(cairn_exact_init_made(whole, name, problem, &cairn_system_parts, sub, context, lambda));
    if (parts == NULL || parts->count == 0) {
        CAIRN_TRY(take_one_part(problem, context->arena, &all));
        parts = &all;
    }
    CAIRN_TRY(check_parts(name, problem, parts));
    sub->count = parts->count;
    Memory *memory = recall(context, parts->count);
    cairn_arena_init(&sub->own, context->allocator);
    sub->room = (CairnAllocator){push, leave, context->arena};
    sub->interface.context = *context;
    sub->interface.context.arena = memory != NULL ? &memory->arena : &sub->own;
    sub->interface.context.memory = NULL;
    sub->interface.context.trace = NULL; // coupling iterations are traced, not what is inside them
    sub->subsystems = CAIRN_PUSH_ZERO(context->arena, CairnSubsystem, parts->count + 1);
    Cut cut = {.part = parts->part};
    if (sub->subsystems == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d parts", parts->count);
    }
    CAIRN_TRY(make_cut(sub, &cut));
    int *gamma = cut.gamma_of;
    for (int i = 0; i < sub->count; i++) {
        CAIRN_TRY(make_subsystem(sub, &cut, i, &gamma, options, memory != NULL ? &memory->kept[i + 1] : NULL));
    }
    return (options->is_alone ? make_alone : make_interface)(sub, &cut, options,
                                                             memory != NULL ? &memory->kept[0] : NULL);
}

// ---- to and fro ----------------------------------------------------------------------------------------------------------

CairnStatus cairn_substructure_each(CairnSubstructure *sub, CairnSubsystemWork work, void *user) {
    enum { WORTHWHILE = 300 }; // rows: below, waking a thread costs more than it does
#pragma omp parallel for num_threads(                                                                                  \
    sub->context->thread_count) if (sub->context->thread_count > 1 && sub->count > 1 &&                                \
                                    sub->problem->row_count >= WORTHWHILE) schedule(dynamic, 1)
    for (int i = 0; i < sub->count; i++) {
        sub->subsystems[i].status = work(&sub->subsystems[i], user);
    }
    for (int i = 0; i < sub->count; i++) {
        CAIRN_TRY(sub->subsystems[i].status);
    }
    return cairn_ok();
}

void cairn_substructure_push(CairnSubstructure *sub) {
    for (int i = 0; i < sub->count; i++) {
        CairnSubsystem *s = &sub->subsystems[i];
        cairn_piece_gather(&s->edge, sub->whole->lambda, s->x);
        cairn_piece_restore(&s->inner, sub->problem);
        cairn_ops_add_impulse(&s->edge.problem, s->x, s->inner.p);
    }
}

void cairn_substructure_take(CairnSubstructure *sub) {
    const CairnExact *whole = sub->whole;
    for (int i = 0; i < sub->count; i++) {
        CairnExact *exact = &sub->subsystems[i].exact;
        const CairnPiece *inner = &sub->subsystems[i].inner;
        cairn_piece_gather(inner, whole->lambda, exact->lambda);
        cairn_piece_gather(inner, whole->lower, exact->lower);
        cairn_piece_gather(inner, whole->upper, exact->upper);
        for (int k = 0; k < inner->problem.row_count; k++) {
            exact->place[k] = whole->place[inner->rows[k]];
            exact->is_held[k] = whole->is_held[inner->rows[k]];
        }
    }
    cairn_substructure_push(sub);
}

void cairn_substructure_pull(CairnSubstructure *sub) {
    for (int i = 0; i < sub->count; i++) {
        const CairnExact *exact = &sub->subsystems[i].exact;
        const CairnPiece *inner = &sub->subsystems[i].inner;
        cairn_piece_scatter(inner, exact->lambda, sub->whole->lambda);
        for (int k = 0; k < inner->problem.row_count; k++) {
            sub->whole->place[inner->rows[k]] = exact->place[k];
        }
    }
}

double cairn_substructure_raised(const CairnSubstructure *sub) {
    double raised = sub->interface.exact.system.raised;
    for (int i = 0; i < sub->count; i++) {
        double own = sub->subsystems[i].exact.system.raised;
        raised = own > raised ? own : raised;
    }
    return raised;
}

int cairn_substructure_factorizations(const CairnSubstructure *sub) {
    int count = sub->interface.factorizations + sub->interface.exact.system.factorizations;
    for (int i = 0; i < sub->count; i++) {
        count += sub->subsystems[i].exact.system.factorizations;
    }
    return count;
}
