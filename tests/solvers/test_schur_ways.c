// schur-bpp and schur-pgs-sm: all their ways to the one answer. Parts of every partitioner, refiner and size, levels,
// mixed solvers of subsystems, coupling together and in turn, and a last solve without pivoting.
#include "engine/base/memory.h"
#include "solvers/exact/bpp.h"
#include "solvers/schur/schur.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support.h"
#include "tests/support/support_parts.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 2400, BODIES = 30 };

typedef struct Heap {
    TestPile pile;
    double answer[ROWS], lambda[ROWS];
    CairnArena arena;
    CairnAllocator plain;
    CairnParts parts;
} Heap;

// With labels by thirds of the bodies; `answer` is bpp's.
static void open_heap(Heap *heap, uint64_t seed, double compliance) {
    memset(heap, 0, sizeof *heap);
    test_pile_heap(&heap->pile, &seed, BODIES, compliance, CAIRN_FRICTION_BOX);
    for (int b = 0; b < BODIES; b++) {
        heap->pile.blocks[b].group = b / (BODIES / 3);
    }
    exact_certify(&cairn_solver_bpp, NULL, &heap->pile.problem, heap->answer);
    heap->plain = cairn_memory_default();
    cairn_arena_init(&heap->arena, &heap->plain);
}

static void part_heap(Heap *heap, const char *partitioner, const char *options, const CairnRefiner *refiner) {
    const CairnPartitioner *found;
    assert_ok(cairn_partitioner_find(partitioner, &found));
    assert_true(support_parts(&heap->pile.problem, found, options, refiner, &heap->arena, &heap->parts));
}

static void close_heap(Heap *heap) {
    cairn_arena_free(&heap->arena);
    test_pile_free(&heap->pile);
}

// From nothing; certified, and w equal to that of bpp to 1e-8 max|b|.
static ExactRun expect_answer(Heap *heap, const CairnSolver *solver, const char *options, const char *parts) {
    memset(heap->lambda, 0, sizeof heap->lambda);
    ExactRun run = exact_run_parts(solver, options, &heap->pile.problem, &heap->parts, 1, heap->lambda);
    assert_ok(run.status);
    if (!run.residual.is_certified) {
        fail_msg("%s:%s over %s: scaled %g, limit %g", solver->name, options, parts, run.residual.scaled,
                 run.residual.limit);
    }
    assert_below(run.residual.scaled,
                 0.6 * run.residual.limit); // not at the very edge, which the referee may see otherwise
    assert_below(exact_distance(&heap->pile.problem, heap->lambda, heap->answer), 1);
    return run;
}

static void parts_of_every_kind_give_the_answer(void **state) {
    const CairnSolver *solver = *state;
    static const int sizes[] = {4, 8, 16, 32, 64};
    const size_t every = support_is_sanitized() ? 5 : 1;
    static Heap heap;
    open_heap(&heap, 210, 1e-8);
    for (int p = 0; p < cairn_partitioner_count(); p++) {
        const CairnPartitioner *partitioner = cairn_partitioner_at(p);
        bool has_size = partitioner->options != NULL && strcmp(partitioner->name, "semantic") != 0;
        for (int r = 0; r < cairn_refiner_count(); r++) {
            for (size_t k = 0; k < (has_size ? sizeof sizes / sizeof *sizes : 1); k += every) {
                char options[40], name[80];
                snprintf(options, sizeof options, "part_size=%d", sizes[k]);
                snprintf(name, sizeof name, "%s %s %s", partitioner->name, options, cairn_refiner_at(r)->name);
                CairnArenaMark mark = cairn_arena_mark(&heap.arena);
                part_heap(&heap, partitioner->name, has_size ? options : NULL, cairn_refiner_at(r));
                expect_answer(&heap, solver, "", name);
                cairn_arena_release(&heap.arena, mark);
            }
        }
    }
    close_heap(&heap);
}

static void coupling_in_turn_gives_the_answer(void **state) {
    const CairnSolver *solver = *state;
    static Heap heap;
    for (int draw = 0; draw < 3; draw++) {
        open_heap(&heap, 220 + (uint64_t)draw, draw == 0 ? 1e-2 : 1e-7);
        part_heap(&heap, "mindp", "part_size=8", NULL);
        ExactRun alternate = expect_answer(&heap, solver, "coupling=alternate", "mindp");
        ExactRun together = expect_answer(&heap, solver, "coupling=together", "mindp");
        assert_true(alternate.report.coupling >= 1 && together.report.coupling >= 1);
        close_heap(&heap);
    }
}

// A subsystem that is substructured itself, and so on: the order of elimination alone.
static void levels_change_nothing(void **state) {
    const CairnSolver *solver = *state;
    static Heap heap;
    open_heap(&heap, 230, 1e-8);
    for (int size = 8; size <= 32; size *= 2) {
        char parts[40], options[40];
        snprintf(parts, sizeof parts, "part_size=%d", size);
        part_heap(&heap, "mindp", parts, NULL);
        for (int levels = 1; levels <= 4; levels++) {
            snprintf(options, sizeof options, "levels=%d", levels);
            expect_answer(&heap, solver, options, parts);
        }
    }
    close_heap(&heap);
}

// All subsystems by another method, or those of one label. Soft heaps settle so; what does not arrive is finished as
// ever.
static void mixed_solvers_give_the_answer(void **state) {
    const CairnSolver *solver = *state;
    static const char *const others[] = {"pgs-sm", "pgs", "ipm"};
    static Heap heap;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        int arrivals = 0;
        for (int draw = 0; draw < support_rounds(3, 1); draw++) {
            open_heap(&heap, 240 + (uint64_t)draw, draw == 2 ? 1e-8 : 1);
            part_heap(&heap, "semantic", NULL, NULL);
            for (int label = -1; label < 3; label++) {
                char options[80];
                snprintf(options, sizeof options, "parts_solver=%s,parts_group=%d", others[k], label);
                ExactRun run = expect_answer(&heap, solver, options, "semantic");
                assert_true(run.report.coupling >= 1);
                arrivals += run.report.fallback == 0;
            }
            close_heap(&heap);
        }
        assert_true(arrivals > 0);
    }
}

// After k_max, and only there, one factor more, and impulses inside of their bounds; iterations and what they say stay
// as they were.
static void a_last_solve_follows_kmax_alone(void **state) {
    const CairnSolver *solver = *state;
    static Heap heap;
    int limits = 0;
    for (int draw = 0; draw < support_rounds(2, 1); draw++) {
        open_heap(&heap, 250 + (uint64_t)draw, 1e-8);
        part_heap(&heap, "mindp", "part_size=8", NULL);
        double before[ROWS];
        memset(before, 0, sizeof before);
        ExactRun plain = exact_run_parts(solver, "faithful=true", &heap.pile.problem, &heap.parts, 1, before);
        memset(heap.lambda, 0, sizeof heap.lambda);
        ExactRun last =
            exact_run_parts(solver, "faithful=true,last=true", &heap.pile.problem, &heap.parts, 1, heap.lambda);
        assert_ok(plain.status);
        assert_ok(last.status);
        assert_int_equal(last.report.coupling, plain.report.coupling);
        assert_int_equal(last.report.outcome, plain.report.outcome);
        if (plain.report.outcome == CAIRN_OUTCOME_CONVERGED) {
            assert_memory_equal(before, heap.lambda, sizeof before);
        } else {
            limits++;
            assert_int_equal(last.report.factorizations, plain.report.factorizations + 1);
        }
        assert_below(last.residual.bound, 1e-12);
        close_heap(&heap);
    }
    assert_true(limits > 0);
}

// What the report says of the work: nothing changes in a system whose sets stand, and what changed is factored once
// more.
static void the_report_counts_what_changed(void **state) {
    const CairnSolver *solver = *state;
    static Heap heap;
    open_heap(&heap, 260, 1e-8);
    part_heap(&heap, "mindp", "part_size=8", NULL);
    int parts = heap.parts.count;
    ExactRun cold = expect_answer(&heap, solver, "", "mindp");
    assert_true(cold.report.coupling > 0 && cold.report.refactored > 0);
    const CairnSolvePhases *phases = &cold.report.phases;
    assert_true(phases->prepare > 0 && phases->factor > 0 && phases->apply > 0);
    // From the answer there is nothing to do; from its sets, with other impulses, one coupling iteration that changes
    // none.
    ExactRun there = exact_run_parts(solver, "", &heap.pile.problem, &heap.parts, 1, heap.lambda);
    assert_int_equal(there.report.coupling + there.report.changed + there.report.refactored, 0);
    memset(heap.lambda, 0, sizeof heap.lambda);
    ExactRun printed = exact_run_parts(solver, "faithful=true,kmax=3", &heap.pile.problem, &heap.parts, 1, heap.lambda);
    assert_ok(printed.status);
    assert_int_equal(printed.report.coupling, 3);
    assert_true(printed.report.changed > 0 && printed.report.changed <= 3 * parts);
    assert_true(printed.report.refactored >= printed.report.changed);
    phases = &printed.report.phases;
    assert_true(phases->reduce > 0 && phases->interface > 0 && phases->subsystems > 0);
    close_heap(&heap);
}

int main(int argc, char **argv) {
    void *bpp = (void *)(uintptr_t)&cairn_solver_schur_bpp, *sm = (void *)(uintptr_t)&cairn_solver_schur_pgs_sm;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(parts_of_every_kind_give_the_answer, bpp),
        cmocka_unit_test_prestate(parts_of_every_kind_give_the_answer, sm),
        cmocka_unit_test_prestate(coupling_in_turn_gives_the_answer, bpp),
        cmocka_unit_test_prestate(coupling_in_turn_gives_the_answer, sm),
        cmocka_unit_test_prestate(levels_change_nothing, bpp),
        cmocka_unit_test_prestate(levels_change_nothing, sm),
        cmocka_unit_test_prestate(mixed_solvers_give_the_answer, bpp),
        cmocka_unit_test_prestate(mixed_solvers_give_the_answer, sm),
        cmocka_unit_test_prestate(the_report_counts_what_changed, bpp),
        cmocka_unit_test_prestate(the_report_counts_what_changed, sm),
        cmocka_unit_test_prestate(a_last_solve_follows_kmax_alone, bpp),
        cmocka_unit_test_prestate(a_last_solve_follows_kmax_alone, sm),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
