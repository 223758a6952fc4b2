// A frame's problem in the formats of others, read back by our own readers: what answers the frame answers them.
#include "demos/program/cli/program.h"
#include "demos/program/formats/problem_build.h"
#include "demos/program/formats/problem_export.h"
#include "demos/program/formats/problem_source.h"
#include "engine/base/memory.h"
#include "solvers/problem/stored.h"
#include "tests/support/block_piles.h"
#include "tests/support/problems.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include <cairn/solver.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_source(const char *name, CairnProblemSource *source) {
    char path[128];
    support_path(name, path, sizeof path);
    assert_ok(cairn_problem_open(path, source));
}

// The referee judges the frame's answer in each form, solved further than the certificate asks: any wrong entry of W, q
// or mu would show.
static void the_answer_of_the_frame_answers_every_format(void **state) {
    (void)state;
#ifndef CAIRN_HDF5
    print_message("skipped: this build has no HDF5\n");
    skip();
#endif
    static const char *const formats[] = {"cairn", "fclib", "siconos"};
    CairnProblemSource sources[3];
    for (int i = 0; i < 3; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "dump domino_row --frame 150 --format %s --out $/p.%s --friction coulomb --solver "
                 "ipm-cone:tolerance=1e-9 --quiet",
                 formats[i], formats[i]);
        support_call_well(line);
        snprintf(line, sizeof line, "p.%s", formats[i]);
        open_source(line, &sources[i]);
    }
    assert_string_equal(sources[1].kind, "FCLIB local");
    assert_string_equal(sources[2].kind, "Siconos friction, blocks");
    assert_non_null(sources[1].stored.answer);
    int rows = sources[0].stored.problem.row_count;
    double natural = 0;
    assert_true(rows >= 60);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sources[i].stored.problem.row_count, rows);
        CairnResidual residual;
        // The rows of the text have the order of FCLIB's.
        const double *answer = i == 2 ? sources[1].stored.answer : sources[i].stored.answer;
        assert_ok(cairn_residual(&sources[i].stored.problem, answer, NULL, &residual));
        assert_true(residual.is_certified);
        natural = i == 0 ? residual.natural : natural;
        assert_near(residual.natural, natural,
                    1e-3 * natural); // what the solve left, whichever it is, is the same in all
    }
    // Twice the answer answers none of them.
    for (int i = 1; i < 3; i++) {
        double twice[2000];
        assert_true(rows < 2000);
        for (int k = 0; k < rows; k++) {
            twice[k] = 2 * sources[1].stored.answer[k];
        }
        CairnResidual residual;
        assert_ok(cairn_residual(&sources[i].stored.problem, twice, NULL, &residual));
        assert_false(residual.is_certified);
    }
    for (int i = 0; i < 3; i++) {
        cairn_problem_close(&sources[i]);
    }
}

// What the solver of boxes found is no answer to Coulomb's law, which is what the file means.
static void another_law_s_answer_is_a_guess(void **state) {
    (void)state;
#ifdef CAIRN_HDF5
    support_call_well("dump box_tower --frame 20 --format fclib --out $/box.h5 --quiet");
    CairnProblemSource source;
    open_source("box.h5", &source);
    assert_null(source.stored.answer);
    assert_int_equal(source.stored.problem.frictions[0].kind, CAIRN_FRICTION_COULOMB);
    cairn_problem_close(&source);
#else
    SupportCall *result = support_call("dump box_tower --frame 20 --format fclib --out $/box.h5 --quiet");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "HDF5"));
#endif
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"dump box_tower --frame 2 --out $/a --format fclip", "none of cairn, fclib, siconos"},
        {"dump pendulum_chain --frame 2 --out $/a --format siconos --quiet", "no contacts with friction"},
        {"dump rock_pile --frame 20 --param rocks=6 --out $/a --format siconos --quiet", "rows of joints or motors"},
        {"dump box_tower --frame 2 --out $/none/a --format fclib --quiet", "--out"},
        {"dump box_tower --frame 2 --out $/none/a --format siconos --quiet", "--out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *result = support_call(cases[i].line);
        if (result->code != CAIRN_EXIT_USAGE || !strstr(result->err, cases[i].words)) {
            fail_msg("cairn %s: exit %d, '%s' should hold '%s'", cases[i].line, result->code, result->err,
                     cases[i].words);
        }
    }
}

// Contacts over blocks of 1 to 64 dofs: W and q are those of dense algebra; what is cut out of M again has blocks of
// the same A and b.
static void blocks_of_any_size_are_written_and_cut_out(void **state) {
    (void)state;
    CairnAllocator plain = cairn_memory_default();
    for (uint64_t seed = 1; seed <= 4; seed++) {
        TestPile pile;
        CairnArena arena;
        CairnContactProblem exported;
        CairnStoredProblem stored;
        CairnTriplets M, H;
        uint64_t draw = seed;
        test_block_pile(
            &pile, &draw,
            (TestBlockPile){
                .blocks = 9, .constraints = 14, .friction = CAIRN_FRICTION_COULOMB, .has_contacts_alone = true});
        const CairnProblem *made = &pile.problem;
        int rows = made->row_count, dofs = made->dof_count;
        size_t square = (size_t)rows * (size_t)rows;
        double *A = calloc(2 * square + 4 * (size_t)rows, sizeof *A), *b = A + square, *again = b + rows;
        double *q = again + square, *zero = q + rows;
        assert_non_null(A);
        test_problem_dense(made, A, b);
        cairn_arena_init(&arena, &plain);
        assert_ok(cairn_stored_problem_init(&stored, NULL));
        assert_ok(cairn_contact_problem(made, zero, &arena, &exported));
        for (int i = 0; i < rows; i++) {
            assert_near(exported.q[i], b[i], 1e-12);
            for (int k = exported.start[i]; k < exported.start[i + 1]; k++) {
                again[i * rows + exported.column[k]] = exported.W[k];
            }
        }
        for (size_t i = 0; i < square; i++) {
            assert_near(again[i], A[i], 1e-12);
        }
        assert_ok(cairn_triplets_make(&arena, dofs, dofs, CAIRN_BLOCK_LIMIT * dofs, &M));
        assert_ok(cairn_triplets_make(&arena, dofs, rows, CAIRN_BLOCK_LIMIT * 2 * rows, &H));
        for (int k = 0; k < made->block_count; k++) {
            const CairnDofBlock *block = &made->blocks[k];
            for (int i = 0; i < block->size * block->size; i++) {
                double entry = made->P[block->matrix + i];
                if (entry != 0) {
                    assert_ok(cairn_triplets_add(&M, block->first + i / block->size, block->first + i % block->size,
                                                 entry, "M"));
                }
            }
        }
        for (int c = 0; c < made->constraint_count; c++) {
            for (int t = 0; t < made->constraints[c].term_count; t++) {
                const CairnTerm *term = &made->terms[made->constraints[c].first_term + t];
                const CairnDofBlock *block = &made->blocks[term->block];
                for (int i = 0; i < 3 * block->size; i++) {
                    double room[6];
                    double entry = cairn_term_row(made, term, i / block->size, room)[i % block->size];
                    assert_ok(cairn_triplets_add(&H, block->first + i % block->size,
                                                 made->constraints[c].first_row + i / block->size, entry, "H"));
                }
            }
        }
        assert_ok(cairn_build_dynamics(&stored, &M, &H, made->p, made->right_side));
        assert_ok(cairn_build_contacts(&stored, exported.mu));
        assert_ok(cairn_problem_check(&stored.problem));
        assert_true(stored.problem.block_count >= made->block_count); // a rigid body falls apart where M has zeros
        test_problem_dense(&stored.problem, again, q);
        for (int i = 0; i < rows; i++) {
            assert_near(q[i], b[i], 1e-12);
        }
        for (size_t i = 0; i < square; i++) {
            assert_near(again[i], A[i], 1e-12);
        }
        cairn_stored_problem_free(&stored);
        cairn_arena_free(&arena);
        free(A);
        test_pile_free(&pile);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_of_the_frame_answers_every_format),
        cmocka_unit_test(another_law_s_answer_is_a_guess),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(blocks_of_any_size_are_written_and_cut_out),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
