// Cone sweeps on boxes full of balls, S1's benchmark: whole steps of 120 sweeps from 1,000 to 200,000 balls, what a
// contact costs a sweep, which fraction of the memory's bandwidth that is, and ODE's QuickStep and Bullet's sequential
// impulses on the same packing (cone_rivals.c).
//
// The packing is a shaken cubic lattice of balls that touch, 3 contacts a ball as in a heap at rest, all pressed
// together by a thousandth of the radius, so that every engine sees them; some steps under gravity come before those
// that count. Steps run on two threads: by the clock on the wall the fastest of some, by the processor's time their
// median. A sweep's cost is the difference of solves of one problem with 20 and with 120 sweeps, by the processor's
// time on one thread, so packing is not in it; it is in the step. STREAM's triad a = b + s c is measured here, 24 bytes
// an element, and so is the vectors' peak, the sums and products of eight numbers that one thread does a second. The
// robot's row is the scene spider_robot: its 50 sweeps over joints, servos and feet, one thread.
#include "bench/bench.h"
#include "bench/cone_rivals.h"
#include "bench/ledger.h"
#include "bench/scene_runs.h"
#include "demos/scenes/scenes.h"
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/sweeps/psor.h"
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SWEEPS = 120, FEW = 20, WARM_UP = 3, TURNS = 3, TRIAD = 1 << 22, TRIALS = 15, THREADS = 2, ROBOT_STEPS = 500 };
enum { FIT_FROM = 5000, FLAT_FROM = 50000 }; // balls

static const int counts[] = {1000, 5000, 10000, 50000, 100000, 200000}, rivals_at[] = {10000, 50000};
enum { COUNTS = sizeof counts / sizeof counts[0] };
static const double radius = 0.05, friction = 0.5, density = 2500, step = 0.005;

// A visit of a contact between two balls of one material (solvers/sweeps/sor.h): what it streams is 15 numbers and two
// indices read and 3 numbers written; with both bodies read and written it touches 256 bytes. A vector group's lines
// are written whole.
static const double streamed = 128 + 24, touched = 256;

// Instructions on eight numbers that a visit of a group of eight needs where registers hold eight: sums and products,
// divisions and roots, comparisons and choices, and what turns eight bodies' numbers into eight lanes and back. Counted
// in the compiled visit before groups were gathered ahead; the present one has fewer, so the fraction of the peak is at
// most what is printed.
static const double vector_work = 150 + 4 + 25 + 96;

static double triad(int threads) {
    CairnAllocator plain = cairn_memory_default(); // the same pages as ours
    double *a = cairn_memory_allocate(&plain, 3 * TRIAD, sizeof *a), best = 0;
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
    cairn_memory_release(&plain, a, 3 * TRIAD, sizeof *a);
    return is_right ? best : 0;
}

typedef double Eight __attribute__((vector_size(64), aligned(64)));

// Sums and products of eight numbers a second.
static double vector_peak(void) {
    enum { CHAINS = 10, ROUNDS = 1000000 };
    const Eight half = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, one = half + half;
    double best = 0, sum = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        Eight x[CHAINS] = {{0}};
        double start = bench_cpu_now();
        for (int i = 0; i < ROUNDS; i++) {
            for (int k = 0; k < CHAINS; k++) {
                x[k] = x[k] * half + one;
            }
        }
        best = fmax(best, 2.0 * CHAINS * ROUNDS / (bench_cpu_now() - start));
        for (int k = 0; k < CHAINS; k++) {
            sum += x[k][0];
        }
    }
    return sum > 0 ? best : 0;
}

static CairnStatus add_plane(CairnWorld *world, CairnVec3 point, CairnVec3 normal) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
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
    CairnPsorOptions options = {.iterations = sweeps, .omega = 1.3, .lambda = 1};
    CairnSolveRequest request = {.solver = &cairn_solver_psor, .options = &options};
    double best = (double)INFINITY;
    for (int k = 0; k < 2 && cairn_is_ok(*status); k++) {
        memcpy(lambda, start, (size_t)problem->row_count * sizeof *lambda);
        double from = bench_cpu_now();
        *status = cairn_problem_solve(problem, &request, lambda, NULL);
        best = fmin(best, bench_cpu_now() - from);
    }
    return best;
}

// Of one number of balls. Sizes take turns, so that a machine whose speed changes favours none.
typedef struct Size {
    int count;
    CairnVec3 *centers;
    BenchPacking packing;
    BenchLedger ledger;
    CairnAllocator counting;
    CairnWorld *world;
    CairnStats fastest;
    double processor[TURNS]; // s of all threads in a step
    double per_contact;      // s a sweep, one thread
    double triad, peak;      // of one thread, just before: bytes a second, instructions on eight numbers a second
    double bytes;            // peak of the allocated memory, a ball
} Size;

static double peak_resident(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static CairnStatus open_size(Size *size) {
    size->centers = malloc((size_t)size->count * sizeof *size->centers);
    if (!size->centers) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %d balls", size->count);
    }
    place_balls(&size->packing, size->centers, size->count);
    size->counting = bench_ledger_open(&size->ledger);
    CairnStatus status = bench_cone_world(&size->packing, &size->counting, &size->world);
    for (int k = 0; k < WARM_UP && cairn_is_ok(status); k++) {
        status = cairn_world_step(size->world, step, NULL);
    }
    size->bytes = (double)size->ledger.peak / size->count;
    size->fastest.times.step = (double)INFINITY;
    return status;
}

static void close_size(Size *size) {
    cairn_world_destroy(size->world);
    free(size->centers);
}

// A step that fetches what the other sizes drove out of the caches, and one that counts.
static CairnStatus take_turn(Size *size, int turn) {
    CairnStats stats;
    CAIRN_TRY(cairn_world_step(size->world, step, &stats));
    double start = bench_cpu_now();
    CAIRN_TRY(cairn_world_step(size->world, step, &stats));
    size->processor[turn] = bench_cpu_now() - start;
    size->fastest = stats.times.step < size->fastest.times.step ? stats : size->fastest;
    return cairn_ok();
}

static CairnStatus time_sweep(const CairnWorld *world, double *per_contact) {
    CairnProblem problem;
    const double *start;
    CAIRN_TRY(cairn_world_problem(world, &problem, &start));
    double *lambda = malloc((size_t)problem.row_count * sizeof *lambda);
    CairnStatus status = lambda ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for rows");
    if (lambda) {
        double few = time_solve(&problem, start, lambda, FEW, &status);
        double all = time_solve(&problem, start, lambda, SWEEPS, &status);
        *per_contact = (all - few) / (SWEEPS - FEW) / problem.friction_count;
    }
    free(lambda);
    return status;
}

static double median(const double *values, int count) {
    double sorted[TURNS];
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > values[i]; k--) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = values[i];
    }
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

static void print_size(const Size *size, FILE *file, FILE *json) {
    const CairnStats *s = &size->fastest;
    double processor = median(size->processor, TURNS), fraction = streamed / size->per_contact / size->triad;
    double vectors = vector_work / 8 / size->per_contact / size->peak;
    double collision = (s->times.broad + s->times.narrow) / s->times.step;
    fprintf(file, "  %7d %6.2f %6d %9.1f %9.1f %8.2f %8.0f %8.0f %8.1f %6.2f %7.2f %8.0f %9.2g\n", size->count,
            (double)s->contacts / size->count, s->solves, 1e3 * s->times.step, 1e3 * processor,
            1e6 * processor / size->count, 100 * collision, 100 * s->times.solve / s->times.step,
            1e9 * size->per_contact, fraction, vectors, size->bytes, s->residual.scaled);
    fprintf(json,
            "{ \"balls\": %d, \"contacts\": %d, \"solves\": %d, \"step_ms\": %.6g, \"processor_ms\": %.6g, "
            "\"collision_share\": %.4g, \"solve_ms\": %.6g, \"ns_contact_sweep\": %.6g, \"triad_share\": %.4g, "
            "\"vector_share\": %.4g, \"bytes_ball\": %.6g }",
            size->count, s->contacts, s->solves, 1e3 * s->times.step, 1e3 * processor, collision, 1e3 * s->times.solve,
            1e9 * size->per_contact, fraction, vectors, size->bytes);
}

// Over the sizes from FLAT_FROM on: within each turn the most and the least time a ball, and of these ratios the
// median.
static double flatness(const Size *sizes, int count) {
    double ratios[TURNS];
    for (int t = 0; t < TURNS; t++) {
        double least = (double)INFINITY, most = 0;
        for (int i = 0; i < count; i++) {
            double each = sizes[i].processor[t] / sizes[i].count;
            least = sizes[i].count >= FLAT_FROM ? fmin(least, each) : least;
            most = sizes[i].count >= FLAT_FROM ? fmax(most, each) : most;
        }
        ratios[t] = most / least;
    }
    return median(ratios, TURNS);
}

// The processor's time of a step over the number of balls: a line through the sizes from FIT_FROM on and how well it
// fits, and how flat the time a ball is.
static void print_fit(const Size *sizes, int count, FILE *file, FILE *json) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    int flat_count = 0;
    for (int i = 0; i < count; i++) {
        flat_count += sizes[i].count >= FLAT_FROM ? 1 : 0;
        n += sizes[i].count >= FIT_FROM ? 1 : 0;
        x += sizes[i].count >= FIT_FROM ? sizes[i].count : 0;
        y += sizes[i].count >= FIT_FROM ? median(sizes[i].processor, TURNS) : 0;
    }
    x /= n;
    y /= n;
    for (int i = 0; i < count; i++) {
        double dx = sizes[i].count - x, dy = median(sizes[i].processor, TURNS) - y;
        xx += sizes[i].count >= FIT_FROM ? dx * dx : 0;
        xy += sizes[i].count >= FIT_FROM ? dx * dy : 0;
        yy += sizes[i].count >= FIT_FROM ? dy * dy : 0;
    }
    if (n > 2) {
        double slope = xy / xx, fit = xy * xy / (xx * yy);
        fprintf(file, "  %.2f us a ball and %.1f ms, R2 = %.5f\n", 1e6 * slope, 1e3 * (y - slope * x), fit);
        fprintf(json, ", \"fit_us_ball\": %.6g, \"fit_r2\": %.6g", 1e6 * slope, fit);
    }
    if (flat_count > 1) {
        double flat = 100 * (flatness(sizes, count) - 1);
        fprintf(file, "  from %d balls on the time a ball changes by %.1f %% (the median of %d turns)\n", FLAT_FROM,
                flat, TURNS);
        fprintf(json, ", \"flat_percent\": %.4g", flat);
    }
}

static CairnStatus measure(Size *sizes, int count, double *resident) {
    for (int i = count - 1; i >= 0; i--) { // the largest first: what the process holds is then its own
        CAIRN_TRY(open_size(&sizes[i]));
        *resident = i == count - 1 ? peak_resident() / sizes[i].count : *resident;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < count; i++) {
            CAIRN_TRY(take_turn(&sizes[i], turn));
        }
    }
    for (int i = 0; i < count; i++) {
        sizes[i].triad = triad(1);
        sizes[i].peak = vector_peak();
        CAIRN_TRY(time_sweep(sizes[i].world, &sizes[i].per_contact));
    }
    return cairn_ok();
}

static CairnStatus report_sizes(FILE *file, FILE *json) {
    Size sizes[COUNTS] = {0};
    int count = 0;
    double resident = 0;
    for (int i = 0; i < COUNTS; i++) {
        char section[16];
        snprintf(section, sizeof section, "%d", counts[i]);
        if (bench_wants("CAIRN_BENCH_PARTS", section)) {
            sizes[count++].count = counts[i];
        }
    }
    fprintf(json, "\"packings\": [");
    CairnStatus status = count > 0 ? measure(sizes, count, &resident) : cairn_ok();
    if (count > 0 && cairn_is_ok(status)) {
        double one = triad(1), two = triad(THREADS);
        fprintf(file,
                "  STREAM triad: %.1f GB/s on one thread, %.1f on two; a contact streams %.0f bytes a sweep, touches "
                "%.0f\n",
                one / 1e9, two / 1e9, streamed, touched);
        fprintf(file,
                "    balls contacts solves  step ms  proc. ms  us/ball  coll. %%  solve %%  ns/c,sw  triad vectors   "
                "B/ball  left m/s\n");
        for (int i = 0; i < count; i++) {
            fprintf(json, i > 0 ? ",\n      " : "\n      ");
            print_size(&sizes[i], file, json);
        }
        fprintf(json, " ], \"triad_gb_s\": [%.6g, %.6g]", one / 1e9, two / 1e9);
        fprintf(file,
                "  the bar, box3d native with 4 sub-steps on a machine of this kind: 2.0 ms at 1,000 balls, 80 at "
                "10,000, 840 at 50,000, 4 to 8 %% of a radius deep\n");
        print_fit(sizes, count, file, json);
        fprintf(file, "  the whole process with %d balls alone held at most %.0f bytes a ball\n",
                sizes[count - 1].count, resident);
        fprintf(json, ", \"resident_bytes_ball\": %.6g", resident);
    } else {
        fprintf(json, " ]");
    }
    fflush(file);
    for (int i = 0; i < count; i++) {
        close_size(&sizes[i]);
    }
    return status;
}

// Beside the others: what a contact costs a sweep, and what is left after equal time.
static CairnStatus report_rivals(int count, FILE *file, FILE *json) {
    char costs[24], errors[24];
    snprintf(costs, sizeof costs, "costs-%d", count);
    snprintf(errors, sizeof errors, "errors-%d", count);
    bool has_costs = bench_wants("CAIRN_BENCH_PARTS", costs), has_errors = bench_wants("CAIRN_BENCH_PARTS", errors);
    if (!has_costs && !has_errors) {
        return cairn_ok();
    }
    Size size = {.count = count};
    CairnStatus status = open_size(&size);
    if (has_costs && cairn_is_ok(status)) {
        double before = 0, after = 0;
        status = time_sweep(size.world, &before);
        BenchCosts theirs = cairn_is_ok(status) ? bench_cone_costs(&size.packing) : (BenchCosts){0};
        status = cairn_is_ok(status) ? time_sweep(size.world, &after) : status;
        bench_cone_print_costs(&size.packing, &theirs, fmin(before, after), file, json);
    }
    if (has_errors && cairn_is_ok(status)) {
        status = bench_cone_errors(&size.packing, file, json);
    }
    fflush(file);
    close_size(&size);
    return status;
}

// Times of each step of the robot.
typedef struct Robot {
    double step[ROBOT_STEPS], solve[ROBOT_STEPS], residual; // s; m/s, mean of what the sweeps leave
    int count;
} Robot;

static CairnStatus look_at_robot(void *user, const CairnWorld *world, const CairnStats *stats) {
    Robot *robot = user;
    (void)world;
    robot->step[robot->count] = stats->times.step;
    robot->solve[robot->count] = stats->times.solve;
    robot->residual += stats->residual.scaled / ROBOT_STEPS;
    robot->count++;
    return cairn_ok();
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static CairnStatus report_robot(FILE *file, FILE *json) {
    static Robot robot;
    const CairnScene *scene;
    if (!bench_wants("CAIRN_BENCH_PARTS", "spider_robot")) {
        return cairn_ok();
    }
    robot = (Robot){0};
    CAIRN_TRY(cairn_scene_find("spider_robot", &scene));
    const BenchPlay play = {.scene = scene, .threads = 1, .frames = ROBOT_STEPS, .look = look_at_robot, .user = &robot};
    BenchPlayed played;
    CAIRN_TRY(bench_play_scene(&play, &played));
    if (robot.count < ROBOT_STEPS) {
        return cairn_error(CAIRN_NUMERIC, "bench: spider_robot ended after %d of %d steps", robot.count, ROBOT_STEPS);
    }
    qsort(robot.step, (size_t)robot.count, sizeof(double), by_size);
    qsort(robot.solve, (size_t)robot.count, sizeof(double), by_size);
    double step_ms = 1e3 * robot.step[robot.count / 2], solve_ms = 1e3 * robot.solve[robot.count / 2];
    fprintf(file,
            "  spider_robot, 50 sweeps, %d rows at most, median of %d steps: solve %.3f ms, whole step %.3f ms (asked: "
            "0.25, S1: 1); %.2g m/s left\n",
            played.rows, robot.count, solve_ms, step_ms, robot.residual);
    fprintf(json, ", \"spider_robot\": { \"solve_ms\": %.6g, \"step_ms\": %.6g, \"left\": %.6g }", solve_ms, step_ms,
            robot.residual);
    return cairn_ok();
}

// CAIRN_BENCH_PARTS chooses: 1000 ... 200000 (the packings; what is said of all is of the chosen ones), costs-10000,
// costs-50000, errors-10000, errors-50000, spider_robot.
static bool report(FILE *file, FILE *json) {
    fprintf(json, "    { \"name\": \"cone\", ");
    CairnStatus status = report_sizes(file, json);
    for (int i = 0; i < (int)(sizeof rivals_at / sizeof rivals_at[0]) && cairn_is_ok(status); i++) {
        status = report_rivals(rivals_at[i], file, json);
    }
    status = cairn_is_ok(status) ? report_robot(file, json) : status;
    if (!cairn_is_ok(status)) {
        fprintf(file, "  %s\n", status.message);
    }
    fprintf(json, " }");
    return cairn_is_ok(status);
}

const BenchSuite bench_cone = {
    .name = "cone", .summary = "cone sweeps on boxes full of balls, beside STREAM, ODE and Bullet", .report = report};
