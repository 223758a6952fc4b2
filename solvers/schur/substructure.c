// Substructure: a problem over the parts of a partition, and the exchange between subsystems and interface.
#include "solvers/schur/substructure.h"

#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/problem/accept.h"
#include "solvers/schur/substructure_cut.h"
#include "solvers/system/formulation.h"

typedef struct CairnSubstructureMemory {
    int count;
    void **kept;      // of the interface, then of the subsystems: the memory of their formulations between solves
    void *whole;      // of the whole's formulation
    CairnArena arena; // the interface's
} Memory;

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
    if (memory->whole != NULL) {
        cairn_system_forget(memory->whole, allocator);
    }
    if (memory->count > 0) {
        cairn_memory_release(allocator, memory->kept, (size_t)memory->count, sizeof *memory->kept);
    }
    memory->arena.allocator = allocator;
    cairn_arena_free(&memory->arena);
    cairn_memory_release(allocator, memory, 1, sizeof *memory);
}

void cairn_substructure_release(CairnSubstructure *sub) {
    if (sub->local_arena.allocator != NULL) {
        cairn_arena_free(&sub->local_arena);
    }
}

// ---- making it -----------------------------------------------------------------------------------------------------------

static CairnStatus check_parts(const char *name, const CairnProblem *problem, const CairnParts *parts) {
    for (int b = 0; b < problem->block_count; b++) {
        if (parts->part[b] < 0 || parts->part[b] >= parts->count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: part[%d] = %d is outside [0, %d)", name, b, parts->part[b],
                               parts->count);
        }
    }
    return cairn_ok();
}

// Those given, or all in one.
static CairnStatus take_parts(CairnSubstructure *sub, const char *name, const CairnParts *parts) {
    if (parts != NULL && parts->count > 0) {
        sub->parts = *parts;
        return check_parts(name, sub->problem, parts);
    }
    sub->parts = (CairnParts){1, CAIRN_PUSH_ZERO(sub->context->arena, int, sub->problem->block_count + 1)};
    return sub->parts.part != NULL ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for a part", name);
}

static CairnStatus refuse_factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    (void)state;
    (void)theta;
    (void)blocks;
    return cairn_error(CAIRN_UNSUPPORTED, "substructure: the whole has no factor");
}

static const CairnSystemKind without_factor = {.name = "none", .factor = refuse_factor};

static CairnStatus make_whole(CairnSubstructure *sub, const char *name, const double *lambda) {
    CairnExactSetup setup = {.name = name};
    if (sub->options.has_factor) {
        CAIRN_TRY(cairn_substructure_stages(sub, &setup.system.stage));
    } else {
        setup.system.kind = &without_factor;
    }
    return cairn_exact_init(sub->whole, sub->problem, &setup, &sub->whole_context, lambda);
}

CairnStatus cairn_substructure_init(CairnSubstructure *sub, const char *name, const CairnProblem *problem,
                                    const CairnParts *parts, const CairnSubstructureOptions *options,
                                    CairnSolverContext *context, CairnExact *whole, const double *lambda) {
    *sub = (CairnSubstructure){
        .problem = problem, .context = context, .whole = whole, .options = *options, .whole_context = *context};
    if (problem->form != CAIRN_FORM_DYNAMICS) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s does not take an explicit problem: it has no bodies to part", name);
    }
    CAIRN_TRY(cairn_solver_check(problem, context)); // before the parts are read, which index the problem
    sub->whole_context.checked = problem;
    CAIRN_TRY(take_parts(sub, name, parts));
    cairn_arena_init(&sub->local_arena, context->allocator);
    sub->room = cairn_arena_allocator(context->arena);
    sub->count = sub->parts.count;
    Memory *memory = recall(context, sub->count);
    sub->memory = memory;
    sub->whole_context.memory = memory != NULL ? &memory->whole : NULL;
    return make_whole(sub, name, lambda);
}

CairnStatus cairn_substructure_cut(CairnSubstructure *sub) {
    CairnArena *arena = sub->context->arena;
    Memory *memory = sub->memory;
    CairnCut cut = {.part = sub->parts.part};
    sub->interface = (CairnInterface){.context = *sub->context};
    sub->interface.context.arena = memory != NULL ? &memory->arena : &sub->local_arena;
    sub->interface.context.memory = NULL;
    sub->interface.context.trace = NULL; // coupling iterations are traced, not the iterations inside them
    sub->subsystems = CAIRN_PUSH_ZERO(arena, CairnSubsystem, sub->count + 1);
    if (sub->subsystems == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for %d parts", sub->count);
    }
    CAIRN_TRY(cairn_cut_make(sub, &cut));
    int *gamma = cut.gamma_of;
    for (int i = 0; i < sub->count; i++) {
        CAIRN_TRY(cairn_subsystem_make(sub, &cut, i, &gamma, memory != NULL ? &memory->kept[i + 1] : NULL));
    }
    CAIRN_TRY((sub->options.is_alone ? cairn_alone_make
                                     : cairn_interface_make)(sub, &cut, memory != NULL ? &memory->kept[0] : NULL));
    sub->is_cut = true;
    return cairn_ok();
}

// ---- to and fro ----------------------------------------------------------------------------------------------------------

CairnStatus cairn_substructure_each(CairnSubstructure *sub, CairnSubsystemWork work, void *user) {
    enum { WORTHWHILE = 300 }; // rows: below, waking a thread costs more than it does
    double *seconds = sub->context->part_seconds;
#pragma omp parallel for num_threads(                                                                                  \
    sub->context->thread_count) if (sub->context->thread_count > 1 && sub->count > 1 &&                                \
                                    sub->problem->row_count >= WORTHWHILE) schedule(dynamic, 1)
    for (int i = 0; i < sub->count; i++) {
        double t0 = cairn_timer_now();
        sub->subsystems[i].status = work(&sub->subsystems[i], user);
        if (seconds != NULL && i < sub->parts.count) { // the one more is the interface's
            seconds[i] += cairn_timer_now() - t0;
        }
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
            exact->set[k] = whole->set[inner->rows[k]];
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
            sub->whole->set[inner->rows[k]] = exact->set[k];
        }
    }
}

double cairn_substructure_raised(const CairnSubstructure *sub) {
    double raised = sub->interface.exact.system.raised;
    for (int i = 0; i < sub->count && sub->is_cut; i++) {
        double value = sub->subsystems[i].exact.system.raised;
        raised = value > raised ? value : raised;
    }
    return raised;
}

// Factorizations of the cut that is open, and of those the ones after the first of each subsystem.
static int factorizations_of_cut(const CairnSubstructure *sub, int *refactored) {
    int count = sub->is_cut ? sub->interface.factorizations + sub->interface.exact.system.factorizations : 0;
    *refactored = 0;
    for (int i = 0; i < sub->count && sub->is_cut; i++) {
        int value = sub->subsystems[i].exact.system.factorizations;
        count += value;
        *refactored += value > 1 ? value - 1 : 0;
    }
    return count;
}

int cairn_substructure_factorizations(const CairnSubstructure *sub) {
    int refactored;
    return sub->whole->system.factorizations + sub->factorizations + factorizations_of_cut(sub, &refactored);
}

int cairn_substructure_refactored(const CairnSubstructure *sub) {
    int made, units = cairn_body_space_units(&sub->whole->system, &made), refactored;
    factorizations_of_cut(sub, &refactored);
    return (made > units ? made - units : 0) + sub->refactored + refactored;
}

void cairn_substructure_close_cut(CairnSubstructure *sub) {
    int refactored;
    sub->factorizations += factorizations_of_cut(sub, &refactored);
    sub->refactored += refactored;
    sub->is_cut = false;
}
