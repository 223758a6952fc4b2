// Cone sweeps on boxes full of balls, S1's benchmark: whole steps of 120 sweeps from 1,000 to 200,000 balls, what a contact costs a
// sweep, which share of the memory's bandwidth that is, and ODE's QuickStep and Bullet's sequential impulses on the same packing
// (cone_rivals.c).
//
// The packing is a shaken cubic lattice of balls that touch, 3 contacts a ball as in a heap at rest, all pressed together by a
// thousandth of the radius, so that every engine sees them; some steps under gravity come before those that count. Steps run on two
// threads, by the clock on the wall, the fastest of some. A sweep's cost is the difference of solves of one problem with 20 and with 120
// sweeps, by the processor's time on one thread, so packing is not in it; it is in the step. STREAM's triad a = b + s c is measured
// here, 24 bytes an element.
#include "bench/bench.h"
#include "bench/cone_rivals.h"
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/psor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SWEEPS = 120, FEW = 20, WARM_UP = 3, STEPS = 3, TRIAD = 1 << 22, TRIALS = 15, THREADS = 2 };

static const int counts[] = {1000, 5000, 10000, 50000, 100000, 200000};
enum { COUNTS = sizeof counts / sizeof counts[0], RIVAL_FIRST = 2, RIVAL_LAST = 3 };
static const double radius = 0.05, friction = 0.5, density = 2500, step = 0.005;

// A visit of a contact between two balls of one material (solvers/sor.h): what it streams is 15 numbers and two indices read and 3
// numbers written; with both bodies read and written it touches 256 bytes. A vector group's lines are written whole.
static const double streamed = 128 + 24, touched = 256;

typedef struct Ledger {
    CairnAllocator inner;
    size_t now, peak;
} Ledger;

static void *count_allocate(void *user, size_t size) {
    Ledger *ledger = user;
    ledger->now += size;
    ledger->peak = ledger->now > ledger->peak ? ledger->now : ledger->peak;
    return ledger->inner.allocate(ledger->inner.user, size);
}

static void count_release(void *user, void *memory, size_t size) {
    Ledger *ledger = user;
    ledger->now -= size;
    ledger->inner.release(ledger->inner.user, memory, size);
}

static double triad(int threads) {
    double *a = malloc(3 * TRIAD * sizeof *a), best = 0;
    if (!a) {
        return 0;
    }
    double *b = a + TRIAD, *c = b + TRIAD;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < TRIAD; i++) {
        a[i] = 0;
        b[i] = i;
        c[i] = 1;
    }
    for (int k = 0; k < TRIALS; k++) {
        double start = threads == 1 ? bench_cpu_now() : cairn_timer_now();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int i = 0; i < TRIAD; i++) {
            a[i] = b[i] + 3.0 * c[i];
        }
        best = fmax(best, 24.0 * TRIAD / ((threads == 1 ? bench_cpu_now() : cairn_timer_now()) - start));
    }
    bool is_right = a[TRIAD - 1] == TRIAD - 1 + 3.0;
    free(a);
    return is_right ? best : 0;
}

static CairnStatus add_plane(CairnWorld *world, CairnVec3 point, CairnVec3 normal) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_STATIC;
    body.position = point;
    body.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), normal);
    CairnShapeDef shape = cairn_half_space();
    shape.friction = friction;
    return cairn_body_add(world, &body, &shape, NULL);
}

static void place_balls(BenchPacking *packing, CairnVec3 *centers, int count) {
    int side = (int)ceil(cbrt(count));
    double spacing = 1.998 * radius, edge = side * spacing, shake = 4e-4 * radius;
    uint64_t random = 1;
    for (int i = 0; i < count; i++) {
        int x = i % side, y = i / side % side, z = i / side / side;
        CairnVec3 off = {cairn_scene_random(&random, -shake, shake), cairn_scene_random(&random, -shake, shake),
                         cairn_scene_random(&random, -shake, shake)};
        centers[i] = cairn_add(
            cairn_vec3((x + 0.5) * spacing - 0.5 * edge, (y + 0.5) * spacing - 0.5 * edge, (z + 0.5) * spacing), off);
    }
    *packing = (BenchPacking){centers, count, radius, 0.5 * edge + 0.01 * radius, density, friction, step};
}

CairnStatus bench_cone_world(const BenchPacking *packing, const CairnAllocator *allocator, CairnWorld **world) {
    CairnWorldDef def = cairn_world_def();
    def.thread_count = THREADS;
    def.friction = CAIRN_FRICTION_CONE;
    def.allocator = allocator != NULL ? *allocator : def.allocator;
    CairnPsorOptions options = {.iterations = SWEEPS, .omega = 1.3, .lambda = 1};
    CAIRN_TRY(cairn_world_create(&def, world));
    CAIRN_TRY(cairn_world_set_solver(*world, &cairn_solver_psor, &options));
    CAIRN_TRY(add_plane(*world, cairn_vec3(0, 0, 0), cairn_vec3(0, 0, 1)));
    for (int k = 0; k < 4; k++) {
        CairnVec3 inward = cairn_vec3(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
        CAIRN_TRY(add_plane(*world, cairn_scale(-packing->half, inward), inward));
    }
    CairnShapeDef ball = cairn_sphere(radius);
    ball.friction = packing->friction;
    ball.density = density;
    for (int i = 0; i < packing->count; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position = packing->centers[i];
        CAIRN_TRY(cairn_body_add(*world, &body, &ball, NULL));
    }
    return cairn_ok();
}

// Processor's seconds of one solve with so many sweeps, one thread, the fastest of two.
static double time_solve(const CairnProblem *problem, const double *start, double *lambda, int sweeps,
                         CairnStatus *status) {
    CairnAllocator plain = cairn_memory_default();
    CairnPsorOptions options = {.iterations = sweeps, .omega = 1.3, .lambda = 1};
    double best = (double)INFINITY;
    for (int k = 0; k < 2 && cairn_is_ok(*status); k++) {
        CairnArena arena;
        CairnSolveReport report;
        cairn_arena_init(&arena, &plain);
        CairnSolverContext context = {.allocator = &plain, .thread_count = 1, .arena = &arena};
        memcpy(lambda, start, (size_t)problem->row_count * sizeof *lambda);
        double from = bench_cpu_now();
        *status = cairn_solver_psor.solve(problem, NULL, &options, &context, lambda, &report);
        best = fmin(best, bench_cpu_now() - from);
        cairn_arena_free(&arena);
    }
    return best;
}

typedef struct Measured {
    CairnStats fastest;
    double processor;   // s of all threads in the cheapest step
    double per_contact; // s a sweep, one thread
    double bytes;       // peak of what was asked of the allocator, a ball
    double resident;    // peak of the process's memory so far, bytes
} Measured;

static double peak_resident(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static CairnStatus measure(const BenchPacking *packing, Measured *measured) {
    Ledger ledger = {.inner = cairn_memory_default()};
    CairnWorld *world = NULL;
    double *lambda = NULL;
    CairnAllocator counting = {count_allocate, count_release, &ledger};
    CairnStatus status = bench_cone_world(packing, &counting, &world);
    measured->fastest.times.step = (double)INFINITY;
    for (int k = 0; k < WARM_UP + STEPS && cairn_is_ok(status); k++) {
        CairnStats stats;
        double start = bench_cpu_now();
        status = cairn_world_step(world, step, &stats);
        double processor = bench_cpu_now() - start;
        measured->processor = k >= WARM_UP ? fmin(measured->processor, processor) : (double)INFINITY;
        if (cairn_is_ok(status) && k >= WARM_UP && stats.times.step < measured->fastest.times.step) {
            measured->fastest = stats;
        }
    }
    measured->bytes = (double)ledger.peak / packing->count;
    measured->resident = peak_resident();
    CairnProblem problem;
    const double *start;
    if (cairn_is_ok(status)) {
        status = cairn_world_problem(world, &problem, &start);
    }
    if (cairn_is_ok(status)) {
        lambda = malloc((size_t)problem.row_count * sizeof *lambda);
        status = lambda ? status : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %d rows", problem.row_count);
    }
    if (cairn_is_ok(status)) {
        double few = time_solve(&problem, start, lambda, FEW, &status);
        double all = time_solve(&problem, start, lambda, SWEEPS, &status);
        measured->per_contact = (all - few) / (SWEEPS - FEW) / problem.friction_count;
    }
    free(lambda);
    cairn_world_destroy(world);
    return status;
}

static void print_measured(int count, const Measured *m, double bandwidth, FILE *file, FILE *json) {
    const CairnStats *s = &m->fastest;
    double collision = (s->times.broad + s->times.narrow) / s->times.step;
    double share = streamed / m->per_contact / bandwidth;
    fprintf(file, "  %7d %6.2f %6d %9.1f %9.1f %8.2f %8.0f %8.0f %8.1f %6.2f %8.0f %9.2g\n", count,
            (double)s->contacts / count, s->solves, 1e3 * s->times.step, 1e3 * m->processor, 1e6 * m->processor / count,
            100 * collision, 100 * s->times.solve / s->times.step, 1e9 * m->per_contact, share, m->bytes,
            s->residual.scaled);
    fprintf(json,
            "{ \"balls\": %d, \"contacts\": %d, \"solves\": %d, \"step_ms\": %.6g, \"processor_ms\": %.6g, "
            "\"collision_share\": %.4g, \"solve_ms\": %.6g, \"ns_contact_sweep\": %.6g, \"triad_share\": %.4g, "
            "\"bytes_ball\": %.6g }",
            count, s->contacts, s->solves, 1e3 * s->times.step, 1e3 * m->processor, collision, 1e3 * s->times.solve,
            1e9 * m->per_contact, share, m->bytes);
    fflush(file);
}

// The processor's time of a step over the number of balls: a line through the sizes from 5,000 on, how well it fits, and how flat the
// time a ball is from 50,000 on.
static void print_fit(const double *processor, FILE *file, FILE *json) {
    enum { FIRST = 1, FLAT = 3 };
    double n = COUNTS - FIRST, x = 0, y = 0, xx = 0, xy = 0, yy = 0, least = (double)INFINITY, most = 0;
    for (int i = FIRST; i < COUNTS; i++) {
        x += counts[i] / n;
        y += processor[i] / n;
        double each = processor[i] / counts[i];
        least = i >= FLAT ? fmin(least, each) : least;
        most = i >= FLAT ? fmax(most, each) : most;
    }
    for (int i = FIRST; i < COUNTS; i++) {
        xx += (counts[i] - x) * (counts[i] - x);
        xy += (counts[i] - x) * (processor[i] - y);
        yy += (processor[i] - y) * (processor[i] - y);
    }
    double slope = xy / xx, fit = xy * xy / (xx * yy);
    fprintf(file,
            "  %.2f us a ball and %.1f ms, R2 = %.5f; from 50,000 to 200,000 the time a ball changes by %.1f %%\n",
            1e6 * slope, 1e3 * (y - slope * x), fit, 100 * (most / least - 1));
    fprintf(json, ", \"fit_us_ball\": %.6g, \"fit_r2\": %.6g, \"flat_percent\": %.4g", 1e6 * slope, fit,
            100 * (most / least - 1));
}

static bool report(FILE *file, FILE *json) {
    CairnVec3 *centers = malloc((size_t)counts[COUNTS - 1] * sizeof *centers);
    if (!centers) {
        return false;
    }
    double one = triad(1), two = triad(THREADS);
    fprintf(
        file,
        "  STREAM triad: %.1f GB/s on one thread, %.1f on two; a contact streams %.0f bytes a sweep, touches %.0f\n",
        one / 1e9, two / 1e9, streamed, touched);
    fprintf(file, "    balls contacts solves  step ms  proc. ms  us/ball  coll. %%  solve %%  ns/c,sw  triad   B/ball  "
                  "left m/s\n");
    fprintf(json, "    { \"name\": \"cone\", \"triad_gb_s\": [%.6g, %.6g], \"packings\": [\n      ", one / 1e9,
            two / 1e9);
    double ours[COUNTS] = {0}, processor[COUNTS] = {0}, resident = 0; // of the largest size, which is the last
    CairnStatus status = cairn_ok();
    BenchPacking packing;
    for (int i = 0; i < COUNTS && cairn_is_ok(status); i++) {
        Measured measured = {0};
        place_balls(&packing, centers, counts[i]);
        status = measure(&packing, &measured);
        if (cairn_is_ok(status)) {
            print_measured(counts[i], &measured, one, file, json);
            fprintf(json, i + 1 < COUNTS ? ",\n      " : " ]");
            ours[i] = measured.per_contact;
            processor[i] = measured.processor;
            resident = measured.resident / counts[i];
        }
    }
    fprintf(
        file,
        "  the bar, box3d native with 4 sub-steps on a machine of this kind: 2.0 ms at 1,000 balls, 80 at 10,000, 840 "
        "at 50,000, 4 to 8 %% of a radius deep\n");
    if (cairn_is_ok(status)) {
        print_fit(processor, file, json);
        fprintf(file, "  the whole process with %d balls held at most %.0f bytes a ball\n", counts[COUNTS - 1],
                resident);
        fprintf(json, ", \"resident_bytes_ball\": %.6g", resident);
    } else {
        fprintf(file, "  %s\n", status.message);
    }
    for (int i = RIVAL_FIRST; i <= RIVAL_LAST && cairn_is_ok(status); i++) {
        place_balls(&packing, centers, counts[i]);
        bench_cone_costs(&packing, ours[i], file, json);
    }
    if (cairn_is_ok(status)) {
        place_balls(&packing, centers, counts[RIVAL_FIRST]);
        status = bench_cone_errors(&packing, file, json);
    }
    fprintf(json, " }");
    free(centers);
    return cairn_is_ok(status);
}

const BenchSuite bench_cone = {
    .name = "cone", .summary = "cone sweeps on boxes full of balls, beside STREAM, ODE and Bullet", .report = report};
