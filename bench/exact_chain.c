#include "bench/bench.h"
#include "bench/exact_sections.h"
#include "bench/rig.h"

#include "solvers/exact/bpp.h"
#include <math.h>

// bpp, with the processor's time that its last solve took.
static double last_solve;

static CairnStatus timed(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    double start = bench_cpu_now();
    CairnStatus status = cairn_solver_bpp.solve(problem, parts, options, context, lambda, report);
    last_solve = bench_cpu_now() - start;
    return status;
}

// Steps of a chain that swings from 20 degrees with a load of a tenth of a link: the fastest of each stage, and the
// worst of each frame.
bool bench_exact_chains(FILE *file, FILE *json) {
    static const int counts[] = {100, 300, 1000, 3000, 10000};
    enum { COUNT = sizeof counts / sizeof counts[0], STEPS = 20 };
    CairnSolver solver = cairn_solver_bpp;
    solver.solve = timed;
    fprintf(file, "  chains of N links, a step of 1/60 s with bpp\n    %8s %10s %12s %12s %12s %10s\n", "links",
            "solve, ms", "solve, ns/N", "step, ns/N", "first, ns/N", "certified");
    fprintf(json, "      \"chains\": [\n");
    for (int k = 0; k < COUNT; k++) {
        BenchRig rig = {0};
        CairnWorld *world = NULL;
        double n = counts[k], solve = HUGE_VAL, step = HUGE_VAL, first = 0;
        int certified = 0;
        CairnStatus status = bench_rig_chain(&rig, counts[k], 20 * CAIRN_PI / 180, 0.25)
                                 ? bench_rig_world(&rig, &solver, NULL, 1, &world, NULL)
                                 : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
        for (int i = 0; i < STEPS && cairn_is_ok(status); i++) {
            CairnStats stats;
            double start = bench_cpu_now();
            status = cairn_world_step(world, 1.0 / 60, &stats);
            step = fmin(step, bench_cpu_now() - start);
            first = i == 0 ? last_solve : first;
            solve = fmin(solve, last_solve);
            certified += stats.residual.is_certified;
        }
        cairn_world_destroy(world);
        bench_rig_free(&rig);
        if (!cairn_is_ok(status)) {
            return false;
        }
        fprintf(file, "    %8d %10.3f %12.0f %12.0f %12.0f %7d/%d\n", counts[k], 1e3 * solve, 1e9 * solve / n,
                1e9 * step / n, 1e9 * first / n, certified, STEPS);
        fprintf(json,
                "        { \"links\": %d, \"solve_ms\": %.6g, \"solve_ns_per_link\": %.6g, \"step_ns_per_link\": %.6g, "
                "\"first_solve_ns_per_link\": %.6g, \"certified\": %d }%s\n",
                counts[k], 1e3 * solve, 1e9 * solve / n, 1e9 * step / n, 1e9 * first / n, certified,
                k + 1 < COUNT ? "," : "");
    }
    fprintf(json, "      ]");
    return true;
}
