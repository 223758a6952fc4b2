#include "tests/support/support_tally.h"

#include "solvers/auto.h"
#include <stdio.h>
#include <stdlib.h>

void support_counts_add(SupportCounts *counts, int value) {
    counts->of[value < SUPPORT_TALLY_MOST ? value : SUPPORT_TALLY_MOST - 1] += 1;
    counts->worst = value > counts->worst ? value : counts->worst;
    counts->count += 1;
}

void support_counts_merge(SupportCounts *into, const SupportCounts *from) {
    for (int k = 0; k < SUPPORT_TALLY_MOST; k++) {
        into->of[k] += from->of[k];
    }
    into->worst = from->worst > into->worst ? from->worst : into->worst;
    into->count += from->count;
}

int support_counts_quantile(const SupportCounts *counts, double share) {
    int below = 0, k = 0;
    while (k < SUPPORT_TALLY_MOST - 1 && (below += counts->of[k]) < share * counts->count) {
        k++;
    }
    return k;
}

static void keep(const SupportTally *tally, int factors, const CairnProblem *problem, const CairnSolveStart *start) {
    char path[512];
    size_t size = cairn_problem_file_size(problem, start, NULL);
    void *bytes = malloc(size);
    snprintf(path, sizeof path, "%s/%s_frame%d_factors%d.problem", tally->folder, tally->name, tally->frames.count,
             factors);
    FILE *file = fopen(path, "wb");
    if (bytes != NULL && file != NULL && cairn_is_ok(cairn_problem_file_write(problem, start, NULL, bytes, size))) {
        fwrite(bytes, 1, size, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
}

// The tally is the logger's `user`: what a solver is given refers to nothing else of a caller's.
static CairnStatus solve(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    SupportTally *tally = context->logger->user;
    size_t rows = (size_t)problem->row_count;
    double *start = malloc((rows + 1) * sizeof *start);
    for (size_t i = 0; i < rows && start != NULL; i++) {
        start[i] = lambda[i];
    }
    CairnStatus status = cairn_solver_auto.solve(problem, parts, options, context, lambda, report);
    support_counts_add(&tally->solves, report->factorizations);
    if (report->factorizations > tally->limit) {
        tally->heavy += 1;
        if (tally->folder != NULL && start != NULL) {
            CairnSolveStart from = {start, context->velocity, context->is_rough};
            keep(tally, report->factorizations, problem, &from);
        }
    }
    free(start);
    return status;
}

static void forget(void *memory, const CairnAllocator *allocator) {
    cairn_solver_auto.forget(memory, allocator);
}

static const CairnSolver counting = {
    .name = "auto",
    .summary = "auto, counted",
    .traits =
        CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB | CAIRN_TAKES_EXPLICIT,
    .solve = solve,
    .forget = forget,
};

static void drop(void *user, CairnLogLevel level, const char *message) {
    (void)user;
    (void)level;
    (void)message;
}

void support_tally_begin(SupportTally *tally, CairnWorldDef *def) {
    *tally = (SupportTally){.limit = 200, .first_uncertified = -1};
    def->logger = (CairnLogger){.write = drop, .user = tally};
}

CairnStatus support_tally_watch(CairnWorld *world) {
    return cairn_world_set_solver(world, &counting, NULL);
}

CairnStatus support_tally_step(SupportTally *tally, CairnWorld *world, double h, CairnStats *stats) {
    CairnStats unused;
    stats = stats != NULL ? stats : &unused;
    CAIRN_TRY(cairn_world_step(world, h, stats));
    if (!stats->residual.is_certified && tally->folder != NULL) {
        CairnProblem problem;
        CairnSolveStart start;
        const double *lambda;
        if (cairn_is_ok(cairn_world_problem(world, &problem, &lambda)) &&
            cairn_is_ok(cairn_world_problem_start(world, &start))) {
            keep(tally, stats->solve.factorizations, &problem, &start);
        }
    }
    if (!stats->residual.is_certified) {
        tally->first_uncertified = tally->uncertified == 0 ? tally->frames.count : tally->first_uncertified;
        tally->uncertified += 1;
    }
    support_counts_add(&tally->frames, stats->solve.factorizations);
    return cairn_ok();
}
