// ODE's QuickStep and Bullet's sequential impulses on the same boxes full of balls.
//
// Velocities are compared in the first step from rest, without friction (1e-6, where all laws agree: boxes, pyramids,
// cones) and with overlaps let be, so that all solve one and the same problem from no impulses. Its answer is that of
// psor with momentum, run until our referee certifies it; an engine's error is how far its velocities are from there,
// root mean square over the balls, over g h, the velocity with which everything would fall. Each gets the processor's
// time that ODE needs for so many sweeps, and as many sweeps as it makes in it follow from the difference of its times
// for 20 and 120 sweeps; the time to set up is excluded for all.
#include "bench/cone_rivals.h"
#include "bench/bench.h"
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/sweeps/psor.h"
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Many balls make one step: what a sweep costs is the same in the first, and ODE needs ten seconds for it.
enum { SWEEPS = 120, FEW = 20, WARM_UP = 3, MANY = 20000, EXACT = 20000, TIMES = 2 };

typedef bool Pack(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed);

typedef struct Rival {
    const char *name, *key;
    Pack *pack;
} Rival;

static const Rival rivals[] = {{"ODE QuickStep", "ode", bench_ode_packing},
                               {"Bullet sequential impulse", "bullet", bench_bullet_packing}};
enum { RIVALS = BENCH_RIVALS };
_Static_assert(RIVALS == sizeof rivals / sizeof rivals[0], "as many as are listed");

// Seconds of one sweep over all contacts, from the difference of few and many.
static double time_sweep(const Rival *rival, const BenchPacking *packing, int steps, int *contacts) {
    BenchPacked few = {0}, all = {0};
    if (!rival->pack(packing, FEW, steps, &few) || !rival->pack(packing, SWEEPS, steps, &all) || all.contacts == 0) {
        return 0;
    }
    *contacts = all.contacts;
    return (all.seconds - few.seconds) / (SWEEPS - FEW);
}

BenchCosts bench_cone_costs(const BenchPacking *packing) {
    BenchCosts costs = {0};
    for (int k = 0; k < RIVALS; k++) {
        costs.sweep[k] = time_sweep(&rivals[k], packing, packing->count > MANY ? 1 : WARM_UP, &costs.contacts[k]);
    }
    return costs;
}

void bench_cone_print_costs(const BenchPacking *packing, const BenchCosts *costs, double ours, FILE *file, FILE *json) {
    for (int k = 0; k < RIVALS; k++) {
        if (costs->sweep[k] <= 0) {
            fprintf(file, "  %s is not installed (tools/deps --bench): nothing to compare with.\n", rivals[k].name);
            continue;
        }
        double theirs = costs->sweep[k] / costs->contacts[k];
        fprintf(file, "  %-26s %d balls, %d contacts: %.1f ns a contact and sweep, %.1f times psor's %.1f\n",
                rivals[k].name, packing->count, costs->contacts[k], 1e9 * theirs, theirs / ours, 1e9 * ours);
        fprintf(json, ", \"%s_ns_contact_sweep_%d\": %.6g", rivals[k].key, packing->count, 1e9 * theirs);
    }
    fprintf(json, ", \"ns_contact_sweep_%d\": %.6g", packing->count, 1e9 * ours);
}

// ---- errors ----------------------------------------------------------------------------------------------------------------

// One problem, the solvers that are compared on it, and its answer.
typedef struct Race {
    const BenchPacking *packing;
    CairnProblem problem;
    CairnAllocator plain;
    double *lambda, *v, *answer;
    CairnVec3 *velocities;
} Race;

static CairnStatus solve(Race *race, const CairnPsorOptions *options, double *v, int *sweeps) {
    CairnArena arena;
    CairnOps ops;
    CairnSolveResult result;
    cairn_arena_init(&arena, &race->plain);
    CairnSolveRequest request = {.solver = &cairn_solver_psor, .options = options, .arena = &arena};
    memset(race->lambda, 0, (size_t)race->problem.row_count * sizeof *race->lambda);
    CairnStatus status = cairn_problem_solve(&race->problem, &request, race->lambda, &result);
    if (cairn_is_ok(status)) {
        status = cairn_ops_init(&ops, &race->problem, &arena);
    }
    if (cairn_is_ok(status)) {
        cairn_ops_velocity(&ops, race->lambda, v);
    }
    *sweeps = result.report.iterations;
    cairn_arena_free(&arena);
    return status;
}

// Root mean square of the balls' velocities from the answer, over g h.
static double error_of(const Race *race, const double *v) {
    double sum = 0;
    for (int i = 0; i < race->packing->count; i++) {
        for (int k = 0; k < 3; k++) {
            double off = v[6 * i + k] - race->answer[6 * i + k];
            sum += off * off / race->packing->count;
        }
    }
    return sqrt(sum) / (9.81 * race->packing->step);
}

static void print_error(const char *name, const char *key, double seconds, int sweeps, double error, FILE *file,
                        FILE *json) {
    fprintf(file, "    %-26s %6.3f s %6d sweeps: off by %.2g g h\n", name, seconds, sweeps, error);
    fprintf(json, ", { \"engine\": \"%s\", \"seconds\": %.6g, \"sweeps\": %d, \"error_gh\": %.6g }", key, seconds,
            sweeps, error);
}

static CairnPsorOptions ours(int sweeps, bool momentum) {
    return (CairnPsorOptions){.iterations = sweeps, .omega = momentum ? 1 : 1.3, .lambda = 1, .momentum = momentum};
}

static CairnStatus race_ours(Race *race, double seconds, FILE *file, FILE *json) {
    for (int momentum = 0; momentum < 2; momentum++) {
        double few = (double)INFINITY, all = (double)INFINITY;
        int sweeps;
        for (int k = 0; k < 6; k++) {
            CairnPsorOptions options = ours(k % 2 ? SWEEPS : FEW, momentum);
            double start = bench_cpu_now();
            CAIRN_TRY(solve(race, &options, race->v, &sweeps));
            double *least = k % 2 ? &all : &few;
            *least = fmin(*least, bench_cpu_now() - start);
        }
        CairnPsorOptions options = ours((int)fmax(1, seconds * (SWEEPS - FEW) / (all - few)), momentum);
        CAIRN_TRY(solve(race, &options, race->v, &sweeps));
        print_error(momentum ? "psor with momentum" : "psor", momentum ? "psor_momentum" : "psor", seconds, sweeps,
                    error_of(race, race->v), file, json);
    }
    return cairn_ok();
}

static void race_rival(Race *race, const Rival *rival, double seconds, double sweep, FILE *file, FILE *json) {
    BenchPacked packed = {.velocities = race->velocities};
    int sweeps = (int)fmax(1, seconds / sweep);
    if (!rival->pack(race->packing, sweeps, 1, &packed)) {
        return;
    }
    for (int i = 0; i < race->packing->count; i++) {
        CairnVec3 u = race->velocities[i];
        race->v[6 * i] = u.x;
        race->v[6 * i + 1] = u.y;
        race->v[6 * i + 2] = u.z;
    }
    print_error(rival->name, rival->key, seconds, sweeps, error_of(race, race->v), file, json);
}

static CairnStatus run_race(Race *race, FILE *file, FILE *json) {
    CairnPsorOptions exact = {.iterations = EXACT, .omega = 1, .lambda = 1, .tolerance = 1e-11, .momentum = true};
    CairnResidual residual;
    int sweeps, contacts;
    CAIRN_TRY(solve(race, &exact, race->answer, &sweeps));
    CAIRN_TRY(cairn_residual(&race->problem, race->lambda, &race->plain, &residual));
    fprintf(file, "  velocities of %d balls after equal time; the answer took %d sweeps, vel_rel %.1g, %s\n",
            race->packing->count, sweeps, residual.convex, residual.is_certified ? "certified" : "NOT certified");
    fprintf(json, ", \"errors_%d\": [ { \"engine\": \"answer\", \"certified\": %s }", race->packing->count,
            residual.is_certified ? "true" : "false");
    double sweep[RIVALS];
    for (int k = 0; k < RIVALS; k++) {
        sweep[k] = time_sweep(&rivals[k], race->packing, 1, &contacts);
    }
    const int given[TIMES] = {FEW, SWEEPS}; // sweeps of ODE, or of psor's cost ten times over where it is not there
    for (int t = 0; t < TIMES; t++) {
        double seconds = sweep[0] > 0 ? given[t] * sweep[0] : given[t] * 1e-7 * race->problem.friction_count;
        CAIRN_TRY(race_ours(race, seconds, file, json));
        for (int k = 0; k < RIVALS; k++) {
            if (sweep[k] > 0) {
                race_rival(race, &rivals[k], seconds, sweep[k], file, json);
            }
        }
    }
    fprintf(json, " ]");
    return cairn_ok();
}

CairnStatus bench_cone_errors(const BenchPacking *packing, FILE *file, FILE *json) {
    BenchPacking smooth = *packing;
    smooth.friction = 1e-6;
    Race race = {.packing = &smooth, .plain = cairn_memory_default()};
    CairnWorld *world = NULL;
    const double *start;
    CairnStatus status = bench_cone_world(&smooth, NULL, &world);
    if (cairn_is_ok(status)) {
        status = cairn_world_set(world, "contact_fraction", "0");
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_step(world, smooth.step, NULL);
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_problem(world, &race.problem, &start);
    }
    size_t dofs = (size_t)race.problem.dof_count + 1, rows = (size_t)race.problem.row_count + 1;
    race.lambda = malloc(rows * sizeof *race.lambda);
    race.v = malloc(dofs * sizeof *race.v);
    race.answer = malloc(dofs * sizeof *race.answer);
    race.velocities = malloc((size_t)smooth.count * sizeof *race.velocities);
    if (!race.lambda || !race.v || !race.answer || !race.velocities) {
        status = cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %d balls", smooth.count);
    }
    if (cairn_is_ok(status)) {
        status = run_race(&race, file, json);
    }
    free(race.lambda);
    free(race.v);
    free(race.answer);
    free(race.velocities);
    cairn_world_destroy(world);
    return status;
}
