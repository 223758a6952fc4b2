// Layout: the header of engine/base/stream.h, then counts, then the arrays in the order of CairnProblem, then the
// velocities of the start where there are any. One visitor counts, writes and reads.
#include <cairn/problem_file.h>

#include <limits.h>
#include <math.h>

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/stream.h"
#include "solvers/problem/stored.h"

static const CairnFormat format = {"problem file", 0x424f52504e524943u, 1}; // "CIRNPROB"

static void visit_int(CairnStream *s, int *value) {
    cairn_stream_int(s, value, INT_MIN, INT_MAX);
}

static void visit_count(CairnStream *s, int *value) {
    cairn_stream_int(s, value, 0, INT_MAX);
}

// ---- arrays ----

// Where the `count` elements of an array go: fresh memory when reading (and then *array, which is set), NULL else. A
// count that the file has no bytes for is refused before anything is allocated.
static void *begin_array(CairnStream *s, int count, size_t bytes_each, size_t element_size) {
    if (s->mode != CAIRN_STREAM_READ || cairn_stream_failed(s)) {
        return NULL;
    }
    if (!cairn_stream_has_elements(s, count, bytes_each)) {
        return NULL;
    }
    void *memory = cairn_arena_push_zero(s->arena, (size_t)count + 1, element_size);
    if (!memory) {
        s->status = cairn_error(CAIRN_OUT_OF_MEMORY, "problem file: no memory for %d elements", count);
    }
    return memory;
}

static void visit_doubles(CairnStream *s, const double **array, int count) {
    double *fresh = begin_array(s, count, 8, sizeof *fresh);
    for (int i = 0; i < count && !cairn_stream_failed(s); i++) {
        double value = fresh ? 0 : (*array)[i];
        cairn_stream_double(s, &value);
        if (fresh) {
            fresh[i] = value;
        }
    }
    *array = fresh ? fresh : *array;
}

static void visit_ints(CairnStream *s, const int **array, int count) {
    int *fresh = begin_array(s, count, 8, sizeof *fresh);
    for (int i = 0; i < count && !cairn_stream_failed(s); i++) {
        int value = fresh ? 0 : (*array)[i];
        visit_int(s, &value);
        if (fresh) {
            fresh[i] = value;
        }
    }
    *array = fresh ? fresh : *array;
}

static void visit_blocks(CairnStream *s, CairnProblem *problem) {
    CairnDofBlock *fresh = begin_array(s, problem->block_count, 48, sizeof *fresh);
    for (int i = 0; i < problem->block_count && !cairn_stream_failed(s); i++) {
        CairnDofBlock block = fresh ? (CairnDofBlock){.size = 0} : problem->blocks[i];
        visit_int(s, &block.first);
        visit_int(s, &block.size);
        visit_int(s, &block.matrix);
        visit_int(s, &block.group);
        cairn_stream_double(s, &block.mass);
        cairn_stream_u64(s, &block.id);
        if (fresh) {
            fresh[i] = block;
        }
    }
    problem->blocks = fresh ? fresh : problem->blocks;
}

static void visit_couplings(CairnStream *s, CairnProblem *problem) {
    CairnDofCoupling *fresh = begin_array(s, problem->coupling_count, 24, sizeof *fresh);
    for (int i = 0; i < problem->coupling_count && !cairn_stream_failed(s); i++) {
        CairnDofCoupling coupling = fresh ? (CairnDofCoupling){.row = 0} : problem->couplings[i];
        visit_int(s, &coupling.row);
        visit_int(s, &coupling.column);
        visit_int(s, &coupling.matrix);
        if (fresh) {
            fresh[i] = coupling;
        }
    }
    problem->couplings = fresh ? fresh : problem->couplings;
}

static void visit_constraints(CairnStream *s, CairnProblem *problem) {
    CairnConstraintBlock *fresh = begin_array(s, problem->constraint_count, 48, sizeof *fresh);
    for (int i = 0; i < problem->constraint_count && !cairn_stream_failed(s); i++) {
        CairnConstraintBlock block = fresh ? (CairnConstraintBlock){.friction = -1} : problem->constraints[i];
        visit_int(s, &block.first_row);
        visit_int(s, &block.row_count);
        visit_int(s, &block.first_term);
        visit_int(s, &block.term_count);
        visit_int(s, &block.friction);
        cairn_stream_u64(s, &block.id);
        if (fresh) {
            fresh[i] = block;
        }
    }
    problem->constraints = fresh ? fresh : problem->constraints;
}

// A file has the Jacobians themselves: those of frames are written out, one after the other in the order of the terms.
static void write_plain_terms(CairnStream *s, const CairnProblem *problem) {
    int at = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *block = &problem->constraints[c];
        for (int k = block->first_term; k < block->first_term + block->term_count; k++) {
            CairnTerm term = {problem->terms[k].block, at};
            visit_int(s, &term.block);
            visit_int(s, &term.jacobian);
            at += block->row_count * problem->blocks[term.block].size;
        }
    }
}

static void write_plain_J(CairnStream *s, const CairnProblem *problem) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *block = &problem->constraints[c];
        for (int k = block->first_term; k < block->first_term + block->term_count; k++) {
            double room[6 * CAIRN_FRAME_ROWS];
            const double *J = cairn_term_rows(problem, &problem->terms[k], block->row_count, room);
            int size = block->row_count * problem->blocks[problem->terms[k].block].size;
            visit_doubles(s, &J, size);
        }
    }
}

static void visit_terms(CairnStream *s, CairnProblem *problem) {
    if (problem->frames != NULL) { // none is read
        write_plain_terms(s, problem);
        return;
    }
    CairnTerm *fresh = begin_array(s, problem->term_count, 16, sizeof *fresh);
    for (int i = 0; i < problem->term_count && !cairn_stream_failed(s); i++) {
        CairnTerm term = fresh ? (CairnTerm){.block = 0} : problem->terms[i];
        visit_int(s, &term.block);
        visit_int(s, &term.jacobian);
        if (fresh) {
            fresh[i] = term;
        }
    }
    problem->terms = fresh ? fresh : problem->terms;
}

static void visit_frictions(CairnStream *s, CairnProblem *problem) {
    CairnFriction *fresh = begin_array(s, problem->friction_count, 64, sizeof *fresh);
    for (int i = 0; i < problem->friction_count && !cairn_stream_failed(s); i++) {
        CairnFriction friction = fresh ? (CairnFriction){.mu = 0} : problem->frictions[i];
        int kind = (int)friction.kind;
        visit_int(s, &kind);
        if (s->mode == CAIRN_STREAM_READ && (kind < 0 || kind >= CAIRN_FRICTION_KIND_COUNT)) {
            cairn_stream_fail(s, "a kind of friction is unknown");
            return;
        }
        friction.kind = (CairnFrictionKind)kind;
        visit_int(s, &friction.constraint);
        visit_int(s, &friction.normal);
        visit_int(s, &friction.spin_rows);
        cairn_stream_double(s, &friction.mu);
        cairn_stream_double(s, &friction.torsion);
        cairn_stream_double(s, &friction.rolling);
        cairn_stream_double(s, &friction.frozen);
        if (fresh) {
            fresh[i] = friction;
        }
    }
    problem->frictions = fresh ? fresh : problem->frictions;
}

// ---- the whole ----

// The lengths of the arrays for which CairnProblem has no count: P, J and W.
typedef struct Lengths {
    int P, J, W;
} Lengths;

static int largest(int length, int begin, int size) {
    return begin + size > length ? begin + size : length;
}

// Of a checked problem.
static Lengths lengths_of(const CairnProblem *problem) {
    Lengths lengths = {0, 0, 0};
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        lengths.W = problem->row_count > 0 ? problem->W_start[problem->row_count] : 0;
        return lengths;
    }
    for (int i = 0; i < problem->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[i];
        lengths.P = largest(lengths.P, block->matrix, block->size * block->size);
    }
    for (int i = 0; i < problem->coupling_count; i++) {
        const CairnDofCoupling *coupling = &problem->couplings[i];
        lengths.P = largest(lengths.P, coupling->matrix,
                            problem->blocks[coupling->row].size * problem->blocks[coupling->column].size);
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const CairnConstraintBlock *block = &problem->constraints[i];
        for (int k = block->first_term; k < block->first_term + block->term_count; k++) {
            const CairnTerm *term = &problem->terms[k];
            int begin = problem->frames != NULL ? lengths.J : term->jacobian;
            lengths.J = largest(lengths.J, begin, block->row_count * problem->blocks[term->block].size);
        }
    }
    return lengths;
}

static bool is_inside(int begin, int64_t size, int length) {
    return begin >= 0 && size >= 0 && begin <= length && size <= (int64_t)length - begin;
}

// cairn_problem_check takes the lengths of P, J and W for the maker's word. Here the maker is a file: hold every offset
// against them.
static bool offsets_are_sound(const CairnProblem *problem, const Lengths *lengths) {
    bool sound = true;
    for (int i = 0; i < problem->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[i];
        sound = sound && block->size >= 1 && block->size <= CAIRN_BLOCK_LIMIT &&
                is_inside(block->matrix, (int64_t)block->size * block->size, lengths->P);
    }
    for (int i = 0; i < problem->coupling_count && sound; i++) {
        const CairnDofCoupling *coupling = &problem->couplings[i];
        sound = coupling->row >= 0 && coupling->row < problem->block_count && coupling->column >= 0 &&
                coupling->column < problem->block_count &&
                is_inside(coupling->matrix,
                          (int64_t)problem->blocks[coupling->row].size * problem->blocks[coupling->column].size,
                          lengths->P);
    }
    for (int i = 0; i < problem->constraint_count && sound; i++) {
        const CairnConstraintBlock *block = &problem->constraints[i];
        sound = is_inside(block->first_row, block->row_count, problem->row_count) &&
                (problem->form == CAIRN_FORM_EXPLICIT ||
                 is_inside(block->first_term, block->term_count, problem->term_count));
        for (int k = 0; k < block->term_count && sound && problem->form == CAIRN_FORM_DYNAMICS; k++) {
            const CairnTerm *term = &problem->terms[block->first_term + k];
            sound =
                term->block >= 0 && term->block < problem->block_count &&
                is_inside(term->jacobian, (int64_t)block->row_count * problem->blocks[term->block].size, lengths->J);
        }
    }
    if (problem->form == CAIRN_FORM_EXPLICIT && sound) {
        sound = problem->row_count == 0 || problem->W_start[problem->row_count] == lengths->W;
        for (int i = 0; i < problem->row_count && sound; i++) {
            sound = is_inside(problem->W_start[i], 0, lengths->W);
        }
    }
    return sound;
}

static void visit_head(CairnStream *s, CairnProblem *problem, Lengths *lengths) {
    int form = (int)problem->form;
    visit_int(s, &form);
    if (s->mode == CAIRN_STREAM_READ && form != CAIRN_FORM_DYNAMICS && form != CAIRN_FORM_EXPLICIT) {
        cairn_stream_fail(s, "the form is unknown");
        return;
    }
    problem->form = (CairnForm)form;
    cairn_stream_double(s, &problem->step);
    visit_count(s, &problem->constraint_count);
    visit_count(s, &problem->row_count);
    visit_count(s, &problem->friction_count);
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        cairn_stream_bool(s, &problem->W_is_symmetric);
        visit_count(s, &lengths->W);
        return;
    }
    visit_count(s, &problem->block_count);
    visit_count(s, &problem->coupling_count);
    visit_count(s, &problem->dof_count);
    visit_count(s, &problem->term_count);
    visit_count(s, &lengths->P);
    visit_count(s, &lengths->J);
}

static void visit_rows(CairnStream *s, CairnProblem *problem, const double **lambda, const double **answer) {
    int rows = problem->row_count;
    bool has_error = problem->position_error != NULL, has_answer = *answer != NULL;
    visit_doubles(s, &problem->right_side, rows);
    visit_doubles(s, &problem->lower, rows);
    visit_doubles(s, &problem->upper, rows);
    cairn_stream_bool(s, &has_error);
    if (has_error) {
        visit_doubles(s, &problem->position_error, rows);
    }
    visit_doubles(s, lambda, rows);
    cairn_stream_bool(s, &has_answer);
    if (has_answer) {
        visit_doubles(s, answer, rows);
    }
}

// Files without velocities end before this section.
static void visit_velocities(CairnStream *s, int dofs, CairnSolveStart *start) {
    bool is_there = s->mode == CAIRN_STREAM_READ ? s->at < s->size : start->velocity != NULL;
    if (is_there && !cairn_stream_failed(s)) {
        cairn_stream_bool(s, &start->is_rough);
        visit_doubles(s, &start->velocity, dofs);
    }
}

static void visit(CairnStream *s, CairnProblem *problem, Lengths *lengths, CairnSolveStart *start,
                  const double **answer) {
    visit_head(s, problem, lengths);
    if (cairn_stream_failed(s)) {
        return;
    }
    visit_constraints(s, problem);
    visit_frictions(s, problem);
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        // INT_MAX rows are more than any file holds: refused as such, without the overflow.
        int starts =
            problem->row_count > 0 && problem->row_count < INT_MAX ? problem->row_count + 1 : problem->row_count;
        visit_ints(s, &problem->W_start, starts);
        visit_ints(s, &problem->W_column, lengths->W);
        visit_doubles(s, &problem->W, lengths->W);
    } else {
        visit_blocks(s, problem);
        visit_couplings(s, problem);
        visit_terms(s, problem);
        visit_doubles(s, &problem->P, lengths->P);
        visit_doubles(s, &problem->p, problem->dof_count);
        if (problem->frames != NULL) {
            write_plain_J(s, problem);
        } else {
            visit_doubles(s, &problem->J, lengths->J);
        }
        visit_doubles(s, &problem->compliance, problem->row_count);
    }
    visit_rows(s, problem, &start->lambda, answer);
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        visit_velocities(s, problem->dof_count, start);
    }
}

static size_t payload_size(const CairnProblem *problem, const CairnSolveStart *start, const double *answer) {
    CairnStream s = cairn_stream_count(&format);
    CairnProblem copy = *problem;
    Lengths lengths = lengths_of(problem);
    CairnSolveStart counted = {.lambda = problem->right_side, // of the length of lambda, which is all that is read
                               .velocity = start ? start->velocity : NULL};
    visit(&s, &copy, &lengths, &counted, &answer);
    return s.at;
}

size_t cairn_problem_file_size(const CairnProblem *problem, const CairnSolveStart *start, const double *answer) {
    return problem ? CAIRN_STREAM_HEADER + payload_size(problem, start, answer) : 0;
}

static CairnStatus check_numbers(const double *values, int count, const char *name) {
    for (int i = 0; i < count && values; i++) {
        if (!isfinite(values[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "problem file: %s[%d] = %g is not finite", name, i, values[i]);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_problem_file_write(const CairnProblem *problem, const CairnSolveStart *start, const double *answer,
                                     void *bytes, size_t size) {
    CAIRN_TRY(cairn_problem_check(problem));
    if (!bytes || !start || (!start->lambda && problem->row_count > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem file: %s is NULL",
                           !bytes   ? "bytes"
                           : !start ? "start"
                                    : "lambda");
    }
    CAIRN_TRY(check_numbers(start->lambda, problem->row_count, "lambda"));
    CAIRN_TRY(check_numbers(start->velocity, problem->dof_count, "velocity"));
    CAIRN_TRY(check_numbers(answer, problem->row_count, "answer"));
    size_t payload = payload_size(problem, start, answer);
    if (size < CAIRN_STREAM_HEADER + payload) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem file: size = %zu bytes, %zu are needed", size,
                           CAIRN_STREAM_HEADER + payload);
    }
    CairnStream s = cairn_stream_write(&format, bytes, payload);
    CairnProblem copy = *problem;
    CairnSolveStart written = *start;
    Lengths lengths = lengths_of(problem);
    visit(&s, &copy, &lengths, &written, &answer);
    cairn_stream_write_header(&s);
    return s.status;
}

bool cairn_problem_file_is(const void *bytes, size_t size) {
    return cairn_stream_is(&format, bytes, size);
}

static CairnStatus read_payload(CairnStream *s, CairnStoredProblem *stored) {
    Lengths lengths = {0, 0, 0};
    visit(s, &stored->problem, &lengths, &stored->start, &stored->answer);
    cairn_stream_end(s);
    CAIRN_TRY(s->status);
    if (!offsets_are_sound(&stored->problem, &lengths)) {
        return cairn_error(CAIRN_CORRUPT, "problem file: an offset lies outside its array");
    }
    CAIRN_TRY(check_numbers(stored->start.lambda, stored->problem.row_count, "lambda"));
    CAIRN_TRY(check_numbers(stored->start.velocity, stored->problem.dof_count, "velocity"));
    CAIRN_TRY(check_numbers(stored->answer, stored->problem.row_count, "answer"));
    CairnStatus status = cairn_problem_check(&stored->problem);
    return cairn_is_ok(status) ? status : cairn_error(CAIRN_CORRUPT, "problem file: %.200s", status.message);
}

CairnStatus cairn_problem_file_read(const void *bytes, size_t size, const CairnAllocator *allocator,
                                    CairnStoredProblem *stored) {
    if (!bytes || !stored) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem file: %s is NULL", bytes ? "stored" : "bytes");
    }
    *stored = (CairnStoredProblem){.arena = NULL};
    CairnStream s = cairn_stream_read(&format, bytes, size);
    CAIRN_TRY(s.status);
    CAIRN_TRY(cairn_stored_problem_init(stored, allocator));
    s.arena = stored->arena;
    CairnStatus status = read_payload(&s, stored);
    if (!cairn_is_ok(status)) {
        cairn_stored_problem_free(stored);
    }
    return status;
}

// An arena that owns its allocator's hooks, so that what is stored may be copied and moved.
typedef struct Storage {
    CairnArena arena; // first: the stored problem points to it
    CairnAllocator allocator;
} Storage;

CairnStatus cairn_stored_problem_init(CairnStoredProblem *stored, const CairnAllocator *allocator) {
    if (!stored) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "problem file: stored is NULL");
    }
    CairnAllocator hooks = allocator && allocator->allocate ? *allocator : cairn_memory_default();
    Storage *storage = cairn_memory_allocate(&hooks, 1, sizeof *storage);
    *stored = (CairnStoredProblem){.arena = NULL};
    if (!storage) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "problem file: no memory");
    }
    storage->allocator = hooks;
    cairn_arena_init(&storage->arena, &storage->allocator);
    stored->arena = &storage->arena;
    return cairn_ok();
}

void cairn_stored_problem_free(CairnStoredProblem *stored) {
    if (stored && stored->arena) {
        Storage *storage = (Storage *)stored->arena;
        CairnAllocator hooks = storage->allocator;
        cairn_arena_free(&storage->arena);
        cairn_memory_release(&hooks, storage, 1, sizeof *storage);
        *stored = (CairnStoredProblem){.arena = NULL};
    }
}
